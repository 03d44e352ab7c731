"""What a new user met who tried to break the program: each line of these tests once went wrong."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import cli
from calibration.files import write_aside
from calibration.table_file import save_table
from rules.errors import RulesError
from rules.pieces import Pieces, load_pieces
from rules.record import RecordWriter, parse_record
from tests.conftest import ROOT
from tests.test_cli import refused
from tests.test_cli_inputs import calibration
from tests.th_vision.sources.folders import own_folder
from tests.th_vision.test_replay import Recording
from tests.th_vision.test_replay import run as run_recording
from th_vision import terminal
from th_vision.errors import VisionError
from th_vision.output import check_outputs
from th_vision.replay import game_of
from th_vision.sources import open_source
from th_vision.stillness import Stillness

GAME = Path(__file__).parent / "games" / "classic-2-cars.jsonl"
HUGE = "1" + "0" * 5000

posix = pytest.mark.skipif(os.name != "posix", reason="pipes and links of POSIX")


# --- outputs that would cost an input


def test_the_picture_of_a_turn_does_not_take_the_place_of_its_game(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    game = tmp_path / "game.jsonl"
    game.write_bytes(GAME.read_bytes())
    assert "input" in refused(["explain", str(game), "--turn", "1", "--picture", str(game)], capfd)
    assert game.read_bytes() == GAME.read_bytes()


@pytest.mark.parametrize("out", ["--game", "--picture"])
@pytest.mark.parametrize("name", ["table.toml", "pieces.toml", "game/recording.json", "game/depth/000001.png"])
def test_a_replay_writes_over_none_of_its_inputs(
    out: str, name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    own_folder(Path("game"))
    for text in ("table.toml", "pieces.toml"):
        Path(text).touch()
    before = sorted(tmp_path.rglob("*"))
    words = ["replay", "game", "-c", "table.toml", "-p", "pieces.toml", "--players", "blue,pink", out, name]
    assert f"{name}: can't be an output" in refused(words, capfd)
    assert sorted(tmp_path.rglob("*")) == before


def test_two_outputs_are_two_files(tmp_path: Path) -> None:
    one = tmp_path / "one"
    with pytest.raises(VisionError, match="another output"):
        check_outputs((one, tmp_path / "." / "one"), ())
    check_outputs((one, tmp_path / "two", None), (None, "sim:seed=7", tmp_path / "three"))


@posix
def test_an_input_is_known_by_another_name_too(tmp_path: Path) -> None:
    (tmp_path / "table.toml").touch()
    (tmp_path / "link").symlink_to(tmp_path / "table.toml")
    with pytest.raises(VisionError, match="an input too"):
        check_outputs((tmp_path / "link",), (tmp_path / "table.toml",))


def test_results_may_stand_in_the_folder_of_the_recording(tmp_path: Path) -> None:
    check_outputs((tmp_path / "game.jsonl", tmp_path / "table.png"), (tmp_path,))


@pytest.mark.parametrize(
    "words",
    [
        "board -o .",
        "explain game.jsonl --turn 1 --picture .",
        "reconstruct nowhere --json .",
        "replay nowhere -c nowhere.toml --players blue,pink --game .",
        "calibrate table nowhere -o .",
    ],
)
def test_a_folder_is_no_file_to_write_to(
    words: str, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert refused(words.split(), capfd).startswith("th-vision: .: can't be written")
    assert not list(tmp_path.iterdir())


# --- outputs that are no plain file


@posix
def test_what_is_no_file_is_written_into_and_stays_what_it_is(tmp_path: Path) -> None:
    """Renamed over, /dev/null would be gone for every program of the machine. A pipe stands for it here."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()), daemon=True)
    reader.start()
    write_aside(pipe, b"%PDF")
    reader.join(timeout=10)
    assert got == [b"%PDF"]
    assert pipe.is_fifo()


@posix
def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    link = tmp_path / "layout.json"
    link.symlink_to(tmp_path / "there" / "real.json")
    write_aside(link, b"{}")
    assert link.is_symlink()
    assert (tmp_path / "there" / "real.json").read_bytes() == b"{}"


@posix
def test_a_calibration_is_two_files_and_goes_into_no_pipe(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert "two files" in refused(["calibrate", "table", "nowhere", "-o", str(tmp_path / "pipe")], capfd)
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]


