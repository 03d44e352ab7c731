"""Games that show events one after the other: at every turn whatever of the list is possible, then it is taken back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from rules.pieces import Pieces
from rules.ruleset import ruleset
from th_vision.errors import VisionError
from th_vision.virtual_table import setup_offences
from th_vision.virtual_table.builds import PlayedMoment
from th_vision.virtual_table.candidates import Field, Margins
from th_vision.virtual_table.city_setup import place_all
from th_vision.virtual_table.events import ALL_EVENTS
from th_vision.virtual_table.offences import At
from th_vision.virtual_table.player import LAST_RESORT, Taste, check_request, find_build, set_up, stuck_with_material
from th_vision.virtual_table.playing import Playing
from th_vision.virtual_table.record_lines import Line
from th_vision.virtual_table.scene import Scene, Spread

ATTEMPTS = 10  # games begun before it is said what could not be shown
EVENTS_A_TURN = 3
AFTERWARDS = 2  # moves after the last event: the game goes on
BUSY = Taste(junction=0.9, offramp=0.9)  # junctions and offramps are what many events need
LOW = replace(BUSY, level=1.0, missions=2.0)  # down to where offramps start, and to the areas
HOMING = replace(BUSY, homing=8.0)
HOME_EVENTS = frozenset({"enclosed", "on-foreign-column"})
FROM_BELOW = frozenset({"forbidden-landing", "close-landing", "from-offramp", "on-things"})


def showing(
    rng: np.random.Generator,
    pieces: Pieces,
    players: tuple[str, ...],
    preset: str,
    field_mm: tuple[float, float],
    events: Sequence[str],
    *,
    kinds: Sequence[str] = (),
    setup: Sequence[str] = (),
    turns: int = 60,
    margin_mm: float = 3.0,
    taken_back: bool = True,
    yellow: int | None = None,
    spread: Spread | None = None,
    base_scene: Scene | None = None,
) -> Iterator[PlayedMoment]:
    """A game in which each of the ``events`` (names of ``events.ALL_EVENTS``) and ``setup`` events happens once.

    ``kinds``: city objects that are placed first. ``taken_back``: moves against a rule are taken back at once.
    ``yellow``: how many yellow discs each player holds, else the edition's number.

    The game is found first, then told.

    Raises:
        VisionError: a request that can't be, or no game found that shows it all.
    """
    unknown = sorted((set(events) - set(ALL_EVENTS)) | (set(setup) - set(setup_offences.SETUP_EVENTS)))
    if unknown:
        known = ", ".join([*ALL_EVENTS, *setup_offences.SETUP_EVENTS])
        raise VisionError(f"virtual game: event {unknown[0]!r} is not known; choose from {known}")
    check_request(pieces, players, preset, field_mm)
    missing: set[str] = set(events)
    for _ in range(ATTEMPTS):
        game = Playing(
            rng,
            pieces,
            players,
            preset,
            spread=spread,
            base_scene=base_scene,
            game_options=_material(players, preset, yellow),
        )
        at = At(game, rng, Field(*field_mm), Margins.of(margin_mm))
        moments = list(_opening(at, kinds, setup))
        more, left = _played(at, events, turns, taken_back)
        left |= set(setup) - {event for moment in moments for event in moment.what.events}
        if not left:
            yield from moments
            yield from more
            return
        missing = min(missing, left, key=len)
    raise VisionError(f"virtual game: no place found for {', '.join(sorted(missing))}; try another seed")


def _material(players: tuple[str, ...], preset: str, yellow: int | None) -> Line | None:
    """The edition's material with another number of yellow discs, as part of the game's first line."""
    if yellow is None:
        return None
    usual = ruleset(preset).material(len(players))
    return {"material": {player: {**usual.model_dump(), "yellow": yellow} for player in players}}


def _opening(at: At, kinds: Sequence[str], setup: Sequence[str]) -> Iterator[PlayedMoment]:
    game = at.game
    ramp_event = next((event for event in setup if event.endswith("ramps")), None)
    if ramp_event is None:
        yield from set_up(game, at.rng)
    else:
        yield game.begin()
        yield from setup_offences.ramps(game, at.rng, ramp_event)
    if setup and kinds:
        yield from setup_offences.city(game, at.rng, at.field, tuple(setup))
    elif kinds:
        yield from place_all(game, at.rng, at.field, kinds)


def _played(at: At, events: Sequence[str], turns: int, taken_back: bool) -> tuple[list[PlayedMoment], set[str]]:
    """The moments after set-up, and the names of what could not be shown."""
    game, rng = at.game, at.rng
    left = list(events)
    moments: list[PlayedMoment] = []
    last = turns if left else AFTERWARDS
    while game.turn <= min(turns, last) and not game.referee.finished:
        turn, shown = game.turn, 0
        settled = True  # nothing of this turn stands that taking a move back would take back, too
        for name in tuple(left):
            before = game.saved()
            made = ALL_EVENTS[name].make(at)
            if not made:
                continue
            left.remove(name)
            shown += 1
            moments += [_labelled(moment, name) for moment in made]
            if len(made) == 1 and made[0].what.kind == "move" and ALL_EVENTS[name].rule is not None and taken_back:
                if settled:
                    moments.append(_labelled(game.take_back(before, turn), name))
            elif game.turn == turn:
                settled = False
            if game.turn > turn or shown == EVENTS_A_TURN:
                break
        if shown and not left:
            last = game.turn + AFTERWARDS - 1
        if game.turn > turn:
            continue
        low = FROM_BELOW & set(left) and game.turn % 4 < 2  # both players take their turns at it
        home = HOME_EVENTS & set(left)
        build = find_build(game, rng, at.field, at.margins, LOW if low else HOMING if home else BUSY)
        build = build or find_build(game, rng, at.field, at.margins, LAST_RESORT)
        if build is None and stuck_with_material(game):
            break
        moments.append(game.give_up() if build is None else game.play(build))
    return moments, set(left)


def _labelled(moment: PlayedMoment, name: str) -> PlayedMoment:
    others = tuple(event for event in moment.what.events if event != name)
    return replace(moment, what=replace(moment.what, events=(name, *others)))
