"""How well a set's pieces are measured: virtual layouts of unseen seeds, sets of other sizes, held against their truth.

    python -m bench.pieces --scenes 12 --seed 5000
    python -m bench.pieces --scenes 6 --seed 5000 --camera D435 --distance 680
    python -m bench.pieces --scenes 6 --seed 5000 --city

Prints for each size: how many of all were measured and how many of those are good enough to be used; error (rms, most)
beside the stated sigma (mean); the rms of error over sigma (1: the sigma is true) and its largest; and how often the
truth lies within one and two sigmas.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter, defaultdict
from dataclasses import replace

import numpy as np

from calibration.calibrate import calibrate_table
from rules.pieces import Box, Disc, Pieces, Stick
from th_vision.detect.plan import plan_view
from th_vision.enroll.arrange import arrange
from th_vision.enroll.enrolled import judge
from th_vision.enroll.find import find_things
from th_vision.enroll.layout_plan import LayoutPlan
from th_vision.enroll.sizes import measure
from th_vision.errors import VisionError
from th_vision.still_view import fuse
from th_vision.virtual_table.city import BOXES
from th_vision.virtual_table.examples import calibration_frames, camera_over_table, table_for
from th_vision.virtual_table.laid_out import laid_out_scene
from th_vision.virtual_table.sensor import Sensor, shoot

SURFACES = ("wood", "white", "dark_cloth", "mat", "glossy")
PLAYERS = (
    {"blue": "#5b8fd6", "pink": "#e58fb0"},
    {"red": "#c0392b", "green": "#3f9b57"},
    {"orange": "#e0913f", "violet": "#7a5fb0"},
)
CITY = ("development_area", "building", "green_area")


def draw_set(rng: np.random.Generator, city: bool) -> Pieces:
    """A set of a size and look of its own."""
    return Pieces(
        stick=Stick(
            length=rng.uniform(105, 150),
            width=rng.uniform(8.5, 12.5),
            thickness=rng.uniform(1.6, 2.6),
            ends="round" if rng.random() < 0.5 else "square",
        ),
        disc=Disc(diameter=rng.uniform(17, 25), height=rng.uniform(7.5, 11.5)),
        players=PLAYERS[int(rng.integers(len(PLAYERS)))],
        cars={
            "sedan": Box(length=rng.uniform(15, 19), width=rng.uniform(7.5, 9), height=rng.uniform(6.5, 8)),
            "highway_bus": Box(length=rng.uniform(26, 34), width=rng.uniform(8, 10), height=rng.uniform(9, 12)),
        },
        city={kind: BOXES[kind] for kind in CITY} if city else {},
    )


def true_size(pieces: Pieces, key: str) -> float:
    """The true value of a dotted key."""
    part, *names = key.split(".")
    thing = getattr(pieces, part)
    for name in names:
        thing = thing[name] if isinstance(thing, dict) else getattr(thing, name)
    return float(thing)


def main() -> None:
    """Print the table."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--scenes", type=int, default=10)
    options.add_argument("--seed", type=int, default=5000)
    options.add_argument("--camera", default="D415")
    options.add_argument("--distance", type=float, default=580.0)
    options.add_argument("--frames", type=int, default=8)
    options.add_argument("--city", action="store_true")
    chosen = options.parse_args()
    errors: dict[str, list[tuple[float, float]]] = defaultdict(list)
    asked: Counter[str] = Counter()
    used: Counter[str] = Counter()
    ends: Counter[str] = Counter()
    doubts: list[str] = []
    seconds = []
    for k in range(chosen.scenes):
        seed = chosen.seed + k
        rng = np.random.default_rng(seed)
        pieces = draw_set(rng, chosen.city)
        surface = SURFACES[k % len(SURFACES)]
        camera = camera_over_table(rng, chosen.camera, chosen.distance)
        layout = LayoutPlan(tuple(pieces.players), tuple(pieces.cars), tuple(pieces.city))
        turn = float(rng.choice([0.0, 180.0, rng.uniform(-25, 25)]))
        scene = laid_out_scene(
            rng, pieces, layout.players, layout.cars, layout.city, turn_deg=turn, below=bool(rng.integers(2))
        )
        scene = replace(scene, table=table_for(rng, surface))
        sensor = Sensor(camera, rng)
        before = calibration_frames(scene, camera, sensor, rng)
        frames = shoot(scene, camera, sensor, rng, chosen.frames, number=len(before), time_s=60.0)
        table, _ = calibrate_table(camera.camera, ((frame.depth, frame.color) for frame in before))
        began = time.perf_counter()
        plan = plan_view(fuse(frames, table))
        try:
            laid = arrange(plan, find_things(plan), layout)
        except VisionError as error:
            doubts.append(f"{seed} {surface}: refused: {error}")
            continue
        sizes = measure(plan, laid, Pieces().disc.height)
        enrolled = judge(plan, laid, sizes, layout, Pieces(), "the usual value")
        seconds.append(time.perf_counter() - began)
        doubts += [f"{seed} {surface}: {doubt}" for doubt in enrolled.doubts]
        ends["none" if sizes.ends is None else "right" if sizes.ends == pieces.stick.ends else "WRONG"] += 1
        boxes = [f"cars.{kind}" for kind in layout.cars] + [f"city.{kind}" for kind in layout.city]
        asked.update(["stick.length", "stick.width", "stick.thickness", "disc.diameter", "disc.height"])
        asked.update(f"{box}.{side}" for box in boxes for side in ("length", "width", "height"))
        used.update(entry.key for entry in enrolled.entries if entry.measured)
        for key, size in sizes.sizes.items():
            errors[key].append((size.mm - true_size(pieces, key), size.sigma_mm))
    print(f"{chosen.camera} at {chosen.distance:g} mm, {chosen.scenes} layouts from seed {chosen.seed}\n")
    print("| | measured | good enough | rms mm | largest | sigma | rms of ratio | largest | in 1 sigma | in 2 sigma |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for key, count in asked.items():
        if not errors[key]:
            print(f"| {key} | 0 of {count} | 0 | | | | | | | |")
            continue
        error, sigma = np.array(errors[key]).T
        ratio = np.abs(error / sigma)
        print(
            f"| {key} | {len(error)} of {count} | {used[key]} | {np.sqrt(np.mean(error**2)):.2f} | "
            f"{np.abs(error).max():.2f} | {sigma.mean():.2f} | {np.sqrt(np.mean(ratio**2)):.2f} | {ratio.max():.1f} | "
            f"{np.mean(ratio <= 1):.0%} | {np.mean(ratio <= 2):.0%} |"
        )
    print(f"\nends of the stick: {dict(ends)}; {np.mean(seconds):.1f} s a layout" if seconds else "")
    for doubt in doubts:
        print(doubt)


if __name__ == "__main__":
    main()
