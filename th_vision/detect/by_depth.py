"""Columns and roads of a view without colour: chosen and placed by how well together they explain depth.

A road comes with the columns under its ends. The road that explains most is put in first, then the one that explains
most of what is left, until nothing gains; then all are moved to where they fit best, and levels and the order of
stacked ends are tried.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rules.layout import Layout
from rules.pieces import Pieces
from th_vision import tolerances
from th_vision.detect.columns import ColumnCandidate, column_candidates
from th_vision.detect.depth_model import DepthModel, Post, typical_car
from th_vision.detect.depth_search import TABLE, Group, Guess, Lay
from th_vision.detect.plan import PlanView
from th_vision.detect.roads import RoadCandidate, fit_line, joinable, ramps_from

Array = NDArray[np.float64]


def search(
    plan: PlanView, pieces: Pieces, model: DepthModel, prior: Layout | None = None
) -> tuple[Guess, dict[int, int]]:
    """The guess that explains depth best; and for each road that lay there before, how many lay below it."""
    guess = Guess(model)
    layers = put_known(guess, prior) if prior is not None else {}
    candidates = column_candidates(plan, pieces)
    _put_in(guess, _roads(guess, plan, pieces, candidates))
    polish_all(guess, (2.0, 1.0))
    _put_in(guess, _ramps_of_posts(guess))
    put_cars(guess)
    _put_in(guess, _posts(guess, candidates))
    settle(guess)
    return guess, {key: layer for key, layer in layers.items() if key in guess.lays}


def put_known(guess: Guess, prior: Layout) -> dict[int, int]:
    """Put in what stood there before and still explains depth; returns the layers of its roads by key."""
    from th_vision.detect.assemble import column_under, layer_of

    key_of: dict[str, int] = {}
    for column in prior.columns:
        key_of[column.id] = key = guess.new_key()
        guess.put(Group({key: Post(column.x, column.y, column.levels)}))
    by_id = {road.id: road for road in prior.roads}
    layers: dict[int, int] = {}
    for road in prior.roads:
        ends = tuple(key_of.get(column_under(by_id, road, side), TABLE) for side in (0, 1))
        a, b = np.array(road.ends[0][:2]), np.array(road.ends[1][:2])
        middle, way = (a + b) / 2, b - a
        key = guess.new_key()
        layers[key] = layer_of(by_id, road)
        lay = Lay(float(middle[0]), float(middle[1]), float(np.arctan2(way[1], way[0])), (ends[0], ends[1]))
        guess.put(Group({}, {key: lay}))
    polish_all(guess, (3.0, 1.5))
    _prune(guess)
    return layers


def settle(guess: Guess) -> None:
    """Move everything to where it fits best, try other levels, take out what explains nothing."""
    for steps in ((2.0, 1.0), (1.0, 0.5)):
        polish_all(guess, steps)
        put_cars(guess)
        _try_levels(guess)
        _prune(guess)
    polish_all(guess, (0.6, 0.3))


def _roads(guess: Guess, plan: PlanView, pieces: Pieces, candidates: list[ColumnCandidate]) -> list[Group]:
    """Roads with a column under each end, from all pairs of candidates between which depth shows something."""
    from th_vision.detect.assemble import present_pairs

    top = pieces.stick.thickness
    centers = [np.array([c.x, c.y]) for c in candidates]
    heights = [c.levels * pieces.disc.height + top for c in candidates]
    pairs = [
        (i, j)
        for i in range(len(candidates))
        for j in range(i + 1, len(candidates))
        if joinable(pieces, candidates[i], candidates[j])
    ]
    out: list[Group] = []
    ends: list[Array] = []
    scores: list[float] = []

    def propose(line: RoadCandidate, levels: tuple[int, int]) -> None:
        out.append(_group(guess, line.a, line.b, levels))
        ends.append(np.array([line.a, line.b]))
        scores.append(line.score)

    for i, j in present_pairs(plan, pieces, pairs, centers, heights):
        a, b = np.array([*centers[i], heights[i]]), np.array([*centers[j], heights[j]])
        line = fit_line(plan, pieces, a, b)
        if line is not None:
            propose(line, (candidates[i].levels, candidates[j].levels))
    for candidate in candidates:
        if candidate.levels <= tolerances.OFFRAMP_HIGHEST_LEVEL:
            for line in ramps_from(plan, pieces, candidate):
                propose(line, (candidate.levels, 0))
    return _distinct(out, ends, scores)


def _ramps_of_posts(guess: Guess) -> list[Group]:
    """Roads from low columns that stand down to the table, in whatever directions depth shows a bit of height."""
    model = guess.model
    pieces = model.pieces
    angles = np.radians(np.arange(0, 360, tolerances.RAMP_SEARCH_STEP_DEG))
    fraction = np.linspace(0.2, 0.6, 9)
    out = []
    for key, post in guess.posts.items():
        if post.levels > tolerances.OFFRAMP_HIGHEST_LEVEL:
            continue
        top = post.levels * pieces.disc.height + pieces.stick.thickness
        run = float(np.sqrt(max(pieces.stick.length**2 - (top - pieces.stick.thickness) ** 2, 1.0)))
        reach = fraction * run - tolerances.DEPTH_OVERHANG_MM
        points = np.empty((len(angles), len(fraction), 3))
        points[..., 0] = post.x + np.cos(angles)[:, None] * reach
        points[..., 1] = post.y + np.sin(angles)[:, None] * reach
        points[..., 2] = top + fraction * (pieces.stick.thickness - top)
        seen = np.asarray(model.plan.heights(points), dtype=np.float64)
        share = np.nan_to_num(np.nanmean(seen / points[..., 2], axis=1))
        for k, angle in enumerate(angles):
            if share[k] < tolerances.DEPTH_RAMP_SHARE or share[k] < max(share[k - 1], share[(k + 1) % len(share)]):
                continue
            middle = run / 2 - tolerances.DEPTH_OVERHANG_MM
            x, y = post.x + np.cos(angle) * middle, post.y + np.sin(angle) * middle
            lay = Lay(float(x), float(y), float(angle), (key, TABLE))
            if not any(_same_line(guess, lay, other) for other in guess.lays.values()):
                out.append(Group({}, {guess.new_key(): lay}))
    return out


def _group(guess: Guess, a: Array, b: Array, levels: tuple[int, int]) -> Group:
    """A road along a-b with new columns under its ends (none where levels are 0)."""
    pieces = guess.model.pieces
    unit = (b - a)[:2] / float(np.hypot(*(b - a)[:2]))
    middle = (a + b)[:2] / 2
    rise = (levels[1] - levels[0]) * pieces.disc.height
    run = float(np.sqrt(max(pieces.stick.length**2 - rise**2, 1.0)))
    posts: dict[int, Post] = {}
    ends = []
    for side, level in zip((-1, 1), levels, strict=True):
        if level == 0:
            ends.append(TABLE)
            continue
        place = middle + side * (run / 2 - tolerances.DEPTH_OVERHANG_MM) * unit
        key = guess.new_key()
        posts[key] = Post(float(place[0]), float(place[1]), level)
        ends.append(key)
    lay = Lay(float(middle[0]), float(middle[1]), float(np.arctan2(unit[1], unit[0])), (ends[0], ends[1]))
    return Group(posts, {guess.new_key(): lay})


def _posts(guess: Guess, candidates: list[ColumnCandidate]) -> list[Group]:
    return [Group({guess.new_key(): Post(c.x, c.y, c.levels)}) for c in candidates]


@dataclass
class _Waiting:
    """A hypothesis with its gain, as it was when it was last looked at; polished if it was moved since then."""

    gain: float
    group: Group
    stale: bool = False
    polished: tuple[float, Group] | None = None


def put_cars(guess: Guess) -> None:
    """Put cars on the roads where something as large as a car rises from them: else it would be taken for a column."""
    for key in list(guess.lays):
        lay = replace(guess.lays[key], cars=())
        box = guess.box(Group({}, {key: lay}), 0.0)
        base = guess.others(box, [key])
        best = guess.energy(box, base, Group({}, {key: lay}))
        half, length = guess.model.pieces.stick.length / 2, typical_car(guess.model.pieces).length
        places = np.arange(-half + length / 2, half - length / 2 + 0.1, tolerances.DEPTH_CAR_STEP_MM)
        while len(lay.cars) < tolerances.DEPTH_MOST_CARS:
            free = [float(at) for at in places if all(abs(at - other) > 0.9 * length for other in lay.cars)]
            tried = [replace(lay, cars=(*lay.cars, at)) for at in free]
            energies = [guess.energy(box, base, Group({}, {key: other})) for other in tried]
            if not energies or best - min(energies) < tolerances.DEPTH_CAR_GAIN:
                break
            best = min(energies)
            lay = tried[int(np.argmin(energies))]
        guess.put(Group({}, {key: lay}))


def _put_in(guess: Guess, hypotheses: list[Group]) -> None:
    """Greedily: of the best few as they are, polished, the best is put in; until nothing gains enough."""
    waiting = [_Waiting(*_best_shift(guess, group)) for group in hypotheses]
    waiting = [item for item in waiting if item.gain >= _least(item.group) * tolerances.DEPTH_LOOK_SHARE]
    while waiting:
        front = _front(guess, waiting)
        if not front:
            return
        for item in front:
            if item.polished is None:
                done, gain = guess.polish(item.group, (3.0, 1.5))
                done, gain = _levels_of(guess, done, gain)
                item.polished = (gain, done)
        gain, group = max((item.polished for item in front if item.polished), key=lambda pair: pair[0])
        if gain < _least(group):
            waiting = [item for item in waiting if all(item is not other for other in front)]
            continue
        guess.put(group)
        changed = guess.box(group, 0.0)
        again = []
        for item in waiting:
            joined = _joined(guess, item.group)
            if joined is None:
                continue
            if joined is not item.group or _meet(changed, guess.box(item.group, 6.0)):
                item = _Waiting(item.gain, joined, stale=True)
            again.append(item)
        waiting = again


def _front(guess: Guess, waiting: list[_Waiting]) -> list[_Waiting]:
    """The best few; the gains of those that something was put in beside are looked at again when they come up."""
    front: list[_Waiting] = []
    waiting.sort(key=lambda item: -item.gain)
    k = 0
    while k < len(waiting) and len(front) < tolerances.DEPTH_LOOK_AT:
        item = waiting[k]
        if item.stale:
            item.gain, item.group = _best_shift(guess, item.group)
            item.stale = False
            if item.gain < _least(item.group) * tolerances.DEPTH_LOOK_SHARE:
                del waiting[k]
                continue
            if k + 1 < len(waiting) and item.gain < waiting[k + 1].gain:
                waiting.sort(key=lambda item: -item.gain)
                front = []
                k = 0
                continue
        front.append(item)
        k += 1
    return front


def _distinct(groups: list[Group], ends: list[Array], scores: list[float]) -> list[Group]:
    """Of roads that say nearly the same only the one of the best score. ``ends``: (2, 3) tips of each."""
    if not groups:
        return []
    all_ends = np.array(ends)
    left = np.ones(len(groups), dtype=np.bool_)
    kept = []
    for k in np.argsort(-np.array(scores), kind="stable"):
        if not left[k]:
            continue
        kept.append(groups[k])
        for order in (all_ends, all_ends[:, ::-1]):
            apart = np.abs(order - all_ends[k])
            near = np.hypot(apart[..., 0], apart[..., 1]).max(axis=1) < tolerances.DEPTH_SAME_MM
            left &= ~(near & (apart[..., 2].max(axis=1) < 1.0))
    return kept


def _least(group: Group) -> float:
    """The gain from which on a new group is believed; columns that stand already need no explanation of their own."""
    if not group.lays:
        return tolerances.DEPTH_POST_GAIN
    return tolerances.DEPTH_ROAD_GAIN + len(group.posts) * tolerances.DEPTH_NEW_POST_GAIN


def _meet(a: tuple[int, int, int, int], b: tuple[int, int, int, int]) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _best_shift(guess: Guess, group: Group) -> tuple[float, Group]:
    """The gain of a group as it is, or shifted along its road."""
    if not group.lays:
        return guess.gain(group), group
    (lay,) = group.lays.values()
    box = guess.box(group, 8.0)
    base = guess.others(box, group.names())
    without = float(guess.model.cost(base, box).sum())
    best: tuple[float, Group] | None = None
    for along in (0.0, -7.0, 7.0):
        moved = _shifted(group, along * np.array([np.cos(lay.angle), np.sin(lay.angle)]))
        gain = without - guess.energy(box, base, moved)
        if best is None or gain > best[0]:
            best = gain, moved
    assert best is not None
    return best


def _shifted(group: Group, by: Array) -> Group:
    dx, dy = float(by[0]), float(by[1])
    return Group(
        {k: replace(post, x=post.x + dx, y=post.y + dy) for k, post in group.posts.items()},
        {k: replace(lay, x=lay.x + dx, y=lay.y + dy) for k, lay in group.lays.items()},
    )


def _joined(guess: Guess, group: Group) -> Group | None:
    """A group whose columns that stand already are those that stand; None where it says nothing new."""
    near = tolerances.DEPTH_SAME_POST * guess.model.pieces.disc.diameter
    same: dict[int, int] = {}
    for key, post in group.posts.items():
        for other_key, other in guess.posts.items():
            if np.hypot(post.x - other.x, post.y - other.y) < near:
                same[key] = other_key
    if not group.lays:
        return None if same else group
    ((key, lay),) = group.lays.items()
    ends = tuple(same.get(end, end) for end in lay.ends)
    if ends[0] == ends[1]:
        return None
    if any(_same_line(guess, lay, other) for other in guess.lays.values()):
        return None
    if not same:
        return group
    posts = {k: post for k, post in group.posts.items() if k not in same}
    return Group(posts, {key: replace(lay, ends=(ends[0], ends[1]))})


def _same_line(guess: Guess, lay: Lay, other: Lay) -> bool:
    """Whether two roads lie over each other for more than ends on one column do."""
    stick = guess.model.pieces.stick
    unit = np.array([np.cos(other.angle), np.sin(other.angle)])
    along = np.linspace(-0.5, 0.5, 21)[:, None] * stick.length * np.array([np.cos(lay.angle), np.sin(lay.angle)])
    points = along + np.array([lay.x - other.x, lay.y - other.y])
    s, t = points @ unit, points @ np.array([-unit[1], unit[0]])
    common = (np.abs(t) < stick.width * 0.8) & (np.abs(s) < stick.length / 2)
    return bool(common.mean() > tolerances.ROAD_OVERLAP_SHARE)


def _levels_of(guess: Guess, group: Group, gain: float) -> tuple[Group, float]:
    """The group with other levels where that gains more."""
    for key in list(group.posts):
        for step in (-1, 1):
            post = group.posts[key]
            if post.levels + step < 1:
                continue
            other = Group({**group.posts, key: replace(post, levels=post.levels + step)}, group.lays)
            better = guess.gain(other)
            if better > gain:
                group, gain = other, better
    return group, gain


def polish_all(guess: Guess, steps_mm: tuple[float, ...]) -> None:
    for key in list(guess.lays):
        group, _ = guess.polish(Group({}, {key: guess.lays[key]}), steps_mm)
        guess.put(group)
    for key in list(guess.posts):
        group, _ = guess.polish(Group({key: guess.posts[key]}), steps_mm)
        guess.put(group)


def _try_levels(guess: Guess) -> None:
    for key in list(guess.posts):
        lays = {k: lay for k, lay in guess.lays.items() if key in lay.ends}
        group = Group({key: guess.posts[key]}, lays)
        box = guess.box(group, 3.0)
        base = guess.others(box, group.names())
        best = guess.energy(box, base, group)
        for step in (-1, 1):
            post = guess.posts[key]
            if post.levels + step < 1:
                continue
            other = Group({key: replace(post, levels=post.levels + step)}, lays)
            energy = guess.energy(box, base, other)
            if energy < best:
                group, best = other, energy
        guess.put(group)


def _prune(guess: Guess) -> None:
    """Take out what explains too little by itself: roads first, then columns that carry none."""
    for key in list(guess.lays):
        if guess.gain(Group({}, {key: guess.lays[key]})) < tolerances.DEPTH_ROAD_GAIN * tolerances.DEPTH_KEEP_SHARE:
            guess.take_out([key])
    carrying = {end for lay in guess.lays.values() for end in lay.ends}
    for key in list(guess.posts):
        if key in carrying:
            continue
        if guess.gain(Group({key: guess.posts[key]})) < tolerances.DEPTH_POST_GAIN * tolerances.DEPTH_KEEP_SHARE:
            guess.take_out([key])
