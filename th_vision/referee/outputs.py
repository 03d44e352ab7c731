"""Where everything that the referee says and writes goes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from th_vision.announce import Line
from th_vision.follow_events import Output
from th_vision.referee.status import Status


@dataclass(frozen=True)
class Outputs:
    """Where everything goes. ``say`` takes each line as it falls; ``record`` and ``picture`` are files, or None.

    ``record`` ``-`` is standard output. ``watch`` gets every output of the follower, with the lines said of it after
    it through ``say``; ``status`` how things are, at every frame: for screens, pages, voices and other programs.
    """

    say: Callable[[Line], None] = field(default=lambda _: None)
    record: Path | None = None
    picture: Path | None = None
    language: str = "en"
    quiet: bool = False
    watch: Callable[[Output], None] = field(default=lambda _: None)
    status: Callable[[Status], None] = field(default=lambda _: None)
