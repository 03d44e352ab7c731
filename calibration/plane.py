"""The table's plane from depth.

A plane a*X + b*Y + c*Z = 1 (camera frame, mm) seen along the ray (x, y, 1) lies at 1/Z = a*x + b*y + c: disparity,
which goes with 1/Z, is affine over the pixels. So the fit is linear in disparity, where the noise is even too.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from calibration.camera import Camera, Intrinsics
from calibration.errors import CalibrationError
from calibration.tolerances import TOLERANCES

Array = NDArray[np.float64]
Map = NDArray[np.float32]

_FIT_PIXELS = 40_000  # pixels that take part in a fit; neighbours are correlated, more would only cost time
_VOTE_PIXELS = 6_000  # pixels that vote on which of the candidate planes to start from
_TUKEY = 4.685  # biweight constant: 95 % efficient for Gaussian residuals


@dataclass(frozen=True)
class PlaneFit:
    """A plane in the depth camera's frame: ``coefficients`` . (X, Y, Z) = 1, X, Y, Z in mm.

    ``covariance``: 3x3, of the coefficients, residuals within a ripple's wavelength taken as one sample.
    ``residual_mm``: robust rms of the table's pixels about the plane; ``ripple_mm``: half the span of the smoothed
    residuals (2nd to 98th percentile); ``pixels``: how many pixels of the grid lie on the plane; ``share``: of those
    with depth (inside the mask).
    """

    coefficients: Array
    covariance: Array
    residual_mm: float
    ripple_mm: float
    pixels: int
    share: float

    @property
    def distance_mm(self) -> float:
        """Distance of the plane from the camera's centre."""
        return float(1.0 / np.linalg.norm(self.coefficients))

    @property
    def normal(self) -> Array:
        """(3,) unit normal, pointing to the camera's side of the plane."""
        return np.asarray(-self.coefficients * self.distance_mm, dtype=np.float64)

    @property
    def tilt_deg(self) -> float:
        """Angle between the plane's normal and the optical axis."""
        return float(np.degrees(np.arccos(np.clip(-self.normal[2], -1.0, 1.0))))

    @property
    def sigma_distance_mm(self) -> float:
        """One standard deviation of the plane's distance, taken where the optical axis meets it."""
        z = 1.0 / self.coefficients[2]
        return float(np.sqrt(self.covariance[2, 2]) * z * z * np.cos(np.radians(self.tilt_deg)))

    @property
    def sigma_tilt_deg(self) -> float:
        """One standard deviation of the plane's direction (the larger of its two axes)."""
        d = self.distance_mm
        sigma = np.sqrt(np.maximum(np.diag(self.covariance)[:2], 0)) * d
        return float(np.degrees(sigma.max()))

    def disparity(self, camera: Camera) -> Map:
        """(h, w) float32 disparity of the plane in native pixels, over the whole depth grid; NaN beyond its horizon."""
        inverse_z = _rays_grid(camera.depth) @ self.coefficients
        return np.where(inverse_z > 0, camera.disparity_gain * inverse_z, np.nan).astype(np.float32)

    def raised(self, disparity_px: Map, camera: Camera) -> Map:
        """(h, w) float32 height above the plane, mm along its normal, of measured disparities; NaN without depth."""
        inverse_z = _rays_grid(camera.depth) @ self.coefficients
        with np.errstate(divide="ignore", invalid="ignore"):
            z = camera.disparity_gain / disparity_px
            return np.asarray((1.0 - z * inverse_z) * self.distance_mm, dtype=np.float32)


def disparity_from_depth(depth: NDArray[np.uint16], camera: Camera) -> Map:
    """(h, w) raw depth in the camera's units to float32 disparity in native pixels; 0 (no depth) becomes NaN."""
    with np.errstate(divide="ignore"):
        out = np.float32(camera.disparity_gain / camera.depth_unit_mm) / depth.astype(np.float32)
    out[depth == 0] = np.nan
    return out


