"""A folder of images is read as it says, and whatever is wrong with it is one line that names the file."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.th_vision.sources.folders import DEPTH_SIZE, RECORDING, depth_frame, open3d_folder, own_folder, write_depth
from th_vision.errors import VisionError
from th_vision.sources import open_source
from th_vision.sources.image_folder import ImageFolder


def refused(folder: Path) -> str:
    """The one line with which reading a folder, or its frames, ends."""
    with pytest.raises(VisionError) as caught:
        list(open_source(str(folder)))
    line = str(caught.value)
    assert "\n" not in line
    return line


class TestOwnForm:
    def test_frames_come_in_order_with_their_times_and_bits(self, tmp_path: Path) -> None:
        frames = list(open_source(str(own_folder(tmp_path / "a game"))))
        assert [frame.number for frame in frames] == [0, 1, 2]
        assert [frame.time_s for frame in frames] == [10.0, 10.1, 10.25]
        for number, frame in enumerate(frames):
            assert frame.depth.dtype == np.uint16
            assert (frame.depth == depth_frame(number)).all()
            assert frame.color is not None
            assert frame.color.shape == (54, 96, 3)
            assert np.abs(frame.color.astype(int) - (10 * number, 100, 200)).max() < 6  # BGR, through JPEG

    def test_camera_is_in_millimetres(self, tmp_path: Path) -> None:
        camera = ImageFolder(own_folder(tmp_path)).camera
        assert camera.model == "D435"
        assert camera.serial == "0123"
        assert camera.depth_unit_mm == pytest.approx(0.1)
        assert camera.baseline_mm == 50
        assert camera.kernel_scale == 1
        assert camera.T_color_depth[0, 3] == pytest.approx(15)
        assert camera.color is not None
        assert camera.color.distortion == (0.1, 0, 0, 0, 0)

    def test_frames_are_read_one_by_one(self, tmp_path: Path) -> None:
        folder = own_folder(tmp_path)
        (folder / "depth" / "000002.png").write_bytes(b"")
        frames = iter(open_source(str(folder)))
        assert next(frames).number == 0
        assert next(frames).number == 1
        with pytest.raises(VisionError, match=re.escape("000002.png: is empty")):
            next(frames)

    def test_a_source_can_be_read_again(self, tmp_path: Path) -> None:
        source = open_source(str(own_folder(tmp_path)))
        assert len(list(source)) == len(list(source)) == 3

    def test_depth_alone_will_do(self, tmp_path: Path) -> None:
        folder = own_folder(tmp_path, color=False, color_intrinsics=..., T_color_depth=...)
        assert all(frame.color is None for frame in open_source(str(folder)))

    def test_without_timestamps_the_frame_rate_counts(self, tmp_path: Path) -> None:
        times = [frame.time_s for frame in open_source(str(own_folder(tmp_path, timestamps=...)))]
        assert times == pytest.approx([0, 1 / 15, 2 / 15])

    def test_numbers_sort_as_numbers(self, tmp_path: Path) -> None:
        folder = own_folder(tmp_path, color=False, color_intrinsics=..., T_color_depth=...)
        for number, name in ((0, "2"), (1, "10"), (2, "9")):
            (folder / "depth" / f"{number:06}.png").rename(folder / "depth" / f"{name}.png")
        assert [frame.number for frame in open_source(str(folder))] == [2, 9, 10]

    def test_hidden_files_and_notes_are_no_frames(self, tmp_path: Path) -> None:
        folder = own_folder(tmp_path)
        (folder / "depth" / ".000003.png.part").write_bytes(b"x")
        (folder / "depth" / "notes.txt").write_text("lamp on the left")
        assert len(list(open_source(str(folder)))) == 3


class TestOpen3DForm:
    def test_matrix_is_column_major_and_depth_aligned(self, tmp_path: Path) -> None:
        camera = ImageFolder(open3d_folder(tmp_path)).camera
        assert (camera.depth.fx, camera.depth.fy, camera.depth.cx, camera.depth.cy) == (60, 61, 31.5, 23.5)
        assert camera.color == camera.depth
        assert (camera.T_color_depth == np.eye(4)).all()
        assert camera.depth_unit_mm == pytest.approx(1)

    def test_recording_json_may_say_otherwise(self, tmp_path: Path) -> None:
        folder = open3d_folder(tmp_path, recording={"depth_scale": 0.0002, "timestamps": [1, 2, 3], "camera": "D415"})
        source = ImageFolder(folder)
        assert source.camera.depth_unit_mm == pytest.approx(0.2)
        assert source.camera.model == "D415"
        assert [frame.time_s for frame in source] == [1, 2, 3]

    @pytest.mark.parametrize(("model", "native_fx"), [("D415", 943), ("Intel RealSense D435I", 645), ("", 645)])
    def test_kernel_is_as_much_wider_as_the_grid_is_finer(self, tmp_path: Path, model: str, native_fx: float) -> None:
        camera = ImageFolder(open3d_folder(tmp_path, recording={"camera": model})).camera
        assert camera.kernel_scale == pytest.approx(60 / native_fx)
        # f*B stays the sensor's own, whatever grid its depth was laid on.
        assert camera.disparity_gain == pytest.approx(native_fx * camera.baseline_mm)

    def test_row_major_matrix_is_told_apart(self, tmp_path: Path) -> None:
        folder = open3d_folder(tmp_path, intrinsic_matrix=[60, 0, 31.5, 0, 60, 23.5, 0, 0, 1])
        assert "column by column" in refused(folder)

    @pytest.mark.parametrize(
        ("changes", "names"),
        [
            ({"intrinsic_matrix": [60, 0, 0, 0, 60, 0, 31]}, "intrinsic_matrix"),
            ({"intrinsic_matrix": [0, 0, 0, 0, 60, 0, 31, 23, 1]}, "intrinsic_matrix"),
            ({"intrinsic_matrix": [60, 0, 0, 0, 60, 0, 31, 23, 2]}, "intrinsic_matrix"),
            ({"intrinsic_matrix": "60"}, "intrinsic_matrix"),
            ({"width": 0}, "width"),
            ({"width": 65}, "64x48"),
            ({"height": "48"}, "height"),
        ],
    )
    def test_what_can_not_be_is_refused(self, tmp_path: Path, changes: dict[str, object], names: str) -> None:
        assert names in refused(open3d_folder(tmp_path, **changes))


BROKEN_RECORDINGS: list[tuple[str, dict[str, object]]] = [
    *((key, {key: ...}) for key in ("depth_scale", "fps", "camera", "depth_intrinsics")),
    ("color_intrinsics", {"color_intrinsics": ...}),
    ("T_color_depth", {"T_color_depth": ...}),
    *(
        (
            f"depth_intrinsics.{key}",
            {"depth_intrinsics": {k: v for k, v in RECORDING["depth_intrinsics"].items() if k != key}},
        )
        for key in RECORDING["depth_intrinsics"]
    ),
    *(
        (f"{which}.{key}", {which: {**RECORDING[which], key: value}})
        for which in ("depth_intrinsics", "color_intrinsics")
        for key, value in (
            ("fx", 0),
            ("fy", -600),
            ("fx", math.nan),
            ("cx", math.inf),
            ("cy", "23"),
            ("width", 0),
            ("width", 64.5),
            ("height", True),
            ("distortion", [0, 0, 0, 0]),
            ("distortion", None),
        )
    ),
    ("depth_scale", {"depth_scale": 0}),
    ("depth_scale", {"depth_scale": -0.001}),
    ("depth_scale", {"depth_scale": math.nan}),
    ("depth_scale", {"depth_scale": "0.001"}),
    ("depth_scale", {"depth_scale": None}),
    ("depth_scale", {"depth_scale": 1000}),  # units to a metre, not metres to a unit
    ("fps", {"fps": 0}),
    ("fps", {"fps": []}),
    ("camera", {"camera": 435}),
    ("depth_intrinsics", {"depth_intrinsics": [64, 48]}),
    ("timestamps", {"timestamps": [10.0, 10.1]}),
    ("timestamps", {"timestamps": [10.0, 10.1, 10.2, 10.3]}),
    ("timestamps[2]", {"timestamps": [10.0, 10.1, 10.1]}),
    ("timestamps[1]", {"timestamps": [10.0, 9.9, 10.1]}),
    ("timestamps", {"timestamps": [10.0, math.nan, 10.1]}),
    ("timestamps", {"timestamps": "now"}),
    ("T_color_depth", {"T_color_depth": [[1, 0, 0, 0]] * 3}),
    ("T_color_depth", {"T_color_depth": [[1, 0, 0, 0]] * 4}),
    ("T_color_depth", {"T_color_depth": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]}),
    ("T_color_depth", {"T_color_depth": [[-1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]}),  # a mirror
    ("T_color_depth", {"T_color_depth": [[1, 0, 0, 15.0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]}),  # in mm
    ("T_color_depth", {"T_color_depth": [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0.015, 0, 0, 1]]}),  # transposed
]


@pytest.mark.parametrize(("names", "changes"), BROKEN_RECORDINGS)
def test_recording_json_is_refused_by_the_key_that_is_wrong(
    tmp_path: Path, names: str, changes: dict[str, object]
) -> None:
    line = refused(own_folder(tmp_path, **changes))
    assert "recording.json: " in line
    assert names in line


@pytest.mark.parametrize("text", ["", "  \n", "{", "[]", "null", "\x00", '{"depth_scale": }', "[" * 100_000])
def test_recording_json_that_is_no_object_is_refused(tmp_path: Path, text: str) -> None:
    folder = own_folder(tmp_path)
    (folder / "recording.json").write_text(text)
    assert refused(folder).startswith(f"{folder / 'recording.json'}: ")


def test_recording_json_that_is_no_text_is_refused(tmp_path: Path) -> None:
    folder = own_folder(tmp_path)
    (folder / "recording.json").write_bytes(b"\xff\xfe\x00")
    assert "recording.json" in refused(folder)


def _damage(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0xFF
    path.write_bytes(bytes(data))


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-20])


BROKEN_FRAMES: list[tuple[str, str, Callable[[Path], object]]] = [
    ("depth/000001.png", "no depth frame", lambda f: (f / "depth/000001.png").unlink()),
    ("color/000001", "no colour frame", lambda f: (f / "color/000001.jpg").unlink()),
    ("color/000007.jpg", "no depth frame", lambda f: (f / "color/000002.jpg").rename(f / "color/000007.jpg")),
    (
        "color/000001.png",
        "second picture",
        lambda f: write_depth(f / "color/000001.png", np.zeros((54, 96, 3), np.uint8)),
    ),
    ("depth/000001.png", "empty (0 bytes)", lambda f: (f / "depth/000001.png").write_bytes(b"")),
    ("color/000001.jpg", "empty (0 bytes)", lambda f: (f / "color/000001.jpg").write_bytes(b"")),
    ("depth/000001.png", "is 8-bit grey", lambda f: write_depth(f / "depth/000001.png", np.zeros((48, 64), np.uint8))),
    (
        "depth/000001.png",
        "is 16-bit colour",
        lambda f: write_depth(f / "depth/000001.png", np.zeros((48, 64, 3), np.uint16)),
    ),
    ("depth/000001.png", "62x48", lambda f: write_depth(f / "depth/000001.png", depth_frame(1, (62, 48)))),
    ("depth/000001.png", "48x64", lambda f: write_depth(f / "depth/000001.png", depth_frame(1, DEPTH_SIZE[::-1]))),
    ("color/000001.jpg", "64x48", lambda f: write_depth(f / "color/000001.jpg", np.zeros((48, 64, 3), np.uint8))),
    ("color/000001.jpg", "not a colour", lambda f: write_depth(f / "color/000001.jpg", np.zeros((54, 96), np.uint8))),
    (
        "depth/000001.png",
        "not a PNG",
        lambda f: (f / "depth/000001.png").write_bytes((f / "color/000001.jpg").read_bytes()),
    ),
    ("depth/000001.png", "not a PNG", lambda f: (f / "depth/000001.png").write_text("depth")),
    ("color/000001.jpg", "neither", lambda f: (f / "color/000001.jpg").write_text("<html>")),
    ("depth/000001.png", "cut short", lambda f: _cut(f / "depth/000001.png")),
    ("depth/000001.png", "cut short", lambda f: (f / "depth/000001.png").write_bytes(b"\x89PNG\r\n\x1a\n")),
    ("depth/000001.png", "damaged", lambda f: _damage(f / "depth/000001.png")),
    ("color/000001.jpg", "cut short", lambda f: _cut(f / "color/000001.jpg")),
    ("depth/000001.tiff", "wrong kind", lambda f: (f / "depth/000001.png").rename(f / "depth/000001.tiff")),
    ("color/000001.bmp", "wrong kind", lambda f: (f / "color/000001.jpg").rename(f / "color/000001.bmp")),
]


@pytest.mark.parametrize(("file", "says", "break_it"), BROKEN_FRAMES)
def test_a_broken_frame_is_refused_by_name(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], file: str, says: str, break_it: Callable[[Path], object]
) -> None:
    folder = own_folder(tmp_path)
    break_it(folder)
    line = refused(folder)
    assert file in line or "depth/000001.png" in line
    assert says in line
    assert capfd.readouterr() == ("", "")  # image libraries must not add lines of their own


def test_damage_anywhere_in_a_depth_frame_never_gives_other_depths(tmp_path: Path) -> None:
    folder = own_folder(tmp_path)
    path = folder / "depth" / "000001.png"
    whole = path.read_bytes()
    rng = np.random.default_rng(5)
    for at in rng.integers(0, len(whole), 60):
        data = bytearray(whole)
        data[at] ^= 1 << int(rng.integers(8))
        path.write_bytes(bytes(data))
        refused(folder)


@pytest.mark.parametrize("empty", ["", "depth", "depth color"])
def test_an_empty_folder_is_refused(tmp_path: Path, empty: str) -> None:
    for name in empty.split():
        (tmp_path / name).mkdir()
    (tmp_path / "recording.json").write_text(json.dumps(RECORDING))
    line = refused(tmp_path)
    assert "has no depth/ folder" in line or "holds no frames" in line


def test_colour_without_depth_is_refused(tmp_path: Path) -> None:
    folder = own_folder(tmp_path)
    for path in (folder / "depth").iterdir():
        path.unlink()
    assert "color/000000.jpg: has no depth frame" in refused(folder)


def test_a_folder_that_says_nothing_of_its_camera_is_refused(tmp_path: Path) -> None:
    folder = own_folder(tmp_path)
    (folder / "recording.json").unlink()
    assert "neither recording.json nor camera_intrinsic.json" in refused(folder)


def test_frames_of_two_sizes_are_refused(tmp_path: Path) -> None:
    folder = own_folder(tmp_path)
    write_depth(folder / "depth" / "000002.png", depth_frame(2, (80, 60)))
    assert "000002.png: is 80x60 px, expected 64x48" in refused(folder)


@pytest.mark.parametrize("spec", ["", "nowhere", "nowhere/", "nowhere.ply"])
def test_what_is_not_there_is_refused(spec: str) -> None:
    with pytest.raises(VisionError, match="there is no such file or folder"):
        open_source(spec)


def test_a_file_of_no_known_kind_is_refused(tmp_path: Path) -> None:
    (tmp_path / "game.mp4").write_bytes(b"x")
    with pytest.raises(VisionError, match=r"game\.mp4: is no kind of source"):
        open_source(str(tmp_path / "game.mp4"))


def test_cv2_reads_sixteen_bits_unchanged(tmp_path: Path) -> None:
    """The whole range of a depth frame survives, not only what the eye sees."""
    folder = own_folder(tmp_path)
    full = np.linspace(0, 65535, 64 * 48).astype(np.uint16).reshape(48, 64)
    assert cv2.imwrite(str(folder / "depth" / "000000.png"), full)
    assert (next(iter(open_source(str(folder)))).depth == full).all()
