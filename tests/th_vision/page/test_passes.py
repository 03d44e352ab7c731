"""Viewers who were let in are let in again after the referee was started anew, and nobody else is."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from th_vision.page.passes import MAX_AGE_S, Passes, forget, keep, kept, place_of


@pytest.fixture
def record(tmp_path: Path) -> Path:
    path = tmp_path / "game.jsonl"
    path.write_text('{"type":"game","players":["blue","pink"]}\n{"type":"ramp"}\n')
    return path


def test_the_same_game_lets_the_same_viewers_in(record: Path) -> None:
    passes = Passes.new()
    assert keep(passes, record)
    with record.open("a") as file:
        file.write('{"type":"move"}\n')  # the game has gone on since
    assert kept(record, time.time()) == passes


def test_nothing_of_it_stands_in_the_record_and_only_its_owner_reads_it(record: Path) -> None:
    passes = Passes.new()
    keep(passes, record)
    place = place_of(record)
    assert place.parent == record.parent
    assert place.stat().st_mode & 0o777 == 0o600
    assert passes.code not in record.read_text()
    assert passes.token not in record.read_text()
    assert [path.name for path in record.parent.iterdir() if path.suffix == ".part"] == []


def test_another_game_gets_another_code(record: Path) -> None:
    keep(Passes.new(), record)
    record.write_text('{"type":"game","players":["blue","green"]}\n')
    assert kept(record, time.time()) is None


def test_what_others_could_have_read_or_put_there_is_not_used(record: Path, tmp_path: Path) -> None:
    passes = Passes.new()
    place = place_of(record)
    for mode in (0o640, 0o604, 0o620):
        keep(passes, record)
        place.chmod(mode)
        assert kept(record, time.time()) is None
    keep(passes, record)
    place.rename(tmp_path / "elsewhere")
    place.symlink_to(tmp_path / "elsewhere")
    assert kept(record, time.time()) is None
    place.unlink()
    os.link(tmp_path / "elsewhere", place)
    assert kept(record, time.time()) is None, "it has another name, too"
    place.unlink()
    os.mkfifo(place, 0o600)
    assert kept(record, time.time()) is None, "and a pipe is not waited for"
    place.unlink()
    place.mkdir()
    assert kept(record, time.time()) is None
    assert not keep(passes, record)


def test_an_old_one_is_not_used(record: Path) -> None:
    keep(Passes.new(), record)
    assert kept(record, time.time() + MAX_AGE_S + 60) is None
    assert kept(record, time.time() - MAX_AGE_S - 60) is None


@pytest.mark.parametrize(
    "more",
    [
        {"code": "12345"},
        {"code": 123456},
        {"token": "../../x"},
        {"token": ""},
        {"secret": "00"},
        {"secret": "zz"},
        {"game": 1},
    ],
)
def test_a_file_that_was_changed_is_not_used(record: Path, more: dict[str, object]) -> None:
    keep(Passes.new(), record)
    place = place_of(record)
    place.write_text(json.dumps(json.loads(place.read_text()) | more))
    assert kept(record, time.time()) is None
    place.write_text("[" * 900)
    assert kept(record, time.time()) is None


def test_a_game_without_a_place_goes_on_all_the_same(tmp_path: Path) -> None:
    assert not keep(Passes.new(), tmp_path / "nowhere" / "game.jsonl")
    assert kept(tmp_path / "nowhere" / "game.jsonl", 0.0) is None
    forget(tmp_path / "nowhere" / "game.jsonl")
