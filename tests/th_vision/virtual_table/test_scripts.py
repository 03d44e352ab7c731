"""The demo game: every situation that it names happens, by the rules' own word."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import pytest

from rules.events import CarsLine, PenaltyLine, RulingLine
from rules.pieces import Pieces
from th_vision.errors import VisionError
from th_vision.virtual_table.physics import disc_outline, interpenetrations, top_outline
from th_vision.virtual_table.playing import PlayedMoment
from th_vision.virtual_table.scripts import CLOSE_MM, COVER_MM, field_of, scripted_game

PIECES = Pieces()
SEED = 3  # one for which the first attempt shows it all


@lru_cache
def demo() -> tuple[PlayedMoment, ...]:
    return tuple(scripted_game("demo", np.random.default_rng(SEED), PIECES))


def showing(event: str) -> PlayedMoment:
    return next(m for m in demo() if event in m.what.events)


def ruling(moment: PlayedMoment) -> RulingLine:
    return next(answer for answer in moment.answers if isinstance(answer, RulingLine))


def cars(moment: PlayedMoment) -> CarsLine | None:
    return next((answer for answer in moment.answers if isinstance(answer, CarsLine)), None)


def test_it_has_at_least_twelve_turns_of_two_players() -> None:
    moves = [m.what for m in demo() if m.what.kind == "move"]
    assert len(moves) >= 12
    assert {what.player for what in moves} == {"blue", "pink"}


@pytest.mark.parametrize("side", ["over", "under"])
def test_a_road_crosses_for_a_car(side: str) -> None:
    line = ruling(showing(side))
    assert [c.side for c in line.crossings if c.pays] == [side]
    assert line.cars_due == 1


def test_one_road_goes_over_one_and_under_another() -> None:
    line = ruling(showing("over-and-under"))
    assert sorted((c.side, c.pays) for c in line.crossings) == [("over", True), ("under", True)]
    assert line.cars_due == 2


def test_a_road_is_not_the_first_any_more() -> None:
    line = ruling(showing("not-first"))
    assert line.cars_due == 0
    assert "side-taken" in {c.reason for c in line.crossings}


def test_a_road_crosses_its_own_players_road() -> None:
    line = ruling(showing("own-road"))
    assert line.cars_due == 0
    assert "own-road" in {c.reason for c in line.crossings}


def test_a_column_is_covered() -> None:
    line = ruling(showing("covered"))
    assert line.call == "fault"
    (fault,) = line.faults
    assert (fault.rule, fault.call) == ("column-covered", "fault")
    assert -COVER_MM[1] <= fault.value <= -COVER_MM[0]


def test_a_column_is_passed_too_close_for_a_camera_and_clear_for_the_truth() -> None:
    moment = showing("too-close")
    assert ruling(moment).call == "legal"
    stick = moment.scene.sticks[-1]
    others = [c for c in moment.scene.columns if c.id not in (moment.facts[0]["base"], moment.facts[0]["column"]["id"])]
    nearest = min(top_outline(stick).distance(disc_outline(c.x, c.y, PIECES.disc.diameter)) for c in others)
    assert nearest == pytest.approx(CLOSE_MM, abs=0.15), "by this stick's and disc's own size"


def test_pieces_of_the_other_player_fall_and_are_put_back() -> None:
    moments = demo()
    i = next(i for i, m in enumerate(moments) if m.what.kind == "knock")
    before, fallen, restored = moments[i - 1], moments[i], moments[i + 1]
    assert restored.what.kind == "restored"
    road = fallen.facts[0]["pieces"][0]
    lying = next(s for s in fallen.scene.sticks if s.id == road)
    assert [end[2] for end in lying.ends] == [lying.thickness] * 2
    penalty = next(answer for answer in fallen.answers if isinstance(answer, PenaltyLine))
    assert (penalty.from_, penalty.discs) == (fallen.what.player, 1)
    again, was = (next(s for s in m.scene.sticks if s.id == road) for m in (restored, before))
    assert max(math.dist(a, b) for a, b in zip(again.ends, was.ends, strict=True)) < 4
    rest = [s for s in restored.scene.sticks if s.id != road]
    assert rest == [s for s in before.scene.sticks if s.id != road]
    assert {s.id for s in fallen.scene.sticks} == {s.id for s in before.scene.sticks}
    assert {k.id for k in fallen.scene.cars} == {k.id for k in before.scene.cars}


def test_an_offramp_earns_its_car() -> None:
    moment = showing("offramp")
    assert moment.facts[0]["column"] is None
    assert moment.scene.sticks[-1].rests_on[1] == "table"
    assert ruling(moment).offramp_bonus


def test_a_junction_is_built_and_branches() -> None:
    assert showing("junction").facts[0]["column"]["yellow"] == 1
    bases = [m.facts[0]["base"] for m in demo() if m.what.kind == "move"]
    junctions = {c.id for c in demo()[-1].scene.columns if c.junction}
    assert any(bases.count(junction) == 2 for junction in junctions)


def test_a_car_is_forgotten() -> None:
    moment = showing("forgotten-car")
    line = cars(moment)
    assert line is not None
    assert (line.due, line.placed, line.call) == (1, 0, "fault")


def test_nothing_else_breaks_a_rule() -> None:
    for moment in demo():
        for answer in moment.answers:
            if isinstance(answer, RulingLine) and "covered" not in moment.what.events:
                assert answer.call == "legal", moment.label
            if isinstance(answer, CarsLine) and "forgotten-car" not in moment.what.events:
                assert answer.call == "legal", moment.label


def test_no_body_is_in_another_at_any_moment() -> None:
    for moment in demo():
        if moment.what.kind in ("knock", "restored") or moment is demo()[-1]:
            assert interpenetrations(moment.scene) == [], moment.label


def test_it_stays_inside_its_field() -> None:
    half = np.array(field_of(PIECES)) / 2
    for moment in demo():
        assert all(np.all(np.abs(end[:2]) <= half) for s in moment.scene.sticks for end in s.ends)


def test_the_hand_reaches_in_before_each_change() -> None:
    assert all(moment.hands for moment in demo() if moment.what.kind != "setup" or moment.what.player)


def test_unknown_scripts_and_players_are_refused() -> None:
    with pytest.raises(VisionError, match="not known"):
        next(scripted_game("chess", np.random.default_rng(0), PIECES))
    with pytest.raises(VisionError, match="2 players"):
        next(scripted_game("demo", np.random.default_rng(0), PIECES, ("blue", "pink", "blue")))
