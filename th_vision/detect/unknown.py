"""What stands or lies on the table and is none of the pieces: cups, phones, cards.

Two things give it away: height over what the pieces explain (or over wider areas than a piece can have), and, with
colour, an area of another hue than the empty table that no piece covers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray
from shapely import contains_xy
from shapely.geometry import LineString, Point, Polygon
from shapely.ops import unary_union

from rules.layout import CityObject, Layout, Unknown
from rules.pieces import Pieces
from th_vision import tolerances
from th_vision.detect.by_depth import put_cars
from th_vision.detect.colors import chroma
from th_vision.detect.depth_model import DepthModel, Post, typical_car
from th_vision.detect.depth_search import TABLE, Group, Guess, Lay
from th_vision.detect.plan import Image, PlanView, on_plane

Array = NDArray[np.float64]
Mask = NDArray[np.uint8]


def wide_areas(plan: PlanView) -> Mask:
    """(h, w) 1 where something raised is wider than any piece can look; native depth grid."""
    # foreign things are wide: half the grid's resolution does
    full = plan.height_mm.shape
    half = (full[1] // 2, full[0] // 2)
    px = plan.table.camera.depth.fx / plan.table.distance_mm / 2
    coarse = cv2.resize(np.nan_to_num(plan.height_mm), half, interpolation=cv2.INTER_AREA)
    height = cv2.GaussianBlur(coarse, (0, 0), tolerances.FOREIGN_SMOOTH_MM * px)
    low = _least_rise(plan)
    # between sticks that lie near each other the kernel leaves part of their height: that doesn't make them wide
    around = cv2.dilate(height, _disc(tolerances.FOREIGN_WIDTH_MM * px / 2))
    least = np.maximum(tolerances.FOREIGN_SHARE * (around - low / 2), low)
    raised = np.asarray(height > least, dtype=np.uint8)
    # the shadow to the left of a high thing and single pixels are not seen: they don't make it narrower
    closed = cv2.morphologyEx(raised, cv2.MORPH_CLOSE, _disc(tolerances.FOREIGN_CLOSE_MM * px / 2))
    core = _opened(np.asarray(closed, dtype=np.uint8), tolerances.FOREIGN_WIDTH_MM * px / 2)
    if not core.any():
        return np.zeros(full, np.uint8)
    contours, _ = cv2.findContours(core, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    for contour in contours:  # what is missing in a thing (no depth, noise) belongs to it
        cv2.fillConvexPoly(core, cv2.convexHull(contour), 1)
    grown = cv2.dilate(core, _disc((tolerances.FOREIGN_RIM_MM + 2 * tolerances.FOREIGN_SMOOTH_MM) * px))
    return np.asarray(cv2.resize(grown, full[::-1], interpolation=cv2.INTER_NEAREST), dtype=np.uint8)


def without(plan: PlanView, mask: Mask) -> PlanView:
    """The view with what is marked unseen."""
    return replace(plan, height_mm=np.where(mask > 0, np.float32(np.nan), plan.height_mm).astype(np.float32))


def unknown_things(
    plan: PlanView, pieces: Pieces, layout: Layout, wide: Mask, city: Sequence[CityObject] = ()
) -> tuple[Unknown, ...]:
    """All things that the pieces of a layout (and the ``city`` that is known to stand there) don't explain, largest
    first; ``wide``: the view's ``wide_areas``. Without colour cars are among them: whose they are can't be seen."""
    things = [*_raised(plan, pieces, layout, wide), *_other_hue(plan, pieces, layout)]
    things.sort(key=lambda thing: -Polygon(thing.outline).area)
    if plan.color is None:
        things += _cars(plan, pieces, layout)
    known = unary_union([Polygon(o.outline).buffer(tolerances.FOREIGN_RIM_MM) for o in city])
    kept: list[Unknown] = []
    for thing in things:
        shape = Polygon(thing.outline).buffer(0)
        if shape.intersection(known).area > 0.5 * shape.area:
            continue
        if all(shape.intersection(Polygon(other.outline).buffer(0)).area < 0.3 * shape.area for other in kept):
            kept.append(thing)
    return tuple(kept)


def clear_of(layout: Layout, plan: PlanView, mask: Mask) -> Layout:
    """The layout without columns and roads that were read into something wider than a piece."""
    if not mask.any():
        return layout

    def inside(points: Array) -> NDArray[np.bool_]:
        pixels = np.rint(plan.depth_pixels(points)).astype(int)
        height, width = mask.shape
        return np.asarray(
            mask[np.clip(pixels[:, 1], 0, height - 1), np.clip(pixels[:, 0], 0, width - 1)] > 0, dtype=np.bool_
        )

    gone = {c.id for c in layout.columns if inside(np.array([[c.x, c.y, c.top_z]]))[0]}
    share = np.linspace(0, 1, 21)[:, None]
    for road in layout.roads:
        a, b = np.array(road.ends[0]), np.array(road.ends[1])
        if gone & set(road.rests_on) or inside(a + share * (b - a)).mean() > tolerances.FOREIGN_ROAD_SHARE:
            gone.add(road.id)
    if not gone:
        return layout
    for _ in layout.roads:
        gone |= {road.id for road in layout.roads if gone & set(road.rests_on)}
    return layout.model_copy(
        update={
            "columns": tuple(c for c in layout.columns if c.id not in gone),
            "roads": tuple(r for r in layout.roads if r.id not in gone),
            "cars": tuple(k for k in layout.cars if k.on not in gone),
        }
    )


def guess_of(model: DepthModel, layout: Layout) -> Guess:
    """A layout as a guess, with its cars."""
    guess = Guess(model)
    pieces = model.pieces
    posts = {guess.new_key(): Post(column.x, column.y, column.levels) for column in layout.columns}
    lays = {}
    for road in layout.roads:
        a, b = np.array(road.ends[0]), np.array(road.ends[1])
        middle, way = (a + b) / 2, (b - a)[:2]
        unit = way / max(float(np.hypot(*way)), 1e-9)
        lift = (float(a[2] - pieces.stick.thickness), float(b[2] - pieces.stick.thickness))
        cars = tuple(float(np.array([k.x - middle[0], k.y - middle[1]]) @ unit) for k in layout.cars if k.on == road.id)
        angle = float(np.arctan2(unit[1], unit[0]))
        lay = Lay(float(middle[0]), float(middle[1]), angle, (TABLE, TABLE), lift, cars=cars)
        lays[guess.new_key()] = lay
    guess.put(Group(posts, lays))
    return guess


def _least_rise(plan: PlanView) -> float:
    """From which height on something flat is told from the noise of the table, mm."""
    noise = max(plan.view.free_table_sd_px, tolerances.FIXED_PATTERN_PX) * float(np.median(plan.mm_per_px))
    return float(max(tolerances.FOREIGN_FLAT_MM, tolerances.FOREIGN_FLAT_SIGMAS * noise))


def _disc(radius_px: float) -> Mask:
    size = 2 * max(1, round(radius_px)) + 1
    return np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size)), dtype=np.uint8)


def _opened(mask: Mask, radius_px: float) -> Mask:
    return np.asarray(cv2.morphologyEx(mask, cv2.MORPH_OPEN, _disc(radius_px)), dtype=np.uint8)


def _raised(plan: PlanView, pieces: Pieces, layout: Layout, wide: Mask) -> list[Unknown]:
    """Things whose height no piece explains."""
    model = DepthModel(plan, pieces)
    height, width = model.shape
    hard = guess_of(model, layout).others((0, 0, width, height), ())
    expected = _native(plan, model, model.shown(hard, model.mm_per_px))
    px = plan.table.camera.depth.fx / plan.table.distance_mm
    # the ragged rim of a piece may be anywhere within its reach
    slack = np.asarray(cv2.dilate(expected, _disc(tolerances.FOREIGN_RIM_MM * px)), dtype=np.float32)
    tall = np.asarray(plan.height_mm - slack > tolerances.FOREIGN_TALL_MM, dtype=np.uint8)
    tall = np.asarray(
        cv2.morphologyEx(tall, cv2.MORPH_OPEN, _disc(tolerances.FOREIGN_THIN_MM * px / 2)), dtype=np.uint8
    )
    covered = np.asarray(expected > tolerances.FOREIGN_FLAT_MM, dtype=np.bool_)
    both = np.asarray((tall > 0) | (wide > 0), dtype=np.uint8)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(both)
    out = []
    for label in range(1, count):
        part = labels == label
        area = stats[label, cv2.CC_STAT_AREA] / px**2
        if area < tolerances.FOREIGN_AREA_MM2 or (covered & part).sum() > 0.5 * part.sum():
            continue
        seen = plan.height_mm[part]
        seen = seen[np.isfinite(seen)]
        if len(seen) < 0.2 * part.sum():
            continue
        top = float(np.percentile(seen, 80))
        if top < _least_rise(plan):
            continue
        outline = _outline(plan, part & ~(plan.height_mm < top / 3), top)
        if outline is not None:
            out.append(Unknown(outline=outline, height=top))
    return out


def _native(plan: PlanView, model: DepthModel, image: Image) -> Image:
    """An image on the model's grid brought to native depth pixels."""
    height, width = plan.height_mm.shape
    cells = (model.shape[1] * model.step, model.shape[0] * model.step)
    fine = cv2.resize(image, cells, interpolation=cv2.INTER_LINEAR)
    fine = cv2.copyMakeBorder(fine, 0, height - cells[1], 0, width - cells[0], cv2.BORDER_REPLICATE)
    return np.asarray(fine, dtype=np.float32)


