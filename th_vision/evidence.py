"""Asking the images themselves: does the place of a piece look as it looked a moment ago?

Comparing two still views of one camera at one place is far safer than finding the piece anew: the sensor's blending
and fattening are the same in both.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calibration.table import transform
from rules.layout import Car, Column
from rules.pieces import Pieces
from th_vision import tolerances as tol
from th_vision.credible import Stands, Stirred
from th_vision.known import Piece
from th_vision.still_view import StillView


def stands_in(before: StillView | None, now: StillView, pieces: Pieces) -> Stands:
    """A question to two views: does this piece, seen in the view before, look the same now?"""

    def stands(piece: Piece) -> bool | None:
        if before is None:
            return None
        return looks_as_before(piece, before, now, pieces)

    return stands


def stirred_in(before: StillView | None, now: StillView, pieces: Pieces) -> Stirred:
    """A question to two views: does the rim of this column, seen in the view before, look otherwise now?"""

    def stirred(column: Column) -> bool:
        return before is not None and rim_looks_otherwise(column, before, now, pieces)

    return stirred


def rim_looks_otherwise(column: Column, before: StillView, now: StillView, pieces: Pieces) -> bool:
    """Whether the colour at so many places close to the rim of the top disc, on either side of it, is another one than
    it was as a shift tells from there on; False where there is no colour."""
    angles = np.linspace(0, 2 * np.pi, tol.STIRRED_ANGLES, endpoint=False)
    radii = pieces.disc.radius + np.array([-tol.STIRRED_MM, tol.STIRRED_MM])[:, None]
    x, y = column.x + radii * np.cos(angles), column.y + radii * np.sin(angles)
    same = _same_colors(before, now, np.stack([x.ravel(), y.ravel(), np.full(x.size, column.top_z)], axis=1))
    return same is not None and float(np.mean(~same)) >= tol.STIRRED_SHARE


def looks_as_before(piece: Piece, before: StillView, now: StillView, pieces: Pieces) -> bool | None:
    """True where the rise above the table (and the colour) at the piece's place is what it was, False where most of
    it is gone, None in between, or where the camera can't tell."""
    points = sample_points(piece, pieces)
    then, here = _rise_at(before, points), _rise_at(now, points)
    seen = np.isfinite(then) & np.isfinite(here) & (then > tol.STANDS_LEAST_PX)
    if isinstance(piece, Car) or np.count_nonzero(seen) < max(3, len(points) // 4):
        return _same_color(before, now, points)
    kept = float(np.mean(here[seen] >= tol.STANDS_SHARE * then[seen]))
    if kept >= tol.STANDS_SURE:
        return True
    return False if kept <= 1 - tol.STANDS_SURE else None


def sample_points(piece: Piece, pieces: Pieces) -> NDArray[np.float64]:
    """(n, 3) points of the table frame on the middle of the piece's top, mm."""
    if isinstance(piece, Column):
        reach = pieces.disc.radius * 0.4
        steps = np.array([(0, 0), (1, 0), (-1, 0), (0, 1), (0, -1)], dtype=np.float64) * reach
        z = np.full((len(steps), 1), piece.top_z)
        return np.hstack([np.add(steps, (piece.x, piece.y)), z])
    if isinstance(piece, Car):
        box = pieces.cars.get(piece.type) or next(iter(pieces.cars.values()))
        angle = np.deg2rad(piece.heading_deg)
        along, across = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
        u, v = np.meshgrid(np.linspace(-0.3, 0.3, 5) * box.length, np.linspace(-0.25, 0.25, 3) * box.width)
        plan = np.array([piece.x, piece.y]) + u.reshape(-1, 1) * along + v.reshape(-1, 1) * across
        return np.hstack([plan, np.full((len(plan), 1), piece.z + box.height)])
    share = np.linspace(0.12, 0.88, 25)[:, None]
    return np.asarray(np.array(piece.ends[0]) * (1 - share) + np.array(piece.ends[1]) * share)


def _rise_at(view: StillView, points: NDArray[np.float64]) -> NDArray[np.float64]:
    camera = view.table.camera
    pixels = np.rint(camera.depth.project(transform(view.table.T_depth_table, points))).astype(int)
    height, width = view.rise_px.shape
    inside = (pixels[:, 0] >= 0) & (pixels[:, 0] < width) & (pixels[:, 1] >= 0) & (pixels[:, 1] < height)
    out = np.full(len(points), np.nan)
    out[inside] = view.rise_px[pixels[inside, 1], pixels[inside, 0]]
    return out


def _same_color(before: StillView, now: StillView, points: NDArray[np.float64]) -> bool | None:
    each = _same_colors(before, now, points)
    if each is None:
        return None
    same = float(np.mean(each))
    if same >= tol.STANDS_SURE:
        return True
    return False if same <= 1 - tol.STANDS_SURE else None


def _same_colors(before: StillView, now: StillView, points: NDArray[np.float64]) -> NDArray[np.bool_] | None:
    """Whether the colour at each point in view is what it was; None where there is no colour, or hardly a point."""
    camera = now.table.camera
    if before.color_bgr is None or now.color_bgr is None or camera.color is None:
        return None
    if before.color_bgr.shape != now.color_bgr.shape:
        return None
    pixels = np.rint(camera.color.project(transform(now.table.T_color_table, points))).astype(int)
    height, width = now.color_bgr.shape[:2]
    inside = (pixels[:, 0] >= 1) & (pixels[:, 0] < width - 1) & (pixels[:, 1] >= 1) & (pixels[:, 1] < height - 1)
    if np.count_nonzero(inside) < 3:
        return None
    columns, rows = pixels[inside, 0], pixels[inside, 1]
    then = before.color_bgr[rows, columns].astype(np.float64)
    here = now.color_bgr[rows, columns].astype(np.float64)
    gain = (now.color_bgr[::16, ::16].mean(axis=(0, 1)) + 1) / (before.color_bgr[::16, ::16].mean(axis=(0, 1)) + 1)
    return np.asarray(np.abs(here - then * gain).max(axis=1) < tol.STANDS_COLOR_LEVELS)
