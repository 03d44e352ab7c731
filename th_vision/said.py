"""What the referee's parts and the commands say in English, in the language that was asked for.

The sentences of ``th_vision.phrases`` that are called ``SAID...`` are templates. A text that fits one is said anew by
its translation, its parts (pieces, players, places, reasons) likewise; what fits none stays as it is. The name of a
place in a template says what may stand there. Sentences of rulings come from ``rules``, which knows languages itself,
and pass unchanged; so do paths, numbers of versions and what other programs say.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

from rules import phrases as rules_say
from rules.phrases import CAR_TYPE_NAMES, DECIMAL_POINT, Plural
from th_vision import phrases as say
from th_vision.announce import Line
from th_vision.words import Words, words_in
from th_vision.wrapping import columns

_FULL_STOP: Final = {"zh-Hant": "。"}
_COMMA: Final = {"zh-Hant": "、"}
_SEMICOLON: Final = {"zh-Hant": "；"}  # noqa: RUF001  # the Chinese one is meant
_COLON: Final = {"zh-Hant": "："}  # noqa: RUF001  # as above
_PIECES: Final = (
    (rules_say.ROAD_OF, {"owner"}),
    (rules_say.COLUMN_OF, {"owner"}),
    (rules_say.CAR_OF, {"owner"}),
    (rules_say.ROAD, set[str]()),
    (rules_say.COLUMN, set[str]()),
    (rules_say.CAR, set[str]()),
)
_PLAYERS: Final = {"player", "next", "owner", "giver", "taker"}
_SENTENCES_WITHIN: Final = {
    *("where", "why", "way", "lies", "hint", "seen", "there"),
    *("what", "todo", "kept", "noise", "age", "warmth", "projector", "verdict", "more", "span", "other", "unit"),
}
"""Places of a reason, a remedy, or another part that is a sentence itself."""
_LISTS: Final = {"parts": ", ", "either": " or ", "both": " and ", "options": " | "}
"""Places of several such parts, and what stands between them."""
_NUMBER: Final = r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?"
_WORD: Final = r"\S+"
_LONGEST: Final = 1000
"""A longer text is none of ours, and would take long to look at."""
_MOST_HEADS: Final = 8
_NUMBERS: Final = re.compile(r"x|y|before|turn|time|first|last|most|(n|mm|px|deg|s|sigma|good|mb|fps)\d?")


@dataclass(frozen=True)
class _Template:
    """``text`` in English; ``key`` in the catalogue. ``mark``: its longest part without a place, for a quick look."""

    text: str
    key: str | Plural
    mark: str
    letters: int

    @classmethod
    def of(cls, text: str, key: str | Plural) -> _Template:
        parts = re.split(r"\{\w+\}", text)
        return cls(text, key, max(parts, key=len), sum(map(len, parts)))


@cache
def _templates() -> tuple[_Template, ...]:
    """All of them, the most particular first."""
    found = []
    for name, value in vars(say).items():
        if name.startswith("SAID"):
            for key in value:
                texts = (key.one, key.many) if isinstance(key, Plural) else (key,)
                found += [_Template.of(text, key) for text in texts]
    return tuple(sorted(found, key=lambda one: -one.letters))


@lru_cache(maxsize=2048)
def said(text: str, language: str) -> str:
    """The text in the language, where it is one of ours.

    Raises:
        RulesError: no such language.
    """
    if language == "en" or not text or len(text) > _LONGEST:
        return text
    words = words_in(language)
    found = _either_case(text, words)
    if found is None and text.endswith("."):
        bare = _either_case(text[:-1], words)
        found = None if bare is None else bare + _FULL_STOP.get(language, ".")
    if found is None:
        return text
    return words.sentence(found) if text[:1].isupper() else found


def said_lines(text: str, language: str) -> str:
    """Each line of the text in the language; what stands before and after its words stays."""
    if language == "en":
        return text
    return "".join(_said_line(line, language) for line in text.splitlines(keepends=True))


def _said_line(line: str, language: str) -> str:
    """Cells of a table, which two or more spaces part, each for itself; columns stay where they are if they can."""
    out, wider = "", 0
    for number, part in enumerate(re.split(r"(\s{2,}|\s+$|^\s+)", line)):
        if number % 2 == 0:
            new = said(part, language)
            wider += columns(new) - columns(part)
        elif not out.strip() or not part.strip("\n"):  # what a line begins with, and its end
            new = part
        else:
            new = " " * max(1, len(part) - wider)
            wider -= len(part) - len(new)
        out += new
    return out


def in_language(line: Line, language: str) -> Line:
    """A line of the announcer in the language."""
    if language == "en":
        return line
    return Line(said(line.text, language), said(line.reason, language), line.kind)


def _either_case(text: str, words: Words) -> str | None:
    first = re.match(r"[A-Z][A-Z]", text)  # a word to type is written as it is
    return (None if first else _of(text[:1].lower() + text[1:], words)) or _of(text, words)


def _of(text: str, words: Words) -> str | None:
    return _found(text, words.language)


@lru_cache(maxsize=4096)  # what stands behind a colon is looked at again and again
def _found(text: str, language: str) -> str | None:
    words = words_in(language)
    if "; " in text:  # "what is wrong; what to do": no place of a shorter sentence may swallow what comes after
        return (
            _fitting(text, words, lambda one: "; " in one.text)
            or _joined(text, "; ", words)
            or _fitting(text, words, lambda one: "; " not in one.text)
            or _behind_a_head(text, words)
        )
    return _fitting(text, words, lambda _: True) or _behind_a_head(text, words) or _joined(text, ", ", words)


def _fitting(text: str, words: Words, wanted: Callable[[_Template], bool]) -> str | None:
    for template in _templates():
        if template.mark not in text or not wanted(template):
            continue
        if text.endswith(".") and not template.text.endswith("."):
            continue  # its full stop would be taken for a part of its last place
        if template.text.endswith(": {player}") and (found := _behind_a_head(text, words)) is not None:
            return found  # a sentence about that turn, and no player's name
        match = _pattern(template.text).fullmatch(text)
        if match is not None and all(map(_is_whole, match.groups())) and not _takes_too_much(template, match):
            return _filled(template.key, match.groupdict(), words)
    return None


def _takes_too_much(template: _Template, match: re.Match[str]) -> bool:
    """Whether the place that a sentence begins with would take what stands before its colon, too, or a head's what
    stands behind."""
    at_an_end = template.text.startswith("{") or template.key in say.SAID_AS_HEAD
    return at_an_end and ": " not in template.text and any(": " in part for part in match.groups())


def _is_whole(part: str) -> bool:
    """No bracket of it is closed or opened outside: the place would reach beyond what it stands for."""
    depth = 0
    for letter in part:
        depth += (letter == "(") - (letter == ")")
        if depth < 0:
            return False
    return depth == 0


def _filled(key: str | Plural, found: dict[str, str], words: Words) -> str:
    values = {name: _part(name, value, words) for name, value in found.items()}
    if isinstance(key, str):
        return words.fill(key, **values)
    n = values.pop("n", "1")
    return words.count(key, round(float(n)), **values)


def _behind_a_head(text: str, words: Words) -> str | None:
    """ "road r5: turn it back", "game.jsonl: is empty": the head says what the sentence behind it is about."""
    at = text.find(": ") if text.count(": ") <= _MOST_HEADS else -1
    while at >= 0 and "; " not in text[:at]:
        head, rest = text[:at], text[at + 2 :]
        after = _either_case(rest, words)
        if after is not None:
            return f"{_head(head, words)}{_COLON.get(words.language, ': ')}{after}"
        at = text.find(": ", at + 2)
    return None


def _head(text: str, words: Words) -> str:
    """What a line is about: a piece, or one of our own names; else as it is (a file, a key, a word of an option)."""
    for head in say.SAID_AS_HEAD:
        match = _pattern(head).fullmatch(text)
        if match is not None:
            return _filled(head, match.groupdict(), words)
    return _piece(text, words) or (_of(text, words) if " " in text else None) or text


def _joined(text: str, mark: str, words: Words) -> str | None:
    """Several sentences or things after each other, all of which must be known."""
    if mark not in text:
        return None
    parts = [_either_case(part, words) for part in text.split(mark)]
    whole = [part for part in parts if part is not None]
    if len(whole) < len(parts):
        return None
    return ((_COMMA if mark == ", " else _SEMICOLON).get(words.language, mark)).join(whole)


def _part(name: str, value: str, words: Words) -> str:
    if name in _PLAYERS:
        return words.player(value)
    if name == "piece":
        return _piece(value, words) or value
    if name == "way" and " and " in value:
        first, _, second = value.partition(" and ")
        return words.fill(rules_say.TWO, first=_of(first, words) or first, second=_of(second, words) or second)
    if name == "object":  # "green area"
        return words.text(say.PAGE.get(f"city.{value.replace(' ', '_')}", value))
    if name == "thing":  # "the green area"
        return words.text(say.LANDMARKS.get(value.removeprefix("the ").replace(" ", "_"), value))
    if name in _LISTS:
        parts = [_either_case(part, words) or part for part in value.split(_LISTS[name])]
        if name == "parts":
            return _COMMA.get(words.language, ", ").join(parts)
        if name == "both":
            return words.listed(parts)
        return (f" {words.text(say.OR)} " if name == "either" else _LISTS[name]).join(parts)
    if _NUMBERS.fullmatch(name) or name == "share":
        return value.replace(".", words.word(*DECIMAL_POINT)) if re.fullmatch(r"-?\d+\.\d+%?", value) else value
    return _either_case(value, words) or value if name in _SENTENCES_WITHIN else value


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
            text += f"(?P<{part}>{_NUMBER if _NUMBERS.fullmatch(part) else _WORD if part == 'id' else '.+?'})"
            met.add(part)
    return re.compile(text, re.DOTALL)


def unknown(texts: Iterable[str]) -> list[str]:
    """Of English texts those that no template fits: for the test that finds missing ones."""
    return [text for text in texts if _either_case(text, words_in("en")) is None]
