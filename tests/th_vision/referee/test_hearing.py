"""What follows from what players say: facts for the record, answers, and one line where it can't be."""

from __future__ import annotations

import pytest

from rules.events import (
    CorrectionFact,
    DiscardStickFact,
    Fault,
    KnockFact,
    PassFact,
    UndoFact,
)
from rules.phrases import FAULTS
from rules.telling import describe
from tests.th_vision.games import (
    C1,
    C3,
    C4,
    FIRST,
    R4,
    RAMPS,
    SECOND,
    minus,
    plus,
    road,
)
from tests.th_vision.referee.spoken_table import FALLEN, OFFRAMP, UNSURE, Table, announced, text
from th_vision.announce import Announcer
from th_vision.follow_events import Told
from th_vision.referee import commands as say
from th_vision.referee.commands import CommandError, Spoken
from th_vision.referee.hearing import Hearing
from th_vision.referee.questions import CLEAR_IF_YES, open_questions
from th_vision.standings import kinds_of

# --- the record ---


def test_every_word_stands_in_the_record_with_its_turn() -> None:
    table = Table(RAMPS, FIRST)
    for words in ("score", "cars 1", "explain"):
        table.hear(words)
    said = [fact for fact in table.follower.told if fact.type == "said"]
    assert [(fact.turn, fact.words) for fact in said] == [(2, "score"), (2, "cars 1"), (2, "explain")]


def test_what_can_t_be_done_leaves_no_trace() -> None:
    table = Table(RAMPS)
    before = len(table.follower.told)
    table.refused("cars 1")
    table.refused("y")
    assert len(table.follower.told) == before


# --- questions ---


def test_a_question_is_answered_with_yes_or_no() -> None:
    table = Table(RAMPS, UNSURE)
    (question,) = open_questions(table.follower)
    assert "one level higher or lower" in question.text
    (fact,), _ = table.hear("y")
    assert isinstance(fact, CorrectionFact)
    assert dict(fact.set) == {"column-level": "clear"}
    assert table.follower.game.ruling("r3").call == "legal"  # type: ignore[union-attr]  # there is one
    assert not open_questions(table.follower)


def test_no_to_a_question_is_the_fault() -> None:
    table = Table(RAMPS, UNSURE)
    table.hear("n")
    assert table.follower.game.ruling("r3").call == "fault"  # type: ignore[union-attr]  # there is one


def test_no_to_whose_turn_it_is_says_who_built() -> None:
    """A camera sees no pass: where it was not the turn of whom the road seems to be, who was to play built it."""
    table = Table(RAMPS, plus(RAMPS, C4, R4))
    (question,) = open_questions(table.follower)
    assert "is it pink's turn?" in question.text
    told, lines = table.hear("n")
    assert [(f.type, getattr(f, "player", None)) for f in told] == [("undo", None), ("move", "blue")]
    assert "Then blue built it." in text(lines)
    ruling = table.follower.game.ruling(question.ruling)
    assert ruling is not None
    assert "turn-order" not in [fault.rule for fault in ruling.faults]
    table.hear("by pink")  # pink did build it, out of turn
    ruling = table.follower.game.ruling(question.ruling)
    assert ruling is not None
    assert (ruling.player, ruling.call, [fault.rule for fault in ruling.faults]) == ("pink", "fault", ["turn-order"])


def test_accepting_settles_what_is_open_in_the_players_favour() -> None:
    table = Table(RAMPS, UNSURE)
    table.hear("a")
    assert table.follower.game.ruling("r3").call == "legal"  # type: ignore[union-attr]  # there is one
    _, lines = table.hear("a")
    assert "Nothing is open" in text(lines)


def test_the_answers_to_all_questions_are_known() -> None:
    for rule in FAULTS:
        asks_well = FAULTS[rule].question.startswith(("is ", "has ", "were "))
        if rule in CLEAR_IF_YES or asks_well:
            continue
        assert not FAULTS[rule].question.endswith("enough material for this move?")


def test_what_is_asked_of_several_pieces_is_answered_one_by_one() -> None:
    """Two of a rule, in question at two pieces: the answer to one says nothing of the other."""
    table = Table(RAMPS, FIRST)
    ruling = table.follower.game.ruling("r3")
    assert ruling is not None
    at = [("touch-road", "r1"), ("touch-road", "r2"), ("overhang", "c1"), ("overhang", "c3")]
    doubts = tuple(Fault.model_validate({"rule": rule, "call": "too_close", "with": [piece]}) for rule, piece in at)
    table.follower.game.state.put("rulings", "r3", ruling.model_copy(update={"faults": doubts, "call": "too_close"}))
    first, second, both_ends = open_questions(table.follower)  # of both ends it is asked once
    assert (first.no, second.yes) == ({"touch-road:r1": "clear"}, {"touch-road:r2": "fault"})
    assert both_ends.yes == {"overhang": "fault"}
    _, lines = table.hear("n")
    assert lines[0].text == second.text
    assert open_questions(table.follower)[0].text == second.text


def test_yes_with_no_question_open_says_so() -> None:
    assert "no question is open" in Table(RAMPS, FIRST).refused("y")


