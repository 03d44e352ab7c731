"""Every switch on both sides (those of the worked cases are tested there), and what a rule set may be."""

from __future__ import annotations

import pytest

from rules.board import MISSIONS, in_play
from rules.errors import RulesError
from rules.events import FactCar, GameFact, Score
from rules.ruleset import EXPANSIONS, PRESETS, describe, ruleset, ruleset_of
from rules.switches import SWITCHES
from tests.rules.tables import D, L, T, Table, fault, reasons, rules_of, square

# --- Crossings --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("scope", "due"), [("stick", 0), ("spot", 1)])
def test_first_scope(scope: str, due: int) -> None:
    table = Table(first_scope=scope)
    table.stick("pink", "p", (50, -50, 2), (50, 50, 3))
    table.stick("blue", "b1", (0, -25, 5), (100, -25, 6))
    assert table.stick("blue", "b2", (0, 25, 5), (100, 25, 6)).cars_due == due


def test_first_scope_spot_reaches_a_sticks_width() -> None:
    table = Table(first_scope="spot")
    table.stick("pink", "p", (50, -50, 2), (50, 50, 3))
    table.stick("blue", "b1", (0, -30, 5), (100, 20, 6))  # crosses at (50, -5)
    assert table.stick("blue", "b2", (-5, 30, 7), (95, -20, 8)).cars_due == 0  # at (50, 2.5), 7.5 mm away
    table = Table(first_scope="spot")
    table.stick("pink", "p", (50, -50, 2), (50, 50, 3))
    table.stick("blue", "b1", (0, -30, 5), (100, 20, 6))
    assert table.stick("blue", "b2", (0, 35, 7), (100, -15, 8)).cars_due == 1  # at (50, 10), 15 mm away


@pytest.mark.parametrize(("shields", "due"), [(True, 0), (False, 1)])
def test_own_road_takes_side(shields: bool, due: int) -> None:
    table = Table(own_road_takes_side=shields)
    table.stick("pink", "p1", (50, -50, 2), (50, 50, 3))
    table.stick("pink", "p2", (0, 30, 4), (100, 30, 5))
    assert table.stick("blue", "b", (0, 0, 4), (100, 0, 5)).cars_due == due


@pytest.mark.parametrize(("outermost", "due"), [(False, 1), (True, 0)])
def test_must_be_outermost(outermost: bool, due: int) -> None:
    # Pink's own roof lies over its road, but doesn't take the side: blue slips in between.
    table = Table(own_road_takes_side=False, must_be_outermost=outermost)
    table.stick("pink", "low", (50, -50, 2), (50, 50, 2), yellow=0)
    table.stick("pink", "roof", (0, 4, 6), (100, 4, 7))
    ruling = table.stick("blue", "b", (0, -4, 4), (100, -4, 4))
    line = next(line for line in ruling.crossings if line.road == "low")
    assert line.side == "over"
    assert int(line.pays) == due
    assert line.reason == ("first" if due else "not-outermost")
    assert line.taken_by == (None if due else "roof")


@pytest.mark.parametrize(("pay", "due"), [(True, 1), (False, 0)])
def test_ramps_pay(pay: bool, due: int) -> None:
    table = Table(ramps_pay=pay)
    table.ramp("pink", "p", (50, 55), heading=-90, road="pramp")
    ruling = table.stick("blue", "b", (0, 0, 3), (100, 0, 4))
    assert ruling.cars_due == due
    assert reasons(ruling) == {"pramp": "first" if pay else "ramp"}


@pytest.mark.parametrize(
    ("partial", "due", "call", "span"),
    [("ignore", 0, "legal", None), ("count", 1, "legal", None), ("ask", 0, "too_close", (0, 1))],
)
def test_partial(partial: str, due: int, call: str, span: tuple[int, int] | None) -> None:
    table = Table(partial=partial)
    table.stick("pink", "p", (107, -50, 4), (107, 50, 5))
    ruling = table.stick("blue", "b", (0, 0, 1), (100, 0, 2))
    assert ruling.cars_due == due
    assert ruling.cars_due_range == span
    assert ruling.crossings[0].call == ("too_close" if call == "too_close" else "clear")


