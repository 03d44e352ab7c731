"""Reading still moments: at once (a recording, byte for byte the same every time), or aside, while watching goes on.

A moment is fused and read with what stood before as prior, so moments are read one after the other, in order.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import signal
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from time import perf_counter
from typing import Any, Protocol

import cv2
import numpy as np

from calibration.table import TableCalibration
from rules.layout import Layout
from rules.pieces import Pieces
from th_vision.errors import VisionError
from th_vision.still_view import StillView, fuse
from th_vision.stillness import Moment

Read = Callable[[StillView, Pieces, Layout | None], Layout]
READING_FAULTS = (ValueError, IndexError, KeyError, ArithmeticError, np.linalg.LinAlgError, cv2.error, VisionError)
"""What arithmetic may raise over a view that nobody thought of; and a frame of a size that no calibration has."""


@dataclass(frozen=True)
class Reading:
    """A moment that was read: its view and layout, or why it can't be read. ``took_s``: fusing, reading; ``done_s``:
    when, by ``perf_counter``."""

    moment: Moment
    view: StillView | None
    layout: Layout | None
    error: str = ""
    took_s: tuple[float, float] = (0.0, 0.0)
    done_s: float = 0.0


class Reader(Protocol):
    """One moment at a time: ``start`` one when not ``busy``, and ask ``done`` until it gives the reading."""

    @property
    def busy(self) -> bool:
        """A moment is being read, or its reading was not fetched yet."""
        ...

    def start(self, moment: Moment, table: TableCalibration, prior: Layout | None) -> None:
        """Begin to read a moment."""
        ...

    def done(self) -> Reading | None:
        """The reading, once it is there."""
        ...

    def close(self) -> None:
        """Stop; what is being read is dropped."""
        ...


def new_eye() -> Read:
    """What reads the still views of one game, in their order: each as a whole.

    ``th_vision.looks`` reads only what changed, in a third of the time, and is as right in most views; a window once
    took a stick's lower outline for a second road, which the whole view doesn't. Until that is understood it is
    measured (``bench.peers``), and not played with.
    """
    from th_vision.reconstruct import reconstruct

    return reconstruct


def read_moment(moment: Moment, table: TableCalibration, pieces: Pieces, prior: Layout | None, read: Read) -> Reading:
    """Fuse and read one moment; an odd view is an error in the reading, never an exception."""
    start = perf_counter()
    view: StillView | None = None
    fused = start
    try:
        view = fuse(moment.frames, table)
        fused = perf_counter()
        layout = read(view, pieces, prior)
    except READING_FAULTS as error:
        return Reading(moment, view, None, " ".join(str(error).split()) or type(error).__name__)
    done = perf_counter()
    return Reading(moment, view, layout, "", (fused - start, done - fused), done)


class ReadNow:
    """Reads a moment while ``start`` is called: whoever calls waits, and nothing depends on the clock."""

    def __init__(self, pieces: Pieces, read: Read | None = None) -> None:
        self._pieces, self._read = pieces, read or new_eye()
        self._reading: Reading | None = None

    @property
    def busy(self) -> bool:
        """As ``Reader``."""
        return self._reading is not None

    def start(self, moment: Moment, table: TableCalibration, prior: Layout | None) -> None:
        """As ``Reader``."""
        self._reading = read_moment(moment, table, self._pieces, prior, self._read)

    def done(self) -> Reading | None:
        """As ``Reader``."""
        reading, self._reading = self._reading, None
        return reading

    def close(self) -> None:
        """As ``Reader``."""
        self._reading = None


class ReadAside:
    """Reads in a thread, and (``process``) does the long part of it in a process of its own, on the other core.

    A process that dies is started anew; the moment is read in the thread then.
    """

    def __init__(self, pieces: Pieces, read: Read | None = None, *, process: bool = True) -> None:
        self._pieces = pieces
        self._helper = _Helper(pieces) if process and read is None else None
        self._read: Read = read or (new_eye() if self._helper is None else self._helper.read)
        self._thread = ThreadPoolExecutor(1, "reading")
        self._future: Future[Reading] | None = None

    @property
    def busy(self) -> bool:
        """As ``Reader``."""
        return self._future is not None

    def start(self, moment: Moment, table: TableCalibration, prior: Layout | None) -> None:
        """As ``Reader``."""
        self._future = self._thread.submit(read_moment, moment, table, self._pieces, prior, self._read)

    def done(self) -> Reading | None:
        """As ``Reader``."""
        if self._future is None or not self._future.done():
            return None
        future, self._future = self._future, None
        return future.result()

    def wait(self, timeout_s: float) -> None:
        """Wait for the reading, but not longer."""
        if self._future is not None:
            with contextlib.suppress(TimeoutError):
                self._future.exception(timeout_s)

    def close(self) -> None:
        """As ``Reader``."""
        if self._helper is not None:
            self._helper.close()
        self._thread.shutdown(wait=False, cancel_futures=True)
        self._future = None


class _Helper:
    """The process that reads: it gets views and gives layouts, and ends when this program ends, however it ends."""

    def __init__(self, pieces: Pieces) -> None:
        self._pieces = pieces
        self._lock = threading.Lock()
        self._closed = False
        self._table: TableCalibration | None = None
        self._start()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, self._pieces), daemon=True, name="reading")
        self._process.start()
        theirs.close()  # so that a process that died shows as the pipe's end
        self._table = None

    def read(self, view: StillView, pieces: Pieces, prior: Layout | None) -> Layout:
        """The layout of a view, read by the process; here, where it died meanwhile."""
        table = None if view.table is self._table else view.table
        bare: Any = replace(view, table=None)  # type: ignore[arg-type]  # the process has it already
        try:
            self._pipe.send((table, bare, prior))
            self._table = view.table
            found = self._pipe.recv()
        except (OSError, EOFError):
            with self._lock:
                if not self._closed:
                    self._start()
            return new_eye()(view, pieces, prior)
        if isinstance(found, Layout):
            return found
        raise VisionError(str(found))

    def close(self) -> None:
        with self._lock:
            self._closed = True
            self._process.kill()
            self._process.join(1.0)
            self._pipe.close()


def _serve(pipe: Connection, pieces: Pieces) -> None:
    """The process: views in, layouts (or what went wrong, as text) out, until the pipe ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the other program's to answer
    table: TableCalibration | None = None
    look = new_eye()
    while True:
        try:
            new_table, view, prior = pipe.recv()
        except (EOFError, OSError):
            return
        table = new_table or table
        answer: Layout | str
        try:
            answer = look(replace(view, table=table), pieces, prior)
        except READING_FAULTS as error:
            answer = " ".join(str(error).split()) or type(error).__name__
        try:
            pipe.send(answer)
        except OSError:
            return
