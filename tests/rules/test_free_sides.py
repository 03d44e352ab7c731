"""Which sides of a road are free for others: said before a move, paid by the move."""

from __future__ import annotations

from rules.errors import RulesError
from rules.events import Fact, MoveFact, RulingLine
from rules.free_sides import FreeSide, free_sides
from rules.game import Game
from rules.record import read_record
from tests.conftest import ROOT
from tests.rules.tables import Table

GOLDEN = sorted((ROOT / "tests" / "games").glob("*.jsonl"))


def sides(table: Table, road: str) -> tuple[FreeSide, FreeSide]:
    return free_sides(table.game.state, table.game.rules, road)


def test_a_road_that_nobody_met_is_free_on_both_sides() -> None:
    table = Table()
    table.stick("pink", "p", (50, -50, 2), (50, 50, 3))
    assert [(side.side, side.free) for side in sides(table, "p")] == [("over", True), ("under", True)]


def test_a_crossing_takes_the_upper_roads_under_side_and_the_lower_roads_over_side() -> None:
    table = Table()
    table.stick("pink", "p", (50, -50, 2), (50, 50, 3))
    table.stick("blue", "b", (0, 0, 5), (100, 0, 6))
    over, under = sides(table, "p")
    assert (over.free, over.by, under.free) == (False, "b", True)
    over, under = sides(table, "b")
    assert (over.free, under.free, under.by) == (True, False, "p")


def test_by_event_the_upper_road_keeps_its_under_side() -> None:
    table = Table(first="event")
    table.stick("pink", "p", (50, -50, 2), (50, 50, 3))
    table.stick("blue", "b", (0, 0, 5), (100, 0, 6))
    assert [side.free for side in sides(table, "b")] == [True, True]


def test_a_road_that_pays_once_has_no_side_left_after_it_paid() -> None:
    table = Table(first_budget="once")
    table.stick("pink", "p", (50, -50, 3), (50, 50, 4))
    table.stick("blue", "b", (0, 0, 5), (100, 0, 6))
    assert [(side.free, side.reason) for side in sides(table, "p")] == [(False, "side-taken"), (False, "budget-spent")]


def test_spot_by_spot_a_side_stays_free_elsewhere() -> None:
    table = Table(first_scope="spot")
    table.stick("pink", "p", (50, -50, 3), (50, 50, 4))
    table.stick("blue", "b", (0, 0, 5), (100, 0, 6))
    over, under = sides(table, "p")
    assert over.free
    assert over.spots == ((50.0, 0.0),)
    assert under.spots == ()


def test_ramps_that_pay_nothing_are_never_free() -> None:
    table = Table(ramps_pay=False)
    ramp = table.ramp("pink", "c", (0, 0))
    assert [side.reason for side in sides(table, ramp)] == ["ramp", "ramp"]


def test_what_was_said_to_be_free_is_what_pays() -> None:
    """Before every move of a game, the sides of all roads; then the move's crossings. `must_be_outermost` is off."""
    looked_at = 0
    for path in GOLDEN:
        record = read_record(path)
        game = Game(record.game)
        for fact in record.facts[1:]:
            before = {road: free_sides(game.state, game.rules, road) for road in game.roads}
            looked_at += _compare(game, fact, before)
    assert looked_at > 60


def _compare(game: Game, fact: Fact, before: dict[str, tuple[FreeSide, FreeSide]]) -> int:
    try:
        answers = game.apply(fact)
    except RulesError:
        return 0
    looked_at = 0
    for answer in answers if isinstance(fact, MoveFact) else ():
        for line in answer.crossings if isinstance(answer, RulingLine) else ():
            if line.reason in ("own-road", "partial", "shared-column") or line.call == "too_close":
                continue
            side = before[line.road][line.side == "under"]
            assert (side.free, side.reason) == (line.pays, line.reason), (answer.turn, line)
            looked_at += 1
    return looked_at
