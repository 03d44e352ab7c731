"""The words and keys that mean a command: a line of text in, a command out, or one friendly line that says why not.

Two keys do for the usual ones: a letter and Enter. An empty line is ``Next``.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, get_args

from rules.errors import RulesError
from rules.lines import FaultRule
from th_vision.referee.commands import (
    Accept,
    Answer,
    Command,
    CommandError,
    Correct,
    Explain,
    GoOn,
    Guide,
    Help,
    Next,
    Pass,
    Pause,
    Penalty,
    Quit,
    Recalibrate,
    Recount,
    Reread,
    Score,
    Supply,
    Undo,
    WhatIf,
    Where,
    WhoseTurn,
)

MOST_DISCS: Final = 200
"""No stack is higher: a number beyond is a slip of the finger."""
LONGEST: Final = 300
"""No command is longer."""
LAST_TURN: Final = 1_000_000
"""As in the record."""

HELP: Final = (
    ("y, n", "answer the question: yes, no"),
    ("a", "accept what was said; after a knock, the table as it is"),
    ("+, -", "one car more, or fewer, is due"),
    ("Enter", "the turn is over"),
    ("u [TURN]", "undo the last turn, or that one and all after it"),
    ("p", "pass"),
    ("s, d", "score; supplies"),
    ("where", "where you can build from, and what is free to cross"),
    ("e [TURN]", "explain the last ruling, or that turn's"),
    ("cars 2, legal, fault [RULE]", "correct the ruling; turn 7 cars 2 for an older one"),
    ("over r5, under r5, miss r5", "where the new road really lies"),
    ("discs 3, yellow, gray", "what the new column really is"),
    ("by pink", "who really built"),
    ("penalty pink blue [2]", "pink gives blue one disc (or 2)"),
    ("turn pink", "it is pink's turn"),
    ("what if cars 2, what if first=event", "how the ruling would read then"),
    ("g", "what is still to be put back"),
    ("r", "read the whole table again"),
    ("pause, go", "look away; look again"),
    ("recalibrate table.toml", "go on with a new calibration"),
    ("q", "stop; --resume goes on"),
)
"""What can be said, and what it does: for ``help`` and the documents."""

_SHORT: Final[Mapping[str, str]] = {
    "y": "yes",
    "n": "no",
    "a": "accept",
    "ok": "accept",
    "u": "undo",
    "p": "pass",
    "s": "score",
    "d": "supply",
    "supplies": "supply",
    "e": "explain",
    "why": "explain",
    "w": "what",
    "whatif": "what",
    "what-if": "what",
    "g": "guide",
    "r": "reread",
    "read": "reread",
    "h": "help",
    "?": "help",
    "q": "quit",
    "exit": "quit",
    "stop": "quit",
    "resume": "go",
    "continue": "go",
    "grey": "gray",
    "disc": "discs",
    "car": "cars",
    "whose": "turn",
    "skip": "pass",
}
_WORDS: Final = (
    *(
        "yes",
        "no",
        "accept",
        "undo",
        "pass",
        "score",
        "supply",
        "where",
        "explain",
        "what",
        "guide",
        "reread",
        "help",
        "quit",
    ),
    *("go", "pause", "next", "cars", "legal", "fault", "clear", "over", "under", "miss", "discs", "yellow", "gray"),
    *("by", "penalty", "turn", "bonus", "recalibrate"),
)
_PLAIN: Final[Mapping[str, Command]] = {
    "yes": Answer(True),
    "no": Answer(False),
    "accept": Accept(),
    "pass": Pass(),
    "score": Score(),
    "supply": Supply(),
    "where": Where(),
    "guide": Guide(),
    "reread": Reread(),
    "help": Help(),
    "quit": Quit(),
    "go": GoOn(),
    "pause": Pause(),
}
_RULES: Final = get_args(FaultRule)


def parse(text: str, players: Sequence[str] = ()) -> Command:
    """The command that a line of words means; ``players``: the names that may be said.

    Raises:
        CommandError: it means none; the message says what could be said instead.
    """
    if len(text) > LONGEST:
        raise CommandError(f"{text[:20]!r}...: too long for a command; say help for what can be said")
    words = _words(text)
    if not words:
        return Next()
    first, rest = words[0], words[1:]
    if first in ("+", "-") or (first[0] in "+-" and first[1:].isdigit()):
        return _more_cars(first, rest)
    if first == "turn" and rest and rest[0].isdigit():
        return _of_turn(_number(rest[0], "turn", LAST_TURN), rest[1:], players)
    word = _SHORT.get(first, first)
    if word in _PLAIN:
        _nothing_after(first, rest)
        return _PLAIN[word]
    if word == "next":
        return _next(rest)
    if word == "undo":
        return Undo(_optional_turn("undo", rest))
    if word == "explain":
        return Explain(_optional_turn("explain", rest))
    if word == "turn":
        if first == "whose" and " ".join(rest).rstrip("?").split() in (["turn"], ["turn", "is", "it"]):
            return WhoseTurn(None)
        _no_more("turn", rest[1:])
        return WhoseTurn(_player(rest[0], players) if rest else None)
    if word == "penalty":
        return _penalty(rest, players)
    if word == "what":
        return _what_if(rest, players)
    if word == "recalibrate":
        if not rest:
            raise CommandError("recalibrate: with which calibration? say recalibrate table.toml")
        return Recalibrate(Path(text.strip().split(maxsplit=1)[1].strip()))
    found = _correction(word, rest, players)
    if found is not None:
        return found
    raise _unknown(first)


def _words(text: str) -> list[str]:
    return text.replace(",", " ").lower().split()


def _unknown(word: str) -> CommandError:
    near = difflib.get_close_matches(word, [*_WORDS, *_SHORT], n=1, cutoff=0.75)
    hint = f"did you mean {_SHORT.get(near[0], near[0])}?" if near else "say help (or ?) for what can be said"
    return CommandError(f"{word[:30]!r} is nothing I know; {hint}")


def _nothing_after(word: str, rest: Sequence[str]) -> None:
    if rest:
        raise CommandError(f"{word}: {rest[0][:30]!r} says nothing there; say {word} alone")


def _no_more(word: str, rest: Sequence[str]) -> None:
    if rest:
        raise CommandError(f"{word}: {' '.join(rest)[:40]!r} can't be read; see help")


def _number(text: str, what: str, most: int) -> int:
    if not (text.isascii() and text.isdigit()) or int(text[:9]) > most:
        raise CommandError(f"{what}: {text[:20]!r} is no such number; give a whole number up to {most}")
    return int(text)


def _optional_turn(word: str, rest: Sequence[str]) -> int | None:
    if not rest:
        return None
    _no_more(word, rest[1:])
    return _number(rest[0], word, LAST_TURN)


def _player(name: str, players: Sequence[str]) -> str:
    exact = [player for player in players if player.lower() == name]
    begins = exact or [player for player in players if player.lower().startswith(name)]
    if len(begins) == 1:
        return begins[0]
    raise CommandError(f"{name[:30]!r} is none of the players; they are {', '.join(players)}")


def _next(rest: Sequence[str]) -> Next:
    if list(rest) in (["surely"], ["anyway"], ["!"]):
        return Next(surely=True)
    _nothing_after("next", rest)
    return Next()


def _more_cars(first: str, rest: Sequence[str]) -> Correct:
    _nothing_after(first, rest)
    by = _number(first[1:], "cars", 9) if len(first) > 1 else 1
    return Correct(more_cars=by if first[0] == "+" else -by)


def _of_turn(turn: int, rest: Sequence[str], players: Sequence[str]) -> Command:
    if not rest:
        raise CommandError(f"turn {turn}: what about it? say for example turn {turn} cars 1")
    command = parse(" ".join(rest), players)
    match command:
        case Correct():
            return Correct(command.set, turn, command.more_cars)
        case Recount():
            return Recount(command.player, command.discs, command.yellow, turn)
        case Undo():
            return Undo(turn)
        case Explain():
            return Explain(turn)
    raise CommandError(f"turn {turn}: {' '.join(rest)[:40]!r} is not about a turn; cars, legal, fault, over, ... are")


def _penalty(rest: Sequence[str], players: Sequence[str]) -> Penalty:
    names = [word for word in rest if word not in ("to", "gives", "pays", "owes")]
    if len(names) not in (2, 3):
        example = " ".join(players[:2]) or "pink blue"
        raise CommandError(f"penalty: who gives whom? say for example penalty {example}")
    giver, taker = (_player(name, players) for name in names[:2])
    if giver == taker:
        raise CommandError(f"penalty: {giver} can't pay {giver}; name two players")
    return Penalty(giver, taker, _number(names[2], "penalty", MOST_DISCS) if len(names) == 3 else 1)


def _what_if(rest: Sequence[str], players: Sequence[str]) -> WhatIf:
    words = list(rest[1:] if rest and rest[0] == "if" else rest)
    if not words:
        raise CommandError("what if what? say for example what if cars 2, or what if first=event")
    if all("=" in word for word in words):
        from rules.adjudicate import parse_options

        try:
            return WhatIf(options=parse_options(words))
        except RulesError as error:
            raise CommandError(str(error)) from error
    command = parse(" ".join(words), players)
    if not isinstance(command, Correct) or command.more_cars:
        raise CommandError(f"what if {' '.join(words)[:40]!r}: can't be tried; cars 2, legal, over r5, first=event can")
    return WhatIf(command.set)


def _correction(word: str, rest: Sequence[str], players: Sequence[str]) -> Correct | Recount | None:
    """What is wrong in a ruling, or in what was seen."""
    one = rest[0] if len(rest) == 1 else None
    match word:
        case "cars":
            if one is None:
                raise CommandError("cars: how many are due? say for example cars 1")
            return Correct({"cars_due": _number(one, "cars", 99)})
        case "legal":
            _nothing_after(word, rest)
            return Correct({"call": "legal"})
        case "fault":
            return Correct({_rule(one): "fault"} if rest else {"call": "fault"})
        case "clear":
            return Correct({_rule(one): "clear"})
        case "bonus":
            if one not in ("yes", "no"):
                raise CommandError("bonus: say bonus yes, or bonus no")
            return Correct({"offramp_bonus": one == "yes"})
        case "over" | "under" | "miss":
            if one is None:
                raise CommandError(f"{word}: which road? say for example {word} r5")
            return Correct({one: "none" if word == "miss" else word})
        case "discs":
            if one is None:
                raise CommandError("discs: how many has the column? say for example discs 3")
            number = _number(one, "discs", MOST_DISCS)
            if number < 1:
                raise CommandError("discs: a column has one disc at least")
            return Recount(discs=number)
        case "yellow" | "gray":
            _nothing_after(word, rest)
            return Recount(yellow=word == "yellow")
        case "by":
            if one is None:
                raise CommandError(f"by: who built? one of {', '.join(players)}")
            return Recount(player=_player(one, players))
    return None


def _rule(word: str | None) -> str:
    if word in _RULES:
        return str(word)
    near = difflib.get_close_matches(word or "", _RULES, n=1, cutoff=0.6)
    hint = f"did you mean {near[0]}?" if near else f"rules are {', '.join(_RULES[:4])}, ... (docs/ruling.md)"
    raise CommandError(f"{(word or 'that')[:30]!r} is no rule; {hint}")
