"""Things that are no pieces: found where they lie, never read as pieces; and none on ordinary tables."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache

import numpy as np
from shapely.geometry import Polygon

from rules.layout import Layout, Unknown
from th_vision.detect.plan import plan_view
from th_vision.detect.unknown import unknown_things, wide_areas
from th_vision.reconstruct import reconstruct
from th_vision.virtual_table.alongside import column_pairs, road_pairs
from th_vision.virtual_table.scene import ForeignBody

from .depth_scenes import through_sensor
from .scenes import Seen, seen


def rectangle(x: float, y: float, length: float, width: float, turn_deg: float) -> tuple[tuple[float, float], ...]:
    c, s = math.cos(math.radians(turn_deg)), math.sin(math.radians(turn_deg))
    corners = ((-length / 2, -width / 2), (length / 2, -width / 2), (length / 2, width / 2), (-length / 2, width / 2))
    return tuple((x + c * u - s * v, y + s * u + c * v) for u, v in corners)


def circle(x: float, y: float, radius: float) -> tuple[tuple[float, float], ...]:
    return tuple((x + radius * math.cos(t), y + radius * math.sin(t)) for t in np.linspace(0, 2 * math.pi, 24)[:-1])


CUP = ForeignBody(circle(245.0, 95.0, 34.0), 85.0, "#c8c8d0")
PHONE = ForeignBody(rectangle(235.0, -95.0, 145.0, 70.0, 70.0), 8.0, "#202024")


@lru_cache(maxsize=1)
def cluttered() -> Seen:
    return through_sensor(4111, foreign=(CUP, PHONE), roads=3, columns=4)


@lru_cache(maxsize=1)
def layout() -> Layout:
    return reconstruct(cluttered().view, cluttered().pieces)


def like(body: ForeignBody, things: tuple[Unknown, ...]) -> tuple[float, Unknown]:
    """How well (0 to 1: common over joint area) the thing that fits a body best covers it."""
    truth = Polygon(body.outline)
    shapes = [(Polygon(thing.outline), thing) for thing in things]
    return max(
        ((truth.intersection(s).area / truth.union(s).area, thing) for s, thing in shapes), key=lambda pair: pair[0]
    )


def test_a_cup_is_reported_with_its_outline_and_height() -> None:
    share, thing = like(CUP, layout().unknown)
    assert share > 0.6
    assert abs(thing.height - 85.0) < 3.0


def test_a_phone_is_reported_although_it_is_as_flat_as_a_disc() -> None:
    share, thing = like(PHONE, layout().unknown)
    assert share > 0.75
    assert abs(thing.height - 8.0) < 2.0


def test_nothing_is_read_into_them_and_the_pieces_beside_them_are_found() -> None:
    truth = cluttered().truth
    assert len(layout().columns) == len(truth.columns) == len(column_pairs(layout(), truth))
    assert len(layout().roads) == len(truth.roads) == len(road_pairs(layout(), truth))


def test_a_city_object_known_to_stand_there_is_no_unknown_thing() -> None:
    from rules.layout import CityObject

    tower = CityObject(id="t1", kind="tower", outline=CUP.outline, height=85.0)
    plan = plan_view(cluttered().view)
    things = unknown_things(plan, cluttered().pieces, layout(), wide_areas(plan), (tower,))
    assert things
    assert all(Polygon(thing.outline).intersection(Polygon(CUP.outline)).area < 100 for thing in things)


def test_a_card_too_thin_for_depth_is_seen_by_its_hue() -> None:
    """Painted into the picture: a blue card of 85 x 54 mm beside the pieces."""
    scene = seen(3101)
    plan = plan_view(scene.view)
    card = ForeignBody(rectangle(205.0, -60.0, 85.0, 54.0, 20.0), 0.4)
    painted = replace(plan, color=_painted(scene, card))
    things = unknown_things(painted, scene.pieces, scene.truth, wide_areas(painted))
    assert len(things) == 1
    share, thing = like(card, things)
    assert share > 0.7
    assert thing.height < 3.0


def _painted(scene: Seen, card: ForeignBody) -> np.ndarray:
    import cv2

    plan = plan_view(scene.view)
    assert plan.color is not None
    corners = plan.color_pixels(np.array([[x, y, card.height] for x, y in card.outline]))
    picture = plan.color.copy()
    cv2.fillConvexPoly(picture, np.rint(corners).astype(np.int32), (160.0, 80.0, 48.0))
    return picture


def test_an_ordinary_table_has_nothing_unknown() -> None:
    scene = seen(3101)
    plan = plan_view(scene.view)
    assert unknown_things(plan, scene.pieces, scene.truth, wide_areas(plan)) == ()
