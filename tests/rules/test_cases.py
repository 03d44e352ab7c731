"""The worked cases of the rules page, each under its number. L, D: stick length and disc diameter."""

from __future__ import annotations

import pytest

from rules.events import FactCar, FactColumn
from tests.rules.tables import D, L, T, Table, fault, reasons, rules_of, square


def started(*players: str, **options: object) -> Table:
    """Two (or more) players with ramps far enough from what the test is about."""
    table = Table(*players, **options)  # type: ignore[arg-type]
    for number, player in enumerate(table.game.players):
        table.ramp(player, f"{player}1", (0.0, number * L))
    return table


# --- Set-up -----------------------------------------------------------------------------------------------------------


def test_case_01_ramps_a_stick_apart_are_a_legal_setup() -> None:
    table = Table("blue", "pink")
    table.ramp("blue", "c1", (0, 0))
    assert table.ruling.call == "legal"
    table.ramp("pink", "c2", (0, L))
    assert table.ruling.call == "legal"
    assert table.ruling.faults == ()
    assert table.cars_line is not None
    assert (table.cars_line.due, table.cars_line.placed, table.cars_line.call) == (1, 1, "legal")


def test_case_02_ramps_too_near_get_a_warning() -> None:
    table = Table("blue", "pink")
    table.ramp("blue", "c1", (0, 0))
    table.ramp("pink", "c2", (0, 0.8 * L))
    finding = fault(table.ruling, "ramp-distance")
    assert finding.warning
    assert finding.value == pytest.approx(0.8 * L)
    assert table.ruling.call == "legal"


def test_case_03_development_areas_need_a_columns_width() -> None:
    table = Table()
    assert table.city("d1", "development_area", square(0, 0, 70)).call == "legal"
    ruling = table.city("d2", "development_area", square(70 + 0.6 * D, 0, 70))
    assert ruling.call == "fault"
    finding = fault(ruling, "area-spacing")
    assert finding.value == pytest.approx(0.6 * D)
    assert finding.limit == D
    assert set(finding.with_) == {"d1", "d2"}


def test_case_04_a_building_may_not_stick_out_over_its_area() -> None:
    table = Table()
    table.city("d1", "development_area", square(0, 0, 70))
    ruling = table.city("b1", "building", square(44, 10, 28), height=70)
    assert rules_of(ruling) == {"city-over-edge"}
    assert fault(ruling, "city-over-edge").value == pytest.approx(2.0)


# --- Columns ----------------------------------------------------------------------------------------------------------


def stepping(gray: int, yellow: int, base_levels: int, base_yellow: int = 0) -> set[str]:
    """The faults of a column of these discs after a base of so many levels."""
    table = Table()
    table.ramp("blue", "base", (0, 0), levels=base_levels, yellow=base_yellow)
    return rules_of(table.move("blue", "base", "new", (100, 0), gray=gray, yellow=yellow))


def test_case_05_one_level_up() -> None:
    assert stepping(3, 0, base_levels=2) == set()


@pytest.mark.parametrize("gray", [2, 4])
def test_case_06_same_level_and_two_up(gray: int) -> None:
    assert stepping(gray, 0, base_levels=2) == {"column-level"}


def test_case_07_a_junction_may_have_any_level() -> None:
    assert stepping(1, 1, base_levels=2) == set()


def test_case_08_yellow_must_be_on_top() -> None:
    table = Table()
    table.ramp("blue", "base", (0, 0), levels=2)
    order = {"order": ("gray", "yellow", "gray")}
    ruling = table.move("blue", "base", "new", (100, 0), gray=2, yellow=1, column_more=order)
    assert rules_of(ruling) == {"junction-not-on-top"}


@pytest.mark.parametrize(
    ("gray", "yellow", "faults"), [(5, 0, {"column-level"}), (6, 0, set()), (4, 0, set()), (1, 1, set())]
)
def test_case_09_after_a_junction(gray: int, yellow: int, faults: set[str]) -> None:
    assert stepping(gray, yellow, base_levels=5, base_yellow=1) == faults


