"""What a folder of images says about its camera: ``recording.json``, or Open3D's ``camera_intrinsic.json``.

Files give metres; everything here is millimetres, as in all of the project.
"""

from __future__ import annotations

import itertools
import json
import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from calibration.camera import BASELINES_MM, DEFAULT_BASELINE_MM, Camera, Intrinsics
from th_vision.errors import VisionError
from th_vision.tolerances import ROTATION_TOLERANCE

RECORDING = "recording.json"
OPEN3D_INTRINSIC = "camera_intrinsic.json"

# Open3D's RGB-D layout: depth units to a metre where nothing else is said.
OPEN3D_UNITS_PER_METRE = 1000.0
# Focal length of the native depth grid, px, at 1280 px wide (camera.md of the maker's data sheets: f*B over B).
NATIVE_FX_PX = {"D405": 645.0, "D415": 943.0, "D435": 645.0, "D435I": 645.0, "D455": 640.0}
DEFAULT_NATIVE_FX_PX = 645.0
# A depth unit outside of this is a unit mistaken for another: the finest of the D400 is 1e-6 m, and 1 m is no unit.
MAX_DEPTH_SCALE_M = 0.1
MAX_COLOR_OFFSET_M = 1.0

Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Finite = Annotated[float, Field(allow_inf_nan=False)]
Pixels = Annotated[int, Field(gt=0, le=16384)]
Row = Annotated[list[Finite], Field(min_length=4, max_length=4)]
Model = TypeVar("Model", bound=BaseModel)


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)


class IntrinsicsData(_Data):
    """``depth_intrinsics`` and ``color_intrinsics`` of ``recording.json``; pixels, Brown-Conrady [k1,k2,p1,p2,k3]."""

    width: Pixels
    height: Pixels
    fx: Positive
    fy: Positive
    cx: Finite
    cy: Finite
    distortion: Annotated[list[Finite], Field(min_length=5, max_length=5)]

    def intrinsics(self) -> Intrinsics:
        """As the camera model has it."""
        k1, k2, p1, p2, k3 = self.distortion
        return Intrinsics(self.width, self.height, self.fx, self.fy, self.cx, self.cy, (k1, k2, p1, p2, k3))


class _Timing(_Data):
    fps: Positive
    timestamps: list[Finite] | None = None
    camera: str = ""
    serial: str = ""
    native_fx: Positive | None = None  # of the depth grid before it was aligned to colour, px


class OwnRecording(_Timing):
    """``recording.json`` of our own form: everything about the camera is in it."""

    depth_scale: Positive
    camera: str
    depth_intrinsics: IntrinsicsData
    color_intrinsics: IntrinsicsData | None = None
    T_color_depth: list[Row] | None = None  # row by row, metres


class Open3DRecording(_Timing):
    """What ``recording.json`` may add beside Open3D's ``camera_intrinsic.json``."""

    fps: Positive = 30.0
    depth_scale: Positive = 1 / OPEN3D_UNITS_PER_METRE


class Open3DIntrinsic(_Data):
    """Open3D's PinholeCameraIntrinsic; ``intrinsic_matrix`` is column-major."""

    width: Pixels
    height: Pixels
    intrinsic_matrix: Annotated[list[Finite], Field(min_length=9, max_length=9)]


@dataclass(frozen=True)
class FolderHeader:
    """The camera and the clock of a folder. ``times_s`` is None where the file gives only ``fps``."""

    path: Path
    camera: Camera
    fps: float
    times_s: tuple[float, ...] | None


def read_header(folder: Path, *, has_color: bool) -> FolderHeader:
    """Read what says how ``folder`` was recorded; ``has_color``: it holds colour frames.

    A ``recording.json`` with ``depth_intrinsics`` says everything (our own form); else ``camera_intrinsic.json``
    must be there (Open3D's layout, depth aligned to colour).

    Raises:
        VisionError: no such file, or something in it is missing or can't be.
    """
    recording, open3d = folder / RECORDING, folder / OPEN3D_INTRINSIC
    data = _read_json(recording) if recording.exists() else None
    if open3d.exists() and (data is None or "depth_intrinsics" not in data):
        return _open3d_header(open3d, recording, data, has_color)
    if data is None:
        raise VisionError(
            f"{folder}: has neither {RECORDING} nor {OPEN3D_INTRINSIC}; write one beside depth/ and color/ "
            "(README, 'Your own recording')"
        )
    return _own_header(recording, data, has_color)


def _own_header(path: Path, data: dict[str, object], has_color: bool) -> FolderHeader:
    own = _validated(OwnRecording, path, data)
    _check_depth_scale(path, own.depth_scale)
    color, T = None, np.eye(4)
    if has_color or own.color_intrinsics is not None:
        if own.color_intrinsics is None:
            raise VisionError(f"{path}: color_intrinsics is missing, but there is a color/ folder; add it")
        if own.T_color_depth is None:
            raise VisionError(f"{path}: T_color_depth is missing, but there is colour; add the 4x4 matrix, in metres")
        color, T = own.color_intrinsics.intrinsics(), _pose_mm(path, own.T_color_depth)
    model = model_name(own.camera)
    camera = Camera(
        model=model,
        depth=own.depth_intrinsics.intrinsics(),
        color=color,
        T_color_depth=T,
        depth_unit_mm=own.depth_scale * 1000,
        baseline_mm=BASELINES_MM.get(model, DEFAULT_BASELINE_MM),
        serial=own.serial,
        kernel_scale=1.0 if own.native_fx is None else own.depth_intrinsics.fx / own.native_fx,
    )
    return FolderHeader(path, camera, own.fps, _times(path, own.timestamps))


