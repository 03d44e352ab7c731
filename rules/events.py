"""The lines of a game record: facts (what happened on the table) and answers (what the rule book says to them).

One pydantic model a line type, keys as in the record's contract (version 1). All models are frozen, ignore keys they
don't know and take finite numbers only. Lengths in mm, table frame, z up. Every ``sigma`` is one standard deviation;
0 means exact.

Keys that are no Python names have an alias: ``with_`` is written ``with``, ``from_`` is written ``from``. Keys that
the contract calls optional are left out of the written line while they hold their default (``OPTIONAL``).
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Final, Literal, Self, TypeAlias, get_args

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    model_serializer,
    model_validator,
)

from rules.layout import Car, CityObject, Column, Finite, PieceId, Point2, Probability, Road, Sigma
from rules.pieces import Disc, Stick

VERSION: Final = 1
"""The version of the record format that this software writes."""

Player = Annotated[str, Field(min_length=1, max_length=64)]


def _no_bool(value: Any) -> Any:
    """JSON's true is no number, though Python's is."""
    if isinstance(value, bool):
        raise ValueError("expected a whole number, got true or false")
    return value


Turn = Annotated[int, Field(ge=0, le=1_000_000), BeforeValidator(_no_bool)]
Count = Annotated[int, Field(ge=0, le=10_000), BeforeValidator(_no_bool)]
Discs = Annotated[int, Field(ge=0, le=200), BeforeValidator(_no_bool)]
Switch: TypeAlias = bool | int | Finite | str
"""The value of a switch of the rule set, or of a key that a correction sets."""

CarType = Literal[
    "sedan",
    "sports_car",
    "electric_car",
    "food_truck",
    "family_wagon",
    "limousine",
    "delivery_van",
    "construction_truck",
    "jumbo_trailer",
    "highway_bus",
]
CityKind = Literal[
    "development_area",
    "building",
    "tower",
    "airport_area",
    "green_area",
    "rainbow_area",
    "asakusa",
    "yacht_harbor",
    "amusement_park",
]
FaultRule = Literal[
    "column-level",
    "junction-without-gray",
    "junction-not-on-top",
    "junction-branches",
    "gray-branches",
    "not-base-point",
    "from-offramp",
    "supply",
    "column-on-area",
    "column-over-edge",
    "column-under-road",
    "end-not-resting",
    "overhang",
    "column-covered",
    "touch-road",
    "touch-column",
    "touch-city",
    "enclosed",
    "offramp-level",
    "offramp-from-junction",
    "offramp-area",
    "area-spacing",
    "city-order",
    "city-over-edge",
    "asakusa-crossed",
    "turn-order",
    "cars-too-many",
    "cars-too-few",
    "car-wrong-road",
    "car-wrong-owner",
    "ramp-distance",
]
CrossingReason = Literal[
    "first", "side-taken", "own-road", "budget-spent", "not-outermost", "partial", "shared-column", "ramp"
]
Expansion = Literal["asakusa", "yacht_harbor", "amusement_park"]
MoveCall = Literal["legal", "fault", "too_close"]
RuleCall = Literal["clear", "fault", "too_close"]
Side = Literal["over", "under"]
AlertKind = Literal[
    "camera-moved",
    "piece-moved",
    "piece-fallen",
    "unknown-object",
    "hand-in-view",
    "field-edge",
    "recalibrate",
    "frames-lost",
]


class _Line(BaseModel):
    """What all lines and their parts have in common; ``OPTIONAL`` names the keys left out at their default."""

    model_config = ConfigDict(frozen=True, extra="ignore", populate_by_name=True, allow_inf_nan=False)

    OPTIONAL: ClassVar[frozenset[str]] = frozenset()

    @model_serializer(mode="wrap")
    def _without_defaults(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        data: dict[str, Any] = handler(self)
        for name in self.OPTIONAL:
            field = type(self).model_fields[name]
            if getattr(self, name) == field.get_default(call_default_factory=True):
                data.pop(field.alias or name, None)
                data.pop(name, None)
        return data

    def to_line(self) -> str:
        """The line as compact JSON, keys as in the contract, without a newline."""
        return self.model_dump_json(by_alias=True)


# --- Parts of facts ---------------------------------------------------------------------------------------------------


class FactColumn(_Line):
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


class FactRoad(Road, _Line):
    """A placed road-stick as a fact: a layout's road."""

    OPTIONAL = frozenset({"sigma_xy", "sigma_z", "sigma_along"})

    @classmethod
    def of(cls, road: Road) -> FactRoad:
        """The fact for a road of a layout."""
        return cls(**{name: getattr(road, name) for name in Road.model_fields})