@pytest.mark.parametrize("kind", ["green_area", "airport_area", "rainbow_area"])
def test_case_10_no_column_on_an_area_but_development(kind: str) -> None:
    table = Table()
    table.city("area", kind, square(60, -40, 80))
    table.ramp("blue", "base", (0, 0), levels=2)
    ruling = table.move("blue", "base", "new", (100, 0), gray=3)
    assert rules_of(ruling) == {"column-on-area"}
    assert fault(ruling, "column-on-area").with_ == ("area",)


# --- Roads ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("lift", "aside"), [(T, 0.0), (0.0, 5.0)], ids=["over", "beside"])
def test_case_11_an_end_on_or_beside_the_previous_end(lift: float, aside: float) -> None:
    table = Table()
    table.ramp("blue", "base", (0, 0), levels=2)
    ruling = table.move(
        "blue",
        "base",
        "new",
        (100, 0),
        gray=3,
        lift=(lift, 0.0),
        aside=(aside, 0.0),
        past=(4.0 if not aside else 0.0, 4.0),
    )
    assert ruling.call == "legal"
    assert ruling.faults == ()


def test_case_12_an_end_may_not_stick_out() -> None:
    table = Table()
    table.ramp("blue", "base", (0, 0), levels=2)
    ruling = table.move("blue", "base", "new", (100, 0), gray=3, past=(4.0, D / 2 + 4.0))
    assert rules_of(ruling) == {"overhang"}
    assert fault(ruling, "overhang").value == pytest.approx(4.0)
    assert fault(ruling, "overhang").with_ == ("new",)


@pytest.mark.parametrize(("sigma", "call"), [(1.0, "too_close"), (0.0, "fault")])
def test_case_13_covering_a_millimetre_of_a_column(sigma: float, call: str) -> None:
    table = Table()
    table.ramp("blue", "base", (0, 0), levels=3)
    table.ramp("pink", "p", (50, 5 + D / 2 - 1.0), heading=90, sigma_xy=sigma)
    ruling = table.move("blue", "base", "new", (100, 0), gray=4)
    finding = fault(ruling, "column-covered")
    assert ruling.call == finding.call == call
    assert finding.value == pytest.approx(1.0)
    assert finding.sigma == pytest.approx(sigma)
    assert finding.with_ == ("p",)


def test_case_14_covering_an_own_older_column() -> None:
    table = Table()
    table.ramp("blue", "old", (50, 5 + D / 2 - 6.0), heading=90)
    table.ramp("blue", "base", (0, 0), levels=3)
    ruling = table.move("blue", "base", "new", (100, 0), gray=4)
    assert "column-covered" in rules_of(ruling)
    assert fault(ruling, "column-covered").value == pytest.approx(6.0)
    assert fault(ruling, "column-covered").with_ == ("old",)


def test_case_15_no_new_column_under_a_road() -> None:
    table = Table()
    table.stick("pink", "high", (40, -50, 6), (40, 50, 7))
    table.ramp("blue", "base", (-60, 0), levels=1)
    ruling = table.move("blue", "base", "new", (40, 0), gray=2)
    assert "column-under-road" in rules_of(ruling)
    assert fault(ruling, "column-under-road").with_ == ("high",)


@pytest.mark.parametrize(("sigma", "call"), [(1.5, "too_close"), (0.3, "legal")])
def test_case_16_two_millimetres_over_a_stick(sigma: float, call: str) -> None:
    table = Table()
    table.stick("pink", "low", (50, -50, 2), (50, 50, 2))
    table.ramp("blue", "base", (0, 0), levels=2)
    # Both sticks are level; the new one lies on spacers so that its underside is 2 mm over the other's top.
    ruling = table.move(
        "blue", "base", "new", (100, 0), gray=1, yellow=1, lift=(T + 2.0, T + 2.0), sigma_z=sigma * 2**0.5
    )
    assert ruling.crossings[0].gap == pytest.approx(2.0)
    assert ruling.crossings[0].sigma == pytest.approx(sigma)
    assert ruling.call == call
    assert ("touch-road" in rules_of(ruling, "too_close")) == (call == "too_close")


