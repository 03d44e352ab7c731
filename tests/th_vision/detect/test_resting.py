"""Where a stick comes to rest: sloping and rolled as what carries it makes it."""

from __future__ import annotations

import numpy as np
import pytest

from rules.pieces import Pieces
from th_vision.detect.assembly import Assembly, FoundRoad
from th_vision.detect.columns import ColumnCandidate
from th_vision.detect.finish import falls_mm
from th_vision.detect.measure import MeasuredRoad
from th_vision.detect.resting import Lying, outline, rest, touch
from th_vision.detect.stacking import tops_under
from th_vision.virtual_table.physics import column_support, rest_stick, stick_support, table_support
from th_vision.virtual_table.scene import EXACT, StickSize, make_column

PIECES = Pieces()
STICK = PIECES.stick


def test_on_two_columns_a_stick_slopes_from_one_to_the_other() -> None:
    at = rest(PIECES, np.array([0.0, 0.0]), np.array([110.0, 0.0]), [(4.0, 0.0, 30.0), (106.0, 0.0, 10.0)], [])
    assert at.za > 30.0 + STICK.thickness - 1.0
    assert at.zb < 10.0 + STICK.thickness + 3.0
    assert abs(at.roll) < 1e-6


def test_off_its_columns_it_lies_on_the_table() -> None:
    at = rest(PIECES, np.array([0.0, 0.0]), np.array([112.0, 0.0]), [(300.0, 0.0, 30.0)], [])
    assert (at.za, at.zb, at.roll) == pytest.approx((STICK.thickness, STICK.thickness, 0.0))


def test_it_never_lies_in_what_carries_it() -> None:
    below = rest(PIECES, np.array([-100.0, 30.0]), np.array([6.0, -2.0]), [(0.0, 0.0, 30.0), (-96.0, 29.0, 10.0)], [])
    tops = [(0.0, 0.0, 30.0), (107.0, 8.0, 20.0)]
    above = rest(PIECES, np.array([-5.0, 0.0]), np.array([107.0, 8.0]), tops, [below])
    common = outline(PIECES, above.a, above.b).intersection(outline(PIECES, below.a, below.b))
    corners = np.array(common.exterior.coords)[:, :2]
    room = above.top_at(corners) - STICK.thickness - below.top_at(corners)
    assert room.min() > -0.1
    assert room.min() < 0.3  # ... and it touches


@pytest.mark.parametrize("seed", range(6))
def test_ends_askew_on_each_other_lie_as_on_the_virtual_table(seed: int) -> None:
    rng = np.random.default_rng(3100 + seed)
    size = StickSize(STICK.length, STICK.width, STICK.thickness, 0.0, STICK.ends == "round", 0.0)
    turn = rng.uniform(0.7, 2.5)
    centers = [(0.0, 0.0), (-105.0, 0.0), (105.0 * np.cos(turn), 105.0 * np.sin(turn))]
    levels = rng.integers(1, 4, 3)
    columns = [
        make_column(rng, PIECES, f"c{k}", x, y, int(n), spread=EXACT)
        for k, ((x, y), n) in enumerate(zip(centers, levels, strict=True))
    ]
    supports = [column_support(column) for column in columns]
    lying: list[Lying] = []
    sticks = []
    for k, far in ((1, centers[1]), (2, centers[2])):
        way = np.array(far) / np.hypot(*far)
        start = tuple(float(v) for v in -way * rng.uniform(2, 5))
        carrying = [stick_support(stick) for stick in sticks] + [supports[0], supports[k], table_support()]
        true = rest_stick(size, f"r{k}", (start[0], start[1]), (float(far[0]), float(far[1])), carrying)
        assert true is not None
        sticks.append(true.stick)
        (ax, ay, az), (bx, by, bz) = true.stick.ends
        tops = [(columns[m].x, columns[m].y, columns[m].top_z) for m in (0, k)]
        at = rest(PIECES, np.array([ax, ay]), np.array([bx, by]), tops, lying)
        lying.append(at)
        assert (at.za, at.zb) == pytest.approx((az, bz), abs=0.25)
        assert at.roll == pytest.approx(np.tan(np.radians(true.stick.roll_deg)), abs=0.03)


def test_ends_on_one_column_that_hardly_miss_each_other_lie_on_each_other() -> None:
    tops = [(0.0, 0.0, 30.0), (-96.0, 0.0, 30.0)]
    below = rest(PIECES, np.array([-112.0, 0.0]), np.array([0.0, 0.0]), tops, [])
    for gap, lies in ((0.8, True), (4.0, False)):
        a, b = np.array([gap, 0.0]), np.array([gap + STICK.length, 0.0])
        above = rest(PIECES, a, b, [(0.0, 0.0, 30.0), (108.0, 0.0, 30.0)], [below])
        assert touch(PIECES, (a, b), (below.a, below.b)) is lies
        assert (above.za > 30.0 + 1.5 * STICK.thickness) is lies


def test_an_end_that_its_column_does_not_carry_is_not_known_to_lie_on_the_table() -> None:
    road = MeasuredRoad(np.array([0.0, 0, 32]), np.array([114.0, 0, 32]), 0.2, 0.5, (1.0, 1.0), 0.9, 1.0, 0.0, (32, 32))
    columns = [ColumnCandidate(x, 0.0, 3, 1.6, 0.8, 1.0, 30.0, 0.2) for x in (-30.0, 110.0)]  # the first stands beside
    for ends, mm in (((0, 1), 28.0), ((-1, 1), 0.0)):
        assembly = Assembly(columns, [FoundRoad(road, ends, 3.0)])
        at = rest(PIECES, road.a[:2], road.b[:2], tops_under(PIECES, assembly, 0), [])
        assert falls_mm(PIECES, assembly, 0, at) == pytest.approx(mm, abs=1.0)
