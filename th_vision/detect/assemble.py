"""From candidates to a set of columns and roads that explains the view: chosen together, by what each explains anew."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rules.layout import Layout, Road
from rules.pieces import Pieces
from th_vision import tolerances
from th_vision.detect.assembly import Assembly, FoundRoad
from th_vision.detect.columns import ColumnCandidate, Rim, best_rim, column_candidates, refine_rim
from th_vision.detect.kernel import bar_share, disc_share, shown
from th_vision.detect.levels import settle_levels, without_ghosts
from th_vision.detect.measure import MeasuredRoad, measure_road
from th_vision.detect.plan import PlanView
from th_vision.detect.roads import fit_line, joinable, ramps_from

Array = NDArray[np.float64]


def assemble(plan: PlanView, pieces: Pieces, prior: Layout | None = None) -> Assembly:
    """Find all columns and roads of a view, those of ``prior`` first at their old places."""
    known = still_there(plan, pieces, prior) if prior is not None else Assembly()
    fresh = [refine_rim(plan, pieces, candidate) for candidate in column_candidates(plan, pieces)]
    fresh = [column for column in distinct_columns(pieces, fresh) if _is_new(pieces, column, known)]
    columns = known.columns + fresh
    roads = known.roads + proposals(plan, pieces, columns, known)
    for _ in range(tolerances.GHOST_ROUNDS):
        chosen = choose(plan, pieces, columns, roads, len(known.columns))
        left = without_ghosts(plan, pieces, chosen, len(known.columns))
        kept = {id(found.road) for found in left.roads}
        ghosts = {id(found.road) for found in chosen.roads} - kept
        if not ghosts:
            break
        # a ghost may have taken the place of what really lies there
        roads = [found for found in roads if id(found.road) not in ghosts]
    return settle_levels(plan, pieces, left, len(known.columns))


def still_there(plan: PlanView, pieces: Pieces, prior: Layout) -> Assembly:
    """The pieces of an earlier layout that still stand where they stood, measured afresh."""
    columns: list[ColumnCandidate] = []
    index: dict[str, int] = {}
    for column in prior.columns:
        now = look_at(plan, pieces, column.x, column.y, column.levels, tolerances.KNOWN_REACH_MM)
        if now is not None:
            index[column.id] = len(columns)
            columns.append(now)
    by_road = {road.id: road for road in prior.roads}
    roads: list[FoundRoad] = []
    for road in prior.roads:
        ends = tuple(index.get(column_under(by_road, road, side), -1) for side in (0, 1))
        centers = tuple(np.array([columns[end].x, columns[end].y]) if end >= 0 else None for end in ends)
        measured = measure_road(plan, pieces, np.array(road.ends[0]), np.array(road.ends[1]), (centers[0], centers[1]))
        moved = max(_across(measured, np.array(tip)) for tip in road.ends)
        found = FoundRoad(measured, (ends[0], ends[1]), tolerances.KNOWN_SCORE, layer_of(by_road, road))
        if _acceptable(pieces, found) and moved < tolerances.KNOWN_REACH_MM:
            roads.append(replace(found, road=_as_before(measured, road)))
    return Assembly(columns, roads)


def layer_of(roads: dict[str, Road], road: Road) -> int:
    """How many roads lie below a known road, one on the other, at the end where there are most."""
    deepest = 0
    for name in road.rests_on:
        layer = 0
        while name in roads and layer < len(roads):
            layer += 1
            name = max(roads[name].rests_on, key=lambda below: below in roads)
        deepest = max(deepest, layer)
    return deepest


def column_under(roads: dict[str, Road], road: Road, side: int) -> str:
    """Id of the column that carries an end, through the roads that it may lie on; "" where it is none."""
    tip = np.array(road.ends[side][:2])
    name = road.rests_on[side]
    for _ in range(len(roads)):
        if name not in roads:
            return name
        below = roads[name]
        near = 0 if np.hypot(*(tip - below.ends[0][:2])) <= np.hypot(*(tip - below.ends[1][:2])) else 1
        name = below.rests_on[near]
    return ""


def _across(road: MeasuredRoad, point: Array) -> float:
    """Distance of a plan point from a road's axis, mm."""
    way = (road.b - road.a)[:2]
    rel = point[:2] - road.a[:2]
    return float(abs(way[0] * rel[1] - way[1] * rel[0]) / np.hypot(*way))


