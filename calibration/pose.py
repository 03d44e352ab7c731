"""The table's pose: plane from depth, origin and x axis from the board in colour, scale of one against the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.board import Board, BoardView, reject_reason
from calibration.camera import Camera
from calibration.errors import CalibrationError
from calibration.plane import PlaneFit, disparity_from_depth, plane_from_depth
from calibration.table import transform
from calibration.tolerances import TOLERANCES

__all__ = [
    "MeanView",
    "PlaneFit",
    "Rejected",
    "TablePose",
    "board_in_color",
    "disparity_from_depth",
    "mean_view",
    "plane_from_depth",
    "plane_of_pose",
    "table_pose",
]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Rejected:
    """A frame that took no part, and why."""

    frame: int
    reason: str


@dataclass(frozen=True)
class MeanView:
    """The board's corners over several frames: (n, 2) mean ``pixels``, (n,) ``ids``, (n,) ``sigma_px`` per axis."""

    pixels: Array
    ids: NDArray[np.int64]
    sigma_px: Array
    frames: tuple[int, ...]
    square_px: float
    white: float
    black: float
    saturated_share: float


@dataclass(frozen=True)
class BoardInColor:
    """The board by colour alone; ``T_color_board`` takes points on its face (the table's axes) to the colour camera."""

    T_color_board: Array
    residual_px: float
    pixels: Array
    ids: NDArray[np.int64]
    sigma_px: Array


@dataclass(frozen=True)
class TablePose:
    """Pose of the table in the depth camera and how well it is known; lengths mm.

    ``scale_ratio``: lengths of the board as depth sees them over lengths as printed (1 where both agree).
    ``board_tilt_deg``: angle between the board's normal by colour alone and the plane's by depth.
    """

    T_depth_table: Array
    corner_residual_px: float
    corners: int
    scale_ratio: float
    sigma_scale: float
    board_tilt_deg: float
    sigma_origin_mm: float
    sigma_height_mm: float
    sigma_rotation_deg: float
    sigma_tilt_deg: float


def mean_view(views: Sequence[tuple[int, BoardView | None]]) -> tuple[MeanView, list[Rejected]]:
    """Robust mean of the board's corners over numbered frames in which nothing moves.

    Frames in which the board isn't seen well, or lies elsewhere than in most frames, are rejected with the reason.
    Raises CalibrationError where no frame is left.
    """
    rejected: list[Rejected] = []
    good: list[tuple[int, BoardView]] = []
    for number, view in views:
        reason = reject_reason(view)
        if reason is None and view is not None:
            good.append((number, view))
        else:
            rejected.append(Rejected(number, reason or "board not seen"))
    if not good:
        raise CalibrationError(_no_board(rejected))
    ids = np.unique(np.concatenate([view.ids for _, view in good]))
    stack = np.full((len(good), len(ids), 2), np.nan)
    for i, (_, view) in enumerate(good):
        stack[i, np.searchsorted(ids, view.ids)] = view.pixels
    apart = np.array([[_median_shift(a, b) for b in stack] for a in stack])
    together = apart <= TOLERANCES.max_board_shift_px
    home = together[int(together.sum(axis=1).argmax())]
    for i, (number, _) in enumerate(good):
        if not home[i]:
            shift = float(np.median(apart[i][home]))
            text = f"{shift:.1f} px" if np.isfinite(shift) else "out of sight"
            rejected.append(Rejected(number, f"board or camera moved: {text} from where it lies in most frames"))
    stack = stack[home]
    views_home = [view for (_, view), stays in zip(good, home, strict=True) if stays]
    # A corner counts where at least half of the frames show it; the median is safe against a misread one.
    often = np.isfinite(stack[:, :, 0]).sum(axis=0) * 2 >= len(stack)
    stack, ids = stack[:, often], ids[often]
    middle = np.nanmedian(stack, axis=0)
    off = np.linalg.norm(stack - middle, axis=2)
    stack = np.where((off <= TOLERANCES.max_board_shift_px)[:, :, None], stack, np.nan)
    count = np.isfinite(stack[:, :, 0]).sum(axis=0)
    pixels = np.nanmean(stack, axis=0)
    scatter = np.sqrt(np.nanmean(np.nanmean((stack - pixels) ** 2, axis=0), axis=1))
    sigma = np.maximum(scatter / np.sqrt(count), TOLERANCES.min_corner_sigma_px)
    return (
        MeanView(
            pixels=pixels,
            ids=ids,
            sigma_px=sigma,
            frames=tuple(number for (number, _), stays in zip(good, home, strict=True) if stays),
            square_px=float(np.median([view.square_px for view in views_home])),
            white=float(np.median([view.white for view in views_home])),
            black=float(np.median([view.black for view in views_home])),
            saturated_share=float(np.median([view.saturated_share for view in views_home])),
        ),
        sorted(rejected, key=lambda one: one.frame),
    )


