"""What goes wrong at a table: pieces are knocked down and put back. Table frame, mm."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from shapely.geometry import Point

from th_vision.errors import VisionError
from th_vision.virtual_table.physics import (
    car_clearance,
    car_outline,
    column_clearance,
    column_support,
    disc_outline,
    interpenetrations,
    rest_stick,
    stick_clearance,
    stick_support,
    table_support,
)
from th_vision.virtual_table.playing import Kind, PlayedMoment, Playing
from th_vision.virtual_table.record_lines import Line
from th_vision.virtual_table.scene import CarBody, ColumnBody, DiscBody, Scene, StickBody, StickSize

TRIES = 4000
FALLS_WITHIN_MM = 110.0  # how far from where it was a fallen piece comes to lie
PUT_BACK_TRIES = 10
FIELD_MM = (600.0, 380.0)
LIES_CLEAR_MM = 1.5  # room around a piece that fell: it lies against nothing

Size = tuple[float, float]
Pair = tuple[PlayedMoment, PlayedMoment]


def loose_roads(game: Playing, player: str) -> tuple[str, ...]:
    """The roads of a player on which nothing else rests, the ones with cars first: knocked, they fall alone."""
    found = []
    for stick in game.scene.sticks:
        columns = game.ends_at[stick.id]
        last = all(game.roads_at(column)[-1].id == stick.id for column in columns)
        if game.owner[stick.id] == player and last:
            found.append(stick.id)
    carrying = {car.on for car in game.scene.cars}
    return tuple(sorted(found, key=lambda road: (road not in carrying, road)))


def loose_columns(game: Playing, player: str) -> tuple[str, ...]:
    """The columns of a player at the end of a way: one road lies on them, and nothing rests on that road."""
    loose = set(loose_roads(game, player))
    ends = [(c.id, game.roads_at(c.id)) for c in game.scene.columns if game.owner[c.id] == player]
    return tuple(column for column, roads in ends if len(roads) == 1 and roads[0].id in loose)


def knock(game: Playing, road: str, *, field_mm: Size = FIELD_MM, put_back_mm: float = 0.5) -> Pair:
    """The player whose turn it is knocks down a loose road with its cars; then all is put back.

    ``put_back_mm``: one standard deviation of how exactly, along and across the road.

    Raises:
        VisionError: something rests on that road, or there is no room for it to fall.
    """
    if any(game.roads_at(column)[-1].id != road for column in game.ends_at[road]):
        raise VisionError(f"virtual game: something rests on {road}; knock a road that nothing rests on")
    return _down_and_up(game, game.stick(road), None, field_mm, put_back_mm)


def collapse(game: Playing, column: str, *, field_mm: Size = FIELD_MM, put_back_mm: float = 0.5) -> Pair:
    """The player whose turn it is knocks over a loose column: its discs lie about, with its road and the cars on it.

    Raises:
        VisionError: the column is not at the end of a way, or there is no room to fall.
    """
    if column not in loose_columns(game, game.owner[column]):
        raise VisionError(f"virtual game: {column} carries more than one loose road; choose one of loose_columns")
    return _down_and_up(game, game.roads_at(column)[0], game.column(column), field_mm, put_back_mm)


def nudge(game: Playing, column: str, shift_mm: float, put_back_mm: float = 0.3) -> Pair | None:
    """The player whose turn it is shifts a loose column, its road with it; then it is put right. None: no room."""
    by, standing = game.whose_turn, game.scene
    road = game.roads_at(column)[0].id
    body = game.column(column)
    for angle in game.rng.uniform(0, 2 * math.pi, 8):
        by_mm = (shift_mm * math.cos(angle), shift_mm * math.sin(angle))
        shifted = replace(
            standing, columns=tuple(_shifted(c, by_mm) if c.id == column else c for c in standing.columns)
        )
        moved = _laid_again(game, shifted, road, (0.0, 0.0, *by_mm))
        if moved is not None and not interpenetrations(moved):
            break
    else:
        return None
    line: Line = {"type": "knock", "turn": game.turn, "by": by, "pieces": [column, road], "shift_mm": shift_mm}
    events = (f"nudge:{column}",)
    target = (body.x, body.y)
    game.scene = moved
    label = f"turn {game.turn}: {by} shifts {column} by {shift_mm:.1f} mm"
    nudged = game.moment(Kind("nudge", game.turn, by, events), [line], label, (game.hand(by, target),))
    game.scene = put_back(game, standing, road, put_back_mm)
    label = f"turn {game.turn}: {column} is put right"
    hands = (game.hand(game.owner[column], target),)
    return nudged, game.moment(Kind("restored", game.turn, by, events), [], label, hands)


def _down_and_up(
    game: Playing, stick: StickBody, column: ColumnBody | None, field_mm: Size, put_back_mm: float
) -> Pair:
    by, standing, road = game.whose_turn, game.scene, stick.id
    cars = [car for car in standing.cars if car.on == road]
    fallen = _fall(game.rng, standing, stick, cars, column, field_mm)
    names = [road, *(car.id for car in cars)] if column is None else [column.id, road, *(car.id for car in cars)]
    line: Line = {"type": "knock", "turn": game.turn, "by": by, "pieces": names, "shift_mm": 0}
    middle = np.mean(np.array(stick.ends), axis=0)
    target = (float(middle[0]), float(middle[1]))
    hand = game.hand(by, target)
    game.scene = fallen
    events = (f"knock:{names[0]}",)
    label = f"turn {game.turn}: {by} knocks down {names[0]}"
    knocked = game.moment(Kind("knock", game.turn, by, events), [line], label, (hand,))
    if column is not None:
        off = game.rng.normal(0, put_back_mm, 2)
        again = _shifted(column, (float(off[0]), float(off[1])))
        standing = replace(standing, columns=tuple(again if c.id == column.id else c for c in standing.columns))
    game.scene = put_back(game, standing, road, put_back_mm)
    label = f"turn {game.turn}: {names[0]} is put back"
    hands = (game.hand(game.owner[road], target),)
    return knocked, game.moment(Kind("restored", game.turn, by, events), [], label, hands)


def _shifted(column: ColumnBody, by_mm: tuple[float, float]) -> ColumnBody:
    discs = tuple(replace(disc, x=disc.x + by_mm[0], y=disc.y + by_mm[1]) for disc in column.discs)
    return replace(column, discs=discs)


def put_back(game: Playing, standing: Scene, road: str, sigma_mm: float) -> Scene:
    """The scene before the fall with the road and its cars where hands have put them back."""
    for _ in range(PUT_BACK_TRIES):
        x0, y0, x1, y1 = game.rng.normal(0, sigma_mm, 4)
        again = _laid_again(game, standing, road, (float(x0), float(y0), float(x1), float(y1)))
        if again is not None and not interpenetrations(again):
            return again
    return standing


def _laid_again(game: Playing, standing: Scene, road: str, off_mm: tuple[float, float, float, float]) -> Scene | None:
    """The scene with a road (nothing rests on it) laid anew, its tips off by (x, y, x, y), its cars on it."""
    old = next(s for s in standing.sticks if s.id == road)
    size = StickSize(old.length, old.width, old.thickness, old.bow_mm, 0.0, old.shade, old.round_ends)
    columns = [c for c in standing.columns if c.id in game.ends_at[road]]
    below = [s for s in standing.sticks if s.id != road and set(game.ends_at[s.id]) & set(game.ends_at[road])]
    supports = [*(column_support(c) for c in columns), *(stick_support(s) for s in below)]
    if len(columns) < 2:
        supports.append(table_support())
    (ax, ay, _), (bx, by, _) = old.ends
    rest = rest_stick(size, road, (ax + off_mm[0], ay + off_mm[1]), (bx + off_mm[2], by + off_mm[3]), supports)
    if rest is None:
        return None
    new = rest.stick
    cars = tuple(_on_again(car, old, new) if car.on == road else car for car in standing.cars)
    sticks = tuple(new if s.id == road else s for s in standing.sticks)
    return replace(standing, sticks=sticks, cars=cars)


def _on_again(car: CarBody, old: StickBody, new: StickBody) -> CarBody:
    shift = np.subtract(new.ends[0], old.ends[0])
    x, y = car.x + float(shift[0]), car.y + float(shift[1])
    return replace(car, x=x, y=y, z=new.top_at(x, y))


def _fall(
    rng: np.random.Generator,
    scene: Scene,
    stick: StickBody,
    cars: list[CarBody],
    column: ColumnBody | None,
    field_mm: Size,
) -> Scene:
    """The stick flat on the table, its cars and the column's discs beside it, all clear of what still stands."""
    gone = {car.id for car in cars}
    left = replace(
        scene,
        sticks=tuple(s for s in scene.sticks if s.id != stick.id),
        cars=tuple(c for c in scene.cars if c.id not in gone),
    )
    if column is not None:
        at = [c.id for c in scene.columns].index(column.id)
        left = replace(left, columns=tuple(c for c in left.columns if c.id != column.id))
        discs = list[ColumnBody]()
        for n, disc in enumerate(column.discs):
            name = column.id if n == 0 else f"{column.id}-{n}"
            discs.append(_roll_away(rng, replace(left, columns=(*left.columns, *discs)), name, disc, field_mm))
        left = replace(left, columns=(*left.columns[:at], *discs, *left.columns[at:]))
    lying = _lie_down(rng, left, stick, field_mm)
    sticks = tuple(lying if s.id == stick.id else s for s in scene.sticks)
    fallen = replace(left, sticks=sticks)
    for car in cars:
        fallen = replace(fallen, cars=(*fallen.cars, _land(rng, fallen, car, field_mm)))
    return fallen


