"""What happens in a game as JSON lines for other programs: ``th-vision referee --json``.

Each line is an object with ``event``: ``state``, ``told`` (a fact and its answers, as in the record), ``said`` (a
sentence), ``warned``, ``reminded``, ``guide``, ``checked``, ``taken-as-is``, ``back``, ``reconsidered``, ``status``.
``time_s`` is the source's.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, BinaryIO, Final

from th_vision.announce import Line
from th_vision.follow_events import (
    BackAgain,
    Checked,
    Entered,
    Guide,
    Output,
    Reconsidered,
    Reminded,
    TakenAsIs,
    Told,
)
from th_vision.referee.status import Status

STATUS_EVERY_S: Final = 5.0
"""A status in which only the frame rate or the age differ is written so often at most."""


class JsonEvents:
    """Writes events to a stream, each at once. A reader that goes away is no reason to stop."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._gone = False
        self._last: dict[str, Any] = {}
        self._status_s = float("-inf")

    def output(self, output: Output) -> None:
        """An output of the follower."""
        self._write(event_of(output))

    def line(self, line: Line) -> None:
        """A sentence that was said."""
        self._write({"event": "said", "kind": line.kind, "text": line.text, "reason": line.reason})

    def status(self, status: Status, now_s: float) -> None:
        """How things are, where that changed."""
        data = asdict(status)
        essence = {key: value for key, value in data.items() if key not in ("fps", "age_s")}
        if essence == self._last and now_s - self._status_s < STATUS_EVERY_S:
            return
        self._last, self._status_s = essence, now_s
        data["fps"] = round(status.fps, 1)
        data["age_s"] = None if status.age_s is None else round(status.age_s, 2)
        self._write({"event": "status", **data})

    def _write(self, data: Mapping[str, Any]) -> None:
        if self._gone:
            return
        try:
            self._stream.write(json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode() + b"\n")
            self._stream.flush()
        except (OSError, ValueError):
            self._gone = True


def event_of(output: Output) -> dict[str, Any]:
    """An output of the follower as an object."""
    time_s = round(output.time_s, 3) if output.time_s > float("-inf") else None
    match output:
        case Entered():
            return {"event": "state", "time_s": time_s, "state": output.state}
        case Told():
            answers = [answer.model_dump(mode="json", by_alias=True) for answer in output.answers]
            fact = output.fact.model_dump(mode="json", by_alias=True)
            return {"event": "told", "time_s": time_s, "again": output.again, "fact": fact, "answers": answers}
        case Reminded():
            return {"event": "reminded", "time_s": time_s, "player": output.player, "cars": output.cars}
        case Checked() | Guide() | TakenAsIs():
            name = {Checked: "checked", Guide: "guide", TakenAsIs: "taken-as-is"}[type(output)]
            off = [{"piece": piece, "words": words} for piece, words in output.off]
            return {"event": name, "time_s": time_s, "off": off}
        case BackAgain():
            return {"event": "back", "time_s": time_s, "pieces": output.pieces, "missing": output.missing}
        case Reconsidered():
            return {"event": "reconsidered", "time_s": time_s, "turn": output.after.turn, "road": output.after.road.id}
    alert = output.line.model_dump(mode="json", by_alias=True)
    return {"event": "warned", "time_s": time_s, "words": output.words, "alert": alert}
