"""A reading is freed of what can't be, and of nothing else."""

from __future__ import annotations

import pytest

from rules.layout import Layout, Road
from tests.th_vision.games import (
    C1,
    C2,
    C3,
    K1,
    PIECES,
    R1,
    R3,
    RAMPS,
    SECOND,
    THIRD,
    car,
    column,
    minus,
    played,
    plus,
    road,
)
from th_vision.tidy import road_within_road, tidy, with_cars_in_sight, without_cars_on_one_ray


def test_a_possible_reading_is_left_as_it_is() -> None:
    assert tidy(THIRD, SECOND, PIECES) == THIRD


def test_played_games_are_possible() -> None:
    before = Layout()
    for moment in played(7, ("blue", "pink", "green"), 12):
        truth = moment.scene.layout()
        assert tidy(truth, before, PIECES) == truth
        before = truth


def test_a_column_read_twice_is_one_and_roads_rest_on_it() -> None:
    twin = column("c9", C3.x + 3, C3.y, 3, levels_probability=0.4)
    resting = R3.model_copy(update={"rests_on": ("c1", "c9")})
    seen = plus(minus(plus(SECOND, twin), "r3"), resting)
    clean = tidy(seen, RAMPS, PIECES)
    assert [c.id for c in clean.columns] == [c.id for c in SECOND.columns]
    assert next(r for r in clean.roads if r.id == "r3").rests_on == ("c1", "c3")


def test_the_column_that_is_believed_stays_though_its_twin_is_surer() -> None:
    unsure = C3.model_copy(update={"levels_probability": 0.1})
    twin = column("c9", C3.x + 3, C3.y, 3)
    clean = tidy(plus(minus(SECOND, "c3"), unsure, twin), SECOND, PIECES)
    assert [c.levels for c in clean.columns if c.y == C3.y] == [2]
    assert len(clean.columns) == len(SECOND.columns)


def test_a_car_seen_again_at_a_lower_height_is_one_car() -> None:
    upper = car("k3", R3, "blue")
    ghost = upper.model_copy(update={"id": "k9", "z": upper.z - 20, "x": upper.x + 8})
    assert [k.id for k in tidy(plus(SECOND, ghost, upper), SECOND, PIECES).cars] == ["k1", "k2", "k3"]


def test_cars_of_two_players_may_stand_over_each_other() -> None:
    upper = car("k3", R3, "blue")
    other = upper.model_copy(update={"id": "k9", "z": upper.z - 20, "player": "pink"})
    assert len(tidy(plus(SECOND, upper, other), SECOND, PIECES).cars) == 4


def test_a_road_along_another_one_that_leads_nowhere_is_a_ghost() -> None:
    (ax, ay, az), (bx, by, _) = R3.ends
    ghost = Road(id="r9", ends=((ax + 6, ay, az), (bx + 6, by, 2)), rests_on=("c1", "table"))
    assert road_within_road(ghost, SECOND.roads, PIECES)
    assert [r.id for r in tidy(plus(SECOND, ghost), SECOND, PIECES).roads] == [r.id for r in SECOND.roads]


def test_a_road_read_twice_is_one_and_its_car_stands_on_it() -> None:
    a, b = R3.ends
    ends = ((b[0], b[1] - 2, b[2] + 2), (a[0] + 3, a[1], a[2]))
    twin = Road(id="r9", ends=ends, rests_on=("c3", "table"), sigma_along=4)
    new = car("k3", R3, "blue").model_copy(update={"on": "r9"})
    clean = tidy(plus(SECOND, twin, new), RAMPS, PIECES)
    assert [r.id for r in clean.roads] == [r.id for r in SECOND.roads]
    assert clean.cars[-1].on == "r3"


def test_a_car_above_another_one_of_its_player_is_new() -> None:
    upper = K1.model_copy(update={"id": "k9", "z": K1.z + 22, "x": K1.x + 9, "on": None})
    assert len(tidy(plus(SECOND, upper), SECOND, PIECES).cars) == 3


