"""Many lines in space at once, and what the cameras see along and across them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from th_vision.detect.plan import Image, PlanView

Array = NDArray[np.float64]
NODES = 21
"""Places along a line whose pixels are computed; between them they are linear to a hundredth of a pixel."""


@dataclass(frozen=True)
class Lines:
    """n lines from ``a`` to ``b`` (n, 3), mm, table frame; straight beyond their ends, too.

    ``s`` is the way from a towards b in plan, ``t`` the way to the left of it.
    """

    a: Array
    b: Array

    @cached_property
    def length(self) -> Array:
        """(n,) plan lengths, mm."""
        return np.asarray(np.hypot(*(self.b - self.a)[:, :2].T))

    @cached_property
    def along(self) -> Array:
        """(n, 3) the way for each mm of s; its plan part has length 1."""
        return (self.b - self.a) / self.length[:, None]

    @cached_property
    def left(self) -> Array:
        """(n, 2) plan direction of t."""
        return np.stack([-self.along[:, 1], self.along[:, 0]], axis=1)

    def points(self, s: Array, t: Array) -> Array:
        """(n, ns, nt, 3) table points at ways (n, ns) along and (nt,) across."""
        out = (self.a[:, None] + s[..., None] * self.along[:, None])[:, :, None].repeat(len(t), axis=2)
        out[..., :2] += t[:, None] * self.left[:, None, None]
        return out


@dataclass(frozen=True)
class Band:
    """Pixels (n, ns, nt, 2) of one camera beside n lines, at ways ``s`` (n, ns) along and ``t`` (nt,) across, mm."""

    s: Array
    t: Array
    pixels: Array

    @cached_property
    def directions(self) -> tuple[Array, Array]:
        """(n, ns, 2) the picture's unit directions of s and of t (at right angles to that of s)."""
        middle = self.pixels[:, :, self.pixels.shape[2] // 2]
        way = np.gradient(middle, axis=1)
        way /= np.maximum(np.linalg.norm(way, axis=-1, keepdims=True), 1e-9)
        side = np.stack([-way[..., 1], way[..., 0]], axis=-1)
        across = self.pixels[:, :, -1] - self.pixels[:, :, 0]
        turned = np.where((side * across).sum(axis=-1, keepdims=True) < 0, -1.0, 1.0)
        return way, side * turned

    def edges(self, plan: PlanView) -> tuple[Image, Image, Image]:
        """Structure tensor (ss, st, tt) in the lines' own directions, each (n, ns, nt); NaN outside the picture."""
        assert plan.edges is not None
        tensor = plan.edges.at(self.pixels)
        xx, xy, yy = tensor[..., 0], tensor[..., 1], tensor[..., 2]
        way, side = (part.astype(np.float32)[:, :, None] for part in self.directions)
        (sx, sy), (tx, ty) = np.moveaxis(way, -1, 0), np.moveaxis(side, -1, 0)
        return (
            xx * sx * sx + 2 * xy * sx * sy + yy * sy * sy,
            xx * sx * tx + xy * (sx * ty + sy * tx) + yy * sy * ty,
            xx * tx * tx + 2 * xy * tx * ty + yy * ty * ty,
        )


def band(lines: Lines, pixels_of: Callable[[Array], Array], low: Array, high: Array, count: int, t: Array) -> Band:
    """``count`` places from ``low`` to ``high`` (n,) along each line by ``t`` (nt,) across it.

    ``pixels_of``: a camera's pixels of table points. Where things appear is smooth: asked at some places only.
    """
    nodes = np.linspace(0, 1, NODES)
    rims = np.array([t[0], (t[0] + t[-1]) / 2, t[-1]]) if len(t) > 1 else np.array([t[0]])
    at = low[:, None] + (high - low)[:, None] * nodes
    known = pixels_of(lines.points(at, rims))
    share = np.linspace(0, 1, count)
    along = np.stack([np.interp(share, nodes, row) for row in np.eye(NODES)], axis=1)
    across = _through_three((t - t[0]) / (t[-1] - t[0])) if len(t) > 1 else np.ones((1, 1))
    pixels = np.stack([along @ (known[..., k] @ across.T) for k in (0, 1)], axis=-1)
    return Band(low[:, None] + (high - low)[:, None] * share, t, pixels)


def _through_three(x: Array) -> Array:
    """(n, 3) weights of the values at 0, 1/2 and 1 in the parabola through them, at places x (n,)."""
    return np.stack([(2 * x - 1) * (x - 1), 4 * x * (1 - x), x * (2 * x - 1)], axis=1)
