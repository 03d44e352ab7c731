"""The SDK's software device: a camera without hardware that the real SDK streams, pairs and records.

It feeds the capture code where there is no camera, and writes ``.db3`` recordings.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibration.camera import Camera
from th_vision.live.backend import Lens
from th_vision.live.camera_model import plain_lens

_PRODUCT_LINE = "D400"
_SDK_NAME = "Intel RealSense "


@dataclass(frozen=True)
class SoftwareSetup:
    """What a software device says of itself. ``depth_unit_m`` and lenses as the SDK has them, in metres and pixels."""

    depth: Lens
    color: Lens | None
    T_color_depth: NDArray[np.float64]
    depth_unit_m: float = 0.0001
    fps: int = 30
    name: str = "Intel RealSense D435"
    serial: str = "SW1"
    usb: str = "3.2"
    firmware: str = "5.16.0.1"
    recommended: str = "5.16.0.1"
    options: dict[str, tuple[float, float, float, float]] = field(default_factory=dict)
    """Writable options of the depth sensor by their SDK names: least, most, step, value at first."""


def setup_of(camera: Camera, fps: int = 30) -> SoftwareSetup:
    """The software device that says of itself what ``camera`` holds."""
    T = camera.T_color_depth.copy()
    T[:3, 3] /= 1000
    return SoftwareSetup(
        depth=plain_lens(camera.depth),
        color=None if camera.color is None else plain_lens(camera.color),
        T_color_depth=T,
        depth_unit_m=camera.depth_unit_mm / 1000,
        fps=fps,
        name=_SDK_NAME + camera.model if camera.model.startswith("D") else camera.model or "depth camera",
        serial=camera.serial or "0",
    )


class SoftwareCamera:
    """A running software device. ``push`` gives it a frame. Keep it as long as its context is used."""

    def __init__(self, rs: Any, setup: SoftwareSetup) -> None:
        self._rs, self.setup = rs, setup
        self.device = rs.software_device()
        for key, value in (
            ("name", setup.name),
            ("serial_number", setup.serial),
            ("product_line", _PRODUCT_LINE),
            ("usb_type_descriptor", setup.usb),
            ("firmware_version", setup.firmware),
            ("recommended_firmware_version", setup.recommended),
            ("physical_port", "software"),
        ):
            self.device.register_info(getattr(rs.camera_info, key), value)
        self.depth_sensor = self.device.add_sensor("Stereo Module")
        self._depth = self._stream(self.depth_sensor, rs.stream.depth, rs.format.z16, 2, setup.depth, 100)
        self.color_sensor = None
        if setup.color is not None:
            self.color_sensor = self.device.add_sensor("RGB Camera")
            self._color = self._stream(self.color_sensor, rs.stream.color, rs.format.bgr8, 3, setup.color, 101)
            self._depth.register_extrinsics_to(self._color, self._extrinsics())
        self.depth_sensor.add_read_only_option(rs.option.depth_units, setup.depth_unit_m)
        for name, (least, most, step, first) in setup.options.items():
            limits = rs.option_range()
            limits.min, limits.max, limits.step, limits.default = least, most, step, first
            self.depth_sensor.add_option(getattr(rs.option, name), limits)
            self.depth_sensor.set_option(getattr(rs.option, name), first)
        self.device.create_matcher(rs.matchers.default)
        for sensor in self._sensors():  # thousandths of a frame a second: else nothing is paired
            sensor.set_metadata(rs.frame_metadata_value.actual_fps, setup.fps * 1000)
        self._kept: list[Any] = []

    def _sensors(self) -> list[Any]:
        return [sensor for sensor in (self.depth_sensor, self.color_sensor) if sensor is not None]

    def context(self) -> Any:
        """A context that sees this device."""
        context = self._rs.context()
        # A context has only weak references: the list of new devices must be kept.
        context.set_devices_changed_callback(lambda info: self._kept.append(info.get_new_devices()))
        self.device.add_to(context)
        return context

    def push(
        self,
        depth: NDArray[np.uint16] | None,
        color: NDArray[np.uint8] | None,
        number: int,
        time_ms: float,
        color_time_ms: float | None = None,
    ) -> None:
        """One moment: depth (h, w) and colour (h, w, 3) BGR, or one of them. The pixels are copied.

        Raises:
            ValueError: another size than was set up; the library would read past the end.
        """
        if depth is not None:
            self._push(self.depth_sensor, self._depth, np.asarray(depth, np.uint16), number, time_ms)
        if color is not None and self.color_sensor is not None:
            at = time_ms if color_time_ms is None else color_time_ms
            self._push(self.color_sensor, self._color, np.asarray(color, np.uint8), number, at)

    def _push(self, sensor: Any, profile: Any, pixels: NDArray[Any], number: int, time_ms: float) -> None:
        pixels = np.ascontiguousarray(pixels)
        video = profile.as_video_stream_profile()
        if pixels.shape[:2] != (video.height(), video.width()):
            raise ValueError(f"a frame of {pixels.shape} for a stream of {video.width()}x{video.height()}")
        frame = self._rs.software_video_frame()
        frame.pixels = pixels
        frame.bpp = pixels.itemsize * (pixels.shape[2] if pixels.ndim == 3 else 1)
        frame.stride = video.width() * frame.bpp
        frame.timestamp, frame.domain = time_ms, self._rs.timestamp_domain.hardware_clock
        frame.frame_number, frame.profile = number, video
        if pixels.ndim == 2:
            frame.depth_units = self.setup.depth_unit_m
        sensor.on_video_frame(frame)

    def _stream(self, sensor: Any, kind: Any, pixel: Any, size: int, lens: Lens, uid: int) -> Any:
        stream = self._rs.video_stream()
        stream.type, stream.fmt, stream.bpp, stream.index, stream.uid = kind, pixel, size, 0, uid
        stream.width, stream.height, stream.fps = lens.width, lens.height, self.setup.fps
        stream.intrinsics = self._intrinsics(lens)
        return sensor.add_video_stream(stream, True)

    def _intrinsics(self, lens: Lens) -> Any:
        found = self._rs.intrinsics()
        found.width, found.height, found.fx, found.fy = lens.width, lens.height, lens.fx, lens.fy
        found.ppx, found.ppy, found.coeffs = lens.ppx, lens.ppy, list(lens.coeffs)
        found.model = getattr(self._rs.distortion, lens.model)
        return found

    def _extrinsics(self) -> Any:
        found = self._rs.extrinsics()
        found.rotation = self.setup.T_color_depth[:3, :3].T.astype(np.float32).ravel().tolist()  # column by column
        found.translation = self.setup.T_color_depth[:3, 3].tolist()
        return found
