"""Samples of a picture at places of any number."""

from __future__ import annotations

import numpy as np
import pytest

from th_vision.detect.sampling import MOST_ROWS, ROW, sample

RAMP = np.add.outer(10 * np.arange(6), np.arange(8)).astype(np.float32)


@pytest.mark.parametrize("count", [0, 1, ROW, ROW + 1])
def test_samples_lie_between_pixels(count: int) -> None:
    places = np.tile([2.5, 3.25], (count, 1))
    assert sample(RAMP, places) == pytest.approx(np.full(count, 35.0))
    assert sample(np.dstack([RAMP, -RAMP]), places).shape == (count, 2)


def test_more_places_than_one_call_takes() -> None:
    count = MOST_ROWS * ROW + 5
    places = np.zeros((count, 2))
    places[-1] = [3.0, 2.0]
    assert sample(RAMP, places)[[0, -1]].tolist() == [0.0, 23.0]


def test_outside_nothing_is_seen() -> None:
    assert np.isnan(sample(RAMP, np.array([[-5.0, 2.0], [3.0, 90.0]]))).all()
