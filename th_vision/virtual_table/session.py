"""A session at the virtual table: calibration, then moment after moment, as frames in order of time.

``Setup`` says what hangs over which table; everything random in it comes from its seed, part by part, so that the
calibration and the game of one seed show the same camera and table whichever of them is asked for.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rules.pieces import Pieces
from th_vision.errors import VisionError
from th_vision.frame import Frame
from th_vision.virtual_table.cameras import FULL, LEAST_UNIT_MM, MOST_UNIT_MM, VirtualCamera, camera_model
from th_vision.virtual_table.examples import board_body, camera_over_table, table_for
from th_vision.virtual_table.faults import Faults, draw_faults, light_gains
from th_vision.virtual_table.moment import Moment
from th_vision.virtual_table.rerender import Renderer
from th_vision.virtual_table.scene import HandBody, Scene, StickBody
from th_vision.virtual_table.sensor_model import SensorModel, check_model, make_sensor
from th_vision.virtual_table.surfaces import surface

Kind = Literal["board", "empty", "hand", "still"]
MOST_TILT_DEG = 45.0  # a camera that hangs over a table, not beside it
_PAUSE_S = {"board": 3.0, "empty": 3.0, "hand": 0.4, "still": 0.3}
# Where a hand is on its way in and out: back from its goal along the arm, and up (mm). The piece goes down at the
# middle one; the frames before it show the table as it was.
_WAY_MM = ((170.0, 60.0), (40.0, 35.0), (0.0, 0.0), (150.0, 50.0))
_PLACED_AT = 2
_SEEN_ON_THE_WAY: dict[int, tuple[int, ...]] = {0: (), 1: (1,), 2: (1, 2), 3: (0, 1, 2), 4: (0, 1, 2, 3)}


@dataclass(frozen=True)
class Setup:
    """A virtual table as it is asked for.

    ``frames``: still frames of each moment. ``board_frames``, ``empty_frames``: of the calibration, the board laid
    down at one place. ``hand_frames``: frames of each hand between moments, 0 to 4. ``model``: of the sensor, ``fast``
    or ``stereo``. ``exposure``, ``flicker``, ``warm_up_K``: as in ``Faults``; they hold whatever ``faults`` say.
    ``white_balance_K``: how much the light's colour differs from what the camera was set to, kelvin about 5000.
    """

    seed: int = 1
    camera: str = "D415"
    distance_mm: float = 580.0
    surface: str = "wood"
    size: tuple[int, int] = FULL
    color_size: tuple[int, int] | None = None
    depth_unit_mm: float = 0.1
    frames: int = 8
    board_frames: int = 6
    empty_frames: int = 24
    hand_frames: int = 4
    fps: float = 15.0
    tilt_deg: float = 2.0
    faults: Faults | None = None
    model: str = "fast"
    exposure: float = 1.0
    flicker: float = 0.0
    warm_up_K: float = 0.0  # noqa: N815 - kelvin
    white_balance_K: float = 0.0  # noqa: N815 - kelvin

    def __post_init__(self) -> None:
        check_model(self.model)
        model = camera_model(self.camera)
        surface(self.surface)
        if self.size not in model.fx:
            sizes = ", ".join(f"{w}x{h}" for w, h in model.fx)
            raise VisionError(f"{model.name} at {self.size[0]}x{self.size[1]} is not known; choose one of {sizes}")
        least, most = model.min_z_mm[self.size] + 80, 2000.0
        if not least <= self.distance_mm <= most:
            raise VisionError(
                f"a {model.name} at {self.distance_mm:g} mm sees no table top with pieces on it; "
                f"choose {least:.0f} to {most:.0f} mm"
            )
        if not 0 <= self.tilt_deg <= MOST_TILT_DEG:
            raise VisionError(f"a tilt of {self.tilt_deg:g} degrees is not possible; choose 0 to {MOST_TILT_DEG:g}")
        if not LEAST_UNIT_MM <= self.depth_unit_mm <= MOST_UNIT_MM:
            raise VisionError(f"a depth unit of {self.depth_unit_mm:g} mm is not possible; use 0.1 or 1")
        if not 1 <= self.frames <= 500:
            raise VisionError(f"{self.frames} frames a moment are not possible; choose 1 to 500")
        if self.hand_frames not in _SEEN_ON_THE_WAY:
            raise VisionError(f"{self.hand_frames} frames of a hand are not possible; choose 0 to 4")
        if not 1 <= self.fps <= 90:
            raise VisionError(f"{self.fps:g} frames a second are not possible; choose 1 to 90")
        if not 0.1 <= self.exposure <= 5:
            raise VisionError(f"an exposure of {self.exposure:g} shows nothing; choose 0.1 to 5 (1 is right)")
        if not 0 <= self.flicker <= 1:
            raise VisionError(f"a flicker of {self.flicker:g} is not possible; choose 0 to 1, the share of the light")
        if not 0 <= self.warm_up_K <= 40:
            raise VisionError(f"a unit {self.warm_up_K:g} K too cold is not possible; choose 0 to 40")
        if not -3000 <= self.white_balance_K <= 5000:
            raise VisionError(f"light off by {self.white_balance_K:g} K is not possible; choose -3000 to 5000")

    def unit_faults(self, rng: np.random.Generator) -> Faults:
        """The faults of this session's unit, ``rng`` draws those that are not given."""
        drawn = self.faults or draw_faults(rng)
        return replace(
            drawn,
            exposure=drawn.exposure * self.exposure,
            flicker=max(drawn.flicker, self.flicker),
            warm_up_K=max(drawn.warm_up_K, self.warm_up_K),
            white_balance=light_gains(self.white_balance_K) if self.white_balance_K else drawn.white_balance,
        )


