"""Where columns may stand: round tops of known size at whole levels, by depth and by their rim in colour."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from rules.pieces import Pieces
from th_vision import tolerances
from th_vision.detect.kernel import disc_share, disc_share_at, shown
from th_vision.detect.plan import Image, PlanView

Array = NDArray[np.float64]
FOOT_TURNS = np.radians(np.linspace(-75, 75, 13))
FOOT_SHIFTS_MM = np.linspace(-2.0, 2.0, 9)
"""Where along a foot, from the camera's side, and how far beside it (stacks lean) its outline is looked for."""


@dataclass(frozen=True)
class ColumnCandidate:
    """A column that may stand at (x, y), mm.

    ``rim``: share (0 to 1) of the rim seen as an edge in colour, NaN without colour. ``fill``: height near the rim
    over what a disc of this level would show there. ``reading_mm``: height by depth over the middle.
    ``foot``: how clear the outline of its foot is, 0 to 1; 0 where the camera looks down on it.
    ``sigma_xy`` (mm) and ``levels_probability``: where they are known already, NaN where they follow from the rest.
    """

    x: float
    y: float
    levels: int
    score: float
    rim: float
    fill: float
    reading_mm: float
    sigma_xy: float = float("nan")
    levels_probability: float = float("nan")
    foot: float = 0.0

    @property
    def outlines(self) -> float:
        """What both its outlines say, rim and foot (NaN without colour)."""
        return self.rim + tolerances.FOOT_WEIGHT * self.foot


def disc_points(x: float, y: float, z: float, radius: float) -> Array:
    """(n, 3) table points a millimetre apart over a disc."""
    axis = np.arange(-radius, radius + 0.5, 1.0)
    gx, gy = np.meshgrid(axis, axis)
    return np.asarray(np.stack([x + gx, y + gy, np.full_like(gx, z)], axis=-1)[np.hypot(gx, gy) <= radius])


def highest_level(plan: PlanView, pieces: Pieces) -> int:
    """An upper bound of the levels on the table, from the greatest heights seen."""
    seen = plan.height_mm[np.isfinite(plan.height_mm)]
    if len(seen) == 0:
        return 0
    top = float(np.percentile(seen, 99.9))
    top = min(top, tolerances.HIGHEST_COLUMN_MM)
    return max(1, int(np.ceil(top / pieces.disc.height + 0.3)))


def column_candidates(plan: PlanView, pieces: Pieces) -> list[ColumnCandidate]:
    """All places where a column may stand, best first; many are wrong and are sorted out with the roads."""
    found: list[ColumnCandidate] = []
    for levels in range(1, highest_level(plan, pieces) + 1):
        found += _at_level(plan, pieces, levels)
    found.sort(key=lambda candidate: -candidate.score)
    near = pieces.disc.radius * 0.6
    places = np.array([(candidate.x, candidate.y) for candidate in found]).reshape(-1, 2)
    free = np.ones(len(found), dtype=np.bool_)
    kept: list[ColumnCandidate] = []
    for k, candidate in enumerate(found):
        if not free[k]:
            continue
        kept.append(candidate)
        free &= np.hypot(*(places - places[k]).T) > near
        if len(kept) == tolerances.MOST_CANDIDATES:  # a view that is all noise must not be looked at for ever
            break
    return kept


