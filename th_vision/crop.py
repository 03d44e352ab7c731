"""The camera's own picture of a spot on the table: what was there to see when a ruling fell."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.table import TableCalibration, transform
from rules.layout import Point3, Road
from th_vision.still_view import StillView

Image = NDArray[np.uint8]
SIZE_MM: Final = 110.0
"""Side of the square of the table that is shown: about a stick's length."""
SIDE_PX: Final = 460
JPEG_QUALITY: Final = 85


def crop_of(color: Image, table: TableCalibration, at: Point3, size_mm: float = SIZE_MM) -> Image | None:
    """The colour image around a point of the table frame, as the camera sees it, enlarged; None out of its view.

    Args:
        color: (h, w, 3) uint8 BGR of the calibrated camera.
        at: table frame, mm; what stands there at this height is in the middle.
    """
    half = size_mm / 2
    corners = np.array([[at[0] + dx * half, at[1] + dy * half, at[2]] for dx in (-1, 1) for dy in (-1, 1)])
    seen = transform(table.T_color_table, corners)
    if seen[:, 2].min() <= 0:
        return None
    if table.camera.color is None:
        return None
    pixels = table.camera.color.project(seen)
    (x0, y0), (x1, y1) = pixels.min(axis=0), pixels.max(axis=0)
    side = max(x1 - x0, y1 - y0)
    middle = ((x0 + x1) / 2, (y0 + y1) / 2)
    height, width = color.shape[:2]
    if side < 4 or not (0 <= middle[0] < width and 0 <= middle[1] < height):
        return None
    scale = SIDE_PX / side
    move = np.array([[scale, 0, SIDE_PX / 2 - scale * middle[0]], [0, scale, SIDE_PX / 2 - scale * middle[1]]])
    out = cv2.warpAffine(color, move, (SIDE_PX, SIDE_PX), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_CONSTANT)
    return np.asarray(out, dtype=np.uint8)


def crop_of_road(view: StillView, road: Road) -> bytes | None:
    """What the camera saw of a road in a still view, as JPEG; None where it saw no colour there."""
    if view.color_bgr is None:
        return None
    a, b = road.ends
    picture = crop_of(view.color_bgr, view.table, ((a[0] + b[0]) / 2, (a[1] + b[1]) / 2, (a[2] + b[2]) / 2))
    return None if picture is None else jpeg_of(picture)


def jpeg_of(image: Image) -> bytes:
    """The image as JPEG."""
    done, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
    assert done, "an 8-bit colour image can be written as JPEG"
    return bytes(data)
