"""The city seen by the camera: cards, buildings, the tower and what stands on cards; and the pieces among them."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest
from shapely.geometry import Point, Polygon

from calibration.calibrate import calibrate_table
from rules.layout import CityObject, Layout
from rules.pieces import Box
from th_vision.detect.city import find_city, standing_on
from th_vision.detect.plan import plan_view
from th_vision.reconstruct import reconstruct
from th_vision.still_view import fuse
from th_vision.virtual_table.alongside import column_pairs, road_pairs
from th_vision.virtual_table.examples import city_example

from .scenes import Seen


@lru_cache(maxsize=1)
def city() -> Seen:
    """A game with the whole city after three turns."""
    example = city_example(3151, "D415", 640.0, frames=5, turns=3)
    shots = ((frame.depth, frame.color) for frame in example.calibration_frames)
    table, _ = calibrate_table(example.camera.camera, shots)
    return Seen(fuse(example.frames, table), example.truth, example.pieces)


@lru_cache(maxsize=1)
def layout() -> Layout:
    return reconstruct(city().view, city().pieces)


def over(things: tuple[CityObject, ...], true: CityObject) -> CityObject | None:
    """The thing of its kind that lies over most of a true one."""
    shape = Polygon(true.outline)
    like = [(Polygon(t.outline).intersection(shape).area, t.id, t) for t in things if t.kind == true.kind]
    best = max(like, default=None)
    return best[2] if best is not None and best[0] > 0.6 * shape.area else None


def corner_error_mm(seen: CityObject, true: CityObject) -> float:
    a, b = np.array(seen.outline), np.array(true.outline)
    return min(float(np.sqrt(np.square(np.roll(a, k, axis=0) - b).mean())) for k in range(4))


def test_all_of_the_city_is_found_and_nothing_else_is_made_of_it() -> None:
    assert Counter(t.kind for t in layout().city) == Counter(t.kind for t in city().truth.city)
    assert all(over(layout().city, true) is not None for true in city().truth.city)


def test_the_pieces_are_found_among_it_and_none_is_read_into_it() -> None:
    truth = city().truth
    assert len(layout().columns) == len(truth.columns) == len(column_pairs(layout(), truth))
    assert len(layout().roads) == len(truth.roads) == len(road_pairs(layout(), truth))
    assert layout().unknown == ()


def test_outlines_and_heights_are_as_good_as_they_say() -> None:
    for true in city().truth.city:
        seen = over(layout().city, true)
        assert seen is not None
        assert 0 < seen.sigma_xy < 3.0
        assert corner_error_mm(seen, true) < max(3 * seen.sigma_xy, 0.9)
        assert abs(seen.height - true.height) < 3 * seen.sigma_z


def test_buildings_and_the_tower_stand_on_the_areas_below_them() -> None:
    by_id = {t.id: t for t in layout().city}
    for thing in layout().city:
        if thing.kind in ("building", "tower"):
            assert by_id[thing.on].kind == "development_area"
            assert Polygon(by_id[thing.on].outline).covers(Point(*np.mean(thing.outline, axis=0)))


def test_trees_are_obstacles_of_their_area_and_the_rainbow_has_its_arch() -> None:
    green = next(t for t in layout().city if t.kind == "green_area")
    true_green = next(t for t in city().truth.city if t.kind == "green_area")
    assert green.obstacles
    tallest = max(o.height for o in true_green.obstacles)
    assert max(o.height for o in green.obstacles) == pytest.approx(tallest, abs=4.0)
    rainbow = next(t for t in layout().city if t.kind == "rainbow_area")
    true_rainbow = next(t for t in city().truth.city if t.kind == "rainbow_area")
    assert rainbow.arch is not None
    assert rainbow.arch_height == pytest.approx(true_rainbow.arch_height, abs=3.0)


def test_what_stood_there_before_keeps_its_name_and_place() -> None:
    again = find_city(plan_view(city().view), city().pieces, layout())
    assert {t.id: t.outline for t in again} == {t.id: t.outline for t in layout().city}


def test_what_was_moved_is_forgotten_where_it_lay_and_found_where_it_lies() -> None:
    """The layout before had one card 30 mm elsewhere."""
    true = next(t for t in layout().city if t.kind == "green_area")
    elsewhere = tuple((x + 25.0, y + 20.0) for x, y in true.outline)
    things = tuple(t.model_copy(update={"outline": elsewhere}) if t is true else t for t in layout().city)
    again = find_city(plan_view(city().view), city().pieces, layout().model_copy(update={"city": things}))
    (found,) = [t for t in again if t.kind == "green_area"]
    assert found.id != true.id
    assert corner_error_mm(found, true) < 1.0


def test_a_kind_that_the_set_does_not_have_is_not_forced_into_another() -> None:
    known = {kind: box for kind, box in city().pieces.city.items() if kind in ("development_area", "building", "tower")}
    found = find_city(plan_view(city().view), city().pieces.model_copy(update={"city": known}))
    assert Counter(t.kind for t in found) == {"development_area": 5, "building": 3, "tower": 1}


def test_a_column_on_a_card_stands_higher_by_the_card_and_lower_again_without_it() -> None:
    eye = plan_view(city().view).eye
    area = next(t for t in city().truth.city if t.kind == "development_area")
    x, y = np.mean(area.outline, axis=0)
    on_table = layout().columns[0].model_copy(update={"x": float(x), "y": float(y), "levels": 2, "top_z": 20.0})
    flat = Layout(columns=(on_table,))
    raised = standing_on(flat, (area,), eye)
    assert raised.columns[0].top_z == pytest.approx(22.0)
    assert raised.columns[0].on == area.id
    back = standing_on(raised, (area,), eye, -1.0).columns[0]
    assert (back.x, back.y, back.top_z, back.on) == (
        pytest.approx(on_table.x),
        pytest.approx(on_table.y),
        20.0,
        "table",
    )


def test_cars_of_ten_types_are_named_or_said_to_be_unsure() -> None:
    true = {k.id: k for k in city().truth.cars}
    assert layout().cars
    for car in layout().cars:
        like = min(true.values(), key=lambda k: np.hypot(k.x - car.x, k.y - car.y))
        assert np.hypot(like.x - car.x, like.y - car.y) < 3 * car.sigma_xy
        assert car.player == like.player
        assert car.type == like.type or car.type_probability < 0.95


def test_in_another_light_or_without_colour_nothing_is_invented() -> None:
    view, pieces = city().view, city().pieces
    assert view.color_bgr is not None
    for color in (None, np.zeros_like(view.color_bgr), np.full_like(view.color_bgr, 255)):
        kinds = {t.kind for t in find_city(plan_view(replace(view, color_bgr=color)), pieces)}
        assert kinds <= {"building", "tower"}


def test_sizes_that_no_card_has_are_borne() -> None:
    sizes = {"green_area": Box(length=5, width=5, height=0.3), "airport_area": Box(length=900, width=700, height=2)}
    assert find_city(plan_view(city().view), city().pieces.model_copy(update={"city": sizes})) == ()
