"""How soft the edges of a view are: a stereo camera's window blurs and fattens, a cloud from elsewhere may be sharp.

Window matching leaves its mark on the noise, too: neighbouring pixels move together. Where free table scatters less
than any matcher can, or each pixel by itself, there was no window, and edges are where they seem to be.
"""

from __future__ import annotations

import numpy as np

from th_vision import tolerances
from th_vision.still_view import StillView


def softness_of(view: StillView) -> float:
    """1 for a stereo camera's view, 0 for one with sharp edges; 1 where it can't be told."""
    spread = view.free_table_sd_px
    if spread < tolerances.SHARP_SD_PX:
        return 0.0
    lag = max(1, round(tolerances.SHARP_LAG_PX * view.table.camera.kernel_scale))
    rise = view.rise_px[::2]
    left, right = rise[:, :-lag], rise[:, lag:]
    free = (np.abs(left) < 3 * spread) & (np.abs(right) < 3 * spread)  # False where nothing was seen
    if free.sum() < tolerances.SHARP_LEAST_PIXELS:
        return 1.0
    a, b = left[free].astype(np.float64), right[free].astype(np.float64)
    together = float(np.mean(a * b) / max(np.sqrt(np.mean(a * a) * np.mean(b * b)), 1e-12))
    return 1.0 if together > tolerances.SHARP_CORRELATION else 0.0
