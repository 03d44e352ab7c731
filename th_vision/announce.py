"""Saying it on a terminal: a short sentence first, numbers and reasons after, nothing twice.

The sentences themselves are the rule book's (``rules.messages``). Here is what to say of a follower's outputs, and how
to set it in lines: indented, wrapped to the terminal, in colour where that is wanted.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from rules.events import (
    CarsFact,
    CityFact,
    FactColumn,
    KnockFact,
    MoveFact,
    PenaltyLine,
    RampFact,
    RulingLine,
    ScoreLine,
    SupplyLine,
)
from rules.messages import Message, messages
from th_vision.follow_events import Guide, Output, Told, Warned

Kind = Literal["legal", "fault", "too_close", "info", "head"]
SURE = 0.98
"""Counts and colours that are at least so probable are said without their probability."""
NARROWEST = 24
_ANSI: Mapping[Kind, str] = {
    "legal": "\x1b[32m",
    "fault": "\x1b[1;31m",
    "too_close": "\x1b[33m",
    "info": "",
    "head": "\x1b[1m",
}
_DIM, _RESET = "\x1b[2m", "\x1b[0m"


@dataclass(frozen=True)
class Line:
    """One thing to say: ``text`` aloud, ``reason`` after it. ``head`` lines open a turn, the others belong to it."""

    text: str
    reason: str = ""
    kind: Kind = "info"


class Announcer:
    """Turns outputs into lines. ``quiet``: only faults, questions, penalties and the end.

    State: whose pieces are whose (handed in), and the last guide, so that only what changed is said again.
    """

    def __init__(self, *, language: str = "en", quiet: bool = False) -> None:
        self._language = language
        self._quiet = quiet
        self._guided: dict[str, str] = {}

    def lines(self, output: Output, owners: Mapping[str, str], kinds: Mapping[str, str] | None = None) -> list[Line]:
        """What to say of one output; ``owners`` and ``kinds``: piece id -> player, -> kind of piece."""
        if isinstance(output, Told):
            return self._told(output, owners, kinds or {})
        if isinstance(output, Warned):
            return [Line(output.words, kind="too_close")]
        if isinstance(output, Guide):
            return self._guide(output)
        return []

    def _told(self, told: Told, owners: Mapping[str, str], kinds: Mapping[str, str]) -> list[Line]:
        said: list[Message] = []
        for answer in told.answers:
            if isinstance(answer, SupplyLine | ScoreLine):
                continue  # on demand, and at the end
            if isinstance(answer, RulingLine) and answer.turn == 0 and answer.call == "legal":
                continue  # the head says it
            said += messages(answer, language=self._language, owners=owners, kinds=kinds)
        lines = [Line(message.text, message.reason, message.kind) for message in said]
        if self._quiet:
            kept = any(isinstance(answer, PenaltyLine) for answer in told.answers)
            lines = [line for line in lines if kept or line.kind in ("fault", "too_close")]
            return [head(told), *lines] if lines else []
        return [head(told), *lines]

    def _guide(self, guide: Guide) -> list[Line]:
        now = dict(guide.off)
        new = [
            Line(words[:1].upper() + words[1:] + ".") for piece, words in guide.off if self._guided.get(piece) != words
        ]
        back = [Line(f"{piece} stands as it stood.", kind="legal") for piece in self._guided if piece not in now]
        self._guided = now
        return back + new


def head(told: Told) -> Line:
    """Who did what, in one line: "turn 7, pink: from c3 to a new column of 3"."""
    fact = told.fact
    if isinstance(fact, RampFact):
        return Line(f"{fact.player}'s ramp {fact.road.id} stands", kind="head")
    if isinstance(fact, CityFact):
        return Line(f"{fact.player} places the {fact.object.kind.replace('_', ' ')} {fact.object.id}", kind="head")
    if isinstance(fact, MoveFact):
        where = "an offramp" if fact.column is None else f"column {fact.column.id} of {_count(fact.column)}"
        return Line(f"turn {fact.turn}, {fact.player}: {fact.road.id} from {fact.base} to {where}", kind="head")
    if isinstance(fact, CarsFact):
        cars = ", ".join(sorted(car.type.replace("_", " ") for car in fact.cars))
        return Line(f"turn {fact.turn}, {fact.player} places {cars}", kind="head")
    if isinstance(fact, KnockFact):
        what = "fell" if not fact.shift_mm else f"moved by {fact.shift_mm:.0f} ± {fact.sigma_mm:.0f} mm"
        return Line(f"turn {fact.turn}: {', '.join(fact.pieces)} {what} while it was {fact.by}'s turn", kind="head")
    turn = getattr(fact, "turn", 0)
    player = getattr(fact, "player", "")
    names = {
        "pass": f"turn {turn}: {player} has nothing to build with and passes",
        "discard_stick": f"turn {turn}: {player} has no disc and lays a stick aside",
        "correction": f"turn {turn}: corrected by the players",
        "undo": f"turn {turn} is taken back",
    }
    return Line(names.get(fact.type, fact.type), kind="head")


def _count(column: FactColumn) -> str:
    """ "3", "2 and a yellow one on top (81 % sure)"."""
    words = f"{column.gray} gray"
    if column.junction:
        words += " and a yellow one"
    sure = column.levels_probability * column.junction_probability
    return words if sure >= SURE else f"{words} ({100 * sure:.0f} % sure)"


def set_in_lines(line: Line, *, width: int = 100, color: bool = False) -> str:
    """A line as text for a terminal, wrapped, with colour codes only where asked for."""
    width = max(width, NARROWEST)
    indent = "" if line.kind == "head" else "  "
    mark = {"fault": "x ", "too_close": "? ", "legal": "", "info": "", "head": ""}[line.kind]
    text = line.text[:1].upper() + line.text[1:]
    first = textwrap.fill(mark + text, width, initial_indent=indent, subsequent_indent=indent + "  ")
    if color and _ANSI[line.kind]:
        first = f"{_ANSI[line.kind]}{first}{_RESET}"
    if not line.reason:
        return first
    room = width - len(indent + mark + text) - 1
    if len(line.reason) <= room:
        return f"{first} {_DIM}{line.reason}{_RESET}" if color else f"{first} {line.reason}"
    deeper = indent + "    "
    second = textwrap.fill(line.reason, width, initial_indent=deeper, subsequent_indent=deeper)
    return f"{first}\n{_DIM}{second}{_RESET}" if color else f"{first}\n{second}"
