"""A RealSense camera through pyrealsense2. Runs inside the child process only, where the SDK may hang or crash.

The SDK's module is an argument everywhere, so that nothing here imports it before it is known to be there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from th_vision.live import sdk_options
from th_vision.live.backend import CaptureError, DeviceFacts, Exposure, Lens, Readings, Request, Shot
from th_vision.live.profiles import Profile, choose
from th_vision.live.tolerances import WAIT_MS
from th_vision.live.usb import NO_CAMERA, explain_absent, explain_refused

NO_LIBRARY = (
    "pyrealsense2 is not installed; make setup installs it on Linux x86-64 and Windows; elsewhere record on such a "
    "computer and use the recording here"
)


def import_sdk() -> Any:
    """The SDK's module.

    Raises:
        CaptureError: it is not installed, or a library that it needs is not.
    """
    try:
        import pyrealsense2 as rs
    except ModuleNotFoundError:
        raise CaptureError("no-library", NO_LIBRARY) from None
    except ImportError as error:
        raise CaptureError(
            "no-library", f"pyrealsense2 can't be loaded ({error}); run: sudo apt-get install libusb-1.0-0"
        ) from error
    return rs


def open_camera(request: Request) -> SdkCamera:
    """A real camera, as the child process makes it."""
    rs = import_sdk()
    return SdkCamera(rs, request, rs.context)


class SdkCamera:
    """One camera of a context. ``make_context`` gives a new context, or one with a software device in it."""

    def __init__(self, rs: Any, request: Request, make_context: Callable[[], Any]) -> None:
        self._rs, self._request, self._make_context = rs, request, make_context
        self._context: Any = None
        self._device: Any = None
        self._pipeline: Any = None
        self._sensors: dict[str, Any] = {}
        self._notes: list[str] = []
        self._complaint = self._serial = ""
        self._locked = False

    def present(self) -> bool:
        """Whether the camera is there: a new context each time, as an old one may miss that it came back."""
        self._device = self._context = None
        context = self._make_context()
        found = []
        for device in context.query_devices():
            try:
                serial = device.get_info(self._rs.camera_info.serial_number)
            except RuntimeError:
                continue  # it is just coming or going
            if self._has_depth(device) and self._request.serial in ("", serial):
                found.append((serial, device))
        if not found:
            explain_absent()
            return False
        if len(found) > 1:
            serials = ", ".join(serial for serial, _ in found)
            raise CaptureError(
                "several", f"{len(found)} cameras are connected ({serials}); say which: realsense:{found[0][0]}"
            )
        self._context, self._device = context, found[0][1]
        return True

    def connected(self) -> bool:
        """Whether some context still sees it. The one that it was opened with may not notice."""
        for device in self._make_context().query_devices():
            try:
                if device.get_info(self._rs.camera_info.serial_number) == self._serial:
                    return True
            except RuntimeError:
                continue
        return False

    def _has_depth(self, device: Any) -> bool:
        try:
            return any(sensor.is_depth_sensor() for sensor in device.query_sensors())
        except RuntimeError:
            return False

    def reset(self) -> None:
        """Hardware reset; without effect where the device has none."""
        try:
            self._device.hardware_reset()
        except RuntimeError as error:
            self._notes.append(f"hardware reset was not possible ({_line(error)})")
        self._device = self._context = None

    def open(self) -> DeviceFacts:
        """Choose the profile, set the options, start."""
        if self._device is None and not self.present():
            raise CaptureError("absent", NO_CAMERA)
        try:
            return self._opened()
        except RuntimeError as error:  # another program may have it: any of the calls may be the one that fails
            self._pipeline = None
            raise explain_refused(_line(error)) from error

    def _opened(self) -> DeviceFacts:
        rs = self._rs
        self._serial = self._info("serial_number")
        sensors = list(self._device.query_sensors())
        self._sensors = self._by_stream(sensors)
        depth, color = choose(self._profiles("depth"), self._profiles("color"), self._request)
        self._notes += sdk_options.set_up(rs, self._sensors, self._request)
        for sensor in self._sensors.values():
            sensor.set_notifications_callback(self._hear)
        config = rs.config()
        config.enable_device(self._serial)
        self._enable(config, depth, rs.stream.depth)
        if color is not None:
            self._enable(config, color, rs.stream.color)
        self._pipeline = rs.pipeline(self._context)
        # start() of what can't be would hold everything up for 15 s, so it is asked first.
        if not config.can_resolve(rs.pipeline_wrapper(self._pipeline)):
            raise CaptureError("failed", f"the camera does not give {depth} and {color} together")
        started = self._pipeline.start(config)
        return self._facts(started, depth, color)

    def wait(self, timeout_ms: int = WAIT_MS) -> Shot | None:
        """The next pair of depth and colour; colour is None where it didn't come."""
        came, frames = self._pipeline.try_wait_for_frames(timeout_ms)
        if not came:
            return None
        shot = shot_of(frames)
        if shot is None or self._locked:
            return shot
        return replace(shot, exposures=self._exposures(frames.get_depth_frame(), frames.get_color_frame()))

    def _exposures(self, depth: Any, color: Any) -> dict[str, Exposure]:
        return {
            name: sdk_options.exposure_of(self._rs, frame, self._sensors[name])
            for name, frame in (("depth", depth), ("color", color))
            if frame and name in self._sensors
        }

    def lock(self, exposures: dict[str, Exposure]) -> tuple[str, ...]:
        """Automatic exposure and white balance off, at what they had arrived at."""
        self._locked = True
        notes: list[str] = []
        for name, sensor in self._sensors.items():
            notes += sdk_options.lock(self._rs, sensor, exposures.get(name, Exposure()))
        return tuple(notes)

    def readings(self) -> Readings:
        """Temperature, projector, and the last complaint."""
        sensor = self._sensors["depth"]
        return Readings(
            temperature_c=sdk_options.temperature(self._rs, sensor),
            emitter=sdk_options.emitter(self._rs, sensor),
            notice=self._complaint,
        )

    def close(self) -> None:
        """Stop the pipeline."""
        if self._pipeline is not None:
            self._pipeline.stop()
            self._pipeline = None

    def _hear(self, notification: Any) -> None:
        if "error" in str(notification.severity).lower() or "fatal" in str(notification.severity).lower():
            self._complaint = " ".join(str(notification.description).split())

    def _by_stream(self, sensors: list[Any]) -> dict[str, Any]:
        """The sensors that make depth and colour; told by their profiles (a software device's has no other sign)."""
        found: dict[str, Any] = {}
        for sensor in sensors:
            kinds = {profile.stream_type() for profile in sensor.get_stream_profiles()}
            for name, kind in (("depth", self._rs.stream.depth), ("color", self._rs.stream.color)):
                if kind in kinds and name not in found:
                    found[name] = sensor
        return found

    def _profiles(self, name: str) -> list[Profile]:
        sensor = self._sensors.get(name)
        kind = self._rs.stream.depth if name == "depth" else self._rs.stream.color
        return [
            Profile(video.width(), video.height(), video.fps(), str(video.format()).split(".")[-1])
            for profile in (sensor.get_stream_profiles() if sensor is not None else ())
            if profile.stream_type() == kind and profile.is_video_stream_profile()
            for video in (profile.as_video_stream_profile(),)
        ]

    def _enable(self, config: Any, profile: Profile, kind: Any) -> None:
        pixel = getattr(self._rs.format, profile.format)
        config.enable_stream(kind, profile.width, profile.height, pixel, profile.fps)

    def _info(self, key: str) -> str:
        name = getattr(self._rs.camera_info, key)
        return str(self._device.get_info(name)) if self._device.supports(name) else ""

    def _facts(self, started: Any, depth: Profile, color: Profile | None) -> DeviceFacts:
        rs, request = self._rs, self._request
        depth_stream = started.get_stream(rs.stream.depth).as_video_stream_profile()
        color_stream = started.get_stream(rs.stream.color).as_video_stream_profile() if color is not None else None
        sensor = self._sensors["depth"]
        return DeviceFacts(
            name=self._info("name"),
            serial=self._info("serial_number"),
            firmware=self._info("firmware_version"),
            firmware_recommended=self._info("recommended_firmware_version"),
            usb=self._info("usb_type_descriptor"),
            depth_unit_m=float(sensor.as_depth_sensor().get_depth_scale()),
            depth_unit_wanted_m=request.depth_unit_mm / 1000,
            depth=lens_of(depth_stream.get_intrinsics()),
            color=None if color_stream is None else lens_of(color_stream.get_intrinsics()),
            T_color_depth=pose_of(depth_stream, color_stream),
            fps=depth.fps,
            depth_size_wanted=request.depth_size,
            color_size_wanted=request.color_size,
            preset=sdk_options.preset(rs, sensor),
            emitter=sdk_options.emitter(rs, sensor),
            laser_mw=sdk_options.laser(rs, sensor),
            notes=tuple(self._notes),
        )


