"""Realism of the virtual sensor: the same measures on real D415 frames and on synthetic ones of the same kind.

    python -m bench.realism [--real DIR] [--seed N]

Prints a table: real value, synthetic value, range stated for the sensor, and whether they agree within 30 % (or lie
in the range). Exit status 1 if one does not.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np

from bench import measures as m
from rules.pieces import Pieces
from th_vision.virtual_table.cameras import VirtualCamera, camera_model, pose_over_table
from th_vision.virtual_table.scene import ForeignBody, Scene, StickBody, TableBody
from th_vision.virtual_table.sensor import NO_FAULTS, Sensor, draw_faults, shoot
from th_vision.virtual_table.shapes import circle

DISC_RADIUS_MM, DISC_HEIGHT_MM = 25.0, 5.4
REAL_GAIN, REAL_FX = 52.3e3, 943.0
BINS_MM = [620.0, 670.0, 730.0, 780.0, 830.0]


@dataclass(frozen=True)
class Shots:
    """Shots of one disc at many places on a plane: disparity (n, h, w) px, the plane's mask, disc centres (n, 2) px."""

    disparity: m.Floats
    mask: m.Mask
    centres: np.ndarray
    K: tuple[float, float, float, float]
    gain: float
    scale: float


def real_shots(folder: Path) -> Shots:
    """The 24 shots of a disc on a white board (D415, depth aligned to colour)."""
    camera = json.loads((folder / "camera.json").read_text())
    K = np.array(camera["K_color"])
    stack = m.to_depth([cv2.imread(str(folder / f"depth_{k:02d}.png"), -1) for k in range(24)], camera["depth_unit_mm"])
    disparity = (REAL_GAIN / stack).astype(np.float32)
    colors = [cv2.imread(str(folder / f"color_{k:02d}.jpg")) for k in range(24)]
    scale = K[0, 0] / REAL_FX
    mean = np.nanmedian(disparity, axis=0).astype(np.float32)
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


def synthetic_shots(seed: int) -> Shots:
    """The same at the virtual table: D415 tilted 30 deg, white surface, 1 mm unit, the disc on a 4 x 6 grid."""
    rng = np.random.default_rng(seed)
    pose = pose_over_table(740.0, tilt_deg=(30.0, 0.0))
    camera = VirtualCamera(camera_model("D415"), pose, depth_unit_mm=1.0)
    sensor = Sensor(camera, rng, replace(draw_faults(rng), ripple_share=0.011))
    table = Scene(pieces=Pieces(), table=TableBody("white"))
    images, centres = [], []
    for y in (150.0, 60.0, -30.0, -120.0):
        for x in (175.0, 105.0, 35.0, -35.0, -105.0, -175.0):
            outline = tuple((float(a), float(b)) for a, b in circle(x, y, DISC_RADIUS_MM))
            scene = replace(table, foreign=(ForeignBody(outline, DISC_HEIGHT_MM, "#a8643c"),))
            images.append(shoot(scene, camera, sensor, rng, 1, color=False)[0].depth)
            foot = pose @ [x, y, DISC_HEIGHT_MM, 1.0]
            centres.append(camera.depth.project(foot[:3]))
    stack = m.to_depth(images, 1.0)
    gain = camera.disparity_gain
    disparity = (gain / stack).astype(np.float32)
    mean = np.nanmedian(disparity, axis=0).astype(np.float32)
    at = np.zeros(mean.shape, dtype=bool)
    at[200:600, 400:900] = True
    mask = m.table_mask(mean, at, 2.0, 18)
    mask[:, :180] = mask[:, 1150:] = False
    K = camera.depth
    return Shots(disparity, mask, np.array(centres), (K.fx, K.fy, K.cx, K.cy), gain, 1.0)


