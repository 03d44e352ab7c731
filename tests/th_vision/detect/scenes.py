"""Virtual scenes seen once for all tests of seeing, and how a layout is laid beside the truth."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from calibration.calibrate import calibrate_table
from rules.layout import Column, Layout, Road
from rules.pieces import Pieces
from th_vision.still_view import StillView, fuse
from th_vision.virtual_table.examples import static_example

HIT_MM = 6.0  # nearer than this a piece found is the piece that stands there


@dataclass(frozen=True)
class Seen:
    """A still view of a virtual scene with its truth."""

    view: StillView
    truth: Layout
    pieces: Pieces


@lru_cache(maxsize=4)
def seen(seed: int, camera: str = "D415", distance_mm: float = 580.0, surface: str = "wood") -> Seen:
    """Calibrate on the scene's own board frames, then fuse its settled frames."""
    example = static_example(seed, camera, distance_mm, surface, frames=5)
    shots = ((frame.depth, frame.color) for frame in example.calibration_frames)
    table, _ = calibrate_table(example.camera.camera, shots)
    return Seen(fuse(example.frames, table), example.truth, example.pieces)


def column_pairs(found: Layout, truth: Layout) -> list[tuple[Column, Column]]:
    """Each found column with the true one that it stands for (those without one are left out)."""
    pairs = []
    for column in found.columns:
        near = min(truth.columns, key=lambda true: np.hypot(true.x - column.x, true.y - column.y))
        if np.hypot(near.x - column.x, near.y - column.y) < HIT_MM:
            pairs.append((column, near))
    return pairs


def road_pairs(found: Layout, truth: Layout) -> list[tuple[Road, Road]]:
    """Each found road with the true one, turned so that the ends correspond."""
    pairs = []
    for road in found.roads:
        options = [
            (max(np.hypot(*np.subtract(a[:2], b[:2])) for a, b in zip(road.ends, ends, strict=True)), ends, true)
            for true in truth.roads
            for ends in (true.ends, true.ends[::-1])
        ]
        distance, ends, true = min(options, key=lambda option: option[0])
        if distance < 1.5 * HIT_MM:
            pairs.append((road, true.model_copy(update={"ends": ends})))
    return pairs


def across(road: Road, true: Road) -> list[float]:
    """Distances of a found road's tips from the true road's axis, mm."""
    (ax, ay, _), (bx, by, _) = true.ends
    way = np.array([bx - ax, by - ay]) / np.hypot(bx - ax, by - ay)
    rel = np.array([tip[:2] for tip in road.ends]) - [ax, ay]
    return [float(way[0] * r[1] - way[1] * r[0]) for r in rel]


def height_on(road: Road, x: float, y: float) -> float:
    """Height of a road's top at the plan point of its axis nearest to (x, y), mm."""
    a, b = np.array(road.ends)
    run = (b - a)[:2]
    t = float((np.array([x, y]) - a[:2]) @ run / (run @ run))
    return float(a[2] + t * (b[2] - a[2]))


def crossings(layout: Layout) -> list[tuple[Road, Road, float, float]]:
    """Pairs of roads whose centre lines cross in plan away from their ends, and where."""
    out = []
    for i, first in enumerate(layout.roads):
        for second in layout.roads[i + 1 :]:
            p, q = np.array(first.ends)[:, :2], np.array(second.ends)[:, :2]
            A = np.stack([p[1] - p[0], q[0] - q[1]], axis=1)
            if abs(np.linalg.det(A)) < 1e-6:
                continue
            s, t = np.linalg.solve(A, q[0] - p[0])
            if 0.12 < s < 0.88 and 0.12 < t < 0.88:
                x, y = p[0] + s * (p[1] - p[0])
                out.append((first, second, float(x), float(y)))
    return out
