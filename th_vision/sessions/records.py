"""The records of an MCAP file, one by one, as a forgiving reader needs them (https://mcap.dev/spec).

A record is an opcode (1 byte), a length (8 bytes, little-endian) and its content. Nothing here believes a length before
it has been held against what it encloses, and nothing decides that pixels are right: checksums and hashes do.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from mcap.records import Chunk
from mcap.stream_reader import get_chunk_data_stream

MAGIC: Final = b"\x89MCAP0\r\n"
HEAD = struct.Struct("<BQ")  # opcode, length
CHUNK_HEAD = struct.Struct("<QQQI")  # start and end time, size and checksum of what was compressed
MESSAGE_HEAD = struct.Struct("<HIQQ")  # channel, sequence, log time, publish time
FOOTER = struct.Struct("<QQI")  # start of the summary, start of its offsets, checksum of both
ZSTD_MAGIC: Final = b"\x28\xb5\x2f\xfd"
OPCODES = range(0x01, 0x10)
HEADER_OP, FOOTER_OP, SCHEMA_OP, CHANNEL_OP, MESSAGE_OP, CHUNK_OP, INDEX_OP = 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07
CHUNK_INDEX_OP, ATTACHMENT_OP, ATTACHMENT_INDEX_OP, STATISTICS_OP = 0x08, 0x09, 0x0A, 0x0B
METADATA_OP, METADATA_INDEX_OP, DATA_END_OP = 0x0C, 0x0D, 0x0F
# A chunk holds a frame or two; anything that claims to unpack to more is no chunk of ours but damage.
MOST_UNPACKED = 512 * 1024 * 1024


class DamagedError(Exception):
    """What was read is not what was written."""


@dataclass(frozen=True)
class ChunkAt:
    """Where a chunk's compressed data lies, and what its head says. Times in ns, as written: not to be trusted.

    ``crc``: None where the index does not say it: it stands at ``crc_at`` then, just before the data.
    ``channels``: ids of the channels with messages in it, where an index said so; ``None``: not known.
    """

    data_at: int
    data_bytes: int
    start_ns: int
    end_ns: int
    unpacked_bytes: int
    crc: int | None
    compression: str = "zstd"
    channels: frozenset[int] | None = None
    crc_at: int = 0


@dataclass(frozen=True)
class Message:
    """A message inside a chunk; ``data`` is a view into it."""

    channel: int
    sequence: int
    time_ns: int
    data: memoryview


@dataclass(frozen=True)
class Unpacked:
    """What a chunk holds: its messages, and the channels it introduces (id -> topic, metadata).

    ``sure``: its checksum holds.
    """

    messages: tuple[Message, ...]
    channels: dict[int, tuple[str, dict[str, str]]]
    sure: bool


class ByteFile:
    """A file read at places. Reading past the end gives less, never an error."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._stream = open(path, "rb")  # noqa: SIM115 - closed by close
        self.size = os.fstat(self._stream.fileno()).st_size

    def at(self, offset: int, length: int) -> bytes:
        """``length`` bytes from ``offset`` on, or what there is of them."""
        length = min(length, self.size - offset)
        if offset < 0 or length <= 0:
            return b""
        self._stream.seek(offset)
        return self._stream.read(length)

    def close(self) -> None:
        """No more will be read."""
        self._stream.close()


def unpack(file: ByteFile, chunk: ChunkAt) -> Unpacked:
    """The messages of a chunk.

    Raises:
        DamagedError: nothing can be made of it.
    """
    crc = chunk.crc
    if crc is None:  # one read for both: on a cold disk it is the reads that cost
        block = file.at(chunk.crc_at, chunk.data_at + chunk.data_bytes - chunk.crc_at)
        crc = int.from_bytes(block[:4], "little")
        data = block[chunk.data_at - chunk.crc_at :]
    else:
        data = file.at(chunk.data_at, chunk.data_bytes)
    packed = Chunk(
        compression="zstd" if data.startswith(ZSTD_MAGIC) else chunk.compression,
        data=data,
        message_start_time=chunk.start_ns,
        message_end_time=chunk.end_ns,
        uncompressed_crc=0,
        uncompressed_size=min(chunk.unpacked_bytes, MOST_UNPACKED),
    )
    try:
        stream, size = get_chunk_data_stream(packed)
        plain = stream.read(size)
    except Exception as error:  # each compression has errors of its own, and all of them mean the same
        raise DamagedError(str(error)) from error
    sure = crc != 0 and zlib.crc32(plain) == crc
    return _parsed(memoryview(plain), sure)


