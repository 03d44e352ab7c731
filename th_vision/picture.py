"""A picture of the table for players: plan view to scale, who owns what, how high, and what is in doubt.

Input is a layout in mm and words; nothing is measured here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from rules.events import Crossing
from rules.geometry import bar_of, outline_distance
from rules.layout import Car, CityObject, Column, Layout, Point2, Road
from rules.phrases import CAR_TYPE_NAMES
from rules.pieces import Pieces
from th_vision import phrases as say
from th_vision import tolerances as tol
from th_vision.announce import SURE
from th_vision.canvas import (
    HEAD_PX,
    INK,
    OVERSAMPLE,
    PANEL_PX,
    PAPER,
    SOFT_INK,
    TABLE,
    Canvas,
    Color,
    Image,
    bgr,
    darker,
    lighter,
)
from th_vision.output import write_aside
from th_vision.words import Words, words_in
from th_vision.wrapping import columns, wrapped

NEUTRAL: Color = (158, 156, 154)
GRAY_DISC: Color = (176, 176, 176)
YELLOW_DISC: Color = (60, 205, 245)
GLOW: Color = (40, 140, 255)
DOUBT: Color = (60, 50, 215)
CITY: Color = (205, 222, 205)
SHADOW_PER_MM = 0.10  # a road's shadow falls this far aside for each mm of its height
MARGIN_MM = 30.0
KEY_MM = 15.0  # room below for the scale bar and what the marks mean
LINE_PX = 25
CAR_ROOM_MM = 6.0
HEIGHTS_MM = (22.0, 30.0, 38.0, 16.0, 46.0)  # so far inwards of a road's end its height may be written, best first


@dataclass(frozen=True)
class Standing:
    """One player's line in the side panel. ``None``: not said."""

    player: str
    cars_on_roads: int = 0
    cars: int | None = None
    discs: int | None = None
    yellow: int | None = None
    sticks: int | None = None
    score: int | None = None
    turn: bool = False


@dataclass(frozen=True)
class Legend:
    """What a picture says in words and marks. ``doubts``: piece id -> why, shown as a dashed red ring.

    ``newest``: ids of the last move's pieces, shown with a glow; ``crossings``: those of its ruling. ``types``: cars
    have the name of their type beside them; ``warnings``: why the whole picture is to be doubted.
    """

    title: str = ""
    notes: tuple[str, ...] = ()
    standings: tuple[Standing, ...] = ()
    newest: frozenset[str] = frozenset()
    doubts: Mapping[str, str] = field(default_factory=dict)
    crossings: tuple[Crossing, ...] = ()
    language: str = "en"
    types: bool = False
    warnings: tuple[str, ...] = ()


def draw_table(
    layout: Layout, pieces: Pieces, owners: Mapping[str, str], legend: Legend | None = None, *, width_px: int = 1400
) -> Image:
    """The picture as (h, w, 3) uint8 BGR. ``owners``: piece id -> player."""
    legend = legend or Legend()
    words = words_in(legend.language)
    canvas = Canvas(_bounds(layout, pieces), width_px, _panel_height(legend))
    colors = {player: bgr(value) for player, value in pieces.players.items()}
    canvas.table()
    for thing in layout.city:
        _draw_city(canvas, thing, layout, words)
    for strange in layout.unknown:
        canvas.polygon(strange.outline, (230, 220, 235), DOUBT)
        canvas.text_at(np.mean(strange.outline, axis=0), f"? {strange.height:.0f}", 13, DOUBT, 600)
    for column in layout.columns:
        _draw_column(canvas, column, pieces, column.id in legend.newest)
    for road in sorted(layout.roads, key=lambda r: r.ends[0][2] + r.ends[1][2]):
        color = colors.get(owners.get(road.id, ""), NEUTRAL)
        _draw_road(canvas, road, pieces, color, road.id in legend.newest)
        for car in (k for k in layout.cars if k.on == road.id):
            _draw_car(canvas, car, pieces, colors.get(car.player, NEUTRAL))
    on_roads = {road.id for road in layout.roads}
    for car in (k for k in layout.cars if k.on not in on_roads):
        _draw_car(canvas, car, pieces, colors.get(car.player, NEUTRAL))
    for column in layout.columns:
        _draw_levels(canvas, column)
    for car in layout.cars:
        canvas.keep_free(car.x, car.y, CAR_ROOM_MM)
    for crossing in legend.crossings:
        _draw_crossing(canvas, crossing)
    _draw_doubts(canvas, layout, pieces, {k: words.text(say.DOUBTS.get(why, why)) for k, why in legend.doubts.items()})
    for road in layout.roads:
        _draw_heights(canvas, road, layout, pieces)
    if legend.types:
        for car in layout.cars:
            _draw_type(canvas, car, pieces, words)
    canvas.scale_bar(words.text(say.PICTURE_KEY if legend.newest else say.PICTURE_KEY_STILL), words.word("unit", "mm"))
    _draw_words(canvas, legend, colors, words)
    return canvas.image()


