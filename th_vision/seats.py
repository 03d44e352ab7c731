"""Where the players sit: learnt from whose hand reached in for moves that leave no doubt about the builder.

Two players may sit on one side, somebody may walk around the table: a hand is told only where one seat alone fits.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from rules.events import Fact, MoveFact, RampFact
from rules.game import Game
from th_vision import tolerances as tol


class Seats:
    """Sides from which players' hands come, as angles on the table, degrees. ``players``: how many play, where
    that is known. State: a sum of directions a player, and from where each one's ramp was placed."""

    def __init__(self, players: int | None = None) -> None:
        self._players = players
        self._sums: dict[str, tuple[float, float, int]] = {}
        self._ramps: dict[str, float] = {}

    def learn(self, player: str, from_deg: float) -> None:
        """This player's hand came from there."""
        x, y, n = self._sums.get(player, (0.0, 0.0, 0))
        angle = math.radians(from_deg)
        self._sums[player] = (x + math.cos(angle), y + math.sin(angle), n + 1)

    def placed(self, player: str, from_deg: float) -> None:
        """This player's ramp was placed from there: by its owner, or by somebody who sets up the game for all."""
        self._ramps[player] = from_deg

    def whose(self, from_deg: float | None) -> str | None:
        """Whose hand it is that comes from there; None where no seat, or more than one, fits.

        A seat is believed after some hands; where everybody's hand was seen, one each will do. Who hasn't built yet
        sits where the own ramp was placed from, if each ramp was placed from another side."""
        if from_deg is None:
            return None
        placed = self._ramps if self._each_from_its_side() else {}
        ramps = {player: side for player, side in placed.items() if player not in self._sums}
        least = 1 if len(self._sums) + len(ramps) == self._players else tol.SEAT_SEEN
        apart = {player: self._apart(player, from_deg) for player, (_, _, n) in self._sums.items() if n >= least}
        apart |= {player: _apart_deg(side, from_deg) for player, side in ramps.items()}
        near = [player for player, angle in apart.items() if angle <= tol.SEAT_WITHIN_DEG]
        far = all(angle >= tol.SEAT_APART_DEG for player, angle in apart.items() if player not in near)
        return near[0] if len(near) == 1 and far and len(apart) > 1 else None

    def _each_from_its_side(self) -> bool:
        sides = list(self._ramps.values())
        pairs = ((a, b) for i, a in enumerate(sides) for b in sides[:i])
        return len(sides) == self._players and all(_apart_deg(a, b) >= tol.SEAT_APART_DEG for a, b in pairs)

    def _apart(self, player: str, from_deg: float) -> float:
        x, y, n = self._sums[player]
        if math.hypot(x, y) < tol.SEAT_STEADY * n:
            return math.inf  # comes from everywhere
        return _apart_deg(math.degrees(math.atan2(y, x)), from_deg)


def _apart_deg(one: float, other: float) -> float:
    return abs((one - other + 180) % 360 - 180)


class Hands:
    """The hands of one visit to the table, and whose they are. State: the seats, the sides of this visit, and the side
    from which the last move was made, and each ramp was placed."""

    def __init__(self, players: int | None = None) -> None:
        self._seats = Seats(players)
        self._built_from: float | None = None
        self._ramps_from: dict[str, float] = {}
        self._sides: list[float] = []
        self._gone = False

    def seen(self, from_deg: float | None) -> None:
        """A hand is over the table."""
        if self._gone:
            self._sides, self._gone = [], False
        if from_deg is not None:
            self._sides.append(from_deg)

    def left(self) -> None:
        """The table was read: the next hand is another visit."""
        self._gone = True

    def whose(self) -> str | None:
        """Whose hands they were; None where that isn't known, or where there were two people's."""
        found = {self._seats.whose(side) for side in self._sides}
        return found.pop() if len(found) == 1 else None

    def not_of(self, builder: str) -> bool:
        """Whether they were surely not those of who built last: another seat's, or not from the side of that move."""
        whose = self.whose()
        if whose is not None or self._built_from is None:
            return whose is not None and whose != builder
        apart = [_apart_deg(side, self._built_from) for side in self._sides]
        return bool(apart) and min(apart) >= tol.SEAT_APART_DEG

    def placed(self, roads: Sequence[str]) -> None:
        """These roads are new while the ramps are placed: one alone was placed by this visit's hand."""
        if len(roads) == 1 and self._sides:
            self._ramps_from[roads[0]] = self._sides[-1]

    def learn_ramps(self, facts: Sequence[RampFact]) -> None:
        """Whose ramps they are that were placed."""
        for fact in facts:
            if fact.road.id in self._ramps_from:
                self._seats.placed(fact.player, self._ramps_from[fact.road.id])

    def learn(self, facts: Sequence[Fact], game: Game) -> None:
        """One move alone, by whose turn it is, from an own base point: it was that player's hand."""
        moves = [fact for fact in facts if isinstance(fact, MoveFact)]
        if moves:
            self._built_from = self._sides[-1] if len(moves) == 1 and self._sides else None
        if len(moves) != 1 or not self._sides:
            return
        player = moves[0].player
        if player == game.whose_turn and moves[0].base in game.base_points(player):
            self._seats.learn(player, self._sides[-1])
