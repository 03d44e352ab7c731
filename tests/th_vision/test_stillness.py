"""Hand, moving or still: told from differences to the frame before and to the table as it last stood still."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest

from tests.th_vision.still_scene import HEIGHT, WIDTH, Scene, table
from th_vision.frame import Frame
from th_vision.stillness import Moment, Stillness, moments


def states(frames: Iterable[Frame]) -> list[str]:
    watch = Stillness(table())
    return [watch.see(frame).state for frame in frames]


def counted(found: Iterable[Moment]) -> list[int]:
    return [len(moment.frames) for moment in found]


def test_an_empty_table_is_still() -> None:
    scene = Scene()
    assert states(scene.frame() for _ in range(6)) == ["moving"] + ["still"] * 5


@pytest.mark.parametrize("noise_px", [0.03, 0.13])
def test_moments_with_two_frames_and_nothing_between_are_told_apart(noise_px: float) -> None:
    scene = Scene(noise_px=noise_px)
    frames = [scene.frame(), scene.frame()]
    for i in range(4):
        scene.stick(-120 + 60 * i, 40 * i - 60, 12 + 10 * i, 30 * i)
        frames += [scene.frame(), scene.frame()]
    assert counted(moments(frames, table())) == [2, 2, 2, 2, 2]


def test_a_car_of_another_grey_on_a_stick_is_a_change() -> None:
    scene = Scene()
    scene.stick(0, 0, 22)
    frames = [scene.frame() for _ in range(3)]
    scene.boxes.append((20, 0, 16, 8, 29, 0, 210))
    frames += [scene.frame() for _ in range(3)]
    assert counted(moments(frames, table())) == [3, 3]


def test_a_hand_is_a_hand_and_what_it_leaves_is_the_next_moment() -> None:
    scene = Scene()
    frames = [scene.frame(), scene.frame(), scene.frame(hand=(0, 0))]
    scene.stick(0, 0, 22)
    frames += [scene.frame(), scene.frame(), scene.frame()]
    assert states(frames) == ["moving", "still", "hand", "moving", "still", "still"]
    first, second = moments(frames, table())
    assert not first.after_hand
    assert second.after_hand


def test_a_hand_that_rests_on_the_table_stays_a_hand() -> None:
    scene = Scene()
    frames = [scene.frame(), scene.frame()] + [scene.frame(hand=(30, 10)) for _ in range(4)]
    assert states(frames)[2:] == ["hand"] * 4


def test_high_columns_and_many_crossing_sticks_are_no_hand() -> None:
    scene = Scene()
    rng = np.random.default_rng(4)
    frames = [scene.frame(), scene.frame()]
    for i in range(14):
        x, y = rng.uniform(-150, 150), rng.uniform(-80, 80)
        scene.stick(x, y, 12 + 8 * (i % 6), float(rng.uniform(0, 180)))
        scene.boxes.append((x + 50, y, 19, 19, 10 + 8 * (i % 6), 0, 150))
        frames += [scene.frame(), scene.frame()]
    assert "hand" not in states(frames)


def test_a_pile_of_supplies_at_the_rim_is_part_of_the_table_after_a_while() -> None:
    scene = Scene()
    scene.boxes.append((-300, 150, 120, 120, 60, 0, 150))
    seen = states(scene.frame() for _ in range(40))
    assert seen[-1] == "still"


def test_exposure_that_changes_is_no_movement() -> None:
    scene = Scene()
    scene.stick(0, 0, 22)
    assert states(scene.frame(gain=g) for g in (1.0, 1.1, 0.9, 0.95)) == ["moving", "still", "still", "still"]


def test_unusable_frames_neither_break_a_moment_nor_count() -> None:
    scene = Scene()
    good = [scene.frame() for _ in range(5)]
    half = np.array(good[1].depth)
    half[:, WIDTH // 2 :] = 0
    half[: HEIGHT // 4] = 0
    bad = [
        Frame(90, 0.5, half, good[1].color),
        Frame(91, 0.5, good[1].depth, None),
        Frame(92, 0.5, good[1].depth, np.zeros_like(good[1].color)),
        Frame(93, 0.5, good[1].depth[::2, ::2], good[1].color),
    ]
    watch = Stillness(table())
    seen = [watch.see(frame) for frame in (good[0], good[1], *bad, good[2], good[3], good[4])]
    assert [s.state for s in seen] == ["moving", "still", *["unusable"] * 4, "still", "still", "still"]
    assert all(s.reason for s in seen[2:6])
    last = watch.finish()
    assert last is not None
    assert len(last.frames) == 5


def test_time_that_goes_backwards_is_survived() -> None:
    scene = Scene()
    frames = [scene.frame() for _ in range(4)]
    watch = Stillness(table())
    times = [
        watch.see(Frame(f.number, t, f.depth, f.color)).time_s
        for f, t in zip(frames, (5.0, 4.0, 1.0, 6.0), strict=True)
    ]
    assert times == [5.0, 5.0, 5.0, 6.0]


def test_a_long_still_scene_is_handed_out_at_once_and_once_more_with_a_longer_look() -> None:
    scene = Scene()
    found = list(moments((scene.frame() for _ in range(30)), table()))
    assert counted(found) == [6, 12]
    assert [moment.longer for moment in found] == [False, True]
