"""A closer look at one crossing or one close call: what lies there, to scale, with the value that decided.

A close-up is taken when the ruling falls and holds everything its drawing needs (``th_vision.closeup_drawing``), so
that it can be drawn later, elsewhere and in any language. Lengths in mm, table frame, z up.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from rules.events import Answer, Crossing, Fault, PenaltyLine, RulingLine
from rules.game import Game
from rules.geometry import Bar, Disc2, disc_gap, meeting, stick_distance
from rules.layout import Point2
from rules.state import State

WINDOW_MM: Final = 84.0
"""Side of the square of the table that a close-up shows: most of a stick's length, so that one sees which it is."""


@dataclass(frozen=True)
class Seen:
    """A piece in the window: a stick (``bar``), a column (``disc``) or the outline of a city object."""

    id: str
    owner: str
    bar: Bar | None = None
    disc: Disc2 | None = None
    yellow: bool = False
    levels: int = 0
    outline: tuple[Point2, ...] = ()
    kind: str = ""


@dataclass(frozen=True)
class CloseUp:
    """``rule``: of the fault, or ``crossing``, or ``shift`` for pieces that were pushed. ``side``: where the new road
    lies at a crossing.

    ``value``, ``sigma``, ``limit`` (mm) and ``k``: what decided; a crossing's value is the gap, its limit contact.
    ``call``: clear, fault or too_close. ``lower``, ``upper``: the roads of the side view, where there is one.
    ``meant``: the pieces that it is about.
    """

    turn: int
    player: str
    road: str
    rule: str
    call: str
    value: float
    sigma: float
    limit: float
    k: float
    at: Point2
    others: tuple[str, ...]
    seen: tuple[Seen, ...]
    side: str | None = None
    pays: bool | None = None
    lower: str | None = None
    upper: str | None = None
    meant: frozenset[str] = frozenset()

    def bar(self, road: str | None) -> Bar | None:
        """The stick of a road in the window."""
        return next((one.bar for one in self.seen if one.id == road and one.bar is not None), None)


def closeups_of(game: Game, answers: Sequence[Answer]) -> tuple[CloseUp, ...]:
    """A close-up of every crossing and every measured fault or close call in the rulings; ``game``: after them."""
    found: list[CloseUp] = []
    for answer in answers:
        if isinstance(answer, RulingLine):
            found += _of_ruling(game, answer)
        elif isinstance(answer, PenaltyLine) and answer.call == "too_close":
            found += _of_shift(game, answer)
    return tuple(found)


def _of_ruling(game: Game, ruling: RulingLine) -> Iterator[CloseUp]:
    for crossing in ruling.crossings:
        if ruling.road in game.roads and crossing.road in game.roads:
            yield _of_crossing(game, ruling, crossing)
    for fault in ruling.faults:
        if fault.unit == "mm" and fault.call != "clear":
            found = _of_fault(game, ruling, fault)
            if found is not None:
                yield found


def _of_shift(game: Game, penalty: PenaltyLine) -> Iterator[CloseUp]:
    """Pieces that were pushed, perhaps too far: where the first of them stands."""
    piece = next((name for name in penalty.pieces if name in game.columns or name in game.roads), None)
    if piece is None or penalty.value is None:
        return
    state = game.state
    if piece in state.discs:
        at = (state.discs[piece].x, state.discs[piece].y)
    else:
        bar = state.bars[piece]
        at = ((bar.ax + bar.bx) / 2, (bar.ay + bar.by) / 2)
    yield CloseUp(
        turn=penalty.turn,
        player=penalty.from_,
        road="",
        rule="shift",
        call=penalty.call,
        value=penalty.value,
        sigma=penalty.sigma,
        limit=penalty.limit or 0.0,
        k=game.rules.k,
        at=at,
        others=(piece,),
        seen=_window(state, at),
        meant=frozenset(penalty.pieces),
    )


def _of_crossing(game: Game, ruling: RulingLine, crossing: Crossing) -> CloseUp:
    assert ruling.road is not None
    over = crossing.side == "over"
    return CloseUp(
        turn=ruling.turn,
        player=ruling.player,
        road=ruling.road,
        rule="crossing",
        call=crossing.call,
        value=crossing.gap,
        sigma=crossing.sigma,
        limit=0.0,
        k=game.rules.k,
        at=crossing.at,
        others=(crossing.road,),
        seen=_window(game.state, crossing.at),
        side=crossing.side,
        pays=crossing.pays,
        lower=crossing.road if over else ruling.road,
        upper=ruling.road if over else crossing.road,
        meant=frozenset({ruling.road, crossing.road}),
    )


