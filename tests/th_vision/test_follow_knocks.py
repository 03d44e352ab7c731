"""Pieces that fall or are pushed while a game is followed: what is told, what is to be put back, what is accepted."""

from __future__ import annotations

import pytest

from rules.events import KnockFact, RestoredFact
from rules.layout import Road
from tests.th_vision.games import (
    C2,
    C3,
    C4,
    FIRST,
    PIECES,
    RAMPS,
    SECOND,
    THIRD,
    column,
    facts,
    follow,
    game_line,
    minus,
    plus,
    road,
    states,
)
from th_vision.follow import Follower
from th_vision.follow_events import Accepted, BackAgain, Guide, HandSeen, Output, Settled

FALLEN = plus(minus(SECOND, "r3"), Road(id="r3", ends=((-150, 60, 2), (-40, 70, 2)), rests_on=("table", "table")))


def test_a_road_that_fell_is_a_knock_by_whose_turn_it_is() -> None:
    follower, said = follow([RAMPS, FIRST, SECOND, plus(THIRD), minus(THIRD, "r3")])
    follower, said = follow([RAMPS, FIRST, SECOND, FALLEN])
    knock = facts(said)[-1]
    assert isinstance(knock, KnockFact)
    assert (knock.by, knock.pieces, knock.shift_mm) == ("blue", ("r3",), 0)
    assert follower.state == "knocked"


def test_while_pieces_are_put_back_the_guide_says_what_is_missing() -> None:
    follower, _ = follow([RAMPS, FIRST, SECOND, FALLEN])
    said = follower.handle(Settled(minus(SECOND, "r3")), 9.0)
    (guide,) = [o for o in said if isinstance(o, Guide)]
    assert guide.off[0][0] == "r3"
    assert not facts(said)


def test_a_column_that_slid_away_below_its_road_came_down_with_it_and_is_put_back_with_it() -> None:
    """Its road lies on the table, and it stands far off: one fall, one penalty, and all is well when both are back."""
    slid = column("c3", -57 + 20, 106 + 22, 2)
    lying = Road(id="r3", ends=((-120, 20, 2), (-30, 90, 2)), rests_on=("table", "table"))
    follower, said = follow([RAMPS, FIRST, SECOND, plus(minus(SECOND, "c3", "r3"), slid, lying)])
    knock = facts(said)[-1]
    assert isinstance(knock, KnockFact)
    assert (set(knock.pieces), knock.shift_mm) == ({"r3", "c3"}, 0.0)
    said = follower.handle(Settled(SECOND), 9.0)
    assert [f.type for f in facts(said)] == ["restored"]
    assert [f.type for f in facts(follower.handle(Settled(THIRD), 10.0))] == ["move"]


def test_what_fell_is_to_be_found_anew() -> None:
    """Where a road was put back it may lie on another column than before; what stands is looked for where it stood."""
    follower, _ = follow([RAMPS, FIRST, SECOND])
    assert {r.id for r in follower.expected().roads} == {"r1", "r2", "r3", "r4"}
    follower.handle(Settled(FALLEN), 8.0)
    assert {r.id for r in follower.expected().roads} == {"r1", "r2", "r4"}
    follower.handle(Settled(SECOND), 9.0)
    assert {r.id for r in follower.expected().roads} == {"r1", "r2", "r3", "r4"}


def test_when_all_stands_as_it_stood_the_game_goes_on() -> None:
    follower, _ = follow([RAMPS, FIRST, SECOND, FALLEN])
    said = follower.handle(Settled(SECOND), 9.0)
    assert "rebuilt" in states(said)
    assert follower.state == "provisional"
    (where,) = facts(said)
    assert isinstance(where, RestoredFact)
    assert [r.id for r in where.roads] == ["r3"]
    said = follower.handle(Settled(THIRD), 10.0)
    assert [f.type for f in facts(said)] == ["move"]


def test_players_who_play_on_accept_the_table_as_it_is() -> None:
    follower, _ = follow([RAMPS, FIRST, SECOND, FALLEN])
    c6 = column("c5", -163, 106, 3)
    said = follower.handle(Settled(plus(FALLEN, c6, road("r5", C3, c6))), 9.0)
    assert [f.type for f in facts(said)] == ["move"]
    assert follower.state == "provisional"


@pytest.mark.parametrize("looks", [1, 3])
@pytest.mark.parametrize("fell", [("r3",), ("c3", "r3"), ("r4",), ("c4", "r4")])
def test_what_fell_and_was_accepted_is_the_same_piece_when_it_is_put_back(fell: tuple[str, ...], looks: int) -> None:
    """Blue's older road or pink's newest one comes down and lies there; the players go on, and put it back later."""
    lying = Road(id="x1", ends=((-150, 60, 2), (-40, 70, 2)), rests_on=("table", "table"))
    follower, _ = follow([RAMPS, FIRST, SECOND])
    follower.handle(HandSeen(None), 8.0)
    table_now = plus(minus(SECOND, *fell), lying)
    said = follower.handle(Settled(table_now, fallen=lambda _: []), 9.0)
    assert [f.type for f in facts(said)] == ["knock"]
    told = len(follower.told)
    follower.handle(Accepted(), 10.0)
    for k in range(looks):
        assert not facts(follower.handle(Settled(table_now), 11.0 + k))
    assert len(follower.told) == told
    assert [f.type for f in facts(follower.handle(Settled(SECOND), 20.0))] == ["restored"]
    assert not facts(follower.handle(Settled(SECOND), 21.0))
    assert [f.type for f in facts(follower.handle(Settled(THIRD), 22.0))] == ["move"]
    assert [f.type for f in follower.told].count("knock") == 1


