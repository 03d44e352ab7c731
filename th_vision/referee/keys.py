"""Listening to the keyboard beside the loop: keys at a terminal, lines from anything else.

At a terminal what is typed is kept here and shown by the screen; Enter says it. Space on an empty line pauses and goes
on, Esc clears the line. Elsewhere (a pipe) each line is a command, and the end of it means nothing.
"""

from __future__ import annotations

import codecs
import contextlib
import os
import select
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import TextIO

from th_vision.referee.commands import CommandError, NotUnderstood, Pause, Quit, Spoken
from th_vision.referee.words import LONGEST, parse

POLL_S = 0.2
"""So often it is looked whether listening is over."""


def understood(words: str, players: Sequence[str]) -> Spoken:
    """A line of words as a command; what is none says why."""
    try:
        return Spoken(parse(words, players), words.strip() or "next")
    except CommandError as error:
        return Spoken(NotUnderstood(str(error)), words)


class Line:
    """A line being typed. ``type`` takes characters and gives the commands that they complete."""

    def __init__(self, players: Sequence[str]) -> None:
        self._players = players
        self._escape = ""
        self.text = ""

    def type(self, typed: str) -> Iterator[Spoken]:
        """Take what was typed."""
        for char in typed:
            if self._escape or char == "\x1b":
                self._skip(char)
            elif char in "\r\n":
                words, self.text = self.text, ""
                yield understood(words, self._players)
            elif char in "\x7f\b":
                self.text = self.text[:-1]
            elif char == "\x15":  # Ctrl-U
                self.text = ""
            elif char == "\x04":  # Ctrl-D
                if not self.text:
                    yield Spoken(Quit(), "quit")
            elif char == " " and not self.text:
                yield Spoken(Pause(), "pause")
            elif char.isprintable() and len(self.text) < LONGEST:
                self.text += char

    def pause(self) -> None:
        """Nothing more came for a moment: an Esc alone clears the line."""
        if self._escape == "\x1b":
            self.text = ""
        self._escape = ""

    def _skip(self, char: str) -> None:
        """An arrow key sends Esc [ and a letter: none of it is text."""
        if not self._escape:
            self._escape = char
        elif self._escape == "\x1b" and char in "[O":
            self._escape += char
        elif self._escape == "\x1b" or char.isalpha() or char == "~":
            self._escape = ""


class Keyboard:
    """Reads ``stream`` in a thread and puts what is said. A context manager: the terminal is put right at its end."""

    def __init__(self, put: Callable[[Spoken], None], players: Sequence[str], stream: TextIO | None = None) -> None:
        self._put, self._players = put, players
        self._stream = stream if stream is not None else sys.stdin
        self._line = Line(players)
        self._ended = threading.Event()
        self._termios: ModuleType | None = None
        self._before: list[object] | None = None
        self._thread: threading.Thread | None = None

    @property
    def at_terminal(self) -> bool:
        """Keys are read one by one, and what is typed is not shown by the terminal itself."""
        return self._before is not None

    @property
    def typed(self) -> str:
        """What stands in the line that is being typed."""
        return self._line.text

    def __enter__(self) -> Keyboard:
        try:
            descriptor = self._stream.fileno()
        except (OSError, ValueError):  # no real stream: nobody types
            return self
        if os.isatty(descriptor):
            self._quiet_terminal(descriptor)
        target = self._keys if self.at_terminal else self._lines
        self._thread = threading.Thread(target=target, args=(descriptor,), daemon=True, name="keyboard")
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        if self._thread is not None:
            self._thread.join(2 * POLL_S)
        self._restore()

    def _quiet_terminal(self, descriptor: int) -> None:
        """No echo, and keys at once; Ctrl-C and Ctrl-Z work as ever."""
        try:
            import termios
        except ImportError:  # not on Windows: lines do there, too
            return
        with contextlib.suppress(termios.error):
            before = termios.tcgetattr(descriptor)
            quiet = termios.tcgetattr(descriptor)
            quiet[3] &= ~(termios.ECHO | termios.ICANON)
            termios.tcsetattr(descriptor, termios.TCSADRAIN, quiet)
            self._termios, self._before = termios, before

    def _restore(self) -> None:
        if self._termios is None or self._before is None:
            return
        with contextlib.suppress(OSError, ValueError, self._termios.error):
            self._termios.tcsetattr(self._stream.fileno(), self._termios.TCSADRAIN, self._before)
        self._before = None

    def _keys(self, descriptor: int) -> None:
        decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        while not self._ended.is_set():
            data = self._read(descriptor)
            if data is None:
                self._line.pause()
            elif not data:  # the terminal is gone
                return
            else:
                for spoken in self._line.type(decoder.decode(data)):
                    self._put(spoken)

    def _lines(self, descriptor: int) -> None:
        decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        text = ""
        while not self._ended.is_set():
            data = self._read(descriptor)
            if data is None:
                continue
            text += decoder.decode(data, final=not data)
            *whole, text = text.split("\n")
            text = text[: 2 * LONGEST]  # a line without end fills no memory
            for words in whole if data else [*whole, *([text] if text.strip() else [])]:
                self._put(understood(words, self._players))
            if not data:
                return

    def _read(self, descriptor: int) -> bytes | None:
        """What came; empty at the end; None where nothing came for a while."""
        try:
            ready, _, _ = select.select([descriptor], [], [], POLL_S)
            return os.read(descriptor, 4096) if ready else None
        except (OSError, ValueError):
            return b""