def below(image: Image, others: Sequence[Image], gap_px: int = 12) -> Image:
    """The picture with others set in rows under it, on the same paper."""
    rows: list[list[Image]] = []
    for other in others:
        used = sum(one.shape[1] + gap_px for one in rows[-1]) if rows else image.shape[1]
        if not rows or used + other.shape[1] > image.shape[1]:
            rows.append([])
        rows[-1].append(other)
    parts = [image]
    for row in rows:
        strip = np.full((max(one.shape[0] for one in row) + gap_px, image.shape[1], 3), PAPER, np.uint8)
        x = 0
        for one in row:
            width = min(one.shape[1], image.shape[1] - x)
            strip[: one.shape[0], x : x + width] = one[:, :width]
            x += width + gap_px
        parts.append(strip)
    return np.vstack(parts)


def decoded(data: bytes) -> Image:
    """A JPEG or PNG as (h, w, 3) uint8 BGR."""
    return np.asarray(cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR), dtype=np.uint8)


def save_picture(path: Path, image: Image) -> None:
    """Write the picture as PNG, aside and renamed.

    Raises:
        VisionError: the place can't be written.
    """
    done, data = cv2.imencode(".png", image)
    assert done, "an 8-bit colour image can be written as PNG"
    write_aside(path, data.tobytes())


# --- pieces -----------------------------------------------------------------------------------------------------------


def _draw_city(canvas: Canvas, thing: CityObject, layout: Layout, words: Words) -> None:
    """A city object with its name; what stands up, with its height, and an area's obstacles and arch are darker."""
    stands = thing.kind in ("building", "tower")
    canvas.polygon(thing.outline, darker(CITY, 0.85) if stands else CITY, SOFT_INK)
    for obstacle in thing.obstacles:
        canvas.polygon(obstacle.outline, darker(CITY, 0.85), SOFT_INK)
    if thing.arch is not None:
        canvas.capsule(*thing.arch, 4.0, darker(CITY, 0.7))
    name = words.text(say.PAGE.get(f"city.{thing.kind}", thing.kind.replace("_", " ")))
    if thing.kind_probability < tol.CITY_KIND_SURE:
        name += "?"
    x, y = np.mean(thing.outline, axis=0)
    if any(other.on == thing.id for other in layout.city):
        y = max(corner[1] for corner in thing.outline) - 5  # what stands on it hides its middle
    canvas.text_at((x, y), name, 12, SOFT_INK if thing.kind_probability >= tol.CITY_KIND_SURE else DOUBT)
    if stands:
        canvas.text_at((x, y - 7), f"{thing.height:.0f}", 12, INK, 500)


def _draw_column(canvas: Canvas, column: Column, pieces: Pieces, new: bool) -> None:
    radius = pieces.disc.radius
    if new:
        canvas.disc(column.x, column.y, radius + 4, GLOW)
    shift = column.top_z * SHADOW_PER_MM
    canvas.disc(column.x + shift, column.y - shift, radius, darker(TABLE, 0.86))
    face = YELLOW_DISC if column.junction else GRAY_DISC
    canvas.disc(column.x, column.y, radius, face, darker(face, 0.6))


def _draw_road(canvas: Canvas, road: Road, pieces: Pieces, color: Color, new: bool) -> None:
    stick = pieces.stick
    square = stick.ends == "square"
    a, b = road.ends
    start, end = (a[0], a[1]), (b[0], b[1])
    low, high = a[2] * SHADOW_PER_MM, b[2] * SHADOW_PER_MM
    shade = darker(TABLE, 0.8)
    canvas.capsule((a[0] + low, a[1] - low), (b[0] + high, b[1] - high), stick.width, shade, square)
    if new:
        canvas.capsule(*_longer(start, end, 3.5), stick.width + 7, GLOW, square)
    canvas.capsule(*_longer(start, end, 1.1), stick.width + 2.2, (255, 255, 255), square)
    canvas.capsule(start, end, stick.width, darker(color, 0.55), square)
    canvas.capsule(*_longer(start, end, -0.8), stick.width - 1.6, color, square)


