"""A strip of the view along a line in space: what depth and colour show beside a road that may lie there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from th_vision.detect.plan import Image, PlanView

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Strip:
    """Samples along (s) and across (t) a line from ``a`` to ``b`` (table frame, mm).

    ``s``: (ns,) mm from a towards b; ``t``: (nt,) mm to the left of it; ``z``: (ns,) mm, the height asked at.
    ``height``: (ns, nt) mm by depth, NaN unseen. ``color``: (ns, nt, 3) BGR or None.
    """

    a: Array
    b: Array
    s: Array
    t: Array
    z: Array
    height: Image
    color: Image | None

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


def strip(plan: PlanView, a: Array, b: Array, beyond_mm: float, half_width_mm: float, pitch_mm: float) -> Strip:
    """Sample the strip along a-b, ``beyond_mm`` past both ends; beyond them the height stays level."""
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    length = float(np.hypot(*(b - a)[:2]))
    along = (b - a)[:2] / length
    left = np.array([-along[1], along[0]])
    s = np.arange(-beyond_mm, length + beyond_mm + pitch_mm / 2, pitch_mm)
    t = np.arange(-half_width_mm, half_width_mm + pitch_mm / 2, pitch_mm)
    z = a[2] + (b[2] - a[2]) * np.clip(s / length, 0, 1)
    points = np.empty((len(s), len(t), 3))
    points[..., :2] = a[:2] + s[:, None, None] * along + t[None, :, None] * left
    points[..., 2] = z[:, None]
    return Strip(
        a=a,
        b=b,
        s=s,
        t=t,
        z=z,
        height=plan.heights(points),
        color=plan.colors(points) if plan.color is not None else None,
    )


def finite_mean(values: Image, axis: int) -> Image:
    """Mean of what was seen along an axis; NaN where nothing was."""
    seen = np.isfinite(values)
    count = seen.sum(axis=axis)
    total = np.where(seen, values, 0).sum(axis=axis)
    return np.asarray(np.where(count > 0, total / np.maximum(count, 1), np.nan), dtype=np.float32)
