"""An archive gone through anew: what changed, whatever single files are like."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from tests.conftest import ROOT
from th_vision.commands.batch import table
from th_vision.errors import VisionError
from th_vision.sessions import batch
from th_vision.sessions.batch import LOG, done_before, find, jobs_of
from th_vision.sessions.batch_job import Job, Result, run_job

GAMES = ROOT / "tests" / "games"
PLAIN = Job(name="", path="", kind="", output="")


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    folder = tmp_path / "archive"
    (folder / "old").mkdir(parents=True)
    shutil.copy(GAMES / "classic-2-cars.jsonl", folder)
    shutil.copy(GAMES / "missions-2-sticks.jsonl", folder / "old")
    (folder / "bad.jsonl").write_text("no game at all\n")
    (folder / "bad.mcap").write_bytes(bytes(range(256)) * 9)
    (folder / "notes.txt").write_text("not a recording\n")
    return folder


def test_recordings_are_found_in_order_and_frames_are_none(archive: Path, tmp_path: Path) -> None:
    images = archive / "game"
    (images / "depth").mkdir(parents=True)
    (images / "depth" / "000000.png").write_bytes(b"")
    (images / "recording.json").write_text("{}")
    (images / "truth.jsonl").write_text("")
    (images / "calibration" / "depth").mkdir(parents=True)
    (images / "calibration" / "recording.json").write_text("{}")
    (archive / ".hidden.mcap").write_bytes(b"")
    found = [(name, kind) for name, _, kind in find(archive, tmp_path / "out")]
    assert found == [
        ("bad.jsonl", "record"),
        ("bad.mcap", "session"),
        ("classic-2-cars.jsonl", "record"),
        ("game", "folder"),
        (os.path.join("old", "missions-2-sticks.jsonl"), "record"),
    ]


def test_new_records_inside_the_archive_are_not_taken_for_old_ones(archive: Path) -> None:
    out = archive / "anew"
    out.mkdir()
    shutil.copy(GAMES / "classic-2-cars.jsonl", out)
    assert all("anew" not in name for name, _, _ in find(archive, out))


def test_other_rules_change_rulings_and_say_how(archive: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    found = [one for one in find(archive, out) if one[0].startswith("classic")]
    (job,) = jobs_of(found, out, PLAIN)
    same = run_job(job)
    assert (same.status, same.changed, same.error) == ("same", 0, "")
    assert same.rulings > 10
    (strict,) = jobs_of(found, out, Job(**{**vars(PLAIN), "rules": "rainbow-city"}))
    changed = run_job(strict)
    assert changed.status == "changed"
    assert changed.changed >= len(changed.changes) > 0
    assert changed.changes[0].startswith("turn ")
    assert (out / "classic-2-cars.jsonl").read_text().startswith('{"type":"game"')


def test_one_bad_file_is_one_bad_line(archive: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "old").mkdir()
    results = [run_job(job) for job in jobs_of(find(archive, out), out, PLAIN)]
    assert [result.status for result in results] == ["failed", "failed", "same", "same"]
    text = table(results)
    assert "bad.mcap" in text
    assert "is no MCAP file" in text
    assert text.count("bad.mcap") == 1
    assert str(tmp_path) not in text
    assert text.splitlines()[-1] == "4 recordings: 2 as they were, 0 changed, 2 failed"


def test_what_could_not_be_read_of_a_session_is_said_beside_its_result(tmp_path: Path) -> None:
    """Refereed as it was, as far as it goes; but it does not go to its end."""
    folder, out = tmp_path / "archive", tmp_path / "out"
    folder.mkdir()
    out.mkdir()
    data = (ROOT / "fixtures" / "recordings" / "turn.mcap").read_bytes()
    (folder / "cut.mcap").write_bytes(data[: int(len(data) * 0.97)])
    (job,) = jobs_of(find(folder, out), out, PLAIN)
    result = run_job(job)
    assert result.rulings > 0, result.error
    (trouble,) = result.troubles
    assert trouble.startswith("was cut before its end")
    assert f"    {trouble}" in table([result]).splitlines()
    (out / LOG).write_text(json.dumps(result.plain()) + "\n")
    assert done_before(out)[job.key] == result


def test_what_was_done_is_not_done_again(archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "out"
    done: list[str] = []

    def all_here(jobs: list[Job], scheduler: str | None, workers: int) -> object:
        for job in jobs:
            done.append(job.name)
            yield run_job(job)

    monkeypatch.setattr(batch, "_all", all_here)
    jobs = jobs_of(find(archive, out), out, PLAIN)
    first = batch.run(jobs, out, scheduler=None, workers=1, tell=lambda _: None)
    with open(out / LOG, "a", encoding="utf-8") as log:
        log.write('{"name": "cut')  # killed while writing
    done.clear()
    second = batch.run(jobs, out, scheduler=None, workers=1, tell=lambda _: None)
    assert done == ["bad.jsonl", "bad.mcap"]  # what failed is tried again
    assert [one.status for one in first] == [one.status for one in second]
    (archive / "classic-2-cars.jsonl").touch()
    done.clear()
    batch.run(jobs_of(find(archive, out), out, PLAIN), out, scheduler=None, workers=1, tell=lambda _: None)
    assert "classic-2-cars.jsonl" in done


def die_on_bad(job: Job) -> Result:
    if job.name.startswith("bad"):
        os._exit(9)
    return Result(job.name, job.kind, "same", key=job.key)


def test_a_job_that_kills_its_process_hurts_no_other(
    archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("distributed", reason="Dask is an extra: pip install 'th-vision[batch]'")
    monkeypatch.setattr(batch, "run_job", die_on_bad)
    out = tmp_path / "out"
    results = batch.run(jobs_of(find(archive, out), out, PLAIN), out, scheduler=None, workers=1, tell=lambda _: None)
    assert [(one.name, one.status) for one in results] == [
        ("bad.jsonl", "failed"),
        ("bad.mcap", "failed"),
        ("classic-2-cars.jsonl", "same"),
        (os.path.join("old", "missions-2-sticks.jsonl"), "same"),
    ]
    assert "its process died" in results[0].error
    assert len(done_before(out)) == 2
    lines = [line for line in (out / LOG).read_text().splitlines() if line]
    assert {json.loads(line)["name"] for line in lines} == {one.name for one in results}


def test_without_dask_one_line_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "dask", None)
    with pytest.raises(VisionError, match=r"pip install 'th-vision\[batch\]'"):
        batch._dask()


def test_an_empty_archive_is_refused(tmp_path: Path) -> None:
    with pytest.raises(VisionError, match="holds no recordings"):
        find(tmp_path, tmp_path / "out")
