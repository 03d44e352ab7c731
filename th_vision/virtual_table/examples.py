"""Scenes and recordings of the virtual table from a seed alone, for tests and benches."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from calibration.board import Board
from rules.layout import Layout
from rules.pieces import Box, Pieces
from th_vision.frame import Frame
from th_vision.virtual_table.cameras import VirtualCamera, camera_model, pose_over_table
from th_vision.virtual_table.scene import (
    BoardBody,
    CarBody,
    ColumnBody,
    Scene,
    Spread,
    StickBody,
    TableBody,
    draw_stick,
    make_column,
    place_stick,
)
from th_vision.virtual_table.sensor import Faults, Sensor, shoot

_TEXEL_PER_MM = 8.0


def board_body(board: Board | None = None, thickness_mm: float = 0.1) -> BoardBody:
    """The calibration board (the contract's, or another) as a printed sheet."""
    drawn = board or Board()
    return BoardBody(drawn.image(_TEXEL_PER_MM), (drawn.width_mm, drawn.height_mm), thickness_mm=thickness_mm)


def camera_over_table(
    rng: np.random.Generator,
    model: str = "D415",
    distance_mm: float = 580.0,
    *,
    size: tuple[int, int] = (1280, 720),
    depth_unit_mm: float = 0.1,
    tilt_deg: float = 2.0,
    laid_mm: float = 20.0,
    laid_deg: float = 5.0,
) -> VirtualCamera:
    """A camera as a person would put it up, and a board as a person would lay it: a bit off, a bit turned.

    ``tilt_deg``, ``laid_mm``, ``laid_deg`` are the largest deviations. The table frame is the board's.
    """
    tilt = rng.uniform(-tilt_deg, tilt_deg, 2)
    aim = rng.uniform(-laid_mm, laid_mm, 2)
    # The left band without depth moves the useful field to the right.
    chosen = camera_model(model)
    aim[0] -= chosen.baseline_mm / 2
    pose = pose_over_table(
        distance_mm,
        tilt_deg=(float(tilt[0]), float(tilt[1])),
        turn_deg=float(rng.uniform(-laid_deg, laid_deg)),
        aim_mm=(float(aim[0]), float(aim[1])),
    )
    wrong = np.clip(rng.normal(0, 0.6, 2), -3, 3)
    return VirtualCamera(
        chosen,
        pose,
        size=size,
        depth_unit_mm=depth_unit_mm,
        misregistration_px=(float(wrong[0]), float(wrong[1])),
        serial=f"VT{int(rng.integers(10**6)):06d}",
    )


def table_for(rng: np.random.Generator, surface: str) -> TableBody:
    """A table top under the board: its texture lies anyhow."""
    at = rng.uniform(-40, 40, 2)
    return TableBody(
        surface=surface,
        center=(float(at[0]), float(at[1])),
        seed=int(rng.integers(1000)),
        texture_turn_deg=float(rng.uniform(-6, 6)),
    )


@dataclass(frozen=True)
class StaticExample:
    """Frames of one still scene with its calibration recording and truth."""

    camera: VirtualCamera
    calibration_frames: list[Frame]
    frames: list[Frame]
    truth: Layout
    pieces: Pieces
    scene: Scene


def calibration_frames(
    scene: Scene,
    camera: VirtualCamera,
    sensor: Sensor,
    rng: np.random.Generator,
    board_frames: int = 6,
    empty: int = 24,
) -> list[Frame]:
    """The board lying on the table, then the table empty."""
    frames = shoot(scene.with_board(board_body()), camera, sensor, rng, board_frames)
    return frames + shoot(
        scene.empty(), camera, sensor, rng, empty, number=board_frames, time_s=board_frames / 30 + 5.0
    )


def static_example(
    seed: int,
    camera: str = "D415",
    distance_mm: float = 580.0,
    surface: str = "wood",
    frames: int = 8,
    *,
    size: tuple[int, int] = (1280, 720),
    roads: int = 5,
    columns: int = 6,
    depth_unit_mm: float = 0.1,
    faults: Faults | None = None,
    pieces: Pieces | None = None,
    spread: Spread | None = None,
) -> StaticExample:
    """A still scene from a seed: calibration frames (board, then empty), frames of the scene, and its truth."""
    rng = np.random.default_rng(seed)
    set_of_pieces = pieces or Pieces()
    placed = camera_over_table(rng, camera, distance_mm, size=size, depth_unit_mm=depth_unit_mm)
    scene = replace(
        random_static_scene(rng, set_of_pieces, roads, columns, spread=spread), table=table_for(rng, surface)
    )
    sensor = Sensor(placed, rng, faults)
    before = calibration_frames(scene, placed, sensor, rng)
    shots = shoot(scene, placed, sensor, rng, frames, number=len(before), time_s=60.0)
    return StaticExample(placed, before, shots, scene.layout(), set_of_pieces, scene)


# --- scenes ----------------------------------------------------------------------------------------------------------


def random_static_scene(
    rng: np.random.Generator,
    pieces: Pieces,
    roads: int = 5,
    columns: int = 6,
    *,
    field_mm: tuple[float, float] = (430.0, 290.0),
    spread: Spread | None = None,
) -> Scene:
    """A scene as a game might leave it: two chains of roads, levels going up and down, some crossings, some cars.

    Roads rest on columns of 1-4 levels with both ends, a ramp or offramp with one end on the table; no road covers
    a foreign column or touches another road. ``field_mm``: the area about the origin that is used.
    """
    best: Scene | None = None
    for _ in range(60):
        builder = _Builder(rng, pieces, field_mm, spread or Spread())
        scene = builder.build(roads, columns)
        if len(scene.sticks) == roads and len(scene.columns) == columns:
            return scene
        if best is None or len(scene.sticks) + len(scene.columns) > len(best.sticks) + len(best.columns):
            best = scene
    assert best is not None
    return best


def _distance(
    a0: NDArray[np.float64], a1: NDArray[np.float64], b0: NDArray[np.float64], b1: NDArray[np.float64]
) -> float:
    """Plan distance of two segments."""
    from shapely import LineString

    return float(LineString([a0, a1]).distance(LineString([b0, b1])))


class _Builder:
    """Lays chains until the asked numbers are reached or nothing more fits."""

    def __init__(self, rng: np.random.Generator, pieces: Pieces, field_mm: tuple[float, float], spread: Spread) -> None:
        self.rng, self.pieces, self.field, self.spread = rng, pieces, field_mm, spread
        self.columns: list[ColumnBody] = []
        self.sticks: list[StickBody] = []
        self.cars: list[CarBody] = []

    def build(self, roads: int, columns: int) -> Scene:
        """Two chains in turn; each begins with a ramp where roads and columns are to be equal in number, else not."""
        tips = [self._start(), self._start()]
        offramp_at = roads - 1 if self.rng.random() < 0.35 else -1
        for _ in range(400):
            if len(self.columns) >= columns and len(self.sticks) >= roads:
                break
            k = int(self.rng.integers(2))
            base = tips[k]
            if base is None:
                tips[k] = self._start()
                continue
            want_ramp = len(self.sticks) < roads and (len(self.columns) >= columns or len(self.sticks) == offramp_at)
            if want_ramp:
                candidates = [c for c in self.columns if c.levels == 1 and not c.junction]
                base = candidates[int(self.rng.integers(len(candidates)))] if candidates else base
                self._try_road(base, None)
            elif len(self.sticks) < roads:
                after = self._extend(base)
                if after is not None:
                    tips[k] = after
            else:
                self._start()
        self._add_cars()
        return Scene(pieces=self.pieces, columns=tuple(self.columns), sticks=tuple(self.sticks), cars=tuple(self.cars))

    def _start(self) -> ColumnBody | None:
        w, h = self.field
        for _ in range(60):
            x, y = self.rng.uniform(-w / 2, w / 2), self.rng.uniform(-h / 2, h / 2)
            if self._free(float(x), float(y)):
                return self._put_column(float(x), float(y), 1, False)
        return None

    def _put_column(self, x: float, y: float, levels: int, junction: bool) -> ColumnBody:
        name = f"c{len(self.columns) + 1}"
        column = make_column(self.rng, self.pieces, name, x, y, levels, junction=junction, spread=self.spread)
        self.columns.append(column)
        return column

    def _free(self, x: float, y: float) -> bool:
        disc, stick = self.pieces.disc, self.pieces.stick
        point = np.array([x, y])
        for column in self.columns:
            if math.hypot(column.x - x, column.y - y) < 1.6 * disc.diameter:
                return False
        for other in self.sticks:
            a, b = (np.asarray(e[:2]) for e in other.ends)
            if _distance(point, point, a, b) < disc.radius + stick.width / 2 + 4:
                return False
        return True

    def _extend(self, base: ColumnBody) -> ColumnBody | None:
        """A new column within a stick of ``base`` and the road to it."""
        junction = self.rng.random() < 0.18
        step = int(self.rng.choice([-1, 1]))
        levels = int(np.clip(base.levels + step, 1, 4))
        if levels == base.levels:
            levels = base.levels - step
        if junction:
            levels = max(2, levels)
        reach = self.pieces.stick.length - self.rng.uniform(2, 9)
        # Often aim across a road that lies already, to get crossings.
        angle = self.rng.uniform(0, 2 * math.pi)
        if self.sticks and self.rng.random() < 0.7:
            other = self.sticks[int(self.rng.integers(len(self.sticks)))]
            t = self.rng.uniform(0.3, 0.7)
            at = np.asarray(other.ends[0]) * (1 - t) + np.asarray(other.ends[1]) * t
            angle = math.atan2(at[1] - base.y, at[0] - base.x) + self.rng.normal(0, 0.1)
        x, y = base.x + reach * math.cos(angle), base.y + reach * math.sin(angle)
        w, h = self.field
        if abs(x) > w / 2 or abs(y) > h / 2 or not self._free(x, y):
            return None
        column = self._put_column(x, y, levels, junction)
        if self._try_road(base, column):
            return column
        self.columns.pop()
        return None

    def _try_road(self, base: ColumnBody, to: ColumnBody | None) -> bool:
        size = draw_stick(self.rng, self.pieces, spread=self.spread)
        if to is not None:
            angle = math.atan2(to.y - base.y, to.x - base.x)
            gap = math.hypot(to.x - base.x, to.y - base.y)
            behind = (size.length - gap) / 2
            rises = (self._rest(base), self._rest(to))
            names = (self._support(base), to.id)
        else:
            angle = float(self.rng.uniform(0, 2 * math.pi))
            behind = float(self.rng.uniform(2, 7))
            rises = (self._rest(base), 0.0)
            names = (self._support(base), "table")
        start = (base.x - behind * math.cos(angle), base.y - behind * math.sin(angle))
        toward = (start[0] + math.cos(angle), start[1] + math.sin(angle))
        tips = self._tip_heights(size.length, size.thickness, rises, behind, to is not None)
        stick = place_stick(size, f"r{len(self.sticks) + 1}", start, toward, tips, names)
        w, h = self.field
        if any(abs(e[0]) > w / 2 + 12 or abs(e[1]) > h / 2 + 12 for e in stick.ends):
            return False
        own = {base.id} | ({to.id} if to is not None else set())
        if not self._clear(stick, own):
            return False
        self.sticks.append(stick)
        return True

    @staticmethod
    def _tip_heights(
        length: float, thickness: float, supports: tuple[float, float], behind: float, both: bool
    ) -> tuple[float, float]:
        """Top heights at both tips of a stick lying on two support heights ``behind`` from its tips."""
        a = behind
        b = length - behind if both else length
        slope = (supports[1] - supports[0]) / max(b - a, 1.0)
        z0 = supports[0] - slope * a
        z1 = z0 + slope * length
        return z0 + thickness, z1 + thickness

    def _rest(self, column: ColumnBody) -> float:
        """Height on which a further end comes to lie at this column."""
        z = column.top_z
        for stick in self.sticks:
            if column.id in stick.rests_on or math.dist(stick.ends[0][:2], (column.x, column.y)) < 12:
                z = max(z, stick.top_at(column.x, column.y))
        return z

    def _support(self, column: ColumnBody) -> str:
        """What a further end at this column lies on: the road already there, or the column."""
        there = [s.id for s in self.sticks if column.id in s.rests_on]
        return there[-1] if there else column.id

    def _clear(self, stick: StickBody, own: set[str]) -> bool:
        """Covers no foreign column, touches no road away from a shared column."""
        a, b = (np.asarray(e[:2]) for e in stick.ends)
        for column in self.columns:
            if column.id in own:
                continue
            point = np.array([column.x, column.y])
            if _distance(point, point, a, b) < self.pieces.disc.radius + stick.width / 2 + 2:
                return False
        for other in self.sticks:
            p, q = (np.asarray(e[:2]) for e in other.ends)
            if _distance(a, b, p, q) > stick.width + 3:
                continue
            shared = [c for c in self.columns if c.id in own and (c.id in other.rests_on or self._near(other, c))]
            if shared:
                away = [e for e in (p, q) if all(math.dist(e, (c.x, c.y)) > 20 for c in shared)]
                if any(_distance(e, e, a, b) < stick.width + 3 for e in away):
                    return False
                continue
            from shapely import LineString

            meet = LineString([a, b]).intersection(LineString([p, q]))
            if meet.is_empty:
                return False
            at = (float(meet.centroid.x), float(meet.centroid.y))
            upper = max((stick, other), key=lambda s: s.top_at(*at))
            lower = other if upper is stick else stick
            if upper.top_at(*at) - upper.thickness - lower.top_at(*at) < 2.5:
                return False
            if min(math.dist(at, e) for e in (a, b, p, q)) < 14:
                return False
        return True

    @staticmethod
    def _near(stick: StickBody, column: ColumnBody) -> bool:
        return min(math.dist(e[:2], (column.x, column.y)) for e in stick.ends) < 14

    def _add_cars(self) -> None:
        players = list(self.pieces.players)
        types = list(self.pieces.cars) or ["sedan"]
        for stick in self.sticks:
            if self.rng.random() < 0.45:
                t = float(self.rng.uniform(0.25, 0.75))
                a, b = (np.asarray(e) for e in stick.ends)
                at = a + t * (b - a)
                kind = types[int(self.rng.integers(len(types)))]
                size = self.pieces.cars.get(kind, Box(length=16, width=8, height=7))
                if self._roofed(stick, at, size):
                    continue
                heading = math.degrees(math.atan2(b[1] - a[1], b[0] - a[0]))
                pitch = math.degrees(math.asin((b[2] - a[2]) / stick.length))
                self.cars.append(
                    CarBody(
                        id=f"k{len(self.cars) + 1}",
                        x=float(at[0]),
                        y=float(at[1]),
                        z=stick.top_at(float(at[0]), float(at[1])),
                        player=players[int(self.rng.integers(len(players)))],
                        size=size,
                        heading_deg=heading + float(self.rng.normal(0, 3)),
                        pitch_deg=pitch,
                        type=kind,
                        on=stick.id,
                    )
                )

    def _roofed(self, stick: StickBody, at: NDArray[np.float64], size: Box) -> bool:
        """Whether another road is over or at this place."""
        point = np.asarray(at[:2])
        return any(
            _distance(point, point, np.asarray(o.ends[0][:2]), np.asarray(o.ends[1][:2]))
            < size.length / 2 + o.width / 2 + 1
            for o in self.sticks
            if o.id != stick.id
        )