@pytest.mark.parametrize("missed", [(), ("k1",)])
def test_a_column_that_lost_a_disc_is_given_up_where_it_is_accepted(missed: tuple[str, ...]) -> None:
    """Its last disc lies about; a car that the same reading misses stands all the same."""
    lying = Road(id="x1", ends=((-150, 60, 2), (-40, 70, 2)), rests_on=("table", "table"))
    rubble = plus(minus(SECOND, "c3", "r3"), column("c3", -50, 128, 1), lying)
    follower, said = follow([RAMPS, FIRST, SECOND, minus(rubble, *missed)])
    assert [f.type for f in facts(said)][-1] == "knock"
    follower.handle(Accepted(), 10.0)
    for k in range(3):
        assert not facts(follower.handle(Settled(rubble), 11.0 + k))
    assert [f.type for f in facts(follower.handle(Settled(SECOND), 20.0))] == ["restored"]
    assert [f.type for f in facts(follower.handle(Settled(THIRD), 22.0))] == ["move"]


def test_a_column_pushed_aside_is_a_shift_with_its_size_and_sigma() -> None:
    pushed = column("c4", 57, -96, 2, sigma_xy=0.5)
    table = plus(minus(THIRD, "c4", "r4"), pushed, road("r4", C2, pushed, sigma_xy=0.5, sigma_along=0.9))
    _, said = follow([RAMPS, FIRST, SECOND, THIRD, table])
    knock, where = facts(said)[-2:]
    assert isinstance(knock, KnockFact)
    assert isinstance(where, RestoredFact)
    assert [c.y for c in where.columns] == [-96]
    assert knock.by == "pink"
    assert set(knock.pieces) == {"c4", "r4"}
    assert knock.shift_mm == pytest.approx(10, abs=1)
    assert knock.sigma_mm > 0


def test_what_was_pushed_and_is_put_back_stands_as_it_stood() -> None:
    pushed = column("c4", 57, -96, 2, sigma_xy=0.5)
    table = plus(minus(THIRD, "c4", "r4"), pushed, road("r4", C2, pushed, sigma_xy=0.5, sigma_along=0.9))
    follower, said = follow([RAMPS, FIRST, SECOND, THIRD, table])
    assert isinstance(facts(said)[-2], KnockFact)
    assert follower.still_off()[0] == ("c4", "pink's column c4: move it 10 mm down")
    said = follower.handle(Settled(THIRD), 90.0)
    assert follower.still_off() == ()
    assert [f.type for f in facts(said)] == ["restored"]
    assert [o.pieces for o in said if isinstance(o, BackAgain)] == [("c4", "r4")]
    assert {c.id: c.y for c in follower.known.layout.columns}["c4"] == pytest.approx(-106)
    assert follower.state == "provisional"


def test_a_column_that_slid_from_under_its_road_is_a_shift_when_two_readings_see_it() -> None:
    pushed = column("c4", 57, -100, 2, sigma_xy=0.4)
    table = plus(minus(THIRD, "c4"), pushed)
    follower, said = follow([RAMPS, FIRST, SECOND, THIRD, table])
    assert not [f for f in facts(said) if isinstance(f, KnockFact)]
    assert follower.wants_another_look
    assert [f.pieces for f in facts(follower.handle(Settled(table), 90.0)) if isinstance(f, KnockFact)] == [("c4",)]


@pytest.mark.parametrize(("rim_looks_otherwise", "told"), [(True, [("c4",)]), (False, [])])
def test_a_column_that_slid_from_under_its_road_is_a_shift_at_once_where_the_picture_shows_it(
    rim_looks_otherwise: bool, told: list[tuple[str, ...]]
) -> None:
    pushed = column("c4", 57, -101.6, 2, sigma_xy=0.2)
    follower, _ = follow([RAMPS, FIRST, SECOND, THIRD])
    said = follower.handle(Settled(plus(minus(THIRD, "c4"), pushed), stirred=lambda _: rim_looks_otherwise), 90.0)
    assert [f.pieces for f in facts(said) if isinstance(f, KnockFact)] == told


def test_one_odd_reading_of_a_column_under_a_road_that_lies_still_moves_nothing() -> None:
    pushed = column("c4", 57, -100, 2, sigma_xy=0.4)
    follower, said = follow([RAMPS, FIRST, SECOND, THIRD, plus(minus(THIRD, "c4"), pushed), THIRD, THIRD])
    assert not [f for f in facts(said) if isinstance(f, KnockFact)]
    assert {c.id: c.y for c in follower.known.layout.columns}["c4"] == -106


def test_a_nudge_below_what_can_be_seen_is_no_knock() -> None:
    pushed = column("c4", 57, -104.5, 2, sigma_xy=0.5)
    _, said = follow([RAMPS, FIRST, SECOND, THIRD, plus(minus(THIRD, "c4"), pushed)])
    assert not [f for f in facts(said) if isinstance(f, KnockFact)]


def test_discs_left_lying_by_another_s_hand_are_a_knock_though_the_stick_is_not_seen() -> None:
    """Pink's last column falls while blue reaches in: its discs lie about, its road is nowhere to be seen."""
    lies = column("c9", C4.x + 60, C4.y + 60, 1)
    for left, told in ((plus(FIRST, lies), "knock"), (FIRST, "undo")):
        follower = Follower(game_line(), PIECES)
        said: list[Output] = []
        for i, (side, table) in enumerate(((90.0, RAMPS), (90.0, FIRST), (-90.0, SECOND), (90.0, left), (90.0, left))):
            said += follower.handle(HandSeen(side), 10.0 * i) + follower.handle(Settled(table), 10.0 * i + 2)
        assert [f.type for f in facts(said)][4:5] == [told]
        assert ("c4" in follower.game.columns) == (told == "knock")
