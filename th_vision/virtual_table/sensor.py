"""A depth camera's faults, fast: true disparity through kernel, pattern, ripple, noise, locking, steps, holes, units.

One ``Sensor`` is one unit in one session: its ripple, pattern and scale stay, drift goes on from moment to moment.
The clean render of a still moment is settled once; each frame then only draws new noise.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from th_vision.virtual_table.cameras import VirtualCamera
from th_vision.virtual_table.faults import NO_FAULTS, Faults, draw_faults
from th_vision.virtual_table.kernel import Floats, blur, match
from th_vision.virtual_table.render import CleanRender, surface_key
from th_vision.virtual_table.sensor_model import shoot
from th_vision.virtual_table.surfaces import surface
from th_vision.virtual_table.unit import Unit, ripple

__all__ = ["NO_FAULTS", "Faults", "Sensor", "Settled", "draw_faults", "shoot"]

DISPARITY_STEP_PX = 1 / 32
MAX_DISPARITY_PX = 126.0
_BANK = 1 << 21
_REFERENCE_MM = 650.0
_PIECE_HOLES = 0.001  # share of a piece's pixels without depth, away from its edges
_WANDER_KEPT = 0.97  # of the pattern's walk, from moment to moment


@dataclass(frozen=True)
class Settled:
    """A still moment before its temporal noise.

    ``disparity``: (h, w) float32 px. ``noise_px``: (h, w) sd of the temporal noise. ``hole_score``: (h, w), a pixel
    is lost where its noise lies above it. ``lost``: never matched. ``color``: (hc, wc, 3) uint8 before noise, or None.
    """

    disparity: Floats
    noise_px: Floats
    hole_score: Floats
    lost: NDArray[np.bool_]
    color: NDArray[np.uint8] | None


class Sensor(Unit[Settled]):
    """One unit. ``rng`` draws what stays for its life; ``drift`` changes by ``drift_on``."""

    def __init__(self, camera: VirtualCamera, rng: np.random.Generator, faults: Faults | None = None) -> None:
        super().__init__(camera, faults, rng)
        h, w = camera.depth.height, camera.depth.width
        sideways, upright = camera.model.kernel_px
        self._kernel = (sideways * self.faults.kernel_gain, upright * self.faults.kernel_gain)
        self._bank = rng.standard_normal(_BANK, dtype=np.float32)
        self._ragged = _uniform(blur(rng.standard_normal((h, w), dtype=np.float32), (3.0, 3.0)))
        self._hole_field = _unit_sd(blur(rng.standard_normal((h, w), dtype=np.float32), (1.6, 1.3)))
        self._waves = self.draw_waves(self.plane(), rng)
        life = int(rng.integers(1 << 62))
        self._color_rng = np.random.default_rng(life)
        self._wander_rng = np.random.default_rng([life, 1])
        self._wander = np.zeros((h, w), dtype=np.float32)

    def drift_on(self, rng: np.random.Generator, elapsed_s: float = 0.0) -> None:
        """Let time pass between two moments: offset, tilt and pattern walk a little, the unit warms up."""
        super().drift_on(rng, elapsed_s)
        if self.faults.wander:
            step = _fast_noise(self._wander_rng, self._wander.shape, self._kernel)
            self._wander = np.float32(_WANDER_KEPT) * self._wander + np.float32(self.faults.wander) * step

    # --- a still moment ---------------------------------------------------------------------------------------

    def settle(self, clean: CleanRender, *, exposure: float = 1.0) -> Settled:
        """All that stays the same from frame to frame of a still moment."""
        truth = np.asarray(self.camera.disparity_gain / clean.depth_mm, dtype=np.float32)
        matched = match(truth, self.plane(), self._kernel, self._ragged)
        feel = surface(clean.surface)
        pieces = clean.kinds("disc", "stick", "car", "city", "foreign", "hand")
        far = np.sqrt(np.clip(clean.depth_mm / _REFERENCE_MM, 0.5, 3)).astype(np.float32)
        noise = np.where(pieces, np.float32(max(feel.noise_px, 0.06)), np.float32(feel.noise_px)) * far
        noise = noise * (1 + 0.6 * matched.split) * np.float32(self.faults.noise_gain)
        noise = np.clip(noise, 0, 0.2)
        disparity = matched.disparity + self._pattern(clean, feel.pattern_px)
        disparity = disparity + ripple(matched.disparity, self._waves, 1) + self.drift_field()
        disparity += self._wander * noise
        own = np.where(pieces, np.float32(min(feel.holes, _PIECE_HOLES)), np.float32(feel.holes))
        holes = own * (1 + 8 * matched.split) * self.faults.holes_gain
        nearest = self.camera.disparity_gain / self.camera.model.min_z_mm[self.camera.size]
        return Settled(
            disparity=np.asarray(disparity, dtype=np.float32),
            noise_px=np.asarray(noise, dtype=np.float32),
            hole_score=_quantile(np.asarray(holes, dtype=np.float32)),
            lost=matched.lost | (matched.disparity > nearest) | ~np.isfinite(clean.depth_mm),
            color=None if clean.color_linear is None else self.develop(clean.color_linear, exposure),
        )

    def _pattern(self, clean: CleanRender, sd_px: float) -> Floats:
        """Fixed pattern: white noise that belongs to each body's surface, seen through the matching kernel."""
        if not self.faults.noise_gain:
            return np.zeros(clean.labels.shape, dtype=np.float32)
        offsets = np.array([surface_key(part) % _BANK for part in clean.parts] + [0], dtype=np.int64)
        place = np.arange(clean.labels.size, dtype=np.int64).reshape(clean.labels.shape)
        white = self._bank[(place + offsets[clean.labels]) % _BANK]
        # sd of a Gaussian-blurred white field: 1 / sqrt(4 pi sx sy)
        gain = np.sqrt(4 * np.pi * self._kernel[0] * self._kernel[1]) * sd_px * self.faults.noise_gain
        return np.asarray(blur(white, self._kernel) * gain, dtype=np.float32)

    # --- frames -----------------------------------------------------------------------------------------------

    def depth_frame(self, settled: Settled, rng: np.random.Generator) -> NDArray[np.uint16]:
        """One depth image (h, w) in depth units: new temporal noise over a settled moment."""
        h, w = settled.disparity.shape
        d = settled.disparity.copy()
        if self.faults.noise_gain:
            d += settled.noise_px * _fast_noise(rng, (h, w), self._kernel)
        if self.faults.locking_px:
            d += np.float32(self.faults.locking_px) * np.sin(np.float32(2 * np.pi) * d)
        if self.faults is not NO_FAULTS:
            d = np.rint(d * np.float32(1 / DISPARITY_STEP_PX)) * np.float32(DISPARITY_STEP_PX)
        lost = settled.lost | (d <= 0.5) | (d > MAX_DISPARITY_PX)
        if self.faults.holes_gain:
            flicker = _fast_noise(rng, (h, w), (1.6, 1.3), reduce=1)
            lost |= 0.8 * self._hole_field + 0.6 * flicker > settled.hole_score
        gain = np.float32(self.camera.disparity_gain * self.scale / self.camera.depth_unit_mm)
        z = np.rint(gain / np.maximum(d, 0.5))
        z[lost | (z > 65535)] = 0
        return np.asarray(z, dtype=np.uint16)


