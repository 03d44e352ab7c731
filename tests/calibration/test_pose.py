"""The table's pose: board in colour and plane in depth, alone and together."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from calibration.board import Board, BoardView, detect_board
from calibration.errors import CalibrationError
from calibration.joint_pose import joint_pose
from calibration.plane import PlaneFit, plane_from_depth
from calibration.pose import MeanView, TablePose, board_in_color, board_pixels, mean_view, table_pose
from calibration.table import transform
from tests.calibration.synthetic import World, d415, looking_down, rotation


def _exact_view(world: World, rng: np.random.Generator | None = None, sigma_px: float = 0.0) -> BoardView:
    """The board's corners by projection, with Gaussian error."""
    board, camera = world.board, world.camera
    assert camera.color is not None
    face = board.corners_mm() * [world.printed, world.printed, 1] + np.array([0, 0, board.thickness_mm])
    pixels = camera.color.project(transform(camera.T_color_depth @ world.T_depth_table, face))
    if rng is not None:
        pixels = pixels + sigma_px * rng.standard_normal(pixels.shape)
    return BoardView(pixels, np.arange(board.corner_count), 60.0, 220.0, 20.0, 0.0)


def _pose(world: World, view: BoardView | MeanView | None = None) -> tuple[TablePose, PlaneFit, MeanView]:
    mean, _ = mean_view([(0, _exact_view(world))])
    plane = plane_from_depth(world.disparity().astype(np.float32), world.camera)
    return table_pose(board_in_color(mean, world.board, world.camera), plane, world.board, world.camera), plane, mean


@pytest.mark.parametrize("thickness_mm", [0.0, 5.0])
@pytest.mark.parametrize("at", [(0, 0), (150, -80)])
def test_exact_corners_and_an_exact_plane_give_the_exact_pose(thickness_mm: float, at: tuple[int, int]) -> None:
    board = Board(thickness_mm=thickness_mm)
    world = World(d415(), looking_down(580, 6, -4, turn_deg=200, at=at), board=board)
    found, _, _ = _pose(world)
    assert np.abs(found.T_depth_table - world.T_depth_table)[:3, 3].max() < 0.02
    apart = np.linalg.inv(world.T_depth_table) @ found.T_depth_table
    assert np.allclose(apart[:3, :3], np.eye(3), atol=1e-4)
    assert np.linalg.det(found.T_depth_table[:3, :3]) == pytest.approx(1.0)
    assert found.T_depth_table[2, 2] < 0  # z of the table comes towards the camera
    assert found.scale_ratio == pytest.approx(1.0, abs=1e-4)
    assert found.board_tilt_deg < 0.02


def test_a_board_printed_too_large_shows_in_the_ratio() -> None:
    found, _, _ = _pose(World(d415(), looking_down(580), printed=1.013))
    assert found.scale_ratio == pytest.approx(1.013, abs=3e-4)


def test_depth_scale_is_found_and_the_pose_is_the_boards() -> None:
    world = World(d415(), looking_down(580, 3, 5), scale=1.012)
    start, plane, mean = _pose(world)
    assert start.scale_ratio == pytest.approx(1.012, abs=3e-4)
    seen = board_in_color(mean, world.board, world.camera)
    joint = joint_pose(start, seen, plane, world.board, world.camera)
    assert joint.depth_scale == pytest.approx(1 / 1.012, abs=3e-4)
    assert np.abs(joint.pose.T_depth_table - world.T_depth_table)[:3, 3].max() < 0.1


def test_joint_pose_states_the_errors_it_has() -> None:
    world = World(d415(), looking_down(580, 4, -3, turn_deg=30))
    exact = plane_from_depth(world.disparity().astype(np.float32), world.camera)
    rng = np.random.default_rng(11)
    pulls = []
    for _ in range(40):
        # A plane tilted by 0.04 deg at random, as ripple does, and corners off by 0.1 px.
        spread = np.radians(0.04) * np.linalg.norm(exact.coefficients)
        plane = replace(
            exact,
            coefficients=exact.coefficients + rng.normal(0, 1, 3) * [spread, spread, 1e-7],
            covariance=np.diag([spread**2, spread**2, 1e-14]),
        )
        mean, _ = mean_view([(0, _exact_view(world, rng, 0.1))])
        seen = board_in_color(mean, world.board, world.camera)
        joint = joint_pose(table_pose(seen, plane, world.board, world.camera), seen, plane, world.board, world.camera)
        apart = np.linalg.inv(world.T_depth_table) @ joint.pose.T_depth_table
        pulls.append(
            [
                apart[2, 3] / joint.pose.sigma_height_mm,
                np.degrees(apart[0, 2]) / joint.pose.sigma_tilt_deg,
                np.degrees(apart[1, 0]) / joint.pose.sigma_rotation_deg,
            ]
        )
    rms = np.sqrt(np.mean(np.square(pulls), axis=0))
    assert (rms > 0.4).all()
    assert (rms < 1.6).all()


