"""What is different since the table last stood still: a layout before, a layout after, pieces told apart by geometry.

A piece that reads a little off is the same piece, read anew. A piece that was pushed is followed. Ids are those of the
layout before; new pieces get new ones that are never used twice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from rules.layout import Car, Column, Layout, Road
from rules.pieces import Pieces
from th_vision import tolerances as tol
from th_vision.known import Known, Piece, pieces_of
from th_vision.support import along_sigma, column_at, distance_to_road

P = TypeVar("P", Column, Road, Car)


@dataclass(frozen=True)
class Moved:
    """A piece that stands elsewhere now: shift in plan view and drop in height, mm, and the sigma of the shift."""

    before: Piece
    after: Piece
    shift_mm: float
    sigma_mm: float
    drop_mm: float = 0.0
    fell: bool = False

    @property
    def id(self) -> str:
        """The piece's id, before and after."""
        return self.before.id


@dataclass(frozen=True)
class Change:
    """The difference of two layouts. ``seen`` is the new reading in known ids; ``gone`` was known and isn't seen.

    ``recounted``: columns that stand where they stood, with another number of discs or another top.
    ``loose``: roads and cars that are new and lie flat on the table: part of no road network.
    """

    before: Layout
    seen: Layout
    new_columns: tuple[Column, ...] = ()
    new_roads: tuple[Road, ...] = ()
    new_cars: tuple[Car, ...] = ()
    gone: tuple[Piece, ...] = ()
    moved: tuple[Moved, ...] = ()
    recounted: tuple[tuple[Column, Column], ...] = ()
    loose: tuple[Road | Car, ...] = ()

    @property
    def nothing(self) -> bool:
        """Nothing is new, gone, moved or different."""
        return not (self.new_columns or self.new_roads or self.new_cars or self.disturbed or self.loose)

    @property
    def lowered(self) -> list[str]:
        """Ids of columns that lost discs."""
        return [after.id for before, after in self.recounted if after.levels < before.levels]

    @property
    def disturbed(self) -> bool:
        """A piece that stood before doesn't stand there any more, or not as it did."""
        return bool(self.gone or self.moved or self.recounted)


def compare(known: Known, seen: Layout, pieces: Pieces) -> Change:
    """Tell the pieces of a new reading apart: known ones, new ones, moved ones, and those that are gone."""
    before = known.layout
    # Two columns are a diameter apart at least: what stands nearer to a known place is that column.
    columns = _pair(before.columns, seen.columns, _column_cost, 0.9 * pieces.disc.diameter)
    roads = _pair(before.roads, seen.roads, _road_cost, tol.SAME_ROAD_MM)
    cars = _pair(before.cars, seen.cars, _car_cost, tol.SAME_ROAD_MM)
    flat = {r.id for r in seen.roads if _flat(r, pieces)}
    read = {r.id: r for r in seen.roads}
    unmoved = [r for r in before.roads if r.id in roads and _road_cost(r, read[roads[r.id]]) <= tol.MOVED_ALONG_MM]
    held = {c for r in unmoved for c in r.rests_on}
    builds = {r.id for r in seen.roads if _is_build(r, before, seen, columns, roads, pieces)}
    _add_pushed(roads, before.roads, [r for r in seen.roads if r.id not in builds], _road_push, flat)
    carrying = {c for r in seen.roads if r.id not in roads.values() and r.id not in flat for c in r.rests_on}
    _add_pushed(
        columns,
        [c for c in before.columns if c.id not in held],
        [c for c in seen.columns if c.id not in carrying],
        _column_push,
        set(),
    )
    # A car on a road that was just built is placed there: an old one that isn't seen is hidden, not pushed onto it.
    pushable = [k for k in seen.cars if k.on not in builds or k.on in roads.values()]
    _add_pushed(cars, before.cars, pushable, _car_push, {k.id for k in seen.cars if k.on is None})

    names, _ = _names(known, seen, {**columns, **roads, **cars})
    seen = _renamed(seen, names)
    flat = {names[i] for i in flat}
    old_columns = {c.id: c for c in before.columns}
    old_roads = {r.id: r for r in before.roads}
    old_cars = {k.id: k for k in before.cars}
    seen = seen.model_copy(update={"roads": tuple(_turned(r, old_roads.get(r.id)) for r in seen.roads)})

    moved: list[Moved] = []
    recounted: list[tuple[Column, Column]] = []
    for column in seen.columns:
        if (old := old_columns.get(column.id)) is not None:
            moved += _moved_column(old, column)
            if (old.levels, old.junction) != (column.levels, column.junction):
                recounted.append((old, column))
    for road in seen.roads:
        if (old_road := old_roads.get(road.id)) is not None:
            moved += _moved_road(old_road, road, road.id in flat)
    for car in seen.cars:
        if (old_car := old_cars.get(car.id)) is not None:
            moved += _moved_car(old_car, car)
    present = {p.id for p in pieces_of(seen)}
    new_roads = [r for r in seen.roads if r.id not in old_roads]
    new_cars = [k for k in seen.cars if k.id not in old_cars]
    loose: list[Road | Car] = [r for r in new_roads if r.id in flat]
    loose += [k for k in new_cars if k.on is None and not _on_new_road(k, new_roads, pieces)]
    aside = {p.id for p in loose}
    return Change(
        before=before,
        seen=seen,
        new_columns=tuple(c for c in seen.columns if c.id not in old_columns),
        new_roads=tuple(r for r in new_roads if r.id not in aside),
        new_cars=tuple(k for k in new_cars if k.id not in aside),
        gone=tuple(p for p in pieces_of(before) if p.id not in present),
        moved=tuple(moved),
        recounted=tuple(recounted),
        loose=tuple(loose),
    )


