"""Plain solids as triangle meshes, mm: prisms, boxes, tubes, limbs, domes. Numpy only; no renderer here."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Mesh:
    """``vertices`` (n, 3) mm, ``triangles`` (m, 3) indices; normals point outwards (counter-clockwise)."""

    vertices: Array
    triangles: NDArray[np.int64]


@dataclass(frozen=True)
class Part:
    """A mesh of a body with what it looks like.

    ``kind``: table, floor, board, disc, stick, car, city, foreign, hand; ``owner``: id of its piece; ``key``: what its
    surface pattern is drawn from: it changes when the body changes or moves. ``uv``: (2, 4) affine map from table
    frame points to texture coordinates, mm. ``grain``: name of the texture on it.
    """

    mesh: Mesh
    kind: str
    owner: str
    key: str
    color: str
    grain: str = "fine"
    uv: Array | None = None
    shade: float = 1.0


def prism(outline: Sequence[tuple[float, float]] | Array, low: float, high: float, taper: float = 1.0) -> Mesh:
    """A prism over a simple polygon (either sense); ``taper``: size of the top against the bottom, about its mean."""
    base = np.asarray(outline, dtype=np.float64)
    x, y = base[:, 0], base[:, 1]
    if float(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1))) < 0:
        base = base[::-1]
    n = len(base)
    middle = base.mean(axis=0)
    top = middle + (base - middle) * taper
    vertices = np.concatenate([np.column_stack([base, np.full(n, low)]), np.column_stack([top, np.full(n, high)])])
    faces = triangulate(base)
    i = np.arange(n)
    j = (i + 1) % n
    sides = np.concatenate([np.column_stack([i, j, j + n]), np.column_stack([i, j + n, i + n])])
    return Mesh(vertices, np.concatenate([faces + n, faces[:, ::-1], sides]))


def triangulate(outline: Array) -> NDArray[np.int64]:
    """Ear clipping of a simple counter-clockwise polygon (n, 2): (n-2, 3) indices."""
    ahead = np.roll(outline, -1, axis=0) - outline
    after = np.roll(ahead, -1, axis=0)
    if bool(np.all(ahead[:, 0] * after[:, 1] - ahead[:, 1] * after[:, 0] >= 0)):  # convex: a fan will do
        second = np.arange(1, len(outline) - 1)
        return np.column_stack([np.zeros_like(second), second, second + 1])
    left = list(range(len(outline)))
    out: list[tuple[int, int, int]] = []

    def cross(a: int, b: int, c: int) -> float:
        p, q, r = outline[a], outline[b], outline[c]
        return float((q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]))

    while len(left) > 3:
        for k in range(len(left)):
            a, b, c = left[k - 1], left[k], left[(k + 1) % len(left)]
            if cross(a, b, c) <= 0:
                continue
            inside = any(
                cross(a, b, p) >= 0 and cross(b, c, p) >= 0 and cross(c, a, p) >= 0 for p in left if p not in (a, b, c)
            )
            if not inside:
                out.append((a, b, c))
                del left[k]
                break
        else:  # degenerate: fan what is left
            out += [(left[0], left[k], left[k + 1]) for k in range(1, len(left) - 1)]
            return np.array(out, dtype=np.int64)
    out.append((left[0], left[1], left[2]))
    return np.array(out, dtype=np.int64)


def circle(x: float, y: float, radius: float, corners: int = 48) -> Array:
    """Corners (n, 2) of a polygon with the circle's area."""
    angle = np.arange(corners) * 2 * math.pi / corners
    grown = radius * math.sqrt((2 * math.pi / corners) / math.sin(2 * math.pi / corners))
    return np.column_stack([x + grown * np.cos(angle), y + grown * np.sin(angle)])


def box(corner: Array, x: Array, y: Array, z: Array) -> Mesh:
    """Parallelepiped from a corner and three edges (right-handed)."""
    v = np.array([corner + i * x + j * y + k * z for k in (0, 1) for j in (0, 1) for i in (0, 1)])
    quads = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    return Mesh(v, np.array([t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]))


