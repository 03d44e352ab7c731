"""Real D415 shots of one copper disc on a white board: what the project's own still view and disc detection find.

The disc is about 25 mm in radius; its step in depth along the camera's axis is published as 5.46 +- 0.60 mm. The board
is seen under 30 degrees, so that step is a height of 5.46 * cos(30.5 deg) = 4.7 mm.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.camera import Camera, Intrinsics
from calibration.empty_table import map_from_disparities
from calibration.plane import disparity_from_depth, plane_from_depth
from calibration.table import TableCalibration
from th_vision.detect.disc import MeasuredDisc, find_discs
from th_vision.detect.plan import on_plane, plan_view
from th_vision.frame import Frame
from th_vision.still_view import fuse

SHOTS = 24
D415_NATIVE_FX = 943.0  # px at 1280x720: the depth was aligned to a colour grid of longer focal length
BOARD = (slice(40, 1050), slice(420, 1340))  # rows, columns of the colour picture that show the white board


@dataclass(frozen=True)
class Shot:
    """One shot: what was found, and where the copper is by its colour alone (plan centre, mm)."""

    disc: MeasuredDisc
    copper: NDArray[np.float64]


def camera_of(folder: Path) -> Camera:
    data = json.loads((folder / "camera.json").read_text())
    K = np.array(data["K_color"])
    k1, k2, p1, p2, k3 = (float(v) for v in np.ravel(data["dist_color"]))
    color = Intrinsics(1920, 1080, K[0, 0], K[1, 1], K[0, 2], K[1, 2], (k1, k2, p1, p2, k3))
    return Camera("D415", color, color, np.eye(4), 1.0, 55.0, kernel_scale=K[0, 0] / D415_NATIVE_FX)


def pose_on(camera: Camera, disparity: NDArray[np.float32]) -> NDArray[np.float64]:
    """A table frame on the board's plane, origin where the camera's axis meets it."""
    mask = np.zeros(disparity.shape, dtype=np.bool_)
    mask[BOARD] = True
    plane = plane_from_depth(disparity, camera, mask)
    up = np.asarray(plane.normal, dtype=np.float64)
    axis = np.array([0.0, 0.0, 1.0])
    x = np.array([1.0, 0.0, 0.0]) - up[0] * up
    T = np.eye(4)
    T[:3, 0] = x / np.linalg.norm(x)
    T[:3, 1] = np.cross(up, T[:3, 0])
    T[:3, 2] = up
    T[:3, 3] = axis * (-plane.distance_mm / (up @ axis))
    return T


def copper_center(
    color: NDArray[np.uint8], camera: Camera, T: NDArray[np.float64], height: float
) -> NDArray[np.float64]:
    """Plan centre of the copper-coloured pixels on the board, at half the disc's height."""
    hsv = cv2.cvtColor(color, cv2.COLOR_BGR2HSV)
    # where the lamp is mirrored the copper is pale: the outline of all that is copper, filled, is the disc
    mask = ((hsv[..., 1] > 60) & (hsv[..., 2] > 40) & (hsv[..., 0] < 25)).astype(np.uint8)
    mask[750:, 1250:] = 0  # two more discs lie beside the board in every shot
    mask = cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    moments = cv2.moments(cv2.convexHull(max(contours, key=cv2.contourArea)))
    center = np.array([moments["m10"], moments["m01"]]) / moments["m00"]
    assert camera.color is not None
    return on_plane(camera.color, T, center[None], height / 2)[0]


@pytest.fixture(scope="module")
def shots(realdata: Path) -> list[Shot]:
    folder = realdata / "d415_discs_board"
    camera = camera_of(folder)
    depths = [cv2.imread(str(folder / f"depth_{i:02d}.png"), cv2.IMREAD_UNCHANGED) for i in range(SHOTS)]
    colors = [cv2.imread(str(folder / f"color_{i:02d}.jpg")) for i in range(SHOTS)]
    stack = np.stack([disparity_from_depth(depth, camera) for depth in depths])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pixels that no shot has seen
        T = pose_on(camera, np.nanmedian(stack, axis=0))
    return list(_found(camera, T, depths, colors, stack))


def _found(
    camera: Camera,
    T: NDArray[np.float64],
    depths: list[NDArray[np.uint16]],
    colors: list[NDArray[np.uint8]],
    stack: NDArray[np.float32],
) -> Iterator[Shot]:
    tables = []  # the empty table for the even shots is made from the odd ones, and the other way round
    for others in (slice(1, None, 2), slice(0, None, 2)):
        background = np.median(np.stack(colors[others][::2]), axis=0).astype(np.uint8)
        tables.append(TableCalibration(camera, T, map_from_disparities(list(stack[others]), background)))
    for i in range(SHOTS):
        table = tables[i % 2]
        view = fuse([Frame(i, float(i), depths[i], colors[i])], table)
        discs = [disc for disc in find_discs(plan_view(view)) if abs(disc.radius - 25) < 5]
        assert len(discs) == 1, (
            f"shot {i}: found {len(discs)} discs of about this size instead of the one that lies there"
        )
        yield Shot(discs[0], copper_center(colors[i], camera, T, discs[0].height))


def test_the_disc_is_found_in_every_shot_with_its_radius(shots: list[Shot]) -> None:
    radii = np.array([shot.disc.radius for shot in shots])
    assert len(radii) == SHOTS
    assert np.abs(radii - 24.95).max() < 0.7


def test_its_height_is_the_published_step_seen_under_the_boards_tilt(shots: list[Shot]) -> None:
    heights = np.array([shot.disc.height for shot in shots])
    along_the_axis = heights / np.cos(np.radians(30.5))
    assert abs(along_the_axis.mean() - 5.46) < 0.3
    assert along_the_axis.std() < 0.8
    assert heights.std() < 0.65


def test_its_center_agrees_with_the_copper_in_colour(shots: list[Shot]) -> None:
    apart = np.array([np.hypot(shot.disc.x - shot.copper[0], shot.disc.y - shot.copper[1]) for shot in shots])
    assert apart.max() < 1.0


def test_the_stated_sigma_matches_the_scatter_of_the_height(shots: list[Shot]) -> None:
    heights = np.array([shot.disc.height for shot in shots])
    normed = (heights - heights.mean()) / np.array([shot.disc.sigma_height for shot in shots])
    assert 0.6 < normed.std() < 1.5


def test_the_grid_it_was_laid_on_comes_out_square(shots: list[Shot]) -> None:
    """Somebody laid the disc by eye on drawn circles: columns 4 by 6, the rows and columns straight to a few mm."""
    xy = np.array([[shot.disc.x, shot.disc.y] for shot in shots])
    near = [np.sort(np.hypot(*(xy - point).T))[1] for point in xy]
    assert 95 < np.median(near) < 105
