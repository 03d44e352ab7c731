"""The languages of page, report, pictures and voice: the catalogue of this package before that of the rules.

``python -m th_vision.words`` writes the ``.po`` files under ``th_vision/locale`` anew from ``th_vision.phrases``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from rules.catalog import update_catalogs
from rules.phrases import Plural
from rules.voice import Voice
from th_vision import phrases


class Words(Voice):
    """A language to speak in; ``owners`` and ``kinds`` by piece id."""

    PACKAGE: ClassVar[str] = "th_vision"

    def fill(self, text: str, **values: str) -> str:
        """The sentence with its places filled; Spanish draws "de el" and "a el" together."""
        return self._drawn_together(super().fill(text, **values))

    def count(self, words: Plural, n: int, **values: str) -> str:
        """The sentence about ``n`` things."""
        return self._drawn_together(super().count(words, n, **values))

    def _drawn_together(self, text: str) -> str:
        return re.sub(r"\b(de|a) el (?=[a-zá-ú])", r"\1l ", text) if self.language == "es" else text


def words_in(language: str, owners: Mapping[str, str] | None = None, kinds: Mapping[str, str] | None = None) -> Words:
    """The words of a language.

    Raises:
        RulesError: no such language.
    """
    return Words(language, owners or {}, kinds or {})


if __name__ == "__main__":
    update_catalogs(Path(__file__).parent / "locale", phrases)
