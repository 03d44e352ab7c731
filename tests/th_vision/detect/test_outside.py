"""Columns past the border of the picture are placed by depth; what the picture shows stays where that has it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tests.th_vision.detect.test_stacking import assembled
from th_vision.detect.assembly import Assembly
from th_vision.detect.depth_model import DepthModel
from th_vision.detect.outside import placed_by_depth


def test_a_column_the_picture_does_not_show_is_placed_by_depth() -> None:
    scene, plan, assembly = assembled(3101)
    at = np.array([[c.x, c.y, c.levels * scene.pieces.disc.height] for c in assembly.columns])
    columns = plan.color_pixels(at)[:, 0]
    last = int(np.argmax(columns))
    cut = int((columns[last] + np.sort(columns)[-2]) / 2)
    narrow = replace(plan, color=np.ascontiguousarray(plan.color[:, :cut]), edges=None)
    moved = [
        replace(c, x=c.x + 3.0, y=c.y - 3.0, rim=float("nan"), sigma_xy=4.0) if k == last else c
        for k, c in enumerate(assembly.columns)
    ]
    after = placed_by_depth(DepthModel(narrow, scene.pieces), Assembly(moved, assembly.roads), 0)
    for k, column in enumerate(after.columns):
        if k != last:
            assert column is moved[k]
    there, true = after.columns[last], assembly.columns[last]
    assert np.hypot(there.x - true.x, there.y - true.y) < 2 * there.sigma_xy
    assert there.sigma_xy < 2.5


def test_what_was_known_before_is_not_moved() -> None:
    scene, plan, assembly = assembled(3101)
    narrow = replace(plan, color=np.ascontiguousarray(plan.color[:, :200]), edges=None)
    assert placed_by_depth(DepthModel(narrow, scene.pieces), assembly, len(assembly.columns)) is assembly
