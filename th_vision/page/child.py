"""The server's process: takes what the game publishes from a pipe, gives back what the players wish.

It is a process of its own so that whatever comes over the network, the game goes on as quickly as before. It ends when
the pipe does, that is when the game's process does, whatever ended that.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import threading
import time
from collections.abc import Iterator
from multiprocessing.connection import Connection
from typing import Any, Final

import uvicorn

from th_vision.page.protocol import GuardedProtocol
from th_vision.page.service import Service
from th_vision.page.settings import END, Settings

LAST_WORD_S: Final = 0.3
"""So long the viewers have to be told that it is over."""
BACKLOG: Final = 128
NICENESS: Final = 5
"""The game's process comes first."""


def main(pipe: Connection, settings: Settings) -> None:
    """Serve until the pipe ends. Tells ``("ready", port)`` or ``("failed", why)`` first, then ``("command", ...)``."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends the game, which ends this
    with contextlib.suppress(OSError, AttributeError):
        os.nice(NICENESS)
    try:
        listening = _listen(settings)
    except OSError as error:
        pipe.send(("failed", error.strerror or str(error)))
        return
    port = int(listening.getsockname()[1])
    settings = Settings(**{**vars(settings), "port": port})
    asyncio.run(_serve(pipe, settings, listening))


def _listen(settings: Settings) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((settings.host, settings.port))
        listening.listen(BACKLOG)  # from now on nobody is refused, though answers come a moment later
    except OSError:
        listening.close()
        raise
    return listening


async def _serve(pipe: Connection, settings: Settings, listening: socket.socket) -> None:
    sending = threading.Lock()

    def wish(command: object) -> None:
        with sending, contextlib.suppress(OSError):
            pipe.send(("command", command))

    service = Service(settings, wish)
    config = uvicorn.Config(
        service.app(),
        http=GuardedProtocol,
        ws="none",
        lifespan="off",
        log_config=None,
        log_level="critical",
        access_log=False,
        server_header=False,
        date_header=False,
        proxy_headers=False,
        timeout_keep_alive=5,
        timeout_graceful_shutdown=1,
        h11_max_incomplete_event_size=8192,
    )
    server = _Server(config)
    loop = asyncio.get_running_loop()

    def listen_to_game() -> None:
        try:
            while True:
                kind, data = pipe.recv()
                if kind == END:
                    time.sleep(LAST_WORD_S)
                    break
                loop.call_soon_threadsafe(_take, service, kind, data)
        except (EOFError, OSError):
            pass  # the game's process is gone
        server.should_exit = server.force_exit = True

    threading.Thread(target=listen_to_game, daemon=True, name="page-pipe").start()
    pipe.send(("ready", settings.port))
    await server.serve(sockets=[listening])


class _Server(uvicorn.Server):
    """uvicorn's server without its signal handlers: Ctrl-C is the game's."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals as they are."""
        yield


def _take(service: Service, kind: str, data: Any) -> None:
    try:
        service.take(kind, data)
    except Exception as error:  # the page must not end for one odd thing that was published
        service.take("live", {"trouble": f"{type(error).__name__}: {error}"})