def _cars(plan: PlanView, pieces: Pieces, layout: Layout) -> list[Unknown]:
    """Cars that depth alone shows on roads: where and how high, not whose."""
    guess = guess_of(DepthModel(plan, pieces), layout)
    put_cars(guess)
    out = []
    box = typical_car(pieces)
    for lay in guess.lays.values():
        if not lay.cars:
            continue
        beam = guess.beam(lay)
        along = beam.unit()
        left = np.array([-along[1], along[0]])
        run = beam.run(pieces.stick.length)
        for at in lay.cars:
            middle = np.array([lay.x, lay.y]) + at * along
            corners = [middle + p * box.length / 2 * along + q * box.width / 2 * left for p, q in _CORNERS]
            top = beam.za + (at / run + 0.5) * (beam.zb - beam.za) + box.height
            out.append(Unknown(outline=tuple((float(x), float(y)) for x, y in corners), height=float(top)))
    return out


_CORNERS = ((-1, -1), (1, -1), (1, 1), (-1, 1))


def _outline(plan: PlanView, part: NDArray[np.bool_], z_mm: float) -> tuple[tuple[float, float], ...] | None:
    """Plan outline of marked native pixels at a height; large steps are fattened, so that is taken off."""
    scale = plan.table.camera.kernel_scale * plan.softness
    step = z_mm / plan.usual_mm_per_px
    mask = part.astype(np.uint8)
    mask = np.asarray(cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8)), dtype=np.uint8)
    if step > tolerances.SPLIT_STEP_PX:
        size = (2 * round(tolerances.FATTENING_U_PX * scale) + 1, 2 * round(tolerances.FATTENING_V_PX * scale) + 1)
        thin = cv2.erode(mask, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, size))
        mask = np.asarray(thin, dtype=np.uint8) if thin.any() else mask
    contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    contours = [contour for contour in contours if len(contour) >= 3]
    if not contours:
        return None
    largest = max(contours, key=cv2.contourArea)
    corners = cv2.approxPolyDP(cv2.convexHull(largest), 1.5, True)[:, 0].astype(np.float64)
    if len(corners) < 3:
        return None
    points = on_plane(plan.table.camera.depth, plan.table.T_depth_table, corners, z_mm)
    return tuple((float(x), float(y)) for x, y, _ in points)


