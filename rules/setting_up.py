"""Set-up: city objects in their order and with their spacing, and the distance of the ramps."""

from __future__ import annotations

import math
from typing import Final

from rules.events import FactObject, Fault
from rules.findings import count, more_than, not_less, not_more
from rules.outlines import bar_polygon_gap, disc_polygon_gap, inside_depth, overlap_depth, polygon_gap, sticks_out
from rules.ruleset import RuleSet
from rules.state import State
from rules.tolerances import DUST_MM, RAMP_DISTANCE_SHARE
from rules.uncertain import Measured, at_least, at_most

ON_DEVELOPMENT: Final = ("building", "tower")
"""City objects that stand on a development area; only one on each."""


def city_object(state: State, rules: RuleSet, thing: FactObject) -> list[Fault]:
    """city-order, city-over-edge, area-spacing, touch-city for a city object about to be placed (all findings)."""
    found: list[Fault] = []
    if state.now["moved"]:
        found.append(count("city-order", 1, 0, "turns", thing.id))
    if thing.kind == "development_area":
        later = [name for name, other in state.city.items() if other.kind != "development_area"]
        if later:
            found.append(count("city-order", len(later), 0, "objects", thing.id, *later))
    if thing.kind in ON_DEVELOPMENT:
        found += _on_area(state, rules, thing)
    else:
        found += _apart(state, rules, thing)
    return found


def area_under(state: State, thing: FactObject) -> str | None:
    """The development area on which a building or a tower stands: the one named, else the one under its middle."""
    if thing.on in state.city:
        return thing.on
    x = sum(point[0] for point in thing.outline) / len(thing.outline)
    y = sum(point[1] for point in thing.outline) / len(thing.outline)
    for name, other in state.city.items():
        if other.kind == "development_area" and inside_depth(other.outline, x, y) > 0:
            return name
    return None


def _on_area(state: State, rules: RuleSet, thing: FactObject) -> list[Fault]:
    area = area_under(state, thing)
    if area is None or state.city[area].kind != "development_area":
        nearest = min(
            (
                polygon_gap(thing.outline, other.outline)
                for other in state.city.values()
                if other.kind == "development_area"
            ),
            default=math.inf,
        )
        if math.isinf(nearest):
            return [count("city-order", 0, 1, "development areas", thing.id)]
        # It stands on the table, beside every development area: all of it is over the edge.
        far = nearest + max(abs(x - thing.outline[0][0]) + abs(y - thing.outline[0][1]) for x, y in thing.outline)
        over = Measured(far, thing.sigma_xy)
        return [not_more("city-over-edge", over, 0.0, rules.k, thing.id)]
    found: list[Fault] = []
    outer = state.city[area]
    sigma = math.hypot(thing.sigma_xy, outer.sigma_xy)
    over = Measured(sticks_out(thing.outline, outer.outline), sigma)
    found.append(not_more("city-over-edge", over, 0.0, rules.k, thing.id, area))
    tenants = [
        name for name, other in state.city.items() if other.kind in ON_DEVELOPMENT and area_under(state, other) == area
    ]
    if tenants:
        found.append(count("city-order", len(tenants) + 1, 1, "objects", thing.id, area, *tenants))
    return found


def _apart(state: State, rules: RuleSet, thing: FactObject) -> list[Fault]:
    """A development area keeps a column's width from other development areas, roads and columns."""
    found: list[Fault] = []
    every = rules.word("area_spacing") == "all"
    spaced = every or thing.kind == "development_area"
    limit = state.pieces.disc.diameter
    for name, other in state.city.items():
        if other.kind in ON_DEVELOPMENT:
            continue
        if thing.adjoins == name or other.adjoins == thing.id:
            continue  # a harbor lies beside its development area
        gap = Measured(polygon_gap(thing.outline, other.outline), math.hypot(thing.sigma_xy, other.sigma_xy))
        if every or thing.kind == other.kind == "development_area":
            found.append(not_less("area-spacing", gap, limit, rules.k, thing.id, name))
        elif gap.value <= DUST_MM and (depth := overlap_depth(thing.outline, other.outline)) > DUST_MM:
            found.append(more_than("touch-city", Measured(-depth, gap.sigma), 0.0, rules.k, thing.id, name))
    if not spaced:
        return found
    for road, bar in state.bars.items():
        gap, _ = bar_polygon_gap(bar, thing.outline)
        gap = Measured(gap.value, math.hypot(gap.sigma, thing.sigma_xy))
        found.append(not_less("area-spacing", gap, limit, rules.k, thing.id, road))
    for column, disc in state.discs.items():
        gap = disc_polygon_gap(disc, thing.outline)
        gap = Measured(gap.value, math.hypot(gap.sigma, thing.sigma_xy))
        found.append(not_less("area-spacing", gap, limit, rules.k, thing.id, column))
    return found


def ramp_distance(state: State, rules: RuleSet, players: tuple[str, ...]) -> list[Fault]:
    """ramp-distance, a warning: the ramps' columns are a stick's length apart from their neighbours.

    Two players: one distance; three: a triangle; four: the sides of a square, whoever sits where. Looked at once, when
    all ramps stand.
    """
    columns = []
    for player in players:
        ramps = [road for road in state.roads_of(player) if state.kinds[road] == "ramp"]
        if not ramps:
            return []
        columns.append(next(column for column in state.joints[ramps[0]] if column is not None))
    discs = [state.discs[column] for column in columns]
    x, y = sum(disc.x for disc in discs) / len(discs), sum(disc.y for disc in discs) / len(discs)
    around = sorted(range(len(discs)), key=lambda i: (math.atan2(discs[i].y - y, discs[i].x - x), i))
    sides = list(zip(around, around[1:] + around[:1], strict=True)) if len(discs) > 2 else [(0, 1)]
    length = state.pieces.stick.length
    found: list[Fault] = []
    for i, j in sides:
        first, second = discs[min(i, j)], discs[max(i, j)]
        distance = Measured(math.hypot(first.x - second.x, first.y - second.y), math.hypot(first.sigma, second.sigma))
        short = distance.value < length
        limit = length * (1 - RAMP_DISTANCE_SHARE if short else 1 + RAMP_DISTANCE_SHARE)
        call = at_least(distance, limit, rules.k) if short else at_most(distance, limit, rules.k)
        fault = not_less("ramp-distance", distance, limit, rules.k, first.id, second.id)
        found.append(fault.model_copy(update={"call": call, "warning": True}))
    return found
