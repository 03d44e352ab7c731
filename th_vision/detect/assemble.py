"""From candidates to a set of columns and roads that explains the view: chosen together, by what each explains anew."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from rules.layout import Layout
from rules.pieces import Pieces
from th_vision import tolerances
from th_vision.detect.columns import ColumnCandidate, best_rim, column_candidates, refine_rim
from th_vision.detect.kernel import bar_share, shown
from th_vision.detect.measure import MeasuredRoad, measure_road
from th_vision.detect.plan import PlanView
from th_vision.detect.roads import fit_line, joinable, ramps_from

Array = NDArray[np.float64]


@dataclass(frozen=True)
class FoundRoad:
    """A road with what its two ends rest on: indices into the columns, -1 for the table."""

    road: MeasuredRoad
    ends: tuple[int, int]
    score: float
    age: int = 10**6  # place among the roads known before; new ones are youngest


@dataclass(frozen=True)
class Assembly:
    """The columns and roads chosen."""

    columns: list[ColumnCandidate] = field(default_factory=list)
    roads: list[FoundRoad] = field(default_factory=list)


def assemble(plan: PlanView, pieces: Pieces, prior: Layout | None = None) -> Assembly:
    """Find all columns and roads of a view, those of ``prior`` first at their old places."""
    columns = [refine_rim(plan, pieces, candidate) for candidate in column_candidates(plan, pieces)]
    columns = distinct_columns(pieces, columns)
    return choose(plan, pieces, columns, proposals(plan, pieces, columns))


def distinct_columns(pieces: Pieces, columns: list[ColumnCandidate]) -> list[ColumnCandidate]:
    """Of candidates at the same level and place only the best."""
    kept: list[ColumnCandidate] = []
    for column in sorted(columns, key=lambda c: -c.score):
        near = [k for k in kept if np.hypot(k.x - column.x, k.y - column.y) < pieces.disc.radius * 0.4]
        if not any(k.levels == column.levels or k.score > column.score + 0.15 for k in near):
            kept.append(column)
    return kept


def proposals(plan: PlanView, pieces: Pieces, columns: list[ColumnCandidate]) -> list[FoundRoad]:
    """All roads that may lie between columns and from low columns to the table, measured; best first."""
    top = pieces.stick.thickness
    centers = [np.array([c.x, c.y]) for c in columns]
    heights = [c.levels * pieces.disc.height + top for c in columns]
    pairs = [
        (i, j)
        for i in range(len(columns))
        for j in range(i + 1, len(columns))
        if joinable(pieces, columns[i], columns[j])
    ]
    pairs = _present_pairs(plan, pieces, pairs, centers, heights)
    out: list[FoundRoad] = []
    for i, j in pairs:
        a, b = np.array([*centers[i], heights[i]]), np.array([*centers[j], heights[j]])
        coarse = fit_line(plan, pieces, a, b, i, j)
        if coarse is None:
            continue
        road = measure_road(plan, pieces, coarse.a, coarse.b, (centers[i], centers[j]))
        out.append(FoundRoad(road, (i, j), _score(road, columns[i], columns[j])))
    for i, column in enumerate(columns):
        if column.levels > tolerances.OFFRAMP_HIGHEST_LEVEL:
            continue
        for coarse in ramps_from(plan, pieces, column, i):
            road = measure_road(plan, pieces, coarse.a, coarse.b, (centers[i], None))
            out.append(FoundRoad(road, (i, -1), _score(road, column, None)))
    return sorted(out, key=lambda found: -found.score)


def choose(plan: PlanView, pieces: Pieces, columns: list[ColumnCandidate], roads: list[FoundRoad]) -> Assembly:
    """Accept roads best first, each where no other lies; then say which columns their ends share; then lone columns."""
    chosen: list[FoundRoad] = []
    for found in roads:
        if _acceptable(pieces, found) and not any(_same_place(pieces, found.road, other.road) for other in chosen):
            chosen.append(found)
    standing, place = _shared_columns(plan, pieces, columns, chosen)
    for column in columns:
        alone = column.rim > tolerances.LONE_COLUMN_RIM or (np.isnan(column.rim) and column.score > 1.2)
        if alone and not any(_collide(pieces, column, other) for other in standing):
            standing.append(column)
    return Assembly(
        standing,
        [replace(found, ends=(place.get(found.ends[0], -1), place.get(found.ends[1], -1))) for found in chosen],
    )


def _shared_columns(
    plan: PlanView, pieces: Pieces, columns: list[ColumnCandidate], roads: list[FoundRoad]
) -> tuple[list[ColumnCandidate], dict[int, int]]:
    """The columns under the roads' ends. Proposed columns that can't both stand are one column, seen twice.

    Returns the columns and, for each proposed index, its place among them.
    """
    ends = [(end, tip) for found in roads for end, tip in zip(found.ends, (found.road.a, found.road.b), strict=True)]
    used = sorted({end for end, _ in ends if end >= 0})
    groups: list[list[int]] = []
    for k in used:
        near = [group for group in groups if any(_collide(pieces, columns[k], columns[m]) for m in group)]
        groups = [group for group in groups if group not in near] + [[k, *[m for group in near for m in group]]]
    standing: list[ColumnCandidate] = []
    place: dict[int, int] = {}
    for group in groups:
        tips = np.array([tip[:2] for end, tip in ends if end in group])
        for k in group:
            place[k] = len(standing)
        standing.append(_best_under(plan, pieces, [columns[k] for k in group], tips))
    return standing, place


def _best_under(plan: PlanView, pieces: Pieces, proposed: list[ColumnCandidate], tips: Array) -> ColumnCandidate:
    """The column that best carries all tips (n, 2): one of those proposed, or one with its rim around the tips."""
    options = list(proposed)
    if len(proposed) > 1 and plan.color is not None:
        middle = tips.mean(axis=0)
        for levels in sorted({column.levels for column in proposed}):
            x, y, rim = best_rim(plan, pieces, float(middle[0]), float(middle[1]), levels, pieces.disc.radius / 2)
            like = max((c for c in proposed if c.levels == levels), key=lambda c: c.score)
            options.append(replace(like, x=x, y=y, rim=rim))

    def quality(column: ColumnCandidate) -> float:
        outside = np.maximum(np.hypot(*(tips - [column.x, column.y]).T) - pieces.disc.radius, 0)
        return (0.3 if np.isnan(column.rim) else column.rim) + 0.2 * min(column.fill, 1) - 0.1 * float(outside.sum())

    return max(options, key=quality)


def _score(road: MeasuredRoad, a: ColumnCandidate, b: ColumnCandidate | None) -> float:
    ends = [a] if b is None else [a, b]
    support = [0.6 * (0.3 if np.isnan(c.rim) else c.rim) + 0.2 * min(c.fill, 1.0) for c in ends]
    if b is None:
        support.append(0.2)
    return road.score + sum(support)


def _acceptable(pieces: Pieces, found: FoundRoad) -> bool:
    """Whether a road stands by itself: present in depth, bounded by edges."""
    road = found.road
    if road.presence < tolerances.ROAD_ACCEPT_PRESENCE:
        return False
    if not np.isnan(road.edges) and road.edges < tolerances.ROAD_ACCEPT_EDGES:
        return False
    return road.reading_mm > -tolerances.ROAD_ACCEPT_LOW_MM


def _same_place(pieces: Pieces, road: MeasuredRoad, other: MeasuredRoad) -> bool:
    """Whether two measured roads lie on each other in plan for more than ends that share a column do."""
    unit = (other.b - other.a)[:2]
    length = float(np.hypot(*unit))
    unit = unit / length
    left = np.array([-unit[1], unit[0]])
    points = road.a[:2] + np.linspace(0, 1, 41)[:, None] * (road.b - road.a)[:2]
    s, t = (points - other.a[:2]) @ unit, (points - other.a[:2]) @ left
    common = (np.abs(t) < pieces.stick.width * 0.6) & (s > 0) & (s < length)
    return bool(common.mean() > tolerances.ROAD_OVERLAP_SHARE)


def _collide(pieces: Pieces, a: ColumnCandidate, b: ColumnCandidate) -> bool:
    """Whether two columns can't both stand."""
    return bool(np.hypot(a.x - b.x, a.y - b.y) < pieces.disc.diameter * 0.9)


