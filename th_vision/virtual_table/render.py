"""From a scene to what ideal eyes see: depth in the native grid, colour from the colour camera's own viewpoint, labels.

Ray casting by Open3D (imported here only, when first used). One clean render serves all frames of a still moment.
"""

from __future__ import annotations

import math
import zlib
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import Intrinsics
from th_vision.virtual_table.cameras import VirtualCamera
from th_vision.virtual_table.scene import BoardBody, Light, Scene
from th_vision.virtual_table.shapes import Part, parts
from th_vision.virtual_table.surfaces import Floats, grain_texture, sample, surface, table_texture, to_linear

Array = NDArray[np.float64]
Ids = NDArray[np.int32]
NOTHING = -1
_SUB = 4  # sub-rays a side of a colour pixel at an edge
_LAMP_RAYS = 8
_CHUNK = 600_000


@dataclass(frozen=True)
class CleanRender:
    """What is really there, seen without any fault.

    ``depth_mm``: (h, w) float32 Z in the depth camera, inf where nothing is hit. ``labels``: (h, w) int32 index into
    ``parts`` (-1: nothing), depth grid. ``color_linear``: (hc, wc, 3) float32 BGR linear light, or None.
    ``color_labels``: (hc, wc) int32. ``parts``: the bodies' meshes with their looks. ``scene``: what was rendered.
    """

    depth_mm: Floats
    labels: Ids
    color_linear: Floats | None
    color_labels: Ids | None
    parts: tuple[Part, ...]
    surface: str
    scene: Scene

    def kinds(self, *names: str) -> NDArray[np.bool_]:
        """(h, w) where the depth grid sees a body of these kinds."""
        table = np.array([part.kind in names for part in self.parts] + [False])
        return np.asarray(table[self.labels], dtype=np.bool_)


class Caster:
    """A scene's meshes in a ray caster."""

    def __init__(self, meshes: list[Part]) -> None:
        import open3d as o3d  # heavy: only where something is rendered

        self._core: Any = o3d.core
        self._scene: Any = o3d.t.geometry.RaycastingScene()
        for part in meshes:
            self._scene.add_triangles(
                self._core.Tensor(part.mesh.vertices.astype(np.float32)),
                self._core.Tensor(part.mesh.triangles.astype(np.uint32)),
            )
        self._missed = int(self._scene.INVALID_ID)

    def cast(self, rays: Floats) -> tuple[Floats, Ids, Floats]:
        """(n, 6) rays: distance in ray lengths, index of the part, normal (n, 3)."""
        hit = self._scene.cast_rays(self._core.Tensor(rays))
        ids = hit["geometry_ids"].numpy().astype(np.int64)
        ids[ids == self._missed] = NOTHING
        return hit["t_hit"].numpy(), ids.astype(np.int32), hit["primitive_normals"].numpy()

    def blocked(self, rays: Floats) -> NDArray[np.bool_]:
        """(n, 6) rays: whether anything lies on them."""
        return np.asarray(self._scene.test_occlusions(self._core.Tensor(rays)).numpy(), dtype=np.bool_)


@lru_cache(maxsize=6)
def directions_of(intrinsics: Intrinsics) -> Floats:
    """(h*w, 3) directions with z = 1 through pixel centres."""
    x, y = np.meshgrid(np.arange(intrinsics.width), np.arange(intrinsics.height))
    pixels = np.stack([x, y], axis=-1).reshape(-1, 2).astype(np.float64)
    return np.asarray(intrinsics.rays(pixels), dtype=np.float32)


def rays_from(directions: Floats, T_camera_table: Array) -> Floats:
    """(n, 6) rays in the table frame for directions of the camera; ray lengths stay those of z = 1."""
    T = np.linalg.inv(T_camera_table)
    out = np.empty((len(directions), 6), dtype=np.float32)
    out[:, :3] = T[:3, 3]
    np.matmul(directions, T[:3, :3].T.astype(np.float32), out=out[:, 3:])
    return out


def render_moment(scene: Scene, camera: VirtualCamera, *, color: bool = True) -> CleanRender:
    """Render a scene for one camera.

    Depth: one ray a pixel through its centre. Colour: one ray a pixel, ``_SUB`` x ``_SUB`` at edges and on the board.
    """
    meshes = parts(scene)
    caster = Caster(meshes)
    h, w = camera.depth.height, camera.depth.width
    t, ids, _ = caster.cast(pixel_rays(camera.depth, camera.T_depth_table))
    view = view_color(scene, camera, caster, meshes) if color else None
    return CleanRender(
        depth_mm=t.reshape(h, w).astype(np.float32),
        labels=ids.reshape(h, w),
        color_linear=None if view is None else view.image,
        color_labels=None if view is None else view.ids.reshape(view.image.shape[:2]),
        parts=tuple(meshes),
        surface=scene.table.surface,
        scene=scene,
    )