def _at_level(plan: PlanView, pieces: Pieces, levels: int) -> list[ColumnCandidate]:
    pitch = tolerances.SEARCH_PITCH_MM
    z = levels * pieces.disc.height
    radius = pieces.disc.radius
    heights = plan.height_plane(z, pitch)
    middle = _disc_mean(heights, radius * 0.5 / pitch)
    mm_per_px = plan.usual_mm_per_px
    sigma = plan.kernel_mm
    expected_middle = float(shown(z, disc_share(2 * radius, sigma, radius * 0.5), mm_per_px))
    at_rim = radius * 0.74
    expected_rim = float(shown(z, disc_share_at(2 * radius, sigma, at_rim), mm_per_px))
    slack = tolerances.COLUMN_READING_SLACK_MM + tolerances.COLUMN_READING_SLACK * z
    above = middle - expected_middle  # up to three ends of sticks may lie on its top
    possible = (above > -slack) & (above < slack + 3 * pieces.stick.thickness)
    if not possible.any():
        return []
    ys, xs = np.nonzero(possible)
    directions = np.arange(12) * (2 * np.pi / 12)
    around = np.full((12, len(xs)), np.inf, np.float32)
    for i, angle in enumerate(directions):
        vs = np.clip(ys + round(at_rim * np.sin(angle) / pitch), 0, heights.shape[0] - 1)
        us = np.clip(xs + round(at_rim * np.cos(angle) / pitch), 0, heights.shape[1] - 1)
        values = heights[vs, us]
        around[i] = np.where(np.isfinite(values), values, np.inf)
    around.sort(axis=0)
    low = around[2]  # the third lowest of twelve: one ragged spot or one shadow doesn't decide
    fill = np.clip(np.where(np.isfinite(low), low, 0) / max(expected_rim, 1e-6), 0, 1.5)
    beyond = above[ys, xs] - np.clip(above[ys, xs], 0, 3 * pieces.stick.thickness)
    closeness = np.exp(-0.5 * (beyond / (slack / 2)) ** 2)
    if plan.color is not None:
        edges = plan.edge_grid(*plan.field.grid(pitch), z)
        rim = np.where(
            _in_picture(edges, ys, xs, round(radius / pitch)), rim_votes(edges, radius / pitch)[ys, xs], np.nan
        )
    else:
        rim = np.full(len(xs), np.nan, np.float32)
    score_map = np.zeros(heights.shape, np.float32)
    score = np.minimum(fill, 1.0) * 0.7 + 0.3 * closeness + np.where(np.isfinite(rim), rim, 0.3)
    score_map[ys, xs] = score
    reach = max(1, int(radius * 0.6 / pitch))
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * reach + 1, 2 * reach + 1))
    peaks = (score_map >= cv2.dilate(score_map, kernel)) & (score_map > tolerances.COLUMN_LEAST_SCORE)
    field_x, field_y = plan.field.grid(pitch)
    index = np.zeros(heights.shape, np.intp)
    index[ys, xs] = np.arange(len(ys))
    out = []
    for y, x in zip(*np.nonzero(peaks), strict=True):
        i = index[y, x]
        out.append(
            ColumnCandidate(
                x=float(field_x[x]),
                y=float(field_y[y]),
                levels=levels,
                score=float(score[i]),
                rim=float(rim[i]),
                fill=float(fill[i]),
                reading_mm=float(middle[y, x]),
            )
        )
    return out


def _in_picture(edges: Image, ys: NDArray[np.intp], xs: NDArray[np.intp], radius: int) -> NDArray[np.bool_]:
    """(n,) whether the picture shows most of a circle of this radius (cells) around cells (ys, xs)."""
    rows, columns = edges.shape[:2]
    seen = np.zeros(len(ys), dtype=np.intp)
    for dv, du in ((-radius, 0), (radius, 0), (0, -radius), (0, radius)):
        v, u = np.clip(ys + dv, 0, rows - 1), np.clip(xs + du, 0, columns - 1)
        seen += np.isfinite(edges[v, u, 0])
    return seen >= 3


def refine_rim(plan: PlanView, pieces: Pieces, candidate: ColumnCandidate) -> ColumnCandidate:
    """The candidate moved to where its rim is best seen in colour, by at most two thirds of its radius."""
    if plan.color is None:
        return candidate
    best = best_rim(plan, pieces, candidate.x, candidate.y, candidate.levels, pieces.disc.radius * 0.7)
    if not best.share > candidate.rim * 0.8:
        return candidate
    score = candidate.score - candidate.rim + best.share + tolerances.FOOT_WEIGHT * best.foot
    return replace(candidate, x=best.x, y=best.y, rim=best.share, score=score, sigma_xy=best.sigma_mm, foot=best.foot)


@dataclass(frozen=True)
class Rim:
    """Where a rim is best seen: plan centre (mm), the share of it that is seen (NaN: outside the picture), sigma, and
    how clear its foot is (``foot_shares``)."""

    x: float
    y: float
    share: float
    sigma_mm: float
    foot: float = 0.0


def best_rim(plan: PlanView, pieces: Pieces, x: float, y: float, levels: int, reach_mm: float) -> Rim:
    """The best rim at a level near a place. Its sigma grows where another place shows nearly as much of a rim."""
    return best_rims(plan, pieces, x, y, levels, (reach_mm,))[0]


