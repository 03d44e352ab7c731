"""Close-ups: that they are taken where something was near, and that their drawing shows it where it is."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from rules.pieces import Pieces
from tests.rules.tables import Table
from th_vision.closeup import CloseUp, closeups_of
from th_vision.closeup_drawing import SCALE, draw_closeup
from th_vision.drawing import Circle, Clip, Drawing, Shape, Words

PIECES = Pieces()


def crossing(levels: int, **more: float) -> CloseUp:
    """Blue crosses pink's road at right angles in its middle; pink's is 2 levels high at one end and 3 at the other."""
    table = Table()
    table.stick("pink", "p", (50, -50, 2), (50, 50, 3))
    table.ramp("blue", "base", (0, 0), levels=levels)
    table.move("blue", "base", "new", (100, 0), gray=levels, road="b", **more)
    return next(look for look in closeups_of(table.game, table.answers) if look.rule == "crossing")


def named(drawing: Drawing, name: str, kind: type[Shape] | type[Circle] | type[Words]) -> list[object]:
    found = [item for item in drawing.find(name) if isinstance(item, kind)]
    assert found, name
    return list(found)


def test_a_crossing_says_who_is_over_and_how_far() -> None:
    look = crossing(5)
    assert (look.lower, look.upper, look.side, look.pays, look.call) == ("p", "b", "over", True, "clear")
    assert look.value == pytest.approx(52 - 2 - 27)
    assert look.at == pytest.approx((50, 0))
    assert {"p", "b"} == look.meant


def test_under_a_road_the_crossed_one_is_the_upper() -> None:
    look = crossing(1)
    assert (look.lower, look.upper, look.side) == ("b", "p", "under")


def test_the_side_view_shows_the_gap_to_scale() -> None:
    look = crossing(5)
    (gap,) = named(draw_closeup(look, PIECES), "gap", Shape)
    assert isinstance(gap, Shape)
    (_, low), (_, high) = gap.points
    assert (low - high) / SCALE == pytest.approx(look.value, abs=0.01)


@pytest.mark.parametrize("levels", [5, 9])
def test_both_roads_are_in_the_side_view_however_high_the_upper_one_is(levels: int) -> None:
    drawing = draw_closeup(crossing(levels), PIECES)
    clips = [item for item in drawing.items if isinstance(item, Clip)]
    (box,) = (item.box for item in clips if any(getattr(one, "name", "") == "gap" for one in item.items))
    (upper,) = named(drawing, "side b", Shape)
    (gap,) = named(drawing, "gap", Shape)
    assert isinstance(upper, Shape)
    assert isinstance(gap, Shape)
    heights = [y for _, y in (*upper.points, *gap.points)]
    assert box[1] < min(heights)
    assert max(heights) < box[1] + box[3]
    assert box[1] + box[3] < drawing.height


def test_the_plan_shows_both_roads_to_scale_around_the_spot() -> None:
    drawing = draw_closeup(crossing(5), PIECES)
    (spot,) = named(drawing, "spot", Circle)
    assert isinstance(spot, Circle)
    for road, axis in (("p", 0), ("b", 1)):
        (stick,) = named(drawing, f"stick {road}", Shape)
        assert isinstance(stick, Shape)
        points = np.array(stick.points)
        width = points[:, axis].max() - points[:, axis].min()
        assert width / SCALE == pytest.approx(10, abs=0.2)
        assert points[:, axis].mean() == pytest.approx((spot.x, spot.y)[axis], abs=0.5)


def test_the_scale_shows_value_sigmas_and_limit_in_their_order() -> None:
    look = crossing(5, sigma_z=1.5)
    drawing = draw_closeup(look, PIECES)
    (value,), (limit,) = named(drawing, "value", Circle), named(drawing, "limit", Shape)
    (spread,) = named(drawing, "spread", Shape)
    assert isinstance(value, Circle)
    assert isinstance(limit, Shape)
    assert isinstance(spread, Shape)
    left, right = min(p[0] for p in spread.points), max(p[0] for p in spread.points)
    assert limit.points[0][0] < left < value.x < right
    per_mm = (value.x - limit.points[0][0]) / look.value
    assert (right - left) / per_mm == pytest.approx(2 * look.k * look.sigma)


def test_too_close_to_call_is_a_question_and_the_limit_lies_within_the_sigmas() -> None:
    table = Table()
    table.stick("pink", "p", (50, -50, 2), (50, 50, 3))
    table.ramp("blue", "base", (0, 0), levels=2)
    table.move("blue", "base", "new", (100, 0), gray=3, road="b", lift=(4.0, 3.0), sigma_z=1.5)
    look = next(look for look in closeups_of(table.game, table.answers) if look.rule == "touch-road")
    assert look.call == "too_close"
    drawing = draw_closeup(look, PIECES)
    (title,) = [item for item in drawing.find("title") if isinstance(item, Words)]
    assert title.text.endswith("?")
    (limit,), (spread,) = named(drawing, "limit", Shape), named(drawing, "spread", Shape)
    assert isinstance(limit, Shape)
    assert isinstance(spread, Shape)
    assert min(p[0] for p in spread.points) < limit.points[0][0] < max(p[0] for p in spread.points)


def test_a_covered_column_is_seen_from_above_alone() -> None:
    table = Table()
    table.ramp("pink", "old", (50, 6), heading=90, levels=2)
    table.ramp("blue", "base", (0, 0), levels=4)
    table.move("blue", "base", "new", (100, 0), gray=5, road="b")
    look = next(look for look in closeups_of(table.game, table.answers) if look.rule == "column-covered")
    assert look.lower is None
    drawing = draw_closeup(look, PIECES)
    assert drawing.find("gap") == []
    assert {"old", "b"} <= look.meant
    (column,) = named(drawing, "column old", Circle)
    assert isinstance(column, Circle)
    assert column.radius / SCALE == pytest.approx(9.5)


def test_counted_rules_have_no_close_up() -> None:
    table = Table()
    table.ramp("blue", "base", (0, 0), levels=1)
    table.move("blue", "base", "new", (100, 0), gray=4)
    assert [look.rule for look in closeups_of(table.game, table.answers)] == []


@pytest.mark.parametrize("language", ["en", "es", "nl", "zh-Hant"])
def test_the_svg_is_whole_and_needs_nothing_from_elsewhere(language: str) -> None:
    text = draw_closeup(crossing(5), PIECES, language).to_svg()
    root = ET.fromstring(text)
    assert root.tag.endswith("svg")
    title = root.find("{http://www.w3.org/2000/svg}title")
    assert title is not None
    assert title.text
    assert "{" not in "".join(root.itertext())
    assert re.findall(r"(?:href|src)\s*=|url\((?!#)|<script|<style", text) == []


def test_names_from_a_record_can_not_break_out_of_the_svg() -> None:
    table = Table("blue", '"><script>')
    table.stick('"><script>', "p", (50, -50, 2), (50, 50, 3))
    table.ramp("blue", "base", (0, 0), levels=5)
    table.move("blue", "base", "new", (100, 0), gray=5, road="<b>&")
    text = draw_closeup(closeups_of(table.game, table.answers)[0], PIECES).to_svg()
    ET.fromstring(text)
    assert "<script" not in text


def test_image_and_svg_are_one_drawing() -> None:
    drawing = draw_closeup(crossing(5), PIECES)
    image = drawing.to_image()
    assert image.shape == (drawing.height, drawing.width, 3)
    (spot,) = named(drawing, "spot", Circle)
    assert isinstance(spot, Circle)
    blue, green, red = (int(value) for value in image[round(spot.y), round(spot.x) - 12])
    assert blue > red, f"blue's road lies over pink's at the spot: {(blue, green, red)}"


def test_a_push_that_may_be_too_far_has_its_picture() -> None:
    table = Table(penalty_for_shift_mm=3.0)
    table.ramp("blue", "a", (0, 0))
    table.ramp("pink", "z", (200, 0), heading=0)
    table.knock("blue", "z", shift_mm=3.4, sigma_mm=0.5)
    (look,) = closeups_of(table.game, table.answers)
    assert (look.rule, look.value, look.limit, look.at) == ("shift", 3.4, 3.0, (200, 0))
    drawing = draw_closeup(look, PIECES)
    assert drawing.title == "Turn 1: did blue push pieces of pink too far?"
    (value,), (limit,) = named(drawing, "value", Circle), named(drawing, "limit", Shape)
    assert isinstance(value, Circle)
    assert isinstance(limit, Shape)
    assert limit.points[0][0] < value.x, "beyond the limit is the red side"
