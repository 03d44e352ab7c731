"""Every scenario of the virtual table, geometry only: do the rules answer as the labels say, is anything in anything?

python -m bench.scenarios [--seeds 0:3] [--only NAME,...]
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterable

from rules.events import AlertLine, CarsLine, EndLine, RulingLine
from th_vision.errors import VisionError
from th_vision.virtual_table.events import ALL_EVENTS
from th_vision.virtual_table.physics import interpenetrations
from th_vision.virtual_table.playing import PlayedMoment
from th_vision.virtual_table.scenarios import SCENARIOS
from th_vision.virtual_table.session import Session, Setup
from th_vision.virtual_table.setup_offences import SETUP_EVENTS
from th_vision.virtual_table.simulate import moments_of, request

HEIGHT_MM = {2: 680.0, 3: 760.0, 4: 880.0}  # a D415 sees every scenario for so many players from here
PERMITTED = ("taken-back", "two-at-once", "light-changes")


def faults_of(moment: PlayedMoment) -> set[str]:
    """Rules that the answers to a moment's facts find broken."""
    lines = (a for a in moment.answers if isinstance(a, RulingLine | CarsLine))
    return {fault.rule for line in lines for fault in line.faults if fault.call != "clear"}


def wrong_labels(moments: Iterable[PlayedMoment]) -> list[str]:
    """Moments whose rulings are not as their labels say: a fault without a label, a label without its fault."""
    found = []
    for moment in moments:
        broken = faults_of(moment)
        meant = {ALL_EVENTS[name].rule for name in moment.what.events if name in ALL_EVENTS}
        meant |= {SETUP_EVENTS[name][1] for name in moment.what.events if name in SETUP_EVENTS}
        meant.discard(None)
        if broken and not (meant or any(name.startswith(("close", "barely", "at-")) for name in moment.what.events)):
            unlabelled = not set(moment.what.events) & {"covered", "forgotten-car", *ALL_EVENTS, *SETUP_EVENTS}
            if unlabelled:
                found.append(f"{moment.label}: {sorted(broken)} without a label")
        if moment.what.kind in ("move", "pass", "setup") and meant and not meant & broken:
            found.append(f"{moment.label}: labelled {sorted(str(m) for m in meant)}, ruled {sorted(broken)}")
    return found


def main() -> int:
    """Print a line for each game; 1 where one is not as its labels say."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", default="0:3")
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    first, last = (int(part) for part in args.seeds.split(":"))
    names = args.only.split(",") if args.only else list(SCENARIOS)
    out = sys.stdout
    bad = 0
    shown: set[str] = set()
    for name in names:
        scenario = SCENARIOS[name]
        for players in scenario.players:
            for rules in scenario.rules:
                if rules == "classic" and players > 2:
                    continue
                for seed in range(first, last):
                    started = time.process_time()
                    session = Session(Setup(seed=seed, distance_mm=HEIGHT_MM[players]))
                    try:
                        moments = list(moments_of(session, request(name, players=players, rules=rules)))
                    except VisionError as error:
                        bad += 1
                        out.write(f"{name:<13}{players} {rules:<22}{seed:>5}  {error}\n")
                        continue
                    played = [m for m in moments if isinstance(m, PlayedMoment)]
                    wrong = wrong_labels(played)
                    inside = sum(len(interpenetrations(m.scene)) for m in played[:: max(1, len(played) // 8)])
                    answers = [a for m in played for a in m.answers]
                    shown |= {rule for m in played for rule in faults_of(m)}
                    end = next((a.reason for a in answers if isinstance(a, EndLine)), "-")
                    alerts = sum(isinstance(a, AlertLine) for a in answers)
                    bad += len(wrong) + inside + alerts
                    spent = time.process_time() - started
                    out.write(
                        f"{name:<13}{players} {rules:<22}{seed:>5}{len(moments):>5} moments  end {end:<18}"
                        f"{len(wrong):>3} wrong labels{inside:>3} in each other{spent:>7.1f} s\n"
                    )
                    out.writelines(f"    {line}\n" for line in wrong)
                    out.flush()
    out.write(f"fault rules shown: {len(shown)}: {', '.join(sorted(shown))}\n")
    return 1 if bad else 0


if __name__ == "__main__":
    raise SystemExit(main())
