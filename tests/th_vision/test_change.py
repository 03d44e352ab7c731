"""What is new, gone and moved between two readings of the table; and what is believed after many."""

from __future__ import annotations

import numpy as np
import pytest

from rules.layout import Car, Column, Layout, Road
from rules.pieces import Pieces
from th_vision.change import Change, compare
from th_vision.credible import credible
from th_vision.known import Known, refine
from th_vision.virtual_table.misread import Misreading, misread
from th_vision.virtual_table.player import random_game

PIECES = Pieces()


def column(name: str, x: float, y: float, levels: int = 2, **more: object) -> Column:
    return Column.model_validate({"id": name, "x": x, "y": y, "levels": levels, "top_z": 10.0 * levels, **more})


def road(name: str, a: Column, b: Column, **more: object) -> Road:
    along = np.array([b.x - a.x, b.y - a.y])
    past = along / np.hypot(*along) * 4
    ends = [(a.x - past[0], a.y - past[1], a.top_z + 2), (b.x + past[0], b.y + past[1], b.top_z + 2)]
    return Road.model_validate({"id": name, "ends": ends, "rests_on": (a.id, b.id), **more})


A, B, C = column("c1", 0, 0, 1), column("c2", 106, 0, 2), column("c3", 106, 106, 3)
TABLE = Layout(columns=(A, B), roads=(road("r1", A, B),), cars=(Car(id="k1", x=50, y=0, z=17, player="blue", on="r1"),))


def known(layout: Layout) -> Known:
    return refine(Known(), compare(Known(), layout, PIECES))


def change(before: Layout, after: Layout) -> Change:
    return compare(known(before), after, PIECES)


def test_the_same_table_read_again_is_no_change() -> None:
    assert change(TABLE, TABLE).nothing


def test_a_reading_with_other_ids_and_turned_ends_is_the_same_table() -> None:
    r = TABLE.roads[0]
    again = Layout(
        columns=(B.model_copy(update={"id": "c1"}), A.model_copy(update={"id": "c2"})),
        roads=(Road(id="r9", ends=(r.ends[1], r.ends[0]), rests_on=("c1", "c2")),),
        cars=(TABLE.cars[0].model_copy(update={"id": "k5", "on": "r9"}),),
    )
    seen = change(TABLE, again)
    assert seen.nothing
    assert seen.seen.roads[0].rests_on == ("c1", "c2")
    assert seen.seen.roads[0].ends == r.ends
    assert seen.seen.cars[0].on == "r1"


def test_a_neighbour_that_reads_1_5_mm_off_is_the_same_piece() -> None:
    nudged = TABLE.model_copy(update={"columns": (A, B.model_copy(update={"x": B.x + 1.5, "sigma_xy": 0.5}))})
    assert change(TABLE, nudged).nothing


def test_a_new_column_and_road_are_new_and_get_ids_never_used() -> None:
    after = TABLE.model_copy(update={"columns": (*TABLE.columns, C), "roads": (*TABLE.roads, road("r2", B, C))})
    seen = change(TABLE, after)
    assert [c.id for c in seen.new_columns] == ["c3"]
    assert [r.id for r in seen.new_roads] == ["r2"]
    assert not seen.disturbed


def test_ids_of_pieces_that_left_are_not_given_again() -> None:
    first = known(TABLE)
    without = refine(first, compare(first, TABLE.model_copy(update={"cars": ()}), PIECES))
    again = compare(without, TABLE, PIECES)
    assert [car.id for car in again.new_cars] == ["k2"]


def test_a_car_high_above_the_place_of_a_hidden_one_is_new_not_pushed_up() -> None:
    over = column("c4", 50, 40, 4), column("c5", 50, -60, 5)
    high = Car(id="k1", x=44, y=2, z=47, player="blue", on="r2")
    built = Layout(columns=(A, B, *over), roads=(*TABLE.roads, road("r2", *over)), cars=(high,))
    seen = compare(known(Layout(columns=(A, B, *over), roads=built.roads, cars=TABLE.cars)), built, PIECES)
    assert [k.id for k in seen.new_cars] == ["k2"]
    assert [p.id for p in seen.gone] == ["k1"]


STEEP = column("c4", 53, 60, 1), column("c5", 53, -45, 5)
"""A new road from low beside the car's road to high above it: above the car, though its low end is lower."""


def under_a_steep_road(*cars: Car) -> Change:
    built = Layout(columns=(A, B, *STEEP), roads=(*TABLE.roads, road("r2", *STEEP)), cars=cars)
    before = known(TABLE)
    return credible(compare(before, built, PIECES), before, None).change


def test_a_car_below_the_high_part_of_a_sloping_road_is_hidden_not_gone() -> None:
    assert not under_a_steep_road().gone


def test_a_car_half_below_a_new_road_seems_shifted_and_is_not() -> None:
    assert not under_a_steep_road(TABLE.cars[0].model_copy(update={"x": 44.0})).moved


def test_a_pushed_column_is_moved_not_new() -> None:
    there = B.model_copy(update={"y": B.y + 24.0})
    pushed = Layout(columns=(A, there), roads=(road("r1", A, there),), cars=TABLE.cars)
    seen = change(TABLE, pushed)
    assert [(m.id, round(m.shift_mm)) for m in seen.moved] == [("c2", 24), ("r1", 25)]
    assert not seen.new_columns
    assert not seen.gone


