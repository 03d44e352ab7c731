"""Virtual scenes with the sensor's faults: every piece, no ghost, right levels and sides, a sigma to believe."""

from __future__ import annotations

import numpy as np
import pytest

from rules.layout import Layout
from th_vision.reconstruct import reconstruct
from th_vision.virtual_table.alongside import across, column_pairs, crossings, height_on, road_pairs, without_last

from .scenes import Seen, seen

SCENES = [(3101, "D415", 580.0, "wood"), (3102, "D415", 580.0, "white"), (3103, "D435", 680.0, "dark_cloth")]


@pytest.fixture(scope="module", params=SCENES, ids=lambda p: f"{p[1]}-{p[3]}")
def scene(request: pytest.FixtureRequest) -> Seen:
    return seen(*request.param)


@pytest.fixture(scope="module")
def layout(scene: Seen) -> Layout:
    return reconstruct(scene.view, scene.pieces)


def test_every_column_is_found_and_no_ghost(scene: Seen, layout: Layout) -> None:
    assert len(layout.columns) == len(scene.truth.columns)
    assert len({true.id for _, true in column_pairs(layout, scene.truth)}) == len(scene.truth.columns)


def test_every_road_is_found_and_no_ghost(scene: Seen, layout: Layout) -> None:
    assert len(layout.roads) == len(scene.truth.roads)
    assert len({true.id for _, true in road_pairs(layout, scene.truth)}) == len(scene.truth.roads)


def test_levels_and_junctions_are_right(scene: Seen, layout: Layout) -> None:
    for column, true in column_pairs(layout, scene.truth):
        assert (column.levels, column.junction) == (true.levels, true.junction)


def test_roads_lie_within_millimetres_and_their_sigma_says_how_well(scene: Seen, layout: Layout) -> None:
    errors, normed = [], []
    for road, true in road_pairs(layout, scene.truth):
        errors += across(road, true)
        normed += [error / road.sigma_xy for error in across(road, true)]
    assert np.sqrt(np.mean(np.square(errors))) < 0.6
    assert np.sqrt(np.mean(np.square(normed))) < 2.5


def test_over_and_under_come_out_at_every_crossing(scene: Seen, layout: Layout) -> None:
    true_of = {road.id: true for road, true in road_pairs(layout, scene.truth)}
    found = crossings(layout)
    assert len(found) == len(crossings(scene.truth))
    for first, second, x, y in found:
        above = height_on(first, x, y) > height_on(second, x, y)
        assert above == (height_on(true_of[first.id], x, y) > height_on(true_of[second.id], x, y))


def test_cars_are_found_with_their_owner(scene: Seen, layout: Layout) -> None:
    assert sorted(car.player for car in layout.cars) == sorted(car.player for car in scene.truth.cars)
    true_roads = {road.id: true.id for road, true in road_pairs(layout, scene.truth)}
    for car in layout.cars:
        near = min(scene.truth.cars, key=lambda true: np.hypot(true.x - car.x, true.y - car.y))
        assert np.hypot(near.x - car.x, near.y - car.y) < 3.0
        assert (car.player, true_roads[car.on or ""]) == (near.player, near.on)


def test_what_was_known_keeps_its_names_and_its_place(scene: Seen, layout: Layout) -> None:
    again = reconstruct(scene.view, scene.pieces, layout)
    assert {column.id for column in again.columns} == {column.id for column in layout.columns}
    assert {road.id for road in again.roads} == {road.id for road in layout.roads}
    before = {road.id: road for road in layout.roads}
    for road in again.roads:
        for tip, old in zip(road.ends, before[road.id].ends, strict=True):
            assert np.hypot(*np.subtract(tip[:2], old[:2])) < 4.0


def test_one_new_road_on_a_known_table_is_found_and_all_else_keeps_its_name(scene: Seen, layout: Layout) -> None:
    """What known pieces explain isn't searched again; what they leave open is."""
    known = without_last(layout)
    assert len(known.roads) == len(layout.roads) - 1
    again = reconstruct(scene.view, scene.pieces, known)
    assert len(again.roads) == len(layout.roads) == len(road_pairs(again, scene.truth))
    assert len(again.columns) == len(layout.columns) == len(column_pairs(again, scene.truth))
    assert {road.id for road in known.roads} <= {road.id for road in again.roads}
    assert len(again.cars) == len(layout.cars)


def test_a_piece_that_was_never_there_is_not_believed(scene: Seen, layout: Layout) -> None:
    """A prior says where to look first, not what to see."""
    away = layout.columns[0].model_copy(update={"id": "c99", "x": -300.0, "y": 180.0})
    again = reconstruct(scene.view, scene.pieces, layout.model_copy(update={"columns": (*layout.columns, away)}))
    assert "c99" not in {column.id for column in again.columns}


def test_the_same_view_gives_the_same_layout_to_the_byte(scene: Seen, layout: Layout) -> None:
    assert reconstruct(scene.view, scene.pieces).to_json() == layout.to_json()
