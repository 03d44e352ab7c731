"""What a virtual game is made of: kinds of moments, crossings, builds, what a player holds. Table frame, mm."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from rules.events import Answer
from th_vision.virtual_table.moment import Moment
from th_vision.virtual_table.scene import CarBody, ColumnBody, Point2, StickBody

Side = Literal["over", "under"]


@dataclass(frozen=True)
class Kind:
    """What a moment is: ``kind`` is setup, move, knock, restored, undo or pass; ``events`` names what was injected."""

    kind: str
    turn: int = 0
    player: str = ""
    events: tuple[str, ...] = ()


@dataclass(frozen=True)
class PlayedMoment(Moment):
    """A moment of a played game: the scene and the facts, what kind of moment it is, and what the rules answer."""

    what: Kind = Kind("setup")
    answers: tuple[Answer, ...] = ()


@dataclass(frozen=True)
class CrossingSeen:
    """A crossing of a new road with an older one, by this module's own plain arithmetic."""

    road: str
    owner: str
    side: Side
    gap_mm: float
    at: Point2
    pays: bool


@dataclass(frozen=True)
class Build:
    """What a player means to put on the table in one turn. ``column`` is None for an offramp.

    ``standing``: the column that stood there before and that the far end lies on, against the rules.
    """

    base: str
    column: ColumnBody | None
    stick: StickBody
    cars: tuple[CarBody, ...] = ()
    crossings: tuple[CrossingSeen, ...] = ()
    standing: str | None = None

    @property
    def due(self) -> int:
        """Cars that this road earns, before the cap by cars left."""
        return sum(c.pays for c in self.crossings) + (self.column is None and self.standing is None)


@dataclass
class Holding:
    """What a player still holds, and the columns it may extend from (with the number of roads each may still get)."""

    gray: int
    yellow: int
    sticks: int
    cars: int
    bases: dict[str, int] = field(default_factory=dict)


def centre_lines_cross(a: StickBody, b: StickBody) -> Point2 | None:
    """Where two sticks' centre lines cross in plan; None where they don't."""
    (px, py, _), (qx, qy, _) = a.ends[0], b.ends[0]
    rx, ry = a.ends[1][0] - px, a.ends[1][1] - py
    sx, sy = b.ends[1][0] - qx, b.ends[1][1] - qy
    area = rx * sy - ry * sx
    if abs(area) < 1e-9:
        return None
    dx, dy = qx - px, qy - py
    t, u = (dx * sy - dy * sx) / area, (dx * ry - dy * rx) / area
    if not (0 <= t <= 1 and 0 <= u <= 1):
        return None
    return px + t * rx, py + t * ry
