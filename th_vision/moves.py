"""From a change on the table to what the players did: facts that the rule book can answer.

A new road says the most: it starts at a column that stood before (its base) and leads to a new column, or down to the
table. Whose it is follows from the base, from whose turn it is and from the colour of the cars on it, in that order of
trust when they disagree. Several new roads are taken apart in the order of turns. Pieces that no longer stand as they
stood are a knock by whoever's turn it is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from rules.events import (
    CarsFact,
    DiscardStickFact,
    Fact,
    FactCar,
    FactColumn,
    FactRoad,
    KnockFact,
    MoveFact,
    PassFact,
    RampFact,
    RestoredFact,
)
from rules.game import Game
from rules.layout import Car, Column, Road
from rules.pieces import Pieces
from th_vision import tolerances as tol
from th_vision.change import Change
from th_vision.support import cars_on, column_at, distance_to_road, table_limit

MISSED_COLUMN_PROBABILITY = 0.6
"""How sure the levels of a column are that only the road on it speaks for."""
PASSED_UNSEEN = 0.5
"""How sure it is that who builds though it is another's turn builds out of turn: the other may have passed."""
OUT_OF_TURN = 0.5
"""How sure it is that a road from another player's base point is that player's, out of turn, where neither a car nor a
hand says so: whose turn it is may have started from the wrong column. The next move tells (``th_vision.hindsight``)."""
UNSURE = 0.01
"""A count that is wrong less often than this says nothing about the height of the column's top."""


@dataclass(frozen=True)
class Ramp:
    """A ramp that stands, and whose it seems to be: by its sedan's colour, or not known yet (``None``)."""

    column: Column
    road: Road
    cars: tuple[Car, ...]
    player: str | None

    def fact(self, player: str, pieces: Pieces) -> RampFact:
        """The ramp as a fact, for that player."""
        return RampFact(
            player=player,
            column=fact_column(self.column, self.road, pieces),
            road=FactRoad.of(self.road),
            cars=tuple(FactCar.of(car) for car in self.cars),
        )


@dataclass(frozen=True)
class Reading:
    """What a change was read as. ``unread``: ids of new pieces that fit no move. ``out_of_turn``: players who built
    though it was another's turn."""

    facts: tuple[Fact, ...] = ()
    unread: tuple[str, ...] = ()
    out_of_turn: tuple[str, ...] = ()


def find_ramps(
    columns: Sequence[Column], roads: Sequence[Road], cars: Sequence[Car], pieces: Pieces, *, any_level: bool = False
) -> list[Ramp]:
    """Ramps among pieces: a road from the table to a column of one disc, with the cars on it.

    ``any_level``: to any column; while nothing else stands, it is a ramp that was built, or counted, wrongly.
    """
    ramps = []
    for road in roads:
        below = [column_at(road, end, columns, pieces) for end in (0, 1)]
        if (below[0] is None) == (below[1] is None):
            continue
        column = below[0] or below[1]
        if column is None or not (any_level or (column.levels == 1 and not column.junction)):
            continue
        if road.ends[0 if below[0] is None else 1][2] > table_limit(pieces):
            continue
        on_it = cars_on(road, cars, pieces)
        owner = max(on_it, key=lambda car: car.player_probability).player if on_it else None
        ramps.append(Ramp(column, _from(road, 0 if below[0] is None else 1), on_it, owner))
    return ramps


def share_ramps(ramps: Sequence[Ramp], players: Sequence[str], pieces: Pieces) -> list[RampFact]:
    """Give every ramp its player: by the sedan's colour, what is left by the order of turns."""
    owner: dict[str, Ramp] = {}
    left = []
    for ramp in ramps:
        if ramp.player in players and ramp.player is not None and ramp.player not in owner:
            owner[ramp.player] = ramp
        else:
            left.append(ramp)
    free = [player for player in players if player not in owner]
    owner.update(zip(free, left, strict=False))
    return [owner[player].fact(player, pieces) for player in players if player in owner]


