"""The referee's loop on any source: frames in; announcements, record, picture and score out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pydantic import ValidationError

from calibration.table import TableCalibration
from rules.errors import RulesError
from rules.events import GameFact
from rules.pieces import Pieces
from rules.record import RecordWriter
from rules.ruleset import ruleset_of
from th_vision.errors import VisionError
from th_vision.follow import Follower
from th_vision.frame import Source
from th_vision.referee.keeping import Keeper
from th_vision.referee.loop import Referee as Referee  # what plays a game without a source takes it from here
from th_vision.referee.outputs import Outputs as Outputs
from th_vision.referee.reading import Read
from th_vision.terminal import STOPPED


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


def replay(
    source: Source,
    table: TableCalibration,
    pieces: Pieces,
    game: GameFact,
    outputs: Outputs | None = None,
    *,
    read: Read | None = None,
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
    referee = Referee(follower, table, pieces, outputs, Keeper(writer), read)
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
