"""How a camera was moved is measured from two pictures of the table; where they can't tell, nothing is guessed."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from calibration.bumped import Bump, measured_bump
from calibration.camera import Camera, Intrinsics
from calibration.table import EmptyTable, TableCalibration, transform

COLOR = Intrinsics(960, 540, 690.0, 690.0, 479.5, 269.5)
DEPTH = Intrinsics(640, 360, 460.0, 460.0, 319.5, 179.5)
CAMERA = Camera("D435", DEPTH, COLOR, depth_unit_mm=0.1, baseline_mm=50.0)
CORNERS = np.array([[-250, -150, 0], [250, -150, 0], [250, 150, 0], [-250, 150, 0.0]])


def table() -> TableCalibration:
    pose = np.diag([1.0, -1.0, -1.0, 1.0])
    pose[2, 3] = 700.0
    disparity = np.full((360, 640), CAMERA.disparity_gain / 700.0, np.float32)
    empty = EmptyTable(disparity, np.full_like(disparity, 0.02), None, np.ones(disparity.shape, np.bool_))
    return TableCalibration(CAMERA, pose, empty)


def wood(rng: np.random.Generator) -> np.ndarray:
    """Grain along x: single points of it can't be told apart along x, the whole can."""
    grain = cv2.GaussianBlur(rng.standard_normal((540, 960)), (0, 0), sigmaX=9.0, sigmaY=1.2)
    return np.asarray(120 + 9 * grain / grain.std())


def picture(cloth: np.ndarray, rng: np.random.Generator, pose: np.ndarray | None = None) -> np.ndarray:
    """The table from its calibrated pose, or from another one."""
    if pose is not None:
        before = COLOR.project(transform(table().T_color_table, CORNERS)).astype(np.float32)
        after = COLOR.project(transform(pose, CORNERS)).astype(np.float32)
        way = cv2.getPerspectiveTransform(before, after)
        cloth = np.asarray(cv2.warpPerspective(cloth, way, (960, 540), borderMode=cv2.BORDER_REFLECT))
    noisy = cloth[..., None] + 2.0 * rng.standard_normal((540, 960, 3))
    return np.clip(np.round(noisy), 0, 255).astype(np.uint8)


def moved_by(x: float, y: float, z: float, turn_deg: float = 0.0, tilt_deg: float = 0.0) -> np.ndarray:
    step = np.eye(4)
    step[:3, :3] = cv2.Rodrigues(np.deg2rad([tilt_deg, 0.0, turn_deg]))[0]
    step[:3, 3] = (x, y, z)
    return np.asarray(table().T_color_table @ step)


@pytest.mark.parametrize(
    ("x", "y", "z", "turn", "tilt"),
    [(0.0, 0.0, 0.0, 0.0, 0.0), (2.0, -1.0, 0.0, 0.0, 0.0), (9.0, 12.0, 2.0, 0.6, 0.3), (-45.0, 20.0, 0.0, 0.0, 0.0)],
)
def test_a_bump_is_measured_to_a_fraction_of_a_millimetre(
    x: float, y: float, z: float, turn: float, tilt: float
) -> None:
    rng = np.random.default_rng(5)
    cloth, true = wood(rng), moved_by(x, y, z, turn, tilt)
    bump = measured_bump(picture(cloth, rng), picture(cloth, rng, true), table())
    assert isinstance(bump, Bump)
    seen = COLOR.project(transform(bump.table.T_color_table, CORNERS))
    error_mm = np.abs(seen - COLOR.project(transform(true, CORNERS))).max() * 700 / COLOR.fx
    assert error_mm < max(0.4, 3 * bump.sigma_mm)
    assert bump.shift_mm == pytest.approx(np.hypot(x, y), abs=0.4 + 260 * np.deg2rad(turn) + 6 * tilt)


def test_the_map_of_the_empty_table_goes_with_the_table() -> None:
    rng = np.random.default_rng(6)
    cloth, true = wood(rng), moved_by(0.0, 0.0, 5.0)
    bump = measured_bump(picture(cloth, rng), picture(cloth, rng, true), table())
    assert bump is not None
    nearer = CAMERA.disparity_gain / float(np.median(bump.table.empty.disparity_px))
    assert nearer == pytest.approx(695.0, abs=0.5)


def test_a_blank_table_and_another_table_tell_nothing() -> None:
    rng = np.random.default_rng(7)
    blank = np.full((540, 960), 150.0)
    assert measured_bump(picture(blank, rng), picture(blank, rng), table()) is None
    assert measured_bump(picture(wood(rng), rng), picture(wood(rng), rng), table()) is None


def test_pictures_of_another_size_tell_nothing() -> None:
    rng = np.random.default_rng(8)
    small = picture(wood(rng), rng)[::2, ::2].copy()
    assert measured_bump(small, small, table()) is None
