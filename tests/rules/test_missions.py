"""What scores, and what would still score."""

from __future__ import annotations

import pytest

from rules.events import FactCar
from tests.rules.tables import Table, square
from tests.rules.test_cases import around


def missions(*expansions: str, **options: object) -> Table:
    return Table(rules="rainbow-city-missions", expansions=list(expansions), **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(("held", "points"), [((5, 0), 0), ((6, 0), 1), ((6, 4), 1), ((6, 5), 2)])
def test_stock_counts_full_fives_yellow_included(held: tuple[int, int], points: int) -> None:
    table = missions(material={"blue": (*held, 5, 5)})
    table.ramp("blue", "b1", (0, 0))
    assert table.game.score()["blue"].stock == points


@pytest.mark.parametrize(
    ("levels", "car", "points"), [(2, True, 2), (2, False, 0), (9, True, 0)], ids=["through", "no car", "over"]
)
def test_rainbow_is_driven_through(levels: int, car: bool, points: int) -> None:
    table = missions()
    table.city("r", "rainbow_area", square(30, -40, 80), height=2, arch=((50, -30), (50, 30)), arch_height=80)
    table.ramp("blue", "base", (0, 0), levels=levels, cars=[])
    table.move("blue", "base", "new", (120, 0), gray=levels + 1, cars=["k"] if car else [])
    assert table.game.score()["blue"].rainbow == points


def test_the_arch_is_low_at_its_feet() -> None:
    table = missions()
    table.city("r", "rainbow_area", square(30, -100, 80, 120), height=2, arch=((50, -100), (50, 1)), arch_height=80)
    table.ramp("blue", "base", (0, 0), levels=2, cars=[])
    table.move("blue", "base", "new", (120, 0), gray=3, cars=["k"])
    assert table.game.score()["blue"].rainbow == 0


@pytest.mark.parametrize(("kind", "mission"), [("airport_area", "offramp_airport"), ("green_area", "offramp_green")])
@pytest.mark.parametrize("named", [True, False])
def test_offramps_score_once_for_each_area(kind: str, mission: str, named: bool) -> None:
    table = missions()
    table.city("area", kind, square(80, -150, 300))
    for number in range(2):
        table.ramp("blue", f"b{number}", (0, 60.0 * number))
        rests = (f"b{number}", "area") if named else None
        table.move("blue", f"b{number}", None, (108, 60.0 * number), rests_on=rests)
    assert getattr(table.game.score()["blue"], mission) == 2
    assert table.game.score()["blue"].total == sum(
        value for name, value in table.game.score()["blue"] if name != "total"
    )


def test_amusement_park_gives_three_where_two_have_one() -> None:
    table = missions("amusement_park")
    table.city("park", "amusement_park", square(80, -150, 300))
    table.ramp("blue", "b", (0, 0))
    table.ramp("pink", "p", (0, 60))
    table.move("blue", "b", None, (108, 0))
    assert [score.amusement_park for score in table.game.score().values()] == [2, 0]
    table.move("pink", "p", None, (108, 60))
    assert [score.amusement_park for score in table.game.score().values()] == [3, 3]


def test_yacht_harbor_wants_a_column_and_a_car() -> None:
    table = missions("yacht_harbor")
    table.city("d", "development_area", square(60, -40, 80), height=2)
    table.city("h", "yacht_harbor", square(140, -40, 60), adjoins="d")
    table.ramp("blue", "b", (0, 0), cars=[])
    table.move("blue", "b", "b2", (100, 0), gray=2)
    assert table.game.score()["blue"].yacht_harbor == 0
    table.move("blue", "b2", "b3", (100, 100), gray=3, cars=["k"])
    assert table.game.score()["blue"].yacht_harbor == 2
    assert table.game.score()["blue"].development == 1


def test_asakusa_goes_to_the_nearest_car() -> None:
    table = missions("asakusa")
    table.city("a", "asakusa", square(-10, -10, 20))
    table.ramp("blue", "b1", (0, 100), heading=0, road="br", cars=[FactCar(id="k1", on="br", x=30, y=100)])
    table.ramp("pink", "p1", (0, -100), heading=0, road="pr", cars=[FactCar(id="k2", on="pr", x=30, y=-90)])
    assert [score.asakusa for score in table.game.score().values()] == [0, 2]


def test_expansions_score_only_where_they_are_played() -> None:
    table = missions()
    table.city("park", "amusement_park", square(80, -150, 300))
    table.ramp("blue", "b", (0, 0))
    table.move("blue", "b", None, (108, 0))
    assert table.game.score()["blue"].amusement_park == 0


def test_a_figure_of_eight_has_two_loops() -> None:
    table = missions()
    table.city("b1", "building", square(25, 40, 20), height=70)
    table.city("b2", "building", square(25, -60, 20), height=70)
    table.city("out", "building", square(200, 200, 20), height=70)
    # Up and around the first, down across the first road, around the second and back across it.
    table.ramp("blue", "c0", (-40, 0), heading=180)
    table.move("blue", "c0", "c1", (80, 0), gray=2)
    table.move("blue", "c1", "c2", (80, 90), gray=3)
    table.move("blue", "c2", "c3", (0, 90), gray=4)
    table.move("blue", "c3", "c4", (0, -90), gray=5)
    table.move("blue", "c4", "c5", (60, -90), gray=6)
    table.move("blue", "c5", "c6", (60, 30), gray=7)
    score = table.game.score()["blue"]
    assert score.building == 2


def test_a_building_under_the_edge_of_a_loop_is_not_wholly_inside() -> None:
    table = missions()
    table.city("b1", "building", square(-5, 35, 28), height=1)
    around(table)
    assert table.game.score()["blue"].building == 0


def test_somebody_elses_road_closes_no_loop() -> None:
    table = missions()
    table.city("b1", "building", square(25, 35, 28), height=70)
    table.ramp("blue", "c0", (-30, 0), heading=180)
    table.move("blue", "c0", "c1", (80, 0), gray=2)
    table.move("blue", "c1", "c2", (80, 100), gray=3)
    table.stick("pink", "p", (120, 100, 5), (0, 100, 6))
    table.stick("pink", "q", (0, 140, 8), (0, -40, 9))
    assert [score.building for score in table.game.score().values()] == [0, 0]


def test_same_type_once_per_owner_and_turn() -> None:
    table = missions()
    table.stick("pink", "p1", (35, -50, 2), (35, 50, 3), cars=[FactCar(id="k1", type="limousine")])
    table.stick("pink", "p2", (65, -50, 2), (65, 50, 3), cars=[FactCar(id="k2", type="sports_car")])
    cars = [FactCar(id="k3", type="limousine"), FactCar(id="k4", type="sports_car")]
    table.stick("blue", "b", (0, 0, 4), (100, 0, 5), cars=cars)
    assert table.cars_line is not None
    assert [(entry.from_, entry.discs) for entry in table.cars_line.same_type] == [("pink", 1)]


def test_same_type_needs_the_owners_car_on_that_road() -> None:
    table = missions()
    table.stick("pink", "p1", (35, -50, 2), (35, 50, 3), cars=[FactCar(id="k1", type="limousine")])
    table.stick("blue", "b", (0, 0, 4), (100, 0, 5), cars=[FactCar(id="k2", type="sedan")])
    assert table.cars_line is not None
    assert table.cars_line.same_type == ()


def test_same_type_asks_for_a_crossing_not_for_a_first_one() -> None:
    table = missions()
    table.stick("pink", "p1", (50, -50, 2), (50, 50, 3), cars=[FactCar(id="k1", type="limousine")])
    table.stick("blue", "b1", (0, 30, 4), (100, 30, 5))
    ruling = table.stick("blue", "b2", (0, 0, 4), (100, 0, 5), cars=[FactCar(id="k2", type="limousine")])
    assert ruling.cars_due == 0
    assert table.cars_line is not None
    assert [(entry.from_, entry.discs) for entry in table.cars_line.same_type] == [("pink", 1)]


def test_same_type_on_a_ramp() -> None:
    table = missions()
    table.ramp("pink", "p", (50, 55), heading=-90)  # its sedan stands on it
    table.stick("blue", "b", (0, 0, 3), (100, 0, 4), cars=[FactCar(id="k", type="sedan")])
    assert table.cars_line is not None
    assert [(entry.from_, entry.discs) for entry in table.cars_line.same_type] == [("pink", 1)]


@pytest.mark.parametrize(("partial", "taken"), [("ignore", []), ("count", [("pink", 1)])])
def test_same_type_at_a_partial_crossing(partial: str, taken: list[tuple[str, int]]) -> None:
    table = missions(partial=partial)
    table.stick("pink", "p", (107, -50, 4), (107, 50, 5), cars=[FactCar(id="k1", type="limousine")])
    table.stick("blue", "b", (0, 0, 1), (100, 0, 2), cars=[FactCar(id="k2", type="limousine")])
    assert table.cars_line is not None
    assert [(entry.from_, entry.discs) for entry in table.cars_line.same_type] == taken


def test_same_type_is_a_mission_only() -> None:
    table = Table(rules="rainbow-city")
    table.stick("pink", "p1", (35, -50, 2), (35, 50, 3), cars=[FactCar(id="k1", type="limousine")])
    table.stick("blue", "b", (0, 0, 4), (100, 0, 5), cars=[FactCar(id="k2", type="limousine")])
    assert table.cars_line is not None
    assert table.cars_line.same_type == ()


def test_what_would_still_score() -> None:
    table = missions()
    table.city("d1", "development_area", square(10, 25, 55), height=2)
    table.city("d2", "development_area", square(300, 0, 70), height=2)
    table.city("b1", "building", square(20, 40, 28), height=70)
    table.city("t", "tower", square(310, 10, 20), height=100)
    table.city("g", "green_area", square(300, 200, 50))
    table.ramp("pink", "tall", (200, -100), levels=8)
    around(table)
    board = {entry.mission: entry for entry in table.game.outlook("blue")}
    assert set(board["development"].pieces) == {"d1", "d2"}
    assert (board["building"].now, board["building"].more) == (1, 0)
    assert (board["tower"].more, board["tower"].pieces) == (1, ("t",))
    assert (board["offramp_green"].more, board["offramp_green"].pieces) == (2, ("g",))
    assert board["offramp_airport"].more == 0  # there is no airport on this table
    assert (board["traffic_jam"].more, board["traffic_jam"].needs) == (2, 2)
    assert (board["highest"].more, board["highest"].needs) == (2, 3)
    assert board["drive"].more == 1
    assert "asakusa" not in board
