"""The last step of seeing: heights by resting, junctions, cars, ids and sigmas; a layout comes out."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, replace
from itertools import count

import numpy as np
from numpy.typing import NDArray
from shapely import contains_xy

from rules.layout import Car, Column, Layout, Road
from rules.pieces import Pieces
from th_vision import tolerances
from th_vision.detect.assembly import NOTHING, Assembly, FoundRoad, Measured
from th_vision.detect.cars import cars_on, one_road_each, others_than
from th_vision.detect.colors import Palette, palette
from th_vision.detect.columns import ColumnCandidate
from th_vision.detect.measure import Line, MeasuredRoad, measure_roads, plan_tangent, stick_color
from th_vision.detect.plan import PlanView
from th_vision.detect.resting import Lying, outline, rest, touch
from th_vision.detect.stacking import neighbours, stack, tops_under
from th_vision.detect.tips import Around
from th_vision.detect.witnesses import doubted
from th_vision.support import on_ray

Array = NDArray[np.float64]
TOP_PITCH_MM, TOP_RIM_MM = 0.5, 1.2
"""How closely a column's top is asked for its colour, and how far from rims, which are blurred."""


@dataclass(frozen=True)
class _Placed:
    """A road in its final place with what each end lies on: a column's index (-1: table), or a road's index."""

    road: MeasuredRoad
    ends: tuple[int, int]
    on_road: tuple[int | None, int | None]
    sigma_z: float


def finish(
    plan: PlanView, pieces: Pieces, assembly: Assembly, prior: Layout | None, kept: Measured = NOTHING
) -> tuple[Layout, Measured]:
    """The layout of an assembly, and how its columns and roads were measured: ids as in ``prior`` where a piece is the
    same. ``kept``: pieces that look as they did."""
    there = {id(road) for road in kept.roads.values()}
    as_read = {k for k, found in enumerate(assembly.roads) if id(found.road) in there}
    placed = _place_roads(plan, pieces, assembly, as_read)
    colors = palette(pieces, stick_color(plan, pieces, [p.road for p in placed]))
    column_ids = _ids("c", [(c.x, c.y) for c in assembly.columns], _old_places(prior, "columns"), pieces.disc.radius)
    middles = [tuple((p.road.a[:2] + p.road.b[:2]) / 2) for p in placed]
    road_ids = _ids("r", middles, _old_places(prior, "roads"), pieces.stick.width)
    before_columns = {column.id: column for column in prior.columns} if prior is not None else {}
    columns = tuple(
        _column(
            plan, pieces, colors, candidate, column_ids[k], [p.road for p in placed], before_columns.get(column_ids[k])
        )
        for k, candidate in enumerate(assembly.columns)
    )
    before = {road.id: road for road in prior.roads} if prior is not None else {}
    roads = tuple(
        _road(p, name, column_ids, road_ids, before.get(name)) for p, name in zip(placed, road_ids, strict=True)
    )
    roads = doubted(plan, pieces, roads, frozenset(before))
    cars = _cars(plan, pieces, colors, roads, prior, kept.roads.keys())
    measured = Measured(
        dict(zip(column_ids, assembly.columns, strict=True)),
        {name: p.road for name, p in zip(road_ids, placed, strict=True)},
    )
    return Layout(columns=columns, roads=roads, cars=cars), measured


