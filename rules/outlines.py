"""Polygons in plan view: where two sticks overlap, the least gap there, and a piece against a city object's outline."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from rules.geometry import Bar, Disc2, outline_distance, rise_sigma, segment_distance
from rules.grid import Box_mm
from rules.tolerances import JOINT_REACH_WIDTHS
from rules.uncertain import Measured

Point_mm = tuple[float, float]


def clip(subject: Sequence[Point_mm], convex: Sequence[Point_mm]) -> list[Point_mm]:
    """The part of a convex polygon inside another (both counter-clockwise, mm); empty where they don't overlap."""
    points = list(subject)
    for i in range(len(convex)):
        (x0, y0), (x1, y1) = convex[i - 1], convex[i]
        points = _half_plane(points, -(y1 - y0), x1 - x0, (y1 - y0) * x0 - (x1 - x0) * y0)
        if not points:
            break
    return points


def _half_plane(points: list[Point_mm], nx: float, ny: float, offset: float) -> list[Point_mm]:
    """The part of a convex polygon where nx x + ny y + offset >= 0."""
    kept: list[Point_mm] = []
    if not points:
        return kept
    px, py = points[-1]
    before = nx * px + ny * py + offset
    for x, y in points:
        now = nx * x + ny * y + offset
        if (now >= 0) != (before >= 0):
            share = before / (before - now)
            kept.append((px + share * (x - px), py + share * (y - py)))
        if now >= 0:
            kept.append((x, y))
        px, py, before = x, y, now
    return kept


@dataclass(frozen=True, slots=True)
class Overlap:
    """The common part of two sticks in plan view: its corners and their mean, mm."""

    corners: tuple[Point_mm, ...]
    middle: Point_mm


def overlap(a: Bar, b: Bar, joints: Sequence[Disc2] = ()) -> Overlap | None:
    """Where two sticks overlap in plan view, without what lies at a column that both rest on (`joints`).

    There ends may lie over or beside one another: the disc and `JOINT_REACH_WIDTHS` stick widths around it are cut
    off, by a straight line across the direction of the corner that is furthest from the column.
    """
    points = _crossed(a, b) or clip(a.outline(), b.outline())
    for disc in joints:
        if not points:
            return None
        reach = disc.radius + JOINT_REACH_WIDTHS * 2 * a.half
        # The mean of the corners says nothing of where the overlap runs: a round end has many, on either side.
        dx, dy = max(((x - disc.x, y - disc.y) for x, y in points), key=lambda way: math.hypot(*way))
        norm = math.hypot(dx, dy)
        if norm <= reach:
            return None
        dx, dy = dx / norm, dy / norm
        points = _half_plane(points, dx, dy, -(dx * disc.x + dy * disc.y) - reach)
    if len(points) < 3:
        return None
    return Overlap(tuple(points), _mean(points))


def _crossed(a: Bar, b: Bar) -> list[Point_mm]:
    """The parallelogram of two sticks that cross away from their ends; empty where an end may be part of it."""
    sine, cosine = a.ux * b.uy - a.uy * b.ux, a.ux * b.ux + a.uy * b.uy
    steep = abs(sine)
    if steep < _STEEP:
        return []
    wx, wy = b.ax - a.ax, b.ay - a.ay
    along_a, along_b = (wx * b.uy - wy * b.ux) / sine, (wx * a.uy - wy * a.ux) / sine
    reach_a = (b.half + a.half * abs(cosine)) / steep
    reach_b = (a.half + b.half * abs(cosine)) / steep
    end_a, end_b = (a.half if a.rounded else 0.0), (b.half if b.rounded else 0.0)
    if not (
        end_a + reach_a <= along_a <= a.length - end_a - reach_a
        and end_b + reach_b <= along_b <= b.length - end_b - reach_b
    ):
        return []
    x, y = a.ax + along_a * a.ux, a.ay + along_a * a.uy
    step_a, step_b = b.half / steep, a.half / steep
    return [
        (x + i * step_a * a.ux + j * step_b * b.ux, y + i * step_a * a.uy + j * step_b * b.uy)
        for i, j in ((1, 1), (-1, 1), (-1, -1), (1, -1))
    ]


_STEEP = 0.1
"""Sine of the angle below which two sticks are clipped as polygons, however far their ends are."""


def _mean(points: Sequence[Point_mm]) -> Point_mm:
    count = len(points)
    return sum(x for x, _ in points) / count, sum(y for _, y in points) / count


