"""What lies on the table to be measured: places where colour or depth is not the empty table's."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from th_vision import tolerances
from th_vision.detect.plan import PlanView
from th_vision.enroll.outline import empty_picture
from th_vision.errors import VisionError

Array = NDArray[np.float64]
Mask = NDArray[np.uint8]
Bits = NDArray[np.bool_]


@dataclass(frozen=True)
class Thing:
    """Something on the table: middle of its top (plan, mm), length and width of the rectangle about it, its turn
    (radians, along its length), height by depth as it shows there, and how many sigmas it stands over the table.
    """

    x: float
    y: float
    length: float
    width: float
    turn: float
    height: float
    sigmas: float

    @property
    def raised(self) -> bool:
        """Whether depth shows it to stand over the table."""
        return self.sigmas > tolerances.ENROLL_FLAT_SIGMAS

    @property
    def at(self) -> Array:
        """(2,) middle."""
        return np.array([self.x, self.y])

    def holds(self, other: Thing) -> bool:
        """Whether another thing's middle lies in its rectangle."""
        c, s = np.cos(self.turn), np.sin(self.turn)
        u, v = np.array([[c, s], [-s, c]]) @ (other.at - self.at)
        return bool(abs(u) < self.length / 2 + 2 and abs(v) < self.width / 2 + 2)

    def is_stick(self) -> bool:
        """Whether it has the shape of a road-stick."""
        low, high = tolerances.ENROLL_STICK_LENGTH_MM
        thin, wide = tolerances.ENROLL_STICK_WIDTH_MM
        return (
            low <= self.length <= high
            and thin <= self.width <= wide
            and self.length >= tolerances.ENROLL_STICK_WIDTHS * self.width
            and self.height <= tolerances.ENROLL_STICK_THICK_MM
        )


def find_things(plan: PlanView) -> list[Thing]:
    """All things on the table, away from the rim of what is seen.

    Raises:
        VisionError: no colour to compare, or light or camera are not those of the calibration.
    """
    if plan.color is None:
        raise VisionError("there is no colour picture: pieces are measured by colour and depth; record both")
    if plan.table.empty.color_bgr is None:
        raise VisionError("the calibration holds no colour picture of the empty table; calibrate the table again")
    pitch = tolerances.ENROLL_PITCH_MM
    seen, solid, any_change = _changes(plan, pitch)
    inner = _inner(seen, pitch)
    if any_change[inner].mean() > tolerances.ENROLL_MOST_NEW:
        raise VisionError(
            "nearly all of the table looks different from when it was calibrated: another camera place, light or "
            "table; calibrate the table again"
        )
    smooth = cv2.GaussianBlur(np.nan_to_num(plan.height_plane(0.0, pitch)), (0, 0), 1.5)
    height = np.asarray(smooth, dtype=np.float32)
    sigma = tolerances.ENROLL_RAISED_SIGMAS * float(np.nanmedian(plan.sigma_mm))
    raised = (height > max(tolerances.ENROLL_RAISED_MM, sigma)) & any_change
    mask = _closed((solid | raised) & inner, pitch)
    things = [
        thing
        for part in _parts(mask, tolerances.ENROLL_THING_MM2, pitch)
        if (thing := _thing(plan, part, height, pitch)) is not None
        and (thing.raised or solid[part].mean() > tolerances.ENROLL_SOLID_SHARE)
    ]
    # gray on gray looks like a shadow: what depth shows to stand over the table isn't one
    high = cv2.dilate(
        np.asarray(height > tolerances.ENROLL_STICK_THICK_MM, dtype=np.uint8), np.ones((13, 13), np.uint8)
    )
    maybe: list[Thing] = []
    for part in _parts(_closed(any_change & inner & (high == 0), pitch), tolerances.ENROLL_FLAT_MM2, pitch):
        thing = _thing(plan, part, height, pitch)
        if thing is None:
            continue
        within = [other for other in things if thing.holds(other)]
        if thing.is_stick() and (thing.raised or within):
            things = [other for other in things if not thing.holds(other)] + [thing]
        elif thing.is_stick():
            maybe.append(thing)
        elif (
            thing.sigmas > tolerances.ENROLL_SHADOW_SIGMAS
            and not within
            and not any(other.holds(thing) for other in things)
        ):
            things.append(thing)
    if len(maybe) == 1 and not any(thing.is_stick() for thing in things):
        things += maybe  # a gray stick on gray, too low for this camera: its outline has to show whether it is one
    return things


