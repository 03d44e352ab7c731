"""Sticks that fell: flat on the table they are too low for depth, but the colour shows them where nothing was."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.table import transform
from rules.layout import Layout, Road
from rules.pieces import Pieces
from th_vision import tolerances as tol
from th_vision.still_view import StillView

Points = NDArray[np.float64]


def fallen_sticks(before: StillView, now: StillView, standing: Layout, pieces: Pieces) -> list[Road]:
    """Sticks that lie flat on the table now and didn't in the view before; ``standing``: all pieces that are known.

    Their tips are rough (a few mm). Empty where the views have no colour, or not the same size of it.
    """
    changed, hidden, origin = _changed_plan(before, now, standing, pieces)
    if changed is None:
        return []
    found: list[Road] = []
    for points in _whole_sticks(_parts(changed, pieces), hidden, pieces):
        (x, y), size, angle = cv2.minAreaRect(points)
        turn = np.deg2rad(angle if size[0] >= size[1] else angle + 90)
        middle = origin + np.array([x, y]) * tol.FALLEN_PLAN_MM
        arm = np.array([np.cos(turn), np.sin(turn)]) * pieces.stick.length / 2
        (ax, ay), (bx, by) = middle - arm, middle + arm
        top = pieces.stick.thickness
        ends = ((float(ax), float(ay), top), (float(bx), float(by), top))
        sigma = pieces.stick.width / 2
        found.append(Road(id=f"fallen{len(found) + 1}", ends=ends, sigma_xy=sigma, sigma_z=1.0))
    return found


def _parts(changed: NDArray[np.uint8], pieces: Pieces) -> list[NDArray[np.float32]]:
    """What may be a stick or a part of one that shows between standing pieces: (n, 2) points, the largest first."""
    count, labels, stats, _ = cv2.connectedComponentsWithStats(changed, connectivity=8)
    least = tol.FALLEN_PART_SHARE * pieces.stick.length * pieces.stick.width / tol.FALLEN_PLAN_MM**2
    parts = []
    for label in sorted(range(1, count), key=lambda label: -int(stats[label, cv2.CC_STAT_AREA])):
        if stats[label, cv2.CC_STAT_AREA] >= least:
            rows, columns = np.nonzero(labels == label)
            parts.append(np.stack([columns, rows], axis=1).astype(np.float32))
    return [points for points in parts if _narrow(points, pieces)]


def _whole_sticks(
    parts: list[NDArray[np.float32]], hidden: NDArray[np.uint8], pieces: Pieces
) -> list[NDArray[np.float32]]:
    """Parts put together, where they lie in one line and standing pieces hide what is between them."""
    left, whole = list(parts), []
    while left:
        points = left.pop(0)
        for other in tuple(left):
            both = np.concatenate([points, other])
            if _narrow(both, pieces) and _hidden_between(points, other, hidden):
                points = both
                left = [part for part in left if part is not other]
        length = max(cv2.minAreaRect(points)[1]) * tol.FALLEN_PLAN_MM / pieces.stick.length
        area = len(points) * tol.FALLEN_PLAN_MM**2 / (pieces.stick.length * pieces.stick.width)
        if tol.FALLEN_LENGTH_SHARE < length < tol.FALLEN_LENGTH_MOST and area >= tol.FALLEN_LENGTH_SHARE / 2:
            whole.append(points)
    return whole


def _narrow(points: NDArray[np.float32], pieces: Pieces) -> bool:
    return min(cv2.minAreaRect(points)[1]) * tol.FALLEN_PLAN_MM <= tol.FALLEN_WIDTH_SHARE * pieces.stick.width


def _hidden_between(a: NDArray[np.float32], b: NDArray[np.float32], hidden: NDArray[np.uint8]) -> bool:
    """Whether standing pieces hide what lies between two parts, on the line through their middles."""
    start, end = a.mean(axis=0), b.mean(axis=0)
    steps = int(np.hypot(*(end - start))) + 1
    line = np.rint(np.linspace(start, end, steps)).astype(int)
    for points in (a, b):
        near = np.hypot(*(points - points.mean(axis=0)).T).max()
        line = line[np.hypot(*(line - points.mean(axis=0)).T) > near]
    return len(line) == 0 or float(hidden[line[:, 1], line[:, 0]].mean()) >= tol.FALLEN_HIDDEN_SHARE


def _changed_plan(
    before: StillView, now: StillView, standing: Layout, pieces: Pieces
) -> tuple[NDArray[np.uint8] | None, NDArray[np.uint8], Points]:
    """Where the colour of the bare table changed, in plan view, and where that can't be said, for standing pieces hide
    it or something lay there before: masks, row and column along y and x from an origin."""
    camera = now.table.camera
    nothing, none = np.zeros((1, 1), np.uint8), np.zeros(2)
    if before.color_bgr is None or now.color_bgr is None or camera.color is None:
        return None, nothing, none
    if before.color_bgr.shape != now.color_bgr.shape:
        return None, nothing, none
    corners = _seen_corners(now)
    low, high = corners.min(axis=0), corners.max(axis=0)
    x, y = np.meshgrid(np.arange(low[0], high[0], tol.FALLEN_PLAN_MM), np.arange(low[1], high[1], tol.FALLEN_PLAN_MM))
    grid = np.stack([x, y, np.full_like(x, pieces.stick.thickness)], axis=-1)
    pixels = camera.color.project(transform(now.table.T_color_table, grid)).astype(np.float32)
    # What is new differs from the view before and from the empty table; what is only gone looks like the empty table.
    here, there = _plan(now.color_bgr, pixels), _plan(before.color_bgr, pixels)
    changed, occupied = _differ(here, there), np.zeros(here.shape[:2], np.bool_)
    empty = now.table.empty.color_bgr
    if empty is not None and empty.shape == now.color_bgr.shape:
        bare = _plan(empty, pixels)
        changed &= _differ(here, bare)
        occupied = _differ(there, bare)
    hidden = np.zeros(changed.shape, np.uint8)
    _hide(hidden, now, standing, low, pieces)
    changed[hidden > 0] = False
    kernel = np.ones((3, 3), np.uint8)
    opened = cv2.morphologyEx(changed.astype(np.uint8), cv2.MORPH_OPEN, kernel)
    closed = np.asarray(cv2.morphologyEx(opened, cv2.MORPH_CLOSE, kernel), dtype=np.uint8)
    hidden[occupied & (closed == 0)] = 1  # a stick across another one's old place looks there as before
    return closed, hidden, low


def _differ(one: NDArray[np.float32], other: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Where two plans show another colour, brightness as a whole set aside."""
    gain = np.median((one + 1) / (other + 1), axis=(0, 1))
    difference = cv2.blur(np.abs(one - other * gain).max(axis=2), (3, 3))
    return np.asarray(difference > tol.STANDS_COLOR_LEVELS)


