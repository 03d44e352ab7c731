"""The city of a game as solids: for the 3D view of the report, and as .glb to keep or print."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rules.facts import FactCar, FactColumn, FactObject
from rules.game import Game
from rules.layout import Car
from rules.loops import SURROUNDED
from rules.pieces import Box, Pieces
from th_vision.game_layout import cars_of
from th_vision.player_colors import color_of, mixed
from th_vision.virtual_table.city_shapes import city_parts
from th_vision.virtual_table.meshes import Mesh, prism
from th_vision.virtual_table.scene import CarBody, CityBody, ColumnBody, DiscBody, StickBody
from th_vision.virtual_table.shapes import car_meshes, disc_mesh, stick_mesh

DEFAULT_CAR = Box(length=16.0, width=8.0, height=7.0)
GRAY, YELLOW, OBSTACLE = "#a9a9a7", "#efc93a", "#7f9a72"
STEPS_A_MM = 20
"""Resolution of the positions in the report: a twentieth of a millimetre, in 16 bits some 3 m."""


@dataclass(frozen=True)
class Solid:
    """A closed mesh of one colour; ``piece``: which piece it belongs to. Table frame, mm."""

    piece: str
    mesh: Mesh
    color: str


def solids_of(game: Game, pieces: Pieces) -> list[Solid]:
    """Everything that stands on the table; roads and cars in the colours of their owners."""
    return [
        *(solid for thing in game.city.values() for solid in _city(game, thing)),
        *(solid for column in game.columns.values() for solid in _column(game, column)),
        *(_road(game, name, pieces) for name in game.roads),
        *(solid for car in cars_of(game) for solid in _car(game.cars[car.id], car, pieces)),
    ]


def _column(game: Game, column: FactColumn) -> Iterator[Solid]:
    size = game.state.pieces.disc
    low = game.state.surface_z(column.x, column.y)
    discs = [DiscBody(column.x, column.y, size.diameter, size.height, kind == "yellow") for kind in column.discs]
    body = ColumnBody(column.id, tuple(discs), base_z=low)
    for disc in body.discs:
        # A hair of a gap between discs, so that one sees how many there are.
        thin = DiscBody(disc.x, disc.y, disc.diameter, disc.height - 0.3, disc.yellow)
        yield Solid(column.id, disc_mesh(thin, low), YELLOW if disc.yellow else GRAY)
        low += disc.height


def _road(game: Game, name: str, pieces: Pieces) -> Solid:
    road, stick = game.roads[name], game.state.pieces.stick
    body = StickBody(name, road.ends, stick.width, stick.thickness, round_ends=stick.ends == "round")
    return Solid(name, stick_mesh(body), color_of(game.owners[name], pieces))


def _car(fact: FactCar, car: Car, pieces: Pieces) -> Iterator[Solid]:
    size = pieces.cars.get(fact.type, DEFAULT_CAR)
    body = CarBody(car.id, car.x, car.y, car.z, car.player, size, car.heading_deg, type=fact.type)
    lower, cabin = car_meshes(body)
    color = color_of(car.player, pieces)
    yield Solid(car.id, lower, mixed(color, "#000000", 0.15))
    yield Solid(car.id, cabin, mixed(color, "#ffffff", 0.55))


def _city(game: Game, thing: FactObject) -> Iterator[Solid]:
    x, y = (sum(point[axis] for point in thing.outline) / len(thing.outline) for axis in (0, 1))
    low = game.state.surface_z(x, y) if thing.kind in SURROUNDED else 0.0
    body = CityBody(
        thing.id, thing.kind, thing.outline, max(thing.height, 0.5), low, arch=thing.arch, arch_height=thing.arch_height
    )
    for part in city_parts(body):
        yield Solid(thing.id, part.mesh, part.color)
    for one in thing.obstacles:
        yield Solid(thing.id, prism(one.outline, body.top_z, max(one.height, body.top_z + 0.5)), OBSTACLE)


# --- for the report ---------------------------------------------------------------------------------------------------


def packed(solids: Iterable[Solid]) -> dict[str, object]:
    """The solids as one mesh for the report's script: base64 of little-endian arrays.

    ``positions`` int16 (n, 3) in steps of 1/``steps`` mm from ``origin``, ``colors`` uint8 (n, 3), ``triangles``
    uint32 (m, 3). ``box``: lowest and highest corner, mm.
    """
    points, colors, triangles = [np.zeros((0, 3))], [np.zeros((0, 3), np.uint8)], [np.zeros((0, 3), np.int64)]
    count = 0
    for solid in solids:
        points.append(solid.mesh.vertices)
        colors.append(np.tile(np.array(_rgb(solid.color), np.uint8), (len(solid.mesh.vertices), 1)))
        triangles.append(solid.mesh.triangles + count)
        count += len(solid.mesh.vertices)
    all_points = np.concatenate(points)
    low = all_points.min(axis=0) if count else np.zeros(3)
    high = all_points.max(axis=0) if count else np.ones(3)
    origin = (low + high) / 2
    steps = np.clip(np.round((all_points - origin) * STEPS_A_MM), -32767, 32767).astype("<i2")
    return {
        "steps": STEPS_A_MM,
        "origin": [round(float(value), 2) for value in origin],
        "box": [[round(float(value), 1) for value in corner] for corner in (low, high)],
        "positions": _base64(steps),
        "colors": _base64(np.concatenate(colors)),
        "triangles": _base64(np.concatenate(triangles).astype("<u4")),
    }


def _base64(array: NDArray[np.generic]) -> str:
    return base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()


def _rgb(color: str) -> tuple[int, int, int]:
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)


# --- to keep ----------------------------------------------------------------------------------------------------------


def glb_of(solids: Iterable[Solid]) -> bytes:
    """The city as binary glTF: metres, y up, as that format has it; one mesh a piece and colour, named by its piece."""
    import trimesh

    scene = trimesh.Scene()
    for number, solid in enumerate(solids):
        material = trimesh.visual.material.PBRMaterial(  # type: ignore[no-untyped-call]  # trimesh is typed in part
            name=solid.color, baseColorFactor=[*_rgb(solid.color), 255], metallicFactor=0.0, roughnessFactor=0.8
        )
        vertices = solid.mesh.vertices[:, [0, 2, 1]] * np.array([1.0, 1.0, -1.0]) / 1000.0
        mesh = trimesh.Trimesh(vertices, solid.mesh.triangles, process=False)
        mesh.visual = trimesh.visual.TextureVisuals(material=material)  # type: ignore[no-untyped-call]  # as above
        scene.add_geometry(mesh, node_name=f"{solid.piece} {number}", geom_name=f"{solid.piece} {number}")
    return bytes(scene.export(file_type="glb"))  # type: ignore[no-untyped-call]  # as above
