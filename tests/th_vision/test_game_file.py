"""A game in a record or in a session: the same game, and with frames the camera's own pictures."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from rules.errors import RulesError
from rules.events import MoveFact
from rules.record import read_record
from tests.conftest import ROOT
from tests.th_vision.page.viewers import Viewer
from tests.th_vision.sessions import small
from th_vision.commands import explain, serve
from th_vision.frame import Frame
from th_vision.game_file import read_game
from th_vision.sessions.writer import SessionWriter

GAME = ROOT / "tests" / "games" / "rainbow-city-2-cars.jsonl"
RECORD = read_record(GAME)
MOVES = [fact for fact in RECORD.facts if isinstance(fact, MoveFact)]


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The game with a frame before and one after each line; the one after a move is as bright as the move's number."""
    folder = tmp_path_factory.mktemp("session")
    path = folder / "game.mcap"
    table, pieces = small.table_file(folder), small.pieces_file(folder)
    options = {"all_frames": True, "live": False, "color": "png", "info": {}}
    number = 0
    with SessionWriter.open(path, camera=small.CAMERA, table_toml=table, pieces_toml=pieces, **options) as writer:  # type: ignore[arg-type]  # as small.write
        for line in RECORD.lines:
            time_s = 100.0 + number
            shade = 10 * MOVES.index(line) + 10 if isinstance(line, MoveFact) else 0
            writer.frame(shaded(2 * number, time_s - 0.6, 255))
            writer.game_line(line, time_s)
            writer.frame(shaded(2 * number + 1, time_s + 0.1, shade))
            number += 1
    return path


def shaded(number: int, time_s: float, shade: int) -> Frame:
    depth = small.frame(number).depth
    return Frame(number, time_s, depth, np.full((60, 80, 3), shade, np.uint8))


def test_a_session_holds_the_same_game_as_its_record(session: Path) -> None:
    game = read_game(str(session))
    assert game.record.facts == RECORD.facts
    assert game.pieces is not None
    assert game.pieces.stick.length == 115.5
    assert game.crops == {}
    assert read_game(str(GAME)).record.facts == RECORD.facts


def test_each_move_has_the_picture_that_was_taken_when_it_was_told(session: Path) -> None:
    crops = read_game(str(session), crops=True).crops
    assert crops
    for number, move in enumerate(MOVES):
        if move.road.id in crops:
            picture = cv2.imdecode(np.frombuffer(crops[move.road.id], np.uint8), cv2.IMREAD_COLOR)
            inside = picture[picture > 5]  # beyond the camera's view it is black
            assert np.median(inside) == pytest.approx(10 * number + 10, abs=3)


def test_pictures_of_one_turn_alone(session: Path) -> None:
    everything = read_game(str(session), crops=True).crops
    move = next(move for move in MOVES if move.road.id in everything)
    assert dict(read_game(str(session), crops=True, turn=move.turn).crops) == {move.road.id: everything[move.road.id]}


def test_a_session_without_a_game_says_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "bare.mcap"
    with SessionWriter.open(
        path, camera=small.CAMERA, table_toml=None, pieces_toml=None, info={}, live=False
    ) as writer:
        writer.frame(small.frame(0))
    with pytest.raises(RulesError, match="holds no game; referee it first: th-vision replay"):
        read_game(str(path))


def test_explain_shows_the_cameras_picture_beside_the_evidence(session: Path, tmp_path: Path) -> None:
    crops = read_game(str(session), crops=True).crops
    move = next(move for move in MOVES if move.road.id in crops)
    options = {"turn": move.turn, "rules": None, "options": (), "language": "en", "pieces": None}
    explain.run(str(session), picture=tmp_path / "with.png", **options)  # type: ignore[arg-type]  # keywords of one call
    explain.run(str(GAME), picture=tmp_path / "without.png", **options)  # type: ignore[arg-type]  # as above
    with_crop, without = (cv2.imread(str(tmp_path / name)) for name in ("with.png", "without.png"))
    assert with_crop is not None
    assert without is not None
    assert with_crop.shape[0] > without.shape[0] or with_crop.shape != without.shape


@pytest.mark.parametrize("kind", ["record", "session"])
def test_serve_shows_either(kind: str, session: Path) -> None:
    said: list[str] = []
    seen: list[int] = []

    def stop() -> bool:
        if said and not seen:
            viewer = Viewer(said[0].splitlines()[0].split()[-1])
            seen.append(viewer.wait_for("step", n=3)["n"])
            if kind == "session":
                viewer.wait_for("live")
            viewer.close()
        return bool(seen)

    path = session if kind == "session" else GAME
    outcome = serve.run(path, pieces=None, host="127.0.0.1", port=0, language="en", tell=said.append, stop=stop)
    assert outcome.status == 0
    assert seen == [3]
