"""What stands up in the city: buildings and the tower, what stands on cards, the rainbow's arch; by depth, their
outlines by colour.

Depth shows them too wide and aside (fattening, and the sensor's window), but as high as they are. So depth says where
something stands that has a building's height and is wider than any column, and colour at the height of its roof where
its outline is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray
from shapely import contains_xy
from shapely.geometry import MultiPoint, Point, Polygon

from rules.layout import Obstacle
from rules.pieces import Box, Pieces
from th_vision import tolerances
from th_vision.detect.city_maps import city_maps, solids_of
from th_vision.detect.city_rims import Laid, corners_of, settled
from th_vision.detect.plan import Field, PlanView

Array = NDArray[np.float64]
Mask = NDArray[np.uint8]


@dataclass(frozen=True)
class Stood:
    """A thing of a kind that stands on the table or on a card: outline (4, 2) mm, height over what it stands on, and
    their sigmas; how probable the kind is."""

    kind: str
    corners: Array
    height: float
    sigma_xy: float
    sigma_z: float
    probability: float


def risen(plan: PlanView, above_mm: float) -> Iterator[Array]:
    """Connected parts of the view that rise above a height: their table points (n, 3), mm."""
    with np.errstate(invalid="ignore"):
        mask = np.asarray(plan.height_mm > above_mm, dtype=np.uint8)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(mask)
    px = plan.table.camera.depth.fx / plan.table.distance_mm
    for k in range(1, count):
        if stats[k, cv2.CC_STAT_AREA] < tolerances.CITY_PART_MM2 * px**2:
            continue
        u0, v0, w, h = (int(stats[k, i]) for i in range(4))
        v, u = np.nonzero(labels[v0 : v0 + h, u0 : u0 + w] == k)
        yield points_of(plan, np.stack([u + u0, v + v0], axis=1))


def points_of(plan: PlanView, pixels: NDArray[np.intp]) -> Array:
    """(n, 3) table points that native pixels (n, 2) show, mm."""
    table = plan.table
    origin = table.T_table_depth[:3, 3]
    rays = table.camera.depth.rays(pixels.astype(np.float64)) @ table.T_table_depth[:3, :3].T
    scale = (plan.height_mm[pixels[:, 1], pixels[:, 0]] - origin[2]) / rays[:, 2]
    return np.asarray(origin + rays * scale[:, None], dtype=np.float64)


def fattening_mm(plan: PlanView, z_mm: float) -> float:
    """How much further out depth shows the rim of something high, mm."""
    camera = plan.table.camera
    mean_px = (tolerances.FATTENING_U_PX + tolerances.FATTENING_V_PX) / 2 * camera.kernel_scale * plan.softness
    return float(mean_px * (plan.table.distance_mm - z_mm) / camera.depth.fx)


def find_solids(
    plan: PlanView, pieces: Pieces, cards: Sequence[tuple[Polygon, float]], elsewhere: Sequence[Polygon] = ()
) -> list[Stood]:
    """The buildings and towers of a view. ``cards``: outlines and heights of what they may stand on; ``elsewhere``:
    outlines of cards on which no tower stands."""
    found = [_building(plan, pieces, cards, block) for block in blocks(plan, pieces)]
    box = solids_of(pieces).get("tower")
    if box is None:
        return found
    for points in risen(plan, tolerances.CITY_SOLID_SHARE * box.height):
        middle = Point(*np.median(points[:, :2], axis=0))
        if any(outline.buffer(tolerances.CITY_ARCH_OUT_MM).covers(middle) for outline in elsewhere):
            continue
        if any(Polygon(one.corners).buffer(tolerances.CITY_SOLID_SLACK_MM).covers(middle) for one in found):
            continue
        tower = _tower(plan, pieces, box, points, cards)
        if tower is not None:
            found.append(tower)
    return found


def _base(x: float, y: float, cards: Sequence[tuple[Polygon, float]]) -> float:
    """Height of the card under a place, 0 on the table."""
    return max((height for outline, height in cards if outline.covers(Point(x, y))), default=0.0)


@dataclass(frozen=True)
class Block:
    """Something with a building's height and size by depth: ``pose`` (x, y, turn), heights of its top, and of the part
    of its roof that lies about its middle, over the table, mm."""

    pose: Array
    top_mm: float
    roof_mm: float


def blocks(plan: PlanView, pieces: Pieces) -> list[Block]:
    """Blocks with a flat roof, as high as a building, wider than a column, their corners filled."""
    box = pieces.city.get("building")
    if box is None:
        return []
    found = (_as_block(plan, pieces, box, points) for points in risen(plan, tolerances.CITY_ROOF_SHARE * box.height))
    return [block for block in found if block is not None]


def _as_block(plan: PlanView, pieces: Pieces, box: Box, points: Array) -> Block | None:
    top = float(np.quantile(points[:, 2], 0.9))
    shape = _block(plan, points[points[:, 2] > tolerances.CITY_ROOF_PART * top])
    if shape is None:
        return None
    x, y, turn, length, width = shape
    grown = 2 * fattening_mm(plan, box.height)
    slack = tolerances.CITY_SOLID_SLACK_MM
    least = pieces.disc.diameter + tolerances.CITY_WIDER * (box.width - pieces.disc.diameter) + grown
    if width < least or abs(length - grown - box.length) > slack or abs(width - grown - box.width) > slack:
        return None
    corners = corners_of((x, y, turn), tolerances.CITY_FILLED * box.length, tolerances.CITY_FILLED * box.width)
    roof = plan.heights(np.c_[corners, np.full(4, box.height)])
    if np.sum(np.nan_to_num(roof, nan=1e3) < tolerances.CITY_ROOF_SHARE * box.height) > 1:
        return None
    away = np.hypot(points[:, 0] - x, points[:, 1] - y)
    high = points[away < box.width / 2, 2]
    if not len(high):
        return None
    read = float(np.quantile(high, 0.9))
    if abs(read - box.height) > tolerances.CITY_HEIGHT_SIGMAS * _height_sigma(box):
        return None
    ring = points[(away > 0.3 * box.width) & (away < 0.55 * box.width) & (points[:, 2] > 0.8 * read), 2]
    return Block(np.array([x, y, turn]), read, float(np.median(ring)) if len(ring) else read)


def _height_sigma(box: Box) -> float:
    return float(np.hypot(tolerances.CITY_HEIGHT_MM, tolerances.CITY_HEIGHT_SHARE * box.height))


def _building(plan: PlanView, pieces: Pieces, cards: Sequence[tuple[Polygon, float]], block: Block) -> Stood:
    """A block as a building: its outline by colour, its height by depth and by what is usual of its kind."""
    box, sigma = pieces.city["building"], _height_sigma(pieces.city["building"])
    found = _roof(plan, box, block.pose, block.roof_mm)
    weight = (sigma / tolerances.CITY_OWN_HEIGHT_MM) ** 2  # how alike the pieces of one kind are
    height = (block.top_mm - _base(found.x, found.y, cards) + weight * box.height) / (1 + weight)
    sigma_z = float(sigma / np.sqrt(1 + weight))
    return Stood("building", found.corners(), height, found.sigma_mm, sigma_z, found.probability)


def _block(plan: PlanView, points: Array) -> tuple[float, float, float, float, float] | None:
    """Middle, turn (radians), length and width of the widest thing that points (n, 3) show in plan, without rags."""
    cell = 1.6 * plan.table.distance_mm / plan.table.camera.depth.fx
    low = points[:, :2].min(axis=0) - 2 * cell
    size = np.ceil((points[:, :2].max(axis=0) - low) / cell).astype(int) + 3
    cells = np.rint((points[:, :2] - low) / cell).astype(int)
    mask = np.zeros((size[1], size[0]), np.uint8)
    mask[cells[:, 1], cells[:, 0]] = 1
    mask = np.asarray(cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8)), dtype=np.uint8)
    rags = 2 * max(1, round(tolerances.CITY_RAGS_MM / cell / 2)) + 1
    mask = np.asarray(cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((rags, rags), np.uint8)), dtype=np.uint8)
    contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    if not contours:
        return None
    (u, v), (length, width), angle = cv2.minAreaRect(max(contours, key=cv2.contourArea))
    if length < width:
        length, width, angle = width, length, angle + 90
    x, y = low + np.array([u, v]) * cell
    return float(x), float(y), float(np.radians(angle)), float((length + 1) * cell), float((width + 1) * cell)


def _roof(plan: PlanView, box: Box, pose: Array, roof_mm: float) -> Laid:
    """Where colour shows the outline of a roof that lies so high; something smaller may stand on it."""
    if plan.color is None:
        return _unseen(box, pose)
    reach = float(np.hypot(box.length, box.width)) / 2 + tolerances.CITY_ROOM_MM
    field = Field(pose[0] - reach, pose[1] - reach, pose[0] + reach, pose[1] + reach)
    # depth shows a square too round to say how it is turned
    square = box.length < 1.3 * box.width
    turns = np.radians([0.0, 22.5, 45.0, 67.5] if square else [0.0])
    maps = city_maps(plan, roof_mm, tolerances.CITY_FINE_MM, field)
    starts = [pose + np.array([0.0, 0.0, turn]) for turn in turns]
    best = max((settled(maps, "building", box, start, 12.0, 0.0, False) for start in starts), key=_rim)
    if best.rim < tolerances.CITY_ROOF_CLEAR:  # nor where its middle is: ragged rims shift it by some mm
        far = tolerances.CITY_STEP_MM * tolerances.CITY_STEPS
        moves = [np.array([x, y, 0.0]) for x in (-far, far) for y in (-far, far)]
        others = (settled(maps, "building", box, start + by, 12.0, 0.0, False) for start in starts for by in moves)
        other = max(others, key=_rim)
        near = np.hypot(other.x - pose[0], other.y - pose[1]) < tolerances.CITY_ROOF_FAR_MM
        best = other if near and other.rim > best.rim + tolerances.CITY_ROOF_BETTER else best
    if best.rim < tolerances.CITY_ROOF_RIM:
        return _unseen(box, pose)
    eye = np.linalg.inv(plan.table.T_color_table)[:3, 3]
    askew = float(np.hypot(*(eye[:2] - pose[:2]))) / max(float(eye[2] - roof_mm), 1.0)
    own = tolerances.CITY_ROOF_SIGMA_MM * (1.0 if best.rim > tolerances.CITY_ROOF_CLEAR else 2.0)
    sigma = float(np.hypot(own, askew * tolerances.CITY_HEIGHT_MM))
    return replace(best, sigma_mm=sigma, probability=0.99)


def _rim(laid: Laid) -> float:
    return laid.rim


def _unseen(box: Box, pose: Array) -> Laid:
    """A roof of which depth alone says where it is."""
    x, y, turn = (float(v) for v in pose)
    sigma, nan = tolerances.CITY_DEPTH_SIGMA_MM, float("nan")
    return Laid("building", x, y, turn, box.length, box.width, box.height, 0.0, 0.0, nan, 0.0, 0.9, sigma_mm=sigma)


def _tower(
    plan: PlanView, pieces: Pieces, box: Box, points: Array, cards: Sequence[tuple[Polygon, float]]
) -> Stood | None:
    """Something that tapers: higher than half its box, within its foot, and no flat top like a column's."""
    high = points[points[:, 2] > np.quantile(points[:, 2], 0.8)]
    x, y = (float(v) for v in np.median(high[:, :2], axis=0))
    base = _base(x, y, cards)
    top = float(np.quantile(points[:, 2], 0.98)) - base
    reach = float(np.hypot(box.length, box.width)) / 2 + 2 * fattening_mm(plan, box.height / 2)
    away = np.hypot(points[:, 0] - x, points[:, 1] - y)
    if not 0.5 * box.height < top < box.height + tolerances.CITY_SOLID_SLACK_MM or np.mean(away < reach) < 0.9:
        return None
    near = points[away < pieces.disc.radius, 2] - base
    flat = float(np.mean(np.abs(near - top) < tolerances.CITY_FLAT_MM))
    if len(near) < 8 or flat > tolerances.CITY_FLAT_SHARE:
        return None
    pose = _foot(plan, box, np.array([x, y]), base)
    corners = corners_of(pose, box.length, box.width)
    return Stood("tower", corners, box.height, tolerances.CITY_TOWER_SIGMA_MM, tolerances.CITY_TOWER_HEIGHT_MM, 0.95)


