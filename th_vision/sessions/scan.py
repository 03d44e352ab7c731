"""What is in a session file: by its own summary where that is whole, else by walking through all of it.

The walk goes on after damage: where a record can't be what it says, the next place is searched at which one begins
whose parts fit together. A file may hold several sessions, one after the other (files joined): each is a part.
"""

from __future__ import annotations

import re
import struct
import zlib
from dataclasses import dataclass, field, replace

from th_vision.sessions import header as names
from th_vision.sessions import records as rec
from th_vision.sessions.records import ByteFile, ChunkAt, DamagedError

_WINDOW = 4 * 1024 * 1024
_OVERLAP = 4096
_MOST_NAMED = 64 * 1024 * 1024  # an attachment of ours has 3 MB
# Where a record may begin: a chunk's compressed data, the head of a file, metadata and attachments by their names.
_ANCHOR = re.compile(
    rb"(?P<chunk>\x28\xb5\x2f\xfd)"
    rb"|(?P<magic>\x89MCAP0\r\n\x01)"
    rb"|(?P<metadata>[\x09\x0d\x0e]\x00\x00\x00th-vision(?:-copy|-end)?)"
    rb"|(?P<attachment>[\x05-\x40]\x00\x00\x00[ -~]{1,59}\.(?:toml|npz|json))"
)
_BEFORE_DATA = rec.CHUNK_HEAD.size + 4 + 4 + 8  # of a chunk that says "zstd"


@dataclass
class Part:
    """One session as it lies in the file. ``ended``: its MCAP footer is there; ``skipped_bytes``: fits nothing."""

    starts_at: int = 0
    metadata: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    attachments: list[tuple[str, bytes]] = field(default_factory=list)
    chunks: list[ChunkAt] = field(default_factory=list)
    channels: dict[int, str] = field(default_factory=dict)
    ended: bool = False
    by_summary: bool = False
    skipped_bytes: int = 0
    damaged_places: int = 0


def by_summary(file: ByteFile) -> Part | None:
    """The one session of a whole file, without reading its frames; None where the summary is not there or not right."""
    tail_bytes = rec.HEAD.size + rec.FOOTER.size + len(rec.MAGIC)
    tail = file.at(file.size - tail_bytes, tail_bytes)
    if len(tail) < tail_bytes or not tail.endswith(rec.MAGIC) or file.at(0, len(rec.MAGIC)) != rec.MAGIC:
        return None
    opcode, length = rec.HEAD.unpack_from(tail)
    summary_at, _, crc = rec.FOOTER.unpack_from(tail, rec.HEAD.size)
    summary_end = file.size - tail_bytes
    if opcode != rec.FOOTER_OP or length != rec.FOOTER.size or not 0 < summary_at <= summary_end:
        return None
    summary = file.at(summary_at, summary_end - summary_at)
    if crc == 0 or zlib.crc32(tail[: rec.HEAD.size + 16], zlib.crc32(summary)) != crc:
        return None
    part = Part(ended=True, by_summary=True)
    try:
        for kind, _, content in rec.records_of(summary):
            if kind == rec.CHUNK_INDEX_OP:
                part.chunks.append(_indexed_chunk(file, content))
            elif kind == rec.CHANNEL_OP:
                number, topic, metadata = rec.channel_of(content)
                part.channels[number] = topic
                if metadata:
                    part.metadata.append((names.COPY, metadata))
            elif kind == rec.METADATA_INDEX_OP:
                name, values, _ = rec.metadata_of(_indexed(file, content, rec.METADATA_OP))
                part.metadata.append((name, values))
            elif kind == rec.ATTACHMENT_INDEX_OP:
                name, data, _ = rec.attachment_of(_indexed(file, content, rec.ATTACHMENT_OP))
                part.attachments.append((name, data))
    except (DamagedError, struct.error):
        return None
    return part


def _indexed(file: ByteFile, content: bytes, opcode: int) -> bytes:
    offset, length = struct.unpack_from("<QQ", content)
    record = file.at(offset, length)
    if len(record) != length or length < rec.HEAD.size or rec.HEAD.unpack_from(record) != (opcode, length - 9):
        raise DamagedError("an index that leads nowhere")
    return record[rec.HEAD.size :]


