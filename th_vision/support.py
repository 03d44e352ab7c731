"""What lies on what: roads on columns or on the table, cars on roads. Plan geometry in mm, heights from the layout."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from rules.layout import Car, Column, Road
from rules.pieces import Pieces
from th_vision import tolerances as tol


def column_at(road: Road, end: int, columns: Iterable[Column], pieces: Pieces) -> Column | None:
    """The column that an end of a road lies at: the one the reading names, else the nearest that fits."""
    columns = list(columns)
    named = next((c for c in columns if c.id == road.rests_on[end]), None)
    if named is not None:
        return named
    tip, other = np.array(road.ends[end]), np.array(road.ends[1 - end])
    length = float(np.hypot(*(other - tip)[:2]))
    part = tip + (other - tip) * min(1.0, 2 * pieces.disc.diameter / max(length, 1.0))
    best, best_distance = None, pieces.disc.radius + tol.RESTS_XY_MM
    for column in columns:
        distance = _segment_distance((column.x, column.y), tip[:2], part[:2])
        height = float(tip[2]) - column.top_z - pieces.stick.thickness
        if distance < best_distance and abs(height) <= tol.RESTS_Z_MM:
            best, best_distance = column, distance
    return best


def cars_on(road: Road, cars: Iterable[Car], pieces: Pieces) -> tuple[Car, ...]:
    """The cars that stand on a road: those the reading puts there, and those on no road that are over it."""
    limit = pieces.stick.width
    return tuple(k for k in cars if k.on == road.id or (k.on is None and distance_to_road(k, road) <= limit))


def distance_to_road(car: Car, road: Road) -> float:
    """Plan distance of a car's centre from a road's centre line, mm."""
    return float(np.hypot(*(_nearest_on(road, car.x, car.y)[:2] - [car.x, car.y])))


def height_of_road(road: Road, x: float, y: float) -> float:
    """Height of a road's top where it comes nearest to a place, mm."""
    return float(_nearest_on(road, x, y)[2])


def on_ray(eye: Sequence[float] | np.ndarray, point: Sequence[float] | np.ndarray, z_mm: float) -> np.ndarray:
    """Plan place (2,) at another height of what the ``eye`` sees on its line of sight through ``point`` (3,), mm."""
    share = (z_mm - point[2]) / (eye[2] - point[2])
    seen = np.asarray(point, dtype=np.float64)[:2]
    return np.asarray(seen + share * (np.asarray(eye, dtype=np.float64)[:2] - seen))


def _nearest_on(road: Road, x: float, y: float) -> np.ndarray:
    """The point (3,) of a road's centre line that is nearest to a place in plan view."""
    a, b = np.array(road.ends[0]), np.array(road.ends[1])
    along = (b - a)[:2]
    t = float(np.clip(np.dot([x - a[0], y - a[1]], along) / max(float(along @ along), 1e-9), 0, 1))
    return np.asarray(a + t * (b - a))


def table_limit(pieces: Pieces) -> float:
    """Highest top of a stick's end that lies on the table, mm."""
    return pieces.stick.thickness + pieces.disc.height * tol.ON_TABLE_DISCS


def _segment_distance(point: tuple[float, float], a: np.ndarray, b: np.ndarray) -> float:
    along = b - a
    t = float(np.clip(np.dot(np.subtract(point, a), along) / max(float(along @ along), 1e-9), 0, 1))
    return float(np.hypot(*(a + t * along - np.asarray(point))))


def along_sigma(road: Road) -> float:
    """Sigma of a tip along the stick, mm."""
    return road.sigma_xy if road.sigma_along is None else road.sigma_along
