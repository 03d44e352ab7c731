"""Points seen through a pinhole camera: the depth frame and the colour frame that it would have taken of them."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import Intrinsics
from th_vision.tolerances import CLOUD_COLOR_FILL_PX, CLOUD_SURFACE_MM

Array = NDArray[np.float64]


def splat_depth(points_mm: Array, intrinsics: Intrinsics, unit_mm: float) -> NDArray[np.uint16]:
    """(h, w) uint16 depth, units of ``unit_mm``, of (n, 3) points in the camera's frame; 0 where there is no point.

    The nearest surface wins. Points of one pixel that belong to that surface are averaged: the nearest alone would
    read the noise of the cloud as height.
    """
    shape = (intrinsics.height, intrinsics.width)
    index, kept = _pixels(points_mm, intrinsics)
    z = points_mm[kept, 2]
    nearest = np.full(shape[0] * shape[1], np.inf)
    np.minimum.at(nearest, index, z)
    front = z <= nearest[index] + CLOUD_SURFACE_MM
    count = np.bincount(index[front], minlength=nearest.size)
    total = np.bincount(index[front], weights=z[front], minlength=nearest.size)
    units = np.rint(total / np.maximum(count, 1) / unit_mm)
    units[(units < 1) | (units > np.iinfo(np.uint16).max)] = 0
    return units.astype(np.uint16).reshape(shape)


def splat_color(points_mm: Array, bgr: NDArray[np.uint8], intrinsics: Intrinsics) -> NDArray[np.uint8]:
    """(h, w, 3) uint8 BGR picture of (n, 3) points with (n, 3) colours; narrow gaps take the nearest point's colour."""
    shape = (intrinsics.height, intrinsics.width)
    index, kept = _pixels(points_mm, intrinsics)
    far_first = np.argsort(-points_mm[kept, 2], kind="stable")
    picture = np.zeros((shape[0] * shape[1], 3), np.uint8)
    seen = np.zeros(shape[0] * shape[1], np.uint8)
    picture[index[far_first]] = bgr[kept][far_first]
    seen[index] = 1
    if not seen.any():
        return picture.reshape(*shape, 3)
    gaps = np.asarray(1 - seen, dtype=np.uint8).reshape(shape)
    distance, labels = cv2.distanceTransformWithLabels(gaps, cv2.DIST_L2, 3, labelType=cv2.DIST_LABEL_PIXEL)
    source = np.zeros(int(labels.max()) + 1, np.int64)
    source[labels.ravel()[seen == 1]] = np.flatnonzero(seen)
    fill = (distance.ravel() <= CLOUD_COLOR_FILL_PX) & (seen == 0)
    picture[fill] = picture[source[labels.ravel()[fill]]]
    return picture.reshape(*shape, 3)


def _pixels(points_mm: Array, intrinsics: Intrinsics) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Flat pixel of each point that the camera sees, and which points those are."""
    before = np.flatnonzero(points_mm[:, 2] > 0)
    uv = np.rint(intrinsics.project(points_mm[before]))
    inside = (uv >= 0).all(axis=1) & (uv[:, 0] < intrinsics.width) & (uv[:, 1] < intrinsics.height)
    flat = uv[inside, 1].astype(np.int64) * intrinsics.width + uv[inside, 0].astype(np.int64)
    return flat, before[inside]
