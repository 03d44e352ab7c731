"""The SDK's distortion models as the one that the rest of this program uses: Brown-Conrady, as OpenCV orders it.

Definitions: librealsense ``rsutil.h``, where a point is projected (that is right; taking a pixel back is not, in all
models). *Brown-Conrady* is OpenCV's. In the *modified* one, tangential distortion sees the ray already bent by the
radial one. What is called *inverse* Brown-Conrady, as a D400 says of its colour, is projected by the SDK in the same
way as the modified one, its numbers not inverted. Kannala-Brandt and F-Theta are for wide lenses. Where a model
differs, Brown-Conrady is fitted to it over the whole picture, and the rest is returned.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from th_vision.errors import VisionError
from th_vision.live.backend import Lens

Array = NDArray[np.float64]
Coefficients = tuple[float, float, float, float, float]

_GRID = 41  # points of the fit in each direction
_STEPS = 30  # of the inversion of a model; each is some ten times nearer


def brown_conrady(lens: Lens) -> tuple[Coefficients, float]:
    """(k1, k2, p1, p2, k3) of ``lens``, and the largest error of that over the picture, px (0: the same model).

    Raises:
        VisionError: a model that is not known, or one that Brown-Conrady can't follow at all.
    """
    model = _plain(lens.model)
    coeffs = np.zeros(5)
    coeffs[: min(5, len(lens.coeffs))] = lens.coeffs[:5]
    if model == "none" or not coeffs.any():
        return (0.0, 0.0, 0.0, 0.0, 0.0), 0.0
    if model == "brown conrady":
        k1, k2, p1, p2, k3 = (float(c) for c in coeffs)
        return (k1, k2, p1, p2, k3), 0.0
    bent = _grid(lens)
    if model not in _FORWARD:
        raise VisionError(f"{lens.model}: a distortion model that is not known; report the camera's name")
    rays = _undone(bent, coeffs, model)
    found, left = _fitted(rays, bent)
    error_px = float(np.abs(left * [lens.fx, lens.fy]).max())
    if not np.isfinite(error_px):
        raise VisionError(f"{lens.model} {lens.coeffs}: these numbers describe no lens; calibrate the camera anew")
    k1, k2, p1, p2, k3 = found
    return (k1, k2, p1, p2, k3), error_px


def _plain(model: str) -> str:
    return model.split(".")[-1].replace("_", " ").replace("-", " ").lower().strip()


def _grid(lens: Lens) -> Array:
    """(n, 2) points of the picture, pixels taken back by focal length and centre."""
    u, v = np.meshgrid(np.linspace(0, lens.width - 1, _GRID), np.linspace(0, lens.height - 1, _GRID))
    return np.stack([(u.ravel() - lens.ppx) / lens.fx, (v.ravel() - lens.ppy) / lens.fy], axis=-1)


def _modified(xy: Array, c: Array) -> Array:
    r2 = (xy * xy).sum(axis=1)
    x, y = (xy * (1 + r2 * (c[0] + r2 * (c[1] + r2 * c[4])))[:, None]).T
    return np.stack(
        [x + 2 * c[2] * x * y + c[3] * (r2 + 2 * x * x), y + c[2] * (r2 + 2 * y * y) + 2 * c[3] * x * y], axis=-1
    )


def _kannala_brandt(xy: Array, c: Array) -> Array:
    r = np.hypot(*xy.T)
    angle = np.arctan(r)
    a2 = angle * angle
    bent = angle * (1 + a2 * (c[0] + a2 * (c[1] + a2 * (c[2] + a2 * c[3]))))
    return np.asarray(xy * np.where(r > 1e-9, bent / np.maximum(r, 1e-9), 1.0)[:, None], dtype=np.float64)


def _ftheta(xy: Array, c: Array) -> Array:
    r = np.hypot(*xy.T)
    bent = np.arctan(2 * r * np.tan(c[0] / 2)) / c[0]
    return np.asarray(xy * np.where(r > 1e-9, bent / np.maximum(r, 1e-9), 1.0)[:, None], dtype=np.float64)


_FORWARD = {
    "modified brown conrady": _modified,
    "inverse brown conrady": _modified,
    "kannala brandt4": _kannala_brandt,
    "ftheta": _ftheta,
}


def _undone(bent: Array, coeffs: Array, model: str) -> Array:
    """The rays that a model bends to ``bent``: corrected by what is left, until nothing is."""
    rays = bent.copy()
    for _ in range(_STEPS):
        rays += bent - _FORWARD[model](rays, coeffs)
    return rays


def _fitted(rays: Array, bent: Array) -> tuple[list[float], Array]:
    """Brown-Conrady is linear in its numbers, the rays being known: least squares, and what is left."""
    x, y = rays.T
    r2 = x * x + y * y
    columns = np.stack(
        [
            np.concatenate([x * r2, y * r2]),
            np.concatenate([x * r2**2, y * r2**2]),
            np.concatenate([2 * x * y, r2 + 2 * y * y]),
            np.concatenate([r2 + 2 * x * x, 2 * x * y]),
            np.concatenate([x * r2**3, y * r2**3]),
        ],
        axis=1,
    )
    target = np.concatenate(bent.T - rays.T)
    found = np.linalg.lstsq(columns, target, rcond=None)[0]
    left = (target - columns @ found).reshape(2, -1).T
    return [float(value) for value in found], left
