"""Pieces laid out on the virtual table, rendered once for all tests of measuring them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from calibration.calibrate import calibrate_table
from calibration.camera import Camera
from calibration.table import TableCalibration
from rules.pieces import Box, Disc, Pieces, Stick
from th_vision.detect.plan import PlanView, plan_view
from th_vision.enroll.arrange import Laid, arrange
from th_vision.enroll.find import Thing, find_things
from th_vision.enroll.layout_plan import LayoutPlan
from th_vision.enroll.sizes import Sizes, measure
from th_vision.frame import Frame
from th_vision.still_view import fuse
from th_vision.virtual_table.examples import calibration_frames, camera_over_table, table_for
from th_vision.virtual_table.laid_out import laid_out_scene
from th_vision.virtual_table.sensor import Sensor, shoot

SQUARE = Pieces(
    stick=Stick(length=150.0, width=12.0, thickness=2.2, ends="square"),
    disc=Disc(diameter=24.0, height=8.0),
    players={"red": "#c0392b", "green": "#3f9b57"},
    cars={"sedan": Box(length=17.0, width=8.5, height=7.5), "highway_bus": Box(length=30.0, width=9.0, height=10.0)},
)
"""A set of other sizes, colours and ends than the usual."""
ROUND = Pieces(stick=Stick(length=110.0, width=9.0, thickness=1.8), disc=Disc(diameter=18.0, height=10.6))
SETS = {"square": SQUARE, "round": ROUND}


@dataclass(frozen=True)
class Example:
    """A layout as the camera saw it, and all that was made of it."""

    pieces: Pieces
    camera: Camera
    table: TableCalibration
    empty: tuple[Frame, ...]
    frames: tuple[Frame, ...]
    plan: PlanView
    things: tuple[Thing, ...]
    layout: LayoutPlan
    laid: Laid
    sizes: Sizes


@lru_cache(maxsize=2)
def laid_example(
    seed: int,
    name: str,
    camera: str,
    distance_mm: float,
    surface: str,
    turn_deg: float,
    color_size: tuple[int, int] = (1920, 1080),
) -> Example:
    """Calibrate, lay out, look, find and measure."""
    pieces = SETS[name]
    rng = np.random.default_rng(seed)
    placed = replace(camera_over_table(rng, camera, distance_mm), color_size=color_size)
    layout = LayoutPlan(tuple(pieces.players), tuple(pieces.cars))
    scene = laid_out_scene(rng, pieces, layout.players, layout.cars, turn_deg=turn_deg, below=turn_deg < 90)
    scene = replace(scene, table=table_for(rng, surface))
    sensor = Sensor(placed, rng)
    before = calibration_frames(scene, placed, sensor, rng, board_frames=2, empty=8)
    frames = shoot(scene, placed, sensor, rng, 5, number=len(before), time_s=60.0)
    table, _ = calibrate_table(placed.camera, ((frame.depth, frame.color) for frame in before))
    plan = plan_view(fuse(frames, table))
    things = find_things(plan)
    laid = arrange(plan, things, layout)
    sizes = measure(plan, laid, Pieces().disc.height)
    return Example(
        pieces, placed.camera, table, tuple(before[-4:]), tuple(frames), plan, tuple(things), layout, laid, sizes
    )
