"""What a doubtful count of discs does to heights: its road lies a disc higher or lower where the column carries it.

Heights of roads follow from counted columns, with a sigma that takes the counts for granted. Where a count is not
certain (`certain_enough`), the height over or under another road is open by as much as one disc more or fewer would
move it: that many millimetres are as far from certain as `k` sigmas.
"""

from __future__ import annotations

import math

from rules.build import Build
from rules.state import State
from rules.uncertain import Measured, certain_enough


def with_counts(state: State, build: Build, road: str, height: Measured, shares: tuple[float, float]) -> Measured:
    """The height of the new road over `road` (mm) with the doubt of the counts below both; `shares`: where on the new
    one and on the other (0 at end 0, 1 at end 1). A column that carries both moves them together."""
    lever: dict[str, float] = {}
    for joints, share, sign in ((build.joints, shares[0], 1.0), (state.joints[road], shares[1], -1.0)):
        s = min(1.0, max(0.0, share))
        for name, weight in zip(joints, (1.0 - s, s), strict=True):
            if name is not None:
                lever[name] = lever.get(name, 0.0) + sign * weight
    least = certain_enough(state.k)
    open_mm = [state.pieces.disc.height * mm for name, mm in lever.items() if _sure(state, build, name) < least]
    return Measured(height.value, math.hypot(height.sigma, *(mm / state.k for mm in open_mm))) if open_mm else height


def _sure(state: State, build: Build, name: str) -> float:
    column = build.column if build.column is not None and build.column.id == name else state.columns.get(name)
    return 1.0 if column is None else column.levels_probability
