"""Sizes of the pieces that were laid out, each with its sigma: plan sizes by outlines in colour, heights by depth."""

from __future__ import annotations

from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from th_vision import tolerances
from th_vision.detect.plan import PlanView
from th_vision.enroll.arrange import Laid
from th_vision.enroll.find import Thing
from th_vision.enroll.heights import Height, Heights
from th_vision.enroll.layout_plan import AREAS, STACK_DISCS
from th_vision.enroll.outline import Fit, Paint, beyond_is_table, fit_outline
from th_vision.enroll.shapes import Ends, Outline, bar, circle

Array = NDArray[np.float64]
_ROOFS = (0.85, 0.93, 1.0)
_FACES = (0.3, 0.5, 0.75, 1.0)
"""Shares of a building's height at which its roof may lie, of a car's at which its sides may end: bonnet and cabin."""


@dataclass(frozen=True)
class Size:
    """One measured length: value and one standard deviation (mm), and from what it was measured."""

    mm: float
    sigma_mm: float
    source: str


@dataclass(frozen=True)
class Patch:
    """Where a piece shows its top: (n, 3) points well inside of it, table frame, mm."""

    points: Array


@dataclass
class Sizes:
    """``sizes`` by dotted key as in pieces.toml (``stick.length``, ``cars.sedan.width``); ``ends`` of the stick, None
    where they can't be told; ``tops`` by colour's key (``colors.gray``, ``players.blue``); ``failed``: what lies there
    and could not be measured, with the reason; ``single_disc``: height of single discs, to check the stack with."""

    sizes: dict[str, Size] = field(default_factory=dict)
    ends: Ends | None = None
    tops: dict[str, list[Patch]] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    single_disc: Size | None = None


def measure(plan: PlanView, laid: Laid, usual_disc_mm: float) -> Sizes:
    """Measure everything that was laid out. ``usual_disc_mm``: height of a disc where nothing better is known."""
    out = Sizes()
    heights = Heights(plan)
    _discs(plan, heights, laid, out, usual_disc_mm)
    _stick(plan, heights, laid.stick, out)
    _cars(plan, heights, laid, out)
    for kind, thing in laid.city:
        _city(plan, heights, kind, thing, out)
    return out


# --- discs


def _discs(plan: PlanView, heights: Heights, laid: Laid, out: Sizes, usual_mm: float) -> None:
    singles = [(name, thing) for name, thing in (("gray", laid.gray), ("yellow", laid.yellow)) if thing is not None]
    disc_mm = usual_mm
    if laid.stack is not None:
        disc_mm = max(laid.stack.height / STACK_DISCS, 1.0)
    fits = {name: _rim(plan, thing, disc_mm) for name, thing in singles}
    radii = [fit.parameters[2] for fit in fits.values() if fit is not None]
    hills = [
        hill
        for fit in fits.values()
        if fit is not None and (hill := heights.of_hill(_ring(fit.parameters), disc_mm)) is not None
    ]
    if hills:
        value, sigma = _joined([hill.mm for hill in hills], [hill.sigma_mm for hill in hills])
        out.single_disc = Size(value, sigma, "single discs, depth")
    if laid.stack is not None:
        stack = _stack_height(plan, heights, laid.stack, float(np.mean(radii)) if radii else None)
        if stack is None:
            out.failed["disc.height"] = "depth shows no flat top of the stack"
        else:
            height = Size(stack.mm / STACK_DISCS, stack.sigma_mm / STACK_DISCS, f"stack of {STACK_DISCS}, depth")
            out.sizes["disc.height"] = height
            disc_mm = height.mm
    elif out.single_disc is not None:
        out.sizes["disc.height"] = out.single_disc
    found = []
    for name, _ in singles:
        before = fits[name]
        fit = None if before is None else fit_outline(plan, circle, before.parameters, disc_mm)
        if fit is None:
            out.failed[f"disc.diameter ({name})"] = f"the rim of the {name} disc can't be seen in colour"
            continue
        found.append((2 * float(fit.parameters[2]), 2 * fit.sigma(2)))
        _add_top(out, f"colors.{name}", _within_circle(fit.parameters, disc_mm))
    if found:
        value, sigma = _joined([one[0] for one in found], [one[1] for one in found], common=True)
        names = " and ".join(f"{name} disc" for name, _ in singles)
        out.sizes["disc.diameter"] = Size(value, sigma, f"rim of the {names} in colour")


