"""Sticks and discs in plan view, and heights of sloping sticks: truth tables, and sigma against sampling."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal

import numpy as np
import pytest

from rules.geometry import Bar, Disc2, bar_of, disc_gap, meeting, outline_distance, overhang, stick_distance
from rules.grid import Grid
from rules.layout import Road
from rules.outlines import (
    bar_polygon_gap,
    clip,
    disc_polygon_gap,
    inside_depth,
    least_gap,
    overlap,
    polygon_gap,
    sticks_out,
)
from rules.pieces import Stick

Point3 = tuple[float, float, float]
SQUARE = ((0.0, 0.0), (10.0, 0.0), (10.0, 10.0), (0.0, 10.0))


def bar(a: Point3, b: Point3, *, ends: Literal["round", "square"] = "round", **sigmas: float) -> Bar:
    """A stick of the default size between two tips."""
    return bar_of(Road(id="r", ends=(a, b), **sigmas), Stick(ends=ends))


FLAT = bar((0, 0, 12), (100, 0, 12))
FLAT_SQUARE = bar((0, 0, 12), (100, 0, 12), ends="square")


@pytest.mark.parametrize(
    ("x", "y", "round_distance", "square_distance"),
    [
        (50, 8, 3, 3),  # beside
        (50, -8, 3, 3),
        (50, 5, 0, 0),  # on the edge
        (50, 0, -5, -5),  # on the centre line
        (103, 0, 3, 3),  # before the end
        (-3, 0, 3, 3),
        (100, 0, 0, 0),  # on the tip
        (98, 0, -2, -2),  # just inside the tip
        (100, 5, math.sqrt(50) - 5, 0),  # the corner that round ends don't have
        (103, 9, math.hypot(8, 9) - 5, 5),
    ],
)
def test_distance_of_a_point_from_a_stick(x: float, y: float, round_distance: float, square_distance: float) -> None:
    assert outline_distance(FLAT, x, y).distance.value == pytest.approx(round_distance)
    assert outline_distance(FLAT_SQUARE, x, y).distance.value == pytest.approx(square_distance)


def test_a_stick_covers_a_disc_where_the_gap_is_negative() -> None:
    disc = Disc2("c", 50, 14.0, 9.5, 0.0, 10.0)
    assert disc_gap(FLAT, disc).distance.value == pytest.approx(-0.5)


@pytest.mark.parametrize(
    ("tip", "across", "past"),
    [(-4.0, 0.0, -5.5), (9.5, 0.0, 0.0), (13.5, 0.0, 4.0), (8.0, 6.0, 0.5), (0.0, 0.0, -9.5)],
)
def test_overhang_is_measured_from_the_rim(tip: float, across: float, past: float) -> None:
    stick = bar((-100, across, 12), (tip, across, 12))
    disc = Disc2("c", 0, 0, 9.5, 0.0, 10.0)
    if tip < 0:
        assert overhang(stick, 1, disc).value < -9.5  # it doesn't reach the middle
    else:
        assert overhang(stick, 1, disc).value == pytest.approx(past)
    turned = bar((tip, across, 12), (-100, across, 12))
    assert overhang(turned, 0, disc).value == overhang(stick, 1, disc).value


@pytest.mark.parametrize(
    ("other", "distance", "crosses"),
    [
        (((50, -50, 30), (50, 50, 30)), -10, True),
        (((50, 11, 30), (50, 111, 30)), 6, False),  # an end before the edge
        (((50, 5, 30), (50, 105, 30)), 0, False),  # an end on the edge
        (((50, 1, 30), (50, 101, 30)), -4, False),  # an end over the stick, not over its middle
        (((0, 12, 30), (100, 12, 30)), 2, False),  # side by side
        (((0, 8, 30), (100, 8, 30)), -2, False),
        (((103, 0, 30), (203, 0, 30)), 3, False),  # end to end
    ],
)
def test_two_sticks_in_plan_view(other: tuple[Point3, Point3], distance: float, crosses: bool) -> None:
    value, _, _ = stick_distance(FLAT, bar(*other))
    assert value.value == pytest.approx(distance)
    at = meeting(FLAT, bar(*other))
    assert (at is not None and at.margin.value > 0) == crosses


def test_square_ends_reach_further_at_the_corner() -> None:
    turned = 1 / math.sqrt(2)
    a, b = (107 * 1.0, 7.0, 12.0), (107 + 100 * turned, 7 + 100 * turned, 12.0)
    round_value, _, _ = stick_distance(FLAT, bar(a, b))
    square_value, _, _ = stick_distance(FLAT_SQUARE, bar(a, b, ends="square"))
    assert square_value.value < round_value.value


def test_crossing_point_and_rise_of_sloping_sticks() -> None:
    low = bar((0, 0, 12), (100, 0, 32))
    high = bar((25, -50, 40), (25, 50, 60))
    at = meeting(high, low)
    assert at is not None
    assert (at.x, at.y) == pytest.approx((25, 0))
    assert at.rise.value == pytest.approx(50 - 17)
    assert at.margin.value == pytest.approx(25)
    back = meeting(low, high)
    assert back is not None
    assert back.rise.value == pytest.approx(-33)


def test_parallel_sticks_meet_nowhere() -> None:
    assert meeting(FLAT, bar((0, 3, 20), (100, 3, 20))) is None


def test_least_gap_is_at_the_corner_where_slopes_close_it() -> None:
    low = bar((0, 0, 12), (100, 0, 12))
    high = bar((50, -50, 14.0), (50, 50, 24.0))  # slope 0.1 across the lower stick's width
    where = overlap(high, low)
    assert where is not None
    gap, upper = least_gap(high, low, where)
    assert upper
    assert gap.value == pytest.approx(19 - 12 - 2 - 0.5)


def test_ends_at_a_shared_column_are_no_overlap() -> None:
    disc = Disc2("c", 0, 0, 9.5, 0.0, 10.0)
    first = bar((-100, 0, 22), (4, 0, 12))
    second = bar((-4, 0, 14), (100, 30, 22))
    assert overlap(first, second) is not None
    assert overlap(first, second, [disc]) is None


def test_sticks_side_by_side_far_from_their_column_do_overlap() -> None:
    disc = Disc2("c", 0, 0, 9.5, 0.0, 10.0)
    first, second = bar((-4, 0, 14), (100, 0, 14)), bar((-4, 0, 14), (100, 8, 14))
    assert overlap(first, second, [disc]) is not None


# --- Polygons ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("x", "y", "depth"), [(5, 5, 5), (1, 5, 1), (0, 5, 0), (-2, 5, -2), (13, 14, -5)])
def test_depth_inside_a_polygon(x: float, y: float, depth: float) -> None:
    assert inside_depth(SQUARE, x, y) == pytest.approx(depth)


def test_polygon_distances() -> None:
    beside = tuple((x + 17.0, y) for x, y in SQUARE)
    inner = ((2.0, 2.0), (8.0, 2.0), (8.0, 11.5), (2.0, 11.5))
    assert polygon_gap(SQUARE, beside) == pytest.approx(7)
    assert polygon_gap(SQUARE, inner) == 0
    assert sticks_out(inner, SQUARE) == pytest.approx(1.5)
    assert sticks_out(((2.0, 2.0), (8.0, 2.0), (5.0, 7.0)), SQUARE) == pytest.approx(-2)
    assert disc_polygon_gap(Disc2("c", 22, 5, 9.5, 0.0, 10.0), SQUARE).value == pytest.approx(2.5)


@pytest.mark.parametrize(
    ("a", "b", "gap"),
    [
        ((-50, 18, 12), (50, 18, 12), 3),  # passes beside
        ((-50, 12, 12), (50, 12, 12), -3),  # an edge reaches in
        ((-50, 5, 12), (50, 5, 12), -10),  # over the middle: half the width and the depth of the centre line
        ((20, 5, 12), (90, 5, 12), 10),
    ],
)
def test_a_stick_against_a_polygon(a: Point3, b: Point3, gap: float) -> None:
    assert bar_polygon_gap(bar(a, b), SQUARE)[0].value == pytest.approx(gap, abs=1e-3)


def test_clipping_keeps_the_common_part() -> None:
    shifted = [(x + 4, y + 4) for x, y in SQUARE]
    common = clip(SQUARE, shifted)
    assert sorted(common) == [(4, 4), (4, 10), (10, 4), (10, 10)]
    assert clip(SQUARE, [(x + 40, y) for x, y in SQUARE]) == []


def test_grid_finds_what_is_near_and_forgets_what_is_gone() -> None:
    grid = Grid()
    grid.add("a", (0, 0, 100, 10))
    grid.add("b", (500, 500, 510, 510))
    grid.add("huge", (-1e6, -1e6, 1e6, 1e6))
    assert set(grid.near((90, -5, 95, 5))) == {"a", "huge"}
    assert set(grid.near((-1e6, -1e6, 1e6, 1e6))) == {"a", "b", "huge"}
    grid.remove("a", (0, 0, 100, 10))
    grid.remove("huge", (-1e6, -1e6, 1e6, 1e6))
    assert grid.near((90, -5, 95, 5)) == []


# --- Sigma ------------------------------------------------------------------------------------------------------------

DRAWS = 3000
SIGMAS = {"sigma_xy": 0.7, "sigma_along": 1.1, "sigma_z": 0.5}


def drawn(stick: Bar, rng: np.random.Generator) -> Bar:
    """A stick whose tips are moved as its sigmas say, exact now."""
    ends: list[Point3] = []
    for x, y, z in ((stick.ax, stick.ay, stick.az), (stick.bx, stick.by, stick.bz)):
        along, across, up = rng.normal(0, 1, 3) * (stick.sigma_along, stick.sigma_across, stick.sigma_z)
        ends.append((x + along * stick.ux - across * stick.uy, y + along * stick.uy + across * stick.ux, z + up))
    return bar(ends[0], ends[1])


def spread(value: Callable[[np.random.Generator], float]) -> float:
    """Standard deviation of a value over draws."""
    rng = np.random.default_rng(7)
    return float(np.std([value(rng) for _ in range(DRAWS)]))


@pytest.mark.parametrize(("x", "y"), [(50, 15), (10, -15), (95, 20), (112, 3)], ids=["middle", "early", "late", "end"])
def test_sigma_of_the_distance_to_a_disc(x: float, y: float) -> None:
    stick = bar((0, 0, 12), (100, 0, 22), **SIGMAS)
    disc = Disc2("c", x, y, 9.5, 0.6, 10.0)

    def value(rng: np.random.Generator) -> float:
        dx, dy = rng.normal(0, disc.sigma, 2)
        return disc_gap(drawn(stick, rng), Disc2("c", x + dx, y + dy, 9.5, 0.0, 10.0)).distance.value

    assert disc_gap(stick, disc).distance.sigma == pytest.approx(spread(value), rel=0.08)


@pytest.mark.parametrize("across", [0.0, 6.0])
def test_sigma_of_the_overhang(across: float) -> None:
    stick = bar((-100, across, 12), (9, across, 12), **SIGMAS)
    disc = Disc2("c", 0, 0, 9.5, 0.6, 10.0)

    def value(rng: np.random.Generator) -> float:
        dx, dy = rng.normal(0, disc.sigma, 2)
        return overhang(drawn(stick, rng), 1, Disc2("c", dx, dy, 9.5, 0.0, 10.0)).value

    assert overhang(stick, 1, disc).sigma == pytest.approx(spread(value), rel=0.08)


@pytest.mark.parametrize("angle", [90, 60, 25], ids="{} degrees".format)
@pytest.mark.parametrize("share", [0.5, 0.15])
def test_sigma_of_the_gap_along_sloping_sticks(angle: float, share: float) -> None:
    low = bar((0, 0, 12), (100, 0, 42), **SIGMAS)
    ux, uy = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    x, before = 100 * share, 40.0
    high = bar((x - before * ux, -before * uy, 60), (x + 60 * ux, 60 * uy, 40), **SIGMAS)

    def rise(rng: np.random.Generator) -> float:
        at = meeting(drawn(high, rng), drawn(low, rng))
        assert at is not None
        return at.rise.value

    def margin(rng: np.random.Generator) -> float:
        at = meeting(drawn(high, rng), drawn(low, rng))
        assert at is not None
        return at.margin.value

    at = meeting(high, low)
    assert at is not None
    assert at.rise.sigma == pytest.approx(spread(rise), rel=0.08)
    assert at.margin.sigma == pytest.approx(spread(margin), rel=0.08)


def test_sigma_of_the_plan_distance_of_two_sticks() -> None:
    first = bar((0, 0, 12), (100, 0, 12), **SIGMAS)
    second = bar((40, 12, 12), (110, 60, 12), **SIGMAS)

    def value(rng: np.random.Generator) -> float:
        return stick_distance(drawn(first, rng), drawn(second, rng))[0].value

    assert stick_distance(first, second)[0].sigma == pytest.approx(spread(value), rel=0.1)


def test_sigma_of_the_least_gap() -> None:
    low = bar((0, 0, 12), (100, 0, 32), **SIGMAS)
    high = bar((40, -50, 40), (60, 50, 30), **SIGMAS)

    def value(rng: np.random.Generator) -> float:
        first, second = drawn(high, rng), drawn(low, rng)
        where = overlap(first, second)
        assert where is not None
        return least_gap(first, second, where)[0].value

    where = overlap(high, low)
    assert where is not None
    assert least_gap(high, low, where)[0].sigma == pytest.approx(spread(value), rel=0.1)


def test_sigma_nought_stays_nought() -> None:
    assert disc_gap(FLAT, Disc2("c", 50, 14, 9.5, 0.0, 10.0)).distance.sigma == 0
    at = meeting(FLAT, bar((50, -50, 30), (60, 50, 50)))
    assert at is not None
    assert at.rise.sigma == at.margin.sigma == 0
