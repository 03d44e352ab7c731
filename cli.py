"""The commands of th-vision: parse, call, print. No logic.

Everything heavy is imported inside the command that needs it, so that ``th-vision --help`` answers at once.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated, NoReturn

try:
    import typer

    from th_vision.terminal import emit, finish, progress, run_and_exit, say, speak
except KeyboardInterrupt:  # Ctrl-C before anything began
    sys.exit(130)

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

SourceArg = Annotated[
    str,
    typer.Argument(
        metavar="SOURCE", help="realsense, an .mcap or .db3 file, a folder of images, a cloud, sim; docs/sources.md."
    ),
]
CalibrationOpt = Annotated[
    Path, typer.Option("-c", "--calibration", metavar="TABLE.TOML", help="Written by 'calibrate table'.")
]
BroughtCalibrationOpt = Annotated[
    Path | None,
    typer.Option(
        "-c", "--calibration", metavar="TABLE.TOML", help="By 'calibrate table'; a session may bring its own."
    ),
]
PiecesOpt = Annotated[
    Path | None, typer.Option("-p", "--pieces", metavar="PIECES.TOML", help="Sizes and colours; default: the usual.")
]
RulesOpt = Annotated[str, typer.Option("--rules", metavar="NAME", help="A preset, or a file; see 'th-vision rules'.")]
BegunRulesOpt = Annotated[
    str, typer.Option("--rules", metavar="NAME", help="A preset, or a file; default: rainbow-city.", show_default=False)
]
OwnPlayersOpt = Annotated[
    str | None,
    typer.Option("--players", metavar="A,B,...", help="Names as in pieces.toml; a session may hold its own game."),
]
PlayersOpt = Annotated[
    str, typer.Option("--players", metavar="A,B,...", help="Names as in pieces.toml, in order of play.")
]


def _language(wanted: str) -> str:
    """The language asked for, or the system's; the terminal speaks it from now on."""
    from rules.catalog import known
    from th_vision.languages import chosen

    speak(wanted)
    return known(chosen(wanted))


LangOpt = Annotated[
    str,
    typer.Option(
        "--lang",
        metavar="en|es|nl|zh-Hant",
        help="Language of what is said.",
        callback=_language,
        show_default="the system's",
    ),
]
OptionOpt = Annotated[
    list[str] | None,
    typer.Option("--set", "--option", metavar="SWITCH=VALUE", help="A switch of the rules; may be repeated."),
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
    """Entry point of the console script."""
    run_and_exit(app)


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
    lang: LangOpt = "",
) -> None:
    """What works here, what is missing, what to do."""
    from th_vision.doctor import run

    finish(run(calibration, pieces, Path.cwd()))


@app.command()
def board(
    output: Annotated[Path, typer.Option("-o", "--output", metavar="BOARD.PDF", help="Where to write it.")],
    paper: Annotated[str, typer.Option("--paper", metavar="a4|letter", help="Size of the sheet.")] = "a4",
    squares: SquaresOpt = "7x5",
    square: SquareOpt = 38.0,
    marker: MarkerOpt = 28.0,
    dictionary: DictionaryOpt = "DICT_5X5_100",
    thickness: ThicknessOpt = 0.1,
    lang: LangOpt = "",
) -> None:
    """The calibration board to print, true to scale."""
    from th_vision.commands.calibrate import make_board, write_board

    finish(write_board(output, paper, make_board(squares, square, marker, dictionary, thickness), emit, lang))


@calibrate.command("table")
def calibrate_table(
    source: SourceArg,
    output: Annotated[Path, typer.Option("-o", "--output", metavar="TABLE.TOML", help="Where to write it.")],
    squares: SquaresOpt = "7x5",
    square: SquareOpt = 38.0,
    marker: MarkerOpt = 28.0,
    dictionary: DictionaryOpt = "DICT_5X5_100",
    thickness: ThicknessOpt = 0.1,
    lang: LangOpt = "",
) -> None:
    """Pose of the table, empty-table map, quality figures."""
    from datetime import UTC, datetime

    from th_vision.commands.calibrate import calibrate_table as run
    from th_vision.commands.calibrate import make_board

    now = datetime.now(UTC).isoformat(timespec="seconds")
    finish(run(source, output, make_board(squares, square, marker, dictionary, thickness), now, progress))


