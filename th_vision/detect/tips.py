"""Tips of roads: two round ends a stick's length apart, looked for in colour along axes that are known already."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rules.pieces import Pieces
from th_vision import tolerances
from th_vision.detect.lines import Band, Lines, band
from th_vision.detect.plan import Image, PlanView
from th_vision.support import on_ray

Array = NDArray[np.float64]
Outlines = tuple[tuple[Array, Array], ...]
"""Roads by their tips (3,)."""
ROWS = 280
"""Places along a road, from past its one end to past its other one, at which tips are looked for."""


@dataclass(frozen=True)
class Around:
    """What lies around a road's ends. ``centers``: plan centres (2,) of the columns below, None for an end that lies
    elsewhere. ``others``: tips of roads near its ends, whose outlines are not to be taken for its tips. ``below``: tips
    of roads that its ends are known to lie on: its tips are seen in front of them, and their outlines beyond."""

    centers: tuple[Array | None, Array | None] = (None, None)
    others: Outlines = ()
    below: Outlines = ()


@dataclass(frozen=True)
class Tips:
    """Where both tips lie along a line (mm from its first point), how clear each is (0 to 1), and their sigma, mm."""

    at: tuple[float, float]
    clear: tuple[float, float]
    sigma_mm: float


def find_tips(
    plan: PlanView, pieces: Pieces, lines: Lines, runs: Array, around: Sequence[Around], eye: Array
) -> list[Tips]:
    """The tips of a stick on each of n lines; ``runs``: the sticks' plan lengths (n,), mm; ``eye``: the camera (3,).

    A rim of the column below can look like a tip: edges there don't count. Where neither tip is clear (other roads
    lie on both), the stick is put in the middle of where the columns allow it, with the sigma of that range.
    """
    ranges = [
        _start_range(_along(lines, k, one.centers), float(lines.length[k]), float(runs[k]), pieces.disc.radius)
        for k, one in enumerate(around)
    ]
    if plan.color is None or not len(runs):
        return [_blind(low, high, float(run)) for (low, high), run in zip(ranges, runs, strict=True)]
    beyond = np.full(len(runs), pieces.disc.radius + 6)
    radius = pieces.stick.width / 2
    across = np.linspace(-0.75 * radius, 0.75 * radius, 9)
    places = band(lines, plan.color_pixels, -beyond, lines.length + beyond, ROWS, across)
    inner = places.pixels[:, :, np.abs(across) <= pieces.stick.width * 0.25]
    color = plan.colors_at(inner)
    visible = np.isfinite(color).mean(axis=(1, 2, 3)) >= 0.6
    own = _own_color(color, places.s, lines.length)
    below = [tuple(_as_seen(lines, k, tips, eye) for tips in one.below) for k, one in enumerate(around)]
    first, second = _end_edges(plan, pieces, places, around, below, lines)
    out = []
    for k, one in enumerate(around):
        low, high = ranges[k]
        if not visible[k]:
            out.append(_blind(low, high, float(runs[k])))
            continue
        s = places.s[k]
        # a true tip has the stick's own colour inside of it and less of it outside
        step = max(1, round(3.0 / float(s[1] - s[0])))
        # ... but where it lies on another stick that has nearly its colour
        less = np.where(_over(pieces, lines, k, s, below[k]), tolerances.TIP_ON_STICK, 1.0) * own[k]
        before, after = np.roll(own[k], step), np.roll(own[k], -step)
        usable = _off_rims(lines, k, s, one.centers, pieces.disc.radius, eye)
        strength = (
            first[k] * np.clip(0.15 + after - np.roll(less, step), 0, 1) * usable,
            second[k] * np.clip(0.15 + before - np.roll(less, -step), 0, 1) * usable,
        )
        out.append(_best_pair(s, strength, float(runs[k]), low, high))
    return out


def _blind(low: float, high: float, run: float, clear: tuple[float, float] = (0.0, 0.0)) -> Tips:
    """Tips that are not seen: in the middle of where the columns allow them."""
    start = (low + high) / 2
    anywhere = (high - low) / float(np.sqrt(12))
    sigma = anywhere * tolerances.TIPS_UNSEEN_MM / max(float(np.hypot(anywhere, tolerances.TIPS_UNSEEN_MM)), 1e-9)
    return Tips((start, start + run), clear, max(sigma, tolerances.TIP_SIGMA_MM))


def _best_pair(s: Array, strength: tuple[Array, Array], run: float, low: float, high: float) -> Tips:
    """The pair of tips about a stick's length apart that is seen best, the first one between ``low`` and ``high``."""
    slack = tolerances.STICK_LENGTH_SLACK_MM
    margin = tolerances.TIP_BEYOND_MM
    pitch = tolerances.STRIP_PITCH_MM / 2
    starts = np.arange(max(s[0] + 1, low - margin), min(s[-1] - run - 1, high + margin), pitch)
    if len(starts) == 0:
        return _blind(low, high, run)
    spread = np.arange(-slack, slack + 0.01, pitch)
    first = np.interp(starts, s, strength[0])
    second = np.interp(starts[:, None] + run + spread, s, strength[1])
    prior = -0.12 * (spread / (slack / 2)) ** 2
    together = first[:, None] + second + prior
    k, m = np.unravel_index(int(np.argmax(together)), together.shape)
    clear = float(np.clip(first[k], 0, 1)), float(np.clip(second[k, m], 0, 1))
    start, stop = float(starts[k]), float(starts[k] + run + spread[m])
    if max(clear) <= tolerances.LONE_TIP_CLEAR and min(clear) <= tolerances.TIP_CLEAR:
        return _blind(low, high, run, clear)
    sigma = tolerances.TIP_SIGMA_MM
    if min(clear) <= tolerances.TIP_CLEAR:  # only one tip is clear: the other follows from the length
        start, stop = (start, start + run) if clear[0] > clear[1] else (stop - run, stop)
        sigma = float(np.hypot(sigma, tolerances.STICK_LENGTH_SIGMA_MM))
    else:
        # no stick is so long or so short: what looks like one of its tips, or like both, is something else
        odd = max(abs(float(spread[m])) - 2 * tolerances.STICK_LENGTH_SIGMA_MM, 0.0)
        sigma = float(np.hypot(sigma, odd / np.sqrt(2)))
    return Tips((start, stop), clear, sigma)


