"""Bodies as triangle meshes in the table frame, mm. Plain numpy; no renderer here."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from th_vision.virtual_table.scene import (
    BoardBody,
    CarBody,
    CityBody,
    DiscBody,
    HandBody,
    Scene,
    StickBody,
    TableBody,
)

Array = NDArray[np.float64]
FLOOR_BELOW_MM = 740.0  # height of a table over the floor


@dataclass(frozen=True)
class Mesh:
    """``vertices`` (n, 3) mm, ``triangles`` (m, 3) indices; normals point outwards (counter-clockwise)."""

    vertices: Array
    triangles: NDArray[np.int64]


@dataclass(frozen=True)
class Part:
    """A mesh of a body with what it looks like.

    ``kind``: table, floor, board, disc, stick, car, city, foreign, hand; ``owner``: id of its piece; ``key``: what its
    surface pattern is drawn from: it changes when the body changes or moves. ``uv``: (2, 4) affine map from table
    frame points to texture coordinates, mm. ``grain``: name of the texture on it.
    """

    mesh: Mesh
    kind: str
    owner: str
    key: str
    color: str
    grain: str = "fine"
    uv: Array | None = None
    shade: float = 1.0


def prism(outline: Sequence[tuple[float, float]] | Array, low: float, high: float, taper: float = 1.0) -> Mesh:
    """A prism over a simple polygon (either sense); ``taper``: size of the top against the bottom, about its mean."""
    base = np.asarray(outline, dtype=np.float64)
    x, y = base[:, 0], base[:, 1]
    if float(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1))) < 0:
        base = base[::-1]
    n = len(base)
    middle = base.mean(axis=0)
    top = middle + (base - middle) * taper
    vertices = np.concatenate([np.column_stack([base, np.full(n, low)]), np.column_stack([top, np.full(n, high)])])
    faces = triangulate(base)
    i = np.arange(n)
    j = (i + 1) % n
    sides = np.concatenate([np.column_stack([i, j, j + n]), np.column_stack([i, j + n, i + n])])
    return Mesh(vertices, np.concatenate([faces + n, faces[:, ::-1], sides]))


def triangulate(outline: Array) -> NDArray[np.int64]:
    """Ear clipping of a simple counter-clockwise polygon (n, 2): (n-2, 3) indices."""
    ahead = np.roll(outline, -1, axis=0) - outline
    after = np.roll(ahead, -1, axis=0)
    if bool(np.all(ahead[:, 0] * after[:, 1] - ahead[:, 1] * after[:, 0] >= 0)):  # convex: a fan will do
        second = np.arange(1, len(outline) - 1)
        return np.column_stack([np.zeros_like(second), second, second + 1])
    left = list(range(len(outline)))
    out: list[tuple[int, int, int]] = []

    def cross(a: int, b: int, c: int) -> float:
        p, q, r = outline[a], outline[b], outline[c]
        return float((q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]))

    while len(left) > 3:
        for k in range(len(left)):
            a, b, c = left[k - 1], left[k], left[(k + 1) % len(left)]
            if cross(a, b, c) <= 0:
                continue
            inside = any(
                cross(a, b, p) >= 0 and cross(b, c, p) >= 0 and cross(c, a, p) >= 0 for p in left if p not in (a, b, c)
            )
            if not inside:
                out.append((a, b, c))
                del left[k]
                break
        else:  # degenerate: fan what is left
            out += [(left[0], left[k], left[k + 1]) for k in range(1, len(left) - 1)]
            return np.array(out, dtype=np.int64)
    out.append((left[0], left[1], left[2]))
    return np.array(out, dtype=np.int64)


def circle(x: float, y: float, radius: float, corners: int = 48) -> Array:
    """Corners (n, 2) of a polygon with the circle's area."""
    angle = np.arange(corners) * 2 * math.pi / corners
    grown = radius * math.sqrt((2 * math.pi / corners) / math.sin(2 * math.pi / corners))
    return np.column_stack([x + grown * np.cos(angle), y + grown * np.sin(angle)])


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


def _box(corner: Array, x: Array, y: Array, z: Array) -> Mesh:
    """Parallelepiped from a corner and three edges (right-handed)."""
    v = np.array([corner + i * x + j * y + k * z for k in (0, 1) for j in (0, 1) for i in (0, 1)])
    quads = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    return Mesh(v, np.array([t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]))


