"""How many frames a command takes from a live camera, which never ends by itself; recordings are taken whole."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from calibration.board import Board, BoardFinder, reject_reason
from th_vision.errors import VisionError
from th_vision.frame import Frame, Source
from th_vision.live.protocol import LiveSource
from th_vision.live.tolerances import (
    BOARD_FRAMES,
    EMPTY_FRAMES,
    GONE_S,
    LOOK_LONGEST_S,
    NO_FRAMES_S,
    STILL_EVERY_PX,
    STILL_LEVELS,
    TELL_EVERY_S,
    WARM_LONGEST_S,
)

_POLL_S, _WATCH_S = 0.01, 0.5
LAY = "lay the board flat on the table, where the game will be, and take your hands away"
CLEAR = "now take the board away: the table must be empty, no hands"
WARMING = "the table is empty; waiting until the camera is warm (depth drifts by {drift}), leave everything as it is"
COLD = "the camera is still not warm (depth drifts by {drift}); calibrate again later"


def some_of(source: Source, count: int) -> Iterator[Frame]:
    """The next ``count`` frames of a live camera, which is then closed; all frames of anything else.

    Raises:
        VisionError: a live camera gives no frames.
    """
    if not isinstance(source, LiveSource):
        yield from source
        return
    try:
        yield from islice(_as_they_come(source), count)
    finally:
        source.close()


def _as_they_come(source: LiveSource) -> Iterator[Frame]:
    last, last_s = -1, time.monotonic()
    while True:
        frame = source.read_latest(NO_FRAMES_S)
        if frame is not None and frame.number != last:
            last, last_s = frame.number, time.monotonic()
            yield frame
        elif time.monotonic() - last_s > LOOK_LONGEST_S:
            why = source.state.last_error or "nothing came"
            raise VisionError(f"{source.name}: the camera gives no frames ({why}); th-vision doctor says more")
        else:
            time.sleep(_POLL_S)


@contextmanager
def _telling_when_lost(source: LiveSource, tell: Callable[[str], None]) -> Iterator[None]:
    """Say it while it lasts that the camera is lost, and that it is back: who iterates only waits."""
    over = threading.Event()

    def watch() -> None:
        lost = False
        while not over.wait(_WATCH_S):
            state = source.state
            if (state.phase == "lost") != lost:
                lost = not lost
                tell(f"the camera is lost: {state.last_error}; waiting for it" if lost else "the camera is back")

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()


def for_table(source: Source, board: Board, tell: Callable[[str], None]) -> Iterable[Frame]:
    """The frames that a calibration of the table needs.

    At a live camera, ``tell`` says what to do: the board is waited for, then the empty table, then until the camera is
    warm. Of anything else, all frames.
    """
    return _guided(source, board, tell) if isinstance(source, LiveSource) else source


def _guided(source: LiveSource, board: Board, tell: Callable[[str], None]) -> Iterator[Frame]:
    try:
        with _telling_when_lost(source, tell):
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
