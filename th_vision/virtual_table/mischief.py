"""Moves that break a rule, or come near to its limit, on purpose: each by name, each labelled in the truth.

An event is tried when it is called for; where the table offers no place for it, it doesn't happen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from rules.pieces import Pieces
from th_vision.errors import VisionError
from th_vision.virtual_table.candidates import Field, Margins, possible, sketch
from th_vision.virtual_table.mishaps import collapse, knock, loose_columns, loose_roads, nudge
from th_vision.virtual_table.offences import At
from th_vision.virtual_table.physics import far_apart
from th_vision.virtual_table.player import LAST_RESORT, check_request, find_build, set_up, stuck_with_material
from th_vision.virtual_table.playing import Build, PlayedMoment, Playing
from th_vision.virtual_table.scene import Scene, Spread
from th_vision.virtual_table.wishes import Near, Option, Wish, as_options, fulfil, options, options_near

CLOSE_MM = 0.5  # an event named close: comes so near to the limit, on either side of it
CLOSE_GAP_MM = 1.5  # the same for the room at a crossing: what a camera measures worst
OVERHANG_MM = (1.5, 5.0)  # how far a tip stands out past the rim
COVER_MM = (-6.0, -2.0)  # from the disc's outline to the road's edge
NUDGE_MM = (1.0, 6.0)


Happening = Callable[[At], list[PlayedMoment]]


@dataclass(frozen=True)
class Event:
    """``words``: what happens; ``rule``: the fault that it is, if any; ``make``: its moments, none where it can't."""

    words: str
    rule: str | None
    make: Happening


def _any(game: Playing, build: Build) -> bool:
    return True


def _move(at: At, wish: Wish, choice: list[Option], margins: Margins | None = None) -> list[PlayedMoment]:
    build = fulfil(at.game, wish, choice, at.rng, at.field, margins or at.margins)
    if build is None:
        return []
    label = f"turn {at.game.turn}: {at.game.whose_turn} {wish.label}"
    return [at.game.play(build, wish.events, label)]


def _from(
    at: At,
    bases: list[str],
    levels: Callable[[int], list[tuple[int, bool]]],
    *,
    margins: Margins | None = None,
    skip: frozenset[str] = frozenset(),
    past_mm: tuple[float, float] | None = None,
) -> list[Option]:
    """Options from these columns, with columns of these levels."""
    game, found = at.game, list[Option]()
    held = game.holding(game.whose_turn)
    for base in bases:
        wanted = [
            (level, junction)
            for level, junction in levels(game.column(base).levels)
            if level >= 0 and level - junction <= held.gray and (held.yellow or not junction)
        ]
        if not wanted:
            continue
        made = (
            sketch(game, base, wanted, at.rng, 3) if past_mm is None else sketch(game, base, wanted, at.rng, 3, past_mm)
        )
        rated = possible(game, made, at.field, margins or at.margins, skip=skip)
        found += as_options(game, rated.sketches, frozenset())
    return [found[i] for i in at.rng.permutation(len(found))]


def _bases(at: At) -> list[str]:
    return list(at.game.holding(at.game.whose_turn).bases)


def _gray_bases(at: At) -> list[str]:
    return [base for base in _bases(at) if not at.game.column(base).junction]


def _plain(level: int) -> list[tuple[int, bool]]:
    return [(lv, False) for lv in (level - 1, level + 1) if lv >= 1]


# --- moves against a rule ---------------------------------------------------------------------------------------------


def _wrong_level(at: At) -> list[PlayedMoment]:
    choice = _from(at, _bases(at), lambda lv: [(x, False) for x in (lv - 2, lv, lv + 2) if x >= 1])
    return _move(
        at, Wish("builds a column of a wrong level", _any, ("column-level",), faults=_one("column-level")), choice
    )


def _covered(at: At) -> list[PlayedMoment]:
    choice = options_near(at.game, Near(*COVER_MM), at.rng, at.field, at.margins)
    wish = Wish("covers a column", _any, ("column-covered",), faults=_one("column-covered"), junction=None)
    return _move(at, wish, choice)


