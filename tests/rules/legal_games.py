"""Legal games from a seed: exact sticks on exact columns, every move asked of the rule book before it is made.

A player looks at some random moves and takes, among the legal ones, the one with the most cars due.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import get_args

import numpy as np

from rules.events import (
    Answer,
    CarType,
    CityFact,
    DiscardStickFact,
    Fact,
    FactCar,
    FactColumn,
    FactObject,
    FactPieces,
    FactRoad,
    GameFact,
    KnockFact,
    MoveFact,
    PassFact,
    RampFact,
)
from rules.game import Game

PIECES = FactPieces()
LENGTH = PIECES.stick.length
HEIGHT = PIECES.disc.height
THICK = PIECES.stick.thickness
CAR_TYPES: tuple[CarType, ...] = get_args(CarType)
LEVEL_CAP = 6


def rounded(value: float) -> float:
    """A tenth of a millimetre: readable in a record."""
    return round(value, 1) + 0.0


def stick_between(
    name: str,
    start: tuple[float, float, float],
    end: tuple[float, float, float],
    rests_on: tuple[str, str],
    reach: float = 5.0,
) -> FactRoad:
    """A road from one column's middle to another's (z: their tops), its tips ``reach`` mm past the middles."""
    (x0, y0, z0), (x1, y1, z1) = start, end
    flat = math.hypot(x1 - x0, y1 - y0)
    ux, uy, slope = (x1 - x0) / flat, (y1 - y0) / flat, (z1 - z0) / flat
    tips = (
        (rounded(x0 - reach * ux), rounded(y0 - reach * uy), rounded(z0 - reach * slope + THICK)),
        (rounded(x1 + reach * ux), rounded(y1 + reach * uy), rounded(z1 + reach * slope + THICK)),
    )
    return FactRoad(id=name, ends=tips, rests_on=rests_on)


def top(column: FactColumn, ground: float = 0.0) -> tuple[float, float, float]:
    """The middle of a column's top."""
    return (column.x, column.y, ground + HEIGHT * column.levels)


def ramps(players: Sequence[str]) -> Iterator[RampFact]:
    """Starting ramps a stick's length apart, their sticks pointing outwards, each with a sedan."""
    radius = LENGTH / (2 * math.sin(math.pi / len(players)))
    for i, player in enumerate(players, start=1):
        angle = 2 * math.pi * (i - 1) / len(players)
        ux, uy = math.cos(angle), math.sin(angle)
        column = FactColumn(id=f"c{i}", x=rounded(radius * ux), y=rounded(radius * uy), gray=1)
        far = math.sqrt((LENGTH - 5) ** 2 - HEIGHT**2)
        tips = (
            (rounded(column.x + far * ux), rounded(column.y + far * uy), THICK),
            (rounded(column.x - 5 * ux), rounded(column.y - 5 * uy), HEIGHT + THICK),
        )
        road = FactRoad(id=f"r{i}", ends=tips, rests_on=("table", column.id))
        yield RampFact(player=player, column=column, road=road, cars=(FactCar(id=f"k{i}", type="sedan", on=road.id),))


def square(x: float, y: float, half: float) -> tuple[tuple[float, float], ...]:
    """A square outline round a middle."""
    return ((x - half, y - half), (x + half, y - half), (x + half, y + half), (x - half, y + half))