def _unit_sd(field: Floats) -> Floats:
    return np.asarray((field - field.mean()) / max(float(field.std()), 1e-9), dtype=np.float32)


def _uniform(field: Floats) -> Floats:
    """A Gaussian field mapped to 0..1 with an even spread."""
    from scipy.special import ndtr

    return np.asarray(ndtr(_unit_sd(field)), dtype=np.float32)


def _quantile(share: Floats) -> Floats:
    """Height over which a standard normal field lies for this share of pixels."""
    from scipy.special import ndtri

    return np.asarray(ndtri(1 - np.clip(share, 1e-9, 0.5)), dtype=np.float32)


def _fast_noise(
    rng: np.random.Generator, shape: tuple[int, int], sigma: tuple[float, float], reduce: int = 2
) -> Floats:
    """Gaussian-correlated noise of sd 1: drawn coarser by ``reduce``, blurred there, then enlarged."""
    h, w = -(-shape[0] // reduce), -(-shape[1] // reduce)
    small = rng.standard_normal((h, w), dtype=np.float32)
    inner = (sigma[0] / reduce, sigma[1] / reduce)
    small = blur(small, inner) * np.float32(np.sqrt(4 * np.pi * inner[0] * inner[1]))
    if reduce == 1:
        return small
    return np.asarray(cv2.resize(small, (shape[1], shape[0]), interpolation=cv2.INTER_LINEAR), dtype=np.float32)
