"""From candidates to a set of columns and roads that explains the view: chosen together, by what each explains anew."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rules.layout import Car, Layout, Road
from rules.pieces import Pieces
from th_vision import tolerances
from th_vision.detect.assembly import NOTHING, Assembly, FoundRoad, Measured
from th_vision.detect.cars import without_cars
from th_vision.detect.colors import palette
from th_vision.detect.columns import (
    ColumnCandidate,
    Rim,
    best_rim,
    best_rims,
    column_candidates,
    disc_points,
    refine_rim,
)
from th_vision.detect.depth_model import DepthModel
from th_vision.detect.explained import Explained, explained, part_of
from th_vision.detect.ground import grounded
from th_vision.detect.kernel import disc_share, shown
from th_vision.detect.levels import settle_levels, without_ghosts
from th_vision.detect.measure import Line, MeasuredRoad, measure_roads, stick_color
from th_vision.detect.outside import placed_by_depth
from th_vision.detect.plan import PlanView
from th_vision.detect.propose import acceptable, on_line, proposals, tips_of
from th_vision.detect.rivals import among_rivals
from th_vision.detect.tips import Around

Array = NDArray[np.float64]


def assemble(plan: PlanView, pieces: Pieces, prior: Layout | None = None, as_read: Measured = NOTHING) -> Assembly:
    """Find all columns and roads of a view, those of ``prior`` first at their old places; those in ``as_read`` stand
    there as they were measured before."""
    known, look = Assembly(), None
    model = DepthModel(plan, pieces)
    if prior is not None:
        known, cars = still_there(plan, pieces, prior, as_read)
        look = explained(model, known, cars)
    fresh = [column for column in fresh_columns(plan, pieces, look) if _is_new(pieces, column, known)]
    columns = known.columns + fresh
    new = proposals(plan, pieces, columns, known, look)
    best = (known.roads + new.roads)[: tolerances.COLOR_FROM_ROADS]
    sure = [found.road for found in best if acceptable(pieces, found)]
    model = without_cars(model, palette(pieces, stick_color(plan, pieces, sure)))
    for _ in range(tolerances.GHOST_ROUNDS):
        chosen = choose(plan, pieces, columns, known.roads + new.roads, len(known.columns))
        left = without_ghosts(model, chosen, len(known.columns))
        kept = {id(found.road) for found in left.roads}
        ghosts = [found for found in chosen.roads if id(found.road) not in kept]
        # a ghost, or what was not chosen in the end, may have taken the place of what really lies there
        if not new.go_on(known.roads + chosen.roads, ghosts) and not ghosts:
            break
    still = {id(column) for column in as_read.columns.values()}
    settled = {k for k, column in enumerate(left.columns) if id(column) in still}
    found = grounded(model, settle_levels(model, left, len(known.columns), look, settled), len(known.columns))
    return among_rivals(model, placed_by_depth(model, found, len(known.columns)), len(known.columns))


def fresh_columns(plan: PlanView, pieces: Pieces, look: Explained | None) -> list[ColumnCandidate]:
    """Where columns may stand: anywhere, or where ``look`` says that something is open."""
    if look is None:
        part = plan
    elif look.field is None:
        return []
    else:
        part = part_of(plan, look.field)
    found = [candidate for candidate in column_candidates(part, pieces) if _is_open(pieces, candidate, look)]
    return distinct_columns(pieces, [refine_rim(plan, pieces, candidate) for candidate in found])


def _is_open(pieces: Pieces, column: ColumnCandidate, look: Explained | None) -> bool:
    """Whether known pieces leave open what is seen where a column may stand."""
    if look is None:
        return True
    points = disc_points(column.x, column.y, column.levels * pieces.disc.height, pieces.disc.radius)
    return bool(look.share_open(points) >= tolerances.OPEN_COLUMN_SHARE)


def still_there(
    plan: PlanView, pieces: Pieces, prior: Layout, as_read: Measured
) -> tuple[Assembly, dict[int, list[Car]]]:
    """The pieces of an earlier layout that still stand where they stood, measured afresh unless in ``as_read``; and
    the cars that stood on its roads, by the road's place."""
    columns: list[ColumnCandidate] = []
    index: dict[str, int] = {}
    for column in prior.columns:
        now = as_read.columns.get(column.id)
        if now is None:
            now = look_at(plan, pieces, column.x, column.y, column.levels, tolerances.KNOWN_REACH_MM)
            now = now and replace(now, levels_probability=column.levels_probability)
        if now is not None:
            index[column.id] = len(columns)
            columns.append(now)
    by_road = {road.id: road for road in prior.roads}
    ends = {
        road.id: (index.get(column_under(by_road, road, 0), -1), index.get(column_under(by_road, road, 1), -1))
        for road in prior.roads
    }
    lines = {}
    for road in prior.roads:
        if road.id not in as_read.roads:
            centers = [np.array([columns[end].x, columns[end].y]) if end >= 0 else None for end in ends[road.id]]
            above = tuple(_tips(other) for other in prior.roads if road.id in other.rests_on)
            lines[road.id] = Line(*_tips(road), Around((centers[0], centers[1]), above), known=True)
    measured = dict(zip(lines, measure_roads(plan, pieces, list(lines.values())), strict=True))
    roads: list[FoundRoad] = []
    cars: dict[int, list[Car]] = {}
    for road in prior.roads:
        now_road = as_read.roads.get(road.id) or measured[road.id]
        found = FoundRoad(now_road, ends[road.id], tolerances.KNOWN_SCORE, layer_of(by_road, road))
        if road.id in measured:
            moved = max(_across(now_road, np.array(tip)) for tip in road.ends)
            if not acceptable(pieces, found) or not moved < tolerances.KNOWN_REACH_MM:
                continue
            found = replace(found, road=_as_before(now_road, road))
        cars[len(roads)] = [car for car in prior.cars if car.on == road.id]
        roads.append(found)
    return Assembly(columns, roads), cars


