"""The line of ``/frames`` that goes with every frame: its numbers, its time, the hashes of its pictures."""

from __future__ import annotations

import json
import zlib
from typing import Any


def frame_line(data: bytes) -> dict[str, Any] | None:
    """A line of ``/frames``, None where it is damaged: it ends with a checksum of itself."""
    try:
        line = json.loads(data)
        text, _, mark = data.rpartition(b', "crc": ')
        if zlib.crc32(text) != int(mark.rstrip(b"}")):
            return None
        return line if isinstance(line, dict) else None
    except ValueError:
        return None


def frame_line_bytes(line: dict[str, Any]) -> bytes:
    """A line of ``/frames`` with its checksum."""
    text = json.dumps(line).encode().removesuffix(b"}")
    return text + b', "crc": %d}' % zlib.crc32(text)
