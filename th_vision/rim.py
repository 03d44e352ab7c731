"""The edge of what the camera sees well: supplies lie there, and what is built there may soon be outside."""

from __future__ import annotations

import cv2
import numpy as np
from shapely import Point, Polygon

from calibration.table import TableCalibration
from rules.layout import Layout, Point2
from th_vision import tolerances as tol
from th_vision.change import Change

Field = tuple[Point2, ...]


def at_the_rim(layout: Layout, field: Field | None) -> frozenset[str]:
    """Ids of the roads and columns that lie wholly within a hand's width of the field's edge, or outside."""
    if field is None:
        return frozenset()
    inner = Polygon(field).buffer(-tol.RIM_MM)
    outside = {c.id for c in layout.columns if not inner.covers(Point(c.x, c.y))}
    outside |= {r.id for r in layout.roads if not any(inner.covers(Point(end[:2])) for end in r.ends)}
    return frozenset(outside)


def discs_lie_about(change: Change, field: Field | None) -> bool:
    """Whether a new column carries no new road, and is no supply at the rim."""
    rim = at_the_rim(change.seen, field)
    carrying = {end for road in change.new_roads for end in road.rests_on}
    return any(column.id not in rim and column.id not in carrying for column in change.new_columns)


def near_the_edge(x: float, y: float, field: Field, within_mm: float) -> bool:
    """Whether a place is nearer to the field's edge than that, or outside."""
    return not Polygon(field).buffer(-within_mm).covers(Point(x, y))


def field_of(table: TableCalibration) -> Field | None:
    """Outline of what the depth camera sees of the table, mm: the hull of where the empty-table map was measured."""
    step = tol.RIM_STEP_PX
    rows, columns = np.nonzero(table.empty.measured[::step, ::step])
    if len(rows) < 3:
        return None
    pixels = np.stack([columns, rows], axis=1).astype(np.float64) * step
    rays = table.camera.depth.rays(pixels) @ table.T_table_depth[:3, :3].T
    eye = table.T_table_depth[:3, 3]
    down = np.minimum(rays[:, 2], -1e-3)
    points = eye[:2] + rays[:, :2] * (eye[2] / -down)[:, None]
    points = np.clip(points, -tol.TABLE_HALF_MM, tol.TABLE_HALF_MM).astype(np.float32)
    hull = cv2.convexHull(points)[:, 0]
    return tuple((float(x), float(y)) for x, y in hull) if len(hull) >= 3 else None
