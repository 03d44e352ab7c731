"""Keeping the record while the disk makes trouble: lines wait until there is room again, and none is lost."""

from __future__ import annotations

import contextlib
import os
import signal
import tempfile
import threading
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

from rules.errors import RulesError
from rules.events import Line
from rules.record import RecordWriter


class Keeper:
    """Writes lines in order. ``patient``: trouble with the disk is told once through ``warn``, and the lines wait;
    otherwise it is raised."""

    def __init__(
        self, writer: RecordWriter | None, *, patient: bool = False, warn: Callable[[str], None] = lambda _: None
    ) -> None:
        self._writer, self._patient, self._warn = writer, patient, warn
        self._waiting: deque[Line] = deque()
        self._troubled = False

    def write(self, *lines: Line) -> None:
        """Append lines.

        Raises:
            RulesError, BrokenPipeError: as ``RecordWriter.write``, unless patient.
        """
        if self._writer is None:
            return
        self._waiting.extend(lines)
        self.retry()

    def retry(self) -> None:
        """Write what waits, as far as there is room."""
        if self._writer is None:
            return
        while self._waiting:
            try:
                with unbroken():
                    self._writer.write(self._waiting[0])
                    self._waiting.popleft()
            except (RulesError, BrokenPipeError) as error:
                if not self._patient:
                    raise
                if not self._troubled:
                    self._warn(f"{error or 'the reader of the record went away'}; the game goes on, its lines wait")
                self._troubled = True
                return
        if self._troubled:
            self._warn("the game record is written again, nothing is missing")
            self._troubled = False

    def close(self) -> None:
        """Write what waits, and close. What the disk still doesn't take goes into a file of the system's own place."""
        if self._writer is None:
            return
        with contextlib.suppress(RulesError, BrokenPipeError):
            self.retry()
        if self._waiting:
            self._rescue()
        self._writer.close()
        self._writer = None

    def _rescue(self) -> None:
        data = b"".join(line.to_line().encode() + b"\n" for line in self._waiting)
        try:
            descriptor, name = tempfile.mkstemp(prefix="th-vision-game-", suffix=".jsonl")
            with open(descriptor, "wb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
        except OSError as error:
            self._warn(f"the last {len(self._waiting)} lines of the game could not be written ({error.strerror})")
            return
        self._warn(f"the last {len(self._waiting)} lines of the game are in {Path(name)}; append them to the record")


class DiskWatch:
    """Says once that the disk takes nothing of a recording, and once that it does again. ``error``: why it doesn't, or
    empty."""

    def __init__(self, error: Callable[[], str], warn: Callable[[str], None]) -> None:
        self._error, self._warn = error, warn
        self._troubled = False

    def look(self) -> None:
        """Called often."""
        error = self._error()
        if error and not self._troubled:
            self._warn(f"the disk does not take the recording ({error}); make room, the game goes on")
        elif self._troubled and not error:
            self._warn("the disk takes the recording again")
        self._troubled = bool(error)


@contextlib.contextmanager
def unbroken() -> Iterator[None]:
    """Ctrl-C waits until what is in here is done: a line is written once, and whole."""
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield
        return
    asked: list[tuple[int, FrameType | None]] = []
    signal.signal(signal.SIGINT, lambda number, frame: asked.append((number, frame)))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        if asked:
            handler(*asked[0])
