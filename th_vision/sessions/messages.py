"""Messages of Foxglove's schemas, so that its viewer and rerun show a session as it is; lengths there are metres."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
from foxglove_schemas_protobuf.CameraCalibration_pb2 import CameraCalibration
from foxglove_schemas_protobuf.CompressedImage_pb2 import CompressedImage
from foxglove_schemas_protobuf.FrameTransform_pb2 import FrameTransform
from foxglove_schemas_protobuf.RawImage_pb2 import RawImage
from numpy.typing import NDArray

from calibration.camera import Array, Intrinsics
from th_vision.errors import VisionError
from th_vision.sessions.header import pose_metres

DEPTH_ENCODING = "16UC1"
# Colour is measured from: edges of pieces to a tenth of a pixel. Full chroma (4:4:4), for pieces differ from the table
# in hue more than in brightness. bench/recordings.py has what a reading loses by it.
JPEG_QUALITY = 92
NS = 1_000_000_000


def depth_message(depth: NDArray[np.uint16], time_ns: int, frame_id: str) -> bytes:
    """A depth picture, (h, w) uint16 in depth units, little-endian."""
    height, width = depth.shape
    message = RawImage(
        frame_id=frame_id,
        width=width,
        height=height,
        encoding=DEPTH_ENCODING,
        step=2 * width,
        data=np.ascontiguousarray(depth, dtype="<u2").tobytes(),
    )
    stamp(message.timestamp, time_ns)
    return bytes(message.SerializeToString())


def color_message(encoded: bytes, kind: str, time_ns: int, frame_id: str) -> bytes:
    """A colour picture that is a JPEG or PNG already; ``kind`` is ``jpeg`` or ``png``."""
    message = CompressedImage(frame_id=frame_id, format=kind, data=encoded)
    stamp(message.timestamp, time_ns)
    return bytes(message.SerializeToString())


def encode_color(color: NDArray[np.uint8], kind: str) -> bytes:
    """A colour picture, (h, w, 3) BGR, as ``jpeg`` or ``png``.

    Raises:
        VisionError: it is no such picture.
    """
    if kind == "jpeg":
        full = cv2.IMWRITE_JPEG_SAMPLING_FACTOR_444
        options = [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY, cv2.IMWRITE_JPEG_SAMPLING_FACTOR, full]
        done, data = cv2.imencode(".jpg", color, options)
    else:
        done, data = cv2.imencode(".png", color, [cv2.IMWRITE_PNG_COMPRESSION, 1])
    if not done:
        raise VisionError("a colour picture can't be encoded")
    return bytes(data.tobytes())


def camera_message(K: Intrinsics, time_ns: int, frame_id: str) -> bytes:
    """Intrinsics as Foxglove's CameraCalibration, ``plumb_bob`` = Brown-Conrady as OpenCV orders it."""
    fx, fy, cx, cy = K.fx, K.fy, K.cx, K.cy
    message = CameraCalibration(
        frame_id=frame_id,
        width=K.width,
        height=K.height,
        distortion_model="plumb_bob",
        D=list(K.distortion),
        K=[fx, 0, cx, 0, fy, cy, 0, 0, 1],
        R=[1, 0, 0, 0, 1, 0, 0, 0, 1],
        P=[fx, 0, cx, 0, 0, fy, cy, 0, 0, 0, 1, 0],
    )
    stamp(message.timestamp, time_ns)
    return bytes(message.SerializeToString())


def transform_message(T_parent_child: Array, time_ns: int, parent: str, child: str) -> bytes:
    """Where ``child`` is in ``parent``: a 4x4 in mm that takes points of the child to the parent."""
    (x, y, z), (qx, qy, qz, qw) = pose_metres(T_parent_child)
    message = FrameTransform(parent_frame_id=parent, child_frame_id=child)
    message.translation.x, message.translation.y, message.translation.z = x, y, z
    message.rotation.x, message.rotation.y, message.rotation.z, message.rotation.w = qx, qy, qz, qw
    stamp(message.timestamp, time_ns)
    return bytes(message.SerializeToString())


def stamp(message: Any, time_ns: int) -> None:
    """Set a protobuf Timestamp."""
    message.seconds, message.nanos = divmod(time_ns, NS)
