"""Builds against a rule that no plan of a legal move leads to: laid on purpose, ruled on before they are made.

Each function yields builds to try; ``commit`` makes the first of them that breaks just what it is meant to break.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from rules.events import MoveFact
from th_vision.virtual_table.builds import Build, Kind, PlayedMoment
from th_vision.virtual_table.candidates import Field, Margins, Sketches, check, possible, realise, sketch, with_cars
from th_vision.virtual_table.physics import (
    column_support,
    interpenetrations,
    rest_stick,
    stick_support,
    table_support,
)
from th_vision.virtual_table.playing import Playing
from th_vision.virtual_table.record_lines import Line, as_fact
from th_vision.virtual_table.scene import Point2, StickBody
from th_vision.virtual_table.turning import all_meeting

MOST_TRIES = 250  # builds looked at before an event is given up for this turn
BESIDE_MM = (3.0, 7.0)  # room between a road's end and the column that it should lie on
TOUCHING_MM = 0.3  # discs differ by a tenth or two: so near by their nominal size is contact
TIP_MM = (1.5, 6.2)  # a tip lies so far past the middle of what it ends on


@dataclass(frozen=True)
class At:
    """Where an event happens: the game, its randomness, the field and the margins of everything else."""

    game: Playing
    rng: np.random.Generator
    field: Field
    margins: Margins


@dataclass(frozen=True)
class Offence:
    """What a build breaks: ``rules``, all of them; ``also``: what may come with them. ``words``: what the player does.

    ``skip``: see ``candidates.check``. Cars that are due all the same are placed.
    """

    words: str
    rules: frozenset[str]
    also: frozenset[str] = frozenset()
    skip: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Try:
    """A build to try, the columns it is meant to come near to and the roads that it may rest on."""

    build: Build
    meant: frozenset[str] = frozenset()
    lies_on: frozenset[str] = frozenset()


def commit(at: At, offence: Offence, tries: Iterable[Try], event: str) -> list[PlayedMoment]:
    """Play the first build that breaks these rules and no others; none where there is no such."""
    game = at.game
    for number, one in enumerate(tries):
        if number >= MOST_TRIES:
            break
        build = one.build
        if check(game, build, at.margins, meant=one.meant, skip=offence.skip, lies_on=one.lies_on) is not None:
            continue
        fact = as_fact(game.move_line(build))
        assert isinstance(fact, MoveFact)
        ruling = game.referee.preview(fact)
        broken = {fault.rule for fault in ruling.faults if fault.call != "clear"}
        if not (offence.rules <= broken <= offence.rules | offence.also):
            continue
        placed = with_cars(game, build, ruling.cars_due, at.rng)
        if placed is None or _in_each_other(game, placed):
            continue
        label = f"turn {game.turn}: {game.whose_turn} {offence.words}"
        return [game.play(placed, (event,), label)]
    return []


def _in_each_other(game: Playing, build: Build) -> bool:
    columns = (build.column,) if build.column is not None else ()
    before = game.scene
    scene = replace(
        before,
        columns=before.columns + columns,
        sticks=(*before.sticks, build.stick),
        cars=before.cars + build.cars,
    )
    new = {build.stick.id, *(column.id for column in columns), *(car.id for car in build.cars)}
    return any(new & {a, b} for a, b, _ in interpenetrations(scene))


def plain_levels(at: At, base: str) -> list[tuple[int, bool]]:
    """The levels of a gray column that the rules allow after ``base`` and the supply holds, none a junction."""
    level, held = at.game.column(base).levels, at.game.holding(at.game.whose_turn)
    return [(lv, False) for lv in (level - 1, level + 1) if 1 <= lv <= held.gray]


def own_columns(game: Playing, player: str, *, junction: bool | None = None) -> list[str]:
    """Columns of a player, all or only (no) junctions."""
    mine = (c for c in game.scene.columns if game.owner[c.id] == player)
    return [c.id for c in mine if junction is None or c.junction == junction]


def sketched(
    at: At, bases: Iterable[str], levels: list[tuple[int, bool]], skip: frozenset[str] = frozenset()
) -> Iterator[tuple[Sketches, int]]:
    """Sketches from these bases in chance order, whether the supply holds them or not."""
    for base in bases:
        options = possible(at.game, sketch(at.game, base, levels, at.rng, 3), at.field, at.margins, skip=skip).sketches
        for i in at.rng.permutation(len(options)):
            yield options, int(i)


# --- a new road that ends on a column which stands there -------------------------------------------------------------


def ending_on(at: At, targets: Iterable[str]) -> Iterator[Try]:
    """Roads from the player's base points to columns that stand: own ones enclose, others' are touched."""
    game = at.game
    length = game.pieces.stick.length
    for target in targets:
        far = game.column(target)
        for base in game.holding(game.whose_turn).bases:
            near = game.column(base)
            apart = math.dist((near.x, near.y), (far.x, far.y))
            if target == base or not -TIP_MM[1] < length - apart - TIP_MM[0] < 2 * TIP_MM[1]:
                continue
            if any({base, target} <= set(ends) for ends in game.ends_at.values()):
                continue
            yield from _between(at, base, target)


def _between(at: At, base: str, target: str) -> Iterator[Try]:
    game = at.game
    near, far = game.column(base), game.column(target)
    size = game.take_stick()
    run = math.sqrt(max(size.length**2 - (near.top_z - far.top_z) ** 2, 1.0))
    apart = math.dist((near.x, near.y), (far.x, far.y))
    way = np.array([far.x - near.x, far.y - near.y]) / apart
    past = float(np.clip((run - apart) / 2, *TIP_MM))
    if abs(run - apart - past) > TIP_MM[1]:
        return
    for sideways in at.rng.uniform(-1.0, 1.0, 3):
        start = np.array([near.x, near.y]) - way * past + np.array([-way[1], way[0]]) * sideways
        rest = rest_stick(
            size,
            game.next_id("r"),
            (float(start[0]), float(start[1])),
            (far.x, far.y),
            [*game.supports_at(base), *game.supports_at(target)],
        )
        if rest is None:
            continue
        crossings = game.crossings_of(rest.stick, (base, target))
        yield Try(Build(base, None, rest.stick, crossings=crossings, standing=target), meant=frozenset({target}))


def against_a_column(at: At) -> Iterator[Try]:
    """A new column pushed against another player's: their discs touch."""
    game = at.game
    held = game.holding(game.whose_turn)
    loose = replace(at.margins, plan=-TOUCHING_MM)
    for other in game.scene.columns:
        if game.owner[other.id] == game.whose_turn:
            continue
        middle = np.array([other.x, other.y])

        def beside(s: Sketches, middle: np.ndarray = middle) -> np.ndarray:
            return np.asarray(np.linalg.norm(s.column - middle, axis=1) - game.pieces.disc.diameter)

        for base in held.bases:
            wanted = plain_levels(at, base)
            plain = sketch(game, base, wanted, at.rng, 1) if wanted else None
            target = partial(at.rng.uniform, -TOUCHING_MM / 2, 0.0)
            for found in all_meeting(plain, beside, target, at.rng, 6) if plain is not None else ():
                options = possible(game, found, at.field, loose, frozenset({other.id})).sketches
                for i in range(len(options)):
                    build = realise(game, options, i, game.take_stick())
                    if build is not None and build.column is not None:
                        yield Try(build, meant=frozenset({other.id}))