def _tips(road: Road) -> tuple[Array, Array]:
    return np.array(road.ends[0]), np.array(road.ends[1])


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
        rim = best_rim(plan, pieces, x, y, levels, tolerances.RIM_STAYS_MM)
        if not rim.share >= tolerances.RIM_STANDS:
            wide, here = best_rims(plan, pieces, x, y, levels, (reach_mm, tolerances.RIM_STAYS_MM))
            rim = wide if wide.share >= here.share + tolerances.RIM_BETTER else here
    seen = plan.heights(disc_points(rim.x, rim.y, z, radius / 2))
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
    return not any(_along(pieces, column, found.road) for found in known.roads)


def _within(pieces: Pieces, column: ColumnCandidate, road: MeasuredRoad) -> bool:
    """Whether a column would stand in a road, between the columns at its ends."""
    return _along(pieces, column, road, 1.5 * pieces.disc.diameter / pieces.stick.length)


def _along(pieces: Pieces, column: ColumnCandidate, road: MeasuredRoad, from_ends: float = -0.02) -> bool:
    """Whether a column candidate lies on a road in plan (further from its ends than that share of its length) and rises
    no higher: it is a piece of that road, or a car."""
    point = np.array([column.x, column.y])
    way = (road.b - road.a)[:2]
    t = float((point - road.a[:2]) @ way / (way @ way))
    if not from_ends < t < 1 - from_ends or _across(road, point) >= pieces.stick.width * 0.8:
        return False
    return bool(column.levels * pieces.disc.height < road.a[2] + t * (road.b[2] - road.a[2]) + pieces.disc.height)


def distinct_columns(pieces: Pieces, columns: list[ColumnCandidate]) -> list[ColumnCandidate]:
    """Of candidates at the same level and place only the best."""
    ordered = sorted(columns, key=lambda c: -c.score)
    places = np.array([(c.x, c.y) for c in ordered]).reshape(-1, 2)
    kept: list[int] = []
    for k, column in enumerate(ordered):
        apart = np.hypot(*(places[kept] - places[k]).T)
        near = [ordered[kept[m]] for m in np.flatnonzero(apart < pieces.disc.radius * 0.4)]
        if not any(other.levels == column.levels or other.score > column.score + 0.15 for other in near):
            kept.append(k)
    return [ordered[k] for k in kept]


def choose(
    plan: PlanView, pieces: Pieces, columns: list[ColumnCandidate], roads: list[FoundRoad], known: int
) -> Assembly:
    """Accept roads best first, each where no other lies; then say which columns their ends share; then lone columns.

    The first ``known`` columns stand for certain, and roads that were known come first among the roads.
    """
    chosen: list[FoundRoad] = []
    tips = np.array([tips_of(found.road) for found in roads]).reshape(-1, 2, 3)
    covered = np.zeros(len(roads), dtype=np.bool_)  # lies on one that was chosen
    for k, found in enumerate(roads):
        if covered[k] or not acceptable(pieces, found):
            continue
        new_ends = [columns[end] for end in found.ends if end >= known]
        if not any(_within(pieces, column, other.road) for column in new_ends for other in chosen):
            chosen.append(found)
            covered |= on_line(pieces, tips, tips[k])
    standing, place = _shared_columns(plan, pieces, columns, chosen, known)
    for column in columns[known:]:
        alone = column.rim > tolerances.LONE_COLUMN_RIM or (np.isnan(column.rim) and column.score > 1.2)
        on_road = any(_along(pieces, column, found.road) for found in chosen)
        if alone and not on_road and not any(_collide(pieces, column, other) for other in standing):
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
            seen = replace(like, x=rim.x, y=rim.y, rim=rim.share, levels=levels, sigma_xy=rim.sigma_mm, foot=rim.foot)
            options.append(seen)
    return max(options, key=lambda column: _carries(pieces, column, tips, heights))


def _carries(pieces: Pieces, column: ColumnCandidate, tips: Array, heights: Array) -> float:
    """How well a column fits below these ends: its rim, the tips within it, their heights at its level."""
    rim = 0.3 if np.isnan(column.rim) else column.outlines
    outside = np.maximum(np.hypot(*(tips - [column.x, column.y]).T) - pieces.disc.radius, 0)
    lowest = column.levels * pieces.disc.height + pieces.stick.thickness
    known = heights[np.isfinite(heights)]
    stacked = pieces.stick.thickness * max(len(tips) - 1, 0)
    beyond = known - np.clip(known, lowest, lowest + stacked + 1.0)
    misfit = float(np.mean(np.minimum(np.abs(beyond), pieces.disc.height))) if len(known) else 0.0
    return rim - 0.1 * float(outside.sum()) - misfit / pieces.disc.height


def _collide(pieces: Pieces, a: ColumnCandidate, b: ColumnCandidate) -> bool:
    """Whether two columns can't both stand: closer than two discs can be, if where they stand is seen."""
    seen = not min(a.rim, b.rim) < tolerances.HARDLY_SEEN_RIM
    return bool(np.hypot(a.x - b.x, a.y - b.y) < pieces.disc.diameter * (0.9 if seen else 1.0))