def _place_roads(plan: PlanView, pieces: Pieces, assembly: Assembly, as_read: set[int]) -> list[_Placed]:
    """Measure every road again at its resting height, with the outlines of those above it left out; those ``as_read``
    (by their places) lie where they lay."""
    stacking = stack(plan, pieces, assembly, as_read)
    order, doubtful = stacking.order, stacking.doubtful
    place = {k: position for position, k in enumerate(order)}
    lying: dict[int, Lying] = {}
    placed: dict[int, _Placed] = {}
    for layer in _layers(assembly, order):
        under: dict[int, tuple[list[int], list[tuple[float, float, float]]]] = {}
        lines: dict[int, Line] = {}
        resting: dict[int, MeasuredRoad] = {}
        lies: dict[int, Lying] = {}
        for k in as_read.intersection(layer):
            road = assembly.roads[k].road
            lying[k] = Lying(road.a[:2], road.b[:2], float(road.a[2]), float(road.b[2]))
            placed[k] = _Placed(road, assembly.roads[k].ends, (None, None), _height_sigma(0.0))
        todo = [k for k in layer if k not in as_read]
        for k in todo:
            found = assembly.roads[k]
            near = neighbours(assembly, k)
            below = [m for m in near if m in lying]
            above = [assembly.roads[m] for m in near if place[m] > place[k] or frozenset((k, m)) in doubtful]
            under[k] = below, tops_under(pieces, assembly, k)
            at = rest(pieces, found.road.a[:2], found.road.b[:2], under[k][1], [lying[m] for m in below])
            resting[k], lies[k] = found.road, at
            za, zb = _looked_for_at(pieces, assembly, k, at)
            if plan.color is not None and not _as_before(assembly, k, above, za, zb):
                resting[k] = _at_heights(plan, found.road, za, zb)
                lines[k] = _line(
                    assembly, k, resting[k], above, [lying[m] for m in below if frozenset((k, m)) not in doubtful]
                )
        measured = dict(zip(lines, measure_roads(plan, pieces, list(lines.values())), strict=True))
        for k in todo:
            road, (below, tops) = resting[k], under[k]
            if k in measured:
                road = _tips_kept(assembly.roads[k], road, measured[k])
                lies[k] = rest(pieces, road.a[:2], road.b[:2], tops, [lying[m] for m in below])
            road = _at_heights(plan, road, lies[k].za, lies[k].zb)
            lying[k] = replace(lies[k], a=road.a[:2], b=road.b[:2])
            on_road = (
                _lies_on(pieces, assembly, k, 0, road, below, lying),
                _lies_on(pieces, assembly, k, 1, road, below, lying),
            )
            open_mm = float(np.hypot(stacking.open_mm[k], falls_mm(pieces, assembly, k, lies[k])))
            placed[k] = _Placed(road, assembly.roads[k].ends, on_road, _height_sigma(open_mm))
    return [placed[k] for k in range(len(assembly.roads))]


def _layers(assembly: Assembly, order: list[int]) -> list[list[int]]:
    """Roads that don't touch each other's columns together, each after all its neighbours that come before it."""
    depth: dict[int, int] = {}
    for k in order:
        depth[k] = 1 + max((depth[m] for m in neighbours(assembly, k) if m in depth), default=-1)
    return [[k for k in order if depth[k] == layer] for layer in range(max(depth.values(), default=-1) + 1)]


def _looked_for_at(pieces: Pieces, assembly: Assembly, k: int, at: Lying) -> tuple[float, float]:
    """Heights of road k's tips at which it is measured again: as it rests, or, where an end was first seen so far off
    its column that it would fall down beside it, as it was measured: a wrong slope would make the stick too short."""
    found = assembly.roads[k]
    return (float(found.road.a[2]), float(found.road.b[2])) if falls_mm(pieces, assembly, k, at) else (at.za, at.zb)


def falls_mm(pieces: Pieces, assembly: Assembly, k: int, at: Lying) -> float:
    """By how much an end of road k lies below the column that is to carry it, where that is half a disc or more: then
    nothing carries it where it was seen, and its heights are not known better than that. Else 0."""
    ends = zip(assembly.roads[k].ends, (at.za, at.zb), strict=True)
    below = [assembly.columns[end].levels * pieces.disc.height - z for end, z in ends if end >= 0]
    return max((mm for mm in below if mm > pieces.disc.height / 2), default=0.0)


def _as_before(assembly: Assembly, k: int, above: list[FoundRoad], za: float, zb: float) -> bool:
    """Whether road k is a known one that lies where it was measured, under no new road."""
    found = assembly.roads[k]
    if found.age == FoundRoad.age or any(other.age == FoundRoad.age for other in above):
        return False
    return bool(max(abs(za - found.road.a[2]), abs(zb - found.road.b[2])) <= tolerances.KNOWN_HEIGHT_MM)


