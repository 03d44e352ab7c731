"""The levels of columns by all that depth shows around them: one more and one less are tried with the roads on top."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace
from itertools import product

import numpy as np
from numpy.typing import NDArray

from rules.pieces import Pieces
from th_vision import tolerances
from th_vision.detect.assembly import Assembly, FoundRoad
from th_vision.detect.columns import ColumnCandidate, best_rim, disc_points
from th_vision.detect.depth_model import Box, DepthModel, Post, Raster
from th_vision.detect.depth_search import Group, Guess, Lay
from th_vision.detect.explained import Explained, guess_of_assembly
from th_vision.detect.plan import Image, PlanView
from th_vision.support import on_ray

Array = NDArray[np.float64]


def without_ghosts(model: DepthModel, assembly: Assembly, known: int) -> Assembly:
    """The assembly without new roads and lone new columns that explain nothing of the depth that the rest leaves open.

    A shadow beside a high road can look like a lower road in colour; depth behind it is the high road's own.
    """
    guess = guess_of_assembly(model, assembly)
    first_road = len(assembly.columns)
    there = dict(enumerate(assembly.roads))
    gains = {m: _gain(guess, first_road + m) for m, found in there.items() if found.age == FoundRoad.age}
    while ghosts := [m for m, gain in gains.items() if gain < _least_gain(there[m])]:
        # one road can take another's gain: the one that less speaks for goes first
        worst = min(ghosts, key=lambda m: there[m].score)
        box = guess.box(Group({}, {first_road + worst: guess.lays[first_road + worst]}), 0.0)
        guess.remove((first_road + worst,))
        del gains[worst], there[worst]
        for m in gains:
            if _touch(box, guess.box(Group({}, {first_road + m: guess.lays[first_road + m]}), 0.0)):
                gains[m] = _gain(guess, first_road + m)
    assembly = Assembly(assembly.columns, list(there.values()))
    carrying = {end for found in assembly.roads for end in found.ends}
    keep = [
        k
        for k, column in enumerate(assembly.columns)
        if k < known
        or k in carrying
        or (
            not column.rim < tolerances.LONE_COLUMN_RIM
            and guess.gain(Group({k: guess.posts[k]})) >= tolerances.COLUMN_LEAST_GAIN
        )
    ]
    place = {old: new for new, old in enumerate(keep)}
    return Assembly(
        [assembly.columns[k] for k in keep],
        [replace(f, ends=(place.get(f.ends[0], -1), place.get(f.ends[1], -1))) for f in assembly.roads],
    )


def _least_gain(found: FoundRoad) -> float:
    """What a road must explain of depth to be believed."""
    wanted = (tolerances.ROAD_LEAST_GAIN, tolerances.ROAD_CLEAR_GAIN)
    return float(np.interp(np.nan_to_num(found.road.edges), tolerances.ROAD_GAIN_EDGES, wanted))


def _touch(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _gain(guess: Guess, key: int) -> float:
    """What a road explains of depth, as it lies; or else, where it explains most with its ends up to a level higher or
    lower: its columns' levels are not settled yet."""
    lay, disc = guess.lays[key], guess.model.pieces.disc.height
    group = Group({}, {key: lay})
    box = guess.box(group, 0.0)
    base, strain = guess.others(box, {key}), guess.strain(group)
    asked = box, base.tobytes(), guess.beam(lay), lay.cars, strain
    if asked in guess.model.gains:  # round after round most roads are asked the same
        return guess.model.gains[asked]
    without = guess.cost(box, base, ())
    best = without - (guess.misfit(box, base, group) + strain)
    if best < tolerances.ROAD_LEAST_GAIN:
        for one, other in product((-disc, 0.0, disc), repeat=2):
            moved = replace(lay, lift=(lay.lift[0] + one, lay.lift[1] + other))
            best = max(best, without - guess.misfit(box, base, Group({}, {key: moved})))
    guess.model.gains[asked] = best
    return best


