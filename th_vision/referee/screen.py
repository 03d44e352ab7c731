"""The terminal: sentences above, one living line below with how things are and what is being typed.

Without a terminal there are the sentences alone. A terminal that was closed is no reason to stop: nothing more is
written to it, the game and its record go on until somebody ends them.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from typing import TextIO

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.live import Live
from rich.text import Text

from th_vision.announce import Line, set_in_lines
from th_vision.referee.status import Status
from th_vision.said import said

_BETWEEN = " · "
REFRESH_S = 0.2
"""The living line is drawn anew so often at most."""


def fitting(parts: Sequence[str], room: int) -> str:
    """So many of the parts, the first ones, as there is room for; of the very first one as much as there is."""
    shown = parts[0] if cell_len(parts[0]) <= room else f"{set_cell_size(parts[0], max(0, room - 1)).rstrip()}…"
    for part in parts[1:]:
        longer = f"{shown}{_BETWEEN}{part}"
        if cell_len(longer) > room:
            break
        shown = longer
    return shown


def cut_left(text: str, room: int) -> str:
    """The end of a text, as much as there is room for."""
    while cell_len(text) > room:
        text = text[1:]
    return text


class Screen:
    """Writes to a stream. ``living``: with the line below. For several threads."""

    def __init__(
        self, stream: TextIO, *, color: bool, living: bool, width: int | None = None, language: str = "en"
    ) -> None:
        # On a terminal rich looks for the width itself, each time: it may be made wider or narrower.
        self._console = Console(
            file=stream, no_color=not color, highlight=False, width=width, force_terminal=living or None, soft_wrap=True
        )
        self._color = color
        self._language = language
        self._width = width
        self._lock = threading.RLock()
        self._drawn_s = float("-inf")
        self._last = ""
        self._gone = False
        self._live: Live | None = None
        if living:
            self._live = Live(console=self._console, auto_refresh=False, transient=True, redirect_stderr=False)
            self._guarded(self._live.start)

    def say(self, line: Line) -> None:
        """A sentence."""
        with self._lock:
            self.text(set_in_lines(line, width=self._width or self._console.width, color=self._color))

    def text(self, text: str) -> None:
        """Text as it is, with its colour codes."""
        with self._lock:
            self._guarded(lambda: self._console.print(Text.from_ansi(text), soft_wrap=True))

    def status(self, status: Status, typed: str = "") -> None:
        """How things are now, and what is being typed."""
        if self._live is None:
            return
        now_s = time.monotonic()
        with self._lock:
            urgent = typed != self._last
            if now_s - self._drawn_s < REFRESH_S and not urgent:
                return
            self._drawn_s, self._last = now_s, typed
            parts = [said(part, self._language) for part in status.words().split(_BETWEEN)]
            self._guarded(lambda: self._draw(parts, typed))

    def _draw(self, parts: list[str], typed: str) -> None:
        assert self._live is not None
        width = max(10, self._console.width - 1)
        prompt = cut_left(f"> {typed}_", width // 2) if typed else "> "
        shown = fitting(parts, width - cell_len(prompt) - 2)
        line = Text(no_wrap=True, overflow="crop")
        line.append(shown, style="reverse" if self._color else "")
        line.append("  ")
        line.append(prompt)
        self._live.update(line, refresh=True)

    def close(self) -> None:
        """Take the living line away."""
        with self._lock:
            if self._live is not None:
                self._guarded(self._live.stop)
                self._live = None

    def _guarded(self, write: object) -> None:
        if self._gone or not callable(write):
            return
        try:
            write()
        except (OSError, ValueError):  # the terminal was closed
            self._gone = True
