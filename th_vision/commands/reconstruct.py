"""``th-vision reconstruct``: what stands on the table at the end of a recording, as JSON, cloud and picture."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from pathlib import Path

from calibration.table import TableCalibration
from rules.layout import Layout
from rules.outcome import Outcome
from rules.pieces import Pieces, load_pieces
from th_vision.errors import VisionError
from th_vision.frame import Source
from th_vision.output import STDOUT, check_outputs, refuse_stdout, write_aside
from th_vision.sources import open_source


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
    log: Callable[[str], None] = lambda _: None,
) -> Outcome:
    """Fuse the last ``frames`` frames of the source and find the pieces in them.

    ``calibration`` may be None for a cloud in the table frame: it brings its own. Without ``json``, ``ply`` and
    ``picture`` the layout is the outcome's text; with ``json`` ``-`` too.

    Raises:
        VisionError, CalibrationError, RulesError: an input can't be used, or an output can't be written.
    """
    from th_vision.reconstruct import reconstruct
    from th_vision.still_view import fuse

    refuse_stdout(ply, "a cloud")
    refuse_stdout(picture, "a picture")
    check_outputs((json, ply, picture), (spec, calibration, pieces))
    set_of_pieces = Pieces() if pieces is None else load_pieces(pieces)
    source, table = open_with_table(spec, calibration, frame)
    kept = deque(source, maxlen=frames)
    view = fuse(kept, table)
    layout = reconstruct(view, set_of_pieces)
    log(f"{source.name}: {summary(layout)} (from {len(kept)} frame{'' if len(kept) == 1 else 's'})")
    if ply is not None:
        from th_vision.cloud import ply_bytes, table_cloud

        write_aside(ply, ply_bytes(*table_cloud(view)))
    if picture is not None:
        from th_vision.picture import draw_table, save_picture

        save_picture(picture, draw_table(layout, set_of_pieces, {}))
    if json is not None and json != STDOUT:
        write_aside(json, layout.to_json() + "\n")
        return Outcome("")
    return Outcome("" if json is None and (ply or picture) else layout.to_json() + "\n")


def open_with_table(spec: str, calibration: Path | None, frame: str) -> tuple[Source, TableCalibration]:
    """A source and the calibration to read it with; a cloud in the table frame needs no file for that.

    Raises:
        VisionError, CalibrationError: either can't be used, or no calibration was given where one is needed.
    """
    if calibration is not None:
        from calibration.table_file import load_table

        table = load_table(calibration)
        return open_source(spec, frame=frame, table=table), table
    source = open_source(spec, frame=frame)
    own = getattr(source, "table", None)
    brought: TableCalibration | None = own() if own is not None else None
    if brought is None:
        raise VisionError(
            f"{spec}: no calibration; give one with --calibration table.toml (made by th-vision calibrate table)"
        )
    return source, brought


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