# --- inputs


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[stik]\nlength = 100\n", "stik: is not known; known: stick, disc"),
        ("[stick]\nlenght = 100\n", "stick.lenght: is not known; known: length, width"),
        ("[disc]\nradius = 9.5\n", "disc.radius: is not known"),
        ("[cars.tank]\nlength = 1\nwidth = 1\nheight = 1\n", "cars: unknown car type 'tank'"),
        (f"[stick]\nlength = {HUGE}\n", "is not a TOML file"),
        ("a = " + "[" * 5000, "is not a TOML file"),
    ],
)
def test_pieces_that_mean_something_else_than_was_written_are_refused(text: str, says: str, tmp_path: Path) -> None:
    """A misspelt length would leave the usual one in force, and every ruling after it would be about another game."""
    path = tmp_path / "pieces.toml"
    path.write_text(text)
    with pytest.raises(RulesError) as refusal:
        load_pieces(path)
    assert says in str(refusal.value)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("recording.json", f'{{"depth_scale": {HUGE}}}'),
        ("table.toml", f"schema = {HUGE}"),
        ("table.toml", "a = " + "[" * 5000),
    ],
)
def test_numbers_without_end_are_the_files_fault(
    name: str, text: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    folder = own_folder(tmp_path / "game")
    (tmp_path / "table.toml").touch()
    broken = (folder if name == "recording.json" else tmp_path) / name
    broken.write_text(text)
    where = ["calibrate", "table", str(folder), "-o", str(tmp_path / "new.toml")]
    if name == "table.toml":
        where = ["reconstruct", str(folder), "-c", str(broken)]
    assert str(broken) in refused(where, capfd)


@pytest.mark.parametrize("thickness", ["-1", "nan", "inf"])
def test_no_board_is_thinner_than_nothing(thickness: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    words = ["board", "-o", str(tmp_path / "board.pdf"), "--thickness", thickness]
    assert "thickness" in refused(words, capfd)
    assert terminal.run(cli.app, [*words[:-1], "3"]) == 0


def _text_cloud(*points: str) -> str:
    header = (
        "ply\nformat ascii 1.0\nelement vertex {}\nproperty float x\nproperty float y\nproperty float z\nend_header\n"
    )
    return header.format(len(points)) + "\n".join(points) + "\n"


@pytest.mark.parametrize("far", ["1e30 0 0", "1000000 0 0", "0 0 1e30", "0 0 -1e9"])
def test_a_cloud_as_large_as_no_table_is_refused_at_once(
    far: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "cloud.ply"
    path.write_text(_text_cloud(far, "0 100 0", "100 0 0", "0 0 0"))
    assert "large, no table is" in refused(["reconstruct", str(path), "--frame", "table"], capfd)


def test_files_of_an_editor_that_marks_its_text_are_read(tmp_path: Path) -> None:
    """A byte order mark before the first line, as some editors write it."""
    pieces = tmp_path / "pieces.toml"
    pieces.write_text("[stick]\nlength = 100\n", encoding="utf-8-sig")
    assert load_pieces(pieces).stick.length == 100
    folder = own_folder(tmp_path / "game")
    header = folder / "recording.json"
    header.write_text(header.read_text(), encoding="utf-8-sig")
    assert open_source(str(folder)).camera.model == "D435"


@pytest.mark.parametrize("height", ["nan", "-1", "1e9"])
def test_a_board_is_checked_between_table_and_camera(
    height: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    folder, table = own_folder(tmp_path / "game"), tmp_path / "table.toml"
    save_table(calibration(open_source(str(folder)).camera), table)
    words = ["calibrate", "check", str(folder), "-c", str(table), "--height", height]
    assert "--height" in refused(words, capfd)


# --- hints that lead on


def test_a_cut_calibration_says_how_to_get_rid_of_it_before_the_work(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Its own message sends you to 'calibrate table', which must not send you back to where you are."""
    table = tmp_path / "table.toml"
    table.write_text("[came")
    line = refused(["calibrate", "table", str(own_folder(tmp_path / "game")), "-o", str(table)], capfd)
    assert "remove it" in line
    assert "calibrate table again" not in line
    assert table.read_text() == "[came"


@pytest.mark.parametrize("players", ["blue", "blue;pink", "blue,pink,blue,pink,blue"])
def test_the_hint_for_players_can_be_typed_as_it_stands(players: str) -> None:
    names = players.split(",")
    with pytest.raises(RulesError) as refusal:
        game_of("rainbow-city", names, {}, Pieces())
    assert str(refusal.value).startswith(f"players: {len(names)} given, a game needs 2 to 4")
    assert str(refusal.value).endswith(" --players blue,pink")


# --- Ctrl-C


@posix
def test_ctrl_c_while_a_library_is_loaded_is_no_fault_of_the_program() -> None:
    """Some libraries make an ImportError of it."""
    code = (
        "import os, signal, sys, cli, th_vision.doctor\n"
        "def loads(*_):\n"
        "    try:\n"
        "        os.kill(os.getpid(), signal.SIGINT)\n"
        "    except KeyboardInterrupt as stop:\n"
        "        raise ImportError('initialization failed') from stop\n"
        "th_vision.doctor.run = loads\n"
        "sys.argv[1:] = ['doctor']\n"
        "cli.main()\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, timeout=60, check=False)
    assert (ended.returncode, ended.stderr) == (terminal.STOPPED, b"th-vision: stopped\n")


def test_a_simulation_that_was_stopped_is_called_so(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "game" / "depth").mkdir(parents=True)
    line = refused(["simulate", "-o", str(tmp_path / "game"), "--scenario", "static", "--turns", "1"], capfd)
    assert "was cut" in line


# --- the shell's streams


@posix
@pytest.mark.parametrize(
    ("line", "status", "says"),
    [
        ("--version >&-", 0, ""),
        ("--version <&-", 0, ""),
        ("--version 2>&-", 0, ""),
        ("adjudicate - <&-", 2, 'th-vision: standard input: no "game" line'),
        ("adjudicate nowhere.jsonl 2>&-", 2, ""),
    ],
)
def test_a_closed_stream_is_no_fault_of_the_program(line: str, status: int, says: str) -> None:
    ended = _in_shell(line)
    assert ended.returncode == status
    assert ended.stderr.startswith(says)
    assert ended.stderr.count("\n") == (1 if says else 0)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="/dev/full stands for a full disk")
@pytest.mark.parametrize("line", ["--version", "rules", "board -o -"])
def test_a_full_disk_gets_one_line(line: str) -> None:
    ended = _in_shell(f"{line} > /dev/full")
    assert ended.returncode == 2
    assert ended.stderr.startswith("th-vision: ")
    assert ended.stderr.count("\n") == 1


def _in_shell(line: str) -> subprocess.CompletedProcess[str]:
    """What ``th-vision LINE`` gives, redirections included."""
    program = [sys.executable, str(ROOT / "cli.py")]
    command = ["sh", "-c", f'"$0" "$1" {line}', *program]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="needs someone whom permissions hold back")
def test_a_folder_that_is_locked_is_named_before_the_work(tmp_path: Path) -> None:
    tmp_path.chmod(0o555)
    try:
        with pytest.raises(VisionError, match="no permission in the folder"):
            check_outputs((tmp_path / "table.png",), ())
    finally:
        tmp_path.chmod(0o755)


def test_what_may_not_be_read_says_what_to_do(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def locked(*_: object) -> None:
        raise PermissionError(13, "Permission denied", "a/table.toml")

    monkeypatch.setattr("th_vision.doctor.run", locked)
    line = refused(["doctor"], capfd)
    assert line.startswith("th-vision: a/table.toml: can't be used (Permission denied); check ")


@posix
def test_a_record_that_nobody_reads_any_more_is_no_full_disk() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    line = parse_record(GAME.read_bytes()).lines[0]
    with open(writing, "wb", buffering=0) as stream, pytest.raises(BrokenPipeError):
        RecordWriter(stream).write(line)


@posix
def test_the_status_stays_where_nobody_reads_the_errors() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, str(ROOT / "cli.py"), "adjudicate", "nowhere.jsonl"]
    assert subprocess.run(command, stderr=writing, timeout=60, check=False).returncode == 2
    os.close(writing)


@posix
def test_two_games_at_once_do_not_share_a_record(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    line = parse_record(GAME.read_bytes()).lines[0]
    with RecordWriter.open(path) as first:
        for _ in range(2):  # while it is empty still, and later
            with pytest.raises(RulesError, match="another game is being written"):
                RecordWriter.open(path)
            first.write(line)
    assert [entry.name for entry in tmp_path.iterdir()] == ["game.jsonl"]
    assert path.read_text() == 2 * (line.to_line() + "\n")
    RecordWriter.open(path).close()
    assert (tmp_path / "game.jsonl.1").exists()


def test_ctrl_c_while_the_last_moment_is_read_still_tells_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(_: Stillness) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Stillness, "finish", interrupted)
    status, said = run_recording(Recording(), record=tmp_path / "game.jsonl", picture=tmp_path / "table.png")
    assert status == terminal.STOPPED
    assert "At the end" in said
    assert (tmp_path / "table.png").exists()