def tube(points: Array, radii: Array, around: int = 14) -> Mesh:
    """A tube through (n, 3) points with a radius at each, closed by caps."""
    n = len(points)
    direction = np.gradient(points, axis=0)
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    helper = np.where(np.abs(direction[:, 2:3]) > 0.9, [[1.0, 0, 0]], [[0, 0, 1.0]])
    side = np.cross(helper, direction)
    side /= np.linalg.norm(side, axis=1, keepdims=True)
    up = np.cross(direction, side)
    angle = np.arange(around) * 2 * math.pi / around
    ring = np.cos(angle)[None, :, None] * side[:, None] + np.sin(angle)[None, :, None] * up[:, None]
    vertices = np.concatenate([(points[:, None] + radii[:, None, None] * ring).reshape(-1, 3), points[[0, -1]]])
    i, j = np.meshgrid(np.arange(n - 1), np.arange(around), indexing="ij")
    a, b = (i * around + j).ravel(), (i * around + (j + 1) % around).ravel()
    k = np.arange(around)
    last = (n - 1) * around
    faces = [
        np.column_stack([a, b, b + around]),
        np.column_stack([a, b + around, a + around]),
        np.column_stack([np.full(around, n * around), (k + 1) % around, k]),
        np.column_stack([np.full(around, n * around + 1), last + k, last + (k + 1) % around]),
    ]
    return Mesh(vertices, np.concatenate(faces))


def capsule(a: Array, b: Array, radius_a: float, radius_b: float) -> Mesh:
    """A limb from a to b with rounded ends."""
    d = (b - a) / max(float(np.linalg.norm(b - a)), 1e-9)
    cap = np.linspace(0, math.pi / 2, 5)[:-1]
    points = [a - d * radius_a * math.cos(t) for t in cap] + [a, b] + [b + d * radius_b * math.sin(t) for t in cap[1:]]
    radii = [radius_a * math.sin(max(t, 0.05)) for t in cap] + [radius_a, radius_b]
    radii += [radius_b * math.cos(t) for t in cap[1:]]
    return tube(np.array(points), np.array(radii))


def dome(x: float, y: float, low: float, radius: float, height: float, around: int = 16) -> Mesh:
    """Half an ellipsoid standing on ``low``: round crowns, domes, and the top of a head."""
    rise = np.linspace(0, math.pi / 2, 6)[:-1]
    points = np.column_stack([np.full(5, x), np.full(5, y), low + height * np.sin(rise)])
    points = np.concatenate([points, [[x, y, low + height]]])
    return tube(points, np.array([*(radius * np.cos(rise)), 0.02 * radius]), around)


def cone(x: float, y: float, low: float, high: float, radius_low: float, radius_high: float, around: int = 24) -> Mesh:
    """A round thing that grows thinner (or wider) towards its top."""
    return prism(circle(x, y, radius_low, around), low, high, radius_high / radius_low)


def turned_box(middle: Array, turn_deg: float, size: tuple[float, float, float]) -> Mesh:
    """A box with its foot's middle at ``middle`` (3,), turned about z; ``size``: along, across, up, mm."""
    c, s = math.cos(math.radians(turn_deg)), math.sin(math.radians(turn_deg))
    along, across = np.array([c, s, 0.0]) * size[0], np.array([-s, c, 0.0]) * size[1]
    return box(middle - (along + across) / 2, along, across, np.array([0.0, 0.0, size[2]]))


def joined(meshes: Sequence[Mesh]) -> Mesh:
    """Several meshes as one."""
    first = np.cumsum([0, *(len(mesh.vertices) for mesh in meshes)])
    triangles = [mesh.triangles + offset for mesh, offset in zip(meshes, first, strict=False)]
    return Mesh(np.concatenate([mesh.vertices for mesh in meshes]), np.concatenate(triangles))
