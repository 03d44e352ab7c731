"""A reading without what can't be: two columns in one place, one car seen twice, a road within a road.

Physics speaks here, not the rules: pieces don't overlap. What is believed already wins over what is new.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from rules.layout import Car, Column, Layout, Point3, Road
from rules.pieces import Pieces
from th_vision import tolerances as tol
from th_vision.support import along_sigma, column_at, distance_to_road, height_of_road, on_ray


def tidy(seen: Layout, believed: Layout, pieces: Pieces) -> Layout:
    """The reading with columns, roads and cars that are there twice told once, and without new roads that lie along
    another one and lead to no column; ``rests_on`` and ``on`` follow."""
    columns, names = _one_of_each_column(seen.columns, believed.columns, pieces)
    roads, twins = _one_of_each_road([_renamed(road, names) for road in seen.roads], believed.roads)
    roads = [_renamed(road, twins) for road in roads if not _ghost(road, roads, believed.roads, columns, pieces)]
    left = {road.id for road in roads}
    cars = []
    for car in _one_of_each_car(seen.cars, believed.cars, pieces):
        on = twins.get(car.on, car.on) if car.on else None
        cars.append(car if on == car.on and on in left else car.model_copy(update={"on": on if on in left else None}))
    return seen.model_copy(update={"columns": columns, "roads": tuple(roads), "cars": tuple(cars)})


def _renamed(road: Road, names: dict[str, str]) -> Road:
    rests_on = (names.get(road.rests_on[0], road.rests_on[0]), names.get(road.rests_on[1], road.rests_on[1]))
    return road if rests_on == road.rests_on else road.model_copy(update={"rests_on": rests_on})


def with_cars_in_sight(seen: Layout, believed: Layout, eye: Point3, pieces: Pieces) -> Layout:
    """The reading with every new car on a road that lets it be seen: one whose middle is behind a higher road, from the
    camera at ``eye``, stands on that road; where a car stands there already, it is none."""
    cars: list[Car] = []
    for car in seen.cars:
        upper = None if _known(car, believed.cars) else _road_before(car, seen.roads, eye, pieces)
        if upper is None:
            cars.append(car)
            continue
        z = height_of_road(upper, car.x, car.y)
        x, y = on_ray(eye, (car.x, car.y, car.z), z)
        box = pieces.cars.get(car.type) or next(iter(pieces.cars.values()), None)
        reach = box.length if box else pieces.stick.width
        if not any(k.on == upper.id and np.hypot(k.x - x, k.y - y) < reach for k in seen.cars):
            (ax, ay, _), (bx, by, _) = upper.ends
            heading = float(np.degrees(np.arctan2(by - ay, bx - ax)))
            update = {"x": float(x), "y": float(y), "z": z, "on": upper.id, "heading_deg": heading}
            cars.append(car.model_copy(update=update))
    return seen.model_copy(update={"cars": tuple(cars)})


def _known(car: Car, believed: Sequence[Car]) -> bool:
    """Whether a car stood there before."""
    return any(
        np.hypot(k.x - car.x, k.y - car.y) < tol.SAME_ROAD_MM and abs(k.z - car.z) < tol.RESTS_Z_MM for k in believed
    )


def _road_before(car: Car, roads: Sequence[Road], eye: Point3, pieces: Pieces) -> Road | None:
    """The highest road between the camera and a car's middle: what is seen there stands on that road."""
    found: list[tuple[float, Road]] = []
    for road in roads:
        z = height_of_road(road, car.x, car.y)
        if road.id == car.on or z < car.z + tol.MOVED_HEIGHT_MM or eye[2] <= z:
            continue
        x, y = on_ray(eye, (car.x, car.y, car.z), z)
        if distance_to_road(car.model_copy(update={"x": float(x), "y": float(y)}), road) < pieces.stick.width / 2:
            found.append((z, road))
    return max(found, key=lambda pair: pair[0])[1] if found else None


def without_cars_on_one_ray(
    seen: Layout, believed: Layout, eye: Point3, stands: Callable[[Car], bool | None], pieces: Pieces
) -> Layout:
    """The reading without new cars that are a known one's picture, put at a wrong height: on one ray of the camera at
    ``eye`` with a known car of that player, where the view shows what it showed before: there as here."""

    def mirrored(car: Car) -> bool:
        box = pieces.cars.get(car.type) or next(iter(pieces.cars.values()), None)
        reach = tol.CAR_TWIN_WIDTHS * (box.width if box else pieces.stick.width)
        for other in believed.cars:
            if other.player != car.player or eye[2] - other.z < 1:
                continue
            x, y = on_ray(eye, (other.x, other.y, other.z), car.z)
            near = np.hypot(x - car.x, y - car.y) < reach
            if near and stands(other) and stands(car) and _road_before(other, seen.roads, eye, pieces) is None:
                return True
        return False

    return seen.model_copy(
        update={"cars": tuple(car for car in seen.cars if _known(car, believed.cars) or not mirrored(car))}
    )


