"""Crossings, and which of them pay: "first", the heart of the game.

A crossing is two roads whose centre lines cross in plan view and that don't share a column there. A road pays one car
for each other player's road that it crosses and whose side (over or under) is still free.

What is too close to call is played through both ways: if the cars due differ, the crossing is too close to call.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

from rules.build import Build
from rules.events import Crossing, CrossingReason, RuleCall, Side
from rules.geometry import Bar
from rules.miscount import with_counts
from rules.ruleset import RuleSet
from rules.state import Pair, State
from rules.tolerances import DUST_MM, JOINT_REACH_WIDTHS
from rules.touching import Neighbour, at_joint
from rules.uncertain import Measured, at_least, certain_enough


@dataclass(frozen=True, slots=True)
class Met:
    """The new road at one other road, before anything is paid.

    `side`: where the new road lies. `crosses`: whether the centre lines cross; `shared`: at a column that carries
    both. `cross_call`, `side_call`: "clear" or "too_close".
    """

    road: str
    side: Side
    at: tuple[float, float]
    gap: Measured
    crosses: bool
    shared: bool
    cross_call: RuleCall
    side_call: RuleCall


def meet(state: State, build: Build, near: Iterable[Neighbour]) -> list[Met]:
    """The roads that the new one crosses or overlaps, in the order in which they were placed."""
    found = [_met(state, build, neighbour) for neighbour in near]
    return [met for met in found if met is not None]


def _met(state: State, build: Build, neighbour: Neighbour) -> Met | None:
    meeting = neighbour.meeting
    crosses, cross_call = False, "clear"
    if meeting is not None:
        call = at_least(meeting.margin, 0.0, state.k, limit_is_fault=True)
        crosses = meeting.margin.value > DUST_MM
        cross_call = "too_close" if call == "too_close" else "clear"
    shared = (
        meeting is not None
        and (crosses or cross_call == "too_close")
        and at_joint(neighbour, meeting.x, meeting.y, JOINT_REACH_WIDTHS * state.pieces.stick.width)
    )
    if not crosses and neighbour.shared:
        return None  # straight sticks from one column overlap beside it alone: no crossing, in part or not
    if not crosses and neighbour.common is None and (cross_call == "clear" or shared):
        return None
    if crosses or neighbour.common is None:
        assert meeting is not None
        at, rise, shares = (meeting.x, meeting.y), meeting.rise, (meeting.share_a, meeting.share_b)
    else:
        at = neighbour.common.middle
        mine, other = build.bar.top_at(*at), neighbour.bar.top_at(*at)
        rise, shares = mine.minus(other), (build.bar.share(*at), neighbour.bar.share(*at))
    rise = with_counts(state, build, neighbour.road, rise, shares)
    doubt = at_least(Measured(abs(rise.value), rise.sigma), 0.0, state.k) == "too_close"
    return Met(
        road=neighbour.road,
        side="over" if rise.value >= 0 else "under",
        at=at,
        gap=Measured(abs(rise.value) - build.bar.thickness, rise.sigma),
        crosses=crosses,
        shared=shared,
        cross_call="too_close" if cross_call == "too_close" and not shared else "clear",
        side_call="too_close" if doubt else "clear",
    )


def other_side(side: Side) -> Side:
    """What the lower of two roads sees."""
    return "under" if side == "over" else "over"


def pair_at(met: Met, other: str) -> Pair:
    """The new road `other` as the road `met.road` keeps it: on its over or under side."""
    return Pair(
        other=other,
        side=met.side,
        at=met.at,
        partial=not met.crosses,
        side_doubt=met.side_call == "too_close",
        cross_doubt=met.cross_call == "too_close",
    )


def mirrored(pair: Pair, road: str) -> Pair:
    """The same pair as the other road keeps it."""
    return Pair(road, other_side(pair.side), pair.at, pair.partial, pair.side_doubt, pair.cross_doubt)


# --- Paying -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _New:
    """The new road, as far as paying goes. `turned`: taken that it isn't known rightly whose road is whose: an own
    road is somebody else's, and somebody else's an own one."""

    player: str
    bar: Bar
    turned: bool = False


@dataclass(frozen=True, slots=True)
class _Answer:
    pays: bool
    reason: CrossingReason
    by: str | None = None
    doubt: bool = False


@dataclass(frozen=True, slots=True)
class Ruled:
    """A crossing with its reason; `doubt`: whether it pays is too close to call."""

    line: Crossing
    doubt: bool


def rule_on(state: State, rules: RuleSet, build: Build, mets: Iterable[Met]) -> list[Ruled]:
    """Every crossing of the new road with its reason; shared columns of own roads go without saying."""
    new = _New(build.player, build.bar)
    found: list[Ruled] = []
    for met in mets:
        owner = state.owners[met.road]
        if met.shared and owner == build.player:
            continue
        nominal = _answer(state, rules, new, met, met.side, met.crosses)
        doubt = nominal.doubt
        hangs_on_owners = False
        if _may_be_own(state, build, met.road) == {True, False}:
            turned = _answer(state, rules, replace(new, turned=True), met, met.side, met.crosses)
            hangs_on_owners = turned.pays != nominal.pays
            doubt = doubt or hangs_on_owners or turned.doubt
        if met.side_call == "too_close":
            turned = _answer(state, rules, new, met, other_side(met.side), met.crosses)
            doubt = doubt or turned.pays != nominal.pays or turned.doubt
        if met.cross_call == "too_close":
            turned = _answer(state, rules, new, met, met.side, not met.crosses)
            doubt = doubt or turned.pays != nominal.pays or turned.doubt
        if nominal.reason == "partial" and rules.word("partial") == "ask" and owner != build.player:
            doubt = True
        side_unsure = met.side_call == "too_close" and met.crosses and not met.shared
        line = Crossing(
            road=met.road,
            owner=owner,
            side=met.side,
            gap=max(-1e6, min(1e6, met.gap.value)),
            sigma=min(1e4, met.gap.sigma),
            at=(max(-1e6, min(1e6, met.at[0])), max(-1e6, min(1e6, met.at[1]))),
            pays=nominal.pays,
            reason=nominal.reason,
            call="too_close" if doubt or side_unsure else "clear",
            taken_by=nominal.by,
            owners_probability=state.owner_sure(met.road) * build.player_sure if hangs_on_owners else 1.0,
        )
        found.append(Ruled(line, doubt))
    return found


def _may_be_own(state: State, build: Build, road: str) -> set[bool]:
    """Whether a road is the builder's own; both, where it isn't certain whose it is or who builds."""
    builders = {build.player}
    if build.player_sure < certain_enough(state.k):
        builders.add(state.now["next"])
    return {builder == owner for builder in builders for owner in state.may_be_of(road)}


def answer_for(
    state: State, rules: RuleSet, road: str, line: Crossing, side: Side, *, crosses: bool
) -> tuple[bool, CrossingReason, str | None]:
    """Whether a road that lies there already pays at a crossing on this side, by what stood there when it came."""
    bar = state.bars[road]
    met = Met(line.road, side, line.at, Measured(line.gap, line.sigma), crosses, False, "clear", "clear")
    answer = _answer(state, rules, _New(state.owners[road], bar), met, side, crosses)
    return answer.pays, answer.reason, answer.by


def _answer(state: State, rules: RuleSet, new: _New, met: Met, side: Side, crosses: bool) -> _Answer:
    """Whether the new road is paid for lying on this side of the other road, and why (not)."""
    if met.shared:
        return _Answer(False, "shared-column")
    if not crosses and rules.word("partial") != "count":
        return _Answer(False, "partial")
    if (state.owners[met.road] == new.player) != new.turned:
        return _Answer(False, "own-road")
    if not rules.on("ramps_pay") and state.kinds[met.road] != "road":
        return _Answer(False, "ramp")
    taken, doubt = taken_by(state, rules, met.road, side, met.at, new.bar.id)
    if taken is not None:
        return _Answer(False, "side-taken", taken, doubt)
    spent = [paid for paid in state.paid.get(met.road, ()) if paid.by != new.bar.id]
    if rules.word("first_budget") == "once" and spent:
        unsure = all(paid.doubt for paid in spent)
        return _Answer(False, "budget-spent", spent[0].by, doubt or unsure)
    if rules.on("must_be_outermost"):
        beyond = _further_out(state, rules, new, met, side)
        if beyond is not None:
            return _Answer(False, "not-outermost", beyond)
    return _Answer(True, "first", None, doubt)


def taken_by(
    state: State, rules: RuleSet, road: str, side: Side, at: tuple[float, float], new: str
) -> tuple[str | None, bool]:
    """The road that holds this side of `road` against the road `new`, if any, and whether that is in doubt.

    `first = "state"`: any road that lies on that side. `"event"`: only one that was placed later than `road`. Roads
    placed after `new` don't count (a ruling may be looked at again later).
    """
    count_partial = rules.word("partial") == "count"
    event = rules.word("first") == "event"
    until = state.order.get(new, len(state.order))
    taken: str | None = None
    doubt = False
    for pair in state.pairs.get(road, ()):
        if state.order[pair.other] >= until or (event and state.order[pair.other] < state.order[road]):
            continue
        if pair.partial and not pair.cross_doubt and not count_partial:
            continue
        by_owner = not rules.on("own_road_takes_side")
        owner_doubt = by_owner and state.owner_sure(pair.other) * state.owner_sure(road) < certain_enough(state.k)
        if by_owner and not owner_doubt and state.owners[pair.other] == state.owners[road]:
            continue
        if rules.word("first_scope") == "spot" and not _same_spot(state, pair.at, at):
            continue
        crosses = count_partial or not pair.partial
        unsure_whether = pair.cross_doubt and not count_partial
        if crosses and pair.side == side:
            if not pair.side_doubt and not unsure_whether and not owner_doubt:
                return pair.other, False
            taken, doubt = pair.other, True
        elif pair.side_doubt or pair.side == side:
            doubt = True
    return taken, doubt


def _same_spot(state: State, first: tuple[float, float], second: tuple[float, float]) -> bool:
    """Whether two crossings of one road lie within a stick's width of each other."""
    return math.hypot(first[0] - second[0], first[1] - second[1]) <= state.pieces.stick.width + DUST_MM


def _further_out(state: State, rules: RuleSet, new: _New, met: Met, side: Side) -> str | None:
    """A road that crosses the other one at this spot and lies beyond the new one, seen from the other one."""
    sign = 1.0 if side == "over" else -1.0
    mine = new.bar.top_at(*met.at).value
    for pair in state.pairs.get(met.road, ()):
        if pair.other == new.bar.id or (pair.partial and rules.word("partial") != "count"):
            continue
        if pair.side == side and _same_spot(state, pair.at, met.at):
            beyond = state.bars[pair.other].top_at(*met.at).value
            if sign * (beyond - mine) > 0:
                return pair.other
    return None


def cars_due(ruled: Iterable[Ruled], bonus: int, cars_left: int) -> tuple[int, tuple[int, int]]:
    """Cars due, and the fewest and most that may be due while crossings are too close to call."""
    entries = list(ruled)
    due = sum(entry.line.pays for entry in entries) + bonus
    fewest = sum(entry.line.pays and not entry.doubt for entry in entries) + bonus
    most = sum(entry.line.pays or entry.doubt for entry in entries) + bonus
    return min(due, cars_left), (min(fewest, cars_left), min(most, cars_left))
