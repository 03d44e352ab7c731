"""The page, as a game sees it: start it, publish to it, read what the players wish.

    page = Page(commands=wishes)
    page.start()
    page.publish("game", game_fact)
    page.publish("output", output)        # or "fact", "alert", "live", "crop"
    page.close()

Nothing here waits for the network: what is published goes into a queue, and a process of its own serves it.
"""

from __future__ import annotations

import contextlib
import io
import multiprocessing
import queue
import threading
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any, Final

from rules.pieces import Pieces
from th_vision.errors import VisionError
from th_vision.follow_events import Entered, Guide, Told, Warned
from th_vision.page.addresses import LOCAL, hosts_of, reachable
from th_vision.page.commands import spoken
from th_vision.page.passes import Passes
from th_vision.page.settings import END, Settings
from th_vision.referee.commands import Spoken

PORT: Final = 8087
START_S: Final = 30.0
CLOSE_S: Final = 3.0
RESTARTS: Final = 5
"""So often a server that died is started anew in one game; then the game goes on without it."""


class Page:
    """The page of one game.

    Args:
        commands: where the players' wishes go, as ``th_vision.referee.commands.Spoken``; None: the page shows and
            nobody can control.
        host: where to listen: this machine alone by default; ``0.0.0.0`` or an address of this machine for the local
            network. Then the link holds a token.
        port: 0 takes any free one.
        language: of the words, for viewers who ask for none.
        pieces: colours and sizes; those of the game line come first.
        passes: who was let in before may be let in again with these.
    """

    def __init__(
        self,
        *,
        commands: queue.Queue[Spoken] | None = None,
        host: str = LOCAL,
        port: int = PORT,
        language: str = "en",
        pieces: Pieces | None = None,
        passes: Passes | None = None,
    ) -> None:
        passes = passes or Passes.new()
        self._commands = commands
        self._settings = Settings(
            host=host,
            port=port,
            hosts=hosts_of(host),
            token="" if host == LOCAL else passes.token,
            code=passes.code,
            secret=passes.secret,
            language=language,
            control=commands is not None,
            pieces=pieces or Pieces(),
        )
        self._published: list[tuple[str, Any]] = []
        self._waiting: queue.SimpleQueue[tuple[str, Any] | None] = queue.SimpleQueue()
        self._process: BaseProcess | None = None
        self._pipe: Connection | None = None
        self._feeder: threading.Thread | None = None
        self._closed = False

    # --- where it is ---

    @property
    def link(self) -> str:
        """What a viewer opens."""
        path = f"/{self._settings.token}/" if self._settings.token else "/"
        return f"http://{reachable(self._settings.host)}:{self._settings.port}{path}"

    @property
    def code(self) -> str:
        """What a player types in to control; empty where nobody can."""
        return self._settings.code if self._settings.control else ""

    @property
    def language(self) -> str:
        """Of the words, for viewers who ask for none."""
        return self._settings.language

    @property
    def open_to_others(self) -> bool:
        """Whether other machines can see it."""
        return bool(self._settings.token)

    def qr(self) -> str:
        """The link as a QR code of half blocks, for a terminal."""
        import segno

        out = io.StringIO()
        segno.make(self.link, error="m").terminal(out=out, compact=True, border=2)
        return out.getvalue()

    @property
    def process_id(self) -> int | None:
        """The server's process, None while there is none."""
        return self._process.pid if self._process is not None else None

    # --- running ---

    def start(self) -> None:
        """Start serving.

        Raises:
            VisionError: the address or the port can't be had.
        """
        port = self._launch()
        self._settings = Settings(**{**vars(self._settings), "port": port})
        self._feeder = threading.Thread(target=self._feed, daemon=True, name="page-feeder")
        self._feeder.start()

    def publish(self, kind: str, data: Any) -> None:
        """Show something; from any thread, never waits.

        ``game``: the game's first line (``GameFact``); begins anew. ``fact``: what happened, as in the record.
        ``output``: any output of the follower. ``alert``: an ``AlertLine``. ``live``: a dict of what is so just now
        (``state``, ``guide``, ``notes``, ...). ``crop``: ``(road, JPEG bytes)``, the camera's picture of a ruling.
        """
        if self._closed:
            return
        for item in _plain(kind, data):
            self._waiting.put(item)

    def close(self) -> None:
        """End it; open pages say that the connection is gone."""
        if self._closed:
            return
        self._waiting.put(("live", {"source": "ended", "state": "", "question": ""}))
        self._closed = True
        self._waiting.put(None)
        if self._feeder is not None:
            self._feeder.join(CLOSE_S)
        self._end_process()

    # --- the process ---

    def _launch(self) -> int:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        from th_vision.page.child import main  # late: it brings the web server's libraries

        process = context.Process(target=main, args=(theirs, self._settings), daemon=True, name="th-vision page")
        process.start()
        theirs.close()
        where = f"{self._settings.host}:{self._settings.port}"
        try:
            told, what = ours.recv() if ours.poll(START_S) else ("failed", "no answer")
        except EOFError:
            told, what = "failed", "the server ended at once"
        if told != "ready":
            process.kill()
            raise VisionError(f"page: can't listen at {where} ({what}); choose another --port or --host")
        self._process, self._pipe = process, ours
        threading.Thread(target=self._listen, args=(ours,), daemon=True, name="page-wishes").start()
        return int(what)

    def _listen(self, pipe: Connection) -> None:
        with contextlib.suppress(EOFError, OSError):
            while True:
                kind, what = pipe.recv()
                if kind == "command" and self._commands is not None:
                    self._commands.put(spoken(what))

    def _feed(self) -> None:
        restarts = 0
        while (item := self._waiting.get()) is not None:
            if item[0] == "game":
                self._published = []
            if item[0] != "live" or not self._published or self._published[-1][0] != "live":
                self._published.append(item)
            else:
                self._published[-1] = ("live", {**self._published[-1][1], **item[1]})
            if self._send(item) or self._closed or restarts >= RESTARTS:
                continue
            restarts += 1
            self._end_process()
            try:
                self._launch()
            except VisionError:
                continue
            for again in self._published:
                self._send(again)

    def _send(self, item: tuple[str, Any]) -> bool:
        try:
            assert self._pipe is not None
            self._pipe.send(item)
        except (OSError, ValueError):
            return False
        return True

    def _end_process(self) -> None:
        if self._pipe is not None:
            with contextlib.suppress(OSError):
                self._pipe.send((END, None))  # closing alone is not seen while a thread of ours still reads
            with contextlib.suppress(OSError):
                self._pipe.close()
        if self._process is not None:
            self._process.join(CLOSE_S)
            if self._process.is_alive():
                self._process.kill()


def _plain(kind: str, data: Any) -> list[tuple[str, Any]]:
    """What is sent for something published; outputs of the follower by what the page shows of them."""
    if kind != "output":
        return [(kind, data)]
    if isinstance(data, Told):
        return [("fact", data.fact)]
    if isinstance(data, Warned):
        return [("alert", data.line), ("live", {"warned": data.words})]
    if isinstance(data, Guide):
        return [("live", {"guide": dict(data.off)})]
    if isinstance(data, Entered):
        live: dict[str, Any] = {"state": data.state}
        return [("live", live | {"guide": {}} if data.state == "rebuilt" else live)]
    return []
