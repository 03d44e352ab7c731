"""Facts in, rulings out: no camera, no clock."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from rules.differences import differences
from rules.errors import RulesError
from rules.events import (
    AlertLine,
    Answer,
    CarsLine,
    Fact,
    GameFact,
    Line,
    RulingLine,
    ScoreLine,
    SupplyLine,
    Switch,
)
from rules.game import Game
from rules.messages import messages
from rules.outcome import Outcome
from rules.record import BadLine, Entry, Record, read_record, write_record
from rules.telling import describe

MAX_FACTS = 1_000
"""No game has more facts (36 roads, 40 cars, a set-up, knocks and corrections make some 150); what follows is left
out, so that no file can keep the judge busy for ever."""


@dataclass(frozen=True)
class Judged:
    """A fact, its line in the record, and what the rule book says to it.

    ``owners`` and ``kinds`` are those of the pieces on the table right after it (ids may be used again after an undo).
    """

    number: int
    fact: Fact
    answers: tuple[Answer, ...]
    owners: Mapping[str, str] = field(default_factory=dict, repr=False)
    kinds: Mapping[str, str] = field(default_factory=dict, repr=False)

    def words(self, language: str) -> Iterator[str]:
        """The fact in words, then its rulings; supply and score are left out."""
        yield describe(self.fact, language=language, owners=self.owners, kinds=self.kinds)
        for answer in self.answers:
            if not isinstance(answer, SupplyLine | ScoreLine) and not idle(answer, self.answers):
                for message in messages(answer, language=language, owners=self.owners, kinds=self.kinds):
                    yield str(message)


@dataclass(frozen=True)
class Adjudication:
    """A record gone through: the game as it stands after it, every fact with its answers, the facts refused."""

    game: Game
    judged: tuple[Judged, ...]
    refused: tuple[BadLine, ...] = ()

    @property
    def answers(self) -> tuple[Answer, ...]:
        """All answers in order."""
        return tuple(answer for judged in self.judged for answer in judged.answers)


def adjudicate(record: Record, rules: str | None = None, options: Mapping[str, Switch] | None = None) -> Adjudication:
    """Go through a record by the rule book.

    A fact that can't be (a piece that doesn't exist, an id used twice) is refused and the game goes on without it.

    Args:
        record: as read; rulings in it are not looked at.
        rules: preset to play by instead of the record's.
        options: switches over the record's own.

    Raises:
        RulesError: there is no game line, or a rule set, a switch or a number of players that can't be.
    """
    game = Game(overridden(record.game, rules, options or {}))
    results = [take(game, entry) for entry in fact_entries(record)]
    judged = tuple(result for result in results if isinstance(result, Judged))
    return Adjudication(game, judged, tuple(result for result in results if isinstance(result, BadLine)))


def fact_entries(record: Record) -> Iterator[Entry]:
    """The facts with their line numbers, the game line included; at most ``MAX_FACTS``."""
    return islice((entry for entry in record.entries if isinstance(entry.line, Fact)), MAX_FACTS)


def take(game: Game, entry: Entry) -> Judged | BadLine:
    """Apply one fact to the game; one that can't be leaves the game as it was."""
    fact = entry.line
    assert isinstance(fact, Fact)
    if isinstance(fact, GameFact):
        return Judged(entry.number, game.fact, ())
    try:
        answers = tuple(game.apply(fact))
    except RulesError as error:
        return BadLine(entry.number, str(error), fact.to_line())
    owners, kinds = pieces_of(game)
    return Judged(entry.number, fact, answers, owners, kinds)


def overridden(game: GameFact, rules: str | None, options: Mapping[str, Switch]) -> GameFact:
    """The game line with another preset, and with switches over its own."""
    changed: dict[str, object] = {"options": {**game.options, **options}}
    if rules is not None:
        changed["rules"] = rules
    return game.model_copy(update=changed)


def parse_options(options: Sequence[str]) -> dict[str, Switch]:
    """Switches from ``key=value`` texts.

    Raises:
        RulesError: a text without ``=``.
    """
    parsed: dict[str, Switch] = {}
    for text in options:
        key, equals, value = text.partition("=")
        if not equals or not key.strip():
            raise RulesError(f"option {text!r}: expected SWITCH=VALUE, such as first=event; see th-vision rules")
        parsed[key.strip()] = _value(value.strip())
    return parsed


