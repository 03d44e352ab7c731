"""Whole virtual games of unseen seeds, followed as at the table, and what went wrong in them.

    python bench/games.py --seeds 5000:5100    # true layouts read with noise: all presets, 2 to 4 players
    python bench/games.py --frames --seeds 3000:3100 --into out/games.jsonl    # frames, sensor, reader and all
    python bench/games.py --frames --only knock,collapse,nudge --events 0.4    # what happens to pieces that stand
    python bench/games.py --table out/games.jsonl    # the figures of what was played so far
    python bench/games.py --latency --turns 8    # in real time: each part of the time from the last hand to the ruling
    python bench/games.py --hour    # an hour of play by the frames' clock: does memory grow?

``--into`` writes a line a game, and leaves out the games that are there already: a run may be cut at any moment and
goes on where it was. Cameras and models of the sensor take turns with the seeds, as presets and players do.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.results import Played, append, load, table
from bench.rulings import game_line, say
from calibration.board import Board
from calibration.calibrate import calibrate_table
from rules.errors import RulesError
from th_vision.errors import VisionError
from th_vision.follow import Follower
from th_vision.follow_events import Ended, HandSeen, Moving, Output, Settled, Told
from th_vision.referee.loop import Referee
from th_vision.referee.outputs import Outputs
from th_vision.virtual_table.mischief import EVENTS, eventful_game
from th_vision.virtual_table.misread import Misreading, misread
from th_vision.virtual_table.playing import PlayedMoment
from th_vision.virtual_table.session import Session, Setup
from th_vision.virtual_table.simulate import pieces_for
from th_vision.virtual_table.verdicts import compare, same_pieces, true_lines

PRESETS = ("rainbow-city", "rainbow-city-missions", "rainbow-city-zh", "classic")
AT_THE_TABLE = tuple(name for name in EVENTS if name != "yellow-below")
"""What a camera above can see: a yellow disc with a gray one on it, it can't (nor does a layout tell it)."""
FIELD_MM = (600.0, 380.0)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", default="5000:5020", help="first:last+1")
    parser.add_argument("--turns", type=int, default=24)
    parser.add_argument("--events", type=float, default=0.05, help="share of turns in which something happens")
    parser.add_argument("--only", default=",".join(AT_THE_TABLE), help="events, of which such turns have one each")
    parser.add_argument("--noise", default="0.4,0.9,0.5,0.004,0.002,0.01", help="sigmas across, along, z; chances")
    parser.add_argument("--frames", action="store_true", help="frames through everything, instead of layouts")
    parser.add_argument("--cameras", default="D415:610,D435:700", help="with --frames: model:height in turn")
    parser.add_argument("--models", default="fast,stereo", help="with --frames: of the sensor, in turn")
    parser.add_argument("--still", type=int, default=20, help="with --frames: still frames of each moment")
    parser.add_argument("--into", type=Path, help="write a line a game to this file; games in it are left out")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="begin no further game after so long")
    parser.add_argument("--table", type=Path, help="print the figures of this file, and play nothing")
    parser.add_argument("--latency", action="store_true", help="in real time, for the time to the ruling")
    parser.add_argument("--hour", action="store_true", help="an hour of play, for memory")
    parser.add_argument("--quiet", action="store_true", help="the figures alone")
    arguments = parser.parse_args()
    first, last = map(int, arguments.seeds.split(":"))
    if arguments.table is not None:
        say(table(load(arguments.table)))
        return 0
    if arguments.hour or arguments.latency:
        return by_the_clock(first, arguments)
    games = load(arguments.into) if arguments.into is not None else []
    there, start = {game.how for game in games}, time.perf_counter()
    for seed in range(first, last):
        if time.perf_counter() - start > 60 * arguments.minutes:
            say("the time is up; the same command goes on from here")
            break
        played = Played(*named(seed, arguments))
        if played.how in there:
            continue
        play(seed, arguments, played)
        games.append(played)
        if arguments.into is not None:
            append(arguments.into, played)
        if not arguments.quiet:
            say(f"{played.how}: {played.failed or f'{played.turns} turns, {len(played.differing)} differ'}")
            for line in (*played.differing, *played.unnoticed):
                say(f"  {line}")
    say(table(games))
    return 0


def named(seed: int, arguments: argparse.Namespace) -> tuple[str, dict[str, str]]:
    """What a game is played with, as one text that is the same for the same game, and by kind."""
    preset, players = preset_of(seed)
    kind = {"rules": preset, "players": str(players)}
    how = f"seed {seed}, {arguments.turns} turns, events {arguments.events:g}"
    if arguments.only != ",".join(AT_THE_TABLE):
        how += f" ({arguments.only})"
    if not arguments.frames:
        return f"{how}, noise {arguments.noise}", kind
    camera, model = sensor_of(seed, arguments)
    kind |= {"camera": camera.partition(":")[0], "model of the sensor": model}
    return f"{how}, {camera}, {model}, {arguments.still} still frames", kind


