"""Placing the city objects in set-up as players do: in turns, development areas first, each where there is room."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from shapely.geometry import Point, Polygon

from th_vision.errors import VisionError
from th_vision.virtual_table.candidates import Field
from th_vision.virtual_table.city import BASE_SET, box_of, city_body
from th_vision.virtual_table.physics import disc_outline, top_outline
from th_vision.virtual_table.playing import PlayedMoment, Playing
from th_vision.virtual_table.scene import CityBody

TRIES = 600
PLACES = 5  # of so many possible places the one with most room is taken
APART_MM = 3.0  # cards that need no spacing lie so far apart
TURN_DEG = 12.0  # cards are laid a bit askew
BESIDE_MM = 0.4  # a harbor lies so near to its development area
INSIDE_MM = 4.0  # a building stands so far inside its area's edge
SHORT = {
    "development_area": "d",
    "building": "b",
    "tower": "t",
    "airport_area": "a",
    "green_area": "g",
    "rainbow_area": "w",
    "asakusa": "s",
    "yacht_harbor": "y",
    "amusement_park": "m",
}
"""First letter of the ids of a kind: d1 is a development area."""


def next_city_id(game: Playing, kind: str) -> str:
    """The id for the next object of a kind."""
    return f"{SHORT[kind]}{1 + sum(body.kind == kind for body in game.scene.city)}"


def place_all(
    game: Playing, rng: np.random.Generator, field: Field, kinds: Sequence[str] = BASE_SET, margin_mm: float = 3.0
) -> Iterator[PlayedMoment]:
    """The players place all these objects, one after the other.

    Raises:
        VisionError: there is no room for one of them.
    """
    for number, kind in enumerate(kinds):
        body = find_place(game, rng, field, kind, margin_mm)
        if body is None:
            raise VisionError(
                f"virtual game: no room for {number + 1} city objects on a field of {field.width:.0f} x "
                f"{field.height:.0f} mm; hang the camera higher, or choose fewer players"
            )
        yield game.place_city(game.players[number % len(game.players)], body)


def find_place(
    game: Playing, rng: np.random.Generator, field: Field, kind: str, margin_mm: float = 3.0
) -> CityBody | None:
    """A legal place for one more object of a kind, with room around it where there is any; None where there is none."""
    id = next_city_id(game, kind)
    if kind in ("building", "tower"):
        return _on_area(game, rng, kind, id)
    if kind == "yacht_harbor":
        return _beside_area(game, rng, field, kind, id)
    box = box_of(game.pieces, kind)
    half = np.array([field.width, field.height]) / 2
    reach = math.hypot(box.length, box.width) / 2
    best: tuple[float, CityBody] | None = None
    found = 0
    for _ in range(TRIES):
        x, y = (float(v) for v in rng.uniform(-half, half))
        turn = float(rng.uniform(-TURN_DEG, TURN_DEG)) + 90.0 * int(rng.integers(4))
        body = city_body(game.pieces, kind, id, x, y, turn)
        if np.any(np.abs(np.asarray(body.outline)) > half):
            continue
        room = room_of(game, body)
        need = game.pieces.disc.diameter + margin_mm if kind == "development_area" else APART_MM
        if room < need:
            continue
        found += 1
        worth = min(room, 2.5 * reach)
        if best is None or worth > best[0]:
            best = (worth, body)
        if found == PLACES:
            break
    return None if best is None else best[1]


def room_of(game: Playing, body: CityBody) -> float:
    """Plan distance of a card's outline from all other cards, roads and columns, mm."""
    outline = Polygon(body.outline)
    distances = [outline.distance(Polygon(o.outline)) for o in game.scene.city if o.on == "table" and o.id != body.id]
    distances += [outline.distance(top_outline(stick)) for stick in game.scene.sticks]
    discs = (disc_outline(c.x, c.y, c.discs[-1].diameter) for c in game.scene.columns)
    distances += [outline.distance(disc) for disc in discs]
    return min(distances, default=math.inf)


def free_areas(game: Playing) -> list[CityBody]:
    """Development areas on which no building and no tower stands."""
    taken = {body.on for body in game.scene.city}
    return [body for body in game.scene.city if body.kind == "development_area" and body.id not in taken]


def _on_area(game: Playing, rng: np.random.Generator, kind: str, id: str) -> CityBody | None:
    areas = free_areas(game)
    if not areas:
        return None
    area = areas[int(rng.integers(len(areas)))]
    outline = Polygon(area.outline)
    middle = np.mean(np.asarray(area.outline), axis=0)
    fit: list[tuple[float, CityBody]] = []
    for _ in range(TRIES):
        x, y = middle + rng.uniform(-0.5, 0.5, 2) * box_of(game.pieces, area.kind).width
        body = city_body(game.pieces, kind, id, float(x), float(y), float(rng.uniform(0, 90)), on=area)
        inside = all(outline.contains(Point(p)) for p in body.outline)
        if inside and outline.exterior.distance(Polygon(body.outline)) >= INSIDE_MM:
            fit.append((float(np.hypot(x - middle[0], y - middle[1])), body))
        if len(fit) == PLACES:
            break
    return max(fit, key=lambda found: found[0])[1] if fit else None  # towards a corner: columns find room beside it


def _beside_area(game: Playing, rng: np.random.Generator, field: Field, kind: str, id: str) -> CityBody | None:
    """A harbor with its long side along the side of a development area."""
    half = np.array([field.width, field.height]) / 2
    box = box_of(game.pieces, kind)
    areas = [body for body in game.scene.city if body.kind == "development_area"]
    for k in rng.permutation(4 * len(areas)):
        area, side = areas[k // 4], int(k % 4)
        corners = np.asarray(area.outline)
        a, b = corners[side], corners[(side + 1) % 4]
        along = (b - a) / np.linalg.norm(b - a)
        outward = np.array([along[1], -along[0]])
        x, y = (a + b) / 2 + outward * (box.width / 2 + BESIDE_MM)
        turn = math.degrees(math.atan2(along[1], along[0]))
        body = city_body(game.pieces, kind, id, float(x), float(y), turn, adjoins=area.id)
        if np.any(np.abs(np.asarray(body.outline)) > half):
            continue
        others = [o for o in game.scene.city if o.on == "table" and o.id != area.id]
        outline = Polygon(body.outline)
        clear = all(outline.distance(Polygon(o.outline)) >= APART_MM for o in others)
        clear = clear and all(outline.distance(top_outline(stick)) >= APART_MM for stick in game.scene.sticks)
        discs = [disc_outline(c.x, c.y, c.discs[-1].diameter) for c in game.scene.columns]
        if clear and all(outline.distance(disc) >= APART_MM for disc in discs):
            return body
    return None
