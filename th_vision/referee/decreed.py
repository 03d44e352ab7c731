"""What players said that columns really are, found again in a game's record, for a referee that takes the game up.

What was seen is not what was said: roads on such a column are recorded as high as its discs make them, and are looked
for where they were seen.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from rules.events import Fact, FactColumn, MoveFact, RestoredFact, SaidFact, UndoFact
from rules.layout import Column, Road
from rules.pieces import Pieces
from th_vision.belief import recounted
from th_vision.known import Known
from th_vision.referee.commands import CommandError, Recount
from th_vision.referee.words import parse

_ON_THE_PAGE = "page: recount "


@dataclass
class Decreed:
    """``columns``: id -> discs as the players said. ``discs_more``: id -> how many more than seen, negative for fewer.
    ``lifted``: (road, column) -> by how many discs the road's end there is recorded higher than it was seen."""

    columns: dict[str, FactColumn] = field(default_factory=dict)
    discs_more: dict[str, int] = field(default_factory=dict)
    lifted: dict[tuple[str, str], int] = field(default_factory=dict)


def decreed(facts: Sequence[Fact], players: Sequence[str]) -> Decreed:
    """What players said of columns that the game still has: their words, the move taken back, the move told anew."""
    found = Decreed()
    told: list[Fact] = []
    gone: list[Fact] = []
    asked: Recount | None = None
    waiting: Recount | None = None  # was said just before a move was taken back that is to be told anew
    for fact in facts:
        if isinstance(fact, UndoFact):
            first = next((i for i, done in enumerate(told) if getattr(done, "turn", 0) >= fact.turn), len(told))
            gone, told, waiting = told[first:], told[:first], asked
        else:
            told.append(fact)
        if isinstance(fact, MoveFact) and waiting is not None:
            before = next((done for done in gone if isinstance(done, MoveFact)), None)
            if before is not None and before.road.id == fact.road.id and _is(fact.column, waiting):
                _note(found, before, fact, gone)
            waiting = None
        elif isinstance(fact, RestoredFact):
            seen = {road.id for road in fact.roads}
            found.lifted = {key: discs for key, discs in found.lifted.items() if key[0] not in seen}
        asked = _said(fact.words, players) if isinstance(fact, SaidFact) else None
    stand = {f.column.id: f.column for f in told if isinstance(f, MoveFact) and f.column is not None}
    found.columns = {
        name: column
        for name, column in found.columns.items()
        if name in stand and (stand[name].gray, stand[name].yellow) == (column.gray, column.yellow)
    }
    return found


def as_players_said(known: Known, said: Decreed, pieces: Pieces) -> Known:
    """The belief with columns as the players said, and all of it where it was seen."""
    for column in said.columns.values():
        known = recounted(known, column)
    disc_mm = pieces.disc.height
    layout = known.layout
    columns = tuple(_as_seen(c, said.discs_more.get(c.id, 0) * disc_mm, said.columns) for c in layout.columns)
    roads = tuple(_where_seen(road, said, disc_mm) for road in layout.roads)
    return replace(known, layout=layout.model_copy(update={"columns": columns, "roads": roads}))


def _said(words: str, players: Sequence[str]) -> Recount | None:
    """What was typed, or what was chosen on the page ("page: recount levels=3 turn=4")."""
    if words.startswith(_ON_THE_PAGE):
        chosen = dict(pair.split("=", 1) for pair in words.removeprefix(_ON_THE_PAGE).split() if "=" in pair)
        levels, yellow = chosen.get("levels", ""), chosen.get("yellow")
        said = Recount(None, int(levels) if levels.isdecimal() else None, None if yellow is None else yellow == "True")
    else:
        try:
            command = parse(words, players)
        except CommandError:
            return None
        if not isinstance(command, Recount):
            return None
        said = command
    return None if said.discs is None and said.yellow is None else said


def _is(column: FactColumn | None, said: Recount) -> bool:
    """Whether the column is what was said of it, for sure."""
    if column is None or min(column.levels_probability, column.junction_probability) < 1:
        return False
    return said.discs in (None, column.levels) and said.yellow in (None, column.junction)


def _note(found: Decreed, before: MoveFact, after: MoveFact, gone: Iterable[Fact]) -> None:
    """A column was told otherwise; ``gone``: the facts that were told before, and are told again after."""
    old, new = before.column, after.column
    if old is None or new is None or old.id != new.id:
        return
    more = new.levels - old.levels
    found.columns[new.id] = new
    found.discs_more[new.id] = found.discs_more.get(new.id, 0) + more
    for fact in gone:
        if isinstance(fact, MoveFact) and new.id in fact.road.rests_on:
            key = fact.road.id, new.id
            found.lifted[key] = found.lifted.get(key, 0) + more


def _as_seen(column: Column, higher_mm: float, said: Iterable[str]) -> Column:
    return column if column.id not in said else column.model_copy(update={"top_z": column.top_z - higher_mm})


def _where_seen(road: Road, said: Decreed, disc_mm: float) -> Road:
    pairs = zip(road.ends, road.rests_on, strict=True)
    ends = tuple((x, y, z - said.lifted.get((road.id, on), 0) * disc_mm) for (x, y, z), on in pairs)
    return road.model_copy(update={"ends": ends})