# --- a new road whose end lies beside its column ----------------------------------------------------------------------


def beside_the_column(at: At) -> Iterator[Try]:
    """The column stands beside the road's end, which lies on the table."""
    game = at.game
    held = game.holding(game.whose_turn)
    bases = [base for base in held.bases if game.column(base).levels <= 2]
    for sketches, i in sketched(at, bases, [(0, False)]):
        build = realise(game, sketches, i, game.take_stick())
        if build is None:
            continue
        base = game.column(build.base)
        levels = base.levels + 1 if base.levels == 1 or at.rng.random() < 0.5 else base.levels - 1
        if levels > held.gray:
            continue
        (ax, ay, _), (bx, by, _) = build.stick.ends
        way = np.array([bx - ax, by - ay]) / math.hypot(bx - ax, by - ay)
        side = (game.pieces.disc.radius + build.stick.width / 2 + at.rng.uniform(*BESIDE_MM)) * at.rng.choice([-1, 1])
        x, y = np.array([bx, by]) - 4.0 * way + side * np.array([-way[1], way[0]])
        column = game.stack(float(x), float(y), levels)
        yield Try(replace(build, column=column, crossings=game.crossings_of(build.stick, (build.base, column.id))))


# --- a new road that lies on another one ------------------------------------------------------------------------------


def lying_on_a_road(at: At) -> Iterator[Try]:
    """Columns so low, or so high, that the road between them comes to lie on the one that it crosses."""
    game = at.game
    held = game.holding(game.whose_turn)
    for base in held.bases:
        levels = plain_levels(at, base)
        if not levels:
            continue
        near = replace(at.margins, gap=-4.0)
        rated = possible(game, sketch(game, base, levels, at.rng, 4), at.field, near, skip=frozenset({"touch-road"}))
        low = np.flatnonzero((rated.crosses & (rated.gap < 1.5) & (rated.gap > -3.0) & rated.above).any(axis=1))
        for i in at.rng.permutation(low):
            crossed = [s for s, yes in zip(game.scene.sticks, rated.crosses[i], strict=True) if yes]
            if len(crossed) != 1:
                continue
            sketches = rated.sketches
            x, y = (float(v) for v in sketches.column[i])
            column = game.stack(x, y, int(sketches.level[i]))
            start = (float(sketches.start[i, 0]), float(sketches.start[i, 1]))
            toward = (float(sketches.end[i, 0]), float(sketches.end[i, 1]))
            supports = [*game.supports_at(base), column_support(column), stick_support(crossed[0])]
            rest = rest_stick(game.take_stick(), game.next_id("r"), start, toward, supports)
            if rest is None or not any(crossed[0].id in touched for touched in rest.touches):
                continue
            stick = replace(rest.stick, rests_on=(base, column.id))
            build = Build(base, column, stick, crossings=game.crossings_of(stick, (base, column.id)))
            yield Try(build, lies_on=frozenset({crossed[0].id}))


