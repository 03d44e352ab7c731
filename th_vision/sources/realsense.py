"""A live RealSense camera as a source: ``realsense``, ``realsense:SERIAL``, with options after commas.

``realsense:SERIAL,fps=30,depth=848x480,color=1280x720``: what is not said is as docs/camera.md advises.
"""

from __future__ import annotations

import re
from typing import Any

from th_vision.errors import VisionError
from th_vision.live.backend import Request
from th_vision.live.capture import LiveCamera
from th_vision.live.sdk import open_camera

_SIZE = re.compile(r"([1-9]\d{1,3})x([1-9]\d{1,3})")
_FORM = "write realsense, realsense:SERIAL or realsense:SERIAL,fps=15,depth=1280x720,color=1920x1080"
_MAX_FPS = 90


def open_realsense(spec: str) -> LiveCamera:
    """The camera that ``spec`` names; waits until it streams.

    Raises:
        VisionError: the text can't be, or the camera can't be used: one line that says why and what to do.
    """
    return LiveCamera(spec, open_camera, request_of(spec))


def request_of(spec: str) -> Request:
    """What ``spec`` asks for.

    Raises:
        VisionError: it can't be.
    """
    wishes: dict[str, Any] = {}
    words = [word.strip() for word in spec.partition(":")[2].split(",")]
    for place, word in enumerate(words):
        key, equals, value = word.partition("=")
        if not equals:
            if place or not re.fullmatch(r"\w*", word):
                raise VisionError(f"{spec}: {word!r} is no option; {_FORM}")
            wishes["serial"] = word
        elif key == "fps" and value.isascii() and value.isdigit() and 1 <= int(value) <= _MAX_FPS:
            wishes["fps"] = int(value)
        elif key in ("depth", "color") and (size := _SIZE.fullmatch(value)):
            wishes[f"{key}_size"] = (int(size[1]), int(size[2]))
        else:
            raise VisionError(f"{spec}: {word!r} can't be; {_FORM}")
    return Request(**wishes)
