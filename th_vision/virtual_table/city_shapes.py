"""City objects as meshes: cards with their print, buildings, the tower, trees, aircraft, the rainbow, expansions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from th_vision.virtual_table.meshes import Array, Mesh, Part, cone, dome, joined, prism, tube, turned_box
from th_vision.virtual_table.scene import CityBody, CityThing, Point2

_COLORS = {
    "development_area": "#d9d4c6",
    "building": "#b9c4cc",
    "tower": "#d2553f",
    "airport_area": "#8f9aa0",
    "green_area": "#7fae62",
    "rainbow_area": "#cfe3ee",
    "asakusa": "#c9b8a2",
    "yacht_harbor": "#5c93b8",
    "amusement_park": "#e8d3a0",
}
_RAINBOW = ("#7a4fa3", "#3f6fc0", "#3fa26b", "#efd24a", "#ee9740", "#d9463e")  # from the underside outwards
BAND_MM = 1.6  # how thick each colour of the rainbow is
ARCH_DEPTH_MM = 6.0
PRINT_MM = 0.05  # what is printed on a card, as a plate so thin that nobody measures it
_UP = np.array([0.0, 0.0, 1.0])


def city_parts(body: CityBody) -> Iterator[Part]:
    """A city object with all that stands on it."""
    color = body.color or _COLORS.get(body.kind, "#b0b0b0")
    key = f"{body.id}:{body}"

    def part(mesh: Mesh, hue: str, shade: float = 1.0) -> Part:
        return Part(mesh, "city", body.id, key, hue, shade=shade)

    if body.kind == "building":
        yield from (part(mesh, hue) for mesh, hue in _building(body, color))
    elif body.kind == "tower":
        yield from (part(mesh, hue) for mesh, hue in _tower(body, color))
    else:
        yield part(prism(body.outline, body.base_z, body.top_z), color)
        yield from (part(mesh, hue) for mesh, hue in _print(body))
    if body.arch is not None and body.arch_height:
        for k, hue in enumerate(_RAINBOW):
            yield part(arch_mesh(body.arch, body.arch_height, k * BAND_MM, (k + 1) * BAND_MM), hue)
    for thing in body.things:
        yield from (part(mesh, hue) for mesh, hue in _SHAPES[thing.kind](thing, body.top_z))


def arch_mesh(feet: tuple[Point2, Point2], height: float, inner: float, outer: float) -> Mesh:
    """A band of the rainbow: half an ellipse over its feet, from ``inner`` to ``outer`` mm above the underside."""
    a, b = np.asarray(feet[0]), np.asarray(feet[1])
    along = (b - a) / np.linalg.norm(b - a)
    across = np.array([-along[1], along[0]]) * ARCH_DEPTH_MM / 2
    half = float(np.linalg.norm(b - a)) / 2
    angle = np.linspace(0, math.pi, 33)
    rings = []
    for off, side in ((inner, 1), (outer, 1), (outer, -1), (inner, -1)):
        plan = (a + b) / 2 - np.cos(angle)[:, None] * along * (half + off) + side * across
        rings.append(np.column_stack([plan, (height + off) * np.sin(angle)]))
    n = len(angle)
    i = np.arange(n - 1)
    faces = []
    for ring in range(4):
        p, q = ring * n, ((ring + 1) % 4) * n
        faces += [np.column_stack([p + i, q + i, q + i + 1]), np.column_stack([p + i, q + i + 1, p + i + 1])]
    return Mesh(np.concatenate(rings), np.concatenate(faces))


def _frame(outline: tuple[Point2, ...]) -> tuple[Array, Array, Array, float]:
    """Middle, the two half edges and the turn (degrees) of a rectangle."""
    corners = np.asarray(outline, dtype=np.float64)
    u, v = (corners[1] - corners[0]) / 2, (corners[-1] - corners[0]) / 2
    return corners.mean(axis=0), u, v, math.degrees(math.atan2(u[1], u[0]))


def _plate(outline: tuple[Point2, ...], low: float, u: tuple[float, float], v: tuple[float, float]) -> Mesh:
    """A thin plate on a rectangle: from ``u[0]`` to ``u[1]`` along it and so across, as shares -1 to 1."""
    middle, along, across, _ = _frame(outline)
    corners = [middle + p * along + q * across for p, q in ((u[0], v[0]), (u[1], v[0]), (u[1], v[1]), (u[0], v[1]))]
    return prism(np.array(corners), low, low + PRINT_MM)


def _print(body: CityBody) -> Iterator[tuple[Mesh, str]]:
    """What is printed on an area's card."""
    top = body.top_z
    if body.kind == "development_area":
        for u, v in (((-0.95, 0.95), (0.88, 0.95)), ((-0.95, 0.95), (-0.95, -0.88))):
            yield _plate(body.outline, top, u, v), "#a8a291"
            yield _plate(body.outline, top, v, u), "#a8a291"
    elif body.kind == "airport_area":
        yield _plate(body.outline, top, (-0.92, 0.92), (-0.72, -0.36)), "#4c5358"
        for k in range(6):
            yield _plate(body.outline, top + PRINT_MM, (-0.85 + 0.3 * k, -0.7 + 0.3 * k), (-0.57, -0.51)), "#f0f0ea"
    elif body.kind == "green_area":
        yield _plate(body.outline, top, (-0.95, 0.95), (-0.30, -0.12)), "#d8cda6"
        yield _plate(body.outline, top, (-0.80, -0.25), (-0.85, -0.45)), "#8ec1d8"
    elif body.kind == "yacht_harbor":
        yield _plate(body.outline, top, (-0.98, 0.98), (-0.98, -0.70)), "#a58a63"
    elif body.kind == "amusement_park":
        yield _plate(body.outline, top, (-0.95, 0.95), (-0.80, -0.60)), "#c98f6a"
        yield _plate(body.outline, top, (-0.06, 0.06), (-0.6, 0.9)), "#c98f6a"
    elif body.kind == "asakusa":
        yield _plate(body.outline, top, (-0.12, 0.12), (-0.95, -0.25)), "#8f8577"
    elif body.kind == "rainbow_area":
        yield _plate(body.outline, top, (-0.95, 0.95), (-0.35, 0.35)), "#9cc8dc"


