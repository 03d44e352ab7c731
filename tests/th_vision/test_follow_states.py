"""The states of a game at the table: what players say, time that passes, hands, pauses, and a game taken up again."""

from __future__ import annotations

import pytest

from rules.events import (
    CarsLine,
    CorrectionFact,
    KnockFact,
    MoveFact,
    PenaltyLine,
    SaidFact,
    UndoFact,
)
from rules.layout import Layout, Road
from tests.th_vision.games import (
    C1,
    C3,
    C4,
    FIRST,
    PIECES,
    R3,
    RAMPS,
    SECOND,
    THIRD,
    car,
    column,
    facts,
    follow,
    game_line,
    minus,
    over,
    plus,
    road,
    states,
)
from th_vision.follow import Follower
from th_vision.follow_events import (
    Accepted,
    Guide,
    HandSeen,
    Moving,
    Output,
    Paused,
    Recounted,
    Reminded,
    Reread,
    Said,
    Settled,
    TakenAsIs,
    Told,
    Waited,
    Warned,
)

OFFRAMP = plus(RAMPS, road("r3", C1, (-57, 112)))  # pays one car
WITH_CAR = plus(OFFRAMP, car("k3", OFFRAMP.roads[-1], "blue"))
FALLEN = plus(minus(SECOND, "r3"), Road(id="r3", ends=((-150, 60, 2), (-40, 70, 2)), rests_on=("table", "table")))
LONELY = (column("c8", 200, 90, 2), column("c9", 200, -16, 2))
ODD = plus(RAMPS, *LONELY, road("r9", *LONELY))


def quiet(follower: Follower, first_s: int, last_s: int) -> list[Output]:
    """Nothing stirs in these seconds."""
    return [output for t in range(first_s, last_s) for output in follower.handle(Waited(), float(t))]


# --- turns ---


def test_a_ruled_move_may_be_put_otherwise_until_its_turn_is_over() -> None:
    follower, _ = follow([RAMPS, FIRST])
    assert follower.state == "provisional"
    assert states(over(follower, 3.0)) == ["turn over", "waiting"]
    assert follower.newest == frozenset()


def test_the_next_players_building_ends_a_turn() -> None:
    follower, _ = follow([RAMPS, FIRST])
    said = follower.handle(Settled(SECOND), 3.0)
    assert states(said) == ["settled", "turn over", "move seen", "ruling", "provisional"]


def test_cars_due_are_waited_for() -> None:
    follower, _ = follow([RAMPS, OFFRAMP])
    assert follower.state == "cars due"
    assert follower.owed == ("blue", 1)
    follower.handle(Settled(WITH_CAR), 3.0)
    assert follower.state == "provisional"
    assert follower.owed is None


def test_forgotten_cars_are_called_to_mind_once_when_nothing_stirs() -> None:
    follower, _ = follow([RAMPS, OFFRAMP])
    assert quiet(follower, 2, 9) == []
    said = quiet(follower, 9, 40)
    assert [(o.player, o.cars) for o in said if isinstance(o, Reminded)] == [("blue", 1)]


def test_a_hand_that_leaves_without_the_car_is_reminded_at_once() -> None:
    follower, _ = follow([RAMPS, OFFRAMP])
    said = follower.handle(HandSeen(), 3.0) + follower.handle(Settled(OFFRAMP), 4.0)
    assert any(isinstance(output, Reminded) for output in said)


def test_a_longer_look_at_a_move_reminds_nobody_yet() -> None:
    follower, said = follow([RAMPS, OFFRAMP, OFFRAMP])
    assert not [output for output in said if isinstance(output, Reminded)]
    assert follower.state == "cars due"


def test_a_turn_called_over_lets_its_cars_go() -> None:
    follower, _ = follow([RAMPS, OFFRAMP])
    over(follower, 3.0)
    assert follower.state == "waiting"
    said = follower.handle(Settled(WITH_CAR), 4.0)
    lines = [a for o in said if isinstance(o, Told) for a in o.answers if isinstance(a, CarsLine)]
    assert [(line.due, line.placed, line.call) for line in lines] == [(0, 1, "fault")]


def test_a_configured_pause_ends_a_turn_and_stands_in_the_record() -> None:
    follower = Follower(game_line(), PIECES, turn_pause_s=20.0)
    for t, layout in enumerate((RAMPS, FIRST)):
        follower.handle(Settled(layout), float(t))
    assert quiet(follower, 2, 20) == []
    said = quiet(follower, 20, 23)
    assert [(f.words, f.by) for f in facts(said) if isinstance(f, SaidFact)] == [("next", "pause")]
    assert states(said) == ["turn over", "waiting"]