def board_in_color(view: MeanView, board: Board, camera: Camera) -> BoardInColor:
    """The board's pose in the colour camera from its corners; corners far from a flat board's are left out.

    Raises CalibrationError where the corners don't fit a flat board of these squares.
    """
    color = camera.color
    if color is None:
        raise CalibrationError("the camera has no colour intrinsics: the board can't be placed without them")
    use = np.ones(len(view.ids), dtype=bool)
    points = board.corners_mm(view.ids)
    ideal = color.rays(view.pixels)[:, :2] * [color.fx, color.fy] + [color.cx, color.cy]
    residual = np.zeros(len(use))
    rvec, tvec = np.zeros(3), np.zeros(3)
    for _ in range(3):
        rvec, tvec = _solve(points[use], ideal[use], color.K)
        projected, _ = cv2.projectPoints(points, rvec, tvec, color.K, np.zeros(5))
        residual = np.linalg.norm(np.asarray(projected).reshape(-1, 2) - ideal, axis=1)
        limit = max(4.0 * float(np.sqrt(np.median(residual**2))), 0.2)
        keep = residual <= limit
        if keep.sum() < TOLERANCES.min_corners or (keep == use).all():
            break
        use = keep
    rms = float(np.sqrt((residual[use] ** 2).mean()))
    if rms > TOLERANCES.max_corner_residual_px:
        raise CalibrationError(
            f"the board's corners are off by {rms:.1f} px from a flat board's: lay it flat, keep it still, and check "
            "that it has the squares and sizes given"
        )
    T = np.eye(4)
    T[:3, :3] = cv2.Rodrigues(rvec)[0]
    T[:3, 3] = tvec
    return BoardInColor(T, rms, view.pixels[use], view.ids[use], view.sigma_px[use])


def plane_of_pose(T_depth_table: Array) -> Array:
    """(3,) coefficients (a . X = 1) of the table's plane z = 0 in the depth camera."""
    normal = T_depth_table[:3, 2]
    return np.asarray(normal / float(normal @ T_depth_table[:3, 3]), dtype=np.float64)


def table_pose(seen: BoardInColor, plane: PlaneFit, board: Board, camera: Camera) -> TablePose:
    """Table frame from the depth plane and the board's corners in colour.

    Each corner's ray (colour camera) is cut with the plane of the board's face (the depth plane, the board's
    thickness above it); the points found are laid over the board's own by turn, shift and scale. Turn and shift give
    x axis and origin, the scale says how depth and print agree.
    """
    color = camera.color
    if color is None:
        raise CalibrationError("the camera has no colour intrinsics: the board can't be placed without them")
    up = plane.normal
    T_depth_color = np.asarray(np.linalg.inv(camera.T_color_depth), dtype=np.float64)
    start = T_depth_color[:3, 3]
    ways = color.rays(seen.pixels) @ T_depth_color[:3, :3].T
    face = -plane.distance_mm + board.thickness_mm  # up . X of the board's face
    points = start + ways * ((face - start @ up) / (ways @ up))[:, None]

    T_depth_board = T_depth_color @ seen.T_color_board
    x_axis = T_depth_board[:3, 0] - up * (T_depth_board[:3, 0] @ up)
    x_axis /= np.linalg.norm(x_axis)
    y_axis = np.cross(up, x_axis)
    flat = np.stack([points @ x_axis, points @ y_axis], axis=1)
    printed = board.corners_mm(seen.ids)[:, :2]
    turn, scale, shift, residual_mm = _similarity(printed, flat)
    c, s = np.cos(turn), np.sin(turn)
    T = np.eye(4)
    T[:3, 0] = c * x_axis + s * y_axis
    T[:3, 1] = np.cross(up, T[:3, 0])
    T[:3, 2] = up
    T[:3, 3] = shift[0] * x_axis + shift[1] * y_axis - plane.distance_mm * up

    count = len(printed)
    z = float(np.median(points[:, 2]))
    corner_mm = max(residual_mm, float(np.median(seen.sigma_px)) * z / color.fx)
    spread = float(np.sqrt((printed**2).sum(axis=1).mean() - (printed.mean(axis=0) ** 2).sum()))
    origin = T[:3, 3]
    # Height at the origin: 1/Z there is origin/z . coefficients.
    at = origin / origin[2]
    sigma_height = float(np.sqrt(at @ plane.covariance @ at)) * origin[2] ** 2 * abs(float(up @ at))
    sigma_scale = float(np.hypot(corner_mm / (spread * np.sqrt(count)), sigma_height / plane.distance_mm))
    # A plane wrong in height moves the origin along the ray's slope over the table.
    slope = float(np.linalg.norm((origin - start) - up * ((origin - start) @ up)) / abs((origin - start) @ up))
    tilt = float(np.degrees(np.arccos(np.clip(T_depth_board[:3, 2] @ up, -1.0, 1.0))))
    return TablePose(
        T_depth_table=T,
        corner_residual_px=seen.residual_px,
        corners=count,
        scale_ratio=scale,
        sigma_scale=sigma_scale,
        board_tilt_deg=tilt,
        sigma_origin_mm=float(np.hypot(corner_mm / np.sqrt(count), slope * sigma_height)),
        sigma_height_mm=sigma_height,
        sigma_rotation_deg=float(np.degrees(corner_mm / (spread * np.sqrt(count)))),
        sigma_tilt_deg=plane.sigma_tilt_deg,
    )


