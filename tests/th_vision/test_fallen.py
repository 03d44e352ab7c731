"""A stick that fell flat is told by its colour, where depth sees nothing of it."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from rules.layout import Column, Layout, Road
from rules.pieces import Pieces
from tests.th_vision.still_scene import Scene, table
from th_vision.fallen import fallen_sticks
from th_vision.still_view import StillView, fuse

PIECES = Pieces()
ROAD = (0.0, 0.0, 114.0, 10.0, 32.0, 0.0, 60.0)


def view(*boxes: tuple[float, ...], color: bool = True) -> StillView:
    scene = Scene(3)
    frames = [scene.frame() for _ in range(2)]
    empty = dataclasses.replace(table().empty, color_bgr=frames[0].color)
    scene.boxes = list(boxes)  # type: ignore[arg-type]  # tuples of seven floats
    frames = [scene.frame() for _ in range(2)]
    if not color:
        frames = [dataclasses.replace(frame, color=None) for frame in frames]
    return fuse(frames, dataclasses.replace(table(), empty=empty))


@pytest.mark.parametrize(("x", "y", "angle"), [(60, -80, 20), (-150, 60, 90), (0, 70, 135)])
def test_a_fallen_stick_is_found_where_it_lies(x: float, y: float, angle: float) -> None:
    lying = (x, y, 114.0, 10.0, 2.0, angle, 60.0)
    (found,) = fallen_sticks(view(ROAD), view(lying), Layout(), PIECES)
    assert np.allclose(np.mean(found.ends, axis=0)[:2], (x, y), atol=4)
    along = np.subtract(found.ends[1], found.ends[0])[:2]
    turned = np.degrees(np.arctan2(along[1], along[0])) - -angle  # the picture's y axis points to the players
    assert abs((turned + 90) % 180 - 90) < 4


def test_a_fallen_stick_is_found_though_a_road_crosses_over_it() -> None:
    lying = (10.0, 20.0, 114.0, 10.0, 2.0, 90.0, 60.0)
    standing = Layout(roads=(Road(id="r1", ends=((-57, 0, 32), (57, 0, 32))),))
    (found,) = fallen_sticks(view(ROAD), view(ROAD, lying), standing, PIECES)
    assert np.allclose(np.mean(found.ends, axis=0)[:2], (10, 20), atol=6)


@pytest.mark.parametrize("angle", [40, 90, 125])
def test_a_stick_that_fell_across_its_old_place_is_found(angle: float) -> None:
    """Where the two places cross, the picture is the same as it was."""
    (found,) = fallen_sticks(view(ROAD), view((12.0, 4.0, 114.0, 10.0, 2.0, angle, 60.0)), Layout(), PIECES)
    assert np.allclose(np.mean(found.ends, axis=0)[:2], (12, 4), atol=5)


def test_two_marks_with_the_bare_table_between_them_are_no_stick() -> None:
    pens = [(0.0, y, 40.0, 10.0, 2.0, 90.0, 60.0) for y in (-110.0, -40.0)]
    assert fallen_sticks(view(ROAD), view(ROAD, *pens), Layout(), PIECES) == []


def test_the_place_where_a_road_was_is_no_stick() -> None:
    assert fallen_sticks(view(ROAD), view(), Layout(), PIECES) == []


def test_standing_pieces_are_no_fallen_ones() -> None:
    new = (0.0, 60.0, 114.0, 10.0, 12.0, 0.0, 60.0)
    standing = Layout(
        roads=(Road(id="r2", ends=((-57, 60, 12), (57, 60, 12))),),
        columns=(Column(id="c1", x=57, y=60, levels=1, top_z=10),),
    )
    assert fallen_sticks(view(ROAD), view(ROAD, new), standing, PIECES) == []


def test_a_car_or_a_card_is_no_stick() -> None:
    car, card = (60.0, -80.0, 16.0, 8.0, 7.0, 0.0, 220.0), (-120.0, -60.0, 90.0, 60.0, 1.0, 0.0, 220.0)
    assert fallen_sticks(view(ROAD), view(ROAD, car, card), Layout(), PIECES) == []


def test_without_colour_nothing_is_found() -> None:
    lying = (60.0, -80.0, 114.0, 10.0, 2.0, 20.0, 60.0)
    assert fallen_sticks(view(ROAD, color=False), view(lying, color=False), Layout(), PIECES) == []
