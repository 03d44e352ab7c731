"""Moves against the rules of the city, and moves near their limits: areas, their edges, buildings, trees, the rainbow.

Near a limit a column or a road is on either side of it where bodies allow that; where a wall is the limit, they stay
on the near side.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from th_vision.virtual_table.builds import Build, PlayedMoment
from th_vision.virtual_table.candidates import (
    Sketches,
    possible,
    realise,
    segment_point_distance,
    sketch,
)
from th_vision.virtual_table.city_room import LEG_MM, SOLID, column_trouble, depth_inside, road_trouble
from th_vision.virtual_table.offences import At, Offence, Try, commit, plain_levels
from th_vision.virtual_table.physics import Support, column_support, rest_stick, thing_support
from th_vision.virtual_table.scene import CityBody, make_column
from th_vision.virtual_table.turning import all_meeting

Array = NDArray[np.float64]

CITY_OFF = frozenset({"city"})
CLOSE_MM = 0.5
WALL_MM = (0.15, 0.5)  # room to a wall: pieces differ by a tenth of a millimetre or two
EDGE_MM = (-3.0, -1.0)  # how far a column sticks out over its area's edge, negative: out
DEEP_MM = (4.0, 14.0)  # how deep inside an area a column's middle lies where it may not
ACROSS_MM = (-9.0, 3.0)  # from the circle inside the pagoda's area to a road's edge, negative: nearer to the pagoda
LANDS_MM = (3.0, 24.0)  # the same for an offramp's tip


def _areas(at: At, *kinds: str) -> list[CityBody]:
    found = [body for body in at.game.scene.city if body.kind in kinds]
    return [found[i] for i in at.rng.permutation(len(found))]


def _possible(at: At, sketches: Sketches) -> Sketches:
    return possible(at.game, sketches, at.field, at.margins, skip=CITY_OFF).sketches


def _city_but(at: At, *ids: str) -> list[CityBody]:
    return [body for body in at.game.scene.city if body.id not in ids]


def _keeps_off(at: At, build: Build, others: Sequence[CityBody], *, gap: float | None = None) -> bool:
    """Whether a build keeps its margins from these city objects."""
    plan = at.margins.plan
    if road_trouble(others, build.stick, plan, at.margins.gap if gap is None else gap) is not None:
        return False
    return build.column is None or column_trouble(others, build.column, plan) is None


def _columns_at(at: At, area: CityBody, low: float, high: float, *, near: bool) -> Iterator[Try]:
    """Columns whose outline reaches ``low`` to ``high`` mm into an area from outside (near: measured at its edge)."""
    game = at.game
    radius = game.pieces.disc.radius

    def inside(s: Sketches) -> Array:
        return depth_inside(area.outline, s.column) - radius if near else depth_inside(area.outline, s.column)

    for base in game.holding(game.whose_turn).bases:
        wanted = plain_levels(at, base)
        if not wanted:
            continue
        plain = sketch(game, base, wanted, at.rng, 1)
        for found in all_meeting(plain, inside, lambda: float(at.rng.uniform(low, high)), at.rng):
            options = _possible(at, found)
            for i in range(len(options)):
                if _at_arch(area, options.column[i], radius):
                    continue
                build = realise_on(at, options, i, area)
                if build is not None and _keeps_off(at, build, _city_but(at, area.id)):
                    yield Try(build)


def _at_arch(area: CityBody, column: Array, radius: float) -> bool:
    """Whether a column would stand in the rainbow's arch."""
    if area.arch is None:
        return False
    a, b = (np.array([foot]) for foot in area.arch)
    return bool(segment_point_distance(a, b, column[None])[0, 0] < radius + LEG_MM)


def realise_on(at: At, options: Sketches, index: int, area: CityBody) -> Build | None:
    """A sketch built with its column on an area's card where the column's middle is over it, whatever area it is."""
    game = at.game
    x, y = (float(v) for v in options.column[index])
    over = depth_inside(area.outline, np.array([[x, y]]))[0] > 0
    column = make_column(
        at.rng,
        game.pieces,
        game.next_id("c"),
        x,
        y,
        int(options.level[index]),
        on=area.id if over else "table",
        base_z=area.top_z if over else 0.0,
        spread=game.spread,
    )
    start = (float(options.start[index, 0]), float(options.start[index, 1]))
    toward = (float(options.end[index, 0]), float(options.end[index, 1]))
    stick = game.lay(game.take_stick(), options.base, column, start, toward)
    if stick is None:
        return None
    return Build(options.base, column, stick, crossings=game.crossings_of(stick, (options.base, column.id)))