def plane_from_depth(
    disparity_px: Map, camera: Camera, mask: NDArray[np.bool_] | None = None, start: Array | None = None
) -> PlaneFit:
    """Fit the dominant plane to an (h, w) disparity map (native pixels, NaN without depth).

    ``mask``: (h, w) True where the plane may be seen. ``start``: (3,) coefficients of a plane known roughly; without
    it the plane with most pixels is looked for. What lies further off than the gate (things on the table, the floor
    beside it) has no say; nearer residuals are weighted by Tukey's biweight. Raises CalibrationError where there is
    no plane.
    """
    if disparity_px.shape != (camera.depth.height, camera.depth.width):
        h, w = disparity_px.shape
        raise CalibrationError(
            f"depth picture of {w} x {h} pixels, but the camera's depth is {camera.depth.width} x {camera.depth.height}"
        )
    usable = np.isfinite(disparity_px) & (disparity_px > 0)
    if mask is not None:
        usable &= mask
    total = int(usable.sum())
    if total < TOLERANCES.min_plane_px:
        raise CalibrationError(
            f"only {total} pixels of the table have depth, {TOLERANCES.min_plane_px} are needed: "
            "look at distance, light and projector"
        )
    v, u = np.nonzero(usable)
    keep = slice(None, None, max(1, total // _FIT_PIXELS))
    pixels = np.stack([u[keep], v[keep]], axis=1).astype(np.float64)
    rays = camera.depth.rays(pixels)
    inverse_z = disparity_px[v[keep], u[keep]].astype(np.float64) / camera.disparity_gain
    plane = np.asarray(start, dtype=np.float64) if start is not None else _vote(pixels, rays, inverse_z)
    plane, weights = _fit(rays, inverse_z, plane)
    share = float((weights > 0).mean())
    if share < TOLERANCES.min_plane_share or share * total < TOLERANCES.min_plane_px:
        raise CalibrationError("no plane found in depth: the table must fill most of the view")
    residual = inverse_z - rays @ plane
    z = 1.0 / (rays @ plane)
    cos_tilt = plane[2] / float(np.linalg.norm(plane))
    residual_mm = residual * z * z * cos_tilt
    on_plane = weights > 0
    cell_px = TOLERANCES.ripple_cell_mm * camera.depth.fx / float(np.median(z[on_plane]))
    return PlaneFit(
        coefficients=plane,
        covariance=_covariance(pixels, rays, residual, weights, cell_px),
        residual_mm=float(np.sqrt(np.average(residual_mm[on_plane] ** 2))),
        ripple_mm=_ripple(pixels[on_plane], residual_mm[on_plane], cell_px / 4),
        pixels=int(share * total),
        share=share,
    )


def _gate(z_mm: Array | float) -> Array:
    """How far a pixel at distance z may lie from the plane and still belong to it, mm."""
    return np.maximum(TOLERANCES.plane_gate_mm, 3.0 * TOLERANCES.ripple_share * np.asarray(z_mm, dtype=np.float64))


def _vote(pixels: Array, rays: Array, inverse_z: Array) -> Array:
    """The candidate plane that most pixels lie on. Candidates: least squares over blocks of several sizes."""
    step = max(1, len(pixels) // _VOTE_PIXELS)
    vote_rays, vote_inverse = rays[::step], inverse_z[::step]
    low, span = pixels.min(axis=0), np.ptp(pixels, axis=0) + 1.0
    best: tuple[float, Array] | None = None
    for parts in (1, 2, 3, 4, 6, 8, 12):
        block = np.floor((pixels - low) / span * parts).astype(np.int64)
        number = block[:, 1] * parts + block[:, 0]
        order = np.argsort(number, kind="stable")
        edges = np.searchsorted(number[order], np.arange(parts * parts + 1))
        for first, last in pairwise(edges):
            members = order[first:last]
            if len(members) < 30:
                continue
            members = members[:: max(1, len(members) // 400)]
            plane = _least_squares(rays[members], inverse_z[members], np.ones(len(members)))
            ahead = vote_rays @ plane
            with np.errstate(divide="ignore", invalid="ignore"):
                z = np.where(ahead > 0, 1.0 / ahead, np.inf)
                off = np.abs((vote_inverse - ahead) * z * z) / _gate(z)
            score = float(np.maximum(0.0, 1.0 - np.nan_to_num(off, nan=9.0) ** 2).mean())
            if best is None or score > best[0]:
                best = (score, plane)
    if best is None:
        raise CalibrationError("no plane found in depth: too few pixels with depth lie together")
    return best[1]


def _fit(rays: Array, inverse_z: Array, plane: Array) -> tuple[Array, Array]:
    """Robust least squares from a rough plane: coefficients and weights (0 = not on the plane)."""
    weights = np.zeros(len(rays))
    for widen in (3.0, 2.0, 1.5, 1.0, 1.0, 1.0, 1.0, 1.0):
        ahead = rays @ plane
        with np.errstate(divide="ignore", invalid="ignore"):
            gate = np.where(ahead > 0, widen * _gate(1.0 / ahead) * ahead * ahead, 0.0)
        residual = inverse_z - ahead
        near = np.abs(residual) < gate
        if near.sum() < 10:
            break
        sigma = 1.4826 * float(np.median(np.abs(residual[near])))
        reach = np.minimum(gate, _TUKEY * sigma + 1e-12)
        weights = np.where(np.abs(residual) < reach, (1 - (residual / np.maximum(reach, 1e-12)) ** 2) ** 2, 0.0)
        plane = _least_squares(rays, inverse_z, weights)
    return plane, weights


def _least_squares(rays: Array, inverse_z: Array, weights: Array) -> Array:
    weighted = rays * weights[:, None]
    normal = weighted.T @ rays
    return np.asarray(np.linalg.lstsq(normal, weighted.T @ inverse_z, rcond=None)[0], dtype=np.float64)


def _covariance(pixels: Array, rays: Array, residual: Array, weights: Array, cell_px: float) -> Array:
    """Covariance with the residuals of one cell taken as fully correlated (clustered sandwich estimate)."""
    cell = np.floor(pixels / cell_px).astype(np.int64)
    _, number = np.unique(cell[:, 1] * 100_000 + cell[:, 0], return_inverse=True)
    score = rays * (weights * residual)[:, None]
    sums = np.stack([np.bincount(number, weights=score[:, i]) for i in range(3)], axis=1)
    count = max(len(sums), 4)
    bread = np.linalg.pinv((rays * weights[:, None]).T @ rays)
    return np.asarray(bread @ (sums.T @ sums) @ bread * count / (count - 3), dtype=np.float64)


def _ripple(pixels: Array, residual_mm: Array, cell_px: float) -> float:
    """Half the span of the residuals' means over small cells: slow waves stay, noise averages out."""
    cell = np.floor(pixels / max(cell_px, 1.0)).astype(np.int64)
    _, number = np.unique(cell[:, 1] * 100_000 + cell[:, 0], return_inverse=True)
    count = np.bincount(number)
    means = np.bincount(number, weights=residual_mm) / count
    means = means[count >= max(4, 0.3 * np.median(count))]
    low, high = np.percentile(means, [2, 98])
    return float(high - low) / 2


_GRIDS: dict[Intrinsics, Array] = {}


def _rays_grid(intrinsics: Intrinsics) -> Array:
    """(h, w, 3) rays of every pixel; the last few cameras' are kept, they are asked for in every frame."""
    if intrinsics not in _GRIDS:
        if len(_GRIDS) >= 2:
            _GRIDS.pop(next(iter(_GRIDS)))
        v, u = np.mgrid[0 : intrinsics.height, 0 : intrinsics.width].astype(np.float64)
        _GRIDS[intrinsics] = intrinsics.rays(np.stack([u, v], axis=-1))
    return _GRIDS[intrinsics]
