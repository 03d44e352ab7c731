"""Frames to measure realism on: the real ones, and virtual ones of the same camera, distance and kind of scene."""

from __future__ import annotations

import json
import warnings
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

import cv2
import numpy as np

from bench import measures as m
from rules.pieces import Pieces
from th_vision.virtual_table.cameras import VirtualCamera, camera_model, pose_over_table
from th_vision.virtual_table.faults import NO_FAULTS, draw_faults
from th_vision.virtual_table.scene import ForeignBody, Scene, StickBody, TableBody
from th_vision.virtual_table.sensor_model import make_sensor, shoot
from th_vision.virtual_table.shapes import circle

DISC_RADIUS_MM, DISC_HEIGHT_MM = 25.0, 5.4
REAL_GAIN, REAL_FX = 52.3e3, 943.0
REAL_RIPPLE = 0.011  # this unit's is near the upper end of what is stated
DISC_ROOM_PX = 78
BOX_HEIGHT_MM = 40.0
# The real box: rows where nothing else is before the wall, and by how much its green is above its red.
BOX_ROWS, BOX_GREENER = (165, 300), 30


@dataclass(frozen=True)
class Shots:
    """Shots of one disc at many places on a plane: disparity (n, h, w) px, the plane's mask, disc centres (n, 2) px."""

    disparity: m.Floats
    mask: m.Mask
    centres: np.ndarray
    K: tuple[float, float, float, float]
    gain: float
    scale: float

    def without_disc(self) -> m.Floats:
        """The disparity with NaN about each shot's disc."""
        h, w = self.mask.shape
        v, u = np.mgrid[:h, :w]
        clean = self.disparity.copy()
        for k, (cu, cv) in enumerate(self.centres):
            clean[k][(u - cu) ** 2 + (v - cv) ** 2 < (DISC_ROOM_PX * self.scale) ** 2] = np.nan
        return clean


def real_shots(folder: Path) -> Shots:
    """The 24 shots of a disc on a white board (D415, depth aligned to colour)."""
    camera = json.loads((folder / "camera.json").read_text())
    K = np.array(camera["K_color"])
    stack = m.to_depth([cv2.imread(str(folder / f"depth_{k:02d}.png"), -1) for k in range(24)], camera["depth_unit_mm"])
    disparity = (REAL_GAIN / stack).astype(np.float32)
    colors = [cv2.imread(str(folder / f"color_{k:02d}.jpg")) for k in range(24)]
    scale = K[0, 0] / REAL_FX
    mean = m.seen_median(disparity)
    seed = np.zeros(mean.shape, dtype=bool)
    seed[300:900, 600:1100] = True
    usual = cv2.cvtColor(np.median(np.stack(colors), axis=0).astype(np.uint8), cv2.COLOR_BGR2HSV)
    white = ((usual[..., 2] > 90) & (usual[..., 1] < 70)).astype(np.uint8)
    white = cv2.morphologyEx(white, cv2.MORPH_CLOSE, np.ones((15, 15)))
    _, labels, stats, _ = cv2.connectedComponentsWithStats(white)
    white = cv2.erode((labels == 1 + int(np.argmax(stats[1:, 4]))).astype(np.uint8), np.ones((41, 41)))
    mask = m.table_mask(mean, seed, 2.0, int(18 * scale)) & (white > 0)
    centres = []
    for color in colors:
        hsv = cv2.cvtColor(color, cv2.COLOR_BGR2HSV)
        copper = ((hsv[..., 1] > 90) & (hsv[..., 2] > 60) & mask).astype(np.uint8)
        copper = cv2.morphologyEx(copper, cv2.MORPH_OPEN, np.ones((5, 5)))
        _, _, stats, middle = cv2.connectedComponentsWithStats(copper)
        centres.append(middle[1 + int(np.argmax(stats[1:, 4]))])
    return Shots(disparity, mask, np.array(centres), (K[0, 0], K[1, 1], K[0, 2], K[1, 2]), REAL_GAIN, scale)


def board_scene(x: float, y: float) -> Scene:
    """The copper disc at a place of a white table."""
    outline = tuple((float(a), float(b)) for a, b in circle(x, y, DISC_RADIUS_MM))
    return Scene(pieces=Pieces(), table=TableBody("white"), foreign=(ForeignBody(outline, DISC_HEIGHT_MM, "#a8643c"),))


def board_camera() -> VirtualCamera:
    """A D415 as it hung over the real board: tilted 30 deg, unit 1 mm."""
    return VirtualCamera(camera_model("D415"), pose_over_table(740.0, tilt_deg=(30.0, 0.0)), depth_unit_mm=1.0)


def synthetic_shots(model: str, seed: int) -> Shots:
    """The same at the virtual table: the disc on a 4 x 6 grid."""
    rng = np.random.default_rng(seed)
    camera = board_camera()
    sensor = make_sensor(model, camera, rng, replace(draw_faults(rng), ripple_share=REAL_RIPPLE))
    images, centres = [], []
    for y in (150.0, 60.0, -30.0, -120.0):
        for x in (175.0, 105.0, 35.0, -35.0, -105.0, -175.0):
            images.append(shoot(board_scene(x, y), camera, sensor, rng, 1, color=False)[0].depth)
            foot = camera.T_depth_table @ [x, y, DISC_HEIGHT_MM, 1.0]
            centres.append(camera.depth.project(foot[:3]))
    gain = camera.disparity_gain
    disparity = (gain / m.to_depth(images, 1.0)).astype(np.float32)
    mean = m.seen_median(disparity)
    at = np.zeros(mean.shape, dtype=bool)
    at[200:600, 400:900] = True
    mask = m.table_mask(mean, at, 2.0, 18)
    mask[:, :180] = mask[:, 1150:] = False
    K = camera.depth
    return Shots(disparity, mask, np.array(centres), (K.fx, K.fy, K.cx, K.cy), gain, 1.0)


