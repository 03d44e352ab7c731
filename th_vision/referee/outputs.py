"""Where everything that the referee says and writes goes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from rules.events import Line as RecordLine
from rules.layout import Layout
from th_vision.announce import Line
from th_vision.follow_events import Output
from th_vision.referee.status import Status
from th_vision.still_view import StillView


@dataclass(frozen=True)
class Outputs:
    """Where everything goes. ``say`` takes each line as it falls; ``record`` and ``picture`` are files, or None.

    ``record`` ``-`` is standard output. ``watch`` gets every output of the follower, with the lines said of it after
    it through ``say``; ``status`` how things are, at every frame; ``line`` every line of the record; ``view`` what was
    seen, before what follows from it; ``layout`` what is believed to stand after each reading, with its time;
    ``answer`` the lines that follow from no output (answers to words, what is wrong with the camera), which ``say``
    gets too: for screens, pages, voices, sessions and others.
    """

    say: Callable[[Line], None] = field(default=lambda _: None)
    record: Path | None = None
    picture: Path | None = None
    language: str = "en"
    quiet: bool = False
    watch: Callable[[Output], None] = field(default=lambda _: None)
    status: Callable[[Status], None] = field(default=lambda _: None)
    line: Callable[[RecordLine, float], None] = field(default=lambda *_: None)
    layout: Callable[[Layout, float], None] = field(default=lambda *_: None)
    view: Callable[[StillView], None] = field(default=lambda _: None)
    answer: Callable[[Line], None] = field(default=lambda _: None)
