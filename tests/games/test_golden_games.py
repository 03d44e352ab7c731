"""Whole games with every ruling, as text that can be read: what the rule book said then, it says now."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.adjudicate import adjudicate, lines, told
from rules.differences import differences
from rules.events import EndLine
from rules.game import Game
from rules.record import Record, read_record
from tests.games.make_games import GAMES

FOLDER = Path(__file__).parent
NAMES = [golden.name for golden in GAMES]


def record_of(name: str) -> Record:
    return read_record(FOLDER / f"{name}.jsonl")


@pytest.mark.parametrize("name", NAMES)
def test_every_ruling_falls_as_it_is_written(name: str) -> None:
    record = record_of(name)
    assert record.bad == ()
    adjudication = adjudicate(record)
    assert adjudication.refused == ()
    assert [str(change) for change in differences(record, adjudication.answers)] == []
    written = (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    assert [line.to_line() for line in lines(record, adjudication)] == written


@pytest.mark.parametrize("name", NAMES)
def test_the_game_in_words_is_as_it_is_written(name: str) -> None:
    assert told(adjudicate(record_of(name))) == (FOLDER / f"{name}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_a_game_saved_at_its_end_is_the_same_game(name: str) -> None:
    game = adjudicate(record_of(name)).game
    assert Game.from_json(game.to_json()) == game
    assert game.copy() == game


def test_the_games_cover_every_preset_every_number_of_players_and_every_end() -> None:
    games = [record_of(name) for name in NAMES]
    assert {game.game.rules for game in games} == {
        "rainbow-city",
        "rainbow-city-missions",
        "classic",
        "rainbow-city-zh",
    }
    assert {len(game.game.players) for game in games} == {2, 3, 4}
    ends = {line.reason for game in games for line in game.lines if isinstance(line, EndLine)}
    assert ends == {"all-cars-placed", "all-sticks-placed", "no-material"}
    calls = {line.call for game in games for line in game.lines if line.type == "ruling"}
    assert calls == {"legal", "fault", "too_close"}


def test_every_file_here_belongs_to_a_game() -> None:
    assert sorted(path.stem for path in FOLDER.glob("*.jsonl")) == sorted(NAMES)
    assert sorted(path.stem for path in FOLDER.glob("*.txt")) == sorted(NAMES)
