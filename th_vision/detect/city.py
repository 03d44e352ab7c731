"""City objects of a view: cards on the table, buildings and the tower on them, and what stands on cards.

Kinds and sizes come from ``pieces.toml``; what fits none of them is left to ``unknown.py``. Known objects are looked at
where they lay; only where something new rises or shows, is searched.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray
from shapely import contains_xy
from shapely.geometry import Point, Polygon

from rules.layout import CityObject, Layout, Road
from rules.pieces import Pieces
from th_vision import tolerances
from th_vision.detect.city_cards import find_cards
from th_vision.detect.city_maps import CARDS, SOLIDS, CityMaps, city_maps, low_places
from th_vision.detect.city_rims import Laid
from th_vision.detect.city_solids import Stood, arch_on, blocks, fattening_mm, find_solids, obstacles_on
from th_vision.detect.plan import PlanView
from th_vision.detect.sampling import sample
from th_vision.detect.unknown import covered
from th_vision.support import on_ray

Array = NDArray[np.float64]
Mask = NDArray[np.uint8]
_RIM_PLACES = 24
"""Places beside each side of a known card that are looked at, inside and outside."""


def find_city(plan: PlanView, pieces: Pieces, before: Layout | None = None) -> tuple[CityObject, ...]:
    """All city objects of a view whose kinds ``pieces`` names. Those that stood ``before`` first, where they lay; new
    ones only where neither these nor the columns and roads of that time explain what is seen."""
    if not pieces.city:
        return ()
    maps = city_maps(plan, 0.0, tolerances.CITY_COARSE_MM)
    prior = before.city if before is not None else ()
    candidates = [thing for thing in prior if thing.kind in pieces.city]
    lies = still_lie(plan, maps, candidates)
    known = [thing for thing, there in zip(candidates, lies, strict=True) if there]
    found = list(known)
    where = low_places(maps, pieces, None if before is None else _explained(plan, pieces, maps, before, known))
    known_cards = [Polygon(thing.outline) for thing in known if thing.kind in CARDS]
    built_on = [(float(block.pose[0]), float(block.pose[1])) for block in blocks(plan, pieces)] if where.any() else []
    for card in find_cards(plan, pieces, maps, where, known_cards, built_on):
        found.append(_card(plan, card, _next_id([*prior, *found])))
    cards = [(Polygon(thing.outline), thing.height) for thing in found if thing.kind in CARDS]
    standing = [thing for thing in known if thing.kind in SOLIDS]
    open_view = without_city(plan, [*standing, *(thing for thing in known if thing.obstacles or thing.arch)])
    elsewhere = [Polygon(t.outline) for t in found if t.kind in CARDS and t.kind != "development_area"]
    for stood in find_solids(open_view, pieces, cards, elsewhere):
        outline = Polygon(stood.corners)
        if all(outline.intersection(Polygon(one.outline)).area < 1.0 for one in standing):
            standing.append(_solid(stood, found, _next_id([*prior, *found])))
            found.append(standing[-1])
    return tuple(_adjoining(found))


def _next_id(things: Sequence[CityObject]) -> str:
    number = max((int(thing.id[1:]) for thing in things if thing.id[:1] == "o" and thing.id[1:].isdigit()), default=0)
    return f"o{number + 1}"


def _points(corners: Array) -> tuple[tuple[float, float], ...]:
    return tuple((float(x), float(y)) for x, y in corners)


def _card(plan: PlanView, card: Laid, id: str) -> CityObject:
    box_height = card.height_mm
    outline = card.outline()
    arch = arch_on(plan, outline, card.turn, box_height) if card.kind == "rainbow_area" else None
    plain = card.kind == "development_area" or arch is not None
    return CityObject(
        id=id,
        kind=card.kind,
        kind_probability=card.probability,
        outline=_points(card.corners()),
        height=box_height,
        sigma_xy=card.sigma_mm,
        sigma_z=tolerances.CITY_CARD_HEIGHT_MM,
        arch=arch[0] if arch is not None else None,
        arch_height=arch[1] if arch is not None else None,
        obstacles=() if plain else obstacles_on(plan, outline, box_height),
    )


def _solid(stood: Stood, found: Sequence[CityObject], id: str) -> CityObject:
    middle = Point(*stood.corners.mean(axis=0))
    on = next((thing.id for thing in found if thing.kind in CARDS and Polygon(thing.outline).covers(middle)), "table")
    return CityObject(
        id=id,
        kind=stood.kind,
        kind_probability=stood.probability,
        outline=_points(stood.corners),
        height=stood.height,
        sigma_xy=stood.sigma_xy,
        sigma_z=stood.sigma_z,
        on=on,
    )


def _adjoining(things: Sequence[CityObject]) -> list[CityObject]:
    """The objects, a harbor with the name of the development area that it lies beside."""
    areas = [(Polygon(thing.outline), thing.id) for thing in things if thing.kind == "development_area"]
    out = []
    for thing in things:
        if thing.kind == "yacht_harbor" and thing.adjoins is None and areas:
            apart, name = min((Polygon(thing.outline).distance(area), name) for area, name in areas)
            if apart <= tolerances.CITY_ADJOINS_MM:
                thing = thing.model_copy(update={"adjoins": name})
        out.append(thing)
    return out


# --- where they lay ---------------------------------------------------------------------------------------------------


def still_lie(plan: PlanView, maps: CityMaps, things: Sequence[CityObject]) -> list[bool]:
    """Which known objects are still seen where they were: a card by the other colour within its rim and not beyond, or
    by its height in depth; a solid thing by the height over its foot."""
    cards = [thing for thing in things if thing.kind not in SOLIDS]
    beside = _beside_rims(plan, cards)
    out = []
    for thing in things:
        if thing.kind in SOLIDS:
            out.append(_still_stands(plan, thing))
            continue
        sides = np.sort(beside.get(thing.id, np.zeros(4)))
        if sides[-1] > tolerances.CITY_STILL_CHANGE:
            # one side may be hidden; of a card that was moved two sides are not where they were
            share = max(tolerances.CITY_STILL_SHARE * sides[-1], tolerances.CITY_STILL_CHANGE / 2)
            out.append(bool(sides[1] > share))
            continue
        height = maps.height[_cells(maps, [Polygon(thing.outline).buffer(-tolerances.CITY_BLUR_MM)])]
        height = height[np.isfinite(height) & (np.abs(height) < thing.height + tolerances.CITY_LOW_MM)]
        out.append(bool(len(height) > 20 and np.mean(height) > tolerances.CITY_STILL_RISE * thing.height))
    return out


def _beside_rims(plan: PlanView, cards: Sequence[CityObject]) -> dict[str, Array]:
    """(4,) of each card: by how much more its colour differs from the empty table's inside of each side than outside
    (logarithm); without a picture, nothing."""
    if not cards or plan.bare is None:
        return {}
    points = []
    t = ((np.arange(_RIM_PLACES) + 0.5) / _RIM_PLACES)[:, None]
    for card in cards:
        corners = _four(card)
        for side in (1.0, -1.0):
            for k in range(4):
                a, b = corners[k], corners[(k + 1) % 4]
                way = (b - a) / max(float(np.hypot(*(b - a))), 1e-9)
                places = a + t * (b - a) + side * tolerances.CITY_BESIDE_MM * np.array([-way[1], way[0]])
                points.append(np.c_[places, np.full(_RIM_PLACES, card.height)])
    pixels = plan.color_pixels(np.concatenate(points))
    now, then = plan.colors_at(pixels), sample(plan.bare, pixels)
    change = np.log((now + 10) / (then + 10)).reshape(len(cards), 2, 4, -1, 3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a side that can't be seen at all
        mean = np.nan_to_num(np.nanmedian(change, axis=3))
    size = np.abs(mean).max(axis=-1)
    return {card.id: np.asarray(one[0] - one[1], dtype=np.float64) for card, one in zip(cards, size, strict=True)}


def _four(thing: CityObject) -> Array:
    """(4, 2) corners of a card, counter-clockwise; those of the rectangle about it where it has others."""
    shape = Polygon(thing.outline)
    corners = np.asarray(
        thing.outline if len(thing.outline) == 4 else shape.minimum_rotated_rectangle.exterior.coords[:-1]
    )
    return corners if Polygon(corners).exterior.is_ccw else corners[::-1]


def _still_stands(plan: PlanView, thing: CityObject) -> bool:
    """Whether depth shows a solid thing as high as it was, over its foot; one of which nothing is seen is believed."""
    middle = np.mean(thing.outline, axis=0)
    building = thing.kind == "building"
    share, high = (0.85, 0.85) if building else (0.25, 0.4)
    places = middle + share * (np.asarray(thing.outline) - middle)
    points = np.concatenate([np.c_[places, np.full(len(places), z * thing.height)] for z in (0.5, 0.75, 1.0)])
    seen = plan.heights(points if not building else points[-len(places) :])
    seen = seen[np.isfinite(seen)]
    if not len(seen):
        return True
    return bool(np.mean(seen > high * thing.height) > (0.7 if building else 0.2))


def _explained(
    plan: PlanView, pieces: Pieces, maps: CityMaps, before: Layout, known: Sequence[CityObject]
) -> NDArray[np.bool_]:
    """(ny, nx) cells where known pieces and city objects are seen, or what they hide."""
    shape = covered(plan, pieces, before.model_copy(update={"city": tuple(known)}))
    parts = list(shape.geoms) if hasattr(shape, "geoms") else [shape]
    return _cells(maps, parts)


def _cells(maps: CityMaps, shapes: Sequence[Polygon]) -> NDArray[np.bool_]:
    """(ny, nx) cells of a map inside any of some shapes."""
    xs, ys = maps.field.grid(maps.pitch)
    gx, gy = np.meshgrid(xs, ys)
    out = np.zeros(gx.shape, dtype=np.bool_)
    for shape in shapes:
        if shape.is_empty:
            continue
        x0, y0, x1, y1 = shape.bounds
        u, v = np.flatnonzero((xs >= x0) & (xs <= x1)), np.flatnonzero((ys >= y0) & (ys <= y1))
        if len(u) and len(v):
            part = np.ix_(v, u)
            out[part] |= contains_xy(shape, gx[part], gy[part])
    return out


# --- other pieces and the city ----------------------------------------------------------------------------------------


def without_city(plan: PlanView, things: Sequence[CityObject]) -> PlanView:
    """The view with depth unseen where it shows what stands up in the city: no piece is to be read into that."""
    mask = np.zeros(plan.height_mm.shape, np.uint8)
    bases = {thing.id: thing.height for thing in things}
    for thing in things:
        base = bases.get(thing.on, 0.0)
        if thing.kind in SOLIDS:
            _shade(plan, mask, np.asarray(thing.outline), base, base + thing.height)
        for obstacle in thing.obstacles:
            _shade(plan, mask, np.asarray(obstacle.outline), thing.height, obstacle.height)
        if thing.arch is not None and thing.arch_height:
            _shade_arch(plan, mask, thing)
    if not mask.any():
        return plan
    height = np.where(mask > 0, np.float32(np.nan), plan.height_mm).astype(np.float32)
    return replace(plan, height_mm=height)


def _shade(plan: PlanView, mask: Mask, outline: Array, low_mm: float, high_mm: float) -> None:
    """Mark what the depth camera shows of a prism, fattened."""
    middle = outline.mean(axis=0)
    more = fattening_mm(plan, high_mm) * 2 + tolerances.CITY_MASK_MM
    wide = middle + (outline - middle) * (1 + more / np.maximum(np.hypot(*(outline - middle).T), 1.0))[:, None]
    points = np.concatenate([np.c_[wide, np.full(len(wide), z)] for z in (low_mm, high_mm)])
    hull = cv2.convexHull(plan.depth_pixels(points).astype(np.float32))
    cv2.fillConvexPoly(mask, np.rint(hull[:, 0]).astype(np.int32), 1)


def _shade_arch(plan: PlanView, mask: Mask, thing: CityObject) -> None:
    assert thing.arch is not None
    assert thing.arch_height is not None
    a, b = (np.array(foot) for foot in thing.arch)
    way = (b - a) / max(float(np.hypot(*(b - a))), 1e-6)
    left = np.array([-way[1], way[0]])
    half = float(np.hypot(*(b - a))) / 2
    wide = tolerances.CITY_ARCH_DEPTH_MM / 2 + fattening_mm(plan, thing.arch_height) + tolerances.CITY_MASK_MM
    thick = tolerances.CITY_ARCH_BAND_MM
    angles = np.linspace(0, np.pi, 25)
    rings = []
    for off in (0.0, thick):
        middle = (a + b) / 2 - np.cos(angles)[:, None] * way * (half + off)
        rings.append((middle, (thing.arch_height + off) * np.sin(angles)))
    for k in range(len(angles) - 1):
        corners = [
            (*(plan_xy[m] + side * wide * left), z[m]) for plan_xy, z in rings for m in (k, k + 1) for side in (-1, 1)
        ]
        hull = cv2.convexHull(plan.depth_pixels(np.array(corners)).astype(np.float32))
        cv2.fillConvexPoly(mask, np.rint(hull[:, 0]).astype(np.int32), 1)


def standing_on(layout: Layout, city: Sequence[CityObject], eye: Array, sign: float = 1.0) -> Layout:
    """The layout with columns and roads that stand or end on cards raised by the card's height (``sign`` -1: lowered
    again), on their rays from the ``eye`` (3,), mm, that saw them; ``on`` and ``rests_on`` name the cards."""
    cards = [(Polygon(thing.outline), thing) for thing in city if thing.kind in CARDS]
    if not cards:
        return layout
    raised: dict[str, float] = {}
    columns = []
    for column in layout.columns:
        card = _under(cards, column.x, column.y, column.on if sign < 0 else None)
        if card is None:
            columns.append(column if sign > 0 else column.model_copy(update={"on": "table"}))
            continue
        raised[column.id] = sign * card.height
        z = column.top_z + sign * card.height
        x, y = on_ray(eye, (column.x, column.y, column.top_z), z)
        update = {"x": float(x), "y": float(y), "top_z": z, "on": card.id if sign > 0 else "table"}
        columns.append(column.model_copy(update=update))
    roads = tuple(_raised_road(road, layout, raised, cards, eye, sign) for road in layout.roads)
    heights = {road.id: (old, road) for old, road in zip(layout.roads, roads, strict=True) if old is not road}
    cars = []
    for car in layout.cars:
        if car.on in heights:
            old, road = heights[car.on]
            more = _height_at(road, car.x, car.y) - _height_at(old, car.x, car.y)
            x, y = on_ray(eye, (car.x, car.y, car.z), car.z + more)
            car = car.model_copy(update={"x": float(x), "y": float(y), "z": car.z + more})
        cars.append(car)
    return layout.model_copy(update={"columns": tuple(columns), "roads": roads, "cars": tuple(cars)})


def _under(
    cards: Sequence[tuple[Polygon, CityObject]], x: float, y: float, named: str | None = None
) -> CityObject | None:
    if named is not None:
        return next((thing for _, thing in cards if thing.id == named), None)
    return next((thing for outline, thing in cards if outline.covers(Point(x, y))), None)


def _raised_road(
    road: Road,
    layout: Layout,
    raised: dict[str, float],
    cards: Sequence[tuple[Polygon, CityObject]],
    eye: Array,
    sign: float,
) -> Road:
    """A road with each end raised with the column below it, or by the card that it lies on."""
    roads = {one.id: one for one in layout.roads}
    names = {thing.id: thing for _, thing in cards}
    ends, rests = list(road.ends), list(road.rests_on)
    for side in (0, 1):
        x, y, z = road.ends[side]
        more, name = 0.0, road.rests_on[side]
        for _ in range(len(roads)):  # down through the ends that it lies on
            if name not in roads:
                break
            below = roads[name]
            near = min((0, 1), key=lambda k: float(np.hypot(below.ends[k][0] - x, below.ends[k][1] - y)))
            name = below.rests_on[near]
        if name in raised:
            more = raised[name]
        elif sign > 0 and name == "table" and (card := _under(cards, x, y)) is not None:
            more = card.height
            rests[side] = card.id if road.rests_on[side] == "table" else rests[side]
        elif sign < 0 and name in names:
            more = -names[name].height
            rests[side] = "table" if road.rests_on[side] == name else rests[side]
        if more:
            at = on_ray(eye, (x, y, z), z + more)
            ends[side] = (float(at[0]), float(at[1]), z + more)
    if ends == list(road.ends) and rests == list(road.rests_on):
        return road
    return road.model_copy(update={"ends": (ends[0], ends[1]), "rests_on": (rests[0], rests[1])})


def _height_at(road: Road, x: float, y: float) -> float:
    a, b = np.array(road.ends[0]), np.array(road.ends[1])
    way = (b - a)[:2]
    t = float(np.clip((np.array([x, y]) - a[:2]) @ way / max(float(way @ way), 1e-9), 0, 1))
    return float(a[2] + t * (b[2] - a[2]))
