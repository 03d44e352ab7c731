"""A virtual game in play: what stands, whose it is, what each player may build on. Table frame, mm.

Every fact goes to the rules' own ``Game``, which says whose turn it is and who holds what. Beside it this module
keeps, in plain arithmetic of its own, which sides of a road are taken: what players seek when they cross.
"""

from __future__ import annotations

import copy
import math
from dataclasses import replace

import numpy as np

from rules.events import Answer, GameFact
from rules.game import Game
from rules.pieces import Box, Pieces
from th_vision.virtual_table.builds import (
    Build,
    CrossingSeen,
    Holding,
    Kind,
    PlayedMoment,
    Side,
    centre_lines_cross,
)
from th_vision.virtual_table.city_room import SOLID, ground_at, landing_at
from th_vision.virtual_table.physics import (
    Support,
    card_support,
    column_support,
    rest_stick,
    stand_car,
    stick_support,
    table_support,
)
from th_vision.virtual_table.reach import reach, seats
from th_vision.virtual_table.record_lines import Line, as_fact, city_line, game_line, move_line, ramp_line
from th_vision.virtual_table.scene import (
    CarBody,
    CityBody,
    ColumnBody,
    HandBody,
    Point2,
    Point3,
    Scene,
    Spread,
    StickBody,
    StickSize,
    draw_stick,
    make_column,
)

__all__ = ["Build", "CrossingSeen", "Holding", "Kind", "PlayedMoment", "Playing", "centre_lines_cross"]

