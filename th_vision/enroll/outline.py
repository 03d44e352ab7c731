"""An outline measured in colour: how far each of its points is off along its normal, and the shape that fits them all.

Across an outline colour is the piece's top, then perhaps its side as the camera sees it, then perhaps a narrow shadow
on the table, then the table. Piece and side have one paint, however much light falls on them, and what the table looks
like there is known from when it was empty. Each profile is compared with that picture, blurred as the lens does, in
linear light (in which blur leaves a step's middle where it is), at every place where the edge may be.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter1d
from scipy.special import ndtr

from th_vision import tolerances
from th_vision.detect.plan import PlanView
from th_vision.enroll.shapes import Outline

Array = NDArray[np.float64]
Paint = Literal["even", "shaded", "printed"]
"""A top of one colour; one paint on faces that light falls on differently; a print, whose colour is taken as it comes
next to each point of the outline."""
_PITCH_MM = 0.1
_INSIDE_MM, _OUTSIDE_MM = 1.6, 2.6
_REACHES_MM = (2.6, 1.4, 0.8, 0.8)
_STRIPS_MM = (0.0, 0.6, 1.2, 1.9)


@dataclass(frozen=True)
class Fit:
    """A shape's parameters and their covariance.

    ``seen``: share of the outline that showed a clear edge; ``weakest``: of its weakest side. ``scatter_mm``: of its
    points about the shape; ``misfit``: bounded mean square of that, to compare shapes. ``costs``: (n,) what is left of
    the picture at each of its points, in parts of its sigma, to compare heights; ``jacobian`` (n, p): of those points.
    """

    parameters: Array
    covariance: Array
    seen: float
    scatter_mm: float
    misfit: float
    costs: Array
    jacobian: Array
    weakest: float

    def sigma(self, index: int) -> float:
        """One standard deviation of one parameter."""
        return float(np.sqrt(self.covariance[index, index]))


def linear(color: NDArray[np.float32] | Array) -> Array:
    """Picture values 0 to 255 to linear light 0 to 1."""
    return np.asarray(np.power(np.clip(np.asarray(color, dtype=np.float64), 0, 255) / 255, 2.2))


def pixel_mm(plan: PlanView, z_mm: float = 0.0) -> float:
    """Size of a colour pixel at a height, mm."""
    color = plan.table.camera.color
    assert color is not None
    return float((plan.eye[2] - z_mm) / color.fx)


def fit_outline(
    plan: PlanView,
    shape: Callable[[Array], Outline],
    start: Array,
    z_mm: float,
    paint: Paint = "even",
) -> Fit | None:
    """Fit a shape whose upper outline lies at height ``z_mm``, from parameters nearby; None where no outline is seen.

    What the table looks like beyond the outline is known from the empty table's picture.
    """
    parameters: Array = np.asarray(start, dtype=np.float64).copy()
    floor = tolerances.ENROLL_EDGE_PX * pixel_mm(plan, z_mm)
    covariance: Array = np.eye(len(parameters))
    seen = scatter = misfit = weakest = 0.0
    costs, J = np.zeros(0), np.zeros((0, len(parameters)))
    for reach in _REACHES_MM:
        outline = shape(parameters)
        offset, clear, costs = _offsets(plan, outline, z_mm, reach, paint)
        if clear.mean() < tolerances.ENROLL_LEAST_SEEN:
            return None
        J = outline.jacobian
        trust = np.where(_side_mm(plan, outline, z_mm) > 0, tolerances.ENROLL_SIDE_TRUST, 1.0) * clear
        step: Array = np.zeros(len(parameters))
        scatter = reach / 2
        for _ in range(12):
            residual = offset - J @ step
            weights = trust / (1 + (residual / (2 * scatter)) ** 2) ** 2
            normal = J.T @ (J * weights[:, None]) + 1e-6 * np.eye(J.shape[1])
            step = np.asarray(np.linalg.solve(normal, J.T @ (weights * offset)), dtype=np.float64)
            scatter = max(1.4826 * float(np.median(np.abs((offset - J @ step)[clear]))), 0.02)
        parameters = np.asarray(parameters + step, dtype=np.float64)
        if not np.isfinite(parameters).all() or np.abs(parameters[:2] - start[:2]).max() > tolerances.ENROLL_STRAY_MM:
            return None
        residual = offset - J @ step
        seen = float(clear.mean())
        sides = outline.arc_mm // 1000
        weakest = min(float(clear[sides == side].mean()) for side in np.unique(sides))
        bounded = np.minimum(np.square(residual), tolerances.ENROLL_MISFIT_MM**2)
        misfit = float(np.where(clear, bounded, tolerances.ENROLL_MISFIT_MM**2).mean())
        covariance = np.asarray(np.linalg.inv(normal) * scatter**2 * tolerances.RIM_CORRELATION, dtype=np.float64)
    # what all edges share (blur, the camera's own gamma) does not average out: each edge may lie this far off
    common = np.zeros(len(parameters))
    common[len(parameters) - (1 if len(parameters) == 3 else 2) :] = floor * (1.0 if len(parameters) == 3 else 2.0)
    return Fit(parameters, covariance + np.diag(common**2), seen, scatter, misfit, costs, J, weakest)


def _offsets(
    plan: PlanView, outline: Outline, z_mm: float, reach_mm: float, paint: Paint
) -> tuple[Array, NDArray[np.bool_], Array]:
    """(n,) each: how far outwards of a point the edge is seen, mm; whether clearly; what is left of the picture."""
    side = np.clip(_side_mm(plan, outline, z_mm), 0.0, _OUTSIDE_MM)
    extra = round(reach_mm / _PITCH_MM)
    count = round((_INSIDE_MM + _OUTSIDE_MM) / _PITCH_MM) + 1
    window: Array = np.asarray(-_INSIDE_MM + _PITCH_MM * np.arange(count), dtype=np.float64)
    t: Array = np.asarray(-_INSIDE_MM + _PITCH_MM * np.arange(-extra, count + extra), dtype=np.float64)
    points = np.empty((len(side), len(t), 3))
    points[..., :2] = outline.points[:, None] + t[None, :, None] * outline.normals[:, None]
    points[..., 2] = z_mm
    pixels = plan.color_pixels(points)
    light, table = (linear(picture.colors_at(pixels)) for picture in (plan, empty_picture(plan)))
    inside = np.isfinite(light).all(axis=(1, 2)) & np.isfinite(table).all(axis=(1, 2))
    light, table = (_along(np.nan_to_num(values), outline.arc_mm) for values in (light, table))
    blur_mm = tolerances.ENROLL_BLUR_PX * pixel_mm(plan, z_mm)
    by_strip = _costs(light, table, _top(light, t, paint), window, side, paint, blur_mm)
    cost = _one_shadow(by_strip, outline.arc_mm)
    best = np.argmin(cost, axis=1)
    rows = np.arange(len(best))
    inner = np.clip(best, 1, cost.shape[1] - 2)
    low, mid, high = cost[rows, inner - 1], cost[rows, inner], cost[rows, inner + 1]
    with np.errstate(invalid="ignore", divide="ignore"):
        bend = low - 2 * mid + high
        sub = np.where(bend > 0, 0.5 * (low - high) / bend, 0.0)
    offset = (inner - extra + np.clip(np.nan_to_num(sub), -1, 1)) * _PITCH_MM
    # clear: moving the edge away by two pixels costs several times what is left at the best place
    away = round(2 * pixel_mm(plan, z_mm) / _PITCH_MM)
    left, right = cost[rows, np.clip(best - away, 0, None)], cost[rows, np.clip(best + away, None, cost.shape[1] - 1)]
    usual = max(float(np.median(cost[rows, best])), len(window) * tolerances.ENROLL_LIGHT_SIGMA**2)
    rise = np.minimum(left, right) - cost[rows, best]
    clear = (rise > tolerances.ENROLL_CLEAR_RISE * usual) & (best > 0) & (best < cost.shape[1] - 1)
    left_over = cost[rows, best] / (len(window) * tolerances.ENROLL_LIGHT_SIGMA**2)
    return offset, clear & inside, np.minimum(left_over, tolerances.ENROLL_COST_BOUND)


def _side_mm(plan: PlanView, outline: Outline, z_mm: float) -> Array:
    """(n,) how far outwards of each point the piece's foot appears, on the plane at ``z_mm``; negative: hidden."""
    eye = plan.eye
    return np.asarray(np.einsum("ij,ij->i", outline.normals, eye[:2] - outline.points) * (z_mm / eye[2]))


