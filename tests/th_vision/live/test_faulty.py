"""The faulty camera does what it is told, so that what follows games can be tried against every fault."""

from __future__ import annotations

import pytest

from tests.th_vision.live.cameras import FIRST_DEPTH, FPS, SmallSource
from th_vision.frame import Frame
from th_vision.live.faulty import Fault, FaultyCamera, arrivals
from th_vision.live.protocol import LiveSource


def which(frame: Frame) -> int:
    return int(frame.depth[1, -1]) - FIRST_DEPTH


def seen(*faults: Fault, count: int = 10, gate: bool = True) -> list[Frame]:
    return list(FaultyCamera(SmallSource(count), faults, fps=FPS, gate=gate))


def test_without_faults_nothing_is_changed() -> None:
    frames = seen()
    assert [which(frame) for frame in frames] == list(range(10))
    assert all(frame.color is not None for frame in frames)
    assert isinstance(FaultyCamera(SmallSource(3)), LiveSource)


@pytest.mark.parametrize(
    ("fault", "left", "raw"),
    [
        (Fault("drop", 3, 2), [0, 1, 2, 5, 6, 7, 8, 9], None),
        (Fault("double", 3), list(range(10)), [0, 1, 2, 3, 3, 4, 5, 6, 7, 8, 9]),
        (Fault("swap", 3), [0, 1, 2, 4, 5, 6, 7, 8, 9], [0, 1, 2, 4, 3, 5, 6, 7, 8, 9]),
        (Fault("size", 3, 2), [0, 1, 2, 5, 6, 7, 8, 9], list(range(10))),
        (Fault("end", 4), [0, 1, 2, 3], None),
        (Fault("dark", 4), list(range(10)), None),
        (Fault("half", 4), list(range(10)), None),
    ],
)
def test_what_the_gate_lets_through(fault: Fault, left: list[int], raw: list[int] | None) -> None:
    assert [which(frame) for frame in seen(fault)] == left
    assert [which(frame) for frame in seen(fault, gate=False)] == (left if raw is None else raw)


def test_darkness_holes_and_missing_colour_are_the_followers_to_bear() -> None:
    dark, half, plain = (seen(Fault(kind, 2))[2] for kind in ("dark", "half", "no color"))
    assert dark.color is not None
    assert not dark.color.any()
    assert half.depth.any(axis=0).sum() == half.depth.shape[1] // 2
    assert plain.color is None
    assert seen(Fault("old color", 2), gate=False)[2].color[0, 0, 0] == 1  # type: ignore[index] # has colour
    assert seen(Fault("old color", 2))[2].color is None


def test_a_clock_that_falls_back_still_gives_rising_times() -> None:
    frames = seen(Fault("back", 5, seconds=3600), count=30)
    times = [frame.time_s for frame in frames]
    assert times == sorted(times)
    assert [which(frame) for frame in frames][-1] == 29
    raw = [frame.time_s for frame in seen(Fault("back", 5, seconds=3600), count=30, gate=False)]
    assert raw[5] < raw[4] - 3500


def test_frozen_for_a_minute_the_clock_goes_on() -> None:
    frames = seen(Fault("freeze", 5, seconds=60))
    assert frames[5].time_s - frames[4].time_s == pytest.approx(60 + 1 / FPS)


def test_the_newest_frame_goes_by_the_clock() -> None:
    now = [100.0]
    camera = FaultyCamera(SmallSource(60), [Fault("freeze", 30, seconds=60)], clock=lambda: now[0], fps=FPS)
    first = camera.read_latest(1.0)
    assert first is not None
    assert which(first) == 0
    now[0] += 0.5
    later = camera.read_latest(1.0)
    assert later is not None
    assert which(later) == 15
    now[0] += 30
    assert camera.read_latest(1.0) is None
    assert camera.state.phase == "lost"
    old = camera.read_latest(60.0)
    assert old is not None
    assert which(old) == 29
    now[0] += 31.1
    again = camera.read_latest(1.0)
    assert again is not None
    assert which(again) > 40
    assert camera.state.phase == "running"
    now[0] += 10
    assert camera.read_latest(0.5) is None
    assert camera.state.phase == "closed", "the source is over"


def test_late_frames_arrive_late() -> None:
    found = list(arrivals(SmallSource(5), [Fault("late", 2, seconds=0.4)]))
    assert found[2].arrived_s - found[2].shot.time_ms / 1000 == pytest.approx(0.4)
    assert found[3].arrived_s == pytest.approx(3 / FPS)
