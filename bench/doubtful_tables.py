"""Tables near every limit with sigmas as a camera gives them, and what the rule book makes of them.

For each observed table, true tables are drawn from its sigmas. A call that says clear or fault is wrong for the share
of true tables (judged with sigma 0) that say otherwise. The ideal observer knows the shares themselves and says "too
close" only where neither answer is sure enough.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from rules.events import FactColumn, FactRoad, GameFact, Material, MoveFact, RampFact
from rules.game import Game
from rules.uncertain import certain_enough

STICK, DISC, HEIGHT, THICK = 114.0, 19.0, 10.0, 2.0
Key = tuple[str, ...]


@dataclass(frozen=True)
class Sigmas:
    """One standard deviation of a piece's place: across, along and height of a tip; a column's x and y."""

    across_mm: float
    along_mm: float
    height_mm: float
    column_mm: float


@dataclass(frozen=True)
class TrialTable:
    """Ramps and moves of pink that stand, and the move of blue that is judged."""

    game: GameFact
    before: tuple[RampFact | MoveFact, ...]
    move: MoveFact


def _road(name: str, a: FactColumn, b: FactColumn, rng: np.random.Generator, sigmas: Sigmas) -> FactRoad:
    dx, dy = b.x - a.x, b.y - a.y
    run = math.hypot(dx, dy)
    ux, uy = dx / run, dy / run
    past = rng.uniform(2.0, 5.0, 2)
    if rng.random() < 0.3:
        past[1] = DISC / 2 + rng.normal(0.0, 2.0)
    za, zb = a.levels * HEIGHT + THICK, b.levels * HEIGHT + THICK
    lift = rng.normal(0.0, 1.0, 2)
    return FactRoad(
        id=name,
        ends=(
            (a.x - past[0] * ux, a.y - past[0] * uy, za + lift[0]),
            (b.x + past[1] * ux, b.y + past[1] * uy, zb + lift[1]),
        ),
        rests_on=(a.id, b.id),
        sigma_xy=sigmas.across_mm,
        sigma_along=sigmas.along_mm,
        sigma_z=sigmas.height_mm,
    )


def trial_table(rng: np.random.Generator) -> TrialTable:
    """A random table: three pink roads and columns about the place of blue's new road, often near a limit."""
    sigmas = Sigmas(rng.uniform(0.3, 1.0), rng.uniform(0.4, 1.2), rng.uniform(0.2, 0.7), rng.uniform(0.3, 0.8))
    plenty = Material(gray=1000, yellow=10, sticks=100, cars=20)
    game = GameFact(players=("blue", "pink"), material={"blue": plenty, "pink": plenty})
    before: list[RampFact | MoveFact] = []

    def start(player: str, name: str, x: float, y: float, levels: int, away: float) -> FactColumn:
        column = FactColumn(id=name, x=x, y=y, gray=levels, sigma_xy=sigmas.column_mm)
        foot = (x + 110 * math.cos(away), y + 110 * math.sin(away), THICK)
        tip = (x, y, levels * HEIGHT + THICK)
        road = FactRoad(id=f"{name}ramp", ends=(foot, tip), rests_on=("table", name))
        before.append(RampFact(player=player, column=column, road=road))
        return column

    level = int(rng.integers(2, 5))
    for number in range(3):
        # A pink road that crosses, misses by a little, or ends beside blue's; one level away or none at all.
        angle = rng.uniform(0, math.pi)
        through = np.array([rng.uniform(15, 95), rng.normal(0.0, 6.0)])
        along = rng.choice([rng.uniform(25, 80), rng.normal(0.0, 7.0)])
        ux, uy = math.cos(angle), math.sin(angle)
        first = through - along * np.array([ux, uy])
        second = first + 104 * np.array([ux, uy])
        high = max(1, level + int(rng.integers(-1, 2)))
        a = start("pink", f"p{number}a", float(first[0]), float(first[1]), high, angle + math.pi)
        b = FactColumn(id=f"p{number}b", x=float(second[0]), y=float(second[1]), gray=high, sigma_xy=sigmas.column_mm)
        road = _road(f"p{number}", a, b, rng, sigmas)
        before.append(MoveFact(turn=1, player="pink", base=a.id, column=b, road=road))
    base = start("blue", "base", 0.0, 0.0, level, math.pi)
    new = FactColumn(id="new", x=104.0, y=0.0, gray=level + 1, sigma_xy=sigmas.column_mm)
    move = MoveFact(turn=2, player="blue", base="base", column=new, road=_road("n", base, new, rng, sigmas))
    return TrialTable(game, tuple(before), move)


