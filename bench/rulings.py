"""Virtual games of unseen seeds through the whole chain, and every ruling held against the truth.

    python bench/rulings.py --seeds 1000:1010 --turns 20 --camera D415 --distance 610
    python bench/rulings.py --truth --seeds 0:50      # no frames: true layouts with noise of stated sigmas

Frames are rendered, passed through the sensor model, fused, reconstructed, followed and ruled on, as by ``replay``.
Prints, for each kind of statement, how many were right, in doubt, wrong in doubt, and wrong though stated as certain.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from calibration.board import Board
from calibration.calibrate import calibrate_table
from rules.events import LINE_TYPES, GameFact
from rules.layout import Layout
from rules.pieces import Pieces
from th_vision.follow import Follower
from th_vision.follow_events import Ended, Output, Settled, Told
from th_vision.referee.reading import new_eye
from th_vision.replay import Outputs, Referee
from th_vision.still_view import StillView
from th_vision.virtual_table.misread import Misreading, misread
from th_vision.virtual_table.player import random_game
from th_vision.virtual_table.scripts import scripted_game
from th_vision.virtual_table.session import Session, Setup
from th_vision.virtual_table.simulate import moments_for, pieces_for
from th_vision.virtual_table.verdicts import Tally, compare, same_pieces, true_lines


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", default="1000:1004", help="first:last+1")
    parser.add_argument("--turns", type=int, default=20)
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--preset", default="rainbow-city")
    parser.add_argument("--camera", default="D415")
    parser.add_argument("--distance", type=float, default=610.0)
    parser.add_argument("--size", default="1280x720")
    parser.add_argument("--frames", type=int, default=6, help="still frames of each moment")
    parser.add_argument("--no-hands", action="store_true", help="no frame with a hand between the moments")
    parser.add_argument("--scenario", default="game")
    parser.add_argument("--truth", action="store_true", help="true layouts with noise instead of frames")
    parser.add_argument("--noise", default="0.4,0.9,0.5,0,0,0", help="with --truth: sigma across, along, z; chances")
    parser.add_argument("--keep", type=Path, help="folder for the readings of every moment, to look into later")
    parser.add_argument("--quiet", action="store_true", help="the table alone")
    arguments = parser.parse_args()
    first, last = map(int, arguments.seeds.split(":"))
    total, start = Tally(), time.perf_counter()
    for seed in range(first, last):
        begun = time.perf_counter()
        tally = by_truth(seed, arguments) if arguments.truth else by_frames(seed, arguments)
        total.add(tally)
        if not arguments.quiet:
            wrong = f"{len(tally.differing)} differ, {len(tally.certain)} certain"
            say(f"seed {seed}: {tally.turns} turns, {wrong}; {time.perf_counter() - begun:.0f} s")
            for line in (*tally.differing, *(f"mended: {line}" for line in tally.mended)):
                say(f"  {line}")
    say(total.table())
    say(f"{time.perf_counter() - start:.0f} s")
    return 1 if total.certain else 0


def by_frames(seed: int, arguments: argparse.Namespace) -> Tally:
    """One game as frames, through everything."""
    width, height = map(int, arguments.size.split("x"))
    setup = Setup(
        seed=seed,
        camera=arguments.camera,
        distance_mm=arguments.distance,
        size=(width, height),
        frames=arguments.frames,
        hand_frames=not arguments.no_hands,
    )
    session = Session(setup)
    shots = [shot.frame for shot in session.calibration()]
    table, _ = calibrate_table(session.camera.camera, [(f.depth, f.color) for f in shots], Board())
    pieces, players = pieces_for(arguments.players)
    moments = list(
        moments_for(
            session, pieces, players, scenario=arguments.scenario, preset=arguments.preset, turns=arguments.turns
        )
    )
    layouts = [moment.scene.layout() for moment in moments]
    facts = [fact for moment in moments for fact in moment.facts]
    told: list[Told] = []
    follower = Follower(game_line(facts[0]), pieces)
    readings: list[Layout] = []
    look = new_eye()

    def read(view: StillView, pieces: Pieces, prior: Layout | None) -> Layout:
        readings.append(look(view, pieces, prior))
        return readings[-1]

    outputs = Outputs(watch=lambda output: told.append(output) if isinstance(output, Told) else None)
    referee = Referee(follower, table, pieces, outputs, None, read)
    names: dict[str, str] = {}
    settled: Layout | None = None
    for shot in session.play(moments):
        referee.see(shot.frame)
        if settled is not None:
            names |= same_pieces(follower.known.layout, settled)
        if shot.kind == "still":
            settled = layouts[shot.moment]
    referee.finish()
    names |= same_pieces(follower.known.layout, layouts[-1])
    if arguments.keep is not None:
        arguments.keep.mkdir(parents=True, exist_ok=True)
        kept = {"read": readings, "true": layouts}
        data = {name: [json.loads(layout.to_json()) for layout in group] for name, group in kept.items()}
        (arguments.keep / f"seed-{seed}.json").write_text(json.dumps(data | {"facts": facts, "names": names}))
    return compare(true_lines(facts), told, names, f"seed {seed}")


def by_truth(seed: int, arguments: argparse.Namespace) -> Tally:
    """One game as true layouts, each read with noise of a stated sigma."""
    pieces, players = pieces_for(arguments.players)
    how = Misreading(*map(float, arguments.noise.split(",")))
    rng = np.random.default_rng([seed, 1])
    play = np.random.default_rng(seed)
    if arguments.scenario == "game":
        moments = list(random_game(play, pieces, players, arguments.preset, arguments.turns))
    else:
        moments = list(scripted_game(arguments.scenario, play, pieces, players))
    facts = [fact for moment in moments for fact in moment.facts]
    follower = Follower(game_line(facts[0]), pieces)
    told: list[Told] = []
    names: dict[str, str] = {}
    for i, moment in enumerate(moments):
        truth = moment.scene.layout()
        told += only_told(follower.handle(Settled(misread(truth, rng, how, pieces)), float(i)))
        names |= same_pieces(follower.known.layout, truth)
    told += only_told(follower.handle(Ended(), float(len(moments))))
    return compare(true_lines(facts), told, names, f"seed {seed}")


def say(text: str) -> None:
    """One line, at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def game_line(fact: dict[str, object]) -> GameFact:
    """The game's first line as a model."""
    line = LINE_TYPES["game"].model_validate(fact)
    assert isinstance(line, GameFact)
    return line


def only_told(outputs: Iterable[Output]) -> Iterator[Told]:
    """The facts among the outputs, without states and warnings."""
    yield from (output for output in outputs if isinstance(output, Told))


if __name__ == "__main__":
    raise SystemExit(main())