def preset_of(seed: int) -> tuple[str, int]:
    """The rules and the number of players of a seed: in turn."""
    preset = PRESETS[seed % len(PRESETS)]
    return preset, 2 if preset == "classic" else 2 + seed // len(PRESETS) % 3


def sensor_of(seed: int, arguments: argparse.Namespace) -> tuple[str, str]:
    """The camera with its height, and the model of the sensor, of a seed: each camera with each model, in turn; shifted
    against presets and players, so that all of them meet."""
    cameras, models = arguments.cameras.split(","), arguments.models.split(",")
    number = seed + seed // len(PRESETS)
    return cameras[number % len(cameras)], models[number // len(cameras) % len(models)]


def play(seed: int, arguments: argparse.Namespace, played: Played) -> None:
    """Play one game."""
    start = time.perf_counter()
    try:
        by_frames(seed, arguments, played) if arguments.frames else by_layouts(seed, arguments, played)
    except (VisionError, RulesError) as error:
        played.failed = str(error)
    played.took_s = round(time.perf_counter() - start, 1)


def game(seed: int, arguments: argparse.Namespace, field_mm: tuple[float, float]) -> Iterator[PlayedMoment]:
    """A game of a seed."""
    preset, players = preset_of(seed)
    pieces, names = pieces_for(players)
    rng = np.random.default_rng([seed, 77])
    yield from eventful_game(
        rng, pieces, names, preset, arguments.turns, field_mm,
        events=arguments.only.split(","), share=arguments.events,
    )  # fmt: skip


def by_layouts(seed: int, arguments: argparse.Namespace, played: Played) -> None:
    """One game as true layouts, each read with noise; a hand before each, and a second look after it."""
    moments = list(game(seed, arguments, FIELD_MM))
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
        played.moment(moment, said)
    told += [output for output in follower.handle(Ended(), 0.0) if isinstance(output, Told)]
    played.lost_for_good += follower.state == "desynchronised"
    played.compared(compare(true_lines(facts), told, names, f"seed {seed}"))


def side_of(moment: PlayedMoment) -> float | None:
    """From which side the moment's last hand reaches in."""
    if not moment.hands:
        return None
    hand = moment.hands[-1]
    return float(np.degrees(np.arctan2(hand.elbow[1], hand.elbow[0])))


def session_of(seed: int, arguments: argparse.Namespace, still: int) -> tuple[Session, list[PlayedMoment]]:
    """A virtual table for a seed, and the game on it."""
    camera, model = sensor_of(seed, arguments)
    name, _, height = camera.partition(":")
    session = Session(Setup(seed=seed, camera=name, distance_mm=float(height), frames=still, model=model))
    width, depth = session.field_mm()
    return session, list(game(seed, arguments, (min(width, FIELD_MM[0]), min(depth, FIELD_MM[1]))))


def by_frames(seed: int, arguments: argparse.Namespace, played: Played) -> None:
    """One game as frames, through the loop that referees live."""
    session, moments = session_of(seed, arguments, arguments.still)
    shots = [shot.frame for shot in session.calibration()]
    calibration, _ = calibrate_table(session.camera.camera, [(f.depth, f.color) for f in shots], Board())
    facts = [fact for moment in moments for fact in moment.facts]
    first = game_line(facts[0])
    pieces = pieces_for(len(first.players))[0]
    said, watched = list[Output](), list[float]()
    follower, names = Follower(first, pieces), dict[str, str]()
    referee = Referee(follower, calibration, pieces, Outputs(watch=said.append), None)
    begun, at = 0, -1

    def seen() -> None:
        """All that was said of the moment that is over, however many looks were taken at it."""
        nonlocal begun
        if at >= 0:
            played.moment(moments[at], said[begun:])
            begun = len(said)

    for shot in session.play(moments):
        if shot.moment != at and shot.kind == "still":
            seen()
            at = shot.moment
        read, now = referee.timing, time.perf_counter()
        referee.see(shot.frame)
        if referee.timing is not read and referee.timing is not None:
            played.timed(referee.timing)
            names.update(same_pieces(follower.known.layout, moments[max(at, 0)].scene.layout()))
        else:
            watched.append(1000 * (time.perf_counter() - now))
    referee.finish()
    names.update(same_pieces(follower.known.layout, moments[at].scene.layout()))
    seen()
    played.lost_for_good += follower.state == "desynchronised"
    played.watch_ms = round(float(np.median(watched)), 1) if watched else 0.0
    told = [output for output in said if isinstance(output, Told)]
    played.compared(compare(true_lines(facts), told, names, f"seed {seed}"))


def by_the_clock(seed: int, arguments: argparse.Namespace) -> int:
    """The live loop in real time, or an hour of it by the frames' clock."""
    from bench.live_games import hour, latency

    if arguments.hour:
        moments = list(game(seed, arguments, FIELD_MM))
        return hour(moments, pieces_for(preset_of(seed)[1])[0])
    session, moments = session_of(seed, arguments, 8)
    return latency(moments, session, pieces_for(preset_of(seed)[1])[0])


if __name__ == "__main__":
    raise SystemExit(main())
