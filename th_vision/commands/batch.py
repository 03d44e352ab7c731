"""``th-vision batch``: an archive of recordings refereed or adjudicated anew, and what changed by it."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from rules.adjudicate import parse_options
from rules.outcome import Outcome
from th_vision.errors import VisionError
from th_vision.output import refuse_stdout
from th_vision.said import said
from th_vision.sessions.batch import find, jobs_of
from th_vision.sessions.batch import run as run_all
from th_vision.sessions.batch_job import Job, Result, check_pieces
from th_vision.words import words_in
from th_vision.wrapping import in_columns


def run(
    folder: Path,
    game: Path,
    *,
    calibration: Path | None,
    pieces: Path | None,
    players: str | None,
    rules: str | None,
    options: Sequence[str],
    scheduler: str | None,
    workers: int | None,
    tell: Callable[[str], None],
    language: str = "en",
) -> Outcome:
    """Do every recording under ``folder``; new records go to the folder ``game``. Status 1: some changed or failed.

    Raises:
        VisionError, RulesError, CalibrationError: nothing to do, a bad option, or a place that can't be written.
    """
    refuse_stdout(game, "a folder of records")
    if game.exists() and not game.is_dir():
        raise VisionError(f"{game}: is a file; give the folder that the new records go to")
    if game.resolve() == folder.resolve():
        raise VisionError(f"{game}: holds the recordings themselves; give another folder for the new records")
    check_pieces(pieces)
    if calibration is not None:
        from calibration.table_file import load_table

        load_table(calibration)
    settings = Job(
        name="",
        path="",
        kind="",
        output="",
        calibration=None if calibration is None else str(calibration.absolute()),
        pieces=None if pieces is None else str(pieces.absolute()),
        players=tuple(name.strip() for name in (players or "").split(",") if name.strip()),
        rules=rules,
        options=parse_options(options),
    )
    jobs = jobs_of(find(folder, game), game, settings)
    results = run_all(
        jobs,
        game,
        scheduler=scheduler,
        workers=workers or os.cpu_count() or 1,
        tell=lambda result: tell(f"{result.name}: {_word(result)}"),
    )
    worse = any(result.status in ("changed", "failed") for result in results)
    return Outcome(table(results, language), (), int(worse), is_data=True)


def _word(result: Result) -> str:
    words = {"same": "as it was", "new": "nothing to compare with", "failed": result.error}
    return words.get(result.status, f"{result.changed} change{'' if result.changed == 1 else 's'}")


def table(results: Sequence[Result], language: str = "en") -> str:
    """What changed, a recording a line, and the first changes under it."""
    head = [words_in(language).text(word) for word in ("recording", "turns", "rulings", "what changed")]
    rows = [[one.name, str(one.turns), str(one.rulings), said(_word(one), language)] for one in results]
    first, *lines = in_columns([head, *rows], right=(1, 2)).splitlines()
    text = [first]
    for result, line in zip(results, lines, strict=True):
        more = [*result.troubles, *result.changes]
        if result.changed > len(result.changes):
            more.append(f"... and {result.changed - len(result.changes)} more")
        text += [line, *(f"    {said(one, language)}" for one in more)]
    count = {status: sum(result.status == status for result in results) for status in ("same", "changed", "failed")}
    new = sum(result.status == "new" for result in results)
    last = (
        f"{len(results)} recordings: {count['same']} as they were, {count['changed']} changed, {count['failed']} failed"
    )
    last += f", {new} with nothing to compare with" if new else ""
    return "\n".join((*text, said(last, language))) + "\n"
