"""Turning a road about its start until something measured has just the value that is wanted: how limits are met."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from th_vision.virtual_table.candidates import Sketches

Array = NDArray[np.float64]
Measure = Callable[[Sketches], Array]
"""What is measured of each sketch (n,), mm."""

STEPS = 720  # half a degree: a tip moves by a millimetre, and linearly in between
RADIAN = 2 * np.pi / STEPS


def all_around(sketches: Sketches, index: int) -> Sketches:
    """One sketch turned about its start into ``STEPS`` directions."""
    start, end, column = sketches.start[index], sketches.end[index], sketches.column[index]
    angle = np.arange(STEPS, dtype=np.float64) * RADIAN
    return _turned(sketches, index, start, end, column, angle)


def _turned(sketches: Sketches, index: int, start: Array, end: Array, column: Array, angle: Array) -> Sketches:
    c, s = np.cos(angle), np.sin(angle)

    def about(point: Array) -> Array:
        d = point - start
        return np.stack([start[0] + c * d[0] - s * d[1], start[1] + s * d[0] + c * d[1]], axis=1)

    n = len(angle)
    return replace(
        sketches,
        start=np.repeat(start[None], n, axis=0),
        end=about(end),
        column=about(column),
        level=np.repeat(sketches.level[index], n),
        junction=np.repeat(sketches.junction[index], n),
        z0=np.repeat(sketches.z0[index], n),
        z1=np.repeat(sketches.z1[index], n),
    )


def meeting(sketches: Sketches, index: int, measure: Measure, target_mm: float) -> Sketches | None:
    """The directions of one sketch in which the measure is ``target_mm``; None where there are none."""
    around = all_around(sketches, index)
    off = measure(around) - target_mm
    after = np.roll(off, -1)
    with np.errstate(invalid="ignore"):
        at = np.flatnonzero((off < 0) != (after < 0))
        near = at[np.abs(off[at]) + np.abs(after[at]) < 4.0]  # a jump is no crossing
    if len(near) == 0:
        return None
    share = off[near] / (off[near] - after[near])
    angle = (near + share) * RADIAN
    return _turned(sketches, index, sketches.start[index], sketches.end[index], sketches.column[index], angle)


def all_meeting(
    sketches: Sketches, measure: Measure, target: Callable[[], float], rng: np.random.Generator, most: int = 12
) -> Iterator[Sketches]:
    """For some of the sketches, in chance order, their directions in which the measure has a wanted value."""
    for index in rng.permutation(len(sketches))[:most]:
        found = meeting(sketches, int(index), measure, target())
        if found is not None:
            yield found
