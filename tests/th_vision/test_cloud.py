"""A still view as a cloud lies in the table frame, in millimetres, in the colours of the picture."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from calibration.camera import Camera, Intrinsics
from calibration.table import TableCalibration
from th_vision.cloud import ply_bytes, table_cloud
from th_vision.frame import Frame
from th_vision.sources.cloud_file import read_cloud
from th_vision.sources.point_cloud import PointCloud, plane_calibration
from th_vision.still_view import StillView, fuse

GRID = Intrinsics(320, 240, 320.0, 320.0, 159.5, 119.5)
CAMERA = Camera("D435", GRID, GRID, depth_unit_mm=0.1)
HEIGHT_MM = 12.0


def above(distance_mm: float = 700.0) -> TableCalibration:
    T = np.diag([1.0, -1.0, -1.0, 1.0])
    T[2, 3] = distance_mm
    return plane_calibration(CAMERA, T)


def view_of_a_block() -> StillView:
    """A block of 12 mm height on the table, 100 x 60 px large, red; what else there is is green."""
    depth = np.full((240, 320), 7000, np.uint16)
    depth[90:150, 110:210] -= int(HEIGHT_MM * 10)
    color = np.zeros((240, 320, 3), np.uint8)
    color[..., 1] = 200
    color[90:150, 110:210] = (0, 0, 200)
    return fuse([Frame(0, 0.0, depth, color)] * 3, above())


def test_heights_are_those_above_the_table() -> None:
    points, bgr = table_cloud(view_of_a_block())
    assert bgr is not None
    red = bgr[:, 2] > 100
    assert np.median(points[red, 2]) == pytest.approx(HEIGHT_MM, abs=0.2)
    assert np.median(points[~red, 2]) == pytest.approx(0, abs=0.2)
    assert red.sum() == pytest.approx(6000, rel=0.05)
    # 60 px of 320 px focal length at 688 mm, x right and y up
    assert np.ptp(points[red, 1]) == pytest.approx(59 * 688 / 320, rel=0.02)


@pytest.mark.parametrize("colored", [True, False])
def test_ply_is_read_back_as_it_was_written(tmp_path: Path, colored: bool) -> None:
    points, bgr = table_cloud(view_of_a_block())
    path = tmp_path / "a.ply"
    path.write_bytes(ply_bytes(points, bgr if colored else None))
    cloud = read_cloud(path)
    np.testing.assert_allclose(cloud.points, points, atol=1e-3)
    assert (cloud.bgr is not None) == colored
    if colored:
        assert bgr is not None
        assert (cloud.bgr == bgr).all()


def test_a_cloud_that_was_written_can_be_a_source_again(tmp_path: Path) -> None:
    path = tmp_path / "a.ply"
    path.write_bytes(ply_bytes(*table_cloud(view_of_a_block())))
    source = PointCloud(path, frame="table")
    table = source.table()
    assert table is not None
    points, _ = table_cloud(fuse(list(source), table))
    high = points[points[:, 2] > HEIGHT_MM / 2]
    assert np.median(high[:, 2]) == pytest.approx(HEIGHT_MM, abs=0.2)
