"""A ``.db3`` recording of the RealSense SDK, read without the SDK: it is an SQLite file of ROS 2 messages.

So a recording is of use where pyrealsense2 has no wheel, a damaged frame is left out and not the whole rest, and what
is damaged is known: pictures are PNGs, which have checksums. Another layout is ``OtherLayoutError``: the SDK reads it.
"""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import struct
import tempfile
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import cv2
import numpy as np
from numpy.typing import NDArray

from th_vision.live.backend import DeviceFacts, Lens
from th_vision.live.tolerances import PAIR_FRAMES

_PNG = b"\x89PNG\r\n\x1a\n"
_PNG_WITHIN = 256  # bytes of a message's head before its picture
_LAST_ID = 2**40  # a file that was cut does not tell its last one
_RAW = {"mono16": (np.uint16, 1), "16UC1": (np.uint16, 1), "rgb8": (np.uint8, 3), "bgr8": (np.uint8, 3)}


class OtherLayoutError(Exception):
    """Not the layout that is known here."""


@dataclass(frozen=True)
class Row:
    """One picture in the file: its message, the frame's number, its time by the camera's clock, ms."""

    message: int
    number: int
    time_ms: float


@dataclass(frozen=True)
class Pixels:
    """A picture's pixels, None where they are damaged. ``checked``: whether damage would have been noticed."""

    array: NDArray[Any] | None
    checked: bool


class Db3:
    """An open recording: what its camera was, and its pictures by row.

    Raises:
        sqlite3.DatabaseError: the file is no database, or damaged where all depends on it.
        OtherLayoutError: something is not as the SDK writes it now.
    """

    def __init__(self, path: Path) -> None:
        missing = missing_bytes(path)
        self.cut = missing > 0
        """Whether the file was cut short: what is whole can be read all the same."""
        with _filled_up(path, missing) if missing else nullcontext(path) as whole:  # a deleted file stays open
            self._base = _connected(whole)
            self._base.execute("select count(*) from topics").fetchone()
        try:
            names = {str(name): int(number) for number, name in self._base.execute("select id, name from topics")}
            self._depth, self._color = _Stream.of(names, "Depth"), _Stream.of(names, "Color")
            if self._depth is None:
                raise OtherLayoutError("no depth")
            self.skipped = 0
            """Rows of the file that could not be read."""
            self._by_topic = self._index()
            self.facts = self._facts(names)
            self.depth = self._rows(self._depth)
            self.color = [] if self._color is None else self._rows(self._color)
        except (OtherLayoutError, sqlite3.Error):
            self._base.close()
            raise

    def close(self) -> None:
        """Close the file."""
        self._base.close()

    def partner(self, at: Row, after: int) -> int | None:
        """Index in ``color`` of the picture nearest in time to a depth row, from ``after`` on; None: none near."""
        best: int | None = None
        limit_ms = PAIR_FRAMES * 1000 / self.facts.fps
        for index in range(after, len(self.color)):
            apart_ms = self.color[index].time_ms - at.time_ms
            if abs(apart_ms) <= limit_ms:
                best, limit_ms = index, abs(apart_ms)
            if apart_ms > limit_ms:
                break
        return best

    def pixels(self, row: Row, lens: Lens, *, depth: bool) -> Pixels:
        """Depth (h, w) uint16 or colour (h, w, 3) uint8 BGR of a row."""
        try:
            found = self._base.execute("select data from messages where id = ?", (row.message,)).fetchone()
        except sqlite3.DatabaseError:
            found = None
        if found is None or not isinstance(found[0], bytes):
            return Pixels(None, checked=True)
        data = found[0]
        at = data.find(_PNG, 0, _PNG_WITHIN)
        if at < 0:
            return Pixels(_raw(data, lens, depth), checked=False)
        if not png_is_whole(data, at):
            return Pixels(None, checked=True)
        array = cv2.imdecode(np.frombuffer(data, np.uint8, offset=at), cv2.IMREAD_UNCHANGED)
        return Pixels(_as(array, lens, depth), checked=True)

    # --- the file -------------------------------------------------------------------------------------------------

    def _index(self) -> dict[int, list[int]]:
        """Ids of the messages by topic, in order; damaged stretches are stepped over."""
        found: dict[int, list[int]] = {}
        at, step = 0, 1
        while at < _LAST_ID:
            try:
                for number, topic in self._base.execute(
                    "select id, topic_id from messages where id > ? order by id", (at,)
                ):
                    if number <= at:
                        raise sqlite3.DatabaseError("ids out of order")
                    if isinstance(topic, int):  # whatever damage made of it
                        found.setdefault(topic, []).append(number)
                    at, step = number, 1
                break
            except sqlite3.DatabaseError:
                self.skipped += step == 1
                at, step = at + step, step * 2
        return found

    def _texts(self, topic: int) -> Iterator[dict[str, str]]:
        for number in self._by_topic.get(topic, ()):
            try:
                found = self._base.execute("select data from messages where id = ?", (number,)).fetchone()
            except sqlite3.DatabaseError:
                found = None
            yield _fields(found[0]) if found is not None and isinstance(found[0], bytes) else {}

    def _rows(self, stream: _Stream) -> list[Row]:
        """Pictures and the texts beside them are written one after the other, so they belong together by order."""
        images, texts = (self._by_topic.get(topic, []) for topic in (stream.image, stream.text))
        told = dict(zip(texts, self._texts(stream.text), strict=True))
        apart = Counter(text - image for image, text in zip(images, texts, strict=False)).most_common(1)
        rows: list[Row] = []
        for message in images:
            said = told.get(message + apart[0][0], {}) if apart else {}
            try:
                rows.append(Row(message, int(said["Frame number"]), float(said["timestamp"])))
            except (KeyError, ValueError):
                self.skipped += 1
        return rows

    def _one(self, topic: int | None) -> dict[str, str]:
        said = next(self._texts(topic), None) if topic is not None else None
        if not said:
            raise OtherLayoutError("a description is missing")
        return said

    def _facts(self, names: dict[str, int]) -> DeviceFacts:
        assert self._depth is not None
        about, depth = self._one(names.get("/device_0/info")), self._depth
        unit = re.compile(r"/device_0/sensor_\d+/option/Depth_Units/value$")
        units = next((number for name, number in names.items() if unit.match(name)), None)
        try:
            T = np.eye(4)
            if self._color is not None:
                T = _pose(self._one(self._color.pose)) @ np.linalg.inv(_pose(self._one(depth.pose)))
            return DeviceFacts(
                name=about.get("Name", ""),
                serial=about.get("Serial Number", ""),
                firmware=about.get("Firmware Version", ""),
                firmware_recommended="",
                usb=about.get("Usb Type Descriptor", ""),
                depth_unit_m=float(self._one(units)[""]),
                depth_unit_wanted_m=0.0001,
                depth=_lens(self._one(depth.lens)),
                color=None if self._color is None else _lens(self._one(self._color.lens)),
                T_color_depth=tuple(tuple(float(value) for value in row) for row in T),
                fps=float(self._one(depth.info)["fps"]),
            )
        except (KeyError, ValueError) as error:
            raise OtherLayoutError(str(error)) from error


