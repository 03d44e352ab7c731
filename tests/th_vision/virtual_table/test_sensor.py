"""The sensor's faults, each as it was measured on real cameras."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from th_vision.virtual_table.cameras import VirtualCamera, camera_model, pose_over_table
from th_vision.virtual_table.kernel import match, shadow
from th_vision.virtual_table.render import render_moment
from th_vision.virtual_table.scene import ForeignBody, Scene, StickBody
from th_vision.virtual_table.sensor import NO_FAULTS, Faults, Sensor, shoot

Floats = NDArray[np.float32]
KERNEL = (5.0, 4.0)
CAMERA = VirtualCamera(camera_model("D415"), pose_over_table(650.0))
QUIET = replace(NO_FAULTS, noise_gain=1.0)
BOX = ForeignBody(((-20.0, -20.0), (20.0, -20.0), (20.0, 20.0), (-20.0, 20.0)), 30.0)


def ragged(shape: tuple[int, int]) -> Floats:
    return np.random.default_rng(0).random(shape, dtype=np.float32)


def step_image(height_px: float, width: int = 41) -> tuple[Floats, Floats]:
    base = np.full((200, 300), 60.0, dtype=np.float32)
    truth = base.copy()
    truth[60:140, 150 - width // 2 : 150 + width // 2 + 1] += height_px
    return truth, base


def disparities(sensor: Sensor, scene: Scene, n: int, seed: int = 5) -> NDArray[np.float64]:
    settled = sensor.settle(render_moment(scene, sensor.camera, color=False))
    rng = np.random.default_rng(seed)
    stack = np.stack([sensor.depth_frame(settled, rng) for _ in range(n)]).astype(np.float64)
    stack[stack == 0] = np.nan
    return np.asarray(sensor.camera.disparity_gain / (stack * sensor.camera.depth_unit_mm))


# --- the matching kernel ------------------------------------------------------------------------------------------


def test_a_plane_stays_as_it_is() -> None:
    base = np.tile(np.linspace(50, 70, 300, dtype=np.float32), (200, 1))
    matched = match(base, base, KERNEL, ragged(base.shape))
    assert np.abs(matched.disparity - base).max() < 1e-4


def test_a_step_under_one_pixel_is_blended_too_low_and_too_wide() -> None:
    truth, base = step_image(0.4, width=9)
    seen = match(truth, base, KERNEL, ragged(truth.shape)).disparity - base
    assert 0.5 < seen[100, 150] / 0.4 < 0.75
    assert seen[100, 150 + 8] > 0.05


def test_a_large_step_keeps_its_height_and_grows_sideways_more_than_up_and_down() -> None:
    truth, base = step_image(6.0)
    seen = match(truth, base, KERNEL, ragged(truth.shape)).disparity - base
    assert seen[100, 150] == pytest.approx(6.0, abs=0.1)
    high = seen > 3
    sideways = high[70:130].sum(axis=1) - 41
    upright = high[:, 140:160].sum(axis=0) - 80
    assert 4 <= sideways.mean() <= 16  # two sides of 2-8 px
    assert 2 <= upright.mean() <= 8  # top and bottom of 1-4 px
    assert sideways.std() > 0.5  # ragged


def test_the_share_grows_with_the_step() -> None:
    shares = []
    for height in (0.5, 1.5, 2.2, 3.5):
        truth, base = step_image(height, width=9)
        shares.append(float((match(truth, base, KERNEL, ragged(truth.shape)).disparity - base)[100, 150]) / height)
    assert shares == sorted(shares)
    assert shares[0] < 0.7
    assert shares[-1] > 0.95


def test_the_shadow_lies_to_the_left_as_wide_as_the_step_and_the_left_band_is_a_bit_wider_than_the_disparity() -> None:
    truth, base = step_image(12.0)
    hidden = shadow(truth, np.zeros_like(truth))
    row = hidden[100]
    assert row[:64].all()
    assert not row[75:115].any()
    assert abs(int(row[115:130].sum()) - 12) <= 2
    assert not row[130:].any()
    assert not shadow(base, np.zeros_like(base))[:, 75:].any()
    wide = (~shadow(base, 1.5 * ragged(base.shape) - 0.75)).argmax(axis=1) - 60  # real D415 frames: 4 to 18 px more
    assert 2 <= wide.min() < wide.max() <= 20


@pytest.mark.parametrize(
    ("model", "size", "share"), [("D415", (1280, 720), 0.88), ("D435", (1280, 720), 0.71), ("D435", (848, 480), 0.52)]
)
def test_a_stick_of_10_mm_at_700_mm_shows_the_measured_share_of_its_height(
    model: str, size: tuple[int, int], share: float
) -> None:
    camera = VirtualCamera(camera_model(model), pose_over_table(700.0), size=size)
    sensor = Sensor(camera, np.random.default_rng(1), NO_FAULTS)
    stick = StickBody("r1", ((-57, 0, 2), (57, 0, 2)), 10, 2)
    upright = StickBody("r2", ((0, -57, 2), (0, 57, 2)), 10, 2)
    shown = []
    for body in (stick, upright):
        clean = render_moment(Scene(sticks=(body,)), camera, color=False)
        seen = sensor.settle(clean).disparity
        bare = sensor.settle(render_moment(Scene(), camera, color=False)).disparity
        h, w = seen.shape
        rise = (seen - bare)[h // 2 - 3 : h // 2 + 3, w // 2 - 3 : w // 2 + 3].mean()
        shown.append(float(rise) / (camera.disparity_gain * (1 / 698 - 1 / 700)))
    assert np.mean(shown) == pytest.approx(share, rel=0.1)


# --- noise --------------------------------------------------------------------------------------------------------


def test_noise_is_correlated_over_the_kernel_and_averages_as_the_root_of_the_number() -> None:
    sensor = Sensor(CAMERA, np.random.default_rng(2), QUIET)
    d = disparities(sensor, Scene(), 16)[:, 200:520, 300:1000]
    noise = d - d.mean(axis=0)
    sd = noise.std()
    assert 0.03 < sd < 0.13

    def correlation(du: int, dv: int) -> float:
        a = noise[:, : noise.shape[1] - dv, : noise.shape[2] - du]
        return float((a * noise[:, dv:, du:]).mean() / sd**2)

    assert correlation(5, 0) > 0.5 > correlation(10, 0)  # half-width 5-9 px
    assert correlation(0, 4) > 0.5 > correlation(0, 8)  # half-width 4-6 px
    assert (noise[:8].mean(axis=0) - noise[8:].mean(axis=0)).std() == pytest.approx(sd * np.sqrt(2 / 8), rel=0.15)


def test_a_pattern_remains_that_is_redrawn_where_the_surface_changes_and_nowhere_else() -> None:
    sensor = Sensor(CAMERA, np.random.default_rng(3), QUIET)
    bare = sensor.settle(render_moment(Scene(), CAMERA, color=False)).disparity
    again = sensor.settle(render_moment(Scene(), CAMERA, color=False)).disparity
    card = ForeignBody(BOX.outline, 0.01)
    changed = sensor.settle(render_moment(Scene(foreign=(card,)), CAMERA, color=False)).disparity
    assert (bare == again).all()
    difference = changed - bare
    middle = difference[340:380, 620:660]
    assert 0.03 < middle.std() < 0.15
    assert np.abs(difference[:150]).max() < 1e-3


def test_disparity_comes_in_steps_of_a_thirty_second_pixel() -> None:
    sensor = Sensor(replace(CAMERA, depth_unit_mm=0.01), np.random.default_rng(3), QUIET)
    d = disparities(sensor, Scene(), 1)[0, 300:400, 400:900]
    assert np.abs(d * 32 - np.rint(d * 32)).max() < 0.05


def test_the_table_is_not_flat_but_rippled_by_half_to_over_one_percent() -> None:
    sensor = Sensor(CAMERA, np.random.default_rng(4), replace(NO_FAULTS, ripple_share=0.01))
    d = sensor.settle(render_moment(Scene(), CAMERA, color=False)).disparity[20:700, 150:1260]
    share = np.ptp(np.percentile(d, [0.5, 99.5])) / d.mean()
    assert 0.006 < share < 0.014


def test_depth_comes_in_the_unit_of_the_camera() -> None:
    for unit in (0.1, 1.0):
        sensor = Sensor(replace(CAMERA, depth_unit_mm=unit), np.random.default_rng(1), NO_FAULTS)
        frame = shoot(Scene(), sensor.camera, sensor, np.random.default_rng(1), 1, color=False)[0]
        assert frame.depth[360, 640] == pytest.approx(650 / unit, abs=1)


def test_nothing_nearer_than_the_least_distance_is_seen() -> None:
    high = ForeignBody(BOX.outline, 300.0)
    sensor = Sensor(CAMERA, np.random.default_rng(1), NO_FAULTS)
    frame = shoot(Scene(foreign=(high,)), CAMERA, sensor, np.random.default_rng(1), 1, color=False)[0]
    assert frame.depth[360, 640] == 0


def test_holes_stay_below_three_percent_of_the_table() -> None:
    sensor = Sensor(CAMERA, np.random.default_rng(8))
    frame = shoot(Scene(), CAMERA, sensor, np.random.default_rng(1), 1, color=False)[0]
    assert 0 < (frame.depth[:, 150:] == 0).mean() < 0.03


def test_the_same_seed_gives_the_same_bytes_and_another_seed_others() -> None:
    def once(seed: int) -> bytes:
        rng = np.random.default_rng(seed)
        camera = replace(CAMERA, color_size=(480, 270))
        frames = shoot(Scene(foreign=(BOX,)), camera, Sensor(camera, rng), rng, 2)
        assert frames[0].color is not None
        return frames[1].depth.tobytes() + frames[1].color.tobytes() if frames[1].color is not None else b""

    assert once(1) == once(1)
    assert once(1) != once(2)


def test_drift_walks_but_stays_within_a_millimetre() -> None:
    sensor = Sensor(CAMERA, np.random.default_rng(1), Faults(drift_mm=0.3))
    rng = np.random.default_rng(2)
    walk = []
    for _ in range(300):
        sensor.drift_on(rng)
        walk.append(sensor.drift[0] * 650**2 / CAMERA.disparity_gain)
    assert np.std(walk) > 0.3
    assert np.abs(walk).max() <= 1.0 + 1e-9
