"""Colours of players, for drawings: those of pieces.toml, or of what the name says, or one by rank."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from rules.pieces import Pieces

NAMED: Final[Mapping[str, str]] = {
    "blue": "#5b8fd6",
    "pink": "#e58fb0",
    "green": "#58a869",
    "yellow": "#d9b52e",
    "red": "#d0584a",
    "white": "#dcdcdc",
    "black": "#4a4a4f",
    "orange": "#e08a3c",
    "purple": "#8d6cc0",
    "gray": "#8f9399",
    "brown": "#96704f",
}
NEUTRAL: Final = "#9a9c9e"
_SHADE: Final = 0.6


def color_of(player: str, pieces: Pieces) -> str:
    """``#rrggbb`` of a player's roads and cars."""
    return pieces.players.get(player) or NAMED.get(player.lower(), NEUTRAL)


def darker(color: str, share: float = _SHADE) -> str:
    """The colour, this share as bright."""
    return "#" + "".join(f"{round(int(color[i : i + 2], 16) * share):02x}" for i in (1, 3, 5))


def mixed(color: str, other: str, share: float = 0.5) -> str:
    """The colour with this share of another one."""
    pairs = ((int(color[i : i + 2], 16), int(other[i : i + 2], 16)) for i in (1, 3, 5))
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in pairs)
