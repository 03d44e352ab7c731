"""A strip of the view along a line in space: what depth and colour show beside a road that may lie there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from th_vision.detect.plan import Image, PlanView

Array = NDArray[np.float64]
NODE_MM = 8.0
"""Between places so far apart a pixel's place on the sensor is linear to a thousandth of a pixel."""


@dataclass(frozen=True)
class Strip:
    """Samples along (s) and across (t) a line from ``a`` to ``b`` (table frame, mm).

    ``s``: (ns,) mm from a towards b; ``t``: (nt,) mm to the left of it; ``z``: (ns,) mm, the height asked at.
    ``height``: (ns, nt) mm by depth, NaN unseen. ``color``: (ns, nt, 3) BGR or None, ``bare``: of the empty table.
    """

    a: Array
    b: Array
    s: Array
    t: Array
    z: Array
    height: Image
    color: Image | None
    bare: Image | None = None

    @property
    def length(self) -> float:
        """Plan distance from a to b, mm."""
        return float(np.hypot(*(self.b - self.a)[:2]))

    def plan_point(self, s: float, t: float) -> tuple[float, float]:
        """Plan coordinates of (s, t)."""
        along = (self.b - self.a)[:2] / self.length
        left = np.array([-along[1], along[0]])
        x, y = self.a[:2] + s * along + t * left
        return float(x), float(y)


def strip(
    plan: PlanView,
    a: Array,
    b: Array,
    beyond_mm: float,
    half_width_mm: float,
    pitch_mm: float,
    *,
    along_mm: float | None = None,
    height: bool = True,
    color: bool = True,
    bare: bool = False,
) -> Strip:
    """Sample the strip along a-b, ``beyond_mm`` past both ends; beyond them the height stays level.

    ``pitch_mm`` across, and along it too unless ``along_mm`` says otherwise. ``height``, ``color``, ``bare``: what is
    wanted; what isn't is left empty.
    """
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    length = float(np.hypot(*(b - a)[:2]))
    step = along_mm or pitch_mm
    s = np.arange(-beyond_mm, length + beyond_mm + step / 2, step)
    t = np.arange(-half_width_mm, half_width_mm + pitch_mm / 2, pitch_mm)
    z = a[2] + (b[2] - a[2]) * np.clip(s / length, 0, 1)
    # where it appears is smooth but for the kinks at a and b: asked at some places, interpolated between them
    inner = np.linspace(0, length, max(2, int(length / NODE_MM) + 1))
    at_s = np.unique(np.concatenate([[s[0]], inner, [max(s[-1], length)]]))
    at_t = np.linspace(t[0], t[-1], max(2, int((t[-1] - t[0]) / NODE_MM) + 2))
    along = (b - a)[:2] / length
    left = np.array([-along[1], along[0]])
    points = np.empty((len(at_s), len(at_t), 3))
    points[..., :2] = a[:2] + at_s[:, None, None] * along + at_t[None, :, None] * left
    points[..., 2] = (a[2] + (b[2] - a[2]) * np.clip(at_s / length, 0, 1))[:, None]
    weights = _linear(s, at_s), _linear(t, at_t)
    empty = np.full((len(s), len(t)), np.nan, np.float32)
    pixels = _spread(plan.color_pixels(points), *weights) if plan.color is not None and (color or bare) else None
    return Strip(
        a=a,
        b=b,
        s=s,
        t=t,
        z=z,
        height=plan.heights_at(_spread(plan.depth_pixels(points), *weights)) if height else empty,
        color=plan.colors_at(pixels) if color and pixels is not None else None,
        bare=plan.bare_at(pixels) if bare and pixels is not None else None,
    )


def _linear(x: Array, nodes: Array) -> Array:
    """(n, m) weights of m rising nodes in a linear interpolation at n places."""
    k = np.clip(np.searchsorted(nodes, x, side="right") - 1, 0, len(nodes) - 2)
    share = (x - nodes[k]) / (nodes[k + 1] - nodes[k])
    out = np.zeros((len(x), len(nodes)))
    rows = np.arange(len(x))
    out[rows, k] = 1 - share
    out[rows, k + 1] = share
    return out


def _spread(pixels: Array, along: Array, across: Array) -> Array:
    """(ns, nt, 2) pixels between those of the nodes."""
    return np.stack([along @ pixels[..., k] @ across.T for k in (0, 1)], axis=-1)


def finite_mean(values: Image, axis: int) -> Image:
    """Mean of what was seen along an axis; NaN where nothing was."""
    seen = np.isfinite(values)
    count = seen.sum(axis=axis)
    total = np.where(seen, values, 0).sum(axis=axis)
    return np.asarray(np.where(count > 0, total / np.maximum(count, 1), np.nan), dtype=np.float32)
