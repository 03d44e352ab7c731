"""What goes wrong on purpose goes wrong in the way its name says, by the rules' own word."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest

from rules.events import CarsLine, PenaltyLine, RulingLine
from rules.pieces import Pieces
from th_vision.errors import VisionError
from th_vision.virtual_table.candidates import Field, Margins
from th_vision.virtual_table.mischief import EVENTS, NUDGE_MM, eventful_game
from th_vision.virtual_table.offences import At
from th_vision.virtual_table.physics import interpenetrations
from th_vision.virtual_table.player import find_build, set_up
from th_vision.virtual_table.playing import PlayedMoment, Playing

PIECES = Pieces()
SITUATIONS = 40  # tables looked at for one that offers a place


@lru_cache
def tables() -> tuple[Playing, ...]:
    """One game, as it stood after each of its turns."""
    game = Playing(np.random.default_rng(4), PIECES, ("blue", "pink"))
    list(set_up(game, game.rng))
    found = []
    for _ in range(12):
        build = find_build(game, game.rng, Field(), Margins())
        assert build is not None
        game.play(build)
        found.append(game.saved())
    return tuple(found)


def happened(name: str) -> list[PlayedMoment]:
    for attempt in range(SITUATIONS):
        rng = np.random.default_rng([attempt, 1])
        game = tables()[-1 - attempt % len(tables())].saved()
        game.rng = rng
        moments = EVENTS[name].make(At(game, rng, Field(), Margins()))
        if moments:
            return moments
    raise AssertionError(f"no table of {SITUATIONS} offers a place for {name}")


@pytest.mark.parametrize("name", [name for name, event in EVENTS.items() if event.rule and "car" not in name])
def test_a_move_against_a_rule_breaks_it(name: str) -> None:
    (moment,) = happened(name)
    ruling = next(answer for answer in moment.answers if isinstance(answer, RulingLine))
    assert ruling.call == "fault"
    assert EVENTS[name].rule in {fault.rule for fault in ruling.faults}
    assert interpenetrations(moment.scene) == []


@pytest.mark.parametrize(("name", "more"), [("forgotten-car", -1), ("extra-car", 1)])
def test_cars_are_placed_that_were_not_due_or_not_placed_that_were(name: str, more: int) -> None:
    (moment,) = happened(name)
    line = next(answer for answer in moment.answers if isinstance(answer, CarsLine))
    assert line.placed - line.due == more
    assert line.call == "fault"


@pytest.mark.parametrize("name", ["close-to-column", "close-to-overhang", "close-gap"])
def test_a_close_case_is_within_a_camera_s_doubt_of_its_limit(name: str) -> None:
    (moment,) = happened(name)
    rule = next(event for event in moment.what.events if event.startswith("close:")).removeprefix("close:")
    ruling = next(answer for answer in moment.answers if isinstance(answer, RulingLine))
    assert {fault.rule for fault in ruling.faults} <= {rule}
    assert all(abs(fault.value - fault.limit) < 1.6 for fault in ruling.faults)
    assert interpenetrations(moment.scene) == []


@pytest.mark.parametrize("name", ["knock", "collapse"])
def test_what_falls_is_paid_for_and_put_back(name: str) -> None:
    fallen, restored = happened(name)
    assert [answer.discs for answer in fallen.answers if isinstance(answer, PenaltyLine)] == [1]
    assert restored.what.kind == "restored"
    for moment in (fallen, restored):
        assert interpenetrations(moment.scene) == []
    levels = sum(column.levels for column in restored.scene.columns)
    assert sum(column.levels for column in fallen.scene.columns) == levels, "no disc is lost"
    assert {s.id for s in fallen.scene.sticks} == {s.id for s in restored.scene.sticks}
    assert {k.id for k in fallen.scene.cars} == {k.id for k in restored.scene.cars}


def test_a_nudged_column_stands_so_far_off_and_costs_nothing() -> None:
    nudged, restored = happened("nudge")
    (line,) = nudged.facts
    column = line["pieces"][0]
    off = [next(c for c in moment.scene.columns if c.id == column) for moment in (nudged, restored)]
    assert np.hypot(off[0].x - off[1].x, off[0].y - off[1].y) == pytest.approx(line["shift_mm"], abs=1e-6)
    assert NUDGE_MM[0] <= line["shift_mm"] <= NUDGE_MM[1]
    assert not [answer for answer in nudged.answers if isinstance(answer, PenaltyLine)]
    assert interpenetrations(nudged.scene) == []


def test_a_move_taken_back_leaves_the_table_as_it_was() -> None:
    laid, back = happened("taken-back")
    assert back.facts == ({"type": "undo", "turn": laid.what.turn},)
    assert len(back.scene.sticks) == len(laid.scene.sticks) - 1
    assert back.scene.sticks == laid.scene.sticks[:-1]


def test_two_moves_without_a_pause_are_one_moment_with_two_facts() -> None:
    (moment,) = happened("two-at-once")
    assert [line["type"] for line in moment.facts] == ["move", "move"]
    assert moment.facts[0]["player"] != moment.facts[1]["player"]


def test_in_an_eventful_game_all_that_breaks_a_rule_is_labelled() -> None:
    game = eventful_game(np.random.default_rng(1), PIECES, turns=12, share=0.6)
    labelled = 0
    for moment in game:
        labelled += bool(moment.what.events)
        for answer in moment.answers:
            if isinstance(answer, RulingLine | CarsLine) and answer.call != "legal":
                assert moment.what.events, moment.label
    assert labelled >= 3


def test_an_unknown_event_is_refused() -> None:
    with pytest.raises(VisionError, match="earthquake"):
        next(eventful_game(np.random.default_rng(1), PIECES, events=("earthquake",)))