# --- a new road that goes on from an offramp --------------------------------------------------------------------------


def from_an_offramp(at: At) -> Iterator[Try]:
    """A road that starts on the landed end of an own offramp and ends on a new column of one disc."""
    game = at.game
    for offramp in game.scene.sticks:
        if len(game.ends_at[offramp.id]) != 1 or game.owner[offramp.id] != game.whose_turn:
            continue
        if offramp.rests_on[0] == "table":  # a ramp: its landed end is its first
            continue
        tip = np.array(offramp.ends[1][:2])
        back = np.array(offramp.ends[0][:2]) - tip
        back /= np.linalg.norm(back)
        for turn in at.rng.uniform(-70, 70, 40):
            c, s = math.cos(math.radians(turn)), math.sin(math.radians(turn))
            way = -np.array([c * back[0] - s * back[1], s * back[0] + c * back[1]])
            yield from _onward(at, offramp, tip + back * 4.0 - way * 3.0, way)


def _onward(at: At, offramp: StickBody, start: np.ndarray, way: np.ndarray) -> Iterator[Try]:
    game = at.game
    size = game.take_stick()
    x, y = start + way * (size.length - at.rng.uniform(*TIP_MM))
    if abs(x) > at.field.width / 2 - 12 or abs(y) > at.field.height / 2 - 12:
        return
    column = game.stack(float(x), float(y), 1)
    toward: Point2 = (float(start[0] + way[0]), float(start[1] + way[1]))
    supports = [stick_support(offramp), column_support(column), table_support()]
    rest = rest_stick(size, game.next_id("r"), (float(start[0]), float(start[1])), toward, supports)
    if rest is None or offramp.id not in rest.touches[0] or set(rest.touches[1]) != {column.id}:
        return
    stick = replace(rest.stick, rests_on=(offramp.id, column.id))
    crossings = game.crossings_of(stick, (column.id, *game.ends_at[offramp.id]))
    crossings = tuple(c for c in crossings if c.road != offramp.id)
    yield Try(Build(offramp.id, column, stick, crossings=crossings), lies_on=frozenset({offramp.id}))


# --- columns that the supply doesn't hold, and a pass for no reason ---------------------------------------------------


def beyond_the_supply(at: At) -> Iterator[Try]:
    """A junction when no yellow disc is left: it is taken from the box."""
    game = at.game
    held = game.holding(game.whose_turn)
    if held.yellow:
        return
    for sketches, i in sketched(at, held.bases, [(level, True) for level in (2, 3, 4) if level - 1 <= held.gray]):
        build = realise(game, sketches, i, game.take_stick())
        if build is not None:
            yield Try(build)


def yellow_alone(at: At) -> Iterator[Try]:
    """A yellow disc without any gray one below it."""
    game = at.game
    held = game.holding(game.whose_turn)
    for sketches, i in sketched(at, held.bases, [(1, True)]) if held.yellow else ():
        build = realise(game, sketches, i, game.take_stick())
        if build is not None:
            yield Try(build)


def third_branch(at: At) -> Iterator[Try]:
    """A third road from a junction that has its two."""
    game = at.game
    held = game.holding(game.whose_turn)
    full = [name for name in own_columns(game, game.whose_turn, junction=True) if name not in held.bases]
    for junction in full:
        wanted = plain_levels(at, junction)
        for sketches, i in sketched(at, [junction], wanted) if wanted else ():
            build = realise(game, sketches, i, game.take_stick())
            if build is not None:
                yield Try(build)


def offramp_from(at: At, bases: Iterable[str]) -> Iterator[Try]:
    """Offramps from columns that none may start from."""
    for sketches, i in sketched(at, bases, [(0, False)]):
        build = realise(at.game, sketches, i, at.game.take_stick())
        if build is not None:
            yield Try(build)


def passes_anyway(at: At) -> list[PlayedMoment]:
    """The player passes although there is all that a road needs."""
    game = at.game
    held = game.holding(game.whose_turn)
    if not (held.sticks and held.gray and held.bases):
        return []
    line: Line = {"type": "pass", "turn": game.turn, "player": game.whose_turn}
    label = f"turn {game.turn}: {game.whose_turn} passes with pieces left"
    kind = Kind("pass", game.turn, game.whose_turn, ("supply",))
    return [game.moment(kind, [line], label)]
