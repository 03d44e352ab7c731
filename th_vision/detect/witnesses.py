"""Over or under, asked twice: heights by resting say which road lies above, and colour says whose outline goes on.

Where both disagree neither is believed: the heights get sigmas that leave the side open.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from rules.layout import Road
from rules.pieces import Pieces
from th_vision import tolerances
from th_vision.detect.plan import PlanView
from th_vision.detect.t_junction import on_top

Array = NDArray[np.float64]


def doubted(plan: PlanView, pieces: Pieces, roads: tuple[Road, ...], known: frozenset[str]) -> tuple[Road, ...]:
    """The roads, with larger ``sigma_z`` where the picture shows another one on top than the heights say.

    Crossings of two ``known`` roads (ids) were asked when the later of them came.
    """
    if plan.color is None:
        return roads
    sigma = {road.id: road.sigma_z for road in roads}
    for upper, lower, gap in _crossings(roads, pieces):
        if upper.id in known and lower.id in known:
            continue
        evidence = on_top(plan, pieces, _tips(upper), _tips(lower))
        if evidence < -tolerances.ON_TOP_CLEAR:
            # as much as the gap itself, shared by both
            open_mm = gap / float(np.sqrt(2))
            sigma[upper.id] = max(sigma[upper.id], open_mm)
            sigma[lower.id] = max(sigma[lower.id], open_mm)
    return tuple(
        road if sigma[road.id] == road.sigma_z else road.model_copy(update={"sigma_z": sigma[road.id]})
        for road in roads
    )


def _crossings(roads: tuple[Road, ...], pieces: Pieces) -> Iterator[tuple[Road, Road, float]]:
    """Roads that cross away from their ends: the higher one there, the lower one, and by how much (mm)."""
    for i, first in enumerate(roads):
        for second in roads[i + 1 :]:
            (a, b), (c, d) = _tips(first), _tips(second)
            A = np.stack([(b - a)[:2], (c - d)[:2]], axis=1)
            if abs(np.linalg.det(A)) < 1e-6:
                continue
            s, t = np.linalg.solve(A, (c - a)[:2])
            margin = pieces.disc.diameter / pieces.stick.length
            if not (margin < s < 1 - margin and margin < t < 1 - margin):
                continue
            gap = float(a[2] + s * (b - a)[2] - c[2] - t * (d - c)[2])
            yield (first, second, gap) if gap >= 0 else (second, first, -gap)


def _tips(road: Road) -> tuple[Array, Array]:
    return np.array(road.ends[0]), np.array(road.ends[1])