def _plan(color: NDArray[np.uint8], pixels: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray(cv2.remap(color, pixels[..., 0], pixels[..., 1], cv2.INTER_LINEAR), dtype=np.float32)


def _seen_corners(view: StillView) -> Points:
    """(n, 2) corners of what the depth camera sees of the table plane, mm, no further than a large table reaches."""
    depth = view.table.camera.depth
    pixels = np.array([(0, 0), (depth.width - 1, 0), (depth.width - 1, depth.height - 1), (0, depth.height - 1)])
    rays = depth.rays(pixels.astype(np.float64)) @ view.table.T_table_depth[:3, :3].T
    eye = view.table.T_table_depth[:3, 3]
    down = np.minimum(rays[:, 2], -0.2)
    points = eye[:2] + rays[:, :2] * (eye[2] / -down)[:, None]
    return np.asarray(np.clip(points, -tol.TABLE_HALF_MM, tol.TABLE_HALF_MM))


def _hide(hidden: NDArray[np.uint8], view: StillView, standing: Layout, origin: Points, pieces: Pieces) -> None:
    """Mark what standing pieces cover: they are seen displaced from the eye, by their height, and cast shadows."""
    eye = np.linalg.inv(view.table.T_color_table)[:3, 3]

    def seen_at(x: float, y: float, z: float) -> tuple[int, int]:
        share = z / max(eye[2] - z, 1.0)
        point = (np.array([x, y]) + (np.array([x, y]) - eye[:2]) * share - origin) / tol.FALLEN_PLAN_MM
        return round(float(point[0])), round(float(point[1]))

    def px(mm: float) -> int:
        return max(1, round(mm / tol.FALLEN_PLAN_MM))

    for road in standing.roads:
        a, b = (seen_at(*end) for end in road.ends)
        cv2.line(hidden, a, b, 1, px(pieces.stick.width + 2 * tol.FALLEN_MARGIN_MM))
    for column in standing.columns:
        foot, top = seen_at(column.x, column.y, 0.0), seen_at(column.x, column.y, column.top_z)
        cv2.line(hidden, foot, top, 1, px(pieces.disc.diameter + 2 * tol.FALLEN_MARGIN_MM))
    for car in standing.cars:
        cv2.circle(hidden, seen_at(car.x, car.y, car.z), px(pieces.stick.width + tol.FALLEN_MARGIN_MM), 1, cv2.FILLED)
