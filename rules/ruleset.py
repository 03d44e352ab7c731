"""Rule sets: a preset, the switches set over it, and what each player starts with."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from rules.board import in_play
from rules.errors import RulesError
from rules.events import GameFact, Material
from rules.switches import SWITCHES, Switch, Value
from rules.tolerances import DUST_MM

EXPANSIONS: Final = ("asakusa", "yacht_harbor", "amusement_park")
"""The expansion missions, named like the city objects that bring them."""


@dataclass(frozen=True, slots=True)
class Preset:
    """A rule set as a text gives it: switches that differ from their defaults, missions, and its source."""

    name: str
    title: str
    source: str
    missions: bool
    material: Mapping[int, Material]
    switches: Mapping[str, Value]
    expansions: tuple[str, ...] = ()


def _material(cars: int, gray: int, yellow: int, sticks: int) -> Material:
    return Material(gray=gray, yellow=yellow, sticks=sticks, cars=cars)


_BASIC: Final = {2: _material(10, 30, 3, 15), 3: _material(8, 25, 2, 12), 4: _material(7, 20, 2, 9)}
_MISSIONS: Final = {2: _material(10, 30, 3, 15), 3: _material(10, 25, 2, 12), 4: _material(10, 20, 2, 9)}
_MISSION_SWITCHES: Final[dict[str, Value]] = {"out_of_material": "discard_stick", "finish_round": True}

PRESETS: Final[dict[str, Preset]] = {
    preset.name: preset
    for preset in (
        Preset(
            "rainbow-city",
            "Rainbow City, Basic Rules",
            "Rainbow City rulebook, Basic Rules",
            missions=False,
            material=_BASIC,
            switches={},
        ),
        Preset(
            "rainbow-city-missions",
            "Rainbow City, Mission Rules",
            "Rainbow City rulebook, Basic Rules and Mission Rules",
            missions=True,
            material=_MISSIONS,
            switches=_MISSION_SWITCHES,
        ),
        Preset(
            "classic",
            "Tokyo Highway, the classic 2-player game",
            "Classic 2-player rules (Spanish and Dutch)",
            missions=False,
            material={2: _material(10, 30, 3, 15)},
            switches={"cars_must_be_placed": False, "penalty": "per_piece", "overhang_mm": "free"},
        ),
        Preset(
            "rainbow-city-zh",
            "Rainbow City with missions, the Chinese notes read strictly",
            "Rainbow City notes (Traditional Chinese)",
            missions=True,
            material=_MISSIONS,
            switches={**_MISSION_SWITCHES, "first_budget": "once", "overhang_mm": 0, "column_cover_mm": 0},
            expansions=EXPANSIONS,
        ),
    )
}
_SWITCH: Final[dict[str, Switch]] = {switch.name: switch for switch in SWITCHES}


def _checked(name: str, value: object, where: str) -> Value:
    """A switch's value, or an error that names the allowed ones."""
    switch = _SWITCH.get(name)
    if switch is None:
        raise RulesError(f"{where}: unknown switch {name!r}; known: {', '.join(sorted(_SWITCH))}")
    if isinstance(value, bool):
        if isinstance(switch.default, bool):
            return value
    elif isinstance(value, str):
        if value in [word for word, _ in switch.words]:
            return value
    elif switch.numbers and isinstance(value, int | float) and math.isfinite(value):
        least = 0 if switch.unit else DUST_MM
        if value >= least:
            return value
    raise RulesError(f"{where}: {name} = {value!r} can't be; allowed: {switch.values}")


@dataclass(frozen=True)
class RuleSet:
    """A preset with all switches decided. Attributes named like the switches give their values, typed."""

    preset: str
    missions: bool
    expansions: tuple[str, ...]
    values: Mapping[str, Value]

    def word(self, name: str) -> str:
        """The value of a switch that is set by words."""
        return str(self.values[name])

    def on(self, name: str) -> bool:
        """The value of a switch that is on or off."""
        return bool(self.values[name])

    def number(self, name: str) -> float | None:
        """The value of a switch that is a number; None where a word (``free``, ``off``) stands."""
        value = self.values[name]
        return None if isinstance(value, str) else float(value)

    @cached_property
    def k(self) -> float:
        """How many sigmas a value must be away from its limit to be called."""
        return float(self.values["k"])

    @cached_property
    def cover_mm(self) -> float:
        """How much of a column a stick may cover in plan view, mm."""
        return float(self.values["column_cover_mm"])

    def material(self, player_count: int) -> Material:
        """What each player starts with, before the ramps.

        Raises:
            RulesError: the edition isn't for so many players.
        """
        table = PRESETS[self.preset].material
        if self.missions and self.preset == "rainbow-city":
            table = _MISSIONS
        if player_count not in table:
            fits = ", ".join(str(count) for count in table)
            raise RulesError(
                f"rules {self.preset!r} are for {fits} players, not {player_count}; choose other rules, or say what "
                "each player holds with material"
            )
        return table[player_count]


