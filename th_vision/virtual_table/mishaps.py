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
    rest_stick,
    stick_clearance,
    stick_support,
    table_support,
)
from th_vision.virtual_table.playing import Kind, PlayedMoment, Playing
from th_vision.virtual_table.record_lines import Line
from th_vision.virtual_table.scene import CarBody, Scene, StickBody, StickSize

TRIES = 4000
FALLS_WITHIN_MM = 110.0  # how far from where it was a fallen piece comes to lie
LIES_CLEAR_MM = 1.5  # room around a piece that fell: it lies against nothing


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


def knock(
    game: Playing, road: str, *, field_mm: tuple[float, float] = (600.0, 380.0), put_back_mm: float = 0.5
) -> tuple[PlayedMoment, PlayedMoment]:
    """The player whose turn it is knocks down a loose road with its cars; then all is put back.

    ``put_back_mm``: one standard deviation of how exactly, along and across the road.

    Raises:
        VisionError: something rests on that road, or there is no room for it to fall.
    """
    by = game.whose_turn
    stick = game.stick(road)
    if any(game.roads_at(column)[-1].id != road for column in game.ends_at[road]):
        raise VisionError(f"virtual game: something rests on {road}; knock a road that nothing rests on")
    cars = [car for car in game.scene.cars if car.on == road]
    standing = game.scene
    fallen = _fall(game.rng, standing, stick, cars, field_mm)
    line: Line = {
        "type": "knock",
        "turn": game.turn,
        "by": by,
        "pieces": [road, *(car.id for car in cars)],
        "shift_mm": 0,
    }
    middle = np.mean(np.array(stick.ends), axis=0)
    target = (float(middle[0]), float(middle[1]))
    hand = game.hand(by, target)
    game.scene = fallen
    events = (f"knock:{road}",)
    knocked = game.moment(
        Kind("knock", game.turn, by, events), [line], f"turn {game.turn}: {by} knocks down {road}", (hand,)
    )
    game.scene = put_back(game, standing, road, put_back_mm)
    restored = game.moment(
        Kind("restored", game.turn, by, events),
        [],
        f"turn {game.turn}: {road} is put back",
        (game.hand(game.owner[road], target),),
    )
    return knocked, restored


def put_back(game: Playing, standing: Scene, road: str, sigma_mm: float) -> Scene:
    """The scene before the fall with the road and its cars where hands have put them back."""
    old = next(s for s in standing.sticks if s.id == road)
    size = StickSize(old.length, old.width, old.thickness, old.bow_mm, 0.0, old.shade, old.round_ends)
    columns = [c for c in standing.columns if c.id in game.ends_at[road]]
    below = [s for s in standing.sticks if s.id != road and set(game.ends_at[s.id]) & set(game.ends_at[road])]
    supports = [*(column_support(c) for c in columns), *(stick_support(s) for s in below)]
    if len(columns) < 2:
        supports.append(table_support())
    (ax, ay, _), (bx, by, _) = old.ends
    off = game.rng.normal(0, sigma_mm, 4)
    rest = rest_stick(size, road, (ax + off[0], ay + off[1]), (bx + off[2], by + off[3]), supports)
    if rest is None:
        return standing
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
    field_mm: tuple[float, float],
) -> Scene:
    """The stick flat on the table, its cars beside it, all clear of what still stands."""
    gone = {car.id for car in cars}
    left = replace(
        scene,
        sticks=tuple(s for s in scene.sticks if s.id != stick.id),
        cars=tuple(c for c in scene.cars if c.id not in gone),
    )
    lying = _lie_down(rng, left, stick, field_mm)
    sticks = tuple(lying if s.id == stick.id else s for s in scene.sticks)
    fallen = replace(left, sticks=sticks)
    for car in cars:
        fallen = replace(fallen, cars=(*fallen.cars, _land(rng, fallen, car, field_mm)))
    return fallen


def _lie_down(rng: np.random.Generator, scene: Scene, stick: StickBody, field_mm: tuple[float, float]) -> StickBody:
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


def _land(rng: np.random.Generator, scene: Scene, car: CarBody, field_mm: tuple[float, float]) -> CarBody:
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
