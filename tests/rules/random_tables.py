"""Random tables for the oracle: sticks on whole millimetres, far denser and wilder than any game."""

from __future__ import annotations

import math

import numpy as np

from rules.events import FactColumn, FactRoad, GameFact, Material, MoveFact, RulingLine
from rules.game import Game
from rules.lines import Switch
from tests.rules.legal_games import PIECES
from tests.rules.oracle import Stick, Undecided, Verdict, judge

PLAYERS = ("blue", "pink", "green", "yellow")
PLENTY = Material(gray=9000, yellow=9000, sticks=9000, cars=9000)
SWITCHES: dict[str, tuple[Switch, ...]] = {
    "first": ("state", "event"),
    "first_budget": ("per_side", "once"),
    "first_scope": ("stick", "spot"),
    "own_road_takes_side": (True, False),
    "must_be_outermost": (False, True),
    "ramps_pay": (True, False),
    "partial": ("ignore", "count"),
}


def random_switches(rng: np.random.Generator) -> dict[str, Switch]:
    """Each switch at its default three times out of four."""
    return {name: values[0] if rng.random() < 0.75 else values[1] for name, values in SWITCHES.items()}


def random_sticks(rng: np.random.Generator, count: int) -> list[Stick]:
    """Chains of roads of two to four players, with branches and offramps, in a field of 240 mm.

    Each stick goes from a column's middle to another's; some start anew from a column of their own.
    """
    players = PLAYERS[: int(rng.integers(2, 5))]
    columns: dict[str, list[tuple[str, tuple[int, int, int]]]] = {player: [] for player in players}
    sticks: list[Stick] = []
    for i in range(count):
        player = players[int(rng.integers(len(players)))]
        own = columns[player]
        if own and rng.random() < 0.7:
            base, start = own[int(rng.integers(len(own)))]
        else:
            base = f"x{i}"
            start = (int(rng.integers(0, 241)), int(rng.integers(0, 241)), int(rng.integers(5, 80)))
        angle, length = rng.uniform(0, 2 * math.pi), rng.uniform(60, 140)
        end = (
            round(start[0] + length * math.cos(angle)),
            round(start[1] + length * math.sin(angle)),
            max(0, start[2] + int(rng.integers(-12, 13))),
        )
        offramp = bool(rng.random() < 0.15)
        far = f"c{i}"
        shared = {base} if offramp else {base, far}
        sticks.append(Stick(f"r{i}", player, start, end, frozenset(shared), plain=not offramp))
        if not offramp:
            own.append((far, end))
    return sticks


def moves(sticks: list[Stick]) -> list[MoveFact]:
    """The sticks as moves. Columns stand where they may; that most of it breaks other rules is no matter here."""
    facts = []
    for turn, stick in enumerate(sticks, start=1):
        far = next((name for name in stick.columns if name.startswith("c") and name == f"c{stick.id[1:]}"), None)
        base = next(name for name in stick.columns if name != far)
        column = None if far is None else FactColumn(id=far, x=stick.b[0], y=stick.b[1], gray=1)
        road = FactRoad(id=stick.id, ends=(stick.a, stick.b), rests_on=(base, far or "table"))
        facts.append(MoveFact(turn=turn, player=stick.owner, base=base, column=column, road=road))
    return facts


def game_of(sticks: list[Stick], switches: dict[str, Switch]) -> Game:
    """A game in which nobody runs out of anything."""
    last = max(PLAYERS.index(stick.owner) for stick in sticks)
    players = PLAYERS[: max(2, last + 1)]
    return Game(GameFact(players=players, pieces=PIECES, options=switches, material=dict.fromkeys(players, PLENTY)))


def disagreements(sticks: list[Stick], switches: dict[str, Switch]) -> list[str] | None:
    """Where the rule book and the oracle differ on a table; None where the oracle has nothing to say."""
    try:
        verdicts = list(judge(sticks, switches, round(PIECES.stick.width)))
    except Undecided:
        return None
    game = game_of(sticks, switches)
    wrong: list[str] = []
    for move, (stick, expected) in zip(moves(sticks), verdicts, strict=True):
        ruling = next(answer for answer in game.apply(move) if isinstance(answer, RulingLine))
        got = {
            crossing.road: Verdict(crossing.side, crossing.pays, expected[crossing.road].partial)
            for crossing in ruling.crossings
            if crossing.reason != "shared-column" and crossing.road in expected
        }
        strangers = {c.road for c in ruling.crossings if c.reason != "shared-column"} - set(expected)
        if got != expected or strangers:
            wrong.append(f"{stick.id}: oracle {expected}, rule book {got}, not known to the oracle {strangers}")
        bonus = int(ruling.offramp_bonus)
        if ruling.cars_due != sum(verdict.pays for verdict in expected.values()) + bonus and not wrong:
            wrong.append(f"{stick.id}: cars due {ruling.cars_due}")
        if any(crossing.call != "clear" for crossing in ruling.crossings):
            wrong.append(f"{stick.id}: too close to call on exact input")
    return wrong
