"""Repairing saves all that is whole, and counts what is not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from mcap.reader import make_reader

from tests.th_vision.sessions import small
from tests.th_vision.sessions.test_damage import records
from th_vision.errors import VisionError
from th_vision.sessions.reader import open_session
from th_vision.sessions.repair import repair


@pytest.fixture
def whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("th_vision.sessions.limits.CHUNK_BYTES", 8_000)
    return small.write(tmp_path / "game.mcap", 20, attach=tmp_path)


def numbers(path: Path, part: int = 0) -> list[int]:
    found = []
    for frame in open_session(path, part=part).frames():
        np.testing.assert_array_equal(frame.depth, small.frame(frame.number).depth)
        found.append(frame.number)
    return found


def test_a_whole_file_loses_nothing(whole: Path, tmp_path: Path) -> None:
    (done,) = repair(whole, tmp_path / "out.mcap")
    assert done.lost_nothing
    assert (done.frames, done.game_lines, done.scenes) == (20, 4, 4)
    assert "lost: nothing" in str(done)
    session = open_session(tmp_path / "out.mcap")
    assert session.ended
    assert session.part.by_summary
    assert [frame.number for frame in session.frames()] == list(range(20))
    assert [line["turn"] for _, line in session.game_lines()] == [1, 2, 3, 4]
    assert [layout for _, layout in session.layouts()] == [small.LAYOUT] * 4
    assert session.table() is not None
    assert session.pieces() is not None


def test_a_cut_file_becomes_whole_up_to_the_cut(whole: Path, tmp_path: Path) -> None:
    data = whole.read_bytes()
    cut = tmp_path / "cut.mcap"
    cut.write_bytes(data[: len(data) // 2])
    before = numbers(cut)
    (done,) = repair(cut, tmp_path / "out.mcap")
    assert numbers(tmp_path / "out.mcap") == before
    assert done.lost_frames is None  # nobody knows how many there were
    assert "what came after the cut" in str(done)
    assert cut.read_bytes() == data[: len(data) // 2]
    session = open_session(tmp_path / "out.mcap")
    assert session.ended
    assert not session.losses
    with open(tmp_path / "out.mcap", "rb") as stream:
        messages = list(make_reader(stream, validate_crcs=True).iter_messages(topics=["/depth/image"]))
    assert len(messages) == len(before)


def test_flipped_bytes_are_counted(whole: Path, tmp_path: Path) -> None:
    data = bytearray(whole.read_bytes())
    chunks = [(start, end) for opcode, start, end in records(bytes(data)) if opcode == 0x06 and end - start > 4_000]
    for start, end in (chunks[2], chunks[5]):
        data[(start + end) // 2] ^= 1
    attachment = next(end for opcode, _, end in records(bytes(data)) if opcode == 0x09)
    data[attachment - 40] ^= 1
    hurt = tmp_path / "hurt.mcap"
    hurt.write_bytes(data)
    (done,) = repair(hurt, tmp_path / "out.mcap")
    assert done.lost_frames == 20 - done.frames > 0
    assert done.lost_lines == 0
    assert done.lost_attachments == ("table.toml",)
    assert "table.toml" in str(done)
    session = open_session(tmp_path / "out.mcap")
    assert len(numbers(tmp_path / "out.mcap")) == done.frames
    assert session.end is not None
    assert session.end["lost"] == str(done.lost_frames)
    assert session.table() is None
    assert session.damaged_attachments == ()


def test_joined_files_are_parted(whole: Path, tmp_path: Path) -> None:
    other = small.write(tmp_path / "other.mcap", 3)
    joined = tmp_path / "joined.mcap"
    joined.write_bytes(whole.read_bytes() + other.read_bytes())
    first, second = repair(joined, tmp_path / "out.mcap")
    assert (first.output.name, second.output.name) == ("out.mcap", "out-2.mcap")
    assert numbers(first.output) == list(range(20))
    assert numbers(second.output) == [0, 1, 2]
    assert open_session(first.output).header.session != open_session(second.output).header.session


def test_what_was_repaired_once_is_repaired_again_alike(whole: Path, tmp_path: Path) -> None:
    data = whole.read_bytes()
    whole.write_bytes(data[: len(data) * 3 // 4])
    repair(whole, tmp_path / "one.mcap")
    (again,) = repair(tmp_path / "one.mcap", tmp_path / "two.mcap")
    assert again.lost_nothing
    assert numbers(tmp_path / "one.mcap") == numbers(tmp_path / "two.mcap")


def test_nothing_is_written_over_and_nothing_is_left_behind(whole: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.mcap"
    out.write_bytes(b"mine")
    with pytest.raises(VisionError, match=r"out\.mcap: is there already"):
        repair(whole, out)
    assert out.read_bytes() == b"mine"
    garbage = tmp_path / "garbage.mcap"
    garbage.write_bytes(b"\1" * 4000)
    with pytest.raises(VisionError, match=r"garbage\.mcap"):
        repair(garbage, tmp_path / "none.mcap")
    with pytest.raises(VisionError, match="can't be written"):
        repair(whole, tmp_path / "no such folder" / "out.mcap")
    assert not list(tmp_path.glob(".*"))
    assert not (tmp_path / "none.mcap").exists()