# --- undo, pass, whose turn ---


def test_undo_takes_the_newest_turn_back_and_says_what_to_do() -> None:
    table = Table(RAMPS, FIRST, SECOND)
    (fact,), lines = table.hear("u")
    assert isinstance(fact, UndoFact)
    assert fact.turn == 2
    assert "Take its pieces off" in text(lines)
    assert table.follower.game.whose_turn == "pink"
    assert "turns 1 to 1 can be" in table.refused("undo 5")


def test_undo_goes_back_into_the_set_up() -> None:
    table = Table(RAMPS)
    (fact,), lines = table.hear("u")
    assert describe(fact) == "The last step of the set-up is taken back."
    assert "Take its pieces off" in text(lines)


def test_nothing_to_undo_is_said() -> None:
    assert "nothing to take back" in Table().refused("u")


def test_undo_read_again_gives_the_turn_anew() -> None:
    table = Table(RAMPS, FIRST)
    table.hear("u")
    table.hear("r")
    assert table.do == "look again"
    assert [fact.type for fact in table.settle(FIRST)] == ["move"]


def test_passing() -> None:
    table = Table(RAMPS)
    (fact,), _ = table.hear("p")
    assert isinstance(fact, PassFact)
    assert table.follower.game.whose_turn == "pink"


def test_nobody_passes_in_the_set_up() -> None:
    table = Table()
    assert "before the ramps stand" in table.refused("p")
    assert "before the ramps stand" in table.refused("turn pink")
    _, lines = table.hear("where")
    assert "nothing yet to build from" in text(lines)


def test_who_has_no_discs_in_a_game_with_missions_puts_a_stick_aside() -> None:
    material = {name: {"gray": 1, "yellow": 0, "sticks": 4, "cars": 5} for name in ("blue", "pink")}
    table = Table(RAMPS, rules="rainbow-city-missions", material=material)
    (fact,), _ = table.hear("p")
    assert isinstance(fact, DiscardStickFact)


def test_whose_turn_it_is_can_be_asked_and_set() -> None:
    table = Table(RAMPS)
    told, lines = table.hear("turn")
    assert not told
    assert text(lines).startswith("It is blue's turn.")
    told, _ = table.hear("turn pink")
    assert [fact.type for fact in told] == ["pass"]
    assert table.follower.game.whose_turn == "pink"


# --- the turn is over ---


def test_enter_ends_the_turn_but_asks_first_where_cars_are_due() -> None:
    table = Table(RAMPS, OFFRAMP)
    _, lines = table.hear("")
    assert "blue still has one car to place" in text(lines)
    assert table.follower.state == "cars due"
    _, lines = table.hear("")
    assert not lines
    assert table.follower.state == "waiting"


def test_other_words_between_ask_again() -> None:
    table = Table(RAMPS, OFFRAMP)
    table.hear("")
    table.hear("score")
    _, lines = table.hear("")
    assert "blue still has one car to place" in text(lines)


def test_enter_at_no_turn_says_whose_it_is() -> None:
    _, lines = Table(RAMPS).hear("")
    assert text(lines).startswith("It is blue's turn.")


# --- knocks and penalties ---


def test_a_penalty_by_hand() -> None:
    table = Table(RAMPS, FIRST)
    held = table.follower.game.supplies["blue"].gray
    told, _ = table.hear("penalty pink blue 2")
    assert [fact.type for fact in told] == ["knock", "correction"]
    assert table.follower.game.supplies["blue"].gray == held + 2
    assert table.follower.state == "provisional"  # nothing fell, nothing is to be put back


def test_a_penalty_that_was_taken_may_be_given_back() -> None:
    table = Table(RAMPS, FIRST, SECOND, FALLEN)
    knock = next(fact for fact in table.follower.told if isinstance(fact, KnockFact))
    held = table.follower.game.supplies[knock.by].gray
    table.hear(f"penalty {knock.by} pink 0")
    assert table.follower.game.supplies[knock.by].gray == held + 1
    assert "nothing" in Table(RAMPS, FIRST).refused("penalty pink blue 0")


def test_while_pieces_are_off_the_turn_is_not_over() -> None:
    table = Table(RAMPS, FIRST, SECOND, FALLEN)
    assert "put them back" in table.refused("")
    _, lines = table.hear("g")
    assert "pink's road r4" in text(lines)
    table.hear("a")
    assert table.follower.state != "knocked"
    _, lines = table.hear("g")
    assert "Nothing is to be put back" in text(lines)


# --- asking ---


def test_what_if_changes_nothing() -> None:
    table = Table(RAMPS, OFFRAMP)
    before = table.follower.game.copy()
    _, lines = table.hear("what if cars 3")
    assert "3 cars" in text(lines)
    _, lines = table.hear("what if fault overhang")
    assert "sticks out" in text(lines)
    _, lines = table.hear("what if cars_must_be_placed=false")
    assert "cars_must_be_placed = False, turn 1" in text(lines)
    assert table.follower.game == before
    assert "unknown" in table.refused("what if colour=blue")
    assert "no move was ruled" in Table(RAMPS).refused("what if cars 1")


