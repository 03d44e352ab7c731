"""A still view as heights above the table, to be asked at points of the table frame.

The camera doesn't see in plan view: a point at height z appears where its ray goes. So every question is asked at
a point (x, y, z) that a hypothesis names, and answered by what the camera saw on the ray through it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import Intrinsics
from calibration.table import TableCalibration, transform
from th_vision import tolerances
from th_vision.detect.edges import EdgeImage
from th_vision.detect.sampling import remap, sample
from th_vision.detect.softness import softness_of
from th_vision.still_view import StillView

Array = NDArray[np.float64]
Image = NDArray[np.float32]


SMALL_MM = 80.0
"""What is smaller is seen through one homography: no lens of these cameras bends it by a tenth of a pixel."""


@dataclass(frozen=True)
class Field:
    """A rectangle of the table, mm, table frame."""

    x0: float
    y0: float
    x1: float
    y1: float

    def grid(self, pitch_mm: float) -> tuple[Array, Array]:
        """Centres of the cells: xs (nx,) and ys (ny,), mm."""
        return (
            np.arange(self.x0 + pitch_mm / 2, self.x1, pitch_mm),
            np.arange(self.y0 + pitch_mm / 2, self.y1, pitch_mm),
        )


@dataclass(frozen=True)
class Usual:
    """What is usual all over a view: height of a pixel of disparity, mm; sigma of a pixel's height, mm; softness."""

    mm_per_px: float
    noise_mm: float
    softness: float


