"""Which sides of a road are still free for others: where crossing it would bring a car now.

Players lose track of this more than of anything else. The answer is that of ``rules.crossings`` to a road of another
player that would be laid next, clear of everything else.
"""

from __future__ import annotations

from dataclasses import dataclass

from rules.crossings import taken_by
from rules.events import CrossingReason, Side
from rules.ruleset import RuleSet
from rules.state import State

SIDES: tuple[Side, Side] = ("over", "under")


@dataclass(frozen=True, slots=True)
class FreeSide:
    """One side of a road. ``free``: it would pay. ``doubt``: that is too close to call.

    ``by``: the road that took it; ``reason`` (of a crossing): why it pays nothing, ``first`` where it is free.
    ``spots``: places (plan view, mm) where it is taken, in rules that count a side spot by spot.
    """

    side: Side
    free: bool
    doubt: bool
    reason: CrossingReason
    by: str | None = None
    spots: tuple[tuple[float, float], ...] = ()


def free_sides(state: State, rules: RuleSet, road: str) -> tuple[FreeSide, FreeSide]:
    """The over and the under side of a road, as they stand for the next road of another player.

    Raises:
        KeyError: no such road.
    """
    over, under = (_side(state, rules, road, side) for side in SIDES)
    return over, under


def _side(state: State, rules: RuleSet, road: str, side: Side) -> FreeSide:
    if not rules.on("ramps_pay") and state.kinds[road] != "road":
        return FreeSide(side, False, False, "ramp")
    by_spot = rules.word("first_scope") == "spot"
    taken, doubt = (None, False) if by_spot else taken_by(state, rules, road, side, (0.0, 0.0), "")
    if taken is not None:
        return FreeSide(side, False, doubt, "side-taken", taken)
    spent = state.paid.get(road, ())
    if rules.word("first_budget") == "once" and spent:
        return FreeSide(side, False, doubt or all(paid.doubt for paid in spent), "budget-spent", spent[0].by)
    if by_spot:
        spots = tuple(
            pair.at
            for pair in state.pairs.get(road, ())
            if pair.side == side and taken_by(state, rules, road, side, pair.at, "")[0] is not None
        )
        return FreeSide(side, True, False, "first", None, spots)
    return FreeSide(side, True, doubt, "first")
