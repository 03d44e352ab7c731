"""Where a new road could go: many sketches at once in plain arithmetic, then one of them built exactly and checked.

A sketch is straight and flat on its columns' tops; the check afterwards lays the real stick. Table frame, mm.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from th_vision.virtual_table.city_room import (
    column_trouble,
    columns_fit,
    ground_at,
    ground_heights,
    road_trouble,
    roads_clear,
    tips_fit,
)
from th_vision.virtual_table.physics import (
    car_clearance,
    column_clearance,
    disc_outline,
    far_apart,
    stick_clearance,
    top_outline,
)
from th_vision.virtual_table.playing import Build, Playing, centre_lines_cross
from th_vision.virtual_table.scene import CarBody, ColumnBody, DiscBody, Point2, StickBody, StickSize

Array = NDArray[np.float64]

ANGLES = 72  # directions tried from a base
TIP_PAST_MM = (2.0, 6.0)  # how far a tip lies past the middle of its column
SIDEWAYS_MM = 1.2  # how far an end may be laid off its column's middle
RULES = frozenset({"column-under-road", "touch-road", "overhang", "city"})  # what a move can be let off from
IN_EACH_OTHER_MM = 0.02  # deeper than this is no contact any more
SKETCH_ERROR_MM = 2.5  # by how much a sketch's heights may be off
MIN_CROSSING_DEG = 28.0  # flatter crossings overlap so far that an end would come to lie in them
MIN_TURN_DEG = 72.0  # roads from one column lie apart outside of its disc from here on


@dataclass(frozen=True)
class Margins:
    """How far from the limits of the rules a move has to stay, mm.

    ``plan``: between outlines in plan view (columns, sticks side by side), and of a tip to the rim it may not pass.
    ``gap``: vertical room at crossings. ``tip``: of a crossing to the tips of both roads. ``field``: to the rim.
    """

    plan: float = 3.0
    gap: float = 3.0
    tip: float = 4.0
    field: float = 2.0

    @classmethod
    def of(cls, margin_mm: float) -> Margins:
        """The same margin for everything that is measured."""
        return cls(plan=margin_mm, gap=margin_mm, tip=max(margin_mm, 2.0))


@dataclass(frozen=True)
class Field:
    """The part of the table that is played on, mm, about the origin."""

    width: float = 600.0
    height: float = 380.0


@dataclass(frozen=True)
class Sketches:
    """Many possible roads from one base. Arrays (n,), (n, 2); ``level`` 0 is an offramp."""

    base: str
    start: Array
    end: Array
    column: Array
    level: NDArray[np.int_]
    junction: NDArray[np.bool_]
    z0: Array
    z1: Array

    def take(self, keep: NDArray[np.bool_] | NDArray[np.int_]) -> Sketches:
        """Only some of them."""
        return Sketches(
            self.base,
            self.start[keep],
            self.end[keep],
            self.column[keep],
            self.level[keep],
            self.junction[keep],
            self.z0[keep],
            self.z1[keep],
        )

    def __len__(self) -> int:
        return len(self.level)


def segment_point_distance(a: Array, b: Array, p: Array) -> Array:
    """Distances (n, m) of segments a-b (n, 2) to points (m, 2)."""
    d = b - a
    rel = p[None] - a[:, None]
    t = np.clip(np.einsum("nmk,nk->nm", rel, d) / np.sum(d * d, axis=1)[:, None], 0, 1)
    return np.asarray(np.linalg.norm(rel - t[..., None] * d[:, None], axis=2), dtype=np.float64)


def segment_crossings(a: Array, b: Array, c: Array, d: Array) -> tuple[Array, Array, Array]:
    """For segments a-b (n, 2) and c-d (m, 2): shares t, u (n, m) of the lines' crossing, and the sine of the angle."""
    r, s = b - a, d - c
    area = r[:, None, 0] * s[None, :, 1] - r[:, None, 1] * s[None, :, 0]
    safe = np.where(np.abs(area) < 1e-9, np.nan, area)
    q = c[None] - a[:, None]
    t = (q[..., 0] * s[None, :, 1] - q[..., 1] * s[None, :, 0]) / safe
    u = (q[..., 0] * r[:, None, 1] - q[..., 1] * r[:, None, 0]) / safe
    sine = np.abs(area) / (np.linalg.norm(r, axis=1)[:, None] * np.linalg.norm(s, axis=1)[None])
    return t, u, sine


