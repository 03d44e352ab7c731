"""A stack's lower outline looks like its rim: a column that was placed there comes back to where it stands."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.th_vision.detect.test_stacking import assembled
from th_vision.detect.assembly import Assembly
from th_vision.detect.columns import rim_rivals
from th_vision.detect.depth_model import DepthModel
from th_vision.detect.rivals import among_rivals


@pytest.mark.parametrize("seed", [3101, 3103])
def test_a_column_placed_at_its_lower_outline_comes_back(seed: int) -> None:
    scene, plan, assembly = assembled(seed)
    model, tried = DepthModel(plan, scene.pieces), 0
    for k, column in enumerate(assembly.columns):
        true = np.array([column.x, column.y])
        lower = true + (plan.eye[:2] - true) * column.levels * scene.pieces.disc.height / plan.eye[2]
        if not 2.0 < np.hypot(*(lower - true)) < 5.0:
            continue
        tried += 1
        wrong = replace(column, x=float(lower[0]), y=float(lower[1]), rim=0.3, sigma_xy=0.3)
        columns = [*assembly.columns[:k], wrong, *assembly.columns[k + 1 :]]
        after = among_rivals(model, Assembly(columns, assembly.roads), 0).columns[k]
        assert np.hypot(after.x - column.x, after.y - column.y) < 0.5
    assert tried >= 2


def test_known_columns_stay() -> None:
    scene, plan, assembly = assembled(3101)
    after = among_rivals(DepthModel(plan, scene.pieces), assembly, len(assembly.columns))
    assert all(one is other for one, other in zip(after.columns, assembly.columns, strict=True))


def test_the_best_place_comes_first() -> None:
    scene, plan, assembly = assembled(3101)
    column = max(assembly.columns, key=lambda c: c.levels)
    rims = rim_rivals(plan, scene.pieces, column.x + 1.0, column.y, column.levels, 5.0)
    assert np.hypot(rims[0].x - column.x, rims[0].y - column.y) < 1.0
