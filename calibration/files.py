"""Writing files so that a reader never meets half of one."""

from __future__ import annotations

import os
from pathlib import Path


def write_aside(path: Path, blob: bytes) -> None:
    """Write beside ``path`` and rename over it. Raises OSError; then the old file is untouched.

    A link stays a link: the file it leads to is replaced. What is no file (a pipe, /dev/null) is written into: renaming
    over it would take it away from every program.
    """
    if path.exists() and not path.is_file():
        with open(path, "wb") as out:
            out.write(blob)
        return
    path = Path(os.path.realpath(path))
    aside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with open(aside, "wb") as out:
            out.write(blob)
            out.flush()
            os.fsync(out.fileno())
        os.replace(aside, path)
    finally:
        aside.unlink(missing_ok=True)
