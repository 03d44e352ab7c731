"""Where roads may lie: straight bars of the stick's width from column to column, or from a column to the table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rules.pieces import Pieces
from th_vision import tolerances
from th_vision.detect.columns import ColumnCandidate, edge_tensor
from th_vision.detect.kernel import bar_share, shown
from th_vision.detect.patch import Strip, finite_mean, strip
from th_vision.detect.plan import PlanView

Array = NDArray[np.float64]


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


def joinable(pieces: Pieces, a: ColumnCandidate, b: ColumnCandidate) -> bool:
    """Whether a stick's ends can rest on both columns."""
    plan_distance = float(np.hypot(a.x - b.x, a.y - b.y))
    rise = abs(a.levels - b.levels) * pieces.disc.height
    length = float(np.hypot(plan_distance, rise))
    radius = pieces.disc.radius
    least = pieces.stick.length - 2 * radius - tolerances.STICK_LENGTH_SLACK_MM
    most = pieces.stick.length + 2 * radius
    return least <= length <= most


def fit_line(plan: PlanView, pieces: Pieces, a: Array, b: Array) -> RoadCandidate | None:
    """The best bar near the line a-b between two columns' centres; its ends may be off to the side on them."""
    radius = pieces.disc.radius
    width = pieces.stick.width
    reach = radius * 0.75
    pitch = tolerances.STRIP_PITCH_MM
    half = reach + width / 2 + 6
    patch = strip(plan, a, b, radius + 4, half, pitch)
    inside = (patch.s >= 0) & (patch.s <= patch.length)
    present = _presence(plan, pieces, patch)
    offsets = np.arange(-reach, reach + 0.1, tolerances.ROAD_SEARCH_STEP_MM)
    fraction = np.clip(patch.s / patch.length, 0, 1)
    o1, o2 = np.meshgrid(offsets, offsets, indexing="ij")
    lines = o1[..., None] + (o2 - o1)[..., None] * fraction  # (n, n, ns)
    score = np.zeros(o1.shape)
    rows = np.flatnonzero(inside)
    depth_score = _gather(present, patch, rows, lines[..., rows])
    seen = np.isfinite(depth_score)
    # where nothing is seen all along, nothing speaks for a road
    presence = np.where(seen, depth_score, 0).sum(axis=-1) / np.maximum(seen.sum(axis=-1), 1)
    edges = np.full(o1.shape, np.nan)
    if patch.color is not None and np.isfinite(patch.color).mean() > 0.5:
        along, _, _ = edge_tensor(patch.color)
        left = _gather(along, patch, rows, lines[..., rows] + width / 2).mean(axis=-1)
        right = _gather(along, patch, rows, lines[..., rows] - width / 2).mean(axis=-1)
        edges = np.minimum(left, right) * 0.5 + (left + right) * 0.25
        score = presence + edges
    else:
        score = presence + 0.3 * _ridge(patch, rows, lines[..., rows])
    row, column = divmod(int(np.argmax(score)), score.shape[1])
    best = (row, column)
    if not presence[best] > tolerances.ROAD_LEAST_PRESENCE:
        return None
    along_unit = (b - a)[:2] / patch.length
    left_unit = np.array([-along_unit[1], along_unit[0]])
    new_a, new_b = a.copy(), b.copy()
    new_a[:2] = a[:2] + o1[best] * left_unit
    new_b[:2] = b[:2] + o2[best] * left_unit
    return RoadCandidate(
        a=new_a,
        b=new_b,
        presence=float(presence[best]),
        edges=float(edges[best]),
        score=float(score[best]),
    )


