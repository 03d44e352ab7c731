"""Figures of a game that people enjoy: the closest call, the highest column, the most crossed road, the collapses."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from rules.events import CorrectionFact, KnockFact, RulingLine
from rules.game import Game
from th_vision import phrases as say
from th_vision.closeup import CloseUp
from th_vision.closeup_drawing import measure_of, title_of
from th_vision.page.timeline import Step
from th_vision.words import Words, words_in

T = TypeVar("T")


@dataclass(frozen=True)
class Figure:
    """One figure: a heading and a sentence. ``step``: where it happened, None for the whole game."""

    heading: str
    text: str
    step: int | None = None


def figures(steps: Sequence[Step], game: Game, language: str) -> tuple[Figure, ...]:
    """The figures of a game; ``game`` as it stands at the end of the steps."""
    words = words_in(language, dict(game.owners), {})
    return tuple(
        figure
        for found in (
            _closest(steps, game, language),
            _highest(steps, game, words),
            _most_crossed(game, words),
            _best_move(steps, words),
            _longest(game, words),
            _collapses(steps, words),
            _questions(steps, words),
        )
        for figure in found
    )


def _most(things: Iterable[T], value: Callable[[T], int]) -> list[T]:
    """All those of the greatest value: nobody who is level with the first is left out."""
    found = list(things)
    most = max(map(value, found), default=0)
    return [one for one in found if value(one) == most]


def closest_call(steps: Sequence[Step], standing: Collection[str]) -> tuple[Step, CloseUp] | None:
    """The close-up whose value is nearest to its limit, among the roads ``standing`` at the end."""
    looks = [(step, look) for step in steps for look in step.closeups if look.road in standing]
    return min(looks, key=lambda found: abs(found[1].value - found[1].limit), default=None)


def _closest(steps: Sequence[Step], game: Game, language: str) -> Iterator[Figure]:
    found = closest_call(steps, game.roads)
    if found is not None:
        step, look = found
        words = words_in(language, step.owners, step.kinds)
        text = f"{title_of(look, words)} ({measure_of(look, words)})"
        yield Figure(words.text(say.CLOSEST_CALL), text, step.number)


def _highest(steps: Sequence[Step], game: Game, words: Words) -> Iterator[Figure]:
    columns = _most(game.columns.values(), lambda one: one.levels)
    if columns:
        told = "\n".join(
            words.sentence(
                words.count(say.HIGHEST_IS, one.levels, player=words.player(game.owners[one.id]), column=one.id)
            )
            for one in columns
        )
        when = next((step.number for step in steps if columns[0].id in step.newest), None)
        yield Figure(words.text(say.HIGHEST_COLUMN), told, when)


def _most_crossed(game: Game, words: Words) -> Iterator[Figure]:
    met = {road: sum(not pair.partial for pair in game.state.pairs.get(road, ())) for road in game.roads}
    roads = [road for road in _most(met, lambda name: met[name]) if met[road]]
    if roads:
        told = (words.sentence(words.count(say.CROSSED_TIMES, met[road], piece=words.road(road))) for road in roads)
        yield Figure(words.text(say.MOST_CROSSED), "\n".join(told))


def _best_move(steps: Sequence[Step], words: Words) -> Iterator[Figure]:
    ruled = [(step, a) for step in steps for a in step.answers if isinstance(a, RulingLine) and a.turn > 0]
    best = max(ruled, key=lambda found: found[1].cars_due, default=None)
    if best is not None and best[1].cars_due > 0:
        step, ruling = best
        values = {"player": words.player(ruling.player), "turn": str(ruling.turn)}
        yield Figure(
            words.text(say.BEST_MOVE),
            words.sentence(words.count(say.CARS_AT_ONCE, ruling.cars_due, **values)),
            step.number,
        )


def _longest(game: Game, words: Words) -> Iterator[Figure]:
    counts = {player: len(game.state.roads_of(player)) for player in game.players}
    players = [player for player in _most(counts, lambda name: counts[name]) if counts[player]]
    if players:
        told = (words.sentence(words.count(say.ROADS_BUILT, counts[one], player=words.player(one))) for one in players)
        yield Figure(words.text(say.MOST_ROADS), "\n".join(told))


def _collapses(steps: Sequence[Step], words: Words) -> Iterator[Figure]:
    knocks = [(step, step.line) for step in steps if isinstance(step.line, KnockFact) and step.line.shift_mm == 0]
    if not knocks:
        yield Figure(words.text(say.COLLAPSES), words.text(say.NONE_FELL))
        return
    step, worst = max(knocks, key=lambda found: len(found[1].pieces))
    fell = words.count(say.FELL, sum(len(knock.pieces) for _, knock in knocks))
    text = words.count(say.KNOCKS, len(knocks), fell=fell)
    most = words.count(say.WORST, len(worst.pieces), player=words.player(worst.by), turn=str(worst.turn))
    yield Figure(words.text(say.COLLAPSES), f"{words.sentence(text)} {words.sentence(most)}", step.number)


def _questions(steps: Sequence[Step], words: Words) -> Iterator[Figure]:
    asked = sum(step.call == "too_close" for step in steps)
    corrected = sum(isinstance(step.line, CorrectionFact) for step in steps)
    if asked or corrected:
        counted = ((say.ASKED, asked), (say.DECIDED, corrected))
        text = " ".join(words.sentence(words.count(plural, n)) for plural, n in counted if n)
        yield Figure(words.text(say.QUESTIONS), text)
