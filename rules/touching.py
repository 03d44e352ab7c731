"""The measured rules of a new road: what it covers, what it touches, how its ends lie.

"No part of the stick may cover any part of any column but its own two" is measured as a plan distance; "no contact" as
a vertical gap where two pieces overlap in plan view and as a plan distance where they are at one height. Contact needs
both to be 0 or less, so that both have to be beyond doubt before contact is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from rules.build import SOLID, Build
from rules.events import FactColumn, FactObject, Fault
from rules.findings import count, measured, more_than, not_more
from rules.geometry import Bar, Disc2, Meeting, disc_gap, meeting, overhang, stick_distance
from rules.miscount import with_counts
from rules.outlines import Overlap, arch_gap, bar_polygon_gap, inside_depth, least_gap, overlap
from rules.ruleset import RuleSet
from rules.state import State
from rules.tolerances import JOINT_REACH_WIDTHS, REST_GAP_MM
from rules.uncertain import Measured, at_least, both, certain_enough


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A road near the new one: plan distance of the outlines, where centre lines meet, and where they overlap.

    `shared`: the columns that carry both. `common` leaves out what lies at those.
    """

    road: str
    bar: Bar
    distance: Measured
    shares: tuple[float, float]
    meeting: Meeting | None
    shared: tuple[Disc2, ...]
    common: Overlap | None


def neighbours(state: State, build: Build) -> list[Neighbour]:
    """The roads that the new one may overlap within `k` sigmas, in the order in which they were placed."""
    bar = build.bar
    own = {name for name in build.joints if name is not None}
    found: list[Neighbour] = []
    for name in state.oldest_first(state.road_grid.near(state.bar_box(bar))):
        other = state.bars[name]
        distance, s, t = stick_distance(bar, other)
        if at_least(distance, 0.0, state.k, limit_is_fault=True) == "clear":
            continue
        shared = tuple(state.discs[column] for column in state.joints[name] if column in own and column in state.discs)
        common = overlap(bar, other, shared) if distance.value <= 0 else None
        found.append(Neighbour(name, other, distance, (s, t), meeting(bar, other), shared, common))
    return found


def at_joint(neighbour: Neighbour, x: float, y: float, reach: float) -> bool:
    """Whether a place lies at a column that both roads rest on."""
    return any(math.hypot(x - disc.x, y - disc.y) <= disc.radius + reach for disc in neighbour.shared)


def road_contacts(state: State, rules: RuleSet, build: Build, near: list[Neighbour]) -> list[Fault]:
    """touch-road: contact with other roads, but not at a shared column."""
    found: list[Fault] = []
    reach = JOINT_REACH_WIDTHS * state.pieces.stick.width
    for neighbour in near:
        if rules.word("touch_own_roads") == "allow" and state.owners[neighbour.road] == build.player:
            continue
        beside = more_than("touch-road", neighbour.distance, 0.0, rules.k, neighbour.road)
        if neighbour.common is not None:
            gap, _ = least_gap(build.bar, neighbour.bar, neighbour.common)
            middle = neighbour.common.middle
            s, t = build.bar.share(*middle), neighbour.bar.share(*middle)
        elif neighbour.distance.value <= 0 and neighbour.shared:
            continue  # all of the overlap lies at the shared column
        else:
            s, t = neighbour.shares
            x = build.bar.ax + s * (build.bar.bx - build.bar.ax)
            y = build.bar.ay + s * (build.bar.by - build.bar.ay)
            if at_joint(neighbour, x, y, reach):
                continue
            mine, other = build.bar.top(s), neighbour.bar.top(t)
            rise = mine.minus(other)
            gap = Measured(abs(rise.value) - build.bar.thickness, rise.sigma)
        gap = with_counts(state, build, neighbour.road, gap, (s, t))
        over = more_than("touch-road", gap, 0.0, rules.k, neighbour.road)
        found.append(_contact(beside, over))
    return found


def _contact(beside: Fault, over: Fault) -> Fault:
    """Contact is where both the plan distance and the vertical gap say so; the larger one keeps the pieces apart."""
    call = both(beside.call, over.call)
    larger = beside if _apart(beside) > _apart(over) else over
    return larger.model_copy(update={"call": call})


