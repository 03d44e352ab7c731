"""City objects from one reading to the next, and who placed the new ones: players take turns in set-up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from rules.events import FactObject
from rules.layout import CityObject, Layout
from th_vision import tolerances as tol


def named_alike(seen: Layout, known: Mapping[str, CityObject]) -> Layout:
    """The reading with the city objects under the ids that they are known by; new ones get ids of their own."""
    names: dict[str, str] = {}
    free = dict(known)
    for thing in seen.city:
        near = [(_apart(thing, old), name) for name, old in free.items() if old.kind == thing.kind]
        if near and min(near)[0] <= tol.CITY_SAME_MM:
            names[thing.id] = min(near)[1]
            del free[names[thing.id]]
    number = max((int(name[1:]) for name in known if name[:1] == "o" and name[1:].isdigit()), default=0)
    for thing in seen.city:
        if thing.id not in names:
            number += 1
            names[thing.id] = f"o{number}"
    if all(old == new for old, new in names.items()):
        return seen

    def name(id: str) -> str:
        return names.get(id, id)

    city = tuple(c.model_copy(update={"id": name(c.id), "on": name(c.on)}) for c in seen.city)
    columns = tuple(c.model_copy(update={"on": name(c.on)}) for c in seen.columns)
    roads = tuple(r.model_copy(update={"rests_on": (name(r.rests_on[0]), name(r.rests_on[1]))}) for r in seen.roads)
    return seen.model_copy(update={"city": city, "columns": columns, "roads": roads})


def new_objects(seen: Sequence[CityObject], known: Mapping[str, FactObject]) -> list[CityObject]:
    """The objects that are not known yet, in the order in which the rules have them placed: areas before what stands
    on them, development areas before all others."""
    new = [thing for thing in seen if thing.id not in known]
    return sorted(new, key=lambda thing: (thing.kind != "development_area", thing.kind in ("building", "tower")))


def moved_objects(seen: Sequence[CityObject], known: Mapping[str, FactObject]) -> list[CityObject]:
    """The known objects that lie elsewhere now."""
    return [thing for thing in seen if thing.id in known and _apart(thing, known[thing.id]) > tol.CITY_MOVED_MM]


def placer(players: Sequence[str], placed: int) -> str:
    """Who places the next object after so many: the players take turns, the first one begins."""
    return players[placed % len(players)]


def _apart(a: CityObject, b: CityObject) -> float:
    return float(np.hypot(*(np.mean(a.outline, axis=0) - np.mean(b.outline, axis=0))))