def _value(text: str) -> Switch:
    words = {"true": True, "yes": True, "on": True, "false": False, "no": False}
    if text.lower() in words:
        return words[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def lines(record: Record, adjudication: Adjudication) -> Iterator[Line]:
    """The record anew: every fact with its answers after it. Refused facts and the camera's alerts stay in place."""
    answers = {judged.number: judged for judged in adjudication.judged}
    for entry in record.entries:
        judged = answers.get(entry.number)
        if judged is not None:
            yield judged.fact
            yield from judged.answers
        elif isinstance(entry.line, Fact | AlertLine):
            yield entry.line


def told(adjudication: Adjudication, language: str = "en") -> str:
    """The whole game in words: each fact, and its rulings below it; supply and score once, at the end."""
    out: list[str] = []
    last: dict[type[Answer], Answer] = {}
    for judged in adjudication.judged:
        what, *rulings = judged.words(language)
        out += [what, *(f"  {ruling}" for ruling in rulings)]
        last |= {type(answer): answer for answer in judged.answers if isinstance(answer, SupplyLine | ScoreLine)}
    for answer in last.values():
        out += [str(message) for message in messages(answer, language=language)]
    return "\n".join(out) + "\n"


def idle(answer: Answer, answers: Sequence[Answer]) -> bool:
    """Cars missing on a road that is at fault: it must be put right first, and nobody wants cars on it."""
    if not isinstance(answer, CarsLine) or answer.placed >= answer.due:
        return False
    return any(isinstance(other, RulingLine) and other.call == "fault" for other in answers)


def pieces_of(game: Game) -> tuple[dict[str, str], dict[str, str]]:
    """Owner and kind of every piece on the table, for the sentences about them."""
    kinds = dict.fromkeys(game.columns, "column")
    kinds |= dict.fromkeys(game.roads, "road")
    kinds |= dict.fromkeys(game.cars, "car")
    kinds |= {piece: thing.kind for piece, thing in game.city.items()}
    return dict(game.owners), kinds


def notes_of(record: Record, adjudication: Adjudication) -> tuple[str, ...]:
    """What could not be used, one note a line: bad lines and refused facts in the order of the file."""
    problems = sorted((*record.bad, *adjudication.refused), key=lambda bad: bad.number)
    notes = [f"{record.name}: {note}" for note in record.notes]
    notes += [f"{record.name}: {problem}; left out" for problem in problems]
    if len(record.facts) > MAX_FACTS:
        notes.append(
            f"{record.name}: holds {len(record.facts)} facts; no game has more than {MAX_FACTS}, rest left out"
        )
    if record.bad_count > len(record.bad):
        notes.append(f"{record.name}: and {record.bad_count - len(record.bad)} more lines that can't be read; left out")
    return tuple(notes)


def run(
    path: str,
    *,
    output: str | None = None,
    rules: str | None = None,
    options: Sequence[str] = (),
    diff: bool = False,
    with_facts: bool = False,
    language: str = "en",
) -> Outcome:
    """The command ``th-vision adjudicate``.

    Without ``output`` the game in words; with it the ruling lines (``with_facts``: the whole record anew) in that file,
    or as text for ``-``. With ``diff`` what changes against the rulings in the file; status 1 if anything does.

    Raises:
        RulesError: the record can't be read, holds no game, or the rules can't be.
    """
    record = read_record(path)
    adjudication = adjudicate(record, rules, parse_options(options))
    notes = notes_of(record, adjudication)
    text = ""
    if output is not None:
        wanted: tuple[Line, ...] = tuple(lines(record, adjudication)) if with_facts else adjudication.answers
        if output == "-":
            text = "".join(line.to_line() + "\n" for line in wanted)
        else:
            if not with_facts and os.path.exists(output) and path != "-" and os.path.samefile(output, path):
                raise RulesError(f"{output}: is the record itself; give the rulings another name, or keep the facts in")
            write_record(output, wanted)
    if diff:
        changes = differences(record, adjudication.answers)
        text += "".join(f"{change}\n" for change in changes)
        return Outcome(text or "no change\n", notes, 1 if changes else 0)
    if output is None:
        text = told(adjudication, language)
    return Outcome(text, notes, is_data=True)
