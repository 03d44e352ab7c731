"""Axes of roads: lines in the middle between the two long edges in colour, many at once."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from rules.pieces import Pieces
from th_vision import tolerances
from th_vision.detect.lines import Lines, band
from th_vision.detect.plan import Image, PlanView

Array = NDArray[np.float64]
ROWS = 121
"""Places along a road at which both edges are looked for."""
PITCH_MM = 0.25
ROUNDS = 12


def fit_axes(
    plan: PlanView, pieces: Pieces, a: Array, b: Array, reach_mm: float
) -> tuple[Array, Array, Array, NDArray[np.bool_]]:
    """Shift both ends of n lines a-b (n, 3) sideways to the middle between two long edges within ``reach_mm`` of where
    a road's would be. Returns the ends, the sigma (n,) mm, and for which lines it was possible; the others stay."""
    good = np.zeros(len(a), dtype=np.bool_)
    sigma = np.full(len(a), np.nan)
    if plan.color is None or not len(a):
        return a, b, sigma, good
    half_width = pieces.stick.width / 2
    lines = Lines(a, b)
    rim = half_width + reach_mm + 2
    t = np.arange(-rim, rim + PITCH_MM / 2, PITCH_MM)
    places = band(lines, plan.color_pixels, np.zeros(len(a)), lines.length, ROWS, t)
    color = plan.colors_at(places.pixels)
    inside = np.isfinite(color).mean(axis=(1, 2, 3)) >= 0.9
    if not inside.any():
        return a, b, sigma, good
    row_mm = lines.length[inside] / (ROWS - 1)
    slope = _slope_across(color[inside], float(tolerances.AXIS_SMOOTH_MM / row_mm.mean()))
    found, clear = zip(
        *(_edge_at(slope, t[1:-1], side * half_width, reach_mm) for side in (-1.0, 1.0)),
        strict=True,
    )
    offsets, seen = np.concatenate(found, axis=1), np.concatenate(clear, axis=1)
    enough = seen.mean(axis=1) >= 0.5
    which = np.flatnonzero(inside)[enough]
    if not len(which):
        return a, b, sigma, good
    beta, spread = _fit(offsets[enough], seen[enough], reach_mm, tolerances.AXIS_CORRELATION_MM / row_mm[enough])
    pixel = plan.table.distance_mm / (plan.table.camera.color.fx if plan.table.camera.color else 1.0)
    sigma[which] = np.sqrt(spread + (tolerances.COLOR_EDGE_SIGMA_PX * pixel) ** 2)
    new_a, new_b = a.copy(), b.copy()
    new_a[which, :2] += lines.left[which] * (beta[:, 0] - beta[:, 1] / 2)[:, None]
    new_b[which, :2] += lines.left[which] * (beta[:, 0] + beta[:, 1] / 2)[:, None]
    good[which] = True
    return new_a, new_b, sigma, good


def _slope_across(color: Image, rows_sigma: float) -> Image:
    """(n, rows, nt - 2) strength of the gradient across of smoothed colour (n, rows, nt, 3)."""
    n, rows, nt, channels = color.shape
    margin = 4
    padded = np.pad(color, ((0, 0), (margin, margin), (0, 0), (0, 0)), mode="edge")
    together = padded.reshape(n * (rows + 2 * margin), nt, channels)
    smooth = cv2.GaussianBlur(together, (0, 0), sigmaX=tolerances.AXIS_SMOOTH_ACROSS_MM / PITCH_MM, sigmaY=rows_sigma)
    smooth = np.asarray(smooth, dtype=np.float32).reshape(padded.shape)[:, margin:-margin]
    step = (smooth[:, :, 2:] - smooth[:, :, :-2]) / np.float32(2)
    return np.asarray(np.sqrt(np.einsum("nrtc,nrtc->nrt", step, step)), dtype=np.float32)


