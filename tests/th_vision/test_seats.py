"""Whose hand it is: learnt from moves that leave no doubt, told only where one seat alone fits."""

from __future__ import annotations

import pytest

from rules.events import KnockFact, MoveFact
from rules.layout import Layout, Road
from tests.th_vision.games import (
    C1,
    C4,
    FIRST,
    PIECES,
    RAMPS,
    SECOND,
    THIRD,
    column,
    facts,
    game_line,
    minus,
    plus,
    road,
)
from tests.th_vision.still_scene import HEIGHT, MM_PER_PX, WIDTH, Scene, table
from th_vision.follow import Follower
from th_vision.follow_events import HandSeen, Output, Settled
from th_vision.seats import Seats
from th_vision.stillness import Stillness

FOURTH = plus(THIRD, column("c6", 163, -106, 3), road("r6", C4, column("c6", 163, -106, 3)))


def test_a_seat_is_believed_after_two_hands_from_one_side() -> None:
    seats = Seats()
    seats.learn("blue", 175.0)
    seats.learn("pink", 0.0)
    seats.learn("pink", 10.0)
    assert seats.whose(170.0) is None
    seats.learn("blue", -170.0)
    assert seats.whose(170.0) == "blue"
    assert seats.whose(-20.0) == "pink"
    assert seats.whose(90.0) is None
    assert seats.whose(None) is None


def test_one_hand_each_will_do_where_everybodys_was_seen() -> None:
    seats = Seats(players=3)
    seats.learn("blue", 180.0)
    seats.learn("pink", 0.0)
    assert seats.whose(170.0) is None  # green's seat isn't known yet
    seats.learn("green", 90.0)
    assert seats.whose(170.0) == "blue"
    assert seats.whose(85.0) == "green"


def test_who_has_not_built_yet_sits_where_the_own_ramp_was_placed_from() -> None:
    seats = Seats(players=3)
    seats.placed("blue", 180.0)
    seats.placed("pink", 0.0)
    assert seats.whose(170.0) is None  # nobody knows yet where green sits
    seats.placed("green", 90.0)
    assert seats.whose(170.0) == "blue"
    seats.learn("blue", 45.0)  # what builders show counts for more
    assert seats.whose(170.0) is None


def test_who_places_the_ramps_of_others_tells_nothing_of_their_seats() -> None:
    seats = Seats(players=3)
    for player, side in (("blue", 180.0), ("pink", 175.0), ("green", 90.0)):
        seats.placed(player, side)
    assert seats.whose(90.0) is None
    for player, side in (("blue", 180.0), ("pink", 0.0), ("green", 90.0)):
        seats.learn(player, side)
    assert seats.whose(0.0) == "pink"


def test_a_game_learns_seats_from_ramps_that_are_placed_one_by_one() -> None:
    """Before the first move, pink's sleeve takes blue's ramp down."""
    lying = Road(id="r1", ends=((-60, -60, 2), (-160, -90, 2)), rests_on=("table", "table"))
    for side, by in ((2.0, "pink"), (178.0, "blue")):
        follower, said = Follower(game_line(), PIECES), list[Output]()
        steps = [
            (Layout(), None), (minus(RAMPS, "c2", "r2", "k2"), 180.0), (RAMPS, 0.0),
            (plus(minus(RAMPS, "r1", "k1"), lying), side),
        ]  # fmt: skip
        for t, (layout, from_deg) in enumerate(steps):
            follower.handle(HandSeen(from_deg), 10.0 * t)
            said = follower.handle(Settled(layout), 10.0 * t + 5)
        assert [fact.by for fact in facts(said) if isinstance(fact, KnockFact)] == [by]


def test_players_on_one_side_are_not_told_apart() -> None:
    seats = Seats()
    for angle in (0.0, 5.0):
        seats.learn("blue", angle)
        seats.learn("pink", angle + 30)
    assert seats.whose(10.0) is None


def test_who_walks_around_the_table_has_no_seat() -> None:
    seats = Seats()
    for angle in (0.0, 90.0, 180.0):
        seats.learn("blue", angle)
        seats.learn("pink", 200.0)
    assert seats.whose(0.0) is None


