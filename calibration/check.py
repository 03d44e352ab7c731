"""The self-test before a game: a board of known size on the calibrated table, measured back."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.board import Board, BoardFinder, BoardView
from calibration.camera import Camera
from calibration.empty_table import map_from_disparities
from calibration.errors import CalibrationError
from calibration.plane import Map, PlaneFit, disparity_from_depth
from calibration.pose import board_pixels, mean_view
from calibration.table import TableCalibration
from calibration.table_file import check_camera
from calibration.tolerances import TOLERANCES

Array = NDArray[np.float64]
_MOST_FRAMES = 30
_MOST_GONE = 30  # frames without the board, after it was seen, that end the reading
_RIM_MM = 12.0  # the sensor's kernel blends the board's rim with the table
_BESIDE_MM = 30.0  # further from the board than this, the table is bare


@dataclass(frozen=True)
class Measure:
    """One thing measured back: what, the truth, the value, and by how much they may differ."""

    what: str
    true: float
    value: float
    limit: float
    unit: str
    advice: str

    @property
    def holds(self) -> bool:
        """Whether the value is within its limit."""
        return abs(self.value - self.true) <= self.limit

    def line(self) -> str:
        """The measure in words."""
        verdict = "ok" if self.holds else "FAIL"
        text = (
            f"{verdict}: {self.what}: {self.value:.2f} {self.unit}, should be {self.true:.2f} "
            f"(within {self.limit:.2f} {self.unit})"
        )
        return text if self.holds else f"{text}: {self.advice}"


def check_table(
    table: TableCalibration,
    camera: Camera,
    frames: Iterable[tuple[NDArray[np.uint16], NDArray[np.uint8] | None]],
    board: Board | None = None,
    height_mm: float = 0.0,
) -> list[Measure]:
    """Measure a board back that lies on the calibrated table, anywhere, ``height_mm`` above it (on spacers).

    Lengths are measured in colour on the board's plane, heights in depth against the empty-table map; the free table
    beside the board tells whether the camera still is where it was. Raises CalibrationError where the camera is another
    one or no frame shows the board.
    """
    check_camera(table, camera)
    if not 0 <= height_mm < table.distance_mm:
        raise CalibrationError(
            f"a board {height_mm:g} mm above the table can't be, the camera hangs at {table.distance_mm:.0f} mm; give "
            "the height of the spacers in mm with --height"
        )
    board = board or Board()
    finder = BoardFinder(board)
    views: list[tuple[int, BoardView | None]] = []
    depths: dict[int, NDArray[np.uint16]] = {}
    gone = 0
    for number, (depth, color) in enumerate(frames):
        if len(depths) >= _MOST_FRAMES or gone > _MOST_GONE:
            break
        if depth.shape != table.empty.disparity_px.shape:
            raise CalibrationError(f"frame {number}: depth has another size than the calibration's")
        view = finder.find(color) if color is not None else None
        views.append((number, view))
        if view is not None:
            depths[number] = depth
        gone = gone + 1 if view is None and depths else 0
    mean, _ = mean_view(views)
    face_mm = height_mm + board.thickness_mm
    places = _on_plane(mean.pixels, face_mm, table)
    printed = board.corners_mm(mean.ids)[:, :2]
    T_table_board = _lay(printed, places, height_mm)
    seen = map_from_disparities([disparity_from_depth(depths[number], table.camera) for number in mean.frames])
    height = height_over_map(seen.disparity_px, table)
    T_depth_board = table.T_depth_table @ T_table_board
    face = board_pixels(T_depth_board, board, table.camera, -_RIM_MM) & table.empty.measured
    bare = ~board_pixels(T_depth_board, board, table.camera, _BESIDE_MM) & table.empty.measured
    bare &= np.abs(np.nan_to_num(height, nan=1e3)) < TOLERANCES.plane_gate_mm
    if face.sum() < 200 or bare.sum() < TOLERANCES.min_plane_px:
        raise CalibrationError("board or table beside it have no depth: lay the board further into the field")
    offset, tilt_deg = _drift(height, bare, table)
    one, other = _farthest(printed)
    length = float(np.linalg.norm(printed[one] - printed[other]))
    return [
        Measure(
            "longest length on the board, in colour",
            length,
            float(np.linalg.norm(places[one] - places[other])),
            TOLERANCES.check_length_share * length,
            "mm",
            "check the print's ruler, then calibrate the table again",
        ),
        Measure(
            "height of the board's face, in depth",
            face_mm,
            float(np.nanmedian(height[face])) - offset,
            TOLERANCES.check_height_mm + TOLERANCES.check_height_share * height_mm,
            "mm",
            "does the board lie flat and at the height given? Else calibrate the table again",
        ),
        Measure(
            "height of the free table",
            0.0,
            offset,
            TOLERANCES.check_drift_mm,
            "mm",
            "the camera moved or is not warm yet: calibrate the table again",
        ),
        Measure(
            "tilt of the free table",
            0.0,
            tilt_deg,
            TOLERANCES.check_tilt_deg,
            "deg",
            "the camera moved: calibrate the table again",
        ),
    ]


def run_check(
    table: TableCalibration,
    camera: Camera,
    frames: Iterable[tuple[NDArray[np.uint16], NDArray[np.uint8] | None]],
    *,
    board: Board | None = None,
    height_mm: float = 0.0,
) -> tuple[int, list[str]]:
    """``th-vision calibrate check``: exit status (0 pass, 1 fail) and the lines to print. Raises CalibrationError."""
    measures = check_table(table, camera, frames, board, height_mm)
    passed = all(one.holds for one in measures)
    return (0 if passed else 1), [f"check: {'pass' if passed else 'FAIL'}", *(one.line() for one in measures)]


def height_over_map(disparity_px: Map, table: TableCalibration) -> Map:
    """(h, w) float32 height above the table, mm, of measured disparities; the map's deviation from the plane, its
    ripple, is taken out. NaN where disparity or map is unknown.
    """
    coefficients = table.T_depth_table[:3, 2] / float(table.T_depth_table[:3, 2] @ table.T_depth_table[:3, 3])
    plane = PlaneFit(coefficients, np.zeros((3, 3)), 0.0, 0.0, 0, 0.0)
    flat = disparity_px - table.empty.disparity_px + plane.disparity(table.camera)
    return plane.raised(np.asarray(flat, dtype=np.float32), table.camera)


def _on_plane(pixels: Array, z_mm: float, table: TableCalibration) -> Array:
    """(n, 2) places on the plane z = ``z_mm`` of the table frame that colour pixels (n, 2) look at."""
    color = table.camera.color
    if color is None:
        raise CalibrationError("the calibration has no colour camera: lengths can't be checked")
    T_table_color = np.asarray(np.linalg.inv(table.T_color_table), dtype=np.float64)
    ways = color.rays(pixels) @ T_table_color[:3, :3].T
    start = T_table_color[:3, 3]
    return np.asarray((start + ways * ((z_mm - start[2]) / ways[:, 2:3]))[:, :2], dtype=np.float64)


def _lay(printed: Array, places: Array, height_mm: float) -> Array:
    """4x4 pose of the board's frame in the table frame: turn and shift that lay its corners on their places."""
    a, b = printed - printed.mean(axis=0), places - places.mean(axis=0)
    turn = float(np.angle(np.vdot(a @ [1, 1j], b @ [1, 1j])))
    c, s = np.cos(turn), np.sin(turn)
    T = np.eye(4)
    T[:2, :2] = [[c, -s], [s, c]]
    T[:2, 3] = places.mean(axis=0) - T[:2, :2] @ printed.mean(axis=0)
    T[2, 3] = height_mm
    return T


