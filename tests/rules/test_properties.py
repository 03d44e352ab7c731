"""What must hold for every game: where the table stands, what things are called, and how sure one is."""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.errors import RulesError
from rules.events import (
    LINE_TYPES,
    Answer,
    DiscardStickFact,
    Fact,
    GameFact,
    KnockFact,
    Line,
    MoveFact,
    RulingLine,
    SupplyLine,
    UndoFact,
)
from rules.game import Game
from tests.rules.legal_games import play_out
from tests.rules.random_tables import game_of, moves, random_sticks, random_switches

Data = dict[str, Any]
Place = Callable[[float, float], tuple[float, float]]

STARTS = (
    GameFact(players=("blue", "pink")),
    GameFact(rules="rainbow-city-missions", players=("blue", "pink", "green")),
    GameFact(rules="rainbow-city-zh", players=("blue", "pink", "green", "yellow")),
    GameFact(rules="classic", players=("blue", "pink"), options={"penalty_for_shift_mm": 3.0}),
)


@functools.cache
def legal_game(start: int) -> tuple[GameFact, tuple[Fact, ...]]:
    """A game from a seed, with its city where the missions want one."""
    fact = STARTS[start]
    play = play_out(fact, seed=20 + start, with_city="city" in fact.rules, knocks=0.1, most_turns=24, tries=25)
    return fact, tuple(fact for fact, _ in play.facts)


@functools.cache
def shaken_game(start: int, seed: int, mm: float = 1.5) -> tuple[GameFact, tuple[Fact, ...]]:
    """The same game with every road and column of it moved a little: faults, doubts and near misses of all kinds."""
    fact, facts = legal_game(start)
    rng = np.random.default_rng(seed)

    def shake(one: Fact) -> Fact:
        data = dump(one)
        for part in ("column", "road"):
            if data.get(part):
                sigmas = {"sigma_xy": float(rng.uniform(0.1, 1.0)), "sigma_z": float(rng.uniform(0.1, 0.6))}
                data[part].update(sigmas)
                shift = [*rng.normal(0, mm, 2), float(rng.normal(0, mm / 2))]
                moved_points(data[part], lambda x, y, s=shift: (x + s[0], y + s[1]))
                for end in data[part].get("ends", ()):
                    end[2] += shift[2]
        return load(data)

    out: list[Fact] = []
    standing: dict[str, Data] = {}
    for one in facts:
        out.append(shake(one) if isinstance(one, MoveFact) else one)
        data = dump(out[-1])
        standing |= {data[part]["id"]: data[part] for part in ("column", "road") if data.get(part)}
        if isinstance(one, KnockFact) and (fallen := [standing[name] for name in one.pieces if name in standing]):
            out.append(put_back(one.turn, fallen, rng))
    return fact, tuple(out)


def put_back(turn: int, fallen: list[Data], rng: np.random.Generator) -> Fact:
    """Knocked pieces that stand again nearly where they stood."""
    data = json.loads(json.dumps({"type": "restored", "turn": turn, "columns": [], "roads": []}))
    for piece in json.loads(json.dumps(fallen)):
        shift = rng.normal(0, 0.7, 2)
        moved_points(piece, lambda x, y, s=shift: (x + s[0], y + s[1]))
        data["roads" if "ends" in piece else "columns"].append(piece)
    return load(data)


def dump(line: Line) -> Data:
    data: Data = json.loads(line.to_line())
    return data


def load(data: Data) -> Fact:
    return LINE_TYPES[data["type"]].model_validate(data)  # type: ignore[return-value]  # only facts are dumped here


def moved_points(node: object, place: Place) -> None:
    """Move every point of the plan view in a dumped fact."""
    if isinstance(node, list):
        for child in node:
            moved_points(child, place)
    if isinstance(node, dict):
        for child in node.values():
            moved_points(child, place)
        if isinstance(node.get("x"), float | int) and isinstance(node.get("y"), float | int):
            node["x"], node["y"] = place(node["x"], node["y"])
        for key in ("ends", "outline", "arch"):
            for point in node.get(key) or ():
                point[:2] = place(*point[:2])


