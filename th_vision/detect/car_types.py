"""Of what type a car is: by the length of its colour, by its height in depth, and by where its cabin shows in it.

A car seen askew shows its near end's foot and its far end's upper edge: on the plane of its road its colour is longer
than the car by that edge's height times the slope of the line of sight, and its cabin appears shifted. Depth blends a
car with its road; so the whole blended hill is compared with the one that a box of its length would make.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from rules.layout import Car, Layout, Road
from rules.pieces import Box, Pieces
from th_vision import tolerances
from th_vision.detect.colors import bgr, chroma
from th_vision.detect.depth_model import DepthModel, Face
from th_vision.detect.patch import Strip, strip
from th_vision.detect.plan import PlanView
from th_vision.detect.unknown import guess_of
from th_vision.support import on_ray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Seen:
    """What is seen of a car on the plane of its road's top: the ends of its colour along the road (mm from the road's
    first tip), how far past each of them something else hides the road (mm, 0: it is seen), the place of its colour
    across it, slopes of the line of sight along and across (positive: the camera is towards the second tip, to the
    left), its mean height over the road by depth with sigma (NaN: not seen), and its brightness along the road
    (logarithm) at places ``s``."""

    first: float
    last: float
    hidden: tuple[float, float]
    across: float
    slope: float
    slope_across: float
    height: float
    sigma_height: float
    s: Array
    tone: Array


@dataclass(frozen=True)
class Typed:
    """A type with its probability and where its middle then stands along the road, mm."""

    type: str
    probability: float
    along: float


def with_types(plan: PlanView, pieces: Pieces, layout: Layout, prior: Layout | None = None) -> Layout:
    """The layout with its cars' types and places measured; those that stood there before (``prior``) with a type that
    was certain keep it."""
    sure = {} if prior is None else {k.id: k for k in prior.cars if k.type_probability >= tolerances.CAR_TYPE_SURE}
    roads = {road.id: road for road in layout.roads}
    cars = []
    scene: _Scene | None = None
    for car in layout.cars:
        old = sure.get(car.id)
        road = roads.get(car.on or "")
        if old is not None and np.hypot(old.x - car.x, old.y - car.y) < tolerances.CAR_STAYS_MM:
            kept = ("x", "y", "sigma_xy", "type", "type_probability", "heading_deg")
            update = {name: getattr(old, name) for name in kept}
            cars.append(car.model_copy(update=update))
        elif road is None or plan.color is None or not pieces.cars:
            cars.append(car)
        else:
            scene = scene or _Scene(plan, pieces, layout)
            cars.append(scene.measured(car, road))
    return layout.model_copy(update={"cars": tuple(cars)})


class _Scene:
    """A view with all that a layout explains of its depth but the cars."""

    def __init__(self, plan: PlanView, pieces: Pieces, layout: Layout) -> None:
        self.plan, self.pieces, self.layout = plan, pieces, layout
        self.model = DepthModel(plan, pieces, step=1)
        height, width = self.model.shape
        guess = guess_of(self.model, layout.model_copy(update={"cars": ()}))
        self.hard = guess.others((0, 0, width, height), ())
        self.eye = plan.eye

    def measured(self, car: Car, road: Road) -> Car:
        """A car with its type, and its place where that is seen better."""
        seen = self._seen(car, road)
        if seen is None:
            return car.model_copy(update={"type_probability": 1 / (len(self.pieces.cars) + 1)})
        found = type_of(self.pieces, seen)
        a, b = np.array(road.ends[0]), np.array(road.ends[1])
        unit = (b - a)[:2] / float(np.hypot(*(b - a)[:2]))
        box = self.pieces.cars[found.type]
        half = self.pieces.stick.width / 2
        across = float(
            np.clip(seen.across + tolerances.CAR_EDGE_SHARE / 2 * box.height * seen.slope_across, -half, half)
        )
        x, y = a[:2] + found.along * unit + across * np.array([-unit[1], unit[0]])
        share = found.along / float(np.hypot(*(b - a)[:2]))
        sigma = tolerances.CAR_SIGMA_MM * (2.0 if any(seen.hidden) else 1.0)
        update = {"x": float(x), "y": float(y), "z": float(a[2] + share * (b[2] - a[2])), "sigma_xy": sigma}
        return car.model_copy(update={**update, "type": found.type, "type_probability": found.probability})

    def _seen(self, car: Car, road: Road) -> Seen | None:
        a, b = np.array(road.ends[0]), np.array(road.ends[1])
        run = float(np.hypot(*(b - a)[:2]))
        unit = (b - a)[:2] / run
        left = np.array([-unit[1], unit[0]])
        at = float((np.array([car.x, car.y]) - a[:2]) @ unit)
        patch = strip(self.plan, a, b, 2.0, tolerances.CAR_STRIP_MM, 0.25, height=False)
        ends = _colour_ends(self.pieces, patch, car.player, at)
        if ends is None:
            return None
        first, last, across, use, colored = ends
        middle = a[:2] + (first + last) / 2 * unit
        sight = (self.eye[:2] - middle) / (self.eye[2] - car.z)
        slope, slope_across = float(sight @ unit + (b[2] - a[2]) / run), float(sight @ left)
        height, sigma = self._height(road, first, last, slope)
        shown = patch.s[colored]
        hidden = (self._hidden_mm(road, first, -1, shown), self._hidden_mm(road, last, 1, shown))
        assert patch.color is not None
        tone = np.log(patch.color.astype(np.float64).sum(axis=-1)[:, use].mean(axis=1) + 6)
        near = (patch.s > first - 3) & (patch.s < last + 3)
        s, tone = patch.s[near], tone[near]
        return Seen(first, last, hidden, across, slope, slope_across, height, sigma, s, tone)

    def _hidden_mm(self, road: Road, along: float, way: int, shown: Array) -> float:
        """How far a road is hidden from a place of it on, outwards (``way``: 1 or -1); infinite where the car's colour
        (``shown``: its places) goes on behind what hides it."""
        far, run = 0.0, float(np.hypot(*np.subtract(road.ends[1][:2], road.ends[0][:2])))
        while self._hidden(road, along + way * far) and 0 <= along + way * far <= run:
            far += HIDDEN_STEP_MM
        behind = (shown - along) * way - far
        if far > 0 and np.any((behind >= 0) & (behind < tolerances.CAR_HIDDEN_SLACK_MM)):
            return float("inf")
        return far

    def _hidden(self, road: Road, along: float) -> bool:
        """Whether a road or a column above hides a place of a road from the colour camera."""
        place = _on(road, along)
        least = place[2] + tolerances.CAR_LEAST_RISE_MM
        for other in self.layout.roads:
            if other.id == road.id:
                continue
            a, b = np.array(other.ends[0]), np.array(other.ends[1])
            way = (b - a)[:2]
            z, away = float(a[2] + b[2]) / 2, float("inf")
            for _ in range(2):  # where the line of sight meets it, at the height that it has there
                seen = on_ray(self.eye, place, z)
                t = float(np.clip((seen - a[:2]) @ way / (way @ way), 0, 1))
                z, away = float(a[2] + t * (b[2] - a[2])), float(np.hypot(*(a[:2] + t * way - seen)))
            if z > least and away < self.pieces.stick.width / 2 + tolerances.CAR_HIDDEN_MM:
                return True
        for column in self.layout.columns:
            if column.top_z <= least:
                continue
            for z in np.linspace(place[2], column.top_z, 4):
                x, y = on_ray(self.eye, place, float(z))
                if np.hypot(x - column.x, y - column.y) < self.pieces.disc.radius + tolerances.CAR_HIDDEN_MM:
                    return True
        return False

    def _height(self, road: Road, first: float, last: float, slope: float) -> tuple[float, float]:
        """Mean height of a car over its road by depth and its sigma, mm: how much of the hill of a box is there, more
        than the road beside the car shows."""
        long = max(last - first - tolerances.CAR_EDGE_SHARE * 7.0 * abs(slope), 6.0)
        middle = (first + last) / 2 + 0.5 * tolerances.CAR_EDGE_SHARE * 7.0 * slope
        width = float(np.median([box.width for box in self.pieces.cars.values()]))
        beside = self._beside(road, middle, long)
        height, sigma = 6.0, float("nan")
        model = self.model
        for _ in range(3):
            corners = np.array([_on(road, middle + p * long / 2, q * width / 2, height) for p, q in _CORNERS])
            projected = model.project([Face(corners)])
            u0, v0, u1, v1 = model.box_of(projected[0][0], model.margin)
            without = self.hard[v0:v1, u0:u1]
            with_car = without.copy()
            model.draw(with_car, (u0, v0), [model.raster(projected)])
            mm_per_px = model.mm_per_px[v0:v1, u0:u1]
            road_alone = model.shown(without, mm_per_px)
            hill = (model.shown(with_car, mm_per_px) - road_alone) / np.float32(height)
            rest = model.seen[v0:v1, u0:u1] - road_alone - np.float32(beside) * np.clip(hill, 0, 1)
            use = np.isfinite(rest) & (hill > 0.3)
            if use.sum() < 12:
                return float("nan"), float("nan")
            weight = np.square(hill[use].astype(np.float64)) / model.variance[v0:v1, u0:u1][use]
            height = float(np.clip(np.average(rest[use] / hill[use], weights=weight), 2.0, 16.0))
            sigma = float(np.sqrt(model.independent / weight.sum()))
        return height + tolerances.CAR_READS_LOW_SHARE * self.plan.kernel_mm, sigma

    def _beside(self, road: Road, middle: float, long: float) -> float:
        """By how much depth shows the road higher beside a car than it should be, mm."""
        run = float(np.hypot(*np.subtract(road.ends[1][:2], road.ends[0][:2])))
        away = np.arange(long / 2 + 7, long / 2 + 26, 1.0)
        places = np.concatenate([middle - away, middle + away])
        places = places[(places > 12) & (places < run - 12)]
        a = np.array(road.ends[0][:2])
        unit = np.subtract(road.ends[1][:2], a) / run
        for car in self.layout.cars:
            if car.on == road.id:
                other = float((np.array([car.x, car.y]) - a) @ unit)
                places = places[(np.abs(places - other) > 20) | (abs(other - middle) < 6)]
        if len(places) < 6:
            return 0.0
        model = self.model
        points = np.array([_on(road, float(s)) for s in places])
        cells = np.rint(model.pixels(points)).astype(int)
        u0, v0, u1, v1 = model.box_of(cells.astype(np.float64), model.margin)
        shown = model.shown(self.hard[v0:v1, u0:u1], model.mm_per_px[v0:v1, u0:u1])
        inside = (cells >= [u0, v0]).all(axis=1) & (cells < [u1, v1]).all(axis=1)
        u, v = cells[inside, 0], cells[inside, 1]
        rest = model.seen[v, u] - shown[v - v0, u - u0]
        rest = rest[np.isfinite(rest)]
        return float(np.median(rest)) if len(rest) >= 6 else 0.0


_CORNERS = ((-1, -1), (1, -1), (1, 1), (-1, 1))
HIDDEN_STEP_MM = 0.5


def _on(road: Road, along: float, across: float = 0.0, up: float = 0.0) -> Array:
    """(3,) point over a road's top."""
    a, b = np.array(road.ends[0]), np.array(road.ends[1])
    run = float(np.hypot(*(b - a)[:2]))
    unit = (b - a)[:2] / run
    x, y = a[:2] + along * unit + across * np.array([-unit[1], unit[0]])
    return np.array([x, y, a[2] + along / run * (b[2] - a[2]) + up])