def _along(lines: Lines, k: int, centers: tuple[Array | None, Array | None]) -> list[float | None]:
    """How far along line k the columns stand, mm."""
    start, way = lines.a[k, :2], lines.along[k, :2]
    return [None if center is None else float((center - start) @ way) for center in centers]


def _start_range(at: list[float | None], length: float, run: float, radius: float) -> tuple[float, float]:
    """Between which places (mm along the line) the first tip can lie so that both ends rest on their columns."""
    low, high = -np.inf, np.inf
    if at[0] is not None:
        low, high = at[0] - radius, at[0] + radius * 0.6
    if at[1] is not None:
        low, high = max(low, at[1] - radius * 0.6 - run), min(high, at[1] + radius - run)
    if not np.isfinite(low) or not np.isfinite(high):
        middle = (length - run) / 2
        return middle - radius, middle + radius
    # columns that it can't reach at once are not quite where they seem to be
    slack = tolerances.STICK_LENGTH_SLACK_MM
    return (low, high) if low <= high else (high - slack, low + slack)


def _off_rims(
    lines: Lines, k: int, s: Array, centers: tuple[Array | None, Array | None], radius: float, eye: Array
) -> Array:
    """(ns,) 0 where line k passes a rim of the columns below or their sides as the ``eye`` sees them.

    The side of a column is in shade and looks like a stick that sticks out; its lower rim looks like that stick's tip.
    """
    usable = np.ones(len(s))
    start, along, left = lines.a[k, :2], lines.along[k, :2], lines.left[k]
    for center, top in zip(centers, (lines.a[k, 2], lines.b[k, 2]), strict=True):
        if center is None:
            continue
        foot = center + (eye[:2] - center) * (top / eye[2])  # where the foot appears at the height of the line
        rim, lower = (_crossings(start, along, left, middle, radius) for middle in (center, foot))
        if rim is None:
            continue
        ends = (min(rim[0], lower[0]), max(rim[1], lower[1])) if lower is not None else rim
        blind = tolerances.RIM_BLIND_MM
        for low, high in ((ends[0], rim[0]), (rim[1], ends[1])):
            usable[(s > low - blind) & (s < high + blind)] = 0.0
    return usable


def _crossings(start: Array, along: Array, left: Array, center: Array, radius: float) -> tuple[float, float] | None:
    """Where (mm along) a line through ``start`` enters and leaves a circle; None where it misses it."""
    s, t = float((center - start) @ along), float((center - start) @ left)
    if abs(t) >= radius:
        return None
    half = float(np.sqrt(radius**2 - t**2))
    return s - half, s + half


def _own_color(color: Image, s: Array, length: Array) -> Array:
    """(n, ns) 1 where the middle of a line has the colour of its own middle part, falling to 0 where it hasn't.

    ``color``: (n, ns, nt, 3) across the stick's inner part.
    """
    line = np.median(color, axis=2)
    inside = np.isfinite(line).all(axis=2)
    body = (s > 0.2 * length[:, None]) & (s < 0.8 * length[:, None]) & inside
    out = np.zeros(s.shape)
    for k in np.flatnonzero(body.any(axis=1)):
        part = line[k, body[k]]
        usual = np.median(part, axis=0)
        scatter = np.median(np.abs(part - usual), axis=0) * 1.4826
        spread = np.minimum(scatter, tolerances.OWN_COLOR_STEP) + tolerances.OWN_COLOR_STEP
        distance = np.linalg.norm((line[k] - usual) / spread, axis=1) / np.sqrt(3)
        out[k] = np.nan_to_num(np.exp(-0.5 * distance**2))
    return out


