"""A camera that does everything wrong that cameras do, on purpose and at chosen moments.

``FaultyCamera`` plays any source as a live one, with faults of its frames. ``FaultyBackend`` is a camera inside the
child process that can also crash, hang or be unplugged there. What the gate stops never reaches the game; what it lets
through (darkness, holes, missing colour, gaps) must be lived with by those who follow.
"""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np

from calibration.camera import Camera
from th_vision.frame import Frame, Source
from th_vision.live.backend import DeviceFacts, Exposure, Readings, Request, Shot
from th_vision.live.camera_model import plain_lens
from th_vision.live.gate import Gate, Passed
from th_vision.live.protocol import CameraState
from th_vision.live.wire import FrameNote

Kind = Literal[
    "drop", "double", "late", "swap", "dark", "half", "size", "back", "no color", "old color", "freeze", "end",
    "crash", "exit", "hang", "error", "silent",
]  # fmt: skip
"""Of frames: ``drop`` never arrives; ``double`` comes twice; ``late`` comes ``seconds`` later than taken; ``swap``
comes after the next one; ``dark`` and ``half`` (half of depth empty); ``size`` (another size); ``back`` (the camera's
clock falls back by ``seconds``); ``no color``; ``old color`` (that of the frame before); ``freeze``: nothing for
``seconds``; ``end``: the source is over. Of the process: ``crash``, ``exit``, ``hang``, ``error`` (the SDK raises),
``silent`` (no more frames, the process being well)."""

_RESET_TAKES_S = 0.4
_PROCESS = ("crash", "exit", "hang", "error", "silent")


@dataclass(frozen=True)
class Fault:
    """One fault: from frame ``at`` of the source (0 is the first) for ``frames`` of them."""

    kind: Kind
    at: int
    frames: int = 1
    seconds: float = 0.0


@dataclass(frozen=True)
class Arrival:
    """A frame as it arrives: ``arrived_s`` in the source's clock."""

    shot: Shot
    arrived_s: float


def arrivals(frames: Iterable[Frame], faults: Sequence[Fault]) -> Iterator[Arrival]:
    """The frames of a source as a faulty camera gives them."""
    delay_s = back_s = 0.0
    held: Arrival | None = None
    color_before: Shot | None = None
    for index, frame in enumerate(frames):
        shot = Shot(frame.number, frame.time_s * 1000, frame.depth, frame.color, frame.number, frame.time_s * 1000)
        kinds = {fault.kind: fault for fault in faults if fault.at <= index < fault.at + fault.frames}
        if "end" in kinds:
            return
        if "freeze" in kinds and kinds["freeze"].at == index:
            delay_s += kinds["freeze"].seconds
        if "back" in kinds and kinds["back"].at == index:
            back_s += kinds["back"].seconds
        good = shot
        shot = _spoiled(shot, kinds, color_before)
        color_before = good
        shot = replace(shot, time_ms=shot.time_ms + (delay_s - back_s) * 1000)
        shot = replace(shot, color_time_ms=shot.color_time_ms + (delay_s - back_s) * 1000)
        arrival = Arrival(shot, frame.time_s + delay_s + (kinds["late"].seconds if "late" in kinds else 0.0))
        if "drop" in kinds:
            continue
        if "swap" in kinds and held is None:
            held = arrival
            continue
        yield arrival
        if "double" in kinds:
            yield arrival
        if held is not None:
            yield replace(held, arrived_s=arrival.arrived_s)
            held = None
    if held is not None:
        yield held


