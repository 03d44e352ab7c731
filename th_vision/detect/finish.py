"""The last step of seeing: heights by resting, junctions, cars, ids and sigmas; a layout comes out."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rules.layout import Car, Column, Layout, Road
from rules.pieces import Pieces
from th_vision import tolerances
from th_vision.detect.assemble import Assembly, FoundRoad
from th_vision.detect.cars import cars_on
from th_vision.detect.colors import Palette, palette
from th_vision.detect.columns import ColumnCandidate
from th_vision.detect.kernel import disc_share, shown
from th_vision.detect.measure import MeasuredRoad, measure_road, plan_tangent
from th_vision.detect.patch import strip
from th_vision.detect.plan import PlanView
from th_vision.detect.resting import Lying, outline, rest

Array = NDArray[np.float64]


@dataclass(frozen=True)
class _Placed:
    """A road in its final place with what each end lies on: a column's index (-1: table), or a road's index."""

    road: MeasuredRoad
    ends: tuple[int, int]
    on_road: tuple[int | None, int | None]


def finish(plan: PlanView, pieces: Pieces, assembly: Assembly, prior: Layout | None) -> Layout:
    """The layout of an assembly: ids as in ``prior`` where a piece is the same."""
    placed = _place_roads(plan, pieces, assembly)
    colors = palette(pieces, _stick_color(plan, pieces, placed))
    column_ids = _ids("c", [(c.x, c.y) for c in assembly.columns], _old_places(prior, "columns"), pieces.disc.radius)
    middles = [tuple((p.road.a[:2] + p.road.b[:2]) / 2) for p in placed]
    road_ids = _ids("r", middles, _old_places(prior, "roads"), pieces.stick.width)
    columns = tuple(
        _column(plan, pieces, colors, candidate, column_ids[k]) for k, candidate in enumerate(assembly.columns)
    )
    roads = tuple(_road(p, road_ids[k], column_ids, road_ids) for k, p in enumerate(placed))
    cars = _cars(plan, pieces, colors, roads, prior)
    return Layout(columns=columns, roads=roads, cars=cars)


def _place_roads(plan: PlanView, pieces: Pieces, assembly: Assembly) -> list[_Placed]:
    """Measure every road again at its resting height, with its neighbours' outlines left out."""
    columns = assembly.columns
    order = _bottom_up(pieces, assembly)
    lying: dict[int, Lying] = {}
    placed: dict[int, _Placed] = {}
    for k in order:
        found = assembly.roads[k]
        centers = tuple(np.array([columns[end].x, columns[end].y]) if end >= 0 else None for end in found.ends)
        neighbours = [
            m for m in range(len(assembly.roads)) if m != k and set(found.ends) & set(assembly.roads[m].ends) - {-1}
        ]
        others = tuple((assembly.roads[m].road.a, assembly.roads[m].road.b) for m in neighbours)
        below = [m for m in neighbours if m in lying]
        road = found.road
        for _ in range(2):
            za, zb = rest(pieces, road.a[:2], road.b[:2], _tops(pieces, columns, found), [lying[m] for m in below])
            a, b = np.array([*road.a[:2], za]), np.array([*road.b[:2], zb])
            road = measure_road(plan, pieces, a, b, (centers[0], centers[1]), others)
        za, zb = rest(pieces, road.a[:2], road.b[:2], _tops(pieces, columns, found), [lying[m] for m in below])
        road = replace(road, a=np.array([*road.a[:2], za]), b=np.array([*road.b[:2], zb]))
        lying[k] = Lying(road.a[:2], road.b[:2], za, zb)
        on_road = (
            _lies_on(pieces, assembly, k, 0, road, below, lying),
            _lies_on(pieces, assembly, k, 1, road, below, lying),
        )
        placed[k] = _Placed(road, found.ends, on_road)
    return [placed[k] for k in range(len(assembly.roads))]


