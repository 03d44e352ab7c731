"""What became of virtual games: a line a game in a file, so that a long run may be cut at any moment, and the table."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from rules.events import KnockFact
from th_vision.follow_events import Entered, Output, Reconsidered, Told
from th_vision.referee.loop import Timing
from th_vision.virtual_table.playing import PlayedMoment
from th_vision.virtual_table.verdicts import Tally

KNOCK_MM = 4.0
CERTAIN = {"first": "pays", "side": "side", "owner": "owner", "penalty": "penalty"}
"""What must never be stated as certain and be wrong, and the kind of statement that it is."""
_SINS = ("wrong and certain", "invented")
PARTS = ("watching_s", "waiting_s", "fusing_s", "reading_s", "fetching_s", "telling_s")


@dataclass
class Played:
    """One game held against its truth. ``how``: what it was played with, the same for the same game; ``verdicts``:
    (kind, verdict) -> count; ``unnoticed``: knocks of which nothing was told, or by the wrong hand; ``parts_s``: of
    each reading, as ``PARTS``; ``failed``: why there was no game."""

    how: str
    kind: dict[str, str]
    turns: int = 0
    differing: list[str] = field(default_factory=list)
    unnoticed: list[str] = field(default_factory=list)
    verdicts: dict[str, int] = field(default_factory=dict)
    knocks: int = 0
    noticed: int = 0
    attributed: int = 0
    false_alarms: int = 0
    lost: int = 0
    lost_for_good: int = 0
    mended: int = 0
    events: int = 0
    parts_s: list[tuple[float, ...]] = field(default_factory=list)
    watch_ms: float = 0.0
    took_s: float = 0.0
    failed: str = ""

    def moment(self, moment: PlayedMoment, said: Sequence[Output]) -> None:
        """Count what one moment brought against its truth."""
        true = [line for line in moment.facts if line["type"] == "knock"]
        true = [line for line in true if not 0 < line.get("shift_mm", 0) < KNOCK_MM]
        told = [o.fact for o in said if isinstance(o, Told) and isinstance(o.fact, KnockFact) and not o.again]
        any_true = any(line["type"] in ("knock", "undo", "restored") for line in moment.facts)
        self.events += bool(moment.what.events)
        self.knocks += len(true)
        self.noticed += min(len(true), len(told))
        rightly = [any(fact.by == line["by"] for fact in told) for line in true]
        self.attributed += sum(rightly)
        if len(told) < len(true) or not all(rightly):
            self.unnoticed.append(f"{moment.label}: {[(fact.by, fact.pieces) for fact in told] or 'nothing told'}")
        self.false_alarms += len(told) if not any_true else 0
        for output in said:
            self.lost += isinstance(output, Entered) and output.state == "desynchronised"
            self.mended += isinstance(output, Reconsidered)

    def compared(self, tally: Tally) -> None:
        """Take over the turns and verdicts."""
        self.turns, self.differing = tally.turns, tally.differing
        self.verdicts = {f"{kind}|{verdict}": n for (kind, verdict), n in tally.counts.items()}

    def timed(self, timing: Timing) -> None:
        """Take over the parts of the time to a ruling."""
        self.parts_s.append(tuple(round(float(getattr(timing, part)), 4) for part in PARTS))


def load(path: Path) -> list[Played]:
    """The games in a file; a last line that was cut off is none."""
    if not path.exists():
        return []
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            data: dict[str, Any] = json.loads(line)
            found.append(Played(**data))
        except (ValueError, TypeError):
            continue
    return found


def append(path: Path, game: Played) -> None:
    """Add a game's line, on a line of its own whatever was cut off before it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    whole = not path.exists() or path.stat().st_size == 0 or path.read_bytes().endswith(b"\n")
    with path.open("a", encoding="utf-8") as stream:
        stream.write(("" if whole else "\n") + json.dumps(asdict(game), ensure_ascii=False) + "\n")


def table(games: Sequence[Played]) -> str:
    """The figures, each beside what is wanted."""
    played = [game for game in games if not game.failed]
    turns = sum(game.turns for game in played)
    if not turns:
        return "no game was played"
    tally = Tally(turns=turns, differing=[line for game in played for line in game.differing])
    for game in played:
        for key, n in game.verdicts.items():
            kind, _, verdict = key.partition("|")
            tally.counts[kind, verdict] += n  # type: ignore[index]  # written from the same names
    sins = {name: sum(tally.counts[kind, verdict] for verdict in _SINS) for name, kind in CERTAIN.items()}  # type: ignore[index]
    exact = 100 * (1 - len(tally.differing) / turns)
    knocks, noticed, attributed, false, lost, for_good = (
        sum(getattr(game, name) for game in played)
        for name in ("knocks", "noticed", "attributed", "false_alarms", "lost", "lost_for_good")
    )
    rows = [
        ("turns ruled exactly as the truth", f"{exact:.2f} %", ">= 99 %", exact >= 99),
        *((f"certain mistakes: {name}", str(n), "0", n == 0) for name, n in sins.items()),
        (f"knocks of {KNOCK_MM:g} mm and more, and falls, noticed", f"{noticed} of {knocks}", "all", noticed == knocks),
        ("... and attributed to who did it", f"{attributed} of {knocks}", "all", attributed == knocks),
        ("false knock alarms a game", f"{false / len(played):.2f}", "<= 1", false <= len(played)),
        ("thread lost in 200 turns", f"{200 * lost / turns:.2f}", "<= 1", 200 * lost <= turns),
        ("... and found again without restarting", f"{lost - for_good} of {lost}", "all", not for_good),
    ]
    width = max(len(name) for name, *_ in rows)
    lines = [f"{len(played)} games, {turns} turns, {sum(game.events for game in played)} moments with an event"]
    lines += [f"  {name}: {counted(game.kind.get(name, '') for game in played)}" for name in played[0].kind]
    lines += [f"  no game: {game.how}: {game.failed}" for game in games if game.failed]
    lines += [f"{name:<{width}}  {got:>12}  wanted {wanted:<8} {'held' if held else 'NOT HELD'}"
              for name, got, wanted, held in rows]  # fmt: skip
    lines += ["", tally.table().rpartition("\n")[0], *times([part for game in played for part in game.parts_s])]
    watched = [game.watch_ms for game in played if game.watch_ms]
    lines += [f"watching costs {np.median(watched):.1f} ms a frame"] if watched else []
    lines.append(f"{sum(game.took_s for game in played):.0f} s of work")
    return "\n".join(lines)


def counted(values: Iterable[str]) -> str:
    """How often each value: "D415 (3), D435 (2)"."""
    return ", ".join(f"{value} ({n})" for value, n in sorted(Counter(values).items()) if value)


def times(parts: Sequence[Sequence[float]], names: Sequence[str] = PARTS) -> list[str]:
    """A table of the parts of a time and of their sum, s."""
    if not parts:
        return []
    values = np.array(parts)
    columns = [*values.T, values.sum(axis=1)]
    width = max(map(len, ("all", *names))) + 2
    lines = [f"{'seconds':<{width}}  median    90 %    most"]
    for name, column in zip((*names, "all"), columns, strict=True):
        shown = "".join(f"{v:8.2f}" for v in (*np.percentile(column, [50, 90]), column.max()))
        lines.append(f"  {name.removesuffix('_s'):<{width}}{shown}")
    return lines