def least_gap(a: Bar, b: Bar, where: Overlap) -> tuple[Measured, bool]:
    """The least vertical gap of two sticks where they overlap, and whether a is the upper one.

    Gap: upper stick's underside minus lower stick's top. Both tops are planes, so the least gap lies at a corner. The
    upper stick is the one that is higher in the middle; a gap below minus the thickness means that they cut.
    """
    sine, cosine = a.ux * b.uy - a.uy * b.ux, a.ux * b.ux + a.uy * b.uy
    upper = _rise(a, b, *where.middle) >= 0
    sign = 1.0 if upper else -1.0
    x, y = min(where.corners, key=lambda corner: sign * _rise(a, b, *corner))
    s, t = min(1.0, max(0.0, a.share(x, y))), min(1.0, max(0.0, b.share(x, y)))
    thickness = a.thickness if upper else b.thickness
    return Measured(sign * _rise(a, b, x, y) - thickness, rise_sigma(a, b, s, t, sine, cosine)), upper


def _rise(a: Bar, b: Bar, x: float, y: float) -> float:
    return a.top_at(x, y).value - b.top_at(x, y).value


# --- City objects -----------------------------------------------------------------------------------------------------


def box_of(points: Sequence[Point_mm]) -> Box_mm:
    """Bounding box of a polygon."""
    xs, ys = [x for x, _ in points], [y for _, y in points]
    return min(xs), min(ys), max(xs), max(ys)


def inside_depth(points: Sequence[Point_mm], x: float, y: float) -> float:
    """How deep a point lies inside a polygon: distance from its outline, negative outside, mm."""
    inside = False
    nearest = math.inf
    for i in range(len(points)):
        (x0, y0), (x1, y1) = points[i - 1], points[i]
        if (y0 > y) != (y1 > y) and x < x0 + (y - y0) / (y1 - y0) * (x1 - x0):
            inside = not inside
        dx, dy = x1 - x0, y1 - y0
        square = dx * dx + dy * dy
        share = min(1.0, max(0.0, ((x - x0) * dx + (y - y0) * dy) / square)) if square > 0 else 0.0
        nearest = min(nearest, math.hypot(x - x0 - share * dx, y - y0 - share * dy))
    return nearest if inside else -nearest


def polygon_gap(first: Sequence[Point_mm], second: Sequence[Point_mm]) -> float:
    """Plan distance of two polygons' outlines, mm; 0 where they overlap."""
    if inside_depth(first, *second[0]) > 0 or inside_depth(second, *first[0]) > 0:
        return 0.0
    return min(
        segment_distance(first[i - 1], first[i], second[j - 1], second[j])[0]
        for i in range(len(first))
        for j in range(len(second))
    )


def overlap_depth(first: Sequence[Point_mm], second: Sequence[Point_mm]) -> float:
    """How deep one polygon reaches into another, mm; 0 where none does.

    Looked at in the corners and the middle of either, and in the middle of each piece into which the other cuts an
    edge: two that lie across each other, or side on side, have no corner in one another.
    """
    deepest = 0.0
    for inner, outer in ((first, second), (second, first)):
        places = [*inner, _mean(inner)]
        for i in range(len(inner)):
            (x0, y0), (x1, y1) = inner[i - 1], inner[i]
            cuts = [0.0, 1.0]
            for j in range(len(outer)):
                distance, share, _ = segment_distance(inner[i - 1], inner[i], outer[j - 1], outer[j])
                if distance <= 0:
                    cuts.append(share)
            cuts.sort()
            middles = ((before + after) / 2 for before, after in pairwise(cuts))
            places += [(x0 + share * (x1 - x0), y0 + share * (y1 - y0)) for share in middles]
        deepest = max(deepest, *(inside_depth(outer, x, y) for x, y in places))
    return deepest


def sticks_out(inner: Sequence[Point_mm], outer: Sequence[Point_mm]) -> float:
    """How far a polygon sticks out over the edge of another, mm; negative: the distance of the nearest edge inside."""
    return max(-inside_depth(outer, x, y) for x, y in inner)


