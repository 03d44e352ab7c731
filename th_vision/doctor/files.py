"""What was measured before a game: the table's calibration and the pieces."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from th_vision.doctor.finding import Finding

OLD_DAYS = 30
"""A camera that hung so long has been bumped or has aged; the check is a minute's work."""


def check_calibration(path: Path, now: datetime, serial: str = "") -> Iterable[Finding]:
    """The table's calibration, if there is one yet, and how old it is. ``serial``: of the camera that is connected."""
    if not path.exists():
        todo = "print a board (th-vision board -o board.pdf), then th-vision calibrate table SOURCE -o table.toml"
        yield Finding("warning", f"no calibration ({path})", todo)
        return
    from calibration.errors import CalibrationError
    from calibration.table_file import load_table

    try:
        table = load_table(path)
    except CalibrationError as error:
        yield Finding("problem", str(error))
        return
    age_days = _age_days(table.made_at, now)
    age = "of unknown age" if age_days is None else f"made {_ago(age_days)}"
    text = (
        f"calibration {path}: {table.camera.model or 'camera'} {table.camera.serial}, {table.distance_mm:.0f} mm, {age}"
    )
    if serial and table.camera.serial and serial != table.camera.serial:
        todo = f"the camera that is connected is {serial}: th-vision calibrate table realsense -o {path}"
        yield Finding("problem", text, todo)
    elif age_days is not None and age_days > OLD_DAYS:
        yield Finding("warning", text, f"check it: th-vision calibrate check SOURCE -c {path}")
    else:
        yield Finding("ok", text)


def check_pieces(path: Path) -> Iterable[Finding]:
    """The sizes and colours of the pieces, if they were given."""
    if not path.exists():
        todo = "the usual sizes are used; measure yours: th-vision calibrate pieces, or by hand (docs/pieces.md)"
        yield Finding("warning", f"no pieces file ({path})", todo)
        return
    from rules.errors import RulesError
    from rules.pieces import load_pieces

    try:
        pieces = load_pieces(path)
    except RulesError as error:
        yield Finding("problem", str(error))
        return
    yield Finding("ok", f"pieces {path}: players {', '.join(pieces.players)}")


def _age_days(made_at: str, now: datetime) -> float | None:
    try:
        made = datetime.fromisoformat(made_at)
    except ValueError:
        return None
    if made.tzinfo is None:
        made = made.replace(tzinfo=UTC)
    return max((now - made).total_seconds() / 86400, 0.0)


def _ago(days: float) -> str:
    if days < 1:
        return "today"
    return f"{days:.0f} day{'' if round(days) == 1 else 's'} ago"
