"""The game: facts in, rulings out, and the state in between.

`Game.apply` takes what happened and answers with what the rule book says to it. Nothing is raised for a move that
breaks a rule: that is what rulings are for. A fact that can't be (an id used twice, an unknown player) raises
`RulesError` and changes nothing.
"""

from __future__ import annotations

import json
from typing import Any, Final

from rules import loops, turns
from rules.build import build_of_ramp
from rules.cars import cars_line, check_new, place, placed_on
from rules.correcting import corrected
from rules.crossings import meet
from rules.errors import RulesError
from rules.events import (
    Answer,
    CarsFact,
    CityFact,
    CorrectionFact,
    DiscardStickFact,
    EndLine,
    Fact,
    FactCar,
    Fault,
    GameFact,
    KnockFact,
    MoveFact,
    PassFact,
    RampFact,
    RestoredFact,
    RulingLine,
    SaidFact,
    ScoreLine,
    SupplyLine,
    UndoFact,
)
from rules.findings import count
from rules.placement import examine
from rules.ruleset import RuleSet, ruleset_of
from rules.ruling import Judged, call_of, judge, pay, put_down
from rules.setting_up import city_object, ramp_distance
from rules.standing import Standing
from rules.state import State
from rules.supply import penalties, settle, use

SCHEMA: Final = "th-vision/game/1"
TURN_OVER: Final = "next"  # what players say when a turn is over


