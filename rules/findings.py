"""How a rule that was looked at becomes a `Fault` line: value, sigma, limit, unit, the pieces, and the call."""

from __future__ import annotations

from typing import Final

from rules.events import Fault, FaultRule, RuleCall
from rules.uncertain import Measured, at_least, at_most, counted

_MOST_VALUE: Final = 1e6
_MOST_SIGMA: Final = 1e4
"""The record's bounds for lengths and sigmas; what lies beyond says the same as the bound."""


def _bounded(value: float) -> float:
    return max(-_MOST_VALUE, min(_MOST_VALUE, value))


def measured(
    rule: FaultRule,
    value: Measured,
    limit: float,
    call: RuleCall,
    *pieces: str,
) -> Fault:
    """A measured rule (mm) with its call."""
    return Fault.model_validate(
        {
            "rule": rule,
            "call": call,
            "value": _bounded(value.value),
            "sigma": min(_MOST_SIGMA, value.sigma),
            "limit": _bounded(limit),
            "with": pieces,
        }
    )


def not_more(rule: FaultRule, value: Measured, limit: float, k: float, *pieces: str) -> Fault:
    """The rule "not more than limit"; on the limit is allowed."""
    return measured(rule, value, limit, at_most(value, limit, k), *pieces)


def more_than(rule: FaultRule, value: Measured, limit: float, k: float, *pieces: str) -> Fault:
    """The rule "more than limit": contact begins on the limit."""
    return measured(rule, value, limit, at_least(value, limit, k, limit_is_fault=True), *pieces)


def not_less(rule: FaultRule, value: Measured, limit: float, k: float, *pieces: str) -> Fault:
    """The rule "not less than limit"; on the limit is allowed."""
    return measured(rule, value, limit, at_least(value, limit, k), *pieces)


def count(
    rule: FaultRule,
    value: float,
    limit: float,
    unit: str,
    *pieces: str,
    broken: bool = True,
    probability: float = 1.0,
    k: float = 2.0,
) -> Fault:
    """A counted rule; `probability` that the count behind it is right."""
    return Fault.model_validate(
        {
            "rule": rule,
            "call": counted(broken, probability, k),
            "value": _bounded(value),
            "limit": _bounded(limit),
            "unit": unit,
            "with": pieces,
            "probability": None if probability >= 1.0 else probability,
        }
    )
