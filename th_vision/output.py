"""Writing results: to a file, written aside and renamed, so that an old one is never half overwritten."""

from __future__ import annotations

from pathlib import Path

from calibration import files
from th_vision.errors import VisionError


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
