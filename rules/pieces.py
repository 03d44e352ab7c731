"""The pieces of one set of the game: sizes in millimetres and colours, read from ``pieces.toml``."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from rules.errors import RulesError

CAR_TYPES = (
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
)

CITY_KINDS = (
    "development_area",
    "building",
    "tower",
    "airport_area",
    "green_area",
    "rainbow_area",
    "asakusa",
    "yacht_harbor",
    "amusement_park",
)

Size_mm = Annotated[float, Field(gt=0, le=2000, allow_inf_nan=False)]
HexColor = Annotated[str, Field(pattern=r"^#[0-9a-fA-F]{6}$")]


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class Stick(_Data):
    """A road-stick. ``ends``: ``round`` means that its outline is a capsule, ``square`` a rectangle."""

    length: Size_mm = 114.0
    width: Size_mm = 10.0
    thickness: Size_mm = 2.0
    ends: Literal["round", "square"] = "round"


class Disc(_Data):
    """One gray or yellow piece of a column."""

    diameter: Size_mm = 19.0
    height: Size_mm = 10.0

    @property
    def radius(self) -> float:
        """Half the diameter, mm."""
        return self.diameter / 2


Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


class Box(_Data):
    """The outer size of a car or of a city object, mm.

    ``cabin``, of a car: where its cabin begins and ends, shares of the length from either end, and from which share of
    the height on it is all that there is; None: not known.
    """

    length: Size_mm
    width: Size_mm
    height: Size_mm
    cabin: tuple[Share, Share, Share] | None = None

    @field_validator("cabin")
    @classmethod
    def _runs_forward(cls, cabin: tuple[float, float, float] | None) -> tuple[float, float, float] | None:
        if cabin is not None and cabin[0] >= cabin[1]:
            raise ValueError("a cabin ends behind its beginning, the smaller share comes first")
        return cabin


class Colors(_Data):
    """sRGB of the shared pieces as seen on this table."""

    stick: HexColor = "#6e6e70"
    gray: HexColor = "#8c8c8c"
    yellow: HexColor = "#e8c12c"


_DEFAULT_PLAYERS = {"blue": "#5b8fd6", "pink": "#e58fb0"}
_SEDAN = Box(length=16.0, width=8.0, height=7.0)


class Pieces(_Data):
    """All of ``pieces.toml``. Lengths in mm; ``players`` maps a player's name to the colour of their cars."""

    stick: Stick = Stick()
    disc: Disc = Disc()
    colors: Colors = Colors()
    players: dict[str, HexColor] = Field(default_factory=lambda: dict(_DEFAULT_PLAYERS))
    cars: dict[str, Box] = Field(default_factory=lambda: {"sedan": _SEDAN})
    city: dict[str, Box] = Field(default_factory=dict)

    @field_validator("players")
    @classmethod
    def _told_apart(cls, players: dict[str, str]) -> dict[str, str]:
        of_color: dict[str, str] = {}
        for name, color in players.items():
            other = of_color.setdefault(color.lower(), name)
            if other != name:
                raise ValueError(f"{other} and {name} have one colour, each player needs another")
        return players

    @field_validator("cars")
    @classmethod
    def _known_cars(cls, cars: dict[str, Box]) -> dict[str, Box]:
        unknown = sorted(set(cars) - set(CAR_TYPES))
        if unknown:
            raise ValueError(f"unknown car type {unknown[0]!r}; known: {', '.join(CAR_TYPES)}")
        return cars

    @field_validator("city")
    @classmethod
    def _known_city(cls, city: dict[str, Box]) -> dict[str, Box]:
        unknown = sorted(set(city) - set(CITY_KINDS))
        if unknown:
            raise ValueError(f"unknown city object {unknown[0]!r}; known: {', '.join(CITY_KINDS)}")
        return city


def load_pieces(path: Path) -> Pieces:
    """Read ``pieces.toml``.

    Raises:
        RulesError: the file is missing, is no TOML, or a value in it can't be.
    """
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8-sig"))  # some editors begin with a mark
    except OSError as error:
        raise RulesError(f"{path}: can't be read ({error.strerror}); give the pieces file with --pieces") from error
    except (ValueError, RecursionError) as error:  # no TOML, no UTF-8, a number of thousands of digits, too deep
        raise RulesError(f"{path}: is not a TOML file ({error}); see docs/pieces.md for an example") from error
    _refuse_unknown(path, data, Pieces, "")
    try:
        return Pieces.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        message = first["msg"].removeprefix("Value error, ")
        raise RulesError(f"{path}: {where}: {message}; correct this value") from error


def _refuse_unknown(path: Path, data: Mapping[str, object], model: type[BaseModel], where: str) -> None:
    """Refuse a key that means nothing: a misspelt one would leave the usual size in force, and nobody would know."""
    for key, value in data.items():
        field = model.model_fields.get(key)
        if field is None:
            known = ", ".join(model.model_fields)
            raise RulesError(f"{path}: {where}{key}: is not known; known: {known}; correct the name or leave it out")
        if isinstance(value, dict) and isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            _refuse_unknown(path, value, field.annotation, f"{where}{key}.")
