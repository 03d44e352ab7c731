"""Which thing is which, wherever the layout lies and whichever way it runs; and what is refused, in words."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from th_vision.enroll.arrange import arrange
from th_vision.enroll.find import Thing
from th_vision.enroll.layout_plan import LayoutPlan, make_plan, show
from th_vision.errors import VisionError

from .laid import Example, laid_example
from .test_sizes import EXAMPLES


@pytest.fixture(scope="module")
def example() -> Example:
    return laid_example(*EXAMPLES[0])


def moved(thing: Thing, along: float, across: float, example: Example) -> Thing:
    """The thing shifted along and across the stick's direction."""
    turn = example.laid.stick.turn
    step = along * np.array([np.cos(turn), np.sin(turn)]) + across * np.array([-np.sin(turn), np.cos(turn)])
    return replace(thing, x=thing.x + step[0], y=thing.y + step[1])


def refusal(example: Example, things: list[Thing], layout: LayoutPlan | None = None) -> str:
    with pytest.raises(VisionError) as error:
        arrange(example.plan, things, layout or example.layout)
    return str(error.value)


def test_types_are_read_from_the_sticks_end_on(example: Example) -> None:
    bus = [car.thing for car in example.laid.cars if car.type == "highway_bus"]
    sedan = [car.thing for car in example.laid.cars if car.type == "sedan"]
    assert min(thing.length for thing in bus) > max(thing.length for thing in sedan)


def test_the_nearest_row_is_the_first_players(example: Example) -> None:
    turned = arrange(example.plan, example.things, LayoutPlan(("green", "red"), example.layout.cars))
    assert [car.player for car in turned.cars][:2] == ["green", "green"]
    assert [car.thing for car in turned.cars] == [car.thing for car in example.laid.cars]


def test_one_car_alone_shows_its_players_colour(example: Example) -> None:
    alone = example.laid.cars[-1].thing
    laid = arrange(example.plan, [thing for thing in example.things if thing is not alone], example.layout)
    assert [car.type for car in laid.cars] == ["sedan", "highway_bus", None]


def test_a_missing_disc_is_no_reason_to_refuse(example: Example) -> None:
    laid = arrange(
        example.plan, [thing for thing in example.things if thing is not example.laid.yellow], example.layout
    )
    assert laid.yellow is None
    assert laid.gray is example.laid.gray


def test_an_empty_table_is_refused(example: Example) -> None:
    assert "nothing lies on the table" in refusal(example, [])


def test_a_stick_that_is_not_there(example: Example) -> None:
    assert "no stick" in refusal(example, [thing for thing in example.things if thing is not example.laid.stick])


def test_a_second_stick(example: Example) -> None:
    assert "2 sticks" in refusal(example, [*example.things, moved(example.laid.stick, 0, -60, example)])


def test_a_player_without_a_row(example: Example) -> None:
    said = refusal(example, list(example.things), replace(example.layout, players=("red", "green", "blue")))
    assert "2 rows" in said
    assert "named are 3 (red, green, blue)" in said


def test_more_pieces_than_named(example: Example) -> None:
    assert "2 things in the row of red, named is 1" in refusal(
        example, list(example.things), replace(example.layout, cars=("sedan",))
    )


def test_fewer_cars_than_named(example: Example) -> None:
    said = refusal(example, list(example.things), replace(example.layout, cars=("sedan", "limousine", "highway_bus")))
    assert "2 cars in the row of red, named are 3" in said


def test_too_much_in_the_first_row(example: Example) -> None:
    assert example.laid.stack is not None
    assert "named are three" in refusal(example, [*example.things, moved(example.laid.stack, 40, 0, example)])


def test_discs_on_both_sides_of_the_stick(example: Example) -> None:
    laid = example.laid
    assert laid.gray is not None
    assert laid.yellow is not None
    between = float(np.mean([np.hypot(*(disc.at - laid.stick.at)) for disc in (laid.gray, laid.yellow)]))
    way = 1 if (laid.gray.at - laid.stick.at) @ [np.cos(laid.stick.turn), np.sin(laid.stick.turn)] > 0 else -1
    things = [moved(laid.stick, way * between, 0, example), laid.gray, laid.yellow]
    assert "both sides of the stick;" in refusal(example, things)


def test_rows_on_both_sides(example: Example) -> None:
    first = example.laid.cars[0].thing
    aside = float(
        (first.at - example.laid.stick.at) @ [-np.sin(example.laid.stick.turn), np.cos(example.laid.stick.turn)]
    )
    things = [thing for thing in example.things if thing is not first]
    assert "both sides of the stick's row" in refusal(example, [*things, moved(first, 0, -2 * aside, example)])


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("", "sedan", ""), "nobody is named"),
        (("a,b,a", "sedan", ""), "a is named twice"),
        (("a", "tank", ""), "tank is not known"),
        (("a", "", ""), "no type is named"),
        (("a", "sedan,sedan", ""), "sedan is named twice"),
        (("a", "sedan", "castle"), "castle is not known"),
        (("a\x07", "sedan", ""), "can't be printed"),
    ],
)
def test_a_plan_that_can_not_be(options: tuple[str, str, str], says: str) -> None:
    with pytest.raises(VisionError, match=says):
        make_plan(*options)


def test_the_plan_is_shown_row_by_row() -> None:
    text = show(make_plan("anna, bob", "sedan,limousine", "tower"))
    rows = [line.split() for line in text.splitlines() if re.match(r" *row \d", line)]
    assert [row[:3] for row in rows] == [
        ["row", str(k), who] for k, who in enumerate(("pieces", "anna", "bob", "city"), 1)
    ]
    assert rows[1][3:] == ["[sedan]", "[limousine]"]
