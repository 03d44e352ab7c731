"""Did the camera move between two pictures of one table? Told by the table's own texture, as a whole."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.tolerances import TOLERANCES

Gray = NDArray[np.float32]

_LEVELS = 8.0  # texture is clipped to this, so that no single edge or reflection has the say


def picture_shift_px(
    before_bgr: NDArray[np.uint8], after_bgr: NDArray[np.uint8], ignore: NDArray[np.bool_]
) -> tuple[float, float] | None:
    """Shift (x, y) of the picture between two (h, w, 3) views in pixels; None where the texture can't tell.

    ``ignore``: (h, w) pixels where the views differ anyway (the board's). Light and lens shading are filtered out, what
    is left is compared by phase correlation. A shift is believed where it is small, a clear peak, and where moving the
    one picture by it makes it more like the other than leaving it.
    """
    a, b = _textures(before_bgr, after_bgr, ignore)
    size = (a.shape[1], a.shape[0])
    (x, y), response = cv2.phaseCorrelate(a, b, cv2.createHanningWindow(size, cv2.CV_32F))
    if response < TOLERANCES.min_shift_response or np.hypot(2 * x, 2 * y) > TOLERANCES.max_shift_px:
        return None
    moved = np.asarray(cv2.warpAffine(a, np.array([[1, 0, x], [0, 1, y]], dtype=np.float32), size), dtype=np.float32)
    if np.hypot(x, y) > 0.5 and _alike(moved, b) < _alike(a, b) + 0.01:
        return None
    return 2 * float(x), 2 * float(y)


def pictures_alike(before_bgr: NDArray[np.uint8], after_bgr: NDArray[np.uint8]) -> float:
    """How alike the texture of two (h, w, 3) views is where it lies: 1 the same, 0 nothing in common. Pieces that come
    and go, and another light, take little of it; a shift by some pixels all. A table without texture has near 0."""
    return _alike(*_textures(before_bgr, after_bgr, np.zeros(before_bgr.shape[:2], np.bool_)))


def _textures(
    before_bgr: NDArray[np.uint8], after_bgr: NDArray[np.uint8], ignore: NDArray[np.bool_]
) -> tuple[Gray, Gray]:
    weight = np.ones(ignore.shape, dtype=np.float32)
    if ignore.any():
        wide = cv2.dilate(ignore.astype(np.uint8), np.ones((41, 41), np.uint8))
        weight = np.asarray(cv2.GaussianBlur((wide == 0).astype(np.float32), (0, 0), 8), dtype=np.float32)
    a, b = (_texture(picture, weight) for picture in (before_bgr, after_bgr))
    return a, b


def _texture(picture: NDArray[np.uint8], weight: Gray) -> Gray:
    """Detail of 1 to 6 pixels in half size, clipped, weighted."""
    gray = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY).astype(np.float32)
    half = cv2.resize(gray, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    detail = np.asarray(cv2.GaussianBlur(half, (0, 0), 1) - cv2.GaussianBlur(half, (0, 0), 6))
    weights = np.asarray(cv2.resize(weight, (half.shape[1], half.shape[0])))
    return np.asarray(np.clip(detail, -_LEVELS, _LEVELS) * weights, dtype=np.float32)


def _alike(a: Gray, b: Gray) -> float:
    """Normalised correlation."""
    return float((a * b).sum() / max(float(np.sqrt((a * a).sum() * (b * b).sum())), 1e-9))
