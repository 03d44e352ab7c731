"""Whether a camera has warmed up: measured on what it sees, not by a timer.

A cold camera's depth drifts by a few mm in the first quarter of an hour. The median depth over tiles of the picture
follows that; hands and new pieces move single tiles, not the median of all of them.
"""

from __future__ import annotations

import warnings
from collections import deque

import numpy as np
from numpy.typing import NDArray

from calibration.camera import Camera
from th_vision.live.tolerances import WARM_EVERY_S, WARM_LEAST, WARM_MM_PER_MIN, WARM_TILES, WARM_WINDOW_S

_EVERY_PX = 4
_STEADY_TIMES = 3.0  # a tile that varies by more than so many times the usual holds a hand or a new piece


class Warmup:
    """Looks at a frame now and then, and fits how fast depth drifts."""

    def __init__(self, camera: Camera) -> None:
        self._unit_mm = camera.depth_unit_mm
        self._looks: deque[tuple[float, NDArray[np.float64]]] = deque()
        self.warm = False
        self.drift_mm_per_min: float | None = None

    def wants(self, time_s: float) -> bool:
        """Whether it is time for another look."""
        return not self._looks or time_s - self._looks[-1][0] >= WARM_EVERY_S

    def look(self, time_s: float, depth: NDArray[np.uint16]) -> None:
        """Take in a frame: (h, w) in depth units."""
        if self._looks and time_s <= self._looks[-1][0]:
            return
        self._looks.append((time_s, self._tiles_mm(depth)))
        while time_s - self._looks[0][0] > WARM_WINDOW_S:
            self._looks.popleft()
        if len(self._looks) < WARM_LEAST:
            return
        self.drift_mm_per_min, sigma = self._fit()
        self.warm = abs(self.drift_mm_per_min) + sigma < WARM_MM_PER_MIN

    def _tiles_mm(self, depth: NDArray[np.uint16]) -> NDArray[np.float64]:
        rows, columns = WARM_TILES
        small = depth[::_EVERY_PX, ::_EVERY_PX].astype(np.float64) * self._unit_mm
        small[small == 0] = np.nan
        high, wide = small.shape[0] // rows, small.shape[1] // columns
        tiles = small[: rows * high, : columns * wide].reshape(rows, high, columns, wide)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # a tile without any depth is NaN
            return np.asarray(np.nanmedian(tiles, axis=(1, 3)).ravel(), dtype=np.float64)

    def _fit(self) -> tuple[float, float]:
        """Slope in mm a minute, and its sigma, of the median over tiles of what each is off its own first look."""
        times = np.array([time for time, _ in self._looks]) / 60
        stack = np.stack([tiles for _, tiles in self._looks])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            moved = _middle(stack - np.nanmedian(stack, axis=0))
        known = np.isfinite(moved)
        if known.sum() < WARM_LEAST:
            return 0.0, np.inf
        t, y = times[known], moved[known]
        t = t - t.mean()
        slope = float((t * y).sum() / (t * t).sum())
        rest = y - y.mean() - slope * t
        sigma = float(np.sqrt((rest * rest).sum() / max(len(t) - 2, 1) / (t * t).sum()))
        return slope, sigma


def _middle(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Median of each row over the tiles in which nothing was put, moved or held: those that stayed as they were."""
    moved = np.nanstd(rows, axis=0)
    rows = np.where(moved <= _STEADY_TIMES * np.nanmedian(moved), rows, np.nan)
    return np.asarray(np.nanmedian(rows, axis=1), dtype=np.float64)
