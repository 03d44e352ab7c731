"""The calibration of a virtual camera, whose faults are a real one's, against the truth."""

from __future__ import annotations

import numpy as np

from calibration.calibrate import calibrate_table
from th_vision.virtual_table.cameras import VirtualCamera, camera_model, pose_over_table
from th_vision.virtual_table.examples import board_body, table_for
from th_vision.virtual_table.scene import Scene
from th_vision.virtual_table.sensor import Sensor, draw_faults, shoot


def test_a_tilted_d435_over_wood_is_placed_to_a_third_of_a_millimetre() -> None:
    rng = np.random.default_rng(4)
    camera = VirtualCamera(
        camera_model("D435"),
        pose_over_table(650, tilt_deg=(4, -3), turn_deg=15, aim_mm=(30, -20)),
        size=(848, 480),
        color_size=(1280, 720),
    )
    sensor = Sensor(camera, rng, draw_faults(rng))
    scene = Scene(table=table_for(rng, "wood"))
    frames = shoot(scene.with_board(board_body()), camera, sensor, rng, 3) + shoot(scene, camera, sensor, rng, 6)
    table, report = calibrate_table(camera.camera, ((frame.depth, frame.color) for frame in frames))
    found = camera.T_table_depth @ table.T_depth_table
    tilt_deg = np.degrees(np.arccos(np.clip(found[2, 2], -1, 1)))
    turn_deg = np.degrees(np.arctan2(found[1, 0], found[0, 0]))
    assert abs(found[2, 3]) < 0.3
    assert np.linalg.norm(found[:2, 3]) < 0.5
    assert tilt_deg < 0.06
    assert abs(turn_deg) < 0.05
    assert abs(report.depth_scale * (1 + sensor.faults.scale_error) - 1) < 0.001
    assert report.empty_frames == 6
