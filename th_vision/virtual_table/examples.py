"""Scenes and recordings of the virtual table from a seed alone, for tests and benches."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from calibration.board import Board
from rules.layout import Layout
from rules.pieces import Pieces
from th_vision.frame import Frame
from th_vision.virtual_table.cameras import VirtualCamera, camera_model, pose_over_table
from th_vision.virtual_table.faults import Faults
from th_vision.virtual_table.scene import BoardBody, Light, Scene, Spread, TableBody
from th_vision.virtual_table.sensor_model import SensorModel, make_sensor, shoot
from th_vision.virtual_table.static_scenes import random_static_scene

_TEXEL_PER_MM = 8.0


def board_body(board: Board | None = None, thickness_mm: float = 0.1) -> BoardBody:
    """The calibration board (the contract's, or another) as a printed sheet."""
    drawn = board or Board()
    return BoardBody(drawn.image(_TEXEL_PER_MM), (drawn.width_mm, drawn.height_mm), thickness_mm=thickness_mm)


def camera_over_table(
    rng: np.random.Generator,
    model: str = "D415",
    distance_mm: float = 580.0,
    *,
    size: tuple[int, int] = (1280, 720),
    depth_unit_mm: float = 0.1,
    tilt_deg: float = 2.0,
    laid_mm: float = 20.0,
    laid_deg: float = 5.0,
) -> VirtualCamera:
    """A camera as a person would put it up, and a board as a person would lay it: a bit off, a bit turned.

    ``tilt_deg``, ``laid_mm``, ``laid_deg`` are the largest deviations. The table frame is the board's.
    """
    tilt = rng.uniform(-tilt_deg, tilt_deg, 2)
    aim = rng.uniform(-laid_mm, laid_mm, 2)
    # The left band without depth moves the useful field to the right.
    chosen = camera_model(model)
    aim[0] -= chosen.baseline_mm / 2
    pose = pose_over_table(
        distance_mm,
        tilt_deg=(float(tilt[0]), float(tilt[1])),
        turn_deg=float(rng.uniform(-laid_deg, laid_deg)),
        aim_mm=(float(aim[0]), float(aim[1])),
    )
    wrong = np.clip(rng.normal(0, 0.6, 2), -3, 3)
    return VirtualCamera(
        chosen,
        pose,
        size=size,
        depth_unit_mm=depth_unit_mm,
        misregistration_px=(float(wrong[0]), float(wrong[1])),
        serial=f"VT{int(rng.integers(10**6)):06d}",
    )


def table_for(rng: np.random.Generator, surface: str) -> TableBody:
    """A table top under the board: its texture lies anyhow."""
    at = rng.uniform(-40, 40, 2)
    return TableBody(
        surface=surface,
        center=(float(at[0]), float(at[1])),
        seed=int(rng.integers(4)),
        texture_turn_deg=float(rng.uniform(-6, 6)),
    )


@dataclass(frozen=True)
class StaticExample:
    """Frames of one still scene with its calibration recording and truth, and the sensor that took them."""

    camera: VirtualCamera
    calibration_frames: list[Frame]
    frames: list[Frame]
    truth: Layout
    pieces: Pieces
    scene: Scene
    sensor: SensorModel


def calibration_frames(
    scene: Scene,
    camera: VirtualCamera,
    sensor: SensorModel,
    rng: np.random.Generator,
    board_frames: int = 6,
    empty: int = 24,
) -> list[Frame]:
    """The board lying on the table, then the table empty."""
    frames = shoot(scene.with_board(board_body()), camera, sensor, rng, board_frames)
    return frames + shoot(
        scene.empty(), camera, sensor, rng, empty, number=board_frames, time_s=board_frames / 30 + 5.0
    )


def static_example(
    seed: int,
    camera: str = "D415",
    distance_mm: float = 580.0,
    surface: str = "wood",
    frames: int = 8,
    *,
    size: tuple[int, int] = (1280, 720),
    roads: int = 5,
    columns: int = 6,
    depth_unit_mm: float = 0.1,
    faults: Faults | None = None,
    pieces: Pieces | None = None,
    spread: Spread | None = None,
    tilt_deg: float = 2.0,
    model: str = "fast",
    light: Light | None = None,
    field_mm: tuple[float, float] = (430.0, 290.0),
) -> StaticExample:
    """A still scene from a seed: calibration frames (board, then empty), frames of the scene, and its truth.

    ``tilt_deg``: how far the camera may look askew. ``model``: the sensor's, see ``sensor_model``.
    """
    rng = np.random.default_rng(seed)
    set_of_pieces = pieces or Pieces()
    placed = camera_over_table(rng, camera, distance_mm, size=size, depth_unit_mm=depth_unit_mm, tilt_deg=tilt_deg)
    scene = random_static_scene(rng, set_of_pieces, roads, columns, field_mm=field_mm, spread=spread)
    scene = replace(scene, table=table_for(rng, surface), light=light or scene.light)
    sensor = make_sensor(model, placed, rng, faults)
    before = calibration_frames(scene, placed, sensor, rng)
    shots = shoot(scene, placed, sensor, rng, frames, number=len(before), time_s=60.0)
    return StaticExample(placed, before, shots, scene.layout(), set_of_pieces, scene, sensor)


def city_example(
    seed: int,
    camera: str = "D415",
    distance_mm: float = 680.0,
    surface: str = "wood",
    frames: int = 8,
    *,
    turns: int = 8,
    expansions: bool = False,
    depth_unit_mm: float = 0.1,
    model: str = "fast",
) -> StaticExample:
    """The table of a game with the whole city after so many ``turns``, from a seed: cars of ten types, areas with what
    stands on them, buildings, the tower; with ``expansions`` the pagoda, the harbor and the park as well.

    ``turns`` 0: set up, nothing played yet.
    """
    from th_vision.virtual_table.car_set import CARS
    from th_vision.virtual_table.city import BASE_SET, EXPANSIONS, with_city
    from th_vision.virtual_table.whole_game import whole_game

    rng = np.random.default_rng(seed)
    kinds = (*BASE_SET, *EXPANSIONS) if expansions else BASE_SET
    set_of_pieces = with_city(Pieces(cars=CARS), tuple(dict.fromkeys(kinds)))
    placed = camera_over_table(rng, camera, distance_mm, depth_unit_mm=depth_unit_mm)
    corners = placed.field_mm()
    half = np.minimum(np.abs(corners).min(axis=0), [330.0, 205.0]) - 10
    field = (2 * float(half[0]), 2 * float(half[1]))
    table = table_for(rng, surface)
    *_, last = whole_game(rng, set_of_pieces, turns=turns, field_mm=field, kinds=kinds)
    scene = replace(last.scene, table=table)
    sensor = make_sensor(model, placed, rng, None)
    before = calibration_frames(scene, placed, sensor, rng)
    shots = shoot(scene, placed, sensor, rng, frames, number=len(before), time_s=60.0)
    return StaticExample(placed, before, shots, scene.layout(), set_of_pieces, scene, sensor)
