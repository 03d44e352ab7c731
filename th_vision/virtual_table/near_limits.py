"""Legal and just not legal any more: columns at the edge of a road overhead, ends that only just rest."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from th_vision.virtual_table.builds import PlayedMoment
from th_vision.virtual_table.candidates import Sketches, possible, realise, segment_point_distance, sketch
from th_vision.virtual_table.offences import At, Offence, Try, commit, plain_levels
from th_vision.virtual_table.turning import all_meeting

Array = NDArray[np.float64]

CLOSE_MM = 0.5
BARELY_MM = (0.4, 1.0)  # so far a tip lies over its column's rim


def under_road(at: At) -> list[PlayedMoment]:
    """A column whose rim is under the edge of a road that lies higher, on either side of the limit."""
    skip = frozenset({"column-under-road"})
    offence = Offence("builds at the edge of a road overhead", frozenset(), skip, skip)
    return commit(at, offence, _beneath(at, skip), "close:column-under-road")


def _beneath(at: At, skip: frozenset[str]) -> Iterator[Try]:
    game = at.game
    limit = game.pieces.disc.radius + game.pieces.stick.width / 2
    for base in game.holding(game.whose_turn).bases:
        wanted = plain_levels(at, base)
        for road in (game.scene.sticks[k] for k in at.rng.permutation(len(game.scene.sticks))) if wanted else ():
            a, b = (np.array([end[:2]]) for end in road.ends)

            def beside(s: Sketches, a: Array = a, b: Array = b) -> Array:
                return np.asarray(segment_point_distance(a, b, s.column)[0] - limit, dtype=np.float64)

            plain = sketch(game, base, wanted, at.rng, 1)
            target = lambda: float(at.rng.uniform(-CLOSE_MM, CLOSE_MM))  # noqa: E731 - as short as what it says
            for found in all_meeting(plain, beside, target, at.rng, 6):
                options = possible(game, found, at.field, at.margins, skip=skip).sketches
                for i in range(len(options)):
                    build = realise(game, options, i, game.take_stick())
                    if build is not None and build.column is not None:
                        column = build.column
                        if road.top_at(column.x, column.y) - road.thickness > column.top_z + at.margins.gap:
                            yield Try(build)


def barely_resting(at: At) -> list[PlayedMoment]:
    """A road whose tip lies over its column's rim by less than a millimetre."""
    game = at.game
    radius = game.pieces.disc.radius
    skip = frozenset({"overhang"})

    def tries() -> Iterator[Try]:
        past = (-radius + BARELY_MM[0], -radius + BARELY_MM[1])
        for base in game.holding(game.whose_turn).bases:
            wanted = plain_levels(at, base)
            if not wanted:
                continue
            made = sketch(game, base, wanted, at.rng, 3, past)
            options = possible(game, made, at.field, at.margins).sketches
            for i in at.rng.permutation(len(options)):
                build = realise(game, options, int(i), game.take_stick())
                if build is not None:
                    yield Try(build)

    offence = Offence("lets a road only just rest", frozenset(), frozenset({"end-not-resting"}), skip)
    return commit(at, offence, tries(), "close:end-not-resting")