class FactCar(_Line):
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


class FactObject(CityObject, _Line):
    """A city object as a fact. A building's or tower's ``on`` may be left to the geometry (``"table"``)."""

    OPTIONAL = frozenset({"height", "on", "arch", "arch_height", "adjoins", "sigma_xy", "sigma_z"})

    kind: CityKind
    outline: Annotated[tuple[Point2, ...], Field(min_length=3, max_length=1000)]
    arch_height: Annotated[float, Field(ge=0, le=2000, allow_inf_nan=False)] | None = None
    sigma_xy: Sigma = 0.0
    sigma_z: Sigma = 0.0

    @classmethod
    def of(cls, thing: CityObject) -> FactObject:
        """The fact for a city object of a layout."""
        return cls.model_validate({name: getattr(thing, name) for name in CityObject.model_fields})


class Material(_Line):
    """What a player holds: counts of discs, sticks and cars."""

    gray: Count
    yellow: Count
    sticks: Count
    cars: Count


class FactPieces(_Line):
    """The sizes that the rules need of ``pieces.toml``."""

    stick: Stick = Stick()
    disc: Disc = Disc()


# --- Facts ------------------------------------------------------------------------------------------------------------


class GameFact(_Line):
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


class CityFact(_Line):
    """A player placed a city object (set-up)."""

    type: Literal["city"] = "city"
    player: Player
    object: FactObject


class RampFact(_Line):
    """A player built the starting ramp (set-up)."""

    type: Literal["ramp"] = "ramp"
    player: Player
    column: FactColumn
    road: FactRoad
    cars: tuple[FactCar, ...] = ()


class MoveFact(_Line):
    """A turn: from the base point ``base`` to a new column (``None``: an offramp), by a road, with cars on it."""

    type: Literal["move"] = "move"
    turn: Turn
    player: Player
    base: PieceId
    column: FactColumn | None
    road: FactRoad
    cars: tuple[FactCar, ...] = ()


class CarsFact(_Line):
    """Cars placed after the road of the same turn was already told; adds to the cars of that ``move``."""

    type: Literal["place_cars"] = "place_cars"
    turn: Turn
    player: Player
    cars: tuple[FactCar, ...]


class KnockFact(_Line):
    """Pieces knocked by a player. ``shift_mm`` 0: they fell; above 0: they stand, moved by so much."""

    OPTIONAL = frozenset({"sigma_mm"})

    type: Literal["knock"] = "knock"
    turn: Turn
    by: Player
    pieces: tuple[PieceId, ...]
    shift_mm: Annotated[float, Field(ge=0, le=1e5, allow_inf_nan=False)] = 0.0
    sigma_mm: Sigma = 0.0


class PassFact(_Line):
    """A player can't build and passes."""

    type: Literal["pass"] = "pass"
    turn: Turn
    player: Player


class DiscardStickFact(_Line):
    """A player without discs lays one stick beside the mission board."""

    type: Literal["discard_stick"] = "discard_stick"
    turn: Turn
    player: Player


class CorrectionFact(_Line):
    """Somebody overrules or answers: ``set`` holds the keys of the ruling on road ``ruling`` that change."""

    type: Literal["correction"] = "correction"
    turn: Turn
    ruling: PieceId
    set: dict[str, Switch | None]
    by: str = "players"


class UndoFact(_Line):
    """The turn ``turn`` is taken back, with everything after it; the lines stay in the record."""

    type: Literal["undo"] = "undo"
    turn: Turn


# --- Answers ----------------------------------------------------------------------------------------------------------


class Fault(_Line):
    """One rule of placement looked at: the measured value against its limit, and the pieces it concerns.

    ``probability``: for counted rules, that the count behind ``call`` is right. ``warning``: said, but it doesn't
    make the move a fault.
    """

    OPTIONAL = frozenset({"probability", "warning"})

    rule: FaultRule
    call: RuleCall
    value: Finite = 0.0
    sigma: Sigma = 0.0
    limit: Finite = 0.0
    unit: str = "mm"
    with_: tuple[str, ...] = Field(default=(), alias="with")
    probability: Probability | None = None
    warning: bool = False


class Crossing(_Line):
    """The new road at one other road. ``gap``: upper stick's underside minus lower stick's top there, mm.

    ``taken_by``: the road that holds the side already (reasons side-taken, budget-spent, not-outermost).
    """

    OPTIONAL = frozenset({"taken_by"})

    road: PieceId
    owner: Player
    side: Side
    gap: Finite
    sigma: Sigma = 0.0
    at: Point2
    pays: bool
    reason: CrossingReason
    call: RuleCall = "clear"
    taken_by: PieceId | None = None