@lru_cache(maxsize=2)
def _rays_of(intrinsics: Intrinsics, pose: bytes) -> Floats:
    """(h*w, 6) rays through pixel centres; ``pose``: the bytes of ``T_camera_table``."""
    return rays_from(directions_of(intrinsics), np.frombuffer(pose).reshape(4, 4))


def pixel_rays(intrinsics: Intrinsics, T_camera_table: Array) -> Floats:
    """(h*w, 6) rays in the table frame through pixel centres; not to be written to."""
    return _rays_of(intrinsics, np.ascontiguousarray(T_camera_table, dtype=np.float64).tobytes())


@dataclass(frozen=True)
class ColorView:
    """What the colour camera sees, with what a later look can start from; arrays of n = h*w pixels.

    ``t`` (n,), ``ids`` (n,), ``normals`` (n, 3): where each pixel's ray ends. ``seen``: (h/2, w/2) how many of the
    lamp's rays get there; ``shade`` (n,): the share of the lamp. ``edges`` (n,): where sub-rays were cast.
    ``image``: (h, w, 3) linear light.
    """

    t: Floats
    ids: Ids
    normals: Floats
    seen: Floats
    shade: Floats
    edges: NDArray[np.bool_]
    image: Floats


@dataclass(frozen=True)
class Change:
    """Where a scene may look otherwise than the one before, in one camera's picture.

    ``renumber``: new index of each part that was there, ``NOTHING`` for those that are gone and at the end.
    ``bodies``: (h, w) where rays may meet what came, or met what went. ``shadows``: (h, w) where its shadows may fall.
    """

    renumber: Ids
    bodies: NDArray[np.bool_]
    shadows: NDArray[np.bool_]


def color_pose(camera: VirtualCamera) -> Array:
    """Table frame to the colour camera, where it really is."""
    return np.asarray(camera.true_T_color_depth @ camera.T_depth_table)


