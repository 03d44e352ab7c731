"""The missions: what every player's highway scores as it stands."""

from __future__ import annotations

import math
from collections.abc import Iterable

from rules.events import CarType, FactObject, Score
from rules.geometry import Bar, segment_distance
from rules.outlines import crown, inside_depth
from rules.ruleset import RuleSet
from rules.state import Loops, State
from rules.tolerances import DUST_MM
from rules.turns import cars_on_highway

NO_LOOPS = Loops()
TRAFFIC_JAM_ROADS = 3
DISCS_A_POINT = 5
ONCE = 2
"""Points of a mission that scores once."""
SHARED_PARK = 3
"""Points each for an offramp at the amusement park where two or more players have one."""


def scores(state: State, rules: RuleSet, players: tuple[str, ...]) -> dict[str, Score]:
    """The score of every player, all missions, in the order of the players."""
    tallest = {player: tallest_gray(state, player) for player in players}
    record = max(tallest.values(), default=0)
    nearest = _nearest_to_pagoda(state, rules, players)
    park = {player for player in players if offramps_on(state, player, "amusement_park")}
    found: dict[str, Score] = {}
    for player in players:
        loops = state.loops.get(player, NO_LOOPS)
        held = state.supplies[player]
        points = {
            "drive": _drive(state, rules, player),
            "development": len(developed(state, player)),
            "building": len(loops.buildings),
            "stock": (held.gray + held.yellow) // DISCS_A_POINT,
            "traffic_jam": ONCE if longest_jam(state, player) >= TRAFFIC_JAM_ROADS else 0,
            "rainbow": ONCE if any(through_rainbow(state, road) for road in _with_cars(state, player)) else 0,
            "offramp_airport": ONCE if offramps_on(state, player, "airport_area") else 0,
            "offramp_green": ONCE if offramps_on(state, player, "green_area") else 0,
            "tower": _tower(rules, len(loops.buildings)) if loops.towers else 0,
            "highest": ONCE if record > 0 and tallest[player] == record else 0,
            "asakusa": ONCE if player in nearest else 0,
            "yacht_harbor": ONCE if "yacht_harbor" in rules.expansions and _at_harbor(state, player) else 0,
            "amusement_park": (
                (SHARED_PARK if len(park) > 1 else ONCE)
                if "amusement_park" in rules.expansions and player in park
                else 0
            ),
        }
        found[player] = Score(**points, total=sum(points.values()) + state.points.get(player, 0))
    return found


def _drive(state: State, rules: RuleSet, player: str) -> int:
    cars = cars_on_highway(state, player)
    if rules.on("start_sedan_counts"):
        return cars
    ramps = (road for road in state.roads_of(player) if state.kinds[road] == "ramp")
    started = any(any(state.owners[car] == player for car in state.carried.get(ramp, ())) for ramp in ramps)
    return cars - started


def _tower(rules: RuleSet, buildings: int) -> int:
    return buildings * (1 if rules.word("tower") == "double" else 2)


def developed(state: State, player: str) -> set[str]:
    """The development areas that hold a column of the player."""
    found: set[str] = set()
    for column in state.columns_of(player):
        disc = state.discs[column]
        for name in state.city_grid.near((disc.x, disc.y, disc.x, disc.y)):
            thing = state.city[name]
            if thing.kind == "development_area" and inside_depth(thing.outline, disc.x, disc.y) > 0:
                found.add(name)
    return found


def tallest_gray(state: State, player: str) -> int:
    """Levels of a player's tallest column without a yellow disc."""
    columns = (state.columns[name] for name in state.columns_of(player))
    return max((column.levels for column in columns if not column.yellow), default=0)


def _with_cars(state: State, player: str) -> list[str]:
    """A player's roads that carry a car of that player."""
    return [
        road
        for road in state.roads_of(player)
        if any(state.owners[car] == player for car in state.carried.get(road, ()))
    ]


