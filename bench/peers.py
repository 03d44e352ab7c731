"""Seeing beside the off-the-shelf way, in one run: the same still views, the same truth, one processor.

    python -m bench.peers --seed 5200 --scenes 2

``open3d``: RANSAC plane, DBSCAN, then lines by RANSAC in each cluster. ``LSD``: segments and circles (Hough) in the
height image, both OpenCV's. ``th-vision``: from nothing; with all but the last road known, all looked at; and one move
after another view, of which only what is new is looked at. For 5, 15 and 36 roads: time by the processor's clock and by
the wall's, pieces found, ghosts, errors. Peers know the calibration's pose and the pieces' sizes, as we
do.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.calibrate import calibrate_table
from calibration.table import transform
from rules.layout import Column, Layout, Road
from rules.pieces import Pieces
from th_vision.detect.plan import plan_view
from th_vision.looks import Looks
from th_vision.reconstruct import reconstruct
from th_vision.still_view import StillView, fuse
from th_vision.virtual_table.alongside import across, along, before_last, column_pairs, road_pairs, without_last
from th_vision.virtual_table.examples import StaticExample, static_example
from th_vision.virtual_table.sensor_model import shoot

Array = NDArray[np.float64]
CELL_MM = 1.0
SIZES = ((5, 6), (15, 18), (36, 44))


@dataclass
class Score:
    """What one way found over some scenes."""

    seconds: list[float] = field(default_factory=list)
    wall_s: list[float] = field(default_factory=list)
    columns: list[int] = field(default_factory=lambda: [0, 0, 0])
    roads: list[int] = field(default_factory=lambda: [0, 0, 0])
    levels: int = 0
    across_mm: list[float] = field(default_factory=list)
    along_mm: list[float] = field(default_factory=list)
    height_mm: list[float] = field(default_factory=list)

    def add(self, seen: Layout, truth: Layout, seconds: float, wall_s: float) -> None:
        """Count one scene."""
        self.seconds.append(seconds)
        self.wall_s.append(wall_s)
        pairs = column_pairs(seen, truth)
        hit = len({true.id for _, true in pairs})
        self.columns = [
            a + b for a, b in zip(self.columns, (hit, len(truth.columns), len(seen.columns) - hit), strict=True)
        ]
        self.levels += sum(column.levels == true.levels for column, true in pairs)
        lines = road_pairs(seen, truth)
        hit = len({true.id for _, true in lines})
        self.roads = [a + b for a, b in zip(self.roads, (hit, len(truth.roads), len(seen.roads) - hit), strict=True)]
        for road, true in lines:
            self.across_mm += list(across(road, true))
            self.along_mm += list(along(road, true))
            self.height_mm += [tip[2] - old[2] for tip, old in zip(road.ends, true.ends, strict=True)]

    def row(self, name: str, ours_s: float) -> str:
        """One line of the table; ``ours_s``: our time, for the ratio."""

        def rms(values: list[float]) -> str:
            return f"{float(np.sqrt(np.mean(np.square(values)))):7.2f}" if values else f"{'-':>7}"

        seconds = float(np.median(self.seconds))
        found, there, ghosts = self.roads
        standing, columns, wrong = self.columns
        return (
            f"{name:22}{1000 * seconds:8.0f}{1000 * float(np.median(self.wall_s)):8.0f}{seconds / ours_s:7.1f}"
            f"{found:7}/{there:<4}{ghosts:6}"
            f"{standing:8}/{columns:<4}{wrong:6}{self.levels:8}{rms(self.across_mm)}{rms(self.along_mm)}{rms(self.height_mm)}"
        )


def cloud_of(view: StillView) -> Array:
    """(n, 3) table-frame points, mm, of all that was seen."""
    table = view.table
    disparity = table.camera.disparity_gain / table.plane_depth[0] + view.rise_px
    v, u = np.nonzero(np.isfinite(disparity) & (disparity > 0))
    depth = table.camera.disparity_gain / disparity[v, u]
    rays = table.camera.depth.rays(np.stack([u, v], axis=1).astype(np.float64))
    return transform(table.T_table_depth, rays * depth[:, None])


def by_open3d(view: StillView, pieces: Pieces) -> Layout:
    """Plane, clusters, lines by RANSAC; columns at the lines' ends by the height there."""
    import open3d as o3d

    cloud = o3d.geometry.PointCloud(o3d.utility.Vector3dVector(cloud_of(view)))
    plane, inliers = cloud.segment_plane(3.0, 3, 200)
    rest = cloud.select_by_index(inliers, invert=True).voxel_down_sample(2.0)
    points = np.asarray(rest.points)
    points = points[(points @ plane[:3] + plane[3]) * np.sign(plane[2]) > 4.0] if len(points) else points
    if len(points) == 0:
        return Layout()
    cloud = o3d.geometry.PointCloud(o3d.utility.Vector3dVector(points))
    labels = np.asarray(cloud.cluster_dbscan(6.0, 8))
    rng = np.random.default_rng(0)
    roads: list[Road] = []
    for label in range(labels.max() + 1 if len(labels) else 0):
        cluster = points[labels == label]
        for a, b in _lines(cluster, pieces, rng):
            roads.append(Road(id=f"r{len(roads) + 1}", ends=((a[0], a[1], a[2]), (b[0], b[1], b[2]))))
    return Layout(columns=_at_ends(roads, pieces), roads=tuple(roads))