def sketch(
    game: Playing,
    base: str,
    levels: list[tuple[int, bool]],
    rng: np.random.Generator,
    repeats: int = 2,
    past_mm: tuple[float, float] = TIP_PAST_MM,
) -> Sketches:
    """Sketches from one base for these (level, junction) of the new column; level 0 stands for an offramp.

    ``past_mm``: how far the stick's tip lies past the middle of the new column.
    """
    column = game.column(base)
    pieces = game.pieces
    n_each = ANGLES * repeats
    n = n_each * len(levels)
    angle = np.tile(np.arange(n_each) * 2 * np.pi / n_each, len(levels)) + rng.uniform(0, 2 * np.pi)
    level = np.repeat([lv for lv, _ in levels], n_each)
    junction = np.repeat([jn for _, jn in levels], n_each)
    past = rng.uniform(*TIP_PAST_MM, n)
    past_new = rng.uniform(*past_mm, n)
    u = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    left = np.stack([-u[:, 1], u[:, 0]], axis=1)
    start = np.array([column.x, column.y]) - u * past[:, None]
    start = start + left * rng.uniform(-SIDEWAYS_MM, SIDEWAYS_MM, n)[:, None]
    z0 = np.full(n, column.top_z + pieces.stick.thickness)
    if game.roads_at(base):
        z0 += pieces.stick.thickness
    z1 = np.where(level > 0, level * pieces.disc.height, 0) + pieces.stick.thickness
    run = np.sqrt(pieces.stick.length**2 - (z1 - z0) ** 2)
    end = start + u * run[:, None]
    new = end - u * past_new[:, None] + left * rng.uniform(-SIDEWAYS_MM, SIDEWAYS_MM, n)[:, None]
    z1 = z1 + ground_heights(game.scene.city, np.where(level[:, None] > 0, new, end))
    return Sketches(base, start, end, new, level, junction, z0, np.asarray(z1, dtype=np.float64))


@dataclass(frozen=True)
class Rated:
    """Sketches that seem possible, with what they would cross. ``crosses``: (n, roads) bool; ``above`` likewise."""

    sketches: Sketches
    crosses: NDArray[np.bool_]
    above: NDArray[np.bool_]
    gap: Array


