"""A window of a view: a part of the table, and the parts of both pictures in which it appears."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from calibration.camera import Box, Intrinsics
from calibration.table import TableCalibration, transform
from th_vision import tolerances
from th_vision.detect.edges import MARGIN_PX
from th_vision.detect.plan import Field, PlanView, Usual, light_gain, window_plan
from th_vision.still_view import StillView

Array = NDArray[np.float64]
ALIGN_PX = 4
"""Windows begin at a multiple of this: cells of some pixels each are the same ones as in the whole picture."""


@dataclass(frozen=True)
class Window:
    """A part of the table, mm, and where it appears: boxes (u0, v0, u1, v1) of the depth and of the colour picture."""

    field: Field
    depth: Box
    color: Box

    def plan(self, view: StillView, whole: Usual) -> PlanView:
        """What a view shows in the window; ``whole``: what is usual all over it."""
        (u0, v0, u1, v1), (cu0, cv0, cu1, cv1) = self.depth, self.color
        part = replace(
            view,
            disparity_px=view.disparity_px[v0:v1, u0:u1],
            rise_px=view.rise_px[v0:v1, u0:u1],
            sigma_px=view.sigma_px[v0:v1, u0:u1],
            color_bgr=None if view.color_bgr is None else view.color_bgr[cv0:cv1, cu0:cu1],
            table=view.table.window(self.depth, self.color),
        )
        return window_plan(part, light_gain(view), self.field, whole)

    def shows(self, table: TableCalibration, extents: Sequence[Array]) -> list[bool]:
        """Whether any part of what lies between (n, 3) table points may appear in the window, for some such arrays."""
        if not extents:
            return []
        camera, points = table.camera, np.concatenate(extents)
        starts = np.cumsum([0, *(len(extent) for extent in extents)])[:-1]
        out = _meet(self.depth, camera.depth.project(transform(table.T_depth_table, points)), starts)
        if camera.color is not None:
            out |= _meet(self.color, camera.color.project(transform(table.T_color_table, points)), starts)
        return [bool(one) for one in out]

    def holds(self, points: Array, rim_mm: float) -> bool:
        """Whether all (n, 3) table points lie within it in plan, at least so far from its rim."""
        f = self.field
        low, high = points[:, :2].min(axis=0), points[:, :2].max(axis=0)
        return bool(
            low[0] > f.x0 + rim_mm and low[1] > f.y0 + rim_mm and high[0] < f.x1 - rim_mm and high[1] < f.y1 - rim_mm
        )


def window_on(table: TableCalibration, field: Field, top_mm: float) -> Window:
    """The window on a part of the table and on all that stands there up to a height."""
    camera = table.camera
    assert camera.color is not None
    xs, ys = np.linspace(field.x0, field.x1, 5), np.linspace(field.y0, field.y1, 5)
    points = np.stack(np.meshgrid(xs, ys, [0.0, top_mm]), axis=-1).reshape(-1, 3)
    reach = max(tolerances.KERNEL_SIGMA_U_PX, tolerances.FATTENING_U_PX) * camera.kernel_scale
    margin = int(np.ceil(tolerances.KERNEL_REACH_SIGMAS * reach))
    return Window(
        field,
        _box(camera.depth, camera.depth.project(transform(table.T_depth_table, points)), margin),
        _box(camera.color, camera.color.project(transform(table.T_color_table, points)), 2 * MARGIN_PX),
    )


def _box(intrinsics: Intrinsics, pixels: Array, margin: int) -> Box:
    low, high = np.floor(pixels.min(axis=0)).astype(int) - margin, np.ceil(pixels.max(axis=0)).astype(int) + margin + 1
    low -= low % ALIGN_PX
    u0, u1 = (int(np.clip(k, 0, intrinsics.width)) for k in (low[0], high[0]))
    v0, v1 = (int(np.clip(k, 0, intrinsics.height)) for k in (low[1], high[1]))
    return u0, v0, u1, v1


def _meet(box: Box, pixels: Array, starts: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Whether the box around each run of pixels (n, 2) meets a box."""
    low, high = np.minimum.reduceat(pixels, starts), np.maximum.reduceat(pixels, starts)
    return np.asarray(((low < box[2:]) & (high >= box[:2])).all(axis=1), dtype=np.bool_)
