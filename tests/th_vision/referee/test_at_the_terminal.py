"""Keyboard and screen: keys at a terminal, lines from a pipe, narrow terminals, none, and one that was closed."""

from __future__ import annotations

import io
import json
import os
import pty
import queue
import time
from collections.abc import Iterator

import pytest
from rich.cells import cell_len

from rules.events import MoveFact
from tests.th_vision.games import FIRST, RAMPS, follow
from th_vision.announce import Line, set_in_lines
from th_vision.follow import Follower
from th_vision.follow_events import HandSeen, Moving, Told
from th_vision.referee import commands as say
from th_vision.referee import keys
from th_vision.referee.commands import Spoken
from th_vision.referee.events_json import JsonEvents
from th_vision.referee.keys import Keyboard, understood
from th_vision.referee.screen import Screen, fitting
from th_vision.referee.status import Pace, status_of
from th_vision.wrapping import columns

PLAYERS = ("blue", "pink")


def typed(text: str) -> list[say.Command]:
    line = keys.Line(PLAYERS)
    return [spoken.command for spoken in line.type(text)]


# --- keys ---


def test_enter_says_what_was_typed() -> None:
    assert typed("u\rcars 1\r\r") == [say.Undo(), say.Correct({"cars_due": 1}), say.Next()]


def test_space_on_an_empty_line_pauses_and_in_a_line_is_a_space() -> None:
    assert typed(" ") == [say.Pause()]
    assert typed("turn pink\r") == [say.WhoseTurn("pink")]


@pytest.mark.parametrize("editing", ["x\x7fy\r", "nonsense\x15y\r", "\x1b[Ay\r", "\x1bOPy\r", "\x1b[3~y\r"])
def test_lines_can_be_edited_and_arrows_are_no_text(editing: str) -> None:
    assert typed(editing) == [say.Answer(True)]


def test_esc_alone_clears_the_line() -> None:
    line = keys.Line(PLAYERS)
    list(line.type("half a wo\x1b"))
    line.pause()
    assert line.text == ""


def test_ctrl_d_on_an_empty_line_quits() -> None:
    assert typed("\x04") == [say.Quit()]
    assert typed("y\x04\r") == [say.Answer(True)]


def test_what_is_no_command_says_why() -> None:
    (command,) = typed("hello\r")
    assert isinstance(command, say.NotUnderstood)
    assert understood("", PLAYERS) == Spoken(say.Next(), "next")


@pytest.fixture
def terminal() -> Iterator[tuple[int, io.TextIOWrapper]]:
    """A terminal: what the person at it holds, and what the program reads."""
    person, program = pty.openpty()
    stream = os.fdopen(program, "r", closefd=False)
    yield person, stream
    for descriptor in (person, program):
        try:
            os.close(descriptor)
        except OSError:
            continue


def test_a_terminal_is_read_key_by_key_and_put_right_afterwards(terminal: tuple[int, io.TextIOWrapper]) -> None:
    termios = pytest.importorskip("termios")
    person, stream = terminal
    before = termios.tcgetattr(stream.fileno())
    heard: queue.Queue[Spoken] = queue.Queue()
    with Keyboard(heard.put, PLAYERS, stream) as keyboard:
        assert keyboard.at_terminal
        os.write(person, b"p")
        until = time.monotonic() + 5
        while keyboard.typed != "p" and time.monotonic() < until:
            time.sleep(0.01)
        assert keyboard.typed == "p"
        os.write(person, b"\r")
        assert heard.get(timeout=5).command == say.Pass()
    assert termios.tcgetattr(stream.fileno()) == before


def test_a_terminal_that_goes_away_ends_nothing(terminal: tuple[int, io.TextIOWrapper]) -> None:
    person, stream = terminal
    with Keyboard(lambda _: None, PLAYERS, stream):
        os.close(person)
        time.sleep(0.05)


def test_a_pipe_is_read_line_by_line_to_its_end() -> None:
    reading, writing = os.pipe()
    heard: queue.Queue[Spoken] = queue.Queue()
    with os.fdopen(reading) as stream, Keyboard(heard.put, PLAYERS, stream) as keyboard:
        assert not keyboard.at_terminal
        os.write(writing, b"score\nund")
        os.write(writing, b"o\nhelp")
        os.close(writing)
        said = [heard.get(timeout=5).command for _ in range(3)]
    assert said == [say.Score(), say.Undo(), say.Help()]


# --- screen ---


def shown(width: int, *, color: bool = False, living: bool = True) -> str:
    out = io.StringIO()
    screen = Screen(out, color=color, living=living, width=width)
    follower, _ = follow([RAMPS, FIRST])
    screen.say(Line("Blue's road r3 is legal.", "(gap 8.1 ± 0.7 mm)", "legal"))
    screen.status(status_of(follower, sight="still", fps=15.0, age_s=0.1), "cars 1")
    screen.close()
    return out.getvalue()


