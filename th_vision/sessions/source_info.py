"""What a source knows of itself that belongs into a session's metadata."""

from __future__ import annotations

from th_vision.frame import Source
from th_vision.live.protocol import LiveSource

_FACTS = {"firmware": "firmware", "usb_type": "usb", "preset": "preset", "laser_mw": "laser_mw", "emitter": "emitter"}


def info_of(source: Source) -> dict[str, str]:
    """``source``, and where the source knows them ``firmware``, ``usb_type``, ``preset``, ``temperature_c``, ..."""
    found = {"source": source.name}
    if isinstance(source, LiveSource):
        state = source.state
        found |= {"firmware": state.firmware, "usb_type": state.usb}
        if state.temperature_c is not None:
            found["temperature_c"] = f"{state.temperature_c:.1f}"
    facts = getattr(source, "facts", None)
    for key, name in _FACTS.items():
        value = getattr(facts, name, None)
        if value not in (None, ""):
            found[key] = str(value)
    return {key: value for key, value in found.items() if value}
