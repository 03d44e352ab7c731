"""What is not as it should be with a camera, from what it said of itself: one line each, with what to do."""

from __future__ import annotations

from th_vision.errors import VisionError
from th_vision.live.backend import DeviceFacts, Lens
from th_vision.live.distortion import brown_conrady
from th_vision.live.tolerances import DEPTH_UNIT_SHARE, HOT_C

# Depth of fewer columns than this blurs a stick to about half its height (docs/camera.md).
LEAST_WIDTH_PX = 1280
FEW_FRAMES = 10
DISTORTION_LIMIT_PX = 0.25  # at the picture's corner; 0.1 mm on the table


def warnings_of(facts: DeviceFacts, temperature_c: float | None) -> tuple[str, ...]:
    """All that a player should know, in order of weight; empty where all is well."""
    found: list[str] = []
    if facts.usb.startswith(("1", "2")):
        found.append(f"the camera runs on USB {facts.usb}: use a USB 3 port and the cable that came with it")
    if facts.depth.width < LEAST_WIDTH_PX:
        found.append(
            f"depth is {facts.depth.width}x{facts.depth.height} only: sticks read half their height; "
            "use 1280x720 (USB 3)"
        )
    if facts.color is None:
        found.append("the camera gives no colour: cars can't be told apart, and places are less certain")
    elif facts.color_size_wanted is not None and facts.color.width < facts.color_size_wanted[0]:
        found.append(f"colour is {facts.color.width}x{facts.color.height} only: places are less certain")
    if facts.fps < FEW_FRAMES:
        found.append(f"only {facts.fps:g} frames a second: hands must stay away longer after a move")
    if abs(facts.depth_unit_m / facts.depth_unit_wanted_m - 1) > DEPTH_UNIT_SHARE:
        found.append(
            f"the depth unit is {facts.depth_unit_m * 1000:g} mm, not {facts.depth_unit_wanted_m * 1000:g} mm as asked "
            "for: heights are coarser"
        )
    if facts.emitter is False:
        found.append(
            "the projector is off: depth has holes on smooth surfaces; another program may have switched it off"
        )
    if _older(facts.firmware, facts.firmware_recommended):
        found.append(
            f"firmware {facts.firmware} is older than {facts.firmware_recommended}: update it (RealSense Viewer)"
        )
    if temperature_c is not None and temperature_c >= HOT_C:
        found.append(f"the camera is at {temperature_c:.0f} degrees: let air to it, depth drifts")
    for what, lens in (("depth", facts.depth), ("colour", facts.color)):
        found += _lens_warnings(what, lens)
    found += facts.notes
    return tuple(found)


def _lens_warnings(what: str, lens: Lens | None) -> list[str]:
    if lens is None:
        return []
    try:
        _, error_px = brown_conrady(lens)
    except VisionError as error:
        return [str(error)]
    if error_px <= DISTORTION_LIMIT_PX:
        return []
    return [f"the {what} lens ({lens.model}) is followed to {error_px:.2f} px only"]


def _older(firmware: str, than: str) -> bool:
    a, b = ([int(part) for part in text.split(".") if part.isdigit()] for text in (firmware, than))
    return bool(a and b) and a < b
