"""Where a stick really comes to rest, and what room there is between bodies. Table frame, mm.

A stick that is let go lies as low as it can: of all its positions over what carries it, the one with the lowest
middle. Heights are linear in the stick's height, slope and roll, so that position is the solution of a small linear
program; its active constraints are the points of contact. A stick that only one side of its middle carries falls,
and the program has no lowest position.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from shapely import affinity, force_2d
from shapely.geometry import LineString, Point, Polygon
from shapely.geometry.base import BaseGeometry

from th_vision.virtual_table.scene import CarBody, CityBody, CityThing, ColumnBody, Point2, Scene, StickBody, StickSize

Array = NDArray[np.float64]

ARC_STEPS = 16  # segments of a quarter circle: a disc of 19 mm is off by at most 0.02 mm
CONTACT_MM = 0.01  # nearer than this is contact: the solver's and the outline polygons' precision
SETTLE_STEPS = 12  # the outline of a tilted stick depends on its slope: solve again until it stands
SETTLED = 1e-9  # change of slope at which it stands
ROLL_COST_MM = 1e-4  # of two positions equally low the one that is rolled less: what a stick's own friction keeps


@dataclass(frozen=True)
class Support:
    """A face a stick can lie on: its ``outline`` in plan and the ``height`` (n,) of plan points (n, 2) on it, mm."""

    id: str
    outline: Polygon
    height: Callable[[Array], Array]


@dataclass(frozen=True)
class Rest:
    """A stick that lies: the body, and the ids of what its first and its second half touch, nearest contact first."""

    stick: StickBody
    touches: tuple[tuple[str, ...], tuple[str, ...]]


@dataclass(frozen=True)
class Clearance:
    """Room between two bodies. ``plan_mm``: distance in plan view, 0 where they overlap there.

    ``gap_mm``: vertical room where they overlap (negative: they are in each other), None where they don't.
    ``over``: whether the first is the higher one.
    """

    plan_mm: float
    gap_mm: float | None = None
    over: bool = False


# --- outlines ---------------------------------------------------------------------------------------------------------


def _axes(stick: StickBody) -> tuple[Array, Array, float, float]:
    """Unit vectors along and to the left in plan, slope along and slope across (dimensionless)."""
    (ax, ay, az), (bx, by, bz) = stick.ends
    run = math.hypot(bx - ax, by - ay)
    along = np.array([bx - ax, by - ay]) / run
    left = np.array([-along[1], along[0]])
    return along, left, (bz - az) / run, math.tan(math.radians(stick.roll_deg))


def _normal_drop(slope: float, across: float, thickness: float) -> tuple[float, float, float]:
    """From the top face to the underside: shift along, shift to the left, drop (all mm)."""
    norm = math.sqrt(1 + slope * slope + across * across)
    return thickness * slope / norm, thickness * across / norm, thickness / norm


def _face(a: Array, b: Array, width: float, round_ends: bool) -> Polygon:
    """Outline of a face with tips ``a`` and ``b`` (plan, mm)."""
    along = (b - a) / np.linalg.norm(b - a)
    if round_ends:
        line = LineString([a + along * width / 2, b - along * width / 2])
        return Polygon(line.buffer(width / 2, quad_segs=ARC_STEPS))
    return Polygon(LineString([a, b]).buffer(width / 2, cap_style="flat"))


@lru_cache(maxsize=2048)
def top_outline(stick: StickBody) -> Polygon:
    """Plan outline of the stick's top face, mm."""
    return _face(np.array(stick.ends[0][:2]), np.array(stick.ends[1][:2]), stick.width, stick.round_ends)


@lru_cache(maxsize=2048)
def under_outline(stick: StickBody) -> Polygon:
    """Plan outline of the stick's underside, mm."""
    along, left, slope, across = _axes(stick)
    shift_a, shift_l, _ = _normal_drop(slope, across, stick.thickness)
    shift = along * shift_a + left * shift_l
    a, b = np.array(stick.ends[0][:2]) + shift, np.array(stick.ends[1][:2]) + shift
    return _face(a, b, stick.width, stick.round_ends)


def _bow(stick: StickBody, t: Array) -> Array:
    return 4 * stick.bow_mm * t * (1 - t)


def top_height(stick: StickBody, points: Array) -> Array:
    """Height (n,) of the top face at plan points (n, 2); bow and roll included, mm."""
    along, left, slope, across = _axes(stick)
    rel = points - np.array(stick.ends[0][:2])
    s, w = rel @ along, rel @ left
    run = math.dist(stick.ends[0][:2], stick.ends[1][:2])
    return np.asarray(stick.ends[0][2] + slope * s + across * w + _bow(stick, s / run), dtype=np.float64)


