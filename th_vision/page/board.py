"""The game as it stands, as plain data for a drawing: pieces to scale, who holds what, what scores, what is free.

Everything is JSON: dictionaries by piece id, lengths in mm (table frame, z up, one decimal), so that two boards can be
compared entry by entry and only what changed goes to a page.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rules.free_sides import FreeSide, free_sides
from rules.game import Game
from rules.loops import SURROUNDED
from rules.missions import developed, offramps_on, tallest_gray, through_rainbow
from rules.pieces import Pieces
from rules.state import Loops
from th_vision.announce import SURE
from th_vision.game_layout import cars_of

Data = dict[str, Any]
Board = dict[str, dict[str, Any]]
"""Section -> id -> entry. Sections: ``columns roads cars city pairs players now ghosts``."""

SECTIONS = ("columns", "roads", "cars", "city", "pairs", "players", "now", "ghosts")


def board_of(game: Game, pieces: Pieces, ghosts: Mapping[str, str] | None = None) -> Board:
    """The whole board. ``ghosts``: ids of pieces that don't stand as they stood, with what to do (may be empty)."""
    return {
        "columns": {name: _column(game, name) for name in game.columns},
        "roads": {name: _road(game, name) for name in game.roads},
        "cars": _cars(game, pieces),
        "city": {name: _city(game, name) for name in game.city},
        "pairs": _pairs(game),
        "players": _players(game),
        "now": _now(game),
        "ghosts": dict(ghosts or {}),
    }


def change(before: Board, after: Board) -> Data:
    """What makes ``after`` of ``before``: section -> {id: new entry, or None where it is gone}."""
    changed: Data = {}
    for section in SECTIONS:
        old, new = before.get(section, {}), after[section]
        entries: Data = {name: entry for name, entry in new.items() if old.get(name) != entry}
        entries |= dict.fromkeys(old.keys() - new.keys())
        if entries:
            changed[section] = entries
    return changed


def _mm(value: float) -> float:
    return round(value, 1)


def _column(game: Game, name: str) -> Data:
    column, disc = game.columns[name], game.state.discs[name]
    entry: Data = {
        "x": _mm(column.x),
        "y": _mm(column.y),
        "z": _mm(disc.top_z),
        "levels": column.levels,
        "yellow": column.yellow,
        "owner": game.owners[name],
        "sigma": round(column.sigma_xy, 2),
    }
    if not column.junction and column.yellow:
        entry["order"] = list(column.discs)
    if column.levels_probability < SURE:
        entry["doubt"] = ["levels", round(100 * column.levels_probability)]
    elif column.junction_probability < SURE:
        entry["doubt"] = ["yellow", round(100 * column.junction_probability)]
    return entry


def _road(game: Game, name: str) -> Data:
    road = game.roads[name]
    over, under = free_sides(game.state, game.rules, name)
    ruling = game.ruling(name)
    return {
        "ends": [[_mm(value) for value in tip] for tip in road.ends],
        "owner": game.owners[name],
        "kind": game.kind(name),
        "rests": list(road.rests_on),
        "over": _side(over),
        "under": _side(under),
        "call": ruling.call if ruling is not None else "legal",
        "sigma": round(road.sigma_z, 2),
    }


def _side(side: FreeSide) -> Data:
    entry: Data = {"free": side.free}
    if side.doubt:
        entry["doubt"] = True
    if not side.free:
        entry["why"] = side.reason
    if side.by is not None:
        entry["by"] = side.by
    if side.spots:
        entry["spots"] = [[_mm(value) for value in spot] for spot in side.spots]
    return entry


def _cars(game: Game, pieces: Pieces) -> Data:
    entries: Data = {}
    for car in cars_of(game):
        box = pieces.cars.get(car.type)
        entry: Data = {
            "x": _mm(car.x),
            "y": _mm(car.y),
            "z": _mm(car.z),
            "heading": round(car.heading_deg),
            "owner": car.player,
            "type": car.type,
            "on": car.on,
        }
        if box is not None:
            entry["size"] = [_mm(box.length), _mm(box.width), _mm(box.height)]
        if car.player_probability < SURE:
            entry["doubt"] = ["owner", round(100 * car.player_probability)]
        elif car.type_probability < SURE:
            entry["doubt"] = ["type", round(100 * car.type_probability)]
        entries[car.id] = entry
    return entries


