"""Where sticks rest, in the words of somebody who lays them by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rules.pieces import Pieces
from th_vision.virtual_table.physics import (
    car_clearance,
    card_support,
    column_clearance,
    column_support,
    interpenetrations,
    rest_stick,
    stand_car,
    stick_clearance,
    stick_support,
    table_support,
    top_height,
    under_height,
)
from th_vision.virtual_table.scene import (
    EXACT,
    CarBody,
    CityBody,
    ColumnBody,
    Scene,
    StickBody,
    StickSize,
    draw_stick,
    make_column,
)

PIECES = Pieces()
R, H = PIECES.disc.radius, PIECES.disc.height
L, W, T = PIECES.stick.length, PIECES.stick.width, PIECES.stick.thickness


def column(name: str, x: float, y: float, levels: int) -> ColumnBody:
    return make_column(np.random.default_rng(0), PIECES, name, x, y, levels, spread=EXACT)


def exact_stick() -> StickSize:
    return draw_stick(np.random.default_rng(0), PIECES, spread=EXACT)


def test_a_stick_between_columns_of_one_height_lies_flat_on_both() -> None:
    rest = rest_stick(
        exact_stick(), "r", (-4, 0), (1, 0), [column_support(column(n, x, 0, 2)) for n, x in (("a", 0), ("b", 106))]
    )
    assert rest is not None
    assert [end[2] for end in rest.stick.ends] == pytest.approx([2 * H + T] * 2, abs=1e-6)
    assert rest.stick.rests_on == ("a", "b")
    assert rest.stick.length == pytest.approx(L, abs=1e-9)


def test_a_rising_stick_lies_on_its_lower_tip_and_on_the_near_rim_of_the_higher_column() -> None:
    low, high = column("a", 0, 0, 1), column("b", 106, 0, 2)
    rest = rest_stick(exact_stick(), "r", (-4, 0), (1, 0), [column_support(low), column_support(high)])
    assert rest is not None
    stick = rest.stick
    tip, rim = np.array([[-4.0, 0]]), np.array([[106 - R, 0]])
    shift = np.array([[T * math.sin(math.atan(0.1)), 0]])  # the underside lies a little uphill of the top face
    assert float(under_height(stick, tip + shift)[0]) == pytest.approx(H, abs=0.01)
    assert float(under_height(stick, rim)[0]) == pytest.approx(2 * H, abs=0.01)
    assert stick.ends[1][2] > 2 * H + T, "beyond the rim it goes on rising over the disc"


def test_a_ramp_lies_on_the_table_with_its_foot() -> None:
    rest = rest_stick(exact_stick(), "r", (-106, 0), (0, 0), [column_support(column("a", 0, 0, 1)), table_support()])
    assert rest is not None
    assert rest.stick.rests_on == ("table", "a")
    assert rest.stick.ends[0][2] == pytest.approx(T, abs=0.02)


def test_an_end_on_a_card_is_higher_by_the_card() -> None:
    card = CityBody("d1", "development_area", ((-140, -30), (-80, -30), (-80, 30), (-140, 30)), 2.0)
    supports = [column_support(column("a", 0, 0, 1)), card_support(card), table_support()]
    rest = rest_stick(exact_stick(), "r", (-106, 0), (0, 0), supports)
    assert rest is not None
    assert rest.stick.rests_on == ("d1", "a")
    assert rest.stick.ends[0][2] == pytest.approx(2 + T, abs=0.03)


def test_a_stick_that_hangs_over_a_cards_edge_lies_on_that_edge() -> None:
    card = CityBody("d1", "development_area", ((-98, -30), (-60, -30), (-60, 30), (-98, 30)), 4.0)
    supports = [column_support(column("a", 0, 0, 1)), card_support(card), table_support()]
    rest = rest_stick(exact_stick(), "r", (-106, 0), (0, 0), supports)
    assert rest is not None
    assert rest.stick.rests_on == ("d1", "a")
    assert float(under_height(rest.stick, np.array([[-98.0, 0]]))[0]) == pytest.approx(4.0, abs=0.02)


def test_a_stick_over_another_sticks_end_lies_on_it_and_not_in_it() -> None:
    a, b, c = column("a", 0, 0, 1), column("b", 106, 0, 2), column("c", 0, 106, 2)
    first = rest_stick(exact_stick(), "r1", (-4, 0), (1, 0), [column_support(a), column_support(b)])
    assert first is not None
    second = rest_stick(
        exact_stick(), "r2", (0, -4), (0, 1), [column_support(a), stick_support(first.stick), column_support(c)]
    )
    assert second is not None
    assert second.stick.rests_on == ("r1", "c")
    room = stick_clearance(second.stick, first.stick)
    assert room.over
    assert room.gap_mm == pytest.approx(0, abs=0.005)
    assert second.stick.roll_deg != 0, "the stick below slopes across it, so it rolls"


def test_a_stick_that_only_one_column_carries_falls() -> None:
    assert rest_stick(exact_stick(), "r", (-4, 0), (1, 0), [column_support(column("a", 0, 0, 1))]) is None


def test_a_stick_too_short_for_its_columns_falls() -> None:
    supports = [column_support(column(n, x, 0, 1)) for n, x in (("a", 0), ("b", 140))]
    assert rest_stick(exact_stick(), "r", (-4, 0), (1, 0), supports) is None


def test_of_three_columns_in_a_row_the_highest_carries() -> None:
    supports = [column_support(column(n, x, 0, lv)) for n, x, lv in (("a", 0, 1), ("m", 70, 2), ("b", 106, 1))]
    rest = rest_stick(exact_stick(), "r", (-4, 0), (1, 0), supports)
    assert rest is not None
    assert {name for half in rest.touches for name in half} == {"a", "m"}, "it tips about the middle one"


def test_a_bowed_stick_touches_where_its_bow_lets_it() -> None:
    size = StickSize(L, W, T, 0.8, 0.0, 1.0)
    rest = rest_stick(
        size, "r", (-4, 0), (1, 0), [column_support(column(n, x, 0, 1)) for n, x in (("a", 0), ("b", 106))]
    )
    assert rest is not None
    assert rest.stick.ends[0][2] == pytest.approx(H + T, abs=0.01), "its tips lie lowest"
    assert rest.stick.top_at(53, 0) == pytest.approx(H + T + 0.8, abs=0.02)


def test_room_at_a_crossing_is_the_least_over_the_overlap() -> None:
    low = StickBody("l", ((-50, 0, 10), (50, 0, 10)), W, T)
    high = StickBody("h", ((0, -50, 15), (0, 50, 25)), W, T)
    room = stick_clearance(high, low)
    assert room.over
    # Mid-height 20, underside 2 below, 5 mm off the crossing it is half a millimetre lower.
    assert room.gap_mm == pytest.approx(20 - T - 0.5 - 10, abs=0.03)
    assert stick_clearance(low, high).gap_mm == pytest.approx(room.gap_mm, abs=1e-9)
    assert not stick_clearance(low, high).over


def test_sticks_through_one_another_are_found() -> None:
    a = StickBody("a", ((-50, 0, 10), (50, 0, 10)), W, T)
    b = StickBody("b", ((0, -50, 11), (0, 50, 11)), W, T)
    assert interpenetrations(Scene(sticks=(a, b))) == [("a", "b", pytest.approx(1.0))]


def test_a_stick_over_a_column_has_room_and_one_through_it_has_none() -> None:
    standing = column("c", 0, 0, 2)
    over = StickBody("o", ((-50, 0, 25), (50, 0, 25)), W, T)
    through = StickBody("t", ((-50, 0, 12), (50, 0, 12)), W, T)
    assert column_clearance(over, standing).gap_mm == pytest.approx(3)
    assert (column_clearance(through, standing).gap_mm or 0) < 0
    beside = StickBody("b", ((-50, 20, 12), (50, 20, 12)), W, T)
    assert column_clearance(beside, standing).plan_mm == pytest.approx(20 - W / 2 - R, abs=0.03)


@pytest.mark.parametrize("backwards", [False, True])
def test_a_car_stands_on_the_slope_with_its_nose_along_it(backwards: bool) -> None:
    stick = StickBody("s", ((0, 0, 10), (100, 0, 20)), W, T)
    car = stand_car(CarBody("k", 0, 0, 0, "blue", PIECES.cars["sedan"]), stick, 40, backwards=backwards)
    assert (car.x, car.y, car.z) == pytest.approx((40, 0, 14))
    assert car.pitch_deg == pytest.approx(math.degrees(math.atan(0.1)) * (-1 if backwards else 1))
    assert abs(car.heading_deg) == pytest.approx(180 if backwards else 0)
    assert car_clearance(StickBody("o", ((40, -50, 40), (40, 50, 40)), W, T), car).gap_mm == pytest.approx(
        38 - 21.8, abs=0.05
    )


def test_the_faces_of_a_tilted_stick_are_its_thickness_apart() -> None:
    stick = StickBody("s", ((0, 0, 10), (100, 20, 30)), W, T, roll_deg=4.0)
    point = np.array([[50.0, 10.0]])
    slope, across = 20 / math.hypot(100, 20), math.tan(math.radians(4))
    apart = float(top_height(stick, point)[0] - under_height(stick, point)[0])
    assert apart == pytest.approx(T * math.sqrt(1 + slope**2 + across**2), abs=1e-9)