def under_height(stick: StickBody, points: Array) -> Array:
    """Height (n,) of the underside at plan points (n, 2), mm."""
    along, left, slope, across = _axes(stick)
    shift_a, shift_l, drop = _normal_drop(slope, across, stick.thickness)
    return top_height(stick, points - along * shift_a - left * shift_l) - drop


@lru_cache(maxsize=4096)
def disc_outline(x: float, y: float, diameter: float) -> Polygon:
    """Plan outline of a disc; the polygon lies outside the circle, so that nothing rests beyond the rim unseen."""
    return Polygon(Point(x, y).buffer(diameter / 2, quad_segs=ARC_STEPS))


def car_outline(car: CarBody) -> Polygon:
    """Plan outline of a car, mm."""
    half_l, half_w = car.size.length / 2, car.size.width / 2
    box = Polygon([(-half_l, -half_w), (half_l, -half_w), (half_l, half_w), (-half_l, half_w)])
    turned = affinity.rotate(box, car.heading_deg, origin=(0, 0))
    return Polygon(affinity.translate(turned, car.x, car.y))


# --- what carries -----------------------------------------------------------------------------------------------------


def column_support(column: ColumnBody) -> Support:
    """The top face of a column."""
    z = column.top_z
    outline = disc_outline(column.x, column.y, column.discs[-1].diameter)
    return Support(column.id, outline, lambda points: np.full(len(points), z))


def stick_support(stick: StickBody) -> Support:
    """The top face of a stick that lies."""
    return Support(stick.id, top_outline(stick), lambda points: top_height(stick, points))


def table_support(extent_mm: float = 2000.0) -> Support:
    """The table top, a square of ``extent_mm`` about the origin."""
    half = extent_mm / 2
    square = Polygon([(-half, -half), (half, -half), (half, half), (-half, half)])
    return Support("table", square, lambda points: np.zeros(len(points)))


def card_support(city: CityBody) -> Support:
    """The top face of an area's card (its edge carries, too: an edge point belongs to the outline)."""
    z = city.top_z
    return Support(city.id, Polygon(city.outline), lambda points: np.full(len(points), z))


def thing_support(city: CityBody, thing: CityThing) -> Support:
    """The top of something that stands on an area."""
    z = city.top_z + thing.size.height
    return Support(city.id, Polygon(thing.outline), lambda points: np.full(len(points), z))


def _vertices(shape: BaseGeometry) -> Array:
    """Vertices (n, 2) of whatever an intersection gave."""
    if shape.is_empty:
        return np.zeros((0, 2))
    if hasattr(shape, "geoms"):
        parts = [_vertices(part) for part in shape.geoms]
        return np.concatenate(parts) if parts else np.zeros((0, 2))
    ring = shape.exterior if isinstance(shape, Polygon) else shape
    return np.asarray(force_2d(ring).coords, dtype=np.float64)


# --- resting ----------------------------------------------------------------------------------------------------------


def _lowest(s: Array, w: Array, h: Array) -> tuple[float, float, float] | None:
    """Lowest (z0, slope, across) with ``z0 + slope*s + across*w >= h`` at every point; None if there is none."""
    from scipy.optimize import linprog

    rows = np.stack([-np.ones_like(s), -s, -w, w], axis=1)
    cost = [1.0, 0.0, ROLL_COST_MM, ROLL_COST_MM]
    bounds = [(None, None), (-2.0, 2.0), (0.0, 2.0), (0.0, 2.0)]
    result = linprog(cost, A_ub=rows, b_ub=-h, bounds=bounds, method="highs")
    if result.status != 0:
        return None
    z0, slope, left_up, left_down = (float(v) for v in result.x)
    if abs(slope) > 1.9 or left_up > 1.9 or left_down > 1.9:
        return None  # at the bound: it has tipped over what carries it
    return z0, slope, left_up - left_down


