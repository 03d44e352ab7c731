"""Writing a session as the RealSense SDK records: the game as one ``.db3``, its calibration as another, truth beside.

game.db3  game.calibration.db3  game.truth.json  game.truth.jsonl  game.pieces.toml
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from rules.pieces import Pieces
from th_vision.errors import VisionError
from th_vision.virtual_table.moment import Moment
from th_vision.virtual_table.session import Session
from th_vision.virtual_table.telling import Telling

SUFFIX = ".db3"


def beside(path: Path, what: str) -> Path:
    """The file that holds ``what`` of a recording, next to it."""
    return path.with_name(f"{path.stem}.{what}")


def write_db3_session(
    path: Path,
    session: Session,
    moments: Iterable[Moment],
    pieces: Pieces,
    *,
    about: dict[str, Any] | None = None,
    log: Callable[[str], None] = lambda _: None,
) -> int:
    """Write the calibration and a game of a session; gives the number of the game's frames.

    Raises:
        VisionError: pyrealsense2 is not there, something is there already, or the place can't be written.
    """
    from th_vision.live.db3_writer import write_db3  # brings the SDK: only where one is written

    bench = beside(path, "calibration.db3")
    truth, record, pieces_file = (beside(path, what) for what in ("truth.json", "truth.jsonl", "pieces.toml"))
    for there in (path, bench, truth, record, pieces_file):
        if there.exists():
            raise VisionError(f"{there}: is there already; give another name or remove it")
    fps = round(session.setup.fps)
    told = Telling(session, pieces, about or {}, log)
    write_db3(bench, session.camera.camera, told.calibration(), fps=fps)
    count = write_db3(path, session.camera.camera, told.game(moments), fps=fps)
    told.write(truth, record, pieces_file)
    return count