def view_color(
    scene: Scene,
    camera: VirtualCamera,
    caster: Caster,
    meshes: list[Part],
    before: ColorView | None = None,
    change: Change | None = None,
) -> ColorView:
    """Look at a scene with the colour camera; anew, or only where there is a change from a view ``before``."""
    K, T, lamp = camera.color, color_pose(camera), scene.light
    h, w = K.height, K.width
    looks = Looks(scene, meshes, camera.distance_mm / K.fx / _SUB)
    rays = pixel_rays(K, T)
    grid = np.zeros((h, w), dtype=np.bool_)
    grid[::2, ::2] = True
    if before is None or change is None:
        t, ids, normals = caster.cast(rays)
        seen = np.zeros(((h + 1) // 2, (w + 1) // 2), dtype=np.float32)
        lit_anew = grid
    else:
        at = np.flatnonzero(change.bodies)
        t, ids, normals = before.t.copy(), change.renumber[before.ids], before.normals.copy()
        t[at], ids[at], normals[at] = caster.cast(rays[at])
        seen = before.seen.copy()
        lit_anew = grid & (change.bodies | change.shadows)
    at = np.flatnonzero(lit_anew)
    seen[lit_anew[::2, ::2]] = _lamp_seen(caster, _ends(rays[at], t[at]), normals[at], lamp)
    shade = _spread(seen, (h, w))
    edges = _edges(ids.reshape(h, w), normals.reshape(h, w, 3), meshes).ravel()
    todo: slice | NDArray[np.intp]
    if before is None or change is None:
        image, todo, fine = np.empty((h * w, 3), dtype=np.float32), slice(None), edges
    else:
        other = change.bodies.ravel() | (shade != before.shade) | (edges != before.edges)
        image, todo, fine = before.image.reshape(-1, 3).copy(), np.flatnonzero(other), edges & other
    points = _ends(rays[todo], t[todo])
    light = _lit(shade[todo], normals[todo], lamp)
    colors = looks.albedo(points, ids[todo]) * light[:, None]
    if scene.table.surface == "glossy":
        colors += _gloss(points, rays[todo], normals[todo], ids[todo], scene, shade[todo])[:, None]
    image[todo] = colors
    finer = fine.nonzero()[0]
    for part in np.array_split(finer, max(1, math.ceil(len(finer) * _SUB**2 / _CHUNK))):
        if len(part):
            image[part] = _supersample(K, T, caster, looks, part, lamp, shade)
    return ColorView(t, ids, normals, seen, shade, edges, image.reshape(h, w, 3))


def _ends(rays: Floats, t: Floats) -> Floats:
    """(n, 3) where rays end; where they start, if they meet nothing."""
    return np.asarray(rays[:, :3] + rays[:, 3:] * np.where(np.isfinite(t), t, 0)[:, None])


def _edges(labels: Ids, normals: Floats, meshes: list[Part]) -> NDArray[np.bool_]:
    """Pixels where a finer look is due: neighbours of other parts or faces, and the board's print."""
    key = labels.astype(np.float32) * 7 + normals @ np.array([1.7, 2.3, 3.1], dtype=np.float32)
    out = np.zeros(labels.shape, dtype=np.bool_)
    dx, dy = np.abs(np.diff(key, axis=1)) > 0.4, np.abs(np.diff(key, axis=0)) > 0.4
    out[:, 1:] |= dx
    out[:, :-1] |= dx
    out[1:] |= dy
    out[:-1] |= dy
    board = [k for k, part in enumerate(meshes) if part.kind == "board"]
    return out | np.isin(labels, board) if board else out


def _supersample(
    K: Intrinsics,
    T: Array,
    caster: Caster,
    looks: Looks,
    at: NDArray[np.intp],
    lamp: Light,
    shade: Floats,
) -> Floats:
    """Mean colour of ``_SUB`` x ``_SUB`` sub-rays for the pixels ``at`` (flat indices)."""
    offsets = (np.arange(_SUB) + 0.5) / _SUB - 0.5
    ox, oy = (o.ravel() for o in np.meshgrid(offsets, offsets))
    x, y = at % K.width, at // K.width
    pixels = np.stack([x[:, None] + ox, y[:, None] + oy], axis=-1)
    if any(K.distortion):
        directions = K.rays(pixels.reshape(-1, 2)).astype(np.float32)
    else:
        flat = pixels.reshape(-1, 2)
        directions = np.ones((len(flat), 3), dtype=np.float32)
        directions[:, 0] = (flat[:, 0] - K.cx) / K.fx
        directions[:, 1] = (flat[:, 1] - K.cy) / K.fy
    rays = rays_from(directions, T)
    t, ids, normals = caster.cast(rays)
    points = rays[:, :3] + rays[:, 3:] * np.where(np.isfinite(t), t, 0)[:, None]
    lit = _lit(np.repeat(shade[at], _SUB**2), normals, lamp)
    colors = looks.albedo(points, ids) * lit[:, None]
    return np.asarray(colors.reshape(len(at), _SUB**2, 3).mean(axis=1), dtype=np.float32)


def _unit(v: tuple[float, float, float] | Array) -> Array:
    a = np.asarray(v, dtype=np.float64)
    return np.asarray(a / np.linalg.norm(a))


def lamp_directions(lamp: Light) -> Floats:
    """(k, 3) directions to the places of the lamp that shadow rays go to."""
    main = _unit(lamp.direction)
    side = _unit(np.cross(main, [0.0, 0.0, 1.0]) + np.array([1e-6, 0, 0]))
    other = np.cross(main, side)
    spread = math.tan(math.radians(lamp.softness_deg))
    out = np.empty((_LAMP_RAYS, 3), dtype=np.float32)
    for k in range(_LAMP_RAYS):
        radius, angle = math.sqrt((k + 0.5) / _LAMP_RAYS), k * 2.399963
        out[k] = main + spread * radius * (math.cos(angle) * side + math.sin(angle) * other)
    return out


def _lamp_seen(caster: Caster, points: Floats, normals: Floats, lamp: Light) -> Floats:
    """How many of the lamp's rays reach each point, (n,)."""
    seen = np.zeros(len(points), dtype=np.float32)
    rays = np.empty((len(points), 6), dtype=np.float32)
    rays[:, :3] = points + normals * np.float32(0.15)
    for direction in lamp_directions(lamp):
        rays[:, 3:] = direction
        seen += ~caster.blocked(rays)
    return seen


def _spread(seen: Floats, shape: tuple[int, int]) -> Floats:
    """Share of the lamp that each pixel sees, (n,) 0..1, from rays at half the resolution: smoothed."""
    half = cv2.GaussianBlur(seen / _LAMP_RAYS, (0, 0), 1.2)
    full = cv2.resize(half, shape[::-1], interpolation=cv2.INTER_LINEAR)
    return np.asarray(full, dtype=np.float32).ravel()


def _lit(shade: Floats, normals: Floats, lamp: Light) -> Floats:
    """Light on each pixel, (n,): 1 on a level surface in full light (Lambert lamp, sky-like ambient)."""
    main = _unit(lamp.direction).astype(np.float32)
    lambert = np.clip(normals @ main, 0, None) / main[2]
    sky = 0.62 + 0.38 * normals[:, 2]
    return np.asarray(lamp.ambient * sky + (1 - lamp.ambient) * shade * lambert, dtype=np.float32)


def _gloss(points: Floats, rays: Floats, normals: Floats, ids: Ids, scene: Scene, shade: Floats) -> Floats:
    """Mirror image of the lamp in a glossy table, (n,)."""
    main = _unit(scene.light.direction).astype(np.float32)
    view = rays[:, 3:] / np.linalg.norm(rays[:, 3:], axis=1, keepdims=True)
    mirrored = view.copy()
    mirrored[:, 2] *= -1
    cosine = np.clip(mirrored @ main, 0, 1)
    return np.asarray(surface(scene.table.surface).gloss * (ids == 0) * shade * cosine**60, dtype=np.float32)


class Looks:
    """Albedo of every part of a scene."""

    def __init__(self, scene: Scene, meshes: list[Part], footprint_mm: float) -> None:
        self._meshes = meshes
        self.surface = scene.table.surface
        self._table = table_texture(scene.table.surface, scene.table.seed)
        self._board: BoardBody | None = scene.board
        self._print = None if scene.board is None else _softened(scene.board, footprint_mm)
        base = [to_linear(part.color) * np.float32(part.shade) for part in meshes]
        self._base = np.array([*base, np.full(3, 0.02)], dtype=np.float32)
        uv = [np.array([[1.0, 0, 0.3, 0], [0, 1.0, 0.5, 0]]) if p.uv is None else p.uv for p in meshes]
        self._uv = np.array([*uv, np.zeros((2, 4))], dtype=np.float32)
        grains = [{"fine": 1, "long": 2}.get(part.grain, 0) for part in meshes]
        self._grain = np.array([*grains, 0])

    def albedo(self, points: Floats, ids: Ids) -> Floats:
        """(n, 3) linear BGR at table-frame points of the parts ``ids``."""
        out = self._base[ids]
        on_table = np.flatnonzero(ids == 0)
        if len(on_table):
            plane = points[on_table] @ self._uv[0, :, :3].T + self._uv[0, :, 3]
            out[on_table] = sample(self._table, plane[:, 0], plane[:, 1])
        for number, name in ((1, "fine"), (2, "long")):
            at = np.flatnonzero((self._grain[ids] == number) & (ids > 0))
            if len(at):
                u, v = self._coordinates(points[at], ids[at])
                out[at] *= sample(grain_texture(name), u, v)[:, None]
        if self._board is not None and self._print is not None:
            on_board = np.flatnonzero(ids == _index_of(self._meshes, "board"))
            if len(on_board):
                out[on_board] = _board_albedo(self._board, self._print, points[on_board], out[on_board])
        return out

    def _coordinates(self, points: Floats, ids: Ids) -> tuple[Floats, Floats]:
        uv = self._uv[ids]
        u = np.einsum("ij,ij->i", uv[:, 0, :3], points) + uv[:, 0, 3]
        v = np.einsum("ij,ij->i", uv[:, 1, :3], points) + uv[:, 1, 3]
        return u, v


def _index_of(meshes: list[Part], kind: str) -> int:
    return next(k for k, part in enumerate(meshes) if part.kind == kind)


def _softened(board: BoardBody, footprint_mm: float) -> Floats:
    """The board's drawing as ink density 0..1, softened to the size of a sub-ray on it."""
    texels = footprint_mm * board.texture.shape[1] / board.size_mm[0]
    drawing = board.texture.astype(np.float32) / np.float32(255)
    return np.asarray(cv2.GaussianBlur(drawing, (0, 0), max(0.35 * texels, 0.3)), dtype=np.float32)


def _board_albedo(board: BoardBody, drawing: Floats, points: Floats, paper: Floats) -> Floats:
    """The print on the board: ink where its drawing is dark, paper elsewhere. Texel k is centred at k + 0.5."""
    h, w = drawing.shape
    x = (points[:, 0] / board.size_mm[0] + 0.5) * w - 0.5
    y = (0.5 - points[:, 1] / board.size_mm[1]) * h - 0.5
    x0, y0 = np.floor(x).astype(np.intp), np.floor(y).astype(np.intp)
    fx, fy = (x - x0).astype(np.float32), (y - y0).astype(np.float32)
    shade = np.zeros(len(x), dtype=np.float32)
    for dy, dx, weight in ((0, 0, (1 - fx) * (1 - fy)), (0, 1, fx * (1 - fy)), (1, 0, (1 - fx) * fy), (1, 1, fx * fy)):
        u, v = x0 + dx, y0 + dy
        inside = (u >= 0) & (u < w) & (v >= 0) & (v < h)
        shade += weight * np.where(inside, drawing[np.clip(v, 0, h - 1), np.clip(u, 0, w - 1)], 1)
    shade[points[:, 2] < board.thickness_mm - 0.05] = 1  # the card's sides
    return np.asarray(paper * (0.04 + 0.96 * shade[:, None]), dtype=np.float32)


def surface_key(part: Part) -> int:
    """A number that stays while a body stays as it is and where it is."""
    return zlib.crc32(part.key.encode())
