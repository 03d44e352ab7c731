"""The calibration board (ChArUco): what it looks like, where its corners are, where a colour picture shows it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.errors import CalibrationError
from calibration.tolerances import TOLERANCES

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Board:
    """A ChArUco board: a chessboard with an ArUco marker in each white square. All lengths mm.

    ``thickness_mm`` is how far its printed face lies above the table (a sheet of paper: 0.1).
    """

    squares_x: int = 7
    squares_y: int = 5
    square_mm: float = 38.0
    marker_mm: float = 28.0
    dictionary: str = "DICT_5X5_100"
    thickness_mm: float = 0.1

    def __post_init__(self) -> None:
        if self.squares_x < 3 or self.squares_y < 3:
            raise CalibrationError(f"board of {self.squares_x} x {self.squares_y} squares: at least 3 x 3 are needed")
        if not 0 < self.marker_mm < self.square_mm:
            raise CalibrationError(
                f"board: marker of {self.marker_mm:g} mm must be larger than 0 and smaller than its square, "
                f"{self.square_mm:g} mm"
            )
        if not 0 <= self.thickness_mm < math.inf:
            raise CalibrationError(f"board: thickness of {self.thickness_mm:g} mm can't be; give it in mm, 0 or more")
        if not self.dictionary.startswith("DICT_") or not hasattr(cv2.aruco, self.dictionary):
            raise CalibrationError(f"board: no marker dictionary {self.dictionary!r}; use one like DICT_5X5_100")
        if self.squares_x * self.squares_y // 2 > len(self._markers().bytesList):
            raise CalibrationError(f"board: {self.dictionary} has too few markers for so many squares")

    @property
    def width_mm(self) -> float:
        """Length of the chessboard along x."""
        return self.squares_x * self.square_mm

    @property
    def height_mm(self) -> float:
        """Length of the chessboard along y."""
        return self.squares_y * self.square_mm

    @property
    def corner_count(self) -> int:
        """How many inner corners the chessboard has; ids run from 0, row by row from the top left."""
        return (self.squares_x - 1) * (self.squares_y - 1)

    def corners_mm(self, ids: NDArray[np.int64] | None = None) -> Array:
        """(n, 3) corners in the table frame: origin at the board's centre, x right, y up the sheet, z out of it.

        OpenCV's own board frame has its origin in the top left corner, y down the sheet and z into it; turning both
        y and z keeps the frame right-handed.
        """
        if ids is None:
            ids = np.arange(self.corner_count)
        column, row = ids % (self.squares_x - 1), ids // (self.squares_x - 1)
        x = (column + 1) * self.square_mm - self.width_mm / 2
        y = self.height_mm / 2 - (row + 1) * self.square_mm
        return np.stack([x, y, np.zeros(len(ids))], axis=1).astype(np.float64)

    def outline_mm(self, margin_mm: float = 0.0) -> Array:
        """(4, 3) outline of the chessboard in the table frame, ``margin_mm`` outside it, counter-clockwise."""
        x, y = self.width_mm / 2 + margin_mm, self.height_mm / 2 + margin_mm
        return np.array([[-x, -y, 0], [x, -y, 0], [x, y, 0], [-x, y, 0]], dtype=np.float64)

    def image(self, pixels_per_mm: float) -> NDArray[np.uint8]:
        """The chessboard as a grey picture without margin; pixel k is centred at (k + 0.5) / pixels_per_mm."""
        size = (round(self.width_mm * pixels_per_mm), round(self.height_mm * pixels_per_mm))
        return np.asarray(self.opencv().generateImage(size, marginSize=0, borderBits=1), dtype=np.uint8)

    def opencv(self) -> cv2.aruco.CharucoBoard:
        """The same board as OpenCV has it (lengths in mm)."""
        return cv2.aruco.CharucoBoard((self.squares_x, self.squares_y), self.square_mm, self.marker_mm, self._markers())

    def _markers(self) -> cv2.aruco.Dictionary:
        return cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, self.dictionary))


@dataclass(frozen=True)
class BoardView:
    """Where one colour picture shows the board: (n, 2) ``pixels`` (pixel (0, 0) is centred at 0, 0), (n,) ``ids``.

    ``square_px``: side of a square. ``white``, ``black``: grey levels of the board's white and black;
    ``saturated_share``: of its pixels that are clipped to white.
    """

    pixels: Array
    ids: NDArray[np.int64]
    square_px: float
    white: float
    black: float
    saturated_share: float

    def __len__(self) -> int:
        return len(self.ids)


class BoardFinder:
    """Finds one board in colour pictures; keeps OpenCV's detector, which is slow to make."""

    def __init__(self, board: Board) -> None:
        self.board = board
        corner_rules = cv2.aruco.CharucoParameters()
        marker_rules = cv2.aruco.DetectorParameters()
        marker_rules.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
        self._detector = cv2.aruco.CharucoDetector(board.opencv(), corner_rules, marker_rules)

    def find(self, color_bgr: NDArray[np.uint8]) -> BoardView | None:
        """The board in a (h, w, 3) BGR or (h, w) grey picture; None where not one of its markers is seen.

        A view may hold too few corners for a pose, or none: ask ``reject_reason``.
        """
        picture = color_bgr if color_bgr.ndim == 2 else cv2.cvtColor(color_bgr, cv2.COLOR_BGR2GRAY)
        gray = np.ascontiguousarray(picture, dtype=np.uint8)
        corners, ids, _, marker_ids = self._detector.detectBoard(gray)
        if corners is None or ids is None or len(ids) < 2:
            if marker_ids is None or len(marker_ids) == 0:
                return None
            return BoardView(np.zeros((0, 2)), np.zeros(0, dtype=np.int64), 0.0, 0.0, 0.0, 0.0)
        pixels = np.asarray(corners, dtype=np.float64).reshape(-1, 2)
        numbers = np.asarray(ids, dtype=np.int64).reshape(-1)
        square_px = _square_px(pixels, numbers, self.board)
        low, high = np.floor(pixels.min(axis=0)).astype(int), np.ceil(pixels.max(axis=0)).astype(int) + 1
        patch = gray[max(low[1], 0) : high[1], max(low[0], 0) : high[0]]
        black, white = (float(level) for level in np.percentile(patch, [10, 90]))
        return BoardView(
            _refine(gray, pixels, square_px), numbers, square_px, white, black, float((patch >= 255).mean())
        )


