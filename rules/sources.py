"""Where each rule stands: document, section, and its words there.

``Rainbow City`` is the English rulebook, ``Rainbow City notes`` a player's notes on it (Traditional Chinese),
``Classic`` the classic 2-player rules (Spanish and Dutch: one text in two translations).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from rules.events import CrossingReason, FaultRule


@dataclass(frozen=True)
class Source:
    """A place in a rule text. ``switch``: the switch of the rule set that decides where texts or tables differ."""

    document: str
    section: str
    words: str = ""
    switch: str | None = None

    def __str__(self) -> str:
        quote = f': "{self.words}"' if self.words else ""
        return f"{self.document}, {self.section}{quote}"


_BOOK = "Rainbow City"
_NOTES = "Rainbow City notes"

_PLACEMENT = "Basic Rules 5 Road-Stick Placement"
_CARS = "Basic Rules 6 Conditions for Car Placement"
_JUNCTION = "Basic Rules 7 Building a Junction"
_OFFRAMP = "Basic Rules 8 Building an Offramp"
_CITY = "Basic Rules 3.4 Placing City Objects"
_AREAS = "Basic Rules 11 How to Use Areas"
_FIRST = "The road-stick placed is the first to cross over another player's road"


def _book(section: str, words: str = "", switch: str | None = None) -> Source:
    return Source(_BOOK, section, words, switch)


FAULT_SOURCES: Final[dict[FaultRule, Source]] = {
    "column-level": _book("Basic Rules 4.1 Build a Column", "1 higher or 1 lower than the height of the base point"),
    "junction-without-gray": _book(_JUNCTION, "always be used with one or more gray columns"),
    "junction-not-on-top": _book(_JUNCTION, "placed at the top"),
    "junction-branches": _book(_JUNCTION, "a Junction may only branch out once"),
    "gray-branches": _book(_JUNCTION, "Using a Junction, players may"),
    "not-base-point": _book("Basic Rules 4.1 Build a Column", "reachable from the base point"),
    "from-offramp": _book(_OFFRAMP, "further roads cannot be connected to an Offramp"),
    "supply": _book("Basic Rules 3.1 Distribute Components", "Material List"),
    "column-on-area": _book(_AREAS, "Neither columns nor Offramps can be placed on the Rainbow Area"),
    "column-over-edge": _book(_AREAS, "Columns must not stick out over the edge of an area"),
    "column-under-road": _book(_PLACEMENT, "never appear to cross over columns", "new_column_under_road"),
    "end-not-resting": _book(_PLACEMENT, "must rest on the column tops, or on a connecting road-stick"),
    "overhang": Source(_NOTES, "回合流程 2 建造道路", "道路不能超出橋墩", "overhang_mm"),
    "column-covered": _book(
        _PLACEMENT, "never appear to cross over columns when viewed from directly above", "column_cover_mm"
    ),
    "touch-road": _book(_PLACEMENT, "Touching other roads or columns is invalid", "touch_own_roads"),
    "touch-column": _book(_PLACEMENT, "Touching other roads or columns is invalid"),
    "touch-city": _book(_AREAS, "Road-sticks may not be placed on the buildings, aircraft, or trees"),
    "enclosed": _book(_PLACEMENT, "Enclosing your road is invalid"),
    "offramp-level": _book(_OFFRAMP, "from a base point of a single column height"),
    "offramp-from-junction": _book(_OFFRAMP, "from a base point of a single column height"),
    "offramp-area": _book(_AREAS, "Offramps can be placed on the Green Area and Airport Area"),
    "area-spacing": _book(_CITY, "at least 1 column width away", "area_spacing"),
    "city-order": _book(_CITY, "All Development Areas must be placed first"),
    "city-over-edge": _book(_CITY, "can't stick out over the edge"),
    "asakusa-crossed": Source(_NOTES, "得分目標 ASAKUSA", "這個區域不能被跨越，也不能是出口"),  # noqa: RUF001 - a quotation
    "turn-order": _book("Basic Rules 3.3 Determine the Starting Player", "Players take turns in clockwise order"),
    "cars-too-many": _book(_CARS, "Only 1 car can be placed for 1 road-stick crossed over / passed under"),
    "cars-too-few": _book("Basic Rules 4.3 Place a Car", "players must then place a car", "cars_must_be_placed"),
    "car-wrong-road": _book(_CARS, "A car can't be placed on a road built in a previous turn"),
    "car-wrong-owner": _book("Basic Rules 3.1 Distribute Components", "take the corresponding cars"),
    "ramp-distance": _book("Basic Rules 3.2 Build Starting Ramps", "1 road-stick length measured from the middle"),
}

CROSSING_SOURCES: Final[dict[CrossingReason, Source]] = {
    "first": _book(_CARS, _FIRST, "first"),
    "side-taken": _book(_CARS, _FIRST, "first"),
    "own-road": _book(_CARS, "another player's road-stick"),
    "budget-spent": Source(_NOTES, "回合流程 3 放置車輛", "每一條路整場遊戲只能被結算一次", "first_budget"),
    "not-outermost": _book(_CARS, "Examples of a common mistake", "must_be_outermost"),
    "partial": _book(_CARS, "crosses another player's road-stick", "partial"),
    "ramp": _book(_CARS, "another player's road-stick", "ramps_pay"),
    "shared-column": _book(_PLACEMENT, "or on a connecting road-stick"),
}

BONUS_SOURCE: Final = _book(_OFFRAMP, "the player places 1 car on it as a bonus")
PENALTY_SOURCE: Final = _book("Basic Rules 9 Penalty", "hands over 1 column", "penalty")
SHIFT_SOURCE: Final = _book("Basic Rules 9 Penalty", "knocks down", "penalty_for_shift_mm")
SAME_TYPE_SOURCE: Final = _book("Mission Rules 4 SAME TYPE", "player A gets 1 column from player B", "same_type_pays")
