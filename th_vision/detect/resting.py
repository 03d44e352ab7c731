"""Where a stick comes to rest on what carries its ends: the largest gain in height, since nothing floats.

A stick let go lies as low as its middle can. Roll is left out: the tops of columns are level.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from shapely.geometry import LineString, Point, Polygon

from rules.pieces import Pieces

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Lying:
    """A stick in plan view (tips (2,)) with the heights of its two tips on the top surface, mm."""

    a: Array
    b: Array
    za: float
    zb: float

    def top_at(self, points: Array) -> Array:
        """Height of its top (n,) at plan points (n, 2)."""
        run = self.b - self.a
        t = (points - self.a) @ run / float(run @ run)
        return np.asarray(self.za + t * (self.zb - self.za), dtype=np.float64)


def outline(pieces: Pieces, a: Array, b: Array) -> Polygon:
    """Plan outline of a stick whose tips are a and b (2,)."""
    radius = pieces.stick.width / 2
    length = float(np.hypot(*(b - a)))
    unit = (b - a) / max(length, 1e-9)
    if pieces.stick.ends == "round":
        line = LineString([a + unit * radius, b - unit * radius])
        return Polygon(line.buffer(radius, quad_segs=6))
    return Polygon(LineString([a, b]).buffer(radius, cap_style="flat"))


def rest(
    pieces: Pieces, a: Array, b: Array, discs: list[tuple[float, float, float]], sticks: list[Lying]
) -> tuple[float, float]:
    """Heights (za, zb) of the tips' top surface of a stick with plan tips a, b.

    ``discs``: (x, y, top z) of the columns it may lie on. ``sticks``: what lies there already and may carry it. The
    table carries everything at height 0. Points that only one side of the middle has leave the other on the table.
    """
    shape = outline(pieces, a, b)
    length = float(np.hypot(*(b - a)))
    unit = (b - a) / length
    points: list[tuple[float, float]] = [(0.0, 0.0), (length, 0.0)]
    for x, y, top in discs:
        common = shape.intersection(Point(x, y).buffer(pieces.disc.radius, quad_segs=8))
        for corner in _corners(common):
            points.append((float((corner - a) @ unit), top))
    for lying in sticks:
        common = shape.intersection(outline(pieces, lying.a, lying.b))
        corners = _corners(common)
        if len(corners):
            for corner, z in zip(corners, lying.top_at(corners), strict=True):
                points.append((float((corner - a) @ unit), float(z)))
    s, h = np.array(points).T
    z0, slope = _lowest(s, h, length / 2)
    top = pieces.stick.thickness * float(np.sqrt(1 + slope * slope))
    return z0 + top, z0 + slope * length + top


def _corners(shape: object) -> Array:
    exterior = getattr(shape, "exterior", None)
    if exterior is None or exterior.is_empty:
        return np.zeros((0, 2))
    return np.asarray(exterior.coords, dtype=np.float64)[:, :2]


def _lowest(s: Array, h: Array, middle: float) -> tuple[float, float]:
    """Line z0 + slope*s over all points (s, h) that is lowest at ``middle``: a side of the upper hull there."""
    left, right = s <= middle, s >= middle
    slopes = ((h[right][None, :] - h[left][:, None]) / np.maximum(s[right][None, :] - s[left][:, None], 1e-6)).ravel()
    starts = np.repeat(h[left], int(right.sum())) - slopes * np.repeat(s[left], int(right.sum()))
    above = (starts[:, None] + slopes[:, None] * s >= h - 1e-6).all(axis=1)
    if not above.any():
        return float(h.max()), 0.0
    best = int(np.argmin(np.where(above, starts + slopes * middle, np.inf)))
    return float(starts[best]), float(slopes[best])
