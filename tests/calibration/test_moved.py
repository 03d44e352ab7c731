"""A camera that was bumped between two pictures is noticed by the table's texture, where it has one."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from calibration.moved import picture_shift_px


def _cloth(rng: np.random.Generator, contrast: float) -> np.ndarray:
    weave = cv2.GaussianBlur(rng.standard_normal((400, 700)), (0, 0), 2.0)
    return np.asarray(128 + contrast * weave / weave.std())


def _picture(cloth: np.ndarray, x_px: float, y_px: float, rng: np.random.Generator, light: float = 1.0) -> np.ndarray:
    moved = cv2.warpAffine(cloth, np.array([[1.0, 0, x_px], [0, 1.0, y_px]]), (700, 400), borderMode=cv2.BORDER_REFLECT)
    noisy = np.asarray(moved)[..., None] * light + 2.0 * rng.standard_normal((400, 700, 3))
    return np.clip(np.round(noisy), 0, 255).astype(np.uint8)


NOTHING = np.zeros((400, 700), dtype=bool)


@pytest.mark.parametrize(("x_px", "y_px"), [(0.0, 0.0), (2.4, -1.2), (-7.0, 5.0)])
def test_shift_of_a_textured_table_is_measured_in_other_light_too(x_px: float, y_px: float) -> None:
    rng = np.random.default_rng(1)
    cloth = _cloth(rng, 6.0)
    shift = picture_shift_px(_picture(cloth, 0, 0, rng), _picture(cloth, x_px, y_px, rng, light=1.15), NOTHING)
    assert shift is not None
    assert shift == pytest.approx((x_px, y_px), abs=0.5)


def test_a_blank_table_cannot_tell_and_does_not_guess() -> None:
    rng = np.random.default_rng(2)
    blank = np.full((400, 700), 200.0)
    assert picture_shift_px(_picture(blank, 0, 0, rng), _picture(blank, 3, 3, rng), NOTHING) is None


def test_the_board_that_was_taken_away_is_left_out_of_it() -> None:
    rng = np.random.default_rng(3)
    cloth = _cloth(rng, 6.0)
    before = _picture(cloth, 0, 0, rng)
    before[100:300, 200:450] = 255
    before[120:280:40, 220:430] = 0
    ignore = NOTHING.copy()
    ignore[100:300, 200:450] = True
    shift = picture_shift_px(before, _picture(cloth, 3.0, 0, rng), ignore)
    assert shift is not None
    assert shift == pytest.approx((3.0, 0.0), abs=0.5)
