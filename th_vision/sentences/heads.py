"""What a line is about, before its colon."""

from __future__ import annotations

from typing import Final

SENTENCES: Final[tuple[str, ...]] = (
    "warning",
    "problem",
    "players",
    "improve",
    "note",
    "frame {n}",
    "doubt",
    "pieces",
    "standard output",
    "standard input",
    "option {name}",
    "turn {turn}",
    "ramp",
    "language {name}",
    "rules {name}",
    "line {n}",
    "board",
    "still view",
    "command",
    "virtual game",
    "scenario {name}",
    "frames",
    "camera",
)
