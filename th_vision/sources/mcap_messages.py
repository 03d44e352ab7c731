"""The messages of an ``.mcap`` in Foxglove's schemas that another program wrote: pictures, intrinsics, transforms."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from foxglove_schemas_protobuf.CameraCalibration_pb2 import CameraCalibration
from foxglove_schemas_protobuf.CompressedImage_pb2 import CompressedImage
from foxglove_schemas_protobuf.FrameTransform_pb2 import FrameTransform
from foxglove_schemas_protobuf.FrameTransforms_pb2 import FrameTransforms
from foxglove_schemas_protobuf.RawImage_pb2 import RawImage
from mcap.reader import make_reader
from mcap.records import Attachment, Channel, Message, Metadata, Schema
from mcap.stream_reader import StreamReader
from numpy.typing import NDArray

from calibration.camera import Array, Intrinsics
from th_vision import tolerances

_KINDS: dict[str, type[Any]] = {
    f"foxglove.{kind.__name__}": kind
    for kind in (CameraCalibration, CompressedImage, FrameTransform, FrameTransforms, RawImage)
}
_DEPTH_ENCODINGS = ("16UC1", "mono16")
_TO_BGR: dict[str, tuple[int, int | None]] = {
    "bgr8": (3, None),
    "8UC3": (3, None),
    "rgb8": (3, cv2.COLOR_RGB2BGR),
    "bgra8": (4, cv2.COLOR_BGRA2BGR),
    "rgba8": (4, cv2.COLOR_RGBA2BGR),
}
"""Encodings of colour: bytes a pixel, and how it becomes BGR."""


@dataclass(frozen=True)
class Told:
    """A message: its topic, its time (s, of the picture where it says one, else of the file) and itself."""

    topic: str
    time_s: float
    message: Any


@dataclass
class Besides:
    """What a file holds besides messages. ``cut``: it ends before its end, or is damaged somewhere; ``walked``: it has
    no index, and is read from end to end."""

    metadata: dict[str, dict[str, str]] = field(default_factory=dict)
    attachments: dict[str, bytes] = field(default_factory=dict)
    cut: bool = False
    walked: bool = False


def besides(path: Path) -> Besides:
    """Metadata and attachments, of a cut file as far as they are left."""
    found = Besides()
    try:
        with open(path, "rb") as stream:
            reader = make_reader(stream, validate_crcs=True)
            if reader.get_summary() is not None:
                for one in reader.iter_metadata():
                    found.metadata[one.name] = dict(one.metadata)
                for attached in reader.iter_attachments():
                    found.attachments[attached.name] = attached.data
                return found
    except Exception:  # each compression has errors of its own, and all of them mean the same
        found = Besides()
    found.walked = True
    for record in _walk(path, found):
        if isinstance(record, Metadata):
            found.metadata[record.name] = dict(record.metadata)
        elif isinstance(record, Attachment):
            found.attachments[record.name] = record.data
    return found


def told(path: Path, topics: Iterable[str], about: Besides) -> Iterator[Told]:
    """The messages of some topics, in order of time; of one without index (``about``) in the order of the file."""
    wanted = set(topics)
    try:
        if about.walked:
            yield from _told_by_walking(path, wanted, about)
            return
        with open(path, "rb") as stream:
            for schema, channel, message in make_reader(stream, validate_crcs=True).iter_messages(topics=list(wanted)):
                one = _decoded(schema, channel, message)
                if one is not None:
                    yield one
    except Exception:  # as above
        about.cut = True


def _told_by_walking(path: Path, wanted: set[str], about: Besides) -> Iterator[Told]:
    schemas: dict[int, Schema] = {}
    channels: dict[int, Channel] = {}
    for record in _walk(path, about):
        if isinstance(record, Schema):
            schemas[record.id] = record
        elif isinstance(record, Channel):
            channels[record.id] = record
        elif isinstance(record, Message):
            channel = channels.get(record.channel_id)
            if channel is not None and channel.topic in wanted:
                one = _decoded(schemas.get(channel.schema_id), channel, record)
                if one is not None:
                    yield one


def _walk(path: Path, about: Besides) -> Iterator[Any]:
    """All records up to where the file is cut or damaged."""
    try:
        with open(path, "rb") as stream:
            yield from StreamReader(stream, validate_crcs=True).records
    except Exception:  # as above
        about.cut = True


def _decoded(schema: Schema | None, channel: Channel, record: Message) -> Told | None:
    """None where it is in no schema that is known."""
    kind = _KINDS.get(schema.name) if schema is not None and channel.message_encoding == "protobuf" else None
    if kind is None:
        return None
    message = kind()
    message.ParseFromString(record.data)
    stamp = getattr(message, "timestamp", None)
    own = stamp.seconds + stamp.nanos / 1e9 if stamp is not None else 0.0
    return Told(channel.topic, float(own or record.log_time / 1e9), message)


def paired(pictures: Iterable[Told], depth_topic: str) -> Iterator[tuple[Told, Told | None]]:
    """Every depth picture with the colour picture nearest in time, each of which goes with one only; None where the
    nearest is another moment's. ``pictures``: of both topics, nearly in order of time.
    """
    waiting: deque[Told] = deque()
    colors: deque[Told] = deque(maxlen=tolerances.MCAP_COLORS_KEPT)
    gap_s, last_s = tolerances.MCAP_USUAL_GAP_S, float("-inf")
    for one in pictures:
        if one.topic == depth_topic:
            waiting.append(one)
            if one.time_s > last_s:
                gap_s = min(gap_s, one.time_s - last_s)
                last_s = one.time_s
        else:
            colors.append(one)
        # the next colour may be nearer than the last one, the one after it is not
        while waiting and ((colors and colors[-1].time_s >= waiting[0].time_s + gap_s / 2) or len(waiting) > 2):
            depth = waiting.popleft()
            yield depth, _nearest(depth, colors, gap_s)
    for depth in waiting:
        yield depth, _nearest(depth, colors, gap_s)


def _nearest(depth: Told, colors: deque[Told], gap_s: float) -> Told | None:
    near = min(colors, key=lambda color: abs(color.time_s - depth.time_s), default=None)
    if near is None or abs(near.time_s - depth.time_s) > tolerances.MCAP_SAME_MOMENT * gap_s:
        return None
    colors.remove(near)
    return near


def depth_picture(message: Any) -> NDArray[np.uint16] | None:
    """(h, w) depth units of a RawImage or CompressedImage; None where it is no 16-bit picture, or not whole."""
    if isinstance(message, RawImage):
        if message.encoding not in _DEPTH_ENCODINGS:
            return None
        pixels = _rows(message, 2)
        return None if pixels is None else np.asarray(pixels.view("<u2"), dtype=np.uint16)
    decoded = _unpacked(message, cv2.IMREAD_UNCHANGED)
    return decoded if decoded is not None and decoded.dtype == np.uint16 and decoded.ndim == 2 else None


def color_picture(message: Any) -> NDArray[np.uint8] | None:
    """(h, w, 3) BGR of a RawImage or CompressedImage; None where it is none that is known, or not whole."""
    if isinstance(message, RawImage):
        if message.encoding not in _TO_BGR:
            return None
        size, change = _TO_BGR[message.encoding]
        rows = _rows(message, size)
        if rows is None:
            return None
        pixels = rows.reshape(message.height, message.width, size)
        return np.asarray(pixels if change is None else cv2.cvtColor(pixels, change), dtype=np.uint8)
    decoded = _unpacked(message, cv2.IMREAD_COLOR)
    return None if decoded is None else np.asarray(decoded, dtype=np.uint8)


def _rows(message: RawImage, pixel_bytes: int) -> NDArray[np.uint8] | None:
    """(h, w * pixel_bytes) bytes without what fills the rows up."""
    row = message.width * pixel_bytes
    step = message.step or row
    if step < row or len(message.data) < step * message.height or not row or not message.height:
        return None
    data = np.frombuffer(message.data, dtype=np.uint8, count=step * message.height)
    return np.ascontiguousarray(data.reshape(message.height, step)[:, :row])


def _unpacked(message: Any, how: int) -> Any:
    data = np.frombuffer(message.data, dtype=np.uint8)
    try:
        return cv2.imdecode(data, how) if len(data) else None
    except cv2.error:
        return None


def intrinsics(message: CameraCalibration) -> Intrinsics | None:
    """Pinhole and Brown-Conrady numbers; None where it has no K, or a distortion of more numbers than five."""
    K, D = list(message.K), [float(value) for value in message.D]
    if len(K) != 9 or K[0] <= 0 or K[4] <= 0 or any(D[5:]) or not message.width or not message.height:
        return None
    k1, k2, p1, p2, k3 = (*D[:5], *[0.0] * (5 - len(D[:5])))
    return Intrinsics(message.width, message.height, K[0], K[4], K[2], K[5], (k1, k2, p1, p2, k3))


def transforms(message: Any) -> list[tuple[str, str, Array]]:
    """(parent, child, 4x4 in mm that takes points of the child to the parent) of what a ``/tf`` message tells."""
    many = message.transforms if isinstance(message, FrameTransforms) else [message]
    out = []
    for one in many:
        q = np.array([one.rotation.x, one.rotation.y, one.rotation.z, one.rotation.w])
        size = float(np.linalg.norm(q))
        if size > 0:
            T = np.eye(4)
            T[:3, :3] = _rotation(q / size)
            T[:3, 3] = 1000 * np.array([one.translation.x, one.translation.y, one.translation.z])
            out.append((one.parent_frame_id, one.child_frame_id, T))
    return out


def _rotation(q: Array) -> Array:
    """3x3 of a unit quaternion (x, y, z, w)."""
    x, y, z, w = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def way_between(steps: list[tuple[str, str, Array]], start: str, goal: str) -> Array | None:
    """4x4 that takes points of frame ``start`` to frame ``goal``, through any number of steps; None: no way leads."""
    found = {start: np.eye(4)}
    front = [start]
    while front:
        here = front.pop(0)
        for parent, child, T in steps:
            for one, other, way in ((child, parent, T), (parent, child, np.linalg.inv(T))):
                if one == here and other not in found:
                    found[other] = way @ found[here]
                    front.append(other)
    return found.get(goal)