def moved(facts: Iterable[Fact], place: Place) -> list[Fact]:
    out = []
    for fact in facts:
        data = dump(fact)
        moved_points(data, place)
        out.append(load(data))
    return out


def rulings(game: GameFact, facts: Iterable[Fact]) -> list[list[Answer]]:
    """The answers to each fact; one that can't be counts as no answer."""
    played = Game(game)
    answers: list[list[Answer]] = []
    for fact in facts:
        try:
            answers.append(played.apply(fact))
        except RulesError:
            answers.append([])
    return answers


def gist(answers: Iterable[Answer]) -> list[Data]:
    """Answers without the places of crossings, numbers rounded, lists in an order of their own."""
    out = []
    for answer in answers:
        data = dump(answer)
        for crossing in data.get("crossings", ()):
            del crossing["at"]
        out.append(_rounded(data))
    return out


def _rounded(node: Any) -> Any:
    if isinstance(node, dict):
        return {key: _rounded(value) for key, value in node.items()}
    if isinstance(node, list):
        return sorted((_rounded(value) for value in node), key=lambda value: json.dumps(value, sort_keys=True))
    return round(node, 6) + 0.0 if isinstance(node, float) else node


START = st.integers(0, len(STARTS) - 1)
FEW = settings(max_examples=8, deadline=None)


# --- Where the table stands, what things are called ------------------------------------------------------------------


@FEW
@given(START, st.integers(0, 3), st.floats(0, 360), st.floats(-500, 500), st.floats(-500, 500), st.booleans())
def test_turning_shifting_and_mirroring_the_table_changes_no_ruling(
    start: int, seed: int, turn_deg: float, dx: float, dy: float, mirror: bool
) -> None:
    cosine, sine = math.cos(math.radians(turn_deg)), math.sin(math.radians(turn_deg))

    def place(x: float, y: float) -> tuple[float, float]:
        x = -x if mirror else x
        return cosine * x - sine * y + dx, sine * x + cosine * y + dy

    game, facts = shaken_game(start, seed)
    before, after = rulings(game, facts), rulings(game, moved(facts, place))
    assert [gist(answers) for answers in after] == [gist(answers) for answers in before]


_WORDS = ("type", "rules", "options", "rule", "call", "unit", "reason", "side", "kind", "car_type", "order")


def renamed(node: Any, names: Mapping[str, str]) -> Any:
    """Every name in a dumped line by another one; players are keys, too."""
    if isinstance(node, dict):
        out = {key: value if key in _WORDS else renamed(value, names) for key, value in node.items()}
        for key in ("players", "material"):
            if isinstance(out.get(key), dict):
                out[key] = {names.get(player, player): value for player, value in out[key].items()}
        return out
    if isinstance(node, list):
        return [renamed(value, names) for value in node]
    return names.get(node, node) if isinstance(node, str) else node


@FEW
@given(START, st.integers(0, 3), st.integers(0, 1000))
def test_renaming_players_and_pieces_changes_no_ruling(start: int, seed: int, names_seed: int) -> None:
    game, facts = shaken_game(start, seed)
    rng = np.random.default_rng(names_seed)
    pieces = sorted(set(_ids([dump(fact) for fact in facts])) - {"table"})
    new = [f"{'abcxyz'[rng.integers(6)]}{i}" for i in rng.permutation(len(pieces))]
    players = [f"player {i}" for i in rng.permutation(len(game.players))]
    names = dict(zip(pieces, new, strict=True)) | dict(zip(game.players, players, strict=True))
    start_fact = GameFact.model_validate(renamed(dump(game), names))
    after = rulings(start_fact, [load(renamed(dump(fact), names)) for fact in facts])
    expected = [[renamed(dump(answer), names) for answer in answers] for answers in rulings(game, facts)]
    models = [[LINE_TYPES[line["type"]].model_validate(line) for line in lines] for lines in expected]
    assert [gist(answers) for answers in after] == [gist(answers) for answers in models]


