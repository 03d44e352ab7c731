"""Figures of a calibration's quality that need the pictures: coverage, noise, a camera that was bumped."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.board import Board
from calibration.camera import Camera
from calibration.frames import BOARD_MARGIN_MM, Sorted
from calibration.moved import picture_shift_px
from calibration.plane import PlaneFit
from calibration.pose import board_pixels
from calibration.table import EmptyTable, transform
from calibration.tolerances import TOLERANCES

Array = NDArray[np.float64]

_FACE_RIM_MM = 12.0  # the board's rim is blended with the table by the sensor's kernel


def noise_mm(empty: EmptyTable, count: int, plane: PlaneFit, camera: Camera) -> float | None:
    """Temporal noise of one frame and pixel at the table, from the sigma of the mean of ``count`` frames."""
    sigma = empty.sigma_px[empty.measured]
    if count < 3 or len(sigma) == 0:
        return None
    return float(np.median(sigma)) * float(np.sqrt(count)) * plane.distance_mm**2 / camera.disparity_gain


@dataclass(frozen=True)
class Coverage:
    """How much of the table in view is mapped, and how much of that colour sees too."""

    no_depth_share: float
    field_mm: tuple[float, float]
    color_field_mm: tuple[float, float]


def coverage(
    empty: EmptyTable, measured: NDArray[np.bool_], plane: PlaneFit, T_depth_table: Array, camera: Camera
) -> Coverage:
    """Coverage of the table, ``measured``: (h, w) pixels that had depth."""
    step = 8
    v, u = np.mgrid[0 : camera.depth.height : step, 0 : camera.depth.width : step]
    height = plane.raised(empty.disparity_px, camera)[::step, ::step]
    limit = max(TOLERANCES.plane_gate_mm, 3 * TOLERANCES.ripple_share * plane.distance_mm)
    with np.errstate(invalid="ignore"):
        on_table = np.abs(height) < limit
    if not on_table.any():
        return Coverage(1.0, (0.0, 0.0), (0.0, 0.0))
    # Inside the table's own rectangle in view, what has no depth?
    rows, columns = np.nonzero(on_table)
    box = measured[::step, ::step][rows.min() : rows.max() + 1, columns.min() : columns.max() + 1]
    rays = camera.depth.rays(np.stack([u, v], axis=-1).astype(np.float64))
    points = (rays / (rays @ plane.coefficients)[..., None])[on_table]
    xy = transform(np.asarray(np.linalg.inv(T_depth_table)), points)[:, :2]
    inside: NDArray[np.bool_] = np.zeros(len(points), dtype=bool)
    if camera.color is not None:
        pixels = camera.color.project(transform(camera.T_color_depth, points))
        size = np.array([camera.color.width, camera.color.height])
        inside = np.asarray(((pixels >= -0.5) & (pixels < size - 0.5)).all(axis=1))
    return Coverage(float(1 - box.mean()), _sides_mm(xy), _sides_mm(xy[inside]))


@dataclass(frozen=True)
class Bump:
    """How far the camera moved between board and empty table: mm in depth, px in colour; None where unknown."""

    mm: float | None
    px: float | None


def camera_bump(found: Sorted, home: set[int], empty: EmptyTable, board: Board, camera: Camera) -> Bump:
    """Compare the table beside the board before and after. ``home``: frames in which the board lay at rest.

    ``empty``: the map as measured, in the camera's own depth scale, as the reference's is.
    """
    reference = found.reference
    if reference is None or not found.empty:
        return Bump(None, None)
    change = np.where(reference.field & reference.empty.measured, empty.disparity_px, np.nan)
    change = change - reference.empty.disparity_px
    half_h, half_w = change.shape[0] // 2, change.shape[1] // 2
    parts = [change[v : v + half_h, u : u + half_w] for v in (0, half_h) for u in (0, half_w)]
    medians = [float(np.nanmedian(part)) for part in parts if np.isfinite(part).sum() > 500]
    per_mm = camera.disparity_gain / reference.plane.distance_mm**2
    mm = max((abs(value) for value in medians), default=0.0) / per_mm
    pictures = [one.color for one in found.board_colors if one.number in home and one.color is not None]
    if camera.color is None or not pictures or not found.colors:
        return Bump(mm, None)
    T_color_table = camera.T_color_depth @ reference.T_depth_table
    outline = camera.color.project(transform(T_color_table, board.outline_mm(BOARD_MARGIN_MM)))
    ignore = np.zeros((camera.color.height, camera.color.width), dtype=np.uint8)
    cv2.fillConvexPoly(ignore, np.round(outline).astype(np.int32), (1,))
    shift = picture_shift_px(pictures[len(pictures) // 2], found.colors[len(found.colors) // 2], ignore > 0)
    return Bump(mm, None if shift is None else float(np.hypot(*shift)))


def board_rise_mm(found: Sorted, empty: EmptyTable, board: Board, camera: Camera) -> float | None:
    """How far the board's face lies above the table, by depth with the board and without; None where unknown."""
    reference = found.reference
    if reference is None or not found.empty:
        return None
    rise = reference.seen_px - empty.disparity_px
    beside = rise[reference.field & np.isfinite(rise) & reference.empty.measured]
    face = board_pixels(reference.T_depth_table, board, camera, -_FACE_RIM_MM) & np.isfinite(rise)
    if len(beside) < 500 or face.sum() < 500:
        return None
    px = float(np.median(rise[face]) - np.median(beside))
    return px * reference.plane.distance_mm**2 / camera.disparity_gain


def _sides_mm(xy: Array) -> tuple[float, float]:
    """Longer and shorter side of the smallest rectangle around points, mm."""
    if len(xy) < 3:
        return 0.0, 0.0
    _, sides, _ = cv2.minAreaRect(xy.astype(np.float32))
    return float(max(sides)), float(min(sides))