def test_a_hand_at_work_holds_the_pause_off() -> None:
    follower = Follower(game_line(), PIECES, turn_pause_s=20.0)
    for t, layout in enumerate((RAMPS, FIRST)):
        follower.handle(Settled(layout), float(t))
    follower.handle(HandSeen(), 19.0)
    follower.handle(Settled(FIRST), 20.0)
    assert quiet(follower, 20, 38) == []


def test_a_clock_that_is_set_or_a_camera_that_froze_ends_no_turn() -> None:
    follower = Follower(game_line(), PIECES, turn_pause_s=20.0)
    for t, layout in enumerate((RAMPS, FIRST)):
        follower.handle(Settled(layout), float(t))
    assert follower.handle(Waited(), 4000.0) == []
    assert follower.handle(Waited(), 10.0) == []
    assert follower.state == "provisional"


def test_hands_and_moving_things_are_states_of_their_own() -> None:
    follower, _ = follow([RAMPS])
    said = follower.handle(HandSeen(), 2.0) + follower.handle(Moving(), 3.0) + follower.handle(Settled(RAMPS), 4.0)
    assert states(said) == ["hand in view", "moving", "settled", "waiting"]


def test_words_while_a_hand_is_in_view_leave_it_in_view() -> None:
    follower, _ = follow([RAMPS, FIRST])
    follower.handle(HandSeen(), 3.0)
    over(follower, 3.5)
    assert follower.state == "hand in view"


def test_what_a_reading_told_is_looked_at_once_more_however_many_frames_later() -> None:
    follower, _ = follow([RAMPS, FIRST])
    for frame in range(12):
        follower.handle(Waited(), 3.0 + frame / 15)
    assert follower.wants_another_look
    follower.handle(Settled(FIRST), 4.0)
    assert not follower.wants_another_look


# --- taken back, corrected ---


def test_pieces_of_a_turn_taken_back_by_word_may_stay_or_go_without_a_knock() -> None:
    follower, _ = follow([RAMPS, FIRST])
    follower.handle(Said(UndoFact(turn=1)), 3.0)
    assert follower.game.whose_turn == "blue"
    said = follower.handle(Settled(FIRST), 4.0) + follower.handle(Settled(RAMPS), 5.0)
    assert not facts(said)
    said = follower.handle(Settled(FIRST), 6.0)
    assert [f.type for f in facts(said)] == ["move"]


def test_pieces_of_a_turn_taken_back_that_are_put_otherwise_are_a_move() -> None:
    follower, _ = follow([RAMPS, FIRST])
    follower.handle(Said(UndoFact(turn=1)), 3.0)
    other = column("c3", -45, 104, 2)
    said = follower.handle(Settled(plus(RAMPS, other, road("r3", C1, other))), 4.0)
    assert [f.type for f in facts(said)] == ["move"]


def test_reading_the_table_again_finds_what_was_taken_back() -> None:
    follower, _ = follow([RAMPS, FIRST])
    follower.handle(Said(UndoFact(turn=1)), 3.0)
    follower.handle(Reread(), 4.0)
    assert follower.takes_fresh_look()
    assert not follower.takes_fresh_look()
    said = follower.handle(Settled(FIRST), 5.0)
    assert [f.type for f in facts(said)] == ["move"]


def test_a_miscounted_column_is_told_anew_with_what_followed_and_stays_so() -> None:
    follower, _ = follow([RAMPS, FIRST, SECOND])
    before = next(f for f in follower.told if isinstance(f, MoveFact))
    assert before.column is not None
    more = before.column.model_copy(update={"gray": 3})
    said = follower.handle(Recounted(before, before.model_copy(update={"column": more})), 4.0)
    assert [f.type for f in facts(said)] == ["undo", "move", "move"]
    assert follower.game.columns["c3"].gray == 3
    said = follower.handle(Settled(SECOND), 5.0) + follower.handle(Settled(SECOND), 6.0)
    assert not facts(said)
    assert next(c for c in follower.known.layout.columns if c.id == "c3").levels == 3


def test_a_corrected_ruling_changes_what_is_due() -> None:
    follower, _ = follow([RAMPS, OFFRAMP])
    fact = CorrectionFact(turn=1, ruling="r3", set={"cars_due": 0})
    follower.handle(Said(fact), 3.0)
    assert follower.state == "provisional"


def test_a_game_that_the_players_take_back_after_its_end_goes_on() -> None:
    one = {"gray": 10, "yellow": 1, "sticks": 10, "cars": 2}
    follower, _ = follow([RAMPS, WITH_CAR], game_line(material={"blue": one, "pink": one}))
    assert follower.state == "finished"
    follower.handle(Said(UndoFact(turn=1)), 4.0)
    assert follower.state == "waiting"


