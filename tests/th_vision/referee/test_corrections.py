"""What players correct: rulings, crossings, what was built and by whom; and one line where it can't be."""

from __future__ import annotations

from rules.events import (
    CorrectionFact,
    MoveFact,
    RulingLine,
)
from tests.th_vision.games import (
    FIRST,
    PIECES,
    RAMPS,
    SECOND,
)
from tests.th_vision.referee.spoken_table import OFFRAMP, Table, announced, text
from th_vision.announce import Announcer
from th_vision.follow_events import Told
from th_vision.standings import kinds_of


def test_one_car_more_or_fewer_with_two_keys() -> None:
    table = Table(RAMPS, FIRST)
    (fact,), _ = table.hear("+")
    assert isinstance(fact, CorrectionFact)
    assert (fact.ruling, dict(fact.set)) == ("r3", {"cars_due": 1})
    assert table.follower.state == "cars due"
    table.hear("-")
    assert table.follower.state == "provisional"
    assert "none less can be" in table.refused("-")


def test_an_older_turn_is_corrected_by_its_number() -> None:
    table = Table(RAMPS, FIRST, SECOND)
    (fact,), _ = table.hear("turn 1 cars 2")
    assert isinstance(fact, CorrectionFact)
    assert (fact.turn, fact.ruling) == (1, "r3")
    assert "moves are in turns 1 to 2" in table.refused("turn 9 cars 2")


def test_a_crossing_that_was_not_seen_is_corrected_by_its_cars() -> None:
    assert "cars and the number" in Table(RAMPS, FIRST).refused("over r2")


def test_a_crossing_with_a_road_that_is_not_there_is_refused() -> None:
    assert "no such road" in Table(RAMPS, FIRST).refused("over r999")


def test_the_players_say_what_a_column_really_is() -> None:
    table = Table(RAMPS, FIRST)
    told, _ = table.hear("discs 3")
    assert [fact.type for fact in told] == ["undo", "move"]
    assert table.follower.game.columns["c3"].levels == 3
    table.hear("yellow")
    column_now = table.follower.game.columns["c3"]
    assert (column_now.gray, column_now.yellow) == (2, 1)
    _, lines = table.hear("discs 3")
    assert "how I saw it" in text(lines)
    assert "offramp" in Table(RAMPS, OFFRAMP).refused("discs 2")


def test_a_number_of_discs_far_from_what_is_seen_is_a_slip_of_the_finger() -> None:
    table = Table(RAMPS, FIRST)
    for words in ("discs 99", "discs 5", "turn 1 discs 30"):
        assert "by its road's height I see 2; 1 to 4 can be" in table.refused(words)
    assert table.follower.game.columns["c3"].levels == 2


def test_a_road_lies_on_its_column_whatever_its_discs_are() -> None:
    table = Table(RAMPS, FIRST)
    table.hear("discs 1")
    ruling = table.follower.game.ruling("r3")
    assert ruling is not None
    assert "end-not-resting" not in [fault.rule for fault in ruling.faults]
    assert table.settle(FIRST) == []
    road_now = table.follower.game.roads["r3"]
    assert road_now.rests_on[1] == "c3"
    assert road_now.ends[1][2] == 10 + PIECES.stick.thickness


def test_a_column_is_looked_for_as_high_as_it_was_seen() -> None:
    """Whoever reads the table begins with what was seen, not with what players said of it."""
    table = Table(RAMPS, FIRST)
    table.hear("discs 3")
    assert {c.id: c.levels for c in table.follower.known.layout.columns}["c3"] == 3
    assert {c.id: c.levels for c in table.follower.known.as_read(PIECES.disc.height).columns}["c3"] == 2


def test_more_cars_or_discs_than_a_player_has_are_refused() -> None:
    table = Table(RAMPS, FIRST)
    assert "blue could place 9 at most" in table.refused("cars 50")
    table.hear("cars 9")
    assert "10 can't be due" in table.refused("+")
    assert "blue holds 30 discs" in table.refused("penalty blue pink 200")


def test_a_correction_of_what_is_no_more_is_left_out() -> None:
    table = Table(RAMPS, FIRST, SECOND)
    table.hear("penalty blue pink 2")
    table.hear("by blue")  # the road was blue's own: nobody owes anybody anything for it
    assert [fact.type for fact in table.follower.told if fact.type == "correction"] == []


def test_the_players_say_who_built() -> None:
    table = Table(RAMPS, FIRST)
    table.hear("by pink")
    assert table.follower.game.owners["r3"] == "pink"


def test_only_what_a_correction_changes_is_said_again() -> None:
    table = Table(RAMPS, OFFRAMP)
    announcer = Announcer()
    game = table.follower.game
    told = next(f for f in table.follower.told if isinstance(f, MoveFact))
    ruling = game.ruling(told.road.id)
    assert isinstance(ruling, RulingLine)
    announcer.lines(Told(told, (ruling,), 1.0), game.owners, kinds_of(game))
    fact = CorrectionFact(turn=1, ruling="r3", set={"cars_due": 2})
    answers = tuple(table.follower.game.copy().apply(fact))
    lines = announcer.lines(Told(fact, answers, 2.0), game.owners, kinds_of(game))
    said = text(lines)
    assert "2 cars" in said
    assert "builds an offramp: one car" not in said


def test_a_car_that_is_due_no_more_is_not_called_forgotten() -> None:
    assert not [line for line in announced("+", "-") if "has not placed" in line]
    assert [line for line in announced("+") if "has not placed" in line]
    assert len([line for line in announced("+", "discs 1") if "has not placed" in line]) == 1


def test_what_a_column_really_is_is_always_said() -> None:
    assert "Turn 1: blue builds road r3 from column c1 to the new junction c3, 2 levels high." in announced("yellow")


def test_a_fault_that_the_players_see_is_said_as_one() -> None:
    assert "Fault: blue's road r3 is against the rules." in announced("fault")


def test_a_correction_that_changes_nothing_says_how_things_stand() -> None:
    said = announced("+", "-", "cars 0")
    assert "Blue's road r3 is legal." in said[-3:]
    assert not [line for line in said if "cars_due" in line]
