"""What the city is worth to a player: areas to build on, offramps that score, the rainbow, loops around buildings."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from th_vision.virtual_table.candidates import Rated, Sketches, segment_crossings
from th_vision.virtual_table.city_room import depth_inside
from th_vision.virtual_table.playing import Playing
from th_vision.virtual_table.scene import CityBody, Point2

Array = NDArray[np.float64]

DEVELOPING = 3.5  # a column on an area that holds none of the player's yet
HARBOR = 1.0  # more for the area beside a harbor
LANDING = 4.0  # an offramp on an area that scores and has none of the player's yet
RAINBOW = 6.0  # through the arch with a car
RINGING = 1.5  # for each right angle that a way goes on around a building
CLIMBING = 1.0  # a way around a building has to rise: it ends over its own beginning
CLOSING = 10.0
AROUND = (0.38, 1.05)  # a way around a building keeps so far from its middle, stick lengths
BEGUN_DEG, NEARLY_DEG = 50.0, 200.0  # how far around a way is begun, and nearly closed
DRAWN = 0.9  # to what scores and is near the new column, a stick's length away or less
SCORING_LANDINGS = ("airport_area", "green_area", "amusement_park")


def mission_worth(game: Playing, rated: Rated, cars: Array, player: str) -> Array:
    """How much more a player likes each sketch (n,) for the missions' sake. ``cars``: due by crossings (n,)."""
    s = rated.sketches
    worth = np.zeros(len(s))
    is_column = s.level > 0
    own = [c for c in game.scene.columns if game.owner[c.id] == player]
    developed = {c.on for c in own}
    landed = {stick.rests_on[1] for stick in game.scene.sticks if game.owner[stick.id] == player}
    harbors = {body.adjoins for body in game.scene.city if body.adjoins}
    for body in game.scene.city:
        if (body.kind in SCORING_LANDINGS and body.id not in landed) or body.arch is not None:
            apart = np.linalg.norm(s.column - np.mean(np.asarray(body.outline), axis=0), axis=1)
            worth += np.where(is_column, DRAWN * np.exp(-((apart / game.pieces.stick.length) ** 2)), 0.0)
        if body.kind == "development_area" and body.id not in developed:
            gain = DEVELOPING + (HARBOR if body.id in harbors else 0.0)
            worth += np.where(is_column & (depth_inside(body.outline, s.column) > 0), gain, 0.0)
        elif body.kind in SCORING_LANDINGS and body.id not in landed:
            worth += np.where(~is_column & (depth_inside(body.outline, s.end) > 0), LANDING, 0.0)
        elif body.arch is not None:
            feet = np.asarray(body.arch)
            t, u, _ = segment_crossings(s.start, s.end, feet[:1], feet[1:])
            through = ((t > 0) & (t < 1) & (u > 0) & (u < 1))[:, 0]
            worth += np.where(through & (cars > 0), RAINBOW, 0.0)
        elif body.kind == "building":
            worth += _around(game, rated, body, player)
    return worth


def way_to(game: Playing, column: str) -> Iterator[Point2]:
    """The columns of a player's way back from one, nearest first, itself included."""
    before = {ends[1]: ends[0] for ends in game.ends_at.values() if len(ends) == 2}
    standing = {body.id for body in game.scene.columns}
    at: str | None = column
    while at is not None:
        body = game.column(at)
        yield body.x, body.y
        at = before.get(at)  # an end on an offramp has no column
        at = at if at in standing else None


def swept_deg(points: list[Point2], around: Point2) -> float:
    """The angle by which a way of points turns about one, degrees, positive to the left."""
    angles = [math.atan2(y - around[1], x - around[0]) for x, y in points]
    steps = ((b - a + math.pi) % (2 * math.pi) - math.pi for a, b in pairwise(angles))
    return math.degrees(sum(steps))


def _around(game: Playing, rated: Rated, body: CityBody, player: str) -> Array:
    """Going on around a building: further the same way, at a fit distance, rising, and over the way's own beginning."""
    s: Sketches = rated.sketches
    length = game.pieces.stick.length
    middle = np.mean(np.asarray(body.outline), axis=0)
    centre = (float(middle[0]), float(middle[1]))
    near = [p for p in way_to(game, s.base) if math.dist(p, centre) < AROUND[1] * length][::-1]
    start = game.column(s.base)
    if not near or math.dist((start.x, start.y), centre) > AROUND[1] * length:
        return np.zeros(len(s))
    so_far = swept_deg(near, centre)
    fit = np.linalg.norm(s.column - middle, axis=1)
    fits = (fit > AROUND[0] * length) & (fit < AROUND[1] * length) & (s.level > 0)
    before = math.atan2(start.y - centre[1], start.x - centre[0])
    after = np.arctan2(s.column[:, 1] - middle[1], s.column[:, 0] - middle[0])
    step = np.degrees((after - before + np.pi) % (2 * np.pi) - np.pi)
    onward = np.abs(step) if abs(so_far) < BEGUN_DEG else step * math.copysign(1.0, so_far)
    worth = np.where(fits, RINGING * onward / 90.0 * (1 + abs(so_far) / 180.0), 0.0)
    worth = worth + np.where(fits & (s.level > start.levels) & (abs(so_far) > BEGUN_DEG), CLIMBING, 0.0)
    mine = np.array([game.owner[stick.id] == player for stick in game.scene.sticks])
    closes = np.any(rated.crosses & mine[None], axis=1) & (np.abs(so_far + step) > NEARLY_DEG)
    return np.asarray(worth + np.where(closes, CLOSING, 0.0), dtype=np.float64)
