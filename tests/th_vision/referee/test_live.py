"""The live loop: whatever camera, disk, terminal and clock do, the game goes on, and its record is whole."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rules.errors import RulesError
from rules.events import Line as RecordLine
from rules.events import MoveFact
from rules.record import RecordWriter, read_record
from tests.th_vision.games import PIECES, game_line
from tests.th_vision.referee.live_scene import Camera2, Film, dark, evening, half, scenes
from th_vision.errors import VisionError
from th_vision.follow_events import Output, Told
from th_vision.frame import Frame
from th_vision.live.protocol import CameraState
from th_vision.referee.commands import Spoken
from th_vision.referee.keeping import DiskWatch, Keeper
from th_vision.referee.keys import understood
from th_vision.referee.resume import load_game
from th_vision.referee.status import Status

PLAYED = ["ramp", "ramp", "move", "move", "move"]
Frames = Iterable[Frame]


def facts_in(path: Path) -> list[str]:
    record = read_record(path)
    assert not record.bad
    return [fact.type for fact in record.facts if fact.type not in ("game", "said")]


def test_a_game_is_followed_while_it_is_read_aside(tmp_path: Path) -> None:
    night = evening(record=tmp_path / "game.jsonl")
    assert night.status == 0
    assert night.facts == PLAYED
    assert facts_in(tmp_path / "game.jsonl") == PLAYED
    assert night.lines[-1].text.startswith("Pink holds")
    assert {status.sight for status in night.statuses} >= {"hand", "moving", "still"}


def test_a_live_camera_is_followed_and_closed() -> None:
    camera = Camera2()
    night = evening(camera)
    assert night.facts == PLAYED
    assert camera.closed


# --- frames ---


def dropped(frames: list[Frame]) -> Frames:
    return (frame for i, frame in enumerate(frames) if i % 8 in (0, 1, 3, 4, 6, 7))


def doubled(frames: list[Frame]) -> Frames:
    return (frame for one in frames for frame in (one, one, one))


def late(frames: list[Frame]) -> Iterator[Frame]:
    for i, frame in enumerate(frames):
        yield frame
        if i > 8:
            yield frames[i - 8]


def swapped(frames: list[Frame]) -> Iterator[Frame]:
    for i in range(0, len(frames) - 1, 2):
        yield frames[i + 1] if i % 8 == 2 else frames[i]
        yield frames[i] if i % 8 == 2 else frames[i + 1]
    yield frames[-1]


def spoilt(frames: list[Frame]) -> Iterator[Frame]:
    for i, frame in enumerate(frames):
        yield frame
        bad = (dark, half, odd, colorless, empty)[i % 5]
        yield bad(replace(frame, number=frame.number, time_s=frame.time_s + 0.01))


def odd(frame: Frame) -> Frame:
    return replace(frame, depth=frame.depth[::2, ::2])


def colorless(frame: Frame) -> Frame:
    return replace(frame, color=None)


def empty(frame: Frame) -> Frame:
    return replace(frame, depth=np.zeros_like(frame.depth), color=None)


def backwards(frames: list[Frame]) -> Frames:
    return (replace(frame, time_s=1000 - frame.time_s) for frame in frames)


def clock_set_back(frames: list[Frame]) -> Frames:
    return (replace(f, time_s=f.time_s - (86400 if i > 20 else 0)) for i, f in enumerate(frames))


def clock_set_forth(frames: list[Frame]) -> Frames:
    return (replace(f, time_s=f.time_s + (86400 if i > 20 else 0)) for i, f in enumerate(frames))


def numbers_anew(frames: list[Frame]) -> Frames:
    return (replace(f, number=f.number - (20 if i > 20 else 0)) for i, f in enumerate(frames))


def color_away_for_seconds(frames: list[Frame]) -> Iterator[Frame]:
    for i, frame in enumerate(frames):
        yield frame
        if i == 20:
            yield from (colorless(replace(frame, time_s=frame.time_s + k / 15)) for k in range(60))


@pytest.mark.parametrize(
    "spoil",
    [
        dropped,
        doubled,
        late,
        swapped,
        spoilt,
        backwards,
        clock_set_back,
        clock_set_forth,
        numbers_anew,
        color_away_for_seconds,
    ],
)
def test_frames_that_are_not_as_they_should_be_change_no_ruling(
    spoil: Callable[[list[Frame]], Frames], tmp_path: Path
) -> None:
    night = evening(Film(spoil=spoil), record=tmp_path / "game.jsonl")
    assert night.facts == PLAYED
    assert facts_in(tmp_path / "game.jsonl") == PLAYED


def test_seconds_without_anything_to_see_are_told_once_and_when_they_are_over() -> None:
    night = evening(Film(spoil=color_away_for_seconds))
    assert night.text.count("I see nothing I can use: colour is missing") == 1
    assert night.text.count("I see the table again") == 1


def test_a_camera_that_freezes_for_a_minute_is_told_and_the_game_goes_on(tmp_path: Path) -> None:
    """The camera says nothing for 60 s of the loop's clock; the cable is put back in."""
    now = [0.0]
    silent = threading.Event()
    camera = Camera2()

    def frozen(frames: list[Frame]) -> Iterator[Frame]:
        yield from frames[:20]
        camera.state = CameraState("lost", last_error="unplugged")
        silent.wait(10)
        camera.state = CameraState("running")
        yield from (replace(frame, time_s=frame.time_s + 60) for frame in frames[20:])

    def on_status(status: Status, said: queue.Queue[Spoken]) -> None:
        now[0] += 1.0 if status.trouble else 0.001
        if now[0] > 60:
            silent.set()

    camera.spoil = frozen
    night = evening(camera, record=tmp_path / "game.jsonl", on_status=on_status, clock=lambda: now[0])
    assert night.text.count("No pictures: unplugged") == 1
    assert night.text.count("The camera is back") == 1
    assert any("last picture" in status.words() or "unplugged" in status.words() for status in night.statuses)
    assert facts_in(tmp_path / "game.jsonl") == PLAYED


