"""A layout: what stands on the table, in the table frame, in millimetres (contract ``th-vision/layout/1``).

Table frame: right-handed, origin on the table top at the centre of the calibration board, z up. Every measured
value carries one standard deviation; 0 means exact (a record written by hand, or a truth).
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Finite = Annotated[float, Field(allow_inf_nan=False, ge=-1e6, le=1e6)]
Sigma = Annotated[float, Field(ge=0, le=1e4, allow_inf_nan=False)]
Probability = Annotated[float, Field(ge=0, le=1)]
Point2 = tuple[Finite, Finite]
Point3 = tuple[Finite, Finite, Finite]
PieceId = Annotated[str, Field(min_length=1, max_length=64)]

SCHEMA: Literal["th-vision/layout/1"] = "th-vision/layout/1"


class _Piece(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    id: PieceId


class Column(_Piece):
    """A stack of discs. ``levels`` counts all discs, the yellow one included; ``on`` is ``"table"`` or an area's id."""

    x: Finite
    y: Finite
    levels: Annotated[int, Field(ge=1, le=200)]
    junction: bool = False
    top_z: Finite
    sigma_xy: Sigma = 0.0
    sigma_z: Sigma = 0.0
    levels_probability: Probability = 1.0
    junction_probability: Probability = 1.0  # that `junction` is right, from the colour of its top
    on: str = "table"


class Road(_Piece):
    """A placed road-stick: the two tips of its centre line on its **top** surface.

    ``rests_on``: what each end lies on: a column's id, a road's id, ``"table"`` or a city object's id.
    ``sigma_xy`` is across the stick, for a tip; ``sigma_along`` along it (``None``: the same).
    """

    ends: tuple[Point3, Point3]
    sigma_xy: Sigma = 0.0
    sigma_z: Sigma = 0.0
    sigma_along: Sigma | None = None
    rests_on: tuple[str, str] = ("table", "table")


class Car(_Piece):
    """A car on the road ``on`` (``None``: on no road). ``z`` is the height of its foot, heading from the x axis."""

    x: Finite
    y: Finite
    z: Finite
    heading_deg: Finite = 0.0
    player: str
    type: str = "sedan"
    type_probability: Probability = 1.0
    player_probability: Probability = 1.0
    sigma_xy: Sigma = 0.0
    on: str | None = None


class Obstacle(BaseModel):
    """A thing that stands on an area, a tree or an aircraft: its outline in plan view, and its top above the table."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    outline: Annotated[tuple[Point2, ...], Field(min_length=3, max_length=1000)]
    height: Annotated[float, Field(ge=0, le=2000, allow_inf_nan=False)]


class CityObject(_Piece):
    """A city object: its outline in plan view, height above the table or above its development area ``on``.

    ``obstacles``: the trees or aircraft on an area, where they are known; no road may touch them. ``sigma_xy``: of each
    coordinate of a corner, ``sigma_z``: of the height.
    """

    kind: str
    outline: tuple[Point2, ...]
    height: Annotated[float, Field(ge=0, le=2000, allow_inf_nan=False)] = 0.0
    on: str = "table"
    arch: tuple[Point2, Point2] | None = None
    arch_height: float | None = None
    adjoins: str | None = None
    obstacles: tuple[Obstacle, ...] = ()
    sigma_xy: Sigma = 0.0
    sigma_z: Sigma = 0.0
    kind_probability: Probability = 1.0


class Unknown(BaseModel):
    """Something that stands there and is none of the pieces."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    outline: tuple[Point2, ...]
    height: Finite


class Layout(BaseModel):
    """All pieces on the table at one moment."""

    model_config = ConfigDict(frozen=True, extra="ignore", populate_by_name=True)

    schema_name: Literal["th-vision/layout/1"] = Field(default=SCHEMA, alias="schema")
    frame: Literal["table"] = "table"
    unit: Literal["mm"] = "mm"
    columns: tuple[Column, ...] = ()
    roads: tuple[Road, ...] = ()
    cars: tuple[Car, ...] = ()
    city: tuple[CityObject, ...] = ()
    unknown: tuple[Unknown, ...] = ()

    def to_json(self) -> str:
        """The layout as indented JSON, keys as in the contract."""
        return self.model_dump_json(by_alias=True, indent=1)
