"""Placing columns and roads: what touches, what rests, what covers; and what ends at a shared column may do."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rules.events import FactPieces, FactRoad, MoveFact
from rules.pieces import Stick
from tests.rules.tables import D, H, T, Table, fault, rules_of, square

# --- Contact ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("beside", "lift", "call"),
    [
        (11.0, 0.0, "legal"),  # a millimetre beside it
        (10.0, 0.0, "fault"),  # edge to edge
        (9.0, 0.0, "fault"),
        (9.0, 3.0, "legal"),  # over its edge, a millimetre higher
        (9.0, 2.0, "fault"),  # lying on it
        (9.0, -3.0, "legal"),  # under it
    ],
)
def test_sticks_side_by_side(beside: float, lift: float, call: str) -> None:
    table = Table()
    table.stick("pink", "p", (-30, 0, 2), (70, 0, 2))
    table.ramp("blue", "base", (0, 22), levels=2, heading=90)
    fact = table.move_fact("blue", "base", "new", (104, 22), gray=1, yellow=1)
    # Only the stick matters here: it runs beside pink's, off its own columns.
    z = 2 * H + T + lift
    road = fact.road.model_copy(update={"ends": ((-20.0, beside, z), (60.0, beside, z))})
    ruling = table.game.preview(fact.model_copy(update={"road": road}))
    assert ("touch-road" in rules_of(ruling)) == (call == "fault")


def test_contact_with_an_own_road_counts_too() -> None:
    table = Table()
    table.stick("blue", "own", (50, -50, 2), (50, 50, 2))
    table.ramp("blue", "base", (0, 0), levels=2)
    ruling = table.move("blue", "base", "new", (100, 0), gray=1, yellow=1, lift=(T, T))
    assert "touch-road" in rules_of(ruling)


def test_slopes_that_meet_at_the_edge_touch_though_the_middle_is_clear() -> None:
    table = Table()
    table.stick("pink", "low", (50, -50, 2), (50, 50, 2))
    table.ramp("blue", "base", (0, 0), levels=2)
    # 1.0 mm of room at the crossing point, but the new stick falls by 0.3 mm a millimetre: 1.5 mm at the edge.
    fact = table.move_fact("blue", "base", "new", (100, 0), gray=1, yellow=1)
    road = fact.road.model_copy(update={"ends": ((0.0, 0.0, 25 + 15.0), (100.0, 0.0, 25 - 15.0))})
    ruling = table.game.preview(fact.model_copy(update={"road": road}))
    assert ruling.crossings[0].gap == pytest.approx(1.0)
    assert fault(ruling, "touch-road").value == pytest.approx(-0.5)


def test_a_stick_beside_a_column_at_its_height_touches_it() -> None:
    table = Table()
    table.ramp("pink", "p", (50, 5 + D / 2), heading=90, levels=5)
    table.ramp("blue", "base", (0, 0), levels=3)
    ruling = table.move("blue", "base", "new", (100, 0), gray=4)
    assert rules_of(ruling) == {"touch-column"}  # rim to edge: nothing is covered, but it touches


def test_a_new_column_may_not_touch_what_stands() -> None:
    table = Table()
    table.ramp("pink", "p", (100, D - 0.5), heading=90, levels=2)
    table.ramp("blue", "base", (0, 0), levels=2)
    ruling = table.move("blue", "base", "new", (100, 0), gray=3)
    assert "touch-column" in rules_of(ruling)
    assert fault(ruling, "touch-column").with_ == ("p",)


def test_a_tower_beside_the_road() -> None:
    table = Table()
    table.city("t", "tower", square(40, 4, 20), height=100)
    table.city("b", "building", square(40, -25, 20.5), height=22)
    table.ramp("blue", "base", (0, 0), levels=3)
    ruling = table.move("blue", "base", "new", (100, 0), gray=4)
    assert rules_of(ruling) == {"touch-city"}
    assert [entry.with_ for entry in ruling.faults] == [("t",)]  # the building is low enough


def test_a_building_on_its_area_is_higher_by_the_area() -> None:
    for base, call in ((0.0, "legal"), (4.0, "fault")):
        table = Table()
        table.city("d", "development_area", square(30, -20, 40), height=base)
        table.city("b", "building", square(40, -10, 20), height=31, on="d")
        table.ramp("blue", "base", (0, 0), levels=3)
        ruling = table.move("blue", "base", "new", (100, 0), gray=4)
        assert ("touch-city" in rules_of(ruling)) == (call == "fault")


# --- Ends -------------------------------------------------------------------------------------------------------------


def test_an_end_that_does_not_reach_its_column() -> None:
    table = Table()
    table.ramp("blue", "base", (0, 0), levels=2)
    ruling = table.move("blue", "base", "new", (100, 0), gray=3, past=(4.0, -D / 2 - 1.0))
    assert rules_of(ruling) == {"end-not-resting"}
    assert fault(ruling, "end-not-resting").value == pytest.approx(1.0)


def test_an_end_that_floats_a_level_too_high() -> None:
    table = Table()
    table.ramp("blue", "base", (0, 0), levels=2)
    ruling = table.move("blue", "base", "new", (100, 0), gray=3, lift=(0, H))
    assert rules_of(ruling) == {"end-not-resting"}


def test_a_height_from_a_doubtful_count_is_no_fault_beyond_doubt() -> None:
    table = Table()
    table.ramp("blue", "base", (0, 0), levels=2)
    unsure = {"levels_probability": 0.7}
    ruling = table.move("blue", "base", "new", (100, 0), gray=3, lift=(0, H), column_more=unsure)
    assert ruling.call == "too_close"
    assert rules_of(ruling, "too_close") == {"end-not-resting", "column-level"}


def test_a_steep_road_to_a_junction_rests() -> None:
    table = Table()
    table.ramp("blue", "base", (0, 0), levels=1)
    assert table.move("blue", "base", "new", (90, 0), gray=6, yellow=1).call == "legal"


def test_order_of_the_ends_does_not_matter() -> None:
    table = Table()
    table.ramp("blue", "base", (0, 0), levels=2)
    fact = table.move_fact("blue", "base", "new", (100, 0), gray=3)
    first, second = fact.road.ends
    turned = fact.road.model_copy(update={"ends": (second, first), "rests_on": ("new", "base")})
    ruling = table.game.preview(fact.model_copy(update={"road": turned}))
    assert ruling.call == table.game.preview(fact).call == "legal"


def test_resting_on_the_road_at_the_base_is_resting_on_the_base() -> None:
    table = Table()
    ramp = table.ramp("blue", "base", (0, 0), levels=2)
    ruling = table.move("blue", "base", "new", (100, 0), gray=3, lift=(T, 0), rests_on=(ramp, "new"))
    assert ruling.call == "legal"


def test_ending_on_somebody_elses_column() -> None:
    table = Table()
    table.ramp("pink", "p", (100, 0), heading=0, levels=2)
    table.ramp("blue", "base", (0, 0), levels=1)
    ruling = table.move("blue", "base", None, (104, 0), rests_on=("base", "p"), lift=(0, 20))
    assert rules_of(ruling) == {"touch-column", "touch-road"} or rules_of(ruling) == {"touch-column"}


def test_square_ends_reach_a_column_that_round_ends_miss() -> None:
    for shape, call in (("round", "legal"), ("square", "fault")):
        pieces = FactPieces(stick=Stick(ends=shape))  # type: ignore[arg-type]  # one of the two
        table = Table(pieces=pieces)
        # Pink's column lies off the corner of the new stick's far end.
        table.ramp("pink", "p", (104 + 6.5, 5 + 6.5), heading=45, levels=1)
        table.ramp("blue", "base", (0, 0), levels=3)
        fact = table.move_fact("blue", "base", "new", (95, -8), gray=4)
        road = fact.road.model_copy(update={"ends": ((-4.0, 0.0, 32.0), (104.0, 0.0, 42.0))})
        ruling = table.game.preview(fact.model_copy(update={"road": road}))
        assert ("column-covered" in rules_of(ruling)) == (call == "fault"), shape


# --- Areas ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("x", "faults"),
    [
        (100.0, set()),  # wholly inside
        (80.0 + D / 2, set()),  # touching the edge from inside
        (80.0 + D / 2 - 1, {"column-over-edge"}),
        (80.0, {"column-over-edge"}),
        (80.0 - D / 2 + 1, {"column-over-edge"}),  # from outside
        (80.0 - D / 2, set()),
    ],
)
def test_a_column_stands_inside_a_development_area_or_beside_it(x: float, faults: set[str]) -> None:
    table = Table()
    table.city("d", "development_area", square(80, -40, 80), height=0)
    table.ramp("blue", "base", (x - 100, 0), levels=2)
    assert rules_of(table.move("blue", "base", "new", (x, 0), gray=3)) == faults


def test_the_edge_of_an_area_too_close_to_call() -> None:
    table = Table()
    table.city("d", "development_area", square(80, -40, 80), height=0)
    table.ramp("blue", "base", (0, 0), levels=2)
    ruling = table.move("blue", "base", "new", (89, 0), gray=3, column_more={"sigma_xy": 0.4})
    assert ruling.call == "too_close"
    assert fault(ruling, "column-over-edge").value == pytest.approx(0.5)


def test_a_column_on_a_development_area_stands_higher() -> None:
    table = Table()
    table.city("d", "development_area", square(60, -40, 80), height=2)
    table.ramp("blue", "base", (0, 0), levels=2)
    table.move("blue", "base", "new", (100, 0), gray=3)
    assert table.ruling.call == "legal"
    assert table.game.state.discs["new"].top_z == 32


def test_asakusa_may_not_be_crossed() -> None:
    table = Table(rules="rainbow-city-zh")
    table.city("a", "asakusa", square(40, 3, 30))
    table.ramp("blue", "base", (0, 0), levels=9)
    ruling = table.move("blue", "base", "new", (100, 0), gray=10)
    assert rules_of(ruling) == {"asakusa-crossed"}
    assert fault(ruling, "asakusa-crossed").value == pytest.approx(2.0)


def test_roads_go_through_the_rainbow() -> None:
    table = Table()
    arch = {"arch": ((50.0, -30.0), (50.0, 30.0)), "arch_height": 80.0}
    table.city("r", "rainbow_area", square(30, -40, 80), height=2, **arch)
    table.ramp("blue", "base", (0, 0), levels=2)
    assert rules_of(table.move("blue", "base", "new", (120, 0), gray=3)) == set()


@pytest.mark.parametrize(
    ("height", "feet", "touches"),
    [
        (80.0, 30.0, False),  # through
        (22.0, 30.0, False),  # over it
        (35.0, 30.0, True),  # into its crown
        (80.0, 6.0, False),  # just between its legs
        (80.0, 5.2, True),  # between its feet, but a leg is in the way
        (80.0, 4.0, True),
    ],
)
def test_the_rainbows_arch_may_not_be_touched(height: float, feet: float, touches: bool) -> None:
    table = Table()
    arch = {"arch": ((50.0, -feet), (50.0, feet)), "arch_height": height}
    table.city("r", "rainbow_area", square(30, -40, 80), height=2, **arch)
    table.ramp("blue", "base", (0, 0), levels=3)
    ruling = table.move("blue", "base", "new", (120, 0), gray=4)
    assert (rules_of(ruling) == {"touch-city"}) == touches


@pytest.mark.parametrize(("height", "touches"), [(18.0, False), (25.0, True)])
def test_trees_may_not_be_touched(height: float, touches: bool) -> None:
    table = Table()
    tree = {"outline": square(45, -5, 8), "height": height}
    table.city("g", "green_area", square(30, -40, 60), height=2, obstacles=[tree])
    table.ramp("blue", "base", (0, 0), levels=2)
    ruling = table.move("blue", "base", "new", (110, 0), gray=3)
    assert (rules_of(ruling) == {"touch-city"}) == touches


def test_a_harbor_lies_beside_its_area() -> None:
    table = Table(area_spacing="all", expansions=["yacht_harbor"])
    table.city("d", "development_area", square(0, 0, 70))
    assert table.city("h", "yacht_harbor", square(70, 0, 60), adjoins="d").call == "legal"


def test_areas_may_not_lie_on_each_other() -> None:
    table = Table()
    table.city("g", "green_area", square(0, 0, 70))
    ruling = table.city("a", "airport_area", square(60, 60, 70))
    assert rules_of(ruling) == {"touch-city"}
    assert fault(ruling, "touch-city").value == pytest.approx(-10)


def test_city_objects_in_their_order() -> None:
    table = Table()
    table.city("g", "green_area", square(300, 300, 60))
    assert rules_of(table.city("d", "development_area", square(0, 0, 70))) == {"city-order"}
    table.city("b1", "building", square(5, 5, 28))
    assert rules_of(table.city("t", "tower", square(40, 40, 20))) == {"city-order"}  # one on each area
    assert "city-over-edge" in rules_of(table.city("b2", "building", square(200, 200, 28)))


def test_development_areas_keep_away_from_ramps() -> None:
    table = Table()
    table.ramp("blue", "b1", (0, 0))
    assert rules_of(table.city("d", "development_area", square(D + D / 2 - 1, -30, 60))) == {"area-spacing"}
    assert rules_of(table.city("e", "development_area", square(-80, 5 + D - 1, 60))) == {"area-spacing"}
    assert rules_of(table.city("f", "development_area", square(100, 100, 60))) == set()


# --- Counting ---------------------------------------------------------------------------------------------------------


def test_levels_counted_with_doubt_are_too_close() -> None:
    table = Table()
    table.ramp("blue", "base", (0, 0), levels=2)
    fact = table.move_fact("blue", "base", "new", (100, 0), gray=3, column_more={"levels_probability": 0.9})
    ruling = table.game.preview(fact)
    assert ruling.call == "too_close"
    finding = fault(ruling, "column-level")
    assert finding.probability == pytest.approx(0.9)
    sure = fact.model_copy(update={"column": fact.column.model_copy(update={"levels_probability": 0.99})})  # type: ignore[union-attr]
    assert table.game.preview(sure).call == "legal"


def test_a_doubtful_yellow_matters_only_where_the_level_needs_it() -> None:
    table = Table()
    table.ramp("blue", "base", (0, 0), levels=2)
    unsure = {"junction_probability": 0.8}
    assert (
        table.game.preview(table.move_fact("blue", "base", "new", (100, 0), gray=2, yellow=1, column_more=unsure)).call
        == "legal"
    )  # three levels would be right for gray discs too
    assert (
        table.game.preview(table.move_fact("blue", "base", "new", (100, 0), gray=3, yellow=1, column_more=unsure)).call
        == "too_close"
    )


def test_yellow_alone_is_no_column() -> None:
    table = Table()
    table.ramp("blue", "base", (0, 0), levels=2)
    assert "junction-without-gray" in rules_of(table.move("blue", "base", "new", (100, 0), yellow=1))


def test_all_reasons_are_gathered() -> None:
    table = Table()
    table.stick("pink", "high", (100, -50, 6), (100, 50, 7))
    table.ramp("pink", "p", (50, 10), heading=90, levels=4)
    table.ramp("blue", "base", (0, 0), levels=2)
    fact = table.move_fact("pink", "base", "new", (100, 0), gray=5, past=(4, 12))
    assert rules_of(table.game.preview(fact.model_copy(update={"turn": 2}))) >= {
        "not-base-point",
        "column-level",
        "column-under-road",
        "column-covered",
        "touch-column",
        "overhang",
    }


# --- Shared columns under a camera's noise ----------------------------------------------------------------------------


def noisy(fact: MoveFact, rng: np.random.Generator) -> MoveFact:
    """A move as a camera sees it: tips off by its sigmas, heights too."""
    (ax, ay, _), (bx, by, _) = fact.road.ends
    run = math.hypot(bx - ax, by - ay)
    ux, uy = (bx - ax) / run, (by - ay) / run
    ends = []
    for x, y, z in fact.road.ends:
        along, across, up = rng.normal(0, 1, 3) * (1.0, 0.7, 0.6)
        ends.append((x + along * ux - across * uy, y + along * uy + across * ux, z + up))
    road = FactRoad(
        id=fact.road.id,
        ends=(ends[0], ends[1]),
        rests_on=fact.road.rests_on,
        sigma_xy=0.7,
        sigma_along=1.0,
        sigma_z=0.6,
    )
    column = fact.column
    assert column is not None
    dx, dy = rng.normal(0, 0.6, 2)
    column = column.model_copy(update={"x": column.x + dx, "y": column.y + dy, "sigma_xy": 0.6, "sigma_z": 0.4})
    return fact.model_copy(update={"road": road, "column": column})


@pytest.mark.parametrize("turn_deg", [0, 60, -100, 130, 150])
def test_noise_at_a_shared_column_is_no_contact(turn_deg: float) -> None:
    """In, out and a branch at one junction, one over or beside the other: legal, whatever the camera's noise."""
    rng = np.random.default_rng(5)
    for _ in range(40):
        table = Table()
        table.ramp("blue", "base", (0, 0))
        table.apply(noisy(table.move_fact("blue", "base", "j", (100, 0), gray=1, yellow=1, lift=(T, 0)), rng))
        assert table.ruling.faults == ()
        for angle, name in ((turn_deg, "u"), (turn_deg - 70 if turn_deg > 100 else turn_deg + 70, "d")):
            there = table.game.columns["j"]
            to = (there.x + 100 * math.cos(math.radians(angle)), there.y + 100 * math.sin(math.radians(angle)))
            fact = table.move_fact("blue", "j", name, to, gray=3, lift=(float(rng.choice([0.0, T, 2 * T])), 0.0))
            table.apply(noisy(fact, rng))
            assert rules_of(table.ruling) <= {"turn-order"}
            assert "touch-road" not in rules_of(table.ruling, "too_close")
            assert table.ruling.crossings == ()