def detect_board(color_bgr: NDArray[np.uint8], board: Board) -> BoardView | None:
    """The board in one picture (see BoardFinder for many), or None."""
    return BoardFinder(board).find(color_bgr)


def reject_reason(view: BoardView | None) -> str | None:
    """Why a view can't serve for the pose, or None where it can."""
    if view is None:
        return "board not seen"
    if len(view) < TOLERANCES.min_corners:
        return f"only {len(view)} corners of the board seen, {TOLERANCES.min_corners} are needed"
    xy = view.pixels - view.pixels.mean(axis=0)
    spread = np.sqrt(np.linalg.eigvalsh(xy.T @ xy / len(xy)))
    if spread[0] < 0.25 * view.square_px:
        return "the corners seen lie in one line"
    return None


def _refine(gray: NDArray[np.uint8], pixels: Array, square_px: float) -> Array:
    """Corners once more, in a window that stays clear of the markers (they begin 5 of 38 mm beside the corner)."""
    half = int(np.clip(round(square_px * 0.12), 2, 8))
    criteria = (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, 50, 1e-3)
    points = np.ascontiguousarray(pixels.reshape(-1, 1, 2), dtype=np.float32)
    refined = np.asarray(cv2.cornerSubPix(gray, points, (half, half), (-1, -1), criteria), dtype=np.float64)
    refined = refined.reshape(-1, 2)
    wild = np.linalg.norm(refined - pixels, axis=1) > half
    return np.where(wild[:, None], pixels, refined)


def _square_px(pixels: Array, ids: NDArray[np.int64], board: Board) -> float:
    """Side of a square in pixels: the median distance of neighbouring corners, or the overall scale."""
    mm = board.corners_mm(ids)[:, :2]
    step = np.linalg.norm(mm[:, None] - mm[None], axis=2)
    near = np.isclose(step, board.square_mm)
    distance = np.linalg.norm(pixels[:, None] - pixels[None], axis=2)
    if near.any():
        return float(np.median(distance[near]))
    return float(np.median(distance[step > 0] / step[step > 0]) * board.square_mm)