def test_a_source_that_ends_in_the_middle_of_a_turn_keeps_what_was_told(tmp_path: Path) -> None:
    film = Film(frames=scenes()[:21])  # a hand, and the first move settled
    night = evening(film, record=tmp_path / "game.jsonl")
    assert night.status == 0
    assert facts_in(tmp_path / "game.jsonl") == PLAYED[:3]
    assert night.text.splitlines()[-3] == "At the end"


def test_a_source_that_fails_keeps_what_was_told_and_says_why(tmp_path: Path) -> None:
    def broken(frames: list[Frame]) -> Iterator[Frame]:
        yield from frames[:24]
        raise VisionError("depth/000024.png: is cut off; take it out")

    with pytest.raises(VisionError, match="000024"):
        evening(Film(spoil=broken), record=tmp_path / "game.jsonl")
    assert facts_in(tmp_path / "game.jsonl") == PLAYED[:3]


def test_no_frame_at_all() -> None:
    night = evening(Film(frames=[]))
    assert night.status == 1
    assert night.text == "Nothing to referee: no frame."


# --- words ---


def test_words_are_heard_while_the_game_goes_on() -> None:
    night = evening(words=["score", "cars 1", "hello"])
    assert "Cars still to place" in night.text
    assert "No move was ruled yet" in night.text
    assert "'hello' is nothing I know" in night.text
    assert night.facts == PLAYED


def test_a_paused_game_misses_what_happens_and_reads_it_afterwards() -> None:
    looked: list[Status] = []

    def on_output(output: Output, said: queue.Queue[Spoken]) -> None:
        if isinstance(output, Told) and isinstance(output.fact, MoveFact) and not looked:
            said.put(understood("pause", ("blue", "pink")))

    def on_status(status: Status, said: queue.Queue[Spoken]) -> None:
        if status.state == "paused":
            looked.append(status)
            if len(looked) == 5:
                said.put(understood("go", ("blue", "pink")))

    night = evening(on_status=on_status, on_output=on_output)
    assert len(looked) >= 5
    assert night.facts == PLAYED


def test_quitting_ends_in_order(tmp_path: Path) -> None:
    def on_output(output: Output, said: queue.Queue[Spoken]) -> None:
        if isinstance(output, Told) and isinstance(output.fact, MoveFact):
            said.put(understood("q", ()))

    night = evening(on_output=on_output, record=tmp_path / "game.jsonl")
    assert night.status == 0
    assert facts_in(tmp_path / "game.jsonl")[:3] == PLAYED[:3]
    assert "At the end" in night.text


# --- stopping ---


@pytest.mark.parametrize(
    ("number", "at_frame"),
    [(signal.SIGINT, 0), (signal.SIGINT, 9), (signal.SIGINT, 17), (signal.SIGTERM, 25), (signal.SIGHUP, 18)],
)
def test_a_signal_at_any_moment_leaves_a_whole_record(number: signal.Signals, at_frame: int, tmp_path: Path) -> None:
    def signalled(frames: list[Frame]) -> Iterator[Frame]:
        for i, frame in enumerate(frames):
            yield frame
            if i == at_frame:
                os.kill(os.getpid(), number)
                threading.Event().wait(0.05)

    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, signal.SIG_DFL)  # the tests run under nohup
    night = evening(Film(spoil=signalled), record=tmp_path / "game.jsonl")
    assert night.status == 130
    told = facts_in(tmp_path / "game.jsonl")
    assert told == PLAYED[: len(told)]
    assert told == night.facts


