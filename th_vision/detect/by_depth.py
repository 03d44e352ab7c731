"""Columns and roads of a view without colour: chosen and placed by how well together they explain depth.

A road comes with the columns under its ends. The road that explains most is put in first, then the one that explains
most of what is left, until nothing gains; then all are moved to where they fit best, and levels and the order of
stacked ends are tried.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rules.layout import Layout
from rules.pieces import Pieces
from th_vision import tolerances
from th_vision.detect.columns import column_candidates
from th_vision.detect.depth_choice import put_in
from th_vision.detect.depth_hypotheses import lone_posts, ramps_of_posts, roads_between
from th_vision.detect.depth_model import DepthModel, Post, typical_car
from th_vision.detect.depth_repair import reconsider, share_posts
from th_vision.detect.depth_search import TABLE, Group, Guess, Lay
from th_vision.detect.plan import PlanView

Array = NDArray[np.float64]


def search(
    plan: PlanView, pieces: Pieces, model: DepthModel, prior: Layout | None = None
) -> tuple[Guess, dict[int, int]]:
    """The guess that explains depth best; and for each road that lay there before, how many lay below it."""
    guess = Guess(model)
    layers = put_known(guess, prior) if prior is not None else {}
    candidates = column_candidates(plan, pieces)
    roads = roads_between(guess, plan, pieces, candidates)
    put_in(guess, roads)
    polish_all(guess, (2.0, 1.0))
    share_posts(guess)
    if reconsider(guess, roads):
        polish_all(guess, (2.0, 1.0))
        share_posts(guess)
    put_in(guess, ramps_of_posts(guess))
    put_cars(guess)
    put_in(guess, lone_posts(guess, candidates))
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
