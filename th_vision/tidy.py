"""A reading without what can't be: two columns in one place, one car seen twice, a road within a road.

Physics speaks here, not the rules: pieces don't overlap. What is believed already wins over what is new.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rules.layout import Car, Column, Layout, Road
from rules.pieces import Pieces
from th_vision import tolerances as tol
from th_vision.support import column_at


def tidy(seen: Layout, believed: Layout, pieces: Pieces) -> Layout:
    """The reading with columns and cars that are there twice told once, and without new roads that lie along another
    one and lead to no column; ``rests_on`` follows."""
    columns, names = _one_of_each_column(seen.columns, believed.columns, pieces)
    roads = tuple(
        road.model_copy(update={"rests_on": tuple(names.get(what, what) for what in road.rests_on)})
        for road in seen.roads
    )
    roads = tuple(road for road in roads if not _ghost(road, roads, believed.roads, columns, pieces))
    return seen.model_copy(
        update={"columns": columns, "roads": roads, "cars": _one_of_each_car(seen.cars, believed.cars, pieces)}
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


def _one_of_each_car(seen: Sequence[Car], believed: Sequence[Car], pieces: Pieces) -> tuple[Car, ...]:
    """Of two cars of a player that overlap in plan view one is the other, seen at a wrong height (so a little aside,
    for the camera looks askew): the believed one, or the upper one, stays."""

    def length(car: Car) -> float:
        box = pieces.cars.get(car.type) or next(iter(pieces.cars.values()), None)
        return box.length if box else pieces.stick.width

    def rank(car: Car) -> tuple[bool, float]:
        known = any(
            np.hypot(k.x - car.x, k.y - car.y) < tol.MOVED_ALONG_MM and abs(k.z - car.z) < tol.MOVED_HEIGHT_MM
            for k in believed
        )
        return known, car.z

    kept: list[Car] = []
    for car in sorted(seen, key=rank, reverse=True):
        reach = tol.TWIN_SHARE * length(car)
        same = [k for k in kept if k.player == car.player]
        if not any(np.hypot(k.x - car.x, k.y - car.y) < reach + tol.TWIN_SLOPE * abs(k.z - car.z) for k in same):
            kept.append(car)
    order = {car.id: i for i, car in enumerate(seen)}
    return tuple(sorted(kept, key=lambda car: order[car.id]))
