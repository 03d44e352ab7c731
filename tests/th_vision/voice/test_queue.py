"""The order of what is said, with a clock that the test moves."""

from __future__ import annotations

from th_vision.voice.queue import LONGEST, STALE_S, TWICE_S, SpeechQueue
from th_vision.voice.speaker import STUCK_S, Speaker
from th_vision.voice.utterance import Urgency, Utterance


class Mouth:
    """A synthesizer that speaks as long as the test lets it, and remembers what it said and what was cut off."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.cut: list[str] = []
        self._now: str | None = None

    def start(self, utterance: Utterance) -> None:
        self.said.append(utterance.text)
        self._now = utterance.text

    def busy(self) -> bool:
        return self._now is not None

    def stop(self) -> None:
        if self._now is not None:
            self.cut.append(self._now)
        self._now = None

    def done(self) -> None:
        self._now = None


def one(text: str, about: str = "", urgency: Urgency = Urgency.RULING) -> Utterance:
    return Utterance(text, about, urgency)


def all_of(queue: SpeechQueue, now_s: float = 0.0) -> list[str]:
    said = []
    while (utterance := queue.next(now_s)) is not None:
        said.append(utterance.text)
    return said


def test_what_belongs_together_is_said_in_its_order() -> None:
    queue = SpeechQueue()
    queue.revise("r7", [one("over r4", "r7"), one("one car", "r7")], 0.0)
    assert all_of(queue) == ["over r4", "one car"]


def test_the_newest_matters_most() -> None:
    queue = SpeechQueue()
    queue.add(one("old ruling", "r1"), 0.0)
    queue.add(one("old detail", "r1", Urgency.DETAIL), 0.0)
    queue.add(one("new ruling", "r2"), 1.0)
    assert all_of(queue, 1.0) == ["new ruling", "old ruling"]


def test_what_waited_too_long_is_no_news_but_a_fault_still_is() -> None:
    queue = SpeechQueue()
    queue.add(one("a ruling", "r1"), 0.0)
    queue.add(one("a fault", "r1", Urgency.NOW), 0.0)
    assert all_of(queue, STALE_S + 1) == ["a fault"]


def test_nothing_is_said_twice() -> None:
    queue = SpeechQueue()
    queue.add(one("one car", "r7"), 0.0)
    queue.add(one("one car", "r7"), 0.0)
    assert all_of(queue) == ["one car"]
    queue.add(one("one car", "r7"), 5.0)
    assert all_of(queue, 5.0) == []
    queue.add(one("one car", "r8"), 5.0)
    assert all_of(queue, 5.0) == ["one car"], "about another road it is news"


def test_an_alert_may_come_again_after_a_while() -> None:
    queue = SpeechQueue()
    queue.add(one("the camera has moved"), 0.0)
    assert all_of(queue, 0.0) == ["the camera has moved"]
    queue.add(one("the camera has moved"), TWICE_S - 1)
    assert all_of(queue, TWICE_S - 1) == []
    queue.add(one("the camera has moved"), TWICE_S + 1)
    assert all_of(queue, TWICE_S + 1) == ["the camera has moved"]


def test_only_what_is_corrected_is_repeated() -> None:
    queue = SpeechQueue()
    queue.revise("r7", [one("over r4: one car", "r7"), one("over r5: no car", "r7")], 0.0)
    assert len(all_of(queue)) == 2
    queue.revise("r7", [one("over r4: one car", "r7"), one("over r5: one car", "r7")], 3.0)
    assert all_of(queue, 3.0) == ["over r5: one car"]


def test_a_correction_cuts_off_what_it_corrects() -> None:
    mouth, speaker = Mouth(), None
    speaker = Speaker(mouth)
    speaker.take({"revise": "r7", "say": [{"text": "fault"}, {"text": "so no car"}]}, 0.0)
    speaker.step(0.0)
    assert mouth.said == ["fault"]
    speaker.take({"revise": "r7", "say": [{"text": "legal"}]}, 0.5)
    speaker.step(0.5)
    assert mouth.cut == ["fault"]
    assert mouth.said == ["fault", "legal"]
    mouth.done()
    assert speaker.step(1.0) is False, "and what belonged to the wrong ruling is never said"


def test_a_correction_does_not_cut_off_what_stays_right() -> None:
    mouth = Mouth()
    speaker = Speaker(mouth)
    speaker.take({"revise": "r7", "say": [{"text": "over r4: one car"}, {"text": "over r5: no car"}]}, 0.0)
    speaker.step(0.0)
    speaker.take({"revise": "r7", "say": [{"text": "over r4: one car"}, {"text": "over r5: one car"}]}, 0.5)
    speaker.step(0.5)
    assert mouth.cut == []
    mouth.done()
    speaker.step(1.0)
    assert mouth.said == ["over r4: one car", "over r5: one car"]


def test_a_sound_device_that_hangs_does_not_silence_the_rest_of_the_game() -> None:
    mouth = Mouth()
    speaker = Speaker(mouth)
    speaker.take({"add": {"text": "first", "about": "r1"}}, 100.0)
    speaker.step(100.0)
    speaker.take({"add": {"text": "second", "about": "r2"}}, 100.0 + STUCK_S - 1.0)
    speaker.step(100.0 + STUCK_S - 0.5)
    assert mouth.said == ["first"]
    speaker.step(100.0 + STUCK_S)
    assert mouth.said == ["first", "second"]


def test_other_news_does_not_cut_off() -> None:
    mouth = Mouth()
    speaker = Speaker(mouth)
    speaker.take({"add": {"text": "first", "about": "r1"}}, 0.0)
    speaker.step(0.0)
    speaker.take({"add": {"text": "second", "about": "r2", "urgency": 2}}, 0.1)
    speaker.step(0.1)
    assert (mouth.said, mouth.cut) == (["first"], [])


def test_what_was_taken_back_is_cut_off_and_may_be_said_again() -> None:
    mouth = Mouth()
    speaker = Speaker(mouth)
    speaker.take({"revise": "r7", "say": [{"text": "legal"}]}, 0.0)
    speaker.step(0.0)
    speaker.take({"withdraw": "r7"}, 0.2)
    assert speaker.step(0.2) is False
    assert mouth.cut == ["legal"]
    speaker.take({"revise": "r7", "say": [{"text": "legal"}]}, 4.0)
    speaker.step(4.0)
    assert mouth.said == ["legal", "legal"]


def test_the_queue_never_grows_without_end() -> None:
    queue = SpeechQueue()
    for number in range(10 * LONGEST):
        queue.add(one(f"sentence {number}", f"r{number}"), 0.0)
    said = all_of(queue)
    assert len(said) == LONGEST
    assert said[0] == f"sentence {10 * LONGEST - 1}"


def test_odd_orders_are_left_out() -> None:
    speaker = Speaker(Mouth())
    speaker.take({"nothing": 1}, 0.0)
    assert speaker.queue.empty
