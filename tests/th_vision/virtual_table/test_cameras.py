"""Cameras as data, and what a unit does to pictures and depth beside noise: each fault by itself."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.table import transform
from rules.pieces import Pieces
from th_vision.errors import VisionError
from th_vision.virtual_table.cameras import FULL, MODELS, REDUCED, VirtualCamera, camera_model, pose_over_table
from th_vision.virtual_table.faults import NO_FAULTS, Faults, light_gains
from th_vision.virtual_table.render import CleanRender, render_moment
from th_vision.virtual_table.scene import (
    EXACT,
    CarBody,
    CityBody,
    ForeignBody,
    Scene,
    StickBody,
    TableBody,
    make_column,
)
from th_vision.virtual_table.sensor import Sensor
from th_vision.virtual_table.sensor_model import shoot
from th_vision.virtual_table.session import Setup

CAMERA = VirtualCamera(camera_model("D435"), pose_over_table(600.0), size=REDUCED, color_size=(480, 270))
STEP_MM = 600**2 / CAMERA.disparity_gain / 32  # of depth, for one step of disparity
WHITE = Scene(table=TableBody("white"))


@pytest.fixture(scope="module")
def white() -> CleanRender:
    return render_moment(WHITE, CAMERA)


def picture(
    clean: CleanRender, faults: Faults, time_s: float = 0.0, camera: VirtualCamera = CAMERA
) -> NDArray[np.uint8]:
    sensor = Sensor(camera, np.random.default_rng(1), faults)
    seen = sensor.color_frame(sensor.settle(clean), np.random.default_rng(2), time_s)
    assert seen is not None
    return seen


def middle_depth_mm(faults: Faults, elapsed_s: float = 0.0) -> float:
    sensor = Sensor(CAMERA, np.random.default_rng(1), faults)
    sensor.drift_on(np.random.default_rng(3), elapsed_s)
    settled = sensor.settle(render_moment(Scene(), CAMERA, color=False))
    seen = sensor.depth_frame(settled, np.random.default_rng(2))[220:260, 400:440]
    return float(np.mean(seen)) * CAMERA.depth_unit_mm


# --- the models ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "wide_deg", "high_deg", "baseline_mm", "color_rolling", "depth_rolling", "projector"),
    [
        ("D415", 68.3, 41.8, 55, True, True, True),  # the maker states 65 x 40, each +- 3
        ("D435", 89.6, 58.3, 50, True, False, True),  # 87 x 58
        ("D455", 90.0, 58.7, 95, False, False, True),  # 87 x 58
        ("D405", 89.1, 58.0, 18, False, False, False),  # 87 x 58
    ],
)
def test_each_model_has_the_makers_figures(
    name: str,
    wide_deg: float,
    high_deg: float,
    baseline_mm: float,
    color_rolling: bool,
    depth_rolling: bool,
    projector: bool,
) -> None:
    model = camera_model(name)
    assert model.field_of_view_deg(FULL) == pytest.approx((wide_deg, high_deg), abs=0.5)
    assert model.baseline_mm == pytest.approx(baseline_mm, abs=0.5)
    assert (model.color_rolling, model.depth_rolling) == (color_rolling, depth_rolling)
    assert (model.projector_x_mm is not None) == projector


@pytest.mark.parametrize("name", sorted(MODELS))
@pytest.mark.parametrize("size", [FULL, REDUCED])
def test_the_least_distance_is_that_of_126_pixels_of_disparity(name: str, size: tuple[int, int]) -> None:
    model = camera_model(name)
    assert model.fx[size] * model.baseline_mm / model.min_z_mm[size] == pytest.approx(
        126, rel=0.15
    )  # the maker rounds up


@pytest.mark.parametrize("name", sorted(MODELS))
def test_both_resolutions_see_about_the_same_field(name: str) -> None:
    model = camera_model(name)
    full, reduced = model.field_of_view_deg(FULL), model.field_of_view_deg(REDUCED)
    assert reduced == pytest.approx(full, abs=1.5)


def test_any_pose_is_possible() -> None:
    camera = VirtualCamera(
        camera_model("D455"), pose_over_table(800, tilt_deg=(35, -20), turn_deg=130, aim_mm=(50, 80))
    )
    clean = render_moment(Scene(), camera, color=False)
    v, u = 300, 700
    point = transform(camera.T_table_depth, camera.depth.rays(np.array([u, v])) * clean.depth_mm[v, u])
    assert point[2] == pytest.approx(0, abs=0.1)


# --- colour -------------------------------------------------------------------------------------------------------


def test_exposure_brightens_and_white_balance_tints(white: CleanRender) -> None:
    usual = picture(white, NO_FAULTS).mean(axis=(0, 1))
    dark = picture(white, replace(NO_FAULTS, exposure=0.5)).mean(axis=(0, 1))
    assert dark / usual == pytest.approx([0.5 ** (1 / 2.2)] * 3, abs=0.02)
    warm = picture(white, replace(NO_FAULTS, white_balance=light_gains(-1500))).mean(axis=(0, 1))
    blue, green, red = warm / usual
    assert red > 1.05 > 0.95 > blue
    assert green == pytest.approx(1, abs=0.02)


def test_the_light_of_a_black_body_is_redder_when_cooler() -> None:
    blue, green, red = light_gains(-2000)
    assert blue < green == 1 < red
    assert light_gains(0) == pytest.approx((1, 1, 1))
    assert light_gains(1500)[0] > 1 > light_gains(1500)[2]


def test_a_rolling_shutter_shows_flicker_as_bands_and_a_global_one_as_a_whole(white: CleanRender) -> None:
    flicker = replace(NO_FAULTS, flicker=0.3)
    still = picture(white, NO_FAULTS).astype(float)
    banded = picture(white, flicker, 0.001) / still
    rows = banded.mean(axis=(1, 2))
    assert np.ptp(rows) > 0.04
    other = replace(CAMERA, model=replace(CAMERA.model, color_rolling=False))
    whole = [(picture(white, flicker, t, other) / still).mean(axis=(1, 2)) for t in (0.0, 0.003)]
    assert max(np.ptp(rows) for rows in whole) < 0.02
    assert abs(whole[0].mean() - whole[1].mean()) > 0.02


def test_colour_is_off_by_the_misregistration_that_was_asked_for() -> None:
    camera = replace(CAMERA, misregistration_px=(2.0, -1.0))
    card = ForeignBody(((-20.0, -20.0), (20.0, -20.0), (20.0, 20.0), (-20.0, 20.0)), 0.1, "#101010")
    scene = replace(WHITE, foreign=(card,))

    def middle(of: VirtualCamera) -> NDArray[np.float64]:
        dark = picture(render_moment(scene, of), NO_FAULTS, camera=of).mean(axis=2) < 120
        return np.argwhere(dark).mean(axis=0)[::-1]

    assert np.abs(middle(camera) - middle(CAMERA)) == pytest.approx([2.0, 1.0], abs=0.2)


# --- depth --------------------------------------------------------------------------------------------------------


def test_a_scale_error_stretches_depth() -> None:
    assert middle_depth_mm(replace(NO_FAULTS, scale_error=0.01)) == pytest.approx(606, abs=STEP_MM)


def test_a_cold_unit_reads_short_and_warms_up() -> None:
    cold = replace(NO_FAULTS, warm_up_K=10, scale_per_K=0.0005, warm_up_s=600)
    assert middle_depth_mm(cold) == pytest.approx(600 * 0.995, abs=STEP_MM)
    assert middle_depth_mm(cold, elapsed_s=600) == pytest.approx(600 * (1 - 0.005 / np.e), abs=STEP_MM)
    assert middle_depth_mm(cold, elapsed_s=6000) == pytest.approx(600, abs=STEP_MM)


def test_drift_tilts_the_table_too() -> None:
    sensor = Sensor(CAMERA, np.random.default_rng(1), replace(NO_FAULTS, drift_tilt_px=0.2, drift_limit_mm=5))
    clean = render_moment(Scene(), CAMERA, color=False)
    before = sensor.settle(clean).disparity
    sensor.drift_on(np.random.default_rng(2))
    change = sensor.settle(clean).disparity - before
    assert abs(float(change[:, 20].mean() - change[:, -20].mean())) > 0.02


def test_the_pattern_walks_slowly_from_moment_to_moment() -> None:
    sensor = Sensor(CAMERA, np.random.default_rng(1), replace(NO_FAULTS, noise_gain=1.0, wander=0.16))
    clean = render_moment(WHITE, CAMERA, color=False)
    rng = np.random.default_rng(2)
    maps = []
    for _ in range(13):
        maps.append(sensor.settle(clean).disparity[60:-60, 150:-60])
        sensor.drift_on(rng)
    first, last = (maps[1] - maps[0]).std(), (maps[-1] - maps[0]).std()
    assert 0.008 < first < 0.03
    assert 2 < last / first < 4.5  # a walk of twelve steps


# --- the truth ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(MODELS))
def test_the_truth_of_the_layout_agrees_with_a_noiseless_ray_cast_within_a_tenth_of_a_millimetre(name: str) -> None:
    pieces, rng = Pieces(), np.random.default_rng(4102)
    column = make_column(rng, pieces, "c1", 40, 30, 3, spread=EXACT)
    stick = StickBody("r1", ((-100, -40, 2.0), (10, -30, 31.0)), 10, 2)
    area = CityBody("d1", "building", ((-90, 20), (-60, 20), (-60, 50), (-90, 50)), 35.0)
    car = CarBody("k1", 80, -40, 0, "blue", pieces.cars["sedan"])
    scene = Scene(pieces, (column,), (stick,), (car,), (area,))
    camera = VirtualCamera(camera_model(name), pose_over_table(620.0, tilt_deg=(3, -2), turn_deg=7))
    clean = render_moment(scene, camera, color=False)
    layout = scene.layout()
    v, u = np.mgrid[: camera.depth.height, : camera.depth.width]
    seen = camera.depth.rays(np.stack([u, v], axis=-1).astype(float)) * clean.depth_mm[..., None]
    points = transform(camera.T_table_depth, seen.reshape(-1, 3)).reshape(seen.shape)

    def on(owner: str) -> NDArray[np.float64]:
        """Points (n, 3) where a body is seen."""
        mine = np.array([part.owner == owner for part in clean.parts] + [False])[clean.labels]
        return np.asarray(points[mine])

    (truth,) = layout.columns
    column_points = on("c1")
    face = column_points[column_points[:, 2] > truth.top_z - 0.02]  # walls lie lower
    assert face[:, :2].mean(axis=0) == pytest.approx([truth.x, truth.y], abs=0.1)
    off_centre = np.hypot(*(column_points[:, :2] - [truth.x, truth.y]).T)
    inside = column_points[off_centre < pieces.disc.radius - 0.3]
    assert len(inside) > 300
    assert np.abs(inside[:, 2] - truth.top_z).max() < 0.1
    (road,) = layout.roads
    tips = np.array(road.ends)
    along = (tips[1] - tips[0]) / np.linalg.norm(tips[1] - tips[0])
    beside = np.array([-along[1], along[0], 0]) / np.hypot(along[0], along[1])
    rest = on("r1") - tips[0]
    s = rest @ along
    upper = (np.abs(rest @ beside) < 4.8) & (s > 6) & (s < stick.length - 6)
    assert upper.sum() > 500
    assert np.abs(rest[upper] @ np.cross(along, beside)).max() < 0.1
    table = points[clean.labels == 0]
    assert np.abs(table[:, 2]).max() < 0.1


# --- what can't be ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("what", "says"),
    [
        ({"exposure": 0.0}, "exposure"),
        ({"flicker": 2.0}, "flicker"),
        ({"warm_up_K": 100.0}, "too cold"),
        ({"white_balance_K": 9000.0}, "light off"),
        ({"model": "lidar"}, "fast, stereo"),
    ],
)
def test_setups_that_can_not_be_are_refused(what: dict[str, float], says: str) -> None:
    with pytest.raises(VisionError, match=says):
        Setup(**what)  # type: ignore[arg-type]  # one wrong value of any kind


def test_a_frame_of_a_session_shows_flicker_and_cold() -> None:
    sensor = Sensor(CAMERA, np.random.default_rng(1), replace(NO_FAULTS, warm_up_K=20, scale_per_K=0.0005))
    frame = shoot(Scene(), CAMERA, sensor, np.random.default_rng(1), 1, color=False)[0]
    assert float(np.median(frame.depth[220:260, 400:440])) * 0.1 == pytest.approx(594, abs=0.3)