def _city(game: Game, name: str) -> Data:
    thing = game.city[name]
    entry: Data = {
        "kind": thing.kind,
        "outline": [[_mm(x), _mm(y)] for x, y in thing.outline],
        "height": _mm(thing.height),
        "z": _mm(_foot(game, name)),
    }
    if thing.arch is not None:
        entry["arch"] = [[_mm(x), _mm(y)] for x, y in thing.arch]
        entry["arch_height"] = _mm(thing.arch_height or thing.height)
    if thing.obstacles:
        entry["obstacles"] = [
            {"outline": [[_mm(x), _mm(y)] for x, y in one.outline], "height": _mm(one.height)}
            for one in thing.obstacles
        ]
    return entry


def _foot(game: Game, name: str) -> float:
    """Height of what a city object stands on: a building's or tower's development area, else the table."""
    thing = game.city[name]
    if thing.kind not in SURROUNDED:
        return 0.0
    x = sum(point[0] for point in thing.outline) / len(thing.outline)
    y = sum(point[1] for point in thing.outline) / len(thing.outline)
    return game.state.surface_z(x, y)


def _pairs(game: Game) -> Data:
    """Where roads cross: which lies over which, told once a pair, from the lower one's side."""
    entries: Data = {}
    for name in game.roads:
        for pair in game.state.pairs.get(name, ()):
            if pair.side != "over":
                continue
            entry: Data = {"over": pair.other, "under": name, "at": [_mm(value) for value in pair.at]}
            if pair.partial:
                entry["partial"] = True
            if pair.side_doubt or pair.cross_doubt:
                entry["doubt"] = True
            entries[f"{name} {pair.other}"] = entry
    return entries


def _players(game: Game) -> Data:
    scores = game.score() if game.rules.missions else {}
    record = max((tallest_gray(game.state, player) for player in game.players), default=0)
    entries: Data = {}
    for player in game.players:
        held = game.supplies[player]
        entry: Data = {
            "cars": held.cars,
            "gray": held.gray,
            "yellow": held.yellow,
            "sticks": held.sticks,
            "on_roads": sum(game.owners[car] == player for car in game.cars),
            "bases": list(game.base_points(player)),
        }
        left = game.state.left.get(player)
        if left is not None:
            entry["out"] = left.reason
        if player in scores:
            points = scores[player].model_dump()
            total = points.pop("total")
            points["same_type"] = game.state.points.get(player, 0)
            entry["total"] = total
            entry["score"] = {mission: value for mission, value in points.items() if value}
            entry["made_of"] = _made_of(game, player, record)
            outlook = game.outlook(player) if not game.finished else ()  # once it is over nobody gets more
            entry["more"] = {one.mission: [one.more, one.needs, list(one.pieces)] for one in outlook if one.more}
        entries[player] = entry
    return entries


def _made_of(game: Game, player: str, record: int) -> Data:
    """Mission -> the pieces that score in it, where single pieces do."""
    state = game.state
    loops = state.loops.get(player, Loops())
    with_cars = [road for road in state.roads_of(player) if state.carried.get(road)]
    made: dict[str, list[str]] = {
        "drive": [car for car in game.cars if game.owners[car] == player],
        "development": sorted(developed(state, player)),
        "building": sorted(loops.buildings),
        "tower": sorted(loops.towers),
        "rainbow": [road for road in with_cars if through_rainbow(state, road)],
        "offramp_airport": offramps_on(state, player, "airport_area"),
        "offramp_green": offramps_on(state, player, "green_area"),
        "amusement_park": offramps_on(state, player, "amusement_park"),
        "highest": [
            name
            for name in state.columns_of(player)
            if not state.columns[name].yellow and state.columns[name].levels == record
        ],
    }
    return {mission: names for mission, names in made.items() if names}


def _now(game: Game) -> Data:
    return {
        "turn": game.turn,
        "next": "" if game.finished else game.whose_turn,
        "finished": game.finished,
        "missions": game.rules.missions,
    }
