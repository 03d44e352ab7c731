"""Moves that show something on purpose: of all the roads that could be built, those that fulfil a wish."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from rules.events import MoveFact, RulingLine
from th_vision.virtual_table.candidates import (
    Field,
    Margins,
    Sketches,
    check,
    possible,
    realise,
    rough_build,
    sketch,
    with_cars,
)
from th_vision.virtual_table.player import continuations
from th_vision.virtual_table.playing import Build, Playing
from th_vision.virtual_table.record_lines import as_fact
from th_vision.virtual_table.scene import Point2

JUNCTION_LEVELS = range(2, 6)
REPEATS = 6  # sketches for each direction: wishes are rare
WAYS_ON = 12  # so many sketches have to lead on from the new column: nobody builds into a corner
TOO_LOW_MM = 1.5  # a sketch for a road over a column has to clear it by so much


@dataclass(frozen=True)
class Near:
    """A road that passes a foreign column with its edge so far from the disc's outline, mm (negative: over it)."""

    least_mm: float
    most_mm: float


@dataclass(frozen=True)
class Wish:
    """A move that shows something: ``accept`` looks at the build (its crossings), before any car is on it.

    ``label`` is what the player does, in words. ``from_turn``, ``until``: the turns at which it may be
    shown; at the last one it has to be.
    ``cars``: how many more cars than due are placed (negative: forgotten). ``faults``: the rules that the ruling has
    to find broken, no others. ``junction``: whether the new column has to be one (None: either); ``offramp``: whether
    it is an offramp. ``toward``: where the new column should be, in stick lengths from the middle of the table: the
    nearest place that there is.

    ``skip``: rules that are left to the rule book while a place is sought. ``at_most``: the ruling may find fewer than
    the ``faults``. ``dead_end``: no road has to lead on. ``alter`` is done to the build before it is ruled on.
    """

    label: str
    accept: Callable[[Playing, Build], bool]
    events: tuple[str, ...] = ()
    cars: int = 0
    faults: frozenset[str] = frozenset()
    near: Near | None = None
    junction: bool | None = False
    offramp: bool = False
    from_turn: int = 1
    until: int = 1_000
    toward: Point2 | None = None
    skip: frozenset[str] = frozenset()
    at_most: bool = False
    dead_end: bool = False
    alter: Callable[[Build], Build] | None = None


@dataclass(frozen=True)
class Option:
    """A sketch that could be built, as a rough build, with the columns that it is meant to come near to."""

    sketches: Sketches
    index: int
    rough: Build
    meant: frozenset[str] = frozenset()


def options(game: Playing, rng: np.random.Generator, field: Field, margins: Margins) -> list[Option]:
    """All that the player whose turn it is could build by the rules, in chance order."""
    found: list[Option] = []
    for base in game.holding(game.whose_turn).bases:
        levels = [*_levels(game, base, junction=None, offramp=False), *_levels(game, base, junction=None, offramp=True)]
        if levels:
            rated = possible(game, sketch(game, base, levels, rng, REPEATS), field, margins)
            found += as_options(game, rated.sketches, frozenset())
    return [found[i] for i in rng.permutation(len(found))]


def options_near(game: Playing, near: Near, rng: np.random.Generator, field: Field, margins: Margins) -> list[Option]:
    """What the player could build that passes another player's column at just that distance, in chance order."""
    found: list[Option] = []
    for base in game.holding(game.whose_turn).bases:
        levels = _levels(game, base, junction=None, offramp=False)
        for sketches, meant in _passing(game, base, levels, near, rng) if levels else ():
            rated = possible(game, sketches, field, margins, meant)
            found += as_options(game, rated.sketches, meant)
    return [found[i] for i in rng.permutation(len(found))]


def as_options(game: Playing, sketches: Sketches, meant: frozenset[str]) -> list[Option]:
    return [Option(sketches, i, rough_build(game, sketches, i), meant) for i in range(len(sketches))]


