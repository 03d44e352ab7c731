"""Realism of the virtual sensor: the same measures on real D415 frames and on synthetic ones of the same kind.

    python -m bench.realism [--real DIR] [--models fast,stereo] [--seeds 1,2,3]

Prints a table: real value, the median over the seeds for each model of the sensor, the range stated for the sensor,
and whether a model's value lies within 30 % of the real one or in that range. Exit status 1 where one does not.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
from pathlib import Path

import numpy as np

from bench import measures as m
from bench.disc_edges import rim_sigma_px
from bench.realism_frames import (
    Shots,
    edges_of_a_box,
    quiet,
    real_shadow,
    real_shots,
    stick_share,
    synthetic_shots,
)

BINS_MM = [620.0, 670.0, 730.0, 780.0, 830.0]
WINDOW_PX = 30
NEAR = 0.3
SHADOW = "shadow width, share of the disparity step"

# Stated for the sensor, or 30 % around a single stated figure; the two quantiles allow a pixel around 2-8 px.
RANGES = {
    "temporal sd, px": (0.03, 0.13),
    "sd of a mean of 4, share of one": (0.45, 0.60),
    "sd of a mean of 12, share of one": (0.26, 0.42),
    "fixed pattern (finer than 10 px), px": (0.04, 0.09),
    "ripple peak to peak, share of Z": (0.005, 0.012),
    "holes on the plane, share": (0.0, 0.03),
    "drift over the session, mm": (0.0, 2.0),
    "ACF half-width horizontal, px": (5.0, 9.0),
    "ACF half-width vertical, px": (4.0, 6.0),
    "pixel locking, px": (0.01, 0.05),
    "fattening left, px": (2, 8),
    "fattening right, px": (2, 8),
    "fattening top, px": (1, 4),
    "fattening bottom, px": (1, 4),
    "fattening sideways, 5 % quantile, px": (0.8, 4),
    "fattening sideways, 95 % quantile, px": (6, 9),
    SHADOW: (0.7, 1.3),
}
SHARES = {("D415", (1280, 720)): 0.88, ("D435", (1280, 720)): 0.71, ("D435", (848, 480)): 0.52}


def measure(shots: Shots) -> dict[str, float]:
    """All figures of one set of shots."""
    clean = shots.without_disc()
    mean = np.nanmean(clean, axis=0).astype(np.float32)
    plane = m.plane_fit(mean, shots.mask)
    z = shots.gain / plane
    residual = m.temporal(clean, shots.mask)
    sd = m.robust_sd(residual[:, shots.mask])
    out = {}
    for at, value in zip(BINS_MM, m.sd_by_distance(residual * z**2 / shots.gain, z, shots.mask, BINS_MM), strict=True):
        out[f"temporal sd at {at:.0f} mm, mm"] = value
    side = round(WINDOW_PX * shots.scale)
    local = m.local_plane_sd(clean * z**2 / shots.gain, z, shots.mask, BINS_MM, side)
    for at, value in zip(BINS_MM, local, strict=True):
        out[f"sd to a local plane at {at:.0f} mm, mm"] = value
    out["temporal sd, px"] = sd
    out["ACF half-width horizontal, px"], out["ACF half-width vertical, px"] = m.acf_half_widths(
        residual, shots.mask, shots.scale
    )
    for n in (4, 12):
        out[f"sd of a mean of {n}, share of one"] = m.averaging(residual, shots.mask, n)
    seen = int(np.median(np.isfinite(clean[:, shots.mask]).sum(axis=0)))
    out["fixed pattern (finer than 10 px), px"] = m.fixed_pattern(mean, shots.mask, sd, seen, shots.scale)
    out["ripple peak to peak, share of Z"] = m.ripple(mean, shots.mask, shots.scale)
    out["pixel locking, px"] = m.pixel_locking(mean, plane, shots.mask, shots.scale)
    offsets = [float(np.nanmean((c - mean)[shots.mask])) * 730**2 / shots.gain for c in clean]
    out["drift over the session, mm"] = float(np.ptp(offsets))
    out["holes on the plane, share"] = float(np.isnan(shots.disparity[:, shots.mask]).mean())
    return out | discs(shots, mean, plane)


def discs(shots: Shots, mean: m.Floats, plane: m.Floats) -> dict[str, float]:
    """What the 24 places of the disc say: repeatability of its height, its rim, its size."""
    points, along = m.plane_geometry(plane, shots.gain, shots.K)
    readings = [
        m.read_disc(shot, mean, m.plane_fit(shot, shots.mask), shots.gain, points, along, (int(c[0]), int(c[1])))
        for shot, c in zip(shots.disparity, shots.centres, strict=True)
    ]
    rough, around, mapped = (
        float(np.std([getattr(r, k) for r in readings])) for k in ("plane_mm", "ring_mm", "map_mm")
    )
    sideways, upright = rim_sigma_px(shots, mean, points, along)
    return {
        "disc height over one plane: sd, mm": rough,
        "disc height, ring around: sd, mm": around,
        "disc height, empty map: sd, mm": mapped,
        "gain of the empty map": rough / mapped,
        "disc height, empty map: mean, mm": float(np.mean([r.map_mm for r in readings])),
        "disc rim sigma horizontal, px": sideways,
        "disc rim sigma vertical, px": upright,
        "disc radius at half height, mm": float(np.nanmedian([r.radius_mm for r in readings])),
    }


def virtual(model: str, seeds: list[int]) -> dict[str, list[float]]:
    """Every figure of a model, a value for each seed."""
    out: dict[str, list[float]] = {}
    for seed in seeds:
        figures = measure(synthetic_shots(model, seed)) | edges_of_a_box(model, seed)
        figures |= {share_name(name, size): stick_share(model, name, size, seed) for name, size in SHARES}
        for name, value in figures.items():
            out.setdefault(name, []).append(value)
    return out


def share_name(name: str, size: tuple[int, int]) -> str:
    """How the share of a stick's height is called in the table."""
    return f"share of a 10 mm stick, {name} {size[0]}x{size[1]}"


