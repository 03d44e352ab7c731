"""The RealSense D400 models as data, and one virtual camera over the table.

Frames: OpenCV camera frames, mm; the depth camera is the left imager, the right one stands ``baseline_mm`` to its
right. ``T_b_a`` takes points of frame a to frame b.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from calibration.camera import Camera, Intrinsics
from th_vision.errors import VisionError

Array = NDArray[np.float64]

FULL = (1280, 720)
REDUCED = (848, 480)
LEAST_UNIT_MM, MOST_UNIT_MM = 0.01, 10.0  # of a depth image's steps


@dataclass(frozen=True)
class CameraModel:
    """One model of camera.

    ``fx``: focal length in pixels by depth size; ``min_z_mm`` likewise (maker's data sheet, 126 disparities).
    ``baseline_mm`` is such that fx * baseline at 1280x720 is the measured product (52.3e3, 32.3e3, 60.8e3 px*mm).
    ``color_x_mm``: x of the depth camera's origin in the colour camera's frame.
    ``kernel_px``: Gaussian sigma of the matching kernel, native pixels, (horizontal, vertical): 5.8 x 4 where it was
    measured (D415: noise and the rims of discs), 5 x 4 where only a range is known.
    ``color_rolling``, ``depth_rolling``: rolling shutter (else global); ``color_readout_s``: time from the first row to
    the last. ``projector_x_mm``: the dot projector in the depth camera's frame; None: this model has none.
    """

    name: str
    baseline_mm: float
    fx: dict[tuple[int, int], float]
    min_z_mm: dict[tuple[int, int], float]
    color_size: tuple[int, int]
    color_fx: float
    color_x_mm: float
    color_distortion: tuple[float, float, float, float, float] = (0.0, 0.0, 0.0, 0.0, 0.0)
    color_rolling: bool = True
    depth_rolling: bool = False
    kernel_px: tuple[float, float] = (5.0, 4.0)
    projector_x_mm: float | None = 30.0
    color_readout_s: float = 0.016
    color_exposure_s: float = 0.008

    def field_of_view_deg(self, size: tuple[int, int]) -> tuple[float, float]:
        """Horizontal and vertical field of view of the depth grid at this size."""
        w, h = size
        fx = self.fx[size]
        return 2 * math.degrees(math.atan(w / 2 / fx)), 2 * math.degrees(math.atan(h / 2 / fx))


MODELS: dict[str, CameraModel] = {
    "D415": CameraModel(
        "D415",
        55.46,
        {FULL: 943.0, REDUCED: 624.7},
        {FULL: 450.0, REDUCED: 310.0},
        (1920, 1080),
        1378.0,
        15.0,
        depth_rolling=True,
        kernel_px=(5.8, 4.0),
    ),
    "D435": CameraModel(
        "D435", 50.0, {FULL: 645.0, REDUCED: 427.3}, {FULL: 280.0, REDUCED: 195.0}, (1920, 1080), 1380.0, 14.9
    ),
    "D455": CameraModel(
        "D455",
        95.0,
        {FULL: 640.0, REDUCED: 424.0},
        {FULL: 520.0, REDUCED: 350.0},
        (1280, 720),
        637.0,
        -59.2,
        color_distortion=(-0.055, 0.066, 0.0004, 0.0002, -0.021),
        color_rolling=False,
    ),
    "D405": CameraModel(
        "D405",
        18.0,
        {FULL: 650.0, REDUCED: 430.6},
        {FULL: 100.0, REDUCED: 70.0},
        (1280, 720),
        650.0,
        0.0,
        color_distortion=(-0.054, 0.059, 0.0004, 0.0005, -0.019),
        color_rolling=False,
        projector_x_mm=None,
    ),
}


def camera_model(name: str) -> CameraModel:
    """Look a model up by name, case and a trailing "i" (with IMU) aside.

    Raises:
        VisionError: no such model.
    """
    key = name.strip().upper().removesuffix("I")
    if key not in MODELS:
        raise VisionError(f"camera {name!r} is not known; choose one of {', '.join(MODELS)}")
    return MODELS[key]


@dataclass(frozen=True)
class VirtualCamera:
    """A camera at a place: what it really is, and (``camera``) what it reports about itself.

    ``T_depth_table``: table frame to depth camera. ``true_T_color_depth`` differs from the reported one by the
    factory's error (the colour misregistration of a real unit).
    """

    model: CameraModel
    T_depth_table: Array
    size: tuple[int, int] = FULL
    color_size: tuple[int, int] | None = None
    depth_unit_mm: float = 0.1
    principal_shift_px: tuple[float, float] = (0.0, 0.0)
    misregistration_px: tuple[float, float] = (0.0, 0.0)
    serial: str = "VIRTUAL"
    true_T_color_depth: Array = field(init=False)  # noqa: N815 - the field's name for a transform

    def __post_init__(self) -> None:
        if self.size not in self.model.fx:
            sizes = ", ".join(f"{w}x{h}" for w, h in self.model.fx)
            raise VisionError(f"{self.model.name} at {self.size[0]}x{self.size[1]} is not known; choose one of {sizes}")
        if not LEAST_UNIT_MM <= self.depth_unit_mm <= MOST_UNIT_MM:
            raise VisionError(f"a depth unit of {self.depth_unit_mm} mm is not possible; use 0.1 or 1")
        fx = self.camera.color.fx if self.camera.color else self.model.color_fx
        turn = _rotation(self.misregistration_px[1] / fx, -self.misregistration_px[0] / fx, 0.0)
        object.__setattr__(self, "true_T_color_depth", turn @ self.camera.T_color_depth)

    @property
    def depth(self) -> Intrinsics:
        """Intrinsics of the depth grid."""
        w, h = self.size
        fx = self.model.fx[self.size]
        sx, sy = self.principal_shift_px
        return Intrinsics(w, h, fx, fx, w / 2 - 0.5 + sx, h / 2 - 0.5 + sy)

    @property
    def color(self) -> Intrinsics:
        """Intrinsics of the colour image."""
        full_w, full_h = self.model.color_size
        w, h = self.color_size or self.model.color_size
        fx = self.model.color_fx * max(w / full_w, h / full_h)
        return Intrinsics(w, h, fx, fx, w / 2 - 0.5 + 2.5, h / 2 - 0.5 - 1.5, self.model.color_distortion)

    @property
    def camera(self) -> Camera:
        """What a source of this camera's frames says about it."""
        T = np.eye(4)
        T[0, 3] = self.model.color_x_mm
        return Camera(
            model=self.model.name,
            depth=self.depth,
            color=self.color,
            T_color_depth=T,
            depth_unit_mm=self.depth_unit_mm,
            baseline_mm=self.model.baseline_mm,
            serial=self.serial,
        )

    @property
    def disparity_gain(self) -> float:
        """f*B, pixel*mm."""
        return self.model.fx[self.size] * self.model.baseline_mm

    @property
    def T_table_depth(self) -> Array:  # noqa: N802 - the field's name for a transform
        """Depth camera to table frame."""
        return np.asarray(np.linalg.inv(self.T_depth_table), dtype=np.float64)

    @property
    def distance_mm(self) -> float:
        """Height of the depth camera over the table plane."""
        return float(self.T_table_depth[2, 3])

    def field_mm(self) -> Array:
        """Corners (4, 2) of the table area that has depth and is seen by both cameras, table frame, mm.

        The left band without depth and the kernel's reach at the rim are left out.
        """
        K = self.depth
        band = self.disparity_gain / self.distance_mm
        rim = 12.0
        pixels = np.array(
            [[band + rim, rim], [K.width - rim, rim], [K.width - rim, K.height - rim], [band + rim, K.height - rim]]
        )
        rays = K.rays(pixels) @ self.T_table_depth[:3, :3].T
        origin = self.T_table_depth[:3, 3]
        return np.asarray((origin + rays * (-origin[2] / rays[:, 2:3]))[:, :2], dtype=np.float64)


def _rotation(rx: float, ry: float, rz: float) -> Array:
    """4x4 rotation: about x, then y, then z, radians."""
    cx, sx, cy, sy, cz, sz = math.cos(rx), math.sin(rx), math.cos(ry), math.sin(ry), math.cos(rz), math.sin(rz)
    Rx = np.array([[1, 0, 0], [0, cx, -sx], [0, sx, cx]])
    Ry = np.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]])
    Rz = np.array([[cz, -sz, 0], [sz, cz, 0], [0, 0, 1]])
    out = np.eye(4)
    out[:3, :3] = Rz @ Ry @ Rx
    return out


