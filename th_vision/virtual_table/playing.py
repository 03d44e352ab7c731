"""A virtual game in play: what stands, whose it is, and the record lines that say so. Table frame, mm.

It knows just enough of the rules to build with them: bases, supply, which sides of a road are taken. What a move is
worth, and whether it was right, is said by ``rules`` from the facts.
"""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from rules.pieces import Box, Pieces
from th_vision.virtual_table.moment import Moment
from th_vision.virtual_table.physics import (
    Support,
    column_support,
    rest_stick,
    stand_car,
    stick_support,
    table_support,
)
from th_vision.virtual_table.scene import (
    CarBody,
    ColumnBody,
    HandBody,
    Point2,
    Scene,
    Spread,
    StickBody,
    StickSize,
    draw_stick,
    make_column,
)

Side = Literal["over", "under"]

# What each player gets, by number of players (rule book, 3. Preparation: material list; classic: 2 players).
MATERIAL: dict[int, dict[str, int]] = {
    2: {"cars": 10, "gray": 30, "yellow": 3, "sticks": 15},
    3: {"cars": 8, "gray": 25, "yellow": 2, "sticks": 12},
    4: {"cars": 7, "gray": 20, "yellow": 2, "sticks": 9},
}
MISSION_CARS = 10

# How an arm reaches in: where wrist and elbow are behind the finger tips, and how high (mm).
WRIST_BACK_MM, WRIST_Z_MM = 130.0, 95.0
ELBOW_BACK_MM, ELBOW_Z_MM = 400.0, 130.0
FINGERS_ABOVE_MM = 12.0


@dataclass(frozen=True)
class Kind:
    """What a moment is: ``kind`` is setup, move, knock, restored, undo or pass; ``events`` names what was injected."""

    kind: str
    turn: int = 0
    player: str = ""
    events: tuple[str, ...] = ()


@dataclass(frozen=True)
class PlayedMoment(Moment):
    """A moment of a played game: the scene and the facts, and what kind of moment it is."""

    what: Kind = Kind("setup")


@dataclass(frozen=True)
class CrossingSeen:
    """A crossing of a new road with an older one, by this module's own plain arithmetic."""

    road: str
    owner: str
    side: Side
    gap_mm: float
    at: Point2
    pays: bool


@dataclass(frozen=True)
class Build:
    """What a player means to put on the table in one turn. ``column`` is None for an offramp."""

    base: str
    column: ColumnBody | None
    stick: StickBody
    cars: tuple[CarBody, ...] = ()
    crossings: tuple[CrossingSeen, ...] = ()

    @property
    def due(self) -> int:
        """Cars that this road earns, before the cap by cars left."""
        return sum(c.pays for c in self.crossings) + (self.column is None)


@dataclass
class Holding:
    """What a player still holds, and the columns it may extend from (with the number of roads each may still get)."""

    gray: int
    yellow: int
    sticks: int
    cars: int
    bases: dict[str, int] = field(default_factory=dict)


def centre_lines_cross(a: StickBody, b: StickBody) -> tuple[Point2, float, float] | None:
    """Where two sticks' centre lines cross in plan, with the shares along each; None where they don't."""
    p, r = np.array(a.ends[0][:2]), np.subtract(a.ends[1][:2], a.ends[0][:2])
    q, s = np.array(b.ends[0][:2]), np.subtract(b.ends[1][:2], b.ends[0][:2])
    area = float(r[0] * s[1] - r[1] * s[0])
    if abs(area) < 1e-9:
        return None
    d = q - p
    t = float(d[0] * s[1] - d[1] * s[0]) / area
    u = float(d[0] * r[1] - d[1] * r[0]) / area
    if not (0 <= t <= 1 and 0 <= u <= 1):
        return None
    at = p + t * r
    return (float(at[0]), float(at[1])), t, u


