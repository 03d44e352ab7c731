"""A game in a file of any kind: a record (``.jsonl``) or a session (``.mcap``) with the camera's pictures."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from rules.errors import RulesError
from rules.events import MoveFact
from rules.pieces import Pieces
from rules.record import Record, parse_record, read_record

if TYPE_CHECKING:
    from th_vision.sessions.reader import Session

SESSION: Final = ".mcap"
LOOK_BACK_S: Final = 3.0
LOOK_AHEAD_S: Final = 0.5
"""The frame that shows what a ruling is about was taken within these times of it; others show hands."""


@dataclass(frozen=True)
class GameFile:
    """``pieces``: those that came along, None where none did. ``crops``: the camera's picture (JPEG) by road."""

    record: Record
    pieces: Pieces | None = None
    crops: Mapping[str, bytes] = field(default_factory=dict)


def read_game(path: str, *, crops: bool = False, turn: int | None = None) -> GameFile:
    """Read a game; ``-`` is a record on standard input.

    Args:
        crops: with the camera's pictures, where the file has frames.
        turn: of this turn alone; None: of all.

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
        found = dict(_crops(session, record, [time_s for time_s, _ in lines], turn)) if crops else {}
        return GameFile(record, session.pieces(), found)
    finally:
        session.close()


def _crops(session: Session, record: Record, times_s: Sequence[float], turn: int | None) -> Iterator[tuple[str, bytes]]:
    """Road and picture of every move: the frame with colour nearest to when it was told, around the road's middle."""
    from th_vision.crop import crop_of, jpeg_of

    table = session.table()
    if table is None:
        return
    for entry in record.entries:
        move = entry.line
        if not isinstance(move, MoveFact) or turn not in (None, move.turn):
            continue
        at_s = times_s[entry.number - 1]
        seen = [frame for frame in session.frames(at_s - LOOK_BACK_S, at_s + LOOK_AHEAD_S) if frame.color is not None]
        color = min(seen, key=lambda frame: abs(frame.time_s - at_s)).color if seen else None
        if color is None:
            continue
        a, b = move.road.ends
        picture = crop_of(color, table, ((a[0] + b[0]) / 2, (a[1] + b[1]) / 2, (a[2] + b[2]) / 2))
        if picture is not None:
            yield move.road.id, jpeg_of(picture)
