"""Questions that are open: what was too close to call, and what yes and no to it mean for the record."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from rules.events import CorrectionFact, Crossing, Fault, FaultRule, MoveFact, PenaltyLine, RulingLine, Switch
from rules.game import Game
from rules.messages import Message, messages
from th_vision.follow import Follower

CLEAR_IF_YES: Final[frozenset[FaultRule]] = frozenset(
    {
        "column-level",
        "junction-without-gray",
        "junction-not-on-top",
        "not-base-point",
        "supply",
        "end-not-resting",
        "offramp-level",
        "area-spacing",
        "city-order",
        "turn-order",
        "car-wrong-road",
        "car-wrong-owner",
    }
)
"""Rules whose question is answered with yes where all is well; yes to the others is a fault."""


@dataclass(frozen=True)
class Question:
    """One open question: on which ruling or knocked piece, and what to set for each answer. ``usual``: what the
    referee takes for more likely, or for harmless. ``else_by``: whose turn it was where the answer is no: then they
    built."""

    turn: int
    ruling: str
    text: str
    yes: Mapping[str, Switch]
    no: Mapping[str, Switch]
    usual: Mapping[str, Switch]
    else_by: str | None = None

    def answer(self, yes: bool, by: str = "players") -> CorrectionFact:
        """The answer as a fact."""
        return CorrectionFact(turn=self.turn, ruling=self.ruling, set=dict(self.yes if yes else self.no), by=by)


def open_questions(follower: Follower, language: str = "en") -> list[Question]:
    """All questions that nobody has answered yet, those of the newest turn first, in the order in which they were
    asked. What is asked in the same words, such as of both ends of a road, is one question."""
    game = follower.game
    found: list[Question] = []
    for fact in reversed(follower.told):
        if isinstance(fact, MoveFact):
            ruling = game.ruling(fact.road.id)
            if ruling is not None and ruling.call == "too_close":
                found += _of_ruling(ruling, game, language)
    penalties = {line.pieces: line for line in game.state.penalties.values() if line.call == "too_close"}
    found += [_of_penalty(line, game, language) for line in penalties.values() if line.pieces]
    once: dict[tuple[str, str], Question] = {}
    for question in found:
        once.setdefault((question.ruling, question.text), question)
    return sorted(once.values(), key=lambda question: -question.turn)


def _of_ruling(ruling: RulingLine, game: Game, language: str) -> Iterator[Question]:
    if ruling.road is None:
        return
    for fault in ruling.faults:
        if fault.call == "too_close":
            yield _of_fault(ruling, ruling.road, fault, _asked(ruling, game, language, fault=fault))
    for crossing in ruling.crossings:
        if crossing.call == "too_close":
            yield _of_crossing(ruling, ruling.road, crossing, _asked(ruling, game, language, crossing=crossing))


def _of_fault(ruling: RulingLine, road: str, fault: Fault, text: str) -> Question:
    """Where the sentence names a piece, the answer is for that piece alone: of another one it is asked, too."""
    others = {piece for it in ruling.faults if it.rule == fault.rule and it is not fault for piece in it.with_}
    named = [piece for piece in fault.with_ if piece not in others and piece in text]
    key = f"{fault.rule}:{named[0]}" if named and others else fault.rule
    fine: dict[str, Switch] = {key: "clear"}
    broken: dict[str, Switch] = {key: "fault"}
    yes, no = (fine, broken) if fault.rule in CLEAR_IF_YES else (broken, fine)
    else_by = (
        next((name for name in fault.with_ if name != ruling.player), None) if fault.rule == "turn-order" else None
    )
    return Question(ruling.turn, road, text, yes, no, fine, else_by)


def _of_crossing(ruling: RulingLine, road: str, crossing: Crossing, text: str) -> Question:
    """A partial one is asked whether it crosses at all, one of their own on which side, others whether they pay."""
    as_seen: dict[str, Switch] = {crossing.road: crossing.side}
    if crossing.reason == "partial":
        return Question(ruling.turn, road, text, as_seen, {crossing.road: "none"}, {crossing.road: "none"})
    if crossing.reason == "own-road":
        other: dict[str, Switch] = {crossing.road: "under" if crossing.side == "over" else "over"}
        return Question(ruling.turn, road, text, as_seen, other, as_seen)
    usual: dict[str, Switch] = {crossing.road: crossing.pays}
    return Question(ruling.turn, road, text, {crossing.road: True}, {crossing.road: False}, usual)


def _of_penalty(line: PenaltyLine, game: Game, language: str) -> Question:
    text = messages(line, language=language, owners=game.owners)[0].text
    usual: dict[str, Switch] = {"discs": line.discs}
    return Question(line.turn, line.pieces[0], text, {"discs": max(1, line.discs)}, {"discs": 0}, usual)


def _asked(
    ruling: RulingLine, game: Game, language: str, *, fault: Fault | None = None, crossing: Crossing | None = None
) -> str:
    """The sentence with which this one doubt of a ruling was asked."""
    alone = ruling.model_copy(
        update={
            "faults": () if fault is None else (fault,),
            "crossings": () if crossing is None else (crossing,),
            "offramp_bonus": False,
            "by": None,
            "call": "too_close",
        }
    )
    said: tuple[Message, ...] = messages(alone, language=language, owners=game.owners)
    return next((message.text for message in said if message.kind == "too_close"), "")
