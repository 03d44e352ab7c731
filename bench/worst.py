"""The worst scenes of a run as pictures: what is there in red, what was seen in green, what is wrong in words."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from rules.layout import Layout
from rules.pieces import Pieces
from th_vision.detect.plan import PlanView, plan_view
from th_vision.still_view import StillView
from th_vision.virtual_table.alongside import across, along, column_pairs, road_pairs

Array = NDArray[np.float64]
TRUE, SEEN = (60, 60, 255), (60, 220, 60)
SCALE = 1.5
WRONG_MM = 10.0
"""A piece that was missed or invented weighs as much as an error of so many millimetres."""


@dataclass
class Worst:
    """Keeps the ``most`` worst scenes."""

    most: int = 10
    scenes: list[tuple[float, str, NDArray[np.uint8]]] = field(default_factory=list)

    def add(self, name: str, view: StillView, seen: Layout, truth: Layout, pieces: Pieces, wrong: list[str]) -> None:
        """Look at one scene; ``wrong``: what is wrong with it, in words."""
        badness, where = _largest_error(seen, truth)
        badness += WRONG_MM * len(wrong)
        if len(self.scenes) == self.most and badness <= self.scenes[-1][0]:
            return
        words = f"{name}: {'; '.join(wrong) or 'all there'}; largest error {where}"
        self.scenes.append((badness, words, picture(view, seen, truth, pieces, words)))
        self.scenes.sort(key=lambda scene: -scene[0])
        del self.scenes[self.most :]

    def save(self, folder: Path) -> list[str]:
        """Write the pictures, worst first; returns a line for each."""
        folder.mkdir(parents=True, exist_ok=True)
        lines = []
        for k, (_, words, image) in enumerate(self.scenes, 1):
            cv2.imwrite(str(folder / f"{k:02}.png"), image)
            lines.append(f"{k:02}.png  {words}")
        return lines


def _largest_error(seen: Layout, truth: Layout) -> tuple[float, str]:
    found: list[tuple[float, str]] = [(0.0, "none")]
    for column, post in column_pairs(seen, truth):
        error = float(np.hypot(column.x - post.x, column.y - post.y))
        found.append((error, f"{post.id} by {error:.1f} mm"))
    for road, true in road_pairs(seen, truth):
        for kind, values in (("across", across(road, true)), ("along", along(road, true))):
            error = float(np.abs(list(values)).max())
            found.append((error, f"{true.id} {kind} by {error:.1f} mm"))
        error = max(abs(tip[2] - old[2]) for tip, old in zip(road.ends, true.ends, strict=True))
        found.append((error, f"{true.id} in height by {error:.1f} mm"))
    return max(found)


def picture(view: StillView, seen: Layout, truth: Layout, pieces: Pieces, words: str) -> NDArray[np.uint8]:
    """The colour picture with both layouts drawn where the camera sees them."""
    plan = plan_view(view)
    assert view.color_bgr is not None
    image = np.asarray(cv2.resize(view.color_bgr, None, fx=SCALE, fy=SCALE), dtype=np.uint8)
    for layout, color in ((truth, TRUE), (seen, SEEN)):
        _draw(plan, image, layout, pieces, color)
    strip = np.zeros((36, image.shape[1], 3), np.uint8)
    cv2.putText(strip, words[:200], (8, 25), cv2.FONT_HERSHEY_SIMPLEX, 0.6, (255, 255, 255), 1, cv2.LINE_AA)
    return np.asarray(np.vstack([strip, image]), dtype=np.uint8)


def _draw(plan: PlanView, image: Any, layout: Layout, pieces: Pieces, color: tuple[int, int, int]) -> None:
    turns = np.linspace(0, 2 * np.pi, 40)
    for column in layout.columns:
        rim = np.stack(
            [
                column.x + pieces.disc.radius * np.cos(turns),
                column.y + pieces.disc.radius * np.sin(turns),
                np.full(40, column.top_z),
            ],
            axis=1,
        )
        cv2.polylines(image, [_pixels(plan, rim)], True, color, 1, cv2.LINE_AA)
        x, y = _pixels(plan, np.array([[column.x, column.y, column.top_z]]))[0]
        offset = 6 if color == SEEN else -16
        cv2.putText(image, str(column.levels), (int(x) + offset, int(y)), cv2.FONT_HERSHEY_SIMPLEX, 0.5, color, 1)
    for road in layout.roads:
        cv2.polylines(image, [_pixels(plan, np.array(road.ends))], False, color, 1, cv2.LINE_AA)


def _pixels(plan: PlanView, points: Array) -> NDArray[np.int32]:
    return np.asarray(np.rint(plan.color_pixels(points) * SCALE), dtype=np.int32)
