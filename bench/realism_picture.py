"""Real and virtual frames side by side: colour, depth, residual to a plane.

    python -m bench.realism_picture --real DIR -o docs/pictures/realism.jpg

The virtual camera hangs where the real one hung: its pose is read from the real board's plane.
"""

from __future__ import annotations

import argparse
import os
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np

from bench import measures as m
from bench.realism_frames import (
    DISC_HEIGHT_MM,
    DISC_RADIUS_MM,
    REAL_GAIN,
    REAL_RIPPLE,
    Shots,
    quiet,
    real_shots,
)
from calibration.camera import Intrinsics
from th_vision.frame import Frame
from th_vision.virtual_table.cameras import VirtualCamera, camera_model
from th_vision.virtual_table.faults import draw_faults
from th_vision.virtual_table.scene import ForeignBody, Light, Scene, TableBody
from th_vision.virtual_table.sensor_model import make_sensor, shoot
from th_vision.virtual_table.shapes import circle

SHOT = 8
# What the real picture shows: the dark table left and right of the board, two more discs there (u, v).
DARK_PX = (
    ((395.0, -60.0), (95.0, 1130.0), (-900.0, 1130.0), (-600.0, -60.0)),
    ((1402.0, -60.0), (1640.0, 1130.0), (2900.0, 1130.0), (2500.0, -60.0)),
)
BOARD_PX = (DARK_PX[0][0], DARK_PX[0][1], DARK_PX[1][1], DARK_PX[1][0])
MORE_DISCS_PX = ((1760.0, 888.0), (1812.0, 972.0))
DARK_MM = 0.1
STANDS_MM = ((-78.0, -50.0), (-190.0, 60.0))  # out of sight behind the board: left and right of a pole and a screen
STAND_AT_MM, POLE_MM, SCREEN_MM = 620.0, (0.0, 1400.0), (0.0, 540.0)
RESIDUAL_MM = 6.0
WIDTH_PX = 480
LIGHT = Light(direction=(0.02, 0.85, 0.6), ambient=0.62, softness_deg=3.0)


