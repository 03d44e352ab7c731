"""Where a line of words may be parted: at spaces, and between Chinese characters, which have none."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from typing import Final

_WIDE_FROM: Final = 0x2E7F
"""Characters from here on are as wide as two others and may be parted anywhere."""
_NOT_FIRST: Final = frozenset("。，、：；？！）」』")  # noqa: RUF001  # Chinese commas and the like are meant
_NOT_LAST: Final = frozenset("（「『")  # noqa: RUF001  # as above


def columns(text: str) -> int:
    """How wide a text is, in narrow characters."""
    return sum(2 if ord(char) > _WIDE_FROM else 1 for char in text)


def in_columns(rows: Sequence[Sequence[str]], right: Container[int] = ()) -> str:
    """Rows of cells under each other, a line each, two spaces between; the columns ``right`` end at one place."""
    widths = [max(columns(row[at]) for row in rows) for at in range(max(map(len, rows), default=0))]
    lines = []
    for row in rows:
        cells = []
        for at, cell in enumerate(row):
            room = " " * (widths[at] - columns(cell))
            cells.append(f"{room}{cell}" if at in right else f"{cell}{room}")
        lines.append("  ".join(cells).rstrip() + "\n")
    return "".join(lines)


def wrapped(text: str, width: float, size: Callable[[str], float] = columns) -> list[str]:
    """The text in lines that are no wider than ``width``; a part that is wider alone stands alone."""
    lines, line = [], ""
    for part in _parts(text):
        if line.strip() and size((line + part).strip()) > width:
            lines.append(line.strip())
            line = ""
        line += part
    return [*lines, line.strip()]


def _parts(text: str) -> list[str]:
    parts: list[str] = []
    for char in text:
        last = parts[-1][-1] if parts else " "
        alone = char == " " or last == " " or ord(char) > _WIDE_FROM or ord(last) > _WIDE_FROM
        held = char in _NOT_FIRST or last in _NOT_LAST
        if not parts or (alone and not held):
            parts.append(char)
        else:
            parts[-1] += char
    return parts
