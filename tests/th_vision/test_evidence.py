"""Asking two still views whether a missed piece still stands where it stood."""

from __future__ import annotations

import pytest

from rules.layout import Car, Column, Road
from rules.pieces import Pieces
from tests.th_vision.still_scene import Scene, table
from th_vision.evidence import looks_as_before, stands_in, stirred_in
from th_vision.still_view import StillView, fuse

PIECES = Pieces()
ROAD = Road(id="r1", ends=((-57, 0, 32), (57, 0, 32)))
COLUMN = Column(id="c1", x=100, y=40, levels=4, top_z=40)
CAR = Car(id="k1", x=20, y=0, z=32, player="blue", on="r1")
STICK = (0.0, 0.0, 114.0, 10.0, 32.0, 0.0, 90.0)
STACK = (100.0, 40.0, 19.0, 19.0, 40.0, 0.0, 150.0)
BODY = (20.0, 0.0, 16.0, 8.0, 39.0, 0.0, 220.0)


def view(*boxes: tuple[float, ...], seed: int = 0, gain: float = 1.0) -> StillView:
    scene = Scene(seed)
    scene.boxes = list(boxes)  # type: ignore[arg-type]  # tuples of seven floats
    return fuse([scene.frame(gain=gain) for _ in range(3)], table())


BEFORE = view(STICK, STACK, BODY)


@pytest.mark.parametrize("piece", [ROAD, COLUMN, CAR])
@pytest.mark.parametrize("gain", [1.0, 0.85])
def test_what_stands_looks_as_before_also_in_other_light(piece: Road | Column | Car, gain: float) -> None:
    assert looks_as_before(piece, BEFORE, view(STICK, STACK, BODY, gain=gain), PIECES) is True


def test_what_was_taken_away_does_not() -> None:
    now = view()
    assert looks_as_before(ROAD, BEFORE, now, PIECES) is False
    assert looks_as_before(COLUMN, BEFORE, now, PIECES) is False
    assert looks_as_before(CAR, BEFORE, view(STICK, STACK), PIECES) is False


def test_a_road_under_a_new_one_still_stands() -> None:
    above = (0.0, 0.0, 10.0, 114.0, 52.0, 0.0, 90.0)
    assert looks_as_before(ROAD, BEFORE, view(STICK, STACK, BODY, above), PIECES) is True


def test_a_place_out_of_view_says_nothing() -> None:
    far = Column(id="c9", x=5000, y=0, levels=2, top_z=20)
    assert looks_as_before(far, BEFORE, BEFORE, PIECES) is None


def test_without_a_view_before_nothing_is_said() -> None:
    assert stands_in(None, BEFORE, PIECES)(ROAD) is None
    assert stands_in(BEFORE, BEFORE, PIECES)(ROAD) is True


@pytest.mark.parametrize("gain", [1.0, 0.85])
def test_the_rim_of_a_column_that_was_pushed_by_4_mm_looks_otherwise(gain: float) -> None:
    for way in ((4.0, 0.0), (-2.8, 2.8)):
        pushed = (STACK[0] + way[0], STACK[1] + way[1], *STACK[2:])
        assert stirred_in(BEFORE, view(STICK, pushed, BODY, gain=gain), PIECES)(COLUMN)


def test_the_rim_of_a_column_that_stands_looks_as_it_did() -> None:
    assert not stirred_in(BEFORE, view(STICK, STACK, BODY, gain=0.85), PIECES)(COLUMN)
    assert not stirred_in(None, BEFORE, PIECES)(COLUMN)
