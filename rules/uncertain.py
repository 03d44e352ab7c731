"""Measured values with one standard deviation, and the three answers: clear, fault, too close to call.

A limit belongs to one of the two sides: a stick may cover 0 mm of a column (`limit_is_fault=False`), while a gap of
0 mm to another stick is contact (`limit_is_fault=True`). `DUST_MM` around the limit counts as on the limit, so that
exact input (sigma 0) gets exact answers, whatever the order of the additions was.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from rules.events import RuleCall
from rules.tolerances import DUST_MM

DEFAULT_K: Final = 2.0
"""How many sigmas a value must be away from its limit to be called."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A value and its standard deviation in the same unit; sigma 0 means exact."""

    value: float
    sigma: float = 0.0

    def __neg__(self) -> Measured:
        return Measured(-self.value, self.sigma)

    def plus(self, other: Measured) -> Measured:
        """The sum of two independent values."""
        return Measured(self.value + other.value, math.hypot(self.sigma, other.sigma))

    def minus(self, other: Measured) -> Measured:
        """The difference of two independent values."""
        return Measured(self.value - other.value, math.hypot(self.sigma, other.sigma))

    def shifted(self, by: float) -> Measured:
        """The value plus an exact number."""
        return Measured(self.value + by, self.sigma)


def at_most(measured: Measured, limit: float, k: float, *, limit_is_fault: bool = False) -> RuleCall:
    """The call for a rule "not more than `limit`": cover, overhang, distance past an edge.

    Clear or fault only when the value is more than `k` sigmas away from the limit.
    """
    excess = measured.value - limit
    margin = k * measured.sigma
    if measured.sigma > 0.0:
        if abs(excess) <= margin + DUST_MM:
            return "too_close"
        return "fault" if excess > 0 else "clear"
    if abs(excess) <= DUST_MM:
        return "fault" if limit_is_fault else "clear"
    return "fault" if excess > 0 else "clear"


def at_least(measured: Measured, limit: float, k: float, *, limit_is_fault: bool = False) -> RuleCall:
    """The call for a rule "not less than `limit`": gaps and distances."""
    return at_most(-measured, -limit, k, limit_is_fault=limit_is_fault)


def both(first: RuleCall, second: RuleCall) -> RuleCall:
    """The call for "a fault only if both are": contact needs nearness in plan and in height."""
    if "clear" in (first, second):
        return "clear"
    return "too_close" if "too_close" in (first, second) else "fault"


def certain_enough(k: float) -> float:
    """The probability from which a counted thing is called: that of a normal value staying below `k` sigmas."""
    return 0.5 * (1.0 + math.erf(k / math.sqrt(2.0)))


def counted(broken: bool, probability: float, k: float) -> RuleCall:
    """The call for a counted rule: `probability` that the count behind `broken` is right."""
    if probability < certain_enough(k):
        return "too_close"
    return "fault" if broken else "clear"
