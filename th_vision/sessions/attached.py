"""What goes along with a session: ``table.toml`` with its map of the empty table, ``pieces.toml``."""

from __future__ import annotations

import hashlib
import tempfile
import tomllib
from collections.abc import Mapping
from pathlib import Path

from calibration.errors import CalibrationError
from calibration.table import TableCalibration
from rules.pieces import Pieces, load_pieces
from th_vision.errors import VisionError
from th_vision.sessions.header import PIECES, TABLE

MEDIA = {".toml": "application/toml", ".npz": "application/x-npz", ".json": "application/json"}


def attachments_of(table_toml: Path | None, pieces_toml: Path | None) -> dict[str, bytes]:
    """The files' contents by the names they get in the session; the map keeps the name that ``table.toml`` gives it.

    Raises:
        VisionError: a file can't be read.
    """
    found: dict[str, bytes] = {}
    if table_toml is not None:
        found[TABLE] = _read(table_toml)
        name = map_name(found[TABLE])
        if name is not None:
            found[name] = _read(table_toml.with_name(name))
    if pieces_toml is not None:
        found[PIECES] = _read(pieces_toml)
    return found


def map_name(table_toml: bytes) -> str | None:
    """Name of the empty-table map that a calibration goes with; None where it says none."""
    try:
        return Path(str(tomllib.loads(table_toml.decode("utf-8-sig"))["map"]["file"])).name
    except (ValueError, KeyError, TypeError):
        return None


def digest(data: bytes) -> str:
    """sha256, as the header has it for each attachment."""
    return hashlib.sha256(data).hexdigest()


def table_of(attached: Mapping[str, bytes]) -> TableCalibration | None:
    """The calibration among the attachments, None where there is none.

    Raises:
        CalibrationError: it is no whole calibration.
    """
    if TABLE not in attached:
        return None
    from calibration.table_file import load_table

    with tempfile.TemporaryDirectory(prefix="th-vision-") as folder:
        unpack(attached, Path(folder))
        return load_table(Path(folder) / TABLE)


def brought_table(attached: Mapping[str, bytes], source: object) -> TableCalibration | None:
    """The calibration that a recording (``source``: its name) brought along, None where it brought none.

    Raises:
        VisionError: it did, and is no whole calibration.
    """
    wanted = map_name(attached[TABLE]) if TABLE in attached else None
    if wanted is not None and wanted not in attached:
        raise VisionError(f"{source}: its calibration has lost {wanted}; give one with --calibration")
    try:
        return table_of(attached)
    except CalibrationError as error:
        reason = str(error).partition(": ")[2]  # it was unpacked aside: a name that the user does not know
        raise VisionError(f"{source}: its calibration can't be used: {reason}; or give --calibration") from error


def pieces_of_file(attached: Mapping[str, bytes]) -> Pieces | None:
    """The pieces among the attachments, None where there are none.

    Raises:
        RulesError: they can't be read.
    """
    if PIECES not in attached:
        return None
    with tempfile.TemporaryDirectory(prefix="th-vision-") as folder:
        unpack(attached, Path(folder))
        return load_pieces(Path(folder) / PIECES)


def unpack(attached: Mapping[str, bytes], folder: Path) -> None:
    """Write attachments into a folder, under their names."""
    for name, data in attached.items():
        (folder / Path(name).name).write_bytes(data)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise VisionError(f"{path}: can't be read ({error.strerror}); give the right file") from error
