"""What the sensor's matching kernel leaves of a height: the forward model that a fit must know.

A step under about one pixel of disparity is blended with its surroundings by one Gaussian kernel, a larger one is
shown in full height and fattened. Figures: ``th_vision.tolerances``.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.special import erf

from th_vision import tolerances
from th_vision.detect.plan import PlanView

Array = NDArray[np.float64]
Image = NDArray[np.float32]


def fattened_share(step_px: Array | float) -> Array:
    """How far (0 to 1) a disparity step of this size is shown in full instead of blended."""
    x = (np.asarray(step_px, dtype=np.float64) - tolerances.FATTENING_MIDDLE_PX) / tolerances.FATTENING_WIDTH_PX
    return np.asarray(1 / (1 + np.exp(-x)), dtype=np.float64)


def bar_share(width_mm: float, sigma_mm: float, half_strip_mm: float = 0.0) -> float:
    """Share of its height that a long bar shows along its middle strip under a Gaussian kernel (blending only)."""
    if half_strip_mm <= 0:
        return float(erf(width_mm / 2 / (sigma_mm * np.sqrt(2))))
    t = np.linspace(-half_strip_mm, half_strip_mm, 9)
    low, high = (-width_mm / 2 - t) / (sigma_mm * np.sqrt(2)), (width_mm / 2 - t) / (sigma_mm * np.sqrt(2))
    return float(np.mean((erf(high) - erf(low)) / 2))


def disc_share_at(diameter_mm: float, sigma_mm: float, at_mm: float) -> float:
    """Share of its height that a disc shows at a distance from its centre (blending only)."""
    pitch = sigma_mm / 4
    reach = diameter_mm / 2 + 4 * sigma_mm
    axis = np.arange(-reach, reach + pitch, pitch)
    x, y = np.meshgrid(axis, axis)
    disc = np.hypot(x, y) <= diameter_mm / 2
    weight = np.exp(-((x - at_mm) ** 2 + y**2) / (2 * sigma_mm**2))
    return float((disc * weight).sum() * pitch**2 / (2 * np.pi * sigma_mm**2))


def disc_share(diameter_mm: float, sigma_mm: float, within_mm: float = 0.0) -> float:
    """Share of its height that a disc shows on average within a radius around its centre (blending only)."""
    radii = np.linspace(0, max(within_mm, 1e-6), 7)
    shares = [disc_share_at(diameter_mm, sigma_mm, float(r)) for r in radii]
    return float(np.average(shares, weights=radii + radii[1] / 4))


def shown(height_mm: Array | float, blend: Array | float, mm_per_px: float) -> Array:
    """Height by depth of something ``height_mm`` high whose blended share is ``blend``."""
    h = np.asarray(height_mm, dtype=np.float64)
    share = blend + (1 - np.asarray(blend)) * fattened_share(h / mm_per_px)
    return np.asarray(h * share, dtype=np.float64)


def render_heights(plan: PlanView, polygons: list[tuple[Array, Array]], box: tuple[int, int, int, int]) -> Image:
    """What the sensor would show of a set of flat polygons, (h, w) mm in the native box (u0, v0, u1, v1).

    ``polygons``: pairs of (n, 3) outline in the table frame (a plane piece, mm) and (3,) coefficients (a, b, c) of its
    height z = a + b*x + c*y. The highest one is seen.
    """
    u0, v0, u1, v1 = box
    scale = plan.table.camera.kernel_scale
    su, sv = tolerances.KERNEL_SIGMA_U_PX * scale, tolerances.KERNEL_SIGMA_V_PX * scale
    pad = int(3 * max(su, sv)) + 1
    hard = np.zeros((v1 - v0 + 2 * pad, u1 - u0 + 2 * pad), np.float32)
    for outline, plane in polygons:
        pixels = plan.depth_pixels(outline) - [u0 - pad, v0 - pad]
        low = np.floor(pixels.min(axis=0)).astype(int) - 1
        high = np.ceil(pixels.max(axis=0)).astype(int) + 2
        low = np.maximum(low, 0)
        high = np.minimum(high, [hard.shape[1], hard.shape[0]])
        if (high <= low).any():
            continue
        mask = np.zeros((high[1] - low[1], high[0] - low[0]), np.uint8)
        cv2.fillConvexPoly(mask, np.rint((pixels - low) * 16).astype(np.int32), 1, shift=4)
        # within one polygon the height is close to affine in pixels: take it from its corners
        A = np.c_[np.ones(len(pixels)), pixels - low]
        z = plane[0] + outline[:, :2] @ plane[1:]
        coefficients = np.linalg.lstsq(A, z, rcond=None)[0]
        v, u = np.mgrid[0 : mask.shape[0], 0 : mask.shape[1]]
        values = (coefficients[0] + coefficients[1] * u + coefficients[2] * v).astype(np.float32)
        part = hard[low[1] : high[1], low[0] : high[0]]
        np.maximum(part, np.where(mask > 0, values, 0), out=part)
    blended = cv2.GaussianBlur(hard, (0, 0), sigmaX=su, sigmaY=sv)
    inner = slice(pad, hard.shape[0] - pad), slice(pad, hard.shape[1] - pad)
    hard, blended = hard[inner], blended[inner]
    mm_per_px = plan.mm_per_px[v0:v1, u0:u1]
    keep = fattened_share(np.asarray(hard / mm_per_px, dtype=np.float64)).astype(np.float32)
    return np.where(hard > blended, blended + (hard - blended) * keep, blended).astype(np.float32)
