"""Where roads may lie: straight bars of the stick's width from column to column, or from a column to the table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rules.pieces import Pieces
from th_vision import tolerances
from th_vision.detect.columns import ColumnCandidate
from th_vision.detect.explained import Explained
from th_vision.detect.kernel import bar_share, shown
from th_vision.detect.patch import finite_mean
from th_vision.detect.plan import Image, PlanView

Array = NDArray[np.float64]
LINES_AT_ONCE = 256
"""So many lines are searched together: what they need fits the processor's cache."""


@dataclass(frozen=True)
class RoadCandidate:
    """A road that may lie along the line ``a``-``b`` (its axis on the top surface between its columns' centres, mm).

    ``presence``: share of its length where depth shows something as high as it. ``edges``: share of its two long
    edges seen in colour (NaN without colour).
    """

    a: Array
    b: Array
    presence: float
    edges: float
    score: float


def joinable_pairs(pieces: Pieces, columns: Sequence[ColumnCandidate]) -> list[tuple[int, int]]:
    """Pairs of columns (by their places, the first before the second) on which a stick's ends can rest."""
    x, y, levels = np.array([(c.x, c.y, c.levels) for c in columns], dtype=np.float64).reshape(-1, 3).T
    first, second = np.triu_indices(len(columns), 1)
    plan_distance = np.hypot(x[first] - x[second], y[first] - y[second])
    rise = np.abs(levels[first] - levels[second]) * pieces.disc.height
    length = np.hypot(plan_distance, rise)
    radius = pieces.disc.radius
    least = pieces.stick.length - 2 * radius - tolerances.STICK_LENGTH_SLACK_MM
    fits = (least <= length) & (length <= pieces.stick.length + 2 * radius)
    return list(zip(first[fits].tolist(), second[fits].tolist(), strict=True))


def fit_lines(plan: PlanView, pieces: Pieces, a: Array, b: Array) -> list[RoadCandidate | None]:
    """The best bar near each of n lines from ``a`` to ``b`` (n, 3), mm; its ends may lie off to the side by most of a
    disc's radius. None where depth shows nothing all along."""
    out: list[RoadCandidate | None] = []
    for start in range(0, len(a), LINES_AT_ONCE):
        out += _fit_some(plan, pieces, a[start : start + LINES_AT_ONCE], b[start : start + LINES_AT_ONCE])
    return out


def _fit_some(plan: PlanView, pieces: Pieces, a: Array, b: Array) -> list[RoadCandidate | None]:
    reach = pieces.disc.radius * 0.75
    half_width = pieces.stick.width / 2
    step = tolerances.ROAD_SEARCH_STEP_MM
    fraction = (np.arange(tolerances.ROAD_SEARCH_ROWS) + 0.5) / tolerances.ROAD_SEARCH_ROWS
    t = np.arange(-(reach + half_width), reach + half_width + step / 2, step)
    length = np.hypot(*(b - a)[:, :2].T)
    left = np.stack([-(b - a)[:, 1], (b - a)[:, 0]], axis=1) / length[:, None]
    # where all this appears is smooth: asked at five places along, on both rims, and interpolated
    nodes, rims = np.linspace(0, 1, 5), np.array([t[0], t[-1]])
    points = (a[:, None] + nodes[:, None] * (b - a)[:, None])[:, :, None].repeat(2, axis=2)
    points[..., :2] += rims[:, None] * left[:, None, None]
    along = np.stack([np.interp(fraction, nodes, row) for row in np.eye(len(nodes))], axis=1)
    across = np.stack([(rims[1] - t), (t - rims[0])], axis=1) / (rims[1] - rims[0])
    z = a[:, 2:] + fraction * (b - a)[:, 2:]  # (n, rows)

    def spread(pixels: Array) -> Array:
        """(n, rows, nt, 2) pixels between those of the nodes."""
        return np.stack([along @ (pixels[..., k] @ across.T) for k in (0, 1)], axis=-1)

    heights = plan.heights_at(spread(plan.depth_pixels(points)))
    present = _presence(plan, pieces, heights, z)
    offsets = np.arange(-reach, reach + 0.1, step)
    o1, o2 = (grid.ravel() for grid in np.meshgrid(offsets, offsets, indexing="ij"))
    lines = o1[:, None] + (o2 - o1)[:, None] * fraction  # (m, rows)
    rows = np.arange(len(fraction))

    def gather(values: Array, shift: float) -> Array:
        columns = np.clip(np.rint((lines + shift - t[0]) / step).astype(int), 0, len(t) - 1)
        return np.asarray(values[:, rows, columns], dtype=np.float64)  # (n, m, rows)

    depth = gather(present, 0.0)
    seen = np.isfinite(depth)
    # where nothing is seen all along, nothing speaks for a road
    presence = np.where(seen, depth, 0).sum(axis=-1) / np.maximum(seen.sum(axis=-1), 1)
    edges = np.full(presence.shape, np.nan)
    score = presence.copy()
    clear = np.zeros(len(a), dtype=np.bool_)
    if plan.color is not None:
        pixels = spread(plan.color_pixels(points))
        sides = pixels[:, :, -1] - pixels[:, :, 0]
        edge, inside = plan.edges_at(pixels, sides / np.linalg.norm(sides, axis=-1, keepdims=True))
        clear = inside.mean(axis=(1, 2)) > 0.5
        one, other = (gather(edge, shift).mean(axis=-1) for shift in (half_width, -half_width))
        edges = np.where(clear[:, None], np.minimum(one, other) * 0.5 + (one + other) * 0.25, np.nan)
    ridge = gather(np.nan_to_num(heights).astype(np.float64), 0.0).mean(axis=-1)
    ridge /= np.maximum(ridge.max(axis=1, keepdims=True), 1e-6)
    # without colour: how much the height on the line stands out over the heights beside it
    score += np.where(clear[:, None], np.nan_to_num(edges), 0.3 * ridge)
    best = np.argmax(score, axis=1)
    found: list[RoadCandidate | None] = []
    for k, m in enumerate(best):
        if not presence[k, m] > tolerances.ROAD_LEAST_PRESENCE:
            found.append(None)
            continue
        new_a, new_b = a[k].copy(), b[k].copy()
        new_a[:2] += o1[m] * left[k]
        new_b[:2] += o2[m] * left[k]
        found.append(RoadCandidate(new_a, new_b, float(presence[k, m]), float(edges[k, m]), float(score[k, m])))
    return found


