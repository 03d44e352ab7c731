"""``th-vision report GAME.jsonl -o GAME.html``: a game as one file to keep, and its city as ``.glb``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from rules.adjudicate import adjudicate, notes_of
from rules.events import AlertLine, Fact, GameFact
from rules.outcome import Outcome
from rules.pieces import Pieces, load_pieces
from rules.record import Record, read_record
from th_vision.output import check_outputs, refuse_stdout, write_aside
from th_vision.page.timeline import Timeline
from th_vision.report_html.build import report_of
from th_vision.report_html.city_model import glb_of, solids_of


def run(
    path: str,
    *,
    output: Path | None,
    glb: Path | None = None,
    pieces: Path | None = None,
    language: str = "en",
    crops: Mapping[str, bytes] | None = None,
) -> Outcome:
    """Write the report, the city, or both. ``crops``: the camera's picture of a ruling by road, where there are any.

    Raises:
        RulesError, VisionError: the record or the pieces can't be read, or an output can't be written.
    """
    refuse_stdout(output, "a report")
    refuse_stdout(glb, "a model")
    check_outputs((output, glb), (path, pieces))
    record = read_record(path)
    notes = notes_of(record, adjudicate(record))
    timeline = timeline_of(record, Pieces() if pieces is None else load_pieces(pieces))
    if output is not None:
        write_aside(output, report_of(timeline, language, crops))
    if glb is not None:
        write_aside(glb, glb_of(solids_of(timeline.game, timeline.pieces)))
    return Outcome("", notes)


def timeline_of(record: Record, pieces: Pieces) -> Timeline:
    """All steps of a record."""
    timeline = Timeline(record.game, pieces)
    for line in record.lines:
        if isinstance(line, Fact | AlertLine) and not isinstance(line, GameFact):
            timeline.take(line)
    return timeline
