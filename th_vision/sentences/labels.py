"""Words of a table: what stands at the head of its rows and columns, and a word alone in a cell."""

from __future__ import annotations

from typing import Final

SENTENCES: Final[tuple[str, ...]] = (
    "recording",
    "turns",
    "rulings",
    "what changed",
    "what",
    "recorded",
    "from",
    "by",
    "camera",
    "depth",
    "colour",
    "firmware",
    "preset",
    "frames",
    "kept",
    "game",
    "layouts",
    "with it",
    "grid",
    "colours",
    "unit",
    "rules",
    "lines",
    "ruled",
    "pixels",
    "all",
    "none",
    "yes",
    "no",
)