@calibrate.command("pieces")
def calibrate_pieces(
    source: Annotated[
        str | None, typer.Argument(metavar="SOURCE", help="A recording of the pieces laid out as --show says.")
    ] = None,
    calibration: Annotated[
        Path | None, typer.Option("-c", "--calibration", metavar="TABLE.TOML", help="Written by 'calibrate table'.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="PIECES.TOML", help="Where to write it; - is stdout.")
    ] = None,
    players: Annotated[
        str | None, typer.Option("--players", metavar="A,B,...", help="Whose cars lie in a row, nearest row first.")
    ] = None,
    cars: Annotated[
        str, typer.Option("--cars", metavar="TYPE,...", help="Types of cars in a row, from the stick's end on.")
    ] = "sedan",
    city: Annotated[
        str, typer.Option("--city", metavar="KIND,...", help="City objects in the last row, in their order.")
    ] = "",
    pieces: Annotated[
        Path | None, typer.Option("-p", "--pieces", metavar="OLD.TOML", help="Its values stay where none is measured.")
    ] = None,
    show: Annotated[bool, typer.Option("--show", help="Show how to lay the pieces, and end.")] = False,
    lang: LangOpt = "",
) -> None:
    """Measure the pieces of your set of the game."""
    from datetime import UTC, datetime

    from th_vision.commands.calibrate_pieces import run, show_layout

    if show:
        finish(show_layout(players, cars, city, pieces))
        return
    finish(
        run(
            source,
            calibration,
            output,
            players=players,
            cars=cars,
            city=city,
            pieces=pieces,
            made_at=datetime.now(UTC).isoformat(timespec="seconds"),
            log=progress,
        )
    )


@calibrate.command("check")
def calibrate_check(
    source: SourceArg,
    calibration: CalibrationOpt,
    height: Annotated[
        float, typer.Option("--height", metavar="MM", help="How high the board lies, on spacers of known height.")
    ] = 0.0,
    squares: SquaresOpt = "7x5",
    square: SquareOpt = 38.0,
    marker: MarkerOpt = 28.0,
    dictionary: DictionaryOpt = "DICT_5X5_100",
    thickness: ThicknessOpt = 0.1,
    lang: LangOpt = "",
) -> None:
    """Self-test on known lengths and heights: pass or fail, in mm."""
    from th_vision.commands.calibrate import check_calibration, make_board

    board = make_board(squares, square, marker, dictionary, thickness)
    finish(check_calibration(source, calibration, board, height))


@app.command()
def record(
    source: SourceArg,
    output: Annotated[Path, typer.Option("-o", "--output", metavar="GAME.MCAP", help="A new file.")],
    calibration: Annotated[
        Path | None, typer.Option("-c", "--calibration", metavar="TABLE.TOML", help="Goes along with the recording.")
    ] = None,
    pieces: Annotated[
        Path | None, typer.Option("-p", "--pieces", metavar="PIECES.TOML", help="Goes along with the recording.")
    ] = None,
    all_frames: Annotated[
        bool, typer.Option("--all-frames", help="Of a camera, keep frames that show nothing new too.")
    ] = False,
    exact_color: Annotated[bool, typer.Option("--exact-color", help="Colour bit by bit: five times the size.")] = False,
    seconds: Annotated[float | None, typer.Option("--seconds", min=0, help="Stop after so long.")] = None,
    lang: LangOpt = "",
) -> None:
    """Record a source as it is."""
    from datetime import UTC, datetime

    from th_vision.commands.record import run

    finish(
        run(
            source,
            output,
            calibration=calibration,
            pieces=pieces,
            all_frames=all_frames,
            exact_color=exact_color,
            seconds=seconds,
            now=datetime.now(UTC).isoformat(timespec="seconds"),
            tell=progress,
        )
    )


@app.command()
def info(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A recording, a cloud, a game record or a case.")],
    check: Annotated[bool, typer.Option("--check", help="Read every frame, and hold it against its hash.")] = False,
    lang: LangOpt = "",
) -> None:
    """What a recording holds."""
    from th_vision.commands.info import run

    finish(run(file, check=check, language=lang))


@app.command()
def repair(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A recording that was cut.")],
    output: Annotated[Path, typer.Option("-o", "--output", metavar="OUT", help="Where to write the whole file.")],
    lang: LangOpt = "",
) -> None:
    """Write a whole file from a recording that was cut or damaged."""
    from th_vision.commands.repair import run

    finish(run(file, output))


@app.command()
def export(
    source: SourceArg,
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="DIR|X.ply|X.pcd|X.db3", help="Its name says what is written.")
    ],
    calibration: BroughtCalibrationOpt = None,
    frame: Annotated[
        str,
        typer.Option("--frame", metavar="camera|table", help="Of a cloud: the camera's frame (m) or the table's (mm)."),
    ] = "camera",
    at: Annotated[float | None, typer.Option("--at", metavar="S", help="Of a cloud: the frame at this time.")] = None,
    turn: Annotated[int | None, typer.Option("--turn", min=0, help="Of a cloud: the frame when it was ruled.")] = None,
    lang: LangOpt = "",
) -> None:
    """Write a recording as a folder of images, or one frame of it as a point cloud."""
    from th_vision.commands.export import run

    finish(run(source, output, calibration=calibration, frame=frame, at_s=at, turn=turn, tell=progress))