def _as_seen(lines: Lines, k: int, tips: tuple[Array, Array], eye: Array) -> tuple[Array, Array]:
    """Tips of another road where they are seen in the plane of line k's nearer end."""
    ends = np.array([lines.a[k], lines.b[k]])
    out = []
    for tip in tips:
        z = float(ends[int(np.argmin(np.hypot(*(ends[:, :2] - tip[:2]).T))), 2])
        out.append(np.array([*on_ray(eye, tip, z), z]))
    return out[0], out[1]


def _over(pieces: Pieces, lines: Lines, k: int, s: Array, others: Sequence[tuple[Array, Array]]) -> NDArray[np.bool_]:
    """(ns,) True where the axis of line k is over one of some roads."""
    half = pieces.stick.width / 2
    inside = [_from_axis(pieces, lines, k, s, np.zeros(1), tips)[:, 0] < half for tips in others]
    return np.any(inside, axis=0) if inside else np.zeros(len(s), dtype=np.bool_)


def _from_axis(pieces: Pieces, lines: Lines, k: int, s: Array, t: Array, tips: tuple[Array, Array]) -> Array:
    """(ns, nt) distances of places beside line k from another road's middle line, mm: half a width on its outline."""
    along, left, start = lines.along[k, :2], lines.left[k], lines.a[k, :2]
    s, t = s[:, None], t[None]
    half_width = pieces.stick.width / 2
    p, q = (np.array([(tip[:2] - start) @ along, (tip[:2] - start) @ left]) for tip in tips)
    way = (q - p) / np.hypot(*(q - p))
    p, q = p + way * half_width, q - way * half_width  # the capsule's axis ends a radius before the tips
    span = q - p
    at = np.clip(((s - p[0]) * span[0] + (t - p[1]) * span[1]) / (span @ span), 0, 1)
    return np.asarray(np.hypot(s - p[0] - at * span[0], t - p[1] - at * span[1]), dtype=np.float64)


def _outlines_of(
    pieces: Pieces, lines: Lines, k: int, s: Array, t: Array, others: Sequence[tuple[Array, Array]], within_mm: float
) -> NDArray[np.bool_]:
    """(ns, nt) True on the outlines of other roads beside line k."""
    out = np.zeros((len(s), len(t)), dtype=np.bool_)
    for tips in others:
        distance = _from_axis(pieces, lines, k, s, t, tips)
        out |= np.abs(distance - pieces.stick.width / 2) < within_mm
    return out


def _end_edges(
    plan: PlanView, pieces: Pieces, places: Band, around: Sequence[Around], below: Sequence[Outlines], lines: Lines
) -> tuple[Array, Array]:
    """(2 of (n, ns)) strength 0 to 1 of an edge shaped like the stick's first and second tip at every place along."""
    ss, st, tt = (np.nan_to_num(part) for part in places.edges(plan))
    for k, one in enumerate(around):
        if one.others or below[k]:
            s, t = places.s[k], places.t
            ignored = _outlines_of(pieces, lines, k, s, t, one.others, tolerances.RIM_BLIND_MM)
            ignored |= _outlines_of(pieces, lines, k, s, t, below[k], tolerances.BELOW_BLIND_MM)
            for part in (ss, st, tt):
                part[k][ignored] = 0
    radius = pieces.stick.width / 2
    round_ends = pieces.stick.ends == "round"
    back = radius - np.sqrt(radius**2 - places.t**2) if round_ends else np.zeros_like(places.t)
    slope_t = (places.t / radius if round_ends else np.zeros_like(places.t)).astype(np.float32)
    slope_s = np.sqrt(1 - slope_t**2)
    pitch = places.s[:, 1] - places.s[:, 0]
    out = []
    for sign in (1.0, -1.0):  # the first tip's outline lies at +back (inwards), the second's at -back
        # an edge of this normal, less one of the normal at right angles to it
        edge = (ss - tt) * (slope_s**2 - slope_t**2) - 4 * st * np.float32(sign) * slope_s * slope_t
        shifted = _shifted(edge, sign * back / pitch[:, None])
        out.append(np.clip(shifted.mean(axis=2, dtype=np.float64), 0, 1))
    return out[0], out[1]


def _shifted(values: Image, by: Array) -> Image:
    """(n, ns, nt) values read ``by`` (n, nt) rows further on, the last ones being repeated past the ends."""
    rows = values.shape[1]
    place = np.clip(np.arange(rows)[:, None] + by[:, None], 0, rows - 1)
    low = np.minimum(place.astype(np.intp), rows - 2)
    share = (place - low).astype(np.float32)
    one, two = np.take_along_axis(values, low, axis=1), np.take_along_axis(values, low + 1, axis=1)
    return np.asarray(one + share * (two - one), dtype=np.float32)