def city(players: Sequence[str], expansions: Sequence[str] = ()) -> Iterator[CityFact]:
    """Development areas first, then buildings and the tower on them, then the other areas, round the ramps."""
    polar = ((170.0, 45.0), (190.0, 150.0), (190.0, 210.0), (170.0, 315.0), (300.0, 90.0))
    spots = [(r * math.cos(math.radians(angle)), r * math.sin(math.radians(angle))) for r, angle in polar]
    things: list[FactObject] = []
    for i, (x, y) in enumerate(spots, start=1):
        outline = square(rounded(x), rounded(y), 33.0)
        things.append(FactObject(id=f"d{i}", kind="development_area", outline=outline, height=2.0))
    for i, (x, y) in enumerate(spots[:3], start=1):
        outline = square(rounded(x), rounded(y), 11.0)
        things.append(FactObject(id=f"b{i}", kind="building", outline=outline, height=70.0, on=f"d{i}"))
    x, y = spots[3]
    things.append(FactObject(id="t1", kind="tower", outline=square(rounded(x), rounded(y), 9.0), height=110.0, on="d4"))
    things.append(FactObject(id="a1", kind="airport_area", outline=square(330.0, 60.0, 35.0), height=2.0))
    things.append(FactObject(id="g1", kind="green_area", outline=square(-330.0, 60.0, 35.0), height=2.0))
    things.append(
        FactObject(
            id="w1",
            kind="rainbow_area",
            outline=square(180.0, 330.0, 35.0),
            height=2.0,
            arch=((155.0, 330.0), (205.0, 330.0)),
            arch_height=60.0,
        )
    )
    if "asakusa" in expansions:
        things.append(FactObject(id="s1", kind="asakusa", outline=square(-80.0, 330.0, 30.0), height=2.0))
    if "yacht_harbor" in expansions:
        x, y = rounded(spots[4][0] + 63), rounded(spots[4][1])
        things.append(FactObject(id="y1", kind="yacht_harbor", outline=square(x, y, 29.0), height=2.0, adjoins="d5"))
    if "amusement_park" in expansions:
        things.append(FactObject(id="p1", kind="amusement_park", outline=square(-60.0, -330.0, 35.0), height=2.0))
    for i, thing in enumerate(things):
        yield CityFact(player=players[i % len(players)], object=thing)


