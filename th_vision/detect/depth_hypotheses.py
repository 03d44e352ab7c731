"""What may lie on the table, by depth: roads between column candidates, roads down to the table, columns alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rules.pieces import Pieces
from th_vision import tolerances
from th_vision.detect.columns import ColumnCandidate
from th_vision.detect.depth_model import Post
from th_vision.detect.depth_search import TABLE, Group, Guess, Lay
from th_vision.detect.plan import PlanView
from th_vision.detect.propose import lines_between

Array = NDArray[np.float64]


def roads_between(guess: Guess, plan: PlanView, pieces: Pieces, candidates: list[ColumnCandidate]) -> list[Group]:
    """Roads with a column under each end, from all pairs of candidates between which depth shows something."""
    out: list[Group] = []
    ends: list[Array] = []
    scores: list[float] = []
    for one in lines_between(plan, pieces, candidates):
        levels = (candidates[one.ends[0]].levels, candidates[one.ends[1]].levels if one.ends[1] >= 0 else 0)
        out.append(group_along(guess, one.line.a, one.line.b, levels))
        ends.append(np.array([one.line.a, one.line.b]))
        scores.append(one.line.score)
    return _distinct(out, ends, scores)


def ramps_of_posts(guess: Guess) -> list[Group]:
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
            if not any(same_line(guess, lay, other) for other in guess.lays.values()):
                out.append(Group({}, {guess.new_key(): lay}))
    return out


def lone_posts(guess: Guess, candidates: list[ColumnCandidate]) -> list[Group]:
    return [Group({guess.new_key(): Post(c.x, c.y, c.levels)}) for c in candidates]


def group_along(guess: Guess, a: Array, b: Array, levels: tuple[int, int]) -> Group:
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


def same_line(guess: Guess, lay: Lay, other: Lay) -> bool:
    """Whether two roads lie over each other for more than ends on one column do."""
    stick = guess.model.pieces.stick
    unit = np.array([np.cos(other.angle), np.sin(other.angle)])
    along = np.linspace(-0.5, 0.5, 21)[:, None] * stick.length * np.array([np.cos(lay.angle), np.sin(lay.angle)])
    points = along + np.array([lay.x - other.x, lay.y - other.y])
    s, t = points @ unit, points @ np.array([-unit[1], unit[0]])
    common = (np.abs(t) < stick.width * 0.8) & (np.abs(s) < stick.length / 2)
    return bool(common.mean() > tolerances.ROAD_OVERLAP_SHARE)
