"""What the referee says: whole sentences for every answer, in the languages of the rule texts.

A short sentence first, to be said aloud; the number and the reason after. Too close to call is a question, with where
to look. The sentences stand in ``rules.phrases``, their translations under ``rules/locale``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import singledispatch
from typing import Final, Literal

from rules import phrases as say
from rules.catalog import LANGUAGES as LANGUAGES  # the tags a user may ask for
from rules.events import (
    AlertLine,
    Answer,
    CarsLine,
    Crossing,
    EndLine,
    Fault,
    FaultRule,
    OutLine,
    PenaltyLine,
    RulingLine,
    ScoreLine,
    SupplyLine,
)
from rules.voice import Voice

_WIDE_ENDS: Final = ("。", "？", "！")  # noqa: RUF001 - full-width marks bring their own space

Kind = Literal["legal", "fault", "too_close", "info"]

_ROAD_RULES: Final[frozenset[FaultRule]] = frozenset({"touch-road", "column-under-road"})
_COLUMN_RULES: Final[frozenset[FaultRule]] = frozenset({"touch-column", "column-covered"})
_OWN_PIECE_FIRST: Final[frozenset[FaultRule]] = frozenset({"area-spacing", "touch-city"})
_COUNTED_DETAIL: Final[frozenset[FaultRule]] = frozenset(
    {"column-level", "supply", "cars-too-many", "cars-too-few", "offramp-level"}
)

_NOT_PASSING: Final = {"discs": say.STILL_MATERIAL, "road-sticks": say.STILL_STICKS}


@dataclass(frozen=True)
class Message:
    """``text`` is what to say aloud, ``reason`` the numbers and reasons behind it (may be empty)."""

    text: str
    reason: str = ""
    kind: Kind = "info"

    def __str__(self) -> str:
        space = "" if not self.reason or self.text.endswith(_WIDE_ENDS) else " "
        return f"{self.text}{space}{self.reason}"


def messages(
    answer: Answer,
    *,
    language: str = "en",
    owners: Mapping[str, str] | None = None,
    kinds: Mapping[str, str] | None = None,
) -> tuple[Message, ...]:
    """The sentences for one answer.

    Args:
        answer: a ruling line.
        language: one of ``LANGUAGES``.
        owners: piece id to player, so that a sentence can say whose road or column it means.
        kinds: piece id to ``road``, ``column``, ``car`` or a city object's kind; without it the rule tells the kind.

    Raises:
        RulesError: no such language.
    """
    return tuple(_say(answer, Voice(language, owners or {}, kinds or {})))


def penalty_decided(answer: PenaltyLine, *, language: str = "en") -> Message:
    """A penalty that the players set: who pays how much. What fell, if anything, was said before.

    Raises:
        RulesError: no such language.
    """
    voice = Voice(language, {}, {})
    values = {"player": voice.player(answer.from_), "owner": voice.player(answer.to)}
    if not answer.discs:
        return Message(voice.sentence(voice.fill(say.PENALTY_DECIDED_NONE, **values)))
    return Message(voice.sentence(voice.count(say.PENALTY_DECIDED, answer.discs, **values)))


@singledispatch
def _say(answer: Answer, voice: Voice) -> list[Message]:
    raise TypeError(f"no sentence for {type(answer).__name__}")


@_say.register
def _(answer: RulingLine, voice: Voice) -> list[Message]:
    player = voice.player(answer.player)
    said = [fault_message(fault, answer.player, voice) for fault in answer.faults if fault.call != "clear"]
    if answer.call != "fault":
        said += [_crossing(crossing, answer.player, voice) for crossing in answer.crossings]
        said += _cars_due(answer, player, voice)
    if answer.call == "fault" and answer.road is not None and not any(message.kind == "fault" for message in said):
        text = voice.fill(say.FAULT, sentence=voice.fill(say.AGAINST_THE_RULES, player=player, road=answer.road))
        said.insert(0, Message(voice.sentence(text), kind="fault"))
    if not any(message.kind != "info" for message in said):
        said.insert(0, Message(voice.sentence(_legal(answer, player, voice)), kind="legal"))
    if answer.by is not None:
        words = say.CORRECTED if answer.by == "players" else say.CORRECTED_BY
        text = voice.fill(words, player=voice.player(answer.by), road=answer.road or "")
        said.insert(0, Message(voice.sentence(text)))
    return said


def _legal(answer: RulingLine, player: str, voice: Voice) -> str:
    if answer.road is None:
        return voice.fill(say.LEGAL_OBJECT, player=player, piece=voice.piece(answer.object or "", "object"))
    if answer.turn == 0:
        return voice.fill(say.LEGAL_RAMP, player=player, road=answer.road)
    return voice.fill(say.LEGAL_ROAD, player=player, road=answer.road)


def _cars_due(answer: RulingLine, player: str, voice: Voice) -> list[Message]:
    """The bonus, and the sum where there is more than one reason for a car, or fewer cars left than reasons."""
    paying = sum(crossing.pays for crossing in answer.crossings)
    said = []
    if answer.offramp_bonus:
        said.append(Message(voice.sentence(voice.fill(say.BONUS, player=player)), kind="legal"))
    reasons = paying + answer.offramp_bonus
    if answer.by is None and answer.cars_due < reasons:
        text = voice.count(say.CARS_CAPPED, answer.cars_due, player=player)
        if answer.cars_due == 0:
            text = voice.fill(say.NO_CARS_LEFT, player=player)
        said.append(Message(voice.sentence(text), kind="legal"))
    elif reasons > 1 or (answer.by is not None and answer.cars_due != reasons):
        text = voice.count(say.CARS_IN_ALL, answer.cars_due, player=player)
        if answer.cars_due == 0:
            text = voice.fill(say.NO_CAR_IN_ALL, player=player)
        said.append(Message(voice.sentence(text), kind="legal"))
    return said


def fault_message(fault: Fault, player: str, voice: Voice) -> Message:
    """A fault as a statement, or as a question where it is too close to call."""
    words = _words(fault)
    sentence = fault_sentence(fault, player, voice)
    if fault.call == "too_close":
        text = voice.fill(say.TOO_CLOSE, sentence=sentence)
        return Message(voice.sentence(text), _to_decide(fault, words.look, voice), "too_close")
    text = voice.fill(say.WARNING if fault.warning else say.FAULT, sentence=sentence)
    return Message(voice.sentence(text), _fault_reason(fault, player, voice), "info" if fault.warning else "fault")


def fault_sentence(fault: Fault, player: str, voice: Voice) -> str:
    """The bare sentence: a statement for a fault, otherwise the question that was asked of the move."""
    words = _words(fault)
    kind = "road" if fault.rule in _ROAD_RULES else "column" if fault.rule in _COLUMN_RULES else "object"
    others = fault.with_[1:] if fault.rule in _OWN_PIECE_FIRST and len(fault.with_) > 1 else fault.with_
    piece = voice.listed(voice.piece(piece, kind, player) for piece in others) if others else voice.text(say.SOME_PIECE)
    text = words.fault if fault.call == "fault" else words.question
    return voice.fill(text, player=voice.player(player), piece=piece)


def _words(fault: Fault) -> say.FaultWords:
    """The words of a rule. ``supply`` in `_NOT_PASSING` units is about who must not pass; else about one material."""
    return _NOT_PASSING.get(fault.unit, say.FAULTS["supply"]) if fault.rule == "supply" else say.FAULTS[fault.rule]


def _to_decide(fault: Fault, look: str, voice: Voice) -> str:
    if fault.rule == "turn-order" or (fault.probability is not None and fault.probability < 0.005):
        return voice.sentence(voice.text(look))
    if fault.probability is not None:
        percent = voice.number(100 * fault.probability, 0)
        return voice.fill(say.TO_DECIDE_COUNT, percent=percent, look=voice.text(look))
    measure = voice.measure(fault.value, fault.sigma, fault.unit, limit=fault.limit)
    return voice.fill(say.TO_DECIDE, measure=measure, look=voice.text(look))


def _fault_reason(fault: Fault, player: str, voice: Voice) -> str:
    if fault.rule == "turn-order":
        whose = [voice.fill(say.TURN_OF, player=voice.player(name)) for name in fault.with_ if name != player]
        return voice.detail(whose[0]) if whose else ""
    if not fault.with_ and fault.value == fault.limit == fault.sigma == 0:
        return ""  # the players say so: nothing was measured
    if fault.unit == "mm":
        measure = voice.measure(fault.value, fault.sigma, fault.unit, limit=fault.limit)
        limit = voice.number(fault.limit, 0 if fault.limit == round(fault.limit) else 1)
        text = voice.fill(say.MEASURED_LIMIT, measure=measure, limit=limit, unit=voice.word("unit", fault.unit))
        return voice.detail(text)
    if fault.rule == "supply" and fault.unit in _NOT_PASSING:
        return voice.detail(voice.measure(fault.value, 0, fault.unit))
    if fault.rule in _COUNTED_DETAIL:
        counted, limit = voice.measure(fault.value, 0, fault.unit), voice.number(fault.limit, 0)
        return voice.detail(voice.fill(say.COUNTED_LIMIT, count=counted, limit=limit))
    return ""


def _crossing(crossing: Crossing, player: str, voice: Voice) -> Message:
    piece = voice.road(crossing.road, player, crossing.owner)
    values = {"player": voice.player(player), "piece": piece}
    measure = voice.measure(crossing.gap, crossing.sigma, "mm")
    if crossing.call == "too_close":
        question = say.OVERLAP_QUESTION if crossing.reason == "partial" else say.CROSSING_QUESTIONS[crossing.side]
        look = say.FROM_ABOVE if crossing.reason == "partial" else say.FROM_THE_SIDE
        text = voice.fill(say.TOO_CLOSE, sentence=voice.fill(question, **values))
        if crossing.owners_probability < 1.0:
            return Message(voice.sentence(text), voice.sentence(voice.text(say.WHO_BUILT)), "too_close")
        reason = voice.fill(say.GAP_TO_DECIDE, measure=measure, look=voice.text(look))
        return Message(voice.sentence(text), reason, "too_close")
    if crossing.pays == (crossing.reason == "first"):
        words = say.CROSSINGS[crossing.reason, crossing.side]
    else:
        words = (say.PAID_ANYWAY if crossing.pays else say.UNPAID)[crossing.side]
    if crossing.taken_by is None:
        reason = voice.fill(say.GAP, measure=measure)
    else:
        reason = voice.fill(say.GAP_TAKEN, measure=measure, piece=voice.road(crossing.taken_by))
    return Message(voice.sentence(voice.fill(words, **values)), voice.detail(reason), "legal")


@_say.register
def _(answer: CarsLine, voice: Voice) -> list[Message]:
    player = voice.player(answer.player)
    said = [
        fault_message(fault, answer.player, voice)
        for fault in answer.faults
        if fault.call == "too_close" or (fault.call == "fault" and fault.rule != "cars-too-few")
    ]
    asked = any(fault.rule == "cars-too-few" and fault.call == "too_close" for fault in answer.faults)
    if answer.placed < answer.due and not asked:
        missing = answer.due - answer.placed
        text = voice.count(say.CHANCE_GONE, missing, player=player)
        said.append(Message(voice.sentence(text), kind="fault" if answer.call == "fault" else "info"))
    elif answer.call == "too_close" and not said:
        text = voice.fill(say.TOO_CLOSE, sentence=voice.fill(say.CARS_UNSURE, player=player))
        said.append(Message(voice.sentence(text), voice.sentence(voice.text(say.COUNT_THEM)), "too_close"))
    elif answer.placed > answer.due and not said:
        placed, due = voice.count(say.CARS, answer.placed), voice.count(say.CARS, answer.due)
        text = voice.fill(say.CARS_WRONG, player=player, placed=placed, due=due)
        said.append(Message(voice.sentence(voice.fill(say.FAULT, sentence=text)), kind="fault"))
    elif answer.due > 0 and not said:
        text = voice.count(say.CARS_PLACED, answer.placed, player=player)
        said.append(Message(voice.sentence(text), kind="legal"))
    for same in answer.same_type:
        values = {"player": player, "owner": voice.player(same.from_)}
        text = voice.count(say.SAME_TYPE, same.discs, **values)
        if same.discs == 0:
            text = voice.fill(say.SAME_TYPE_NONE, **values)
        car = voice.word("car", say.CAR_TYPE_NAMES[same.car_type]) if same.car_type else ""
        said.append(Message(voice.sentence(text), voice.detail(car) if car else ""))
    return said


@_say.register
def _(answer: PenaltyLine, voice: Voice) -> list[Message]:
    values = {"player": voice.player(answer.from_), "owner": voice.player(answer.to)}
    pieces = voice.detail(voice.fill(say.PIECES, pieces=voice.listed(answer.pieces))) if answer.pieces else ""
    if answer.from_ == answer.to:
        return [Message(voice.sentence(voice.fill(say.PENALTY_OWN, **values)), pieces)]
    if answer.call == "too_close":
        text = voice.fill(say.TOO_CLOSE, sentence=voice.fill(say.PENALTY_QUESTION, **values))
        measure = voice.measure(answer.value or 0.0, answer.sigma, "mm", limit=answer.limit)
        reason = voice.fill(say.TO_DECIDE, measure=measure, look=voice.text(say.LOOK_CLOSELY))
        return [Message(voice.sentence(text), reason, "too_close")]
    if answer.discs == 0:
        return [Message(voice.sentence(voice.fill(say.PENALTY_NONE, **values)), pieces)]
    words = say.PENALTY if answer.value is None else say.PENALTY_SHIFT
    return [Message(voice.sentence(voice.count(words, answer.discs, **values)), pieces)]


@_say.register
def _(answer: SupplyLine, voice: Voice) -> list[Message]:
    said = []
    for name, holds in answer.players.items():
        text = voice.fill(
            say.SUPPLY,
            player=voice.player(name),
            gray=voice.count(say.GRAY_DISCS, holds.gray),
            yellow=voice.count(say.YELLOW_DISCS, holds.yellow),
            sticks=voice.count(say.STICKS, holds.sticks),
            cars=voice.count(say.CARS, holds.cars),
        )
        said.append(Message(voice.sentence(text)))
    return said


@_say.register
def _(answer: ScoreLine, voice: Voice) -> list[Message]:
    said = []
    for name, score in answer.players.items():
        text = voice.count(say.SCORE, score.total, player=voice.player(name))
        parts = [
            f"{voice.word(*title)} {getattr(score, mission)}"
            for mission, title in say.MISSIONS.items()
            if getattr(score, mission)
        ]
        said.append(Message(voice.sentence(text), voice.detail(voice.series(parts)) if parts else ""))
    return said


@_say.register
def _(answer: OutLine, voice: Voice) -> list[Message]:
    words = say.OUT.get(answer.reason, say.OUT_OTHER)
    return [Message(voice.sentence(voice.fill(words, player=voice.player(answer.player))))]


@_say.register
def _(answer: EndLine, voice: Voice) -> list[Message]:
    winners = [voice.player(name) for name in answer.ranking[0]] if answer.ranking else []
    words = say.END_NOBODY if not winners else say.END_WINNER if len(winners) == 1 else say.END_TIE
    text = voice.fill(words, player=voice.listed(winners))
    reasons = [voice.text(say.END_REASONS[answer.reason])] if answer.reason in say.END_REASONS else []
    place = 1 + len(winners)
    for shared in answer.ranking[1:]:
        names = voice.listed(voice.player(name) for name in shared)
        reasons.append(voice.fill(say.PLACES, place=str(place), player=names))
        place += len(shared)
    return [Message(voice.sentence(text), voice.detail(voice.series(reasons)) if reasons else "")]


@_say.register
def _(answer: AlertLine, voice: Voice) -> list[Message]:
    named = voice.listed(voice.piece(piece, None) for piece in answer.pieces)
    text = voice.fill(say.ALERTS[answer.kind], piece=named or voice.text(say.SOME_PIECE))
    reason = voice.detail(voice.measure(answer.value, answer.sigma, answer.unit)) if answer.value else ""
    return [Message(voice.sentence(text), reason)]
