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
    for upper, lower, gap in _crossings(roads, pieces, known):
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


def _crossings(roads: tuple[Road, ...], pieces: Pieces, known: frozenset[str]) -> Iterator[tuple[Road, Road, float]]:
    """Roads that cross away from their ends, one of them not ``known``: the higher one there, the lower one, and by how
    much (mm)."""
    margin = pieces.disc.diameter / pieces.stick.length
    tips = np.array([road.ends for road in roads]).reshape(-1, 2, 3)
    start, way = tips[:, 0], tips[:, 1] - tips[:, 0]
    old = np.array([road.id in known for road in roads], dtype=np.bool_)
    for i, first in enumerate(roads):
        later = np.flatnonzero(~old[i + 1 :] | (not old[i])) + i + 1
        apart, other = start[later] - start[i], way[later]
        turn = way[i, 0] * other[:, 1] - way[i, 1] * other[:, 0]
        with np.errstate(divide="ignore", invalid="ignore"):
            s = (apart[:, 0] * other[:, 1] - apart[:, 1] * other[:, 0]) / turn
            t = (apart[:, 0] * way[i, 1] - apart[:, 1] * way[i, 0]) / turn
        inside = (np.abs(turn) >= 1e-6) & (s > margin) & (s < 1 - margin) & (t > margin) & (t < 1 - margin)
        for k in np.flatnonzero(inside):
            second = roads[later[k]]
            gap = float(start[i, 2] + s[k] * way[i, 2] - start[later[k], 2] - t[k] * other[k, 2])
            yield (first, second, gap) if gap >= 0 else (second, first, -gap)


def _tips(road: Road) -> tuple[Array, Array]:
    return np.array(road.ends[0]), np.array(road.ends[1])
