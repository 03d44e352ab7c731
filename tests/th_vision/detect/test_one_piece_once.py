"""One thing in the picture is one piece: a car read from two roads, a patch of a road that looks like a disc."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.th_vision.detect.scenes import seen
from th_vision.detect.assemble import choose
from th_vision.detect.assembly import Assembly, FoundRoad
from th_vision.detect.cars import FoundCar, one_road_each, without_cars
from th_vision.detect.colors import palette
from th_vision.detect.columns import ColumnCandidate
from th_vision.detect.depth_model import DepthModel, Post
from th_vision.detect.depth_search import Group
from th_vision.detect.explained import guess_of_assembly
from th_vision.detect.levels import column_with_roads
from th_vision.detect.measure import MeasuredRoad
from th_vision.detect.plan import PlanView, plan_view


@pytest.fixture(scope="module")
def plan() -> PlanView:
    return plan_view(seen(3101).view)


def car(x: float, y: float, z: float, across_mm: float, player: str = "blue") -> FoundCar:
    return FoundCar(x, y, z, 0.0, player, 1.0, "sedan", 1.0, 0.5, 50.0, across_mm, (x, y, z + 7.0))


def on_its_ray(plan: PlanView, of: FoundCar, z: float, across_mm: float) -> FoundCar:
    """The same car as it is read from a road at another height."""
    eye = plan.eye
    x, y = np.array(of.top[:2]) + (z + 7.0 - of.top[2]) / (eye[2] - of.top[2]) * (eye[:2] - of.top[:2])
    return car(float(x), float(y), z, across_mm)


def test_a_car_read_from_two_roads_stands_on_the_one_whose_middle_it_is_on(plan: PlanView) -> None:
    true = car(140.0, -90.0, 40.0, 0.4)
    wrong = on_its_ray(plan, true, 12.0, 4.5)
    for found in ([("r1", true), ("r2", wrong)], [("r2", wrong), ("r1", true)]):
        assert one_road_each(plan, seen(3101).pieces, found) == [("r1", true)]


def test_cars_of_two_players_and_cars_side_by_side_are_not_one(plan: PlanView) -> None:
    one = car(140.0, -90.0, 40.0, 0.4)
    other = replace(on_its_ray(plan, one, 12.0, 0.5), player="pink")
    beside = car(140.0, -70.0, 12.0, 0.2)
    # a car of the same player on a lower road, seen right beside the upper one
    near = on_its_ray(plan, car(140.0, -81.6, 40.0, 0.0), 12.0, 0.3)
    found = [("r1", one), ("r2", other), ("r3", beside), ("r4", near)]
    assert len(one_road_each(plan, seen(3101).pieces, found)) == 4


def test_the_end_of_a_car_that_shows_over_a_road_below_is_no_second_car(plan: PlanView) -> None:
    """The lower road's strip holds only one end of the car on the road across it: its middle lies 10 mm off."""
    whole = car(140.0, -90.0, 40.0, 0.4)
    its_end = on_its_ray(plan, car(150.0, -90.0, 40.0, 0.0), 12.0, 2.9)
    assert one_road_each(plan, seen(3101).pieces, [("r2", its_end), ("r1", whole)]) == [("r1", whole)]
    on_the_same_road = car(158.0, -90.0, 40.0, 0.2)
    assert len(one_road_each(plan, seen(3101).pieces, [("r1", whole), ("r1", on_the_same_road)])) == 2


def road(a: tuple[float, float, float], b: tuple[float, float, float]) -> MeasuredRoad:
    return MeasuredRoad(np.array(a), np.array(b), 0.2, 0.5, (1.0, 1.0), 0.9, 1.0, 0.0, (a[2], b[2]))


def candidate(x: float, y: float, levels: int, rim: float) -> ColumnCandidate:
    return ColumnCandidate(x, y, levels, 1.6, rim, 1.0, 10.0 * levels, 0.2)


def test_a_round_patch_in_a_road_is_no_column_of_its_own(plan: PlanView) -> None:
    pieces = seen(3101).pieces
    patch, apart = candidate(0.0, 0.0, 3, 0.7), candidate(0.0, 60.0, 3, 0.7)
    columns = [candidate(-53.0, 0.0, 3, 0.8), candidate(53.0, 0.0, 3, 0.8), patch, apart]
    between = FoundRoad(road((-57.0, 0.0, 32.0), (57.0, 0.0, 32.0)), (0, 1), 3.0)
    standing = choose(plan, pieces, columns, [between], 0).columns
    assert patch not in standing
    assert apart in standing


def test_a_road_at_another_height_is_where_the_picture_shows_it(plan: PlanView) -> None:
    """Levels are compared with the roads on top: a tip read 10 mm lower lies elsewhere in plan, on the same ray."""
    scene = seen(3101)
    columns = [candidate(-150.0, -53.0, 3, 0.8), candidate(-150.0, 53.0, 3, 0.8)]
    found = FoundRoad(road((-150.0, -57.0, 32.0), (-150.0, 57.0, 32.0)), (0, 1), 3.0)
    guess = guess_of_assembly(DepthModel(plan, scene.pieces), Assembly(columns, [found]))
    lower = column_with_roads(guess, 0, replace(columns[0], levels=2))
    before, after = guess.tips(guess.lays[2])[0], guess.tips(lower.lays[2], {**guess.posts, **lower.posts})[0]
    assert after[2] == pytest.approx(before[2] - 10.0)
    # across the road, that is: along it the stick's length holds the tips apart
    apart = abs(plan.color_pixels(before) - plan.color_pixels(after))[0]
    unmoved = abs(plan.color_pixels(before) - plan.color_pixels(np.array([*before[:2], after[2]])))[0]
    assert apart < 0.1 * unmoved
    same = column_with_roads(guess, 0, columns[0])
    assert same == Group({0: Post(-150.0, -53.0, 3)}, guess.lays)


def test_where_a_car_stands_depth_says_nothing_of_the_road_below(plan: PlanView) -> None:
    scene = seen(3101)
    model = DepthModel(plan, scene.pieces)
    left = without_cars(model, palette(scene.pieces, None))
    for there in scene.truth.cars:
        u, v = np.rint(model.pixels(np.array([there.x, there.y, there.z + 5.0]))).astype(int)
        assert np.isnan(left.seen[v, u])
    assert np.isnan(left.seen).mean() - np.isnan(model.seen).mean() < 0.01


def test_a_car_seen_on_the_upper_roads_face_is_on_that_road_though_its_middle_is_read_a_little_off(
    plan: PlanView,
) -> None:
    """Below the upper stick no car can be seen, however well the lower road's middle fits it."""
    true = car(60.0, -30.0, 32.0, -2.1)
    below = on_its_ray(plan, true, 5.0, 0.1)
    assert one_road_each(plan, seen(3101).pieces, [("low", below), ("high", true)]) == [("high", true)]
    beside = car(60.0, -30.0, 32.0, -5.6)
    lower = on_its_ray(plan, beside, 5.0, 0.1)
    assert one_road_each(plan, seen(3101).pieces, [("low", lower), ("high", beside)]) == [("low", lower)]
