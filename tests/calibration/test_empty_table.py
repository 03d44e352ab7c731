"""The empty-table map: robust mean in disparity with its own sigma."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.camera import Camera, Intrinsics
from calibration.empty_table import (
    color_changed,
    fill_from_around,
    map_from_disparities,
    mean_color,
    raised_things,
)
from calibration.errors import CalibrationError
from calibration.plane import disparity_from_depth, plane_from_depth


def _stack(rng: np.random.Generator, count: int, sigma_px: float = 0.1) -> list[np.ndarray]:
    slope = 60 + 0.01 * np.arange(160)[None, :] + 0.02 * np.arange(120)[:, None]
    return [(slope + sigma_px * rng.standard_normal((120, 160))).astype(np.float32) for _ in range(count)]


@pytest.mark.parametrize("count", [4, 16])
def test_sigma_is_that_of_the_mean(count: int) -> None:
    rng = np.random.default_rng(1)
    empty = map_from_disparities(_stack(rng, count))
    true = _stack(rng, 1, 0.0)[0]
    scatter = float(np.std(empty.disparity_px - true))
    assert scatter == pytest.approx(0.1 / np.sqrt(count), rel=0.1)
    assert float(np.median(empty.sigma_px)) == pytest.approx(scatter, rel=0.15)
    assert empty.measured.all()


def test_one_picture_alone_takes_its_sigma_from_the_neighbourhood() -> None:
    empty = map_from_disparities(_stack(np.random.default_rng(2), 1))
    assert float(np.median(empty.sigma_px)) == pytest.approx(0.1, rel=0.15)


def test_a_passing_hand_in_one_of_many_frames_leaves_no_trace() -> None:
    stack = _stack(np.random.default_rng(3), 9)
    stack[4][30:60, 40:80] += 15
    empty = map_from_disparities(stack)
    clean = map_from_disparities([one for i, one in enumerate(stack) if i != 4])
    assert np.abs(empty.disparity_px - clean.disparity_px).max() < 0.2


def test_pixels_that_flicker_less_than_half_the_time_are_not_measured() -> None:
    stack = _stack(np.random.default_rng(4), 10)
    for one in stack[:6]:
        one[20:100, 20:120] = np.nan  # seen in four of ten
    for one in stack[:4]:
        one[:, 140:] = np.nan  # seen in six of ten
    empty = map_from_disparities(stack)
    assert not empty.measured[20:100, 20:120].any()
    assert np.isnan(empty.disparity_px[60, 70])
    assert empty.measured[:, 140:].all()


def test_small_holes_are_filled_with_a_larger_sigma_and_say_so() -> None:
    stack = _stack(np.random.default_rng(5), 10)
    for one in stack:
        one[50:56, 70:76] = np.nan
    empty = map_from_disparities(stack)
    hole = (slice(50, 56), slice(70, 76))
    assert not empty.measured[hole].any()
    assert np.abs(empty.disparity_px[hole] - _stack(np.random.default_rng(0), 1, 0.0)[0][hole]).max() < 0.1
    assert empty.sigma_px[hole].min() > 2 * empty.sigma_px[20, 20]


def test_what_lay_under_the_board_keeps_the_ripple_and_loses_the_boards_thickness() -> None:
    rows, columns = np.mgrid[0:120, 0:160]
    ripple = 0.3 * np.sin(columns / 20.0).astype(np.float32)
    plane = np.full((120, 160), 60, dtype=np.float32)
    hidden = (abs(rows - 60) < 30) & (abs(columns - 80) < 50)
    pattern = np.random.default_rng(6).standard_normal((120, 160)) * 0.06
    seen = plane + ripple + np.where(hidden, 0.8 + pattern, 0)  # the board's face is 0.8 px nearer
    empty = map_from_disparities([seen.astype(np.float32)] * 3)
    filled = fill_from_around(empty, hidden, plane, thickness_px=0.8)
    off = (filled.disparity_px - plane - ripple)[hidden]
    assert np.sqrt((off**2).mean()) < 0.08
    assert not filled.measured[hidden].any()
    assert filled.measured[~hidden].all()
    assert filled.sigma_px[60, 80] > 0.05


def test_a_single_disc_is_raised_and_noise_is_not() -> None:
    rng = np.random.default_rng(7)
    rise = cv2.GaussianBlur(rng.standard_normal((240, 424)), (0, 0), 4)
    rise = (rise / rise.std()).astype(np.float32)  # 1 mm, correlated as the sensor's noise is
    nowhere = np.zeros(rise.shape, dtype=bool)
    assert raised_things(rise, nowhere, 1.1, 4.0) == []
    cv2.circle(rise, (200, 100), 8, 7.5, -1)  # a disc shows three quarters of its 10 mm
    things = raised_things(rise, nowhere, 1.1, 4.0)
    assert len(things) == 1
    area, u, v = things[0]
    assert 100 < area < 400
    assert abs(u - 200) < 3
    assert abs(v - 100) < 3
    everywhere_ignored = raised_things(rise, nowhere | True, 1.1, 4.0)
    assert everywhere_ignored == []


def test_a_flat_card_changes_the_picture_and_another_exposure_does_not() -> None:
    rng = np.random.default_rng(8)
    before = np.clip(120 + 25 * rng.standard_normal((180, 320, 1)) + np.zeros(3), 0, 255).astype(np.uint8)
    brighter = np.clip(before * 1.2, 0, 255).astype(np.uint8)
    assert not color_changed(before, brighter, 1.0)
    card = before.copy()
    card[60:100, 100:160] = (60, 160, 60)
    assert color_changed(before, card, 1.0)


def test_mean_color_of_none_is_none() -> None:
    assert mean_color([]) is None
    two = [np.full((2, 3, 3), value, dtype=np.uint8) for value in (10, 20)]
    assert np.array_equal(np.asarray(mean_color(two)), np.full((2, 3, 3), 15))


def test_no_frames_and_frames_of_two_sizes_are_refused() -> None:
    with pytest.raises(CalibrationError, match="no frames"):
        map_from_disparities([])
    with pytest.raises(CalibrationError, match="different sizes"):
        map_from_disparities([np.zeros((4, 5), np.float32), np.zeros((5, 4), np.float32)])


@pytest.mark.parametrize("left_out", [3, 14])
def test_real_board_repeats_against_the_map_of_its_other_shots(realdata: Path, left_out: int) -> None:
    """24 shots of a white board by a D415, a disc moved about: against the map of the other shots the board is flat to
    its noise; against the best plane it isn't (ripple of 0.5-1.2 % of the distance)."""
    folder = realdata / "d415_discs_board"
    # Depth was aligned to the 1080p picture: its kernel is wider by the ratio of focal lengths.
    camera = Camera(
        "D415",
        Intrinsics(1920, 1080, 1377.3, 1379.3, 955.1, 530.6),
        None,
        depth_unit_mm=1.0,
        baseline_mm=55.0,
        kernel_scale=1377.3 / 943.0,
    )
    rows, columns = slice(500, 940), slice(500, 1300)  # where the board is and the disc goes about
    shots = [left_out, *(i for i in range(0, 24, 2) if i != left_out)]
    raw = [cv2.imread(str(folder / f"depth_{i:02d}.png"), cv2.IMREAD_UNCHANGED) for i in shots]
    view, *others = (disparity_from_depth(np.asarray(one, dtype=np.uint16), camera) for one in raw)
    plane = plane_from_depth(view, camera)
    others = [one[rows, columns] for one in others]
    empty = map_from_disparities(others)
    per_mm = camera.disparity_gain / 700.0**2

    def scatter_mm(off_px: np.ndarray) -> float:
        """Robust spread of areas of about 15 x 15 mm: what a fit of a piece would feel."""
        smooth = cv2.resize(np.nan_to_num(off_px), None, fx=1 / 32, fy=1 / 32, interpolation=cv2.INTER_AREA) / per_mm
        return float(1.4826 * np.median(np.abs(smooth - np.median(smooth))))

    against_map = scatter_mm(view[rows, columns] - empty.disparity_px)
    against_plane = scatter_mm((view - plane.disparity(camera))[rows, columns])
    assert empty.measured.mean() > 0.97
    assert against_map < 0.9
    assert against_plane > 2 * against_map
