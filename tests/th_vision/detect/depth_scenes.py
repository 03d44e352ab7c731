"""Virtual scenes without colour: through the depth sensor's faults, or as a clean cloud from another program."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np

from calibration.camera import Camera
from calibration.empty_table import map_from_disparities
from calibration.plane import disparity_from_depth
from calibration.table import TableCalibration
from rules.pieces import Pieces
from th_vision.frame import Frame
from th_vision.sources.point_cloud import plane_calibration
from th_vision.still_view import fuse
from th_vision.virtual_table.cameras import VirtualCamera
from th_vision.virtual_table.examples import camera_over_table, table_for
from th_vision.virtual_table.render import render_moment
from th_vision.virtual_table.scene import ForeignBody, Scene
from th_vision.virtual_table.sensor import Sensor, shoot
from th_vision.virtual_table.static_scenes import random_static_scene

from .scenes import Seen


def scene_of(
    rng: np.random.Generator, camera: str, distance_mm: float, roads: int, columns: int
) -> tuple[Scene, VirtualCamera]:
    placed = camera_over_table(rng, camera, distance_mm)
    pieces = Pieces()
    return replace(random_static_scene(rng, pieces, roads, columns), table=table_for(rng, "wood")), placed


def without_color(camera: Camera) -> Camera:
    return replace(camera, color=None)


@lru_cache(maxsize=8)
def through_sensor(
    seed: int,
    camera: str = "D415",
    distance_mm: float = 580.0,
    foreign: tuple[ForeignBody, ...] = (),
    roads: int = 4,
    columns: int = 5,
) -> Seen:
    """The scene's true pose and a map of the empty table from a dozen frames; five frames of the scene."""
    rng = np.random.default_rng(seed)
    scene, placed = scene_of(rng, camera, distance_mm, roads, columns)
    scene = replace(scene if roads else scene.empty(), foreign=foreign)
    sensor = Sensor(placed, rng)
    plain = without_color(placed.camera)
    empty = [disparity_from_depth(f.depth, plain) for f in shoot(scene.empty(), placed, sensor, rng, 12, color=False)]
    table = TableCalibration(plain, placed.T_depth_table, map_from_disparities(empty, None))
    shots = shoot(scene, placed, sensor, rng, 5, color=False)
    return Seen(fuse(shots, table), scene.layout(), scene.pieces)


@lru_cache(maxsize=4)
def clean(seed: int) -> Seen:
    """Exact depth, rounded to 0.1 mm, against an exactly known plane."""
    rng = np.random.default_rng(seed)
    scene, placed = scene_of(rng, "D415", 580.0, 4, 5)
    depth = render_moment(scene, placed, color=False).depth_mm
    units = np.rint(np.where(np.isfinite(depth), depth, 0) / placed.depth_unit_mm).astype(np.uint16)
    table = plane_calibration(without_color(placed.camera), placed.T_depth_table)
    return Seen(fuse([Frame(0, 0.0, units)], table), scene.layout(), scene.pieces)
