"""A point cloud becomes the depth frame that a camera would have taken of it."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from calibration.camera import Camera, Intrinsics
from calibration.table import TableCalibration, transform
from th_vision.errors import VisionError
from th_vision.sources import open_source
from th_vision.sources.cloud_file import read_cloud
from th_vision.sources.point_cloud import PointCloud, plane_calibration

SIZE, FX = (160, 120), 100.0
TABLE_M, BOX_M = 0.7, 0.65  # Z of the table and of the top of a box on it, metres


def scene_m(noise_m: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """(h*w, 3) points of a table with a box, as a depth camera delivers them, and their (h*w, 3) RGB in 0..1."""
    u, v = np.meshgrid(np.arange(SIZE[0]), np.arange(SIZE[1]))
    z = np.where((np.abs(u - 80) < 20) & (np.abs(v - 60) < 10), BOX_M, TABLE_M)
    z = z + np.random.default_rng(3).normal(0, noise_m, z.shape)
    points = np.stack([(u - 79.5) / FX * z, (v - 59.5) / FX * z, z], axis=-1).reshape(-1, 3)
    colors = np.where((z < 0.68).reshape(-1, 1), [1.0, 0.2, 0.0], [0.4, 0.4, 0.4])
    return points, colors


def ply(path: Path, points: np.ndarray, colors: np.ndarray | None = None, form: str = "ascii") -> Path:
    """Write a PLY file by hand: the reader under test must not be checked by its own library's writer."""
    head = f"ply\nformat {form} 1.0\nelement vertex {len(points)}\n"
    head += "".join(f"property float {axis}\n" for axis in "xyz")
    head += "".join(f"property uchar {name}\n" for name in ("red", "green", "blue")) if colors is not None else ""
    head += "end_header\n"
    rgb = None if colors is None else np.rint(colors * 255).astype(np.uint8)
    if form == "ascii":
        rows = [" ".join(f"{value:.6f}" for value in point) for point in points]
        if rgb is not None:
            rows = [f"{row} {r} {g} {b}" for row, (r, g, b) in zip(rows, rgb, strict=True)]
        path.write_text(head + "\n".join(rows) + "\n")
        return path
    order = "<" if "little" in form else ">"
    kinds: list[tuple[str, str]] = [(axis, f"{order}f4") for axis in "xyz"]
    kinds += [] if rgb is None else [(name, "u1") for name in "rgb"]
    data = np.zeros(len(points), dtype=kinds)
    for i, axis in enumerate("xyz"):
        data[axis] = points[:, i]
    for i, name in enumerate("rgb" if rgb is not None else ""):
        assert rgb is not None
        data[name] = rgb[:, i]
    path.write_bytes(head.encode() + data.tobytes())
    return path


def pcd(path: Path, points: np.ndarray, *, grid: tuple[int, int] | None = None, binary: bool = False) -> Path:
    """Write a PCD file by hand; ``grid`` (width, height) makes it organised."""
    width, height = grid or (len(points), 1)
    head = (
        f"# .PCD v0.7\nVERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH {width}\nHEIGHT {height}\n"
        f"VIEWPOINT 0 0 0 1 0 0 0\nPOINTS {len(points)}\nDATA {'binary' if binary else 'ascii'}\n"
    )
    if binary:
        path.write_bytes(head.encode() + points.astype("<f4").tobytes())
    else:
        path.write_text(head + "\n".join(" ".join(f"{value:.6f}" for value in point) for point in points) + "\n")
    return path


def heights_mm(source: PointCloud) -> np.ndarray:
    """Depth of the source's one frame, mm, NaN where nothing is."""
    (frame,) = list(source)
    depth = frame.depth.astype(np.float64) * source.camera.depth_unit_mm
    depth[frame.depth == 0] = np.nan
    return depth


@pytest.mark.parametrize("form", ["ascii", "binary_little_endian", "binary_big_endian"])
@pytest.mark.parametrize("colored", [True, False])
def test_ply_of_a_camera_becomes_its_frame(tmp_path: Path, form: str, colored: bool) -> None:
    points, colors = scene_m()
    source = PointCloud(ply(tmp_path / "a b.ply", points, colors if colored else None, form))
    depth = heights_mm(source)
    assert np.nanpercentile(depth, 90) == pytest.approx(700, abs=0.06)
    assert np.nanmin(depth) == pytest.approx(650, abs=0.06)
    assert np.isfinite(depth[20:-20, 20:-20]).mean() > 0.9
    (frame,) = list(source)
    if not colored:
        assert frame.color is None
        return
    assert frame.color is not None
    assert np.abs(frame.color[depth < 680].astype(int) - (0, 51, 255)).max() <= 1  # BGR
    assert np.abs(frame.color[depth > 680].astype(int) - (102, 102, 102)).max() <= 1


