"""The commands of th-vision: parse, call, print. No logic.

Everything heavy is imported inside the command that needs it, so that ``th-vision --help`` answers at once.
"""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

if TYPE_CHECKING:
    from rules.outcome import Outcome

app = typer.Typer(
    name="th-vision",
    help="A camera referee for Tokyo Highway: it watches the table and says what is allowed, and why.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
calibrate = typer.Typer(
    name="calibrate",
    help="Measure the table and the pieces, and check.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.add_typer(calibrate)

NOT_YET = "is not yet in this version"
STOPPED = 130  # as a shell reports a program that Ctrl-C ended
READER_GONE = 141  # as a shell reports a program whose output nobody reads any more
OWN_FAULT = 70

SourceArg = Annotated[
    str,
    typer.Argument(
        metavar="SOURCE", help="A folder of images, a .ply or .pcd cloud, sim[:seed=7,...]; see docs/sources.md."
    ),
]
CalibrationOpt = Annotated[
    Path, typer.Option("-c", "--calibration", metavar="TABLE.TOML", help="Written by 'calibrate table'.")
]
PiecesOpt = Annotated[
    Path | None, typer.Option("-p", "--pieces", metavar="PIECES.TOML", help="Sizes and colours; default: the usual.")
]
RulesOpt = Annotated[str, typer.Option("--rules", metavar="NAME", help="A preset, or a file; see 'th-vision rules'.")]
PlayersOpt = Annotated[
    str, typer.Option("--players", metavar="A,B,...", help="Names as in pieces.toml, in order of play.")
]
LangOpt = Annotated[str, typer.Option("--lang", metavar="en|es|nl|zh-Hant", help="Language of what is said.")]
OptionOpt = Annotated[
    list[str] | None, typer.Option("--option", metavar="KEY=VALUE", help="A switch of the rule set; may be repeated.")
]
FrameOpt = Annotated[
    str, typer.Option("--frame", metavar="camera|table", help="Frame of a point cloud: camera (metres) or table (mm).")
]
RecordOutOpt = Annotated[
    Path | None, typer.Option("--game", metavar="FILE.jsonl", help="Where to write the game record; - is stdout.")
]
SquaresOpt = Annotated[str, typer.Option("--squares", metavar="7x5", help="Squares of the board along x and y.")]
SquareOpt = Annotated[float, typer.Option("--square", metavar="MM", help="Side of a square, as printed.")]
MarkerOpt = Annotated[float, typer.Option("--marker", metavar="MM", help="Side of a marker, as printed.")]
DictionaryOpt = Annotated[str, typer.Option("--dictionary", metavar="NAME", help="The markers' dictionary.")]
ThicknessOpt = Annotated[
    float, typer.Option("--thickness", metavar="MM", help="How thick the board is that the print is glued to.")
]
PictureOpt = Annotated[Path | None, typer.Option("--picture", metavar="FILE.png", help="A picture of the table.")]


def main() -> NoReturn:
    """Entry point of the console script: run, and turn what went wrong into one line and an exit status."""
    status = OWN_FAULT
    try:
        status = _run(sys.argv[1:])
        sys.stdout.flush()
    except KeyboardInterrupt:
        status = _stopped()
    except BrokenPipeError:
        status = READER_GONE
    if status == READER_GONE:
        # Python flushes once more on its way out, and would complain about the closed pipe.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    with contextlib.suppress(OSError):
        sys.stderr.flush()
    raise SystemExit(status)


def _run(words: list[str]) -> int:
    try:
        status = app(words, prog_name="th-vision", standalone_mode=False)
    except SystemExit as error:
        return READER_GONE if isinstance(error.__context__, BrokenPipeError) else _status(error.code)
    except (KeyboardInterrupt, BrokenPipeError):
        raise
    except Exception as error:
        return _report(error)
    return _stopped() if status == STOPPED else _status(status)


def _status(code: object) -> int:
    return code if isinstance(code, int) else 0


def _stopped() -> int:
    _note("stopped")
    return STOPPED


def _report(error: Exception) -> int:
    """One line for what a user can mend; for a fault of our own, where it is."""
    usage = getattr(error, "format_message", None)  # the parser's own errors
    if usage is not None:
        if type(error).__name__ == "NoArgsIsHelpError":  # its message is the whole help
            typer.echo(usage(), err=True)
            return 2
        context = getattr(error, "ctx", None)
        path = context.command_path if context else "th-vision"
        text = " ".join(str(usage()).split()).rstrip(".")
        if text:
            _note(f"{text} (see {path} --help)")
        return 2
    from calibration.errors import CalibrationError
    from rules.errors import RulesError
    from th_vision.errors import VisionError

    if isinstance(error, RulesError | CalibrationError | VisionError):
        _note(" ".join(str(error).split()))
        return 2
    if isinstance(error, OSError):
        _note(f"{error.filename or 'file'}: {error.strerror or error}")
        return 2
    if os.environ.get("TH_VISION_DEBUG"):
        raise error
    _note(
        f"a fault of th-vision itself: {type(error).__name__}: {' '.join(str(error).split())[:300]}; please report it "
        "(TH_VISION_DEBUG=1 shows where)"
    )
    return OWN_FAULT


def _note(text: str) -> None:
    """A line on standard error."""
    with contextlib.suppress(OSError):
        typer.echo(f"th-vision: {text}", err=True)


def _progress(text: str) -> None:
    """A line of progress on standard error."""
    typer.echo(text, err=True)


def _say(text: str) -> None:
    """A line on standard output, at once."""
    typer.echo(text)
    sys.stdout.flush()


def _finish(outcome: Outcome) -> None:
    for note in outcome.notes:
        _note(note)
    typer.echo(outcome.text, nl=False)
    if outcome.status:
        raise typer.Exit(outcome.status)


def _not_yet(what: str, instead: str = "") -> NoReturn:
    _note(f"{what} {NOT_YET}" + (f"; {instead}" if instead else ""))
    raise typer.Exit(2)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"th-vision {version('th-vision')}")
        raise typer.Exit


@app.callback()
def _all(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Say which.")] = False,
) -> None:
    """A camera referee for Tokyo Highway: it watches the table and says what is allowed, and why."""


@app.command()
def doctor(
    calibration: CalibrationOpt = Path("table.toml"),
    pieces: Annotated[Path, typer.Option("-p", "--pieces", metavar="PIECES.TOML", help="Sizes and colours.")] = Path(
        "pieces.toml"
    ),
) -> None:
    """What works here, what is missing, what to do."""
    from th_vision.doctor import run

    _finish(run(calibration, pieces, Path.cwd()))


@app.command()
def board(
    output: Annotated[Path, typer.Option("-o", "--output", metavar="BOARD.PDF", help="Where to write it.")],
    paper: Annotated[str, typer.Option("--paper", metavar="a4|letter", help="Size of the sheet.")] = "a4",
    squares: SquaresOpt = "7x5",
    square: SquareOpt = 38.0,
    marker: MarkerOpt = 28.0,
    dictionary: DictionaryOpt = "DICT_5X5_100",
    thickness: ThicknessOpt = 0.0,
) -> None:
    """The calibration board to print, true to scale."""
    from th_vision.commands.calibrate import make_board, write_board

    _finish(write_board(output, paper, make_board(squares, square, marker, dictionary, thickness)))


@calibrate.command("table")
def calibrate_table(
    source: SourceArg,
    output: Annotated[Path, typer.Option("-o", "--output", metavar="TABLE.TOML", help="Where to write it.")],
    squares: SquaresOpt = "7x5",
    square: SquareOpt = 38.0,
    marker: MarkerOpt = 28.0,
    dictionary: DictionaryOpt = "DICT_5X5_100",
    thickness: ThicknessOpt = 0.0,
) -> None:
    """Pose of the table, empty-table map, quality figures."""
    from datetime import UTC, datetime

    from th_vision.commands.calibrate import calibrate_table as run
    from th_vision.commands.calibrate import make_board

    now = datetime.now(UTC).isoformat(timespec="seconds")
    _finish(run(source, output, make_board(squares, square, marker, dictionary, thickness), now, _progress))


@calibrate.command("pieces")
def calibrate_pieces(
    source: SourceArg,
    calibration: CalibrationOpt,
    output: Annotated[Path, typer.Option("-o", "--output", metavar="PIECES.TOML", help="Where to write it.")],
) -> None:
    """Measure the pieces of your set of the game."""
    _not_yet("calibrate pieces", "write pieces.toml by hand (docs/pieces.md)")


@calibrate.command("check")
def calibrate_check(source: SourceArg, calibration: CalibrationOpt) -> None:
    """Self-test on known lengths and heights: pass or fail, in mm."""
    _not_yet("calibrate check", "'calibrate table' prints its residuals")


@app.command()
def record(
    source: SourceArg,
    output: Annotated[Path, typer.Option("-o", "--output", metavar="GAME.MCAP", help="Where to write it.")],
) -> None:
    """Record a source as it is."""
    _not_yet("record")


@app.command()
def info(file: Annotated[Path, typer.Argument(metavar="FILE", help="A recording.")]) -> None:
    """What a recording holds."""
    _not_yet("info")


@app.command()
def repair(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A recording that was cut.")],
    output: Annotated[Path, typer.Option("-o", "--output", metavar="OUT", help="Where to write the whole file.")],
) -> None:
    """Write a whole file from a recording that was cut."""
    _not_yet("repair")


@app.command()
def reconstruct(
    source: SourceArg,
    calibration: Annotated[
        Path | None,
        typer.Option("-c", "--calibration", metavar="TABLE.TOML", help="Not needed for a cloud with --frame table."),
    ] = None,
    pieces: PiecesOpt = None,
    json: Annotated[
        Path | None, typer.Option("--json", metavar="LAYOUT.JSON", help="The layout; - (the default) is stdout.")
    ] = None,
    ply: Annotated[Path | None, typer.Option("--ply", metavar="OUT.PLY", help="The cloud, in the table frame.")] = None,
    picture: PictureOpt = None,
    frame: FrameOpt = "camera",
    frames: Annotated[int, typer.Option("--frames", min=1, help="How many of the last frames to fuse.")] = 10,
) -> None:
    """What stands on the table, with uncertainties."""
    from th_vision.commands.reconstruct import run

    _finish(
        run(
            source,
            calibration=calibration,
            pieces=pieces,
            json=json,
            ply=ply,
            picture=picture,
            frame=frame,
            frames=frames,
            log=_progress,
        )
    )


@app.command()
def referee(
    source: SourceArg,
    calibration: CalibrationOpt,
    players: PlayersOpt,
    pieces: PiecesOpt = None,
    rules: RulesOpt = "rainbow-city",
    record: Annotated[Path | None, typer.Option("--record", metavar="GAME.MCAP", help="Record the frames.")] = None,
    game: RecordOutOpt = None,
    say: Annotated[bool, typer.Option("--say", help="Speak the rulings.")] = False,
    lang: LangOpt = "en",
) -> None:
    """Follow a live game and rule on it."""
    _not_yet("referee", "th-vision replay does the same on a recording")


@app.command()
def replay(
    source: SourceArg,
    calibration: CalibrationOpt,
    players: PlayersOpt,
    pieces: PiecesOpt = None,
    rules: RulesOpt = "rainbow-city",
    game: RecordOutOpt = None,
    lang: LangOpt = "en",
    picture: PictureOpt = None,
    option: OptionOpt = None,
) -> None:
    """Follow a recorded game and rule on it."""
    from th_vision.commands.replay import run

    _finish(
        run(
            source,
            calibration=calibration,
            pieces=pieces,
            rules=rules,
            players=players,
            game=game,
            lang=lang,
            picture=picture,
            options=option or [],
            say=_progress if str(game) == "-" else _say,
        )
    )


@app.command()
def adjudicate(
    game: Annotated[str, typer.Argument(metavar="GAME.JSONL", help="A game record; - is standard input.")],
    output: Annotated[
        str | None, typer.Option("-o", "--output", metavar="RULINGS.JSONL", help="The rulings; - is stdout.")
    ] = None,
    rules: Annotated[str | None, typer.Option("--rules", metavar="NAME", help="Other rules than the record's.")] = None,
    option: OptionOpt = None,
    diff: Annotated[bool, typer.Option("--diff", help="What differs from the rulings in the record.")] = False,
    with_facts: Annotated[bool, typer.Option("--with-facts", help="Write the facts too.")] = False,
    lang: LangOpt = "en",
) -> None:
    """No camera: facts in, rulings out."""
    from rules.adjudicate import run

    _finish(
        run(game, output=output, rules=rules, options=option or [], diff=diff, with_facts=with_facts, language=lang)
    )


@app.command()
def explain(
    game: Annotated[str, typer.Argument(metavar="GAME.JSONL", help="A game record; - is standard input.")],
    turn: Annotated[int, typer.Option("--turn", min=0, help="Which turn.")],
    rules: Annotated[str | None, typer.Option("--rules", metavar="NAME", help="Other rules than the record's.")] = None,
    option: OptionOpt = None,
    picture: PictureOpt = None,
    lang: LangOpt = "en",
) -> None:
    """Why a turn was ruled as it was."""
    from rules.explain import run

    if picture is not None:
        _not_yet("explain --picture")
    _finish(run(game, turn=turn, rules=rules, options=option or [], language=lang))


@app.command("rules")
def rules_command(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="One preset; without: all of them.")] = None,
) -> None:
    """Presets, switches, their values and meaning."""
    from rules.show import run

    _finish(run(name))


@app.command()
def simulate(
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="DIR", help="A new folder of images with truth.json.")
    ],
    seed: Annotated[int, typer.Option("--seed", min=0, help="Same seed, same game.")] = 1,
    players: Annotated[int, typer.Option("--players", min=2, max=4, help="How many play.")] = 2,
    turns: Annotated[int, typer.Option("--turns", min=1, max=200, help="How many turns.")] = 12,
    camera: Annotated[
        str, typer.Option("--camera", metavar="D415|D435|...", help="Which camera hangs above.")
    ] = "D435",
) -> None:
    """A virtual game with its truth."""
    from th_vision.commands.simulate import run

    _finish(run(output, seed=seed, players=players, turns=turns, camera=camera, log=_progress))


if __name__ == "__main__":
    main()
