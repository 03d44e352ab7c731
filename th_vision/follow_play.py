"""What a reading of the table means: moves, cars, knocks, moves taken back, pieces put back, told to the rule book.

Layouts in, facts and answers out; no image, no clock, no hand: those are ``th_vision.follow``'s.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from rules.events import AlertLine, CityFact, FactObject, GameFact, MoveFact
from rules.layout import Road
from rules.pieces import Pieces
from th_vision import tolerances as tol
from th_vision.belief import (
    adopt,
    along,
    back_again,
    built_on,
    ids_of,
    lies_about,
    lying,
    moved_anew,
    only,
    strangers,
    taken_over,
)
from th_vision.change import Change, compare
from th_vision.city import CityWatch, moved_objects, new_objects, placer
from th_vision.credible import Credible, Place, credible
from th_vision.follow_events import (
    BackAgain,
    Checked,
    Guide,
    Reconsidered,
    Settled,
    TakenAsIs,
    Told,
    Warned,
)
from th_vision.follow_kept import Kept
from th_vision.hindsight import reconsider, who_built
from th_vision.known import Piece, pieces_of, refine
from th_vision.moves import Reading, built_from, find_ramps, read_knock, read_moves, read_restored, share_ramps
from th_vision.put_right import put_right, stood_before
from th_vision.rebuild import guide
from th_vision.rim import Field, at_the_rim, discs_lie_about, near_the_edge
from th_vision.seats import Hands
from th_vision.shifted import moved_together
from th_vision.tidy import tidy, with_cars_in_sight, without_cars_on_one_ray

UNREAD_PATIENCE = 2
"""So many readings may show pieces that fit no move before it is said that the thread is lost."""


class Play(Kept):
    """What a reading of the table means for the game: the part of a ``Follower`` that knows no hand and no pause.

    State, besides the game: what was knocked or pushed, and what is no part of the game.
    """

    def __init__(self, game_fact: GameFact, pieces: Pieces) -> None:
        super().__init__(game_fact, pieces)
        self._knocked: frozenset[str] = frozenset()
        self._ignored: frozenset[str] = frozenset()  # stand there, and are no part of the game
        self._absent: tuple[Piece, ...] = ()  # the game has them, and the players go on without
        self._unread_readings = 0
        self._lost = self._stick_said = self._half_away = False
        self._checking = 0
        self._hands = Hands(len(game_fact.players))
        self._city_watch = CityWatch()
        self._last_settled: Settled | None = None
        self._edge_said: frozenset[str] = frozenset()
        self._pushed: dict[str, Piece] = {}  # as they stood, until the game goes on
        self._doubted_before: Mapping[str, Place] = {}
        self._doubted: Mapping[str, Place] = {}

    @property
    def _field(self) -> Field | None:
        return self._last_settled.field if self._last_settled is not None else None

    # --- set-up ---

    @property
    def _set(self) -> bool:
        return sum(fact.type == "ramp" for fact in self._teller.told) >= len(self.game.players)

    def _settled(self, event: Settled) -> None:
        self._doubted_before, self._doubted = self._doubted, {}
        self._city(event)
        if not self._set:
            self._set_up(event)
            return
        self._half_away = False
        change, keep = self._change(event)
        together = moved_together(change)
        if together is not None:
            change, keep = self._table_moved(change, keep, together)
        change, keep = self._put_right(change, keep)
        if self._checking and self._checked(change):
            return
        if self._knocked:
            off = guide(change, self._knocked, self.game.owners)
            if off and not change.new_roads:
                self._say(Guide(off, self._time_s))
                return
            self._go_on(change, keep)
        elif not self._taken_back(change, keep):
            self._moves(change, keep)
        if not any(isinstance(output, Told) for output in self._outputs):
            self._unexplained(event)

    def _unexplained(self, event: Settled) -> None:
        """Nothing was told: is there a stick on the table that the reading doesn't have? Then say so, once."""
        sticks = event.fallen(event.layout) if event.fallen is not None else []
        if sticks and not self._stick_said:
            line = AlertLine(kind="unknown-object", turn=self.game.turn)
            words = "There is a stick on the table that I can't read; please check what was built last."
            self._say(Warned(line, words, self._time_s))
        self._stick_said = bool(sticks)

    def _city(self, event: Settled) -> None:
        """City objects are placed before the first move: told as they come, told again where they are put otherwise.
        Later they are to stay where they are."""
        told = [fact for fact in self._teller.told if isinstance(fact, CityFact)]
        if any(isinstance(fact, MoveFact) for fact in self._teller.told):
            for line, words in self._city_watch.look(event.layout.city, self.game.city, self.game.turn):
                self._say(Warned(line, words, self._time_s))
            return
        self._city_watch.saw(event.layout.city)
        for thing in moved_objects(event.layout.city, self.game.city):
            before = next(fact for fact in told if fact.object.id == thing.id)
            self._teller.retell_set_up(before, before.model_copy(update={"object": FactObject.of(thing)}))
        for number, thing in enumerate(new_objects(event.layout.city, self.game.city), len(told)):
            player = placer(self.game.players, number)
            self._teller.tell(CityFact(player=player, object=FactObject.of(thing)))

    def _set_up(self, event: Settled) -> None:
        """Wait for a ramp of each player; then tell them all, in the order of turns."""
        seen = tidy(event.layout, self.known.layout, self.pieces)
        change = compare(self.known, seen, self.pieces)
        known = refine(self.known, change)
        layout = known.layout
        self._hands.placed([road.id for road in change.new_roads])
        alone = len(layout.roads) <= len(self.game.players)
        ramps = find_ramps(layout.columns, layout.roads, layout.cars, self.pieces, any_level=alone)
        self.known = known
        if len(ramps) < len(self.game.players):
            return
        facts = share_ramps(ramps, self.game.players, self.pieces)
        if any(not fact.cars for fact in facts) and len(layout.roads) == len(facts):
            return  # their sedans are still to come
        self._hands.learn_ramps(facts)
        self._enter("move seen")
        self._enter("ruling")
        for fact in facts:
            if fact.road.id not in self.game.roads:  # another ramp may have been taken back alone
                self._teller.tell(fact)
        ramp_ids = {fact.column.id for fact in facts} | {fact.road.id for fact in facts}
        ramp_ids |= {car.id for fact in facts for car in fact.cars}
        rest = only(self.known, ramp_ids)
        if len(pieces_of(self.known.layout)) > len(ramp_ids):
            self.known = rest
            self._moves(compare(rest, seen, self.pieces), frozenset())

    def _checked(self, change: Change) -> bool:
        """A resumed game: say what differs from its record, and have it put right. True where something does."""
        every = frozenset(p.id for p in pieces_of(change.before))
        off = guide(change, every, self.game.owners)
        self._checking = 0 if off else self._checking - 1
        if off or not self._checking:
            self._say(Checked(off, self._time_s, len(every) - len(change.gone)))
        self._knocked |= {piece for piece, _ in off}
        return bool(off)

    def _table_moved(self, change: Change, keep: frozenset[str], by_mm: float) -> tuple[Change, frozenset[str]]:
        """All stands elsewhere by one shift: told as that, and no knock; what is new besides is left to go on with."""
        words = f"Everything stands {by_mm:.0f} mm elsewhere: the table or the camera was moved; I go on from there."
        line = AlertLine(kind="camera-moved", value=by_mm, turn=self.game.turn)
        self._say(Warned(line, words, self._time_s))
        self._tell_where(change, [piece.id for piece in pieces_of(change.before)])
        return self._go_on_from(moved_anew(change), keep)

    def _put_right(self, change: Change, keep: frozenset[str]) -> tuple[Change, frozenset[str]]:
        """Pieces that were pushed are back where they stood: no other knock, and no move put otherwise."""
        back = put_right(change, self._pushed)
        if not back:
            return change, keep
        self._pushed = {name: piece for name, piece in self._pushed.items() if name not in back}
        self._say(BackAgain(tuple(sorted(back)), 0, self._time_s))
        self._enter("rebuilt")
        self._tell_where(change, sorted(back))
        return self._go_on_from(change, keep)

    def _go_on_from(
        self, change: Change, keep: frozenset[str], *, without: frozenset[str] = frozenset()
    ) -> tuple[Change, frozenset[str]]:
        """Known pieces stand where they are seen now, but for those ``without`` which the game goes on; what is new
        besides is left to go on with."""
        known = taken_over(self.known, change, keep)
        self.known = only(known, {piece.id for piece in pieces_of(change.before)} - without)
        return compare(self.known, known.layout, self.pieces), frozenset()

    # --- play ---

    def _change(self, event: Settled) -> tuple[Change, frozenset[str]]:
        """What is different since the table last stood still, noise taken out; and the missed pieces to believe in."""
        seen = tidy(event.layout, self.known.layout, self.pieces)
        if event.eye is not None:
            seen = with_cars_in_sight(seen, self.known.layout, event.eye, self.pieces)
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
        return self._without_ignored(believed, event)

    def _believed(self, change: Change, event: Settled) -> Credible:
        found = credible(
            change, self.known, event.stands, event.stirred,
            fallen_before=self._knocked, doubted_before=self._doubted_before,
        )  # fmt: skip
        self._doubted = found.doubted
        return found

    def _without_ignored(self, believed: Credible, event: Settled) -> tuple[Change, frozenset[str]]:
        """Pieces that are no part of the game may go; put otherwise, they are new."""
        change = believed.change
        otherwise = self._ignored & {m.id for m in change.moved}
        if otherwise:
            self._ignored -= otherwise
            self.known = only(self.known, {p.id for p in pieces_of(self.known.layout)} - otherwise)
            return self._change(event)
        if built_on(change, self._ignored, self.pieces):
            self.known = only(self.known, {p.id for p in pieces_of(self.known.layout)} - self._ignored)
            self._ignored = frozenset()
            return self._change(event)
        back = back_again(change, self._absent)
        if back:
            self._absent = tuple(piece for piece in self._absent if piece not in back)
            self.known = along(self.known, back)
            self._say(BackAgain(tuple(piece.id for piece in back), len(self._absent), self._time_s))
            self._enter("rebuilt")
            change, keep = self._change(event)
            self._tell_where(change, [piece.id for piece in back])
            return change, keep
        gone = self._ignored & {p.id for p in change.gone}
        self._ignored -= gone
        if gone or self._ignored:
            still = tuple(pair for pair in change.recounted if pair[0].id not in self._ignored)
            left = tuple(p for p in change.gone if p.id not in gone)
            change = replace(change, gone=left, recounted=still)
        return change, believed.keep

    def _moves(self, change: Change, keep: frozenset[str], *, guess: bool = False) -> None:
        """Tell the moves, cars and knocks that a change shows, and take the new reading as known."""
        reading = read_moves(change, self.game, self.pieces, guess=guess, hand_of=self._hands.whose())
        self._hands.learn(reading.facts, self.game)
        knocker = self._knocker(reading)
        turn = self.game.turn
        if any(isinstance(fact, MoveFact) for fact in reading.facts) and self._teller.open:
            self._enter("turn over")
        if reading.facts or change.disturbed:
            self._enter("move seen")
            self._enter("ruling")
        for fact in reading.facts:
            self._teller.tell(fact)
            self._pushed = {} if isinstance(fact, MoveFact) else self._pushed
        knocks = read_knock(change, knocker, turn, ignore=frozenset(reading.unread) | strangers(change, self.game))
        for knock in knocks:
            self._teller.tell(knock)
            if knock.shift_mm:
                self._tell_where(change, knock.pieces)
                self._pushed = {**stood_before(change, frozenset(knock.pieces)), **self._pushed}
        fell = frozenset(i for knock in knocks if not knock.shift_mm for i in knock.pieces)
        self.known = adopt(self.known, change, keep, reading, fell)
        self._mend(change)
        self._knocked = fell or self._knocked
        self._warn_of_the_edge(reading)
        self._unread(reading, change)

    def _mend(self, change: Change) -> None:
        """Tell anew, from the first move on that later readings show to have been read wrongly."""
        built = who_built(self.game, self._teller.told)
        if built:
            self._say(Reconsidered(*built[0], self._time_s))
            self._teller.retell(*built[0], lambda fact: next((new for old, new in built if old is fact), fact))
        mended = reconsider(self._teller.told, self.known.layout, change, self.pieces)
        if mended is None:
            return
        before, after = mended
        self._say(Reconsidered(before, after, self._time_s))
        self._teller.retell(before, after)
        if after.column is not None and before.column is None:
            column = next(c for c in change.new_columns if c.id == after.column.id)
            road = after.road
            layout = self.known.layout
            roads = tuple(r if r.id != road.id else r.model_copy(update=lying(road)) for r in layout.roads)
            layout = layout.model_copy(update={"columns": (*layout.columns, column), "roads": roads})
            self.known = replace(self.known, layout=layout)

    def _tell_where(self, change: Change, ids: Iterable[str]) -> None:
        """Tell the rule book where pieces of the network stand now that were pushed, or put back."""
        wanted = set(ids)
        columns = [c for c in change.seen.columns if c.id in wanted and c.id in self.game.columns]
        roads = [r for r in change.seen.roads if r.id in wanted and r.id in self.game.roads]
        for fact in read_restored(columns, roads, self.game.turn):
            self._teller.tell(fact)

    def _warn_of_the_edge(self, reading: Reading) -> None:
        """A new column at the edge of what is seen: say so before the next one stands outside."""
        field = self._field
        for fact in reading.facts:
            if not isinstance(fact, MoveFact) or fact.column is None or field is None:
                continue
            if (
                near_the_edge(fact.column.x, fact.column.y, field, self.pieces.disc.diameter)
                and fact.column.id not in self._edge_said
            ):
                self._edge_said |= {fact.column.id}
                line = AlertLine(kind="field-edge", pieces=(fact.column.id,), turn=fact.turn)
                words = f"Column {fact.column.id} stands at the edge of what I see; further out I see nothing."
                self._say(Warned(line, words, self._time_s))

    def _unread(self, reading: Reading, change: Change) -> None:
        """Count readings with pieces that fit no move; say so when there are too many. Supplies at the rim are none."""
        rim = at_the_rim(change.seen, self._field)
        roads = [i for i in reading.unread if i.startswith("r") and i not in rim]
        if not roads:
            self._unread_readings, self._lost = 0, False
            return
        self._unread_readings += 1
        if self._unread_readings < UNREAD_PATIENCE or self._lost:
            return
        self._lost = True
        line = AlertLine(kind="unknown-object", pieces=tuple(reading.unread), turn=self.game.turn)
        words = "I lost the thread: these pieces fit no move. I read the whole table again; please check them."
        self._say(Warned(line, words, self._time_s))

    def _knocker(self, reading: Reading) -> str:
        """By whom a knock is: who just built, whose hand was seen, or whose turn it is; a turn lasts until the cars due
        are placed."""
        built = [fact.player for fact in reading.facts if isinstance(fact, MoveFact)]
        if built:
            return built[-1]
        seen = self._hands.whose()
        if seen is not None:
            return seen
        last = self._teller.last_move
        if self._teller.owed and last is not None and not self._hands.not_of(last.player):
            return last.player
        return self.game.whose_turn

    def _taken_back(self, change: Change, keep: frozenset[str]) -> bool:
        """The last move taken back, or its column and road put otherwise, before anyone built on."""
        last = self._teller.last_move
        if last is None or not change.disturbed or change.loose:
            return False
        gone = {p.id for p in change.gone}
        built = built_from(change, self.game, self.pieces)
        stirred = gone | {m.id for m in change.moved} | {after.id for _, after in change.recounted}
        own = ids_of(last)
        main = {last.road.id} | ({last.column.id} if last.column else set())
        others = stirred - own
        if built and not (main <= gone and last.base in built):
            return False
        if main <= gone and others <= gone and len(others) <= tol.MISSED_BESIDE:
            keep |= others  # missed by chance: the next reading tells
        elif others:
            return False
        if any(m.fell for m in change.moved):
            return False
        # Another's hand knocks over what it leaves lying about; what it takes from the table is taken back.
        if (not gone or discs_lie_about(change, self._field)) and self._hands.not_of(last.player):
            return False
        if gone and not main <= gone and not gone <= {car.id for car in last.cars}:
            self._half_away = True
            return True  # half taken away: wait for what comes
        self._enter("move seen")
        self._enter("ruling")
        for fact in self._teller.undo(last.turn):
            about_it = fact is last or fact.type == "place_cars" or getattr(fact, "ruling", None) in own
            if not about_it:  # a knock before it stays
                self._teller.tell(fact, again=True)
        self._teller.last_move = None
        known = taken_over(self.known, change, keep - own if main <= gone else keep)
        before = {p.id for p in pieces_of(change.before)}
        self.known = only(known, before - own)
        if main <= gone and not built:
            return True
        again = compare(self.known, known.layout, self.pieces)
        self._moves(again, frozenset())
        return True

    def _go_on(self, change: Change, keep: frozenset[str]) -> None:
        """After a knock: what was knocked is put back, or the players go on with the table as it is."""
        off = guide(change, self._knocked, self.game.owners)
        given_up = lies_about(change, {piece for piece, _ in off})
        if off:
            self._say(TakenAsIs(off, self._time_s))
        self._enter("rebuilt")
        self._tell_where(change, sorted(self._knocked - given_up))
        self._knocked = frozenset()
        self._absent += tuple(piece for piece in pieces_of(change.before) if piece.id in given_up)
        if off:
            change, keep = self._go_on_from(change, keep, without=given_up)
        if not self._taken_back(change, keep):
            self._moves(change, keep)
