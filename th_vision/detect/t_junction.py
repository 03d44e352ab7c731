"""Which of two overlapping roads is on top, by colour: the outline that goes on unbroken is the upper one's."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from shapely import contains_xy

from rules.pieces import Pieces
from th_vision import tolerances
from th_vision.detect.edges import edge_tensor
from th_vision.detect.plan import PlanView
from th_vision.detect.resting import outline

Array = NDArray[np.float64]


def on_top(plan: PlanView, pieces: Pieces, first: tuple[Array, Array], second: tuple[Array, Array]) -> float:
    """How much better the first road's outline is seen inside the second's than the other way round, -1 to 1.

    Roads are pairs of tips (3,). Positive: the first lies on top. 0 where colour can't tell.
    """
    if plan.color is None:
        return 0.0
    return _seen_inside(plan, pieces, first, second) - _seen_inside(plan, pieces, second, first)


def _seen_inside(plan: PlanView, pieces: Pieces, road: tuple[Array, Array], other: tuple[Array, Array]) -> float:
    """Mean clearness (0 to 1) of the part of a road's outline that lies inside the other's outline."""
    a, b = road
    inner = outline(pieces, other[0][:2], other[1][:2]).buffer(-tolerances.RIM_BAND_MM)
    points, normals = _outline_points(pieces, a, b)
    inside = contains_xy(inner, points[:, 0], points[:, 1])
    if inside.sum() < 6:
        return 0.0
    points, normals = points[inside], normals[inside]
    run = (b - a)[:2]
    z = a[2] + ((points - a[:2]) @ run) / float(run @ run) * (b[2] - a[2])
    pitch = tolerances.STRIP_PITCH_MM
    low, high = points.min(axis=0) - 4, points.max(axis=0) + 4
    xs, ys = np.arange(low[0], high[0], pitch), np.arange(low[1], high[1], pitch)
    gx, gy = np.meshgrid(xs, ys)
    color = plan.colors(np.stack([gx, gy, np.full_like(gx, float(z.mean()))], axis=-1))
    if not np.isfinite(color).all():
        return 0.0
    xx, xy, yy = edge_tensor(color)
    best = np.full(len(points), -1.0)
    for shift in (-0.8, -0.4, 0.0, 0.4, 0.8):
        at = points + shift * normals
        u = np.clip(np.rint((at[:, 0] - xs[0]) / pitch).astype(int), 0, len(xs) - 1)
        v = np.clip(np.rint((at[:, 1] - ys[0]) / pitch).astype(int), 0, len(ys) - 1)
        nx, ny = normals[:, 0], normals[:, 1]
        across = xx[v, u] * nx * nx + 2 * xy[v, u] * nx * ny + yy[v, u] * ny * ny
        along = xx[v, u] * ny * ny - 2 * xy[v, u] * nx * ny + yy[v, u] * nx * nx
        best = np.maximum(best, across - along)
    return float(np.clip(best, 0, 1).mean())


def _outline_points(pieces: Pieces, a: Array, b: Array) -> tuple[Array, Array]:
    """(n, 2) points half a millimetre apart on a road's plan outline, and their outward normals."""
    shape = outline(pieces, a[:2], b[:2])
    ring = shape.exterior
    at = np.arange(0, ring.length, 0.5)
    points = np.array([ring.interpolate(d).coords[0][:2] for d in at])
    ahead = np.roll(points, -1, axis=0) - np.roll(points, 1, axis=0)
    normals = np.stack([ahead[:, 1], -ahead[:, 0]], axis=1)
    return points, normals / np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-9)