def fact_column(column: Column, road: Road, pieces: Pieces) -> FactColumn:
    """The column as a fact. Where its count of discs is in doubt and the road on it speaks for another one, the height
    of its top is in doubt: by a disc, with the probability that the count is wrong."""
    tip = min(road.ends, key=lambda end: math.hypot(end[0] - column.x, end[1] - column.y))
    lifted = abs(tip[2] - pieces.stick.thickness - column.top_z)
    if lifted < tol.LIFTED_DISCS * pieces.disc.height:
        return FactColumn.of(column)
    wrong = 1 - column.levels_probability
    sigma_z = (
        float(math.hypot(column.sigma_z, math.sqrt(wrong) * pieces.disc.height)) if wrong > UNSURE else column.sigma_z
    )
    return FactColumn.of(column.model_copy(update={"sigma_z": sigma_z}))


def read_moves(
    change: Change, game: Game, pieces: Pieces, *, guess: bool = False, hand_of: str | None = None
) -> Reading:
    """The moves that a change shows, in the order in which they must have been made.

    ``hand_of``: whose hand alone was over the table, where that is known.
    ``guess``: where a road's far end hangs over nothing, take it that a column was missed, with little certainty.
    """
    if guess:
        change = _with_missed_columns(change, pieces)
    roads = list(change.new_roads)
    new_columns = {c.id: c for c in change.new_columns}
    every = {c.id: c for c in (*change.before.columns, *change.seen.columns)}
    areas = frozenset(thing.id for thing in change.seen.city)
    ahead = game.copy()
    facts: list[Fact] = []
    out_of_turn: list[str] = []
    while roads and len(facts) < 8:
        options = [o for road in roads for o in _readings(road, ahead, new_columns, every, areas, pieces)]
        if not options:
            break
        alone = hand_of if len(roads) == 1 and not facts else None
        best = max(options, key=lambda option: option.trust(ahead, change.new_cars, pieces))
        player = best.player(ahead, change.new_cars, pieces, alone)
        for passing in skipped(ahead, player):
            facts.append(passing)
            ahead.apply(passing)
        if player != ahead.whose_turn:
            out_of_turn.append(player)
        fact = MoveFact(
            turn=ahead.turn,
            player=player,
            base=best.base,
            column=None if best.column is None else fact_column(best.column, best.road, pieces),
            road=FactRoad.of(best.road),
            cars=tuple(FactCar.of(k.model_copy(update={"on": best.road.id})) for k in best.cars(change, pieces)),
            turn_probability=1.0 if player == ahead.whose_turn else PASSED_UNSEEN,
            player_probability=best.player_sure(ahead, change.new_cars, pieces, alone),
        )
        facts.append(fact)
        ahead.apply(fact)
        roads = [road for road in roads if road.id != best.road.id]
        if best.column is not None:
            new_columns.pop(best.column.id, None)
    told = {car.id for fact in facts if isinstance(fact, MoveFact) for car in fact.cars}
    cars = [car for car in change.new_cars if car.id not in told]
    unread = [road.id for road in roads] + list(new_columns)
    unknown_roads = [road for road in change.new_roads if road in roads]
    waiting = [car for car in cars if any(cars_on(road, (car,), pieces) for road in unknown_roads)]
    unread += [car.id for car in waiting]
    facts += _late_cars([car for car in cars if car not in waiting], facts, change, game, pieces)
    return Reading(tuple(facts), tuple(unread), tuple(out_of_turn))


def built_from(change: Change, game: Game, pieces: Pieces) -> frozenset[str]:
    """The columns from which new roads go that can be read as moves."""
    facts = read_moves(change, game, pieces).facts if change.new_roads else ()
    return frozenset(fact.base for fact in facts if isinstance(fact, MoveFact))


