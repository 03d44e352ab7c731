"""Single raised discs of unknown size: found by colour and depth against the empty table, measured by rim and height.

Serves where sizes are not known yet (measuring a set's pieces) and where the sensor itself is checked.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import Intrinsics
from th_vision import tolerances
from th_vision.detect.plan import Image, PlanView, on_plane

Array = NDArray[np.float64]


@dataclass(frozen=True)
class MeasuredDisc:
    """A disc on the table: centre of its top, radius and height in mm, each with one standard deviation."""

    x: float
    y: float
    radius: float
    height: float
    sigma_xy: float
    sigma_radius: float
    sigma_height: float


def find_discs(plan: PlanView, radii_mm: tuple[float, float] = (6.0, 60.0)) -> list[MeasuredDisc]:
    """All round raised things whose radius is in the range, the most certain height first. Needs colour."""
    if plan.color is None or plan.table.empty.color_bgr is None:
        return []
    out = []
    for x, y, radius in _blobs(plan, radii_mm):
        disc = measure_disc(plan, x, y, radius)
        if disc is None or not radii_mm[0] <= disc.radius <= radii_mm[1]:
            continue
        if disc.height > tolerances.RAISED_SIGMAS * disc.sigma_height:
            out.append(disc)
    return sorted(out, key=lambda disc: -disc.height / disc.sigma_height)


def measure_disc(plan: PlanView, x: float, y: float, radius: float) -> MeasuredDisc | None:
    """Refine a disc near (x, y): rim from colour, height from depth, each in turn until both agree."""
    height, sigma_height = _height(plan, x, y, radius)
    sigma_xy = sigma_radius = 0.0
    start = np.array([x, y, radius])
    for _ in range(4):
        fit = _fit_rim(plan, x, y, radius, max(height, 0.0))
        if fit is None:
            return None
        x, y, radius, sigma_xy, sigma_radius = fit
        strayed = np.abs(np.array([x, y, radius]) - start) > start[2] / 2
        if strayed.any():
            return None
        height, sigma_height = _height(plan, x, y, radius)
    return MeasuredDisc(x, y, radius, height, sigma_xy, sigma_radius, sigma_height)


def _blobs(plan: PlanView, radii_mm: tuple[float, float]) -> list[tuple[float, float, float]]:
    """Compact places whose colour is not the empty table's: plan centre and radius of equal area, mm."""
    table = plan.table
    intrinsics = table.camera.color
    assert plan.color is not None
    assert intrinsics is not None
    assert table.empty.color_bgr is not None
    difference = np.abs(plan.color - table.empty.color_bgr.astype(np.float32)).max(axis=2)
    smooth = cv2.GaussianBlur(difference, (0, 0), 1.5)
    usual = float(np.median(smooth))
    mask = (smooth > max(tolerances.NEW_COLOR, 5 * usual)).astype(np.uint8)
    count, _, stats, centres = cv2.connectedComponentsWithStats(mask)
    out = []
    for k in range(1, count):
        pixels = np.array([centres[k], centres[k] + [1, 0], centres[k] + [0, 1]], dtype=np.float64)
        points = on_plane(intrinsics, table.T_color_table, pixels, 0.0)[:, :2]
        cell = abs(float(np.linalg.det(points[1:] - points[0])))
        radius = float(np.sqrt(stats[k, cv2.CC_STAT_AREA] * cell / np.pi))
        if 0.6 * radii_mm[0] <= radius <= 1.5 * radii_mm[1]:
            out.append((float(points[0, 0]), float(points[0, 1]), radius))
    return out


