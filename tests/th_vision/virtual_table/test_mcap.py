"""A virtual game as our own recording: the same frames as the folder's, the truth beside, the same bytes each time."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from th_vision.errors import VisionError
from th_vision.sources import open_source
from th_vision.virtual_table.session import Session, Setup
from th_vision.virtual_table.simulate import moments_of, request, simulate

SETUP = Setup(
    seed=4102, size=(848, 480), color_size=(480, 270), frames=2, board_frames=1, empty_frames=1, hand_frames=0
)


def made(path: Path) -> Path:
    simulate(path, scenario="static", setup=SETUP)
    return path


def test_it_holds_the_session_s_frames_and_its_truth(tmp_path: Path) -> None:
    path = made(tmp_path / "game.mcap")
    session = Session(SETUP)
    list(session.calibration())
    shots = list(session.play(moments_of(session, request("static"))))
    read = list(open_source(str(path)))
    assert len(read) == len(shots) == 2
    for frame, shot in zip(read, shots, strict=True):
        assert np.array_equal(frame.depth, shot.frame.depth)
    truth = json.loads((tmp_path / "game.truth.json").read_text())
    assert truth["moments"][0]["frames"] == [0, 1]
    assert len(list(open_source(str(tmp_path / "game.calibration.mcap")))) == 2
    assert (tmp_path / "game.pieces.toml").exists()


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    one, other = (made(tmp_path / name / "game.mcap") for name in ("one", "other") if not (tmp_path / name).mkdir())
    assert one.read_bytes() == other.read_bytes()


def test_what_is_there_is_never_written_over(tmp_path: Path) -> None:
    (tmp_path / "game.truth.json").write_text("mine")
    with pytest.raises(VisionError, match="is there already"):
        made(tmp_path / "game.mcap")
    assert [path.name for path in tmp_path.iterdir()] == ["game.truth.json"]
