"""What goes into a session comes out again: by our reader, and by MCAP's own with Foxglove's classes."""

from __future__ import annotations

import errno
import io
import json
import threading
import time
from pathlib import Path

import cv2
import numpy as np
import pytest
from foxglove_schemas_protobuf.CameraCalibration_pb2 import CameraCalibration
from foxglove_schemas_protobuf.CompressedImage_pb2 import CompressedImage
from foxglove_schemas_protobuf.FrameTransform_pb2 import FrameTransform
from foxglove_schemas_protobuf.RawImage_pb2 import RawImage
from foxglove_schemas_protobuf.SceneUpdate_pb2 import SceneUpdate
from mcap.reader import make_reader

from rules.errors import RulesError
from rules.events import PassFact
from tests.th_vision.sessions import small
from th_vision.errors import VisionError
from th_vision.frame import Frame
from th_vision.sessions.header import Header
from th_vision.sessions.reader import open_session
from th_vision.sessions.writer import SessionWriter
from th_vision.sources import open_source
from th_vision.sources.session import SessionSource


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("session")
    return small.write(folder / "game.mcap", 20, attach=folder, color="png")


def test_every_frame_comes_back_bit_by_bit(session: Path) -> None:
    source = open_source(str(session))
    frames = list(source)
    assert [frame.number for frame in frames] == list(range(20))
    for frame in frames:
        true = small.frame(frame.number)
        assert frame.time_s == true.time_s
        assert frame.depth.dtype == np.uint16
        np.testing.assert_array_equal(frame.depth, true.depth)
        np.testing.assert_array_equal(frame.color, true.color)
    assert isinstance(source, SessionSource)
    assert source.troubles == ()


def test_the_camera_comes_back_exactly(session: Path) -> None:
    camera = open_source(str(session)).camera
    assert (camera.depth, camera.color) == (small.DEPTH, small.COLOR)
    assert camera.depth_unit_mm == small.CAMERA.depth_unit_mm
    assert (camera.model, camera.serial, camera.baseline_mm) == ("D435", "0123", 49.9)
    np.testing.assert_array_equal(camera.T_color_depth, small.SHIFT)


def test_a_session_is_self_contained(session: Path) -> None:
    source = open_source(str(session))
    assert isinstance(source, SessionSource)
    table, pieces = source.table(), source.pieces()
    assert table is not None
    assert table.distance_mm == 620.0
    assert table.empty.color_bgr is not None
    assert pieces is not None
    assert pieces.stick.length == 115.5


def test_lines_and_layouts_come_back_with_their_times(session: Path) -> None:
    with_turns = open_session(session).game_lines()
    assert [line["turn"] for _, line in with_turns] == [1, 2, 3, 4]
    assert [time_s for time_s, _ in with_turns] == pytest.approx([small.frame(n).time_s for n in (4, 9, 14, 19)])
    layouts = open_session(session).layouts()
    assert [layout for _, layout in layouts] == [small.LAYOUT] * 4


def test_the_metadata_says_what_the_contract_asks_for(session: Path) -> None:
    with open(session, "rb") as stream:
        records = {one.name: one.metadata for one in make_reader(stream).iter_metadata()}
    data = records["th-vision"]
    assert data["software"].startswith("th-vision ")
    assert data["camera"] == "D435"
    assert data["serial"] == "0123"
    assert data["firmware"] == "5.16.0.1"
    assert data["preset"] == data["usb_type"] == "unknown"  # nobody told
    assert float(data["depth_scale"]) == pytest.approx(1e-4, rel=1e-6)
    assert records["th-vision-end"]["frames"] == "20"


