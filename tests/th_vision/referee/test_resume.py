"""A game that is taken up again after a turn was taken back: what that turn left on the table is no new move."""

from __future__ import annotations

from rules.events import Fact, MoveFact, UndoFact
from rules.layout import Layout
from tests.th_vision.games import C5, FIRST, PIECES, R5, RAMPS, SECOND, facts, follow, game_line, plus
from th_vision.follow import Follower
from th_vision.follow_events import Output, Said, Settled
from th_vision.referee.resume import Resumed


def taken_back() -> list[Fact]:
    """The record of a game whose second turn the players took back, by word."""
    follower, said = follow([RAMPS, FIRST, SECOND])
    return facts([*said, *follower.handle(Said(UndoFact(turn=2)), 10.0)])


def look(follower: Follower, *layouts: Layout) -> list[Output]:
    return [output for i, layout in enumerate(layouts) for output in follower.handle(Settled(layout), float(i))]


def test_what_a_turn_that_was_taken_back_left_is_no_new_move() -> None:
    follower = Resumed(game_line(), tuple(taken_back())).follower(PIECES)
    assert not facts(look(follower, SECOND, SECOND, SECOND))
    assert follower.game.whose_turn == "pink"


def test_it_may_be_taken_away_and_pink_builds_elsewhere() -> None:
    follower = Resumed(game_line(), tuple(taken_back())).follower(PIECES)
    assert not facts(look(follower, SECOND, SECOND, FIRST, FIRST))
    assert not follower.game.state.unsure
    moves = [f for f in facts(look(follower, plus(FIRST, C5, R5))) if isinstance(f, MoveFact)]
    assert [(move.turn, move.base) for move in moves] == [(2, "c3")]


def test_it_may_be_gone_already() -> None:
    follower = Resumed(game_line(), tuple(taken_back())).follower(PIECES)
    assert not facts(look(follower, FIRST, FIRST, FIRST))
    assert follower.state == "waiting"


def test_pink_builds_on_from_what_was_left() -> None:
    """Then the road that was left is a move after all."""
    follower = Resumed(game_line(), tuple(taken_back())).follower(PIECES)
    look(follower, SECOND, SECOND)
    moves = [f for f in facts(look(follower, plus(SECOND, C5, R5))) if isinstance(f, MoveFact)]
    assert moves
