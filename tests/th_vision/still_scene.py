"""A camera straight above a wooden table, and frames of it as the sensor has them: fast, and without a ray cast."""

from __future__ import annotations

import cv2
import numpy as np

from calibration.camera import Camera, Intrinsics
from calibration.table import EmptyTable, TableCalibration
from th_vision.frame import Frame

WIDTH, HEIGHT, DISTANCE = 640, 360, 700.0
INTRINSICS = Intrinsics(WIDTH, HEIGHT, 460.0, 460.0, 319.5, 179.5)
CAMERA = Camera("D435", INTRINSICS, INTRINSICS, depth_unit_mm=0.1, baseline_mm=50.0)
MM_PER_PX = DISTANCE / INTRINSICS.fx


def table() -> TableCalibration:
    """The calibration of the empty table."""
    disparity = np.full((HEIGHT, WIDTH), CAMERA.disparity_gain / DISTANCE, np.float32)
    empty = EmptyTable(disparity, np.full_like(disparity, 0.02), None, np.ones(disparity.shape, np.bool_))
    pose = np.diag([1.0, -1.0, -1.0, 1.0])
    pose[2, 3] = DISTANCE
    return TableCalibration(CAMERA, pose, empty)


class Scene:
    """Boxes on a table: (x, y, length, width, height mm, angle, grey level), frames with noise as the sensor has it."""

    def __init__(self, seed: int = 0, noise_px: float = 0.1) -> None:
        self.rng, self.noise_px, self.number, self.time_s = np.random.default_rng(seed), noise_px, 0, 0.0
        grain = cv2.GaussianBlur(self.rng.normal(0, 25, (HEIGHT, WIDTH)).astype(np.float32), (0, 0), 3)
        self.wood = 120 + grain
        self.boxes: list[tuple[float, float, float, float, float, float, float]] = []

    def stick(self, x: float, y: float, z: float, angle: float = 0.0) -> None:
        """A stick lies there, its top at z."""
        self.boxes.append((x, y, 114, 10, z, angle, 90))

    def frame(self, hand: tuple[float, float] | None = None, gain: float = 1.0) -> Frame:
        """The next frame, 0.2 s later."""
        height = np.zeros((HEIGHT, WIDTH), np.float32)
        color = self.wood.copy()
        boxes = list(self.boxes)
        if hand is not None:  # a palm, and a forearm that comes in over the near rim
            x, y = hand
            boxes += [(x, y, 85, 80, 70, 0, 200), (x, y - 250, 70, 500, 90, 0, 190)]
        for x, y, length, width, z, angle, grey in boxes:
            centre = (x / MM_PER_PX + WIDTH / 2, HEIGHT / 2 - y / MM_PER_PX)
            corners = cv2.boxPoints((centre, (length / MM_PER_PX, width / MM_PER_PX), angle))
            outline = [np.rint(corners).astype(np.int32)]
            cv2.fillPoly(height, outline, z)
            cv2.fillPoly(color, outline, grey)
        disparity = cv2.GaussianBlur(CAMERA.disparity_gain / (DISTANCE - height), (0, 0), 3)
        noise = cv2.GaussianBlur(self.rng.normal(0, 1, (HEIGHT, WIDTH)).astype(np.float32), (0, 0), 4)
        disparity += noise / noise.std() * self.noise_px
        depth = np.rint(CAMERA.disparity_gain / np.rint(disparity * 32) * 32 / CAMERA.depth_unit_mm)
        image = np.clip(color * gain + self.rng.normal(0, 3, color.shape), 0, 255).astype(np.uint8)
        self.number += 1
        self.time_s += 0.2
        return Frame(self.number, self.time_s, depth.astype(np.uint16), np.dstack([image] * 3))