def _apart(fault: Fault) -> float:
    return fault.value / fault.sigma if fault.sigma > 0 else math.copysign(math.inf, fault.value) if fault.value else 0


def column_contacts(state: State, rules: RuleSet, build: Build) -> list[Fault]:
    """column-covered and touch-column: the new road against every column but its own two."""
    found: list[Fault] = []
    bar = build.bar
    own = set(build.joints)
    for name in state.oldest_first(state.column_grid.near(state.bar_box(bar))):
        if name in own:
            continue
        disc = state.discs[name]
        gap = disc_gap(bar, disc)
        covered = not_more("column-covered", -gap.distance, rules.cover_mm, rules.k, name)
        beside = more_than("touch-column", gap.distance, 0.0, rules.k, name)
        if covered.call == beside.call == "clear":
            continue
        found.append(covered)
        top = bar.top(gap.share)
        height = Measured(top.value - bar.thickness - disc.top_z, math.hypot(top.sigma, disc.sigma_z))
        contact = _contact(beside, more_than("touch-column", height, 0.0, rules.k, name))
        found.append(_unless_miscounted(contact, state.columns[name], rules))
    return found


def city_contacts(state: State, rules: RuleSet, build: Build) -> list[Fault]:
    """touch-city and asakusa-crossed: the new road against the city objects."""
    found: list[Fault] = []
    bar = build.bar
    for name in state.oldest_first(state.city_grid.near(state.bar_box(bar))):
        thing = state.city[name]
        if thing.arch is not None:
            clear = arch_gap(bar, thing.arch, thing.arch_height if thing.arch_height is not None else thing.height)
            if clear is not None:
                gap = Measured(clear[0].value, math.hypot(clear[0].sigma, thing.sigma_z))
                found.append(more_than("touch-city", gap, 0.0, rules.k, name))
        if thing.kind == "asakusa":
            plan, _ = bar_polygon_gap(bar, thing.outline)
            crossed = Measured(-plan.value, math.hypot(plan.sigma, thing.sigma_xy))
            found.append(not_more("asakusa-crossed", crossed, 0.0, rules.k, name))
        found += [_solid_contact(rules, bar, thing, outline, top) for outline, top in solids(state, thing)]
    return found


def solids(state: State, thing: FactObject) -> list[tuple[tuple[tuple[float, float], ...], float]]:
    """What of a city object is solid: outlines, and the heights of their tops above the table."""
    found = [(obstacle.outline, obstacle.height) for obstacle in thing.obstacles]
    if thing.kind in SOLID:
        x = sum(point[0] for point in thing.outline) / len(thing.outline)
        y = sum(point[1] for point in thing.outline) / len(thing.outline)
        found.append((thing.outline, state.surface_z(x, y) + thing.height))
    return found


def _solid_contact(
    rules: RuleSet, bar: Bar, thing: FactObject, outline: tuple[tuple[float, float], ...], roof: float
) -> Fault:
    plan, share = bar_polygon_gap(bar, outline)
    plan = Measured(plan.value, math.hypot(plan.sigma, thing.sigma_xy))
    top = bar.top(share)
    height = Measured(top.value - bar.thickness - roof, math.hypot(top.sigma, thing.sigma_z))
    return _contact(
        more_than("touch-city", plan, 0.0, rules.k, thing.id),
        more_than("touch-city", height, 0.0, rules.k, thing.id),
    )


def ends(state: State, rules: RuleSet, build: Build) -> list[Fault]:
    """end-not-resting and overhang, at either end that should lie on a column."""
    found: list[Fault] = []
    for end, name in enumerate(build.joints):
        disc = build.disc if build.column is not None and name == build.column.id else state.discs.get(name or "")
        if name is None or disc is None:
            continue
        gap = disc_gap(build.bar, disc).distance
        rests = more_than("end-not-resting", -gap, 0.0, rules.k, name)
        found.append(rests.model_copy(update={"value": gap.value}))
        if rests.call != "fault":
            column = build.column if build.column is not None and name == build.column.id else state.columns[name]
            found.append(_unless_miscounted(_lies_on(state, rules, build.bar, disc), column, rules))
        limit = rules.number("overhang_mm")
        if limit is not None:
            found.append(not_more("overhang", overhang(build.bar, end, disc), limit, rules.k, name))
    return found