def _colour_ends(
    pieces: Pieces, patch: Strip, player: str, at: float
) -> tuple[float, float, float, NDArray[np.bool_], NDArray[np.bool_]] | None:
    """Where a player's colour begins and ends around a place along a strip, its middle across it (mm), the columns of
    the strip that show it, and at which places along it there is any; None where it isn't seen there."""
    if patch.color is None or player not in pieces.players:
        return None
    seen = chroma(np.nan_to_num(patch.color))
    own = chroma(bgr(pieces.players[player]))
    stick = np.median(seen[np.abs(patch.s - at) > 20][:, np.abs(patch.t) < 3].reshape(-1, 2), axis=0)
    way = own - stick
    share = np.clip((seen - stick) @ way / max(float(way @ way), 1e-9), 0, 1.3)
    near = np.abs(patch.s - at) < 22
    across = share[near].sum(axis=0)
    if across.sum() <= 0:
        return None
    middle = float((patch.t * across).sum() / across.sum())
    use = np.asarray(np.abs(patch.t - middle) < tolerances.CAR_CORE_MM)
    profile = share[:, use].mean(axis=1)
    k = int(np.argmin(np.abs(patch.s - at)))
    half = float(np.median(profile[np.abs(patch.s - at) < 4])) / 2
    if half < tolerances.CAR_LEAST_COLOUR or profile[k] < half:
        return None
    below = np.flatnonzero(profile < half)
    low, high = below[below < k], below[below > k]
    if not len(low) or not len(high):
        return None
    i, j = int(low[-1]), int(high[0])
    step = float(patch.s[1] - patch.s[0])
    first = patch.s[i] + step * (half - profile[i]) / max(profile[i + 1] - profile[i], 1e-6)
    last = patch.s[j] - step * (half - profile[j]) / max(profile[j - 1] - profile[j], 1e-6)
    grown = tolerances.CAR_COLOUR_GROWS_MM / 2
    return float(first) + grown, float(last) - grown, middle, use, profile >= half


