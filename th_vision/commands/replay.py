"""``th-vision replay``: a recorded game, refereed as fast as it can."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from rules.adjudicate import parse_options
from rules.catalog import catalog
from rules.events import GameFact
from rules.outcome import Outcome
from rules.pieces import Pieces, load_pieces
from th_vision.announce import set_in_lines
from th_vision.errors import VisionError
from th_vision.frame import Source
from th_vision.output import check_ending, check_outputs, refuse_stdout
from th_vision.replay import Outputs, game_of, replay
from th_vision.said import in_language
from th_vision.sessions.brought import open_with_table, pieces_for


def run(
    spec: str,
    *,
    calibration: Path | None,
    pieces: Path | None,
    rules: str,
    players: str | None,
    options: Sequence[str],
    game: Path | None,
    picture: Path | None,
    lang: str,
    quiet: bool,
    say: Callable[[str], None],
    width: int,
    color: bool,
    rerun: Path | None = None,
) -> Outcome:
    """Referee the source; ``say`` gets each line as it falls, set for ``width`` columns. Status 1: no game was seen.

    ``players`` are names with commas between them, None: those of the session's own game; ``options`` are switches of
    the rules, each ``SWITCH=VALUE``. A case is ruled on again, with what is in it. ``rerun``: every stage into a file
    for the rerun viewer.

    Raises:
        VisionError, CalibrationError, RulesError: an input can't be used, or an output can't be written.
    """
    refuse_stdout(picture, "a picture")
    refuse_stdout(rerun, "a recording")
    check_outputs((game, picture, rerun), (spec, calibration, pieces))
    check_ending(picture, ".png", "a picture")
    catalog(lang)  # an unknown language is refused now, not at the first sentence
    outputs = Outputs(
        say=lambda line: say(set_in_lines(in_language(line, lang), width=width, color=color)),
        record=game,
        picture=picture,
        language=lang,
        quiet=quiet,
    )
    if spec.lower().endswith(".zip"):
        return _case(Path(spec), outputs)
    if players is None and not spec.lower().endswith(".mcap"):
        raise VisionError("--players: name who plays, in order of play, like --players blue,pink")
    if pieces is not None:
        load_pieces(pieces)  # a bad file is said first
    source, table = open_with_table(spec, calibration)
    set_of_pieces = pieces_for(source, pieces)
    if players is None:
        fact = _game_in(source)
    else:
        names = tuple(name.strip() for name in players.split(",") if name.strip())
        fact = game_of(rules, names, parse_options(options), set_of_pieces)
    with _stages(rerun, set_of_pieces, outputs) as outputs:
        status = replay(source, table, set_of_pieces, fact, outputs)
    return Outcome("", tuple(getattr(source, "troubles", ())), status)


@contextmanager
def _stages(path: Path | None, pieces: Pieces, outputs: Outputs) -> Iterator[Outputs]:
    """The outputs, with every stage for the rerun viewer where that is asked for."""
    if path is None:
        yield outputs
        return
    from th_vision.rerun_log import RerunLog

    log = RerunLog(path, pieces)
    try:
        yield replace(outputs, view=log.view, layout=log.layout, watch=log.output)
    finally:
        log.close()


def _game_in(source: Source) -> GameFact:
    """The game that a session was recorded with."""
    from th_vision.sessions.timeline import recorded
    from th_vision.sources.session import SessionSource

    timeline = recorded(source.session) if isinstance(source, SessionSource) else None
    if timeline is None:
        raise VisionError(f"{source.name}: holds no game; name who plays, like --players blue,pink")
    return timeline.game


def _case(path: Path, outputs: Outputs) -> Outcome:
    """Rule on a case again. Status 1: the ruling is another one now."""
    from th_vision.sessions.again import rule_again
    from th_vision.sessions.case import open_case

    if outputs.record is not None:
        raise VisionError(f"{outputs.record}: a case is one turn, there is no game to write; leave --game out")
    with open_case(path) as case:
        again = rule_again(case, outputs)
        turn, before = case.about.turn, case.about.software
    if not again.differs:
        return Outcome(f"Turn {turn}: ruled as it was by {before}.\n")
    lines = "".join(f"  {line}\n" for line in again.differs)
    return Outcome(f"Turn {turn}: ruled otherwise than by {before} (- then, + now):\n{lines}", (), 1)
