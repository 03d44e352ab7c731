"""Hypotheses put in one by one, best first, each by what it explains of what the others leave."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from th_vision import tolerances
from th_vision.detect.depth_hypotheses import same_line
from th_vision.detect.depth_search import Group, Guess

Array = NDArray[np.float64]


@dataclass
class _Waiting:
    """A hypothesis with its gain, as it was when it was last looked at; polished if it was moved since then."""

    gain: float
    group: Group
    stale: bool = False
    polished: tuple[float, Group] | None = None


def put_in(guess: Guess, hypotheses: list[Group]) -> None:
    """Greedily: of the best few as they are, polished, the best is put in; until nothing gains enough."""
    waiting = [_Waiting(*best_shift(guess, group)) for group in hypotheses]
    waiting = [item for item in waiting if item.gain >= least_gain(item.group) * tolerances.DEPTH_LOOK_SHARE]
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
        if gain < least_gain(group):
            waiting = [item for item in waiting if all(item is not other for other in front)]
            continue
        guess.put(group)
        changed = guess.box(group, 0.0)
        again = []
        for item in waiting:
            now = joined(guess, item.group)
            if now is None:
                continue
            if now is not item.group or boxes_meet(changed, guess.box(item.group, 6.0)):
                item = _Waiting(item.gain, now, stale=True)
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
            item.gain, item.group = best_shift(guess, item.group)
            item.stale = False
            if item.gain < least_gain(item.group) * tolerances.DEPTH_LOOK_SHARE:
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


def least_gain(group: Group) -> float:
    """The gain from which on a new group is believed; columns that stand already need no explanation of their own."""
    if not group.lays:
        return tolerances.DEPTH_POST_GAIN
    return tolerances.DEPTH_ROAD_GAIN + len(group.posts) * tolerances.DEPTH_NEW_POST_GAIN


def boxes_meet(a: tuple[int, int, int, int], b: tuple[int, int, int, int]) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def best_shift(guess: Guess, group: Group) -> tuple[float, Group]:
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


def joined(guess: Guess, group: Group) -> Group | None:
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
    if any(same_line(guess, lay, other) for other in guess.lays.values()):
        return None
    if not same:
        return group
    posts = {k: post for k, post in group.posts.items() if k not in same}
    return Group(posts, {key: replace(lay, ends=(ends[0], ends[1]))})


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
