"""A hand that comes while the move before is still being read belongs to what follows, however long reading takes."""

from __future__ import annotations

import pytest

from tests.th_vision.games import PIECES, game_line
from tests.th_vision.referee.live_scene import Film, read
from tests.th_vision.still_scene import table
from th_vision.follow import Follower
from th_vision.follow_events import Event, HandSeen, Moving, Output, Settled
from th_vision.referee.loop import Referee
from th_vision.referee.outputs import Outputs
from th_vision.referee.reading import Reading, ReadNow


class Slow(ReadNow):
    """A reader that is asked so often before it has read."""

    def __init__(self, times: int) -> None:
        super().__init__(PIECES, read)
        self._times, self._asked = times, 0

    def done(self) -> Reading | None:
        if self.busy and self._asked < self._times:
            self._asked += 1
            return None
        self._asked = 0
        return super().done()


class Noting(Follower):
    """Notes what it was told, in order."""

    def __init__(self) -> None:
        super().__init__(game_line(), PIECES)
        self.heard: list[tuple[str, float]] = []

    def handle(self, event: Event, time_s: float) -> list[Output]:
        if isinstance(event, HandSeen | Moving | Settled):
            self.heard.append((type(event).__name__, time_s))
        return super().handle(event, time_s)


def heard(times: int) -> tuple[list[tuple[str, float]], list[str]]:
    follower = Noting()
    referee = Referee(follower, table(), PIECES, Outputs(), None, reader=Slow(times))
    for frame in Film():
        referee.see(frame)
    for _ in range(20 * (times + 1)):
        referee.work()
    referee.last_look()
    return follower.heard, [fact.type for fact in follower.told]


@pytest.mark.parametrize("times", [3, 5, 8])
def test_a_slow_reader_changes_nothing_of_what_happened_when(times: int) -> None:
    at_once, told = heard(0)
    assert "HandSeen" in dict(at_once)
    assert told.count("move") == 3
    assert heard(times) == (at_once, told)
