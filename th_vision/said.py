"""What the referee's parts say in English, in the language that was asked for.

The sentences of ``th_vision.phrases.SAID`` are templates. A text that fits one is said anew by its translation, its
parts (pieces, players, places) likewise; what fits none stays as it is. Sentences of rulings come from ``rules``, which
knows languages itself, and pass unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import Final

from rules import phrases as rules_say
from rules.phrases import CAR_TYPE_NAMES
from th_vision import phrases as say
from th_vision.announce import Line
from th_vision.words import Words, words_in

_FULL_STOP: Final = {"zh-Hant": "。"}
_PIECES: Final = (
    (rules_say.ROAD_OF, {"owner"}),
    (rules_say.COLUMN_OF, {"owner"}),
    (rules_say.ROAD, set[str]()),
    (rules_say.COLUMN, set[str]()),
)
_PLAYERS: Final = {"player", "next", "owner", "giver", "taker"}
_SENTENCES_WITHIN: Final = {"where", "why", "way", "lies", "hint", "seen", "there"}
_NUMBERS: Final = {"n", "x", "y", "before", "turn", "time", "first", "last", "most"}
_NUMBER: Final = r"-?[\d.]+"
_SENTENCES: Final = (*say.SAID, *say.SAID_OF_STATE, *say.SAID_OF_PIECES, *say.SAID_AS_HELP, *say.SAID_AS_REFUSAL)


@lru_cache(maxsize=2048)
def said(text: str, language: str) -> str:
    """The text in the language, where it is one of ours.

    Raises:
        RulesError: no such language.
    """
    if language == "en" or not text:
        return text
    words = words_in(language)
    found = _of(text[:1].lower() + text[1:], words) or _of(text, words)
    if found is None and text.endswith("."):
        bare = _of(text[:1].lower() + text[1:-1], words)
        found = None if bare is None else bare + _FULL_STOP.get(language, ".")
    if found is None:
        return text
    return words.sentence(found) if text[:1].isupper() else found


def in_language(line: Line, language: str) -> Line:
    """A line of the announcer in the language."""
    if language == "en":
        return line
    return Line(said(line.text, language), said(line.reason, language), line.kind)


def _of(text: str, words: Words) -> str | None:
    for template in _SENTENCES:
        if text.endswith(".") and not template.endswith("."):
            continue  # its full stop would be taken for a part of its last place
        match = _pattern(template).fullmatch(text)
        if match is not None:
            return words.fill(
                template, **{name: _part(name, value, words) for name, value in match.groupdict().items()}
            )
    head, colon, rest = text.partition(": ")
    if colon:
        piece = _piece(head, words)
        after = _of(rest, words) if piece is not None or head.isascii() else None
        if after is not None:
            return f"{piece or head}: {after}"
    return None


def _part(name: str, value: str, words: Words) -> str:
    if name in _PLAYERS:
        return words.player(value)
    if name == "piece":
        return _piece(value, words) or value
    if name == "way" and " and " in value:
        first, _, second = value.partition(" and ")
        return words.fill(rules_say.TWO, first=_of(first, words) or first, second=_of(second, words) or second)
    return _of(value, words) or value if name in _SENTENCES_WITHIN else value


def _piece(text: str, words: Words) -> str | None:
    """A piece as the referee names it: "blue's column c3", "blue's highway bus k2", "road r5"."""
    for template, players in _PIECES:
        match = _pattern(template).fullmatch(text)
        if match is not None:
            values = {
                name: words.player(value) if name in players else value for name, value in match.groupdict().items()
            }
            return words.fill(template, **values)
    for car in CAR_TYPE_NAMES.values():
        match = re.fullmatch(rf"(?P<owner>.+)'s {car} (?P<piece>\S+)", text)
        if match is not None:
            return words.fill(
                say.CAR_OF, player=words.player(match["owner"]), car=words.word("car", car), piece=match["piece"]
            )
    return None


@cache
def _pattern(template: str) -> re.Pattern[str]:
    text, met = "", set[str]()
    for number, part in enumerate(re.split(r"\{(\w+)\}", template)):
        if number % 2 == 0:
            text += re.escape(part)
        elif part in met:
            text += f"(?P={part})"
        else:
            text += f"(?P<{part}>{_NUMBER if part in _NUMBERS else '.+?'})"
            met.add(part)
    return re.compile(text, re.DOTALL)


def unknown(texts: Iterable[str]) -> list[str]:
    """Of English texts those that no template fits: for the test that finds missing ones."""
    return [
        text
        for text in texts
        if _of(text[:1].lower() + text[1:], words_in("en")) is None and _of(text, words_in("en")) is None
    ]
