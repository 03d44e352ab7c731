"""The city objects as bodies: sizes where pieces.toml gives none, and what stands on each area. Table frame, mm."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rules.pieces import Box, Pieces
from th_vision.virtual_table.scene import CityBody, CityThing, Point2

# A set's own sizes come from pieces.toml; these are those of a believable set. Areas are cards of 2 mm.
BOXES: dict[str, Box] = {
    "development_area": Box(length=76, width=76, height=2),
    "building": Box(length=26, width=26, height=66),
    "tower": Box(length=30, width=30, height=105),
    "airport_area": Box(length=100, width=64, height=2),
    "green_area": Box(length=86, width=64, height=2),
    "rainbow_area": Box(length=104, width=54, height=2),
    "asakusa": Box(length=64, width=64, height=2),
    "yacht_harbor": Box(length=70, width=46, height=2),
    "amusement_park": Box(length=90, width=64, height=2),
}
ARCH_HEIGHT_MM = 62.0  # underside of the rainbow's crown over the table: roads of up to five levels go through
ARCH_SPAN = 0.82  # distance of its feet, share of the area's length
BASE_SET: tuple[str, ...] = (
    *("development_area",) * 5,
    *("building",) * 3,
    "tower",
    "airport_area",
    "rainbow_area",
    "green_area",
)
"""What the box of Rainbow City holds."""
EXPANSIONS: tuple[str, ...] = ("asakusa", "yacht_harbor", "amusement_park")

# What stands on an area: kind, place as shares of length and width from the middle, turn, size in mm. The other side
# of the area is left free: an offramp's end finds room there.
_Thing = tuple[str, float, float, float, tuple[float, float, float]]
_THINGS: dict[str, tuple[_Thing, ...]] = {
    "green_area": (
        ("tree", -0.36, 0.32, 0.0, (13.0, 13.0, 22.0)),
        ("tree", -0.17, 0.36, 0.0, (11.0, 11.0, 17.0)),
        ("tree", 0.03, 0.33, 0.0, (14.0, 14.0, 25.0)),
        ("tree", 0.24, 0.35, 0.0, (12.0, 12.0, 19.0)),
        ("tree", 0.40, 0.30, 0.0, (10.0, 10.0, 15.0)),
    ),
    "airport_area": (
        ("terminal", -0.30, 0.34, 0.0, (32.0, 13.0, 13.0)),
        ("aircraft", 0.07, 0.26, 85.0, (26.0, 24.0, 9.0)),
        ("aircraft", 0.35, 0.26, 85.0, (26.0, 24.0, 9.0)),
    ),
    "asakusa": (
        ("pagoda", 0.0, 0.10, 0.0, (26.0, 26.0, 52.0)),
        ("gate", 0.0, -0.34, 0.0, (22.0, 6.0, 15.0)),
    ),
    "yacht_harbor": (
        ("boat", -0.28, 0.05, 90.0, (22.0, 7.0, 26.0)),
        ("boat", 0.02, 0.05, 90.0, (22.0, 7.0, 26.0)),
        ("boat", 0.32, 0.05, 90.0, (22.0, 7.0, 26.0)),
    ),
    "amusement_park": (
        ("wheel", -0.20, 0.24, 0.0, (40.0, 10.0, 46.0)),
        ("tent", 0.30, 0.22, 0.0, (22.0, 22.0, 20.0)),
    ),
}
FREE_SIDE_DEG = -90.0  # where, seen from the middle of an area, nothing stands


def box_of(pieces: Pieces, kind: str) -> Box:
    """The outer size of a kind of city object: the set's own, else a believable one."""
    return pieces.city.get(kind, BOXES[kind])


def with_city(pieces: Pieces, kinds: Sequence[str] = tuple(BOXES)) -> Pieces:
    """The same pieces with a size for each of these kinds."""
    return pieces.model_copy(update={"city": {kind: box_of(pieces, kind) for kind in kinds} | pieces.city})


def city_body(
    pieces: Pieces,
    kind: str,
    id: str,
    x: float,
    y: float,
    turn_deg: float = 0.0,
    *,
    on: CityBody | None = None,
    adjoins: str | None = None,
) -> CityBody:
    """A city object with its middle at (x, y); ``on``: the development area that a building or the tower stands on."""
    box = box_of(pieces, kind)
    c, s = math.cos(math.radians(turn_deg)), math.sin(math.radians(turn_deg))

    def at(u: float, v: float) -> Point2:
        return (x + c * u * box.length - s * v * box.width, y + s * u * box.length + c * v * box.width)

    usual = BOXES[kind]
    shrunk = min(1.0, box.length / usual.length, box.width / usual.width)
    things = tuple(
        CityThing(
            what,
            *at(u, v),
            Box(length=size[0] * shrunk, width=size[1] * shrunk, height=size[2] * shrunk),
            turn_deg + turn,
        )
        for what, u, v, turn, size in _THINGS.get(kind, ())
    )
    rainbow = kind == "rainbow_area"
    return CityBody(
        id=id,
        kind=kind,
        outline=(at(-0.5, -0.5), at(0.5, -0.5), at(0.5, 0.5), at(-0.5, 0.5)),
        height=box.height,
        base_z=0.0 if on is None else on.top_z,
        on="table" if on is None else on.id,
        arch=(at(-ARCH_SPAN / 2, 0.0), at(ARCH_SPAN / 2, 0.0)) if rainbow else None,
        arch_height=ARCH_HEIGHT_MM * box.length / usual.length if rainbow else None,
        adjoins=adjoins,
        things=things,
    )
