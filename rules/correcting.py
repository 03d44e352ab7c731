"""The players' answers: a ruling overruled, or a doubt settled; all of it stays in the record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final, get_args

from rules.cars import cars_line
from rules.errors import RulesError
from rules.events import CarsLine, CorrectionFact, Crossing, Fault, FaultRule, MoveCall, RulingLine, Side
from rules.ruleset import RuleSet
from rules.state import Paid, Pair, State

_RULES: Final = frozenset(get_args(FaultRule))
_OF_OWNERS: Final = ("turn-order", "not-base-point")
"""Faults that hang on who built something."""
_KNOWN: Final = (
    "cars_due, offramp_bonus, call, a fault rule (clear | fault), a crossed road (over | under | none | true | false)"
)


def corrected(state: State, rules: RuleSet, fact: CorrectionFact) -> tuple[RulingLine, CarsLine | None]:
    """The ruling as the players say it, and its cars.

    ``cars_due``, ``offramp_bonus`` and ``call`` are set as they are; the name of a fault rule is set to ``clear`` or
    ``fault``, as a whole or of one piece (``touch-road:r6``); the id of a crossed road to the side on which the new
    road lies, to ``none`` (no crossing), or to whether it pays. Doubts that an answer settles are settled for later
    turns too.

    Raises:
        RulesError: no such ruling, or a key or value that can't be.
    """
    ruling = state.rulings.get(fact.ruling)
    if ruling is None:
        raise RulesError(f"turn {fact.turn}: no ruling on {fact.ruling!r} to correct; name the road it was on")
    faults = list(ruling.faults)
    crossings = {line.road: line for line in ruling.crossings}
    changed: dict[str, Any] = {"by": fact.by}
    for key, value in fact.set.items():
        if key in crossings:
            crossings[key] = _crossing(state, rules, ruling, crossings[key], value)
        elif key.partition(":")[0] in _RULES:
            if key.partition(":")[0] in _OF_OWNERS:
                _whose_is_known(state, fact.ruling, faults)
            faults = _rule(faults, *key.partition(":")[::2], value)
        elif _may_be_set(key, value):
            changed[key] = value
            if key == "call":
                _whose_is_known(state, fact.ruling, faults)
        else:
            raise RulesError(f"turn {fact.turn}: {key} = {value!r} can't be corrected; known: {_KNOWN}")
    lines = list(crossings.values())
    if "cars_due" in changed:
        lines = _settle(state, ruling, lines, changed)
        changed["cars_due_range"] = None
    else:
        _count_again(state, ruling, lines, changed)
    if "call" not in changed:
        changed["call"] = _call(faults, lines, changed.get("cars_due_range", ruling.cars_due_range))
    elif changed["call"] == "legal":
        faults = []
    new = ruling.model_copy(update={**changed, "faults": tuple(faults), "crossings": tuple(lines)})
    state.put("rulings", fact.ruling, new)
    line = cars_line(state, rules, new, ())
    if line is not None:
        state.put("cars_lines", fact.ruling, line)
    return new, line


def _whose_is_known(state: State, road: str, faults: list[Fault]) -> None:
    """The players know who built a road: it is no longer in doubt whose it is, its column, and what it started from."""
    built_with = {c for c in state.joints.get(road, ()) if c is not None and state.order[c] == state.order[road] - 1}
    asked = {piece for fault in faults if fault.rule in _OF_OWNERS for piece in fault.with_}
    for piece in sorted({road} | built_with | asked):
        state.drop("unsure", piece)


def _may_be_set(key: str, value: object) -> bool:
    """Whether a key of the ruling itself may get this value."""
    if key == "cars_due":
        return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 10_000
    if key == "offramp_bonus":
        return isinstance(value, bool)
    return key == "call" and value in get_args(MoveCall)


def _call(faults: list[Fault], crossings: list[Crossing], due_range: object) -> MoveCall:
    calls = {fault.call for fault in faults if not fault.warning}
    if "fault" in calls:
        return "fault"
    doubt = "too_close" in calls or due_range is not None or any(line.call == "too_close" for line in crossings)
    return "too_close" if doubt else "legal"


def _rule(faults: list[Fault], rule: str, piece: str, value: object) -> list[Fault]:
    """A rule kept or broken; where ``piece`` is named, only what it says of that piece."""

    def meant(fault: Fault) -> bool:
        return fault.rule == rule and (not piece or piece in fault.with_)

    if value == "clear":
        return [fault for fault in faults if not meant(fault)]
    if value == "fault":
        if not any(meant(fault) for fault in faults):
            at = [piece] if piece else []
            return [*faults, Fault.model_validate({"rule": rule, "call": "fault", "with": at})]
        return [fault.model_copy(update={"call": "fault"}) if meant(fault) else fault for fault in faults]
    raise RulesError(f"{rule} = {value!r} can't be; allowed: clear | fault")


def _crossing(state: State, rules: RuleSet, ruling: RulingLine, line: Crossing, value: object) -> Crossing:
    """One crossing as the players saw it: the side, no crossing at all, or whether it pays."""
    from rules.crossings import answer_for

    road = ruling.road or ""
    if value in ("over", "under", "none"):
        side: Side = line.side if value == "none" else value  # type: ignore[assignment]  # one of the two
        _set_pair(state, road, line.road, side, crosses=value != "none")
        pays, reason, by = answer_for(state, rules, road, line, side, crosses=value != "none")
        new = line.model_copy(update={"side": side, "pays": pays, "reason": reason, "taken_by": by, "call": "clear"})
    elif isinstance(value, bool):
        _set_pair(state, road, line.road, line.side, crosses=None)
        first = {"reason": "first", "taken_by": None} if value else {}
        new = line.model_copy(update={"pays": value, "call": "clear", **first})
    else:
        raise RulesError(f"{line.road} = {value!r} can't be; allowed: over | under | none | true | false")
    _set_paid(state, road, new)
    return new


def _set_pair(state: State, road: str, other: str, side: Side, *, crosses: bool | None) -> None:
    """Both roads' records of a pair, without doubt now. `side`: where `road` lies."""
    opposite: Mapping[Side, Side] = {"over": "under", "under": "over"}
    for here, there, lies in ((other, road, side), (road, other, opposite[side])):
        pairs: list[Pair] = []
        for pair in state.pairs.get(here, ()):
            if pair.other == there:
                partial = pair.partial if crosses is None else not crosses
                pair = replace(pair, side=lies, partial=partial, side_doubt=False, cross_doubt=False)
            pairs.append(pair)
        state.put("pairs", here, tuple(pairs))


