"""A live virtual table behaves like a camera: it goes on by itself, keeps its rate, and never raises once it runs."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import numpy as np
import pytest

from th_vision.errors import VisionError
from th_vision.frame import Frame
from th_vision.live.protocol import LiveSource
from th_vision.sources.sim import live_groups, open_sim
from th_vision.sources.sim_live import Group, LiveSim, Reel
from th_vision.virtual_table.cameras import VirtualCamera, camera_model, pose_over_table
from th_vision.virtual_table.session import Shot

CAMERA = VirtualCamera(camera_model("D415"), pose_over_table(600)).camera
SPEC = "sim:seed=3,turns=1,frames=2,hands=1,size=848x480,color=480x270"


def frame(value: int) -> Frame:
    return Frame(0, 0.0, np.full((2, 2), value, dtype=np.uint16))


def group(*values: int, still: int = 2) -> Group:
    return Group(tuple(frame(v) for v in values), still)


class Clock:
    """Time that passes only while somebody sleeps."""

    def __init__(self) -> None:
        self.now = 100.0
        self.lock = threading.Lock()

    def __call__(self) -> float:
        with self.lock:
            return self.now

    def sleep(self, seconds: float) -> None:
        with self.lock:
            self.now += seconds
        time.sleep(0.0005)


def live(groups: Iterator[Group] | list[Group], clock: Clock, hold_s: float = 0.2) -> LiveSim:
    return LiveSim("sim", CAMERA, groups, 10.0, clock=clock, sleep=clock.sleep, end_hold_s=hold_s)


def test_still_frames_come_again_until_the_next_moment_is_there() -> None:
    reel = Reel()
    assert reel.next() is None
    reel.add(group(1, 2, 3))
    shown = [reel.next() for _ in range(6)]
    assert [int(f.depth[0, 0]) for f in shown if f is not None] == [1, 2, 3, 2, 3, 2]
    assert reel.resting
    reel.add(group(4, 5))
    following = reel.next()
    assert following is not None
    assert int(following.depth[0, 0]) == 4
    assert not reel.resting


def test_frames_come_at_the_rate_in_order_and_end_after_the_last_moment() -> None:
    clock = Clock()
    source = live([group(1, 2, 3), group(4, 5)], clock)
    assert isinstance(source, LiveSource)
    seen = list(source)
    numbers = [f.number for f in seen]
    assert numbers == sorted(set(numbers))
    assert {int(f.depth[0, 0]) for f in seen} <= {1, 2, 3, 4, 5}
    for f in seen:
        assert f.time_s == pytest.approx(f.number / 10.0, abs=1e-6)
    assert source.state.phase == "closed"
    assert source.state.last_error == ""


def test_the_newest_frame_is_refused_once_it_is_too_old() -> None:
    clock = Clock()
    source = live([group(1, 2)], clock)
    list(source)
    newest = source.read_latest(1.0)
    assert newest is not None
    clock.sleep(5.0)
    assert source.read_latest(1.0) is None
    source.close()


def test_what_goes_wrong_while_drawing_is_told_and_not_raised() -> None:
    def groups() -> Iterator[Group]:
        yield group(1, 2)
        raise VisionError("no place found; try another seed")

    source = live(groups(), Clock())
    assert list(source)
    assert source.state.last_error == "no place found; try another seed"
    assert source.state.phase == "closed"


def test_closing_ends_it_from_another_thread_and_twice() -> None:
    clock = Clock()
    source = live([group(1, 2)], clock, hold_s=1e6)
    closer = threading.Timer(0.05, source.close)
    closer.start()
    assert list(source), "it ends only because it is closed"
    source.close()
    assert source.state.phase == "closed"


def test_frames_are_grouped_by_moments_with_the_hands_first() -> None:
    kinds = [("board", -1)] * 3 + [("empty", -1)] * 2 + [("still", 0)] * 2 + [("hand", 1)] * 4 + [("still", 1)] * 3
    shots = [Shot(frame(k), kind, moment) for k, (kind, moment) in enumerate(kinds)]  # type: ignore[arg-type]  # kinds
    groups = list(live_groups(shots))
    assert [(len(g.frames), g.still) for g in groups] == [(3, 3), (2, 2), (2, 2), (7, 3)]
    assert [int(f.depth[0, 0]) for g in groups for f in g.frames] == list(range(len(kinds)))


def test_live_is_one_or_nothing() -> None:
    with pytest.raises(VisionError, match="live=2"):
        open_sim("sim:live=2")
    source = open_sim(f"{SPEC},live=1,fps=30")
    assert isinstance(source, LiveSim)
    source.close()


def test_closing_waits_for_the_frame_that_is_drawn_and_for_no_other() -> None:
    """A program that ends while a frame is drawn ends with the complaints of who draws it, and with another status."""
    drawing, go_on = threading.Event(), threading.Event()
    drawn: list[int] = []

    def shots() -> Iterator[Shot]:
        for number in range(1000):
            drawing.set()
            go_on.wait(5.0)
            drawn.append(number)
            yield Shot(frame(number), 0, "hand")

    stop = threading.Event()
    table = LiveSim("sim", CAMERA, live_groups(shots(), stop), 10.0, stop=stop)
    assert drawing.wait(5.0)
    threading.Timer(0.05, go_on.set).start()
    table.close()
    assert drawn == [0]
