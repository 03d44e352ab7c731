"""From a recording to a table's calibration: pose, empty-table map, report."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from calibration.board import Board
from calibration.camera import Camera
from calibration.empty_table import fill_from_around, map_from_disparities, mean_color
from calibration.frames import BOARD_MARGIN_MM, Color, Depth, Shot, sort_frames, table_plane
from calibration.joint_pose import joint_pose
from calibration.plane import PlaneFit, disparity_from_depth
from calibration.pose import board_in_color, board_pixels, mean_view, table_by_color, table_pose
from calibration.quality import board_rise_mm, camera_bump, coverage, noise_mm
from calibration.report import Report
from calibration.table import EmptyTable, TableCalibration
from calibration.table_file import check_target, save_table
from calibration.tolerances import TOLERANCES

Array = NDArray[np.float64]
Scale = Literal["board", "depth"]


def calibrate_table(
    camera: Camera,
    frames: Iterable[tuple[Depth, Color | None]],
    board: Board | None = None,
    *,
    scale: Scale = "board",
    made_at: str = "",
    temperature_c: float | None = None,
    tell: Callable[[str], None] | None = None,
) -> tuple[TableCalibration, Report]:
    """Calibrate the table from frames of one recording: (h, w) uint16 depth in the camera's units, BGR colour or None.

    Frames that show ``board`` (default: the printed one) give the pose, frames of the empty table the map; the board
    may lie anywhere. Where depth, with and without the board, says that its face lies higher than its thickness, the
    measured height counts. A whole game may be given: it is read until the first piece.

    ``scale``: who says what a millimetre is. "board": the print (check its ruler!); depth is corrected by a factor,
    which the calibration's camera then carries in its depth unit, as long as both agree to 2.5 %. "depth": the camera's
    depth is believed as it is.

    Raises CalibrationError, one line, where no calibration can be made.
    """
    board = board or Board()
    found = sort_frames(camera, frames, board, tell)
    view, moved = mean_view([(shot.number, seen) for shot, seen in found.board])
    seen = board_in_color(view, board, camera)
    rough = table_by_color(seen, board, camera)
    hidden = board_pixels(rough, board, camera, BOARD_MARGIN_MM)
    home = set(view.frames)
    shots = found.empty or [shot for shot, _ in found.board if shot.number in home]
    empty = _map(shots, camera, mean_color(found.colors))
    rise_mm = board_rise_mm(found, empty, board, camera)
    if rise_mm is not None and abs(rise_mm - board.thickness_mm) > TOLERANCES.board_rise_mm:
        board = replace(board, thickness_mm=max(0.0, rise_mm))
        rough = table_by_color(seen, board, camera)
    plane = table_plane(empty.disparity_px, camera, rough, None if found.empty else hidden)
    pose = table_pose(seen, plane, board, camera)
    bump = camera_bump(found, home, empty, board, camera)
    depth_scale = 1.0
    if scale == "board":
        joint = joint_pose(pose, seen, plane, board, camera)
        if abs(joint.depth_scale - 1) <= TOLERANCES.max_depth_scale:
            pose, depth_scale = joint.pose, joint.depth_scale
            camera, empty, plane = _rescaled(camera, empty, plane, depth_scale)
    measured = empty.measured
    if not found.empty:
        hidden = board_pixels(pose.T_depth_table, board, camera, BOARD_MARGIN_MM)
        lift_px = board.thickness_mm * camera.disparity_gain / plane.distance_mm**2
        empty = fill_from_around(empty, hidden, plane.disparity(camera), lift_px)
    seen_table = coverage(empty, measured, plane, pose.T_depth_table, camera)
    report = Report(
        board_frames=len(view.frames),
        empty_frames=len(found.empty),
        rejected=tuple(sorted([*found.rejected, *moved], key=lambda one: one.frame)),
        corners=pose.corners,
        corner_residual_px=pose.corner_residual_px,
        square_px=view.square_px,
        board_white=view.white,
        board_black=view.black,
        saturated_share=view.saturated_share,
        distance_mm=plane.distance_mm,
        sigma_height_mm=pose.sigma_height_mm,
        tilt_deg=plane.tilt_deg,
        sigma_tilt_deg=pose.sigma_tilt_deg,
        sigma_origin_mm=pose.sigma_origin_mm,
        sigma_rotation_deg=pose.sigma_rotation_deg,
        plane_residual_mm=plane.residual_mm,
        ripple_mm=plane.ripple_mm,
        noise_mm=noise_mm(empty, len(shots), plane, camera),
        no_depth_share=seen_table.no_depth_share,
        field_mm=seen_table.field_mm,
        color_field_mm=seen_table.color_field_mm,
        scale_ratio=pose.scale_ratio,
        sigma_scale=pose.sigma_scale,
        board_tilt_deg=pose.board_tilt_deg,
        disc_px=10.0 * camera.disparity_gain / plane.distance_mm**2,
        depth_scale=depth_scale,
        board_thickness_mm=board.thickness_mm,
        bump_mm=bump.mm,
        bump_px=bump.px,
    )
    table = TableCalibration(
        camera=camera,
        T_depth_table=pose.T_depth_table,
        empty=empty,
        residuals_mm=report.residuals(),
        made_at=made_at,
        temperature_c=temperature_c,
    )
    return table, report


def run_calibrate_table(
    camera: Camera,
    frames: Iterable[tuple[Depth, Color | None]],
    output: str | Path,
    *,
    board: Board | None = None,
    scale: Scale = "board",
    made_at: str = "",
    temperature_c: float | None = None,
    tell: Callable[[str], None] | None = None,
) -> tuple[int, list[str]]:
    """``th-vision calibrate table``: calibrate, write ``output``, and say how good it is.

    Returns exit status (0 good enough, 1 written but not good enough) and the report's lines. Raises CalibrationError.
    """
    check_target(output)  # now, not after a minute's work
    table, report = calibrate_table(
        camera, frames, board, scale=scale, made_at=made_at, temperature_c=temperature_c, tell=tell
    )
    save_table(table, output)
    return (0 if report.good else 1), [*report.lines(), f"written to {output}"]


def _rescaled(camera: Camera, empty: EmptyTable, plane: PlaneFit, factor: float) -> tuple[Camera, EmptyTable, PlaneFit]:
    """Camera, map and plane with every depth ``factor`` times as large, so every disparity that much smaller."""
    return (
        replace(camera, depth_unit_mm=camera.depth_unit_mm * factor),
        replace(
            empty,
            disparity_px=(empty.disparity_px / np.float32(factor)).astype(np.float32),
            sigma_px=(empty.sigma_px / np.float32(factor)).astype(np.float32),
        ),
        replace(plane, coefficients=plane.coefficients / factor, covariance=plane.covariance / factor**2),
    )


def _map(shots: list[Shot], camera: Camera, color: Color | None) -> EmptyTable:
    return map_from_disparities([disparity_from_depth(shot.depth, camera) for shot in shots], color)
