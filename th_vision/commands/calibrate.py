"""``th-vision board`` and ``th-vision calibrate table``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rules.outcome import Outcome
from th_vision.errors import VisionError
from th_vision.frame import Source
from th_vision.sources import is_cloud, open_source

Depth = NDArray[np.uint16]
Color = NDArray[np.uint8]


def calibrate_table(spec: str, output: Path, made_at: str, tell: Callable[[str], None]) -> Outcome:
    """Calibrate the table from one recording and write it. Status 1: written, but not good enough.

    Raises:
        VisionError, CalibrationError: the source or the calibration can't be.
    """
    from calibration.calibrate import run_calibrate_table

    if is_cloud(spec):
        raise VisionError(f"{spec}: a point cloud does not show the board; calibrate from a recording with colour")
    source = open_source(spec)
    status, lines = run_calibrate_table(source.camera, _pictures(source), output, made_at=made_at, tell=tell)
    return Outcome("".join(f"{line}\n" for line in lines), (), status)


def _pictures(source: Source) -> Iterator[tuple[Depth, Color | None]]:
    for frame in source:
        yield frame.depth, frame.color