def road_within_road(road: Road, others: Sequence[Road], pieces: Pieces) -> bool:
    """Whether most of a road lies along another one in plan view: hardly ever built, often a reading gone wrong."""
    start, end = np.array(road.ends[0][:2]), np.array(road.ends[1][:2])
    points = start + np.linspace(0, 1, 23)[:, None] * (end - start)
    for other in others:
        if other.id == road.id:
            continue
        a, b = np.array(other.ends[0][:2]), np.array(other.ends[1][:2])
        along = b - a
        share = np.clip((points - a) @ along / max(float(along @ along), 1e-9), 0, 1)
        distance = np.hypot(*(a + share[:, None] * along - points).T)
        if float(np.mean(distance < pieces.stick.width)) > tol.WITHIN_SHARE:
            return True
    return False


def _ghost(
    road: Road, roads: Sequence[Road], believed: Sequence[Road], columns: Sequence[Column], pieces: Pieces
) -> bool:
    if all(column_at(road, end, columns, pieces) is not None for end in (0, 1)):
        return False
    for known in believed:
        apart = _tips_apart(road, known)
        if apart <= tol.SAME_ROAD_MM and all(apart <= _tips_apart(other, known) for other in roads):
            return False
    return road_within_road(road, roads, pieces)


def _tips_apart(a: Road, b: Road) -> float:
    tips, other = np.array(a.ends)[:, :2], np.array(b.ends)[:, :2]
    return float(min(np.hypot(*(tips - o).T).max() for o in (other, other[::-1])))


def _one_of_each_column(
    seen: Sequence[Column], believed: Sequence[Column], pieces: Pieces
) -> tuple[tuple[Column, ...], dict[str, str]]:
    """Columns stand a diameter apart; of two in one place the one that is believed, or surer, stays."""

    def rank(column: Column) -> tuple[bool, float]:
        known = any(
            np.hypot(c.x - column.x, c.y - column.y) < pieces.disc.radius and c.levels == column.levels
            for c in believed
        )
        return known, column.levels_probability

    kept: list[Column] = []
    names: dict[str, str] = {}
    for column in sorted(seen, key=rank, reverse=True):
        twin = next(
            (c for c in kept if np.hypot(c.x - column.x, c.y - column.y) < tol.TWIN_SHARE * pieces.disc.diameter), None
        )
        if twin is None:
            kept.append(column)
        else:
            names[column.id] = twin.id
    order = {column.id: i for i, column in enumerate(seen)}
    return tuple(sorted(kept, key=lambda column: order[column.id])), names


def _one_of_each_road(seen: Sequence[Road], believed: Sequence[Road]) -> tuple[list[Road], dict[str, str]]:
    """No two sticks lie between the same two places; the believed one stays, else the one that is measured better."""

    def rank(road: Road) -> tuple[float, float]:
        known = min((_tips_apart(road, r) for r in believed), default=tol.SAME_ROAD_MM)
        return min(known, tol.SAME_ROAD_MM), along_sigma(road)

    kept: list[Road] = []
    names: dict[str, str] = {}
    for road in sorted(seen, key=rank):
        twin = next((r for r in kept if _tips_apart(r, road) < tol.TWIN_ROADS_MM), None)
        if twin is None:
            kept.append(road)
        else:
            names[road.id] = twin.id
    order = {road.id: i for i, road in enumerate(seen)}
    return sorted(kept, key=lambda road: order[road.id]), names


def _one_of_each_car(seen: Sequence[Car], believed: Sequence[Car], pieces: Pieces) -> tuple[Car, ...]:
    """Of two cars of a player that all but overlap in plan view the lower one goes, unless it stood there before: it
    would be out of sight. (One that is seen on one ray with another, further down, is no reading of the detector's.)"""

    def reach(upper: Car) -> float:
        box = pieces.cars.get(upper.type) or next(iter(pieces.cars.values()), None)
        return tol.TWIN_SHARE * (box.length if box else pieces.stick.width)

    kept: list[Car] = []
    for car in sorted(seen, key=lambda car: -car.z):
        over = [k for k in kept if k.player == car.player and np.hypot(k.x - car.x, k.y - car.y) < reach(k)]
        if not over or _known(car, believed):
            kept.append(car)
    order = {car.id: i for i, car in enumerate(seen)}
    return tuple(sorted(kept, key=lambda car: order[car.id]))