def _present_pairs(
    plan: PlanView, pieces: Pieces, pairs: list[tuple[int, int]], centers: list[Array], heights: list[float]
) -> list[tuple[int, int]]:
    """Pairs of columns between which depth shows something as high as a road would be, nearly all along."""
    if not pairs:
        return []
    fraction = np.linspace(0.12, 0.88, 12)
    mm_per_px = plan.usual_mm_per_px
    blend = bar_share(pieces.stick.width, plan.kernel_mm)
    sideways = np.array([-0.6, -0.3, 0.0, 0.3, 0.6]) * pieces.disc.radius
    points = np.empty((len(pairs), len(sideways), len(fraction), 3))
    for k, (i, j) in enumerate(pairs):
        way = centers[j] - centers[i]
        left = np.array([-way[1], way[0]]) / np.hypot(*way)
        points[k, :, :, :2] = centers[i] + fraction[None, :, None] * way + sideways[:, None, None] * left[None, None, :]
        points[k, :, :, 2] = heights[i] + fraction * (heights[j] - heights[i])
    seen = plan.heights(points)
    expected = shown(points[..., 2], blend, mm_per_px)
    slack = tolerances.ROAD_HEIGHT_SLACK_MM + tolerances.ROAD_HEIGHT_SLACK * points[..., 2]
    there = np.where(np.isfinite(seen), seen > expected - slack, True)
    # the road may run slantwise: at each place the best of the parallel lines counts
    enough = there.max(axis=1).mean(axis=1) >= 0.9
    return [pair for pair, good in zip(pairs, enough, strict=True) if good]
