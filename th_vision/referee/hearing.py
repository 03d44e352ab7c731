"""What follows from what players say: events for the follower, and what to answer. No terminal, no clock, no image.

Whatever is said goes into the record with the turn in which it was said; what it led to follows as facts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from rules.errors import RulesError
from rules.events import (
    CorrectionFact,
    DiscardStickFact,
    Fact,
    FactColumn,
    FactRoad,
    KnockFact,
    MoveFact,
    PassFact,
    PenaltyLine,
    RampFact,
    RulingLine,
    SaidFact,
    Switch,
    UndoFact,
)
from rules.game import TURN_OVER
from rules.pieces import Pieces
from th_vision import tolerances as tol
from th_vision.announce import Line
from th_vision.follow import Follower
from th_vision.follow_events import Accepted, Event, Paused, Recounted, Reread, Said
from th_vision.referee import commands as say
from th_vision.referee import telling_more as more
from th_vision.referee.commands import CommandError, Spoken
from th_vision.referee.questions import open_questions
from th_vision.referee.words import HELP

_GOES_ON = (Line("The game goes on.", kind="legal"),)
Do = Literal["", "quit", "look again", "recalibrate"]


@dataclass(frozen=True)
class Heard:
    """``events``: for the follower, in order; then ``lines`` to say. ``do``: what the loop itself has to do."""

    events: tuple[Event, ...] = ()
    lines: tuple[Line, ...] = ()
    do: Do = ""


class Hearing:
    """Answers commands about one game. State: for which turn players were asked whether it is really over."""

    def __init__(self, language: str = "en") -> None:
        self._language = language
        self._asked_for: int | None = None

    def hear(self, spoken: Spoken, follower: Follower) -> Heard:
        """What follows from a command.

        Raises:
            CommandError: it can't be done now; the message says why, in one line.
        """
        command = spoken.command
        heard = self._answer(command, spoken.by, follower)
        over = isinstance(command, say.Next) and heard.do != "look again" and follower.turn_open and not heard.lines
        words = TURN_OVER if over else spoken.words if spoken.words != TURN_OVER else "next?"
        said = Said(SaidFact(turn=follower.game.turn, words=words[:400] or type(command).__name__.lower()))
        if not isinstance(command, say.Next):
            self._asked_for = None
        return Heard((said, *heard.events), heard.lines, heard.do)

    def _answer(self, command: say.Command, by: str, follower: Follower) -> Heard:
        match command:
            case say.Accept():
                return self._accept(by, follower)
            case say.Answer():
                return self._yes_or_no(command, by, follower)
            case say.Correct():
                return _facts(follower, _correction(command, by, follower))
            case say.Recount():
                return _recount(command, follower)
            case say.Undo():
                return _undo(command, follower)
            case say.Pass():
                return _facts(follower, _pass(follower))
            case say.Penalty():
                return _penalty(command, by, follower)
            case say.WhoseTurn():
                return _whose_turn(command, follower)
            case say.Next():
                return self._next(command, follower)
            case say.Pause():
                return _pause(follower, not follower.paused)
            case say.GoOn():
                return _pause(follower, False)
            case say.Reread():
                return Heard((Reread(),), (Line("I read the whole table again."),), "look again")
            case say.Recalibrate():
                return Heard(do="recalibrate")
            case say.NotUnderstood():
                raise CommandError(command.why)
            case say.Quit():
                return Heard(do="quit")
        return Heard(lines=tuple(self._told_more(command, follower)))

    def _told_more(self, command: say.Command, follower: Follower) -> Sequence[Line]:
        """Questions of the players: nothing changes."""
        language = self._language
        match command:
            case say.WhatIf():
                return more.what_if(command, follower, language)
            case say.Explain():
                return more.explained(command.turn, follower, language)
            case say.Score():
                return more.score(follower.game, language)
            case say.Supply():
                return more.supply(follower.game, language)
            case say.Guide():
                return more.still_off(follower)
            case say.Where():
                return more.where(follower.game, language)
        first, second = follower.game.players[:2]
        return [Line(f"· {_named(keys, first, second)}: {_named(what, first, second)}.") for keys, what in HELP]

    def _accept(self, by: str, follower: Follower) -> Heard:
        if follower.resting in ("knocked", "desynchronised", "checking"):
            return Heard((Accepted(),), _GOES_ON if follower.resting == "desynchronised" else ())
        questions = open_questions(follower, self._language)
        newest = [q for q in questions if q.turn == questions[0].turn]
        facts: list[Fact] = []
        for ruling in dict.fromkeys(q.ruling for q in newest):
            changes: dict[str, Switch | None] = {}
            for question in newest:
                changes |= question.usual if question.ruling == ruling else {}
            facts.append(CorrectionFact(turn=newest[0].turn, ruling=ruling, set=changes, by=by))
        if not facts:
            return Heard(lines=(Line("Nothing is open; the game goes on."),))
        return _facts(follower, facts)

    def _yes_or_no(self, command: say.Answer, by: str, follower: Follower) -> Heard:
        if follower.resting == "desynchronised":
            return Heard((Accepted(as_moves=command.yes),), () if command.yes else _GOES_ON)
        questions = open_questions(follower, self._language)
        if not questions:
            raise CommandError("no question is open; say help for what can be said")
        other = questions[0].else_by
        if other is not None and not command.yes:
            return _built_by(other, questions[0].turn, follower)
        heard = _facts(follower, [questions[0].answer(command.yes, by)])
        if len(questions) > 1 and questions[1].turn == questions[0].turn:
            return Heard(heard.events, (Line(questions[1].text, kind="too_close"),))
        return heard

    def _next(self, command: say.Next, follower: Follower) -> Heard:
        game = follower.game
        if follower.paused:
            return _pause(follower, False)
        if follower.resting == "knocked":
            raise CommandError("pieces are still off; put them back, or accept the table as it is (a)")
        owed = follower.owed
        if owed is not None and not command.surely and self._asked_for != game.turn:
            self._asked_for = game.turn
            cars = "one car" if owed[1] == 1 else f"{owed[1]} cars"
            words = f"{owed[0]} still has {cars} to place; say next once more to let the chance go."
            return Heard(lines=(Line(words, kind="too_close"),))
        self._asked_for = None
        if not follower.turn_open:
            return Heard(lines=(Line(f"It is {game.whose_turn}'s turn."),))
        return Heard()


def _named(text: str, first: str, second: str) -> str:
    """The help with the names of those who play: it is written with blue and pink."""
    names = {"blue": first, "pink": second}
    return re.sub(r"\b(blue|pink)\b", lambda met: names[met[0]], text)


def _facts(follower: Follower, facts: Sequence[Fact]) -> Heard:
    """Facts that the rule book takes, tried on a copy of the game first."""
    trial = follower.game.copy()
    try:
        for fact in facts:
            trial.apply(fact)
    except RulesError as error:
        raise CommandError(str(error)) from error
    return Heard(tuple(Said(fact) for fact in facts))


def _correction(command: say.Correct, by: str, follower: Follower) -> list[Fact]:
    move = more.move_of(follower, command.turn)
    ruling = follower.game.ruling(move.road.id)
    changes: dict[str, Switch | None] = dict(command.set)
    if command.more_cars:
        due = (ruling.cars_due if ruling is not None else 0) + command.more_cars
        if due < 0:
            raise CommandError(f"turn {move.turn}: no car is due, so none less can be; + is one more")
        changes["cars_due"] = due
    _check_cars(changes.get("cars_due"), move, follower)
    if not changes:
        raise CommandError("correct what? say for example cars 1, legal, or over r5")
    _check_roads(changes, ruling, follower)
    return [CorrectionFact(turn=move.turn, ruling=move.road.id, set=changes, by=by)]


def _check_cars(due: object, move: MoveFact, follower: Follower) -> None:
    """Nobody places more cars than they hold and have placed by this move."""
    if not isinstance(due, int):
        return
    game = follower.game
    can = game.supplies[move.player].cars + len(game.state.carried.get(move.road.id, ()))
    if due > can:
        raise CommandError(f"cars: {due} can't be due; {move.player} could place {can} at most")


def _check_roads(changes: dict[str, Switch | None], ruling: RulingLine | None, follower: Follower) -> None:
    """Roads can be corrected only where a crossing was seen."""
    crossed = [crossing.road for crossing in ruling.crossings] if ruling is not None else []
    for key, value in changes.items():
        if value in ("over", "under", "none") and key not in crossed:
            if key not in follower.game.roads:
                raise CommandError(f"{key}: there is no such road on the table")
            seen = f"I saw it cross {', '.join(crossed)}" if crossed else "I saw it cross no road"
            raise CommandError(f"{key}: {seen}; say cars and the number that is due instead")


def _recount(command: say.Recount, follower: Follower) -> Heard:
    before = more.move_of(follower, command.turn)
    update: dict[str, object] = {}
    if command.player is not None:
        if command.player not in follower.game.players:
            raise CommandError(f"{command.player} is none of the players; they are {', '.join(follower.game.players)}")
        update |= {"player": command.player, "turn_probability": 1.0, "player_probability": 1.0}
    if command.discs is not None or command.yellow is not None:
        column = before.column
        if column is None:
            raise CommandError(f"turn {before.turn} is an offramp, it has no new column")
        levels = column.levels if command.discs is None else command.discs
        yellow = int(column.junction if command.yellow is None else command.yellow)
        if levels < 1 + yellow and command.discs is None:
            levels = 1 + yellow
        _check_height(levels, column, before.road, follower.pieces)
        sure = {"levels_probability": 1.0, "junction_probability": 1.0, "order": None}
        update["column"] = column.model_copy(update={"gray": levels - yellow, "yellow": yellow, **sure})
        if levels - yellow < 0:
            raise CommandError("a column has one disc at least")
    after = before.model_copy(update=update)
    if after == before:
        return Heard(lines=(Line("That is how I saw it."),))
    return Heard((Recounted(before, after),))


def _built_by(player: str, turn: int, follower: Follower) -> Heard:
    """It was not the turn of whom the referee took for the builder: so it was built by whose turn it was."""
    first = more.move_of(follower, turn).player
    heard = _recount(say.Recount(player=player, turn=turn), follower)
    words = Line(f"Then {player} built it.", f"(where {first} built it out of turn, say turn {turn} by {first})")
    return Heard(heard.events, (*heard.lines, words))


def _check_height(levels: int, column: FactColumn, road: FactRoad, pieces: Pieces) -> None:
    """A column is about as high as the road on it: a number far from that is a slip of the finger."""
    heights = [end[2] for end, on in zip(road.ends, road.rests_on, strict=True) if on == column.id]
    seen = round((heights[0] - pieces.stick.thickness) / pieces.disc.height) if heights else column.levels
    fewest, most = max(1, seen - tol.RECOUNT_LEVELS), seen + tol.RECOUNT_LEVELS
    if not fewest <= levels <= most:
        raise CommandError(f"discs: by its road's height I see {seen}; {fewest} to {most} can be")


def _undo(command: say.Undo, follower: Follower) -> Heard:
    turns = [f.turn for f in follower.told if isinstance(f, MoveFact | PassFact | DiscardStickFact | KnockFact)]
    if command.turn is None:
        if not turns and not any(isinstance(fact, RampFact) for fact in follower.told):
            raise CommandError("there is nothing to take back yet")
        turn = max(turns, default=0)
    else:
        turn = command.turn
        if turn not in turns and turn != 0:
            there = f"turns {min(turns)} to {max(turns)} can be" if turns else "no turn was played yet"
            raise CommandError(f"turn {turn} can't be taken back; {there}")
    heard = _facts(follower, [UndoFact(turn=turn)])
    built = any(isinstance(fact, MoveFact) and fact.turn >= turn for fact in follower.told)
    words = Line("Take its pieces off, or put them otherwise.", "(r reads them again as they stand)")
    return Heard(heard.events, (words,) if built or not turn else ())


def _pass(follower: Follower) -> list[Fact]:
    if follower.resting == "set-up":
        raise CommandError("nobody can pass before the ramps stand")
    game = follower.game
    player, held = game.whose_turn, game.supplies[game.whose_turn]
    aside = game.rules.word("out_of_material") == "discard_stick" and held.gray < 1 and held.sticks > 0
    if aside:
        return [DiscardStickFact(turn=game.turn, player=player)]
    return [PassFact(turn=game.turn, player=player)]


def _penalty(command: say.Penalty, by: str, follower: Follower) -> Heard:
    game = follower.game
    for name in (command.giver, command.taker):
        if name not in game.players:
            raise CommandError(f"{name or 'nobody'} is none of the players; they are {', '.join(game.players)}")
    if command.giver == command.taker:
        raise CommandError(f"{command.giver} can't pay {command.giver}; name two players")
    known = _last_penalty(follower, command.giver, command.taker)
    held = game.supplies[command.giver]
    holds = held.gray + held.yellow + (0 if known is None else known.discs)
    if command.discs > holds:
        raise CommandError(f"penalty: {command.giver} holds {holds} discs, and can't give {command.discs}")
    if known is not None:
        settled = CorrectionFact(turn=known.turn, ruling=known.pieces[0], set={"discs": command.discs}, by=by)
        return _facts(follower, [settled])
    if not command.discs:
        raise CommandError(f"{command.giver} owes {command.taker} nothing this turn")
    pieces = [name for name, owner in game.owners.items() if owner == command.taker]
    if not pieces:
        raise CommandError(f"{command.taker} has no piece on the table")
    facts: list[Fact] = [KnockFact(turn=game.turn, by=command.giver, pieces=(pieces[-1],))]
    facts.append(CorrectionFact(turn=game.turn, ruling=pieces[-1], set={"discs": command.discs}, by=by))
    heard = _facts(follower, facts)
    return Heard((Said(facts[0], again=True), *heard.events[1:]))  # of the piece nobody needs to hear: it stands


def _last_penalty(follower: Follower, giver: str, taker: str) -> PenaltyLine | None:
    """The penalty of the last knock of this turn or the one before, between these two."""
    game = follower.game
    for fact in reversed(follower.told):
        if isinstance(fact, KnockFact) and fact.turn >= game.turn - 1:
            lines = [game.state.penalties[piece] for piece in fact.pieces if piece in game.state.penalties]
            for line in lines:
                if (line.from_, line.to) == (giver, taker) and line.pieces:
                    return line
            return None
    return None


def _whose_turn(command: say.WhoseTurn, follower: Follower) -> Heard:
    game = follower.game
    player = command.player
    if player is None or player == game.whose_turn:
        return Heard(lines=(Line(f"It is {game.whose_turn}'s turn."),))
    if player not in game.players:
        raise CommandError(f"{player} is none of the players; they are {', '.join(game.players)}")
    if follower.resting == "set-up":
        raise CommandError("nobody can pass before the ramps stand")
    ahead = game.copy()
    facts: list[Fact] = []
    while ahead.whose_turn != player and len(facts) < len(game.players):
        fact = PassFact(turn=ahead.turn, player=ahead.whose_turn)
        try:
            ahead.apply(fact)
        except RulesError as error:
            raise CommandError(str(error)) from error
        facts.append(fact)
    if ahead.whose_turn != player:
        raise CommandError(f"{player} plays no more in this game")
    return _facts(follower, facts)


def _pause(follower: Follower, on: bool) -> Heard:
    if on == follower.paused:
        return Heard(lines=(Line("The game is paused." if on else "The game goes on already."),))
    words = "I look away; say go when it goes on." if on else "I look again."
    return Heard((Paused(on),), (Line(words),), "" if on else "look again")
