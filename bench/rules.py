"""What the rule book costs, and how far its calls can be believed.

python -m bench.rules             both
python -m bench.rules --speed     time to import, to adjudicate a whole game, for one move and a preview
python -m bench.rules --sampling  calls on doubtful tables against true tables drawn from their sigmas
"""

from __future__ import annotations

import argparse
import math
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass

import numpy as np

from bench.doubtful_tables import HEIGHT, STICK, THICK, sampled
from rules.events import (
    CityFact,
    CityKind,
    Fact,
    FactCar,
    FactColumn,
    FactObject,
    FactRoad,
    GameFact,
    Material,
    MoveFact,
    RampFact,
)
from rules.game import Game

PLAYERS = ("blue", "pink", "green", "yellow")
REACH = 4.0
Square = tuple[tuple[float, float], ...]


def _square(x: float, y: float, side: float) -> Square:
    return ((x, y), (x + side, y), (x + side, y + side), (x, y + side))


def _road(name: str, a: FactColumn, b: FactColumn) -> FactRoad:
    run = math.hypot(b.x - a.x, b.y - a.y)
    ux, uy = (b.x - a.x) / run, (b.y - a.y) / run
    low, high = a.levels * HEIGHT + 2 * THICK, b.levels * HEIGHT + THICK
    ends = ((a.x - REACH * ux, a.y - REACH * uy, low), (b.x + REACH * ux, b.y + REACH * uy, high))
    return FactRoad(id=name, ends=ends, rests_on=(a.id, b.id), sigma_xy=0.5, sigma_along=0.8, sigma_z=0.4)


def dense_game(roads: int, field_mm: float, seed: int) -> tuple[GameFact, list[Fact]]:
    """A mission game of four players on a crowded field with city objects: whether legal or not costs the same."""
    rng = np.random.default_rng(seed)
    plenty = Material(gray=10_000, yellow=1_000, sticks=1_000, cars=1_000)
    game = GameFact(rules="rainbow-city-missions", players=PLAYERS, material=dict.fromkeys(PLAYERS, plenty))
    facts: list[Fact] = []
    for number in range(5):
        x, y = rng.uniform(-field_mm / 2, field_mm / 2, 2)
        area = FactObject(id=f"d{number}", kind="development_area", outline=_square(x, y, 70), height=2)
        facts.append(CityFact(player="blue", object=area))
    for number in range(4):
        placed = facts[number]
        assert isinstance(placed, CityFact)
        x, y = placed.object.outline[0]
        kind: CityKind = "tower" if number == 3 else "building"
        thing = FactObject(id=f"b{number}", kind=kind, outline=_square(x + 20, y + 20, 28), height=70)
        facts.append(CityFact(player="blue", object=thing))
    at: dict[str, FactColumn] = {}
    for number, player in enumerate(PLAYERS):
        x, y = STICK * (number % 2), STICK * (number // 2)
        column = FactColumn(id=f"{player}0", x=x, y=y, gray=1, sigma_xy=0.5)
        foot = (x - 105.0, y, THICK)
        road = FactRoad(id=f"{player}r0", ends=(foot, (x + REACH, y, HEIGHT + THICK)), rests_on=("table", column.id))
        facts.append(RampFact(player=player, column=column, road=road, cars=(FactCar(id=f"{player}k0", on=road.id),)))
        at[player] = column
    for turn in range(1, roads - len(PLAYERS) + 1):
        player = PLAYERS[(turn - 1) % len(PLAYERS)]
        base = at[player]
        while True:
            angle = rng.uniform(0, 2 * math.pi)
            x, y = base.x + 104 * math.cos(angle), base.y + 104 * math.sin(angle)
            if abs(x) < field_mm / 2 and abs(y) < field_mm / 2:
                break
        levels = base.levels + (1 if base.levels < 2 or (base.levels < 8 and rng.random() < 0.5) else -1)
        column = FactColumn(id=f"{player}{turn}", x=x, y=y, gray=levels, sigma_xy=0.5)
        road = _road(f"{player}r{turn}", base, column)
        car = FactCar(id=f"{player}k{turn}", on=road.id)
        facts.append(MoveFact(turn=turn, player=player, base=base.id, column=column, road=road, cars=(car,)))
        at[player] = column
    return game, facts


@dataclass(frozen=True)
class Times:
    """Milliseconds of processor time: a whole game, its dearest and its last moves, a preview in the full city."""

    game_ms: float
    dearest_move_ms: float
    last_moves_ms: float
    preview_ms: float


def timed(roads: int, field_mm: float, seeds: int = 5) -> Times:
    """The median over games (each the best of three), so that a busy machine doesn't blur it."""
    rows: list[tuple[float, ...]] = []
    for seed in range(seeds):
        game_fact, facts = dense_game(roads, field_mm, seed)
        best = [math.inf] * len(facts)
        preview = math.inf
        for _ in range(3):
            game = Game(game_fact)
            for i, fact in enumerate(facts):
                if i == len(facts) - 1 and isinstance(fact, MoveFact):
                    start = time.process_time()
                    game.preview(fact)
                    preview = min(preview, time.process_time() - start)
                start = time.process_time()
                game.apply(fact)
                best[i] = min(best[i], time.process_time() - start)
        moves = best[9 + len(PLAYERS) :]
        rows.append((sum(best), max(moves), statistics.mean(moves[-10:]), preview))
    return Times(*(1e3 * statistics.median(column) for column in zip(*rows, strict=True)))


def import_seconds(tries: int = 5) -> float:
    """The least processor time that `import rules.game` takes in a fresh interpreter."""
    code = "import time; t = time.process_time(); import rules.game; print(time.process_time() - t)"
    runs = [
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True) for _ in range(tries)
    ]
    return min(float(run.stdout) for run in runs)


def print_speed() -> None:
    """Time to import, and the table for 5, 36 and 150 roads."""
    say(f"import rules.game: {import_seconds():.3f} s (limit 0.25)")
    say("")
    say("roads   field mm   game ms   dearest move ms   one of the last moves ms   preview ms")
    for roads, field in ((5, 400.0), (36, 700.0), (150, 1430.0), (150, 700.0)):
        times = timed(roads, field)
        say(
            f"{roads:5d}   {field:8.0f}   {times.game_ms:7.1f}   {times.dearest_move_ms:15.2f}   "
            f"{times.last_moves_ms:24.2f}   {times.preview_ms:10.2f}"
        )
    say("limits for 36 roads: game 150, move 3, preview 5")


def print_sampling(tables: int, draws: int, seed: int) -> None:
    """Stated calls that are wrong, and "too close" against an ideal observer, by rule."""
    say(f"{tables} doubtful tables, each against {draws} true ones drawn from its sigmas; k = 2")
    say("rule                  stated   wrong %   too close   ideal observer")
    for rule, stated, wrong, too_close, ideal in sampled(tables, draws, seed).rows():
        say(f"{rule:20s}   {stated:6d}   {100 * wrong:7.2f}   {too_close:9d}   {ideal:14d}")
    say("limits: wrong at most 2.5 %, too close at most 1.5 times the ideal observer's")


def say(text: str) -> None:
    """One line to standard output."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def main() -> None:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(description="Cost and honesty of the rule book.")
    parser.add_argument("--speed", action="store_true")
    parser.add_argument("--sampling", action="store_true")
    parser.add_argument("--tables", type=int, default=100)
    parser.add_argument("--draws", type=int, default=150)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    both = options.speed == options.sampling
    if both or options.speed:
        print_speed()
    if both:
        say("")
    if both or options.sampling:
        print_sampling(options.tables, options.draws, options.seed)


if __name__ == "__main__":
    main()
