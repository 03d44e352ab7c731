"""A count of discs in doubt leaves open how high the road on it lies over or under others."""

from __future__ import annotations

import pytest

from rules.events import RulingLine
from tests.rules.tables import Table


def ruled(probability: float, *, of_base: float = 1.0, levels: int = 1) -> RulingLine:
    """Blue builds from a column of two discs under pink's road, which lies 3 mm above it at three quarters of the way;
    ``probability``: that the new column's count is right."""
    table = Table()
    table.ramp("pink", "p", (75, 20), heading=-90, levels=2)
    table.ramp("blue", "base", (0, 0), levels=2, levels_probability=of_base)
    return table.move("blue", "base", "new", (100, 0), gray=levels, column_more={"levels_probability": probability})


def test_over_or_under_is_as_sure_as_the_counts_that_the_heights_follow_from() -> None:
    sure, unsure = ruled(1.0).crossings[0], ruled(0.8).crossings[0]
    assert (sure.side, sure.call, sure.sigma) == ("under", "clear", 0.0)
    assert unsure.gap == sure.gap
    assert unsure.call == "too_close"
    # a disc more would lift the road there by three quarters of a disc: as far as two sigmas
    assert unsure.sigma == pytest.approx(10 * 0.75 / 2, abs=0.3)


def test_a_count_that_is_certain_enough_is_taken_for_granted() -> None:
    assert ruled(0.99).crossings[0].sigma == 0.0


def test_the_base_point_counts_less_the_further_away_the_crossing_is() -> None:
    sigma = ruled(1.0, of_base=0.8).crossings[0].sigma
    assert sigma == pytest.approx(10 * 0.25 / 2, abs=0.3)


def test_a_gap_larger_than_a_disc_stays_certain() -> None:
    crossing = ruled(0.8, levels=3).crossings[0]
    assert crossing.gap > 7.5
    assert crossing.call == "clear"


def test_contact_that_follows_from_a_doubtful_count_is_no_fault_beyond_doubt() -> None:
    calls = [
        [fault.call for fault in ruled(probability).faults if fault.rule == "touch-road"] for probability in (1.0, 0.8)
    ]
    assert calls == [["fault"], ["too_close"]]