def fulfil(
    game: Playing, wish: Wish, choice: list[Option], rng: np.random.Generator, field: Field, margins: Margins
) -> Build | None:
    """The first of the options that fulfils the wish when it is really built; None where none does."""
    held = game.holding(game.whose_turn)
    size = game.take_stick()
    if wish.toward is not None:
        aim = np.array(wish.toward) * game.pieces.stick.length
        choice = sorted(choice, key=lambda o: float(np.linalg.norm(o.sketches.column[o.index] - aim)))
    for option in choice:
        rough = option.rough
        if wish.offramp != (rough.column is None):
            continue
        if rough.column is not None and wish.junction is not None and rough.column.junction != wish.junction:
            continue
        if not wish.accept(game, rough):
            continue
        build = realise(game, option.sketches, option.index, size)
        if build is None or not wish.accept(game, build):
            continue
        if check(game, build, margins, meant=option.meant, skip=wish.skip) is not None:
            continue
        if wish.alter is not None:
            build = wish.alter(build)
        count = max(0, min(build.due, held.cars) + wish.cars)
        placed = with_cars(game, build, count, rng)
        if placed is None or not _ruled_as_meant(game, placed, wish):
            continue
        if (
            wish.dead_end
            or build.column is None
            or len(continuations(game, build, field, margins, rng)[1].sketches) >= WAYS_ON
        ):
            return placed
    return None


def _ruled_as_meant(game: Playing, build: Build, wish: Wish) -> bool:
    fact = as_fact(game.move_line(replace(build, cars=())))
    assert isinstance(fact, MoveFact)
    ruling: RulingLine = game.referee.preview(fact)
    broken = {fault.rule for fault in ruling.faults if fault.call != "clear"}
    as_meant = broken <= wish.faults if wish.at_most else broken == wish.faults
    due = build.due - (wish.offramp and bool(wish.faults))  # an offramp that breaks a rule earns no car
    return as_meant and ruling.cars_due == min(due, game.holding(game.whose_turn).cars)


def _levels(game: Playing, base: str, *, junction: bool | None, offramp: bool) -> list[tuple[int, bool]]:
    column, held = game.column(base), game.holding(game.whose_turn)
    if offramp:
        return [(0, False)] if column.levels == 1 and not column.junction else []
    found: list[tuple[int, bool]] = []
    if not junction:
        found += [(lv, False) for lv in (column.levels - 1, column.levels + 1) if 1 <= lv <= held.gray]
    if junction is not False and held.yellow:
        found += [(lv, True) for lv in JUNCTION_LEVELS if lv - 1 <= held.gray]
    return found


def _passing(
    game: Playing,
    base: str,
    levels: list[tuple[int, bool]],
    near: Near,
    rng: np.random.Generator,
) -> Iterator[tuple[Sketches, frozenset[str]]]:
    """Sketches that pass another player's column at just that distance, on either side of it."""
    start_column = game.column(base)
    touching = game.pieces.disc.radius + game.pieces.stick.width / 2
    for column in game.scene.columns:
        if game.owner[column.id] == game.whose_turn:
            continue
        distance = math.dist((column.x, column.y), (start_column.x, start_column.y))
        if not 2 * touching < distance < game.pieces.stick.length - 2 * touching:
            continue
        plain = sketch(game, base, levels, rng, 1)
        apart = touching + rng.uniform(near.least_mm, near.most_mm, len(plain))
        # Turn each sketch about its own start so that its axis passes the column at the distance wished for.
        to = np.array([column.x, column.y]) - plain.start
        reach = np.linalg.norm(to, axis=1)
        side = np.where(np.arange(len(plain)) % 2 == 0, 1.0, -1.0)
        angle = np.arctan2(to[:, 1], to[:, 0]) + side * np.arcsin(np.clip(apart / reach, -1, 1))
        u = np.stack([np.cos(angle), np.sin(angle)], axis=1)
        run = np.linalg.norm(plain.end - plain.start, axis=1)
        past = rng.uniform(2.5, 6.0, len(plain))
        end = plain.start + u * run[:, None]
        turned = replace(plain, end=end, column=end - u * past[:, None])
        if near.least_mm < 0:
            share = (np.sum(to * u, axis=1) / run)[:]
            height = turned.z0 + share * (turned.z1 - turned.z0) - game.pieces.stick.thickness
            turned = turned.take(height > column.top_z + TOO_LOW_MM)
        yield turned, frozenset({column.id})
