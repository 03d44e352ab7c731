"""Writing a whole session from a damaged one: all that is whole is kept, all that is lost is counted."""

from __future__ import annotations

import contextlib
import errno
import os
from dataclasses import dataclass, replace
from pathlib import Path

from rules.errors import RulesError
from rules.pieces import Pieces
from th_vision.errors import VisionError
from th_vision.sessions import header as names
from th_vision.sessions.attached import pieces_of_file
from th_vision.sessions.pack import Packer
from th_vision.sessions.reader import Session, open_session
from th_vision.sessions.records import DamagedError, unpack
from th_vision.sessions.writer import many

_LINES = (names.GAME, names.SCENE)


@dataclass(frozen=True)
class Repaired:
    """What one session became. ``lost_*``: None where the end is missing, so that nobody knows how many there were.

    ``gaps``: frames that are missing between those that are there. ``ended``: it was closed, and not cut since.
    """

    output: Path
    frames: int
    game_lines: int
    scenes: int
    lost_frames: int | None
    lost_lines: int | None
    gaps: int
    lost_attachments: tuple[str, ...]
    skipped_bytes: int
    ended: bool

    @property
    def lost_nothing(self) -> bool:
        """Whether all that ever was in the file is in the new one."""
        return self.lost_frames == 0 and self.lost_lines == 0 and not self.lost_attachments

    def __str__(self) -> str:
        kept = f"{many(self.frames, 'frame')}, {many(self.game_lines, 'line')} of the game, "
        kept += f"{many(self.scenes, 'layout')} saved"
        lost = []
        if self.lost_frames is None and self.gaps:
            lost.append(many(self.gaps, "frame"))
        elif self.lost_frames:
            lost.append(many(self.lost_frames, "frame"))
        if self.lost_lines:
            lost.append(f"{many(self.lost_lines, 'line')} of the game")
        lost += self.lost_attachments
        text = f"{self.output}: {kept}; lost: {', '.join(lost) or 'nothing'}"
        if not self.ended:
            text += ", and what came after the cut, if anything"
        return text


def repair(path: Path, output: Path) -> list[Repaired]:
    """Write a whole file ``output`` from ``path``; further sessions that were joined to it go to ``OUTPUT-2``, ...

    Raises:
        VisionError: nothing can be read, or ``output`` is there already or can't be written.
    """
    if output.exists():
        raise VisionError(f"{output}: is there already; give another name, or remove it")
    done = []
    number = parts = 1
    while number <= parts:
        session = open_session(path, walk=True, part=number - 1)
        parts = session.parts
        target = output if number == 1 else output.with_name(f"{output.stem}-{number}{output.suffix}")
        try:
            done.append(_repair_one(session, target))
        finally:
            session.close()
        number += 1
    return done


def _repair_one(session: Session, output: Path) -> Repaired:
    aside = output.with_name(f".{output.name}.{os.getpid()}.part")
    try:
        with open(aside, "wb") as stream:
            pieces = Pieces()
            with contextlib.suppress(RulesError):
                pieces = pieces_of_file(session.attachments) or pieces
            header = replace(session.header, info={**session.header.info, "repaired": "yes"})
            packer = Packer(stream, header, session.attachments, pieces)
            packer.start()
            result = _copy(session, packer, output)
            packer.finish(_end(session, result, packer))
            stream.flush()
            os.fsync(stream.fileno())
        put_in_place(aside, output)
    except FileExistsError as error:
        raise VisionError(f"{output}: is there already; give another name, or remove it") from error
    except OSError as error:
        raise VisionError(f"{output}: can't be written ({error.strerror}); give another place") from error
    finally:
        with contextlib.suppress(OSError):
            aside.unlink(missing_ok=True)
    return result


def put_in_place(aside: Path, output: Path) -> None:
    """Give a finished file its name, never in place of a file that has come meanwhile.

    Raises:
        OSError: there is such a file, or the place can't be written.
    """
    try:
        os.link(aside, output)
    except FileExistsError:
        raise
    except OSError:  # a disk that knows no links
        if output.exists():
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST)) from None
        os.rename(aside, output)


def _copy(session: Session, packer: Packer, output: Path) -> Repaired:
    frames = lines = scenes = 0
    last = -1
    for chunk in session.part.chunks:
        for stored in session.frames_in(chunk):
            if stored.index > last:
                packer.copy(stored.messages.items())
                packer.last_time_s = stored.time_s
                frames, last = frames + 1, stored.index
        try:
            unpacked = unpack(session.file, chunk)
        except DamagedError:
            continue
        if not unpacked.sure:
            continue  # a line has no hash of its own
        for message in unpacked.messages:
            topic = session.part.channels.get(message.channel, "")
            if topic in _LINES:
                packer.copy([(topic, message)], alone=True)
                lines += topic == names.GAME
                scenes += topic == names.SCENE
    end = session.end
    return Repaired(
        output=output,
        frames=frames,
        game_lines=lines,
        scenes=scenes,
        lost_frames=None if end is None else max(0, int(end["frames"]) - frames),
        lost_lines=None if end is None else max(0, int(end["game_lines"]) - lines),
        gaps=last + 1 - frames,
        lost_attachments=session.damaged_attachments,
        skipped_bytes=session.part.skipped_bytes,
        ended=session.ended,
    )


def _end(session: Session, result: Repaired, packer: Packer) -> dict[str, str]:
    before = session.end or {}
    return {
        "session": session.header.session,
        "frames": str(result.frames),
        "game_lines": str(result.game_lines),
        "scenes": str(result.scenes),
        "thinned": before.get("thinned", "unknown"),
        "dropped": before.get("dropped", "unknown"),
        "last_time_s": repr(packer.last_time_s),
        "lost": str(int(before.get("lost", 0)) + (result.gaps if result.lost_frames is None else result.lost_frames)),
    }
