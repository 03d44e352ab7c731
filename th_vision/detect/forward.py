"""The forward model of a whole layout: the heights that the sensor would show of it, beside what it shows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rules.pieces import Pieces
from th_vision import tolerances
from th_vision.detect.kernel import render_heights
from th_vision.detect.plan import Image, PlanView

Array = NDArray[np.float64]
Polygon = tuple[Array, Array]
Box = tuple[int, int, int, int]


@dataclass(frozen=True)
class Pillar:
    """A column in the forward model: plan centre and height of the top, mm."""

    x: float
    y: float
    top_z: float


@dataclass(frozen=True)
class Bar:
    """A road in the forward model: tips on the top surface (3,), mm."""

    a: Array
    b: Array


def pillar_polygons(pieces: Pieces, pillar: Pillar) -> list[Polygon]:
    """Discs from the table to the top in steps: together they look like the column's top and sides."""
    angles = np.arange(0, 360, 15) * np.pi / 180
    ring = np.stack([np.cos(angles), np.sin(angles)], axis=1) * pieces.disc.radius + [pillar.x, pillar.y]
    out = []
    step = pieces.disc.height / 2
    for z in np.arange(pillar.top_z, step / 2, -step)[::-1]:
        outline = np.c_[ring, np.full(len(ring), z)]
        out.append((outline, np.array([z, 0.0, 0.0])))
    return out


def bar_polygon(pieces: Pieces, bar: Bar) -> Polygon:
    """The top face of a road, a sloping capsule or rectangle."""
    a, b = bar.a, bar.b
    length = float(np.hypot(*(b - a)[:2]))
    along = (b - a)[:2] / length
    left = np.array([-along[1], along[0]])
    radius = pieces.stick.width / 2
    if pieces.stick.ends == "round":
        turn = np.linspace(-np.pi / 2, np.pi / 2, 9)
        cap = np.c_[np.cos(turn) * radius, np.sin(turn) * radius]
        local = np.concatenate([cap + np.array([length - radius, 0]), np.array([radius, 0]) - cap])
    else:
        local = np.array([[0, -radius], [length, -radius], [length, radius], [0, radius]])
    plan = a[:2] + local[:, :1] * along + local[:, 1:] * left
    slope = (b[2] - a[2]) / length
    gradient = slope * along
    z = a[2] + (plan - a[:2]) @ gradient
    return np.c_[plan, z], np.array([a[2] - float(gradient @ a[:2]), *gradient])


def polygons(pieces: Pieces, pillars: list[Pillar], bars: list[Bar]) -> list[Polygon]:
    """All faces of a layout that depth can see."""
    out: list[Polygon] = []
    for pillar in pillars:
        out += pillar_polygons(pieces, pillar)
    out += [bar_polygon(pieces, bar) for bar in bars]
    return out


def box_around(plan: PlanView, points: Array, margin_px: int) -> Box:
    """Native pixel box around (n, 3) table points, cut to the image."""
    pixels = plan.depth_pixels(points)
    height, width = plan.height_mm.shape
    low = np.floor(pixels.min(axis=0)).astype(int) - margin_px
    high = np.ceil(pixels.max(axis=0)).astype(int) + margin_px + 1
    return (
        int(np.clip(low[0], 0, width - 1)),
        int(np.clip(low[1], 0, height - 1)),
        int(np.clip(high[0], 1, width)),
        int(np.clip(high[1], 1, height)),
    )


def misfit(plan: PlanView, faces: list[Polygon], box: Box) -> float:
    """Robust chi-square, per independent sample, of what is seen in the box against the forward model of the faces.

    Where the model changes steeply (ragged edges) and where it is high (the kernel's share) it is trusted less.
    """
    model = render_heights(plan, faces, box)
    u0, v0, u1, v1 = box
    seen = plan.height_mm[v0:v1, u0:u1]
    sigma = plan.sigma_mm[v0:v1, u0:u1]
    gy, gx = np.gradient(model)
    ragged = np.hypot(gx, gy) * tolerances.RAGGED_EDGE_PX * plan.table.camera.kernel_scale
    variance = sigma**2 + (tolerances.SHARE_SIGMA * model) ** 2 + ragged**2
    residual2 = (seen - model) ** 2 / variance
    good = np.isfinite(residual2)
    bounded = residual2[good] / (1 + residual2[good] / tolerances.MISFIT_BOUND)
    return float(bounded.sum() / plan.view.independent_px)


def residual_heights(plan: PlanView, faces: list[Polygon]) -> Image:
    """(h, w) mm seen minus model, whole view."""
    height, width = plan.height_mm.shape
    return (plan.height_mm - render_heights(plan, faces, (0, 0, width, height))).astype(np.float32)
