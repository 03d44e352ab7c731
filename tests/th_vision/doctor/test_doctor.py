"""The doctor names each fault and what to do about it; only problems, not warnings, make it fail."""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.th_vision.live.cameras import no_library, open_faulty
from th_vision import doctor
from th_vision.doctor import camera, files, system
from th_vision.doctor.camera import NOTHING_THERE, UsbView
from th_vision.doctor.finding import Finding
from th_vision.live.capture import LiveCamera
from th_vision.live.faulty import Fault
from th_vision.live.usb import Holder, UsbCamera

NOW = datetime(2026, 1, 11, 12, 0, tzinfo=UTC)
GAME = ROOT / "fixtures" / "game"
ALL = dict.fromkeys((*system.PACKAGES, "th-vision", "opencv-python-headless", "open3d-cpu", "pyrealsense2"), "1.0")


def levels(findings: Iterable[Finding]) -> list[str]:
    return [finding.level for finding in findings]


@pytest.mark.parametrize(
    ("version", "level"), [((3, 10, 9), "problem"), ((3, 11, 0), "ok"), ((3, 13, 5), "ok"), ((3, 14, 0), "problem")]
)
def test_python_versions(version: tuple[int, ...], level: str) -> None:
    assert levels(system.check_python(version)) == [level]


def test_all_packages_there() -> None:
    assert set(levels(system.check_packages(ALL.get))) == {"ok"}


@pytest.mark.parametrize("name", [*system.PACKAGES, "opencv-python-headless", "open3d-cpu"])
def test_a_missing_package_is_a_problem(name: str) -> None:
    found = {key: value for key, value in ALL.items() if key != name}
    problems = [finding for finding in system.check_packages(found.get) if finding.level == "problem"]
    assert len(problems) == 1
    assert problems[0].todo == "run make setup"


def test_two_opencv_packages_are_a_problem() -> None:
    problems = [f for f in system.check_packages({**ALL, "opencv-python": "4.9"}.get) if f.level == "problem"]
    assert len(problems) == 1
    assert "opencv-python 4.9" in problems[0].text
    assert "overwrite each other" in problems[0].todo


@pytest.mark.skipif(platform.system() != "Linux", reason="names of Linux libraries")
def test_missing_system_libraries_give_the_line_to_run() -> None:
    (finding,) = system.check_libraries(lambda name: "EGL" not in name)
    assert finding.level == "problem"
    assert finding.todo == "sudo apt-get install --no-install-recommends libegl1"
    assert levels(system.check_libraries(lambda _: True)) == ["ok"]


def test_a_failing_import_gives_its_reason() -> None:
    findings = list(system.check_imports(lambda name: "libusb-1.0.so.0: no such file" if name == "open3d" else ""))
    assert [finding.level for finding in findings] == ["ok", "problem"]
    assert "libusb-1.0.so.0" in findings[1].text


def test_the_camera_library_is_optional() -> None:
    assert levels(camera.check_library({}.get, lambda _: "")) == ["warning"]
    assert levels(camera.check_library(ALL.get, lambda _: "no libusb")) == ["warning"]
    assert levels(camera.check_library(ALL.get, lambda _: "")) == ["ok"]


def test_speech_is_optional() -> None:
    assert levels(system.check_speech(lambda _: None)) == ["warning"]
    assert levels(system.check_speech(lambda name: f"/usr/bin/{name}")) == ["ok"]


@pytest.mark.parametrize(("free", "level"), [(10**9, "warning"), (10**11, "ok")])
def test_room_for_a_recording(tmp_path: Path, free: int, level: str) -> None:
    assert levels(system.check_disk(tmp_path, free)) == [level]


