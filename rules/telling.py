"""A record in words: one sentence for what happened, then what the rule book says to it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import singledispatch

from rules import phrases as say
from rules.events import (
    CarsFact,
    CityFact,
    CorrectionFact,
    DiscardStickFact,
    Fact,
    GameFact,
    KnockFact,
    MoveFact,
    PassFact,
    RampFact,
    RestoredFact,
    SaidFact,
    UndoFact,
)
from rules.voice import Voice


def describe(
    fact: Fact,
    *,
    language: str = "en",
    owners: Mapping[str, str] | None = None,
    kinds: Mapping[str, str] | None = None,
) -> str:
    """One sentence for a fact; ``owners`` and ``kinds`` by piece id as in ``rules.messages.messages``.

    Raises:
        RulesError: no such language.
    """
    voice = Voice(language, owners or {}, kinds or {})
    return voice.sentence(_told(fact, voice))


@singledispatch
def _told(fact: Fact, voice: Voice) -> str:
    raise TypeError(f"no sentence for {type(fact).__name__}")


@_told.register
def _(fact: GameFact, voice: Voice) -> str:
    players = voice.listed(voice.player(name) for name in fact.players)
    return voice.fill(say.GAME, players=players, rules=fact.rules)


@_told.register
def _(fact: CityFact, voice: Voice) -> str:
    thing = voice.fill(say.OBJECTS[fact.object.kind], piece=fact.object.id)
    return voice.fill(say.CITY_PLACED, player=voice.player(fact.player), piece=thing)


@_told.register
def _(fact: RampFact, voice: Voice) -> str:
    player = voice.player(fact.player)
    return voice.fill(say.RAMP_BUILT, player=player, road=fact.road.id, column=fact.column.id)


@_told.register
def _(fact: MoveFact, voice: Voice) -> str:
    values = {"turn": str(fact.turn), "player": voice.player(fact.player), "road": fact.road.id, "base": fact.base}
    if fact.column is None:
        return voice.fill(say.OFFRAMP_BUILT, **values)
    words = say.JUNCTION_BUILT if fact.column.junction else say.ROAD_BUILT
    return voice.count(words, fact.column.levels, column=fact.column.id, **values)


@_told.register
def _(fact: CarsFact, voice: Voice) -> str:
    return voice.count(say.CARS_ADDED, len(fact.cars), turn=str(fact.turn), player=voice.player(fact.player))


@_told.register
def _(fact: KnockFact, voice: Voice) -> str:
    pieces = voice.listed(voice.piece(piece, None) for piece in fact.pieces)
    values = {"turn": str(fact.turn), "player": voice.player(fact.by), "pieces": pieces}
    if fact.shift_mm > 0:
        return voice.fill(say.SHIFTED, measure=voice.measure(fact.shift_mm, fact.sigma_mm, "mm"), **values)
    return voice.fill(say.KNOCKED, **values)


@_told.register
def _(fact: RestoredFact, voice: Voice) -> str:
    names = [column.id for column in fact.columns] + [road.id for road in fact.roads]
    pieces = voice.listed(voice.piece(name, None) for name in names)
    return voice.fill(say.STANDS_AGAIN, turn=str(fact.turn), pieces=pieces)


@_told.register
def _(fact: PassFact, voice: Voice) -> str:
    return voice.fill(say.PASSED, turn=str(fact.turn), player=voice.player(fact.player))


@_told.register
def _(fact: DiscardStickFact, voice: Voice) -> str:
    return voice.fill(say.STICK_ASIDE, turn=str(fact.turn), player=voice.player(fact.player))


@_told.register
def _(fact: CorrectionFact, voice: Voice) -> str:
    values = voice.series([f"{key} = {value}" for key, value in fact.set.items()] or ["-"])
    return voice.fill(say.CORRECTION, turn=str(fact.turn), piece=fact.ruling, player=_by(fact.by, voice), values=values)


@_told.register
def _(fact: UndoFact, voice: Voice) -> str:
    return voice.fill(say.TAKEN_BACK, turn=str(fact.turn)) if fact.turn else voice.text(say.SET_UP_TAKEN_BACK)


@_told.register
def _(fact: SaidFact, voice: Voice) -> str:
    return voice.fill(say.SAID, turn=str(fact.turn), player=_by(fact.by, voice), words=fact.words)


def _by(name: str, voice: Voice) -> str:
    """Who said or corrected something: a player, or all of them."""
    return voice.text(say.THE_PLAYERS) if name == "players" else voice.player(name)