@dataclass(frozen=True)
class Shot:
    """A frame and what it shows. ``moment``: index of the moment it belongs to (-1: calibration)."""

    frame: Frame
    kind: Kind
    moment: int


class Session:
    """Camera, sensor and table of a setup. ``calibration()`` and ``play()`` give frames; time and numbers go on."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        streams = np.random.SeedSequence([setup.seed, 0x7461626C65]).spawn(6)
        place, unit, board, game, self.player_seed, table = streams
        self._rng = {"board": np.random.default_rng(board), "game": np.random.default_rng(game)}
        self.camera: VirtualCamera = camera_over_table(
            np.random.default_rng(place),
            setup.camera,
            setup.distance_mm,
            size=setup.size,
            depth_unit_mm=setup.depth_unit_mm,
            tilt_deg=setup.tilt_deg,
        )
        if setup.color_size is not None:
            self.camera = replace(self.camera, color_size=setup.color_size)
        own = np.random.default_rng(unit)
        self.sensor: SensorModel = make_sensor(setup.model, self.camera, own, setup.unit_faults(own))
        self.table = table_for(np.random.default_rng(table), setup.surface)
        self.now = self.camera  # where it stands at this moment: the same, unless it was bumped
        self._renderer = Renderer()
        self._number = 0
        self._time_s = 0.0
        self._drifted_s = 0.0

    def field_mm(self) -> tuple[float, float]:
        """Width and height of the largest area about the origin, along the table's axes, that is seen well."""
        corners = self.camera.field_mm()
        x = min(float(np.abs(corners[:, 0]).min()), 800.0)
        y = min(float(np.abs(corners[:, 1]).min()), 500.0)
        return 2 * x - 20, 2 * y - 20

    def calibration(self) -> Iterator[Shot]:
        """The board lying on the table, then the table empty."""
        scene = Scene(pieces=Pieces(), table=self.table)
        rng = self._rng["board"]
        yield from self._still(scene.with_board(board_body()), "board", -1, self.setup.board_frames, rng)
        yield from self._still(scene, "empty", -1, self.setup.empty_frames, rng)

    def play(self, moments: Iterable[Moment], first: int = 0) -> Iterator[Shot]:
        """The moments one after the other, each with the hands that made it."""
        rng = self._rng["game"]
        before: Scene | None = None
        self._renderer = Renderer()  # a game doesn't depend on whether its calibration was asked for
        self._time_s = max(self._time_s, 60.0)
        for index, moment in enumerate(moments, first):
            scene = replace(moment.scene, table=self.table)
            self.now = replace(self.camera, T_depth_table=self.pose_at(moment))
            self.sensor.camera = self.now
            if self.setup.hand_frames and before is not None:
                yield from self._hands(moment, before, scene, index, rng)
            yield from self._still(scene, "still", index, self.setup.frames, rng)
            before = scene

    def pose_at(self, moment: Moment) -> NDArray[np.float64]:
        """``T_depth_table`` while a moment is seen: the calibrated one, but for a bumped camera or a moved table."""
        T = self.camera.T_depth_table
        if moment.table is not None:
            T = T @ moment.table.matrix()
        return T if moment.camera is None else np.asarray(moment.camera.matrix() @ T, dtype=np.float64)

    # --- parts of a session -------------------------------------------------------------------------------------

    def _still(self, scene: Scene, kind: Kind, moment: int, n: int, rng: np.random.Generator) -> Iterator[Shot]:
        self._time_s += _PAUSE_S[kind]
        if n <= 0:
            return
        self.sensor.drift_on(rng, self._time_s - self._drifted_s)
        self._drifted_s = self._time_s
        exposure = float(1 + rng.normal(0, 1) * self.sensor.faults.exposure_jitter)
        clean = self._renderer.render(scene, self.now, keep=kind != "hand")
        frames = self.sensor.still(
            clean, rng, n, exposure=exposure, number=self._number, time_s=self._time_s, fps=self.setup.fps
        )
        for frame in frames:
            yield Shot(frame, kind, moment)
        self._number += n
        self._time_s += n / self.setup.fps

    def _hands(
        self, moment: Moment, before: Scene, after: Scene, index: int, rng: np.random.Generator
    ) -> Iterator[Shot]:
        old = {stick.id for stick in before.sticks}
        new = [stick for stick in after.sticks if stick.id not in old]
        for hand in moment.hands:
            for k in _SEEN_ON_THE_WAY[self.setup.hand_frames]:
                back, up = _WAY_MM[k]
                scene = after if k >= _PLACED_AT else before
                if moment.during is not None:
                    scene = replace(moment.during, table=self.table)
                held = new[0] if k < _PLACED_AT and new and moment.during is None else None
                moved = _moved(hand, back, up, held)
                yield from self._still(scene.with_hands([moved]), "hand", index, 1, rng)


def _moved(hand: HandBody, back_mm: float, up_mm: float, held: StickBody | None) -> HandBody:
    """The hand ``back_mm`` before its goal and ``up_mm`` above it, with the stick it is about to lay."""
    dx, dy = hand.elbow[0] - hand.tip[0], hand.elbow[1] - hand.tip[1]
    reach = max(math.hypot(dx, dy), 1.0)
    shift = (dx / reach * back_mm, dy / reach * back_mm, up_mm)
    holds = None
    if held is not None:
        middle = [(a + b) / 2 for a, b in zip(*held.ends, strict=True)]
        tip = [t + s for t, s in zip(hand.tip, shift, strict=True)]
        carry = (tip[0] - middle[0], tip[1] - middle[1], tip[2] - middle[2])
        holds = replace(held, ends=(_shifted(held.ends[0], carry), _shifted(held.ends[1], carry)))
    return replace(
        hand,
        elbow=_shifted(hand.elbow, shift),
        wrist=_shifted(hand.wrist, shift),
        tip=_shifted(hand.tip, shift),
        holds=holds,
    )


def _shifted(p: tuple[float, float, float], by: tuple[float, float, float]) -> tuple[float, float, float]:
    return (p[0] + by[0], p[1] + by[1], p[2] + by[2])
