"""A virtual player: builds legal games move after move, seeks crossings, branches, leaves by offramps."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rules.pieces import Pieces
from th_vision.errors import VisionError
from th_vision.virtual_table.candidates import (
    Field,
    Margins,
    Rated,
    check,
    possible,
    realise,
    rough_build,
    sketch,
    with_cars,
)
from th_vision.virtual_table.playing import Build, Holding, PlayedMoment, Playing
from th_vision.virtual_table.scene import Scene, Spread

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

DEAD_END = 8.0  # what a column is worth less from which no road leads on
PLENTY = 30.0  # so many open sketches are as good as all
ENOUGH = 6.0  # so many sketches that pay are as good as sure: the other players move in between

HOME = (0.90, 1.02)  # stick lengths: from so far a road reaches another column
LEAST_FIELD_LENGTHS = 2.4  # stick lengths: in a smaller field no game gets anywhere

PRESETS = ("rainbow-city", "rainbow-city-missions", "rainbow-city-zh", "classic")


@dataclass(frozen=True)
class Taste:
    """What a player likes: worth of one paying crossing, of any crossing, of others' free roads near, of room for the
    next road, of a crossing that the next road could make, and of chance.

    ``gap_mm``: crossings with such room are liked better. ``highest``: no column gets higher (levels); ``level``: what
    height is liked. ``thrift``: worth of a disc that is saved where columns get higher than the supply bears.
    ``junction``, ``offramp``: how often one is thought of, 0 to 1. ``repeats``, ``looked_at``: how many sketches are
    made, and looked ahead from. ``missions``: how much the missions count, where there is a city.
    ``homing``: worth of a new column that is a stick's length from another standing one, an own one best.
    """

    paying: float = 4.0
    crossing: float = 0.3
    near: float = 1.0
    freedom: float = 1.2
    next_paying: float = 3.0
    chance: float = 0.3
    gap_mm: tuple[float, float] = (6.0, 14.0)
    highest: int = 5
    level: float | None = None
    thrift: float = 0.5
    junction: float = 0.5
    offramp: float = 0.5
    repeats: int = 4
    looked_at: int = 60
    missions: float = 1.0
    homing: float = 0.0


LAST_RESORT = Taste(junction=1.0, offramp=1.0, repeats=16)


def _can_go_on(held: Holding, level: int) -> bool:
    """Whether after a column of that level the discs are all used, or serve for the least column that may follow."""
    left = held.gray - level
    least = level - 1 if level > 1 else level + 1
    return left == 0 or left >= least or held.sticks == 1


def choices(game: Playing, base: str, taste: Taste, rng: np.random.Generator) -> list[tuple[int, bool]]:
    """(level, junction) of the columns that the rule book allows after ``base`` and the supply holds; 0: offramp."""
    held, column = game.holding(game.whose_turn), game.column(base)
    found: list[tuple[int, bool]] = []
    plain = (column.levels - 1, column.levels + 1)
    for level in plain:
        if 1 <= level <= min(taste.highest, held.gray) and _can_go_on(held, level):
            found.append((level, False))
    if held.yellow and rng.random() < taste.junction:
        level = int(rng.integers(2, taste.highest + 1))
        if level - 1 <= held.gray:
            found.append((level, True))
    last = held.sticks == 1 or held.cars == 1
    spare = sum(held.bases.values()) > 1
    if column.levels == 1 and not column.junction and (last or spare) and rng.random() < taste.offramp:
        found.append((0, False))
    return found


def _sides(game: Playing, player: str) -> tuple[Flags, Flags, Flags]:
    """Per road (m,): whether it is another player's that may still pay, whether its over and its under side is free."""
    sticks = game.scene.sticks
    theirs = np.array([game.owner[s.id] != player and not game.spent(s.id) for s in sticks])
    over_free = np.array(["over" not in game.taken[s.id] for s in sticks])
    under_free = np.array(["under" not in game.taken[s.id] for s in sticks])
    return theirs, over_free, under_free


def paying(game: Playing, rated: Rated, player: str) -> Flags:
    """Which roads (n, m) each sketch would cross for a car."""
    theirs, over_free, under_free = _sides(game, player)
    free = np.where(rated.above, over_free[None], under_free[None])
    return np.asarray(rated.crosses & theirs[None] & free)


