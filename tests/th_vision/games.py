"""Games to follow in tests: small hand-made tables, and played ones with their truth."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from rules.events import LINE_TYPES, Fact, GameFact, SaidFact
from rules.game import TURN_OVER
from rules.layout import Car, Column, Layout, Road
from rules.pieces import Pieces
from th_vision.follow import Follower
from th_vision.follow_events import Ended, Entered, Output, Said, Settled, Told
from th_vision.virtual_table.candidates import Field, Margins
from th_vision.virtual_table.mishaps import knock, loose_roads
from th_vision.virtual_table.misread import Misreading, misread
from th_vision.virtual_table.player import find_build, set_up
from th_vision.virtual_table.playing import PlayedMoment, Playing
from th_vision.virtual_table.verdicts import Tally, compare, same_pieces, true_lines

PIECES = Pieces(players={"blue": "#5b8fd6", "pink": "#e58fb0", "green": "#6db36a"})
EXACT = Misreading(0.0, 0.0, 0.0)
GOOD = Misreading(0.4, 0.9, 0.5)


def game_line(players: tuple[str, ...] = ("blue", "pink"), **more: Any) -> GameFact:
    return GameFact.model_validate({"players": players, **more})


def column(name: str, x: float, y: float, levels: int = 1, **more: Any) -> Column:
    return Column.model_validate({"id": name, "x": x, "y": y, "levels": levels, "top_z": 10.0 * levels, **more})


def road(name: str, a: Column, b: Column | tuple[float, float], **more: Any) -> Road:
    """A stick from column a to column b, or down to a place on the table."""
    start = np.array([a.x, a.y])
    end = np.array([b.x, b.y] if isinstance(b, Column) else b)
    along = (end - start) / np.hypot(*(end - start))
    if isinstance(b, Column):
        tip, z, rests = end + along * 4, b.top_z + 2, b.id
    else:
        tip, z, rests = end, 2.0, "table"
    foot = start - along * 4
    ends = [(foot[0], foot[1], a.top_z + 2), (tip[0], tip[1], z)]
    return Road.model_validate({"id": name, "ends": ends, "rests_on": (a.id, rests), **more})


def car(name: str, on: Road, player: str, share: float = 0.5) -> Car:
    x, y, z = (1 - share) * np.array(on.ends[0]) + share * np.array(on.ends[1])
    return Car(id=name, x=float(x), y=float(y), z=float(z), player=player, on=on.id)


def plus(layout: Layout, *pieces: Column | Road | Car) -> Layout:
    """The layout with more pieces on it."""
    return layout.model_copy(
        update={
            "columns": (*layout.columns, *(p for p in pieces if isinstance(p, Column))),
            "roads": (*layout.roads, *(p for p in pieces if isinstance(p, Road))),
            "cars": (*layout.cars, *(p for p in pieces if isinstance(p, Car))),
        }
    )


def minus(layout: Layout, *ids: str) -> Layout:
    """The layout without these pieces."""
    return layout.model_copy(
        update={
            "columns": tuple(p for p in layout.columns if p.id not in ids),
            "roads": tuple(p for p in layout.roads if p.id not in ids),
            "cars": tuple(p for p in layout.cars if p.id not in ids),
        }
    )


# Two ramps side by side, their columns a stick apart; blue's leads up to the right, pink's to the left.
C1, C2 = column("c1", -57, 0), column("c2", 57, 0)
R1, R2 = road("r1", C1, (-158, -40)), road("r2", C2, (158, 40))
K1, K2 = car("k1", R1, "blue"), car("k2", R2, "pink")
RAMPS = plus(Layout(), C1, C2, R1, R2, K1, K2)
# Blue's first move, upwards from its ramp; pink's, downwards.
C3, C4 = column("c3", -57, 106, 2), column("c4", 57, -106, 2)
R3, R4 = road("r3", C1, C3), road("r4", C2, C4)
# Blue's second move, away from everything.
C5 = column("c5", -163, 106, 3)
R5 = road("r5", C3, C5)
FIRST = plus(RAMPS, C3, R3)
SECOND = plus(FIRST, C4, R4)
THIRD = plus(SECOND, C5, R5)


def follow(
    layouts: Iterable[Layout], game: GameFact | None = None, *, end: bool = False
) -> tuple[Follower, list[Output]]:
    """A follower after these readings, one a second, and all that it said."""
    follower = Follower(game or game_line(), PIECES)
    said: list[Output] = []
    time_s = 0.0
    for layout in layouts:
        time_s += 1.0
        said += follower.handle(Settled(layout), time_s)
    if end:
        said += follower.handle(Ended(), time_s)
    return follower, said


def facts(said: Iterable[Output]) -> list[Fact]:
    return [output.fact for output in said if isinstance(output, Told)]


def states(said: Iterable[Output]) -> list[str]:
    return [output.state for output in said if isinstance(output, Entered)]


def over(follower: Follower, time_s: float) -> list[Output]:
    """The players say that the turn is over."""
    return follower.handle(Said(SaidFact(turn=follower.game.turn, words=TURN_OVER)), time_s)


def played(seed: int, players: tuple[str, ...], turns: int, knocks: float = 0.0) -> Iterator[PlayedMoment]:
    """A legal game; before a turn, with this chance, a road of another player is knocked down and put back."""
    rng = np.random.default_rng(seed)
    game = Playing(rng, PIECES, players)
    yield from set_up(game, rng)
    for turn in range(turns):
        if game.referee.finished:
            return
        others = [loose for player in players if player != game.whose_turn for loose in loose_roads(game, player)]
        if turn > 2 and others and rng.random() < knocks:
            yield from knock(game, str(rng.choice(others)))
        build = find_build(game, rng, Field(), Margins())
        if build is None:
            return
        yield game.play(build)


def refereed(moments: Iterable[PlayedMoment], how: Misreading, seed: int = 0) -> tuple[Tally, list[Output], Follower]:
    """Follow a played game read with noise: how its rulings compare with the truth, and all that was said."""
    rng = np.random.default_rng(seed)
    lines: list[dict[str, Any]] = []
    said: list[Output] = []
    names: dict[str, str] = {}
    follower: Follower | None = None
    time_s = 0.0
    for moment in moments:
        lines += moment.facts
        if follower is None:
            first = LINE_TYPES["game"].model_validate(moment.facts[0])
            assert isinstance(first, GameFact)
            follower = Follower(first, PIECES)
        truth = moment.scene.layout()
        time_s += 1.0
        said += follower.handle(Settled(misread(truth, rng, how, PIECES)), time_s)
        names |= same_pieces(follower.known.layout, truth)
    assert follower is not None
    said += follower.handle(Ended(), time_s)
    return compare(true_lines(lines), [o for o in said if isinstance(o, Told)], names), said, follower