def test_a_known_road_is_no_ghost_of_itself() -> None:
    (a, b) = R1.ends
    again = R1.model_copy(update={"ends": ((a[0] + 2, a[1], a[2]), b)})
    assert len(tidy(plus(minus(SECOND, "r1"), again), SECOND, PIECES).roads) == len(SECOND.roads)


def test_roads_that_cross_or_meet_are_no_ghosts() -> None:
    over = road("r9", column("c8", -110, 50, 4), column("c9", -6, 50, 5))
    assert not road_within_road(over, SECOND.roads, PIECES)
    assert not road_within_road(road("r8", C1, C2), SECOND.roads, PIECES)


def test_a_car_that_a_road_would_hide_stands_on_that_road() -> None:
    eye = (0.0, 0.0, 600.0)
    over = Road(id="r9", ends=((-100.0, -57.0, 30.0), (-100.0, 57.0, 30.0)))
    share = (600 - 6) / (600 - 30)  # as it seems to stand further down
    below = K1.model_copy(update={"id": "k9", "x": -100.0 * share, "y": 10.0 * share, "z": 6.0, "on": "r1"})
    (car,) = (k for k in with_cars_in_sight(plus(SECOND, over, below), SECOND, eye, PIECES).cars if k.id == "k9")
    assert car.on == "r9"
    assert (car.x, car.y, car.z) == pytest.approx((-100.0, 10.0, 30.0))
    beside = below.model_copy(update={"x": below.x - 12})
    (car,) = (k for k in with_cars_in_sight(plus(SECOND, over, beside), SECOND, eye, PIECES).cars if k.id == "k9")
    assert car.on == "r1"


def test_a_known_car_below_a_new_road_stays_and_a_car_seen_twice_is_one() -> None:
    eye = (0.0, 0.0, 600.0)
    over = Road(id="r9", ends=((-100.0, -57.0, 30.0), (-100.0, 57.0, 30.0)))
    share = (600 - 6) / (600 - 30)
    below = K1.model_copy(update={"id": "k9", "x": -100.0 * share, "y": 10.0 * share, "z": 6.0, "on": "r1"})
    believed = plus(SECOND, below)
    assert with_cars_in_sight(plus(believed, over), believed, eye, PIECES) == plus(believed, over)
    upper = below.model_copy(update={"id": "k8", "x": -100.0, "y": 12.0, "z": 30.0, "on": "r9"})
    assert "k9" not in [k.id for k in with_cars_in_sight(plus(SECOND, over, below, upper), SECOND, eye, PIECES).cars]


def test_a_new_car_on_one_ray_with_a_known_one_that_looks_as_before_is_its_picture() -> None:
    eye = (0.0, 0.0, 600.0)
    share = (600 - (K1.z + 28)) / (600 - K1.z)
    picture = K1.model_copy(update={"id": "k9", "x": K1.x * share, "y": K1.y * share, "z": K1.z + 28})
    seen = plus(SECOND, picture)
    assert len(without_cars_on_one_ray(seen, SECOND, eye, lambda car: True, PIECES).cars) == 2
    assert len(without_cars_on_one_ray(seen, SECOND, eye, lambda car: False, PIECES).cars) == 3
    # where it is seen the view has changed: a car was put there, right beside the known one
    assert len(without_cars_on_one_ray(seen, SECOND, eye, lambda car: car.id != "k9", PIECES).cars) == 3
    over = Road(id="r9", ends=((K1.x, K1.y - 57, K1.z + 28), (K1.x, K1.y + 57, K1.z + 28)))
    on_it = plus(SECOND, over, picture.model_copy(update={"on": "r9"}))
    # the known car is out of sight below the new road: the car that is seen is another one
    assert len(without_cars_on_one_ray(on_it, SECOND, eye, lambda car: True, PIECES).cars) == 3
    aside = plus(SECOND, picture.model_copy(update={"x": picture.x + 25}))
    assert len(without_cars_on_one_ray(aside, SECOND, eye, lambda car: True, PIECES).cars) == 3