def table_by_color(seen: BoardInColor, board: Board, camera: Camera) -> Array:
    """4x4 pose of the table in the depth camera from the board in colour alone: where to start the depth fit."""
    T = np.asarray(np.linalg.inv(camera.T_color_depth) @ seen.T_color_board, dtype=np.float64)
    T[:3, 3] -= board.thickness_mm * T[:3, 2]
    return T


def board_pixels(T_depth_table: Array, board: Board, camera: Camera, margin_mm: float) -> NDArray[np.bool_]:
    """(h, w) True where the depth grid shows the board (with ``margin_mm`` around the chessboard)."""
    outline = camera.depth.project(transform(T_depth_table, board.outline_mm(margin_mm)))
    mask = np.zeros((camera.depth.height, camera.depth.width), dtype=np.uint8)
    cv2.fillConvexPoly(mask, np.round(outline).astype(np.int32), (1,))
    return mask.astype(bool)


def _solve(points: Array, pixels: Array, K: Array) -> tuple[Array, Array]:
    found, rvec, tvec = cv2.solvePnP(points, pixels, K, np.zeros(5), flags=cv2.SOLVEPNP_IPPE)
    if not found:
        raise CalibrationError("the board's corners give no pose: keep the board flat and in full view")
    rvec, tvec = cv2.solvePnPRefineLM(points, pixels, K, np.zeros(5), rvec, tvec)
    return np.asarray(rvec, dtype=np.float64).reshape(3), np.asarray(tvec, dtype=np.float64).reshape(3)


def _similarity(source: Array, target: Array) -> tuple[float, float, Array, float]:
    """Least squares target = scale * R(turn) @ source + shift for (n, 2) points: turn (rad), scale, shift, rms."""
    a = (source - source.mean(axis=0)) @ [1, 1j]
    b = (target - target.mean(axis=0)) @ [1, 1j]
    factor = complex(np.vdot(a, b) / np.vdot(a, a))
    shift = complex(target.mean(axis=0) @ [1, 1j]) - factor * complex(source.mean(axis=0) @ [1, 1j])
    rms = float(np.sqrt((np.abs(b - factor * a) ** 2).mean()))
    return float(np.angle(factor)), abs(factor), np.array([shift.real, shift.imag]), rms


def _median_shift(a: Array, b: Array) -> float:
    both = np.isfinite(a[:, 0]) & np.isfinite(b[:, 0])
    if both.sum() < 4:
        return float("inf")
    return float(np.median(np.linalg.norm(a[both] - b[both], axis=1)))


def _no_board(rejected: Sequence[Rejected]) -> str:
    if not rejected:
        return "no frames to calibrate from"
    reasons = [one.reason for one in rejected]
    most = max(set(reasons), key=reasons.count)
    return (
        f"no frame of {len(rejected)} shows the board well enough ({most}): lay the whole board flat in view, "
        "well lit, and check its squares and dictionary"
    )
