"""The report of a game: one file, everything in it, the city as it stands."""

from __future__ import annotations

import base64
import html
import io
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rules.errors import RulesError
from rules.events import CorrectionFact, KnockFact, RulingLine
from rules.pieces import Pieces
from rules.record import read_record
from tests.conftest import ROOT
from th_vision.commands.report_html import run, timeline_of
from th_vision.errors import VisionError
from th_vision.page.timeline import Timeline
from th_vision.report_html.build import report_of
from th_vision.report_html.city_model import STEPS_A_MM, glb_of, packed, solids_of
from th_vision.report_html.statistics import closest_call, figures

GAMES = ROOT / "tests" / "games"
GOLDEN = sorted(GAMES.glob("*.jsonl"))


def played(name: str) -> Timeline:
    return timeline_of(read_record(GAMES / f"{name}.jsonl"), Pieces())


@pytest.fixture(scope="module")
def doubts() -> Timeline:
    return played("camera-2-doubts")


def data_of(text: str) -> dict[str, Any]:
    block = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    assert block is not None
    return dict(json.loads(block[1]))


@pytest.mark.parametrize("language", ["en", "es", "nl", "zh-Hant"])
def test_the_report_is_one_file_that_needs_nothing_else(doubts: Timeline, language: str) -> None:
    text = report_of(doubts, language)
    assert len(text.encode()) < 15e6
    assert re.findall(r"https?://(?!www\.w3\.org/2000/svg)", text) == []
    assert re.findall(r"<(?:link|script|img|iframe)[^>]+(?:src|href)=", text) == []
    assert re.findall(r"%(?:w:)?[A-Za-z.]{3,}%", text) == []
    assert f'<html lang="{language}">' in text
    assert "script-src 'sha256-" in html.unescape(text.split("Content-Security-Policy", 1)[1][:200])


def test_every_turn_stands_in_it_with_its_ruling_and_its_evidence(doubts: Timeline) -> None:
    text = report_of(doubts, "en")
    for step in doubts.steps[1:]:
        section = text.split(f'id="step-{step.number}"', 1)[1].split("</section>", 1)[0]
        assert html.escape(step.head("en")) in section
        for message in step.said("en"):
            assert html.escape(message.text) in section
            assert html.escape(message.reason) in section
        assert section.count("<figure>") == len(step.closeups)


def test_the_steps_in_the_file_draw_the_whole_game(doubts: Timeline) -> None:
    data = data_of(report_of(doubts, "en"))
    assert len(data["steps"]) == len(doubts.steps)
    roads: dict[str, Any] = {}
    for step in data["steps"]:
        for name, entry in step["board"].get("roads", {}).items():
            roads[name] = entry
    assert {name for name, entry in roads.items() if entry is not None} == set(doubts.game.roads)


def test_result_and_score_sheet_are_those_of_the_game() -> None:
    timeline = played("zh-3-expansions")
    text = report_of(timeline, "en")
    places = re.findall(r'<li value="(\d+)"><span class="name" data-player="(\w+)"', text)
    wanted, place = [], 1
    for shared in timeline.ranking:
        wanted += [(str(place), player) for player in shared]
        place += len(shared)
    assert places == wanted
    totals = re.search(r'<tr class="total">.*?</tr>', text)
    assert totals is not None
    score = timeline.game.score()
    assert re.findall(r"<td>(\d+)</td>", totals[0]) == [str(score[p].total) for p in timeline.game.players]


def test_an_unfinished_game_says_so() -> None:
    assert "The game is not over in this record." in report_of(played("camera-2-doubts"), "en")


def test_names_from_a_record_can_not_break_out(tmp_path: Path) -> None:
    text = (GAMES / "rainbow-city-2-cars.jsonl").read_text()
    evil = "</script><script>alert(1)</script>"
    record = tmp_path / "game.jsonl"
    record.write_text(text.replace('"pink"', json.dumps(evil)))
    run(str(record), output=tmp_path / "game.html")
    report = (tmp_path / "game.html").read_text()
    assert report.count("<script") == 2
    assert evil in data_of(report)["game"]["players"]


def test_the_cameras_pictures_are_in_the_file(doubts: Timeline) -> None:
    road = next(iter(doubts.game.roads))
    text = report_of(doubts, "en", {road: b"\xff\xd8picture"})
    assert base64.b64encode(b"\xff\xd8picture").decode() in text


# --- figures ----------------------------------------------------------------------------------------------------------


