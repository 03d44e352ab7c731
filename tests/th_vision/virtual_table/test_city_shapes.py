"""City objects, hands and foreign things as solids: closed outwards, inside their outlines, as high as they say."""

from __future__ import annotations

import math

import numpy as np
import pytest
from shapely.geometry import MultiPoint, Polygon

from rules.pieces import CITY_KINDS, Box, Pieces
from th_vision.virtual_table.city import ARCH_HEIGHT_MM, BASE_SET, BOXES, EXPANSIONS, city_body, with_city
from th_vision.virtual_table.city_shapes import BAND_MM, arch_mesh, city_parts
from th_vision.virtual_table.foreign_shapes import foreign_parts, head_parts
from th_vision.virtual_table.hand_shapes import hand_parts
from th_vision.virtual_table.meshes import Mesh, Part
from th_vision.virtual_table.scene import POSES, CityThing, ForeignBody, HandBody, HeadBody, Scene

PIECES = Pieces()


def volume(mesh: Mesh) -> float:
    a, b, c = (mesh.vertices[mesh.triangles[:, k]] for k in range(3))
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6)


def highest(parts: list[Part]) -> float:
    return max(float(part.mesh.vertices[:, 2].max()) for part in parts)


def test_every_kind_of_the_contract_is_a_body() -> None:
    assert set(BOXES) == set(CITY_KINDS)
    assert set(BASE_SET) | set(EXPANSIONS) == set(CITY_KINDS)


@pytest.mark.parametrize("kind", CITY_KINDS)
def test_a_city_object_is_as_large_as_its_box_and_stays_inside_its_outline(kind: str) -> None:
    body = city_body(PIECES, kind, "x", 30.0, -20.0, 25.0)
    parts = list(city_parts(body))
    assert all(volume(part.mesh) > 0 for part in parts), "normals point outwards"
    card = Polygon(body.outline).buffer(3.0)
    for part in parts:
        assert card.contains(MultiPoint(part.mesh.vertices[:, :2])) or kind == "rainbow_area"
    if kind in ("building", "tower"):
        assert highest(parts) == pytest.approx(BOXES[kind].height)


@pytest.mark.parametrize("kind", CITY_KINDS)
def test_what_stands_on_an_area_is_inside_the_obstacle_that_the_truth_names(kind: str) -> None:
    body = city_body(PIECES, kind, "x", 0.0, 0.0, 0.0)
    (named,) = Scene(city=(body,)).layout().city
    assert len(named.obstacles) == len(body.things)
    for thing, obstacle in zip(body.things, named.obstacles, strict=True):
        assert Polygon(body.outline).contains(Polygon(obstacle.outline))
        alone = CityThing(thing.kind, thing.x, thing.y, thing.size, thing.turn_deg)
        only = body.__class__("x", kind, body.outline, body.height, things=(alone,))
        solid = [p for p in city_parts(only) if p.mesh.vertices[:, 2].max() > body.top_z + 1.0]
        assert highest(solid) == pytest.approx(obstacle.height, abs=2.0)
        room = Polygon(obstacle.outline).buffer(1.5)
        assert all(room.contains(MultiPoint(part.mesh.vertices[:, :2])) for part in solid)


def test_the_rainbow_s_underside_is_the_arch_of_the_rules() -> None:
    body = city_body(PIECES, "rainbow_area", "w1", 0, 0)
    assert body.arch is not None
    assert body.arch_height == ARCH_HEIGHT_MM
    band = arch_mesh(body.arch, ARCH_HEIGHT_MM, 0.0, BAND_MM)
    assert volume(band) > 0
    half = math.dist(*body.arch) / 2
    crown = ARCH_HEIGHT_MM * np.sqrt(np.clip(1 - (band.vertices[:, 0] / half) ** 2, 0, None))
    assert np.all(band.vertices[:, 2] >= crown - 1e-9)


def test_sizes_of_pieces_toml_are_taken() -> None:
    own = PIECES.model_copy(update={"city": {"building": Box(length=20, width=24, height=40)}})
    body = city_body(own, "building", "b1", 0, 0)
    assert (np.ptp([p[0] for p in body.outline]), np.ptp([p[1] for p in body.outline])) == (20, 24)
    assert with_city(own).city["building"].height == 40
    assert set(with_city(own).city) == set(CITY_KINDS)


@pytest.mark.parametrize("pose", POSES)
def test_a_hand_of_any_pose_is_solid_and_near_its_place(pose: str) -> None:
    hand = HandBody((0, -400, 120), (0, -130, 85), (0, 0, 20), pose=pose, sleeve_to=0.5)
    for part in hand_parts(hand, 0):
        assert volume(part.mesh) > 0
        assert np.all(np.abs(part.mesh.vertices[:, 0]) < 110)
        assert float(part.mesh.vertices[:, 1].max()) < 35


def ring(radius: float) -> tuple[tuple[float, float], ...]:
    angles = [2 * math.pi * k / 24 for k in range(24)]
    return tuple((radius * math.cos(a), radius * math.sin(a)) for a in angles)


def test_a_cup_is_hollow_and_a_thread_is_thin() -> None:
    wall, filling, handle = foreign_parts(ForeignBody(ring(40), 90.0, shape="cup"), 0)
    solid = math.pi * 40**2 * 90
    assert 0 < volume(wall.mesh) < 0.4 * solid
    assert 0 < volume(filling.mesh) < 0.6 * solid
    assert volume(handle.mesh) > 0
    there = [(0.0, 0.0), (20.0, 5.0), (45.0, 0.0)]
    back = [(x, y + 0.8) for x, y in reversed(there)]
    (thread,) = foreign_parts(ForeignBody((*there, *back), 0.8, shape="thread"), 0)
    assert 0 < volume(thread.mesh) < 60


def test_a_head_is_as_wide_as_it_says() -> None:
    parts = list(head_parts(HeadBody(0, 0, 300, radius=90), 0))
    assert all(volume(part.mesh) > 0 for part in parts)
    assert 85 < max(float(np.abs(part.mesh.vertices[:, 0]).max()) for part in parts) < 125
