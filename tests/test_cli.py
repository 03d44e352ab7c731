"""The commands as people and programs meet them: one line and a status for every fault, clean output, clean ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

import cli
from tests.conftest import ROOT
from tests.th_vision.sources.folders import own_folder
from th_vision import terminal

COMMANDS = [
    *("doctor", "board", "calibrate", "record", "info", "repair", "reconstruct"),
    *("referee", "replay", "adjudicate", "explain", "rules", "simulate"),
]
HELP_SECONDS = 0.5


def start(words: Sequence[str], **more: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-X", "faulthandler", str(ROOT / "cli.py"), *words]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)  # type: ignore[call-overload,no-any-return]  # what Popen takes


def run(words: Sequence[str], cwd: Path | None = None) -> tuple[int, str, str]:
    """Status, standard output and standard error of a command in a process of its own."""
    process = start(words, cwd=cwd, stdin=subprocess.DEVNULL)
    out, err = process.communicate(timeout=120)
    return process.returncode, out, err


def refused(words: Sequence[str], capfd: pytest.CaptureFixture[str]) -> str:
    """The one line on standard error with which a command ends with status 2."""
    assert terminal.run(cli.app, list(words)) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert err.count("\n") == 1, err
    assert err.startswith("th-vision: ")
    assert "Traceback" not in err
    return err


def test_help_names_every_command_of_the_contract_at_once() -> None:
    took = []
    for _ in range(3):
        before = os.times()
        status, out, err = run(["--help"])
        after = os.times()
        # Its own work, not its wait for other programs.
        took.append(after.children_user + after.children_system - before.children_user - before.children_system)
    assert (status, err) == (0, "")
    for name in COMMANDS:
        assert f"  {name} " in out
    assert min(took) < HELP_SECONDS


@pytest.mark.parametrize("command", [*COMMANDS, "calibrate table", "calibrate pieces", "calibrate check"])
def test_every_command_has_help(command: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert terminal.run(cli.app, [*command.split(), "--help"]) == 0
    assert "Usage: th-vision " + command in " ".join(capfd.readouterr().out.split())


@pytest.mark.parametrize(
    ("words", "options"),
    [
        ("reconstruct", "-c --calibration -p --pieces --json --ply --picture --frame"),
        ("replay", "-c --calibration -p --pieces --rules --players --game --lang"),
        ("referee", "-c --calibration -p --pieces --rules --players --record --game --say --lang"),
        ("adjudicate", "-o --output --rules --diff"),
        ("explain", "--turn --picture"),
        ("board", "-o --output --paper"),
        ("calibrate table", "-o --output"),
        ("calibrate pieces", "-c --calibration -o --output"),
        ("calibrate check", "-c --calibration"),
        ("record", "-o --output"),
        ("repair", "-o --output"),
        ("simulate", "-o --output --seed"),
    ],
)
def test_options_are_called_as_in_the_contract(words: str, options: str, capfd: pytest.CaptureFixture[str]) -> None:
    terminal.run(cli.app, [*words.split(), "--help"])
    out = capfd.readouterr().out.replace(",", " ").split()
    assert set(options.split()) <= set(out)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("dance", "'dance'"),
        ("--dance", "--dance"),
        ("reconstruct", "SOURCE"),
        ("reconstruct a b", "b"),
        ("reconstruct nowhere --json -", "nowhere: there is no such file or folder"),
        ("reconstruct nowhere --frames 0", "--frames"),
        ("reconstruct nowhere --frames many", "--frames"),
        ("reconstruct nowhere -p nowhere.toml", "nowhere.toml"),
        ("reconstruct nowhere -c nowhere.toml", "nowhere.toml"),
        ("replay nowhere --players blue,pink", "nowhere: there is no such file or folder"),
        ("replay nowhere -c nowhere.toml", "--players"),
        ("replay nowhere -c nowhere.toml --players blue,pink", "nowhere.toml"),
        ("calibrate table nowhere", "--output"),
        ("calibrate table nowhere -o table.toml", "nowhere: there is no such file or folder"),
        ("calibrate table nowhere -o table.toml --squares seven", "--squares seven"),
        ("calibrate check nowhere -c nowhere.toml", "nowhere.toml"),
        ("board", "--output"),
        ("board -o board.pdf --paper napkin", "napkin"),
        ("adjudicate nowhere.jsonl", "nowhere.jsonl"),
        ("explain nowhere.jsonl --turn 3", "nowhere.jsonl"),
        ("explain nowhere.jsonl", "--turn"),
        ("rules no-such-rules", "no-such-rules"),
        ("simulate", "--output"),
        ("simulate -o out --players 7", "--players"),
    ],
)
def test_bad_words_get_one_line(
    words: str, says: str, capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert says in refused(words.split(), capfd)
    assert list(tmp_path.iterdir()) == []  # nothing is written on the way to an error


def test_a_bad_folder_gets_one_line_that_names_the_file(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    folder = own_folder(tmp_path / "a game")
    (folder / "depth" / "000001.png").write_bytes(b"")
    line = refused(["calibrate", "table", str(folder), "-o", str(tmp_path / "table.toml")], capfd)
    assert "a game/depth/000001.png: is empty (0 bytes)" in line
    assert not (tmp_path / "table.toml").exists()


def test_a_folder_without_calibration_says_what_to_give(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert "--calibration table.toml" in refused(["reconstruct", str(own_folder(tmp_path / "game"))], capfd)


def test_garbage_in_every_kind_of_file_crashes_nothing(tmp_path: Path) -> None:
    """In processes of their own, with the fault handler on: a crash would show as a signal and a dump."""
    for name in ("a.ply", "a.pcd", "a.mcap", "a.db3", "a.bag", "a.toml"):
        (tmp_path / name).write_bytes(bytes(range(256)) * 40)
    for words in (
        ["reconstruct", "a.ply", "--frame", "table"],
        ["reconstruct", "a.pcd", "--frame", "table"],
        ["reconstruct", "a.mcap"],
        ["reconstruct", "a.db3", "-c", "a.toml"],
        ["reconstruct", "a.ply", "-p", "a.toml"],
        ["adjudicate", "a.ply", "--rules", "no-such-rules"],
    ):
        status, out, err = run(words, cwd=tmp_path)
        assert status == 2, (words, status, err)
        assert out == ""
        assert err.count("\n") == 1, err
        assert err.startswith("th-vision: ")


def test_the_board_can_go_to_standard_output(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert terminal.run(cli.app, ["board", "-o", "-"]) == 0
    sys.stdout.flush()
    out, err = capfdbinary.readouterr()
    assert out.startswith(b"%PDF-")
    assert err == b""


@pytest.mark.parametrize(
    "words",
    [
        "calibrate table nowhere -o -",
        "simulate -o -",
        "reconstruct nowhere --ply -",
        "reconstruct nowhere --picture -",
        "replay nowhere -c nowhere.toml --players blue,pink --picture -",
        "explain nowhere.jsonl --turn 1 --picture -",
    ],
)
def test_what_is_no_text_does_not_go_to_standard_output(words: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert "can't go to standard output" in refused(words.split(), capfd)


def test_without_words_the_help_is_shown(capfd: pytest.CaptureFixture[str]) -> None:
    assert terminal.run(cli.app, []) == 2
    assert "Usage: th-vision" in "".join(capfd.readouterr())


def test_version(capfd: pytest.CaptureFixture[str]) -> None:
    assert terminal.run(cli.app, ["--version"]) == 0
    assert capfd.readouterr().out.startswith("th-vision ")


@pytest.mark.skipif(os.name != "posix", reason="pipes and signals of POSIX")
@pytest.mark.parametrize("words", [["--help"], ["rules"], ["reconstruct", "--help"]])
def test_a_reader_that_goes_away_is_no_fault(words: list[str]) -> None:
    process = start(words)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    err = process.stderr.read()
    process.wait(timeout=60)
    assert err == ""
    assert process.returncode in (0, terminal.READER_GONE)


@pytest.mark.skipif(os.name != "posix", reason="pipes and signals of POSIX")
@pytest.mark.parametrize("after_s", [0.5, 2.0])
def test_ctrl_c_ends_cleanly(after_s: float) -> None:
    """At any time after the program began: while it loads its parts, and while it waits for input."""
    code = "import sys, cli; print('ready', flush=True); sys.argv[1:] = ['adjudicate', '-']; cli.main()"
    process = subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    time.sleep(after_s)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert err == b"th-vision: stopped\n"
    assert process.returncode == terminal.STOPPED


def test_a_fault_of_our_own_is_one_line_and_has_its_own_status(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise IndexError("list index\nout of range")

    monkeypatch.setattr("th_vision.doctor.run", fail)
    monkeypatch.delenv("TH_VISION_DEBUG", raising=False)
    assert terminal.run(cli.app, ["doctor"]) == terminal.OWN_FAULT
    err = capfd.readouterr().err
    assert err.count("\n") == 1
    assert "IndexError: list index out of range" in err
    monkeypatch.setenv("TH_VISION_DEBUG", "1")
    with pytest.raises(IndexError):
        terminal.run(cli.app, ["doctor"])
