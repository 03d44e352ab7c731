"""The rule book's crossings and "first" against a slow judge written on its own; 10,000 tables in bench/."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from tests.rules.oracle import Stick, judge
from tests.rules.random_tables import SWITCHES, disagreements, random_sticks, random_switches

DEFAULTS = {name: values[0] for name, values in SWITCHES.items()}


def sticks(*owners: str) -> list[Stick]:
    """Sticks of the given owners that all cross near the middle, each higher than the one before."""
    tips = (
        ((-50, 1, 10), (50, -3, 12)),
        ((-40, -38, 20), (44, 41, 23)),
        ((2, -50, 34), (-3, 51, 33)),
        ((-39, 42, 45), (40, -41, 44)),
    )
    return [
        Stick(f"r{i}", owner, a, b, frozenset({f"x{i}", f"c{i}"}))
        for i, (owner, (a, b)) in enumerate(zip(owners, tips, strict=False))
    ]


def paid(order: list[Stick]) -> dict[str, dict[str, bool]]:
    return {stick.id: {road: v.pays for road, v in verdicts.items()} for stick, verdicts in judge(order, DEFAULTS, 10)}


def test_the_judge_pays_over_a_free_stick() -> None:
    assert paid(sticks("pink", "blue"))["r1"] == {"r0": True}


def test_the_judge_pays_nothing_over_a_stick_crossed_before() -> None:
    assert paid(sticks("pink", "pink", "blue"))["r2"] == {"r0": False, "r1": True}


def test_the_judge_pays_nothing_under_who_lies_over_another() -> None:
    below, above, new = sticks("pink", "blue", "pink")
    new = Stick(new.id, new.owner, (new.a[0], new.a[1], 0), (new.b[0], new.b[1], 0), new.columns)
    assert paid([below, above, new])["r2"] == {"r0": False, "r1": False}


@pytest.mark.parametrize("block", range(4))
def test_the_rule_book_agrees_with_the_judge_on_random_tables(block: int) -> None:
    decided = 0
    for seed in range(100 * block, 100 * block + 100):
        rng = np.random.default_rng(seed)
        switches = random_switches(rng)
        table = random_sticks(rng, int(rng.integers(3, 14)))
        wrong = disagreements(table, switches)
        assert not wrong, f"seed {seed}, {switches}"
        decided += wrong is not None
    assert decided > 70


@pytest.mark.parametrize("first", ["state", "event"])
def test_they_agree_in_whatever_order_the_sticks_were_placed(first: str) -> None:
    table = sticks("pink", "blue", "green", "pink")
    for order in permutations(table):
        assert disagreements(list(order), {**DEFAULTS, "first": first}) == []
