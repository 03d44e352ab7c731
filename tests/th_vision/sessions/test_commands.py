"""The commands for recordings, as a user types them."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

import cli
from tests.conftest import ROOT
from tests.th_vision.sessions import small
from tests.th_vision.sources.folders import own_folder
from th_vision import terminal
from th_vision.frame import Frame
from th_vision.sessions.reader import open_session
from th_vision.sessions.source_info import info_of
from th_vision.sessions.writer import SessionWriter
from th_vision.sources import open_source

TURN = ROOT / "fixtures" / "recordings" / "turn.mcap"
CASE = TURN.parent / "case.zip"


def call(capfd: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    """Status, standard output and standard error of one command."""
    capfd.readouterr()
    status = terminal.run(cli.app, [str(word) for word in words])
    out, err = capfd.readouterr()
    return status, out, err


def test_record_a_folder_and_get_the_same_frames(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    folder = own_folder(tmp_path / "frames")
    output = tmp_path / "game.mcap"
    status, out, err = call(capfd, "record", folder, "-o", output, "--exact-color")
    assert (status, err) == (0, "")
    assert out.startswith(f"{output}: ")
    ours, theirs = list(open_source(str(folder))), list(open_source(str(output)))
    assert len(ours) == len(theirs) > 0
    for a, b in zip(ours, theirs, strict=True):
        assert (a.time_s, a.number) == (b.time_s, b.number)
        assert (a.depth == b.depth).all()
        assert a.color is not None
        assert (a.color == b.color).all()


def test_what_a_camera_says_of_itself_goes_into_the_metadata() -> None:
    class Camera:
        name = "realsense"
        camera = small.CAMERA
        facts = SimpleNamespace(firmware="5.16.0.1", usb="3.2", preset="default", laser_mw=150.0, emitter=None)

        def __iter__(self) -> Iterator[Frame]:
            return iter(())

    said = {"source": "realsense", "firmware": "5.16.0.1", "usb_type": "3.2", "preset": "default", "laser_mw": "150.0"}
    assert info_of(Camera()) == said


def test_record_stops_after_the_seconds_asked_for(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    folder = own_folder(tmp_path / "frames")
    first, second, *_ = open_source(str(folder))
    middle = (second.time_s - first.time_s) / 2
    assert call(capfd, "record", folder, "-o", tmp_path / "x.mcap", "--seconds", middle)[0] == 0
    assert len(list(open_source(str(tmp_path / "x.mcap")))) == 1


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("record nowhere -o x.mcap", "nowhere: there is no such file"),
        ("record frames -o x.bag", "x.bag: a session is an .mcap file; name it x.mcap"),
        ("record frames -o there.mcap", "there.mcap: is there already"),
        ("record there.mcap -o x.mcap", "there.mcap: is a session already"),
        ("record frames -o -", "can't go to standard output"),
        ("record frames -o no/x.mcap", "no"),
        ("record frames -o x.mcap -c nowhere.toml", "nowhere.toml"),
        ("record frames -o x.mcap -p nowhere.toml", "nowhere.toml"),
        ("info nowhere", "nowhere: there is no such file or folder"),
        ("info there.txt", "there.txt: is no kind of recording"),
        ("info empty.mcap", "empty.mcap: is empty"),
        ("repair nowhere.mcap -o x.mcap", "nowhere.mcap: can't be read"),
        ("repair frames -o x.mcap", "only sessions (.mcap) can be repaired"),
        ("repair there.mcap -o there.mcap", "there.mcap: can't be an output, it is an input too"),
        ("repair there.mcap -o x.zip", "x.zip: a session is an .mcap file; name it x.mcap"),
        ("export there.mcap -o x.ply --at nan", "--at nan: is no time"),
        ("export there.mcap -o there.mcap", "can't be exported to"),
        ("export there.mcap -o frames", "frames: is there already"),
        ("export there.mcap -o x.ply --frame moon", "--frame moon"),
        ("export there.mcap -o x.ply --frame table", "no calibration; give one with --calibration"),
        ("export there.mcap -o x.ply --turn 99", "there.mcap: has no turn 99; it has turns 1 to 2"),
        ("export there.mcap -o x.ply --turn 1 --at 3", "--at and --turn: give one of them"),
        ("export there.mcap -o x --turn 1", "are for one frame as .ply or .pcd"),
        ("export frames -o x.ply --turn 1", "only a session knows its turns"),
        ("report frames --turn 1 -o x.zip", "no calibration"),
        ("report there.mcap --turn 1 -o x.doc", "x.doc"),
        ("replay there.zip", "there.zip: is damaged, or no zip file"),
        ("replay frames", "--players"),
        ("batch nowhere --game out", "nowhere: is no folder"),
        ("batch frames --game there.txt", "there.txt: is a file"),
        ("batch frames --game frames", "holds the recordings themselves"),
    ],
)
def test_bad_words_get_one_line_and_leave_nothing(
    words: str, says: str, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    own_folder(tmp_path / "frames")
    small.write(tmp_path / "there.mcap", 10)
    (tmp_path / "there.txt").write_text("x")
    (tmp_path / "there.zip").write_text("x")
    (tmp_path / "empty.mcap").write_bytes(b"")
    before = sorted(path.name for path in tmp_path.iterdir())
    status, out, err = call(capfd, *words.split())
    assert status == 2
    assert out == ""
    assert says in err
    assert err.count("\n") == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_info_says_what_is_in_every_kind_of_file(capfd: pytest.CaptureFixture[str]) -> None:
    said = {}
    for name in ("recordings/turn.mcap", "recordings/case.zip", "game", "game/truth.jsonl", "clouds/still_table.ply"):
        status, said[name], err = call(capfd, "info", ROOT / "fixtures" / name)
        assert (status, err) == (0, ""), name
    assert "frames    2, " in said["recordings/turn.mcap"]
    assert "with it   table.toml" in said["recordings/turn.mcap"]
    assert "Blue's road r3 is legal." in said["recordings/case.zip"]
    assert "72" in said["game"]
    assert "blue, pink" in said["game/truth.jsonl"]
    assert "124814" in said["clouds/still_table.ply"]


def test_info_of_a_damaged_session_says_so_and_ends_with_status_1(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    data = small.write(tmp_path / "whole.mcap", 20).read_bytes()
    path = tmp_path / "game.mcap"
    path.write_bytes(data[: len(data) * 2 // 3])
    status, out, err = call(capfd, "info", path)
    assert status == 1
    assert "cut before its end" in err
    assert "frames" in out
    path.write_bytes(data)
    status, out, err = call(capfd, "info", path, "--check")
    assert (status, err) == (0, "")
    assert "20 (all read, all as they were recorded)" in out


def test_info_of_a_session_that_is_being_recorded(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "game.mcap"
    with SessionWriter.open(path, camera=small.CAMERA, table_toml=None, pieces_toml=None, info={}) as writer:
        writer.frame(small.frame(0))
        while writer.written_bytes < 10_000:
            time.sleep(0.01)
        status, _, err = call(capfd, "info", path)
    assert status == 1
    assert "is being recorded just now" in err
    assert call(capfd, "info", path)[0] == 0


def test_repair_and_go_on_with_what_is_left(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    cut = tmp_path / "cut.mcap"
    data = TURN.read_bytes()
    cut.write_bytes(data[: int(len(data) * 0.85)])
    status, out, _ = call(capfd, "repair", cut, "-o", tmp_path / "whole.mcap")
    assert status == 0
    assert "saved; lost: nothing, and what came after the cut" in out
    assert open_session(tmp_path / "whole.mcap").ended
    assert call(capfd, "info", tmp_path / "whole.mcap", "--check")[0] == 0


def test_the_set_up_is_no_turn(capfd: pytest.CaptureFixture[str]) -> None:
    assert "12 lines, 1 turn\n" in call(capfd, "info", TURN)[1]


def test_frames_outlive_a_damaged_calibration(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The map of the empty table is most of a short session: where it is hurt, the pictures are saved all the same."""
    data = bytearray(TURN.read_bytes())
    data[data.index(b".npz") + 60_000] ^= 1
    hurt, whole = tmp_path / "hurt.mcap", tmp_path / "whole.mcap"
    hurt.write_bytes(data)
    status, out, err = call(capfd, "repair", hurt, "-o", whole)
    assert status == 0, err
    assert "2 frames, 12 lines of the game, 1 layout saved; lost: table-" in out
    assert call(capfd, "info", whole, "--check")[0] == 0
    status, _, err = call(capfd, "reconstruct", whole, "--json", tmp_path / "layout.json")
    assert status == 2
    assert f"{whole}: its calibration has lost table-" in err
    assert "give one with --calibration" in err