def test_a_push_within_three_sigmas_is_no_move() -> None:
    pushed = TABLE.model_copy(update={"columns": (A, B.model_copy(update={"x": B.x + 5.0, "sigma_xy": 2.0}))})
    assert not change(TABLE, pushed).moved


def test_a_stick_that_fell_flat_is_the_road_that_fell() -> None:
    lying = Road(id="r7", ends=((20, 60, 2), (130, 70, 2)), rests_on=("table", "table"))
    seen = change(TABLE, TABLE.model_copy(update={"roads": (lying,), "cars": ()}))
    assert [(m.id, m.fell) for m in seen.moved] == [("r1", True)]
    assert [p.id for p in seen.gone] == ["k1"]


def test_a_stick_lying_about_is_loose_not_a_new_road() -> None:
    lying = Road(id="r7", ends=((300, 60, 2), (400, 70, 2)), rests_on=("table", "table"))
    seen = change(TABLE, TABLE.model_copy(update={"roads": (*TABLE.roads, lying)}))
    assert not seen.new_roads
    assert [p.id for p in seen.loose] == ["r2"]


def test_a_disc_taken_off_a_column_is_recounted() -> None:
    lower = TABLE.model_copy(update={"columns": (A, B.model_copy(update={"levels": 1, "top_z": 10.0}))})
    ((before, after),) = change(TABLE, lower).recounted
    assert (before.levels, after.levels) == (2, 1)


def test_readings_of_a_standing_piece_are_averaged_and_its_sigma_says_so() -> None:
    rng = np.random.default_rng(1)
    belief = known(TABLE.model_copy(update={"columns": (A, B.model_copy(update={"sigma_xy": 0.8, "x": B.x + 0.8}))}))
    for _ in range(12):
        reading = B.model_copy(update={"sigma_xy": 0.8, "x": B.x + rng.normal() * 0.8})
        belief = refine(belief, compare(belief, TABLE.model_copy(update={"columns": (A, reading)}), PIECES))
    column_b = next(c for c in belief.layout.columns if c.id == "c2")
    assert abs(column_b.x - B.x) < 0.6
    assert 0.8 * np.sqrt(0.7) < column_b.sigma_xy < 0.8  # readings share most of their error


def test_a_piece_that_moved_is_forgotten_at_once() -> None:
    belief = known(TABLE.model_copy(update={"columns": (A, B.model_copy(update={"sigma_xy": 0.5}))}))
    for _ in range(5):
        belief = refine(
            belief,
            compare(belief, TABLE.model_copy(update={"columns": (A, B.model_copy(update={"sigma_xy": 0.5}))}), PIECES),
        )
    pushed = B.model_copy(update={"x": B.x + 9.0, "sigma_xy": 0.5})
    belief = refine(belief, compare(belief, TABLE.model_copy(update={"columns": (A, pushed)}), PIECES))
    column_b = next(c for c in belief.layout.columns if c.id == "c2")
    assert column_b.x == pytest.approx(pushed.x)
    assert column_b.sigma_xy == pytest.approx(0.5)


def test_levels_follow_the_readings_that_agree() -> None:
    good = TABLE.model_copy(update={"columns": (A, B.model_copy(update={"levels_probability": 0.97}))})
    bad = TABLE.model_copy(update={"columns": (A, B.model_copy(update={"levels": 3, "levels_probability": 0.6}))})
    belief = known(bad)
    for reading in (good, good, bad, good):
        belief = refine(belief, compare(belief, reading, PIECES))
    column_b = next(c for c in belief.layout.columns if c.id == "c2")
    assert column_b.levels == 2
    assert 0.9 < column_b.levels_probability < 1


def test_levels_that_readings_dispute_are_not_certain() -> None:
    two = TABLE.model_copy(update={"columns": (A, B.model_copy(update={"levels_probability": 0.9}))})
    three = TABLE.model_copy(update={"columns": (A, B.model_copy(update={"levels": 3, "levels_probability": 0.9}))})
    belief = known(two)
    for reading in (three, two, three):
        belief = refine(belief, compare(belief, reading, PIECES))
    column_b = next(c for c in belief.layout.columns if c.id == "c2")
    assert column_b.levels_probability < 0.6


@pytest.mark.parametrize("seed", range(3))
def test_games_read_with_noise_show_exactly_their_moves(seed: int) -> None:
    """Every turn of a played game: one new road, at most one new column, nothing gone and nothing moved."""
    rng = np.random.default_rng(seed)
    belief, before = Known(), Layout()
    for moment in random_game(np.random.default_rng(seed), PIECES, turns=14):
        truth = moment.scene.layout()
        seen = compare(belief, misread(truth, rng, Misreading(0.7, 1.2, 0.8), PIECES), PIECES)
        assert len(seen.new_roads) == len(truth.roads) - len(before.roads)
        assert len(seen.new_columns) == len(truth.columns) - len(before.columns)
        assert len(seen.new_cars) == len(truth.cars) - len(before.cars)
        assert not credible(seen, belief).change.disturbed
        belief, before = refine(belief, seen), truth
