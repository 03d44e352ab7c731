"""What really stands on the virtual table: bodies with their own sizes and poses, in the table frame, mm and degrees.

A body has the size of this one piece, not the nominal size of its kind. ``Scene.layout()`` is the truth that a
reconstruction is compared with. Nothing here knows a camera.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from rules.layout import Car, CityObject, Column, Layout, Obstacle, Road, Unknown
from rules.pieces import Box, Pieces

Point2 = tuple[float, float]
Point3 = tuple[float, float, float]
Array = NDArray[np.float64]


@dataclass(frozen=True)
class DiscBody:
    """One disc of a column: plan centre, own size; it lies flat on what is below it."""

    x: float
    y: float
    diameter: float
    height: float
    yellow: bool = False


@dataclass(frozen=True)
class ColumnBody:
    """A stack of discs from the bottom up. Lean and off-centre discs are in the discs' own centres.

    ``base_z``: height of what it stands on (0: the table; the thickness of the area ``on`` else). ``pad_mm``: thickness
    of a rubber pad on its top disc.
    """

    id: str
    discs: tuple[DiscBody, ...]
    on: str = "table"
    base_z: float = 0.0
    pad_mm: float = 0.0

    @property
    def x(self) -> float:
        """Plan centre of the top disc, mm: where roads rest and what is seen from above."""
        return self.discs[-1].x

    @property
    def y(self) -> float:
        """Plan centre of the top disc, mm."""
        return self.discs[-1].y

    @property
    def levels(self) -> int:
        """Number of discs, the yellow one included."""
        return len(self.discs)

    @property
    def junction(self) -> bool:
        """Whether a yellow disc is on top."""
        return self.discs[-1].yellow

    @property
    def top_z(self) -> float:
        """Height of the top face, mm; its rubber pad included."""
        return self.base_z + sum(disc.height for disc in self.discs) + self.pad_mm


@dataclass(frozen=True)
class StickBody:
    """A road-stick. ``ends``: tips of the centre line on the **top** surface, as in the layout.

    ``bow_mm``: rise of the middle over the straight line between the ends (negative: it sags).
    ``roll_deg``: turn about its own axis, positive raises the left edge (seen from ends[0] to ends[1]).
    ``shade``: brightness of this stick against the nominal colour.
    """

    id: str
    ends: tuple[Point3, Point3]
    width: float
    thickness: float
    rests_on: tuple[str, str] = ("table", "table")
    bow_mm: float = 0.0
    roll_deg: float = 0.0
    round_ends: bool = True
    shade: float = 1.0
    color: str | None = None

    @property
    def length(self) -> float:
        """Distance between the tips, mm."""
        return math.dist(*self.ends)

    def top_at(self, x: float, y: float) -> float:
        """Height of the top surface's centre line at the plan point nearest to (x, y), mm; bow included."""
        (ax, ay, az), (bx, by, bz) = self.ends
        run2 = (bx - ax) ** 2 + (by - ay) ** 2
        t = ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / run2 if run2 else 0.5
        return az + t * (bz - az) + 4 * self.bow_mm * t * (1 - t)


@dataclass(frozen=True)
class CarBody:
    """A car: the centre of its foot, heading from the x axis, pitch up along the heading, own size."""

    id: str
    x: float
    y: float
    z: float
    player: str
    size: Box
    heading_deg: float = 0.0
    pitch_deg: float = 0.0
    type: str = "sedan"
    on: str | None = None


@dataclass(frozen=True)
class CityThing:
    """What stands on an area and is in the way: a tree, an aircraft, a pagoda. Its foot's middle, turn, own size.

    ``kind``: tree, aircraft, terminal, pagoda, gate, boat, wheel, tent. It is solid over its ``outline``.
    """

    kind: str
    x: float
    y: float
    size: Box
    turn_deg: float = 0.0

    @property
    def outline(self) -> tuple[Point2, ...]:
        """Its corners in plan, counter-clockwise; a tree's and a tent's is round."""
        if self.kind in ("tree", "tent"):
            angles = (2 * math.pi * k / 12 for k in range(12))
            radius = self.size.length / 2 / math.cos(math.pi / 12)
            return tuple((self.x + radius * math.cos(a), self.y + radius * math.sin(a)) for a in angles)
        c, s = math.cos(math.radians(self.turn_deg)), math.sin(math.radians(self.turn_deg))
        half = ((-1, -1), (1, -1), (1, 1), (-1, 1))
        corners = ((i * self.size.length / 2, j * self.size.width / 2) for i, j in half)
        return tuple((self.x + c * u - s * v, self.y + s * u + c * v) for u, v in corners)


