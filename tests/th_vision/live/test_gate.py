"""Numbers, times and partners of frames are looked at: what is wrong is left out and counted, what is good rises."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import pytest

from th_vision.live.gate import Gate, Passed
from th_vision.live.tolerances import BACK_FRAMES, CLOCK_WRAP_S
from th_vision.live.wire import FrameNote

FPS = 30.0


def note(index: int, **changes: Any) -> FrameNote:
    at_ms = 5000 + index * 1000 / FPS
    good = FrameNote(
        index + 1, index, at_ms, 100 + index / FPS, (48, 64), "uint16", (64, 96, 3), index, at_ms, same_clock=True
    )
    return replace(good, **changes)


def gate(**options: Any) -> Gate:
    return Gate((64, 48), (96, 64), FPS, **options)


def passed(gate: Gate, notes: list[FrameNote]) -> list[Passed]:
    return [verdict for one in notes if isinstance(verdict := gate.judge(one), Passed)]


def test_good_frames_pass_with_the_time_since_the_first() -> None:
    found = passed(gate(), [note(k) for k in range(5)])
    assert [one.number for one in found] == [0, 1, 2, 3, 4]
    assert [one.time_s for one in found] == pytest.approx([k / FPS for k in range(5)])
    assert all(one.color for one in found)


def test_a_recording_keeps_its_own_numbers_and_times() -> None:
    found = passed(gate(start_s=None), [note(k) for k in (7, 8)])
    assert [one.number for one in found] == [7, 8]
    assert found[0].time_s == pytest.approx(5 + 7 / FPS)


def test_missing_numbers_are_counted() -> None:
    one = gate()
    found = passed(one, [note(k) for k in (0, 1, 5, 6)])
    assert [each.number for each in found] == [0, 1, 5, 6]
    assert one.lost == 3


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"depth": (24, 64)}, "size"),
        ({"depth_kind": "uint8"}, "size"),
        ({"time_ms": float("nan")}, "no time"),
        ({"time_ms": float("inf")}, "no time"),
        ({"number": 2, "time_ms": 5000 + 2000 / FPS}, "doubled"),
        ({"time_ms": 5000 + 2000 / FPS}, "doubled"),
        ({"number": 1}, "backwards"),
        ({"time_ms": 5000.0}, "backwards"),
    ],
)
def test_what_can_not_be_used(changes: dict[str, Any], reason: str) -> None:
    one = gate()
    for k in range(3):
        one.judge(note(k))
    assert one.judge(note(3, **changes)) == reason
    assert one.refused[reason] == 1  # type: ignore[index] # a plain string here
    assert isinstance(one.judge(note(4)), Passed), "the next good one passes"


@pytest.mark.parametrize(
    "changes",
    [
        {"color": None, "color_number": -1},
        {"color": (32, 96, 3)},
        {"color_time_ms": 5000 + 1000 / FPS},  # two frames old
        {"color_number": 2},  # the same picture as before
    ],
)
def test_colour_of_another_moment_is_left_out_and_depth_kept(changes: dict[str, Any]) -> None:
    one = gate()
    for k in range(3):
        one.judge(note(k))
    verdict = one.judge(note(3, **changes))
    assert isinstance(verdict, Passed)
    assert not verdict.color
    assert one.colors_refused == (0 if changes.get("color", 0) is None else 1)
    again = one.judge(note(4))
    assert isinstance(again, Passed)
    assert again.color


def test_times_of_two_clocks_are_not_compared() -> None:
    one = gate()
    verdict = one.judge(note(0, color_time_ms=9e9, same_clock=False))
    assert isinstance(verdict, Passed)
    assert verdict.color


def test_the_cameras_clock_begins_anew_every_71_minutes() -> None:
    one = gate()
    start_ms = CLOCK_WRAP_S * 1000 - 100
    found = []
    for k in range(9):
        at_ms = (start_ms + k * 1000 / FPS) % (CLOCK_WRAP_S * 1000)
        found += passed(one, [note(k, time_ms=at_ms, color_time_ms=at_ms)])
    assert len(found) == 9
    assert [each.time_s for each in found] == pytest.approx([k / FPS for k in range(9)], abs=1e-6)


def test_two_hours_pass_the_wrap_twice() -> None:
    one = gate()
    for k in range(0, 7400, 20):
        verdict = one.judge(
            note(k, time_ms=k * 1000 % (CLOCK_WRAP_S * 1000), arrived_s=float(k), color_time_ms=0, same_clock=False)
        )
        assert isinstance(verdict, Passed)
        assert verdict.time_s == pytest.approx(k, abs=1e-6)


def test_a_restart_goes_on_in_number_and_time() -> None:
    one = gate()
    before = passed(one, [note(k) for k in range(10)])
    one.restarted()
    later = [note(k, time_ms=33.0 * k, arrived_s=110 + k / FPS, color_time_ms=33.0 * k) for k in range(3)]
    after = passed(one, later)
    assert [each.number for each in after] == [10, 11, 12]
    assert after[0].time_s - before[-1].time_s == pytest.approx(110 - (100 + 9 / FPS))


def test_a_clock_that_is_set_back_is_followed_after_some_frames() -> None:
    one = gate()
    first = passed(one, [note(k) for k in range(4)])
    back = [note(k, time_ms=1000 + k * 33.0, color_time_ms=1000 + k * 33.0) for k in range(4, 14)]
    after = passed(one, back)
    assert len(after) == len(back) - (BACK_FRAMES - 1)
    assert all(b.time_s > a.time_s for a, b in itertools.pairwise(first + after))
    assert one.refused["backwards"] == BACK_FRAMES - 1


def test_a_clock_that_jumps_ahead_does_not_take_the_game_with_it() -> None:
    one = gate()
    found = passed(one, [note(k) for k in range(4)])
    found += passed(one, [note(k, time_ms=9e6 + k * 33.0, color_time_ms=9e6 + k * 33.0) for k in range(4, 8)])
    assert len(found) == 8
    assert found[-1].time_s == pytest.approx(7 / FPS, abs=0.05)


def test_a_frame_that_was_held_up_is_as_old_as_it_is() -> None:
    one = gate()
    for k in range(20):
        one.judge(note(k))
    late = one.judge(note(20, arrived_s=100 + 20 / FPS + 0.7))
    assert isinstance(late, Passed)
    assert late.taken_s == pytest.approx(100 + 20 / FPS, abs=1e-6)


def test_clocks_that_drift_apart_do_not_make_frames_old() -> None:
    one = gate()
    for k in range(0, 216000, 15):  # two hours, the camera's clock slow by 50 millionths
        arrived_s = 100 + k / FPS * (1 + 50e-6)
        verdict = one.judge(note(k, arrived_s=arrived_s))
        assert isinstance(verdict, Passed)
        assert arrived_s - verdict.taken_s < 0.005
