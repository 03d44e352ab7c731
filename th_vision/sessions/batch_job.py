"""One recording of an archive: refereed or adjudicated anew, and compared with what was ruled then."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from calibration.errors import CalibrationError
from rules.errors import RulesError
from rules.events import AlertLine, Answer, GameFact, RulingLine
from rules.pieces import Pieces, load_pieces
from rules.record import read_record, write_record
from th_vision.errors import VisionError

MOST_ERROR = 160
MOST_SHOWN = 20
"""So many changes of one recording are kept in words; all are counted."""


@dataclass(frozen=True)
class Job:
    """What to do with one recording. Paths as text, for a job may travel to another computer with the same disk."""

    name: str
    path: str
    kind: str
    output: str
    calibration: str | None = None
    pieces: str | None = None
    players: tuple[str, ...] = ()
    rules: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    key: str = ""


@dataclass(frozen=True)
class Result:
    """What came out. ``status``: ``same``, ``changed``, ``new`` (nothing to compare with) or ``failed``;
    ``troubles``: what of the recording could not be read, a sentence each."""

    name: str
    kind: str
    status: str
    turns: int = 0
    rulings: int = 0
    changed: int = 0
    changes: tuple[str, ...] = ()
    troubles: tuple[str, ...] = ()
    error: str = ""
    seconds: float = 0.0
    key: str = ""

    def plain(self) -> dict[str, Any]:
        """For a line of JSON."""
        return asdict(self)


def run_job(job: Job) -> Result:
    """Do it. Never raises for what is wrong with a recording: that is the result."""
    began = time.perf_counter()
    try:
        old, new, words, troubles = _DO[job.kind](job)
    except (VisionError, RulesError, CalibrationError, OSError, ValidationError) as error:
        return _failed(job, error, time.perf_counter() - began)
    except Exception as error:  # a fault of ours in one recording must not end the others
        return _failed(job, error, time.perf_counter() - began)
    if words is None:
        words = _by_turn(old, new) if old else ()
        status = "new" if not old else "changed" if words else "same"
    else:
        status = "changed" if words else "same"
    rulings = [line for line in new if isinstance(line, RulingLine)]
    return Result(
        name=job.name,
        kind=job.kind,
        status=status,
        turns=len({ruling.turn for ruling in rulings if ruling.turn}),
        rulings=len(rulings),
        changed=len(words),
        changes=tuple(words[:MOST_SHOWN]),
        troubles=tuple(_short(job, text) for text in troubles),
        seconds=round(time.perf_counter() - began, 3),
        key=job.key,
    )


def _failed(job: Job, error: Exception, seconds: float) -> Result:
    known = isinstance(error, VisionError | RulesError | CalibrationError)
    text = _short(job, str(error))
    text = text if known else f"{type(error).__name__}: {text}"
    return Result(job.name, job.kind, "failed", error=text, seconds=round(seconds, 3), key=job.key)


def _short(job: Job, text: str) -> str:
    """One line without the recording's name: what is shown of a recording begins with that."""
    return " ".join(text.split()).replace(job.path, job.name).removeprefix(f"{job.name}: ")[:MOST_ERROR]


_Done = tuple[list[Answer], list[Answer], tuple[str, ...] | None, Sequence[str]]


def _record(job: Job) -> _Done:
    """A game record: facts in, rulings out."""
    from rules.adjudicate import adjudicate, lines
    from rules.differences import differences

    record = read_record(job.path)
    anew = adjudicate(record, job.rules, dict(job.options))
    write_record(job.output, lines(record, anew))
    answers: list[Answer] = list(anew.answers)
    old: list[Answer] = [answer for answer in record.answers if not isinstance(answer, AlertLine)]
    words = tuple(str(change) for change in differences(record, answers)) if old else None
    return old, answers, words, ()


def _recording(job: Job) -> _Done:
    """Frames: refereed anew."""
    from th_vision.sessions.brought import open_with_table, pieces_for
    from th_vision.sessions.timeline import recorded, watched
    from th_vision.sources.session import SessionSource

    source, table = open_with_table(job.path, None if job.calibration is None else Path(job.calibration))
    pieces = pieces_for(source, None if job.pieces is None else Path(job.pieces))
    then = recorded(source.session) if isinstance(source, SessionSource) else None
    old = [said.line for said in then.lines if isinstance(said.line, Answer)] if then is not None else []
    given = then.game if then is not None else None
    beside = Path(job.path) / "game.jsonl"
    if job.kind == "folder" and beside.exists():
        record = read_record(beside)
        old, given = list(record.answers), record.game
    game = _game(job, given, pieces)
    now = watched(source, table, pieces, game, lambda _: None)
    if not now.lines:
        raise VisionError(f"{job.name}: no game was seen in it")
    write_record(job.output, [game, *(said.line for said in now.lines)])
    new = [said.line for said in now.lines if isinstance(said.line, Answer)]
    return old, new, None, getattr(source, "troubles", ())


def _game(job: Job, given: GameFact | None, pieces: Pieces) -> GameFact:
    from th_vision.replay import game_of

    if given is not None and not job.players:
        if job.rules is None and not job.options:
            return given
        rules = job.rules or given.rules
        options = {**(given.options if job.rules is None else {}), **job.options}
        return given.model_copy(update={"rules": rules, "options": options})
    if not job.players:
        raise VisionError(f"{job.name}: was recorded without a referee; name the players with --players blue,pink")
    return game_of(job.rules or "rainbow-city", job.players, dict(job.options), pieces)


def _case(job: Job) -> _Done:
    """A case: one turn, ruled on again."""
    from th_vision.referee.outputs import Outputs
    from th_vision.sessions.again import rule_again
    from th_vision.sessions.case import open_case

    with open_case(Path(job.path)) as case:
        again = rule_again(case, Outputs())
        return list(case.answers), list(again.answers), again.differs, ()


_DO = {"record": _record, "session": _recording, "folder": _recording, "sdk": _recording, "case": _case}


def _by_turn(old: Iterable[Answer], new: Iterable[Answer]) -> tuple[str, ...]:
    """What differs, turn by turn; figures aside."""
    from th_vision.sessions.verdict import compared

    then, now = _turns(old), _turns(new)
    return tuple(
        f"turn {turn}: {words}"
        for turn in sorted({*then, *now})
        for words in compared(then.get(turn, []), now.get(turn, []))
    )


def _turns(answers: Iterable[Answer]) -> dict[int, list[Answer]]:
    found: dict[int, list[Answer]] = {}
    for answer in answers:
        if getattr(answer, "by", None) is None:
            found.setdefault(int(answer.turn or 0), []).append(answer)
    return found


def check_pieces(path: Path | None) -> None:
    """Refuse bad pieces once, before every job does.

    Raises:
        RulesError: they can't be read.
    """
    if path is not None:
        load_pieces(path)
