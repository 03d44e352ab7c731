"""What is believed to stand on the table after all readings so far.

The place of a piece that stands still is the weighted mean of its readings; a piece that moves is forgotten at once
and starts anew. Readings of one piece share most of their error, so many of them are worth little more than one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np

from rules.layout import Car, Column, Layout, Point3, Road
from th_vision import tolerances as tol

if TYPE_CHECKING:
    from th_vision.change import Change

Piece = Column | Road | Car
Votes = dict[tuple[str, int], tuple[float, float]]


def pieces_of(layout: Layout) -> list[Piece]:
    """All columns, roads and cars of a layout."""
    return [*layout.columns, *layout.roads, *layout.cars]


def centre_of(piece: Piece) -> np.ndarray:
    """(2,) plan middle of a piece, mm."""
    if isinstance(piece, Road):
        return np.asarray(np.mean(piece.ends, axis=0)[:2])
    return np.array([piece.x, piece.y])


@dataclass(frozen=True)
class Known:
    """What is believed to stand on the table, from all readings so far.

    ``weights``: piece id -> (readings, sum of 1 / sigma_xy**2, of 1 / sigma_z**2) since it last moved.
    ``votes``: column id -> {("levels", 3): (largest log-odds, their sum)}, and the same for ("junction", 0 or 1).
    ``unseen``: piece id -> readings that missed it.
    ``numbers``: last number given to a kind of piece.
    """

    layout: Layout = field(default_factory=Layout)
    weights: dict[str, tuple[int, float, float]] = field(default_factory=dict)
    votes: dict[str, Votes] = field(default_factory=dict)
    unseen: dict[str, int] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)

    def as_read(self, disc_mm: float) -> Layout:
        """The layout for the reader to begin with: a column that players say has other discs is looked for as high as
        it was seen. ``disc_mm``: height of a disc."""
        surest = {name: max((best for best, _ in votes.values()), default=0.0) for name, votes in self.votes.items()}
        said = {name for name, log_odds in surest.items() if log_odds >= tol.PLAYERS_SURE}
        seen = (c if c.id not in said else _as_high_as_seen(c, disc_mm) for c in self.layout.columns)
        return self.layout.model_copy(update={"columns": tuple(seen)})


def _as_high_as_seen(column: Column, disc_mm: float) -> Column:
    return column.model_copy(update={"levels": max(1, round(column.top_z / disc_mm))})


def refine(known: Known, change: Change, keep: frozenset[str] = frozenset()) -> Known:
    """The belief after a change. Pieces that stand still get the weighted mean of their readings, moved ones the last
    reading alone; of the gone ones those in ``keep`` are believed on, the others are dropped."""
    seen = change.seen
    moved = {m.id for m in change.moved}
    old = {p.id: p for p in pieces_of(known.layout)}
    weights, votes = dict(known.weights), {i: dict(v) for i, v in known.votes.items()}
    columns = []
    for column in seen.columns:
        before = old.get(column.id)
        if isinstance(before, Column) and column.id not in moved:
            column = column.model_copy(update=_mean(before, column, weights))
        else:
            weights[column.id], votes[column.id] = _weight(column.sigma_xy, column.sigma_z), {}
        columns.append(_voted(column, votes.setdefault(column.id, {})))
    roads = []
    for road in seen.roads:
        before = old.get(road.id)
        if isinstance(before, Road) and road.id not in moved:
            road = road.model_copy(update={**_mean(before, road, weights), "rests_on": before.rests_on})
        else:
            weights[road.id] = _weight(road.sigma_xy, road.sigma_z)
        roads.append(road)
    cars = []
    for car in seen.cars:
        before = old.get(car.id)
        if isinstance(before, Car) and car.id not in moved:
            car = car.model_copy(update={**_mean(before, car, weights), "on": before.on or car.on})
            if before.type_probability >= car.type_probability:
                car = car.model_copy(update={"type": before.type, "type_probability": before.type_probability})
            if before.player_probability >= car.player_probability:
                update = {"player": before.player, "player_probability": before.player_probability}
                car = car.model_copy(update=update)
        else:
            weights[car.id] = _weight(car.sigma_xy, 0.0)
        cars.append(car)
    unseen = {p.id: known.unseen.get(p.id, 0) + 1 for p in change.gone if p.id in keep}
    kept = [p for p in change.gone if p.id in keep]
    columns += [p for p in kept if isinstance(p, Column)]
    roads += [p for p in kept if isinstance(p, Road)]
    cars += [p for p in kept if isinstance(p, Car)]
    ids = {p.id for p in (*columns, *roads, *cars)}
    after = seen.model_copy(update={"columns": tuple(columns), "roads": tuple(roads), "cars": tuple(cars)})
    numbers = dict(known.numbers)
    for piece_id in ids:
        kind, number = piece_id[:1], piece_id[1:]
        if number.isdigit():
            numbers[kind] = max(numbers.get(kind, 0), int(number))
    return Known(
        after,
        {i: w for i, w in weights.items() if i in ids},
        {i: v for i, v in votes.items() if i in ids},
        unseen,
        numbers,
    )


def _weight(sigma_xy: float, sigma_z: float) -> tuple[int, float, float]:
    return 1, (1 / sigma_xy**2 if sigma_xy else 0.0), (1 / sigma_z**2 if sigma_z else 0.0)


def _mixed(old: float, new: float, weight: float, sigma: float) -> float:
    """Weighted mean of a belief of summed weight and a new value; exact values (sigma 0) replace."""
    if not sigma or not weight:
        return new
    share = 1 / sigma**2 / (weight + 1 / sigma**2)
    return old + (new - old) * share


def _sigma(readings: int, weight: float) -> float:
    """Sigma of a mean of readings that share most of their error: s**2 (rho + (1 - rho) / n)."""
    if not weight:
        return 0.0
    rho = tol.READING_CORRELATION
    return float(np.sqrt(readings / weight * (rho + (1 - rho) / readings)))


def _mean(before: Piece, now: Piece, weights: dict[str, tuple[int, float, float]]) -> dict[str, object]:
    """What changes in ``now`` when its reading is averaged with the belief."""
    n, w_xy, w_z = weights.get(now.id, _weight(before.sigma_xy, getattr(before, "sigma_z", 0.0)))
    sigma_xy, sigma_z = now.sigma_xy, float(getattr(now, "sigma_z", 0.0))
    out: dict[str, object] = {}
    if isinstance(now, Road) and isinstance(before, Road):
        ends = []
        for (x0, y0, z0), (x1, y1, z1) in zip(before.ends, now.ends, strict=True):
            xy = _mixed(x0, x1, w_xy, sigma_xy), _mixed(y0, y1, w_xy, sigma_xy)
            point: Point3 = (*xy, _mixed(z0, z1, w_z, sigma_z))
            ends.append(point)
        out["ends"] = tuple(ends)
        if now.sigma_along is not None and before.sigma_along is not None:
            out["sigma_along"] = min(now.sigma_along, before.sigma_along)
    elif isinstance(now, Column | Car) and isinstance(before, Column | Car):
        out["x"] = _mixed(before.x, now.x, w_xy, sigma_xy)
        out["y"] = _mixed(before.y, now.y, w_xy, sigma_xy)
    if isinstance(now, Column) and isinstance(before, Column):
        out["top_z"] = _mixed(before.top_z, now.top_z, w_z, sigma_z)
    elif isinstance(now, Car) and isinstance(before, Car):
        out["z"] = _mixed(before.z, now.z, w_xy, sigma_xy)
    n, w_xy, w_z = (
        n + 1,
        w_xy + (1 / sigma_xy**2 if sigma_xy else 0.0),
        w_z + (1 / sigma_z**2 if sigma_z else 0.0),
    )
    weights[now.id] = (n, w_xy, w_z)
    out["sigma_xy"] = _sigma(n, w_xy) if sigma_xy else 0.0
    if not isinstance(now, Car):
        out["sigma_z"] = _sigma(n, w_z) if sigma_z else 0.0
    return out


def _voted(column: Column, votes: Votes) -> Column:
    """The column with the levels and the top that most of its readings speak for, and how sure that is."""
    levels, levels_sure = _elected(votes, "levels", column.levels, column.levels_probability)
    top, top_sure = _elected(votes, "junction", int(column.junction), column.junction_probability)
    return column.model_copy(
        update={
            "levels": levels,
            "junction": bool(top),
            "levels_probability": levels_sure,
            "junction_probability": top_sure,
        }
    )


def _elected(votes: Votes, what: Literal["levels", "junction"], value: int, probability: float) -> tuple[int, float]:
    """Count one reading in; the value that most readings speak for, and its probability.

    Readings share most of their error: beside the surest one, each adds but a part. One that is less sure than not
    says nothing: what it couldn't see was seen before.
    """
    p = min(max(probability, 0.5), 1 - 1e-9)
    odds = float(np.log(p / (1 - p)))
    best, total = votes.get((what, value), (0.0, 0.0))
    votes[what, value] = (max(best, odds), total + odds)
    keys = [key for key in votes if key[0] == what]
    values = np.array([votes[k][0] + (1 - tol.READING_CORRELATION) * (votes[k][1] - votes[k][0]) for k in keys])
    if not values.any():
        return value, probability
    share = np.exp(values - values.max())
    winner = int(np.argmax(share))
    return keys[winner][1], float(share[winner] / (share.sum() + np.exp(-values.max())))  # the rest: something else
