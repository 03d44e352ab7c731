"""What players may tell the referee from the page: checked data, nothing done yet."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from rules.layout import PieceId
from rules.lines import Player
from th_vision.errors import VisionError

Do = Literal[
    "accept", "correct", "undo", "pass", "discard_stick", "penalty", "whose_turn", "next", "pause", "resume", "explain"
]
NEEDS: dict[str, tuple[str, ...]] = {
    "correct": ("road",),
    "pass": ("player",),
    "discard_stick": ("player",),
    "penalty": ("piece", "discs"),
    "whose_turn": ("player",),
}
"""What a command can't be without."""


class PageCommand(BaseModel):
    """One wish. ``seen``: number of steps that the page had seen, so that nobody corrects what has changed meanwhile.

    ``correct``: ``cars_due`` and ``call`` replace what was ruled on ``road``. ``penalty``: ``piece`` costs ``discs``.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    do: Do
    seen: Annotated[int, Field(ge=0, le=1_000_000)]
    turn: Annotated[int, Field(ge=0, le=1_000_000)] | None = None
    player: Player | None = None
    road: PieceId | None = None
    piece: PieceId | None = None
    cars_due: Annotated[int, Field(ge=0, le=40)] | None = None
    discs: Annotated[int, Field(ge=0, le=100)] | None = None
    call: Literal["legal", "fault"] | None = None


def parse_command(text: bytes) -> PageCommand:
    """The command in a request's body.

    Raises:
        VisionError: it is none.
    """
    try:
        command = PageCommand.model_validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        raise VisionError(
            f"command: {'.'.join(map(str, first['loc'])) or 'body'}: {first['msg']}; see the page"
        ) from error
    missing = [name for name in NEEDS.get(command.do, ()) if getattr(command, name) is None]
    if missing or (command.do == "correct" and command.cars_due is None and command.call is None):
        raise VisionError(f"command: {command.do}: {(missing or ['cars_due or call'])[0]} is missing; see the page")
    return command