@pytest.mark.parametrize("binary", [True, False])
def test_organised_pcd_keeps_its_own_grid(tmp_path: Path, binary: bool) -> None:
    points, _ = scene_m()
    points[:500] = np.nan
    source = PointCloud(pcd(tmp_path / "a.pcd", points, grid=SIZE, binary=binary))
    k = source.camera.depth
    assert (k.width, k.height) == SIZE
    assert (k.fx, k.fy, k.cx, k.cy) == pytest.approx((FX, FX, 79.5, 59.5), abs=0.01)
    expected = points[:, 2].reshape(SIZE[::-1]) * 1000
    np.testing.assert_allclose(heights_mm(source), expected, atol=0.06)


def test_unorganised_cloud_finds_a_focal_length_as_fine_as_its_points(tmp_path: Path) -> None:
    points, _ = scene_m()
    points = points[np.random.default_rng(1).permutation(len(points))]
    assert PointCloud(pcd(tmp_path / "a.pcd", points)).camera.depth.fx == pytest.approx(FX, rel=0.03)
    fine = np.repeat(points, 9, axis=0)
    spread = fine + np.random.default_rng(2).uniform(-0.002, 0.002, fine.shape) * [1, 1, 0]
    assert PointCloud(pcd(tmp_path / "b.pcd", spread, binary=True)).camera.depth.fx == pytest.approx(300, rel=0.1)


def test_nan_and_points_behind_the_camera_count_for_nothing(tmp_path: Path) -> None:
    points, _ = scene_m()
    points[::7] = np.nan
    points[3::50] = [0, 0, 0]
    points[5::50] = [0.1, 0.1, -0.7]
    points[11::50] = [np.inf, 0, 0.7]
    depth = heights_mm(PointCloud(ply(tmp_path / "a.ply", points)))
    assert set(np.unique(np.rint(depth[np.isfinite(depth)]))) == {650, 700}


def test_noise_of_points_in_one_pixel_is_averaged_not_picked(tmp_path: Path) -> None:
    """Nine points a pixel with 1 mm noise: the nearest of nine lies 1.5 mm too near, their mean does not."""
    one, _ = scene_m()
    rng = np.random.default_rng(0)
    many = np.concatenate([one * (1 + rng.normal(0, 0.001 / TABLE_M, (len(one), 1))) for _ in range(9)])
    table = plane_calibration(_camera(), _above(TABLE_M * 1000))
    depth = heights_mm(PointCloud(ply(tmp_path / "a.ply", many, form="binary_little_endian"), table=table))
    assert np.nanmedian(depth) == pytest.approx(700, abs=0.1)
    assert np.nanstd(depth[:30]) < 0.5


def test_near_surface_hides_the_far_one(tmp_path: Path) -> None:
    points, _ = scene_m()
    box = points[points[:, 2] < 0.68]
    under = box * (TABLE_M / BOX_M)  # the table below the box, along the same rays
    table = plane_calibration(_camera(), _above(TABLE_M * 1000))
    depth = heights_mm(PointCloud(ply(tmp_path / "a.ply", np.concatenate([points, under])), table=table))
    assert (np.abs(depth - 650) < 1).sum() == len(box)


def test_with_a_calibration_the_cloud_is_seen_by_that_camera(tmp_path: Path) -> None:
    points, colors = scene_m()
    color = Intrinsics(320, 240, 220.0, 220.0, 159.5, 119.5)
    T = np.eye(4)
    T[0, 3] = 15.0
    table = plane_calibration(replace(_camera(), color=color, T_color_depth=T), _above(700.0))
    source = PointCloud(ply(tmp_path / "a.ply", points, colors), table=table)
    np.testing.assert_allclose(heights_mm(source), points[:, 2].reshape(SIZE[::-1]) * 1000, atol=0.06)
    (frame,) = list(source)
    assert frame.color is not None
    assert frame.color.shape == (240, 320, 3)
    # The box's middle, through the colour camera 15 mm beside the depth camera.
    u, v = color.project(transform(T, np.array([0.0, 0.0, 650.0]))).round().astype(int)
    assert np.abs(frame.color[v, u].astype(int) - (0, 51, 255)).max() <= 1