def measure(shots: Shots) -> dict[str, float]:
    """All figures of one set of shots."""
    h, w = shots.mask.shape
    v, u = np.mgrid[:h, :w]
    clean = shots.disparity.copy()
    for k, (cu, cv) in enumerate(shots.centres):
        clean[k][(u - cu) ** 2 + (v - cv) ** 2 < (78 * shots.scale) ** 2] = np.nan
    mean = np.nanmean(clean, axis=0).astype(np.float32)
    plane = m.plane_fit(mean, shots.mask)
    z = shots.gain / plane
    residual = m.temporal(clean, shots.mask)
    sd = m.robust_sd(residual[:, shots.mask])
    out = {}
    for at, value in zip(BINS_MM, m.sd_by_distance(residual * z**2 / shots.gain, z, shots.mask, BINS_MM), strict=True):
        out[f"temporal sd at {at:.0f} mm, mm"] = value
    out["temporal sd, px"] = sd
    out["ACF half-width horizontal, px"], out["ACF half-width vertical, px"] = m.acf_half_widths(
        residual, shots.mask, shots.scale
    )
    for n in (4, 12):
        out[f"sd of a mean of {n}, share of one"] = m.averaging(residual, shots.mask, n)
    fine = mean - m.blurred(mean, shots.mask, 10 * shots.scale)
    out["fixed pattern (finer than 10 px), px"] = math.sqrt(max(m.robust_sd(fine[shots.mask]) ** 2 - sd**2 / 22, 0))
    out["ripple peak to peak, share of Z"] = m.ripple(mean, shots.mask, shots.scale)
    offsets = [float(np.nanmean((c - mean)[shots.mask])) * 730**2 / shots.gain for c in clean]
    out["drift over the session, mm"] = float(np.ptp(offsets))
    out["holes on the plane, share"] = float(np.isnan(shots.disparity[:, shots.mask]).mean())
    points, along = m.plane_geometry(plane, shots.gain, shots.K)
    readings = [
        m.read_disc(shot, mean, m.plane_fit(shot, shots.mask), shots.gain, points, along, (int(c[0]), int(c[1])))
        for shot, c in zip(shots.disparity, shots.centres, strict=True)
    ]
    out["disc height over one plane: sd, mm"] = float(np.std([r.plane_mm for r in readings]))
    out["disc height, ring around: sd, mm"] = float(np.std([r.ring_mm for r in readings]))
    out["disc height, empty map: sd, mm"] = float(np.std([r.map_mm for r in readings]))
    out["disc height, empty map: mean, mm"] = float(np.mean([r.map_mm for r in readings]))
    out["disc edge sigma, mm"] = float(np.nanmedian([r.edge_sigma_mm for r in readings]))
    out["disc radius at half height, mm"] = float(np.nanmedian([r.radius_mm for r in readings]))
    return out


def stick_share(model: str, size: tuple[int, int], z_mm: float = 700.0) -> float:
    """Share of its height that a 10 mm stick lying on the table shows along its middle, mean of two directions."""
    shares = []
    for along in ((1.0, 0.0), (0.0, 1.0)):
        pose = pose_over_table(z_mm)
        camera = VirtualCamera(camera_model(model), pose, size=size)
        height = 2.0
        ends = tuple((57 * s * along[0], 57 * s * along[1], height) for s in (-1, 1))
        stick = StickBody("r1", (ends[0], ends[1]), 10.0, height)
        sensor = Sensor(camera, np.random.default_rng(1), NO_FAULTS)
        frame = shoot(Scene(sticks=(stick,)), camera, sensor, np.random.default_rng(2), 1, color=False)[0]
        z = frame.depth.astype(np.float64) * camera.depth_unit_mm
        middle = camera.depth.project(np.array([0.0, 0.0, z_mm]))
        u, v = (round(float(c)) for c in middle)
        n = int(25 * camera.depth.fx / z_mm)
        line = z[v, u - n : u + n] if along[0] else z[v - n : v + n, u]
        empty = shoot(Scene(), camera, sensor, np.random.default_rng(2), 1, color=False)[0].depth * camera.depth_unit_mm
        bare = empty[v, u - n : u + n] if along[0] else empty[v - n : v + n, u]
        shares.append(float(np.mean(bare - line)) / height)
    return float(np.mean(shares))