def ramps_from(plan: PlanView, pieces: Pieces, column: ColumnCandidate) -> list[RoadCandidate]:
    """Bars from a low column down to the table, in whatever directions there are any."""
    top = column.levels * pieces.disc.height + pieces.stick.thickness
    run = float(np.sqrt(max(pieces.stick.length**2 - top**2, 1.0)))
    a = np.array([column.x, column.y, top])
    angles = np.arange(0, 360, tolerances.RAMP_SEARCH_STEP_DEG)
    values = _ramp_presence(plan, pieces, a, np.radians(angles), run)
    out = []
    for k, value in enumerate(values):
        around = [values[(k + step) % len(values)] for step in (-2, -1, 1, 2)]
        if value < tolerances.RAMP_LEAST_PRESENCE or value < max(around):
            continue
        direction = np.array([np.cos(np.radians(angles[k])), np.sin(np.radians(angles[k]))])
        b = np.array([*(a[:2] + direction * run), pieces.stick.thickness])
        candidate = fit_line(plan, pieces, a, b)
        if candidate is not None:
            out.append(candidate)
    return out


def _ramp_presence(plan: PlanView, pieces: Pieces, a: Array, angles: Array, run: float) -> Array:
    """Share (n,) of the high half of a ramp in each direction where depth shows it."""
    fraction = np.linspace(pieces.disc.radius / run, 0.55, 12)
    points = np.empty((len(angles), len(fraction), 3))
    points[..., 0] = a[0] + run * np.cos(angles)[:, None] * fraction
    points[..., 1] = a[1] + run * np.sin(angles)[:, None] * fraction
    points[..., 2] = a[2] + fraction * (pieces.stick.thickness - a[2])
    heights = plan.heights(points)
    blend = bar_share(pieces.stick.width, plan.kernel_mm)
    expected = shown(points[..., 2], blend, plan.usual_mm_per_px)
    seen = np.isfinite(heights)
    there = seen & (heights > 0.7 * expected - 0.5)
    return np.asarray(there.sum(axis=1) / np.maximum(seen.sum(axis=1), 1), dtype=np.float64)


def _presence(plan: PlanView, pieces: Pieces, patch: Strip) -> Array:
    """(ns, nt) 1 where depth shows something at least as high as the road would be seen, 0 where not, NaN unseen."""
    mm_per_px = plan.usual_mm_per_px
    expected = shown(patch.z, bar_share(pieces.stick.width, plan.kernel_mm, 1.0), mm_per_px)[:, None]
    smooth = _smooth_along(patch)
    slack = tolerances.ROAD_HEIGHT_SLACK_MM + tolerances.ROAD_HEIGHT_SLACK * patch.z[:, None]
    x = (smooth - (expected - slack)) / (slack / 3)
    return np.where(np.isfinite(smooth), 1 / (1 + np.exp(-np.clip(x, -30, 30))), np.nan)


def _smooth_along(patch: Strip) -> Array:
    """Heights averaged over a few mm along the road: the noise's own length, so nothing is lost."""
    pitch = patch.s[1] - patch.s[0]
    reach = max(1, round(3.0 / pitch))
    stacked = np.stack([np.roll(patch.height, k, axis=0) for k in range(-reach, reach + 1)])
    return np.asarray(finite_mean(stacked, axis=0), dtype=np.float64)


def _ridge(patch: Strip, rows: NDArray[np.intp], lines: Array) -> Array:
    """Without colour: how much the height on the line stands out over the height beside it, in parts of its height."""
    heights = np.nan_to_num(patch.height).astype(np.float64)
    middle = _gather(heights, patch, rows, lines).mean(axis=-1)
    return np.asarray(middle / max(float(np.nanmax(middle)), 1e-6), dtype=np.float64)


def _gather(values: Array | NDArray[np.float32], patch: Strip, rows: NDArray[np.intp], across: Array) -> Array:
    """Values at (row, t) for arrays of t (..., len(rows)), nearest sample."""
    pitch = patch.t[1] - patch.t[0]
    columns = np.clip(np.rint((across - patch.t[0]) / pitch).astype(int), 0, len(patch.t) - 1)
    return np.asarray(values[rows, columns], dtype=np.float64)
