"""Measure one road whose place is roughly known: axis and tips from colour edges, with their sigmas."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from rules.pieces import Pieces
from th_vision import tolerances
from th_vision.detect.axis import fit_axes, median_of
from th_vision.detect.kernel import bar_share, shown
from th_vision.detect.lines import Lines, band
from th_vision.detect.patch import finite_mean, strip
from th_vision.detect.plan import PlanView
from th_vision.detect.tips import Around, find_tips

Array = NDArray[np.float64]
ROADS_AT_ONCE = 32
"""So many roads are measured together: what they need fits the processor's cache."""
DEPTH_ROWS, DEPTH_ACROSS, EDGE_ROWS = 121, 5, 241
"""Places along and across a road at which depth is asked for its height, and along it for its edges."""


@dataclass(frozen=True)
class MeasuredRoad:
    """A road as measured: its tips on the top surface (3,), mm, table frame.

    ``tip_clear``: how clearly each tip shows an end edge, 0 to 1. ``edges``: share of both long edges seen, 0 to 1
    (NaN without colour). ``presence``: share of its length where depth shows its height. ``reading_mm``: median of
    height by depth minus what a road of this height would show. ``lift_mm``: by how much ends that lie below it may
    lift it without its being strange.
    """

    a: Array
    b: Array
    sigma_across: float
    sigma_along: float
    tip_clear: tuple[float, float]
    edges: float
    presence: float
    reading_mm: float
    depth_ends: tuple[float, float] = (float("nan"), float("nan"))
    lift_mm: float = 0.0

    @property
    def score(self) -> float:
        """How much speaks for it, about 0 to 3."""
        edges = 0.5 if np.isnan(self.edges) else self.edges
        rises = [z - tip[2] for z, tip in zip(self.depth_ends, (self.a, self.b), strict=True) if np.isfinite(z)]
        wrong_height = float(np.mean([abs(self._beyond(rise)) for rise in rises])) if rises else 0.0
        return (
            self.presence
            + edges
            + 0.5 * sum(self.tip_clear)
            - min(abs(self._beyond(self.reading_mm)) / 8.0, 1.0)
            - min(max(wrong_height - 3.0, 0.0) / 6.0, 1.5)
        )

    def _beyond(self, rise_mm: float) -> float:
        """What of a rise (mm) over the heights assumed is not explained by ends that may lie below."""
        return float(rise_mm - np.clip(rise_mm, 0.0, self.lift_mm))


@dataclass(frozen=True)
class Line:
    """Where a road is looked for: near ``a``-``b``, points (3,) of its axis at its top surface, mm.

    ``around``: what lies around its ends. ``known``: it is expected right here, so it is looked for nearby first.
    """

    a: Array
    b: Array
    around: Around = field(default_factory=Around)
    known: bool = False


def measure_roads(plan: PlanView, pieces: Pieces, lines: Sequence[Line]) -> list[MeasuredRoad]:
    """Refine roads, each near its line (points of its axis at its top surface; heights are taken as given).

    The line is fitted to both long edges at once, then the two tips are looked for along it, a stick's length apart.
    """
    out: list[MeasuredRoad] = []
    for start in range(0, len(lines), ROADS_AT_ONCE):
        out += _measure_some(plan, pieces, lines[start : start + ROADS_AT_ONCE])
    return out


def _measure_some(plan: PlanView, pieces: Pieces, lines: Sequence[Line]) -> list[MeasuredRoad]:
    a = np.array([line.a for line in lines], dtype=np.float64)
    b = np.array([line.b for line in lines], dtype=np.float64)
    runs = _runs(pieces, a, b)
    a, b, sigma_across = _axes(plan, pieces, a, b, np.array([line.known for line in lines]))
    axes = Lines(a, b)
    found = find_tips(plan, pieces, axes, runs, [line.around for line in lines], plan.eye)
    at = np.array([tips.at for tips in found])
    tip_a, tip_b = a + axes.along * at[:, :1], a + axes.along * at[:, 1:]
    presence, reading, depth_ends = _depth_check(plan, pieces, Lines(tip_a, tip_b))
    edges = _edge_share(plan, pieces, Lines(tip_a, tip_b))
    out = []
    for k, tips in enumerate(found):
        height_sigma = tolerances.ROAD_HEIGHT_SIGMA_MM * plan_tangent(plan, (tip_a[k] + tip_b[k]) / 2)
        out.append(
            MeasuredRoad(
                tip_a[k],
                tip_b[k],
                float(np.hypot(sigma_across[k], height_sigma)),
                tips.sigma_mm,
                tips.clear,
                float(edges[k]),
                float(presence[k]),
                float(reading[k]),
                (float(depth_ends[k, 0]), float(depth_ends[k, 1])),
                2 * pieces.stick.thickness,
            )
        )
    return out


def _axes(plan: PlanView, pieces: Pieces, a: Array, b: Array, known: NDArray[np.bool_]) -> tuple[Array, Array, Array]:
    """The lines a-b (n, 3) moved onto the roads' axes, first roughly and then closely, with their sigma (n,) mm.

    ``known`` ones need the rough step only where they are not found at once.
    """
    wide, near = tolerances.AXIS_REACH_MM
    sigma = np.full(len(a), plan.kernel_mm / 3)
    rough = np.ones(len(a), dtype=np.bool_)
    if known.any():
        new_a, new_b, new_sigma, good = fit_axes(plan, pieces, a[known], b[known], near)
        moved = np.maximum(*(np.hypot(*(new - old)[:, :2].T) for new, old in ((new_a, a[known]), (new_b, b[known]))))
        found = good & (moved < near / 2)
        here = np.flatnonzero(known)[found]
        a, b = a.copy(), b.copy()
        a[here], b[here], sigma[here] = new_a[found], new_b[found], new_sigma[found]
        rough[here] = False
    if rough.any():
        for reach in (wide, near):
            part_a, part_b, part_sigma, good = fit_axes(plan, pieces, a[rough], b[rough], reach)
            a, b = a.copy(), b.copy()
            a[rough], b[rough] = part_a, part_b
            sigma[np.flatnonzero(rough)[good]] = part_sigma[good]
    return a, b, sigma