def _worth(game: Playing, rated: Rated, taste: Taste, rng: np.random.Generator, field: Field) -> Array:
    """How much a player likes each sketch (n,)."""
    player = game.whose_turn
    sticks = game.scene.sticks
    theirs, over_free, under_free = _sides(game, player)
    pays = paying(game, rated, player)
    low, high = taste.gap_mm
    liked = np.where((rated.gap >= low) & (rated.gap <= high), 1.0, 0.6)
    s = rated.sketches
    worth = taste.paying * np.sum(pays * liked, axis=1) + taste.crossing * np.sum(rated.crosses, axis=1)
    worth += np.where(s.level == 0, taste.paying, 0.0)
    # Near the other players' free roads there is something to cross next.
    target = theirs & (over_free | under_free)
    if target.any():
        middles = np.array([[(e[0] + f[0]) / 2, (e[1] + f[1]) / 2] for e, f in (x.ends for x in sticks)])[target]
        apart = np.linalg.norm(s.end[:, None] - middles[None], axis=2)
        reach = game.pieces.stick.length
        worth += taste.near * np.sum(np.exp(-((apart / reach) ** 2)), axis=1) / 2
    held = game.holding(player)
    bearable = held.gray / max(held.sticks, 1)
    worth -= taste.thrift * np.clip(s.level - bearable, 0, None)
    if taste.level is not None:
        worth -= np.abs(s.level - taste.level)
    rim = np.max(np.abs(s.end) / (np.array([field.width, field.height]) / 2), axis=1)
    worth -= np.clip(rim - 0.75, 0, None) * 3
    if taste.homing:
        standing = np.array([[c.x, c.y] for c in game.scene.columns if c.id != s.base])
        apart = np.linalg.norm(s.column[:, None] - standing[None], axis=2) / game.pieces.stick.length
        home = (apart > HOME[0]) & (apart < HOME[1])
        own = np.array([game.owner[c.id] == player for c in game.scene.columns if c.id != s.base])
        worth += taste.homing * (0.4 * np.any(home, axis=1) + 0.6 * np.any(home & own[None], axis=1))
    if game.scene.city and taste.missions:
        from th_vision.virtual_table.mission_taste import mission_worth

        worth += taste.missions * mission_worth(game, rated, np.sum(pays, axis=1), player)
    return np.asarray(worth + rng.normal(0, taste.chance, len(s)), dtype=np.float64)


def continuations(
    game: Playing, build: Build, field: Field, margins: Margins, rng: np.random.Generator
) -> tuple[Playing, Rated]:
    """The table after a build, and the plain roads that could go on from its new column (there has to be one)."""
    assert build.column is not None
    after = game.copy()
    after.place(build)
    column = build.column
    levels = [(lv, False) for lv in (column.levels - 1, column.levels + 1) if lv >= 1]
    return after, possible(after, sketch(after, column.id, levels, rng, repeats=1), field, margins)


def _outlook(
    game: Playing, build: Build, field: Field, margins: Margins, taste: Taste, rng: np.random.Generator
) -> float:
    """Worth of what could follow from the new column: directions that are open, a crossing that would pay."""
    if build.column is None:
        return taste.freedom
    player = game.whose_turn
    after, on = continuations(game, build, field, margins, rng)
    if len(on.sketches) == 0:
        return -DEAD_END
    open_share = min(1.0, len(on.sketches) / PLENTY)
    cars = np.sum(paying(after, on, player), axis=1)
    sure = min(1.0, float(np.count_nonzero(cars)) / ENOUGH)
    return taste.freedom * open_share + taste.next_paying * min(2.0, float(np.max(cars))) * sure


