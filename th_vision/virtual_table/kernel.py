"""What window matching does to true disparity: blending of small steps, fattening of large ones, shadows, bands.

Arrays are (h, w) float32 in native disparity pixels unless said otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

# Steps below the first are blended, above the second matched as two surfaces, in between a mix: under about 1 px
# a step is blended, and roads read 3 mm low at 8 mm, 5.7 at 18-26, 3.9 at 34, 1.3 at 53 (32e3 px*mm, 0.7 m).
BLENDED_BELOW_PX = 1.0
SPLIT_ABOVE_PX = 3.0
# Growth of a fattened edge: (sideways, up and down) px, from the least to the most ragged place.
FATTENING_PX = ((2, 1), (3, 1), (4, 2), (5, 2), (6, 3), (7, 3), (8, 4))
_REACH_SIGMAS = 2.5
_MIN_SHADOW_PX = 1.0
# The left band is wider than the disparity, and ragged (times ``ragged_px``): by 4 to 18 px on real D415 frames.
_BAND_MORE_PX, _BAND_RAGGED = 9.5, 7.0


@dataclass(frozen=True)
class Matched:
    """Disparity as the matcher would give it without noise.

    ``split``: 0..1, how far the place is matched as two surfaces (at large steps). ``lost``: (h, w) bool, no match:
    hidden from the right imager, or outside its picture.
    """

    disparity: Floats
    split: Floats
    lost: NDArray[np.bool_]


def blur(field: Floats, sigma: tuple[float, float]) -> Floats:
    """Gaussian of (horizontal, vertical) sigma."""
    out = cv2.GaussianBlur(field, (0, 0), sigmaX=sigma[0], sigmaY=sigma[1], borderType=cv2.BORDER_REPLICATE)
    return np.asarray(out, dtype=np.float32)


def _window(field: Floats, sigma: tuple[float, float]) -> tuple[Floats, Floats]:
    """Least and greatest value within the kernel's reach."""
    size = (2 * int(_REACH_SIGMAS * sigma[0]) + 1, 2 * int(_REACH_SIGMAS * sigma[1]) + 1)
    rectangle = cv2.getStructuringElement(cv2.MORPH_RECT, size)
    low, high = cv2.erode(field, rectangle), cv2.dilate(field, rectangle)
    return np.asarray(low, dtype=np.float32), np.asarray(high, dtype=np.float32)


def fatten(field: Floats, raggedness: Floats) -> Floats:
    """Grow whatever is nearer over what is behind it, by a width that varies with ``raggedness`` (0..1)."""
    steps = len(FATTENING_PX)
    index = np.clip((raggedness * steps).astype(np.int32), 0, steps - 1)
    out = field.copy()
    for k, (sideways, upright) in enumerate(FATTENING_PX):
        size = (2 * sideways + 1, 2 * upright + 1)
        grown = cv2.dilate(field, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, size))
        np.copyto(out, np.asarray(grown, dtype=np.float32), where=index == k)
    return out


def shadow(disparity: Floats, ragged_px: Floats) -> NDArray[np.bool_]:
    """(h, w) bool: hidden from the right imager by something nearer to the right in the row, or out of its picture."""
    landing = np.arange(disparity.shape[1], dtype=np.float32)[None, :] - disparity
    nearest = np.minimum.accumulate(landing[:, ::-1], axis=1)[:, ::-1]
    hidden = landing - nearest > _MIN_SHADOW_PX + ragged_px
    outside = landing < _BAND_MORE_PX + _BAND_RAGGED * ragged_px
    return np.asarray(hidden | outside, dtype=np.bool_)


def match(truth: Floats, base: Floats, sigma: tuple[float, float], raggedness: Floats) -> Matched:
    """Pass true disparity through the matching kernel.

    Args:
        truth: true disparity, 0 where nothing is seen.
        base: disparity of the bare table plane (its slope is no step).
        sigma: Gaussian sigma of the kernel (horizontal, vertical), px.
        raggedness: smooth field 0..1 that says how far edges are fattened where.
    """
    rise = truth - base
    blended = blur(rise, sigma)
    low, high = _window(rise, sigma)
    step = high - low
    t = np.clip((step - BLENDED_BELOW_PX) / (SPLIT_ABOVE_PX - BLENDED_BELOW_PX), 0, 1)
    split = np.asarray(t * t * (3 - 2 * t), dtype=np.float32)
    disparity = blended
    if float(split.max()) > 0:
        split = blur(split, (sigma[0] / 2, sigma[1] / 2))
        fat = fatten(rise, raggedness)
        near = (fat > (low + high) / 2).astype(np.float32)
        weight = blur(near, sigma)
        in_front = blur(fat * near, sigma) / np.maximum(weight, 1e-4)
        behind = blur(fat * (1 - near), sigma) / np.maximum(1 - weight, 1e-4)
        two = np.where(near > 0, in_front, behind)
        disparity = np.asarray((1 - split) * blended + split * two, dtype=np.float32)
    disparity = np.asarray(disparity + base, dtype=np.float32)
    lost = shadow(disparity, np.asarray(1.5 * raggedness - 0.75, dtype=np.float32)) | (truth <= 0)
    return Matched(disparity, split, lost)
