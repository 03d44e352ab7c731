"""A depth camera's faults, fast: true disparity through kernel, pattern, ripple, noise, locking, steps, holes, units.

One ``Sensor`` is one unit in one session: its ripple, pattern and scale stay, drift goes on from moment to moment.
The clean render of a still moment is settled once; each frame then only draws new noise.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from th_vision.frame import Frame
from th_vision.virtual_table.cameras import VirtualCamera
from th_vision.virtual_table.kernel import Floats, blur, match
from th_vision.virtual_table.render import CleanRender, render_moment, surface_key
from th_vision.virtual_table.scene import Scene
from th_vision.virtual_table.surfaces import surface

DISPARITY_STEP_PX = 1 / 32
MAX_DISPARITY_PX = 126.0
_BANK = 1 << 21
_REFERENCE_MM = 650.0
_RIPPLE_MM = (100.0, 200.0, 250.0)  # wavelengths on the table: shortest, most frequent, longest


@dataclass(frozen=True)
class Faults:
    """How large this unit's faults are. Ranges are those measured on D400 cameras.

    ``ripple_share``: peak to peak, share of Z. ``locking_px``: amplitude of pixel locking. ``scale_error``: share of
    Z. ``drift_mm``: sd of the walk of the offset between moments; ``drift_tilt_px``: the same for tilt, at the rim.
    ``color_noise``: sd, grey levels. ``noise_gain``: factor on the surfaces' temporal noise.
    ``kernel_gain``: factor on the model's matching kernel.
    """

    ripple_share: float = 0.008
    locking_px: float = 0.025
    scale_error: float = 0.003
    drift_mm: float = 0.15
    drift_limit_mm: float = 1.0
    drift_tilt_px: float = 0.01
    color_noise: float = 2.0
    exposure_jitter: float = 0.008
    noise_gain: float = 1.0
    holes_gain: float = 1.0
    vignetting: float = 0.18
    kernel_gain: float = 1.0


NO_FAULTS = Faults(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)


def draw_faults(rng: np.random.Generator) -> Faults:
    """A unit as it may come out of the box."""
    return Faults(
        ripple_share=float(rng.uniform(0.005, 0.012)),
        locking_px=float(rng.uniform(0.01, 0.05)),
        scale_error=float(np.clip(rng.normal(0, 0.004), -0.02, 0.02)),
        noise_gain=float(rng.uniform(0.85, 1.15)),
        kernel_gain=float(np.clip(rng.normal(1, 0.04), 0.9, 1.1)),
    )


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


class Sensor:
    """One unit. ``rng`` draws what stays for its life; ``drift`` changes by ``drift_on``."""

    def __init__(self, camera: VirtualCamera, rng: np.random.Generator, faults: Faults | None = None) -> None:
        self.camera = camera
        self.faults = faults or draw_faults(rng)
        h, w = camera.depth.height, camera.depth.width
        sideways, upright = camera.model.kernel_px
        self._kernel = (sideways * self.faults.kernel_gain, upright * self.faults.kernel_gain)
        self._bank = rng.standard_normal(_BANK, dtype=np.float32)
        self._base = self._plane()
        self._ragged = _uniform(blur(rng.standard_normal((h, w), dtype=np.float32), (3.0, 3.0)))
        self._hole_field = _unit_sd(blur(rng.standard_normal((h, w), dtype=np.float32), (1.6, 1.3)))
        self._waves = self._draw_waves(rng)
        self.drift = np.zeros(3)
        self._color_bank: NDArray[np.int8] | None = None
        self._color_rng = np.random.default_rng(rng.integers(1 << 62))

    # --- what stays ---------------------------------------------------------------------------------------------

    def _plane(self) -> Floats:
        """Disparity of the bare table plane, (h, w): affine in the pixel."""
        K, T = self.camera.depth, self.camera.T_depth_table
        normal, offset = T[:3, 2], float(T[:3, 2] @ T[:3, 3])
        x = (np.arange(K.width) - K.cx) / K.fx
        y = (np.arange(K.height) - K.cy) / K.fy
        inverse_z = (normal[0] * x[None, :] + normal[1] * y[:, None] + normal[2]) / offset
        return np.asarray(self.camera.disparity_gain * inverse_z, dtype=np.float32)

    def _draw_waves(self, rng: np.random.Generator) -> list[tuple[float, float, float, float, int]]:
        """Waves (ku, kv, phase, amplitude, eye) of the ripple: 100-250 mm long on the table, a share of Z in all."""
        K = self.camera.depth
        px_per_mm = K.fx / self.camera.distance_mm
        waves = []
        for k in range(14):
            length_px = rng.triangular(*_RIPPLE_MM) * px_per_mm
            angle = rng.normal(0, 0.6)  # bands run mostly down the picture
            turn = 2 * np.pi / length_px
            waves.append((turn * np.cos(angle), turn * np.sin(angle), rng.uniform(0, 2 * np.pi), 1.0, k % 2))
        coarse = self._base[::8, ::8]
        field = _ripple(coarse, waves, 8)
        nominal = self.camera.disparity_gain / self.camera.distance_mm
        spread = float(np.percentile(field, 99.5) - np.percentile(field, 0.5))
        gain = self.faults.ripple_share * nominal / spread
        return [(ku, kv, phase, gain, eye) for ku, kv, phase, _, eye in waves]

    def drift_on(self, rng: np.random.Generator) -> None:
        """Let time pass between two moments: offset and tilt walk a little."""
        mm_to_px = self.camera.disparity_gain / self.camera.distance_mm**2
        f = self.faults
        step = rng.normal(0, 1, 3) * [f.drift_mm * mm_to_px, f.drift_tilt_px, f.drift_tilt_px]
        limit = f.drift_limit_mm * mm_to_px
        self.drift = np.clip(self.drift * 0.97 + step, -limit, limit)

    # --- a still moment ---------------------------------------------------------------------------------------

    def settle(self, clean: CleanRender, *, exposure: float = 1.0) -> Settled:
        """All that stays the same from frame to frame of a still moment."""
        truth = np.asarray(self.camera.disparity_gain / clean.depth_mm, dtype=np.float32)
        matched = match(truth, self._base, self._kernel, self._ragged)
        feel = surface(clean.surface)
        pieces = clean.kinds("disc", "stick", "car", "city", "foreign", "hand")
        far = np.sqrt(np.clip(clean.depth_mm / _REFERENCE_MM, 0.5, 3)).astype(np.float32)
        noise = np.where(pieces, np.float32(max(feel.noise_px, 0.06)), np.float32(feel.noise_px)) * far
        noise = noise * (1 + 0.6 * matched.split) * np.float32(self.faults.noise_gain)
        noise = np.clip(noise, 0, 0.2)
        disparity = matched.disparity + self._pattern(clean, feel.pattern_px)
        disparity = disparity + _ripple(matched.disparity, self._waves, 1)
        h, w = disparity.shape
        u = (np.arange(w, dtype=np.float32) - w / 2) / (w / 2)
        v = (np.arange(h, dtype=np.float32) - h / 2) / (w / 2)
        disparity += self.drift[0] + self.drift[1] * u[None, :] + self.drift[2] * v[:, None]
        holes = feel.holes * (1 + 8 * matched.split) * self.faults.holes_gain
        nearest = self.camera.disparity_gain / self.camera.model.min_z_mm[self.camera.size]
        return Settled(
            disparity=np.asarray(disparity, dtype=np.float32),
            noise_px=np.asarray(noise, dtype=np.float32),
            hole_score=_quantile(np.asarray(holes, dtype=np.float32)),
            lost=matched.lost | (matched.disparity > nearest) | ~np.isfinite(clean.depth_mm),
            color=None if clean.color_linear is None else self._develop(clean.color_linear, exposure),
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

    def _develop(self, linear: Floats, exposure: float) -> NDArray[np.uint8]:
        """Linear light to the picture's 8 bit: lens shading, a little blur, gamma."""
        h, w = linear.shape[:2]
        x = (np.arange(w, dtype=np.float32) - w / 2) / (w / 2)
        y = (np.arange(h, dtype=np.float32) - h / 2) / (w / 2)
        shading = exposure * (1 - self.faults.vignetting * (x[None, :] ** 2 + y[:, None] ** 2))
        soft = cv2.GaussianBlur(linear * shading[..., None], (0, 0), 0.6)
        table = (255 * np.power(np.linspace(0, 1, 4096), 1 / 2.2)).astype(np.float32)
        levels = np.clip(np.asarray(soft) * 4095, 0, 4095).astype(np.uint16)
        return np.asarray(np.rint(table[levels]), dtype=np.uint8)

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
        gain = np.float32(self.camera.disparity_gain * (1 + self.faults.scale_error) / self.camera.depth_unit_mm)
        z = np.rint(gain / np.maximum(d, 0.5))
        z[lost | (z > 65535)] = 0
        return np.asarray(z, dtype=np.uint16)

    def color_frame(self, settled: Settled, rng: np.random.Generator) -> NDArray[np.uint8] | None:
        """One colour image, or None where colour was not rendered."""
        if settled.color is None:
            return None
        if not self.faults.color_noise:
            return settled.color.copy()
        h, w = settled.color.shape[:2]
        if self._color_bank is None or self._color_bank.shape[0] != h + 64:
            white = self._color_rng.standard_normal((h + 64, w + 64, 3), dtype=np.float32)
            bank = np.asarray(cv2.GaussianBlur(white, (0, 0), 0.7))
            bank = 0.7 * bank + 0.3 * bank.mean(axis=2, keepdims=True)
            bank *= self.faults.color_noise / bank.std()
            self._color_bank = np.clip(np.rint(bank), -127, 127).astype(np.int8)
        y, x = rng.integers(0, 65, 2)
        noise = self._color_bank[y : y + h, x : x + w]
        if rng.integers(2):
            noise = np.ascontiguousarray(noise[::-1, ::-1])
        out = cv2.add(settled.color, np.ascontiguousarray(noise), dtype=cv2.CV_8U)
        return np.asarray(out, dtype=np.uint8)

    def frames(
        self,
        settled: Settled,
        rng: np.random.Generator,
        n: int,
        *,
        number: int = 0,
        time_s: float = 0.0,
        fps: float = 30.0,
    ) -> Iterator[Frame]:
        """n frames of a settled moment."""
        for k in range(n):
            depth = self.depth_frame(settled, rng)
            yield Frame(number + k, time_s + k / fps, depth, self.color_frame(settled, rng))


