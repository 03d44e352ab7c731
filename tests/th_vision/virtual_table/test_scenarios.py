"""Scenarios by name: what they promise happens, by the rules' own word; what can't be is refused in one line."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest

from bench.scenarios import wrong_labels
from rules.events import EndLine, RulingLine, ScoreLine
from rules.pieces import Box, Disc, Pieces, Stick
from th_vision.errors import VisionError
from th_vision.virtual_table.city import BASE_SET
from th_vision.virtual_table.physics import interpenetrations
from th_vision.virtual_table.playing import PlayedMoment
from th_vision.virtual_table.scenarios import SCENARIOS
from th_vision.virtual_table.session import Session, Setup
from th_vision.virtual_table.setup_offences import SETUP_EVENTS
from th_vision.virtual_table.simulate import check_pieces, moments_of, request

SEED = 4101
HIGH = Setup(seed=SEED, distance_mm=680.0)


@lru_cache
def played(name: str, turns: int | None = None) -> tuple[PlayedMoment, ...]:
    moments = moments_of(Session(HIGH), request(name, turns=turns))
    return tuple(m for m in moments if isinstance(m, PlayedMoment))


def events(name: str) -> list[str]:
    return [event for moment in played(name) for event in moment.what.events]


def broken(moment: PlayedMoment) -> set[str]:
    rulings = (a for a in moment.answers if isinstance(a, RulingLine))
    return {fault.rule for ruling in rulings for fault in ruling.faults if fault.call == "fault"}


@pytest.mark.parametrize("name", ["setup-faults", "setup-limits"])
def test_a_set_up_breaks_what_its_labels_say(name: str) -> None:
    assert wrong_labels(played(name)) == []
    for moment in played(name):
        for event in moment.what.events:
            rule = SETUP_EVENTS[event][1]
            assert rule is None or rule in broken(moment)
    assert len(events(name)) == 4


def test_the_city_is_set_up_by_the_rules_and_played_to_the_end() -> None:
    moments = played("city")
    assert wrong_labels(moments) == []
    placed = [fact["object"]["kind"] for m in moments for fact in m.facts if fact["type"] == "city"]
    assert placed == list(BASE_SET)
    assert [a.reason for m in moments for a in m.answers if isinstance(a, EndLine)] == ["all-sticks-placed"]
    last = [a for m in moments for a in m.answers if isinstance(a, ScoreLine)][-1]
    assert all(score.drive >= 2 for score in last.players.values())
    assert interpenetrations(moments[-1].scene) == []
    assert len({car.type for car in moments[-1].scene.cars}) > 4
    standing = {column.on for column in moments[-1].scene.columns}
    assert standing <= {"table", *(f"d{k}" for k in range(1, 6))}


def test_columns_on_an_area_stand_on_its_card() -> None:
    for moment in played("city")[-1:]:
        for column in moment.scene.columns:
            card = next((body for body in moment.scene.city if body.id == column.on), None)
            assert column.base_z == (card.top_z if card is not None else 0.0)


@pytest.mark.parametrize(
    ("name", "happens"),
    [
        ("things", {"thing:cup", "thing:phone", "thing:card", "taken-away"}),
        ("hands", {"hand-rests", "gone"}),
        ("bumped", {"camera-bumped", "camera-put-back"}),
        ("table-moved", {"table-moved"}),
        ("lamp", {"light-changes"}),
        ("cars", {"car-wrong-road", "car-wrong-owner", "forgotten-car", "extra-car"}),
    ],
)
def test_what_a_scenario_is_named_for_happens(name: str, happens: set[str]) -> None:
    assert happens <= set(events(name))
    assert wrong_labels(played(name)) == []


def test_things_lie_clear_of_all_pieces_and_are_in_the_truth() -> None:
    lying = [m for m in played("things") if m.scene.foreign]
    assert lying
    for moment in lying:
        assert len(moment.scene.layout().unknown) == len(moment.scene.foreign)
    assert any(m.facts for m in lying), "the game goes on meanwhile"


def test_a_bumped_camera_sees_the_same_table_from_elsewhere() -> None:
    session = Session(HIGH)
    usual = session.camera.T_depth_table
    tilts = []
    for moment in played("bumped"):
        off = session.pose_at(moment) @ np.linalg.inv(usual)
        tilts.append(float(np.degrees(np.arccos(np.clip((np.trace(off[:3, :3]) - 1) / 2, -1, 1)))))
    assert tilts[0] == 0
    assert max(tilts) > 1.5
    assert 0 < tilts[-1] < 0.2, "put back, nearly as it was"


def test_pushes_grow_from_a_millimetre_to_a_collapse() -> None:
    knocks = [fact for m in played("knocks") for fact in m.facts if fact["type"] == "knock"]
    assert [fact["shift_mm"] for fact in knocks] == [1.0, 2.0, 3.5, 6.0, 0, 0]


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"scenario": "earthquake"}, "earthquake"),
        ({"players": 5}, "5 players"),
        ({"scenario": "demo", "players": 3}, "for 2 players"),
        ({"turns": 0}, "0 turns"),
        ({"scenario": "classic", "rules": "rainbow-city"}, "classic"),
        ({"pieces": Pieces(stick=Stick(length=40))}, "too short"),
        ({"pieces": Pieces(stick=Stick(width=25))}, "doesn't fit"),
        ({"pieces": Pieces(cars={"limousine": Box(length=80, width=9, height=9)})}, "limousine"),
    ],
)
def test_what_cannot_be_played_is_refused(asked: dict[str, object], says: str) -> None:
    with pytest.raises(VisionError, match=says) as error:
        request(**asked)  # type: ignore[arg-type]  # as a user may ask
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("setup", "scenario", "players", "says"),
    [
        (Setup(distance_mm=530.0), "city", 4, "hang it at"),
        (Setup(camera="D435", distance_mm=2000.0, size=(848, 480)), "game", 2, "too high"),
    ],
)
def test_a_camera_too_low_or_too_high_is_refused_with_the_height_that_does(
    setup: Setup, scenario: str, players: int, says: str
) -> None:
    with pytest.raises(VisionError, match=says):
        moments_of(Session(setup), request(scenario, players=players))


def test_other_sizes_are_played_with() -> None:
    other = Pieces(stick=Stick(length=150, width=12, thickness=2.2), disc=Disc(diameter=24, height=8))
    check_pieces(other)
    asked = request("game", pieces=other, turns=2)
    moments = list(moments_of(Session(Setup(distance_mm=700.0)), asked))
    assert moments[-1].scene.sticks[-1].length == pytest.approx(150, abs=3)
    assert moments[0].facts[0]["pieces"]["disc"]["height"] == 8


def test_every_scenario_says_what_happens() -> None:
    for scenario in SCENARIOS.values():
        assert 10 < len(scenario.words) < 170
        assert set(scenario.players) <= {2, 3, 4}
