"""Calls on doubtful tables against true tables drawn from their sigmas (the bench does it with more of both)."""

from __future__ import annotations

from bench.doubtful_tables import sampled


def test_certain_calls_are_right_and_doubt_is_not_invented() -> None:
    stated, wrong, too_close, ideal = sampled(tables=6, draws=50, seed=11).rows()[-1][1:]
    assert stated > 25
    assert wrong <= 0.025
    assert ideal > 5
    assert too_close <= 1.5 * ideal
