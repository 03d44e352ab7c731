"""Looking into a ``.db3`` recording without the SDK: how many frames it holds, and whether their pictures are whole.

The SDK ends a damaged file early without a word, and gives damaged pictures as if they were good. The file is an SQLite
database of messages; depth and colour are PNG pictures as a rule, and a PNG has a checksum of its own for each part.
"""

from __future__ import annotations

import re
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

_PNG = b"\x89PNG\r\n\x1a\n"
_PNG_WITHIN = 256  # bytes of a message's head before its picture
_DEPTH, _COLOR = "/Depth_", "/Color_"
_IMAGE, _TEXT = "/image/data", "/image/metadata"
_NUMBER = re.compile(rb"Frame number=(\d{1,15});")


@dataclass(frozen=True)
class Stored:
    """One stored picture. ``whole``: None where it has no checksum, so that nobody can tell.

    ``number``: the frame's, from the text stored beside it; None where that can't be read.
    """

    whole: bool | None
    number: int | None = None


class Db3Log:
    """The pictures of a ``.db3``, in the order they were recorded.

    Raises:
        sqlite3.DatabaseError: from any method, where the database itself is damaged.
    """

    def __init__(self, path: Path) -> None:
        self._uri = f"file:{quote(str(path.resolve()))}?mode=ro&immutable=1"

    def counts(self) -> tuple[int, int]:
        """How many depth and colour pictures it says that it holds."""
        with closing(sqlite3.connect(self._uri, uri=True)) as base:
            return self._count(base, _DEPTH), self._count(base, _COLOR)

    def depth(self) -> Iterator[Stored]:
        """Each depth picture."""
        return self._each(_DEPTH)

    def color(self) -> Iterator[Stored]:
        """Each colour picture."""
        return self._each(_COLOR)

    def _each(self, stream: str) -> Iterator[Stored]:
        with closing(sqlite3.connect(self._uri, uri=True)) as base:
            rows = "select data from messages where topic_id = ? order by id"
            for topic in self._topics(base, stream, _IMAGE):
                texts = (one for beside in self._topics(base, stream, _TEXT) for one in base.execute(rows, (beside,)))
                for (data,) in base.execute(rows, (topic,)):
                    (text,) = next(texts, (b"",))
                    found = _NUMBER.search(bytes(text))
                    yield Stored(_whole(bytes(data)), int(found[1]) if found else None)

    def _count(self, base: sqlite3.Connection, stream: str) -> int:
        return sum(
            int(base.execute("select count(*) from messages where topic_id = ?", (topic,)).fetchone()[0])
            for topic in self._topics(base, stream, _IMAGE)
        )

    def _topics(self, base: sqlite3.Connection, stream: str, kind: str) -> list[int]:
        rows = base.execute("select id, name from topics order by id").fetchall()
        found = [int(number) for number, name in rows if stream in str(name) and kind in str(name)]
        return found[:1]  # as the SDK: the first depth, the first colour


def _whole(data: bytes) -> bool | None:
    """Whether a message's PNG agrees with its checksums, to its end."""
    at = data.find(_PNG, 0, _PNG_WITHIN)
    if at < 0:
        return None
    at += len(_PNG)
    while at + 12 <= len(data):
        size = int.from_bytes(data[at : at + 4], "big")
        end = at + 8 + size
        if end + 4 > len(data) or zlib.crc32(data[at + 4 : end]) != int.from_bytes(data[end : end + 4], "big"):
            return False
        if data[at + 4 : at + 8] == b"IEND":
            return True
        at = end + 4
    return False