def _lie_down(rng: np.random.Generator, scene: Scene, stick: StickBody, field_mm: Size) -> StickBody:
    middle = np.mean(np.array(stick.ends), axis=0)[:2]
    half = np.array(field_mm) / 2 - stick.width
    for _ in range(TRIES):
        centre = middle + rng.uniform(-FALLS_WITHIN_MM, FALLS_WITHIN_MM, 2)
        angle = rng.uniform(0, math.pi)
        arm = np.array([math.cos(angle), math.sin(angle)]) * stick.length / 2
        a, b = centre - arm, centre + arm
        if np.any(np.abs([a, b]) > half):
            continue
        z = stick.thickness
        body = replace(
            stick,
            ends=((float(a[0]), float(a[1]), z), (float(b[0]), float(b[1]), z)),
            rests_on=("table", "table"),
            roll_deg=0.0,
            bow_mm=0.0,
        )
        if _clear(scene, body):
            return body
    raise VisionError(f"virtual game: no room for {stick.id} to fall; choose another road or a larger field")


def _clear(scene: Scene, body: StickBody) -> bool:
    """Whether a lying stick has room to everything, or lies well below it."""
    rooms = [stick_clearance(body, other) for other in scene.sticks]
    rooms += [column_clearance(body, column) for column in scene.columns]
    rooms += [car_clearance(body, car) for car in scene.cars]
    return all((r.plan_mm if r.gap_mm is None else r.gap_mm) >= LIES_CLEAR_MM for r in rooms)


