"""A still view: raw frames of a scene that stands still, fused in the native depth grid against the empty table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.table import TableCalibration
from th_vision import tolerances
from th_vision.errors import VisionError
from th_vision.frame import Frame

Map = NDArray[np.float32]


@dataclass(frozen=True)
class StillView:
    """What the camera saw of one still moment.

    ``disparity_px``: (h, w) float32 fused disparity, native pixels; NaN where nothing was seen.
    ``rise_px``: (h, w) float32 disparity minus the empty-table map, with this view's offset and tilt (re-fitted on
    free table) taken out: 0 on the bare table, positive for whatever stands on it.
    ``sigma_px``: (h, w) float32, one standard deviation of ``rise_px`` per pixel (neighbours are correlated: see
    ``independent_px`` pixels to one independent sample).
    ``color_bgr``: (hc, wc, 3) uint8 mean colour, or None.
    ``free_table_sd_px``: scatter of ``rise_px`` on free table, disparity pixels.
    """

    disparity_px: Map
    rise_px: Map
    sigma_px: Map
    color_bgr: NDArray[np.uint8] | None
    frames: int
    time_s: float
    independent_px: float
    table: TableCalibration
    free_table_sd_px: float = 0.0


def fuse(frames: Sequence[Frame], table: TableCalibration) -> StillView:
    """Fuse frames of one still scene.

    Raw frames are averaged in disparity, where the sensor's noise is even, pixel by pixel in the native grid; nothing
    is filled in. A common offset and tilt (drift) is fitted on free table and taken out. The sigma of a pixel joins
    what frames scatter, what the map is unsure of, and the fixed pattern that is redrawn on new surfaces.

    Raises:
        VisionError: no frame, or frames whose size is not the calibration's.
    """
    if not frames:
        raise VisionError("still view: no frame to fuse; give at least one settled frame")
    shape = table.empty.disparity_px.shape
    for frame in frames:
        if frame.depth.shape != shape:
            raise VisionError(
                f"frame {frame.number}: depth is {frame.depth.shape[1]}x{frame.depth.shape[0]}, the calibration was "
                f"made for {shape[1]}x{shape[0]}; calibrate again with this camera mode"
            )
    mean, scatter, seen = _mean_disparity(frames, table.camera.disparity_gain / table.camera.depth_unit_mm)
    rise = mean - table.empty.disparity_px
    free_offset, free_sd = _free_table_trend(rise)
    rise -= free_offset
    # The scatter between frames is itself noisy when there are few: one figure for all, raised where a pixel is worse.
    scattered = len(frames) > 1 and bool(np.isfinite(scatter).any())
    common = max(float(np.nanmedian(scatter)) if scattered else free_sd, tolerances.FRAME_NOISE_FLOOR_PX)
    frame_sd = np.maximum(scatter, common) if len(frames) > 2 else np.full(shape, common, np.float32)
    temporal = frame_sd / np.sqrt(np.maximum(seen, 1))
    sigma = np.sqrt(temporal**2 + table.empty.sigma_px**2 + np.float32(tolerances.FIXED_PATTERN_PX) ** 2)
    kernel_area = table.camera.kernel_scale**2
    return StillView(
        disparity_px=mean,
        rise_px=rise,
        sigma_px=sigma.astype(np.float32),
        color_bgr=_mean_color(frames),
        frames=len(frames),
        time_s=frames[-1].time_s,
        independent_px=tolerances.INDEPENDENT_NATIVE_PX * kernel_area,
        table=table,
        free_table_sd_px=free_sd,
    )


def _mean_disparity(frames: Sequence[Frame], gain_units: float) -> tuple[Map, Map, NDArray[np.int32]]:
    """Mean and scatter between frames, (h, w) each, of disparity; and how many frames saw each pixel."""
    shape = frames[0].depth.shape
    total = np.zeros(shape, np.float64)
    squares = np.zeros(shape, np.float64)
    seen = np.zeros(shape, np.int32)
    for frame in frames:
        depth = frame.depth
        valid = depth > 0
        disparity = np.zeros(shape, np.float64)
        np.divide(gain_units, depth, out=disparity, where=valid)
        total += disparity
        squares += disparity * disparity
        seen += valid
    enough = seen >= max(1.0, tolerances.SEEN_SHARE * len(frames))
    count = np.where(enough, seen, 1)
    mean = np.where(enough, total / count, np.nan)
    variance = np.maximum(squares / count - (total / count) ** 2, 0) * (count / np.maximum(count - 1, 1))
    scatter = np.where(enough, np.sqrt(variance), np.nan).astype(np.float32)
    if len(frames) > 2 and np.isfinite(scatter).any():
        usual = float(np.nanmedian(scatter))
        restless = scatter > tolerances.RESTLESS_SIGMAS * max(usual, tolerances.FRAME_NOISE_FLOOR_PX)
        mean[restless] = np.nan
    return mean.astype(np.float32), scatter, seen


def _free_table_trend(rise: Map) -> tuple[Map, float]:
    """The offset and tilt, (h, w), that this view has on free table, and the scatter around it (disparity px).

    What stands on the table only raises disparity, so the fit starts at the mode and keeps to what lies near it.
    """
    height, width = rise.shape
    step = max(1, int(np.sqrt(height * width / 40_000)))
    v, u = np.mgrid[0:height:step, 0:width:step]
    sample = rise[::step, ::step].ravel().astype(np.float64)
    good = np.isfinite(sample)
    if good.sum() < 100:
        return np.zeros_like(rise), tolerances.FRAME_NOISE_FLOOR_PX
    A = np.stack([np.ones(good.sum()), u.ravel()[good] / width - 0.5, v.ravel()[good] / height - 0.5], axis=1)
    y = sample[good]
    centre, spread = _mode(y)
    keep = np.abs(y - centre) < 4 * spread
    beta = np.array([centre, 0.0, 0.0])
    for _ in range(8):
        beta = np.linalg.lstsq(A[keep], y[keep], rcond=None)[0]
        residual = y - A @ beta
        spread = max(1.4826 * float(np.median(np.abs(residual[keep]))), 1e-3)
        keep = np.abs(residual) < tolerances.FREE_TABLE_SIGMAS * spread
    uu = np.arange(width, dtype=np.float64) / width - 0.5
    vv = np.arange(height, dtype=np.float64) / height - 0.5
    trend = beta[0] + beta[1] * uu[None, :] + beta[2] * vv[:, None]
    return trend.astype(np.float32), float(np.std(residual[keep]))


def _mode(values: NDArray[np.float64]) -> tuple[float, float]:
    """Mode and one-sided width of values most of which lie near one centre, with a tail upward."""
    low, high = np.percentile(values, [1, 75])
    edges = np.linspace(low, high + (high - low) * 0.25 + 1e-6, 60)
    counts, _ = np.histogram(values, edges)
    smooth = np.convolve(counts, np.ones(5) / 5, mode="same")
    centre = float((edges[np.argmax(smooth)] + edges[np.argmax(smooth) + 1]) / 2)
    below = values[values < centre]
    spread = 1.4826 * float(np.median(centre - below)) if len(below) > 10 else float(np.std(values))
    return centre, max(spread, 1e-3)


def _mean_color(frames: Sequence[Frame]) -> NDArray[np.uint8] | None:
    """Mean colour image of the frames that have one of the usual size."""
    images = [frame.color for frame in frames if frame.color is not None]
    images = [image for image in images if image.shape == images[0].shape]
    if not images:
        return None
    if len(images) == 1:
        return images[0]
    total = np.zeros(images[0].shape, np.float32)
    for image in images:
        total += image
    return np.asarray(np.rint(total / len(images)), dtype=np.uint8)
