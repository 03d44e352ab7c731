"""Sticks and discs in plan view (seen from exactly above, mm, table frame) and the heights of sloping sticks.

A stick is a `Bar`: a rigid bar whose top surface has a straight centre line between two tips. Its outline in plan view
is a capsule (round ends: the tips are the furthest points) or a rectangle (square ends).

Uncertainty model: every tip is moved on its own, `sigma_across` across the stick, `sigma_along` along it, `sigma_z` in
height. All sigmas here are first-order propagations of these and of a column's `sigma_xy` (each of x and y).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from rules.grid import Box_mm
from rules.layout import Road
from rules.pieces import Stick
from rules.tolerances import MIN_CROSSING_SINE
from rules.uncertain import Measured

_PARALLEL_SINE = 1e-9


@dataclass(frozen=True, slots=True)
class Disc2:
    """A column in plan view: centre and radius, mm; `sigma` of each coordinate; `top_z` of its uppermost disc."""

    id: str
    x: float
    y: float
    radius: float
    sigma: float
    top_z: float
    sigma_z: float = 0.0

    @property
    def box(self) -> Box_mm:
        """Bounding box in plan view."""
        return (self.x - self.radius, self.y - self.radius, self.x + self.radius, self.y + self.radius)


@dataclass(frozen=True, slots=True)
class Bar:
    """A stick: tips (ax, ay, az), (bx, by, bz) on the top surface, unit vector (ux, uy) from a to b in plan view.

    `length` is that of the plan view, mm; `half` is half the width; `slope` is rise over plan length.
    """

    id: str
    ax: float
    ay: float
    az: float
    bx: float
    by: float
    bz: float
    ux: float
    uy: float
    length: float
    half: float
    thickness: float
    rounded: bool
    sigma_across: float
    sigma_along: float
    sigma_z: float

    @property
    def slope(self) -> float:
        """Rise of the top surface from a to b over the plan length; 0 for a stick seen end on."""
        return (self.bz - self.az) / self.length if self.length > 0 else 0.0

    @property
    def box(self) -> Box_mm:
        """Bounding box of the outline in plan view."""
        reach = self.half
        return (
            min(self.ax, self.bx) - reach,
            min(self.ay, self.by) - reach,
            max(self.ax, self.bx) + reach,
            max(self.ay, self.by) + reach,
        )

    def share(self, x: float, y: float) -> float:
        """Where along the stick a point of the plan view lies: 0 at tip a, 1 at tip b, not clamped."""
        if self.length <= 0:
            return 0.5
        return ((x - self.ax) * self.ux + (y - self.ay) * self.uy) / self.length

    def top(self, share: float) -> Measured:
        """Height of the top surface at a share of the length, clamped to the stick, for a fixed place on the stick."""
        s = min(1.0, max(0.0, share))
        return Measured(self.az + s * (self.bz - self.az), self.sigma_z * _spread(s))

    def top_at(self, x: float, y: float) -> Measured:
        """Height of the top surface above a point of the plan view; the tips' shift along the stick counts too."""
        s = min(1.0, max(0.0, self.share(x, y)))
        along = self.slope * self.sigma_along
        return Measured(self.az + s * (self.bz - self.az), math.hypot(self.sigma_z, along) * _spread(s))

    def outline(self, segments: int = 8) -> list[tuple[float, float]]:
        """The outline as a convex polygon, counter-clockwise; a round end has `segments` chords."""
        nx, ny = -self.uy, self.ux
        h = self.half
        if not self.rounded:
            return [
                (self.ax - h * nx, self.ay - h * ny),
                (self.bx - h * nx, self.by - h * ny),
                (self.bx + h * nx, self.by + h * ny),
                (self.ax + h * nx, self.ay + h * ny),
            ]
        cut = min(h, self.length / 2)
        points: list[tuple[float, float]] = []
        for cx, cy, sign in (
            (self.bx - cut * self.ux, self.by - cut * self.uy, 1.0),
            (self.ax + cut * self.ux, self.ay + cut * self.uy, -1.0),
        ):
            for i in range(segments + 1):
                cosine, sine = _HALF_TURN[i] if segments == 8 else _on_half_turn(i, segments)
                forward, side = sign * h * cosine, sign * h * sine
                points.append((cx + forward * self.ux + side * nx, cy + forward * self.uy + side * ny))
        return points


