"""The empty-table map: what the sensor says of the bare table, pixel by pixel, in disparity.

A flat table isn't flat in depth (ripple of up to 1.2 % of the distance), but the ripple stays where it is: measured
against a map of the empty table, heights repeat three times better than against a plane.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.errors import CalibrationError
from calibration.table import EmptyTable
from calibration.tolerances import TOLERANCES

Map = NDArray[np.float32]

_BAND_ROWS = 64  # rows averaged at a time: keeps the working copy of a stack small
_POOL_PX = 15  # window over which neighbouring pixels share their temporal noise figure
_HOLE_PX = 9  # holes up to about twice as wide are filled from around


def map_from_disparities(
    stack: Sequence[Map] | NDArray[np.float32], color_bgr: NDArray[np.uint8] | None = None
) -> EmptyTable:
    """Robust mean over a stack of (h, w) disparity pictures (native pixels, NaN without depth) of one empty table.

    A pixel counts as measured where at least half of the pictures have depth. Its sigma is that of the mean: temporal
    scatter, pooled over the neighbourhood, over sqrt(n); with a single picture the scatter within the neighbourhood.
    Small holes are filled from around (``measured`` False, sigma three times as large); others stay NaN.
    """
    count = len(stack)
    if count == 0:
        raise CalibrationError("no frames for the empty-table map")
    shape = stack[0].shape
    if len(shape) != 2 or any(one.shape != shape for one in stack):
        raise CalibrationError(
            f"depth pictures of different sizes can't make one map: {sorted({s.shape for s in stack})}"
        )
    mean = np.full(shape, np.nan, dtype=np.float32)
    variance = np.full(shape, np.nan, dtype=np.float32)
    for top in range(0, shape[0], _BAND_ROWS):
        rows = slice(top, min(top + _BAND_ROWS, shape[0]))
        mean[rows], variance[rows] = _robust_mean(np.stack([one[rows] for one in stack]).astype(np.float32))
    measured = np.isfinite(mean)
    if count < 3:
        variance = _neighbour_variance(mean)
    pooled = _pool(np.where(measured, variance, np.nan))
    floor = TOLERANCES.step_px**2 / 12
    sigma = np.sqrt(np.maximum(pooled, floor) / count).astype(np.float32)
    sigma[~measured] = np.nan
    filled, filled_sigma = _fill_holes(mean, sigma)
    return EmptyTable(filled, filled_sigma, color_bgr, measured)


def fill_from_around(empty: EmptyTable, hidden: NDArray[np.bool_], plane_px: Map, thickness_px: float) -> EmptyTable:
    """The map with the ``hidden`` pixels (the board's) replaced by what the table beneath must show.

    The board's own face was measured there; smoothed (the ripple is wide, the print's fixed pattern narrow) and lowered
    by the board's thickness it stands for the table. Its rim is left to the pixels around.
    ``plane_px``: (h, w) disparity of the plane, for pixels without any depth.
    """
    off = np.where(hidden, empty.disparity_px - plane_px - np.float32(thickness_px), empty.disparity_px - plane_px)
    smooth = _smooth(off.astype(np.float32), 12.0)
    value = np.where(hidden, plane_px + np.nan_to_num(smooth), empty.disparity_px).astype(np.float32)
    sigma = np.where(hidden, np.float32(TOLERANCES.fixed_pattern_px * 1.5), empty.sigma_px).astype(np.float32)
    return EmptyTable(value, sigma, empty.color_bgr, empty.measured & ~hidden)


def raised_things(
    rise_mm: Map, ignore: NDArray[np.bool_], mm_per_px: float, limit_mm: float | Map
) -> list[tuple[float, int, int]]:
    """What stands above the table in one frame: (area mm2, u, v of its centre) of every patch higher than the limit.

    ``rise_mm``: (h, w) height above what the empty table would show; ``ignore``: (h, w) pixels that don't count;
    ``limit_mm``: one for all pixels or (h, w).
    """
    known = np.isfinite(rise_mm) & ~ignore
    smooth = _smooth(np.where(known, rise_mm, np.nan).astype(np.float32), max(1.5, 2.5 / mm_per_px))
    high = ((smooth > limit_mm) & known).astype(np.uint8)
    _, _, stats, centres = cv2.connectedComponentsWithStats(high, connectivity=4)
    areas = stats[1:, cv2.CC_STAT_AREA].astype(np.float64) * mm_per_px**2
    return [
        (float(area), round(float(centre[0])), round(float(centre[1])))
        for area, centre in zip(areas, centres[1:], strict=True)
        if area >= TOLERANCES.raised_area_mm2
    ]


def color_changed(before_bgr: NDArray[np.uint8], now_bgr: NDArray[np.uint8], mm_per_px: float) -> bool:
    """True where a patch of the colour picture changed: something flat was put down or taken away.

    Exposure is taken out by the median ratio of the two pictures.
    """
    size = max(1, round(4.0 / mm_per_px))
    scale = 1 / size
    a, b = (
        np.asarray(cv2.resize(one, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), dtype=np.float32)
        for one in (before_bgr, now_bgr)
    )
    ratio = float(np.median(a / np.maximum(b, 1.0)))
    changed = (np.abs(a - b * ratio).max(axis=2) > TOLERANCES.changed_levels).astype(np.uint8)
    _, _, stats, _ = cv2.connectedComponentsWithStats(changed, connectivity=4)
    areas = stats[1:, cv2.CC_STAT_AREA] * (size * mm_per_px) ** 2
    return bool((areas >= TOLERANCES.changed_area_mm2).any())


def mean_color(pictures: Sequence[NDArray[np.uint8]]) -> NDArray[np.uint8] | None:
    """Mean of (h, w, 3) colour pictures, or None where there is none."""
    if not pictures:
        return None
    total = np.zeros(pictures[0].shape, dtype=np.float32)
    for one in pictures:
        total += one
    return np.asarray(np.round(total / len(pictures)), dtype=np.uint8)


def _robust_mean(stack: Map) -> tuple[Map, Map]:
    """Mean and variance over axis 0 of (n, rows, w), values far from the median left out; NaN where most are NaN."""
    n = len(stack)
    valid = np.isfinite(stack).sum(axis=0)
    off = np.abs(stack - _median(stack, valid))
    spread = _median(off, valid)
    # A few values of one pixel can lie together by chance: never clip tighter than its neighbourhood's spread.
    spread = np.fmax(spread, _pool(spread))
    use = off <= np.maximum(4.0 * 1.4826 * spread, 2 * TOLERANCES.step_px)
    used = use.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(use, stack, 0).sum(axis=0) / used
        variance = np.where(use, (stack - mean) ** 2, 0).sum(axis=0) / np.maximum(used - 1, 1)
    known = (valid * 2 >= n) & (used > 0)
    return (
        np.where(known, mean, np.nan).astype(np.float32),
        np.where(known, variance, np.nan).astype(np.float32),
    )


def _median(stack: Map, valid: NDArray[np.int64]) -> Map:
    """Median over axis 0 of the values that aren't NaN; ``valid``: how many those are."""
    ordered = np.sort(stack, axis=0)  # NaN last
    low = np.take_along_axis(ordered, (np.maximum(valid - 1, 0) // 2)[None], axis=0)[0]
    high = np.take_along_axis(ordered, np.minimum(valid // 2, len(stack) - 1)[None], axis=0)[0]
    return np.asarray((low + high) / 2, dtype=np.float32)


def _neighbour_variance(mean: Map) -> Map:
    """Variance of each pixel against the mean of its neighbourhood: stands in where no repeats were taken."""
    flat = mean - _slope(mean)
    return ((flat - _smooth(flat, 6.0)) ** 2).astype(np.float32)


def _slope(values: Map) -> Map:
    """The affine function of the pixels that fits (h, w) values best: a tilted plane in disparity."""
    v, u = np.nonzero(np.isfinite(values))
    keep = slice(None, None, max(1, len(u) // 20_000))
    u, v = u[keep], v[keep]
    ones = np.ones(len(u))
    best = np.linalg.lstsq(np.stack([u, v, ones], axis=1), values[v, u].astype(np.float64), rcond=None)[0]
    rows, columns = np.mgrid[0 : values.shape[0], 0 : values.shape[1]]
    return np.asarray(best[0] * columns + best[1] * rows + best[2], dtype=np.float32)


def _pool(values: Map) -> Map:
    """Mean over a square window, NaN left out."""
    known = np.isfinite(values)
    window = (_POOL_PX, _POOL_PX)
    total = cv2.blur(np.where(known, values, 0).astype(np.float32), window)
    weight = cv2.blur(known.astype(np.float32), window)
    return (total / np.maximum(weight, 1e-6)).astype(np.float32)


def _smooth(values: Map, sigma_px: float) -> Map:
    """Gaussian mean, NaN left out; NaN where nothing is near."""
    known = np.isfinite(values)
    total = cv2.GaussianBlur(np.where(known, values, 0).astype(np.float32), (0, 0), sigma_px)
    weight = cv2.GaussianBlur(known.astype(np.float32), (0, 0), sigma_px)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(weight > 1e-3, total / weight, np.nan).astype(np.float32)


def _fill_holes(mean: Map, sigma: Map) -> tuple[Map, Map]:
    """Fill the holes that closing the measured area with a small disc closes; large ones stay NaN."""
    known = np.isfinite(mean)
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * _HOLE_PX + 1, 2 * _HOLE_PX + 1))
    closed = cv2.morphologyEx(known.astype(np.uint8), cv2.MORPH_CLOSE, kernel, borderType=cv2.BORDER_CONSTANT) > 0
    holes = closed & ~known
    if not holes.any():
        return mean, sigma
    slope = _slope(mean)
    around, around_sigma = slope + _smooth(mean - slope, _HOLE_PX / 2), _smooth(sigma, _HOLE_PX / 2)
    return (
        np.where(holes, around, mean).astype(np.float32),
        np.where(holes, 3 * around_sigma, sigma).astype(np.float32),
    )
