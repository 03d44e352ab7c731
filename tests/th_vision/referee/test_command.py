"""``th-vision referee`` as it is typed: what is refused in one line, and a game from its options to its files."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import cli
from rules.record import read_record
from tests.th_vision.games import C1, PIECES, RAMPS, car, follow, game_line, plus, road
from tests.th_vision.referee.live_scene import LAYOUTS, Film, read
from tests.th_vision.still_scene import table
from tests.th_vision.test_languages_of_commands import english
from th_vision import terminal
from th_vision.commands import referee as command
from th_vision.errors import VisionError
from th_vision.referee.reading import ReadAside
from th_vision.referee.resume import load_game


@pytest.fixture
def film(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The command with a film instead of a camera, and eyes that see its layouts."""
    monkeypatch.setattr(command, "open_with_table", lambda spec, calibration: (Film(), table()))
    monkeypatch.setattr(command, "pieces_for", lambda source, pieces: PIECES)
    monkeypatch.setattr(command, "ReadAside", lambda pieces: ReadAside(pieces, read, process=False))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*words: str) -> int:
    return terminal.run(cli.app, ["referee", *words])


def test_a_game_is_recorded_under_the_days_name_where_no_other_is_given(
    film: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run("film", "--players", "blue,pink", "--speed", "0") == 0
    (record,) = film.glob("game-*.jsonl")
    kinds = [line.type for line in read_record(record).facts]
    assert kinds == ["game", "ramp", "ramp", "move", "move", "move"]
    said = capfd.readouterr().out
    assert f"The game's record: {record.name}" in said
    assert "Turn 3: blue builds road r5" in said
    assert "\x1b" not in said


def test_who_begins_anew_over_an_earlier_game_is_told_where_that_one_is(
    film: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (film / "game.jsonl").write_text(f"{game_line().to_line()}\n")
    assert run("film", "--players", "blue,pink", "--speed", "0", "--game", "game.jsonl") == 0
    assert "The game that was there is kept: game.jsonl.1." in capfd.readouterr().out
    assert (film / "game.jsonl.1").read_text() == f"{game_line().to_line()}\n"


@pytest.mark.parametrize("language", ["es", "zh-Hant"])
def test_a_whole_game_is_told_in_the_language(film: Path, language: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run("film", "--players", "blue,pink", "--speed", "0", "--lang", language) == 0
    out, err = capfd.readouterr()
    assert len(out.splitlines()) > 8
    assert english(out + err) == []
    (record,) = film.glob("game-*.jsonl")
    assert not re.search(r"[^\x00-\x7f]", record.read_text()), "the record is the same in every language"


def test_the_page_of_a_game_that_goes_on_has_the_code_it_had(film: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Kept beside the record for its owner alone, and nowhere in it."""
    words = ("film", "--serve", ":0", "--speed", "0")
    assert run(*words, "--players", "blue,pink", "--game", "game.jsonl") == 0
    (code,) = re.findall(r"Control code: (\d{6})", capfd.readouterr().out)
    kept = film / "game.jsonl.page"
    assert kept.stat().st_mode & 0o777 == 0o600
    assert code not in (film / "game.jsonl").read_text()
    assert run(*words, "--resume", "game.jsonl") == 0
    assert f"Control code: {code}" in capfd.readouterr().out


def test_a_game_is_taken_up_from_its_record_and_goes_on_in_it(film: Path, capfd: pytest.CaptureFixture[str]) -> None:
    follower, _ = follow(LAYOUTS[:4])
    path = film / "game.jsonl"
    lines = [game_line(), *follower.told]
    path.write_text("".join(f"{line.to_line()}\n" for line in lines))
    assert run("film", "--resume", str(path), "--speed", "0") == 0
    assert "The game goes on after turn 2" in capfd.readouterr().out
    kinds = [line.type for line in read_record(path).facts]
    assert kinds[:5] == ["game", "ramp", "ramp", "move", "move"]
    assert not list(film.glob("game-*.jsonl"))
    assert not list(film.glob("game.jsonl.*"))


def test_a_game_that_goes_on_in_another_record_stands_there_whole(film: Path) -> None:
    follower, _ = follow(LAYOUTS[:4])
    path = film / "game.jsonl"
    path.write_text("".join(f"{line.to_line()}\n" for line in [game_line(), *follower.told]))
    before = path.read_bytes()
    assert run("film", "--resume", str(path), "--game", "other.jsonl", "--speed", "0") == 0
    assert path.read_bytes() == before
    kinds = [line.type for line in read_record(film / "other.jsonl").facts]
    assert kinds[:5] == ["game", "ramp", "ramp", "move", "move"]
    assert kinds.count("move") == 3


def test_a_game_that_is_over_is_said_to_be_when_it_is_taken_up(film: Path, capfd: pytest.CaptureFixture[str]) -> None:
    one = {"gray": 10, "yellow": 1, "sticks": 10, "cars": 2}
    game = game_line(material={"blue": one, "pink": one})
    offramp = road("r3", C1, (-57, 112))
    follower, _ = follow([RAMPS, plus(RAMPS, offramp, car("k3", offramp, "blue"))], game)
    (film / "game.jsonl").write_text("".join(f"{line.to_line()}\n" for line in [game, *follower.told]))
    run("film", "--resume", "game.jsonl", "--speed", "0")
    assert "By its record this game is over" in capfd.readouterr().out


def test_a_line_that_can_t_be_read_is_said_when_the_game_goes_on(film: Path, capfd: pytest.CaptureFixture[str]) -> None:
    follower, _ = follow(LAYOUTS[:4])
    lines = [line.to_line() for line in [game_line(), *follower.told]]
    (film / "game.jsonl").write_text("\n".join([*lines[:-1], lines[-1][:40]]) + "\n")
    assert run("film", "--resume", "game.jsonl", "--speed", "0") == 0
    said = capfd.readouterr().out.splitlines()
    assert "The game goes on" in said[0]
    assert "is no JSON" in said[1]


def test_answers_that_were_cut_off_are_written_when_the_game_goes_on(film: Path) -> None:
    assert run("film", "--players", "blue,pink", "--speed", "0", "--game", "game.jsonl") == 0
    whole = (film / "game.jsonl").read_text().splitlines()
    last = max(i for i, line in enumerate(whole) if '"type":"move"' in line)
    (film / "cut.jsonl").write_text("\n".join(whole[: last + 1]) + '\n{"type":"ruling","tu')
    resumed = load_game(film / "cut.jsonl")
    assert [answer.to_line() for answer in resumed.missing] == whole[last + 1 :]
    assert len(resumed.notes) == 1


def test_events_go_to_standard_output_and_sentences_to_the_other_one(
    film: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run("film", "--players", "blue,pink", "--speed", "0", "--json", "-", "--quiet") == 0
    out, err = capfd.readouterr()
    events = [json.loads(line) for line in out.splitlines()]
    assert [event["fact"]["type"] for event in events if event["event"] == "told"].count("move") == 3
    assert "At the end" in err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "nobody is named"),
        (("--players", "blue"), "1 given"),
        (("--players", "blue,purple"), "'purple' has no colour"),
        (("--players", "blue,pink", "--speed", "-1"), "is no speed"),
        (("--players", "blue,pink", "--turn-pause", "0"), "give seconds"),
        (("--players", "blue,pink", "--serve", "here:now"), "is no port"),
        (("--players", "blue,pink", "--game", "nowhere/game.jsonl"), "no folder"),
        (("--players", "blue,pink", "--game", "-", "--json", "-"), "another output"),
        (("--players", "blue,pink", "--record", "-"), "can't go to standard output"),
        (("--resume", "nothing.jsonl"), "can't be read"),
        (("--players", "blue,pink", "--lang", "tlh"), "tlh"),
    ],
)
def test_what_can_t_be_is_refused_in_one_line(
    words: tuple[str, ...], message: str, film: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run("film", *words) == 2
    err = capfd.readouterr().err
    assert message in err
    assert err.count("\n") == 1
    assert not list(film.iterdir())


def test_a_game_of_other_players_is_not_gone_on_with(film: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (film / "game.jsonl").write_text(f"{game_line().to_line()}\n")
    assert run("film", "--resume", "game.jsonl", "--players", "pink,blue") == 2
    assert "is a game of blue,pink" in capfd.readouterr().err


def test_a_game_goes_on_by_its_own_rules(film: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (film / "game.jsonl").write_text(f"{game_line().to_line()}\n")
    assert run("film", "--resume", "game.jsonl", "--rules", "classic") == 2
    assert "--rules classic: this game goes on by rainbow-city" in capfd.readouterr().err
    assert run("film", "--resume", "game.jsonl", "--rules", "rainbow-city", "--speed", "0") == 0


def test_a_new_calibration_must_be_this_cameras(film: Path) -> None:
    from th_vision.referee.commands import Recalibrate

    with pytest.raises((VisionError, Exception), match=r"table\.toml"):
        command._table(Recalibrate(film / "table.toml"), Film())


def test_a_layout_of_the_record_has_every_piece_where_it_was_seen(film: Path) -> None:
    follower, _ = follow([RAMPS])
    path = film / "game.jsonl"
    path.write_text("".join(f"{line.to_line()}\n" for line in [game_line(), *follower.told]))
    taken_up = load_game(path).follower(PIECES)
    assert taken_up.state == "checking"
    assert {c.id: (c.x, c.y) for c in taken_up.known.layout.columns} == {c.id: (c.x, c.y) for c in RAMPS.columns}
