"""A game at which somebody speaks, for tests of what follows from that; and tables to begin with."""

from __future__ import annotations

from typing import Any

import pytest

from rules.events import (
    Fact,
)
from rules.layout import Layout, Road
from tests.th_vision.games import (
    C1,
    FIRST,
    R3,
    RAMPS,
    SECOND,
    column,
    facts,
    follow,
    game_line,
    minus,
    plus,
    road,
)
from th_vision.announce import Announcer, Line
from th_vision.follow import Follower
from th_vision.follow_events import Output, Settled
from th_vision.referee.commands import CommandError, Spoken
from th_vision.referee.hearing import Hearing
from th_vision.referee.words import parse
from th_vision.standings import kinds_of

OFFRAMP = plus(RAMPS, road("r3", C1, (-57, 112)))
UNSURE = plus(RAMPS, column("c3", -57, 106, 2, levels_probability=0.7), R3)
FALLEN = plus(minus(SECOND, "r4"), Road(id="r4", ends=((100, -60, 2), (210, -50, 2)), rests_on=("table", "table")))


class Table:
    """A game at which somebody speaks."""

    def __init__(self, *layouts: Layout, **game: object) -> None:
        self.follower: Follower
        self.follower, _ = follow(layouts, game_line(**game))
        self.hearing = Hearing()
        self.time_s = 10.0
        self.do = ""

    def hear(self, words: str) -> tuple[list[Fact], list[Line]]:
        """The facts that follow, but for the words themselves, and the lines that answer."""
        heard = self.hearing.hear(Spoken(parse(words, self.follower.game.players), words or "next"), self.follower)
        outputs: list[Output] = []
        for event in heard.events:
            self.time_s += 1
            outputs += self.follower.handle(event, self.time_s)
        self.do = heard.do
        return [fact for fact in facts(outputs) if fact.type != "said"], list(heard.lines)

    def settle(self, layout: Layout) -> list[Fact]:
        self.time_s += 1
        return facts(self.follower.handle(Settled(layout), self.time_s))

    def refused(self, words: str) -> str:
        with pytest.raises(CommandError) as caught:
            self.hear(words)
        assert "\n" not in str(caught.value)
        return str(caught.value)


def text(lines: list[Line]) -> str:
    return " ".join(f"{line.text} {line.reason}" for line in lines)


def announced(*words: str) -> list[str]:
    """What is said aloud of the facts that follow from words, once blue has built."""
    table, announcer = Table(RAMPS, FIRST), Announcer()
    handle, out = table.follower.handle, list[Output]()

    def kept(*event: Any) -> list[Output]:
        out.extend(handle(*event))
        return []

    table.follower.handle = kept  # type: ignore[method-assign]  # listened to
    said: list[str] = []
    for text_ in words:
        table.hear(text_)
        game = table.follower.game
        said += [line.text for output in out for line in announcer.lines(output, game.owners, kinds_of(game))]
        out.clear()
    table.settle(SECOND)
    game = table.follower.game
    return said + [line.text for output in out for line in announcer.lines(output, game.owners, kinds_of(game))]
