"""The referee's loop on any source: frames in; announcements, record, picture and score out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np
from pydantic import ValidationError

from calibration.board import Board, BoardFinder
from calibration.table import TableCalibration
from rules.errors import RulesError
from rules.events import GameFact, ScoreLine, SupplyLine
from rules.layout import Layout, Road
from rules.messages import messages
from rules.pieces import Pieces
from rules.record import RecordWriter
from rules.ruleset import ruleset_of
from th_vision.announce import Announcer, Line
from th_vision.errors import VisionError
from th_vision.evidence import stands_in
from th_vision.fallen import fallen_sticks
from th_vision.follow import Follower
from th_vision.follow_events import Ended, HandSeen, Output, Settled, Told, Warned
from th_vision.frame import Frame, Source
from th_vision.picture import draw_table, save_picture
from th_vision.standings import kinds_of, legend_of
from th_vision.still_view import StillView, fuse
from th_vision.stillness import Moment, Stillness
from th_vision.terminal import STOPPED

Read = Callable[[StillView, Pieces, Layout | None], Layout]
READING_FAULTS = (ValueError, IndexError, KeyError, ArithmeticError, np.linalg.LinAlgError, cv2.error)
"""What arithmetic may raise over a view that nobody thought of."""
BOARD_CORNERS = 4
"""So many corners of the calibration board in view make a frame one of the board, not of the game."""


@dataclass(frozen=True)
class Outputs:
    """Where everything goes. ``say`` takes each line as it falls; ``record`` and ``picture`` are files, or None.

    ``record`` ``-`` is standard output. ``watch`` gets every output of the follower (for tests and other programs).
    """

    say: Callable[[Line], None] = field(default=lambda _: None)
    record: Path | None = None
    picture: Path | None = None
    language: str = "en"
    quiet: bool = False
    watch: Callable[[Output], None] = field(default=lambda _: None)


def game_of(rules: str, players: Iterable[str], options: Mapping[str, object] | None, pieces: Pieces) -> GameFact:
    """The game's first line from what a user asked for.

    Raises:
        RulesError: unknown rules or option, a player without a colour in pieces.toml, too few or too many players.
    """
    names = tuple(players)
    known = ", ".join(pieces.players)
    if not 2 <= len(names) <= 4:
        example = ",".join(list(pieces.players)[:4])
        raise RulesError(f"players: {len(names)} given, a game needs 2 to 4; name them like --players {example}")
    unknown = [name for name in names if name not in pieces.players]
    if unknown:
        raise RulesError(f"players: {unknown[0]!r} has no colour in the pieces; known: {known}; add one to pieces.toml")
    try:
        fact = GameFact.model_validate(
            {
                "rules": rules,
                "options": dict(options or {}),
                "players": names,
                "pieces": {"stick": pieces.stick.model_dump(), "disc": pieces.disc.model_dump()},
            }
        )
    except ValidationError as error:
        raise RulesError(f"players: {error.errors()[0]['msg']}; correct the players or options") from error
    ruleset_of(fact).material(len(names))
    return fact


def read_view(view: StillView, pieces: Pieces, prior: Layout | None) -> Layout:
    """The layout that a still view shows."""
    from th_vision.reconstruct import reconstruct

    return reconstruct(view, pieces, prior)


def replay(
    source: Source,
    table: TableCalibration,
    pieces: Pieces,
    game: GameFact,
    outputs: Outputs | None = None,
    *,
    read: Read = read_view,
) -> int:
    """Referee a recording as fast as it can. Returns the exit status: 0 done, 1 no game was seen, 130 stopped.

    What was recorded stays, whatever ends the loop: the end of the source, Ctrl-C, or an error of the source.

    Raises:
        RulesError, VisionError, CalibrationError: bad options or input, or an output that can't be written.
    """
    outputs = outputs or Outputs()
    if outputs.picture is not None and not outputs.picture.parent.is_dir():
        raise VisionError(f"{outputs.picture}: there is no such folder; make it first")
    follower = Follower(game, pieces)
    writer = None if outputs.record is None else RecordWriter.open(outputs.record)
    referee = Referee(follower, table, pieces, outputs, writer, read)
    try:
        if writer is not None:
            writer.write(game)
        stopped = False
        try:
            for frame in source:
                referee.see(frame)
        except KeyboardInterrupt:
            stopped = True
        try:
            referee.finish()
        except KeyboardInterrupt:  # while the last moment was being read: the end is told without it
            stopped = True
            referee.finish(read=False)
    except (VisionError, RulesError):
        referee.close()
        raise
    finally:
        if writer is not None:
            writer.close()
    if stopped:
        return STOPPED
    return 0 if follower.game.roads else 1


class Referee:
    """One game being refereed: stillness, reading, following and saying, frame by frame."""

    def __init__(
        self,
        follower: Follower,
        table: TableCalibration,
        pieces: Pieces,
        outputs: Outputs,
        writer: RecordWriter | None,
        read: Read,
    ) -> None:
        self.follower = follower
        self._table, self._pieces, self._outputs, self._writer, self._read = table, pieces, outputs, writer, read
        self._stillness = Stillness(table)
        self._announcer = Announcer(language=outputs.language, quiet=outputs.quiet)
        self._board = BoardFinder(Board())
        x, y, z = np.linalg.inv(table.T_color_table)[:3, 3]
        self._eye = (float(x), float(y), float(z))
        self._last_view: StillView | None = None
        self._last: Told | None = None
        self._frames = self._moments = 0

    def see(self, frame: Frame) -> None:
        """Take the next frame."""
        self._frames += 1
        if not self.follower.game.roads and self._shows_board(frame):
            return
        seen = self._stillness.see(frame)
        if seen.moment is not None:
            self._settled(seen.moment)
        if seen.state == "hand":
            self._out(self.follower.handle(HandSeen(), seen.time_s))

    def finish(self, *, read: bool = True) -> None:
        """The source is over: read what still stands (if ``read``), then say the score and draw the picture."""
        moment = self._stillness.finish() if read else None
        if moment is not None:
            self._settled(moment)
        self._out(self.follower.handle(Ended(), 0.0))
        if not self._moments:
            said = "no frame" if not self._frames else f"in none of {self._frames} frames did the table stand still"
            self._outputs.say(Line(f"Nothing to referee: {said}.", kind="fault"))
        elif not self.follower.game.roads:
            self._outputs.say(Line("No game seen: not every player's ramp with its car was found.", kind="fault"))
        else:
            self._say_score()
        self.close()

    def close(self) -> None:
        """Draw the picture of the table as it was last known."""
        if self._outputs.picture is None:
            return
        layout, game = self.follower.known.layout, self.follower.game
        legend = legend_of(layout, game, self._last, self.follower.newest, self._outputs.language)
        save_picture(self._outputs.picture, draw_table(layout, self._pieces, game.owners, legend))

    def _shows_board(self, frame: Frame) -> bool:
        if frame.color is None or frame.color.ndim != 3:
            return False
        view = self._board.find(frame.color)
        return view is not None and len(view) >= BOARD_CORNERS

    def _settled(self, moment: Moment) -> None:
        self._moments += 1
        view = fuse(moment.frames, self._table)
        prior = self.follower.known.layout
        try:
            layout = self._read(view, self._pieces, prior if prior.columns or prior.roads else None)
        except READING_FAULTS as error:  # one odd view must not end a game
            what = f"At {moment.time_s:.1f} s the table could not be read"
            self._outputs.say(Line(f"{what}; the next still moment will tell.", f"({error})", "too_close"))
            return
        stands = stands_in(self._last_view, view, self._pieces)
        before = self._last_view

        def fallen(standing: Layout) -> list[Road]:
            return [] if before is None else fallen_sticks(before, view, standing, self._pieces)

        self._out(self.follower.handle(Settled(layout, stands, fallen, self._eye), moment.time_s))
        self._last_view = view

    def _out(self, said: list[Output]) -> None:
        for output in said:
            if self._writer is not None:
                if isinstance(output, Told):
                    self._writer.write(output.fact)
                    for answer in output.answers:
                        self._writer.write(answer)
                elif isinstance(output, Warned):
                    self._writer.write(output.line)
            if isinstance(output, Told):
                self._last = output
            game = self.follower.game
            for line in self._announcer.lines(output, game.owners, kinds_of(game)):
                self._outputs.say(line)
            self._outputs.watch(output)

    def _say_score(self) -> None:
        """What is too late now, the score where missions are played, and what everyone still holds."""
        game, language = self.follower.game, self._outputs.language
        for late in self._announcer.turn_over():
            self._outputs.say(late)
        self._outputs.say(Line("At the end", kind="head"))
        lines: list[ScoreLine | SupplyLine] = [SupplyLine(turn=game.turn, players=dict(game.supplies))]
        if game.rules.missions:
            lines.insert(0, ScoreLine(turn=game.turn, players=game.score()))
        for line in lines:
            for message in messages(line, language=language):
                self._outputs.say(Line(message.text, message.reason))