def _close_to_column(at: At) -> list[PlayedMoment]:
    choice = options_near(at.game, Near(-CLOSE_MM, CLOSE_MM), at.rng, at.field, at.margins)
    wish = Wish(
        "passes close to a column",
        _any,
        ("close:column-covered",),
        faults=_one("column-covered"),
        at_most=True,
        junction=None,
    )
    return _move(at, wish, choice)


def _overhang(at: At) -> list[PlayedMoment]:
    radius = at.game.pieces.disc.radius
    past = (radius + OVERHANG_MM[0], radius + OVERHANG_MM[1])
    choice = _from(at, _bases(at), _plain, past_mm=past)
    wish = Wish("lets a road stick out", _any, ("overhang",), faults=_one("overhang"), skip=_one("overhang"))
    return _move(at, wish, choice)


def _close_to_overhang(at: At) -> list[PlayedMoment]:
    radius = at.game.pieces.disc.radius
    choice = _from(at, _bases(at), _plain, past_mm=(radius - CLOSE_MM, radius + CLOSE_MM))
    wish = Wish(
        "lays a tip at the rim",
        _any,
        ("close:overhang",),
        faults=_one("overhang"),
        at_most=True,
        skip=_one("overhang"),
    )
    return _move(at, wish, choice)


def _under_road(at: At) -> list[PlayedMoment]:
    skip = _one("column-under-road")
    reach = at.game.pieces.disc.radius + at.game.pieces.stick.width / 2 - CLOSE_MM

    def beneath(game: Playing, build: Build) -> bool:
        column = build.column
        return column is not None and any(
            not far_apart(road, column.x, column.y, reach)
            and road.top_at(column.x, column.y) - road.thickness > column.top_z + at.margins.gap
            for road in game.scene.sticks
        )

    choice = _from(at, _bases(at), _plain, skip=skip)
    wish = Wish(
        "builds a column under a road",
        beneath,
        ("column-under-road",),
        faults=_one("column-under-road"),
        skip=skip,
        dead_end=True,
    )
    return _move(at, wish, choice)


def _close_gap(at: At) -> list[PlayedMoment]:
    near = replace(at.margins, gap=0.1)

    def close(game: Playing, build: Build) -> bool:
        return any(c.gap_mm < CLOSE_GAP_MM + 1.0 for c in build.crossings)

    choice = _from(at, _bases(at), _plain, skip=_one("touch-road"))
    wish = Wish("crosses with hardly any room", close, ("close:touch-road",), faults=_one("touch-road"), at_most=True)
    return _move(at, wish, choice, near)


def _old_base(at: At) -> list[PlayedMoment]:
    game = at.game
    player, bases = game.whose_turn, _bases(at)
    old = [c.id for c in game.scene.columns if game.owner[c.id] == player and c.id not in bases and not c.junction]
    wish = Wish(
        "builds from an older column",
        _any,
        ("gray-branches",),
        faults=frozenset({"gray-branches", "not-base-point"}),
        dead_end=True,
    )
    return _move(at, wish, _from(at, old, _plain))


def _foreign_base(at: At) -> list[PlayedMoment]:
    game = at.game
    theirs = [c.id for c in game.scene.columns if game.owner[c.id] != game.whose_turn]
    wish = Wish(
        "builds from another player's column",
        _any,
        ("not-base-point",),
        faults=_one("not-base-point"),
        dead_end=True,
    )
    return _move(at, wish, _from(at, theirs, _plain))


def _high_offramp(at: At) -> list[PlayedMoment]:
    bases = [base for base in _gray_bases(at) if at.game.column(base).levels in (2, 3)]
    wish = Wish(
        "lets an offramp down from high up",
        _any,
        ("offramp-level",),
        cars=-1,
        faults=_one("offramp-level"),
        offramp=True,
    )
    return _move(at, wish, _from(at, bases, lambda lv: [(0, False)]))


