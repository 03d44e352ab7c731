"""Still scenes as a game might leave them, by seed, without playing a game."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from rules.pieces import Box, Pieces
from th_vision.virtual_table.physics import (
    Support,
    column_clearance,
    column_support,
    rest_stick,
    stick_clearance,
    stick_support,
    table_support,
)
from th_vision.virtual_table.scene import (
    CarBody,
    ColumnBody,
    Point2,
    Scene,
    Spread,
    StickBody,
    draw_stick,
    make_column,
)

GRAY_ENDS, JUNCTION_ENDS = 2, 3  # one road in and one out, two out of a junction (the rules)
APART_MM = 3.0  # plan room between pieces that have nothing to do with each other
CROSSING_GAP_MM = 2.0  # vertical room at a crossing
HIGHEST = 4
_ATTEMPTS = 40
_STEPS = 260


def random_static_scene(
    rng: np.random.Generator,
    pieces: Pieces,
    roads: int = 5,
    columns: int = 6,
    *,
    field_mm: tuple[float, float] = (430.0, 290.0),
    spread: Spread | None = None,
) -> Scene:
    """Two chains of roads on columns of 1 to 4 levels, mostly with crossings; some junctions, offramps and cars.

    Every stick lies where it really comes to rest; none covers a foreign column or touches a foreign road.
    ``field_mm``: the area about the origin that is used. Of many tries the first with all the numbers asked for (and
    one or two crossings, mostly) is taken.
    """
    crossings = int(rng.choice([0, 1, 1, 2]))
    best: tuple[int, Scene] | None = None
    for _ in range(_ATTEMPTS):
        builder = _Builder(rng, pieces, field_mm, spread or Spread())
        scene = builder.build(roads, columns)
        short = abs(len(scene.sticks) - roads) + abs(len(scene.columns) - columns)
        missing = 10 * short + max(0, crossings - builder.crossings)
        if best is None or missing < best[0]:
            best = (missing, scene)
        if missing == 0:
            break
    assert best is not None
    return best[1]


@dataclass
class _Builder:
    """Lays chains until the asked numbers are reached or nothing more fits."""

    rng: np.random.Generator
    pieces: Pieces
    area: tuple[float, float]
    spread: Spread
    columns: list[ColumnBody] = field(default_factory=list)
    sticks: list[StickBody] = field(default_factory=list)
    cars: list[CarBody] = field(default_factory=list)
    crossings: int = 0

    def build(self, roads: int, columns: int) -> Scene:
        """Extend two chains in turn; what is missing at the end are ramps (sticks) or lone columns."""
        tips: list[ColumnBody | None] = [self._start(), self._start()]
        for _ in range(_STEPS):
            sticks_due, columns_due = roads - len(self.sticks), columns - len(self.columns)
            if sticks_due <= 0 and columns_due <= 0:
                break
            k = int(self.rng.integers(2))
            tip = tips[k]
            if sticks_due > 0 and (columns_due <= 0 or self.rng.random() < 0.08):
                low = [c for c in self.columns if c.levels == 1 and not c.junction]
                if low:
                    self._lay(low[int(self.rng.integers(len(low)))], None)
            elif sticks_due > 0:
                base = tip if tip is not None and self.rng.random() < 0.85 else self._any_junction()
                if base is not None:
                    tips[k] = self._extend(base) or tip
            else:
                self._start()
        self._add_cars()
        return Scene(self.pieces, tuple(self.columns), tuple(self.sticks), tuple(self.cars))

    def _start(self) -> ColumnBody | None:
        w, h = self.area
        near = self.pieces.stick.length * 1.2
        for _ in range(40):
            x, y = (float(self.rng.uniform(-s / 2, s / 2)) for s in (w * 0.7, h * 0.7))
            close = not self.columns or math.dist((x, y), (self.columns[0].x, self.columns[0].y)) < near
            if close and self._free(x, y):
                return self._put(x, y, int(self.rng.choice([1, 1, 2, 3])), False)
        return None

    def _any_junction(self) -> ColumnBody | None:
        found = [c for c in self.columns if c.junction]
        return found[int(self.rng.integers(len(found)))] if found else None

    def _put(self, x: float, y: float, levels: int, junction: bool) -> ColumnBody:
        name = f"c{len(self.columns) + 1}"
        column = make_column(self.rng, self.pieces, name, x, y, levels, junction=junction, spread=self.spread)
        self.columns.append(column)
        return column

    def _free(self, x: float, y: float) -> bool:
        """Room for a column: away from other columns and under no road."""
        disc = self.pieces.disc
        if any(math.dist((c.x, c.y), (x, y)) < 1.6 * disc.diameter for c in self.columns):
            return False
        need = disc.radius + self.pieces.stick.width / 2 + APART_MM
        return all(_off_line((x, y), s) >= need for s in self.sticks)

    def _extend(self, base: ColumnBody) -> ColumnBody | None:
        """A new column about a stick's length from ``base``, often across a road that lies there, and its road."""
        junction = bool(self.rng.random() < 0.15)
        step = int(self.rng.choice([-1, 1]))
        levels = base.levels + step
        if not 1 <= levels <= HIGHEST:
            levels = base.levels - step
        if junction:
            levels = max(2, levels)
        angle = float(self.rng.uniform(0, 2 * math.pi))
        foreign = [s for s in self.sticks if base.id not in s.rests_on]
        if foreign and self.rng.random() < 0.75:
            other = foreign[int(self.rng.integers(len(foreign)))]
            t = float(self.rng.uniform(0.25, 0.75))
            (ax, ay, _), (bx, by, _) = other.ends
            angle = math.atan2(ay + t * (by - ay) - base.y, ax + t * (bx - ax) - base.x)
        reach = self.pieces.stick.length - float(self.rng.uniform(4, 12))
        x, y = base.x + reach * math.cos(angle), base.y + reach * math.sin(angle)
        if abs(x) > self.area[0] / 2 or abs(y) > self.area[1] / 2 or not self._free(x, y):
            return None
        column = self._put(x, y, levels, junction)
        if self._lay(base, column):
            return column
        self.columns.pop()
        return None

    def _lay(self, base: ColumnBody, to: ColumnBody | None) -> bool:
        """Lay a stick from ``base`` to a column or down to the table; False where it would not do."""
        size = draw_stick(self.rng, self.pieces, spread=self.spread)
        if to is None:
            angle = float(self.rng.uniform(0, 2 * math.pi))
            behind = float(self.rng.uniform(2, 6))
        else:
            angle = math.atan2(to.y - base.y, to.x - base.x)
            behind = (size.length - math.dist((base.x, base.y), (to.x, to.y))) / 2
        start = (base.x - behind * math.cos(angle), base.y - behind * math.sin(angle))
        toward = (start[0] + math.cos(angle), start[1] + math.sin(angle))
        here = [s for s in self.sticks if _end_near(s, base)]
        if len(here) >= (JUNCTION_ENDS if base.junction else GRAY_ENDS):
            return False
        supports: list[Support] = [stick_support(s) for s in reversed(here)] + [column_support(base)]
        supports.append(table_support() if to is None else column_support(to))
        rest = rest_stick(size, f"r{len(self.sticks) + 1}", start, toward, supports)
        if rest is None:
            return False
        at_base = {base.id, *(s.id for s in here)}
        if not set(rest.touches[0]) <= at_base or rest.touches[1] != ("table" if to is None else to.id,):
            return False
        stick = rest.stick
        if any(abs(e[0]) > self.area[0] / 2 + 12 or abs(e[1]) > self.area[1] / 2 + 12 for e in stick.ends):
            return False
        own = {base.id} | ({to.id} if to is not None else set())
        if any(column_clearance(stick, c).plan_mm < APART_MM for c in self.columns if c.id not in own):
            return False
        crossings = self._crossings(stick, [s.id for s in here])
        if crossings is None:
            return False
        self.sticks.append(stick)
        self.crossings += crossings
        return True

    def _crossings(self, stick: StickBody, here: Iterable[str]) -> int | None:
        """How many foreign roads it crosses; None where it touches one or runs along one."""
        count = 0
        for other in self.sticks:
            if other.id in here:
                turn = _heading(stick.ends[0], stick.ends[1]) - _heading(*_from_end(other, stick.ends[0][:2]))
                if abs(math.remainder(turn, 2 * math.pi)) < math.radians(35):
                    return None
                continue
            room = stick_clearance(stick, other)
            if room.gap_mm is None:
                if room.plan_mm < APART_MM:
                    return None
                continue
            if room.gap_mm < CROSSING_GAP_MM or min(_off_line(e[:2], other) for e in stick.ends) < 12:
                return None
            if min(_off_line(e[:2], stick) for e in other.ends) < 12:
                return None
            count += 1
        return count

    def _add_cars(self) -> None:
        players = list(self.pieces.players)
        types = list(self.pieces.cars) or ["sedan"]
        for stick in self.sticks:
            if self.rng.random() >= 0.45:
                continue
            t = float(self.rng.uniform(0.25, 0.75))
            a, b = (np.asarray(e) for e in stick.ends)
            x, y = (float(v) for v in (a + t * (b - a))[:2])
            kind = types[int(self.rng.integers(len(types)))]
            size = self.pieces.cars.get(kind, Box(length=16, width=8, height=7))
            others = [s for s in self.sticks if s.id != stick.id]
            if any(_off_line((x, y), s) < size.length / 2 + s.width / 2 + 2 for s in others):
                continue
            self.cars.append(
                CarBody(
                    id=f"k{len(self.cars) + 1}",
                    x=x,
                    y=y,
                    z=stick.top_at(x, y),
                    player=players[int(self.rng.integers(len(players)))],
                    size=size,
                    heading_deg=math.degrees(_heading(stick.ends[0], stick.ends[1])) + float(self.rng.normal(0, 3)),
                    pitch_deg=math.degrees(math.asin((b[2] - a[2]) / stick.length)),
                    type=kind,
                    on=stick.id,
                )
            )


def _off_line(point: Point2, stick: StickBody) -> float:
    """Plan distance from a point to a stick's centre line."""
    a, b, p = (np.asarray(v[:2]) for v in (stick.ends[0], stick.ends[1], point))
    along = b - a
    t = float(np.clip((p - a) @ along / (along @ along), 0, 1))
    return float(np.linalg.norm(a + t * along - p))


def _end_near(stick: StickBody, column: ColumnBody) -> bool:
    return min(math.dist(e[:2], (column.x, column.y)) for e in stick.ends) < column.discs[-1].diameter * 0.75


def _heading(a: tuple[float, ...], b: tuple[float, ...]) -> float:
    return math.atan2(b[1] - a[1], b[0] - a[0])


def _from_end(stick: StickBody, near: tuple[float, ...]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """The stick's ends, the one nearer to a plan point first."""
    a, b = stick.ends
    return (a, b) if math.dist(a[:2], near) <= math.dist(b[:2], near) else (b, a)
