"""The virtual table as a source: ``sim`` or ``sim:seed=7,players=3,turns=20,camera=D435,distance=700,...``.

Frames of the calibration board, of the empty table, then the game. ``part=calibration`` or ``part=game`` gives one of
them alone, from the same camera and table. The same text gives the same frames.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from calibration.camera import Camera
from rules.pieces import Pieces
from th_vision.errors import VisionError
from th_vision.frame import Frame

if TYPE_CHECKING:
    from th_vision.sources.sim_live import Group, LiveSim
    from th_vision.virtual_table.session import Shot

_WHOLE = ("seed", "players", "turns", "frames", "board", "empty", "hands", "live")
_REAL = ("distance", "unit", "fps", "tilt", "exposure", "flicker", "cold", "light")
_TEXT = ("camera", "surface", "scenario", "preset", "size", "color", "part", "model")
_PARTS = ("all", "calibration", "game")


class SimSource:
    """Frames of a virtual session, made while they are read; each iteration begins anew."""

    def __init__(self, spec: str) -> None:
        from th_vision.virtual_table.session import Session
        from th_vision.virtual_table.simulate import request

        self._spec = spec
        self._options = _options(spec)
        self._part = self._options.get("part", "all")
        if self._part not in _PARTS:
            raise VisionError(f"{spec}: part={self._part} is not known; choose one of {', '.join(_PARTS)}")
        self._setup = _setup(spec, self._options)
        try:
            self._asked = request(
                self._options.get("scenario", "game"),
                players=self._options.get("players"),
                rules=self._options.get("preset"),
                turns=self._options.get("turns"),
            )
        except VisionError as error:
            raise VisionError(f"{spec}: {error}") from None
        self._camera = Session(self._setup).camera.camera
        self._moments(Session(self._setup))  # refuses an impossible game now, not at the first frame

    @property
    def name(self) -> str:
        """The text that the user gave."""
        return self._spec

    @property
    def camera(self) -> Camera:
        """The virtual camera as it reports itself."""
        return self._camera

    @property
    def pieces(self) -> Pieces:
        """The pieces on this table."""
        return self._asked.pieces

    @property
    def players(self) -> tuple[str, ...]:
        """Who plays, in order."""
        return self._asked.players

    @property
    def live(self) -> bool:
        """Whether it is to go on by itself, like a camera."""
        return bool(self._options.get("live", 0))

    @property
    def fps(self) -> float:
        """Frames a second."""
        return float(self._setup.fps)

    def __iter__(self) -> Iterator[Frame]:
        for shot in self.shots():
            yield shot.frame

    def shots(self) -> Iterator[Shot]:
        """The frames with what each of them shows."""
        from th_vision.virtual_table.session import Session

        session = Session(self._setup)
        if self._part != "game":
            yield from session.calibration()
        if self._part != "calibration":
            yield from session.play(self._moments(session))

    def _moments(self, session: Any) -> Any:
        from th_vision.virtual_table.simulate import moments_of

        try:
            return moments_of(session, self._asked)
        except VisionError as error:
            raise VisionError(f"{self._spec}: {error}") from None


def live_groups(shots: Iterable[Shot], stop: threading.Event | None = None) -> Iterator[Group]:
    """The frames of a virtual table by moments, as a live camera shows them (see ``sim_live``); none after ``stop``."""
    from th_vision.sources.sim_live import Group

    frames: list[Frame] = []
    still, moment = 0, (-1, "")
    for shot in shots:
        if stop is not None and stop.is_set():
            return
        now = (shot.moment, shot.kind if shot.moment < 0 else "")
        if frames and now != moment:
            yield Group(tuple(frames), still or len(frames))
            frames, still = [], 0
        moment = now
        frames.append(shot.frame)
        still = 0 if shot.kind == "hand" else still + 1
    if frames:
        yield Group(tuple(frames), still or len(frames))


def open_sim(spec: str) -> SimSource | LiveSim:
    """The virtual table that ``spec`` describes; with ``live=1`` as a camera that goes on by itself.

    Raises:
        VisionError: an option that is not known, or a value that can't be.
    """
    source = SimSource(spec)
    if not source.live:
        return source
    from th_vision.sources.sim_live import LiveSim

    stop = threading.Event()
    groups = live_groups(source.shots(), stop)
    return LiveSim(spec, source.camera, groups, source.fps, pieces=source.pieces, players=source.players, stop=stop)


def _options(spec: str) -> dict[str, Any]:
    """Options of the text, with their kinds."""
    kind, _, text = spec.partition(":")
    if kind != "sim":
        raise VisionError(f"{spec}: is no virtual table; write sim or sim:seed=7,players=2")
    found: dict[str, Any] = {}
    for item in (part.strip() for part in text.split(",") if part.strip()):
        key, equals, value = (piece.strip() for piece in item.partition("="))
        if not equals or key not in _WHOLE + _REAL + _TEXT:
            known = ", ".join(sorted(_WHOLE + _REAL + _TEXT))
            raise VisionError(f"{spec}: {item!r} is not known; options are {known}, written key=value")
        if key in found:
            raise VisionError(f"{spec}: {key} is given twice; give it once")
        try:
            found[key] = int(value) if key in _WHOLE else float(value) if key in _REAL else value
        except ValueError:
            kind_of = "a whole number" if key in _WHOLE else "a number"
            raise VisionError(f"{spec}: {key}={value} must be {kind_of}") from None
        if key == "live" and found[key] not in (0, 1):
            raise VisionError(f"{spec}: live={value} is not known; write live=1, or leave it out")
        if key in _WHOLE and found[key] < 0:
            raise VisionError(f"{spec}: {key}={value} must not be negative")
    return found


def _setup(spec: str, options: dict[str, Any]) -> Any:
    from th_vision.virtual_table.session import Setup

    names = {
        "seed": "seed",
        "camera": "camera",
        "distance": "distance_mm",
        "surface": "surface",
        "unit": "depth_unit_mm",
        "frames": "frames",
        "board": "board_frames",
        "empty": "empty_frames",
        "hands": "hand_frames",
        "fps": "fps",
        "tilt": "tilt_deg",
        "model": "model",
        "exposure": "exposure",
        "flicker": "flicker",
        "cold": "warm_up_K",
        "light": "white_balance_K",
    }
    chosen = {names[key]: value for key, value in options.items() if key in names}
    for key, name in (("size", "size"), ("color", "color_size")):
        if key in options:
            chosen[name] = _size(spec, key, options[key])
    try:
        return Setup(**chosen)
    except VisionError as error:
        raise VisionError(f"{spec}: {error}") from None


def _size(spec: str, key: str, text: str) -> tuple[int, int]:
    width, _, height = text.partition("x")
    if not (width.isdigit() and height.isdigit() and 64 <= int(width) <= 4096 and 64 <= int(height) <= 4096):
        raise VisionError(f"{spec}: {key}={text} must be a size like 1280x720")
    return int(width), int(height)
