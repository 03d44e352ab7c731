"""One look at the table: whose each road is by the cars, what is in doubt, and whether the view can be read at all."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rules.layout import Layout, Road, Unknown
from tests.th_vision.games import C3, K1, PIECES, R1, R2, R3, car, column, plus, road
from tests.th_vision.still_scene import Scene, table
from th_vision.errors import VisionError
from th_vision.frame import Frame
from th_vision.one_look import doubtful_crossings, legend_seen, owners_seen
from th_vision.picture import draw_table
from th_vision.still_view import fuse
from th_vision.view_doubts import doubts_of_view, last_moment


def test_roads_that_share_a_column_are_of_the_player_whose_car_stands_on_one() -> None:
    owners = owners_seen(plus(Layout(), column("c1", -57, 0), C3, R1, R2, R3, K1))
    assert owners["r1"] == owners["r3"] == owners["c3"] == K1.player
    assert "r2" not in owners


def test_one_car_of_another_player_does_not_turn_a_road_network_over_but_as_many_leave_it_open() -> None:
    mine = plus(Layout(), column("c1", -57, 0), C3, R1, R3, K1)
    strange = plus(mine, car("k9", R3, "pink"))
    assert "r1" not in owners_seen(strange)
    assert owners_seen(plus(strange, car("k8", R3, "blue", 0.2)))["r1"] == "blue"


def _crossing(rise_mm: float, sigma_mm: float) -> Layout:
    low = road("r1", column("c1", -57, 0), column("c2", 57, 0), sigma_z=sigma_mm)
    high = road("r2", column("c3", 0, -57), column("c4", 0, 57), sigma_z=sigma_mm)
    ends = [(x, y, z + rise_mm) for x, y, z in high.ends]
    return plus(Layout(), low, Road(**{**high.model_dump(), "ends": ends}))


def test_a_crossing_whose_heights_do_not_tell_the_upper_road_is_in_doubt() -> None:
    assert [met.call for met in doubtful_crossings(_crossing(0.5, 1.0), PIECES)] == ["too_close"]
    assert not doubtful_crossings(_crossing(12.0, 1.0), PIECES)


def test_ends_on_one_column_are_no_crossing() -> None:
    middle = column("c1", 0, 0)
    a, b = road("r1", middle, column("c2", 100, 0)), road("r2", middle, column("c3", 0, 100))
    assert not doubtful_crossings(plus(Layout(), a, b), PIECES)


def test_something_unknown_lies_within_the_picture() -> None:
    """It lies on the table that is drawn, which grows by it, and is drawn neither over the title nor over the rim."""
    far = Unknown(outline=((200, 200), (260, 200), (260, 260), (200, 260)), height=30)
    layout = plus(Layout(), R1, R2).model_copy(update={"unknown": (far,)})
    image = draw_table(layout, PIECES, {}, legend_seen(layout, PIECES, "2 roads, 1 unknown thing"))
    fill = np.argwhere(np.abs(image.astype(int) - (230, 220, 235)).max(axis=2) < 4)
    assert len(fill) > 500
    assert fill[:, 0].min() > 90
    assert fill[:, 1].max() < image.shape[1] - 320


def _frames(scene: Scene, n: int) -> list[Frame]:
    return [scene.frame() for _ in range(n)]


def test_only_the_frames_of_the_last_moment_are_fused() -> None:
    """Frames from before a column came, and those with a hand in them, would blur it."""
    scene = Scene(3)
    before = [*_frames(scene, 4), scene.frame(hand=(0, 0))]
    scene.boxes.append((40, 30, 17, 17, 10, 0, 150))
    now = _frames(scene, 4)
    assert [frame.number for frame in last_moment(before + now, table())] == [frame.number for frame in now]
    assert len(last_moment(now, table())) == 4


def test_a_view_without_depth_is_no_empty_table() -> None:
    blind = [replace(frame, depth=np.zeros_like(frame.depth)) for frame in _frames(Scene(4), 2)]
    with pytest.raises(VisionError, match="no depth where the table is"):
        doubts_of_view(fuse(blind, table()))


def test_half_a_view_and_another_distance_are_said() -> None:
    frames = _frames(Scene(5), 3)
    assert not [doubt for doubt in doubts_of_view(fuse(frames, table())) if "depth" in doubt]
    half = [replace(frame, depth=frame.depth * (np.arange(frame.depth.shape[1]) < 300)) for frame in frames]
    assert "47 % of the table has depth" in doubts_of_view(fuse(half, table()))[0]
    lower = [replace(frame, depth=frame.depth * np.float32(1.05)) for frame in frames]
    assert "calibrate again" in doubts_of_view(fuse(lower, table()))[0]
