"""One pass through a recording by the RealSense SDK, in a child process: no file can crash or hang the program so.

The child sends each frame when there is room for it.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from th_vision.errors import VisionError
from th_vision.frame import Frame
from th_vision.live.backend import DeviceFacts, Request
from th_vision.live.gate import Passed
from th_vision.live.playback import open_recording
from th_vision.live.ring import Ring
from th_vision.live.tolerances import HELLO_S, OPENING_S
from th_vision.live.wire import Ended, FrameNote, Message, Opened, Trouble
from th_vision.live.worker import MakeBackend, Worker

_AGAIN = "copy it again from where it was recorded"


class SdkReading:
    """One pass, from opening to ``close``."""

    def __init__(self, path: Path) -> None:
        self._name = str(path)
        self._ring = Ring.create()
        self._messages: queue.SimpleQueue[Message | None] = queue.SimpleQueue()
        self._facts: DeviceFacts | None = None
        self._stop = threading.Event()
        make: MakeBackend = partial(open_recording, str(path.resolve()))
        # The child dies with the thread that started it, so that one waits for the end.
        started: queue.SimpleQueue[Worker] = queue.SimpleQueue()
        self._keeper = threading.Thread(target=self._keep, args=(make, started), daemon=True)
        self._keeper.start()
        self._worker = started.get()
        self._worker.tell({"more": self._ring.slots - 1})

    def _keep(self, make: MakeBackend, started: queue.SimpleQueue[Worker]) -> None:
        worker = Worker(make, Request(), self._ring, self._messages.put, counted=True)
        started.put(worker)
        self._stop.wait()
        worker.kill()  # it only reads: nothing to be put in order
        self._ring.close()

    def facts(self) -> DeviceFacts:
        """What the file says of its camera. Waits for it.

        Raises:
            VisionError: the file can't be read.
        """
        while self._facts is None:
            message = self._next()
            if isinstance(message, Opened):
                self._facts = message.facts
        return self._facts

    def notes(self) -> Iterator[FrameNote]:
        """Each frame as it lies in the ring; call ``more`` when it was taken."""
        self.facts()
        while True:
            message = self._next()
            if isinstance(message, FrameNote):
                yield message
            elif isinstance(message, Ended):
                return

    def more(self) -> None:
        """There is room for one more frame."""
        self._worker.tell({"more": 1})

    def frame(self, passed: Passed) -> Frame:
        """The frame with its pixels."""
        note = passed.note
        kinds = [(note.depth, note.depth_kind)]
        with_color = passed.color and note.color is not None
        if with_color and note.color is not None:
            kinds.append((note.color, "uint8"))
        arrays = self._ring.read(note.count, kinds)
        assert arrays is not None  # written over only when we say that there is room
        return Frame(passed.number, passed.time_s, arrays[0], arrays[1] if with_color else None)

    def close(self) -> None:
        """End the process."""
        self._stop.set()
        self._keeper.join()

    def _next(self) -> Message:
        try:
            message = self._messages.get(timeout=OPENING_S if self._facts is not None else HELLO_S)
        except queue.Empty:
            raise VisionError(f"{self._name}: the SDK hangs on this file; {_AGAIN}") from None
        match message:
            case None:
                raise VisionError(f"{self._name}: the SDK failed on this file: {self._worker.how_it_ended()}; {_AGAIN}")
            case Trouble(kind, text):
                raise VisionError(f"{self._name}: {text}" if kind == "file" else f"{self._name}: can't be read; {text}")
            case _:
                return message
