"""Which of the ends that lie on one column lies on which: told by colour and by depth together.

Where one end lies on another the upper stick's outline goes on unbroken (``t_junction.py``), and both sticks lie as
high as resting makes them, which depth sees along their whole lengths. All orders of the ends on a column are weighed;
what the less probable ones would change stays in the sigma of the heights.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from rules.pieces import Pieces
from th_vision import tolerances
from th_vision.detect.assembly import Assembly, FoundRoad
from th_vision.detect.measure import MeasuredRoad
from th_vision.detect.plan import PlanView
from th_vision.detect.resting import Lying, rest, touch
from th_vision.detect.stacked_depth import StackedDepth
from th_vision.detect.t_junction import on_top

Array = NDArray[np.float64]
Pair = tuple[int, int]
"""Two roads that overlap by their places: the lower one, the upper one."""


@dataclass(frozen=True)
class Stacking:
    """``order``: roads by their places, what lies below first. ``doubtful``: pairs of which either may be the upper
    one. ``open_mm``: by road, what orders that are possible as well add to the sigma of its tips' heights, mm."""

    order: list[int]
    doubtful: frozenset[frozenset[int]]
    open_mm: list[float]


def neighbours(assembly: Assembly, k: int) -> list[int]:
    """Roads that share a column with road k."""
    shared = set(assembly.roads[k].ends) - {-1}
    return [m for m in range(len(assembly.roads)) if m != k and shared & set(assembly.roads[m].ends)]


def tops_under(pieces: Pieces, assembly: Assembly, k: int) -> list[tuple[float, float, float]]:
    """Plan centres and heights of the tops of the columns under road k, mm."""
    columns = assembly.columns
    return [
        (columns[c].x, columns[c].y, columns[c].levels * pieces.disc.height) for c in assembly.roads[k].ends if c >= 0
    ]


def stack(plan: PlanView, pieces: Pieces, assembly: Assembly, as_read: Set[int] = frozenset()) -> Stacking:
    """How the roads of an assembly lie on each other.

    Known roads lie below what came later; among roads of one age colour and depth say it. Of two that lie ``as_read``
    before (by their places) nothing is asked.
    """
    roads = assembly.roads
    fixed: list[Pair] = []
    evidence: dict[Pair, float] = {}  # of two roads of one age: how surely the second lies on the first
    pairs = [(k, m) for k in range(len(roads)) for m in neighbours(assembly, k) if m > k]
    pairs.sort(key=lambda pair: set(pair) <= as_read)
    for k, m in pairs:
        if {k, m} <= as_read and not evidence:
            break  # nothing is asked that how these lie would change
        if _overlap(pieces, roads[k].road, roads[m].road):
            if roads[k].age != roads[m].age:
                fixed.append((k, m) if roads[k].age < roads[m].age else (m, k))
            elif {k, m} <= as_read:
                continue
            elif plan.color is None or roads[k].age == FoundRoad.age:  # known roads of one age lie beside each other
                evidence[k, m] = _which_on_top(plan, pieces, assembly, m, k)
    relations = _strongest(len(roads), fixed, evidence)
    if not evidence:
        return Stacking(_bottom_up(len(roads), relations) or [], frozenset(), [0.0] * len(roads))
    search = _Search(pieces, assembly, evidence, relations, StackedDepth(plan, pieces, assembly))
    return search.run()


@dataclass(frozen=True)
class _Doubt:
    """What comes of weighing the orders on some columns: roads that were ``moved`` by it; how probable any ``other``
    order is; of each pair, that it lies the ``other_way`` round; and of each road's tips the mean square error, mm2."""

    moved: set[int]
    other: float
    other_way: dict[frozenset[int], float]
    square_mm2: dict[int, tuple[float, float]]