def _draw_car(canvas: Canvas, car: Car, pieces: Pieces, color: Color) -> None:
    box = pieces.cars.get(car.type) or next(iter(pieces.cars.values()), None)
    length, width = (box.length, box.width) if box else (16.0, 8.0)
    angle = np.deg2rad(car.heading_deg)
    forward, aside = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])

    def outline(x0: float, x1: float, y: float) -> list[Point2]:
        corners = [(x0, y), (x1, y * 0.85), (x1, -y * 0.85), (x0, -y)]
        points = [np.array([car.x, car.y]) + forward * u * length + aside * v * width for u, v in corners]
        return [(float(p[0]), float(p[1])) for p in points]

    canvas.polygon(outline(-0.5, 0.5, 0.5), lighter(color, 0.35), INK)
    canvas.fill(outline(-0.25, 0.2, 0.34), darker(color, 0.75))
    canvas.fill(outline(0.02, 0.2, 0.34), (250, 240, 225))


def _draw_heights(canvas: Canvas, road: Road, layout: Layout, pieces: Pieces) -> None:
    """The height of the top at both ends, mm, a little inwards of the columns, where no other piece lies over it."""
    a, b = np.array(road.ends[0]), np.array(road.ends[1])
    for tip, other in ((a, b), (b, a)):
        along = (other - tip) / max(float(np.hypot(*(other - tip)[:2])), 1e-9)
        places = [(tip + along * inwards)[:2] for inwards in HEIGHTS_MM]
        free = [place for place in places if _room_around(place, road, layout, pieces)] or places
        canvas.label([(float(x), float(y)) for x, y in free], f"{tip[2]:.0f}", 12, INK, 500)


def _room_around(place: NDArray[np.float64], road: Road, layout: Layout, pieces: Pieces) -> bool:
    """Whether no car and no other road lies where a number on a road is to stand."""
    x, y = float(place[0]), float(place[1])
    if any(np.hypot(car.x - x, car.y - y) < 14.0 for car in layout.cars):
        return False
    others = (other for other in layout.roads if other.id != road.id)
    return all(outline_distance(bar_of(other, pieces.stick), x, y).distance.value > 5.0 for other in others)


def _draw_type(canvas: Canvas, car: Car, pieces: Pieces, words: Words) -> None:
    """The name of a car's type below it, with a question mark where it is not sure."""
    if car.type not in pieces.cars:
        return
    name = words.word("car", CAR_TYPE_NAMES[car.type]) if car.type in CAR_TYPE_NAMES else car.type
    name += "" if car.type_probability >= SURE else "?"
    aside = 9 + canvas.text_size(name, 11)[0] / 2 / canvas.scale
    places = [(car.x, car.y - 11), (car.x, car.y + 11), (car.x + aside, car.y), (car.x - aside, car.y)]
    canvas.label(places, name, 11, SOFT_INK)


def _draw_levels(canvas: Canvas, column: Column) -> None:
    face: Color = YELLOW_DISC if column.junction else (252, 252, 252)
    canvas.disc(column.x, column.y, 5.6, face, INK, 1)
    canvas.keep_free(column.x, column.y, 5.6)
    canvas.text_at((column.x, column.y), str(column.levels), 15, INK, 700, halo=False)


def _draw_crossing(canvas: Canvas, crossing: Crossing) -> None:
    color: Color = DOUBT if crossing.call == "too_close" else ((70, 150, 30) if crossing.pays else SOFT_INK)
    if crossing.call == "too_close":
        canvas.dashed_ring(*crossing.at, 9.5, color)
    else:
        canvas.ring(*crossing.at, 9.5, color)
    words = crossing.side + (" +1" if crossing.pays else "") + (" ?" if crossing.call == "too_close" else "")
    x, y = crossing.at
    canvas.label([(x, y + 14), (x, y - 14), (x + 26, y), (x - 26, y)], words, 14, color, 700)


def _draw_doubts(canvas: Canvas, layout: Layout, pieces: Pieces, doubts: Mapping[str, str]) -> None:
    places: dict[str, tuple[float, float, float]] = {}
    places.update({c.id: (c.x, c.y, pieces.disc.radius + 4) for c in layout.columns})
    places.update({k.id: (k.x, k.y, 12.0) for k in layout.cars})
    for road in layout.roads:
        middle = np.mean(road.ends, axis=0)
        places[road.id] = (float(middle[0]), float(middle[1]), pieces.stick.width * 0.9)
    for piece, why in doubts.items():
        if piece not in places:
            continue
        x, y, radius = places[piece]
        canvas.dashed_ring(x, y, radius, DOUBT)
        asked = f"{why}?" if why else "?"
        aside = radius + 3 + canvas.text_size(asked, 13, 600)[0] / 2 / canvas.scale
        places_of = [(x, y - radius - 7), (x, y + radius + 7), (x + aside, y), (x - aside, y)]
        canvas.label(places_of, asked, 13, DOUBT, 600)


