"""Following a game: a state machine that takes readings of the table and tells the rule book what happened.

Events in, events out, time as an argument; no image and no clock. Between events it is in one of the resting states
``set-up``, ``waiting``, ``knocked``, ``desynchronised`` or ``finished``, or a hand is in view; ``settled``,
``move seen``, ``ruling`` and ``rebuilt`` are passed through while an event is handled.

State: the game (``rules.game.Game``), what is believed to stand on the table, and after a knock what stood before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from rules.errors import RulesError
from rules.events import AlertLine, Answer, CarsFact, CarsLine, Fact, FactRoad, GameFact, MoveFact, RulingLine, UndoFact
from rules.game import Game
from rules.layout import Road
from rules.pieces import Pieces
from th_vision.change import Change, compare
from th_vision.credible import Credible, credible
from th_vision.follow_events import (
    Ended,
    Entered,
    Event,
    Guide,
    HandSeen,
    Output,
    Reconsidered,
    Said,
    Settled,
    State,
    Told,
    Warned,
)
from th_vision.hindsight import reconsider
from th_vision.known import Known, pieces_of, refine
from th_vision.moves import Reading, find_ramps, read_knock, read_moves, read_restored, share_ramps
from th_vision.rebuild import guide
from th_vision.tidy import tidy, without_cars_on_one_ray

UNREAD_PATIENCE = 2
"""So many readings may show pieces that fit no move before the follower says that it lost the thread."""


class Follower:
    """Follows one game. ``handle`` is the only way in."""

    def __init__(self, game_fact: GameFact, pieces: Pieces) -> None:
        self.pieces = pieces
        self.game = Game(game_fact)
        self.known = Known()
        self.state: State = "set-up"
        self._resting: State = "set-up"
        self._outputs: list[Output] = []
        self._time_s = float("-inf")
        self._last_move: MoveFact | None = None
        self._cars_owed = False
        self._knocked: frozenset[str] = frozenset()
        self._unread_readings = 0
        self._last_settled: Settled | None = None
        self._told: list[Fact] = []
        self._stick_said = False

    def handle(self, event: Event, time_s: float) -> list[Output]:
        """Take one event and say what follows. A time that goes backwards counts as the time before."""
        self._time_s = max(self._time_s, time_s)
        self._outputs = []
        if self._resting == "finished" and not isinstance(event, Said):
            return []
        if isinstance(event, HandSeen):
            self._enter("hand in view")
        elif isinstance(event, Settled):
            self._enter("settled")
            self._last_settled = event
            self._settled(event)
            self._rest()
        elif isinstance(event, Said):
            self._tell(event.fact)
            if isinstance(event.fact, UndoFact):
                self._last_move = None
            self._rest()
        elif isinstance(event, Ended) and self._unread_readings and self._last_settled is not None:
            self._moves(self._change(self._last_settled)[0], frozenset(), guess=True)
            self._rest()
        return self._outputs

    @property
    def newest(self) -> frozenset[str]:
        """Ids of the last move's pieces."""
        return frozenset() if self._last_move is None else _ids(self._last_move)

    # --- set-up ---

    def _settled(self, event: Settled) -> None:
        if self._resting == "set-up":
            self._set_up(event)
            return
        change, keep = self._change(event)
        if self._resting == "knocked":
            going_on = self._rebuilding(change)
            if going_on is None:
                return
            change = going_on
        if not self._taken_back(change, keep):
            self._moves(change, keep)
        if not any(isinstance(output, Told) for output in self._outputs):
            self._unexplained(event)

    def _unexplained(self, event: Settled) -> None:
        """Nothing was told: is there a stick on the table that the reading doesn't have? Then say so, once."""
        sticks = event.fallen(event.layout) if event.fallen is not None else []
        if sticks and not self._stick_said:
            line = AlertLine(kind="unknown-object", turn=self.game.turn)
            words = "There is a stick on the table that I can't read; please check what was built last."
            self._outputs.append(Warned(line, words, self._time_s))
        self._stick_said = bool(sticks)

    def _set_up(self, event: Settled) -> None:
        """Wait for a ramp of each player; then tell them all, in the order of turns."""
        seen = tidy(event.layout, self.known.layout, self.pieces)
        change = compare(self.known, seen, self.pieces)
        known = refine(self.known, change)
        layout = known.layout
        alone = len(layout.roads) <= len(self.game.players)
        ramps = find_ramps(layout.columns, layout.roads, layout.cars, self.pieces, any_level=alone)
        self.known = known
        if len(ramps) < len(self.game.players):
            return
        facts = share_ramps(ramps, self.game.players, self.pieces)
        if any(not fact.cars for fact in facts) and len(layout.roads) == len(facts):
            return  # their sedans are still to come
        self._enter("move seen")
        self._enter("ruling")
        for fact in facts:
            self._tell(fact)
        self._resting = "waiting"
        ramp_ids = {fact.column.id for fact in facts} | {fact.road.id for fact in facts}
        ramp_ids |= {car.id for fact in facts for car in fact.cars}
        rest = _only(self.known, ramp_ids)
        if len(pieces_of(self.known.layout)) > len(ramp_ids):
            self.known = rest
            self._moves(compare(rest, seen, self.pieces), frozenset())

    # --- play ---

    def _change(self, event: Settled) -> tuple[Change, frozenset[str]]:
        """What is different since the table last stood still, noise taken out; and the missed pieces to believe in."""
        seen = tidy(event.layout, self.known.layout, self.pieces)
        if event.eye is not None and event.stands is not None:
            seen = without_cars_on_one_ray(seen, self.known.layout, event.eye, event.stands, self.pieces)
        read = compare(self.known, seen, self.pieces)
        believed = self._believed(read, event)
        # A stick on the table speaks for a fall even of a road that is otherwise believed to be hidden only.
        lost = [piece for piece in read.gone if isinstance(piece, Road)]
        if lost and event.fallen is not None and not believed.change.loose:
            fallen = event.fallen(seen)
            if fallen:
                seen = seen.model_copy(update={"roads": (*seen.roads, *fallen)})
                believed = self._believed(compare(self.known, seen, self.pieces), event)
        return believed.change, believed.keep

    def _believed(self, change: Change, event: Settled) -> Credible:
        return credible(change, self.known, event.stands, fallen_before=self._knocked)

    def _moves(self, change: Change, keep: frozenset[str], *, guess: bool = False) -> None:
        """Tell the moves, cars and knocks that a change shows, and take the new reading as known."""
        reading = read_moves(change, self.game, self.pieces, guess=guess)
        knocker = self._knocker(reading)
        turn = self.game.turn
        if reading.facts or change.disturbed:
            self._enter("move seen")
            self._enter("ruling")
        for fact in reading.facts:
            self._tell(fact)
        knocks = read_knock(change, knocker, turn, ignore=frozenset(reading.unread))
        for knock in knocks:
            self._tell(knock)
            if knock.shift_mm:
                self._tell_where(change, knock.pieces)
        fell = frozenset(i for knock in knocks if not knock.shift_mm for i in knock.pieces)
        self.known = _adopt(self.known, change, keep, reading, fell)
        self._mend(change)
        if fell:
            self._knocked = fell
            self._resting = "knocked"
        self._unread(reading)

    def _mend(self, change: Change) -> None:
        """Tell anew, from the first move on that later readings show to have been read wrongly."""
        mended = reconsider(self._told, self.known.layout, change, self.pieces)
        if mended is None:
            return
        before, after = mended
        self._outputs.append(Reconsidered(before, after, self._time_s))
        for fact in self._undo(before.turn, again=True):
            self._tell(after if fact is before else fact, again=True)
        if after.column is not None and before.column is None:
            column = next(c for c in change.new_columns if c.id == after.column.id)
            road = after.road
            layout = self.known.layout
            roads = tuple(r if r.id != road.id else r.model_copy(update=_lying(road)) for r in layout.roads)
            layout = layout.model_copy(update={"columns": (*layout.columns, column), "roads": roads})
            self.known = replace(self.known, layout=layout)

    def _tell_where(self, change: Change, ids: Iterable[str]) -> None:
        """Tell the rule book where pieces of the network stand now that were pushed, or put back."""
        wanted = set(ids)
        columns = [c for c in change.seen.columns if c.id in wanted and c.id in self.game.columns]
        roads = [r for r in change.seen.roads if r.id in wanted and r.id in self.game.roads]
        for fact in read_restored(columns, roads, self.game.turn):
            self._tell(fact)

    def _unread(self, reading: Reading) -> None:
        """Count readings with pieces that fit no move; say so when there are too many."""
        roads = [i for i in reading.unread if i.startswith("r")]
        if not roads:
            self._unread_readings = 0
            if self._resting == "desynchronised":
                self._resting = "waiting"
            return
        self._unread_readings += 1
        if self._unread_readings < UNREAD_PATIENCE or self._resting == "desynchronised":
            return
        self._resting = "desynchronised"
        line = AlertLine(kind="unknown-object", pieces=tuple(reading.unread), turn=self.game.turn)
        words = "I lost the thread: these pieces fit no move. I read the whole table again; please check them."
        self._outputs.append(Warned(line, words, self._time_s))

    def _knocker(self, reading: Reading) -> str:
        """By whom a knock is: who just built, or whose turn it is; a turn lasts until the cars due are placed."""
        built = [fact.player for fact in reading.facts if isinstance(fact, MoveFact)]
        if built:
            return built[-1]
        if self._cars_owed and self._last_move is not None:
            return self._last_move.player
        return self.game.whose_turn

    def _taken_back(self, change: Change, keep: frozenset[str]) -> bool:
        """The last move taken back, or its column and road put otherwise, before anyone built on."""
        last = self._last_move
        if last is None or not change.disturbed or change.new_roads or change.new_columns or change.loose:
            return False
        gone = {p.id for p in change.gone}
        stirred = gone | {m.id for m in change.moved} | {after.id for _, after in change.recounted}
        own = _ids(last)
        if not stirred <= own or any(m.fell for m in change.moved):
            return False
        main = {last.road.id} | ({last.column.id} if last.column else set())
        if gone and not main <= gone and not gone <= {car.id for car in last.cars}:
            return True  # half taken away: wait for what comes
        self._enter("move seen")
        self._enter("ruling")
        for fact in self._undo(last.turn):
            if fact is not last and not isinstance(fact, CarsFact):  # a knock before it stays
                self._tell(fact, again=True)
        self._last_move = None
        known = refine(self.known, change, keep)
        if main <= gone:
            self.known = known
            return True
        self.known = _only(known, {p.id for p in pieces_of(known.layout)} - own)
        again = compare(self.known, known.layout, self.pieces)
        self._moves(again, frozenset())
        return True

    def _rebuilding(self, change: Change) -> Change | None:
        """After a knock: None while pieces are still to be put back, else the change to go on with."""
        off = guide(change, self._knocked)
        if off and not change.new_roads:
            self._outputs.append(Guide(off, self._time_s))
            return None
        missing = {piece for piece, _ in off}
        self._enter("rebuilt")
        self._tell_where(change, [piece for piece in sorted(self._knocked) if piece not in missing])
        self._knocked = frozenset()
        self._resting = "waiting"
        if off:  # the players go on with the table as it is
            return replace(change, gone=(), moved=(), recounted=(), loose=())
        return change

    # --- saying ---

    def _tell(self, fact: Fact, *, again: bool = False) -> None:
        """Apply a fact to the game and put it out with its answers."""
        try:
            answers: list[Answer] = self.game.apply(fact)
        except RulesError as error:
            line = AlertLine(kind="unknown-object", turn=self.game.turn)
            self._outputs.append(Warned(line, f"The rule book can't take this: {error}", self._time_s))
            return
        self._outputs.append(Told(fact, tuple(answers), self._time_s, again))
        if isinstance(fact, UndoFact):
            del self._told[_first_of(self._told, fact.turn) :]
        else:
            self._told.append(fact)
        if isinstance(fact, MoveFact):
            self._last_move = fact
            due = max((a.cars_due for a in answers if isinstance(a, RulingLine)), default=0)
            self._cars_owed = len(fact.cars) < due
        for answer in answers:
            if isinstance(answer, CarsLine):
                self._cars_owed = answer.placed < answer.due
        if self.game.finished:
            self._resting = "finished"

    def _undo(self, turn: int, *, again: bool = False) -> list[Fact]:
        """Take back a turn and all after it, as ``rules.game.Game`` does; the facts that are gone with it."""
        gone = self._told[_first_of(self._told, turn) :]
        self._tell(UndoFact(turn=turn), again=again)
        return gone

    def _enter(self, state: State) -> None:
        if state != self.state:
            self.state = state
            self._outputs.append(Entered(state, self._time_s))

    def _rest(self) -> None:
        self._enter(self._resting)


