"""The languages: nothing missing, nothing broken, and what the referee's parts say is said in all of them."""

from __future__ import annotations

import ast
import re
import time
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

import pytest

from rules.catalog import LANGUAGES, keys, parse_po, po_text
from rules.errors import RulesError
from rules.phrases import Named, Plural
from tests.conftest import ROOT
from th_vision import phrases
from th_vision.announce import Line
from th_vision.languages import chosen
from th_vision.said import in_language, said, unknown
from th_vision.words import words_in

OTHERS = [language for language in LANGUAGES if language != "en"]
SAME_EVERYWHERE = {"Tokyo Highway", "± {k} sigma", "Asakusa", "Control", "No", "contact", "live", "Pause", "score {n}",
                   "total", "Tokyo Highway: {players}", "hand", "table",
                   "{camera}, firmware {firmware}, USB {usb}", "{n}, {span}", "{s} s", "{mm} +- {sigma} mm ({what})",
                   "firmware", "no", "scenario {name}", "DATA is {name}", "depth_scale is {value}", "camera",
                   "{x}x{y}, f {px} px", "pixels"}  # fmt: skip
"""Words that one of the languages writes as English does."""


def file_of(language: str) -> dict[str, str]:
    path = resources.files("th_vision") / "locale" / LANGUAGES[language] / "LC_MESSAGES" / "th_vision.po"
    return parse_po(path.read_text(encoding="utf-8"))


def compiled(key: str | Named | Plural) -> str:
    if isinstance(key, Plural):
        return f"{key.one}\x00{key.many}"
    return f"{key.context}\x04{key.text}" if isinstance(key, Named) else key


def places(text: str) -> set[str]:
    return set(re.findall(r"\{(\w+)\}", text))


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_sentence_is_missing_and_none_is_left_over(language: str) -> None:
    wanted = {compiled(key) for key in keys(phrases)}
    there = set(file_of(language)) - {""}
    assert there == wanted


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_translation_has_the_places_of_its_sentence(language: str) -> None:
    for key, text in file_of(language).items():
        if not key:
            continue
        forms = text.split("\x00")
        singular, _, plural = key.partition("\x00")
        for number, form in enumerate(forms):
            wanted = places(plural or singular)
            allowed = wanted - {"n"} if number == 0 and len(forms) > 1 else wanted
            assert allowed <= places(form) <= wanted, (key, form)
        assert len(forms) == (1 if not plural or language == "zh-Hant" else 2), key


@pytest.mark.parametrize("language", OTHERS)
def test_nothing_is_left_in_english(language: str) -> None:
    same = {key for key, text in file_of(language).items() if key and text == key and key not in SAME_EVERYWHERE}
    assert same == set()


def test_chinese_is_written_in_chinese() -> None:
    for key, text in file_of("zh-Hant").items():
        bare = re.sub(r"\{\w+\}", "", text)
        assert not key or re.search(r"[\u4e00-\u9fff]", bare) or not re.search(r"[A-Za-z]{3}", bare), (key, text)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_files_are_as_the_tool_writes_them(language: str) -> None:
    path = ROOT / "th_vision" / "locale" / LANGUAGES[language] / "LC_MESSAGES" / "th_vision.po"
    old = file_of(language) if language != "en" else {}
    assert path.read_text(encoding="utf-8") == po_text(language, old, phrases)


# --- what others say in English ---------------------------------------------------------------------------------------

SPEAKERS = ("announce.py", "rebuild.py", "follow.py", "follow_play.py", "teller.py", "referee/hearing.py",
            "referee/loop.py", "referee/words.py", "referee/live.py", "referee/telling_more.py",
            "commands/referee.py")  # fmt: skip
"""Where sentences are made that players hear."""
SPOKEN = ("Line", "Warned", "CommandError")


PARTS = {"cars": "2 cars", "moved": "moved far", "discs": "2 discs", "what": "pass", "said": "no frame", "top": ""}
"""What a place of these names is filled with; others hold a name or a number."""


def template(node: ast.expr) -> str | None:
    """The sentence of a string or an f-string, something for each of its places."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(_filled(part) for part in node.values)
    return None


def _filled(part: ast.expr) -> str:
    if isinstance(part, ast.Constant):
        return str(part.value)
    name = part.value.id if isinstance(part, ast.FormattedValue) and isinstance(part.value, ast.Name) else ""
    return PARTS.get(name, "7")


def sentences(path: Path) -> Iterator[str]:
    """Every text that a ``Line`` or ``Warned`` is made of, and what ``words`` is set to."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        values: list[ast.expr] = []
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in SPOKEN:
            values = node.args[:2]
        elif isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == "words" for t in node.targets):
            values = [node.value]
        for value in values:
            for choice in (value.body, value.orelse) if isinstance(value, ast.IfExp) else (value,):
                text = template(choice)
                if text and re.search(r"[a-z]{3,} ", text):
                    yield text


@pytest.mark.parametrize("name", SPEAKERS)
def test_every_sentence_that_the_referee_says_has_its_translations(name: str) -> None:
    path = ROOT / "th_vision" / name
    if not path.exists():
        pytest.skip(f"there is no {name}")
    said_there = [text.replace("pass; ", "at 3.0 s the table could not be read; ") for text in sentences(path)]
    assert unknown(said_there) == []


def test_the_help_has_its_translations() -> None:
    from th_vision.referee.words import HELP

    assert unknown(what for _, what in HELP) == []


