"""The seam between capture and camera: what any camera, real or made up, must offer inside the child process."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from th_vision.live.tolerances import COLOR_SIZE, DEPTH_SIZE, DEPTH_UNIT_MM, FPS

TroubleKind = Literal["absent", "several", "no-library", "permission", "busy", "profile", "file", "failed"]
"""Why a camera can't be used. ``absent`` may pass when it is plugged in; ``failed`` may pass with another try;
``busy`` when the other program ends. The rest needs the user."""


class CaptureError(Exception):
    """A camera can't be opened or went wrong: the text is one line, what and what to do."""

    def __init__(self, kind: TroubleKind, text: str) -> None:
        super().__init__(text)
        self.kind = kind


@dataclass(frozen=True)
class Exposure:
    """Exposure and colour balance of one sensor, as its options count them; None: left as it is."""

    exposure: float | None = None
    gain: float | None = None
    white_balance: float | None = None


@dataclass(frozen=True)
class Request:
    """What is asked of a camera. ``locked``: exposures of an earlier run, by sensor ("depth", "color")."""

    serial: str = ""
    depth_size: tuple[int, int] = DEPTH_SIZE
    color_size: tuple[int, int] = COLOR_SIZE
    fps: int = FPS
    depth_unit_mm: float = DEPTH_UNIT_MM
    reset_first: bool = False
    locked: dict[str, Exposure] = field(default_factory=dict)


@dataclass(frozen=True)
class Lens:
    """Intrinsics as the SDK gives them: ``model`` is its name of the distortion, ``coeffs`` its five numbers."""

    width: int
    height: int
    fx: float
    fy: float
    ppx: float
    ppy: float
    model: str = "none"
    coeffs: tuple[float, ...] = (0.0, 0.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True)
class DeviceFacts:
    """What a camera says of itself once it streams, read back from it. Lengths: ``T_color_depth`` in metres, 4x4.

    ``emitter``, ``laser_mw``, ``temperature_c``: None where it can't be read. ``size`` and ``fps`` are what it really
    gives. ``notes``: options that could not be set, one line each.
    """

    name: str
    serial: str
    firmware: str
    firmware_recommended: str
    usb: str
    depth_unit_m: float
    depth_unit_wanted_m: float
    depth: Lens
    color: Lens | None
    T_color_depth: tuple[tuple[float, ...], ...]
    fps: float
    depth_size_wanted: tuple[int, int] | None = None
    color_size_wanted: tuple[int, int] | None = None
    preset: str = ""
    emitter: bool | None = None
    laser_mw: float | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Readings:
    """What changes while a camera runs. ``notice``: the last thing that it complained of, empty for nothing."""

    temperature_c: float | None = None
    emitter: bool | None = None
    notice: str = ""


@dataclass(frozen=True)
class Shot:
    """One frame as it arrives. The arrays may belong to the SDK: copy, then let go.

    ``depth``: (h, w) uint16; ``color``: (h, w, 3) uint8, BGR, or None. Times are the camera's own clock, ms.
    ``levels``: mean grey value of the picture and ``exposures``: what automatic exposure has arrived at, while it runs.
    """

    number: int
    time_ms: float
    depth: NDArray[Any]
    color: NDArray[Any] | None = None
    color_number: int = -1
    color_time_ms: float = 0.0
    same_clock: bool = True
    exposures: dict[str, Exposure] = field(default_factory=dict)


class Backend(Protocol):
    """A camera inside the child process. Any method may raise ``CaptureError``; any may hang or crash."""

    def present(self) -> bool:
        """Whether the camera that is asked for is there now. Quick, new look at the hardware each time."""
        ...

    def connected(self) -> bool:
        """Whether the camera that was opened is still plugged in; asked when frames don't come."""
        ...

    def reset(self) -> None:
        """Hardware reset: the camera goes away and comes back."""
        ...

    def open(self) -> DeviceFacts:
        """Set it up and start it."""
        ...

    def wait(self, timeout_ms: int) -> Shot | None:
        """The next frame, or None after ``timeout_ms``.

        Raises:
            EOFError: there will be no more (a recording's end).
        """
        ...

    def lock(self, exposures: dict[str, Exposure]) -> tuple[str, ...]:
        """Fix exposure and white balance, at these values where they are given; gives a line for what can't be."""
        ...

    def readings(self) -> Readings:
        """Temperature and projector as they are now."""
        ...

    def close(self) -> None:
        """Stop it."""
        ...


def picture_level(color: NDArray[np.uint8] | None) -> float | None:
    """Mean grey value of a picture, from a few thousand of its pixels; None without one."""
    return None if color is None else float(color[::24, ::24].mean())