# Share of length, start and end of the cabin, and of height where it begins, by car type.
_CABINS = {
    "sports_car": (0.35, 0.75, 0.6),
    "food_truck": (0.05, 0.8, 0.35),
    "family_wagon": (0.02, 0.72, 0.5),
    "limousine": (0.15, 0.8, 0.55),
    "delivery_van": (0.02, 0.85, 0.4),
    "construction_truck": (0.7, 0.98, 0.4),
    "jumbo_trailer": (0.0, 0.75, 0.3),
    "highway_bus": (0.0, 1.0, 0.35),
}


def car_meshes(car: CarBody) -> tuple[Mesh, Mesh]:
    """The lower body and the cabin of a car."""
    h, p = math.radians(car.heading_deg), math.radians(car.pitch_deg)
    along = np.array([math.cos(h) * math.cos(p), math.sin(h) * math.cos(p), math.sin(p)])
    left = np.array([-math.sin(h), math.cos(h), 0.0])
    up = np.cross(along, left)
    size = car.size
    corner = np.array([car.x, car.y, car.z]) - along * size.length / 2 - left * size.width / 2
    begin, end, belt = _CABINS.get(car.type, (0.2, 0.75, 0.55))
    lower = _box(corner, along * size.length, left * size.width, up * size.height * belt)
    inset = 0.06 * size.width
    cabin = _box(
        corner + along * size.length * begin + left * inset + up * size.height * belt,
        along * size.length * (end - begin),
        left * (size.width - 2 * inset),
        up * size.height * (1 - belt),
    )
    return lower, cabin


def tube(points: Array, radii: Array, around: int = 14) -> Mesh:
    """A tube through (n, 3) points with a radius at each, closed by caps."""
    n = len(points)
    direction = np.gradient(points, axis=0)
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    helper = np.where(np.abs(direction[:, 2:3]) > 0.9, [[1.0, 0, 0]], [[0, 0, 1.0]])
    side = np.cross(helper, direction)
    side /= np.linalg.norm(side, axis=1, keepdims=True)
    up = np.cross(direction, side)
    angle = np.arange(around) * 2 * math.pi / around
    ring = np.cos(angle)[None, :, None] * side[:, None] + np.sin(angle)[None, :, None] * up[:, None]
    vertices = np.concatenate([(points[:, None] + radii[:, None, None] * ring).reshape(-1, 3), points[[0, -1]]])
    i, j = np.meshgrid(np.arange(n - 1), np.arange(around), indexing="ij")
    a, b = (i * around + j).ravel(), (i * around + (j + 1) % around).ravel()
    k = np.arange(around)
    last = (n - 1) * around
    faces = [
        np.column_stack([a, b, b + around]),
        np.column_stack([a, b + around, a + around]),
        np.column_stack([np.full(around, n * around), (k + 1) % around, k]),
        np.column_stack([np.full(around, n * around + 1), last + k, last + (k + 1) % around]),
    ]
    return Mesh(vertices, np.concatenate(faces))


def capsule(a: Array, b: Array, radius_a: float, radius_b: float) -> Mesh:
    """A limb from a to b with rounded ends."""
    d = (b - a) / max(float(np.linalg.norm(b - a)), 1e-9)
    cap = np.linspace(0, math.pi / 2, 5)[:-1]
    points = [a - d * radius_a * math.cos(t) for t in cap] + [a, b] + [b + d * radius_b * math.sin(t) for t in cap[1:]]
    radii = [radius_a * math.sin(max(t, 0.05)) for t in cap] + [radius_a, radius_b]
    radii += [radius_b * math.cos(t) for t in cap[1:]]
    return tube(np.array(points), np.array(radii))