def settle_levels(
    model: DepthModel, assembly: Assembly, known: int, look: Explained | None = None, settled: Set[int] = frozenset()
) -> Assembly:
    """The assembly with each column but the first ``known`` at its most probable level, and how probable that is.

    Colour has placed everything in plan; depth says how high, by the forward model of the column and its roads. Known
    columns whose level was certain, that carry nothing new and that explain what is seen (``look``) stay as they were,
    and so do those that are ``settled`` (by their places).
    """
    guess = guess_of_assembly(model, assembly)
    plan, pieces = model.plan, model.pieces
    columns = list(assembly.columns)
    carrying_new = {end for found in assembly.roads if found.age == FoundRoad.age for end in found.ends}
    for k in range(len(columns)):
        if k in settled or (k < known and look is not None and _settled(pieces, columns[k], look, k in carrying_new)):
            continue
        if k < known and k in carrying_new and _agree(pieces, columns[k], k, assembly.roads):
            continue
        options = _options(plan, pieces, columns[k]) if k >= known else [columns[k]]
        around = {c.levels: c for c in options}
        for levels in (columns[k].levels - 1, columns[k].levels + 1):
            if levels >= 1:
                around.setdefault(levels, replace(columns[k], levels=levels))
        evidence = {levels: evidence_for(guess, k, c) for levels, c in around.items()}
        best = max(evidence, key=lambda levels: evidence[levels]) if k >= known else columns[k].levels
        others = sum(np.exp(min(evidence[levels] - evidence[best], 50.0)) for levels in evidence if levels != best)
        probability = float(np.clip(1 / (1 + others), 0.01, 0.9999))
        columns[k] = replace(around[best], levels_probability=probability)
        guess.put(column_with_roads(guess, k, columns[k]))
    return Assembly(columns, assembly.roads)


def _agree(pieces: Pieces, column: ColumnCandidate, k: int, roads: list[FoundRoad]) -> bool:
    """Whether a known column's level is certain, and new roads on it read as high there as they should by depth."""
    if not column.levels_probability >= tolerances.LEVELS_CERTAIN:
        return False
    stick, disc = pieces.stick.thickness, pieces.disc.height
    lowest = column.levels * disc + stick
    for found in roads:
        if found.age == FoundRoad.age and k in found.ends:
            above = found.road.depth_ends[found.ends.index(k)] - lowest
            if not -disc / 2 < above < 2 * stick + disc / 2:
                return False
    return True


def _settled(pieces: Pieces, column: ColumnCandidate, look: Explained, carries_new: bool) -> bool:
    """Whether a known column's level is certain, and depth shows what it should."""
    if carries_new or not column.levels_probability >= tolerances.LEVELS_CERTAIN:
        return False
    around = disc_points(column.x, column.y, column.levels * pieces.disc.height, pieces.disc.diameter)
    return bool(look.share_open(around) == 0)


def _options(plan: PlanView, pieces: Pieces, column: ColumnCandidate) -> list[ColumnCandidate]:
    """The column one level lower, as it is, and one higher, each where its rim would then be seen."""
    out = [column]
    for levels in (column.levels - 1, column.levels + 1):
        if levels < 1:
            continue
        rim = best_rim(plan, pieces, column.x, column.y, levels, pieces.disc.radius / 2)
        if np.isnan(rim.share):
            out.append(replace(column, levels=levels))
        else:
            placed = replace(column, x=rim.x, y=rim.y, rim=rim.share, sigma_xy=rim.sigma_mm, foot=rim.foot)
            out.append(replace(placed, levels=levels))
    return out


def evidence_for(guess: Guess, k: int, column: ColumnCandidate) -> float:
    """Logarithm of how well a column explains the view, with the sticks on it lifted as it fits best."""
    group = column_with_roads(guess, k, column)
    box = guess.box(group, 1.0)
    base = guess.drawn(box, guess.others(box, {k, *group.lays}), Group(group.posts))
    faces = guess.drawn_apart(group)
    lays = dict(group.lays)
    usual = {key: usual_sticks(guess, lay, k, len(lays), group.posts) for key, lay in lays.items()}
    misfit = guess.cost(box, base, faces.values())
    energy = misfit + guess.strain(group)
    energy += sum(_lift_strain(guess, lay, k, usual[key]) - guess.lift_strain(lay) for key, lay in lays.items())
    for key in lays:
        misfit, energy = _lifted(guess, box, base, group.posts, lays, faces, key, k, usual[key], misfit, energy)
    rim = 0.3 if np.isnan(column.rim) else column.rim
    return -energy / 2 * tolerances.DEPTH_EVIDENCE + tolerances.RIM_EVIDENCE * rim


