"""What a game says beside its picture: title, score, supplies, and the pieces in doubt."""

from __future__ import annotations

from collections.abc import Mapping

from rules.events import Crossing, RulingLine
from rules.game import Game
from rules.layout import Layout
from rules.messages import messages
from th_vision import phrases as say
from th_vision.announce import SURE, head
from th_vision.follow_events import Told
from th_vision.picture import Legend, Standing
from th_vision.words import words_in


def legend_of(layout: Layout, game: Game, last: Told | None, newest: frozenset[str], language: str = "en") -> Legend:
    """All words and marks of a game's picture; ``last`` is the last thing that was told."""
    title, notes, crossings = "", [], list[Crossing]()
    if last is not None:
        title = head(last, language, game.owners, kinds_of(game)).text
        for answer in last.answers:
            if isinstance(answer, RulingLine):
                crossings += answer.crossings
                notes += [str(m) for m in messages(answer, language=language, owners=game.owners, kinds=kinds_of(game))]
    words = words_in(language)
    notes = notes or [words.sentence(words.text(say.AS_IT_STANDS))]
    return Legend(
        title=title[:1].upper() + title[1:],
        notes=tuple(notes),
        standings=standings_of(layout, game),
        newest=newest,
        doubts=doubts_of(layout) | _doubts_of_ruling(last),
        crossings=tuple(crossings),
        language=language,
    )


def doubts_of(layout: Layout) -> dict[str, str]:
    """Piece id -> what is not sure about it."""
    out: dict[str, str] = {}
    for column in layout.columns:
        if column.levels_probability < SURE:
            out[column.id] = "levels"
        elif column.junction_probability < SURE:
            out[column.id] = "yellow"
    for car in layout.cars:
        if car.player_probability < SURE:
            out[car.id] = "whose"
    return out


def kinds_of(game: Game) -> Mapping[str, str]:
    """Piece id -> "column", "road", "car" or the city object's kind."""
    kinds = dict.fromkeys(game.columns, "column") | dict.fromkeys(game.roads, "road") | dict.fromkeys(game.cars, "car")
    return kinds | {name: thing.kind for name, thing in game.city.items()}


def standings_of(layout: Layout, game: Game) -> tuple[Standing, ...]:
    """Each player's line in the side panel."""
    score = game.score() if game.rules.missions else {}
    out = []
    for player in game.players:
        held = game.supplies[player]
        out.append(
            Standing(
                player,
                cars_on_roads=sum(car.player == player for car in layout.cars),
                cars=held.cars,
                discs=held.gray,
                yellow=held.yellow,
                sticks=held.sticks,
                score=score[player].total if player in score else None,
                turn=not game.finished and game.whose_turn == player,
            )
        )
    return tuple(out)


def _doubts_of_ruling(last: Told | None) -> dict[str, str]:
    """The pieces that a ruling too close to call names."""
    out: dict[str, str] = {}
    for answer in last.answers if last else ():
        if isinstance(answer, RulingLine):
            for fault in answer.faults:
                if fault.call == "too_close":
                    out.update(
                        dict.fromkeys(
                            fault.with_ or ((answer.road,) if answer.road else ()), fault.rule.replace("-", " ")
                        )
                    )
    return out
