"""Ends that seem to lie on the table, and ends on a column that is hardly seen: each is looked at the other way.

A low column wholly under an end shows little of itself, and roads that cross high above an end on the table make depth
read high there. Which of both it is, the height of the whole stick says, and what is seen of a rim.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from th_vision import tolerances
from th_vision.detect.assembly import Assembly, FoundRoad
from th_vision.detect.columns import ColumnCandidate, best_rim
from th_vision.detect.depth_model import DepthModel, Post
from th_vision.detect.depth_search import TABLE, Group, Guess, Lay
from th_vision.detect.explained import guess_of_assembly
from th_vision.support import on_ray

Array = NDArray[np.float64]
End = tuple[int, int]
"""A road by its place, and which of its ends."""


def grounded(model: DepthModel, assembly: Assembly, known: int) -> Assembly:
    """The assembly with new roads' ends on the table or on a column, whichever the view says; the first ``known``
    columns stand for certain."""
    assembly = _without_needless(model, assembly, known)
    return _with_missing(model, assembly)


def _without_needless(model: DepthModel, assembly: Assembly, known: int) -> Assembly:
    """The assembly without new columns under one end each that lies on the table."""
    guess: Guess | None = None
    out = set()
    for k in range(known, len(assembly.columns)):
        column = assembly.columns[k]
        ends = _ends_on(assembly, k)
        if len(ends) != 1 or column.rim >= tolerances.GROUND_RIM:
            continue
        (road, side) = ends[0]
        other = assembly.roads[road].ends[1 - side]
        if other < 0 or other in out or assembly.columns[other].levels > tolerances.OFFRAMP_HIGHEST_LEVEL:
            continue
        guess = guess or guess_of_assembly(model, assembly)
        if _speaks_for(guess, ends, k, column) < 0:
            out.add(k)
            guess.put(Group({}, _on_table(guess, ends)))
            guess.remove([k])
    return _changed(assembly, out, []) if out else assembly


def _with_missing(model: DepthModel, assembly: Assembly) -> Assembly:
    """The assembly with low columns under new roads' ends that lie too high for the table."""
    todo = [(m, side) for m, found in enumerate(assembly.roads) for side in (0, 1) if found.ends[side] < 0]
    todo = [(m, side) for m, side in todo if assembly.roads[m].age == FoundRoad.age]
    if not todo:
        return assembly
    guess = guess_of_assembly(model, assembly)
    columns: list[tuple[ColumnCandidate, list[End]]] = []
    while todo:
        tip = _tip(assembly, todo[0])
        near = [end for end in todo if np.hypot(*(_tip(assembly, end) - tip)[:2]) < model.pieces.disc.radius]
        todo = [end for end in todo if end not in near]
        key = len(guess.posts) + len(guess.lays) + len(columns) + 1000
        tried = [(column, _speaks_for(guess, near, key, column)) for column in _columns_under(model, assembly, near)]
        best = max(tried, key=lambda one: one[1], default=None)
        # that several roads end at one place of the table would be a chance
        if best is not None and best[1] > tolerances.GROUND_COLUMN_SURE / len(near) ** 2:
            column = replace(best[0], levels_probability=float(1 / (1 + np.exp(-best[1]))))
            columns.append((column, near))
            guess.put(_with_column(guess, near, key, column))
    return _changed(assembly, set(), columns) if columns else assembly


def _ends_on(assembly: Assembly, k: int) -> list[End]:
    return [(m, side) for m, found in enumerate(assembly.roads) for side in (0, 1) if found.ends[side] == k]


def _tip(assembly: Assembly, end: End) -> Array:
    road = assembly.roads[end[0]].road
    return road.b if end[1] else road.a