@dataclass(frozen=True)
class CityBody:
    """A city object: prism over its outline from ``base_z`` up, and on areas lower ``things`` that stand on it.

    ``arch``: the feet of the rainbow's arch; ``arch_height`` of the underside of its crown over the table.
    """

    id: str
    kind: str
    outline: tuple[Point2, ...]
    height: float
    base_z: float = 0.0
    on: str = "table"
    color: str | None = None
    arch: tuple[Point2, Point2] | None = None
    arch_height: float | None = None
    adjoins: str | None = None
    things: tuple[CityThing, ...] = ()

    @property
    def top_z(self) -> float:
        """Height of its top face (an area's card) over the table, mm."""
        return self.base_z + self.height

    def to_layout(self) -> CityObject:
        """The object as a layout or a record names it; the things on it are its obstacles."""
        return CityObject(
            id=self.id,
            kind=self.kind,
            outline=self.outline,
            height=self.height,
            on=self.on,
            arch=self.arch,
            arch_height=self.arch_height,
            adjoins=self.adjoins,
            obstacles=tuple(Obstacle(outline=t.outline, height=self.top_z + t.size.height) for t in self.things),
        )


@dataclass(frozen=True)
class ForeignBody:
    """Something that is no piece, over its outline. ``shape``: prism (card, box), phone, cup, or thread.

    A cup is round and hollow, as wide as its outline; a thread lies along the outline's points.
    """

    outline: tuple[Point2, ...]
    height: float
    color: str = "#404048"
    base_z: float = 0.0
    shape: str = "prism"


POSES = ("pinch", "flat", "fist", "point")


@dataclass(frozen=True)
class HandBody:
    """A hand and forearm reaching in: from the elbow over the wrist to the finger tips (table frame, mm).

    ``pose``: one of ``POSES``. ``sleeve``: its colour, None for a bare arm; ``sleeve_to``: how much of the forearm,
    from the elbow, it covers.
    """

    elbow: Point3
    wrist: Point3
    tip: Point3
    skin: str = "#c99a7c"
    sleeve: str | None = "#39506e"
    holds: StickBody | None = None
    pose: str = "pinch"
    sleeve_to: float = 0.75


@dataclass(frozen=True)
class HeadBody:
    """A head bent over the table's rim: the middle of it, its radius, hair and where the face looks (degrees)."""

    x: float
    y: float
    z: float
    radius: float = 88.0
    hair: str = "#3a2c22"
    skin: str = "#c99a7c"
    facing_deg: float = 0.0


@dataclass(frozen=True)
class BoardBody:
    """The calibration board lying on the table: its centre is the origin, its x axis the table frame's.

    ``texture``: (h, w) uint8 drawing of the squares, seen with +y of the board up; ``size_mm`` of the drawing along
    x and y; ``margin_mm`` of white card around it.
    """

    texture: NDArray[np.uint8]
    size_mm: tuple[float, float]
    margin_mm: float = 8.0
    thickness_mm: float = 0.3


@dataclass(frozen=True)
class TableBody:
    """The table top: a plate in z = 0 with a ``surface`` (see surfaces.py), its extent about its own centre, mm.

    ``seed`` fixes the texture; ``bow_mm`` is how far the middle of the top stands over its rim.
    """

    surface: str = "wood"
    size_mm: tuple[float, float] = (1600.0, 1000.0)
    center: Point2 = (0.0, 0.0)
    seed: int = 1
    bow_mm: float = 0.0
    texture_turn_deg: float = 0.0


@dataclass(frozen=True)
class Light:
    """A lamp: direction towards it (table frame), its size as an angle (soft shadows), share of ambient light."""

    direction: Point3 = (0.35, 0.5, 1.0)
    softness_deg: float = 6.0
    ambient: float = 0.55


