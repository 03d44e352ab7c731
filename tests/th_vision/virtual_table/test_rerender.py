"""Rendering only what changed shows exactly what rendering anew shows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rules.pieces import Pieces
from th_vision.virtual_table import rerender
from th_vision.virtual_table.cameras import REDUCED, VirtualCamera
from th_vision.virtual_table.examples import board_body, camera_over_table
from th_vision.virtual_table.render import CleanRender, render_moment, view_color
from th_vision.virtual_table.rerender import Renderer
from th_vision.virtual_table.scene import HandBody, HeadBody, Light, Scene, TableBody
from th_vision.virtual_table.static_scenes import random_static_scene

HAND = HandBody((300.0, -300.0, 150.0), (90.0, -90.0, 100.0), (0.0, 0.0, 20.0))
MORE = random_static_scene(np.random.default_rng(3121), Pieces(), 2, 3)
LESS = replace(MORE, sticks=MORE.sticks[:-1], columns=MORE.columns[:-1])


def camera_of(model: str = "D415", distance_mm: float = 600.0) -> VirtualCamera:
    camera = camera_over_table(np.random.default_rng(3122), model, distance_mm, size=REDUCED)
    return replace(camera, color_size=(480, 270))


def assert_same(seen: CleanRender, scene: Scene, camera: VirtualCamera) -> None:
    anew = render_moment(scene, camera)
    assert seen.color_linear is not None
    assert anew.color_linear is not None
    assert np.array_equal(seen.labels, anew.labels)
    assert np.array_equal(seen.color_labels, anew.color_labels)  # type: ignore[arg-type]  # both have colour
    assert np.allclose(seen.depth_mm, anew.depth_mm, rtol=0, atol=1e-3)
    assert np.allclose(seen.color_linear, anew.color_linear, rtol=0, atol=1e-5)


@pytest.fixture
def looked(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """For each picture, whether it started from the one before."""
    log: list[bool] = []

    def watched(*args: object) -> object:
        log.append(len(args) > 4)
        return view_color(*args)  # type: ignore[arg-type]  # handed on as they came

    monkeypatch.setattr(rerender, "view_color", watched)
    return log


@pytest.mark.parametrize(
    ("surface", "lamp"),
    [("wood", Light()), ("glossy", Light(direction=(1.2, -0.4, 1.0), softness_deg=1.5, ambient=0.2))],
)
def test_hands_come_and_pieces_stay_gone_or_new(surface: str, lamp: Light, looked: list[bool]) -> None:
    camera, renderer = camera_of(), Renderer()
    less, more = (replace(scene, table=TableBody(surface), light=lamp) for scene in (LESS, MORE))
    for scene, keep in ((less, True), (less.with_hands([HAND]), False), (more.with_hands([HAND]), False), (more, True)):
        assert_same(renderer.render(scene, camera, keep=keep), scene, camera)
    assert_same(renderer.render(less, camera), less, camera)  # taken back
    assert looked == [False, True, True, True, True]


def test_another_light_table_or_place_of_the_camera_is_looked_at_anew(looked: list[bool]) -> None:
    camera, renderer = camera_of(), Renderer()
    renderer.render(LESS, camera)
    dim = replace(MORE, light=Light(ambient=0.9))
    assert_same(renderer.render(dim, camera), dim, camera)
    white = replace(dim, table=TableBody("white"))
    assert_same(renderer.render(white, camera), white, camera)
    bumped = replace(camera, T_depth_table=camera_of(distance_mm=605.0).T_depth_table)
    assert_same(renderer.render(white, bumped), white, bumped)
    assert looked == [False] * 4


@pytest.mark.parametrize(
    ("scene", "model"),
    [
        (MORE.with_board(board_body()), "D415"),  # its print is looked at finely
        (replace(MORE, heads=(HeadBody(60.0, 40.0, 570.0, 80.0),)), "D415"),  # about the camera itself
        (MORE, "D455"),  # a lens that bends lines
        (replace(MORE, light=Light(direction=(1.0, 0.0, 0.05))), "D415"),  # endless shadows
    ],
)
def test_what_cannot_be_bounded_is_looked_at_anew(scene: Scene, model: str, looked: list[bool]) -> None:
    camera, renderer = camera_of(model, 650.0), Renderer()
    renderer.render(replace(LESS, light=scene.light), camera)
    assert_same(renderer.render(scene, camera), scene, camera)
    assert looked == [False, False]
