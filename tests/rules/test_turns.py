"""Turns in order, running out, being rescued or out, places, the end of the round, ranking."""

from __future__ import annotations

import pytest

from rules.errors import RulesError
from rules.events import FactCar, SaidFact, ScoreLine, SupplyLine
from tests.rules.tables import L, Table, rules_of

Held = dict[str, tuple[int, int, int, int]]


def table_of(*players: str, material: Held | None = None, **options: object) -> Table:
    """Ramps of all players, far from each other."""
    table = Table(*players, material=material, **options)  # type: ignore[arg-type]
    for number, player in enumerate(table.game.players):
        table.ramp(player, f"{player}1", (0.0, 300.0 * number))
    return table


def step(table: Table, player: str, **more: object) -> None:
    """The next move of a player along a straight line, up and down."""
    base = table.game.base_points(player)[-1]
    there = table.game.columns[base]
    levels = 2 if there.levels == 1 else 1
    name = f"{player}{len(table.game.columns) + 10}"
    table.move(player, base, name, (there.x + 100, there.y), gray=levels, **more)  # type: ignore[arg-type]


def test_players_take_turns_in_order() -> None:
    table = table_of("blue", "pink", "green")
    assert (table.game.turn, table.game.whose_turn) == (1, "blue")
    for player in ("blue", "pink", "green", "blue"):
        assert table.game.whose_turn == player
        step(table, player)
        assert table.ruling.faults == ()
    assert (table.game.turn, table.game.whose_turn) == (5, "pink")


def test_out_of_turn_is_a_fault_and_the_game_goes_on_from_there() -> None:
    table = table_of("blue", "pink", "green")
    step(table, "pink")
    assert rules_of(table.ruling) == {"turn-order"}
    assert table.ruling.faults[0].with_ == ("blue",)
    assert table.game.whose_turn == "green"


def test_lost_lines_of_a_record_are_no_fault_of_the_players() -> None:
    table = table_of("blue", "pink", "green")
    step(table, "blue", turn=1)
    step(table, "green", turn=3)  # turn 2 was unreadable
    assert table.ruling.faults == ()
    assert (table.game.turn, table.game.whose_turn) == (4, "blue")


def test_several_base_points_after_a_junction() -> None:
    table = table_of("blue", "pink")
    table.move("blue", "blue1", "j", (100, 0), gray=1, yellow=1)
    assert table.game.base_points("blue") == ("j",)
    table.move("blue", "j", "u", (180, 60), gray=3)
    assert set(table.game.base_points("blue")) == {"j", "u"}
    table.move("blue", "j", "d", (180, -60), gray=1)
    assert set(table.game.base_points("blue")) == {"u", "d"}
    ruling = table.move("blue", "j", "x", (60, 80), gray=1)
    assert "junction-branches" in rules_of(ruling)


def test_a_gray_column_has_one_road_out() -> None:
    table = table_of("blue", "pink")
    step(table, "blue")
    ruling = table.move("blue", "blue1", "x", (60, 80), gray=2)
    assert {"gray-branches", "not-base-point"} <= rules_of(ruling)


def test_somebody_elses_column_is_no_base_point() -> None:
    table = table_of("blue", "pink")
    ruling = table.move("blue", "pink1", "x", (100, 300), gray=2)
    assert "not-base-point" in rules_of(ruling)


def test_using_more_than_one_holds_is_a_fault_and_nobody_goes_below_nothing() -> None:
    table = table_of("blue", "pink", material={"blue": (2, 0, 1, 9)})
    ruling = table.move("blue", "blue1", "x", (100, 0), gray=1, yellow=1)
    supply = [fault for fault in ruling.faults if fault.rule == "supply"]
    assert {fault.unit for fault in supply} == {"sticks", "yellow discs"}
    held = table.game.supplies["blue"]
    assert (held.gray, held.yellow, held.sticks) == (0, 0, 0)


