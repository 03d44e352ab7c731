"""Which of two overlapping roads is on top, by colour: the outline that goes on unbroken is the upper one's."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from shapely import contains_xy, get_coordinates, line_interpolate_point
from shapely.geometry.base import BaseGeometry
from shapely.ops import unary_union

from rules.pieces import Pieces
from th_vision import tolerances
from th_vision.detect.plan import PlanView
from th_vision.detect.resting import outline

Array = NDArray[np.float64]
ACROSS_MM = np.array([-0.8, -0.4, 0.0, 0.4, 0.8])
ALONG_MM = np.array([-1.0, 0.0, 1.0])
"""An outline as a whole is looked for so far beside where it should be; a tip also so far along."""
POINTS_MM = 1.0


def on_top(
    plan: PlanView,
    pieces: Pieces,
    first: tuple[Array, Array],
    second: tuple[Array, Array],
    near: Sequence[tuple[Array, Array]] = (),
    *,
    tips: bool = False,
) -> float:
    """How much better the first road's outline is seen inside the second's than the other way round, -1 to 1.

    Roads are pairs of tips (3,). Positive: the first lies on top. 0 where colour can't tell. ``near``: other roads that
    may lie on both; where they do, nothing is asked. ``tips``: their ends lie on each other, not their middles.
    """
    if plan.color is None:
        return 0.0
    third = unary_union([outline(pieces, a[:2], b[:2]).buffer(tolerances.RIM_BAND_MM) for a, b in near])
    along = ALONG_MM if tips else np.zeros(1)
    seen = [_seen_inside(plan, pieces, road, other, third, along) for road, other in ((first, second), (second, first))]
    return seen[0] - seen[1]


def _seen_inside(
    plan: PlanView, pieces: Pieces, road: tuple[Array, Array], other: tuple[Array, Array], third: BaseGeometry, s: Array
) -> float:
    """Mean clearness (0 to 1) of the part of a road's outline that lies inside the other's outline, and in no third,
    where it is seen best, shifted by one of ``s`` (mm) along."""
    a, b = road
    inner = outline(pieces, other[0][:2], other[1][:2]).buffer(-tolerances.T_JUNCTION_BAND_MM).difference(third)
    points, normals = _outline_points(pieces, a, b)
    inside = contains_xy(inner, points[:, 0], points[:, 1])
    if inside.sum() * POINTS_MM < tolerances.T_JUNCTION_LEAST_MM:
        return 0.0
    points, normals = points[inside], normals[inside]
    run = (b - a)[:2]
    unit = run / float(np.hypot(*run))
    z = a[2] + ((points - a[:2]) @ run) / float(run @ run) * (b[2] - a[2])
    shifts = s[:, None, None] * unit + ACROSS_MM[:, None] * np.array([-unit[1], unit[0]])
    at = np.empty((shifts.shape[0] * shifts.shape[1], len(points), 3))
    at[..., :2] = points + shifts.reshape(-1, 1, 2)
    at[..., 2] = z
    ends = np.empty((2, len(points), 3))
    ends[..., :2] = points + np.array([-0.5, 0.5])[:, None, None] * normals
    ends[..., 2] = z
    assert plan.edges is not None
    tensor = plan.edges.at(plan.color_pixels(at))
    if not np.isfinite(tensor).all():
        return 0.0
    before, behind = plan.color_pixels(ends)
    way = behind - before
    nx, ny = (way / np.linalg.norm(way, axis=1, keepdims=True)).T
    across_less_along = (tensor[..., 0] - tensor[..., 2]) * (nx * nx - ny * ny) + 4 * tensor[..., 1] * nx * ny
    return float(np.clip(across_less_along.mean(axis=1).max(), 0, 1))


def _outline_points(pieces: Pieces, a: Array, b: Array) -> tuple[Array, Array]:
    """(n, 2) points on a road's plan outline, and their outward normals."""
    shape = outline(pieces, a[:2], b[:2])
    ring = shape.exterior
    at = np.arange(0, ring.length, POINTS_MM)
    points = get_coordinates(line_interpolate_point(ring, at))
    ahead = np.roll(points, -1, axis=0) - np.roll(points, 1, axis=0)
    normals = np.stack([ahead[:, 1], -ahead[:, 0]], axis=1)
    return points, normals / np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-9)
