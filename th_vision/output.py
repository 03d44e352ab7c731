"""Writing results: to a file, written aside and renamed, so that an old one is never half overwritten."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

from th_vision.errors import VisionError


def write_aside(path: Path, content: str | bytes) -> None:
    """Write ``content`` (text as UTF-8) beside ``path`` and rename it there in one step.

    Raises:
        VisionError: the folder is missing or not writable, or the disk is full; an old file is left as it was.
    """
    data = content.encode() if isinstance(content, str) else content
    temporary = ""
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except OSError as error:
        if temporary:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
        raise VisionError(f"{path}: can't be written ({error.strerror}); give another place") from error


def _umask() -> int:
    """The mask for new files, which can only be read by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