def test_who_passes_without_material_and_gets_no_disc_is_out() -> None:
    table = table_of("blue", "pink", "green", material={"blue": (1, 0, 5, 9)})
    assert table.passes("blue")[-1].type == "supply"
    step(table, "pink")
    assert table.out == []
    step(table, "green")
    assert table.out == ["blue"]
    assert table.end is None
    assert table.game.whose_turn == "pink"


def test_a_penalty_disc_rescues() -> None:
    table = table_of("blue", "pink", "green", material={"blue": (1, 0, 5, 9)})
    table.passes("blue")
    table.knock("pink", "blue1")
    step(table, "pink")
    step(table, "green")
    assert table.out == []
    assert table.game.whose_turn == "blue"
    assert table.game.supplies["blue"].gray == 1


def test_the_last_one_left_wins() -> None:
    table = table_of("blue", "pink", material={"blue": (1, 0, 5, 9)})
    table.passes("blue")
    step(table, "pink")
    assert table.out == ["blue"]
    assert table.end is not None
    assert (table.end.ranking, table.end.reason) == ((("pink",), ("blue",)), "no-material")
    assert table.game.finished


def test_passing_with_material_is_a_fault() -> None:
    table = table_of("blue", "pink")
    table.passes("blue")
    assert rules_of(table.ruling) == {"supply"}
    assert table.ruling.road is None
    step(table, "pink")
    assert table.out == []


def test_a_dead_end_may_pass() -> None:
    table = table_of("blue", "pink")
    table.move("blue", "blue1", None, (108, 0))
    step(table, "pink")
    assert table.game.base_points("blue") == ()
    assert [line.type for line in table.passes("blue")] == ["supply"]


def test_places_by_who_has_placed_all_cars() -> None:
    table = table_of("blue", "pink", "green", material={"pink": (9, 0, 9, 2), "green": (9, 0, 9, 2)})
    step(table, "blue")
    step(table, "pink", cars=["k"])
    assert table.out == ["pink"]
    assert table.end is None
    step(table, "green")
    step(table, "blue")
    assert table.game.whose_turn == "green"  # pink has left
    step(table, "green", cars=["m"])
    assert table.end is not None
    assert table.end.ranking == (("pink",), ("green",), ("blue",))
    assert table.end.reason == "all-cars-placed"


def test_who_is_out_comes_last() -> None:
    material = {"blue": (1, 0, 5, 9), "green": (9, 0, 9, 2)}
    table = table_of("blue", "pink", "green", material=material)
    table.passes("blue")
    step(table, "pink")
    step(table, "green", cars=["m"])
    assert table.out == ["green", "blue"]
    assert table.end is not None
    assert table.end.ranking == (("green",), ("pink",), ("blue",))


def test_after_the_end_there_is_no_turn() -> None:
    table = table_of("blue", "pink", material={"blue": (9, 0, 9, 2)})
    step(table, "blue", cars=["k"])
    assert table.end is not None
    step(table, "pink")
    assert "turn-order" in rules_of(table.ruling)
    assert table.end is None


def test_missions_end_when_all_sticks_are_placed() -> None:
    material = {"blue": (9, 0, 2, 9), "pink": (9, 0, 2, 9)}
    table = table_of("blue", "pink", rules="rainbow-city-missions", material=material)
    step(table, "blue")
    assert table.end is None
    step(table, "pink")
    assert table.end is not None
    assert table.end.reason == "all-sticks-placed"


def test_missions_rank_by_score_then_by_cars_on_the_highway() -> None:
    # Ten discs left are as good as two cars: a tie that cars on the highway break.
    material = {"blue": (14, 0, 2, 9), "pink": (4, 0, 2, 9)}
    table = table_of("blue", "pink", rules="rainbow-city-missions", material=material)
    step(table, "blue")
    step(table, "pink", cars=["k", "m"])
    score = next(line for line in table.answers if isinstance(line, ScoreLine)).players
    assert score["blue"].total == score["pink"].total
    assert table.end is not None
    assert table.end.ranking == (("pink",), ("blue",))


