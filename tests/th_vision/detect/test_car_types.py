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


def seen(kind: str, slope: float = 0.1, *, start: float = 40.0, hidden: tuple[bool, bool] = (False, False)) -> Seen:
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
    half = Seen(cut, whole.last, (True, False), 0.0, whole.slope, 0.0, float("nan"), float("nan"), s, tone)
    assert type_of(PLAIN, half).probability < 0.95
    assert type_of(PIECES, half).type == "jumbo_trailer"  # where its cabin ends is seen
