"""Recordings of the RealSense SDK are read as they were recorded, or refused; damage is never shown as truth."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import signal
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from calibration.table import TableCalibration
from calibration.table_file import load_table
from rules.layout import Layout
from rules.pieces import load_pieces
from tests.conftest import ROOT
from tests.th_vision.live.cameras import is_alive, small_camera, small_frame
from th_vision.errors import VisionError
from th_vision.frame import Frame
from th_vision.live.convert import convert_bag
from th_vision.live.db3_writer import write_db3
from th_vision.live.playback import Playback
from th_vision.sources import open_source, rosbag, sdk_reading
from th_vision.sources.db3_reader import Db3, OtherLayoutError
from th_vision.sources.rosbag import SdkRecording

FIXTURE = ROOT / "fixtures" / "sdk" / "ramp.db3"
TRUTH = json.loads(FIXTURE.with_name("truth.json").read_text())


def digest(array: Any) -> str:
    return hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()


def true_frames(frames: Sequence[Frame]) -> bool:
    """Whether each frame is one of the fixture's, pixel by pixel."""
    known = {one["number"]: one for one in TRUTH["frames"]}
    return all(
        digest(frame.depth) == known[frame.number]["depth_sha256"]
        and (frame.color is None or digest(frame.color) == known[frame.number]["color_sha256"])
        for frame in frames
    )


def cut_calibration() -> TableCalibration:
    """The recorded game's calibration, for the part of the picture that the fixture holds."""
    table = load_table(ROOT / "fixtures" / "game" / "table.toml")
    u, v, w, h = TRUTH["depth_box"]
    cu, cv, cw, ch = TRUTH["color_box"]
    part, camera, empty = np.s_[v : v + h, u : u + w], table.camera, table.empty
    assert camera.color is not None
    assert empty.color_bgr is not None
    return replace(
        table,
        camera=replace(
            camera,
            depth=replace(camera.depth, width=w, height=h, cx=camera.depth.cx - u, cy=camera.depth.cy - v),
            color=replace(camera.color, width=cw, height=ch, cx=camera.color.cx - cu, cy=camera.color.cy - cv),
        ),
        empty=replace(
            empty,
            disparity_px=empty.disparity_px[part],
            sigma_px=empty.sigma_px[part],
            measured=empty.measured[part],
            color_bgr=empty.color_bgr[cv : cv + ch, cu : cu + cw],
        ),
    )


@pytest.fixture
def sdk() -> None:
    pytest.importorskip("pyrealsense2", reason="no wheel of pyrealsense2 here")


# --- whole files ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("by_sdk", [False, True])
def test_the_fixture_is_read_bit_by_bit(by_sdk: bool) -> None:
    if by_sdk:
        pytest.importorskip("pyrealsense2", reason="no wheel of pyrealsense2 here")
    source = SdkRecording(FIXTURE, by_sdk=by_sdk)
    frames = list(source)
    truth = TRUTH["frames"][-len(frames) :] if by_sdk else TRUTH["frames"]  # its player may be late for the first
    assert [frame.number for frame in frames] == [one["number"] for one in truth]
    assert [frame.time_s for frame in frames] == pytest.approx([one["time_s"] for one in truth], abs=1e-6)
    assert all(frame.color is not None for frame in frames)
    assert true_frames(frames)
    assert source.troubles == ()
    assert bool(source.unverified) == by_sdk
    assert (source.camera.model, source.camera.depth_unit_mm) == ("D415", 0.25)
    assert true_frames(list(source)), "and again from the start"


def test_the_fixture_goes_through_the_chain() -> None:
    from th_vision.reconstruct import reconstruct
    from th_vision.still_view import fuse

    table = cut_calibration()
    source = open_source(str(FIXTURE), table=table)
    pieces = load_pieces(ROOT / "fixtures" / "game" / "pieces.toml")
    found = reconstruct(fuse(list(source), table), pieces)
    true = Layout.model_validate(TRUTH["layout"])
    assert [column.levels for column in found.columns] == [1]
    assert abs(found.columns[0].x - true.columns[0].x) < 3
    assert [car.player for car in found.cars] == ["blue"]
    (road,), (right,) = found.roads, true.roads
    assert sorted(end[0] for end in road.ends) == pytest.approx(sorted(end[0] for end in right.ends), abs=4)


