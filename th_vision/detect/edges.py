"""Edges in colour, by direction and hardly by contrast."""

from __future__ import annotations

from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from th_vision import tolerances
from th_vision.detect.sampling import sample

Image = NDArray[np.float32]
Array = NDArray[np.float64]
BAND_PX = 90
"""Rows that are worked on together: they fit the processor's cache."""
SUM = np.ones((1, 3), np.float32)
CHANNELS = 1.5
"""A gray edge is seen in three channels, a coloured one mostly in one."""
MARGIN_PX = 4
"""So far around a place the picture decides what its edges are."""


def edge_tensor(color: Image) -> Image:
    """(h, w, 3) normalised structure tensor (xx, xy, yy) of a picture (h, w, 3), all channels together (Di Zenzo 1986):
    trace near 1 on a clear edge, near 0 on plain surfaces."""
    smooth = cv2.GaussianBlur(np.nan_to_num(color), (0, 0), 0.8)
    gx = cv2.Sobel(smooth, cv2.CV_32F, 1, 0, scale=1 / 8)
    gy = cv2.Sobel(smooth, cv2.CV_32F, 0, 1, scale=1 / 8)
    xx, xy, yy = (cv2.transform(cv2.multiply(one, two), SUM) for one, two in ((gx, gx), (gx, gy), (gy, gy)))
    scale = np.float32(1) / (xx + yy + np.float32(CHANNELS * tolerances.EDGE_CONTRAST**2))
    return np.asarray(cv2.merge([xx * scale, xy * scale, yy * scale]), dtype=np.float32)


class EdgeImage:
    """The edges of a colour picture (h, w, 3), to be asked at places; computed when first asked."""

    def __init__(self, color: Image) -> None:
        self.color = color

    @cached_property
    def tensor(self) -> Image:
        """(h, w, 3) structure tensor (xx, xy, yy) of the picture."""
        height, width = self.color.shape[:2]
        out = np.empty((height, width, 3), np.float32)
        for top in range(0, height, BAND_PX):
            low, high = max(top - MARGIN_PX, 0), min(top + BAND_PX, height)
            out[top:high] = edge_tensor(self.color[low : high + MARGIN_PX])[top - low : high - low]
        return out

    def at(self, pixels: Array) -> Image:
        """(..., 3) structure tensor (xx, xy, yy) at (..., 2) pixels; NaN outside the picture."""
        return sample(self.tensor, pixels)