def hand_parts(hand: HandBody, number: int) -> Iterator[Part]:
    """Sleeve or bare forearm, the hand's back, four fingers and a thumb."""
    elbow, wrist, tip = (np.asarray(p, dtype=np.float64) for p in (hand.elbow, hand.wrist, hand.tip))
    key, owner = f"hand{number}:{hand}", f"hand{number}"
    cuff = wrist + 0.25 * (elbow - wrist)
    yield Part(capsule(cuff, elbow, 38.0, 48.0), "hand", owner, key, hand.sleeve or hand.skin)
    yield Part(capsule(wrist, cuff, 27.0, 30.0), "hand", owner, key, hand.skin)
    reach = tip - wrist
    length = max(float(np.linalg.norm(reach)), 1.0)
    ahead = reach / length
    side = np.cross([0.0, 0.0, 1.0], ahead)
    side /= max(float(np.linalg.norm(side)), 1e-9)
    knuckles = wrist + 0.52 * reach
    for k in range(4):
        offset = (k - 1.5) * 18.0
        start = knuckles + side * offset
        yield Part(capsule(wrist + side * offset * 0.7, start, 13.0, 11.0), "hand", owner, key, hand.skin)
        end = start + (0.48 - 0.05 * abs(k - 1)) * length * ahead - side * offset * 0.55
        bend = 0.5 * (start + end) + np.array([0, 0, 8.0])
        yield Part(capsule(start, bend, 10.0, 9.0), "hand", owner, key, hand.skin)
        yield Part(capsule(bend, end, 9.0, 7.5), "hand", owner, key, hand.skin)
    root = wrist + 0.25 * reach + side * 32.0
    thumb = tip - 0.14 * reach + side * 14.0 - np.array([0, 0, 4.0])
    yield Part(capsule(root, 0.5 * (root + thumb) + side * 8, 13.0, 10.0), "hand", owner, key, hand.skin)
    yield Part(capsule(0.5 * (root + thumb) + side * 8, thumb, 10.0, 9.0), "hand", owner, key, hand.skin)


def arch_mesh(feet: tuple[tuple[float, float], tuple[float, float]], low: float, height: float) -> Mesh:
    """The rainbow: a round-topped band between its two feet."""
    a, b = np.asarray(feet[0]), np.asarray(feet[1])
    angle = np.linspace(0, math.pi, 25)
    plan = (a + b) / 2 - np.cos(angle)[:, None] * (b - a) / 2
    points = np.column_stack([plan, low + height * np.sin(angle)])
    return tube(points, np.full(len(points), 3.0), around=8)


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


_CITY_COLORS = {
    "development_area": "#d9d4c6",
    "building": "#b9c4cc",
    "tower": "#d2553f",
    "airport_area": "#9fb0bb",
    "green_area": "#7fae62",
    "rainbow_area": "#c9b6d8",
    "asakusa": "#c2493d",
    "yacht_harbor": "#5c93b8",
    "amusement_park": "#e0a64f",
}
_TAPERS = {"tower": 0.25, "asakusa": 0.6}


def city_parts(body: CityBody) -> Iterator[Part]:
    """A city object: its prism, and the arch where it has one."""
    color = body.color or _CITY_COLORS.get(body.kind, "#b0b0b0")
    key = f"{body.id}:{body}"
    mesh = prism(body.outline, body.base_z, body.base_z + body.height, _TAPERS.get(body.kind, 1.0))
    yield Part(mesh, "city", body.id, key, color)
    if body.arch is not None and body.arch_height:
        low = body.base_z + body.height
        yield Part(arch_mesh(body.arch, low, body.arch_height), "city", body.id, key, "#e07848")


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
    import zlib

    return zlib.crc32(text.encode())


def parts(scene: Scene) -> list[Part]:
    """All meshes of a scene with their looks."""
    colors = scene.pieces.colors
    out = list(table_parts(scene.table))
    if scene.board is not None:
        out.append(board_part(scene.board))
    for body in scene.city:
        out += city_parts(body)
    for column in scene.columns:
        low = column.base_z
        for level, disc in enumerate(column.discs):
            shift = float(_hash(f"{column.id}:{level}") % 977)
            uv = np.array([[1.0, 0, 0, shift - disc.x], [0, 1.0, 0.6, 2 * shift - disc.y]])
            color = colors.yellow if disc.yellow else colors.gray
            shade = 1 + 0.05 * (((_hash(f"{column.id}/{level}") % 101) / 50) - 1)
            out.append(Part(disc_mesh(disc, low), "disc", column.id, f"{disc}:{low:.3f}", color, uv=uv, shade=shade))
            low += disc.height
    out += [_stick_part(stick, colors.stick) for stick in scene.sticks]
    for car in scene.cars:
        color = scene.pieces.players.get(car.player, "#888888")
        lower, cabin = car_meshes(car)
        out.append(Part(lower, "car", car.id, f"{car}", color))
        out.append(Part(cabin, "car", car.id, f"{car}", color, shade=0.9))
    for k, foreign in enumerate(scene.foreign):
        mesh = prism(foreign.outline, foreign.base_z, foreign.base_z + foreign.height)
        out.append(Part(mesh, "foreign", f"foreign{k}", f"{foreign}", foreign.color))
    for k, hand in enumerate(scene.hands):
        out += hand_parts(hand, k)
        if hand.holds is not None:
            out.append(_stick_part(hand.holds, colors.stick))
    return out