def _other_hue(plan: PlanView, pieces: Pieces, layout: Layout) -> list[Unknown]:
    """Flat things: areas whose hue (or brightness, beyond what shadows do) is not the empty table's."""
    if plan.bare_view is None:
        return []
    pitch = tolerances.FOREIGN_PITCH_MM
    before = plan.bare_view.color_plane(0.0, pitch)
    now = plan.color_plane(0.0, pitch)
    seen = np.isfinite(now).all(axis=-1) & np.isfinite(before).all(axis=-1)
    smooth, smooth_before = (
        np.asarray(cv2.GaussianBlur(np.nan_to_num(image), (0, 0), 1.0), dtype=np.float32) for image in (now, before)
    )
    hue = np.linalg.norm(chroma(smooth) - chroma(smooth_before), axis=-1) > tolerances.FOREIGN_HUE
    ratio = smooth.sum(axis=-1) / np.maximum(smooth_before.sum(axis=-1), 12.0)
    light = (ratio < tolerances.FOREIGN_DARK) | (ratio > tolerances.FOREIGN_BRIGHT)
    new = np.asarray((hue | light) & seen, dtype=np.uint8)
    if new.sum() > 0.5 * max(int(seen.sum()), 1):
        return []  # another light or a moved camera: colour says nothing
    xs, ys = plan.field.grid(pitch)
    gx, gy = np.meshgrid(xs, ys)
    hidden = covered(plan, pieces, layout)
    if not hidden.is_empty:
        v, u = np.nonzero(new)
        new[v, u] = ~contains_xy(hidden, gx[v, u], gy[v, u])
    closed = cv2.morphologyEx(new, cv2.MORPH_CLOSE, _disc(tolerances.FOREIGN_CLOSE_MM / 2 / pitch))
    core = _opened(np.asarray(closed, dtype=np.uint8), tolerances.FOREIGN_WIDTH_MM / 2 / pitch)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(core)
    out = []
    for label in range(1, count):
        if stats[label, cv2.CC_STAT_AREA] * pitch**2 < tolerances.FOREIGN_FLAT_AREA_MM2:
            continue
        contours, _ = cv2.findContours((labels == label).astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
        hull = cv2.approxPolyDP(cv2.convexHull(max(contours, key=cv2.contourArea)), 1.0, True)[:, 0]
        if len(hull) < 3:
            continue
        part = labels == label
        heights = plan.heights(np.stack([gx[part], gy[part], np.zeros(int(part.sum()))], axis=-1))
        heights = heights[np.isfinite(heights)]
        height = float(np.median(heights)) if len(heights) else 0.0
        outline = tuple((float(xs[0] + u * pitch), float(ys[0] + v * pitch)) for u, v in hull)
        out.append(Unknown(outline=outline, height=max(height, 0.0)))
    return out


def covered(plan: PlanView, pieces: Pieces, layout: Layout) -> Polygon:
    """Where on the table plane the colour camera sees pieces, with some room (their sides, blur, shadows' rims)."""
    eye = np.linalg.inv(plan.table.T_color_table)[:3, 3]

    def down(x: float, y: float, z: float) -> tuple[float, float]:
        share = z / max(eye[2] - z, 1.0)
        return float(x + (x - eye[0]) * share), float(y + (y - eye[1]) * share)

    room = tolerances.FOREIGN_ROOM_MM
    shapes = []
    for c in layout.columns:
        foot, top = (c.x, c.y), down(c.x, c.y, c.top_z)
        line = LineString([foot, top]) if foot != top else Point(foot)
        shapes.append(line.buffer(pieces.disc.radius + room))
    for r in layout.roads:
        shapes.append(LineString([down(*end) for end in r.ends]).buffer(pieces.stick.width / 2 + room))
    for k in layout.cars:
        box = max(pieces.cars.values(), key=lambda box: box.length, default=None)
        reach = (box.length if box else 16.0) / 2
        shapes.append(Point(down(k.x, k.y, k.z + (box.height if box else 7.0))).buffer(reach + room))
    for o in layout.city:
        foot = Polygon(o.outline)
        roof = Polygon([down(x, y, o.height) for x, y in o.outline])
        shapes.append(unary_union([foot, roof]).convex_hull.buffer(room))
    return unary_union(shapes) if shapes else Polygon()