def usual_sticks(guess: Guess, lay: Lay, column: int, ends: int, posts: dict[int, Post]) -> float:
    """How far, in sticks, a road's tip is usually lifted off a column on which so many ``ends`` lie.

    A stick that climbs lies on the near edge of the rim: its tip, past the middle of the top, is higher by what it
    climbs from there. One that descends lies on the column with its tip."""
    pieces = guess.model.pieces
    tips = guess.tips(lay, posts)
    side = lay.ends.index(column)
    climbs = float(tips[side][2] - tips[1 - side][2]) / float(np.hypot(*(tips[1] - tips[0])[:2]))
    from_the_rim = max(climbs, 0.0) * (pieces.disc.radius + tolerances.DEPTH_OVERHANG_MM) / pieces.stick.thickness
    return from_the_rim + tolerances.DEPTH_STICKS_AN_END * (ends - 1)


def _lift_strain(guess: Guess, lay: Lay, column: int, usual: float) -> float:
    """What speaks against a road's end being lifted so far off a column."""
    sticks = lay.lift[lay.ends.index(column)] / guess.model.pieces.stick.thickness
    return 0.5 * ((sticks - usual) / tolerances.DEPTH_LIFT_SIGMA_STICKS) ** 2


def column_with_roads(guess: Guess, k: int, column: ColumnCandidate) -> Group:
    """Column k as given with the roads on it: at another height than they are in the guess they lie elsewhere in plan,
    for the picture shows them on the same rays."""
    rise = (column.levels - guess.posts[k].levels) * guess.model.pieces.disc.height
    lays = {key: lay for key, lay in guess.lays.items() if k in lay.ends}
    if rise and guess.model.plan.color is not None:
        lays = {key: _on_the_same_rays(guess, lay, lay.ends.index(k), rise) for key, lay in lays.items()}
    return Group({k: Post(column.x, column.y, column.levels)}, lays)


def _on_the_same_rays(guess: Guess, lay: Lay, side: int, rise: float) -> Lay:
    """A road with one end ``rise`` mm higher, where the colour camera still sees it where it did."""
    tips = [tip.copy() for tip in guess.tips(lay)]
    tips[side][:2] = on_ray(guess.model.plan.eye, tips[side], tips[side][2] + rise)
    x, y = (tips[0][:2] + tips[1][:2]) / 2
    way = (tips[1] - tips[0])[:2]
    return replace(lay, x=float(x), y=float(y), angle=float(np.arctan2(way[1], way[0])))


def _lifted(
    guess: Guess,
    box: Box,
    base: Image,
    posts: dict[int, Post],
    lays: dict[int, Lay],
    faces: dict[int, Raster],
    key: int,
    column: int,
    usual: float,
    misfit: float,
    energy: float,
) -> tuple[float, float]:
    """The misfit and the energy with one road's end lifted by some sticks or none, whichever is least; ``lays`` and
    what is drawn of them (``faces``) are updated. Ends that slope lie on each other askew: each may lift the next by
    two sticks, and one that climbs is lifted further at its tip. Higher than where it fits worse and worse, nothing
    fits."""
    lay = lays[key]
    side = lay.ends.index(column)
    rest = energy - misfit - _lift_strain(guess, lay, column, usual)
    worse, last = 0, energy
    for sticks in range(1, max(2 * len(lays), round(usual) + 1) + 1):
        lift = list(lay.lift)
        lift[side] = sticks * guess.model.pieces.stick.thickness
        tried = replace(lay, lift=(lift[0], lift[1]))
        drawn = {**faces, **guess.drawn_apart(Group(posts, {key: tried}))}
        cost = guess.cost(box, base, drawn.values())
        now = rest + cost + _lift_strain(guess, tried, column, usual)
        if now < energy:
            lays[key], faces[key], misfit, energy = tried, drawn[key], cost, now
        worse = worse + 1 if now > last else 0
        if worse == 2:
            break
        last = now
    return misfit, energy
