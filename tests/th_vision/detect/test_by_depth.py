"""Views without colour: right pieces and levels, doubt where depth can't say more, edges sharp or soft as they are."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest
from shapely.geometry import Point, Polygon

from rules.layout import Layout
from th_vision.detect.plan import plan_view
from th_vision.reconstruct import reconstruct
from th_vision.virtual_table.alongside import across, column_pairs, road_pairs

from .depth_scenes import clean, through_sensor
from .scenes import Seen

SCENES = {
    "D415": lambda: through_sensor(4101),
    "D435": lambda: through_sensor(4103, "D435", 680.0),
    "clean-cloud": lambda: clean(4104),
}


@lru_cache(maxsize=4)
def layout_of(name: str) -> Layout:
    return reconstruct(SCENES[name]().view, SCENES[name]().pieces)


@pytest.fixture(scope="module", params=list(SCENES))
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def scene(name: str) -> Seen:
    return SCENES[name]()


@pytest.fixture(scope="module")
def layout(name: str) -> Layout:
    return layout_of(name)


def test_every_column_is_found_at_its_level_and_no_ghost(scene: Seen, layout: Layout) -> None:
    pairs = column_pairs(layout, scene.truth)
    assert len(layout.columns) == len(scene.truth.columns) == len({true.id for _, true in pairs})
    assert all(column.levels == true.levels for column, true in pairs)


def test_every_road_is_found_and_no_ghost(scene: Seen, layout: Layout) -> None:
    pairs = road_pairs(layout, scene.truth)
    assert len(layout.roads) == len(scene.truth.roads) == len({true.id for _, true in pairs})


def test_places_are_right_to_a_few_millimetres_and_the_sigmas_say_so(scene: Seen, layout: Layout) -> None:
    columns = np.array([(c.x - t.x, c.y - t.y, c.sigma_xy) for c, t in column_pairs(layout, scene.truth)])
    roads = [(error, road.sigma_xy) for road, true in road_pairs(layout, scene.truth) for error in across(road, true)]
    errors = np.concatenate([columns[:, 0], columns[:, 1], [error for error, _ in roads]])
    sigmas = np.concatenate([columns[:, 2], columns[:, 2], [sigma for _, sigma in roads]])
    assert np.sqrt(np.mean(errors**2)) < 1.8
    assert sigmas.min() > 0.3
    assert sigmas.max() < 3.5
    assert np.sqrt(np.mean((errors / sigmas) ** 2)) < 1.6


def test_what_only_colour_could_say_is_left_open(scene: Seen, layout: Layout) -> None:
    assert all(column.junction_probability == 0.5 for column in layout.columns)
    assert layout.cars == ()


def test_what_is_unknown_are_cars_at_most(scene: Seen, layout: Layout) -> None:
    """A car's owner can't be seen: where a bump is told from its road it is reported as something unknown."""
    assert len(layout.unknown) <= len(scene.truth.cars)
    for thing in layout.unknown:
        shape = Polygon(thing.outline).buffer(2.0)
        assert any(shape.contains(Point(car.x, car.y)) for car in scene.truth.cars)


def test_known_pieces_keep_their_names() -> None:
    scene, layout = clean(4104), layout_of("clean-cloud")
    again = reconstruct(scene.view, scene.pieces, layout)
    assert {c.id for c in again.columns} == {c.id for c in layout.columns}
    assert {r.id for r in again.roads} == {r.id for r in layout.roads}


def test_edges_of_a_stereo_camera_are_soft_and_those_of_a_clean_cloud_sharp() -> None:
    assert plan_view(through_sensor(4101).view).softness == 1.0
    assert plan_view(clean(4104).view).softness == 0.0
    assert plan_view(clean(4104).view).kernel_mm < 0.5 < plan_view(through_sensor(4101).view).kernel_mm


def test_a_clean_cloud_is_placed_better_than_a_camera_could() -> None:
    scene, layout = clean(4104), layout_of("clean-cloud")
    errors = [error for road, true in road_pairs(layout, scene.truth) for error in across(road, true)]
    assert np.sqrt(np.mean(np.square(errors))) < 0.8


def test_an_empty_table_has_nothing_on_it() -> None:
    scene = through_sensor(4105, roads=0)
    layout = reconstruct(scene.view, scene.pieces)
    assert (layout.columns, layout.roads, layout.unknown) == ((), (), ())


def test_a_piece_that_was_taken_away_is_not_believed() -> None:
    empty, before = through_sensor(4105, roads=0), through_sensor(4101)
    layout = reconstruct(empty.view, empty.pieces, before.truth)
    assert (layout.columns, layout.roads) == ((), ())
