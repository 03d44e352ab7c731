"""What can be read of a game at any moment: whose turn it is, what stands where, who holds what, what scores."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from rules import missions
from rules.errors import RulesError
from rules.events import Fact, FactCar, FactColumn, FactObject, FactRoad, GameFact, Material, RulingLine, Score
from rules.outlook import Outlook, outlook
from rules.placement import base_points
from rules.ruleset import RuleSet
from rules.state import State


class Standing:
    """The readable side of a game; `rules.game.Game` is the side that takes facts in."""

    fact: GameFact
    rules: RuleSet
    _state: State
    _facts: list[Fact]

    @property
    def players(self) -> tuple[str, ...]:
        """The players in the order of their turns."""
        return self.fact.players

    @property
    def turn(self) -> int:
        """The number of the turn that is being played: 1 for the first."""
        return int(self._state.now["turn"])

    @property
    def whose_turn(self) -> str:
        """The player whose turn it is (who would be next, when the game is over)."""
        return str(self._state.now["next"])

    @property
    def finished(self) -> bool:
        """Whether the game is over."""
        return bool(self._state.now["ended"])

    @property
    def columns(self) -> Mapping[str, FactColumn]:
        """The columns on the table, by id, in the order in which they were placed."""
        return MappingProxyType(self._state.columns)

    @property
    def roads(self) -> Mapping[str, FactRoad]:
        """The roads on the table, by id, in the order in which they were placed."""
        return MappingProxyType(self._state.roads)

    @property
    def cars(self) -> Mapping[str, FactCar]:
        """The cars on the table, by id; `player` and `on` are filled in."""
        return MappingProxyType(self._state.cars)

    @property
    def city(self) -> Mapping[str, FactObject]:
        """The city objects, by id."""
        return MappingProxyType(self._state.city)

    @property
    def owners(self) -> Mapping[str, str]:
        """The owner of every column, road and car, by id."""
        return MappingProxyType(self._state.owners)

    @property
    def supplies(self) -> Mapping[str, Material]:
        """What every player still holds."""
        return MappingProxyType(self._state.supplies)

    @property
    def state(self) -> State:
        """The whole state, for reading."""
        return self._state

    @property
    def facts(self) -> tuple[Fact, ...]:
        """Every fact that was applied, taken back or not, without the game line."""
        return tuple(self._facts)

    def base_points(self, player: str) -> tuple[str, ...]:
        """The columns that a player may extend from, in the order in which they were placed.

        Raises:
            RulesError: no such player.
        """
        return base_points(self._state, self._known(player))

    def kind(self, road: str) -> str:
        """``ramp``, ``road`` or ``offramp``.

        Raises:
            KeyError: no such road.
        """
        return self._state.kinds[road]

    def ruling(self, road: str) -> RulingLine | None:
        """The ruling on a road as it stands, corrections included."""
        return self._state.rulings.get(road)

    def score(self) -> dict[str, Score]:
        """The missions' score as the table stands, of every player (also where the rules play without missions)."""
        return missions.scores(self._state, self.rules, self.players)

    def outlook(self, player: str) -> tuple[Outlook, ...]:
        """What would still score for a player, mission by mission.

        Raises:
            RulesError: no such player.
        """
        return outlook(self._state, self.rules, self._known(player), self.score())

    def _known(self, player: str) -> str:
        if player not in self.players:
            raise RulesError(f"unknown player {player!r}; players: {', '.join(self.players)}")
        return player
