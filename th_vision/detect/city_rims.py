"""A card, or a roof, of a known size in the maps of a view: where its rim fits best, and what speaks for it there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from shapely.geometry import Polygon

from rules.pieces import Box
from th_vision import tolerances
from th_vision.detect.city_maps import CityMaps
from th_vision.detect.plan import Image
from th_vision.detect.sampling import sample

Array = NDArray[np.float64]
_HALF = np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]])


@dataclass(frozen=True)
class Laid:
    """A card of a kind with its middle at (x, y), mm, its length turned by ``turn`` (radians).

    ``rim``: share (0 to 1) of its rim that is seen. ``new``: share of what is beside its rim that is new inside and not
    outside. ``rise_mm``: how much higher it lies than the table around it, NaN where too little was seen. ``score``:
    all of it together. ``probability``: that it is of this kind. ``inset_mm``: how far inside its rim its
    outline was seen. ``sigma_mm``: of each coordinate of its corners.
    """

    kind: str
    x: float
    y: float
    turn: float
    length: float
    width: float
    height_mm: float
    rim: float
    new: float
    rise_mm: float
    score: float
    probability: float = 1.0
    inset_mm: float = 0.0
    sigma_mm: float = tolerances.CITY_SIGMA_MM

    def corners(self, more_mm: float = 0.0) -> Array:
        """(4, 2) corners, counter-clockwise, ``more_mm`` further out."""
        return corners_of((self.x, self.y, self.turn), self.length + 2 * more_mm, self.width + 2 * more_mm)

    def outline(self) -> Polygon:
        """Its outline in plan."""
        return Polygon(self.corners())


def corners_of(pose: Sequence[float] | Array, length: float, width: float) -> Array:
    """(4, 2) corners of a rectangle about (x, y, turn), counter-clockwise."""
    x, y, turn = (float(v) for v in pose)
    c, s = np.cos(turn), np.sin(turn)
    return np.asarray(_HALF * [length, width] @ np.array([[c, s], [-s, c]]) + [x, y])


def looked_at(maps: CityMaps, kind: str, box: Box, pose: Sequence[float] | Array, inset_mm: float = 0.0) -> Laid:
    """What the maps show of a card of this size at this place, its outline ``inset_mm`` inside of its rim."""
    x, y, turn = (float(v) for v in pose)
    edges, _ = _profiles(maps, box, np.array([pose]), np.array([-inset_mm]))
    by_side = np.sort(edges[0, :, 0])
    # another piece may cover one side in part; all four make a card
    seen = float((0.5 * by_side[0] + by_side[1:].sum()) / 3.5) - tolerances.CITY_INSET_COST * inset_mm
    points, normals = rim_points(pose, box.length, box.width, tolerances.CITY_ALONG_MM)
    beside = tolerances.CITY_BESIDE_MM
    inner, outer = (at_points(maps, maps.other, points + side * beside * normals) for side in (-1.0, 1.0))
    new = float(np.mean(np.nan_to_num(inner) - np.nan_to_num(outer)))
    rise, sigma = _rise(maps, box, pose)
    depth = 0.0 if np.isnan(rise) else float(np.clip(rise / box.height, 0.0, 1.0))
    trust = 1.0 if np.isnan(sigma) else float(1 / (1 + (2 * sigma / box.height) ** 2))
    off = 0.0 if np.isnan(rise) else max(0.0, abs(rise - box.height) - 3 * sigma - 0.5 * box.height) / box.height
    score = seen + 0.5 * new + 0.5 * trust * depth - off
    return Laid(kind, x, y, turn, box.length, box.width, box.height, seen, new, rise, score, inset_mm=inset_mm)


def _rise(maps: CityMaps, box: Box, pose: Sequence[float] | Array) -> tuple[float, float]:
    """How much higher than the table around it a card lies by depth, and the sigma of that; NaN: too little seen."""
    spread = tolerances.CITY_BLUR_MM
    inside = _grid(pose, box.length - 2 * spread, box.width - 2 * spread, 3.0)
    around, _ = rim_points(pose, box.length + 3 * spread, box.width + 3 * spread, 3.0)
    room = box.height + tolerances.CITY_LOW_MM
    values = []
    for points in (inside, around):
        if not len(points):
            return float("nan"), float("nan")
        height = at_points(maps, maps.height, points)
        height = height[np.isfinite(height) & (np.abs(height) < room)]
        if len(height) < 0.25 * len(points):
            return float("nan"), float("nan")
        values.append(height)
    area = len(values[0]) * 9.0
    samples = max(area / maps.sample_mm2, 0.5)
    return float(np.mean(values[0]) - np.mean(values[1])), float(maps.sigma_mm / np.sqrt(samples))


def settled(
    maps: CityMaps,
    kind: str,
    box: Box,
    pose: Sequence[float] | Array,
    turn_deg: float = 4.0,
    weight: float = tolerances.CITY_FIRST_WEIGHT,
    framed: bool | None = None,
) -> Laid:
    """A card moved from a pose nearby to where its rim is seen best: edges across it, and (by ``weight``) another
    colour next to it on the inside, the table's on the outside. ``framed``: whether it is a frame printed inside its
    rim that is seen (None: either)."""
    step_deg = turn_deg / 3
    best = np.array(pose, dtype=np.float64)
    inset = 0.0
    while step_deg > tolerances.CITY_LEAST_TURN_DEG:
        turns = np.radians(step_deg) * np.arange(-3, 4)
        best, inset = _shifted(maps, box, best + np.outer(turns, [0.0, 0.0, 1.0]), weight, framed)
        step_deg /= 3
    return looked_at(maps, kind, box, best, inset)


def _shifted(maps: CityMaps, box: Box, poses: Array, weight: float, framed: bool | None) -> tuple[Array, float]:
    """The best place of a card at the best of some poses (n, 3), and how far inside its rim its outline was seen, mm.

    Its size is known, so two opposite sides say where it is. Where the rim looks like the table, a frame that is
    printed as far inside of it on all sides says the same.
    """
    step, reach, deep = tolerances.CITY_STEP_MM, tolerances.CITY_STEPS, tolerances.CITY_INSET_STEPS
    offsets: Array = np.asarray(step * np.arange(-reach - deep, reach + 1), dtype=np.float64)
    edges, beside = _profiles(maps, box, poses, offsets)
    insets = np.arange(0 if framed is not True else tolerances.CITY_INSET_LEAST, deep + 1, 2)
    insets = insets[:1] if framed is False else insets
    at = deep - insets[:, None] + np.arange(2 * reach + 1)  # (insets, places)
    total = np.broadcast_to(-tolerances.CITY_INSET_COST * insets * step, (len(poses), len(insets))).copy()
    rows: list[Array] = []
    # sides 0 to 3 face: minus v, plus u, plus v, minus u
    for plus, minus in ((1, 3), (2, 0)):
        one, other = edges[:, plus][:, at], edges[:, minus][:, at][..., ::-1]
        # a line of the print, or the rim of a shadow, is an edge on one side only
        both = one + other + np.minimum(one, other)
        both = both + weight * (beside[:, plus, deep:] + beside[:, minus, deep:][:, ::-1])[:, None]
        rows.append(both)
        total += both.max(axis=2) / 6
    n, m = np.unravel_index(int(np.argmax(total)), total.shape)
    moved = poses[n].copy()
    c, s = np.cos(moved[2]), np.sin(moved[2])
    for both, way in zip(rows, (np.array([c, s]), np.array([-s, c])), strict=True):
        row = both[n, m]
        k = int(np.argmax(row))
        sub = 0.0
        if 0 < k < len(row) - 1:
            bend = row[k - 1] - 2 * row[k] + row[k + 1]
            sub = float(np.clip(0.5 * (row[k - 1] - row[k + 1]) / bend, -0.5, 0.5)) if bend < -1e-6 else 0.0
        moved[:2] += way * (k - reach + sub) * step
    return moved, float(insets[m] * step)


def _profiles(maps: CityMaps, box: Box, poses: Array, offsets: Array) -> tuple[Array, Array]:
    """(n, 4, k) each, of n poses: by how much further out each side is asked, the share of it that is an edge there;
    and how much more of what is next to it is of another colour than the table inside than outside."""
    corners = np.stack([corners_of(pose, box.length, box.width) for pose in poses])  # (n, 4, 2)
    ways = np.roll(corners, -1, axis=1) - corners
    count = max(8, round((box.length + box.width) / 2 / tolerances.CITY_ALONG_MM))
    t = (np.arange(count) + 0.5) / count
    points = corners[:, :, None] + t[:, None] * ways[:, :, None]
    units = ways / np.linalg.norm(ways, axis=-1, keepdims=True)
    normals = np.stack([units[..., 1], -units[..., 0]], axis=-1)
    places = points[:, :, :, None] + offsets[:, None] * normals[:, :, None, None]
    seen = np.nan_to_num(at_points(maps, maps.rims, places.reshape(len(poses) * 4, -1, 2)))
    mean = seen.reshape(len(poses), 4, count, len(offsets), 4).mean(axis=2)
    nx, ny = normals[..., 0, None], normals[..., 1, None]
    edge = mean[..., 0] * nx * nx + 2 * mean[..., 1] * nx * ny + mean[..., 2] * ny * ny
    shift = round(max(tolerances.CITY_NEXT_MM, maps.pitch) / tolerances.CITY_STEP_MM)
    padded = np.pad(mean[..., 3], ((0, 0), (0, 0), (shift, shift)), mode="edge")
    return np.asarray(edge), np.asarray(padded[..., : len(offsets)] - padded[..., 2 * shift :])


def rim_points(pose: Sequence[float] | Array, length: float, width: float, pitch: float) -> tuple[Array, Array]:
    """Points (n, 2) along the four sides of a rectangle, as many on each, and their normals outwards."""
    corners = corners_of(pose, length, width)
    count = max(8, round((length + width) / 2 / pitch))
    t = ((np.arange(count) + 0.5) / count)[:, None]
    points, normals = [], []
    for k in range(4):
        a, b = corners[k], corners[(k + 1) % 4]
        way = (b - a) / np.hypot(*(b - a))
        points.append(a + t * (b - a))
        normals.append(np.broadcast_to([way[1], -way[0]], (count, 2)))
    return np.concatenate(points), np.concatenate(normals)


def _grid(pose: Sequence[float] | Array, length: float, width: float, pitch: float) -> Array:
    """(n, 2) points over a rectangle."""
    x, y, turn = (float(v) for v in pose)
    u = np.arange(-length / 2 + pitch / 2, length / 2, pitch)
    v = np.arange(-width / 2 + pitch / 2, width / 2, pitch)
    gu, gv = (g.ravel() for g in np.meshgrid(u, v))
    c, s = np.cos(turn), np.sin(turn)
    return np.stack([x + c * gu - s * gv, y + s * gu + c * gv], axis=1)


def at_points(maps: CityMaps, image: Image, points: Array) -> Image:
    """Bilinear values of a map at (n, ..., 2) plan points; NaN outside."""
    corner = np.array([maps.field.x0 + maps.pitch / 2, maps.field.y0 + maps.pitch / 2])
    return sample(image, (points - corner) / maps.pitch)
