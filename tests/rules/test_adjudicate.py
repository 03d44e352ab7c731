"""``adjudicate``, ``--diff`` and ``explain``: facts in, rulings out, and why; whatever the file holds."""

from __future__ import annotations

import json
import random
import time
from pathlib import Path
from typing import Any, get_args

import pytest

from rules import adjudicate as command
from rules import explain, show
from rules.adjudicate import MAX_FACTS, adjudicate, parse_options
from rules.differences import differences
from rules.errors import RulesError
from rules.events import CrossingReason, FaultRule
from rules.record import parse_record, read_record
from rules.sources import CROSSING_SOURCES, FAULT_SOURCES

GAMES = Path(__file__).parent.parent / "games"
CARS = GAMES / "rainbow-city-2-cars.jsonl"
DOUBTS = GAMES / "camera-2-doubts.jsonl"

GAME: dict[str, Any] = {"type": "game", "players": ["blue", "pink"]}


def ramp(n: int, player: str, side: int) -> dict[str, Any]:
    return {
        "type": "ramp",
        "player": player,
        "column": {"id": f"c{n}", "x": 57.0 * side, "y": 0.0, "gray": 1},
        "road": {"id": f"r{n}", "ends": [[165.0 * side, 0, 2], [52.0 * side, 0, 12]], "rests_on": ["table", f"c{n}"]},
        "cars": [{"id": f"k{n}", "on": f"r{n}"}],
    }


def move(n: int, turn: int, player: str, base: str, start: list[float], end: list[float]) -> dict[str, Any]:
    """A road from a base at ``start`` (x, y, levels) to a new column at ``end``."""
    (x0, y0, l0), (x1, y1, l1) = start, end
    ends = [[x0, y0, 10 * l0 + 2], [x1, y1, 10 * l1 + 2]]
    return {
        "type": "move",
        "turn": turn,
        "player": player,
        "base": base,
        "column": {"id": f"c{n}", "x": x1, "y": y1, "gray": l1},
        "road": {"id": f"r{n}", "ends": ends, "rests_on": [base, f"c{n}"]},
    }


START = [GAME, ramp(1, "blue", -1), ramp(2, "pink", 1)]
CROSSED = [
    *START,
    move(3, 1, "blue", "c1", [-57, 0, 1], [-57, 105, 2]),
    move(4, 2, "pink", "c2", [57, 0, 1], [57, 105, 2]),
    move(5, 3, "blue", "c3", [-57, 105, 2], [20, 160, 3]),
    move(6, 4, "pink", "c4", [57, 105, 2], [-35, 158, 1]),
]


def record_file(path: Path, facts: list[dict[str, Any]]) -> str:
    path.write_text("".join(json.dumps(fact) + "\n" for fact in facts), encoding="utf-8")
    return str(path)


def record(facts: list[dict[str, Any]]) -> Any:
    return parse_record("\n".join(json.dumps(fact) for fact in facts))


# --- Facts in, rulings out -----------------------------------------------------------------------------------------


def test_the_game_in_words_tells_each_fact_and_its_ruling(tmp_path: Path) -> None:
    outcome = command.run(record_file(tmp_path / "game.jsonl", CROSSED))
    assert outcome.status == 0
    assert outcome.notes == ()
    assert "Turn 4: pink builds road r6 from column c4 to the new column c6, one level high.\n" in outcome.text
    assert "  Pink passes under blue's road r5, the first to do so: one car. (gap " in outcome.text
    assert (
        "  Pink has not placed one car that is due; once the next player builds, the chance is gone.\n" in outcome.text
    )
    assert outcome.text.splitlines()[-2].startswith("Blue holds ")


def test_the_same_in_spanish(tmp_path: Path) -> None:
    text = command.run(record_file(tmp_path / "game.jsonl", CROSSED), language="es").text
    assert "Rosa cruza por debajo de la carretera r5 de azul y es la primera vez: un coche. (separación " in text


def test_output_holds_the_rulings_only_and_with_facts_the_whole_record(tmp_path: Path) -> None:
    path = record_file(tmp_path / "game.jsonl", CROSSED)
    command.run(path, output=str(tmp_path / "rulings.jsonl"))
    rulings = read_record(tmp_path / "rulings.jsonl")
    assert rulings.facts == ()
    assert {line.type for line in rulings.lines} == {"ruling", "cars", "supply"}
    command.run(path, output=str(tmp_path / "whole.jsonl"), with_facts=True)
    whole = read_record(tmp_path / "whole.jsonl")
    assert whole.facts == record(CROSSED).facts
    assert whole.answers == rulings.answers


def test_a_dash_gives_the_lines_as_text(tmp_path: Path) -> None:
    outcome = command.run(record_file(tmp_path / "game.jsonl", CROSSED), output="-")
    assert parse_record(outcome.text).answers == adjudicate(record(CROSSED)).answers


