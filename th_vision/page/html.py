"""The page itself: one document with its style, script and words inside, and the policy that allows no others."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Final

from rules.phrases import CAR_TYPE_NAMES, MISSIONS, PLAYER_NAMES, Plural
from th_vision import phrases as say
from th_vision.words import Words, words_in

_LANGUAGE_NAMES: Final = {"en": "English", "es": "Español", "nl": "Nederlands", "zh-Hant": "繁體中文"}


@dataclass(frozen=True)
class PageText:
    """The document, and its content-security-policy."""

    text: str
    policy: str


BOARD: Final = ("labels.js", "board.js")
"""What draws the board, here and in the report."""
PAGE: Final = ("page.js", "panel.js", "controls.js")
"""What the page does: parts of one function, in this order."""


@cache
def page_of(language: str, control: bool) -> PageText:
    """The page in a language; ``control``: with the part for corrections.

    Raises:
        RulesError: no such language.
    """
    words = words_in(language)
    style = f"{asset('board.css')}\n{asset('page.css')}"
    inside = "\n".join(map(asset, PAGE))
    script = "\n".join([*map(asset, BOARD), f'(() => {{\n"use strict";\n{inside}}})();'])
    told = {"language": language, "languages": _LANGUAGE_NAMES, "control": control, "words": words_of_page(words)}
    parts = {
        "LANG": language,
        "TITLE": html.escape(words.text(say.PAGE["title"])),
        "CSS": style,
        "JS": script,
        "WORDS": json.dumps(told, ensure_ascii=False).replace("<", "\\u003c"),
    }
    text = re.sub(r"%(w:)?([\w.]+)%", lambda found: _part(found, parts, words), asset("page.html"))
    policy = (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; img-src 'self' data:; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    return PageText(text, policy)


def words_of_page(words: Words) -> dict[str, str | list[str]]:
    """Everything that the page's script says, in the language, by key; plurals as the language's forms."""
    found: dict[str, str | list[str]] = {key: words.text(text) for key, text in say.PAGE.items()}
    for key, plural in say.PAGE_COUNTS.items():
        found[key] = _forms(words, plural)
    found |= {f"player.{name.text}": words.word(*name) for name in PLAYER_NAMES}
    found |= {f"car.{kind}": words.word("car", name) for kind, name in CAR_TYPE_NAMES.items()}
    found |= {f"mission.{mission}": words.word(*named) for mission, named in MISSIONS.items()}
    found["mm"] = words.word("unit", "mm")
    return found


def _forms(words: Words, plural: Plural) -> list[str]:
    """The forms for one and for many, with their places still open."""
    places = {name: f"{{{name}}}" for name in re.findall(r"\{(\w+)\}", plural.many) if name != "n"}
    return [words.count(plural, n, **places).replace(str(n), "{n}") for n in (1, 999_999)]


def asset(name: str) -> str:
    """One of the page's own files."""
    return (resources.files("th_vision.page") / "assets" / name).read_text(encoding="utf-8")


def _part(found: re.Match[str], parts: dict[str, str], words: Words) -> str:
    if found[1]:
        return html.escape(words.text(say.PAGE[found[2]]))
    return parts.get(found[2], found[0])


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
