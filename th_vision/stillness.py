"""Frames in, "hand", "moving" or "still" out: when is the table worth looking at?

A frame is compared with the frame before it (does anything move?), with the table as it last stood still, and with
the empty-table map (is something large above it that is no piece?). Everything runs on blocks of pixels, for noise of
a stereo camera is correlated over about one block. Frames that stand still together are handed out as one moment.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.table import TableCalibration
from th_vision import tolerances as tol
from th_vision.frame import Frame

State = Literal["hand", "moving", "still", "unusable"]
Blocks = NDArray[np.float32]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Moment:
    """Frames of one scene that stood still, in order of time; ``after_hand``: a hand was seen just before.

    ``longer``: a second, longer look at a scene that was handed out already.
    """

    frames: tuple[Frame, ...]
    after_hand: bool = False
    longer: bool = False

    @property
    def time_s(self) -> float:
        """The source's clock at the last frame."""
        return self.frames[-1].time_s


@dataclass(frozen=True)
class Seen:
    """What one frame showed. ``changed_mm2``: area that differs from the frame before; ``hand_mm2``: of a hand.

    ``hand_from_deg``: from which side the hand comes in, seen from the middle of the picture, as an angle on the table
    from its x axis; None where it doesn't reach in from the rim. ``reason``: why a frame is unusable. ``moment``: still
    frames that are complete now, if any are.
    """

    state: State
    time_s: float
    changed_mm2: float = 0.0
    hand_mm2: float = 0.0
    reason: str = ""
    moment: Moment | None = None
    hand_from_deg: float | None = None


@dataclass(frozen=True)
class _Look:
    """A frame in blocks: disparity px (NaN unseen), height mm above the table, colour (h, w, 3) or None."""

    disparity: Blocks
    height: Blocks
    color: Blocks | None


