"""Who holds what: using up pieces, handing over discs, and the penalty for knocking pieces down."""

from __future__ import annotations

from rules.errors import RulesError
from rules.events import KnockFact, Material, MoveCall, PenaltyLine
from rules.ruleset import RuleSet
from rules.state import State
from rules.uncertain import Measured, at_most


def use(state: State, player: str, *, gray: int = 0, yellow: int = 0, sticks: int = 0, cars: int = 0) -> None:
    """Take pieces out of a player's supply; what isn't there can't be taken (the ruling says so)."""
    held = state.supplies[player]
    state.put(
        "supplies",
        player,
        Material(
            gray=max(0, held.gray - gray),
            yellow=max(0, held.yellow - yellow),
            sticks=max(0, held.sticks - sticks),
            cars=max(0, held.cars - cars),
        ),
    )


def hand_over(state: State, giver: str, taker: str, discs: int) -> int:
    """Hand over discs, gray ones first, as many as there are; returns how many. Whoever waits for one is rescued."""
    held, other = state.supplies[giver], state.supplies[taker]
    gray = min(discs, held.gray)
    yellow = min(discs - gray, held.yellow)
    if gray + yellow:
        state.put("supplies", giver, held.model_copy(update={"gray": held.gray - gray, "yellow": held.yellow - yellow}))
        state.put(
            "supplies", taker, other.model_copy(update={"gray": other.gray + gray, "yellow": other.yellow + yellow})
        )
        if taker in state.passed:
            state.put("passed", taker, True)
    return gray + yellow


def penalties(state: State, rules: RuleSet, knock: KnockFact) -> list[PenaltyLine]:
    """What a knock costs: one disc to each owner hit, or one for each piece; own pieces cost nothing.

    Pieces that were only shifted cost something only beyond `penalty_for_shift_mm`.
    """
    hit: dict[str, list[str]] = {}
    for piece in dict.fromkeys(knock.pieces):
        owner = state.owners.get(piece)
        if owner is not None and owner != knock.by:
            hit.setdefault(owner, []).append(piece)
    shifted = knock.shift_mm > 0
    limit = rules.number("penalty_for_shift_mm")
    call: MoveCall = "legal"
    if shifted:
        if limit is None:
            return []
        shift = Measured(knock.shift_mm, knock.sigma_mm)
        answer = at_most(shift, limit, rules.k)
        if answer == "clear":
            return []
        call = "too_close" if answer == "too_close" else "legal"
    lines: list[PenaltyLine] = []
    for owner, pieces in hit.items():
        owed = len(pieces) if rules.word("penalty") == "per_piece" else 1
        if call == "too_close" and limit is not None and knock.shift_mm <= limit:
            owed = 0  # asked, not taken
        paid = hand_over(state, knock.by, owner, owed)
        line = PenaltyLine.model_validate(
            {
                "turn": knock.turn,
                "from": knock.by,
                "to": owner,
                "discs": paid,
                "pieces": tuple(pieces),
                "call": call,
                "value": knock.shift_mm if shifted else None,
                "sigma": knock.sigma_mm if shifted else 0.0,
                "limit": limit if shifted else None,
            }
        )
        for piece in pieces:
            state.put("penalties", piece, line)
        lines.append(line)
    return lines


def settle(state: State, piece: str, discs: int) -> PenaltyLine:
    """The players say how many discs the last knock of a piece costs: what was paid is made up or given back.

    Raises:
        RulesError: the piece was never knocked.
    """
    line = state.penalties.get(piece)
    if line is None:
        raise RulesError(f"no penalty for {piece!r} to correct; name a piece that was knocked")
    more = discs - line.discs
    giver, taker, sign = (line.from_, line.to, 1) if more >= 0 else (line.to, line.from_, -1)
    moved = sign * hand_over(state, giver, taker, abs(more))
    new = line.model_copy(update={"discs": line.discs + moved, "call": "legal"})
    for name in line.pieces:
        state.put("penalties", name, new)
    return new