def skipped(game: Game, player: str) -> list[PassFact | DiscardStickFact]:
    """Passes nobody sees: of the players before ``player`` who have nothing to build with."""
    out: list[PassFact | DiscardStickFact] = []
    ahead = game.copy()
    while ahead.whose_turn != player and len(out) < len(ahead.players):
        waiting = ahead.whose_turn
        held = ahead.supplies[waiting]
        if held.sticks and held.gray + held.yellow and ahead.base_points(waiting):
            return []
        no_discs = held.sticks and not held.gray + held.yellow
        if no_discs and ahead.rules.word("out_of_material") == "discard_stick":
            fact: PassFact | DiscardStickFact = DiscardStickFact(turn=ahead.turn, player=waiting)
        else:
            fact = PassFact(turn=ahead.turn, player=waiting)
        ahead.apply(fact)
        out.append(fact)
    return out


def read_knock(change: Change, by: str, turn: int, ignore: frozenset[str] = frozenset()) -> list[KnockFact]:
    """Pieces that don't stand as they stood: one fact for those that fell or are gone, one for the shifted ones."""
    fell = [m.id for m in change.moved if m.fell] + [p.id for p in change.gone]
    fell += change.lowered
    fell += _came_down_with(frozenset(fell), change)
    fell = [i for i in dict.fromkeys(fell) if i not in ignore]
    shifted = [m for m in change.moved if m.id not in fell and m.id not in ignore]
    facts = []
    if fell:
        facts.append(KnockFact(turn=turn, by=by, pieces=tuple(fell)))
    if shifted:
        most = max(shifted, key=lambda m: m.shift_mm)
        facts.append(
            KnockFact(
                turn=turn,
                by=by,
                pieces=tuple(m.id for m in shifted),
                shift_mm=round(max(most.shift_mm, 0.1), 2),
                sigma_mm=round(most.sigma_mm, 3),
            )
        )
    return facts


def _came_down_with(fell: frozenset[str], change: Change) -> list[str]:
    """Columns that stand far from where they stood, and what lay on them fell: they came down with it."""
    carried = {end for road in change.before.roads if road.id in fell for end in road.rests_on}
    return [m.id for m in change.moved if m.id in carried and m.shift_mm > tol.HELD_COLUMN_MM]


def read_restored(columns: Sequence[Column], roads: Sequence[Road], turn: int) -> list[RestoredFact]:
    """Where pieces that were knocked stand now; nothing where there are none."""
    if not columns and not roads:
        return []
    return [
        RestoredFact(
            turn=turn,
            columns=tuple(FactColumn.of(column) for column in columns),
            roads=tuple(FactRoad.of(road) for road in roads),
        )
    ]


# --- one road, read one way -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Option:
    """One way to read a new road: from ``base`` to ``column`` (new), or to the table, or to an old column."""

    road: Road
    base: str
    column: Column | None
    old_end: str | None = None

    def cars(self, change: Change, pieces: Pieces) -> tuple[Car, ...]:
        return cars_on(self.road, change.new_cars, pieces)

    def player(self, game: Game, new_cars: Sequence[Car], pieces: Pieces, hand_of: str | None = None) -> str:
        """Who built it: whose base it is, unless the turn, the cars or the hand say that it was the wrong one."""
        turn = game.whose_turn
        if self.base in game.base_points(turn) or game.owners.get(self.base) == turn:
            return turn
        for car in cars_on(self.road, new_cars, pieces):
            if car.player == turn and car.player_probability > tol.OWNER_CERTAIN:
                return turn
        if hand_of == turn:
            return turn
        for player in game.players:
            if self.base in game.base_points(player):
                return player
        return turn

    def player_sure(self, game: Game, new_cars: Sequence[Car], pieces: Pieces, hand_of: str | None = None) -> float:
        """How sure it is who built it: in doubt is who builds out of turn, unless a car or the hand says who it was."""
        player = self.player(game, new_cars, pieces, hand_of)
        if player == game.whose_turn or hand_of == player:
            return 1.0
        on_it = cars_on(self.road, new_cars, pieces)
        theirs = any(car.player == player and car.player_probability > tol.OWNER_CERTAIN for car in on_it)
        return 1.0 if theirs else OUT_OF_TURN

    def trust(self, game: Game, new_cars: Sequence[Car], pieces: Pieces) -> tuple[int, int, int]:
        """Larger for readings that are more likely to come next: the right player, from a base point, to a column."""
        player = self.player(game, new_cars, pieces)
        order = list(game.players)
        turn = order.index(game.whose_turn) if game.whose_turn in order else 0
        waits = (order.index(player) - turn) % len(order)
        return -waits, int(self.base in game.base_points(player)), int(self.old_end is None)