# --- telling apart ----------------------------------------------------------------------------------------------------


def _pair(before: Sequence[P], seen: Sequence[P], cost: Callable[[P, P], float], gate_mm: float) -> dict[str, str]:
    """Known id -> seen id, nearest pairs first, none dearer than the gate."""
    pairs = sorted((c, i, j) for i, a in enumerate(before) for j, b in enumerate(seen) if (c := cost(a, b)) <= gate_mm)
    out: dict[str, str] = {}
    taken: set[int] = set()
    for _, i, j in pairs:
        if before[i].id not in out and j not in taken:
            out[before[i].id] = seen[j].id
            taken.add(j)
    return out


def _add_pushed(
    paired: dict[str, str],
    before: Sequence[P],
    seen: Sequence[P],
    push: Callable[[P, P], float],
    flat: set[str],
) -> None:
    """Pair what is left: a gone piece with a new one that is near, or that lies flat on the table not too far off."""
    used = set(paired.values())
    pairs = []
    for a in before:
        for b in seen:
            if a.id in paired or b.id in used:
                continue
            distance = push(a, b)
            if distance <= (tol.FALLEN_MM if b.id in flat else tol.PUSHED_MM):
                pairs.append((distance, a.id, b.id))
    for _, a_id, b_id in sorted(pairs):
        if a_id not in paired and b_id not in used:
            paired[a_id] = b_id
            used.add(b_id)


def _is_build(
    road: Road,
    before: Layout,
    seen: Layout,
    columns: dict[str, str],
    roads: dict[str, str],
    pieces: Pieces,
) -> bool:
    """Whether a road can't be an old one that was pushed: an end of it lies on a column that is new there."""
    if road.id in roads.values():
        return False
    known = set(columns.values())
    missing = [c for c in before.columns if c.id not in columns]
    for end in (0, 1):
        column = column_at(road, end, seen.columns, pieces)
        if column is None or column.id in known:
            continue
        if not any(_distance(old, column) <= tol.PUSHED_MM and old.levels == column.levels for old in missing):
            return True
    return False


def _column_cost(a: Column, b: Column) -> float:
    return _distance(a, b)


def _car_cost(a: Car, b: Car) -> float:
    if a.player != b.player and min(a.player_probability, b.player_probability) >= tol.OWNER_CERTAIN:
        return np.inf
    return _distance(a, b) + (0.0 if a.player == b.player else 6.0) + max(0.0, abs(a.z - b.z) - tol.MOVED_HEIGHT_MM)


def _road_cost(a: Road, b: Road) -> float:
    """The larger of the tips' distances in plan view, plus what heights differ beyond the usual error."""
    tips, other = np.array(a.ends), np.array(_turned(b, a).ends)
    plan = float(np.hypot(*(tips - other)[:, :2].T).max())
    return plan + max(0.0, float(np.abs(tips - other)[:, 2].mean()) - tol.RESTS_Z_MM)


def _column_push(a: Column, b: Column) -> float:
    return _distance(a, b) if abs(a.levels - b.levels) <= 1 else np.inf


def _car_push(a: Car, b: Car) -> float:
    """How far a car went. A push takes a car along its road or down, never up onto another one."""
    shift = _distance(a, b)
    if a.player != b.player or b.z - a.z > tol.MOVED_HEIGHT_MM + shift:
        return np.inf
    return shift


def _road_push(a: Road, b: Road) -> float:
    """How far the tips went: a road that starts where the old one did but leads elsewhere is another road."""
    return float(np.hypot(*(np.array(a.ends) - np.array(_turned(b, a).ends))[:, :2].T).max())


def _distance(a: Column | Car, b: Column | Car) -> float:
    return float(np.hypot(a.x - b.x, a.y - b.y))


