"""What was damaged is lost and counted; what is left is exactly what was recorded. Never a wrong pixel."""

from __future__ import annotations

import hashlib
import os
import struct
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.th_vision.sessions import small
from th_vision.errors import VisionError
from th_vision.frame import Frame
from th_vision.sessions.reader import Session, open_session
from th_vision.sources.session import SessionSource

FRAMES = 20
KINDS = {
    0x01: "header",
    0x02: "footer",
    0x03: "schema",
    0x04: "channel",
    0x06: "chunk",
    0x07: "message index",
    0x08: "chunk index",
    0x09: "attachment",
    0x0A: "attachment index",
    0x0B: "statistics",
    0x0C: "metadata",
    0x0D: "metadata index",
    0x0E: "summary offset",
    0x0F: "data end",
}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A session of small chunks: one for each frame or two, as with pictures of the usual size."""
    folder = tmp_path_factory.mktemp("whole")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("th_vision.sessions.limits.CHUNK_BYTES", 8_000)
        return small.write(folder / "game.mcap", FRAMES, attach=folder).read_bytes()


@pytest.fixture(scope="module")
def truth(whole: bytes, tmp_path_factory: pytest.TempPathFactory) -> dict[int, bytes]:
    """Digest of each frame, by its number."""
    path = tmp_path_factory.mktemp("truth") / "game.mcap"
    path.write_bytes(whole)
    found = {frame.number: digest(frame) for frame in open_session(path).frames()}
    for number in range(FRAMES):
        assert frame_of(path, number).depth.tobytes() == small.frame(number).depth.tobytes()
    return found


def frame_of(path: Path, number: int) -> Frame:
    return next(frame for frame in open_session(path).frames() if frame.number == number)


def digest(frame: Frame) -> bytes:
    assert frame.color is not None
    text = f"{frame.number} {frame.time_s!r}".encode()
    return hashlib.sha256(text + frame.depth.tobytes() + frame.color.tobytes()).digest()


def records(data: bytes) -> Iterator[tuple[int, int, int]]:
    """Opcode, start and end of every record."""
    at = 8
    while at < len(data) - 8:
        opcode, length = struct.unpack_from("<BQ", data, at)
        yield opcode, at, at + 9 + length
        at += 9 + length


def read(path: Path, data: bytes, truth: dict[int, bytes]) -> tuple[Session, list[int]]:
    """Open damaged data and hold everything that comes out against the truth."""
    path.write_bytes(data)
    session = open_session(path)
    try:
        numbers = []
        for frame in session.frames():
            assert digest(frame) == truth[frame.number], f"frame {frame.number} is not what was recorded"
            numbers.append(frame.number)
        assert numbers == sorted(set(numbers))
        turns = [line["turn"] for _, line in session.game_lines()]
        assert turns == sorted(set(turns))
        assert set(turns) <= {1, 2, 3, 4}
        assert all(layout == small.LAYOUT for _, layout in session.layouts())
        np.testing.assert_array_equal(session.camera.T_color_depth, small.SHIFT)
        assert session.camera.depth == small.DEPTH
        assert session.camera.depth_unit_mm == small.CAMERA.depth_unit_mm
        if session.end is not None:
            assert session.losses.frames == FRAMES - len(numbers)
        return session, numbers
    finally:
        session.close()


def test_whole_it_is_whole(whole: bytes, truth: dict[int, bytes], tmp_path: Path) -> None:
    session, numbers = read(tmp_path / "game.mcap", whole, truth)
    assert session.ended
    assert not session.losses
    assert numbers == list(range(FRAMES))
    kinds = {KINDS[opcode] for opcode, _, _ in records(whole)}
    assert kinds == set(KINDS.values())


def test_cut_at_every_hundredth_all_whole_chunks_are_there(
    whole: bytes, truth: dict[int, bytes], tmp_path: Path
) -> None:
    chunks = [end for opcode, _, end in records(whole) if opcode == 0x06]
    head = next(start for opcode, start, _ in records(whole) if opcode == 0x09)
    got = []
    for percent in range(1, 100):
        data = whole[: len(whole) * percent // 100]
        if len(data) < head:  # not even the camera is known
            continue
        session, numbers = read(tmp_path / "game.mcap", data, truth)
        assert not session.ended
        assert numbers == list(range(len(numbers)))
        got.append((sum(end <= len(data) for end in chunks), len(numbers)))
    assert got == sorted(got)
    complete = {chunks for chunks, _ in got}
    assert len(complete) > FRAMES / 2
    assert got[-1][1] == FRAMES
    assert all(frames >= chunks - 9 for chunks, frames in got)  # of the chunks, 8 hold lines and scenes


def test_cut_before_the_camera_is_known_is_refused(whole: bytes, tmp_path: Path) -> None:
    for length in (0, 1, 8, 30, 200):
        (tmp_path / "game.mcap").write_bytes(whole[:length])
        with pytest.raises(VisionError, match=r"game\.mcap: (is|holds) ") as caught:
            SessionSource(tmp_path / "game.mcap")
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("kind", sorted(KINDS), ids=lambda kind: KINDS[kind])
def test_a_flipped_byte_in_any_kind_of_record(kind: int, whole: bytes, truth: dict[int, bytes], tmp_path: Path) -> None:
    rng = np.random.default_rng(kind)
    places = [(start, end) for opcode, start, end in records(whole) if opcode == kind]
    chosen = [places[i] for i in rng.choice(len(places), min(3, len(places)), replace=False)]
    for start, end in chosen:
        inside = rng.integers(start + 9, end, 6)
        for at in [*range(start, start + 9), *(int(place) for place in inside)]:
            hurt = bytearray(whole)
            hurt[at] ^= 1 << int(rng.integers(8))
            _, numbers = read(tmp_path / "game.mcap", bytes(hurt), truth)
            assert len(numbers) >= FRAMES - 3, (KINDS[kind], at - start)
            if kind != 0x06:
                assert len(numbers) == FRAMES, (KINDS[kind], at - start)


def test_a_flipped_byte_with_the_summary_gone_too(whole: bytes, truth: dict[int, bytes], tmp_path: Path) -> None:
    """A file that was cut and damaged: read by walking through it."""
    rng = np.random.default_rng(31)
    cut = whole[: int(len(whole) * 0.9)]
    _, before = read(tmp_path / "game.mcap", cut, truth)
    first = next(end for opcode, _, end in records(whole) if opcode == 0x09)
    for at in rng.integers(first, len(cut), 150):
        hurt = bytearray(cut)
        hurt[int(at)] ^= 1 << int(rng.integers(8))
        _, numbers = read(tmp_path / "game.mcap", bytes(hurt), truth)
        assert len(numbers) >= len(before) - 3


def test_a_hole_in_the_middle(whole: bytes, truth: dict[int, bytes], tmp_path: Path) -> None:
    """A page that a failing disk gives as zeros, and one that is simply missing."""
    chunks = [start for opcode, start, _ in records(whole) if opcode == 0x06]
    middle = chunks[len(chunks) // 2] + 100
    for data in (whole[:middle] + bytes(4096) + whole[middle + 4096 :], whole[:middle] + whole[middle + 4096 :]):
        session, numbers = read(tmp_path / "game.mcap", data, truth)
        assert FRAMES - 4 <= len(numbers) < FRAMES
        assert session.losses.frames == FRAMES - len(numbers)


def test_a_damaged_frame_is_said(whole: bytes, tmp_path: Path) -> None:
    start, end = next((start, end) for opcode, start, end in records(whole) if opcode == 0x06 and end - start > 4000)
    hurt = bytearray(whole)
    hurt[(start + end) // 2] ^= 16
    (tmp_path / "game.mcap").write_bytes(hurt)
    source = SessionSource(tmp_path / "game.mcap")
    frames = list(source)
    assert len(frames) < FRAMES
    said = " ".join(source.troubles)
    assert f"{FRAMES - len(frames)} frame" in said
    assert "lost" in said
    assert "th-vision repair" in said


def test_another_calibration_in_place_of_the_attached_one(whole: bytes, tmp_path: Path) -> None:
    """Swapped, byte for byte as long: only the hash in the head tells."""
    hurt = whole.replace(b"plane_mm = 0.3", b"plane_mm = 0.1")
    assert hurt != whole
    (tmp_path / "game.mcap").write_bytes(hurt)
    source = SessionSource(tmp_path / "game.mcap")
    assert source.session.damaged_attachments == ("table.toml",)
    with pytest.raises(VisionError, match=r"its calibration is damaged .*--calibration"):
        source.table()
    assert source.pieces() is not None
    assert len(list(source)) == FRAMES


def test_two_files_joined_are_two_sessions(whole: bytes, truth: dict[int, bytes], tmp_path: Path) -> None:
    other = small.write(tmp_path / "other.mcap", 3).read_bytes()
    path = tmp_path / "game.mcap"
    session, numbers = read(path, whole + other, truth)
    assert session.parts == 2
    assert numbers == list(range(FRAMES))
    assert len(list(open_session(path, part=1).frames())) == 3
    assert "2 sessions joined" in " ".join(SessionSource(path).troubles)
    cut_at = next(start for opcode, start, _ in list(records(whole))[::-1] if opcode == 0x06) + 50
    session, numbers = read(path, whole[:cut_at] + other, truth)
    assert session.parts == 2
    assert session.end is None
    assert numbers == list(range(len(numbers)))
    assert len(numbers) >= FRAMES - 2
    assert [frame.number for frame in open_session(path, part=1).frames()] == [0, 1, 2]


def test_bytes_after_the_end_and_before_the_beginning(whole: bytes, truth: dict[int, bytes], tmp_path: Path) -> None:
    for data in (whole + b"\0" * 700, whole + os.urandom(700), b"\0" * 700 + whole):
        _, numbers = read(tmp_path / "game.mcap", data, truth)
        assert numbers == list(range(FRAMES))


@pytest.mark.parametrize(
    "data",
    [b"", b"\0" * 5000, bytes(range(256)) * 40, b"\x89MCAP0\r\n", b"\x89MCAP0\r\n" * 2, b"\x28\xb5\x2f\xfd" * 99],
)
def test_what_is_no_session_is_refused_in_one_line(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "game.mcap").write_bytes(data)
    with pytest.raises(VisionError, match=r"game\.mcap: ") as caught:
        SessionSource(tmp_path / "game.mcap")
    assert "\n" not in str(caught.value)


def test_a_folder_in_place_of_a_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(VisionError, match="can't be read"):
        open_session(tmp_path)