def _unless_miscounted(fault: Fault, column: FactColumn, rules: RuleSet) -> Fault:
    """A height that follows from a doubtful count of discs can't be a fault beyond doubt."""
    if fault.call == "fault" and column.levels_probability < certain_enough(rules.k):
        return fault.model_copy(update={"call": "too_close", "probability": column.levels_probability})
    return fault


def _lies_on(state: State, rules: RuleSet, bar: Bar, disc: Disc2) -> Fault:
    """Height of the stick's underside over what carries it: the column's top, or the roads that lie there.

    Over the disc either stick rises or falls with its slope: what counts is the distance of the two ranges of heights.
    """
    low, high = _heights_over(bar, disc)
    carriers = [(disc.top_z, disc.top_z)]
    for name in state.road_grid.near(state.disc_box(disc)):
        if disc.id in state.joints.get(name, ()):
            carriers.append(_heights_over(state.bars[name], disc))
    gap = min(max(low - bar.thickness - highest, lowest - (high - bar.thickness), 0.0) for lowest, highest in carriers)
    sigma = math.hypot(bar.top(bar.share(disc.x, disc.y)).sigma, disc.sigma_z)
    return not_more("end-not-resting", Measured(gap, sigma), REST_GAP_MM, rules.k, disc.id)


def _heights_over(bar: Bar, disc: Disc2) -> tuple[float, float]:
    """Lowest and highest top of a stick over a disc."""
    at = bar.share(disc.x, disc.y)
    reach = disc.radius / bar.length if bar.length > 0 else 0.0
    tops = bar.top(at - reach).value, bar.top(at + reach).value
    return min(tops), max(tops)


def landing(state: State, rules: RuleSet, build: Build) -> list[Fault]:
    """The end that lies on no column: an offramp's or a ramp's. It must lie on the table or on an allowed area."""
    if build.landed is None:
        return []
    end = build.far if build.kind == "offramp" else build.start
    x, y, z = build.tip(end)
    bar = build.bar
    thing = state.city.get(build.landed)
    surface = thing.height if thing is not None and thing.height <= REST_GAP_MM else 0.0
    height = Measured(abs(z - bar.thickness - surface), bar.sigma_z)
    lies = not_more("end-not-resting", height, REST_GAP_MM, rules.k, build.landed)
    found = [lies]
    if thing is not None:
        # The end is as long as it is wide: its tip may lie that little past the edge of what it lies on.
        sigma = math.hypot(max(bar.sigma_across, bar.sigma_along), thing.sigma_xy)
        off = Measured(-inside_depth(thing.outline, x, y), sigma)
        found.append(not_more("end-not-resting", off, bar.half, rules.k, build.landed))
    if thing is None and build.landed != "table":
        found.append(count("offramp-area", 1, 0, "areas", build.landed))
    elif thing is not None and thing.kind not in SOLID and lies.call != "clear":
        # It lies on something that stands on the area: a tree, an aircraft.
        found.append(lies.model_copy(update={"rule": "touch-city"}))
    found += _forbidden_areas(state, rules, build, x, y)
    return found


OFFRAMP_AREAS = ("development_area", "green_area", "airport_area", "amusement_park")
"""Where an offramp's end may lie, besides the table."""


def _forbidden_areas(state: State, rules: RuleSet, build: Build, x: float, y: float) -> list[Fault]:
    """offramp-area: how deep the tip lies inside an area where it may not."""
    found: list[Fault] = []
    sigma = max(build.bar.sigma_across, build.bar.sigma_along)
    near = set(state.city_grid.near(state.reach((x, y, x, y), sigma)))
    if build.landed in state.city:
        near.add(build.landed)
    for name in state.oldest_first(near):
        thing = state.city[name]
        if thing.kind in OFFRAMP_AREAS:
            continue
        depth = Measured(inside_depth(thing.outline, x, y), math.hypot(sigma, thing.sigma_xy))
        fault = not_more("offramp-area", depth, 0.0, rules.k, name)
        if name == build.road.rests_on[build.far if build.kind == "offramp" else build.start]:
            fault = measured("offramp-area", depth, 0.0, "fault", name)
        found.append(fault)
    return found
