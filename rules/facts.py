"""Facts: the input lines of a game record, what happened on the table.

Lengths in mm, table frame, z up. Every ``sigma`` is one standard deviation; 0 means exact.
"""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from rules.layout import Car, CityObject, Column, Finite, PieceId, Point2, Probability, Road, Sigma
from rules.lines import VERSION, CarType, CityKind, Count, Discs, Expansion, LineModel, Player, Switch, Turn
from rules.pieces import Disc, Stick

# --- Parts of facts ---------------------------------------------------------------------------------------------------


class FactColumn(LineModel):
    """A column as a fact: ``gray`` and ``yellow`` discs, yellow on top unless ``order`` (from the bottom) says other.

    ``levels_probability`` and ``junction_probability``: that the counts, and that a yellow on top, are right.
    """

    OPTIONAL = frozenset({"order", "sigma_xy", "sigma_z", "levels_probability", "junction_probability"})

    id: PieceId
    x: Finite
    y: Finite
    gray: Discs
    yellow: Discs = 0
    order: tuple[Literal["gray", "yellow"], ...] | None = None
    sigma_xy: Sigma = 0.0
    sigma_z: Sigma = 0.0
    levels_probability: Probability = 1.0
    junction_probability: Probability = 1.0

    @model_validator(mode="after")
    def _counts(self) -> Self:
        if self.gray + self.yellow < 1:
            raise ValueError("a column needs at least one disc")
        if self.order is not None and (self.order.count("gray"), self.order.count("yellow")) != (
            self.gray,
            self.yellow,
        ):
            raise ValueError("order must name as many gray and yellow discs as gray and yellow say")
        return self

    @property
    def levels(self) -> int:
        """Height counted in discs, the yellow ones included."""
        return self.gray + self.yellow

    @property
    def discs(self) -> tuple[str, ...]:
        """The discs from the bottom."""
        return self.order or ("gray",) * self.gray + ("yellow",) * self.yellow

    @property
    def junction(self) -> bool:
        """A yellow disc on top, whatever lies below it."""
        return self.discs[-1] == "yellow"

    @classmethod
    def of(cls, column: Column) -> FactColumn:
        """The fact for a column of a layout."""
        yellow = int(column.junction)
        return cls(
            id=column.id,
            x=column.x,
            y=column.y,
            gray=column.levels - yellow,
            yellow=yellow,
            sigma_xy=column.sigma_xy,
            sigma_z=column.sigma_z,
            levels_probability=column.levels_probability,
            junction_probability=column.junction_probability,
        )


class FactRoad(Road, LineModel):
    """A placed road-stick as a fact: a layout's road."""

    OPTIONAL = frozenset({"sigma_xy", "sigma_z", "sigma_along"})

    @classmethod
    def of(cls, road: Road) -> FactRoad:
        """The fact for a road of a layout."""
        return cls(**{name: getattr(road, name) for name in Road.model_fields})


class FactCar(LineModel):
    """A car on the road ``on``. Without ``player`` it is the car of who placed it.

    ``x``, ``y``, ``z`` (mm) say where it stands, where that is known; without them it may stand anywhere on its road.
    """

    OPTIONAL = frozenset(
        {"x", "y", "z", "heading_deg", "player", "type_probability", "player_probability", "sigma_xy", "sigma_z"}
    )

    id: PieceId
    type: CarType = "sedan"
    on: str | None = None
    player: Player | None = None
    x: Finite | None = None
    y: Finite | None = None
    z: Finite | None = None
    heading_deg: Finite | None = None
    type_probability: Probability = 1.0
    player_probability: Probability = 1.0
    sigma_xy: Sigma = 0.0
    sigma_z: Sigma = 0.0

    @classmethod
    def of(cls, car: Car) -> FactCar:
        """The fact for a car of a layout."""
        shared = [name for name in cls.model_fields if name in Car.model_fields]
        return cls(**{name: getattr(car, name) for name in shared})


class FactObject(CityObject, LineModel):
    """A city object as a fact. A building's or tower's ``on`` may be left to the geometry (``"table"``)."""

    OPTIONAL = frozenset(
        {"height", "on", "arch", "arch_height", "adjoins", "obstacles", "sigma_xy", "sigma_z", "kind_probability"}
    )

    kind: CityKind
    outline: Annotated[tuple[Point2, ...], Field(min_length=3, max_length=1000)]
    arch_height: Annotated[float, Field(ge=0, le=2000, allow_inf_nan=False)] | None = None

    @classmethod
    def of(cls, thing: CityObject) -> FactObject:
        """The fact for a city object of a layout."""
        return cls.model_validate({name: getattr(thing, name) for name in CityObject.model_fields})


