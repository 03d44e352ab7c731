"""What the child process and its parent tell each other: one JSON object a line.

Pixels go through shared memory (``th_vision/live/ring.py``), everything else through here.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Any

from th_vision.live.backend import DeviceFacts, Exposure, Lens, Readings, Request, TroubleKind


@dataclass(frozen=True)
class Beat:
    """The child lives. ``phase``: hello, absent, resetting, opening, running."""

    phase: str
    readings: Readings | None = None


@dataclass(frozen=True)
class Opened:
    """The camera streams."""

    facts: DeviceFacts


@dataclass(frozen=True)
class Locked:
    """Exposure is fixed. ``settled``: False where it was still moving when the longest wait was over.

    ``notes``: what could not be fixed, a line each.
    """

    exposures: dict[str, Exposure]
    settled: bool
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class FrameNote:
    """A frame lies in the ring as number ``count``. Times of the camera in ms, ``arrived_s`` of this computer's
    monotonic clock. ``color`` is its shape, None without one."""

    count: int
    number: int
    time_ms: float
    arrived_s: float
    depth: tuple[int, ...]
    depth_kind: str
    color: tuple[int, ...] | None
    color_number: int
    color_time_ms: float
    same_clock: bool


@dataclass(frozen=True)
class Trouble:
    """The child ends because of this."""

    kind: TroubleKind
    text: str


@dataclass(frozen=True)
class Ended:
    """There are no more frames (a recording's end), or the child was told to stop."""

    reason: str = field(default="end")


Message = Beat | Opened | Locked | FrameNote | Trouble | Ended
_KINDS = {kind.__name__: kind for kind in (Beat, Opened, Locked, FrameNote, Trouble, Ended)}


def encode(message: Message) -> bytes:
    """One line."""
    return json.dumps({"is": type(message).__name__, **asdict(message)}).encode() + b"\n"


def decode(line: bytes) -> Message | None:
    """The message of a line; None for anything else (what a library printed, half a line of a killed process)."""
    try:
        data = json.loads(line)
        kind = _KINDS[data.pop("is")]
        if kind is Beat and data["readings"] is not None:
            data["readings"] = Readings(**data["readings"])
        elif kind is Opened:
            data["facts"] = facts_from(data["facts"])
        elif kind is Locked:
            data["exposures"] = exposures_from(data["exposures"])
            data["notes"] = tuple(data["notes"])
        elif kind is FrameNote:
            data["depth"] = tuple(data["depth"])
            data["color"] = None if data["color"] is None else tuple(data["color"])
        message: Message = kind(**data)
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
    return message


def request_from(data: dict[str, Any]) -> Request:
    """A request that came as JSON."""
    return Request(
        **{
            **data,
            "depth_size": tuple(data["depth_size"]),
            "color_size": tuple(data["color_size"]),
            "locked": exposures_from(data["locked"]),
        }
    )


def exposures_from(data: dict[str, Any]) -> dict[str, Exposure]:
    """Exposures that came as JSON."""
    return {name: Exposure(**one) for name, one in data.items()}


def facts_from(data: dict[str, Any]) -> DeviceFacts:
    """Facts that came as JSON."""
    pair = ("depth_size_wanted", "color_size_wanted")
    return DeviceFacts(
        **{
            **data,
            "depth": _lens(data["depth"]),
            "color": None if data["color"] is None else _lens(data["color"]),
            "T_color_depth": tuple(tuple(row) for row in data["T_color_depth"]),
            "notes": tuple(data["notes"]),
            **{key: None if data[key] is None else tuple(data[key]) for key in pair},
        }
    )


def _lens(data: dict[str, Any]) -> Lens:
    return Lens(**{**data, "coeffs": tuple(data["coeffs"])})