def _lines(points: Array, pieces: Pieces, rng: np.random.Generator) -> Iterator[tuple[Array, Array]]:
    """Sticks in a cluster, one by one: the line most points are near to, of a stick's length."""
    stick = pieces.stick
    left = points
    while len(left) > 150:
        best: NDArray[np.bool_] | None = None
        for _ in range(150):
            p, q = left[rng.choice(len(left), 2, replace=False)]
            way = q - p
            length = float(np.linalg.norm(way))
            if not 0.4 * stick.length < length < 1.1 * stick.length:
                continue
            unit = way / length
            rel = left - p
            at = rel @ unit
            near = np.linalg.norm(rel - at[:, None] * unit, axis=1) < stick.width * 0.6
            near &= np.abs(at - length / 2) < stick.length / 2
            if best is None or near.sum() > best.sum():
                best = near
        if best is None or best.sum() < 120:
            return
        part = left[best]
        middle = part.mean(axis=0)
        unit = np.linalg.svd(part - middle, full_matrices=False)[2][0]
        at = (part - middle) @ unit
        low, high = np.percentile(at, [1, 99])
        if high - low > 0.8 * stick.length:
            yield middle + low * unit, middle + high * unit
        left = left[~best]


def by_segments(view: StillView, pieces: Pieces) -> Layout:
    """Line segments and circles in the height image of a millimetre a cell."""
    plan = plan_view(view)
    heights = np.nan_to_num(plan.height_plane(2 * pieces.disc.height, CELL_MM))
    image = np.clip(heights * 4, 0, 255).astype(np.uint8)
    found = cv2.createLineSegmentDetector().detect(image)[0]
    segments = np.zeros((0, 4)) if found is None else found.reshape(-1, 4).astype(np.float64)
    length = np.hypot(segments[:, 2] - segments[:, 0], segments[:, 3] - segments[:, 1])
    segments, length = segments[length > 40], length[length > 40]
    unit = (segments[:, 2:] - segments[:, :2]) / length[:, None]
    roads: list[Road] = []
    used: set[int] = set()
    for i in np.argsort(-length):
        for j in np.argsort(-length):
            if i == j or i in used or j in used or unit[i] @ unit[j] > -0.97:
                continue
            middle = (segments[j, :2] + segments[j, 2:]) / 2 - segments[i, :2]
            apart = abs(unit[i, 0] * middle[1] - unit[i, 1] * middle[0])
            if not 0.6 * pieces.stick.width < apart < 1.8 * pieces.stick.width:
                continue
            used |= {int(i), int(j)}
            ends = np.concatenate([segments[i].reshape(2, 2), segments[j].reshape(2, 2)])
            at = (ends - ends.mean(axis=0)) @ unit[i]
            if at.max() - at.min() > 0.7 * pieces.stick.length:
                low, high = (ends.mean(axis=0) + unit[i] * edge for edge in (at.min(), at.max()))
                a, b = (_on_table(plan.field.x0, plan.field.y0, end, heights) for end in (low, high))
                roads.append(Road(id=f"r{len(roads) + 1}", ends=(a, b)))
    radius = pieces.disc.radius / CELL_MM
    circles = cv2.HoughCircles(
        image,
        cv2.HOUGH_GRADIENT,
        1,
        2 * radius,
        param1=60,
        param2=10,
        minRadius=int(radius - 2),
        maxRadius=int(radius + 4),
    )
    columns: list[Column] = []
    for u, v, _ in np.zeros((0, 3)) if circles is None else circles.reshape(-1, 3).astype(np.float64):
        x, y, z = _on_table(plan.field.x0, plan.field.y0, np.array([u, v]), heights)
        levels = round(z / pieces.disc.height)
        if levels >= 1:
            columns.append(Column(id=f"c{len(columns) + 1}", x=x, y=y, levels=levels, top_z=z))
    return Layout(columns=tuple(columns), roads=tuple(roads))