def edges_of_a_box(seed: int) -> dict[str, float]:
    """How far a box 40 mm high grows over the table, and its shadow (D415 at 600 mm), native px."""
    rng = np.random.default_rng(seed)
    camera = VirtualCamera(camera_model("D415"), pose_over_table(600.0))
    sensor = Sensor(camera, rng)
    outline = ((-40.0, -30.0), (40.0, -30.0), (40.0, 30.0), (-40.0, 30.0))
    scene = Scene(foreign=(ForeignBody(outline, 40.0),))
    depth = shoot(scene, camera, sensor, rng, 1, color=False)[0].depth * camera.depth_unit_mm
    top = camera.depth.project(np.array([[x, -y, 560.0] for x, y in outline]))
    left, right, upper, lower = top[:, 0].min(), top[:, 0].max(), top[:, 1].min(), top[:, 1].max()
    high = (depth > 0) & (depth < 580)
    rows, columns = range(int(upper) + 15, int(lower) - 15), range(int(left) + 15, int(right) - 15)
    grown = {
        "left": [left - np.nonzero(high[v])[0][0] for v in rows],
        "right": [np.nonzero(high[v])[0][-1] - right for v in rows],
        "top": [upper - np.nonzero(high[:, u])[0][0] for u in columns],
        "bottom": [np.nonzero(high[:, u])[0][-1] - lower for u in columns],
    }
    step = camera.disparity_gain * (1 / 560 - 1 / 600)
    shadow = [np.sum(depth[v, int(left) - 40 : int(left)] == 0) / step for v in rows]
    out = {f"fattening {side}, px": float(np.mean(v)) for side, v in grown.items()}
    out["fattening sideways, 5 % and"] = float(np.percentile(grown["left"] + grown["right"], 5))
    out["fattening sideways, 95 %, px"] = float(np.percentile(grown["left"] + grown["right"], 95))
    out["shadow width, share of the disparity step"] = float(np.mean(shadow))
    return out


# Stated for the sensor, or 30 % around a single stated figure; the two quantiles allow a pixel around 2-8 px.
RANGES = {
    "sd of a mean of 4, share of one": (0.45, 0.60),
    "sd of a mean of 12, share of one": (0.26, 0.42),
    "fixed pattern (finer than 10 px), px": (0.04, 0.09),
    "ripple peak to peak, share of Z": (0.005, 0.012),
    "holes on the plane, share": (0.0, 0.03),
    "drift over the session, mm": (0.0, 2.0),
    "disc edge sigma, mm": (3.2, 8.4),
    "ACF half-width horizontal, px": (5.0, 9.0),
    "ACF half-width vertical, px": (4.0, 6.5),
    "fattening left, px": (2, 8),
    "fattening right, px": (2, 8),
    "fattening top, px": (1, 4),
    "fattening bottom, px": (1, 4),
    "fattening sideways, 5 % and": (0.8, 4),
    "fattening sideways, 95 %, px": (6, 9),
    "shadow width, share of the disparity step": (0.7, 1.3),
}
SHARES = {("D415", (1280, 720)): 0.88, ("D435", (1280, 720)): 0.71, ("D435", (848, 480)): 0.52}


def say(line: str) -> None:
    """A line of the table."""
    sys.stdout.write(line + "\n")


def main() -> int:
    """Print the table; 1 where something does not agree."""
    parser = argparse.ArgumentParser(description=__doc__)
    default = os.environ.get("TH_VISION_REALDATA", "realdata")
    parser.add_argument("--real", type=Path, default=Path(default) / "d415_discs_board")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    synthetic = measure(synthetic_shots(args.seed)) | edges_of_a_box(args.seed)
    real = measure(real_shots(args.real)) if (args.real / "camera.json").exists() else {}
    if not real:
        sys.stderr.write(f"{args.real}: no real frames here; comparing with the stated ranges alone\n")
    bad = 0
    say(f"{'measure':44} {'real':>9} {'synthetic':>9} {'range':>15}  agrees")
    for name, value in synthetic.items():
        low, high = RANGES.get(name, (math.nan, math.nan))
        within = low <= value <= high
        near = name in real and abs(value / real[name] - 1) <= 0.3 if real.get(name) else False
        bad += not (within or near) and (bool(real) or name in RANGES)
        shown = f"{low:g} - {high:g}" if name in RANGES else ""
        say(f"{name:44} {real.get(name, math.nan):9.4f} {value:9.4f} {shown:>15}  {'yes' if within or near else 'NO'}")
    for (model, size), stated in SHARES.items():
        value = stick_share(model, size)
        near = abs(value / stated - 1) < 0.1
        bad += not near
        name = f"share of a 10 mm stick, {model} {size[0]}x{size[1]}"
        say(f"{name:44} {stated:9.2f} {value:9.2f} {'':>15}  {'yes' if near else 'NO'}")
    return 1 if bad else 0


if __name__ == "__main__":
    raise SystemExit(main())