def test_case_17_ending_on_an_own_older_column_encloses() -> None:
    table = Table()
    table.ramp("blue", "old", (100, 0), heading=0, levels=2)
    table.ramp("blue", "base", (0, 0), levels=1)
    fact = table.move_fact("blue", "base", None, (104, 0), rests_on=("base", "old"), lift=(0, 20))
    assert table.game.preview(fact).call == "fault"
    assert rules_of(table.game.preview(fact)) == {"enclosed"}
    again = fact.model_copy(update={"column": FactColumn(id="old", x=100, y=0, gray=2)})
    assert rules_of(table.game.preview(again)) == {"enclosed"}


def test_case_18_over_an_own_road_is_legal_and_pays_nothing() -> None:
    table = Table()
    table.stick("blue", "older", (50, -50, 2), (50, 50, 3))
    table.ramp("blue", "base", (0, 0), levels=4)
    ruling = table.move("blue", "base", "new", (100, 0), gray=5)
    assert "touch-road" not in rules_of(ruling)
    assert "column-covered" not in rules_of(ruling)
    assert reasons(ruling) == {"older": "own-road"}
    assert ruling.cars_due == 0


# --- Crossings and cars -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("levels", "side"), [(4, "over"), (1, "under")])
def test_case_19_one_free_road(levels: int, side: str) -> None:
    table = Table()
    table.stick("pink", "p", (50, -50, 2), (50, 50, 3))
    table.ramp("blue", "base", (0, 0), levels=levels)
    ruling = table.move("blue", "base", "new", (100, 0), gray=levels + 1 if side == "over" else levels)
    assert [(line.road, line.side, line.pays) for line in ruling.crossings] == [("p", side, True)]
    assert ruling.cars_due == 1


def test_case_20_two_free_roads_at_once() -> None:
    table = Table()
    table.stick("pink", "p1", (35, -50, 2), (35, 50, 3))
    table.stick("pink", "p2", (65, -50, 2), (65, 50, 3))
    table.ramp("blue", "base", (0, 0), levels=4)
    ruling = table.move("blue", "base", "new", (100, 0), gray=5)
    assert ruling.cars_due == 2


def test_case_21_crossed_over_by_the_owner_before() -> None:
    table = Table()
    table.stick("pink", "low", (50, -50, 2), (50, 50, 3))
    table.stick("pink", "high", (0, 30, 4), (100, 30, 5))
    table.ramp("blue", "base", (0, 0), levels=4)
    ruling = table.move("blue", "base", "new", (100, 0), gray=5)
    assert reasons(ruling) == {"low": "side-taken"}
    assert ruling.crossings[0].taken_by == "high"
    assert ruling.cars_due == 0


def test_case_22_passed_under_by_an_own_road_before() -> None:
    table = Table()
    table.stick("pink", "high", (50, -50, 4), (50, 50, 5))
    table.stick("blue", "before", (0, 30, 1), (100, 30, 2))
    table.ramp("blue", "base", (0, 0), levels=1)
    ruling = table.move("blue", "base", "new", (100, 0), gray=2)
    assert reasons(ruling) == {"high": "side-taken"}
    assert ruling.cars_due == 0


def test_case_23_of_a_stack_only_the_next_road_pays() -> None:
    table = Table()
    table.stick("pink", "a", (50, -50, 1), (50, 50, 2))
    table.stick("pink", "b", (20, -48, 3), (80, 48, 4))
    table.ramp("blue", "base", (0, 0), levels=6)
    ruling = table.move("blue", "base", "new", (100, 0), gray=7)
    assert reasons(ruling) == {"a": "side-taken", "b": "first"}
    assert ruling.cars_due == 1


@pytest.mark.parametrize(("first", "due"), [("state", 0), ("event", 1)])
def test_case_24_a_road_that_crossed_over_cannot_be_passed_under(first: str, due: int) -> None:
    table = Table(first=first)
    table.stick("pink", "p1", (25, -50, 1), (25, 50, 2))
    assert table.stick("blue", "b1", (0, 0, 4), (100, 0, 5)).cars_due == 1
    ruling = table.stick("pink", "p2", (75, -50, 1), (75, 50, 2))
    assert ruling.crossings[0].side == "under"
    assert ruling.cars_due == due


