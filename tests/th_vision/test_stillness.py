"""Hand, moving or still: told from differences to the frame before and to the table as it last stood still."""

from __future__ import annotations

from collections.abc import Iterable

import cv2
import numpy as np
import pytest

from calibration.camera import Camera, Intrinsics
from calibration.table import EmptyTable, TableCalibration
from th_vision.frame import Frame
from th_vision.stillness import Moment, Stillness, moments

WIDTH, HEIGHT, DISTANCE = 640, 360, 700.0
INTRINSICS = Intrinsics(WIDTH, HEIGHT, 460.0, 460.0, 319.5, 179.5)
CAMERA = Camera("D435", INTRINSICS, INTRINSICS, depth_unit_mm=0.1, baseline_mm=50.0)
MM_PER_PX = DISTANCE / INTRINSICS.fx


def table() -> TableCalibration:
    """A camera straight above an empty wooden table."""
    disparity = np.full((HEIGHT, WIDTH), CAMERA.disparity_gain / DISTANCE, np.float32)
    empty = EmptyTable(disparity, np.full_like(disparity, 0.02), None, np.ones(disparity.shape, np.bool_))
    pose = np.diag([1.0, -1.0, -1.0, 1.0])
    pose[2, 3] = DISTANCE
    return TableCalibration(CAMERA, pose, empty)


class Scene:
    """Boxes on a table: (x, y, length, width, height mm, angle, grey level), frames with noise as the sensor has it."""

    def __init__(self, seed: int = 0, noise_px: float = 0.1) -> None:
        self.rng, self.noise_px, self.number, self.time_s = np.random.default_rng(seed), noise_px, 0, 0.0
        grain = cv2.GaussianBlur(self.rng.normal(0, 25, (HEIGHT, WIDTH)).astype(np.float32), (0, 0), 3)
        self.wood = 120 + grain
        self.boxes: list[tuple[float, float, float, float, float, float, float]] = []

    def stick(self, x: float, y: float, z: float, angle: float = 0.0) -> None:
        self.boxes.append((x, y, 114, 10, z, angle, 90))

    def frame(self, hand: tuple[float, float] | None = None, gain: float = 1.0) -> Frame:
        height = np.zeros((HEIGHT, WIDTH), np.float32)
        color = self.wood.copy()
        boxes = list(self.boxes)
        if hand is not None:  # a palm, and a forearm that comes in over the near rim
            x, y = hand
            boxes += [(x, y, 85, 80, 70, 0, 200), (x, y - 250, 70, 500, 90, 0, 190)]
        for x, y, length, width, z, angle, grey in boxes:
            corners = cv2.boxPoints(((x / MM_PER_PX + WIDTH / 2, HEIGHT / 2 - y / MM_PER_PX),
                                     (length / MM_PER_PX, width / MM_PER_PX), angle))  # fmt: skip
            cv2.fillPoly(height, [np.rint(corners).astype(np.int32)], z)
            cv2.fillPoly(color, [np.rint(corners).astype(np.int32)], grey)
        disparity = cv2.GaussianBlur(CAMERA.disparity_gain / (DISTANCE - height), (0, 0), 3)
        noise = cv2.GaussianBlur(self.rng.normal(0, 1, (HEIGHT, WIDTH)).astype(np.float32), (0, 0), 4)
        disparity += noise / noise.std() * self.noise_px
        depth = np.rint(CAMERA.disparity_gain / np.rint(disparity * 32) * 32 / CAMERA.depth_unit_mm)
        image = np.clip(color * gain + self.rng.normal(0, 3, color.shape), 0, 255).astype(np.uint8)
        self.number += 1
        self.time_s += 0.2
        return Frame(self.number, self.time_s, depth.astype(np.uint16), np.dstack([image] * 3))


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


def test_a_long_still_scene_is_handed_out_once() -> None:
    scene = Scene()
    found = list(moments((scene.frame() for _ in range(30)), table()))
    assert counted(found) == [12]