class Game(Standing):
    """One game, from its first line on.

    Raises:
        RulesError: unknown rules, switch or expansion, or an edition that isn't for so many players.
    """

    def __init__(self, fact: GameFact) -> None:
        self.fact = fact
        self.rules: RuleSet = ruleset_of(fact)
        self._state = State(fact.pieces, self.rules.k)
        self._facts: list[Fact] = []
        self._history: list[tuple[Fact, int]] = []
        given = fact.material or {}
        for player in fact.players:
            held = given[player] if player in given else self.rules.material(len(fact.players))
            self._state.supplies[player] = held
        self._state.now.update(
            {
                "turn": 1,
                "next": fact.players[0],
                "round": 1,
                "round_over": False,
                "moved": False,
                "ended": False,
                "open": None,
                "same_type": (),
            }
        )

    # --- What if, and what happened ---

    def preview(self, move: MoveFact) -> RulingLine:
        """The ruling that a move would get now, without side effects.

        Raises:
            RulesError: the move can't be (unknown player, an id used twice).
        """
        return self._judge(move).ruling

    def examine(self, move: MoveFact) -> tuple[Fault, ...]:
        """Every placement rule that comes near to being broken by a move, those answered clear included.

        Raises:
            RulesError: as for `preview`.
        """
        return self._judge(move).examination.findings

    def apply(self, fact: Fact) -> list[Answer]:
        """Take in what happened and answer.

        Raises:
            RulesError: the fact can't be; the game is as it was.
        """
        if isinstance(fact, UndoFact):
            answers = self._undo(fact)
            self._facts.append(fact)
            return answers
        mark = self._state.mark
        try:
            answers = self._answer(fact)
        except Exception:
            self._state.rewind(mark)
            raise
        self._facts.append(fact)
        self._history.append((fact, mark))
        return answers

    def _answer(self, fact: Fact) -> list[Answer]:
        match fact:
            case MoveFact():
                return self._move(fact)
            case CarsFact():
                return self._late_cars(fact)
            case KnockFact():
                return self._knock(fact)
            case RestoredFact():
                return self._restored(fact)
            case PassFact():
                return self._pass(fact)
            case DiscardStickFact():
                return self._discard(fact)
            case CorrectionFact():
                return self._correct(fact)
            case CityFact():
                return self._city(fact)
            case RampFact():
                return self._ramp(fact)
            case SaidFact():
                return self._said(fact)
            case GameFact():
                raise RulesError("a second game line in one record: start a new record for a new game")
        raise RulesError(f"a line of type {getattr(fact, 'type', '?')!r} is no fact")

    # --- Set-up ---

    def _city(self, fact: CityFact) -> list[Answer]:
        self._known(fact.player)
        thing = fact.object
        if self._state.has(thing.id) or thing.id == "table":
            raise RulesError(f"id {thing.id!r} is used twice; give the new city object an id of its own")
        faults = tuple(f for f in city_object(self._state, self.rules, thing) if f.call != "clear")
        self._state.place_object(thing)
        loops.update_all(self._state, thing.id)
        line = RulingLine(turn=0, player=fact.player, road=None, call=call_of(faults), faults=faults, object=thing.id)
        return [line]

    def _ramp(self, fact: RampFact) -> list[Answer]:
        self._known(fact.player)
        build = build_of_ramp(self._state, fact)
        check_new(self._state, fact.cars, (fact.road.id, fact.column.id))
        examination = examine(self._state, self.rules, build)
        faults = list(examination.faults)
        again = any(self._state.kinds[road] == "ramp" for road in self._state.roads_of(fact.player))
        if again or self._state.now["moved"]:
            faults.append(count("turn-order", self.turn, 0, "turn", fact.player))
        mets = meet(self._state, build, examination.near)
        put_down(self._state, build, mets)
        faults += [f for f in ramp_distance(self._state, self.rules, self.players) if f.call != "clear"]
        ruling = RulingLine(
            turn=0,
            player=fact.player,
            road=fact.road.id,
            call=call_of(faults),
            faults=tuple(faults),
            cars_due=min(1, self._state.supplies[fact.player].cars),
        )
        self._state.put("rulings", fact.road.id, ruling)
        return [ruling, *self._cars(ruling, fact.cars), *self._standing(0)]

    # --- Moves ---

    def _judge(self, move: MoveFact) -> Judged:
        self._known(move.player)
        return judge(self._state, self.rules, self.players, move)

    def _move(self, fact: MoveFact) -> list[Answer]:
        judged = self._judge(fact)
        ruling = judged.ruling
        reserved = [fact.road.id] + ([fact.column.id] if fact.column is not None else [])
        check_new(self._state, fact.cars, reserved)
        put_down(self._state, judged.build, judged.mets)
        pay(self._state, fact.road.id, judged.ruled)
        self._state.put("rulings", fact.road.id, ruling)
        self._state.put("now", "moved", True)
        self._state.put("now", "same_type", ())
        answers: list[Answer] = [ruling, *self._cars(ruling, fact.cars)]
        self._state.put("now", "open", fact.road.id)
        return answers + self._turn_over(fact.player, fact.turn)

    def _cars(self, ruling: RulingLine, cars: tuple[FactCar, ...], *, late: bool = False) -> list[Answer]:
        road = ruling.road or ""
        paid = place(self._state, self.rules, self.players, ruling.turn, ruling.player, road, cars)
        wrong = [car for car in cars if not placed_on(car, road)]
        line = cars_line(self._state, self.rules, ruling, paid, wrong=wrong, late=late)
        if line is None:
            return []
        self._state.put("cars_lines", road, line)
        return [line]

    def _late_cars(self, fact: CarsFact) -> list[Answer]:
        """Cars told after their road: on the newest road of a player whose turn has just been played."""
        self._known(fact.player)
        check_new(self._state, fact.cars)
        road = self._state.now["open"]
        ruling = self._state.rulings.get(road) if road is not None else None
        late = ruling is None or ruling.player != fact.player
        if late:
            of_player = [
                line
                for line in self._state.rulings.values()
                if line.player == fact.player and (line.turn == fact.turn or line.road == _road_of(fact))
            ]
            if not of_player:
                raise RulesError(f"turn {fact.turn}: {fact.player} has placed no road then, so no car can be due")
            ruling = of_player[-1]
        assert ruling is not None
        answers = self._cars(ruling, fact.cars, late=late)
        answers += turns.finish_if_done(self._state, self.rules, fact.player, fact.turn)
        return answers + self._standing(fact.turn) + self._end(fact.turn)

    # --- Other turns ---

    def _pass(self, fact: PassFact) -> list[Answer]:
        player = self._known(fact.player)
        faults = turns.turn_order(self._state, self.rules, self.players, player, fact.turn)
        held = self._state.supplies[player]
        stuck = not turns.can_build(self._state, player)
        if not stuck:
            faults.append(count("supply", held.gray + held.yellow, 0, "discs"))
        elif self.rules.word("out_of_material") == "discard_stick" and held.gray < 1 and held.sticks > 0:
            # With missions nobody waits for free: who has no disc puts a stick beside the board instead.
            faults.append(count("supply", held.sticks, 0, "road-sticks"))
        answers: list[Answer] = []
        if faults:
            answers.append(_without_road(fact.turn, player, faults))
        self._state.put("now", "moved", True)
        self._state.put("now", "open", None)
        if stuck and self.rules.word("out_of_material") == "out" and player not in self._state.left:
            self._state.put("passed", player, False)
        return answers + self._turn_over(player, fact.turn)

    def _discard(self, fact: DiscardStickFact) -> list[Answer]:
        player = self._known(fact.player)
        faults = turns.turn_order(self._state, self.rules, self.players, player, fact.turn)
        held = self._state.supplies[player]
        if held.sticks < 1:
            faults.append(count("supply", 1, held.sticks, "sticks"))
        elif turns.can_build(self._state, player) or self.rules.word("out_of_material") != "discard_stick":
            faults.append(count("supply", held.gray + held.yellow, 0, "discs"))
        answers: list[Answer] = []
        if faults:
            answers.append(_without_road(fact.turn, player, faults))
        use(self._state, player, sticks=1)
        self._state.put("now", "moved", True)
        self._state.put("now", "open", None)
        return answers + self._turn_over(player, fact.turn)

    def _knock(self, fact: KnockFact) -> list[Answer]:
        self._known(fact.by)
        unknown = [piece for piece in fact.pieces if not self._state.has(piece)]
        if unknown and len(unknown) == len(fact.pieces):
            raise RulesError(f"turn {fact.turn}: knocked piece {unknown[0]!r} is not on the table")
        lines = penalties(self._state, self.rules, fact)
        return [*lines, *(self._standing(fact.turn) if any(line.discs for line in lines) else [])]

    def _restored(self, fact: RestoredFact) -> list[Answer]:
        """Where knocked pieces stand now; nothing else changes."""
        state = self._state
        named = [*(column.id for column in fact.columns), *(road.id for road in fact.roads)]
        missing = [column.id for column in fact.columns if column.id not in state.columns]
        missing += [road.id for road in fact.roads if road.id not in state.roads]
        if missing or not named:
            what = f"{missing[0]!r} was not on the table" if missing else "no piece is named"
            raise RulesError(f"turn {fact.turn}: pieces standing again: {what}")
        for column in fact.columns:
            state.stand_again(column)
        for road in fact.roads:
            state.lie_again(road)
        for owner in dict.fromkeys(state.owners[name] for name in named):
            state.put("loops", owner, loops.surrounded(state, owner))
        return []

    def _said(self, fact: SaidFact) -> list[Answer]:
        """Words alone change nothing, but that a turn is over: its cars can't be placed any more."""
        if fact.words == TURN_OVER:
            self._state.put("now", "open", None)
        return []

    def _correct(self, fact: CorrectionFact) -> list[Answer]:
        discs = fact.set.get("discs")
        if fact.ruling not in self._state.rulings or discs is not None:
            if not isinstance(discs, int) or isinstance(discs, bool) or not 0 <= discs <= 10_000:
                raise RulesError(
                    f"turn {fact.turn}: {fact.ruling!r} has no ruling to correct; name its road, or a knocked piece "
                    "and the discs that it costs"
                )
            return [settle(self._state, fact.ruling, discs), *self._standing(fact.turn)]
        ruling, line = corrected(self._state, self.rules, fact)
        answers: list[Answer] = [ruling]
        if line is not None:
            answers.append(line)
        return answers + self._standing(fact.turn)

    def _undo(self, fact: UndoFact) -> list[Answer]:
        """Take back a turn and all after it; in set-up (turn 0) the last thing that was set up."""
        numbers = [getattr(done, "turn", 0) for done, _ in self._history]
        if fact.turn == 0:
            first = max((i for i, number in enumerate(numbers) if number == 0), default=None)
        else:
            first = min((i for i, number in enumerate(numbers) if number == fact.turn), default=None)
            if first is None:
                first = min((i for i, number in enumerate(numbers) if number > fact.turn), default=None)
        if first is None:
            raise RulesError(f"turn {fact.turn}: there is nothing to take back")
        self._state.rewind(self._history[first][1])
        del self._history[first:]
        return self._standing(fact.turn)

    # --- After a turn ---

    def _turn_over(self, player: str, turn: int) -> list[Answer]:
        lines: list[Answer] = []
        lines += turns.finish_if_done(self._state, self.rules, player, turn)
        lines += turns.advance(self._state, self.rules, self.players, player, turn)
        return self._standing(turn) + lines + self._end(turn)

    def _standing(self, turn: int) -> list[Answer]:
        """The supplies, and with missions the score."""
        lines: list[Answer] = [SupplyLine(turn=turn, players=dict(self._state.supplies))]
        if self.rules.missions:
            lines.append(ScoreLine(turn=turn, players=self.score()))
        return lines

    def _end(self, turn: int) -> list[EndLine]:
        score = self.score if self.rules.missions else None
        return turns.end_if_over(self._state, self.rules, self.players, turn, score)

    # --- Copies ---

    def copy(self) -> Game:
        """The same game; what happens to one doesn't happen to the other."""
        twin = Game(self.fact)
        twin._state = self._state.copy()
        twin._facts = list(self._facts)
        twin._history = list(self._history)
        return twin

    def __eq__(self, other: object) -> bool:
        """The same rules and the same table; the way there (facts taken back) doesn't matter."""
        if not isinstance(other, Game):
            return NotImplemented
        return self.fact == other.fact and self._state == other._state

    __hash__ = None  # type: ignore[assignment]  # a game changes: it must not be a key

    def to_json(self) -> str:
        """The game as JSON: its first line and all facts, from which it is the same again."""
        facts: list[Any] = [fact.model_dump(mode="json", by_alias=True) for fact in self._facts]
        return json.dumps({"schema": SCHEMA, "game": self.fact.model_dump(mode="json", by_alias=True), "facts": facts})

    @classmethod
    def from_json(cls, text: str) -> Game:
        """The game that `to_json` wrote.

        Raises:
            RulesError: the text is no such game.
        """
        from pydantic import ValidationError

        from rules.events import LINE_TYPES

        try:
            data = json.loads(text)
            if data["schema"] != SCHEMA:
                raise RulesError(f"schema {data['schema']!r} is unknown; known: {SCHEMA}")
            game = cls(GameFact.model_validate(data["game"]))
            for entry in data["facts"]:
                game.apply(LINE_TYPES[entry["type"]].model_validate(entry))  # type: ignore[arg-type]  # facts only
        except (json.JSONDecodeError, KeyError, TypeError, ValidationError) as error:
            raise RulesError(f"the text is no saved game ({error}); save it again with to_json") from error
        return game


def _without_road(turn: int, player: str, faults: list[Fault]) -> RulingLine:
    return RulingLine(turn=turn, player=player, road=None, call=call_of(faults), faults=tuple(faults))


def _road_of(fact: CarsFact) -> str | None:
    return next((car.on for car in fact.cars if car.on is not None), None)