def _readings(
    road: Road,
    game: Game,
    new: dict[str, Column],
    every: dict[str, Column],
    areas: frozenset[str],
    pieces: Pieces,
) -> list[_Option]:
    """All ways to read a road whose start stands already."""
    found = [column_at(road, end, every.values(), pieces) for end in (0, 1)]
    out = []
    for start in (0, 1):
        base, far = found[start], found[1 - start]
        if base is None or base.id not in game.columns:
            continue
        turned = _from(road, start)
        if far is None:
            if turned.ends[1][2] <= table_limit(pieces) or turned.rests_on[1] in areas:
                out.append(_Option(turned, base.id, None))
        elif far.id in new:
            out.append(_Option(turned, base.id, far))
        elif far.id != base.id:
            named = turned.model_copy(update={"rests_on": (turned.rests_on[0], far.id)})
            out.append(_Option(named, base.id, None, far.id))
    return out


def _from(road: Road, start: int) -> Road:
    """The road with its first end at ``start``."""
    if start == 0:
        return road
    update = {"ends": (road.ends[1], road.ends[0]), "rests_on": (road.rests_on[1], road.rests_on[0])}
    return road.model_copy(update=update)


def _late_cars(cars: Sequence[Car], told: Sequence[Fact], change: Change, game: Game, pieces: Pieces) -> list[CarsFact]:
    """Cars that came later than their road, each player's together: on the road that this player built last."""
    last: dict[str, int] = {}
    for fact in (*game.facts, *told):
        if isinstance(fact, MoveFact):
            last[fact.player] = fact.turn
    newest = next((f for f in reversed([*game.facts, *told]) if isinstance(f, MoveFact)), None)
    placed: dict[str, list[FactCar]] = {}
    for car in cars:
        on = car.on
        if on is None and change.seen.roads:
            nearest = min(change.seen.roads, key=lambda road: distance_to_road(car, road))
            on = nearest.id if distance_to_road(car, nearest) <= pieces.stick.width else None
        player = car.player if car.player_probability >= tol.OWNER_CERTAIN else None
        if player not in last:
            player = newest.player if newest else None
        if player is not None:
            placed.setdefault(player, []).append(FactCar.of(car.model_copy(update={"on": on})))
    return [CarsFact(turn=last[player], player=player, cars=tuple(group)) for player, group in placed.items()]


def _with_missed_columns(change: Change, pieces: Pieces) -> Change:
    """The change with a column put under every new road's end that is high and lies on nothing seen."""
    columns = [*change.before.columns, *change.seen.columns]
    number = max((int(c.id[1:]) for c in columns if c.id[1:].isdigit()), default=0)
    added: list[Column] = []
    for road in change.new_roads:
        for end in (0, 1):
            x, y, z = road.ends[end]
            if z <= table_limit(pieces) or column_at(road, end, [*columns, *added], pieces) is not None:
                continue
            number += 1
            levels = max(1, round((z - pieces.stick.thickness) / pieces.disc.height))
            added.append(
                Column(
                    id=f"c{number}",
                    x=x,
                    y=y,
                    levels=levels,
                    top_z=levels * pieces.disc.height,
                    sigma_xy=pieces.disc.radius / 2,
                    sigma_z=pieces.disc.height / 2,
                    levels_probability=MISSED_COLUMN_PROBABILITY,
                    junction_probability=MISSED_COLUMN_PROBABILITY,
                )
            )
    seen = change.seen.model_copy(update={"columns": (*change.seen.columns, *added)})
    return replace(change, seen=seen, new_columns=(*change.new_columns, *added))
