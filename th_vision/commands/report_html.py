"""``th-vision report GAME.jsonl -o GAME.html``: a game as one file to keep, and its city as ``.glb``."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from rules.adjudicate import MAX_FACTS, adjudicate, notes_of
from rules.events import AlertLine, Fact, GameFact
from rules.outcome import Outcome
from rules.pieces import Pieces, load_pieces
from rules.record import Record
from th_vision.errors import VisionError
from th_vision.game_file import read_game
from th_vision.output import check_ending, check_outputs, refuse_stdout, write_aside
from th_vision.page.timeline import Timeline
from th_vision.report_html.build import report_of
from th_vision.report_html.city_model import glb_of, solids_of

SUFFIXES: Final = (".html", ".htm")


def run(
    path: str,
    *,
    output: Path | None,
    glb: Path | None = None,
    pieces: Path | None = None,
    language: str = "en",
) -> Outcome:
    """Write the report, the city, or both; ``path`` is a record, or a session with the camera's pictures.

    Raises:
        RulesError, VisionError: the record or the pieces can't be read, or an output can't be written.
    """
    if output is None and glb is None:
        raise VisionError("report: where to? say -o GAME.html for the game, -o CASE.zip for one turn, --glb CITY.glb")
    if output is not None and output.suffix.lower() not in SUFFIXES:
        raise VisionError(f"{output}: a report is a page or a case; name it like game.html or case.zip")
    refuse_stdout(output, "a report")
    refuse_stdout(glb, "a model")
    check_outputs((output, glb), (path, pieces))
    check_ending(glb, ".glb", "a model")
    own_pieces = None if pieces is None else load_pieces(pieces)
    game = read_game(path, crops=output is not None)
    notes = notes_of(game.record, adjudicate(game.record))
    timeline = timeline_of(game.record, own_pieces or game.pieces or Pieces())
    if output is not None:
        write_aside(output, report_of(timeline, language, game.crops))
    if glb is not None:
        write_aside(glb, glb_of(solids_of(timeline.game, timeline.pieces)))
    return Outcome("", notes)


def timeline_of(record: Record, pieces: Pieces) -> Timeline:
    """All steps of a record."""
    timeline = Timeline(record.game, pieces)
    told = [line for line in record.lines if isinstance(line, Fact | AlertLine) and not isinstance(line, GameFact)]
    for line in told[:MAX_FACTS]:
        timeline.take(line)
    return timeline
