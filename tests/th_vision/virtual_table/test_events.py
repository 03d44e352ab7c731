"""Every fault of the rule book can be made to happen, and is ruled as its label says; near a limit nothing else is."""

from __future__ import annotations

from functools import lru_cache
from typing import get_args

import numpy as np
import pytest

from rules.events import CarsLine, FaultRule, RulingLine
from rules.pieces import Pieces
from th_vision.virtual_table.candidates import Field, Margins
from th_vision.virtual_table.city_setup import place_all
from th_vision.virtual_table.events import ALL_EVENTS, CITY_EVENTS, MORE_EVENTS
from th_vision.virtual_table.offences import At
from th_vision.virtual_table.physics import interpenetrations
from th_vision.virtual_table.player import find_build, set_up
from th_vision.virtual_table.playing import PlayedMoment, Playing
from th_vision.virtual_table.scenarios import SCENARIOS_CITY
from th_vision.virtual_table.setup_offences import SETUP_EVENTS
from th_vision.virtual_table.shown import BUSY, HOMING, LOW

PIECES = Pieces()
FIELD = Field(620.0, 370.0)
CITY_FIELD = Field(760.0, 440.0)
SITUATIONS = 60  # tables looked at for one that offers a place
ONE_YELLOW = {"material": {p: {"gray": 30, "yellow": 1, "sticks": 15, "cars": 10} for p in ("blue", "pink")}}


def _tables(seed: int, city: bool) -> list[Playing]:
    rng = np.random.default_rng(seed)
    rules = "rainbow-city-zh" if city else "rainbow-city"
    game = Playing(rng, PIECES, ("blue", "pink"), rules, game_options=None if city else ONE_YELLOW)
    field = CITY_FIELD if city else FIELD
    list(set_up(game, rng))
    if city:
        list(place_all(game, rng, field, SCENARIOS_CITY))
    found = [game.saved()]
    for turn in range(20):
        taste = LOW if city and turn % 4 < 2 else BUSY if turn % 4 < 2 else HOMING
        build = find_build(game, rng, field, Margins(), taste)
        if build is None:
            break
        game.play(build)
        found.append(game.saved())
    return found


@lru_cache
def tables(city: bool) -> tuple[Playing, ...]:
    """Two games, as they stood after each of their turns."""
    return tuple(table for seed in (4105, 4106) for table in _tables(seed, city))


def happened(name: str) -> PlayedMoment:
    city = name in CITY_EVENTS
    situations = tables(city)
    for attempt in range(SITUATIONS):
        rng = np.random.default_rng([attempt, 2])
        game = situations[(7 * attempt + 5) % len(situations)].saved()
        game.rng = rng
        moments = ALL_EVENTS[name].make(At(game, rng, CITY_FIELD if city else FIELD, Margins()))
        if moments:
            return moments[0]
    raise AssertionError(f"no table of {SITUATIONS} offers a place for {name}")


def broken(moment: PlayedMoment) -> set[str]:
    lines = (a for a in moment.answers if isinstance(a, RulingLine | CarsLine))
    return {fault.rule for line in lines for fault in line.faults if fault.call != "clear"}


def test_there_is_an_event_for_every_fault_rule_of_the_contract() -> None:
    shown = {event.rule for event in ALL_EVENTS.values()} | {rule for _, rule in SETUP_EVENTS.values()}
    assert shown - {None} == set(get_args(FaultRule))


@pytest.mark.parametrize("name", [n for n, e in (MORE_EVENTS | CITY_EVENTS).items() if e.rule is not None])
def test_what_is_done_on_purpose_breaks_its_rule(name: str) -> None:
    moment = happened(name)
    assert ALL_EVENTS[name].rule in broken(moment)
    assert interpenetrations(moment.scene) == []


@pytest.mark.parametrize("name", [n for n, e in (MORE_EVENTS | CITY_EVENTS).items() if e.rule is None])
def test_near_a_limit_nothing_but_that_limit_is_in_question(name: str) -> None:
    moment = happened(name)
    (close,) = (event.removeprefix("close:") for event in moment.what.events if event.startswith("close:"))
    assert broken(moment) <= {close}
    for ruling in moment.answers:
        if isinstance(ruling, RulingLine):
            assert all(abs(fault.value - fault.limit) < 1.0 for fault in ruling.faults)
    assert interpenetrations(moment.scene) == []