@pytest.mark.parametrize(("budget", "due"), [("per_side", 1), ("once", 0)])
def test_case_25_over_and_under_the_same_road(budget: str, due: int) -> None:
    table = Table(first_budget=budget)
    table.stick("pink", "p1", (50, -50, 3), (50, 50, 4))
    assert table.stick("blue", "b1", (0, -25, 5), (100, -25, 6)).cars_due == 1
    ruling = table.stick("blue", "b2", (0, 25, 1), (100, 25, 2))
    assert ruling.crossings[0].side == "under"
    assert ruling.cars_due == due
    assert ruling.crossings[0].reason == ("first" if due else "budget-spent")


def test_case_26_a_corner_that_overlaps_is_partial() -> None:
    table = Table()
    table.stick("pink", "p", (107, -50, 4), (107, 50, 5))
    ruling = table.stick("blue", "b", (0, 0, 1), (100, 0, 2))
    assert reasons(ruling) == {"p": "partial"}
    assert ruling.cars_due == 0


def test_case_27_over_a_ramp() -> None:
    table = Table("blue", "green")
    table.ramp("green", "g1", (50, 55), heading=-90, road="gramp")
    ruling = table.stick("blue", "b", (0, 0, 3), (100, 0, 4))
    assert reasons(ruling) == {"gramp": "first"}
    assert ruling.cars_due == 1


def test_case_28_the_chance_is_gone_when_the_next_turn_begins() -> None:
    table = Table()
    table.stick("pink", "p", (50, -50, 2), (50, 50, 3))
    table.stick("blue", "b", (0, 0, 4), (100, 0, 5))
    assert table.cars_line is not None
    assert (table.cars_line.due, table.cars_line.placed, table.cars_line.call) == (1, 0, "fault")  # the warning
    assert rules_of(table.cars_line) == {"cars-too-few"}
    turn = table.game.turn
    in_time = table.game.copy()
    table.move("pink", "pb", "p3", (150, 80), gray=4)
    table.cars("blue", FactCar(id="late", on="b"), turn=turn - 1)
    assert table.cars_line is not None
    assert table.cars_line.call == "fault"
    assert table.cars_line.due == 0
    table.game = in_time
    table.cars("blue", FactCar(id="intime", on="b"), turn=turn - 1)
    assert table.cars_line is not None
    assert (table.cars_line.due, table.cars_line.placed, table.cars_line.call) == (1, 1, "legal")


# --- Offramps ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("crossing", [False, True])
def test_case_29_an_offramp_brings_a_car(crossing: bool) -> None:
    table = Table("blue", "pink")
    if crossing:
        table.ramp("pink", "p", (55, -98), heading=90, road="pramp")  # low at the crossing
    table.ramp("blue", "base", (0, 0))
    ruling = table.move("blue", "base", None, (108, 0))
    assert ruling.offramp_bonus
    assert ruling.call == "legal"
    assert ruling.cars_due == (2 if crossing else 1)


@pytest.mark.parametrize(
    ("levels", "yellow", "faults"),
    [(2, 0, {"offramp-level"}), (2, 1, {"offramp-level", "offramp-from-junction"})],
)
def test_case_30_an_offramp_needs_one_gray_level(levels: int, yellow: int, faults: set[str]) -> None:
    table = Table()
    table.ramp("blue", "base", (0, 0), levels=levels, yellow=yellow)
    ruling = table.move("blue", "base", None, (106, 0))
    assert rules_of(ruling) == faults
    assert not ruling.offramp_bonus


@pytest.mark.parametrize(
    ("kind", "lift", "faults"),
    [
        ("rainbow_area", 0.0, {"offramp-area"}),
        ("green_area", 0.0, set()),
        ("green_area", 15.0, {"end-not-resting", "touch-city"}),
    ],
    ids=["rainbow", "green", "tree"],
)
@pytest.mark.parametrize("named", [True, False])
def test_case_31_where_an_offramp_may_end(kind: str, lift: float, faults: set[str], named: bool) -> None:
    table = Table()
    table.city("area", kind, square(80, -40, 80))
    table.ramp("blue", "base", (0, 0))
    rests = ("base", "area") if named else None
    ruling = table.move("blue", "base", None, (108, 0), lift=(0.0, lift), rests_on=rests)
    assert rules_of(ruling) == faults


