"""What the search hands on: columns and roads that together explain a view."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from th_vision.detect.columns import ColumnCandidate
from th_vision.detect.measure import MeasuredRoad


@dataclass(frozen=True)
class FoundRoad:
    """A road with what its two ends rest on: indices into the columns, -1 for the table."""

    road: MeasuredRoad
    ends: tuple[int, int]
    score: float
    age: int = 10**6  # known roads: how many roads lie below it at its ends; new ones come after all known


@dataclass(frozen=True)
class Assembly:
    """The columns and roads chosen."""

    columns: list[ColumnCandidate] = field(default_factory=list)
    roads: list[FoundRoad] = field(default_factory=list)


@dataclass(frozen=True)
class Measured:
    """Pieces as they were measured in an earlier view, by their ids: what looks as it did needs no measuring again."""

    columns: Mapping[str, ColumnCandidate] = field(default_factory=dict)
    roads: Mapping[str, MeasuredRoad] = field(default_factory=dict)


NOTHING = Measured()
