"""How much memory it takes to referee a full table: calibrated from a file, views of 36 roads read one after the other.

    python -m bench.memory --seed 5240

Frames of a table before a move and after it are drawn and put on disk; then a process of its own loads the calibration,
takes the frames one by one as from a camera, watches, reads and follows. Printed is the most that this process ever
held (the kernel's figure, libraries and all), after each step.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from calibration.calibrate import calibrate_table
from calibration.table_file import load_table, save_table
from rules.layout import Layout
from rules.pieces import Pieces
from th_vision.frame import Frame
from th_vision.still_view import StillView

STILL_FRAMES, FPS = 18, 2.0
"""A table that is full at once is taken for a hand, until it has not moved for some seconds."""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seed", type=int, default=5240)
    parser.add_argument("--camera", default="D415")
    parser.add_argument("--distance", type=float, default=580.0)
    parser.add_argument("--field", default="640x360", help="part of the table that is used, mm")
    parser.add_argument("--roads", type=int, default=36)
    parser.add_argument("--read", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.read is not None:
        read(arguments.read)
        return
    with tempfile.TemporaryDirectory() as folder:
        draw(Path(folder), arguments)
        subprocess.run([sys.executable, "-m", "bench.memory", "--read", folder], check=True)


def draw(folder: Path, arguments: argparse.Namespace) -> None:
    """The calibration and the frames, on disk."""
    from th_vision.virtual_table.alongside import before_last
    from th_vision.virtual_table.examples import static_example
    from th_vision.virtual_table.sensor_model import shoot

    length, width = map(float, arguments.field.split("x"))
    example = static_example(
        arguments.seed,
        arguments.camera,
        arguments.distance,
        frames=1,
        roads=arguments.roads,
        columns=round(1.2 * arguments.roads),
        field_mm=(length, width),
    )
    table, _ = calibrate_table(example.camera.camera, ((f.depth, f.color) for f in example.calibration_frames))
    save_table(table, folder / "table.toml")
    rng = np.random.default_rng(arguments.seed)
    number = 0
    for scene in (before_last(example.scene), example.scene):
        shots = shoot(
            scene, example.camera, example.sensor, rng, STILL_FRAMES, number=number, time_s=number / FPS, fps=FPS
        )
        for frame in shots:
            assert frame.color is not None
            np.savez(folder / f"frame-{number:04}.npz", time_s=frame.time_s, depth=frame.depth, color=frame.color)
            number += 1


def frames_of(folder: Path) -> Iterator[Frame]:
    """The frames, one by one."""
    for number, path in enumerate(sorted(folder.glob("frame-*.npz"))):
        with np.load(path) as data:
            yield Frame(number, float(data["time_s"]), data["depth"], data["color"])


def read(folder: Path) -> None:
    """Referee them."""
    from th_vision.follow import Follower
    from th_vision.referee.loop import Referee
    from th_vision.referee.outputs import Outputs
    from th_vision.referee.reading import new_eye
    from th_vision.replay import game_of

    tell("libraries loaded")
    table, pieces = load_table(folder / "table.toml"), Pieces()
    tell("calibration loaded")
    eye = new_eye()

    def look(view: StillView, pieces: Pieces, prior: Layout | None) -> Layout:
        layout = eye(view, pieces, prior if prior is not None else latest)
        latest_of.append(layout)
        return layout

    game = game_of("rainbow-city", list(pieces.players)[:2], None, pieces)
    referee = Referee(Follower(game, pieces), table, pieces, Outputs(quiet=True), None, look)
    latest_of: list[Layout] = []
    latest: Layout | None = None
    for frame in frames_of(folder):
        referee.see(frame)
        if latest_of and latest_of[-1] is not latest:
            latest = latest_of[-1]
            tell(f"{len(latest.roads)} roads, {len(latest.columns)} columns read")
    referee.finish()
    tell("at the end")


def tell(step: str) -> None:
    """One line: the most memory that this process ever held."""
    # not getrusage: that one counts what the program held that this one was started by
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
    most_mb = int(line.split()[1]) / 1024
    sys.stdout.write(f"{most_mb:7.0f} MB  {step}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
