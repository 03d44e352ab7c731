"""Small sessions for tests: a camera of few pixels, frames that say in their pixels which they are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from calibration.camera import Camera, Intrinsics
from calibration.table import EmptyTable, TableCalibration
from calibration.table_file import save_table
from rules.layout import Car, CityObject, Column, Layout, Road, Unknown
from th_vision.frame import Frame
from th_vision.sessions.writer import SessionWriter

DEPTH = Intrinsics(64, 48, 61.25, 61.5, 31.123456789, 23.9, (0.01, -0.02, 0.0003, 0.0001, 1 / 3))
COLOR = Intrinsics(80, 60, 70.0, 70.5, 39.7, 29.1)
SHIFT = np.array([[1, 0, 0, 15.0], [0, 1, 0, 0.1], [0, 0, 1, 1 / 3], [0, 0, 0, 1]])
CAMERA = Camera("D435", DEPTH, COLOR, SHIFT, depth_unit_mm=0.09999999747378752, baseline_mm=49.9, serial="0123")
LAYOUT = Layout(
    columns=(Column(id="c1", x=12.3, y=-40.2, levels=3, junction=True, top_z=30.0, sigma_xy=0.4, sigma_z=0.3),),
    roads=(Road(id="r1", ends=((0, 0, 14.0), (110.0, 20.0, 26.0)), rests_on=("table", "c1")),),
    cars=(Car(id="k1", x=40, y=6, z=19, heading_deg=30, player="blue", on="r1"),),
    city=(CityObject(id="b1", kind="building", outline=((0, 0), (28, 0), (28, 28), (0, 28)), height=70),),
    unknown=(Unknown(outline=((0, 0), (10, 0), (10, 10)), height=30.0),),
)


def frame(number: int, seed: int = 1) -> Frame:
    """A frame of noise: it compresses badly, so that a session has something to be damaged."""
    rng = np.random.default_rng([seed, number])
    depth = rng.integers(6000, 6200, (48, 64), dtype=np.uint16)
    depth[0, 0] = number
    color = rng.integers(0, 255, (6, 8, 3), dtype=np.uint8).repeat(10, axis=0).repeat(10, axis=1)
    return Frame(number, 10.0 + number / 15, depth, color)


def table_file(folder: Path) -> Path:
    """A calibration of this camera, written out."""
    shape = (48, 64)
    flat = np.full(shape, 5.0, np.float32)
    empty = EmptyTable(flat, flat * 0 + 0.02, np.full((60, 80, 3), 120, np.uint8), np.ones(shape, np.bool_))
    pose = np.diag([1.0, -1.0, -1.0, 1.0])
    pose[2, 3] = 620.0
    save_table(TableCalibration(CAMERA, pose, empty, {"plane_mm": 0.3}, "2026-01-01"), folder / "table.toml")
    return folder / "table.toml"


def pieces_file(folder: Path) -> Path:
    """Pieces that are not the usual ones."""
    path = folder / "pieces.toml"
    path.write_text("[stick]\nlength = 115.5\n", encoding="utf-8")
    return path


def write(path: Path, frames: int = 20, *, attach: Path | None = None, **options: Any) -> Path:
    """A whole session of ``frames`` frames; a line of the game after every fifth, a scene with it."""
    settings: dict[str, Any] = {"all_frames": True, "live": False, "info": {"firmware": "5.16.0.1"}, **options}
    table = None if attach is None else table_file(attach)
    pieces = None if attach is None else pieces_file(attach)
    with SessionWriter.open(path, camera=CAMERA, table_toml=table, pieces_toml=pieces, **settings) as writer:
        for number in range(frames):
            shown = frame(number)
            writer.frame(shown)
            if number % 5 == 4:
                turn = number // 5 + 1
                writer.game_line({"type": "pass", "turn": turn, "player": "blue"}, shown.time_s)
                writer.scene(LAYOUT, shown.time_s)
    assert writer.troubles == ()
    return path
