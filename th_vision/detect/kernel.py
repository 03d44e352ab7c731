"""What the sensor's matching kernel leaves of a height: the forward model that a fit must know.

A step under about one pixel of disparity is blended with its surroundings by one Gaussian kernel, a larger one is
shown in full height and fattened. Figures: ``th_vision.tolerances``.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import erf

from th_vision import tolerances

Array = NDArray[np.float64]


def fattened_share(step_px: Array | float) -> Array:
    """How far (0 to 1) a disparity step of this size is shown in full instead of blended."""
    x = (np.asarray(step_px, dtype=np.float64) - tolerances.FATTENING_MIDDLE_PX) / tolerances.FATTENING_WIDTH_PX
    return np.asarray(1 / (1 + np.exp(-x)), dtype=np.float64)


@lru_cache(maxsize=64)
def bar_share(width_mm: float, sigma_mm: float, half_strip_mm: float = 0.0) -> float:
    """Share of its height that a long bar shows along its middle strip under a Gaussian kernel (blending only)."""
    if half_strip_mm <= 0:
        return float(erf(width_mm / 2 / (sigma_mm * np.sqrt(2))))
    t = np.linspace(-half_strip_mm, half_strip_mm, 9)
    low, high = (-width_mm / 2 - t) / (sigma_mm * np.sqrt(2)), (width_mm / 2 - t) / (sigma_mm * np.sqrt(2))
    return float(np.mean((erf(high) - erf(low)) / 2))


@lru_cache(maxsize=64)
def disc_share_at(diameter_mm: float, sigma_mm: float, at_mm: float) -> float:
    """Share of its height that a disc shows at a distance from its centre (blending only)."""
    pitch = sigma_mm / 4
    reach = diameter_mm / 2 + 4 * sigma_mm
    axis = np.arange(-reach, reach + pitch, pitch)
    x, y = np.meshgrid(axis, axis)
    disc = np.hypot(x, y) <= diameter_mm / 2
    weight = np.exp(-((x - at_mm) ** 2 + y**2) / (2 * sigma_mm**2))
    return float((disc * weight).sum() * pitch**2 / (2 * np.pi * sigma_mm**2))


@lru_cache(maxsize=64)
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
