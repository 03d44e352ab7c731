"""Games with the city set up, played on to the end that the rules name: who builds into a corner thinks again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from rules.pieces import Pieces
from th_vision.virtual_table.candidates import Field, Margins
from th_vision.virtual_table.city import BASE_SET
from th_vision.virtual_table.city_setup import place_all
from th_vision.virtual_table.player import LAST_RESORT, Taste, check_request, find_build, set_up, stuck_with_material
from th_vision.virtual_table.playing import PlayedMoment, Playing
from th_vision.virtual_table.scene import Scene, Spread

TO_THE_END = 400  # turns: more than any supply lasts
RETHINKS = 30  # so often moves are taken back in thought before the game is left where nobody can go on
CITY_TASTE = Taste(junction=0.8, offramp=0.9)


def whole_game(
    rng: np.random.Generator,
    pieces: Pieces,
    players: tuple[str, ...] = ("blue", "pink"),
    preset: str = "rainbow-city-missions",
    turns: int = TO_THE_END,
    field_mm: tuple[float, float] = (620.0, 360.0),
    *,
    kinds: Sequence[str] = BASE_SET,
    margin_mm: float = 3.0,
    spread: Spread | None = None,
    base_scene: Scene | None = None,
    taste: Taste | None = None,
) -> Iterator[PlayedMoment]:
    """A legal game with these city objects, up to ``turns`` turns or to its end.

    Nobody is left with material and no place for it, as a player who looks ahead sees to it: moves that lead there
    are thought over again, further and further back, so the game is found first and told then.

    Raises:
        VisionError: a request as ``random_game`` refuses it, or a field without room for the city.
    """
    check_request(pieces, players, preset, field_mm)
    game = Playing(rng, pieces, players, preset, spread=spread, base_scene=base_scene)
    field, margins = Field(*field_mm), Margins.of(margin_mm)
    opening = [*set_up(game, rng), *place_all(game, rng, field, kinds)]
    yield from opening
    yield from played_on(game, rng, field, margins, turns, taste or CITY_TASTE)


def played_on(
    game: Playing, rng: np.random.Generator, field: Field, margins: Margins, turns: int, taste: Taste
) -> list[PlayedMoment]:
    """The moments from here to the end of the game, or up to ``turns`` turns."""
    moments: list[PlayedMoment] = []
    marks: list[Playing] = []
    longest: list[PlayedMoment] = []
    rethinks, stuck_at, back = 0, 0, 0
    while not game.referee.finished and game.turn <= turns:
        build = find_build(game, rng, field, margins, taste) or find_build(game, rng, field, margins, LAST_RESORT)
        if build is None and stuck_with_material(game):
            longest = max(longest, list(moments), key=len)
            rethinks += 1
            if rethinks > RETHINKS or not marks:
                return longest
            # Stuck at the same place again: the mistake was made earlier.
            back = 2 if len(moments) > stuck_at else min(back + 2, len(marks))
            stuck_at = max(stuck_at, len(moments))
            keep = max(0, len(marks) - back)
            game = marks[keep]
            del marks[keep:], moments[keep:]
            continue
        marks.append(game.saved())
        moments.append(game.give_up() if build is None else game.play(build))
    return moments
