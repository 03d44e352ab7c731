"""HTTP connections that nobody can hold for nothing: a bound on their number, and a time for each request."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any, Final

from uvicorn.protocols.http.h11_impl import H11Protocol

MAX_CONNECTIONS: Final = 400
MAX_CONNECTIONS_EACH: Final = 150
"""From one address. A room full of people behind one router is one address."""
REQUEST_S: Final = 10.0
"""A connection that has told no whole request after so long is closed."""

_open: Counter[str] = Counter()  # connections by address; one server a process


class GuardedProtocol(H11Protocol):
    """uvicorn's HTTP/1.1, with bounds."""

    _address: str | None = None
    _deadline: asyncio.TimerHandle | None = None
    _seen: object = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        """Take a connection, or close it at once where there are too many."""
        super().connection_made(transport)
        peer: Any = transport.get_extra_info("peername")
        self._address = str(peer[0]) if peer else "?"
        _open[self._address] += 1
        if _open.total() > MAX_CONNECTIONS or _open[self._address] > MAX_CONNECTIONS_EACH:
            transport.abort()
            return
        self._deadline = self.loop.call_later(REQUEST_S, self._look)

    def connection_lost(self, exc: Exception | None) -> None:
        """Count it out."""
        if self._deadline is not None:
            self._deadline.cancel()
        if self._address is not None:
            _open[self._address] -= 1
            if _open[self._address] <= 0:
                del _open[self._address]
        super().connection_lost(exc)

    def _look(self) -> None:
        """Close a connection that waits for the rest of a request since the last look."""
        idle = self.cycle is None or self.cycle.response_complete
        if idle and self.cycle is self._seen and not self.transport.is_closing():
            self.transport.abort()
            return
        self._seen = self.cycle
        self._deadline = self.loop.call_later(REQUEST_S, self._look)
