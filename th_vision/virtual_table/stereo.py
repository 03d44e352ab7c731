"""A depth camera's faults from their causes: two infrared pictures are drawn, made noisy and matched.

Kernel, fattening, shadows, the left band, correlated noise, the fixed pattern and pixel locking come about by the
matching. Given are only the imagers' own errors (ripple, drift, scale), their noise, and the steps of the result.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from th_vision.virtual_table.cameras import VirtualCamera
from th_vision.virtual_table.faults import Faults
from th_vision.virtual_table.infrared import Dots, InfraredPair
from th_vision.virtual_table.kernel import Floats
from th_vision.virtual_table.render import CleanRender
from th_vision.virtual_table.sensor import DISPARITY_STEP_PX, MAX_DISPARITY_PX
from th_vision.virtual_table.stereo_match import Grey, Matching, match_pair, support_of
from th_vision.virtual_table.unit import Bytes, Unit, eye_error

_LEVELS = 1023  # of the imagers' 10 bit
_TABLE_LEVEL = 300.0  # where auto-exposure puts the middle of the picture
_LENS_SIGMA_PX = 0.6
_READ_NOISE = 2.5  # levels
_SHOT_NOISE = 0.3  # levels, times the root of the level
_SPECKLE = 0.036  # share of the level: the laser's grain, and whatever else grows with light
_SEARCH_BEYOND_PX = 10
_DOTS_WALK_PX = 2.0  # of the projector against the imagers, from moment to moment, for each of ``Faults.wander``
_OTHER_PIXELS = 0.03  # gain of a pixel against its neighbours (what a picture's flat-field correction leaves)


@dataclass(frozen=True)
class SettledPair:
    """A still moment: both pictures (h, w) float32 levels before noise, the disparities to search, and the colour."""

    left: Floats
    right: Floats
    first: int
    n: int
    lost: NDArray[np.bool_]
    color: Bytes | None


class StereoSensor(Unit[SettledPair]):
    """One unit. ``rng`` draws what stays for its life; ``drift`` changes by ``drift_on``."""

    def __init__(
        self,
        camera: VirtualCamera,
        rng: np.random.Generator,
        faults: Faults | None = None,
        *,
        matching: Matching | None = None,
        dots: Dots | None = None,
    ) -> None:
        super().__init__(camera, faults, rng)
        sideways, upright = camera.model.kernel_px
        self._matching = matching or Matching(
            support=support_of((sideways * self.faults.kernel_gain, upright * self.faults.kernel_gain))
        )
        self._waves = self.draw_waves(self.plane(), rng)
        life = int(rng.integers(1 << 62))
        self._color_rng = np.random.default_rng(life)
        own = np.random.default_rng([life, 2])
        self._dots_rng = np.random.default_rng([life, 3])
        self._dots_px = np.zeros(2)
        h, w = camera.depth.height, camera.depth.width
        self._gains = [1 + _OTHER_PIXELS * own.standard_normal((h, w), dtype=np.float32) for _ in range(2)]
        self._pair = InfraredPair(camera, dots or Dots(), int(own.integers(1 << 30)))

    def drift_on(self, rng: np.random.Generator, elapsed_s: float = 0.0) -> None:
        """Let time pass between two moments: offset, tilt and the projector walk a little, the unit warms up."""
        super().drift_on(rng, elapsed_s)
        self._dots_px += _DOTS_WALK_PX * self.faults.wander * self._dots_rng.normal(0, 1, 2)

    def settle(self, clean: CleanRender, *, exposure: float = 1.0) -> SettledPair:
        """Draw both pictures of a still moment."""
        K = self.camera.depth
        u = np.arange(K.width, dtype=np.float32)[None, :]
        v = np.arange(K.height, dtype=np.float32)[:, None]
        errors = (eye_error(u, v, self._waves, 0) + self.drift_field(), eye_error(u, v, self._waves, 1))
        flat = np.zeros((K.height, K.width), dtype=np.float32)
        self._pair.camera = self.camera
        left, right = self._pair.render(clean, (errors[0] + flat, errors[1] + flat), self._dots_px)
        gain = _TABLE_LEVEL / max(float(np.median(left)), 1e-3)
        pictures = [
            np.asarray(cv2.GaussianBlur(p, (0, 0), _LENS_SIGMA_PX), dtype=np.float32) * np.float32(gain) * g
            for p, g in zip((left, right), self._gains, strict=True)
        ]
        truth = self.camera.disparity_gain / clean.depth_mm[np.isfinite(clean.depth_mm)]
        first = max(1, int(truth.min()) - _SEARCH_BEYOND_PX)
        last = min(int(MAX_DISPARITY_PX), int(truth.max()) + _SEARCH_BEYOND_PX)
        nearest = self.camera.disparity_gain / self.camera.model.min_z_mm[self.camera.size]
        with np.errstate(divide="ignore"):
            too_near = self.camera.disparity_gain / clean.depth_mm > nearest
        color = None if clean.color_linear is None else self.develop(clean.color_linear, exposure)
        return SettledPair(pictures[0], pictures[1], first, max(last - first, 4), too_near, color)

    def disparity(self, settled: SettledPair, rng: np.random.Generator) -> Floats:
        """(h, w) of one shot, 0 where there is none: new noise on both pictures, then the match."""
        left, right = (self._noisy(p, rng) for p in (settled.left, settled.right))
        d = match_pair(left, right, settled.first, settled.n, self._matching)
        return np.asarray(np.rint(d / DISPARITY_STEP_PX) * DISPARITY_STEP_PX, dtype=np.float32)

    def _noisy(self, picture: Floats, rng: np.random.Generator) -> Grey:
        sd = np.sqrt(_READ_NOISE**2 + _SHOT_NOISE**2 * picture + (_SPECKLE * picture) ** 2)
        sd *= np.float32(self.faults.noise_gain)
        noise = rng.standard_normal(picture.shape, dtype=np.float32)
        return np.asarray(np.clip(np.rint(picture + sd * noise), 0, _LEVELS), dtype=np.uint16)

    def depth_frame(self, settled: SettledPair, rng: np.random.Generator) -> NDArray[np.uint16]:
        """One depth image (h, w) in depth units."""
        d = self.disparity(settled, rng)
        gain = np.float32(self.camera.disparity_gain * self.scale / self.camera.depth_unit_mm)
        z = np.rint(gain / np.maximum(d, 0.5))
        z[(d <= 0) | (z > 65535) | settled.lost] = 0
        return np.asarray(z, dtype=np.uint16)
