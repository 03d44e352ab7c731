"""A virtual game as a recording of the RealSense SDK, played back through the SDK."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from rules.pieces import Pieces
from th_vision.errors import VisionError
from th_vision.virtual_table.cameras import REDUCED
from th_vision.virtual_table.db3 import write_db3_session
from th_vision.virtual_table.moment import Moment
from th_vision.virtual_table.scene import ForeignBody, Scene
from th_vision.virtual_table.session import Session, Setup

SETUP = Setup(
    seed=4101, camera="D435", size=REDUCED, color_size=(480, 270), frames=2, board_frames=1, empty_frames=1, fps=30
)
BOX = ForeignBody(((-20.0, -20.0), (20.0, -20.0), (20.0, 20.0), (-20.0, 20.0)), 30.0)


def moments() -> list[Moment]:
    return [Moment(scene=Scene(), label="empty"), Moment(scene=Scene(foreign=(BOX,)), label="a box")]


def test_the_sdk_plays_the_same_frames_and_the_truth_lies_beside(tmp_path: Path) -> None:
    pytest.importorskip("pyrealsense2")
    from th_vision.sources.rosbag import SdkRecording

    path = tmp_path / "game.db3"
    assert write_db3_session(path, Session(SETUP), moments(), Pieces()) == 4
    truth = json.loads((tmp_path / "game.truth.json").read_text())
    assert [moment["frames"] for moment in truth["moments"]] == [[0, 1], [2, 3]]
    assert (tmp_path / "game.pieces.toml").exists()
    session = Session(SETUP)
    board = [shot.frame for shot in session.calibration()]
    game = [shot.frame for shot in session.play(moments())]
    for name, expected in (("game.calibration.db3", board), ("game.db3", game)):
        source = SdkRecording(tmp_path / name)
        assert source.camera.depth.fx == pytest.approx(session.camera.depth.fx)
        assert source.camera.depth_unit_mm == pytest.approx(0.1, rel=1e-5)
        played = list(source)
        if expected is game:  # the pause after the board is longer than the time it took to write it
            assert [frame.time_s for frame in played] == pytest.approx([frame.time_s for frame in game], abs=1e-3)
        for seen, made in zip(played, expected, strict=True):
            assert (seen.depth == made.depth).all()
            assert np.array_equal(seen.color, made.color)


def test_nothing_that_is_there_is_overwritten(tmp_path: Path) -> None:
    pytest.importorskip("pyrealsense2")
    (tmp_path / "game.truth.json").write_text("mine")
    with pytest.raises(VisionError, match=r"game\.truth\.json: is there already"):
        write_db3_session(tmp_path / "game.db3", Session(SETUP), moments(), Pieces())
    assert [p.name for p in tmp_path.iterdir()] == ["game.truth.json"]
