"""One thing to say aloud."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class Urgency(IntEnum):
    """How much is lost where it is not said: nothing much, the ruling, or something to be done now."""

    DETAIL = 0
    RULING = 1
    NOW = 2


@dataclass(frozen=True)
class Utterance:
    """``about``: what it is about (a road's id), so that what corrects it can cut it off; empty: nothing to correct.

    ``clips``: the names of recorded clips that say the same one after the other, where there are any.
    """

    text: str
    about: str = ""
    urgency: Urgency = Urgency.RULING
    clips: tuple[str, ...] = ()