def test_the_living_line_tells_whose_turn_and_what_is_being_typed() -> None:
    text = shown(100)
    assert "turn 1: blue (then pink) · still · 15 fps" in text
    assert "> cars 1_" in text
    assert "Blue's road r3 is legal." in text


@pytest.mark.parametrize("width", [24, 40, 60])
def test_narrow_terminals_get_narrow_lines(width: int) -> None:
    for line in shown(width).replace("\x1b[2K", "\n").splitlines():
        plain = "".join(part.split("m", 1)[-1] if i else part for i, part in enumerate(line.split("\x1b[")))
        assert len(plain.strip("\r")) <= width


def test_a_narrow_living_line_says_whole_words_and_the_most_important_first() -> None:
    parts = ["turn 1: blue (then pink)", "still", "15 fps"]
    assert fitting(parts, 60) == "turn 1: blue (then pink) \u00b7 still \u00b7 15 fps"
    assert fitting(parts, 36) == "turn 1: blue (then pink) \u00b7 still"
    assert fitting(parts, 14) == "turn 1: blue\u2026"


def test_the_living_line_is_in_the_players_language_and_chinese_takes_its_room() -> None:
    out = io.StringIO()
    screen = Screen(out, color=False, living=True, width=40, language="zh-Hant")
    screen.status(status_of(follow([])[0], sight="still", fps=15.0, age_s=0.1))
    screen.close()
    assert "set-up" not in out.getvalue()
    for line in out.getvalue().replace("\x1b[2K", "\r").split("\r"):
        assert cell_len(line) <= 40


def test_chinese_sentences_keep_to_the_width_too() -> None:
    line = Line("\u9053\u8def" * 30, "\uff08" + "\u7bc4\u570d" * 30 + "\uff09")
    assert all(columns(part) <= 40 for part in set_in_lines(line, width=40).splitlines())


def test_without_a_terminal_there_are_the_sentences_alone() -> None:
    text = shown(100, living=False)
    assert "\x1b" not in text
    assert "fps" not in text


def test_colour_only_where_it_is_asked_for() -> None:
    assert "\x1b[32m" in shown(100, color=True)
    assert "\x1b[32m" not in shown(100)


class Closed(io.StringIO):
    """A terminal that was closed."""

    def write(self, text: str) -> int:
        raise OSError(5, "Input/output error")


def test_a_closed_terminal_is_written_to_no_more_and_nothing_breaks() -> None:
    screen = Screen(Closed(), color=False, living=True, width=80)
    screen.say(Line("Blue's road r3 is legal."))
    screen.status(status_of(Follower(follow([])[0].game.fact, follow([])[0].pieces)))
    screen.close()


# --- status ---


def test_the_status_names_what_is_waited_for() -> None:
    follower, _ = follow([])
    assert status_of(follower).words().startswith("set-up")
    follower, _ = follow([RAMPS])
    assert status_of(follower).words() == "turn 1: blue"
    for seen in (HandSeen(), Moving()):
        follower.handle(seen, 1.0)
        assert status_of(follower).words() == "turn 1: blue"
    follower, _ = follow([])
    follower.handle(HandSeen(), 1.0)
    assert status_of(follower).words().startswith("set-up")
    assert "no light" in status_of(follower, sight="unusable", trouble="no light").words()
    assert "last picture 7 s ago" in status_of(follower, age_s=7.0).words()


def test_the_frame_rate_is_that_of_the_last_seconds() -> None:
    pace = Pace()
    assert pace.fps == 0.0
    for i in range(150):
        pace.frame(i / 15)
    assert pace.fps == pytest.approx(15.0)
    assert pace.age_s(12.0) == pytest.approx(12.0 - 149 / 15)
    pace.frame(1.0)  # a clock that was set
    assert pace.fps == 0.0


# --- events for programs ---


def test_events_are_json_lines_in_the_records_words() -> None:
    out = io.BytesIO()
    events = JsonEvents(out)
    follower, said = follow([RAMPS, FIRST])
    for output in said:
        events.output(output)
    events.line(Line("Blue's road r3 is legal.", kind="legal"))
    for _ in range(3):
        events.status(status_of(follower, sight="still"), 1.0)
    lines = [json.loads(line) for line in out.getvalue().splitlines()]
    assert {line["event"] for line in lines} == {"state", "told", "said", "status"}
    move = next(line for line in lines if line["event"] == "told" and line["fact"]["type"] == "move")
    told = next(o.fact for o in said if isinstance(o, Told) and isinstance(o.fact, MoveFact))
    assert MoveFact.model_validate(move["fact"]) == told
    assert move["answers"][0]["type"] == "ruling"
    assert sum(line["event"] == "status" for line in lines) == 1
    assert lines[-1]["player"] == "blue"


def test_a_reader_of_events_that_goes_away_breaks_nothing() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb", buffering=0) as stream:
        events = JsonEvents(stream)
        events.line(Line("one"))
        events.line(Line("two"))