RAMP_CAR_AT = 0.45  # share of the ramp's length at which its sedan stands


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
        game_options: Line | None = None,
    ) -> None:
        self.rng, self.pieces, self.players = rng, pieces, players
        self.spread = spread or Spread()
        self.scene = replace(base_scene or Scene(), pieces=pieces)
        self.seats_deg = seats(len(players))
        self.owner: dict[str, str] = {}
        self.ends_at: dict[str, tuple[str, ...]] = {}  # road id -> columns its ends lie at
        self.taken: dict[str, set[Side]] = {}
        self.paid: set[str] = set()  # roads whose crossing has paid
        self.bases: dict[str, dict[str, int]] = {name: {} for name in players}
        self.lines: list[Line] = [game_line(preset, players, pieces, game_options)]
        fact = as_fact(self.lines[0])
        assert isinstance(fact, GameFact)
        self.referee = Game(fact)
        self.acting: str | None = None  # who plays out of turn
        self._numbers = {"c": 0, "r": 0, "k": 0}

    # --- looking ---

    def copy(self) -> Playing:
        """The same table, to look ahead on with ``place``: bodies, referee and random generator are shared."""
        other = copy.copy(self)
        other.owner, other.ends_at, other._numbers = dict(self.owner), dict(self.ends_at), dict(self._numbers)
        other.taken = {road: set(sides) for road, sides in self.taken.items()}
        other.paid = set(self.paid)
        other.bases = {name: dict(bases) for name, bases in self.bases.items()}
        return other

    def saved(self) -> Playing:
        """The same game, independent of this one but for the random generator: to go back to."""
        other = self.copy()
        other.referee = self.referee.copy()
        other.lines = list(self.lines)
        return other

    @property
    def turn(self) -> int:
        """The number of the turn that is played now."""
        return self.referee.turn

    @property
    def whose_turn(self) -> str:
        """The player whose turn it is, or who plays as if it were."""
        return self.acting or self.referee.whose_turn

    def holding(self, player: str) -> Holding:
        """What a player still holds, and may build on."""
        held = self.referee.supplies[player]
        return Holding(held.gray, held.yellow, held.sticks, held.cars, dict(self.bases[player]))

    def column(self, id: str) -> ColumnBody:
        """The column of that id."""
        return next(c for c in self.scene.columns if c.id == id)

    def column_or_none(self, id: str | None) -> ColumnBody | None:
        """The column of that id, None where none such stands."""
        return next((c for c in self.scene.columns if c.id == id), None)

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
            at = centre_lines_cross(stick, other)
            if at is None or set(columns) & set(self.ends_at[other.id]):
                continue
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
                    pays=owner != player and side not in self.taken[other.id] and not self.spent(other.id),
                )
            )
        return tuple(found)

    def spent(self, road: str) -> bool:
        """Whether a road has paid all that it ever pays (where the rules let a stick pay once in all)."""
        return road in self.paid and self.referee.rules.word("first_budget") == "once"

    def move_line(self, build: Build) -> Line:
        """The record line of a build, were it made now."""
        return move_line(self.turn, self.whose_turn, build.base, build.column, build.stick, build.cars)

    # --- making pieces ---

    def take_stick(self) -> StickSize:
        """A stick from the box, with its own size."""
        return draw_stick(self.rng, self.pieces, spread=self.spread)

    def stack(self, x: float, y: float, levels: int, *, junction: bool = False) -> ColumnBody:
        """A new column with its top disc at (x, y)."""
        id = self.next_id("c")
        on, low = ground_at(self.scene.city, x, y)
        return make_column(
            self.rng, self.pieces, id, x, y, levels, junction=junction, on=on, base_z=low, spread=self.spread
        )

    def supports_at(self, base: str) -> list[Support]:
        """What carries an end at a column: its top, and the ends of the roads that lie there."""
        return [column_support(self.column(base)), *(stick_support(s) for s in self.roads_at(base))]

    def lay(
        self, size: StickSize, base: str, column: ColumnBody | None, start: Point2, toward: Point2
    ) -> StickBody | None:
        """Let a stick go from the base's top towards a new column, or to the table.

        None where it doesn't rest so, or where one of its ends touches anything but what belongs to that end.
        """
        at_base = self.supports_at(base)
        if column is not None:
            far = [column_support(column)]
        else:  # wherever the end comes down, it lies on one thing: on a card, or on the table clear of cards' edges
            far = [*(card_support(body) for body in self.scene.city if body.kind not in SOLID), table_support()]
        rest = rest_stick(size, self.next_id("r"), start, toward, [*at_base, *far])
        if rest is None:
            return None
        near_ids, far_ids = {s.id for s in at_base}, {s.id for s in far}
        if not set(rest.touches[0]) <= near_ids or not set(rest.touches[1]) <= far_ids:
            return None
        if column is None and set(rest.touches[1]) != {self.landing(rest.stick.ends[1])}:
            return None
        return rest.stick

    def landing(self, tip: Point3) -> str:
        """What is under an offramp's tip: an area's id, or the table."""
        area = landing_at(self.scene.city, tip[0], tip[1])
        return "table" if area is None else area.id

    def car_body(self, stick: StickBody, along_mm: float, *, player: str | None = None, index: int = 0) -> CarBody:
        """A car of the player on a stick. ``index``: the how-manieth new car of this move it is."""
        player = player or self.whose_turn
        types = list(self.pieces.cars)
        placed = sum(car.player == player for car in self.scene.cars) + index
        type_name = types[placed % len(types)]
        size: Box = self.pieces.cars[type_name]
        car = CarBody(id=f"k{self._numbers['k'] + 1 + index}", x=0, y=0, z=0, player=player, size=size, type=type_name)
        return stand_car(car, stick, along_mm, backwards=bool(self.rng.random() < 0.2))

    # --- changing the table ---

    def hand(self, player: str, target: Point2, holds: StickBody | None = None) -> HandBody:
        """The player's hand, reaching in from their seat to just above ``target``."""
        return reach(self.rng, self.scene, self.seats_deg[self.players.index(player)], target, holds)

    def moment(
        self,
        kind: Kind,
        lines: list[Line],
        label: str,
        hands: tuple[HandBody, ...] = (),
        during: Scene | None = None,
    ) -> PlayedMoment:
        """The moment in which the table stands as it does now, after these facts, which the referee takes in."""
        answers: list[Answer] = []
        for line in lines:
            if line["type"] != "game":
                answers += self.referee.apply(as_fact(line))
                self.lines.append(line)
        return PlayedMoment(
            scene=self.scene,
            facts=tuple(lines),
            label=label,
            hands=hands,
            during=during,
            what=kind,
            answers=tuple(answers),
        )

    def begin(self) -> PlayedMoment:
        """The empty table, with the game's first record line."""
        return self.moment(Kind("setup"), [self.lines[0]], "empty table")

    def place_city(self, player: str, body: CityBody, events: tuple[str, ...] = ()) -> PlayedMoment:
        """A player places a city object (set-up)."""
        self.scene = replace(self.scene, city=(*self.scene.city, body))
        middle = np.mean(np.asarray(body.outline), axis=0)
        hands = (self.hand(player, (float(middle[0]), float(middle[1]))),)
        label = f"{player} places {body.id} ({body.kind.replace('_', ' ')})"
        return self.moment(Kind("setup", 0, player, events), [city_line(player, body)], label, hands)

    def ramp(self, player: str, x: float, y: float, foot_toward_deg: float, past_mm: float = 4.0) -> PlayedMoment:
        """Set up a player's ramp: a column of one disc at (x, y), the stick's foot in that direction, a car on it."""
        column = self.stack(x, y, 1)
        size = self.take_stick()
        angle = math.radians(foot_toward_deg)
        run = math.sqrt(size.length**2 - self.pieces.disc.height**2)
        foot = (x + math.cos(angle) * (run - past_mm), y + math.sin(angle) * (run - past_mm))
        rest = rest_stick(size, self.next_id("r"), foot, (x, y), [column_support(column), table_support()])
        assert rest is not None, "a ramp always rests on its column and the table"
        stick = rest.stick
        cars = (self.car_body(stick, size.length * RAMP_CAR_AT, player=player),)
        hands = (self.hand(player, (x, y)),)
        self._put(player, column, stick, cars, (column.id,))
        self.bases[player] = {column.id: 1}
        line = ramp_line(player, column, stick, cars)
        return self.moment(Kind("setup", 0, player), [line], f"{player}'s ramp", hands)

    def _put(
        self,
        player: str,
        column: ColumnBody | None,
        stick: StickBody,
        cars: tuple[CarBody, ...],
        ends_at: tuple[str, ...],
    ) -> None:
        new_columns = (column,) if column is not None else ()
        self.scene = replace(
            self.scene,
            columns=self.scene.columns + new_columns,
            sticks=(*self.scene.sticks, stick),
            cars=self.scene.cars + cars,
        )
        self._numbers["c"] += len(new_columns)
        self._numbers["r"] += 1
        self._numbers["k"] += len(cars)
        self.owner.update({body.id: player for body in (*new_columns, stick)})
        self.owner.update({car.id: car.player for car in cars})
        self.ends_at[stick.id] = ends_at
        self.taken[stick.id] = set()

    def play(self, build: Build, events: tuple[str, ...] = (), label: str = "") -> PlayedMoment:
        """Carry out a move of the player whose turn it is; the turn passes on."""
        player, turn = self.whose_turn, self.turn
        line = self.move_line(build)
        middle = np.mean(np.array(build.stick.ends), axis=0)
        hands = [self.hand(player, build.stick.ends[1][:2])]
        hands += [self.hand(player, (car.x, car.y)) for car in build.cars[:1]]
        if build.cars:
            hands[0] = self.hand(player, (float(middle[0]), float(middle[1])))
        self.place(build)
        text = label or f"turn {turn}: {player} lays {build.stick.id}"
        return self.moment(Kind("move", turn, player, events), [line], text, tuple(hands))

    def place(self, build: Build) -> None:
        """Put a move's pieces on the table: no record line, no hand, and the turn doesn't pass on."""
        player = self.whose_turn
        far = build.standing if build.column is None else build.column.id
        ends_at = (build.base,) if far is None else (build.base, far)
        self._put(player, build.column, build.stick, build.cars, ends_at)
        for crossing in build.crossings:
            over = crossing.side == "over"
            self.taken[crossing.road].add("over" if over else "under")
            self.taken[build.stick.id].add("under" if over else "over")
            if crossing.pays:
                self.paid.add(crossing.road)
        bases = self.bases[player]
        if build.base in bases:
            bases[build.base] -= 1
            if bases[build.base] == 0:
                del bases[build.base]
        if build.column is not None:
            bases[build.column.id] = 2 if build.column.junction else 1

    def take_back(self, before: Playing, turn: int) -> PlayedMoment:
        """The move of ``turn`` is taken back: the table is as it was ``before``; its pieces' ids stay used."""
        removed = self.scene.sticks[-1]
        self.scene = before.scene
        self.owner, self.ends_at = dict(before.owner), dict(before.ends_at)
        self.taken = {road: set(sides) for road, sides in before.taken.items()}
        self.paid = set(before.paid)
        self.bases = {name: dict(bases) for name, bases in before.bases.items()}
        line: Line = {"type": "undo", "turn": turn}
        player = before.whose_turn
        hands = (self.hand(player, removed.ends[1][:2]),)
        label = f"turn {turn}: {player} takes {removed.id} back"
        return self.moment(Kind("undo", turn, player, ("taken-back",)), [line], label, hands)

    def give_up(self) -> PlayedMoment:
        """The player whose turn it is can't build: passes, or with missions and no gray disc lays a stick aside."""
        player, turn = self.whose_turn, self.turn
        held = self.holding(player)
        aside = self.referee.rules.missions and held.gray == 0 and held.sticks > 0
        kind = "discard_stick" if aside else "pass"
        line: Line = {"type": kind, "turn": turn, "player": player}
        return self.moment(Kind("pass", turn, player), [line], f"turn {turn}: {player} can't build")
