"""Placing a column and a road: every rule looked at, every reason gathered, never only the first.

`examine` gives all rules that came near to being broken, those answered "clear" included; a ruling keeps the others.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from rules.build import SOLID, Build
from rules.events import FactColumn, Fault
from rules.findings import count, more_than, not_more
from rules.geometry import disc_gap
from rules.outlines import disc_polygon_gap, inside_depth
from rules.ruleset import RuleSet
from rules.state import State
from rules.touching import (
    Neighbour,
    city_contacts,
    column_contacts,
    ends,
    landing,
    neighbours,
    road_contacts,
)
from rules.uncertain import Measured, at_least, both, certain_enough

JUNCTION_BRANCHES = 2
GRAY_BRANCHES = 1
OFFRAMP_LEVEL = 1


@dataclass(frozen=True, slots=True)
class Examination:
    """All findings on a build, and the roads near it (for the crossings)."""

    findings: tuple[Fault, ...]
    near: tuple[Neighbour, ...]

    @property
    def faults(self) -> tuple[Fault, ...]:
        """The findings that are a fault or too close to call."""
        return tuple(fault for fault in self.findings if fault.call != "clear")


def examine(state: State, rules: RuleSet, build: Build) -> Examination:
    """Look at every placement rule for a move's or a ramp's column and road."""
    near = tuple(neighbours(state, build))
    findings: list[Fault] = []
    if build.kind != "ramp":
        findings += base_point(state, rules, build)
        findings += enclosing(state, build)
    if build.column is not None:
        findings += stacking(state, rules, build, build.column)
        findings += column_place(state, rules, build)
    if build.kind == "offramp":
        findings += offramp(state, rules, build)
    findings += supply(state, build)
    findings += ends(state, rules, build)
    findings += landing(state, rules, build)
    findings += column_contacts(state, rules, build)
    findings += road_contacts(state, rules, build, list(near))
    findings += city_contacts(state, rules, build)
    return Examination(tuple(findings), near)


# --- What the new road starts from ------------------------------------------------------------------------------------


def branches_left(state: State, column: str) -> int:
    """How many roads may still start from a column."""
    most = JUNCTION_BRANCHES if state.columns[column].junction else GRAY_BRANCHES
    return most - len(state.outs.get(column, ()))


def base_points(state: State, player: str) -> tuple[str, ...]:
    """The columns that a player may extend from, in the order in which they were placed."""
    return tuple(column for column in state.columns_of(player) if branches_left(state, column) > 0)


def base_point(state: State, rules: RuleSet, build: Build) -> list[Fault]:
    """not-base-point, gray-branches, junction-branches, from-offramp."""
    found: list[Fault] = []
    base = state.columns.get(build.base)
    whose = state.owner_sure(build.base)
    if base is None or build.player not in state.may_be_of(base.id):
        found.append(count("not-base-point", 0, 1, "roads", build.base))
    elif state.owners[base.id] != build.player:
        found.append(count("not-base-point", 0, 1, "roads", base.id, probability=whose, k=rules.k))
    elif whose < certain_enough(rules.k):
        found.append(count("not-base-point", 0, 1, "roads", base.id, broken=False, probability=whose, k=rules.k))
    elif branches_left(state, base.id) <= 0:
        outs = state.outs.get(base.id, ())
        used = len(outs) + 1
        # A branch that somebody else may have built would not count.
        theirs = min((state.owner_sure(road) for road in outs), default=1.0)
        if base.junction:
            found.append(
                count("junction-branches", used, JUNCTION_BRANCHES, "roads", base.id, probability=theirs, k=rules.k)
            )
        else:
            # If the colour of its top was read wrongly, it has a second branch.
            may_be = theirs * (base.junction_probability if used <= JUNCTION_BRANCHES else 1.0)
            found.append(count("gray-branches", used, GRAY_BRANCHES, "roads", base.id, probability=may_be, k=rules.k))
            found.append(count("not-base-point", 0, 1, "roads", base.id, probability=may_be, k=rules.k))
        if base.junction:
            found.append(count("not-base-point", 0, 1, "roads", base.id, probability=theirs, k=rules.k))
    elif base.junction and len(state.outs.get(base.id, ())) >= GRAY_BRANCHES:
        # A second branch: only if the yellow on top was read rightly.
        found.append(
            count(
                "gray-branches",
                len(state.outs[base.id]) + 1,
                GRAY_BRANCHES,
                "roads",
                base.id,
                broken=False,
                probability=base.junction_probability,
                k=rules.k,
            )
        )
    starts_on = dict.fromkeys((build.base, build.road.rests_on[build.start]))
    tip = build.tip(build.start)
    for name in starts_on:
        if state.kinds.get(name) == "offramp" and _at_landing(state, name, tip):
            found.append(count("from-offramp", 1, 0, "roads", name))
    return found


def _at_landing(state: State, offramp: str, tip: tuple[float, float, float]) -> bool:
    """Whether a tip lies nearer to an offramp's landing than to its base."""
    road = state.roads[offramp]
    landed = 0 if state.joints[offramp][0] is None else 1
    distances = [math.hypot(end[0] - tip[0], end[1] - tip[1]) for end in road.ends]
    return distances[landed] <= distances[1 - landed]


def enclosing(state: State, build: Build) -> list[Fault]:
    """enclosed: the road ends on a column that stood there already. On somebody else's it touches a column."""
    if build.standing is None:
        return []
    own = state.owners[build.standing] == build.player
    return [count("enclosed" if own else "touch-column", 1, 0, "columns", build.standing)]