def possible(
    game: Playing,
    sketches: Sketches,
    field: Field,
    margins: Margins,
    meant: frozenset[str] = frozenset(),
    skip: frozenset[str] = frozenset(),
) -> Rated:
    """Leave out sketches that come too near to anything but the columns that are ``meant`` to be come near to.

    ``skip``: rules of ``RULES`` that are not looked at.
    """
    pieces = game.pieces
    radius, half_width = pieces.disc.radius, pieces.stick.width / 2
    s = sketches
    is_column = s.level > 0
    half = np.array([field.width, field.height]) / 2 - margins.field
    inside = np.all(np.abs(s.column) <= half - radius, axis=1) | ~is_column
    inside &= np.all(np.abs(s.end) <= half - half_width, axis=1)
    if game.scene.city and "city" not in skip:
        inside &= _clear_of_city(game, s, margins)
    s = s.take(inside)
    is_column = s.level > 0
    direction = (s.end - s.start) / np.linalg.norm(s.end - s.start, axis=1)[:, None]
    inset = half_width if pieces.stick.ends == "round" else 0.0
    a, b = s.start + direction * inset, s.end - direction * inset
    keep = np.ones(len(s), dtype=bool)

    columns = np.array([[c.x, c.y] for c in game.scene.columns])
    others = np.array([c.id != s.base and c.id not in meant for c in game.scene.columns])
    apart = segment_point_distance(a, b, columns)
    keep &= np.all((apart > radius + half_width + margins.plan) | ~others, axis=1)
    new_apart = np.linalg.norm(s.column[:, None] - columns[None], axis=2)
    keep &= np.all(new_apart > 2 * radius + margins.plan, axis=1) | ~is_column

    sticks = game.scene.sticks
    shares = np.array([s.base in game.ends_at[stick.id] for stick in sticks])
    tips = np.array([[end[:2] for end in stick.ends] for stick in sticks])
    heights = np.array([[end[2] for end in stick.ends] for stick in sticks])
    to = (tips[:, 1] - tips[:, 0]) / np.linalg.norm(tips[:, 1] - tips[:, 0], axis=1)[:, None]
    c, d = tips[:, 0] + to * inset, tips[:, 1] - to * inset
    under_column = np.array([segment_point_distance(c, d, s.column)]).reshape(len(sticks), len(s)).T
    if "column-under-road" not in skip:
        keep &= np.all(under_column > radius + half_width + margins.plan, axis=1) | ~is_column

    t, u, sine = segment_crossings(s.start, s.end, tips[:, 0], tips[:, 1])
    crosses = (t > 0) & (t < 1) & (u > 0) & (u < 1) & ~shares[None]
    length = pieces.stick.length
    # The overlap of two sticks reaches w/2 * (1 + cos)/sin from the crossing along each of them.
    with np.errstate(invalid="ignore", divide="ignore"):
        reach = half_width * (1 + np.sqrt(1 - sine**2)) / sine + margins.tip
        room = np.minimum(np.minimum(t, 1 - t), np.minimum(u, 1 - u)) * length
    well = (room > reach) & (sine > math.sin(math.radians(MIN_CROSSING_DEG)))
    z_new = s.z0[:, None] + t * (s.z1 - s.z0)[:, None]
    z_old = heights[None, :, 0] + u * (heights[:, 1] - heights[:, 0])[None]
    gap = np.abs(z_new - z_old) - pieces.stick.thickness
    roomy = (gap > margins.gap + SKETCH_ERROR_MM * 0.5) | ("touch-road" in skip)
    keep &= np.all(~crosses | (well & roomy), axis=1)
    side = np.minimum.reduce(
        [
            segment_point_distance(c, d, a).T,
            segment_point_distance(c, d, b).T,
            segment_point_distance(a, b, c),
            segment_point_distance(a, b, d),
        ]
    )
    keep &= np.all(crosses | shares[None] | (side > 2 * half_width + margins.plan), axis=1)

    base = np.array([game.column(s.base).x, game.column(s.base).y])
    for stick_tips in tips[shares]:
        far = stick_tips[np.argmax(np.linalg.norm(stick_tips - base, axis=1))]
        out = (far - base) / np.linalg.norm(far - base)
        keep &= direction @ out < math.cos(math.radians(MIN_TURN_DEG))
    above = z_new > z_old
    return Rated(s.take(keep), crosses[keep], above[keep], gap[keep])


def _clear_of_city(game: Playing, s: Sketches, margins: Margins) -> NDArray[np.bool_]:
    """Which sketches (n,) leave the city alone: columns, offramps' ends and roads."""
    city, half_width = game.scene.city, game.pieces.stick.width / 2
    offramp = s.level == 0
    clear = offramp | columns_fit(city, s.column, game.pieces.disc.radius + margins.plan)
    clear &= ~offramp | tips_fit(city, s.end, margins.plan)
    clear &= roads_clear(city, s.start, s.end, (s.z0, s.z1), half_width, margins.plan, margins.gap)
    return np.asarray(clear, dtype=np.bool_)


