"""The missions' points against a second count: plain sums over the table, and loops by flooding a picture of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.ndimage import label

from rules.adjudicate import adjudicate
from rules.events import CityFact, FactObject
from rules.game import Game
from rules.record import read_record
from tests.rules.legal_games import PIECES, square
from tests.rules.random_tables import game_of, moves, random_sticks

GAMES = Path(__file__).parent.parent / "games"
GRAIN_MM = 2.0  # of the flooded picture
CLEAR_MM = 4.0  # a building nearer than this to a road is left out: the picture can't tell
REACH_MM = 10.0
FIELD = (-160, 400)  # mm, in x and y


# --- Loops -----------------------------------------------------------------------------------------------------------


def distance_to_segment(points: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Plan distance of points (..., 2) from a segment, mm."""
    along = np.clip(((points - a) @ (b - a)) / max(1e-9, float((b - a) @ (b - a))), 0, 1)
    nearest: np.ndarray = np.linalg.norm(points - a - along[..., None] * (b - a), axis=-1)
    return nearest


def picture(game: Game, player: str) -> tuple[np.ndarray, np.ndarray]:
    """Points of a grid (n, n, 2), and the distance of each from the player's sticks and discs (below 0: on one).

    Distances beyond ``REACH_MM`` are not looked at: they say ``REACH_MM``.
    """
    axis = np.arange(FIELD[0], FIELD[1], GRAIN_MM)
    points = np.stack(np.meshgrid(axis, axis), axis=-1)
    far = np.full(points.shape[:2], REACH_MM)

    def draw(a: np.ndarray, b: np.ndarray, radius: float) -> None:
        low = np.searchsorted(axis, np.minimum(a, b) - radius - REACH_MM)
        high = np.searchsorted(axis, np.maximum(a, b) + radius + REACH_MM)
        window = slice(low[1], high[1]), slice(low[0], high[0])
        far[window] = np.minimum(far[window], distance_to_segment(points[window], a, b) - radius)

    for name, road in game.roads.items():
        if game.owners[name] == player:
            a, b = (np.array(end[:2]) for end in road.ends)
            cut = PIECES.stick.width / 2 * (b - a) / np.linalg.norm(b - a)  # the tips are a round end's furthest points
            draw(a + cut, b - cut, PIECES.stick.width / 2)
    for name, column in game.columns.items():
        if game.owners[name] == player:
            middle = np.array([column.x, column.y])
            draw(middle, middle, PIECES.disc.radius)
    return points, far


def outside(free: np.ndarray) -> np.ndarray:
    """The free cells that a flood from the rim reaches."""
    pools, _ = label(free)
    rim = np.concatenate((pools[0], pools[-1], pools[:, 0], pools[:, -1]))
    wet: np.ndarray = free & np.isin(pools, rim[rim > 0])
    return wet


def buildings_by_flood(game: Game, player: str) -> tuple[set[str], set[str], set[str]]:
    """The buildings that surely stay dry, those that surely get wet, and those too near to a road to tell.

    Sure is what a flood of the picture says even where every gap is a grain wider (dry) or a grain narrower (wet).
    """
    points, far = picture(game, player)
    widest, narrowest = outside(far > -GRAIN_MM), outside(far > GRAIN_MM)
    dry, wet, unsure = set(), set(), set()
    for name, thing in game.city.items():
        low, high = np.min(thing.outline, axis=0), np.max(thing.outline, axis=0)
        inside = np.all((points >= low) & (points <= high), axis=-1)
        if far[inside].min() < CLEAR_MM:
            unsure.add(name)
        elif not widest[inside].any():
            dry.add(name)
        elif narrowest[inside].any():
            wet.add(name)
    return dry, wet, unsure


def test_a_building_counts_when_a_flood_from_outside_stays_out() -> None:
    surrounded = 0
    for seed in range(7):
        rng = np.random.default_rng(seed)
        sticks = [replace(stick, owner="blue") for stick in random_sticks(rng, int(rng.integers(22, 34)))]
        game = game_of(sticks, {})
        for i in range(70):
            x, y = rng.uniform(0, 240, 2)
            thing = FactObject(id=f"b{i}", kind="building", outline=square(float(x), float(y), 3.0), height=70.0)
            game.apply(CityFact(player="blue", object=thing))
        for move in moves(sticks):
            game.apply(move)
        dry, wet, unsure = buildings_by_flood(game, "blue")
        loops = game.state.loops.get("blue")
        found = set(loops.buildings) if loops is not None else set()
        assert dry <= found <= set(game.city) - wet - (unsure - found), f"seed {seed}"
        assert game.score()["blue"].building == len(found)
        surrounded += len(dry)
    assert surrounded > 2, "the tables have loops to find"


# --- Sums ------------------------------------------------------------------------------------------------------------


def jam(game: Game, player: str) -> int:
    """The most roads with own cars in a row: groups of the player's roads that share columns, by brute force."""
    loaded = [
        name
        for name in game.roads
        if game.owners[name] == player
        and any(car.on == name and game.owners[k] == player for k, car in game.cars.items())
    ]
    groups = [{name} for name in loaded]
    ends = {name: _columns_under(game, name) for name in loaded}
    for _ in loaded:
        for one in groups:
            for two in groups:
                if one is not two and any(ends[a] & ends[b] for a in one for b in two):
                    one |= two
                    two.clear()
    return max((len(group) for group in groups), default=0)


def _columns_under(game: Game, road: str) -> set[str]:
    """The columns within whose discs a road has an end."""
    tips = game.roads[road].ends
    return {
        name
        for name, column in game.columns.items()
        if game.owners[name] == game.owners[road]
        and any(np.hypot(column.x - tip[0], column.y - tip[1]) <= PIECES.disc.radius for tip in tips)
    }


@pytest.mark.parametrize("path", sorted(GAMES.glob("*.jsonl")), ids=lambda path: path.stem)
def test_the_score_of_whole_games_is_what_a_plain_count_says(path: Path) -> None:
    game = adjudicate(read_record(path)).game
    score = game.score()
    tallest = {
        player: max(
            (c.gray for name, c in game.columns.items() if game.owners[name] == player and not c.yellow), default=0
        )
        for player in game.players
    }
    for player in game.players:
        mine = [name for name in game.columns if game.owners[name] == player]
        areas = {
            name
            for name, thing in game.city.items()
            if thing.kind == "development_area" and any(_within(game, column, thing) for column in mine)
        }
        got = score[player]
        assert got.drive == sum(game.owners[car] == player for car in game.cars)
        assert got.development == len(areas)
        assert got.stock == (game.supplies[player].gray + game.supplies[player].yellow) // 5
        assert got.traffic_jam == (2 if jam(game, player) >= 3 else 0)
        assert got.highest == (2 if tallest[player] == max(tallest.values()) else 0)
        parts = got.model_dump()
        assert got.total == sum(value for key, value in parts.items() if key != "total")


def _within(game: Game, column: str, thing: FactObject) -> bool:
    x, y = game.columns[column].x, game.columns[column].y
    (x0, y0), (x1, y1) = np.min(thing.outline, axis=0), np.max(thing.outline, axis=0)
    return bool(x0 < x < x1 and y0 < y < y1)
