"""Ends on the table, and ends on low columns that are hardly seen: depth tells one from the other."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.th_vision.detect.scenes import seen
from tests.th_vision.detect.test_stacking import assembled
from th_vision.detect.assembly import Assembly, FoundRoad
from th_vision.detect.columns import ColumnCandidate
from th_vision.detect.depth_model import DepthModel
from th_vision.detect.ground import grounded


def model_of(seed: int) -> tuple[DepthModel, Assembly]:
    scene, plan, assembly = assembled(seed)
    return DepthModel(plan, scene.pieces), assembly


def end_on(assembly: Assembly, levels: int) -> tuple[int, int, int]:
    """A road's end (its road, which end) that alone lies on a column of so many levels, and that column."""
    for m, found in enumerate(assembly.roads):
        for side in (0, 1):
            end, other = found.ends[side], found.ends[1 - side]
            shared = sum(end in road.ends for road in assembly.roads)
            if end >= 0 and assembly.columns[end].levels == levels and shared == 1 and other >= 0:
                return m, side, end
    pytest.fail("no such end")


def without_column(assembly: Assembly, k: int) -> Assembly:
    place = {old: new for new, old in enumerate(n for n in range(len(assembly.columns)) if n != k)}
    roads = [replace(f, ends=(place.get(f.ends[0], -1), place.get(f.ends[1], -1))) for f in assembly.roads]
    return Assembly([assembly.columns[old] for old in place], roads)


def test_what_is_right_stays_as_it_is() -> None:
    model, assembly = model_of(3101)
    after = grounded(model, assembly, 0)
    assert [found.ends for found in after.roads] == [found.ends for found in assembly.roads]


def test_a_column_that_was_missed_under_an_end_is_put_there() -> None:
    scene = seen(3101)
    model, assembly = model_of(3101)
    levels = next(n for n in (1, 2) if any(c.levels == n for c in assembly.columns))
    m, side, k = end_on(assembly, levels)
    after = grounded(model, without_column(assembly, k), 0)
    end = after.roads[m].ends[side]
    assert end >= 0
    assert after.columns[end].levels == levels
    apart = np.hypot(after.columns[end].x - assembly.columns[k].x, after.columns[end].y - assembly.columns[k].y)
    assert apart < scene.pieces.disc.radius / 2


def test_a_column_that_is_hardly_seen_under_an_end_on_the_table_is_taken_away() -> None:
    """A road whose one end lies on the table, laid there on a column that does not stand."""
    model, assembly = model_of(3101)
    m, side = next((m, side) for m, found in enumerate(assembly.roads) for side in (0, 1) if found.ends[side] < 0)
    found = assembly.roads[m]
    tip = found.road.b if side else found.road.a
    ghost = ColumnCandidate(float(tip[0]), float(tip[1]), 1, 1.0, 0.2, 1.0, 5.0, 0.5)
    ends = (found.ends[0], len(assembly.columns)) if side else (len(assembly.columns), found.ends[1])
    roads = [*assembly.roads[:m], replace(found, ends=ends), *assembly.roads[m + 1 :]]
    after = grounded(model, Assembly([*assembly.columns, ghost], roads), 0)
    assert after.roads[m].ends[side] == -1
    assert len(after.columns) == len(assembly.columns)
    assert all(road.age == FoundRoad.age for road in after.roads)
