"""``th-vision export``: a recording as a folder of images, or a frame of it as a point cloud."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from pathlib import Path

from rules.outcome import Outcome
from th_vision.errors import VisionError
from th_vision.output import check_outputs, refuse_stdout
from th_vision.sources import CLOUD_SUFFIXES, open_source

FRAMES = ("camera", "table")


def run(
    spec: str,
    output: Path,
    *,
    calibration: Path | None,
    frame: str,
    at_s: float | None,
    turn: int | None,
    tell: Callable[[str], None],
) -> Outcome:
    """Write ``spec`` in the form that the name of ``output`` says: ``.ply``, ``.pcd``, ``.db3``, else a folder.

    Raises:
        VisionError, CalibrationError: the source can't be read, or the place can't be written.
    """
    from th_vision.sessions.brought import open_with_table
    from th_vision.sessions.export import export_cloud, export_folder

    refuse_stdout(output, "a recording")
    if at_s is not None and not isfinite(at_s):
        raise VisionError(f"--at {at_s}: is no time; give seconds of the recording")
    suffix = output.suffix.lower()
    if frame not in FRAMES:
        raise VisionError(f"--frame {frame}: is not known; give camera (metres) or table (mm)")
    if suffix in (".mcap", ".bag"):
        hint = "th-vision record writes sessions" if suffix == ".mcap" else "the SDK itself no longer writes it"
        raise VisionError(f"{output}: can't be exported to; {hint}")
    if suffix in CLOUD_SUFFIXES:
        check_outputs((output,), (spec, calibration))
        if frame == "table":
            source, table = open_with_table(spec, calibration)
            done = export_cloud(source, output, table=table, at_s=_moment(source, at_s, turn))
        else:
            source = open_source(spec)
            done = export_cloud(source, output, table=None, at_s=_moment(source, at_s, turn))
    elif frame != "camera" or at_s is not None or turn is not None:
        raise VisionError(f"{output}: --frame, --at and --turn are for one frame as .ply or .pcd; leave them out")
    elif suffix == ".db3":
        from th_vision.sessions.export_db3 import export_db3

        check_outputs((output,), (spec,))
        source = open_source(spec)
        done = export_db3(source, output)
    else:
        source = open_source(spec)
        done = export_folder(source, output, tell)
    notes = (*done.notes, *getattr(source, "troubles", ()))
    return Outcome(f"{done}\n", notes)


def _moment(source: object, at_s: float | None, turn: int | None) -> float | None:
    """When the wanted frame is, s: at a time, or when a turn was ruled."""
    from th_vision.sessions.turns import time_of_turn
    from th_vision.sources.session import SessionSource

    if turn is None:
        return at_s
    if at_s is not None:
        raise VisionError("--at and --turn: give one of them")
    if not isinstance(source, SessionSource):
        raise VisionError("--turn: only a session knows its turns; give --at SECONDS")
    return time_of_turn(source.session, turn)
