"""When a turn was, by the game's lines in a session."""

from __future__ import annotations

import json

from th_vision.errors import VisionError
from th_vision.sessions.reader import Session


def time_of_turn(session: Session, turn: int) -> float:
    """When the last line of a turn was written, s: by then it was seen and ruled.

    Raises:
        VisionError: the session has no such turn.
    """
    times = _by_end_record(session)
    if turn not in times:  # cut, or written by an earlier version
        for time_s, line in session.game_lines():
            number = line.get("turn")
            if isinstance(number, int):
                times[number] = time_s
    if turn not in times:
        known = f"turns {min(times)} to {max(times)}" if times else "no turns: it was recorded without a referee"
        raise VisionError(f"{session.path}: has no turn {turn}; it has {known}")
    return times[turn]


def _by_end_record(session: Session) -> dict[int, float]:
    try:
        return {int(turn): float(time_s) for turn, time_s in json.loads((session.end or {})["turns"]).items()}
    except (KeyError, ValueError, TypeError, AttributeError):
        return {}
