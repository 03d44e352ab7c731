"""A set's pieces laid out to be measured, as players would: rows that are not quite straight, nothing quite in line."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from rules.pieces import Box, Pieces
from th_vision.virtual_table.city import city_body
from th_vision.virtual_table.scene import (
    CarBody,
    CityBody,
    ColumnBody,
    Scene,
    Spread,
    StickBody,
    draw_stick,
    make_column,
)

GAP_MM = 32.0
ROW_MM = 52.0
STACK_DISCS = 5
CAREFUL = Spread(stick_length=0, stick_width=0, stick_thickness=0, bow=0.05, roll_deg=0, disc_diameter=0, disc_height=0)
"""The pieces that are measured have the size of their kind; they are stacked and laid as people do it."""


def laid_out_scene(
    rng: np.random.Generator,
    pieces: Pieces,
    players: Sequence[str],
    cars: Sequence[str] = ("sedan",),
    city: Sequence[str] = (),
    *,
    turn_deg: float = 0.0,
    below: bool = True,
    middle_mm: tuple[float, float] = (0.0, 0.0),
) -> Scene:
    """The layout of ``th_vision.enroll.layout_plan``: rows along ``turn_deg``, the others below the first one or above.

    Pieces are off their places by a few mm and degrees.
    """
    sizes = [pieces.cars.get(kind, Box(length=16, width=8, height=7)) for kind in cars]
    deep = max((max(pieces.city[kind].length, pieces.city[kind].width) for kind in city), default=0.0)
    first = pieces.stick.length + 3 * pieces.disc.diameter + 4 * GAP_MM
    height = ROW_MM * len(players) + (deep / 2 + ROW_MM if city else 0.0)
    c, s = math.cos(math.radians(turn_deg)), math.sin(math.radians(turn_deg))

    def at(along: float, row: float) -> tuple[float, float]:
        u, v = along - first / 2 + rng.normal(0, 1.5), (height / 2 - row if below else row - height / 2)
        v += rng.normal(0, 1.5)
        return middle_mm[0] + c * u - s * v, middle_mm[1] + s * u + c * v

    def turn() -> float:
        return turn_deg + float(rng.normal(0, 2.5))

    size = draw_stick(rng, pieces, spread=CAREFUL)
    sticks = (_flat(size.length, size.width, size.thickness, size.bow_mm, at(size.length / 2, 0), turn(), pieces),)
    columns: list[ColumnBody] = []
    along = pieces.stick.length + GAP_MM + pieces.disc.radius
    for name, levels, yellow in (("gray", 1, False), ("yellow", 1, True), ("stack", STACK_DISCS, False)):
        x, y = at(along, 0)
        columns.append(make_column(rng, pieces, name, x, y, levels, junction=yellow, spread=CAREFUL))
        along += pieces.disc.diameter + GAP_MM * (1.5 if name == "yellow" else 1.0)
    bodies: list[CarBody] = []
    for row, player in enumerate(players, 1):
        along = 12.0
        for kind, box in zip(cars, sizes, strict=True):
            x, y = at(along + box.length / 2, row * ROW_MM)
            bodies.append(CarBody(f"{player} {kind}", x, y, 0.0, player, box, turn(), type=kind))
            along += box.length + GAP_MM
    objects: list[CityBody] = []
    along = 0.0
    for kind in city:
        box = pieces.city[kind]
        x, y = at(along + box.length / 2, height)
        objects.append(city_body(pieces, kind, kind, x, y, turn()))
        along += box.length + GAP_MM
    return Scene(pieces, tuple(columns), sticks, tuple(bodies), tuple(objects))


def _flat(
    length: float,
    width: float,
    thickness: float,
    bow_mm: float,
    middle: tuple[float, float],
    turn_deg: float,
    pieces: Pieces,
) -> StickBody:
    """A stick that lies on the table."""
    u = (math.cos(math.radians(turn_deg)) * length / 2, math.sin(math.radians(turn_deg)) * length / 2)
    return StickBody(
        "stick",
        ((middle[0] - u[0], middle[1] - u[1], thickness), (middle[0] + u[0], middle[1] + u[1], thickness)),
        width,
        thickness,
        bow_mm=abs(bow_mm),
        round_ends=pieces.stick.ends == "round",
    )
