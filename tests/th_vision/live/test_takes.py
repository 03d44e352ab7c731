"""At a live camera a calibration asks for the board, then for the empty table, and then has enough."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from calibration.board import Board
from calibration.camera import Camera
from tests.conftest import ROOT
from tests.th_vision.live.cameras import SmallSource, wait_until
from th_vision.errors import VisionError
from th_vision.frame import Frame
from th_vision.live import takes
from th_vision.live.faulty import Fault, FaultyCamera
from th_vision.live.protocol import CameraState
from th_vision.live.tolerances import BOARD_FRAMES, EMPTY_FRAMES, GONE_S
from th_vision.sources import open_source

FPS = 10.0


@dataclass
class Scenes:
    """Pictures of the recorded calibration shown for a while each: board, hand, empty table."""

    show: tuple[tuple[str, int], ...]
    name: str = "scenes"

    def __post_init__(self) -> None:
        board, empty = (f for f in list(open_source(str(ROOT / "fixtures" / "game" / "calibration")))[:2])
        assert empty.color is not None
        hand = empty.color.copy()
        hand[200:500, 300:700] = 120
        self._frames = {"board": board, "empty": empty, "hand": replace(empty, color=hand)}

    @property
    def camera(self) -> Camera:
        return open_source(str(ROOT / "fixtures" / "game" / "calibration")).camera

    def __iter__(self) -> Iterator[Frame]:
        index = 0
        for scene, count in self.show:
            for _ in range(count):
                yield replace(self._frames[scene], number=index, time_s=index / FPS)
                index += 1


def kinds(frames: list[Frame], source: Scenes) -> list[str]:
    return [next(k for k, f in source._frames.items() if f.color is frame.color) for frame in frames]


def test_board_then_hands_then_the_empty_table() -> None:
    source = Scenes((("hand", 3), ("board", 20), ("hand", 5), ("empty", 70)))
    said: list[str] = []
    camera = FaultyCamera(source, fps=FPS)
    found = kinds(list(takes.for_table(camera, Board(), said.append)), source)
    assert found == ["board"] * BOARD_FRAMES + ["empty"] * EMPTY_FRAMES
    assert said == [takes.LAY, takes.CLEAR]
    assert camera.state.phase == "closed"


def test_a_hand_that_comes_back_is_waited_for() -> None:
    moves = (("empty", 12), ("hand", 3)) * 3
    source = Scenes((("board", BOARD_FRAMES), *moves, ("empty", int(GONE_S * FPS) + EMPTY_FRAMES + 2)))
    found = list(takes.for_table(FaultyCamera(source, fps=FPS), Board(), lambda _: None))
    assert kinds(found, source).count("hand") == 0
    assert found[BOARD_FRAMES].number >= BOARD_FRAMES + 3 * 15 + int(GONE_S * FPS)


class Cold(FaultyCamera):
    """Warm after a while."""

    warm_after = 60

    @property
    def state(self) -> CameraState:
        state = super().state
        return replace(state, warm=state.frames > self.warm_after, drift_mm_per_min=0.4)


def test_a_cold_camera_is_waited_for_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    source = Scenes((("board", BOARD_FRAMES), ("empty", 120)))
    said: list[str] = []
    found = list(takes.for_table(Cold(source, fps=FPS), Board(), said.append))
    assert len(found) == BOARD_FRAMES + EMPTY_FRAMES
    assert found[BOARD_FRAMES].number >= 60
    assert "0.40 mm a minute" in said[-1]
    monkeypatch.setattr(takes, "WARM_LONGEST_S", 3.0)
    monkeypatch.setattr(Cold, "warm_after", 10**6)
    said.clear()
    assert len(list(takes.for_table(Cold(source, fps=FPS), Board(), said.append))) == BOARD_FRAMES + EMPTY_FRAMES
    assert "still not warm" in said[-1]


def test_some_frames_of_a_live_camera_all_of_a_recording(tmp_path: Path) -> None:
    camera = FaultyCamera(SmallSource(500), speed=10)
    assert len(list(takes.some_of(camera, 7))) == 7
    assert camera.state.phase == "closed"
    assert len(list(takes.some_of(SmallSource(50), 7))) == 50
    assert np.unique([frame.number for frame in takes.for_table(SmallSource(9), Board(), print)]).size == 9


def test_a_live_camera_that_gives_nothing_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(takes, "LOOK_LONGEST_S", 0.2)
    with pytest.raises(VisionError, match=r"small: the camera gives no frames \(nothing came\)"):
        list(takes.some_of(FaultyCamera(SmallSource(50), [Fault("freeze", at=3, seconds=60)]), 10))


class Lost(FaultyCamera):
    """Lost, until the test says otherwise."""

    lost = True

    @property
    def state(self) -> CameraState:
        return replace(super().state, phase="lost" if self.lost else "running", last_error="the camera was unplugged")


def test_while_a_calibration_waits_for_a_lost_camera_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(takes, "_WATCH_S", 0.02)
    camera, said = Lost(SmallSource(5)), []
    with takes._telling_when_lost(camera, said.append):
        assert wait_until(lambda: len(said) == 1)
        camera.lost = False
        assert wait_until(lambda: len(said) == 2)
    assert said == ["the camera is lost: the camera was unplugged; waiting for it", "the camera is back"]
