"""What changes between the rulings that a record holds and those of now: another version, or other switches."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from rules.errors import RulesError
from rules.events import AlertLine, Answer
from rules.record import Record
from rules.tolerances import RECORD_ROUNDING

_ROUNDED = ("value", "sigma", "limit", "gap", "at", "probability")
_KEYS_OF_LISTS = {"faults": ("rule", "with"), "crossings": ("road", "side"), "same_type": ("from",)}

Key = tuple[str, int, str, int]


@dataclass(frozen=True)
class Change:
    """What changes in one ruling line."""

    turn: int
    what: str
    changes: tuple[str, ...]

    def __str__(self) -> str:
        return f"turn {self.turn}, {self.what}: {'; '.join(self.changes)}"


def differences(record: Record, answers: Sequence[Answer]) -> tuple[Change, ...]:
    """The changes from the rulings in the record to the fresh ``answers``, in the order of the game.

    Alerts are the camera's and are not compared; nor are types of ruling lines that the record holds none of.

    Raises:
        RulesError: the record holds no rulings at all.
    """
    held = [answer for answer in record.answers if not isinstance(answer, AlertLine)]
    if not held:
        raise RulesError(f"{record.name}: holds no rulings to compare with; write them first with -o and --with-facts")
    kinds = {answer.type for answer in held}
    before = _keyed(held)
    after = _keyed(answer for answer in answers if answer.type in kinds)
    changes = []
    for key in sorted(before.keys() | after.keys(), key=lambda key: (key[1], _order(before, after, key))):
        old, new = before.get(key), after.get(key)
        what = f"{key[0]} {key[2]}".rstrip()
        if old is None:
            changes.append(Change(key[1], what, ("not in the record",)))
        elif new is None:
            changes.append(Change(key[1], what, ("no longer ruled",)))
        else:
            changed = tuple(_changed(_flat(old), _flat(new)))
            if changed:
                changes.append(Change(key[1], what, changed))
    return tuple(changes)


def _keyed(answers: Iterable[Answer]) -> dict[Key, Answer]:
    """Ruling lines by type, turn, subject, and how many like it came before (a turn taken back and played again)."""
    seen: Counter[tuple[str, int, str]] = Counter()
    keyed: dict[Key, Answer] = {}
    turn = 0
    for answer in answers:
        turn = answer.turn if answer.turn is not None else turn
        name = (answer.type, turn, _subject(answer))
        keyed[(*name, seen[name])] = answer
        seen[name] += 1
    return keyed


def _subject(answer: Answer) -> str:
    match answer.type:
        case "ruling":
            return answer.road or answer.object or ""
        case "cars" | "out":
            return answer.player
        case "penalty":
            return f"{answer.from_} to {answer.to}"
        case _:
            return ""


def _order(before: dict[Key, Answer], after: dict[Key, Answer], key: Key) -> int:
    """Place of a line in the record, or else among the fresh ones."""
    return list(before).index(key) if key in before else list(after).index(key)


def _flat(answer: Answer) -> dict[str, Any]:
    """All values of a line by their path; parts of lists by what they are about, not by their place."""
    flat: dict[str, Any] = {}

    def walk(path: str, value: Any) -> None:
        if isinstance(value, dict):
            for key, part in value.items():
                walk(f"{path} {key}".lstrip(), part)
        elif path in _KEYS_OF_LISTS:
            for part in value:
                walk(f"{path} {' '.join(_named(part[key]) for key in _KEYS_OF_LISTS[path] if part[key])}", part)
        else:
            flat[path] = value

    walk("", answer.model_dump(mode="json", by_alias=True))
    return {path: value for path, value in flat.items() if not _says_nothing(path, flat)}


def _named(value: Any) -> str:
    return ",".join(value) if isinstance(value, list) else str(value)


def _says_nothing(path: str, flat: dict[str, Any]) -> bool:
    """A fault that is clear says as much as one that isn't listed; names of lists' parts stand in their path."""
    if not path.startswith("faults "):
        return path.startswith("crossings ") and path.split()[-1] in ("road", "side")
    fault, _, key = path.rpartition(" ")
    return flat.get(f"{fault} call") == "clear" or key in ("rule", "with", "unit")


def _changed(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    changed = []
    for path in sorted(old.keys() | new.keys(), key=lambda path: (" " in path, path)):
        before, after = old.get(path), new.get(path)
        if before == after or (path.split()[-1] in _ROUNDED and _alike(before, after)):
            continue
        changed.append(f"{path} {_shown(before)} -> {_shown(after)}")
    return changed


def _alike(before: Any, after: Any) -> bool:
    """Numbers equal but for rounding; a missing one goes with the part that is missing."""
    if before is None or after is None:
        return True
    if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        return all(map(_alike, before, after))
    return (
        isinstance(before, int | float)
        and isinstance(after, int | float)
        and math.isclose(before, after, rel_tol=0, abs_tol=RECORD_ROUNDING)
    )


def _shown(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, float):
        return f"{value:.2f}"
    return str(value).lower() if isinstance(value, bool) else str(value)
