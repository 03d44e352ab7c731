"""Sorting a recording: frames that show the board, frames of the really empty table, and the rest.

A whole game may be given: the board comes first, then the empty table, then hands and pieces. Frames count as empty
until the first thing is raised above the table, or the picture changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

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

BOARD_MARGIN_MM = 25.0  # paper around the chessboard and the sensor's kernel at its rim
_COLORS_KEPT = 10
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

    ``field``: (h, w) True where the table is measured and nothing stands on it. ``noise_px``: (h, w) temporal noise of
    one frame, or None where too few frames showed it.
    """

    empty: EmptyTable
    plane: PlaneFit
    field: NDArray[np.bool_]
    T_depth_table: NDArray[np.float64]
    mm_per_px: float
    noise_px: Map | None


@dataclass
class Sorted:
    """What a recording gave: views of the board with their depth, empty frames, some pictures, what took no part."""

    board: list[tuple[Shot, BoardView]] = field(default_factory=list)
    empty: list[Shot] = field(default_factory=list)
    colors: list[Color] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)
    seen: int = 0


class _Thinned:
    """Keeps at most ``most`` of the items offered, evenly spread over all of them."""

    def __init__(self, most: int) -> None:
        self.most, self.stride, self.offered = most, 1, 0
        self.kept: list[tuple[Shot, BoardView | None]] = []

    def offer(self, shot: Shot, view: BoardView | None = None) -> None:
        if self.offered % self.stride == 0:
            self.kept.append((shot, view))
            if len(self.kept) > self.most:
                self.kept, self.stride = self.kept[::2], self.stride * 2
        self.offered += 1


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
    finder = BoardFinder(board)
    out = Sorted()
    boards, empty = _Thinned(TOLERANCES.max_frames), _Thinned(TOLERANCES.max_frames)
    early, colors = _Thinned(_EARLY_KEPT), _Thinned(_COLORS_KEPT)
    reference: Reference | None = None
    made_from = 0
    first: Shot | None = None
    waited = 0
    for number, (depth, color) in enumerate(frames):
        _check_size(number, depth, color, camera)
        out.seen += 1
        view = finder.find(color) if color is not None else None
        shot = Shot(number, depth, color)
        if view is not None:
            reason = reject_reason(view)
            if reason is None:
                boards.offer(Shot(number, depth), view)
                if tell and boards.offered == 1:
                    tell(f"frame {number}: board seen")
            else:
                out.rejected.append(Rejected(number, reason))
            waited = 0
            continue
        if not boards.kept:
            early.offer(shot)
            continue
        if reference is None or len(boards.kept) >= 2 * made_from:
            reference, made_from = reference_from(boards.kept, camera, board), len(boards.kept)
        reason = why_not_empty(shot, reference, camera, first)
        if reason is None:
            if first is None:
                first = shot
                if tell:
                    tell(f"frame {number}: empty table")
            empty.offer(Shot(number, depth))
            if color is not None:
                colors.offer(shot)
            if empty.offered >= 4 * TOLERANCES.max_frames:
                break
        else:
            out.rejected.append(Rejected(number, reason))
            waited += 1
            if empty.offered >= TOLERANCES.min_empty_frames or waited >= TOLERANCES.patience_frames:
                break
    out.board = [(shot, view) for shot, view in boards.kept if view is not None]
    if not out.board:
        mean_view([(one.frame, None) for one in out.rejected] or [(shot.number, None) for shot, _ in early.kept])
    if empty.offered < TOLERANCES.min_empty_frames and early.kept:
        # The table may have been shown empty before the board was laid on it.
        reference = reference_from(boards.kept, camera, board)
        for shot, _ in early.kept:
            reason = why_not_empty(shot, reference, camera, first)
            if reason is None:
                first = first or shot
                empty.offer(Shot(shot.number, shot.depth))
                if shot.color is not None:
                    colors.offer(shot)
            else:
                out.rejected.append(Rejected(shot.number, reason))
    out.empty = sorted((shot for shot, _ in empty.kept), key=lambda shot: shot.number)
    if out.empty and reference is not None:
        out.empty, hidden = _without_raised_blocks(out.empty, reference, camera)
        out.rejected += hidden
    left_out = {one.frame for one in out.rejected}
    out.colors = [shot.color for shot, _ in colors.kept if shot.color is not None and shot.number not in left_out]
    out.rejected.sort(key=lambda one: one.frame)
    return out


def reference_from(boards: list[tuple[Shot, BoardView | None]], camera: Camera, board: Board) -> Reference:
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
    return Reference(empty, plane, _shrink(field_, 12.0 / mm_per_px), T, mm_per_px, noise)


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


def why_not_empty(shot: Shot, reference: Reference, camera: Camera, first: Shot | None) -> str | None:
    """Why a frame without the board doesn't show the empty table, or None where it does."""
    reason = _why_raised(disparity_from_depth(shot.depth, camera), reference, camera, 1)
    if reason is not None:
        return reason
    if first is not None and first.color is not None and shot.color is not None and camera.color is not None:
        mm = reference.plane.distance_mm / camera.color.fx
        if color_changed(first.color, shot.color, mm):
            return "the picture changed against the first empty frame: something flat was put down"
    return None


def _why_raised(disparity: Map, reference: Reference, camera: Camera, averaged: int) -> str | None:
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
        reason = _why_raised(stack.mean(axis=0), reference, camera, len(block))
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
