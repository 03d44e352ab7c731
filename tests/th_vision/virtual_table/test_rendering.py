"""Clean views: what is seen without any fault agrees with the truth."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from calibration.board import Board, BoardFinder
from calibration.table import transform
from rules.pieces import Box, Pieces
from th_vision.errors import VisionError
from th_vision.virtual_table.cameras import MODELS, VirtualCamera, camera_model, pose_over_table
from th_vision.virtual_table.examples import board_body, camera_over_table
from th_vision.virtual_table.render import CleanRender, render_moment
from th_vision.virtual_table.scene import EXACT, CarBody, CityBody, DiscBody, Scene, StickBody, TableBody, make_column
from th_vision.virtual_table.sensor import Sensor, shoot
from th_vision.virtual_table.shapes import Mesh, car_meshes, disc_mesh, prism, stick_mesh
from th_vision.virtual_table.surfaces import SURFACES

PIECES = Pieces()


def volume(mesh: Mesh) -> float:
    a, b, c = (mesh.vertices[mesh.triangles[:, k]] for k in range(3))
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6)


def height_at(clean: CleanRender, camera: VirtualCamera, point: np.ndarray) -> float:
    """Height over the table of what the depth camera sees in the direction of a table point."""
    u, v = camera.depth.project(transform(camera.T_depth_table, point))
    pixel = np.array([round(float(u)), round(float(v))])
    seen = camera.depth.rays(pixel.astype(float)) * clean.depth_mm[pixel[1], pixel[0]]
    return float(transform(camera.T_table_depth, seen)[2])


def test_a_disc_has_the_volume_of_its_cylinder() -> None:
    assert volume(disc_mesh(DiscBody(3, 4, 19, 10), 20.0)) == pytest.approx(math.pi * 9.5**2 * 10, rel=1e-3)


@pytest.mark.parametrize(("round_ends", "plan"), [(True, 104 * 10 + math.pi * 25), (False, 114 * 10)])
def test_a_stick_has_the_volume_of_its_plan_times_its_thickness(round_ends: bool, plan: float) -> None:
    stick = StickBody("r1", ((0, 0, 2), (114, 0, 2)), 10, 2, round_ends=round_ends)
    assert volume(stick_mesh(stick)) == pytest.approx(plan * 2, rel=0.01)


def test_a_bowed_stick_rises_in_its_middle_and_keeps_its_tips() -> None:
    mesh = stick_mesh(StickBody("r1", ((0, 0, 12), (114, 0, 12)), 10, 2, bow_mm=0.8))
    assert mesh.vertices[:, 2].max() == pytest.approx(12.8, abs=0.01)
    assert mesh.vertices[np.argmin(mesh.vertices[:, 0]), 2] <= 12.0 + 1e-6


def test_roll_raises_the_left_edge() -> None:
    mesh = stick_mesh(StickBody("r1", ((0, 0, 12), (114, 0, 12)), 10, 2, roll_deg=5.0))
    top = mesh.vertices[np.argmax(mesh.vertices[:, 2])]
    assert top[1] > 4.5
    assert top[2] == pytest.approx(12 + 5 * math.sin(math.radians(5)), abs=0.05)


def test_prisms_of_either_sense_and_of_bent_outlines_face_outwards() -> None:
    ell = [(0, 0), (30, 0), (30, 10), (10, 10), (10, 30), (0, 30)]
    for outline in (ell, ell[::-1]):
        assert volume(prism(outline, 0, 5)) == pytest.approx(500 * 5)


def test_cars_and_arches_face_outwards() -> None:
    car = CarBody("k1", 0, 0, 0, "blue", Box(length=16, width=8, height=7), heading_deg=30, pitch_deg=5)
    lower, cabin = car_meshes(car)
    assert 0.5 * 16 * 8 * 7 < volume(lower) + volume(cabin) < 16 * 8 * 7


@pytest.mark.parametrize("model", sorted(MODELS))
def test_heights_seen_without_faults_are_the_truth_within_a_tenth_of_a_millimetre(model: str) -> None:
    rng = np.random.default_rng(4)
    camera = camera_over_table(rng, model, 620.0)
    column = make_column(rng, PIECES, "c1", 60, 40, 3, spread=EXACT)
    stick = StickBody("r1", ((-104, -20, 2), (8, -20, 22)), 10, 2, bow_mm=0.5)
    area = CityBody("d1", "building", ((-90, 40), (-60, 40), (-60, 70), (-90, 70)), 35.0)
    scene = Scene(PIECES, (column,), (stick,), city=(area,))
    clean = render_moment(scene, camera, color=False)
    assert height_at(clean, camera, np.array([60, 40, 30.0])) == pytest.approx(30, abs=0.1)
    assert height_at(clean, camera, np.array([-75, 55, 35.0])) == pytest.approx(35, abs=0.1)
    assert height_at(clean, camera, np.array([120, -60, 0.0])) == pytest.approx(0, abs=0.1)
    middle = np.array([-48, -20, stick.top_at(-48, -20)])
    assert height_at(clean, camera, middle) == pytest.approx(middle[2], abs=0.15)  # half a pixel along the slope


def test_the_layout_is_the_truth_of_the_bodies() -> None:
    column = make_column(np.random.default_rng(1), PIECES, "c1", 60, 40, 3, junction=True)
    layout = Scene(PIECES, (column,)).layout()
    (seen,) = layout.columns
    assert (seen.x, seen.y, seen.levels, seen.junction) == (60, 40, 3, True)
    assert seen.top_z == pytest.approx(sum(d.height for d in column.discs))
    assert seen.sigma_xy == 0


def test_the_colour_camera_sees_the_boards_corners_where_they_are() -> None:
    rng = np.random.default_rng(2)
    camera = camera_over_table(rng, "D415", 580.0)
    sensor = Sensor(camera, rng)
    picture = shoot(Scene(PIECES).with_board(board_body()), camera, sensor, rng, 1)[0].color
    assert picture is not None
    view = BoardFinder(Board()).find(picture)
    assert view is not None
    assert len(view) == Board().corner_count
    corners = Board().corners_mm(view.ids) + np.array([0, 0, 0.1])
    true = camera.color.project(transform(camera.true_T_color_depth @ camera.T_depth_table, corners))
    assert np.sqrt(np.mean((view.pixels - true) ** 2)) < 0.06  # what cornerSubPix reaches on clean pictures


def test_pieces_show_the_colours_of_the_pieces_file() -> None:
    rng = np.random.default_rng(3)
    camera = camera_over_table(rng, "D415", 580.0)
    column = make_column(rng, PIECES, "c1", 0, 0, 2, junction=True, spread=EXACT)
    clean = render_moment(replace(Scene(PIECES, (column,)), table=TableBody("white")), camera)
    T = camera.true_T_color_depth @ camera.T_depth_table
    u, v = (round(float(c)) for c in camera.color.project(transform(T, np.array([0, 0, 20.0]))))
    assert clean.color_linear is not None
    patch = clean.color_linear[v - 5 : v + 6, u - 5 : u + 6].mean(axis=(0, 1)) ** (1 / 2.2) * 255
    yellow = np.array([0x2C, 0xC1, 0xE8])
    assert np.abs(patch - yellow).max() < 25


@pytest.mark.parametrize("surface", sorted(SURFACES))
def test_every_surface_gives_a_picture_that_is_neither_black_nor_burnt(surface: str) -> None:
    camera = camera_over_table(np.random.default_rng(1), "D435", 700.0)
    small = replace(camera, color_size=(480, 270))
    clean = render_moment(Scene(PIECES, table=TableBody(surface)), small)
    assert clean.color_linear is not None
    assert 0.005 < float(np.median(clean.color_linear)) < 0.9


def test_a_camera_over_the_table_looks_at_what_it_aims_at() -> None:
    camera = VirtualCamera(camera_model("d435i"), pose_over_table(700, tilt_deg=(4, -3), turn_deg=20, aim_mm=(30, -10)))
    aim = transform(camera.T_depth_table, np.array([30.0, -10.0, 0.0]))
    assert aim == pytest.approx([0, 0, 700], abs=1e-9)
    assert camera.disparity_gain == pytest.approx(32.25e3)


@pytest.mark.parametrize(("model", "product"), [("D415", 52.3e3), ("D435", 32.3e3), ("D455", 60.8e3)])
def test_focal_length_times_baseline_is_the_measured_one(model: str, product: float) -> None:
    assert VirtualCamera(camera_model(model), pose_over_table(700)).disparity_gain == pytest.approx(product, rel=2e-3)


def test_cameras_that_do_not_exist_are_refused_with_the_ones_that_do() -> None:
    with pytest.raises(VisionError, match="D435"):
        camera_model("D999")
    with pytest.raises(VisionError, match="848x480"):
        VirtualCamera(camera_model("D435"), pose_over_table(700), size=(640, 480))
    with pytest.raises(VisionError, match="distance"):
        pose_over_table(3)