def _spoiled(shot: Shot, kinds: dict[Kind, Fault], before: Shot | None) -> Shot:
    if "dark" in kinds and shot.color is not None:
        shot = replace(shot, color=np.zeros_like(shot.color))
    if "half" in kinds:
        depth = shot.depth.copy()
        depth[:, : depth.shape[1] // 2] = 0
        shot = replace(shot, depth=depth)
    if "size" in kinds:
        shot = replace(shot, depth=np.ascontiguousarray(shot.depth[: shot.depth.shape[0] // 2]))
    if "no color" in kinds:
        shot = replace(shot, color=None, color_number=-1)
    if "old color" in kinds and before is not None and before.color is not None:
        old = (before.color, before.color_number, before.color_time_ms)
        shot = replace(shot, color=old[0], color_number=old[1], color_time_ms=old[2])
    return shot


def note_of(shot: Shot, count: int, arrived_s: float) -> FrameNote:
    """A shot as the child process would tell of it."""
    return FrameNote(
        count,
        shot.number,
        shot.time_ms,
        arrived_s,
        shot.depth.shape,
        str(shot.depth.dtype),
        None if shot.color is None else shot.color.shape,
        shot.color_number,
        shot.color_time_ms,
        shot.same_clock,
    )


class FaultyCamera:
    """A ``LiveSource`` of any source's frames, with faults.

    Iterating gives the good frames as fast as they are taken, without waiting. ``read_latest`` goes by ``clock``
    (seconds, any origin; ``speed`` times as fast): each frame is there from the moment at which it arrives.
    ``gate`` False lets everything through, as a source does that checks nothing.
    """

    def __init__(
        self,
        source: Source,
        faults: Sequence[Fault] = (),
        *,
        clock: Callable[[], float] = time.monotonic,
        speed: float = 1.0,
        fps: float = 30.0,
        gate: bool = True,
    ) -> None:
        self._source, self._clock, self._speed = source, clock, speed
        self._arrivals = arrivals(source, faults)
        camera = source.camera
        color = None if camera.color is None else (camera.color.width, camera.color.height)
        self._gate = Gate((camera.depth.width, camera.depth.height), color, fps, start_s=None) if gate else None
        self._begin: tuple[float, float] | None = None  # our clock, the source's
        self._next: deque[Arrival] = deque(maxlen=1)
        self._latest: tuple[Frame, float] | None = None
        self._closed = False
        self._frames = 0

    @property
    def name(self) -> str:
        """The source's own."""
        return self._source.name

    @property
    def camera(self) -> Camera:
        """The source's own."""
        return self._source.camera

    @property
    def state(self) -> CameraState:
        """What a live camera with these faults says of itself."""
        gate = self._gate
        gone_s = 0.0 if self._latest is None else self._now_s() - self._latest[1]
        return CameraState(
            phase="closed" if self._closed else "lost" if gone_s > 1 else "running",
            serial=self.camera.serial,
            model=self.camera.model,
            frames=self._frames,
            frames_lost=gate.lost if gate is not None else 0,
            frames_refused=gate.refused.total() if gate is not None else 0,
            colors_refused=gate.colors_refused if gate is not None else 0,
        )

    def __iter__(self) -> Iterator[Frame]:
        for arrival in self._arrivals:
            if self._closed:
                return
            frame = self._good(arrival)
            if frame is not None:
                yield frame
        self._closed = True

    def read_latest(self, max_age_s: float) -> Frame | None:
        """The newest good frame that has arrived, if it was taken at most ``max_age_s`` ago."""
        while not self._closed:
            if not self._next:
                one = next(self._arrivals, None)
                if one is None:
                    self._closed = True
                    break
                self._next.append(one)
                if self._begin is None:
                    self._begin = (self._clock(), one.arrived_s)
            if self._next[0].arrived_s > self._now_s():
                break
            arrival = self._next.popleft()
            frame = self._good(arrival)
            if frame is not None:
                self._latest = (frame, arrival.arrived_s)
        if self._latest is None or self._now_s() - self._latest[1] > max_age_s:
            return None
        return self._latest[0]

    def close(self) -> None:
        """No more frames."""
        self._closed = True

    def _now_s(self) -> float:
        if self._begin is None:
            return 0.0
        return self._begin[1] + (self._clock() - self._begin[0]) * self._speed

    def _good(self, arrival: Arrival) -> Frame | None:
        shot = arrival.shot
        if self._gate is None:
            self._frames += 1
            return Frame(shot.number, shot.time_ms / 1000, shot.depth, shot.color)
        passed = self._gate.judge(note_of(shot, self._frames + 1, arrival.arrived_s))
        if not isinstance(passed, Passed):
            return None
        self._frames += 1
        return Frame(passed.number, passed.time_s, shot.depth, shot.color if passed.color else None)


class FaultyBackend:
    """A camera for the child process that plays a source in real time, with faults; it plays on while no child looks.

    ``source`` makes the source inside the child (picklable). ``folder`` outlives the child: the camera is plugged in
    while the file ``plugged`` is there, and each fault of the process happens once only.
    """

    def __init__(
        self, request: Request, *, source: Callable[[], Source], faults: Sequence[Fault], folder: Path, fps: float
    ) -> None:
        self._request, self._folder, self._fps = request, folder, fps
        self._source = source()
        self._process_faults = [fault for fault in faults if fault.kind in _PROCESS]
        self._arrivals = arrivals(self._source, [fault for fault in faults if fault.kind not in _PROCESS])
        self._begin_s = 0.0  # of this computer's clock, where the source's is 0
        self._next: Arrival | None = None
        self._given = 0
        self._silent = False
        self._away_until_s = 0.0

    def present(self) -> bool:
        """Whether it is plugged in."""
        return (self._folder / "plugged").exists() and time.monotonic() >= self._away_until_s

    connected = present

    def reset(self) -> None:
        """Goes away for a moment, and leaves a mark that it was asked to."""
        (self._folder / "reset").touch()
        self._away_until_s = time.monotonic() + _RESET_TAKES_S

    def open(self) -> DeviceFacts:
        """What the source's camera says."""
        camera = self._source.camera
        T = camera.T_color_depth.copy()
        T[:3, 3] /= 1000
        return DeviceFacts(
            name=f"Intel RealSense {camera.model}",
            serial=camera.serial or "F1",
            firmware="5.16.0.1",
            firmware_recommended="5.16.0.1",
            usb="3.2",
            depth_unit_m=camera.depth_unit_mm / 1000,
            depth_unit_wanted_m=camera.depth_unit_mm / 1000,
            depth=plain_lens(camera.depth),
            color=None if camera.color is None else plain_lens(camera.color),
            T_color_depth=tuple(tuple(float(v) for v in row) for row in T),
            fps=self._fps,
        )

    def wait(self, timeout_ms: int) -> Shot | None:
        """The next frame at its time."""
        self._act()
        if self._silent or not self.present():
            time.sleep(timeout_ms / 1000)
            return None
        now = time.monotonic()
        if self._next is None:
            self._next = self._due(now)
        wait_s = self._begin_s + self._next.arrived_s - now
        if wait_s > timeout_ms / 1000:
            time.sleep(timeout_ms / 1000)
            return None
        time.sleep(max(wait_s, 0.0))
        shot, self._next = self._next.shot, None
        self._given += 1
        return shot

    def _due(self, now: float) -> Arrival:
        """The next arrival; what passed while no child looked is over, as in the world."""
        one = next(self._arrivals, None)
        if self._begin_s == 0.0 and one is not None:
            began = self._folder / "began"
            if not began.exists():
                began.write_text(repr(now - one.arrived_s))
            self._begin_s = float(began.read_text())
            while one is not None and self._begin_s + one.arrived_s < now - 1 / self._fps:
                one = next(self._arrivals, None)
        if one is None:
            raise EOFError
        return one

    def lock(self, exposures: dict[str, Exposure]) -> tuple[str, ...]:
        """Remembered, also for tests outside."""
        (self._folder / "locked").write_text(repr(exposures))
        return ()

    def readings(self) -> Readings:
        """A lukewarm camera."""
        return Readings(temperature_c=31.0, emitter=True)

    def close(self) -> None:
        """Nothing to stop."""

    def _act(self) -> None:
        for index, fault in enumerate(self._process_faults):
            mark = self._folder / f"done-{index}"
            if self._given < fault.at or mark.exists():
                continue
            mark.touch()
            match fault.kind:
                case "crash":
                    os.abort()
                case "exit":
                    os._exit(3)
                case "hang":
                    time.sleep(fault.seconds or 1e6)
                case "error":
                    raise RuntimeError("the driver gave up")
                case _:
                    self._silent = True