def _on_half_turn(i: int, segments: int) -> tuple[float, float]:
    angle = -math.pi / 2 + math.pi * i / segments
    return math.cos(angle), math.sin(angle)


_HALF_TURN = tuple(_on_half_turn(i, 8) for i in range(9))


def _spread(share: float) -> float:
    """Standard deviation at a share of the length of what has deviation 1 at either tip, independently."""
    return math.sqrt((1.0 - share) ** 2 + share**2)


def bar_of(road: Road, stick: Stick) -> Bar:
    """The bar of a road-stick. Only the tips are the road's; width, thickness and ends are the set's."""
    (ax, ay, az), (bx, by, bz) = road.ends
    length = math.hypot(bx - ax, by - ay)
    ux, uy = ((bx - ax) / length, (by - ay) / length) if length > 0 else (1.0, 0.0)
    along = road.sigma_xy if road.sigma_along is None else road.sigma_along
    return Bar(
        road.id,
        *(ax, ay, az, bx, by, bz, ux, uy, length),
        half=stick.width / 2,
        thickness=stick.thickness,
        rounded=stick.ends == "round",
        sigma_across=road.sigma_xy,
        sigma_along=along,
        sigma_z=road.sigma_z,
    )


@dataclass(frozen=True, slots=True)
class Nearest:
    """Signed distance of a stick's outline from a point (negative: the stick covers it) and where on the stick."""

    distance: Measured
    share: float


def outline_distance(bar: Bar, x: float, y: float, sigma_point: float = 0.0) -> Nearest:
    """Signed plan distance from a stick's outline to a point; `sigma_point` of each of the point's coordinates."""
    dx, dy = x - bar.ax, y - bar.ay
    along = dx * bar.ux + dy * bar.uy
    across = -dx * bar.uy + dy * bar.ux
    if bar.rounded:
        cut = min(bar.half, bar.length / 2)
        core = min(bar.length - cut, max(cut, along))
        e_along, e_across = along - core, across
        norm = math.hypot(e_along, e_across)
        value = norm - bar.half
        e_along, e_across = (e_along / norm, e_across / norm) if norm > 0 else (0.0, 1.0)
    else:
        core = min(bar.length, max(0.0, along))
        past = abs(along - bar.length / 2) - bar.length / 2
        beside = abs(across) - bar.half
        if past > 0 and beside > 0:
            value = math.hypot(past, beside)
            e_along, e_across = past / value, beside / value
        elif past > beside:
            value, e_along, e_across = past, 1.0, 0.0
        else:
            value, e_along, e_across = beside, 0.0, 1.0
    share = core / bar.length if bar.length > 0 else 0.5
    stick = math.hypot(e_across * bar.sigma_across, e_along * bar.sigma_along) * _spread(share)
    return Nearest(Measured(value, math.hypot(stick, sigma_point)), share)


def disc_gap(bar: Bar, disc: Disc2) -> Nearest:
    """Signed plan distance from a stick's outline to a disc's: negative where the stick covers some of the disc."""
    nearest = outline_distance(bar, disc.x, disc.y, disc.sigma)
    return Nearest(nearest.distance.shifted(-disc.radius), nearest.share)


def overhang(bar: Bar, end: int, disc: Disc2) -> Measured:
    """How far the tip `end` (0 or 1) lies past the rim of the disc that carries it, seen along the stick.

    Negative: the tip lies on the disc, or on the near side of it (then it may not rest, but it sticks out nowhere).
    """
    tx, ty, sign = (bar.ax, bar.ay, -1.0) if end == 0 else (bar.bx, bar.by, 1.0)
    dx, dy = tx - disc.x, ty - disc.y
    along = sign * (dx * bar.ux + dy * bar.uy)
    across = -dx * bar.uy + dy * bar.ux
    distance = math.hypot(along, across)
    if along <= 0 or distance <= 0:
        return Measured(-disc.radius - abs(along), math.hypot(bar.sigma_along, disc.sigma))
    tip = math.hypot(along * bar.sigma_along, across * bar.sigma_across) / distance
    return Measured(distance - disc.radius, math.hypot(tip, disc.sigma))


