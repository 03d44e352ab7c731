"""Later readings are better: where they show that a move was read wrongly, which one, and how it should read.

Three kinds of mistakes are mended: discs counted wrongly while a column was hard to see, an offramp whose column was
missed, and a road that was taken for another player's, out of turn, though whose turn it was built it from a wrong
column. Nothing is mended on a whim: the later readings must be sure, and surer than the first one was.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from rules.events import Fact, FactRoad, MoveFact
from rules.game import Game
from rules.layout import Column, Layout
from rules.pieces import Pieces
from th_vision import tolerances as tol
from th_vision.change import Change
from th_vision.moves import fact_column
from th_vision.support import column_at


def reconsider(
    facts: Sequence[Fact], believed: Layout, change: Change, pieces: Pieces
) -> tuple[MoveFact, MoveFact] | None:
    """The first move that was read wrongly, and how it reads now; None where all is as it was told."""
    columns = {column.id: column for column in believed.columns}
    new = [column for column in change.new_columns if column.id not in _built(facts)]
    for fact in facts:
        if not isinstance(fact, MoveFact):
            continue
        if fact.column is None:
            mended = _not_an_offramp(fact, believed, new, pieces)
            if mended is not None:
                return fact, mended
        elif (column := columns.get(fact.column.id)) is not None and _counted_wrongly(fact, column):
            return fact, fact.model_copy(update={"column": fact_column(column, fact.road, pieces)})
    return None


def _built(facts: Sequence[Fact]) -> set[str]:
    return {fact.column.id for fact in facts if isinstance(fact, MoveFact) and fact.column is not None}


def _counted_wrongly(fact: MoveFact, column: Column) -> bool:
    told = fact.column
    if told is None or (told.levels, told.junction) == (column.levels, column.junction):
        return False
    sure = column.levels_probability * column.junction_probability
    return sure >= tol.MENDED_CERTAIN and sure > told.levels_probability * told.junction_probability


def _not_an_offramp(fact: MoveFact, believed: Layout, new: Sequence[Column], pieces: Pieces) -> MoveFact | None:
    road = next((r for r in believed.roads if r.id == fact.road.id), None)
    if road is None or fact.road.rests_on[1] in believed_columns(believed):
        return None
    column = column_at(road, 1, new, pieces)
    if column is None:
        return None
    ends = (road.ends[0], (road.ends[1][0], road.ends[1][1], column.top_z + pieces.stick.thickness))
    lying = FactRoad.of(road.model_copy(update={"ends": ends, "rests_on": (road.rests_on[0], column.id)}))
    return fact.model_copy(update={"column": fact_column(column, lying, pieces), "road": lying})


def believed_columns(layout: Layout) -> set[str]:
    """Ids of the columns of a layout."""
    return {column.id for column in layout.columns}


def who_built(now: Game, facts: Sequence[Fact]) -> list[tuple[MoveFact, MoveFact]]:
    """Who built a road that was in doubt, by who went on: the moves as they were told, and as they read now, the one in
    doubt and the one that tells. Empty where no move is in doubt, or nobody went on, or who did fits both.

    A road from a column of pink's in blue's turn is pink's, out of turn, or blue's, from a wrong column. In the first
    case the turn goes on after pink, in the second after blue.
    """
    moves = [(i, fact) for i, fact in enumerate(facts) if isinstance(fact, MoveFact)]
    for (at, move), (_, following) in pairwise(moves):
        if move.road.id not in now.state.unsure:
            continue  # it was sure, or the players have said it
        game = Game(now.fact)
        for fact in facts[:at]:
            game.apply(fact)
        due, went_on = game.whose_turn, game.owners.get(following.base)
        sure = {"player_probability": 1.0}
        as_told = move.model_copy(update=sure)
        otherwise = move.model_copy(update={"player": due, "turn_probability": 1.0, **sure})
        after = [_next_after(game, fact) for fact in (as_told, otherwise)]
        if due == move.player or after[0] == after[1] or went_on not in after:
            continue
        if went_on == after[0]:
            return [(move, as_told)]
        in_turn = {"player": went_on, "turn_probability": 1.0, **sure}
        return [(move, otherwise), (following, following.model_copy(update=in_turn))]
    return []


def _next_after(game: Game, move: MoveFact) -> str:
    ahead = game.copy()
    ahead.apply(move)
    return ahead.whose_turn
