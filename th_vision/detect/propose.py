"""Roads that may lie between column candidates, measured: far more than there are; choosing comes after."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rules.pieces import Pieces
from th_vision import tolerances
from th_vision.detect.assembly import Assembly, FoundRoad
from th_vision.detect.columns import ColumnCandidate
from th_vision.detect.explained import Explained
from th_vision.detect.kernel import bar_share, shown
from th_vision.detect.measure import Line, MeasuredRoad, measure_roads
from th_vision.detect.plan import PlanView
from th_vision.detect.roads import RoadCandidate, fit_lines, joinable_pairs, ramps_from
from th_vision.detect.tips import Around

Array = NDArray[np.float64]
SHARES = np.linspace(0, 1, 41)
"""Places along a line at which it is asked whether it lies on another."""


@dataclass(frozen=True)
class Coarse:
    """A line that may be a road, and the columns (-1: the table) that its ends would lie on."""

    line: RoadCandidate
    ends: tuple[int, int]


class Proposals:
    """New roads that may lie between ``columns``, measured: ``roads``, best first.

    What lies where a road was measured already that is clearly better waits, to be measured if that one isn't chosen.
    """

    def __init__(
        self, plan: PlanView, pieces: Pieces, columns: list[ColumnCandidate], known: Assembly, coarse: list[Coarse]
    ) -> None:
        self._plan, self._pieces, self._columns = plan, pieces, columns
        self._known = [tips_of(found.road) for found in known.roads]
        self._known_columns = len(known.columns)
        # places and heights of the tops of columns that are clearly seen, (n, 3)
        clear = [column for column in columns if column.rim >= tolerances.LONE_COLUMN_RIM * 0.9]
        self._clear = np.array([(c.x, c.y, c.levels * pieces.disc.height) for c in clear]).reshape(-1, 3)
        self._waiting = sorted(coarse, key=lambda one: -one.line.score)
        self.roads: list[FoundRoad] = []
        self._measure()

    def go_on(self, chosen: list[FoundRoad], ghosts: list[FoundRoad]) -> bool:
        """Leave out ``ghosts``, and measure what waits and doesn't lie on a ``chosen`` road; whether there was any."""
        out = {id(found.road) for found in ghosts}
        self.roads = [found for found in self.roads if id(found.road) not in out]
        before = len(self._waiting)
        self._measure([found for found in chosen if id(found.road) not in out])
        return len(self._waiting) < before

    def _measure(self, standing: list[FoundRoad] | None = None) -> None:
        """Measure what waits, best first; what lies on a better one goes on waiting. ``standing``: those that count."""
        ahead = self._waiting
        tips = np.array([(one.line.a, one.line.b) for one in ahead]).reshape(-1, 2, 3)
        better_than = np.array([one.line.score + tolerances.ROAD_COARSE_BETTER for one in ahead])
        fixed = [*self._known, *(tips_of(found.road) for found in standing or ())]
        waits = np.zeros(len(ahead), dtype=np.bool_)  # lies on a clearly better one that was measured
        for road in fixed:
            waits |= on_line(self._pieces, tips, road)
        # which lie on clearly better ones that wait themselves: those are measured first
        behind = np.zeros((len(ahead), len(ahead)), dtype=np.bool_)
        scores = np.array([one.line.score for one in ahead])
        worse, better = np.nonzero(better_than[:, None] < scores)
        behind[worse, better] = on_lines(self._pieces, tips[worse], tips[better])
        todo = ~waits
        while todo.any():
            now = np.flatnonzero(todo & ~(behind & todo).any(axis=1))
            todo[now] = False
            for k, found in zip(now, self._found([ahead[k] for k in now]), strict=True):
                if any(_twice(found, other) for other in self.roads):
                    continue
                self.roads.append(found)
                if acceptable(self._pieces, found):
                    worse = np.flatnonzero(todo & (better_than < ahead[k].line.score))
                    taken = worse[on_line(self._pieces, tips[worse], tips_of(found.road))]
                    waits[taken], todo[taken] = True, False
        self._waiting = [one for k, one in enumerate(ahead) if waits[k]]
        self.roads.sort(key=lambda found: -found.score)

    def _found(self, lines: list[Coarse]) -> list[FoundRoad]:
        """The roads measured near some lines."""
        under = [[self._columns[end] if end >= 0 else None for end in one.ends] for one in lines]
        centers = [[None if column is None else np.array([column.x, column.y]) for column in two] for two in under]
        asked = [Line(one.line.a, one.line.b, Around((c[0], c[1]))) for one, c in zip(lines, centers, strict=True)]
        roads = measure_roads(self._plan, self._pieces, asked)
        return [
            FoundRoad(
                road,
                one.ends,
                _score(road, self._columns[one.ends[0]], two[1])
                - self._against(road)
                - self._unreached(road, one.ends),
            )
            for road, one, two in zip(roads, lines, under, strict=True)
        ]

    def _unreached(self, road: MeasuredRoad, ends: tuple[int, int]) -> float:
        """What speaks against a road: an end of it was measured beside the known column that is to carry it."""
        tips = (road.a, road.b), (road.b, road.a)
        known = [
            (self._columns[end], two) for end, two in zip(ends, tips, strict=True) if 0 <= end < self._known_columns
        ]
        off = any(lies_beside(self._pieces, column.x, column.y, *two) for column, two in known)
        return tolerances.ROAD_THROUGH_COLUMN if off else 0.0

    def _against(self, road: MeasuredRoad) -> float:
        """What speaks against a road: a column that is clearly seen would stand right in it, away from its ends."""
        disc, stick = self._pieces.disc, self._pieces.stick
        way = (road.b - road.a)[:2]
        length = float(np.hypot(*way))
        rel = self._clear[:, :2] - road.a[:2]
        s = rel @ way / length
        t = (rel[:, 1] * way[0] - rel[:, 0] * way[1]) / length
        below = road.a[2] + s / length * (road.b[2] - road.a[2]) - stick.thickness - self._clear[:, 2]
        room = 1.05 * disc.diameter
        inside = (s > room) & (s < length - room) & (np.abs(t) < stick.width * 0.6)
        return tolerances.ROAD_THROUGH_COLUMN if (inside & (np.abs(below) < disc.height * 0.6)).any() else 0.0


