"""Measure one road whose place is roughly known: axis and tips from colour edges, with their sigmas."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from rules.pieces import Pieces
from th_vision import tolerances
from th_vision.detect.edges import edge_tensor
from th_vision.detect.kernel import bar_share, shown
from th_vision.detect.patch import Strip, finite_mean, strip
from th_vision.detect.plan import PlanView

Array = NDArray[np.float64]


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


def measure_road(
    plan: PlanView,
    pieces: Pieces,
    a: Array,
    b: Array,
    centers: tuple[Array | None, Array | None] = (None, None),
    others: tuple[tuple[Array, Array], ...] = (),
) -> MeasuredRoad:
    """Refine a road near the line a-b (points of its axis at its top surface; heights are taken as given).

    The line is fitted to both long edges at once, then the two tips are looked for along it, a stick's length apart.
    ``centers``: plan centres (2,) of the columns under its ends, None for an end that lies elsewhere.
    ``others``: tips of roads that lie near its ends; their outlines are not taken for its tips.
    """
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    run = _run(pieces, a, b)
    sigma_across = plan.kernel_mm / 3
    for reach in (4.0, 2.0):
        axis = _fit_axis(plan, pieces, a, b, reach)
        if axis is not None:
            a, b, sigma_across = axis
    beyond, half_width = pieces.disc.radius + 6, pieces.stick.width / 2 + 3
    patch = strip(plan, a, b, beyond, half_width, tolerances.STRIP_PITCH_MM, height=False)
    tips, clear, sigma_along = _find_tips(patch, pieces, run, centers, others, eye_of(plan))
    unit = (b - a) / patch.length
    tip_a, tip_b = a + unit * tips[0], a + unit * tips[1]
    presence, reading, depth_ends = _depth_check(plan, pieces, tip_a, tip_b)
    edges = _edge_share(plan, pieces, tip_a, tip_b)
    road = MeasuredRoad(
        tip_a, tip_b, sigma_across, sigma_along, clear, edges, presence, reading, depth_ends, 2 * pieces.stick.thickness
    )
    height_sigma = tolerances.ROAD_HEIGHT_SIGMA_MM * plan_tangent(plan, (tip_a + tip_b) / 2)
    return replace(road, sigma_across=float(np.hypot(sigma_across, height_sigma)))


def plan_tangent(plan: PlanView, point: Array) -> float:
    """How far (mm) a point moves in plan view when its height is wrong by 1 mm: tangent of the line of sight."""
    eye = eye_of(plan)
    return float(np.hypot(*(eye[:2] - point[:2])) / max(eye[2] - point[2], 1.0))


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


def eye_of(plan: PlanView) -> Array:
    """Centre (3,) of the camera that places things in plan: colour, or depth where there is none; table frame, mm."""
    camera = plan.table.T_color_table if plan.table.camera.color is not None else plan.table.T_depth_table
    return np.asarray(np.linalg.inv(camera)[:3, 3], dtype=np.float64)


def _run(pieces: Pieces, a: Array, b: Array) -> float:
    """Plan length of a stick that slopes like a-b, mm."""
    slope = np.arctan2(b[2] - a[2], np.hypot(*(b - a)[:2]))
    return float(pieces.stick.length * np.cos(slope))


def _fit_axis(plan: PlanView, pieces: Pieces, a: Array, b: Array, reach_mm: float) -> tuple[Array, Array, float] | None:
    """Shift both points sideways so that a-b is the middle between the two long edges in colour; with its sigma."""
    if plan.color is None:
        return None
    half_width = pieces.stick.width / 2
    pitch = tolerances.STRIP_PITCH_MM
    patch = strip(plan, a, b, 0.0, half_width + reach_mm + 2, pitch / 2, along_mm=pitch, height=False)
    if patch.color is None or np.isfinite(patch.color).mean() < 0.9:
        return None
    smooth = cv2.GaussianBlur(patch.color, (0, 0), sigmaX=1.2, sigmaY=1.5)
    slope = np.linalg.norm(np.gradient(smooth, axis=1), axis=2)
    found_s, found_t, found_w = [], [], []
    pitch = patch.t[1] - patch.t[0]
    for side in (-1.0, 1.0):
        window = np.abs(patch.t - side * half_width) <= reach_mm
        part = slope[:, window] * np.exp(-0.5 * ((patch.t[window] - side * half_width) / reach_mm) ** 2)
        best = np.argmax(part, axis=1)
        inner = np.clip(best, 1, part.shape[1] - 2)
        rows = np.arange(len(part))
        left, mid, right = part[rows, inner - 1], part[rows, inner], part[rows, inner + 1]
        bend = left - 2 * mid + right
        sub = np.where(np.abs(bend) > 1e-9, 0.5 * (left - right) / np.where(np.abs(bend) > 1e-9, bend, 1), 0)
        found_s.append(patch.s)
        found_t.append(patch.t[window][inner] + np.clip(sub, -1, 1) * pitch - side * half_width)
        found_w.append(part[rows, best] > tolerances.EDGE_CONTRAST / 4)
    s, t, w = np.concatenate(found_s), np.concatenate(found_t), np.concatenate(found_w)
    side_sign = np.concatenate([-np.ones(len(patch.s)), np.ones(len(patch.s))])
    if w.sum() < 0.5 * len(w):
        return None
    # t = offset + tilt*s + side*extra width: the width may differ from the nominal by its tolerance
    A = np.stack([np.ones(len(s)), s / patch.length - 0.5, side_sign], axis=1)
    weights = w.astype(np.float64)
    beta = np.zeros(3)
    beta[0] = _consensus(t[w])
    scatter = reach_mm / 2
    for _ in range(12):
        residual = t - A @ beta
        weights = w / (1 + (residual / (1.5 * scatter)) ** 2) ** 2
        penalty = np.diag([0.0, 0.0, weights.sum() * (scatter / tolerances.STICK_WIDTH_SIGMA_MM) ** 2 / len(s)])
        beta = np.linalg.solve(A.T @ (A * weights[:, None]) + penalty, A.T @ (weights * t))
        scatter = max(1.4826 * float(np.median(np.abs((t - A @ beta)[w]))), 0.05)
    covariance = np.linalg.inv(A.T @ (A * weights[:, None]) + penalty) * scatter**2
    pixel = plan.table.distance_mm / (plan.table.camera.color.fx if plan.table.camera.color else 1.0)
    sigma = np.sqrt(
        (covariance[0, 0] + covariance[1, 1] / 4) * tolerances.AXIS_CORRELATION
        + (tolerances.COLOR_EDGE_SIGMA_PX * pixel) ** 2
    )
    unit = (b - a)[:2] / patch.length
    left_unit = np.array([-unit[1], unit[0]])
    new_a, new_b = a.copy(), b.copy()
    new_a[:2] += left_unit * (beta[0] - beta[1] / 2)
    new_b[:2] += left_unit * (beta[0] + beta[1] / 2)
    return new_a, new_b, float(sigma)


def _consensus(values: Array) -> float:
    """The value that most others lie near (within 0.5 mm)."""
    grid = np.linspace(values.min(), values.max(), 60)
    support = np.array([np.exp(-0.5 * ((values - g) / 0.5) ** 2).sum() for g in grid])
    return float(grid[int(np.argmax(support))])


def _find_tips(
    patch: Strip,
    pieces: Pieces,
    run: float,
    centers: tuple[Array | None, Array | None],
    others: tuple[tuple[Array, Array], ...],
    eye: Array,
) -> tuple[tuple[float, float], tuple[float, float], float]:
    """Positions of both tips along the strip (mm from a), how clear each is (0 to 1), and the sigma along.

    A rim of the column below can look like a tip: edges there don't count. Where neither tip is clear (other roads
    lie on both), the stick is put in the middle of where the columns allow it, with the sigma of that range.
    """
    slack = tolerances.STICK_LENGTH_SLACK_MM
    radius = pieces.disc.radius
    lengthwise = (patch.b - patch.a)[:2] / patch.length
    at = [float((center - patch.a[:2]) @ lengthwise) if center is not None else None for center in centers]
    low_start, high_start = _start_range(at, patch.length, run, radius)
    blind = ((low_start + high_start) / 2, (low_start + high_start) / 2 + run)
    blind_sigma = max((high_start - low_start) / np.sqrt(12), tolerances.TIP_SIGMA_MM)
    if patch.color is None or np.isfinite(patch.color).all(axis=-1).mean() < 0.6:
        return blind, (0.0, 0.0), blind_sigma
    pitch = patch.s[1] - patch.s[0]
    own = _own_color(patch, pieces)
    step = max(1, round(3.0 / pitch))
    # a true tip has the stick's own colour inside of it and less of it outside
    before, after = np.roll(own, step), np.roll(own, -step)
    edge = _end_edges(patch, pieces, _outlines_of(patch, pieces, others))
    usable = _off_rims(patch, centers, radius, eye)
    strength = (
        edge[0] * np.clip(0.15 + after - before, 0, 1) * usable,
        edge[1] * np.clip(0.15 + before - after, 0, 1) * usable,
    )
    margin = tolerances.TIP_BEYOND_MM
    starts = np.arange(
        max(patch.s[0] + 1, low_start - margin), min(patch.s[-1] - run - 1, high_start + margin), pitch / 2
    )
    if len(starts) == 0:
        return blind, (0.0, 0.0), blind_sigma
    spread = np.arange(-slack, slack + 0.01, pitch / 2)
    first = np.interp(starts, patch.s, strength[0])
    second = np.interp(starts[:, None] + run + spread, patch.s, strength[1])
    prior = -0.12 * (spread / (slack / 2)) ** 2
    together = first[:, None] + second + prior
    k, m = np.unravel_index(int(np.argmax(together)), together.shape)
    clear = float(np.clip(first[k], 0, 1)), float(np.clip(second[k, m], 0, 1))
    start, stop = float(starts[k]), float(starts[k] + run + spread[m])
    if max(clear) <= tolerances.LONE_TIP_CLEAR and min(clear) <= tolerances.TIP_CLEAR:
        return blind, clear, blind_sigma
    sigma = tolerances.TIP_SIGMA_MM
    if min(clear) <= tolerances.TIP_CLEAR:  # only one tip is clear: the other follows from the length
        start, stop = (start, start + run) if clear[0] > clear[1] else (stop - run, stop)
        sigma = float(np.hypot(sigma, tolerances.STICK_LENGTH_SIGMA_MM))
    return (start, stop), clear, sigma


def _start_range(at: list[float | None], length: float, run: float, radius: float) -> tuple[float, float]:
    """Between which places (mm along the strip) the first tip can lie so that both ends rest on their columns."""
    low, high = -np.inf, np.inf
    if at[0] is not None:
        low, high = at[0] - radius, at[0] + radius * 0.6
    if at[1] is not None:
        low, high = max(low, at[1] - radius * 0.6 - run), min(high, at[1] + radius - run)
    if not np.isfinite(low) or not np.isfinite(high):
        middle = (length - run) / 2
        return middle - radius, middle + radius
    return (low, high) if low <= high else ((low + high) / 2, (low + high) / 2)


def _off_rims(patch: Strip, centers: tuple[Array | None, Array | None], radius: float, eye: Array) -> Array:
    """(ns,) 0 where the strip's middle passes a rim of the columns below or their sides as the ``eye`` sees them.

    The side of a column is in shade and looks like a stick that sticks out; its lower rim looks like that stick's tip.
    """
    usable = np.ones(len(patch.s))
    along = (patch.b - patch.a)[:2] / patch.length
    left = np.array([-along[1], along[0]])
    for center, top in zip(centers, (patch.a[2], patch.b[2]), strict=True):
        if center is None:
            continue
        foot = center + (eye[:2] - center) * (top / eye[2])  # where the foot appears at the height of the strip
        rim, lower = (_crossings(patch.a[:2], along, left, middle, radius) for middle in (center, foot))
        if rim is None:
            continue
        ends = (min(rim[0], lower[0]), max(rim[1], lower[1])) if lower is not None else rim
        blind = tolerances.RIM_BLIND_MM
        for low, high in ((ends[0], rim[0]), (rim[1], ends[1])):
            usable[(patch.s > low - blind) & (patch.s < high + blind)] = 0.0
    return usable


def _crossings(start: Array, along: Array, left: Array, center: Array, radius: float) -> tuple[float, float] | None:
    """Where (mm along) a line through ``start`` enters and leaves a circle; None where it misses it."""
    s, t = float((center - start) @ along), float((center - start) @ left)
    if abs(t) >= radius:
        return None
    half = float(np.sqrt(radius**2 - t**2))
    return s - half, s + half


def _own_color(patch: Strip, pieces: Pieces) -> Array:
    """(ns,) 1 where the middle of the strip has the colour of the stick's middle part, falling to 0 where it hasn't."""
    assert patch.color is not None
    inner = np.abs(patch.t) <= pieces.stick.width * 0.25
    line = np.median(patch.color[:, inner], axis=1)
    body = (patch.s > 0.2 * patch.length) & (patch.s < 0.8 * patch.length)
    usual = np.median(line[body], axis=0)
    scatter = np.median(np.abs(line[body] - usual), axis=0) * 1.4826
    spread = np.minimum(scatter, tolerances.OWN_COLOR_STEP) + tolerances.OWN_COLOR_STEP
    distance = np.linalg.norm((line - usual) / spread, axis=1) / np.sqrt(3)
    return np.asarray(np.nan_to_num(np.exp(-0.5 * distance**2)), dtype=np.float64)


def _outlines_of(patch: Strip, pieces: Pieces, others: tuple[tuple[Array, Array], ...]) -> NDArray[np.bool_]:
    """(ns, nt) True on the outlines of other roads."""
    s, t = np.meshgrid(patch.s, patch.t, indexing="ij")
    along = (patch.b - patch.a)[:2] / patch.length
    left = np.array([-along[1], along[0]])
    out = np.zeros(s.shape, dtype=np.bool_)
    half_width = pieces.stick.width / 2
    for tip_a, tip_b in others:
        ends = np.array([tip_a[:2], tip_b[:2]]) - patch.a[:2]
        p, q = (np.array([end @ along, end @ left]) for end in ends)
        way = (q - p) / np.hypot(*(q - p))
        p, q = p + way * half_width, q - way * half_width  # the capsule's axis ends a radius before the tips
        span = q - p
        at = np.clip(((s - p[0]) * span[0] + (t - p[1]) * span[1]) / (span @ span), 0, 1)
        distance = np.hypot(s - p[0] - at * span[0], t - p[1] - at * span[1])
        out |= np.abs(distance - half_width) < tolerances.RIM_BLIND_MM
    return out


def _end_edges(patch: Strip, pieces: Pieces, ignore: NDArray[np.bool_]) -> tuple[Array, Array]:
    """(2, ns) strength 0 to 1 of an edge shaped like the stick's first and second tip at every place along it."""
    assert patch.color is not None
    xx, xy, yy = (np.where(ignore, 0, part) for part in edge_tensor(patch.color))
    radius = pieces.stick.width / 2
    across = np.linspace(-0.75 * radius, 0.75 * radius, 9)
    pitch_t = patch.t[1] - patch.t[0]
    columns = np.clip(np.rint((across - patch.t[0]) / pitch_t).astype(int), 0, len(patch.t) - 1)
    round_ends = pieces.stick.ends == "round"
    back = radius - np.sqrt(radius**2 - across**2) if round_ends else np.zeros_like(across)
    out = []
    for sign in (1.0, -1.0):  # the first tip's outline lies at +back (inwards), the second's at -back
        total = np.zeros(len(patch.s))
        for k, column in enumerate(columns):
            slope_t = across[k] / radius if round_ends else 0.0
            normal_s, normal_t = -sign * np.sqrt(1 - slope_t**2), slope_t
            votes = yy[:, column] * normal_s**2 + xx[:, column] * normal_t**2 + 2 * xy[:, column] * normal_s * normal_t
            against = (
                xx[:, column] * normal_s**2 + yy[:, column] * normal_t**2 - 2 * xy[:, column] * normal_s * normal_t
            )
            total += np.interp(patch.s + sign * back[k], patch.s, votes - against)
        out.append(np.clip(total / len(columns), 0, 1))
    return out[0], out[1]