def test_case_32_nothing_goes_on_from_an_offramp() -> None:
    table = Table()
    table.ramp("blue", "base", (0, 0))
    table.move("blue", "base", None, (108, 0), road="off")
    fact = table.move_fact("blue", "base", "new", (200, 30), gray=1)
    (_, _, z), end = fact.road.ends
    road = fact.road.model_copy(update={"ends": ((104.0, 0.0, z), end), "rests_on": ("off", "new")})
    ruling = table.game.preview(fact.model_copy(update={"base": "off", "road": road}))
    assert ruling.call == "fault"
    assert "from-offramp" in rules_of(ruling)


# --- Penalties --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("rules", "discs"), [("rainbow-city", 1), ("classic", 5)])
def test_case_33_what_a_knock_costs(rules: str, discs: int) -> None:
    table = Table(rules=rules)
    table.ramp("blue", "b1", (0, 0))
    ramp = table.ramp("pink", "p1", (0, L), cars=[FactCar(id="k1")])
    table.move("pink", "p1", "p2", (100, L), gray=2, road="pr", cars=["k2", "k3"])
    (line,) = table.knock("blue", "k1", "k2", "k3", ramp, "pr")
    assert (line.from_, line.to, line.discs) == ("blue", "pink", discs)
    assert table.game.supplies["blue"].gray == 29 - discs


@pytest.mark.parametrize(("limit", "discs"), [("off", []), (3, [1])])
def test_case_34_a_shift_costs_only_where_the_table_says_so(limit: str | int, discs: list[int]) -> None:
    table = started("blue", "pink", penalty_for_shift_mm=limit)
    assert [line.discs for line in table.knock("blue", "pink1", shift_mm=5)] == discs


def test_case_35_own_pieces_cost_nothing() -> None:
    table = Table()
    table.ramp("blue", "b1", (0, 0), cars=[FactCar(id="k1")])
    before = table.game.copy()
    assert table.knock("blue", "k1") == []
    assert table.game.supplies == before.supplies


# --- The end ----------------------------------------------------------------------------------------------------------


def test_case_36_missions_play_the_round_to_its_end() -> None:
    players = ("blue", "pink", "green", "yellow")
    table = Table(*players, rules="rainbow-city-missions", material={"pink": (20, 2, 9, 2)})
    for number, player in enumerate(players):
        table.ramp(player, f"{player}1", (0, 400.0 * number))
    table.move("blue", "blue1", "blue2", (100, 0), gray=2)
    table.move("pink", "pink1", "pink2", (100, 400), gray=2, cars=["last"])
    assert table.game.supplies["pink"].cars == 0
    assert table.end is None
    table.move("green", "green1", "green2", (100, 800), gray=2)
    assert table.end is None
    table.move("yellow", "yellow1", "yellow2", (100, 1200), gray=2)
    assert table.end is not None
    assert table.end.reason == "all-cars-placed"
    assert table.game.finished


def test_case_37_missions_without_discs_a_stick_goes_aside() -> None:
    table = Table("blue", "pink", rules="rainbow-city-missions", material={"blue": (1, 0, 5, 9)})
    table.ramp("blue", "b1", (0, 0))
    table.ramp("pink", "p1", (0, L))
    answers = table.discards("blue")
    assert not [line for line in answers if line.type == "ruling"]  # nothing to object to
    assert table.game.supplies["blue"].sticks == 3
    assert table.game.whose_turn == "pink"
    assert not table.out


# --- Missions ---------------------------------------------------------------------------------------------------------


def around(table: Table, player: str = "blue", *, at: tuple[float, float] = (0.0, 0.0)) -> None:
    """Four roads of a player around (50, 50): the last one crosses over the first in plan view."""
    x, y = at
    table.ramp(player, f"{player}s", (x - 30, y), heading=180)
    table.move(player, f"{player}s", f"{player}2", (x + 80, y), gray=2)
    table.move(player, f"{player}2", f"{player}3", (x + 80, y + 100), gray=3)
    table.move(player, f"{player}3", f"{player}4", (x, y + 100), gray=4)
    table.move(player, f"{player}4", f"{player}5", (x, y - 40), gray=5)