def preset(name: str) -> Preset:
    """A preset by its name.

    Raises:
        RulesError: there is none of that name.
    """
    if name not in PRESETS:
        raise RulesError(f"unknown rules {name!r}; known: {', '.join(PRESETS)}")
    return PRESETS[name]


def ruleset(
    name: str = "rainbow-city",
    options: Mapping[str, object] | None = None,
    *,
    missions: bool | None = None,
    expansions: tuple[str, ...] | None = None,
) -> RuleSet:
    """The rule set `name` with `options` set over it; `missions` and `expansions` over the preset's.

    Missions added to a basic preset bring the mission rules' end of the game along, unless `options` say otherwise.

    Raises:
        RulesError: unknown name, switch, value or expansion.
    """
    base = preset(name)
    values: dict[str, Value] = {switch.name: switch.default for switch in SWITCHES}
    if missions is not None and missions != base.missions:
        values |= {key: value for key, value in base.switches.items() if key not in _MISSION_SWITCHES}
        values |= _MISSION_SWITCHES if missions else {}
    else:
        values |= base.switches
    for key, value in (options or {}).items():
        values[key] = _checked(key, value, f"rules {name!r}")
    for expansion in expansions or ():
        if expansion not in EXPANSIONS:
            raise RulesError(f"rules {name!r}: unknown expansion {expansion!r}; known: {', '.join(EXPANSIONS)}")
    return RuleSet(
        name,
        base.missions if missions is None else missions,
        base.expansions if expansions is None else tuple(dict.fromkeys(expansions)),
        values,
    )


def ruleset_of(fact: GameFact) -> RuleSet:
    """The rule set that a record's game line names."""
    return ruleset(fact.rules, fact.options, missions=fact.missions, expansions=fact.expansions)


def describe(name: str | None = None) -> str:
    """The presets (without a name), or a preset with all its switches: value, values, meaning and source.

    Raises:
        RulesError: there is no preset of that name.
    """
    if name is None:
        lines = ["Rule sets:"]
        lines += [f"  {entry.name:<22} {entry.title} ({entry.source})" for entry in PRESETS.values()]
        lines += ["", "Switches (set with the options of the game line, or --rules NAME and --set SWITCH=VALUE):"]
        lines += [f"  {switch.name:<22} {switch.values}; default {_shown(switch.default)}" for switch in SWITCHES]
        return "\n".join(lines) + "\n"
    entry = preset(name)
    chosen = ruleset(name)
    lines = [f"{entry.name}: {entry.title}", f"Source: {entry.source}", ""]
    lines.append("Material for each player:")
    for count, held in sorted(entry.material.items()):
        lines.append(
            f"  {count} players: {held.cars} cars, {held.gray} gray, {held.yellow} yellow, {held.sticks} road-sticks"
        )
    lines.append(f"Missions: {'yes' if entry.missions else 'no'}")
    lines.append(f"Expansions: {', '.join(entry.expansions) or 'none'}")
    for mission in in_play(entry.missions, entry.expansions):
        lines += ["", f"{mission.name.replace('_', ' ').upper()}: {mission.points}", f"  {mission.meaning}"]
        lines.append(f"  Source: {mission.source}")
    for switch in SWITCHES:
        value = chosen.values[switch.name]
        changed = "" if value == switch.default else f" (default {_shown(switch.default)})"
        lines += ["", f"{switch.name} = {_shown(value)}{changed}", f"  {switch.meaning}"]
        lines += [f"  {word}: {meaning}" for word, meaning in switch.words]
        if switch.numbers:
            lines.append(f"  values: {switch.values}")
        lines.append(f"  Source: {switch.source}")
    return "\n".join(lines) + "\n"


def _shown(value: Value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
