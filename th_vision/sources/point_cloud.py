"""One point cloud (``.ply``, ``.pcd``) as a source of one frame: what a camera would have seen of it.

The cloud is in the frame of a depth camera (metres, z forward) or, with ``frame="table"``, in the table frame
(mm, z up). It is projected into a pinhole camera, so that all that comes after sees a frame like any other: into
the camera of the calibration where there is one, else into a virtual camera that fits the cloud.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from calibration.camera import DEFAULT_BASELINE_MM, Camera, Intrinsics
from calibration.table import EmptyTable, TableCalibration, transform
from th_vision.errors import VisionError
from th_vision.frame import Frame
from th_vision.sources.cloud_file import Cloud, read_cloud
from th_vision.sources.splat import splat_color, splat_depth
from th_vision.tolerances import ORGANISED_FIT_PX

Array = NDArray[np.float64]

FRAMES = ("camera", "table")
MODEL = "point cloud"
# The virtual camera: depth unit; focal length in pixels within what D400 cameras have; as high as a real one hangs.
_UNIT_MM = 0.1
_FX_RANGE_PX = (50.0, 1400.0)
_HEIGHT_MM = 700.0
_MARGIN_PX = 16
_MAX_SIDE_PX = 4096
_NATIVE_FX_PX = 645.0
# A table game in metres is a few hundred mm from the camera; what is farther than this is not in metres.
_MAX_DISTANCE_M = 20.0
_MIN_DISTANCE_MM = 10.0  # no camera sees nearer; such points only spoil the field of view
_MIN_TABLE_EXTENT_MM = 5.0
_MAX_TABLE_EXTENT_MM = 20_000.0  # no table is wider or higher; a virtual camera for more would fill the memory
_EMPTY_SIGMA_PX = 0.02


class PointCloud:
    """A cloud file as a source. ``table`` gives the camera to project into (and, for the table frame, its pose).

    Raises:
        VisionError: the file is missing, damaged, empty, or its points can't be in the frame and unit asked for.
    """

    def __init__(self, path: Path, *, frame: str = "camera", table: TableCalibration | None = None) -> None:
        if frame not in FRAMES:
            raise VisionError(f"--frame {frame}: is unknown; a cloud is in the frame {' or '.join(FRAMES)}")
        self._path = path
        cloud = read_cloud(path)
        finite = np.asarray(np.isfinite(cloud.points).all(axis=1), dtype=np.bool_)
        if not finite.any():
            raise VisionError(f"{path}: holds no point with finite x, y, z; record it again")
        if frame == "camera":
            self._T_depth_table = None
            points_mm = _camera_points(path, cloud.points, finite)
            camera = _raw(table) if table else _fitted_camera(points_mm, finite, cloud)
        else:
            camera, self._T_depth_table = (
                (table.camera, table.T_depth_table) if table else _camera_above(path, cloud, finite)
            )
            points_mm = transform(self._T_depth_table, cloud.points)
        self._camera = camera
        seen = points_mm[finite]
        depth = splat_depth(seen, camera.depth, camera.depth_unit_mm)
        if not depth.any():
            raise VisionError(f"{path}: no point lies in the camera's view; check the frame (--frame camera or table)")
        color = None
        if cloud.bgr is not None and camera.color is not None:
            color = splat_color(transform(camera.T_color_depth, seen), cloud.bgr[finite], camera.color)
        self._frame = Frame(0, 0.0, depth, color)

    @property
    def name(self) -> str:
        """The file as the user gave it."""
        return str(self._path)

    @property
    def camera(self) -> Camera:
        """The camera that the cloud was projected into."""
        return self._camera

    def __iter__(self) -> Iterator[Frame]:
        yield self._frame

    def table(self) -> TableCalibration | None:
        """The calibration that a cloud in the table frame brings along: a plane, exactly known. Else None."""
        if self._T_depth_table is None:
            return None
        return plane_calibration(self._camera, self._T_depth_table)


def plane_calibration(camera: Camera, T_depth_table: Array) -> TableCalibration:
    """A calibration whose empty-table map is the plane z = 0 as ``camera`` sees it."""
    k = camera.depth
    v, u = np.mgrid[0 : k.height, 0 : k.width]
    rays = k.rays(np.stack([u, v], axis=-1).astype(np.float64))
    normal, origin = T_depth_table[:3, 2], T_depth_table[:3, 3]
    with np.errstate(divide="ignore", invalid="ignore"):
        z = (normal @ origin) / (rays @ normal)
        disparity = np.where(z > 0, camera.disparity_gain / z, np.nan).astype(np.float32)
    shape = disparity.shape
    empty = EmptyTable(disparity, np.full(shape, _EMPTY_SIGMA_PX, np.float32), None, np.zeros(shape, np.bool_))
    return TableCalibration(camera, T_depth_table, empty, {})


def _raw(table: TableCalibration) -> Camera:
    """The calibration's camera with the depth unit that it delivers: the camera made the cloud, not the calibration."""
    from calibration.table_file import then_scale

    return replace(table.camera, depth_unit_mm=table.camera.depth_unit_mm / then_scale(table))