def _depth_check(plan: PlanView, pieces: Pieces, a: Array, b: Array) -> tuple[float, float, tuple[float, float]]:
    """What depth says of a road: presence, median difference to what it would show, heights of its tips (mm)."""
    patch = strip(plan, a, b, 0.0, pieces.stick.width * 0.2, tolerances.STRIP_PITCH_MM * 2, color=False)
    seen = np.asarray(finite_mean(patch.height, axis=1), dtype=np.float64)
    blend = bar_share(pieces.stick.width, plan.kernel_mm, pieces.stick.width * 0.2)
    expected = shown(patch.z, blend, plan.usual_mm_per_px)
    slack = tolerances.ROAD_HEIGHT_SLACK_MM + tolerances.ROAD_HEIGHT_SLACK * patch.z
    good = np.isfinite(seen)
    if good.sum() < 0.3 * len(seen):
        return 0.0, float("inf"), (float("nan"), float("nan"))
    difference = (seen - expected)[good]
    heights = np.arange(0.0, tolerances.HIGHEST_COLUMN_MM + 20, 0.5)
    true = np.interp(seen[good], shown(heights, blend, plan.usual_mm_per_px), heights)
    ends = _low_line(patch.s[good] / patch.length, true)
    return float(np.mean(difference > -slack[good])), float(np.median(difference)), ends