def type_of(pieces: Pieces, seen: Seen) -> Typed:
    """The most probable type among those that are known and a car like none of them."""
    names = list(pieces.cars)
    fits = [min(_fits(pieces.cars[name], seen), key=lambda fit: fit.misfit) for name in names]
    # brightness says nothing of a type whose cabin is not known: it counts as if it fitted like the best
    tones = [fit.tone for fit in fits if fit.tone is not None]
    neutral = min(tones, default=0.0)
    misfit = np.array([fit.size + (neutral if fit.tone is None else fit.tone) for fit in fits])
    best = int(np.argmin(misfit))
    weight = np.exp(-0.5 * (misfit - misfit[best]))
    other = np.exp(-0.5 * max(tolerances.CAR_LIKE_NONE - misfit[best], -50.0))
    return Typed(names[best], float(1 / (weight.sum() + other)), fits[best].along)


@dataclass(frozen=True)
class _Fit:
    """Chi-square of a type by its sizes and by its brightness (None: its cabin is not known), and its place, mm."""

    size: float
    tone: float | None
    along: float

    @property
    def misfit(self) -> float:
        return self.size + (self.tone or 0.0)


def _fits(box: Box, seen: Seen) -> list[_Fit]:
    """How a type fits, either way round."""
    if box.cabin is None:
        return [_fit(box, None, seen)]
    begin, end, belt = box.cabin
    return [_fit(box, (begin, end, belt), seen), _fit(box, (1 - end, 1 - begin, belt), seen)]


