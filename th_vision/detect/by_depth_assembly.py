"""From the best guess by depth to an assembly: what lies on what, how sure each level and place is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rules.layout import Layout
from rules.pieces import Pieces
from th_vision import tolerances
from th_vision.detect.assembly import Assembly, FoundRoad
from th_vision.detect.by_depth import polish_all, search
from th_vision.detect.columns import ColumnCandidate
from th_vision.detect.depth_model import DepthModel
from th_vision.detect.depth_order import Order, find_order
from th_vision.detect.depth_search import TABLE, Group, Guess
from th_vision.detect.measure import MeasuredRoad
from th_vision.detect.plan import PlanView


def assemble_by_depth(plan: PlanView, pieces: Pieces, prior: Layout | None = None) -> Assembly:
    """Find all columns and roads of a view without colour, those of ``prior`` first at their old places."""
    model = DepthModel(plan, pieces)
    guess, layers = search(plan, pieces, model, prior)
    order = find_order(guess, layers)
    polish_all(guess, (6.0, 3.0, 1.0, 0.5))
    order = _levels_again(guess, layers, order)
    place = {key: k for k, key in enumerate(guess.posts)}
    ages = _ages(order)
    roads = []
    for key in order.roads:
        lay = guess.lays[key]
        ends = tuple(TABLE if end == TABLE else place[end] for end in lay.ends)
        roads.append(FoundRoad(_road(guess, key), (ends[0], ends[1]), 1.0, ages[key]))
    return Assembly([_column(guess, key) for key in guess.posts], roads)


def _levels_again(guess: Guess, layers: dict[int, int], order: Order) -> Order:
    """Levels that are doubtful now that it is known what lies on what: a heap of ends looks like one more disc."""
    for key in list(guess.posts):
        if _level_probability(guess, key) > tolerances.DEPTH_LEVEL_SURE:
            continue
        before, kept, post = guess.total(), guess.copy(), guess.posts[key]
        for step in (-1, 1):
            if post.levels + step < 1:
                continue
            guess.put(Group({key: replace(post, levels=post.levels + step)}))
            other = find_order(guess, layers)
            polish_all(guess, (3.0, 1.0))
            if guess.total() < before:
                order = other
                break
            guess.restore(kept)
    return order


def _ages(order: Order) -> dict[int, int]:
    """Ages that tell what lies below what; roads whose order is unsure, and those between them, have one age."""
    place = {key: k for k, key in enumerate(order.roads)}
    ages = list(range(len(order.roads)))
    for lower, upper in order.unsure:
        first = ages[place[lower]]
        merged = set(ages[place[lower] : place[upper] + 1])
        ages = [first if age in merged else age for age in ages]
    return {key: ages[k] for key, k in place.items()}


def _road(guess: Guess, key: int) -> MeasuredRoad:
    lay = guess.lays[key]
    a, b = guess.tips(lay)
    stiff = guess.stiffness(Group({}, {key: lay}), tolerances.DEPTH_STIFFNESS_STEP_MM)
    across = np.hypot(_sigma(stiff[key, 0]), _sigma(stiff[key, 2]))
    common = _common(guess)
    return MeasuredRoad(
        a,
        b,
        sigma_across=float(np.hypot(across, tolerances.DEPTH_ROAD_ACROSS_MM * common)),
        sigma_along=float(np.hypot(_sigma(stiff[key, 1]), tolerances.DEPTH_ROAD_ALONG_MM * common)),
        tip_clear=(0.0, 0.0),
        edges=float("nan"),
        presence=1.0,
        reading_mm=0.0,
    )


def _common(guess: Guess) -> float:
    """What is left of the common part of the sigmas where edges are sharp."""
    share = tolerances.DEPTH_SHARP_SIGMA_SHARE
    return share + (1 - share) * guess.model.softness


def _sigma(stiffness: float) -> float:
    """Sigma (mm) by how steeply the energy rises; a ragged edge as a whole holds better than it scatters."""
    return float(tolerances.DEPTH_SIGMA_GAIN / np.sqrt(max(stiffness, tolerances.DEPTH_LEAST_STIFFNESS)))


def _column(guess: Guess, key: int) -> ColumnCandidate:
    post = guess.posts[key]
    group = Group({key: post})
    stiff = guess.stiffness(group, tolerances.DEPTH_STIFFNESS_STEP_MM)
    sigma = np.sqrt((_sigma(stiff[key, 0]) ** 2 + _sigma(stiff[key, 1]) ** 2) / 2)
    return ColumnCandidate(
        x=post.x,
        y=post.y,
        levels=post.levels,
        score=1.0,
        rim=float("nan"),
        fill=1.0,
        reading_mm=float("nan"),
        sigma_xy=float(np.hypot(sigma, tolerances.DEPTH_COLUMN_XY_MM * _common(guess))),
        levels_probability=_level_probability(guess, key),
    )


def _level_probability(guess: Guess, key: int) -> float:
    """How probable the level is against one more and one less, with the roads on it raised or lowered as well."""
    post = guess.posts[key]
    lays = {k: lay for k, lay in guess.lays.items() if key in lay.ends}
    box = guess.box(Group({key: post}, lays), 1.0)
    base = guess.others(box, {key, *lays})
    here = guess.energy(box, base, Group({key: post}, lays))
    odds = 0.0
    for step in (-1, 1):
        if post.levels + step >= 1:
            other = Group({key: replace(post, levels=post.levels + step)}, lays)
            rise = guess.energy(box, base, other) - here
            odds += float(np.exp(np.clip(-rise / 2 * tolerances.DEPTH_EVIDENCE, -50, 50)))
    return float(np.clip(1 / (1 + odds), 0.01, 0.9999))