def _turned(road: Road, like: Road | None) -> Road:
    """The road with its ends in the order of those of ``like``."""
    if like is None:
        return road
    tips, other = np.array(like.ends)[:, :2], np.array(road.ends)[:, :2]
    same = float(np.hypot(*(tips - other).T).sum())
    if same <= float(np.hypot(*(tips - other[::-1]).T).sum()):
        return road
    update = {"ends": (road.ends[1], road.ends[0]), "rests_on": (road.rests_on[1], road.rests_on[0])}
    return road.model_copy(update=update)


def _flat(road: Road, pieces: Pieces) -> bool:
    """Both tips on the table: a stick that belongs to no road network."""
    limit = pieces.stick.thickness + pieces.disc.height * 0.45
    return road.rests_on == ("table", "table") and max(road.ends[0][2], road.ends[1][2]) < limit


def _on_new_road(car: Car, roads: Sequence[Road], pieces: Pieces) -> bool:
    return any(distance_to_road(car, road) <= pieces.stick.width for road in roads)


def _names(known: Known, seen: Layout, paired: dict[str, str]) -> tuple[dict[str, str], dict[str, int]]:
    """Seen id -> id to use from now on: the known one, else a new number."""
    numbers = dict(known.numbers)
    for piece in pieces_of(known.layout):
        if piece.id[1:].isdigit():
            numbers[piece.id[0]] = max(numbers.get(piece.id[0], 0), int(piece.id[1:]))
    names = {seen_id: known_id for known_id, seen_id in paired.items()}
    for kind, group in (("c", seen.columns), ("r", seen.roads), ("k", seen.cars)):
        for piece in group:
            if piece.id not in names:
                numbers[kind] = numbers.get(kind, 0) + 1
                names[piece.id] = f"{kind}{numbers[kind]}"
    return names, numbers


def _renamed(layout: Layout, names: dict[str, str]) -> Layout:
    def name(old: str) -> str:
        return names.get(old, old)

    return layout.model_copy(
        update={
            "columns": tuple(c.model_copy(update={"id": name(c.id)}) for c in layout.columns),
            "roads": tuple(
                r.model_copy(update={"id": name(r.id), "rests_on": (name(r.rests_on[0]), name(r.rests_on[1]))})
                for r in layout.roads
            ),
            "cars": tuple(
                k.model_copy(update={"id": name(k.id), "on": None if k.on is None else name(k.on)}) for k in layout.cars
            ),
        }
    )


def _moved_column(a: Column, b: Column) -> list[Moved]:
    shift, sigma = _distance(a, b), float(np.hypot(a.sigma_xy, b.sigma_xy))
    if shift <= max(tol.MOVED_MM, tol.MOVED_SIGMAS * sigma):
        return []
    return [Moved(a, b, shift, sigma, a.top_z - b.top_z, b.levels < a.levels)]


def _moved_car(a: Car, b: Car) -> list[Moved]:
    shift, sigma = _distance(a, b), float(np.hypot(a.sigma_xy, b.sigma_xy))
    if shift <= max(tol.MOVED_MM, tol.MOVED_SIGMAS * sigma):
        return []
    return [Moved(a, b, shift, sigma, a.z - b.z, a.on is not None and b.on is None)]


def _moved_road(a: Road, b: Road, flat: bool) -> list[Moved]:
    ends, others = np.array(a.ends), np.array(b.ends)
    axis = ends[1] - ends[0]
    axis[2] = 0
    axis /= max(float(np.linalg.norm(axis)), 1e-9)
    delta = others - ends
    along = np.abs(delta @ axis)
    across = np.abs(delta[:, 0] * axis[1] - delta[:, 1] * axis[0])
    drop = float(-delta[:, 2].min()) if abs(delta[:, 2].min()) >= abs(delta[:, 2].max()) else float(-delta[:, 2].max())
    sigma_xy = float(np.hypot(a.sigma_xy, b.sigma_xy))
    sigma_along = float(np.hypot(along_sigma(a), along_sigma(b)))
    sigma_z = float(np.hypot(a.sigma_z, b.sigma_z))
    if (
        float(across.max()) <= max(tol.MOVED_MM, tol.MOVED_SIGMAS * sigma_xy)
        and float(along.max()) <= max(tol.MOVED_ALONG_MM, tol.MOVED_SIGMAS * sigma_along)
        and abs(drop) <= max(tol.MOVED_HEIGHT_MM, tol.MOVED_SIGMAS * sigma_z)
    ):
        return []
    shift = float(np.hypot(delta[:, 0], delta[:, 1]).max())
    fell = flat or drop > max(tol.MOVED_HEIGHT_MM, tol.MOVED_SIGMAS * sigma_z)
    return [Moved(a, b, shift, float(np.hypot(sigma_xy, sigma_along)), drop, fell)]
