"""Following a game from readings of the table: what is told to the rule book, in which state, and when not."""

from __future__ import annotations

import pytest

from rules.events import CarsFact, KnockFact, MoveFact, PassFact, RampFact, RulingLine, UndoFact
from rules.layout import Layout
from tests.th_vision.games import (
    C1,
    C2,
    C3,
    C4,
    EXACT,
    FIRST,
    GOOD,
    K1,
    R1,
    R2,
    R3,
    R4,
    RAMPS,
    SECOND,
    THIRD,
    car,
    column,
    facts,
    follow,
    game_line,
    minus,
    played,
    plus,
    refereed,
    road,
    states,
)
from th_vision.follow_events import HandSeen, Said, Settled, Told, Warned
from th_vision.virtual_table.misread import Misreading

# --- set-up ---


def test_ramps_are_told_when_every_player_has_one_in_the_order_of_turns() -> None:
    one = plus(Layout(), C2, R2, car("k2", R2, "pink"))
    follower, said = follow([Layout(), one, RAMPS])
    assert [(f.type, f.player) for f in facts(said) if isinstance(f, RampFact)] == [("ramp", "blue"), ("ramp", "pink")]
    assert follower.state == "waiting"


def test_a_ramp_is_its_sedans_owners_whatever_the_order_of_building() -> None:
    swapped = plus(Layout(), C1, C2, R1, R2, car("k1", R1, "pink"), car("k2", R2, "blue"))
    follower, _ = follow([swapped])
    assert follower.game.owners["c1"] == "pink"
    assert follower.game.owners["c2"] == "blue"


def test_ramps_without_sedans_wait_for_them() -> None:
    bare = plus(Layout(), C1, C2, R1, R2)
    follower, said = follow([bare])
    assert follower.state == "set-up"
    assert not facts(said)
    said = follower.handle(Settled(RAMPS), 2.0)
    assert len(facts(said)) == 2


def test_ramps_may_be_shifted_in_set_up_without_being_a_knock() -> None:
    moved = plus(Layout(), *(p for p in (column("c1", -57, 30), C2)), road("r1", column("c1", -57, 30), (-158, 0)), R2)
    follower, said = follow([moved, RAMPS])
    assert [f.type for f in facts(said)] == ["ramp", "ramp"]
    assert follower.game.columns["c1"].y == 0


def test_a_first_move_seen_together_with_the_ramps_is_told_after_them() -> None:
    _, said = follow([FIRST])
    assert [f.type for f in facts(said)] == ["ramp", "ramp", "move"]


def test_a_ramp_column_of_two_discs_is_told_as_it_is() -> None:
    high = column("c1", -57, 0, 2)
    follower, _ = follow([plus(minus(RAMPS, "c1", "r1", "k1"), high, R1, K1)])
    assert follower.state == "waiting"
    assert [c.gray for c in follower.game.columns.values() if c.x == -57] == [2]


# --- moves ---


def test_a_move_has_base_column_road_and_cars() -> None:
    with_car = plus(FIRST, car("k3", R3, "blue"))
    _, said = follow([RAMPS, with_car])
    move = facts(said)[-1]
    assert isinstance(move, MoveFact)
    assert (move.turn, move.player, move.base) == (1, "blue", "c1")
    assert move.column is not None
    assert (move.column.gray, move.column.yellow) == (2, 0)
    assert move.road.rests_on == ("c1", "c3")
    assert [(c.player, c.on) for c in move.cars] == [("blue", "r3")]


def test_a_junctions_yellow_disc_is_counted_as_yellow() -> None:
    top = column("c3", -57, 106, 3, junction=True)
    _, said = follow([RAMPS, plus(RAMPS, top, road("r3", C1, top))])
    move = facts(said)[-1]
    assert isinstance(move, MoveFact)
    assert move.column is not None
    assert (move.column.gray, move.column.yellow) == (2, 1)


def test_the_states_of_a_turn_in_order() -> None:
    follower, _ = follow([RAMPS])
    said = follower.handle(HandSeen(), 3.0) + follower.handle(HandSeen(), 3.1) + follower.handle(Settled(FIRST), 4.0)
    assert states(said) == ["hand in view", "settled", "move seen", "ruling", "provisional"]


def test_a_hand_that_changes_nothing_tells_nothing() -> None:
    follower, _ = follow([RAMPS])
    said = follower.handle(HandSeen(), 3.0) + follower.handle(Settled(RAMPS), 4.0)
    assert not facts(said)
    assert states(said) == ["hand in view", "settled", "waiting"]


def test_an_offramp_has_no_column() -> None:
    _, said = follow([RAMPS, plus(RAMPS, road("r3", C1, (-57, 112)))])
    move = facts(said)[-1]
    assert isinstance(move, MoveFact)
    assert move.column is None
    assert move.road.rests_on == ("c1", "table")


def test_two_moves_at_once_are_told_in_the_order_of_turns() -> None:
    _, said = follow([RAMPS, SECOND])
    moves = [f for f in facts(said) if isinstance(f, MoveFact)]
    assert [(m.turn, m.player, m.base) for m in moves] == [(1, "blue", "c1"), (2, "pink", "c2")]


