"""What the follower of a game is told, and what it says: plain data, no image, no clock."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from rules.events import AlertLine, Answer, Fact, MoveFact
from rules.layout import Layout, Point2, Point3, Road
from th_vision.credible import Stands, Stirred

State = Literal[
    "set-up",
    "checking",
    "waiting",
    "hand in view",
    "moving",
    "settled",
    "move seen",
    "ruling",
    "provisional",
    "cars due",
    "turn over",
    "knocked",
    "rebuilt",
    "paused",
    "desynchronised",
    "finished",
]
"""``waiting``: for the move of whose turn it is. ``provisional``: a move was ruled, and its pieces may still be put
otherwise. ``cars due``: the same, and cars are still to be placed. ``checking``: a resumed game is held against the
table. ``settled``, ``move seen``, ``ruling``, ``turn over`` and ``rebuilt`` are passed through."""

# --- in ---------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class HandSeen:
    """A hand, or something else that is no piece, is over the table. ``from_deg``: from which side of it (an angle from
    the table's x axis), where that is seen."""

    from_deg: float | None = None


@dataclass(frozen=True)
class Settled:
    """The table stands still and reads so. ``stands`` asks the images about a piece that the reading misses,
    ``stirred`` about the rim of a column that seems to have gone a little; ``fallen`` looks for sticks lying flat,
    given what stands; ``eye``: where the colour camera is, table frame, mm; ``field``: outline of what the camera sees
    well of the table."""

    layout: Layout
    stands: Stands | None = None
    fallen: Callable[[Layout], list[Road]] | None = None
    eye: Point3 | None = None
    field: tuple[Point2, ...] | None = None
    stirred: Stirred | None = None


@dataclass(frozen=True)
class Moving:
    """Something moves on the table, and no hand is seen."""


@dataclass(frozen=True)
class Waited:
    """Nothing stirs; time goes on."""


@dataclass(frozen=True)
class Said:
    """The players said something that goes into the record as this fact."""

    fact: Fact
    again: bool = False  # nothing is said of it: something else says it better


@dataclass(frozen=True)
class Recounted:
    """The players say that a move was seen wrongly: as it was told, and as it is."""

    before: MoveFact
    after: MoveFact


@dataclass(frozen=True)
class Accepted:
    """The players accept the table as it stands: knocked pieces as they lie, pieces that fit no move as no part of
    the game, or (``as_moves``) as a move of which a column can't be seen."""

    as_moves: bool = False


@dataclass(frozen=True)
class Reread:
    """The whole table is to be read again: pieces set aside are new once more."""


@dataclass(frozen=True)
class Paused:
    """The game is paused, or goes on (``on`` False). ``words``: why, to be said; empty where the players asked for it.

    ``line``: for the record, where it is the referee's doing."""

    on: bool = True
    words: str = ""
    line: AlertLine | None = None


@dataclass(frozen=True)
class Ended:
    """The source has ended; nothing more will be seen."""


Event: TypeAlias = HandSeen | Settled | Moving | Waited | Said | Recounted | Accepted | Reread | Paused | Ended

# --- out --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Entered:
    """The follower is in this state now."""

    state: State
    time_s: float


@dataclass(frozen=True)
class Told:
    """A fact that goes into the record, and what the rule book answers. ``again``: it was told before, and is told anew
    because an earlier fact was read wrongly; ``overruled``: what it leads to doesn't hold, the players' words that are
    told again after it say otherwise."""

    fact: Fact
    answers: tuple[Answer, ...]
    time_s: float
    again: bool = False
    overruled: bool = False


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
class Reminded:
    """The turn may soon pass, and a player still has cars to place."""

    player: str
    cars: int
    time_s: float


@dataclass(frozen=True)
class Checked:
    """A resumed game was held against the table. ``off``: what differs, each piece with a short sentence. ``there``: so
    many of its pieces are on the table at all."""

    off: tuple[tuple[str, str], ...]
    time_s: float
    there: int = 1


@dataclass(frozen=True)
class Guide:
    """While pieces are put back: what doesn't stand as it stood, each with a short sentence."""

    off: tuple[tuple[str, str], ...]
    time_s: float


@dataclass(frozen=True)
class TakenAsIs:
    """The game goes on though not all knocked pieces stand as they stood: those that don't."""

    off: tuple[tuple[str, str], ...]
    time_s: float


@dataclass(frozen=True)
class BackAgain:
    """Pieces that the players had given up stand again as they stood; so many are still ``missing``."""

    pieces: tuple[str, ...]
    missing: int
    time_s: float


Output: TypeAlias = Entered | Told | Warned | Reminded | Checked | Guide | TakenAsIs | BackAgain | Reconsidered
