"""How soft the rim of a thin disc is in depth: one Gaussian kernel for all shots, each shot with its own place.

The place is fitted, for a wrong centre would blur the mean profile as a wide kernel does.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.ndimage import gaussian_filter
from scipy.optimize import least_squares

from bench import measures as m
from bench.realism_frames import DISC_RADIUS_MM, Shots

_REACH_MM, _CELL_MM = 50.0, 2.0
_ROUNDS = 3


@dataclass(frozen=True)
class _Patch:
    """Height (n, n) mm over the empty plane about one disc, and the native pixel's size there, mm (across, down)."""

    height: np.ndarray
    px_mm: tuple[float, float]


def _patches(shots: Shots, mean: m.Floats, points: m.Floats, along: m.Floats) -> list[_Patch]:
    h, w = mean.shape
    ex = points[h // 2, w // 2 + 50] - points[h // 2, w // 2 - 50]
    ex = ex / np.linalg.norm(ex)
    ey = points[h // 2 + 50, w // 2] - points[h // 2 - 50, w // 2]
    ey = ey - ex * (ey @ ex)
    ey = ey / np.linalg.norm(ey)
    n = int(2 * _REACH_MM / _CELL_MM)
    out = []
    for shot, (cu, cv) in zip(shots.disparity, shots.centres.astype(int), strict=True):
        rest = points - points[cv, cu]
        x, y = rest @ ex, rest @ ey
        near = (np.abs(x) < _REACH_MM) & (np.abs(y) < _REACH_MM)
        height = (shots.gain / mean[near] - shots.gain / shot[near]) * along[near]
        good = np.isfinite(height)
        column = np.clip(((x[near] + _REACH_MM) / _CELL_MM).astype(int), 0, n - 1)[good]
        row = np.clip(((y[near] + _REACH_MM) / _CELL_MM).astype(int), 0, n - 1)[good]
        total, count = np.zeros((n, n)), np.zeros((n, n))
        np.add.at(total, (row, column), height[good])
        np.add.at(count, (row, column), 1)
        px = (
            float(np.linalg.norm(points[cv, cu + 5] - points[cv, cu - 5])) / 10 * shots.scale,
            float(np.linalg.norm(points[cv + 5, cu] - points[cv - 5, cu])) / 10 * shots.scale,
        )
        out.append(_Patch(np.where(count > 0, total / np.maximum(count, 1), np.nan), px))
    return out


def rim_sigma_px(shots: Shots, mean: m.Floats, points: m.Floats, along: m.Floats) -> tuple[float, float]:
    """Gaussian sigma of the disc's rim, native px, (horizontal, vertical)."""
    patches = _patches(shots, mean, points, along)
    n = len(patches[0].height)
    y, x = (np.mgrid[:n, :n] + 0.5) * _CELL_MM - _REACH_MM

    def model(own: np.ndarray, kernel: np.ndarray, px: tuple[float, float]) -> np.ndarray:
        cx, cy, level, slope_x, slope_y = own
        top = np.clip((DISC_RADIUS_MM - np.hypot(x - cx, y - cy)) / _CELL_MM + 0.5, 0, 1)
        sigma = (abs(kernel[1]) * px[1] / _CELL_MM, abs(kernel[0]) * px[0] / _CELL_MM)
        return kernel[2] * gaussian_filter(top, sigma) + level + (slope_x * x + slope_y * y) / _REACH_MM

    kernel = np.array([5.0, 4.0, 5.4])
    own = [np.zeros(5) for _ in patches]
    kept = [np.isfinite(patch.height) for patch in patches]
    how = {"loss": "soft_l1", "f_scale": 0.7, "diff_step": 1e-2}
    for _ in range(_ROUNDS):
        for k, patch in enumerate(patches):

            def one(q: np.ndarray, patch: _Patch = patch, good: np.ndarray = kept[k]) -> np.ndarray:
                return (model(q, kernel, patch.px_mm) - patch.height)[good]  # noqa: B023 - called at once

            own[k] = least_squares(one, own[k], **how).x

        def all_of_them(q: np.ndarray) -> np.ndarray:
            rest = [(model(own[k], q, p.px_mm) - p.height)[kept[k]] for k, p in enumerate(patches)]
            return np.concatenate(rest)

        kernel = least_squares(all_of_them, kernel, **how).x
    return abs(float(kernel[0])), abs(float(kernel[1]))
