"""Edges in colour, by direction and hardly by contrast."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from th_vision import tolerances

Image = NDArray[np.float32]


def edge_tensor(color: Image) -> tuple[Image, Image, Image]:
    """Normalised structure tensor (xx, xy, yy) per cell: trace near 1 on a clear edge, near 0 on plain surfaces."""
    smooth = cv2.GaussianBlur(np.nan_to_num(color), (0, 0), 0.8)
    gx = cv2.Sobel(smooth, cv2.CV_32F, 1, 0, scale=1 / 8)
    gy = cv2.Sobel(smooth, cv2.CV_32F, 0, 1, scale=1 / 8)
    if gx.ndim == 3:
        strongest = np.argmax(gx**2 + gy**2, axis=2)[..., None]
        gx = np.take_along_axis(gx, strongest, axis=2)[..., 0]
        gy = np.take_along_axis(gy, strongest, axis=2)[..., 0]
    power = gx**2 + gy**2
    scale = 1 / (power + tolerances.EDGE_CONTRAST**2)
    return (
        (gx * gx * scale).astype(np.float32),
        (gx * gy * scale).astype(np.float32),
        (gy * gy * scale).astype(np.float32),
    )