def _bottom_up(pieces: Pieces, assembly: Assembly) -> list[int]:
    """Indices of roads so that what lies below comes first: known ones by age, then by how covered their tips are."""

    def covered(k: int) -> float:
        found = assembly.roads[k]
        shared = [
            found.road.tip_clear[side]
            for side, end in enumerate(found.ends)
            if end >= 0 and sum(end in other.ends for other in assembly.roads) > 1
        ]
        return min(shared) if shared else 0.0

    return sorted(range(len(assembly.roads)), key=lambda k: (assembly.roads[k].age, covered(k)))


def _tops(pieces: Pieces, columns: list[ColumnCandidate], found: FoundRoad) -> list[tuple[float, float, float]]:
    return [(columns[k].x, columns[k].y, columns[k].levels * pieces.disc.height) for k in found.ends if k >= 0]


def _lies_on(
    pieces: Pieces, assembly: Assembly, k: int, side: int, road: MeasuredRoad, below: list[int], lying: dict[int, Lying]
) -> int | None:
    """The topmost road below this end that it overlaps in plan, None where it lies on the column or the table itself."""
    end = assembly.roads[k].ends[side]
    if end < 0:
        return None
    shape = outline(pieces, road.a[:2], road.b[:2])
    on = [
        m
        for m in below
        if end in assembly.roads[m].ends and shape.intersection(outline(pieces, lying[m].a, lying[m].b)).area > 1.0
    ]
    return on[-1] if on else None


def _stick_color(plan: PlanView, pieces: Pieces, placed: list[_Placed]) -> Array | None:
    """Median colour (3,) BGR of the roads' middles; None without colour or roads."""
    if plan.color is None or not placed:
        return None
    samples = []
    for p in placed:
        patch = strip(plan, p.road.a, p.road.b, 0.0, pieces.stick.width * 0.25, 1.0)
        assert patch.color is not None
        samples.append(patch.color.reshape(-1, 3))
    together = np.concatenate(samples)
    good = np.isfinite(together).all(axis=1)
    return np.asarray(np.median(together[good], axis=0), dtype=np.float64) if good.any() else None


def _column(plan: PlanView, pieces: Pieces, colors: Palette, c: ColumnCandidate, name: str) -> Column:
    z = c.levels * pieces.disc.height
    yellow = _yellow_share(plan, pieces, colors, c)
    junction = yellow > (tolerances.JUNCTION_YELLOW + tolerances.JUNCTION_GRAY) / 2
    margin = abs(yellow - (tolerances.JUNCTION_YELLOW + tolerances.JUNCTION_GRAY) / 2)
    rim = 0.0 if np.isnan(c.rim) else c.rim
    sigma_rim = tolerances.RIM_SIGMA_MM / max(rim, 0.12)
    sigma_z = tolerances.DISC_HEIGHT_SIGMA_MM * float(np.sqrt(c.levels)) + tolerances.TOP_SIGMA_MM
    tangent = plan_tangent(plan, np.array([c.x, c.y, z]))
    return Column(
        id=name,
        x=c.x,
        y=c.y,
        levels=c.levels,
        junction=junction,
        top_z=z,
        sigma_xy=float(np.hypot(sigma_rim, sigma_z * tangent)),
        sigma_z=sigma_z,
        levels_probability=_level_probability(plan, pieces, c),
        junction_probability=float(np.clip(0.5 + 4 * margin, 0.5, 0.999)) if plan.color is not None else 0.5,
    )


def _level_probability(plan: PlanView, pieces: Pieces, c: ColumnCandidate) -> float:
    """How probable the level is against one more or one less, from the height by depth over the column's middle."""
    blend = disc_share(pieces.disc.diameter, plan.kernel_mm, pieces.disc.radius * 0.5)
    levels = np.array([c.levels - 1, c.levels, c.levels + 1])
    expected = shown(levels * pieces.disc.height, blend, plan.usual_mm_per_px) + pieces.stick.thickness / 2
    sigma = np.hypot(tolerances.READING_SIGMA_MM, tolerances.SHARE_SIGMA * levels * pieces.disc.height)
    weight = np.exp(-0.5 * ((c.reading_mm - expected) / sigma) ** 2) / sigma
    return float(np.clip(weight[1] / max(float(weight.sum()), 1e-12), 0.01, 0.9999))