def _changes(plan: PlanView, pitch: float) -> tuple[Bits, Bits, Bits]:
    """(ny, nx) on the table plane: seen in both pictures; another colour than any shadow makes; any other colour."""
    now, before = plan.color_plane(0.0, pitch), empty_picture(plan).color_plane(0.0, pitch)
    seen = np.isfinite(now).all(axis=-1) & np.isfinite(before).all(axis=-1)
    smooth = [cv2.GaussianBlur(np.nan_to_num(image), (0, 0), 0.8) + 10 for image in (now, before)]
    change = np.log(smooth[0] / smooth[1])
    light = change.mean(axis=-1)
    chroma = np.abs(change - light[..., None]).max(axis=-1) > tolerances.ENROLL_CHROMA
    solid = chroma | (light > tolerances.ENROLL_BRIGHT) | (light < -tolerances.ENROLL_BLACK)
    dark = light < -tolerances.ENROLL_BRIGHT
    return np.asarray(seen), np.asarray(seen & solid), np.asarray(seen & (solid | dark))


def _inner(seen: Bits, pitch: float) -> Bits:
    size = 2 * round(tolerances.ENROLL_RIM_MM / pitch) + 1
    framed = np.pad(seen.astype(np.uint8), 1)
    holes = cv2.morphologyEx(framed, cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8))
    return np.asarray(cv2.erode(holes, np.ones((size, size), np.uint8))[1:-1, 1:-1] > 0)


def _closed(mask: Bits, pitch: float) -> Mask:
    size = 2 * round(tolerances.ENROLL_CLOSE_MM / pitch / 2) + 1
    opened = cv2.morphologyEx(mask.astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    return np.asarray(cv2.morphologyEx(opened, cv2.MORPH_CLOSE, np.ones((size, size), np.uint8)), dtype=np.uint8)


def _parts(mask: Mask, least_mm2: float, pitch: float) -> list[Bits]:
    count, labels, stats, _ = cv2.connectedComponentsWithStats(mask)
    return [labels == k for k in range(1, count) if stats[k, cv2.CC_STAT_AREA] * pitch**2 >= least_mm2]


def _thing(plan: PlanView, part: Bits, height: NDArray[np.float32], pitch: float) -> Thing | None:
    """The thing over some cells of the table plane."""
    xs, ys = plan.field.grid(pitch)
    v, u = np.nonzero(part)
    values = height[v, u]
    high = float(np.percentile(values, 90))
    # one independent sample to so many cells
    cell = pitch / (plan.table.distance_mm / plan.table.camera.depth.fx)
    count = max(len(values) * cell**2 / plan.view.independent_px, 0.7)
    sure = float(np.mean(values)) / (float(np.nanmedian(plan.sigma_mm)) / np.sqrt(count))
    if len(values) < 8:
        return None
    if high > 4 * tolerances.ENROLL_RAISED_MM:  # its top alone: sides and shadows are seen elsewhere
        top = values > 0.6 * high
        v, u = v[top], u[top]
    (cx, cy), (w, h), angle = cv2.minAreaRect(np.stack([xs[u], ys[v]], axis=1).astype(np.float32))
    if h > w:
        w, h, angle = h, w, angle + 90
    eye = plan.table.T_table_depth[:3, 3]
    if high > tolerances.ENROLL_RAISED_MM:
        near = 1 - high / eye[2]  # what stands high appears further out, and larger
        cx, cy, w, h = eye[0] + (cx - eye[0]) * near, eye[1] + (cy - eye[1]) * near, w * near, h * near
    return Thing(
        float(cx),
        float(cy),
        float(w + pitch),
        float(h + pitch),
        float(np.radians(angle)),
        high,
        sure,
    )