def _on_table(x0: float, y0: float, cell: Array, heights: NDArray[np.float32]) -> tuple[float, float, float]:
    u, v = (
        int(np.clip(round(float(value)), 0, size - 1)) for value, size in zip(cell, heights.shape[::-1], strict=True)
    )
    return x0 + (float(cell[0]) + 0.5) * CELL_MM, y0 + (float(cell[1]) + 0.5) * CELL_MM, float(heights[v, u])


def _at_ends(roads: list[Road], pieces: Pieces) -> tuple[Column, ...]:
    columns: list[Column] = []
    for road in roads:
        for x, y, z in road.ends:
            levels = round((z - pieces.stick.thickness) / pieces.disc.height)
            if levels >= 1 and all(np.hypot(x - c.x, y - c.y) > pieces.disc.diameter for c in columns):
                columns.append(Column(id=f"c{len(columns) + 1}", x=x, y=y, levels=levels, top_z=z))
    return tuple(columns)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--scenes", type=int, default=2)
    parser.add_argument("--seed", type=int, default=5200)
    parser.add_argument("--camera", default="D415")
    parser.add_argument("--distance", type=float, default=580.0)
    parser.add_argument("--field", default="520x340", help="part of the table that is used, mm")
    arguments = parser.parse_args()
    cv2.setNumThreads(1)
    length, width = map(float, arguments.field.split("x"))
    head = f"{'':22}{'ms':>8}{'wall':>8}{'ratio':>7}{'roads':>12}{'ghosts':>6}{'columns':>13}{'ghosts':>6}{'levels':>8}"
    print(f"{head}{'across':>7}{'along':>7}{'height':>7}   (ms of the processor; rms in mm)")
    for roads, columns in SIZES:
        ways: dict[str, Score] = {}
        for seed in range(arguments.seed, arguments.seed + arguments.scenes):
            example = static_example(
                seed, arguments.camera, arguments.distance, roads=roads, columns=columns, field_mm=(length, width)
            )
            _one_scene(example, ways)
        ours = float(np.median(ways["th-vision, one new"].seconds))
        print(f"-- {roads} roads asked for, {next(iter(ways.values())).roads[1]} in {arguments.scenes} scenes")
        for name, score in ways.items():
            print(score.row(name, ours), flush=True)


def _one_scene(example: StaticExample, ways: dict[str, Score]) -> None:
    shots = ((frame.depth, frame.color) for frame in example.calibration_frames)
    table, _ = calibrate_table(example.camera.camera, shots)
    view = fuse(example.frames, table)
    truth, pieces = example.truth, example.pieces

    def timed(name: str, way: Callable[[], Layout]) -> Layout:
        start, wall = time.process_time(), time.perf_counter()
        layout = way()
        seconds, wall_s = time.process_time() - start, time.perf_counter() - wall
        ways.setdefault(name, Score()).add(layout, truth, seconds, wall_s)
        return layout

    timed("open3d, RANSAC lines", lambda: by_open3d(view, pieces))
    timed("LSD and Hough circles", lambda: by_segments(view, pieces))
    cold = timed("th-vision, from nothing", lambda: reconstruct(view, pieces))
    timed("th-vision, all but one", lambda: reconstruct(view, pieces, without_last(cold)))
    rng = np.random.default_rng([example.frames[0].number, len(truth.roads)])
    before = shoot(before_last(example.scene), example.camera, example.sensor, rng, len(example.frames))
    looks = Looks()
    known = looks(fuse(before, table), pieces, None)
    timed("th-vision, one new", lambda: looks(view, pieces, known))


if __name__ == "__main__":
    main()
