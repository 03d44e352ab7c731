"""How soft the edges of a view are: a stereo camera's window blurs and fattens, a cloud from elsewhere may be sharp.

Window matching leaves its mark on the noise, too: pixels move together as far as the window reaches. So the noise of
free table tells how wide the window is, whatever camera a cloud came from, and that there was none where each pixel
moves by itself or less than any matcher can leave.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from th_vision import tolerances
from th_vision.still_view import StillView


def softness_of(view: StillView) -> float:
    """Width of the matching window in parts of what the calibration's camera should have: 1 for a stereo camera's own
    view, 0 where edges are sharp; 1, too, where it can't be told from that."""
    spread = view.free_table_sd_px
    if spread < tolerances.SHARP_SD_PX:
        return 0.0
    usual = tolerances.KERNEL_SIGMA_U_PX * view.table.camera.kernel_scale
    near, far = max(1, round(1.5 * usual)), max(2, round(3 * usual))
    bends = [_bend(view.rise_px[::2], spread, lag) for lag in (near, far)]
    if min(bends) <= 0:
        return 1.0
    widths = np.arange(0.0, 2.01, 0.05) * usual
    expected = np.array([_gaussian_bend(near, w) / _gaussian_bend(far, w) for w in widths])
    softness = float(widths[int(np.argmin(np.abs(np.log(expected * bends[1] / bends[0]))))] / usual)
    if softness < tolerances.SHARP_BELOW:
        return 0.0
    low, high = tolerances.SOFTNESS_USUAL
    return 1.0 if low < softness < high else softness


def _bend(rise: NDArray[np.float32], spread: float, lag: int) -> float:
    """Mean square of second differences over a lag on free table (long waves fall out); 0 where too little is seen."""
    left, middle, right = rise[:, : -2 * lag], rise[:, lag:-lag], rise[:, 2 * lag :]
    free = np.ones(middle.shape, dtype=np.bool_)
    for part in (left, middle, right):
        free &= np.abs(part) < 3 * spread  # False where nothing was seen
    if free.sum() < tolerances.SHARP_LEAST_PIXELS:
        return 0.0
    return float(np.mean(np.square((left - 2 * middle + right)[free].astype(np.float64))))


def _gaussian_bend(lag: int, width: float) -> float:
    """The same, up to a factor, for white noise seen through a Gaussian window."""

    def alike(distance: int) -> float:
        return float(np.exp(-((distance / (2 * width)) ** 2))) if width > 0 else 0.0

    return 6 - 8 * alike(lag) + 2 * alike(2 * lag)