def supply(state: State, build: Build) -> list[Fault]:
    """supply: a piece is used that the player no longer holds."""
    held = state.supplies.get(build.player)
    if held is None:
        return []
    column = build.column
    used = [("sticks", 1, held.sticks)]
    if column is not None:
        used += [("gray discs", column.gray, held.gray), ("yellow discs", column.yellow, held.yellow)]
    return [
        count("supply", needed, there, unit, build.road.id if unit == "sticks" else column.id if column else "")
        for unit, needed, there in used
        if needed > there
    ]


def offramp(state: State, rules: RuleSet, build: Build) -> list[Fault]:
    """offramp-level, offramp-from-junction: an offramp starts from a gray column of one level."""
    base = state.columns.get(build.base)
    if base is None:
        return []
    found: list[Fault] = []
    levels = base.levels
    broken = levels != OFFRAMP_LEVEL
    found.append(
        count(
            "offramp-level",
            levels,
            OFFRAMP_LEVEL,
            "levels",
            base.id,
            broken=broken,
            probability=base.levels_probability,
            k=rules.k,
        )
    )
    found.append(
        count(
            "offramp-from-junction",
            int(base.junction),
            0,
            "junctions",
            base.id,
            broken=base.junction,
            probability=base.junction_probability,
            k=rules.k,
        )
    )
    return found


# --- The new column ---------------------------------------------------------------------------------------------------


def stacking(state: State, rules: RuleSet, build: Build, column: FactColumn) -> list[Fault]:
    """column-level, junction-without-gray, junction-not-on-top."""
    found: list[Fault] = []
    if column.yellow and not column.gray:
        found.append(count("junction-without-gray", column.gray, 1, "gray discs", column.id))
    misplaced = column.discs[:-1].count("yellow")
    if misplaced:
        found.append(count("junction-not-on-top", misplaced, 0, "yellow discs", column.id))
    if build.kind == "ramp":
        wrong = column.levels != 1 or column.junction
        found.append(
            count(
                "column-level",
                column.levels,
                1,
                "levels",
                column.id,
                broken=wrong,
                probability=column.levels_probability * column.junction_probability,
                k=rules.k,
            )
        )
        return found
    base = state.columns.get(build.base)
    if base is None:
        return found
    step = column.levels - base.levels
    fits = abs(step) == 1
    counted = column.levels_probability * base.levels_probability
    if column.junction:
        # Right if the yellow is there; if it isn't, right if the levels fit anyway.
        sure = column.junction_probability + (1 - column.junction_probability) * (counted if fits else 0.0)
        broken = False
    else:
        sure = counted if fits else counted * column.junction_probability
        broken = not fits
    found.append(
        count("column-level", step, 1, "levels", column.id, base.id, broken=broken, probability=sure, k=rules.k)
    )
    return found


def column_place(state: State, rules: RuleSet, build: Build) -> list[Fault]:
    """column-on-area, column-over-edge, column-under-road, touch-column, touch-city for the new column."""
    disc = build.disc
    if disc is None:
        return []
    found: list[Fault] = []
    box = state.disc_box(disc)
    for name in state.oldest_first(state.city_grid.near(box)):
        thing = state.city[name]
        gap = disc_polygon_gap(disc, thing.outline)
        gap = Measured(gap.value, math.hypot(gap.sigma, thing.sigma_xy))
        if thing.kind in SOLID:
            beside = more_than("touch-city", gap, 0.0, rules.k, name)
            found.append(beside)
        elif thing.kind == "development_area":
            # Over the edge from inside as from outside: the nearer way to stand clear of the edge is what counts.
            inward = Measured(disc.radius - inside_depth(thing.outline, disc.x, disc.y), gap.sigma)
            over = inward if inward.value < -gap.value else -gap
            found.append(not_more("column-over-edge", over, 0.0, rules.k, name))
        else:
            found.append(not_more("column-on-area", -gap, 0.0, rules.k, name))
    for name in state.oldest_first(state.column_grid.near(box)):
        other = state.discs[name]
        apart = math.hypot(other.x - disc.x, other.y - disc.y) - other.radius - disc.radius
        distance = Measured(apart, math.hypot(other.sigma, disc.sigma))
        found.append(more_than("touch-column", distance, 0.0, rules.k, name))
    for name in state.oldest_first(state.road_grid.near(box)):
        found += _under_road(state, rules, build, name)
    return found


def _under_road(state: State, rules: RuleSet, build: Build, road: str) -> list[Fault]:
    """The new column against a road that lay there before: under it in plan view, or in contact with it."""
    disc, bar = build.disc, state.bars[road]
    assert disc is not None
    gap = disc_gap(bar, disc)
    found: list[Fault] = []
    if rules.word("new_column_under_road") == "fault":
        found.append(not_more("column-under-road", -gap.distance, rules.cover_mm, rules.k, road))
    top = bar.top(gap.share)
    height = Measured(top.value - bar.thickness - disc.top_z, math.hypot(top.sigma, disc.sigma_z))
    beside = at_least(gap.distance, 0.0, rules.k, limit_is_fault=True)
    over = at_least(height, 0.0, rules.k, limit_is_fault=True)
    larger = gap.distance if gap.distance.value > height.value else height
    contact = more_than("touch-column", larger, 0.0, rules.k, road)
    found.append(contact.model_copy(update={"call": both(beside, over)}))
    return found