class TestTableFrame:
    def points_mm(self) -> np.ndarray:
        """A table of 400 x 300 mm around (50, -20), with a block of 60 x 30 x 12 mm on it, 2 mm between points."""
        x, y = np.meshgrid(np.arange(-150.0, 250, 2), np.arange(-170.0, 130, 2))
        z = np.where((np.abs(x - 100) < 30) & (np.abs(y - 40) < 15), 12.0, 0.0)
        return np.stack([x, y, z], axis=-1).reshape(-1, 3)

    def test_heights_and_places_survive(self, tmp_path: Path) -> None:
        points = self.points_mm()
        source = PointCloud(ply(tmp_path / "a.ply", points), frame="table")
        table = source.table()
        assert table is not None
        (frame,) = list(source)
        v, u = np.nonzero(frame.depth)
        z = frame.depth[v, u] * source.camera.depth_unit_mm
        back = transform(
            table.T_table_depth, source.camera.depth.rays(np.stack([u, v], axis=1).astype(float)) * z[:, None]
        )
        high = back[back[:, 2] > 6]
        assert np.median(high[:, 2]) == pytest.approx(12, abs=0.1)
        assert np.median(back[back[:, 2] < 6][:, 2]) == pytest.approx(0, abs=0.1)
        assert high[:, :2].mean(axis=0) == pytest.approx([100, 40], abs=1.0)
        # right-handed and seen from above: x to the right, y up in the picture
        assert np.linalg.det(table.T_depth_table[:3, :3]) == pytest.approx(1)

    def test_it_brings_its_own_calibration_whose_map_is_the_plane(self, tmp_path: Path) -> None:
        source = PointCloud(ply(tmp_path / "a.ply", self.points_mm()), frame="table")
        table = source.table()
        assert isinstance(table, TableCalibration)
        expected = source.camera.disparity_gain / table.distance_mm
        np.testing.assert_allclose(table.empty.disparity_px, expected, rtol=1e-5)

    def test_metres_are_told_apart(self, tmp_path: Path) -> None:
        with pytest.raises(VisionError, match="it is in mm"):
            PointCloud(ply(tmp_path / "a.ply", self.points_mm() / 1000), frame="table")


def test_cloud_in_the_camera_frame_has_no_calibration_of_its_own(tmp_path: Path) -> None:
    assert PointCloud(ply(tmp_path / "a.ply", scene_m()[0])).table() is None


def _camera() -> Camera:
    return Camera("D435", Intrinsics(*SIZE, FX, FX, 79.5, 59.5), None, depth_unit_mm=0.1)


def _above(distance_mm: float) -> np.ndarray:
    T = np.diag([1.0, -1.0, -1.0, 1.0])
    T[2, 3] = distance_mm
    return T


def _with_head(old: str, new: str) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(path.read_bytes().replace(old.encode(), new.encode(), 1))


BROKEN_PLY: list[tuple[str, Callable[[Path], object]]] = [
    ("is empty (0 bytes)", lambda path: path.write_bytes(b"")),
    ("is no PLY file", lambda path: path.write_text("solid cube\n")),
    ("is no PLY file", lambda path: path.write_bytes(path.read_bytes()[:60])),
    ("cut short", lambda path: path.write_bytes(path.read_bytes()[:-400])),
    ("cut short", _with_head("vertex 19200", "vertex 99999999999")),
    ("whole number", _with_head("vertex 19200", "vertex -3")),
    ("whole number", _with_head("vertex 19200", "vertex many")),
    ("holds no points", _with_head("vertex 19200", "vertex 0")),
    ("does not begin with its points", _with_head("element vertex", "element face")),
    ("two properties of one name", _with_head("end_header", "property float x\nend_header")),
    ("no PLY format", _with_head("binary_little_endian", "binary_middle_endian")),
    ("no x, y, z", _with_head("property float z", "property float w")),
    ("property 'list uchar int z'", _with_head("property float z", "property list uchar int z")),
]


@pytest.mark.parametrize(("says", "break_it"), BROKEN_PLY)
def test_a_broken_ply_is_refused_by_name(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], says: str, break_it: Callable[[Path], object]
) -> None:
    path = ply(tmp_path / "cloud.ply", scene_m()[0], form="binary_little_endian")
    break_it(path)
    with pytest.raises(VisionError, match=re.escape(says)) as caught:
        PointCloud(path)
    assert str(caught.value).startswith(str(path))
    assert capfd.readouterr() == ("", "")