def plan_tangent(plan: PlanView, point: Array) -> float:
    """How far (mm) a point moves in plan view when its height is wrong by 1 mm: tangent of the line of sight."""
    return float(np.hypot(*(plan.eye[:2] - point[:2])) / max(plan.eye[2] - point[2], 1.0))


def stick_color(plan: PlanView, pieces: Pieces, roads: Sequence[MeasuredRoad]) -> Array | None:
    """Median colour (3,) BGR of the roads' middles; None without colour or roads."""
    if plan.color is None or not roads:
        return None
    samples = []
    for road in roads:
        patch = strip(plan, road.a, road.b, 0.0, pieces.stick.width * 0.25, 1.0, height=False)
        assert patch.color is not None
        samples.append(patch.color.reshape(-1, 3))
    together = np.concatenate(samples)
    good = np.isfinite(together).all(axis=1)
    return np.asarray(np.median(together[good], axis=0), dtype=np.float64) if good.any() else None


def _runs(pieces: Pieces, a: Array, b: Array) -> Array:
    """(n,) plan lengths of sticks that slope like the lines a-b (n, 3), mm."""
    slope = np.arctan2(b[:, 2] - a[:, 2], np.hypot(*(b - a)[:, :2].T))
    return np.asarray(pieces.stick.length * np.cos(slope), dtype=np.float64)


def _depth_check(plan: PlanView, pieces: Pieces, roads: Lines) -> tuple[Array, Array, Array]:
    """What depth says of n roads (tip to tip): presence (n,), median difference to what each would show (n,), and the
    heights (n, 2) of its tips, mm; NaN where too little was seen."""
    inner = pieces.stick.width * 0.2
    t = np.linspace(-inner, inner, DEPTH_ACROSS)
    places = band(roads, plan.depth_pixels, np.zeros(len(roads.a)), roads.length, DEPTH_ROWS, t)
    seen = np.asarray(finite_mean(plan.heights_at(places.pixels), axis=2), dtype=np.float64)
    z = roads.a[:, 2:] + places.s * roads.along[:, 2:]
    blend = bar_share(pieces.stick.width, plan.kernel_mm, inner)
    slack = plan.road_slack(z)
    good = np.isfinite(seen)
    count = good.sum(axis=1)
    enough = count >= 0.3 * DEPTH_ROWS
    difference = np.where(good, seen - shown(z, blend, plan.usual_mm_per_px), 0.0)
    presence = np.where(enough, (good & (difference > -slack)).sum(axis=1) / np.maximum(count, 1), 0.0)
    reading = np.where(enough, median_of(difference, good), np.inf)
    heights = np.arange(0.0, tolerances.HIGHEST_COLUMN_MM + 20, 0.5)
    true = np.interp(np.nan_to_num(seen), shown(heights, blend, plan.usual_mm_per_px), heights)
    ends = np.where(enough[:, None], _low_lines(true, good), np.nan)
    return presence, reading, ends


def _low_lines(z: Array, good: NDArray[np.bool_]) -> Array:
    """(n, 2) values at the first and last of evenly spaced places of lines through most of z (n, places) where it is
    ``good``; what is higher (cars, crossing roads) counts little."""
    s = np.linspace(0, 1, z.shape[1])
    A = np.stack([1 - s, s], axis=1)
    products = np.stack([A[:, 0] ** 2, A[:, 0] * A[:, 1], A[:, 1] ** 2], axis=1)
    # near the ends the columns below and beside widen what is seen
    base = np.where(good, np.where((s > 0.12) & (s < 0.88), 1.0, 0.2), 0.0)

    def solved(weights: Array) -> Array:
        aa, ab, bb = (weights @ products).T
        one, two = ((weights * z) @ A).T
        determinant = np.maximum(aa * bb - ab * ab, 1e-9)
        return np.asarray(np.stack([bb * one - ab * two, aa * two - ab * one], axis=1) / determinant[:, None])

    beta = solved(base**2)
    for _ in range(15):
        residual = z - beta @ A.T
        scale = np.maximum(1.4826 * median_of(np.abs(residual), good), 0.4)
        above = np.where(residual > 0, 1.0, 3.0)  # what reads low is not covered by anything
        beta = solved(base / (1 + (residual / (above * scale[:, None])) ** 2))
    return beta


def _edge_share(plan: PlanView, pieces: Pieces, roads: Lines) -> Array:
    """(n,) mean clearness (0 to 1) of the two long edges of roads (tip to tip), the worse side counting double."""
    if plan.color is None:
        return np.full(len(roads.a), np.nan)
    sides = []
    inside = np.ones(len(roads.a), dtype=np.bool_)
    for side in (-0.5, 0.5):
        t = side * pieces.stick.width + np.linspace(-0.8, 0.8, 5)
        places = band(roads, plan.color_pixels, np.zeros(len(roads.a)), roads.length, EDGE_ROWS, t)
        along, _, across = places.edges(plan)
        inside &= np.isfinite(across).mean(axis=(1, 2)) >= 0.5
        sides.append(np.clip(np.nan_to_num(across - along), 0, 1).max(axis=2).mean(axis=1, dtype=np.float64))
    one, other = sides
    return np.asarray(np.where(inside, (np.minimum(one, other) * 2 + np.maximum(one, other)) / 3, np.nan))
