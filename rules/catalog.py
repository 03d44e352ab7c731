"""Message catalogues: the referee's sentences in the languages of the rule texts.

The ``.po`` files under ``rules/locale`` are read as they are and handed to gettext in memory, so that there is no
build step and an installed package says the same as the source tree. ``python -m rules.catalog`` writes the files
anew from ``rules.phrases``: translations stay, new sentences come in empty (English: as they are), old ones go.
"""

from __future__ import annotations

import ast
import gettext
import io
import struct
from collections.abc import Iterator
from functools import cache
from importlib import resources
from pathlib import Path
from types import ModuleType
from typing import Final

from rules import phrases
from rules.errors import RulesError
from rules.phrases import FaultWords, Named, Plural

LANGUAGES: Final[dict[str, str]] = {"en": "en", "es": "es", "nl": "nl", "zh-Hant": "zh_Hant"}
"""Language tag and name of its folder under ``rules/locale``."""

DOMAIN: Final = "th_vision"
OWN: Final = "rules"
PLURAL_FORMS: Final[dict[str, str]] = {
    "en": "nplurals=2; plural=(n != 1);",
    "es": "nplurals=2; plural=(n != 1);",
    "nl": "nplurals=2; plural=(n != 1);",
    "zh-Hant": "nplurals=1; plural=0;",
}
_CONTEXT_MARK = "\x04"  # between context and text in gettext's compiled form
_PLURAL_MARK = "\x00"  # between singular and plural there

Key = str | Named | Plural


def known(language: str) -> str:
    """The language, if it is one of ours.

    Raises:
        RulesError: no such language.
    """
    if language not in LANGUAGES:
        raise RulesError(f"language {language!r}: there is none; known: {', '.join(LANGUAGES)}")
    return language


@cache
def catalog(language: str, package: str = OWN) -> gettext.GNUTranslations:
    """The sentences of a language, ready for ``gettext``, ``ngettext`` and ``pgettext``.

    ``package``: whose ``locale`` folder is read; another one's sentences come before those of the rules.

    Raises:
        RulesError: no such language.
    """
    folder = LANGUAGES[known(language)]
    file = resources.files(package) / "locale" / folder / "LC_MESSAGES" / f"{DOMAIN}.po"
    found = gettext.GNUTranslations(io.BytesIO(compiled(parse_po(file.read_text(encoding="utf-8")))))
    if package != OWN:
        found.add_fallback(catalog(language))
    return found


def keys(sentences: ModuleType = phrases) -> Iterator[Key]:
    """Every sentence and word of a module, in the order in which they stand there, each once."""
    seen: set[Key] = set()
    for name, value in vars(sentences).items():
        if name.isupper() and name != "CAR_TYPE_NAMES":
            for key in _texts(value):
                if key not in seen:
                    seen.add(key)
                    yield key


def _texts(value: object) -> Iterator[Key]:
    if isinstance(value, (str, Named, Plural)):
        yield value
    elif isinstance(value, FaultWords):
        yield from (value.fault, value.question, value.look)
    elif isinstance(value, dict):
        for part in value.values():
            yield from _texts(part)
    elif isinstance(value, tuple):
        for part in value:
            yield from _texts(part)


def parse_po(text: str) -> dict[str, str]:
    """Keys and translations of a ``.po`` file in gettext's compiled spelling; empty and fuzzy ones are left out.

    Raises:
        RulesError: a line is none of a ``.po`` file.
    """
    entries: dict[str, str] = {}
    entry: dict[str, str] = {}
    field = ""
    fuzzy = False

    def finish() -> None:
        translation = _PLURAL_MARK.join(entry[part] for part in sorted(entry) if part.startswith("msgstr"))
        if "msgid" in entry and translation.strip(_PLURAL_MARK) and not fuzzy:
            key = f"{entry['msgctxt']}{_CONTEXT_MARK}" if "msgctxt" in entry else ""
            key += entry["msgid"]
            if "msgid_plural" in entry:
                key += _PLURAL_MARK + entry["msgid_plural"]
            entries[key] = translation
        entry.clear()

    for number, line in enumerate(text.splitlines(), start=1):
        line = line.strip()
        if line.startswith("#"):
            if line.startswith("#,") and "fuzzy" in line:
                fuzzy = True
            continue
        if not line:
            finish()
            fuzzy = False
            continue
        if not line.startswith('"'):
            field, _, line = line.partition(" ")
            entry[field] = ""
        try:
            entry[field] += ast.literal_eval(line)
        except (SyntaxError, ValueError, TypeError, KeyError) as error:
            raise RulesError(f"message catalogue, line {number}: expected a quoted text; correct it") from error
    finish()
    return entries


