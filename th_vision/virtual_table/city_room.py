"""Room between what is built and the city: where columns may stand, offramps end and roads pass. Table frame, mm.

Sketches are looked at all at once and a little too strictly (solids as circles, arches as rows of posts); a build is
looked at exactly.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from shapely.geometry import Point, Polygon

from rules.outlines import crown
from th_vision.virtual_table.physics import disc_outline, prism_clearance, top_height, top_outline, under_outline
from th_vision.virtual_table.scene import CityBody, ColumnBody, Point2, StickBody

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

SOLID = ("building", "tower")
LANDINGS = ("development_area", "airport_area", "green_area", "amusement_park")
ENDS_INSIDE_MM = 9.0  # an offramp's tip lies so deep inside an area: its whole round end is on the card
LEG_MM = 10.0  # how wide a leg of the rainbow is, outwards from its foot
ARCH_STEPS = 24


@dataclass(frozen=True)
class Solid:
    """Something upright that no road may touch: its outline, its foot and its top over the table."""

    id: str
    outline: tuple[Point2, ...]
    low: float
    top: float


def solids(city: Sequence[CityBody]) -> list[Solid]:
    """Buildings, the tower, and what stands on areas. The pagoda's area as a whole: no road may cross it."""
    found: list[Solid] = []
    for body in city:
        if body.kind in SOLID:
            found.append(Solid(body.id, body.outline, body.base_z, body.top_z))
        elif body.kind == "asakusa":
            found.append(Solid(body.id, body.outline, 0.0, math.inf))
        else:
            found += [Solid(body.id, t.outline, body.top_z, body.top_z + t.size.height) for t in body.things]
    return found


def depth_inside(outline: Sequence[Point2], points: Array) -> Array:
    """How deep (n,) plan points (n, 2) lie in a convex outline, mm; negative outside: at most the distance."""
    corners = np.asarray(outline, dtype=np.float64)
    edge = np.roll(corners, -1, axis=0) - corners
    inward = np.stack([-edge[:, 1], edge[:, 0]], axis=1) / np.linalg.norm(edge, axis=1)[:, None]
    if np.sum(corners[:, 0] * np.roll(corners[:, 1], -1) - corners[:, 1] * np.roll(corners[:, 0], -1)) < 0:
        inward = -inward
    depths = np.einsum("nkc,kc->nk", points[:, None] - corners[None], inward)
    return np.asarray(np.min(depths, axis=1), dtype=np.float64)


def ground_at(city: Sequence[CityBody], x: float, y: float) -> tuple[str, float]:
    """What a column with its middle at (x, y) stands on: a development area or the table, and how high that is."""
    for body in city:
        if body.kind == "development_area" and depth_inside(body.outline, np.array([[x, y]]))[0] > 0:
            return body.id, body.top_z
    return "table", 0.0


def ground_heights(city: Sequence[CityBody], points: Array) -> Array:
    """Height (n,) of the cards under plan points (n, 2), 0 on the table; mm."""
    heights = np.zeros(len(points))
    for body in city:
        if body.kind not in SOLID:
            heights = np.where(depth_inside(body.outline, points) > 0, body.top_z, heights)
    return heights


def landing_at(city: Sequence[CityBody], x: float, y: float) -> CityBody | None:
    """The area under an offramp's tip, None for the table."""
    cards = [body for body in city if body.kind not in SOLID]
    return next((body for body in cards if depth_inside(body.outline, np.array([[x, y]]))[0] > 0), None)


def columns_fit(city: Sequence[CityBody], columns: Array, room_mm: float) -> Flags:
    """Whether discs whose radius and margin make up ``room_mm`` may stand at plan points (n, 2)."""
    fit = np.ones(len(columns), dtype=bool)
    for body in city:
        depth = depth_inside(body.outline, columns)
        outside = -depth >= room_mm
        fit &= outside | (depth >= room_mm) if body.kind == "development_area" else outside
    return fit


