"""Heights by depth of things whose outline is known, with the sensor's kernel in mind.

The kernel blends a low thing with the table: it reads too low and too wide, but its volume stays. So what is fitted is
the whole blended hill that its outline would make (``detect/depth_model.py``), over a piece of table that may be a bit
higher or tilted there. A high thing with a wide top is read off in the middle of it.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from rules.pieces import Pieces
from th_vision import tolerances
from th_vision.detect.depth_model import DepthModel
from th_vision.detect.plan import PlanView

Array = NDArray[np.float64]
_CELL_MM = 0.5
_FINE = 4
"""Cells a side of a depth pixel where an outline is drawn."""


@dataclass(frozen=True)
class Height:
    """A height above the table with one standard deviation, mm."""

    mm: float
    sigma_mm: float


class Heights:
    """Heights in one view. The model's kernel is known to a part of its width: three widths are tried."""

    def __init__(self, plan: PlanView) -> None:
        self._plan = plan
        soft, off = plan.softness, tolerances.ENROLL_KERNEL_SIGMA
        self._models = [DepthModel(plan, Pieces(), softness=soft * k, step=1) for k in (1.0, 1 - off, 1 + off)]

    def of_hill(self, outline: Array, guess_mm: float) -> Height | None:
        """Height of a flat-topped thing over a closed outline (n, 2), mm; None where depth shows too little."""
        found = [self._fit(model, outline, guess_mm) for model in self._models]
        if any(one is None for one in found):
            return None
        heights = [one for one in found if one is not None]
        model_sigma = max(abs(one.mm - heights[0].mm) for one in heights[1:])
        return Height(heights[0].mm, float(np.hypot(heights[0].sigma_mm, model_sigma)))

    def of_top(self, outline: Array, guess_mm: float, inset_mm: float, part: float = 0.5) -> Height | None:
        """Height of a wide top: of what lies further than ``inset_mm`` inside its outline, near the ``part`` quantile
        (half: all of it; less: a card on which things stand; more: what stands up from a roof)."""
        low, high = outline.min(axis=0) - 1, outline.max(axis=0) + 1
        gx, gy = np.meshgrid(np.arange(low[0], high[0], _CELL_MM), np.arange(low[1], high[1], _CELL_MM))
        mask = np.zeros(gx.shape, np.uint8)
        cv2.fillPoly(mask, [np.rint((outline - low) / _CELL_MM * 16).astype(np.int32)], 1, shift=4)
        inside = cv2.distanceTransform(mask, cv2.DIST_L2, 5) * _CELL_MM
        keep = inside > inset_mm
        if keep.sum() < 12:
            return None
        height = guess_mm
        sigma = float("inf")
        for _ in range(3):
            points = np.stack([gx[keep], gy[keep], np.full(int(keep.sum()), height)], axis=-1)
            seen = self._plan.heights(points)
            good = np.isfinite(seen)
            if good.mean() < 0.4:
                return None
            height = _about(seen[good].astype(np.float64), part, 2 * float(np.nanmedian(self._plan.sigmas(points))))
            pixel = ((self._plan.table.distance_mm - height) / self._plan.table.camera.depth.fx) ** 2
            count = max(good.sum() * _CELL_MM**2 / pixel / self._plan.view.independent_px, 0.5)
            noise = float(np.nanmedian(self._sigma(self._plan.sigmas(points))))
            nearer = (1 - height / self._plan.table.distance_mm) ** 2
            shared = max(
                tolerances.ENROLL_RIPPLE_SHARE * height, min(tolerances.ENROLL_LOCKING_SHARE * height, noise / 2)
            )
            sigma = float(np.hypot(noise * nearer / np.sqrt(count), shared))
        return Height(height, sigma)

    def _sigma(self, sigma_mm: NDArray[np.float32]) -> NDArray[np.float32]:
        """A pixel's sigma on a thing: its own fixed pattern, and the table's below it, which the map holds."""
        pattern = np.float32(tolerances.FIXED_PATTERN_PX * self._plan.usual_mm_per_px)
        return np.asarray(np.hypot(sigma_mm, pattern), dtype=np.float32)

    def _fit(self, model: DepthModel, outline: Array, guess_mm: float) -> Height | None:
        plan = self._plan
        reach = tolerances.ENROLL_AROUND_MM * plan.table.camera.depth.fx / plan.table.distance_mm
        height = max(guess_mm, tolerances.ENROLL_LEAST_HEIGHT_MM)
        sigma = 0.0
        for _ in range(4):
            places = plan.depth_pixels(np.c_[outline, np.full(len(outline), height)])
            u0, v0, u1, v1 = model.box_of(places, int(reach))
            share = _coverage(places - [u0, v0], (v1 - v0, u1 - u0))
            mm_per_px = model.mm_per_px[v0:v1, u0:u1]
            template = model.shown((share * height).astype(np.float32), mm_per_px) / np.float32(height)
            seen, noise = plan.height_mm[v0:v1, u0:u1], self._sigma(plan.sigma_mm[v0:v1, u0:u1])
            use = np.isfinite(seen) & np.isfinite(noise)
            if height > float(np.median(mm_per_px)):  # a large step's rim is ragged
                rim = cv2.dilate(share, np.ones((7, 9))) - cv2.erode(share, np.ones((3, 5)))
                use &= np.asarray(rim < 0.05, dtype=np.bool_)
            if use.sum() < 200 or np.ptp(template[use]) < 0.2:
                return None
            v, u = np.nonzero(use)
            A = np.stack([template[use], np.ones(len(u)), (u - u.mean()) / 100, (v - v.mean()) / 100], axis=1)
            weight = 1 / np.square(noise[use].astype(np.float64))
            normal = A.T @ (A * weight[:, None])
            solution = np.linalg.solve(normal, A.T @ (weight * seen[use]))
            residual = seen[use] - A @ solution
            # free table scatters less than a thing: its fixed pattern is the map's
            chi2 = max(float(np.mean(np.square(residual) * weight)), 1.0)
            sigma = float(np.sqrt(np.linalg.inv(normal)[0, 0] * plan.view.independent_px * chi2))
            height = float(max(solution[0], tolerances.ENROLL_LEAST_HEIGHT_MM))
        return Height(float(solution[0]), float(np.hypot(sigma, tolerances.ENROLL_LOCKING_SHARE * height)))


def _about(values: Array, part: float, spread: float) -> float:
    """Median of what lies within ``spread`` of a quantile, that place following it."""
    at = float(np.quantile(values, part))
    for _ in range(8):
        near = values[np.abs(values - at) <= spread]
        if len(near) < 5:
            break
        at = float(np.median(near))
    return at


def _coverage(places: Array, shape: tuple[int, int]) -> NDArray[np.float32]:
    """(h, w) share of each cell inside an outline (n, 2) of cell places."""
    fine = np.zeros((shape[0] * _FINE, shape[1] * _FINE), np.uint8)
    corners = np.rint(((places + 0.5) * _FINE - 0.5) * 16).astype(np.int32)
    cv2.fillPoly(fine, [corners], 1, shift=4)
    small = cv2.resize(fine.astype(np.float32), (shape[1], shape[0]), interpolation=cv2.INTER_AREA)
    return np.asarray(small, dtype=np.float32)