def _farthest(points: Array) -> tuple[int, int]:
    apart = np.linalg.norm(points[:, None] - points[None], axis=2)
    one, other = np.unravel_index(int(apart.argmax()), apart.shape)
    return int(one), int(other)


def _drift(height: Map, bare: NDArray[np.bool_], table: TableCalibration) -> tuple[float, float]:
    """Height (mm, at the middle of the pixels) and tilt (deg) of the bare table against the calibration."""
    v, u = np.nonzero(bare)
    keep = slice(None, None, max(1, len(u) // 20_000))
    rows, columns = v[keep].astype(np.float64), u[keep].astype(np.float64)
    mm_per_px = table.distance_mm / table.camera.depth.fx
    ground = np.stack([columns * mm_per_px, rows * mm_per_px, np.ones(len(rows))], axis=1)
    ground[:, :2] -= ground[:, :2].mean(axis=0)
    values = height[v[keep], u[keep]].astype(np.float64)
    weights = np.ones(len(values))
    fit: Array = np.zeros(3)
    for _ in range(4):
        fit = np.asarray(np.linalg.lstsq(ground * weights[:, None], values * weights, rcond=None)[0])
        off = np.abs(values - ground @ fit)
        weights = (off < 3 * 1.4826 * float(np.median(off)) + 1e-6).astype(np.float64)
    return float(fit[2]), float(np.degrees(np.arctan(np.hypot(fit[0], fit[1]))))