def _ids(node: Any) -> Iterable[str]:
    if isinstance(node, dict):
        for key, value in node.items():
            if key in ("id", "base") and isinstance(value, str):
                yield value
            else:
                yield from _ids(value)
    elif isinstance(node, list):
        for value in node:
            yield from _ids(value)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000))
def test_the_order_of_moves_that_do_not_touch_changes_no_ruling(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sticks = random_sticks(rng, 8)
    far = [i for i in range(7) if not _near(sticks[i], sticks[i + 1])]
    if not far:
        return
    i = far[int(rng.integers(len(far)))]
    swapped = [*sticks[:i], sticks[i + 1], sticks[i], *sticks[i + 2 :]]
    switches = random_switches(rng)

    def by_road(order: list[Any]) -> dict[str | None, Any]:
        game = game_of(order, switches)
        lines = [answer for move in moves(order) for answer in game.apply(move) if isinstance(answer, RulingLine)]
        return {line.road: _without_turn(line) for line in lines}

    assert by_road(swapped) == by_road(sticks)


def _near(one: Any, two: Any) -> bool:
    """Whether the boxes of two sticks come within a column's width of each other, or one builds on the other."""
    if one.columns & two.columns:
        return True
    boxes = [(min(s.a[i], s.b[i]) - 20, max(s.a[i], s.b[i]) + 20) for s in (one, two) for i in (0, 1)]
    return all(boxes[i][0] <= boxes[i + 2][1] and boxes[i + 2][0] <= boxes[i][1] for i in (0, 1))


def _without_turn(line: RulingLine) -> Any:
    faults = tuple(fault for fault in line.faults if fault.rule != "turn-order")
    return gist([line.model_copy(update={"faults": faults, "turn": 0, "call": "legal"})])


# --- Taking back -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("start", range(len(STARTS)))
def test_undo_after_any_event_restores_the_state_exactly(start: int) -> None:
    fact, facts = shaken_game(start, 0)
    game = Game(fact)
    before_turn: dict[int, Game] = {}
    for one in facts:
        turn = getattr(one, "turn", 0)
        before = game.copy()
        if turn == 0:
            before_turn[0] = before
        before_turn.setdefault(turn, before)
        game.apply(one)
        twin = game.copy()
        twin.apply(UndoFact(turn=turn))
        assert twin == before_turn[turn]
        assert twin.score() == before_turn[turn].score()
        again = twin.copy()
        if before_turn[turn] == before:
            assert gist(again.apply(one)) == gist(before.copy().apply(one))
            assert again == game


@FEW
@given(START, st.data())
def test_undo_of_an_earlier_turn_takes_back_all_after_it(start: int, data: st.DataObject) -> None:
    fact, facts = legal_game(start)
    last = max(getattr(one, "turn", 0) for one in facts)
    back_to = data.draw(st.integers(1, last))
    game = Game(fact)
    for one in facts:
        game.apply(one)
    game.apply(UndoFact(turn=back_to))
    short = Game(fact)
    for one in facts:
        if getattr(one, "turn", 0) < back_to:
            short.apply(one)
    assert game == short


@pytest.mark.parametrize("start", range(len(STARTS)))
def test_a_preview_changes_nothing_and_says_what_then_happens(start: int) -> None:
    fact, facts = shaken_game(start, 1)
    game = Game(fact)
    for one in facts:
        if isinstance(one, MoveFact):
            before = game.copy()
            preview = game.preview(one)
            assert game == before
            assert preview == game.apply(one)[0]
        else:
            game.apply(one)


# --- How sure one is -------------------------------------------------------------------------------------------------


def scaled(facts: Iterable[Fact], factor: float) -> list[Fact]:
    def scale(node: Any) -> Any:
        if isinstance(node, dict):
            return {
                key: min(1e4, value * factor) if key.startswith("sigma") and value is not None else scale(value)
                for key, value in node.items()
            }
        return [scale(value) for value in node] if isinstance(node, list) else node

    return [load(scale(dump(fact))) for fact in facts]


def calls(answers: Iterable[Answer]) -> dict[tuple[str, ...], str]:
    """Every call on a measured rule and on a crossing, by what it is about."""
    found: dict[tuple[str, ...], str] = {}
    for answer in answers:
        if isinstance(answer, RulingLine):
            for fault in answer.faults:
                if fault.unit == "mm":
                    key = (answer.road or answer.object or "", fault.rule, *sorted(fault.with_))
                    found[key] = max(fault.call, found.get(key, ""), key=("", "clear", "too_close", "fault").index)
            for crossing in answer.crossings:
                said = f"pays {crossing.pays}" if crossing.call == "clear" else crossing.call
                found[answer.road or "", "crossing", crossing.road] = said
    return found


def one_by_one(fact: GameFact, facts: list[Fact], others: list[list[Fact]]) -> Iterable[list[dict[Any, str]]]:
    """Each move's calls, and those of its variants, all on the same table: doubts of earlier turns stay out."""
    game = Game(fact)
    for i, one in enumerate(facts):
        if isinstance(one, MoveFact):
            variants = [one, *(other[i] for other in others)]
            yield [calls([game.preview(variant)]) for variant in variants if isinstance(variant, MoveFact)]
        game.apply(one)


@FEW
@given(START, st.integers(0, 8))
def test_without_sigma_nothing_is_too_close_and_no_call_flips(start: int, seed: int) -> None:
    fact, facts = shaken_game(start, seed)
    exact = scaled(facts, 0.0)
    for answers in rulings(fact, exact):
        assert "too_close" not in calls(answers).values()
        assert all(answer.call != "too_close" for answer in answers if isinstance(answer, RulingLine))
    for measured, sharp in one_by_one(fact, exact, [list(facts)]):
        measured, sharp = sharp, measured  # the table is the exact one; the move is once measured, once exact
        for key, call in measured.items():
            if call != "too_close":
                assert sharp.get(key, "clear") == call, key
        for key, call in sharp.items():
            if call != "clear":
                assert measured.get(key, "clear") in (call, "too_close"), key


@FEW
@given(START, st.integers(0, 8), st.floats(1.0, 4.0))
def test_more_sigma_never_turns_too_close_into_a_call(start: int, seed: int, factor: float) -> None:
    fact, facts = shaken_game(start, seed)
    for measured, blurred in one_by_one(fact, list(facts), [scaled(facts, factor)]):
        for key, call in measured.items():
            if call == "too_close":
                assert blurred.get(key) == "too_close", key
            else:
                assert blurred.get(key, "clear") in (call, "too_close"), key


# --- Pieces ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("start", range(len(STARTS)))
def test_pieces_are_conserved_and_no_supply_of_a_legal_game_runs_below_zero(start: int) -> None:
    fact, facts = legal_game(start)
    game = Game(fact)
    first = game.supplies
    total = {key: sum(getattr(first[player], key) for player in game.players) for key in ("gray", "yellow", "sticks", "cars")}  # fmt: skip  # noqa: E501 - one table
    aside = 0
    for one in facts:
        for answer in game.apply(one):
            if isinstance(answer, RulingLine):
                assert not [fault for fault in answer.faults if fault.rule == "supply" and fault.unit != "discs"]
            if isinstance(answer, SupplyLine):
                assert dict(answer.players) == dict(game.supplies)
        aside += isinstance(one, DiscardStickFact)
        held = {key: sum(getattr(game.supplies[player], key) for player in game.players) for key in total}
        assert held["gray"] + sum(column.gray for column in game.columns.values()) == total["gray"]
        assert held["yellow"] + sum(column.yellow for column in game.columns.values()) == total["yellow"]
        assert held["sticks"] + len(game.roads) + aside == total["sticks"]
        assert held["cars"] + len(game.cars) == total["cars"]


def test_a_knock_moves_discs_and_makes_none() -> None:
    fact, facts = legal_game(0)
    game = Game(fact)
    for one in facts[:10]:
        game.apply(one)
    discs = sum(held.gray + held.yellow for held in game.supplies.values())
    theirs = [piece for piece, owner in game.owners.items() if owner == "pink"]
    game.apply(KnockFact(turn=game.turn, by="blue", pieces=tuple(theirs)))
    assert sum(held.gray + held.yellow for held in game.supplies.values()) == discs
