"""What ``make demo`` shows: the recorded game in fixtures/ is refereed from its frames, and ruled as the truth is."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

import cli
from rules.events import FACTS
from rules.game import Game
from rules.pieces import load_pieces
from rules.record import read_record
from tests.conftest import ROOT
from th_vision import terminal
from th_vision.follow_events import Told
from th_vision.game_layout import layout_of
from th_vision.virtual_table.verdicts import compare, same_pieces, true_lines

GAME = ROOT / "fixtures" / "game"
LARGEST_BYTES = 25 * 2**20


def demo_words(out: Path) -> list[str]:
    """The words of the Makefile's target, with its outputs elsewhere."""
    recipe = (ROOT / "Makefile").read_text().split("\ndemo:")[1].split("\n\n")[0].replace("\\\n", " ")
    command = recipe[recipe.index("cli.py") + len("cli.py") :].splitlines()[0]
    words = command.split()
    return [word.replace("$(DEMO)", str(GAME)).replace("out/demo", str(out)) for word in words]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo, played once: a folder with game.jsonl, table.png and the status."""
    out = tmp_path_factory.mktemp("demo")
    (out / "status").write_text(str(terminal.run(cli.app, demo_words(out))))
    return out


def told_of(path: Path) -> list[Told]:
    """What was told, from the record: each fact with the answers that follow it."""
    told: list[tuple[Any, list[Any]]] = []
    for line in read_record(path).lines:
        if isinstance(line, FACTS):
            told.append((line, []))
        elif told:
            told[-1][1].append(line)
    return [Told(fact, tuple(answers), 0.0) for fact, answers in told]


def test_the_demo_ends_well_and_draws_the_table_in_the_players_colours(played: Path) -> None:
    assert (played / "status").read_text() == "0"
    image = cv2.imread(str(played / "table.png"))
    assert image is not None
    for color in load_pieces(GAME / "pieces.toml").players.values():
        bgr = [int(color[i : i + 2], 16) for i in (5, 3, 1)]
        assert (np.abs(image.astype(int) - bgr).max(axis=2) < 3).sum() > 5000


def test_rulings_of_the_demo_are_the_truths(played: Path) -> None:
    truth = true_lines(json.loads((GAME / "truth.json").read_text())["facts"])
    true_game = Game(read_record(GAME / "truth.jsonl").game)
    for fact, _ in truth:
        true_game.apply(fact)
    record = read_record(played / "game.jsonl")
    game = Game(record.game)
    told = told_of(played / "game.jsonl")[1:]
    for entry in told:
        game.apply(entry.fact)
    pieces = load_pieces(GAME / "pieces.toml")
    tally = compare(truth, told, same_pieces(layout_of(game, pieces), layout_of(true_game, pieces)), "demo")
    assert tally.turns >= 12
    assert tally.certain == []
    assert tally.differing == []


def test_fixtures_are_small() -> None:
    size = sum(path.stat().st_size for path in (ROOT / "fixtures").rglob("*") if path.is_file())
    assert size <= LARGEST_BYTES, f"{size / 1e6:.1f} MB"


def test_the_record_of_the_demo_is_ruled_the_same_without_a_camera(
    played: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert terminal.run(cli.app, ["adjudicate", str(played / "game.jsonl"), "--diff"]) == 0
    assert not re.search("Traceback", capfd.readouterr().err)
