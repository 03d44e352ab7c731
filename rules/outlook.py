"""What would still score: for the mission board, what each mission gives a player now and what is left to get."""

from __future__ import annotations

from dataclasses import dataclass

from rules.events import Score
from rules.missions import (
    DISCS_A_POINT,
    ONCE,
    SHARED_PARK,
    TRAFFIC_JAM_ROADS,
    developed,
    longest_jam,
    offramps_on,
    tallest_gray,
)
from rules.ruleset import RuleSet
from rules.state import Loops, State


@dataclass(frozen=True, slots=True)
class Outlook:
    """One mission for one player.

    `now`: points as the table stands. `more`: points that one more achievement would bring at once, 0 where nothing is
    left. `pieces`: the city objects where it could be done. `needs`: how many more of what it counts are needed (roads
    with cars, levels, discs), 0 where one act is enough.
    """

    mission: str
    now: int
    more: int
    pieces: tuple[str, ...] = ()
    needs: int = 0


def outlook(state: State, rules: RuleSet, player: str, scores: dict[str, Score]) -> tuple[Outlook, ...]:
    """All missions in play for a player, in the order of the board."""
    mine = scores[player]
    loops = state.loops.get(player, Loops())
    held = state.supplies[player]
    free = tuple(
        name
        for name, thing in state.city.items()
        if thing.kind == "development_area" and name not in developed(state, player)
    )
    buildings = _of_kind(state, "building", besides=loops.buildings)
    towers = _of_kind(state, "tower", besides=loops.towers)
    jam = longest_jam(state, player)
    discs = held.gray + held.yellow
    worth = 1 if not loops.towers else 2 if rules.word("tower") == "double" else 3
    tower_adds = len(loops.buildings) * (1 if rules.word("tower") == "double" else 2)
    found = [
        Outlook("drive", mine.drive, 1 if held.cars else 0),
        Outlook("development", mine.development, 1 if free else 0, free),
        Outlook("building", mine.building, worth if buildings else 0, buildings),
        Outlook("stock", mine.stock, 1, needs=DISCS_A_POINT - discs % DISCS_A_POINT),
        _once("traffic_jam", mine.traffic_jam, (), needs=max(0, TRAFFIC_JAM_ROADS - jam)),
        _at(state, "rainbow", mine.rainbow, "rainbow_area"),
        _at(state, "offramp_airport", mine.offramp_airport, "airport_area"),
        _at(state, "offramp_green", mine.offramp_green, "green_area"),
        Outlook("tower", mine.tower, tower_adds if towers else 0, towers),
        _highest(state, scores, player),
    ]
    if "asakusa" in rules.expansions:
        found.append(_at(state, "asakusa", mine.asakusa, "asakusa"))
    if "yacht_harbor" in rules.expansions:
        found.append(_at(state, "yacht_harbor", mine.yacht_harbor, "yacht_harbor"))
    if "amusement_park" in rules.expansions:
        found.append(_park(state, scores, player))
    return tuple(found)


def _of_kind(state: State, kind: str, besides: frozenset[str] = frozenset()) -> tuple[str, ...]:
    return tuple(name for name, thing in state.city.items() if thing.kind == kind and name not in besides)


def _once(mission: str, now: int, pieces: tuple[str, ...], needs: int = 0) -> Outlook:
    return Outlook(mission, now, 0 if now else ONCE, () if now else pieces, 0 if now else needs)


def _at(state: State, mission: str, now: int, kind: str) -> Outlook:
    """A mission that scores once, at a city object of this kind; out of reach where there is none."""
    pieces = _of_kind(state, kind)
    return _once(mission, now, pieces) if pieces or now else Outlook(mission, 0, 0)


def _highest(state: State, scores: dict[str, Score], player: str) -> Outlook:
    record = max((tallest_gray(state, other) for other in scores), default=0)
    return _once("highest", scores[player].highest, (), needs=max(0, record - tallest_gray(state, player)))


def _park(state: State, scores: dict[str, Score], player: str) -> Outlook:
    pieces = _of_kind(state, "amusement_park")
    now = scores[player].amusement_park
    others = any(offramps_on(state, other, "amusement_park") for other in scores if other != player)
    if now or not pieces:
        return Outlook("amusement_park", now, 0)
    return Outlook("amusement_park", now, SHARED_PARK if others else ONCE, pieces)
