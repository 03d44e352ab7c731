"""Write the rulings of the golden games anew: ``python -m tests.games.make_games``. Read the difference, then commit.

Each game is two files: ``NAME.jsonl``, the record with every ruling, and ``NAME.txt``, the same in words. The facts
stay as they are; a game whose files were removed is played anew.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rules.adjudicate import adjudicate, lines, told
from rules.events import (
    CarsFact,
    CorrectionFact,
    Fact,
    FactColumn,
    FactRoad,
    GameFact,
    KnockFact,
    Material,
    MoveFact,
    RestoredFact,
    RulingLine,
    UndoFact,
)
from rules.record import Record, parse_record, read_record, write_record
from tests.rules.legal_games import Play, begin, play_out

FOLDER = Path(__file__).parent
SIGMA_XY, SIGMA_Z = 0.4, 0.3  # what a good camera says of a stick and a column, mm


@dataclass(frozen=True)
class Golden:
    """A game to write: how it is played and from which seed.

    ``camera``: measured, with doubts, faults and undo. ``late``: cars told after their road, fallen pieces put back.
    """

    name: str
    fact: GameFact
    seed: int
    city: bool = False
    knocks: float = 0.0
    camera: bool = False
    late: bool = False


def _each(players: tuple[str, ...], gray: int, yellow: int, sticks: int, cars: int) -> dict[str, Material]:
    return {player: Material(gray=gray, yellow=yellow, sticks=sticks, cars=cars) for player in players}


TWO = ("blue", "pink")
THREE = ("blue", "pink", "green")
FOUR = ("blue", "pink", "green", "yellow")

GAMES = (
    Golden("rainbow-city-2-cars", GameFact(players=TWO, material=_each(TWO, 30, 3, 15, 5)), seed=1, knocks=0.1),
    Golden("rainbow-city-2-material", GameFact(players=TWO), seed=4, knocks=0.1),
    Golden("rainbow-city-3-cars", GameFact(players=THREE, material=_each(THREE, 25, 2, 12, 4)), seed=4, city=True),
    Golden("rainbow-city-4-cars", GameFact(players=FOUR), seed=1, knocks=0.1),
    Golden("rainbow-city-4-material", GameFact(players=FOUR), seed=2, knocks=0.1),
    Golden("missions-2-sticks", GameFact(rules="rainbow-city-missions", players=TWO), seed=2, city=True, knocks=0.1),
    Golden(
        "missions-4-cars-round",
        GameFact(rules="rainbow-city-missions", players=FOUR, material=_each(FOUR, 20, 2, 9, 4)),
        seed=6,
        city=True,
    ),
    Golden(
        "missions-3-discards",
        GameFact(rules="rainbow-city-missions", players=THREE, material=_each(THREE, 12, 1, 9, 10)),
        seed=3,
        city=True,
        knocks=0.2,
    ),
    Golden(
        "classic-2-cars", GameFact(rules="classic", players=TWO, material=_each(TWO, 30, 3, 15, 5)), seed=5, knocks=0.1
    ),
    Golden("classic-2-material", GameFact(rules="classic", players=TWO), seed=6, knocks=0.2),
    Golden("zh-3-expansions", GameFact(rules="rainbow-city-zh", players=THREE), seed=4, city=True, knocks=0.1),
    Golden("camera-2-doubts", GameFact(rules="rainbow-city-missions", players=TWO), seed=11, city=True, camera=True),
    Golden("camera-3-late", GameFact(players=THREE), seed=21, camera=True, late=True),
)


def record_of(golden: Golden) -> Record:
    """The record as it lies here; else a game played from its seed."""
    path = FOLDER / f"{golden.name}.jsonl"
    if path.exists():
        return read_record(path)
    facts = (
        _camera_game(golden)
        if golden.camera
        else [fact for fact, _ in play_out(golden.fact, golden.seed, with_city=golden.city, knocks=golden.knocks).facts]
    )
    text = "\n".join(fact.to_line() for fact in (golden.fact, *facts))
    return parse_record(text, name=golden.name)


def _camera_game(golden: Golden) -> list[Fact]:
    """A game as a camera sees it: sigmas; some moves break rules and are taken back; doubts go to the players."""
    play = begin(golden.fact, golden.seed, with_city=golden.city)
    rng = np.random.default_rng(golden.seed)
    for _ in range(18):
        player = play.game.whose_turn
        if rng.random() < 0.3 and (careless := play.candidate(player)) is not None:
            play.next_number()
            _measured_move(play, careless, late=golden.late)
        if play.game.whose_turn == player:
            move = play.best_move(player)
            if move is None:
                break
            _measured_move(play, move, late=golden.late)
        if rng.random() < 0.2:
            by = play.game.whose_turn
            theirs = [name for name in play.game.roads if play.game.owners[name] != by]
            if golden.late:
                play.do(KnockFact(turn=play.game.turn, by=by, pieces=(theirs[-1],)))
                play.do(RestoredFact(turn=play.game.turn, roads=(_nudged(play.game.roads[theirs[-1]]),)))
            else:
                shift = round(float(rng.uniform(0, 3)), 1)
                play.do(KnockFact(turn=play.game.turn, by=by, pieces=(theirs[-1],), shift_mm=shift, sigma_mm=0.3))
    return [fact for fact, _ in play.facts]


def _nudged(road: FactRoad) -> FactRoad:
    """The road put back half a millimetre beside where it lay."""
    ends = tuple((x + 0.5, y, z) for x, y, z in road.ends)
    return FactRoad.model_validate({**road.model_dump(), "ends": ends})


def _measured_move(play: Play, move: MoveFact, *, late: bool) -> None:
    """Do a move as measured. A fault is taken back; a doubt is answered by the players."""
    measured = _measured(move)
    answers = play.do(measured.model_copy(update={"cars": ()}) if late else measured)
    if late and move.cars:
        play.do(CarsFact(turn=move.turn, player=move.player, cars=move.cars))
    ruling = next(answer for answer in answers if isinstance(answer, RulingLine))
    if ruling.call == "fault":
        play.do(UndoFact(turn=move.turn))
    elif ruling.call == "too_close":
        for doubt in ruling.faults:
            if doubt.call == "too_close":
                play.do(CorrectionFact(turn=move.turn, ruling=move.road.id, set={doubt.rule: "clear"}))
        for crossing in ruling.crossings:
            if crossing.call == "too_close":
                paid = CorrectionFact(turn=move.turn, ruling=move.road.id, set={crossing.road: crossing.side})
                play.do(paid)


def _measured(move: MoveFact) -> MoveFact:
    measured = {"sigma_xy": SIGMA_XY, "sigma_z": SIGMA_Z}
    road = FactRoad.model_validate({**move.road.model_dump(), **measured})
    column = None if move.column is None else FactColumn.model_validate({**move.column.model_dump(), **measured})
    return move.model_copy(update={"road": road, "column": column})


def write_all() -> Iterator[str]:
    """Write every golden game; yields one line a game."""
    for golden in GAMES:
        record = record_of(golden)
        adjudication = adjudicate(record)
        write_record(FOLDER / f"{golden.name}.jsonl", lines(record, adjudication))
        (FOLDER / f"{golden.name}.txt").write_text(told(adjudication), encoding="utf-8")
        ends = [answer for answer in adjudication.answers if answer.type == "end"]
        turns = max(getattr(judged.fact, "turn", 0) for judged in adjudication.judged)
        yield f"{golden.name}: {turns} turns, {ends[-1] if ends else 'not ended'}"


if __name__ == "__main__":
    import sys

    for line in write_all():
        sys.stdout.write(line + "\n")
