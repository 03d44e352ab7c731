"""Where a road is looked for again once its column is known."""

from __future__ import annotations

import numpy as np
import pytest

from rules.pieces import Pieces
from th_vision.detect.assembly import Assembly, FoundRoad
from th_vision.detect.columns import ColumnCandidate
from th_vision.detect.finish import _looked_for_at
from th_vision.detect.measure import MeasuredRoad
from th_vision.detect.resting import Lying, rest

PIECES = Pieces()
TOPS = [(0.0, 0.0, 50.0), (100.0, 0.0, 10.0)]
"""A column of five discs, and one of one 100 mm beside it."""


def heights(shift: float) -> tuple[Lying, tuple[float, float]]:
    """How a stick first seen so far along (mm) from its place would rest, and at which heights it is looked for."""
    a, b = np.array([-3.0 + shift, 0.0, 51.0]), np.array([103.0 + shift, 0.0, 14.0])
    road = MeasuredRoad(a, b, 0.3, 3.0, (0.0, 0.0), 0.8, 0.9, 0.0, (51.0, 14.0), 4.0)
    columns = [ColumnCandidate(x, y, round(z / PIECES.disc.height), 1.5, 0.6, 1.0, z, 0.2) for x, y, z in TOPS]
    at = rest(PIECES, a[:2], b[:2], TOPS, [])
    return at, _looked_for_at(PIECES, Assembly(columns, [FoundRoad(road, (0, 1), 3.0)]), 0, at)


def test_a_road_seen_on_its_columns_is_looked_for_as_it_rests() -> None:
    at, found = heights(0.0)
    assert found == (at.za, at.zb)
    assert at.zb == pytest.approx(12.0, abs=3.0)


def test_a_road_first_seen_beside_its_column_is_not_looked_for_on_the_table() -> None:
    """Its far end just misses the lower column: laid down there it would be steeper than any stick between the two, and
    be looked for too short."""
    at, found = heights(-14.0)
    assert at.zb < 5.0
    assert found == (51.0, 14.0)
