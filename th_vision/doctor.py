"""``th-vision doctor``: what works on this computer, what is missing, and what to do about it.

Every check is a function that gives findings, so that tests can stage each fault. Imports that may crash on a
missing system library are tried in a process of their own.
"""

from __future__ import annotations

import ctypes
import importlib.metadata
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from rules.outcome import Outcome

Level = Literal["ok", "warning", "problem"]

PYTHON_FROM, PYTHON_BELOW = (3, 11), (3, 14)
PACKAGES = ("numpy", "scipy", "shapely", "pydantic", "tomlkit", "typer", "rich")
# They all write into the folder cv2/: the last one installed wins, and removing one breaks the others.
OPENCV_PACKAGES = (
    "opencv-python-headless",
    "opencv-python",
    "opencv-contrib-python-headless",
    "opencv-contrib-python",
)
OPEN3D_PACKAGES = ("open3d-cpu", "open3d")
# What `import open3d` links to on Linux, and the Debian and Ubuntu packages that bring it.
OPEN3D_LIBRARIES = {"libusb-1.0.so.0": "libusb-1.0-0", "libEGL.so.1": "libegl1", "libGL.so.1": "libgl1"}
# A 20-minute session of depth and colour needs about this much.
ENOUGH_DISK_BYTES = 5 * 10**9
IMPORT_TIMEOUT_S = 120


@dataclass(frozen=True)
class Finding:
    """One line of the report. ``todo`` says what to do; empty where nothing is to be done."""

    level: Level
    text: str
    todo: str = ""

    def __str__(self) -> str:
        return f"{self.level:8} {self.text}" + (f": {self.todo}" if self.todo else "")


def run(calibration: Path, pieces: Path, folder: Path) -> Outcome:
    """All checks, as the command prints them. Status 1 where a problem was found; warnings are none.

    ``calibration`` and ``pieces`` are the files that would be used, ``folder`` is where recordings would go.
    """
    findings = [
        *check_python(sys.version_info[:3]),
        *check_packages(_version),
        *check_libraries(_loads),
        *check_imports(_import_error),
        *check_realsense(_version, _import_error),
        *check_speech(shutil.which),
        *check_disk(folder, shutil.disk_usage(folder).free),
        *check_calibration(calibration),
        *check_pieces(pieces),
    ]
    problems = sum(finding.level == "problem" for finding in findings)
    warnings = sum(finding.level == "warning" for finding in findings)
    last = f"{problems} problem{'' if problems == 1 else 's'}, {warnings} warning{'' if warnings == 1 else 's'}"
    return Outcome("".join(f"{finding}\n" for finding in findings) + last + "\n", (), 1 if problems else 0)


def check_python(version: tuple[int, ...]) -> Iterable[Finding]:
    """The Python that runs this, and the machine."""
    text = f"Python {'.'.join(map(str, version))} on {platform.system()} {platform.machine()}"
    if PYTHON_FROM <= version[:2] < PYTHON_BELOW:
        yield Finding("ok", text)
    else:
        yield Finding("problem", text, "th-vision needs Python 3.11, 3.12 or 3.13; install one of them")


def check_packages(version: Callable[[str], str | None]) -> Iterable[Finding]:
    """The packages that everything needs; ``version`` gives one's version, None where it is not installed."""
    ours = version("th-vision")
    yield (
        Finding("ok", f"th-vision {ours}")
        if ours
        else Finding("warning", "th-vision is not installed, only run from its folder", "run make setup")
    )
    for name in PACKAGES:
        found = version(name)
        yield Finding("ok", f"{name} {found}") if found else Finding("problem", f"{name} is missing", "run make setup")
    yield from _exactly_one(OPENCV_PACKAGES, "OpenCV", version)
    yield from _exactly_one(OPEN3D_PACKAGES, "Open3D", version)


def _exactly_one(names: Iterable[str], what: str, version: Callable[[str], str | None]) -> Iterable[Finding]:
    found = [f"{name} {version(name)}" for name in names if version(name)]
    if len(found) == 1:
        yield Finding("ok", found[0])
    elif found:
        todo = "they overwrite each other: remove the folder .venv and run make setup"
        yield Finding("problem", f"{what} is installed {len(found)} times ({', '.join(found)})", todo)
    else:
        yield Finding("problem", f"{what} is missing", "run make setup")


