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
    changed, origin = _changed_plan(before, now, standing, pieces)
    if changed is None:
        return []
    found: list[Road] = []
    count, labels, stats, _ = cv2.connectedComponentsWithStats(changed, connectivity=8)
    least = tol.FALLEN_LENGTH_SHARE * pieces.stick.length * pieces.stick.width * 0.5
    for label in range(1, count):
        if stats[label, cv2.CC_STAT_AREA] * tol.FALLEN_PLAN_MM**2 < least:
            continue
        rows, columns = np.nonzero(labels == label)
        points = np.stack([columns, rows], axis=1).astype(np.float32)
        (x, y), size, angle = cv2.minAreaRect(points)
        length, width = max(size) * tol.FALLEN_PLAN_MM, min(size) * tol.FALLEN_PLAN_MM
        too_wide = width > tol.FALLEN_WIDTH_SHARE * pieces.stick.width
        if too_wide or not tol.FALLEN_LENGTH_SHARE < length / pieces.stick.length < tol.FALLEN_LENGTH_MOST:
            continue
        turn = np.deg2rad(angle if size[0] >= size[1] else angle + 90)
        middle = origin + np.array([x, y]) * tol.FALLEN_PLAN_MM
        arm = np.array([np.cos(turn), np.sin(turn)]) * pieces.stick.length / 2
        (ax, ay), (bx, by) = middle - arm, middle + arm
        top = pieces.stick.thickness
        ends = ((float(ax), float(ay), top), (float(bx), float(by), top))
        sigma = pieces.stick.width / 2
        found.append(Road(id=f"fallen{len(found) + 1}", ends=ends, sigma_xy=sigma, sigma_z=1.0))
    return found


def _changed_plan(
    before: StillView, now: StillView, standing: Layout, pieces: Pieces
) -> tuple[NDArray[np.uint8] | None, Points]:
    """Where the colour of the bare table changed, in plan view: a mask, row and column along y and x from an origin."""
    camera = now.table.camera
    none = np.zeros(2)
    if before.color_bgr is None or now.color_bgr is None or camera.color is None:
        return None, none
    if before.color_bgr.shape != now.color_bgr.shape:
        return None, none
    corners = _seen_corners(now)
    low, high = corners.min(axis=0), corners.max(axis=0)
    x, y = np.meshgrid(np.arange(low[0], high[0], tol.FALLEN_PLAN_MM), np.arange(low[1], high[1], tol.FALLEN_PLAN_MM))
    grid = np.stack([x, y, np.full_like(x, pieces.stick.thickness)], axis=-1)
    pixels = camera.color.project(transform(now.table.T_color_table, grid)).astype(np.float32)
    # What is new differs from the view before and from the empty table; what is only gone looks like the empty table.
    empty = now.table.empty.color_bgr
    olds = [before.color_bgr] + ([empty] if empty is not None and empty.shape == now.color_bgr.shape else [])
    here = _plan(now.color_bgr, pixels)
    changed = np.ones(here.shape[:2], np.uint8)
    for old in olds:
        there = _plan(old, pixels)
        gain = np.median((here + 1) / (there + 1), axis=(0, 1))
        difference = cv2.blur(np.abs(here - there * gain).max(axis=2), (3, 3))
        changed &= (difference > tol.STANDS_COLOR_LEVELS).astype(np.uint8)
    _hide(changed, now, standing, low, pieces)
    kernel = np.ones((3, 3), np.uint8)
    closed = cv2.morphologyEx(cv2.morphologyEx(changed, cv2.MORPH_OPEN, kernel), cv2.MORPH_CLOSE, kernel)
    return np.asarray(closed, dtype=np.uint8), low


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


def _hide(changed: NDArray[np.uint8], view: StillView, standing: Layout, origin: Points, pieces: Pieces) -> None:
    """Blot out what standing pieces cover: they are seen displaced from the eye, by their height, and cast shadows."""
    eye = np.linalg.inv(view.table.T_color_table)[:3, 3]

    def seen_at(x: float, y: float, z: float) -> tuple[int, int]:
        share = z / max(eye[2] - z, 1.0)
        point = (np.array([x, y]) + (np.array([x, y]) - eye[:2]) * share - origin) / tol.FALLEN_PLAN_MM
        return round(float(point[0])), round(float(point[1]))

    def px(mm: float) -> int:
        return max(1, round(mm / tol.FALLEN_PLAN_MM))

    for road in standing.roads:
        a, b = (seen_at(*end) for end in road.ends)
        cv2.line(changed, a, b, 0, px(pieces.stick.width + 2 * tol.FALLEN_MARGIN_MM))
    for column in standing.columns:
        foot, top = seen_at(column.x, column.y, 0.0), seen_at(column.x, column.y, column.top_z)
        cv2.line(changed, foot, top, 0, px(pieces.disc.diameter + 2 * tol.FALLEN_MARGIN_MM))
    for car in standing.cars:
        cv2.circle(changed, seen_at(car.x, car.y, car.z), px(pieces.stick.width + tol.FALLEN_MARGIN_MM), 0, cv2.FILLED)