def pose_over_table(
    distance_mm: float,
    *,
    tilt_deg: tuple[float, float] = (0.0, 0.0),
    turn_deg: float = 0.0,
    aim_mm: tuple[float, float] = (0.0, 0.0),
) -> Array:
    """``T_depth_table`` of a camera that looks down on the table.

    The camera's optical axis meets the table at ``aim_mm`` (table frame), ``distance_mm`` away; image x runs along
    the table's x axis turned by ``turn_deg``; ``tilt_deg``: about the camera's x and y axes.

    Raises:
        VisionError: a distance that is no height over a table.
    """
    if not 50 <= distance_mm <= 5000:
        raise VisionError(f"a camera distance of {distance_mm:g} mm is not possible; give millimetres, 300 to 1500")
    down = _rotation(math.pi, 0.0, 0.0)  # camera z down, camera y along -y of the table
    tilt = _rotation(math.radians(tilt_deg[0]), math.radians(tilt_deg[1]), 0.0)
    turn = _rotation(0.0, 0.0, -math.radians(turn_deg))
    shift, back = np.eye(4), np.eye(4)
    shift[:2, 3] = -np.asarray(aim_mm)
    back[2, 3] = distance_mm
    return np.asarray(back @ tilt @ down @ turn @ shift, dtype=np.float64)