def beyond_is_table(plan: PlanView, outline: Outline, z_mm: float) -> bool:
    """Whether just outside of an outline the bare table is seen (perhaps in shadow): else it is not the outermost."""
    places = outline.points[:, None] + np.array([1.2, 1.8, 2.4])[None, :, None] * outline.normals[:, None]
    pixels = plan.color_pixels(np.concatenate([places, np.full((*places.shape[:2], 1), z_mm)], axis=2))
    now, before = plan.colors_at(pixels), empty_picture(plan).colors_at(pixels)
    change = np.log((now + 10) / (before + 10))
    tint = change - change.mean(axis=2, keepdims=True)
    sides = np.unique(outline.arc_mm // 1000)
    return all(
        np.abs(np.nanmedian(tint[outline.arc_mm // 1000 == side].reshape(-1, 3), axis=0)).max()
        < tolerances.ENROLL_TABLE_TINT
        for side in sides
    )


def empty_picture(plan: PlanView) -> PlanView:
    """The same view with the colours of the empty table."""
    empty = plan.table.empty.color_bgr
    assert empty is not None
    return replace(plan, color=empty.astype(np.float32))


def _along(light: Array, arc_mm: Array, points: float = 1.0) -> Array:
    """Values (n, ...) averaged with their neighbours of the same side of the outline."""
    out = np.empty_like(light)
    breaks = np.flatnonzero(np.abs(np.diff(arc_mm)) > 50) + 1
    for part in np.split(np.arange(len(light)), breaks):
        mode = "wrap" if len(breaks) == 0 else "nearest"
        out[part] = gaussian_filter1d(light[part], points, axis=0, mode=mode) if len(part) > 2 else light[part]
    return out


def _top(light: Array, t: Array, paint: Paint) -> Array:
    """(n, 3) colour of the piece's top, as it is well inside the outline."""
    if paint == "printed":
        return np.asarray(np.median(light[:, (t < -0.5) & (t > -1.7)], axis=1))
    inside = np.median(light[:, t < -1.0], axis=1)
    return np.broadcast_to(np.median(inside, axis=0), inside.shape)


def _costs(light: Array, table: Array, top: Array, window: Array, side: Array, paint: Paint, blur_mm: float) -> Array:
    """(strips, n, k) misfit of the best picture with each strip of shadow and the edge at each of k places: squared
    linear light summed over a window.

    A picture is: top (its paint, full light), side (the paint, some light), strip (the table, less light), table. The
    lights are fitted, held near what is usual.
    """
    size = len(window)
    products = {
        "yy": np.einsum("nmc,nmc->nm", light, light),
        "yp": np.einsum("nmc,nc->nm", light, top),
        "ye": np.einsum("nmc,nmc->nm", light, table),
        "pe": np.einsum("nmc,nc->nm", table, top),
        "ee": np.einsum("nmc,nmc->nm", table, table),
    }
    slid = {name: sliding_window_view(values, size, axis=1) for name, values in products.items()}
    paint2 = np.square(top).sum(axis=1)
    ground = table[:, size // 2 :].mean(axis=1)
    ground2, both = np.square(ground).sum(axis=1), (ground * top).sum(axis=1)
    by_strip = np.full((len(_STRIPS_MM), len(light), slid["yy"].shape[1]), np.inf)
    rounded = np.where(side < tolerances.ENROLL_LEAST_SIDE_MM, np.round(side / 0.1) * 0.1, np.round(side / 0.2) * 0.2)
    for width in np.unique(rounded):
        rows = np.flatnonzero(rounded == width)
        near = {name: values[rows] for name, values in slid.items()}
        for k, strip in enumerate(_STRIPS_MM):
            steps = _steps(window, float(width), strip, blur_mm, paint)
            cost, lights = _cost_of(near, paint2[rows], steps)
            if len(steps.beyond) > 1:
                # a shadow that looks like the piece would only be part of it
                shade = lights[..., len(steps.own)]
                apart = shade**2 * ground2[rows, None] - 2 * shade * both[rows, None] + paint2[rows, None]
                cost = np.where(apart < tolerances.ENROLL_ALIKE * paint2[rows, None], np.inf, cost)
            by_strip[k, rows] = cost
    return by_strip


def _one_shadow(by_strip: Array, arc_mm: Array) -> Array:
    """(n, k) cost of each point with the strip of shadow that suits it and its neighbours best."""
    best = np.minimum(by_strip.min(axis=2), 1e3)
    best[1:] *= tolerances.ENROLL_STRIP_COST
    together = np.stack([_along(values, arc_mm, tolerances.ENROLL_SHADOW_POINTS) for values in best])
    chosen = np.argmin(together, axis=0)
    return np.asarray(np.take_along_axis(by_strip, chosen[None, :, None], axis=0)[0], dtype=np.float64)


@dataclass(frozen=True)
class _Steps:
    """Blurred steps about an edge at 0: of the piece ``own`` (o, m: top, side), of the table ``beyond`` (b, m: strip,
    free); ``usual`` (o + b,) lights on them, their ``spread`` and what they can be at ``least`` and at ``most``."""

    own: Array
    beyond: Array
    usual: Array
    spread: Array
    least: Array
    most: Array


def _cost_of(near: dict[str, Array], paint2: Array, steps: _Steps) -> tuple[Array, Array]:
    """(r, k) least squares over the lights of the steps, and those lights (r, k, o + b)."""
    kinds = [("p", step) for step in steps.own] + [("e", step) for step in steps.beyond]
    shape = near["yy"].shape[:2]
    gram = np.empty((*shape, len(kinds), len(kinds)))
    right = np.empty((*shape, len(kinds)))
    for i, (kind, step) in enumerate(kinds):
        right[..., i] = near["y" + kind] @ step
        for j, (other, step2) in enumerate(kinds[: i + 1]):
            weight = step * step2
            if kind == other == "p":
                value = np.broadcast_to((paint2 * weight.sum())[:, None], shape)
            else:
                value = near["ee" if kind == other else "pe"] @ weight
            gram[..., i, j] = gram[..., j, i] = value
    hold = tolerances.ENROLL_LIGHT_SIGMA**2 / np.square(steps.spread)
    held = gram + np.diag(hold)
    lights = np.linalg.solve(held, (right + hold * steps.usual)[..., None])[..., 0]
    lights = np.clip(lights, steps.least, steps.most)
    fitted = np.einsum("rki,rkij,rkj->rk", lights, gram, lights) - 2 * np.einsum("rki,rki->rk", lights, right)
    cost = near["yy"].sum(axis=2) + fitted + np.square(lights - steps.usual) @ hold
    return np.asarray(cost), lights


def _steps(window: Array, side: float, strip: float, blur_mm: float, paint: Paint) -> _Steps:
    """The steps of a profile whose side shows over ``side`` mm, with a shadow of ``strip`` mm beyond."""

    def between(a: float, b: float) -> Array:
        return np.asarray(ndtr((window - a) / blur_mm) - ndtr((window - b) / blur_mm), dtype=np.float64)

    lights = tolerances.ENROLL_LIGHTS
    own = [between(-np.inf, 0.0)]
    usual = [lights["top" if paint == "even" else "face"]]
    if side >= tolerances.ENROLL_LEAST_SIDE_MM:
        own.append(between(0.0, side))
        usual.append(lights["side"])
    else:  # too narrow to show a light of its own
        own[0] = own[0] + lights["side"][0] * between(0.0, side)
    beyond = []
    room = window[-1] - 0.4 - side
    if strip and strip < room:
        beyond.append(between(side, side + strip))
        usual.append(lights["shadow"])
    beyond.append(between(side + (strip if strip < room else 0.0), np.inf))
    usual.append(lights["table"])
    return _Steps(np.stack(own), np.stack(beyond), *np.array(usual).T)
