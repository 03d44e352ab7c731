"""Writing a ``.db3`` as the RealSense SDK does, through its own recorder: its viewer and its tools read it.

The SDK keeps some figures with six decimals only (depth unit, place of colour) and stamps frames with the time of
writing beside their own: a session (``.mcap``) is the better record, this is for other programs.
"""

from __future__ import annotations

import gc
import sqlite3
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from calibration.camera import Camera
from th_vision.errors import VisionError
from th_vision.frame import Frame
from th_vision.live.backend import CaptureError
from th_vision.live.sdk import import_sdk
from th_vision.live.software import SoftwareCamera, setup_of
from th_vision.sources.db3_reader import Db3, OtherLayoutError, count_pictures

# The SDK writes behind our back and gives up after 10 s at the end: this many frames may be under way, no more.
_UNDER_WAY = 8
# A disk that takes no frame for so long is full or gone.
_STUCK_S = 20.0
_PAUSE_S = 0.005


class _StuckError(Exception):
    """The file does not grow any more."""


def write_db3(path: Path, camera: Camera, frames: Iterable[Frame], *, fps: int = 30, compress: bool = True) -> int:
    """Write all frames; gives how many. ``compress`` stores pictures as PNG, else as they are (large, no checksums).

    Raises:
        VisionError: pyrealsense2 is not there, the place can't be written, or not all frames arrived in the file.
    """
    try:
        rs = import_sdk()
    except CaptureError as error:
        raise VisionError(f"{path}: can't be written; {error}") from None
    if path.suffix.lower() != ".db3":
        raise VisionError(f"{path}: a recording of the SDK must be named .db3")
    aside = path.with_name(f".{path.stem}-{time.monotonic_ns()}.db3")
    try:
        written = _write(rs, aside, camera, frames, fps, compress)
        file = Db3(aside)
        in_file = len(file.depth)
        file.close()
        if in_file != written:
            raise VisionError(f"{path}: only {in_file} of {written} frames were written; is the disk full?")
        aside.replace(path)
    except _StuckError as error:
        raise VisionError(f"{path}: {error}") from None
    except OtherLayoutError:
        raise VisionError(f"{path}: there is no frame to write") from None
    except (RuntimeError, OSError, sqlite3.Error) as error:
        raise VisionError(f"{path}: can't be written ({' '.join(str(error).split())}); give another place") from error
    finally:
        aside.unlink(missing_ok=True)
    return written


def _write(rs: Any, path: Path, camera: Camera, frames: Iterable[Frame], fps: int, compress: bool) -> int:
    software = SoftwareCamera(rs, setup_of(camera, fps))
    recorder = rs.recorder(str(path), software.device, compress)
    sensors = [sensor for sensor in recorder.query_sensors() if sensor.get_stream_profiles()]
    sink = rs.frame_queue(1)
    for sensor in sensors:
        sensor.open(sensor.get_stream_profiles())
        sensor.start(sink)
    written = pictures = 0
    try:
        for frame in frames:
            software.push(frame.depth, frame.color, frame.number, frame.time_s * 1000)
            written += 1
            pictures += 1 + (frame.color is not None and camera.color is not None)
            if written % _UNDER_WAY == 0:
                _wait_for(path, pictures - 2 * _UNDER_WAY)
        _wait_for(path, pictures)
    finally:
        for sensor in sensors:
            sensor.stop()
            sensor.close()
        del recorder, sensors, sensor, software, sink
        gc.collect()  # the recorder writes its last when nothing refers to it any more
    return written


def _wait_for(path: Path, pictures: int) -> None:
    """Until the file holds so many pictures, depth and colour."""
    until, last = time.monotonic() + _STUCK_S, -1
    while True:
        stored = _stored(path)
        if stored >= pictures:
            return
        if stored > last:
            until, last = time.monotonic() + _STUCK_S, stored
        if time.monotonic() > until:
            raise _StuckError(f"only {stored} of {pictures} pictures were written; is the disk full?")
        time.sleep(_PAUSE_S)


def _stored(path: Path) -> int:
    """Pictures in a file that is being written: read without locks, so that the writer is never held up."""
    try:
        return count_pictures(path)
    except sqlite3.DatabaseError:  # caught in the middle of a page
        return -1