def _line(assembly: Assembly, k: int, road: MeasuredRoad, above: list[FoundRoad], below: list[Lying]) -> Line:
    """Where road k is to be measured once more, at its resting height."""
    columns = assembly.columns
    centers = [np.array([columns[end].x, columns[end].y]) if end >= 0 else None for end in assembly.roads[k].ends]
    others = tuple((other.road.a, other.road.b) for other in above)
    lower = tuple((np.array([*at.a, at.za]), np.array([*at.b, at.zb])) for at in below)
    return Line(road.a, road.b, Around((centers[0], centers[1]), others, lower), known=True)


def _tips_kept(found: FoundRoad, road: MeasuredRoad, measured: MeasuredRoad) -> MeasuredRoad:
    """A road as measured again; hidden tips of a known road stay where they were."""
    if found.age < FoundRoad.age and measured.sigma_along > road.sigma_along:
        return replace(measured, a=road.a, b=road.b, sigma_along=road.sigma_along)
    return measured


def _height_sigma(open_mm: float) -> float:
    """Sigma of a tip's height: by resting, and by what other orders of the ends on its columns would change."""
    return float(np.hypot(tolerances.RESTING_SIGMA_MM, open_mm))


def _at_heights(plan: PlanView, road: MeasuredRoad, za: float, zb: float) -> MeasuredRoad:
    """The road with other heights at its tips: seen on the same rays of the colour camera, so moved in plan."""
    eye = np.linalg.inv(plan.table.T_color_table if plan.color is not None else plan.table.T_depth_table)[:3, 3]
    a, b = (np.array([*on_ray(eye, tip, z), z]) for tip, z in ((road.a, za), (road.b, zb)))
    return replace(road, a=a, b=b)


def _lies_on(
    pieces: Pieces,
    assembly: Assembly,
    k: int,
    side: int,
    road: MeasuredRoad,
    below: list[int],
    lying: dict[int, Lying],
) -> int | None:
    """The topmost road below this end that it overlaps in plan; None: it lies on the column or table itself."""
    end = assembly.roads[k].ends[side]
    if end < 0:
        return None
    on = [
        (lying[m].top_at(road.a[None, :2] if side == 0 else road.b[None, :2])[0], m)
        for m in below
        if end in assembly.roads[m].ends and touch(pieces, (road.a[:2], road.b[:2]), (lying[m].a, lying[m].b))
    ]
    return max(on)[1] if on else None


def _column(
    plan: PlanView,
    pieces: Pieces,
    colors: Palette,
    c: ColumnCandidate,
    name: str,
    roads: list[MeasuredRoad],
    before: Column | None,
) -> Column:
    """``before``: what was known of it; its top was seen best when less lay on it."""
    z = c.levels * pieces.disc.height
    rim = 0.0 if np.isnan(c.rim) else c.rim
    sigma_rim = tolerances.RIM_SIGMA_MM / max(rim, 0.12) if np.isnan(c.sigma_xy) else c.sigma_xy
    sigma_z = tolerances.DISC_HEIGHT_SIGMA_MM * float(np.sqrt(c.levels)) + tolerances.TOP_SIGMA_MM
    tangent = plan_tangent(plan, np.array([c.x, c.y, z]))
    # a top whose place is unsure has shown another place's colour
    sure = min(1.0, tolerances.JUNCTION_PLACE_MM / sigma_rim)
    known = before is not None and before.levels == c.levels and plan.color is not None
    if before is not None and known and before.junction_probability >= tolerances.JUNCTION_SURE:
        junction, junction_probability = before.junction, before.junction_probability
    else:
        yellow, seen_mm2 = _yellow_share(plan, pieces, colors, c, roads)
        margin = min(1.0, abs(yellow - tolerances.JUNCTION_YELLOW) / tolerances.JUNCTION_CLEAR)
        sure *= min(1.0, seen_mm2 / tolerances.JUNCTION_SEEN_MM2)
        junction = yellow > tolerances.JUNCTION_YELLOW
        junction_probability = 0.5 + 0.499 * margin * sure if plan.color is not None else 0.5
    return Column(
        id=name,
        x=c.x,
        y=c.y,
        levels=c.levels,
        junction=junction,
        top_z=z,
        sigma_xy=float(np.hypot(sigma_rim, sigma_z * tangent)),
        sigma_z=sigma_z,
        levels_probability=0.5 if np.isnan(c.levels_probability) else c.levels_probability,
        junction_probability=junction_probability,
    )


