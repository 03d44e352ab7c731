"""Writing a session as our own recording: the game as one ``.mcap``, its calibration as another, truth beside.

game.mcap  game.calibration.mcap  game.truth.json  game.truth.jsonl  game.pieces.toml
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from calibration.camera import Camera
from rules.pieces import Pieces
from th_vision.errors import VisionError
from th_vision.frame import Frame
from th_vision.output import write_aside
from th_vision.virtual_table.db3 import beside
from th_vision.virtual_table.moment import Moment
from th_vision.virtual_table.session import Session
from th_vision.virtual_table.telling import Telling, pieces_toml

SUFFIX = ".mcap"


def write_mcap_session(
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
        VisionError: something is there already, or the place can't be written.
    """
    bench = beside(path, "calibration.mcap")
    truth, record, pieces_file = (beside(path, what) for what in ("truth.json", "truth.jsonl", "pieces.toml"))
    for there in (path, bench, truth, record, pieces_file):
        if there.exists():
            raise VisionError(f"{there}: is there already; give another name or remove it")
    camera = session.camera.camera
    told = Telling(session, pieces, about or {}, log)
    write_aside(pieces_file, pieces_toml(pieces))
    _write(bench, camera, told.calibration(), None, f"simulated-{session.setup.seed}-calibration")
    count = _write(path, camera, told.game(moments), pieces_file, f"simulated-{session.setup.seed}")
    told.write(truth, record, pieces_file)
    return count


def _write(path: Path, camera: Camera, frames: Iterator[Frame], pieces_file: Path | None, name: str) -> int:
    """One recording with every frame in it. It has a ``name`` of its own: the same seed gives the same bytes."""
    from th_vision.sessions.writer import SessionWriter

    count = 0
    info = {"source": "th-vision simulate"}
    with SessionWriter.open(
        path,
        camera=camera,
        table_toml=None,
        pieces_toml=pieces_file,
        info=info,
        all_frames=True,
        live=False,
        session=name,
    ) as writer:
        for frame in frames:
            writer.frame(frame)
            count += 1
    if writer.troubles:
        raise VisionError(f"{path}: {writer.troubles[0]}")
    return count