def test_a_session_is_read_with_the_calibration_in_it(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The chain from a session to its pieces, held against the truth."""
    status, _, err = call(capfd, "reconstruct", TURN, "--json", tmp_path / "layout.json")
    assert status == 0, err
    seen = json.loads((tmp_path / "layout.json").read_text())
    true = json.loads((TURN.parent / "truth.json").read_text())["layout"]
    assert len(seen["roads"]) == len(true["roads"]) == 3
    assert sorted(column["levels"] for column in seen["columns"]) == [1, 1, 2]
    for column in true["columns"]:
        assert any(
            abs(one["x"] - column["x"]) < 2 and abs(one["y"] - column["y"]) < 2 and one["levels"] == column["levels"]
            for one in seen["columns"]
        )


def test_export_and_read_again(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert call(capfd, "export", TURN, "-o", tmp_path / "frames")[0] == 0
    for ours, theirs in zip(open_source(str(TURN)), open_source(str(tmp_path / "frames")), strict=True):
        assert (ours.depth == theirs.depth).all()
        assert ours.color is not None
        assert (ours.color == theirs.color).all()
    status, out, _ = call(capfd, "export", TURN, "-o", tmp_path / "x.ply", "--frame", "table", "--turn", 1)
    assert (status, out) == (0, f"{tmp_path / 'x.ply'}: 1 frame\n")
    assert b"comment th-vision, table frame, mm" in (tmp_path / "x.ply").read_bytes()[:200]


def test_replay_of_a_case_says_whether_it_is_ruled_as_it_was(capfd: pytest.CaptureFixture[str]) -> None:
    status, out, _ = call(capfd, "replay", CASE)
    assert status == 0
    assert out.splitlines()[-1].startswith("Turn 1: ruled as it was by th-vision")


def test_a_report_of_a_session_that_holds_its_game(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    status, out, _ = call(capfd, "report", TURN, "--turn", 1, "-o", tmp_path / "case.zip")
    assert status == 0
    assert out.startswith(f"{tmp_path / 'case.zip'}: turn 1, 2 frames")
    assert not list(tmp_path.glob(".*"))
    assert "turn 9: is not in this game" in call(capfd, "report", TURN, "--turn", 9, "-o", tmp_path / "9.zip")[2]
