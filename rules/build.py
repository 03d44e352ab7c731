"""Reading a move: which end of the new road lies on the base point, and what the other end lies on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rules.errors import RulesError
from rules.events import FactColumn, FactRoad, MoveFact, RampFact
from rules.geometry import Bar, Disc2, bar_of
from rules.outlines import inside_depth
from rules.state import RoadKind, State

TABLE = "table"
SOLID = ("building", "tower")
"""City objects that are solid over their whole outline; areas are cards with lower things on them."""
FarEnd = Literal["column", "standing", "landing"]


@dataclass(frozen=True, slots=True)
class Build:
    """A road about to be placed.

    `start`, `far`: 0 or 1, the ends at the base point and away from it. `base`: the column (or its name, where none
    such stands). `column`: the new column, None for an offramp. `standing`: a column that stood there before and that
    the far end lies on. `landed`: what an offramp's (or a ramp's) end lies on: `table` or a city object's id.
    `player_sure`: how sure it is that `player` builds it.
    """

    player: str
    kind: RoadKind
    road: FactRoad
    bar: Bar
    start: int
    base: str
    column: FactColumn | None
    disc: Disc2 | None
    standing: str | None
    landed: str | None
    player_sure: float = 1.0

    @property
    def far(self) -> int:
        """The end away from the base point."""
        return 1 - self.start

    @property
    def far_column(self) -> str | None:
        """The column under the far end, new or not."""
        return self.column.id if self.column is not None else self.standing

    @property
    def joints(self) -> tuple[str | None, str | None]:
        """The columns under end 0 and end 1."""
        base = None if self.kind == "ramp" else self.base
        return (base, self.far_column) if self.start == 0 else (self.far_column, base)

    def tip(self, end: int) -> tuple[float, float, float]:
        """The tip of an end, on the top surface."""
        return self.road.ends[end]


def build_of_move(state: State, move: MoveFact) -> Build:
    """What a move builds.

    Raises:
        RulesError: it uses an id that something on the table has already.
    """
    _new(state, move.road.id, "road")
    standing: str | None = None
    column = move.column
    if column is not None and column.id == move.road.id:
        raise RulesError(f"turn {move.turn}: column and road are both called {column.id!r}; give each its own id")
    if column is not None and state.has(column.id):
        there = state.discs.get(column.id)
        if there is None or abs(there.x - column.x) > there.radius or abs(there.y - column.y) > there.radius:
            raise RulesError(f"turn {move.turn}: id {column.id!r} is used twice; give the new column an id of its own")
        standing, column = column.id, None
    bar = bar_of(move.road, state.pieces.stick)
    start = _start(state, move, bar)
    if column is None and standing is None:
        standing = _column_under(state, move.road.rests_on[1 - start], move.road.ends[1 - start], besides=move.base)
    is_offramp = column is None and standing is None
    return Build(
        player=move.player,
        kind="offramp" if is_offramp else "road",
        road=move.road,
        bar=bar,
        start=start,
        base=move.base,
        column=column,
        disc=None if column is None else state.disc_of(column),
        standing=standing,
        landed=_landing(state, move.road, 1 - start) if is_offramp else None,
        player_sure=move.player_probability,
    )


def build_of_ramp(state: State, ramp: RampFact) -> Build:
    """What a ramp builds: its far end lies on the new column, its start on the table.

    Raises:
        RulesError: it uses an id that something on the table has already.
    """
    _new(state, ramp.road.id, "road")
    _new(state, ramp.column.id, "column")
    if ramp.column.id == ramp.road.id:
        raise RulesError(f"ramp: column and road are both called {ramp.road.id!r}; give each its own id")
    disc = state.disc_of(ramp.column)
    (ax, ay, _), (bx, by, _) = ramp.road.ends
    nearer_first = (ax - disc.x) ** 2 + (ay - disc.y) ** 2 <= (bx - disc.x) ** 2 + (by - disc.y) ** 2
    start = 1 if nearer_first else 0
    return Build(
        player=ramp.player,
        kind="ramp",
        road=ramp.road,
        bar=bar_of(ramp.road, state.pieces.stick),
        start=start,
        base=TABLE,
        column=ramp.column,
        disc=disc,
        standing=None,
        landed=_landing(state, ramp.road, start),
    )


def _new(state: State, piece: str, what: str) -> None:
    if state.has(piece) or piece == TABLE:
        raise RulesError(f"id {piece!r} is used twice; give the new {what} an id of its own")


def _start(state: State, move: MoveFact, bar: Bar) -> int:
    """The end at the base point: the one that is said to rest on it or on a road there, else the nearer one."""
    named = [rests == move.base or move.base in state.supported_by((rests,)) for rests in move.road.rests_on]
    if named[0] != named[1]:
        return 0 if named[0] else 1
    base = state.discs.get(move.base)
    if base is not None:
        first = (bar.ax - base.x) ** 2 + (bar.ay - base.y) ** 2
        second = (bar.bx - base.x) ** 2 + (bar.by - base.y) ** 2
        return 0 if first <= second else 1
    if move.column is not None:
        first = (bar.ax - move.column.x) ** 2 + (bar.ay - move.column.y) ** 2
        second = (bar.bx - move.column.x) ** 2 + (bar.by - move.column.y) ** 2
        return 1 if first <= second else 0
    return 0


def _column_under(state: State, rests: str, tip: tuple[float, float, float], *, besides: str) -> str | None:
    """The standing column that an end is said to rest on, itself or by a road that lies there."""
    if rests in state.columns:
        return rests
    if rests in state.joints and state.kinds[rests] != "offramp":
        near = [
            column
            for column in state.joints[rests]
            if column is not None
            and column != besides
            and (state.discs[column].x - tip[0]) ** 2 + (state.discs[column].y - tip[1]) ** 2
            <= (2 * state.discs[column].radius) ** 2
        ]
        if near:
            return near[0]
    return None


def _landing(state: State, road: FactRoad, end: int) -> str:
    """What an end away from any column lies on: the city object that is named, else the one under the tip."""
    rests = road.rests_on[end]
    if rests != TABLE:
        return rests
    x, y, _ = road.ends[end]
    under = [name for name in state.city_grid.near((x, y, x, y)) if inside_depth(state.city[name].outline, x, y) > 0]
    # A building stands on its area: the end meets the building first, and what came later lies on top.
    return max(under, key=lambda name: (state.city[name].kind in SOLID, state.order[name])) if under else TABLE