def _fit(box: Box, cabin: tuple[float, float, float] | None, seen: Seen) -> _Fit:
    """How a box with its cabin (shares along the road from its far end) fits."""
    slope = abs(seen.slope)
    towards = seen.slope > 0  # the near end is the one at the road's second tip
    near, far = (seen.last, -seen.first) if towards else (-seen.first, seen.last)
    near_hidden, far_hidden = (seen.hidden[1], seen.hidden[0]) if towards else seen.hidden
    if cabin is None:
        beyond, spread = tolerances.CAR_EDGE_SHARE * box.height * slope, tolerances.CAR_EDGE_SPREAD
        fill, fill_spread = tolerances.CAR_FILL
    else:
        begin, end, belt = cabin if towards else (1 - cabin[1], 1 - cabin[0], cabin[2])
        beyond = max(belt * box.height * slope, box.height * slope - begin * box.length)
        spread, fill_spread = tolerances.CAR_KNOWN_SPREAD, tolerances.CAR_KNOWN_SPREAD
        fill = belt + (1 - belt) * (end - begin) * tolerances.CAR_CABIN_WIDTH
    foot = near if not near_hidden else -far + box.length + beyond  # of the near end, away from the far one
    off = near + far - box.length - beyond
    if near_hidden or far_hidden:
        # what is hidden may be longer, but not longer than what hides it
        room = near_hidden + far_hidden + tolerances.CAR_HIDDEN_SLACK_MM
        off = max(off, 0.0) + min(off + room, 0.0)
    size = (off / float(np.hypot(tolerances.CAR_LENGTH_SIGMA_MM, spread * box.height * slope))) ** 2
    if np.isfinite(seen.height):
        sigma = np.sqrt(seen.sigma_height**2 + tolerances.CAR_HEIGHT_SIGMA_MM**2 + (fill_spread * box.height) ** 2)
        squared = ((seen.height - fill * box.height) / sigma) ** 2
        size += tolerances.CAR_HEIGHT_MOST * squared / (tolerances.CAR_HEIGHT_MOST + squared)
    tones = None
    if cabin is not None:
        s = (seen.s if towards else -seen.s[::-1]) - (foot - box.length)
        tone = seen.tone if towards else seen.tone[::-1]
        # what hides an end throws its shadow on the rest
        trust = tolerances.CAR_HIDDEN_TRUST if near_hidden or far_hidden else 1.0
        tones = trust * _tone_misfit(box, (begin, end, belt), slope, s, tone, -far - foot)

    along = foot - box.length / 2
    return _Fit(float(size), tones, float(along if towards else -along))


def _tone_misfit(
    box: Box, cabin: tuple[float, float, float], slope: float, s: Array, tone: Array, shown_from: float
) -> float:
    """Chi-square of a car's brightness along it for faces of one brightness each: what lies behind the cabin, its roof,
    its front, what lies before it, the near end's wall. ``s``: mm from the far end's foot towards the camera."""
    begin, end, belt = cabin
    low, high = belt * box.height * slope, box.height * slope
    edges = np.maximum.accumulate(
        [begin * box.length - high, end * box.length - high, end * box.length - low, box.length - low]
    )
    use = (s > shown_from + box.length + tolerances.CAR_END_MM) & (s < box.length - tolerances.CAR_END_MM)
    if use.sum() < 12:
        return 0.0
    at, values = s[use], tone[use] - tone[use].mean()
    bounds = np.concatenate([[-1e3], edges, [1e3]])
    steps = ndtr((at[:, None] - bounds) / tolerances.CAR_TONE_BLUR_MM)
    faces = steps[:, :-1] - steps[:, 1:]
    held = tolerances.CAR_TONE_HELD * np.eye(faces.shape[1])
    levels = np.linalg.solve(faces.T @ faces + held, faces.T @ values)
    rest = float(np.square(values - faces @ levels).sum()) * float(s[1] - s[0])
    return rest / tolerances.CAR_TONE_SIGMA**2 / tolerances.CAR_TONE_SAMPLE_MM