def test_the_record_itself_is_never_replaced_by_its_rulings(tmp_path: Path) -> None:
    path = record_file(tmp_path / "game.jsonl", CROSSED)
    with pytest.raises(RulesError, match="is the record itself"):
        command.run(path, output=path)
    assert read_record(path).facts == record(CROSSED).facts
    command.run(path, output=path, with_facts=True)
    assert read_record(path).facts == record(CROSSED).facts


def test_what_a_record_holds_of_alerts_stays_when_it_is_written_anew(tmp_path: Path) -> None:
    alert = {"type": "alert", "kind": "hand-in-view", "value": 0.0, "unit": "mm", "pieces": []}
    path = record_file(tmp_path / "game.jsonl", [*CROSSED[:4], alert, *CROSSED[4:]])
    command.run(path, output=str(tmp_path / "new.jsonl"), with_facts=True)
    assert [line.type for line in read_record(tmp_path / "new.jsonl").lines].count("alert") == 1


def test_other_rules_and_switches_rule_otherwise(tmp_path: Path) -> None:
    long_end = [*START, move(3, 1, "blue", "c1", [-57, 0, 1], [-57, 92, 2])]
    long_end[-1]["road"]["ends"][1] = [-57, 104, 22]
    path = record_file(tmp_path / "game.jsonl", long_end)
    assert "sticks out past the far rim" in command.run(path).text
    assert "sticks out" not in command.run(path, rules="classic").text
    assert "sticks out" not in command.run(path, options=["overhang_mm=free"]).text
    assert "sticks out" not in command.run(path, options=["overhang_mm=2.5"]).text


