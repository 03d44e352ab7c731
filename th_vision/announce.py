"""Saying it on a terminal: a short sentence first, numbers and reasons after, nothing twice.

The sentences themselves are the rule book's (``rules.messages``). Here is what to say of a follower's outputs, and how
to set it in lines: indented, wrapped to the terminal, in colour where that is wanted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from rules.events import (
    CarsLine,
    CorrectionFact,
    DiscardStickFact,
    EndLine,
    FactColumn,
    MoveFact,
    OutLine,
    PassFact,
    PenaltyLine,
    RestoredFact,
    RulingLine,
    SaidFact,
    ScoreLine,
    SupplyLine,
    UndoFact,
)
from rules.game import TURN_OVER
from rules.messages import Message, messages, penalty_decided
from rules.telling import describe
from th_vision.follow_events import (
    BackAgain,
    Checked,
    Entered,
    Guide,
    Output,
    Reconsidered,
    Reminded,
    TakenAsIs,
    Told,
    Warned,
)
from th_vision.wrapping import columns, wrapped

Kind = Literal["legal", "fault", "too_close", "info", "head"]
SURE = 0.98
"""Counts and colours that are at least so probable are said without their probability."""
NARROWEST = 24
LONGEST_GUIDE = 6
"""So many pieces are named at once that don't stand as they stood."""
_NEXT_TURN = (MoveFact, PassFact, DiscardStickFact)
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

    State: the last guide, so that only what changed is said again, and cars that a player may still place: that their
    chance is gone is said when the turn has passed, not while their hand still holds them.
    """

    def __init__(self, *, language: str = "en", quiet: bool = False) -> None:
        self._language = language
        self._quiet = quiet
        self._guided: dict[str, str] = {}  # what was said of each piece that is off
        self._off: frozenset[str] = frozenset()
        self._names: dict[str, str] = {}
        self._as_is = False
        self._owed: CarsLine | None = None
        self._ruled: dict[str, RulingLine] = {}
        self._said: dict[str, set[str]] = {}  # of each road
        self._built: dict[str, str] = {}  # of each road, who built it from where to where

    def lines(self, output: Output, owners: Mapping[str, str], kinds: Mapping[str, str] | None = None) -> list[Line]:
        """What to say of one output; ``owners`` and ``kinds``: piece id -> player, -> kind of piece."""
        if isinstance(output, Told):
            return self._told(output, owners, kinds or {})
        if isinstance(output, Reconsidered):
            road = output.after.road.id
            self._built[road] = describe(output.after, language=self._language, owners=owners, kinds=kinds)
            return [_second_look(output)]
        if isinstance(output, Warned):
            return [Line(output.words, kind="too_close")]
        self._names = {
            **self._names,
            **{i: f"{who}'s {(kinds or {}).get(i, 'piece')} {i}" for i, who in owners.items()},
        }
        if isinstance(output, Guide):
            return self._guide(output)
        if isinstance(output, Reminded):
            cars = "one car" if output.cars == 1 else f"{output.cars} cars"
            words = f"{output.player} still has {cars} to place."
            return [Line(words, "(before the turn passes)", "too_close")]
        if isinstance(output, Checked):
            return self._checked(output)
        if isinstance(output, TakenAsIs):
            return self._taken_as_is(output)
        if isinstance(output, BackAgain):
            self._as_is = output.missing > 0
            return self._stand(output.pieces)
        if isinstance(output, Entered) and output.state == "rebuilt":
            return self._rebuilt(output)
        return []

    def _checked(self, checked: Checked) -> list[Line]:
        if not checked.off:
            return [Line("The table stands as the record has it; the game goes on.", kind="legal")]
        words = "The table is not as the record has it; please put it right, or accept it."
        if not checked.there:
            words = "Nothing of the game stands on the table. Build it up again; a new game begins without --resume."
        head = Line(words, kind="too_close")
        return [head, *self._guide(Guide(checked.off, checked.time_s))]

    def _taken_as_is(self, taken: TakenAsIs) -> list[Line]:
        unsaid = self._unsaid(taken.off)
        self._guided, self._off = {}, frozenset()
        self._as_is = True
        return [Line("The game goes on with the table as it is."), *unsaid]

    def _rebuilt(self, output: Entered) -> list[Line]:
        as_is, self._as_is = self._as_is, False
        if as_is:
            return []
        return [*self._guide(Guide((), output.time_s)), Line("All is put back; the game goes on.", kind="legal")]

    def turn_over(self) -> list[Line]:
        """The turn is over, or the game: what is too late now."""
        owed, self._owed = self._owed, None
        if owed is None:
            return []
        return [
            Line(f"{message.text[:1].lower()}{message.text[1:]}", message.reason, message.kind)
            for message in messages(owed, language=self._language)
        ]

    def _is_owed(self, ruling: RulingLine) -> bool:
        return self._owed is not None and (self._owed.turn, self._owed.player) == (ruling.turn, ruling.player)

    def _told(self, told: Told, owners: Mapping[str, str], kinds: Mapping[str, str]) -> list[Line]:
        if isinstance(told.fact, RestoredFact):
            return []  # that all is put back was said
        if isinstance(told.fact, SaidFact):
            return self.turn_over() if told.fact.words == TURN_OVER else []
        rulings = {a.road: a for a in told.answers if isinstance(a, RulingLine) and a.road is not None}
        none_due = any(not ruling.cars_due and self._is_owed(ruling) for ruling in rulings.values())
        if isinstance(told.fact, UndoFact) or (isinstance(told.fact, CorrectionFact) and none_due):
            self._owed = None  # with its turn, or with the ruling that they were due by
        built = {}
        if isinstance(told.fact, MoveFact):
            built[told.fact.road.id] = describe(told.fact, language=self._language, owners=owners, kinds=kinds)
        as_ruled = all(self._ruled.get(road) == ruling for road, ruling in rulings.items())
        as_built = all(self._built.get(road, words) == words for road, words in built.items())
        self._ruled |= rulings
        self._built |= built
        if told.again and as_built and (as_ruled or told.overruled):
            return []
        if told.overruled:
            return [head(told, self._language, owners, kinds)]
        before = self.turn_over() if isinstance(told.fact, _NEXT_TURN) else []
        said: list[Message] = []
        for answer in told.answers:
            if isinstance(answer, SupplyLine | ScoreLine):
                continue  # on demand, and at the end
            if isinstance(answer, RulingLine | CarsLine) and answer.turn == 0 and answer.call == "legal":
                continue  # the head says it
            if isinstance(answer, CarsLine) and (self._owed is None or answer.turn >= self._owed.turn):
                self._owed = answer if answer.placed < answer.due else None
                if self._owed is not None:
                    continue
            if isinstance(answer, PenaltyLine) and isinstance(told.fact, CorrectionFact):
                said.append(penalty_decided(answer, language=self._language))
            else:
                said += messages(answer, language=self._language, owners=owners, kinds=kinds)
        said = _once(self._changed(told, said))
        lines = [Line(message.text, message.reason, message.kind) for message in said]
        if self._quiet:
            kept = any(isinstance(answer, PenaltyLine | EndLine | OutLine) for answer in told.answers)
            lines = [line for line in lines if kept or line.kind in ("fault", "too_close")]
        if (self._quiet and not lines) or (isinstance(told.fact, CorrectionFact) and (lines or told.again)):
            return [*before, *lines]  # that the players decided is the first of the lines
        return [*before, head(told, self._language, owners, kinds), *lines]

    def _changed(self, told: Told, said: list[Message]) -> list[Message]:
        """Of a correction only what was not said before; where that is nothing, how things stand by it."""
        roads = {a.road for a in told.answers if isinstance(a, RulingLine) and a.road is not None}
        new = said
        if isinstance(told.fact, CorrectionFact):
            before = self._said.get(told.fact.ruling, set())
            new = [message for message in said if message.text not in before]
            asked = any(message.kind == "too_close" for message in said)  # what is open still was asked before
            new = new or ([] if told.again else said[:1] if asked else said)
        for road in roads:
            self._said[road] = {message.text for message in said}
        return new

    def _guide(self, guide: Guide) -> list[Line]:
        """What is back, and what is off in words that were not said yet."""
        now = dict(guide.off)
        new = self._unsaid(guide.off)
        back = self._stand([piece for piece in sorted(self._off, key=self._order) if piece not in now])
        said = {piece: words for piece, words in self._guided.items() if piece in now}
        self._guided, self._off = {**said, **dict(guide.off[:LONGEST_GUIDE])}, frozenset(now)
        return back + new

    def _unsaid(self, off: Sequence[tuple[str, str]]) -> list[Line]:
        """Of what is off the first few pieces, where that was not said yet in these words, and how many more."""
        first, more = off[:LONGEST_GUIDE], len(off) - LONGEST_GUIDE
        new = [Line(f"{words[:1].upper()}{words[1:]}.") for piece, words in first if self._guided.get(piece) != words]
        return [*new, Line(f"And {more} more; g names all of them.")] if new and more > 0 else new

    def _order(self, piece: str) -> tuple[bool, str]:
        return piece not in self._guided, piece

    def _stand(self, pieces: Sequence[str]) -> list[Line]:
        if len(pieces) > LONGEST_GUIDE:
            return [Line(f"{len(pieces)} pieces stand as they stood.", kind="legal")]
        return [Line(f"{self._names.get(piece, piece)} stands as it stood.", kind="legal") for piece in pieces]


def _once(said: list[Message]) -> list[Message]:
    """The same question about both ends of a road is asked once: who answers it answers both."""
    return list({message.text: message for message in reversed(said)}.values())[::-1]


def head(
    told: Told,
    language: str = "en",
    owners: Mapping[str, str] | None = None,
    kinds: Mapping[str, str] | None = None,
) -> Line:
    """Who did what, in one sentence, and how sure its discs are counted where they are not."""
    column = getattr(told.fact, "column", None)
    sure = column.levels_probability * column.junction_probability if isinstance(column, FactColumn) else 1.0
    reason = "" if sure >= SURE else f"({100 * sure:.0f} %)"
    return Line(describe(told.fact, language=language, owners=owners, kinds=kinds), reason, "head")


def _second_look(seen: Reconsidered) -> Line:
    """What was read wrongly, and what changes with it is said after."""
    column = seen.after.column
    if seen.before.player_probability < seen.after.player_probability:
        words = f"A second look at turn {seen.after.turn}: {seen.after.player} built road {seen.after.road.id}."
        return Line(words, kind="head")
    if column is None:
        return Line(f"A second look at turn {seen.after.turn}.", kind="head")
    top = ", the top one yellow" if column.junction else ""
    discs = "one disc" if column.levels == 1 else f"{column.levels} discs"
    words = f"A second look at turn {seen.after.turn}: column {column.id} has {discs}{top}."
    return Line(words, kind="head")


def set_in_lines(line: Line, *, width: int = 100, color: bool = False) -> str:
    """A line as text for a terminal, wrapped, with colour codes only where asked for."""
    width = max(width, NARROWEST)
    indent = "" if line.kind == "head" else "  "
    mark = {"fault": "x ", "too_close": "? ", "legal": "", "info": "", "head": ""}[line.kind]
    text = line.text[:1].upper() + line.text[1:]
    first = _filled(mark + text, width, indent, indent + "  ")
    if color and _ANSI[line.kind]:
        first = f"{_ANSI[line.kind]}{first}{_RESET}"
    if not line.reason:
        return first
    if columns(f"{indent}{mark}{text} {line.reason}") <= width:
        return f"{first} {_DIM}{line.reason}{_RESET}" if color else f"{first} {line.reason}"
    deeper = indent + "    "
    second = _filled(line.reason, width, deeper, deeper)
    return f"{first}\n{_DIM}{second}{_RESET}" if color else f"{first}\n{second}"


def _filled(text: str, width: int, first: str, further: str) -> str:
    """The text in lines that are no wider than ``width``, all but the first one set in by ``further``."""
    begin, *rest = wrapped(text, width - len(further))
    return "\n".join((first + begin, *(further + line for line in rest)))
