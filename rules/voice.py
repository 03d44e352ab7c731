"""A language to speak in: sentences filled, plurals, numbers, and pieces as noun phrases."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from rules import phrases as say
from rules.catalog import OWN, catalog
from rules.phrases import Plural


@dataclass(frozen=True)
class Voice:
    """A language, and what is known about the pieces. ``PACKAGE``: whose catalogue comes before that of the rules."""

    PACKAGE: ClassVar[str] = OWN

    language: str
    owners: Mapping[str, str]
    kinds: Mapping[str, str]
    text: Callable[[str], str] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", catalog(self.language, self.PACKAGE).gettext)

    def fill(self, text: str, **values: str) -> str:
        """The sentence in this language with its places filled."""
        return self.text(text).format_map(values)

    def count(self, words: Plural, n: int, **values: str) -> str:
        """The sentence about ``n`` things, with the plural form that the language has for it."""
        return (
            catalog(self.language, self.PACKAGE).ngettext(words.one, words.many, n).format_map({"n": str(n), **values})
        )

    def word(self, context: str, text: str) -> str:
        """A word with a context; one that no catalogue knows stays as it is."""
        return catalog(self.language, self.PACKAGE).pgettext(context, text)

    def player(self, name: str) -> str:
        """A player's name; the names of colours are words of the language."""
        return self.word("player", name)

    def listed(self, parts: Iterable[str]) -> str:
        """ "a", "a and b", "a, b and c"."""
        *first, last = list(parts) or [""]
        return self.fill(say.TWO, first=self.series(first), second=last) if first else last

    def series(self, parts: Sequence[str]) -> str:
        """ "a, b, c"."""
        head = parts[0]
        for part in parts[1:]:
            head = self.fill(say.MORE, first=head, second=part)
        return head

    def sentence(self, text: str) -> str:
        """With a capital at its beginning."""
        return text[:1].upper() + text[1:]

    def number(self, value: float, decimals: int) -> str:
        """A number in the spelling of the language."""
        text = f"{value:.{decimals}f}"
        text = text.removeprefix("-") if float(text) == 0 else text
        return text.replace(".", self.word(*say.DECIMAL_POINT))

    def measure(self, value: float, sigma: float, unit: str, *, limit: float | None = None) -> str:
        """ "8.1 ± 0.7 mm"; an exact value without its sigma. Enough decimals to tell it from its limit."""
        if unit in say.COUNTS and sigma == 0 and value == round(value):
            return self.count(say.COUNTS[unit], round(value))
        decimals = _decimals(value, sigma, limit)
        shown = self.number(value, decimals)
        unit = self.word("unit", unit)
        if sigma > 0:
            return self.fill(say.MEASURED_SIGMA, value=shown, sigma=self.number(sigma, decimals), unit=unit)
        return self.fill(say.MEASURED, value=shown, unit=unit)

    def detail(self, text: str) -> str:
        """A reason in brackets."""
        return self.fill(say.DETAIL, detail=text)

    def road(self, piece: str, player: str | None = None, owner: str | None = None) -> str:
        """ "pink's road r5", or "their own road r5" for ``player``'s own."""
        return self._owned(piece, (say.ROAD, say.ROAD_OF, say.ROAD_OWN), player, owner)

    def piece(self, piece: str, kind: str | None, player: str | None = None) -> str:
        """A piece as a noun phrase; ``kind`` is what the rule says of it, where nothing better is known."""
        kind = self.kinds.get(piece, kind)
        if kind == "road":
            return self.road(piece, player)
        if kind == "column":
            return self._owned(piece, (say.COLUMN, say.COLUMN_OF, say.COLUMN_OWN), player)
        if kind == "car":
            return self._owned(piece, (say.CAR, say.CAR_OF, say.CAR_OWN), player)
        if kind in say.OBJECTS:
            return self.fill(say.OBJECTS[kind], piece=piece)
        return self.fill(say.OBJECT if kind == "object" else say.PIECE, piece=piece)

    def _owned(self, piece: str, words: tuple[str, str, str], player: str | None, owner: str | None = None) -> str:
        bare, of, own = words
        owner = owner if owner is not None else self.owners.get(piece)
        if owner is None:
            return self.fill(bare, piece=piece)
        if owner == player:
            return self.fill(own, piece=piece)
        return self.fill(of, piece=piece, owner=self.player(owner))


def _decimals(value: float, sigma: float, limit: float | None) -> int:
    """One decimal; more where the sigma or the distance to the limit would be rounded to nothing (at most 4)."""
    decimals = 1
    while decimals < 4 and (
        (sigma > 0 and round(sigma, decimals) == 0)
        or (limit is not None and value != limit and round(value, decimals) == round(limit, decimals))
    ):
        decimals += 1
    return decimals
