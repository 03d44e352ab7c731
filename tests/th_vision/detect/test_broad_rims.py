"""A rim that is seen nearly as well over a breadth of places is not known to lie at one of them."""

from __future__ import annotations

import numpy as np

from th_vision.detect.columns import _Rims

AXIS = np.arange(-6.0, 6.01, 0.5)
MIDDLE = len(AXIS) // 2


def sigma_of_top(breadth_mm: float) -> float:
    """The sigma (mm) of a rim whose votes hardly fall within so much of its place, and then at once."""
    apart = np.hypot(AXIS, AXIS[:, None])
    votes = np.where(apart <= breadth_mm, 0.6 - 0.001 * apart, 0.0).astype(np.float32)
    place = np.array([MIDDLE, MIDDLE])
    return _Rims(0.0, 0.0, AXIS, votes).rim(place, 0.0, place[None]).sigma_mm


def test_a_broad_top_of_votes_leaves_the_rims_place_open() -> None:
    assert sigma_of_top(2.5) > 2 * sigma_of_top(0.5)
    assert sigma_of_top(2.5) > sigma_of_top(1.5)
