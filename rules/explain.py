"""Why a ruling fell: in words, and as a small table of value, sigma, limit and the rule's source."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rules import phrases as say
from rules.adjudicate import (
    Judged,
    adjudicate,
    fact_entries,
    notes_of,
    overridden,
    parse_options,
    take,
)
from rules.errors import RulesError
from rules.events import (
    Answer,
    CarsLine,
    CityFact,
    Crossing,
    Fault,
    GameFact,
    Line,
    MoveFact,
    PenaltyLine,
    RampFact,
    RulingLine,
    Switch,
    UndoFact,
)
from rules.game import Game
from rules.messages import fault_sentence
from rules.outcome import Outcome
from rules.record import BadLine, Record, read_record
from rules.ruleset import RuleSet
from rules.sources import (
    BONUS_SOURCE,
    CROSSING_SOURCES,
    FAULT_SOURCES,
    PENALTY_SOURCE,
    SAME_TYPE_SOURCE,
    SHIFT_SOURCE,
    Source,
)
from rules.tolerances import WORTH_TELLING_MM
from rules.voice import Voice


@dataclass(frozen=True)
class Row:
    """One line of the table, as text in the language asked for; an empty cell where there is nothing to say."""

    what: str
    pieces: str
    value: str
    sigma: str
    limit: str
    call: str
    source: str

    @property
    def cells(self) -> tuple[str, ...]:
        """The cells in the order of the headings."""
        return (self.what, self.pieces, self.value, self.sigma, self.limit, self.call, self.source)


@dataclass(frozen=True)
class Explanation:
    """A turn explained. ``game`` stands as it did after the turn, ``answers`` are its rulings (for a picture)."""

    turn: int
    sentences: tuple[str, ...]
    headings: tuple[str, ...]
    rows: tuple[Row, ...]
    game: Game
    answers: tuple[Answer, ...] = ()

    def __str__(self) -> str:
        parts = ["\n".join(self.sentences)]
        if self.rows:
            parts.append(_table(self.headings, self.rows))
        return "\n\n".join(parts) + "\n"


def explain_turn(
    record: Record,
    turn: int,
    *,
    rules: str | None = None,
    options: Mapping[str, Switch] | None = None,
    language: str = "en",
) -> Explanation:
    """Explain everything that was ruled in a turn; 0 is the set-up.

    Raises:
        RulesError: the record holds no game or no such turn, or the rules can't be.
    """
    game = Game(overridden(record.game, rules, options or {}))
    steps: list[_Step] = []
    after = game
    for entry in fact_entries(record):
        fact = entry.line
        if isinstance(fact, UndoFact) and 0 < fact.turn <= turn:
            steps = []
        concerns = getattr(fact, "turn", 0) == turn and not isinstance(fact, GameFact)
        looked_at = _looked_at(game, fact) if concerns else ()
        result = take(game, entry)
        if concerns:
            steps.append(_Step(result, looked_at))
            after = game.copy()
    if not steps:
        turns = sorted({fact.turn for fact in record.facts if not isinstance(fact, GameFact | CityFact | RampFact)})
        there = f"turns {turns[0]} to {turns[-1]} are there" if turns else "it holds no turns"
        raise RulesError(f"{record.name}: no turn {turn}; {there}")
    voice = Voice(language, {}, {})
    sentences: list[str] = []
    rows: list[Row] = []
    for step in steps:
        if isinstance(step.result, BadLine):
            sentences.append(str(step.result))
            continue
        sentences += step.result.words(language)
        voice = Voice(language, step.result.owners, step.result.kinds)
        for answer in step.result.answers:
            rows += _rows(answer, step.looked_at, voice, game.rules)
    headings = tuple(voice.word(*heading) for heading in say.HEADINGS)
    answers = tuple(answer for step in steps if isinstance(step.result, Judged) for answer in step.result.answers)
    return Explanation(turn, tuple(sentences), headings, tuple(rows), after, answers)


@dataclass(frozen=True)
class _Step:
    """A fact of the turn with its answers, and every rule that came near to being broken by it."""

    result: Judged | BadLine
    looked_at: tuple[Fault, ...]


def _looked_at(game: Game, fact: Line) -> tuple[Fault, ...]:
    if not isinstance(fact, MoveFact):
        return ()
    try:
        return game.examine(fact)
    except RulesError:
        return ()  # what can't be is said when it is applied


def _rows(answer: Answer, looked_at: Sequence[Fault], voice: Voice, rules: RuleSet) -> list[Row]:
    match answer:
        case RulingLine():
            faults = [*answer.faults, *(fault for fault in looked_at if fault.call == "clear" and _near(fault))]
            rows = [_crossing_row(crossing, answer.player, voice, rules) for crossing in answer.crossings]
            if answer.offramp_bonus:
                call, source = voice.word(*say.PAYS[0]), _source(BONUS_SOURCE, voice, rules)
                rows.append(Row(voice.text(say.OFFRAMP_BONUS), answer.road or "", "", "", "", call, source))
            return rows + [_fault_row(fault, answer.player, voice, rules) for fault in faults]
        case CarsLine():
            rows = [_fault_row(fault, answer.player, voice, rules) for fault in answer.faults]
            rows += [
                Row("SAME TYPE", voice.player(same.from_), str(same.discs), "", "", "", source)
                for same in answer.same_type
                for source in [_source(SAME_TYPE_SOURCE, voice, rules)]
            ]
            return rows
        case PenaltyLine():
            shifted = answer.value is not None
            source = _source(SHIFT_SOURCE if shifted else PENALTY_SOURCE, voice, rules)
            what = voice.count(say.DISCS, answer.discs)
            value = voice.measure(answer.value, 0, "mm") if answer.value is not None else ""
            limit = "" if answer.limit is None else _limit(answer.limit, "mm", voice)
            sigma = voice.number(answer.sigma, 1) if shifted else ""
            return [Row(what, ", ".join(answer.pieces), value, sigma, limit, _call(answer.call, voice), source)]
        case _:
            return []


def _near(fault: Fault) -> bool:
    """Whether a value is worth telling though it is clear of its limit."""
    if fault.rule == "column-level":
        return abs(fault.value) == fault.limit  # a junction may be of any level
    return fault.unit != "mm" or abs(fault.value - fault.limit) <= WORTH_TELLING_MM


def _fault_row(fault: Fault, player: str, voice: Voice, rules: RuleSet) -> Row:
    exact = fault.sigma == 0
    return Row(
        fault_sentence(fault, player, voice),
        ", ".join(fault.with_),
        voice.measure(fault.value, 0, fault.unit, limit=fault.limit) if fault.unit else "",
        "" if exact else voice.number(fault.sigma, 2),
        _limit(fault.limit, fault.unit, voice) if fault.unit else "",
        _call(fault.call, voice),
        _source(FAULT_SOURCES[fault.rule], voice, rules),
    )


def _crossing_row(crossing: Crossing, player: str, voice: Voice, rules: RuleSet) -> Row:
    piece = voice.road(crossing.road, player, crossing.owner)
    paid = voice.word(*say.PAYS[0 if crossing.pays else 1])
    return Row(
        voice.fill(say.CROSSED[crossing.side], piece=piece),
        crossing.road,
        voice.measure(crossing.gap, 0, "mm"),
        "" if crossing.sigma == 0 else voice.number(crossing.sigma, 2),
        "",
        paid if crossing.call == "clear" else _call(crossing.call, voice),
        _source(CROSSING_SOURCES[crossing.reason], voice, rules),
    )


def _limit(limit: float, unit: str, voice: Voice) -> str:
    """A limit is a round number, or one decimal; never more."""
    if unit != "mm":
        return voice.measure(limit, 0, unit)
    value = voice.number(limit, 0 if limit == round(limit) else 1)
    return voice.fill(say.MEASURED, value=value, unit=voice.word("unit", unit))


def _call(call: str, voice: Voice) -> str:
    return voice.word("call", call.replace("_", " "))


def _source(source: Source, voice: Voice, rules: RuleSet) -> str:
    if source.switch is None:
        return str(source)
    value = rules.values[source.switch]
    shown = str(value).lower() if isinstance(value, bool) else str(value)
    return voice.fill(say.DECIDED_BY, source=str(source), switch=source.switch, value=shown)


def _table(headings: Sequence[str], rows: Sequence[Row]) -> str:
    """Columns under their headings, two spaces between; empty ones left out. Sources are numbered, and follow."""
    sources = list(dict.fromkeys(row.source for row in rows))
    lines = [tuple(headings), *((*row.cells[:-1], f"[{sources.index(row.source) + 1}]") for row in rows)]
    used = [i for i in range(len(headings)) if any(line[i] for line in lines[1:])]
    widths = {i: max(_width(line[i]) for line in lines) for i in used}
    table = ["  ".join(line[i] + " " * (widths[i] - _width(line[i])) for i in used).rstrip() for line in lines]
    return "\n".join([*table, "", *(f"[{number}] {source}" for number, source in enumerate(sources, start=1))])


def _width(text: str) -> int:
    """Cells that a text takes on a terminal: wide characters take two."""
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def run(
    path: str, *, turn: int, rules: str | None = None, options: Sequence[str] = (), language: str = "en"
) -> Outcome:
    """The command ``th-vision explain``: the turn in words and as a table.

    Raises:
        RulesError: as ``explain_turn``, or the record can't be read.
    """
    record = read_record(path)
    chosen = parse_options(options)
    explanation = explain_turn(record, turn, rules=rules, options=chosen, language=language)
    return Outcome(str(explanation), notes_of(record, adjudicate(record, rules, chosen)), is_data=True)