def _stack_height(plan: PlanView, heights: Heights, stack: Thing, radius_mm: float | None) -> Height | None:
    """Height of the stack's top: its middle by depth, where colour shows the top's rim."""
    height_mm = stack.height
    place = np.array([stack.x, stack.y, radius_mm or stack.width / 2 - 1.5])
    for _ in range(2):
        fit = fit_outline(plan, circle, place, height_mm)
        if fit is not None and abs(fit.parameters[2] - place[2]) < tolerances.ENROLL_STRAY_MM / 4:
            place = fit.parameters
        found = heights.of_top(_ring(place), height_mm, tolerances.ENROLL_TOP_INSET_MM)
        if found is None:
            return None
        height_mm = found.mm
    return found


# --- stick


def _stick(plan: PlanView, heights: Heights, thing: Thing, out: Sizes) -> None:
    start = np.array([thing.x, thing.y, thing.turn, thing.length - 1.5, thing.width - 1.5])
    thick_mm = 2.0
    fits: dict[Ends, Fit] = {}
    hill = None
    for _ in range(2):
        kinds: tuple[Ends, ...] = ("round", "square")
        for ends in kinds:
            fit = fit_outline(plan, _block if ends == "square" else _capsule, start, thick_mm)
            if fit is not None and fit.seen > 0:
                fits[ends] = fit
        if not fits:
            out.failed["stick"] = "its outline can't be seen in colour"
            return
        best = min(fits, key=lambda ends: fits[ends].misfit)
        hill = heights.of_hill(bar_outline(fits[best].parameters, best), thick_mm)
        if hill is not None:
            thick_mm = float(np.clip(hill.mm, 0.5, tolerances.ENROLL_STICK_THICK_MM))
    misfits = sorted(fit.misfit for fit in fits.values())
    if len(fits) == 1 or misfits[1] > tolerances.ENROLL_ENDS_SURE * max(misfits[0], tolerances.ENROLL_ENDS_LEAST_MM**2):
        out.ends = best
    else:
        out.failed["stick.ends"] = "round and square ends fit alike"
    fit = fits[best]
    doubt = 0.0 if out.ends or len(fits) < 2 else abs(fits["round"].parameters[3] - fits["square"].parameters[3]) / 2
    out.sizes["stick.length"] = Size(
        float(fit.parameters[3]), float(np.hypot(fit.sigma(3), doubt)), "both ends in colour"
    )
    out.sizes["stick.width"] = Size(float(fit.parameters[4]), fit.sigma(4), "both long edges in colour")
    if hill is None:
        out.failed["stick.thickness"] = "depth shows too little of it"
    else:
        sigma = float(np.hypot(hill.sigma_mm, tolerances.ENROLL_BOW_MM))
        out.sizes["stick.thickness"] = Size(hill.mm, sigma, "volume by depth over its area in colour")
    _add_top(out, "colors.stick", _within_bar(fit.parameters, thick_mm))


# --- cars and city


