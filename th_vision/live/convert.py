"""Turning an old ``.bag`` into a ``.db3`` by the SDK, in a process of its own: no file can harm the program."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from th_vision.errors import VisionError
from th_vision.live.backend import CaptureError
from th_vision.live.child import die_with_parent
from th_vision.live.sdk import import_sdk
from th_vision.live.tolerances import CONVERTED_BYTES_PER_S, HELLO_S

_AGAIN = "copy it again from where it was recorded"
_REFUSED = 3  # exit status: the reason is on standard output


def convert_bag(source: Path, target: Path, *, longest_s: float | None = None) -> None:
    """Write ``target`` (.db3) from ``source`` (.bag), bit by bit the same frames.

    Raises:
        VisionError: pyrealsense2 is not there, or the file can't be read; one line that names it.
    """
    if longest_s is None:
        longest_s = HELLO_S + source.stat().st_size / CONVERTED_BYTES_PER_S
    command = [sys.executable, "-P", "-c", "from th_vision.live.convert import main; main()"]
    path = os.pathsep.join(os.path.abspath(entry) for entry in sys.path)
    try:
        done = subprocess.run(
            [*command, str(os.getpid()), str(source), str(target)],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=longest_s,
            check=False,
            env={**os.environ, "PYTHONPATH": path},
        )
    except subprocess.TimeoutExpired:
        raise VisionError(f"{source}: the SDK hangs on this file; {_AGAIN}") from None
    if done.returncode == _REFUSED:
        raise VisionError(f"{source}: {' '.join(done.stdout.split())}")
    if done.returncode or not target.exists():
        raise VisionError(f"{source}: the SDK failed on this file (status {done.returncode}); {_AGAIN}")


def main() -> None:
    """Entry point of the process: our parent's id, source, target."""
    parent, source, target = sys.argv[1:]
    die_with_parent(int(parent))
    try:
        import_sdk().context().convert_bag_to_db3(source, target)
    except CaptureError as error:
        sys.stdout.write(f"can't be read; {error}")
        sys.exit(_REFUSED)
    except RuntimeError as error:
        text = " ".join(str(error).split()).split("Error: ")[-1]
        sys.stdout.write(f"is cut short, damaged, or no recording of the RealSense SDK ({text}); {_AGAIN}")
        sys.exit(_REFUSED)
