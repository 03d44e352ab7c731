"""The camera's own picture of a spot: what stands there is in its middle."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from calibration.camera import Camera, Intrinsics
from calibration.table import EmptyTable, TableCalibration
from th_vision.crop import SIDE_PX, SIZE_MM, crop_of, jpeg_of

EYE = Intrinsics(640, 480, 600.0, 600.0, 319.5, 239.5)
DOWN = np.array([[1.0, 0, 0, 0], [0, -1, 0, 0], [0, 0, -1, 600.0], [0, 0, 0, 1]])  # straight above, 600 mm up


def table(color: Intrinsics | None = EYE) -> TableCalibration:
    nothing = np.zeros((480, 640), np.float32)
    empty = EmptyTable(nothing, nothing, None, nothing > 0)
    return TableCalibration(Camera("test", EYE, color), DOWN, empty)


def seen_from_above(x: float, y: float, z: float) -> np.ndarray:
    """A black image with a white dot where the point is seen."""
    image = np.zeros((480, 640, 3), np.uint8)
    u, v = EYE.project(np.array([x, -y, 600.0 - z]))
    cv2.circle(image, (round(float(u)), round(float(v))), 3, (255, 255, 255), cv2.FILLED)
    return image


@pytest.mark.parametrize("at", [(0.0, 0.0, 0.0), (80.0, -60.0, 0.0), (-120.0, 50.0, 60.0)])
def test_what_stands_there_is_in_the_middle(at: tuple[float, float, float]) -> None:
    crop = crop_of(seen_from_above(*at), table(), at)
    assert crop is not None
    assert crop.shape == (SIDE_PX, SIDE_PX, 3)
    rows, columns = np.nonzero(crop[..., 0] > 128)
    assert (columns.mean(), rows.mean()) == pytest.approx((SIDE_PX / 2, SIDE_PX / 2), abs=4)


def test_the_crop_is_as_large_on_the_table_as_it_says() -> None:
    image = seen_from_above(SIZE_MM / 4, 0, 0)
    crop = crop_of(image, table(), (0.0, 0.0, 0.0))
    assert crop is not None
    _, columns = np.nonzero(crop[..., 0] > 128)
    assert columns.mean() - SIDE_PX / 2 == pytest.approx(SIDE_PX / 4, rel=0.05)


def test_out_of_view_there_is_no_picture() -> None:
    image = np.zeros((480, 640, 3), np.uint8)
    assert crop_of(image, table(), (900.0, 0.0, 0.0)) is None
    assert crop_of(image, table(), (0.0, 0.0, 700.0)) is None, "behind the camera"
    assert crop_of(image, table(None), (0.0, 0.0, 0.0)) is None


def test_a_crop_can_be_sent() -> None:
    assert jpeg_of(np.zeros((8, 8, 3), np.uint8))[:2] == b"\xff\xd8"
