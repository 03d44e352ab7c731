"""The ten types of cars of a believable set: where pieces.toml names only some, a full set has these."""

from __future__ import annotations

from rules.pieces import Box

USUAL_CABIN = (0.2, 0.75, 0.55)
"""Of a type that says nothing of its own: where its cabin begins and ends (of its length), and begins (height)."""
CARS: dict[str, Box] = {
    "sedan": Box(length=16, width=8, height=7, cabin=USUAL_CABIN),
    "sports_car": Box(length=16, width=8, height=5.5, cabin=(0.35, 0.75, 0.6)),
    "electric_car": Box(length=13, width=7.5, height=7, cabin=USUAL_CABIN),
    "food_truck": Box(length=17, width=8, height=11, cabin=(0.05, 0.8, 0.35)),
    "family_wagon": Box(length=17, width=8, height=8, cabin=(0.02, 0.72, 0.5)),
    "limousine": Box(length=22, width=8, height=7, cabin=(0.15, 0.8, 0.55)),
    "delivery_van": Box(length=18, width=8, height=10, cabin=(0.02, 0.85, 0.4)),
    "construction_truck": Box(length=20, width=8.5, height=10, cabin=(0.7, 0.98, 0.4)),
    "jumbo_trailer": Box(length=26, width=8.5, height=11, cabin=(0.0, 0.75, 0.3)),
    "highway_bus": Box(length=24, width=8.5, height=11, cabin=(0.0, 1.0, 0.35)),
}
"""Sizes in mm."""


def cabin_of(type: str, size: Box) -> tuple[float, float, float]:
    """The cabin of a car: its own, else that of its type."""
    if size.cabin is not None:
        return size.cabin
    usual = CARS.get(type)
    return USUAL_CABIN if usual is None or usual.cabin is None else usual.cabin