def lies_beside(pieces: Pieces, x: float, y: float, tip: Array, other: Array) -> bool:
    """Whether a stick with these tips ((2,) or (3,), mm) lies beside a column at (x, y): clearly not over its disc."""
    way, away = (other - tip)[:2], np.array([x, y]) - tip[:2]
    nearest = float(np.clip(away @ way / (way @ way), 0.0, 1.0)) * way
    return bool(np.hypot(*(away - nearest)) > pieces.disc.radius + tolerances.STICK_LENGTH_SLACK_MM)


def _twice(one: FoundRoad, other: FoundRoad) -> bool:
    """Whether two roads between the same columns were measured to lie at the same place."""
    if one.ends != other.ends:
        return False
    apart = np.abs(tips_of(one.road) - tips_of(other.road)).max()
    return bool(apart < tolerances.ROAD_TWICE_MM)


def tips_of(line: RoadCandidate | MeasuredRoad) -> Array:
    """(2, 3) both ends of a line."""
    return np.array([line.a, line.b])


def proposals(
    plan: PlanView, pieces: Pieces, columns: list[ColumnCandidate], known: Assembly, look: Explained | None
) -> Proposals:
    """All new roads that may lie between columns and from low columns to the table.

    The known columns come first among ``columns``; where a known road lies, or where ``look`` says that known pieces
    explain all that is seen, nothing is proposed.
    """
    if look is not None and look.field is None:
        return Proposals(plan, pieces, columns, known, [])
    joined = {frozenset(found.ends) for found in known.roads}
    coarse = lines_between(plan, pieces, columns, look, joined)
    worth = [one for one in coarse if not one.line.edges < tolerances.ROAD_COARSE_EDGES]
    return Proposals(plan, pieces, columns, known, worth)


def lines_between(
    plan: PlanView,
    pieces: Pieces,
    columns: list[ColumnCandidate],
    look: Explained | None = None,
    joined: Collection[frozenset[int]] = (),
) -> list[Coarse]:
    """Lines between any two columns (but those ``joined`` already, by their places) and from low ones to the table,
    along which depth shows a bar that ``look`` leaves open."""
    top = pieces.stick.thickness
    centers = [np.array([c.x, c.y]) for c in columns]
    heights = [c.levels * pieces.disc.height + top for c in columns]
    pairs = [pair for pair in joinable_pairs(pieces, columns) if frozenset(pair) not in joined]
    pairs = present_pairs(plan, pieces, pairs, centers, heights, look)
    first, second = np.array(pairs, dtype=int).reshape(-1, 2).T
    tops = np.column_stack([np.reshape(centers, (-1, 2)), heights])
    found = zip(fit_lines(plan, pieces, tops[first], tops[second]), pairs, strict=True)
    out = [Coarse(line, ends) for line, ends in found if line is not None]
    low = [i for i, column in enumerate(columns) if column.levels <= tolerances.OFFRAMP_HIGHEST_LEVEL]
    ramps = ramps_from(plan, pieces, [columns[i] for i in low], look)
    return out + [Coarse(ramp, (low[k], -1)) for k, ramp in ramps]


