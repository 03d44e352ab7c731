"""Answers to what players ask: score, supplies, why a ruling fell, and how it would read otherwise. Nothing changes."""

from __future__ import annotations

from collections.abc import Sequence

from rules.adjudicate import overridden
from rules.errors import RulesError
from rules.events import CorrectionFact, MoveFact, RulingLine, ScoreLine, SupplyLine, Switch
from rules.explain import Row, explain_turn
from rules.game import Game
from rules.messages import Message, messages
from rules.record import Entry, Record
from th_vision.announce import Line
from th_vision.follow import Follower
from th_vision.referee.commands import CommandError, WhatIf
from th_vision.standings import kinds_of
from th_vision.words import words_in


def move_of(follower: Follower, turn: int | None) -> MoveFact:
    """The move of a turn, or the newest one.

    Raises:
        CommandError: there is none.
    """
    moves = [fact for fact in follower.told if isinstance(fact, MoveFact)]
    for move in reversed(moves):
        if turn in (None, move.turn):
            return move
    if not moves:
        raise CommandError("no move was ruled yet; say help for what can be said")
    raise CommandError(f"turn {turn}: no move was ruled then; moves are in turns {moves[0].turn} to {moves[-1].turn}")


def score(game: Game, language: str) -> list[Line]:
    """The score as the table stands; without missions, how many cars everyone has still to place."""
    if game.rules.missions:
        line = ScoreLine(turn=game.turn, players=game.score())
        return [Line(m.text, m.reason) for m in messages(line, language=language)]
    words = words_in(language)
    left = sorted((game.supplies[player].cars, player) for player in game.players)
    said = [f"{words.player(player)} {cars}" for cars, player in left]
    return [Line(f"Cars still to place: {', '.join(said)}.", "(who has placed all first wins)")]


def supply(game: Game, language: str) -> list[Line]:
    """What everyone still holds."""
    line = SupplyLine(turn=game.turn, players=dict(game.supplies))
    return [Line(m.text, m.reason) for m in messages(line, language=language)]


def where(game: Game, language: str) -> list[Line]:
    """Where whose turn it is can build, and which roads of others are free on which side, told from landmarks."""
    from th_vision.voice.places import surroundings

    around = [Line(text) for text in surroundings(game, game.whose_turn, words_in(language))]
    return around or [Line("There is nothing yet to build from.")]


def still_off(follower: Follower) -> list[Line]:
    """What is still to be put back after a knock."""
    off = follower.still_off()
    if not off:
        return [Line("Nothing is to be put back.")]
    return [Line(f"{words}.") for _, words in off]


def explained(turn: int | None, follower: Follower, language: str) -> list[Line]:
    """Why the newest ruling, or that of a turn, fell as it did.

    Raises:
        CommandError: nothing was ruled then.
    """
    turn = move_of(follower, None).turn if turn is None else turn
    facts = [fact for fact in follower.told if fact.type != "said"]
    entries = tuple(Entry(i + 1, line) for i, line in enumerate((follower.game.fact, *facts)))
    try:
        found = explain_turn(Record("this game", entries), turn, language=language)
    except RulesError as error:
        move_of(follower, turn)  # says which turns there are
        raise CommandError(str(error).removeprefix("this game: ")) from error
    rows = {row.what: row for row in reversed(found.rows)}  # the same of both ends of a road is told once
    return [
        *(Line(sentence) for sentence in found.sentences),
        *(_row(row, language) for row in reversed(rows.values())),
    ]


def _row(row: Row, language: str) -> Line:
    """One looked-at rule: what it says, then the numbers and where it is written."""
    value = f"{row.value} ± {row.sigma}" if row.sigma else row.value
    limit = words_in(language).word("heading", "limit")
    parts = [value, f"{limit} {row.limit}" if row.limit else "", row.call, row.source]
    return Line(row.what, f"({', '.join(part for part in parts if part)})")


def what_if(command: WhatIf, follower: Follower, language: str) -> list[Line]:
    """How the newest ruling would read with corrections, or by other switches of the rules.

    Raises:
        CommandError: there is no ruling yet, or the corrections or switches can't be.
    """
    move = next((fact for fact in reversed(follower.told) if isinstance(fact, MoveFact)), None)
    if move is None:
        raise CommandError("no move was ruled yet, so nothing can be tried on it")
    try:
        if command.options:
            return _other_rules(command, follower, move, language)
        game = follower.game.copy()
        changes: dict[str, Switch | None] = dict(command.set)
        answers = game.apply(CorrectionFact(turn=move.turn, ruling=move.road.id, set=changes))
    except RulesError as error:
        raise CommandError(str(error)) from error
    return [Line(f"What if, in turn {move.turn}:", kind="head"), *_said(answers, game, language)]


def _other_rules(command: WhatIf, follower: Follower, move: MoveFact, language: str) -> list[Line]:
    now, other = follower.game, Game(overridden(follower.game.fact, None, command.options))
    for fact in follower.told:
        try:
            other.apply(fact)
        except RulesError:
            continue
    ruling = other.ruling(move.road.id)
    told = [fact for fact in follower.told if isinstance(fact, MoveFact) and fact is not move]
    differ = [fact.turn for fact in told if _essence(now, fact) != _essence(other, fact)]
    switches = ", ".join(f"{key} = {value}" for key, value in command.options.items())
    lines = [Line(f"With {switches}, turn {move.turn}:", kind="head")]
    lines += _said([ruling] if ruling is not None else [], other, language)
    if differ:
        lines.append(Line(f"Turns that would be ruled otherwise, too: {', '.join(map(str, differ))}."))
    return lines


def _essence(game: Game, move: MoveFact) -> object:
    ruling = game.ruling(move.road.id)
    return None if ruling is None else (ruling.call, ruling.cars_due)


def _said(answers: Sequence[object], game: Game, language: str) -> list[Line]:
    said: list[Message] = []
    for answer in answers:
        if isinstance(answer, RulingLine):
            told = messages(answer, language=language, owners=game.owners, kinds=kinds_of(game))
            said += told if answer.by is None else told[1:]  # that players decided it, they haven't
    return [Line(message.text, message.reason, message.kind) for message in said]
