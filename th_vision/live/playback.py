"""A recording of the SDK (``.db3``, ``.bag``) read through the SDK, inside the child process.

The streams are read from their sensors and not through a pipeline: a pipeline loses the first frame of an old ``.bag``
and whatever it finds no partner for. The sensors' callback waits until there is room, so that nothing is dropped.
"""

from __future__ import annotations

import queue
import threading
import time
from collections import deque
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from th_vision.live.backend import CaptureError, DeviceFacts, Exposure, Readings, Request, Shot
from th_vision.live.sdk import import_sdk, lens_of, pose_of
from th_vision.live.tolerances import PAIR_FRAMES

# Frames that may wait for their partner. Each sensor has a thread of its own in the SDK, and on a busy computer one
# runs ahead of the other.
_WAITING = 64
# Frames on their way from the SDK: few, they come from its own small store.
_ON_THE_WAY = 4
_COLOR_FORMATS = ("bgr8", "rgb8", "bgra8", "rgba8", "yuyv", "uyvy")


def open_recording(path: str, request: Request) -> Playback:
    """A recording, as the child process makes it."""
    return Playback(import_sdk(), Path(path))


class Playback:
    """Frames of a file, each depth frame with the colour nearest to it, in the file's order."""

    def __init__(self, rs: Any, path: Path) -> None:
        self._rs, self._path = rs, path
        self._context = rs.context()
        try:
            self._device = self._context.load_device(str(path))
            self._player = self._device.as_playback()
            self._player.set_real_time(False)
        except RuntimeError as error:
            raise CaptureError("file", _unreadable(error)) from error
        self._came: queue.Queue[Any] = queue.Queue(_ON_THE_WAY)
        self._over = threading.Event()
        self._depths: deque[Any] = deque()
        self._colors: deque[Any] = deque()
        self._half_frame_ms = 0.0

    def present(self) -> bool:
        """A file is there."""
        return True

    def connected(self) -> bool:
        """A file stays."""
        return True

    def reset(self) -> None:
        """Nothing to reset."""

    def open(self) -> DeviceFacts:
        """Read what the file says of its camera, and start."""
        rs = self._rs
        try:
            sensors = list(self._device.query_sensors())
            depth_sensor, depth = self._chosen(sensors, rs.stream.depth, ("z16",))
            color_sensor, color = self._chosen(sensors, rs.stream.color, _COLOR_FORMATS)
        except RuntimeError as error:
            raise CaptureError("file", _unreadable(error)) from error
        if depth is None:
            raise CaptureError("file", "holds no depth; record depth and colour together")
        self._half_frame_ms = PAIR_FRAMES * 1000 / max(depth.fps(), 1)
        facts = DeviceFacts(
            name=self._info("name"),
            serial=self._info("serial_number"),
            firmware=self._info("firmware_version"),
            firmware_recommended="",
            usb=self._info("usb_type_descriptor"),
            depth_unit_m=float(depth_sensor.as_depth_sensor().get_depth_scale()),
            depth_unit_wanted_m=0.0001,
            depth=lens_of(depth.get_intrinsics()),
            color=None if color is None else lens_of(color.get_intrinsics()),
            T_color_depth=pose_of(depth, color),
            fps=depth.fps(),
        )
        self._player.set_status_changed_callback(self._status)
        wanted: dict[int, tuple[Any, list[Any]]] = {id(depth_sensor): (depth_sensor, [depth])}
        if color is not None:
            wanted.setdefault(id(color_sensor), (color_sensor, []))[1].append(color)
        for sensor, profiles in wanted.values():
            sensor.open(profiles)
        for sensor, _ in wanted.values():
            sensor.start(self._came.put)
        return facts

    def wait(self, timeout_ms: int) -> Shot | None:
        """The next depth frame with its colour.

        Raises:
            EOFError: the file is over.
        """
        until = time.monotonic() + timeout_ms / 1000
        while True:
            pair = self._pair(at_end=False)
            if pair is not None:
                return self._shot(*pair)
            try:
                frame = self._came.get(timeout=max(min(until - time.monotonic(), 0.05), 0.001))
            except queue.Empty:
                if self._over.is_set() and self._came.empty():
                    pair = self._pair(at_end=True)
                    if pair is None:
                        raise EOFError from None
                    return self._shot(*pair)
                if time.monotonic() >= until:
                    return None
                continue
            is_depth = frame.profile.stream_type() == self._rs.stream.depth
            (self._depths if is_depth else self._colors).append(frame)

    def _pair(self, *, at_end: bool) -> tuple[Any, Any] | None:
        """The oldest depth frame and its colour, once no better colour can come."""
        if not self._depths:
            while len(self._colors) > _WAITING:
                self._colors.popleft()
            return None
        depth = self._depths[0]
        at = depth.get_timestamp()
        later = bool(self._colors) and self._colors[-1].get_timestamp() >= at
        if not (at_end or later or len(self._depths) > _WAITING):
            return None
        self._depths.popleft()
        best = min(self._colors, key=lambda color: abs(color.get_timestamp() - at), default=None)
        if best is not None and abs(best.get_timestamp() - at) > self._half_frame_ms:
            best = None
        while self._colors and (self._colors[0] is best or self._colors[0].get_timestamp() < at - self._half_frame_ms):
            self._colors.popleft()
        return depth, best

    def _shot(self, depth: Any, color: Any) -> Shot:
        return Shot(
            number=depth.get_frame_number(),
            time_ms=depth.get_timestamp(),
            depth=np.asanyarray(depth.get_data()),
            color=None if color is None else _bgr(color),
            color_number=-1 if color is None else color.get_frame_number(),
            color_time_ms=0.0 if color is None else color.get_timestamp(),
        )

    def lock(self, exposures: dict[str, Exposure]) -> None:
        """A file's exposure is what it was."""

    def readings(self) -> Readings:
        """Nothing changes."""
        return Readings()

    def close(self) -> None:
        """The process ends with the file open: nothing is written, and stopping would wait for callbacks."""

    def _status(self, status: Any) -> None:
        if status == self._rs.playback_status.stopped:
            self._over.set()

    def _chosen(self, sensors: list[Any], kind: Any, formats: tuple[str, ...]) -> tuple[Any, Any]:
        for sensor in sensors:
            for profile in sensor.get_stream_profiles():
                if profile.stream_type() == kind and str(profile.format()).split(".")[-1] in formats:
                    return sensor, profile.as_video_stream_profile()
        return None, None

    def _info(self, key: str) -> str:
        name = getattr(self._rs.camera_info, key)
        return str(self._device.get_info(name)) if self._device.supports(name) else ""


def _bgr(frame: Any) -> NDArray[np.uint8]:
    """A colour frame as (h, w, 3) BGR."""
    picture: NDArray[np.uint8] = np.asanyarray(frame.get_data())
    kind = str(frame.profile.format()).split(".")[-1]
    if kind in ("rgb8", "rgba8"):
        return picture[:, :, 2::-1]
    if kind in ("bgr8", "bgra8"):
        return picture[:, :, :3]
    import cv2

    height, width = picture.shape[:2]
    pairs = np.ascontiguousarray(picture).view(np.uint8).reshape(height, width, 2)
    code = cv2.COLOR_YUV2BGR_YUY2 if kind == "yuyv" else cv2.COLOR_YUV2BGR_UYVY
    return np.asarray(cv2.cvtColor(pairs, code), dtype=np.uint8)


def _unreadable(error: Exception) -> str:
    text = " ".join(str(error).split()).split("Error: ")[-1]
    return f"is cut short, damaged, or no recording of the RealSense SDK ({text}); copy it again or record anew"
