"""Where things are, in words: for players who don't see the table.

Places are told from the nearest landmark: a city object, or the first column of a player's ramp. Distances are in
fingers, hands and sticks, directions of the compass with the far side of the table north (the y axis).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from rules.game import Game
from rules.geometry import segment_distance
from rules.layout import Point2
from rules.outlines import inside_depth
from th_vision import phrases as say
from th_vision.words import Words

FINGER_MM: Final = 18.0
HAND_MM: Final = 85.0
BESIDE_MM: Final = 10.0
_ON_THE_SPOT_MM: Final = 1.0


@dataclass(frozen=True)
class Landmark:
    """Something that players know the place of; ``outline`` of one point: a column."""

    name: str
    outline: tuple[Point2, ...]

    @property
    def middle(self) -> Point2:
        """Its middle."""
        n = len(self.outline)
        return sum(p[0] for p in self.outline) / n, sum(p[1] for p in self.outline) / n

    def distance(self, at: Point2) -> float:
        """Plan distance from its edge, mm; 0 on it."""
        if len(self.outline) < 3:
            return math.dist(at, self.middle)
        if inside_depth(self.outline, *at) >= 0:
            return 0.0
        sides = zip(self.outline, (*self.outline[1:], self.outline[0]), strict=True)
        return min(segment_distance(at, at, a, b)[0] for a, b in sides)


def landmarks(game: Game, words: Words) -> Iterator[Landmark]:
    """What places can be told from, in this game."""
    kinds: dict[str, int] = {}
    for thing in game.city.values():
        kinds[thing.kind] = kinds.get(thing.kind, 0) + 1
    for thing in game.city.values():
        alone = kinds[thing.kind] == 1
        name = words.text(say.LANDMARKS[thing.kind]) if alone else _number(game, thing.id, words)
        yield Landmark(name, thing.outline)
    for road in game.roads.values():
        if game.kind(road.id) == "ramp":
            column = next((c for c in road.rests_on if c in game.columns), None)
            if column is not None:
                at = game.columns[column]
                name = words.fill(say.RAMP_OF, player=words.player(game.owners[road.id]))
                yield Landmark(name, ((at.x, at.y),))


def _number(game: Game, name: str, words: Words) -> str:
    """ "building 2": the kind and its number among its kind, in the order in which they were placed."""
    kind = game.city[name].kind
    same = [one for one, thing in game.city.items() if thing.kind == kind]
    return words.fill(say.NUMBERED, name=words.text(say.LANDMARKS[kind]), number=str(same.index(name) + 1))


def place_of(game: Game, at: Point2, words: Words) -> str:
    """A place in words, such as "a hand's width north-east of the tower"; "" where there is no landmark."""
    known = [mark for mark in landmarks(game, words) if mark.distance(at) > _ON_THE_SPOT_MM or len(mark.outline) > 2]
    if not known:
        return ""
    nearest = min(known, key=lambda mark: mark.distance(at))
    distance = nearest.distance(at)
    if distance <= 0:
        return words.fill(say.ON_LANDMARK, landmark=nearest.name)
    return words.fill(
        say.PLACE,
        distance=distance_words(distance, words),
        direction=direction(nearest.middle, at, words),
        landmark=nearest.name,
    )


def distance_words(distance_mm: float, words: Words) -> str:
    """A distance as fingers and hands."""
    if distance_mm < BESIDE_MM:
        return words.text(say.RIGHT_BESIDE)
    if distance_mm < 0.7 * HAND_MM:
        return words.count(say.FINGERS, max(1, round(distance_mm / FINGER_MM)))
    return words.count(say.HANDS, max(1, round(distance_mm / HAND_MM)))


def direction(origin: Point2, at: Point2, words: Words) -> str:
    """One of eight directions of the compass, from ``origin`` to ``at``."""
    angle = math.degrees(math.atan2(at[1] - origin[1], at[0] - origin[0]))
    return words.text(say.DIRECTIONS[round(angle / 45) % 8])


def surroundings(game: Game, player: str, words: Words) -> tuple[str, ...]:
    """What a player needs to know to build: from where, and which roads of others are free on which side."""
    from rules.free_sides import free_sides

    out: list[str] = []
    for name in game.base_points(player):
        column = game.columns[name]
        place = place_of(game, (column.x, column.y), words)
        out.append(words.sentence(words.count(say.YOUR_COLUMN, column.levels, place=place)))
    for road in game.roads.values():
        owner = game.owners[road.id]
        if owner == player:
            continue
        free = [side.side for side in free_sides(game.state, game.rules, road.id) if side.free]
        if not free:
            continue
        (x0, y0, _), (x1, y1, _) = road.ends
        place = place_of(game, ((x0 + x1) / 2, (y0 + y1) / 2), words)
        sides = words.listed(words.text(say.SIDES[side]) for side in free)
        out.append(words.sentence(words.fill(say.FREE_ROAD, player=words.player(owner), place=place, sides=sides)))
    return tuple(out)
