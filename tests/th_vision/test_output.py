"""Results are written whole or not at all, and a place that can't be written is one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from th_vision.errors import VisionError
from th_vision.output import write_aside


def test_an_old_file_is_replaced_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "layout é.json"
    write_aside(path, "old")
    write_aside(path, "né\n")
    assert path.read_bytes() == "né\n".encode()
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("place", ["nowhere/a.json", "taken", "", "file/a.json"])
def test_a_place_that_can_not_be_written_is_one_line(tmp_path: Path, place: str) -> None:
    (tmp_path / "taken").mkdir()
    (tmp_path / "file").write_text("here")
    path = tmp_path / place if place else Path()
    with pytest.raises(VisionError) as caught:
        write_aside(path, b"new")
    assert str(caught.value).startswith(f"{path}: ")
    assert sorted(found.name for found in tmp_path.iterdir()) == ["file", "taken"]


def test_a_write_that_fails_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.json"
    write_aside(path, b"old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(VisionError, match="No space left on device"):
        write_aside(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]
