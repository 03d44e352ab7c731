"""Ruling on a case again: the frames around one turn, with the game as it stood before."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from rules.events import Answer, Fact, Line
from rules.layout import Layout
from th_vision.errors import VisionError
from th_vision.follow import Follower
from th_vision.known import Known, pieces_of
from th_vision.referee.loop import Referee
from th_vision.referee.outputs import Outputs
from th_vision.sessions.case import Case, case_pieces
from th_vision.sessions.timeline import Said, without_undone
from th_vision.sessions.verdict import compared


@dataclass(frozen=True)
class Again:
    """What a second look says. ``answers``: its rulings on the turn; ``differs``: from the first, a line each."""

    answers: tuple[Answer, ...]
    differs: tuple[str, ...]


def rule_again(case: Case, outputs: Outputs) -> Again:
    """Referee the case's frames, beginning with what stood before its turn; ``outputs`` hears all of it.

    Raises:
        VisionError, CalibrationError, RulesError: the case's calibration or pieces can't be used.
    """
    table = case.session.table()
    if table is None:
        raise VisionError(f"{case.path}: has no calibration in it; have it made again")
    follower = Follower(case.game, case_pieces(case))
    follower.resume(case.facts, _known(case), check=False)
    said: list[Said] = []

    def line(one: Line, time_s: float) -> None:
        said.append(Said(time_s, one, len(said)))
        outputs.line(one, time_s)

    referee = Referee(follower, table, case_pieces(case), replace(outputs, line=line), None)
    for frame in case.session.frames():
        referee.see(frame)
    referee.finish()
    lines = [one.line for one in without_undone(said) if one.turn == case.about.turn]
    answers = tuple(line for line in lines if isinstance(line, Answer))
    return Again(answers, compared(_own(case.answers), answers))


def _own(answers: Iterable[Answer]) -> list[Answer]:
    """Without what players corrected: a camera can't see that."""
    return [answer for answer in answers if getattr(answer, "by", None) is None]


def _known(case: Case) -> Known:
    """What was believed when the turn began: how sure that was counts as one reading, so that it stays as firm."""
    votes = {
        column.id: {
            ("levels", column.levels): _vote(column.levels_probability),
            ("junction", int(column.junction)): _vote(column.junction_probability),
        }
        for column in case.before.columns
    }
    return Known(case.before, votes=votes, numbers=_numbers(case.facts, case.before))


def _vote(probability: float) -> tuple[float, float]:
    """Log-odds of a belief, as the largest of its readings and as their sum."""
    p = min(max(probability, 0.5), 1 - 1e-9)
    odds = math.log(p / (1 - p))
    return odds, odds


def _numbers(facts: Iterable[Fact], layout: Layout) -> dict[str, int]:
    """The last number given to each kind of piece, so that new ones are named as they were the first time."""
    names = [piece.id for piece in pieces_of(layout)]
    for fact in facts:
        for part in (getattr(fact, "column", None), getattr(fact, "road", None), *getattr(fact, "cars", ())):
            names.append(getattr(part, "id", ""))
    numbers: dict[str, int] = {}
    for name in names:
        found = re.fullmatch(r"([a-z])(\d+)", name)
        if found:
            numbers[found[1]] = max(numbers.get(found[1], 0), int(found[2]))
    return numbers