def rest_stick(
    size: StickSize,
    id: str,
    start: Point2,
    toward: Point2,
    supports: Sequence[Support],
) -> Rest | None:
    """Let a stick go with its first tip (top face) over plan point ``start``, its axis towards ``toward``.

    Returns how it lies on ``supports``, or None where it doesn't come to rest on them (it falls off).
    """
    angle = math.atan2(toward[1] - start[1], toward[0] - start[0])
    along = np.array([math.cos(angle), math.sin(angle)])
    left = np.array([-along[1], along[0]])
    slope = across = 0.0
    stick = StickBody(id, ((0, 0, 0), (1, 0, 0)), size.width, size.thickness)
    points = heights = np.zeros(0)
    names: list[str] = []
    for _ in range(SETTLE_STEPS):
        run = size.length / math.sqrt(1 + slope * slope)
        tip = np.array(start)
        end = tip + along * run
        shift_a, shift_l, drop = _normal_drop(slope, across, size.thickness)
        shift = along * shift_a + left * shift_l
        outline = _face(tip + shift, end + shift, size.width, size.round_ends)
        parts, names = [], []
        for support in supports:
            corners = _vertices(outline.intersection(support.outline))
            parts.append(np.column_stack([corners, support.height(corners)]))
            names += [support.id] * len(corners)
        points = np.concatenate(parts) if parts else np.zeros((0, 3))
        if len(points) == 0:
            return None
        middle = (tip + end) / 2 + shift
        s, w = (points[:, :2] - middle) @ along, (points[:, :2] - middle) @ left
        heights = points[:, 2] - 4 * size.bow_mm * (0.25 - (s / run) ** 2)
        solved = _lowest(s, w, heights)
        if solved is None:
            return None
        z0, new_slope, new_across = solved
        change = abs(new_slope - slope) + abs(new_across - across)
        slope, across = new_slope, new_across
        if change < SETTLED:
            break
    # Tips of the top face: the underside's plane, up by the drop, taken back along the shift of its own outline.
    z_tip = z0 - slope * run / 2 + drop
    z_end = z0 + slope * run / 2 + drop
    touching = z0 + slope * s + across * w - heights < CONTACT_MM
    halves = []
    for side in (-1, 1):
        mine = [i for i in np.flatnonzero(touching) if s[i] * side > 0]
        mine.sort(key=lambda i: -abs(s[i]))
        halves.append(tuple(dict.fromkeys(names[i] for i in mine)))
    if not halves[0] or not halves[1]:
        return None
    stick = StickBody(
        id=id,
        ends=((float(tip[0]), float(tip[1]), z_tip), (float(end[0]), float(end[1]), z_end)),
        width=size.width,
        thickness=size.thickness,
        rests_on=(_carrier(halves[0], supports), _carrier(halves[1], supports)),
        bow_mm=size.bow_mm,
        roll_deg=math.degrees(math.atan(across)),
        round_ends=size.round_ends,
        shade=size.shade,
    )
    return Rest(stick=stick, touches=(halves[0], halves[1]))


def _carrier(touched: tuple[str, ...], supports: Sequence[Support]) -> str:
    """What a layout names as the end's rest: of all it touches the first in the order of ``supports``."""
    order = {support.id: i for i, support in enumerate(supports)}
    return min(touched, key=lambda name: order[name])


# --- room between bodies ----------------------------------------------------------------------------------------------


def stick_clearance(a: StickBody, b: StickBody) -> Clearance:
    """Room between two sticks, their own sizes, bow and roll included."""
    (under_a, top_a), (under_b, top_b) = (under_outline(a), top_outline(a)), (under_outline(b), top_outline(b))
    plan = min(top_a.distance(top_b), under_a.distance(under_b), top_a.distance(under_b), under_a.distance(top_b))
    over = _vertices(under_a.intersection(top_b))
    under = _vertices(top_a.intersection(under_b))
    if len(over) == 0 or len(under) == 0:
        return Clearance(plan_mm=float(plan))
    gap_over = float(np.min(under_height(a, over) - top_height(b, over)))
    gap_under = float(np.min(under_height(b, under) - top_height(a, under)))
    if gap_over >= gap_under:
        return Clearance(0.0, gap_over, over=True)
    return Clearance(0.0, gap_under, over=False)


def prism_clearance(stick: StickBody, outline: Polygon, bottom_z: float, top_z: float) -> Clearance:
    """Room between a stick and an upright prism."""
    under, top = under_outline(stick), top_outline(stick)
    plan = min(under.distance(outline), top.distance(outline))
    over = _vertices(under.intersection(outline))
    below = _vertices(top.intersection(outline))
    if len(over) == 0 or len(below) == 0:
        return Clearance(plan_mm=float(plan))
    gap_over = float(np.min(under_height(stick, over))) - top_z
    gap_under = bottom_z - float(np.max(top_height(stick, below)))
    return Clearance(0.0, max(gap_over, gap_under), over=gap_over >= gap_under)


def far_apart(stick: StickBody, x: float, y: float, reach_mm: float) -> bool:
    """Whether the point (x, y) is farther than ``reach_mm`` from the stick's centre line in plan (cheap)."""
    (ax, ay, _), (bx, by, _) = stick.ends
    dx, dy = bx - ax, by - ay
    t = min(1.0, max(0.0, ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy)))
    return math.hypot(x - ax - t * dx, y - ay - t * dy) > reach_mm