def _draw_words(canvas: Canvas, legend: Legend, colors: Mapping[str, Color], words: Words) -> None:
    canvas.text(16, 32, legend.title, 23, INK, 700)
    for row, note in enumerate(legend.notes[:1]):
        canvas.text(16, 58 + row * 20, note, 15, SOFT_INK)
    x, y = canvas.plan_width + 22, HEAD_PX + 12
    k = OVERSAMPLE
    for standing in legend.standings:
        color = colors.get(standing.player, NEUTRAL)
        cv2.rectangle(canvas.paper, (x * k, y * k), ((x + 20) * k, (y + 20) * k), color, cv2.FILLED)
        cv2.rectangle(canvas.paper, (x * k, y * k), ((x + 20) * k, (y + 20) * k), INK, 2, cv2.LINE_AA)
        name = words.player(standing.player)
        canvas.text(x + 30, y + 17, name, 19, INK, 700)
        if standing.turn:
            width, _ = canvas.text_size(name, 19, 700)
            canvas.text(x + 30 + width + 10, y + 16, words.text(say.TO_PLAY), 14, SOFT_INK)
        y += LINE_PX + 8
        for line in _standing_lines(standing, words):
            canvas.text(x + 30, y + 10, line, 15, INK)
            y += LINE_PX - 3
        y += 16
    inks = [(warning, DOUBT) for warning in legend.warnings] + [(note, SOFT_INK) for note in legend.notes[1:]]
    for note, ink in inks:
        for line in wrapped(note, PANEL_PX - 40, lambda part: canvas.text_size(part, 14)[0]):
            canvas.text(x, y + 10, line, 14, ink)
            y += LINE_PX - 5
        y += 6


def _standing_lines(standing: Standing, words: Words) -> list[str]:
    lines = []
    if standing.score is not None:
        lines.append(words.fill(say.SCORE_OF, n=str(standing.score)))
    on = str(standing.cars_on_roads)
    if standing.cars is not None:
        lines.append(words.fill(say.CARS_ON_AND_LEFT, on=on, left=str(standing.cars)))
    else:
        lines.append(words.fill(say.CARS_ON, on=on))
    if standing.discs is not None:
        lines.append(words.fill(say.DISCS_LEFT, gray=str(standing.discs), yellow=str(standing.yellow or 0)))
    if standing.sticks is not None:
        lines.append(words.fill(say.STICKS_LEFT, n=str(standing.sticks)))
    return lines


def _panel_height(legend: Legend) -> int:
    rows = sum(LINE_PX + 24 + len(_standing_lines(s, words_in("en"))) * (LINE_PX - 3) for s in legend.standings)
    notes = sum(6 + (1 + columns(note) // 34) * (LINE_PX - 5) for note in (*legend.warnings, *legend.notes[1:]))
    return 40 + rows + notes


def _bounds(layout: Layout, pieces: Pieces) -> tuple[float, float, float, float]:
    """x0, y0, x1, y1 of all pieces with a margin, mm; never narrower than two sticks."""
    points: list[Point2] = [(c.x, c.y) for c in layout.columns] + [(k.x, k.y) for k in layout.cars]
    points += [(e[0], e[1]) for r in layout.roads for e in r.ends]
    points += [p for thing in layout.city for p in thing.outline]
    points += [p for strange in layout.unknown for p in strange.outline]
    array = np.array(points or [(0.0, 0.0)])
    low, high = array.min(axis=0) - MARGIN_MM - (0.0, KEY_MM), array.max(axis=0) + MARGIN_MM
    least = 2 * pieces.stick.length
    for axis in (0, 1):
        missing = least * (1.0 if axis == 0 else 0.75) - (high[axis] - low[axis])
        if missing > 0:
            low[axis] -= missing / 2
            high[axis] += missing / 2
    return float(low[0]), float(low[1]), float(high[0]), float(high[1])


def _longer(a: Point2, b: Point2, by: float) -> tuple[Point2, Point2]:
    start, end = np.array(a), np.array(b)
    along = (end - start) / max(float(np.hypot(*(end - start))), 1e-9) * by
    first, last = start - along, end + along
    return (float(first[0]), float(first[1])), (float(last[0]), float(last[1]))