def _building(body: CityBody, color: str) -> Iterator[tuple[Mesh, str]]:
    """A house of storeys: rows of windows, and a smaller top on the roof that stays below its full height."""
    middle, u, v, turn = _frame(body.outline)
    size = (2 * float(np.linalg.norm(u)), 2 * float(np.linalg.norm(v)))
    roof = body.height * 0.93
    storeys = max(3, round(roof / 9.0))
    step = roof / storeys
    for k in range(storeys):
        foot = np.array([*middle, body.base_z + k * step])
        windows = (size[0] - 1.2, size[1] - 1.2, step * 0.45)
        yield turned_box(foot, turn, windows), "#4d6272"
        yield turned_box(foot + _UP * step * 0.45, turn, (*size, step * 0.55)), color
    top = (size[0] * 0.45, size[1] * 0.45, body.height - roof)
    yield turned_box(np.array([*middle, body.base_z + roof]), turn, top), "#8b949a"


def _tower(body: CityBody, color: str) -> Iterator[tuple[Mesh, str]]:
    """A steel tower: four legs that meet, two platforms, a mast; red and white."""
    middle, u, v, turn = _frame(body.outline)
    low, height = body.base_z, body.height
    knee = np.array([*middle, low + 0.45 * height])
    for i in (-1, 1):
        for j in (-1, 1):
            foot = np.array([*(middle + 0.86 * (i * u + j * v)), low])
            bent = np.array([*(middle + 0.36 * (i * u + j * v)), low + 0.22 * height])
            narrow = knee + np.array([*(0.16 * (i * u + j * v)), 0.0])
            yield tube(np.array([foot, bent, narrow]), np.array([2.2, 1.9, 1.6]), around=6), color
    wide, deep = 2 * float(np.linalg.norm(u)), 2 * float(np.linalg.norm(v))
    yield turned_box(np.array([*middle, low + 0.22 * height]), turn, (0.5 * wide, 0.5 * deep, 0.03 * height)), "#f1efe9"
    yield turned_box(knee, turn, (0.34 * wide, 0.34 * deep, 0.06 * height)), "#f1efe9"
    x, y = middle
    radius = 0.08 * wide
    yield cone(x, y, low + 0.51 * height, low + 0.72 * height, 1.6 * radius, radius), color
    yield cone(x, y, low + 0.72 * height, low + 0.76 * height, 1.7 * radius, 1.7 * radius), "#f1efe9"
    yield cone(x, y, low + 0.76 * height, low + height, 0.8 * radius, 0.3 * radius), color


