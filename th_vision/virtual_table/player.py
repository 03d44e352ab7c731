"""A virtual player: builds legal games move after move, seeks crossings, branches, leaves by offramps."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from rules.pieces import Pieces
from th_vision.errors import VisionError
from th_vision.virtual_table.candidates import (
    Field,
    Margins,
    Rated,
    check,
    possible,
    realise,
    sketch,
    with_cars,
)
from th_vision.virtual_table.playing import Build, Holding, PlayedMoment, Playing
from th_vision.virtual_table.scene import Scene, Spread

PRESETS = ("rainbow-city", "rainbow-city-missions", "rainbow-city-zh", "classic")


@dataclass(frozen=True)
class Taste:
    """What a player likes: worth of one paying crossing, of any crossing, of room for the next road, and of chance.

    ``gap_mm``: crossings with such room are liked better. ``highest``: no plain column gets higher (levels).
    ``junction``, ``offramp``: how often one is thought of, 0 to 1.
    """

    paying: float = 4.0
    crossing: float = 0.3
    near: float = 1.0
    freedom: float = 1.2
    chance: float = 0.6
    gap_mm: tuple[float, float] = (6.0, 14.0)
    highest: int = 5
    junction: float = 0.15
    offramp: float = 0.5
    tries: int = 24
    looked_at: int = 8


def choices(game: Playing, base: str, taste: Taste, rng: np.random.Generator) -> list[tuple[int, bool]]:
    """(level, junction) of the columns that the rule book allows after ``base`` and the supply holds; 0: offramp."""
    held, column = game.holding[game.whose_turn], game.column(base)
    found: list[tuple[int, bool]] = []
    plain = (column.levels - 1, column.levels + 1)
    for level in plain:
        if 1 <= level <= min(taste.highest, held.gray):
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


def _worth(game: Playing, rated: Rated, taste: Taste, rng: np.random.Generator, field: Field) -> np.ndarray:  # type: ignore[type-arg]
    """How much a player likes each sketch (n,)."""
    player = game.whose_turn
    sticks = game.scene.sticks
    theirs = np.array([game.owner[s.id] != player for s in sticks])
    over_free = np.array(["over" not in game.taken[s.id] for s in sticks])
    under_free = np.array(["under" not in game.taken[s.id] for s in sticks])
    free = np.where(rated.above, over_free[None], under_free[None])
    pays = rated.crosses & theirs[None] & free
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
    rim = np.max(np.abs(s.end) / (np.array([field.width, field.height]) / 2), axis=1)
    worth -= np.clip(rim - 0.75, 0, None) * 3
    worth += rng.normal(0, taste.chance, len(s))
    return worth


def _freedom(game: Playing, build: Build, field: Field, margins: Margins, rng: np.random.Generator) -> float:
    """Share of directions in which the road could go on from the new column, 0 to 1."""
    if build.column is None:
        return 1.0
    after = game.copy()
    after.play(build)
    column = build.column
    levels = [(lv, False) for lv in (column.levels - 1, column.levels + 1) if lv >= 1]
    on = possible(after, sketch(after, column.id, levels, rng, repeats=1), field, margins)
    return min(1.0, len(on.sketches) / 30.0)


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
    held = game.holding[game.whose_turn]
    if held.sticks == 0:
        return None
    rated: list[tuple[float, Rated, int]] = []
    for base in bases or tuple(held.bases):
        levels = wanted or choices(game, base, taste, rng)
        if not levels:
            continue
        options = possible(game, sketch(game, base, levels, rng), field, margins)
        worth = _worth(game, options, taste, rng, field)
        rated += [(float(w), options, i) for i, w in enumerate(worth)]
    rated.sort(key=lambda item: -item[0])
    size = game.take_stick()
    best: tuple[float, Build] | None = None
    looked_at = 0
    for worth_of, options, index in rated[: taste.tries * 8]:
        if best is not None and (looked_at >= taste.looked_at or worth_of + taste.freedom < best[0]):
            break
        build = realise(game, options.sketches, index, size, rng)
        if build is None or check(game, build, margins) is not None:
            continue
        due = min(build.due, held.cars)
        placed = with_cars(game, build, due, rng)
        if placed is None:
            continue
        looked_at += 1
        freedom = _freedom(game, placed, field, margins, rng)
        total = worth_of + taste.freedom * freedom - (6.0 if freedom == 0 else 0.0)
        if best is None or total > best[0]:
            best = (total, placed)
    return best[1] if best else None


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


def next_playing(game: Playing) -> str | None:
    """Skip players who can't or needn't play (no stick, no car, no base); the next one's name, None when all are done."""
    for _ in game.players:
        if can_play(game.holding[game.whose_turn]):
            return game.whose_turn
        game.turn += 1
    return None


def can_play(held: Holding) -> bool:
    """Whether a player has something to build and somewhere to build it from."""
    return held.sticks > 0 and held.cars > 0 and held.gray > 0 and bool(held.bases)


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
    """A legal game: the empty table, the ramps, then up to ``turns`` moves; it ends sooner where nobody can build.

    Raises:
        VisionError: unknown preset, or a number of players that the game isn't for.
    """
    check_request(pieces, players, preset, field_mm)
    game = Playing(rng, pieces, players, preset, spread=spread, base_scene=base_scene)
    field, margins = Field(*field_mm), Margins.of(margin_mm)
    yield from set_up(game, rng)
    for _ in range(turns):
        if next_playing(game) is None:
            return
        build = find_build(game, rng, field, margins, taste)
        if build is None:
            return
        yield game.play(build)


def check_request(
    pieces: Pieces, players: tuple[str, ...], preset: str, field_mm: tuple[float, float]
) -> None:
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
    if min(field_mm) < 3 * pieces.stick.length:
        need = 3 * pieces.stick.length
        raise VisionError(f"virtual game: a field of {field_mm[0]:g} x {field_mm[1]:g} mm is too small; {need:g} at least")
