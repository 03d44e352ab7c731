"""Plan distances, overlaps and contact of random sticks, against shapely and brute force over the overlap."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
import pytest
import shapely

from rules.geometry import Bar, Disc2, bar_of, disc_gap, meeting, stick_distance
from rules.layout import Road
from rules.outlines import bar_polygon_gap, inside_depth, least_gap, overlap, polygon_gap
from rules.pieces import Stick

ROUNDING = 0.15  # mm: round ends are drawn with chords

Ends = Literal["round", "square"]


def random_bar(rng: np.random.Generator, ends: Ends) -> Bar:
    x, y = rng.uniform(-60, 60, 2)
    angle, z = rng.uniform(0, 2 * math.pi), rng.uniform(10, 40)
    tip = (x + 110 * math.cos(angle), y + 110 * math.sin(angle), z + rng.uniform(-20, 20))
    return bar_of(Road(id="r", ends=((x, y, z), tip)), Stick(ends=ends))


def shape(bar: Bar) -> shapely.Polygon:
    """The outline, drawn by shapely."""
    a, b = np.array([bar.ax, bar.ay]), np.array([bar.bx, bar.by])
    if not bar.rounded:
        return shapely.LineString([a, b]).buffer(bar.half, cap_style="flat")
    u = (b - a) / np.linalg.norm(b - a)
    return shapely.LineString([a + bar.half * u, b - bar.half * u]).buffer(bar.half, quad_segs=64)


@pytest.mark.parametrize("ends", ["round", "square"])
def test_distances_and_overlaps(ends: Ends) -> None:
    rng = np.random.default_rng(3)
    for _ in range(300):
        a, b = random_bar(rng, ends), random_bar(rng, ends)
        first, second = shape(a), shape(b)
        apart = first.distance(second)
        value, _, _ = stick_distance(a, b)
        assert max(0.0, value.value) == pytest.approx(apart, abs=0.02)
        common = overlap(a, b)
        area = first.intersection(second).area
        assert (common is not None) == (area > 0) or area < 1.0
        if common is not None:
            assert shapely.Polygon(common.corners).area == pytest.approx(area, abs=2.0)
        lines = [shapely.LineString([(bar.ax, bar.ay), (bar.bx, bar.by)]) for bar in (a, b)]
        at = meeting(a, b)
        assert (at is not None and at.margin.value > 0) == lines[0].intersects(lines[1])
        if at is not None and at.margin.value > 0:
            point = lines[0].intersection(lines[1])
            assert (at.x, at.y) == pytest.approx((point.x, point.y), abs=1e-6)


@pytest.mark.parametrize("ends", ["round", "square"])
def test_least_gap_by_brute_force(ends: Ends) -> None:
    rng = np.random.default_rng(4)
    seen = 0
    while seen < 60:
        a, b = random_bar(rng, ends), random_bar(rng, ends)
        common = overlap(a, b)
        if common is None:
            continue
        seen += 1
        gap, upper = least_gap(a, b, common)
        inside = shape(a).intersection(shape(b))
        x0, y0, x1, y1 = inside.bounds
        xs, ys = np.meshgrid(np.linspace(x0, x1, 60), np.linspace(y0, y1, 60))
        keep = shapely.contains_xy(inside, xs, ys)
        if keep.sum() < 50:
            continue
        rise = [a.top_at(x, y).value - b.top_at(x, y).value for x, y in zip(xs[keep], ys[keep], strict=True)]
        least = min(rise) if upper else min(-r for r in rise)
        assert gap.value <= least - a.thickness + ROUNDING
        assert gap.value == pytest.approx(least - a.thickness, abs=1.0)


@pytest.mark.parametrize("ends", ["round", "square"])
def test_discs_and_polygons(ends: Ends) -> None:
    rng = np.random.default_rng(5)
    for _ in range(200):
        bar = random_bar(rng, ends)
        x, y = rng.uniform(-100, 100, 2)
        stick = shape(bar)
        gap = disc_gap(bar, Disc2("c", x, y, 9.5, 0.0, 10.0)).distance.value
        assert max(0.0, gap) == pytest.approx(max(0.0, stick.distance(shapely.Point(x, y)) - 9.5), abs=0.02)
        turn = rng.uniform(0, math.pi)
        corners = [
            (x + 25 * math.cos(turn + i * math.pi / 2), y + 25 * math.sin(turn + i * math.pi / 2)) for i in range(4)
        ]
        block = shapely.Polygon(corners)
        value, _ = bar_polygon_gap(bar, corners)
        assert max(0.0, value.value) == pytest.approx(stick.distance(block), abs=0.02)
        if stick.intersection(block).area > 1:
            assert value.value < 0
        assert polygon_gap(bar.outline(), corners) == pytest.approx(stick.distance(block), abs=0.1)
        point = shapely.Point(*rng.uniform(-100, 100, 2))
        depth = inside_depth(corners, point.x, point.y)
        assert abs(depth) == pytest.approx(block.exterior.distance(point), abs=1e-6)
        assert (depth > 0) == block.contains(point)
