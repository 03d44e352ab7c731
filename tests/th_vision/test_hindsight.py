"""What later readings, and who goes on, tell of earlier moves."""

from __future__ import annotations

from rules.events import CorrectionFact, KnockFact, MoveFact, RulingLine
from rules.layout import Road
from tests.th_vision.games import (
    C1,
    C2,
    C3,
    C4,
    FIRST,
    K1,
    PIECES,
    R3,
    R4,
    RAMPS,
    SECOND,
    THIRD,
    car,
    column,
    facts,
    follow,
    minus,
    plus,
    road,
)
from th_vision.change import compare
from th_vision.credible import credible
from th_vision.follow import Follower
from th_vision.follow_events import Output, Reconsidered, Said, Settled, Told, Warned
from th_vision.known import Known, refine

# --- hindsight ---


def test_a_count_that_later_readings_contradict_is_mended_with_all_that_follows() -> None:
    wrong = C3.model_copy(update={"levels": 3, "levels_probability": 0.6})
    right = C3.model_copy(update={"levels_probability": 0.998})
    first = plus(RAMPS, wrong, R3)
    second = plus(minus(SECOND, "c3"), right)
    follower, said = follow([RAMPS, first, second])
    assert follower.game.columns["c3"].gray == 2
    assert [o.before.turn for o in said if isinstance(o, Reconsidered)] == [1]
    assert [f.type for f in facts(said)] == ["ramp", "ramp", "move", "move", "undo", "move", "move"]
    ruling = follower.game.ruling("r3")
    assert ruling is not None
    assert ruling.call == "legal"


def test_a_sure_count_is_not_mended_by_a_doubtful_one() -> None:
    doubtful = C3.model_copy(update={"levels": 3, "levels_probability": 0.7})
    follower, said = follow([RAMPS, FIRST, plus(minus(SECOND, "c3"), doubtful)])
    assert follower.game.columns["c3"].gray == 2
    assert not [o for o in said if isinstance(o, Reconsidered)]


def test_an_offramp_that_turns_out_to_end_on_a_column_is_mended() -> None:
    low = column("c3", -57, 106, 1)
    flat = R3.model_copy(update={"ends": (R3.ends[0], (-57, 110, 2)), "rests_on": ("c1", "table")})
    seen_better = plus(RAMPS, low, C4, R4, road("r3", C1, low))
    follower, _ = follow([RAMPS, plus(RAMPS, flat), seen_better])
    assert follower.game.kind("r3") == "road"
    assert follower.game.columns["c3"].gray == 1
    assert set(follower.game.roads) == {"r1", "r2", "r3", "r4"}


def test_a_knock_before_a_move_that_is_taken_back_keeps_its_penalty() -> None:
    lying = Road(id="r4", ends=((150, -60, 2), (40, -70, 2)), rests_on=("table", "table"))
    follower, _ = follow([RAMPS, FIRST, SECOND, plus(minus(SECOND, "r4"), lying), SECOND, THIRD])
    follower.handle(Settled(SECOND), 20.0)
    assert follower.game.turn == 3
    discs = {name: m.gray + m.yellow for name, m in follower.game.supplies.items()}
    # Of 33 each: one in the ramp, two in the first column; and blue, whose turn it was, handed one to pink.
    assert discs == {"blue": 33 - 1 - 2 - 1, "pink": 33 - 1 - 2 + 1}


def test_a_stick_that_the_reading_does_not_have_is_said_once() -> None:
    stick = Road(id="fallen1", ends=((0, 0, 2), (100, 50, 2)))
    follower, _ = follow([RAMPS])
    said = follower.handle(Settled(RAMPS, fallen=lambda standing: [stick]), 8.0)
    said += follower.handle(Settled(RAMPS, fallen=lambda standing: [stick]), 9.0)
    assert len([o for o in said if isinstance(o, Warned)]) == 1
    assert not facts(said)