@pytest.mark.parametrize(("partial", "due"), [("ignore", 1), ("count", 0)])
def test_a_partial_crossing_takes_a_side_only_where_it_counts(partial: str, due: int) -> None:
    table = Table(partial=partial)
    table.stick("pink", "p", (107, -50, 4), (107, 50, 5))
    table.stick("blue", "b", (0, -20, 1), (100, -20, 2))
    assert table.stick("blue", "b2", (60, 20, 1), (160, 20, 2)).cars_due == due


# --- Placing ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("allowed", "call"), [(0, "fault"), (1.5, "legal")])
def test_column_cover(allowed: float, call: str) -> None:
    table = Table(column_cover_mm=allowed)
    table.ramp("blue", "base", (0, 0), levels=3)
    table.ramp("pink", "p", (50, 5 + D / 2 - 1.0), heading=90)
    assert table.move("blue", "base", "new", (100, 0), gray=4).call == call


@pytest.mark.parametrize(("switch", "found"), [("fault", True), ("allow", False)])
def test_new_column_under_road(switch: str, found: bool) -> None:
    table = Table(new_column_under_road=switch)
    table.stick("pink", "high", (100, -50, 6), (100, 50, 7))
    table.ramp("blue", "base", (0, 0), levels=1)
    ruling = table.move("blue", "base", "new", (100, 0), gray=2)
    assert ("column-under-road" in rules_of(ruling)) == found


@pytest.mark.parametrize(("allowed", "call"), [(0, "fault"), (5, "legal"), ("free", "legal")])
def test_overhang(allowed: float | str, call: str) -> None:
    table = Table(overhang_mm=allowed)
    table.ramp("blue", "base", (0, 0), levels=2)
    assert table.move("blue", "base", "new", (100, 0), gray=3, past=(4.0, D / 2 + 4.0)).call == call


@pytest.mark.parametrize(("switch", "found"), [("fault", True), ("allow", False)])
@pytest.mark.parametrize("owner", ["blue", "pink"])
def test_touch_own_roads(switch: str, found: bool, owner: str) -> None:
    table = Table(touch_own_roads=switch)
    table.stick(owner, "low", (50, -50, 2), (50, 50, 2))
    table.ramp("blue", "base", (0, 0), levels=2)
    ruling = table.move("blue", "base", "new", (100, 0), gray=1, yellow=1, lift=(T, T))  # it lies on the other stick
    assert fault(ruling, "touch-road").value == pytest.approx(0.0) if found or owner == "pink" else True
    assert ("touch-road" in rules_of(ruling)) == (found or owner == "pink")


@pytest.mark.parametrize(("area", "call"), [("development", "legal"), ("all", "fault")])
def test_area_spacing(area: str, call: str) -> None:
    table = Table(area_spacing=area)
    table.city("g", "green_area", square(0, 0, 70))
    assert table.city("a", "airport_area", square(75, 0, 70)).call == call


# --- Cars, penalties, the end -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("rules", "call"), [("rainbow-city", "fault"), ("classic", "legal")])
def test_cars_must_or_may_be_placed(rules: str, call: str) -> None:
    table = Table(rules=rules)
    table.stick("pink", "p", (50, -50, 2), (50, 50, 3))
    table.stick("blue", "b", (0, 0, 4), (100, 0, 5))
    assert table.cars_line is not None
    assert (table.cars_line.due, table.cars_line.placed, table.cars_line.call) == (1, 0, call)


@pytest.mark.parametrize(("penalty", "discs"), [("per_owner", 1), ("per_piece", 2)])
def test_penalty(penalty: str, discs: int) -> None:
    table = Table(penalty=penalty)
    table.ramp("blue", "b1", (0, 0))
    table.ramp("pink", "p1", (0, L), road="pr")
    assert [line.discs for line in table.knock("blue", "p1", "pr")] == [discs]


@pytest.mark.parametrize(("limit", "answer"), [("off", []), (3, ["legal"]), (5.5, ["too_close"]), (9, [])])
def test_penalty_for_shift(limit: str | float, answer: list[str]) -> None:
    table = Table(penalty_for_shift_mm=limit)
    table.ramp("blue", "b1", (0, 0))
    table.ramp("pink", "p1", (0, L))
    lines = table.knock("blue", "p1", shift_mm=5, sigma_mm=0.5)
    assert [line.call for line in lines] == answer


