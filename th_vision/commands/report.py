"""``th-vision report``: a call to look at again, as one small file (``case.zip``)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from calibration.table import TableCalibration
from rules.outcome import Outcome
from rules.pieces import Pieces
from th_vision.errors import VisionError
from th_vision.output import check_outputs, refuse_stdout
from th_vision.sessions.case import make_case
from th_vision.sessions.timeline import Timeline, recorded, watched
from th_vision.sources.session import SessionSource


def write_case(
    spec: str,
    output: Path,
    *,
    turn: int | None,
    calibration: Path | None,
    pieces: Path | None,
    rules: str,
    players: str | None,
    options: Sequence[str],
    tell: Callable[[str], None],
) -> Outcome:
    """Write the frames around ``turn`` with all that its ruling came from.

    The game is the one in the session; one that was recorded without a referee is refereed now, for which ``players``
    (names with commas between them) must be given.

    Raises:
        VisionError, CalibrationError, RulesError: an input can't be used, or the place can't be written.
    """
    from th_vision.sessions.brought import open_with_table, pieces_for

    refuse_stdout(output, "a case")
    if turn is None:
        raise VisionError(f"{output}: a case is about one turn; say which with --turn")
    check_outputs((output,), (spec, calibration, pieces))
    if output.exists():
        raise VisionError(f"{output}: is there already; give another name, or remove it")
    source, table = open_with_table(spec, calibration)
    if not isinstance(source, SessionSource):
        raise VisionError(f"{spec}: is no session; make one of it with th-vision record {spec} -o game.mcap")
    set_of_pieces = pieces_for(source, pieces)
    timeline = recorded(source.session)
    if timeline is None:
        timeline = _watched(source, table, set_of_pieces, rules, players, options, tell)
    text = pieces.read_bytes() if pieces is not None else source.session.attachments.get("pieces.toml")
    said = make_case(source.session, timeline, turn, output, table=table, pieces_toml=text)
    return Outcome(f"{said}\n", source.troubles)


def _watched(
    source: SessionSource,
    table: TableCalibration,
    pieces: Pieces,
    rules: str,
    players: str | None,
    options: Sequence[str],
    tell: Callable[[str], None],
) -> Timeline:
    from rules.adjudicate import parse_options
    from th_vision.replay import game_of

    if players is None:
        raise VisionError(f"{source.name}: was recorded without a referee; name the players with --players blue,pink")
    names = tuple(name.strip() for name in players.split(",") if name.strip())
    game = game_of(rules, names, parse_options(options), pieces)
    return watched(source, table, pieces, game, tell)
