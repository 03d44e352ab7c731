"""Reading a session: what it says about itself, its frames, the game's lines, and what of it is lost.

No frame is ever given whose pixels are not the ones that were recorded: each has hashes of its own. Damaged frames are
left out and counted.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from foxglove_schemas_protobuf.CompressedImage_pb2 import CompressedImage
from foxglove_schemas_protobuf.RawImage_pb2 import RawImage
from google.protobuf.message import DecodeError
from numpy.typing import NDArray

from calibration.camera import Camera
from calibration.table import TableCalibration
from rules.layout import Layout
from rules.pieces import Pieces
from th_vision.errors import VisionError
from th_vision.frame import Frame
from th_vision.sessions import header as names
from th_vision.sessions.attached import brought_table, digest, pieces_of_file
from th_vision.sessions.frame_line import frame_line
from th_vision.sessions.header import Header, from_metadata, is_whole, pixels_hash
from th_vision.sessions.messages import DEPTH_ENCODING
from th_vision.sessions.records import ByteFile, ChunkAt, DamagedError, Message, Unpacked, unpack
from th_vision.sessions.scan import Part, by_summary, by_walking
from th_vision.sessions.scene_message import layout_of_message

REPAIR = "th-vision repair makes a whole file of what is left"
_FORMAT_KEY = "format"


class NotOursError(VisionError):
    """An MCAP file in which nothing says that th-vision wrote it."""


@dataclass(frozen=True)
class Stored:
    """A frame as it lies in the file, its hashes checked. ``color``: JPEG or PNG, or None.

    ``messages``: topic -> the message, for who copies it as it is.
    """

    index: int
    number: int
    time_s: float
    time_ns: int
    depth: NDArray[np.uint16]
    color: bytes | None
    reason: str
    messages: dict[str, Message] = field(default_factory=dict, repr=False)

    @property
    def color_kind(self) -> str:
        """``png`` or ``jpeg``."""
        return "png" if self.color is not None and self.color.startswith(b"\x89PNG") else "jpeg"

    def frame(self) -> Frame:
        """With its colour unpacked.

        Raises:
            DamagedError: the colour can't be unpacked, though it is what was recorded.
        """
        picture = None
        if self.color is not None:
            decoded = cv2.imdecode(np.frombuffer(self.color, dtype=np.uint8), cv2.IMREAD_COLOR)
            if decoded is None:
                raise DamagedError(f"the colour of frame {self.index} can't be unpacked")
            picture = np.asarray(decoded, dtype=np.uint8)
        return Frame(self.number, self.time_s, self.depth, picture)


@dataclass
class Losses:
    """What reading has met. ``frames``: missing or damaged ones; ``chunks``: that could not be unpacked."""

    frames: int = 0
    game_lines: int = 0
    chunks: int = 0

    def __bool__(self) -> bool:
        return bool(self.frames or self.game_lines or self.chunks)


@dataclass
class Session:
    """One session in a file. Made by ``open_session``.

    ``end``: its end record, None where it was cut; ``damaged_attachments``: names of those that are not what the head
    says; ``parts``: how many sessions the file holds; ``losses``: what all reading so far has met.
    """

    path: Path
    file: ByteFile
    part: Part
    parts: int
    header: Header
    attachments: dict[str, bytes]
    damaged_attachments: tuple[str, ...]
    end: dict[str, str] | None
    losses: Losses = field(default_factory=Losses)

    @property
    def camera(self) -> Camera:
        """The camera behind every frame."""
        return self.header.camera

    @property
    def ended(self) -> bool:
        """Whether the file goes on to its end: it was closed, and not cut since."""
        return self.part.ended and self.end is not None

    @property
    def expected_frames(self) -> int | None:
        """How many frames the end record says there are; None where there is none."""
        return None if self.end is None else int(self.end["frames"])

    def close(self) -> None:
        """No more will be read."""
        self.file.close()

    def table(self) -> TableCalibration | None:
        """The calibration that came along, None where none did.

        Raises:
            VisionError: it did, and is damaged, or no whole calibration.
        """
        hurt = [name for name in self.damaged_attachments if name != names.PIECES]
        if hurt and names.TABLE in self.header.attachments:
            raise VisionError(f"{self.path}: its calibration is damaged ({hurt[0]}); give one with --calibration")
        return brought_table(self.attachments, self.path)

    def pieces(self) -> Pieces | None:
        """The pieces that came along, None where none did.

        Raises:
            VisionError: they did, and are damaged.
            RulesError: they can't be read.
        """
        if names.PIECES in self.damaged_attachments:
            raise VisionError(f"{self.path}: its pieces are damaged; give them with --pieces")
        return pieces_of_file(self.attachments)

    def span(self) -> tuple[float, float]:
        """Time of the first and the last message, s, as the chunks' heads say."""
        if not self.part.chunks:
            return 0.0, 0.0
        starts, ends = [c.start_ns for c in self.part.chunks], [c.end_ns for c in self.part.chunks]
        return min(starts) / 1e9, max(ends) / 1e9

    def stored(self, start_s: float | None = None, end_s: float | None = None) -> Iterator[Stored]:
        """The frames between two times (both included, of the file's clock), each once, in order."""
        everything = start_s is None and end_s is None
        low = None if start_s is None else names.nanoseconds(start_s)
        high = None if end_s is None else names.nanoseconds(end_s)
        last = -1
        met = 0
        for chunk in self.part.chunks:
            if (high is not None and chunk.start_ns > high) or (low is not None and chunk.end_ns < low):
                continue
            if self._has(chunk, names.FRAMES) is False:
                continue
            for stored in self.frames_in(chunk):
                if (high is not None and stored.time_ns > high) or (low is not None and stored.time_ns < low):
                    continue
                if stored.index > last:  # a piece of the file that is in it twice gives its frames once
                    met += 1
                    last = stored.index
                    yield stored
        if everything:
            expected = self.expected_frames
            self.losses.frames = max(0, (last + 1 if expected is None else expected) - met)

    def frames(self, start_s: float | None = None, end_s: float | None = None) -> Iterator[Frame]:
        """The frames between two times, unpacked."""
        for stored in self.stored(start_s, end_s):
            try:
                yield stored.frame()
            except DamagedError:
                self.losses.frames += 1

    def game_lines(self) -> list[tuple[float, dict[str, Any]]]:
        """The game's lines with their times, s; what is damaged is left out and counted."""
        found = []
        for message in self._small(names.GAME):
            try:
                line = json.loads(bytes(message.data))
            except ValueError:
                continue
            if isinstance(line, dict):
                found.append((message.time_ns / 1e9, line))
        if self.end is not None:
            self.losses.game_lines = max(0, int(self.end["game_lines"]) - len(found))
        return found

    def layouts(self) -> list[tuple[float, Layout]]:
        """The pieces as they stood, with their times, s."""
        found = []
        for message in self._small(names.SCENE):
            try:
                layout = layout_of_message(bytes(message.data))
            except (DecodeError, ValueError):
                continue
            if layout is not None:
                found.append((message.time_ns / 1e9, layout))
        return found

    def game_and_layouts(self) -> Iterator[tuple[float, dict[str, Any] | Layout]]:
        """Lines and layouts in the order in which they were written, with their times, s."""
        for topic, message in self.raw_messages((names.GAME, names.SCENE)):
            try:
                one = json.loads(bytes(message.data)) if topic == names.GAME else layout_of_message(bytes(message.data))
            except (DecodeError, ValueError):
                continue
            if isinstance(one, dict | Layout):
                yield message.time_ns / 1e9, one

    def raw_messages(self, topics: tuple[str, ...]) -> Iterator[tuple[str, Message]]:
        """All messages of some topics from sound chunks, in the order of the file."""
        for chunk in self.part.chunks:
            if all(self._has(chunk, topic) is False for topic in topics):
                continue
            unpacked = self._unpack(chunk)
            if unpacked is None or not unpacked.sure:
                continue
            for message in unpacked.messages:
                topic = self._topic(message.channel)
                if topic in topics:
                    yield topic, message

    # --- chunks ---

    def _small(self, topic: str) -> Iterator[Message]:
        for _, message in self.raw_messages((topic,)):
            yield message

    def _topic(self, channel: int) -> str:
        return self.part.channels.get(channel, "")

    def _has(self, chunk: ChunkAt, topic: str) -> bool | None:
        """Whether a chunk holds messages of a topic; None: not known."""
        if chunk.channels is None:
            return None
        return any(self._topic(channel) == topic for channel in chunk.channels)

    def _unpack(self, chunk: ChunkAt) -> Unpacked | None:
        try:
            return unpack(self.file, chunk)
        except DamagedError:
            self.losses.chunks += 1
            return None

    def frames_in(self, chunk: ChunkAt) -> Iterator[Stored]:
        """The whole frames of one chunk."""
        unpacked = self._unpack(chunk)
        if unpacked is None:
            return
        together: dict[int, dict[str, Message]] = {}
        for message in unpacked.messages:
            together.setdefault(message.sequence, {})[self._topic(message.channel)] = message
        for index, of_topic in together.items():
            line, depth = of_topic.get(names.FRAMES), of_topic.get(names.DEPTH)
            if line is not None and depth is not None:
                color = of_topic.get(names.COLOR)
                stored = self._checked(index, line, depth, color)
                if stored is not None:
                    stored.messages.update({names.DEPTH: depth, names.FRAMES: line})
                    if color is not None:
                        stored.messages[names.COLOR] = color
                    yield stored

    def _checked(self, index: int, line: Message, depth: Message, color: Message | None) -> Stored | None:
        """The frame, if its line and its pictures are what was recorded."""
        about = frame_line(bytes(line.data))
        if about is None or about["index"] != index or about["session"] != self.header.session:
            return None
        picture = RawImage()
        colored = CompressedImage()
        try:
            picture.ParseFromString(depth.data)
            if color is not None:
                colored.ParseFromString(color.data)
        except DecodeError:
            return None
        K = self.camera.depth
        fits = (picture.height, picture.width, picture.encoding) == (K.height, K.width, DEPTH_ENCODING)
        if not fits or len(picture.data) != 2 * K.width * K.height or pixels_hash(picture.data) != about["depth"]:
            return None
        encoded = colored.data if color is not None else None
        if (None if encoded is None else pixels_hash(encoded)) != about["color"]:
            return None
        pixels = np.frombuffer(picture.data, dtype="<u2").reshape(K.height, K.width)
        return Stored(
            index=index,
            number=int(about["number"]),
            time_s=float(about["time_s"]),
            time_ns=line.time_ns,
            depth=np.asarray(pixels, dtype=np.uint16),
            color=encoded,
            reason=str(about.get("reason", "")),
        )