def find_build(
    game: Playing,
    rng: np.random.Generator,
    field: Field,
    margins: Margins,
    taste: Taste | None = None,
    bases: tuple[str, ...] | None = None,
    wanted: list[tuple[int, bool]] | None = None,
) -> Build | None:
    """The move that the player whose turn it is likes best, cars due on its road; None where no road can be built."""
    taste = taste or Taste()
    held = game.holding(game.whose_turn)
    if held.sticks == 0:
        return None
    rated: list[tuple[float, Rated, int]] = []
    for base in bases or tuple(held.bases):
        levels = wanted or choices(game, base, taste, rng)
        if not levels:
            continue
        options = possible(game, sketch(game, base, levels, rng, taste.repeats), field, margins)
        worth = _worth(game, options, taste, rng, field)
        rated += [(float(w), options, i) for i, w in enumerate(worth)]
    rated.sort(key=lambda item: -item[0])
    promising = [
        (worth + _outlook(game, rough_build(game, o.sketches, i), field, margins, taste, rng), o, i)
        for worth, o, i in rated[: taste.looked_at]
    ]
    promising.sort(key=lambda item: -item[0])
    size = game.take_stick()
    for _, options, index in promising + rated[taste.looked_at :]:
        build = realise(game, options.sketches, index, size)
        if build is None or check(game, build, margins) is not None:
            continue
        placed = with_cars(game, build, min(build.due, held.cars), rng)
        if placed is not None:
            return placed
    return None


def set_up(game: Playing, rng: np.random.Generator, turn_deg: float | None = None) -> Iterator[PlayedMoment]:
    """The empty table and the ramps: columns one stick's length from their neighbours', feet outwards."""
    yield game.begin()
    n = len(game.players)
    side = game.pieces.stick.length
    radius = side / (2 * math.sin(math.pi / n))
    turn = float(rng.uniform(0, 360)) if turn_deg is None else turn_deg
    if n == 2 and turn_deg is None:
        turn = float(rng.uniform(-35, 35)) + 180.0 * float(rng.integers(2))  # feet stay inside a broad field
    for i, player in enumerate(game.players):
        angle = turn + 360.0 * i / n
        x, y = radius * math.cos(math.radians(angle)), radius * math.sin(math.radians(angle))
        yield game.ramp(player, x, y, angle + float(rng.uniform(-30, 30)), past_mm=float(rng.uniform(2, 6)))


def random_game(
    rng: np.random.Generator,
    pieces: Pieces,
    players: tuple[str, ...] = ("blue", "pink"),
    preset: str = "rainbow-city",
    turns: int = 20,
    field_mm: tuple[float, float] = (600.0, 380.0),
    *,
    margin_mm: float = 3.0,
    spread: Spread | None = None,
    base_scene: Scene | None = None,
    taste: Taste | None = None,
) -> Iterator[PlayedMoment]:
    """A legal game: the empty table, the ramps, then up to ``turns`` moves; it ends sooner where the rules
    say that it is over. Who holds nothing to build with passes; it ends where somebody holds enough but finds no place.

    Raises:
        VisionError: unknown preset, or a number of players that the game isn't for.
    """
    check_request(pieces, players, preset, field_mm)
    game = Playing(rng, pieces, players, preset, spread=spread, base_scene=base_scene)
    field, margins = Field(*field_mm), Margins.of(margin_mm)
    yield from set_up(game, rng)
    for _ in range(turns):
        if game.referee.finished:
            return
        build = find_build(game, rng, field, margins, taste) or find_build(game, rng, field, margins, LAST_RESORT)
        if build is None and stuck_with_material(game):
            return  # no rule says what follows
        yield game.give_up() if build is None else game.play(build)


def stuck_with_material(game: Playing) -> bool:
    """Whether the player whose turn it is holds what a road needs: passing isn't for that."""
    held = game.holding(game.whose_turn)
    return held.sticks > 0 and held.gray > 0 and bool(held.bases)


def check_request(pieces: Pieces, players: tuple[str, ...], preset: str, field_mm: tuple[float, float]) -> None:
    """Refuse games that can't be.

    Raises:
        VisionError: with what is wrong and what to do.
    """
    if preset not in PRESETS:
        raise VisionError(f"virtual game: unknown rule set {preset!r}; choose one of {', '.join(PRESETS)}")
    most = 2 if preset == "classic" else 4
    if not 2 <= len(players) <= most:
        raise VisionError(f"virtual game: {preset} is for 2 to {most} players, got {len(players)}; change players")
    unknown = [name for name in players if name not in pieces.players]
    if unknown:
        known = ", ".join(pieces.players)
        raise VisionError(f"virtual game: player {unknown[0]!r} has no colour in the pieces; known: {known}")
    need = LEAST_FIELD_LENGTHS * pieces.stick.length
    if min(field_mm) < need:
        raise VisionError(
            f"virtual game: a field of {field_mm[0]:.0f} x {field_mm[1]:.0f} mm is too small; "
            f"{need:.0f} at least: a higher camera sees more"
        )
