"""Commands with a recording and a calibration that do not go together, or a game that can't be."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import cli
from calibration.camera import Camera
from calibration.table import TableCalibration
from calibration.table_file import save_table
from tests.test_cli import refused
from tests.th_vision.sources.folders import own_folder
from th_vision import terminal
from th_vision.sources.image_folder import ImageFolder
from th_vision.sources.point_cloud import plane_calibration


def calibration(camera: Camera) -> TableCalibration:
    T = np.diag([1.0, -1.0, -1.0, 1.0])
    T[2, 3] = 700.0
    return dataclasses.replace(plane_calibration(camera, T), made_at="2026-01-01T00:00:00+00:00")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return own_folder(tmp_path / "a game")


@pytest.fixture
def table(tmp_path: Path, folder: Path) -> Path:
    path = tmp_path / "table.toml"
    save_table(calibration(ImageFolder(folder).camera), path)
    return path


def words(command: str, folder: Path, table: Path, *more: str) -> list[str]:
    players = ["--players", "blue,pink"] if command == "replay" and "--players" not in more else []
    return [command, str(folder), "-c", str(table), *players, *more]


Change = Callable[[Camera], Camera]
OTHER_CAMERAS: list[tuple[str, Change]] = [
    ("serial", lambda camera: dataclasses.replace(camera, serial="9999")),
    ("model", lambda camera: dataclasses.replace(camera, model="D415")),
    ("depth size", lambda camera: dataclasses.replace(camera, depth=dataclasses.replace(camera.depth, width=80))),
    ("focal length", lambda camera: dataclasses.replace(camera, depth=dataclasses.replace(camera.depth, fx=70.0))),
    ("depth unit", lambda camera: dataclasses.replace(camera, depth_unit_mm=1.0)),
    ("no colour", lambda camera: dataclasses.replace(camera, color=None)),
]


@pytest.mark.parametrize("command", ["replay", "reconstruct"])
@pytest.mark.parametrize(("what", "other"), OTHER_CAMERAS)
def test_the_calibration_of_another_camera_is_refused(
    command: str, what: str, other: Change, folder: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "other.toml"
    save_table(calibration(other(ImageFolder(folder).camera)), path)
    assert "calibrat" in refused(words(command, folder, path), capfd), what


@pytest.mark.parametrize("command", ["replay", "reconstruct"])
def test_no_calibration_where_one_is_needed_is_refused(
    command: str, folder: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert "nowhere.toml" in refused(words(command, folder, tmp_path / "nowhere.toml"), capfd)


@pytest.mark.parametrize("command", ["replay", "reconstruct"])
@pytest.mark.parametrize("text", ["", "[", "schema = 1\n", "\x00"])
def test_a_calibration_that_is_none_is_refused(
    command: str, text: str, folder: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "broken.toml"
    path.write_text(text)
    assert "broken.toml" in refused(words(command, folder, path), capfd)


def test_a_calibration_without_its_map_is_refused(
    folder: Path, table: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for path in tmp_path.iterdir():
        if path.is_file() and path != table:
            path.write_bytes(path.read_bytes()[:100])
    assert "th-vision: " in refused(words("reconstruct", folder, table), capfd)


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (["--players", "blue,green"], "'green'"),
        (["--players", "blue"], "players"),
        (["--players", ""], "players"),
        (["--players", "blue,blue"], "players"),
        (["--rules", "chess"], "chess"),
        (["--set", "gravity=off"], "gravity"),
        (["--set", "first"], "first"),
        (["--set", "first=maybe"], "maybe"),
        (["--lang", "tlh"], "tlh"),
        (["--picture", "nowhere/table.png"], "nowhere/table.png"),
        (["--game", "nowhere/game.jsonl"], "nowhere/game.jsonl"),
        (["--pieces", "nowhere.toml"], "nowhere.toml"),
    ],
)
def test_a_game_that_can_not_be_is_refused_at_once(
    more: list[str],
    says: str,
    folder: Path,
    table: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.iterdir())
    assert says in refused(words("replay", folder, table, *more), capfd)
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("command", ["replay", "reconstruct"])
def test_a_bad_frame_in_the_middle_is_named(
    command: str, folder: Path, table: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (folder / "depth" / "000001.png").write_bytes(b"")
    assert terminal.run(cli.app, words(command, folder, table)) == 2
    err = capfd.readouterr().err
    assert err.count("\n") == 1
    assert "a game/depth/000001.png: is empty (0 bytes)" in err


def test_a_recording_without_a_game_ends_with_status_1(
    folder: Path, table: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    record = tmp_path / "game.jsonl"
    assert terminal.run(cli.app, words("replay", folder, table, "--game", str(record))) == 1
    assert "Traceback" not in capfd.readouterr().err
    assert [json.loads(line)["type"] for line in record.read_text().splitlines()] == ["game"]


@pytest.mark.parametrize("out", ["--json", "--ply", "--picture"])
def test_an_output_that_can_not_be_written_is_named(
    out: str, folder: Path, table: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "nowhere" / "out"
    assert terminal.run(cli.app, words("reconstruct", folder, table, out, str(place))) == 2
    last = capfd.readouterr().err.splitlines()[-1]
    assert last.startswith(f"th-vision: {place}: can't be written")
