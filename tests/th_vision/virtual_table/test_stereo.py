"""The model that matches a pair of infrared pictures: what it is asked to find, and faults that come by themselves."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from th_vision.errors import VisionError
from th_vision.virtual_table.cameras import REDUCED, VirtualCamera, camera_model, pose_over_table
from th_vision.virtual_table.faults import NO_FAULTS, Faults
from th_vision.virtual_table.render import render_moment
from th_vision.virtual_table.scene import ForeignBody, Scene, TableBody
from th_vision.virtual_table.sensor_model import make_sensor, shoot
from th_vision.virtual_table.stereo import StereoSensor
from th_vision.virtual_table.stereo_match import Matching, match_pair

Floats = NDArray[np.float32]
HOW = Matching()
CAMERA = VirtualCamera(camera_model("D435"), pose_over_table(500.0), size=REDUCED)
QUIET = replace(NO_FAULTS, noise_gain=0.3)
BOX = ForeignBody(((-30.0, -30.0), (30.0, -30.0), (30.0, 30.0), (-30.0, 30.0)), 70.0)


def pair(disparity: Floats, seed: int = 0) -> tuple[NDArray[np.uint16], NDArray[np.uint16]]:
    """Dots on a flat thing whose left picture's pixels have these disparities (smooth ones only)."""
    rng = np.random.default_rng(seed)
    h, w = disparity.shape
    right = cv2.GaussianBlur(rng.random((h, w), dtype=np.float32), (0, 0), 1.1) * 4000
    u, v = np.meshgrid(np.arange(w, dtype=np.float32), np.arange(h, dtype=np.float32))
    left = cv2.remap(right, u - disparity, v, cv2.INTER_CUBIC)
    return left.astype(np.uint16), right.astype(np.uint16)


# --- the matcher -------------------------------------------------------------------------------------------------


def test_a_slope_is_found_to_a_twentieth_of_a_pixel() -> None:
    truth = np.tile(np.linspace(12, 17, 200, dtype=np.float32), (80, 1))
    found = match_pair(*pair(truth), 6, 18, HOW)[15:-15, 45:-30]
    assert (found > 0).mean() > 0.99
    error = (found - truth[15:-15, 45:-30])[found > 0]
    assert np.abs(np.median(error)) < 0.02
    assert np.sqrt(np.mean(error**2)) < 0.05


def test_what_the_right_picture_does_not_show_has_no_disparity() -> None:
    left, right = pair(np.full((80, 200), 15, dtype=np.float32))
    assert (match_pair(left, right, 6, 18, HOW)[:, :14] == 0).all()
    other = pair(np.full((80, 200), 15, dtype=np.float32), seed=9)[1]
    assert (match_pair(left, other, 2, 40, HOW) == 0).mean() > 0.5


def test_a_stronger_pull_is_left_where_less_is_taken_out() -> None:
    truth = np.tile(np.linspace(12, 17, 400, dtype=np.float32), (80, 1))
    pictures = pair(truth)

    def pull(evened_px: float) -> float:
        found = match_pair(*pictures, 6, 18, replace(HOW, evened_px=evened_px))[15:-15, 45:-30]
        t = truth[15:-15, 45:-30]
        return float(2 * abs(np.mean((found - t) * np.exp(-2j * np.pi * t))))

    assert pull(0.0) > pull(0.07) + 0.03


# --- the sensor --------------------------------------------------------------------------------------------------


