"""Cars on roads: patches of a player's colour on top of a road; their types are told by ``car_types.py``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from rules.layout import Car
from rules.pieces import Pieces
from th_vision import tolerances
from th_vision.detect.colors import Palette
from th_vision.detect.depth_model import DepthModel, typical_car
from th_vision.detect.patch import strip
from th_vision.detect.plan import PlanView

Array = NDArray[np.float64]


@dataclass(frozen=True)
class FoundCar:
    """A car on a road: plan centre and foot height (mm), heading, owner and type with how probable each is."""

    x: float
    y: float
    z: float
    heading_deg: float
    player: str
    player_probability: float
    type: str
    type_probability: float
    sigma_xy: float
    along_mm: float
    across_mm: float
    top: tuple[float, float, float]


def cars_on(plan: PlanView, pieces: Pieces, colors: Palette, a: Array, b: Array) -> list[FoundCar]:
    """All cars on the road with top-surface tips a and b (3,), mm. Needs colour."""
    if plan.color is None or not pieces.players:
        return []
    height = float(np.median([box.height for box in pieces.cars.values()])) if pieces.cars else 7.0
    width = max((box.width for box in pieces.cars.values()), default=8.0)
    lift = np.array([0.0, 0.0, height])
    half = max(pieces.stick.width, width) / 2 + 2.0
    players = [k for k, name in enumerate(colors.names) if name in pieces.players]
    rough = strip(plan, a + lift, b + lift, 2.0, half, tolerances.CAR_ROUGH_MM, height=False, bare=True)
    assert rough.color is not None
    if np.isin(colors.nearest(rough.color, rough.bare)[0], players).sum() < tolerances.CAR_ROUGH_PLACES:
        return []
    patch = strip(plan, a + lift, b + lift, 2.0, half, tolerances.STRIP_PITCH_MM, height=False, bare=True)
    assert patch.color is not None
    index, win = colors.nearest(patch.color, patch.bare)
    pitch = float(patch.s[1] - patch.s[0])
    least = tolerances.CAR_LEAST_AREA * min((box.length * box.width for box in pieces.cars.values()), default=100.0)
    out = []
    for k, player in enumerate(colors.names):
        if player not in pieces.players:
            continue
        mask = cv2.morphologyEx((index == k).astype(np.uint8), cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8))
        count, labels, stats, centres = cv2.connectedComponentsWithStats(mask)
        for label in range(1, count):
            if stats[label, cv2.CC_STAT_AREA] * pitch**2 < least:
                continue
            part = labels == label
            along = np.flatnonzero(part.sum(axis=1) * pitch > 0.4 * min(width, 6.0))
            if len(along) == 0:
                continue
            for first, last in _split(pieces, float(patch.s[along[0]]), float(patch.s[along[-1]]) + pitch):
                rows = (patch.s >= first) & (patch.s < last)
                middle = (first + last) / 2
                across = float(patch.t[0] + centres[label][0] * pitch)
                x, y = patch.plan_point(middle, across)
                sure = float(np.mean(win[rows][part[rows]])) if part[rows].any() else 0.0
                unit = (b - a)[:2] / patch.length
                out.append(
                    FoundCar(
                        x=x,
                        y=y,
                        z=float(a[2] + (b[2] - a[2]) * np.clip(middle / patch.length, 0, 1)),
                        heading_deg=float(np.degrees(np.arctan2(unit[1], unit[0]))),
                        player=player,
                        player_probability=float(1 - 0.5 * np.exp(-8 * max(sure, 0.0))),
                        type=next(iter(pieces.cars), "sedan"),
                        type_probability=1 / (len(pieces.cars) + 1),  # ``car_types.py`` tells it
                        sigma_xy=tolerances.CAR_SIGMA_MM,
                        along_mm=middle,
                        across_mm=across,
                        top=(x, y, float(a[2] + (b[2] - a[2]) * np.clip(middle / patch.length, 0, 1)) + height),
                    )
                )
    return out


def without_cars(model: DepthModel, colors: Palette) -> DepthModel:
    """The depth model with everything unseen that has a player's colour, and as far around it as the kernel spreads it:
    a car lifts what is read of the road below it."""
    plan, players = model.plan, [k for k, name in enumerate(colors.names) if name in model.pieces.players]
    if plan.color is None or not players:
        return model
    v, u = np.nonzero(model.seen > tolerances.CAR_LEAST_RISE_MM)
    if len(v) == 0:
        return model
    pixels = plan.color_pixels(model.points(v, u))
    shown = plan.colors_at(pixels)
    index, _ = colors.nearest(shown, plan.bare_at(pixels))
    mask = np.zeros(model.shape, np.uint8)
    mask[v, u] = np.isin(index, players) & np.isfinite(shown).all(axis=1)
    mask = np.asarray(cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)), dtype=np.uint8)
    reach = [2 * int(np.ceil(tolerances.CAR_SPREAD_SIGMAS * sigma)) + 1 for sigma in model.kernel]
    grown = cv2.dilate(mask, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (reach[0], reach[1])))
    return model.leaving_out(np.asarray(grown > 0, dtype=np.bool_))


def _split(pieces: Pieces, first: float, last: float) -> list[tuple[float, float]]:
    """One patch of colour, or two or three cars bumper to bumper where it is too long for one."""
    longest = max((box.length for box in pieces.cars.values()), default=16.0)
    shortest = min((box.length for box in pieces.cars.values()), default=16.0)
    length = last - first
    count = 1 if length < longest + 0.6 * shortest else max(2, round(length / shortest))
    edges = np.linspace(first, last, count + 1)
    return [(float(edges[i]), float(edges[i + 1])) for i in range(count)]


def one_road_each(plan: PlanView, pieces: Pieces, found: list[tuple[str, FoundCar]]) -> list[tuple[str, FoundCar]]:
    """Of readings of one car from several roads (their ids with it) the one on whose road it stands.

    A car is seen in the picture once; read from a road at another height it seems to stand beside that road's middle.
    """
    if not found:
        return []
    mm_per_px = plan.table.distance_mm / plan.table.camera.color.fx if plan.table.camera.color else 1.0
    places = plan.color_pixels(np.array([car.top for _, car in found])) * mm_per_px
    twin_mm = tolerances.CAR_TWIN_WIDTHS * typical_car(pieces).width
    order = sorted(
        range(len(found)),
        key=lambda k: abs(found[k][1].across_mm) - _favour_mm(pieces, found, places, k, twin_mm),
    )
    ways = plan.color_pixels(np.array([_ahead(car) for _, car in found])) * mm_per_px - places
    kept: list[int] = []
    for k in order:
        same = [m for m in kept if found[m][1].player == found[k][1].player]
        if all(np.hypot(*(places[k] - places[m])) > twin_mm for m in same) and not any(
            found[m][0] != found[k][0] and _covers(pieces, places[m], ways[m], places[k]) for m in same
        ):
            kept.append(k)
    return [found[k] for k in sorted(kept)]


def others_than(
    plan: PlanView, pieces: Pieces, found: list[tuple[str, FoundCar]], known: Sequence[Car]
) -> list[tuple[str, FoundCar]]:
    """Of readings those that are of no known car, seen from another road than the one it stands on."""
    if not found or not known or plan.table.camera.color is None:
        return found
    box = typical_car(pieces)
    mm_per_px = plan.table.distance_mm / plan.table.camera.color.fx
    places = plan.color_pixels(np.array([car.top for _, car in found])) * mm_per_px
    there = plan.color_pixels(np.array([(car.x, car.y, car.z + box.height) for car in known])) * mm_per_px
    apart = np.linalg.norm(places[:, None] - there, axis=-1)
    players = np.array([[car.player == other.player for other in known] for _, car in found])
    same = ((apart <= tolerances.CAR_TWIN_WIDTHS * box.width) & players).any(axis=1)
    return [one for one, taken in zip(found, same, strict=True) if not taken]


def _ahead(car: FoundCar) -> tuple[float, float, float]:
    """A point in front of the middle of a car's top."""
    turn = np.radians(car.heading_deg)
    return car.top[0] + float(np.cos(turn)), car.top[1] + float(np.sin(turn)), car.top[2]