def ramps_from(
    plan: PlanView, pieces: Pieces, columns: Sequence[ColumnCandidate], look: Explained | None = None
) -> list[tuple[int, RoadCandidate]]:
    """Bars from low columns (each by its place) down to the table, in whatever directions there are any that ``look``
    leaves open."""
    if not columns:
        return []
    angles = np.radians(np.arange(0, 360, tolerances.RAMP_SEARCH_STEP_DEG))
    tops = np.array([(c.x, c.y, c.levels * pieces.disc.height + pieces.stick.thickness) for c in columns])
    runs = np.sqrt(np.maximum(pieces.stick.length**2 - tops[:, 2] ** 2, 1.0))
    values = _ramp_presence(plan, pieces, tops, angles, runs, look)
    around = np.max([np.roll(values, step, axis=1) for step in (-2, -1, 1, 2)], axis=0)
    which: list[int] = []
    starts: list[Array] = []
    stops: list[Array] = []
    for i, k in np.argwhere((values >= tolerances.RAMP_LEAST_PRESENCE) & (values >= around)):
        a, way = tops[i], np.array([np.cos(angles[k]), np.sin(angles[k])])
        which.append(int(i))
        starts.append(a)
        stops.append(np.array([*(a[:2] + runs[i] * way), pieces.stick.thickness]))
    if not which:
        return []
    found = fit_lines(plan, pieces, np.array(starts), np.array(stops))
    return [(i, candidate) for i, candidate in zip(which, found, strict=True) if candidate is not None]


def _ramp_presence(
    plan: PlanView, pieces: Pieces, a: Array, angles: Array, run: Array, look: Explained | None
) -> Array:
    """Share (n, angles) of the high half of a ramp in each direction where depth shows it, 0 where all is explained;
    ramps begin at ``a`` (n, 3) and are ``run`` (n,) long in plan."""
    first = pieces.disc.radius / run
    fraction = first[:, None] + np.linspace(0, 1, 12) * (0.55 - first)[:, None]
    points = np.empty((len(a), len(angles), fraction.shape[1], 3))
    along = run[:, None, None] * fraction[:, None]
    points[..., 0] = a[:, 0, None, None] + np.cos(angles)[:, None] * along
    points[..., 1] = a[:, 1, None, None] + np.sin(angles)[:, None] * along
    points[..., 2] = (a[:, 2, None] + fraction * (pieces.stick.thickness - a[:, 2, None]))[:, None]
    heights = plan.heights(points)
    blend = bar_share(pieces.stick.width, plan.kernel_mm)
    expected = shown(points[..., 2], blend, plan.usual_mm_per_px)
    seen = np.isfinite(heights)
    low = np.maximum(0.3 * expected + 0.5, tolerances.ROAD_HEIGHT_SIGMAS * plan.noise_mm)
    there = seen & (heights > expected - low)
    share = there.sum(axis=-1) / np.maximum(seen.sum(axis=-1), 1)
    if look is not None:
        share = np.where(look.share_open(points) >= tolerances.OPEN_ROAD_SHARE, share, 0.0)
    return np.asarray(share, dtype=np.float64)


def _presence(plan: PlanView, pieces: Pieces, heights: Image, z: Array) -> Array:
    """(n, rows, nt) 1 where depth shows something at least as high as a road at heights z (n, rows), 0 where not, NaN
    unseen; ``heights`` (n, rows, nt) by depth."""
    smooth = _smooth_along(heights)
    expected = shown(z, bar_share(pieces.stick.width, plan.kernel_mm, 1.0), plan.usual_mm_per_px)[..., None]
    slack = plan.road_slack(z)[..., None]
    x = (smooth - (expected - slack)) / (slack / 3)
    return np.where(np.isfinite(smooth), 1 / (1 + np.exp(-np.clip(x, -30, 30))), np.nan)


def _smooth_along(heights: Image) -> Array:
    """Heights averaged with their neighbours along the road: the noise's own length, so nothing is lost."""
    padded = np.pad(heights, ((0, 0), (1, 1), (0, 0)), mode="edge")
    stacked = np.stack([padded[:, k : k + heights.shape[1]] for k in range(3)])
    return np.asarray(finite_mean(stacked, axis=0), dtype=np.float64)
