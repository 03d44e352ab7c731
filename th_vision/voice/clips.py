"""The names of recorded clips, and which of them say an answer one after the other.

``python -m th_vision.voice.clips [LANGUAGE]`` lists the names with what to record under each.
"""

from __future__ import annotations

import contextlib
import sys
from typing import Final

from rules.events import Answer, CarsLine, Crossing, EndLine, Fault, OutLine, PenaltyLine, RulingLine
from rules.game import Game
from rules.phrases import FAULTS, PLAYER_NAMES
from th_vision import phrases as say
from th_vision.words import words_in

MAX_COUNT: Final = 10
"""Of cars and discs there are clips up to so many."""

Names = tuple[str, ...]


def clips_of(answer: Answer, game: Game) -> list[Names]:
    """One list of clips for each sentence of an answer, in the order of ``rules.messages``; fewer where none fits."""
    match answer:
        case RulingLine():
            return _of_ruling(answer)
        case CarsLine():
            return [(player(answer.player), "cars-missing")] if answer.placed < answer.due else []
        case PenaltyLine():
            if answer.from_ == answer.to or answer.discs == 0:
                return []
            return [(player(answer.from_), "penalty", player(answer.to), f"discs-{min(answer.discs, MAX_COUNT)}")]
        case OutLine():
            return [(player(answer.player), "out")]
        case EndLine():
            first = answer.ranking[0] if answer.ranking else ()
            return [("game-over", *(player(name) for name in first), *(("wins",) if first else ()))]
    return []


def _of_ruling(ruling: RulingLine) -> list[Names]:
    said = [_of_fault(fault, ruling.player) for fault in ruling.faults if fault.call != "clear"]
    if ruling.call != "fault":
        said += [_of_crossing(crossing, ruling.player) for crossing in ruling.crossings]
    if not said:
        said = [(player(ruling.player), "legal")]
    return said


def _of_fault(fault: Fault, name: str) -> Names:
    return ("too-close" if fault.call == "too_close" else "fault", player(name), f"fault-{fault.rule}")


def _of_crossing(crossing: Crossing, name: str) -> Names:
    if crossing.call == "too_close":
        return ("too-close", player(name), crossing.side, player(crossing.owner))
    return (player(name), crossing.side, player(crossing.owner), "cars-1" if crossing.pays else "cars-0")


def player(name: str) -> str:
    """The clip of a player's name."""
    return f"player-{name.lower()}"


def names(language: str) -> dict[str, str]:
    """Every clip's name, and what to say in it."""
    words = words_in(language)
    found = {player(named.text): words.word(*named) for named in PLAYER_NAMES}
    found |= {name: words.text(text) for name, text in say.CLIPS.items()}
    found |= {f"cars-{n}": words.count(say.CLIP_CARS, n) for n in range(1, MAX_COUNT + 1)}
    found |= {f"discs-{n}": words.count(say.CLIP_DISCS, n) for n in range(1, MAX_COUNT + 1)}
    meant = {"player": words.text(say.THE_PLAYER), "piece": words.text(say.THAT_PIECE)}
    found |= {f"fault-{rule}": words.fill(fault.fault, **meant) for rule, fault in FAULTS.items()}
    return found


if __name__ == "__main__":
    wanted = names(sys.argv[1] if len(sys.argv) > 1 else "en")
    with contextlib.suppress(BrokenPipeError):  # who reads has seen enough
        sys.stdout.writelines(f"{name:28} {text}\n" for name, text in wanted.items())
        sys.stdout.flush()
