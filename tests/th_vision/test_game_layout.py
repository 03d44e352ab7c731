"""A written game is drawn as it stands, though no camera ever saw it."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

import cli
from rules.facts import MoveFact, RampFact
from rules.game import Game
from rules.pieces import Pieces
from rules.record import read_record
from th_vision import terminal
from th_vision.game_layout import layout_of

LINES = [
    {"type": "game", "version": 1, "rules": "rainbow-city", "players": ["blue", "pink"]},
    {
        "type": "ramp",
        "player": "blue",
        "column": {"id": "c1", "x": 0, "y": 0, "gray": 1, "yellow": 0},
        "road": {"id": "r1", "ends": [[-105, 0, 2], [4, 0, 12]], "rests_on": ["table", "c1"]},
        "cars": [{"id": "k1", "type": "sedan", "on": "r1"}],
    },
    {
        "type": "ramp",
        "player": "pink",
        "column": {"id": "c2", "x": 0, "y": 150, "gray": 1, "yellow": 0},
        "road": {"id": "r2", "ends": [[-105, 150, 2], [4, 150, 12]], "rests_on": ["table", "c2"]},
        "cars": [{"id": "k2", "type": "sedan", "on": "r2", "x": -40.0, "y": 150.0, "z": 8.0, "heading_deg": 5.0}],
    },
    {
        "type": "move",
        "turn": 1,
        "player": "blue",
        "base": "c1",
        "column": {"id": "c3", "x": 100, "y": 0, "gray": 2, "yellow": 0},
        "road": {"id": "r3", "ends": [[-4, 0, 14], [104, 0, 22]], "rests_on": ["c1", "c3"]},
        "cars": [],
    },
]


@pytest.fixture
def record(tmp_path: Path) -> Path:
    path = tmp_path / "game.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in LINES))
    return path


def game_of(path: Path) -> Game:
    lines = read_record(path)
    game = Game(lines.game)
    for fact in lines.facts:
        if isinstance(fact, RampFact | MoveFact):
            game.apply(fact)
    return game


def test_pieces_stand_where_the_record_says(record: Path) -> None:
    layout = layout_of(game_of(record), Pieces())
    assert {column.id: (column.x, column.y, column.levels, column.top_z) for column in layout.columns} == {
        "c1": (0, 0, 1, 10),
        "c2": (0, 150, 1, 10),
        "c3": (100, 0, 2, 20),
    }
    assert [road.id for road in layout.roads] == ["r1", "r2", "r3"]


def test_cars_stand_where_they_were_seen_or_on_their_road(record: Path) -> None:
    cars = {car.id: car for car in layout_of(game_of(record), Pieces()).cars}
    assert (cars["k2"].x, cars["k2"].y, cars["k2"].heading_deg) == (-40, 150, 5)
    assert (cars["k1"].x, cars["k1"].y, cars["k1"].z) == (-50.5, 0, 7)  # the middle of r1
    assert (cars["k1"].player, cars["k2"].player) == ("blue", "pink")


def test_explain_draws_the_turn_in_the_players_colours(
    record: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    picture = tmp_path / "turn1.png"
    assert terminal.run(cli.app, ["explain", str(record), "--turn", "1", "--picture", str(picture)]) == 0
    assert "r3" in capfd.readouterr().out
    image = cv2.imread(str(picture))
    assert image is not None
    for color in Pieces().players.values():
        bgr = [int(color[i : i + 2], 16) for i in (5, 3, 1)]
        assert (np.abs(image.astype(int) - bgr).max(axis=2) < 3).sum() > 1000