def shot_of(frames: Any) -> Shot | None:
    """A set of frames as it arrives; None where it holds no depth. The pixels are the SDK's: copy, then let go."""
    depth, color = frames.get_depth_frame(), frames.get_color_frame()
    if not depth:
        return None
    return Shot(
        number=depth.get_frame_number(),
        time_ms=depth.get_timestamp(),
        depth=np.asanyarray(depth.get_data()),
        color=_bgr(color) if color else None,
        color_number=color.get_frame_number() if color else -1,
        color_time_ms=color.get_timestamp() if color else 0.0,
        same_clock=not color or color.get_frame_timestamp_domain() == depth.get_frame_timestamp_domain(),
    )


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


def lens_of(intrinsics: Any) -> Lens:
    """The SDK's intrinsics as plain numbers."""
    return Lens(
        width=intrinsics.width,
        height=intrinsics.height,
        fx=intrinsics.fx,
        fy=intrinsics.fy,
        ppx=intrinsics.ppx,
        ppy=intrinsics.ppy,
        model=str(intrinsics.model).split(".")[-1],
        coeffs=tuple(float(c) for c in intrinsics.coeffs),
    )


def pose_of(depth: Any, color: Any) -> tuple[tuple[float, ...], ...]:
    """4x4, metres, from the depth camera to the colour camera. The SDK's rotation is column by column.

    Raises:
        CaptureError: the file holds none (only where both streams gave a frame is it there).
    """
    T = np.eye(4)
    if color is not None:
        try:
            found = depth.get_extrinsics_to(color)
        except RuntimeError as error:
            raise CaptureError(
                "file", f"where colour is beside depth is not known ({_line(error)}); record depth and colour together"
            ) from error
        T[:3, :3] = np.array(found.rotation).reshape(3, 3).T
        T[:3, 3] = found.translation
    return tuple(tuple(float(value) for value in row) for row in T)


def _line(error: Exception) -> str:
    return " ".join(str(error).split())