def shoot(
    scene: Scene,
    camera: VirtualCamera,
    sensor: Sensor,
    rng: np.random.Generator,
    n: int,
    *,
    number: int = 0,
    time_s: float = 0.0,
    fps: float = 30.0,
    color: bool = True,
) -> list[Frame]:
    """n frames of a scene that stands still, after the drift since the moment before."""
    sensor.drift_on(rng)
    exposure = float(1 + rng.normal(0, 1) * sensor.faults.exposure_jitter)
    settled = sensor.settle(render_moment(scene, camera, color=color), exposure=exposure)
    return list(sensor.frames(settled, rng, n, number=number, time_s=time_s, fps=fps))


def _ripple(disparity: Floats, waves: list[tuple[float, float, float, float, int]], stride: int) -> Floats:
    """g_L(u, v) - g_R(u - d, v), (h, w) px."""
    h, w = disparity.shape
    u = (np.arange(w, dtype=np.float32) * stride)[None, :]
    v = (np.arange(h, dtype=np.float32) * stride)[:, None]
    out = np.zeros((h, w), dtype=np.float32)
    landing = u - disparity
    for ku, kv, phase, amplitude, eye in waves:
        if not amplitude:
            continue
        row = np.float32(phase) + np.float32(kv) * v
        if eye:
            out -= np.float32(amplitude) * np.sin(np.float32(ku) * landing + row)
        else:
            out += np.float32(amplitude) * np.sin(np.float32(ku) * u + row)
    return out


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
