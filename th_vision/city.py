"""City objects from one reading to the next: who placed the new ones (players take turns in set-up), and what was
moved or taken away once the game is on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from rules.events import AlertLine, FactObject
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

    city = tuple(
        c.model_copy(update={"id": name(c.id), "on": name(c.on), "adjoins": c.adjoins and name(c.adjoins)})
        for c in seen.city
    )
    columns = tuple(c.model_copy(update={"on": name(c.on)}) for c in seen.columns)
    roads = tuple(r.model_copy(update={"rests_on": (name(r.rests_on[0]), name(r.rests_on[1]))}) for r in seen.roads)
    return seen.model_copy(update={"city": city, "columns": columns, "roads": roads})


def new_objects(seen: Sequence[CityObject], known: Mapping[str, FactObject]) -> list[CityObject]:
    """The objects that are not known yet and whose kind is sure, in the order in which the rules have them placed:
    areas before what stands on them, development areas before all others."""
    new = [thing for thing in seen if thing.id not in known and thing.kind_probability >= tol.CITY_KIND_SURE]
    return sorted(new, key=lambda thing: (thing.kind != "development_area", thing.kind in ("building", "tower")))


def moved_objects(seen: Sequence[CityObject], known: Mapping[str, FactObject]) -> list[CityObject]:
    """The known objects that lie elsewhere now."""
    return [thing for thing in seen if thing.id in known and _has_moved(thing, known[thing.id])]


class CityWatch:
    """Whether the city stands as the game has it, once it is on. What was moved or is gone is told once, and again when
    it was put right meanwhile; an object is gone when so many readings miss it that saw it before."""

    def __init__(self) -> None:
        self._seen: set[str] = set()
        self._missed: dict[str, int] = {}
        self._said: set[str] = set()

    def saw(self, seen: Sequence[CityObject]) -> None:
        """Take a reading of set-up, when objects may still be put elsewhere."""
        self._seen |= {thing.id for thing in seen}

    def look(
        self, seen: Sequence[CityObject], known: Mapping[str, FactObject], turn: int
    ) -> list[tuple[AlertLine, str]]:
        """What to say of a reading: the record's line, and one short sentence."""
        out: list[tuple[AlertLine, str]] = []
        there = {thing.id: thing for thing in seen}
        self._seen |= there.keys() & known.keys()
        for id in sorted(self._seen & known.keys()):
            thing = there.get(id)
            self._missed[id] = 0 if thing is not None else self._missed.get(id, 0) + 1
            gone = self._missed[id] >= tol.CITY_MISSED
            moved = thing is not None and _has_moved(thing, known[id])
            if not gone and not moved:
                self._said -= {id} if thing is not None else set()
                continue
            if id in self._said:
                continue
            self._said.add(id)
            name = f"The {known[id].kind.replace('_', ' ')} {id}"
            if thing is None:
                words = f"{name} isn't seen where it stood; put it back."
                out.append((AlertLine(kind="piece-fallen", pieces=(id,), turn=turn), words))
            else:
                by_mm = _apart(thing, known[id])
                line = AlertLine(kind="piece-moved", value=by_mm, sigma=thing.sigma_xy, pieces=(id,), turn=turn)
                out.append((line, f"{name} was moved by {by_mm:.0f} mm; put it back."))
        return out


def placer(players: Sequence[str], placed: int) -> str:
    """Who places the next object after so many: the players take turns, the first one begins."""
    return players[placed % len(players)]


def _has_moved(seen: CityObject, known: CityObject) -> bool:
    return _apart(seen, known) > max(tol.CITY_MOVED_MM, tol.MOVED_SIGMAS * seen.sigma_xy)


def _apart(a: CityObject, b: CityObject) -> float:
    return float(np.hypot(*(np.mean(a.outline, axis=0) - np.mean(b.outline, axis=0))))
