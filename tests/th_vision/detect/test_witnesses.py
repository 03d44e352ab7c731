"""Over or under by two witnesses: where height and picture disagree, neither is stated."""

from __future__ import annotations

import numpy as np

from rules.layout import Road
from tests.th_vision.detect.scenes import Seen, seen
from th_vision.detect.plan import plan_view
from th_vision.detect.witnesses import doubted
from th_vision.virtual_table.alongside import crossings, height_on


def scene_and_crossing() -> tuple[Seen, Road, Road, float]:
    """A scene with a crossing: the upper road, the lower one, and the gap between them, mm."""
    scene = seen(3101)
    first, second, x, y = crossings(scene.truth)[0]
    gap = height_on(first, x, y) - height_on(second, x, y)
    return (scene, first, second, gap) if gap > 0 else (scene, second, first, -gap)


def raised(road: Road, by_mm: float, eye: np.ndarray) -> Road:
    """The road as it would be read at a wrong height: on the same rays of the camera."""
    ends = []
    for tip in np.array(road.ends):
        share = by_mm / (eye[2] - tip[2])
        ends.append((*(tip[:2] + share * (eye[:2] - tip[:2])), tip[2] + by_mm))
    return road.model_copy(update={"ends": (ends[0], ends[1])})


def sigmas(scene: Seen, roads: tuple[Road, ...], known: frozenset[str] = frozenset()) -> dict[str, float]:
    return {road.id: road.sigma_z for road in doubted(plan_view(scene.view), scene.pieces, roads, known)}


def test_where_the_picture_agrees_with_the_heights_nothing_is_doubted() -> None:
    scene, *_ = scene_and_crossing()
    assert set(sigmas(scene, scene.truth.roads).values()) == {0.0}


def test_where_the_picture_shows_another_road_on_top_the_side_is_left_open() -> None:
    scene, upper, lower, gap = scene_and_crossing()
    eye = np.linalg.inv(scene.view.table.T_color_table)[:3, 3]
    wrong = raised(lower, gap + 8.0, eye)
    roads = tuple(wrong if road.id == lower.id else road for road in scene.truth.roads)
    said = sigmas(scene, roads)
    assert np.hypot(said[upper.id], said[lower.id]) >= 0.9 * 8.0


def test_a_crossing_of_known_roads_is_not_asked_again() -> None:
    scene, _, lower, gap = scene_and_crossing()
    eye = np.linalg.inv(scene.view.table.T_color_table)[:3, 3]
    roads = tuple(raised(road, gap + 8.0, eye) if road.id == lower.id else road for road in scene.truth.roads)
    assert set(sigmas(scene, roads, frozenset(road.id for road in roads)).values()) == {0.0}
