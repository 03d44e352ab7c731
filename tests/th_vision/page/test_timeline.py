"""The game as steps for a page: what each step changes, and that all of them together give the board."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rules.adjudicate import adjudicate
from rules.events import AlertLine, GameFact, KnockFact, MoveFact, PassFact, RestoredFact, SaidFact, UndoFact
from rules.record import read_record
from tests.conftest import ROOT
from tests.rules.tables import Table
from th_vision.page.board import SECTIONS, Board, board_of, change
from th_vision.page.timeline import Timeline

GOLDEN = sorted((ROOT / "tests" / "games").glob("*.jsonl"))


def timeline_of(path: Path) -> Timeline:
    record = read_record(path)
    timeline = Timeline(record.game)
    for fact in record.facts[1:]:
        timeline.take(fact)
    return timeline


def rebuilt(timeline: Timeline, until: int) -> Board:
    """The board as a page makes it from the steps alone."""
    board: Board = {section: {} for section in SECTIONS}
    for step in timeline.steps[: until + 1]:
        for section, entries in json.loads(json.dumps(step.board)).items():
            for name, entry in entries.items():
                if entry is None:
                    del board[section][name]
                else:
                    board[section][name] = entry
    return board


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_the_steps_together_are_the_board(path: Path) -> None:
    timeline = timeline_of(path)
    assert rebuilt(timeline, len(timeline.steps) - 1) == json.loads(json.dumps(timeline.board))


def test_a_step_back_shows_the_table_as_it_stood_then() -> None:
    path = ROOT / "tests" / "games" / "missions-4-cars-round.jsonl"
    timeline, record = timeline_of(path), read_record(path)
    game = adjudicate(record).game
    assert board_of(game, timeline.pieces)["roads"].keys() == game.roads.keys()
    early = rebuilt(timeline, 12)
    assert 0 < len(early["roads"]) < len(game.roads)
    assert set(early["roads"]) < set(game.roads)


def test_the_board_says_who_owns_what_how_high_and_which_side_is_free() -> None:
    table = Table()
    table.stick("pink", "p", (50, -50, 2), (50, 50, 3))
    table.stick("blue", "b", (0, 0, 5), (100, 0, 6))
    board = board_of(table.game, timeline_of(GOLDEN[0]).pieces)
    road = board["roads"]["p"]
    assert road["owner"] == "pink"
    assert [end[2] for end in road["ends"]] == [22.0, 32.0]
    assert (road["over"]["free"], road["over"]["by"], road["under"]["free"]) == (False, "b", True)
    assert board["columns"]["pb"]["levels"] == 3
    assert board["pairs"]["p b"] == {"over": "b", "under": "p", "at": [50.0, 0.0]}


def test_what_is_doubtful_is_said_to_be() -> None:
    table = Table()
    table.ramp("blue", "c", (0, 0), levels_probability=0.9)
    board = board_of(table.game, timeline_of(GOLDEN[0]).pieces)
    assert board["columns"]["c"]["doubt"] == ["levels", 90]


def test_an_undone_turn_is_gone_from_the_board_and_stays_in_the_line() -> None:
    timeline = Timeline(GameFact(players=("blue", "pink")))
    table = Table()
    table.ramp("blue", "a", (0, 0))
    table.ramp("pink", "z", (200, 0), heading=0)
    timeline.take(table.game.facts[0])
    timeline.take(table.game.facts[1])
    move = table.move_fact("blue", "a", "n", (100, 0), gray=2, road="r")
    step = timeline.take(move)
    assert step is not None
    assert set(step.newest) == {"n", "r"}
    undo = timeline.take(UndoFact(turn=1))
    assert undo is not None
    assert undo.board["roads"] == {"r": None}
    assert len(timeline.steps) == 5


def test_what_can_not_be_gives_no_step() -> None:
    timeline = Timeline(GameFact(players=("blue", "pink")))
    assert timeline.take(PassFact(turn=1, player="green")) is None
    assert timeline.take(GameFact(players=("blue", "pink"))) is None
    assert len(timeline.steps) == 1


def test_knocked_pieces_are_ghosts_until_they_stand_again_or_the_game_goes_on() -> None:
    table = Table()
    table.ramp("blue", "a", (0, 0))
    ramp = table.ramp("pink", "z", (200, 0), heading=0)
    car = next(name for name in table.game.cars if table.game.owners[name] == "pink")
    timeline = Timeline(table.game.fact)
    for fact in table.game.facts:
        timeline.take(fact)
    timeline.take(KnockFact(turn=1, by="blue", pieces=("z", ramp, car)))
    assert timeline.board["ghosts"].keys() == {"z", ramp, car}
    timeline.take(RestoredFact(turn=1, columns=(table.game.columns["z"],)))
    assert timeline.board["ghosts"].keys() == {ramp, car}
    timeline.take(RestoredFact(turn=1, roads=(table.game.roads[ramp],)))
    assert timeline.board["ghosts"] == {}  # the car came back with its road
    timeline.take(KnockFact(turn=1, by="blue", pieces=("z",)))
    move = table.move_fact("blue", "a", "n", (100, 0), gray=2)
    assert isinstance(move, MoveFact)
    timeline.take(move)
    assert timeline.board["ghosts"] == {}


def test_an_alert_is_a_step_of_its_own() -> None:
    timeline = Timeline(GameFact(players=("blue", "pink")))
    step = timeline.take(AlertLine(kind="camera-moved", value=4.2))
    assert step is not None
    assert step.head("en") == "The camera has moved; calibrate the table again. (4.2 mm)"
    assert step.board == {}


def test_scores_say_what_they_are_made_of() -> None:
    timeline = timeline_of(ROOT / "tests" / "games" / "zh-3-expansions.jsonl")
    for player, entry in timeline.board["players"].items():
        assert sum(entry["score"].values()) == entry["total"], player
        made = entry["made_of"]
        assert len(made.get("drive", ())) == entry["score"].get("drive", 0)
        assert bool(made.get("highest")) == bool(entry["score"].get("highest"))


def test_what_could_still_be_got_is_told_until_the_game_is_over() -> None:
    timeline = timeline_of(ROOT / "tests" / "games" / "missions-4-cars-round.jsonl")
    assert timeline.game.finished
    assert any(entry["more"] for entry in rebuilt(timeline, len(timeline.steps) - 2)["players"].values())
    assert not any(entry["more"] for entry in rebuilt(timeline, len(timeline.steps) - 1)["players"].values())


def test_only_what_changed_is_sent() -> None:
    before: Board = {section: {} for section in SECTIONS} | {"roads": {"a": {"x": 1}, "b": {"x": 2}}}
    after: Board = {section: {} for section in SECTIONS} | {"roads": {"a": {"x": 1}, "c": {"x": 3}}}
    assert change(before, after) == {"roads": {"c": {"x": 3}, "b": None}}
    assert change(after, after) == {}


def test_words_alone_are_no_step() -> None:
    timeline = Timeline(GameFact(players=("blue", "pink")))
    assert timeline.take(SaidFact(turn=1, words="next")) is None
    assert len(timeline.steps) == 1