def _of_fault(game: Game, ruling: RulingLine, fault: Fault) -> CloseUp | None:
    at, pair = _place(game.state, ruling, fault)
    if at is None:
        return None
    return CloseUp(
        turn=ruling.turn,
        player=ruling.player,
        road=ruling.road or "",
        rule=fault.rule,
        call=fault.call,
        value=fault.value,
        sigma=fault.sigma,
        limit=fault.limit,
        k=game.rules.k,
        at=at,
        others=fault.with_,
        seen=_window(game.state, at),
        lower=pair[0] if pair else None,
        upper=pair[1] if pair else None,
        meant=_meant(game.state, ruling, fault),
    )


def _place(state: State, ruling: RulingLine, fault: Fault) -> tuple[Point2 | None, tuple[str, str] | None]:
    """Where to look, and the (lower, upper) roads for a view from the side, where two roads are meant."""
    bar = state.bars.get(ruling.road or "")
    for other in fault.with_:
        if other in state.bars and bar is not None and other != bar.id and fault.rule == "touch-road":
            return _between_roads(bar, state.bars[other])
        if other in state.discs:
            disc = state.discs[other]
            if bar is None or fault.rule in ("overhang", "end-not-resting", "enclosed"):
                return (disc.x, disc.y), None
            share = disc_gap(bar, disc).share
            x, y = bar.ax + share * (bar.bx - bar.ax), bar.ay + share * (bar.by - bar.ay)
            return ((x + disc.x) / 2, (y + disc.y) / 2), None
    column = _new_column(state, ruling)
    if column is not None and fault.rule.startswith("column-"):
        return (state.discs[column].x, state.discs[column].y), None
    for other in (*fault.with_, *((ruling.object,) if ruling.object else ())):
        if other in state.city:
            outline = state.city[other].outline
            x, y = sum(p[0] for p in outline) / len(outline), sum(p[1] for p in outline) / len(outline)
            if bar is None:
                return (x, y), None
            share = min(1.0, max(0.0, bar.share(x, y)))
            return (bar.ax + share * (bar.bx - bar.ax), bar.ay + share * (bar.by - bar.ay)), None
    if bar is not None:
        return ((bar.ax + bar.bx) / 2, (bar.ay + bar.by) / 2), None
    return None, None


def _new_column(state: State, ruling: RulingLine) -> str | None:
    """The column that came with the road."""
    joints = [name for name in state.joints.get(ruling.road or "", ()) if name is not None]
    return max(joints, key=lambda name: state.order[name], default=None)


def _meant(state: State, ruling: RulingLine, fault: Fault) -> frozenset[str]:
    names = {*fault.with_, ruling.road or "", ruling.object or ""}
    column = _new_column(state, ruling)
    if column is not None and fault.rule in ("column-on-area", "column-over-edge", "column-under-road", "touch-column"):
        names.add(column)
    return frozenset(names - {""})


def _between_roads(bar: Bar, other: Bar) -> tuple[Point2, tuple[str, str]]:
    crossing = meeting(bar, other)
    if crossing is not None and crossing.margin.value > 0:
        at, rise = (crossing.x, crossing.y), crossing.rise.value
    else:
        _, s, t = stick_distance(bar, other)
        here = (bar.ax + s * (bar.bx - bar.ax), bar.ay + s * (bar.by - bar.ay))
        there = (other.ax + t * (other.bx - other.ax), other.ay + t * (other.by - other.ay))
        at = ((here[0] + there[0]) / 2, (here[1] + there[1]) / 2)
        rise = bar.top(s).value - other.top(t).value
    return at, ((other.id, bar.id) if rise >= 0 else (bar.id, other.id))


def _window(state: State, at: Point2) -> tuple[Seen, ...]:
    """The pieces in the window around a place, lowest first."""
    half = WINDOW_MM / 2
    box = (at[0] - half, at[1] - half, at[0] + half, at[1] + half)
    city = [
        Seen(name, "", outline=state.city[name].outline, kind=state.city[name].kind)
        for name in state.oldest_first(state.city_grid.near(box))
    ]
    columns = [
        Seen(
            name,
            state.owners.get(name, ""),
            disc=state.discs[name],
            yellow=state.columns[name].junction,
            levels=state.columns[name].levels,
        )
        for name in state.oldest_first(state.column_grid.near(box))
    ]
    roads = [
        Seen(name, state.owners.get(name, ""), bar=state.bars[name])
        for name in state.oldest_first(state.road_grid.near(box))
    ]
    roads.sort(key=lambda seen: _height_at(seen, at))
    return (*city, *columns, *roads)


def _height_at(seen: Seen, at: Point2) -> float:
    assert seen.bar is not None
    share = min(1.0, max(0.0, seen.bar.share(*at)))
    return seen.bar.top(share).value
