"""Of a live game a session keeps what shows a change, what stands still after it, and little more."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.th_vision.sessions import small
from tests.th_vision.still_scene import CAMERA, Scene
from th_vision.frame import Frame
from th_vision.sessions import limits
from th_vision.sessions.reader import open_session
from th_vision.sessions.thinning import Thinning
from th_vision.sessions.writer import SessionWriter


def still(scene: Scene, frames: int, thinning: Thinning, hand: tuple[float, float] | None = None) -> list[str | None]:
    return [thinning.see(scene.frame(hand)) for _ in range(frames)]


def test_a_table_that_stands_still_is_kept_for_one_long_look_and_then_now_and_then() -> None:
    scene, thinning = Scene(3101), Thinning(CAMERA)
    reasons = still(scene, 100, thinning)  # 20 s
    assert reasons[: limits.STILL_KEPT] == ["still"] * limits.STILL_KEPT
    rest = reasons[limits.STILL_KEPT :]
    assert set(rest) == {"base", None}
    seconds = (100 - limits.STILL_KEPT) * 0.2
    assert abs(rest.count("base") - seconds / limits.BASE_EVERY_S) <= 1


def test_a_piece_that_is_put_down_is_kept_for_another_long_look() -> None:
    scene, thinning = Scene(3102), Thinning(CAMERA)
    still(scene, 40, thinning)
    scene.stick(0, 0, 14)
    reasons = still(scene, 40, thinning)
    assert reasons[1 : limits.STILL_KEPT] == ["still"] * (limits.STILL_KEPT - 1)


def test_a_car_alone_is_a_change() -> None:
    scene, thinning = Scene(3103), Thinning(CAMERA)
    scene.stick(0, 0, 14)
    still(scene, 40, thinning)
    scene.boxes.append((20, 0, 16, 8, 21, 0, 220))
    assert still(scene, 10, thinning).count("still") >= 8


def test_a_hand_that_moves_is_watched_at_a_low_rate() -> None:
    scene, thinning = Scene(3104), Thinning(CAMERA)
    still(scene, 40, thinning)
    reasons = [thinning.see(scene.frame((-100 + 8 * i, 40))) for i in range(25)]  # 5 s
    assert set(reasons) == {"motion", None}
    assert 5 <= reasons.count("motion") <= 5 / limits.MOTION_EVERY_S + 1


def test_lights_and_exposure_are_no_change() -> None:
    scene, thinning = Scene(3105), Thinning(CAMERA)
    still(scene, 40, thinning)
    reasons = [thinning.see(scene.frame(gain=1 + 0.05 * np.sin(i))) for i in range(20)]
    assert "still" not in reasons
    assert "motion" not in reasons


@pytest.mark.parametrize("changes_every", [1, 4])
def test_whatever_happens_two_hours_stay_below_four_gigabytes(changes_every: int) -> None:
    """A table that changes all the time, or again and again: somebody who never sits still, a light that flickers."""
    thinning = Thinning(CAMERA)
    thinning.frame_bytes = 900_000.0  # of full size
    rng = np.random.default_rng(3106)
    views = [
        Frame(0, 0.0, rng.integers(6000, 8000, (45, 80), dtype=np.uint16).repeat(8, 0).repeat(8, 1)) for _ in range(2)
    ]
    kept = 0
    seconds = 3600
    for i in range(seconds * 3):
        kept += thinning.see(replace(views[i // changes_every % 2], number=i, time_s=i / 3)) is not None
    # An hour, and what was saved up before it began.
    assert kept * 900_000 < limits.BYTES_PER_S * seconds + limits.SAVED_UP_BYTES * 1.05
    assert limits.BYTES_PER_S * 7200 + limits.SAVED_UP_BYTES < 4e9
    assert kept > seconds / limits.BASE_EVERY_S * 0.9  # and yet it is never blind


def test_a_clock_that_jumps_back_stops_nothing() -> None:
    scene, thinning = Scene(3107), Thinning(CAMERA)
    still(scene, 40, thinning)
    scene.time_s = 0.0
    assert still(scene, 1, thinning) == ["base"]


def test_a_moment_of_a_session_has_its_first_frame_too(tmp_path: Path) -> None:
    """A frame that differs from the one before may be the first of many that stand still; the next one tells."""
    scene = Scene(3108)
    path = tmp_path / "game.mcap"
    with SessionWriter.open(path, camera=CAMERA, table_toml=None, pieces_toml=None, info={}, live=False) as writer:
        for _ in range(limits.STILL_KEPT + 5):
            writer.frame(scene.frame())
        scene.stick(0, 0, 14)
        first = scene.number + 1
        for _ in range(3):
            writer.frame(scene.frame())
    kept = [frame.number for frame in open_session(path).frames()]
    assert kept[-3:] == [first, first + 1, first + 2]
    assert writer.counts.frames + writer.counts.thinned == limits.STILL_KEPT + 8


def test_frames_are_charged_with_what_they_need_on_the_disk(tmp_path: Path) -> None:
    """Also where a chunk is closed between two frames, or holds several."""
    path = tmp_path / "game.mcap"
    with SessionWriter.open(
        path, camera=small.CAMERA, table_toml=None, pieces_toml=None, info={}, live=False
    ) as writer:
        for number in range(40):
            writer.frame(replace(small.frame(number), time_s=number * 10.0))  # the base rate keeps every one
            time.sleep(0.02)
        thinning = writer._thinning
    assert thinning is not None
    assert writer.counts.frames == 40
    sizes = [chunk.data_bytes for chunk in open_session(path).part.chunks]
    assert 0.5 < thinning.frame_bytes / (sum(sizes) / 40) < 2.5