def best_rims(
    plan: PlanView, pieces: Pieces, x: float, y: float, levels: int, reaches_mm: Sequence[float]
) -> list[Rim]:
    """The best rim at a level within each of several distances of a place (see :func:`best_rim`)."""
    seen = _Rims.around(plan, pieces, x, y, levels, max(reaches_mm))
    if seen is None:
        return [Rim(x, y, float("nan"), pieces.disc.radius / 2) for _ in reaches_mm]
    out = []
    for reach in reaches_mm:
        places, feet = seen.peaks(plan, pieces, levels, reach)
        together = seen.together(places, feet)
        rivals = places[together > together.max() - tolerances.RIM_RIVAL]
        best = int(np.argmax(together))
        out.append(seen.rim(places[best], float(feet[best]), rivals))
    return out


def rim_rivals(plan: PlanView, pieces: Pieces, x: float, y: float, levels: int, reach_mm: float) -> list[Rim]:
    """All places near a place where a rim at a level is seen nearly as well as at the best one, best first."""
    seen = _Rims.around(plan, pieces, x, y, levels, reach_mm)
    if seen is None:
        return []
    places, feet = seen.peaks(plan, pieces, levels, reach_mm)
    together = seen.together(places, feet)
    order = [int(k) for k in np.argsort(-together) if together[k] > together.max() - tolerances.RIVAL_SHARE]
    return [seen.rim(places[k], float(feet[k]), places[k : k + 1]) for k in order]


@dataclass(frozen=True)
class _Rims:
    """Rims at a level around a place (``x``, ``y``): ``votes`` (n, n), see ``rim_votes``, on a grid with this ``axis``
    (n,), mm from the place."""

    x: float
    y: float
    axis: Array
    votes: Image

    @classmethod
    def around(cls, plan: PlanView, pieces: Pieces, x: float, y: float, levels: int, reach_mm: float) -> _Rims | None:
        """None where the picture shows too little of it."""
        pitch, radius = tolerances.RIM_PITCH_MM, pieces.disc.radius
        half = reach_mm + radius + 3
        axis = np.arange(-half, half + pitch / 2, pitch)
        edges = plan.edge_grid(x + axis, y + axis, levels * pieces.disc.height)
        if np.isfinite(edges[..., 0]).mean() < tolerances.RIM_PICTURE_SHARE:
            return None
        return cls(x, y, axis, rim_votes(edges, radius / pitch))

    def peaks(self, plan: PlanView, pieces: Pieces, levels: int, reach_mm: float) -> tuple[NDArray[np.intp], Array]:
        """Places (n, 2: rows and columns) within reach where a rim is seen best, and how clear their feet are (n,)."""
        axis = self.axis
        near = max(1, round(tolerances.RIM_PEAKS_MM / tolerances.RIM_PITCH_MM))
        highest = cv2.dilate(self.votes, np.ones((2 * near + 1, 2 * near + 1), np.uint8))
        inside = np.where(np.hypot(axis, axis[:, None]) <= reach_mm, self.votes, np.float32(-1))
        peaks = np.argwhere((inside >= highest) & (inside > 0))
        best = np.unravel_index(int(np.argmax(inside)), inside.shape)
        places = np.unique(np.concatenate([peaks, [best]]), axis=0)
        places = places[inside[places[:, 0], places[:, 1]] > inside[best] - tolerances.RIM_PEAK_SHARE]
        return places, foot_shares(plan, pieces, self.x + axis[places[:, 1]], self.y + axis[places[:, 0]], levels)

    def together(self, places: NDArray[np.intp], feet: Array) -> Array:
        """(n,) what rim and foot say for places."""
        return np.asarray(self.votes[places[:, 0], places[:, 1]] + tolerances.FOOT_WEIGHT * feet, dtype=np.float64)

    def rim(self, place: NDArray[np.intp], foot: float, rivals: NDArray[np.intp]) -> Rim:
        """The rim at a place. Its sigma is wide where around it, or at ``rivals``, as much of one is seen."""
        votes, axis = self.votes, self.axis
        v, u = place
        share = float(votes[v, u])
        du = dv = 0.0
        if 0 < v < len(axis) - 1 and 0 < u < len(axis) - 1:
            du, dv = _peak(votes[v, u - 1 : u + 2]), _peak(votes[v - 1 : v + 2, u])
        apart = np.hypot(axis - axis[u], (axis - axis[v])[:, None])
        around = (votes > share - tolerances.RIM_RIVAL) & (apart <= tolerances.RIM_AROUND_MM)
        furthest = max(float(apart[around].max()), float(apart[rivals[:, 0], rivals[:, 1]].max()))
        sigma = float(np.hypot(tolerances.RIM_SIGMA_MM / max(share, 0.12), max(furthest - 1.0, 0.0) / 2))
        pitch = tolerances.RIM_PITCH_MM
        return Rim(self.x + axis[u] + du * pitch, self.y + axis[v] + dv * pitch, share, sigma, foot)