@app.command()
def report(
    game: Annotated[str, typer.Argument(metavar="GAME", help="A game record (.jsonl) or a recorded game (.mcap).")],
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="GAME.html|CASE.zip", help="The whole game, or one call as a case."),
    ] = None,
    glb: Annotated[Path | None, typer.Option("--glb", metavar="CITY.glb", help="The city at the end in 3D.")] = None,
    turn: Annotated[
        int | None, typer.Option("--turn", min=0, help="Of a case: whose ruling it is about; 0: the set-up.")
    ] = None,
    calibration: BroughtCalibrationOpt = None,
    pieces: PiecesOpt = None,
    rules: RulesOpt = "rainbow-city",
    players: OwnPlayersOpt = None,
    option: OptionOpt = None,
    lang: LangOpt = "",
) -> None:
    """A game as one page to keep; or one call of it to look at again ('th-vision replay CASE.zip' rules on it anew)."""
    if output is not None and output.suffix.lower() == ".zip":
        from th_vision.commands.report import write_case

        finish(
            write_case(
                game,
                output,
                turn=turn,
                calibration=calibration,
                pieces=pieces,
                rules=rules,
                players=players,
                options=option or [],
                tell=progress,
            )
        )
    else:
        from th_vision.commands.report_html import run

        finish(run(game, output=output, glb=glb, pieces=pieces, language=lang))


@app.command()
def batch(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Sessions, records, cases, folders of images.")],
    game: Annotated[
        Path, typer.Option("--game", metavar="OUTDIR", help="Where the new records go, and what was done.")
    ],
    calibration: BroughtCalibrationOpt = None,
    pieces: PiecesOpt = None,
    players: OwnPlayersOpt = None,
    rules: Annotated[
        str | None, typer.Option("--rules", metavar="NAME", help="Other rules than the games' own.")
    ] = None,
    option: OptionOpt = None,
    scheduler: Annotated[
        str | None, typer.Option("--scheduler", metavar="ADDRESS", help="A Dask cluster that sees the same folders.")
    ] = None,
    workers: Annotated[
        int | None, typer.Option("--workers", min=1, help="Processes here; default: one a core.")
    ] = None,
    lang: LangOpt = "",
) -> None:
    """Referee an archive of recordings anew, and say what changes."""
    from th_vision.commands.batch import run

    finish(
        run(
            folder,
            game,
            calibration=calibration,
            pieces=pieces,
            players=players,
            rules=rules,
            options=option or [],
            scheduler=scheduler,
            workers=workers,
            tell=progress,
            language=lang,
        )
    )


@app.command()
def reconstruct(
    source: SourceArg,
    calibration: Annotated[
        Path | None,
        typer.Option(
            "-c",
            "--calibration",
            metavar="TABLE.TOML",
            help="Not needed for a session that brings its own, nor for a cloud with --frame table.",
        ),
    ] = None,
    pieces: PiecesOpt = None,
    json: Annotated[
        Path | None, typer.Option("--json", metavar="LAYOUT.JSON", help="The layout; - (the default) is stdout.")
    ] = None,
    ply: Annotated[Path | None, typer.Option("--ply", metavar="OUT.PLY", help="The cloud, in the table frame.")] = None,
    picture: PictureOpt = None,
    frame: FrameOpt = "camera",
    frames: Annotated[int, typer.Option("--frames", min=1, help="How many of the last frames to fuse at most.")] = 10,
    lang: LangOpt = "",
) -> None:
    """What stands on the table, with uncertainties."""
    from th_vision.commands.reconstruct import run

    finish(
        run(
            source,
            calibration=calibration,
            pieces=pieces,
            json=json,
            ply=ply,
            picture=picture,
            frame=frame,
            frames=frames,
            language=lang,
            log=progress,
        )
    )


