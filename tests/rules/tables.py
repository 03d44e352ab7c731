"""Tables for tests: columns, roads and moves put down in a line each, with the heights that resting gives them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from rules.events import (
    Answer,
    CarsFact,
    CarsLine,
    CityFact,
    CorrectionFact,
    DiscardStickFact,
    EndLine,
    FactCar,
    FactColumn,
    FactObject,
    FactPieces,
    FactRoad,
    Fault,
    GameFact,
    KnockFact,
    Material,
    MoveFact,
    OutLine,
    PassFact,
    PenaltyLine,
    RampFact,
    RulingLine,
    UndoFact,
)
from rules.game import Game

L = 114.0  # stick length
D = 19.0  # disc diameter
H = 10.0  # disc height
T = 2.0  # stick thickness
W = 10.0  # stick width

Point = tuple[float, float]


def square(x: float, y: float, side: float, other: float | None = None) -> tuple[Point, ...]:
    """A rectangle with its lower left corner at (x, y)."""
    high = side if other is None else other
    return ((x, y), (x + side, y), (x + side, y + high), (x, y + high))


class Table:
    """A game in the making. `answers` are those to the last fact."""

    def __init__(
        self,
        *players: str,
        rules: str = "rainbow-city",
        pieces: FactPieces | None = None,
        material: dict[str, tuple[int, int, int, int]] | None = None,
        missions: bool | None = None,
        expansions: Sequence[str] | None = None,
        **options: Any,
    ) -> None:
        given = {
            player: Material(gray=gray, yellow=yellow, sticks=sticks, cars=cars)
            for player, (gray, yellow, sticks, cars) in (material or {}).items()
        }
        fact = GameFact.model_validate(
            {
                "rules": rules,
                "options": options,
                "players": players or ("blue", "pink"),
                "pieces": pieces or FactPieces(),
                "material": given or None,
                "missions": missions,
                "expansions": None if expansions is None else tuple(expansions),
            }
        )
        self.game = Game(fact)
        self.answers: list[Answer] = []
        self._turn = 0
        self._number = 0

    def _name(self, prefix: str) -> str:
        self._number += 1
        return f"{prefix}{self._number}"

    # --- Facts ---

    def apply(self, fact: Any) -> list[Answer]:
        """Apply any fact."""
        self.answers = self.game.apply(fact)
        return self.answers

    def city(self, name: str, kind: str, outline: Sequence[Point], **more: Any) -> RulingLine:
        """Place a city object."""
        thing = FactObject.model_validate({"id": name, "kind": kind, "outline": tuple(outline), **more})
        self.apply(CityFact(player=self.game.players[0], object=thing))
        return self.ruling

    def ramp(
        self,
        player: str,
        column: str,
        at: Point,
        *,
        heading: float = 180.0,
        levels: int = 1,
        yellow: int = 0,
        road: str | None = None,
        cars: Sequence[FactCar] | None = None,
        **column_more: Any,
    ) -> str:
        """A ramp whose stick leaves its column in direction `heading` (degrees) down to the table. Returns the road."""
        name = road or self._name("ramp")
        ux, uy = math.cos(math.radians(heading)), math.sin(math.radians(heading))
        top = levels * H + T
        run = math.sqrt(L**2 - (top - T) ** 2)
        tip = (at[0] - 4 * ux, at[1] - 4 * uy, top)
        foot = (tip[0] + run * ux, tip[1] + run * uy, T)
        stick = FactRoad(id=name, ends=(foot, tip), rests_on=("table", column))
        placed = (FactCar(id=self._name("sedan"), on=name),) if cars is None else tuple(cars)
        where = FactColumn(id=column, x=at[0], y=at[1], gray=levels - yellow, yellow=yellow, **column_more)
        self.apply(RampFact(player=player, column=where, road=stick, cars=placed))
        return name

    def move_fact(
        self,
        player: str,
        base: str,
        column: str | None,
        to: Point,
        *,
        gray: int = 0,
        yellow: int = 0,
        road: str | None = None,
        cars: Sequence[FactCar | str] = (),
        past: tuple[float, float] = (4.0, 4.0),
        lift: tuple[float, float] = (0.0, 0.0),
        aside: tuple[float, float] = (0.0, 0.0),
        rests_on: tuple[str, str] | None = None,
        turn: int | None = None,
        column_more: dict[str, Any] | None = None,
        **road_more: Any,
    ) -> MoveFact:
        """A move from a column to a new one at `to` (`column=None`: an offramp that lands there).

        `past`: how far the tips lie past the columns' centres; `lift`: more height at either end; `aside`: how far
        the stick lies to the left of the line from centre to centre at either end.
        """
        there = self.game.columns[base]
        name = road or self._name("r")
        dx, dy = to[0] - there.x, to[1] - there.y
        run = math.hypot(dx, dy)
        ux, uy = dx / run, dy / run
        low = self.game.state.discs[base].top_z + T + lift[0]
        if column is None:
            tip = (to[0], to[1], T + lift[1])
        else:
            levels = gray + yellow
            surface = self.game.state.surface_z(*to)
            tip = (to[0] + past[1] * ux, to[1] + past[1] * uy, surface + levels * H + T + lift[1])
        start = (there.x - past[0] * ux, there.y - past[0] * uy, low)
        ends = (
            (start[0] - aside[0] * uy, start[1] + aside[0] * ux, start[2]),
            (tip[0] - aside[1] * uy, tip[1] + aside[1] * ux, tip[2]),
        )
        stick = FactRoad(id=name, ends=ends, rests_on=rests_on or (base, column or "table"), **road_more)
        new = None
        if column is not None:
            new = FactColumn(id=column, x=to[0], y=to[1], gray=gray, yellow=yellow, **(column_more or {}))
        placed = tuple(car if isinstance(car, FactCar) else FactCar(id=car, on=name) for car in cars)
        number = self.game.turn if turn is None else turn
        return MoveFact(turn=number, player=player, base=base, column=new, road=stick, cars=placed)

    def move(self, *args: Any, **kwargs: Any) -> RulingLine:
        """Play a move (see `move_fact`); returns its ruling."""
        self.apply(self.move_fact(*args, **kwargs))
        return self.ruling

    def stick(
        self, player: str, name: str, start: tuple[float, float, int], end: tuple[float, float, int], **more: Any
    ) -> RulingLine:
        """A road of a player anywhere on the table, on two columns of so many levels; its beginning lies far behind.

        The columns are called after the road: `name`a and `name`b.
        """
        heading = math.degrees(math.atan2(start[1] - end[1], start[0] - end[0]))
        self.ramp(player, f"{name}a", start[:2], heading=heading, levels=start[2], road=f"{name}ramp", cars=())
        return self.move(player, f"{name}a", f"{name}b", end[:2], gray=end[2], road=name, **more)

    def cars(self, player: str, *cars: FactCar, turn: int) -> list[Answer]:
        """Cars told after their road."""
        return self.apply(CarsFact(turn=turn, player=player, cars=cars))

    def knock(self, by: str, *pieces: str, shift_mm: float = 0.0, sigma_mm: float = 0.0) -> list[PenaltyLine]:
        """Pieces knocked; returns the penalties."""
        fact = KnockFact(turn=self.game.turn, by=by, pieces=pieces, shift_mm=shift_mm, sigma_mm=sigma_mm)
        return [line for line in self.apply(fact) if isinstance(line, PenaltyLine)]

    def passes(self, player: str) -> list[Answer]:
        """A player passes."""
        return self.apply(PassFact(turn=self.game.turn, player=player))

    def discards(self, player: str) -> list[Answer]:
        """A player lays a stick beside the board."""
        return self.apply(DiscardStickFact(turn=self.game.turn, player=player))

    def correct(self, road: str, **changes: Any) -> RulingLine:
        """The players say otherwise."""
        changed = {key.replace("_", "-") if key not in KEYS else key: value for key, value in changes.items()}
        self.apply(CorrectionFact(turn=self.game.turn, ruling=road, set=changed))
        return self.ruling

    def undo(self, turn: int) -> list[Answer]:
        """Take a turn back."""
        return self.apply(UndoFact(turn=turn))

    # --- Answers ---

    @property
    def ruling(self) -> RulingLine:
        """The last ruling."""
        return next(line for line in self.answers if isinstance(line, RulingLine))

    @property
    def cars_line(self) -> CarsLine | None:
        """The last line on cars, if there was one."""
        return next((line for line in self.answers if isinstance(line, CarsLine)), None)

    @property
    def out(self) -> list[str]:
        """Who left the game by the last fact."""
        return [line.player for line in self.answers if isinstance(line, OutLine)]

    @property
    def end(self) -> EndLine | None:
        """The end of the game, if the last fact brought it."""
        return next((line for line in self.answers if isinstance(line, EndLine)), None)


KEYS = frozenset({"cars_due", "offramp_bonus", "call"})


def rules_of(ruling: RulingLine | CarsLine, call: str = "fault") -> set[str]:
    """The rules that a ruling calls broken (or too close)."""
    return {fault.rule for fault in ruling.faults if fault.call == call}


def fault(ruling: RulingLine, rule: str) -> Fault:
    """The finding on one rule."""
    return next(entry for entry in ruling.faults if entry.rule == rule)


def reasons(ruling: RulingLine) -> dict[str, str]:
    """The reason of every crossing, by the crossed road."""
    return {line.road: line.reason for line in ruling.crossings}
