"""Views of one table, one after the other: what changed since the last one is looked at first.

A look at the whole table takes a while when it is full, and a move changes a hand's breadth of it. So each view is held
against the last one, block by block: pieces that look as they did are where they were measured, and a window around
what changed is read like a whole view in which they are known. That is answered; then, while nobody waits, the whole
view is read as well, and the next view is held against that: every view measures every piece, some a move later.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from shapely.geometry import Polygon

from rules.layout import Layout, Unknown
from rules.pieces import Pieces
from th_vision import tolerances as tol
from th_vision.again import Before, city_extent, extent, read_before
from th_vision.detect.assembly import Measured
from th_vision.detect.changes import Changes, Glance, changes, glance_at
from th_vision.detect.plan import Field, Usual, on_plane, plan_view
from th_vision.detect.window import Window, window_on
from th_vision.known import Piece, pieces_of
from th_vision.reconstruct import look_at_all, look_at_part
from th_vision.still_view import StillView

Array = NDArray[np.float64]


@dataclass(frozen=True)
class _Look:
    """What was seen: a layout, how its pieces were measured, and what the view looked like."""

    layout: Layout
    measured: Measured
    glance: Glance | None
    usual: Usual
    field: Field


class Looks:
    """Reads still views of one table in their order; call it like ``reconstruct``. State: the last look, and the view
    (with the set of pieces and what is known to stand there) that was read in part only."""

    def __init__(self) -> None:
        self._last: _Look | None = None
        self._in_part: tuple[StillView, Pieces, Layout] | None = None

    def __call__(self, view: StillView, pieces: Pieces, prior: Layout | None) -> Layout:
        """The layout of a view; ``prior``: what stood there before."""
        self.think()
        last, self._last = self._last, None  # a view that can't be read leaves nothing to go by
        if last is not None and prior is not None:
            layout = _look_again(last, view, pieces, prior)
            if layout is not None:
                self._in_part = view, pieces, _known_by_now(prior, layout)
                return layout
        self._last = _look(view, pieces, prior)
        return self._last.layout

    def think(self) -> None:
        """Read all of the last view, if only a part of it was read. Whoever has time calls it; else the next view waits
        for it."""
        if self._in_part is not None:
            (view, pieces, known), self._in_part = self._in_part, None
            self._last = _look(view, pieces, known)


def _look(view: StillView, pieces: Pieces, prior: Layout | None) -> _Look:
    plan = plan_view(view)
    layout, measured = look_at_all(plan, pieces, prior)
    return _Look(layout, measured, glance_at(view), plan.usual, plan.field)


def _known_by_now(prior: Layout, seen: Layout) -> Layout:
    """What is seen, its known pieces as they were known."""
    columns, roads, cars = ({p.id: p for p in some} for some in (prior.columns, prior.roads, prior.cars))
    return prior.model_copy(
        update={
            "columns": tuple(columns.get(c.id, c) for c in seen.columns),
            "roads": tuple(roads.get(r.id, r) for r in seen.roads),
            "cars": tuple(cars.get(k.id, k) for k in seen.cars),
        }
    )


def _look_again(last: _Look, view: StillView, pieces: Pieces, prior: Layout) -> Layout | None:
    """What is seen now, where that needs no look at the whole table; None where it does."""
    if last.glance is None or {(o.id, o.kind) for o in prior.city} != {(o.id, o.kind) for o in last.layout.city}:
        return None
    now = glance_at(view)
    changed = None if now is None else changes(last.glance, now)
    if now is None or changed is None or changed.share > tol.CHANGE_MOST_SHARE:
        return None
    if any(changed.touched([city_extent(thing) for thing in prior.city])):
        return None
    before = _untouched(read_before(last.layout, last.measured, prior), changed, prior, pieces)
    touched = changed.touched([_outline(thing) for thing in last.layout.unknown])
    things = tuple(thing for thing, new in zip(last.layout.unknown, touched, strict=True) if not new)
    there = {*before.columns, *before.roads, *before.cars}
    again = [*before.strangers, *(piece for piece in pieces_of(prior) if piece.id not in there)]
    others = [thing for thing in last.layout.unknown if thing not in things]
    top_mm = _top_mm(view, changed, prior)
    extents = [*(extent(piece, pieces) for piece in again), *(_outline(thing) for thing in others)]
    field = _around([*extents, *_places(changed, top_mm)], last.field)
    seen = Layout()
    if field is not None:
        if _area(field) > tol.LOOK_MOST_SHARE * _area(last.field):
            return None
        window = window_on(view.table, field, top_mm)
        local, kept = _in_window(window, view, pieces, prior, before)
        seen = look_at_part(window.plan(view, last.usual), pieces, local, prior, kept)
        if any(not window.holds(extent(piece, pieces), tol.LOOK_RIM_MM) for piece in _new(seen, prior)):
            return None
        if pieces.city and _may_be_city(seen, prior):
            return None
    touched = changed.touched([_outline(thing) for thing in seen.unknown])
    new_things = (thing for thing, new in zip(seen.unknown, touched, strict=True) if new)
    found = [thing for thing in new_things if not _overlaps(thing, things)]
    return _together(prior, before, seen).model_copy(update={"unknown": (*things, *found)})


def _untouched(before: Before, changed: Changes, prior: Layout, pieces: Pieces) -> Before:
    """What of the pieces that were read before looks as it did; of a road, with all cars that are known on it."""
    standing: list[Piece] = [column for column, _ in before.columns.values()]
    standing += [road for road, _ in before.roads.values()]
    standing += before.cars.values()
    touched = changed.touched([extent(p, pieces) for p in standing])
    same = {piece.id for piece, new in zip(standing, touched, strict=True) if not new}
    columns = {k: v for k, v in before.columns.items() if k in same}
    other = {car.on for car in prior.cars if car.id not in same}
    roads = {k: v for k, v in before.roads.items() if k in same and k not in other}
    cars = {k: v for k, v in before.cars.items() if k in same and v.on in roads}
    return Before(columns, roads, cars, before.strangers)


def _in_window(
    window: Window, view: StillView, pieces: Pieces, prior: Layout, before: Before
) -> tuple[Layout, Measured]:
    """The known pieces that appear in a window, with what they lie on; and how those that look as they did were
    measured."""
    table = view.table
    roads = {r.id: r for r in prior.roads}
    standing: list[Piece] = [*prior.columns, *prior.roads]
    shown = window.shows(table, [extent(piece, pieces) for piece in standing])
    inside = {piece.id for piece, there in zip(standing, shown, strict=True) if there}
    front = [name for name in inside if name in roads]
    while front:
        below = set(roads[front.pop()].rests_on) - inside
        inside |= below
        front += [name for name in below if name in roads]
    layout = prior.model_copy(
        update={
            "columns": tuple(c for c in prior.columns if c.id in inside),
            "roads": tuple(r for r in prior.roads if r.id in inside),
            "cars": tuple(k for k in prior.cars if k.on in inside),
            "unknown": (),
        }
    )
    columns = {k: v[1] for k, v in before.columns.items() if k in inside}
    return layout, Measured(columns, {k: v[1] for k, v in before.roads.items() if k in inside})


def _together(prior: Layout, before: Before, seen: Layout) -> Layout:
    """What looks as it did, as it was read; everything else as it is seen now. Known pieces come first, in order."""
    columns = {c.id: c for c in seen.columns} | {k: v[0] for k, v in before.columns.items()}
    roads = {r.id: r for r in seen.roads} | {k: v[0] for k, v in before.roads.items()}
    cars = {k.id: k for k in seen.cars} | dict(before.cars)
    order = {piece.id: place for place, piece in enumerate(pieces_of(prior))}
    last = len(order)
    return Layout(
        city=prior.city,
        columns=tuple(sorted(columns.values(), key=lambda piece: order.get(piece.id, last))),
        roads=tuple(sorted(roads.values(), key=lambda piece: order.get(piece.id, last))),
        cars=tuple(sorted(cars.values(), key=lambda piece: order.get(piece.id, last))),
    )


def _new(seen: Layout, prior: Layout) -> list[Piece]:
    known = {piece.id for piece in pieces_of(prior)}
    return [piece for piece in pieces_of(seen) if piece.id not in known]


def _may_be_city(seen: Layout, prior: Layout) -> bool:
    """Whether something new may be an object of the city: nothing that is known, or a column without a road."""
    new = {piece.id for piece in _new(seen, prior)}
    carrying = {name for road in seen.roads if road.id in new for name in road.rests_on}
    return bool(seen.unknown) or any(c.id in new and c.id not in carrying for c in seen.columns)


def _places(changed: Changes, top_mm: float) -> list[Array]:
    """Where on the table, up to a height, what changed may stand: (n, 3) points."""
    table = changed.table
    assert table.camera.color is not None
    cameras = (table.camera.depth, table.T_depth_table), (table.camera.color, table.T_color_table)
    return [
        on_plane(intrinsics, T, corners, z)
        for (intrinsics, T), corners in zip(cameras, changed.corners(), strict=True)
        if len(corners)
        for z in (0.0, top_mm)
    ]


def _top_mm(view: StillView, changed: Changes, prior: Layout) -> float:
    """Nothing in what changed is higher than this."""
    plane_z, slope = view.table.plane_depth
    block = tol.CHANGE_DEPTH_BLOCK_PX
    height, width = (size * block for size in changed.depth.shape)
    mask = np.repeat(np.repeat(changed.depth, block, axis=0), block, axis=1)
    rise = view.rise_px[:height, :width][mask]
    mm = rise * (plane_z**2 * slope)[:height, :width][mask] / view.table.camera.disparity_gain
    mm = mm[np.isfinite(mm)]
    seen = float(np.percentile(mm, 95)) if len(mm) else 0.0
    known = max((c.top_z for c in prior.columns), default=0.0)
    return min(max(seen, known) + tol.LOOK_RISE_MM, tol.HIGHEST_COLUMN_MM)


def _around(points: Sequence[Array], whole: Field) -> Field | None:
    """The part of the table with these points (n, 3), and some room; None where there are none."""
    if not points:
        return None
    plan = np.concatenate(points)[:, :2]
    (x0, y0), (x1, y1) = plan.min(axis=0) - tol.LOOK_ROOM_MM, plan.max(axis=0) + tol.LOOK_ROOM_MM
    field = Field(max(x0, whole.x0), max(y0, whole.y0), min(x1, whole.x1), min(y1, whole.y1))
    return field if field.x0 < field.x1 and field.y0 < field.y1 else None


def _area(field: Field) -> float:
    return (field.x1 - field.x0) * (field.y1 - field.y0)


def _outline(thing: Unknown) -> Array:
    plan = np.array(thing.outline)
    return np.concatenate([np.c_[plan, np.full(len(plan), z)] for z in (0.0, thing.height)])


def _overlaps(thing: Unknown, others: Sequence[Unknown]) -> bool:
    """Whether a thing is part of another one."""
    shape = Polygon(thing.outline).buffer(0)
    return any(shape.intersection(Polygon(other.outline).buffer(0)).area > 0.3 * shape.area for other in others)