def _cars(plan: PlanView, heights: Heights, laid: Laid, out: Sizes) -> None:
    found: dict[str, list[tuple[Size, Size, Size | None]]] = {}
    for car in laid.cars:
        name = f"car of {car.player}" + (f" ({car.type})" if car.type else "")
        box = _box(plan, heights, car.thing, "shaded")
        if box is None:
            out.failed[name] = "its outline can't be seen in colour"
            continue
        length, width, height, fit = box
        top_mm = height.mm if height is not None else car.thing.height
        _add_top(out, f"players.{car.player}", _within_bar(fit.parameters, top_mm))
        if car.type is not None:
            found.setdefault(car.type, []).append((length, width, height))
    for kind, boxes in found.items():
        for side, name in enumerate(("length", "width", "height")):
            sizes = [size for box in boxes if (size := box[side]) is not None]
            if not sizes:
                out.failed[f"cars.{kind}.height"] = "depth shows too little of it"
                continue
            value, sigma = _joined([size.mm for size in sizes], [size.sigma_mm for size in sizes], common=True)
            count = "one car" if len(sizes) == 1 else f"{len(sizes)} cars"
            out.sizes[f"cars.{kind}.{name}"] = Size(value, sigma, f"{sizes[0].source}, {count}")


def _box(plan: PlanView, heights: Heights, thing: Thing, paint: Paint) -> tuple[Size, Size, Size | None, Fit] | None:
    """Length, width and height of a thing about as a box, and the fit of its outline.

    Where its sides end (bonnet, roof) is not known: of several heights those count that explain the picture best, for
    its ends and for its long sides.
    """
    start = _patch(plan, thing, thing.height)
    height_mm = max(thing.height * 1.2, 2.0)
    height: Size | None = None
    fit: Fit | None = None
    for _ in range(2):
        fits = [
            (share, one)
            for share in _FACES
            if (one := fit_outline(plan, _block, start, share * height_mm, paint)) is not None
        ]
        if not fits:
            return None
        length, width = (_weighed(fits, index) for index in (3, 4))
        if max(length.sigma_mm, width.sigma_mm) > tolerances.ENROLL_UNSEEN_MM:
            return None
        fit = min((one for _, one in fits), key=lambda one: float(one.costs.mean()))
        shape = np.array([*fit.parameters[:3], length.mm, width.mm])
        hill = heights.of_hill(bar_outline(shape, "square"), height_mm)
        if hill is not None:
            fill, spread = tolerances.ENROLL_CAR_FILL
            value = hill.mm / fill
            height = Size(value, float(np.hypot(hill.sigma_mm / fill, spread * value)), "volume by depth")
            height_mm = float(np.clip(value, 1.0, 2 * thing.height + 3))
    assert fit is not None
    if width.mm > length.mm:
        length, width = width, length
    return length, width, height, fit


def _weighed(fits: list[tuple[float, Fit]], index: int) -> Size:
    """A length over the heights of its faces, each by how well it explains the picture there."""
    fits = [(share, fit) for share, fit in fits if fit.sigma(index) < tolerances.ENROLL_UNSEEN_MM] or fits
    values = np.array([fit.parameters[index] for _, fit in fits])
    costs = np.array([float(fit.costs[fit.jacobian[:, index] > 0.1].mean()) for _, fit in fits])
    weights = np.exp(-(costs - costs.min()) / (tolerances.ENROLL_COST_SPREAD * (costs.min() + 0.1)))
    mean = float(np.average(values, weights=weights))
    spread = float(np.sqrt(np.average(np.square(values - mean), weights=weights)))
    own = fits[int(np.argmin(costs))][1].sigma(index)
    return Size(mean, float(np.sqrt(own**2 + spread**2 + tolerances.ENROLL_CAR_MM**2)), "outline in colour")


