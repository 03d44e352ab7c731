"""What a virtual session tells beside its frames: ``truth.json``, the record with its rulings, the pieces.

Frames pass through here on their way to whatever writes them, so that every kind of recording has the same truth.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from rules.adjudicate import adjudicate, lines
from rules.events import Line
from rules.pieces import Pieces
from rules.record import parse_record, write_record
from th_vision.errors import VisionError
from th_vision.frame import Frame
from th_vision.output import write_aside
from th_vision.virtual_table.moment import Moment
from th_vision.virtual_table.session import Session

TRUTH_SCHEMA = "th-vision/truth/1"


class Telling:
    """The frames of a session in order, and what is true of them once they have passed."""

    def __init__(
        self, session: Session, pieces: Pieces, about: dict[str, Any], log: Callable[[str], None] = lambda _: None
    ) -> None:
        self._session, self._pieces, self._about, self._log = session, pieces, about, log
        self._calibration: dict[str, list[int]] = {}
        self._moments: list[Moment] = []
        self._spans: list[dict[str, Any]] = []

    def calibration(self) -> Iterator[Frame]:
        """The board, then the empty table."""
        count = 0
        for shot in self._session.calibration():
            self._calibration.setdefault(shot.kind, [count, 0])[1] = count
            count += 1
            yield shot.frame
        self._log(f"calibration: {count} frames")

    def game(self, moments: Iterable[Moment]) -> Iterator[Frame]:
        """The game's frames, numbered from 0 in the truth.

        Raises:
            VisionError: there is not a single moment.
        """
        for count, shot in enumerate(self._session.play(self._kept(moments))):
            if shot.moment == len(self._spans):
                self._spans.append({"frames": None, "hand_frames": None})
                self._log(f"{len(self._spans)}: {self._moments[shot.moment].label}")
            key = "frames" if shot.kind == "still" else "hand_frames"
            span = self._spans[shot.moment][key] or [count, count]
            self._spans[shot.moment][key] = [span[0], count]
            yield shot.frame
        if not self._moments:
            raise VisionError("a virtual game without a single moment can't be written")

    def _kept(self, moments: Iterable[Moment]) -> Iterator[Moment]:
        for moment in moments:
            self._moments.append(moment)
            yield moment

    def write(self, truth: Path, record: Path, pieces: Path) -> None:
        """Write the truth, the record (where the moments are a game's) and the pieces, each into its file.

        Raises:
            VisionError: a place can't be written.
        """
        write_aside(truth, json.dumps(self.truth()) + "\n")
        facts = [fact for moment in self._moments for fact in moment.facts]
        if any(fact.get("type") == "game" for fact in facts):
            write_record(record, true_record(facts))
        write_aside(pieces, pieces_toml(self._pieces))

    def truth(self) -> dict[str, Any]:
        """``truth.json``: layout and facts of each moment with its frames (first and last, both included)."""
        session = self._session
        return {
            "schema": TRUTH_SCHEMA,
            "about": {"seed": session.setup.seed, "surface": session.setup.surface, **self._about},
            "T_depth_table": [[float(v) for v in row] for row in session.camera.T_depth_table],
            "scale_error": session.sensor.faults.scale_error,
            "calibration": self._calibration,
            "pieces": self._pieces.model_dump(mode="json", exclude_none=True),
            "moments": [
                {
                    "label": moment.label,
                    **span,
                    **_what(moment),
                    **self._moved(moment),
                    "facts": list(moment.facts),
                    "layout": json.loads(moment.scene.layout().to_json()),
                }
                for moment, span in zip(self._moments, self._spans, strict=True)
            ],
            "facts": [fact for moment in self._moments for fact in moment.facts],
        }

    def _moved(self, moment: Moment) -> dict[str, Any]:
        """The pose of the table in the camera at this moment, where it isn't the calibrated one."""
        if moment.camera is None and moment.table is None:
            return {}
        return {"T_depth_table": [[float(v) for v in row] for row in self._session.pose_at(moment)]}


def true_record(facts: Iterable[dict[str, Any]]) -> list[Line]:
    """The facts of a game, each with the rule book's exact answers after it."""
    record = parse_record("".join(json.dumps(fact) + "\n" for fact in facts), name="virtual game")
    return list(lines(record, adjudicate(record)))


def pieces_toml(pieces: Pieces) -> str:
    """``pieces.toml`` of these pieces."""
    import tomlkit

    data = pieces.model_dump(mode="json", exclude_none=True)
    return tomlkit.dumps({key: value for key, value in data.items() if value})


def _what(moment: Moment) -> dict[str, Any]:
    """What kind of moment a played one is, if it says so."""
    what = getattr(moment, "what", None)
    if what is None:
        return {}
    return {"kind": what.kind, "turn": what.turn, "player": what.player, "events": list(what.events)}
