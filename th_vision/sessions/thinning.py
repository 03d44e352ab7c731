"""Which frames of a live game are worth keeping: those that show a change, what stood still after it, and a few more.

A frame is compared with the one before it (does anything move?) and with the first of those that stand still now (has
anything crept?). Nothing of the calibration is needed, so that a calibration itself can be recorded. The clock is the
frames' own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import Camera
from th_vision import tolerances as tol
from th_vision.frame import Frame
from th_vision.sessions import limits

Reason = Literal["still", "motion", "base"]
Blocks = NDArray[np.float32]

_DEPTH_EVERY_PX = 4
_DEPTH_BLOCK_PX = 16
# So many neighbouring blocks must differ: one alone is a flickering edge.
_BLOCKS = 2
_SAMPLE = 3
_LEAST_STILL = 4
"""Still frames of a moment that are kept though there is no room: two make a reading, and one may be unusable."""
_SPARE_EVERY_S = 5.0
"""For a table that flickers has many such moments, there is no more than one of these frames in so long."""


@dataclass(frozen=True)
class _Look:
    disparity: Blocks
    color: Blocks | None


class Thinning:
    """Decides frame by frame. State: the last look, the first look of the still run, and the room that is left."""

    def __init__(self, camera: Camera) -> None:
        self._gain = camera.disparity_gain / camera.depth_unit_mm
        self._last: _Look | None = None
        self._run_start: _Look | None = None
        self._run = 0
        self._time_s = 0.0
        self._kept_s: float | None = None
        self._room = limits.SAVED_UP_BYTES
        self._spare = float(_LEAST_STILL)
        pixels = camera.depth.width * camera.depth.height * limits.DEPTH_BYTES_PER_PX
        if camera.color is not None:
            pixels += camera.color.width * camera.color.height * limits.COLOR_BYTES_PER_PX
        self.frame_bytes = pixels

    def see(self, frame: Frame) -> Reason | None:
        """Why this frame is to be kept; None where it shows nothing new."""
        look = self._look(frame)
        first = self._last is None
        gone_s = max(0.0, frame.time_s - self._time_s) if not first else 0.0
        self._time_s = frame.time_s
        self._room = min(self._room + gone_s * limits.BYTES_PER_S, limits.SAVED_UP_BYTES)
        self._spare = min(self._spare + gone_s / _SPARE_EVERY_S, float(_LEAST_STILL))
        moving = first or _differ(self._last, look) or _differ(self._run_start, look)
        self._last = look
        if moving:
            self._run, self._run_start = 0, look
        self._run += 1
        reason = self._reason(frame.time_s, moving and not first)
        if reason is not None:
            self._kept_s = frame.time_s
            self._room -= self.frame_bytes
        return reason

    @property
    def run(self) -> int:
        """How many frames, the last one included, have stood still by now."""
        return self._run

    def packed(self, size: int) -> None:
        """A kept frame turned out to need so many bytes: the next ones are taken to need about as many."""
        self.frame_bytes += 0.1 * (size - self.frame_bytes)

    def _reason(self, time_s: float, moving: bool) -> Reason | None:
        # A clock that jumps back begins anew.
        since_s = float("inf") if self._kept_s is None or time_s < self._kept_s else time_s - self._kept_s
        if not moving and self._run <= limits.STILL_KEPT:
            if self._room > 0:
                return "still"
            if self._run <= _LEAST_STILL and self._spare >= 1:
                self._spare -= 1
                return "still"
        if moving and since_s >= limits.MOTION_EVERY_S and self._room > limits.MOTION_LEAVES * limits.SAVED_UP_BYTES:
            return "motion"
        return "base" if since_s >= limits.BASE_EVERY_S else None

    def _look(self, frame: Frame) -> _Look:
        every = _DEPTH_EVERY_PX
        depth = frame.depth[::every, ::every].astype(np.float32)
        with np.errstate(divide="ignore"):
            disparity = np.where(depth > 0, np.float32(self._gain) / depth, np.float32(0))
        block = _DEPTH_BLOCK_PX // every
        size = (max(1, depth.shape[1] // block), max(1, depth.shape[0] // block))
        seen = cv2.resize((depth > 0).astype(np.float32), size, interpolation=cv2.INTER_AREA)
        total = cv2.resize(disparity, size, interpolation=cv2.INTER_AREA)
        with np.errstate(divide="ignore", invalid="ignore"):
            blocks = np.where(seen >= 0.5, total / seen, np.nan)
        color = None
        if frame.color is not None:
            width = tol.STILL_COLOR_WIDTH_PX
            step = max(1, frame.color.shape[1] // (2 * width))
            size = (width, max(1, round(width * frame.color.shape[0] / frame.color.shape[1])))
            thin = np.ascontiguousarray(frame.color[::step, ::step])
            color = np.asarray(cv2.resize(thin, size, interpolation=cv2.INTER_AREA), dtype=np.float32)
        return _Look(np.asarray(blocks, dtype=np.float32), color)


def _differ(before: _Look | None, now: _Look) -> bool:
    """Whether a piece's worth of blocks is different: depth (its offset taken out), or colour (its exposure)."""
    if before is None or before.disparity.shape != now.disparity.shape or (before.color is None) != (now.color is None):
        return True
    difference = now.disparity - before.disparity
    seen = np.isfinite(difference)
    # Depth that comes or goes is a change too: a hand near the lens, a thing that shines.
    flipped = np.isfinite(now.disparity) != np.isfinite(before.disparity)
    if _clump(_opened(flipped)):
        return True
    if seen.any():
        difference = np.where(seen, difference - np.median(difference[seen]), 0)
        smooth = np.abs(cv2.blur(difference, (2, 2)))
        if _clump(smooth > _limit(smooth[seen], tol.STILL_DISPARITY_PX)):
            return True
    if before.color is not None and now.color is not None:
        if before.color.shape != now.color.shape:
            return True
        few = slice(None, None, _SAMPLE)  # enough to know a median
        gain = np.median((now.color[few, few] + 1) / (before.color[few, few] + 1), axis=(0, 1)).astype(np.float32)
        by_channel = np.abs(now.color - before.color * gain)
        levels = np.maximum(np.maximum(by_channel[:, :, 0], by_channel[:, :, 1]), by_channel[:, :, 2])
        return _clump(levels > _limit(levels[few, few], tol.STILL_COLOR_LEVELS))
    return False


def _opened(mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Without lone blocks and thin rims: edges of holes flicker from frame to frame."""
    return cv2.morphologyEx(mask.astype(np.uint8), cv2.MORPH_OPEN, np.ones((2, 2), np.uint8)) > 0


def _clump(mask: NDArray[np.bool_]) -> bool:
    if np.count_nonzero(mask) < _BLOCKS:
        return False
    _, _, stats, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8), connectivity=8)
    return int(stats[1:, cv2.CC_STAT_AREA].max()) >= _BLOCKS


def _limit(values: NDArray[np.float32], least: float) -> float:
    """The larger of ``least`` and some robust sigmas: most of a frame never changes."""
    return max(least, tol.STILL_SIGMAS * 1.4826 * float(np.median(np.abs(values))))
