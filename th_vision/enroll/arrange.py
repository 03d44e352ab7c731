"""Which of the things on the table is which piece: the stick gives the direction, rows and their order the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from th_vision import tolerances
from th_vision.detect.colors import chroma
from th_vision.detect.plan import PlanView
from th_vision.enroll.find import Thing
from th_vision.enroll.layout_plan import STACK_DISCS, LayoutPlan
from th_vision.errors import VisionError

Array = NDArray[np.float64]
_SHOW = "th-vision calibrate pieces --show shows how to lay them"


@dataclass(frozen=True)
class LaidCar:
    """A car: its player, its type (None where a lone car only shows its colour), and the thing it is."""

    player: str
    type: str | None
    thing: Thing


@dataclass(frozen=True)
class Laid:
    """The things, by what they were laid out as; None where a piece is not there."""

    stick: Thing
    gray: Thing | None
    yellow: Thing | None
    stack: Thing | None
    cars: tuple[LaidCar, ...]
    city: tuple[tuple[str, Thing], ...]

    @property
    def missing(self) -> tuple[str, ...]:
        """What does not lie in the first row, in words."""
        names = {
            "no gray disc lies single in the stick's row": self.gray,
            "no yellow disc lies in the stick's row": self.yellow,
            f"no stack of {STACK_DISCS} discs stands in the stick's row": self.stack,
        }
        return tuple(text for text, thing in names.items() if thing is None)


def arrange(plan: PlanView, things: Sequence[Thing], layout: LayoutPlan) -> Laid:
    """Name every thing.

    Raises:
        VisionError: nothing there, no stick, or not the rows and pieces that were named.
    """
    if not things:
        raise VisionError(f"nothing lies on the table; lay out the pieces ({_SHOW})")
    sticks = [thing for thing in things if thing.is_stick()]
    if not sticks:
        count = f"{len(things)} thing{'' if len(things) == 1 else 's'}"
        raise VisionError(f"no stick among the {count} on the table; lay one flat, alone, in the first row ({_SHOW})")
    if len(sticks) > 1:
        raise VisionError(f"{len(sticks)} sticks lie on the table, named is one; take the others away ({_SHOW})")
    (stick,) = sticks
    along = np.array([np.cos(stick.turn), np.sin(stick.turn)])
    left = np.array([-along[1], along[0]])
    rest = [thing for thing in things if thing is not stick]
    first = [thing for thing in rest if _in_row(thing.at - stick.at, along, left)]
    if first:  # the row's own direction: the stick may lie a bit askew in it
        far = max((thing.at - stick.at for thing in first), key=lambda way: float(np.hypot(*way)))
        along = np.asarray(far / np.hypot(*far) * np.sign(far @ along))
        left = np.array([-along[1], along[0]])
    aside = {id(thing): float((thing.at - stick.at) @ left) for thing in rest}
    other = sorted((thing for thing in rest if thing not in first), key=lambda thing: abs(aside[id(thing)]))
    gray, yellow, stack = _first_row(plan, first)
    reading = _reading(plan, stick, along, first)
    if other and len({aside[id(thing)] > 0 for thing in other}) > 1:
        raise VisionError(f"rows lie on both sides of the stick's row: lay all on one side of it ({_SHOW})")
    rows = _rows(other, aside)
    wanted = len(layout.players) + (1 if layout.city else 0)
    if len(rows) != wanted:
        names = ", ".join(layout.players) + (" and the city" if layout.city else "")
        raise VisionError(
            f"{_count(len(rows), 'row')} beside the stick's, named {'is' if wanted == 1 else 'are'} {wanted} ({names}):"
            f" lay a row for each, 5 cm apart ({_SHOW})"
        )
    sorted_rows = [sorted(row, key=lambda thing: float((thing.at - stick.at) @ reading)) for row in rows]
    cars: list[LaidCar] = []
    for player, row in zip(layout.players, sorted_rows, strict=False):
        cars += _cars_of(player, row, layout.cars)
    if len(layout.cars) > 1 and all(car.type is None for car in cars):
        raise VisionError(f"no row has all {len(layout.cars)} types of car; lay them all out in one row ({_SHOW})")
    return Laid(stick, gray, yellow, stack, tuple(cars), _city(sorted_rows[-1] if layout.city else [], layout.city))


def _in_row(way: Array, along: Array, left: Array) -> bool:
    """Whether a thing so far from the stick's middle lies in its row."""
    slack = min(tolerances.ENROLL_ASKEW * abs(float(way @ along)), tolerances.ENROLL_ROW_MM / 2)
    return abs(float(way @ left)) <= tolerances.ENROLL_ROW_MM + slack