def test_three_moves_at_once_along_one_chain() -> None:
    _, said = follow([RAMPS, THIRD])
    moves = [f for f in facts(said) if isinstance(f, MoveFact)]
    assert [(m.turn, m.player, m.base) for m in moves] == [(1, "blue", "c1"), (2, "pink", "c2"), (3, "blue", "c3")]


def test_who_builds_out_of_turn_is_told() -> None:
    _, said = follow([RAMPS, plus(RAMPS, C4, R4)])
    told = next(o for o in said if isinstance(o, Told) and isinstance(o.fact, MoveFact))
    assert isinstance(told.fact, MoveFact)
    assert told.fact.player == "pink"
    ruling = next(a for a in told.answers if isinstance(a, RulingLine))
    assert "turn-order" in [fault.rule for fault in ruling.faults]


def test_who_has_nothing_to_build_with_is_seen_to_pass() -> None:
    poor = {"gray": 1, "yellow": 0, "sticks": 1, "cars": 5}
    rich = {"gray": 20, "yellow": 1, "sticks": 10, "cars": 5}
    game = game_line(material={"blue": poor, "pink": rich})
    _, said = follow([RAMPS, plus(RAMPS, C4, R4)], game)
    passed, move = facts(said)[-2:]
    assert isinstance(passed, PassFact)
    assert isinstance(move, MoveFact)
    assert (passed.player, move.player) == ("blue", "pink")


def test_a_road_that_ends_on_an_old_column_is_told_as_such() -> None:
    c5 = column("c5", 49, 106, 1)
    last = plus(SECOND, c5, road("r5", C3, c5))
    c6 = column("c6", 163, -106, 1)
    last = plus(last, c6, road("r6", C4, c6))
    back = road("r7", c5, C2)
    _, said = follow([RAMPS, FIRST, SECOND, last, plus(last, back)])
    told = [o for o in said if isinstance(o, Told)][-1]
    assert isinstance(told.fact, MoveFact)
    assert (told.fact.base, told.fact.column, told.fact.road.rests_on[1]) == ("c5", None, "c2")


# --- cars ---


def test_a_car_placed_after_the_road_settled_is_told_for_that_turn() -> None:
    _, said = follow([RAMPS, FIRST, plus(FIRST, car("k3", R3, "blue"))])
    late = facts(said)[-1]
    assert isinstance(late, CarsFact)
    assert (late.turn, late.player, [c.on for c in late.cars]) == (1, "blue", ["r3"])


def test_a_car_on_an_old_road_names_that_road() -> None:
    _, said = follow([RAMPS, FIRST, plus(FIRST, car("k3", R1, "blue", 0.2))])
    late = facts(said)[-1]
    assert isinstance(late, CarsFact)
    assert [c.on for c in late.cars] == ["r1"]


# --- taken back, put otherwise ---


def test_a_move_taken_back_is_undone() -> None:
    follower, said = follow([RAMPS, FIRST, RAMPS])
    assert isinstance(facts(said)[-1], UndoFact)
    assert follower.game.whose_turn == "blue"
    assert set(follower.game.roads) == {"r1", "r2"}


def test_a_column_put_otherwise_before_the_next_turn_is_ruled_anew() -> None:
    other = column("c3", -45, 104, 2)
    follower, said = follow([RAMPS, FIRST, plus(RAMPS, other, road("r3", C1, other))])
    assert [f.type for f in facts(said)] == ["ramp", "ramp", "move", "undo", "move"]
    assert follower.game.turn == 2
    assert len(follower.game.roads) == 3


def test_half_a_move_taken_away_waits_for_the_rest() -> None:
    follower, said = follow([RAMPS, FIRST, minus(FIRST, "r3"), minus(FIRST, "r3"), FIRST])
    assert [f.type for f in facts(said)] == ["ramp", "ramp", "move"]
    assert follower.state == "provisional"


# --- readings that miss or miscount ---


@pytest.mark.parametrize("missed", ["c1", "c3", "r3", "k1", "r1"])
def test_a_piece_that_one_reading_misses_is_believed(missed: str) -> None:
    follower, said = follow([RAMPS, FIRST, minus(SECOND, missed), THIRD])
    assert [f.type for f in facts(said)] == ["ramp", "ramp", "move", "move", "move"]
    assert follower.state == "provisional"


def test_a_car_that_two_readings_miss_has_fallen() -> None:
    table = minus(SECOND, "k1")
    _, said = follow([RAMPS, FIRST, SECOND, table, table])
    knock = facts(said)[-1]
    assert isinstance(knock, KnockFact)
    assert knock.pieces == ("k1",)


def test_the_images_have_the_last_word_on_a_missed_piece() -> None:
    follower, _ = follow([RAMPS, FIRST, SECOND])
    said = follower.handle(Settled(minus(SECOND, "k1"), stands=lambda piece: True), 8.0)
    said += follower.handle(Settled(minus(SECOND, "k1"), stands=lambda piece: True), 9.0)
    assert not facts(said)
    said = follower.handle(Settled(minus(SECOND, "k1"), stands=lambda piece: False), 10.0)
    assert isinstance(facts(said)[-1], KnockFact)


