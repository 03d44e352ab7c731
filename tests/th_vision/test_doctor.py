"""The doctor names each fault and what to do about it; only problems, not warnings, make it fail."""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from th_vision import doctor
from th_vision.doctor import Finding

ALL = dict.fromkeys((*doctor.PACKAGES, "th-vision", "opencv-python-headless", "open3d-cpu", "pyrealsense2"), "1.0")


def levels(findings: Iterable[Finding]) -> list[str]:
    return [finding.level for finding in findings]


@pytest.mark.parametrize(
    ("version", "level"), [((3, 10, 9), "problem"), ((3, 11, 0), "ok"), ((3, 13, 5), "ok"), ((3, 14, 0), "problem")]
)
def test_python_versions(version: tuple[int, ...], level: str) -> None:
    assert levels(doctor.check_python(version)) == [level]


def test_all_packages_there() -> None:
    assert set(levels(doctor.check_packages(ALL.get))) == {"ok"}


@pytest.mark.parametrize("name", [*doctor.PACKAGES, "opencv-python-headless", "open3d-cpu"])
def test_a_missing_package_is_a_problem(name: str) -> None:
    found = {key: value for key, value in ALL.items() if key != name}
    problems = [finding for finding in doctor.check_packages(found.get) if finding.level == "problem"]
    assert len(problems) == 1
    assert problems[0].todo == "run make setup"


def test_two_opencv_packages_are_a_problem() -> None:
    problems = [f for f in doctor.check_packages({**ALL, "opencv-python": "4.9"}.get) if f.level == "problem"]
    assert len(problems) == 1
    assert "opencv-python 4.9" in problems[0].text
    assert "overwrite each other" in problems[0].todo


@pytest.mark.skipif(platform.system() != "Linux", reason="names of Linux libraries")
def test_missing_system_libraries_give_the_line_to_run() -> None:
    (finding,) = doctor.check_libraries(lambda name: "EGL" not in name)
    assert finding.level == "problem"
    assert finding.todo == "sudo apt-get install --no-install-recommends libegl1"
    assert levels(doctor.check_libraries(lambda _: True)) == ["ok"]


def test_a_failing_import_gives_its_reason() -> None:
    findings = list(doctor.check_imports(lambda name: "libusb-1.0.so.0: no such file" if name == "open3d" else ""))
    assert [finding.level for finding in findings] == ["ok", "problem"]
    assert "libusb-1.0.so.0" in findings[1].text


def test_the_camera_library_is_optional() -> None:
    assert levels(doctor.check_realsense({}.get, lambda _: "")) == ["warning"]
    assert levels(doctor.check_realsense(ALL.get, lambda _: "no libusb")) == ["warning"]
    assert levels(doctor.check_realsense(ALL.get, lambda _: "")) == ["ok"]


def test_speech_is_optional() -> None:
    assert levels(doctor.check_speech(lambda _: None)) == ["warning"]
    assert levels(doctor.check_speech(lambda name: f"/usr/bin/{name}")) == ["ok"]


@pytest.mark.parametrize(("free", "level"), [(10**9, "warning"), (10**11, "ok")])
def test_room_for_a_recording(tmp_path: Path, free: int, level: str) -> None:
    assert levels(doctor.check_disk(tmp_path, free)) == [level]


def test_calibration_missing_is_a_warning_broken_a_problem(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    (finding,) = doctor.check_calibration(path)
    assert finding.level == "warning"
    assert "th-vision calibrate table" in finding.todo
    path.write_text("pose = [[")
    (finding,) = doctor.check_calibration(path)
    assert finding.level == "problem"
    assert str(path) in finding.text


def test_pieces_missing_is_a_warning_broken_a_problem(tmp_path: Path) -> None:
    path = tmp_path / "pieces.toml"
    assert levels(doctor.check_pieces(path)) == ["warning"]
    path.write_text("[stick]\nlength = -1\n")
    (finding,) = doctor.check_pieces(path)
    assert finding.level == "problem"
    assert "stick.length" in finding.text
    path.write_text("[stick]\nlength = 113\n")
    assert levels(doctor.check_pieces(path)) == ["ok"]


def test_an_import_that_fails_or_crashes_is_told_and_does_no_harm() -> None:
    assert doctor._import_error("json") == ""
    assert "ModuleNotFoundError" in doctor._import_error("no_such_module_at_all")
    assert doctor._import_error("os; os.abort()") != ""


def test_a_finding_is_one_line_with_what_to_do() -> None:
    assert str(Finding("problem", "cv2 is missing", "run make setup")) == "problem  cv2 is missing: run make setup"


def test_here_and_now_all_is_well(tmp_path: Path) -> None:
    outcome = doctor.run(tmp_path / "table.toml", tmp_path / "pieces.toml", tmp_path)
    assert outcome.status == 0, outcome.text
    assert f"Python {sys.version_info[0]}.{sys.version_info[1]}" in outcome.text
    assert "no calibration" in outcome.text
    assert outcome.text.splitlines()[-1].startswith("0 problems, ")
