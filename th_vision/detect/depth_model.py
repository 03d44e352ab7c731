"""What depth alone would show of posts and beams, and how far that is from what it shows.

Posts (columns) and beams (roads) are drawn as hard heights; the sensor's window matching then blends small steps and
fattens large ones (figures: ``th_vision.tolerances``). ``softness`` says how much of that is there: 1 for a stereo
camera, 0 for a cloud from elsewhere whose edges are sharp; as the view shows it unless given.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from rules.pieces import Box as Box3
from rules.pieces import Pieces
from th_vision import tolerances
from th_vision.detect.plan import Image, PlanView

Array = NDArray[np.float64]
Box = tuple[int, int, int, int]

_TURNS = np.linspace(0, 2 * np.pi, 16, endpoint=False)
_RING = np.stack([np.cos(_TURNS), np.sin(_TURNS)], axis=1)
_HALF_TURNS = np.linspace(-np.pi / 2, np.pi / 2, 7)
_CAP = np.stack([np.cos(_HALF_TURNS), np.sin(_HALF_TURNS)], axis=1)


@dataclass(frozen=True)
class Post:
    """A column: plan centre of its top, mm, and its levels."""

    x: float
    y: float
    levels: int


@dataclass(frozen=True)
class Beam:
    """A road: plan middle (mm), direction (radians) from its first to its second end, heights of the tips' top (mm)."""

    x: float
    y: float
    angle: float
    za: float
    zb: float

    def unit(self) -> Array:
        """(2,) plan direction from the first to the second tip."""
        return np.array([np.cos(self.angle), np.sin(self.angle)])

    def tips(self, length_mm: float) -> tuple[Array, Array]:
        """Both tips (3,) of a stick of this length."""
        half = self.unit() * self.run(length_mm) / 2
        return np.array([self.x - half[0], self.y - half[1], self.za]), np.array(
            [self.x + half[0], self.y + half[1], self.zb]
        )

    def run(self, length_mm: float) -> float:
        """Plan length, mm."""
        return float(np.sqrt(max(length_mm**2 - (self.zb - self.za) ** 2, 1.0)))


@dataclass(frozen=True)
class Face:
    outline: Array  # (n, 3), table frame


@dataclass(frozen=True)
class Raster:
    """Faces of a piece as drawn on the grid: heights (h, w), mm, 0 beside them, the first cell being (u, v)."""

    u: int
    v: int
    heights: Image