@pytest.mark.usefixtures("sdk")
class TestWrittenByTheSdk:
    """What other recordings of it look like."""

    def test_the_same_without_the_sdk_and_with_it(self, tmp_path: Path) -> None:
        T = np.eye(4)
        T[:3, :3] = [[0.9998, -0.02, 0.0], [0.02, 0.9998, 0.0], [0.0, 0.0, 1.0]]
        T[:3, 3] = [15.0, -1.0, 0.5]
        path = tmp_path / "a.db3"
        write_db3(path, small_camera(T_color_depth=T, depth_unit_mm=0.25), [small_frame(k) for k in range(20)])
        ours, theirs = SdkRecording(path), SdkRecording(path, by_sdk=True)
        assert replace(ours.camera, T_color_depth=None) == replace(theirs.camera, T_color_depth=None)  # type: ignore[arg-type] # arrays are compared below
        assert np.allclose(ours.camera.T_color_depth, theirs.camera.T_color_depth, atol=1e-6)
        assert np.allclose(ours.camera.T_color_depth, T, atol=1e-3)
        theirs.close()

    def test_rounded_figures_are_said(self, tmp_path: Path) -> None:
        """It writes the depth unit with six decimals; one that these don't hold is off, and that is said."""
        path = tmp_path / "odd.db3"
        write_db3(path, small_camera(depth_unit_mm=0.1234567), [small_frame(k) for k in range(3)])
        source = SdkRecording(path)
        assert source.camera.depth_unit_mm == pytest.approx(0.123)
        assert "rounded in the file: lengths are off by up to 0.41 %" in " ".join(source.troubles)

    def test_a_disk_that_takes_no_more_is_told_with_the_name_that_the_user_gave(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("th_vision.live.db3_writer._STUCK_S", 0.05)
        monkeypatch.setattr("th_vision.live.db3_writer._stored", lambda _: 1)
        with pytest.raises(VisionError, match=f"^{re.escape(str(tmp_path))}/a.db3: only 1 of 4 pictures"):
            write_db3(tmp_path / "a.db3", small_camera(), [small_frame(k) for k in range(2)])
        assert list(tmp_path.iterdir()) == []

    def test_pictures_without_checksums_are_said_to_be_unverifiable(self, tmp_path: Path) -> None:
        path = tmp_path / "raw.db3"
        write_db3(path, small_camera(), [small_frame(k) for k in range(4)], compress=False)
        source = SdkRecording(path)
        frames = list(source)
        assert "have no checksums" in source.unverified
        for k, frame in enumerate(frames):
            assert (frame.depth == small_frame(k).depth).all()
            assert frame.color is not None
            assert (frame.color == small_frame(k).color).all()
        assert len(frames) == 4

    def test_depth_without_colour(self, tmp_path: Path) -> None:
        path = tmp_path / "depth.db3"
        write_db3(path, small_camera(color=None), [replace(small_frame(k), color=None) for k in range(4)])
        source = SdkRecording(path)
        assert source.camera.color is None
        assert [frame.color for frame in source] == [None] * 4

    def test_colour_that_is_missing_now_and_then_costs_no_depth(self, tmp_path: Path) -> None:
        path = tmp_path / "gaps.db3"
        frames = [small_frame(k) for k in range(12)]
        write_db3(path, small_camera(), [replace(f, color=None) if f.number in (3, 4, 5) else f for f in frames])
        found = list(SdkRecording(path))
        assert [frame.number for frame in found] == list(range(12))
        assert [frame.number for frame in found if frame.color is None] == [3, 4, 5]


@pytest.mark.usefixtures("sdk")
def test_a_reading_that_is_left_early_ends_its_process() -> None:
    source = SdkRecording(FIXTURE, by_sdk=True)
    child = source._new_reading()._worker.pid
    reading = iter(source)
    next(reading)
    reading.close()  # type: ignore[attr-defined] # a generator
    assert not is_alive(child)


def test_where_the_sdk_ended_before_its_first_frame_it_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    source, asked = SdkRecording(FIXTURE, by_sdk=True), list[int]()

    def none_at_first(recording: SdkRecording, gate: object) -> Iterator[Frame]:
        asked.append(1)
        return iter(()) if len(asked) < 3 else iter(SdkRecording(FIXTURE))

    monkeypatch.setattr(SdkRecording, "_from_sdk", none_at_first)
    assert next(iter(source)).depth.any()
    assert len(asked) == 3
    source.close()


# --- damaged files ----------------------------------------------------------------------------------------------


def damaged(tmp_path: Path, at: int, size: int = 4, name: str = "bad.db3") -> Path:
    data = bytearray(FIXTURE.read_bytes())
    data[at : at + size] = bytes(byte ^ 0x5A for byte in data[at : at + size])
    (tmp_path / name).write_bytes(data)
    return tmp_path / name


def outcome(path: Path) -> tuple[list[Frame], str]:
    """The frames that could be read, and what was said: a refusal or troubles."""
    frames: list[Frame] = []
    try:
        source = SdkRecording(path)
        frames.extend(source)
        said = "; ".join(source.troubles)
    except VisionError as error:
        said = str(error)
    assert str(path) in said or not said
    assert "\n" not in said
    return frames, said


@pytest.mark.parametrize(("share", "left"), [(0.001, 0), (0.1, 0), (0.5, 1), (0.8, 3), (0.999, 3)])
def test_of_a_cut_file_all_that_is_whole_is_read(tmp_path: Path, share: float, left: int) -> None:
    data = FIXTURE.read_bytes()
    (tmp_path / "cut.db3").write_bytes(data[: int(len(data) * share)])
    frames, said = outcome(tmp_path / "cut.db3")
    assert true_frames(frames)
    assert len(frames) == left
    assert "cut short" in said or "no frame that can be read" in said
    assert sorted(file.name for file in tmp_path.iterdir()) == ["cut.db3"]


@pytest.mark.parametrize("content", [b"", b"hello, this is no recording" * 50])
@pytest.mark.parametrize("suffix", [".db3", ".bag"])
def test_what_is_no_recording_is_refused(tmp_path: Path, content: bytes, suffix: str) -> None:
    (tmp_path / f"a{suffix}").write_bytes(content)
    with pytest.raises(VisionError, match=r"a\.(db3|bag): is (empty|cut short, damaged, or no recording)"):
        open_source(str(tmp_path / f"a{suffix}"))


def pictures(path: Path) -> list[int]:
    """Where in the file the PNG pictures begin."""
    data, at, found = path.read_bytes(), -1, []
    while (at := data.find(b"\x89PNG", at + 1)) >= 0:
        found.append(at)
    return found


def test_a_flipped_picture_is_left_out_not_shown(tmp_path: Path) -> None:
    end = FIXTURE.read_bytes().find(b"IEND", pictures(FIXTURE)[0])
    frames, said = outcome(damaged(tmp_path, end - 8, 4))  # the checksum before the end
    assert true_frames(frames)
    assert "damaged and left out" in said
    assert sum(frame.color is not None for frame in frames) == 2


def test_a_picture_cut_short_costs_that_frame_alone(tmp_path: Path) -> None:
    path = tmp_path / "short.db3"
    shutil.copy(FIXTURE, path)
    with closing(sqlite3.connect(path)) as base:
        (topic,) = base.execute("select id from topics where name like '%Depth_0/image/data%'").fetchone()
        (second,) = base.execute("select id from messages where topic_id = ? limit 1 offset 1", (topic,)).fetchone()
        base.execute("update messages set data = substr(data, 1, 400) where id = ?", (second,))
        base.commit()
    frames, said = outcome(path)
    assert true_frames(frames)
    assert [frame.number for frame in frames] == [4, 6]
    assert "1 of its 3 frames are damaged and left out" in said


@pytest.mark.parametrize("place", range(40))
def test_whatever_is_flipped_no_wrong_picture_comes_out(tmp_path: Path, place: int) -> None:
    rng = np.random.default_rng(3110 + place)
    frames, said = outcome(damaged(tmp_path, int(rng.integers(100, FIXTURE.stat().st_size - 10)), 3))
    assert true_frames(frames)
    assert said or len(frames) == len(TRUTH["frames"])


# --- a process that fails ---------------------------------------------------------------------------------------


class Dies(Playback):
    def wait(self, timeout_ms: int) -> Any:
        os.kill(os.getpid(), signal.SIGSEGV)


class Hangs(Playback):
    def wait(self, timeout_ms: int) -> Any:
        signal.pause()


def dies(path: str, request: Any) -> Playback:
    from th_vision.live.sdk import import_sdk

    return Dies(import_sdk(), Path(path))


def hangs(path: str, request: Any) -> Playback:
    from th_vision.live.sdk import import_sdk

    return Hangs(import_sdk(), Path(path))


@pytest.mark.usefixtures("sdk")
def test_a_file_that_crashes_the_sdk_does_not_crash_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sdk_reading, "open_recording", dies)
    with pytest.raises(VisionError, match=r"ramp\.db3: the SDK failed on this file: it was ended by signal 11"):
        list(SdkRecording(FIXTURE, by_sdk=True))


