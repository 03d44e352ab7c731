"""The pair of infrared pictures that the stereo model matches: surfaces under even light and the projector's dots.

Arrays are (h, w) float32 in the native grid; light is 1 for a white, level surface at the camera's distance.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from th_vision.virtual_table.cameras import VirtualCamera
from th_vision.virtual_table.kernel import Floats
from th_vision.virtual_table.render import Caster, CleanRender, Looks

Array = NDArray[np.float64]
_TEXELS = 2  # of the dots' picture, to a native pixel
_DYES_SHOW = 0.6  # colours are paler in infrared: this share of an albedo's difference to mid grey stays
_MID_GREY = 0.45


@dataclass(frozen=True)
class Dots:
    """The projector's dots. ``spacing_px``: mean distance, native pixels; ``sigma_px``: size of one;
    ``light``: of a dot's middle against the even light."""

    spacing_px: float = 6.5
    sigma_px: float = 0.9
    light: float = 3.0


@lru_cache(maxsize=2)
def dots_picture(shape: tuple[int, int], dots: Dots, seed: int) -> Floats:
    """(h, w) light of the dots by the projector's direction: scattered, none close to another, of uneven strength."""
    rng = np.random.default_rng(seed)
    h, w = shape
    pitch = dots.spacing_px * _TEXELS
    rows, columns = int(h / pitch), int(w / pitch)
    jitter = rng.uniform(-0.42, 0.42, (2, rows, columns))
    v = ((np.arange(rows)[:, None] + 0.5 + jitter[0]) * pitch).ravel()
    u = ((np.arange(columns)[None, :] + 0.5 * (np.arange(rows)[:, None] % 2) + 0.25 + jitter[1]) * pitch).ravel()
    strength = rng.uniform(0.5, 1.0, len(u)).astype(np.float32)
    out = np.zeros((h, w), dtype=np.float32)
    x, y = np.floor(u).astype(np.intp), np.floor(v).astype(np.intp)
    fx, fy = (u - x).astype(np.float32), (v - y).astype(np.float32)
    for dy, dx, share in ((0, 0, (1 - fx) * (1 - fy)), (0, 1, fx * (1 - fy)), (1, 0, (1 - fx) * fy), (1, 1, fx * fy)):
        np.add.at(out, (np.clip(y + dy, 0, h - 1), np.clip(x + dx, 0, w - 1)), strength * share)
    sigma = dots.sigma_px * _TEXELS
    peak = 2 * np.pi * sigma**2
    return np.asarray(cv2.GaussianBlur(out, (0, 0), sigma) * (dots.light * peak), dtype=np.float32)


class InfraredPair:
    """What the two imagers of a camera see of a clean render."""

    def __init__(self, camera: VirtualCamera, dots: Dots, seed: int) -> None:
        self._camera = camera
        K = camera.depth
        margin = 1.3  # the projector lights more than one imager sees
        shape = (int(K.height * margin) * _TEXELS, int(K.width * margin) * _TEXELS)
        self._dots = dots_picture(shape, dots, seed) if camera.model.projector_x_mm is not None else None

    def render(self, clean: CleanRender, error_px: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
        """Left and right picture; ``error_px``: how far each imager sees things displaced sideways, (h, w) each."""
        meshes = list(clean.parts)
        caster = Caster(meshes)
        looks = Looks(clean.scene, meshes, self._camera.distance_mm / self._camera.depth.fx)
        return (
            self._eye(caster, looks, 0.0, error_px[0]),
            self._eye(caster, looks, self._camera.model.baseline_mm, error_px[1]),
        )

    def _eye(self, caster: Caster, looks: Looks, x_mm: float, error_px: Floats) -> Floats:
        K, T = self._camera.depth, self._camera.T_table_depth
        h, w = K.height, K.width
        directions = np.empty((h, w, 3), dtype=np.float32)
        directions[..., 0] = (np.arange(w, dtype=np.float32)[None, :] - np.float32(K.cx) - error_px) / np.float32(K.fx)
        directions[..., 1] = ((np.arange(h) - K.cy) / K.fy)[:, None]
        directions[..., 2] = 1
        flat = directions.reshape(-1, 3)
        rays = np.empty((h * w, 6), dtype=np.float32)
        rays[:, :3] = T[:3, 3] + x_mm * T[:3, 0]
        np.matmul(flat, T[:3, :3].T.astype(np.float32), out=rays[:, 3:])
        z, ids, normals = caster.cast(rays)
        z[~np.isfinite(z)] = 1e4
        points = rays[:, :3] + rays[:, 3:] * z[:, None]
        albedo = looks.albedo(points, ids) @ np.array([0.15, 0.25, 0.6], dtype=np.float32)
        grey = _MID_GREY + _DYES_SHOW * (albedo - _MID_GREY)
        facing = 0.6 + 0.4 * np.abs(normals[:, 2])
        light = facing + self._projected(caster, flat, z, x_mm, points, normals)
        return np.asarray((grey * light).reshape(h, w), dtype=np.float32)

    def _projected(
        self, caster: Caster, directions: Floats, z: Floats, x_mm: float, points: Floats, normals: Floats
    ) -> Floats:
        """Light of the dots on each point, (n,)."""
        if self._dots is None or self._camera.model.projector_x_mm is None:
            return np.zeros(len(z), dtype=np.float32)
        K, T = self._camera.depth, self._camera.T_table_depth
        rows, columns = self._dots.shape
        at = x_mm - self._camera.model.projector_x_mm
        mx = ((directions[:, 0] + np.float32(at) / z) * np.float32(K.fx * _TEXELS) + columns / 2).reshape(-1, K.width)
        my = (directions[:, 1] * np.float32(K.fy * _TEXELS) + rows / 2).reshape(-1, K.width)
        shine = np.asarray(
            cv2.remap(self._dots, mx.astype(np.float32), my.astype(np.float32), cv2.INTER_LINEAR)
        ).ravel()
        lamp = (T[:3, 3] + self._camera.model.projector_x_mm * T[:3, 0]).astype(np.float32)
        way = lamp - points
        far = np.sqrt(np.einsum("ij,ij->i", way, way))
        cosine = np.abs(np.einsum("ij,ij->i", way, normals)) / far
        rays = np.concatenate([points + normals * np.float32(0.2), way], axis=1)
        rays[:, 3:] *= 0.98  # up to the projector, not beyond
        lit = ~caster.blocked(rays)
        return np.asarray(shine * lit * cosine * (self._camera.distance_mm / far) ** 2, dtype=np.float32)