def bar_polygon_gap(bar: Bar, points: Sequence[Point_mm]) -> tuple[Measured, float]:
    """Signed plan distance of a stick's outline from a polygon (negative: how deep they overlap) and the share there.

    For a stick whose centre line enters the polygon the depth is half its width plus the centre line's depth.
    """
    cut = min(bar.half, bar.length / 2) if bar.rounded else 0.0
    p = (bar.ax + cut * bar.ux, bar.ay + cut * bar.uy)
    q = (bar.bx - cut * bar.ux, bar.by - cut * bar.uy)
    best, share = math.inf, 0.5
    for i in range(len(points)):
        distance, s, _ = segment_distance(p, q, points[i - 1], points[i])
        if distance < best:
            best, share = distance, s
    if best > 0 and inside_depth(points, *p) > 0:
        value = -best - bar.half
    elif best > 0:
        value = best - bar.half
        if not bar.rounded:
            value = _square_gap(bar, points)
    else:
        deepest, at = _deepest(points, p, q)
        value, share = -bar.half - deepest, at
    if bar.length > 0:
        share = (cut + share * (bar.length - 2 * cut)) / bar.length
    spread = math.sqrt((1 - share) ** 2 + share**2)
    sideways = max(bar.sigma_across, bar.sigma_along) if share in (0.0, 1.0) else bar.sigma_across
    return Measured(value, sideways * spread), share


_DEPTH_SAMPLES = 32
_DEPTH_HALVINGS = 24


def _deepest(points: Sequence[Point_mm], p: Point_mm, q: Point_mm) -> tuple[float, float]:
    """The greatest depth of a segment inside a polygon and the share of the segment where it is."""

    def depth(share: float) -> float:
        return inside_depth(points, p[0] + share * (q[0] - p[0]), p[1] + share * (q[1] - p[1]))

    deepest = max(range(_DEPTH_SAMPLES + 1), key=lambda i: depth(i / _DEPTH_SAMPLES))
    low, high = (max(0, deepest - 1) / _DEPTH_SAMPLES, min(_DEPTH_SAMPLES, deepest + 1) / _DEPTH_SAMPLES)
    for _ in range(_DEPTH_HALVINGS):
        left, right = low + (high - low) / 3, high - (high - low) / 3
        if depth(left) < depth(right):
            low = left
        else:
            high = right
    share = (low + high) / 2
    return max(0.0, depth(share)), share


def _square_gap(bar: Bar, points: Sequence[Point_mm]) -> float:
    """The same for square ends: distance of the rectangle, negative where a corner of either reaches into the other."""
    outline = bar.outline()
    gap = polygon_gap(outline, points)
    if gap > 0:
        return gap
    corners = max(inside_depth(points, x, y) for x, y in outline)
    pierced = max(-outline_distance(bar, x, y).distance.value for x, y in points)
    return -max(0.0, corners, pierced)


def disc_polygon_gap(disc: Disc2, points: Sequence[Point_mm]) -> Measured:
    """Signed plan distance of a disc's outline from a polygon; negative: how far the disc reaches in."""
    return Measured(-inside_depth(points, disc.x, disc.y) - disc.radius, disc.sigma)


# --- The rainbow's arch -----------------------------------------------------------------------------------------------

_ARCH_LINES = 5
"""Lines along a stick, from edge to edge, at which its height is held against the arch."""


def crown(height: float, share: float) -> float:
    """Height of an arch, a half ellipse, at a share of the way between its feet; mm."""
    return height * math.sqrt(max(0.0, 1.0 - (2.0 * share - 1.0) ** 2))


def arch_gap(bar: Bar, feet: tuple[Point_mm, Point_mm], height: float) -> tuple[Measured, bool] | None:
    """How far a stick stays clear of an arch, and whether it goes through it (not over it); None where it passes by.

    Through: the arch is everywhere above the stick's top; over: everywhere below its underside. A negative value: the
    stick runs into the arch.
    """
    through, over = math.inf, math.inf
    middle = 0.5
    for i in range(_ARCH_LINES):
        side = bar.half * (2 * i / (_ARCH_LINES - 1) - 1)
        nx, ny = -bar.uy * side, bar.ux * side
        start, end = (bar.ax + nx, bar.ay + ny), (bar.bx + nx, bar.by + ny)
        distance, s, t = segment_distance(start, end, *feet)
        if distance > 0:
            continue
        arch = crown(height, t)
        top = bar.az + s * (bar.bz - bar.az)
        through, over = min(through, arch - top), min(over, top - bar.thickness - arch)
        middle = s
    for foot in feet:
        if outline_distance(bar, *foot).distance.value < 0:  # a leg stands under the stick
            middle = min(1.0, max(0.0, bar.share(*foot)))
            top = bar.top(middle).value
            through, over = min(through, -top), min(over, top - bar.thickness)
    if math.isinf(through):
        return None
    return Measured(max(through, over), bar.top(middle).sigma), through >= over