def segment_distance(
    p0: tuple[float, float], p1: tuple[float, float], q0: tuple[float, float], q1: tuple[float, float]
) -> tuple[float, float, float]:
    """Distance of two segments in plan view and the shares (0..1) of the nearest points; 0 where they cross."""
    dpx, dpy = p1[0] - p0[0], p1[1] - p0[1]
    dqx, dqy = q1[0] - q0[0], q1[1] - q0[1]
    cross = dpx * dqy - dpy * dqx
    if abs(cross) > _PARALLEL_SINE * max(1e-12, math.hypot(dpx, dpy) * math.hypot(dqx, dqy)):
        wx, wy = q0[0] - p0[0], q0[1] - p0[1]
        s, t = (wx * dqy - wy * dqx) / cross, (wx * dpy - wy * dpx) / cross
        if 0 <= s <= 1 and 0 <= t <= 1:
            return 0.0, s, t
    best = (math.inf, 0.0, 0.0)
    for s, point in ((0.0, p0), (1.0, p1)):
        distance, t = _point_segment(point, q0, dqx, dqy)
        if distance < best[0]:
            best = (distance, s, t)
    for t, point in ((0.0, q0), (1.0, q1)):
        distance, s = _point_segment(point, p0, dpx, dpy)
        if distance < best[0]:
            best = (distance, s, t)
    return best


def _point_segment(point: tuple[float, float], start: tuple[float, float], dx: float, dy: float) -> tuple[float, float]:
    """Distance of a point from a segment, and the share of the nearest point on it."""
    wx, wy = point[0] - start[0], point[1] - start[1]
    square = dx * dx + dy * dy
    share = min(1.0, max(0.0, (wx * dx + wy * dy) / square)) if square > 0 else 0.0
    return math.hypot(wx - share * dx, wy - share * dy), share


def stick_distance(a: Bar, b: Bar) -> tuple[Measured, float, float]:
    """Plan distance of two sticks' outlines (0 or negative: they overlap) and the nearest points' shares on a and b.

    For round ends the overlap is exact where the sticks lie beside one another; where centre lines cross it is minus
    the width. For square ends any overlap of the rectangles is counted 0 or less.
    """
    if a.rounded and b.rounded:
        ca, cb = min(a.half, a.length / 2), min(b.half, b.length / 2)
        a0, a1 = (a.ax + ca * a.ux, a.ay + ca * a.uy), (a.bx - ca * a.ux, a.by - ca * a.uy)
        b0, b1 = (b.ax + cb * b.ux, b.ay + cb * b.uy), (b.bx - cb * b.ux, b.by - cb * b.uy)
        distance, s, t = segment_distance(a0, a1, b0, b1)
        value = distance - a.half - b.half
        s, t = _widen(a, ca, s), _widen(b, cb, t)
    else:
        value, s, t = _polygon_distance(a, b)
    px, py = a.ax + s * (a.bx - a.ax), a.ay + s * (a.by - a.ay)
    qx, qy = b.ax + t * (b.bx - b.ax), b.ay + t * (b.by - b.ay)
    ex, ey = qx - px, qy - py
    norm = math.hypot(ex, ey)
    ex, ey = (ex / norm, ey / norm) if norm > 1e-9 else (-a.uy, a.ux)
    return Measured(value, math.hypot(_toward(a, s, ex, ey), _toward(b, t, ex, ey))), s, t


def _widen(bar: Bar, cut: float, share: float) -> float:
    """From a share of the core line (between the cap centres) to a share of the whole stick."""
    return (cut + share * (bar.length - 2 * cut)) / bar.length if bar.length > 0 else 0.5


def _toward(bar: Bar, share: float, ex: float, ey: float) -> float:
    """Sigma of a stick's place at a share of its length, in the direction (ex, ey)."""
    along = ex * bar.ux + ey * bar.uy
    across = -ex * bar.uy + ey * bar.ux
    return math.hypot(along * bar.sigma_along, across * bar.sigma_across) * _spread(share)


def _polygon_distance(a: Bar, b: Bar) -> tuple[float, float, float]:
    """Signed distance of two convex outlines by separating axes and edges, and the nearest shares."""
    pa, pb = a.outline(), b.outline()
    depth = -math.inf
    for bar in (a, b):
        for ex, ey in ((bar.ux, bar.uy), (-bar.uy, bar.ux)):
            low_a, high_a = _extent(pa, ex, ey)
            low_b, high_b = _extent(pb, ex, ey)
            depth = max(depth, low_b - high_a, low_a - high_b)
    best = (math.inf, 0.5, 0.5)
    for i in range(len(pa)):
        for j in range(len(pb)):
            p0, p1, q0, q1 = pa[i - 1], pa[i], pb[j - 1], pb[j]
            distance, s, t = segment_distance(p0, p1, q0, q1)
            if distance < best[0]:
                p = (p0[0] + s * (p1[0] - p0[0]), p0[1] + s * (p1[1] - p0[1]))
                q = (q0[0] + t * (q1[0] - q0[0]), q0[1] + t * (q1[1] - q0[1]))
                best = (distance, min(1.0, max(0.0, a.share(*p))), min(1.0, max(0.0, b.share(*q))))
    return (min(depth, 0.0) if depth <= 0 else best[0]), best[1], best[2]


