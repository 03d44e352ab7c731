"""What players may say: the words and keys that mean a command, and one friendly line for those that mean none."""

from __future__ import annotations

from pathlib import Path

import pytest

from th_vision.referee import commands as say
from th_vision.referee.words import HELP, parse

PLAYERS = ("blue", "pink")


@pytest.mark.parametrize(
    ("words", "command"),
    [
        ("", say.Next()),
        ("   ", say.Next()),
        ("next", say.Next()),
        ("next surely", say.Next(surely=True)),
        ("y", say.Answer(True)),
        ("NO", say.Answer(False)),
        ("a", say.Accept()),
        ("+", say.Correct(more_cars=1)),
        ("-", say.Correct(more_cars=-1)),
        ("+2", say.Correct(more_cars=2)),
        ("cars 2", say.Correct({"cars_due": 2})),
        ("turn 7 cars 0", say.Correct({"cars_due": 0}, 7)),
        ("legal", say.Correct({"call": "legal"})),
        ("fault overhang", say.Correct({"overhang": "fault"})),
        ("clear touch-road", say.Correct({"touch-road": "clear"})),
        ("over r5", say.Correct({"r5": "over"})),
        ("miss r5", say.Correct({"r5": "none"})),
        ("bonus no", say.Correct({"offramp_bonus": False})),
        ("discs 3", say.Recount(discs=3)),
        ("yellow", say.Recount(yellow=True)),
        ("turn 3 by pi", say.Recount(player="pink", turn=3)),
        ("u", say.Undo()),
        ("undo 4", say.Undo(4)),
        ("p", say.Pass()),
        ("penalty pink gives blue 2", say.Penalty("pink", "blue", 2)),
        ("penalty pink, blue", say.Penalty("pink", "blue")),
        ("turn", say.WhoseTurn()),
        ("whose turn?", say.WhoseTurn()),
        ("Whose turn is it?", say.WhoseTurn()),
        ("turn pink", say.WhoseTurn("pink")),
        ("e", say.Explain()),
        ("why 3", say.Explain(3)),
        ("what if cars 2", say.WhatIf({"cars_due": 2})),
        ("what if first=event", say.WhatIf(options={"first": "event"})),
        ("recalibrate My Table.toml", say.Recalibrate(Path("My Table.toml"))),
        ("pause", say.Pause()),
        ("go", say.GoOn()),
        ("?", say.Help()),
        ("q", say.Quit()),
    ],
)
def test_words_and_what_they_mean(words: str, command: say.Command) -> None:
    assert parse(words, PLAYERS) == command


@pytest.mark.parametrize("keys", ["y", "n", "a", "+", "-", "u", "p", "s", "d", "e", "g", "r", "?", "q"])
def test_two_keys_do_for_the_usual_ones(keys: str) -> None:
    assert len(keys) == 1  # and Enter
    parse(keys, PLAYERS)


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        ("unod", "did you mean undo?"),
        ("hello", "say help"),
        ("cars", "for example cars 1"),
        ("cars many", "whole number"),
        ("cars -1", "whole number"),
        ("cars 1 2", "for example cars 1"),
        ("score now please", "say score alone"),
        ("turn purple", "blue, pink"),
        ("turn 5", "for example turn 5 cars 1"),
        ("turn 5 score", "not about a turn"),
        ("penalty pink", "who gives whom"),
        ("penalty pink pink", "name two players"),
        ("penalty pink blue 1e9", "whole number"),
        ("fault overhung", "did you mean overhang?"),
        ("discs 0", "one disc at least"),
        ("discs 99999999999999999999", "whole number"),
        ("what if", "for example"),
        ("what if undo", "can't be tried"),
        ("undo ٣", "whole number"),
        ("recalibrate", "with which"),
        ("bonus", "bonus yes"),
        ("x" * 5000, "too long"),
        ("\x00\x1b[A", "help"),
    ],
)
def test_words_that_mean_nothing_get_one_friendly_line(words: str, hint: str) -> None:
    with pytest.raises(say.CommandError) as caught:
        parse(words, PLAYERS)
    text = str(caught.value)
    assert hint in text
    assert "\n" not in text
    assert len(text) < 200


def test_what_the_help_names_can_be_said() -> None:
    for words, _ in HELP:
        for part in words.replace(" [TURN]", "").replace(" [RULE]", "").replace(" [2]", "").split(", "):
            parse("" if part == "Enter" else part, PLAYERS)