def _low_line(s: Array, z: Array) -> tuple[float, float]:
    """Values at s = 0 and s = 1 of a line through most points; what is higher (cars, crossing roads) counts little."""
    A = np.stack([1 - s, s], axis=1)
    # near the ends the columns below and beside widen what is seen
    weights = np.where((s > 0.12) & (s < 0.88), 1.0, 0.2)
    beta = np.linalg.lstsq(A * weights[:, None], z * weights, rcond=None)[0]
    for _ in range(15):
        residual = z - A @ beta
        scale = max(1.4826 * float(np.median(np.abs(residual))), 0.4)
        above = np.where(residual > 0, 1.0, 3.0)  # what reads low is not covered by anything
        w = weights / (1 + (residual / (above * scale)) ** 2)
        beta = np.linalg.solve(A.T @ (A * w[:, None]), A.T @ (w * z))
    return float(beta[0]), float(beta[1])


def _edge_share(plan: PlanView, pieces: Pieces, a: Array, b: Array) -> float:
    """Mean clearness (0 to 1) of the two long edges, the worse side counting double."""
    if plan.color is None:
        return float("nan")
    half_width = pieces.stick.width / 2
    patch = strip(plan, a, b, 0.0, half_width + 2.5, tolerances.STRIP_PITCH_MM, height=False)
    if patch.color is None or np.isfinite(patch.color).mean() < 0.5:
        return float("nan")
    xx, _, yy = edge_tensor(patch.color)
    along = np.clip(xx - yy, 0, 1)
    sides = []
    for side in (-half_width, half_width):
        window = np.abs(patch.t - side) <= 0.8
        sides.append(float(along[:, window].max(axis=1).mean()))
    return (min(sides) * 2 + max(sides)) / 3
