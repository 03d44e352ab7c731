"""Tables worked out by hand from the rule texts before the engine saw them."""

from __future__ import annotations

import math
from typing import Any

import pytest

from rules.messages import messages
from tests.rules.tables import D, Table, fault, reasons, rules_of, square

PLENTY = dict.fromkeys(("blue", "pink", "green", "yellow"), (60, 9, 30, 10))
AREA = "development_area"


def plenty(*players: str, **more: Any) -> Table:
    """A table where nobody runs out of anything: every column may be a junction, so that any height will do."""
    return Table(*players, material={player: PLENTY[player] for player in players}, **more)


def star(levels: dict[str, int], **options: Any) -> tuple[Table, list[dict[str, str]], list[int]]:
    """Each player builds one road through (0, 0), each at 45 degrees to the one before. Reasons and cars due."""
    table = plenty(*levels, **options)
    spokes = {player: 45.0 * number for number, player in enumerate(levels)}
    for player, angle in spokes.items():
        at = 52 * math.cos(math.radians(angle)), 52 * math.sin(math.radians(angle))
        table.ramp(player, player[0], at, heading=angle)
    why, due = [], []
    for player, angle in spokes.items():
        at = -52 * math.cos(math.radians(angle)), -52 * math.sin(math.radians(angle))
        ruling = table.move(player, player[0], f"{player[0]}1", at, gray=levels[player] - 1, yellow=1, road=player)
        assert ruling.call == "legal"
        why.append(reasons(ruling))
        due.append(ruling.cars_due)
    return table, why, due


# --- First ------------------------------------------------------------------------------------------------------------


def test_of_four_layers_only_the_topmost_can_be_crossed_over_first() -> None:
    _, why, due = star({"blue": 2, "pink": 3, "green": 4, "yellow": 5})
    assert due == [0, 1, 1, 1]
    assert why[3] == {"blue": "side-taken", "pink": "side-taken", "green": "first"}


def test_of_four_layers_only_the_lowest_can_be_passed_under_first() -> None:
    _, why, due = star({"blue": 5, "pink": 4, "green": 3, "yellow": 2})
    assert due == [0, 1, 1, 1]
    assert why[3] == {"blue": "side-taken", "pink": "side-taken", "green": "first"}


@pytest.mark.parametrize(
    ("options", "due", "under_pink"),
    [
        ({}, 0, "side-taken"),
        ({"first": "event"}, 1, "first"),
        ({"first": "event", "must_be_outermost": True}, 0, "not-outermost"),
    ],
)
def test_between_two_that_cross_neither_is_free(options: dict[str, Any], due: int, under_pink: str) -> None:
    """Pink lies over blue, green goes through between them."""
    _, why, cars = star({"blue": 2, "pink": 5, "green": 3}, **options)
    assert cars[2] == due
    assert why[2] == {"blue": "side-taken", "pink": under_pink}


@pytest.mark.parametrize(("budget", "due", "reason"), [("per_side", 1, "first"), ("once", 0, "budget-spent")])
def test_a_stick_paid_from_above_may_pay_again_from_below(budget: str, due: int, reason: str) -> None:
    _, why, cars = star({"blue": 3, "pink": 5, "green": 2}, first_budget=budget)
    assert cars[2] == due
    assert why[2] == {"blue": reason, "pink": "side-taken"}


@pytest.mark.parametrize(("takes_side", "due"), [(True, 1), (False, 2)])
def test_an_own_road_over_ones_own_shields_it(takes_side: bool, due: int) -> None:
    """Pink loops over its own road; blue goes over both where they cross."""
    table = plenty("pink", "blue", own_road_takes_side=takes_side)
    table.ramp("pink", "p", (0, 0))
    table.ramp("blue", "b", (11, -349), heading=270)
    way = [((104, 0), 2), ((160, 88), 4), ((60, 60), 4), ((40, -42), 4)]
    rise = [((11, -245), 4), ((11, -141), 6), ((11, -37), 7), ((85, 37), 7)]
    for number, ((there, level), (to, height)) in enumerate(zip(way, rise, strict=True)):
        before = str(number) if number else ""
        own = table.move("pink", f"p{before}", f"p{number + 1}", there, gray=level - 1, yellow=1, road=f"pink{number}")
        last = table.move("blue", f"b{before}", f"b{number + 1}", to, gray=height - 1, yellow=1)
        assert own.call == last.call == "legal"
    assert reasons(own) == {"pink0": "own-road"}
    assert own.cars_due == 0
    assert reasons(last) == {"pink0": "first" if not takes_side else "side-taken", "pink3": "first"}
    assert last.cars_due == due