def _city(plan: PlanView, heights: Heights, kind: str, thing: Thing, out: Sizes) -> None:
    where = f"city.{kind}"
    card = kind in AREAS
    near, roof = np.array([thing.x, thing.y, thing.turn, thing.length, thing.width]), np.zeros(0)
    if card:
        near[3:] -= 1.5
        height = heights.of_top(bar_outline(near, "square"), 2.0, tolerances.ENROLL_CARD_INSET_MM, 0.35)
        fits = _card_fits(plan, near, height.mm if height is not None else 2.0)
    else:
        near = roof = _patch(plan, thing, thing.height * _ROOFS[1], roof=True)
        height = heights.of_top(bar_outline(near, "square"), thing.height, tolerances.ENROLL_TOP_INSET_MM, 0.97)
        top_mm = height.mm if height is not None else thing.height
        tried = ((share, fit_outline(plan, _block, near, share * top_mm)) for share in _ROOFS)
        fits = [(share, fit) for share, fit in tried if fit is not None]
    if not fits:
        out.failed[where] = "its outline can't be seen in colour"
        return
    whole = [(share, fit) for share, fit in fits if fit.weakest >= tolerances.ENROLL_LEAST_SIDE]
    if not whole:
        out.failed[where] = "one of its sides can't be seen in colour"
        return
    if card and not beyond_is_table(plan, _block(whole[0][1].parameters), 2.0):
        out.failed[where] = "its rim looks like the table"
        return
    sides = sorted((_weighed(whole, index) for index in (3, 4)), key=lambda size: -size.mm)
    for name, size in zip(("length", "width"), sides, strict=True):
        # a roof's edge over its own wall is hard to see: the patch of the roof's colour has to say the same
        doubt = float(abs((max if name == "length" else min)(roof[3:]) - size.mm)) if len(roof) else 0.0
        sigma = float(np.sqrt(size.sigma_mm**2 + tolerances.ENROLL_CITY_MM**2 + doubt**2))
        out.sizes[f"{where}.{name}"] = Size(size.mm, sigma, size.source)
    if height is None:
        out.failed[f"{where}.height"] = "depth shows no flat top"
        return
    sigma = float(np.hypot(height.sigma_mm, 0.0 if card else tolerances.ENROLL_ROOF_MM))
    out.sizes[f"{where}.height"] = Size(height.mm, sigma, "depth of the card" if card else "depth of the roof")


def _card_fits(plan: PlanView, near: Array, z_mm: float) -> list[tuple[float, Fit]]:
    """The outline of a card, begun at several sizes: outside of it its print can't be seen, far inside is its print."""
    starts = [near - [0, 0, 0, less, less] for less in (0.0, 1.5, 3.0)]
    fits = [fit for start in starts if (fit := fit_outline(plan, _block, start, z_mm, "printed")) is not None]
    return [(1.0, max(fits, key=lambda fit: (round(fit.weakest, 1), -fit.misfit)))] if fits else []


def _patch(plan: PlanView, thing: Thing, z_mm: float, *, roof: bool = False) -> Array:
    """Where a raised thing's outline may begin: x, y, turn, length, width.

    Depth shows it too wide and aside, so what counts is one patch of colour at its height, about where depth shows it:
    of one tint, however light falls on its faces; or a ``roof`` of one colour, with something on its middle perhaps.
    """
    axis = np.arange(-thing.length, thing.length, 0.5)
    gx, gy = np.meshgrid(thing.x + axis, thing.y + axis)
    color = np.log(np.nan_to_num(plan.colors(np.stack([gx, gy, np.full_like(gx, z_mm)], axis=-1))) + 10)
    if not roof:
        color = color - color.mean(axis=-1, keepdims=True)
    away = np.hypot(gx - thing.x, gy - thing.y)
    inner = (away < thing.width / 3) & (away >= (thing.width / 5 if roof else 0.0))
    usual = np.median(color[inner], axis=0)
    alike = np.abs(cv2.GaussianBlur(color, (0, 0), 0.7) - usual).max(axis=-1) < tolerances.ENROLL_PATCH_COLOR
    mask = cv2.morphologyEx(alike.astype(np.uint8), cv2.MORPH_OPEN, np.ones((5, 5), np.uint8))
    count, labels, _, _ = cv2.connectedComponentsWithStats(mask)
    shares = [int((labels[inner] == label).sum()) for label in range(1, count)]
    whole = labels == 1 + int(np.argmax(shares)) if shares else np.zeros(labels.shape, dtype=np.bool_)
    if not shares or not 0.2 < whole.sum() * 0.25 / (thing.length * thing.width) < 1.2:
        return np.array([thing.x, thing.y, thing.turn, thing.length - 2.0, max(thing.width - 2.0, 3.0)])
    v, u = np.nonzero(whole)
    (x, y), (length, width), angle = cv2.minAreaRect(np.stack([gx[0, u], gy[v, 0]], axis=1).astype(np.float32))
    if width > length:
        length, width, angle = width, length, angle + 90
    return np.array([x, y, np.radians(angle), length + 0.5, width + 0.5])