@dataclass(frozen=True)
class _Stream:
    """Topics of one stream."""

    image: int
    text: int
    lens: int | None
    info: int | None
    pose: int | None

    @classmethod
    def of(cls, names: dict[str, int], kind: str) -> _Stream | None:
        base = next((n[: n.index("/image/")] for n in names if re.match(rf".*/{kind}_0/image/data", n)), None)
        if base is None:
            return None
        image = next(number for name, number in names.items() if name.startswith(f"{base}/image/data"))
        if f"{base}/image/metadata" not in names:
            raise OtherLayoutError("no times")
        pose = next((number for name, number in names.items() if name.startswith(f"{base}/tf/")), None)
        text = names[f"{base}/image/metadata"]
        return cls(image, text, names.get(f"{base}/camera_info"), names.get(f"{base}/info"), pose)


def png_is_whole(data: bytes, at: int) -> bool:
    """Whether the PNG that begins at ``at`` agrees with its checksums, to its end."""
    at += len(_PNG)
    while at + 12 <= len(data):
        end = at + 8 + int.from_bytes(data[at : at + 4], "big")
        if end + 4 > len(data) or zlib.crc32(data[at + 4 : end]) != int.from_bytes(data[end : end + 4], "big"):
            return False
        if data[at + 4 : at + 8] == b"IEND":
            return True
        at = end + 4
    return False


def missing_bytes(path: Path) -> int:
    """How many bytes a file lacks of those that its head promises."""
    with path.open("rb") as file:
        head = file.read(32)
    if len(head) < 32 or not head.startswith(b"SQLite format 3"):
        return 0
    page, pages = int.from_bytes(head[16:18], "big"), int.from_bytes(head[28:32], "big")
    return max((65536 if page == 1 else page) * pages - path.stat().st_size, 0)


