"""What players may say to the referee, as small dataclasses.

Whoever listens (the terminal, a page, a voice) puts ``Spoken`` commands into one ``queue.Queue``; the words that mean
them are in ``th_vision.referee.words``, what follows from them in ``th_vision.referee.hearing``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from rules.lines import Switch
from th_vision.errors import VisionError


class CommandError(VisionError):
    """Words that are no command, or can't be now; the message is one friendly line."""


@dataclass(frozen=True)
class Accept:
    """What the referee said stands; after a knock, the table as it is."""


@dataclass(frozen=True)
class Answer:
    """Yes or no to the question that is open."""

    yes: bool


@dataclass(frozen=True)
class Correct:
    """The ruling corrected: keys and values as of a correction in the record. ``turn`` None: the newest ruling.

    ``more_cars``: so many cars more (or fewer) are due than was said.
    """

    set: Mapping[str, Switch] = field(default_factory=dict)
    turn: int | None = None
    more_cars: int = 0


@dataclass(frozen=True)
class Recount:
    """What was seen wrongly in a move: who built, the discs of the new column, or whether its top is yellow."""

    player: str | None = None
    discs: int | None = None
    yellow: bool | None = None
    turn: int | None = None


@dataclass(frozen=True)
class Undo:
    """A turn is taken back, with all after it; None: the newest."""

    turn: int | None = None


@dataclass(frozen=True)
class Pass:
    """Whose turn it is passes (with missions and without discs: puts a stick aside)."""


@dataclass(frozen=True)
class Penalty:
    """``giver`` owes ``taker`` so many discs, whatever the camera saw."""

    giver: str
    taker: str
    discs: int = 1


@dataclass(frozen=True)
class WhoseTurn:
    """It is this player's turn: who comes before has passed. None: say whose turn it is."""

    player: str | None = None


@dataclass(frozen=True)
class Next:
    """The turn is over. ``surely``: even where cars are still due."""

    surely: bool = False


@dataclass(frozen=True)
class Pause:
    """Look away until ``GoOn``; said again it goes on."""


@dataclass(frozen=True)
class GoOn:
    """Look again; what changed meanwhile is read anew."""


@dataclass(frozen=True)
class Reread:
    """Read the whole table again, with no thought of what stood there."""


@dataclass(frozen=True)
class Recalibrate:
    """Go on with this calibration: the camera was moved and measured anew. The game stays."""

    table: Path


@dataclass(frozen=True)
class WhatIf:
    """How the newest ruling would read with these corrections, or under these switches of the rules."""

    set: Mapping[str, Switch] = field(default_factory=dict)
    options: Mapping[str, Switch] = field(default_factory=dict)


@dataclass(frozen=True)
class Explain:
    """Why a turn was ruled as it was; None: the newest."""

    turn: int | None = None


@dataclass(frozen=True)
class Score:
    """The score as the table stands."""


@dataclass(frozen=True)
class Supply:
    """What everyone still holds."""


@dataclass(frozen=True)
class Where:
    """Where whose turn it is can build, and which roads of others are free: for who can't see the table."""


@dataclass(frozen=True)
class Guide:
    """What is still to be put back after a knock, all of it."""


@dataclass(frozen=True)
class Help:
    """What can be said."""


@dataclass(frozen=True)
class NotUnderstood:
    """Words that are no command: ``why`` is said, nothing else happens."""

    why: str


@dataclass(frozen=True)
class Quit:
    """Stop watching; the record stays, and ``--resume`` goes on."""


Command: TypeAlias = (
    Accept
    | Answer
    | Correct
    | Recount
    | Undo
    | Pass
    | Penalty
    | WhoseTurn
    | Next
    | Pause
    | GoOn
    | Reread
    | Recalibrate
    | WhatIf
    | Explain
    | Score
    | Supply
    | Where
    | Guide
    | Help
    | NotUnderstood
    | Quit
)


@dataclass(frozen=True)
class Spoken:
    """A command and the words that meant it, as they go into the record."""

    command: Command
    words: str
    by: str = "players"
