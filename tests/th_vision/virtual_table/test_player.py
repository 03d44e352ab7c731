"""The virtual player: its games are legal by the rules' own game, and stand as real pieces would."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache

import numpy as np
import pytest

from rules.events import CarsLine, RulingLine
from rules.pieces import Disc, Pieces, Stick
from th_vision.errors import VisionError
from th_vision.virtual_table.physics import (
    column_support,
    interpenetrations,
    stick_support,
    under_height,
    under_outline,
)
from th_vision.virtual_table.player import random_game
from th_vision.virtual_table.playing import PlayedMoment
from th_vision.virtual_table.scene import Scene

FOUR = Pieces(players={"blue": "#5b8fd6", "pink": "#e58fb0", "green": "#6db36a", "orange": "#e0913f"})
OTHER = Pieces(stick=Stick(length=150, width=12, thickness=2.2), disc=Disc(diameter=24, height=8))
GAMES = {
    "two": (FOUR, ("blue", "pink"), "rainbow-city", 16, (600.0, 380.0)),
    "four": (FOUR, tuple(FOUR.players), "rainbow-city-missions", 16, (700.0, 500.0)),
    "other pieces": (OTHER, ("blue", "pink"), "classic", 8, (700.0, 450.0)),
}


@lru_cache
def played(name: str) -> tuple[PlayedMoment, ...]:
    pieces, players, preset, turns, field_mm = GAMES[name]
    return tuple(random_game(np.random.default_rng(5), pieces, players, preset, turns, field_mm))


@pytest.mark.parametrize("name", GAMES)
def test_every_move_is_legal_and_every_car_due_stands(name: str) -> None:
    moves = [moment for moment in played(name) if moment.what.kind == "move"]
    assert len(moves) >= GAMES[name][3] - 4
    for moment in played(name):
        for answer in moment.answers:
            if isinstance(answer, RulingLine):
                assert answer.call == "legal", (moment.label, answer.faults)
                assert all(c.call == "clear" and c.reason != "partial" for c in answer.crossings)
            if isinstance(answer, CarsLine):
                assert answer.call == "legal"
                assert answer.placed == answer.due


@pytest.mark.parametrize("name", GAMES)
def test_no_body_is_in_another(name: str) -> None:
    assert interpenetrations(played(name)[-1].scene) == []


@pytest.mark.parametrize("name", GAMES)
def test_a_move_leaves_every_earlier_piece_where_it_was(name: str) -> None:
    before = Scene()
    for moment in played(name):
        now = moment.scene
        assert now.columns[: len(before.columns)] == before.columns
        assert now.sticks[: len(before.sticks)] == before.sticks
        assert now.cars[: len(before.cars)] == before.cars
        assert len(now.columns) - len(before.columns) <= 1
        assert len(now.sticks) - len(before.sticks) <= 1
        before = now


def test_each_end_touches_what_it_is_said_to_rest_on() -> None:
    scene = played("two")[-1].scene
    faces = {c.id: column_support(c) for c in scene.columns} | {s.id: stick_support(s) for s in scene.sticks}
    for stick in scene.sticks:
        for end, name in enumerate(stick.rests_on):
            if name == "table":
                assert stick.ends[end][2] == pytest.approx(stick.thickness, abs=0.1)
                continue
            face = faces[name]
            common = under_outline(stick).intersection(face.outline)
            dense = np.array(common.segmentize(0.25).exterior.coords)
            gaps = under_height(stick, dense) - face.height(dense)
            assert gaps.min() == pytest.approx(0, abs=0.02), (stick.id, name)


def test_pieces_are_conserved() -> None:
    moments = played("four")
    last = moments[-1]
    supply = [answer for moment in moments for answer in moment.answers if answer.type == "supply"][-1]
    sticks = sum(held.sticks for held in supply.players.values())
    cars = sum(held.cars for held in supply.players.values())
    discs = sum(held.gray + held.yellow for held in supply.players.values())
    assert sticks + len(last.scene.sticks) == 4 * 9
    assert cars + len(last.scene.cars) == 4 * 10
    assert discs + sum(c.levels for c in last.scene.columns) == 4 * (20 + 2)


def test_ids_are_used_once() -> None:
    scene = played("four")[-1].scene
    ids = [body.id for body in (*scene.columns, *scene.sticks, *scene.cars)]
    assert max(Counter(ids).values()) == 1


def test_all_stays_inside_the_field() -> None:
    scene = played("two")[-1].scene
    points = [end[:2] for stick in scene.sticks for end in stick.ends] + [(c.x, c.y) for c in scene.columns]
    assert np.all(np.abs(points) <= [300, 190])


def test_the_players_seek_crossings_that_pay() -> None:
    """More than a third of the moves after the first rounds earn a car."""
    due = [
        answer.cars_due
        for name in ("two", "four")
        for moment in played(name)[-11:]
        for answer in moment.answers
        if isinstance(answer, RulingLine)
    ]
    assert sum(due) > len(due) / 3


def test_the_same_seed_plays_the_same_game() -> None:
    def facts() -> list[object]:
        game = random_game(np.random.default_rng(3), FOUR, ("blue", "pink"), "rainbow-city", 4)
        return [moment.facts for moment in game]

    assert facts() == facts()


def test_margins_keep_every_measured_rule_away_from_its_limit() -> None:
    """At a sigma of a fourth of the margin the rules still call everything clear (k = 2)."""
    from rules.events import GameFact, MoveFact, RampFact
    from rules.game import Game
    from th_vision.virtual_table.record_lines import as_fact

    margin = 4.0
    moments = list(random_game(np.random.default_rng(11), FOUR, ("blue", "pink"), turns=8, margin_mm=margin))
    lines = [line for moment in moments for line in moment.facts]
    first = as_fact(lines[0])
    assert isinstance(first, GameFact)
    game = Game(first)
    for line in lines[1:]:
        for part in ("column", "road"):
            if line.get(part):
                line = line | {part: line[part] | {"sigma_xy": margin / 8, "sigma_z": margin / 8}}
        fact = as_fact(line)
        assert isinstance(fact, MoveFact | RampFact)
        for answer in game.apply(fact):
            if isinstance(answer, RulingLine):
                assert answer.call == "legal", (answer.road, answer.faults)


@pytest.mark.parametrize(
    ("players", "preset", "field_mm", "what"),
    [
        (("blue", "pink"), "chess", (600.0, 380.0), "unknown rule set"),
        (("blue",), "rainbow-city", (600.0, 380.0), "2 to 4 players"),
        (("blue", "pink", "green"), "classic", (600.0, 380.0), "2 to 2 players"),
        (("blue", "mauve"), "rainbow-city", (600.0, 380.0), "no colour"),
        (("blue", "pink"), "rainbow-city", (600.0, 200.0), "too small"),
    ],
)
def test_games_that_cant_be_are_refused(
    players: tuple[str, ...], preset: str, field_mm: tuple[float, float], what: str
) -> None:
    with pytest.raises(VisionError, match=what):
        next(random_game(np.random.default_rng(0), FOUR, players, preset, 5, field_mm))