BROKEN_PCD: list[tuple[str, Callable[[Path], object]]] = [
    ("is empty (0 bytes)", lambda path: path.write_bytes(b"")),
    ("is no PCD file", lambda path: path.write_text("VERSION 0.7\n")),
    ("cut short", lambda path: path.write_bytes(path.read_bytes()[:-400])),
    ("is not WIDTH x HEIGHT", _with_head("WIDTH 160", "WIDTH 16000000")),
    ("whole number", _with_head("HEIGHT 120", "HEIGHT -120")),
    ("no SIZE line", _with_head("SIZE 4 4 4\n", "")),
    ("different lengths", _with_head("SIZE 4 4 4", "SIZE 4 4")),
    ("can't be", _with_head("SIZE 4 4 4", "SIZE 4 4 3")),
    ("no x, y, z", _with_head("FIELDS x y z", "FIELDS x y intensity")),
    ("DATA is 'zip'", _with_head("DATA binary", "DATA zip")),
    ("cut short", _with_head("DATA binary", "DATA binary_compressed")),
]


@pytest.mark.parametrize(("says", "break_it"), BROKEN_PCD)
def test_a_broken_pcd_is_refused_by_name(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], says: str, break_it: Callable[[Path], object]
) -> None:
    path = pcd(tmp_path / "cloud.pcd", scene_m()[0], grid=SIZE, binary=True)
    break_it(path)
    with pytest.raises(VisionError) as caught:
        PointCloud(path)
    assert str(caught.value).startswith(str(path))
    assert says in str(caught.value)
    assert capfd.readouterr() == ("", "")


def test_ascii_that_is_no_number_is_refused(tmp_path: Path) -> None:
    path = ply(tmp_path / "a.ply", scene_m()[0])
    path.write_text(path.read_text().replace("0.7", "O.7", 1))
    with pytest.raises(VisionError, match="a point can't be read"):
        PointCloud(path)


@pytest.mark.parametrize("form", ["a.ply", "a.pcd", "compressed.pcd"])
def test_files_of_a_library_are_read_as_it_reads_them(tmp_path: Path, form: str) -> None:
    import open3d as o3d

    points, colors = scene_m(0.001)
    cloud = o3d.geometry.PointCloud(o3d.utility.Vector3dVector(points))
    cloud.colors = o3d.utility.Vector3dVector(colors)
    path = tmp_path / form
    assert o3d.io.write_point_cloud(str(path), cloud, compressed="compressed" in form)
    ours = read_cloud(path)
    np.testing.assert_allclose(ours.points, points, atol=1e-6)
    assert ours.bgr is not None
    assert np.abs(ours.bgr[:, ::-1] / 255 - colors).max() <= 1 / 255


def test_damage_of_compressed_data_is_refused_or_harmless(tmp_path: Path) -> None:
    import open3d as o3d

    path = tmp_path / "a.pcd"
    cloud = o3d.geometry.PointCloud(o3d.utility.Vector3dVector(scene_m()[0]))
    assert o3d.io.write_point_cloud(str(path), cloud, compressed=True)
    whole = path.read_bytes()
    rng = np.random.default_rng(9)
    for at in rng.integers(0, len(whole), 40):
        damaged = bytearray(whole)
        damaged[at] ^= 1 << int(rng.integers(8))
        path.write_bytes(bytes(damaged))
        with contextlib.suppress(VisionError):
            assert len(read_cloud(path).points) == SIZE[0] * SIZE[1]


@pytest.mark.parametrize(
    ("points", "says"),
    [
        (np.full((50, 3), np.nan), "no point with finite"),
        (np.zeros((50, 3)), "behind the camera"),
        (scene_m()[0] * [1, -1, -1], "behind the camera"),
        (scene_m()[0] * 1000, "is in metres"),
    ],
)
def test_points_that_can_not_be_in_a_cameras_frame_are_refused(tmp_path: Path, points: np.ndarray, says: str) -> None:
    with pytest.raises(VisionError, match=says):
        PointCloud(ply(tmp_path / "a.ply", points))


def test_an_unknown_frame_is_refused(tmp_path: Path) -> None:
    with pytest.raises(VisionError, match="--frame world"):
        open_source(str(ply(tmp_path / "a.ply", scene_m()[0])), frame="world")
