"""What a session says about itself: the metadata record ``th-vision``, and the record at its end.

All values are text, as MCAP wants them. Floats are written so that they read back bit by bit; the intrinsics and
poses are here because the channels that viewers read (``/depth/camera_info``, ``/tf``) have them in other units.
A record carries a hash of itself, for MCAP guards its metadata with no checksum.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from calibration.camera import Array, Camera, Intrinsics

NAME = "th-vision"
COPY = "th-vision-copy"
END = "th-vision-end"
FORMAT = "th-vision/session/1"
OWN_HASH = "sha256"

DEPTH, COLOR = "/depth/image", "/color/image"
DEPTH_INFO, COLOR_INFO = "/depth/camera_info", "/color/camera_info"
TF, SCENE, GAME, FRAMES = "/tf", "/scene", "/game", "/frames"
TOPICS = (DEPTH, COLOR, DEPTH_INFO, COLOR_INFO, TF, SCENE, GAME, FRAMES)
"""In this order, from 1 on, are the channels of a session: it can be read even where their own records are lost."""

TABLE, PIECES = "table.toml", "pieces.toml"
TABLE_FRAME, DEPTH_FRAME, COLOR_FRAME = "table", "depth", "color"

_OURS = (
    "format",
    "session",
    "software",
    "camera",
    "serial",
    "depth_scale",
    "depth_unit_mm",
    "baseline_mm",
    "kernel_scale",
    "depth_intrinsics",
    "color_intrinsics",
    "T_color_depth_mm",
    "attachments",
    "all_frames",
    OWN_HASH,
)
EXPECTED = ("firmware", "preset", "usb_type")
"""What the contract wants besides, and only the source knows; ``unknown`` where it was not told."""


@dataclass(frozen=True)
class Header:
    """The head of a session. ``attachments``: name -> sha256; ``info``: what the source knew besides."""

    session: str
    software: str
    camera: Camera
    attachments: dict[str, str] = field(default_factory=dict)
    all_frames: bool = False
    info: dict[str, str] = field(default_factory=dict)


def to_metadata(header: Header) -> dict[str, str]:
    """The metadata record ``th-vision``."""
    camera = header.camera
    data = {
        "format": FORMAT,
        "session": header.session,
        "software": header.software,
        "camera": camera.model,
        "serial": camera.serial,
        "depth_scale": repr(round(camera.depth_unit_mm / 1000, 12)),  # metres, as the SDK counts
        "depth_unit_mm": repr(float(camera.depth_unit_mm)),
        "baseline_mm": repr(float(camera.baseline_mm)),
        "kernel_scale": repr(float(camera.kernel_scale)),
        "depth_intrinsics": json.dumps(intrinsics_dict(camera.depth)),
        "color_intrinsics": json.dumps(None if camera.color is None else intrinsics_dict(camera.color)),
        "T_color_depth_mm": json.dumps([[float(v) for v in row] for row in camera.T_color_depth]),
        "attachments": json.dumps(header.attachments),
        "all_frames": json.dumps(header.all_frames),
        **dict.fromkeys(EXPECTED, "unknown"),
        **{key: value for key, value in header.info.items() if key not in _OURS},
    }
    return signed(data)


def from_metadata(data: Mapping[str, str]) -> Header | None:
    """The header that a metadata record holds; None where the record is damaged or none of ours."""
    if data.get("format") != FORMAT or not is_whole(data):
        return None
    try:
        color = json.loads(data["color_intrinsics"])
        T = np.array(json.loads(data["T_color_depth_mm"]), dtype=np.float64)
        camera = Camera(
            model=data["camera"],
            depth=_intrinsics(json.loads(data["depth_intrinsics"])),
            color=None if color is None else _intrinsics(color),
            T_color_depth=T.reshape(4, 4),
            depth_unit_mm=float(data["depth_unit_mm"]),
            baseline_mm=float(data["baseline_mm"]),
            serial=data["serial"],
            kernel_scale=float(data["kernel_scale"]),
        )
        return Header(
            session=data["session"],
            software=data["software"],
            camera=camera,
            attachments={str(name): str(digest) for name, digest in json.loads(data["attachments"]).items()},
            all_frames=bool(json.loads(data["all_frames"])),
            info={key: value for key, value in data.items() if key not in _OURS},
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        return None


def signed(data: Mapping[str, str]) -> dict[str, str]:
    """A metadata record with its own hash in it."""
    return {**data, OWN_HASH: _hash_of(data)}


def is_whole(data: Mapping[str, str]) -> bool:
    """Whether a metadata record is as it was written."""
    return data.get(OWN_HASH) == _hash_of(data)


def _hash_of(data: Mapping[str, str]) -> str:
    text = json.dumps({key: value for key, value in data.items() if key != OWN_HASH}, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def intrinsics_dict(K: Intrinsics) -> dict[str, Any]:
    """Intrinsics as JSON; floats read back bit by bit."""
    names = ("width", "height", "fx", "fy", "cx", "cy")
    return {**{name: getattr(K, name) for name in names}, "distortion": [float(value) for value in K.distortion]}


def _intrinsics(data: Mapping[str, Any]) -> Intrinsics:
    k1, k2, p1, p2, k3 = (float(value) for value in data["distortion"])
    return Intrinsics(
        width=int(data["width"]),
        height=int(data["height"]),
        fx=float(data["fx"]),
        fy=float(data["fy"]),
        cx=float(data["cx"]),
        cy=float(data["cy"]),
        distortion=(k1, k2, p1, p2, k3),
    )


def pixels_hash(data: bytes | memoryview) -> str:
    """Hash of a picture's bytes, as a frame's line in ``/frames`` has it. It guards against damage, not against malice,
    and is made 15 times a second: hence the fastest that hashlib has."""
    return hashlib.sha1(data, usedforsecurity=False).hexdigest()


def nanoseconds(time_s: float) -> int:
    """A source's clock as MCAP counts; nothing is before 0 there."""
    return max(0, round(time_s * 1e9))


def pose_metres(T: Array) -> tuple[tuple[float, float, float], tuple[float, float, float, float]]:
    """Translation in metres and quaternion (x, y, z, w) of a 4x4 in mm."""
    x, y, z = (float(value) / 1000 for value in T[:3, 3])
    return (x, y, z), quaternion(T[:3, :3])


def quaternion(R: Array) -> tuple[float, float, float, float]:
    """(x, y, z, w) of a 3x3 rotation: the eigenvector of Bar-Itzhack's symmetric matrix (J. Guidance 23, 2000)."""
    m = np.asarray(R, dtype=np.float64)
    K = np.array(
        [
            [m[0, 0] - m[1, 1] - m[2, 2], 0, 0, 0],
            [m[1, 0] + m[0, 1], m[1, 1] - m[0, 0] - m[2, 2], 0, 0],
            [m[2, 0] + m[0, 2], m[2, 1] + m[1, 2], m[2, 2] - m[0, 0] - m[1, 1], 0],
            [m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1], m[0, 0] + m[1, 1] + m[2, 2]],
        ]
    )
    _, vectors = np.linalg.eigh(K)  # takes the lower triangle
    x, y, z, w = (float(value) for value in vectors[:, -1])
    return (x, y, z, w) if w >= 0 else (-x, -y, -z, -w)
