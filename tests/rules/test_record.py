"""Reading never loses a game; what is written is on the disk, whole or not at all."""

from __future__ import annotations

import io
import json
import os
import re
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules import record as record_module
from rules.errors import RulesError
from rules.events import GameFact, KnockFact, Line, PassFact, RulingLine
from rules.record import MAX_BAD, MAX_LINE_BYTES, MAX_LINES, RecordWriter, parse_record, read_record, write_record

CONTRACT = (Path(__file__).parent / "contract_lines.jsonl").read_bytes()
GAME = CONTRACT.splitlines()[0]
PASS = b'{"type":"pass","turn":3,"player":"blue"}'


def read_with(line: bytes) -> str:
    """The report on one bad line between a game line and a good line, both of which must survive."""
    record = parse_record(b"\n".join((GAME, line, PASS)))
    assert [entry.number for entry in record.entries] == [1, 3]
    (bad,) = record.bad
    assert bad.number == 2
    assert "\n" not in bad.reason
    return bad.reason


# --- Reading -------------------------------------------------------------------------------------------------------


def test_facts_and_rulings_share_one_file() -> None:
    record = parse_record(CONTRACT)
    assert record.bad == ()
    assert len(record.lines) == len(CONTRACT.splitlines()) == len(record.facts) + len(record.answers)
    assert isinstance(record.lines[0], GameFact)
    assert isinstance(record.answers[0], RulingLine)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"nonsense", "is no JSON"),
        (b'{"type":"pass","turn":3,"pla', "cut off"),
        (b"[1, 2]", "no JSON object"),
        (b"17", "no JSON object"),
        (b"{}", "type: expected one of"),
        (b'{"type":"teleport"}', "got 'teleport'"),
        (b'{"type":["move"]}', "type: expected one of"),
        (b'{"type":"pass"}', "turn: field required; and 1 more"),
        (b'{"type":"pass","turn":"three","player":"blue"}', "turn: input should be a valid integer"),
        (b'{"type":"pass","turn":true,"player":"blue"}', "turn: expected a whole number, got true or false"),
        (b'{"type":"pass","turn":1.5,"player":"blue"}', "turn: "),
        (b'{"type":"pass","turn":-1,"player":"blue"}', "turn: "),
        (b'{"type":"pass","turn":1e400,"player":"blue"}', "turn: "),
        (b'{"type":"pass","turn":1' + b"0" * 5000 + b',"player":"blue"}', "number out of range"),
        (b'{"type":"knock","turn":1,"by":"blue","pieces":["r1"],"shift_mm":NaN}', "is no JSON"),
        (b'{"type":"knock","turn":1,"by":"blue","pieces":["r1"],"shift_mm":1e300}', "shift_mm: "),
        (b'{"type":"knock","turn":1,"by":"blue","pieces":"r1"}', "pieces: "),
        (b'{"type":"pass","turn":1,"player":"\xff\xfe"}', "is no JSON"),
        (b"\x00\x00\x00\x00", "is no JSON"),
        (b"[" * 100_000, "recursion limit"),
        (b'{"a":' * 10_000, "recursion limit"),
        (b'{"type":"pass","turn":1,"player":"' + b"x" * 3_000_000 + b'"}', "longer than"),
        (GAME, "a second game line"),
        (b'{"type":"move","turn":1,"player":"blue","base":"c1","column":{"id":"c2","x":0,"y":0,"gray":0,"yellow":0}}',
         "column: a column needs at least one disc"),
        (b'{"type":"correction","turn":1,"ruling":"r1","set":{"gap":1e999}}', "set."),
    ],
)  # fmt: skip
def test_a_bad_line_is_reported_with_its_number_and_reason_and_the_game_goes_on(line: bytes, reason: str) -> None:
    assert reason in read_with(line)


def test_the_bad_line_itself_is_kept() -> None:
    assert parse_record(GAME + b"\n{oh no\n").bad[0].text.strip() == "{oh no"


def test_a_last_line_that_was_cut_off_costs_only_itself() -> None:
    lines = CONTRACT.rstrip(b"\n")
    record = parse_record(lines[:-20])
    assert len(record.entries) == len(CONTRACT.splitlines()) - 1
    assert "cut off" in record.bad[0].reason


