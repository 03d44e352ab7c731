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
from th_vision.virtual_table.surfaces import look_up, surface

Array = NDArray[np.float64]
_TEXELS = 2  # of the dots' picture, to a native pixel
_DYES_SHOW = 0.6  # colours are paler in infrared: this share of an albedo's difference to mid grey stays
_MID_GREY = 0.45
_ROOM, _GLOW = 0.3, 0.7  # even light: the room's, and what the projector scatters; of a surface's 1
_FACES_DIFFER = 0.4
_SUB_RAYS = tuple((x, y) for y in (-0.25, 0.25) for x in (-0.375, -0.125, 0.125, 0.375))
_CHUNK = 400_000


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
    """What the two imagers of a camera see of a clean render. ``camera`` may be moved from render to render."""

    def __init__(self, camera: VirtualCamera, dots: Dots, seed: int) -> None:
        self.camera = camera
        self._dots_at = np.zeros(2, dtype=np.float32)
        K = camera.depth
        margin = 1.3  # the projector lights more than one imager sees
        shape = (int(K.height * margin) * _TEXELS, int(K.width * margin) * _TEXELS)
        self._dots = dots_picture(shape, dots, seed) if camera.model.projector_x_mm is not None else None

    def render(self, clean: CleanRender, error_px: tuple[Floats, Floats], dots_px: Array) -> tuple[Floats, Floats]:
        """Left and right picture.

        ``error_px``: how far each imager sees things displaced sideways, (h, w) each; ``dots_px``: how far the
        projector's picture is displaced now (across, down).
        """
        self._dots_at = dots_px.astype(np.float32) * np.float32(_TEXELS)
        meshes = list(clean.parts)
        caster = Caster(meshes)
        looks = Looks(clean.scene, meshes, self.camera.distance_mm / self.camera.depth.fx)
        return (
            self._eye(caster, looks, 0.0, error_px[0]),
            self._eye(caster, looks, self.camera.model.baseline_mm, error_px[1]),
        )

    def _eye(self, caster: Caster, looks: Looks, x_mm: float, error_px: Floats) -> Floats:
        K = self.camera.depth
        v, u = np.mgrid[: K.height, : K.width].astype(np.float32)
        ideal = (u - error_px).ravel()
        light, key = self._seen(caster, looks, x_mm, ideal, v.ravel())
        picture, faces = light.reshape(u.shape), key.reshape(u.shape)
        rims = np.zeros(u.shape, dtype=np.bool_)
        across, down = np.abs(np.diff(faces, axis=1)) > _FACES_DIFFER, np.abs(np.diff(faces, axis=0)) > _FACES_DIFFER
        rims[:, 1:] |= across
        rims[:, :-1] |= across
        rims[1:] |= down
        rims[:-1] |= down
        at = np.flatnonzero(rims)
        flat = picture.reshape(-1)
        for part in np.array_split(at, len(at) * len(_SUB_RAYS) // _CHUNK + 1) if len(at) else ():
            sub_u, sub_v = (
                (np.take(f.ravel(), part)[:, None] + np.array(o, dtype=np.float32)).ravel()
                for f, o in ((u - error_px, [r[0] for r in _SUB_RAYS]), (v, [r[1] for r in _SUB_RAYS]))
            )
            finer, _ = self._seen(caster, looks, x_mm, sub_u, sub_v)
            flat[part] = finer.reshape(len(part), -1).mean(axis=1)
        return np.asarray(picture, dtype=np.float32)

    def _seen(self, caster: Caster, looks: Looks, x_mm: float, u: Floats, v: Floats) -> tuple[Floats, Floats]:
        """Light (n,) that comes from pixels (u, v) of an imager at ``x_mm``, and a number (n,) for the face seen."""
        K, T = self.camera.depth, self.camera.T_table_depth
        directions = np.ones((len(u), 3), dtype=np.float32)
        directions[:, 0] = (u - np.float32(K.cx)) / np.float32(K.fx)
        directions[:, 1] = (v - np.float32(K.cy)) / np.float32(K.fy)
        rays = np.empty((len(u), 6), dtype=np.float32)
        rays[:, :3] = T[:3, 3] + x_mm * T[:3, 0]
        np.matmul(directions, T[:3, :3].T.astype(np.float32), out=rays[:, 3:])
        z, ids, normals = caster.cast(rays)
        z[~np.isfinite(z)] = 1e4
        points = rays[:, :3] + rays[:, 3:] * z[:, None]
        albedo = looks.albedo(points, ids) @ np.array([0.15, 0.25, 0.6], dtype=np.float32)
        grey = _MID_GREY + _DYES_SHOW * (albedo - _MID_GREY)
        facing = 0.6 + 0.4 * np.abs(normals[:, 2])
        dots = np.where(ids == 0, np.float32(surface(looks.surface).dots), np.float32(1))
        light = _ROOM * facing + self._projected(caster, directions, z, x_mm, points, normals, dots)
        key = ids.astype(np.float32) * 7 + normals @ np.array([1.7, 2.3, 3.1], dtype=np.float32)
        return np.asarray(grey * light, dtype=np.float32), np.asarray(key, dtype=np.float32)

    def _projected(
        self,
        caster: Caster,
        directions: Floats,
        z: Floats,
        x_mm: float,
        points: Floats,
        normals: Floats,
        strength: Floats,
    ) -> Floats:
        """Light of the projector on each point, (n,): its dots, this strong, over an even glow."""
        if self._dots is None or self.camera.model.projector_x_mm is None:
            return np.full(len(z), _GLOW, dtype=np.float32)
        K, T = self.camera.depth, self.camera.T_table_depth
        rows, columns = self._dots.shape
        at = x_mm - self.camera.model.projector_x_mm
        mx = (
            (directions[:, 0] + np.float32(at) / z) * np.float32(K.fx * _TEXELS)
            + np.float32(columns / 2)
            + self._dots_at[0]
        )
        my = directions[:, 1] * np.float32(K.fy * _TEXELS) + np.float32(rows / 2) + self._dots_at[1]
        shine = look_up(self._dots, mx, my)
        lamp = (T[:3, 3] + self.camera.model.projector_x_mm * T[:3, 0]).astype(np.float32)
        way = lamp - points
        far = np.sqrt(np.einsum("ij,ij->i", way, way))
        cosine = np.abs(np.einsum("ij,ij->i", way, normals)) / far
        rays = np.concatenate([points + normals * np.float32(0.2), way], axis=1)
        rays[:, 3:] *= 0.98  # up to the projector, not beyond
        lit = ~caster.blocked(rays)
        return np.asarray(
            (_GLOW + strength * shine) * lit * cosine * (self.camera.distance_mm / far) ** 2, dtype=np.float32
        )
