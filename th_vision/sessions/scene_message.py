"""A layout as Foxglove's SceneUpdate: discs, sticks, cars and the city as solids, in the table frame, metres."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
import shapely
from foxglove_schemas_protobuf.SceneEntityDeletion_pb2 import SceneEntityDeletion
from foxglove_schemas_protobuf.SceneUpdate_pb2 import SceneUpdate
from shapely import Polygon

from rules.layout import Car, Column, Layout, Point2, Road
from rules.pieces import Box, Pieces
from th_vision.sessions.header import TABLE_FRAME, quaternion
from th_vision.sessions.messages import stamp

LAYOUT_KEY = "th-vision/layout/1"
LAYOUT_ENTITY = "layout"
"""An entity with nothing to draw: its metadata holds the whole layout as JSON, sigmas and all."""

_CITY = (0.62, 0.74, 0.62, 0.8)
_UNKNOWN = (0.85, 0.2, 0.25, 0.5)
_CAR = Box(length=16.0, width=8.0, height=7.0)  # of a type that pieces.toml does not have
M = 1000.0  # mm in a metre


def scene_message(layout: Layout, pieces: Pieces, time_ns: int) -> bytes:
    """All pieces of ``layout``; what an earlier update showed is deleted first."""
    update = SceneUpdate()
    deletion = update.deletions.add(type=SceneEntityDeletion.Type.Value("ALL"))
    stamp(deletion.timestamp, time_ns)
    entity = _entity(update, LAYOUT_ENTITY, time_ns)
    entity.metadata.add(key=LAYOUT_KEY, value=layout.model_dump_json(by_alias=True))
    for column in layout.columns:
        _column(_entity(update, column.id, time_ns), column, pieces)
    for road in layout.roads:
        _road(_entity(update, road.id, time_ns), road, pieces)
    for car in layout.cars:
        _car(_entity(update, car.id, time_ns), car, pieces)
    heights = {thing.id: thing.height for thing in layout.city}
    for thing in layout.city:
        foot = heights.get(thing.on, 0.0)
        _solid(_entity(update, thing.id, time_ns), thing.outline, foot, foot + thing.height, _CITY)
    for number, unknown in enumerate(layout.unknown):
        _solid(_entity(update, f"unknown-{number}", time_ns), unknown.outline, 0.0, unknown.height, _UNKNOWN)
    return bytes(update.SerializeToString())


def layout_of_message(data: bytes) -> Layout | None:
    """The layout inside a SceneUpdate of ours, None where there is none."""
    update = SceneUpdate()
    update.ParseFromString(data)
    for entity in update.entities:
        for pair in entity.metadata:
            if pair.key == LAYOUT_KEY:
                return Layout.model_validate_json(pair.value)
    return None


def _entity(update: Any, name: str, time_ns: int) -> Any:
    entity = update.entities.add(frame_id=TABLE_FRAME, id=name)
    stamp(entity.timestamp, time_ns)
    return entity


def _column(entity: Any, column: Column, pieces: Pieces) -> None:
    height = pieces.disc.height
    foot = column.top_z - column.levels * height
    for level in range(column.levels):
        top = column.junction and level == column.levels - 1
        disc = entity.cylinders.add(bottom_scale=1.0, top_scale=1.0)
        _place(disc.pose, column.x, column.y, foot + (level + 0.5) * height, np.eye(3))
        _size(disc.size, pieces.disc.diameter, pieces.disc.diameter, height)
        _color(disc.color, rgba(pieces.colors.yellow if top else pieces.colors.gray))


def _road(entity: Any, road: Road, pieces: Pieces) -> None:
    a, b = (np.array(end) for end in road.ends)
    along = b - a
    length = float(np.linalg.norm(along))
    if length <= 0:
        return
    x = along / length
    y = np.cross([0.0, 0.0, 1.0], x)
    if np.linalg.norm(y) < 1e-6:  # upright: any side will do
        y = np.array([0.0, 1.0, 0.0])
    y /= np.linalg.norm(y)
    z = np.cross(x, y)
    at_x, at_y, at_z = ((a + b) / 2 - z * pieces.stick.thickness / 2).tolist()
    stick = entity.cubes.add()
    _place(stick.pose, at_x, at_y, at_z, np.stack([x, y, z], axis=1))
    _size(stick.size, length, pieces.stick.width, pieces.stick.thickness)
    _color(stick.color, rgba(pieces.colors.stick))


def _car(entity: Any, car: Car, pieces: Pieces) -> None:
    box = pieces.cars.get(car.type, _CAR)
    cosine, sine = math.cos(math.radians(car.heading_deg)), math.sin(math.radians(car.heading_deg))
    body = entity.cubes.add()
    turned = np.array([[cosine, -sine, 0], [sine, cosine, 0], [0, 0, 1.0]])
    _place(body.pose, car.x, car.y, car.z + box.height / 2, turned)
    _size(body.size, box.length, box.width, box.height)
    _color(body.color, rgba(pieces.players.get(car.player, "#808080")))


def _solid(entity: Any, outline: Iterable[Point2], foot: float, top: float, color: tuple[float, ...]) -> None:
    """An outline drawn up from ``foot`` to ``top``, mm: walls and roof."""
    points = [(float(x), float(y)) for x, y in outline]
    shape = Polygon(points) if len(points) >= 3 else None
    if shape is None or not shape.is_valid or shape.area == 0:
        return
    triangles = entity.triangles.add()
    triangles.pose.orientation.w = 1.0
    _color(triangles.color, color)
    corners: list[tuple[float, float, float]] = []
    for (x0, y0), (x1, y1) in zip(points, points[1:] + points[:1], strict=True):
        corners += [(x0, y0, foot), (x1, y1, foot), (x1, y1, top), (x0, y0, foot), (x1, y1, top), (x0, y0, top)]
    for part in shapely.delaunay_triangles(shape).geoms:
        if shape.covers(part.representative_point()):
            corners += [(x, y, top) for x, y in list(part.exterior.coords)[:3]]
    for x, y, z in corners:
        triangles.points.add(x=x / M, y=y / M, z=z / M)


def rgba(text: str) -> tuple[float, float, float, float]:
    """``#rrggbb`` as four numbers from 0 to 1."""
    red, green, blue = (int(text[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return red, green, blue, 1.0


def _place(pose: Any, x: float, y: float, z: float, R: np.ndarray[Any, Any]) -> None:
    pose.position.x, pose.position.y, pose.position.z = x / M, y / M, z / M
    pose.orientation.x, pose.orientation.y, pose.orientation.z, pose.orientation.w = quaternion(R)


def _size(size: Any, x: float, y: float, z: float) -> None:
    size.x, size.y, size.z = x / M, y / M, z / M


def _color(color: Any, values: tuple[float, ...]) -> None:
    color.r, color.g, color.b, color.a = values