def on_area(at: At) -> list[PlayedMoment]:
    """A column on the airport, the green or the rainbow area."""
    offence = Offence("builds on an area where nobody may", frozenset({"column-on-area"}), skip=CITY_OFF)
    for area in _areas(at, "airport_area", "green_area", "rainbow_area"):
        done = commit(at, offence, _columns_at(at, area, *DEEP_MM, near=False), "column-on-area")
        if done:
            return done
    return []


def over_edge(at: At) -> list[PlayedMoment]:
    """A column on a development area that sticks out over its edge."""
    offence = Offence("builds over an area's edge", frozenset({"column-over-edge"}), skip=CITY_OFF)
    for area in _areas(at, "development_area"):
        done = commit(at, offence, _columns_at(at, area, *EDGE_MM, near=True), "column-over-edge")
        if done:
            return done
    return []


def close_to_edge(at: At) -> list[PlayedMoment]:
    """A column whose outline is at the edge of its development area, on either side of the limit."""
    offence = Offence("builds at an area's edge", frozenset(), frozenset({"column-over-edge"}), CITY_OFF)
    for area in _areas(at, "development_area"):
        done = commit(at, offence, _columns_at(at, area, -CLOSE_MM, CLOSE_MM, near=True), "close:column-over-edge")
        if done:
            return done
    return []


def close_to_area(at: At) -> list[PlayedMoment]:
    """A column close to an area on which it may not stand."""
    game = at.game

    def outside() -> Iterator[Try]:
        for area in _areas(at, "airport_area", "green_area", "rainbow_area"):
            yield from _columns_at(
                at, area, -2 * game.pieces.disc.radius - 0.6, -2 * game.pieces.disc.radius, near=True
            )

    offence = Offence("builds close to an area", frozenset(), skip=CITY_OFF)
    return commit(at, offence, outside(), "close:column-on-area")


# --- offramps ---------------------------------------------------------------------------------------------------------


def _offramps(at: At, area: CityBody, low: float, high: float) -> Iterator[Try]:
    """Offramps whose tip lies ``low`` to ``high`` mm inside an area."""
    game = at.game
    for base in game.holding(game.whose_turn).bases:
        column = game.column(base)
        if column.levels != 1 or column.junction:
            continue
        plain = sketch(game, base, [(0, False)], at.rng, 1)

        def inside(s: Sketches) -> Array:
            return depth_inside(area.outline, s.end)

        for found in all_meeting(plain, inside, lambda: float(at.rng.uniform(low, high)), at.rng):
            options = _possible(at, found)
            for i in range(len(options)):
                build = realise(game, options, i, game.take_stick())
                if build is not None and _keeps_off(at, build, _city_but(at, area.id), gap=0.3):
                    yield Try(build)


def forbidden_landing(at: At) -> list[PlayedMoment]:
    """An offramp onto the rainbow area or the harbor."""
    offence = Offence("lets an offramp down where none may end", frozenset({"offramp-area"}), skip=CITY_OFF)
    for area in _areas(at, "rainbow_area", "yacht_harbor"):
        done = commit(at, offence, _offramps(at, area, *LANDS_MM), "offramp-area")
        if done:
            return done
    return []


def close_landing(at: At) -> list[PlayedMoment]:
    """An offramp whose tip is at the rainbow area's edge."""
    offence = Offence("lets an offramp down at the rainbow's edge", frozenset(), frozenset({"offramp-area"}), CITY_OFF)
    for area in _areas(at, "rainbow_area", "yacht_harbor"):
        done = commit(at, offence, _offramps(at, area, -CLOSE_MM, CLOSE_MM), "close:offramp-area")
        if done:
            return done
    return []


# --- roads ------------------------------------------------------------------------------------------------------------


def _passing(at: At, area: CityBody, reach: float, low: float, high: float, *, gap: float) -> Iterator[Try]:
    """Roads whose edge passes the corner circle of an object at ``low`` to ``high`` mm (negative: over it)."""
    game = at.game
    half = game.pieces.stick.width / 2
    middle = np.mean(np.asarray(area.outline), axis=0)

    def beside(s: Sketches) -> Array:
        return np.asarray(segment_point_distance(s.start, s.end, middle[None])[:, 0] - half - reach, dtype=np.float64)

    for base in game.holding(game.whose_turn).bases:
        wanted = plain_levels(at, base)
        if not wanted:
            continue
        plain = sketch(game, base, wanted, at.rng, 1)
        for found in all_meeting(plain, beside, lambda: float(at.rng.uniform(low, high)), at.rng, 36):
            options = _possible(at, found)
            for i in range(len(options)):
                build = realise(game, options, i, game.take_stick())
                if build is None or not _keeps_off(at, build, _city_but(at, area.id)):
                    continue
                lower = [replace(area, kind="card")]  # what stands on it, not the area itself
                if road_trouble(lower, build.stick, at.margins.plan, gap) is None:
                    yield Try(build)


