"""Starting the child process, talking to it, and ending it: the parent's side of ``child``."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import pickle
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import asdict

from th_vision.live.backend import Backend, Request
from th_vision.live.ring import Ring
from th_vision.live.tolerances import STOPPING_S
from th_vision.live.wire import Message, decode

MakeBackend = Callable[[Request], Backend]
"""What makes the camera inside the child process; it must be picklable (a function of a module, a partial of one)."""

_LAST_LINES = 20


class Worker:
    """One child process. ``on_message`` is called from a thread of its own; None means that the process is over.

    Must be started from a thread that lives as long as the process shall: on Linux it dies with that thread.
    """

    def __init__(
        self,
        make: MakeBackend,
        request: Request,
        ring: Ring,
        on_message: Callable[[Message | None], None],
        *,
        first_count: int = 0,
        settle: bool = False,
        counted: bool = False,
    ) -> None:
        order = {
            "parent": os.getpid(),
            "make": base64.b64encode(pickle.dumps(make)).decode(),
            "request": asdict(request),
            "ring": ring.handle,
            "first_count": first_count,
            "settle": settle,
            "counted": counted,
        }
        path = os.pathsep.join(os.path.abspath(entry) for entry in sys.path)
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", "from th_vision.live.child import main; main()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=() if ring.fd is None else (ring.fd,),
            env={**os.environ, "PYTHONPATH": path},
        )
        self._on_message = on_message
        self._said: deque[str] = deque(maxlen=_LAST_LINES)
        self._write = threading.Lock()
        self._readers = [
            threading.Thread(target=self._read, daemon=True),
            threading.Thread(target=self._hear, daemon=True),
        ]
        for reader in self._readers:
            reader.start()
        self.tell(order)

    @property
    def pid(self) -> int:
        """The process's id."""
        return self._process.pid

    def tell(self, data: dict[str, object]) -> None:
        """Send one line; nothing happens where the process is gone."""
        assert self._process.stdin is not None
        with self._write:
            try:
                self._process.stdin.write(json.dumps(data).encode() + b"\n")
                self._process.stdin.flush()
            except (OSError, ValueError):
                return

    def how_it_ended(self) -> str:
        """In words, with the last line that it or a library printed, once it is over."""
        status = self._process.poll()
        if status is None:
            return "it did not answer"
        how = f"it was ended by signal {-status}" if status < 0 else f"it ended with status {status}"
        return how + (f" ({self._said[-1]})" if self._said else "")

    def stop(self) -> None:
        """End it in order, by force where it doesn't follow."""
        self.tell({"stop": True})
        try:
            self._process.wait(STOPPING_S)
        except subprocess.TimeoutExpired:
            self.kill()
        self._clear()

    def kill(self) -> None:
        """End it at once: it hangs, or went wrong."""
        self._process.kill()
        self._process.wait()
        self._clear()

    def _clear(self) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        for reader in self._readers:
            if reader is not threading.current_thread():
                reader.join(STOPPING_S)

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as lines:
            for line in lines:
                message = decode(line)
                if message is not None:
                    self._on_message(message)
        self._process.wait()
        self._on_message(None)

    def _hear(self) -> None:
        assert self._process.stderr is not None
        with self._process.stderr as lines:
            for line in lines:
                text = line.decode(errors="replace").strip()
                if text:
                    self._said.append(text[:300])
