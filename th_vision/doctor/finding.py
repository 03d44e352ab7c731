"""One line of the doctor's report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Level = Literal["ok", "warning", "problem"]


@dataclass(frozen=True)
class Finding:
    """``todo`` says what to do; empty where nothing is to be done."""

    level: Level
    text: str
    todo: str = ""

    def __str__(self) -> str:
        return f"{self.level:8} {self.text}" + (f": {self.todo}" if self.todo else "")