@dataclass(frozen=True)
class PlanView:
    """Heights and colours of a still view.

    ``height_mm``: (h, w) float32, height above the table by depth, native grid, blurred by the sensor; NaN = not seen.
    ``sigma_mm``: (h, w) float32, one standard deviation of a pixel.
    ``mm_per_px``: (h, w) float32, height of one pixel of disparity at the table.
    ``color``: (hc, wc, 3) float32 BGR brought to the light of the empty table's picture, or None.
    ``softness``: width of the matching window in parts of what the calibration's camera should have: 1 but for clouds
    from other cameras, 0 where edges are sharp (clouds of other programs).
    ``edges``: the edges of ``color``, or None; made unless given.
    ``whole``: what is usual all over the view that this is a window of; None: it is all there is.
    """

    view: StillView
    height_mm: Image
    sigma_mm: Image
    mm_per_px: Image
    color: Image | None
    field: Field
    softness: float = 1.0
    edges: EdgeImage | None = None
    whole: Usual | None = None

    def __post_init__(self) -> None:
        if self.color is not None and (self.edges is None or self.edges.color is not self.color):
            object.__setattr__(self, "edges", EdgeImage(self.color))

    @cached_property
    def usual_mm_per_px(self) -> float:
        """Height of one pixel of disparity in the middle of the table, mm.

        A window of another width than this camera should have means native pixels of another size.
        """
        if self.whole is not None:
            return self.whole.mm_per_px
        return float(np.median(self.mm_per_px)) * max(self.softness, tolerances.SHARP_KERNEL_SHARE)

    @property
    def usual(self) -> Usual:
        """What is usual all over the view."""
        return Usual(self.usual_mm_per_px, self.noise_mm, self.softness)

    @property
    def table(self) -> TableCalibration:
        """The calibration behind the view."""
        return self.view.table

    @property
    def kernel_mm(self) -> float:
        """Geometric mean sigma of the sensor's kernel on the table, mm."""
        camera = self.table.camera
        sigma_px = np.sqrt(tolerances.KERNEL_SIGMA_U_PX * tolerances.KERNEL_SIGMA_V_PX) * camera.kernel_scale
        sigma_mm = sigma_px * self.table.distance_mm / camera.depth.fx
        return float(sigma_mm * max(self.softness, tolerances.SHARP_KERNEL_SHARE))

    @cached_property
    def bare(self) -> Image | None:
        """(hc, wc, 3) float32 BGR of the empty table in the same pixels as ``color``; None where there is none."""
        empty = self.table.empty.color_bgr
        if self.color is None or empty is None or empty.shape != self.color.shape:
            return None
        return empty.astype(np.float32)

    @cached_property
    def bare_view(self) -> PlanView | None:
        """The same with the empty table's picture for its colour, or None."""
        return None if self.bare is None else replace(self, color=self.bare)

    def bare_at(self, pixels: Array) -> Image | None:
        """(..., 3) BGR of the empty table at (..., 2) colour pixels (NaN outside), or None."""
        return None if self.bare is None else sample(self.bare, pixels)

    @cached_property
    def eye(self) -> Array:
        """Centre (3,), table frame, mm, of the camera that places things in plan: colour, or depth without one."""
        camera = self.table.T_color_table if self.table.camera.color is not None else self.table.T_depth_table
        return np.asarray(np.linalg.inv(camera)[:3, 3], dtype=np.float64)

    @cached_property
    def noise_mm(self) -> float:
        """Usual sigma of a height, mm: noise and what stays of the sensor's fixed pattern."""
        if self.whole is not None:
            return self.whole.noise_mm
        sigmas = self.sigma_mm[::4, ::4]
        sigmas = sigmas[np.isfinite(sigmas)]
        return float(np.median(sigmas)) if len(sigmas) else 0.0

    def road_slack(self, z: Array) -> Array:
        """By how much (mm) depth may read lower than what it should show of a road at heights z, mm."""
        least = max(tolerances.ROAD_HEIGHT_SLACK_MM, tolerances.ROAD_HEIGHT_SIGMAS * self.noise_mm)
        return np.asarray(least + tolerances.ROAD_HEIGHT_SLACK * z, dtype=np.float64)

    def depth_pixels(self, points: Array) -> Array:
        """(..., 2) native depth pixels of (..., 3) table points."""
        return self.table.camera.depth.project(transform(self.table.T_depth_table, points))

    def color_pixels(self, points: Array) -> Array:
        """(..., 2) colour pixels of (..., 3) table points."""
        intrinsics = self.table.camera.color
        assert intrinsics is not None
        return intrinsics.project(transform(self.table.T_color_table, points))

    def heights(self, points: Array) -> Image:
        """Height by depth on the rays through (..., 3) table points; NaN where nothing was seen."""
        return self.heights_at(self.depth_pixels(points))

    def heights_at(self, pixels: Array) -> Image:
        """Height by depth at (..., 2) native depth pixels; NaN where nothing was seen."""
        return sample(self.height_mm, pixels)

    def sigmas(self, points: Array) -> Image:
        """Sigma of one pixel's height on the rays through (..., 3) table points."""
        return sample(self.sigma_mm, self.depth_pixels(points))

    def colors(self, points: Array) -> Image:
        """(..., 3) BGR colour on the rays through (..., 3) table points (NaN outside the picture)."""
        return self.colors_at(self.color_pixels(points))

    def colors_at(self, pixels: Array) -> Image:
        """(..., 3) BGR colour at (..., 2) colour pixels (NaN outside the picture)."""
        assert self.color is not None
        return sample(self.color, pixels)

    def edges_at(self, pixels: Array, across: Array) -> tuple[Array, NDArray[np.bool_]]:
        """How clear an edge at right angles to ``across`` is seen, 0 to 1, at (n, ns, nt, 2) colour pixels.

        ``across``: (n, ns, 2) unit directions in the picture. Returns that (0 outside it) and what lies inside.
        """
        assert self.edges is not None
        tensor = self.edges.at(pixels)
        inside = np.isfinite(tensor[..., 0])
        x, y = across[:, :, None, 0], across[:, :, None, 1]
        edge = tensor[..., 0] * x * x + 2 * tensor[..., 1] * x * y + tensor[..., 2] * y * y
        return np.asarray(np.where(inside, edge, 0.0), dtype=np.float64), inside

    def edge_grid(self, x_mm: Array, y_mm: Array, z_mm: float) -> Image:
        """Edges on a level grid: (ny, nx, 2) cosine and sine of twice the direction (in plan) of the edge's normal, by
        how clear it is (0 to 1); NaN outside the picture. ``x_mm`` (nx,), ``y_mm`` (ny,): evenly spaced."""
        assert self.edges is not None
        if max(x_mm[-1] - x_mm[0], y_mm[-1] - y_mm[0]) < SMALL_MM:
            return self._small_edge_grid(x_mm, y_mm, z_mm)
        step = 8  # where it appears is smooth: computed at every 8th cell and interpolated
        nodes_x = x_mm[0] + (x_mm[1] - x_mm[0]) * step * np.arange(len(x_mm) // step + 2)
        nodes_y = y_mm[0] + (y_mm[1] - y_mm[0]) * step * np.arange(len(y_mm) // step + 2)
        gx, gy = np.meshgrid(nodes_x, nodes_y)
        pixels = self.color_pixels(np.stack([gx, gy, np.full_like(gx, z_mm)], axis=-1))
        along = np.gradient(pixels, axis=1)
        turn = np.arctan2(along[..., 1], along[..., 0])  # of the table's x in the picture, as good as everywhere
        down = np.gradient(pixels, axis=0)
        mirrored = np.sign(np.median(along[..., 0] * down[..., 1] - along[..., 1] * down[..., 0]))
        coarse = np.stack([pixels[..., 0], pixels[..., 1], np.cos(2 * turn), np.sin(2 * turn)], axis=-1)
        fine = remap(coarse.astype(np.float32), *_finer((len(y_mm), len(x_mm)), step))
        seen = remap(self.edges.tensor, fine[..., 0], fine[..., 1])
        return _in_plan(seen, fine[..., 2], fine[..., 3], float(mirrored))

    def _small_edge_grid(self, x_mm: Array, y_mm: Array, z_mm: float) -> Image:
        """The same where the lens bends nothing: a plane is seen through one homography."""
        assert self.edges is not None
        (x0, x1), (y0, y1) = (x_mm[0], x_mm[-1]), (y_mm[0], y_mm[-1])
        corners = np.array([[x0, y0, z_mm], [x1, y0, z_mm], [x1, y1, z_mm], [x0, y1, z_mm]])
        pixels = self.color_pixels(corners)
        shape = (len(x_mm), len(y_mm))
        cells = np.array([[0, 0], [shape[0] - 1, 0], [shape[0] - 1, shape[1] - 1], [0, shape[1] - 1]], np.float32)
        homography = cv2.getPerspectiveTransform(cells, pixels.astype(np.float32))
        seen = cv2.warpPerspective(
            self.edges.tensor,
            homography,
            shape,
            flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
            borderMode=cv2.BORDER_CONSTANT,
            borderValue=[float("nan")] * 4,
        )
        along, down = pixels[1] - pixels[0], pixels[3] - pixels[0]
        turn = 2 * np.arctan2(along[1], along[0])
        mirrored = np.sign(along[0] * down[1] - along[1] * down[0])
        return _in_plan(
            np.asarray(seen, dtype=np.float32), np.float32(np.cos(turn)), np.float32(np.sin(turn)), float(mirrored)
        )

    def height_plane(self, z_mm: float, pitch_mm: float) -> Image:
        """(ny, nx) heights asked at every cell of the field at height z."""
        return _plane(self.height_mm, self.field, z_mm, pitch_mm, self.depth_pixels)

    def color_plane(self, z_mm: float, pitch_mm: float) -> Image:
        """(ny, nx, 3) colours asked at every cell of the field at height z."""
        assert self.color is not None
        return _plane(self.color, self.field, z_mm, pitch_mm, self.color_pixels)


def plan_view(view: StillView) -> PlanView:
    """Turn a still view into heights above the table (mm) by the calibration's pose."""
    color = in_light(view, light_gain(view))
    return _plan_of(view, color, seen_field(view.table), softness_of(view), None)


def window_plan(view: StillView, gain: NDArray[np.float32] | None, field: Field, whole: Usual) -> PlanView:
    """The same for a window of a view, over the part ``field`` of the table; ``gain``: see :func:`light_gain`;
    ``whole``: what is usual all over the view."""
    return _plan_of(view, in_light(view, gain), field, whole.softness, whole)


def _plan_of(view: StillView, color: Image | None, field: Field, softness: float, whole: Usual | None) -> PlanView:
    table = view.table
    plane_z, slope = table.plane_depth
    gain = table.camera.disparity_gain
    plane_z, slope = plane_z.astype(np.float32), slope.astype(np.float32)
    mm_per_px = plane_z * plane_z * (slope / np.float32(gain))
    # height along the ray = z - gain / (gain / z + rise): written so that small rises keep their digits
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.float32(gain) + view.rise_px * plane_z
        heights = view.rise_px * np.square(plane_z) * slope / np.where(share > 0, share, np.float32(np.nan))
    return PlanView(
        view=view,
        height_mm=np.asarray(heights, dtype=np.float32),
        sigma_mm=np.asarray(view.sigma_px * mm_per_px, dtype=np.float32),
        mm_per_px=np.asarray(mm_per_px, dtype=np.float32),
        color=color,
        field=field,
        softness=softness,
        whole=whole,
    )


def seen_field(table: TableCalibration, margin_mm: float = 0.0) -> Field:
    """The rectangle of the table whose depth was measured when it was empty."""
    measured = table.empty.measured
    rows = np.flatnonzero(measured.mean(axis=1) > 0.3)
    cols = np.flatnonzero(measured.mean(axis=0) > 0.3)
    height, width = measured.shape
    v0, v1 = (rows[0], rows[-1]) if len(rows) else (0, height - 1)
    u0, u1 = (cols[0], cols[-1]) if len(cols) else (0, width - 1)
    corners = np.array([[u0, v0], [u1, v0], [u1, v1], [u0, v1]], dtype=np.float64)
    points = on_plane(table.camera.depth, table.T_depth_table, corners, 0.0)
    low, high = points.min(axis=0) - margin_mm, points.max(axis=0) + margin_mm
    return Field(float(low[0]), float(low[1]), float(high[0]), float(high[1]))


def on_plane(intrinsics: Intrinsics, T_camera_table: Array, pixels: Array, z_mm: float) -> Array:
    """(..., 3) points at height z of the table frame that (..., 2) pixels show."""
    T_table_camera = np.linalg.inv(T_camera_table)
    rays = intrinsics.rays(pixels) @ T_table_camera[:3, :3].T
    origin = T_table_camera[:3, 3]
    scale = (z_mm - origin[2]) / rays[..., 2]
    return np.asarray(origin + rays * scale[..., None], dtype=np.float64)


def _plane(image: Image, field: Field, z_mm: float, pitch_mm: float, pixels_of: Callable[[Array], Array]) -> Image:
    """Sample an image on a horizontal plane. The map is smooth: computed on every 8th cell and interpolated."""
    xs, ys = field.grid(pitch_mm)
    step = 8
    coarse_x = xs[0] + step * pitch_mm * np.arange(len(xs) // step + 2)
    coarse_y = ys[0] + step * pitch_mm * np.arange(len(ys) // step + 2)
    gx, gy = np.meshgrid(coarse_x, coarse_y)
    coarse = pixels_of(np.stack([gx, gy, np.full_like(gx, z_mm)], axis=-1)).astype(np.float32)
    map_x, map_y = _finer((len(ys), len(xs)), step)
    fine = [remap(np.ascontiguousarray(coarse[..., k]), map_x, map_y) for k in (0, 1)]
    return remap(image, fine[0], fine[1])


def _finer(shape: tuple[int, int], step: int) -> tuple[Image, Image]:
    """Where (ny, nx) cells lie in a grid of every ``step``-th: cell i at its index i / step."""
    map_x = np.broadcast_to((np.arange(shape[1]) / step).astype(np.float32), shape)
    map_y = np.broadcast_to((np.arange(shape[0]) / step).astype(np.float32)[:, None], shape)
    return map_x, map_y


def _in_plan(tensor: Image, cos: Image | np.float32, sin: Image | np.float32, mirrored: float) -> Image:
    """(ny, nx, 2) edges (see :meth:`PlanView.edge_grid`) from the picture's structure tensor (ny, nx, 3).

    ``cos``, ``sin``: of twice the turn of the table's x in the picture; ``mirrored``: -1 where its y is turned over.
    """
    one, two = tensor[..., 0] - tensor[..., 2], 2 * tensor[..., 1]
    out = np.empty((*tensor.shape[:2], 2), np.float32)
    out[..., 0], out[..., 1] = one * cos + two * sin, np.float32(mirrored) * (two * cos - one * sin)
    return out


def light_gain(view: StillView) -> NDArray[np.float32] | None:
    """(3,) gains of the channels that bring the view's colour to the light of the empty table's picture, fitted on free
    table; None where that can't be told."""
    color, empty = view.color_bgr, view.table.empty.color_bgr
    if color is None or empty is None or empty.shape != color.shape:
        return None
    step = 8
    now, then = (image[::step, ::step].reshape(-1, 3).astype(np.float32) for image in (color, empty))
    usable = (now > 8).all(axis=1) & (now < 247).all(axis=1) & (then > 8).all(axis=1) & (then < 247).all(axis=1)
    if usable.sum() <= 500:
        return None
    # channel by channel in a row each: numpy is slow down columns
    gain = np.median(np.ascontiguousarray((then[usable] / now[usable]).T), axis=1)
    return np.asarray(np.clip(gain, 0.5, 2.0), dtype=np.float32)


def in_light(view: StillView, gain: NDArray[np.float32] | None) -> Image | None:
    """(h, w, 3) the view's colour with its channels times ``gain``; None without colour."""
    if view.color_bgr is None or view.table.camera.color is None:
        return None
    out = view.color_bgr.astype(np.float32)
    return out if gain is None else np.asarray(np.multiply(out, gain, out=out), dtype=np.float32)
