"""Every switch of the rule sets as data: what it decides, its values, and which text says what.

Texts: "rulebook" is the Rainbow City rulebook (English), "notes" a player's notes on Rainbow City (Traditional
Chinese), "classic" the classic 2-player rules (Spanish and Dutch, one text).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

Value = bool | int | float | str


@dataclass(frozen=True, slots=True)
class Switch:
    """One question on which texts or tables differ.

    ``words``: the words it may be set to; ``numbers``: whether a number (0 or more, in `unit`) may stand there.
    """

    name: str
    default: Value
    meaning: str
    source: str
    words: tuple[tuple[str, str], ...] = ()
    numbers: bool = False
    unit: str = ""

    @property
    def values(self) -> str:
        """The allowed values in words."""
        parts = [word for word, _ in self.words]
        if isinstance(self.default, bool):
            parts += ["true", "false"]
        if self.numbers:
            parts.append(f"a number of {self.unit}, 0 or more" if self.unit else "a number above 0")
        return " | ".join(parts)


SWITCHES: Final[tuple[Switch, ...]] = (
    Switch(
        "first",
        "state",
        "When a road's side (over or under) is free to pay a car.",
        "classic, Condiciones para la colocación de coches / Voorwaarden voor het plaatsen van auto's: no other road "
        "may be over (under) it; rulebook, Basic Rules 6: the first to cross over (pass under); notes, 回合流程 3",
        (
            ("state", "no road at all lies on that side, whoever placed it and when"),
            ("event", "no road was placed across it on that side later"),
        ),
    ),
    Switch(
        "first_budget",
        "per_side",
        "How often one stick pays.",
        "rulebook, Basic Rules 6, A and B; notes, 回合流程 3: each road is settled only once in a game",
        (("per_side", "once over and once under"), ("once", "once in the whole game")),
    ),
    Switch(
        "first_scope",
        "stick",
        "Where on a road another crossing takes its side.",
        "rulebook, Basic Rules 6: the first to cross over another player's road",
        (("stick", "anywhere along it"), ("spot", "only within a stick's width of the new crossing")),
    ),
    Switch(
        "own_road_takes_side",
        True,
        "Whether a road's owner may shield it with an own road.",
        "classic, Cuando se cruza por encima / Bij het kruisen eroverheen: no other road, whoever's",
    ),
    Switch(
        "must_be_outermost",
        False,
        "Whether the new road must be the highest (over) or lowest (under) where it crosses.",
        "rulebook, Basic Rules 6, common mistake; notes, 回合流程 3: the lowest of three layers does not count",
    ),
    Switch(
        "ramps_pay",
        True,
        "Whether crossing a ramp or an offramp pays like any road.",
        "rulebook, Basic Rules 3.2 and 8: both are built with a road-stick",
    ),
    Switch(
        "partial",
        "ignore",
        "What a stick is worth that overlaps another without their centre lines crossing (a corner, an end).",
        "rulebook, Basic Rules 6: crosses over / passes under",
        (
            ("ignore", "it is no crossing and pays nothing; the referee says so"),
            ("count", "it counts like a crossing"),
            ("ask", "the players are asked"),
        ),
    ),
    Switch(
        "column_cover_mm",
        0,
        "How much of a column a stick may cover in plan view.",
        "rulebook, Basic Rules 5: never appear to cross over columns, own ones too; notes, 回合流程 2: not even a "
        "little; classic, Construir una carretera / Een weg bouwen",
        numbers=True,
        unit="mm",
    ),
    Switch(
        "new_column_under_road",
        "fault",
        "Whether a new column may stand under an existing road in plan view.",
        "rulebook, Basic Rules 5, read the other way round",
        (("fault", "it may not"), ("allow", "it may")),
    ),
    Switch(
        "overhang_mm",
        0,
        "How far a road's end may stick out past the far rim of its column.",
        "notes, 回合流程 2: the road may not go beyond the column; the classic text says nothing",
        (("free", "as far as it likes"),),
        numbers=True,
        unit="mm",
    ),
    Switch(
        "touch_own_roads",
        "fault",
        "Whether a road may touch other roads of its own player.",
        "rulebook, Basic Rules 5: touching other roads or columns is invalid; notes, 回合流程 2",
        (("fault", "it may not"), ("allow", "it may")),
    ),
    Switch(
        "cars_must_be_placed",
        True,
        "Whether the cars due must be placed.",
        "rulebook, Basic Rules 4.3: must; classic, Colocar coches en la carretera / Auto's op de snelweg plaatsen: may",
    ),
    Switch(
        "penalty",
        "per_owner",
        "What a knock costs.",
        "rulebook, Basic Rules 9: one column, regardless of the number; classic, Penalización / Straf: as many as fell",
        (("per_owner", "one disc to each owner hit"), ("per_piece", "one disc for each piece that fell")),
    ),
    Switch(
        "penalty_for_shift_mm",
        "off",
        "Beyond which shift a piece that was moved but did not fall counts as knocked.",
        "no text; some classic tables",
        (("off", "a piece that did not fall costs nothing"),),
        numbers=True,
        unit="mm",
    ),
    Switch(
        "out_of_material",
        "out",
        "What happens to a player without discs or sticks.",
        "rulebook, Basic Rules 10.2 and Mission Rules 3; classic, Final del juego / Einde van het spel 2",
        (
            ("out", "passes, and is out unless a penalty disc comes before the next turn"),
            ("discard_stick", "puts one stick beside the board each turn"),
        ),
    ),
    Switch(
        "finish_round",
        False,
        "Whether the round is played to its end once the game is over.",
        "rulebook, Mission Rules 3",
    ),
    Switch(
        "start_sedan_counts",
        True,
        "Whether the sedan on the starting ramp counts for DRIVE.",
        "rulebook, Mission Rules 4, DRIVE: each car placed on the road",
    ),
    Switch(
        "tower",
        "double",
        "What a surrounded tower adds.",
        "rulebook, Mission Rules 4, TOWER: doubled; notes, 得分目標: two points for each surrounded building",
        (
            ("double", "as much as BUILDING scores"),
            ("plus_two_each", "two points for each surrounded building"),
        ),
    ),
    Switch(
        "same_type_pays",
        "disc",
        "What SAME TYPE gives.",
        "rulebook, Mission Rules 4, SAME TYPE: one column from the other player",
        (("disc", "a disc of the other player"), ("point", "a point; no disc changes hands")),
    ),
    Switch(
        "area_spacing",
        "development",
        "Which areas must keep a column's width from others.",
        "rulebook, Basic Rules 3.4: when placing a Development Area; notes, 設置",
        (("development", "development areas"), ("all", "all areas")),
    ),
    Switch(
        "asakusa_tie",
        "both",
        "Who scores ASAKUSA when two cars are equally near.",
        "notes, 得分目標: the player with the nearest car",
        (("both", "all of them"), ("none", "nobody")),
    ),
    Switch(
        "k",
        2,
        "How many sigmas a value must be away from its limit to be called clear or fault.",
        "the referee's own; no rule text knows a measurement",
        numbers=True,
    ),
)
"""All switches, in the order in which they are explained."""
