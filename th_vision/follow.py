"""Following a game: a state machine that takes readings of the table and tells the rule book what happened.

Events in, events out, time as an argument; no image and no clock. ``th_vision.follow_events`` names the states: between
events it is in a resting one, or a hand is in view, or something moves. What a reading means is ``follow_play``'s.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rules.events import AlertLine, Fact, GameFact, MoveFact, SaidFact, UndoFact
from rules.game import TURN_OVER
from rules.layout import Layout
from rules.pieces import Pieces
from th_vision import tolerances as tol
from th_vision.belief import ids_of, only, raised, recounted, taken_over
from th_vision.city import named_alike
from th_vision.follow_events import (
    Accepted,
    Checked,
    Ended,
    Event,
    Guide,
    HandSeen,
    Moving,
    Output,
    Paused,
    Recounted,
    Reminded,
    Reread,
    Said,
    Settled,
    State,
    Told,
    Waited,
    Warned,
)
from th_vision.follow_play import UNREAD_PATIENCE, Play
from th_vision.known import Known, pieces_of
from th_vision.rebuild import guide, guide_back

LONGEST_STEP_S = 5.0
"""Between two events no more time counts as quiet: a clock that was set, or a camera that froze, ends no turn."""
CHECKING = 2
"""A resumed game is held against the table in so many readings: one alone may miss a piece."""


class Follower(Play):
    """Follows one game. ``handle`` is the only way in.

    ``turn_pause_s``: when nothing stirs for so long, a turn is over; None: the next player's building ends it, or a
    word. ``game`` is to be read only.
    """

    def __init__(self, game_fact: GameFact, pieces: Pieces, *, turn_pause_s: float | None = None) -> None:
        super().__init__(game_fact, pieces)
        self._turn_pause_s = turn_pause_s
        self._quiet_s = 0.0  # how long nothing was done
        self._reading_told = False  # whether the last reading told anything
        self._paused = self._reminded = self._fresh = self._end_doubted = self._hand_since = False

    @property
    def resting(self) -> State:
        """The state between events, while no hand is in view and nothing moves."""
        if self._paused:
            return "paused"
        if self.game.finished:
            return "finished"
        if not self._set:
            return "set-up"
        if self._checking:
            return "checking"
        if self._knocked:
            return "knocked"
        if self._lost:
            return "desynchronised"
        if self._teller.open:
            return "cars due" if self.owed is not None else "provisional"
        return "waiting"

    @property
    def paused(self) -> bool:
        """Nothing is looked at."""
        return self._paused

    def still_off(self) -> tuple[tuple[str, str], ...]:
        """What doesn't stand yet as it stood before a knock or a push, by the last reading: pieces, each with a
        sentence."""
        if not self._knocked or self._last_settled is None:
            return guide_back(self._pushed, self.known.layout, self.game.owners)
        return guide(self._change(self._last_settled)[0], self._knocked, self.game.owners)

    @property
    def wants_another_look(self) -> bool:
        """The last reading told something, or left something open: a longer look may say more."""
        missed = any(readings == 1 for readings in self.known.unseen.values())
        open_yet = (
            self._unread_readings or self._checking or self._knocked or self._fresh or self._half_away or self._doubted
        )
        return self._reading_told or missed or bool(open_yet)

    def expected(self) -> Layout:
        """What the reader may begin with: all that is known to stand, without what fell and isn't put back yet: that
        is to be found anew, with all that carries it."""
        standing = {piece.id for piece in pieces_of(self.known.layout)} - self._knocked
        return only(self.known, standing).as_read(self.pieces.disc.height)

    def takes_fresh_look(self) -> bool:
        """Whether the next reading should search the whole table anew; asked once."""
        fresh, self._fresh = self._fresh or self._lost, False
        return fresh

    def resume(
        self, facts: Sequence[Fact], known: Known, *, left: frozenset[str] = frozenset(), check: bool = True
    ) -> None:
        """Take up a recorded game: its facts, and what stands by them. The next readings check the table, unless
        ``known`` was seen in the same recording and ``check`` is off. ``left``: pieces in ``known`` that are no part of
        the game, since their turn was taken back; they may stand there or not."""
        self._teller.resume(facts)
        self.known = known
        self._ignored = left
        self._checking = CHECKING if self._set and check else 0
        self.state = self.resting

    def handle(self, event: Event, time_s: float) -> list[Output]:
        """Take one event and say what follows. A time that goes backwards counts as the time before."""
        step_s = time_s - self._time_s
        self._quiet_s += min(step_s, LONGEST_STEP_S) if step_s > 0 else 0.0
        self._time_s = max(self._time_s, time_s)
        self._teller.time_s = self._time_s
        self._outputs = []
        if isinstance(event, HandSeen | Moving | Settled | Waited | Ended):
            if self.game.finished and isinstance(event, Settled):
                self._after_the_end(event)
            elif not (self._paused or self.game.finished):
                self._seen(event)
        else:
            before = self.state
            self._heard(event)
            self._quiet_s = 0.0
            busy = before in ("hand in view", "moving") and self.resting not in ("paused", "finished")
            self._enter(before if busy else self.resting)
        return self._outputs

    def _seen(self, event: HandSeen | Moving | Settled | Waited | Ended) -> None:
        if isinstance(event, HandSeen):
            self._enter("hand in view")
            self._quiet_s = 0.0
            self._hands.seen(event.from_deg)
            self._hand_since = True
        elif isinstance(event, Moving):
            self._enter("moving")
            self._quiet_s = 0.0
        elif isinstance(event, Settled):
            self._enter("settled")
            self._last_settled = replace(event, layout=named_alike(event.layout, self.game.city))
            self._settled(self._last_settled)
            self._reading_told = any(isinstance(output, Told | Guide | Checked | Warned) for output in self._outputs)
            self._hands.left()
            if any(isinstance(output, Told) for output in self._outputs):
                self._quiet_s = 0.0
                self._reminded = self._reminded and not self._moved_now()
            elif self._hand_since:  # it left without placing them
                self._remind()
            self._hand_since = False
            self._rest()
        elif isinstance(event, Waited):
            self._waited()
        elif self._unread_readings and self._last_settled is not None:
            self._moves(self._change(self._last_settled)[0], frozenset(), guess=True)
            self._rest()

    def _after_the_end(self, event: Settled) -> None:
        """Who builds on says that the game is not over: then something was seen wrongly, and the players know what."""
        change, _ = self._change(event)
        if change.new_roads and not self._end_doubted:
            self._end_doubted = True
            line = AlertLine(kind="unknown-object", pieces=tuple(r.id for r in change.new_roads), turn=self.game.turn)
            words = "By what I saw the game is over, yet somebody builds on. Say u to take the last turn back."
            self._say(Warned(line, words, self._time_s))

    def _heard(self, event: Said | Recounted | Accepted | Reread | Paused) -> None:
        if isinstance(event, Said):
            self._said(event.fact, again=event.again)
        elif isinstance(event, Recounted):
            self._recounted(event.before, event.after)
        elif isinstance(event, Accepted):
            self._accepted(event)
        elif isinstance(event, Reread):
            self.known = only(self.known, {p.id for p in pieces_of(self.known.layout)} - self._ignored)
            self._ignored, self._fresh = frozenset(), True
        else:
            self._paused = event.on
            if event.line is not None:
                self._say(Warned(event.line, event.words, self._time_s))

    # --- what players say ---

    def _said(self, fact: Fact, *, again: bool) -> None:
        if isinstance(fact, UndoFact):
            self._end_doubted = False
            gone = self._teller.undo(fact.turn)
            pieces = {id for done in gone if isinstance(done, MoveFact) for id in ids_of(done)}
            pieces |= {car.id for done in gone for car in getattr(done, "cars", ())}
            # What still stands of it is no part of the game until it is put otherwise.
            self._ignored |= pieces & {p.id for p in pieces_of(self.known.layout)} - self._game_pieces()
            self._knocked &= self._game_pieces()
            self._absent = tuple(piece for piece in self._absent if piece.id in self._game_pieces())
            return
        if isinstance(fact, SaidFact) and fact.words == TURN_OVER and self._teller.open:
            self._enter("turn over")
        self._teller.tell(fact, again=again)

    def _recounted(self, before: MoveFact, after: MoveFact) -> None:
        old, new = before.column, after.column
        if old is None or new is None or old == new:
            self._teller.retell(before, after)
            return
        higher_mm = (new.levels - old.levels) * self.pieces.disc.height
        self._teller.retell(before, after, lambda fact: raised(fact, new.id, higher_mm))
        self.known = recounted(self.known, new)

    def _game_pieces(self) -> frozenset[str]:
        return frozenset((*self.game.columns, *self.game.roads, *self.game.cars))

    def _accepted(self, event: Accepted) -> None:
        """The table stands as it stands: knocked pieces are put back no further, pieces that fit no move stay there."""
        if self._last_settled is None:
            return
        change, keep = self._change(self._last_settled)
        if self._knocked:
            self._go_on(change, keep)
        elif self._lost and event.as_moves:
            self._lost, self._unread_readings = False, UNREAD_PATIENCE - 1  # said again where they still fit none
            self._moves(change, frozenset(), guess=True)
        elif self._lost or self._unread_readings:
            self.known = taken_over(self.known, change, keep)
            self._ignored |= frozenset(p.id for p in (*change.new_columns, *change.new_roads, *change.new_cars))
            self._lost, self._unread_readings = False, 0

    # --- time ---

    def _waited(self) -> None:
        """Nothing stirs: after a while cars are called to mind, or the turn is over."""
        if self.state != self.resting or not self._teller.open:
            return
        if self._turn_pause_s is not None and self._quiet_s >= self._turn_pause_s:
            self._enter("turn over")
            self._teller.tell(SaidFact(turn=self.game.turn, words=TURN_OVER, by="pause"))
            self._rest()
        elif self._quiet_s >= tol.REMIND_S:
            self._remind()

    def _remind(self) -> None:
        """Cars are still to be placed: said once for a move."""
        if self.owed is not None and not self._reminded:
            self._reminded = True
            self._say(Reminded(*self.owed, self._time_s))

    def _rest(self) -> None:
        self._enter(self.resting)

    def _moved_now(self) -> bool:
        return any(isinstance(output, Told) and isinstance(output.fact, MoveFact) for output in self._outputs)