class _Search:
    """The order of the ends on one column after the other, with the rest as it is."""

    def __init__(
        self,
        pieces: Pieces,
        assembly: Assembly,
        evidence: dict[Pair, float],
        relations: frozenset[Pair],
        depth: StackedDepth,
    ) -> None:
        self._pieces, self._assembly, self._depth = pieces, assembly, depth
        self._evidence, self._relations = evidence, relations
        roads = range(len(assembly.roads))
        self._lying = self._laid({}, relations, roads)
        depth.put(self._lying)

    def run(self) -> Stacking:
        roads = self._assembly.roads
        asked: dict[int, list[Pair]] = {}
        for k, m in self._evidence:
            for column in set(roads[k].ends) & set(roads[m].ends) - {-1}:
                asked.setdefault(column, []).append((k, m))
        doubts: dict[tuple[int, ...], _Doubt] = {}
        waiting: list[tuple[int, ...]] = [(column,) for column in asked]
        both = {found.ends for found in roads if found.ends[0] != found.ends[1] and set(found.ends) <= set(asked)}
        for _ in range(tolerances.STACK_ROUNDS * (len(asked) + len(both))):
            if not waiting:
                # a stick that lies too high at one end and too low at the other: both columns are in a wrong order
                waiting = [
                    two
                    for two in both
                    if two not in doubts and all(doubts[end,].other > tolerances.STACK_TOGETHER for end in two)
                ]
                if not waiting:
                    break
            columns = waiting.pop(0)
            doubt = doubts[columns] = self._settle([asked[column] for column in columns])
            touched = {end for k in doubt.moved for end in roads[k].ends} - set(columns)
            if doubt.moved and len(columns) > 1:
                touched |= set(columns)
                doubts = {key: one for key, one in doubts.items() if len(key) == 1 or key == columns}
            waiting += [(other,) for other in asked if other in touched and (other,) not in waiting]
        return self._told(doubts)

    def _told(self, doubts: dict[tuple[int, ...], _Doubt]) -> Stacking:
        order = _bottom_up(len(self._assembly.roads), self._relations)
        assert order is not None
        square, together = np.zeros((len(order), 2)), np.zeros((len(order), 2))
        doubtful = set()
        for columns, doubt in doubts.items():
            doubtful |= {pair for pair, probability in doubt.other_way.items() if probability > tolerances.STACK_DOUBT}
            for k, two in doubt.square_mm2.items():
                if len(columns) == 1:
                    square[k] += two
                else:
                    together[k] = np.maximum(together[k], two)
        return Stacking(order, frozenset(doubtful), [float(np.sqrt(two.max())) for two in np.maximum(square, together)])

    def _settle(self, groups: list[list[Pair]]) -> _Doubt:
        """Put the ends on one column, or on two, in their most probable order. ``groups``: the pairs asked on each."""
        pairs = [pair for group in groups for pair in group]
        options = self._options(groups)
        laid = [self._laid(self._lying, relations, {k for pair in pairs for k in pair}) for relations in options]
        moved = sorted({k for lying in laid for k in lying if _moved(lying[k], self._lying[k])})
        misfits = self._depth.misfits(moved, [[lying[k] for k in moved] for lying in laid])
        says = np.array([self._color(relations, pairs) for relations in options])
        says -= tolerances.STACK_DEPTH_EVIDENCE * misfits
        best = int(np.argmax(says))
        weights = np.exp(says - says[best])
        weights /= weights.sum()
        before, now = self._lying, laid[best]
        self._relations, self._lying = options[best], now
        self._depth.put({k: now[k] for k in moved})
        weighed = list(zip(weights, options, laid, strict=True))
        return _Doubt(
            {k for k in moved if _moved(now[k], before[k])},
            float(1 - weights[best]),
            {
                frozenset(pair): float(sum(weight for weight, option, _ in weighed if pair[::-1] in option))
                for pair in self._relations & {*pairs, *(pair[::-1] for pair in pairs)}
            },
            {
                k: (
                    float(sum(weight * (lying[k].za - now[k].za) ** 2 for weight, _, lying in weighed)),
                    float(sum(weight * (lying[k].zb - now[k].zb) ** 2 for weight, _, lying in weighed)),
                )
                for k in moved
            },
        )

    def _options(self, groups: list[list[Pair]]) -> list[frozenset[Pair]]:
        """All relations of the roads in which only these pairs differ; as they are now first."""
        out = {self._relations: None}
        for group in groups:
            for relations in list(out):
                others = relations - set(group) - {pair[::-1] for pair in group}
                for order in _orders(sorted({k for pair in group for k in pair}), relations):
                    place = {k: at for at, k in enumerate(order)}
                    out[others | {(k, m) if place[k] < place[m] else (m, k) for k, m in group}] = None
        return [one for one in out if _bottom_up(len(self._assembly.roads), one) is not None]

    def _color(self, relations: frozenset[Pair], pairs: list[Pair]) -> float:
        """Logarithm of how probable colour makes the order of some pairs."""
        total = 0.0
        for k, m in pairs:
            most = tolerances.STACK_COLOR_MOST
            odds = float(np.clip(tolerances.STACK_COLOR_ODDS * self._evidence[k, m], -most, most))
            total += odds / 2 if (k, m) in relations else -odds / 2
        return total

    def _laid(self, before: dict[int, Lying], relations: frozenset[Pair], anew: Iterable[int]) -> dict[int, Lying]:
        """All roads as they come to rest: those laid ``anew`` and what lies on what moved, the others as ``before``."""
        order = _bottom_up(len(self._assembly.roads), relations)
        assert order is not None
        below: dict[int, list[int]] = {}
        for lower, upper in relations:
            below.setdefault(upper, []).append(lower)
        out, moved, anew = dict(before), set[int](), set(anew)
        for k in order:
            under = below.get(k, [])
            if k not in anew and not moved & set(under):
                continue
            road = self._assembly.roads[k].road
            tops = tops_under(self._pieces, self._assembly, k)
            out[k] = rest(self._pieces, road.a[:2], road.b[:2], tops, [out[m] for m in under])
            if k in before and _moved(out[k], before[k]):
                moved.add(k)
        return out