class DepthModel:
    """The view on a grid ``step`` native pixels wide, and the model of the sensor on it.

    ``seen``: (h, w) float32 heights, mm, NaN unseen; ``variance``: (h, w) of a cell, mm2. Boxes are
    (u0, v0, u1, v1) on this grid. ``gains``: what pieces were found to explain of it, by all that this depends on.
    """

    def __init__(self, plan: PlanView, pieces: Pieces, softness: float | None = None, step: int | None = None) -> None:
        self.plan, self.pieces = plan, pieces
        self.softness = softness = plan.softness if softness is None else softness
        camera = plan.table.camera
        mm_per_pixel = plan.table.distance_mm / camera.depth.fx
        self.step = step or max(1, int(tolerances.DEPTH_GRID_MM / mm_per_pixel))
        self.seen = _coarse(plan.height_mm, self.step)
        native = np.float32(max(softness, tolerances.SHARP_KERNEL_SHARE))
        self.mm_per_px = _coarse(plan.mm_per_px, self.step) * native
        sigma = _coarse(plan.sigma_mm, self.step)
        # a view that can't be seen to scatter is still only as good as the model
        self.variance = np.square(np.nan_to_num(sigma, nan=1.0)) + np.float32(tolerances.DEPTH_MODEL_MM**2)
        scale = camera.kernel_scale * softness / self.step
        self.kernel = (tolerances.KERNEL_SIGMA_U_PX * scale, tolerances.KERNEL_SIGMA_V_PX * scale)
        self.fattening = (tolerances.FATTENING_U_PX * scale, tolerances.FATTENING_V_PX * scale)
        # without noise it is the model that errs (bow, roll, sizes), and over larger areas than a pixel
        share = max(softness**2, tolerances.SHARP_INDEPENDENT_SHARE)
        self.independent = plan.view.independent_px * share / self.step**2
        reach = tolerances.KERNEL_REACH_SIGMAS * max(self.kernel) + max(self.fattening)
        self.margin = int(np.ceil(reach)) + 1
        self.gains: dict[Hashable, float] = {}

    def leaving_out(self, cells: NDArray[np.bool_]) -> DepthModel:
        """The same with some cells of the grid (h, w) unseen."""
        out = copy(self)
        out.gains = {}
        out.seen = np.where(cells, np.float32(np.nan), self.seen).astype(np.float32)
        return out

    def points(self, v: NDArray[np.intp], u: NDArray[np.intp]) -> Array:
        """(n, 3) table points, mm, that cells (v, u) of the grid show."""
        native = np.stack([u, v], axis=1).astype(np.float64) * self.step + (self.step - 1) / 2
        table = self.plan.table
        origin = table.T_table_depth[:3, 3]
        rays = table.camera.depth.rays(native) @ table.T_table_depth[:3, :3].T
        scale = (self.seen[v, u] - origin[2]) / rays[:, 2]
        return np.asarray(origin + rays * scale[:, None], dtype=np.float64)

    @property
    def shape(self) -> tuple[int, int]:
        """(h, w) of the grid."""
        return self.seen.shape[0], self.seen.shape[1]

    def post_faces(self, post: Post) -> list[Face]:
        """A column's discs, bottom up."""
        disc = self.pieces.disc
        outlines = np.empty((post.levels, len(_RING), 3))
        outlines[..., :2] = _RING * disc.radius + [post.x, post.y]
        outlines[..., 2] = disc.height * np.arange(1, post.levels + 1)[:, None]
        return [Face(outline) for outline in outlines]

    def beam_faces(self, beam: Beam, cars: tuple[float, ...] = ()) -> list[Face]:
        """A road's top, and the tops of cars that stand on it this far (mm) from its middle."""
        stick = self.pieces.stick
        run = beam.run(stick.length)
        radius = stick.width / 2
        if stick.ends == "round":
            cap = _CAP * radius + [run / 2 - radius, 0]
        else:
            cap = np.array([[run / 2, -radius], [run / 2, radius]])
        local = np.concatenate([cap, -cap])
        unit = beam.unit()
        plan = local[:, :1] * unit + local[:, 1:] * np.array([-unit[1], unit[0]]) + [beam.x, beam.y]
        z = beam.za + (local[:, 0] / run + 0.5) * (beam.zb - beam.za)
        faces = [Face(np.c_[plan, z])]
        if cars:
            box = typical_car(self.pieces)
            corners = np.array([[1.0, -1.0], [1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0]]) * [box.length / 2, box.width / 2]
            for at in cars:
                local = corners + np.array([at, 0.0])
                plan = local[:, :1] * unit + local[:, 1:] * np.array([-unit[1], unit[0]]) + [beam.x, beam.y]
                z = beam.za + (local[:, 0] / run + 0.5) * (beam.zb - beam.za) + box.height
                faces.append(Face(np.c_[plan, z]))
        return faces

    def pixels(self, points: Array) -> Array:
        """(..., 2) grid places of (..., 3) table points."""
        return (self.plan.depth_pixels(points) - (self.step - 1) / 2) / self.step

    def box_of(self, pixels: Array, margin: int) -> Box:
        """The box around (n, 2) grid places, cut to the grid."""
        height, width = self.shape
        low, high = np.floor(pixels.min(axis=0)).astype(int) - margin, np.ceil(pixels.max(axis=0)).astype(int) + margin
        return (
            int(np.clip(low[0], 0, width - 1)),
            int(np.clip(low[1], 0, height - 1)),
            int(np.clip(high[0] + 1, 1, width)),
            int(np.clip(high[1] + 1, 1, height)),
        )

    def project(self, faces: list[Face]) -> list[tuple[Array, Array]]:
        """Grid places (n, 2) and heights (n,) of each face's outline."""
        if not faces:
            return []
        together = self.pixels(np.concatenate([face.outline for face in faces]))
        ends = np.cumsum([len(face.outline) for face in faces])[:-1]
        return [(px, face.outline[:, 2]) for px, face in zip(np.split(together, ends), faces, strict=True)]

    def raster(self, projected: Sequence[tuple[Array, Array]]) -> Raster:
        """Projected faces, drawn; the highest one is seen."""
        places = projected[0][0] if len(projected) == 1 else np.concatenate([face[0] for face in projected])
        low, high = np.floor(places.min(axis=0)).astype(int), np.ceil(places.max(axis=0)).astype(int) + 1
        u0, v0 = max(int(low[0]), 0), max(int(low[1]), 0)
        u1, v1 = min(int(high[0]), self.shape[1]), min(int(high[1]), self.shape[0])
        out = np.zeros((max(v1 - v0, 0), max(u1 - u0, 0)), np.float32)
        if out.size == 0:
            return Raster(0, 0, out)
        # what is level goes bottom up: each covers what lies below
        for places, z in sorted(projected, key=lambda face: float(face[1].max())):
            local = places - [u0, v0]
            corners = np.rint(local * 16).astype(np.int32)
            if z[0] == z[-1] and np.ptp(z) == 0:
                cv2.fillConvexPoly(out, corners, float(z[0]), shift=4)
                continue
            mask = np.zeros(out.shape, np.uint8)
            cv2.fillConvexPoly(mask, corners, 1, shift=4)
            c = np.linalg.lstsq(np.c_[np.ones(len(local)), local], z, rcond=None)[0]
            rows, columns = np.arange(out.shape[0])[:, None], np.arange(out.shape[1])
            plane = (c[0] + c[1] * columns + c[2] * rows).astype(np.float32)
            np.maximum(out, np.where(mask > 0, plane, np.float32(0)), out=out)
        return Raster(u0, v0, out)

    def draw(self, hard: Image, origin: tuple[int, int], drawn: Iterable[Raster]) -> None:
        """Put what is drawn onto hard heights whose first cell is ``origin`` (u, v); the highest one is seen."""
        height, width = hard.shape
        for one in drawn:
            u, v = one.u - origin[0], one.v - origin[1]
            rows, columns = one.heights.shape
            u0, v0, u1, v1 = max(u, 0), max(v, 0), min(u + columns, width), min(v + rows, height)
            if u1 > u0 and v1 > v0:
                part = hard[v0:v1, u0:u1]
                np.maximum(part, one.heights[v0 - v : v1 - v, u0 - u : u1 - u], out=part)

    @cached_property
    def _windows(self) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        """What fattens, and the reach of the kernel, as structuring elements."""
        grow = [2 * round(f) + 1 for f in self.fattening]
        reach = [2 * int(tolerances.KERNEL_REACH_SIGMAS * k) + 1 for k in self.kernel]
        return (
            np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (grow[0], grow[1])), dtype=np.uint8),
            np.asarray(cv2.getStructuringElement(cv2.MORPH_RECT, (reach[0], reach[1])), dtype=np.uint8),
        )

    def shown(self, hard: Image, mm_per_px: Image) -> Image:
        """What the sensor shows of hard heights (mm)."""
        if self.softness <= 0:
            return hard
        grow, window = self._windows
        blended = self._blur(hard)
        low, high = cv2.erode(hard, window), cv2.dilate(hard, window)
        t = (high - low) / mm_per_px - tolerances.BLENDED_STEP_PX
        t = np.clip(t / (tolerances.SPLIT_STEP_PX - tolerances.BLENDED_STEP_PX), 0, 1)
        if not t.any():
            return blended
        fat = cv2.dilate(hard, grow)
        front = (fat > (low + high) / 2).astype(np.float32)
        weight = self._blur(front)
        before = self._blur(fat * front) / np.maximum(weight, 1e-3)
        behind = self._blur(fat * (1 - front)) / np.maximum(1 - weight, 1e-3)
        two = np.where(front > 0, before, behind)
        split = t * t * (3 - 2 * t)
        return np.asarray(blended + split * (two - blended), dtype=np.float32)

    def _blur(self, image: Image) -> Image:
        return np.asarray(
            cv2.GaussianBlur(image, (0, 0), sigmaX=max(self.kernel[0], 0.05), sigmaY=max(self.kernel[1], 0.05)),
            dtype=np.float32,
        )

    def cost(self, hard: Image, box: Box) -> Image:
        """(h, w) bounded squared residual of each cell of a box, parts of an independent sample."""
        u0, v0, u1, v1 = box
        model = self.shown(hard, self.mm_per_px[v0:v1, u0:u1])
        variance = self.variance[v0:v1, u0:u1] + np.square(np.float32(tolerances.DEPTH_MODEL_SHARE) * model)
        squared = np.square(self.seen[v0:v1, u0:u1] - model) / variance
        bounded = squared / (1 + squared / np.float32(tolerances.MISFIT_BOUND))
        return np.asarray(np.nan_to_num(bounded) / np.float32(self.independent), dtype=np.float32)


def typical_car(pieces: Pieces) -> Box3:
    """Middle length, width and height of the cars of a set."""
    boxes = list(pieces.cars.values()) or list(Pieces().cars.values())
    length, width, height = (
        float(np.median([getattr(box, side) for box in boxes])) for side in ("length", "width", "height")
    )
    return Box3(length=length, width=width, height=height)


def _coarse(image: Image, step: int) -> Image:
    """Means over blocks of step x step of what was seen."""
    if step == 1:
        return image
    height, width = image.shape[0] // step, image.shape[1] // step
    part = image[: height * step, : width * step]
    seen = np.isfinite(part)
    count = cv2.resize(seen.astype(np.float32), (width, height), interpolation=cv2.INTER_AREA)
    total = cv2.resize(np.where(seen, part, np.float32(0)), (width, height), interpolation=cv2.INTER_AREA)
    return np.where(count > 0, total / np.maximum(count, np.float32(1e-3)), np.float32(np.nan)).astype(np.float32)