@dataclass
class Play:
    """A game being played: the facts so far, with their answers."""

    game: Game
    rng: np.random.Generator
    tries: int = 100
    facts: list[tuple[Fact, tuple[Answer, ...]]] = field(default_factory=list)
    number: int = 0

    def do(self, fact: Fact) -> tuple[Answer, ...]:
        """Apply a fact and keep it."""
        answers = tuple(self.game.apply(fact))
        self.facts.append((fact, answers))
        return answers

    def next_number(self) -> int:
        """A fresh number for a piece."""
        self.number += 1
        return self.number

    def direction(self, player: str, x: float, y: float) -> float:
        """An angle, more often than not towards somebody else's road within reach."""
        near = []
        for name, road in self.game.roads.items():
            mx, my = ((road.ends[0][i] + road.ends[1][i]) / 2 for i in (0, 1))
            if self.game.owners[name] != player and math.hypot(mx - x, my - y) < LENGTH:
                near.append(math.atan2(my - y, mx - x))
        if near and self.rng.random() < 0.6:
            return near[int(self.rng.integers(len(near)))] + float(self.rng.normal(0, 0.3))
        return float(self.rng.uniform(0, 2 * math.pi))

    def candidate(self, player: str, *, may_end: bool = False) -> MoveFact | None:
        """A random move from one of the player's base points: a column, a junction, or an offramp.

        ``may_end``: even an offramp that ends the only branch.
        """
        points = self.game.base_points(player)
        held = self.game.supplies[player]
        if not points or held.gray < 1 or held.sticks < 1:
            return None
        base = self.game.columns[points[int(self.rng.integers(len(points)))]]
        n = self.number + 1
        x0, y0, z0 = top(base, self.game.state.surface_z(base.x, base.y))
        angle = self.direction(player, x0, y0)
        ux, uy = math.cos(angle), math.sin(angle)
        may_end = may_end or len(points) > 1 or held.sticks == 1
        if base.levels == 1 and not base.junction and may_end and self.rng.random() < 0.15:
            flat = math.sqrt((LENGTH - 5) ** 2 - HEIGHT**2)
            tips = (
                (rounded(x0 - 5 * ux), rounded(y0 - 5 * uy), rounded(z0 + THICK)),
                (rounded(x0 + flat * ux), rounded(y0 + flat * uy), THICK),
            )
            road = FactRoad(id=f"r{n}", ends=tips, rests_on=(base.id, "table"))
            return MoveFact(turn=self.game.turn, player=player, base=base.id, column=None, road=road)
        yellow = int(held.yellow > 0 and self.rng.random() < 0.25)
        step = int(self.rng.choice((-2, 0, 2))) if yellow else int(self.rng.choice((-1, 1)))
        levels = base.levels + step
        gray = levels - yellow
        if not (1 <= gray <= held.gray and levels <= LEVEL_CAP):
            return None
        reach = float(self.rng.uniform(4.0, 7.0))
        slanted = math.sqrt((LENGTH - 2 * reach) ** 2 - (HEIGHT * step) ** 2)
        x, y = rounded(x0 + slanted * ux), rounded(y0 + slanted * uy)
        column = FactColumn(id=f"c{n}", x=x, y=y, gray=gray, yellow=yellow)
        end = top(column, self.game.state.surface_z(x, y))
        road = stick_between(f"r{n}", (x0, y0, z0), end, (base.id, column.id), reach)
        return MoveFact(turn=self.game.turn, player=player, base=base.id, column=column, road=road)

    def best_move(self, player: str) -> MoveFact | None:
        """The legal move with the most cars among some random ones, or None where none is legal."""
        best: tuple[int, MoveFact] | None = None
        for i in range(10 * self.tries):
            if i >= self.tries and best is not None:
                break
            move = self.candidate(player, may_end=i >= 5 * self.tries)
            if move is None:
                continue
            ruling = self.game.preview(move)
            if ruling.call == "legal" and (best is None or ruling.cars_due > best[0]):
                best = (ruling.cars_due, move)
                if ruling.cars_due >= 2:
                    break
        if best is None:
            return None
        n = self.next_number()
        due, move = best
        placed = sum(self.game.owners[car] == player for car in self.game.cars)  # each car type is there once
        cars = tuple(
            FactCar(id=f"k{n}{chr(97 + i)}", type=CAR_TYPES[(placed + i) % len(CAR_TYPES)], on=move.road.id)
            for i in range(due)
        )
        return move.model_copy(update={"cars": cars})

    def turn(self) -> None:
        """One turn of whoever's it is."""
        player = self.game.whose_turn
        move = self.best_move(player)
        if move is not None:
            self.do(move)
            return
        held = self.game.supplies[player]
        if self.game.rules.word("out_of_material") == "discard_stick" and held.sticks > 0:
            self.do(DiscardStickFact(turn=self.game.turn, player=player))
        else:
            self.do(PassFact(turn=self.game.turn, player=player))


def begin(fact: GameFact, seed: int, *, with_city: bool = False, tries: int = 100) -> Play:
    """A game set up: ramps, and the city where wanted."""
    play = Play(Game(fact), np.random.default_rng(seed), tries)
    for ramp in ramps(fact.players):
        play.do(ramp)
    play.number = len(fact.players)
    if with_city:
        for placed in city(fact.players, play.game.rules.expansions):
            play.do(placed)
    return play


def play_out(
    fact: GameFact,
    seed: int,
    *,
    with_city: bool = False,
    most_turns: int = 80,
    tries: int = 100,
    knocks: float = 0.0,
    between: Callable[[Play], None] | None = None,
) -> Play:
    """A whole game. ``knocks``: how often a turn begins with pieces of others knocked down."""
    play = begin(fact, seed, with_city=with_city, tries=tries)
    while not play.game.finished and play.game.turn <= most_turns:
        if knocks and play.rng.random() < knocks:
            player = play.game.whose_turn
            others = [piece for piece, owner in play.game.owners.items() if owner != player]
            hit = tuple(sorted({others[int(i)] for i in play.rng.integers(len(others), size=2)}))
            play.do(KnockFact(turn=play.game.turn, by=player, pieces=hit))
        play.turn()
        if between is not None:
            between(play)
    return play
