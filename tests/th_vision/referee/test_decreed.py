"""A game that is taken up again knows what players said that columns really are."""

from __future__ import annotations

import pytest

from rules.events import MoveFact
from rules.layout import Layout
from tests.th_vision.games import FIRST, PIECES, RAMPS, SECOND, THIRD, facts, game_line
from tests.th_vision.referee.test_hearing import Table
from th_vision.follow import Follower
from th_vision.follow_events import Checked, Settled
from th_vision.page.commands import PageCommand, spoken
from th_vision.referee.resume import Resumed


def taken_up(table: Table) -> Follower:
    """A follower that goes on with the record of a table's game."""
    return Resumed(game_line(), table.follower.game.facts).follower(PIECES)


def heights(follower: Follower) -> dict[str, list[float]]:
    """Where columns' tops and roads' ends are believed to be, mm."""
    layout = follower.known.layout
    tops = {column.id: [column.top_z] for column in layout.columns}
    return {**tops, **{road.id: sorted(end[2] for end in road.ends) for road in layout.roads}}


def go_on(table: Table, *layouts: Layout) -> Follower:
    """The game taken up at these readings, each as good as the one before the stop: nothing differs from the record."""
    follower = taken_up(table)
    said = [o for i, layout in enumerate(layouts) for o in follower.handle(Settled(layout), float(i))]
    assert [o.off for o in said if isinstance(o, Checked)] == [()]
    assert not facts(said)
    return follower


@pytest.mark.parametrize("words", ["discs 3", "turn 1 discs 1", "discs 4", "yellow"])
def test_the_state_after_taking_up_is_the_state_before(words: str) -> None:
    table = Table(RAMPS, FIRST)
    table.hear(words)
    before, after = table.follower, taken_up(table)
    assert after.game == before.game
    assert after.known.votes["c3"] == before.known.votes["c3"]
    assert heights(after) == heights(before)
    height_mm = PIECES.disc.height
    assert after.known.as_read(height_mm).columns[2].levels == before.known.as_read(height_mm).columns[2].levels == 2
    later = go_on(table, FIRST, FIRST)
    assert {c.id: (c.levels, c.junction) for c in later.known.layout.columns} == {
        c.id: (c.levels, c.junction) for c in before.known.layout.columns
    }


def test_roads_built_later_are_where_they_are_seen_and_those_before_too() -> None:
    table = Table(RAMPS, FIRST, SECOND, THIRD)
    table.hear("turn 1 discs 3")  # the second road from that column was told before
    assert heights(taken_up(table)) == heights(table.follower)
    table = Table(RAMPS, FIRST, SECOND)
    table.hear("turn 1 discs 3")
    assert [fact.type for fact in table.settle(THIRD)] == ["move"]
    assert heights(taken_up(table)) == heights(table.follower)
    assert go_on(table, THIRD, THIRD).game == table.follower.game


def test_what_was_said_twice_and_on_the_page_counts_too() -> None:
    table = Table(RAMPS, FIRST)
    table.hear("discs 3")
    wish = spoken(PageCommand.model_validate({"do": "recount", "seen": 1, "turn": 1, "levels": 1, "yellow": False}))
    for event in table.hearing.hear(wish, table.follower).events:
        table.time_s += 1
        table.follower.handle(event, table.time_s)
    assert table.follower.game.columns["c3"].levels == 1
    assert heights(taken_up(table)) == heights(table.follower)
    assert go_on(table, FIRST, FIRST).game == table.follower.game


def test_a_second_look_of_the_referee_s_own_is_no_word_of_the_players() -> None:
    table = Table(RAMPS, FIRST, SECOND)
    table.hear("s")
    move = next(fact for fact in table.follower.told if isinstance(fact, MoveFact))
    assert move.column is not None
    better = move.model_copy(update={"column": move.column.model_copy(update={"gray": 3})})
    table.follower._teller.retell(move, better)
    assert "c3" not in taken_up(table).known.votes


def test_what_was_taken_back_is_forgotten() -> None:
    table = Table(RAMPS, FIRST)
    table.hear("discs 3")
    table.hear("u 1")
    assert "c3" not in taken_up(table).known.votes