def _foot(plan: PlanView, box: Box, middle: Array, base_mm: float) -> Array:
    """Where the four corners of a foot of this size stand about a place: where colour differs most from the ground
    beside it at each of them. Without colour, the turn is not known."""
    pose = np.array([middle[0], middle[1], 0.0])
    if plan.color is None:
        return pose
    reach = 0.75 * float(np.hypot(box.length, box.width)) + tolerances.CITY_ROOM_MM
    axis = np.arange(-reach, reach + 0.5, 1.0)
    gx, gy = np.meshgrid(middle[0] + axis, middle[1] + axis)
    color = np.log(np.nan_to_num(plan.colors(np.stack([gx, gy, np.full_like(gx, base_mm)], axis=-1))) + 10)
    tint = color - color.mean(axis=-1, keepdims=True)
    usual = np.median(tint.reshape(-1, 3), axis=0)
    own = np.clip(np.linalg.norm(tint - usual, axis=-1) / tolerances.CITY_FOOT_TINT, 0, 1).astype(np.float32)
    own = cv2.GaussianBlur(own, (0, 0), 1.2)
    best, score = pose, -1.0
    moves = np.arange(-6.0, 6.5, 1.0)
    for turn in np.radians(np.arange(0.0, 90.0, 3.0)):
        feet = corners_of((0.0, 0.0, turn), 0.86 * box.length, 0.86 * box.width)
        for dx in moves:
            for_y = np.stack([feet + np.array([dx, dy]) for dy in moves])  # (n, 4, 2)
            cells = np.rint(for_y + reach).astype(int)
            values = own[np.clip(cells[..., 1], 0, len(axis) - 1), np.clip(cells[..., 0], 0, len(axis) - 1)]
            sums = values.min(axis=1) + 0.5 * values.mean(axis=1)
            k = int(np.argmax(sums))
            if sums[k] > score:
                score, best = float(sums[k]), np.array([middle[0] + dx, middle[1] + moves[k], turn])
    return best