def _extent(points: list[tuple[float, float]], ex: float, ey: float) -> tuple[float, float]:
    values = [x * ex + y * ey for x, y in points]
    return min(values), max(values)


@dataclass(frozen=True, slots=True)
class Meeting:
    """Where the centre lines of two sticks meet in plan view, extended where they don't reach.

    `margin`: the least of the four tips' distances past the other stick's centre line, mm; positive: the centre lines
    cross. `rise`: top of a minus top of b there, mm (positive: a is over b).
    """

    x: float
    y: float
    share_a: float
    share_b: float
    margin: Measured
    rise: Measured


def meeting(a: Bar, b: Bar) -> Meeting | None:
    """The crossing point of two sticks' centre lines with its sigmas; None for parallel sticks.

    A stick moved across by d moves the crossing point d / sin(angle) along the other stick, so that the rise changes
    by (slope_a cos - slope_b) / sin for a and by (slope_a - slope_b cos) / sin for b; a tip moved along its stick
    changes the height at a fixed place by the slope.
    """
    sine = a.ux * b.uy - a.uy * b.ux
    if abs(sine) < _PARALLEL_SINE or a.length <= 0 or b.length <= 0:
        return None
    wx, wy = b.ax - a.ax, b.ay - a.ay
    along_a = (wx * b.uy - wy * b.ux) / sine
    along_b = (wx * a.uy - wy * a.ux) / sine
    s, t = along_a / a.length, along_b / b.length
    cosine = a.ux * b.ux + a.uy * b.uy
    steep = abs(sine)
    in_s, in_t = min(1.0, max(0.0, s)), min(1.0, max(0.0, t))
    worst: Measured | None = None
    for past, tip, other in (
        (along_a, (a, a.ax, a.ay), b),
        (a.length - along_a, (a, a.bx, a.by), b),
        (along_b, (b, b.ax, b.ay), a),
        (b.length - along_b, (b, b.bx, b.by), a),
    ):
        if worst is None or past * steep < worst.value:
            worst = Measured(past * steep, _past_line_sigma(*tip, other, steep, cosine))
    assert worst is not None
    return Meeting(
        a.ax + along_a * a.ux,
        a.ay + along_a * a.uy,
        s,
        t,
        worst,
        Measured(
            a.az + in_s * (a.bz - a.az) - b.az - in_t * (b.bz - b.az),
            rise_sigma(a, b, in_s, in_t, sine, cosine),
        ),
    )


def _past_line_sigma(bar: Bar, x: float, y: float, other: Bar, sine: float, cosine: float) -> float:
    """Sigma of a tip's distance from the centre line of another stick, extended where it doesn't reach."""
    tip = math.hypot(bar.sigma_along * sine, bar.sigma_across * cosine)
    return math.hypot(tip, other.sigma_across * _spread(other.share(x, y)))


def rise_sigma(a: Bar, b: Bar, s: float, t: float, sine: float, cosine: float) -> float:
    """Sigma of (top of a minus top of b) at shares s and t, where the sticks cross at the given angle."""
    steep = max(abs(sine), MIN_CROSSING_SINE)
    spread_a, spread_b = _spread(s), _spread(t)
    slope_a, slope_b = a.slope, b.slope
    if sine * math.copysign(1.0, sine) < MIN_CROSSING_SINE:
        cosine = math.copysign(math.sqrt(1.0 - MIN_CROSSING_SINE**2), cosine)
    shift_a = (slope_a * cosine - slope_b) / steep * a.sigma_across
    shift_b = (slope_a - slope_b * cosine) / steep * b.sigma_across
    return math.hypot(
        math.hypot(a.sigma_z, slope_a * a.sigma_along, shift_a) * spread_a,
        math.hypot(b.sigma_z, slope_b * b.sigma_along, shift_b) * spread_b,
    )