def test_missions_share_a_place_where_all_is_level() -> None:
    material = {"blue": (9, 0, 2, 9), "pink": (9, 0, 2, 9)}
    table = table_of("blue", "pink", rules="rainbow-city-missions", material=material)
    step(table, "blue")
    step(table, "pink")
    assert table.end is not None
    assert table.end.ranking == (("blue", "pink"),)


def test_a_round_that_the_last_player_ends_is_over_at_once() -> None:
    table = table_of("blue", "pink", rules="rainbow-city-missions", material={"pink": (9, 0, 9, 2)})
    step(table, "blue")
    step(table, "pink", cars=["k"])
    assert table.end is not None


def test_putting_a_stick_aside_with_discs_in_hand_is_a_fault() -> None:
    table = table_of("blue", "pink", rules="rainbow-city-missions")
    table.discards("blue")
    assert rules_of(table.ruling) == {"supply"}


def test_missions_without_sticks_are_left_out_of_the_round() -> None:
    table = table_of("blue", "pink", "green", rules="rainbow-city-missions", material={"pink": (9, 0, 1, 9)})
    step(table, "blue")
    step(table, "green")
    assert table.ruling.faults == ()


def test_supplies_are_told_after_every_turn() -> None:
    table = table_of("blue", "pink")
    step(table, "blue")
    line = next(line for line in table.answers if isinstance(line, SupplyLine))
    assert (line.turn, line.players["blue"].sticks, line.players["blue"].gray) == (1, 13, 27)


@pytest.mark.parametrize("edition", ["rainbow-city", "classic"])
def test_nothing_to_pay_with_costs_nothing(edition: str) -> None:
    table = Table(rules=edition, material={"blue": (1, 0, 5, 9)})
    table.ramp("blue", "b1", (0, 0))
    table.ramp("pink", "p1", (0, L), road="pr")
    assert [line.discs for line in table.knock("blue", "p1", "pr")] == [0]


def test_a_yellow_disc_pays_where_no_gray_is_left() -> None:
    table = Table(material={"blue": (1, 1, 5, 9)})
    table.ramp("blue", "b1", (0, 0))
    table.ramp("pink", "p1", (0, L))
    table.knock("blue", "p1")
    assert (table.game.supplies["blue"].yellow, table.game.supplies["pink"].yellow) == (0, 4)


def test_one_disc_to_each_owner_hit() -> None:
    table = table_of("blue", "pink", "green")
    lines = table.knock("blue", "pink1", "green1", "blue1")
    assert [(line.from_, line.to, line.discs, line.pieces) for line in lines] == [
        ("blue", "pink", 1, ("pink1",)),
        ("blue", "green", 1, ("green1",)),
    ]


def test_strangers_and_unknown_pieces_are_refused() -> None:
    table = table_of("blue", "pink")
    before = table.game.copy()
    with pytest.raises(RulesError, match="unknown player 'green'"):
        table.passes("green")
    with pytest.raises(RulesError, match="'nothing' is not on the table"):
        table.knock("blue", "nothing")
    with pytest.raises(RulesError, match="used twice"):
        table.move("blue", "blue1", "pink1", (100, 0), gray=2)
    assert table.game == before


def test_players_who_say_that_a_turn_is_over_let_its_cars_go() -> None:
    table = Table()
    table.stick("pink", "p", (50, -50, 2), (50, 50, 3))
    table.stick("blue", "b", (0, 0, 4), (100, 0, 5))
    turn = table.game.turn
    other = table.game.copy()
    assert table.apply(SaidFact(turn=turn, words="next")) == []
    table.cars("blue", FactCar(id="late", on="b"), turn=turn - 1)
    assert table.cars_line is not None
    assert (table.cars_line.due, table.cars_line.call) == (0, "fault")
    table.game = other
    assert table.apply(SaidFact(turn=turn, words="score")) == []
    table.cars("blue", FactCar(id="intime", on="b"), turn=turn - 1)
    assert table.cars_line is not None
    assert (table.cars_line.due, table.cars_line.call) == (1, "legal")
