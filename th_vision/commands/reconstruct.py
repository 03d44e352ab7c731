"""``th-vision reconstruct``: what stands on the table at the end of a recording, as JSON, cloud and picture."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from pathlib import Path

from rules.layout import Layout
from rules.outcome import Outcome
from rules.pieces import load_pieces
from th_vision.output import STDOUT, check_ending, check_outputs, refuse_stdout, write_aside
from th_vision.sessions.brought import open_with_table, pieces_for


def run(
    spec: str,
    *,
    calibration: Path | None,
    pieces: Path | None,
    json: Path | None = None,
    ply: Path | None = None,
    picture: Path | None = None,
    frame: str = "camera",
    frames: int = 10,
    language: str = "en",
    log: Callable[[str], None] = lambda _: None,
) -> Outcome:
    """Fuse the last frames of the source that show one thing, ``frames`` at most, and find the pieces in them.

    ``calibration`` may be None where the source brings its own: a session, or a cloud in the table frame. Without
    ``json``, ``ply`` and ``picture`` the layout is the outcome's text; with ``json`` ``-`` too.

    Raises:
        VisionError, CalibrationError, RulesError: an input can't be used, or an output can't be written.
    """
    from th_vision.live.takes import some_of
    from th_vision.reconstruct import reconstruct
    from th_vision.still_view import fuse
    from th_vision.view_doubts import doubts_of_view, last_moment

    refuse_stdout(ply, "a cloud")
    refuse_stdout(picture, "a picture")
    check_outputs((json, ply, picture), (spec, calibration, pieces))
    check_ending(picture, ".png", "a picture")
    if pieces is not None:
        load_pieces(pieces)  # a bad file is said before a long recording is read
    source, table = open_with_table(spec, calibration, frame)
    set_of_pieces = pieces_for(source, pieces)
    kept = last_moment(list(deque(some_of(source, frames), maxlen=frames)), table)
    view = fuse(kept, table)
    doubts = doubts_of_view(view)
    layout = reconstruct(view, set_of_pieces)
    notes = (*getattr(source, "troubles", ()), *(f"doubt: {doubt}" for doubt in doubts))
    log(f"{source.name}: {summary(layout)} (from {len(kept)} frame{'' if len(kept) == 1 else 's'})")
    if ply is not None:
        from th_vision.cloud import ply_bytes, table_cloud

        write_aside(ply, ply_bytes(*table_cloud(view)))
    if picture is not None:
        from th_vision.one_look import legend_seen, owners_seen
        from th_vision.picture import draw_table, save_picture

        legend = legend_seen(layout, set_of_pieces, summary(layout), doubts, language)
        save_picture(picture, draw_table(layout, set_of_pieces, owners_seen(layout), legend))
    if json is not None and json != STDOUT:
        write_aside(json, layout.to_json() + "\n")
        return Outcome("", notes)
    return Outcome("" if json is None and (ply or picture) else layout.to_json() + "\n", notes, is_data=True)


def summary(layout: Layout) -> str:
    """How many of each, in words."""
    counts = [
        (len(layout.columns), "column"),
        (len(layout.roads), "road"),
        (len(layout.cars), "car"),
        (len(layout.city), "city object"),
        (len(layout.unknown), "unknown thing"),
    ]
    return ", ".join(f"{n} {what}{'' if n == 1 else 's'}" for n, what in counts if n) or "an empty table"
