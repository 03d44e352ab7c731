"""Cars placed on the new road: how many are due, whose they are, and SAME TYPE at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rules.errors import RulesError
from rules.events import CarsLine, FactCar, Fault, MoveCall, RulingLine
from rules.findings import count
from rules.missions import same_type_owners
from rules.ruleset import RuleSet
from rules.state import State
from rules.supply import hand_over, use
from rules.uncertain import certain_enough


def placed_on(car: FactCar, road: str) -> bool:
    """Whether a car stands on this road; one without a road and without a place was told with its road."""
    return car.on == road or (car.on is None and car.x is None)


def check_new(state: State, cars: Sequence[FactCar], reserved: Sequence[str] = ()) -> None:
    """All cars must be new.

    Raises:
        RulesError: an id is used twice.
    """
    taken = set(reserved)
    for car in cars:
        if state.has(car.id) or car.id in taken:
            raise RulesError(f"id {car.id!r} is used twice; give the new car an id of its own")
        taken.add(car.id)


def place(
    state: State, rules: RuleSet, players: tuple[str, ...], turn: int, player: str, road: str, cars: Sequence[FactCar]
) -> list[dict[str, Any]]:
    """Put cars on the table, take them from the supplies; returns the SAME TYPE payments (keys of `SameType`)."""
    paid: list[dict[str, Any]] = []
    for car in cars:
        owner = car.player if car.player is not None else player
        if owner not in players:
            raise RulesError(f"turn {turn}: car {car.id!r} of unknown player {owner!r}; players: {', '.join(players)}")
        on = road if placed_on(car, road) else car.on
        state.place_car(car.model_copy(update={"on": on, "player": owner}), owner)
        use(state, owner, cars=1)
        if rules.missions and owner == player and on == road:
            paid += _same_type(state, rules, player, road, car, [entry["from"] for entry in paid])
    return paid


def _same_type(
    state: State, rules: RuleSet, player: str, road: str, car: FactCar, already: Sequence[str]
) -> list[dict[str, Any]]:
    before = state.now["same_type"]
    paid: list[dict[str, Any]] = []
    for other in same_type_owners(state, rules, player, road, car.type):
        if other in already or other in before:
            continue
        if rules.word("same_type_pays") == "point":
            state.put("points", player, state.points.get(player, 0) + 1)
            discs = 0
        else:
            discs = hand_over(state, other, player, 1)
        paid.append({"from": other, "discs": discs, "car_type": car.type})
    if paid:
        state.put("now", "same_type", (*before, *(entry["from"] for entry in paid)))
    return paid


def cars_line(
    state: State,
    rules: RuleSet,
    ruling: RulingLine,
    same_type: Sequence[dict[str, Any]],
    *,
    wrong: Sequence[FactCar] = (),
    late: bool = False,
) -> CarsLine | None:
    """Due against placed on the new road; None where neither is anything. `late`: after the turn was over."""
    road = ruling.road or ""
    on_road = [state.cars[name] for name in state.carried.get(road, ())]
    placed = len(on_road) + len(wrong)
    due = ruling.cars_due
    fewest, most = ruling.cars_due_range or (due, due)
    if not placed and not due and not most:
        return None
    k = rules.k
    faults: list[Fault] = []
    if late:
        faults.append(count("cars-too-many", placed, 0, "cars", road))
    elif placed > due:
        sure = 1.0 if placed > most else 0.0
        faults.append(count("cars-too-many", placed, due, "cars", road, probability=sure, k=k))
    elif placed < due and rules.on("cars_must_be_placed"):
        sure = 1.0 if placed < fewest else 0.0
        faults.append(count("cars-too-few", placed, due, "cars", road, probability=sure, k=k))
    faults += [count("car-wrong-road", 1, 0, "cars", car.id, car.on or "") for car in wrong]
    for car in (*on_road, *wrong):
        if car.player is not None and car.player != ruling.player:
            faults.append(
                count("car-wrong-owner", 1, 0, "cars", car.id, car.player, probability=car.player_probability, k=k)
            )
        elif car.player_probability < certain_enough(k):
            faults.append(
                count("car-wrong-owner", 0, 0, "cars", car.id, broken=False, probability=car.player_probability, k=k)
            )
    unsure = bool(same_type) and any(car.type_probability < certain_enough(k) for car in on_road)
    calls = {fault.call for fault in faults}
    call: MoveCall = "fault" if "fault" in calls else "too_close" if "too_close" in calls or unsure else "legal"
    return CarsLine.model_validate(
        {
            "turn": ruling.turn,
            "player": ruling.player,
            "due": 0 if late else due,
            "placed": placed,
            "call": call,
            "same_type": tuple(same_type),
            "faults": tuple(faults),
        }
    )
