"""Telling the rule book what happened, and taking it back: the game, what was told of it, and what is still open.

Facts in, answers out; whoever follows the game collects the outputs. No image, no clock.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rules.errors import RulesError
from rules.events import (
    AlertLine,
    Answer,
    CityFact,
    CorrectionFact,
    DiscardStickFact,
    Fact,
    GameFact,
    KnockFact,
    MoveFact,
    PassFact,
    RestoredFact,
    RulingLine,
    SaidFact,
    UndoFact,
)
from rules.game import TURN_OVER, Game
from th_vision.follow_events import Output, Told, Warned


class Teller:
    """One game as it is told. ``told``: the facts that stand, in order. ``last_move``: the newest move that may still
    be put otherwise. ``open``: nobody ended that turn yet."""

    def __init__(self, game_fact: GameFact, out: Callable[[Output], None]) -> None:
        self.game = Game(game_fact)
        self.told: list[Fact] = []
        self.last_move: MoveFact | None = None
        self.open = False
        self.time_s = float("-inf")
        self._out = out

    def tell(self, fact: Fact, *, again: bool = False, overruled: bool = False) -> tuple[Answer, ...] | None:
        """Apply a fact to the game and put it out with its answers; None where the rule book can't take it.

        ``again``: it was told before. What it says of pieces that are no more goes, all of it where nothing is left.
        ``overruled``: corrections of the same road follow.
        """
        if again and isinstance(fact, RestoredFact):
            fact = _of_what_stands(fact, self.game)
        try:
            answers = tuple(self.game.apply(fact))
        except RulesError as error:
            if again and isinstance(fact, CorrectionFact | KnockFact | RestoredFact):
                return None  # what it was about is no more
            line = AlertLine(kind="unknown-object", turn=self.game.turn)
            self._out(Warned(line, f"The rule book can't take this: {error}", self.time_s))
            return None
        self._out(Told(fact, answers, self.time_s, again, overruled))
        if isinstance(fact, UndoFact):
            del self.told[_first_of(self.told, fact.turn) :]
            self.last_move, self.open = None, False
        else:
            self.told.append(fact)
            self._note(fact)
        return answers

    def undo(self, turn: int, *, again: bool = False) -> list[Fact]:
        """Take back a turn and all after it, as ``rules.game.Game`` does; the facts that are gone with it."""
        gone = self.told[_first_of(self.told, turn) :]
        return gone if self.tell(UndoFact(turn=turn), again=again) is not None else []

    def retell(self, before: MoveFact, after: MoveFact, change: Callable[[Fact], Fact] = lambda fact: fact) -> None:
        """Tell a move otherwise, and all that followed it again; ``change``: what else is otherwise in any of it."""
        gone = self.undo(before.turn, again=True)
        for i, fact in enumerate(gone):
            overruled = any(isinstance(f, CorrectionFact) and f.ruling == _about(fact) for f in gone[i + 1 :])
            self.tell(change(after if fact is before else fact), again=True, overruled=overruled)

    def retell_set_up(self, before: CityFact, after: CityFact) -> None:
        """Tell a city object otherwise: what was set up after it is taken back one by one, and told again."""
        gone: list[Fact] = []
        while before not in gone:
            taken = self.undo(0, again=True)
            if not taken:
                return
            gone = taken + gone
        for fact in gone:
            self.tell(after if fact is before else fact, again=True)

    def resume(self, facts: Sequence[Fact]) -> None:
        """Take in the facts of a record, without putting them out. What was taken back is left out.

        Facts that can't be are left out, as when the record is read.
        """
        for fact in facts:
            try:
                self.game.apply(fact)
            except RulesError:
                continue
            if isinstance(fact, UndoFact):
                del self.told[_first_of(self.told, fact.turn) :]
                self.last_move, self.open = None, False
            else:
                self.told.append(fact)
                self._note(fact)

    def _note(self, fact: Fact) -> None:
        """Whose turn is still open."""
        if isinstance(fact, MoveFact):
            self.last_move, self.open = fact, True
        elif isinstance(fact, PassFact | DiscardStickFact) or (isinstance(fact, SaidFact) and fact.words == TURN_OVER):
            self.last_move, self.open = None, False

    @property
    def ruling(self) -> RulingLine | None:
        """The ruling on the newest move as it stands, corrections included, while its turn is open."""
        return None if self.last_move is None else self.game.ruling(self.last_move.road.id)

    @property
    def owed(self) -> int:
        """Cars that are still to be placed on the newest road; 0 when its turn is over."""
        ruling = self.ruling
        if ruling is None or not self.open or ruling.road is None:
            return 0
        return max(0, ruling.cars_due - len(self.game.state.carried.get(ruling.road, ())))


def _about(fact: Fact) -> str | None:
    """The road whose ruling a fact leads to."""
    return fact.road.id if isinstance(fact, MoveFact) else fact.ruling if isinstance(fact, CorrectionFact) else None


def _of_what_stands(fact: RestoredFact, game: Game) -> RestoredFact:
    columns = tuple(column for column in fact.columns if column.id in game.columns)
    roads = tuple(road for road in fact.roads if road.id in game.roads)
    return fact.model_copy(update={"columns": columns, "roads": roads})


def _first_of(facts: Sequence[Fact], turn: int) -> int:
    """Index of the first fact of a turn, or of a later one; of set-up (turn 0) the last one, as the game has it."""
    numbers = [int(getattr(fact, "turn", 0)) for fact in facts]
    exactly = [i for i, number in enumerate(numbers) if number == turn]
    later = [i for i, number in enumerate(numbers) if number > turn]
    if turn == 0 and exactly:
        return exactly[-1]
    return (exactly or later or [len(facts)])[0]