@pytest.mark.parametrize(("scope", "due"), [("stick", 0), ("spot", 1)])
def test_a_side_is_taken_along_the_whole_stick_or_only_there(scope: str, due: int) -> None:
    table = plenty("pink", "blue", "green", first_scope=scope)
    table.ramp("pink", "p", (0, 0))
    table.ramp("blue", "b", (26, -52), heading=270)
    table.ramp("green", "g", (78, -52), heading=270)
    table.move("pink", "p", "p1", (104, 0), gray=2)
    assert table.move("blue", "b", "b1", (26, 52), gray=3, yellow=1).cars_due == 1
    assert table.move("green", "g", "g1", (78, 52), gray=3, yellow=1).cars_due == due


@pytest.mark.parametrize(("cars", "due"), [(10, 3), (2, 1)])
def test_over_two_and_under_a_third_at_once_as_far_as_the_cars_go(cars: int, due: int) -> None:
    players = ("pink", "green", "blue")
    table = Table(*players, material=dict.fromkeys(players, (60, 9, 30, cars)))
    table.ramp("pink", "p", (0, 0))
    table.ramp("green", "g", (-20, 168), heading=90)
    table.ramp("blue", "b", (30, -128), heading=270)
    table.move("pink", "p", "p1", (100, 24), gray=1, yellow=1, road="low")
    table.move("green", "g", "g1", (-20, 64), gray=4, yellow=1)
    table.move("blue", "b", "b1", (30, -24), gray=2, yellow=1)
    table.move("pink", "p1", "p2", (0, 48), gray=1, road="back")
    table.move("green", "g1", "g2", (82, 64), gray=4, yellow=1, road="high")
    ruling = table.move("blue", "b1", "b2", (30, 80), gray=2, yellow=1)
    assert {(line.road, line.side, line.pays) for line in ruling.crossings} == {
        ("low", "over", True),
        ("back", "over", True),
        ("high", "under", True),
    }
    assert ruling.cars_due == due


@pytest.mark.parametrize(
    ("past", "sigma", "options", "call", "due"),
    [
        (14.0, 0.0, {}, "legal", 0),
        (16.0, 0.0, {}, "legal", 0),  # the tip on the middle line doesn't cross it
        (20.0, 0.0, {}, "legal", 1),
        (14.0, 0.0, {"partial": "count"}, "legal", 1),
        (14.0, 0.0, {"partial": "ask"}, "too_close", 0),
        (14.0, 0.5, {}, "legal", 0),
        (14.0, 1.5, {}, "too_close", 0),
        (18.0, 1.5, {}, "too_close", 1),
    ],
)
def test_an_end_that_reaches_under_a_road_crosses_it_past_the_middle(
    past: float, sigma: float, options: dict[str, Any], call: str, due: int
) -> None:
    """At a classic table ends may stick out: pink's new column stands 16 mm beside the middle of blue's road."""
    table = Table(rules="classic", **options)
    table.ramp("blue", "b", (0, 0))
    table.ramp("pink", "p", (52, -111), heading=270)
    table.move("blue", "b", "b1", (104, 0), gray=4, yellow=1)
    ruling = table.move("pink", "p", "p1", (52, -16), gray=1, yellow=1, past=(4.0, past), sigma_xy=sigma)
    assert (ruling.call, ruling.cars_due) == (call, due)


# --- Columns and roads ------------------------------------------------------------------------------------------------


def test_a_junction_branches_at_any_later_turn_but_once() -> None:
    table = plenty("blue", "pink")
    table.ramp("blue", "b", (0, 0))
    table.ramp("pink", "p", (0, 400))
    before = "p"

    def pink() -> None:
        nonlocal before
        new = f"{before}+"
        table.move("pink", before, new, (104.0 * (len(new) - 1), 400), gray=1, yellow=1)
        before = new

    assert table.move("blue", "b", "j", (104, 0), gray=4, yellow=1).call == "legal"
    pink()
    assert rules_of(table.move("blue", "j", "b2", (208, 0), gray=6)) == set()
    pink()
    assert rules_of(table.move("blue", "b2", "b3", (312, 0), gray=5)) == set()
    pink()
    assert rules_of(table.move("blue", "j", "b4", (104, 104), gray=4)) == set()
    pink()
    assert "junction-branches" in rules_of(table.move("blue", "j", "b5", (104, -104), gray=4))
    pink()
    assert "gray-branches" in rules_of(table.move("blue", "b2", "b6", (208, -104), gray=5))


