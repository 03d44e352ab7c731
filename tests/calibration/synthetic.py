"""A bare table with a board, as a depth and a colour camera would see it: simple, exact, and quick to draw.

Depth has the sensor's worst habits for a plane: ripple, correlated noise, 1/32 px steps, a band without depth.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.board import Board
from calibration.camera import Camera, Intrinsics

Array = NDArray[np.float64]


def rotation(rx_deg: float = 0.0, ry_deg: float = 0.0, rz_deg: float = 0.0) -> Array:
    """3x3 turn about x, then y, then z."""
    out = np.eye(3)
    for axis, angle in enumerate((rx_deg, ry_deg, rz_deg)):
        vector = np.zeros(3)
        vector[axis] = np.radians(angle)
        out = np.asarray(cv2.Rodrigues(vector)[0]) @ out
    return out


def pose(rotation_3x3: Array, shift: Sequence[float]) -> Array:
    """4x4 from turn and shift."""
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = rotation_3x3, shift
    return T


def d415() -> Camera:
    """A D415 at 1280x720 depth, 1080p colour."""
    return Camera(
        model="D415",
        depth=Intrinsics(1280, 720, 943.0, 943.0, 640.5, 361.0),
        color=Intrinsics(1920, 1080, 1377.0, 1378.0, 955.0, 543.0),
        T_color_depth=pose(rotation(0.2, -0.1, 0.15), (15.0, 0.3, -0.2)),
        depth_unit_mm=0.1,
        baseline_mm=55.0,
        serial="1234",
    )


def small() -> Camera:
    """A small camera for quick tests: 424x240 depth, 640x360 colour."""
    return Camera(
        model="D435",
        depth=Intrinsics(424, 240, 215.0, 215.0, 212.0, 120.0),
        color=Intrinsics(640, 360, 460.0, 460.0, 320.0, 180.0),
        T_color_depth=pose(rotation(0.2, -0.1, 0.15), (15.0, 0.3, -0.2)),
        depth_unit_mm=0.1,
        baseline_mm=50.0,
        serial="77",
    )


def looking_down(
    height_mm: float,
    tilt_x_deg: float = 0.0,
    tilt_y_deg: float = 0.0,
    turn_deg: float = 0.0,
    at: Sequence[float] = (0, 0),
) -> Array:
    """T_depth_table of a camera above the table, whose axis meets it ``at`` (table mm); turned, then tilted."""
    straight = np.diag([1.0, -1.0, -1.0]) @ rotation(0, 0, turn_deg)
    R = rotation(tilt_x_deg, tilt_y_deg) @ straight
    target = np.array([at[0], at[1], 0.0])
    return pose(R, np.array([0, 0, height_mm]) - R @ target)


@dataclass(frozen=True)
class Thing:
    """A box on the table: x, y, width, depth, height in mm of the table frame."""

    x: float
    y: float
    width: float
    depth: float
    height: float


@dataclass(frozen=True)
class World:
    """A table under a camera. ``scale``: factor that depth has too much. ``ripple``: its amplitude as a share of Z."""

    camera: Camera
    T_depth_table: Array
    board: Board = field(default_factory=Board)
    ripple: float = 0.0
    noise_px: float = 0.05
    scale: float = 1.0
    printed: float = 1.0

    def disparity(self, things: Sequence[Thing] = ()) -> Array:
        """(h, w) true disparity with ripple, before noise."""
        depth = self.camera.depth
        v, u = np.mgrid[0 : depth.height, 0 : depth.width].astype(np.float64)
        rays = depth.rays(np.stack([u, v], axis=-1))
        R, t = self.T_depth_table[:3, :3], self.T_depth_table[:3, 3]
        z = (R[:, 2] @ t) / (rays @ R[:, 2])
        inverse = 1 / z
        for thing in things:
            top = t + R[:, 2] * thing.height
            z_top = (R[:, 2] @ top) / (rays @ R[:, 2])
            on_top = (rays * z_top[..., None] - t) @ R
            inside = (np.abs(on_top[..., 0] - thing.x) < thing.width / 2) & (
                np.abs(on_top[..., 1] - thing.y) < thing.depth / 2
            )
            inverse = np.where(inside, 1 / z_top, inverse)
        wave = np.sin(u / 0.11 / depth.fx * 0.65 * 2 * np.pi / 1.3 + 0.7) * np.cos(v / 0.15 / depth.fx * 0.65 * 6 + 0.3)
        gain = self.camera.disparity_gain
        return np.asarray(gain * inverse / self.scale * (1 + self.ripple * wave), dtype=np.float64)

    def depth(self, rng: np.random.Generator, things: Sequence[Thing] = ()) -> NDArray[np.uint16]:
        """(h, w) raw depth of one frame."""
        exact = self.disparity(things)
        noise = cv2.GaussianBlur(rng.standard_normal(exact.shape), (0, 0), sigmaX=4.5, sigmaY=3.0)
        measured = exact + noise / noise.std() * self.noise_px
        measured = np.round(measured * 32) / 32
        raw = np.round(self.camera.disparity_gain / measured / self.camera.depth_unit_mm)
        raw[:, : int(np.median(exact))] = 0
        raw[rng.random(raw.shape) < 0.005] = 0
        return np.asarray(raw, dtype=np.uint16)

    def color(
        self, rng: np.random.Generator, board: bool = True, patches: Sequence[Thing] = (), light: float = 1.0
    ) -> NDArray[np.uint8]:
        """(hc, wc, 3) colour picture; ``patches`` are painted flat on the table in dark red."""
        color = self.camera.color
        assert color is not None
        T = self.camera.T_color_depth @ self.T_depth_table
        fine = 3
        size = (color.width * fine, color.height * fine)
        shift = np.array([[fine, 0, (fine - 1) / 2], [0, fine, (fine - 1) / 2], [0, 0, 1.0]])
        K = np.array([[color.fx, 0, color.cx], [0, color.fy, color.cy], [0, 0, 1.0]])
        canvas = np.full((size[1], size[0]), 150, dtype=np.uint8)
        if board:
            per_mm = 6.0
            lift = self.board.thickness_mm
            face = shift @ K @ np.column_stack([T[:3, 0], T[:3, 1], T[:3, 3] + lift * T[:3, 2]])
            margin = 12.0
            picture = np.pad(self.board.image(per_mm), round(margin * per_mm), constant_values=255)
            mm = self.printed / per_mm
            x0 = -(self.board.width_mm / 2 + margin) * self.printed
            y0 = (self.board.height_mm / 2 + margin) * self.printed
            to_table = np.array([[mm, 0, x0 + mm / 2], [0, -mm, y0 - mm / 2], [0, 0, 1.0]])
            cv2.warpPerspective(
                picture, face @ to_table, size, dst=canvas, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_TRANSPARENT
            )
        small = cv2.resize(canvas, (color.width, color.height), interpolation=cv2.INTER_AREA).astype(np.float32)
        out = np.repeat(small[..., None], 3, axis=2) * [0.95, 1.0, 0.98]
        for patch in patches:
            corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * [patch.width / 2, patch.depth / 2]
            corners = np.column_stack([corners + np.array([patch.x, patch.y]), np.zeros(4)])
            pixels = color.project(corners @ T[:3, :3].T + T[:3, 3])
            cv2.fillConvexPoly(out, np.round(pixels).astype(np.int32), (40, 40, 160))
        out = out * light * 0.9 + 8 + rng.standard_normal(out.shape) * 1.5
        return np.clip(np.round(out), 0, 255).astype(np.uint8)