def test_a_move_taken_back_is_told_though_another_piece_is_missed_with_it() -> None:
    follower, said = follow([RAMPS, FIRST, SECOND, minus(FIRST, "k1")])
    assert [f.type for f in facts(said)][-1] == "undo"
    assert follower.game.whose_turn == "pink"
    assert not facts(follower.handle(Settled(FIRST), 9.0))


def test_a_car_taken_back_with_its_road_is_gone_though_it_might_be_hidden() -> None:
    """A road lies over the place of the car: it could be hidden there, but its own road is gone."""
    above = road("r9", column("c8", -100, 50, 6), column("c9", -10, 50, 6))
    table = plus(RAMPS, column("c8", -100, 50, 6), column("c9", -10, 50, 6), above)
    with_car = plus(table, C3, R3, car("k3", R3, "blue"))
    follower, said = follow([RAMPS, table, with_car, table, table, table])
    assert not [f for f in facts(said) if isinstance(f, KnockFact)]
    assert not [o for o in said if isinstance(o, Warned) and "rule book" in o.words]
    assert "k3" not in {k.id for k in follower.known.layout.cars}


def test_a_move_taken_back_and_built_elsewhere_at_once_is_told_anew() -> None:
    other = column("c9", -57, -106, 2)
    follower, said = follow([RAMPS, FIRST, plus(RAMPS, other, road("r9", C1, other))])
    assert [f.type for f in facts(said)] == ["ramp", "ramp", "move", "undo", "move"]
    assert not [f for f in facts(said) if isinstance(f, KnockFact)]
    assert follower.game.whose_turn == "pink"


def test_a_move_knocked_off_the_table_by_the_next_builder_is_a_knock() -> None:
    _, said = follow([RAMPS, FIRST, plus(RAMPS, C4, road("r4", column("c2", 57, 0), C4))])
    assert [f.type for f in facts(said)][-2:] == ["move", "knock"]
    assert [f.by for f in facts(said) if isinstance(f, KnockFact)] == ["pink"]


def test_who_builds_on_pieces_of_a_turn_taken_back_takes_them_in_again() -> None:
    follower, _ = follow([RAMPS, FIRST, SECOND])
    follower.handle(Said(UndoFact(turn=2)), 5.0)
    last = column("c6", 163, -106, 3)
    said = follower.handle(Settled(plus(SECOND, last, road("r6", C4, last))), 6.0)
    first, second = (f for f in facts(said) if isinstance(f, MoveFact))
    assert first.column is not None
    assert (first.base, second.base) == ("c2", first.column.id)


def test_a_piece_that_one_look_misses_is_looked_for_again_at_once() -> None:
    follower, _ = follow([RAMPS, FIRST, SECOND])
    follower.handle(Settled(SECOND), 5.0)
    assert not follower.wants_another_look
    follower.handle(Settled(minus(SECOND, "k1")), 6.0)
    assert follower.wants_another_look


# --- knocks ---


def test_players_may_accept_the_table_as_it_lies() -> None:
    follower, _ = follow([RAMPS, FIRST, SECOND, FALLEN])
    assert follower.state == "knocked"
    said = follower.handle(Accepted(), 9.0)
    assert [o.off[0][0] for o in said if isinstance(o, TakenAsIs)] == ["r3"]
    assert follower.state == "provisional"
    assert not facts(follower.handle(Settled(FALLEN), 10.0))


def test_the_guide_says_where_to_move_a_piece() -> None:
    follower, _ = follow([RAMPS, FIRST, SECOND, FALLEN])
    aside = road("r3", column("c1", -51, 0), column("c3", -51, 106, 2))
    said = follower.handle(Settled(plus(minus(SECOND, "r3"), aside)), 9.0)
    (guide,) = [o for o in said if isinstance(o, Guide)]
    assert guide.off == (("r3", "blue's road r3: move it 6 mm to the left"),)


def test_players_may_settle_what_a_knock_costs() -> None:
    lying = Road(id="r4", ends=((100, -60, 2), (210, -50, 2)), rests_on=("table", "table"))
    follower, said = follow([RAMPS, FIRST, SECOND, plus(minus(SECOND, "r4"), lying)])
    (knock,) = [f for f in facts(said) if isinstance(f, KnockFact)]
    penalties = [a for o in said if isinstance(o, Told) for a in o.answers if isinstance(a, PenaltyLine)]
    assert [(a.from_, a.to, a.discs) for a in penalties] == [("blue", "pink", 1)]
    held = follower.game.supplies["pink"].gray
    follower.handle(Said(CorrectionFact(turn=knock.turn, ruling="r4", set={"discs": 0})), 9.0)
    assert follower.game.supplies["pink"].gray == held - 1
    assert follower.state == "knocked"