def _covers(pieces: Pieces, middle: Array, way: Array, place: Array) -> bool:
    """Whether a car, its middle (2,) and way in the picture, mm, covers a place: what is seen there is the car."""
    box = typical_car(pieces)
    unit = way / max(float(np.hypot(*way)), 1e-9)
    rel = place - middle
    along, across = abs(float(rel @ unit)), abs(float(rel[1] * unit[0] - rel[0] * unit[1]))
    return along < box.length / 2 + tolerances.CAR_ROOM_MM and across < box.width / 2


def _favour_mm(pieces: Pieces, found: list[tuple[str, FoundCar]], places: Array, k: int, twin_mm: float) -> float:
    """How much a reading is favoured for being the highest of its place. Well within the highest road it must be a car
    on that one: on a lower road it would be hidden there."""
    if not _above(found, places, k, twin_mm):
        return 0.0
    within = abs(found[k][1].across_mm) < tolerances.CAR_WITHIN_WIDTHS * pieces.stick.width
    return pieces.stick.width if within else tolerances.CAR_UPPER_MM


def _above(found: list[tuple[str, FoundCar]], places: Array, k: int, twin_mm: float) -> bool:
    """Whether a reading is the highest of those of one place in the picture: what lies lower may be hidden there."""
    near = np.hypot(*(places - places[k]).T) <= twin_mm
    return all(found[m][1].z <= found[k][1].z for m in np.flatnonzero(near))
