"""The table's plane from depth: affine in disparity, robust, with an honest sigma."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.camera import Camera, Intrinsics
from calibration.errors import CalibrationError
from calibration.plane import disparity_from_depth, plane_from_depth
from tests.calibration.synthetic import Thing, World, d415, looking_down, small


def _height_and_tilt_error(world: World, disparity: np.ndarray) -> tuple[float, float]:
    fit = plane_from_depth(disparity.astype(np.float32), world.camera)
    normal = world.T_depth_table[:3, 2]
    distance = -float(normal @ world.T_depth_table[:3, 3])
    return fit.distance_mm - distance, float(np.degrees(np.arccos(np.clip(fit.normal @ normal, -1, 1))))


@pytest.mark.parametrize("tilt_deg", [0.0, 3.0, 8.0, 30.0])
def test_a_clean_tilted_table_is_found_exactly(tilt_deg: float) -> None:
    world = World(d415(), looking_down(580, tilt_deg, -tilt_deg / 3))
    height, tilt = _height_and_tilt_error(world, world.disparity())
    assert abs(height) < 0.01
    assert tilt < 0.002


def test_pieces_on_a_third_of_the_table_do_not_pull_the_plane() -> None:
    world = World(small(), looking_down(500, 4, 2))
    city = [Thing(x, y, 70, 60, 20 + 10 * (x > 0)) for x in (-150, -50, 50, 150) for y in (-80, 40)]
    disparity = disparity_from_depth(world.depth(np.random.default_rng(1), city), world.camera)
    height, tilt = _height_and_tilt_error(world, disparity)
    assert abs(height) < 0.3
    assert tilt < 0.1


def test_a_wall_behind_the_table_is_not_the_table() -> None:
    world = World(small(), looking_down(500, 5))
    disparity = world.disparity()
    disparity[:, 300:] *= np.linspace(1.4, 0.9, 124)
    height, tilt = _height_and_tilt_error(world, disparity)
    assert abs(height) < 0.1
    assert tilt < 0.05


def test_sigma_knows_that_ripple_is_no_independent_noise() -> None:
    # Four phases of the ripple: the errors of the distance must be of the size that the fit states.
    pulls = []
    for seed, tilt in enumerate((0.0, 2.0, 4.0, 6.0)):
        world = World(small(), looking_down(480 + 20 * seed, tilt), ripple=0.004)
        fit = plane_from_depth(
            disparity_from_depth(world.depth(np.random.default_rng(seed)), world.camera), world.camera
        )
        true = -float(world.T_depth_table[:3, 2] @ world.T_depth_table[:3, 3])
        pulls.append((fit.distance_mm - true) / fit.sigma_distance_mm)
        assert fit.sigma_distance_mm > 0.01
        assert 1.0 < fit.residual_mm < 4.0
        assert 1.0 < fit.ripple_mm < 4.0
    assert max(abs(pull) for pull in pulls) < 3.5


def test_height_above_the_plane_is_along_its_normal() -> None:
    world = World(d415(), looking_down(580, 20))
    block = Thing(0, 0, 100, 80, 40)
    fit = plane_from_depth(world.disparity().astype(np.float32), world.camera)
    rise = fit.raised(world.disparity([block]).astype(np.float32), world.camera)
    u, v = world.camera.depth.project(world.T_depth_table[:3, 3] + 40 * world.T_depth_table[:3, 2])
    assert rise[round(v), round(u)] == pytest.approx(40, abs=0.05)
    assert np.abs(fit.disparity(world.camera) - world.disparity()).max() < 0.01


def test_no_depth_stays_no_depth_and_the_unit_counts() -> None:
    camera = small()
    raw = np.array([[0, 5000, 10000]], dtype=np.uint16)
    disparity = disparity_from_depth(raw, camera)
    assert np.isnan(disparity[0, 0])
    assert disparity[0, 1:].tolist() == pytest.approx([215 * 50 / 500, 215 * 50 / 1000])


def test_what_cannot_be_a_table_is_refused_in_words() -> None:
    camera = small()
    nothing = np.full((240, 424), np.nan, dtype=np.float32)
    with pytest.raises(CalibrationError, match="only 0 pixels of the table have depth"):
        plane_from_depth(nothing, camera)
    with pytest.raises(CalibrationError, match="100 x 50 pixels, but the camera's depth is 424 x 240"):
        plane_from_depth(np.ones((50, 100), dtype=np.float32), camera)
    noise = np.random.default_rng(0).uniform(5, 60, (240, 424)).astype(np.float32)
    with pytest.raises(CalibrationError, match="no plane found"):
        plane_from_depth(noise, camera)


def test_a_real_wooden_floor_seen_by_a_d435i_is_flat_to_its_ripple(realdata: Path) -> None:
    # Floor, wall and a box in one picture; the maker's nominal field of view stands for the unknown intrinsics.
    raw = cv2.imread(str(realdata / "d435i_tags_floor" / "00000000-depth.png"), cv2.IMREAD_UNCHANGED)
    camera = Camera("D435I", Intrinsics(640, 480, 385.0, 385.0, 319.5, 239.5), None, depth_unit_mm=1.0)
    fit = plane_from_depth(disparity_from_depth(np.asarray(raw, dtype=np.uint16), camera), camera)
    assert 500 < fit.distance_mm < 700
    assert 10 < fit.tilt_deg < 30
    assert fit.share > 0.35
    assert fit.residual_mm < 0.004 * fit.distance_mm
    assert 0.002 * fit.distance_mm < fit.ripple_mm < 0.01 * fit.distance_mm