class Stillness:
    """Watches frames one by one. State: the last frame, the frames that stand still now, the table as it last stood."""

    def __init__(
        self,
        table: TableCalibration,
        *,
        enough: int = tol.STILL_ENOUGH_FRAMES,
        least: int = tol.STILL_FRAMES,
        longer: int = tol.STILL_LONGER_FRAMES,
    ) -> None:
        self._table = table
        self._enough = max(enough, least)
        self._least = least
        self._longer = longer
        self._kept = max(self._enough, tol.STILL_KEPT_FRAMES)
        camera = table.camera
        self._gain = camera.disparity_gain
        # Neighbouring pixels tell the same: every other one in each direction is enough.
        self._every = tol.STILL_DEPTH_EVERY_PX
        self._block = tol.STILL_DEPTH_BLOCK_PX // self._every
        empty = table.empty.disparity_px[:: self._every, :: self._every].astype(np.float32)
        self._empty = _block_mean(empty, self._block)
        self._block_mm = tol.STILL_DEPTH_BLOCK_PX * table.distance_mm / camera.depth.fx
        self._expected = np.isfinite(empty) & table.empty.measured[:: self._every, :: self._every]
        self._rim = _rim(_block_mean(self._expected.astype(np.float32), self._block) >= 0.5)
        self._settled_height: Blocks = np.zeros_like(self._empty)
        self._run: list[Frame] = []
        self._run_start: _Look | None = None
        self._last: _Look | None = None
        self._length = 0  # of the run, frames that are no longer kept included
        self._handed_out = False
        self._after_hand = False
        self._last_number: int | None = None
        self._last_frame_s = -np.inf
        self._late = 0
        self._hand_frames = 0
        self._hand_since_s = 0.0
        self._time_s = -np.inf
        self._color_seen = False

    def see(self, frame: Frame) -> Seen:
        """Look at the next frame. Time that goes backwards is taken as standing still; the order of frames counts."""
        self._time_s = float(max(self._time_s, frame.time_s))
        reason = self._unusable(frame)
        if reason:
            return Seen("unusable", self._time_s, reason=reason)
        look = self._look(frame)
        changed = 0.0 if self._last is None else self._changed_mm2(self._last, look)
        hand = self._hand_mm2(look)
        if hand and self._frozen(changed):
            hand, self._settled_height = 0.0, look.height
        self._last = look
        if hand:
            moment = self._break()
            self._after_hand = True
            return Seen("hand", self._time_s, changed, hand, moment=moment, hand_from_deg=self._hand_from_deg(look))
        self._hand_frames = 0
        drifted = self._run_start is not None and self._changed_mm2(self._run_start, look, slack=1.5) > 0
        if not self._run or changed > 0 or drifted:
            moment = self._break()
            self._run, self._run_start, self._length = [frame], look, 1
            return Seen("moving", self._time_s, changed, moment=moment)
        self._run.append(frame)
        self._length += 1
        if len(self._run) > self._kept:
            self._run.pop(0)
        if self._length >= self._enough and not self._handed_out:
            return Seen("still", self._time_s, changed, moment=self._hand_out())
        if self._length == self._longer and self._longer > self._enough:
            return Seen("still", self._time_s, changed, moment=Moment(tuple(self._run), longer=True))
        return Seen("still", self._time_s, changed)

    def again(self) -> None:
        """Hand out what stands still now once more, as if it had just come to rest."""
        self._run, self._run_start, self._length, self._handed_out = [], None, 0, False

    def finish(self) -> Moment | None:
        """The source has ended: the still frames not handed out yet, if there are enough."""
        return self._break()

    def _break(self) -> Moment | None:
        moment = None if self._handed_out or len(self._run) < self._least else self._hand_out()
        self._run, self._run_start, self._length, self._handed_out = [], None, 0, False
        return moment

    def _hand_out(self) -> Moment:
        moment = Moment(tuple(self._run), self._after_hand)
        self._handed_out, self._after_hand = True, False
        if self._last is not None and self._run_start is not None:
            self._settled_height = self._run_start.height
        return moment

    def _unusable(self, frame: Frame) -> str:
        depth = self._table.camera.depth
        if frame.number == self._last_number and frame.time_s == self._last_frame_s:
            return "the same picture again"
        if self._came_late(frame):
            return "came too late"
        if frame.depth.shape != (depth.height, depth.width):
            return f"depth of {frame.depth.shape[1]}x{frame.depth.shape[0]}, not {depth.width}x{depth.height}"
        thinned = frame.depth[:: self._every, :: self._every]
        seen, expected = np.count_nonzero(thinned[self._expected]), np.count_nonzero(self._expected)
        if int(seen) < tol.FRAME_SEEN_SHARE * max(int(expected), 1):
            return "half of the depth is missing"
        if frame.color is None:
            return "colour is missing" if self._color_seen else ""
        if frame.color.ndim != 3 or min(frame.color.shape[:2]) < 8:
            return "colour of an odd size"
        if float(frame.color[::8, ::8].mean()) < tol.FRAME_DARK_LEVELS:
            return "too dark"
        self._color_seen = True
        return ""

    def _came_late(self, frame: Frame) -> bool:
        """A frame from before the last one shows what is past. A clock that was set goes on from there, though."""
        last, then = self._last_number, self._last_frame_s
        if last is not None and frame.number < last and frame.time_s < then:
            self._late += 1
            if self._late < tol.LATE_FRAMES:
                return True
        self._late, self._last_number, self._last_frame_s = 0, frame.number, frame.time_s
        return False

    def _look(self, frame: Frame) -> _Look:
        depth = frame.depth[:: self._every, :: self._every].astype(np.float32)
        with np.errstate(divide="ignore"):
            disparity = np.float32(self._gain / self._table.camera.depth_unit_mm) / depth
        disparity[depth == 0] = np.nan
        blocks = _block_mean(disparity, self._block)
        # A ray meets the table at Z0; a point on it at depth Z is H (1 - Z/Z0) above the table, H the camera's height.
        with np.errstate(invalid="ignore", divide="ignore"):
            ratio = self._empty / blocks
        drift = np.float32(np.nanmedian(ratio)) if np.isfinite(ratio).any() else np.float32(1.0)
        drift = drift if abs(float(drift) - 1) < 0.02 else np.float32(1.0)
        height = np.float32(self._table.distance_mm) * (1 - ratio / drift)
        color = None
        if frame.color is not None:
            width = tol.STILL_COLOR_WIDTH_PX
            size = (width, max(1, round(width * frame.color.shape[0] / frame.color.shape[1])))
            color = np.asarray(cv2.resize(frame.color, size, interpolation=cv2.INTER_AREA), dtype=np.float32)
        return _Look(blocks, height, color)

    def _changed_mm2(self, before: _Look, now: _Look, slack: float = 1.0) -> float:
        """Area in mm2 that differs, 0 where it is less than a piece: the larger of what depth and colour say."""
        found = 0.0
        difference = now.disparity - before.disparity
        seen = np.isfinite(difference)
        if seen.any():
            offset = np.float32(np.median(difference[seen]))
            smooth = cv2.blur(np.where(seen, difference - offset, 0).astype(np.float32), (3, 3))
            limit = _limit(smooth[seen], tol.STILL_DISPARITY_PX * slack)
            area = _largest_area(np.abs(smooth) > limit) * self._block_mm**2
            found = area if area >= tol.STILL_DEPTH_AREA_MM2 else 0.0
        if before.color is not None and now.color is not None and before.color.shape == now.color.shape:
            camera = self._table.camera
            fx = camera.color.fx if camera.color else camera.depth.fx
            width = camera.color.width if camera.color else camera.depth.width
            block_mm = width / tol.STILL_COLOR_WIDTH_PX * self._table.distance_mm / fx
            every = tol.STILL_MEDIAN_EVERY
            a, b = (color[::every, ::every] for color in (before.color, now.color))
            gain = np.median((b + 1) / (a + 1), axis=(0, 1))  # exposure and white balance
            apart = cv2.absdiff(now.color, before.color * gain.astype(np.float32))
            one, two, three = cv2.split(apart)
            diff = np.asarray(cv2.max(cv2.max(one, two), three), dtype=np.float32)
            limit = _limit(diff, tol.STILL_COLOR_LEVELS * slack)
            area = _largest_area(diff > limit) * block_mm**2
            found = max(found, area if area >= tol.STILL_COLOR_AREA_MM2 else 0.0)
        return found

    def _hand_mm2(self, look: _Look) -> float:
        """Area in mm2 of what looks like a hand: high and wide, or high and in from the rim."""
        with np.errstate(invalid="ignore"):
            rise = look.height - np.nan_to_num(self._settled_height)
            high = np.asarray(rise > tol.HAND_RISE_MM, dtype=np.uint8)
        if not high.any():
            return 0.0
        size = max(2, round(tol.HAND_WIDTH_MM / self._block_mm))
        wide = cv2.morphologyEx(high, cv2.MORPH_OPEN, np.ones((size, size), np.uint8))
        largest = _largest_area(wide > 0) * self._block_mm**2
        if largest >= tol.HAND_AREA_MM2:
            return largest
        count, labels, stats, _ = cv2.connectedComponentsWithStats(high, connectivity=8)
        for label in range(1, count):
            area = float(stats[label, cv2.CC_STAT_AREA]) * self._block_mm**2
            if area >= tol.HAND_RIM_AREA_MM2 and np.any(self._rim & (labels == label)):
                return area
        return 0.0

    def _hand_from_deg(self, look: _Look) -> float | None:
        """Where at the rim the largest high thing comes in, as an angle about the middle of the picture.

        An arm above its hand is often too near for the sensor: it is followed through where nothing is seen."""
        with np.errstate(invalid="ignore"):
            high = look.height - np.nan_to_num(self._settled_height) > tol.HAND_RISE_MM
        unseen = (~np.isfinite(look.disparity) & np.isfinite(self._empty)).astype(np.uint8)
        lost = cv2.morphologyEx(unseen, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)) > 0  # no shadows of edges
        count, labels = cv2.connectedComponents((high | lost).astype(np.uint8), connectivity=8)
        size = np.bincount(labels[high], minlength=count)
        at_rim = [label for label in range(1, count) if size[label] and np.any(self._rim & (labels == label))]
        if not at_rim:
            return None
        largest = max(at_rim, key=lambda label: int(size[label]))
        rows, columns = np.nonzero(self._rim & (labels == largest))
        depth = self._table.camera.depth
        middle = (depth.width / 2, depth.height / 2)
        entry = ((columns.mean() + 0.5) * tol.STILL_DEPTH_BLOCK_PX, (rows.mean() + 0.5) * tol.STILL_DEPTH_BLOCK_PX)
        T = self._table.T_table_depth
        rays = depth.rays(np.array([middle, entry], dtype=np.float64)) @ T[:3, :3].T
        a, b = (T[:3, 3] - ray * (T[2, 3] / ray[2]) for ray in rays)
        return float(np.degrees(np.arctan2(b[1] - a[1], b[0] - a[0])))

    def _frozen(self, changed: float) -> bool:
        """Whether the "hand" has not moved for so long that it must be part of the table."""
        if self._hand_frames == 0 or changed > 0:
            self._hand_frames, self._hand_since_s = 1, self._time_s
            return False
        self._hand_frames += 1
        long_enough = self._time_s - self._hand_since_s >= tol.HAND_FROZEN_S
        return long_enough and self._hand_frames >= tol.HAND_FROZEN_FRAMES


