"""The players' answers, undo, copies and saved games: all of it stays in the record."""

from __future__ import annotations

import pytest

from rules.errors import RulesError
from rules.events import CarsFact, CorrectionFact, FactCar, PenaltyLine, RestoredFact, RulingLine, SupplyLine, UndoFact
from rules.game import Game
from tests.rules.tables import D, L, Table, reasons, rules_of


def doubtful_crossing(**options: object) -> Table:
    """Blue's road `n` crosses pink's `p` at the same height as far as anybody can tell."""
    table = Table(**options)  # type: ignore[arg-type]
    table.stick("pink", "p", (50, -50, 2), (50, 50, 2))
    table.stick("blue", "n", (0, 0, 2), (100, 0, 2), lift=(2.0, 2.0), sigma_z=3.0)
    return table


def test_a_side_too_close_to_call_leaves_the_cars_open() -> None:
    table = doubtful_crossing()
    assert table.ruling.call == "fault"  # the columns are level: nothing to do with the crossing
    (line,) = table.ruling.crossings
    assert line.call == "too_close"
    assert table.ruling.cars_due == 1  # over or under: both are free
    assert table.ruling.cars_due_range is None


def test_a_side_that_decides_about_a_car_gives_a_range() -> None:
    table = Table()
    table.stick("pink", "p", (50, -50, 2), (50, 50, 2))
    table.stick("blue", "b", (0, 30, 4), (100, 30, 5))  # over p: that side is taken
    ruling = table.stick("blue", "n", (0, 0, 2), (100, 0, 2), lift=(1.0, 1.0), sigma_z=2.0)
    assert ruling.crossings[0].call == "too_close"
    assert ruling.cars_due_range == (0, 1)
    assert ruling.cars_due == 0  # as it looks: over
    fixed = table.correct("n", p="under")
    assert (fixed.cars_due, fixed.cars_due_range, fixed.by) == (1, None, "players")
    assert (fixed.crossings[0].side, fixed.crossings[0].reason) == ("under", "first")
    # The answer counts for who comes later, too.
    assert reasons(table.stick("blue", "m", (0, -30, 1), (100, -30, 1)))["p"] == "side-taken"


def test_an_unanswered_doubt_makes_later_crossings_doubtful() -> None:
    table = doubtful_crossing()
    ruling = table.stick("blue", "m", (0, -30, 4), (100, -30, 5))
    assert ruling.crossings[0].call == "too_close"
    assert ruling.cars_due_range == (0, 1)
    table = doubtful_crossing()
    table.correct("n", p="under")
    ruling = table.stick("blue", "m", (0, -30, 4), (100, -30, 5))
    assert (ruling.crossings[0].call, ruling.cars_due) == ("clear", 1)


def test_players_may_say_that_there_is_no_crossing() -> None:
    table = doubtful_crossing()
    assert table.correct("n", p="none").cars_due == 0
    assert reasons(table.ruling) == {"p": "partial"}


def test_a_crossing_said_to_be_the_first_was_taken_by_nobody() -> None:
    table = doubtful_crossing()
    taken = table.ruling.crossings[0].model_copy(update={"taken_by": "b", "reason": "taken", "pays": False})
    table.game.state.put("rulings", "n", table.ruling.model_copy(update={"crossings": (taken,)}))
    (line,) = table.correct("n", **{taken.road: True}).crossings
    assert (line.reason, line.taken_by, line.pays) == ("first", None, True)


def test_cars_due_as_the_players_say() -> None:
    table = doubtful_crossing()
    ruling = table.correct("n", cars_due=0)
    assert ruling.cars_due == 0
    assert not ruling.crossings[0].pays
    assert table.cars_line is None


def test_a_fault_answered_by_the_players() -> None:
    table = Table()
    table.ramp("blue", "base", (0, 0), levels=3)
    table.ramp("pink", "p", (50, 5 + D / 2 - 1.0), heading=90, sigma_xy=1.0)
    assert table.move("blue", "base", "new", (100, 0), gray=4, road="n").call == "too_close"
    copy = table.game.copy()
    assert table.correct("n", column_covered="clear").call == "legal"
    table.game = copy
    assert table.correct("n", column_covered="fault").call == "fault"
    assert rules_of(table.ruling) == {"column-covered"}
    assert table.correct("n", call="legal").faults == ()


def test_an_answer_about_one_piece_leaves_the_rule_open_for_the_others() -> None:
    table = Table()
    table.ramp("blue", "base", (0, 0), levels=3)
    for name, x in (("p", 40), ("q", 60)):
        table.ramp("pink", name, (x, 5 + D / 2 - 1.0), heading=90, sigma_xy=1.0)
    assert table.move("blue", "base", "new", (100, 0), gray=4, road="n").call == "too_close"

    def say(key: str, value: str) -> RulingLine:
        ruling = table.apply(CorrectionFact.model_validate({"turn": 1, "ruling": "n", "set": {key: value}}))[0]
        assert isinstance(ruling, RulingLine)
        return ruling

    left = [fault for fault in say("column-covered:p", "clear").faults if fault.rule == "column-covered"]
    assert [(fault.with_, fault.call) for fault in left] == [(("q",), "too_close")]
    assert say("column-covered:q", "fault").call == "fault"
    assert say("column-covered:z", "fault").faults[-1].with_ == ("z",)