@pytest.mark.parametrize(
    ("options", "parsed"),
    [
        (["first=event"], {"first": "event"}),
        (["ramps_pay=false", "k = 3"], {"ramps_pay": False, "k": 3}),
        (["overhang_mm=1.5"], {"overhang_mm": 1.5}),
    ],
)
def test_switches_are_read_as_words_numbers_or_yes_and_no(options: list[str], parsed: dict[str, Any]) -> None:
    assert parse_options(options) == parsed


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"rules": "monopoly"}, "unknown rules 'monopoly'; known: rainbow-city"),
        ({"options": ["first"]}, "expected SWITCH=VALUE"),
        ({"options": ["speed=3"]}, "unknown switch 'speed'"),
        ({"options": ["first=never"]}, "allowed: state | event"),
        ({"language": "fr"}, "known: en, es, nl, zh-Hant"),
    ],
)
def test_what_the_user_got_wrong_is_one_line(tmp_path: Path, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(RulesError) as error:
        command.run(record_file(tmp_path / "game.jsonl", CROSSED), **arguments)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


# --- A record never stops the judge ----------------------------------------------------------------------------------


def broken(where: int, line: dict[str, Any] | str) -> tuple[str, ...]:
    """The notes on a game with one more line; the other rulings must be those of the game without it."""
    texts = [json.dumps(fact) for fact in CROSSED]
    texts.insert(where, line if isinstance(line, str) else json.dumps(line))
    with_line = parse_record("\n".join(texts), name="game.jsonl")
    adjudication = adjudicate(with_line)
    assert adjudication.answers == adjudicate(record(CROSSED)).answers
    return command.notes_of(with_line, adjudication)


@pytest.mark.parametrize(
    ("where", "line", "note"),
    [
        (4, "garbage", "line 5: is no JSON"),
        (4, {"type": "knock", "turn": 2, "by": "pink", "pieces": ["r99"]}, "line 5: turn 2: knocked piece 'r99'"),
        (5, CROSSED[3], "line 6: id 'r3' is used twice"),
        (5, {**CROSSED[4], "player": "green"}, "line 6: unknown player 'green'"),
        (
            6,
            {"type": "correction", "turn": 3, "ruling": "r77", "set": {"cars_due": 1}},
            "'r77' has no ruling to correct",
        ),
        (6, {"type": "correction", "turn": 3, "ruling": "r5", "set": {"gap": 1}}, "gap = 1 can't be corrected"),
        (3, {"type": "undo", "turn": 9}, "line 4: turn 9: there is nothing to take back"),
        (7, GAME, "line 8: a second game line"),
        (0, CROSSED[1], "line 3: id 'r1' is used twice"),
    ],
)
def test_a_line_that_cannot_be_is_noted_and_the_game_goes_on(where: int, line: Any, note: str) -> None:
    notes = broken(where, line)
    assert len(notes) == 1
    assert note in notes[0]
    assert notes[0].endswith("; left out")


def test_a_record_without_a_game_line_is_an_error() -> None:
    with pytest.raises(RulesError, match='no "game" line'):
        adjudicate(record(CROSSED[1:]))


def test_a_record_of_very_many_facts_ends_and_says_so() -> None:
    passes = [{"type": "pass", "turn": turn, "player": "blue"} for turn in range(1, MAX_FACTS + 500)]
    long = record([*START, *passes])
    start = time.perf_counter()
    adjudication = adjudicate(long)
    assert time.perf_counter() - start < 20
    assert len(adjudication.judged) == MAX_FACTS
    assert "no game has more than" in command.notes_of(long, adjudication)[0]


def test_twisted_records_never_crash_the_judge() -> None:
    """Lines of whole games with values, ids and places mixed up: rulings or reports, but no crash."""
    games = [[line.to_line() for line in read_record(path).facts] for path in sorted(GAMES.glob("*.jsonl"))]
    for seed in range(60):
        rng = random.Random(seed)
        lines = list(rng.choice(games))
        for _ in range(rng.randint(1, 10)):
            _twist(lines, rng)
        read = parse_record("\n".join(lines))
        try:
            adjudication = adjudicate(read)
        except RulesError:
            continue
        assert command.told(adjudication)
        assert len(adjudication.judged) + len(adjudication.refused) == len(read.facts)


def _twist(lines: list[str], rng: random.Random) -> None:
    values: list[Any] = [None, True, 0, -1, 7, 1e6, -1e6, 1e-300, [], {}, [0, 0, 0]]
    values += ["", "table", "r3", "c3", "k1", "pink"]
    i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
    choice = rng.random()
    if choice < 0.6:
        data = json.loads(lines[i])
        node, key = rng.choice(list(_places(data)))
        node[key] = rng.choice(values)
        lines[i] = json.dumps(data)
    elif choice < 0.7:
        lines.insert(j, lines[i])
    elif choice < 0.8:
        lines[i], lines[j] = lines[j], lines[i]
    elif choice < 0.9:
        lines.insert(i, json.dumps({"type": "undo", "turn": rng.randint(0, 20)}))
    elif len(lines) > 3:
        del lines[i]


def _places(node: Any) -> Any:
    for key, child in node.items() if isinstance(node, dict) else enumerate(node):
        yield node, key
        if isinstance(child, dict | list):
            yield from _places(child)


# --- What changes ----------------------------------------------------------------------------------------------------


def changes(path: Path, **arguments: Any) -> tuple[str, int]:
    outcome = command.run(str(path), diff=True, **arguments)
    return outcome.text, outcome.status


def test_the_same_rules_change_nothing() -> None:
    assert changes(CARS) == ("no change\n", 0)
    assert changes(DOUBTS) == ("no change\n", 0)


def test_another_switch_changes_turn_by_turn_and_the_status_says_so() -> None:
    text, status = changes(CARS, options=["ramps_pay=false"])
    assert status == 1
    lines = text.splitlines()
    assert any(
        "reason first -> ramp" in line and "pays true -> false" in line and "cars_due " in line for line in lines
    )
    turns = [int(line.split(",")[0].removeprefix("turn ")) for line in lines]
    assert turns == sorted(turns)


def test_without_rulings_in_the_file_there_is_nothing_to_compare(tmp_path: Path) -> None:
    with pytest.raises(RulesError, match="holds no rulings to compare with"):
        changes(Path(record_file(tmp_path / "game.jsonl", CROSSED)))


def with_rulings(change: Any) -> list[str]:
    """The changes against a record whose rulings were changed by ``change`` (a function of each dumped answer)."""
    adjudication = adjudicate(record(CROSSED))
    changed = [change(json.loads(answer.to_line())) for answer in adjudication.answers]
    both = record([*CROSSED, *(line for line in changed if line is not None)])
    return [str(entry) for entry in differences(both, adjudication.answers)]


def test_rulings_may_stand_after_all_facts_and_numbers_may_be_rounded() -> None:
    def rounded(line: dict[str, Any]) -> dict[str, Any]:
        for crossing in line.get("crossings", ()):
            crossing["gap"], crossing["at"] = round(crossing["gap"], 1), [round(v, 1) for v in crossing["at"]]
        return line

    assert with_rulings(rounded) == []


def test_each_kind_of_change_is_named() -> None:
    def changed(line: dict[str, Any]) -> dict[str, Any] | None:
        if line["type"] == "ruling" and line["road"] == "r6":
            line["cars_due"], line["call"] = 0, "fault"
            line["crossings"][0]["side"] = "over"
            line["faults"] = [{"rule": "overhang", "call": "fault", "value": 3.0, "with": ["c6"]}]
        if line["type"] == "supply" and line["turn"] == 3:
            line["players"]["blue"]["gray"] = 1
        if line["type"] == "ruling" and line["road"] == "r3":
            return None
        return line

    text = "\n".join(with_rulings(changed))
    assert "turn 1, ruling r3: not in the record" in text
    assert "turn 3, supply: players blue gray 1 -> " in text
    assert "turn 4, ruling r6: call fault -> legal; cars_due 0 -> 1" in text
    assert "faults overhang c6 call fault -> none" in text
    assert "crossings r5 under pays none -> true" in text


def test_a_turn_played_twice_is_compared_both_times() -> None:
    again = [*CROSSED[:4], {"type": "undo", "turn": 1}, CROSSED[3]]
    adjudication = adjudicate(record(again))
    held = [json.loads(answer.to_line()) for answer in adjudication.answers]
    first = next(line for line in held if line["type"] == "ruling" and line["road"] == "r3")
    first["cars_due"] = 5
    changed = differences(record([*again, *held]), adjudication.answers)
    assert [str(change) for change in changed] == ["turn 1, ruling r3: cars_due 5 -> 0"]


@pytest.mark.parametrize("cars", [[{"id": "k9", "player": "green"}], [{"id": "k1"}], [{"id": "c4"}]])
def test_a_move_with_a_car_that_cannot_be_leaves_the_game_as_it_was(cars: list[dict[str, Any]]) -> None:
    before = adjudicate(record(CROSSED[:4])).game
    after = adjudicate(record([*CROSSED[:4], {**CROSSED[4], "cars": cars}]))
    assert len(after.refused) == 1
    assert after.game == before


def test_a_fault_looked_at_and_found_clear_is_no_change() -> None:
    def looked_at(line: dict[str, Any]) -> dict[str, Any]:
        if line["type"] == "ruling":
            line["faults"] = [*line["faults"], {"rule": "overhang", "call": "clear", "value": -3.0, "with": ["c3"]}]
        return line

    assert with_rulings(looked_at) == []


# --- Why -------------------------------------------------------------------------------------------------------------


def test_a_turn_is_explained_in_words_and_in_a_table_with_sources(tmp_path: Path) -> None:
    outcome = explain.run(record_file(tmp_path / "game.jsonl", CROSSED), turn=4)
    words, table, sources = outcome.text.split("\n\n")
    assert words.splitlines()[0].startswith("Turn 4: pink builds road r6")
    heading, *rows = table.splitlines()
    assert heading.split() == ["what", "pieces", "value", "limit", "call", "source"]
    (crossing,) = [row for row in rows if row.startswith("passes under blue's road r5")]
    assert "mm" in crossing
    assert "one car" in crossing
    assert "Rainbow City, Basic Rules 6 Conditions for Car Placement" in sources
    assert "(switch first = state)" in sources


def test_the_table_also_shows_what_was_looked_at_and_found_clear() -> None:
    explanation = explain.explain_turn(read_record(DOUBTS), 9)
    calls = {row.call for row in explanation.rows}
    assert "clear" in calls
    assert any(row.sigma for row in explanation.rows)


def test_a_turn_that_was_taken_back_is_explained_as_it_stands() -> None:
    explanation = explain.explain_turn(read_record(DOUBTS), 15)
    assert explanation.sentences[0] == "Turn 15 is taken back."
    assert sum("builds road" in sentence for sentence in explanation.sentences) == 1


def test_the_game_of_an_explanation_stands_as_after_that_turn() -> None:
    explanation = explain.explain_turn(read_record(CARS), 3)
    assert explanation.game.turn == 4
    assert len(explanation.game.roads) == 5


def test_the_set_up_is_turn_zero() -> None:
    explanation = explain.explain_turn(read_record(CARS), 0)
    assert any("starting ramp" in sentence for sentence in explanation.sentences)


def test_a_turn_that_is_not_there_names_those_that_are() -> None:
    with pytest.raises(RulesError, match=r"no turn 99; turns 1 to 18 are there"):
        explain.run(str(CARS), turn=99)


@pytest.mark.parametrize("language", ["en", "es", "nl", "zh-Hant"])
def test_set_up_doubts_undo_and_crossings_are_explained_in_every_language(language: str) -> None:
    read = read_record(DOUBTS)
    for turn in (0, 9, 15, 18):
        assert str(explain.explain_turn(read, turn, language=language))


def test_every_rule_and_every_reason_has_its_source() -> None:
    assert set(FAULT_SOURCES) == set(get_args(FaultRule))
    assert set(CROSSING_SOURCES) == set(get_args(CrossingReason))


def test_rule_sets_are_shown() -> None:
    assert "rainbow-city-zh" in show.run().text
    assert "overhang_mm = free" in show.run("classic").text
    with pytest.raises(RulesError, match="unknown rules"):
        show.run("monopoly")