def _columns_under(model: DepthModel, assembly: Assembly, ends: list[End]) -> list[ColumnCandidate]:
    """Low columns that may stand under some ends: where a rim is seen best, or else right below the ends."""
    plan, pieces = model.plan, model.pieces
    out = []
    for levels in range(1, tolerances.GROUND_LEVELS + 1):
        top = levels * pieces.disc.height
        places = []
        for m, side in ends:
            road = assembly.roads[m].road
            tip, other = (road.b, road.a) if side else (road.a, road.b)
            at = np.array(on_ray(plan.eye, tip, top + pieces.stick.thickness))
            way = (other[:2] - at) / float(np.hypot(*(other[:2] - at)))
            places.append(at + tolerances.DEPTH_OVERHANG_MM * way)
        x, y = np.mean(places, axis=0)
        rim = best_rim(plan, pieces, float(x), float(y), levels, pieces.disc.radius / 2)
        sigma = rim.sigma_mm
        if np.isnan(rim.share) or rim.share < tolerances.GROUND_RIM / 2:
            rim, sigma = replace(rim, x=float(x), y=float(y)), tolerances.DEPTH_OVERHANG_SIGMA_MM
        column = ColumnCandidate(rim.x, rim.y, levels, 1.0, rim.share, 1.0, float("nan"), sigma, foot=rim.foot)
        diameter = pieces.disc.diameter
        if all(np.hypot(column.x - c.x, column.y - c.y) >= diameter * 0.9 for c in assembly.columns):
            out.append(column)
    return out


def _speaks_for(guess: Guess, ends: list[End], key: int, column: ColumnCandidate) -> float:
    """Logarithm of the odds for a column under some ends against the table."""
    stands, lies = _with_column(guess, ends, key, column), Group({}, _on_table(guess, ends))
    without = guess.copy()
    without.remove([key])
    box = guess.box(stands, 1.0)
    base = guess.others(box, stands.names())
    rise = without.energy(box, base, stands) - without.energy(box, base, lies)
    rim = 0.0 if np.isnan(column.rim) else column.rim - tolerances.GROUND_RIM_USUAL
    return -rise / 2 * tolerances.DEPTH_EVIDENCE + tolerances.RIM_EVIDENCE * rim


def _lay_key(guess: Guess, end: End) -> int:
    return sorted(guess.lays)[end[0]]


def _with_column(guess: Guess, ends: list[End], key: int, column: ColumnCandidate) -> Group:
    """The column and the roads with these ends on it, the second and later ones on what lies there already."""
    thickness = guess.model.pieces.stick.thickness
    top = column.levels * guess.model.pieces.disc.height
    lays: dict[int, Lay] = {}
    for more, (m, side) in enumerate(ends):
        name = _lay_key(guess, (m, side))
        lays[name] = _moved(guess, lays.get(name, guess.lays[name]), side, key, top, more * thickness)
    return Group({key: Post(column.x, column.y, column.levels)}, lays)


def _on_table(guess: Guess, ends: list[End]) -> dict[int, Lay]:
    """The roads with these ends on the table."""
    lays: dict[int, Lay] = {}
    for m, side in ends:
        name = _lay_key(guess, (m, side))
        lays[name] = _moved(guess, lays.get(name, guess.lays[name]), side, TABLE, 0.0, 0.0)
    return lays


def _moved(guess: Guess, lay: Lay, side: int, end: int, below_mm: float, lift_mm: float) -> Lay:
    """A road with one end on something else, where the colour camera still sees it where it did."""
    tips = [tip.copy() for tip in guess.tips(lay)]
    z = below_mm + lift_mm + guess.model.pieces.stick.thickness
    tips[side][:2] = on_ray(guess.model.plan.eye, tips[side], z)
    (x, y), way = (tips[0][:2] + tips[1][:2]) / 2, (tips[1] - tips[0])[:2]
    ends = (end, lay.ends[1]) if side == 0 else (lay.ends[0], end)
    lift = (lift_mm, lay.lift[1]) if side == 0 else (lay.lift[0], lift_mm)
    return replace(lay, x=float(x), y=float(y), angle=float(np.arctan2(way[1], way[0])), ends=ends, lift=lift)


def _changed(assembly: Assembly, out: set[int], new: list[tuple[ColumnCandidate, list[End]]]) -> Assembly:
    """The assembly without some columns, whose ends then lie on the table, and with new ones under some ends."""
    left = [k for k in range(len(assembly.columns)) if k not in out]
    place = {k: at for at, k in enumerate(left)}
    columns = [assembly.columns[k] for k in left] + [column for column, _ in new]
    ends = [[place.get(end, -1) for end in found.ends] for found in assembly.roads]
    for at, (_, carried) in enumerate(new):
        for m, side in carried:
            ends[m][side] = len(left) + at
    roads = [replace(found, ends=(two[0], two[1])) for found, two in zip(assembly.roads, ends, strict=True)]
    return Assembly(columns, roads)