def _yellow_share(plan: PlanView, pieces: Pieces, colors: Palette, c: ColumnCandidate) -> float:
    """Share of the part of a column's top that no stick covers that is yellow."""
    if plan.color is None:
        return 0.0
    radius = pieces.disc.radius
    axis = np.arange(-radius, radius + 0.5, 0.5)
    gx, gy = np.meshgrid(axis, axis)
    inside = np.hypot(gx, gy) < radius - 1.2
    points = np.stack([c.x + gx, c.y + gy, np.full_like(gx, c.levels * pieces.disc.height)], axis=-1)[inside]
    seen = plan.colors(points)
    good = np.isfinite(seen).all(axis=1)
    if not good.any():
        return 0.0
    index, _ = colors.nearest(seen[good])
    yellow = index == colors.names.index("yellow")
    # up to three sticks may lie on it: what is left of the top is what counts
    return float(min(1.0, yellow.mean() / 0.45))


def _road(p: _Placed, name: str, column_ids: list[str], road_ids: list[str]) -> Road:
    rests = []
    for side in (0, 1):
        on, end = p.on_road[side], p.ends[side]
        rests.append(road_ids[on] if on is not None else column_ids[end] if end >= 0 else "table")
    return Road(
        id=name,
        ends=(tuple(map(float, p.road.a)), tuple(map(float, p.road.b))),
        sigma_xy=p.road.sigma_across,
        sigma_along=p.road.sigma_along,
        sigma_z=tolerances.RESTING_SIGMA_MM,
        rests_on=(rests[0], rests[1]),
    )


def _cars(
    plan: PlanView, pieces: Pieces, colors: Palette, roads: tuple[Road, ...], prior: Layout | None
) -> tuple[Car, ...]:
    found = [
        (road.id, car)
        for road in roads
        for car in cars_on(plan, pieces, colors, np.array(road.ends[0]), np.array(road.ends[1]))
    ]
    found = _one_road_each(found, roads)
    ids = _ids("k", [(car.x, car.y) for _, car in found], _old_places(prior, "cars"), 6.0)
    return tuple(
        Car(
            id=ids[k],
            x=car.x,
            y=car.y,
            z=car.z,
            heading_deg=car.heading_deg,
            player=car.player,
            player_probability=car.player_probability,
            type=car.type,
            type_probability=car.type_probability,
            sigma_xy=car.sigma_xy,
            on=road,
        )
        for k, (road, car) in enumerate(found)
    )


def _one_road_each(found: list, roads: tuple[Road, ...]) -> list:  # type: ignore[type-arg]
    """A car seen from two crossing roads stands on the upper one."""
    kept: list = []  # type: ignore[type-arg]
    for road, car in sorted(found, key=lambda pair: -pair[1].z):
        if all(np.hypot(car.x - other.x, car.y - other.y) > 8.0 for _, other in kept):
            kept.append((road, car))
    return kept


def _old_places(prior: Layout | None, kind: str) -> list[tuple[str, float, float]]:
    if prior is None:
        return []
    if kind == "roads":
        return [(r.id, (r.ends[0][0] + r.ends[1][0]) / 2, (r.ends[0][1] + r.ends[1][1]) / 2) for r in prior.roads]
    return [(piece.id, piece.x, piece.y) for piece in getattr(prior, kind)]


def _ids(
    letter: str, places: list[tuple[float, ...]], old: list[tuple[str, float, float]], within_mm: float
) -> list[str]:
    """Names for pieces at these places: the old one's where one stood there, else the next free number."""
    names: list[str | None] = [None] * len(places)
    pairs = sorted((float(np.hypot(x - p[0], y - p[1])), k, name) for k, p in enumerate(places) for name, x, y in old)
    taken: set[str] = set()
    for distance, k, name in pairs:
        if distance < within_mm and names[k] is None and name not in taken:
            names[k] = name
            taken.add(name)
    used = {name for name, _, _ in old}
    number = 1
    out = []
    for name in names:
        if name is None:
            while f"{letter}{number}" in used:
                number += 1
            name = f"{letter}{number}"
            used.add(name)
        out.append(name)
    return out
