"""Bodies as triangle meshes in the table frame, mm, with what they look like. Plain numpy; no renderer here."""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from th_vision.virtual_table.car_set import cabin_of
from th_vision.virtual_table.city_shapes import city_parts
from th_vision.virtual_table.foreign_shapes import foreign_parts, head_parts
from th_vision.virtual_table.hand_shapes import hand_parts
from th_vision.virtual_table.meshes import Array, Mesh, Part, box, circle, prism
from th_vision.virtual_table.scene import BoardBody, CarBody, ColumnBody, DiscBody, Scene, StickBody, TableBody

__all__ = ["Mesh", "Part", "circle", "parts", "prism"]

FLOOR_BELOW_MM = 740.0  # height of a table over the floor
PAD_SHARE = 0.8  # diameter of a rubber pad, of its disc's


def disc_mesh(disc: DiscBody, low: float) -> Mesh:
    """A disc lying at height ``low``."""
    return prism(circle(disc.x, disc.y, disc.diameter / 2), low, low + disc.height)


def stick_axes(stick: StickBody) -> tuple[Array, Array, Array]:
    """Unit vectors along the stick, to its left, and out of its top, roll included."""
    a = np.asarray(stick.ends[1]) - np.asarray(stick.ends[0])
    along = a / max(float(np.linalg.norm(a)), 1e-9)
    left = np.cross([0.0, 0.0, 1.0], along)
    left /= max(float(np.linalg.norm(left)), 1e-9)
    up = np.cross(along, left)
    c, s = math.cos(math.radians(stick.roll_deg)), math.sin(math.radians(stick.roll_deg))
    return along, c * left + s * up, c * up - s * left


def stick_mesh(stick: StickBody) -> Mesh:
    """A stick with its bow, roll and (round or square) ends."""
    along, left, up = stick_axes(stick)
    length, half = stick.length, stick.width / 2
    middle = np.linspace(half, length - half, 13)
    if stick.round_ends:
        cap = half * (1 - np.cos(np.linspace(0, math.pi / 2, 8)))[:-1]
        s = np.concatenate([cap, middle, length - cap[::-1]])
        inset = np.clip(np.minimum(s, length - s), 0, half)
        halves = np.sqrt(np.maximum(half**2 - (half - inset) ** 2, 1e-6))
    else:
        s = np.concatenate([[0.0], middle, [length]])
        halves = np.full(len(s), half)
    t = s / length
    rise = 4 * stick.bow_mm * t * (1 - t)
    axis = np.asarray(stick.ends[0]) + s[:, None] * along + rise[:, None] * up
    n = len(s)
    rows = [
        axis + halves[:, None] * left,
        axis - halves[:, None] * left,
        axis - halves[:, None] * left - stick.thickness * up,
        axis + halves[:, None] * left - stick.thickness * up,
    ]
    vertices = np.concatenate(rows)
    faces: list[NDArray[np.int64]] = []
    i = np.arange(n - 1)
    for row in range(4):
        p, q = row * n, ((row + 1) % 4) * n
        faces += [np.column_stack([p + i, q + i, q + i + 1]), np.column_stack([p + i, q + i + 1, p + i + 1])]
    start, stop = [0, n, 2 * n, 3 * n], [n - 1, 2 * n - 1, 3 * n - 1, 4 * n - 1]
    caps = np.array(
        [
            [start[0], start[2], start[1]],
            [start[0], start[3], start[2]],
            [stop[0], stop[1], stop[2]],
            [stop[0], stop[2], stop[3]],
        ]
    )
    return Mesh(vertices, np.concatenate([*faces, caps]))


def car_meshes(car: CarBody) -> tuple[Mesh, Mesh]:
    """The lower body and the cabin of a car."""
    h, p = math.radians(car.heading_deg), math.radians(car.pitch_deg)
    along = np.array([math.cos(h) * math.cos(p), math.sin(h) * math.cos(p), math.sin(p)])
    left = np.array([-math.sin(h), math.cos(h), 0.0])
    up = np.cross(along, left)
    size = car.size
    corner = np.array([car.x, car.y, car.z]) - along * size.length / 2 - left * size.width / 2
    begin, end, belt = cabin_of(car.type, car.size)
    lower = box(corner, along * size.length, left * size.width, up * size.height * belt)
    inset = 0.06 * size.width
    cabin = box(
        corner + along * size.length * begin + left * inset + up * size.height * belt,
        along * size.length * (end - begin),
        left * (size.width - 2 * inset),
        up * size.height * (1 - belt),
    )
    return lower, cabin