# --- what stands on areas ---------------------------------------------------------------------------------------------


def _tree(thing: CityThing, low: float) -> Iterator[tuple[Mesh, str]]:
    h, r = thing.size.height, thing.size.length / 2
    yield cone(thing.x, thing.y, low, low + 0.35 * h, 0.22 * r, 0.18 * r, 10), "#6f4f33"
    crown = [
        cone(thing.x, thing.y, low + 0.25 * h, low + 0.60 * h, 0.55 * r, r, 14),
        dome(thing.x, thing.y, low + 0.60 * h, r, 0.40 * h),
    ]
    yield joined(crown), "#3f7a3a"


def _at(thing: CityThing, low: float, along: float, across: float, up: float = 0.0) -> Array:
    """A point of a thing: shares of its length and width from the middle, of its height from its foot."""
    c, s = math.cos(math.radians(thing.turn_deg)), math.sin(math.radians(thing.turn_deg))
    u, v = along * thing.size.length, across * thing.size.width
    return np.array([thing.x + c * u - s * v, thing.y + s * u + c * v, low + up * thing.size.height])


def _block(thing: CityThing, low: float, place: tuple[float, float, float], share: tuple[float, float, float]) -> Mesh:
    """A box in a thing, its foot's middle at ``place``, its size in shares of the thing's."""
    size = thing.size
    foot = _at(thing, low, *place)
    return turned_box(foot, thing.turn_deg, (share[0] * size.length, share[1] * size.width, share[2] * size.height))


def _aircraft(thing: CityThing, low: float) -> Iterator[tuple[Mesh, str]]:
    size = thing.size
    up = 0.42
    hull = np.array([_at(thing, low, t, 0, up) for t in (-0.5, -0.38, 0.25, 0.42, 0.5)])
    radius = 0.13 * size.width
    yield tube(hull, radius * np.array([0.35, 0.8, 1.0, 0.8, 0.25]), around=10), "#f2f2f0"
    wing = [_at(thing, low, *p)[:2] for p in ((0.16, 0.0), (-0.16, 0.5), (-0.28, 0.5), (-0.12, 0.0))]
    other = [_at(thing, low, *p)[:2] for p in ((-0.12, 0.0), (-0.28, -0.5), (-0.16, -0.5), (0.16, 0.0))]
    height = low + 0.34 * size.height
    yield joined([prism(np.array(w), height, height + 0.8) for w in (wing, other)]), "#d5d8db"
    yield _block(thing, low, (-0.42, 0.0, up), (0.14, 0.05, 1 - up)), "#c8393b"
    legs = [_block(thing, low, (t, w, 0.0), (0.05, 0.05, 0.34)) for t, w in ((0.3, 0.0), (-0.08, 0.12), (-0.08, -0.12))]
    yield joined(legs), "#55595c"


def _terminal(thing: CityThing, low: float) -> Iterator[tuple[Mesh, str]]:
    yield _block(thing, low, (0.0, 0.0, 0.0), (1.0, 1.0, 0.5)), "#c9d0d4"
    yield _block(thing, low, (0.0, 0.0, 0.5), (0.9, 0.8, 0.12)), "#5f7f96"
    yield _block(thing, low, (0.3, 0.0, 0.62), (0.12, 0.3, 0.38)), "#b3bcc1"


def _pagoda(thing: CityThing, low: float) -> Iterator[tuple[Mesh, str]]:
    tiers = 5
    for k in range(tiers):
        wide = 1.0 - 0.13 * k
        up = 0.17 * k
        yield _block(thing, low, (0.0, 0.0, up), (0.6 * wide, 0.6 * wide, 0.12)), "#b8392f"
        yield _block(thing, low, (0.0, 0.0, up + 0.12), (wide, wide, 0.05)), "#4b5257"
    x, y = thing.x, thing.y
    yield cone(x, y, low + 0.85 * thing.size.height, low + thing.size.height, 1.2, 0.5, 10), "#caa64a"


