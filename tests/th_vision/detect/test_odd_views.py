"""Views that show next to nothing: no crash, no piece invented, no endless search."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from th_vision.reconstruct import reconstruct

from .scenes import seen

SCENE = (3101, "D415", 580.0, "wood")


def test_an_empty_table_has_no_piece() -> None:
    scene = seen(*SCENE)
    empty = scene.view.table.empty
    bare = replace(scene.view, rise_px=np.zeros_like(scene.view.rise_px), color_bgr=empty.color_bgr)
    layout = reconstruct(bare, scene.pieces)
    assert (layout.columns, layout.roads, layout.cars) == ((), (), ())


def test_a_view_without_any_depth_has_no_piece() -> None:
    scene = seen(*SCENE)
    nothing = np.full_like(scene.view.rise_px, np.nan)
    blind = replace(scene.view, rise_px=nothing, disparity_px=nothing)
    layout = reconstruct(blind, scene.pieces)
    assert (layout.columns, layout.roads) == ((), ())


def test_half_a_view_without_depth_loses_pieces_but_makes_up_none() -> None:
    scene = seen(*SCENE)
    rise = scene.view.rise_px.copy()
    rise[:, rise.shape[1] // 2 :] = np.nan
    layout = reconstruct(replace(scene.view, rise_px=rise), scene.pieces)
    for column in layout.columns:
        assert min(np.hypot(true.x - column.x, true.y - column.y) for true in scene.truth.columns) < 6