def by_one_shift(layout: Layout, x: float, y: float) -> Layout:
    columns = tuple(c.model_copy(update={"x": c.x + x, "y": c.y + y}) for c in layout.columns)
    roads = tuple(
        r.model_copy(update={"ends": tuple((e[0] + x, e[1] + y, e[2]) for e in r.ends)}) for r in layout.roads
    )
    cars = tuple(k.model_copy(update={"x": k.x + x, "y": k.y + y}) for k in layout.cars)
    return layout.model_copy(update={"columns": columns, "roads": roads, "cars": cars})


def test_a_table_that_was_moved_as_a_whole_is_no_knock() -> None:
    follower, _ = follow([RAMPS, FIRST, SECOND])
    said = follower.handle(Settled(by_one_shift(SECOND, 7, -5)), 9.0)
    (warned,) = [o for o in said if isinstance(o, Warned)]
    assert warned.line.kind == "camera-moved"
    assert warned.line.value == pytest.approx(8.6, abs=0.1)
    assert [f.type for f in facts(said)] == ["restored"]
    assert follower.game.columns["c1"].x == -50
    said = follower.handle(Settled(by_one_shift(THIRD, 7, -5)), 10.0)
    assert [f.type for f in facts(said)] == ["move"]


def test_a_move_made_while_the_table_was_moved_is_told_too() -> None:
    follower, _ = follow([RAMPS, FIRST, SECOND])
    said = follower.handle(Settled(by_one_shift(THIRD, -4, 6)), 9.0)
    assert [f.type for f in facts(said)] == ["restored", "move"]


# --- pieces that fit no move ---


def test_pieces_that_fit_no_move_may_be_accepted_as_no_part_of_the_game() -> None:
    follower, _ = follow([RAMPS, ODD, ODD])
    assert follower.state == "desynchronised"
    assert follower.takes_fresh_look()
    follower.handle(Accepted(), 4.0)
    assert follower.state == "waiting"
    said = follower.handle(Settled(plus(ODD, C3, R3)), 5.0)
    assert [f.type for f in facts(said)] == ["move"]
    assert follower.state == "provisional"
    assert not facts(follower.handle(Settled(FIRST), 6.0))


def test_yes_to_pieces_that_are_no_move_all_the_same_is_answered() -> None:
    follower, _ = follow([RAMPS, ODD, ODD])
    outputs = follower.handle(Accepted(as_moves=True), 4.0)
    assert [output.line.kind for output in outputs if isinstance(output, Warned)] == ["unknown-object"]
    assert follower.state == "desynchronised"


def test_a_move_whose_column_can_t_be_seen_is_told_when_the_players_say_so() -> None:
    hidden = minus(FIRST, "c3")
    follower, said = follow([RAMPS, hidden, hidden])
    assert follower.state == "desynchronised"
    assert not [f for f in facts(said) if isinstance(f, MoveFact)]
    said = follower.handle(Accepted(as_moves=True), 4.0)
    (move,) = facts(said)
    assert isinstance(move, MoveFact)
    assert move.column is not None
    assert move.column.levels_probability < 0.9


def test_supplies_at_the_rim_don_t_matter() -> None:
    field = ((-230, -200), (230, -200), (230, 200), (-230, 200))
    follower, _ = follow([RAMPS])
    for t in range(4):
        said = follower.handle(Settled(ODD, field=field), 5.0 + t)
        assert not [o for o in said if isinstance(o, Warned)]
    assert follower.state == "waiting"


def test_a_column_at_the_edge_of_what_is_seen_is_said_once() -> None:
    field = ((-260, -120), (260, -120), (260, 120), (-260, 120))
    follower, _ = follow([RAMPS])
    said = [o for t in range(3) for o in follower.handle(Settled(FIRST, field=field), 5.0 + t)]
    (warned,) = [o for o in said if isinstance(o, Warned)]
    assert (warned.line.kind, warned.line.pieces) == ("field-edge", ("c3",))


# --- pause ---


def test_a_paused_game_sees_nothing() -> None:
    follower, _ = follow([RAMPS])
    assert states(follower.handle(Paused(), 2.0)) == ["paused"]
    assert follower.handle(HandSeen(), 3.0) == []
    assert follower.handle(Settled(FIRST), 4.0) == []
    assert states(follower.handle(Paused(on=False), 5.0)) == ["waiting"]
    assert [f.type for f in facts(follower.handle(Settled(FIRST), 6.0))] == ["move"]
