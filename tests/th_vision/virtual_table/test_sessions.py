"""Static scenes, sessions, image folders and the sim source."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rules.layout import Layout
from rules.pieces import Pieces, Stick, load_pieces
from rules.record import read_record
from th_vision.errors import VisionError
from th_vision.sources.image_folder import ImageFolder
from th_vision.sources.sim import open_sim
from th_vision.virtual_table.moment import Moment
from th_vision.virtual_table.physics import interpenetrations
from th_vision.virtual_table.recording import write_session
from th_vision.virtual_table.scene import HandBody, Scene
from th_vision.virtual_table.session import Session, Setup
from th_vision.virtual_table.simulate import scenarios, simulate
from th_vision.virtual_table.static_scenes import random_static_scene

SMALL = Setup(seed=3, size=(848, 480), color_size=(480, 270), frames=2, board_frames=1, empty_frames=2, distance_mm=600)
HAND = HandBody((300.0, -300.0, 150.0), (90.0, -90.0, 100.0), (0.0, 0.0, 20.0))


@pytest.mark.parametrize("seed", range(8))
def test_static_scenes_have_what_was_asked_for_and_no_body_is_in_another(seed: int) -> None:
    scene = random_static_scene(np.random.default_rng(seed), Pieces())
    assert (len(scene.sticks), len(scene.columns)) == (5, 6)
    assert interpenetrations(scene) == []
    layout = scene.layout()
    names = {c.id for c in layout.columns} | {r.id for r in layout.roads} | {"table"}
    assert all(set(road.rests_on) <= names for road in layout.roads)
    assert all(car.on in {r.id for r in layout.roads} for car in layout.cars)


def test_static_scenes_follow_the_sizes_of_the_pieces() -> None:
    pieces = Pieces(stick=Stick(length=150, width=12, thickness=2.2))
    scene = random_static_scene(np.random.default_rng(1), pieces)
    assert np.mean([s.length for s in scene.sticks]) == pytest.approx(150, abs=1.5)


def test_a_session_shows_board_then_empty_table_then_moments_with_hands_between() -> None:
    session = Session(SMALL)
    first = Scene()
    second = random_static_scene(np.random.default_rng(1), Pieces(), 2, 3)
    shots = list(session.calibration()) + list(session.play([Moment(first), Moment(second, hands=(HAND,))]))
    assert [s.kind for s in shots] == ["board"] + ["empty"] * 2 + ["still"] * 2 + ["hand"] * 4 + ["still"] * 2
    times = [s.frame.time_s for s in shots]
    assert times == sorted(times)
    assert len(set(times)) == len(times)
    assert [s.frame.number for s in shots] == list(range(len(shots)))


def test_camera_and_table_of_a_seed_are_the_same_whichever_part_is_asked_for() -> None:
    whole, part = Session(SMALL), Session(SMALL)
    list(whole.calibration())
    a = [s.frame for s in whole.play([Moment(Scene())])]
    b = [s.frame for s in part.play([Moment(Scene())])]
    assert np.allclose(whole.camera.T_depth_table, part.camera.T_depth_table)
    assert whole.table == part.table
    # other noise and drift, the same ripple and pattern
    difference = a[0].depth.astype(float) - b[0].depth
    assert abs(float(np.median(difference))) * 0.1 < 2.0


def test_an_image_folder_reads_back_as_it_was_written(tmp_path: Path) -> None:
    scene = random_static_scene(np.random.default_rng(1), Pieces(), 2, 3)
    fact = {"type": "pass", "turn": 1, "player": "blue"}
    moments = [Moment(Scene(), label="empty"), Moment(scene, (fact,), "built", (HAND,))]
    count = write_session(tmp_path / "a b", Session(SMALL), moments, Pieces())
    folder = ImageFolder(tmp_path / "a b")
    assert len(folder) == count == 2 + 4 + 2
    session = Session(SMALL)
    list(session.calibration())
    made = [shot.frame for shot in session.play(moments)]
    read = list(folder)
    assert all((m.depth == r.depth).all() for m, r in zip(made, read, strict=True))
    assert read[0].color is not None
    assert read[0].color.shape == (270, 480, 3)
    assert folder.camera.depth == session.camera.depth
    assert folder.camera.color == session.camera.color
    assert len(ImageFolder(tmp_path / "a b" / "calibration")) == 3
    truth = json.loads((tmp_path / "a b" / "truth.json").read_text())
    assert [m["frames"] for m in truth["moments"]] == [[0, 1], [6, 7]]
    assert truth["moments"][1]["hand_frames"] == [2, 5]
    assert Layout.model_validate(truth["moments"][1]["layout"]) == scene.layout()
    assert truth["facts"] == [fact]
    assert load_pieces(tmp_path / "a b" / "pieces.toml") == Pieces()


def test_a_folder_with_a_recording_is_never_overwritten(tmp_path: Path) -> None:
    (tmp_path / "depth").mkdir()
    with pytest.raises(VisionError, match="was cut"):
        write_session(tmp_path, Session(SMALL), [Moment(Scene())], Pieces())
    (tmp_path / "recording.json").write_text("{}")
    with pytest.raises(VisionError, match="holds a recording already"):
        write_session(tmp_path, Session(SMALL), [Moment(Scene())], Pieces())


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("sim:seed=x", "whole number"),
        ("sim:colour=1", "not known"),
        ("sim:seed=1,seed=2", "twice"),
        ("sim:camera=D999", "D435"),
        ("sim:distance=200", "choose"),
        ("sim:players=9", "2 to 4"),
        ("sim:size=640x480", "1280x720"),
        ("sim:size=big", "like 1280x720"),
        ("sim:surface=lava", "wood"),
        ("sim:scenario=chess", "--list"),
        ("sim:part=half", "calibration"),
        ("sim:hands=many", "whole number"),
        ("sim:hands=9", "0 to 4"),
        ("sim:frames=0", "1 to 500"),
        ("sim:turns=-3", "negative"),
        ("sim:tilt=nan", "0 to 45"),
        ("sim:tilt=80", "0 to 45"),
        ("sim:unit=0", "sim:unit=0: a depth unit of 0 mm"),
    ],
)
def test_impossible_virtual_tables_are_refused_in_one_line(text: str, says: str) -> None:
    with pytest.raises(VisionError, match=says) as error:
        open_sim(text)
    assert "\n" not in str(error.value)


def test_sim_gives_its_parts_alone_and_the_same_frames_each_time() -> None:
    text = "sim:seed=4,scenario=static,surface=white,size=848x480,color=480x270,frames=1,board=1,empty=1,distance=600"
    whole = list(open_sim(text))
    assert len(whole) == 3
    assert len(list(open_sim(text + ",part=calibration"))) == 2
    game = list(open_sim(text + ",part=game"))
    assert len(game) == 1
    again = list(open_sim(text + ",part=game"))
    assert (game[0].depth == again[0].depth).all()
    assert open_sim(text).camera.serial == open_sim(text + ",part=game").camera.serial


def test_simulate_names_its_scenarios_and_refuses_no_turns(tmp_path: Path) -> None:
    assert {"game", "static"} <= set(scenarios())
    with pytest.raises(VisionError, match="turns"):
        simulate(tmp_path / "x", turns=0)


@pytest.mark.parametrize("name", ["game.bag", "game.ZIP", "game.jsonl"])
def test_a_game_is_not_written_under_the_name_of_another_kind_of_file(tmp_path: Path, name: str) -> None:
    with pytest.raises(VisionError, match="name a folder"):
        simulate(tmp_path / name, turns=1)
    assert not list(tmp_path.iterdir())


def test_simulate_writes_a_game_with_its_record(tmp_path: Path) -> None:
    simulate(tmp_path / "g", turns=1, setup=replace(SMALL, frames=1, hand_frames=0), seed=3)
    truth = json.loads((tmp_path / "g" / "truth.json").read_text())
    kinds = [fact["type"] for fact in truth["facts"]]
    assert kinds == ["game", "ramp", "ramp", "move"]
    assert len(truth["moments"]) == 4
    record = read_record(tmp_path / "g" / "truth.jsonl")
    assert not record.bad
    types = [json.loads(line)["type"] for line in (tmp_path / "g" / "truth.jsonl").read_text().splitlines()]
    assert [t for t in types if t in kinds] == kinds
    assert types.count("ruling") == 3  # the ramps are ruled on, too
