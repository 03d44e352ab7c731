"""Viewers of a page without a browser: they read its events from a socket."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit


@dataclass
class Viewer:
    """One open connection to the events of a page; ``last``: the id of the last event that had one."""

    link: str
    after: str = ""
    last: str = ""
    _connection: socket.socket = field(init=False, repr=False)
    _buffer: bytes = b""

    def __post_init__(self) -> None:
        place = urlsplit(self.link)
        assert place.hostname is not None
        assert place.port is not None
        self._connection = socket.create_connection((place.hostname, place.port), timeout=10)
        resume = f"Last-Event-ID: {self.after}\r\n" if self.after else ""
        head = f"GET {place.path}events HTTP/1.1\r\nHost: {place.hostname}:{place.port}\r\n{resume}\r\n"
        self._connection.sendall(head.encode())

    def events(self, seconds: float = 10.0) -> Iterator[tuple[str, Any]]:
        """Kind and data of each event as it comes, until the connection ends or the time is over."""
        until = time.monotonic() + seconds
        while True:
            while b"\n\n" in self._buffer:
                block, _, self._buffer = self._buffer.partition(b"\n\n")
                fields = dict(line.partition(": ")[::2] for line in block.decode().splitlines() if ": " in line)
                self.last = fields.get("id", self.last)
                if "event" in fields and fields.get("data"):
                    yield fields["event"], json.loads(fields["data"])
            self._connection.settimeout(max(0.01, until - time.monotonic()))
            try:
                more = self._connection.recv(65536)
            except OSError:
                return
            if not more:
                return
            self._buffer += _unchunked(more)

    def wait_for(self, kind: str, **wanted: Any) -> Any:
        """The next event of a kind whose data has these values.

        Raises:
            AssertionError: it does not come.
        """
        for got, data in self.events():
            if got == kind and all(data.get(name) == value for name, value in wanted.items()):
                return data
        raise AssertionError(f"no {kind} {wanted} came")

    def close(self) -> None:
        self._connection.close()


def _unchunked(data: bytes) -> bytes:
    """Without the lines that tell a chunk's length; each chunk of ours ends with an empty line anyway."""
    kept = []
    for part in data.split(b"\r\n"):
        if part and not (len(part) <= 8 and all(char in b"0123456789abcdef" for char in part)):
            kept.append(part)
    return b"".join(kept)
