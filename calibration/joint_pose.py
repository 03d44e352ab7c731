"""Board in colour and plane in depth in one fit: pose of the table and scale of the camera's depth.

Colour sees the board's size, so its distance, to 0.1 mm; depth's own scale may be off by a percent. Depth sees the
tilt of a whole table; colour sees that of a small board. Each has its say with its own sigma. Scaling depth so that it
agrees with the print also keeps plan lengths right where the colour camera's focal length is a little off: board, plane
and picture then agree about what a millimetre is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.board import Board
from calibration.camera import Camera
from calibration.plane import PlaneFit
from calibration.pose import BoardInColor, TablePose, plane_of_pose
from calibration.table import transform
from calibration.tolerances import TOLERANCES

Array = NDArray[np.float64]


@dataclass(frozen=True)
class JointPose:
    """``pose``: as TablePose, refined; ``depth_scale``: factor on the camera's depths that agrees with the board."""

    pose: TablePose
    depth_scale: float


def joint_pose(start: TablePose, seen: BoardInColor, plane: PlaneFit, board: Board, camera: Camera) -> JointPose:
    """Refine ``start`` (from table_pose) and find the depth scale, by least squares over three kinds of residuals.

    Corners: (2n) pixels over their sigma. Plane: the three coefficients that depth measured against those of the pose
    times the scale, whitened by their covariance. Scale: its logarithm over what is usual for the camera.
    """
    color = camera.color
    if color is None:
        return JointPose(start, 1.0)
    points = board.corners_mm(seen.ids) + np.array([0.0, 0.0, board.thickness_mm])
    sigma_px = np.maximum(np.maximum(seen.sigma_px, seen.residual_px), TOLERANCES.joint_corner_sigma_px)[:, None]
    # The disparity's own steps and the fixed pattern keep the plane from being known without limit.
    floor = TOLERANCES.min_plane_sigma_px / camera.disparity_gain
    whiten = np.linalg.inv(np.linalg.cholesky(plane.covariance + np.eye(3) * floor**2))

    def pose_of(step: Array) -> Array:
        turn = np.eye(4)
        turn[:3, :3] = cv2.Rodrigues(step[:3])[0]
        T = np.asarray(start.T_depth_table @ turn, dtype=np.float64)
        T[:3, 3] += step[3:6]
        return T

    def residuals(step: Array) -> Array:
        T = pose_of(step)
        pixels = color.project(transform(camera.T_color_depth @ T, points))
        depth_scale = np.exp(step[6])
        return np.concatenate(
            [
                ((pixels - seen.pixels) / sigma_px).ravel(),
                whiten @ (plane.coefficients - depth_scale * plane_of_pose(T)),
                [step[6] / TOLERANCES.depth_scale_sigma],
            ]
        )

    step = np.zeros(7)
    jacobian = np.zeros((0, 7))
    for _ in range(8):
        value = residuals(step)
        jacobian = _jacobian(residuals, step)
        change = np.linalg.lstsq(jacobian, -value, rcond=None)[0]
        step = step + change
        if np.abs(change).max() < 1e-9:
            break
    covariance = np.linalg.inv(jacobian.T @ jacobian)
    T = pose_of(step)
    up = T[:3, 2]
    along = np.eye(3) - np.outer(up, up)
    spread = covariance[3:6, 3:6]
    refined = replace(
        start,
        T_depth_table=T,
        sigma_height_mm=float(np.sqrt(up @ spread @ up)),
        sigma_origin_mm=float(np.sqrt(np.linalg.eigvalsh(along @ spread @ along)[-1])),
        sigma_tilt_deg=float(np.degrees(np.sqrt(np.linalg.eigvalsh(covariance[:2, :2])[-1]))),
        sigma_rotation_deg=float(np.degrees(np.sqrt(covariance[2, 2]))),
        sigma_scale=float(np.sqrt(covariance[6, 6])),
    )
    return JointPose(refined, float(np.exp(step[6])))


_STEPS = np.array([1e-6, 1e-6, 1e-6, 1e-4, 1e-4, 1e-4, 1e-7])  # rad, mm, log of the scale


def _jacobian(function: Callable[[Array], Array], at: Array) -> Array:
    columns = []
    for i, size in enumerate(_STEPS):
        move = np.zeros(7)
        move[i] = size
        columns.append((function(at + move) - function(at - move)) / (2 * size))
    return np.stack(columns, axis=1)
