"""Which column an end may lie on: one that stands under it."""

from __future__ import annotations

import numpy as np
import pytest

from rules.pieces import Pieces
from th_vision.detect.propose import lies_beside

PIECES = Pieces()
TIP, OTHER = np.array([0.0, 0.0, 32.0]), np.array([114.0, 0.0, 32.0])


@pytest.mark.parametrize(
    ("x", "y", "beside"),
    [(0, 0, False), (-8, 0, False), (12, 9, False), (-18, 6, True), (12, 14, True), (-14, 0, True), (60, 3, False)],
)
def test_a_column_carries_what_lies_over_its_disc(x: float, y: float, beside: bool) -> None:
    assert lies_beside(PIECES, x, y, TIP, OTHER) is beside
    turned = np.array([[0.6, -0.8, 0.0], [0.8, 0.6, 0.0], [0.0, 0.0, 1.0]])
    px, py, _ = turned @ [x, y, 0.0]
    assert lies_beside(PIECES, float(px), float(py), turned @ TIP, turned @ OTHER) is beside
