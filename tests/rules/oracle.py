"""A slow, independent judge of crossings and "first": brute force over all roads, in exact fractions.

Written from the rule page alone. No spatial index, no memory of sides: for every new road it looks at every other
road, and for each of them again at all roads that could hold a side. Heights and crossing points are fractions of
whole millimetres, so that nothing is ever nearly so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from rules.lines import Switch

PARTIAL_RISE = 8
"""Where two sticks overlap in part there is no one place to compare heights at; sloping ones may even pass through
each other there. Nearer than this many mm the oracle doesn't say which is over which."""

ROUND_END_CHORDS = 0.2
"""A round end may be drawn with chords: an overlap by less than this many mm is none to speak of."""

Vec2 = tuple[Fraction, Fraction]


@dataclass(frozen=True)
class Stick:
    """A placed road: owner, tips (whole mm), the columns under its ends, and whether it is a ramp or an offramp."""

    id: str
    owner: str
    a: tuple[int, int, int]
    b: tuple[int, int, int]
    columns: frozenset[str] = frozenset()
    plain: bool = True


@dataclass(frozen=True)
class Verdict:
    """The oracle's word on one pair."""

    side: str
    pays: bool
    partial: bool


class Undecided(Exception):  # noqa: N818 - no error: a table on which a value lies exactly on a limit
    """The table is degenerate; the oracle has nothing to say."""


def judge(
    sticks: list[Stick], switches: Mapping[str, Switch], width: int
) -> Iterator[tuple[Stick, dict[str, Verdict]]]:
    """For each stick in the order of placing: the pairs with earlier sticks that cross it or overlap it in part."""
    paid: list[tuple[str, str, str]] = []  # road, side, by
    for now, new in enumerate(sticks):
        before = sticks[:now]
        verdicts: dict[str, Verdict] = {}
        for old in before:
            where, partial = _encounter(new, old, width)
            if where is None:
                continue
            rise = _height(new, where) - _height(old, where)
            if rise == 0 or (partial and abs(rise) < PARTIAL_RISE):
                raise Undecided
            side = "over" if rise > 0 else "under"
            pays = _pays(new, old, where, side, partial, before, paid, switches, width)
            verdicts[old.id] = Verdict(side, pays, partial)
        paid += [(road, verdict.side, new.id) for road, verdict in verdicts.items() if verdict.pays]
        yield new, verdicts


def _pays(
    new: Stick,
    old: Stick,
    where: Vec2,
    side: str,
    partial: bool,
    before: list[Stick],
    paid: list[tuple[str, str, str]],
    switches: Mapping[str, Switch],
    width: int,
) -> bool:
    if old.owner == new.owner:
        return False
    if partial and switches["partial"] != "count":
        return False
    if not switches["ramps_pay"] and not old.plain:
        return False
    if switches["first_budget"] == "once" and any(road == old.id for road, _, _ in paid):
        return False
    for other in before:
        if other.id == old.id:
            continue
        there, in_part = _encounter(other, old, width)
        if there is None or (in_part and switches["partial"] != "count"):
            continue
        theirs = "over" if _height(other, there) > _height(old, there) else "under"
        if theirs != side:
            continue
        near = _squared(there, where) <= width * width
        by_place = switches["first_scope"] == "spot" or switches["must_be_outermost"]
        if by_place and (partial or in_part) and _squared(there, where) < 25 * width * width:
            raise Undecided  # an overlap in part has no one place
        if switches["must_be_outermost"] and near:
            beyond = _height(other, where) - _height(new, where)
            if (beyond > 0) if side == "over" else (beyond < 0):
                return False
        if switches["first"] == "event" and before.index(other) < before.index(old):
            continue
        if not switches["own_road_takes_side"] and other.owner == old.owner:
            continue
        if switches["first_scope"] == "spot" and not near:
            continue
        return False
    return True


def _encounter(one: Stick, two: Stick, width: int) -> tuple[Vec2 | None, bool]:
    """Where two sticks cross in plan view, or, when only their outlines overlap, about where; and whether in part."""
    if one.columns & two.columns:
        return None, False  # straight sticks that share a column can't cross anywhere else
    sides = [
        _turn(one.a, one.b, two.a),
        _turn(one.a, one.b, two.b),
        _turn(two.a, two.b, one.a),
        _turn(two.a, two.b, one.b),
    ]
    if 0 in sides:
        raise Undecided
    if (sides[0] > 0) != (sides[1] > 0) and (sides[2] > 0) != (sides[3] > 0):
        share = Fraction(sides[2], sides[2] - sides[3])
        return _along(one, share), False
    gap, near = _nearest(one, two, width)
    if abs(gap - width) < ROUND_END_CHORDS:
        raise Undecided
    return (near, True) if gap < width else (None, False)


def _turn(p: tuple[int, int, int], q: tuple[int, int, int], r: tuple[int, int, int]) -> int:
    return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])


def _along(stick: Stick, share: Fraction) -> Vec2:
    return (
        stick.a[0] + share * (stick.b[0] - stick.a[0]),
        stick.a[1] + share * (stick.b[1] - stick.a[1]),
    )


def _height(stick: Stick, where: Vec2) -> Fraction:
    """Height of the stick's top over the foot of a point on its centre line, not beyond its tips."""
    dx, dy = stick.b[0] - stick.a[0], stick.b[1] - stick.a[1]
    share = Fraction((where[0] - stick.a[0]) * dx + (where[1] - stick.a[1]) * dy) / (dx * dx + dy * dy)
    share = min(Fraction(1), max(Fraction(0), share))
    return stick.a[2] + share * (stick.b[2] - stick.a[2])


def _squared(p: Vec2, q: Vec2) -> Fraction:
    return (p[0] - q[0]) ** 2 + (p[1] - q[1]) ** 2


def _nearest(one: Stick, two: Stick, width: int) -> tuple[float, Vec2]:
    """Distance of the sticks' core lines (half a width short of the tips: round ends) and the middle between them."""
    cores = [_core(stick, width / 2) for stick in (one, two)]
    best = (float("inf"), (0.0, 0.0))
    for i, core in enumerate(cores):
        for point in core:
            foot = _foot(point, *cores[1 - i])
            far = ((point[0] - foot[0]) ** 2 + (point[1] - foot[1]) ** 2) ** 0.5
            best = min(best, (far, ((point[0] + foot[0]) / 2, (point[1] + foot[1]) / 2)))
    return best[0], (Fraction(best[1][0]), Fraction(best[1][1]))


def _core(stick: Stick, half: float) -> tuple[tuple[float, float], tuple[float, float]]:
    dx, dy = stick.b[0] - stick.a[0], stick.b[1] - stick.a[1]
    length = (dx * dx + dy * dy) ** 0.5
    ux, uy = dx / length * half, dy / length * half
    return (stick.a[0] + ux, stick.a[1] + uy), (stick.b[0] - ux, stick.b[1] - uy)


def _foot(point: tuple[float, float], p: tuple[float, float], q: tuple[float, float]) -> tuple[float, float]:
    dx, dy = q[0] - p[0], q[1] - p[1]
    share = ((point[0] - p[0]) * dx + (point[1] - p[1]) * dy) / (dx * dx + dy * dy)
    share = min(1.0, max(0.0, share))
    return p[0] + share * dx, p[1] + share * dy
