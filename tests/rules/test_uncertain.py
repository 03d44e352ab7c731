"""Clear, fault or too close to call."""

from __future__ import annotations

import math

import pytest

from rules.uncertain import Measured, at_least, at_most, both, certain_enough, counted


@pytest.mark.parametrize(
    ("value", "sigma", "call"),
    [
        (2.1, 1.0, "fault"),
        (2.0, 1.0, "too_close"),  # exactly k sigmas away is not beyond them
        (0.0, 1.0, "too_close"),
        (-2.0, 1.0, "too_close"),
        (-2.1, 1.0, "clear"),
        (0.0, 0.0, "clear"),  # on the limit is allowed
        (1e-12, 0.0, "clear"),  # rounding is no cover
        (0.001, 0.0, "fault"),
        (-0.001, 0.0, "clear"),
    ],
)
def test_not_more_than_nothing(value: float, sigma: float, call: str) -> None:
    assert at_most(Measured(value, sigma), 0.0, 2.0) == call


@pytest.mark.parametrize(
    ("gap", "sigma", "call"),
    [(0.0, 0.0, "fault"), (1e-12, 0.0, "fault"), (0.001, 0.0, "clear"), (-1, 0, "fault"), (2, 1.5, "too_close")],
)
def test_a_gap_of_nothing_is_contact(gap: float, sigma: float, call: str) -> None:
    assert at_least(Measured(gap, sigma), 0.0, 2.0, limit_is_fault=True) == call


def test_a_larger_k_calls_less() -> None:
    assert at_most(Measured(2.5, 1.0), 0.0, 2.0) == "fault"
    assert at_most(Measured(2.5, 1.0), 0.0, 3.0) == "too_close"


@pytest.mark.parametrize(
    ("first", "second", "call"),
    [
        ("fault", "fault", "fault"),
        ("fault", "clear", "clear"),
        ("too_close", "clear", "clear"),
        ("too_close", "fault", "too_close"),
        ("too_close", "too_close", "too_close"),
    ],
)
def test_contact_needs_both(first: str, second: str, call: str) -> None:
    assert both(first, second) == both(second, first) == call  # type: ignore[arg-type]  # words of the table


def test_counts_are_called_by_their_probability() -> None:
    assert certain_enough(2.0) == pytest.approx(0.9772, abs=1e-4)
    assert counted(True, 1.0, 2.0) == "fault"
    assert counted(False, 0.98, 2.0) == "clear"
    assert counted(True, 0.9, 2.0) == counted(False, 0.9, 2.0) == "too_close"
    assert counted(True, 0.98, 3.0) == "too_close"


def test_sums_of_independent_values() -> None:
    total = Measured(1.0, 3.0).plus(Measured(2.0, 4.0))
    assert (total.value, total.sigma) == (3.0, 5.0)
    assert Measured(1.0, 3.0).minus(Measured(2.0, 4.0)).sigma == math.hypot(3.0, 4.0)
