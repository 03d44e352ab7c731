"""How things are just now, in one line: whose turn, what is seen, how well the camera keeps up."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from th_vision.follow import Follower
from th_vision.follow_events import State
from th_vision.stillness import State as Sight

FPS_OVER_S = 3.0
"""The frame rate is that of so many last seconds."""
OLD_S = 1.0
"""A frame older than this is said to be old."""


@dataclass(frozen=True)
class Status:
    """``state`` of the game, ``resting`` the one but for a hand or what moves; ``player`` whose turn it is
    (who may still change something, where a turn is open), ``sight`` of the last frame, ``fps`` of the last seconds,
    ``age_s`` of the last frame (None before the first).

    ``cars``: still to be placed by ``player``. ``reading``: a still moment is being read. ``trouble``: one line about
    what keeps the referee from seeing, else empty.
    """

    state: State
    resting: State
    player: str
    turn: int
    next_player: str
    sight: Sight | None = None
    fps: float = 0.0
    age_s: float | None = None
    cars: int = 0
    reading: bool = False
    trouble: str = ""

    def words(self) -> str:
        """The line for a terminal; the most important first, so that a narrow one may cut it."""
        parts = [self._where()]
        if self.trouble:
            parts.append(self.trouble)
        elif self.reading:
            parts.append("reading")
        elif self.sight is not None:
            parts.append({"hand": "hand", "moving": "moving", "still": "still", "unusable": "nothing seen"}[self.sight])
        if self.age_s is not None:
            parts.append(f"{self.fps:.0f} fps" if self.age_s < OLD_S else f"last picture {self.age_s:.0f} s ago")
        return " · ".join(parts)

    def _where(self) -> str:
        match self.resting:
            case "set-up":
                return "set-up: ramps with their sedans"
            case "checking":
                return "holding the table against the record"
            case "paused":
                return "paused (go goes on)"
            case "knocked":
                return "putting back (g: what is missing, a: go on as it is)"
            case "desynchronised":
                return "thread lost (a: no part of the game, y: it is a move, u: undo)"
            case "finished":
                return "the game is over"
        if self.cars:
            cars = "one car" if self.cars == 1 else f"{self.cars} cars"
            return f"turn {self.turn}: {self.player} has {cars} to place"
        if self.player != self.next_player:
            return f"turn {self.turn}: {self.player} (then {self.next_player})"
        return f"turn {self.turn}: {self.player}"


def status_of(follower: Follower, **more: object) -> Status:
    """The status of a game; ``more``: what is seen."""
    game = follower.game
    builder = follower.builder
    owed = follower.owed
    return Status(
        resting=follower.resting,
        state=follower.state if follower.state not in ("settled", "move seen", "ruling") else follower.resting,
        player=builder or game.whose_turn,
        turn=game.turn - 1 if builder else game.turn,
        next_player=game.whose_turn,
        cars=owed[1] if owed is not None else 0,
        **more,  # type: ignore[arg-type]  # fields of Status
    )


class Pace:
    """Frames a second, by the clock of whoever looks at them."""

    def __init__(self) -> None:
        self._times: deque[float] = deque()

    def frame(self, now_s: float) -> None:
        """A frame came now."""
        if self._times and now_s < self._times[-1]:
            self._times.clear()
        self._times.append(now_s)
        while self._times[0] < now_s - FPS_OVER_S:
            self._times.popleft()

    @property
    def fps(self) -> float:
        """Of the last seconds; 0 while it can't be told."""
        if len(self._times) < 2 or self._times[-1] <= self._times[0]:
            return 0.0
        return (len(self._times) - 1) / (self._times[-1] - self._times[0])

    def age_s(self, now_s: float) -> float | None:
        """How long ago the last frame came."""
        return max(0.0, now_s - self._times[-1]) if self._times else None
