"""Where a view differs from an earlier one of the same table: in colour, or in depth, block by block.

Two views of one camera differ by noise alone where nothing changed, and by much where a piece was pushed by a
millimetre: along its outline. What usually differs says how much is noise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.table import TableCalibration, transform
from th_vision import tolerances
from th_vision.still_view import StillView

Array = NDArray[np.float64]
Image = NDArray[np.float32]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Glance:
    """A view at a lower resolution, for what comes later to be held against.

    ``rise_px``, ``sigma_px``: (h, w) means of each block of native pixels, NaN where little was seen. ``color``:
    (hc, wc, 3) BGR, a whole number of blocks.
    """

    table: TableCalibration
    rise_px: Image
    sigma_px: Image
    color: Image


@dataclass(frozen=True)
class Changes:
    """Blocks that changed: ``depth`` (h, w) of native pixels, ``color`` (hb, wb) of the glance's colour. ``gain``: (3,)
    how much brighter each channel is now."""

    table: TableCalibration
    depth: Mask
    color: Mask
    gain: Image

    @property
    def share(self) -> float:
        """Share of the picture that changed, of the one of which more did."""
        return float(max(self.depth.mean(), self.color.mean()))

    @cached_property
    def _near_color(self) -> Mask:
        """What changed in colour, and the blocks beside it."""
        return np.asarray(cv2.dilate(self.color.astype(np.uint8), np.ones((3, 3), np.uint8)) > 0, dtype=np.bool_)

    def touched(self, extents: Sequence[Array]) -> list[bool]:
        """Whether anything changed where any of (n, 3) table points appear, for each of some such arrays."""
        if not extents:
            return []
        camera, points = self.table.camera, np.concatenate(extents)
        assert camera.color is not None
        in_depth = camera.depth.project(transform(self.table.T_depth_table, points))
        in_color = camera.color.project(transform(self.table.T_color_table, points))
        changed = _at(self.depth, in_depth / tolerances.CHANGE_DEPTH_BLOCK_PX)
        changed |= _at(self._near_color, in_color / color_block_px(camera.color.width))
        starts = np.cumsum([0, *(len(extent) for extent in extents)])[:-1]
        return [bool(any_of) for any_of in np.logical_or.reduceat(changed, starts)]

    def corners(self) -> tuple[Array, Array]:
        """(n, 2) pixels each, of the depth and of the colour picture: corners of all blocks that changed."""
        camera = self.table.camera
        assert camera.color is not None
        return (
            _corners(self.depth, tolerances.CHANGE_DEPTH_BLOCK_PX),
            _corners(self.color, color_block_px(camera.color.width)),
        )


def glance_at(view: StillView) -> Glance | None:
    """The view at a lower resolution; None without colour, for depth alone doesn't show what is pushed a little."""
    if view.color_bgr is None or view.table.camera.color is None:
        return None
    seen = np.isfinite(view.rise_px)
    share = _blocks(seen.astype(np.float32))
    rise, sigma = (
        np.where(share >= tolerances.CHANGE_SEEN_SHARE, total / np.maximum(share, np.float32(1e-3)), np.float32(np.nan))
        for total in (_blocks(np.where(seen, image, np.float32(0))) for image in (view.rise_px, view.sigma_px))
    )
    size = color_block_px(view.color_bgr.shape[1])
    rows, columns = view.color_bgr.shape[0] // size, view.color_bgr.shape[1] // size
    small = (columns * tolerances.CHANGE_COLOR_CELLS, rows * tolerances.CHANGE_COLOR_CELLS)
    color = cv2.resize(view.color_bgr[: rows * size, : columns * size], small, interpolation=cv2.INTER_AREA)
    return Glance(view.table, rise, sigma, color.astype(np.float32))


def changes(before: Glance, now: Glance) -> Changes | None:
    """What differs between two glances; None where they can't be compared: another table, another picture."""
    if now.table is not before.table or now.color.shape != before.color.shape:
        return None
    off = np.abs(now.rise_px - before.rise_px)
    noise = np.hypot(now.sigma_px, before.sigma_px)
    depth = off > np.maximum(tolerances.CHANGE_DEPTH_PX, tolerances.CHANGE_DEPTH_SIGMAS * noise)
    # the kernel spreads whatever changes over some blocks; one alone is noise
    beside = cv2.boxFilter(depth.astype(np.float32), -1, (3, 3), normalize=False, borderType=cv2.BORDER_CONSTANT)
    depth &= np.asarray(beside) > tolerances.CHANGE_DEPTH_BLOCKS - 0.5
    gain = gain_of(before, now)
    apart = cv2.absdiff(now.color * (1 / gain), before.color)
    blocks = _largest(np.asarray(cv2.max(cv2.max(apart[..., 0], apart[..., 1]), apart[..., 2]), dtype=np.float32))
    least = max(tolerances.CHANGE_COLOR_LEVELS, tolerances.CHANGE_COLOR_USUAL * float(np.median(blocks)))
    return Changes(now.table, np.asarray(depth, dtype=np.bool_), np.asarray(blocks > least, dtype=np.bool_), gain)


def _blocks(image: Image) -> Image:
    """Means over blocks of native pixels."""
    block = tolerances.CHANGE_DEPTH_BLOCK_PX
    height, width = image.shape[0] // block, image.shape[1] // block
    part = image[: height * block, : width * block]
    return np.asarray(cv2.resize(part, (width, height), interpolation=cv2.INTER_AREA), dtype=np.float32)


def _largest(image: Image) -> Image:
    """The largest value of each block of cells."""
    cells = tolerances.CHANGE_COLOR_CELLS
    rows = np.maximum.reduce([image[k::cells] for k in range(cells)])
    return np.asarray(np.maximum.reduce([rows[:, k::cells] for k in range(cells)]), dtype=np.float32)


def gain_of(before: Glance, now: Glance) -> Image:
    """(3,) how much brighter each channel is now."""
    step = 4
    ratio = (now.color[::step, ::step] + 1) / (before.color[::step, ::step] + 1)
    return np.asarray(np.median(np.ascontiguousarray(ratio.reshape(-1, 3).T), axis=1), dtype=np.float32)


def color_block_px(width: int) -> int:
    """Side of a block of the colour picture, px."""
    return tolerances.CHANGE_COLOR_CELLS * max(1, round(width / tolerances.CHANGE_COLOR_WIDTH_PX))


def _at(mask: Mask, places: Array) -> Mask:
    """(n,) what a mask says at (n, 2) places; False outside."""
    at = np.floor(places).astype(int)
    inside = (at >= 0).all(axis=-1) & (at < mask.shape[::-1]).all(axis=-1)
    height, width = mask.shape
    out = inside & mask[np.clip(at[:, 1], 0, height - 1), np.clip(at[:, 0], 0, width - 1)]
    return np.asarray(out, dtype=np.bool_)


def _corners(mask: Mask, block_px: int) -> Array:
    v, u = np.nonzero(mask)
    middle = np.stack([u, v], axis=1).astype(np.float64)
    return np.concatenate([(middle + np.array([du, dv])) * block_px for du in (0, 1) for dv in (0, 1)])