class Playing:
    """A game in play. Methods that change the table return the moment that the change leads to."""

    def __init__(
        self,
        rng: np.random.Generator,
        pieces: Pieces,
        players: tuple[str, ...],
        preset: str = "rainbow-city",
        *,
        spread: Spread | None = None,
        base_scene: Scene | None = None,
        seats_deg: tuple[float, ...] | None = None,
    ) -> None:
        self.rng, self.pieces, self.players, self.preset = rng, pieces, players, preset
        self.spread = spread or Spread()
        self.scene = replace(base_scene or Scene(), pieces=pieces)
        self.owner: dict[str, str] = {}
        self.ends_at: dict[str, tuple[str, ...]] = {}  # road id -> columns its ends lie at
        self.taken: dict[str, set[Side]] = {}
        self.turn = 1
        self.facts: list[dict[str, Any]] = []
        step = 360.0 / len(players)
        self.seats_deg = seats_deg or tuple(-90.0 + step * i for i in range(len(players)))
        material = dict(MATERIAL[len(players)])
        if "missions" in preset:
            material["cars"] = MISSION_CARS
        self.holding = {
            name: Holding(material["gray"], material["yellow"], material["sticks"], material["cars"]) for name in players
        }
        self._numbers = {"c": 0, "r": 0, "k": 0}

    # --- looking ---

    def copy(self) -> Playing:
        """The same game, free to go on otherwise (the random generator is copied too)."""
        return copy.deepcopy(self)

    @property
    def whose_turn(self) -> str:
        """The player whose turn it is."""
        return self.players[(self.turn - 1) % len(self.players)]

    def column(self, id: str) -> ColumnBody:
        """The column of that id."""
        return next(c for c in self.scene.columns if c.id == id)

    def stick(self, id: str) -> StickBody:
        """The stick of that id."""
        return next(s for s in self.scene.sticks if s.id == id)

    def roads_at(self, column: str) -> list[StickBody]:
        """Roads with an end at that column, in the order in which they were laid."""
        return [s for s in self.scene.sticks if column in self.ends_at[s.id]]

    def next_id(self, letter: str) -> str:
        """The id that the next piece of that kind will get: c1, r1, k1 and so on."""
        return f"{letter}{self._numbers[letter] + 1}"

    def crossings_of(self, stick: StickBody, columns: tuple[str, ...]) -> tuple[CrossingSeen, ...]:
        """Crossings that ``stick`` makes with the roads that stand, sides taken by anyone (``first = "state"``)."""
        player = self.whose_turn
        found = []
        for other in self.scene.sticks:
            crossing = centre_lines_cross(stick, other)
            if crossing is None or set(columns) & set(self.ends_at[other.id]):
                continue
            at, _, _ = crossing
            above = stick.top_at(*at) > other.top_at(*at)
            upper, lower = (stick, other) if above else (other, stick)
            side: Side = "over" if above else "under"
            owner = self.owner[other.id]
            found.append(
                CrossingSeen(
                    road=other.id,
                    owner=owner,
                    side=side,
                    gap_mm=upper.top_at(*at) - upper.thickness - lower.top_at(*at),
                    at=at,
                    pays=owner != player and side not in self.taken[other.id],
                )
            )
        return tuple(found)

    # --- facts ---

    def game_fact(self, options: dict[str, Any] | None = None) -> dict[str, Any]:
        """The record's first line."""
        stick, disc = self.pieces.stick, self.pieces.disc
        sizes = {"stick": stick.model_dump(), "disc": disc.model_dump()}
        return {
            "type": "game",
            "version": 1,
            "rules": self.preset,
            "options": options or {},
            "players": list(self.players),
            "pieces": sizes,
        }

    def _road_fact(self, stick: StickBody) -> dict[str, Any]:
        return {"id": stick.id, "ends": [list(end) for end in stick.ends], "rests_on": list(stick.rests_on)}

    def _column_fact(self, column: ColumnBody) -> dict[str, Any]:
        order = ["yellow" if disc.yellow else "gray" for disc in column.discs]
        yellow = order.count("yellow")
        fact: dict[str, Any] = {
            "id": column.id,
            "x": column.x,
            "y": column.y,
            "gray": len(order) - yellow,
            "yellow": yellow,
        }
        if "yellow" in order[:-1]:
            fact["order"] = order
        return fact

    def _car_facts(self, cars: tuple[CarBody, ...]) -> list[dict[str, Any]]:
        return [{"id": car.id, "type": car.type, "on": car.on} for car in cars]

    # --- making pieces ---

    def take_stick(self) -> StickSize:
        """A stick from the box, with its own size."""
        return draw_stick(self.rng, self.pieces, spread=self.spread)

    def stack(self, x: float, y: float, levels: int, *, junction: bool = False, rng: Any = None) -> ColumnBody:
        """A new column with its top disc at (x, y)."""
        return make_column(
            rng or self.rng, self.pieces, self.next_id("c"), x, y, levels, junction=junction, spread=self.spread
        )

    def supports_at(self, base: str) -> list[Support]:
        """What carries an end at a column: its top, and the ends of the roads that lie there."""
        return [column_support(self.column(base)), *(stick_support(s) for s in self.roads_at(base))]

    def lay(
        self, size: StickSize, base: str, column: ColumnBody | None, start: Point2, toward: Point2
    ) -> StickBody | None:
        """Let a stick go from the base's top towards a new column, or to the table; None where it doesn't rest so.

        None, too, where one of its ends touches nothing that belongs to its own end.
        """
        at_base = self.supports_at(base)
        far = [column_support(column)] if column is not None else [table_support()]
        rest = rest_stick(size, self.next_id("r"), start, toward, [*at_base, *far])
        if rest is None:
            return None
        near_ids, far_ids = {s.id for s in at_base}, {s.id for s in far}
        if not set(rest.touches[0]) <= near_ids or not set(rest.touches[1]) <= far_ids:
            return None
        return rest.stick

    def car_body(self, stick: StickBody, along_mm: float, *, player: str | None = None, index: int = 0) -> CarBody:
        """A car of the player on a stick. ``index``: the how-manieth new car of this move it is."""
        player = player or self.whose_turn
        types = list(self.pieces.cars)
        placed = sum(car.player == player for car in self.scene.cars) + index
        type_name = types[placed % len(types)]
        size: Box = self.pieces.cars[type_name]
        id = f"k{self._numbers['k'] + 1 + index}"
        car = CarBody(id=id, x=0, y=0, z=0, player=player, size=size, type=type_name)
        return stand_car(car, stick, along_mm, backwards=bool(self.rng.random() < 0.2))

    # --- changing the table ---

    def _moment(
        self, kind: Kind, facts: list[dict[str, Any]], label: str, target: Point2 | None, player: str
    ) -> PlayedMoment:
        self.facts += facts
        hands = () if target is None else (self.hand(player, target),)
        return PlayedMoment(scene=self.scene, facts=tuple(facts), label=label, hands=hands, what=kind)

    def hand(self, player: str, target: Point2, z: float | None = None) -> HandBody:
        """The player's hand, reaching in from their seat to just above ``target``."""
        seat = math.radians(self.seats_deg[self.players.index(player)] + float(self.rng.uniform(-25, 25)))
        out = np.array([math.cos(seat), math.sin(seat)])
        if z is None:
            near = [c.top_z for c in self.scene.columns if math.dist((c.x, c.y), target) < WRIST_BACK_MM]
            z = max(near, default=0.0) + FINGERS_ABOVE_MM
        wrist, elbow = np.array(target) + out * WRIST_BACK_MM, np.array(target) + out * ELBOW_BACK_MM
        return HandBody(
            elbow=(float(elbow[0]), float(elbow[1]), z + ELBOW_Z_MM),
            wrist=(float(wrist[0]), float(wrist[1]), z + WRIST_Z_MM),
            tip=(float(target[0]), float(target[1]), z),
        )

    def begin(self, options: dict[str, Any] | None = None) -> PlayedMoment:
        """The empty table, with the game's first record line."""
        return self._moment(Kind("setup"), [self.game_fact(options)], "empty table", None, self.players[0])

    def ramp(self, player: str, x: float, y: float, foot_toward_deg: float, past_mm: float = 4.0) -> PlayedMoment:
        """Set up a player's ramp: a column of one disc at (x, y), the stick's foot in that direction, a car on it."""
        column = make_column(self.rng, self.pieces, self.next_id("c"), x, y, 1, spread=self.spread)
        size = self.take_stick()
        angle = math.radians(foot_toward_deg)
        out = np.array([math.cos(angle), math.sin(angle)])
        run = math.sqrt(size.length**2 - self.pieces.disc.height**2)
        foot = np.array([x, y]) + out * (run - past_mm)
        rest = rest_stick(
            size,
            self.next_id("r"),
            (float(foot[0]), float(foot[1])),
            (x, y),
            [column_support(column), table_support()],
        )
        assert rest is not None, "a ramp always rests on its column and the table"
        car = self.car_body(rest.stick, size.length * 0.45, player=player)
        self._put(player, column, rest.stick, (car,), (column.id,))
        self.holding[player].bases = {column.id: 1}
        fact = {
            "type": "ramp",
            "player": player,
            "column": self._column_fact(column),
            "road": self._road_fact(rest.stick),
            "cars": self._car_facts((car,)),
        }
        return self._moment(Kind("setup", 0, player), [fact], f"{player}'s ramp", (x, y), player)

    def _put(
        self,
        player: str,
        column: ColumnBody | None,
        stick: StickBody,
        cars: tuple[CarBody, ...],
        ends_at: tuple[str, ...],
    ) -> None:
        columns = self.scene.columns + ((column,) if column is not None else ())
        self.scene = replace(
            self.scene, columns=columns, sticks=(*self.scene.sticks, stick), cars=self.scene.cars + cars
        )
        held = self.holding[player]
        if column is not None:
            self._numbers["c"] += 1
            self.owner[column.id] = player
            held.yellow -= sum(d.yellow for d in column.discs)
            held.gray -= sum(not d.yellow for d in column.discs)
        self._numbers["r"] += 1
        self._numbers["k"] += len(cars)
        held.sticks -= 1
        for car in cars:
            self.owner[car.id] = car.player
            self.holding[car.player].cars -= 1
        self.owner[stick.id] = player
        self.ends_at[stick.id] = ends_at
        self.taken[stick.id] = set()

    def play(self, build: Build, events: tuple[str, ...] = (), label: str = "") -> PlayedMoment:
        """Carry out a move of the player whose turn it is; the turn passes on."""
        player, turn = self.whose_turn, self.turn
        ends_at = (build.base,) if build.column is None else (build.base, build.column.id)
        self._put(player, build.column, build.stick, build.cars, ends_at)
        for crossing in build.crossings:
            over = crossing.side == "over"
            self.taken[crossing.road].add("over" if over else "under")
            self.taken[build.stick.id].add("under" if over else "over")
        self.use_base(player, build.base, build.column)
        fact = {
            "type": "move",
            "turn": turn,
            "player": player,
            "base": build.base,
            "column": None if build.column is None else self._column_fact(build.column),
            "road": self._road_fact(build.stick),
            "cars": self._car_facts(build.cars),
        }
        self.turn += 1
        end = build.stick.ends[1]
        text = label or f"turn {turn}: {player} lays {build.stick.id}"
        return self._moment(Kind("move", turn, player, events), [fact], text, (end[0], end[1]), player)

    def use_base(self, player: str, base: str, column: ColumnBody | None) -> None:
        """A road was built from ``base``; a new column becomes a base of its own."""
        bases = self.holding[player].bases
        if base in bases:
            bases[base] -= 1
            if bases[base] == 0:
                del bases[base]
        if column is not None:
            bases[column.id] = 2 if column.junction else 1
