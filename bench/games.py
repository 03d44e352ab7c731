"""Whole virtual games of unseen seeds, followed as at the table, and what went wrong in them.

    python bench/games.py --seeds 5000:5100    # true layouts read with noise: all presets, 2 to 4 players
    python bench/games.py --frames --seeds 3000:3004 --turns 8    # frames, sensor, reader and all: minutes a game
    python bench/games.py --hour    # an hour of frames: does memory grow?

Prints the share of turns that were ruled exactly as the truth, certain mistakes by kind, how knocks were noticed and
attributed, false alarms, lost threads, and for frames each part of the time from the last hand to the ruling.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.rulings import game_line, say
from calibration.board import Board
from calibration.calibrate import calibrate_table
from rules.errors import RulesError
from rules.events import KnockFact
from th_vision.errors import VisionError
from th_vision.follow import Follower
from th_vision.follow_events import Ended, Entered, HandSeen, Moving, Output, Reconsidered, Settled, Told
from th_vision.referee.loop import Referee, Timing
from th_vision.referee.outputs import Outputs
from th_vision.virtual_table.mischief import EVENTS, eventful_game
from th_vision.virtual_table.misread import Misreading, misread
from th_vision.virtual_table.playing import PlayedMoment
from th_vision.virtual_table.session import Session, Setup
from th_vision.virtual_table.simulate import pieces_for
from th_vision.virtual_table.verdicts import Tally, compare, same_pieces, true_lines

PRESETS = ("rainbow-city", "rainbow-city-missions", "rainbow-city-zh", "classic")
KNOCK_MM = 4.0
AT_THE_TABLE = tuple(name for name in EVENTS if name != "yellow-below")
"""What a camera above can see: a yellow disc with a gray one on it, it can't (nor does a layout tell it)."""
CERTAIN = ("pays", "side", "owner", "penalty")