def without_discs(**options: object) -> Table:
    table = Table(material={"blue": (1, 0, 5, 9)}, **options)  # type: ignore[arg-type]
    table.ramp("blue", "b1", (0, 0))
    table.ramp("pink", "p1", (0, L))
    return table


@pytest.mark.parametrize(("switch", "out"), [("out", ["blue"]), ("discard_stick", [])])
def test_out_of_material(switch: str, out: list[str]) -> None:
    table = without_discs(out_of_material=switch)
    (table.passes if switch == "out" else table.discards)("blue")
    table.move("pink", "p1", "p2", (100, L), gray=2)
    assert table.out == out
    assert table.game.finished == bool(out)


@pytest.mark.parametrize(("finish", "ranking"), [(False, (("blue",), ("pink",))), (True, (("blue", "pink"),))])
def test_finish_round(finish: bool, ranking: tuple[tuple[str, ...], ...]) -> None:
    table = Table(finish_round=finish, material={"blue": (9, 0, 9, 2), "pink": (9, 0, 9, 2)})
    table.ramp("blue", "b1", (0, 0))
    table.ramp("pink", "p1", (0, L))
    table.move("blue", "b1", "b2", (100, 0), gray=2, cars=["k"])
    assert (table.end is not None) == (not finish)
    if finish:
        table.move("pink", "p1", "p2", (100, L), gray=2, cars=["m"])
    assert table.end is not None
    assert table.end.ranking == ranking


@pytest.mark.parametrize(("counts", "points"), [(True, 1), (False, 0)])
def test_start_sedan_counts(counts: bool, points: int) -> None:
    table = Table(rules="rainbow-city-missions", start_sedan_counts=counts)
    table.ramp("blue", "b1", (0, 0))
    assert table.game.score()["blue"].drive == points


@pytest.mark.parametrize(("tower", "adds"), [("double", 1), ("plus_two_each", 2)])
def test_tower(tower: str, adds: int) -> None:
    from tests.rules.test_cases import around

    table = Table(rules="rainbow-city-missions", tower=tower)
    table.city("t", "tower", square(20, 30, 15), height=100)
    table.city("b", "building", square(40, 30, 15), height=70)
    around(table)
    score = table.game.score()["blue"]
    assert (score.building, score.tower) == (1, adds)


@pytest.mark.parametrize(("pays", "discs", "points"), [("disc", 1, 0), ("point", 0, 1)])
def test_same_type_pays(pays: str, discs: int, points: int) -> None:
    table = Table(rules="rainbow-city-missions", same_type_pays=pays)
    table.stick("pink", "p", (50, -50, 2), (50, 50, 3), cars=[FactCar(id="k1", type="limousine")])
    held = table.game.supplies["pink"].gray
    table.stick("blue", "b", (0, 0, 4), (100, 0, 5), cars=[FactCar(id="k2", type="limousine")])
    assert table.cars_line is not None
    assert [(entry.from_, entry.discs) for entry in table.cars_line.same_type] == [("pink", discs)]
    assert table.game.supplies["pink"].gray == held - discs
    score = table.game.score()["blue"]
    assert score.total - (score.drive + score.stock + score.highest) == points


@pytest.mark.parametrize(("tie", "points"), [("both", 2), ("none", 0)])
def test_asakusa_tie(tie: str, points: int) -> None:
    table = Table(rules="rainbow-city-missions", expansions=["asakusa"], asakusa_tie=tie)
    table.city("a", "asakusa", square(-10, -10, 20))
    table.ramp("blue", "b1", (0, 100), heading=0, road="br", cars=[FactCar(id="k1", on="br", x=30, y=100)])
    table.ramp("pink", "p1", (0, -100), heading=0, road="pr", cars=[FactCar(id="k2", on="pr", x=30, y=-100)])
    assert {score.asakusa for score in table.game.score().values()} == {points}


@pytest.mark.parametrize(("k", "call"), [(2, "too_close"), (0.5, "fault")])
def test_k(k: float, call: str) -> None:
    table = Table(k=k)
    table.ramp("blue", "base", (0, 0), levels=3)
    table.ramp("pink", "p", (50, 5 + D / 2 - 1.0), heading=90, sigma_xy=1.0)
    assert table.move("blue", "base", "new", (100, 0), gray=4).call == call