# --- Ramps ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (0, 2, 1, 3)], ids=["around", "across"])
@pytest.mark.parametrize(("side", "warnings"), [(114.0, 0), (90.0, 4)])
def test_four_ramps_stand_in_a_square(order: tuple[int, ...], side: float, warnings: int) -> None:
    table = Table("blue", "pink", "green", "yellow")
    corners = [(0.0, 0.0), (side, 0.0), (side, side), (0.0, side)]
    headings = [225, 315, 45, 135]
    for player, corner in zip(table.game.players, order, strict=True):
        table.ramp(player, f"{player}1", corners[corner], heading=headings[corner])
    found = [entry for entry in table.ruling.faults if entry.rule == "ramp-distance"]
    assert len(found) == warnings
    assert all(entry.warning for entry in found)
    assert table.ruling.call == "legal"


def test_three_ramps_stand_in_a_triangle() -> None:
    table = Table("blue", "pink", "green")
    for number, player in enumerate(table.game.players):
        angle = math.radians(90 + 120 * number)
        radius = 114.0 / math.sqrt(3)
        table.ramp(player, player, (radius * math.cos(angle), radius * math.sin(angle)), heading=90 + 120 * number)
    assert table.ruling.faults == ()


def test_a_ramp_has_one_gray_level_and_a_sedan() -> None:
    table = Table()
    table.ramp("blue", "b", (0, 0), levels=2)
    assert rules_of(table.ruling) == {"column-level"}
    table = Table()
    table.ramp("blue", "b", (0, 0), cars=[])
    assert table.ruling.call == "legal"
    assert table.cars_line is not None
    assert rules_of(table.cars_line) == {"cars-too-few"}
