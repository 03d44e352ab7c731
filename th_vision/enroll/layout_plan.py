"""How the pieces are laid out to be measured: what was named, row by row, and the same in words for the players."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from rules.pieces import CAR_TYPES, CITY_KINDS
from th_vision.errors import VisionError

STACK_DISCS = 5
"""Gray discs of the stack: five of them share one error of the depth camera."""
AREAS = tuple(kind for kind in CITY_KINDS if kind not in ("building", "tower"))
"""City objects that are cards: their height is the card's, whatever stands on it."""


@dataclass(frozen=True)
class LayoutPlan:
    """What is laid out: a row of cars for each of ``players``, types in the order of ``cars``; a row of ``city``."""

    players: tuple[str, ...]
    cars: tuple[str, ...]
    city: tuple[str, ...] = ()


def make_plan(players: str | Sequence[str], cars: str, city: str = "") -> LayoutPlan:
    """The plan that the options describe: names with commas between them (players also as they are).

    Raises:
        VisionError: a type or kind that there is not, one named twice, or nobody to play.
    """
    who = _names("--players", players) if isinstance(players, str) else tuple(players)
    if not who:
        raise VisionError("--players: nobody is named; give the players' names, like blue,pink")
    for name in who:
        if any(unicodedata.category(letter).startswith("C") for letter in name):
            raise VisionError(f"--players: {name!r} holds what can't be printed; give plain names, like blue,pink")
    types = _known("--cars", _names("--cars", cars), CAR_TYPES)
    if not types:
        raise VisionError("--cars: no type is named; give at least one, like sedan")
    return LayoutPlan(who, types, _known("--city", _names("--city", city), CITY_KINDS))


def show(plan: LayoutPlan) -> str:
    """What players lay where, as text with a little drawing."""
    rows = [("pieces", "========stick========    (o) gray    (o) yellow    (5) five gray, stacked")]
    rows += [(player, "    ".join(f"[{kind}]" for kind in plan.cars)) for player in plan.players]
    if plan.city:
        rows.append(("city", "    ".join(f"[ {kind} ]" for kind in plan.city)))
    wide = max(len(name) for name, _ in rows)
    drawing = "\n\n".join(f"  row {k}  {name:<{wide}}   {text}" for k, (name, text) in enumerate(rows, 1))
    one = (
        "\nA row of cars may hold one car alone, any: then only its colour is learned (in one row there must be all).\n"
        if len(plan.cars) > 1 and len(plan.players) > 1
        else "\n"
    )
    return (
        "Lay these on the empty, calibrated table, the camera untouched:\n\n"
        f"{drawing}\n{one}"
        "Everything flat on the table; cars and the stick along the rows. 3 cm from piece to piece, 5 cm from row to\n"
        "row, the stack and tall city objects further; all away from the rim of what the camera sees.\n"
        "The stick begins the first row and shows its direction: it may run anyhow over the table, and the other rows\n"
        "may lie on either side of it, the first player's nearest. Nothing else may lie on the table.\n"
        "Take your hands away and record some seconds. What you leave out keeps its usual size.\n"
    )


def _names(option: str, text: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in text.split(",") if name.strip())
    for name in names:
        if names.count(name) > 1:
            raise VisionError(f"{option}: {name} is named twice; name each once")
    return names


def _known(option: str, names: tuple[str, ...], known: tuple[str, ...]) -> tuple[str, ...]:
    for name in names:
        if name not in known:
            raise VisionError(f"{option}: {name} is not known; known: {', '.join(known)}")
    return names
