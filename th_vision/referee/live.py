"""The live loop: frames from a source and words from the players, until somebody ends it.

A thread of its own takes frames from the source, so that a slow or silent camera never keeps words from being heard;
reading is done aside. Ctrl-C, a closed terminal or a signal to end are answered between two frames: nothing that was
recorded is lost, and nothing is written by half.
"""

from __future__ import annotations

import contextlib
import queue
import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import FrameType
from typing import Any, Final

from calibration.errors import CalibrationError
from rules.errors import RulesError
from rules.events import AlertLine
from th_vision.announce import Line
from th_vision.errors import VisionError
from th_vision.follow_events import Paused
from th_vision.frame import Frame, Source
from th_vision.live.protocol import LiveSource
from th_vision.referee.commands import Recalibrate, Spoken
from th_vision.referee.loop import Referee
from th_vision.referee.status import Status
from th_vision.terminal import STOPPED

WAIT_S: Final = 0.03
"""So long the loop waits for a frame before it looks for words again."""
LONGEST_GAP_S: Final = 1.0
"""A recording that is played at its own pace pauses no longer than this between two frames."""
SILENT_S: Final = 3.0
"""Without a frame for so long the players are told."""
LAST_READING_S: Final = 10.0
"""At the end a reading that has begun gets so long."""
LAST_FRAME_S: Final = 5.0
"""At the end a frame that is being read gets so long: a program that ends inside a decoder is aborted by the system."""


@dataclass
class Wiring:
    """What the loop is connected to. ``frame``: takes every frame (a recording); ``status``: how things are, often;
    ``typed``: ends the wait for frames early; ``recalibrate``: the calibration of a file, checked for this camera."""

    commands: queue.Queue[Spoken] = field(default_factory=queue.Queue)
    frame: Callable[[Frame], None] = lambda _: None
    status: Callable[[Status], None] = lambda _: None
    recalibrate: Callable[[Recalibrate], Any] | None = None
    clock: Callable[[], float] = time.monotonic


def run_live(source: Source, referee: Referee, wiring: Wiring, speed: float = 1.0) -> int:
    """Referee until the source ends, somebody quits or the program is told to stop. Returns the exit status.

    ``speed``: how fast a recording is played, 0: as fast as it can; a live source has its own pace.

    Raises:
        VisionError: the source can't be read any more; what was recorded stays.
    """
    with _Stop() as stop, _Feeder(source, speed, wiring.clock) as feeder:
        loop = _Loop(source, referee, wiring, feeder, stop)
        return loop.run()


