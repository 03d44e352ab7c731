"""How well a table is calibrated: errors against the truth of virtual cameras over virtual tables.

    python -m bench.calibrate_table [--seed 1] [--tables 2] [--faults none|typical]

Each row is one camera and tilt; each of its tables has its own seed, surface, place of the board and unit's faults.
``typical`` units have a depth scale error (sd 0.4 %), ripple, drift and a misplaced colour camera; then origin and turn
are judged in the colour camera, where the plan view is measured, and heights in the depth camera.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass, replace

import numpy as np

from calibration.calibrate import calibrate_table
from calibration.table import TableCalibration
from rules.pieces import Pieces
from th_vision.virtual_table.cameras import VirtualCamera, camera_model, pose_over_table
from th_vision.virtual_table.examples import board_body, table_for
from th_vision.virtual_table.scene import Scene
from th_vision.virtual_table.sensor import Faults, Sensor, draw_faults, shoot
from th_vision.virtual_table.surfaces import SURFACES

CAMERAS = (("D415", 580.0), ("D435", 700.0))
TILTS = (0.0, 2.0, 5.0, 8.0)
GOALS = {"height_mm": 0.3, "tilt_deg": 0.05, "origin_mm": 0.5, "turn_deg": 0.1}


@dataclass(frozen=True)
class Errors:
    """Errors of one calibration: height and tilt of the plane, place of the origin, turn of the x axis."""

    height_mm: float
    tilt_deg: float
    origin_mm: float
    turn_deg: float
    scale: float
    seconds: float
    sigma_height_mm: float
    sigma_tilt_deg: float


def errors(table: TableCalibration, camera: VirtualCamera, scale: float, seconds: float) -> Errors:
    """Compare a calibration with the virtual camera's truth."""
    true = camera.T_depth_table
    normal = table.T_depth_table[:3, 2]
    cosine = float(np.clip(normal @ true[:3, 2], -1, 1))
    # Height of the calibrated plane over the true origin, and over the true plane where the calibrated origin is.
    height = float((table.T_table_depth @ np.append(true[:3, 3], 1.0))[2])
    # In plan the colour camera decides: where does the true origin, as it really sees it, fall in the table frame?
    found = np.linalg.inv(table.T_color_table) @ (camera.true_T_color_depth @ true)
    origin = float(np.linalg.norm(found[:2, 3]))
    turn = float(np.degrees(np.arctan2(found[1, 0], found[0, 0])))
    return Errors(
        height,
        float(np.degrees(np.arccos(cosine))),
        origin,
        turn,
        scale,
        seconds,
        table.residuals_mm["sigma_height_mm"],
        table.residuals_mm["sigma_tilt_deg"],
    )


def one(model: str, distance_mm: float, tilt_deg: float, surface: str, seed: int, faults: str) -> Errors:
    """Calibrate one virtual table: 6 frames with the board, 10 of the empty table."""
    rng = np.random.default_rng(seed)
    direction = rng.uniform(0, 2 * np.pi)
    misplaced = rng.normal(0, 0.6, 2) if faults == "typical" else np.zeros(2)
    camera = VirtualCamera(
        camera_model(model),
        pose_over_table(
            distance_mm,
            tilt_deg=(tilt_deg * float(np.cos(direction)), tilt_deg * float(np.sin(direction))),
            turn_deg=float(rng.uniform(-40, 40)),
            aim_mm=(float(rng.uniform(-60, 60)), float(rng.uniform(-30, 30))),
        ),
        misregistration_px=(float(misplaced[0]), float(misplaced[1])),
    )
    unit = draw_faults(rng) if faults == "typical" else replace(Faults(), scale_error=0.0)
    sensor = Sensor(camera, rng, unit)
    scene = Scene(Pieces(), table=table_for(rng, surface)).empty()
    frames = shoot(scene.with_board(board_body()), camera, sensor, rng, 6)
    frames += shoot(scene, camera, sensor, rng, 10)
    start = time.perf_counter()
    table, report = calibrate_table(camera.camera, ((frame.depth, frame.color) for frame in frames))
    return errors(table, camera, report.scale_ratio, time.perf_counter() - start)


def say(*columns: object) -> None:
    """One line of the table."""
    sys.stdout.write("".join(str(column) for column in columns) + "\n")
    sys.stdout.flush()


def figures(values: dict[str, float]) -> str:
    """The errors of a row."""
    return "".join(f"{value:12.{3 if key.endswith('mm') else 4}f}" for key, value in values.items())


def main() -> None:
    """Print one row a camera and tilt: the largest error of its tables, and the goals."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tables", type=int, default=2, help="tables a row, surfaces in turn")
    parser.add_argument("--faults", choices=("none", "typical"), default="typical")
    wanted = parser.parse_args()
    say(f"largest error of {wanted.tables} tables a row, unit's faults: {wanted.faults}")
    say(f"{'camera':8}{'tilt':>6}", *(f"{name:>12}" for name in (*GOALS, "height/sigma", "tilt/sigma", "s")))
    rows: list[Errors] = []
    surfaces = list(SURFACES)
    for model, distance in CAMERAS:
        for tilt in TILTS:
            row: list[Errors] = []
            for _ in range(wanted.tables):
                number = len(rows) + len(row)
                seed = wanted.seed * 1000 + number
                row.append(one(model, distance, tilt, surfaces[number % len(surfaces)], seed, wanted.faults))
            pull = max(abs(each.height_mm) / each.sigma_height_mm for each in row)
            tilted = max(each.tilt_deg / each.sigma_tilt_deg for each in row)
            seconds = max(each.seconds for each in row)
            peak = {key: max(abs(getattr(each, key)) for each in row) for key in GOALS}
            say(f"{model:8}{tilt:6.1f}", figures(peak), f"{pull:12.1f}{tilted:12.1f}{seconds:12.1f}")
            rows += row
    values = {key: np.array([abs(getattr(each, key)) for each in rows]) for key in GOALS}
    for name, share in (("median", 50), ("95 %", 95), ("worst", 100)):
        say(f"{name:14}", figures({key: float(np.percentile(values[key], share)) for key in GOALS}))
    say(f"{'goal':14}", figures(GOALS))


if __name__ == "__main__":
    main()