def _moved(one: Lying, other: Lying) -> bool:
    return bool(max(abs(one.za - other.za), abs(one.zb - other.zb)) > tolerances.STACK_SAME_MM)


def _orders(roads: list[int], relations: frozenset[Pair]) -> Iterable[Sequence[int]]:
    """Orders of some roads to be tried: all of few; of many those with one road put elsewhere."""
    if len(roads) <= tolerances.STACK_ALL_ORDERS:
        return permutations(roads)
    ranks = _bottom_up(max(roads) + 1, frozenset(pair for pair in relations if set(pair) <= set(roads))) or []
    now = [k for k in ranks if k in roads]
    out = []
    for k in now:
        rest_of = [m for m in now if m != k]
        out += [[*rest_of[:at], k, *rest_of[at:]] for at in range(len(now))]
    return out


def _which_on_top(plan: PlanView, pieces: Pieces, assembly: Assembly, k: int, m: int) -> float:
    """Evidence of colour, -1 to 1, that road k lies on m and not the other way round.

    A third stick on both shows an outline of its own there: it is asked beside that, or believed little.
    """
    roads = [found.road for found in assembly.roads]
    third = (set(neighbours(assembly, k)) | set(neighbours(assembly, m))) - {k, m}
    near = [(roads[n].a, roads[n].b) for n in sorted(third) if _overlap(pieces, roads[n], roads[k])]
    both = (roads[k].a, roads[k].b), (roads[m].a, roads[m].b)
    evidence = on_top(plan, pieces, *both, near, tips=True)
    return (
        evidence if evidence or not near else tolerances.ON_TOP_BELOW_ANOTHER * on_top(plan, pieces, *both, tips=True)
    )


def _strongest(count: int, fixed: list[Pair], evidence: dict[Pair, float]) -> frozenset[Pair]:
    """An order of all pairs: what is known, then by colour; evidence that contradicts stronger evidence is dropped."""
    kept: list[Pair] = []
    for lower, upper in fixed:
        kept.append((upper, lower) if _reaches(kept, upper, lower) else (lower, upper))
    for (k, m), says in sorted(evidence.items(), key=lambda item: -abs(item[1])):
        lower, upper = (k, m) if says >= 0 else (m, k)
        kept.append((upper, lower) if _reaches(kept, upper, lower) else (lower, upper))
    return frozenset(kept)


def _reaches(pairs: list[Pair], start: int, goal: int) -> bool:
    """Whether goal is above start by a chain of (lower, upper) pairs."""
    seen, front = {start}, [start]
    while front:
        here = front.pop()
        if here == goal:
            return True
        for lower, upper in pairs:
            if lower == here and upper not in seen:
                seen.add(upper)
                front.append(upper)
    return False


def _bottom_up(count: int, relations: frozenset[Pair]) -> list[int] | None:
    """So many roads, what lies below first; None where they would lie on each other in a circle."""
    ranks = [0] * count
    for _ in range(count + 1):
        changed = False
        for lower, upper in relations:
            if ranks[upper] <= ranks[lower]:
                ranks[upper], changed = ranks[lower] + 1, True
        if not changed:
            return sorted(range(count), key=lambda k: (ranks[k], k))
    return None


def _overlap(pieces: Pieces, first: MeasuredRoad, second: MeasuredRoad) -> bool:
    return touch(pieces, (first.a[:2], first.b[:2]), (second.a[:2], second.b[:2]))