def test_what_if_speaks_of_no_chance_that_is_gone() -> None:
    _, lines = Table(RAMPS, FIRST).hear("what if cars 2")
    assert [line.text for line in lines] == ["What if, in turn 1:", "In all, 2 cars for blue."]


def test_explaining_a_turn() -> None:
    table = Table(RAMPS, FIRST)
    _, lines = table.hear("e")
    assert "one level higher or lower" in text(lines)
    table.hearing = Hearing("es")
    assert "límite 5 mm" in " ".join(line.reason for line in table.hear("e")[1])
    table.hearing = Hearing()
    assert "moves are in turns 1 to 1" in table.refused("e 7")
    assert "No move was ruled yet".lower() in Table(RAMPS).refused("e").lower()


def test_supplies_and_score_and_help() -> None:
    table = Table(RAMPS, FIRST)
    assert "Blue holds" in text(table.hear("d")[1])
    assert "Cars still to place: blue" in text(table.hear("s")[1])
    with_missions = Table(RAMPS, FIRST, rules="rainbow-city-missions")
    assert "point" in text(with_missions.hear("s")[1])
    assert "undo the last turn" in text(table.hear("?")[1])


# --- pause, the end ---


def test_the_help_names_those_who_play() -> None:
    table = Table(players=["anna", "ben"])
    _, lines = table.hear("?")
    said = text(lines)
    assert "turn ben: it is ben's turn." in said
    assert "penalty ben anna [2]: ben gives anna one disc (or 2)." in said
    assert "pink" not in said


def test_pause_and_go() -> None:
    table = Table(RAMPS)
    table.hear("pause")
    assert table.follower.state == "paused"
    assert not table.settle(FIRST)
    table.hear("go")
    assert table.do == "look again"
    assert [fact.type for fact in table.settle(FIRST)] == ["move"]


def test_pausing_twice_goes_on() -> None:
    table = Table(RAMPS)
    table.hear("pause")
    table.hear("pause")
    assert table.follower.state == "waiting"


def test_quit_is_for_whoever_runs_the_loop() -> None:
    table = Table(RAMPS)
    table.hear("q")
    assert table.do == "quit"


# --- a lost thread ---


def test_a_lost_thread_is_found_by_yes_or_no() -> None:
    hidden = minus(FIRST, "c3")
    table = Table(RAMPS, hidden, hidden)
    assert table.follower.state == "desynchronised"
    told, _ = table.hear("y")
    assert [fact.type for fact in told] == ["move"]
    table = Table(RAMPS, hidden, hidden)
    told, _ = table.hear("n")
    assert not told
    assert table.follower.state == "waiting"


@pytest.mark.parametrize("command", [say.Penalty("blue", "purple"), say.WhoseTurn("purple"), say.Recount("purple")])
def test_names_from_elsewhere_are_checked(command: say.Command) -> None:
    table = Table(RAMPS, FIRST)
    with pytest.raises(CommandError, match="none of the players"):
        table.hearing.hear(Spoken(command, "page"), table.follower)


def test_a_column_that_stands_is_still_known_after_its_turn_was_taken_back() -> None:
    table = Table(RAMPS, FIRST)
    table.hear("u")
    assert not table.settle(FIRST)
    assert [fact.type for fact in table.settle(plus(RAMPS, C3, road("r3", C1, C3, sigma_xy=0.5)))] == []


def test_of_a_penalty_by_hand_only_the_number_that_counts_is_said() -> None:
    said = [line for line in announced("penalty pink blue 2") if "hands over" in line]
    assert len(said) == 1
    assert "2 discs" in said[0]


@pytest.mark.parametrize(("words", "discs"), [("penalty pink blue", "one disc"), ("penalty pink blue 2", "2 discs")])
def test_a_penalty_by_hand_claims_no_fall_that_nobody_saw(words: str, discs: str) -> None:
    said = announced(words)
    assert said[0] == f"Pink hands over {discs} to blue, as the players decided."
    assert not [line for line in said if "knock" in line]


def test_a_penalty_by_hand_may_be_taken_back() -> None:
    assert "Pink hands over no disc to blue, as the players decided." in announced(
        "penalty pink blue", "penalty pink blue 0"
    )


def test_an_answer_that_leaves_other_questions_open_repeats_none_of_them() -> None:
    table, announcer = Table(RAMPS, FIRST), Announcer()
    game = table.follower.game
    ruling = game.ruling("r3")
    assert ruling is not None
    doubts = tuple(Fault.model_validate({"rule": "touch-road", "call": "too_close", "with": [f"r{i}"]}) for i in (1, 2))
    game.state.put("rulings", "r3", ruling.model_copy(update={"faults": doubts, "call": "too_close"}))
    for expected in (2, 1):  # once with the question that is left, which was never said by this announcer
        fact = CorrectionFact(turn=1, ruling="r3", set={"touch-road:r1": "clear"})
        answers = tuple(game.apply(fact))
        assert len(announcer.lines(Told(fact, answers, 2.0), game.owners, kinds_of(game))) == expected
