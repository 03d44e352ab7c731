"""What the follower of a game is told, and what it says: plain data, no image, no clock."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from rules.events import (
    AlertLine,
    Answer,
    CorrectionFact,
    DiscardStickFact,
    Fact,
    MoveFact,
    PassFact,
    UndoFact,
)
from rules.layout import Layout, Point3, Road
from th_vision.credible import Stands

State = Literal[
    "set-up",
    "waiting",
    "hand in view",
    "settled",
    "move seen",
    "ruling",
    "knocked",
    "rebuilt",
    "desynchronised",
    "finished",
]

# --- in ---------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class HandSeen:
    """A hand, or something else that is no piece, is over the table."""


@dataclass(frozen=True)
class Settled:
    """The table stands still and reads so. ``stands`` asks the images about a piece that the reading misses;
    ``fallen`` looks for sticks lying flat, given what stands; ``eye``: where the colour camera is, table frame, mm."""

    layout: Layout
    stands: Stands | None = None
    fallen: Callable[[Layout], list[Road]] | None = None
    eye: Point3 | None = None


@dataclass(frozen=True)
class Said:
    """The players said something that goes into the record."""

    fact: CorrectionFact | UndoFact | PassFact | DiscardStickFact


@dataclass(frozen=True)
class Ended:
    """The source has ended; nothing more will be seen."""


Event: TypeAlias = HandSeen | Settled | Said | Ended

# --- out --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Entered:
    """The follower is in this state now."""

    state: State
    time_s: float


@dataclass(frozen=True)
class Told:
    """A fact that goes into the record, and what the rule book answers. ``again``: it was told before, and is told anew
    because an earlier fact was read wrongly."""

    fact: Fact
    answers: tuple[Answer, ...]
    time_s: float
    again: bool = False


@dataclass(frozen=True)
class Reconsidered:
    """A better look shows that a fact of an earlier turn was read wrongly: what is told again follows."""

    before: MoveFact
    after: MoveFact
    time_s: float


@dataclass(frozen=True)
class Warned:
    """Something the players should know that is no ruling; ``words`` is one short sentence, ``line`` the record's."""

    line: AlertLine
    words: str
    time_s: float


@dataclass(frozen=True)
class Guide:
    """While pieces are put back: what doesn't stand as it stood, each with a short sentence."""

    off: tuple[tuple[str, str], ...]
    time_s: float


Output: TypeAlias = Entered | Told | Warned | Guide | Reconsidered
