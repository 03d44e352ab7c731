"""What players may tell the referee from the page: checked data, and the referee's command for it."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from rules.lines import Player, Switch
from th_vision.errors import VisionError
from th_vision.referee import commands as referee

Do = Literal[
    "accept",
    "yes",
    "no",
    "correct",
    "recount",
    "undo",
    "pass",
    "penalty",
    "whose_turn",
    "next",
    "pause",
    "resume",
    "reread",
]
NEEDS: Final[dict[str, tuple[str, ...]]] = {
    "correct": ("turn",),
    "penalty": ("giver", "taker", "discs"),
    "whose_turn": ("player",),
}
"""What a command can't be without."""
NEEDS_ONE: Final[dict[str, tuple[str, ...]]] = {
    "correct": ("cars_due", "call"),
    "recount": ("levels", "yellow", "player"),
}
"""Of what it needs one at least."""


class PageCommand(BaseModel):
    """One wish. ``seen``: number of steps that the page had seen, so that nobody corrects what has changed meanwhile.

    ``correct``: ``cars_due`` and ``call`` replace what was ruled in ``turn``. ``recount``: the new column of ``turn``
    (None: the newest) has ``levels`` discs, a ``yellow`` one on top or none, or was built by ``player``. ``penalty``:
    ``giver`` owes ``taker`` so many ``discs``. ``undo``: ``turn`` and all after it are taken back (None: the newest).
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    do: Do
    seen: Annotated[int, Field(ge=0, le=1_000_000)]
    turn: Annotated[int, Field(ge=0, le=1_000_000)] | None = None
    player: Player | None = None
    giver: Player | None = None
    taker: Player | None = None
    cars_due: Annotated[int, Field(ge=0, le=40)] | None = None
    discs: Annotated[int, Field(ge=0, le=100)] | None = None
    levels: Annotated[int, Field(ge=1, le=100)] | None = None
    yellow: bool | None = None
    call: Literal["legal", "fault"] | None = None

    @property
    def words(self) -> str:
        """The wish as it goes into the record: what was said, and with which values."""
        values = self.model_dump(exclude={"do", "seen"}, exclude_none=True)
        return " ".join(["page:", self.do, *(f"{name}={value}" for name, value in values.items())])


def parse_command(text: bytes) -> PageCommand:
    """The command in a request's body.

    Raises:
        VisionError: it is none.
    """
    try:
        command = PageCommand.model_validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "body"
        raise VisionError(f"command: {where}: {first['msg']}; see the page") from error
    missing = [name for name in NEEDS.get(command.do, ()) if getattr(command, name) is None]
    one_of = NEEDS_ONE.get(command.do, ())
    if one_of and all(getattr(command, name) is None for name in one_of):
        missing.append(" or ".join(one_of))
    if missing:
        raise VisionError(f"command: {command.do}: {missing[0]} is missing; see the page")
    return command


def spoken(wish: PageCommand) -> referee.Spoken:
    """The wish as a command of the referee, with the words that go into the record."""
    return referee.Spoken(_command(wish), wish.words)


def _command(wish: PageCommand) -> referee.Command:
    match wish.do:
        case "yes" | "no":
            return referee.Answer(wish.do == "yes")
        case "correct":
            changes: dict[str, Switch] = {}
            if wish.cars_due is not None:
                changes["cars_due"] = wish.cars_due
            if wish.call is not None:
                changes["call"] = wish.call
            return referee.Correct(changes, wish.turn)
        case "recount":
            return referee.Recount(wish.player, wish.levels, wish.yellow, wish.turn)
        case "undo":
            return referee.Undo(wish.turn)
        case "penalty":
            return referee.Penalty(wish.giver or "", wish.taker or "", wish.discs or 0)
        case "whose_turn":
            return referee.WhoseTurn(wish.player)
        case "accept":
            return referee.Accept()
        case "pass":
            return referee.Pass()
        case "next":
            return referee.Next()
        case "pause":
            return referee.Pause()
        case "resume":
            return referee.GoOn()
        case "reread":
            return referee.Reread()
