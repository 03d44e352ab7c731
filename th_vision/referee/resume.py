"""Taking up a game from its record: what was told, what stood by then, and answers that were cut off."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rules.errors import RulesError
from rules.events import AlertLine, Answer, Fact, GameFact, Line, MoveFact, RampFact, UndoFact
from rules.game import Game
from rules.layout import Layout
from rules.pieces import Pieces
from rules.record import Record, read_record
from th_vision.errors import VisionError
from th_vision.follow import Follower
from th_vision.game_layout import layout_of
from th_vision.known import Known, pieces_of
from th_vision.referee.decreed import as_players_said, decreed


@dataclass(frozen=True)
class Resumed:
    """A recorded game to go on with. ``lines``: all of its record; ``missing``: answers to its last fact that are not
    in it. ``notes``: lines of it that can't be used."""

    game: GameFact
    facts: tuple[Fact, ...]
    missing: tuple[Answer, ...] = ()
    notes: tuple[str, ...] = ()
    lines: tuple[Line, ...] = ()

    def follower(self, pieces: Pieces, *, turn_pause_s: float | None = None) -> Follower:
        """A follower that goes on with it: the next readings hold the table against the record."""
        follower = Follower(self.game, pieces, turn_pause_s=turn_pause_s)
        game, left = Game(self.game), Layout()
        for fact in self.facts:
            before = layout_of(game, pieces) if isinstance(fact, UndoFact) else Layout()
            try:
                game.apply(fact)
            except RulesError:
                continue
            # What a turn left behind that was taken back may still stand there, until somebody builds.
            left = Layout() if isinstance(fact, MoveFact) else _together(left, before)
        layout = layout_of(game, pieces)
        known = Known(_together(layout, left), numbers=_numbers(self.facts))
        said = decreed(self.facts, self.game.players)
        left_ids = {p.id for p in pieces_of(known.layout)} - {p.id for p in pieces_of(layout)}
        follower.resume(self.facts, as_players_said(known, said, pieces), left=frozenset(left_ids))
        return follower


def _together(layout: Layout, other: Layout) -> Layout:
    """A layout, and the pieces of another one that it hasn't."""
    there = {piece.id for piece in pieces_of(layout)}
    return Layout(
        columns=(*layout.columns, *(c for c in other.columns if c.id not in there)),
        roads=(*layout.roads, *(r for r in other.roads if r.id not in there)),
        cars=(*layout.cars, *(k for k in other.cars if k.id not in there)),
        city=layout.city,
    )


def load_game(path: Path) -> Resumed:
    """The game in a record.

    Raises:
        RulesError: there is no such record, or no game in it.
    """
    record = read_record(path)
    game, facts = record.game, tuple(fact for fact in record.facts if not isinstance(fact, GameFact))
    notes = tuple(f"{record.name}: {bad}; left out" for bad in record.bad)
    return Resumed(game, facts, _missing(record, game, facts), notes, record.lines)


def check_same_game(resumed: Resumed, asked: GameFact, path: Path) -> None:
    """Refuse to go on with a game by other players or rules than asked for.

    Raises:
        VisionError: with what the record says.
    """
    if resumed.game.players != asked.players:
        raise VisionError(
            f"{path}: is a game of {','.join(resumed.game.players)}; leave --players out to go on with it, or name "
            "another record"
        )


def _missing(record: Record, game_fact: GameFact, facts: Sequence[Fact]) -> tuple[Answer, ...]:
    """Answers to the last fact that the record should hold and doesn't: it was cut off between two lines."""
    written = 0
    for line in reversed(record.lines):
        if isinstance(line, Fact):
            break
        written += not isinstance(line, AlertLine)
    game = Game(game_fact)
    answers: list[Answer] = []
    for fact in facts:
        try:
            answers = game.apply(fact)
        except RulesError:
            answers = []
    return tuple(answers[written:]) if facts else ()


def _numbers(facts: Iterable[Fact]) -> dict[str, int]:
    """The last number given to each kind of piece, so that none is used twice."""
    numbers: dict[str, int] = {}
    for fact in facts:
        if not isinstance(fact, MoveFact | RampFact):
            continue
        ids = [fact.road.id, *(car.id for car in fact.cars)]
        ids += [fact.column.id] if fact.column is not None else []
        for name in ids:
            if name[1:].isdigit():
                numbers[name[0]] = max(numbers.get(name[0], 0), int(name[1:]))
    return numbers
