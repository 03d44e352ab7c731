"""From what a camera says of itself to the camera model that frames are measured with."""

from __future__ import annotations

import numpy as np

from calibration.camera import BASELINES_MM, DEFAULT_BASELINE_MM, Camera, Intrinsics
from th_vision.errors import VisionError
from th_vision.live.backend import DeviceFacts, Lens
from th_vision.live.distortion import brown_conrady
from th_vision.sources.folder_header import model_name
from th_vision.tolerances import ROTATION_TOLERANCE


def camera_of(facts: DeviceFacts, name: str) -> Camera:
    """The camera, lengths in mm; ``name`` is the source's, for messages.

    Raises:
        VisionError: a depth unit, a pose or a lens that can't be.
    """
    if not 0 < facts.depth_unit_m <= 0.1:
        raise VisionError(f"{name}: the depth unit is {facts.depth_unit_m:g} m, which can't be; record it again")
    T = np.array(facts.T_color_depth, dtype=np.float64)
    if T.shape != (4, 4) or np.abs(T[:3, :3] @ T[:3, :3].T - np.eye(3)).max() > ROTATION_TOLERANCE:
        raise VisionError(f"{name}: colour's place beside depth is no rotation and translation; calibrate the camera")
    # Recordings keep six decimals: the nearest true rotation is as good as the one that was.
    left, _, right = np.linalg.svd(T[:3, :3])
    T[:3, :3] = left @ right
    T[:3, 3] *= 1000
    model = model_name(facts.name)
    return Camera(
        model=model,
        depth=intrinsics_of(facts.depth),
        color=None if facts.color is None else intrinsics_of(facts.color),
        T_color_depth=T,
        depth_unit_mm=float(f"{facts.depth_unit_m * 1000:.6g}"),  # the SDK has it as float32
        baseline_mm=BASELINES_MM.get(model, DEFAULT_BASELINE_MM),
        serial=facts.serial,
    )


def intrinsics_of(lens: Lens) -> Intrinsics:
    """A lens as the camera model has it."""
    coeffs, _ = brown_conrady(lens)
    return Intrinsics(lens.width, lens.height, lens.fx, lens.fy, lens.ppx, lens.ppy, coeffs)


def plain_lens(one: Intrinsics) -> Lens:
    """The other way: what an SDK camera with these intrinsics says of itself."""
    return Lens(one.width, one.height, one.fx, one.fy, one.cx, one.cy, "brown_conrady", one.distortion)