def table_parts(table: TableBody) -> Iterator[Part]:
    """The table top (with its bow) and the floor below."""
    (w, h), (cx, cy) = table.size_mm, table.center
    n = 25 if table.bow_mm else 2
    angle = math.radians(table.texture_turn_deg)
    c, s = math.cos(angle), math.sin(angle)
    gx, gy = np.meshgrid(np.linspace(-1, 1, n), np.linspace(-1, 1, n))
    z = table.bow_mm * ((1 - gx**2) * (1 - gy**2) - 1 if table.bow_mm else np.zeros_like(gx))
    px, py = gx * w / 2, gy * h / 2
    vertices = np.column_stack([(cx + c * px - s * py).ravel(), (cy + s * px + c * py).ravel(), z.ravel()])
    i, j = np.meshgrid(np.arange(n - 1), np.arange(n - 1))
    a = (j * n + i).ravel()
    faces = np.concatenate([np.column_stack([a, a + 1, a + n + 1]), np.column_stack([a, a + n + 1, a + n])])
    uv = np.array([[c, s, 0, -(c * cx + s * cy)], [-s, c, 0, s * cx - c * cy]])
    key = f"table:{table.surface}:{table.seed}"
    yield Part(Mesh(vertices, faces), "table", "table", key, "#ffffff", grain=table.surface, uv=uv)
    floor = np.array([[-4e3, -4e3], [4e3, -4e3], [4e3, 4e3], [-4e3, 4e3]])
    low = np.column_stack([floor, np.full(4, -FLOOR_BELOW_MM)])
    yield Part(Mesh(low, np.array([[0, 1, 2], [0, 2, 3]])), "floor", "floor", "floor", "#5a5650")


def board_part(board: BoardBody) -> Part:
    """The calibration board as a thin card; ``uv``: mm from its centre."""
    w, h = (size / 2 + board.margin_mm for size in board.size_mm)
    mesh = prism([(-w, -h), (w, -h), (w, h), (-w, h)], 0.0, board.thickness_mm)
    uv = np.array([[1.0, 0, 0, 0], [0, 1.0, 0, 0]])
    return Part(mesh, "board", "board", "board", "#f2f2ee", grain="board", uv=uv)


def _along_uv(origin: tuple[float, float, float], along: Array, left: Array, shift: float) -> Array:
    """Texture coordinates along and across a stick; ``shift`` keeps two sticks from showing the same grain."""
    o = np.asarray(origin)
    return np.array([[*along, -along @ o + shift], [*left, -left @ o + 3.7 * shift]])


def _stick_part(stick: StickBody, color: str) -> Part:
    along, left, _ = stick_axes(stick)
    shift = float(_hash(stick.id) % 977)
    uv = _along_uv(stick.ends[0], along, left, shift)
    return Part(
        stick_mesh(stick), "stick", stick.id, f"{stick}", stick.color or color, grain="long", uv=uv, shade=stick.shade
    )


def _hash(text: str) -> int:
    """A small stable number from a name."""
    return zlib.crc32(text.encode())


def _column_parts(column: ColumnBody, gray: str, yellow: str) -> Iterator[Part]:
    """The discs of a column from the bottom up, and the rubber pad on top where it has one."""
    low = column.base_z
    for level, disc in enumerate(column.discs):
        shift = float(_hash(f"{column.id}:{level}") % 977)
        uv = np.array([[1.0, 0, 0, shift - disc.x], [0, 1.0, 0.6, 2 * shift - disc.y]])
        shade = 1 + 0.05 * (((_hash(f"{column.id}/{level}") % 101) / 50) - 1)
        color = yellow if disc.yellow else gray
        yield Part(disc_mesh(disc, low), "disc", column.id, f"{disc}:{low:.3f}", color, uv=uv, shade=shade)
        low += disc.height
    if column.pad_mm > 0:
        top = column.discs[-1]
        pad = prism(circle(top.x, top.y, PAD_SHARE * top.diameter / 2), low, low + column.pad_mm)
        yield Part(pad, "disc", column.id, f"pad:{top}:{low:.3f}", "#37383a")


def parts(scene: Scene) -> list[Part]:
    """All meshes of a scene with their looks."""
    colors = scene.pieces.colors
    out = list(table_parts(scene.table))
    if scene.board is not None:
        out.append(board_part(scene.board))
    for body in scene.city:
        out += city_parts(body)
    for column in scene.columns:
        out += _column_parts(column, colors.gray, colors.yellow)
    out += [_stick_part(stick, colors.stick) for stick in scene.sticks]
    for car in scene.cars:
        color = scene.pieces.players.get(car.player, "#888888")
        lower, cabin = car_meshes(car)
        out.append(Part(lower, "car", car.id, f"{car}", color))
        out.append(Part(cabin, "car", car.id, f"{car}", color, shade=0.9))
    for k, foreign in enumerate(scene.foreign):
        out += foreign_parts(foreign, k)
    for k, hand in enumerate(scene.hands):
        out += hand_parts(hand, k)
        if hand.holds is not None:
            out.append(_stick_part(hand.holds, colors.stick))
    for k, head in enumerate(scene.heads):
        out += head_parts(head, k)
    return out