def tips_fit(city: Sequence[CityBody], tips: Array, margin_mm: float) -> Flags:
    """Whether offramps may end at plan points (n, 2): on an area where they may, or beside every area."""
    fit = np.ones(len(tips), dtype=bool)
    for body in city:
        depth = depth_inside(body.outline, tips)
        outside = -depth >= margin_mm
        fit &= outside | (depth >= ENDS_INSIDE_MM + margin_mm) if body.kind in LANDINGS else outside
    return fit


def roads_clear(
    city: Sequence[CityBody], a: Array, b: Array, z: tuple[Array, Array], half_width: float, plan: float, gap: float
) -> Flags:
    """Whether roads with centre lines a-b (n, 2) and tops ``z`` at either end stay clear of all that stands there."""
    from th_vision.virtual_table.candidates import segment_point_distance

    clear = np.ones(len(a), dtype=bool)
    lowest = np.minimum(*z) - 2 * half_width
    for solid in solids(city):
        corners = np.asarray(solid.outline)
        middle = corners.mean(axis=0)
        reach = float(np.linalg.norm(corners - middle, axis=1).max()) + half_width + plan
        beside = segment_point_distance(a, b, middle[None])[:, 0] >= reach
        clear &= beside | (lowest >= solid.top + gap)
    for body in city:
        if body.arch is None or body.arch_height is None:
            continue
        share = (np.arange(ARCH_STEPS + 1)) / ARCH_STEPS
        feet = np.asarray(body.arch)
        under = np.array([crown(body.arch_height, float(t)) for t in share])
        posts = feet[0] + share[:, None] * (feet[1] - feet[0])
        beside = segment_point_distance(a, b, posts) >= half_width + plan + LEG_MM
        clear &= np.all(beside | (np.maximum(*z)[:, None] + gap <= under[None]), axis=1)
    return clear


# --- one build, exactly -----------------------------------------------------------------------------------------------


def column_trouble(city: Sequence[CityBody], column: ColumnBody, margin_mm: float) -> str | None:
    """Why a column can't stand where it does; None where it may."""
    for body in city:
        outline = Polygon(body.outline)
        for disc in column.discs:
            circle = disc_outline(disc.x, disc.y, disc.diameter)
            apart = circle.distance(outline)
            if body.kind == "development_area" and column.on == body.id:
                inside = outline.exterior.distance(circle) if outline.contains(circle) else 0.0
                if inside < margin_mm:
                    return f"{column.id} over the edge of {body.id}"
            elif apart < margin_mm and not (body.kind == "development_area" and outline.contains(circle)):
                return f"{column.id} too near to {body.id}"
    return None


def road_trouble(city: Sequence[CityBody], stick: StickBody, plan: float, gap: float) -> str | None:
    """Why a road can't lie where it does; None where it may."""
    for solid in solids(city):
        room = prism_clearance(stick, Polygon(solid.outline), solid.low, solid.top)
        if room.gap_mm is None and room.plan_mm < plan:
            return f"too near to {solid.id}"
        if room.gap_mm is not None and not (room.over and room.gap_mm >= gap):
            return f"in the way: {solid.id}"
    for body in city:
        room_mm = arch_room(body, stick)
        if room_mm is not None and room_mm < gap:
            return f"too near to the arch of {body.id}"
    return None


def arch_room(body: CityBody, stick: StickBody) -> float | None:
    """How far below the rainbow a stick's top stays, mm; None where it passes beside it; negative: it runs into it."""
    if body.arch is None or body.arch_height is None:
        return None
    feet = np.asarray(body.arch)
    share = np.linspace(0, 1, 4 * ARCH_STEPS + 1)
    posts = feet[0] + share[:, None] * (feet[1] - feet[0])
    outline = top_outline(stick).union(under_outline(stick))
    legs = [Point(foot).buffer(LEG_MM) for foot in feet]
    if any(outline.intersects(leg) for leg in legs):
        return -math.inf
    under = [k for k, post in enumerate(posts) if outline.covers(Point(post))]
    if not under:
        return None
    tops = top_height(stick, posts[under])
    crowns = np.array([crown(body.arch_height, float(share[k])) for k in under])
    return float(np.min(crowns - tops))
