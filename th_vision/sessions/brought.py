"""What a recording brought along for reading it: its calibration and its pieces, where no options give others."""

from __future__ import annotations

from pathlib import Path

from calibration.table import TableCalibration
from rules.pieces import Pieces, load_pieces
from th_vision.errors import VisionError
from th_vision.frame import Source
from th_vision.sources import open_source
from th_vision.sources.other_mcap import OtherMcap
from th_vision.sources.session import SessionSource


def open_with_table(spec: str, calibration: Path | None, frame: str = "camera") -> tuple[Source, TableCalibration]:
    """A source and the calibration to read it with: the file that is given, else the one that the source brought.

    Sessions may have one attached; a cloud in the table frame needs none.

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
    if isinstance(source, SessionSource | OtherMcap):
        from calibration.table_file import check_camera

        check_camera(brought, source.camera)
    return source, brought


def pieces_for(source: Source, pieces: Path | None) -> Pieces:
    """The pieces of the file that is given, else those that the session brought, else the usual ones.

    Raises:
        RulesError, VisionError: they can't be read.
    """
    if pieces is not None:
        return load_pieces(pieces)
    own = source.pieces() if isinstance(source, SessionSource | OtherMcap) else None
    return own or Pieces()
