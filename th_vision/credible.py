"""Which differences between two readings are real? A reading misses a piece now and then; pieces obey gravity.

A column under a road that lies as it lay still stands. A disc doesn't vanish from under a road that didn't move. A
piece that one reading misses, while nothing else stirred, is believed a little longer. Where the images themselves can
be asked whether a place looks as it looked, they have the last word.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from rules.layout import Car, Column, Layout, Road
from th_vision import tolerances as tol
from th_vision.change import Change, Moved
from th_vision.known import Known, Piece
from th_vision.support import distance_to_road, height_of_road

Place = tuple[float, float]
Stands = Callable[[Piece], bool | None]
"""Whether a piece that a reading misses looks as it did (True), doesn't (False), or can't be judged (None)."""
Stirred = Callable[[Column], bool]
"""Whether the picture at the rim of a column, where it stood, is another one than it was."""


@dataclass(frozen=True)
class Credible:
    """A change with what is only noise taken out; ``keep``: missed pieces that are believed to stand; ``doubted``:
    columns that seem to have gone from under roads that lie still, and where: believed if the next reading agrees."""

    change: Change
    keep: frozenset[str] = frozenset()
    doubted: Mapping[str, Place] = field(default_factory=dict)


def credible(
    change: Change,
    known: Known,
    stands: Stands | None = None,
    stirred: Stirred | None = None,
    *,
    fallen_before: frozenset[str] = frozenset(),
    doubted_before: Mapping[str, Place] | None = None,
) -> Credible:
    """Take missed readings, noise of counting and small wobbles out of a change.

    ``fallen_before``: pieces that fell and haven't been put back yet: when they are missed, they are missing.
    ``doubted_before``: the last reading's ``doubted``.
    """
    held = _held_by_what_lies_on_it(change)
    keep: set[str] = set()
    doubtful: list[Piece] = []
    for piece in change.gone:
        if piece.id in fallen_before:
            continue
        if isinstance(piece, Car) and _hidden(piece, change):
            keep.add(piece.id)
            continue
        said = stands(piece) if stands else None
        if said or (said is None and piece.id in held):
            keep.add(piece.id)
        elif said is None:
            doubtful.append(piece)
    fallen = [m for m in change.moved if m.fell or m.shift_mm > tol.KNOCK_MM]
    quiet = not fallen and not change.loose and len(doubtful) <= tol.MISSED_AT_ONCE
    together = _taken_together(doubtful)
    doubtful = [p for p in doubtful if p.id not in together]
    keep |= {p.id for p in doubtful if quiet and known.unseen.get(p.id, 0) + 1 < tol.BELIEVED_UNSEEN}
    went = {m.id for m in change.moved} | {p.id for p in change.gone if p.id not in keep}
    recounted = tuple(pair for pair in change.recounted if _roads_at(pair[0], change) & went)
    held_still = [m for m in change.moved if not _wobble(m) and _carries_what_lies_still(m, change)]
    built_on = {end for road in change.new_roads for end in road.rests_on}
    unsure = [m for m in held_still if not (_again(m, doubted_before or {}) or _seen_to_go(m, stirred, built_on))]
    not_moved = {m.id for m in unsure}
    doubted = {m.id: _place(m) for m in unsure if m.id not in built_on}
    return Credible(
        replace(
            change,
            seen=_where_they_stood(change, frozenset(doubted)),
            gone=tuple(p for p in change.gone if p.id not in keep),
            moved=tuple(m for m in change.moved if not (_wobble(m) or m.id in not_moved or _half_hidden(m, change))),
            recounted=recounted,
        ),
        frozenset(keep),
        doubted,
    )


def _place(moved: Moved) -> Place:
    assert isinstance(moved.after, Column)
    return moved.after.x, moved.after.y


def _again(moved: Moved, doubted_before: Mapping[str, Place]) -> bool:
    """Whether the reading before saw the column there, too."""
    before = doubted_before.get(moved.id)
    return before is not None and float(np.hypot(*np.subtract(before, _place(moved)))) <= tol.MOVED_MM


def _seen_to_go(moved: Moved, stirred: Stirred | None, built_on: set[str]) -> bool:
    """Whether the picture, too, tells that a column isn't where it was; where a road was just laid on it, it can't."""
    column = moved.before
    return stirred is not None and isinstance(column, Column) and column.id not in built_on and stirred(column)


def _where_they_stood(change: Change, doubted: frozenset[str]) -> Layout:
    """What is seen, columns that are doubted at their old places: they must not draw the mean of all readings along."""
    old = {column.id: column for column in change.before.columns}
    columns = tuple(
        c if c.id not in doubted else c.model_copy(update={"x": old[c.id].x, "y": old[c.id].y})
        for c in change.seen.columns
    )
    return change.seen.model_copy(update={"columns": columns})


def _hidden(car: Car, change: Change) -> bool:
    """A car under a road or a car that lies higher can't be seen, and stands there all the same."""
    above = [k for k in change.seen.cars if k.z > car.z + tol.MOVED_HEIGHT_MM]
    if any(np.hypot(k.x - car.x, k.y - car.y) <= tol.HIDES_MM for k in above):
        return True
    return any(
        r.id != car.on
        and distance_to_road(car, r) <= tol.HIDES_MM
        and height_of_road(r, car.x, car.y) > car.z + tol.MOVED_HEIGHT_MM
        for r in change.seen.roads
    )