def _drawn_road(road: FactRoad, rng: np.random.Generator) -> FactRoad:
    (ax, ay, az), (bx, by, bz) = road.ends
    run = math.hypot(bx - ax, by - ay)
    ux, uy = (bx - ax) / run, (by - ay) / run
    along = road.sigma_xy if road.sigma_along is None else road.sigma_along
    tips = []
    for x, y, z in ((ax, ay, az), (bx, by, bz)):
        da, dc, dz = rng.normal(0.0, 1.0, 3) * (along, road.sigma_xy, road.sigma_z)
        tips.append((x + da * ux - dc * uy, y + da * uy + dc * ux, z + dz))
    return road.model_copy(update={"ends": tuple(tips), "sigma_xy": 0.0, "sigma_along": 0.0, "sigma_z": 0.0})


def _drawn_column(column: FactColumn, rng: np.random.Generator) -> FactColumn:
    dx, dy = rng.normal(0.0, 1.0, 2) * column.sigma_xy
    return column.model_copy(update={"x": column.x + dx, "y": column.y + dy, "sigma_xy": 0.0})


def drawn(table: TrialTable, rng: np.random.Generator) -> TrialTable:
    """A true table that could lie behind an observed one."""

    def draw(fact: RampFact | MoveFact) -> RampFact | MoveFact:
        assert fact.column is not None
        return fact.model_copy(update={"column": _drawn_column(fact.column, rng), "road": _drawn_road(fact.road, rng)})

    move = draw(table.move)
    assert isinstance(move, MoveFact)
    return TrialTable(table.game, tuple(draw(fact) for fact in table.before), move)


def calls(table: TrialTable) -> dict[Key, str]:
    """What the rule book says: the call of every rule and piece that came near, and of every crossing."""
    game = Game(table.game)
    for fact in table.before:
        game.apply(fact)
    ruling = game.preview(table.move)
    found: dict[Key, str] = {}
    for fault in ruling.faults:
        key = (fault.rule, *fault.with_)
        found[key] = "too_close" if "too_close" in (fault.call, found.get(key)) else fault.call
    for line in ruling.crossings:
        stated = f"{line.side}" if line.reason not in ("partial", "shared-column") else "none"
        found[("crossing", line.road)] = "too_close" if line.call == "too_close" else stated
    due = ruling.cars_due_range
    found[("cars",)] = "too_close" if due is not None else str(ruling.cars_due)
    return found


@dataclass
class Tally:
    """Calls counted by rule: stated calls, the probability that they were wrong, too close, and the ideal's."""

    stated: Counter[str] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)
    too_close: Counter[str] = field(default_factory=Counter)
    ideal: Counter[str] = field(default_factory=Counter)

    def add(self, table: TrialTable, draws: int, rng: np.random.Generator, k: float) -> None:
        """Judge one observed table and compare with true ones."""
        observed = calls(table)
        truths = [calls(drawn(table, rng)) for _ in range(draws)]
        keys = set(observed).union(*truths)
        for key in keys:
            rule = key[0]
            default = "none" if rule == "crossing" else "clear"
            share = Counter(truth.get(key, default) for truth in truths)
            _, count = share.most_common(1)[0]
            if count / draws < certain_enough(k):
                self.ideal[rule] += 1
            said = observed.get(key, default)
            if said == "too_close":
                self.too_close[rule] += 1
            else:
                self.stated[rule] += 1
                self.wrong[rule] += (1 - share[said] / draws) * 1e6  # type: ignore[assignment]  # millionths

    def rows(self) -> list[tuple[str, int, float, int, int]]:
        """By rule: stated, share wrong, too close, too close by the ideal observer."""
        rules = sorted(set(self.stated) | set(self.too_close))
        rows = [
            (
                rule,
                self.stated[rule],
                self.wrong[rule] / 1e6 / max(1, self.stated[rule]),
                self.too_close[rule],
                self.ideal[rule],
            )
            for rule in rules
        ]
        total = sum(self.stated.values())
        rows.append(
            (
                "all",
                total,
                sum(self.wrong.values()) / 1e6 / max(1, total),
                sum(self.too_close.values()),
                sum(self.ideal.values()),
            )
        )
        return rows


def sampled(tables: int, draws: int, seed: int, k: float = 2.0) -> Tally:
    """Judge `tables` random tables, each against `draws` true ones."""
    rng = np.random.default_rng(seed)
    tally = Tally()
    for _ in range(tables):
        tally.add(trial_table(rng), draws, rng, k)
    return tally
