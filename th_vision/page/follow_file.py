"""A game record as it is, or as it grows: what a page shows of a file that another program may be writing."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from rules.adjudicate import MAX_FACTS
from rules.errors import RulesError
from rules.events import AlertLine, EndLine, Fact, GameFact, Line
from rules.record import Record, read_record
from th_vision.errors import VisionError

POLL_S: Final = 0.1
SESSION_POLL_S: Final = 1.5
"""A session grows with every frame, and takes longer to look through."""
Publish = Callable[[str, object], None]


class RecordFollower:
    """Publishes a record's facts and alerts, and whatever is written behind them later.

    State: the lines published so far, and the file's size and time when it was last read.
    """

    def __init__(self, path: Path, publish: Publish, *, read: Callable[[Path], Record] = read_record) -> None:
        self._path = path
        self._publish = publish
        self._read = read
        self._shown: list[Line] = []
        self._stamp: tuple[int, int, int] | None = None
        self.record: Record | None = None

    def look(self) -> bool:
        """Publish what is new; False where nothing is.

        Raises:
            RulesError: the file can't be read.
        """
        stamp = _stamp(self._path)
        if stamp == self._stamp:
            return False
        self._stamp = stamp
        record = self._read(self._path)
        self.record = record
        wanted: list[Line] = [line for line in record.lines if isinstance(line, Fact | AlertLine)]
        lines = wanted[:MAX_FACTS]
        if lines[: len(self._shown)] != self._shown:
            self._shown = []  # another game stands in the file now
        for line in lines[len(self._shown) :]:
            if isinstance(line, GameFact):
                self._publish("game", line)
            else:
                self._publish("alert" if isinstance(line, AlertLine) else "fact", line)
        new = len(lines) > len(self._shown)
        self._shown = lines
        finished = any(isinstance(line, EndLine) for line in record.lines)
        self._publish("live", {"source": "finished" if finished else "file"})
        return new

    def follow(
        self, stop: Callable[[], bool], sleep: Callable[[float], None] = time.sleep, poll_s: float = POLL_S
    ) -> None:
        """Look again and again until ``stop``; a file that is gone for a while is waited for."""
        while not stop():
            try:
                self.look()
            except (RulesError, VisionError):
                self._stamp = None
            sleep(poll_s)


def _stamp(path: Path) -> tuple[int, int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns, found.st_ino
