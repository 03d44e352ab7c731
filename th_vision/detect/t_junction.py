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
SHIFTS_MM = np.array([-0.8, -0.4, 0.0, 0.4, 0.8])
"""An outline is looked for so far beside where it should be."""


def on_top(
    plan: PlanView,
    pieces: Pieces,
    first: tuple[Array, Array],
    second: tuple[Array, Array],
    near: Sequence[tuple[Array, Array]] = (),
) -> float:
    """How much better the first road's outline is seen inside the second's than the other way round, -1 to 1.

    Roads are pairs of tips (3,). Positive: the first lies on top. 0 where colour can't tell. ``near``: other roads that
    may lie on both; where they do, nothing is asked.
    """
    if plan.color is None:
        return 0.0
    third = unary_union([outline(pieces, a[:2], b[:2]).buffer(tolerances.RIM_BAND_MM) for a, b in near])
    return _seen_inside(plan, pieces, first, second, third) - _seen_inside(plan, pieces, second, first, third)


def _seen_inside(
    plan: PlanView, pieces: Pieces, road: tuple[Array, Array], other: tuple[Array, Array], third: BaseGeometry
) -> float:
    """Mean clearness (0 to 1) of the part of a road's outline that lies inside the other's outline, and in no third."""
    a, b = road
    inner = outline(pieces, other[0][:2], other[1][:2]).buffer(-tolerances.RIM_BAND_MM).difference(third)
    points, normals = _outline_points(pieces, a, b)
    inside = contains_xy(inner, points[:, 0], points[:, 1])
    if inside.sum() < 6:
        return 0.0
    points, normals = points[inside], normals[inside]
    run = (b - a)[:2]
    z = a[2] + ((points - a[:2]) @ run) / float(run @ run) * (b[2] - a[2])
    at = np.empty((len(points), len(SHIFTS_MM), 3))
    at[..., :2] = points[:, None] + SHIFTS_MM[:, None] * normals[:, None]
    at[..., 2] = z[:, None]
    assert plan.edges is not None
    pixels = plan.color_pixels(at)
    tensor = plan.edges.at(pixels)
    if not np.isfinite(tensor).all():
        return 0.0
    way = pixels[:, -1] - pixels[:, 0]
    nx, ny = (way / np.linalg.norm(way, axis=1, keepdims=True)).T[..., None]
    across_less_along = (tensor[..., 0] - tensor[..., 2]) * (nx * nx - ny * ny) + 4 * tensor[..., 1] * nx * ny
    best = across_less_along.max(axis=1)
    return float(np.clip(best, 0, 1).mean())


def _outline_points(pieces: Pieces, a: Array, b: Array) -> tuple[Array, Array]:
    """(n, 2) points half a millimetre apart on a road's plan outline, and their outward normals."""
    shape = outline(pieces, a[:2], b[:2])
    ring = shape.exterior
    at = np.arange(0, ring.length, 0.5)
    points = get_coordinates(line_interpolate_point(ring, at))
    ahead = np.roll(points, -1, axis=0) - np.roll(points, 1, axis=0)
    normals = np.stack([ahead[:, 1], -ahead[:, 0]], axis=1)
    return points, normals / np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-9)