def _set_paid(state: State, road: str, line: Crossing) -> None:
    paid = [entry for entry in state.paid.get(line.road, ()) if entry.by != road]
    if line.pays:
        paid.append(Paid(line.side, road))
    state.put("paid", line.road, tuple(paid))


def _settle(state: State, ruling: RulingLine, lines: list[Crossing], changed: Mapping[str, Any]) -> list[Crossing]:
    """The players said how many cars are due. A single doubtful crossing is settled by that, the rest stays."""
    doubtful = [line for line in lines if line.call == "too_close"]
    if len(doubtful) == 1:
        bonus = int(changed.get("offramp_bonus", ruling.offramp_bonus))
        sure = sum(line.pays for line in lines if line.call != "too_close") + bonus
        pays = changed["cars_due"] > sure
        line = doubtful[0]
        new = line.model_copy(
            update={
                "pays": pays,
                "call": "clear",
                "reason": "first" if pays else line.reason if not line.pays else "partial",
            }
        )
        _set_pair(state, ruling.road or "", line.road, line.side, crosses=None)
        _set_paid(state, ruling.road or "", new)
        return [new if entry is line else entry for entry in lines]
    return lines


def _count_again(state: State, ruling: RulingLine, lines: list[Crossing], changed: dict[str, Any]) -> None:
    """Cars due after a crossing or the bonus changed; the cars placed already count among those that were left."""
    if lines == list(ruling.crossings) and "offramp_bonus" not in changed:
        return
    bonus = int(changed.get("offramp_bonus", ruling.offramp_bonus))
    own = sum(state.owners[name] == ruling.player for name in state.carried.get(ruling.road or "", ()))
    left = state.supplies[ruling.player].cars + own
    sure = sum(line.pays and line.call != "too_close" for line in lines) + bonus
    most = sum(line.pays or (line.call == "too_close" and line.reason != "own-road") for line in lines) + bonus
    due = sum(line.pays for line in lines) + bonus
    changed["cars_due"] = min(due, left)
    fewest, most = min(sure, left), min(most, left)
    changed["cars_due_range"] = (fewest, most) if fewest != most else None