def _gate(thing: CityThing, low: float) -> Iterator[tuple[Mesh, str]]:
    posts = [_block(thing, low, (t, 0.0, 0.0), (0.12, 0.6, 0.8)) for t in (-0.36, 0.36)]
    yield joined(posts), "#c2392d"
    yield _block(thing, low, (0.0, 0.0, 0.55), (0.2, 0.5, 0.2)), "#d8493a"
    yield _block(thing, low, (0.0, 0.0, 0.8), (1.0, 1.0, 0.2)), "#4b5257"


def _boat(thing: CityThing, low: float) -> Iterator[tuple[Mesh, str]]:
    hull = [_at(thing, low, *p)[:2] for p in ((-0.5, -0.4), (0.2, -0.5), (0.5, 0.0), (0.2, 0.5), (-0.5, 0.4))]
    deck = low + 0.18 * thing.size.height
    yield prism(np.array(hull), low, deck), "#f4f4f2"
    yield _block(thing, low, (-0.12, 0.0, 0.18), (0.3, 0.5, 0.1)), "#2f5f8f"
    mast = _at(thing, low, 0.08, 0.0)
    yield cone(mast[0], mast[1], deck, low + thing.size.height, 0.6, 0.4, 8), "#8a8d8f"
    sail = np.array([mast + _UP * thing.size.height * t for t in (0.32, 0.96)])
    boom = _at(thing, low, -0.38, 0.0, 0.32)
    yield _sheet(np.array([sail[0], sail[1], boom])), "#fbfaf4"


def _sheet(corners: Array) -> Mesh:
    """A triangle of cloth, thick enough to be seen from both sides."""
    normal = np.cross(corners[1] - corners[0], corners[2] - corners[0])
    off = 0.25 * normal / np.linalg.norm(normal)
    vertices = np.concatenate([corners + off, corners - off])
    faces = [[0, 1, 2], [5, 4, 3]]
    for i, j in ((0, 1), (1, 2), (2, 0)):
        faces += [[i, i + 3, j + 3], [i, j + 3, j]]
    return Mesh(vertices, np.array(faces))


def _wheel(thing: CityThing, low: float) -> Iterator[tuple[Mesh, str]]:
    radius = 0.42 * thing.size.height
    hub = _at(thing, low, 0.0, 0.0)
    hub[2] = low + thing.size.height - radius
    along = (_at(thing, low, 0.5, 0.0) - _at(thing, low, 0.0, 0.0)) / (0.5 * thing.size.length)
    angle = np.linspace(0, 2 * math.pi, 25)
    reach = min(radius, thing.size.length / 2) - 1.0
    rim = hub + reach * (np.cos(angle)[:, None] * along + np.sin(angle)[:, None] * _UP)
    yield tube(rim, np.full(len(rim), 1.0), around=6), "#d2527f"
    spokes = [tube(np.array([hub, rim[k]]), np.full(2, 0.5), around=5) for k in range(0, 24, 3)]
    yield joined(spokes), "#e9e4da"
    cabins = [turned_box(rim[k] - _UP * 2.0, thing.turn_deg, (4.0, 5.0, 3.0)) for k in range(0, 24, 3)]
    yield joined(cabins), "#3f8fb5"
    feet = [_at(thing, low, t, w) for t in (-0.3, 0.3) for w in (-0.45, 0.45)]
    legs = [tube(np.array([foot, hub + 0.1 * (foot - hub) * [1, 1, 0]]), np.full(2, 1.1), around=6) for foot in feet]
    yield joined(legs), "#8c9196"


def _tent(thing: CityThing, low: float) -> Iterator[tuple[Mesh, str]]:
    h, r = thing.size.height, thing.size.length / 2
    yield cone(thing.x, thing.y, low, low + 0.4 * h, r * 0.9, r * 0.9), "#f3eee2"
    yield cone(thing.x, thing.y, low + 0.4 * h, low + h, r, 0.06 * r), "#cf4747"


_SHAPES: dict[str, Callable[[CityThing, float], Iterator[tuple[Mesh, str]]]] = {
    "tree": _tree,
    "aircraft": _aircraft,
    "terminal": _terminal,
    "pagoda": _pagoda,
    "gate": _gate,
    "boat": _boat,
    "wheel": _wheel,
    "tent": _tent,
}