@pytest.mark.parametrize("missed", ["c3", "r3"])
def test_half_a_move_missed_is_read_from_the_next_reading(missed: str) -> None:
    _, said = follow([RAMPS, minus(FIRST, missed), SECOND])
    moves = [f for f in facts(said) if isinstance(f, MoveFact)]
    assert [(m.player, m.base) for m in moves] == [("blue", "c1"), ("pink", "c2")]


def test_a_column_missed_to_the_end_is_guessed_from_its_road_with_little_certainty() -> None:
    _, said = follow([RAMPS, minus(FIRST, "c3")], end=True)
    move = facts(said)[-1]
    assert isinstance(move, MoveFact)
    assert move.column is not None
    assert move.column.levels == 2
    assert move.column.levels_probability < 0.9


def test_a_doubtful_count_is_never_a_certain_ruling() -> None:
    unsure = column("c3", -57, 106, 3, levels_probability=0.7)
    _, said = follow([RAMPS, plus(RAMPS, unsure, road("r3", C1, C3))])
    told = [o for o in said if isinstance(o, Told)][-1]
    ruling = next(a for a in told.answers if isinstance(a, RulingLine))
    assert ruling.call == "too_close"


def test_pieces_that_fit_no_move_are_said_and_the_thread_is_found_again() -> None:
    lonely = (column("c8", 200, 90, 2), column("c9", 200, -16, 2))
    odd = plus(RAMPS, *lonely, road("r9", *lonely))
    follower, said = follow([RAMPS, odd, odd])
    assert follower.state == "desynchronised"
    assert any(isinstance(o, Warned) for o in said)
    said = follower.handle(Settled(FIRST), 9.0)
    assert [f.type for f in facts(said)] == ["move"]
    assert follower.state == "provisional"


# --- players' words, time, the end ---


def test_what_players_say_goes_into_the_record() -> None:
    follower, _ = follow([RAMPS])
    said = follower.handle(Said(PassFact(turn=1, player="blue")), 5.0)
    assert [f.type for f in facts(said)] == ["pass"]
    assert follower.game.whose_turn == "pink"


def test_an_undo_of_the_players_forgets_the_last_move() -> None:
    follower, _ = follow([RAMPS, FIRST])
    follower.handle(Said(UndoFact(turn=1)), 5.0)
    assert follower.newest == frozenset()


def test_time_never_runs_backwards() -> None:
    follower, _ = follow([RAMPS])
    said = follower.handle(Settled(FIRST), -50.0)
    assert all(output.time_s >= 1.0 for output in said)


def test_an_end_without_any_reading_is_no_crash() -> None:
    _, said = follow([], end=True)
    assert said == []


def test_a_game_that_is_over_takes_no_more_moves_but_says_so() -> None:
    one = {"gray": 10, "yellow": 1, "sticks": 10, "cars": 2}
    game = game_line(material={"blue": one, "pink": one})
    offramp = road("r3", C1, (-57, 112))
    done = plus(RAMPS, offramp, car("k3", offramp, "blue"))
    follower, _ = follow([RAMPS, done], game)
    assert follower.state == "finished"
    said = follower.handle(Settled(plus(done, C4, R4)), 9.0) + follower.handle(Settled(plus(done, C4, R4)), 10.0)
    assert not facts(said)
    (doubt,) = said  # who builds on says that something was seen wrongly
    assert isinstance(doubt, Warned)
    assert "the game is over" in doubt.words


# --- whole games ---


@pytest.mark.parametrize(("seed", "players"), [(1, ("blue", "pink")), (2, ("blue", "pink", "green"))])
def test_played_games_are_ruled_as_the_truth(seed: int, players: tuple[str, ...]) -> None:
    tally, _, _ = refereed(played(seed, players, 12), GOOD, seed)
    assert tally.turns == 12
    assert not tally.differing


def test_played_games_read_exactly_leave_no_doubt() -> None:
    tally, _, follower = refereed(played(3, ("blue", "pink"), 10), EXACT)
    assert not tally.differing
    assert {verdict for (_, verdict), n in tally.counts.items() if n} == {"agree"}
    assert follower.game.turn == 11


def test_every_knock_in_a_played_game_is_told_with_its_penalty() -> None:
    tally, _, _ = refereed(played(4, ("blue", "pink"), 9, knocks=0.6), GOOD, 4)
    assert tally.counts["penalty", "agree"] >= 2
    assert not tally.differing


def test_missed_and_miscounted_pieces_lose_no_move_of_a_played_game() -> None:
    how = Misreading(0.5, 1.0, 0.7, missed=0.02, miscounted=0.02)
    tally, _, _ = refereed(played(5, ("blue", "pink"), 12), how, 5)
    assert tally.turns == 12
    assert not tally.certain


def test_the_follower_keeps_no_more_the_longer_it_plays() -> None:
    follower, _ = follow([RAMPS, FIRST])
    for i in range(300):
        follower.handle(Settled(FIRST), 10.0 + i)
    assert len(follower.known.weights) == len(follower.known.layout.columns) + 3 + 2
    assert len(follower.game.facts) == 3