def test_empty_lines_windows_line_ends_and_a_byte_order_mark_are_no_faults() -> None:
    text = b"\xef\xbb\xbf" + GAME + b"\r\n\r\n   \n" + PASS + b"\r\n"
    record = parse_record(text)
    assert record.bad == ()
    assert [entry.number for entry in record.entries] == [1, 4]


def test_the_examples_of_the_documentation_are_read() -> None:
    page = (Path(__file__).parents[2] / "docs" / "records.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```json\n(.*?)```", page, flags=re.S)
    assert blocks
    for block in blocks:
        assert parse_record(block).bad == ()


def test_keys_that_a_later_version_adds_are_ignored() -> None:
    assert parse_record(PASS[:-1] + b',"mood":"sad"}').lines == (PassFact(turn=3, player="blue"),)


def test_a_newer_version_is_read_as_far_as_it_goes_and_said() -> None:
    record = parse_record(GAME.replace(b'"version": 1', b'"version": 7'))
    assert record.game.version == 1
    assert "line 1: written in format version 7" in record.notes[0]


def test_an_older_version_is_brought_up_to_date_by_the_migrations(monkeypatch: pytest.MonkeyPatch) -> None:
    def rename_who(data: dict[str, object]) -> dict[str, object]:
        return {("player" if key == "who" else key): value for key, value in data.items()}

    monkeypatch.setattr(record_module, "VERSION", 2)
    monkeypatch.setitem(record_module.MIGRATIONS, 1, rename_who)
    old = b'{"type":"pass","turn":3,"who":"blue"}'
    game = b'{"type":"game","version":1,"players":["blue","pink"]}'
    record = parse_record(game + b"\n" + old)
    assert record.bad == ()
    assert (record.game.version, record.lines[1]) == (2, PassFact(turn=3, player="blue"))


def test_a_version_without_a_migration_is_a_bad_line_not_a_crash(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record_module, "VERSION", 2)
    record = parse_record(GAME + b"\n" + PASS)
    assert [bad.number for bad in record.bad] == [1, 2]
    assert "from format version 1 to 2" in record.bad[0].reason


def test_a_record_without_a_game_line_says_so() -> None:
    with pytest.raises(RulesError, match='no "game" line'):
        parse_record(PASS).game  # noqa: B018 - asking is the test
    with pytest.raises(RulesError, match="line 1: players: "):
        parse_record(b'{"type":"game","players":["blue"]}').game  # noqa: B018 - asking is the test


def test_a_missing_file_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(RulesError, match="can't be read"):
        read_record(tmp_path / "nothing.jsonl")
    with pytest.raises(RulesError, match="can't be read"):
        read_record(tmp_path)


@pytest.mark.parametrize(("line", "count"), [(b"garbage", 1_000_000), (b'{"type":"pass"}', 100_000), (PASS, 1_000_000)])
def test_a_million_lines_neither_hang_nor_fill_the_memory(line: bytes, count: int) -> None:
    start = time.perf_counter()
    record = parse_record(GAME + b"\n" + (line + b"\n") * count)
    assert time.perf_counter() - start < 30
    assert len(record.bad) <= MAX_BAD
    assert len(record.entries) <= MAX_LINES
    assert record.bad_count == count or "no game is that long" in record.notes[0]


def test_a_line_that_never_ends_is_not_held_in_memory() -> None:
    class Endless(io.RawIOBase):
        left = 200 * MAX_LINE_BYTES

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]  # the buffer of a BufferedReader
            size = min(len(buffer), self.left)
            buffer[:size] = b"x" * size
            self.left -= size
            return size

    record = parse_record(io.BufferedReader(Endless()))
    assert "longer than" in record.bad[0].reason
    assert len(record.bad[0].text) <= MAX_LINE_BYTES + 1


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=400))
def test_random_bytes_never_crash_the_reader(noise: bytes) -> None:
    record = parse_record(GAME + b"\n" + noise + b"\n" + PASS)
    assert isinstance(record.lines[0], GameFact)
    assert record.lines[-1] == PassFact(turn=3, player="blue")


@settings(max_examples=300, deadline=None)
@given(st.integers(0, len(CONTRACT)), st.integers(0, len(CONTRACT)), st.binary(max_size=3))
def test_a_record_with_a_hole_keeps_every_line_outside_the_hole(start: int, end: int, filling: bytes) -> None:
    start, end = sorted((start, end))
    whole = CONTRACT.count(b"\n", 0, start), CONTRACT.count(b"\n", end)
    record = parse_record(CONTRACT[:start] + filling.replace(b"\n", b" ") + CONTRACT[end:])
    assert len(record.entries) >= sum(whole) - 1
    assert record.bad_count <= 2


