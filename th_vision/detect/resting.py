"""Where a stick comes to rest on what carries its ends: the largest gain in height, since nothing floats.

A stick let go lies as low as its middle can, sloping and rolled as what carries it makes it. Where two ends lie askew
on each other the upper one lies on a corner: without its roll its height would be off by up to a stick's thickness.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from shapely.geometry import LineString, Point, Polygon

from rules.pieces import Pieces

Array = NDArray[np.float64]
Disc = tuple[float, float, float]
FAR_MM, DEEP_MM = 1e4, 1e7
"""Where the search for what carries a stick begins: three points far away and far below."""
TOUCH_MM = 1.5
"""Ends on one column that seem to miss each other by less do not: tips are seen no better, and a disc has no room for
two ends beside each other."""
CONTACT_MM = 1e-6
MOST_STEPS = 60
ROLLS_FOR_MM = 0.01
"""A stick rolls only where its middle comes to lie lower by this: its own friction holds it."""
STEEPEST_ROLL = 1.0
"""A stick that rolls more (height over width) would have slid off: it was not seen quite where it lies."""


@dataclass(frozen=True)
class Lying:
    """A stick in plan view (tips (2,)) with the heights of its two tips on the top surface, mm, and by how much its top
    rises to the left of its axis (mm per mm)."""

    a: Array
    b: Array
    za: float
    zb: float
    roll: float = 0.0

    def top_at(self, points: Array) -> Array:
        """Height of its top (n,) at plan points (n, 2)."""
        run = self.b - self.a
        length = float(np.hypot(*run))
        along, left = (points - self.a) @ run / length, (points - self.a) @ np.array([-run[1], run[0]]) / length
        return np.asarray(self.za + along / length * (self.zb - self.za) + left * self.roll, dtype=np.float64)


def outline(pieces: Pieces, a: Array, b: Array) -> Polygon:
    """Plan outline of a stick whose tips are a and b (2,)."""
    ends = (float(a[0]), float(a[1]), float(b[0]), float(b[1]))
    return _outline(ends, pieces.stick.width / 2, pieces.stick.ends == "round")


@lru_cache(maxsize=4096)
def _outline(ends: tuple[float, float, float, float], radius: float, round_ends: bool) -> Polygon:
    a, b = np.array(ends[:2]), np.array(ends[2:])
    length = float(np.hypot(*(b - a)))
    unit = (b - a) / max(length, 1e-9)
    if round_ends:
        line = LineString([a + unit * radius, b - unit * radius])
        return Polygon(line.buffer(radius, quad_segs=6))
    return Polygon(LineString([a, b]).buffer(radius, cap_style="flat"))


@lru_cache(maxsize=1024)
def _disc(x: float, y: float, radius: float) -> Polygon:
    return Polygon(Point(x, y).buffer(radius, quad_segs=8))


def touch(pieces: Pieces, first: tuple[Array, Array], second: tuple[Array, Array]) -> bool:
    """Whether two sticks (their plan tips (2,)) that share a column lie on each other there."""
    one, other = (outline(pieces, a, b) for a, b in (first, second))
    return bool(one.distance(other) < TOUCH_MM)


def rest(pieces: Pieces, a: Array, b: Array, discs: Sequence[Disc], sticks: Sequence[Lying]) -> Lying:
    """How a stick with plan tips a, b comes to rest.

    ``discs``: (x, y, top z) of the columns it may lie on. ``sticks``: what lies there already and may carry it. The
    table carries everything at height 0. Points that only one side of the middle has leave the other on the table.
    """
    length = float(np.hypot(*(b - a)))
    unit = (b - a) / length
    axes = np.stack([unit, [-unit[1], unit[0]]], axis=1)
    half = pieces.stick.width / 2
    # the table carries it where nothing else does
    table = np.array([[s, w, 0.0] for s in (-length / 2, length / 2) for w in (-half, half)])
    z0, slope, roll = 0.0, 0.0, 0.0
    shift = np.zeros(2)
    drop = pieces.stick.thickness
    for _ in range(2):  # a stick that slopes lies on what is a little beside its top
        points = _carrying(pieces, a + shift, b + shift, discs, sticks)
        local = np.concatenate([np.column_stack([(points[:, :2] - (a + b) / 2 - shift) @ axes, points[:, 2]]), table])
        z0, slope, roll = _lowest(local)
        drop = pieces.stick.thickness / float(np.sqrt(1 + slope * slope + roll * roll))
        shift = drop * (axes @ np.array([slope, roll]))
    return Lying(a, b, z0 - slope * length / 2 + drop, z0 + slope * length / 2 + drop, roll)


def _carrying(pieces: Pieces, a: Array, b: Array, discs: Sequence[Disc], sticks: Sequence[Lying]) -> Array:
    """(n, 3) corners of all that lies below a stick with plan tips a and b."""
    shape = outline(pieces, a, b)
    found = [np.zeros((0, 3))]
    for x, y, top in discs:
        corners = _corners(shape.intersection(_disc(x, y, pieces.disc.radius)))
        found.append(np.column_stack([corners, np.full(len(corners), top)]))
    for lying in sticks:
        below = outline(pieces, lying.a, lying.b)
        apart = float(shape.distance(below))
        if 0 < apart < TOUCH_MM:
            below = below.buffer(apart + TOUCH_MM / 2)
        corners = _corners(shape.intersection(below))
        found.append(np.column_stack([corners, lying.top_at(corners)]))
    return np.concatenate(found)


def _corners(shape: object) -> Array:
    exterior = getattr(shape, "exterior", None)
    if exterior is None or exterior.is_empty:
        return np.zeros((0, 2))
    return np.asarray(exterior.coords, dtype=np.float64)[:-1, :2]


def _lowest(points: Array) -> tuple[float, float, float]:
    """The plane (z0, slope, roll) z0 + slope*s + roll*w over all points (n, 3: s, w, z) that is lowest at s = w = 0.

    From a triangle around the middle to the next: what rises most above its plane takes the place of that corner
    without which the triangle still goes around the middle. Where the points don't go around it, or where it lies no
    lower for it, the stick is taken to lie without roll.
    """
    s, w, z = np.ascontiguousarray(points.T)
    corners = [(-FAR_MM, -FAR_MM, -DEEP_MM), (FAR_MM, -FAR_MM, -DEEP_MM), (0.0, FAR_MM, -DEEP_MM)]
    z0 = slope = roll = 0.0
    for _ in range(MOST_STEPS):
        (s0, w0, h0), (s1, w1, h1), (s2, w2, h2) = corners
        twice = (s1 - s0) * (w2 - w0) - (s2 - s0) * (w1 - w0)  # the triangle's area
        slope = ((h1 - h0) * (w2 - w0) - (h2 - h0) * (w1 - w0)) / twice
        roll = ((s1 - s0) * (h2 - h0) - (s2 - s0) * (h1 - h0)) / twice
        z0 = h0 - slope * s0 - roll * w0
        above = z - slope * s - roll * w
        highest = int(above.argmax())
        if above[highest] - z0 < CONTACT_MM:
            break
        new = (float(s[highest]), float(w[highest]), float(z[highest]))
        leaves, least = 0, np.inf
        for k in range(3):  # the corners' shares of the middle, and of the new point
            (_, _, _), (p, q, _), (u, v, _) = corners[k], corners[(k + 1) % 3], corners[(k + 2) % 3]
            share = (p * v - u * q) / twice
            of_new = ((p - new[0]) * (v - new[1]) - (u - new[0]) * (q - new[1])) / twice
            if of_new > 1e-12 and share / of_new < least:
                leaves, least = k, share / of_new
        corners[leaves] = new
    hangs = min(corner[2] for corner in corners) <= -DEEP_MM or abs(roll) > STEEPEST_ROLL
    if hangs or _needs_no_roll(s, z, z0 + ROLLS_FOR_MM):
        return (*_lowest_line(s, z), 0.0)
    return z0, slope, roll


def _needs_no_roll(s: Array, z: Array, z0: float) -> bool:
    """Whether a line through z0 at s = 0 can lie over all points (s, z)."""
    left, right = s < 0, s > 0
    least = ((z[right] - z0) / s[right]).max(initial=-np.inf)
    most = ((z[left] - z0) / s[left]).min(initial=np.inf)
    return bool(least <= most)


def _lowest_line(s: Array, h: Array) -> tuple[float, float]:
    """Line z0 + slope*s over all points (s, h) that is lowest at s = 0: a side of the upper hull there."""
    left, right = s <= 0, s >= 0
    slopes = ((h[right][None, :] - h[left][:, None]) / np.maximum(s[right][None, :] - s[left][:, None], 1e-6)).ravel()
    starts = np.repeat(h[left], int(right.sum())) - slopes * np.repeat(s[left], int(right.sum()))
    above = (starts[:, None] + slopes[:, None] * s >= h - 1e-6).all(axis=1)
    if not above.any():
        return float(h.max()), 0.0
    best = int(np.argmin(np.where(above, starts, np.inf)))
    return float(starts[best]), float(slopes[best])