def _open3d_header(path: Path, recording: Path, data: dict[str, object] | None, has_color: bool) -> FolderHeader:
    pinhole = _validated(Open3DIntrinsic, path, _read_json(path))
    extra = _validated(Open3DRecording, recording, data or {})
    _check_depth_scale(recording, extra.depth_scale)
    # Column-major: K00 K10 K20, K01 K11 K21, K02 K12 K22.
    fx, k10, k20, skew, fy, k21, cx, cy, k22 = pinhole.intrinsic_matrix
    if (k20 or k21) and not (cx or cy):
        raise VisionError(f"{path}: intrinsic_matrix is row by row; Open3D writes it column by column: transpose it")
    if k10 or k20 or k21 or skew or k22 != 1 or fx <= 0 or fy <= 0:
        raise VisionError(
            f"{path}: intrinsic_matrix is no pinhole camera; expected [fx, 0, 0, 0, fy, 0, cx, cy, 1] with fx, fy > 0"
        )
    intrinsics = Intrinsics(pinhole.width, pinhole.height, fx, fy, cx, cy)
    model = model_name(extra.camera)
    native_fx = extra.native_fx or NATIVE_FX_PX.get(model, DEFAULT_NATIVE_FX_PX)
    camera = Camera(
        model=model,
        depth=intrinsics,
        color=intrinsics if has_color else None,
        depth_unit_mm=extra.depth_scale * 1000,
        baseline_mm=BASELINES_MM.get(model, DEFAULT_BASELINE_MM),
        serial=extra.serial,
        kernel_scale=fx / native_fx,
    )
    return FolderHeader(recording if data else path, camera, extra.fps, _times(recording, extra.timestamps))


def model_name(text: str) -> str:
    """``D435I`` for "Intel RealSense D435i"; the text itself where it names no D400 model."""
    found = re.search(r"\bD4\d\d(?:I\b|\b)", text.upper())
    return found.group(0) if found else text


def _read_json(path: Path) -> dict[str, object]:
    try:
        text = path.read_text(encoding="utf-8-sig")  # some editors begin a file with a mark
    except OSError as error:
        raise VisionError(f"{path}: can't be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise VisionError(f"{path}: is not a JSON text file; write it again as UTF-8") from error
    if not text.strip():
        raise VisionError(f"{path}: is empty; it must hold one JSON object")
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:  # ValueError: no JSON, or a number of thousands of digits
        where = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        if isinstance(error, json.JSONDecodeError):
            where = f"line {error.lineno}: {error.msg}"
        raise VisionError(f"{path}: is no JSON ({where}); correct it") from error
    if not isinstance(data, dict):
        raise VisionError(f"{path}: holds no JSON object; it must be {{...}} with the camera's data")
    return data


def _validated(model: type[Model], path: Path, data: dict[str, object]) -> Model:
    try:
        return model.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        if first["type"] == "missing":
            raise VisionError(f"{path}: {where} is missing; add it") from error
        raise VisionError(f"{path}: {where}: {first['msg']}; correct this value") from error


def _check_depth_scale(path: Path, scale_m: float) -> None:
    if scale_m > MAX_DEPTH_SCALE_M:
        raise VisionError(
            f"{path}: depth_scale is {scale_m:g}; it is metres for each depth unit (0.001 where a unit is 1 mm)"
        )


def _times(path: Path, times: list[float] | None) -> tuple[float, ...] | None:
    if times is None:
        return None
    for i, (before, after) in enumerate(itertools.pairwise(times)):
        if after <= before:
            raise VisionError(f"{path}: timestamps[{i + 1}] = {after:g} s is not after {before:g} s; put them in order")
    return tuple(times)


def _pose_mm(path: Path, rows: list[list[float]]) -> NDArray[np.float64]:
    """4x4 from metres to mm, refused where it is not a rotation and a translation."""
    if len(rows) != 4:
        raise VisionError(f"{path}: T_color_depth has {len(rows)} rows; it is a 4x4 matrix, row by row, in metres")
    T = np.array(rows, dtype=np.float64)
    R = T[:3, :3]
    unit = bool((np.abs(R) <= 1 + ROTATION_TOLERANCE).all())
    rigid = unit and np.allclose(R @ R.T, np.eye(3), atol=ROTATION_TOLERANCE) and np.linalg.det(R) > 0
    if not rigid or not np.allclose(T[3], [0, 0, 0, 1]):
        raise VisionError(f"{path}: T_color_depth is not a rotation and a translation; write it row by row, in metres")
    if math.hypot(*T[:3, 3]) > MAX_COLOR_OFFSET_M:
        raise VisionError(f"{path}: T_color_depth puts colour {math.hypot(*T[:3, 3]):g} m away; give it in metres")
    T[:3, 3] *= 1000
    return T
