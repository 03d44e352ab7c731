"""City objects and cars of a reconstructed layout held against the truth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

import numpy as np
from shapely.geometry import Polygon

from rules.layout import Car, CityObject, Layout

CAR_NEAR_MM = 12.0
"""A seen car this near to a true one, plan view, is that one."""
SURE = 0.95
STANDING = ("building", "tower")
Measured = Callable[[str, Iterable[float], float], None]


def add_cars(counts: Counter[str], measured: Measured, seen: Layout, truth: Layout) -> list[str]:
    """Cars found and ghosts, owners and types right, wrong, wrong and stated as sure; what was wrong, in words."""
    pairs = _nearest(seen.cars, truth.cars)
    hit = {true.id for _, true in pairs}
    counts.update({"cars": len(truth.cars), "cars found": len(pairs)})
    counts["car ghosts"] += len(seen.cars) - len(pairs)
    wrong = [f"car {car.id} of {car.player} missed" for car in truth.cars if car.id not in hit]
    for car, true in pairs:
        counts["owners right"] += car.player == true.player
        counts["owners wrong, sure"] += car.player != true.player and car.player_probability > SURE
        counts["types right"] += car.type == true.type
        counts["types wrong, sure"] += car.type != true.type and car.type_probability > SURE
        counts["types stated, sum of probabilities x 1000"] += round(1000 * car.type_probability)
        measured("car x, y", (car.x - true.x, car.y - true.y), car.sigma_xy)
        if car.type != true.type:
            wrong.append(f"{true.type} taken for {car.type} ({car.type_probability:.2f})")
        if car.player != true.player:
            wrong.append(f"car of {true.player} taken for {car.player}'s")
    return wrong


def _nearest(seen: Sequence[Car], truth: Sequence[Car]) -> list[tuple[Car, Car]]:
    pairs = sorted(
        (float(np.hypot(a.x - b.x, a.y - b.y)), i, j) for i, a in enumerate(seen) for j, b in enumerate(truth)
    )
    out: list[tuple[Car, Car]] = []
    used_a: set[int] = set()
    used_b: set[int] = set()
    for apart, i, j in pairs:
        if apart <= CAR_NEAR_MM and i not in used_a and j not in used_b:
            used_a.add(i)
            used_b.add(j)
            out.append((seen[i], truth[j]))
    return out


def add_city(counts: Counter[str], measured: Measured, seen: Layout, truth: Layout) -> list[str]:
    """City objects found and ghosts, kinds right and wrong, errors of corners and heights; what was wrong, in words."""
    left = list(seen.city)
    wrong = []
    counts["city"] += len(truth.city)
    for true in truth.city:
        shape = Polygon(true.outline)
        like = [one for one in left if (one.kind in STANDING) == (true.kind in STANDING)]
        common = {one.id: Polygon(one.outline).intersection(shape).area for one in like}
        best = max(like, key=lambda one: common[one.id], default=None)
        if best is None or common[best.id] < 0.4 * shape.area:
            wrong.append(f"{true.kind} {true.id} missed")
            continue
        left.remove(best)
        counts["city found"] += 1
        counts["kinds right"] += best.kind == true.kind
        counts["kinds wrong, sure"] += best.kind != true.kind and best.kind_probability > SURE
        if best.kind != true.kind:
            wrong.append(f"{true.kind} taken for {best.kind} ({best.kind_probability:.2f})")
            continue
        name = true.kind if true.kind in STANDING else "card"
        measured(f"{name} corner", _corner_errors(best, true), best.sigma_xy)
        if true.kind in STANDING:
            measured(f"{name} height", (best.height - true.height,), best.sigma_z)
    counts["city ghosts"] += len(left)
    return wrong + [f"{one.kind} invented" for one in left]


def _corner_errors(seen: CityObject, true: CityObject) -> list[float]:
    """Errors of all coordinates of the corners, paired in the way that fits best."""
    a, b = np.array(seen.outline), np.array(true.outline)
    if len(a) != len(b):
        return [float(Polygon(a).hausdorff_distance(Polygon(b)))]
    turned = [np.roll(a, k, axis=0) - b for k in range(len(a))]
    return [float(v) for v in min(turned, key=lambda error: float(np.square(error).sum())).ravel()]


def lines(counts: Counter[str]) -> list[str]:
    """The counts as lines; of cars, and of the city where there was any."""
    c = counts
    mean = c["types stated, sum of probabilities x 1000"] / 1000 / max(c["cars found"], 1)
    out = [
        f"cars {c['cars found']}/{c['cars']}, ghosts {c['car ghosts']}; owners right {c['owners right']} "
        f"(wrong and sure: {c['owners wrong, sure']}); types right {c['types right']} "
        f"(wrong and sure: {c['types wrong, sure']}; stated {100 * mean:.1f} % on average)"
    ]
    if c["city"]:
        out.append(
            f"city objects {c['city found']}/{c['city']}, ghosts {c['city ghosts']}; kinds right {c['kinds right']} "
            f"(wrong and sure: {c['kinds wrong, sure']})"
        )
    return out
