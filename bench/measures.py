"""What one can measure of a depth sensor on a plane with a thin disc: the same code for real and synthetic frames.

Depth stacks are (n, h, w) float32 mm with NaN where there is no depth. ``scale``: pixels of the image to one native
pixel of the sensor (1 in the native grid, more where depth was aligned to a finer colour image). ``gain``: f*B in
native pixels * mm. Results say in their names what unit they are in.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]


def to_depth(images: list[NDArray[np.uint16]], unit_mm: float) -> Floats:
    """Depth images to a stack in mm."""
    stack = np.stack(images).astype(np.float32) * np.float32(unit_mm)
    stack[stack == 0] = np.nan
    return stack


def seen_median(stack: Floats) -> Floats:
    """Median (h, w) of a stack over the shots that see a pixel."""
    return np.nanmedian(stack, axis=0).astype(np.float32)


def plane_fit(image: Floats, mask: Mask) -> Floats:
    """Plane through an image (a*u + b*v + c, which a plane is in disparity) by least squares with two trims."""
    v, u = np.nonzero(mask & np.isfinite(image))
    step = max(1, len(u) // 60_000)
    u, v = u[::step], v[::step]
    A = np.column_stack([u, v, np.ones(len(u))]).astype(np.float64)
    y = image[v, u].astype(np.float64)
    keep = np.ones(len(y), dtype=bool)
    x = np.zeros(3)
    for _ in range(3):
        x = np.linalg.lstsq(A[keep], y[keep], rcond=None)[0]
        r = y - A @ x
        keep = np.abs(r) < 3.5 * 1.4826 * np.median(np.abs(r[keep]))
    h, w = image.shape
    return (x[0] * np.arange(w)[None, :] + x[1] * np.arange(h)[:, None] + x[2]).astype(np.float32)


def table_mask(disparity: Floats, seed: Mask, limit_px: float, shrink_px: int) -> Mask:
    """Where the plane under ``seed`` is seen: within ``limit_px`` of it, the largest piece, shrunk."""
    flat = np.abs(disparity - plane_fit(disparity, seed)) < limit_px
    size = 2 * shrink_px + 1
    flat = cv2.erode(flat.astype(np.uint8), np.ones((size, size), np.uint8)).astype(bool)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(flat.astype(np.uint8))
    if count < 2:
        return np.asarray(flat)
    return np.asarray(labels == 1 + int(np.argmax(stats[1:, cv2.CC_STAT_AREA])))


def blurred(image: Floats, mask: Mask, sigma: float) -> Floats:
    """Gaussian mean over the seen pixels of the mask."""
    seen = (mask & np.isfinite(image)).astype(np.float32)
    top = cv2.GaussianBlur(np.nan_to_num(image) * seen, (0, 0), sigma)
    low = cv2.GaussianBlur(seen, (0, 0), sigma)
    return np.asarray(top / np.maximum(low, 1e-3), dtype=np.float32)


def temporal(stack: Floats, mask: Mask) -> Floats:
    """Residuals (n, h, w) of each shot to the mean of all, each shot's own offset and tilt taken out."""
    mean = np.nanmean(stack, axis=0)
    out = stack - mean
    for k in range(len(out)):
        out[k] -= plane_fit(out[k], mask)
    return np.asarray(out * np.sqrt(len(out) / (len(out) - 1)), dtype=np.float32)


def robust_sd(values: NDArray[np.floating]) -> float:
    """sd from the median absolute deviation."""
    v = values[np.isfinite(values)]
    return float(1.4826 * np.median(np.abs(v - np.median(v)))) if len(v) else float("nan")


def sd_by_distance(
    residual: Floats, z_mm: Floats, mask: Mask, at_mm: list[float], within_mm: float = 15
) -> list[float]:
    """Temporal sd per pixel where the plane is so far away; same unit as ``residual``."""
    out = []
    for z in at_mm:
        here = mask & (np.abs(z_mm - z) < within_mm)
        out.append(robust_sd(residual[:, here]) if here.sum() > 500 else float("nan"))
    return out