@dataclass
class Evening:
    """What became of some games."""

    tally: Tally = field(default_factory=Tally)
    games: int = 0
    knocks: int = 0
    noticed: int = 0
    attributed: int = 0
    false_alarms: int = 0
    lost: int = 0
    found: int = 0
    mended: int = 0
    timings: list[Timing] = field(default_factory=list)
    watch_s: list[float] = field(default_factory=list)

    def moment(self, moment: PlayedMoment, said: Sequence[Output]) -> None:
        """Count what one moment brought against its truth."""
        true = [line for line in moment.facts if line["type"] == "knock"]
        true = [line for line in true if not 0 < line.get("shift_mm", 0) < KNOCK_MM]
        told = [o.fact for o in said if isinstance(o, Told) and isinstance(o.fact, KnockFact) and not o.again]
        any_true = any(line["type"] in ("knock", "undo", "restored") for line in moment.facts)
        self.knocks += len(true)
        self.noticed += min(len(true), len(told))
        self.attributed += sum(any(fact.by == line["by"] for fact in told) for line in true)
        self.false_alarms += len(told) if not any_true else 0
        for output in said:
            if isinstance(output, Entered):
                self.lost += output.state == "desynchronised"
            self.mended += isinstance(output, Reconsidered)

    def print(self) -> None:
        """The figures."""
        turns = max(self.tally.turns, 1)
        say(self.tally.table())
        wrong = Counter(kind for (kind, verdict), n in self.tally.counts.items() if verdict in
                        ("wrong and certain", "invented") for _ in range(n))  # fmt: skip
        exact = 100 * (1 - len(self.tally.differing) / turns)
        say(
            f"{self.games} games, {turns} turns: {exact:.1f} % ruled exactly as the truth (doubt said is no difference)"
        )
        say("certain mistakes: " + ", ".join(f"{kind} {wrong[kind]}" for kind in CERTAIN))
        say(
            f"knocks of {KNOCK_MM:g} mm and more, and falls: {self.noticed} of {self.knocks} noticed, "
            f"{self.attributed} attributed; false alarms {self.false_alarms / max(self.games, 1):.2f} a game"
        )
        say(f"thread lost {200 * self.lost / turns:.2f} times in 200 turns, found again {self.found} of {self.lost}")
        if self.timings:
            self._print_times()

    def _print_times(self) -> None:
        names = ("watching_s", "waiting_s", "fusing_s", "reading_s", "telling_s")
        say("from the last hand to the ruling, s: median, 90 %, most (frames at 15 a second)")
        total = np.zeros(len(self.timings))
        for name in names:
            values = np.array([getattr(timing, name) for timing in self.timings])
            total += values
            say(f"  {name[:-2]:<10}" + "".join(f"{v:7.2f}" for v in (*np.percentile(values, [50, 90]), values.max())))
        say(f"  {'all':<10}" + "".join(f"{v:7.2f}" for v in (*np.percentile(total, [50, 90]), total.max())))
        ms = 1000 * np.array(self.watch_s)
        say(f"  watching costs {np.median(ms):.1f} ms a frame (90 %: {np.percentile(ms, 90):.1f})")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", default="5000:5020", help="first:last+1")
    parser.add_argument("--turns", type=int, default=24)
    parser.add_argument("--events", type=float, default=0.05, help="share of turns in which something happens")
    parser.add_argument("--noise", default="0.4,0.9,0.5,0.004,0.002,0.01", help="sigmas across, along, z; chances")
    parser.add_argument("--frames", action="store_true", help="frames through everything, instead of layouts")
    parser.add_argument("--cameras", default="D415:610,D435:700", help="with --frames: model:height in turn")
    parser.add_argument("--still", type=int, default=20, help="with --frames: still frames of each moment")
    parser.add_argument("--hour", action="store_true", help="an hour of frames, for memory")
    parser.add_argument("--quiet", action="store_true", help="the figures alone")
    arguments = parser.parse_args()
    if arguments.hour:
        return hour()
    first, last = map(int, arguments.seeds.split(":"))
    evening, start = Evening(), time.perf_counter()
    for seed in range(first, last):
        before = len(evening.tally.differing)
        try:
            by_frames(seed, arguments, evening) if arguments.frames else by_layouts(seed, arguments, evening)
        except (VisionError, RulesError) as error:
            say(f"seed {seed}: no game ({error})")
            continue
        for line in evening.tally.differing[before:]:
            if not arguments.quiet:
                say(f"  {line}")
    evening.print()
    say(f"{time.perf_counter() - start:.0f} s")
    return 0


def game(seed: int, arguments: argparse.Namespace, field_mm: tuple[float, float]) -> Iterator[PlayedMoment]:
    """A game of a seed: presets and numbers of players in turn."""
    preset = PRESETS[seed % len(PRESETS)]
    players = 2 if preset == "classic" else 2 + seed // len(PRESETS) % 3
    pieces, names = pieces_for(players)
    rng = np.random.default_rng([seed, 77])
    yield from eventful_game(
        rng, pieces, names, preset, arguments.turns, field_mm, events=AT_THE_TABLE, share=arguments.events
    )


def by_layouts(seed: int, arguments: argparse.Namespace, evening: Evening) -> None:
    """One game as true layouts, each read with noise; a hand before each, and a second look after it."""
    moments = list(game(seed, arguments, (600.0, 380.0)))
    facts = [fact for moment in moments for fact in moment.facts]
    first = game_line(facts[0])
    pieces = pieces_for(len(first.players))[0]
    follower, told, names = Follower(first, pieces), list[Told](), dict[str, str]()
    how, rng = Misreading(*map(float, arguments.noise.split(","))), np.random.default_rng([seed, 1])
    for i, moment in enumerate(moments):
        truth = moment.scene.layout()
        said = follower.handle(HandSeen(side_of(moment)), 10.0 * i) + follower.handle(Moving(), 10.0 * i + 1)
        said += follower.handle(Settled(misread(truth, rng, how, pieces)), 10.0 * i + 2)
        if follower.wants_another_look:
            said += follower.handle(Settled(misread(truth, rng, how, pieces)), 10.0 * i + 3)
        told += [output for output in said if isinstance(output, Told)]
        names |= same_pieces(follower.known.layout, truth)
        evening.moment(moment, said)
        evening.found += sum(isinstance(o, Entered) and o.state == "desynchronised" for o in said)
    told += [output for output in follower.handle(Ended(), 0.0) if isinstance(output, Told)]
    evening.found -= follower.state == "desynchronised"
    evening.games += 1
    evening.tally.add(compare(true_lines(facts), told, names, f"seed {seed}"))