def pose_of(shots: Shots) -> np.ndarray:
    """``T_color_table`` (4, 4): the board's plane in the colour camera, x along the picture's rows."""
    plane = m.plane_fit(m.seen_median(shots.disparity), shots.mask)
    points, _ = m.plane_geometry(plane, shots.gain, shots.K)
    h, w = plane.shape
    origin = points[h // 2, w // 2].astype(float)
    x = points[h // 2, w // 2 + 200] - origin
    x /= np.linalg.norm(x)
    y = points[h // 2 - 200, w // 2] - origin
    y -= x * (y @ x)
    y /= np.linalg.norm(y)
    T = np.eye(4)
    T[:3, :3] = np.column_stack([x, y, np.cross(x, y)])
    T[:3, 3] = origin
    return T


def on_plane(pixel: tuple[float, float], shots: Shots, T_color_table: np.ndarray) -> tuple[float, float]:
    """The board's point (x, y) mm that a colour pixel sees."""
    fx, fy, cx, cy = shots.K
    ray = np.array([(pixel[0] - cx) / fx, (pixel[1] - cy) / fy, 1.0])
    normal, origin = T_color_table[:3, 2], T_color_table[:3, 3]
    point = ray * (normal @ origin) / (normal @ ray)
    x, y, _ = T_color_table[:3, :3].T @ (point - origin)
    return float(x), float(y)


def virtual_scene(shots: Shots, T_color_table: np.ndarray) -> Scene:
    """The same board between dark covers, the discs where they lay, and what stands behind and throws its shadow."""
    bodies = [
        ForeignBody(tuple(on_plane(p, shots, T_color_table) for p in dark), DARK_MM, "#171a18") for dark in DARK_PX
    ]
    for k, pixel in enumerate((tuple(shots.centres[SHOT]), *MORE_DISCS_PX)):
        x, y = on_plane((float(pixel[0]), float(pixel[1])), shots, T_color_table)
        outline = tuple((float(a), float(b)) for a, b in circle(x, y, DISC_RADIUS_MM))
        base = 0.0 if k == 0 else (DARK_MM if k == 1 else DARK_MM + 1.5)
        bodies.append(ForeignBody(outline, DISC_HEIGHT_MM, "#8f5038", base_z=base))
    for (left, right), (low, high) in zip(STANDS_MM, (POLE_MM, SCREEN_MM), strict=True):
        near, far = STAND_AT_MM, STAND_AT_MM + 10
        outline = ((left, near), (right, near), (right, far), (left, far))
        bodies.append(ForeignBody(outline, high - low, "#303030", base_z=low))
    return Scene(table=TableBody("white"), foreign=tuple(bodies), light=LIGHT)


def camera_like(shots: Shots, T_color_table: np.ndarray) -> VirtualCamera:
    """A D415 in the real one's place."""
    model = camera_model("D415")
    T_depth_color = np.eye(4)
    T_depth_color[0, 3] = -model.color_x_mm
    return VirtualCamera(model, T_depth_color @ T_color_table, depth_unit_mm=1.0)


def aligned(frame: Frame, camera: VirtualCamera, to: Intrinsics) -> m.Floats:
    """Depth (h, w) mm in the colour camera's grid, as the SDK aligns it: each depth pixel fills its place there."""
    K = camera.depth
    z = frame.depth.astype(np.float64) * camera.depth_unit_mm
    out = np.full((to.height, to.width), np.inf)
    v, u = np.nonzero(frame.depth)
    place = []
    for half in (-0.5, 0.5):
        rays = K.rays(np.column_stack([u + half, v + half]).astype(float))
        seen = rays * z[v, u][:, None] + [camera.model.color_x_mm, 0, 0]
        place.append(np.rint(np.column_stack([seen[:, 0], seen[:, 1]]) / seen[:, 2:] * to.fx + [to.cx, to.cy]))
    low, high = (p.astype(int) for p in place)
    for dv in range(3):
        for du in range(3):
            x, y = low[:, 0] + du, low[:, 1] + dv
            inside = (x <= high[:, 0]) & (y <= high[:, 1]) & (x >= 0) & (y >= 0) & (x < to.width) & (y < to.height)
            np.minimum.at(out, (y[inside], x[inside]), z[v, u][inside])
    out[~np.isfinite(out)] = np.nan
    return out.astype(np.float32)


def panels(color: np.ndarray, depth_mm: m.Floats, mask: m.Mask) -> np.ndarray:
    """Colour, depth and residual (to the plane under the mask) of one frame, beside each other."""
    h, w = depth_mm.shape
    size = (WIDTH_PX, round(WIDTH_PX * h / w))
    seen = np.isfinite(depth_mm)
    shade = np.clip((np.nan_to_num(depth_mm) - 560) / 400, 0, 1)
    depth = cv2.applyColorMap((255 * shade).astype(np.uint8), cv2.COLORMAP_TURBO)
    depth[~seen] = 0
    disparity = (REAL_GAIN / depth_mm).astype(np.float32)
    plane = m.plane_fit(disparity, mask)
    rest = np.nan_to_num((REAL_GAIN / plane) - depth_mm)
    residual = cv2.cvtColor((127.5 + 127.5 * np.clip(rest / RESIDUAL_MM, -1, 1)).astype(np.uint8), cv2.COLOR_GRAY2BGR)
    board = np.zeros((h, w), dtype=np.uint8)
    cv2.fillConvexPoly(board, np.array(BOARD_PX, dtype=np.int32), 1)
    residual[~seen | (board == 0)] = 0
    return np.hstack(
        [
            cv2.resize(color, size, interpolation=cv2.INTER_AREA),
            cv2.resize(depth, size, interpolation=cv2.INTER_NEAREST),
            cv2.resize(residual, size, interpolation=cv2.INTER_AREA),
        ]
    )


def titled(row: np.ndarray, text: str) -> np.ndarray:
    """The row under a strip with its name."""
    strip = np.full((22, row.shape[1], 3), 255, dtype=np.uint8)
    cv2.putText(strip, text, (6, 16), cv2.FONT_HERSHEY_SIMPLEX, 0.45, (0, 0, 0), 1, cv2.LINE_AA)
    return np.vstack([strip, row])


def main() -> int:
    """Draw the picture."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--real", type=Path, default=Path(os.environ.get("TH_VISION_REALDATA", "realdata")))
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    quiet()
    folder = args.real / "d415_discs_board"
    shots = real_shots(folder)
    T = pose_of(shots)
    depth = REAL_GAIN / shots.disparity[SHOT]
    rows = [titled(panels(cv2.imread(str(folder / f"color_{SHOT:02d}.jpg")), depth, shots.mask), "real D415")]
    camera = camera_like(shots, T)
    fx, fy, cx, cy = shots.K
    grid = Intrinsics(1920, 1080, fx, fy, cx, cy)
    scene = virtual_scene(shots, T)
    for model, name in (("fast", "virtual D415, fast model"), ("stereo", "virtual D415, stereo model")):
        rng = np.random.default_rng(args.seed)
        faults = replace(draw_faults(rng), ripple_share=REAL_RIPPLE, scale_error=0.0, exposure=0.8)
        sensor = make_sensor(model, camera, rng, faults)
        frame = shoot(scene, camera, sensor, rng, 1)[0]
        rows.append(titled(panels(frame.color, aligned(frame, camera, grid), shots.mask), name))
    args.output.parent.mkdir(parents=True, exist_ok=True)
    cv2.imwrite(str(args.output), np.vstack(rows), [cv2.IMWRITE_JPEG_QUALITY, 82])
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
