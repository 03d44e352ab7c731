"""Can a still view be read at all, and does the camera still hang where it was calibrated? What one look can tell."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.bumped import measured_bump
from calibration.table import TableCalibration
from th_vision import tolerances as tol
from th_vision.errors import VisionError
from th_vision.frame import Frame
from th_vision.still_view import StillView


def last_moment(frames: Sequence[Frame], table: TableCalibration) -> list[Frame]:
    """The last of these frames that all show the table as the very last one does, in their order.

    Frames from before a piece came, or with a hand in them, would blur what is fused: they are left out.
    """
    kept = list(frames[-1:])
    for frame in reversed(frames[:-1]):
        if frame.depth.shape != kept[-1].depth.shape or _differ(frame, kept[-1], table):
            break
        kept.insert(0, frame)
    return kept


def doubts_of_view(view: StillView) -> tuple[str, ...]:
    """Why less than usual is to be believed of this view, each with what to do; empty where nothing is wrong.

    Raises:
        VisionError: there is no depth where the calibration knows the table: nothing can be said of what stands there.
    """
    measured = np.isfinite(view.table.empty.disparity_px)
    seen = measured & np.isfinite(view.rise_px)
    share = float(np.count_nonzero(seen)) / max(float(np.count_nonzero(measured)), 1.0)
    if share < tol.VIEW_LEAST_SHARE:
        raise VisionError("there is no depth where the table is: see that nothing covers the camera, and record again")
    found = []
    if share < tol.VIEW_USUAL_SHARE:
        found.append(f"only {100 * share:.0f} % of the table has depth: what stands elsewhere is not seen")
    if _drift_mm(view, seen) > tol.DRIFT_MM:
        found.append("depth does not show the table where it was calibrated: don't trust this reading; calibrate again")
    elif (moved_mm := _moved_mm(view)) > 0:
        found.append(
            f"the camera or the table was moved by about {moved_mm:.0f} mm since it was calibrated; calibrate again"
        )
    return (*found, *_doubts_of_colour(view))


def _doubts_of_colour(view: StillView) -> list[str]:
    before, now = view.table.empty.color_bgr, view.color_bgr
    if now is None:
        return ["there is no colour: all is found by depth alone; cars and junctions are not known"]
    if before is None or before.shape != now.shape:
        return []
    gain = float(np.median((_gray(now) + 1) / (_gray(before) + 1)))
    if gain < 1 / tol.LIGHT_GAIN:
        return ["it is much darker than at calibration: pieces may be missed, colours may be wrong; more light"]
    if gain > tol.LIGHT_GAIN:
        return ["it is much brighter than at calibration: pieces may be missed, colours may be wrong; less light"]
    return []


def _drift_mm(view: StillView, seen: NDArray[np.bool_]) -> float:
    """How far off, mm of height, the free table was before offset and tilt were taken out; at the worst side."""
    empty = view.table.empty.disparity_px[seen]
    off = np.abs(view.disparity_px[seen] - empty - view.rise_px[seen])
    return float(np.percentile(off / np.maximum(empty, 1.0), 95)) * view.table.distance_mm


def _moved_mm(view: StillView) -> float:
    """How far the table went in the colour picture since calibration, mm; 0: not surely, or it can't be told."""
    before, now, color = view.table.empty.color_bgr, view.color_bgr, view.table.camera.color
    if before is None or now is None or color is None or before.shape != now.shape:
        return 0.0
    bump = measured_bump(before, now, view.table)
    if bump is None or bump.shift_mm < max(tol.BUMP_MM, tol.BUMP_SIGMAS * bump.sigma_mm):
        return 0.0
    return bump.shift_mm


def _differ(a: Frame, b: Frame, table: TableCalibration) -> bool:
    """Whether two frames of one camera show different things: in colour; in depth a hand, and without colour a piece.

    Means of small squares are compared, so that noise of pixels counts little; what all squares have in common (light
    that flickers, drift) is no difference. Depth of real cameras flickers at edges and holes, which are left out.
    """
    in_color = a.color is not None and b.color is not None and a.color.shape == b.color.shape
    gain = table.camera.disparity_gain / table.camera.depth_unit_mm
    valid = (a.depth > 0) & (b.depth > 0) & np.isfinite(table.empty.disparity_px)
    if not valid.any():
        return bool((a.depth > 0).any() or (b.depth > 0).any())
    there = [np.where(valid, one.depth, 1).astype(np.float32) for one in (a, b)]
    step = np.where(valid, gain / there[0] - gain / there[1], 0.0)
    step = np.asarray(step - float(np.median(step[valid])) * valid, dtype=np.float32)
    off = np.abs(_squares(step)) * (_squares(valid.astype(np.float32)) > 0.99)
    least, most = (tol.HAND_DEPTH_PX, tol.HAND_SQUARES) if in_color else (tol.OTHER_DEPTH_PX, tol.OTHER_SQUARES)
    if np.count_nonzero(off > least) >= most:
        return True
    if not in_color:
        return False
    ca, cb = (np.asarray(one.color, dtype=np.float32) for one in (a, b))
    gain = float(np.median((cb[..., 1] + 1) / (ca[..., 1] + 1)))
    other = np.abs(_squares(np.asarray(cb - ca * gain, dtype=np.float32))).max(axis=2)
    return bool(np.count_nonzero(other > tol.OTHER_LEVELS) >= tol.OTHER_SQUARES)


def _squares(picture: NDArray[np.float32]) -> NDArray[np.float32]:
    """The means of small squares of a (h, w) or (h, w, 3) picture."""
    size = (max(picture.shape[1] // tol.OTHER_SQUARE_PX, 1), max(picture.shape[0] // tol.OTHER_SQUARE_PX, 1))
    return np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), dtype=np.float32)


def _gray(picture: NDArray[np.uint8]) -> NDArray[np.float32]:
    return np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), dtype=np.float32)