def test_a_game_that_was_stopped_is_taken_up_again(tmp_path: Path) -> None:
    record = tmp_path / "game.jsonl"
    evening(Film(frames=scenes()[:24]), record=record)
    follower = load_game(record).follower(PIECES)
    night = evening(Film(frames=scenes()[17:]), record=record, follower=follower)
    assert "The table stands as the record has it" in night.text
    assert facts_in(record) == PLAYED


# --- the disk ---


class Full(RecordWriter):
    """A writer whose disk is full for a while."""

    room = 5

    def __init__(self, lines: list[RecordLine], again_after: int) -> None:
        self.lines, self.tries, self.again_after = lines, 0, again_after

    def write(self, line: RecordLine) -> None:
        self.tries += 1
        if self.room <= len(self.lines) and self.tries < self.again_after:
            raise RulesError("the game record can't be written (No space left on device); make room on the disk")
        self.lines.append(line)

    def close(self) -> None:
        pass


def test_a_full_disk_is_told_and_nothing_is_missing_when_there_is_room_again() -> None:
    lines: list[RecordLine] = []
    warned: list[str] = []
    night = evening(keeper=Keeper(Full(lines, 12), patient=True, warn=warned.append))
    assert [line.type for line in lines if line.type in ("ramp", "move")] == PLAYED
    assert len(warned) == 2
    assert "make room" in warned[0]
    assert "nothing is missing" in warned[1]
    assert night.facts == PLAYED


def test_a_disk_that_stays_full_costs_no_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    lines: list[RecordLine] = []
    warned: list[str] = []
    night = evening(keeper=Keeper(Full(lines, 10**9), patient=True, warn=warned.append))
    assert night.facts == PLAYED
    (rescued,) = tmp_path.glob("th-vision-game-*.jsonl")
    every = [line.type for line in (*lines, *read_record(rescued).lines)]
    assert [kind for kind in every if kind in ("ramp", "move")] == PLAYED
    assert str(rescued) in warned[-1]


def test_a_line_for_which_there_is_no_room_leaves_nothing_behind(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    path = tmp_path / "game.jsonl"
    writer = RecordWriter.open(path)
    writer.write(game_line())
    size = path.stat().st_size
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + 40, before[1]))
        with pytest.raises(RulesError, match="make room"):
            writer.write(game_line())
        assert path.stat().st_size == size
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    writer.write(game_line())
    writer.close()
    assert len(path.read_text().splitlines()) == 2


def test_a_recording_that_the_disk_does_not_take_is_told_at_once_and_when_it_is_over() -> None:
    errors = iter(["", "No space left on device", "No space left on device", "", ""])
    warned: list[str] = []
    watch = DiskWatch(lambda: next(errors), warned.append)
    for _ in range(5):
        watch.look()
    assert warned == [
        "the disk does not take the recording (No space left on device); make room, the game goes on",
        "the disk takes the recording again",
    ]


def test_ctrl_c_twice_ends_at_once_and_the_record_is_whole(tmp_path: Path) -> None:
    def impatient(frames: list[Frame]) -> Iterator[Frame]:
        for i, frame in enumerate(frames):
            yield frame
            if i == 20:
                for _ in range(2):
                    os.kill(os.getpid(), signal.SIGINT)
                    threading.Event().wait(0.02)

    with contextlib.suppress(KeyboardInterrupt):  # the first one may have been answered already
        evening(Film(spoil=impatient), record=tmp_path / "game.jsonl")
    told = facts_in(tmp_path / "game.jsonl")
    assert told == PLAYED[: len(told)]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_what_is_said_while_the_last_pictures_are_read_is_answered_too(tmp_path: Path) -> None:
    def on_output(output: Output, said: queue.Queue[Spoken]) -> None:
        if isinstance(output, Told) and isinstance(output.fact, MoveFact) and output.fact.turn == 3:
            said.put(understood("+", ("blue", "pink")))

    night = evening(Film(list(Film())[:-4]), record=tmp_path / "game.jsonl", on_output=on_output)
    assert night.facts[-2:] == ["move", "correction"]
    assert facts_in(tmp_path / "game.jsonl")[-1] == "correction"


def test_nobody_reads_frames_any_more_when_the_game_is_left() -> None:
    """A program that ends while a picture is decoded beside is aborted by the system."""

    def slowly(frames: list[Frame]) -> Iterator[Frame]:
        time.sleep(0.3)
        yield from frames

    evening(Film(spoil=slowly), words=["q"])
    assert not [thread for thread in threading.enumerate() if thread.name == "frames"]
