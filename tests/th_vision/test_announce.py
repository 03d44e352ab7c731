"""What is said, in which order, and how it is set in lines."""

from __future__ import annotations

import pytest

from rules.events import CorrectionFact, MoveFact, RulingLine
from tests.th_vision.games import (
    C1,
    C3,
    FIRST,
    RAMPS,
    SECOND,
    car,
    column,
    follow,
    game_line,
    minus,
    plus,
    road,
)
from th_vision.announce import Announcer, Line, set_in_lines
from th_vision.follow import Follower
from th_vision.follow_events import BackAgain, Checked, Entered, Guide, Output, Recounted, Said, TakenAsIs

OFFRAMP = road("r3", C1, (-57, 112))


def said(outputs: list[Output], follower: Follower, **how: object) -> list[Line]:
    announcer = Announcer(**how)  # type: ignore[arg-type]  # language and quiet
    lines = [line for output in outputs for line in announcer.lines(output, follower.game.owners)]
    return lines + announcer.turn_over()


def test_a_turn_opens_with_who_did_what_and_goes_on_with_the_ruling() -> None:
    follower, outputs = follow([RAMPS, FIRST])
    lines = said(outputs, follower)
    assert [line.kind for line in lines] == ["head", "head", "head", "legal"]
    assert lines[2].text == "Turn 1: blue builds road r3 from column c1 to the new column c3, 2 levels high."
    assert lines[3].text == "Blue's road r3 is legal."


def test_a_car_not_placed_is_too_late_only_when_the_turn_is_over() -> None:
    follower, outputs = follow([RAMPS, plus(RAMPS, OFFRAMP)])
    announcer = Announcer()
    first = [line for output in outputs for line in announcer.lines(output, follower.game.owners)]
    assert not any("chance is gone" in line.text for line in first)
    assert ["chance is gone" in line.text for line in announcer.turn_over()] == [True]


def test_a_car_placed_late_but_in_time_is_as_due() -> None:
    with_car = plus(RAMPS, OFFRAMP, car("k3", OFFRAMP, "blue"))
    follower, outputs = follow([RAMPS, plus(RAMPS, OFFRAMP), with_car])
    lines = said(outputs, follower)
    assert not any("chance is gone" in line.text for line in lines)
    assert lines[-1].text == "Blue placed one car, as due."


def test_quiet_says_faults_and_questions_only() -> None:
    low = column("c3", -57, 106, 1)
    wrong = plus(RAMPS, low, road("r3", C1, low))
    follower, outputs = follow([RAMPS, wrong])
    lines = said(outputs, follower, quiet=True)
    assert {line.kind for line in lines} == {"head", "fault"}
    follower, outputs = follow([RAMPS, FIRST])
    assert said(outputs, follower, quiet=True) == []


def test_doubt_is_a_question_with_its_probability() -> None:
    unsure = column("c3", -57, 106, 3, levels_probability=0.7)
    follower, outputs = follow([RAMPS, plus(RAMPS, unsure, road("r3", C1, C3))])
    lines = said(outputs, follower)
    assert any(line.kind == "too_close" and line.text.endswith("?") for line in lines)
    assert "(70 %)" in [line.reason for line in lines if line.kind == "head"]


def test_the_guide_says_only_what_changed() -> None:
    announcer = Announcer()
    assert len(announcer.lines(Guide((("r3", "road r3 is missing"), ("k1", "the car is missing")), 1.0), {})) == 2
    assert announcer.lines(Guide((("r3", "road r3 is missing"), ("k1", "the car is missing")), 2.0), {}) == []
    (back,) = announcer.lines(Guide((("r3", "road r3 is missing"),), 3.0), {})
    assert back.text == "k1 stands as it stood."
    lines = announcer.lines(Entered("rebuilt", 4.0), {})
    assert [line.text for line in lines] == ["r3 stands as it stood.", "All is put back; the game goes on."]


def test_of_many_pieces_the_first_few_are_named_and_the_next_ones_when_those_are_back() -> None:
    off = tuple((f"c{i}", f"column c{i} is missing") for i in range(10))
    announcer = Announcer()
    lines = [line.text for line in announcer.lines(Guide(off, 1.0), {})]
    assert lines[0] == "Column c0 is missing."
    assert lines[-1] == "And 4 more; g names all of them."
    assert len(lines) == 7
    lines = [line.text for line in announcer.lines(Guide(off[2:], 2.0), {})]
    assert lines[:2] == ["c0 stands as it stood.", "c1 stands as it stood."]
    assert lines[2:] == ["Column c6 is missing.", "Column c7 is missing.", "And 2 more; g names all of them."]
    lines = [line.text for line in announcer.lines(Guide(off[9:], 3.0), {})]
    assert lines == ["7 pieces stand as they stood.", "Column c9 is missing."]


