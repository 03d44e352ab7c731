"""Writing results: to a file, written aside and renamed, so that an old one is never half overwritten."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from calibration import files
from th_vision.errors import VisionError

STDOUT = Path("-")
"""What a user writes for standard output."""

HEADERS = ("recording.json", "camera_intrinsic.json")
FRAMES = ("depth", "color")
"""What a folder of images is read from: no output may take its place."""


def refuse_stdout(path: Path | None, why: str) -> None:
    """Refuse ``-`` for an output that is no text, or more than one file: ``why`` says which.

    Raises:
        VisionError: ``path`` is ``-``.
    """
    if path == STDOUT:
        raise VisionError(f"-: {why} can't go to standard output; name a file")


def check_ending(path: Path | None, ending: str, what: str) -> None:
    """Refuse a name that says another kind of file than what will be in it.

    Raises:
        VisionError: ``path`` doesn't end in ``ending`` (``.png``).
    """
    if path is not None and path.suffix.lower() != ending:
        raise VisionError(f"{path}: {what} is written as {ending}; name it like {path.stem or what}{ending}")


def check_place(path: Path | None) -> None:
    """Refuse an output whose folder is not there or that is a folder itself, before the work is done and not after.

    Raises:
        VisionError: there is no such folder, or ``path`` is one.
    """
    if path is None or path == STDOUT:
        return
    if not path.parent.is_dir():
        raise VisionError(f"{path}: can't be written (there is no folder {path.parent}); make it or give another place")
    if path.is_dir():
        raise VisionError(f"{path}: can't be written (it is a folder); name a file")
    if not os.access(path.parent, os.W_OK | os.X_OK) and not (path.exists() and not path.is_file()):
        raise VisionError(f"{path}: can't be written (no permission in the folder {path.parent}); give another place")


def check_outputs(outputs: Iterable[Path | None], inputs: Iterable[str | Path | None]) -> None:
    """Refuse outputs that would end an input or each other, and those that ``check_place`` refuses.

    ``inputs`` are files, folders of images, or names that are no file (``sim``, a rule set, None), which can't be hit.

    Raises:
        VisionError: an output is an input or part of one, two outputs are one file, or a place can't be written.
    """
    taken: dict[Path, str] = {}
    folders: list[Path] = []
    for given in inputs:
        if given is None:
            continue
        real = _real(Path(given))
        taken[real] = "an input too"
        if real.is_dir():
            taken |= {real / name: f"part of {given}" for name in HEADERS}
            folders += [real / name for name in FRAMES]
    for path in outputs:
        check_place(path)
        if path is None or (path != STDOUT and path.exists() and not path.is_file()):
            continue  # what is no file, like /dev/null, loses nothing
        real = path if path == STDOUT else _real(path)
        why = "among the frames" if real.parent in folders else taken.get(real)
        if why is not None:
            raise VisionError(f"{path}: can't be an output, it is {why}; give another name")
        taken[real] = "the name of another output too"


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))


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
