"""How many frames a command takes from a live camera, which never ends by itself; recordings are taken whole."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from calibration.board import Board, BoardFinder, reject_reason
from th_vision.frame import Frame, Source
from th_vision.live.protocol import LiveSource
from th_vision.live.tolerances import (
    BOARD_FRAMES,
    EMPTY_FRAMES,
    GONE_S,
    STILL_EVERY_PX,
    STILL_LEVELS,
    TELL_EVERY_S,
    WARM_LONGEST_S,
)

LAY = "lay the board flat on the table, where the game will be, and take your hands away"
CLEAR = "now take the board away: the table must be empty, no hands"
WARMING = "the table is empty; waiting until the camera is warm (depth drifts by {drift}), leave everything as it is"
COLD = "the camera is still not warm (depth drifts by {drift}); calibrate again later"


def some_of(source: Source, count: int) -> Iterator[Frame]:
    """The next ``count`` frames of a live camera, which is then closed; all frames of anything else."""
    if not isinstance(source, LiveSource):
        yield from source
        return
    try:
        yield from islice(iter(source), count)
    finally:
        source.close()


def for_table(source: Source, board: Board, tell: Callable[[str], None]) -> Iterable[Frame]:
    """The frames that a calibration of the table needs.

    At a live camera, ``tell`` says what to do: the board is waited for, then the empty table, then until the camera is
    warm. Of anything else, all frames.
    """
    return _guided(source, board, tell) if isinstance(source, LiveSource) else source


def _guided(source: LiveSource, board: Board, tell: Callable[[str], None]) -> Iterator[Frame]:
    try:
        frames = iter(source)
        finder = BoardFinder(board)
        yield from _with_board(frames, finder, tell)
        tell(CLEAR)
        for _ in _until_clear(frames, finder):
            continue
        yield from islice(_when_warm(frames, source, tell), EMPTY_FRAMES)
    finally:
        source.close()


def _with_board(frames: Iterator[Frame], finder: BoardFinder, tell: Callable[[str], None]) -> Iterator[Frame]:
    said, said_s, seen = "", -TELL_EVERY_S, 0
    for frame in frames:
        if frame.color is None:
            continue
        why = reject_reason(finder.find(frame.color))
        if why is None:
            seen += 1
            yield frame
            if seen == BOARD_FRAMES:
                return
            continue
        if not said or (why != said and frame.time_s - said_s >= TELL_EVERY_S):
            tell(LAY if not said else f"{LAY} (not yet: {why})")
            said, said_s = why, frame.time_s


def _until_clear(frames: Iterator[Frame], finder: BoardFinder) -> Iterator[Frame]:
    """Frames until the board has been gone, and nothing has moved, for a while."""
    recent: deque[tuple[float, NDArray[np.float32]]] = deque()
    for frame in frames:
        yield frame
        if frame.color is None:
            continue
        if finder.find(frame.color) is not None:
            recent.clear()
            continue
        small = frame.color[::STILL_EVERY_PX, ::STILL_EVERY_PX].astype(np.float32)
        if recent and float(np.abs(small - recent[-1][1]).max(axis=2).mean()) > STILL_LEVELS:
            recent.clear()
        recent.append((frame.time_s, small))
        if frame.time_s - recent[0][0] >= GONE_S:
            return


def _when_warm(frames: Iterator[Frame], source: LiveSource, tell: Callable[[str], None]) -> Iterator[Frame]:
    begin_s = said_s = None
    for frame in frames:
        begin_s = frame.time_s if begin_s is None else begin_s
        state = source.state
        waited_s = frame.time_s - begin_s
        if state.warm or waited_s >= WARM_LONGEST_S:
            if not state.warm:
                tell(COLD.format(drift=_drift(state.drift_mm_per_min)))
            yield frame
            yield from frames
            return
        if said_s is None or frame.time_s - said_s >= TELL_EVERY_S:
            tell(WARMING.format(drift=_drift(state.drift_mm_per_min)))
            said_s = frame.time_s


def _drift(mm_per_min: float | None) -> str:
    return "an amount not known yet" if mm_per_min is None else f"{abs(mm_per_min):.2f} mm a minute"
