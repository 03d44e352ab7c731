"""``th-vision record``: a source into a session file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from rules.outcome import Outcome
from th_vision.errors import VisionError
from th_vision.output import check_outputs, refuse_stdout
from th_vision.sources import open_source
from th_vision.terminal import STOPPED


def run(
    spec: str,
    output: Path,
    *,
    calibration: Path | None,
    pieces: Path | None,
    all_frames: bool,
    exact_color: bool,
    seconds: float | None,
    now: str,
    tell: Callable[[str], None],
) -> Outcome:
    """Record ``spec`` into the new file ``output``. Status 1: something was lost on the way; 130: Ctrl-C.

    Raises:
        VisionError, CalibrationError, RulesError: the source, calibration or pieces can't be read, or the file
            can't be made.
    """
    from rules.pieces import load_pieces
    from th_vision.sessions.recording import record
    from th_vision.sources.session import SessionSource

    refuse_stdout(output, "a session")
    check_outputs((output,), (spec, calibration, pieces))
    if output.suffix.lower() != ".mcap":
        raise VisionError(f"{output}: a session is an .mcap file; name it {output.with_suffix('.mcap').name}")
    if output.exists():
        raise VisionError(f"{output}: is there already; give another name, or remove it")
    table = None
    if calibration is not None:
        from calibration.table_file import load_table

        table = load_table(calibration)
    if pieces is not None:
        load_pieces(pieces)
    source = open_source(spec, table=table)
    if isinstance(source, SessionSource):
        raise VisionError(f"{spec}: is a session already; copy the file, or make it whole with th-vision repair")
    try:
        done = record(
            source,
            output,
            table_toml=calibration,
            pieces_toml=pieces,
            recorded_at=now,
            all_frames=all_frames,
            exact_color=exact_color,
            seconds=seconds,
            tell=tell,
        )
    finally:
        close = getattr(source, "close", None)
        if close is not None:
            close()
    notes = (*done.troubles, *getattr(source, "troubles", ()))
    status = STOPPED if done.stopped else int(bool(notes))
    return Outcome(f"{done}\n", notes, status)