def test_calibration_missing_is_a_warning_broken_a_problem(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    (finding,) = files.check_calibration(path, NOW)
    assert finding.level == "warning"
    assert "th-vision calibrate table" in finding.todo
    path.write_text("pose = [[")
    (finding,) = files.check_calibration(path, NOW)
    assert finding.level == "problem"
    assert str(path) in finding.text


def test_the_age_of_a_calibration_and_whose_it_is() -> None:
    """The fixture was made on the first of January 2026."""
    table = GAME / "table.toml"
    (fresh,) = files.check_calibration(table, NOW)
    assert fresh.level == "ok"
    assert fresh.text.endswith("made 10 days ago")
    (old,) = files.check_calibration(table, NOW + timedelta(days=60))
    assert (old.level, old.todo) == ("warning", f"check it: th-vision calibrate check SOURCE -c {table}")
    (other,) = files.check_calibration(table, NOW, serial="0815")
    assert other.level == "problem"
    assert "the camera that is connected is 0815" in other.todo


def test_pieces_missing_is_a_warning_broken_a_problem(tmp_path: Path) -> None:
    path = tmp_path / "pieces.toml"
    assert levels(files.check_pieces(path)) == ["warning"]
    path.write_text("[stick]\nlength = -1\n")
    (finding,) = files.check_pieces(path)
    assert finding.level == "problem"
    assert "stick.length" in finding.text
    path.write_text("[stick]\nlength = 113\n")
    assert levels(files.check_pieces(path)) == ["ok"]


def test_an_import_that_fails_or_crashes_is_told_and_does_no_harm() -> None:
    assert system.import_error("json") == ""
    assert "ModuleNotFoundError" in system.import_error("no_such_module_at_all")
    assert system.import_error("os; os.abort()") != ""


def test_a_finding_is_one_line_with_what_to_do() -> None:
    assert str(Finding("problem", "cv2 is missing", "run make setup")) == "problem  cv2 is missing: run make setup"


# --- the camera -------------------------------------------------------------------------------------------------


def view(*cameras: UsbCamera, held: bool = False, rule: bool = True) -> UsbView:
    who = [Holder(4711, "realsense-viewe")] if held else []
    return UsbView(lambda: list(cameras), lambda nodes: who, lambda: rule)


NODE = Path("/dev/bus/usb/002/007")
D435 = UsbCamera("D435", 5000.0, NODE, usable=True)


@pytest.mark.parametrize(
    ("usb", "expected", "says"),
    [
        (view(), ["warning"], "no RealSense camera is plugged in"),
        (view(D435), ["ok"], "D435 on USB 3"),
        (view(UsbCamera("D435", 480.0, NODE, usable=True)), ["warning"], "on USB 2 (480 Mbit/s): use a USB 3 port"),
        (view(UsbCamera("D435", 5000.0, NODE, usable=False)), ["ok", "problem"], "may not be used by you: run: echo"),
        (view(D435, rule=False), ["ok", "warning"], "no udev rule"),
        (view(D435, held=True), ["ok", "problem"], "in use by realsense-viewe (process 4711): end that program"),
    ],
)
def test_the_cable_and_the_right_to_use_it(usb: UsbView, expected: list[str], says: str) -> None:
    findings = list(camera.check_usb(usb))
    assert levels(findings) == expected
    assert says in str(findings[-1])


def test_a_running_camera_is_described(tmp_path: Path) -> None:
    findings, serial = camera.check_running(lambda: open_faulty(tmp_path))
    text = "\n".join(map(str, findings))
    assert serial == "F1"
    assert "D435 F1, firmware 5.16.0.1, USB 3.2" in text
    assert "depth 64x48, colour 96x64, 30 frames a second, depth unit 0.1 mm" in text
    assert "warning  depth is 64x48 only" in text
    assert findings[-1].level == "ok"
    assert "frames, 0 lost" in findings[-1].text


def test_a_camera_that_loses_frames_or_gives_none(tmp_path: Path) -> None:
    findings, _ = camera.check_running(lambda: open_faulty(tmp_path, Fault("drop", at=3, frames=9)))
    assert findings[-1].level == "warning"
    assert "9 were lost" in findings[-1].text
    silent = tmp_path / "silent"
    silent.mkdir()
    findings, _ = camera.check_running(lambda: open_faulty(silent, Fault("silent", at=0)), look_s=0.3)
    assert str(findings[-1]).startswith("problem  the camera gives no frames: ")


def test_a_camera_that_does_not_open(tmp_path: Path) -> None:
    findings, _ = camera.check_running(lambda: open_faulty(tmp_path, plugged=False))
    assert findings == [NOTHING_THERE]
    findings, _ = camera.check_running(lambda: LiveCamera("realsense", no_library))
    assert str(findings[0]) == "problem  realsense: pyrealsense2 is not installed; install it"


def test_here_and_now_all_is_well(tmp_path: Path) -> None:
    outcome = doctor.run(tmp_path / "table.toml", tmp_path / "pieces.toml", tmp_path)
    assert outcome.status == 0, outcome.text
    assert f"Python {sys.version_info[0]}.{sys.version_info[1]}" in outcome.text
    assert "no calibration" in outcome.text
    assert outcome.text.splitlines()[-1].startswith("0 problems, ")
