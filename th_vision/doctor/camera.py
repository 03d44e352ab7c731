"""The camera: its library, the cable, the right to use it, who else has it, and what it says once it streams."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from th_vision.doctor.finding import Finding
from th_vision.errors import VisionError
from th_vision.live.capture import LiveCamera
from th_vision.live.usb import NO_CAMERA, Holder, UsbCamera, has_udev_rule, holders, udev_advice, usb_cameras

LOOK_S = 12.0
"""A camera is watched until it runs, so long at most; exposure takes up to 8 s to settle."""
ENOUGH_FRAMES = 20
_STEP_S = 0.1
NOTHING_THERE = Finding(
    "warning", "no RealSense camera is plugged in", "only for a live game: a USB 3 port, and its own cable"
)


def check_library(version: Callable[[str], str | None], import_error: Callable[[str], str]) -> Iterable[Finding]:
    """pyrealsense2: needed for a live camera and old recordings only."""
    found = version("pyrealsense2")
    if not found:
        todo = "only for a live camera: make setup installs it on Linux x86-64 and Windows; elsewhere there is none"
        yield Finding("warning", "pyrealsense2 is not installed", todo)
        return
    error = import_error("pyrealsense2")
    yield (
        Finding("warning", f"import pyrealsense2 fails ({error})", "sudo apt-get install libusb-1.0-0")
        if error
        else Finding("ok", f"pyrealsense2 {found}")
    )


@dataclass(frozen=True)
class UsbView:
    """What the system says of cameras; tests have their own."""

    cameras: Callable[[], list[UsbCamera]] = usb_cameras
    holders: Callable[[Iterable[Path]], list[Holder]] = holders
    has_rule: Callable[[], bool] = has_udev_rule


def check_usb(view: UsbView) -> Iterable[Finding]:
    """Cameras that are plugged in, without asking the SDK (which would open them)."""
    cameras = view.cameras()
    if not cameras:
        yield NOTHING_THERE
    for camera in cameras:
        if not camera.usb3:
            todo = "use a USB 3 port (blue, or marked SS) and the cable that came with the camera"
            yield Finding("warning", f"{camera.model} is on USB 2 ({camera.mbit:g} Mbit/s)", todo)
        else:
            yield Finding("ok", f"{camera.model} on USB 3")
        if not camera.usable:
            yield Finding("problem", f"{camera.model} may not be used by you", udev_advice())
        elif not view.has_rule():
            yield Finding("warning", "no udev rule for RealSense cameras: other users may not use it", udev_advice())
        for holder in view.holders((camera.node, *camera.videos)):
            yield Finding("problem", f"{camera.model} is in use by {holder}", "end that program")


def check_running(open_camera: Callable[[], LiveCamera], look_s: float = LOOK_S) -> tuple[list[Finding], str]:
    """Open the camera as a game would, look at some frames; gives also its serial number, empty where it won't open."""
    try:
        camera = open_camera()
    except VisionError as error:
        return [NOTHING_THERE if str(error).endswith(NO_CAMERA) else Finding("problem", str(error))], ""
    try:
        until = time.monotonic() + look_s
        while time.monotonic() < until and camera.state.frames < ENOUGH_FRAMES:
            time.sleep(_STEP_S)
        return list(_running(camera)), camera.state.serial
    finally:
        camera.close()


def _running(camera: LiveCamera) -> Iterable[Finding]:
    state, facts, seen = camera.state, camera.facts, camera.camera
    size = f"depth {seen.depth.width}x{seen.depth.height}"
    if seen.color is not None:
        size += f", colour {seen.color.width}x{seen.color.height}"
    yield Finding("ok", f"{state.model} {state.serial}, firmware {state.firmware}, USB {state.usb or 'unknown'}")
    projector = {True: "switched on", False: "switched off", None: "unknown"}[facts.emitter]
    warmth = "unknown" if state.temperature_c is None else f"{state.temperature_c:.0f} degrees"
    yield Finding(
        "ok",
        f"{size}, {facts.fps:g} frames a second, depth unit {seen.depth_unit_mm:g} mm, projector {projector}, "
        f"preset {facts.preset or 'unknown'}, temperature {warmth}",
    )
    for line in state.warnings:
        yield Finding("warning", line)
    lost, refused = state.frames_lost, state.frames_refused + state.colors_refused
    if not state.frames:
        why = state.last_error or "unplug it, plug it in again, and try another port"
        yield Finding("problem", "the camera gives no frames", why)
    elif lost + refused > state.frames / 10:
        todo = "another USB port or a shorter cable, and nothing else on that port"
        yield Finding("warning", f"of {state.frames + lost} frames {lost} were lost, {refused} were bad", todo)
    else:
        yield Finding("ok", f"{state.frames} frames, {lost} lost; exposure and white balance are fixed")
