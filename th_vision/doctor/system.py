"""The computer: Python, packages, system libraries, room on the disk, speech.

Imports that may crash on a missing system library are tried in a process of their own.
"""

from __future__ import annotations

import ctypes
import importlib.metadata
import platform
import subprocess
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from th_vision.doctor.finding import Finding

PYTHON_FROM, PYTHON_BELOW = (3, 11), (3, 14)
PACKAGES = (
    *("numpy", "scipy", "shapely", "pydantic", "tomlkit", "typer", "rich"),
    *("mcap", "mcap-protobuf-support", "foxglove-schemas-protobuf", "starlette", "uvicorn", "segno", "trimesh"),
)
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
HEAVY = ("cv2", "open3d")
ESPEAK = "espeak-ng"


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
    with ThreadPoolExecutor() as together:
        errors = list(together.map(import_error, HEAVY))
    for module, error in zip(HEAVY, errors, strict=True):
        yield (
            Finding("problem", f"import {module} fails ({error})", "run make setup")
            if error
            else Finding("ok", f"import {module}")
        )


def check_speech(which: Callable[[str], str | None]) -> Iterable[Finding]:
    """What speaks the rulings; ``which`` finds a program on the path."""
    if which(ESPEAK):
        yield Finding("ok", f"{ESPEAK} speaks the rulings")
    else:
        todo = f"only for spoken rulings (--say): sudo apt-get install {ESPEAK}"
        yield Finding("warning", f"{ESPEAK} is missing", todo)


def check_disk(folder: Path, free_bytes: int) -> Iterable[Finding]:
    """Room for a recording where it would be written."""
    text = f"{free_bytes / 1e9:.1f} GB free in {folder}"
    if free_bytes < ENOUGH_DISK_BYTES:
        yield Finding("warning", text, "a recorded game needs up to 5 GB; make room or record elsewhere")
    else:
        yield Finding("ok", text)


def version_of(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def loads(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def import_error(module: str) -> str:
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
