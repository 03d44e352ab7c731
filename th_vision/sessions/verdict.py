"""What a ruling says without its figures: for asking whether a second look says the same."""

from __future__ import annotations

import json
from collections.abc import Iterable

from rules.events import Answer, CarsLine, EndLine, OutLine, PenaltyLine, RulingLine, ScoreLine, SupplyLine


def verdicts(answers: Iterable[Answer]) -> list[str]:
    """One sentence of JSON for each ruling line, in a fixed order; alerts say nothing about the rules."""
    return sorted(json.dumps(said) for answer in answers if (said := _said(answer)) is not None)


def _said(answer: Answer) -> dict[str, object] | None:
    match answer:
        case RulingLine():
            faults = sorted(f"{fault.rule} {fault.call}" for fault in answer.faults if fault.call != "clear")
            crossings = sorted(f"{c.side} {c.call} {c.reason} {'pays' if c.pays else 'free'}" for c in answer.crossings)
            return {
                "ruling": answer.call,
                "faults": faults,
                "crossings": crossings,
                "cars due": answer.cars_due,
                "bonus": answer.offramp_bonus,
            }
        case CarsLine():
            return {"cars": answer.player, "due": answer.due, "placed": answer.placed, "call": answer.call}
        case PenaltyLine():
            return {"penalty": f"{answer.from_} to {answer.to}", "discs": answer.discs}
        case SupplyLine() | ScoreLine() | OutLine() | EndLine():
            return answer.model_dump(mode="json", by_alias=True, exclude={"turn"})
        case _:
            return None


def compared(before: Iterable[Answer], after: Iterable[Answer]) -> tuple[str, ...]:
    """What differs between two sets of rulings, a line each: ``- `` was said, ``+ `` is said now."""
    was, now = verdicts(before), verdicts(after)
    gone = [text for text in was if was.count(text) > now.count(text)]
    new = [text for text in now if now.count(text) > was.count(text)]
    return (*(f"- {text}" for text in dict.fromkeys(gone)), *(f"+ {text}" for text in dict.fromkeys(new)))
