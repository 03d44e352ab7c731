"""Leaving out of pictures what is beside the field of play: people, and the rest of the room.

What stands on the field is seen over table beside it, the more so the higher it is. So a pixel is kept where its ray
meets the field anywhere between the table and the height of the highest thing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray
from shapely import MultiPoint, Polygon

from calibration.camera import Intrinsics
from calibration.table import Array, TableCalibration, transform
from rules.layout import Layout, Point2
from th_vision.frame import Frame
from th_vision.rim import field_of
from th_vision.tolerances import HIGHEST_COLUMN_MM

Mask = NDArray[np.bool_]

# Table kept around the pieces: free table is needed beside them, for a view's drift and tilt are fitted there.
AROUND_MM = 130.0
# JPEG packs squares of so many pixels: whole ones are kept, so that packing them again changes next to nothing.
JPEG_PX = 8


def field_outline(
    layouts: Iterable[Layout], table: TableCalibration, around_mm: float = AROUND_MM
) -> tuple[Point2, ...]:
    """Outline of the field of play, mm: around all pieces of the layouts, and within what the calibration saw."""
    points = [point for layout in layouts for point in _points(layout)]
    seen = field_of(table)
    field = None if seen is None else Polygon(seen)
    if points:
        around = MultiPoint(points).convex_hull.buffer(around_mm)
        field = around if field is None else around.intersection(field)
    if not isinstance(field, Polygon) or field.is_empty:
        return ()
    return tuple((float(x), float(y)) for x, y in field.convex_hull.exterior.coords[:-1])


def _points(layout: Layout) -> list[Point2]:
    flat = [(column.x, column.y) for column in layout.columns] + [(car.x, car.y) for car in layout.cars]
    flat += [(end[0], end[1]) for road in layout.roads for end in road.ends]
    return flat + [point for thing in layout.city for point in thing.outline]


@dataclass(frozen=True)
class Crop:
    """What is kept of a camera's pictures: masks of the depth grid and of the colour picture (None: no colour)."""

    depth: Mask
    color: Mask | None

    def frame(self, frame: Frame) -> Frame:
        """The frame with everything else black, and without depth there."""
        color = frame.color
        if color is not None and self.color is not None:
            color = np.where(self.color[:, :, None], color, np.uint8(0))
        return Frame(frame.number, frame.time_s, np.where(self.depth, frame.depth, np.uint16(0)), color)

    def table(self, table: TableCalibration) -> TableCalibration:
        """The calibration of the smaller field: what is left out was never measured."""
        empty = table.empty
        color = empty.color_bgr
        if color is not None and self.color is not None:
            color = np.where(self.color[:, :, None], color, np.uint8(0))
        nothing = np.float32(np.nan)
        cut = replace(
            empty,
            disparity_px=np.where(self.depth, empty.disparity_px, nothing),
            sigma_px=np.where(self.depth, empty.sigma_px, nothing),
            color_bgr=color,
            measured=empty.measured & self.depth,
        )
        return replace(table, empty=cut)


def crop_of(outline: tuple[Point2, ...], table: TableCalibration, height_mm: float = HIGHEST_COLUMN_MM) -> Crop:
    """What to keep for a field with this outline (convex, mm), on which nothing is higher than ``height_mm``."""
    camera = table.camera
    corners = np.array([(x, y, z) for x, y in outline for z in (0.0, height_mm)])
    depth = _covered(transform(table.T_depth_table, corners), camera.depth, 1)
    if camera.color is None:
        return Crop(depth, None)
    return Crop(depth, _covered(transform(table.T_color_table, corners), camera.color, JPEG_PX))


def _covered(points: Array, K: Intrinsics, square_px: int) -> Mask:
    """Pixels inside the hull of some points (camera frame, mm), whole squares of them."""
    mask = np.zeros((K.height, K.width), np.uint8)
    pixels = K.project(points[points[:, 2] > 1.0])
    if len(pixels) >= 3:
        limit = 4.0 * max(K.width, K.height)
        hull = cv2.convexHull(np.clip(pixels, -limit, limit).astype(np.float32))
        cv2.fillConvexPoly(mask, np.rint(hull).astype(np.int32), 1)
    if square_px > 1:
        rows, columns = -(-K.height // square_px), -(-K.width // square_px)
        padded = np.zeros((rows * square_px, columns * square_px), np.uint8)
        padded[: K.height, : K.width] = mask
        touched = padded.reshape(rows, square_px, columns, square_px).max(axis=(1, 3))
        mask = touched.repeat(square_px, axis=0).repeat(square_px, axis=1)[: K.height, : K.width]
    return mask > 0