@contextmanager
def _filled_up(path: Path, missing: int) -> Iterator[Path]:
    """A copy of a cut file with nothing where something is missing: SQLite then gives all that is whole."""
    with tempfile.TemporaryDirectory(prefix="th-vision-") as folder:
        copy = Path(folder) / path.name
        shutil.copyfile(path, copy)
        os.truncate(copy, path.stat().st_size + missing)
        yield copy


def _connected(path: Path) -> sqlite3.Connection:
    """Read-only, without locks and without files beside it."""
    uri = f"file:{quote(str(path.resolve()))}?mode=ro&immutable=1"
    return sqlite3.connect(uri, uri=True, check_same_thread=False)


def count_pictures(path: Path) -> int:
    """How many pictures, depth and colour, a file holds that may still be written to.

    Raises:
        sqlite3.DatabaseError: it was caught in the middle of a page.
    """
    with closing(_connected(path)) as base:
        query = "select count(*) from messages join topics on topic_id = topics.id where name like '%/image/data%'"
        return int(base.execute(query).fetchone()[0])


def _fields(data: bytes) -> dict[str, str]:
    """``key=value;...`` of a std_msgs/String; a text without keys is under ``""``."""
    if len(data) < 8:
        return {}
    (size,) = struct.unpack_from("<I", data, 4)
    text = data[8 : 8 + size].rstrip(b"\0").decode("utf-8", "replace")
    parts = [part.partition("=") for part in text.split(";") if part]
    return {key if equals else "": value if equals else key for key, equals, value in parts}


def _lens(said: dict[str, str]) -> Lens:
    coeffs = [float(value) for value in said["coeffs"].split(",")]
    return Lens(
        width=int(said["width"]),
        height=int(said["height"]),
        fx=float(np.float32(said["fx"])),
        fy=float(np.float32(said["fy"])),
        ppx=float(np.float32(said["ppx"])),
        ppy=float(np.float32(said["ppy"])),
        model=said["model"].lower().replace(" ", "_").replace("-", "_"),
        coeffs=tuple(float(np.float32(value)) for value in coeffs),
    )


def _pose(said: dict[str, str]) -> NDArray[np.float64]:
    """4x4 of an extrinsics text; the rotation is column by column."""
    T = np.eye(4)
    T[:3, :3] = np.array([float(v) for v in said["rotation"].split(",")]).reshape(3, 3).T
    T[:3, 3] = [float(v) for v in said["translation"].split(",")]
    return T


def _raw(data: bytes, lens: Lens, depth: bool) -> NDArray[Any] | None:
    """Pixels of a sensor_msgs/Image: stamp, frame, height, width, encoding, order of bytes, step, and the bytes."""
    try:
        at = 12  # the head of 4, the stamp of 8
        _, at = _string(data, at)
        height, width = struct.unpack_from("<II", data, at := _aligned(at))
        encoding, at = _string(data, at + 8)
        kind, channels = _RAW[encoding]
        step, size = struct.unpack_from("<II", data, at := _aligned(at + 1))
        flat = np.frombuffer(data, np.uint8, size, at + 8).reshape(height, step)
        array = flat[:, : width * channels * np.dtype(kind).itemsize].copy().view(kind)
    except (KeyError, ValueError, struct.error):
        return None
    if depth:
        return _as(array, lens, depth)
    picture = array.reshape(height, width, 3)
    return _as(picture[:, :, ::-1] if encoding == "rgb8" else picture, lens, depth)


def _string(data: bytes, at: int) -> tuple[str, int]:
    (size,) = struct.unpack_from("<I", data, at)
    return data[at + 4 : at + 4 + size].rstrip(b"\0").decode("latin-1"), at + 4 + size


def _aligned(at: int) -> int:
    """The next place for a number of four bytes; the head of four does not count, and is four itself."""
    return (at + 3) // 4 * 4


def _as(array: NDArray[Any] | None, lens: Lens, depth: bool) -> NDArray[Any] | None:
    shape, kind = ((lens.height, lens.width), np.uint16) if depth else ((lens.height, lens.width, 3), np.uint8)
    if array is None or array.shape != shape or array.dtype != kind:
        return None
    return np.ascontiguousarray(array)