def check_libraries(loads: Callable[[str], bool]) -> Iterable[Finding]:
    """System libraries of Open3D on Linux; ``loads`` tries one by its file name."""
    if platform.system() != "Linux":
        return
    missing = {library: package for library, package in OPEN3D_LIBRARIES.items() if not loads(library)}
    if missing:
        todo = f"sudo apt-get install --no-install-recommends {' '.join(missing.values())}"
        yield Finding("problem", f"system libraries are missing ({', '.join(missing)})", todo)
    else:
        yield Finding("ok", f"system libraries {', '.join(OPEN3D_LIBRARIES)}")


def check_imports(import_error: Callable[[str], str]) -> Iterable[Finding]:
    """Whether the large packages can be loaded; ``import_error`` gives the last line of what went wrong, or ``""``."""
    for module in ("cv2", "open3d"):
        error = import_error(module)
        yield (
            Finding("problem", f"import {module} fails ({error})", "run make setup")
            if error
            else Finding("ok", f"import {module}")
        )


def check_realsense(version: Callable[[str], str | None], import_error: Callable[[str], str]) -> Iterable[Finding]:
    """The camera's own library: needed for a live camera only."""
    found = version("pyrealsense2")
    if not found:
        todo = "only for a live camera and its own recordings: python -m pip install 'th-vision[realsense]'"
        yield Finding("warning", "pyrealsense2 is not installed", todo)
        return
    error = import_error("pyrealsense2")
    yield (
        Finding("warning", f"import pyrealsense2 fails ({error})", "install libusb-1.0-0")
        if error
        else Finding("ok", f"pyrealsense2 {found}")
    )


def check_speech(which: Callable[[str], str | None]) -> Iterable[Finding]:
    """What speaks the rulings; ``which`` finds a program on the path."""
    if which("espeak-ng"):
        yield Finding("ok", "espeak-ng")
    else:
        yield Finding("warning", "espeak-ng is missing", "only for spoken rulings: sudo apt-get install espeak-ng")


def check_disk(folder: Path, free_bytes: int) -> Iterable[Finding]:
    """Room for a recording where it would be written."""
    text = f"{free_bytes / 1e9:.1f} GB free in {folder}"
    if free_bytes < ENOUGH_DISK_BYTES:
        yield Finding("warning", text, "a recorded game needs up to 5 GB; make room or record elsewhere")
    else:
        yield Finding("ok", text)


def check_calibration(path: Path) -> Iterable[Finding]:
    """The table's calibration, if there is one yet."""
    if not path.exists():
        todo = (
            "print the board (th-vision board -o board.pdf), record it, th-vision calibrate table SOURCE -o table.toml"
        )
        yield Finding("warning", f"no calibration ({path})", todo)
        return
    from calibration.errors import CalibrationError
    from calibration.table_file import load_table

    try:
        table = load_table(path)
    except CalibrationError as error:
        yield Finding("problem", str(error))
        return
    yield Finding(
        "ok", f"calibration {path}: {table.camera.model or 'camera'}, {table.distance_mm:.0f} mm, {table.made_at}"
    )


def check_pieces(path: Path) -> Iterable[Finding]:
    """The sizes and colours of the pieces, if they were given."""
    if not path.exists():
        yield Finding("warning", f"no pieces file ({path})", "the usual sizes are used; measure yours and write them")
        return
    from rules.errors import RulesError
    from rules.pieces import load_pieces

    try:
        pieces = load_pieces(path)
    except RulesError as error:
        yield Finding("problem", str(error))
        return
    yield Finding("ok", f"pieces {path}: players {', '.join(pieces.players)}")


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _loads(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def _import_error(module: str) -> str:
    """Import ``module`` in another process, where it may crash: the last line of its error, or ``""``."""
    command = [sys.executable, "-c", f"import {module}"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=IMPORT_TIMEOUT_S, check=False)
    except subprocess.TimeoutExpired:
        return f"no answer within {IMPORT_TIMEOUT_S} s"
    if done.returncode == 0:
        return ""
    lines = done.stderr.strip().splitlines()
    return lines[-1] if lines else f"exit status {done.returncode}"
