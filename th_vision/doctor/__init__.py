"""``th-vision doctor``: what works on this computer, what is missing, and what to do about it.

Every check is a function that gives findings, so that tests can stage each fault.
"""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path

from rules.outcome import Outcome
from th_vision.doctor.finding import Finding


def run(calibration: Path, pieces: Path, folder: Path) -> Outcome:
    """All checks, as the command prints them. Status 1 where a problem was found; warnings are none.

    ``calibration`` and ``pieces`` are the files that would be used, ``folder`` is where recordings would go.
    """
    findings = [*_computer(folder), *_camera_and_files(calibration, pieces)]
    problems = sum(finding.level == "problem" for finding in findings)
    warnings = sum(finding.level == "warning" for finding in findings)
    last = f"{problems} problem{'' if problems == 1 else 's'}, {warnings} warning{'' if warnings == 1 else 's'}"
    return Outcome("".join(f"{finding}\n" for finding in findings) + last + "\n", (), 1 if problems else 0)


def _computer(folder: Path) -> list[Finding]:
    import shutil

    from th_vision.doctor import system

    return [
        *system.check_python(sys.version_info[:3]),
        *system.check_packages(system.version_of),
        *system.check_libraries(system.loads),
        *system.check_imports(system.import_error),
        *system.check_speech(shutil.which),
        *system.check_disk(folder, shutil.disk_usage(folder).free),
    ]


def _camera_and_files(calibration: Path, pieces: Path) -> list[Finding]:
    from th_vision.doctor import camera, files, system

    findings = [*camera.check_library(system.version_of, system.import_error)]
    serial = ""
    has_library = findings[-1].level == "ok"
    may_be_there = sys.platform != "linux"  # only Linux tells without the SDK
    if not may_be_there:
        usb = list(camera.check_usb(camera.UsbView()))
        may_be_there = camera.NOTHING_THERE not in usb and not any(finding.level == "problem" for finding in usb)
        findings += usb
    if has_library and may_be_there:
        from th_vision.sources.realsense import open_realsense

        running, serial = camera.check_running(lambda: open_realsense("realsense"))
        findings += running
    return [*findings, *files.check_calibration(calibration, datetime.now(UTC), serial), *files.check_pieces(pieces)]