class RulingLine(_Line):
    """What the rule book says to a move, a ramp (turn 0) or a city object (turn 0, ``object`` instead of ``road``).

    ``cars_due_range``: fewest and most cars, while a crossing is too close to call.
    """

    OPTIONAL = frozenset({"object", "cars_due_range", "by"})

    type: Literal["ruling"] = "ruling"
    turn: Turn
    player: Player
    road: PieceId | None
    call: MoveCall
    faults: tuple[Fault, ...] = ()
    crossings: tuple[Crossing, ...] = ()
    cars_due: Count = 0
    offramp_bonus: bool = False
    object: PieceId | None = None
    cars_due_range: tuple[Count, Count] | None = None
    by: str | None = None  # who corrected it ("players"); None: the rule book


class SameType(_Line):
    """Discs taken from a player whose crossed road carries the same type of car."""

    OPTIONAL = frozenset({"car_type"})

    from_: Player = Field(alias="from")
    discs: Count
    car_type: CarType | None = None


class CarsLine(_Line):
    """Cars due and placed on the new road of a turn."""

    OPTIONAL = frozenset({"faults"})

    type: Literal["cars"] = "cars"
    turn: Turn
    player: Player
    due: Count
    placed: Count
    call: MoveCall
    same_type: tuple[SameType, ...] = ()
    faults: tuple[Fault, ...] = ()


class PenaltyLine(_Line):
    """Discs that a player owes another for pieces knocked down. ``call`` is too_close where a shift is."""

    OPTIONAL = frozenset({"call", "value", "sigma", "limit"})

    type: Literal["penalty"] = "penalty"
    turn: Turn
    from_: Player = Field(alias="from")
    to: Player
    discs: Count
    pieces: tuple[PieceId, ...] = ()
    call: MoveCall = "legal"
    value: Finite | None = None  # shift_mm, where a shift is what counts
    sigma: Sigma = 0.0
    limit: Finite | None = None


class SupplyLine(_Line):
    """What every player holds after the turn."""

    type: Literal["supply"] = "supply"
    turn: Turn
    players: dict[Player, Material]


class Score(_Line):
    """The missions' points of one player; ``tower`` is what it adds."""

    drive: int = 0
    development: int = 0
    building: int = 0
    stock: int = 0
    traffic_jam: int = 0
    rainbow: int = 0
    offramp_airport: int = 0
    offramp_green: int = 0
    tower: int = 0
    highest: int = 0
    asakusa: int = 0
    yacht_harbor: int = 0
    amusement_park: int = 0
    total: int = 0


class ScoreLine(_Line):
    """The score as it stands after the turn."""

    type: Literal["score"] = "score"
    turn: Turn
    players: dict[Player, Score]


class OutLine(_Line):
    """A player leaves the game: ``no-material``, or ``all-cars-placed``."""

    type: Literal["out"] = "out"
    turn: Turn
    player: Player
    reason: str


class EndLine(_Line):
    """The game is over: places, each with the players who share it."""

    OPTIONAL = frozenset({"turn"})

    type: Literal["end"] = "end"
    ranking: tuple[tuple[Player, ...], ...]
    reason: str  # all-cars-placed, all-sticks-placed, no-material, one-player-left
    turn: Turn | None = None


class AlertLine(_Line):
    """Something about the table or the camera that the players should know."""

    OPTIONAL = frozenset({"turn", "sigma"})

    type: Literal["alert"] = "alert"
    kind: AlertKind
    value: Finite = 0.0
    unit: str = "mm"
    pieces: tuple[str, ...] = ()
    turn: Turn | None = None
    sigma: Sigma = 0.0


Fact: TypeAlias = (
    GameFact
    | CityFact
    | RampFact
    | MoveFact
    | CarsFact
    | KnockFact
    | PassFact
    | DiscardStickFact
    | CorrectionFact
    | UndoFact
)
Answer: TypeAlias = RulingLine | CarsLine | PenaltyLine | SupplyLine | ScoreLine | OutLine | EndLine | AlertLine
Line: TypeAlias = Fact | Answer

FACTS: Final[tuple[type[_Line], ...]] = get_args(Fact)
ANSWERS: Final[tuple[type[_Line], ...]] = get_args(Answer)
LINE_TYPES: Final[dict[str, type[_Line]]] = {model.model_fields["type"].default: model for model in FACTS + ANSWERS}
"""The model of each ``type``."""