def game_with_hands(last_side: float | None, *last: Layout) -> tuple[Follower, list[Output]]:
    """Four moves, blue's hands from the left and pink's from the right; then a last change with a hand from there."""
    follower, said = Follower(game_line(), PIECES), list[Output]()
    moves = [
        (RAMPS, None),
        (FIRST, 180.0),
        (SECOND, 0.0),
        (THIRD, 175.0),
        (FOURTH, 5.0),
        *[(one, last_side) for one in last],
    ]
    for t, (layout, side) in enumerate(moves):
        follower.handle(HandSeen(side), 10.0 * t)
        said = follower.handle(Settled(layout), 10.0 * t + 5)
    return follower, said


@pytest.mark.parametrize(("side", "player"), [(180.0, "blue"), (None, "pink"), (0.0, "pink")])
def test_a_road_from_anothers_column_is_of_whose_hand_was_seen(side: float | None, player: str) -> None:
    """It is blue's turn, and a road goes on from pink's newest column."""
    end = column("c7", 163, -212, 2)
    table_now = plus(FOURTH, end, road("r7", column("c6", 163, -106, 3), end))
    _, said = game_with_hands(side, table_now)
    (move,) = (fact for fact in facts(said) if isinstance(fact, MoveFact))
    assert move.player == player


def test_a_knock_is_whose_hand_was_seen() -> None:
    """It is blue's turn, and pink's sleeve takes blue's road down."""
    lying = Road(id="r5", ends=((-250, 60, 2), (-140, 70, 2)), rests_on=("table", "table"))
    table_now = plus(minus(FOURTH, "r5"), lying)
    for side, by in ((2.0, "pink"), (178.0, "blue"), (None, "blue")):
        _, said = game_with_hands(side, table_now)
        assert [fact.by for fact in facts(said) if isinstance(fact, KnockFact)] == [by]


@pytest.mark.parametrize(
    ("side", "told"), [(178.0, ["knock", "restored"]), (5.0, ["undo", "move"]), (None, ["undo", "move"])]
)
def test_the_newest_pieces_are_put_otherwise_by_who_built_them_and_knocked_by_others(
    side: float | None, told: list[str]
) -> None:
    """Pink's newest column and road stand 6 mm elsewhere, and nothing fell."""
    pushed = column("c6", 169, -106, 3)
    table_now = plus(minus(FOURTH, "c6", "r6"), pushed, road("r6", C4, pushed))
    _, said = game_with_hands(side, table_now)
    assert [fact.type for fact in facts(said)] == told
    knocks = [fact for fact in facts(said) if isinstance(fact, KnockFact)]
    assert all(knock.by == "blue" for knock in knocks)


def test_before_seats_are_known_the_side_of_the_move_tells() -> None:
    follower = Follower(game_line(), PIECES)
    follower.handle(Settled(RAMPS), 0.0)
    follower.handle(HandSeen(180.0), 1.0)
    follower.handle(Settled(FIRST), 2.0)
    follower.handle(HandSeen(0.0), 3.0)
    pushed = column("c3", -57, 112, 2)
    said = follower.handle(Settled(plus(minus(FIRST, "c3", "r3"), pushed, road("r3", C1, pushed))), 4.0)
    assert [fact.by for fact in facts(said) if isinstance(fact, KnockFact)] == ["pink"]


def test_the_side_of_a_hand_is_seen_in_the_picture() -> None:
    scene = Scene()
    watch = Stillness(table())
    for _ in range(3):
        watch.see(scene.frame())
    seen = watch.see(scene.frame(hand=(0, 0)))  # its forearm comes in over the near rim
    assert seen.state == "hand"
    assert seen.hand_from_deg == pytest.approx(-90.0, abs=15.0)


def test_an_arm_too_near_for_the_sensor_still_tells_the_side_of_its_hand() -> None:
    """Over the near rim the forearm is nearer than the sensor measures: no depth there at all."""
    scene = Scene()
    watch = Stillness(table())
    for _ in range(3):
        watch.see(scene.frame())
    frame = scene.frame(hand=(0, 0))
    middle, half = WIDTH // 2, round(45 / MM_PER_PX)
    frame.depth[HEIGHT // 2 + round(30 / MM_PER_PX) :, middle - half : middle + half] = 0
    seen = watch.see(frame)
    assert seen.state == "hand"
    assert seen.hand_from_deg == pytest.approx(-90.0, abs=15.0)
