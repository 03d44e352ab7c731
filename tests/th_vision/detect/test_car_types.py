"""Types of cars from what is seen of them: right where it can be told, unsure where it can't."""

from __future__ import annotations

import numpy as np
import pytest

from rules.pieces import Box, Pieces
from th_vision import tolerances
from th_vision.detect.car_types import Seen, type_of
from th_vision.virtual_table.car_set import CARS

PIECES = Pieces(cars=CARS)
PLAIN = Pieces(cars={kind: Box(length=b.length, width=b.width, height=b.height) for kind, b in CARS.items()})


def seen(kind: str, slope: float = 0.1, *, start: float = 40.0, hidden: tuple[float, float] = (0.0, 0.0)) -> Seen:
    """What a car of a type shows that begins at ``start`` on its road, by the camera's own geometry."""
    box = CARS[kind]
    assert box.cabin is not None
    begin, end, belt = box.cabin
    low, high = belt * box.height * slope, box.height * slope
    first = start - max(low, high - begin * box.length)
    s = np.arange(first - 3, start + box.length + 3, 0.25)
    at = s - start
    edges = [begin * box.length - high, end * box.length - high, end * box.length - low, box.length - low]
    tone = np.array([5.0, 4.9, 4.75, 5.0, 4.8])[np.searchsorted(edges, at)]
    height = (belt + (1 - belt) * (end - begin) * tolerances.CAR_CABIN_WIDTH) * box.height
    return Seen(first, start + box.length, hidden, 0.0, slope, 0.0, height, 0.4, s, tone)


@pytest.mark.parametrize("kind", CARS)
@pytest.mark.parametrize("slope", [0.05, 0.35])
def test_each_type_is_told_by_its_length_height_and_cabin(kind: str, slope: float) -> None:
    found = type_of(PIECES, seen(kind, slope))
    assert found.type == kind
    assert found.probability > 0.9
    assert found.along == pytest.approx(40.0 + CARS[kind].length / 2, abs=0.3)


def test_two_types_of_one_length_are_not_told_apart_by_sizes_alone() -> None:
    found = type_of(PLAIN, seen("sedan"))
    assert found.type in ("sedan", "sports_car")
    assert found.probability < 0.95


def test_a_car_of_no_known_size_is_said_to_be_none() -> None:
    strange = seen("highway_bus")
    few = PIECES.model_copy(update={"cars": {"sedan": CARS["sedan"], "limousine": CARS["limousine"]}})
    assert type_of(few, strange).probability < 0.5


def test_a_car_whose_end_is_hidden_may_be_longer_than_it_looks() -> None:
    """A road lies over the far half of a trailer: its length says no more than that it isn't longer than it is."""
    whole = seen("jumbo_trailer")
    cut = whole.first + 9.0
    s, tone = whole.s[whole.s > cut - 3], whole.tone[whole.s > cut - 3]
    half = Seen(cut, whole.last, (20.0, 0.0), 0.0, whole.slope, 0.0, float("nan"), float("nan"), s, tone)
    assert type_of(PLAIN, half).probability < 0.95
    assert type_of(PIECES, half).type == "jumbo_trailer"  # where its cabin ends is seen


def test_a_car_is_no_longer_than_what_shows_of_it_and_what_hides_the_rest() -> None:
    """Half a sedan is seen beside a road 12 mm wide: a bus would come out on the other side."""
    whole = seen("sedan")
    cut = whole.first + 8.0
    s, tone = whole.s[whole.s > cut - 3], whole.tone[whole.s > cut - 3]
    half = Seen(cut, whole.last, (12.0, 0.0), 0.0, whole.slope, 0.0, float("nan"), float("nan"), s, tone)
    few = PIECES.model_copy(update={"cars": {kind: CARS[kind] for kind in ("sedan", "highway_bus")}})
    found = type_of(few, half)
    assert found.type == "sedan"
    assert found.probability > 0.9


def test_a_type_whose_cabin_is_not_known_wins_nothing_by_that() -> None:
    """Brightness that fits no cabin is no evidence for the one type of which no cabin is written."""
    car = seen("sedan", 0.3)
    dappled = Seen(**{**vars(car), "tone": car.tone + 0.3 * np.sin(car.s), "height": float("nan")})
    sedan, sports_car = CARS["sedan"], CARS["sports_car"]
    plain = Box(length=sports_car.length, width=sports_car.width, height=sports_car.height)
    few = PIECES.model_copy(update={"cars": {"sedan": sedan, "sports_car": plain}})
    found = type_of(few, dappled)
    assert found.type == "sedan" or found.probability < 0.9
