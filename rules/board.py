"""The mission board as data: what each mission gives, for what, and which text says so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

_BOARD: Final = "rulebook, Mission Rules 4"
_NOTES: Final = "notes, 得分目標"


@dataclass(frozen=True, slots=True)
class Mission:
    """One mission. ``expansion``: the city object that brings it, None for those of the board."""

    name: str
    points: str
    meaning: str
    source: str
    expansion: str | None = None


MISSIONS: Final[tuple[Mission, ...]] = (
    Mission("drive", "1 each", "own cars on the roads", f"{_BOARD}, DRIVE"),
    Mission("development", "1 each", "development areas that hold an own column", f"{_BOARD}, DEVELOPMENT"),
    Mission(
        "building",
        "1 each",
        "buildings wholly inside a plan-view loop of own connected roads; a figure of eight has two loops",
        f"{_BOARD}, BUILDING",
    ),
    Mission("tower", "doubles BUILDING", "a surrounded tower; nothing where no building is", f"{_BOARD}, TOWER"),
    Mission("stock", "1 for every 5", "discs left, yellow included", f"{_BOARD}, STOCK"),
    Mission(
        "traffic_jam",
        "2 once",
        "3 or more connected own roads, each with a car; a Y at a junction counts",
        f"{_BOARD}, TRAFFIC JAM",
    ),
    Mission("rainbow", "2 once", "a car on a road that goes through the arch", f"{_BOARD}, RAINBOW"),
    Mission("offramp_airport", "2 once", "an offramp on the airport area", f"{_BOARD}, OFFRAMP"),
    Mission("offramp_green", "2 once", "an offramp on the green area", f"{_BOARD}, OFFRAMP"),
    Mission(
        "highest",
        "2 to each",
        "the tallest all-gray column on the table; columns with a junction don't count",
        f"{_BOARD}, HIGHEST",
    ),
    Mission(
        "same_type",
        "1 disc at once",
        "a car of the type that a crossed road's owner already has on that road; once per owner and turn",
        f"{_BOARD}, SAME TYPE",
    ),
    Mission("asakusa", "2", "the car nearest to the pagoda", f"{_NOTES}, ASAKUSA", "asakusa"),
    Mission(
        "yacht_harbor",
        "2 once",
        "a column on the development area that adjoins the harbor, with a car on a road from it",
        f"{_NOTES}, YACHT HARBOR",
        "yacht_harbor",
    ),
    Mission(
        "amusement_park",
        "2, or 3 each",
        "an offramp at the park: 2 where one player has one, 3 each where two or more do",
        f"{_NOTES}, AMUSEMENT PARK",
        "amusement_park",
    ),
)
"""All missions, in the order of the board; the expansions' last."""


def in_play(missions: bool, expansions: tuple[str, ...]) -> tuple[Mission, ...]:
    """The missions that a rule set plays."""
    if not missions:
        return ()
    return tuple(mission for mission in MISSIONS if mission.expansion is None or mission.expansion in expansions)
