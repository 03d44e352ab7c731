"""A session file (``.mcap``) as a source: its frames, and the calibration and pieces that came along with it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from calibration.camera import Camera
from calibration.table import TableCalibration
from rules.pieces import Pieces
from th_vision.frame import Frame
from th_vision.sessions.reader import REPAIR, Session, open_session


class SessionSource:
    """Frames of a session. Damaged ones are left out and counted in ``troubles``, never shown wrong.

    Raises:
        VisionError: no such file, or nothing in it can be read.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self.session: Session = open_session(path)

    @property
    def name(self) -> str:
        """The file as the user gave it."""
        return str(self._path)

    @property
    def camera(self) -> Camera:
        """The camera behind every frame."""
        return self.session.camera

    def __iter__(self) -> Iterator[Frame]:
        yield from self.session.frames()

    def table(self) -> TableCalibration | None:
        """The calibration that came along, None where none did."""
        return self.session.table()

    def pieces(self) -> Pieces | None:
        """The pieces that came along, None where none did."""
        return self.session.pieces()

    @property
    def troubles(self) -> tuple[str, ...]:
        """What is wrong with the file, as far as it has been read: a sentence each."""
        session, said = self.session, []
        if session.losses.frames:
            n = session.losses.frames
            said.append(f"{self.name}: {n} frame{'' if n == 1 else 's'} lost, the file is damaged; {REPAIR}")
        elif not session.ended:
            said.append(f"{self.name}: was cut before its end; all that is in it was read. {REPAIR}")
        if session.parts > 1:
            said.append(f"{self.name}: holds {session.parts} sessions joined, the first was read; {REPAIR}, each")
        return tuple(said)


class CaseSource(SessionSource):
    """The frames of a case (``.zip``, made by ``th-vision report``), with the calibration and pieces in it.

    Raises:
        VisionError: no such file, it is no case, or damaged.
    """

    def __init__(self, path: Path) -> None:
        from th_vision.sessions.case import open_case

        self._open = ExitStack()
        case = self._open.enter_context(open_case(path))
        self._path = path
        self.session = case.session

    def close(self) -> None:
        """Remove what was unpacked; also done when nothing refers to this any more."""
        self._open.close()