class _Loop:
    def __init__(self, source: Source, referee: Referee, wiring: Wiring, feeder: _Feeder, stop: _Stop) -> None:
        self._source, self._referee, self._wiring = source, referee, wiring
        self._feeder, self._stop = feeder, stop
        self._live = isinstance(source, LiveSource)
        self._last_frame_s = wiring.clock()
        self._silent = False

    def run(self) -> int:
        wiring, referee = self._wiring, self._referee
        status = 0
        error: Exception | None = None
        while True:
            if self._stop.asked:
                status = STOPPED
                break
            if self._words():
                break
            if referee.behind and not self._live:  # a recording waits, so that it is ruled as by a replay
                time.sleep(WAIT_S)
            else:
                try:
                    item = self._feeder.frames.get(timeout=WAIT_S)
                except queue.Empty:
                    self._nothing()
                else:
                    if item is None:
                        break
                    if isinstance(item, Exception):
                        error = item
                        break
                    self._frame(item)
            referee.work()
            wiring.status(referee.status(wiring.clock(), self._trouble()))
        return self._end(status, error)

    def _end(self, status: int, error: Exception | None) -> int:
        """Read what is being read, tell the end, and say why it ended."""
        referee = self._referee
        if status == 0:
            referee.last_look()
        until = self._wiring.clock() + LAST_READING_S
        while status == 0 and referee.busy and self._wiring.clock() < until and not self._stop.asked:
            time.sleep(WAIT_S)
            referee.work()
            if self._words():
                break
        self._words()  # what was said before the end is answered, and stands in the record
        referee.finish(read=False)
        if error is not None:
            raise error
        return status if status or referee.follower.game.roads else 1

    def _frame(self, frame: Frame) -> None:
        now_s = self._wiring.clock()
        if self._silent:
            self._referee.answer(Line("The camera is back.", kind="legal"))
        self._last_frame_s, self._silent = now_s, False
        self._wiring.frame(frame)
        self._referee.see(frame, now_s)

    def _nothing(self) -> None:
        """No frame for a while: say so, once."""
        if self._silent or self._wiring.clock() - self._last_frame_s < SILENT_S or not self._live:
            return
        self._silent = True
        why = self._trouble() or "the camera gives no pictures"
        words = f"No pictures: {why}. The game waits; nothing is lost."
        line = AlertLine(kind="frames-lost", turn=self._referee.follower.game.turn)
        self._referee.warn(line, words)

    def _trouble(self) -> str:
        if not isinstance(self._source, LiveSource):
            return ""
        state = self._source.state
        if state.phase in ("running", "closed"):
            return ""
        return state.last_error or {"starting": "the camera starts", "settling": "the camera settles"}.get(
            state.phase, "the camera is lost; check the cable"
        )

    def _words(self) -> bool:
        """Answer what was said meanwhile; True where somebody quits."""
        while True:
            try:
                spoken = self._wiring.commands.get_nowait()
            except queue.Empty:
                return False
            do = self._referee.hear(spoken)
            if do == "quit":
                return True
            if do == "recalibrate" and isinstance(spoken.command, Recalibrate):
                self._recalibrate(spoken.command)

    def _recalibrate(self, command: Recalibrate) -> None:
        if self._wiring.recalibrate is None:
            return
        try:
            self._referee.recalibrated(self._wiring.recalibrate(command))
        except (VisionError, CalibrationError, RulesError, OSError) as error:
            self._referee.answer(Line(f"The calibration stays as it was: {error}", kind="too_close"))
            return
        self._referee.tell(Paused(on=False))
        self._referee.answer(Line("I go on with the new calibration; the game stays as it is.", kind="legal"))


class _Feeder:
    """Takes frames from the source in a thread. ``frames`` gives them, then None, or what went wrong."""

    def __init__(self, source: Source, speed: float, clock: Callable[[], float]) -> None:
        self._source, self._speed, self._clock = source, speed, clock
        self.frames: queue.Queue[Frame | Exception | None] = queue.Queue(maxsize=2)
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._feed, daemon=True, name="frames")

    def __enter__(self) -> _Feeder:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        if isinstance(self._source, LiveSource):
            self._source.close()
        with contextlib.suppress(queue.Empty):  # so that the thread can go on to its end
            while True:
                self.frames.get_nowait()
        self._thread.join(LAST_FRAME_S)

    def _feed(self) -> None:
        last: Exception | None = None
        try:
            for frame in self._paced():
                if not self._put(frame):
                    return
        except Exception as error:
            last = error
        self._put(last)

    def _put(self, item: Frame | Exception | None) -> bool:
        while not self._ended.is_set():
            with contextlib.suppress(queue.Full):
                self.frames.put(item, timeout=0.1)
                return True
        return False

    def _paced(self) -> Iterator[Frame]:
        """The frames, those of a recording at its own pace."""
        if isinstance(self._source, LiveSource) or not self._speed:
            yield from self._source
            return
        before_s: float | None = None
        due_s = self._clock()
        for frame in self._source:
            if before_s is not None:
                due_s += min(max(frame.time_s - before_s, 0.0), LONGEST_GAP_S) / self._speed
            before_s = frame.time_s
            now_s = self._clock()
            if due_s > now_s:
                self._ended.wait(due_s - now_s)
            else:
                due_s = now_s  # a source slower than its own pace makes up for nothing
            yield frame


class _Stop:
    """Ctrl-C, a terminal that is closed, a signal to end: asked once, the loop ends in order; asked twice, at once."""

    def __init__(self) -> None:
        self.asked = False
        self._before: dict[int, Any] = {}

    def __enter__(self) -> _Stop:
        if threading.current_thread() is threading.main_thread():
            for name in ("SIGINT", "SIGTERM", "SIGHUP"):
                number = getattr(signal, name, None)
                if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
                    self._before[number] = signal.signal(number, self._heard)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _heard(self, number: int, frame: FrameType | None) -> None:
        if self.asked and number == signal.SIGINT:
            raise KeyboardInterrupt
        self.asked = True