def check(
    game: Playing,
    build: Build,
    margins: Margins,
    *,
    meant: frozenset[str] = frozenset(),
    skip: frozenset[str] = frozenset(),
    lies_on: frozenset[str] = frozenset(),
) -> str | None:
    """Why a build would break a rule or come nearer to its limit than the margins; None where all is well.

    ``meant``: columns that the road may come near to, or lie over. ``skip``: rules of ``RULES`` that are left to the
    rule book; that no body is in another is looked at all the same. ``lies_on``: roads that it may rest on.
    """
    stick, new = build.stick, build.column
    shared = {build.base} if build.standing is None else {build.base, build.standing}
    reach = game.pieces.disc.diameter + game.pieces.stick.width + margins.plan
    for column in game.scene.columns:
        if column.id == build.base or far_apart(stick, column.x, column.y, reach):
            continue
        top = disc_outline(column.x, column.y, game.pieces.disc.diameter)
        if column.id not in meant:
            plan = min(top_outline(stick).distance(top), column_clearance(stick, column).plan_mm)
            if plan < margins.plan:
                return f"too near to {column.id}"
        elif (column_clearance(stick, column).gap_mm or 1.0) < -IN_EACH_OTHER_MM:
            return f"in {column.id}"
    reach_new = game.pieces.disc.diameter + 2.0
    for column in game.scene.columns if new is not None else ():
        if new is None or column.id in meant:
            continue
        if math.dist((new.x, new.y), (column.x, column.y)) < reach_new:
            return f"{new.id} in {column.id}"
    for other in game.scene.sticks:
        over_new = new is not None and not far_apart(other, new.x, new.y, reach)
        if new is not None and over_new and not _stands_clear(other, new, margins, "column-under-road" in skip):
            return f"{new.id} under {other.id}"
        if other.id in lies_on:
            continue
        room = stick_clearance(stick, other)
        if shared & set(game.ends_at[other.id]):
            if build.standing is None and not _apart_outside(game, shared & set(game.ends_at[other.id]), stick, other):
                return f"overlaps {other.id} outside of {build.base}"
        elif room.gap_mm is None:
            if room.plan_mm < margins.plan:
                return f"too near to {other.id}"
        elif room.gap_mm < (-IN_EACH_OTHER_MM if "touch-road" in skip else margins.gap):
            return f"no room at {other.id}"
        elif centre_lines_cross(stick, other) is None:
            return f"only partly across {other.id}"
    if game.scene.city and "city" not in skip:
        trouble = road_trouble(game.scene.city, stick, margins.plan, margins.gap)
        trouble = trouble or (column_trouble(game.scene.city, new, margins.plan) if new is not None else None)
        if trouble is not None:
            return trouble
    for car in game.scene.cars:
        if far_apart(stick, car.x, car.y, reach + car.size.length):
            continue
        room = car_clearance(stick, car)
        if (room.gap_mm is None and room.plan_mm < 0.5) or (room.gap_mm is not None and room.gap_mm < margins.gap):
            return f"no room at {car.id}"
    for body, end in ((game.column_or_none(build.base), 0), (new or game.column_or_none(build.standing), 1)):
        if body is None:
            continue
        along = np.subtract(stick.ends[1 - end][:2], stick.ends[end][:2])
        along = along / np.linalg.norm(along)
        if "overhang" in skip and end == 1:
            continue
        past = float(np.dot(np.array([body.x, body.y]) - stick.ends[end][:2], along))
        if past > game.pieces.disc.radius - margins.plan or past < -game.pieces.disc.radius + 3.0:
            return f"tip {past:.1f} mm past the middle of {body.id}"
    return None


