"""What is said of a game, and where things are said to be."""

from __future__ import annotations

import pytest

from rules.events import Answer, Fact, MoveFact, UndoFact
from rules.game import Game
from tests.rules.tables import Table, square
from th_vision.follow_events import Reconsidered, Reminded, Told
from th_vision.voice.clips import names
from th_vision.voice.places import direction, distance_words, place_of, surroundings
from th_vision.voice.queue import SpeechQueue
from th_vision.voice.spoken import News, Spokesman, aloud
from th_vision.voice.utterance import Urgency
from th_vision.words import words_in

EN = words_in("en")


def told(spokesman: Spokesman, game: Game, fact: Fact, answers: list[Answer], *, again: bool = False) -> list[News]:
    return spokesman.news(Told(fact, tuple(answers), 0.0, again), game)


def texts(news: list[News]) -> list[str]:
    return [utterance.text for one in news for utterance in one.utterances]


def crossing() -> Table:
    table = Table()
    table.stick("pink", "p", (50, -50, 2), (50, 50, 3))
    table.ramp("blue", "base", (0, 0), levels=4)
    table.move("blue", "base", "new", (100, 0), gray=5, road="b")
    return table


def test_a_ruling_aloud_is_short_and_names_no_ids() -> None:
    table = crossing()
    said = texts(told(Spokesman("en"), table.game, table.game.facts[-1], table.answers))
    assert said[0] == "Blue crosses over pink's road, the first to do so: one car."


@pytest.mark.parametrize("language", ["en", "es", "nl", "zh-Hant"])
def test_no_language_speaks_numbers_of_pieces_or_measures(language: str) -> None:
    table = crossing()
    for text in texts(told(Spokesman(language), table.game, table.game.facts[-1], table.answers)):
        assert "mm" not in text
        assert not {"p", "b", "new", "base"} & set(text.replace(".", " ").split())


def test_a_setup_in_order_needs_no_word() -> None:
    table = Table()
    table.ramp("blue", "a", (0, 0))
    assert told(Spokesman("en"), table.game, table.game.facts[-1], table.answers) == []


def test_what_corrects_a_ruling_is_about_the_same_road_and_is_the_whole_of_it() -> None:
    table, spokesman = crossing(), Spokesman("en")
    first = told(spokesman, table.game, table.game.facts[-1], table.answers)
    assert [(news.about, news.whole) for news in first] == [("b", False)]
    table.correct("b", cars_due=0)
    second = told(spokesman, table.game, table.game.facts[-1], table.answers)
    assert [(news.about, news.whole) for news in second] == [("b", True)]
    assert "The players have decided on road." in texts(second)


def test_a_turn_taken_back_takes_its_words_back() -> None:
    table, spokesman = crossing(), Spokesman("en")
    told(spokesman, table.game, table.game.facts[-1], table.answers)
    turn = getattr(table.game.facts[-1], "turn", 0)
    news = told(spokesman, table.game, UndoFact(turn=turn), [])
    assert news == [News("b", (), True)]


def test_turns_told_anew_say_only_what_changed() -> None:
    table, spokesman = crossing(), Spokesman("en")
    move = table.game.facts[-1]
    assert isinstance(move, MoveFact)
    first = told(spokesman, table.game, move, table.answers)
    assert spokesman.news(Reconsidered(move, move, 0.0), table.game) == []
    assert told(spokesman, table.game, UndoFact(turn=move.turn), []) == [], "nothing is taken back aloud"
    again = told(spokesman, table.game, move, table.answers, again=True)
    queue = SpeechQueue()
    for news in (*first, *again):
        if news.whole:
            queue.revise(news.about, news.utterances, 0.0)
        else:
            for utterance in news.utterances:
                queue.add(utterance, 0.0)
    spoken = []
    while (utterance := queue.next(0.0)) is not None:
        spoken.append(utterance.text)
    assert spoken == texts(first), "and nothing is said twice"


