"""What known pieces already explain of depth: only what they leave open has to be searched."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from rules.layout import Car
from th_vision import tolerances
from th_vision.detect.assembly import Assembly, FoundRoad
from th_vision.detect.depth_model import DepthModel, Post
from th_vision.detect.depth_search import TABLE, Group, Guess, Lay
from th_vision.detect.measure import MeasuredRoad
from th_vision.detect.plan import Field, Image, PlanView, on_plane

Array = NDArray[np.float64]


def guess_of_assembly(model: DepthModel, assembly: Assembly) -> Guess:
    """An assembly as a guess: columns by their index, roads after them: known ones at the heights where they lie, new
    ones on the discs below their ends and on the ends that lie there already."""
    guess = Guess(model)
    posts = {k: Post(c.x, c.y, c.levels) for k, c in enumerate(assembly.columns)}
    lays = {}
    for m, found in enumerate(assembly.roads):
        lift = (_lift(model, assembly, found, 0), _lift(model, assembly, found, 1))
        lays[len(posts) + m] = replace(_lay(found.road, found.ends), lift=lift)
    guess.put(Group(posts, lays))
    return guess


def _lift(model: DepthModel, assembly: Assembly, found: FoundRoad, side: int) -> float:
    """By how much sticks that lie there already lift an end of a road off the discs or the table, mm."""
    end, tip = found.ends[side], (found.road.a, found.road.b)[side]
    thickness = model.pieces.stick.thickness
    if found.age < FoundRoad.age:
        below = assembly.columns[end].levels * model.pieces.disc.height if end >= 0 else 0.0
        return float(max(tip[2] - thickness - below, 0.0))
    if end < 0:
        return 0.0
    others = [other for other in assembly.roads if other is not found and end in other.ends]
    if any(other.age < FoundRoad.age for other in others):
        return thickness
    return thickness / 2 if others else 0.0  # one of two lies on the other


def _lay(road: MeasuredRoad, ends: tuple[int, int]) -> Lay:
    x, y = (road.a[:2] + road.b[:2]) / 2
    return Lay(float(x), float(y), float(np.arctan2(road.b[1] - road.a[1], road.b[0] - road.a[0])), ends)


def _as_known(model: DepthModel, known: Assembly, cars: dict[int, list[Car]]) -> Guess:
    """Known pieces as a guess: roads at the heights at which they are known to lie, with the cars on them."""
    thickness = model.pieces.stick.thickness
    posts = {k: Post(c.x, c.y, c.levels) for k, c in enumerate(known.columns)}
    lays = {}
    for m, found in enumerate(known.roads):
        lay = _lay(found.road, (TABLE, TABLE))
        unit = np.array([np.cos(lay.angle), np.sin(lay.angle)])
        at = tuple(float((np.array([car.x, car.y]) - [lay.x, lay.y]) @ unit) for car in cars.get(m, ()))
        lift = (float(found.road.a[2]) - thickness, float(found.road.b[2]) - thickness)
        lays[len(posts) + m] = replace(lay, lift=lift, cars=at)
    guess = Guess(model)
    guess.put(Group(posts, lays))
    return guess


@dataclass(frozen=True)
class Explained:
    """Where depth shows more than some pieces explain.

    ``open``: (h, w) float32 on the model's grid: 1 where something rises that they don't explain, 0 where nothing
    does, NaN where depth was not seen.
    """

    model: DepthModel
    open: Image

    def share_open(self, points: Array) -> Array:
        """(...) share of (..., n, 3) table points on whose rays something is open; 1 where none of them was seen."""
        pixels = np.rint(self.model.pixels(points)).astype(int)
        height, width = self.model.shape
        inside = (pixels >= 0).all(axis=-1) & (pixels < [width, height]).all(axis=-1)
        value = self.open[np.clip(pixels[..., 1], 0, height - 1), np.clip(pixels[..., 0], 0, width - 1)]
        value = np.where(inside, value, np.float32(np.nan))
        seen = np.isfinite(value)
        count = seen.sum(axis=-1)
        return np.asarray(np.where(count > 0, np.where(seen, value, 0).sum(axis=-1) / np.maximum(count, 1), 1.0))

    @cached_property
    def field(self) -> Field | None:
        """The part of the table that holds all that is open, with room for a column around it; None: nothing is."""
        mask = np.asarray(np.nan_to_num(self.open) > 0, dtype=np.uint8)
        count, _, stats, _ = cv2.connectedComponentsWithStats(mask)
        plan = self.model.plan
        px = plan.table.camera.depth.fx / plan.table.distance_mm / self.model.step
        large = [k for k in range(1, count) if stats[k, cv2.CC_STAT_AREA] >= tolerances.OPEN_LEAST_MM2 * px**2]
        if not large:
            return None
        u0, v0 = stats[large, cv2.CC_STAT_LEFT].min(), stats[large, cv2.CC_STAT_TOP].min()
        u1 = (stats[large, cv2.CC_STAT_LEFT] + stats[large, cv2.CC_STAT_WIDTH]).max()
        v1 = (stats[large, cv2.CC_STAT_TOP] + stats[large, cv2.CC_STAT_HEIGHT]).max()
        corners = np.array([[u0, v0], [u1, v0], [u1, v1], [u0, v1]], dtype=np.float64) * self.model.step
        low, high = np.full(2, np.inf), np.full(2, -np.inf)
        for z in (0.0, tolerances.HIGHEST_COLUMN_MM):
            points = on_plane(plan.table.camera.depth, plan.table.T_depth_table, corners, z)[:, :2]
            low, high = np.minimum(low, points.min(axis=0)), np.maximum(high, points.max(axis=0))
        room = self.model.pieces.disc.diameter
        whole = plan.field
        x0, y0 = max(whole.x0, float(low[0]) - room), max(whole.y0, float(low[1]) - room)
        x1, y1 = min(whole.x1, float(high[0]) + room), min(whole.y1, float(high[1]) + room)
        return Field(x0, y0, x1, y1) if x0 < x1 and y0 < y1 else None


def explained(model: DepthModel, known: Assembly, cars: dict[int, list[Car]]) -> Explained:
    """What the known pieces (and the ``cars`` on their roads, by index) leave open of a view."""
    plan, guess = model.plan, _as_known(model, known, cars)
    height, width = model.shape
    shown = model.shown(guess.others((0, 0, width, height), ()), model.mm_per_px)
    px = plan.table.camera.depth.fx / plan.table.distance_mm / model.step
    size = 2 * max(1, round(tolerances.OPEN_RIM_MM * px)) + 1
    # the rim of a piece is ragged, and it stands where it is known to only within a millimetre or two
    around = cv2.dilate(shown, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size)))
    rest = model.seen - around
    rises = np.where(rest > tolerances.OPEN_MM, np.float32(1), np.float32(0))
    rises = cv2.morphologyEx(rises, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    return Explained(model, np.where(np.isfinite(model.seen), rises, np.float32(np.nan)).astype(np.float32))


def part_of(plan: PlanView, field: Field) -> PlanView:
    """The view with its plan grids over a part of the table only."""
    return replace(plan, field=field)