def test_frames_in_which_the_board_moved_are_left_out_with_the_reason() -> None:
    world = World(d415(), looking_down(580))
    moved = World(d415(), looking_down(580, at=(10, 4)))
    rng = np.random.default_rng(2)
    views: list[tuple[int, BoardView | None]] = [(i, _exact_view(world, rng, 0.05)) for i in range(6)]
    views += [(6, _exact_view(moved)), (7, None)]
    few = _exact_view(world)
    views.append((8, replace(few, pixels=few.pixels[:6], ids=few.ids[:6])))
    mean, rejected = mean_view(views)
    assert mean.frames == (0, 1, 2, 3, 4, 5)
    assert [one.frame for one in rejected] == [6, 7, 8]
    assert "moved: 25.6 px" in rejected[0].reason
    assert rejected[1].reason == "board not seen"
    assert "only 6 corners" in rejected[2].reason
    assert np.abs(mean.pixels - _exact_view(world).pixels).max() < 0.1


def test_where_the_board_lay_in_two_places_the_longer_stay_counts() -> None:
    here, there = World(d415(), looking_down(580)), World(d415(), looking_down(580, at=(40, 0)))
    views: list[tuple[int, BoardView | None]] = [(i, _exact_view(here)) for i in range(3)]
    views += [(i, _exact_view(there)) for i in range(3, 8)]
    mean, rejected = mean_view(views)
    assert mean.frames == (3, 4, 5, 6, 7)
    assert len(rejected) == 3


def test_a_misread_corner_does_not_bend_the_pose() -> None:
    world = World(d415(), looking_down(580, 2))
    view = _exact_view(world)
    view.pixels[5] += [4.0, -3.0]
    mean, _ = mean_view([(0, view)])
    seen = board_in_color(mean, world.board, world.camera)
    assert 5 not in seen.ids
    assert seen.residual_px < 0.05


def test_a_bent_board_or_the_wrong_squares_are_refused() -> None:
    world = World(d415(), looking_down(580))
    view = _exact_view(world)
    rng = np.random.default_rng(3)
    bent = replace(view, pixels=view.pixels + rng.normal(0, 3, view.pixels.shape))
    mean, _ = mean_view([(0, bent)])
    with pytest.raises(CalibrationError, match=r"off by .* px from a flat board's"):
        board_in_color(mean, world.board, world.camera)


def test_no_frame_with_the_board_is_said_with_the_most_frequent_reason() -> None:
    with pytest.raises(CalibrationError, match=r"no frame of 3 shows the board well enough \(board not seen\)"):
        mean_view([(0, None), (1, None), (2, None)])


def test_without_colour_the_board_cannot_be_placed() -> None:
    world = World(d415(), looking_down(580))
    mean, _ = mean_view([(0, _exact_view(world))])
    with pytest.raises(CalibrationError, match="no colour intrinsics"):
        board_in_color(mean, world.board, replace(world.camera, color=None))


def test_board_pixels_cover_the_board_in_depth_and_no_more() -> None:
    world = World(d415(), looking_down(580, turn_deg=30))
    mask = board_pixels(world.T_depth_table, world.board, world.camera, 0.0)
    expected = 266 * 190 * (943 / 580) ** 2
    assert mask.sum() == pytest.approx(expected, rel=0.02)


def test_lens_distortion_of_the_colour_camera_is_taken_out() -> None:
    camera = d415()
    assert camera.color is not None
    wide = replace(camera, color=replace(camera.color, distortion=(0.08, -0.1, 0.001, -0.0005, 0.02)))
    world = World(wide, looking_down(580, 5, at=(120, 60)))
    found, _, _ = _pose(world)
    assert found.corner_residual_px < 0.02
    assert np.abs(found.T_depth_table - world.T_depth_table)[:3, 3].max() < 0.02


def test_a_drawn_board_gives_the_pose_too() -> None:
    world = World(d415(), looking_down(580, -5, 3, turn_deg=75))
    view = detect_board(world.color(np.random.default_rng(9)), world.board)
    mean, _ = mean_view([(0, view)])
    seen = board_in_color(mean, world.board, world.camera)
    T = np.linalg.inv(world.camera.T_color_depth) @ seen.T_color_board
    apart = np.linalg.inv(world.T_depth_table) @ T
    assert np.abs(apart[:2, 3]).max() < 0.1
    assert abs(apart[2, 3] - world.board.thickness_mm) < 0.3
    assert np.abs(apart[:3, :3] - rotation()).max() < np.radians(0.15)
