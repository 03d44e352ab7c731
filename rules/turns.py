"""Whose turn it is, who is out, and when the game is over."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from rules.events import EndLine, Fault, OutLine, Score
from rules.findings import count
from rules.placement import base_points
from rules.ruleset import RuleSet
from rules.state import Leaving, State

Players = tuple[str, ...]


def can_build(state: State, player: str) -> bool:
    """Whether a player has a gray disc, a stick and a base point."""
    held = state.supplies[player]
    return held.gray > 0 and held.sticks > 0 and bool(base_points(state, player))


def expected(state: State, rules: RuleSet, players: Players, turn: int) -> tuple[str, ...]:
    """Who may play turn number `turn`.

    A number beyond the current turn means that lines are missing in between: then it's whoever it would be by then.
    With missions, players without sticks have nothing left to do and may be left out.
    """
    following: list[str] = []
    start = players.index(state.now["next"])
    active = [player for player in (*players[start:], *players[:start]) if player not in state.left]
    if not active:
        return ()
    skipped = max(0, turn - state.now["turn"])
    following.append(active[skipped % len(active)])
    if skipped:
        following.append(active[0])
    if rules.missions:
        for player in active:
            following.append(player)
            if state.supplies[player].sticks > 0:
                break
    return tuple(dict.fromkeys(following))


def turn_order(
    state: State, rules: RuleSet, players: Players, player: str, turn: int, probability: float = 1.0
) -> list[Fault]:
    """turn-order: somebody else's turn, or no game to play any more. ``probability``: that nobody passed unseen."""
    due = expected(state, rules, players, turn)
    if player in due and not state.now["ended"]:
        return []
    sure = 1.0 if state.now["ended"] else probability
    return [count("turn-order", turn, state.now["turn"], "turn", *due[:1], probability=sure, k=rules.k)]


def leave(state: State, player: str, reason: str, turn: int) -> OutLine:
    """A player leaves the game."""
    state.put("left", player, Leaving(reason, state.now["round"], len(state.left)))
    state.drop("passed", player)
    return OutLine(turn=turn, player=player, reason=reason)


def finish_if_done(state: State, rules: RuleSet, player: str, turn: int) -> list[OutLine]:
    """Without missions, who has placed all cars leaves the game as the next winner."""
    if rules.missions or player in state.left or state.supplies[player].cars > 0:
        return []
    return [leave(state, player, "all-cars-placed", turn)]


def advance(state: State, rules: RuleSet, players: Players, player: str, turn: int) -> list[OutLine]:
    """The turn of `player` is over. Who passed and got no penalty disc until it's their turn again is out."""
    lines: list[OutLine] = []
    start = players.index(player)
    state.put("now", "turn", max(state.now["turn"], turn) + 1)
    state.put("now", "round_over", False)
    for step in range(1, len(players) + 1):
        if start + step == len(players):
            state.put("now", "round_over", True)
            state.put("now", "round", state.now["round"] + 1)
        candidate = players[(start + step) % len(players)]
        if candidate in state.left:
            continue
        if candidate in state.passed:
            rescued = state.passed[candidate]
            if not rescued and not _alone(state, players):
                lines.append(leave(state, candidate, "no-material", turn))
                continue
            state.drop("passed", candidate)
        state.put("now", "next", candidate)
        break
    return lines


def _alone(state: State, players: Players) -> bool:
    return sum(player not in state.left for player in players) <= 1


def end_if_over(
    state: State, rules: RuleSet, players: Players, turn: int, score: Callable[[], Mapping[str, Score]] | None
) -> list[EndLine]:
    """The end of the game, once: at once, or when the round is played out."""
    if state.now["ended"]:
        return []
    reason = _over(state, rules, players)
    if reason is None:
        return []
    active = any(player not in state.left for player in players)
    if rules.on("finish_round") and not state.now["round_over"] and active:
        return []
    state.put("now", "ended", True)
    if score is not None:
        ranking = _ranking_by_score(state, players, score())
    else:
        ranking = _ranking_by_places(state, rules, players)
    return [EndLine(ranking=ranking, reason=reason, turn=turn)]


def _over(state: State, rules: RuleSet, players: Players) -> str | None:
    """Why the game is over, if it is."""
    if rules.missions:
        if any(state.supplies[player].cars == 0 for player in players):
            return "all-cars-placed"
        if all(state.supplies[player].sticks == 0 for player in players):
            return "all-sticks-placed"
        return None
    if not _alone(state, players):
        return None
    finished = any(leaving.reason == "all-cars-placed" for leaving in state.left.values())
    return "all-cars-placed" if finished else "no-material"


def _ranking_by_places(state: State, rules: RuleSet, players: Players) -> tuple[tuple[str, ...], ...]:
    """First who placed all cars, in that order; then who is still playing; then who is out, the last one first."""
    left = sorted(state.left, key=lambda player: state.left[player].number)
    finished = [player for player in left if state.left[player].reason == "all-cars-placed"]
    places: list[tuple[str, ...]] = []
    if rules.on("finish_round"):
        rounds = sorted({state.left[player].round for player in finished})
        places += [tuple(player for player in finished if state.left[player].round == number) for number in rounds]
    else:
        places += [(player,) for player in finished]
    playing = tuple(player for player in players if player not in state.left)
    if playing:
        places.append(playing)
    places += [(player,) for player in reversed(left) if state.left[player].reason != "all-cars-placed"]
    return tuple(places)


def _ranking_by_score(state: State, players: Players, scores: Mapping[str, Score]) -> tuple[tuple[str, ...], ...]:
    """By total score; a tie goes to more cars on the highway; who is still level shares the place."""
    cars = {player: cars_on_highway(state, player) for player in players}
    keys = {player: (scores[player].total, cars[player]) for player in players}
    return tuple(
        tuple(player for player in players if keys[player] == key) for key in sorted(set(keys.values()), reverse=True)
    )


def cars_on_highway(state: State, player: str) -> int:
    """How many of a player's cars stand on roads."""
    return sum(car.on is not None and state.owners[name] == player for name, car in state.cars.items())
