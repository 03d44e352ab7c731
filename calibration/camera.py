"""The camera as numbers: pinhole intrinsics with Brown-Conrady distortion, depth unit, baseline, colour pose.

Frames: depth camera and colour camera are OpenCV camera frames (x right, y down, z forward), lengths in mm.
``T_b_a`` is a 4x4 matrix that takes points of frame a to frame b.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import cv2
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Box = tuple[int, int, int, int]

# Stereo baselines, mm, of the RealSense D400 models (Intel datasheet 337029).
BASELINES_MM = {"D415": 55.0, "D435": 50.0, "D435I": 50.0, "D455": 95.0, "D405": 18.0}
DEFAULT_BASELINE_MM = 50.0


@dataclass(frozen=True)
class Intrinsics:
    """Pinhole camera: pixels; ``distortion`` = (k1, k2, p1, p2, k3) of Brown-Conrady, as OpenCV orders them.

    Pixel (0, 0) is the centre of the first pixel.
    """

    width: int
    height: int
    fx: float
    fy: float
    cx: float
    cy: float
    distortion: tuple[float, float, float, float, float] = (0.0, 0.0, 0.0, 0.0, 0.0)

    @property
    def K(self) -> Array:  # noqa: N802 - the field's name for the 3x3 camera matrix
        """3x3 camera matrix."""
        return np.array([[self.fx, 0, self.cx], [0, self.fy, self.cy], [0, 0, 1.0]])

    def window(self, box: Box) -> Intrinsics:
        """The camera whose picture is the part (u0, v0, u1, v1), px, of this one's."""
        u0, v0, u1, v1 = box
        return replace(self, width=u1 - u0, height=v1 - v0, cx=self.cx - u0, cy=self.cy - v0)

    def project(self, points_mm: Array) -> Array:
        """Project (..., 3) points of this camera's frame to (..., 2) pixels, distortion included."""
        flat = np.asarray(points_mm, dtype=np.float64).reshape(-1, 3)
        if len(flat) == 0:
            return np.zeros((*np.shape(points_mm)[:-1], 2))
        x, y = flat[:, 0] / flat[:, 2], flat[:, 1] / flat[:, 2]
        if any(self.distortion):
            k1, k2, p1, p2, k3 = self.distortion
            r2 = x * x + y * y
            radial = 1 + r2 * (k1 + r2 * (k2 + r2 * k3))
            x, y = (
                x * radial + 2 * p1 * x * y + p2 * (r2 + 2 * x * x),
                y * radial + p1 * (r2 + 2 * y * y) + 2 * p2 * x * y,
            )
        pixels = np.stack([x * self.fx + self.cx, y * self.fy + self.cy], axis=-1)
        return pixels.reshape(*np.shape(points_mm)[:-1], 2)

    def rays(self, pixels: Array) -> Array:
        """(..., 3) directions with z = 1 through (..., 2) pixels, distortion undone."""
        flat = np.asarray(pixels, dtype=np.float64).reshape(-1, 1, 2)
        if any(self.distortion):
            criteria = (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, 40, 1e-9)
            undistorted = cv2.undistortPoints(flat, self.K, np.array(self.distortion), criteria=criteria)
            xy = np.asarray(undistorted, dtype=np.float64).reshape(-1, 2)
        else:
            xy = (flat.reshape(-1, 2) - [self.cx, self.cy]) / [self.fx, self.fy]
        out = np.concatenate([xy, np.ones((len(xy), 1))], axis=1)
        return out.reshape(*np.shape(pixels)[:-1], 3)


@dataclass(frozen=True)
class Camera:
    """One RealSense-like camera. ``T_color_depth`` takes depth-camera points (mm) to the colour camera's frame (mm).

    ``native`` is False where depth was aligned to another grid (Open3D's RGB-D layout): the sensor's kernel is
    then ``kernel_scale`` times as wide in pixels of this grid.
    """

    model: str
    depth: Intrinsics
    color: Intrinsics | None
    T_color_depth: Array = field(default_factory=lambda: np.eye(4))
    depth_unit_mm: float = 1.0
    baseline_mm: float = DEFAULT_BASELINE_MM
    serial: str = ""
    kernel_scale: float = 1.0

    @property
    def disparity_gain(self) -> float:
        """f*B in pixel*mm: disparity in native pixels is this over Z in mm."""
        return self.depth.fx / self.kernel_scale * self.baseline_mm