def _edge_at(slope: Image, t: Array, middle: float, reach_mm: float) -> tuple[Array, NDArray[np.bool_]]:
    """(n, rows) how far from ``middle`` the strongest edge within reach lies, mm, and where it is clear enough."""
    window = np.abs(t - middle) <= reach_mm
    near = t[window]
    part = slope[:, :, window] * np.exp(-0.5 * ((near - middle) / reach_mm) ** 2).astype(np.float32)
    best = np.argmax(part, axis=2)
    inner = np.clip(best, 1, part.shape[2] - 2)
    left, mid, right = (np.take_along_axis(part, inner[..., None] + k, axis=2)[..., 0] for k in (-1, 0, 1))
    bend = left - 2 * mid + right
    flat = np.abs(bend) <= 1e-9
    sub = np.where(flat, 0, 0.5 * (left - right) / np.where(flat, 1, bend))
    seen = np.take_along_axis(part, best[..., None], axis=2)[..., 0] > tolerances.EDGE_CONTRAST / 4
    offsets = near[inner] + np.clip(sub, -1, 1) * PITCH_MM - middle
    seen &= np.isfinite(offsets)  # outside the picture nothing is seen
    return np.where(seen, offsets, 0.0), seen


def _fit(offsets: Array, seen: NDArray[np.bool_], reach_mm: float, correlation: Array) -> tuple[Array, Array]:
    """Robust t = offset + tilt * (s / length - 1/2) + side * extra width, for n lines: (n, 3) of these, and the
    variance (n,) of an end's place across. ``offsets``, ``seen``: (n, 2 rows), the right side's rows first.

    The width may differ from the nominal by its tolerance. ``correlation``: so many rows are one independent sample.
    """
    rows = offsets.shape[1] // 2
    s = np.linspace(-0.5, 0.5, rows)
    A = np.stack([np.ones(2 * rows), np.r_[s, s], np.repeat([-1.0, 1.0], rows)], axis=1)
    products = np.einsum("ri,rj->rij", A, A).reshape(len(A), 9)
    beta = np.zeros((len(offsets), 3))
    beta[:, 0] = _consensus(offsets, seen)
    scatter = np.full(len(offsets), reach_mm / 2)
    normal = np.zeros((len(offsets), 3, 3))
    for _ in range(ROUNDS):
        residual = offsets - beta @ A.T
        weights = seen / (1 + (residual / (1.5 * scatter)[:, None]) ** 2) ** 2
        normal = (weights @ products).reshape(-1, 3, 3)
        normal[:, 2, 2] += weights.sum(axis=1) * (scatter / tolerances.STICK_WIDTH_SIGMA_MM) ** 2 / len(A)
        beta = np.linalg.solve(normal, ((weights * offsets) @ A)[..., None])[..., 0]
        scatter = np.maximum(1.4826 * median_of(np.abs(offsets - beta @ A.T), seen), 0.05)
    covariance = np.linalg.inv(normal) * (scatter**2)[:, None, None]
    return beta, (covariance[:, 0, 0] + covariance[:, 1, 1] / 4) * np.maximum(correlation, 1.0)


def _consensus(values: Array, usable: NDArray[np.bool_]) -> Array:
    """(n,) the value that most others in a row lie near (within 0.5 mm)."""
    low = np.where(usable, values, np.inf).min(axis=1)
    high = np.where(usable, values, -np.inf).max(axis=1)
    grid = low[:, None] + (high - low)[:, None] * np.linspace(0, 1, 60)
    apart = (values[:, None] - grid[:, :, None]).astype(np.float32) / np.float32(0.5)
    support = (np.exp(-0.5 * np.square(apart)) * usable[:, None]).sum(axis=2)
    return np.take_along_axis(grid, np.argmax(support, axis=1)[:, None], axis=1)[:, 0]


def median_of(values: Array, usable: NDArray[np.bool_]) -> Array:
    """(n,) median of what is usable in each row."""
    ordered = np.sort(np.where(usable, values, np.inf), axis=1)
    count = usable.sum(axis=1)
    low = np.take_along_axis(ordered, np.maximum((count - 1) // 2, 0)[:, None], axis=1)[:, 0]
    high = np.take_along_axis(ordered, np.minimum(count // 2, values.shape[1] - 1)[:, None], axis=1)[:, 0]
    return np.asarray((low + high) / 2)