def _yellow_below(at: At) -> list[PlayedMoment]:
    def lowered(build: Build) -> Build:
        column = build.column
        if column is None or column.levels < 2:
            return build
        discs = list(column.discs)
        top, below = discs[-1], discs[-2]
        discs[-1], discs[-2] = replace(top, yellow=False), replace(below, yellow=True)
        return replace(build, column=replace(column, discs=tuple(discs)))

    choice = _from(at, _bases(at), lambda lv: [(x, True) for x in (lv - 1, lv + 1) if x >= 2])
    wish = Wish(
        "puts a gray disc on a yellow one",
        _any,
        ("junction-not-on-top",),
        faults=_one("junction-not-on-top"),
        junction=True,
        alter=lowered,
    )
    return _move(at, wish, choice)


def _out_of_turn(at: At) -> list[PlayedMoment]:
    game = at.game
    other = game.players[(game.players.index(game.whose_turn) + 1) % len(game.players)]
    game.acting = other
    try:
        build = find_build(game, at.rng, at.field, at.margins)
        if build is None:
            return []
        return [game.play(build, ("turn-order",), f"turn {game.turn}: {other} plays out of turn")]
    finally:
        game.acting = None


def _forgotten_car(at: At) -> list[PlayedMoment]:
    wish = Wish("forgets a car", lambda g, b: b.due > 0, ("cars-too-few",), cars=-1)
    return _move(at, wish, options(at.game, at.rng, at.field, at.margins))


def _extra_car(at: At) -> list[PlayedMoment]:
    if at.game.holding(at.game.whose_turn).cars < 2:
        return []
    wish = Wish("places a car too many", lambda g, b: b.due == 0, ("cars-too-many",), cars=1)
    return _move(at, wish, options(at.game, at.rng, at.field, at.margins))


def _one(rule: str) -> frozenset[str]:
    return frozenset({rule})


# --- what happens to pieces that stand --------------------------------------------------------------------------------


def _victims(at: At) -> list[str]:
    return [player for player in at.game.players if player != at.game.whose_turn]


def _knock(at: At) -> list[PlayedMoment]:
    roads = [road for player in _victims(at) for road in loose_roads(at.game, player)]
    return list(knock(at.game, roads[0], field_mm=_size(at))) if roads else []


def _collapse(at: At) -> list[PlayedMoment]:
    columns = [c for player in _victims(at) for c in loose_columns(at.game, player)]
    if not columns:
        return []
    return list(collapse(at.game, columns[int(at.rng.integers(len(columns)))], field_mm=_size(at)))


def _nudge(at: At) -> list[PlayedMoment]:
    columns = [c for player in _victims(at) for c in loose_columns(at.game, player)]
    if not columns:
        return []
    column = columns[int(at.rng.integers(len(columns)))]
    return list(nudge(at.game, column, float(at.rng.uniform(*NUDGE_MM))) or ())


def _taken_back(at: At) -> list[PlayedMoment]:
    game = at.game
    before, turn = game.saved(), game.turn
    build = find_build(game, at.rng, at.field, at.margins)
    if build is None or any(line.get("turn") == turn for line in game.lines):
        return []
    return [game.play(build, ("to-be-taken-back",)), game.take_back(before, turn)]


def _two_at_once(at: At) -> list[PlayedMoment]:
    moments: list[PlayedMoment] = []
    for _ in range(2):
        build = None if at.game.referee.finished else find_build(at.game, at.rng, at.field, at.margins)
        if build is not None:
            moments.append(at.game.play(build))
    if len(moments) < 2:
        return moments
    first, second = moments
    joined = replace(
        second,
        facts=first.facts + second.facts,
        hands=first.hands + second.hands,
        label=f"{first.label}, at once {second.label}",
        what=replace(second.what, events=("two-at-once",)),
        answers=first.answers + second.answers,
    )
    return [joined]


def _size(at: At) -> tuple[float, float]:
    return at.field.width, at.field.height


