"""What a follower of a game keeps: the game as it was told, what is believed to stand, and what it has to say."""

from __future__ import annotations

from collections.abc import Sequence

from rules.events import Fact, GameFact
from rules.game import Game
from rules.pieces import Pieces
from th_vision.belief import ids_of
from th_vision.follow_events import Entered, Output, State
from th_vision.known import Known
from th_vision.teller import Teller


class Kept:
    """State: the game and what was told of it, what is believed to stand, the state that it is in."""

    def __init__(self, game_fact: GameFact, pieces: Pieces) -> None:
        self.pieces = pieces
        self.known = Known()
        self.state: State = "set-up"
        self._teller = Teller(game_fact, self._say)
        self._outputs: list[Output] = []
        self._time_s = float("-inf")

    @property
    def game(self) -> Game:
        """The game as the rule book has it."""
        return self._teller.game

    @property
    def told(self) -> Sequence[Fact]:
        """The facts that stand, in the order in which they were told."""
        return self._teller.told

    @property
    def newest(self) -> frozenset[str]:
        """Ids of the last move's pieces."""
        return frozenset() if self._teller.last_move is None else ids_of(self._teller.last_move)

    @property
    def owed(self) -> tuple[str, int] | None:
        """Who has cars to place, and how many; None where nobody has."""
        ruling = self._teller.ruling
        if ruling is None or ruling.call == "fault" or not self._teller.owed:
            return None
        return ruling.player, self._teller.owed

    @property
    def builder(self) -> str | None:
        """Who built last and may still put it otherwise; None where no turn is open."""
        last = self._teller.last_move
        return last.player if last is not None and self._teller.open else None

    @property
    def turn_open(self) -> bool:
        """A move was ruled and its turn is not over: its pieces may still be put otherwise."""
        return self._teller.open

    def _say(self, output: Output) -> None:
        self._outputs.append(output)

    def _enter(self, state: State) -> None:
        if state != self.state:
            self.state = state
            self._say(Entered(state, self._time_s))