def longest_jam(state: State, player: str) -> int:
    """The most roads with cars that are connected to each other; at a junction they may branch."""
    with_cars = _with_cars(state, player)
    at: dict[str, list[str]] = {}
    for road in with_cars:
        for column in state.joints[road]:
            if column is not None:
                at.setdefault(column, []).append(road)
    best, seen = 0, set[str]()
    for road in with_cars:
        if road in seen:
            continue
        group, todo = 0, [road]
        seen.add(road)
        while todo:
            current = todo.pop()
            group += 1
            for column in state.joints[current]:
                for neighbour in at.get(column or "", ()):
                    if neighbour not in seen:
                        seen.add(neighbour)
                        todo.append(neighbour)
        best = max(best, group)
    return best


def offramps_on(state: State, player: str, kind: str) -> list[str]:
    """A player's offramps whose end lies on a city object of this kind."""
    return [
        road
        for road, landed in state.landed.items()
        if state.kinds[road] == "offramp"
        and state.owners[road] == player
        and landed in state.city
        and state.city[landed].kind == kind
    ]


def through_rainbow(state: State, road: str) -> bool:
    """Whether a road goes through a rainbow's arch: between its feet, below the arch there (a half ellipse)."""
    bar = state.bars[road]
    for name in state.city_grid.near(bar.box):
        thing = state.city[name]
        if thing.kind == "rainbow_area" and thing.arch is not None and _under_arch(bar, thing):
            return True
    return False


def _under_arch(bar: Bar, thing: FactObject) -> bool:
    assert thing.arch is not None
    height = thing.arch_height if thing.arch_height is not None else thing.height
    distance, s, t = segment_distance((bar.ax, bar.ay), (bar.bx, bar.by), *thing.arch)
    return distance <= DUST_MM and bar.top(s).value < crown(height, t)


def _nearest_to_pagoda(state: State, rules: RuleSet, players: tuple[str, ...]) -> set[str]:
    """ASAKUSA: who has the car that is nearest to the pagoda (the middle of its area)."""
    if "asakusa" not in rules.expansions:
        return set()
    pagodas = [thing for thing in state.city.values() if thing.kind == "asakusa"]
    best: dict[str, float] = {}
    for name, car in state.cars.items():
        owner = state.owners[name]
        if car.on is None or car.on not in state.bars or owner not in players:
            continue
        for pagoda in pagodas:
            x, y = _middle(pagoda.outline)
            best[owner] = min(best.get(owner, math.inf), _car_distance(state, name, x, y))
    if not best:
        return set()
    least = min(best.values())
    nearest = {player for player, distance in best.items() if distance - least <= DUST_MM}
    return nearest if len(nearest) == 1 or rules.word("asakusa_tie") == "both" else set()


def _car_distance(state: State, name: str, x: float, y: float) -> float:
    """Plan distance of a car from a point; a car without a known place may stand anywhere on its road."""
    car = state.cars[name]
    if car.x is not None and car.y is not None:
        return math.hypot(car.x - x, car.y - y)
    bar = state.bars[car.on or ""]
    return segment_distance((bar.ax, bar.ay), (bar.bx, bar.by), (x, y), (x, y))[0]


def _middle(outline: Iterable[tuple[float, float]]) -> tuple[float, float]:
    points = list(outline)
    return sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points)


def _at_harbor(state: State, player: str) -> bool:
    """YACHT HARBOR: a column on the development area beside the harbor, with a car on a road that starts from it."""
    areas = {thing.adjoins for thing in state.city.values() if thing.kind == "yacht_harbor"}
    if not areas:
        return False
    with_cars = set(_with_cars(state, player))
    for column, roads in state.outs.items():
        disc = state.discs.get(column)
        if disc is None or with_cars.isdisjoint(roads):
            continue
        for name in areas:
            area = state.city.get(name or "")
            if area is not None and inside_depth(area.outline, disc.x, disc.y) > 0:
                return True
    return False


# --- SAME TYPE --------------------------------------------------------------------------------------------------------


def same_type_owners(state: State, rules: RuleSet, player: str, road: str, car_type: CarType) -> list[str]:
    """The players whose road, crossed by `road`, carries a car of theirs of this type; whether it pays or not."""
    found: dict[str, None] = {}
    for pair in state.pairs.get(road, ()):
        owner = state.owners[pair.other]
        if owner == player or (pair.partial and rules.word("partial") != "count"):
            continue
        for name in state.carried.get(pair.other, ()):
            if state.owners[name] == owner and state.cars[name].type == car_type:
                found[owner] = None
    return list(found)
