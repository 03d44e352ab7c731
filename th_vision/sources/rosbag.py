"""A recording of the RealSense SDK as a source: ``.db3``, or the older ``.bag``, read through pyrealsense2.

The SDK reads in a process of its own, so that no file can crash or hang the program. What the SDK does not say is
looked at here: damaged pictures are left out and counted, and an end that comes too early is told.
"""

from __future__ import annotations

import queue
import sqlite3
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from calibration.camera import Camera
from th_vision.errors import VisionError
from th_vision.frame import Frame
from th_vision.live.backend import DeviceFacts, Request
from th_vision.live.camera_model import camera_of
from th_vision.live.gate import Gate, Passed
from th_vision.live.playback import open_recording
from th_vision.live.ring import Ring
from th_vision.live.tolerances import HELLO_S, OPENING_S
from th_vision.live.wire import Ended, FrameNote, Message, Opened, Trouble
from th_vision.live.worker import MakeBackend, Worker
from th_vision.sources.db3_log import Db3Log, Stored

# Depth units of the SDK's options; another one was written with six decimals only, which is not enough.
_USUAL_UNITS_M = (0.001, 0.0005, 0.00025, 0.0001, 0.00005, 0.00001, 0.000001)
_UNIT_SHARE = 1e-4
_ROUNDING_M = 0.5e-6
_CONVERTED_BYTES_PER_S = 20e6  # at least; 96 MB take 1 s here
_AGAIN = "copy it again from where it was recorded"


class SdkRecording:
    """Frames of a ``.db3`` or ``.bag``. ``troubles`` says what was wrong, as far as it has been read.

    Raises:
        VisionError: it can't be read at all, holds no depth, or pyrealsense2 is not there.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._read: _Reading | None = None
        if path.is_file() and path.stat().st_size == 0:
            raise VisionError(f"{path}: is empty (0 bytes); {_AGAIN}")
        self._log = Db3Log(path) if path.suffix.lower() == ".db3" else None
        self._expected = self._count()
        self._said: dict[str, str] = {}
        self._read = _Reading(path)
        try:
            self.facts = self._read.facts()
            self._camera = camera_of(self.facts, str(path))
        except BaseException:
            self._read.close()
            raise
        self._check_unit()

    @property
    def name(self) -> str:
        """The file as the user gave it."""
        return str(self._path)

    @property
    def camera(self) -> Camera:
        """The camera behind every frame."""
        return self._camera

    @property
    def troubles(self) -> tuple[str, ...]:
        """What is wrong with the file, as far as it has been read: a sentence each."""
        return tuple(self._said.values())

    @property
    def unverified(self) -> str:
        """Why damage of this file's pictures could not be noticed; empty where it would be."""
        if self._log is None:
            return f"{self.name}: a .bag has no checksums, damage of its pictures can't be noticed"
        if next(self._log.depth(), None) is not None and next(self._log.depth()).whole is None:
            return f"{self.name}: its pictures were recorded without checksums, damage can't be noticed"
        return ""

    def __iter__(self) -> Iterator[Frame]:
        reading, self._read = self._read or _Reading(self._path), None
        try:
            yield from self._frames(reading)
        finally:
            reading.close()

    def close(self) -> None:
        """End the process that was opened for the next reading."""
        if self._read is not None:
            self._read.close()
            self._read = None

    def __del__(self) -> None:
        self.close()

    def _frames(self, reading: _Reading) -> Iterator[Frame]:
        camera = self._camera
        color_size = None if camera.color is None else (camera.color.width, camera.color.height)
        gate = Gate((camera.depth.width, camera.depth.height), color_size, reading.facts().fps, start_s=None)
        depths = _Checked(self._log.depth() if self._log else iter(()))
        colors = _Checked(self._log.color() if self._log else iter(()))
        came = damaged = 0
        for note in reading.notes():
            came += 1
            whole = depths.is_whole(note.number)
            color_whole = note.color is None or colors.is_whole(note.color_number)
            passed = gate.judge(note)
            if not whole:
                damaged += 1
                self._say("damaged", f"{damaged} of its frames are damaged and left out; {_AGAIN}")
            elif isinstance(passed, Passed):
                if not color_whole:
                    self._say("color", f"some of its colour pictures are damaged and left out; {_AGAIN}")
                yield reading.frame(passed, color=color_whole)
            if gate.refused:
                self._say("refused", f"{gate.refused.total()} of its frames are doubled, unordered or of another size")
            reading.more()
        self._check_end(came, gate.lost)

    def _check_end(self, came: int, between: int) -> None:
        expected = self._expected
        if came == 0:
            raise VisionError(f"{self.name}: holds no frame that can be read; {_AGAIN}")
        if expected is None and self._log is not None:
            self._say("end", f"is damaged: {came} frames could be read, how many are missing can't be told; {_AGAIN}")
        elif expected is not None and came < expected <= came + between:
            self._say("gaps", f"{expected - came} of its frames have no colour of their moment and were not given")
        elif expected is not None and came < expected:
            self._say(
                "end", f"ends too early: {came} of {expected} frames could be read, the rest is damaged; {_AGAIN}"
            )

    def _count(self) -> int | None:
        if self._log is None:
            return None
        try:
            return self._log.counts()[0]
        except sqlite3.DatabaseError:
            return None

    def _check_unit(self) -> None:
        unit = self.facts.depth_unit_m
        if not any(abs(unit / usual - 1) < _UNIT_SHARE for usual in _USUAL_UNITS_M):
            share = _ROUNDING_M / unit * 100
            self._say(
                "unit", f"its depth unit {unit:g} m was rounded in the file: lengths are off by up to {share:.2g} %"
            )

    def _say(self, what: str, text: str) -> None:
        self._said[what] = f"{self.name}: {text}"


class _Checked:
    """Goes through the stored pictures beside the frames that the SDK gives; it may leave some out."""

    def __init__(self, stored: Iterator[Stored]) -> None:
        self._stored = stored
        self._last: Stored | None = None

    def is_whole(self, number: int) -> bool:
        """Whether the picture of frame ``number`` is; True where nobody can tell."""
        try:
            while self._last is None or self._last.number is None or self._last.number < number:
                self._last = next(self._stored, None)
                if self._last is None or self._last.number is None:
                    break
        except sqlite3.DatabaseError:
            self._stored, self._last = iter(()), None
        mine = self._last is not None and self._last.number in (None, number)
        return not (mine and self._last is not None and self._last.whole is False)


class _Reading:
    """One pass through the file in a child process that sends each frame when there is room for it."""

    def __init__(self, path: Path) -> None:
        self._name = str(path)
        # A .bag is converted first, which takes its time.
        self._open_s = HELLO_S + (path.stat().st_size / _CONVERTED_BYTES_PER_S if path.is_file() else 0.0)
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

    def frame(self, passed: Passed, *, color: bool) -> Frame:
        """The frame with its pixels."""
        note = passed.note
        kinds = [(note.depth, note.depth_kind)]
        with_color = color and passed.color and note.color is not None
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
            message = self._messages.get(timeout=OPENING_S if self._facts is not None else self._open_s)
        except queue.Empty:
            raise VisionError(f"{self._name}: the SDK hangs on this file; {_AGAIN}") from None
        match message:
            case None:
                raise VisionError(f"{self._name}: the SDK failed on this file: {self._worker.how_it_ended()}; {_AGAIN}")
            case Trouble(kind, text):
                raise VisionError(f"{self._name}: {text}" if kind == "file" else f"{self._name}: can't be read; {text}")
            case _:
                return message
