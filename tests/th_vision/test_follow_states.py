"""The states of a game at the table: what players say, time that passes, hands, pauses, and a game taken up again."""

from __future__ import annotations

import pytest

from rules.events import (
    CarsLine,
    CityFact,
    CorrectionFact,
    KnockFact,
    MoveFact,
    PenaltyLine,
    RampFact,
    RestoredFact,
    RulingLine,
    SaidFact,
    UndoFact,
)
from rules.layout import CityObject, Layout, Road
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
    plus,
    road,
    states,
)
from th_vision.follow import Follower
from th_vision.follow_events import (
    Accepted,
    BackAgain,
    Checked,
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
from th_vision.game_layout import layout_of
from th_vision.known import Known

NEXT = "next"
OFFRAMP = plus(RAMPS, road("r3", C1, (-57, 112)))  # pays one car
WITH_CAR = plus(OFFRAMP, car("k3", OFFRAMP.roads[-1], "blue"))
FALLEN = plus(minus(SECOND, "r3"), Road(id="r3", ends=((-150, 60, 2), (-40, 70, 2)), rests_on=("table", "table")))
LONELY = (column("c8", 200, 90, 2), column("c9", 200, -16, 2))
ODD = plus(RAMPS, *LONELY, road("r9", *LONELY))


def over(follower: Follower, time_s: float) -> list[Output]:
    """The players say that the turn is over."""
    return follower.handle(Said(SaidFact(turn=follower.game.turn, words=NEXT)), time_s)


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


# --- resumed ---


def resumed(told: Follower) -> Follower:
    """A follower that takes up what another one told, as from its record."""
    follower = Follower(game_line(), PIECES)
    follower.resume(told.game.facts, Known(layout_of(told.game, PIECES)))
    return follower


def test_a_resumed_game_goes_on_where_it_was() -> None:
    before, _ = follow([RAMPS, FIRST, SECOND])
    follower = resumed(before)
    assert follower.state == "checking"
    said = follower.handle(Settled(SECOND), 1.0) + follower.handle(Settled(SECOND), 2.0)
    assert [o.off for o in said if isinstance(o, Checked)] == [()]
    assert not facts(said)
    said = follower.handle(Settled(THIRD), 3.0)
    assert [(f.turn, f.player) for f in facts(said) if isinstance(f, MoveFact)] == [(3, "blue")]
    assert follower.game == follow([RAMPS, FIRST, SECOND, THIRD])[0].game


def test_what_was_built_while_nobody_watched_is_told() -> None:
    before, _ = follow([RAMPS, FIRST])
    follower = resumed(before)
    said = follower.handle(Settled(SECOND), 1.0)
    assert [(f.turn, f.player) for f in facts(said) if isinstance(f, MoveFact)] == [(2, "pink")]


def test_what_differs_from_the_record_is_said_and_costs_nothing() -> None:
    before, _ = follow([RAMPS, FIRST, SECOND])
    follower = resumed(before)
    pushed = column("c3", -57, 126, 2)
    table = plus(minus(SECOND, "c3", "r3"), pushed, road("r3", C1, pushed))
    said = follower.handle(Settled(table), 1.0)
    (checked,) = [o for o in said if isinstance(o, Checked)]
    assert "move it 20 mm down" in dict(checked.off)["c3"]
    assert not [f for f in facts(said) if isinstance(f, KnockFact)]
    assert follower.state == "knocked"
    said = follower.handle(Settled(SECOND), 2.0)
    assert "rebuilt" in states(said)


def test_one_reading_that_misses_a_piece_is_no_difference() -> None:
    before, _ = follow([RAMPS, FIRST, SECOND])
    follower = resumed(before)
    said = follower.handle(Settled(minus(SECOND, "k1")), 1.0) + follower.handle(Settled(SECOND), 2.0)
    assert [o.off for o in said if isinstance(o, Checked)] == [()]


def test_a_game_taken_up_at_an_empty_table_is_built_up_again_or_its_pieces_come_back_later() -> None:
    before, _ = follow([RAMPS, FIRST])
    follower = resumed(before)
    (checked,) = [o for o in follower.handle(Settled(Layout()), 1.0) if isinstance(o, Checked)]
    assert (checked.there, len(checked.off)) == (0, 8)
    follower.handle(Accepted(), 2.0)
    said = follower.handle(Settled(RAMPS), 3.0)
    assert [o.missing for o in said if isinstance(o, BackAgain)] == [2]
    said = follower.handle(Settled(FIRST), 4.0)
    assert [o.missing for o in said if isinstance(o, BackAgain)] == [0]
    assert follower.game.supplies == before.game.supplies
    assert follower.game.turn == before.game.turn


def test_a_turn_is_taken_back_though_its_pieces_were_put_up_again_before() -> None:
    before, _ = follow([RAMPS, FIRST])
    follower = resumed(before)
    follower.handle(Settled(Layout()), 1.0)
    follower.handle(Settled(FIRST), 2.0)
    assert any(isinstance(fact, RestoredFact) for fact in follower.told)
    said = [o for i in (3, 4) for o in follower.handle(Settled(RAMPS), float(i))]
    assert [o.words for o in said if isinstance(o, Warned)] == []
    assert [f.turn for f in facts(said) if isinstance(f, UndoFact)] == [1]


def test_a_piece_that_is_gone_for_good_is_a_difference() -> None:
    before, _ = follow([RAMPS, FIRST, SECOND])
    follower = resumed(before)
    table = minus(SECOND, "k1")
    said = follower.handle(Settled(table), 1.0) + follower.handle(Settled(table), 2.0)
    assert [o.off[0][0] for o in said if isinstance(o, Checked)] == ["k1"]


# --- set-up of the city ---


def area(name: str, kind: str, x: float, y: float, side: float = 60.0) -> CityObject:
    corners = ((x, y), (x + side, y), (x + side, y + side), (x, y + side))
    return CityObject(id=name, kind=kind, outline=corners, height=2.0)


def with_city(layout: Layout, *things: CityObject) -> Layout:
    return layout.model_copy(update={"city": things})


def test_players_take_turns_in_placing_city_objects_and_are_ruled_on_each() -> None:
    first, second = area("o1", "development_area", -30, 60), area("o2", "development_area", -30, 122)
    follower, said = follow([RAMPS, with_city(RAMPS, first), with_city(RAMPS, first, second)])
    placed = [f for f in facts(said) if isinstance(f, CityFact)]
    assert [(f.player, f.object.id) for f in placed] == [("blue", "o1"), ("pink", "o2")]
    rulings = [a for o in said if isinstance(o, Told) for a in o.answers if isinstance(a, RulingLine) and a.object]
    assert [a.call for a in rulings] == ["legal", "fault"]  # 2 mm apart, a column's width is asked for
    assert follower.state == "waiting"


def test_a_city_object_put_elsewhere_in_set_up_is_ruled_anew() -> None:
    first, second = area("o1", "development_area", -30, 60), area("o2", "development_area", -30, 122)
    better = area("o2", "development_area", -30, 145)
    layouts = [RAMPS, with_city(RAMPS, first), with_city(RAMPS, first, second), with_city(RAMPS, first, better)]
    follower, said = follow(layouts)
    assert [f.type for f in facts(said)][-2:] == ["undo", "city"]
    last = [a for o in said if isinstance(o, Told) for a in o.answers if isinstance(a, RulingLine)][-1]
    assert last.call == "legal"
    assert set(follower.game.city) == {"o1", "o2"}


def test_city_objects_before_the_ramps_are_told_before_them() -> None:
    thing = area("x7", "green_area", 120, 80)
    follower, said = follow([with_city(Layout(), thing), with_city(RAMPS, thing)])
    assert [f.type for f in facts(said)] == ["city", "ramp", "ramp"]
    assert [f.player for f in facts(said) if isinstance(f, RampFact)] == ["blue", "pink"]
    assert follower.state == "waiting"


def test_development_areas_seen_at_once_with_others_come_first() -> None:
    things = (area("o1", "green_area", 120, 80), area("o2", "development_area", -200, 80))
    _, said = follow([RAMPS, with_city(RAMPS, *things)])
    assert [f.object.kind for f in facts(said) if isinstance(f, CityFact)] == ["development_area", "green_area"]


def test_what_appears_after_the_first_move_is_no_city() -> None:
    follower, said = follow([RAMPS, FIRST, with_city(FIRST, area("o1", "tower", 150, 100, 30))])
    assert not [f for f in facts(said) if isinstance(f, CityFact)]
    assert not follower.game.city


@pytest.mark.parametrize("event", [Waited(), Accepted(), Accepted(as_moves=True), Reread(), Paused(on=False)])
def test_nothing_to_answer_is_no_crash(event: object) -> None:
    follower = Follower(game_line(), PIECES)
    assert not facts(follower.handle(event, 1.0))  # type: ignore[arg-type]  # events of all kinds
    assert follower.state == "set-up"


def test_a_piece_that_was_given_up_and_is_put_back_is_the_same_one() -> None:
    follower, _ = follow((RAMPS, FIRST, SECOND))
    without = minus(SECOND, "r4")
    fallen = plus(without, Road(id="r4", ends=((100, -60, 2), (210, -50, 2)), rests_on=("table", "table")))
    assert "knock" in [fact.type for fact in facts(follower.handle(Settled(fallen), 11.0))]
    follower.handle(Accepted(), 12.0)
    follower.handle(Settled(without), 13.0)
    told = facts(follower.handle(Settled(SECOND), 14.0))
    assert [fact.type for fact in told] == ["restored"]
    assert (follower.game.turn, follower.game.whose_turn) == (3, "blue")


def test_a_ramp_taken_back_alone_is_told_alone() -> None:
    follower, _ = follow((RAMPS,))
    follower.handle(Said(UndoFact(turn=0)), 11.0)
    outputs = follower.handle(Settled(RAMPS), 12.0)
    assert not [output for output in outputs if isinstance(output, Warned)]
    assert [(fact.type, getattr(fact, "player", "")) for fact in facts(outputs)] == [("ramp", "pink")]


def test_the_guide_says_where_a_column_of_one_level_stood() -> None:
    low = plus(SECOND, column("c5", 170, -106, 1), road("r5", C4, column("c5", 170, -106, 1)))
    follower, _ = follow((RAMPS, FIRST, SECOND, low))
    resumed = Follower(follower.game.fact, PIECES)
    resumed.resume(list(follower.told), Known(layout_of(follower.game, PIECES)))
    (said,) = [output for output in resumed.handle(Settled(SECOND), 20.0) if isinstance(output, Checked)]
    assert any("at (170, -106) mm, one level" in words for _, words in said.off)


def test_a_city_object_moved_in_play_is_said_once_and_again_after_it_was_put_right() -> None:
    tower = area("o1", "development_area", 150, 100)
    moved = area("o1", "development_area", 158, 106)
    second = with_city(SECOND, tower)
    layouts = [with_city(RAMPS, tower), with_city(FIRST, tower), with_city(FIRST, moved), with_city(FIRST, moved)]
    follower, said = follow(layouts)
    warned = [o.line for o in said if isinstance(o, Warned)]
    assert [(line.kind, line.pieces) for line in warned] == [("piece-moved", ("o1",))]
    assert warned[0].value == pytest.approx(10.0)
    again = follower.handle(Settled(second), 50.0) + follower.handle(Settled(with_city(SECOND, moved)), 51.0)
    assert [o.line.kind for o in again if isinstance(o, Warned)] == ["piece-moved"]


def test_a_city_object_is_gone_when_two_readings_miss_it() -> None:
    thing = area("o1", "development_area", 150, 100)
    follower, said = follow([with_city(RAMPS, thing), with_city(FIRST, thing), FIRST])
    assert not [o for o in said if isinstance(o, Warned)]
    said = follower.handle(Settled(FIRST), 60.0)
    assert [o.line.kind for o in said if isinstance(o, Warned)] == ["piece-fallen"]


def test_an_object_whose_kind_is_a_guess_is_not_told_yet() -> None:
    thing = area("o1", "green_area", 150, 100)
    _, said = follow([RAMPS, with_city(RAMPS, thing.model_copy(update={"kind_probability": 0.55}))])
    assert not [f for f in facts(said) if isinstance(f, CityFact)]