def _stands_clear(road: StickBody, column: ColumnBody, margins: Margins, under: bool) -> bool:
    """Whether a new column stands beside a road; where it may stand ``under`` it, whether it has room there."""
    room = column_clearance(road, column)
    if room.gap_mm is not None:
        return under and room.gap_mm >= margins.gap
    return room.plan_mm >= (0.0 if under else margins.plan)


def _apart_outside(game: Playing, columns: set[str], a: StickBody, b: StickBody) -> bool:
    """Whether two sticks overlap in plan nowhere but on the columns that they share."""
    common = top_outline(a).intersection(top_outline(b))
    for column in columns:
        body = game.column(column)
        common = common.difference(disc_outline(body.x, body.y, game.pieces.disc.diameter))
    return bool(common.area < 1e-3)


def rough_build(game: Playing, sketches: Sketches, index: int) -> Build:
    """A sketch as a build, straight and flat, for looking ahead: nobody laid it, so nothing is exact."""
    level = int(sketches.level[index])
    pieces = game.pieces
    column = None
    if level > 0:
        x, y = (float(v) for v in sketches.column[index])
        top = level - 1 if sketches.junction[index] else -1
        discs = [DiscBody(x, y, pieces.disc.diameter, pieces.disc.height, yellow=i == top) for i in range(level)]
        column = ColumnBody(game.next_id("c"), tuple(discs), *ground_at(game.scene.city, x, y))
    (ax, ay), (bx, by) = sketches.start[index], sketches.end[index]
    ends = (
        (float(ax), float(ay), float(sketches.z0[index])),
        (float(bx), float(by), float(sketches.z1[index])),
    )
    stick = StickBody(game.next_id("r"), ends, pieces.stick.width, pieces.stick.thickness)
    columns = (sketches.base,) if column is None else (sketches.base, column.id)
    return Build(base=sketches.base, column=column, stick=stick, crossings=game.crossings_of(stick, columns))


def realise(game: Playing, sketches: Sketches, index: int, size: StickSize) -> Build | None:
    """Build the column and lay the stick of one sketch; None where the stick doesn't rest as meant."""
    level = int(sketches.level[index])
    start: Point2 = (float(sketches.start[index, 0]), float(sketches.start[index, 1]))
    toward: Point2 = (float(sketches.end[index, 0]), float(sketches.end[index, 1]))
    column = None
    if level > 0:
        x, y = (float(v) for v in sketches.column[index])
        column = game.stack(x, y, level, junction=bool(sketches.junction[index]))
    stick = game.lay(size, sketches.base, column, start, toward)
    if stick is None:
        return None
    columns = (sketches.base,) if column is None else (sketches.base, column.id)
    return Build(base=sketches.base, column=column, stick=stick, crossings=game.crossings_of(stick, columns))


def with_cars(game: Playing, build: Build, count: int, rng: np.random.Generator, apart_mm: float = 3.0) -> Build | None:
    """The same build with ``count`` cars on its road, clear of roads overhead, of column tops and of each other."""
    if count == 0:
        return build
    stick = build.stick
    longest = max(box.length for box in game.pieces.cars.values())
    end_room = game.pieces.disc.diameter + 2.0 + longest / 2
    places = rng.permutation(np.arange(end_room, stick.length - end_room, 2.0))
    cars: list[CarBody] = []
    used: list[float] = []
    overhead = [s for s in game.scene.sticks if s.id != stick.id]
    for along in places:
        if len(cars) == count:
            break
        if any(abs(along - other) < longest + apart_mm for other in used):
            continue
        car = game.car_body(stick, float(along), index=len(cars))
        near = [s for s in overhead if not far_apart(s, car.x, car.y, 2 * longest)]
        if any(_above(other, car) and car_clearance(other, car).plan_mm < apart_mm for other in near):
            continue
        cars.append(car)
        used.append(float(along))
    if len(cars) < count:
        return None
    return replace(build, cars=tuple(cars))


def _above(stick: StickBody, car: CarBody) -> bool:
    return stick.top_at(car.x, car.y) > car.z