def acf_half_widths(residual: Floats, mask: Mask, scale: float) -> tuple[float, float]:
    """Lag, native px, at which the autocorrelation falls to a half: (horizontal, vertical)."""
    valid = (mask[None] & np.isfinite(residual)).astype(np.float32)
    sd = np.nanstd(residual[:, mask])
    field = np.clip(np.nan_to_num(residual), -3 * sd, 3 * sd) * valid

    def half(axis: int) -> float:
        last, size = 1.0, field.shape[axis]
        base = float((field**2).sum() / valid.sum())
        for lag in range(1, 60):
            a, b = np.arange(0, size - lag), np.arange(lag, size)
            pair = valid.take(a, axis) * valid.take(b, axis)
            rho = float((field.take(a, axis) * field.take(b, axis)).sum() / pair.sum()) / base
            if rho < 0.5:
                return (lag - 1 + (last - 0.5) / (last - rho)) / scale
            last = rho
        return float("nan")

    return half(2), half(1)


def averaging(residual: Floats, mask: Mask, n: int) -> float:
    """sd of means of n shots over sd of one; 1/sqrt(n) where shots are independent."""
    groups = len(residual) // n
    means = np.stack([np.nanmean(residual[g * n : (g + 1) * n], axis=0) for g in range(groups)])
    correction = np.sqrt(1 - n / len(residual)) if groups > 1 else 1.0
    return robust_sd(means[:, mask]) / robust_sd(residual[:, mask]) / max(correction, 1e-6)


def fixed_pattern(mean: Floats, mask: Mask, temporal_sd: float, n: int, scale: float) -> float:
    """sd of what stays of a mean of n shots finer than 10 px; the temporal rest is taken out."""
    fine = mean - blurred(mean, mask, 10 * scale)
    return float(np.sqrt(max(robust_sd(fine[mask]) ** 2 - temporal_sd**2 / n, 0.0)))