def test_pieces_that_are_given_up_are_named_only_where_that_was_not_said() -> None:
    off = (("r3", "road r3 is missing"),)
    announcer = Announcer()
    assert len(announcer.lines(TakenAsIs(off, 1.0), {})) == 2
    announcer.lines(Guide(off, 2.0), {})
    assert len(announcer.lines(TakenAsIs(off, 3.0), {})) == 1


def test_pieces_that_were_given_up_and_come_back_are_said_and_all_of_them_only_at_last() -> None:
    announcer = Announcer()
    assert [line.text for line in announcer.lines(BackAgain(("r3",), 2, 1.0), {"r3": "blue"}, {"r3": "road"})] == [
        "blue's road r3 stands as it stood."
    ]
    assert announcer.lines(Entered("rebuilt", 1.0), {}) == []
    announcer.lines(BackAgain(("c3",), 0, 2.0), {})
    assert [line.text for line in announcer.lines(Entered("rebuilt", 2.0), {})] == [
        "All is put back; the game goes on."
    ]


def test_an_empty_table_is_called_so_when_a_game_is_taken_up() -> None:
    (head, _) = Announcer().lines(Checked((("c1", "column c1 is missing"),), 1.0, 0), {})
    assert head.text.startswith("Nothing of the game stands on the table.")
    (head, _) = Announcer().lines(Checked((("c1", "column c1 is missing"),), 1.0, 3), {})
    assert head.text.startswith("The table is not as the record has it")


@pytest.mark.parametrize("language", ["es", "nl", "zh-Hant"])
def test_turns_are_said_in_the_language_asked_for(language: str) -> None:
    follower, outputs = follow([RAMPS, FIRST, SECOND])
    lines = said(outputs, follower, language=language)
    english = said(outputs, follower)
    assert len(lines) == len(english)
    assert not {line.text for line in lines} & {line.text for line in english}


@pytest.mark.parametrize("width", [1, 24, 40, 80])
def test_narrow_terminals_get_narrow_lines(width: int) -> None:
    line = Line("Blue crosses over pink's road r2, the first to do so: one car.", "(gap 11.8 ± 0.5 mm)", "legal")
    text = set_in_lines(line, width=width)
    assert max(len(row) for row in text.splitlines()) <= max(width, 24)
    assert "11.8" in text


def test_no_colour_codes_unless_asked_for() -> None:
    line = Line("Fault: it is not blue's turn.", "(it is pink's turn)", "fault")
    assert "\x1b" not in set_in_lines(line)
    coloured = set_in_lines(line, color=True)
    assert coloured.count("\x1b[0m") == 2
    assert set_in_lines(line).startswith("  x Fault")


def test_rulings_stand_in_the_order_in_which_they_fell() -> None:
    follower, outputs = follow([RAMPS, FIRST, minus(SECOND, "k1"), SECOND], game_line())
    heads = [line.text.split(":")[0] for line in said(outputs, follower) if line.kind == "head"]
    assert heads == ["Set-up", "Set-up", "Turn 1", "Turn 2"]
    assert isinstance(follower.game.ruling("r3"), RulingLine)


def test_of_corrections_that_are_told_again_only_how_it_stands_is_said() -> None:
    follower, outputs = follow([RAMPS, FIRST])
    announcer = Announcer()

    def heard(outputs: list[Output]) -> list[str]:
        return [line.text for output in outputs for line in announcer.lines(output, follower.game.owners)]

    heard(outputs)
    for key, value in (("call", "fault"), ("call", "legal"), ("overhang", "fault"), ("overhang", "clear")):
        heard(follower.handle(Said(CorrectionFact(turn=1, ruling="r3", set={key: value})), 5.0))
    before = next(fact for fact in follower.told if isinstance(fact, MoveFact))
    assert before.column is not None
    after = before.model_copy(update={"column": before.column.model_copy(update={"gray": 1, "yellow": 1})})
    lines = heard(follower.handle(Recounted(before, after), 6.0))
    assert lines[0] == "Turn 1: blue builds road r3 from column c1 to the new junction c3, 2 levels high."
    assert not any("against the rules" in line or "sticks out" in line for line in lines)
    assert len(lines) <= 2
