"""The table as calibration left it: pose, empty-table map, quality. What ``table.toml`` and the map beside it hold."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from calibration.camera import Box, Camera

Array = NDArray[np.float64]


@dataclass(frozen=True)
class EmptyTable:
    """What the camera saw of the empty table, per pixel of the native depth grid.

    ``disparity_px``: (h, w) float32, disparity in native pixels, NaN where nothing was seen.
    ``sigma_px``: (h, w) float32, one standard deviation of that mean.
    ``color_bgr``: (hc, wc, 3) uint8 mean colour image, or None.
    ``measured``: (h, w) bool, False where the value is the plane's, not an observation.
    """

    disparity_px: NDArray[np.float32]
    sigma_px: NDArray[np.float32]
    color_bgr: NDArray[np.uint8] | None
    measured: NDArray[np.bool_]


@dataclass(frozen=True)
class TableCalibration:
    """Pose and map of one table for one camera. ``T_depth_table`` takes table-frame points (mm) to the depth camera."""

    camera: Camera
    T_depth_table: Array
    empty: EmptyTable
    residuals_mm: dict[str, float] = field(default_factory=dict)
    made_at: str = ""
    temperature_c: float | None = None

    def window(self, depth: Box, color: Box) -> TableCalibration:
        """The same as a camera would have it that sees but a part of each picture: boxes (u0, v0, u1, v1), px."""
        (u0, v0, u1, v1), (cu0, cv0, cu1, cv1) = depth, color
        camera, empty = self.camera, self.empty
        part = replace(
            self,
            camera=replace(
                camera,
                depth=camera.depth.window(depth),
                color=None if camera.color is None else camera.color.window(color),
            ),
            empty=EmptyTable(
                empty.disparity_px[v0:v1, u0:u1],
                empty.sigma_px[v0:v1, u0:u1],
                None if empty.color_bgr is None else empty.color_bgr[cv0:cv1, cu0:cu1],
                empty.measured[v0:v1, u0:u1],
            ),
        )
        # rays of a distorted lens are dear: those of the whole picture are known
        part.__dict__["plane_depth"] = tuple(image[v0:v1, u0:u1] for image in self.plane_depth)
        return part

    @property
    def T_table_depth(self) -> Array:  # noqa: N802
        """Depth camera to table frame, 4x4, mm."""
        return np.asarray(np.linalg.inv(self.T_depth_table), dtype=np.float64)

    @property
    def T_color_table(self) -> Array:  # noqa: N802
        """Table frame to colour camera, 4x4, mm."""
        return np.asarray(self.camera.T_color_depth @ self.T_depth_table, dtype=np.float64)

    @property
    def distance_mm(self) -> float:
        """Distance from the depth camera's centre to the table plane, mm."""
        return float(self.T_table_depth[2, 3])

    @cached_property
    def plane_depth(self) -> tuple[Array, Array]:
        """Depth Z (mm) of the table plane at every pixel, and how much height a mm of depth is there; (h, w) each."""
        normal, origin = self.T_depth_table[:3, 2], self.T_depth_table[:3, 3]
        height, width = self.empty.disparity_px.shape
        v, u = np.mgrid[0:height, 0:width].astype(np.float64)
        along = self.camera.depth.rays(np.stack([u, v], axis=-1)) @ normal
        return (origin @ normal) / along, -along


def transform(T: Array, points: Array) -> Array:
    """Apply a 4x4 matrix to (..., 3) points."""
    return np.asarray(np.asarray(points, dtype=np.float64) @ T[:3, :3].T + T[:3, 3], dtype=np.float64)
