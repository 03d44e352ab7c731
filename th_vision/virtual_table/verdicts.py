"""Holding what a referee said against the truth of a virtual game, turn by turn and kind by kind.

A ruling may be right, in doubt, wrong but in doubt, or wrong and certain; only the last is a sin. Pieces of the referee
are matched with those of the truth by where they are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from rules.events import LINE_TYPES, CarsFact, Fact, GameFact, KnockFact, MoveFact, PenaltyLine, RulingLine, UndoFact
from rules.game import Game
from rules.layout import Layout
from rules.uncertain import certain_enough
from th_vision.follow_events import Told

Kind = Literal["call", "side", "pays", "cars_due", "owner", "level", "cars", "penalty"]
Verdict = Literal["agree", "doubt", "wrong in doubt", "wrong and certain", "missed", "invented"]
KINDS: tuple[Kind, ...] = ("call", "side", "pays", "cars_due", "owner", "level", "cars", "penalty")
VERDICTS: tuple[Verdict, ...] = ("agree", "doubt", "wrong in doubt", "wrong and certain", "missed", "invented")
SAME_PLACE_MM = 15.0
_SINS: tuple[Verdict, ...] = ("wrong and certain", "invented")


@dataclass
class Tally:
    """Counts of verdicts by kind, the turns compared, and those that differ, each with a line that says how."""

    counts: Counter[tuple[Kind, Verdict]] = field(default_factory=Counter)
    turns: int = 0
    differing: list[str] = field(default_factory=list)
    certain: list[str] = field(default_factory=list)
    mended: list[str] = field(default_factory=list)  # stated as certain, wrong, and taken back by the referee itself

    def add(self, other: Tally) -> None:
        """Add the counts of another game."""
        self.counts += other.counts
        self.turns += other.turns
        self.differing += other.differing
        self.certain += other.certain
        self.mended += other.mended

    def table(self) -> str:
        """The counts as a table for people."""
        rows = [f"{'kind':<10}" + "".join(f"{verdict:>19}" for verdict in VERDICTS)]
        rows += [f"{kind:<10}" + "".join(f"{self.counts[kind, v]:>19}" for v in VERDICTS) for kind in KINDS]
        share = 100 * len(self.differing) / max(self.turns, 1)
        rows.append(f"{self.turns} turns; {len(self.differing)} rulings differ from the truth ({share:.1f} %), ")
        rows[-1] += f"{len(self.certain)} of them stated as certain; {len(self.mended)} more were mended in hindsight"
        return "\n".join(rows)


def true_lines(facts: Iterable[dict[str, Any]]) -> list[tuple[Fact, list[Any]]]:
    """The truth's facts with the rule book's answers to them, exact. The first fact is the game line."""
    first, *rest = facts
    game = Game(GameFact.model_validate(first))
    out: list[tuple[Fact, list[Any]]] = []
    for line in rest:
        fact: Any = LINE_TYPES[line["type"]].model_validate(line)
        out.append((fact, list(game.apply(fact))))
    return out


def same_pieces(seen: Layout, truth: Layout) -> dict[str, str]:
    """Seen id -> true id of the pieces that are at one place."""
    out: dict[str, str] = {}
    for ours, theirs in ((seen.columns, truth.columns), (seen.cars, truth.cars)):
        for piece in ours:
            near = [(float(np.hypot(piece.x - t.x, piece.y - t.y)), t.id) for t in theirs]
            if near and min(near)[0] <= SAME_PLACE_MM:
                out[piece.id] = min(near)[1]
    for road in seen.roads:
        ends = np.array(road.ends)
        distances = []
        for other in truth.roads:
            tips = np.array(other.ends)
            distances.append((min(float(np.abs(ends - t).max()) for t in (tips, tips[::-1])), other.id))
        if distances and min(distances)[0] <= 2 * SAME_PLACE_MM:
            out[road.id] = min(distances)[1]
    return out


def compare(
    truth: Sequence[tuple[Fact, list[Any]]], told: Sequence[Told], names: dict[str, str], label: str = ""
) -> Tally:
    """What was told of a game against its truth. ``names``: seen piece id -> true id."""
    tally = Tally()
    ours: dict[str, Told] = {}
    cars_on: Counter[str] = Counter()
    standing = _not_taken_back(told)
    for entry in standing:
        fact = entry.fact
        if isinstance(fact, MoveFact):
            ours[names.get(fact.road.id, f"?{fact.road.id}")] = entry
        if isinstance(fact, MoveFact | CarsFact):
            cars_on.update(names.get(car.on or "", "?") for car in fact.cars)
    moves = {f.road.id: (f, a) for f, a in _standing(truth) if isinstance(f, MoveFact)}
    true_cars: Counter[str] = Counter()
    for fact, _ in _standing(truth):
        if isinstance(fact, MoveFact | CarsFact):
            true_cars.update(car.on or "" for car in fact.cars)
    for road, (fact, answers) in moves.items():
        tally.turns += 1
        ruling = next(a for a in answers if isinstance(a, RulingLine))
        where = f"{label} turn {fact.turn} ({fact.player} {road})"
        entry_or_none = ours.pop(road, None)
        if entry_or_none is None:
            tally.counts["call", "missed"] += 1
            tally.differing.append(f"{where}: never ruled on")
            continue
        verdicts = list(_verdicts(fact, ruling, entry_or_none, names))
        verdicts.append(("cars", "agree" if cars_on[road] == true_cars[road] else "wrong and certain", "cars seen"))
        _count(tally, verdicts, where)
    for entry in told:
        road = names.get(entry.fact.road.id, "") if isinstance(entry.fact, MoveFact) else ""
        if road in moves and not any(entry is stands for stands in standing):
            fact, answers = moves[road]
            ruling = next(a for a in answers if isinstance(a, RulingLine))
            wrong = [words for _, verdict, words in _verdicts(fact, ruling, entry, names) if verdict in _SINS]
            tally.mended += [f"{label} turn {fact.turn}: {'; '.join(wrong)}"] if wrong else []
    for road in ours:
        tally.counts["call", "invented"] += 1
        tally.differing.append(f"{label}: a ruling on {road}, which is no move of the truth")
        tally.certain.append(tally.differing[-1])
    _count(tally, _penalties(truth, standing), f"{label} penalties")
    return tally


def _standing(truth: Sequence[tuple[Fact, list[Any]]]) -> list[tuple[Fact, list[Any]]]:
    """What stands of the truth: an undo takes back its turn and all after it."""
    standing: list[tuple[Fact, list[Any]]] = []
    for fact, answers in truth:
        if isinstance(fact, UndoFact):
            turn = fact.turn
            first = next((i for i, (f, _) in enumerate(standing) if int(getattr(f, "turn", 0)) >= max(turn, 1)), None)
            del standing[len(standing) if first is None else first :]
        else:
            standing.append((fact, answers))
    return standing


def _not_taken_back(told: Sequence[Told]) -> list[Told]:
    """What was told and stands: an undo takes back its turn and all after it."""
    standing: list[Told] = []
    for entry in told:
        if not isinstance(entry.fact, UndoFact):
            standing.append(entry)
            continue
        numbers = [int(getattr(t.fact, "turn", 0)) for t in standing]
        turn = entry.fact.turn
        exactly = [i for i, number in enumerate(numbers) if number == turn]
        later = [i for i, number in enumerate(numbers) if number > turn]
        del standing[(exactly or later or [len(standing)])[0] :]
    return standing


def _count(tally: Tally, verdicts: Iterable[tuple[Kind, Verdict, str]], where: str) -> None:
    wrong = []
    for kind, verdict, words in verdicts:
        tally.counts[kind, verdict] += 1
        if verdict not in ("agree", "doubt"):
            wrong.append(f"{words} ({verdict})")
            if verdict in _SINS:
                tally.certain.append(f"{where}: {words}")
    if wrong:
        tally.differing.append(f"{where}: {'; '.join(wrong)}")


def _verdicts(
    fact: MoveFact, truth: RulingLine, told: Told, names: dict[str, str]
) -> Iterable[tuple[Kind, Verdict, str]]:
    seen = told.fact
    assert isinstance(seen, MoveFact), "a move was told for this road"
    ruling = next(a for a in told.answers if isinstance(a, RulingLine))
    open_call = ruling.call == "too_close"
    if open_call:
        yield "call", "doubt", "call"
    else:
        ours = sorted({f.rule for f in ruling.faults if f.call == "fault"})
        theirs = sorted({f.rule for f in truth.faults if f.call == "fault"})
        words = f"call {ruling.call} {ours}, truth {truth.call} {theirs}"
        yield "call", "agree" if ruling.call == truth.call else "wrong and certain", words
    asked = min(seen.turn_probability, seen.player_probability) < certain_enough(2.0)  # "is it pink's turn?"
    yield "owner", _judge(seen.player == fact.player, asked), f"owner {seen.player}"
    yield _level(fact, seen)
    crossings = {names.get(c.road, c.road): c for c in ruling.crossings if c.reason != "partial"}
    for true in truth.crossings:
        if true.reason == "partial":
            continue
        crossing = crossings.pop(true.road, None)
        if crossing is None:
            yield "side", "missed", f"crossing with {true.road} not seen"
            continue
        doubt = crossing.call == "too_close"
        yield "side", _judge(crossing.side == true.side, doubt), f"side {crossing.side} of {true.road}"
        doubt = doubt or ruling.cars_due_range is not None
        words = f"{true.road} pays {crossing.pays} ({crossing.reason}), truth {true.reason}"
        yield "pays", _judge(crossing.pays == true.pays, doubt), words
    for extra, crossing in crossings.items():
        yield (
            "side",
            "wrong in doubt" if crossing.call == "too_close" else "invented",
            f"crossing with {extra} invented",
        )
    doubt = ruling.cars_due_range is not None
    words = f"cars due {ruling.cars_due}, truth {truth.cars_due}"
    yield "cars_due", _judge(ruling.cars_due == truth.cars_due, doubt), words


def _level(fact: MoveFact, seen: MoveFact) -> tuple[Kind, Verdict, str]:
    if fact.column is None or seen.column is None:
        same = fact.column is None and seen.column is None
        return "level", "agree" if same else "wrong and certain", "an offramp or not"
    true, ours = (fact.column.gray, fact.column.yellow), (seen.column.gray, seen.column.yellow)
    sure = seen.column.levels_probability * seen.column.junction_probability >= certain_enough(2.0)
    return "level", _judge(true == ours, not sure), f"discs {ours}, truth {true}"


def _judge(right: bool, doubt: bool) -> Verdict:
    if right:
        return "doubt" if doubt else "agree"
    return "wrong in doubt" if doubt else "wrong and certain"


def _penalties(truth: Sequence[tuple[Fact, list[Any]]], told: Sequence[Told]) -> Iterable[tuple[Kind, Verdict, str]]:
    """Penalties in order: who pays whom how many discs."""

    def paid(entries: Iterable[tuple[Fact, Iterable[Any]]]) -> Counter[tuple[str, str, int]]:
        return Counter(
            (a.from_, a.to, a.discs)
            for fact, answers in entries
            if isinstance(fact, KnockFact)
            for a in answers
            if isinstance(a, PenaltyLine) and a.discs
        )

    true, ours = paid(truth), paid((t.fact, t.answers) for t in told)
    for key, number in (true & ours).items():
        for _ in range(number):
            yield "penalty", "agree", f"{key}"
    for key, number in (true - ours).items():
        for _ in range(number):
            yield "penalty", "missed", f"{key[0]} pays {key[1]} {key[2]}"
    for key, number in (ours - true).items():
        for _ in range(number):
            yield "penalty", "invented", f"{key[0]} pays {key[1]} {key[2]}"
