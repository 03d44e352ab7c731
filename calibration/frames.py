"""Sorting a recording: frames that show the board, frames of the really empty table, and the rest.

A whole game may be given: the board comes first, then the empty table, then hands and pieces. Frames count as empty
until the first thing is raised above the table, or the picture changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from calibration.board import Board, BoardFinder, BoardView, reject_reason
from calibration.camera import Camera
from calibration.empty_table import (
    color_changed,
    fill_from_around,
    map_from_disparities,
    raised_things,
)
from calibration.errors import CalibrationError
from calibration.plane import Map, PlaneFit, disparity_from_depth, plane_from_depth
from calibration.pose import Rejected, board_in_color, board_pixels, mean_view, plane_of_pose, table_by_color
from calibration.table import EmptyTable
from calibration.tolerances import TOLERANCES

Depth = NDArray[np.uint16]
Color = NDArray[np.uint8]
Item = TypeVar("Item")

BOARD_MARGIN_MM = 25.0  # paper around the chessboard and the sensor's kernel at its rim
_COLORS_KEPT = 10
_BOARD_COLORS_KEPT = 4
_UNSTEADY_FRAMES = 3  # a picture that changes within so few frames wasn't at rest yet
_EARLY_KEPT = 20  # frames before the board, kept with their pictures
_JUDGE_MM = 1.4  # raised things are looked for at this spacing, or each pixel where pixels are coarser


@dataclass(frozen=True)
class Shot:
    """One frame kept: its place in the recording, depth, and colour or None."""

    number: int
    depth: Depth
    color: Color | None = None


@dataclass(frozen=True)
class Reference:
    """The table as the frames with the board show it: what an empty frame is held against.

    ``seen_px``: (h, w) disparity as seen, with the board; in ``empty`` the board is smoothed away. ``field``: (h, w)
    True where the table is measured and nothing stands on it. ``noise_px``: (h, w) temporal noise of one frame, or None
    where too few frames showed it.
    """

    empty: EmptyTable
    seen_px: Map
    plane: PlaneFit
    field: NDArray[np.bool_]
    T_depth_table: NDArray[np.float64]
    mm_per_px: float
    noise_px: Map | None


@dataclass
class Sorted:
    """What a recording gave: views of the board with their depth, empty frames, what took no part and why.

    ``colors``: some pictures of the empty table; ``board_colors``: a few with the board; ``reference``: the table as
    the board's frames show it, None where there was nothing to hold against it.
    """

    board: list[tuple[Shot, BoardView]] = field(default_factory=list)
    empty: list[Shot] = field(default_factory=list)
    colors: list[Color] = field(default_factory=list)
    board_colors: list[Shot] = field(default_factory=list)
    reference: Reference | None = None
    rejected: list[Rejected] = field(default_factory=list)
    seen: int = 0


def sort_frames(
    camera: Camera,
    frames: Iterable[tuple[Depth, Color | None]],
    board: Board,
    tell: Callable[[str], None] | None = None,
) -> Sorted:
    """Read frames until enough empty ones were seen and something was put on the table, or to the end.

    ``frames``: (h, w) uint16 depth in the camera's units, (hc, wc, 3) uint8 BGR colour or None. ``tell`` gets lines on
    the progress. Raises CalibrationError where a frame's size isn't the camera's or none shows the board.
    """
    sorter = _Sorter(camera, board, tell or (lambda line: None))
    for number, (depth, color) in enumerate(frames):
        _check_size(number, depth, color, camera)
        if not sorter.take(Shot(number, depth, color)):
            break
    return sorter.finish()


class _Thinned(Generic[Item]):
    """Keeps at most ``most`` of the items offered, evenly spread over all of them."""

    def __init__(self, most: int) -> None:
        self.most, self.stride, self.offered = most, 1, 0
        self.kept: list[Item] = []

    def offer(self, item: Item) -> None:
        if self.offered % self.stride == 0:
            self.kept.append(item)
            if len(self.kept) > self.most:
                self.kept, self.stride = self.kept[::2], self.stride * 2
        self.offered += 1


class _Sorter:
    """Takes one frame after the other; remembers a bounded number of each kind."""

    def __init__(self, camera: Camera, board: Board, tell: Callable[[str], None]) -> None:
        self.camera, self.board, self.tell = camera, board, tell
        self.finder = BoardFinder(board)
        self.boards: _Thinned[tuple[Shot, BoardView]] = _Thinned(TOLERANCES.max_frames)
        self.board_colors: _Thinned[Shot] = _Thinned(_BOARD_COLORS_KEPT)
        self.early: _Thinned[Shot] = _Thinned(_EARLY_KEPT)
        self.reference: Reference | None = None
        self.made_from = 0
        self.waited = 0
        self.rejected: list[Rejected] = []
        self.seen = 0
        self._begin()

    def _begin(self) -> None:
        self.first: Shot | None = None
        self.empty: _Thinned[Shot] = _Thinned(TOLERANCES.max_frames)
        self.colors: _Thinned[Shot] = _Thinned(_COLORS_KEPT)

    def take(self, shot: Shot) -> bool:
        """Sort one frame in; False where no more are needed."""
        self.seen += 1
        view = self.finder.find(shot.color) if shot.color is not None else None
        if view is not None:
            self._take_board(shot, view)
            return True
        if not self.boards.kept:
            self.early.offer(shot)
            return True
        if self.reference is None or len(self.boards.kept) >= 2 * self.made_from:
            self.reference = reference_from(self.boards.kept, self.camera, self.board)
            self.made_from = len(self.boards.kept)
        if self._take_bare(shot, self.reference):
            return self.empty.offered < 4 * TOLERANCES.max_frames
        self.waited += 1
        enough = self.empty.offered >= TOLERANCES.min_empty_frames
        return not enough and self.waited < TOLERANCES.patience_frames

    def finish(self) -> Sorted:
        """What all frames gave together."""
        if not self.boards.kept:
            mean_view([(one.frame, None) for one in self.rejected] or [(one.number, None) for one in self.early.kept])
        if self.empty.offered < TOLERANCES.min_empty_frames and self.early.kept:
            # The table may have been shown empty before the board was laid on it.
            self.reference = reference_from(self.boards.kept, self.camera, self.board)
            for shot in self.early.kept:
                self._take_bare(shot, self.reference)
        empty = sorted(self.empty.kept, key=lambda shot: shot.number)
        if self.reference is not None:
            empty, hidden = _without_raised_blocks(empty, self.reference, self.camera)
            self.rejected += hidden
        left_out = {one.frame for one in self.rejected}
        return Sorted(
            board=self.boards.kept,
            empty=empty,
            colors=[one.color for one in self.colors.kept if one.color is not None and one.number not in left_out],
            board_colors=self.board_colors.kept,
            reference=self.reference,
            rejected=sorted(self.rejected, key=lambda one: one.frame),
            seen=self.seen,
        )

    def _take_board(self, shot: Shot, view: BoardView) -> None:
        self.waited = 0
        reason = reject_reason(view)
        if reason is not None:
            self.rejected.append(Rejected(shot.number, reason))
            return
        if self.boards.offered == 0:
            self.tell(f"frame {shot.number}: board seen")
        self.boards.offer((Shot(shot.number, shot.depth), view))
        self.board_colors.offer(shot)

    def _take_bare(self, shot: Shot, reference: Reference) -> bool:
        """Keep a frame without the board if the table is empty in it."""
        reason = why_raised(disparity_from_depth(shot.depth, self.camera), reference, self.camera, 1)
        if reason is None and self._changed(shot, reference):
            if self.empty.offered >= _UNSTEADY_FRAMES:
                reason = "the picture changed against the first empty frame: something flat was put down"
            else:
                # The arm that took the board away leaves with its shadow: the empty table begins after that.
                before = [one.number for one in self.empty.kept]
                self.rejected += [Rejected(number, "the picture was still changing") for number in before]
                self._begin()
        if reason is not None:
            self.rejected.append(Rejected(shot.number, reason))
            return False
        if self.first is None:
            self.first = shot
            self.tell(f"frame {shot.number}: empty table")
        self.empty.offer(Shot(shot.number, shot.depth))
        if shot.color is not None:
            self.colors.offer(shot)
        return True

    def _changed(self, shot: Shot, reference: Reference) -> bool:
        first, color = self.first, self.camera.color
        if first is None or first.color is None or shot.color is None or color is None:
            return False
        return color_changed(first.color, shot.color, reference.plane.distance_mm / color.fx)


def reference_from(boards: list[tuple[Shot, BoardView]], camera: Camera, board: Board) -> Reference:
    """The table beneath the board, from frames that show the board lying still."""
    view, _ = mean_view([(shot.number, seen) for shot, seen in boards])
    T = table_by_color(board_in_color(view, board, camera), board, camera)
    home = set(view.frames)
    stack = [disparity_from_depth(shot.depth, camera) for shot, _ in boards if shot.number in home]
    seen_map = map_from_disparities(stack)
    hidden = board_pixels(T, board, camera, BOARD_MARGIN_MM)
    plane = table_plane(seen_map.disparity_px, camera, T, hidden)
    plane_px = plane.disparity(camera)
    mm_per_px = plane.distance_mm / camera.depth.fx
    lift_px = board.thickness_mm * camera.disparity_gain / plane.distance_mm**2
    empty = fill_from_around(seen_map, hidden, plane_px, lift_px)
    height = plane.raised(empty.disparity_px, camera)
    limit = np.maximum(TOLERANCES.plane_gate_mm, 2 * TOLERANCES.ripple_share * plane.distance_mm)
    field_ = np.isfinite(height) & (np.abs(height) < limit)
    noise = (seen_map.sigma_px * np.float32(np.sqrt(len(stack)))).astype(np.float32) if len(stack) >= 3 else None
    return Reference(empty, seen_map.disparity_px, plane, _shrink(field_, 12.0 / mm_per_px), T, mm_per_px, noise)


def table_plane(
    disparity_px: Map, camera: Camera, T_depth_table: NDArray[np.float64], hidden: NDArray[np.bool_] | None
) -> PlaneFit:
    """The plane the board lies on. ``T_depth_table`` (board in colour alone) says roughly where; ``hidden``: (h, w)
    pixels to leave out, the board's. Where nearly nothing else has depth, the board's own face has to do.
    """
    start = plane_of_pose(T_depth_table)
    around = np.zeros(disparity_px.shape, dtype=bool)
    around[_window(T_depth_table, camera)] = True
    with np.errstate(invalid="ignore"):
        ratio = disparity_px / _plane_px(start, camera)
        ratio = ratio[around & np.isfinite(ratio)]
    if len(ratio) >= 100:
        start = start * float(np.median(ratio))
    mask = None if hidden is None else ~hidden
    if mask is not None and int((mask & np.isfinite(disparity_px)).sum()) < 2 * int(
        hidden.sum() if hidden is not None else 0
    ):
        mask = None
    return plane_from_depth(disparity_px, camera, mask=mask, start=start)


def why_raised(disparity: Map, reference: Reference, camera: Camera, averaged: int) -> str | None:
    """Why a disparity picture, mean of ``averaged`` frames, isn't the bare table; None where it is.

    Looks at every pixel or every second one, as long as they stay closer than a piece's detail: noise is correlated
    over 5 pixels, so nothing is lost.
    """
    every = max(1, int(_JUDGE_MM / reference.mm_per_px))
    grid = (slice(None, None, every), slice(None, None, every))
    disparity, usable = disparity[grid], reference.field[grid]
    known = np.isfinite(disparity) & usable
    lost = 1.0 - known.sum() / max(int(usable.sum()), 1)
    if lost > TOLERANCES.max_lost_share:
        return f"{lost:.0%} of the table has no depth: something covers it"
    change = disparity - reference.empty.disparity_px[grid]
    change -= np.float32(np.median(change[known]))
    noise = np.float32(1.4826 * np.median(np.abs(change[known])))
    if reference.noise_px is not None:
        noise = np.fmax(noise, reference.noise_px[grid] / np.float32(np.sqrt(averaged)))
    mm_per_disparity = np.float32(reference.plane.distance_mm**2 / camera.disparity_gain)
    limit = np.maximum(TOLERANCES.raised_mm, TOLERANCES.raised_sigmas * noise * mm_per_disparity)
    things = raised_things(
        change * mm_per_disparity, ~usable, reference.mm_per_px * every, np.asarray(limit, dtype=np.float32)
    )
    if not things:
        return None
    area, u, v = max(things)
    return f"something stands on the table ({area / 100:.1f} cm2 at depth pixel {u * every}, {v * every})"


def _without_raised_blocks(
    shots: list[Shot], reference: Reference, camera: Camera
) -> tuple[list[Shot], list[Rejected]]:
    """Empty frames but for blocks whose mean shows a low thing that the noise of their single frames hid."""
    size = TOLERANCES.block_frames
    kept: list[Shot] = []
    rejected: list[Rejected] = []
    for start in range(0, len(shots), size):
        block = shots[start : start + size]
        stack = np.stack([disparity_from_depth(shot.depth, camera) for shot in block])
        reason = why_raised(stack.mean(axis=0), reference, camera, len(block))
        if reason is None:
            kept += block
        else:
            rejected += [Rejected(shot.number, reason) for shot in block]
    return kept, rejected


def _plane_px(coefficients: NDArray[np.float64], camera: Camera) -> Map:
    return PlaneFit(coefficients, np.zeros((3, 3)), 0.0, 0.0, 0, 0.0).disparity(camera)


def _window(T_depth_table: NDArray[np.float64], camera: Camera) -> tuple[slice, slice]:
    """Depth pixels within about 100 mm of the board's centre."""
    u, v = camera.depth.project(T_depth_table[:3, 3])
    reach = 100.0 * camera.depth.fx / float(T_depth_table[2, 3])
    rows = slice(max(0, int(v - reach)), max(0, int(v + reach)))
    return rows, slice(max(0, int(u - reach)), max(0, int(u + reach)))


def _shrink(mask: NDArray[np.bool_], radius_px: float) -> NDArray[np.bool_]:
    import cv2

    size = 2 * round(radius_px) + 1
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size))
    # Single pixels without depth must not eat the field away.
    whole = cv2.morphologyEx(mask.astype(np.uint8), cv2.MORPH_CLOSE, np.ones((7, 7), np.uint8))
    return (cv2.erode(whole, kernel) > 0) & mask


def _check_size(number: int, depth: Depth, color: Color | None, camera: Camera) -> None:
    expected = (camera.depth.height, camera.depth.width)
    if depth.shape != expected or depth.dtype != np.uint16:
        raise CalibrationError(
            f"frame {number}: depth of {' x '.join(str(n) for n in depth.shape[::-1])} ({depth.dtype}), expected "
            f"{expected[1]} x {expected[0]} (uint16) as the camera's intrinsics say"
        )
    if color is not None and camera.color is not None:
        size = (camera.color.height, camera.color.width)
        if color.shape[:2] != size:
            raise CalibrationError(
                f"frame {number}: colour of {color.shape[1]} x {color.shape[0]}, expected {size[1]} x {size[0]} as the "
                "camera's intrinsics say"
            )