def test_the_closest_call_is_the_smallest_distance_from_a_limit(doubts: Timeline) -> None:
    found = closest_call(doubts.steps, doubts.game.roads)
    assert found is not None
    looks = [look for step in doubts.steps for look in step.closeups if look.road in doubts.game.roads]
    assert abs(found[1].value - found[1].limit) == min(abs(look.value - look.limit) for look in looks)


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_figures_are_those_of_the_record(path: Path) -> None:
    timeline = timeline_of(read_record(path), Pieces())
    found = {figure.heading: figure.text for figure in figures(timeline.steps, timeline.game, "en")}
    levels = max(column.levels for column in timeline.game.columns.values())
    assert re.search(r"(\d+|one) level", found["Highest column"]).group(1) in (str(levels), "one")  # type: ignore[union-attr]  # it is there
    for column in timeline.game.columns.values():  # nobody who is level with the first is left out
        assert (f"{column.id}:" in found["Highest column"]) == (column.levels == levels)
    built = {player: len(timeline.game.state.roads_of(player)) for player in timeline.game.players}
    for player, roads in built.items():
        assert (f"{player.capitalize()}: " in found["Longest highway"]) == (roads == max(built.values()))
    fallen = [step.line for step in timeline.steps if isinstance(step.line, KnockFact) and step.line.shift_mm == 0]
    if fallen:
        pieces = sum(len(knock.pieces) for knock in fallen)
        assert (f"{pieces} pieces fell" if pieces != 1 else "one piece fell") in found["Collapses"]
    else:
        assert found["Collapses"] == "Nothing fell."
    due = max(a.cars_due for step in timeline.steps for a in step.answers if isinstance(a, RulingLine) and a.turn)
    assert ("Best move" in found) == (due > 0)
    corrections = sum(isinstance(step.line, CorrectionFact) for step in timeline.steps)
    assert ("Questions" in found) or not corrections


# --- the city ---------------------------------------------------------------------------------------------------------


def test_the_city_is_as_high_and_wide_as_the_game(doubts: Timeline) -> None:
    solids = solids_of(doubts.game, doubts.pieces)
    pieces = {solid.piece for solid in solids}
    assert pieces == {*doubts.game.columns, *doubts.game.roads, *doubts.game.cars, *doubts.game.city}
    for column in doubts.game.columns.values():
        own = np.concatenate([solid.mesh.vertices for solid in solids if solid.piece == column.id])
        disc = doubts.game.state.discs[column.id]
        assert own[:, 2].max() == pytest.approx(disc.top_z, abs=0.5)
        assert own[:, 0].mean() == pytest.approx(column.x, abs=0.1)
        assert np.ptp(own[:, 0]) == pytest.approx(19.0, abs=0.2)
    for road in doubts.game.roads.values():
        (own,) = [solid.mesh.vertices for solid in solids if solid.piece == road.id]
        tips = np.asarray(road.ends)
        length = float(np.linalg.norm(tips[1] - tips[0]))
        along = (own - tips[0]) @ (tips[1] - tips[0]) / length
        assert (along.min(), along.max()) == pytest.approx((0, length), abs=0.6)


def test_the_packed_city_unpacks_to_the_same_places(doubts: Timeline) -> None:
    solids = solids_of(doubts.game, doubts.pieces)
    data = packed(solids)
    steps = np.frombuffer(base64.b64decode(str(data["positions"])), "<i2").reshape(-1, 3)
    points = steps / STEPS_A_MM + np.asarray(data["origin"])
    wanted = np.concatenate([solid.mesh.vertices for solid in solids])
    assert np.abs(points - wanted).max() < 0.06
    triangles = np.frombuffer(base64.b64decode(str(data["triangles"])), "<u4")
    assert triangles.max() == len(points) - 1
    assert len(triangles) == 3 * sum(len(solid.mesh.triangles) for solid in solids)


def test_the_glb_opens_elsewhere_in_metres_with_y_up(doubts: Timeline) -> None:
    import trimesh

    scene = trimesh.load(io.BytesIO(glb_of(solids_of(doubts.game, doubts.pieces))), file_type="glb", force="scene")
    low, high = scene.bounds
    top = max(
        max(disc.top_z for disc in doubts.game.state.discs.values()),
        max(thing.height for thing in doubts.game.city.values()),
    )
    assert low[1] == pytest.approx(0, abs=1e-3)
    assert high[1] >= top / 1000 - 1e-3
    xs = [column.x for column in doubts.game.columns.values()]
    assert low[0] <= min(xs) / 1000
    assert high[0] >= max(xs) / 1000


def test_a_game_of_nothing_has_a_report_all_the_same(tmp_path: Path) -> None:
    record = tmp_path / "game.jsonl"
    record.write_text('{"type":"game","version":1,"players":["blue","pink"]}\n')
    run(str(record), output=tmp_path / "game.html", glb=None)
    assert "Nothing fell." in (tmp_path / "game.html").read_text()


def test_the_command_writes_what_was_asked_for_and_harms_no_input(tmp_path: Path) -> None:
    record = tmp_path / "game.jsonl"
    record.write_text((GAMES / "classic-2-cars.jsonl").read_text())
    run(str(record), output=tmp_path / "a.html", glb=tmp_path / "a.glb")
    assert (tmp_path / "a.html").stat().st_size > 50_000
    assert (tmp_path / "a.glb").read_bytes()[:4] == b"glTF"
    page = tmp_path / "game.html"
    page.write_text(record.read_text())
    with pytest.raises(VisionError, match="can't be an output"):
        run(str(page), output=page)
    with pytest.raises(VisionError, match=r"name it like game\.html or case\.zip"):
        run(str(record), output=Path("-"))
    with pytest.raises(VisionError, match="where to"):
        run(str(record), output=None)
    with pytest.raises(RulesError, match="can't be read"):
        run(str(tmp_path / "none.jsonl"), output=tmp_path / "b.html")
    assert not (tmp_path / "b.html").exists()