def _indexed_chunk(file: ByteFile, content: bytes) -> ChunkAt:
    start_ns, end_ns, offset, length, size = struct.unpack_from("<QQQQI", content)
    at = struct.calcsize("<QQQQI")
    channels = frozenset(struct.unpack_from("<H", content, at + 10 * k)[0] for k in range(size // 10))
    compression, at = rec.text_at(content, at + size + 8)
    data_bytes, unpacked = struct.unpack_from("<QQ", content, at)
    if offset + length > file.size or data_bytes + rec.HEAD.size > length:
        raise DamagedError("an index that leads past the end")
    data_at = offset + length - data_bytes
    crc_at = offset + rec.HEAD.size + 24
    return ChunkAt(data_at, data_bytes, start_ns, end_ns, unpacked, None, compression, channels, crc_at)


def by_walking(file: ByteFile) -> list[Part]:
    """All sessions in a file, whatever happened to it. Attachments and metadata are as found: their hashes decide."""
    return _Walk(file).parts()


class _Walk:
    def __init__(self, file: ByteFile) -> None:
        self._file = file
        self._parts = [Part()]

    def parts(self) -> list[Part]:
        """From the first byte to the last."""
        at = 0
        while at < self._file.size:
            after = self._step(at)
            if after is None:
                after = self._search(at)
            at = max(after, at + 1)
        found = [part for part in self._parts if part.chunks or part.metadata]
        return found or self._parts[:1]

    @property
    def _part(self) -> Part:
        return self._parts[-1]

    def _step(self, at: int) -> int | None:
        """Take the record at ``at``: where the next one begins, or None where this is none."""
        head = self._file.at(at, 64)
        if head.startswith(rec.MAGIC):
            if head[8:9] == b"\x01" and at > 0:
                self._parts.append(Part(starts_at=at))
            return at + len(rec.MAGIC)
        if len(head) < rec.HEAD.size:
            return None
        opcode, length = rec.HEAD.unpack_from(head)
        body, end = at + rec.HEAD.size, at + rec.HEAD.size + length
        if opcode not in rec.OPCODES or end > self._file.size:
            return None
        if opcode == rec.CHUNK_OP:
            return self._chunk(body, length)
        if opcode in (rec.METADATA_OP, rec.ATTACHMENT_OP):
            return end if self._named(opcode, self._file.at(body, length)) == length else None
        if opcode == rec.INDEX_OP:
            return self._index(body, length)
        if opcode == rec.FOOTER_OP:
            if length != rec.FOOTER.size or self._file.at(end, 8) != rec.MAGIC:
                return None
            self._part.ended = True
        elif opcode == rec.CHANNEL_OP:  # of the summary: its names are not to be trusted, the head's copy has a hash
            try:
                _, _, metadata = rec.channel_of(self._file.at(body, length))
            except DamagedError:
                return None
            if metadata:
                self._part.metadata.append((names.COPY, metadata))
        # A length that leads to no record is wrong, whatever this one is.
        return end if self._begins_record(end) else None

    def _chunk(self, body: int, length: int) -> int | None:
        head = self._file.at(body, 256)
        if length < rec.CHUNK_HEAD.size + 12:
            return None
        start_ns, end_ns, unpacked, crc = rec.CHUNK_HEAD.unpack_from(head)
        try:
            compression, at = rec.text_at(head, rec.CHUNK_HEAD.size)
            (data_bytes,) = struct.unpack_from("<Q", head, at)
        except (DamagedError, struct.error):
            return None
        data_at = body + at + 8
        if compression not in ("zstd", "lz4", "") or data_at + data_bytes != body + length:
            return None
        self._part.chunks.append(ChunkAt(data_at, data_bytes, start_ns, end_ns, unpacked, crc, compression))
        return body + length

    def _index(self, body: int, length: int) -> int | None:
        """A message index tells which channels the chunk before it has."""
        head = self._file.at(body, 6)
        if len(head) < 6:
            return None
        channel, size = struct.unpack("<HI", head)
        if size + 6 != length:
            return None
        if self._part.chunks:
            last = self._part.chunks[-1]
            self._part.chunks[-1] = replace(last, channels=(last.channels or frozenset()) | {channel})
        return body + length

    def _named(self, opcode: int, content: bytes) -> int:
        """Take a metadata record or an attachment: its length as its parts say, 0 where it is none."""
        try:
            if opcode == rec.METADATA_OP:
                name, values, length = rec.metadata_of(content)
                self._part.metadata.append((name, values))
            else:
                name, data, length = rec.attachment_of(content)
                self._part.attachments.append((name, data))
        except DamagedError:
            return 0
        return length

    def _begins_record(self, at: int) -> bool:
        head = self._file.at(at, rec.HEAD.size)
        if not head or head.startswith(rec.MAGIC):
            return True
        if len(head) < rec.HEAD.size:
            return True  # cut in the middle of the next one
        return head[0] in rec.OPCODES

    # --- after damage ---

    def _search(self, at: int) -> int:
        """Find where something whole begins, from ``at`` on; count what is passed over."""
        self._part.damaged_places += 1
        begin = at
        while at < self._file.size:
            window = self._file.at(at, _WINDOW + _OVERLAP)
            for match in _ANCHOR.finditer(window):
                if match.start() >= _WINDOW:
                    break
                found = self._anchored(match, at + match.start(), begin)
                if found is not None:
                    start, end = found
                    self._part.skipped_bytes += start - begin
                    return end
            at += _WINDOW
        self._part.skipped_bytes += self._file.size - begin
        return self._file.size

    def _anchored(self, match: re.Match[bytes], at: int, begin: int) -> tuple[int, int] | None:
        """Start and end of the thing that an anchor at ``at`` belongs to, once it was taken; None where it is none."""
        if match["magic"]:
            return (at, at) if at > begin or at == 0 else None
        if match["chunk"]:
            return self._bare_chunk(at, begin)
        inside = 0 if match["metadata"] else 16
        start = at - inside - rec.HEAD.size
        if start < begin:
            return None
        opcode = rec.METADATA_OP if match["metadata"] else rec.ATTACHMENT_OP
        length = self._named(opcode, self._file.at(start + rec.HEAD.size, _MOST_NAMED))
        return (start, start + rec.HEAD.size + length) if length else None

    def _bare_chunk(self, at: int, begin: int) -> tuple[int, int] | None:
        """A chunk by its compressed data alone: some byte of its head is wrong."""
        start = at - _BEFORE_DATA - rec.HEAD.size
        if start < begin:
            return None
        head = self._file.at(start, _BEFORE_DATA + rec.HEAD.size)
        start_ns, end_ns, unpacked, crc = rec.CHUNK_HEAD.unpack_from(head, rec.HEAD.size)
        _, length = rec.HEAD.unpack_from(head)
        (data_bytes,) = struct.unpack_from("<Q", head, len(head) - 8)
        for size in (data_bytes, length - _BEFORE_DATA):
            if 0 < size <= self._file.size - at and self._begins_record(at + size):
                self._part.chunks.append(ChunkAt(at, size, start_ns, end_ns, unpacked, crc))
                return start, at + size
        return None
