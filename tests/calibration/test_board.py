"""The board: where its corners are, and where a picture shows them."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.board import Board, detect_board, reject_reason
from calibration.errors import CalibrationError
from calibration.table import transform
from tests.calibration.synthetic import World, d415, looking_down, small


def test_origin_is_the_boards_centre_and_z_comes_out_of_the_table() -> None:
    corners = Board().corners_mm()
    assert corners.shape == (24, 3)
    assert np.allclose(corners.mean(axis=0), 0)
    # Corner 0 is the top left one of the sheet: left of the centre and up the sheet.
    assert np.allclose(corners[0], [-95.0, 57.0, 0.0])
    along, up_the_sheet = corners[1] - corners[0], corners[0] - corners[6]
    assert np.allclose(along, [38, 0, 0])
    assert np.allclose(up_the_sheet, [0, 38, 0])
    assert np.cross(along, up_the_sheet)[2] > 0  # right-handed: x cross y is z, out of the sheet


def test_outline_surrounds_the_corners_counter_clockwise() -> None:
    outline = Board().outline_mm(2.0)
    assert np.allclose(np.ptp(outline, axis=0), [270, 194, 0])
    x, y = outline[:, 0], outline[:, 1]
    assert np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y) > 0


@pytest.mark.parametrize("tilt_deg", [0.0, 8.0])
def test_corners_are_found_to_a_fraction_of_a_pixel(tilt_deg: float) -> None:
    world = World(d415(), looking_down(580, tilt_deg, -tilt_deg / 2, turn_deg=160, at=(30, 20)))
    view = detect_board(world.color(np.random.default_rng(3)), world.board)
    assert view is not None
    assert len(view) == 24
    T_color_table = world.camera.T_color_depth @ world.T_depth_table
    face = world.board.corners_mm(view.ids) + np.array([0, 0, world.board.thickness_mm])
    assert world.camera.color is not None
    true = world.camera.color.project(transform(T_color_table, face))
    assert np.abs(view.pixels - true).max() < 0.15
    assert np.sqrt(((view.pixels - true) ** 2).mean()) < 0.05
    assert view.square_px == pytest.approx(38 * 1377 / 580, rel=0.03)
    assert reject_reason(view) is None


def test_another_board_by_option_is_found_and_the_wrong_one_is_not() -> None:
    other = Board(9, 6, 24.0, 17.0, "DICT_4X4_50")
    world = World(d415(), looking_down(580), board=other)
    picture = world.color(np.random.default_rng(4))
    view = detect_board(picture, other)
    assert view is not None
    assert len(view) == 40
    assert reject_reason(detect_board(picture, Board())) is not None


def test_a_picture_without_the_board_shows_nothing() -> None:
    world = World(small(), looking_down(500))
    picture = world.color(np.random.default_rng(5), board=False)
    assert detect_board(picture, world.board) is None
    assert reject_reason(None) == "board not seen"


def test_a_half_covered_board_is_rejected_with_its_count_of_corners() -> None:
    world = World(d415(), looking_down(580))
    picture = world.color(np.random.default_rng(6))
    picture[:, 760:] = 90  # a sleeve over all but the left end of the board
    view = detect_board(picture, world.board)
    assert view is not None
    assert len(view) < 8
    assert "corners of the board seen, 8 are needed" in str(reject_reason(view))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"squares_x": 2}, "at least 3 x 3"),
        ({"marker_mm": 38.0}, "smaller than its square"),
        ({"dictionary": "5X5"}, "no marker dictionary"),
        ({"dictionary": "DICT_4X4_50", "squares_x": 20, "squares_y": 20}, "too few markers"),
    ],
)
def test_a_board_that_cannot_be_is_refused_in_one_line(options: dict[str, object], words: str) -> None:
    with pytest.raises(CalibrationError, match=words) as caught:
        Board(**options)  # type: ignore[arg-type]  # the options vary in type
    assert "\n" not in str(caught.value)
