"""Writing results: to a file, written aside and renamed, so that an old one is never half overwritten."""

from __future__ import annotations

from pathlib import Path

from calibration import files
from th_vision.errors import VisionError

STDOUT = Path("-")
"""What a user writes for standard output."""


def refuse_stdout(path: Path | None, why: str) -> None:
    """Refuse ``-`` for an output that is no text, or more than one file: ``why`` says which.

    Raises:
        VisionError: ``path`` is ``-``.
    """
    if path == STDOUT:
        raise VisionError(f"-: {why} can't go to standard output; name a file")


def check_place(path: Path | None) -> None:
    """Refuse an output whose folder is not there, before the work is done and not after.

    Raises:
        VisionError: there is no such folder.
    """
    if path is not None and path != STDOUT and not path.parent.is_dir():
        raise VisionError(f"{path}: can't be written (there is no folder {path.parent}); make it or give another place")


def write_aside(path: Path, content: str | bytes) -> None:
    """Write ``content`` (text as UTF-8) beside ``path`` and rename it there in one step.

    Raises:
        VisionError: the folder is missing or not writable, or the disk is full; an old file is left as it was.
    """
    if not path.name:
        raise VisionError(f"{path}: is no name for a file; give one")
    try:
        files.write_aside(path, content.encode() if isinstance(content, str) else content)
    except OSError as error:
        raise VisionError(f"{path}: can't be written ({error.strerror}); give another place") from error
