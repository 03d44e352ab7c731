"""``pieces.toml`` with a comment beside every value: how it was measured, how sure it is, or why it is an old one."""

from __future__ import annotations

from typing import Any

import tomlkit
from tomlkit.items import InlineTable, Item

from th_vision.enroll.enrolled import Entry

HEADING = "Measured by th-vision calibrate pieces"
_TITLES = {
    "stick": "road-stick",
    "disc": "one gray or yellow piece of a column",
    "colors": "sRGB as the camera sees them on this table, under this light",
    "players": "colours of the cars; the names are the players' names everywhere",
}


def pieces_toml(entries: tuple[Entry, ...], heading: str, old: str | None = None) -> str:
    """The file's text: ``entries`` put into ``old`` (the text of a file that was read before), whose other values and
    comments stay. ``heading``: when and from what."""
    if old is not None:  # of an earlier time
        old = "".join(line for line in old.splitlines(keepends=True) if not line.startswith(f"# {HEADING}"))
    document = tomlkit.parse(old) if old is not None else tomlkit.document()
    if old is None:
        document.add(tomlkit.comment("What your set of the game measures: mm, and sRGB colours. See docs/pieces.md."))
    for entry in entries:
        *where, name = _names(entry.key)
        table = _table(document, where)
        item = tomlkit.item(entry.value)
        item.comment(entry.comment)
        if name in table:
            kept = table[name]
            if isinstance(kept, Item) and not entry.measured and kept.trivia.comment:
                continue  # an old value with the word that somebody wrote beside it
        table[name] = item
    text = tomlkit.dumps(document)
    return f"# {HEADING}, {heading}\n{text}"


def _names(key: str) -> list[str]:
    """Parts of a dotted key; a player's name may hold dots."""
    part, rest = key.split(".", 1)
    return [part, rest] if part == "players" else [part, *rest.split(".")]


def _table(document: tomlkit.TOMLDocument, where: list[str]) -> Any:
    """The table at a place, made where it is missing; an inline one, without room for comments, becomes a table."""
    table: Any = document
    for depth, name in enumerate(where):
        old = table.get(name)
        if old is None or isinstance(old, InlineTable):
            fresh = tomlkit.table(is_super_table=len(where) > depth + 1 and old is None)
            if name in _TITLES and depth == 0:
                fresh.comment(_TITLES[name])
            for key, value in () if old is None else old.unwrap().items():
                fresh[key] = value
            if old is not None:
                del table[name]
            table[name] = fresh
        table = table[name]
    return table
