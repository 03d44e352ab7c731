"""A small drawing of shapes and words: as SVG, or as an image. Knows no piece of the game.

The same list of shapes gives both, so that a picture on a page and one in a file show the same. Lengths in pixels, y
down, colours ``#rrggbb``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal, TypeAlias
from xml.sax.saxutils import escape, quoteattr

import numpy as np
from numpy.typing import NDArray

from rules.layout import Point2

Image = NDArray[np.uint8]
Anchor = Literal["start", "middle", "end"]
_OVERSAMPLE = 2  # drawn so many times larger and scaled down, so that thin lines stay smooth
_SHIFT = 4  # fractional bits of pixel positions in OpenCV's drawing
_FONT = "system-ui, 'Noto Sans', 'Noto Sans CJK TC', 'DejaVu Sans', sans-serif"


@dataclass(frozen=True)
class Shape:
    """A polygon, or a line where it is not ``closed``. ``name``: what it stands for, for those who look it up."""

    points: tuple[Point2, ...]
    fill: str | None = None
    stroke: str | None = None
    width: float = 1.0
    dash: tuple[float, float] | None = None
    opacity: float = 1.0
    closed: bool = True
    name: str = ""


@dataclass(frozen=True)
class Circle:
    """A disc or a ring."""

    x: float
    y: float
    radius: float
    fill: str | None = None
    stroke: str | None = None
    width: float = 1.0
    dash: tuple[float, float] | None = None
    opacity: float = 1.0
    name: str = ""


@dataclass(frozen=True)
class Words:
    """A line of text; (x, y) is on its baseline."""

    x: float
    y: float
    text: str
    size: float = 13.0
    fill: str = "#2a2c30"
    anchor: Anchor = "start"
    bold: bool = False
    halo: bool = False
    name: str = ""


@dataclass(frozen=True)
class Clip:
    """Shapes that are seen only inside a rectangle (x, y, width, height)."""

    box: tuple[float, float, float, float]
    items: tuple[Item, ...]


Item: TypeAlias = Shape | Circle | Words | Clip


@dataclass
class Drawing:
    """``width`` x ``height`` pixels of paper. ``title`` says in words what is shown."""

    width: int
    height: int
    title: str = ""
    paper: str = "#f7f6f3"
    items: list[Item] = field(default_factory=list)

    def find(self, name: str) -> list[Item]:
        """The shapes of that name, in the order in which they were drawn."""
        return [item for item in _flat(self.items) if getattr(item, "name", "") == name]

    def to_svg(self) -> str:
        """The drawing as one SVG element without anything from elsewhere."""
        clips: list[str] = []
        body = "".join(_svg(item, clips) for item in self.items)
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" '
            f'width="{self.width}" height="{self.height}" role="img" font-family={quoteattr(_FONT)}>'
        )
        defs = f"<defs>{''.join(clips)}</defs>" if clips else ""
        paper = f'<rect width="{self.width}" height="{self.height}" fill="{self.paper}"/>'
        return f"{head}<title>{escape(self.title)}</title>{defs}{paper}{body}</svg>\n"

    def to_image(self, scale: float = 1.0) -> Image:
        """The drawing as (h, w, 3) uint8 BGR."""
        import cv2

        k = scale * _OVERSAMPLE
        image = np.full((round(self.height * k), round(self.width * k), 3), _bgr(self.paper), np.uint8)
        for item in self.items:
            _paint(image, item, k)
        size = (round(self.width * scale), round(self.height * scale))
        return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)


def _flat(items: Sequence[Item]) -> list[Item]:
    out: list[Item] = []
    for item in items:
        out += _flat(item.items) if isinstance(item, Clip) else [item]
    return out


# --- SVG --------------------------------------------------------------------------------------------------------------


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _look(item: Shape | Circle) -> str:
    parts = [f'fill="{item.fill or "none"}"']
    if item.stroke is not None:
        parts.append(f'stroke="{item.stroke}" stroke-width="{_number(item.width)}"')
    if item.dash is not None:
        parts.append(f'stroke-dasharray="{_number(item.dash[0])} {_number(item.dash[1])}"')
    if item.opacity < 1:
        parts.append(f'opacity="{_number(item.opacity)}"')
    return " ".join(parts)


def _svg(item: Item, clips: list[str]) -> str:
    if isinstance(item, Clip):
        # The id says where the window is, so that two drawings in one document don't take each other's.
        x, y, w, h = (_number(value) for value in item.box)
        name = "c" + "_".join((x, y, w, h)).replace(".", "p").replace("-", "m")
        clips.append(f'<clipPath id="{name}"><rect x="{x}" y="{y}" width="{w}" height="{h}"/></clipPath>')
        return f'<g clip-path="url(#{name})">{"".join(_svg(one, clips) for one in item.items)}</g>'
    if isinstance(item, Words):
        halo = ' stroke="#ffffff" stroke-width="3" paint-order="stroke" stroke-linejoin="round"' if item.halo else ""
        anchor = "" if item.anchor == "start" else f' text-anchor="{item.anchor}"'
        bold = ' font-weight="700"' if item.bold else ""
        place = f'x="{_number(item.x)}" y="{_number(item.y)}" font-size="{_number(item.size)}" fill="{item.fill}"'
        return f"<text {place}{anchor}{bold}{halo}>{escape(item.text)}</text>"
    if isinstance(item, Circle):
        place = f'cx="{_number(item.x)}" cy="{_number(item.y)}" r="{_number(item.radius)}"'
        return f"<circle {place} {_look(item)}/>"
    points = " ".join(f"{_number(x)},{_number(y)}" for x, y in item.points)
    return f'<{"polygon" if item.closed else "polyline"} points="{points}" {_look(item)}/>'


# --- pixels -----------------------------------------------------------------------------------------------------------


def _bgr(color: str) -> tuple[int, int, int]:
    return int(color[5:7], 16), int(color[3:5], 16), int(color[1:3], 16)


def _paint(image: Image, item: Item, k: float) -> None:
    if isinstance(item, Clip):
        x, y, w, h = (round(value * k) for value in item.box)
        window = image[max(0, y) : y + h, max(0, x) : x + w]
        layer = image.copy()
        for one in item.items:
            _paint(layer, one, k)
        window[:] = layer[max(0, y) : y + h, max(0, x) : x + w]
        return
    if isinstance(item, Words):
        _write(image, item, k)
        return
    target = image.copy() if item.opacity < 1 else image
    if isinstance(item, Circle):
        _paint_circle(target, item, k)
    else:
        _paint_shape(target, item, k)
    if item.opacity < 1:
        image[:] = (target * item.opacity + image * (1 - item.opacity)).round().astype(np.uint8)


def _fixed(points: Sequence[Point2], k: float) -> NDArray[np.int32]:
    return np.round(np.asarray(points, float) * k * (1 << _SHIFT)).astype(np.int32)


def _paint_shape(image: Image, item: Shape, k: float) -> None:
    import cv2

    if item.closed and item.fill is not None:
        cv2.fillPoly(image, [_fixed(item.points, k)], _bgr(item.fill), cv2.LINE_AA, _SHIFT)
    if item.stroke is not None:
        width = max(1, round(item.width * k))
        lines = _dashes(item.points, item.dash, item.closed) if item.dash else [item.points]
        closed = item.closed and item.dash is None
        fixed = [_fixed(line, k) for line in lines]
        cv2.polylines(image, fixed, closed, _bgr(item.stroke), width, cv2.LINE_AA, _SHIFT)


def _paint_circle(image: Image, item: Circle, k: float) -> None:
    import cv2

    if item.dash is not None:
        angles = np.linspace(0, 2 * np.pi, 73)
        ring = [(item.x + item.radius * np.cos(a), item.y + item.radius * np.sin(a)) for a in angles]
        ring_shape = Shape(tuple(ring), item.fill, item.stroke, item.width, item.dash, closed=False)
        _paint_shape(image, ring_shape, k)
        return
    centre = tuple(int(value) for value in _fixed([(item.x, item.y)], k)[0])
    radius = round(item.radius * k * (1 << _SHIFT))
    if item.fill is not None:
        cv2.circle(image, centre, radius, _bgr(item.fill), cv2.FILLED, cv2.LINE_AA, _SHIFT)
    if item.stroke is not None:
        cv2.circle(image, centre, radius, _bgr(item.stroke), max(1, round(item.width * k)), cv2.LINE_AA, _SHIFT)


def _dashes(points: Sequence[Point2], dash: tuple[float, float], closed: bool) -> list[tuple[Point2, Point2]]:
    """The strokes of a dashed line."""
    ring = [*points, points[0]] if closed else list(points)
    out: list[tuple[Point2, Point2]] = []
    on, period = dash[0], dash[0] + dash[1]
    done = 0.0
    for (x0, y0), (x1, y1) in pairwise(ring):
        length = float(np.hypot(x1 - x0, y1 - y0))
        start = -(done % period)
        while start < length:
            a, b = max(0.0, start), min(length, start + on)
            if b > a:
                ux, uy = (x1 - x0) / length, (y1 - y0) / length
                out.append(((x0 + a * ux, y0 + a * uy), (x0 + b * ux, y0 + b * uy)))
            start += period
        done += length
    return out


def _write(image: Image, item: Words, k: float) -> None:
    import cv2

    wide = any(ord(char) > 0x2E7F for char in item.text)
    font = cv2.FontFace("uni" if wide else "sans")
    size, weight = max(1, round(item.size * k * 0.95)), 700 if item.bold else 400
    _, _, w, _ = cv2.getTextSize((0, 0), item.text, (0, 0), font, size, weight)
    left = item.x * k - {"start": 0.0, "middle": w / 2, "end": w}[item.anchor]
    at = (round(left), round(item.y * k))
    if item.halo:
        for dx, dy in ((-3, 0), (3, 0), (0, -3), (0, 3), (-2, -2), (2, 2), (-2, 2), (2, -2)):
            cv2.putText(image, item.text, (at[0] + dx, at[1] + dy), (255, 255, 255), font, size, weight)
    cv2.putText(image, item.text, at, _bgr(item.fill), font, size, weight)
