"""Pieces as they were read before: which of them are known ones, where each appears, and what it says a second time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from rules.layout import Car, CityObject, Column, Layout, Road
from rules.pieces import Pieces
from th_vision import tolerances as tol
from th_vision.detect.assembly import Measured
from th_vision.detect.city_maps import SOLIDS
from th_vision.detect.columns import ColumnCandidate
from th_vision.detect.depth_model import typical_car
from th_vision.detect.measure import MeasuredRoad
from th_vision.known import Piece, pieces_of

Array = NDArray[np.float64]
_TURNS = np.linspace(0, 2 * np.pi, 16, endpoint=False)
_RING = np.stack([np.cos(_TURNS), np.sin(_TURNS)], axis=1)


@dataclass(frozen=True)
class Before:
    """Pieces that were read before and stand among the known ones, by their known ids: as a layout would have them now,
    and as they were measured. ``strangers``: what was read and is not known, or is known otherwise."""

    columns: Mapping[str, tuple[Column, ColumnCandidate]]
    roads: Mapping[str, tuple[Road, MeasuredRoad]]
    cars: Mapping[str, Car]
    strangers: tuple[Piece, ...]


def read_before(layout: Layout, measured: Measured, known: Layout) -> Before:
    """The pieces of an earlier reading that are known to stand where they were read."""
    names: dict[str, str] = {"table": "table"}  # of the reading -> known
    columns: dict[str, tuple[Column, ColumnCandidate]] = {}
    for piece in known.columns:
        read = next((c for c in layout.columns if c.id not in names and _same_column(c, piece)), None)
        if read is not None and read.id in measured.columns:
            names[read.id] = piece.id
            columns[piece.id] = read.model_copy(update={"id": piece.id}), measured.columns[read.id]
    found: dict[str, tuple[Road, MeasuredRoad]] = {}
    for road in known.roads:
        for read_road in layout.roads:
            if read_road.id in names or read_road.id not in measured.roads:
                continue
            if _same_ends(read_road, road):
                found[road.id] = read_road, measured.roads[read_road.id]
            elif _same_ends(_reversed(read_road), road):
                found[road.id] = _reversed(read_road), _turned(measured.roads[read_road.id])
            else:
                continue
            names[read_road.id] = road.id
            break
    roads = {
        name: (_named(road, name, names), line)
        for name, (road, line) in found.items()
        if all(below in names for below in road.rests_on)
    }
    cars: dict[str, Car] = {}
    for car in known.cars:
        read_car = next((k for k in layout.cars if k.id not in names and _same_car(k, car)), None)
        if read_car is not None and names.get(read_car.on or "", "") in roads:
            names[read_car.id] = car.id
            cars[car.id] = read_car.model_copy(update={"id": car.id, "on": names[read_car.on or ""]})
    there = {*columns, *roads, *cars}
    return Before(columns, roads, cars, tuple(p for p in pieces_of(layout) if names.get(p.id, "") not in there))


def extent(piece: Piece, pieces: Pieces) -> Array:
    """(n, 3) table points all over what a camera may see of a piece, mm."""
    if isinstance(piece, Road):
        a, b = np.array(piece.ends[0]), np.array(piece.ends[1])
        way = (b - a)[:2] / max(float(np.hypot(*(b - a)[:2])), 1e-9)
        axis = a + np.linspace(0, 1, 41)[:, None] * (b - a)
        left = np.array([-way[1], way[0], 0.0]) * pieces.stick.width / 2
        return np.concatenate([axis - left, axis, axis + left])
    if isinstance(piece, Column):
        radius, heights = pieces.disc.radius, np.arange(0.0, piece.top_z, pieces.disc.height / 2)
        out = np.empty((3 + len(heights), len(_RING), 3))
        out[:, :, :2] = _RING * radius
        out[:3, :, :2] *= np.array([0.3, 0.65, 1.0])[:, None, None]
        out[:3, :, 2] = piece.top_z
        out[3:, :, 2] = heights[:, None]
        out[..., :2] += piece.x, piece.y
        return out.reshape(-1, 3)
    box = pieces.cars.get(piece.type) or typical_car(pieces)
    angle = np.deg2rad(piece.heading_deg)
    along, across = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
    u, v = (steps.reshape(-1, 1) for steps in np.meshgrid(np.linspace(-0.5, 0.5, 7), np.linspace(-0.5, 0.5, 3)))
    plan = np.array([piece.x, piece.y]) + u * box.length * along + v * box.width * across
    return np.concatenate([np.c_[plan, np.full(len(plan), piece.z + h)] for h in (0.0, box.height)])


def city_extent(thing: CityObject) -> Array:
    """(n, 3) table points along the rim of an object of the city, above and below, and all over what stands up, mm.

    On a card the pieces of a move may be put: what it shows within its rim tells nothing.
    """
    outline = np.array([*thing.outline, thing.outline[0]])
    shares = np.linspace(0, 1, 40, endpoint=False)[:, None]
    rim = np.concatenate([a + shares * (b - a) for a, b in pairwise(outline)])
    middle = outline[:-1].mean(axis=0)
    plan = [rim]
    if thing.kind in SOLIDS:
        plan += [middle + share * (rim - middle) for share in (0.25, 0.5, 0.75)]
    out = [np.c_[part, np.full(len(part), z)] for part in plan for z in (0.0, thing.height)]
    for obstacle in thing.obstacles:
        out.append(np.array([(x, y, obstacle.height) for x, y in obstacle.outline]))
    return np.concatenate(out)


def _same_column(read: Column, known: Column) -> bool:
    near = np.hypot(read.x - known.x, read.y - known.y) <= tol.LOOK_SAME_MM
    return bool(near) and (read.levels, read.junction) == (known.levels, known.junction)


def _same_ends(read: Road, known: Road) -> bool:
    off = np.subtract(read.ends, known.ends)
    if np.abs(off[:, 2]).max() > tol.LOOK_SAME_MM:
        return False
    way = np.subtract(known.ends[1], known.ends[0])[:2]
    unit = way / max(float(np.hypot(*way)), 1e-9)
    along, across = off[:, :2] @ unit, off[:, :2] @ np.array([-unit[1], unit[0]])
    return bool(np.abs(across).max() <= tol.LOOK_SAME_MM and np.abs(along).max() <= tol.LOOK_SAME_ALONG_MM)


def _same_car(read: Car, known: Car) -> bool:
    near = np.hypot(read.x - known.x, read.y - known.y) <= tol.LOOK_SAME_ALONG_MM
    return bool(near) and read.player == known.player


def _reversed(road: Road) -> Road:
    return road.model_copy(update={"ends": road.ends[::-1], "rests_on": road.rests_on[::-1]})


def _turned(road: MeasuredRoad) -> MeasuredRoad:
    """A road measured from its other end."""
    return replace(road, a=road.b, b=road.a, tip_clear=road.tip_clear[::-1], depth_ends=road.depth_ends[::-1])


def _named(road: Road, name: str, names: Mapping[str, str]) -> Road:
    on = names[road.rests_on[0]], names[road.rests_on[1]]
    return road.model_copy(update={"id": name, "rests_on": on})