def _parsed(plain: memoryview, sure: bool) -> Unpacked:
    messages: list[Message] = []
    channels: dict[int, tuple[str, dict[str, str]]] = {}
    at = 0
    while at + HEAD.size <= len(plain):
        opcode, length = HEAD.unpack_from(plain, at)
        at += HEAD.size
        if at + length > len(plain):
            if sure:
                raise DamagedError("a record that is longer than its chunk")
            break
        content = plain[at : at + length]
        at += length
        if opcode == MESSAGE_OP and length >= MESSAGE_HEAD.size:
            channel, sequence, time_ns, _ = MESSAGE_HEAD.unpack_from(content)
            messages.append(Message(channel, sequence, time_ns, content[MESSAGE_HEAD.size :]))
        elif opcode == CHANNEL_OP and sure:
            number, topic, metadata = channel_of(bytes(content))
            channels[number] = (topic, metadata)
    return Unpacked(tuple(messages), channels, sure)


def channel_of(content: bytes) -> tuple[int, str, dict[str, str]]:
    """Id, topic and metadata of a channel record.

    Raises:
        DamagedError: it is none.
    """
    try:
        (number,) = struct.unpack_from("<H", content)
        topic, at = text_at(content, 4)
        _, at = text_at(content, at)
        return number, topic, map_at(content, at)[0]
    except struct.error as error:
        raise DamagedError(str(error)) from error


def metadata_of(content: bytes) -> tuple[str, dict[str, str], int]:
    """Name and values of a metadata record, and how many bytes it says it has.

    Raises:
        DamagedError: it is none.
    """
    try:
        name, at = text_at(content, 0)
        values, end = map_at(content, at)
        return name, values, end
    except struct.error as error:
        raise DamagedError(str(error)) from error


def attachment_of(content: bytes) -> tuple[str, bytes, int]:
    """Name and data of an attachment record, and how many bytes it says it has.

    Raises:
        DamagedError: it is none.
    """
    try:
        name, at = text_at(content, 16)
        _, at = text_at(content, at)
        (size,) = struct.unpack_from("<Q", content, at)
    except struct.error as error:
        raise DamagedError(str(error)) from error
    end = at + 8 + size + 4  # a checksum follows
    if end > len(content):
        raise DamagedError("an attachment without its end")
    return name, content[at + 8 : at + 8 + size], end


def text_at(content: bytes, at: int) -> tuple[str, int]:
    """A text with its length before it, and where it ends."""
    (length,) = struct.unpack_from("<I", content, at)
    if at + 4 + length > len(content):
        raise DamagedError("a text without its end")
    try:
        return content[at + 4 : at + 4 + length].decode(), at + 4 + length
    except UnicodeDecodeError as error:
        raise DamagedError(str(error)) from error


def map_at(content: bytes, at: int) -> tuple[dict[str, str], int]:
    """Texts by name, and where they end."""
    (length,) = struct.unpack_from("<I", content, at)
    at += 4
    end = at + length
    if end > len(content):
        raise DamagedError("a map without its end")
    found = {}
    while at < end:
        key, at = text_at(content, at)
        found[key], at = text_at(content, at)
    return found, end


def records_of(block: bytes) -> Iterator[tuple[int, int, bytes]]:
    """Opcode, place in the block, and content of each record; ends where one is not whole."""
    at = 0
    while at + HEAD.size <= len(block):
        opcode, length = HEAD.unpack_from(block, at)
        if at + HEAD.size + length > len(block):
            return
        yield opcode, at, block[at + HEAD.size : at + HEAD.size + length]
        at += HEAD.size + length