def _as_before(measured: MeasuredRoad, road: Road) -> MeasuredRoad:
    """Where the tips are hidden now, they are where they were seen before, on the axis as it is seen now."""
    before = road.sigma_xy if road.sigma_along is None else road.sigma_along
    unit = (measured.b - measured.a)[:2] / float(np.hypot(*(measured.b - measured.a)[:2]))
    shift = [
        float((np.array(old[:2]) - new[:2]) @ unit)
        for old, new in zip(road.ends, (measured.a, measured.b), strict=True)
    ]
    apart = float(np.mean(np.abs(shift)))
    if measured.sigma_along <= before or apart > tolerances.KNOWN_SIGMAS * float(
        np.hypot(before, measured.sigma_along)
    ):
        return measured
    a, b = measured.a.copy(), measured.b.copy()
    a[:2] += shift[0] * unit
    b[:2] += shift[1] * unit
    return replace(measured, a=a, b=b, sigma_along=before)


def look_at(plan: PlanView, pieces: Pieces, x: float, y: float, levels: int, reach_mm: float) -> ColumnCandidate | None:
    """A column expected at a place, as it is seen now; None where nothing as high stands there."""
    z = levels * pieces.disc.height
    radius = pieces.disc.radius
    rim = Rim(x, y, float("nan"), float("nan"))
    if plan.color is not None:
        rim = best_rim(plan, pieces, x, y, levels, reach_mm)
        here = best_rim(plan, pieces, x, y, levels, tolerances.RIM_STAYS_MM)
        if not rim.share >= here.share + tolerances.RIM_BETTER:
            rim = here
    axis = np.arange(-radius / 2, radius / 2 + 0.5, 1.0)
    gx, gy = np.meshgrid(axis, axis)
    inside = np.hypot(gx, gy) <= radius / 2
    seen = plan.heights(np.stack([rim.x + gx, rim.y + gy, np.full_like(gx, z)], axis=-1)[inside])
    good = np.isfinite(seen)
    reading = float(np.mean(seen[good])) if good.any() else float("nan")
    expected = float(shown(z, disc_share(2 * radius, plan.kernel_mm, radius * 0.5), plan.usual_mm_per_px))
    slack = tolerances.COLUMN_READING_SLACK_MM + tolerances.COLUMN_READING_SLACK * z
    if good.mean() > 0.3 and reading < expected - slack:
        return None
    score = 1.0 if np.isnan(rim.share) else 1.0 + rim.share
    return ColumnCandidate(rim.x, rim.y, levels, score, rim.share, 1.0, reading, rim.sigma_mm)


def _is_new(pieces: Pieces, column: ColumnCandidate, known: Assembly) -> bool:
    """Whether a candidate is neither a known column nor merely a piece of a known road."""
    if any(_collide(pieces, column, other) for other in known.columns):
        return False
    if not np.isnan(column.rim) and column.rim > tolerances.ON_ROAD_RIM:
        return True
    point = np.array([column.x, column.y])
    for found in known.roads:
        way = (found.road.b - found.road.a)[:2]
        t = float((point - found.road.a[:2]) @ way / (way @ way))
        if -0.02 < t < 1.02 and _across(found.road, point) < pieces.stick.width * 0.8:
            return False
    return True


def distinct_columns(pieces: Pieces, columns: list[ColumnCandidate]) -> list[ColumnCandidate]:
    """Of candidates at the same level and place only the best."""
    kept: list[ColumnCandidate] = []
    for column in sorted(columns, key=lambda c: -c.score):
        near = [k for k in kept if np.hypot(k.x - column.x, k.y - column.y) < pieces.disc.radius * 0.4]
        if not any(k.levels == column.levels or k.score > column.score + 0.15 for k in near):
            kept.append(column)
    return kept