def obstacles_on(plan: PlanView, outline: Polygon, card_mm: float) -> tuple[Obstacle, ...]:
    """What rises from a card and stands wholly on it, each with the hull of its plan outline: trees, aircraft."""
    inside = outline.buffer(tolerances.CITY_INSIDE_MM)
    out = []
    for points in risen(_about(plan, outline), card_mm + tolerances.CITY_OBSTACLE_MM):
        within = contains_xy(inside, points[:, 0], points[:, 1])
        if within.mean() < tolerances.CITY_WITHIN_SHARE:
            continue
        top = float(np.quantile(points[:, 2], 0.95))
        hull = MultiPoint(points[points[:, 2] > card_mm + (top - card_mm) / 3, :2]).convex_hull
        grown = fattening_mm(plan, top) if top > card_mm + tolerances.SPLIT_STEP_PX * plan.usual_mm_per_px else 0.0
        shape = hull.buffer(-grown) if hull.buffer(-grown).area > 10 else hull
        if not isinstance(shape, Polygon) or shape.area < 10:
            continue
        corners = np.asarray(shape.simplify(0.5).exterior.coords)[:-1]
        out.append(Obstacle(outline=tuple((float(x), float(y)) for x, y in corners), height=top))
    return tuple(out)


def arch_on(
    plan: PlanView, outline: Polygon, turn: float, card_mm: float
) -> tuple[tuple[tuple[float, float], tuple[float, float]], float] | None:
    """The feet and the underside's height of an arch that stands along a card, mm; None where there is none.

    From above its outer side is seen: how thick the bow is, is taken as usual.
    """
    parts = [
        points
        for points in risen(_about(plan, outline), card_mm + tolerances.CITY_OBSTACLE_MM)
        if contains_xy(outline.buffer(tolerances.CITY_ARCH_OUT_MM), points[:, 0], points[:, 1]).mean() > 0.8
    ]
    if not parts:
        return None
    points = max(parts, key=lambda part: float(np.quantile(part[:, 2], 0.95)))
    top = float(np.quantile(points[:, 2], 0.97))
    middle = np.asarray(outline.centroid.coords[0])
    way = np.array([np.cos(turn), np.sin(turn)])
    along = (points[:, :2] - middle) @ way
    low, high = float(np.quantile(along, 0.01)), float(np.quantile(along, 0.99))
    grown = fattening_mm(plan, top / 2)
    if top < tolerances.CITY_ARCH_LEAST_MM or high - low < 0.5 * float(np.sqrt(outline.area)):
        return None
    thick = tolerances.CITY_ARCH_BAND_MM
    feet = [middle + way * at for at in (low + grown + thick, high - grown - thick)]
    return ((float(feet[0][0]), float(feet[0][1])), (float(feet[1][0]), float(feet[1][1]))), top - thick


def _about(plan: PlanView, outline: Polygon) -> PlanView:
    """The view with all depth unseen that can't show anything on a card."""
    x0, y0, x1, y1 = outline.bounds
    corners = [(x, y, z) for x in (x0, x1) for y in (y0, y1) for z in (0.0, tolerances.HIGHEST_COLUMN_MM)]
    pixels = plan.depth_pixels(np.array(corners))
    low, high = np.floor(pixels.min(axis=0)).astype(int), np.ceil(pixels.max(axis=0)).astype(int) + 1
    height = np.full_like(plan.height_mm, np.nan)
    u, v = slice(max(low[0], 0), max(high[0], 0)), slice(max(low[1], 0), max(high[1], 0))
    height[v, u] = plan.height_mm[v, u]
    return replace(plan, height_mm=height)