def _roll_away(rng: np.random.Generator, scene: Scene, name: str, disc: DiscBody, field_mm: Size) -> ColumnBody:
    """A disc that fell: a column of one, flat on the table."""
    half = np.array(field_mm) / 2 - disc.diameter
    for _ in range(TRIES):
        x, y = np.array([disc.x, disc.y]) + rng.uniform(-FALLS_WITHIN_MM, FALLS_WITHIN_MM, 2)
        if abs(x) > half[0] or abs(y) > half[1]:
            continue
        body = ColumnBody(name, (replace(disc, x=float(x), y=float(y)),))
        rooms = [column_clearance(stick, body) for stick in scene.sticks]
        outline = disc_outline(float(x), float(y), disc.diameter)
        if (
            all((r.plan_mm if r.gap_mm is None else r.gap_mm) >= LIES_CLEAR_MM for r in rooms)
            and all(math.dist((x, y), (c.x, c.y)) >= disc.diameter + LIES_CLEAR_MM for c in scene.columns)
            and all(outline.distance(car_outline(car)) >= LIES_CLEAR_MM for car in scene.cars)
        ):
            return body
    raise VisionError(f"virtual game: no room for {name} to fall; choose another column or a larger field")


def _land(rng: np.random.Generator, scene: Scene, car: CarBody, field_mm: Size) -> CarBody:
    half = np.array(field_mm) / 2 - car.size.length
    for _ in range(TRIES):
        x, y = np.array([car.x, car.y]) + rng.uniform(-FALLS_WITHIN_MM / 2, FALLS_WITHIN_MM / 2, 2)
        if abs(x) > half[0] or abs(y) > half[1]:
            continue
        heading = float(rng.uniform(-180, 180))
        body = replace(car, x=float(x), y=float(y), z=0.0, heading_deg=heading, pitch_deg=0.0, on=None)
        outline = car_outline(body)
        columns = (disc_outline(c.x, c.y, c.discs[0].diameter) for c in scene.columns)
        rooms = [car_clearance(s, body) for s in scene.sticks]
        if (
            all(outline.distance(disc) >= LIES_CLEAR_MM for disc in columns)
            and all((r.plan_mm if r.gap_mm is None else r.gap_mm) >= LIES_CLEAR_MM for r in rooms)
            and all(outline.distance(Point(o.x, o.y)) >= o.size.length for o in scene.cars)
        ):
            return body
    raise VisionError(f"virtual game: no room for {car.id} to fall; choose another road or a larger field")
