"""A camera or a table that is bumped in the middle of a game, light that changes, depth that drifts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import cv2
import numpy as np
import pytest

from tests.th_vision.referee.live_scene import Film, evening
from tests.th_vision.still_scene import MM_PER_PX, Scene, table
from th_vision.follow_events import Warned
from th_vision.frame import Frame
from th_vision.referee import steady
from th_vision.referee.steady import Noticed, Steady, drift_mm
from th_vision.still_view import fuse
from th_vision.stillness import Stillness

PLAYED = ["ramp", "ramp", "move", "move", "move"]


def shifted(frame: Frame, x_px: float, y_px: float) -> Frame:
    """What the camera sees of a table that was moved."""
    way = np.array([[1.0, 0, x_px], [0, 1.0, y_px]])
    size = (frame.depth.shape[1], frame.depth.shape[0])
    assert frame.color is not None
    color = cv2.warpAffine(frame.color, way, size, borderMode=cv2.BORDER_REFLECT)
    color[:12, :12] = frame.color[:12, :12]  # the scene's number stays readable
    depth = cv2.warpAffine(frame.depth, way, size, flags=cv2.INTER_NEAREST, borderMode=cv2.BORDER_REPLICATE)
    return replace(frame, color=np.asarray(color, np.uint8), depth=np.asarray(depth, np.uint16))


def seen_by(frames: Iterator[Frame] | list[Frame]) -> list[tuple[float, Noticed]]:
    """What is noticed, and when; the first frames are the table as it was read."""
    watch, found = Stillness(table()), []
    look = Steady(table())
    for i, frame in enumerate(frames):
        seen = watch.see(frame)
        if i == 2:
            look.settled(fuse([frame], table()))
        noticed = look.see(frame, seen)
        if noticed is not None:
            found.append((frame.time_s, noticed))
    return found


def game(bump_from: int, x_px: float, y_px: float, until: int = 10**6) -> Callable[[list[Frame]], Iterator[Frame]]:
    def spoil(frames: list[Frame]) -> Iterator[Frame]:
        for i, frame in enumerate(frames):
            yield shifted(frame, x_px, y_px) if bump_from <= i < until else frame

    return spoil


def test_a_bump_is_noticed_and_measured_within_a_second() -> None:
    scene = Scene()
    frames = [scene.frame() for _ in range(6)] + [shifted(scene.frame(), 4.0, -2.0) for _ in range(8)]
    ((when, noticed),) = seen_by(frames)
    assert noticed.kind == "measured"
    assert noticed.value == pytest.approx(np.hypot(4, 2) * MM_PER_PX, abs=0.5)
    assert when - frames[6].time_s <= 1.0


def textured(frame: Frame) -> Frame:
    """The frame on a table with a grain that is clearer than the camera's noise."""
    assert frame.color is not None
    grain = np.random.default_rng(7).normal(0, 12, (frame.color.shape[0], frame.color.shape[1], 1))
    grain = cv2.GaussianBlur(grain, (0, 0), 1.5)[:, :, None] * 5
    return replace(frame, color=np.clip(frame.color + grain, 0, 255).astype(np.uint8))


def test_a_bump_so_hard_that_nothing_is_found_where_it_was_is_measured_too() -> None:
    scene = Scene()
    frames = [textured(scene.frame()) for _ in range(6)]
    frames += [shifted(textured(scene.frame()), 70.0, -30.0) for _ in range(8)]
    ((when, noticed),) = seen_by(frames)
    assert noticed.kind == "measured"
    assert noticed.value == pytest.approx(np.hypot(70, 30) * MM_PER_PX, abs=2.0)
    assert when - frames[6].time_s <= 1.0


def test_a_hard_bump_that_can_t_be_measured_pauses_the_game(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steady, "measured_bump", lambda *_: None)
    scene = Scene()
    frames = [textured(scene.frame()) for _ in range(6)]
    frames += [shifted(textured(scene.frame()), 70.0, -30.0) for _ in range(8)]
    frames += [textured(scene.frame()) for _ in range(8)]
    assert [noticed.kind for _, noticed in seen_by(frames)] == ["moved", "back"]


@pytest.mark.parametrize("seed", range(4))
def test_pieces_that_come_and_noise_are_no_bump(seed: int) -> None:
    scene = Scene(seed)
    frames = []
    for i in range(6):
        frames += [scene.frame() for _ in range(4)]
        scene.stick(-150 + 55 * i, 30 * (i % 3) - 30, 12 + 10 * i, 50 * i)
    assert seen_by(frames) == []


def test_other_light_is_said_once() -> None:
    scene = Scene()
    frames = [scene.frame() for _ in range(6)] + [scene.frame(gain=0.5) for _ in range(20)]
    ((_, noticed),) = seen_by(frames)
    assert noticed.kind == "light"
    assert noticed.value == pytest.approx(0.5, abs=0.05)


def test_a_game_goes_on_through_a_bump_without_a_false_knock() -> None:
    night = evening(Film(spoil=game(27, 5.0, 3.0)))
    assert night.facts == PLAYED
    (warned,) = [output for output in night.outputs if isinstance(output, Warned)]
    assert warned.line.kind == "camera-moved"
    assert warned.line.value == pytest.approx(np.hypot(5, 3) * MM_PER_PX, abs=0.7)
    assert "I measured it and go on" in night.text


def test_a_bump_that_can_t_be_measured_pauses_until_it_is_put_right(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steady, "measured_bump", lambda *_: None)
    night = evening(Film(spoil=game(18, 5.0, 3.0, until=24)))
    assert "Put it back, or calibrate again" in night.text
    assert "The game goes on." in night.text
    assert "paused" in {status.state for status in night.statuses}
    assert night.facts == PLAYED


def test_drift_of_depth_is_measured() -> None:
    scene = Scene()
    far = [replace(frame, depth=(frame.depth * 1.01).astype(np.uint16)) for frame in (scene.frame() for _ in range(4))]
    assert drift_mm(fuse(far, table())) == pytest.approx(7.0, abs=0.7)
