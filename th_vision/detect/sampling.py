"""Bilinear samples of an image at places that need not be whole pixels."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Image = NDArray[np.float32]
ROW = 256
"""Places are laid out in rows of this length: cv2.remap refuses maps of more than 32767 rows or columns."""
MOST_ROWS = 30_000


def sample(image: Image, pixels: Array) -> Image:
    """Bilinear samples (...) or (..., channels) at (..., 2) pixels; NaN outside."""
    shape = pixels.shape[:-1]
    flat = pixels.reshape(-1, 2)
    count = len(flat)
    if not count:  # cv2.remap refuses empty maps
        return np.empty((*shape, *image.shape[2:]), np.float32)
    rows = -(-count // ROW)
    padded = np.zeros((rows * ROW, 2), np.float32)
    padded[:count] = flat
    places = padded.reshape(rows, ROW, 2)
    parts = [remap(image, part[..., 0], part[..., 1]) for part in np.split(places, range(MOST_ROWS, rows, MOST_ROWS))]
    out = parts[0] if len(parts) == 1 else np.concatenate(parts)
    return np.asarray(out.reshape(-1, *image.shape[2:])[:count].reshape(*shape, *image.shape[2:]), dtype=np.float32)


def remap(image: Image, map_x: Image, map_y: Image) -> Image:
    """Bilinear samples of an image at pixel maps; NaN outside."""
    got = cv2.remap(
        image,
        np.ascontiguousarray(map_x),
        np.ascontiguousarray(map_y),
        cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_CONSTANT,
        borderValue=[np.nan] * 4,
    )
    return np.asarray(got, dtype=np.float32)
