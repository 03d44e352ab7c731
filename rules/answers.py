"""Answers: the ruling lines of a game record, what the rule book says to the facts.

Lengths in mm, table frame. Every ``sigma`` is one standard deviation; 0 means exact.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from rules.facts import Material
from rules.layout import Finite, PieceId, Point2, Probability, Sigma
from rules.lines import (
    AlertKind,
    CarType,
    Count,
    CrossingReason,
    FaultRule,
    LineModel,
    MoveCall,
    Player,
    RuleCall,
    Side,
    Turn,
)

# --- Answers ----------------------------------------------------------------------------------------------------------


class Fault(LineModel):
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


class Crossing(LineModel):
    """The new road at one other road. ``gap``: upper stick's underside minus lower stick's top there, mm.

    ``taken_by``: the road that holds the side already (reasons side-taken, budget-spent, not-outermost).
    ``owners_probability``: how sure it is whose the two roads are, where whether it pays hangs on that.
    """

    OPTIONAL = frozenset({"taken_by", "owners_probability"})

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
    owners_probability: Probability = 1.0


class RulingLine(LineModel):
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


class SameType(LineModel):
    """Discs taken from a player whose crossed road carries the same type of car."""

    OPTIONAL = frozenset({"car_type"})

    from_: Player = Field(alias="from")
    discs: Count
    car_type: CarType | None = None


class CarsLine(LineModel):
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


class PenaltyLine(LineModel):
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


class SupplyLine(LineModel):
    """What every player holds after the turn."""

    type: Literal["supply"] = "supply"
    turn: Turn
    players: dict[Player, Material]


class Score(LineModel):
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


class ScoreLine(LineModel):
    """The score as it stands after the turn."""

    type: Literal["score"] = "score"
    turn: Turn
    players: dict[Player, Score]


class OutLine(LineModel):
    """A player leaves the game: ``no-material``, or ``all-cars-placed``."""

    type: Literal["out"] = "out"
    turn: Turn
    player: Player
    reason: str


class EndLine(LineModel):
    """The game is over: places, each with the players who share it."""

    OPTIONAL = frozenset({"turn"})

    type: Literal["end"] = "end"
    ranking: tuple[tuple[Player, ...], ...]
    reason: str  # all-cars-placed, all-sticks-placed, no-material, one-player-left
    turn: Turn | None = None


class AlertLine(LineModel):
    """Something about the table or the camera that the players should know."""

    OPTIONAL = frozenset({"turn", "sigma"})

    type: Literal["alert"] = "alert"
    kind: AlertKind
    value: Finite = 0.0
    unit: str = "mm"
    pieces: tuple[str, ...] = ()
    turn: Turn | None = None
    sigma: Sigma = 0.0