def test_a_missed_car_is_spoken_of_when_the_turn_has_passed() -> None:
    table = Table()
    table.stick("pink", "p", (50, -50, 2), (50, 50, 3))
    table.ramp("blue", "base", (0, 0), levels=4)
    spokesman = Spokesman("en")
    table.move("blue", "base", "new", (100, 0), gray=5, road="b")
    now = texts(told(spokesman, table.game, table.game.facts[-1], table.answers))
    assert not any("has not placed" in text for text in now), "the hand may still hold it"
    reminded = texts(spokesman.news(Reminded("blue", 1, 0.0), table.game))
    assert reminded == ["blue still has one car to place."]
    table.move("pink", "pb", "q", (50, 150), gray=4, road="p2")
    later = texts(told(spokesman, table.game, table.game.facts[-1], table.answers))
    assert later[0].startswith("Blue has not placed one car that is due")


def test_faults_and_questions_are_urgent() -> None:
    table = Table()
    table.ramp("blue", "base", (0, 0), levels=1)
    table.move("blue", "base", "new", (100, 0), gray=4)
    news = told(Spokesman("en"), table.game, table.game.facts[-1], table.answers)
    assert news[0].utterances[0].urgency == Urgency.NOW


def test_where_a_new_column_stands_is_said_to_who_does_not_see_it() -> None:
    table = Table()
    table.city("t", "tower", square(100, 100, 30))
    table.ramp("blue", "base", (80, 170), heading=90)
    table.move("blue", "base", "new", (190, 190), gray=2)
    said = texts(told(Spokesman("en", places=True), table.game, table.game.facts[-1], table.answers))
    assert said[-1] == "Blue's new column: 2 levels, a hand's width north-east of the tower."


@pytest.mark.parametrize(
    ("to", "word"),
    [((10, 0), "east"), ((10, 10), "north-east"), ((0, 10), "north"), ((-10, 1), "west"), ((-10, -10), "south-west")],
)  # fmt: skip
def test_directions_are_those_of_a_map(to: tuple[float, float], word: str) -> None:
    assert direction((0, 0), to, EN) == word


@pytest.mark.parametrize(
    ("distance", "words"),
    [
        (4, "right beside,"),
        (18, "a finger's width"),
        (40, "2 fingers' widths"),
        (85, "a hand's width"),
        (180, "2 hands' widths"),
    ],
)
def test_distances_are_those_of_fingers_and_hands(distance: float, words: str) -> None:
    assert distance_words(distance, EN) == words


def test_two_of_a_kind_are_told_apart_by_number() -> None:
    table = Table()
    table.city("d1", "development_area", square(0, 0, 70))
    table.city("d2", "development_area", square(300, 0, 70))
    assert place_of(table.game, (330, 30), EN) == "on the development area number 2"


def test_without_a_landmark_there_is_no_place() -> None:
    assert place_of(Table().game, (0, 0), EN) == ""


def test_what_a_player_can_build_from_and_cross_is_told_in_words() -> None:
    table = Table()
    table.city("t", "tower", square(-40, 200, 30))
    table.stick("pink", "p", (50, -50, 2), (50, 50, 3))
    table.ramp("blue", "base", (0, 0), levels=2)
    said = surroundings(table.game, "blue", EN)
    assert said[0].startswith("You can build from a column of 2 levels, ")
    assert any(line.startswith("Pink's road ") and line.endswith("is free over it and under it.") for line in said)


def test_names_are_left_out_and_nothing_else() -> None:
    assert aloud("Pink's road r5 lies under blue's road r55.", {"r5", "r55"}) == "Pink's road lies under blue's road."
    assert aloud("藍色跨過粉紅色的道路 r5。", {"r5"}) == "藍色跨過粉紅色的道路。"
    assert aloud("one car", set()) == "one car"


@pytest.mark.parametrize("language", ["en", "es", "nl", "zh-Hant"])
def test_every_clip_has_words_to_record(language: str) -> None:
    found = names(language)
    assert len(found) > 60
    assert all(text and "{" not in text for text in found.values())


def test_clips_of_a_ruling_are_among_the_names() -> None:
    table = crossing()
    news = told(Spokesman("en"), table.game, table.game.facts[-1], table.answers)
    used = {clip for one in news for utterance in one.utterances for clip in utterance.clips}
    assert used
    assert used <= set(names("en"))
