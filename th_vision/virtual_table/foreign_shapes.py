"""Things on a table that are no pieces, and heads over its rim, as meshes."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from th_vision.virtual_table.meshes import Mesh, Part, circle, cone, dome, prism, tube
from th_vision.virtual_table.scene import ForeignBody, HeadBody

CUP_WALL_MM = 3.5
CUP_FILLED = 0.7  # coffee stands so high in a cup


def foreign_parts(body: ForeignBody, number: int) -> Iterator[Part]:
    """A foreign thing by its shape."""
    owner, key = f"foreign{number}", f"{body}"
    low, high = body.base_z, body.base_z + body.height
    outline = np.asarray(body.outline, dtype=np.float64)
    if body.shape == "cup":
        x, y = outline.mean(axis=0)
        radius = float(np.linalg.norm(outline - (x, y), axis=1).min())
        yield Part(_wall(x, y, low, high, radius), "foreign", owner, key, body.color)
        yield Part(
            cone(x, y, low, low + CUP_FILLED * body.height, radius * 0.8, radius - CUP_WALL_MM),
            "foreign",
            owner,
            key,
            "#3b2415",
        )
        yield Part(_handle(x, y, low, body.height, radius), "foreign", owner, key, body.color)
    elif body.shape == "thread":
        middle = len(outline) // 2
        line = outline[:middle]  # there along one side, back along the other: the middle line is the thread
        back = outline[middle:][::-1]
        path = np.column_stack([(line + back) / 2, np.full(middle, low + body.height / 2)])
        yield Part(tube(path, np.full(middle, body.height / 2), around=6), "foreign", owner, key, body.color)
    else:
        yield Part(prism(outline, low, high), "foreign", owner, key, body.color)
        if body.shape == "phone":
            inner = outline.mean(axis=0) + (outline - outline.mean(axis=0)) * 0.93
            yield Part(prism(inner, high, high + 0.05), "foreign", owner, key, "#0d0f14")


def _wall(x: float, y: float, low: float, high: float, radius: float) -> Mesh:
    """A cup without its content: outside, rim and inside of a wall."""
    n = 40
    rings = ((radius * 0.85, low), (radius, high), (radius - CUP_WALL_MM, high), (radius * 0.85 - CUP_WALL_MM, low + 2))
    vertices = np.concatenate([np.column_stack([circle(x, y, r, n), np.full(n, z)]) for r, z in rings])
    i = np.arange(n)
    j = (i + 1) % n
    faces = []
    for ring in range(len(rings) - 1):
        a, b = ring * n, (ring + 1) * n
        faces += [np.column_stack([a + i, a + j, b + j]), np.column_stack([a + i, b + j, b + i])]
    return Mesh(vertices, np.concatenate(faces))


def _handle(x: float, y: float, low: float, height: float, radius: float) -> Mesh:
    angle = np.linspace(-math.pi / 2, math.pi / 2, 9)
    out = x + radius * 0.93 + np.cos(angle) * radius * 0.55
    path = np.column_stack([out, np.full(9, y), low + height / 2 + np.sin(angle) * height * 0.3])
    return tube(path, np.full(9, 4.0), around=10)


def head_parts(head: HeadBody, number: int) -> Iterator[Part]:
    """Hair above, face below, nose and ears: what a camera sees of a player who bends over the table."""
    owner, key = f"head{number}", f"{head}"
    x, y, z, r = head.x, head.y, head.z, head.radius
    c, s = math.cos(math.radians(head.facing_deg)), math.sin(math.radians(head.facing_deg))
    yield Part(dome(x, y, z, r, r * 1.1, 28), "hand", owner, key, head.hair)
    yield Part(cone(x, y, z - 0.9 * r, z, 0.6 * r, r * 0.98, 28), "hand", owner, key, head.skin)
    nose = np.array(
        [[x + c * r * 0.9, y + s * r * 0.9, z - 0.1 * r], [x + c * r * 1.12, y + s * r * 1.12, z - 0.35 * r]]
    )
    yield Part(tube(nose, np.array([10.0, 13.0]), around=8), "hand", owner, key, head.skin)
    for way in (-1, 1):
        ear = np.array(
            [
                [x - way * s * r * 0.95, y + way * c * r * 0.95, z - 0.35 * r],
                [x - way * s * r * 1.05, y + way * c * r * 1.05, z],
            ]
        )
        yield Part(tube(ear, np.array([8.0, 14.0]), around=8), "hand", owner, key, head.skin)