@pytest.mark.parametrize(
    ("road", "changed", "said"),
    [
        ("q", {"cars_due": 1}, "'q' has no ruling to correct"),
        ("q", {"discs": 1}, "no penalty for 'q'"),
        ("n", {"discs": -1}, "discs that it costs"),
        ("n", {"cars": 1}, "known: cars_due"),
        ("n", {"cars_due": -1}, "cars_due = -1"),
        ("n", {"p": "sideways"}, "over | under"),
        ("n", {"column-level": "maybe"}, "clear | fault"),
    ],
)
def test_what_cannot_be_corrected_is_refused(road: str, changed: dict[str, object], said: str) -> None:
    table = doubtful_crossing()
    before = table.game.copy()
    with pytest.raises(RulesError) as refused:
        table.apply(CorrectionFact.model_validate({"turn": 1, "ruling": road, "set": changed}))
    assert said in str(refused.value)
    assert table.game == before


@pytest.mark.parametrize("said", [0, 1, 2])
def test_players_say_what_a_doubtful_knock_costs(said: int) -> None:
    table = Table(penalty_for_shift_mm=5)
    table.ramp("blue", "b1", (0, 0))
    table.ramp("pink", "p1", (0, L))
    before = table.game.copy()
    (line,) = table.knock("blue", "p1", shift_mm=5.3, sigma_mm=0.5)
    assert (line.call, line.discs) == ("too_close", 1)
    answers = table.apply(CorrectionFact(turn=1, ruling="p1", set={"discs": said}))
    assert isinstance(answers[0], PenaltyLine)
    assert (answers[0].discs, answers[0].call) == (said, "legal")
    held = table.game.supplies
    assert (held["blue"].gray, held["pink"].gray) == (29 - said, 29 + said)
    table.undo(1)
    assert table.game == before


# --- Cars told later --------------------------------------------------------------------------------------------------


def crossing_pays_one() -> Table:
    table = Table()
    table.stick("pink", "p", (50, -50, 2), (50, 50, 3))
    table.stick("blue", "n", (0, 0, 4), (100, 0, 5))
    return table


def test_cars_told_after_their_road_complete_it() -> None:
    table = crossing_pays_one()
    table.cars("blue", FactCar(id="k", on="n"), turn=2)
    assert table.cars_line is not None
    assert (table.cars_line.due, table.cars_line.placed, table.cars_line.call) == (1, 1, "legal")


def test_one_car_too_many() -> None:
    table = crossing_pays_one()
    table.cars("blue", FactCar(id="k", on="n"), FactCar(id="m", on="n"), turn=2)
    assert table.cars_line is not None
    assert rules_of(table.cars_line) == {"cars-too-many"}


def test_a_car_on_another_road_and_one_of_another_colour() -> None:
    table = crossing_pays_one()
    table.cars("blue", FactCar(id="k", on="p"), turn=2)
    assert table.cars_line is not None
    assert "car-wrong-road" in rules_of(table.cars_line)
    table = crossing_pays_one()
    table.cars("blue", FactCar(id="k", on="n", player="pink"), turn=2)
    assert table.cars_line is not None
    assert rules_of(table.cars_line) == {"car-wrong-owner"}


def test_a_car_whose_colour_is_doubtful_is_asked_about() -> None:
    table = crossing_pays_one()
    table.cars("blue", FactCar(id="k", on="n", player="pink", player_probability=0.8), turn=2)
    assert table.cars_line is not None
    assert table.cars_line.call == "too_close"


def test_cars_due_are_no_more_than_the_player_has() -> None:
    table = Table(material={"blue": (30, 0, 9, 1)})
    table.stick("pink", "p1", (35, -50, 2), (35, 50, 3))
    table.stick("pink", "p2", (65, -50, 2), (65, 50, 3))
    assert table.stick("blue", "n", (0, 0, 4), (100, 0, 5)).cars_due == 1


# --- Undo, copies, saved games ----------------------------------------------------------------------------------------


