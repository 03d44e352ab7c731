"""A game taken up again from its record, and the set-up of a city."""

from __future__ import annotations

import pytest

from rules.events import (
    CityFact,
    KnockFact,
    MoveFact,
    RampFact,
    RestoredFact,
    RulingLine,
    UndoFact,
)
from rules.layout import CityObject, Layout, Road
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
    Paused,
    Reread,
    Said,
    Settled,
    Told,
    Waited,
    Warned,
)
from th_vision.game_layout import layout_of
from th_vision.known import Known

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