def test_a_road_whose_stick_lies_on_the_table_was_knocked_down() -> None:
    stick = Road(id="fallen1", ends=((-150, 60, 2), (-40, 70, 2)))
    follower, _ = follow([RAMPS, FIRST, SECOND])
    lost = Settled(minus(SECOND, "r4"), stands=lambda piece: False, fallen=lambda standing: [stick])
    knock = facts(follower.handle(lost, 8.0))[-1]
    assert isinstance(knock, KnockFact)
    assert (knock.by, knock.pieces) == ("blue", ("r4",))


def test_whether_somebody_passed_unseen_is_a_question_not_a_verdict() -> None:
    _, said = follow([RAMPS, plus(RAMPS, C4, R4)])
    told = next(o for o in said if isinstance(o, Told) and isinstance(o.fact, MoveFact))
    ruling = next(a for a in told.answers if isinstance(a, RulingLine))
    assert ruling.call == "too_close"
    assert [(f.rule, f.call) for f in ruling.faults] == [("turn-order", "too_close")]


def test_a_car_hidden_under_a_new_one_of_another_player_stands_and_the_new_one_is_told() -> None:
    a, b = column("c5", -100, 60, 4), column("c6", -100, -50, 5)
    table = plus(minus(SECOND, "k1"), a, b)
    over = road("r5", a, b)
    upper = car("k9", over, "pink").model_copy(update={"x": K1.x + 4, "y": K1.y - 3, "z": K1.z + 30})
    seen = compare(refine(Known(), compare(Known(), SECOND, PIECES)), plus(table, over, upper), PIECES)
    assert [k.player for k in seen.new_cars] == ["pink"]
    believed = credible(seen, refine(Known(), compare(Known(), SECOND, PIECES)), lambda piece: False)
    assert believed.keep == {"k1"}


# --- who built it ---


def builders(follower: Follower) -> list[str]:
    return [fact.player for fact in follower.told if isinstance(fact, MoveFact)]


def whose_it_was(said: list[Output]) -> list[tuple[str, str]]:
    return [(o.before.player, o.after.player) for o in said if isinstance(o, Reconsidered)]


def first_ruling(follower: Follower) -> list[tuple[str, str]]:
    ruling = follower.game.ruling("r3")
    assert ruling is not None
    return [(fault.rule, fault.call) for fault in ruling.faults]


def test_a_road_from_pink_s_column_in_blue_s_turn_is_blue_s_once_pink_goes_on() -> None:
    """Nothing tells whose hand built it. Then pink builds from an own column: so it was pink's turn, and the road
    before was blue's."""
    wrong = plus(RAMPS, C4, R4)
    c5 = column("c5", C2.x, 106, 2)
    follower, said = follow([RAMPS, wrong, plus(wrong, c5, road("r5", C2, c5))])
    assert builders(follower) == ["blue", "pink"]
    assert whose_it_was(said) == [("pink", "blue")]
    assert first_ruling(follower) == [("not-base-point", "fault")]
    assert follower.game.whose_turn == "blue"


def test_a_road_out_of_turn_is_pink_s_once_blue_goes_on() -> None:
    follower, said = follow([RAMPS, plus(RAMPS, C4, R4), plus(RAMPS, C4, R4, C3, R3)])
    assert builders(follower) == ["pink", "blue"]
    assert whose_it_was(said) == [("pink", "pink")]
    assert not follower.game.state.unsure
    assert first_ruling(follower) == [("turn-order", "too_close")]  # blue may have passed, which nobody sees


def test_the_players_word_on_who_built_stands_whoever_goes_on() -> None:
    """They say that it was pink, out of turn; and then pink builds once more."""
    wrong = plus(RAMPS, C4, R4)
    c5 = column("c5", C2.x, 106, 2)
    follower, _ = follow([RAMPS, wrong])
    answer = CorrectionFact(turn=1, ruling="r3", set={"turn-order": "fault"}, by="players")
    said = follower.handle(Said(answer), 10.0) + follower.handle(Settled(plus(wrong, c5, road("r5", C2, c5))), 11.0)
    assert builders(follower)[0] == "pink"
    assert whose_it_was(said) == []