# --- shapes


def _block(parameters: Array) -> Outline:
    return bar(parameters, "square")


def _capsule(parameters: Array) -> Outline:
    return bar(parameters, "round")


def _rim(plan: PlanView, thing: Thing, z_mm: float) -> Fit | None:
    """The rim of a disc, looked for from several radii: depth shows it wider than it is, colour perhaps narrower."""
    wide = (thing.width + thing.length) / 4
    fits = [fit_outline(plan, circle, np.array([thing.x, thing.y, wide + more]), z_mm) for more in (-1.2, 0.5, 2.0)]
    return min((fit for fit in fits if fit is not None), key=lambda fit: fit.misfit, default=None)


def _ring(parameters: Array) -> Array:
    angle = np.arange(64) * (2 * np.pi / 64)
    return np.asarray(parameters[:2] + parameters[2] * np.stack([np.cos(angle), np.sin(angle)], axis=1))


def bar_outline(parameters: Array, ends: Ends) -> Array:
    """(n, 2) closed outline of a bar: x, y, turn, length, width."""
    x, y, turn, length, width = parameters
    if ends == "square":
        local = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * [length / 2, width / 2]
    else:
        angle = np.linspace(-np.pi / 2, np.pi / 2, 16)
        cap = width / 2 * np.stack([np.cos(angle), np.sin(angle)], axis=1) + [(length - width) / 2, 0.0]
        local = np.concatenate([cap, -cap])
    c, s = np.cos(turn), np.sin(turn)
    return np.asarray(local @ np.array([[c, s], [-s, c]]) + [x, y])


def _within_circle(parameters: Array, z_mm: float) -> Patch:
    radius = 0.6 * parameters[2]
    grid = np.stack(np.meshgrid(np.linspace(-1, 1, 25), np.linspace(-1, 1, 25)), axis=-1).reshape(-1, 2)
    grid = grid[np.hypot(*grid.T) <= 1] * radius
    return Patch(np.c_[parameters[:2] + grid, np.full(len(grid), z_mm)])


def _within_bar(parameters: Array, z_mm: float) -> Patch:
    x, y, turn, length, width = parameters
    u, v = np.meshgrid(np.linspace(-0.35, 0.35, 40) * length, np.linspace(-0.25, 0.25, 9) * width)
    c, s = np.cos(turn), np.sin(turn)
    points = np.stack([x + c * u - s * v, y + s * u + c * v], axis=-1).reshape(-1, 2)
    return Patch(np.c_[points, np.full(len(points), z_mm)])


def _add_top(out: Sizes, key: str, patch: Patch) -> None:
    out.tops.setdefault(key, []).append(patch)


def _joined(values: list[float], sigmas: list[float], *, common: bool = False) -> tuple[float, float]:
    """Weighted mean and its sigma; ``common``: most of the error is shared, so that several don't make it smaller."""
    weights = 1 / np.square(sigmas)
    mean = float(np.average(values, weights=weights))
    sigma = float(min(sigmas)) if common else float(1 / np.sqrt(weights.sum()))
    if len(values) > 1:
        sigma = float(np.hypot(sigma, np.std(values) / np.sqrt(len(values) - 1) * (0.7 if common else 0.0)))
    return mean, sigma