@pytest.mark.usefixtures("sdk")
def test_a_file_that_hangs_the_sdk_does_not_hang_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sdk_reading, "open_recording", hangs)
    monkeypatch.setattr(sdk_reading, "OPENING_S", 0.6)
    with pytest.raises(VisionError, match=r"ramp\.db3: the SDK hangs on this file"):
        list(SdkRecording(FIXTURE, by_sdk=True))


def test_a_layout_that_is_not_known_is_the_sdks_to_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "other.db3"
    shutil.copy(FIXTURE, path)
    with closing(sqlite3.connect(path)) as base:
        base.execute("update topics set name = replace(name, 'Depth_0', 'Tiefe_0')")
        base.commit()
    with pytest.raises(OtherLayoutError):
        Db3(path)
    asked = []
    monkeypatch.setattr(rosbag, "SdkReading", lambda path: asked.append(path) or _refuse())
    with pytest.raises(VisionError, match="not today"):
        SdkRecording(path)
    assert asked == [path]


def _refuse() -> Any:
    raise VisionError("not today")


@pytest.mark.usefixtures("sdk")
def test_what_is_no_bag_is_refused_and_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    (tmp_path / "a.bag").write_bytes(b"#ROSBAG V2.0\n" + bytes(4000))
    with pytest.raises(VisionError, match=r"a\.bag: is cut short, damaged, or no recording"):
        open_source(str(tmp_path / "a.bag"))
    assert [file.name for file in tmp_path.iterdir()] == ["a.bag"]


@pytest.mark.usefixtures("sdk")
def test_a_bag_on_which_the_sdk_hangs_is_given_up(tmp_path: Path) -> None:
    (tmp_path / "a.bag").write_bytes(b"#ROSBAG V2.0\n")
    with pytest.raises(VisionError, match=r"a\.bag: the SDK hangs on this file"):
        convert_bag(tmp_path / "a.bag", tmp_path / "a.db3", longest_s=0.02)


def test_info_says_whether_the_pictures_are_as_they_were_recorded(tmp_path: Path) -> None:
    from th_vision.sessions.inform import inform

    assert "as recorded, by their checksums" in str(inform(FIXTURE, check=True))
    (tmp_path / "cut.db3").write_bytes(FIXTURE.read_bytes()[:100_000])
    (trouble,) = inform(tmp_path / "cut.db3").troubles
    assert trouble.startswith("was cut short")