def across_asakusa(at: At) -> list[PlayedMoment]:
    """A road over a corner of the pagoda's area, clear of the pagoda."""
    offence = Offence("crosses the pagoda's area", frozenset({"asakusa-crossed"}), skip=CITY_OFF)
    for area in _areas(at, "asakusa"):
        side = float(np.linalg.norm(np.subtract(area.outline[1], area.outline[0]))) / 2
        done = commit(at, offence, _passing(at, area, side, *ACROSS_MM, gap=1.0), "asakusa-crossed")
        if done:
            return done
    return []


def at_wall(at: At) -> list[PlayedMoment]:
    """A road that passes a building's wall with hardly any room."""
    game = at.game
    half = game.pieces.stick.width / 2

    def tries() -> Iterator[Try]:
        for body in _areas(at, *SOLID):
            corners = np.asarray(body.outline)

            def beside(s: Sketches, corners: Array = corners) -> Array:
                return np.asarray(np.min(segment_point_distance(s.start, s.end, corners), axis=1) - half)

            for base in game.holding(game.whose_turn).bases:
                wanted = plain_levels(at, base)
                if not wanted:
                    continue
                plain = sketch(game, base, wanted, at.rng, 1)
                for found in all_meeting(plain, beside, lambda: float(at.rng.uniform(*WALL_MM)), at.rng):
                    options = _possible(at, found)
                    for i in range(len(options)):
                        build = realise(game, options, i, game.take_stick())
                        if build is not None and _keeps_off(at, build, _city_but(at, body.id)):
                            yield Try(build)

    offence = Offence("passes a wall with hardly any room", frozenset(), skip=CITY_OFF)
    return commit(at, offence, tries(), "close:touch-city")


def lying_on_things(at: At) -> list[PlayedMoment]:
    """A road that lies on an aircraft, a terminal or a tree."""
    offence = Offence(
        "lays a road on what stands on an area", frozenset({"touch-city"}), frozenset({"end-not-resting"}), CITY_OFF
    )
    return commit(at, offence, _on_things(at), "touch-city")


def _on_things(at: At) -> Iterator[Try]:
    game = at.game
    half = game.pieces.stick.width / 2
    for area in _areas(at, "airport_area", "green_area", "amusement_park", "yacht_harbor"):
        supports: list[Support] = [thing_support(area, thing) for thing in area.things]
        for base in game.holding(game.whose_turn).bases:
            level = game.column(base).levels
            wanted = plain_levels(at, base)
            if not wanted or level > 3:
                continue
            plain = sketch(game, base, wanted, at.rng, 1)
            for thing in area.things:
                middle = np.array([[thing.x, thing.y]])

                def beside(s: Sketches, middle: Array = middle) -> Array:
                    return np.asarray(segment_point_distance(s.start, s.end, middle)[:, 0] - half, dtype=np.float64)

                for found in all_meeting(plain, beside, lambda: float(at.rng.uniform(-half, 0)), at.rng, 20):
                    yield from _laid_on(at, _possible(at, found), area, supports)


def _laid_on(at: At, options: Sketches, area: CityBody, supports: list[Support]) -> Iterator[Try]:
    game = at.game
    for i in range(len(options)):
        x, y = (float(v) for v in options.column[i])
        if depth_inside(area.outline, options.column[i : i + 1])[0] > -game.pieces.disc.radius - at.margins.plan:
            continue
        column = game.stack(x, y, int(options.level[i]))
        start = (float(options.start[i, 0]), float(options.start[i, 1]))
        toward = (float(options.end[i, 0]), float(options.end[i, 1]))
        below = [*game.supports_at(options.base), column_support(column), *supports]
        rest = rest_stick(game.take_stick(), game.next_id("r"), start, toward, below)
        if rest is None or not any(area.id in touched for touched in rest.touches):
            continue
        stick = replace(rest.stick, rests_on=(options.base, column.id))
        build = Build(options.base, column, stick, crossings=game.crossings_of(stick, (options.base, column.id)))
        if _keeps_off(at, build, _city_but(at, area.id)):
            yield Try(build)