class Material(LineModel):
    """What a player holds: counts of discs, sticks and cars."""

    gray: Count
    yellow: Count
    sticks: Count
    cars: Count


class FactPieces(LineModel):
    """The sizes that the rules need of ``pieces.toml``."""

    stick: Stick = Stick()
    disc: Disc = Disc()


# --- Facts ------------------------------------------------------------------------------------------------------------


class GameFact(LineModel):
    """The first line: who plays what with which pieces. ``options`` are switches over the preset ``rules``."""

    OPTIONAL = frozenset({"material", "missions", "expansions"})

    type: Literal["game"] = "game"
    version: Annotated[int, Field(ge=1)] = VERSION  # a newer one is the reader's matter
    rules: str = "rainbow-city"
    options: dict[str, Switch] = Field(default_factory=dict)
    players: Annotated[tuple[Player, ...], Field(min_length=2, max_length=4)]
    pieces: FactPieces = FactPieces()
    material: dict[Player, Material] | None = None
    missions: bool | None = None
    expansions: tuple[Expansion, ...] | None = None

    @model_validator(mode="after")
    def _players(self) -> Self:
        if len(set(self.players)) != len(self.players):
            raise ValueError("two players have the same name")
        strangers = sorted(set(self.material or {}) - set(self.players))
        if strangers:
            raise ValueError(f"material of {strangers[0]!r}, who is none of the players")
        return self


class CityFact(LineModel):
    """A player placed a city object (set-up)."""

    type: Literal["city"] = "city"
    player: Player
    object: FactObject


class RampFact(LineModel):
    """A player built the starting ramp (set-up)."""

    type: Literal["ramp"] = "ramp"
    player: Player
    column: FactColumn
    road: FactRoad
    cars: tuple[FactCar, ...] = ()


class MoveFact(LineModel):
    """A turn: from the base point ``base`` to a new column (``None``: an offramp), by a road, with cars on it.

    ``turn_probability``: how sure it is whose turn it was; a camera sees no pass. ``player_probability``: how sure it
    is who built it; a road out of turn may as well be a road of whose turn it was, from a column of somebody else.
    """

    OPTIONAL = frozenset({"turn_probability", "player_probability"})

    type: Literal["move"] = "move"
    turn: Turn
    player: Player
    base: PieceId
    column: FactColumn | None
    road: FactRoad
    cars: tuple[FactCar, ...] = ()
    turn_probability: Probability = 1.0
    player_probability: Probability = 1.0


class CarsFact(LineModel):
    """Cars placed after the road of the same turn was already told; adds to the cars of that ``move``."""

    type: Literal["place_cars"] = "place_cars"
    turn: Turn
    player: Player
    cars: tuple[FactCar, ...]


class KnockFact(LineModel):
    """Pieces knocked by a player. ``shift_mm`` 0: they fell; above 0: they stand, moved by so much."""

    OPTIONAL = frozenset({"sigma_mm"})

    type: Literal["knock"] = "knock"
    turn: Turn
    by: Player
    pieces: tuple[PieceId, ...]
    shift_mm: Annotated[float, Field(ge=0, le=1e5, allow_inf_nan=False)] = 0.0
    sigma_mm: Sigma = 0.0


class RestoredFact(LineModel):
    """Pieces that were knocked stand again: where they stand now, under the ids they had."""

    OPTIONAL = frozenset({"columns", "roads"})

    type: Literal["restored"] = "restored"
    turn: Turn
    columns: tuple[FactColumn, ...] = ()
    roads: tuple[FactRoad, ...] = ()


class PassFact(LineModel):
    """A player can't build and passes."""

    type: Literal["pass"] = "pass"
    turn: Turn
    player: Player


class DiscardStickFact(LineModel):
    """A player without discs lays one stick beside the mission board."""

    type: Literal["discard_stick"] = "discard_stick"
    turn: Turn
    player: Player


class CorrectionFact(LineModel):
    """Somebody overrules or answers: ``set`` holds the keys of the ruling on road ``ruling`` that change."""

    type: Literal["correction"] = "correction"
    turn: Turn
    ruling: PieceId
    set: dict[str, Switch | None]
    by: str = "players"


class UndoFact(LineModel):
    """The turn ``turn`` is taken back, with everything after it; the lines stay in the record."""

    type: Literal["undo"] = "undo"
    turn: Turn


class SaidFact(LineModel):
    """What the players said to the referee, word by word. ``next``: the turn before ``turn`` is over, its cars too.

    Other words change nothing here: what they led to follows as a fact of its own.
    """

    OPTIONAL = frozenset({"by"})

    type: Literal["said"] = "said"
    turn: Turn
    words: Annotated[str, Field(min_length=1, max_length=400)]
    by: str = "players"
