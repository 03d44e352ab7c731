"""Set-ups against the rules and near their limits: ramps and areas too near, objects over an edge or out of order."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from shapely.geometry import Point, Polygon

from rules.tolerances import RAMP_DISTANCE_SHARE
from th_vision.errors import VisionError
from th_vision.virtual_table.builds import PlayedMoment
from th_vision.virtual_table.candidates import Field
from th_vision.virtual_table.city import BASE_SET, box_of, city_body
from th_vision.virtual_table.city_setup import find_place, free_areas, next_city_id, room_of
from th_vision.virtual_table.playing import Playing
from th_vision.virtual_table.scene import CityBody

NEAR_RAMPS = 0.8  # the ramps' columns, stick lengths apart
CLOSE_MM = 0.5
OVER_MM = (2.0, 5.0)  # how far a building stands over its area's edge
TOO_NEAR = (0.35, 0.8)  # room between two areas, columns' widths
TRIES = 4000

SETUP_EVENTS: dict[str, tuple[str, str | None]] = {
    "near-ramps": ("ramps too near to each other", "ramp-distance"),
    "near-areas": ("development areas too near to each other", "area-spacing"),
    "over-area-edge": ("a building over its area's edge", "city-over-edge"),
    "late-area": ("a development area after a building", "city-order"),
    "two-on-one": ("a second building on one area", "city-order"),
    "close-ramps": ("ramps at the limit of their distance", None),
    "close-areas": ("development areas at the limit of their distance", None),
    "close-area-edge": ("a building at its area's edge", None),
}
"""What can happen in set-up: in words, and the rule that it breaks, if any."""


def ramps(game: Playing, rng: np.random.Generator, event: str | None) -> Iterator[PlayedMoment]:
    """Two players' ramps, too near to each other or at the limit of being so where the event says so."""
    length = game.pieces.stick.length
    apart = 1.0
    if event == "near-ramps":
        apart = NEAR_RAMPS
    elif event == "close-ramps":
        side = float(rng.choice([-1, 1]))
        apart = 1 + side * RAMP_DISTANCE_SHARE + float(rng.uniform(-CLOSE_MM, CLOSE_MM)) / length
    for i, player in enumerate(game.players):
        way = -1 if i == 0 else 1
        moment = game.ramp(
            player, way * apart * length / 2, 0.0, (180.0 if i == 0 else 0.0) + float(rng.uniform(-20, 20))
        )
        yield _named(moment, event if i == 1 and apart != 1.0 else None)


def city(
    game: Playing, rng: np.random.Generator, field: Field, events: tuple[str, ...], margin_mm: float = 3.0
) -> Iterator[PlayedMoment]:
    """The base set placed by the players; where the events say so, not as the rules want it.

    Raises:
        VisionError: there is no room for what should happen.
    """
    kinds = list(BASE_SET)
    if "late-area" in events:  # the last development area comes after the first building
        kinds.remove("development_area")
        kinds.insert(kinds.index("building") + 1, "development_area")
    due = [event for event in events if event in SETUP_EVENTS]
    for number, kind in enumerate(kinds):
        player = game.players[number % len(game.players)]
        event, body = _meant(game, rng, field, kind, due)
        if body is None:
            body = find_place(game, rng, field, kind, margin_mm)
        if body is None:
            raise VisionError(
                f"virtual game: no room for {number + 1} city objects on a field of {field.width:.0f} x "
                f"{field.height:.0f} mm; hang the camera higher"
            )
        if event is not None:
            due.remove(event)
        elif kind == "development_area" and "late-area" in due and any(b.kind == "building" for b in game.scene.city):
            event = "late-area"
            due.remove(event)
        yield game.place_city(player, body, (event,) if event else ())


