"""Figures of a game that people enjoy: the closest call, the highest column, the most crossed road, the collapses."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from rules.events import CorrectionFact, KnockFact, RulingLine
from rules.game import Game
from th_vision import phrases as say
from th_vision.closeup import CloseUp
from th_vision.closeup_drawing import measure_of, title_of
from th_vision.page.timeline import Step
from th_vision.words import Words, words_in


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
    column = max(game.columns.values(), key=lambda one: one.levels, default=None)
    if column is not None:
        text = words.count(say.HIGHEST_IS, column.levels, player=words.player(game.owners[column.id]), column=column.id)
        when = next((step.number for step in steps if column.id in step.newest), None)
        yield Figure(words.text(say.HIGHEST_COLUMN), words.sentence(text), when)


def _most_crossed(game: Game, words: Words) -> Iterator[Figure]:
    met = {road: sum(not pair.partial for pair in game.state.pairs.get(road, ())) for road in game.roads}
    road = max(met, key=lambda name: met[name], default=None)
    if road is not None and met[road]:
        text = words.count(say.CROSSED_TIMES, met[road], piece=words.road(road))
        yield Figure(words.text(say.MOST_CROSSED), words.sentence(text))


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
    player = max(counts, key=lambda name: counts[name], default=None)
    if player is not None and counts[player]:
        text = words.count(say.ROADS_BUILT, counts[player], player=words.player(player))
        yield Figure(words.text(say.MOST_ROADS), words.sentence(text))


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
