"""Taking over a change into what is believed to stand: which pieces stay, which are put aside."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

import numpy as np

from rules.events import Fact, FactColumn, FactRoad, MoveFact
from rules.game import Game
from rules.layout import Car, Column, Road
from rules.pieces import Pieces
from th_vision import tolerances as tol
from th_vision.change import Change, Moved
from th_vision.known import Known, Piece, pieces_of, refine
from th_vision.moves import Reading
from th_vision.support import column_at


def lying(road: FactRoad) -> dict[str, object]:
    """Where a road lies, as changes to another one."""
    return {"ends": road.ends, "rests_on": road.rests_on}


def ids_of(move: MoveFact) -> frozenset[str]:
    """Ids of all pieces of a move."""
    column = (move.column.id,) if move.column else ()
    return frozenset((*column, move.road.id, *(car.id for car in move.cars)))


def only(known: Known, ids: AbstractSet[str]) -> Known:
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


def along(known: Known, pieces: Sequence[Piece]) -> Known:
    """The belief with these pieces in it, too."""
    layout = known.layout
    columns = (*layout.columns, *(p for p in pieces if isinstance(p, Column)))
    roads = (*layout.roads, *(p for p in pieces if isinstance(p, Road)))
    cars = (*layout.cars, *(p for p in pieces if isinstance(p, Car)))
    return replace(known, layout=layout.model_copy(update={"columns": columns, "roads": roads, "cars": cars}))


def lies_about(change: Change, ids: AbstractSet[str]) -> frozenset[str]:
    """Of these pieces those that are missing, or lie about and are no part of the network: sticks and cars on the
    table, columns that lost discs or stand far off. The others stand, be it a little elsewhere."""
    fallen = {m.id for m in change.moved if _on_the_table(m.after) or m.shift_mm > tol.HELD_COLUMN_MM}
    return frozenset(ids & ({piece.id for piece in change.gone} | fallen | {*change.lowered}))


def _on_the_table(piece: Piece) -> bool:
    if isinstance(piece, Road):
        return piece.rests_on == ("table", "table")
    return isinstance(piece, Car) and piece.on is None


def back_again(change: Change, absent: Sequence[Piece]) -> tuple[Piece, ...]:
    """Of pieces that were given up for missing, those that something new stands in the place of: they are back."""
    new: list[Piece] = [*change.new_columns, *change.new_roads, *change.new_cars]
    return tuple(piece for piece in absent if any(_in_its_place(piece, other) for other in new))


def _in_its_place(piece: Piece, other: Piece) -> bool:
    if isinstance(piece, Road) and isinstance(other, Road):
        ends, others = np.asarray(piece.ends), np.asarray(other.ends)
        off = min(float(np.linalg.norm(ends - way, axis=1).max()) for way in (others, others[::-1]))
        return off <= tol.SAME_ROAD_MM
    if isinstance(piece, Road) or isinstance(other, Road):
        return False
    near = float(np.hypot(piece.x - other.x, piece.y - other.y))
    if isinstance(piece, Column) and isinstance(other, Column):
        return near <= tol.RESTS_XY_MM and piece.levels == other.levels
    if isinstance(piece, Car) and isinstance(other, Car):
        return near <= tol.SAME_ROAD_MM and piece.player == other.player
    return False


def taken_over(known: Known, change: Change, keep: AbstractSet[str]) -> Known:
    """The belief after a change all of which is taken as it is read; missed pieces in ``keep`` are believed on."""
    missed = tuple(p for p in pieces_of(change.before) if p.id in keep)
    there = {p.id for p in pieces_of(change.seen)}
    return refine(known, replace(change, gone=tuple(p for p in missed if p.id not in there)), frozenset(keep))


def adopt(known: Known, change: Change, keep: frozenset[str], reading: Reading, fell: frozenset[str]) -> Known:
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


def recounted(known: Known, told: FactColumn) -> Known:
    """The belief where the players said what a column's discs are: no later reading outvotes them."""
    votes = {("levels", told.levels): (tol.PLAYERS_SURE, tol.PLAYERS_SURE)}
    votes["junction", int(told.junction)] = (tol.PLAYERS_SURE, tol.PLAYERS_SURE)
    update = {
        "levels": told.levels,
        "junction": told.junction,
        "levels_probability": 1.0,
        "junction_probability": 1.0,
    }
    columns = tuple(c if c.id != told.id else c.model_copy(update=update) for c in known.layout.columns)
    layout = known.layout.model_copy(update={"columns": columns})
    return replace(known, layout=layout, votes={**known.votes, told.id: votes})


def raised(fact: Fact, column: str, by_mm: float) -> Fact:
    """The fact where a column is higher than was seen: the ends of roads on it lie as much higher."""
    if not isinstance(fact, MoveFact) or column not in fact.road.rests_on:
        return fact
    pairs = zip(fact.road.ends, fact.road.rests_on, strict=True)
    ends = tuple((x, y, z + by_mm) if on == column else (x, y, z) for (x, y, z), on in pairs)
    return fact.model_copy(update={"road": fact.road.model_copy(update={"ends": ends})})


def moved_anew(change: Change) -> Change:
    """The change with every piece taken for moved: its place is the last reading's alone."""
    old = {piece.id: piece for piece in pieces_of(change.before)}
    moved = tuple(Moved(old[p.id], p, 0.0, 0.0) for p in pieces_of(change.seen) if p.id in old)
    return replace(change, moved=moved)


def strangers(change: Change, game: Game) -> frozenset[str]:
    """Pieces that are believed to stand and are none of the game's: nobody can knock them."""
    known = {*game.columns, *game.roads, *game.cars}
    return frozenset(piece.id for piece in pieces_of(change.before) if piece.id not in known)


def built_on(change: Change, ignored: AbstractSet[str], pieces: Pieces) -> bool:
    """Whether somebody goes on from a piece that was said to be no part of the game: then it is one after all."""
    columns = [c for c in change.seen.columns if c.id in ignored]
    return any(column_at(road, end, columns, pieces) is not None for road in change.new_roads for end in (0, 1))