def test_case_38_a_loop_around_a_building() -> None:
    table = Table(rules="rainbow-city-missions")
    table.city("d1", "development_area", square(15, 25, 50), height=2)
    table.city("b1", "building", square(25, 35, 28), height=70)
    around(table)
    assert table.game.score()["blue"].building == 1
    assert table.game.score()["pink"].building == 0


@pytest.mark.parametrize(("buildings", "points"), [(2, 4), (0, 0)])
def test_case_39_the_tower_doubles(buildings: int, points: int) -> None:
    table = Table(rules="rainbow-city-missions")
    table.city("t", "tower", square(20, 30, 15), height=100)
    for number in range(buildings):
        table.city(f"b{number}", "building", square(40, 30 + 25 * number, 15), height=70)
    around(table)
    score = table.game.score()["blue"]
    assert score.building + score.tower == points


@pytest.mark.parametrize(
    ("cars", "points"), [((True, True, False, True), 0), ((True, True, True, False), 2)], ids=["gap", "three"]
)
def test_case_40_traffic_jam_in_a_row(cars: tuple[bool, ...], points: int) -> None:
    table = Table(rules="rainbow-city-missions")
    table.ramp("blue", "b0", (0, 0), cars=[FactCar(id="k0")] if cars[0] else [])
    for number, car in enumerate(cars[1:], 1):
        placed = [f"k{number}"] if car else []
        table.move("blue", f"b{number - 1}", f"b{number}", (100 * number, 0), gray=number + 1, cars=placed)
    assert table.game.score()["blue"].traffic_jam == points


def test_case_40_traffic_jam_at_a_junction() -> None:
    table = Table(rules="rainbow-city-missions")
    table.ramp("blue", "b0", (0, 0), cars=[])
    table.move("blue", "b0", "j", (100, 0), gray=1, yellow=1, cars=["k1"])
    table.move("blue", "j", "u", (180, 60), gray=3, cars=["k2"])
    table.move("blue", "j", "d", (180, -60), gray=3, cars=["k3"])
    assert table.game.score()["blue"].traffic_jam == 2


def test_case_41_highest_counts_gray_columns_only() -> None:
    table = Table("blue", "pink", "green", rules="rainbow-city-missions")
    table.ramp("blue", "b", (0, 0), levels=4)
    table.ramp("pink", "p", (0, L), levels=4)
    table.ramp("green", "g", (L, 0), levels=7, yellow=1)
    assert {player: score.highest for player, score in table.game.score().items()} == {"blue": 2, "pink": 2, "green": 0}


def test_case_42_development_counts_areas() -> None:
    table = Table(rules="rainbow-city-missions")
    table.city("d1", "development_area", square(0, 0, 150), height=2)
    table.ramp("blue", "b1", (20, 20), heading=-90)
    table.move("blue", "b1", "b2", (120, 20), gray=2)
    table.ramp("pink", "p1", (20, 120), heading=90)
    score = table.game.score()
    assert (score["blue"].development, score["pink"].development) == (1, 1)


@pytest.mark.parametrize(("discs", "taken"), [(1, 1), (0, 0)])
def test_case_43_same_type_takes_one_disc_of_the_owner(discs: int, taken: int) -> None:
    # Pink uses 2 + 3 gray discs for the columns of either road.
    table = Table(rules="rainbow-city-missions", material={"pink": (2 + 3 + 2 + 3 + discs, 0, 9, 9)})
    table.stick("pink", "p1", (35, -50, 2), (35, 50, 3), cars=[FactCar(id="k1", type="highway_bus")])
    table.stick("pink", "p2", (65, -50, 2), (65, 50, 3), cars=[FactCar(id="k2", type="highway_bus")])
    before = table.game.supplies["blue"].gray
    table.stick("blue", "b", (0, 0, 4), (100, 0, 5), cars=[FactCar(id="bus", type="highway_bus")])
    assert table.cars_line is not None
    assert [(entry.from_, entry.discs) for entry in table.cars_line.same_type] == [("pink", taken)]
    assert table.game.supplies["pink"].gray == 0
    assert table.game.supplies["blue"].gray == before - 4 - 5 + taken