def _fit_rim(
    plan: PlanView, x: float, y: float, radius: float, height: float
) -> tuple[float, float, float, float, float] | None:
    """Circle through the outline in colour: (x, y, radius, sigma_xy, sigma_radius), or None where there is none.

    Towards the camera the outline is the lower rim, away from it the upper one.
    """
    camera_xy = np.linalg.inv(plan.table.T_color_table)[:2, 3]
    angles = np.arange(0, 360, 3) * np.pi / 180
    directions = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    towards = directions @ (camera_xy - [x, y]) > 0
    z = np.where(towards, 0.0, height)
    reach = max(0.35 * radius, 4.0)
    rho = np.arange(radius - reach, radius + reach, tolerances.STRIP_PITCH_MM / 2)
    points = np.empty((len(angles), len(rho), 3))
    points[..., :2] = [x, y] + rho[None, :, None] * directions[:, None, :]
    points[..., 2] = z[:, None]
    colors = cv2.GaussianBlur(plan.colors(points), (3, 1), 0.7)
    slope = np.linalg.norm(np.diff(colors, axis=1), axis=2)
    slope[~np.isfinite(slope)] = 0
    prior = np.exp(-0.5 * ((rho[:-1] - radius) / (reach / 1.5)) ** 2)
    best = np.argmax(slope * prior, axis=1)
    strength = slope[np.arange(len(angles)), best]
    edge = rho[best] + (rho[1] - rho[0]) / 2 + _subcell(slope, best) * (rho[1] - rho[0])
    good = strength > max(tolerances.EDGE_CONTRAST / 2, 0.3 * float(np.median(strength)))
    if good.sum() < len(angles) / 3:
        return None
    at = np.array([x, y]) + edge[:, None] * directions
    centre_x, centre_y, fitted = x, y, radius
    weights = good.astype(np.float64)
    scatter = 1.0
    A = np.empty((0, 3))
    for _ in range(10):
        delta = at - [centre_x, centre_y]
        distance = np.linalg.norm(delta, axis=1)
        residual = distance - fitted
        scatter = max(1.4826 * float(np.median(np.abs(residual[good]))), 0.02)
        weights = good / np.maximum(1, np.abs(residual) / (1.5 * scatter)) ** 2
        A = np.c_[delta / distance[:, None], np.ones(len(distance))]
        step = np.linalg.lstsq(A * np.sqrt(weights)[:, None], residual * np.sqrt(weights), rcond=None)[0]
        centre_x, centre_y, fitted = centre_x + step[0], centre_y + step[1], fitted + step[2]
    covariance = np.linalg.inv(A.T @ (A * weights[:, None])) * scatter**2 * tolerances.RIM_CORRELATION
    pixel = plan.table.distance_mm / _fx(plan.table.camera.color)
    floor = tolerances.COLOR_EDGE_SIGMA_PX * pixel
    sigma_xy = float(np.sqrt(max(covariance[0, 0], covariance[1, 1]) + floor**2))
    return float(centre_x), float(centre_y), float(fitted), sigma_xy, float(np.sqrt(covariance[2, 2] + floor**2))


def _subcell(values: Image, best: NDArray[np.intp]) -> Array:
    """Sub-sample offset of each row's maximum by a parabola through its neighbours."""
    rows = np.arange(len(values))
    inner = np.clip(best, 1, values.shape[1] - 2)
    a, b, c = values[rows, inner - 1], values[rows, inner], values[rows, inner + 1]
    bend = a - 2 * b + c
    shift = np.where(np.abs(bend) > 1e-9, 0.5 * (a - c) / np.where(np.abs(bend) > 1e-9, bend, 1), 0)
    return np.asarray(np.where(best == inner, np.clip(shift, -1, 1), 0), dtype=np.float64)


def _height(plan: PlanView, x: float, y: float, radius: float) -> tuple[float, float]:
    """Height of a disc and its sigma: least squares of the kernel's picture of a flat disc plus a local offset."""
    sigma = plan.kernel_mm
    pitch = tolerances.SEARCH_PITCH_MM
    reach = radius + 4 * sigma + 6
    axis = np.arange(-reach, reach + pitch / 2, pitch)
    gx, gy = np.meshgrid(axis, axis)
    disc = (np.hypot(gx, gy) <= radius).astype(np.float32)
    shape = cv2.GaussianBlur(disc, (0, 0), sigma / pitch)
    height = 0.0
    error = np.inf
    for _ in range(3):
        points = np.stack([x + gx, y + gy, np.where(disc > 0, max(height, 0.0), 0.0)], axis=-1)
        seen = plan.heights(points)
        noise = plan.sigmas(points)
        # the outline itself is ragged: what lies within one kernel of it says little
        ragged = np.abs(np.hypot(gx, gy) - radius) < sigma
        use = np.isfinite(seen) & (noise > 0) & ~ragged & (np.hypot(gx, gy) < reach)
        if use.sum() < 20 or np.ptp(shape[use]) < 0.3:
            return 0.0, float("inf")
        A = np.stack([shape[use], np.ones(use.sum())], axis=1).astype(np.float64)
        w = 1 / noise[use].astype(np.float64) ** 2
        normal = A.T @ (A * w[:, None])
        solution = np.linalg.solve(normal, A.T @ (w * seen[use]))
        residual = seen[use] - A @ solution
        # correlated noise: one independent sample to so many cells
        cell = (plan.table.distance_mm / plan.table.camera.depth.fx) ** 2
        independent_cells = max(plan.view.independent_px * cell / pitch**2, 1.0)
        chi = max(float(np.average(residual**2 * w)), tolerances.LEAST_CHI2)
        height = float(solution[0])
        error = float(np.sqrt(np.linalg.inv(normal)[0, 0] * independent_cells * chi))
    return height, float(np.hypot(error, tolerances.SHARE_SIGMA * height))


def _fx(intrinsics: Intrinsics | None) -> float:
    return intrinsics.fx if intrinsics is not None else 1.0