def test_mcaps_own_reader_and_foxgloves_classes_read_it(session: Path) -> None:
    """As a viewer does: by the schemas that are in the file."""
    with open(session, "rb") as stream:
        reader = make_reader(stream, validate_crcs=True)
        got = [(channel.topic, schema, message) for schema, channel, message in reader.iter_messages()]
        attachments = {one.name for one in reader.iter_attachments()}
    assert {"table.toml", "pieces.toml"} < attachments
    kinds = {topic: schema.name for topic, schema, _ in got if schema is not None}
    assert kinds == {
        "/depth/image": "foxglove.RawImage",
        "/color/image": "foxglove.CompressedImage",
        "/depth/camera_info": "foxglove.CameraCalibration",
        "/color/camera_info": "foxglove.CameraCalibration",
        "/tf": "foxglove.FrameTransform",
        "/scene": "foxglove.SceneUpdate",
        "/game": "th-vision.GameLine",
        "/frames": "th-vision.Frame",
    }
    data = {topic: message.data for topic, _, message in got}  # the last of each topic
    depth = RawImage.FromString(data["/depth/image"])
    assert depth.encoding == "16UC1"
    pixels = np.frombuffer(depth.data, "<u2").reshape(depth.height, depth.step // 2)
    np.testing.assert_array_equal(pixels, small.frame(19).depth)
    color = CompressedImage.FromString(data["/color/image"])
    picture = cv2.imdecode(np.frombuffer(color.data, np.uint8), cv2.IMREAD_COLOR)
    np.testing.assert_array_equal(picture, small.frame(19).color)
    info = CameraCalibration.FromString(data["/depth/camera_info"])
    assert list(info.K) == [61.25, 0, 31.123456789, 0, 61.5, 23.9, 0, 0, 1]
    assert tuple(info.D) == small.DEPTH.distortion
    assert json.loads(data["/game"]) == {"type": "pass", "turn": 4, "player": "blue"}


def test_transforms_lead_from_the_table_to_both_cameras(session: Path) -> None:
    with open(session, "rb") as stream:
        found = [FrameTransform.FromString(m.data) for _, _, m in make_reader(stream).iter_messages(topics=["/tf"])]
    places = {(one.parent_frame_id, one.child_frame_id): one for one in found}
    assert set(places) == {("depth", "color"), ("table", "depth")}
    assert places["depth", "color"].translation.x == pytest.approx(-0.015)
    camera = places["table", "depth"]
    assert camera.translation.z == pytest.approx(0.62)
    assert (abs(camera.rotation.x), camera.rotation.w) == pytest.approx((1.0, 0.0))  # it looks down


def test_the_scene_shows_the_pieces_in_metres(session: Path) -> None:
    with open(session, "rb") as stream:
        data = next(m.data for _, _, m in make_reader(stream).iter_messages(topics=["/scene"]))
    entities = {entity.id: entity for entity in SceneUpdate.FromString(data).entities}
    assert {"c1", "r1", "k1", "b1", "unknown-0"} < set(entities)
    discs = entities["c1"].cylinders
    assert [disc.pose.position.z for disc in discs] == pytest.approx([0.005, 0.015, 0.025])
    assert discs[2].color.r > discs[2].color.b  # the junction's yellow
    stick = entities["r1"].cubes[0]
    assert stick.size.x == pytest.approx(np.linalg.norm([110, 20, 12]) / 1000)
    assert stick.pose.position.z == pytest.approx(0.020 - 0.001, abs=2e-5)  # the middle of 2 mm below the top
    assert max(point.z for point in entities["b1"].triangles[0].points) == pytest.approx(0.070)


def test_jpeg_moves_no_edge_that_plan_positions_are_measured_from(tmp_path: Path) -> None:
    """A slanted edge between two colours of equal brightness: only hue tells them apart, the hardest case."""
    x = np.arange(80) - np.arange(60)[:, None] * 0.13 - 30.4
    share = np.clip(0.5 + x / 2, 0, 1)[:, :, None]  # two pixels wide, as a lens draws it
    true = np.rint(share * (40, 130, 170) + (1 - share) * (200, 120, 100)).astype(np.uint8)
    path = tmp_path / "game.mcap"
    with SessionWriter.open(path, camera=small.CAMERA, table_toml=None, pieces_toml=None, info={}) as writer:
        writer.frame(Frame(0, 0.0, small.frame(0).depth, true))
    (frame,) = open_source(str(path))
    assert frame.color is not None
    before, after = edge_px(true), edge_px(frame.color)
    assert np.abs(after - before).max() < 0.1
    assert abs(np.mean(after - before)) < 0.01


def edge_px(picture: np.ndarray) -> np.ndarray:
    """Where the edge of each row is: how much of the row around it has the colour to its left."""
    left, right = picture[:, 20].astype(float), picture[:, 48].astype(float)
    axis = (left - right) / ((left - right) ** 2).sum(axis=1, keepdims=True)
    share = ((picture[:, 20:49] - right[:, None]) * axis[:, None]).sum(axis=2)
    return 20 + share.sum(axis=1)


def test_a_session_without_colour_and_with_a_clock_that_jumps_back(tmp_path: Path) -> None:
    path = tmp_path / "game.mcap"
    with SessionWriter.open(
        path, camera=small.CAMERA, table_toml=None, pieces_toml=None, info={}, all_frames=True, live=False
    ) as writer:
        for number, time_s in enumerate((-3.0, 5.0, 4.0)):
            writer.frame(Frame(number, time_s, small.frame(number).depth))
    frames = list(open_source(str(path)))
    assert [frame.time_s for frame in frames] == [-3.0, 5.0, 4.0]
    assert all(frame.color is None for frame in frames)


def test_an_earlier_file_is_never_written_over(tmp_path: Path) -> None:
    path = small.write(tmp_path / "game.mcap", 1)
    before = path.read_bytes()
    with pytest.raises(VisionError, match=r"game\.mcap: is there already"):
        small.write(path, 1)
    small.write(path, 2, if_exists="number")
    assert path.read_bytes() == before
    assert len(list(open_source(str(tmp_path / "game-2.mcap")))) == 2


def test_a_calibration_that_is_none_is_refused_before_there_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "table.toml").write_text("[map]\nfile = 'gone.npz'\n")
    with pytest.raises(VisionError, match=r"gone\.npz: can't be read"):
        SessionWriter.open(
            tmp_path / "game.mcap",
            camera=small.CAMERA,
            table_toml=tmp_path / "table.toml",
            pieces_toml=None,
            info={},
        )
    (tmp_path / "pieces.toml").write_text("[stick]\nlength = -1\n")
    with pytest.raises(RulesError, match=r"stick\.length"):
        SessionWriter.open(
            tmp_path / "game.mcap",
            camera=small.CAMERA,
            table_toml=None,
            pieces_toml=tmp_path / "pieces.toml",
            info={},
        )
    assert not (tmp_path / "game.mcap").exists()


