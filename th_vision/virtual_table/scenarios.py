"""What can be simulated, by name: each scenario with a line that says what happens, who plays it and what it needs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rules.pieces import Box, Pieces
from th_vision.errors import VisionError
from th_vision.virtual_table.car_set import CARS
from th_vision.virtual_table.city import BASE_SET, EXPANSIONS
from th_vision.virtual_table.moment import Moment
from th_vision.virtual_table.scene import Spread

Size = tuple[float, float]

ANY_RULES = ("rainbow-city", "rainbow-city-missions", "classic", "rainbow-city-zh")
CITY_RULES = ("rainbow-city-missions", "rainbow-city", "rainbow-city-zh")
USUAL_TURNS = 12
TO_THE_END = 400
SHORT_GAME = 9  # turns of a game that something else is shown on
STICK_MM = 114.0  # the usual stick: fields are told in its lengths
WORN = Spread(
    stick_length=0.9,
    stick_width=0.35,
    stick_thickness=0.12,
    bow=0.7,
    roll_deg=2.0,
    disc_diameter=0.15,
    disc_height=0.1,
    off_centre=0.9,
    lean_per_disc=0.5,
    shade=0.12,
    pad=0.5,
)
"""Pieces of a set that was used a lot, with rubber pads on the columns."""


@dataclass(frozen=True)
class Ask:
    """A game as it is asked for. ``turns``: at most so many, None: as many as the scenario has."""

    rng: np.random.Generator
    pieces: Pieces
    players: tuple[str, ...]
    rules: str
    turns: int | None
    field_mm: Size


@dataclass(frozen=True)
class Scenario:
    """``words``: what happens. ``players``: how many may play, the usual number first; ``rules`` likewise.

    ``field``: what it needs to see, stick lengths, for the fewest players; None: whatever there is. ``city``: the
    city objects that are set up. ``all_cars``: cars of all ten types are in play.
    """

    name: str
    words: str
    make: Callable[[Ask], Iterable[Moment]]
    players: tuple[int, ...] = (2,)
    rules: tuple[str, ...] = ("rainbow-city",)
    field: dict[int, Size] | None = None
    city: tuple[str, ...] = ()
    all_cars: bool = False

    def pieces(self, pieces: Pieces) -> Pieces:
        """The pieces that this scenario is played with."""
        from th_vision.virtual_table.city import with_city

        found = with_city(pieces, tuple(dict.fromkeys(self.city))) if self.city else pieces
        if not self.all_cars:
            return found
        scale = pieces.stick.length / STICK_MM
        grown = {
            name: Box(length=box.length * scale, width=box.width * scale, height=box.height * scale, cabin=box.cabin)
            for name, box in CARS.items()
        }
        return found.model_copy(update={"cars": grown | found.cars})

    def needs_mm(self, pieces: Pieces, players: int) -> Size | None:
        """Width and height of the field that it needs, mm."""
        size = None if self.field is None else self.field.get(players)
        return None if size is None else (size[0] * pieces.stick.length, size[1] * pieces.stick.length)


def _limited(field_mm: Size, pieces: Pieces, most: Size) -> Size:
    """The field that is played on: what is seen, but no more than so many stick lengths."""
    length = pieces.stick.length
    return min(field_mm[0], most[0] * length), min(field_mm[1], most[1] * length)


# --- the games --------------------------------------------------------------------------------------------------------


def _game(ask: Ask) -> Iterable[Moment]:
    from th_vision.virtual_table.player import check_request, random_game

    field = (min(ask.field_mm[0], 620.0), min(ask.field_mm[1], 400.0))
    check_request(ask.pieces, ask.players, ask.rules, field)
    turns = USUAL_TURNS if ask.turns is None else ask.turns
    return random_game(ask.rng, ask.pieces, ask.players, ask.rules, turns, field)


def _static(ask: Ask) -> Iterable[Moment]:
    from th_vision.virtual_table.static_scenes import random_static_scene

    area = (min(ask.field_mm[0], 430.0), min(ask.field_mm[1], 290.0))
    return [Moment(scene=random_static_scene(ask.rng, ask.pieces, field_mm=area), label="a still scene")]


def _demo(ask: Ask) -> Iterable[Moment]:
    from th_vision.virtual_table.scripts import scripted_game

    return _up_to(scripted_game("demo", ask.rng, ask.pieces, ask.players), ask.turns)


def _eventful(ask: Ask) -> Iterable[Moment]:
    from th_vision.virtual_table.mischief import eventful_game
    from th_vision.virtual_table.scripts import field_of

    return eventful_game(ask.rng, ask.pieces, ask.players, turns=ask.turns or 20, field_mm=field_of(ask.pieces))


def _whole(kinds: Sequence[str], usual_turns: int) -> Callable[[Ask], Iterable[Moment]]:
    def make(ask: Ask) -> Iterable[Moment]:
        from th_vision.virtual_table.whole_game import whole_game

        most = {2: (5.6, 3.4), 3: (6.8, 4.2), 4: (7.8, 4.8)}[len(ask.players)]
        field = _limited(ask.field_mm, ask.pieces, most)
        turns = usual_turns if ask.turns is None else ask.turns
        return whole_game(ask.rng, ask.pieces, ask.players, ask.rules, turns, field, kinds=kinds)

    return make


def _worn(ask: Ask) -> Iterable[Moment]:
    from th_vision.virtual_table.player import random_game

    field = _limited(ask.field_mm, ask.pieces, (5.4, 3.4))
    turns = USUAL_TURNS if ask.turns is None else ask.turns
    return random_game(ask.rng, ask.pieces, ask.players, ask.rules, turns, field, margin_mm=4.0, spread=WORN)


def _showing(*names: str, yellow: int | None = None, setup: tuple[str, ...] = ()) -> Callable[[Ask], Iterable[Moment]]:
    """A game in which events happen, by name or by the name of a group of them."""

    def make(ask: Ask) -> Iterable[Moment]:
        from th_vision.virtual_table import events
        from th_vision.virtual_table.mischief import EVENTS
        from th_vision.virtual_table.shown import showing

        plain = EVENTS | events.MORE_EVENTS
        groups: dict[str, Sequence[str]] = {
            "faults": [name for name, e in plain.items() if e.rule is not None],
            "limits": [name for name in plain if name.startswith(("close-", "barely"))],
            "city faults": [name for name, e in events.CITY_EVENTS.items() if e.rule is not None],
            "city limits": [name for name, e in events.CITY_EVENTS.items() if e.rule is None],
        }
        chosen = [name for group in names for name in groups.get(group, (group,))]
        city = SCENARIOS_CITY if any(name in events.CITY_EVENTS for name in chosen) or setup else ()
        field = _limited(ask.field_mm, ask.pieces, (6.6, 3.9) if city else (5.5, 3.3))
        played = showing(
            ask.rng, ask.pieces, ask.players, ask.rules, field, chosen, kinds=city, setup=setup, yellow=yellow
        )
        return _up_to(played, ask.turns)

    return make


SCENARIOS_CITY: tuple[str, ...] = (*BASE_SET, *EXPANSIONS)


def _set_up(*events: str) -> Callable[[Ask], Iterable[Moment]]:
    def make(ask: Ask) -> Iterable[Moment]:
        from th_vision.virtual_table.shown import showing

        field = _limited(ask.field_mm, ask.pieces, (5.6, 3.4))
        return showing(ask.rng, ask.pieces, ask.players, ask.rules, field, (), kinds=BASE_SET, setup=events)

    return make


def _knocks(ask: Ask) -> Iterable[Moment]:
    from th_vision.virtual_table.knocks import knocked_game

    field = _limited(ask.field_mm, ask.pieces, (5.3, 3.3))
    return _up_to(knocked_game(ask.rng, ask.pieces, ask.players, ask.rules, field), ask.turns)


def _with(wrapper: str, turns: int = SHORT_GAME) -> Callable[[Ask], Iterable[Moment]]:
    """A short game with something of ``disturbances`` added."""

    def make(ask: Ask) -> Iterable[Moment]:
        from th_vision.virtual_table import disturbances
        from th_vision.virtual_table.player import random_game

        field = _limited(ask.field_mm, ask.pieces, (5.3, 3.3))
        played = random_game(ask.rng, ask.pieces, ask.players, ask.rules, ask.turns or turns, field)
        by = np.random.default_rng(ask.rng.integers(2**32))
        added: Any = {
            "things": lambda: disturbances.with_things(played, by, field),
            "hands": lambda: disturbances.with_hands(played, by, field),
            "bumps": lambda: disturbances.with_bumps(played),
            "table": lambda: disturbances.with_table_moved(played),
            "lamp": lambda: disturbances.with_lamp(played),
        }[wrapper]
        moments: Iterable[Moment] = added()
        return moments

    return make


def _up_to(moments: Iterable[Moment], turns: int | None) -> Iterator[Moment]:
    """The moments of the first so many turns."""
    for moment in moments:
        what = getattr(moment, "what", None)
        if turns is not None and what is not None and what.turn > turns:
            return
        yield moment


_TWO: dict[int, Size] = {2: (4.9, 2.9)}
_CITY: dict[int, Size] = {2: (4.9, 2.9), 3: (5.8, 3.4), 4: (6.6, 3.9)}
_CARS = ("wrong-road", "wrong-owner", "forgotten-car", "extra-car")

_ALL = (
    Scenario("game", "a legal game from the seed, as long as --turns says", _game, (2, 3, 4), ANY_RULES),
    Scenario("static", "one still scene: two chains with crossings, junctions, offramps and cars", _static, (2, 3, 4)),
    Scenario(
        "demo",
        "2 players: over, under, both at once, not first, a junction, an offramp, a covered column, a close call, "
        "a knock, an own road crossed, a forgotten car",
        _demo,
        field=_TWO,
    ),
    Scenario(
        "eventful",
        "a game of 20 turns in which things go wrong: faults, cases close to a limit, knocks, moves taken back",
        _eventful,
        field=_TWO,
    ),
    Scenario(
        "city",
        "the whole box: city objects set up in turns, ten types of cars, missions, to the end of the game",
        _whole(BASE_SET, TO_THE_END),
        (2, 3, 4),
        CITY_RULES,
        _CITY,
        BASE_SET,
        all_cars=True,
    ),
    Scenario(
        "expansions",
        "the same with the pagoda, the yacht harbor and the amusement park",
        _whole(SCENARIOS_CITY, TO_THE_END),
        (2, 3, 4),
        ("rainbow-city-zh",),
        {2: (5.6, 3.3), 3: (6.2, 3.7), 4: (6.8, 4.1)},
        SCENARIOS_CITY,
        all_cars=True,
    ),
    Scenario(
        "classic",
        "the classic game of two, to its end",
        _whole((), TO_THE_END),
        rules=("classic",),
        field=_TWO,
    ),
    Scenario("worn", "worn pieces: bowed and rolled sticks, leaning columns with rubber pads", _worn, field=_TWO),
    Scenario(
        "faults",
        "every fault that needs no city, one after the other, each taken back",
        _showing("faults", yellow=1),
        field=_TWO,
    ),
    Scenario(
        "city-faults",
        "every fault that needs the city: columns, roads and offramps where none may be",
        _showing("city faults"),
        rules=("rainbow-city-zh",),
        field={2: (5.8, 3.4)},
        city=SCENARIOS_CITY,
    ),
    Scenario(
        "setup-faults",
        "a set-up against the rules: ramps and areas too near, a building over its area's edge, an area too late",
        _set_up("near-ramps", "near-areas", "over-area-edge", "late-area"),
        rules=CITY_RULES,
        field=_TWO,
        city=BASE_SET,
    ),
    Scenario(
        "setup-limits",
        "a set-up at the limits: ramps, areas and a building just right or just not, two buildings on one area",
        _set_up("close-ramps", "close-areas", "close-area-edge", "two-on-one"),
        rules=CITY_RULES,
        field=_TWO,
        city=BASE_SET,
    ),
    Scenario(
        "limits",
        "moves within half a millimetre of a limit, on either side: column covered, overhang, gap, under a road, rest",
        _showing("limits"),
        field=_TWO,
    ),
    Scenario(
        "city-limits",
        "the same in the city: at areas' edges, at a wall, at the rainbow",
        _showing("city limits"),
        rules=("rainbow-city-zh",),
        field={2: (5.8, 3.4)},
        city=SCENARIOS_CITY,
    ),
    Scenario("cars", "cars on the wrong road, of the wrong owner, forgotten, too many", _showing(*_CARS), field=_TWO),
    Scenario("knocks", "from a nudge of 1 mm to a collapse, each put right", _knocks, field=_TWO),
    Scenario("taken-back", "moves taken back, and made otherwise", _showing("taken-back", "taken-back"), field=_TWO),
    Scenario("hasty", "two moves without a pause, twice", _showing("two-at-once", "two-at-once"), field=_TWO),
    Scenario("things", "a cup, a phone, a card, a box and a thread are put down and taken away", _with("things", 14)),
    Scenario("hands", "hands of every pose, bare or sleeved, that stay; heads at the rim", _with("hands")),
    Scenario("bumped", "the camera is touched, bumped hard and put back", _with("bumps")),
    Scenario("table-moved", "the table is pushed with all that stands on it, then jerked", _with("table")),
    Scenario("lamp", "the light fades, then a lamp throws hard shadows", _with("lamp")),
)
SCENARIOS: dict[str, Scenario] = {scenario.name: scenario for scenario in _ALL}


def find_scenario(name: str) -> Scenario:
    """A scenario by its name.

    Raises:
        VisionError: there is none.
    """
    if name not in SCENARIOS:
        names = ", ".join(SCENARIOS)
        raise VisionError(f"scenario {name!r} is not known; choose one of {names} (th-vision simulate --list)")
    return SCENARIOS[name]