@app.command()
def referee(
    source: SourceArg,
    players: Annotated[
        str, typer.Option("--players", metavar="A,B,...", help="Names as in pieces.toml, in order of play.")
    ] = "",
    calibration: BroughtCalibrationOpt = None,
    pieces: PiecesOpt = None,
    rules: BegunRulesOpt = "",
    option: OptionOpt = None,
    record: Annotated[Path | None, typer.Option("--record", metavar="GAME.MCAP", help="Record the frames.")] = None,
    game: Annotated[
        Path | None, typer.Option("--game", metavar="FILE.jsonl", help="The game record; default: game-DATE.jsonl.")
    ] = None,
    resume: Annotated[
        Path | None, typer.Option("--resume", metavar="FILE.jsonl", help="Go on with the game of this record.")
    ] = None,
    picture: PictureOpt = None,
    json: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Events for programs; - is stdout.")
    ] = None,
    serve: Annotated[
        str | None, typer.Option("--serve", metavar="HOST:PORT", help="Show the game on a page, such as :8087.")
    ] = None,
    say: Annotated[bool, typer.Option("--say", help="Speak the rulings.")] = False,
    say_places: Annotated[
        bool, typer.Option("--say-places", help="Speak, and say where new pieces stand, for who can't see them.")
    ] = False,
    clips: Annotated[
        Path | None, typer.Option("--clips", metavar="DIR", help="Speak with recorded clips; see docs/page.md.")
    ] = None,
    turn_pause: Annotated[
        float | None, typer.Option("--turn-pause", metavar="S", help="A turn is over when nothing stirs so long.")
    ] = None,
    speed: Annotated[float, typer.Option("--speed", metavar="X", help="Of a recording: 1 its own, 0 the most.")] = 1.0,
    lang: LangOpt = "",
    quiet: Annotated[bool, typer.Option("--quiet", help="Only faults, doubts and penalties.")] = False,
    no_color: Annotated[bool, typer.Option("--no-color", help="No colours.")] = False,
) -> None:
    """Follow a live game and rule on it."""
    from datetime import datetime

    from th_vision.commands.referee import Asked, run

    stream = sys.stderr if "-" in (str(game), str(json)) else sys.stdout
    finish(
        run(
            Asked(
                source,
                calibration,
                pieces,
                rules,
                players,
                option or [],
                record=record,
                game=game,
                picture=picture,
                json=json,
                resume=resume,
                say=say,
                say_places=say_places,
                clips=clips,
                serve=serve,
                lang=lang,
                quiet=quiet,
                color=stream.isatty() and not no_color and "NO_COLOR" not in os.environ,
                terminal=stream.isatty(),
                turn_pause_s=turn_pause,
                speed=speed,
                now=datetime.now().strftime("%Y%m%d-%H%M%S"),
            )
        )
    )


