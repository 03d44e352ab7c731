"""What every model of the sensor shares: one unit with its ripple, its drift and temperature, and its colour camera.

Arrays are (h, w) float32 in native disparity pixels unless said otherwise.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Generic, Protocol, TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from th_vision.frame import Frame
from th_vision.virtual_table.cameras import VirtualCamera
from th_vision.virtual_table.faults import Faults, draw_faults
from th_vision.virtual_table.kernel import Floats
from th_vision.virtual_table.render import CleanRender

Bytes = NDArray[np.uint8]
Wave = tuple[float, float, float, float, int]
# Ripple's wavelengths on the table: shortest, most frequent, longest (measured: 100-250 mm).
_RIPPLE_MM = (100.0, 210.0, 250.0)
_WAVES = 14
_RIPPLE_TURN = 0.6  # sd, radians: bands run mostly down the picture
_DRIFT_KEPT = 0.97  # of the drift, from moment to moment


class WithColor(Protocol):
    """A still moment before its noise, whatever a model keeps of it. ``color``: (hc, wc, 3), or None."""

    @property
    def color(self) -> Bytes | None:
        """The colour picture before its noise."""
        ...


Still = TypeVar("Still", bound=WithColor)


class Unit(ABC, Generic[Still]):
    """One unit in one session: ripple and scale stay; drift and temperature go on by ``drift_on``.

    ``camera`` may be set to the same camera at another place (someone bumped it).
    """

    def __init__(self, camera: VirtualCamera, faults: Faults | None, rng: np.random.Generator) -> None:
        self.camera = camera
        self.faults = faults or draw_faults(rng)
        self.drift = np.zeros(3)
        self.cold_K = self.faults.warm_up_K
        self._color_bank: NDArray[np.int8] | None = None
        self._color_rng = rng

    # --- what a model does ----------------------------------------------------------------------------------------

    @abstractmethod
    def settle(self, clean: CleanRender, *, exposure: float = 1.0) -> Still:
        """All that stays the same from frame to frame of a still moment."""

    @abstractmethod
    def depth_frame(self, settled: Still, rng: np.random.Generator) -> NDArray[np.uint16]:
        """One depth image (h, w) in depth units: new noise over a settled moment."""

    def color_frame(self, settled: Still, rng: np.random.Generator, time_s: float = 0.0) -> Bytes | None:
        """One colour image, or None where colour was not rendered."""
        return None if settled.color is None else self.noisy_color(settled.color, rng, time_s)

    def still(
        self,
        clean: CleanRender,
        rng: np.random.Generator,
        n: int,
        *,
        exposure: float = 1.0,
        number: int = 0,
        time_s: float = 0.0,
        fps: float = 30.0,
    ) -> Iterator[Frame]:
        """n frames of what stands still; what is the same for all of them is made once."""
        settled = self.settle(clean, exposure=exposure)
        for k in range(n):
            now_s = time_s + k / fps
            depth = self.depth_frame(settled, rng)
            yield Frame(number + k, now_s, depth, self.color_frame(settled, rng, now_s))

    # --- what stays ---------------------------------------------------------------------------------------------

    def plane(self) -> Floats:
        """Disparity of the bare table plane, (h, w): affine in the pixel."""
        K, T = self.camera.depth, self.camera.T_depth_table
        normal, offset = T[:3, 2], float(T[:3, 2] @ T[:3, 3])
        x = (np.arange(K.width) - K.cx) / K.fx
        y = (np.arange(K.height) - K.cy) / K.fy
        inverse_z = (normal[0] * x[None, :] + normal[1] * y[:, None] + normal[2]) / offset
        return np.asarray(self.camera.disparity_gain * inverse_z, dtype=np.float32)

    def draw_waves(self, base: Floats, rng: np.random.Generator) -> list[Wave]:
        """Waves (ku, kv, phase, amplitude, eye) of the ripple: 100-250 mm long on the table, a share of Z in all."""
        K = self.camera.depth
        px_per_mm = K.fx / self.camera.distance_mm
        waves = []
        for k in range(_WAVES):
            length_px = rng.triangular(*_RIPPLE_MM) * px_per_mm
            angle = rng.normal(0, _RIPPLE_TURN)
            turn = 2 * np.pi / length_px
            waves.append((turn * np.cos(angle), turn * np.sin(angle), rng.uniform(0, 2 * np.pi), 1.0, k % 2))
        field = ripple(base[::8, ::8], waves, 8)
        nominal = self.camera.disparity_gain / self.camera.distance_mm
        spread = float(np.percentile(field, 99.5) - np.percentile(field, 0.5))
        gain = self.faults.ripple_share * nominal / spread
        return [(ku, kv, phase, gain, eye) for ku, kv, phase, _, eye in waves]

    # --- what goes on with time ---------------------------------------------------------------------------------

    def drift_on(self, rng: np.random.Generator, elapsed_s: float = 0.0) -> None:
        """Let time pass between two moments: offset and tilt walk a little, the unit warms up."""
        mm_to_px = self.camera.disparity_gain / self.camera.distance_mm**2
        f = self.faults
        step = rng.normal(0, 1, 3) * [f.drift_mm * mm_to_px, f.drift_tilt_px, f.drift_tilt_px]
        limit = f.drift_limit_mm * mm_to_px
        self.drift = np.clip(self.drift * _DRIFT_KEPT + step, -limit, limit)
        self.cold_K *= math.exp(-elapsed_s / f.warm_up_s)

    @property
    def scale(self) -> float:
        """Factor on Z now: the unit's own error, and what its temperature adds."""
        return 1 + self.faults.scale_error - self.faults.scale_per_K * self.cold_K

    def drift_field(self) -> Floats:
        """Drift of the disparity now, (h, w)."""
        h, w = self.camera.depth.height, self.camera.depth.width
        u = (np.arange(w, dtype=np.float32) - w / 2) / (w / 2)
        v = (np.arange(h, dtype=np.float32) - h / 2) / (w / 2)
        return np.asarray(self.drift[0] + self.drift[1] * u[None, :] + self.drift[2] * v[:, None], dtype=np.float32)

    # --- colour -------------------------------------------------------------------------------------------------

    def develop(self, linear: Floats, exposure: float) -> Bytes:
        """Linear light to the picture's 8 bit: exposure, white balance, lens shading, a little blur, gamma."""
        h, w = linear.shape[:2]
        x = (np.arange(w, dtype=np.float32) - w / 2) / (w / 2)
        y = (np.arange(h, dtype=np.float32) - h / 2) / (w / 2)
        shading = exposure * self.faults.exposure * (1 - self.faults.vignetting * (x[None, :] ** 2 + y[:, None] ** 2))
        gains = np.array(self.faults.white_balance, dtype=np.float32)
        soft = cv2.GaussianBlur(linear * (shading[..., None] * gains), (0, 0), 0.6)
        table = (255 * np.power(np.linspace(0, 1, 4096), 1 / 2.2)).astype(np.float32)
        levels = np.clip(np.asarray(soft) * 4095, 0, 4095).astype(np.uint16)
        return np.asarray(np.rint(table[levels]), dtype=np.uint8)

    def noisy_color(self, still: Bytes, rng: np.random.Generator, time_s: float) -> Bytes:
        """One colour image of a still moment: the lamp's flicker at this time, and new noise."""
        if not self.faults.color_noise:
            return self._lit_by_lamp(still, time_s) if self.faults.flicker else still.copy()
        h, w = still.shape[:2]
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
        lit = self._lit_by_lamp(still, time_s) if self.faults.flicker else still
        out = cv2.add(lit, np.ascontiguousarray(noise), dtype=cv2.CV_8U)
        return np.asarray(out, dtype=np.uint8)

    def _lit_by_lamp(self, picture: Bytes, time_s: float) -> Bytes:
        """The picture under a lamp that flickers: as a whole (global shutter), or in bands (rolling)."""
        model, f = self.camera.model, self.faults
        rows = np.arange(picture.shape[0]) / picture.shape[0]
        begin = time_s + rows * (model.color_readout_s if model.color_rolling else 0.0)
        turn = 2 * np.pi * f.flicker_hz
        # light gathered over the exposure: a sine averaged over it
        half = turn * model.color_exposure_s / 2
        light = 1 + f.flicker * np.sin(turn * begin + half) * np.sin(half) / half
        gain = np.power(light, 1 / 2.2).astype(np.float32)[:, None, None]
        return np.asarray(np.clip(np.rint(picture * gain), 0, 255), dtype=np.uint8)


def ripple(disparity: Floats, waves: list[Wave], stride: int) -> Floats:
    """g_L(u, v) - g_R(u - d, v), (h, w) px; ``stride``: native pixels from one sample to the next."""
    h, w = disparity.shape
    u = (np.arange(w, dtype=np.float32) * stride)[None, :]
    v = (np.arange(h, dtype=np.float32) * stride)[:, None]
    return np.asarray(eye_error(u, v, waves, 0) + -eye_error(u - disparity, v, waves, 1), dtype=np.float32)


def eye_error(u: Floats, v: Floats, waves: list[Wave], eye: int) -> Floats:
    """How far one imager (0: left, 1: right) sees things displaced sideways at its pixels (u, v), px."""
    out = np.zeros(np.broadcast_shapes(u.shape, v.shape), dtype=np.float32)
    for ku, kv, phase, amplitude, whose in waves:
        if amplitude and whose == eye:
            out += np.float32(amplitude) * np.sin(np.float32(ku) * u + (np.float32(phase) + np.float32(kv) * v))
    return out