def test_undo_restores_the_state_and_stays_in_the_record() -> None:
    table = Table()
    table.ramp("blue", "b1", (0, 0))
    table.ramp("pink", "p1", (0, L))
    snapshots = [table.game.copy()]
    table.move("blue", "b1", "b2", (100, 0), gray=2, road="br", cars=["k"])
    snapshots.append(table.game.copy())
    table.knock("pink", "b2")
    table.move("pink", "p1", "p2", (100, L), gray=2, road="pr")
    snapshots.append(table.game.copy())
    table.correct("pr", cars_due=1)
    assert table.game != snapshots[2]
    table.undo(3)  # the correction came in turn 3
    assert table.game == snapshots[2]
    answers = table.undo(2)  # the whole turn, the knock with it
    assert table.game == snapshots[1]
    assert [line.type for line in answers] == ["supply"]
    table.undo(1)
    assert table.game == snapshots[0]
    assert [fact.type for fact in table.game.facts].count("undo") == 3
    table.move("blue", "b1", "b2", (100, 0), gray=2, road="br", cars=["k"])  # ids are free again
    assert table.game == snapshots[1]


def test_undo_in_the_setup_takes_back_one_thing() -> None:
    table = Table()
    table.ramp("blue", "b1", (0, 0))
    before = table.game.copy()
    table.ramp("pink", "p1", (0, L))
    table.undo(0)
    assert table.game == before


def test_undo_of_nothing_is_refused() -> None:
    table = Table()
    with pytest.raises(RulesError, match="nothing to take back"):
        table.undo(7)


def test_preview_has_no_side_effects_and_tells_the_same() -> None:
    table = crossing_pays_one()
    fact = table.move_fact("pink", "pb", "q", (150, 80), gray=4)
    before = table.game.copy()
    seen = table.game.preview(fact)
    assert table.game == before
    assert table.game.facts == before.facts
    answers = table.apply(fact)
    assert answers[0] == seen


def test_copies_are_independent() -> None:
    table = crossing_pays_one()
    twin = table.game.copy()
    twin.apply(table.move_fact("pink", "pb", "q", (150, 80), gray=4))
    assert twin != table.game
    assert "q" not in table.game.columns
    twin.apply(UndoFact(turn=3))
    assert twin == table.game


def test_a_saved_game_is_the_same_again() -> None:
    table = crossing_pays_one()
    table.cars("blue", FactCar(id="k", on="n"), turn=2)
    table.correct("n", cars_due=2)
    table.undo(3)
    again = Game.from_json(table.game.to_json())
    assert again == table.game
    assert again.facts == table.game.facts
    again.apply(UndoFact(turn=2))
    assert "n" not in again.roads


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"schema": "x", "game": {}, "facts": []}', '{"schema": 3}'])
def test_a_broken_save_is_refused(text: str) -> None:
    with pytest.raises(RulesError):
        Game.from_json(text)


def test_a_second_game_line_is_refused() -> None:
    table = Table()
    with pytest.raises(RulesError, match="second game line"):
        table.apply(table.game.fact)


def test_cars_of_nobodys_road_are_refused() -> None:
    table = Table()
    with pytest.raises(RulesError, match="no road"):
        table.apply(CarsFact(turn=1, player="blue", cars=(FactCar(id="k"),)))


def test_answers_come_in_the_order_ruling_cars_supply() -> None:
    table = crossing_pays_one()
    assert [line.type for line in table.answers] == ["ruling", "cars", "supply"]
    assert isinstance(table.answers[0], RulingLine)
    assert isinstance(table.answers[-1], SupplyLine)


# --- Knocked pieces that stand again ----------------------------------------------------------------------------------


def test_knocked_pieces_count_where_they_stand_now() -> None:
    table = Table()
    table.ramp("pink", "p", (50, 60), heading=90)
    table.ramp("blue", "base", (0, 0), levels=3)
    move = table.move_fact("blue", "base", "new", (100, 0), gray=4)
    assert table.game.preview(move).call == "legal"
    before = table.game.copy()
    table.knock("blue", "p")
    column = table.game.columns["p"].model_copy(update={"y": 5 + D / 2 - 1.0})
    assert table.apply(RestoredFact(turn=1, columns=(column,))) == []
    assert rules_of(table.game.preview(move)) == {"column-covered"}
    assert table.game.base_points("pink") == ("p",)
    assert table.game.copy() == table.game
    table.undo(1)
    assert table.game == before
    assert table.game.preview(move).call == "legal"


def test_a_road_that_lies_again_keeps_its_sides() -> None:
    table = crossing_pays_one()
    road = table.game.roads["p"]
    ends = tuple((x + 3.0, y, z) for x, y, z in road.ends)
    table.apply(RestoredFact(turn=3, roads=(road.model_copy(update={"ends": ends}),)))
    line = table.stick("blue", "m", (0, -30, 4), (100, -30, 5)).crossings[0]
    assert line.at[0] == pytest.approx(53.0)
    assert line.reason == "side-taken"


@pytest.mark.parametrize("named", [True, False])
def test_what_never_stood_cannot_stand_again(named: bool) -> None:
    table = crossing_pays_one()
    column = table.game.columns["pa"].model_copy(update={"id": "stranger"})
    with pytest.raises(RulesError, match="stand"):
        table.apply(RestoredFact(turn=3, columns=(column,) if named else ()))
