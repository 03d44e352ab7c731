"""A whole archive of recordings, refereed or adjudicated anew in parallel; resumable, and no bad file stops it."""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from th_vision.errors import VisionError
from th_vision.output import HEADERS
from th_vision.sessions.batch_job import Job, Result, run_job
from th_vision.sessions.writer import software

KINDS = {".jsonl": "record", ".mcap": "session", ".zip": "case", ".db3": "sdk", ".bag": "sdk"}
LOG = "batch.jsonl"
"""What was done, a line a recording, in the folder of the new records: who runs it again goes on from there."""


def find(folder: Path, output: Path) -> list[tuple[str, Path, str]]:
    """Name, path and kind of every recording under a folder, in order of names; frames of a folder are no recordings.

    Raises:
        VisionError: there is no such folder, or nothing in it.
    """
    if not folder.is_dir():
        raise VisionError(f"{folder}: is no folder; give the folder that holds the recordings")
    found: list[tuple[str, Path, str]] = []
    for place, folders, files in os.walk(folder):
        here = Path(place)
        folders[:] = sorted(name for name in folders if not name.startswith(".") and here / name != output)
        if any(name in files for name in HEADERS) and "depth" in folders:
            found.append((_name(here, folder), here, "folder"))
            folders.clear()
            continue  # its calibration/, game.jsonl and the like belong to it
        for name in sorted(files):
            kind = KINDS.get(Path(name).suffix.lower())
            if kind is not None and not name.startswith("."):
                found.append((_name(here / name, folder), here / name, kind))
    if not found:
        raise VisionError(f"{folder}: holds no recordings ({', '.join(KINDS)}, folders of images)")
    return sorted(found)


def _name(path: Path, folder: Path) -> str:
    return str(path.relative_to(folder)) if path != folder else folder.name


def jobs_of(found: Sequence[tuple[str, Path, str]], output: Path, settings: Job) -> list[Job]:
    """A job for each recording; ``settings`` has what is the same for all. A folder's own calibration comes first."""
    jobs = []
    for name, path, kind in found:
        own: dict[str, Any] = {}
        if kind == "folder":
            for key, file in (("calibration", "table.toml"), ("pieces", "pieces.toml")):
                if getattr(settings, key) is None and (path / file).exists():
                    own[key] = str((path / file).absolute())
        place = output / f"{name}.jsonl" if kind != "record" else output / name
        job = replace(settings, name=name, path=str(path.absolute()), kind=kind, output=str(place.absolute()), **own)
        jobs.append(replace(job, key=_key(job, path)))
    return jobs


def _key(job: Job, path: Path) -> str:
    """What a result depends on: the recording as it is, what was asked for, and this program."""
    stat = (path / "recording.json" if (path / "recording.json").exists() else path).stat()
    parts = [job.name, job.kind, stat.st_size, stat.st_mtime_ns, job.calibration, job.pieces, job.players, job.rules]
    text = json.dumps([*parts, dict(job.options), software()], default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def done_before(output: Path) -> dict[str, Result]:
    """Results of an earlier run by their keys; failures are tried again. Unreadable lines are no results."""
    found: dict[str, Result] = {}
    try:
        text = (output / LOG).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return found
    for line in text.splitlines():
        with contextlib.suppress(ValueError, TypeError):
            data = json.loads(line)
            result = Result(**{**data, **{name: tuple(data.get(name, ())) for name in ("changes", "troubles")}})
            if result.status != "failed":
                found[result.key] = result
    return found


def run(
    jobs: Sequence[Job],
    output: Path,
    *,
    scheduler: str | None,
    workers: int,
    tell: Callable[[Result], None],
) -> list[Result]:
    """Do all jobs that were not done before, on ``workers`` processes here or on a Dask cluster at ``scheduler``.

    Each result is on the disk before the next is waited for. In the order of ``jobs``.

    Raises:
        VisionError: Dask is not there, the cluster does not answer, or the place can't be written.
    """
    before = done_before(output)
    results = {job.name: replace(before[job.key], name=job.name) for job in jobs if job.key in before}
    todo = [job for job in jobs if job.name not in results]
    try:
        for job in todo:
            Path(job.output).parent.mkdir(parents=True, exist_ok=True)
        output.mkdir(parents=True, exist_ok=True)
        with open(output / LOG, "a", encoding="utf-8") as log:
            if log.tell() and todo:
                log.write("\n")  # the line before may have been cut
            for result in _all(todo, scheduler, workers) if todo else ():
                log.write(json.dumps(result.plain(), ensure_ascii=False) + "\n")
                log.flush()
                results[result.name] = result
                tell(result)
    except OSError as error:
        raise VisionError(f"{output}: can't be written ({error.strerror}); give another place") from error
    return [results[job.name] for job in jobs]


def _all(jobs: Sequence[Job], scheduler: str | None, workers: int) -> Iterator[Result]:
    """Results as they come. Never more jobs are out than can run: one that kills its process hurts no other."""
    dask, distributed = _dask()
    with contextlib.ExitStack() as ending:
        ending.enter_context(dask.config.set({"distributed.scheduler.allowed-failures": 0}))
        client = ending.enter_context(_client(distributed, scheduler, min(workers, len(jobs))))
        waiting = deque(jobs)
        places = max(1, sum(client.nthreads().values()))
        running = distributed.as_completed()
        names: dict[str, Job] = {}

        def send() -> None:
            job = waiting.popleft()
            future = client.submit(run_job, job, key=f"th-vision-{job.key}-{job.name}", pure=False)
            names[future.key] = job
            running.add(future)

        for _ in range(min(places, len(waiting))):
            send()
        for future in running:
            job = names.pop(future.key)
            if future.status == "finished":
                yield future.result()
            else:
                error = future.exception()
                text = f"its process died or could not begin ({type(error).__name__})"
                yield Result(job.name, job.kind, "failed", error=text, key=job.key)
            future.release()
            if waiting:
                send()


def _dask() -> tuple[Any, Any]:
    try:
        import dask
        import distributed
    except ImportError as error:
        raise VisionError(
            f"batch needs Dask, which is not installed ({error.name}): pip install 'th-vision[batch]'"
        ) from error
    return dask, distributed


def _client(distributed: Any, scheduler: str | None, workers: int) -> Any:
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what went wrong is in the results
    if scheduler is not None:
        try:
            return distributed.Client(scheduler, timeout="10s")
        except (OSError, TimeoutError, ValueError) as error:
            text = " ".join(str(error).split())
            raise VisionError(f"--scheduler {scheduler}: does not answer ({text}); check the address") from error
    cluster = distributed.LocalCluster(
        n_workers=workers,
        threads_per_worker=1,
        processes=True,
        dashboard_address=None,
        silence_logs=logging.CRITICAL,
        memory_limit=0,
    )
    client = distributed.Client(cluster)
    return _Both(client, cluster)


class _Both:
    """A client and its cluster, closed together."""

    def __init__(self, client: Any, cluster: Any) -> None:
        self._client, self._cluster = client, cluster

    def __enter__(self) -> Any:
        return self._client

    def __exit__(self, *_: object) -> None:
        self._client.close()
        self._cluster.close()
