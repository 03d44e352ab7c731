"""A game as a session tells it: what was said when, and how the table stood after it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from calibration.table import TableCalibration
from rules.events import AlertLine, Fact, GameFact, Line, UndoFact
from rules.layout import Layout
from rules.pieces import Pieces
from rules.record import parse_record
from th_vision.errors import VisionError
from th_vision.follow import Follower
from th_vision.frame import Source
from th_vision.referee.loop import Referee
from th_vision.referee.outputs import Outputs
from th_vision.sessions.reader import Session


@dataclass(frozen=True)
class Said:
    """One line of the game, when it was written (s), and its place in the order of lines and layouts."""

    time_s: float
    line: Line
    order: int = 0

    @property
    def turn(self) -> int:
        """The turn that it belongs to; 0: the set-up."""
        return int(getattr(self.line, "turn", 0) or 0)


@dataclass(frozen=True)
class Stood:
    """How the table stood by one reading: of the frames up to ``time_s``. Its lines come just before it in order."""

    time_s: float
    layout: Layout
    order: int = 0


@dataclass(frozen=True)
class Timeline:
    """``game``: the game's first line; ``lines``: all others; ``layouts``: what stood. Order tells which reading a line
    came from: a line is written when its reading is done, which takes a while."""

    game: GameFact
    lines: tuple[Said, ...]
    layouts: tuple[Stood, ...]

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

    def stood_before(self, line: Said) -> Stood | None:
        """The last reading before the one that a line came from; None where nothing stood yet."""
        earlier = [one for one in self.layouts if one.order < line.order and one.layout.roads]
        return earlier[-1] if earlier else None

    def reading_of(self, line: Said) -> Stood:
        """The reading that a line came from."""
        later = [one for one in self.layouts if one.order > line.order]
        if later:
            return later[0]
        return Stood(line.time_s, self.layouts[-1].layout if self.layouts else Layout(), line.order)


def recorded(session: Session) -> Timeline | None:
    """The game as the referee wrote it into the session; None where there was none."""
    said: list[Said] = []
    layouts: list[Stood] = []
    game: GameFact | None = None
    for order, (time_s, one) in enumerate(session.game_and_layouts()):
        if isinstance(one, Layout):
            layouts.append(Stood(time_s, one, order))
            continue
        for entry in parse_record(json.dumps(one), name="session").entries:
            if isinstance(entry.line, GameFact):
                game = game or entry.line
            else:
                said.append(Said(time_s, entry.line, order))
    return None if game is None else Timeline(game, without_undone(said), tuple(layouts))


def without_undone(said: Iterable[Said]) -> tuple[Said, ...]:
    """The lines that count in the end: what was taken back is gone, and what was told again stands where it stood."""
    kept: list[Said] = []
    first: dict[int, tuple[float, int]] = {}  # of turns that were taken back: where they were told first
    undone = False
    for one in said:
        if isinstance(one.line, UndoFact):
            numbers = [said.turn for said in kept]
            turn = one.line.turn
            at = next((i for i, n in enumerate(numbers) if n == turn), None)
            at = at if at is not None else next((i for i, n in enumerate(numbers) if n > turn), len(kept))
            for gone in kept[at:]:
                first[gone.turn] = min((gone.time_s, gone.order), first.get(gone.turn, (gone.time_s, gone.order)))
            del kept[at:]
            undone = True
        elif undone and not isinstance(one.line, Fact):
            continue  # an answer to the taking back
        else:
            undone = False
            time_s, order = first.get(one.turn, (one.time_s, one.order))
            kept.append(Said(time_s, one.line, order))
    return tuple(kept)


def watched(
    source: Source, table: TableCalibration, pieces: Pieces, game: GameFact, tell: Callable[[str], None]
) -> Timeline:
    """The game as the referee sees it now: for a session that was recorded without one."""
    said: list[Said] = []
    layouts: list[Stood] = []

    def line(one: Line, time_s: float) -> None:
        said.append(Said(time_s, one, len(said) + len(layouts)))

    def layout(one: Layout, time_s: float) -> None:
        layouts.append(Stood(time_s, one, len(said) + len(layouts)))
        tell(f"{time_s:.1f} s: turn {max((one.turn for one in said), default=0)}")

    referee = Referee(Follower(game, pieces), table, pieces, Outputs(line=line, layout=layout), None)
    for frame in source:
        referee.see(frame)
    referee.finish()
    return Timeline(game, without_undone(said), tuple(layouts))