def _camera_points(path: Path, points_m: Array, finite: NDArray[np.bool_]) -> Array:
    """Metres to mm, refused where they can't be metres before a camera."""
    z = points_m[finite, 2]
    if (z <= _MIN_DISTANCE_MM / 1000).all():
        raise VisionError(
            f"{path}: all points lie behind the camera; its frame has z forward and y down (some viewers write both "
            "turned round: multiply y and z by -1)"
        )
    if float(np.median(z[z > 0])) > _MAX_DISTANCE_M:
        raise VisionError(
            f"{path}: the points are {np.median(z[z > 0]):.0f} m away; a cloud in the camera's frame is in metres "
            "(in the table frame, with --frame table, in mm)"
        )
    return points_m * 1000


def _fitted_camera(points_mm: Array, finite: NDArray[np.bool_], cloud: Cloud) -> Camera:
    """The pinhole camera of an organised cloud, or a virtual one about as fine as the points are."""
    organised = _organised(points_mm, finite, cloud)
    if organised:
        return _camera(organised, cloud.bgr is not None)
    seen = points_mm[finite & (points_mm[:, 2] > _MIN_DISTANCE_MM)]
    xy = seen[:, :2] / seen[:, 2:]
    low, high = np.percentile(xy, [0.1, 99.9], axis=0)
    extent = np.maximum(high - low, 1e-3)
    return _camera(_covering(low, high, float(np.sqrt(len(seen) / extent.prod()))), cloud.bgr is not None)


def _organised(points_mm: Array, finite: NDArray[np.bool_], cloud: Cloud) -> Intrinsics | None:
    """Intrinsics that put every point of a grid on its own pixel; None where the cloud is no such grid."""
    if cloud.height < 2 or cloud.width < 2:
        return None
    good = finite & (points_mm[:, 2] > 0)
    if good.sum() < 100:
        return None
    v, u = np.divmod(np.flatnonzero(good), cloud.width)
    fits = []
    for pixel, axis in ((u, 0), (v, 1)):
        A = np.stack([points_mm[good, axis] / points_mm[good, 2], np.ones(len(pixel))], axis=1)
        beta, _, rank, _ = np.linalg.lstsq(A, pixel.astype(np.float64), rcond=None)
        if rank < 2 or beta[0] <= 0 or np.abs(A @ beta - pixel).max() > ORGANISED_FIT_PX:
            return None
        fits.append(beta)
    (fx, cx), (fy, cy) = fits
    return Intrinsics(cloud.width, cloud.height, float(fx), float(fy), float(cx), float(cy))


def _camera_above(path: Path, cloud: Cloud, finite: NDArray[np.bool_]) -> tuple[Camera, Array]:
    """A virtual camera that looks straight down on a cloud in the table frame, and the table's pose in it."""
    points = cloud.points[finite]
    low, high = np.percentile(points[:, :2], [0.1, 99.9], axis=0)
    extent = high - low
    if extent.max() < _MIN_TABLE_EXTENT_MM:
        raise VisionError(
            f"{path}: the cloud is {extent.max():.2g} mm wide; in the table frame it is in mm (in the camera's frame, "
            "without --frame table, in metres)"
        )
    size = float(np.ptp(np.percentile(points, [0.1, 99.9], axis=0), axis=0).max())
    if size > _MAX_TABLE_EXTENT_MM:
        raise VisionError(
            f"{path}: the cloud is {size / 1000:.3g} m large, no table is; in the table frame it is in mm, and points "
            "that lie far off must be cut away"
        )
    centre = (low + high) / 2
    top = float(np.percentile(points[:, 2], 99.9))
    height = max(_HEIGHT_MM, 2 * top)
    T = np.array(
        [[1, 0, 0, -centre[0]], [0, -1, 0, centre[1]], [0, 0, -1, height], [0, 0, 0, 1]],
        dtype=np.float64,
    )
    half = np.maximum(extent, 1.0) / 2 / (height - max(top, 0.0))
    density = len(points) / float(np.maximum(extent, 1.0).prod())
    return _camera(_covering(-half, half, height * float(np.sqrt(density))), cloud.bgr is not None), T


def _covering(low: Array, high: Array, fx: float) -> Intrinsics:
    """Intrinsics whose view covers the directions x/z, y/z from ``low`` to ``high``, (2,) each."""
    fx = float(np.clip(fx, *_FX_RANGE_PX))
    fx = min(fx, (_MAX_SIDE_PX - 2 * _MARGIN_PX) / float((high - low).max()))
    width, height = (int(np.ceil(side * fx)) + 2 * _MARGIN_PX for side in high - low)
    return Intrinsics(width, height, fx, fx, float(_MARGIN_PX - low[0] * fx), float(_MARGIN_PX - low[1] * fx))


def _camera(intrinsics: Intrinsics, has_color: bool) -> Camera:
    return Camera(
        model=MODEL,
        depth=intrinsics,
        color=intrinsics if has_color else None,
        depth_unit_mm=_UNIT_MM,
        baseline_mm=DEFAULT_BASELINE_MM,
        kernel_scale=intrinsics.fx / _NATIVE_FX_PX,
    )