def side_of(moment: PlayedMoment) -> float | None:
    """From which side the moment's last hand reaches in."""
    if not moment.hands:
        return None
    hand = moment.hands[-1]
    return float(np.degrees(np.arctan2(hand.elbow[1], hand.elbow[0])))


def by_frames(seed: int, arguments: argparse.Namespace, evening: Evening) -> None:
    """One game as frames, through the loop that referees live."""
    cameras = arguments.cameras.split(",")
    model, _, height = cameras[seed % len(cameras)].partition(":")
    session = Session(Setup(seed=seed, camera=model, distance_mm=float(height), frames=arguments.still))
    shots = [shot.frame for shot in session.calibration()]
    table, _ = calibrate_table(session.camera.camera, [(f.depth, f.color) for f in shots], Board())
    width, depth = session.field_mm()
    moments = list(game(seed, arguments, (min(width, 600.0), min(depth, 380.0))))
    facts = [fact for moment in moments for fact in moment.facts]
    first = game_line(facts[0])
    pieces = pieces_for(len(first.players))[0]
    said: list[Output] = []
    follower, names = Follower(first, pieces), dict[str, str]()
    referee = Referee(follower, table, pieces, Outputs(watch=said.append), None)
    begun, at = 0, -1

    def count() -> None:
        nonlocal begun
        if at >= 0:
            evening.moment(moments[at], said[begun:])
            evening.found += sum(isinstance(o, Entered) and o.state == "desynchronised" for o in said[begun:])
            names.update(same_pieces(follower.known.layout, moments[at].scene.layout()))
            begun = len(said)

    for shot in session.play(moments):
        if shot.kind == "still" and shot.moment != at:
            at = shot.moment
        read, now = referee.timing, time.perf_counter()
        referee.see(shot.frame)
        if referee.timing is not read and referee.timing is not None:
            evening.timings.append(referee.timing)
            count()
        else:
            evening.watch_s.append(time.perf_counter() - now)
    referee.finish()
    count()
    evening.found -= follower.state == "desynchronised"
    evening.games += 1
    told = [output for output in said if isinstance(output, Told)]
    evening.tally.add(compare(true_lines(facts), told, names, f"seed {seed}"))


def hour(minutes: int = 60, fps: float = 15.0) -> int:
    """An hour of a table by the frames' clock: hands, moves taken back and made again, and what memory does."""
    from tests.th_vision.referee.live_scene import LAYOUTS, STILL, read, scenes
    from tests.th_vision.still_scene import table
    from th_vision.frame import Frame

    frames = scenes()
    per_scene = STILL + 1
    last = frames[-per_scene:]  # the newest move, made
    back = frames[-2 * per_scene : -per_scene]  # and taken back
    pieces, _ = pieces_for(2)
    follower = Follower(game_line({"type": "game", "players": ["blue", "pink"]}), pieces)
    referee = Referee(follower, table(), pieces, Outputs(), None, read)
    assert len(LAYOUTS) * per_scene - 1 == len(frames)
    number = 0
    used: list[float] = []
    for turn in range(int(minutes * 60 * fps / (2 * per_scene * 6))):
        for group in (last, back) if turn else (frames,):
            for frame in (one for f in group for one in [f] * 6):  # each picture six times: 15 a second
                number += 1
                referee.see(Frame(number, number / fps, frame.depth, frame.color))
        if turn % 60 == 0:
            used.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
            say(f"{number / fps / 60:5.1f} min: {used[-1]:.0f} MB, {len(follower.told)} facts")
    say(f"memory after the first minutes and at the end: {used[1]:.0f} MB, {used[-1]:.0f} MB")
    return 0 if used[-1] - used[1] < 30 else 1


if __name__ == "__main__":
    raise SystemExit(main())
