"""The virtual table as a live camera: ``sim:seed=7,fps=15,live=1``. Frames come by themselves, whoever reads them.

Drawing a moment takes longer than showing it. So the moments are drawn ahead, each is shown at the frame rate once it
is whole, and until the next one is there its still frames come again in turn: players who think a while.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from calibration.camera import Camera
from rules.pieces import Pieces
from th_vision.errors import VisionError
from th_vision.frame import Frame
from th_vision.live.protocol import CameraState, Phase

AHEAD = 2  # so many moments are drawn ahead
END_HOLD_S = 5.0  # the table is shown so long after the last moment; then the source ends
WAIT_S = 0.2  # how long a thread waits before it looks whether it should end
CLOSING_S = 10.0  # the longest wait for a frame that is being drawn, on a machine that is kept busy
LATE_FRAMES = 3.0  # who is later than that doesn't hurry to catch up


@dataclass(frozen=True)
class Group:
    """The frames of one moment in order; the last ``still`` of them show it at rest."""

    frames: tuple[Frame, ...]
    still: int


class Reel:
    """What is shown next: a moment's frames, then its still ones in turn until the next moment is there."""

    def __init__(self) -> None:
        self._waiting: deque[Group] = deque()
        self._now: Group | None = None
        self._at = 0

    def add(self, group: Group) -> None:
        """A further moment is drawn."""
        self._waiting.append(group)

    @property
    def ahead(self) -> int:
        """How many moments wait to be shown."""
        return len(self._waiting)

    def next(self) -> Frame | None:
        """The frame to show now; None before there is any."""
        if (self._now is None or self._at >= len(self._now.frames)) and self._waiting:
            self._now, self._at = self._waiting.popleft(), 0
        if self._now is None:
            return None
        group, at = self._now, self._at
        self._at += 1
        if at < len(group.frames):
            return group.frames[at]
        return group.frames[len(group.frames) - group.still + (at - len(group.frames)) % group.still]

    @property
    def resting(self) -> bool:
        """Whether the last moment that was drawn is over."""
        return not self._waiting and self._now is not None and self._at >= len(self._now.frames)


class LiveSim:
    """A virtual table as a ``LiveSource``. ``groups`` gives its moments; ``clock`` and ``sleep`` count seconds;
    ``stop`` is set when it is closed, so that no frame is drawn any more.

    A frame's ``time_s`` is the clock's since the first one. Nothing is raised once it runs: what goes wrong while a
    moment is drawn stands in ``state.last_error``, and the source ends.
    """

    def __init__(
        self,
        name: str,
        camera: Camera,
        groups: Iterable[Group],
        fps: float,
        *,
        pieces: Pieces | None = None,
        players: tuple[str, ...] = (),
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        end_hold_s: float = END_HOLD_S,
        stop: threading.Event | None = None,
    ) -> None:
        self._name, self._camera, self._groups, self._fps = name, camera, groups, fps
        self.pieces, self.players = pieces or Pieces(), players
        self._clock, self._sleep, self._end_hold_s = clock, sleep, end_hold_s
        self._stop = stop or threading.Event()
        self._reel = Reel()
        self._changed = threading.Condition()
        self._latest: tuple[Frame, float] | None = None
        self._drawn = self._closed = self._ended = False
        self._phase: Phase = "starting"
        self._error = ""
        self._frames = self._read = 0
        self._threads = [threading.Thread(target=work, daemon=True) for work in (self._draw, self._show)]
        for thread in self._threads:
            thread.start()

    @property
    def name(self) -> str:
        """The text that the user gave."""
        return self._name

    @property
    def camera(self) -> Camera:
        """The virtual camera as it reports itself."""
        return self._camera

    @property
    def state(self) -> CameraState:
        """How it is now."""
        with self._changed:
            return CameraState(
                phase=self._phase,
                serial=self._camera.serial,
                model=self._camera.model,
                last_error=self._error,
                frames=self._frames,
                frames_lost=max(0, self._frames - self._read - 1) if self._read else 0,
            )

    def read_latest(self, max_age_s: float) -> Frame | None:
        """The newest frame if it is no older than that, else None. Never waits."""
        with self._changed:
            if self._latest is None or self._clock() - self._latest[1] > max_age_s:
                return None
            return self._latest[0]

    def __iter__(self) -> Iterator[Frame]:
        """Each frame once; a slow reader gets the newest and loses those in between."""
        last = -1
        while True:
            with self._changed:
                while not (self._closed or self._ended) and (self._latest is None or self._latest[0].number <= last):
                    self._changed.wait(WAIT_S)
                if self._latest is None or self._latest[0].number <= last:
                    return
                frame = self._latest[0]
                self._read += 1
            last = frame.number
            yield frame

    def close(self) -> None:
        """End it. May be called twice, and from another thread. Waits for the frame that is being drawn: a program
        that ends while Open3D draws ends with its complaints and another status."""
        self._stop.set()
        with self._changed:
            self._closed = True
            self._phase = "closed"
            self._changed.notify_all()
        for thread in self._threads:
            if thread is not threading.current_thread():
                thread.join(timeout=CLOSING_S)

    # --- the two threads ------------------------------------------------------------------------------------------

    def _draw(self) -> None:
        """Draw moment after moment, a few ahead of what is shown."""
        try:
            for group in self._groups:
                with self._changed:
                    while self._reel.ahead >= AHEAD and not self._closed:
                        self._changed.wait(WAIT_S)
                    if self._closed:
                        return
                    self._reel.add(group)
                    self._changed.notify_all()
        except Exception as error:
            with self._changed:
                self._error = str(error) if isinstance(error, VisionError) else f"the virtual table failed: {error!r}"
        finally:
            with self._changed:
                self._drawn = True
                self._changed.notify_all()

    def _show(self) -> None:
        """Show frame after frame at the frame rate."""
        with self._changed:
            while not self._closed and not self._drawn and self._reel.ahead == 0:
                self._changed.wait(WAIT_S)
        start = first = self._clock()
        number, rested = 0, 0
        while True:
            with self._changed:
                frame = self._reel.next()
                rested = rested + 1 if self._drawn and self._reel.resting else 0
                if self._closed or frame is None or rested > self._end_hold_s * self._fps:
                    break
                self._changed.notify_all()  # the drawing thread may go on
            due = start + number / self._fps
            late = self._clock() - due
            if late > LATE_FRAMES / self._fps:
                start += late
            elif late < 0:
                self._sleep(-late)
            now = self._clock()
            with self._changed:
                self._latest = (replace(frame, number=number, time_s=now - first), now)
                self._frames = number + 1
                self._phase = self._phase if self._closed else "running"
                self._changed.notify_all()
            number += 1
        with self._changed:
            self._ended = True
            self._phase = "closed"
            self._changed.notify_all()
