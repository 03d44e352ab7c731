"""Tips that are seen a stick's length apart are believed; others are believed as far as a stick's length allows."""

from __future__ import annotations

import numpy as np
import pytest

from th_vision import tolerances
from th_vision.detect.tips import _best_pair


def seen(first: float, second: float) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray]]:
    """Places along a line, and how much they look like a first and like a second tip: clear at one place each."""
    s = np.arange(-16.0, 130.0, 0.5)
    return s, (np.exp(-((s - first) ** 2) / 0.3), np.exp(-((s - second) ** 2) / 0.3))


def test_two_tips_a_sticks_length_apart_are_as_sure_as_edges_are() -> None:
    s, strength = seen(0.0, 114.5)
    found = _best_pair(s, strength, 114.0, -8.0, 8.0)
    assert found.at == pytest.approx((0.0, 114.5), abs=0.3)
    assert found.sigma_mm == tolerances.TIP_SIGMA_MM


def test_tips_that_make_no_stick_are_open_by_what_is_missing() -> None:
    """An edge of something else 2.4 mm inside one of the tips: no stick of the set is so short."""
    s, strength = seen(2.4, 114.0)
    found = _best_pair(s, strength, 114.0, -8.0, 8.0)
    assert found.at[1] - found.at[0] < 112.2
    assert found.sigma_mm > tolerances.TIP_SIGMA_MM
