"""The table as a game's record says it stands: a layout without any camera, for pictures of written games."""

from __future__ import annotations

import math

from shapely import Point, Polygon

from rules.facts import FactCar, FactColumn
from rules.game import Game
from rules.layout import Car, Column, Layout, Road
from rules.pieces import Pieces


def layout_of(game: Game, pieces: Pieces) -> Layout:
    """All pieces of the game, table frame, mm. Cars whose place is not recorded stand spread over their road."""
    return Layout(
        columns=tuple(_column(column, game, pieces) for column in game.columns.values()),
        roads=tuple(game.roads.values()),
        cars=cars_of(game),
        city=tuple(game.city.values()),
    )


def cars_of(game: Game) -> tuple[Car, ...]:
    """The cars with their places, table frame, mm; those whose place is not recorded stand spread over their road."""
    waiting: dict[str, int] = {}
    cars = []
    for car in game.cars.values():
        if car.x is not None and car.y is not None:
            cars.append(_placed(car, game, car.x, car.y, car.z or 0.0, car.heading_deg or 0.0))
        elif car.on is not None and car.on in game.roads:
            waiting[car.on] = place = waiting.get(car.on, 0) + 1
            cars.append(_on_road(car, game, game.roads[car.on], place))
    return tuple(cars)


def _column(column: FactColumn, game: Game, pieces: Pieces) -> Column:
    below = [
        thing.height
        for thing in game.city.values()
        if thing.kind.endswith("_area") and Polygon(thing.outline).covers(Point(column.x, column.y))
    ]
    return Column(
        id=column.id,
        x=column.x,
        y=column.y,
        levels=column.levels,
        junction=column.junction,
        top_z=max(below, default=0.0) + column.levels * pieces.disc.height,
        sigma_xy=column.sigma_xy,
        sigma_z=column.sigma_z,
        levels_probability=column.levels_probability,
        junction_probability=column.junction_probability,
    )


def _on_road(car: FactCar, game: Game, road: Road, place: int) -> Car:
    """The ``place``-th car of a road: the first in its middle, the next ones towards its ends in turn."""
    (x0, y0, z0), (x1, y1, z1) = road.ends
    along = 0.5 + (1 if place % 2 else -1) * 0.18 * (place // 2)
    along = min(max(along, 0.1), 0.9)
    heading_deg = math.degrees(math.atan2(y1 - y0, x1 - x0))
    return _placed(car, game, x0 + along * (x1 - x0), y0 + along * (y1 - y0), z0 + along * (z1 - z0), heading_deg)


def _placed(car: FactCar, game: Game, x: float, y: float, z: float, heading_deg: float) -> Car:
    return Car(
        id=car.id,
        x=x,
        y=y,
        z=z,
        heading_deg=heading_deg,
        player=car.player or game.owners.get(car.id, ""),
        type=car.type,
        type_probability=car.type_probability,
        player_probability=car.player_probability,
        on=car.on,
    )
