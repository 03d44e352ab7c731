"""A still view: raw frames of a scene that stands still, fused in the native depth grid against the empty table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.table import TableCalibration


@dataclass(frozen=True)
class StillView:
    """What the camera saw of one still moment.

    ``disparity_px``: (h, w) float32 fused disparity, native pixels; NaN where nothing was seen.
    ``rise_px``: (h, w) float32 disparity minus the empty-table map, with this view's offset and tilt (re-fitted on
    free table) taken out: 0 on the bare table, positive for whatever stands on it.
    ``sigma_px``: (h, w) float32, one standard deviation of ``rise_px`` per pixel (neighbours are correlated: see
    ``independent_px`` pixels to one independent sample).
    ``color_bgr``: (hc, wc, 3) uint8 mean colour, or None.
    """

    disparity_px: NDArray[np.float32]
    rise_px: NDArray[np.float32]
    sigma_px: NDArray[np.float32]
    color_bgr: NDArray[np.uint8] | None
    frames: int
    time_s: float
    independent_px: float
    table: TableCalibration
