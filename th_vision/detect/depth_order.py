"""Which of the roads that share a column lies on which, by depth: the order whose resting heights fit best."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from th_vision import tolerances
from th_vision.detect.depth_search import TABLE, Group, Guess
from th_vision.detect.resting import Lying, outline, rest


@dataclass(frozen=True)
class Order:
    """Keys of roads, lowest first; and the pairs (lower, upper) of which depth can't say that surely."""

    roads: tuple[int, ...]
    unsure: frozenset[tuple[int, int]]


def find_order(guess: Guess, known_layers: dict[int, int]) -> Order:
    """Order the roads of a guess and lay each where it then comes to rest.

    ``known_layers``: how many roads lie below those that lay there before; they lie below all others.
    """
    pairs = _overlapping(guess)
    newest = max(known_layers.values(), default=0) + 1
    layers = {key: known_layers.get(key, newest) for key in guess.lays}
    order = sorted(guess.lays, key=lambda key: (layers[key], sum(guess.lays[key].lift)))
    _lay(guess, order)
    free = [pair for pair in pairs if layers[pair[0]] == layers[pair[1]]]
    unsure: set[tuple[int, int]] = set()
    best = _energy(guess, order) if free else 0.0
    for _ in range(2):
        changed = False
        unsure.clear()
        for a, b in free:
            lower, upper = (a, b) if order.index(a) < order.index(b) else (b, a)
            swapped = _swapped(order, lower, upper)
            energy = _energy(guess, swapped)
            if energy < best:
                order, best, changed = swapped, energy, True
                lower, upper = upper, lower
            elif energy - best < tolerances.DEPTH_ORDER_SURE:
                unsure.add((lower, upper))
        if not changed:
            break
    _lay(guess, order)
    return Order(tuple(order), frozenset(unsure))


def _swapped(order: list[int], lower: int, upper: int) -> list[int]:
    """The order with ``upper`` put right below ``lower``."""
    rest_of = [key for key in order if key != upper]
    at = rest_of.index(lower)
    return [*rest_of[:at], upper, *rest_of[at:]]


def _overlapping(guess: Guess) -> list[tuple[int, int]]:
    """Pairs of roads that share a column and lie over each other there."""
    pieces = guess.model.pieces
    shapes = {}
    for key, lay in guess.lays.items():
        a, b = guess.tips(lay)
        shapes[key] = outline(pieces, a[:2], b[:2])
    keys = list(guess.lays)
    return [
        (a, b)
        for i, a in enumerate(keys)
        for b in keys[i + 1 :]
        if (set(guess.lays[a].ends) & set(guess.lays[b].ends)) - {TABLE}
        and shapes[a].intersection(shapes[b]).area > 1.0
    ]


def _resting(guess: Guess, order: list[int]) -> Group:
    """All roads at their resting heights, laid down in this order."""
    pieces = guess.model.pieces
    lying: dict[int, Lying] = {}
    lays = {}
    for key in order:
        lay = guess.lays[key]
        a, b = (tip[:2] for tip in guess.tips(lay))
        own = set(lay.ends) - {TABLE}
        tops = [(guess.posts[e].x, guess.posts[e].y, guess.posts[e].levels * pieces.disc.height) for e in own]
        below = [lying[m] for m in lying if own & set(guess.lays[m].ends)]
        lying[key] = at = rest(pieces, a, b, tops, below)
        lifts = []
        for end, z in zip(lay.ends, (at.za, at.zb), strict=True):
            level = 0 if end == TABLE else guess.posts[end].levels
            usual = level * pieces.disc.height + pieces.stick.thickness
            most = 4 * pieces.stick.thickness  # an end that does not reach its column would tip down or up
            lifts.append(float(np.clip(z - usual, -most, most)))
        lays[key] = replace(lay, lift=(lifts[0], lifts[1]), rests=(lifts[0], lifts[1]))
    return Group({}, lays)


def _energy(guess: Guess, order: list[int]) -> float:
    group = _resting(guess, order)
    box = guess.box(group, 0.0)
    return guess.energy(box, guess.others(box, group.names()), group)


def _lay(guess: Guess, order: list[int]) -> None:
    guess.put(_resting(guess, order))
