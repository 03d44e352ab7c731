"""A true layout as an honest reading would give it: off by its stated sigmas, a piece missed or miscounted at times.

For trying what comes after the eyes (change, moves, rulings) without rendering a frame.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rules.layout import Car, Column, Layout, Road
from rules.pieces import Pieces


@dataclass(frozen=True)
class Misreading:
    """How a reading is off. Sigmas in mm; the others are chances per piece and reading."""

    sigma_xy: float = 0.4
    sigma_along: float = 0.9
    sigma_z: float = 0.5
    missed: float = 0.0
    miscounted: float = 0.0
    mistyped: float = 0.0


def misread(layout: Layout, rng: np.random.Generator, how: Misreading, pieces: Pieces) -> Layout:
    """One reading of a true layout; ids are the reading's own, in random order. ``rests_on`` names what was read."""
    columns = [_column(c, rng, how, pieces) for c in layout.columns if rng.random() >= how.missed]
    roads = [_road(r, rng, how) for r in layout.roads if rng.random() >= how.missed]
    cars = [_car(k, rng, how, pieces) for k in layout.cars if rng.random() >= how.missed]
    rng.shuffle(columns)
    rng.shuffle(roads)
    rng.shuffle(cars)
    names = {piece.id: f"{kind}{i + 1}" for kind, group in (("c", columns), ("r", roads), ("k", cars))
             for i, piece in enumerate(group)}  # fmt: skip

    def named(what: str) -> str:
        return names.get(what, "table")

    return layout.model_copy(
        update={
            "columns": tuple(c.model_copy(update={"id": names[c.id]}) for c in columns),
            "roads": tuple(
                r.model_copy(update={"id": names[r.id], "rests_on": (named(r.rests_on[0]), named(r.rests_on[1]))})
                for r in roads
            ),
            "cars": tuple(
                k.model_copy(update={"id": names[k.id], "on": names.get(k.on) if k.on else None}) for k in cars
            ),
        }
    )


def _column(column: Column, rng: np.random.Generator, how: Misreading, pieces: Pieces) -> Column:
    levels, sure = column.levels, 0.999
    if rng.random() < how.miscounted:
        levels, sure = max(1, levels + int(rng.choice([-1, 1]))), 0.7
    dx, dy = (float(d) for d in rng.normal(0, 1, 2) * how.sigma_xy)
    return column.model_copy(
        update={
            "x": column.x + dx,
            "y": column.y + dy,
            "levels": levels,
            "levels_probability": sure,
            "junction_probability": 0.999,
            "top_z": column.top_z + (levels - column.levels) * pieces.disc.height + float(rng.normal()) * how.sigma_z,
            "sigma_xy": how.sigma_xy,
            "sigma_z": how.sigma_z,
        }
    )


def _road(road: Road, rng: np.random.Generator, how: Misreading) -> Road:
    a, b = np.array(road.ends[0]), np.array(road.ends[1])
    along = (b - a)[:2] / max(float(np.hypot(*(b - a)[:2])), 1e-9)
    across = np.array([-along[1], along[0]])
    slid = rng.normal() * how.sigma_along  # the length is known: both tips slide together
    ends = []
    for tip in (a, b):
        plan = tip[:2] + across * rng.normal() * how.sigma_xy + along * slid
        ends.append((float(plan[0]), float(plan[1]), float(tip[2] + rng.normal() * how.sigma_z)))
    rests = road.rests_on
    if rng.random() < 0.5:
        ends, rests = ends[::-1], (rests[1], rests[0])
    update = {"sigma_xy": how.sigma_xy, "sigma_z": how.sigma_z, "sigma_along": how.sigma_along}
    return road.model_copy(update={"ends": (ends[0], ends[1]), "rests_on": rests, **update})


def _car(car: Car, rng: np.random.Generator, how: Misreading, pieces: Pieces) -> Car:
    dx, dy = (float(d) for d in rng.normal(0, 1, 2) * how.sigma_xy)
    update: dict[str, object] = {
        "x": car.x + dx,
        "y": car.y + dy,
        "sigma_xy": how.sigma_xy,
        "type_probability": 0.99,
        "player_probability": 0.999,
    }
    if rng.random() < how.mistyped and len(pieces.cars) > 1:
        others = [name for name in pieces.cars if name != car.type]
        update |= {"type": str(rng.choice(others)), "type_probability": 0.6}
    return car.model_copy(update=update)
