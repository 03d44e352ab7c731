"""A first choice looked at again: what a wrong piece keeps out may explain more than that piece.

Pieces are put in one by one, and a column put in a wrong place keeps out the road that really lies there. So roads
that would explain much but for pieces in their way are tried in their place, and the better of both is kept.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from th_vision import tolerances
from th_vision.detect.depth_choice import joined, put_in
from th_vision.detect.depth_search import TABLE, Group, Guess
from th_vision.detect.plan import Image

Array = NDArray[np.float64]


def reconsider(guess: Guess, hypotheses: list[Group]) -> bool:
    """Try what was kept out instead of what keeps it out; whether anything was changed."""
    changed = False
    for _ in range(tolerances.DEPTH_REPAIRS):
        before, kept = guess.total(), guess.copy()
        for group, blockers in _blocked(guess, hypotheses):
            guess.take_out(blockers)
            now = joined(guess, group)
            if now is not None:
                now, _ = guess.polish(now, (3.0, 1.5))
                guess.put(now)
                box = guess.box(now, 60.0)
                put_in(guess, [other for other in hypotheses if _within(guess, other, box)])
                if guess.total() < before - tolerances.DEPTH_ROAD_GAIN:
                    changed = True
                    break
            guess.restore(kept)
        else:
            return changed
    return changed


def share_posts(guess: Guess) -> None:
    """Columns that explain nothing by themselves: their roads end on a column beside them, where that fits better."""
    for key in list(guess.posts):
        if key not in guess.posts or guess.gain(Group({key: guess.posts[key]})) > tolerances.DEPTH_POST_GAIN:
            continue
        lays = {k: lay for k, lay in guess.lays.items() if key in lay.ends}
        before, kept = guess.total(), guess.copy()
        for other in _beside(guess, key):
            moved = {k: replace(lay, ends=_instead(lay.ends, key, other)) for k, lay in lays.items()}
            if any(lay.ends[0] == lay.ends[1] for lay in moved.values()):
                continue
            guess.take_out([key])
            for k, lay in moved.items():
                group, _ = guess.polish(Group({}, {k: lay}), (4.0, 2.0, 1.0))
                guess.put(group)
            if guess.total() < before:
                break
            guess.restore(kept)


def _beside(guess: Guess, key: int) -> list[int]:
    """Columns near a column, nearest first."""
    post = guess.posts[key]
    apart = {k: float(np.hypot(p.x - post.x, p.y - post.y)) for k, p in guess.posts.items() if k != key}
    reach = tolerances.DEPTH_BESIDE_DIAMETERS * guess.model.pieces.disc.diameter
    return sorted((k for k, distance in apart.items() if distance < reach), key=lambda k: apart[k])


def _instead(ends: tuple[int, int], old: int, new: int) -> tuple[int, int]:
    return (new if ends[0] == old else ends[0], new if ends[1] == old else ends[1])


def _within(guess: Guess, group: Group, box: tuple[int, int, int, int]) -> bool:
    """Whether the middle of a hypothesis' road lies in a box."""
    points = np.array([[lay.x, lay.y, 0.0] for lay in group.lays.values()] or [[0.0, 0.0, 0.0]])
    u, v = guess.model.pixels(points)[0]
    return bool(box[0] <= u < box[2] and box[1] <= v < box[3])


def _blocked(guess: Guess, hypotheses: list[Group]) -> list[tuple[Group, list[int]]]:
    """Roads that would explain much but for pieces in their way, with the keys of those; the most first."""
    height, width = guess.model.shape
    hard = guess.others((0, 0, width, height), ())
    left = np.asarray(guess.model.seen - guess.model.shown(hard, guess.model.mm_per_px), dtype=np.float32)
    found = []
    for group in hypotheses:
        now = joined(guess, group)
        if now is None or not now.lays or _unexplained(guess, now, left) < tolerances.DEPTH_UNEXPLAINED_SHARE:
            continue
        blockers = _in_the_way(guess, now)
        if not blockers:
            continue
        box = guess.box(now, 0.0)
        base = guess.others(box, now.names())
        gain = float(guess.model.cost(base, box).sum()) - guess.misfit(box, base, now)
        if gain > tolerances.DEPTH_ROAD_GAIN:
            found.append((gain, group, blockers))
    found.sort(key=lambda item: -item[0])
    return [(group, blockers) for _, group, blockers in found[: tolerances.DEPTH_LOOK_AT]]


def _unexplained(guess: Guess, group: Group, left: Image) -> float:
    """Share of a road's axis where what is seen stands out over the model."""
    (lay,) = group.lays.values()
    a, b = guess.tips(lay, group.posts)
    points = a + np.linspace(0.1, 0.9, 17)[:, None] * (b - a)
    pixels = np.rint(guess.model.pixels(points)).astype(int)
    height, width = left.shape
    values = left[np.clip(pixels[:, 1], 0, height - 1), np.clip(pixels[:, 0], 0, width - 1)]
    return float(np.mean(np.nan_to_num(values) > tolerances.DEPTH_UNEXPLAINED_MM))


def _in_the_way(guess: Guess, group: Group) -> list[int]:
    """Keys of columns that can't stand beside a group, of roads that it stands through, and of roads that then hang."""
    (lay,) = group.lays.values()
    posts = {**guess.posts, **group.posts}
    diameter = guess.model.pieces.disc.diameter
    out = set()
    for key, post in guess.posts.items():
        if key in lay.ends:
            continue
        crowded = any(np.hypot(post.x - new.x, post.y - new.y) < diameter for new in group.posts.values())
        if crowded or guess.pierced(lay, post, posts) > 0:
            out.add(key)
    for key, other in guess.lays.items():
        if any(guess.pierced(other, post, posts) > 0 for post in group.posts.values()):
            out.add(key)
    out |= {key for key, other in guess.lays.items() if out & (set(other.ends) - {TABLE})}
    carrying = {end for key, other in guess.lays.items() if key not in out for end in other.ends}
    own = {end for key in out if key in guess.lays for end in guess.lays[key].ends} - {TABLE}
    return sorted(out | {end for end in own - carrying if end not in lay.ends})
