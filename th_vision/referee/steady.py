"""Does the camera still look at the table as it did? A bump, other light and drift are noticed within a second.

The picture is held against the one of the table as it was last read. Its shift as a whole says that something was
bumped; how exactly is measured by ``calibration.bumped``. The clock is the frames' own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.bumped import measured_bump
from calibration.moved import picture_shift_px, pictures_alike
from calibration.table import TableCalibration
from th_vision import tolerances as tol
from th_vision.frame import Frame
from th_vision.still_view import StillView
from th_vision.stillness import Seen

Picture = NDArray[np.uint8]
Kind = Literal["moved", "measured", "back", "light"]


@dataclass(frozen=True)
class Noticed:
    """``moved``: the picture shifted by about ``value`` mm (0: nobody knows how far), and it can't be measured yet.
    ``measured``: by ``value`` mm, ``table`` is how it is now. ``back``: all is as it was. ``light``: ``value`` times
    as bright as it was."""

    kind: Kind
    value: float = 0.0
    sigma: float = 0.0
    table: TableCalibration | None = None


class Steady:
    """Looks at a still frame now and then. State: the picture that the table was last read from, and what was found."""

    def __init__(self, table: TableCalibration) -> None:
        self._table = table
        self._reference: Picture | None = None
        self._looked_s = float("-inf")
        self._suspicions = 0
        self._usual: float | None = None  # how alike two pictures of the table at rest are
        self._moved = self._light = self._stirred = False

    @property
    def suspicious(self) -> bool:
        """The picture seems to have shifted: nothing is to be read until that is clear."""
        return self._moved or self._suspicions > 0

    def settled(self, view: StillView) -> None:
        """The table was read from this view: the next pictures are held against it."""
        if view.color_bgr is not None and not self._moved:
            self._reference, self._light = view.color_bgr, False

    def see(self, frame: Frame, seen: Seen) -> Noticed | None:
        """What a frame shows of a bump or of other light; None where all is as it was, or nothing can be said."""
        color, reference = frame.color, self._reference
        if reference is None or color is None or color.shape != reference.shape or seen.state in ("hand", "unusable"):
            return None
        if seen.changed_mm2 > 0:
            self._stirred = True
        every_s = tol.STEADY_SOON_S if self._stirred or self._suspicions else tol.STEADY_EVERY_S
        if abs(seen.time_s - self._looked_s) < every_s:
            return None
        self._looked_s, self._stirred = seen.time_s, False
        shift = picture_shift_px(reference, color, np.zeros(color.shape[:2], np.bool_))
        mm_per_px = self._mm_per_px
        if shift is not None and np.hypot(*shift) * mm_per_px < tol.BUMP_MM:
            self._suspicions = 0
            if self._usual is None:
                self._usual = pictures_alike(reference, color)
            if self._moved:
                self._moved = False
                return Noticed("back")
            return self._other_light(reference, color)
        if shift is None and not self._differs(reference, color):
            return self._other_light(reference, color)
        self._suspicions += 1
        if self._suspicions < tol.BUMP_LOOKS:
            return None
        return self._measured(reference, color, 0.0 if shift is None else float(np.hypot(*shift)) * mm_per_px)

    @property
    def _mm_per_px(self) -> float:
        camera = self._table.camera
        return self._table.distance_mm / (camera.color.fx if camera.color is not None else camera.depth.fx)

    def _measured(self, reference: Picture, color: Picture, about_mm: float) -> Noticed | None:
        bump = measured_bump(reference, color, self._table)
        if bump is not None:
            if bump.shift_mm < max(tol.BUMP_MM, tol.BUMP_SIGMAS * bump.sigma_mm):
                self._suspicions = 0
                return None
            if bump.shift_mm <= tol.BUMP_MOST_MM and bump.sigma_mm <= tol.BUMP_SIGMA_MM:
                self._moved, self._suspicions = False, 0
                return Noticed("measured", bump.shift_mm, bump.sigma_mm, bump.table)
            about_mm = bump.shift_mm
        if self._moved:
            return None
        self._moved = True
        return Noticed("moved", about_mm)

    def _differs(self, reference: Picture, color: Picture) -> bool:
        """Most of the picture is another one: a bump so large that no texture is found again where it was. Where the
        table has no texture to speak of, its brightness tells."""
        if self._usual is not None and self._usual > tol.TEXTURE_TELLS:
            return pictures_alike(reference, color) < tol.BUMP_ALIKE * self._usual
        a, b = (_small(picture) for picture in (reference, color))
        gain = float(np.median((b + 1) / (a + 1)))
        return float(np.mean(np.abs(b - a * gain) > tol.STILL_COLOR_LEVELS)) > tol.BUMP_SHARE

    def _other_light(self, reference: Picture, color: Picture) -> Noticed | None:
        a, b = (_small(picture) for picture in (reference, color))
        gain = float(np.median((b + 1) / (a + 1)))
        if self._light or 1 / tol.LIGHT_GAIN < gain < tol.LIGHT_GAIN:
            return None
        self._light = True
        return Noticed("light", gain)


def _small(picture: Picture) -> NDArray[np.float32]:
    small = cv2.resize(picture, (tol.STILL_COLOR_WIDTH_PX, tol.STILL_COLOR_WIDTH_PX * 9 // 16))
    return np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY), dtype=np.float32)


def drift_mm(view: StillView) -> float:
    """How far the depth of the free table has gone from what it was at calibration, mm (taken out of each reading)."""
    trend = view.disparity_px - view.rise_px - view.table.empty.disparity_px
    middle = float(np.nanmedian(trend)) if np.isfinite(trend).any() else 0.0
    distance = view.table.distance_mm
    return -middle * distance**2 / view.table.camera.disparity_gain
