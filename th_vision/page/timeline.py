"""The time line of a game: one step for everything that happened, each with its words and the board after it.

State: the game, by the rule book, and the last board. A step holds what changed on the board, so that a page that has
all steps can show the table as it stood after each of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from rules.adjudicate import idle
from rules.errors import RulesError
from rules.events import (
    AlertLine,
    Answer,
    CarsLine,
    CorrectionFact,
    DiscardStickFact,
    EndLine,
    Fact,
    GameFact,
    KnockFact,
    MoveFact,
    PassFact,
    PenaltyLine,
    RestoredFact,
    RulingLine,
    SaidFact,
    ScoreLine,
    SupplyLine,
    UndoFact,
)
from rules.game import Game
from rules.messages import Message, messages
from rules.pieces import Pieces
from rules.telling import describe
from th_vision.closeup import CloseUp, closeups_of
from th_vision.page.board import Board, Data, board_of, change
from th_vision.standings import kinds_of


@dataclass(frozen=True)
class Step:
    """One thing that happened, or that the referee noticed (``line`` is then an alert).

    ``board``: what it changed. ``turn``: the turn it belongs to, ``player``: whose it was ("" where nobody's).
    ``road``: the road that was ruled on, for corrections. ``newest``: ids to highlight. ``closeups``: the evidence.
    """

    number: int
    line: Fact | AlertLine
    answers: tuple[Answer, ...]
    turn: int
    player: str
    board: Data
    newest: tuple[str, ...] = ()
    road: str | None = None
    closeups: tuple[CloseUp, ...] = ()
    owners: Mapping[str, str] = field(default_factory=dict, repr=False)
    kinds: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def call(self) -> str:
        """The gravest call of the step: ``fault``, ``too_close``, ``legal``, or ``info`` where nothing was ruled."""
        calls = {answer.call for answer in self.answers if isinstance(answer, RulingLine | CarsLine | PenaltyLine)}
        return next((call for call in ("fault", "too_close", "legal") if call in calls), "info")

    def head(self, language: str) -> str:
        """What happened, in one sentence."""
        if isinstance(self.line, AlertLine):
            return str(messages(self.line, language=language, owners=self.owners, kinds=self.kinds)[0])
        return describe(self.line, language=language, owners=self.owners, kinds=self.kinds)

    def said(self, language: str) -> tuple[Message, ...]:
        """The rulings in words, each once; supply and score are left out: they stand beside the board."""
        said = (
            message
            for answer in self.answers
            if not isinstance(answer, SupplyLine | ScoreLine) and not idle(answer, self.answers)
            for message in messages(answer, language=language, owners=self.owners, kinds=self.kinds)
        )
        return tuple(dict.fromkeys(said))  # both ends of a road may be in doubt alike


class Timeline:
    """Facts and alerts in, steps out. A fact that can't be gives no step and changes nothing.

    Raises:
        RulesError: the game line asks for rules or switches that can't be.
    """

    def __init__(self, fact: GameFact, pieces: Pieces | None = None) -> None:
        self.game = Game(fact)
        self.pieces = pieces_for(fact, pieces)
        self.steps: list[Step] = []
        self.board: Board = {}
        self.ranking: tuple[tuple[str, ...], ...] = ()
        self._ghosts: dict[str, str] = {}
        self._add(Step(0, fact, (), 0, "", {}))

    def take(self, line: Fact | AlertLine) -> Step | None:
        """Take in what happened; None where it can't be, or where there is nothing to show."""
        if isinstance(line, AlertLine):
            return self._add(Step(len(self.steps), line, (), self.game.turn, "", {}, newest=line.pieces))
        if isinstance(line, GameFact):
            return None
        before = set(self.game.owners)
        try:
            answers = tuple(self.game.apply(line))
        except RulesError:
            return None
        if isinstance(line, SaidFact):
            return None  # words alone change nothing; what follows from them are facts of their own
        self._note_knocked(line)
        for answer in answers:
            if isinstance(answer, EndLine):
                self.ranking = answer.ranking
        if isinstance(line, UndoFact):
            self.ranking = ()
        newest = tuple(sorted(set(self.game.owners) - before))
        ruling = next((answer for answer in answers if isinstance(answer, RulingLine)), None)
        step = Step(
            number=len(self.steps),
            line=line,
            answers=answers,
            turn=getattr(line, "turn", 0),
            player=str(getattr(line, "player", getattr(line, "by", ""))),
            board={},
            newest=newest or _named(line),
            road=ruling.road if ruling is not None else None,
            closeups=closeups_of(self.game, answers),
        )
        return self._add(step)

    def _add(self, step: Step) -> Step:
        board = board_of(self.game, self.pieces, {n: w for n, w in self._ghosts.items() if self.game.state.has(n)})
        if self.ranking:
            board["now"]["ranking"] = [list(shared) for shared in self.ranking]
        step = replace(
            step, board=change(self.board, board), owners=dict(self.game.owners), kinds=dict(kinds_of(self.game))
        )
        self.board = board
        self.steps.append(step)
        return step

    def _note_knocked(self, line: Fact) -> None:
        if isinstance(line, KnockFact):
            self._ghosts |= dict.fromkeys(line.pieces, "")
        elif isinstance(line, RestoredFact):
            for piece in _named(line):
                self._ghosts.pop(piece, None)
            # A car is put back with its road; the record names columns and roads only.
            cars = [car for car in self._ghosts if car in self.game.cars and self.game.cars[car].on not in self._ghosts]
            for car in cars:
                del self._ghosts[car]
        elif isinstance(line, MoveFact | PassFact | DiscardStickFact | UndoFact):
            self._ghosts.clear()  # the game goes on: all stands again


def _named(line: Fact) -> tuple[str, ...]:
    if isinstance(line, KnockFact):
        return line.pieces
    if isinstance(line, RestoredFact):
        return (*(column.id for column in line.columns), *(road.id for road in line.roads))
    if isinstance(line, CorrectionFact):
        return (line.ruling,)
    return ()


def pieces_for(fact: GameFact, pieces: Pieces | None) -> Pieces:
    """The pieces to draw with: sticks and discs as the game's record measures them, the rest from pieces.toml."""
    base = pieces or Pieces()
    return base.model_copy(update={"stick": fact.pieces.stick, "disc": fact.pieces.disc})
