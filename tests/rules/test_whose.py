"""Nobody's colour is on a road: where it is not sure who built one, what hangs on that is not sure either."""

from __future__ import annotations

from rules.events import CorrectionFact
from rules.messages import messages
from rules.state import Unsure
from tests.rules.tables import Table, rules_of


def table_with_doubt(sure: float = 0.5) -> Table:
    """In blue's turn a road went from pink's column p1 to p2: pink out of turn, or blue from a wrong column?"""
    table = Table("blue", "pink", "green")
    table.ramp("blue", "b1", (0, 0))
    table.ramp("pink", "p1", (0, 200))
    table.ramp("green", "g1", (0, 400), heading=90)
    fact = table.move_fact("pink", "p1", "p2", (100, 200), gray=2, road="doubt", turn=1)
    table.apply(fact.model_copy(update={"turn_probability": 0.5, "player_probability": sure}))
    return table


def test_building_on_from_a_column_in_doubt_is_a_question() -> None:
    table = table_with_doubt()
    table.move("green", "g1", "g2", (100, 400), gray=2)
    table.move("blue", "b1", "b2", (100, 0), gray=2)
    table.move("pink", "p2", "p3", (200, 200), gray=1)
    assert [(f.rule, f.call, f.probability) for f in table.ruling.faults] == [("not-base-point", "too_close", 0.5)]
    assert table.ruling.call == "too_close"


def test_a_column_in_doubt_is_no_certain_fault_of_another_player_either() -> None:
    table = table_with_doubt()
    table.move("green", "g1", "g2", (100, 400), gray=2)
    table.move("blue", "p2", "b2", (200, 200), gray=1)
    assert [(f.rule, f.call) for f in table.ruling.faults] == [("not-base-point", "too_close")]


def test_a_branch_that_may_be_another_s_is_no_certain_second_branch() -> None:
    table = table_with_doubt()
    table.move("green", "g1", "g2", (100, 400), gray=2)
    table.move("blue", "b1", "b2", (100, 0), gray=2)
    table.move("pink", "p1", "p3", (-100, 230), gray=2)
    assert {f.call for f in table.ruling.faults if f.rule in ("gray-branches", "not-base-point")} == {"too_close"}


def test_who_is_sure_leaves_no_doubt_behind() -> None:
    table = table_with_doubt(sure=1.0)
    table.move("green", "g1", "g2", (100, 400), gray=2)
    table.move("blue", "p2", "b2", (200, 200), gray=1)
    assert rules_of(table.ruling) == {"not-base-point"}
    assert table.ruling.call == "fault"


def test_whether_a_crossing_pays_hangs_on_whose_the_crossed_road_is() -> None:
    """Blue crosses over the road in doubt: if it is pink's it pays, if it is blue's own it doesn't."""
    for sure, call in ((1.0, "clear"), (0.5, "too_close")):
        table = table_with_doubt(sure)
        table.move("green", "g1", "g2", (100, 400), gray=2)
        table.move("blue", "b1", "b2", (50, 140), gray=3)
        table.move("pink", "p1", "p3", (-100, 230), gray=2)
        table.move("green", "g2", "g3", (200, 400), gray=1)
        table.move("blue", "b2", "b3", (50, 246), gray=4)
        (crossing,) = table.ruling.crossings
        assert (crossing.road, crossing.side, crossing.pays, crossing.call) == ("doubt", "over", True, call)
        assert table.ruling.cars_due_range == ((0, 1) if sure < 1 else None)
        asked = " ".join(m.text + m.reason for m in messages(table.ruling))
        assert ("who built" in asked) == (sure < 1)


def test_green_s_crossing_pays_whoever_of_the_others_built_the_road() -> None:
    table = table_with_doubt()
    table.move("green", "g1", "g2", (50, 300), gray=2)
    table.move("blue", "b1", "b2", (100, 0), gray=2)
    table.move("pink", "p1", "p3", (-100, 230), gray=2)
    table.move("green", "g2", "g3", (50, 194), gray=3)
    (crossing,) = table.ruling.crossings
    assert (crossing.pays, crossing.call, table.ruling.cars_due_range) == (True, "clear", None)


def test_green_may_not_build_from_a_column_that_is_blue_s_or_pink_s() -> None:
    table = table_with_doubt()
    table.move("green", "p2", "g2", (200, 200), gray=1)
    assert table.ruling.call == "fault"


def test_the_players_answer_settles_whose_it_is() -> None:
    table = table_with_doubt()
    table.apply(CorrectionFact(turn=1, ruling="doubt", set={"turn-order": "fault"}, by="pink"))
    assert not table.game.state.unsure
    table.move("green", "g1", "g2", (100, 400), gray=2)
    table.move("blue", "p2", "b2", (200, 200), gray=1)
    assert table.ruling.call == "fault"


def test_undo_takes_the_doubt_back() -> None:
    table = table_with_doubt()
    assert table.game.state.unsure == {"p2": Unsure(0.5, "blue"), "doubt": Unsure(0.5, "blue")}
    table.undo(1)
    assert not table.game.state.unsure
