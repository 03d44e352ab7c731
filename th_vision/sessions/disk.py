"""A file that is only ever appended to, by a thread of its own, and that outlives a full or slow disk.

Whoever writes never waits and never meets an error: bytes are kept in memory, up to a limit that the caller watches,
until the disk takes them. A full disk is tried again every second; nothing is left out in the middle, so that the file
is whole up to where it ends.
"""

from __future__ import annotations

import errno
import os
import threading
import time
from collections import deque
from typing import Protocol

from th_vision.sessions import limits

_LOST = (errno.EIO, errno.ENOSPC, errno.EDQUOT)


class RawFile(Protocol):
    """What a disk file must offer: ``write`` may take fewer bytes than given, and raises OSError."""

    def write(self, data: memoryview, /) -> int | None:
        """Take some of the bytes, and say how many."""
        ...

    def fileno(self) -> int:
        """For bringing it to the disk."""
        ...

    def close(self) -> None:
        """No more will come."""
        ...


class PatientFile:
    """Bytes in, in order; ``tell`` counts what was given, not what is on the disk yet."""

    def __init__(self, raw: RawFile, *, retry_s: float = limits.RETRY_S) -> None:
        self._raw = raw
        self._retry_s = retry_s
        self._waiting: deque[memoryview] = deque()
        self._given = 0
        self._pending = 0
        self._changed = threading.Condition()
        self._ended = self._given_up = self._done = False
        self._error = ""
        self._failures = 0
        self._synced_s = time.monotonic()
        self._thread = threading.Thread(target=self._run, name="session-disk", daemon=True)
        self._thread.start()

    def write(self, data: bytes) -> int:
        """Take bytes; never waits, never fails."""
        if data:
            with self._changed:
                self._waiting.append(memoryview(data))
                self._pending += len(data)
                self._given += len(data)
                self._changed.notify_all()
        return len(data)

    def tell(self) -> int:
        """Bytes given so far."""
        return self._given

    def flush(self) -> None:
        """Nothing to do: the thread writes as soon as the disk takes it."""

    @property
    def pending(self) -> int:
        """Bytes that the disk has not taken yet."""
        return self._pending

    @property
    def written(self) -> int:
        """Bytes that the disk has taken."""
        return self._given - self._pending

    @property
    def error(self) -> str:
        """Why the disk takes nothing at the moment; empty while it does."""
        return self._error

    @property
    def failures(self) -> int:
        """How often the disk began to refuse."""
        return self._failures

    def close(self, patience_s: float) -> bool:
        """Bring the rest to the disk, waiting at most so long without any progress; False where bytes are left."""
        with self._changed:
            self._ended = True
            self._changed.notify_all()
            while not self._done and self._progressed(self._pending, patience_s):
                pass
            self._given_up = True
            self._changed.notify_all()
        self._thread.join(self._retry_s + 1)  # a disk that hangs for good keeps its thread; it ends with the process
        return self._pending == 0

    def _progressed(self, left: int, patience_s: float) -> bool:
        return self._changed.wait_for(lambda: self._done or self._pending < left, patience_s)

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._ended or self._given_up)
                if self._given_up or not self._waiting:
                    break
                block = self._waiting[0]
            taken = self._try(block)
            with self._changed:
                self._pending -= taken
                if taken == len(block):
                    self._waiting.popleft()
                elif taken:
                    self._waiting[0] = block[taken:]
                self._changed.notify_all()
                if self._error:
                    self._changed.wait_for(lambda: self._given_up, self._retry_s)
        self._sync()
        try:
            self._raw.close()
        except OSError as error:
            self._note(error)
        with self._changed:
            self._done = True
            self._changed.notify_all()

    def _try(self, block: memoryview) -> int:
        try:
            taken = self._raw.write(block) or 0
            if time.monotonic() - self._synced_s >= limits.SYNC_S:
                self._sync()
        except (OSError, ValueError) as error:  # ValueError: somebody closed the file
            self._note(error)
            return 0
        self._error = "" if taken else "it takes no bytes"
        return taken

    def _sync(self) -> None:
        """Against a power cut. What can't do it (a pipe) is no worse than before."""
        try:
            os.fsync(self._raw.fileno())
        except (OSError, ValueError) as error:
            if getattr(error, "errno", None) in _LOST:
                self._note(error)
        finally:
            self._synced_s = time.monotonic()

    def _note(self, error: Exception) -> None:
        if not self._error:
            self._failures += 1
        self._error = getattr(error, "strerror", None) or str(error)