def proposals(plan: PlanView, pieces: Pieces, columns: list[ColumnCandidate], known: Assembly) -> list[FoundRoad]:
    """All new roads that may lie between columns and from low columns to the table, measured; best first.

    The known columns come first among ``columns``; where a known road lies nothing is proposed.
    """
    joined = {frozenset(found.ends) for found in known.roads}
    top = pieces.stick.thickness
    centers = [np.array([c.x, c.y]) for c in columns]
    heights = [c.levels * pieces.disc.height + top for c in columns]
    pairs = [
        (i, j)
        for i in range(len(columns))
        for j in range(i + 1, len(columns))
        if frozenset((i, j)) not in joined and joinable(pieces, columns[i], columns[j])
    ]
    pairs = present_pairs(plan, pieces, pairs, centers, heights)
    out: list[FoundRoad] = []
    for i, j in pairs:
        a, b = np.array([*centers[i], heights[i]]), np.array([*centers[j], heights[j]])
        coarse = fit_line(plan, pieces, a, b)
        if coarse is None or any(_same_line(pieces, coarse.a, coarse.b, found.road) for found in known.roads):
            continue
        road = measure_road(plan, pieces, coarse.a, coarse.b, (centers[i], centers[j]))
        out.append(FoundRoad(road, (i, j), _score(road, columns[i], columns[j])))
    for i, column in enumerate(columns):
        if column.levels > tolerances.OFFRAMP_HIGHEST_LEVEL:
            continue
        for coarse in ramps_from(plan, pieces, column):
            if any(_same_line(pieces, coarse.a, coarse.b, found.road) for found in known.roads):
                continue
            road = measure_road(plan, pieces, coarse.a, coarse.b, (centers[i], None))
            out.append(FoundRoad(road, (i, -1), _score(road, column, None)))
    return sorted(out, key=lambda found: -found.score)


def choose(
    plan: PlanView, pieces: Pieces, columns: list[ColumnCandidate], roads: list[FoundRoad], known: int
) -> Assembly:
    """Accept roads best first, each where no other lies; then say which columns their ends share; then lone columns.

    The first ``known`` columns stand for certain, and roads that were known come first among the roads.
    """
    chosen: list[FoundRoad] = []
    for found in roads:
        if _acceptable(pieces, found) and not any(_same_place(pieces, found.road, other.road) for other in chosen):
            chosen.append(found)
    standing, place = _shared_columns(plan, pieces, columns, chosen, known)
    for column in columns[known:]:
        alone = column.rim > tolerances.LONE_COLUMN_RIM or (np.isnan(column.rim) and column.score > 1.2)
        if alone and not any(_collide(pieces, column, other) for other in standing):
            standing.append(column)
    return Assembly(
        standing,
        [replace(found, ends=(place.get(found.ends[0], -1), place.get(found.ends[1], -1))) for found in chosen],
    )


def _shared_columns(
    plan: PlanView, pieces: Pieces, columns: list[ColumnCandidate], roads: list[FoundRoad], known: int
) -> tuple[list[ColumnCandidate], dict[int, int]]:
    """The columns under the roads' ends. Proposed columns that can't both stand are one column, seen twice.

    Returns the columns and, for each proposed index, its place among them.
    """
    ends = [(end, tip) for found in roads for end, tip in zip(found.ends, (found.road.a, found.road.b), strict=True)]
    used = sorted({end for end, _ in ends if end >= 0} - set(range(known)))
    tips_of = {k: np.array([tip[:2] for end, tip in ends if end == k]) for k in used}
    groups: list[list[int]] = []
    for k in used:
        near = [group for group in groups if any(_one_column(pieces, columns, tips_of, k, m) for m in group)]
        groups = [group for group in groups if group not in near] + [[k, *[m for group in near for m in group]]]
    standing = list(columns[:known])
    place = {k: k for k in range(known)}
    for group in groups:
        near_known = [m for m in range(known) if any(_collide(pieces, columns[k], columns[m]) for k in group)]
        if near_known:
            place.update(dict.fromkeys(group, near_known[0]))
            continue
        resting = [
            (tip, height)
            for found in roads
            for end, tip, height in zip(found.ends, (found.road.a, found.road.b), found.road.depth_ends, strict=True)
            if end in group
        ]
        best = _best_under(plan, pieces, [columns[k] for k in group], resting)
        # where its rim is best seen another column may stand already: then the ends lie on that one
        there = next((m for m, column in enumerate(standing) if _collide(pieces, best, column)), len(standing))
        place.update(dict.fromkeys(group, there))
        if there == len(standing):
            standing.append(best)
    return standing, place


