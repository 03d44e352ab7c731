"""The rule sets in words, for ``th-vision rules``."""

from __future__ import annotations

from rules.outcome import Outcome
from rules.ruleset import describe


def run(name: str | None = None) -> Outcome:
    """The presets and switches, or one preset with every switch: value, values, meaning, source.

    Raises:
        RulesError: there is no preset of that name.
    """
    return Outcome(describe(name))
