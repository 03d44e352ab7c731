"""What a live source of frames is: a source that goes on by itself, and says how it is.

A live source never raises once it is open: a pulled cable, a hung driver or a dead process shows in ``state`` and in
``read_latest`` giving None, and passes when the camera is back. Only opening one raises ``VisionError``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

from th_vision.frame import Frame, Source

Phase = Literal["starting", "settling", "running", "lost", "closed"]
"""``starting``: being opened. ``settling``: frames come, exposure is not fixed yet. ``running``: frames come.
``lost``: no frames for now, it is being looked for. ``closed``: ``close`` was called, or the source has ended."""


@dataclass(frozen=True)
class CameraState:
    """How a live source is just now: a snapshot, cheap to take.

    ``serial``, ``model``, ``firmware`` and ``usb`` ("3.2") are empty where there is no such thing (a virtual camera).
    ``temperature_c`` is the camera's own, None where it can't be read. ``last_error`` is one line, empty where all is
    well; it stays after the camera came back until it is overwritten. ``warnings`` are lines about how it runs
    (USB 2, coarse depth unit, projector off, ...). ``frames_lost`` were made but never arrived; ``frames_refused``
    arrived and could not be used (doubled, out of order, wrong size); ``colors_refused`` counts frames whose colour
    was left out as too old. ``restarts`` counts how often capture began anew. ``warm``: depth no longer drifts;
    ``drift_mm_per_min`` is how fast it does, None while not known.
    """

    phase: Phase = "starting"
    serial: str = ""
    model: str = ""
    firmware: str = ""
    usb: str = ""
    temperature_c: float | None = None
    last_error: str = ""
    warnings: tuple[str, ...] = ()
    frames: int = 0
    frames_lost: int = 0
    frames_refused: int = 0
    colors_refused: int = 0
    restarts: int = 0
    warm: bool = True
    drift_mm_per_min: float | None = None


@runtime_checkable
class LiveSource(Source, Protocol):
    """A source whose frames come by themselves.

    Iterating gives each good frame once, in order of ``time_s``; it waits while the camera is lost and ends after
    ``close``. A reader slower than the camera loses frames in between (counted in ``state.frames_lost``), never order.
    ``Frame.number`` and ``Frame.time_s`` rise over restarts and replugs too.
    """

    def read_latest(self, max_age_s: float) -> Frame | None:
        """The newest good frame if it was taken at most ``max_age_s`` ago, else None. Never waits.

        The same frame is given again until there is a newer one: compare ``number``.
        """
        ...

    @property
    def state(self) -> CameraState:
        """How the source is now."""
        ...

    def close(self) -> None:
        """Stop the camera and everything that belongs to it. May be called twice, and from another thread."""
        ...
