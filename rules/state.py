"""What stands on the table and who has what: the state of a game, with a journal that can take every change back.

All maps are changed through `put`, `drop` and `place_*` alone. Their values are immutable, so a copy is shallow and the
journal holds only what was there before. Undo costs what the change cost, whatever else is on the table.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, Literal

from rules.events import (
    CarsLine,
    FactCar,
    FactColumn,
    FactObject,
    FactPieces,
    FactRoad,
    Material,
    PenaltyLine,
    RulingLine,
    Side,
)
from rules.geometry import Bar, Disc2, bar_of
from rules.grid import Box_mm, Grid
from rules.outlines import box_of, inside_depth
from rules.tolerances import DUST_MM, TABLE_SURFACE_Z_MM
from rules.uncertain import DEFAULT_K, certain_enough

RoadKind = Literal["ramp", "road", "offramp"]
_MISSING: Final = object()


@dataclass(frozen=True, slots=True)
class Pair:
    """Another road at this road: `other` lies on this road's `side` at the place `at` (plan view, mm).

    `partial`: they overlap, but their centre lines don't cross. `side_doubt`, `cross_doubt`: too close to call, and
    nobody has answered yet.
    """

    other: str
    side: Side
    at: tuple[float, float]
    partial: bool = False
    side_doubt: bool = False
    cross_doubt: bool = False


@dataclass(frozen=True, slots=True)
class Paid:
    """A road paid a car on this side to the road `by`; `doubt`: whether it did was too close to call."""

    side: Side
    by: str
    doubt: bool = False


@dataclass(frozen=True, slots=True)
class Unsure:
    """It is not certain whose a piece is: `sure` is the probability of the owner, `other` who else it may be of."""

    sure: float
    other: str


@dataclass(frozen=True, slots=True)
class Leaving:
    """A player left the game: why, in which round, and how many had left before."""

    reason: str
    round: int
    number: int


@dataclass(frozen=True, slots=True)
class Loops:
    """The buildings and towers that a player's roads surround in plan view."""

    buildings: frozenset[str] = frozenset()
    towers: frozenset[str] = frozenset()


_MAPS: Final = (
    "columns",
    "discs",
    "roads",
    "bars",
    "cars",
    "city",
    "owners",
    "unsure",
    "kinds",
    "order",
    "outs",
    "joints",
    "landed",
    "carried",
    "pairs",
    "paid",
    "loops",
    "supplies",
    "passed",
    "left",
    "points",
    "rulings",
    "cars_lines",
    "penalties",
    "now",
)


