"""A camera or a table that was moved: where the table is now, measured from what both pictures show of it.

The two pictures' texture is laid one upon the other as a whole: coarsely by phase correlation, then by OpenCV's ECC
(Evangelidis and Psarakis, PAMI 2008) as a homography of the table plane. The grain of wood leaves single points
undecided along it; the whole picture doesn't. Cells of the picture then tell how well it fits.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import Intrinsics
from calibration.table import Array, TableCalibration, transform
from calibration.tolerances import TOLERANCES as TOL

Picture = NDArray[np.uint8]


@dataclass(frozen=True)
class Bump:
    """``table``: the calibration as it is now. ``shift_mm``: how far the table seems to have gone under the camera, at
    the place where it went furthest; ``sigma_mm``: of the new pose there. ``cells`` of the picture speak for it."""

    table: TableCalibration
    shift_mm: float
    sigma_mm: float
    cells: int


def measured_bump(before_bgr: Picture, now_bgr: Picture, table: TableCalibration) -> Bump | None:
    """How the table lies now, from two (h, w, 3) pictures; ``table`` was right for the first one.

    None where the pictures can't be laid one upon the other: no texture, or too much that is new.
    """
    color = table.camera.color
    if color is None or before_bgr.shape != now_bgr.shape or before_bgr.shape[:2] != (color.height, color.width):
        return None
    before, now = _texture(before_bgr), _texture(now_bgr)
    way = _way(before, now)
    if way is None:
        return None
    apart = _cells_apart(before, now, way)
    good = apart[np.hypot(*apart.T) < TOL.bump_cell_px]
    if len(good) < TOL.min_bump_cells:
        return None
    spots = _spots(color)
    on_table = _on_table(spots, table, color)
    there = cv2.perspectiveTransform((spots / _HALF)[:, None].astype(np.float64), way)[:, 0] * _HALF
    near = table.T_color_table
    start, _ = cv2.Rodrigues(near[:3, :3])
    distortion = np.array(color.distortion)
    turn, place = cv2.solvePnPRefineLM(
        on_table, there, color.K, distortion, start.copy(), near[:3, 3].copy().reshape(3, 1)
    )
    T_color_table = np.eye(4)
    T_color_table[:3, :3], T_color_table[:3, 3] = cv2.Rodrigues(turn)[0], place[:, 0]
    moved = _moved(table, T_color_table)
    shift = np.hypot(*(_on_table(spots, moved, color) - on_table)[:, :2].T)
    mm_per_px = table.distance_mm / color.fx
    spread = np.sqrt((good**2).sum(axis=1).mean() / 2) * _HALF * mm_per_px
    # At the rim a fit of so few parameters is about three times as unsure as its mean.
    return Bump(moved, float(shift.max()), float(3 * spread / np.sqrt(len(good))), len(good))


_HALF = 2  # pictures are compared in half size
_CELLS = 4  # cells along each side of the picture


def _texture(picture: Picture) -> NDArray[np.float32]:
    """Detail alone, in half size, clipped: no edge of a piece outshouts the table's grain."""
    gray = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY).astype(np.float32)
    half = cv2.resize(gray, None, fx=1 / _HALF, fy=1 / _HALF, interpolation=cv2.INTER_AREA)
    detail = cv2.GaussianBlur(half, (0, 0), 1) - cv2.GaussianBlur(half, (0, 0), 8)
    spread = max(1.4826 * float(np.median(np.abs(detail))), 0.3)
    return np.asarray(np.clip(detail / spread, -2, 2), dtype=np.float32)


def _way(before: NDArray[np.float32], now: NDArray[np.float32]) -> Array | None:
    """3x3 homography from the first picture (half size) to the second."""
    size = (before.shape[1], before.shape[0])
    (x, y), _ = cv2.phaseCorrelate(before, now, cv2.createHanningWindow(size, cv2.CV_32F))
    everywhere = np.full(before.shape, 255, np.uint8)
    criteria = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, TOL.bump_iterations, 1e-5)
    found: Array | None = None
    best = TOL.min_bump_likeness
    for start in ((x, y), (0.0, 0.0)):
        rough = np.array([[1, 0, start[0]], [0, 1, start[1]]], dtype=np.float32)
        try:
            _, turned = cv2.findTransformECC(before, now, rough, cv2.MOTION_EUCLIDEAN, criteria, everywhere, 5)
            whole = np.vstack([turned, [0, 0, 1]]).astype(np.float32)
            like, way = cv2.findTransformECC(before, now, whole, cv2.MOTION_HOMOGRAPHY, criteria, everywhere, 3)
        except cv2.error:  # it doesn't converge: nothing alike
            continue
        if like > best:
            best, found = like, np.asarray(way, dtype=np.float64)
    return found