@app.command()
def replay(
    source: SourceArg,
    players: OwnPlayersOpt = None,
    calibration: BroughtCalibrationOpt = None,
    pieces: PiecesOpt = None,
    rules: RulesOpt = "rainbow-city",
    option: OptionOpt = None,
    game: RecordOutOpt = None,
    picture: PictureOpt = None,
    lang: LangOpt = "",
    quiet: Annotated[bool, typer.Option("--quiet", help="Only faults, doubts and penalties.")] = False,
    rerun: Annotated[
        Path | None, typer.Option("--rerun", metavar="FILE.rrd", help="Every stage, for the rerun viewer.")
    ] = None,
    no_color: Annotated[bool, typer.Option("--no-color", help="No colours.")] = False,
) -> None:
    """Follow a recorded game and rule on it."""
    import shutil

    from th_vision.commands.replay import run

    to_stdout = str(game) == "-"
    stream = sys.stderr if to_stdout else sys.stdout
    finish(
        run(
            source,
            calibration=calibration,
            pieces=pieces,
            rules=rules,
            players=players,
            options=option or [],
            game=game,
            picture=picture,
            lang=lang,
            quiet=quiet,
            say=progress if to_stdout else say,
            width=shutil.get_terminal_size((100, 24)).columns,
            color=stream.isatty() and not no_color and "NO_COLOR" not in os.environ,
            rerun=rerun,
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
    lang: LangOpt = "",
) -> None:
    """No camera: facts in, rulings out."""
    from rules.adjudicate import run

    finish(run(game, output=output, rules=rules, options=option or [], diff=diff, with_facts=with_facts, language=lang))


@app.command()
def explain(
    game: Annotated[str, typer.Argument(metavar="GAME.JSONL", help="A game record; - is standard input.")],
    turn: Annotated[int, typer.Option("--turn", min=0, help="Which turn.")],
    rules: Annotated[str | None, typer.Option("--rules", metavar="NAME", help="Other rules than the record's.")] = None,
    option: OptionOpt = None,
    pieces: PiecesOpt = None,
    picture: PictureOpt = None,
    lang: LangOpt = "",
) -> None:
    """Why a turn was ruled as it was."""
    from th_vision.commands.explain import run

    finish(run(game, turn=turn, rules=rules, options=option or [], language=lang, pieces=pieces, picture=picture))


@app.command()
def serve(
    game: Annotated[Path, typer.Argument(metavar="GAME.JSONL|GAME.MCAP", help="A game, finished or being written.")],
    pieces: PiecesOpt = None,
    host: Annotated[
        str, typer.Option("--host", metavar="ADDRESS", help="0.0.0.0: for other machines too; see docs/page.md.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="0: any free one.")] = 8087,
    lang: LangOpt = "",
) -> None:
    """Show the board of a game on a page, for a browser."""
    from th_vision.commands.serve import run

    finish(run(game, pieces=pieces, host=host, port=port, language=lang, tell=say))


@app.command("rules")
def rules_command(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="One preset; without: all of them.")] = None,
    lang: LangOpt = "",
) -> None:
    """Presets, switches, their values and meaning."""
    from rules.show import run

    finish(run(name))


def _list(wanted: bool) -> None:
    if wanted:
        from th_vision.commands.simulate import list_scenarios

        finish(list_scenarios())
        raise typer.Exit


@app.command()
def simulate(
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="DIR|X.mcap|X.db3", help="What is new, with its truth.")
    ],
    seed: Annotated[int, typer.Option("--seed", min=0, help="Same seed, same game.")] = 1,
    players: Annotated[int | None, typer.Option("--players", min=2, max=4, help="How many play.")] = None,
    turns: Annotated[int | None, typer.Option("--turns", min=1, max=400, help="How many turns at most.")] = None,
    scenario: Annotated[str, typer.Option("--scenario", metavar="NAME", help="See --list.")] = "game",
    rules: Annotated[str | None, typer.Option("--rules", metavar="NAME", help="Else the scenario's own.")] = None,
    camera: Annotated[str, typer.Option("--camera", metavar="D415|D435|...", help="Which hangs above.")] = "D415",
    distance: Annotated[float, typer.Option("--distance", metavar="MM", help="How high it hangs.")] = 580.0,
    surface: Annotated[str, typer.Option("--surface", metavar="wood|white|...", help="What the table is of.")] = "wood",
    frames: Annotated[int, typer.Option("--frames", min=1, max=100, help="Still frames of each moment.")] = 8,
    model: Annotated[str, typer.Option("--model", metavar="fast|stereo", help="How depth is made.")] = "fast",
    pieces: PiecesOpt = None,
    list_them: Annotated[bool, typer.Option("--list", callback=_list, is_eager=True, help="Name scenarios.")] = False,
    lang: LangOpt = "",
) -> None:
    """A virtual game with its truth."""
    from th_vision.commands.simulate import run

    finish(
        run(
            output,
            seed=seed,
            players=players,
            turns=turns,
            camera=camera,
            distance_mm=distance,
            surface=surface,
            frames=frames,
            model=model,
            scenario=scenario,
            rules=rules,
            pieces=pieces,
            log=progress,
        )
    )


if __name__ == "__main__":
    main()