def local_plane_sd(
    shots: Floats, z_mm: Floats, mask: Mask, at_mm: list[float], side_px: int, within_mm: float = 15
) -> list[float]:
    """sd of single shots against planes through windows of ``side_px``, where the plane is so far away."""
    found: dict[float, list[float]] = {at: [] for at in at_mm}
    v, u = np.mgrid[:side_px, :side_px].reshape(2, -1)
    A = np.column_stack([u, v, np.ones(len(u))]).astype(np.float64)
    for y in range(0, mask.shape[0] - side_px, side_px):
        for x in range(0, mask.shape[1] - side_px, side_px):
            here = (slice(y, y + side_px), slice(x, x + side_px))
            distance = float(z_mm[y + side_px // 2, x + side_px // 2])
            near = [at for at in at_mm if abs(at - distance) < within_mm]
            if not near or not mask[here].all():
                continue
            patches = shots[:, here[0], here[1]].reshape(len(shots), -1).T
            whole = patches[:, np.isfinite(patches).all(axis=0)].astype(np.float64)
            if whole.shape[1]:
                rest = whole - A @ np.linalg.lstsq(A, whole, rcond=None)[0]
                found[near[0]].append(float(np.sqrt(np.mean(rest**2))))
    return [float(np.median(v)) if v else float("nan") for v in found.values()]


def pixel_locking(mean_px: Floats, plane_px: Floats, mask: Mask, scale: float) -> float:
    """Amplitude, px, of the wave of one pixel's length in the disparity of a tilted plane (mean of shots)."""
    rest = mean_px - blurred(mean_px, mask, 14 * scale)
    inner = mask & np.isfinite(rest)
    phase = np.exp(-2j * np.pi * mean_px[inner].astype(np.float64))
    slope = float(np.abs(np.gradient(plane_px, axis=0)).mean())
    seen = 1 - np.exp(-2 * (np.pi * 14 * scale * slope) ** 2)  # what the smooth part takes away of such a wave
    return float(2 * abs(np.mean(rest[inner] * phase)) / seen)


def ripple(mean_px: Floats, mask: Mask, scale: float) -> float:
    """Peak to peak (0.5 to 99.5 %) of the smoothed mean disparity against a plane, share of the disparity."""
    smooth = blurred(mean_px, mask, 14 * scale)
    inner = cv2.erode(mask.astype(np.uint8), np.ones((int(28 * scale) | 1,) * 2, np.uint8)).astype(bool)
    residual = (smooth - plane_fit(smooth, inner))[inner] / smooth[inner]
    low, high = np.percentile(residual, [0.5, 99.5])
    return float(high - low)


@dataclass(frozen=True)
class DiscReading:
    """Height of a disc (mm) against one plane, plane and a ring around it, and the map of the empty plane.

    ``edge_sigma_mm``: of the fall of height at its rim; ``radius_mm``: where the height is half.
    """

    plane_mm: float
    ring_mm: float
    map_mm: float
    edge_sigma_mm: float
    radius_mm: float


def plane_geometry(plane_disparity: Floats, gain: float, K: tuple[float, float, float, float]) -> tuple[Floats, Floats]:
    """Points (h, w, 3) mm of a plane given by its disparity image, and n . ray (h, w) of its unit normal."""
    h, w = plane_disparity.shape
    fx, fy, cx, cy = K
    z = gain / plane_disparity
    u, v = np.meshgrid(np.arange(w), np.arange(h))
    rays = np.stack([(u - cx) / fx, (v - cy) / fy, np.ones((h, w))], axis=-1)
    points = rays * z[..., None]
    corners = points[[0, 0, -1], [0, -1, 0]]
    normal = np.cross(corners[1] - corners[0], corners[2] - corners[0])
    normal /= np.linalg.norm(normal) * np.sign(normal[2])
    return points.astype(np.float32), (rays @ normal).astype(np.float32)


def read_disc(
    shot: Floats, empty: Floats, plane: Floats, gain: float, points: Floats, along: Floats, centre: tuple[int, int]
) -> DiscReading:
    """Height of a disc whose foot's centre is at pixel ``centre`` (u, v).

    Args:
        shot: (h, w) disparity of the one shot. ``empty``: mean of shots without the disc there.
        plane: (h, w) disparity of one plane through the shot.
        points, along: of ``plane_geometry``.
    """
    foot = points[centre[1], centre[0]]
    radius = np.linalg.norm(points - foot, axis=-1)
    near = radius < 75
    r, turn = radius[near], along[near]
    z = gain / shot[near]
    plane_mm = (gain / plane[near] - z) * turn
    map_mm = (gain / empty[near] - z) * turn
    core, ring = r < 14, (r > 45) & (r < 70)
    over_plane, around = float(np.nanmedian(plane_mm[core])), float(np.nanmedian(plane_mm[ring]))
    around_map = float(np.nanmedian(map_mm[ring]))
    height = float(np.nanmedian(map_mm[core])) - around_map
    # fall of the mean profile at the rim: sigma of a Gaussian-blurred edge from its 84 % and 16 % points
    bins = np.arange(4, 46, 1.0)
    which = np.digitize(r, bins)
    share = np.array([np.nanmean((map_mm - around_map)[which == k]) for k in range(1, len(bins))]) / max(height, 0.5)
    middle = bins[:-1] + 0.5
    r16, r50, r84 = (_crossing(middle, share, level) for level in (0.16, 0.5, 0.84))
    return DiscReading(over_plane, over_plane - around, height, (r16 - r84) / 2, r50)


def _crossing(r: NDArray[np.floating], share: NDArray[np.floating], level: float) -> float:
    """Outermost radius where a falling profile crosses a level."""
    for k in range(len(r) - 2, -1, -1):
        if share[k] >= level > share[k + 1]:
            return float(r[k] + (share[k] - level) / (share[k] - share[k + 1]))
    return float("nan")
