"""What a command of the rule book hands back: text to print, notes for the user, and how it ended."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Outcome:
    """``text`` goes to standard output (ends with a newline or is empty), ``notes`` to standard error, one a line.

    ``status``: 0 done, 1 the thing asked for did not hold. ``is_data``: the text is for programs,
    the same in every language, or is in the reader's language already.
    """

    text: str
    notes: tuple[str, ...] = ()
    status: int = 0
    is_data: bool = False