@pytest.mark.parametrize(
    ("x", "sigma", "call"),
    [
        (9.5, 0.0, "legal"),  # its rim on the edge
        (8.5, 0.0, "fault"),
        (0.0, 0.0, "fault"),  # half over the edge
        (-8.5, 0.0, "fault"),
        (-9.5, 0.0, "legal"),  # beside the area
        (10.0, 1.0, "too_close"),
        (13.0, 1.0, "legal"),
    ],
)
def test_a_column_must_not_stick_out_over_the_edge(x: float, sigma: float, call: str) -> None:
    table = Table()
    table.city("d", AREA, square(104, -35, 70), height=2)
    table.ramp("blue", "b", (0, 0))
    there = (104 + x, 0)
    ruling = table.move("blue", "b", "b1", there, gray=2, past=(2.0, 2.0), column_more={"sigma_xy": sigma})
    assert ruling.call == call
    assert rules_of(ruling, call) == (set() if call == "legal" else {"column-over-edge"})


@pytest.mark.parametrize(
    ("degrees", "level", "legal"),
    [
        (12, 2, False),  # side by side far past the disc
        (12, 8, True),
        (-12, 2, False),
        (30, 2, True),
        (90, 2, True),
    ],
)
def test_branches_may_touch_only_at_the_shared_column_top(degrees: float, level: int, legal: bool) -> None:
    table = plenty("blue", "pink")
    table.ramp("blue", "b", (0, 0))
    table.ramp("pink", "p", (0, 400))
    table.move("blue", "b", "j", (104, 0), gray=1, yellow=1)
    table.move("pink", "p", "p1", (104, 400), gray=2)
    table.move("blue", "j", "b1", (208, 0), gray=1, yellow=1, road="first", past=(8.0, 2.0))
    table.move("pink", "p1", "p2", (208, 400), gray=1)
    angle = math.radians(degrees)
    to = (104 + 104 * math.cos(angle), 104 * math.sin(angle))
    ruling = table.move("blue", "j", "b2", to, gray=level - 1, yellow=1, past=(8.0, 2.0))
    assert rules_of(ruling) == (set() if legal else {"touch-road"})
    if not legal:
        assert fault(ruling, "touch-road").with_ == ("first",)


@pytest.mark.parametrize(("y", "rules"), [(0.0, set()), (5.0, set()), (30.0, {"end-not-resting"})])
def test_an_offramp_lies_on_the_area_that_it_is_said_to_lie_on(y: float, rules: set[str]) -> None:
    """The end is as long as it is wide, so the tip may lie half a width past the edge."""
    table = Table()
    table.city("g", "green_area", square(60, -70, 70), height=2)
    table.ramp("blue", "b", (0, 0))
    ruling = table.move("blue", "b", None, (108, y), rests_on=("b", "g"), lift=(0, 2))
    assert rules_of(ruling) == rules


@pytest.mark.parametrize(("gap", "rules"), [(D, set()), (D - 1, {"area-spacing"})])
def test_development_areas_keep_a_columns_width(gap: float, rules: set[str]) -> None:
    table = Table()
    table.city("d1", AREA, square(0, 0, 70), height=2)
    assert rules_of(table.city("d2", AREA, square(70 + gap, 0, 70), height=2)) == rules


@pytest.mark.parametrize("degrees", [0.0, 37.0])
@pytest.mark.parametrize(
    ("outline", "overlap"),
    [
        (square(70, 0, 70), False),  # side by side
        (square(60, 0, 70), True),  # side on side
        (square(20, -20, 30, 110), True),  # across it
        (square(0, 0, 70), True),  # on top of it
        (square(60, 60, 70), True),
    ],
)
def test_city_objects_do_not_lie_on_each_other(outline: Any, overlap: bool, degrees: float) -> None:
    turn = math.radians(degrees)

    def turned(points: Any) -> list[tuple[float, float]]:
        return [(x * math.cos(turn) - y * math.sin(turn), x * math.sin(turn) + y * math.cos(turn)) for x, y in points]

    table = Table()
    table.city("g", "green_area", turned(square(0, 0, 70)), height=2)
    assert rules_of(table.city("a", "airport_area", turned(outline), height=2)) == (
        {"touch-city"} if overlap else set()
    )


# --- Passing, running out, the end ------------------------------------------------------------------------------------


def test_two_who_pass_in_a_row_are_both_out_and_the_third_has_won() -> None:
    held = {"blue": (3, 0, 9, 5), "pink": (3, 0, 9, 5), "green": (20, 0, 9, 5)}
    table = Table(*held, material=held)
    for number, player in enumerate(held):
        table.ramp(player, player[0], (0, 200 * number))
    for number, player in enumerate(held):
        table.move(player, player[0], f"{player[0]}1", (104, 200 * number), gray=2)
    table.passes("blue")
    table.passes("pink")
    table.move("green", "g1", "g2", (208, 400), gray=1)
    assert table.out == ["blue", "pink"]
    assert table.end is not None
    assert table.end.ranking == (("green",), ("pink",), ("blue",))


