"""Paper to draw a table on: table millimetres in, smooth pixels out. Knows no piece of the game."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from rules.layout import Point2

Image = NDArray[np.uint8]
Color = tuple[int, int, int]
_Box = tuple[int, int, int, int]  # left, top, right, bottom, px of the large picture

LAST_NARROW = 0x2E7F  # the last character before those of Chinese and its neighbours
OVERSAMPLE = 2  # drawn so many times larger and scaled down, so that thin lines stay smooth
PAPER: Color = (240, 244, 246)
TABLE: Color = (222, 232, 238)
GRID: Color = (206, 217, 224)
INK: Color = (48, 44, 40)
SOFT_INK: Color = (120, 114, 108)
GRID_MM = 50.0
PLAN_HEIGHT_PX = 1000
PANEL_PX = 300
HEAD_PX = 74


class Canvas:
    """Paper with a plan view on it: table millimetres in, pixels drawn. The y axis of the table points up."""

    def __init__(self, bounds: tuple[float, float, float, float], width_px: int, panel_px: int) -> None:
        x0, y0, x1, y1 = bounds
        plan_px = width_px - PANEL_PX
        self.scale = min(plan_px / (x1 - x0), PLAN_HEIGHT_PX / (y1 - y0))
        self.x0, self.y1, self.bounds = x0, y1, bounds
        self.plan_width, self.plan_height = round((x1 - x0) * self.scale), round((y1 - y0) * self.scale)
        self.width = self.plan_width + PANEL_PX
        self.height = HEAD_PX + max(self.plan_height, panel_px)
        self.paper: Image = np.full((self.height * OVERSAMPLE, self.width * OVERSAMPLE, 3), PAPER, np.uint8)
        self._taken: list[_Box] = []  # by labels, and what they shall not cover
        self._font = cv2.FontFace("sans")
        self._wide_font = cv2.FontFace("uni")  # has Chinese, and is plainer

    def image(self) -> Image:
        size = (self.width, self.height)
        return np.asarray(cv2.resize(self.paper, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)

    def at(self, x: float, y: float) -> tuple[int, int]:
        """Pixel of a point of the table."""
        k = self.scale * OVERSAMPLE
        return round((x - self.x0) * k), round((self.y1 - y) * k + HEAD_PX * OVERSAMPLE)

    def px(self, mm: float) -> int:
        """Pixels of a length on the table, at least 1."""
        return max(1, round(mm * self.scale * OVERSAMPLE))

    def table(self) -> None:
        x0, y0, x1, y1 = self.bounds
        cv2.rectangle(self.paper, self.at(x0, y1), self.at(x1, y0), TABLE, cv2.FILLED)
        for x in np.arange(np.ceil(x0 / GRID_MM) * GRID_MM, x1, GRID_MM):
            cv2.line(self.paper, self.at(float(x), y0), self.at(float(x), y1), GRID, 1, cv2.LINE_AA)
        for y in np.arange(np.ceil(y0 / GRID_MM) * GRID_MM, y1, GRID_MM):
            cv2.line(self.paper, self.at(x0, float(y)), self.at(x1, float(y)), GRID, 1, cv2.LINE_AA)

    def capsule(self, a: Point2, b: Point2, width_mm: float, color: Color, square: bool = False) -> None:
        """A stick's outline, filled: a line with round ends, or a rectangle."""
        start, end = np.array(a), np.array(b)
        along = (end - start) / max(float(np.hypot(*(end - start))), 1e-9)
        across = np.array([-along[1], along[0]]) * width_mm / 2
        inset = along * (0.0 if square else width_mm / 2)
        corners = [start + inset + across, end - inset + across, end - inset - across, start + inset - across]
        self.fill([(float(c[0]), float(c[1])) for c in corners], color)
        if not square:
            for centre in (start + inset, end - inset):
                cv2.circle(
                    self.paper, self.at(*map(float, centre)), self.px(width_mm / 2), color, cv2.FILLED, cv2.LINE_AA
                )

    def fill(self, outline: Sequence[Point2], color: Color) -> None:
        points = np.array([self.at(*p) for p in outline], dtype=np.int32)
        cv2.fillPoly(self.paper, [points], color, cv2.LINE_AA)

    def polygon(self, outline: Sequence[Point2], color: Color, rim: Color) -> None:
        self.fill(outline, color)
        points = np.array([self.at(*p) for p in outline], dtype=np.int32)
        cv2.polylines(self.paper, [points], True, rim, 2, cv2.LINE_AA)

    def disc(
        self, x: float, y: float, radius_mm: float, color: Color, rim: Color | None = None, rim_px: int = 2
    ) -> None:
        cv2.circle(self.paper, self.at(x, y), self.px(radius_mm), color, cv2.FILLED, cv2.LINE_AA)
        if rim is not None:
            cv2.circle(self.paper, self.at(x, y), self.px(radius_mm), rim, rim_px * OVERSAMPLE, cv2.LINE_AA)

    def ring(self, x: float, y: float, radius_mm: float, color: Color) -> None:
        cv2.circle(self.paper, self.at(x, y), self.px(radius_mm), color, 2 * OVERSAMPLE, cv2.LINE_AA)

    def dashed_ring(self, x: float, y: float, radius_mm: float, color: Color) -> None:
        r = self.px(radius_mm)
        for angle in range(0, 360, 30):
            cv2.ellipse(self.paper, self.at(x, y), (r, r), 0, angle, angle + 18, color, 3 * OVERSAMPLE, cv2.LINE_AA)

    def text(
        self, x_px: int, y_px: int, words: str, size: int, color: Color, weight: int = 400, halo: bool = False
    ) -> None:
        """Words with their baseline's left end at a pixel of the small picture."""
        org, size = (x_px * OVERSAMPLE, y_px * OVERSAMPLE), size * OVERSAMPLE
        font = self._font_for(words)
        if halo:
            for dx, dy in ((-3, 0), (3, 0), (0, -3), (0, 3), (-2, -2), (2, 2), (-2, 2), (2, -2)):
                cv2.putText(self.paper, words, (org[0] + dx, org[1] + dy), (255, 255, 255), font, size, weight)
        cv2.putText(self.paper, words, org, color, font, size, weight)

    def text_size(self, words: str, size: int, weight: int = 400) -> tuple[int, int]:
        box = cv2.getTextSize((0, 0), words, (0, 0), self._font_for(words), size * OVERSAMPLE, weight)
        return int(box[2]) // OVERSAMPLE, int(box[3]) // OVERSAMPLE

    def _font_for(self, words: str) -> cv2.FontFace:
        return self._wide_font if any(ord(char) > LAST_NARROW for char in words) else self._font

    def text_at(
        self,
        point: NDArray[np.float64] | Point2,
        words: str,
        size: int,
        color: Color,
        weight: int = 400,
        halo: bool = True,
    ) -> None:
        """Words centred on a point of the table."""
        x, y = self.at(float(point[0]), float(point[1]))
        width, height = self.text_size(words, size, weight)
        self.text(x // OVERSAMPLE - width // 2, y // OVERSAMPLE + height // 2 - 1, words, size, color, weight, halo)

    def keep_free(self, x: float, y: float, radius_mm: float) -> None:
        """No label shall be written within this circle, while there is another place for it."""
        column, row = self.at(x, y)
        r = self.px(radius_mm)
        self._taken.append((column - r, row - r, column + r, row + r))

    def label(self, places: Sequence[Point2], words: str, size: int, color: Color, weight: int = 400) -> None:
        """Words centred on the first of the places where they cover no other label, or else cover least of them."""
        boxes = [self._box(place, words, size, weight) for place in places]
        covered = [sum(_shared(box, other) for other in self._taken) for box in boxes]
        best = covered.index(min(covered))
        self._taken.append(boxes[best])
        self.text_at(places[best], words, size, color, weight)

    def _box(self, place: Point2, words: str, size: int, weight: int) -> _Box:
        column, row = self.at(*place)
        width, height = self.text_size(words, size, weight)
        w, h = width * OVERSAMPLE // 2 + OVERSAMPLE, height * OVERSAMPLE // 2 + OVERSAMPLE
        return column - w, row - h, column + w, row + h

    def scale_bar(self, key: str = "", unit: str = "mm") -> None:
        """100 mm (in the words of ``unit``), at the lower left, and what the marks mean beside it."""
        x, y = 16, HEAD_PX + self.plan_height - 18
        length = round(100 * self.scale)
        k = OVERSAMPLE
        cv2.line(self.paper, (x * k, y * k), ((x + length) * k, y * k), INK, 2 * k, cv2.LINE_AA)
        for end in (x, x + length):
            cv2.line(self.paper, (end * k, (y - 5) * k), (end * k, (y + 5) * k), INK, 2 * k, cv2.LINE_AA)
        self.text(x + 6, y - 8, f"100 {unit}", 13, INK)
        if key:
            self.text(x + length + 18, y + 4, key, 12, SOFT_INK)


def _shared(a: _Box, b: _Box) -> int:
    """The area that two boxes share, px²."""
    return max(0, min(a[2], b[2]) - max(a[0], b[0])) * max(0, min(a[3], b[3]) - max(a[1], b[1]))


def bgr(value: str) -> Color:
    """The colour of "#rrggbb"."""
    return int(value[5:7], 16), int(value[3:5], 16), int(value[1:3], 16)


def darker(color: Color, factor: float) -> Color:
    """The colour times a factor below 1."""
    return int(color[0] * factor), int(color[1] * factor), int(color[2] * factor)


def lighter(color: Color, share: float) -> Color:
    """The colour, moved by this share of the way to white."""
    b, g, r = (int(c + (255 - c) * share) for c in color)
    return b, g, r
