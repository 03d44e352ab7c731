"""A recording as the RealSense SDK's own ``.db3``, for its viewer and its tools."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np

from th_vision.errors import VisionError
from th_vision.frame import Source
from th_vision.sessions.export import Exported

_LOOKED_AT = 50
_USUAL_FPS = (6, 15, 30, 60, 90)


def export_db3(source: Source, path: Path) -> Exported:
    """Write all frames through the SDK's recorder.

    Raises:
        VisionError: the SDK is not there, the file is, or the place can't be written.
    """
    from th_vision.live.db3_writer import write_db3

    if path.exists():
        raise VisionError(f"{path}: is there already; give another name, or remove it")
    times = [frame.time_s for frame in itertools.islice(source, _LOOKED_AT)]
    if not times:
        raise VisionError(f"{source.name}: has no frame that could be exported")
    steps = np.diff(times)
    measured = float(1 / np.median(steps[steps > 0])) if (steps > 0).any() else 30.0
    fps = min(_USUAL_FPS, key=lambda usual: abs(usual - measured))  # a stream has one of the camera's own rates
    written = write_db3(path, source.camera, source, fps=fps)
    note = f"{path}: a .db3 keeps the depth unit and the place of colour with six decimals only; the session is exact"
    return Exported(path, written, (note,))