def present_pairs(
    plan: PlanView,
    pieces: Pieces,
    pairs: list[tuple[int, int]],
    centers: list[Array],
    heights: list[float],
    look: Explained | None = None,
) -> list[tuple[int, int]]:
    """Pairs of columns between which depth shows something as high as a road would be, nearly all along, and not all of
    it is explained by what is known."""
    if not pairs:
        return []
    fraction = np.linspace(0.12, 0.88, 12)
    mm_per_px = plan.usual_mm_per_px
    blend = bar_share(pieces.stick.width, plan.kernel_mm)
    sideways = np.array([-0.6, -0.3, 0.0, 0.3, 0.6]) * pieces.disc.radius
    first, second = np.array(pairs).T
    start, base = np.array(centers)[first], np.array(heights)[first]
    way, rise = np.array(centers)[second] - start, np.array(heights)[second] - base
    left = np.stack([-way[:, 1], way[:, 0]], axis=1) / np.hypot(*way.T)[:, None]
    points = np.empty((len(pairs), len(sideways), len(fraction), 3))
    along = start[:, None] + fraction[:, None] * way[:, None]
    points[..., :2] = along[:, None] + sideways[:, None, None] * left[:, None, None]
    points[..., 2] = (base[:, None] + fraction * rise[:, None])[:, None]
    seen = plan.heights(points)
    expected = shown(points[..., 2], blend, mm_per_px)
    slack = plan.road_slack(points[..., 2])
    there = np.where(np.isfinite(seen), seen > expected - slack, True)
    # the road may run slantwise: at each place the best of the parallel lines counts
    enough = there.max(axis=1).mean(axis=1) >= 0.9
    if look is not None:
        enough &= look.share_open(points).max(axis=1) >= tolerances.OPEN_ROAD_SHARE
    return [pair for pair, good in zip(pairs, enough, strict=True) if good]


def _score(road: MeasuredRoad, a: ColumnCandidate, b: ColumnCandidate | None) -> float:
    ends = [a] if b is None else [a, b]
    support = [0.6 * (0.3 if np.isnan(c.rim) else c.outlines) + 0.2 * min(c.fill, 1.0) for c in ends]
    if b is None:
        support.append(0.2)
    return road.score + sum(support)


def acceptable(pieces: Pieces, found: FoundRoad) -> bool:
    """Whether a road stands by itself: present in depth, bounded by edges."""
    road = found.road
    clear = road.edges >= tolerances.ROAD_CLEAR_EDGES and min(road.tip_clear) >= tolerances.ROAD_CLEAR_TIPS
    if road.presence < (tolerances.ROAD_CLEAR_PRESENCE if clear else tolerances.ROAD_ACCEPT_PRESENCE):
        return False
    if not np.isnan(road.edges) and road.edges < tolerances.ROAD_ACCEPT_EDGES:
        return False
    return road.reading_mm > -tolerances.ROAD_ACCEPT_LOW_MM and found.score > tolerances.ROAD_ACCEPT_SCORE


def on_line(pieces: Pieces, tips: Array, road: Array) -> NDArray[np.bool_]:
    """(n,) whether lines with these ends (n, 2, 3) lie on one (2, 3), in plan, for more than ends that share a column
    do."""
    return on_lines(pieces, tips, np.broadcast_to(road, tips.shape))


def on_lines(pieces: Pieces, tips: Array, roads: Array) -> NDArray[np.bool_]:
    """(n,) whether lines with these ends (n, 2, 3) lie each on its other one (n, 2, 3)."""
    out = np.zeros(len(tips), dtype=np.bool_)
    way = (roads[:, 1] - roads[:, 0])[:, :2]
    length = np.hypot(*way.T)
    unit = way / length[:, None]
    start, along = tips[:, 0, :2] - roads[:, 0, :2], (tips[:, 1] - tips[:, 0])[:, :2]

    def in_line(rel: Array) -> tuple[Array, Array]:
        """Ways along and across the other line."""
        return rel[:, 0] * unit[:, 0] + rel[:, 1] * unit[:, 1], rel[:, 1] * unit[:, 0] - rel[:, 0] * unit[:, 1]

    (s0, t0), (s1, t1) = in_line(start), in_line(along)
    # most lie far away
    reach = pieces.stick.width * 0.6
    near = np.flatnonzero(
        (np.minimum(s0, s0 + s1) < length)
        & (np.maximum(s0, s0 + s1) > 0)
        & (np.minimum(t0, t0 + t1) < reach)
        & (np.maximum(t0, t0 + t1) > -reach)
    )
    s, t = s0[near, None] + SHARES * s1[near, None], t0[near, None] + SHARES * t1[near, None]
    common = (np.abs(t) < reach) & (s > 0) & (s < length[near, None])
    out[near] = common.mean(axis=1) > tolerances.ROAD_OVERLAP_SHARE
    return out
