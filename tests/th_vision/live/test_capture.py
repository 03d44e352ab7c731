"""A live camera goes on whatever happens to it, and says what happened; only good frames come out, in order."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from tests.conftest import ROOT
from tests.th_vision.live.cameras import (
    FIRST_DEPTH,
    QUICK,
    broken_process,
    is_alive,
    never_starts,
    no_library,
    open_faulty,
    small_camera,
    small_frame,
    wait_until,
)
from th_vision.errors import VisionError
from th_vision.frame import Frame
from th_vision.live.capture import LiveCamera
from th_vision.live.faulty import Fault, Kind
from th_vision.live.protocol import LiveSource


def take(camera: LiveCamera, count: int) -> list[Frame]:
    return list(itertools.islice(iter(camera), count))


def which(frame: Frame) -> int:
    """Which of the small frames it is."""
    return int(frame.depth[1, 1]) - FIRST_DEPTH


def rises(frames: list[Frame]) -> bool:
    return all(a.number < b.number and a.time_s < b.time_s for a, b in itertools.pairwise(frames))


def test_frames_come_whole_and_in_order(tmp_path: Path) -> None:
    camera = open_faulty(tmp_path)
    assert isinstance(camera, LiveSource)
    frames = take(camera, 12)
    camera.close()
    for frame in frames:
        same = small_frame(which(frame))
        assert (frame.depth == same.depth).all()
        assert frame.color is not None
        assert same.color is not None
        assert (frame.color == same.color).all()
    assert rises(frames)
    assert camera.state.frames >= 12
    assert camera.camera.depth == small_camera().depth
    assert np.allclose(camera.camera.T_color_depth, small_camera().T_color_depth)


def test_the_newest_frame_and_its_age(tmp_path: Path) -> None:
    camera = open_faulty(tmp_path, Fault("silent", at=8))
    assert wait_until(lambda: camera.state.frames == 8)
    frame = camera.read_latest(5.0)
    assert frame is not None
    assert which(frame) == 7
    assert camera.read_latest(5.0) is frame, "the same frame until there is a newer one"
    time.sleep(0.1)
    assert camera.read_latest(0.05) is None, "older than asked for"
    camera.close()
    assert camera.state.phase == "closed"
    camera.close()
    assert camera.read_latest(60.0) is None or which(camera.read_latest(60.0) or frame) == 7


@pytest.mark.parametrize("kind", ["crash", "exit", "error", "hang", "silent"])
def test_capture_begins_anew_when_it_fails(tmp_path: Path, kind: Kind) -> None:
    camera = open_faulty(tmp_path, Fault(kind, at=20))
    frames = []
    for frame in camera:
        frames.append(frame)
        if camera.state.restarts and len(frames) > 24:
            break
    state = camera.state
    camera.close()
    assert rises(frames), "numbers and times go on over the restart"
    assert state.restarts == 1
    words = {"crash": "signal 6", "exit": "status 3", "error": "gave up", "hang": "hung", "silent": "no frame"}
    assert words[kind] in state.last_error
    assert not (tmp_path / "reset").exists(), "a plain restart comes first"


def test_a_killed_child_is_replaced_and_the_game_goes_on(tmp_path: Path) -> None:
    camera = open_faulty(tmp_path)
    frames = take(camera, 3)
    os.kill(int((tmp_path / "child").read_text()), signal.SIGKILL)
    frames += take(camera, 40)
    camera.close()
    assert rises(frames)
    assert camera.state.restarts == 1
    gap_s = max(b.time_s - a.time_s for a, b in itertools.pairwise(frames))
    assert 0.1 < gap_s < 8, "the clock goes on while the camera is away"


def test_after_a_restart_the_same_exposure_is_set_again(tmp_path: Path) -> None:
    """Colours mean the same before and after; nothing is settled anew."""
    camera = open_faulty(tmp_path, exposure=156.0, settle=True)
    take(camera, 3)
    assert "exposure=156.0" in (tmp_path / "locked").read_text()
    (tmp_path / "locked").unlink()
    os.kill(int((tmp_path / "child").read_text()), signal.SIGKILL)
    begin_s = time.monotonic()
    assert wait_until(lambda: camera.state.restarts == 1 and camera.state.phase == "running")
    camera.close()
    assert "exposure=156.0" in (tmp_path / "locked").read_text()
    assert time.monotonic() - begin_s < 5


def test_unplugged_and_plugged_in_again(tmp_path: Path) -> None:
    camera = open_faulty(tmp_path)
    take(camera, 3)
    (tmp_path / "plugged").unlink()
    assert wait_until(lambda: camera.state.phase == "lost")
    assert wait_until(lambda: "not connected" in camera.state.last_error)
    assert camera.read_latest(0.3) is None
    (tmp_path / "plugged").touch()
    back_s = time.monotonic()
    assert wait_until(lambda: camera.state.phase == "running")
    assert time.monotonic() - back_s < 5
    assert camera.read_latest(0.5) is not None
    camera.close()
    assert not (tmp_path / "reset").exists()


def test_a_camera_that_is_not_there_is_refused_soon(tmp_path: Path) -> None:
    with pytest.raises(VisionError, match="small: no RealSense camera is connected; plug it"):
        open_faulty(tmp_path, plugged=False)


def test_three_tries_plain_first_hardware_reset_last(tmp_path: Path) -> None:
    from functools import partial

    (tmp_path / "plugged").touch()
    with pytest.raises(VisionError, match="small: RuntimeError: xioctl failed"):
        LiveCamera("small", partial(never_starts, tmp_path), patience=QUICK, settle=False)
    tries = sorted(tmp_path.glob("try-*"))
    assert len(tries) == 3
    assert (tmp_path / "reset").stat().st_mtime_ns > tries[1].stat().st_mtime_ns


def test_without_the_library_one_line_says_so() -> None:
    with pytest.raises(VisionError, match="small: pyrealsense2 is not installed; install it"):
        LiveCamera("small", no_library, patience=QUICK)


def test_a_process_that_ends_at_once_is_refused_and_told(tmp_path: Path) -> None:
    with pytest.raises(VisionError, match="status 7"):
        LiveCamera("small", broken_process, patience=QUICK)


def test_bad_frames_stay_outside_and_are_counted(tmp_path: Path) -> None:
    camera = open_faulty(
        tmp_path,
        Fault("drop", at=3, frames=2),
        Fault("double", at=8),
        Fault("swap", at=11),
        Fault("size", at=15, frames=3),
        Fault("old color", at=20, frames=2),
        Fault("no color", at=24),
        Fault("end", at=30),
    )
    frames = []
    for frame in camera:
        frames.append(frame)
        if which(frame) >= 27:
            break
    state = camera.state
    camera.close()
    # a computer that is busy may look away for a frame or two: those are missing, and counted
    came = [which(frame) for frame in frames]
    good = [k for k in range(30) if k not in (3, 4, 11, 15, 16, 17)]
    assert came == [k for k in good if k in came]
    assert len(came) > 12
    assert rises(frames)
    assert [which(frame) for frame in frames if frame.color is None] == [k for k in (20, 21, 24) if k in came]
    assert state.frames_lost >= 6
    assert state.frames_refused == 5  # once doubled, once out of order, three of another size
    assert state.colors_refused == 2


def test_a_slow_reader_loses_frames_but_never_their_order(tmp_path: Path) -> None:
    camera = open_faulty(tmp_path)
    frames = []
    for frame in camera:
        frames.append(frame)
        time.sleep(0.12)
        if len(frames) == 8:
            break
    camera.close()
    assert rises(frames)
    assert all(int(frame.depth[1, 1]) - FIRST_DEPTH == which(frame) for frame in frames)
    assert which(frames[-1]) - which(frames[0]) > 12


def test_closing_from_another_thread_ends_the_iteration(tmp_path: Path) -> None:
    camera = open_faulty(tmp_path)
    seen: list[Frame] = []
    reader = threading.Thread(target=lambda: seen.extend(camera))
    reader.start()
    assert wait_until(lambda: len(seen) > 3)
    camera.close()
    reader.join(5)
    assert not reader.is_alive()
    assert not is_alive(int((tmp_path / "child").read_text()))


@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
@pytest.mark.parametrize("fault", ["", "hang"])
def test_the_child_dies_with_its_parent_also_by_kill_9(tmp_path: Path, fault: str) -> None:
    code = (
        "import pathlib, sys, time\n"
        "from tests.th_vision.live.cameras import open_faulty\n"
        "from th_vision.live.faulty import Fault\n"
        "faults = [Fault('hang', at=5)] if sys.argv[2] else []\n"
        "camera = open_faulty(pathlib.Path(sys.argv[1]), *faults)\n"
        "time.sleep(0.5); print('up', flush=True); time.sleep(60)\n"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path), fault], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert parent.stdout is not None
    assert parent.stdout.readline() == b"up\n"
    child = int((tmp_path / "child").read_text())
    assert is_alive(child)
    parent.kill()
    parent.wait()
    parent.stdout.close()
    if parent.stderr is not None:
        parent.stderr.close()
    assert wait_until(lambda: not is_alive(child), 5)
