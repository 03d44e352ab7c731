"""Frames, lines and layouts as the records of an MCAP file, in chunks that are closed by size, time and content."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from foxglove_schemas_protobuf.CameraCalibration_pb2 import CameraCalibration
from foxglove_schemas_protobuf.CompressedImage_pb2 import CompressedImage
from foxglove_schemas_protobuf.FrameTransform_pb2 import FrameTransform
from foxglove_schemas_protobuf.RawImage_pb2 import RawImage
from foxglove_schemas_protobuf.SceneUpdate_pb2 import SceneUpdate
from mcap.writer import CompressionType, Writer
from mcap_protobuf.schema import build_file_descriptor_set
from pydantic import BaseModel

from calibration.camera import Array
from calibration.errors import CalibrationError
from calibration.table import TableCalibration
from rules.layout import Layout
from rules.pieces import Pieces
from rules.schema import schemas
from th_vision.frame import Frame
from th_vision.sessions import header as names
from th_vision.sessions import limits
from th_vision.sessions.attached import MEDIA, digest, table_of
from th_vision.sessions.frame_line import frame_line_bytes
from th_vision.sessions.header import Header, nanoseconds, pixels_hash, signed, to_metadata
from th_vision.sessions.messages import (
    camera_message,
    color_message,
    depth_message,
    encode_color,
    transform_message,
)
from th_vision.sessions.records import Message
from th_vision.sessions.scene_message import scene_message

_PROTOBUF: dict[str, Any] = {
    names.DEPTH: RawImage,
    names.COLOR: CompressedImage,
    names.DEPTH_INFO: CameraCalibration,
    names.COLOR_INFO: CameraCalibration,
    names.TF: FrameTransform,
    names.SCENE: SceneUpdate,
}
_FRAME_SCHEMA = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "th-vision/frame/1",
    "type": "object",
    "properties": {
        "index": {"type": "integer", "description": "counts the frames of this session from 0 on"},
        "number": {"type": "integer", "description": "the camera's own number"},
        "time_s": {"type": "number", "description": "the camera's clock"},
        "session": {"type": "string"},
        "depth": {"type": "string", "description": "SHA-1 of the depth picture, 16 bit little-endian"},
        "color": {"type": ["string", "null"], "description": "SHA-1 of the colour picture as it is encoded here"},
        "reason": {"enum": ["all", "still", "motion", "base"]},
    },
    "required": ["index", "number", "time_s", "session", "depth", "color"],
}


class Out(Protocol):
    """Where the bytes go."""

    def write(self, data: bytes, /) -> int:
        """Take all of the bytes."""
        ...

    def tell(self) -> int:
        """How many were taken."""
        ...

    def flush(self) -> None:
        """Pass them on."""
        ...


class Packer:
    """Puts messages into a file. Times of frames only ever rise there, whatever the source's clock does; a line has the
    time that it is about, which is before that of the newest frame."""

    def __init__(
        self, out: Out, header: Header, attached: Mapping[str, bytes], pieces: Pieces, color: str = "jpeg"
    ) -> None:
        self._attached = dict(attached)
        self._header = header
        self._pieces = pieces
        self._color = color
        # Chunks are closed by hand: a frame's pictures and its line of hashes must never be torn apart.
        self._mcap = Writer(out, chunk_size=1 << 40, compression=CompressionType.ZSTD, enable_data_crcs=True)  # type: ignore[arg-type]  # it needs write, tell and flush only
        self._channels: dict[str, int] = {}
        self._table: TableCalibration | None = None
        with contextlib.suppress(CalibrationError):  # one that lost its map: the frames are worth keeping all the same
            self._table = table_of(attached)
        self._time_ns = 0
        self._index = 0
        self._camera_said = False
        self._open_bytes = 0
        self._open_since = 0.0
        self._turns: dict[int, float] = {}
        self.last_time_s = 0.0

    def start(self) -> None:
        """The head: metadata twice, attachments, channels."""
        attachments = {name: digest(data) for name, data in self._attached.items()}
        metadata = to_metadata(replace(self._header, attachments=attachments))
        self._mcap.start(library=self._header.software)
        self._mcap.add_metadata(names.NAME, metadata)
        self._mcap.add_metadata(names.COPY, metadata)
        for name, data in self._attached.items():
            suffix = name[name.rfind(".") :]
            self._mcap.add_attachment(0, 0, name, MEDIA.get(suffix, "application/octet-stream"), data)
        self._attached.clear()
        for topic in names.TOPICS:
            self._channels[topic] = self._register(topic, metadata)
        self._mcap.flush()  # type: ignore[no-untyped-call]  # as the library has it

    def frame(self, frame: Frame, reason: str) -> None:
        """Pack one frame."""
        time_ns = self._tick(frame.time_s)
        self._about_camera(time_ns)
        depth = depth_message(frame.depth, time_ns, names.DEPTH_FRAME)
        self._add(names.DEPTH, depth, time_ns)
        color_hash = None
        if frame.color is not None:
            encoded = encode_color(frame.color, self._color)
            self._add(names.COLOR, color_message(encoded, self._color, time_ns, names.COLOR_FRAME), time_ns)
            color_hash = pixels_hash(encoded)
        line = {
            "index": self._index,
            "number": frame.number,
            "time_s": frame.time_s,
            "session": self._header.session,
            "depth": pixels_hash(frame.depth.astype("<u2", copy=False).tobytes()),
            "color": color_hash,
            "reason": reason,
        }
        self._add(names.FRAMES, frame_line_bytes(line), time_ns)
        self._index += 1
        self.last_time_s = frame.time_s
        self._flush_if_full()

    def copy(self, messages: Iterable[tuple[str, Message]], *, alone: bool = False) -> None:
        """Take messages of another session as they are, those of one frame together; ``alone``: of the game."""
        if alone:
            self.flush()
        for topic, message in messages:
            self._about_camera(message.time_ns)
            if topic == names.GAME:
                self._note_turn(bytes(message.data), message.time_ns / 1e9)
            self._add(topic, bytes(message.data), message.time_ns, message.sequence)
        if alone:
            self.flush()
        else:
            self._flush_if_full()

    def game_line(self, obj: BaseModel | Mapping[str, Any], time_s: float) -> None:
        """Pack a line of the game, in a chunk of its own: it is in the file at once, and found without the frames."""
        if isinstance(obj, BaseModel):
            to_line = getattr(obj, "to_line", None)
            text = to_line() if to_line is not None else obj.model_dump_json(by_alias=True, exclude_none=True)
        else:
            text = json.dumps(dict(obj))
        self._note_turn(text, time_s)
        self._alone(names.GAME, text.encode(), nanoseconds(time_s))

    def scene(self, layout: Layout, time_s: float) -> None:
        """Pack the pieces as they stand."""
        time_ns = nanoseconds(time_s)
        self._alone(names.SCENE, scene_message(layout, self._pieces, time_ns), time_ns)

    def _flush_if_full(self) -> None:
        if self._open_bytes >= limits.CHUNK_BYTES:
            self.flush()
        else:
            self.flush_if_old(time.monotonic())

    def flush(self) -> None:
        """Close the open chunk."""
        if self._open_bytes:
            self._mcap.flush()  # type: ignore[no-untyped-call]  # as the library has it
            self._open_bytes = 0

    def flush_if_old(self, now_s: float) -> None:
        """Close the open chunk if it has been open for long; ``now_s``: a clock that only rises."""
        if self._open_bytes and now_s - self._open_since >= limits.FLUSH_S:
            self.flush()

    def finish(self, end: Mapping[str, str]) -> None:
        """The end record, and MCAP's own summary."""
        self.flush()
        turns = {str(turn): time_s for turn, time_s in self._turns.items()}
        self._mcap.add_metadata(names.END, signed({**end, "turns": json.dumps(turns)}))
        self._mcap.finish()  # type: ignore[no-untyped-call]  # as the library has it

    # --- single records ---

    def _note_turn(self, line: str | bytes, time_s: float) -> None:
        """When each turn's last line was: who shows turn 30 needs not read all lines for it."""
        turn = json.loads(line).get("turn")
        if isinstance(turn, int):
            self._turns[turn] = time_s

    def _register(self, topic: str, metadata: dict[str, str]) -> int:
        if topic in _PROTOBUF:
            kind = _PROTOBUF[topic]
            schema = build_file_descriptor_set(kind).SerializeToString()
            schema_id = self._mcap.register_schema(kind.DESCRIPTOR.full_name, "protobuf", schema)
            encoding = "protobuf"
        else:
            text = json.dumps(_FRAME_SCHEMA) if topic == names.FRAMES else game_schema()
            name = "th-vision.Frame" if topic == names.FRAMES else "th-vision.GameLine"
            schema_id, encoding = self._mcap.register_schema(name, "jsonschema", text.encode()), "json"
        # A third copy of the head, in what the chunks' checksums guard.
        return self._mcap.register_channel(topic, encoding, schema_id, metadata if topic == names.DEPTH else {})

    def _about_camera(self, time_ns: int) -> None:
        if self._camera_said:
            return
        self._camera_said = True
        camera = self._header.camera
        self._add(names.DEPTH_INFO, camera_message(camera.depth, time_ns, names.DEPTH_FRAME), time_ns)
        if camera.color is not None:
            self._add(names.COLOR_INFO, camera_message(camera.color, time_ns, names.COLOR_FRAME), time_ns)
            T = invert(camera.T_color_depth)
            self._add(names.TF, transform_message(T, time_ns, names.DEPTH_FRAME, names.COLOR_FRAME), time_ns)
        if self._table is not None:
            T = self._table.T_table_depth
            self._add(names.TF, transform_message(T, time_ns, names.TABLE_FRAME, names.DEPTH_FRAME), time_ns)

    def _tick(self, time_s: float) -> int:
        self._time_ns = max(self._time_ns, nanoseconds(time_s))
        return self._time_ns

    def _alone(self, topic: str, data: bytes, time_ns: int) -> None:
        self.flush()
        self._add(topic, data, time_ns)
        self.flush()

    def _add(self, topic: str, data: bytes, time_ns: int, index: int | None = None) -> None:
        if not self._open_bytes:
            self._open_since = time.monotonic()
        self._open_bytes += len(data) + 1
        self._mcap.add_message(self._channels[topic], time_ns, data, time_ns, self._index if index is None else index)


def invert(T: Array) -> Array:
    """The inverse of a 4x4 pose."""
    return np.asarray(np.linalg.inv(T), dtype=np.float64)


def game_schema() -> str:
    """JSON Schema of a line of the game; ``type: object`` is said at the top too, where viewers look for it."""
    schema = json.loads(schemas()["record-line.schema.json"])
    return json.dumps({**schema, "type": "object"})
