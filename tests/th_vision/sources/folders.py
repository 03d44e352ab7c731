"""Small folders of images for tests: whole ones, and ways to break them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np

DEPTH_SIZE, COLOR_SIZE = (64, 48), (96, 54)
FRAMES = 3

RECORDING: dict[str, Any] = {
    "depth_scale": 0.0001,
    "fps": 15,
    "timestamps": [10.0, 10.1, 10.25],
    "camera": "Intel RealSense D435",
    "serial": "0123",
    "depth_intrinsics": {
        "width": 64, "height": 48, "fx": 60.0, "fy": 60.0, "cx": 31.5, "cy": 23.5, "distortion": [0, 0, 0, 0, 0],
    },
    "color_intrinsics": {
        "width": 96, "height": 54, "fx": 80.0, "fy": 80.0, "cx": 47.5, "cy": 26.5, "distortion": [0.1, 0, 0, 0, 0],
    },
    "T_color_depth": [[1, 0, 0, 0.015], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]],
}  # fmt: skip

OPEN3D: dict[str, Any] = {
    "width": 64,
    "height": 48,
    "intrinsic_matrix": [60.0, 0, 0, 0, 61.0, 0, 31.5, 23.5, 1],
}


def depth_frame(number: int, size: tuple[int, int] = DEPTH_SIZE) -> np.ndarray:
    """A ramp of depths that is different for each frame."""
    return (np.arange(size[0] * size[1], dtype=np.uint16).reshape(size[1], size[0]) + 7000 + number).astype(np.uint16)


def write_depth(path: Path, picture: np.ndarray) -> None:
    """Any array as PNG."""
    path.parent.mkdir(parents=True, exist_ok=True)
    assert cv2.imwrite(str(path), picture)


def own_folder(folder: Path, *, color: bool = True, **changes: object) -> Path:
    """A whole folder of our own form; ``changes`` replace keys of recording.json, ``...`` removes one."""
    recording = {**RECORDING, **changes}
    recording = {key: value for key, value in recording.items() if value is not ...}
    (folder).mkdir(parents=True, exist_ok=True)
    (folder / "recording.json").write_text(json.dumps(recording))
    return _frames(folder, COLOR_SIZE if color else None)


def open3d_folder(folder: Path, *, recording: dict[str, object] | None = None, **changes: object) -> Path:
    """A whole folder of Open3D's RGB-D layout."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "camera_intrinsic.json").write_text(json.dumps({**OPEN3D, **changes}))
    if recording is not None:
        (folder / "recording.json").write_text(json.dumps(recording))
    return _frames(folder, DEPTH_SIZE)


def _frames(folder: Path, color_size: tuple[int, int] | None) -> Path:
    for number in range(FRAMES):
        write_depth(folder / "depth" / f"{number:06}.png", depth_frame(number))
        if color_size:
            picture = np.full((color_size[1], color_size[0], 3), (10 * number, 100, 200), np.uint8)
            write_depth(folder / "color" / f"{number:06}.jpg", picture)
    return folder
