"""A game in which pieces are pushed, harder from time to time: from a millimetre to a column that comes down."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rules.pieces import Pieces
from th_vision.errors import VisionError
from th_vision.virtual_table.builds import PlayedMoment
from th_vision.virtual_table.candidates import Field, Margins
from th_vision.virtual_table.mishaps import Pair, collapse, knock, loose_columns, loose_roads, nudge
from th_vision.virtual_table.player import check_request, find_build, set_up
from th_vision.virtual_table.playing import Playing

NUDGES_MM = (1.0, 2.0, 3.5, 6.0)
FIRST_TURN = 5  # before, there is little to push
MOST_TURNS = 26


def knocked_game(
    rng: np.random.Generator,
    pieces: Pieces,
    players: tuple[str, ...] = ("blue", "pink"),
    preset: str = "rainbow-city",
    field_mm: tuple[float, float] = (600.0, 380.0),
    *,
    margin_mm: float = 3.0,
) -> Iterator[PlayedMoment]:
    """A legal game; every third turn another player's column is shifted, by 1, 2, 3.5 and 6 mm; then a road falls, then
    a column with its road. Each is put right before the game goes on.

    Raises:
        VisionError: a request as ``random_game`` refuses it, or no game found that shows it all.
    """
    check_request(pieces, players, preset, field_mm)
    game = Playing(rng, pieces, players, preset)
    field, margins = Field(*field_mm), Margins.of(margin_mm)
    yield from set_up(game, rng)
    left: list[float | str] = [*NUDGES_MM, "knock", "collapse"]
    while left:
        if game.turn >= FIRST_TURN and game.turn % 3 == 2:
            pair = _pushed(game, left[0], field_mm)
            if pair is not None:
                del left[0]
                yield from pair
        build = None if game.referee.finished else find_build(game, rng, field, margins)
        if build is None or game.turn > MOST_TURNS:
            break
        yield game.play(build)
    if left:
        raise VisionError(f"virtual game: no place found for a push of {left[0]}; try another seed")


def _pushed(game: Playing, what: float | str, field_mm: tuple[float, float]) -> Pair | None:
    victims = [player for player in game.players if player != game.whose_turn]
    try:
        if what == "knock":
            roads = [road for player in victims for road in loose_roads(game, player)]
            return knock(game, roads[0], field_mm=field_mm) if roads else None
        columns = [column for player in victims for column in loose_columns(game, player)]
        if not columns:
            return None
        column = columns[int(game.rng.integers(len(columns)))]
        return collapse(game, column, field_mm=field_mm) if what == "collapse" else nudge(game, column, float(what))
    except VisionError:  # no room to fall: another turn
        return None