def _meant(
    game: Playing, rng: np.random.Generator, field: Field, kind: str, due: list[str]
) -> tuple[str | None, CityBody | None]:
    """An event that fits this kind of object, and the object placed so; (None, None) where none does."""
    placed = [body.kind for body in game.scene.city]
    disc = game.pieces.disc.diameter
    if kind == "development_area" and placed and "building" not in placed:
        for event, room in (
            ("near-areas", (TOO_NEAR[0] * disc, TOO_NEAR[1] * disc)),
            ("close-areas", (disc - CLOSE_MM, disc + CLOSE_MM)),
        ):
            body = _so_far(game, rng, field, kind, *room) if event in due else None
            if body is not None:
                return event, body
    if kind == "building":
        for event, over in (("over-area-edge", OVER_MM), ("close-area-edge", (-CLOSE_MM, CLOSE_MM))):
            body = _over_edge(game, rng, kind, *over) if event in due else None
            if body is not None:
                return event, body
        if "two-on-one" in due and placed.count("building") == 2:
            body = _second(game, rng, kind)
            if body is not None:
                return "two-on-one", body
    return None, None


def _so_far(
    game: Playing, rng: np.random.Generator, field: Field, kind: str, low: float, high: float
) -> CityBody | None:
    """An area that leaves ``low`` to ``high`` mm to its nearest neighbour, which is another development area."""
    half = np.array([field.width, field.height]) / 2
    first = [body for body in game.scene.city if body.kind == "development_area"]
    for _ in range(TRIES):
        other = first[int(rng.integers(len(first)))]
        corners = np.asarray(other.outline)
        side = int(rng.integers(4))
        a, b = corners[side], corners[(side + 1) % 4]
        along = (b - a) / np.linalg.norm(b - a)
        outward = np.array([along[1], -along[0]])
        reach = box_of(game.pieces, kind).width / 2 + rng.uniform(low, high)
        x, y = (a + b) / 2 + outward * reach + along * rng.uniform(-20, 20)
        turn = math.degrees(math.atan2(along[1], along[0]))
        body = city_body(game.pieces, kind, next_city_id(game, kind), float(x), float(y), turn)
        if np.all(np.abs(np.asarray(body.outline)) <= half) and low <= room_of(game, body) <= high:
            pieces = [*game.scene.columns, *game.scene.sticks]
            if pieces and room_of_pieces(game, body) > game.pieces.disc.diameter + 3.0:
                return body
    return None


def room_of_pieces(game: Playing, body: CityBody) -> float:
    """Plan distance of a card from all columns and roads, mm."""
    alone = game.copy()
    alone.scene = replace(game.scene, city=())
    return room_of(alone, body)


def _over_edge(game: Playing, rng: np.random.Generator, kind: str, low: float, high: float) -> CityBody | None:
    """A building that stands ``low`` to ``high`` mm over the edge of a free area."""
    areas = free_areas(game)
    for _ in range(TRIES if areas else 0):
        area = areas[int(rng.integers(len(areas)))]
        middle = np.mean(np.asarray(area.outline), axis=0)
        x, y = middle + rng.uniform(-0.5, 0.5, 2) * box_of(game.pieces, area.kind).width
        turn = math.degrees(math.atan2(*(np.subtract(area.outline[1], area.outline[0])[::-1])))
        body = city_body(game.pieces, kind, next_city_id(game, kind), float(x), float(y), turn, on=area)
        outline = Polygon(area.outline)
        out = max(outline.exterior.distance(Point(p)) * (-1 if outline.contains(Point(p)) else 1) for p in body.outline)
        if low <= out <= high:
            return body
    return None


def _second(game: Playing, rng: np.random.Generator, kind: str) -> CityBody | None:
    """A building on an area on which one stands."""
    tenants = {body.on: body for body in game.scene.city if body.on != "table"}
    for area in game.scene.city:
        tenant = tenants.get(area.id)
        outline = Polygon(area.outline)
        for _ in range(TRIES // 8 if tenant is not None else 0):
            middle = np.mean(np.asarray(area.outline), axis=0)
            x, y = middle + rng.uniform(-0.5, 0.5, 2) * box_of(game.pieces, area.kind).width
            body = city_body(game.pieces, kind, next_city_id(game, kind), float(x), float(y), 0.0, on=area)
            mine = Polygon(body.outline)
            apart = tenant is not None and mine.distance(Polygon(tenant.outline)) > 3.0
            if apart and outline.contains(mine):
                return body
    return None


def _named(moment: PlayedMoment, event: str | None) -> PlayedMoment:
    return moment if event is None else replace(moment, what=replace(moment.what, events=(event,)))
