"""Which of the ends on one column lies on which: colour and depth say it, and what neither says stays open."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest

from rules.layout import Road
from tests.th_vision.detect.scenes import Seen, seen
from th_vision.detect.assembly import Assembly, FoundRoad
from th_vision.detect.columns import ColumnCandidate
from th_vision.detect.finish import finish
from th_vision.detect.measure import MeasuredRoad
from th_vision.detect.plan import PlanView, plan_view
from th_vision.detect.stacking import Stacking, stack

SEEDS = (3101, 3103)


@lru_cache(maxsize=2)
def assembled(seed: int) -> tuple[Seen, PlanView, Assembly]:
    """A scene, its view, and its truth as it is known before anything is known of what lies on what."""
    scene = seen(seed)
    truth, place = scene.truth, {column.id: k for k, column in enumerate(scene.truth.columns)}
    columns = [ColumnCandidate(c.x, c.y, c.levels, 1.0, 0.6, 1.0, c.top_z, 0.2) for c in truth.columns]
    roads = []
    for road in truth.roads:
        ends = tuple(place.get(column_under(truth.roads, road, side), -1) for side in (0, 1))
        a, b = (np.array(tip) for tip in road.ends)
        measured = MeasuredRoad(a, b, 0.3, 0.5, (1.0, 1.0), 0.8, 1.0, 0.0)
        roads.append(FoundRoad(measured, (ends[0], ends[1]), 3.0))
    return scene, plan_view(scene.view), Assembly(columns, roads)


def column_under(roads: tuple[Road, ...], road: Road, side: int) -> str:
    by_id, name, tip = {r.id: r for r in roads}, road.rests_on[side], road.ends[side]
    while name in by_id:
        apart = [np.hypot(*np.subtract(end[:2], tip[:2])) for end in by_id[name].ends]
        name = by_id[name].rests_on[int(np.argmin(apart))]
    return name


def pairs(scene: Seen) -> list[tuple[int, int]]:
    """(lower, upper) roads by their places, one end on the other."""
    place = {road.id: k for k, road in enumerate(scene.truth.roads)}
    return [(place[name], k) for k, road in enumerate(scene.truth.roads) for name in road.rests_on if name in place]


def right(scene: Seen, stacking: Stacking) -> bool:
    return all(stacking.order.index(lower) < stacking.order.index(upper) for lower, upper in pairs(scene))


@pytest.mark.parametrize("seed", SEEDS)
def test_colour_and_depth_tell_what_lies_on_what(seed: int) -> None:
    scene, plan, assembly = assembled(seed)
    assert pairs(scene)
    stacking = stack(plan, scene.pieces, assembly)
    assert right(scene, stacking)
    assert max(stacking.open_mm) < 0.5


@pytest.mark.parametrize("seed", SEEDS)
def test_depth_tells_it_where_colour_does_not(seed: int) -> None:
    scene, plan, assembly = assembled(seed)
    gray = np.full_like(plan.color, 120.0)
    assert right(scene, stack(replace(plan, color=gray, edges=None), scene.pieces, assembly))


def test_what_neither_tells_stays_in_the_sigma_of_the_heights() -> None:
    scene, plan, assembly = assembled(SEEDS[0])
    blind = replace(
        plan, color=np.full_like(plan.color, 120.0), edges=None, height_mm=np.full_like(plan.height_mm, np.nan)
    )
    stacking = stack(blind, scene.pieces, assembly)
    thickness = scene.pieces.stick.thickness
    for lower, upper in pairs(scene):
        assert frozenset((lower, upper)) in stacking.doubtful
        assert max(stacking.open_mm[lower], stacking.open_mm[upper]) > 0.6 * thickness


def test_what_lay_there_before_lies_below_whatever_is_seen() -> None:
    scene, plan, assembly = assembled(SEEDS[0])
    lower, upper = pairs(scene)[0]
    roads = list(assembly.roads)
    roads[upper] = replace(roads[upper], age=0)
    stacking = stack(plan, scene.pieces, Assembly(assembly.columns, roads))
    assert stacking.order.index(upper) < stacking.order.index(lower)


def test_what_was_open_of_a_known_road_is_open_still() -> None:
    scene, plan, assembly = assembled(SEEDS[0])
    first, _ = finish(plan, scene.pieces, assembly, None)
    name = first.roads[0].id
    roads = (first.roads[0].model_copy(update={"sigma_z": 1.5}), *first.roads[1:])
    again, _ = finish(plan, scene.pieces, assembly, first.model_copy(update={"roads": roads}))
    assert {road.id: road.sigma_z for road in again.roads}[name] == 1.5
    assert max(road.sigma_z for road in again.roads if road.id != name) < 1.0