def column_clearance(stick: StickBody, column: ColumnBody) -> Clearance:
    """Room between a stick and a column: the least over the column's discs."""
    z = column.base_z
    least: Clearance | None = None
    plan = math.inf
    for disc in column.discs:
        room = prism_clearance(stick, disc_outline(disc.x, disc.y, disc.diameter), z, z + disc.height)
        z += disc.height
        plan = min(plan, room.plan_mm)
        if room.gap_mm is not None and not room.over:
            room = Clearance(0.0, -math.inf, over=False)  # below a disc is another disc, or the table
        if room.gap_mm is not None and (least is None or room.gap_mm < (least.gap_mm or 0.0)):
            least = room
    return least or Clearance(plan_mm=plan)


def car_clearance(stick: StickBody, car: CarBody) -> Clearance:
    """Room between a stick and a car (an upright box around it)."""
    rise = car.size.length / 2 * math.tan(math.radians(abs(car.pitch_deg)))
    return prism_clearance(stick, car_outline(car), car.z - rise, car.z + rise + car.size.height)


def interpenetrations(scene: Scene, allowance_mm: float = 0.02) -> list[tuple[str, str, float]]:
    """Pairs of bodies that are in each other by more than ``allowance_mm``, with the depth in mm."""
    found: list[tuple[str, str, float]] = []

    def check(a: str, b: str, room: Clearance) -> None:
        if room.gap_mm is not None and room.gap_mm < -allowance_mm:
            found.append((a, b, -room.gap_mm))

    for i, stick in enumerate(scene.sticks):
        for other in scene.sticks[i + 1 :]:
            check(stick.id, other.id, stick_clearance(stick, other))
        for column in scene.columns:
            check(stick.id, column.id, column_clearance(stick, column))
        for car in scene.cars:
            if car.on != stick.id:
                check(stick.id, car.id, car_clearance(stick, car))
        for city in scene.city:
            check(stick.id, city.id, prism_clearance(stick, Polygon(city.outline), city.base_z, city.top_z))
            for thing in city.things:
                roof = city.top_z + thing.size.height
                check(stick.id, city.id, prism_clearance(stick, Polygon(thing.outline), city.top_z, roof))
    return found + _standing_pairs(scene, allowance_mm)


def _standing_pairs(scene: Scene, allowance_mm: float) -> list[tuple[str, str, float]]:
    """Columns in columns, cars in columns and cars in cars, by their plan outlines where their heights overlap."""
    bodies: list[tuple[str, Polygon, float, float]] = []
    for column in scene.columns:
        z = column.base_z
        for disc in column.discs:
            bodies.append((column.id, disc_outline(disc.x, disc.y, disc.diameter), z, z + disc.height))
            z += disc.height
    bodies += [(car.id, car_outline(car), car.z, car.z + car.size.height) for car in scene.cars]
    for city in scene.city:
        bodies.append((city.id, Polygon(city.outline), city.base_z, city.top_z))
        bodies += [(city.id, Polygon(t.outline), city.top_z, city.top_z + t.size.height) for t in city.things]
    found = []
    for i, (id_a, outline_a, low_a, high_a) in enumerate(bodies):
        for id_b, outline_b, low_b, high_b in bodies[i + 1 :]:
            if id_a == id_b or min(high_a, high_b) - max(low_a, low_b) < allowance_mm:
                continue
            common = outline_a.intersection(outline_b)
            if common.area > 0:
                depth = math.sqrt(common.area)
                if depth > allowance_mm:
                    found.append((id_a, id_b, depth))
    return found


# --- cars -------------------------------------------------------------------------------------------------------------


def stand_car(car: CarBody, stick: StickBody, along_mm: float, *, backwards: bool = False) -> CarBody:
    """Stand a car on a stick, its middle ``along_mm`` from the first tip, heading along the stick."""
    import dataclasses

    along, _, slope, _ = _axes(stick)
    x, y = np.array(stick.ends[0][:2]) + along * along_mm
    heading = math.degrees(math.atan2(along[1], along[0])) + (180.0 if backwards else 0.0)
    pitch = math.degrees(math.atan(slope)) * (-1.0 if backwards else 1.0)
    return dataclasses.replace(
        car,
        x=float(x),
        y=float(y),
        z=float(stick.top_at(float(x), float(y))),
        heading_deg=(heading + 180.0) % 360.0 - 180.0,
        pitch_deg=pitch,
        on=stick.id,
    )