@st.composite
def twisted_lines(draw: st.DrawFn) -> bytes:
    """A line of the contract with one value of it replaced by something else."""
    data = json.loads(draw(st.sampled_from(CONTRACT.splitlines())))
    spots: list[tuple[object, object]] = []

    def walk(node: object) -> None:
        children = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
        for key, child in children:
            spots.append((node, key))
            walk(child)

    walk(data)
    node, key = draw(st.sampled_from(spots))
    scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
    node[key] = draw(
        scalars | st.lists(scalars, max_size=3) | st.dictionaries(st.text(max_size=3), scalars, max_size=2)
    )  # type: ignore[index]
    return json.dumps(data).encode()


@settings(max_examples=500, deadline=None)
@given(twisted_lines())
def test_a_line_with_a_wrong_value_is_read_or_reported(line: bytes) -> None:
    record = parse_record(line)
    assert len(record.entries) + record.bad_count == 1
    for read in record.lines:
        assert parse_record(read.to_line()).lines == (read,)


# --- Writing -------------------------------------------------------------------------------------------------------


def lines() -> tuple[Line, ...]:
    return parse_record(CONTRACT).lines


def test_what_is_written_is_read_back_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "a game.jsonl"
    write_record(path, lines())
    assert read_record(path).lines == lines()
    assert list(tmp_path.iterdir()) == [path], "nothing is left beside it"
    assert stat.S_IMODE(path.stat().st_mode) & 0o444


def test_a_write_that_fails_leaves_the_old_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    write_record(path, lines())

    def broken() -> object:
        yield lines()[0]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_record(path, broken())  # type: ignore[arg-type]  # a writer that is interrupted
    assert read_record(path).lines == lines()
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_that_is_not_there_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(RulesError, match="can't be written"):
        write_record(tmp_path / "no" / "game.jsonl", lines())
    with pytest.raises(RulesError, match="can't be written"):
        RecordWriter.open(tmp_path / "no" / "game.jsonl")


def test_a_running_game_is_on_the_disk_after_every_line(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    with RecordWriter.open(path) as writer:
        for count, line in enumerate(lines(), start=1):
            writer.write(line)
            assert len(read_record(path).lines) == count


def test_every_line_is_brought_to_the_disk_before_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda descriptor: synced.append(os.fstat(descriptor).st_size))
    with RecordWriter.open(tmp_path / "game.jsonl") as writer:
        synced.clear()
        sizes = []
        for line in lines():
            writer.write(line)
            sizes.append((tmp_path / "game.jsonl").stat().st_size)
    assert synced == sizes


def test_a_killed_game_keeps_every_line_written(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    script = (
        "import os, sys\n"
        "from rules.record import RecordWriter\n"
        "from rules.events import PassFact\n"
        "writer = RecordWriter.open(sys.argv[1])\n"
        "for turn in range(5): writer.write(PassFact(turn=turn, player='blue'))\n"
        "os.kill(os.getpid(), 9)\n"
    )
    subprocess.run([sys.executable, "-c", script, str(path)], check=False, cwd=Path(record_module.__file__).parents[1])
    assert [line.turn for line in read_record(path).lines] == [0, 1, 2, 3, 4]  # type: ignore[union-attr]  # passes


def test_an_earlier_game_is_moved_aside_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    for turn in (1, 2, 3):
        with RecordWriter.open(path) as writer:
            writer.write(PassFact(turn=turn, player="blue"))
            assert writer.kept == (tmp_path / f"game.jsonl.{turn - 1}" if turn > 1 else None)
    games = {name: read_record(tmp_path / name).lines[0].turn for name in os.listdir(tmp_path)}  # type: ignore[union-attr]
    assert games == {"game.jsonl.1": 1, "game.jsonl.2": 2, "game.jsonl": 3}


def test_a_game_is_resumed_on_a_line_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    path.write_bytes(GAME + b'\n{"type":"pass","tu')
    with RecordWriter.open(path, resume=True) as writer:
        writer.write(KnockFact(turn=2, by="pink", pieces=("r1",)))
    record = read_record(path)
    assert [line.type for line in record.lines] == ["game", "knock"]
    assert record.bad[0].number == 2