def _first_row(plan: PlanView, first: Sequence[Thing]) -> tuple[Thing | None, Thing | None, Thing | None]:
    """The gray disc, the yellow one and the stack."""
    if len(first) > 3:
        raise VisionError(
            f"{_count(len(first), 'thing')} in the stick's row, named are three: a gray disc, a yellow one and the "
            f"stack; keep the other rows 5 cm away ({_SHOW})"
        )
    lowest = min((thing.height for thing in first), default=0.0)
    tall = [thing for thing in first if thing.height > max(2.2 * lowest, tolerances.ENROLL_STACK_MM)]
    if not tall and lowest > tolerances.ENROLL_STACK_MM:
        tall = list(first)
    if len(tall) > 1:
        raise VisionError(f"{len(tall)} stacks in the stick's row, named is one ({_SHOW})")
    low = [thing for thing in first if thing not in tall]
    yellow = [thing for thing in low if _saturation(plan, thing) > tolerances.ENROLL_YELLOW]
    gray = [thing for thing in low if thing not in yellow]
    for what, found in (("gray", gray), ("yellow", yellow)):
        if len(found) > 1:
            raise VisionError(f"{len(found)} {what} discs lie single in the stick's row, named is one ({_SHOW})")
    return (gray[0] if gray else None, yellow[0] if yellow else None, tall[0] if tall else None)


def _saturation(plan: PlanView, thing: Thing) -> float:
    offsets = np.stack(np.meshgrid(np.arange(-3, 4), np.arange(-3, 4)), axis=-1).reshape(-1, 2)
    points = np.c_[thing.at + offsets, np.full(len(offsets), thing.height)]
    color = np.nanmedian(plan.colors(points), axis=0)
    return float(np.linalg.norm(chroma(np.asarray(color, dtype=np.float64))))


def _reading(plan: PlanView, stick: Thing, along: Array, first: Sequence[Thing]) -> Array:
    """Direction in which rows are read: from the stick to the discs; without discs, to the right in the picture."""
    places = [float((thing.at - stick.at) @ along) for thing in first]
    if places and min(places) * max(places) < 0:
        raise VisionError(f"discs lie on both sides of the stick; the stick begins its row ({_SHOW})")
    if places:
        return along if places[0] > 0 else -along
    ends = np.array([[*(stick.at + side * along), 0.0] for side in (0.0, 1.0)])
    right = plan.color_pixels(ends)
    return along if right[1, 0] >= right[0, 0] else -along


def _rows(other: Sequence[Thing], aside: dict[int, float]) -> list[list[Thing]]:
    """The things beside the first row, nearest row first."""
    rows: list[list[Thing]] = []
    last = -np.inf
    for thing in other:
        at = abs(aside[id(thing)])
        if at - last > tolerances.ENROLL_ROW_GAP_MM:
            rows.append([])
        rows[-1].append(thing)
        last = at
    return rows


def _cars_of(player: str, row: Sequence[Thing], types: Sequence[str]) -> list[LaidCar]:
    if len(row) == len(types):
        return [LaidCar(player, kind, thing) for kind, thing in zip(types, row, strict=True)]
    if len(row) == 1:
        return [LaidCar(player, None, row[0])]
    if len(row) > len(types):
        raise VisionError(
            f"{_count(len(row), 'thing')} in the row of {player}, named {'is' if len(types) == 1 else 'are'} "
            f"{len(types)} ({', '.join(types)}); take the others away or name them with --cars"
        )
    raise VisionError(f"{len(row)} cars in the row of {player}, named are {len(types)}: lay them all, or one alone")


def _city(row: Sequence[Thing], kinds: Sequence[str]) -> tuple[tuple[str, Thing], ...]:
    if len(row) != len(kinds):
        raise VisionError(
            f"{_count(len(row), 'thing')} in the city's row, named {'is' if len(kinds) == 1 else 'are'} {len(kinds)} "
            f"({', '.join(kinds)}); lay out what is named with --city, and nothing else"
        )
    return tuple(zip(kinds, row, strict=True))


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