def moments(frames: Iterable[Frame], table: TableCalibration) -> Iterator[Moment]:
    """The still moments of a recording, in order."""
    watch = Stillness(table)
    for frame in frames:
        seen = watch.see(frame)
        if seen.moment is not None:
            yield seen.moment
    last = watch.finish()
    if last is not None:
        yield last


def _block_mean(image: Blocks, block: int) -> Blocks:
    """(h, w) image to (h // block, w // block) means of the finite pixels; NaN where fewer than half are finite."""
    rows, columns = image.shape[0] // block * block, image.shape[1] // block * block
    cut = image[:rows, :columns]
    finite = np.isfinite(cut)
    size = (columns // block, rows // block)
    share = cv2.resize(finite.astype(np.float32), size, interpolation=cv2.INTER_AREA)
    total = cv2.resize(np.where(finite, cut, 0).astype(np.float32), size, interpolation=cv2.INTER_AREA)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(share >= 0.5, total / share, np.nan), dtype=np.float32)


def _limit(values: NDArray[np.float32], least: float) -> float:
    """The larger of ``least`` and some robust sigmas of the values (most of a frame never changes)."""
    some = values.ravel()[:: tol.STILL_MEDIAN_EVERY]
    sigma = 1.4826 * float(np.median(np.abs(some - np.median(some))))
    return max(least, tol.STILL_SIGMAS * sigma)


def _largest_area(mask: Mask) -> float:
    """Blocks in the largest connected part of a mask."""
    if not mask.any():
        return 0.0
    _, _, stats, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8), connectivity=8)
    return float(stats[1:, cv2.CC_STAT_AREA].max())


def _rim(valid: Mask) -> Mask:
    """Blocks at the rim of what the camera can see: the outermost two rings, holes inside don't count."""
    contours, _ = cv2.findContours(valid.astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    whole = np.pad(cv2.drawContours(np.zeros(valid.shape, np.uint8), contours, -1, 1, cv2.FILLED), 1)
    inner = cv2.erode(whole, np.ones((5, 5), np.uint8))[1:-1, 1:-1]
    return np.asarray((whole[1:-1, 1:-1] > 0) & (inner == 0), dtype=np.bool_)
