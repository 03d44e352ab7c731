"""A reconstructed layout laid beside the truth: which piece is which, and how far off it is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rules.layout import Column, Layout, Road
from th_vision.virtual_table.scene import Scene

HIT_MM = 6.0  # nearer than this a piece found is the piece that stands there
MID_ROAD = (0.12, 0.88)  # centre lines that cross nearer to an end share a column there


def column_pairs(found: Layout, truth: Layout) -> list[tuple[Column, Column]]:
    """Each found column with the true one that it stands for (those without one are left out)."""
    pairs = []
    for column in found.columns if truth.columns else ():
        near = min(truth.columns, key=lambda true: np.hypot(true.x - column.x, true.y - column.y))
        if np.hypot(near.x - column.x, near.y - column.y) < HIT_MM:
            pairs.append((column, near))
    return pairs


def road_pairs(found: Layout, truth: Layout) -> list[tuple[Road, Road]]:
    """Each found road with the true one, turned so that the ends correspond."""
    pairs = []
    for road in found.roads if truth.roads else ():
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


def along(road: Road, true: Road) -> list[float]:
    """Distances of a found road's tips from the true tips along the true axis, mm."""
    a, b = np.array(true.ends)[:, :2]
    way = (b - a) / np.hypot(*(b - a))
    return [float((np.array(tip[:2]) - old) @ way) for tip, old in zip(road.ends, (a, b), strict=True)]


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
            if MID_ROAD[0] < s < MID_ROAD[1] and MID_ROAD[0] < t < MID_ROAD[1]:
                x, y = p[0] + s * (p[1] - p[0])
                out.append((first, second, float(x), float(y)))
    return out


def without_last(layout: Layout) -> Layout:
    """A layout without the last road that nothing lies on, and without the columns that carry it alone."""
    below = {name for road in layout.roads for name in road.rests_on}
    last = [road for road in layout.roads if road.id not in below][-1]
    roads = tuple(road for road in layout.roads if road is not last)
    used = {name for road in roads for name in road.rests_on}
    gone = set(last.rests_on) - used
    cars = tuple(car for car in layout.cars if car.on != last.id)
    columns = tuple(column for column in layout.columns if column.id not in gone)
    return layout.model_copy(update={"roads": roads, "cars": cars, "columns": columns})


def before_last(scene: Scene) -> Scene:
    """A scene before the last stick that nothing lies on was laid, its cars put there, and columns for it alone."""
    below = {name for stick in scene.sticks for name in stick.rests_on}
    last = [stick for stick in scene.sticks if stick.id not in below][-1]
    sticks = tuple(stick for stick in scene.sticks if stick is not last)
    gone = set(last.rests_on) - {name for stick in sticks for name in stick.rests_on}
    columns = tuple(column for column in scene.columns if column.id not in gone)
    return replace(scene, sticks=sticks, columns=columns, cars=tuple(car for car in scene.cars if car.on != last.id))