# --- Rule sets --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "options", "names_the_fault"),
    [
        ("rainbow", {}, "rainbow"),
        ("rainbow-city", {"frist": "state"}, "frist"),
        ("rainbow-city", {"first": "whenever"}, "state | event"),
        ("rainbow-city", {"overhang_mm": -1}, "overhang_mm"),
        ("rainbow-city", {"overhang_mm": float("nan")}, "overhang_mm"),
        ("rainbow-city", {"ramps_pay": "yes"}, "true | false"),
        ("rainbow-city", {"ramps_pay": 1}, "ramps_pay"),
        ("rainbow-city", {"k": 0}, "k"),
        ("rainbow-city", {"first": True}, "first"),
    ],
)
def test_an_unknown_name_or_value_is_refused(name: str, options: dict[str, object], names_the_fault: str) -> None:
    with pytest.raises(RulesError, match=r"known|allowed") as refused:
        ruleset(name, options)
    assert names_the_fault in str(refused.value)
    assert "\n" not in str(refused.value)


def test_presets_differ_where_their_texts_do() -> None:
    basic, missions = ruleset("rainbow-city"), ruleset("rainbow-city-missions")
    assert (basic.missions, missions.missions) == (False, True)
    assert (basic.word("out_of_material"), missions.word("out_of_material")) == ("out", "discard_stick")
    assert ruleset("classic").number("overhang_mm") is None
    assert not ruleset("classic").on("cars_must_be_placed")
    notes = ruleset("rainbow-city-zh")
    assert notes.word("first_budget") == "once"
    assert set(notes.expansions) == {"asakusa", "yacht_harbor", "amusement_park"}


def test_missions_may_be_added_to_the_basic_rules() -> None:
    added = ruleset("rainbow-city", missions=True)
    assert added.word("out_of_material") == "discard_stick"
    assert added.material(4).cars == 10
    assert ruleset("rainbow-city", {"out_of_material": "out"}, missions=True).word("out_of_material") == "out"
    without = ruleset("rainbow-city-missions", missions=False)
    assert (without.word("out_of_material"), without.on("finish_round")) == ("out", False)


@pytest.mark.parametrize(
    ("name", "players", "held"),
    [
        ("rainbow-city", 2, (10, 30, 3, 15)),
        ("rainbow-city", 3, (8, 25, 2, 12)),
        ("rainbow-city", 4, (7, 20, 2, 9)),
        ("rainbow-city-missions", 4, (10, 20, 2, 9)),
        ("classic", 2, (10, 30, 3, 15)),
    ],
)
def test_material_of_the_editions(name: str, players: int, held: tuple[int, int, int, int]) -> None:
    material = ruleset(name).material(players)
    assert (material.cars, material.gray, material.yellow, material.sticks) == held


def test_the_classic_game_is_for_two() -> None:
    with pytest.raises(RulesError, match="2 players"):
        ruleset("classic").material(3)


def test_unknown_expansion_is_refused() -> None:
    with pytest.raises(RulesError, match="asakusa"):
        ruleset("rainbow-city", expansions=("godzilla",))


def test_description_names_every_switch_with_its_source() -> None:
    for name in PRESETS:
        text = describe(name)
        for switch in SWITCHES:
            assert f"\n{switch.name} = " in text
        missions = in_play(PRESETS[name].missions, PRESETS[name].expansions)
        assert text.count("Source: ") == len(SWITCHES) + len(missions) + 1
    assert all(name in describe() for name in PRESETS)
    with pytest.raises(RulesError, match="unknown rules"):
        describe("monopoly")


def test_the_board_has_what_the_score_has() -> None:
    scored = {name for name in Score.model_fields if name != "total"}
    assert {mission.name for mission in MISSIONS} == scored | {"same_type"}
    assert {mission.expansion for mission in MISSIONS} == {None, *EXPANSIONS}


def test_the_game_line_decides() -> None:
    fact = GameFact(rules="classic", options={"penalty": "per_owner"}, players=("a", "b"))
    assert ruleset_of(fact).word("penalty") == "per_owner"