def _half_hidden(moved: Moved, change: Change) -> bool:
    """A car that seems to have gone a little, below a road that covers a part of it: what is seen is the rest of it."""
    if not isinstance(moved.before, Car) or moved.fell or moved.shift_mm > tol.HIDES_MM:
        return False
    return _hidden(moved.before, change)


def _taken_together(missed: list[Piece]) -> set[str]:
    """Roads missed together with a column under them, and that column: no reading misses two such by chance."""
    ids = {p.id for p in missed}
    pairs = [(p.id, under) for p in missed if isinstance(p, Road) for under in p.rests_on if under in ids]
    return {piece for pair in pairs for piece in pair}


def _wobble(moved: Moved) -> bool:
    """A shift too small to be told."""
    if moved.fell:
        return False
    return moved.shift_mm <= max(tol.KNOCK_MM, (tol.MOVED_SIGMAS + 1) * moved.sigma_mm) and not (
        abs(moved.drop_mm) > 2 * tol.MOVED_HEIGHT_MM
    )


def _carries_what_lies_still(moved: Moved, change: Change) -> bool:
    """A column seems to have gone a little, yet the roads on it lie as they lay: it was read badly."""
    if not isinstance(moved.before, Column) or moved.shift_mm > tol.HELD_COLUMN_MM:
        return False
    roads = _roads_at(moved.before, change)
    stirred = {m.id for m in change.moved} | {p.id for p in change.gone}
    return bool(roads) and not roads & stirred and not all(_went_along(road, moved, change) for road in roads)


def _went_along(road_id: str, moved: Moved, change: Change) -> bool:
    """Whether a road's end went with the column below it, by less than is told of a road alone: along itself."""
    before = next((road for road in change.before.roads if road.id == road_id), None)
    after = next((road for road in change.seen.roads if road.id == road_id), None)
    if before is None or after is None or not isinstance(moved.after, Column) or not isinstance(moved.before, Column):
        return False
    end = before.rests_on.index(moved.id)
    shift = np.array([moved.after.x - moved.before.x, moved.after.y - moved.before.y])
    way = np.subtract(after.ends[end][:2], before.ends[end][:2])
    return float(way @ shift) > tol.WENT_ALONG * float(shift @ shift)


def _held_by_what_lies_on_it(change: Change) -> set[str]:
    """Ids of missed pieces that carry something which is seen where it was."""
    moved = {m.id for m in change.moved}
    before = {p.id: p for p in (*change.before.roads, *change.before.cars)}
    held: set[str] = set()
    for road in change.seen.roads:
        old = before.get(road.id)
        if isinstance(old, Road) and road.id not in moved:
            held.update(old.rests_on)
    for car in change.seen.cars:
        old_car = before.get(car.id)
        if isinstance(old_car, Car) and car.id not in moved and old_car.on:
            held.add(old_car.on)
    # New roads that rest on a missed column hold it, too.
    for road in change.new_roads:
        held.update(road.rests_on)
    return held


def _roads_at(column: Column, change: Change) -> set[str]:
    return {road.id for road in change.before.roads if column.id in road.rests_on}
