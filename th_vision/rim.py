"""The edge of what the camera sees well: supplies lie there, and what is built there may soon be outside."""

from __future__ import annotations

from shapely import Point, Polygon

from rules.layout import Layout, Point2
from th_vision import tolerances as tol

Field = tuple[Point2, ...]


def at_the_rim(layout: Layout, field: Field | None) -> frozenset[str]:
    """Ids of the roads and columns that lie wholly within a hand's width of the field's edge, or outside."""
    if field is None:
        return frozenset()
    inner = Polygon(field).buffer(-tol.RIM_MM)
    outside = {c.id for c in layout.columns if not inner.covers(Point(c.x, c.y))}
    outside |= {r.id for r in layout.roads if not any(inner.covers(Point(end[:2])) for end in r.ends)}
    return frozenset(outside)


def near_the_edge(x: float, y: float, field: Field, within_mm: float) -> bool:
    """Whether a place is nearer to the field's edge than that, or outside."""
    return not Polygon(field).buffer(-within_mm).covers(Point(x, y))