def being_written(path: Path) -> bool:
    """Whether a writer has the file open just now, where the system can tell."""
    try:
        import fcntl

        with open(path, "rb") as stream:
            fcntl.flock(stream, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except (ImportError, OSError):
        return False
    return False


def open_session(path: Path, *, walk: bool = False, part: int = 0) -> Session:
    """Open a session file. ``walk``: read all of it instead of believing its summary. ``part``: which of several.

    Raises:
        VisionError: there is no such file, it is no session, or nothing of it can be read.
    """
    try:
        file = ByteFile(path)
    except OSError as error:
        raise VisionError(f"{path}: can't be read ({error.strerror}); check its name") from error
    if file.size == 0:
        file.close()
        raise VisionError(f"{path}: is empty (0 bytes); there is nothing in it to read")
    whole = None if walk or part else by_summary(file)
    parts = [whole] if whole is not None else by_walking(file)
    try:
        if part >= len(parts):
            raise VisionError(f"{path}: holds {len(parts)} sessions, there is no {part + 1}th")
        return _session(path, file, parts[part], len(parts))
    except VisionError:
        file.close()
        raise


def _session(path: Path, file: ByteFile, part: Part, parts: int) -> Session:
    channels = dict(enumerate(names.TOPICS, start=1))
    if not part.by_summary:
        _learn_channels(file, part)
    part.channels = {**channels, **part.channels}
    found = [from_metadata(values) for name, values in part.metadata if name in (names.NAME, names.COPY)]
    header = next((one for one in found if one is not None), None)
    if header is None:
        if not part.chunks and not part.metadata:
            raise VisionError(f"{path}: is no MCAP file, or nothing of one is left; check that it is the right file")
        kind = VisionError if any(_FORMAT_KEY in values for _, values in part.metadata) else NotOursError
        raise kind(
            f"{path}: is no session of th-vision, or its head is damaged in all its copies; its camera is not known"
        )
    ends = [values for name, values in part.metadata if name == names.END and is_whole(values)]
    end = next((values for values in ends if values.get("session") == header.session), None)
    good = {name: data for name, data in part.attachments if header.attachments.get(name) == digest(data)}
    hurt = tuple(name for name in header.attachments if name not in good)
    return Session(path, file, part, parts, header, good, hurt, end)


def _learn_channels(file: ByteFile, part: Part) -> None:
    """Channels from the first chunks: a file that another program packed anew may number them otherwise."""
    for chunk in part.chunks:
        try:
            unpacked = unpack(file, chunk)
        except DamagedError:
            continue
        for number, (topic, metadata) in unpacked.channels.items():
            part.channels.setdefault(number, topic)
            if metadata:
                part.metadata.append((names.COPY, metadata))
        if unpacked.sure:
            return  # ours has them all in the first chunk