def _yellow_share(
    plan: PlanView, pieces: Pieces, colors: Palette, c: ColumnCandidate, roads: list[MeasuredRoad]
) -> tuple[float, float]:
    """Share of what is seen of a column's top beside the sticks that is yellow, and how much that is, mm2."""
    if plan.color is None:
        return 0.0, 0.0
    radius = pieces.disc.radius
    z = c.levels * pieces.disc.height
    axis = np.arange(-radius, radius + TOP_PITCH_MM, TOP_PITCH_MM)
    gx, gy = np.meshgrid(axis, axis)
    points = np.stack([c.x + gx, c.y + gy, np.full_like(gx, z)], axis=-1)[np.hypot(gx, gy) < radius - TOP_RIM_MM]
    for road in roads:
        # where the camera sees the road on this top
        a, b = (on_ray(plan.eye, tip, z) for tip in (road.a, road.b))
        if max(road.a[2], road.b[2]) > z and _near_line(a, b, (c.x, c.y)) < radius + pieces.stick.width:
            shape = outline(pieces, a, b).buffer(TOP_RIM_MM)
            points = points[~contains_xy(shape, points[:, 0], points[:, 1])]
    seen = plan.colors(points)
    seen = seen[np.isfinite(seen).all(axis=1)]
    if not len(seen):
        return 0.0, 0.0
    index, _ = colors.nearest(seen)
    yellow = index == colors.names.index("yellow")
    return float(yellow.mean()), len(seen) * TOP_PITCH_MM**2


def _near_line(a: Array, b: Array, point: tuple[float, float]) -> float:
    """Distance of a plan point from the line between two others (2,)."""
    way = b - a
    share = float(np.clip((np.array(point) - a) @ way / max(float(way @ way), 1e-9), 0, 1))
    return float(np.hypot(*(a + share * way - point)))


def _road(p: _Placed, name: str, column_ids: list[str], road_ids: list[str], before: Road | None) -> Road:
    """``before``: the same road as it was known; what it rests on is taken from there, and what was open of it is open
    still."""
    rests = []
    for side in (0, 1):
        on, end = p.on_road[side], p.ends[side]
        rests.append(road_ids[on] if on is not None else column_ids[end] if end >= 0 else "table")
    return Road(
        id=name,
        ends=(_point(p.road.a), _point(p.road.b)),
        sigma_xy=p.road.sigma_across,
        sigma_along=p.road.sigma_along,
        sigma_z=max(p.sigma_z, before.sigma_z) if before is not None and before.rests_on == tuple(rests) else p.sigma_z,
        rests_on=(rests[0], rests[1]),
    )


def _point(tip: Array) -> tuple[float, float, float]:
    return float(tip[0]), float(tip[1]), float(tip[2])


def _cars(
    plan: PlanView, pieces: Pieces, colors: Palette, roads: tuple[Road, ...], prior: Layout | None, kept: Set[str]
) -> tuple[Car, ...]:
    """``kept``: ids of roads that look as they did, and the cars on them do."""
    found = [
        (road.id, car)
        for road in roads
        if road.id not in kept
        for car in cars_on(plan, pieces, colors, np.array(road.ends[0]), np.array(road.ends[1]))
    ]
    if prior is not None and kept:
        found = others_than(plan, pieces, found, [car for car in prior.cars if car.on in kept])
    found = one_road_each(plan, pieces, found)
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
    free = (f"{letter}{number}" for number in count(1) if f"{letter}{number}" not in used)
    return [next(free) if name is None else name for name in names]
