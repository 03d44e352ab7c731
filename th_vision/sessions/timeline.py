"""A game as a session tells it: what was said when, and how the table stood after it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from calibration.table import TableCalibration
from rules.events import AlertLine, Fact, GameFact, Line, UndoFact
from rules.layout import Layout
from rules.pieces import Pieces
from rules.record import Record, parse_record
from th_vision.errors import VisionError
from th_vision.follow import Follower
from th_vision.frame import Source
from th_vision.referee.loop import Referee
from th_vision.referee.outputs import Outputs
from th_vision.sessions.reader import Session


@dataclass(frozen=True)
class Said:
    """One line of the game and when it was written, s."""

    time_s: float
    line: Line

    @property
    def turn(self) -> int:
        """The turn that it belongs to; 0: the set-up."""
        return int(getattr(self.line, "turn", 0) or 0)


@dataclass(frozen=True)
class Timeline:
    """``game``: the game's first line; ``lines``: all others in order; ``layouts``: what stood, with times, s."""

    game: GameFact
    lines: tuple[Said, ...]
    layouts: tuple[tuple[float, Layout], ...]

    def of_turn(self, turn: int) -> tuple[Said, ...]:
        """The lines of one turn.

        Raises:
            VisionError: there is no such turn.
        """
        found = tuple(said for said in self.lines if said.turn == turn and not isinstance(said.line, AlertLine))
        if not found:
            last = max((said.turn for said in self.lines), default=0)
            raise VisionError(f"turn {turn}: is not in this game; its turns are 0 (the set-up) to {last}")
        return found

    def stood_before(self, time_s: float) -> tuple[float, Layout] | None:
        """The last time, before ``time_s``, at which the table was read, and how it stood then; None: never."""
        earlier = [(at_s, layout) for at_s, layout in self.layouts if at_s < time_s and layout.roads]
        return earlier[-1] if earlier else None

    def stood_at(self, time_s: float) -> Layout:
        """How the table stood at a time: the last layout that is not later."""
        earlier = [layout for at_s, layout in self.layouts if at_s <= time_s]
        return earlier[-1] if earlier else Layout()


def recorded(session: Session) -> Timeline | None:
    """The game as the referee wrote it into the session; None where there was none."""
    lines = session.game_lines()
    said: list[Said] = []
    game: GameFact | None = None
    for time_s, obj in lines:
        for entry in _parsed(obj).entries:
            if isinstance(entry.line, GameFact):
                game = game or entry.line
            else:
                said.append(Said(time_s, entry.line))
    return None if game is None else Timeline(game, without_undone(said), tuple(session.layouts()))


def without_undone(said: Iterable[Said]) -> tuple[Said, ...]:
    """The lines that count in the end: what was taken back is gone, and what was told again stands where it stood."""
    kept: list[Said] = []
    times: dict[int, float] = {}  # of turns that were taken back: they were seen then, whenever they were told again
    undone = False
    for one in said:
        if isinstance(one.line, UndoFact):
            numbers = [said.turn for said in kept]
            turn = one.line.turn
            at = next((i for i, n in enumerate(numbers) if n == turn), None)
            at = at if at is not None else next((i for i, n in enumerate(numbers) if n > turn), len(kept))
            for gone in kept[at:]:
                times[gone.turn] = min(gone.time_s, times.get(gone.turn, gone.time_s))
            del kept[at:]
            undone = True
        elif undone and not isinstance(one.line, Fact):
            continue  # an answer to the taking back
        else:
            undone = False
            kept.append(Said(min(one.time_s, times.get(one.turn, one.time_s)), one.line))
    return tuple(kept)


def _parsed(obj: dict[str, object]) -> Record:
    return parse_record(json.dumps(obj), name="session")


def watched(
    source: Source, table: TableCalibration, pieces: Pieces, game: GameFact, tell: Callable[[str], None]
) -> Timeline:
    """The game as the referee sees it now: for a session that was recorded without one."""
    said: list[Said] = []
    layouts: list[tuple[float, Layout]] = []

    def line(one: Line, time_s: float) -> None:
        said.append(Said(time_s, one))

    def layout(one: Layout, time_s: float) -> None:
        layouts.append((time_s, one))
        tell(f"{time_s:.1f} s: turn {max((one.turn for one in said), default=0)}")

    referee = Referee(Follower(game, pieces), table, pieces, Outputs(line=line, layout=layout), None)
    for frame in source:
        referee.see(frame)
    referee.finish()
    return Timeline(game, without_undone(said), tuple(layouts))
