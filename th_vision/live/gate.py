"""Which frames of a camera are good, in which order, and how old they are. Numbers and times are not just trusted.

Knows neither a camera nor a clock of its own: the moment of arrival comes with each frame.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Literal

from th_vision.live.tolerances import (
    BACK_FRAMES,
    CLOCK_AHEAD_S,
    CLOCK_WRAP_S,
    DELAY_WINDOW_S,
    PAIR_FRAMES,
)
from th_vision.live.wire import FrameNote

Reason = Literal["size", "doubled", "backwards", "no time"]


@dataclass(frozen=True)
class Passed:
    """A good frame. ``number`` and ``time_s`` rise over restarts; ``color``: whether its colour may be used.

    ``taken_s``: when it was taken, in this computer's monotonic clock, as well as the least delay seen tells.
    """

    note: FrameNote
    number: int
    time_s: float
    color: bool
    taken_s: float


class Gate:
    """Judges the frames of one camera, over all its restarts.

    ``depth_size`` and ``color_size`` are (width, height); ``fps`` says how far apart partners may be. ``start_s`` is
    the time of the first frame; None keeps the camera's own time.
    """

    def __init__(
        self,
        depth_size: tuple[int, int],
        color_size: tuple[int, int] | None,
        fps: float,
        start_s: float | None = 0.0,
    ) -> None:
        self._depth_shape = depth_size[::-1]
        self._color_shape = None if color_size is None else (*color_size[::-1], 3)
        self._fps = fps
        self._start_s = start_s
        self._last: _Last | None = None
        self._begins_anew = True
        self._backwards: list[float] = []
        self._last_color = -1
        self._delay = _LeastDelay()
        self.lost = 0
        self.refused: Counter[Reason] = Counter()
        self.colors_refused = 0

    def restarted(self) -> None:
        """The camera was started anew: its numbers and its clock may begin anywhere."""
        self._begins_anew = True
        self._backwards.clear()

    def judge(self, note: FrameNote) -> Passed | Reason:
        """The frame with its place in the order, or why it can't be used. Counts both."""
        verdict = self._judge(note)
        if isinstance(verdict, str):
            self.refused[verdict] += 1
        return verdict

    def _judge(self, note: FrameNote) -> Passed | Reason:
        if note.depth != self._depth_shape or note.depth_kind != "uint16":
            return "size"
        raw_s = note.time_ms / 1000
        if not (abs(raw_s) < 1e12 and abs(note.arrived_s) < 1e12):  # NaN and infinity too
            return "no time"
        last = self._last
        if last is None or self._begins_anew:
            return self._anchored(note, raw_s, gap=0 if last is None else None)
        passed_s = max(note.arrived_s - last.arrived_s, 0.0)
        unwrapped = raw_s + last.wraps_s
        if unwrapped < last.raw_s - CLOCK_WRAP_S / 2:
            unwrapped += CLOCK_WRAP_S
            if abs(unwrapped - last.raw_s - passed_s) > CLOCK_AHEAD_S:
                unwrapped -= CLOCK_WRAP_S  # no wrap: the clock was set back
        if note.number == last.number or unwrapped == last.raw_s:
            return "doubled"
        if note.number < last.number or unwrapped < last.raw_s:
            return self._back(note, raw_s)
        self._backwards.clear()
        if unwrapped - last.raw_s > passed_s + CLOCK_AHEAD_S:  # the clock was set forward
            return self._anchored(note, raw_s, gap=note.number - last.number - 1)
        wraps_s = unwrapped - raw_s
        time_s = last.time_s + unwrapped - last.raw_s
        gap = note.number - last.number - 1
        return self._pass(note, last.out + 1 + gap, time_s, unwrapped, wraps_s, gap)

    def _back(self, note: FrameNote, raw_s: float) -> Passed | Reason:
        """A frame before the last one: refused, unless all that come now are (the camera began anew by itself)."""
        if self._backwards and raw_s <= self._backwards[-1]:
            self._backwards.clear()
        self._backwards.append(raw_s)
        if len(self._backwards) < BACK_FRAMES:
            return "backwards"
        return self._anchored(note, raw_s, gap=None)

    def _anchored(self, note: FrameNote, raw_s: float, gap: int | None) -> Passed:
        """The first frame of a new count: placed by the time that passed here. ``gap`` None: nobody knows."""
        last, self._begins_anew = self._last, False
        self._backwards.clear()
        if last is None:
            start = raw_s if self._start_s is None else self._start_s
            return self._pass(note, note.number if self._start_s is None else 0, start, raw_s, 0.0, 0)
        time_s = last.time_s + max(note.arrived_s - last.arrived_s, 1 / self._fps)
        self._delay.forget()
        return self._pass(note, last.out + 1 + (gap or 0), time_s, raw_s, 0.0, gap or 0)

    def _pass(self, note: FrameNote, out: int, time_s: float, raw_s: float, wraps_s: float, gap: int) -> Passed:
        self._last = _Last(note.number, out, raw_s, wraps_s, time_s, note.arrived_s)
        self.lost += gap
        return Passed(note, out, time_s, self._good_color(note), time_s + self._delay.least(note.arrived_s, time_s))

    def _good_color(self, note: FrameNote) -> bool:
        """Whether the colour belongs to this depth: the right size, new, and of the same moment."""
        if note.color is None or self._color_shape is None:
            return False
        old, self._last_color = self._last_color, note.color_number
        apart_s = abs(note.color_time_ms - note.time_ms) / 1000
        fresh = note.color_number != old and (not note.same_clock or apart_s <= PAIR_FRAMES / self._fps)
        if note.color == self._color_shape and fresh:
            return True
        self.colors_refused += 1
        return False


@dataclass(frozen=True)
class _Last:
    number: int  # the camera's
    out: int  # ours
    raw_s: float  # the camera's clock, its wraps undone
    wraps_s: float
    time_s: float
    arrived_s: float


class _LeastDelay:
    """The least (arrival - time of the frame) of the last while: what is left of a frame's delay above it is age."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        self._now: float | None = None
        self._before: float | None = None
        self._since_s = 0.0

    def least(self, arrived_s: float, time_s: float) -> float:
        delay = arrived_s - time_s
        if self._now is None:
            self._now, self._since_s = delay, arrived_s
        elif arrived_s - self._since_s > DELAY_WINDOW_S:
            self._before, self._now, self._since_s = self._now, delay, arrived_s
        self._now = min(self._now, delay)
        return self._now if self._before is None else min(self._now, self._before)