def _first_of(facts: Sequence[Fact], turn: int) -> int:
    """Index of the first fact of a turn, or of a later one."""
    numbers = [int(getattr(fact, "turn", 0)) for fact in facts]
    exactly = [i for i, number in enumerate(numbers) if number == turn]
    later = [i for i, number in enumerate(numbers) if number > turn]
    return (exactly or later or [len(facts)])[0]


def _lying(road: FactRoad) -> dict[str, object]:
    return {"ends": road.ends, "rests_on": road.rests_on}


def _ids(move: MoveFact) -> frozenset[str]:
    column = (move.column.id,) if move.column else ()
    return frozenset((*column, move.road.id, *(car.id for car in move.cars)))


def _only(known: Known, ids: set[str]) -> Known:
    """The belief with only these pieces in it."""
    layout = known.layout
    kept = layout.model_copy(
        update={
            "columns": tuple(c for c in layout.columns if c.id in ids),
            "roads": tuple(r for r in layout.roads if r.id in ids),
            "cars": tuple(k for k in layout.cars if k.id in ids),
        }
    )
    return replace(known, layout=kept)


def _adopt(known: Known, change: Change, keep: frozenset[str], reading: Reading, fell: frozenset[str]) -> Known:
    """The belief after a change: pieces that fit no move are left out, fallen ones are remembered where they stood."""
    aside = set(reading.unread) | {p.id for p in change.loose}
    old = {p.id: p for p in pieces_of(change.before)}
    seen = change.seen
    seen = seen.model_copy(
        update={
            "columns": tuple(old.get(c.id, c) if c.id in fell else c for c in seen.columns if c.id not in aside),
            "roads": tuple(old.get(r.id, r) if r.id in fell else r for r in seen.roads if r.id not in aside),
            "cars": tuple(old.get(k.id, k) if k.id in fell else k for k in seen.cars if k.id not in aside),
        }
    )
    moved = tuple(m for m in change.moved if m.id not in fell)
    gone = tuple(p for p in change.before.columns + change.before.roads + change.before.cars if p.id in keep | fell)
    left = {p.id for p in pieces_of(seen)}
    return refine(
        known,
        replace(change, seen=seen, moved=moved, gone=tuple(p for p in gone if p.id not in left)),
        keep | fell,
    )