def test_a_box_is_fattened_and_throws_a_shadow_to_its_left_as_wide_as_the_step() -> None:
    sensor = StereoSensor(CAMERA, np.random.default_rng(1), replace(NO_FAULTS, noise_gain=1.0))
    clean = render_moment(Scene(foreign=(BOX,), table=TableBody("white")), CAMERA, color=False)
    d = sensor.disparity(sensor.settle(clean), np.random.default_rng(2))
    truth = CAMERA.disparity_gain / clean.depth_mm
    low, high = float(truth[10, 600]), float(truth.max())
    rows = slice(CAMERA.depth.height // 2 - 20, CAMERA.depth.height // 2 + 20)
    columns = np.flatnonzero(truth[240] > (low + high) / 2)
    left, right = columns[0], columns[-1]
    near = d > (low + high) / 2
    assert np.median(d[rows, left + 12 : right - 12]) == pytest.approx(high, abs=0.1)
    grown = np.concatenate([left - near[rows].argmax(axis=1), d.shape[1] - 1 - near[rows, ::-1].argmax(axis=1) - right])
    assert 1 <= grown.mean() <= 8
    assert grown.std() > 0.3  # ragged
    shadow = (d[rows, left - 35 : left] == 0).sum(axis=1)
    assert shadow.mean() == pytest.approx(high - low, rel=0.4)
    band = int(low) - 2
    assert (d[:, :band] == 0).all()
    assert (d[60:-60, band + 25 : band + 60] > 0).mean() > 0.97


def test_noise_is_correlated_over_the_window_and_a_pattern_remains() -> None:
    sensor = StereoSensor(CAMERA, np.random.default_rng(1), replace(NO_FAULTS, noise_gain=1.0))
    settled = sensor.settle(render_moment(Scene(table=TableBody("wood")), CAMERA, color=False))
    rng = np.random.default_rng(5)
    shots = np.stack([sensor.disparity(settled, rng) for _ in range(5)])[:, 100:380, 150:750]
    noise = shots - shots.mean(axis=0)
    sd = float(noise.std()) * np.sqrt(5 / 4)
    assert 0.03 < sd < 0.13

    def correlation(du: int) -> float:
        return float((noise[:, :, :-du] * noise[:, :, du:]).mean() / noise.var())

    assert correlation(4) > 0.5 > correlation(12)
    mean = shots.mean(axis=0)
    pattern = mean - cv2.GaussianBlur(mean, (0, 0), 10)
    assert 0.01 < np.sqrt(pattern.var() - sd**2 / 5) < 0.09


def test_scale_drift_and_temperature_show_in_depth() -> None:
    def depth(faults: Faults) -> float:
        sensor = StereoSensor(CAMERA, np.random.default_rng(1), faults)
        frame = next(sensor.still(render_moment(Scene(), CAMERA, color=False), np.random.default_rng(1), 1))
        seen = frame.depth[200:280, 380:460]
        return float(np.median(seen)) * CAMERA.depth_unit_mm

    right = depth(QUIET)
    assert right == pytest.approx(500, abs=1.0)
    assert depth(replace(QUIET, scale_error=0.01)) == pytest.approx(right * 1.01, abs=0.3)
    assert depth(replace(QUIET, scale_per_K=0.0005, warm_up_K=10)) == pytest.approx(right * 0.995, abs=0.3)


@pytest.mark.parametrize("model", ["fast", "stereo"])
def test_a_bumped_camera_sees_from_where_it_hangs_now(model: str) -> None:
    sensor = make_sensor(model, CAMERA, np.random.default_rng(1), QUIET)
    sensor.camera = replace(CAMERA, T_depth_table=pose_over_table(520.0, aim_mm=(15.0, 0.0)))
    frame = shoot(Scene(foreign=(BOX,)), sensor.camera, sensor, np.random.default_rng(1), 1, color=False)[0]
    z = frame.depth * CAMERA.depth_unit_mm
    assert np.median(z[400:, 300:600]) == pytest.approx(520, abs=1.5)
    high = np.argwhere((z > 430) & (z < 470))
    middle = sensor.camera.depth.project((sensor.camera.T_depth_table @ [0, 0, 70.0, 1.0])[:3])
    assert high.mean(axis=0)[::-1] == pytest.approx(middle, abs=3.0)


def test_the_same_seed_gives_the_same_bytes_and_another_seed_others() -> None:
    def once(seed: int) -> bytes:
        rng = np.random.default_rng(seed)
        return shoot(Scene(), CAMERA, make_sensor("stereo", CAMERA, rng), rng, 1, color=False)[0].depth.tobytes()

    assert once(1) == once(1)
    assert once(1) != once(2)


def test_a_model_that_does_not_exist_is_refused_with_those_that_do() -> None:
    with pytest.raises(VisionError, match="fast, stereo"):
        make_sensor("lidar", CAMERA, np.random.default_rng(1))