def test_with_missions_who_has_no_disc_may_not_just_pass() -> None:
    """On their turn, the player instead places one road-stick next to the Mission Board."""
    held = {"blue": (3, 0, 3, 5), "pink": (20, 0, 9, 5)}
    table = Table(rules="rainbow-city-missions", material=held)
    table.ramp("blue", "b", (0, 0))
    table.ramp("pink", "p", (0, 200))
    table.move("blue", "b", "b1", (104, 0), gray=2)
    table.move("pink", "p", "p1", (104, 200), gray=2)
    table.passes("blue")
    assert rules_of(table.ruling) == {"supply"}
    assert [str(said) for said in messages(table.ruling)] == [
        "Fault: blue may not pass and must put one road-stick beside the board. (one road-stick)"
    ]
    table.move("pink", "p1", "p2", (208, 200), gray=1)
    table.discards("blue")
    assert table.game.supplies["blue"].sticks == 0
    table.move("pink", "p2", "p3", (312, 200), gray=2)
    table.passes("blue")
    assert table.answers[0].type != "ruling"  # no stick is left to lay aside: passing is all there is


def test_with_missions_the_round_is_played_to_its_end() -> None:
    held = {"blue": (9, 0, 9, 5), "pink": (9, 0, 9, 2), "green": (9, 0, 9, 5), "yellow": (9, 0, 9, 5)}
    table = Table(*held, rules="rainbow-city-missions", material=held)
    for number, player in enumerate(held):
        table.ramp(player, player[0], (0, 200 * number))
    ends = []
    for number, player in enumerate(held):
        if player == "pink":
            table.move("pink", "p", None, (108, 200), cars=["last"])
        else:
            table.move(player, player[0], f"{player[0]}1", (104, 200 * number), gray=2)
        ends.append(table.end)
    assert ends[:3] == [None] * 3
    # 2 cars and 1 for the stock, against 1 car, 1 for the stock and 2 for the tallest column.
    assert ends[3] is not None
    assert ends[3].ranking == (("blue", "green", "yellow"), ("pink",))


# --- Missions ---------------------------------------------------------------------------------------------------------


def test_a_figure_of_eight_holds_what_stands_in_either_loop() -> None:
    table = plenty("blue", "pink", rules="rainbow-city-missions")
    table.city("d1", AREA, square(85, 25, 30), height=2)
    table.city("d2", AREA, square(-31, -71, 22), height=2)
    table.city("house", "building", square(90, 30, 20), height=70)
    table.city("home", "building", square(-28, -68, 16), height=70)
    table.ramp("blue", "b", (0, 0))
    table.ramp("pink", "p", (0, 900))
    way = [
        ((104, 0), 2),
        ((160, 88), 4),
        ((60, 60), 4),
        ((40, -42), 4),
        ((0, -138), 4),
        ((-75, -66), 4),
        ((-20, 22), 4),
    ]
    surrounded = []
    for number, (to, level) in enumerate(way):
        before = str(number) if number else ""
        ruling = table.move("blue", f"b{before}", f"b{number + 1}", to, gray=level - 1, yellow=1)
        assert ruling.call == "legal"
        surrounded.append(table.game.score()["blue"].building)
        table.move("pink", f"p{before}", f"p{number + 1}", (104 * (number + 1), 900), gray=1, yellow=1)
    assert surrounded == [0, 0, 0, 1, 1, 1, 2]


@pytest.mark.parametrize(("first", "second", "points"), [(True, False, 0), (False, True, 2)])
def test_the_harbor_wants_a_car_on_a_road_that_leaves_the_column(first: bool, second: bool, points: int) -> None:
    table = Table(rules="rainbow-city-missions", expansions=["yacht_harbor"])
    table.city("d", AREA, square(60, -40, 80), height=2)
    table.city("h", "yacht_harbor", square(140, -40, 60), adjoins="d")
    table.ramp("blue", "b", (0, 0), cars=[])
    table.ramp("pink", "p", (0, 400))
    table.move("blue", "b", "b1", (100, 0), gray=2, cars=["k1"] if first else [])
    table.move("pink", "p", "p1", (104, 400), gray=2)
    table.move("blue", "b1", "b2", (100, 100), gray=3, cars=["k2"] if second else [])
    assert table.game.score()["blue"].yacht_harbor == points