def stick_share(model: str, name: str, size: tuple[int, int], seed: int) -> float:
    """Share of its height that a 10 mm stick lying on the table, 0.7 m away, shows along its middle.

    Mean of many sticks in two directions, against the same table empty, frame noise left out, at heights that differ
    by a part of a pixel (at a single one the pull to whole disparities would be taken for the kernel's work).
    """
    height = 2.0
    shares = []
    for lying, z_mm in product((True, False), (692.0, 700.0, 708.0)):
        camera = VirtualCamera(camera_model(name), pose_over_table(z_mm), size=size)
        step = (150.0, 40.0) if lying else (40.0, 150.0)
        places = [(step[0] * i + 20, step[1] * j) for i in (-1, 0, 1) for j in (-1, 0, 1)]
        half = (57.0, 0.0) if lying else (0.0, 57.0)
        sticks = tuple(
            StickBody(f"r{k}", ((x - half[0], y - half[1], height), (x + half[0], y + half[1], height)), 10.0, height)
            for k, (x, y) in enumerate(places)
        )
        sensor = make_sensor(model, camera, np.random.default_rng([seed, 1]), NO_FAULTS)
        table = TableBody("white")
        seen, bare = (
            shoot(scene, camera, sensor, np.random.default_rng(2), 1, color=False)[0].depth * camera.depth_unit_mm
            for scene in (Scene(sticks=sticks, table=table), Scene(table=table))
        )
        rise = np.where((seen > 0) & (bare > 0), bare - seen, np.nan)
        n = int(25 * camera.depth.fx / z_mm)
        for x, y in places:
            u, v = (round(float(c)) for c in camera.depth.project((camera.T_depth_table @ [x, y, 0.0, 1.0])[:3]))
            line = rise[v, u - n : u + n] if lying else rise[v - n : v + n, u]
            shares.append(float(np.nanmean(line)) / height)
    return float(np.mean(shares))


def edges_of_a_box(model: str, seed: int) -> dict[str, float]:
    """How far a box 40 mm high grows over the table, and its shadow (D415 at 600 mm), native px."""
    rng = np.random.default_rng(seed)
    camera = VirtualCamera(camera_model("D415"), pose_over_table(600.0))
    sensor = make_sensor(model, camera, rng)
    outline = ((-40.0, -30.0), (40.0, -30.0), (40.0, 30.0), (-40.0, 30.0))
    scene = Scene(foreign=(ForeignBody(outline, BOX_HEIGHT_MM),))
    depth = shoot(scene, camera, sensor, rng, 1, color=False)[0].depth * camera.depth_unit_mm
    top = camera.depth.project(np.array([[x, -y, 600.0 - BOX_HEIGHT_MM] for x, y in outline]))
    left, right, upper, lower = top[:, 0].min(), top[:, 0].max(), top[:, 1].min(), top[:, 1].max()
    high = (depth > 0) & (depth < 600.0 - BOX_HEIGHT_MM / 2)
    rows, columns = range(int(upper) + 15, int(lower) - 15), range(int(left) + 15, int(right) - 15)
    grown = {
        "left": [left - np.nonzero(high[v])[0][0] for v in rows],
        "right": [np.nonzero(high[v])[0][-1] - right for v in rows],
        "top": [upper - np.nonzero(high[:, u])[0][0] for u in columns],
        "bottom": [np.nonzero(high[:, u])[0][-1] - lower for u in columns],
    }
    step = camera.disparity_gain * (1 / (600.0 - BOX_HEIGHT_MM) - 1 / 600)
    shadow = [np.sum(depth[v, int(left) - 40 : int(left)] == 0) / step for v in rows]
    out = {f"fattening {side}, px": float(np.mean(v)) for side, v in grown.items()}
    sideways = grown["left"] + grown["right"]
    out["fattening sideways, 5 % quantile, px"] = float(np.percentile(sideways, 5))
    out["fattening sideways, 95 % quantile, px"] = float(np.percentile(sideways, 95))
    out["shadow width, share of the disparity step"] = float(np.mean(shadow))
    return out


def real_shadow(folder: Path) -> float:
    """Shadow of the real box (D435i, depth aligned to colour), share of the disparity step.

    Aligned depth has the right imager's shadow and the colour camera's, one beside the other: both bases count.
    """
    model = camera_model("D435")
    depth = cv2.imread(str(folder / "00000000-depth.png"), -1).astype(float)
    color = cv2.imread(str(folder / "00000000-rgb.png")).astype(int)
    h, w = depth.shape
    fx = model.color_fx * h / model.color_size[1]
    teal = color[..., 1] - color[..., 2] > BOX_GREENER
    rows, columns = BOX_ROWS, slice(w // 2 - 60, w // 2 + 110)
    shares = []
    for v in range(*rows, 3):
        inside = np.flatnonzero(teal[v, columns]) + columns.start
        left, right = int(inside[0]), int(inside[-1])
        near = np.median(depth[v, left + 20 : right - 20])
        wall = depth[v, left - 90 : left - 40]
        far = np.median(wall[wall > 0])
        box = np.flatnonzero((depth[v, left - 15 :] > 0) & (depth[v, left - 15 :] < near + 25))[0] + left - 15
        step = fx * (model.baseline_mm + model.color_x_mm) * (1 / near - 1 / far)
        shares.append(float((depth[v, left - 40 : box] == 0).sum()) / step)
    return float(np.median(shares))


def quiet() -> None:
    """No warnings about pixels that no shot sees."""
    warnings.filterwarnings("ignore", message="(Mean of empty|All-NaN) slice")
    warnings.filterwarnings("ignore", message="Degrees of freedom")
