"""A game in a file of any kind: a record (``.jsonl``) or a session (``.mcap``) with the camera's pictures."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from rules.errors import RulesError
from rules.events import MoveFact
from rules.pieces import Pieces
from rules.record import Record, parse_record, read_record

SESSION: Final = ".mcap"
LOOK_BACK_S: Final = 3.0
"""A ruling falls so soon after the last frame that shows what it is about."""


@dataclass(frozen=True)
class GameFile:
    """``pieces``: those that came along, None where none did. ``crops``: the camera's picture (JPEG) by road."""

    record: Record
    pieces: Pieces | None = None
    crops: Mapping[str, bytes] = field(default_factory=dict)


def read_game(path: str, *, crops: bool = False) -> GameFile:
    """Read a game; ``-`` is a record on standard input. ``crops``: with pictures, where the file has frames.

    Raises:
        RulesError, VisionError: the file can't be read, or holds no game.
    """
    if Path(path).suffix.lower() != SESSION:
        return GameFile(read_record(path))
    from th_vision.sessions.reader import open_session

    session = open_session(Path(path))
    try:
        lines = session.game_lines()
        text = "".join(json.dumps(line) + "\n" for _, line in lines)
        record = parse_record(text, name=path)
        if not lines:
            raise RulesError(f"{path}: holds no game; referee it first: th-vision replay {path} --game game.jsonl")
        found = dict(_crops(session, record, [time_s for time_s, _ in lines])) if crops else {}
        return GameFile(record, session.pieces(), found)
    finally:
        session.close()


def _crops(session: object, record: Record, times_s: list[float]) -> Iterator[tuple[str, bytes]]:
    """Road and picture of every move: the last frame with colour before it was written, around the road's middle."""
    from th_vision.crop import crop_of, jpeg_of
    from th_vision.sessions.reader import Session

    assert isinstance(session, Session)
    table = session.table()
    if table is None:
        return
    for entry in record.entries:
        move = entry.line
        if not isinstance(move, MoveFact):
            continue
        at_s = times_s[entry.number - 1]
        color = None
        for frame in session.frames(at_s - LOOK_BACK_S, at_s):
            color = frame.color if frame.color is not None else color
        if color is None:
            continue
        a, b = move.road.ends
        picture = crop_of(color, table, ((a[0] + b[0]) / 2, (a[1] + b[1]) / 2, (a[2] + b[2]) / 2))
        if picture is not None:
            yield move.road.id, jpeg_of(picture)
