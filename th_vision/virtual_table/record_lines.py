"""Record lines (contract, section 4) of what stands on the virtual table: exact numbers, sigma 0."""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter

from rules.events import Fact
from rules.pieces import Pieces
from th_vision.virtual_table.scene import CarBody, CityBody, ColumnBody, StickBody

Line = dict[str, Any]

_FACT: TypeAdapter[Fact] = TypeAdapter(Fact)


def as_fact(line: Line) -> Fact:
    """The model of a record line."""
    return _FACT.validate_python(line)


def game_line(preset: str, players: tuple[str, ...], pieces: Pieces, extra: Line | None = None) -> Line:
    """The record's first line. ``extra``: options, material, missions, expansions."""
    line: Line = {
        "type": "game",
        "version": 1,
        "rules": preset,
        "options": {},
        "players": list(players),
        "pieces": {"stick": pieces.stick.model_dump(), "disc": pieces.disc.model_dump()},
    }
    return line | (extra or {})


def road_part(stick: StickBody) -> Line:
    """A road as part of a line."""
    return {"id": stick.id, "ends": [list(end) for end in stick.ends], "rests_on": list(stick.rests_on)}


def column_part(column: ColumnBody) -> Line:
    """A column as part of a line; ``order`` only where a yellow disc is not on top."""
    order = ["yellow" if disc.yellow else "gray" for disc in column.discs]
    yellow = order.count("yellow")
    part: Line = {"id": column.id, "x": column.x, "y": column.y, "gray": len(order) - yellow, "yellow": yellow}
    if "yellow" in order[:-1]:
        part["order"] = order
    return part


def car_parts(cars: tuple[CarBody, ...]) -> list[Line]:
    """Cars as part of a line."""
    return [{"id": car.id, "type": car.type, "on": car.on, "player": car.player} for car in cars]


def city_line(player: str, body: CityBody) -> Line:
    """A city object placed in set-up; what stands on it is its obstacles."""
    thing = body.to_layout().model_dump(mode="json", exclude_none=True, exclude_defaults=True)
    return {"type": "city", "player": player, "object": thing}


def ramp_line(player: str, column: ColumnBody, stick: StickBody, cars: tuple[CarBody, ...]) -> Line:
    """A player's ramp."""
    return {
        "type": "ramp",
        "player": player,
        "column": column_part(column),
        "road": road_part(stick),
        "cars": car_parts(cars),
    }


def move_line(
    turn: int, player: str, base: str, column: ColumnBody | None, stick: StickBody, cars: tuple[CarBody, ...]
) -> Line:
    """A move; ``column`` None: an offramp, or an end on a column that stood there."""
    return {
        "type": "move",
        "turn": turn,
        "player": player,
        "base": base,
        "column": None if column is None else column_part(column),
        "road": road_part(stick),
        "cars": car_parts(cars),
    }