@dataclass(frozen=True)
class Scene:
    """Everything that stands on the table at one moment."""

    pieces: Pieces = field(default_factory=Pieces)
    columns: tuple[ColumnBody, ...] = ()
    sticks: tuple[StickBody, ...] = ()
    cars: tuple[CarBody, ...] = ()
    city: tuple[CityBody, ...] = ()
    foreign: tuple[ForeignBody, ...] = ()
    hands: tuple[HandBody, ...] = ()
    heads: tuple[HeadBody, ...] = ()
    board: BoardBody | None = None
    table: TableBody = field(default_factory=TableBody)
    light: Light = field(default_factory=Light)

    def layout(self) -> Layout:
        """The truth as a layout: exact (sigma 0). Hands, heads and the board are no part of it."""
        return Layout(
            columns=tuple(
                Column(
                    id=c.id,
                    x=c.x,
                    y=c.y,
                    levels=c.levels,
                    junction=c.junction,
                    top_z=c.top_z,
                    on=c.on,
                )
                for c in self.columns
            ),
            roads=tuple(Road(id=s.id, ends=s.ends, rests_on=s.rests_on) for s in self.sticks),
            cars=tuple(
                Car(
                    id=k.id,
                    x=k.x,
                    y=k.y,
                    z=k.z,
                    heading_deg=k.heading_deg,
                    player=k.player,
                    type=k.type,
                    on=k.on,
                )
                for k in self.cars
            ),
            city=tuple(body.to_layout() for body in self.city),
            unknown=tuple(Unknown(outline=f.outline, height=f.base_z + f.height) for f in self.foreign),
        )

    def empty(self) -> Scene:
        """The same table with nothing on it."""
        return Scene(pieces=self.pieces, table=self.table, light=self.light)

    def with_board(self, board: BoardBody) -> Scene:
        """The same table with only the board on it."""
        return replace(self.empty(), board=board)

    def with_hands(self, hands: Sequence[HandBody]) -> Scene:
        """The same scene with these hands over it."""
        return replace(self, hands=tuple(hands))


# --- making bodies with the spread of real pieces -------------------------------------------------------------------


@dataclass(frozen=True)
class Spread:
    """How pieces of one kind differ (standard deviations, mm and degrees).

    ``pad``: thickness of the rubber pad that every column carries on its top disc (no deviation), mm.
    """

    stick_length: float = 0.5
    stick_width: float = 0.15
    stick_thickness: float = 0.06
    bow: float = 0.3
    roll_deg: float = 0.8
    disc_diameter: float = 0.08
    disc_height: float = 0.06
    off_centre: float = 0.35
    lean_per_disc: float = 0.15
    shade: float = 0.05
    pad: float = 0.0


EXACT = Spread(**dict.fromkeys(Spread.__dataclass_fields__, 0.0))


def make_column(
    rng: np.random.Generator,
    pieces: Pieces,
    id: str,
    x: float,
    y: float,
    levels: int,
    *,
    junction: bool = False,
    on: str = "table",
    base_z: float = 0.0,
    spread: Spread | None = None,
) -> ColumnBody:
    """A column whose top disc is at (x, y); the discs below are off by the lean and their own offsets."""
    s = spread or Spread()
    lean = rng.normal(0, s.lean_per_disc, 2)
    discs: list[DiscBody] = []
    for below_top in range(levels - 1, -1, -1):
        shift = lean * below_top + (rng.normal(0, s.off_centre, 2) if below_top else 0.0)
        discs.append(
            DiscBody(
                x=float(x - shift[0]),
                y=float(y - shift[1]),
                diameter=float(pieces.disc.diameter + rng.normal(0, s.disc_diameter)),
                height=float(pieces.disc.height + rng.normal(0, s.disc_height)),
                yellow=junction and below_top == 0,
            )
        )
    return ColumnBody(id=id, discs=tuple(discs), on=on, base_z=base_z, pad_mm=s.pad)


@dataclass(frozen=True)
class StickSize:
    """Size and shape of one stick that is not lying anywhere yet."""

    length: float
    width: float
    thickness: float
    bow_mm: float
    roll_deg: float
    shade: float
    round_ends: bool = True


def draw_stick(rng: np.random.Generator, pieces: Pieces, *, spread: Spread | None = None) -> StickSize:
    """Take a stick from the box."""
    s = spread or Spread()
    stick = pieces.stick
    return StickSize(
        length=float(stick.length + rng.normal(0, s.stick_length)),
        width=float(stick.width + rng.normal(0, s.stick_width)),
        thickness=float(stick.thickness + rng.normal(0, s.stick_thickness)),
        bow_mm=float(np.clip(rng.normal(0, s.bow), -1, 1)),
        roll_deg=float(np.clip(rng.normal(0, s.roll_deg), -5, 5)),
        shade=float(1 + rng.normal(0, s.shade)),
        round_ends=stick.ends == "round",
    )