EVENTS: dict[str, Event] = {
    "wrong-level": Event("a column of a wrong level", "column-level", _wrong_level),
    "covered": Event("a road over a column", "column-covered", _covered),
    "close-to-column": Event("a road's edge at a column's outline", None, _close_to_column),
    "overhang": Event("a tip past the rim", "overhang", _overhang),
    "close-to-overhang": Event("a tip at the rim", None, _close_to_overhang),
    "under-road": Event("a column under a road", "column-under-road", _under_road),
    "close-gap": Event("a crossing with hardly any room", None, _close_gap),
    "old-base": Event("a second road from a gray column", "gray-branches", _old_base),
    "foreign-base": Event("a road from another player's column", "not-base-point", _foreign_base),
    "high-offramp": Event("an offramp from a column of 2 or 3", "offramp-level", _high_offramp),
    "yellow-below": Event("a gray disc on a yellow one", "junction-not-on-top", _yellow_below),
    "out-of-turn": Event("a move out of turn", "turn-order", _out_of_turn),
    "forgotten-car": Event("a car that was due is not placed", "cars-too-few", _forgotten_car),
    "extra-car": Event("a car that was not due", "cars-too-many", _extra_car),
    "knock": Event("a road falls and is put back", None, _knock),
    "collapse": Event("a column with its road falls and is put back", None, _collapse),
    "nudge": Event("a column is shifted and put right", None, _nudge),
    "taken-back": Event("a move is taken back", None, _taken_back),
    "two-at-once": Event("two moves without a pause", None, _two_at_once),
}


def eventful_game(
    rng: np.random.Generator,
    pieces: Pieces,
    players: tuple[str, ...] = ("blue", "pink"),
    preset: str = "rainbow-city",
    turns: int = 20,
    field_mm: tuple[float, float] = (600.0, 380.0),
    *,
    events: Sequence[str] = tuple(EVENTS),
    share: float = 0.5,
    taken_back: float = 0.5,
    margin_mm: float = 3.0,
    spread: Spread | None = None,
    base_scene: Scene | None = None,
) -> Iterator[PlayedMoment]:
    """A game in which things happen: in ``share`` of the turns one of the ``events``, where there is a place for it.

    Every moment of an event has its name in ``what.events``; ``taken_back`` of the moves against a rule are taken back,
    and all that leave a player without a column to go on from.
    Margins hold for everything else.

    Raises:
        VisionError: an unknown event, or a request as ``random_game`` refuses it.
    """
    unknown = sorted(set(events) - set(EVENTS))
    if unknown:
        raise VisionError(f"virtual game: event {unknown[0]!r} is not known; choose from {', '.join(EVENTS)}")
    check_request(pieces, players, preset, field_mm)
    game = Playing(rng, pieces, players, preset, spread=spread, base_scene=base_scene)
    at = At(game, rng, Field(*field_mm), Margins.of(margin_mm))
    yield from set_up(game, rng)
    while game.turn <= turns and not game.referee.finished:
        turn, before = game.turn, game.saved()
        if events and rng.random() < share:
            name = events[int(rng.integers(len(events)))]
            moments = EVENTS[name].make(at)
            yield from (_labelled(moment, name) for moment in moments)
            alone = len(moments) == 1 and not any(line.get("turn") == turn for line in before.lines)
            stuck = not game.bases[before.whose_turn]
            if moments and alone and EVENTS[name].rule is not None and (stuck or rng.random() < taken_back):
                yield _labelled(game.take_back(before, turn), name)
        if game.turn > turn:
            continue
        build = find_build(game, rng, at.field, at.margins) or find_build(game, rng, at.field, at.margins, LAST_RESORT)
        if build is None and stuck_with_material(game):
            return
        yield game.give_up() if build is None else game.play(build)


def _labelled(moment: PlayedMoment, name: str) -> PlayedMoment:
    others = tuple(event for event in moment.what.events if event != name)
    return replace(moment, what=replace(moment.what, events=(name, *others)))