class State:
    """The table and the players, by piece id and by player.

    `order`: how many pieces (cars left out) stood there before one. `unsure`: columns and roads of which it isn't
    certain whose they are. By road: `kinds`, `joints` (the columns that its
    ends lie on), `landed` (where an offramp's end lies), `carried` (its cars), `pairs`, `paid`. By column: `outs`, the
    roads that start from it. By player: `loops`, `supplies`, `passed` (who waits for a penalty disc), `left` (who has
    left the game, and why), `points` (of SAME TYPE). `penalties`: by knocked piece. `now`: turn, who is next, ...
    """

    def __init__(self, pieces: FactPieces, k: float = DEFAULT_K) -> None:
        self.pieces = pieces
        self.k = k
        self.columns: dict[str, FactColumn] = {}
        self.discs: dict[str, Disc2] = {}
        self.roads: dict[str, FactRoad] = {}
        self.bars: dict[str, Bar] = {}
        self.cars: dict[str, FactCar] = {}
        self.city: dict[str, FactObject] = {}
        self.owners: dict[str, str] = {}
        self.unsure: dict[str, Unsure] = {}
        self.kinds: dict[str, RoadKind] = {}
        self.order: dict[str, int] = {}
        self.outs: dict[str, tuple[str, ...]] = {}
        self.joints: dict[str, tuple[str | None, str | None]] = {}
        self.landed: dict[str, str] = {}
        self.carried: dict[str, tuple[str, ...]] = {}
        self.pairs: dict[str, tuple[Pair, ...]] = {}
        self.paid: dict[str, tuple[Paid, ...]] = {}
        self.loops: dict[str, Loops] = {}
        self.supplies: dict[str, Material] = {}
        self.passed: dict[str, bool] = {}
        self.left: dict[str, Leaving] = {}
        self.points: dict[str, int] = {}
        self.rulings: dict[str, RulingLine] = {}
        self.cars_lines: dict[str, CarsLine] = {}
        self.penalties: dict[str, PenaltyLine] = {}
        self.now: dict[str, Any] = {}
        self.column_grid = Grid()
        self.road_grid = Grid()
        self.city_grid = Grid()
        self._journal: list[tuple[str, Any, Any]] = []

    # --- Changing and taking back ---

    def put(self, name: str, key: Any, value: Any) -> None:
        """Set one entry of the map `name`."""
        entries = getattr(self, name)
        self._journal.append((name, key, entries.get(key, _MISSING)))
        entries[key] = value

    def drop(self, name: str, key: Any) -> None:
        """Remove one entry of the map `name`, if it is there."""
        entries = getattr(self, name)
        if key in entries:
            self._journal.append((name, key, entries.pop(key)))

    @property
    def mark(self) -> int:
        """Where the journal stands, for `rewind`."""
        return len(self._journal)

    def rewind(self, mark: int) -> None:
        """Take back every change since `mark`."""
        while len(self._journal) > mark:
            name, key, old = self._journal.pop()
            if name in _GRIDS:
                getattr(self, name).remove(key, old)
                continue
            if name.startswith(_OUT_OF):
                getattr(self, name.removeprefix(_OUT_OF)).add(key, old)
                continue
            entries = getattr(self, name)
            if old is _MISSING:
                del entries[key]
            else:
                entries[key] = old

    def reach(self, box: Box_mm, sigma: float) -> Box_mm:
        """A bounding box widened by what `k` sigmas may move the piece: who is outside is clear of it."""
        by = self.k * sigma + DUST_MM
        return (box[0] - by, box[1] - by, box[2] + by, box[3] + by)

    def disc_box(self, disc: Disc2) -> Box_mm:
        """The widened bounding box of a column."""
        return self.reach(disc.box, disc.sigma)

    def bar_box(self, bar: Bar) -> Box_mm:
        """The widened bounding box of a stick."""
        return self.reach(bar.box, max(bar.sigma_across, bar.sigma_along))

    def _index(self, name: str, piece: str, box: Box_mm) -> None:
        getattr(self, name).add(piece, box)
        self._journal.append((name, piece, box))

    def _unindex(self, name: str, piece: str, box: Box_mm) -> None:
        getattr(self, name).remove(piece, box)
        self._journal.append((_OUT_OF + name, piece, box))

    # --- Pieces ---

    def place_column(self, column: FactColumn, owner: str) -> None:
        """A column now stands there."""
        disc = self.disc_of(column)
        self.put("order", column.id, len(self.order))
        self.put("columns", column.id, column)
        self.put("discs", column.id, disc)
        self.put("owners", column.id, owner)
        self._index("column_grid", column.id, self.disc_box(disc))

    def place_road(self, road: FactRoad, owner: str, kind: RoadKind) -> None:
        """A road now lies there."""
        bar = bar_of(road, self.pieces.stick)
        self.put("order", road.id, len(self.order))
        self.put("roads", road.id, road)
        self.put("bars", road.id, bar)
        self.put("owners", road.id, owner)
        self.put("kinds", road.id, kind)
        self._index("road_grid", road.id, self.bar_box(bar))

    def stand_again(self, column: FactColumn) -> None:
        """A column of this id stands somewhere else now; whose it is and what starts from it stays."""
        self._unindex("column_grid", column.id, self.disc_box(self.discs[column.id]))
        disc = self.disc_of(column)
        self.put("columns", column.id, column)
        self.put("discs", column.id, disc)
        self._index("column_grid", column.id, self.disc_box(disc))

    def lie_again(self, road: FactRoad) -> None:
        """A road of this id lies somewhere else now; the sides that are taken stay taken."""
        self._unindex("road_grid", road.id, self.bar_box(self.bars[road.id]))
        bar = bar_of(road, self.pieces.stick)
        self.put("roads", road.id, road)
        self.put("bars", road.id, bar)
        self._index("road_grid", road.id, self.bar_box(bar))

    def place_car(self, car: FactCar, owner: str) -> None:
        """A car now stands on its road."""
        self.put("cars", car.id, car)
        self.put("owners", car.id, owner)
        if car.on is not None:
            self.put("carried", car.on, (*self.carried.get(car.on, ()), car.id))

    def place_object(self, thing: FactObject) -> None:
        """A city object now lies there."""
        self.put("order", thing.id, len(self.order))
        self.put("city", thing.id, thing)
        self._index("city_grid", thing.id, self.reach(box_of(thing.outline), thing.sigma_xy))

    def owner_sure(self, piece: str) -> float:
        """How sure it is whose a column or a road is."""
        return self.unsure[piece].sure if piece in self.unsure else 1.0

    def may_be_of(self, piece: str) -> frozenset[str]:
        """Whose a column or a road is; two players where that isn't certain enough to be called."""
        doubt = self.unsure.get(piece)
        others = {doubt.other} if doubt is not None and doubt.sure < certain_enough(self.k) else set()
        return frozenset({self.owners[piece], *others})

    def has(self, piece: str) -> bool:
        """Whether a piece of that id is on the table."""
        return piece in self.columns or piece in self.roads or piece in self.cars or piece in self.city

    # --- Looking ---

    def oldest_first(self, pieces: Iterable[str]) -> list[str]:
        """Pieces in the order in which they were placed."""
        return sorted(pieces, key=self.order.__getitem__)

    def disc_of(self, column: FactColumn) -> Disc2:
        """A column's disc in plan view and the height of its top."""
        disc = self.pieces.disc
        base = self.surface_z(column.x, column.y)
        return Disc2(
            column.id,
            column.x,
            column.y,
            disc.radius,
            column.sigma_xy,
            base + column.levels * disc.height,
            column.sigma_z,
        )

    def surface_z(self, x: float, y: float) -> float:
        """Height of what a column at this place stands on: the table or a development area's card, mm."""
        for name in self.city_grid.near((x, y, x, y)):
            thing = self.city[name]
            if thing.kind == "development_area" and inside_depth(thing.outline, x, y) >= 0:
                return TABLE_SURFACE_Z_MM + thing.height
        return TABLE_SURFACE_Z_MM

    def roads_of(self, player: str) -> list[str]:
        """The roads of a player, in the order in which they were placed."""
        return [road for road in self.roads if self.owners[road] == player]

    def columns_of(self, player: str) -> list[str]:
        """The columns of a player, in the order in which they were placed."""
        return [column for column in self.columns if self.owners[column] == player]

    def supported_by(self, rests_on: Iterable[str]) -> set[str]:
        """The columns behind what ends rest on: a column itself, or the columns under a road."""
        found: set[str] = set()
        for name in rests_on:
            if name in self.columns:
                found.add(name)
            elif name in self.joints:
                found |= {column for column in self.joints[name] if column is not None}
        return found

    # --- Copying and comparing ---

    def copy(self) -> State:
        """The same state; changes of one don't show in the other."""
        twin = State(self.pieces, self.k)
        for name in _MAPS:
            getattr(twin, name).update(getattr(self, name))
        for disc in twin.discs.values():
            twin.column_grid.add(disc.id, self.disc_box(disc))
        for bar in twin.bars.values():
            twin.road_grid.add(bar.id, self.bar_box(bar))
        for thing in twin.city.values():
            twin.city_grid.add(thing.id, self.reach(box_of(thing.outline), thing.sigma_xy))
        twin._journal = list(self._journal)
        return twin

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, State):
            return NotImplemented
        return self.pieces == other.pieces and all(getattr(self, name) == getattr(other, name) for name in _MAPS)

    __hash__ = None  # type: ignore[assignment]  # a state changes: it must not be a key


_GRIDS: Final = ("column_grid", "road_grid", "city_grid")
_OUT_OF: Final = "out of "