def foot_shares(plan: PlanView, pieces: Pieces, x: Array, y: Array, levels: int) -> Array:
    """(n,) how clear the foot's outline is seen, 0 to 1, on the side that the camera sees of columns at (x, y) (n,).

    The outline of a lower disc looks like the rim of the top, further from where the camera stands; but below *that*
    there is no foot. 0 where the foot appears too near to the rim to tell.
    """
    eye = plan.eye
    assert plan.edges is not None
    away = np.stack([eye[0] - x, eye[1] - y], axis=-1)
    shift = np.hypot(*away.T) * levels * pieces.disc.height / eye[2]
    turn = np.arctan2(away[:, 1], away[:, 0])[:, None] + FOOT_TURNS
    normal = np.stack([np.cos(turn), np.sin(turn)], axis=-1)  # (n, turns, 2)
    points = np.zeros((*turn.shape, len(FOOT_SHIFTS_MM), 3))
    radii = pieces.disc.radius + FOOT_SHIFTS_MM
    points[..., :2] = np.stack([x, y], axis=-1)[:, None, None] + radii[:, None] * normal[:, :, None]
    pixels = plan.color_pixels(points)
    tensor = np.nan_to_num(plan.edges.at(pixels))
    way = pixels[:, :, -1] - pixels[:, :, 0]
    nx, ny = np.moveaxis(way / np.maximum(np.linalg.norm(way, axis=-1, keepdims=True), 1e-9), -1, 0)[..., None]
    across = (tensor[..., 0] - tensor[..., 2]) * (nx * nx - ny * ny) + 4 * tensor[..., 1] * nx * ny
    seen = np.clip(across, 0, 1).max(axis=2).mean(axis=1)
    return np.asarray(np.where(shift > tolerances.FOOT_LEAST_MM, seen, 0.0), dtype=np.float64)


def _peak(three: Image) -> float:
    """Sub-cell place of a maximum between its two neighbours."""
    bend = float(three[0] - 2 * three[1] + three[2])
    return float(np.clip(0.5 * (three[0] - three[2]) / bend, -0.5, 0.5)) if bend < -1e-6 and min(three) >= 0 else 0.0


def rim_votes(edges: Image, radius_cells: float) -> Image:
    """(h, w) share of a circle of this radius around each cell that is an edge across the circle, 0 to 1.

    ``edges`` (h, w, 2): see :meth:`PlanView.edge_grid`. Edges vote by direction and hardly by contrast: a rim between
    two grays counts like one between gray and white.
    """
    # a ring-weighted mean of n.T.n, less what an edge of any direction would give on average
    votes = np.zeros(edges.shape[:2], np.float32)
    for k, weights in enumerate(_ring(radius_cells)):
        part = np.ascontiguousarray(np.nan_to_num(edges[..., k]))
        votes += np.asarray(cv2.filter2D(part, -1, weights), dtype=np.float32)
    return np.clip(votes, 0, 1)


@lru_cache(maxsize=64)
def _ring(radius_cells: float) -> tuple[Image, Image]:
    """A ring's weights times cosine and sine of twice the direction from its middle."""
    size = int(np.ceil(radius_cells + 2.5))
    v, u = np.mgrid[-size : size + 1, -size : size + 1].astype(np.float64)
    ring = np.exp(-0.5 * ((np.hypot(u, v) - radius_cells) / 0.8) ** 2)
    ring /= ring.sum()
    double = 2 * np.arctan2(v, u)
    return (ring * np.cos(double)).astype(np.float32), (ring * np.sin(double)).astype(np.float32)


def _disc_mean(image: Image, radius_px: float) -> Image:
    """Mean over a disc around each cell of what was seen there."""
    size = int(np.ceil(radius_px))
    v, u = np.mgrid[-size : size + 1, -size : size + 1]
    kernel = (np.hypot(u, v) <= radius_px).astype(np.float32)
    seen = np.isfinite(image).astype(np.float32)
    total = cv2.filter2D(np.where(seen > 0, image, 0).astype(np.float32), -1, kernel)
    count = cv2.filter2D(seen, -1, kernel)
    return np.where(count > 0.4 * kernel.sum(), total / np.maximum(count, 1), np.nan).astype(np.float32)
