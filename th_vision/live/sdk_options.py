"""The options of a camera's sensors: what is set before a game, and what is read back.

An option that a camera doesn't have, or refuses, is no reason not to play: it gives a line, and what was read back
counts.
"""

from __future__ import annotations

from typing import Any

from th_vision.live.backend import Exposure, Request

_ANTI_FLICKER_AUTO = 3.0  # power_line_frequency: off, 50 Hz, 60 Hz, auto


def set_up(rs: Any, sensors: dict[str, Any], request: Request) -> list[str]:
    """Before the start: preset, depth unit, projector, clocks, automatic exposure on. Gives a line for each refusal."""
    notes: list[str] = []
    depth, color = sensors["depth"], sensors.get("color")
    option = rs.option
    # The preset first: it sets many of the others. The default one is what the figures of docs/camera.md hold for.
    if hasattr(rs, "rs400_visual_preset"):
        _try(rs, depth, option.visual_preset, float(int(rs.rs400_visual_preset.default)), "preset", notes)
    _try(rs, depth, option.depth_units, request.depth_unit_mm / 1000, "depth unit", notes)
    _try(rs, depth, option.emitter_enabled, 1.0, "projector", notes)
    for sensor in sensors.values():
        # The camera's own clock for both: a clock that is fitted to the computer's jumps.
        _try(rs, sensor, option.global_time_enabled, 0.0, "clock", notes)
        _try(rs, sensor, option.enable_auto_exposure, 1.0, "automatic exposure", notes)
    if color is not None:
        _try(rs, color, option.enable_auto_white_balance, 1.0, "automatic white balance", notes)
        _try(rs, color, option.auto_exposure_priority, 0.0, "steady frame rate", notes)
        _try(rs, color, option.power_line_frequency, _ANTI_FLICKER_AUTO, "flicker", notes)
    return notes


def lock(rs: Any, sensor: Any, at: Exposure) -> list[str]:
    """Exposure and white balance to fixed values. The manual values must be written: the camera keeps old ones."""
    notes: list[str] = []
    option = rs.option
    for automatic, values in (
        (option.enable_auto_exposure, ((option.exposure, at.exposure), (option.gain, at.gain))),
        (option.enable_auto_white_balance, ((option.white_balance, at.white_balance),)),
    ):
        if not sensor.supports(automatic):
            continue
        if all(value is None for _, value in values):
            # Switched off without a value it would jump to whatever was set by hand some day.
            notes.append(f"{_name(automatic)} can't be fixed: the camera does not tell what it is")
            continue
        _try(rs, sensor, automatic, 0.0, "fixing " + _name(automatic), notes)
        for which, value in values:
            if value is not None:
                _try(rs, sensor, which, value, "fixing " + _name(which), notes)
    return notes


def exposure_of(rs: Any, frame: Any, sensor: Any) -> Exposure:
    """What automatic exposure had arrived at for this frame; from its own data, else from the sensor's options."""
    value = rs.frame_metadata_value
    return Exposure(
        exposure=_metadata(frame, value.actual_exposure),
        gain=_metadata(frame, value.gain_level),
        white_balance=_metadata(frame, value.white_balance) or read(rs, sensor, rs.option.white_balance),
    )


def temperature(rs: Any, sensor: Any) -> float | None:
    """The camera's temperature, degrees Celsius: the chip's, else the projector's."""
    found = read(rs, sensor, rs.option.asic_temperature)
    return found if found else read(rs, sensor, rs.option.projector_temperature)


def emitter(rs: Any, sensor: Any) -> bool | None:
    """Whether the projector is on; None where that can't be told."""
    found = read(rs, sensor, rs.option.emitter_enabled)
    return None if found is None else found != 0


def laser(rs: Any, sensor: Any) -> float | None:
    """The projector's power, mW."""
    return read(rs, sensor, rs.option.laser_power)


def preset(rs: Any, sensor: Any) -> str:
    """The depth preset by its name, empty where there is none."""
    found = read(rs, sensor, rs.option.visual_preset)
    if found is None:
        return ""
    try:
        return str(sensor.get_option_value_description(rs.option.visual_preset, found)).lower()
    except RuntimeError:
        return f"number {found:g}"


def read(rs: Any, sensor: Any, option: Any) -> float | None:
    """An option's value, None where it can't be read."""
    try:
        return float(sensor.get_option(option)) if sensor.supports(option) else None
    except RuntimeError:
        return None


def _try(rs: Any, sensor: Any, option: Any, value: float, what: str, notes: list[str]) -> None:
    try:
        if not sensor.supports(option) or sensor.is_option_read_only(option):
            return
        limits = sensor.get_option_range(option)
        if limits.step > 0:  # a value between two steps is refused by some firmware
            value = limits.min + round((value - limits.min) / limits.step) * limits.step
        sensor.set_option(option, min(max(value, limits.min), limits.max))
    except RuntimeError as error:
        notes.append(f"{what} could not be set ({' '.join(str(error).split())})")


def _name(option: Any) -> str:
    return str(option).split(".")[-1].replace("_", " ").lower().removeprefix("enable ")


def _metadata(frame: Any, key: Any) -> float | None:
    return float(frame.get_frame_metadata(key)) if frame.supports_frame_metadata(key) else None
