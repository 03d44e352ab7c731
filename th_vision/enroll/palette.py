"""Colours of the pieces under this light, from the middles of their tops."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from th_vision import tolerances
from th_vision.detect.colors import bgr, chroma
from th_vision.detect.plan import PlanView
from th_vision.enroll.sizes import Patch

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Color:
    """A colour as the camera sees it here: ``#rrggbb``, and how far it varies over the piece (8-bit steps)."""

    hex: str
    spread: float


def colors_of(plan: PlanView, tops: Mapping[str, Sequence[Patch]]) -> dict[str, Color]:
    """The colour of each key's tops."""
    out = {}
    for key, patches in tops.items():
        seen = np.concatenate([plan.colors(patch.points) for patch in patches])
        seen = seen[np.isfinite(seen).all(axis=1)]
        if len(seen) < 10:
            continue
        middle = np.median(seen, axis=0)
        spread = float(1.4826 * np.median(np.abs(seen - middle)))
        blue, green, red = (int(np.clip(round(float(value)), 0, 255)) for value in middle)
        out[key] = Color(f"#{red:02x}{green:02x}{blue:02x}", spread)
    return out


def look_alike(colors: Mapping[str, str]) -> list[str]:
    """What can't be told apart by colour, in words: cars from each other, from yellow and from gray."""
    players = {key.removeprefix("players."): color for key, color in colors.items() if key.startswith("players.")}
    named = {f"the cars of {name}": chroma(bgr(color)) for name, color in players.items()}
    yellow = {"the yellow discs": chroma(bgr(colors["colors.yellow"]))} if "colors.yellow" in colors else {}
    gray = chroma(bgr(colors["colors.stick"])) if "colors.stick" in colors else np.zeros(2)
    out = [
        f"{one} and {other} look alike here"
        for (one, a), (other, b) in combinations((named | yellow).items(), 2)
        if np.linalg.norm(a - b) < tolerances.ENROLL_COLORS_APART
    ]
    out += [
        f"{name} look gray here, like the sticks"
        for name, a in (named | yellow).items()
        if np.linalg.norm(a - gray) < tolerances.ENROLL_COLORS_APART
    ]
    return out
