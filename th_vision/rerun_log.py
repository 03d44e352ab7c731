"""What every stage saw and decided, for the rerun viewer: for who works on th-vision.

    th-vision replay ... --rerun game.rrd      then: rerun game.rrd

Entities: ``camera/color`` and ``camera/depth`` (the still view, fused), ``camera/rise`` and ``camera/sigma`` (its
disparity against the empty table, and its uncertainty, native pixels), ``table/...`` (the pieces as they are believed
to stand, mm, z up), ``doubt`` (what is not sure of them), ``decisions`` (facts and rulings as text). The time line
``game`` is the source's clock.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from rules.events import MoveFact, RampFact, RulingLine
from rules.layout import Layout
from rules.messages import messages
from rules.pieces import Pieces
from rules.telling import describe
from th_vision.announce import SURE
from th_vision.errors import VisionError
from th_vision.follow_events import Entered, Output, Reconsidered, Told, Warned
from th_vision.player_colors import color_of

if TYPE_CHECKING:
    from th_vision.still_view import StillView

APPLICATION: Final = "th-vision"
LEVELS: Final = {"fault": "ERROR", "too_close": "WARN"}


class RerunLog:
    """Writes a recording. State: whose road is whose, from the facts that passed.

    Raises:
        VisionError: rerun-sdk is not installed.
    """

    def __init__(self, path: Path, pieces: Pieces) -> None:
        try:
            import rerun
        except ImportError as error:
            raise VisionError("--rerun: rerun-sdk is not installed; pip install 'th-vision[rerun]'") from error
        self._rr: Any = rerun
        self._pieces = pieces
        self._owners: dict[str, str] = {}
        self._recording = rerun.RecordingStream(APPLICATION)
        self._recording.save(str(path))
        self._log("table", rerun.ViewCoordinates.RIGHT_HAND_Z_UP, static=True)

    def view(self, view: StillView) -> None:
        """A still view, before anything follows from it."""
        rr = self._rr
        self._at(view.time_s)
        if view.color_bgr is not None:
            self._log("camera/color", rr.Image(view.color_bgr, color_model="BGR").compress(jpeg_quality=85))
        with np.errstate(divide="ignore", invalid="ignore"):
            depth_mm = view.table.camera.disparity_gain / view.disparity_px
        self._log("camera/depth", rr.DepthImage(_tenths(depth_mm), meter=10_000.0))
        self._log("camera/rise", rr.Tensor(_plain(view.rise_px)))
        self._log("camera/sigma", rr.Tensor(_plain(view.sigma_px)))
        self._log("quality/free_table_sd_px", rr.Scalars(view.free_table_sd_px))

    def layout(self, layout: Layout, time_s: float) -> None:
        """What is believed to stand."""
        rr = self._rr
        self._at(time_s)
        disc, stick = self._pieces.disc, self._pieces.stick
        columns, roads, cars = layout.columns, layout.roads, layout.cars
        self._log(
            "table/columns",
            rr.Boxes3D(
                centers=[(c.x, c.y, c.top_z / 2) for c in columns],
                sizes=[(disc.diameter, disc.diameter, c.top_z) for c in columns],
                colors=[(230, 200, 60) if c.junction else (150, 150, 150) for c in columns],
                labels=[
                    f"{c.id}: {c.levels} ({100 * c.levels_probability:.0f} %), ± {c.sigma_z:.2f} mm" for c in columns
                ],
            ),
        )
        self._log(
            "table/roads",
            rr.LineStrips3D(
                [list(road.ends) for road in roads],
                radii=stick.width / 2,
                colors=[_rgb(color_of(self._owners.get(road.id, ""), self._pieces)) for road in roads],
                labels=[f"{road.id}: ± {road.sigma_xy:.2f}, {road.sigma_z:.2f} mm" for road in roads],
            ),
        )
        self._log(
            "table/cars",
            rr.Points3D(
                [(car.x, car.y, car.z) for car in cars],
                radii=4.0,
                colors=[_rgb(color_of(car.player, self._pieces)) for car in cars],
                labels=[f"{car.id}: {car.type} ({100 * car.type_probability:.0f} %)" for car in cars],
            ),
        )
        outlines = [[(x, y, thing.height) for x, y in (*thing.outline, thing.outline[0])] for thing in layout.city]
        self._log("table/city", rr.LineStrips3D(outlines, labels=[thing.kind for thing in layout.city]))
        unknown = [[(x, y, one.height) for x, y in (*one.outline, one.outline[0])] for one in layout.unknown]
        self._log("table/unknown", rr.LineStrips3D(unknown, colors=[(220, 60, 200)] * len(unknown)))
        doubts = [f"{c.id}: levels" for c in columns if c.levels_probability < SURE]
        doubts += [f"{k.id}: whose" for k in cars if k.player_probability < SURE]
        self._log("doubt", rr.TextDocument("\n".join(doubts) or "none"))

    def output(self, output: Output) -> None:
        """What the follower says of it."""
        time_s = getattr(output, "time_s", None)
        if time_s is not None:
            self._at(time_s)
        if isinstance(output, Entered):
            self._text("state", output.state)
        elif isinstance(output, Warned):
            self._text("decisions", output.words, "WARN")
        elif isinstance(output, Reconsidered):
            self._text("decisions", f"turn {output.after.turn} is told anew", "WARN")
        elif isinstance(output, Told):
            self._told(output)

    def close(self) -> None:
        """Write what is left."""
        self._recording.flush()
        self._recording.disconnect()

    def _told(self, told: Told) -> None:
        fact = told.fact
        if isinstance(fact, MoveFact | RampFact):
            self._owners[fact.road.id] = fact.player
        self._text("decisions", describe(fact, owners=self._owners))
        for answer in told.answers:
            for message in messages(answer, owners=self._owners):
                self._text("decisions", str(message), LEVELS.get(message.kind, "INFO"))
            if isinstance(answer, RulingLine):
                for fault in answer.faults:
                    if fault.unit == "mm" and fault.sigma > 0:
                        away = abs(fault.value - fault.limit) / fault.sigma
                        self._log(f"residuals/{fault.rule}", self._rr.Scalars(away))

    def _text(self, entity: str, text: str, level: str = "INFO") -> None:
        self._log(entity, self._rr.TextLog(text, level=level))

    def _at(self, time_s: float) -> None:
        self._recording.set_time("game", duration=time_s)

    def _log(self, entity: str, what: Any, *, static: bool = False) -> None:
        self._recording.log(entity, what, static=static)


def _plain(image: NDArray[Any]) -> NDArray[np.float16]:
    """Without what was not seen, in half precision: a picture to look at."""
    return np.nan_to_num(np.asarray(image, np.float16), nan=0.0, posinf=0.0, neginf=0.0)


def _tenths(image_mm: NDArray[Any]) -> NDArray[np.uint16]:
    """Depth in tenths of a mm, 0 where nothing was seen."""
    plain = np.nan_to_num(np.asarray(image_mm, np.float64), nan=0.0, posinf=0.0, neginf=0.0)
    return np.clip(np.round(plain * 10), 0, 65535).astype(np.uint16)


def _rgb(color: str) -> tuple[int, int, int]:
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)
