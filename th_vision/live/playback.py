"""A recording whose layout only the SDK knows, read through its pipeline, inside the child process.

Not in real time: the SDK waits for us. It only does so from the moment that it has started, so that frames recorded
faster than a camera gives them may be missing at the beginning.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from th_vision.live.backend import CaptureError, DeviceFacts, Exposure, Readings, Request, Shot
from th_vision.live.sdk import import_sdk, lens_of, pose_of, shot_of

_COLOR_FORMATS = ("bgr8", "rgb8", "bgra8", "rgba8", "yuyv", "uyvy")


def open_recording(path: str, request: Request) -> Playback:
    """A recording, as the child process makes it."""
    return Playback(import_sdk(), Path(path))


class Playback:
    """Frames of a file, each depth frame with the colour that the SDK pairs with it, in the file's order."""

    def __init__(self, rs: Any, path: Path) -> None:
        self._rs, self._path = rs, path
        self._pipeline: Any = None
        self._player: Any = None
        self._kept: Any = None

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
            device = rs.context().load_device(str(self._path))
            depth = self._chosen(device, rs.stream.depth, ("z16",))
            color = self._chosen(device, rs.stream.color, _COLOR_FORMATS)
            if depth is None:
                raise CaptureError("file", "holds no depth; record depth and colour together")
            scale = float(device.first_depth_sensor().get_depth_scale())
            started = self._start(depth, color)
            depth = started.get_stream(rs.stream.depth).as_video_stream_profile()
            if color is not None:
                color = started.get_stream(rs.stream.color).as_video_stream_profile()
            self._kept = (device, started)  # profiles are of no use without the device that they came from
        except RuntimeError as error:
            raise CaptureError("file", _unreadable(error)) from error
        info = started.get_device()
        return DeviceFacts(
            name=self._info(info, "name"),
            serial=self._info(info, "serial_number"),
            firmware=self._info(info, "firmware_version"),
            firmware_recommended="",
            usb=self._info(info, "usb_type_descriptor"),
            depth_unit_m=scale,
            depth_unit_wanted_m=0.0001,
            depth=lens_of(depth.get_intrinsics()),
            color=None if color is None else lens_of(color.get_intrinsics()),
            T_color_depth=pose_of(depth, color),
            fps=depth.fps(),
        )

    def _start(self, depth: Any, color: Any) -> Any:
        rs, config = self._rs, self._rs.config()
        config.enable_device_from_file(str(self._path), repeat_playback=False)
        for profile in (depth, color):
            if profile is not None:
                config.enable_stream(
                    profile.stream_type(),
                    profile.stream_index(),
                    profile.width(),
                    profile.height(),
                    profile.format(),
                    profile.fps(),
                )
        self._pipeline = rs.pipeline()
        # Before the start and after: the started one is another object.
        config.resolve(rs.pipeline_wrapper(self._pipeline)).get_device().as_playback().set_real_time(False)
        started = self._pipeline.start(config)
        self._player = started.get_device().as_playback()
        self._player.set_real_time(False)
        return started

    def wait(self, timeout_ms: int) -> Shot | None:
        """The next depth frame with its colour.

        Raises:
            EOFError: the file is over.
        """
        came, frames = self._pipeline.try_wait_for_frames(timeout_ms)
        if not came:
            if self._player.current_status() == self._rs.playback_status.stopped:
                raise EOFError
            return None
        return shot_of(frames)

    def lock(self, exposures: dict[str, Exposure]) -> tuple[str, ...]:
        """A file's exposure is what it was."""
        return ()

    def readings(self) -> Readings:
        """Nothing changes."""
        return Readings()

    def close(self) -> None:
        """The process ends with the file open: nothing is written."""

    def _chosen(self, device: Any, kind: Any, formats: tuple[str, ...]) -> Any:
        for sensor in device.query_sensors():
            for profile in sensor.get_stream_profiles():
                if profile.stream_type() == kind and str(profile.format()).split(".")[-1] in formats:
                    return profile.as_video_stream_profile()
        return None

    def _info(self, device: Any, key: str) -> str:
        name = getattr(self._rs.camera_info, key)
        return str(device.get_info(name)) if device.supports(name) else ""


def _unreadable(error: Exception) -> str:
    text = " ".join(str(error).split()).split("Error: ")[-1]
    return f"is cut short, damaged, or no recording of the RealSense SDK ({text}); copy it again or record anew"