def test_frames_of_another_size_are_left_out_and_said(tmp_path: Path) -> None:
    path = tmp_path / "game.mcap"
    with SessionWriter.open(
        path, camera=small.CAMERA, table_toml=None, pieces_toml=None, info={}, all_frames=True
    ) as writer:
        writer.frame(small.frame(0))
        writer.frame(Frame(1, 11.0, np.zeros((10, 10), np.uint16)))
    assert writer.counts.refused == 1
    assert "1 frame of another size" in " ".join(writer.troubles)
    assert len(list(open_source(str(path)))) == 1


class Disk(io.RawIOBase):
    """A disk with so much room; ``slow_s`` for each write."""

    def __init__(self, room: float = float("inf"), slow_s: float = 0.0) -> None:
        self.data, self.room, self.slow_s = bytearray(), room, slow_s
        self.stuck = threading.Event()

    def write(self, block: object) -> int:
        time.sleep(self.slow_s)
        data = bytes(block)  # type: ignore[call-overload]  # what RawIOBase takes
        fits = data[: max(0, int(min(self.room - len(self.data), len(data))))]
        if not fits:
            self.stuck.set()
            raise OSError(errno.ENOSPC, "No space left on device")
        self.data += fits
        return len(fits)

    def fileno(self) -> int:
        raise OSError("none")


def writer_on(disk: Disk, monkeypatch: pytest.MonkeyPatch, *, live: bool = True) -> SessionWriter:
    monkeypatch.setattr("th_vision.sessions.limits.CLOSE_PATIENCE_S", 0.2)
    monkeypatch.setattr("th_vision.sessions.limits.PENDING_BYTES", 60_000)
    monkeypatch.setattr("th_vision.sessions.limits.CHUNK_BYTES", 8_000)
    header = Header("s" * 32, "th-vision test", small.CAMERA, all_frames=True)
    return SessionWriter(disk, Path("game.mcap"), header, {}, live=live, color="jpeg", retry_s=0.01)


def test_a_full_disk_drops_frames_with_a_count_and_the_game_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = Disk(room=60_000)
    writer = writer_on(disk, monkeypatch)
    began = time.monotonic()
    for number in range(120):
        writer.frame(small.frame(number))
        time.sleep(0.001)
    assert disk.stuck.wait(5)
    assert time.monotonic() - began < 5
    assert "No space left on device" in " ".join(writer.troubles)
    disk.room = float("inf")  # somebody made room
    while writer.disk_error:
        time.sleep(0.01)
    for number in range(120, 130):
        writer.frame(small.frame(number))
        time.sleep(0.005)
    writer.game_line(PassFact(turn=1, player="blue"), 20.0)
    writer.close()
    (tmp_path / "game.mcap").write_bytes(disk.data)
    session = open_session(tmp_path / "game.mcap")
    numbers = [frame.number for frame in session.frames()]
    assert session.ended
    assert session.losses.frames == 0  # what was dropped never was in it; what is in it is whole
    assert len(numbers) == writer.counts.frames < 130
    assert writer.counts.dropped == 130 - writer.counts.frames
    assert numbers[-1] == 129
    assert [line["turn"] for _, line in session.game_lines()] == [1]


def test_a_disk_that_stays_full_leaves_a_file_that_is_readable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    disk = Disk(room=60_000)
    writer = writer_on(disk, monkeypatch)
    for number in range(60):
        writer.frame(small.frame(number))
        time.sleep(0.001)
    assert disk.stuck.wait(5)
    writer.close()
    assert "its end could not be written" in " ".join(writer.troubles)
    (tmp_path / "game.mcap").write_bytes(disk.data)
    session = open_session(tmp_path / "game.mcap")
    assert not session.ended
    numbers = [frame.number for frame in session.frames()]
    assert numbers == list(range(len(numbers)))
    assert len(numbers) >= 3


def test_a_slow_disk_drops_frames_and_never_holds_up_the_game(monkeypatch: pytest.MonkeyPatch) -> None:
    writer = writer_on(Disk(slow_s=0.03), monkeypatch)
    slowest = 0.0
    for number in range(100):
        began = time.monotonic()
        writer.frame(small.frame(number))
        slowest = max(slowest, time.monotonic() - began)
    assert slowest < 0.2
    writer.close()
    assert writer.counts.dropped > 0
    assert writer.counts.frames + writer.counts.dropped == 100
    assert "too slow" in " ".join(writer.troubles)


def test_a_file_as_source_waits_for_a_slow_disk_instead(monkeypatch: pytest.MonkeyPatch) -> None:
    writer = writer_on(Disk(slow_s=0.005), monkeypatch, live=False)
    for number in range(40):
        writer.frame(small.frame(number))
    writer.close()
    assert writer.counts.frames == 40
    assert writer.troubles == ()
