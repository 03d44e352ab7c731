"""A session in other forms says the same."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.th_vision.sessions import small
from th_vision.errors import VisionError
from th_vision.frame import Frame
from th_vision.sessions.export import export_cloud, export_folder
from th_vision.sessions.writer import SessionWriter
from th_vision.sources import open_source
from th_vision.sources.cloud_file import read_cloud
from th_vision.sources.session import SessionSource


@pytest.fixture
def session(tmp_path: Path) -> SessionSource:
    return SessionSource(small.write(tmp_path / "game.mcap", 6, attach=tmp_path))


def test_a_folder_of_images_has_the_same_pixels(session: SessionSource, tmp_path: Path) -> None:
    done = export_folder(session, tmp_path / "out")
    assert (done.frames, done.notes) == (6, ())
    folder = open_source(str(tmp_path / "out"))
    for ours, theirs in zip(session, folder, strict=True):
        np.testing.assert_array_equal(ours.depth, theirs.depth)
        np.testing.assert_array_equal(ours.color, theirs.color)
        assert theirs.time_s == pytest.approx(ours.time_s, abs=1e-9)
    camera = folder.camera
    assert (camera.depth, camera.color) == (small.DEPTH, small.COLOR)
    assert camera.depth_unit_mm == pytest.approx(small.CAMERA.depth_unit_mm, rel=1e-6)
    np.testing.assert_allclose(camera.T_color_depth, small.SHIFT)
    assert (tmp_path / "out" / "table.toml").read_bytes() == (tmp_path / "table.toml").read_bytes()
    lines = (tmp_path / "out" / "game.jsonl").read_text().splitlines()
    assert json.loads(lines[0]) == {"type": "pass", "turn": 1, "player": "blue"}
    assert not list(tmp_path.glob(".out*"))


def test_frames_that_no_folder_can_hold_are_said(tmp_path: Path) -> None:
    path = tmp_path / "odd.mcap"
    with SessionWriter.open(
        path, camera=small.CAMERA, table_toml=None, pieces_toml=None, info={}, all_frames=True, live=False
    ) as writer:
        first = small.frame(0)
        writer.frame(first)
        writer.frame(Frame(1, 11.0, first.depth))  # its colour was too old
        writer.frame(Frame(2, 9.0, first.depth, first.color))  # the camera was plugged in anew
    done = export_folder(open_source(str(path)), tmp_path / "out")
    assert done.frames == 2
    assert "1 frames without colour" in done.notes[0]
    assert "clock of 1 frames" in done.notes[1]
    assert len(list(open_source(str(tmp_path / "out")))) == 2


def test_a_folder_that_is_there_is_left_alone(session: SessionSource, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    with pytest.raises(VisionError, match="out: is there already"):
        export_folder(session, tmp_path / "out")


def test_an_organised_cloud_keeps_the_grid_and_its_holes(session: SessionSource, tmp_path: Path) -> None:
    frame = list(session)[-1]
    export_cloud(session, tmp_path / "x.pcd", table=None, at_s=None)
    cloud = read_cloud(tmp_path / "x.pcd")
    assert (cloud.width, cloud.height) == (64, 48)
    grid = cloud.points.reshape(48, 64, 3)
    seen = frame.depth > 0
    assert (np.isfinite(grid[:, :, 2]) == seen).all()
    np.testing.assert_allclose(grid[seen][:, 2], frame.depth[seen] * small.CAMERA.depth_unit_mm / 1000, rtol=1e-6)
    pixels = small.DEPTH.project(grid[seen] * 1000)
    v, u = np.nonzero(seen)
    np.testing.assert_allclose(pixels, np.stack([u, v], axis=1), atol=1e-3)


def test_clouds_have_the_colour_that_was_seen_there(tmp_path: Path) -> None:
    path = tmp_path / "red.mcap"
    red = np.zeros((60, 80, 3), np.uint8)
    red[:, 40:] = (10, 20, 230)
    with SessionWriter.open(
        path, camera=small.CAMERA, table_toml=None, pieces_toml=None, info={}, color="png"
    ) as writer:
        writer.frame(Frame(0, 0.0, np.full((48, 64), 6000, np.uint16), red))
    export_cloud(open_source(str(path)), tmp_path / "x.ply", table=None, at_s=None)
    cloud = read_cloud(tmp_path / "x.ply")
    assert cloud.bgr is not None
    right = cloud.points[:, 0] > 0.1
    assert (cloud.bgr[right] == (10, 20, 230)).all()
    assert (cloud.bgr[cloud.points[:, 0] < -0.1] == 0).all()


def test_in_the_tables_frame_a_cloud_is_in_mm_with_z_up(session: SessionSource, tmp_path: Path) -> None:
    export_cloud(session, tmp_path / "x.ply", table=session.table(), at_s=None)
    z = read_cloud(tmp_path / "x.ply").points[:, 2]
    true = 620 - list(session)[-1].depth.astype(float).ravel() * small.CAMERA.depth_unit_mm
    np.testing.assert_allclose(np.sort(z), np.sort(true), atol=0.01)


def test_a_moment_is_found_by_its_time(session: SessionSource, tmp_path: Path) -> None:
    export_cloud(session, tmp_path / "x.pcd", table=None, at_s=small.frame(3).time_s)
    first = read_cloud(tmp_path / "x.pcd").points[1, 2]
    assert first == pytest.approx(small.frame(3).depth[0, 1] * small.CAMERA.depth_unit_mm / 1000, rel=1e-6)
    with pytest.raises(VisionError, match="has no frame from 99 s on"):
        export_cloud(session, tmp_path / "y.pcd", table=None, at_s=99)