def agrees(name: str, value: float, real: dict[str, float]) -> bool:
    """Whether a figure lies within 30 % of the real one, or in the stated range."""
    low, high = RANGES.get(name, (math.nan, math.nan))
    target = real.get(name, math.nan)
    return low <= value <= high or abs(value / target - 1) <= NEAR if target else low <= value <= high


def say(line: str) -> None:
    """A line of the table."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main() -> int:
    """Print the table; 1 where something does not agree."""
    parser = argparse.ArgumentParser(description=__doc__)
    default = os.environ.get("TH_VISION_REALDATA", "realdata")
    parser.add_argument("--real", type=Path, default=Path(default) / "d415_discs_board")
    parser.add_argument("--models", default="fast,stereo")
    parser.add_argument("--seeds", default="1,2,3")
    args = parser.parse_args()
    quiet()
    models, seeds = args.models.split(","), [int(text) for text in args.seeds.split(",")]
    real = measure(real_shots(args.real)) if (args.real / "camera.json").exists() else {}
    if not real:
        sys.stderr.write(f"{args.real}: no real frames here; comparing with the stated ranges alone\n")
    box = args.real.parent / "d435i_tags_floor"
    if box.is_dir():
        real[SHADOW] = real_shadow(box)
    stated = real | {share_name(*key): value for key, value in SHARES.items()}
    found = {model: virtual(model, seeds) for model in models}
    bad = 0
    columns = "".join(f" {model + ' (' + str(len(seeds)) + ' seeds)':>28}      " for model in models)
    say(f"{'measure':44} {'real':>8} {'stated':>14}{columns}")
    for name in found[models[0]]:
        low, high = RANGES.get(name, (math.nan, math.nan))
        line = f"{name:44} {stated.get(name, math.nan):8.3f} {f'{low:g} - {high:g}' if name in RANGES else '':>14}"
        for model in models:
            values = found[model][name]
            value = float(np.median(values))
            known = name in stated or name in RANGES
            good = agrees(name, value, stated) or not known
            bad += not good
            line += f" {value:10.3f} ({min(values):7.3f} to {max(values):7.3f}) {'yes' if good else 'NO':>4}"
        say(line)
    return 1 if bad else 0


if __name__ == "__main__":
    raise SystemExit(main())