def _one_column(pieces: Pieces, columns: list[ColumnCandidate], tips: dict[int, Array], k: int, m: int) -> bool:
    """Whether two proposed columns are one: both can't stand, or the roads on them end at one spot."""
    if _collide(pieces, columns[k], columns[m]):
        return True
    apart = np.linalg.norm(tips[k][:, None] - tips[m][None], axis=2)
    return bool(apart.min() < pieces.disc.radius * 0.6)


def _best_under(
    plan: PlanView, pieces: Pieces, proposed: list[ColumnCandidate], resting: list[tuple[Array, float]]
) -> ColumnCandidate:
    """The column that best carries all ends (tips and their heights by depth): a proposed one, or one with its rim
    around the tips, at the level that depth says.
    """
    tips = np.array([tip[:2] for tip, _ in resting])
    heights = np.array([height for _, height in resting])
    options = list(proposed)
    if plan.color is not None:
        middle = tips.mean(axis=0)
        levels_proposed = {column.levels for column in proposed}
        for levels in sorted({max(1, n + step) for n in levels_proposed for step in (-1, 0, 1)}):
            rim = best_rim(plan, pieces, float(middle[0]), float(middle[1]), levels, pieces.disc.radius * 0.7)
            like = min(proposed, key=lambda c: (abs(c.levels - levels), -c.score))
            options.append(replace(like, x=rim.x, y=rim.y, rim=rim.share, levels=levels, sigma_xy=rim.sigma_mm))
    return max(options, key=lambda column: _carries(pieces, column, tips, heights))


def _carries(pieces: Pieces, column: ColumnCandidate, tips: Array, heights: Array) -> float:
    """How well a column fits below these ends: its rim, the tips within it, their heights at its level."""
    rim = 0.3 if np.isnan(column.rim) else column.rim
    outside = np.maximum(np.hypot(*(tips - [column.x, column.y]).T) - pieces.disc.radius, 0)
    lowest = column.levels * pieces.disc.height + pieces.stick.thickness
    known = heights[np.isfinite(heights)]
    stacked = pieces.stick.thickness * max(len(tips) - 1, 0)
    beyond = known - np.clip(known, lowest, lowest + stacked + 1.0)
    misfit = float(np.mean(np.minimum(np.abs(beyond), pieces.disc.height))) if len(known) else 0.0
    return rim - 0.1 * float(outside.sum()) - misfit / pieces.disc.height


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
    return _same_line(pieces, road.a, road.b, other)


def _same_line(pieces: Pieces, a: Array, b: Array, other: MeasuredRoad) -> bool:
    """Whether the line a-b lies on a road in plan for more than ends that share a column do."""
    unit = (other.b - other.a)[:2]
    length = float(np.hypot(*unit))
    unit = unit / length
    left = np.array([-unit[1], unit[0]])
    points = a[:2] + np.linspace(0, 1, 41)[:, None] * (b - a)[:2]
    s, t = (points - other.a[:2]) @ unit, (points - other.a[:2]) @ left
    common = (np.abs(t) < pieces.stick.width * 0.6) & (s > 0) & (s < length)
    return bool(common.mean() > tolerances.ROAD_OVERLAP_SHARE)


def _collide(pieces: Pieces, a: ColumnCandidate, b: ColumnCandidate) -> bool:
    """Whether two columns can't both stand."""
    return bool(np.hypot(a.x - b.x, a.y - b.y) < pieces.disc.diameter * 0.9)


def present_pairs(
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
