"""What the lines of a game record are made of: numbers, names, words, and what all line models have in common.

All models are frozen, ignore keys they don't know and take finite numbers only. Keys that are no Python names have an
alias: ``with_`` is written ``with``, ``from_`` is written ``from``. Keys that the contract calls optional are left out
of the written line while they hold their default (``OPTIONAL``).
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Final, Literal, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, SerializerFunctionWrapHandler, model_serializer

from rules.layout import Finite

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


class LineModel(BaseModel):
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