@pytest.mark.parametrize(
    ("english", "language", "text"),
    [
        ("All is put back; the game goes on.", "es", "Todo está en su sitio; la partida sigue."),
        ("blue still has 2 cars to place.", "nl", "blauw moet nog 2 auto's plaatsen."),
        ("It is pink's turn.", "zh-Hant", "輪到粉紅色。"),
        (
            "blue's column c3 is missing; it stood at (12, -40) mm, 3 levels, yellow on top",
            "es",
            "falta el pilar c3 de azul; estaba en (12, -40) mm, 3 pisos, amarillo arriba",
        ),
        ("Road r5: move it 4 mm to the left.", "nl", "Weg r5: verplaats het 4 mm naar links."),
        ("road r5: move it 4 mm to the left and 2 mm up", "nl", "weg r5: verplaats het 4 mm naar links en 2 mm omhoog"),
        ("pink's highway bus k2 is missing; it stood on r4 at (1, 2) mm", "es", None),
        ("No pictures: the camera starts. The game waits; nothing is lost.", "es", None),
        ("turn 7: id c4 is used twice; give the new column an id of its own", "nl",
         "beurt 7: id c4 wordt twee keer gebruikt; geef de nieuwe pilaar een eigen id"),
        ("stick.length: 71.25 +- 0.31 mm (both ends in colour)", "es",
         "stick.length: 71,25 +- 0,31 mm (ambos extremos en color)"),
        ("no pieces file (pieces.toml): the usual sizes are used; measure yours: th-vision calibrate pieces, or by "
         "hand (docs/pieces.md)", "es",
         "sin archivo de piezas (pieces.toml): se usan las medidas habituales; medid las vuestras: th-vision calibrate "
         "pieces, o a mano (docs/pieces.md)"),
        ("out.mcap: 1 frame, 2 lines of the game, 1 layout saved; lost: nothing", "nl",
         "out.mcap: 1 beeld, 2 regels van het spel, 1 opstelling, gered; verloren: niets"),
        ("language 'xx': there is none; known: en, es", "nl", "taal 'xx': dat is er niet; bekend: en, es"),
        ("players: 1 given, a game needs 2 to 4; name them like --players blue,pink", "es",
         "jugadores: se dan 1, una partida necesita de 2 a 4; nombradlos como --players blue,pink"),
        ("SOURCE is missing; or give --show to see how the pieces are laid out", "nl",
         "SOURCE ontbreekt; of geef --show om te zien hoe de onderdelen neergelegd worden"),
        ("off: a piece that did not fall costs nothing", "nl", "off: een onderdeel dat niet viel kost niets"),
        ("turn 4: blue (then pink)", "zh-Hant", "第 4 回合\uff1a藍色\uff08接著粉紅色\uff09"),
    ],
)  # fmt: skip
def test_what_was_said_in_english_is_said_in_the_language(english: str, language: str, text: str | None) -> None:
    spoken = said(english, language)
    assert spoken != english
    assert text is None or spoken == text
    assert said(english, "en") == english


def test_every_template_is_found_again_by_what_it_says() -> None:
    """With a number in each of its places; a place's name is none that filling it would trip over."""
    for name, sentences in vars(phrases).items():
        if name.startswith("SAID"):
            for key in sentences:
                for text in (key.one, key.many) if isinstance(key, Plural) else (key,):
                    assert not places(text) & ({"text", "self"} | ({"words"} if isinstance(key, Plural) else set()))
                    assert unknown([re.sub(r"\{\w+\}", "7", text)]) == []


def test_a_text_that_somebody_made_up_to_take_long_does_not() -> None:
    began = time.process_time()
    for part in (": ", "; ", ", ", " and ", "7 ", "(", "turn 7: ", "can't be read ("):
        assert said(part * 400, "es") == part * 400
        said(part * 12 + "x", "nl")
    assert time.process_time() - began < 2.0


def test_what_is_no_sentence_of_ours_stays_as_it_is() -> None:
    assert said("Blue's road r9 is legal.", "es") == "Blue's road r9 is legal."
    assert said("", "nl") == ""
    line = Line("It is blue's turn.", "(4.2 ± 0.3 mm)", "info")
    assert in_language(line, "es") == Line("Le toca a azul.", "(4.2 ± 0.3 mm)", "info")
    assert in_language(line, "en") is line


# --- which language ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({}, "en"),
        ({"LANG": "C.UTF-8"}, "en"),
        ({"LANG": "es_MX.UTF-8"}, "es"),
        ({"LANG": "nl_BE"}, "nl"),
        ({"LANG": "zh_TW.UTF-8"}, "zh-Hant"),
        ({"LANG": "fr_FR.UTF-8"}, "en"),
        ({"LANG": "es_ES.UTF-8", "LC_ALL": "nl_NL.UTF-8"}, "nl"),
        ({"LANG": "es_ES.UTF-8", "LC_ALL": "C"}, "en"),
        ({"LANG": "fr_FR.UTF-8", "LANGUAGE": "fr:es:en"}, "es"),
    ],
)
def test_the_systems_language_is_taken_where_none_is_asked_for(environment: dict[str, str], language: str) -> None:
    assert chosen(None, environment) == language
    assert chosen("nl", environment) == "nl"


def test_an_unknown_language_is_refused_with_the_known_ones() -> None:
    with pytest.raises(RulesError, match="known: en, es, nl, zh-Hant"):
        words_in("fr")


def test_spanish_draws_its_articles_together() -> None:
    words = words_in("es")
    text = words.fill(phrases.PLACE, distance="a un palmo", direction="al norte", landmark="el edificio")
    assert text == "a un palmo al norte del edificio"


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize("piece", ["road r1", "column c1", "car k1"])
def test_a_piece_is_named_in_the_language_whatever_it_is(language: str, piece: str) -> None:
    for name in (f"Blue's {piece}", piece.capitalize()):
        there = said(f"{name} stands as it stood.", language)
        assert piece[-2:] in there
        assert not re.search(r"blue|road|column|\bcar\b", there, re.IGNORECASE), there
