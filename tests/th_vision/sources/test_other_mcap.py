"""Sessions that another program wrote: the contract's topics in Foxglove's schemas, and its metadata record."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from foxglove_schemas_protobuf.CameraCalibration_pb2 import CameraCalibration
from foxglove_schemas_protobuf.CompressedImage_pb2 import CompressedImage
from foxglove_schemas_protobuf.FrameTransform_pb2 import FrameTransform
from foxglove_schemas_protobuf.RawImage_pb2 import RawImage
from mcap_protobuf.writer import Writer

from th_vision.commands.record import run as record
from th_vision.errors import VisionError
from th_vision.sessions.inform import inform
from th_vision.sources import open_source
from th_vision.sources.mcap_messages import Told, paired

ABOUT = {"camera": "Intel RealSense D415", "serial": "7", "depth_scale": "0.0001"}
START_S = 1_700_000_000.0


def depth_of(number: int) -> np.ndarray[Any, Any]:
    """A depth picture that says which it is."""
    depth = np.full((24, 32), 6000, np.uint16)
    depth[0, 0] = number + 1
    return depth


def color_of(number: int) -> np.ndarray[Any, Any]:
    """A reddish picture (BGR) that says which it is."""
    return np.full((30, 40, 3), (10, 20 + number, 200), np.uint8)


def info(frame: str, width: int, height: int) -> CameraCalibration:
    return CameraCalibration(frame_id=frame, width=width, height=height, D=[0.1], K=[50, 0, 16, 0, 51, 12, 0, 0, 1])


def step(parent: str, child: str, x_m: float) -> FrameTransform:
    """Where one frame is in another: turned by 90 degrees about z, and shifted."""
    message = FrameTransform(parent_frame_id=parent, child_frame_id=child)
    message.translation.x = x_m
    message.rotation.z = message.rotation.w = float(np.sqrt(0.5))
    return message


def raw(picture: np.ndarray[Any, Any], encoding: str, frame: str, fill: int = 0) -> RawImage:
    """``fill``: bytes that fill up each row."""
    rows = picture.reshape(picture.shape[0], -1).view(np.uint8)
    data = np.pad(rows, ((0, 0), (0, fill)))
    height, width = picture.shape[:2]
    return RawImage(
        frame_id=frame, width=width, height=height, encoding=encoding, step=data.shape[1], data=data.tobytes()
    )


def packed(picture: np.ndarray[Any, Any], frame: str) -> CompressedImage:
    return CompressedImage(frame_id=frame, format="png", data=cv2.imencode(".png", picture)[1].tobytes())


def write(
    path: Path,
    *,
    frames: int = 5,
    about: dict[str, str] | None = None,
    raws: bool = False,
    tf: tuple[FrameTransform, ...] = (step("rig", "depth", 0.0), step("rig", "color", 0.015)),
    leave_out: str = "",
) -> Path:
    with open(path, "wb") as stream, Writer(stream, chunk_size=1500) as writer:
        writer._writer.add_metadata("th-vision", ABOUT if about is None else about)

        def put(topic: str, message: Any, time_s: float) -> None:
            if topic != leave_out:
                message.timestamp.seconds, message.timestamp.nanos = divmod(round(time_s * 1e9), 10**9)
                writer.write_message(topic, message, round(time_s * 1e9))

        put("/depth/camera_info", info("depth", 32, 24), START_S)
        put("/color/camera_info", info("color", 40, 30), START_S)
        for one in tf:
            put("/tf", one, START_S)
        for n in range(frames):
            time_s = START_S + n / 15
            if raws:
                put("/depth/image", raw(depth_of(n), "16UC1", "depth", 6), time_s)
                rgb = np.ascontiguousarray(color_of(n)[..., ::-1])
                put("/color/image", raw(rgb, "rgb8", "color", 2), time_s + 0.003)
            else:
                put("/depth/image", packed(depth_of(n), "depth"), time_s)
                put("/color/image", packed(color_of(n), "color"), time_s + 0.003)
    return path


@pytest.mark.parametrize("raws", [False, True])
def test_its_frames_are_read_as_they_are(tmp_path: Path, raws: bool) -> None:
    frames = list(open_source(str(write(tmp_path / "a.mcap", raws=raws))))
    assert [frame.time_s for frame in frames] == pytest.approx(np.arange(5) / 15, abs=1e-6)
    for n, frame in enumerate(frames):
        assert np.array_equal(frame.depth, depth_of(n))
        assert frame.color is not None
        assert np.array_equal(frame.color, color_of(n))


def test_its_camera_is_told_by_metadata_camera_infos_and_transforms(tmp_path: Path) -> None:
    camera = open_source(str(write(tmp_path / "a.mcap"))).camera
    assert (camera.model, camera.serial, camera.depth_unit_mm, camera.baseline_mm) == ("D415", "7", 0.1, 55.0)
    assert (camera.depth.width, camera.depth.fy, camera.depth.distortion) == (32, 51.0, (0.1, 0, 0, 0, 0))
    # both are turned alike in the rig; colour is 15 mm along the rig's x, which is -y of a camera turned by 90 degrees
    assert camera.T_color_depth[:3, :3] == pytest.approx(np.eye(3), abs=1e-12)
    assert camera.T_color_depth[:3, 3] == pytest.approx([0, 15, 0], abs=1e-9)


def test_a_file_that_was_cut_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    path = write(tmp_path / "a.mcap", frames=20, raws=True)
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    source = open_source(str(path))
    frames = list(source)
    assert 3 < len(frames) < 20
    assert all(np.array_equal(frame.depth, depth_of(n)) for n, frame in enumerate(frames))
    assert "cut before its end" in " ".join(getattr(source, "troubles", ()))


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"about": {}}, "has no depth_scale"),
        ({"about": {**ABOUT, "depth_scale": "1"}}, "metres for each depth unit"),
        ({"about": {"depth_scale": "0.001"}}, "has no camera"),
        ({"leave_out": "/depth/image"}, "has no depth on /depth/image"),
        ({"leave_out": "/depth/camera_info"}, "has no camera info on /depth/camera_info"),
        ({"tf": ()}, "where colour is to depth is not known"),
    ],
)
def test_what_it_does_not_tell_is_said_and_not_guessed(tmp_path: Path, options: dict[str, Any], says: str) -> None:
    with pytest.raises(VisionError, match=says):
        open_source(str(write(tmp_path / "a.mcap", **options)))


def test_without_colour_it_is_depth_alone(tmp_path: Path) -> None:
    source = open_source(str(write(tmp_path / "a.mcap", leave_out="/color/image", tf=())))
    assert source.camera.color is None
    assert [frame.color for frame in source] == [None] * 5


def test_info_says_what_is_in_it(tmp_path: Path) -> None:
    text = str(inform(write(tmp_path / "a.mcap"), check=True))
    assert "session of another program" in text
    assert "5, " in text


def test_recorded_anew_it_is_a_session_of_ours(tmp_path: Path) -> None:
    path, ours = write(tmp_path / "a.mcap"), tmp_path / "ours.mcap"
    record(
        str(path),
        ours,
        calibration=None,
        pieces=None,
        all_frames=True,
        exact_color=True,
        seconds=None,
        now="2026-01-01T00:00:00",
        tell=lambda _: None,
    )
    assert "all as they were recorded" in str(inform(ours, check=True))
    for before, after in zip(open_source(str(path)), open_source(str(ours)), strict=True):
        assert np.array_equal(before.depth, after.depth)
        assert before.time_s == pytest.approx(after.time_s, abs=1e-9)


def told(topic: str, time_s: float) -> Told:
    return Told(topic, time_s, None)


def test_colour_of_another_moment_is_not_shown_with_depth() -> None:
    """Colour comes at a third of the rate of depth: each goes with the depth picture that it belongs to."""
    pictures = sorted(
        [told("d", n / 30) for n in range(9)] + [told("c", 0.004 + n / 10) for n in range(3)],
        key=lambda one: one.time_s,
    )
    pairs = {
        round(depth.time_s * 30): None if color is None else round(color.time_s * 10)
        for depth, color in paired(pictures, "d")
    }
    assert pairs == {0: 0, 1: None, 2: None, 3: 1, 4: None, 5: None, 6: 2, 7: None, 8: None}
