"""The self-test: a board on the calibrated table is measured back, and what is wrong is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from calibration.board import Board
from calibration.calibrate import calibrate_table
from calibration.check import check_table, run_check
from calibration.errors import CalibrationError
from calibration.table import TableCalibration
from tests.calibration.synthetic import Thing, World, looking_down, pose, rotation, small

FrameData = tuple[np.ndarray, np.ndarray | None]


@pytest.fixture(scope="module")
def home() -> World:
    return World(small(), looking_down(500, 2, -3, turn_deg=10), ripple=0.004)


@pytest.fixture(scope="module")
def table(home: World) -> TableCalibration:
    rng = np.random.default_rng(1)
    board, bare = home.color(rng), home.color(rng, board=False)
    frames = [(home.depth(rng), board) for _ in range(5)] + [(home.depth(rng), bare) for _ in range(20)]
    return calibrate_table(home.camera, frames)[0]


def _board_at(
    world: World, x: float, y: float, turn_deg: float, height: float = 0.0, count: int = 8
) -> list[FrameData]:
    """Frames of the table with the board laid elsewhere, ``height`` above it."""
    laid = world.T_depth_table @ pose(rotation(0, 0, turn_deg), (x, y, height))
    rng = np.random.default_rng(2)
    color = replace(world, T_depth_table=laid).color(rng)
    if height == 0:
        return [(world.depth(rng), color) for _ in range(count)]
    block = Thing(0, 0, world.board.width_mm, world.board.height_mm, height)
    # The block is drawn in the board's own frame; ripple and noise are the sensor's and stay.
    raised = replace(world, T_depth_table=world.T_depth_table @ pose(rotation(0, 0, turn_deg), (x, y, 0)))
    return [(raised.depth(rng, [block]), color) for _ in range(count)]


def _lines(status_and_lines: tuple[int, Sequence[str]]) -> str:
    return "\n".join(status_and_lines[1])


@pytest.mark.parametrize(("x", "y", "turn_deg"), [(0, 0, 0), (60, -30, 100), (-50, 20, -35)])
def test_a_board_anywhere_on_a_good_table_passes(
    home: World, table: TableCalibration, x: float, y: float, turn_deg: float
) -> None:
    status, lines = run_check(table, home.camera, _board_at(home, x, y, turn_deg))
    assert status == 0, lines
    assert lines[0] == "check: pass"
    assert len(lines) == 5


def test_a_board_on_spacers_is_measured_at_their_height(home: World, table: TableCalibration) -> None:
    frames = _board_at(home, 20, 10, 15, height=20.0)
    measures = {one.what: one for one in check_table(table, home.camera, frames, height_mm=20.0)}
    assert all(one.holds for one in measures.values())
    assert measures["height of the board's face, in depth"].value == pytest.approx(20.1, abs=1.0)
    # Told the wrong height, lengths and height don't come back.
    wrong = check_table(table, home.camera, frames, height_mm=0.0)
    assert [one.holds for one in wrong] == [False, False, True, True]


def test_a_camera_that_sank_or_tilted_fails_with_the_advice_to_calibrate(home: World, table: TableCalibration) -> None:
    lower = replace(home, T_depth_table=looking_down(496, 2, -3, turn_deg=10))
    status, lines = run_check(table, home.camera, _board_at(lower, 0, 0, 0))
    assert status == 1
    assert any(line.startswith("FAIL: height of the free table") and "calibrate" in line for line in lines)
    tilted = replace(home, T_depth_table=looking_down(500, 2.4, -3, turn_deg=10))
    assert "FAIL: tilt of the free table" in _lines(run_check(table, home.camera, _board_at(tilted, 0, 0, 0)))


def test_a_board_of_another_size_fails_on_its_length(home: World, table: TableCalibration) -> None:
    shrunk = replace(home, printed=0.97)
    assert "FAIL: longest length" in _lines(run_check(table, home.camera, _board_at(shrunk, 0, 0, 0)))


def test_no_board_another_size_or_another_camera_are_refused(home: World, table: TableCalibration) -> None:
    rng = np.random.default_rng(3)
    depth, bare = home.depth(rng), home.color(rng, board=False)
    with pytest.raises(CalibrationError, match="no frame of 1 shows the board"):
        check_table(table, home.camera, [(depth, bare)], Board())
    with pytest.raises(CalibrationError, match="another size"):
        check_table(table, home.camera, [(depth[:100], bare)])
    with pytest.raises(CalibrationError, match="frames are from"):
        check_table(table, replace(home.camera, serial="other"), [(depth, bare)])