def _cells_apart(before: NDArray[np.float32], now: NDArray[np.float32], way: Array) -> Array:
    """(n, 2) what is left between the pictures in each cell, pixels of half size, without cells that can't tell."""
    size = (before.shape[1], before.shape[0])
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    laid = np.asarray(cv2.warpPerspective(now, way, size, flags=flags), dtype=np.float32)
    seen = cv2.warpPerspective(np.ones_like(now), way, size, flags=flags)
    height, width = before.shape[0] // _CELLS, before.shape[1] // _CELLS
    window = cv2.createHanningWindow((width, height), cv2.CV_32F)
    out = []
    for row in range(_CELLS):
        for column in range(_CELLS):
            cell = np.s_[row * height : (row + 1) * height, column * width : (column + 1) * width]
            if seen[cell].mean() < 0.8:
                continue
            here = before[cell].copy()
            zero, _ = cv2.phaseCorrelate(here, here, window)  # half a pixel, where a side is odd
            shift, response = cv2.phaseCorrelate(here, laid[cell].copy(), window)
            if response >= TOL.bump_cell_response:
                out.append(np.subtract(shift, zero))
    return np.array(out, dtype=np.float64).reshape(-1, 2)


def _on_table(pixels: Array, table: TableCalibration, color: Intrinsics) -> Array:
    """(n, 3) points of the table plane, mm, that pixels of the colour picture show."""
    T_table_color = np.linalg.inv(table.T_color_table)
    rays = color.rays(pixels) @ T_table_color[:3, :3].T
    eye = T_table_color[:3, 3]
    points = eye + rays * (-eye[2] / rays[:, 2])[:, None]
    points[:, 2] = 0.0
    return np.asarray(points, dtype=np.float64)


def _spots(color: Intrinsics) -> Array:
    """(n, 2) pixels of a grid well inside the picture."""
    share = np.linspace(0.15, 0.85, 5)
    u, v = np.meshgrid(share * color.width, share * color.height)
    return np.asarray(np.stack([u.ravel(), v.ravel()], axis=1), dtype=np.float64)


def _moved(table: TableCalibration, T_color_table: Array) -> TableCalibration:
    """The calibration with another pose. The map's ripple belongs to the sensor and stays; the plane under it goes with
    the table, and so does the picture of the empty table."""
    camera = table.camera
    T_depth_table = np.asarray(np.linalg.inv(camera.T_color_depth) @ T_color_table, dtype=np.float64)
    new = replace(table, T_depth_table=T_depth_table)
    disparity = table.empty.disparity_px + (_plane(new) - _plane(table))
    picture = table.empty.color_bgr
    if (
        picture is not None
        and camera.color is not None
        and picture.shape[:2]
        == (
            camera.color.height,
            camera.color.width,
        )
    ):
        spots = _spots(camera.color)[[0, 4, 24, 20]]
        there = camera.color.project(transform(T_color_table, _on_table(spots, table, camera.color)))
        way = cv2.getPerspectiveTransform(spots.astype(np.float32), there.astype(np.float32))
        size = (picture.shape[1], picture.shape[0])
        warped = cv2.warpPerspective(picture, way, size, borderMode=cv2.BORDER_REPLICATE)
        picture = np.asarray(warped, dtype=np.uint8)
    empty = replace(table.empty, disparity_px=disparity.astype(np.float32), color_bgr=picture)
    return replace(new, empty=empty)


def _plane(table: TableCalibration) -> Array:
    """(h, w) disparity of the table plane, px: linear in the pixel, but for the lens."""
    depth = table.camera.depth
    v, u = np.mgrid[0 : depth.height : 1, 0 : depth.width : 1]
    T = table.T_table_depth
    rays = depth.rays(np.stack([u, v], axis=-1).astype(np.float64))
    down = rays @ T[2, :3]
    return np.asarray(table.camera.disparity_gain * -down / T[2, 3])
