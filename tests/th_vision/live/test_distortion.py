"""The SDK's distortion models, followed by ours: the same pixel for the same ray, as the SDK itself counts it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from th_vision.errors import VisionError
from th_vision.live.backend import Lens
from th_vision.live.camera_model import intrinsics_of
from th_vision.live.distortion import brown_conrady

COEFFS = (-0.0546, 0.0633, 0.0005, -0.0003, -0.0203)  # as those of a D400's colour
MODELS = {
    "brown_conrady": COEFFS,
    "inverse_brown_conrady": COEFFS,
    "modified_brown_conrady": COEFFS,
    "none": COEFFS,
    "kannala_brandt4": (0.1, -0.02, 0.003, 0.0, 0.0),
    "ftheta": (0.6, 0.0, 0.0, 0.0, 0.0),
}


def lens(model: str, coeffs: Any) -> Lens:
    return Lens(1920, 1080, 1370.0, 1372.0, 955.0, 543.0, model, coeffs)


@pytest.mark.parametrize("model", MODELS)
def test_a_ray_meets_the_pixel_that_the_sdk_says(model: str) -> None:
    rs = pytest.importorskip("pyrealsense2", reason="no wheel of pyrealsense2 here")
    theirs = rs.intrinsics()
    one = lens(model, MODELS[model])
    theirs.width, theirs.height, theirs.fx, theirs.fy = one.width, one.height, one.fx, one.fy
    theirs.ppx, theirs.ppy = one.ppx, one.ppy
    theirs.model, theirs.coeffs = getattr(rs.distortion, model), list(one.coeffs)
    ours = intrinsics_of(one)
    worst = 0.0
    for x in np.linspace(-0.7, 0.7, 11):
        for y in np.linspace(-0.4, 0.4, 11):
            ray = [float(x), float(y), 1.0]
            pixel = rs.rs2_project_point_to_pixel(theirs, ray)
            worst = max(worst, float(np.abs(ours.project(np.array(ray)) - pixel).max()))
    _, left_px = brown_conrady(one)
    assert worst < left_px + 0.02, "what is left over is told"
    assert left_px < (0.05 if "brown" in model or model == "none" else 12), "those of D400 cameras are followed closely"


def test_the_same_model_is_taken_as_it_is() -> None:
    assert brown_conrady(lens("brown_conrady", COEFFS)) == (COEFFS, 0.0)
    assert brown_conrady(lens("distortion.brown_conrady", COEFFS))[0] == COEFFS
    assert brown_conrady(lens("Brown Conrady", COEFFS))[0] == COEFFS


@pytest.mark.parametrize("model", ["none", "inverse_brown_conrady", "modified_brown_conrady", "what_ever"])
def test_no_numbers_are_no_distortion(model: str) -> None:
    assert brown_conrady(lens(model, (0.0,) * 5)) == ((0.0,) * 5, 0.0)


def test_what_is_left_over_is_told() -> None:
    found, error_px = brown_conrady(lens("inverse_brown_conrady", COEFFS))
    assert found == pytest.approx(COEFFS, abs=1e-3)
    assert 0 < error_px < 0.05


def test_an_unknown_model_is_refused() -> None:
    with pytest.raises(VisionError, match="fisheye9: a distortion model that is not known"):
        brown_conrady(lens("fisheye9", COEFFS))
