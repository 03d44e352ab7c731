"""A move judged: every placement rule, every crossing, the cars due, and the call; and how it is put on the table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from rules import loops, turns
from rules.build import Build, build_of_move
from rules.crossings import Met, Ruled, cars_due, meet, mirrored, pair_at, rule_on
from rules.events import Fault, MoveCall, MoveFact, RulingLine
from rules.placement import Examination, examine
from rules.ruleset import RuleSet
from rules.state import Paid, State, Unsure
from rules.supply import use

_OFFRAMP_FAULTS: Final = frozenset({"offramp-level", "offramp-from-junction", "offramp-area"})


@dataclass(frozen=True, slots=True)
class Judged:
    """A move as it was read, everything that was looked at, and the ruling."""

    build: Build
    examination: Examination
    mets: tuple[Met, ...]
    ruled: tuple[Ruled, ...]
    ruling: RulingLine


def judge(state: State, rules: RuleSet, players: turns.Players, move: MoveFact) -> Judged:
    """The ruling on a move; changes nothing.

    Raises:
        RulesError: the move uses an id that something on the table has already.
    """
    build = build_of_move(state, move)
    examination = examine(state, rules, build)
    mets = meet(state, build, examination.near)
    ruled = rule_on(state, rules, build, mets)
    in_turn = turns.turn_order(state, rules, players, move.player, move.turn, move.turn_probability)
    faults = (*in_turn, *examination.faults)
    broken = any(fault.rule in _OFFRAMP_FAULTS and fault.call == "fault" for fault in faults)
    bonus = build.kind == "offramp" and not broken
    due, (fewest, most) = cars_due(ruled, int(bonus), state.supplies[move.player].cars)
    call = call_of(faults)
    if call == "legal" and (fewest != most or any(entry.line.call == "too_close" for entry in ruled)):
        call = "too_close"
    ruling = RulingLine(
        turn=move.turn,
        player=move.player,
        road=move.road.id,
        call=call,
        faults=faults,
        crossings=tuple(entry.line for entry in ruled),
        cars_due=due,
        offramp_bonus=bonus,
        cars_due_range=(fewest, most) if fewest != most else None,
    )
    return Judged(build, examination, tuple(mets), tuple(ruled), ruling)


def call_of(faults: Iterable[Fault]) -> MoveCall:
    """The call that follows from the faults; warnings don't count."""
    calls = {fault.call for fault in faults if not fault.warning}
    return "fault" if "fault" in calls else "too_close" if "too_close" in calls else "legal"


def put_down(state: State, build: Build, mets: Iterable[Met]) -> None:
    """The column and the road of a build are on the table now and out of the supply."""
    column, road = build.column, build.road
    if column is not None:
        state.place_column(column, build.player)
    state.place_road(road, build.player, build.kind)
    if build.player_sure < 1.0:
        for piece in (road.id, *(() if column is None else (column.id,))):
            state.put("unsure", piece, Unsure(build.player_sure, state.now["next"]))
    joints = build.joints
    state.put(
        "joints",
        road.id,
        (joints[0] if joints[0] in state.columns else None, joints[1] if joints[1] in state.columns else None),
    )
    if build.landed is not None:
        state.put("landed", road.id, build.landed)
    if build.base in state.columns and state.owners[build.base] == build.player:
        state.put("outs", build.base, (*state.outs.get(build.base, ()), road.id))
    for met in mets:
        if met.shared:
            continue
        pair = pair_at(met, road.id)
        state.put("pairs", met.road, (*state.pairs.get(met.road, ()), pair))
        state.put("pairs", road.id, (*state.pairs.get(road.id, ()), mirrored(pair, met.road)))
    loops.update(state, road.id)
    use(
        state,
        build.player,
        sticks=1,
        gray=column.gray if column is not None else 0,
        yellow=column.yellow if column is not None else 0,
    )


def pay(state: State, road: str, ruled: Iterable[Ruled]) -> None:
    """Keep which roads paid a car to the new one."""
    for entry in ruled:
        if entry.line.pays:
            paid = Paid(entry.line.side, road, entry.doubt)
            state.put("paid", entry.line.road, (*state.paid.get(entry.line.road, ()), paid))