def compiled(entries: dict[str, str]) -> bytes:
    """The catalogue in gettext's binary form (``.mo``): a table of keys and one of texts, little-endian."""
    ids = sorted(entries, key=lambda key: key.encode())
    texts = [(key.encode(), entries[key].encode()) for key in ids]
    header = 7 * 4
    at = header + len(texts) * 16
    key_table, text_table, body = b"", b"", b""
    for key, _ in texts:
        key_table += struct.pack("<II", len(key), at + len(body))
        body += key + b"\0"
    for _, text in texts:
        text_table += struct.pack("<II", len(text), at + len(body))
        body += text + b"\0"
    start = struct.pack("<7I", 0x950412DE, 0, len(texts), header, header + 8 * len(texts), 0, 0)
    return start + key_table + text_table + body


def po_text(language: str, old: dict[str, str], sentences: ModuleType = phrases) -> str:
    """The ``.po`` file of a language: every sentence with its translation, where ``old`` has one."""
    plurals = 1 if language == "zh-Hant" else 2
    blocks = [
        'msgid ""\nmsgstr ""\n'
        f'"Project-Id-Version: th-vision\\n"\n"Language: {LANGUAGES[language]}\\n"\n'
        '"MIME-Version: 1.0\\n"\n"Content-Type: text/plain; charset=UTF-8\\n"\n'
        f'"Content-Transfer-Encoding: 8bit\\n"\n"Plural-Forms: {PLURAL_FORMS[language]}\\n"\n'
    ]
    for key in keys(sentences):
        compiled_key, lines = _po_key(key)
        own = compiled_key.split(_CONTEXT_MARK)[-1] if language == "en" else ""
        translation = old.get(compiled_key) or own
        if isinstance(key, Plural):
            forms = (translation.split(_PLURAL_MARK) + [""] * plurals)[:plurals]
            lines += "".join(f"msgstr[{i}] {_quoted(form)}\n" for i, form in enumerate(forms))
        else:
            lines += f"msgstr {_quoted(translation)}\n"
        blocks.append(lines)
    return "\n".join(blocks)


def _po_key(key: Key) -> tuple[str, str]:
    """A key in compiled spelling and its lines in a ``.po`` file."""
    if isinstance(key, Named):
        lines = f"msgctxt {_quoted(key.context)}\nmsgid {_quoted(key.text)}\n"
        return f"{key.context}{_CONTEXT_MARK}{key.text}", lines
    if isinstance(key, Plural):
        lines = f"#, python-brace-format\nmsgid {_quoted(key.one)}\nmsgid_plural {_quoted(key.many)}\n"
        return f"{key.one}{_PLURAL_MARK}{key.many}", lines
    mark = "#, python-brace-format\n" if "{" in key else ""
    return key, f"{mark}msgid {_quoted(key)}\n"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def update_catalogs(folder: Path | None = None, sentences: ModuleType = phrases) -> None:
    """Write the ``.po`` files anew from the sentences in the code."""
    root = folder or Path(__file__).parent / "locale"
    for language, name in LANGUAGES.items():
        path = root / name / "LC_MESSAGES" / f"{DOMAIN}.po"
        old = parse_po(path.read_text(encoding="utf-8")) if path.exists() else {}
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(po_text(language, old if language != "en" else {}, sentences), encoding="utf-8")


if __name__ == "__main__":
    update_catalogs()
