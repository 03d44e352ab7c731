"""Accuracy of seeing: virtual still scenes of unseen seeds, reconstructed from nothing and held against their truth.

    python -m bench.accuracy --scenes 20 --seed 5000 --camera D415 --distance 580
    python -m bench.accuracy --dense --scenes 12 --seed 5000 --worst worst/ --camera D435 --distance 680
    python -m bench.accuracy --conditions --scenes 4
    python -m bench.accuracy --cars --scenes 20 --seed 5000    # cars of all ten types
    python -m bench.accuracy --city --scenes 12 --seed 5000    # games with the whole city, after 0 to 12 turns

Prints, for all scenes together: pieces found and ghosts, levels and junctions, errors beside what the sensor allows at
best (``bench.bounds``), how often the true value lies within one and two stated sigmas, sides at crossings, cars; time.
``--dense``: up to 36 roads and 60 columns over all the camera sees. ``--worst``: the ten worst scenes as pictures.
``--conditions`` shows each of several conditions that are harder than the usual one: what is found may become less
there, what is stated as certain and wrong may not become more.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.bounds import bounds
from bench.city_and_cars import add_cars, add_city
from bench.city_and_cars import lines as lines_of_cars_and_city
from bench.worst import Worst
from calibration.calibrate import calibrate_table
from rules.layout import Layout
from rules.pieces import Pieces
from th_vision.reconstruct import reconstruct
from th_vision.still_view import fuse
from th_vision.virtual_table.alongside import across, along, column_pairs, crossings, height_on, road_pairs
from th_vision.virtual_table.car_set import CARS
from th_vision.virtual_table.examples import city_example, static_example
from th_vision.virtual_table.scene import Light

DENSE = {"D415": (640.0, 360.0), "D435": (900.0, 500.0)}
"""Field, mm, that a camera sees from where it should hang."""
CITY_TURNS = (0, 4, 8, 12)
SURFACES = ("wood", "white", "dark_cloth", "mat")
SURE_SIGMAS = 2.0
"""A side counts as stated for certain where the gap is more than so many of its sigmas."""
ONE_LAMP = Light(direction=(0.9, 0.35, 0.6), softness_deg=2.0, ambient=0.3)
CONDITIONS: dict[str, dict[str, Any]] = {
    "usual": {},
    "848x480": {"size": (848, 480)},
    "0.9 m": {"distance_mm": 900.0},
    "8 degrees of tilt": {"tilt_deg": 8.0},
    "patterned mat": {"surface": "mat"},
    "glossy": {"surface": "glossy"},
    "one lamp": {"light": ONE_LAMP},
    "stereo model": {"model": "stereo"},
}


class Totals:
    """Counts and errors of all scenes."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.errors: dict[str, list[float]] = {}
        self.normed: dict[str, list[float]] = {}

    def measured(self, name: str, errors: Iterable[float], sigma: float) -> None:
        """Errors of one quantity with the sigma that was stated."""
        values = list(errors)
        self.errors.setdefault(name, []).extend(values)
        self.normed.setdefault(name, []).extend(value / max(sigma, 1e-9) for value in values)

    def add(self, seen: Layout, truth: Layout) -> list[str]:
        """Lay a layout beside the truth; returns what was wrong with it, in words."""
        wrong = self._columns(seen, truth) + self._roads(seen, truth) + self._crossings(seen, truth)
        wrong += add_cars(self.counts, self.measured, seen, truth)
        return wrong + (add_city(self.counts, self.measured, seen, truth) if truth.city else [])

    def _columns(self, seen: Layout, truth: Layout) -> list[str]:
        pairs = column_pairs(seen, truth)
        hit = {true.id for _, true in pairs}
        wrong = [f"column {c.id} missed" for c in truth.columns if c.id not in hit]
        self.counts.update({"columns": len(truth.columns), "columns found": len(hit)})
        self.counts["column ghosts"] += len(seen.columns) - len(hit)
        for column, true in pairs:
            self.counts["levels right"] += column.levels == true.levels
            self.counts["levels wrong, sure"] += column.levels != true.levels and column.levels_probability > 0.95
            self.counts["junctions right"] += column.junction == true.junction
            sure = column.junction_probability > 0.95
            self.counts["junctions wrong, sure"] += column.junction != true.junction and sure
            self.measured("column x, y", (column.x - true.x, column.y - true.y), column.sigma_xy)
            if column.levels != true.levels:
                wrong.append(f"column {true.id} level {column.levels} for {true.levels}")
        return wrong

    def _roads(self, seen: Layout, truth: Layout) -> list[str]:
        pairs = road_pairs(seen, truth)
        hit = {true.id for _, true in pairs}
        self.counts.update({"roads": len(truth.roads), "roads found": len(hit)})
        self.counts["road ghosts"] += len(seen.roads) - len(hit)
        for road, true in pairs:
            self.measured("road across", across(road, true), road.sigma_xy)
            self.measured("road along", along(road, true), road.sigma_along or road.sigma_xy)
            heights = (tip[2] - old[2] for tip, old in zip(road.ends, true.ends, strict=True))
            self.measured("road height", heights, road.sigma_z)
        return [f"road {r.id} missed" for r in truth.roads if r.id not in hit]

    def _crossings(self, seen: Layout, truth: Layout) -> list[str]:
        true_of = {road.id: true for road, true in road_pairs(seen, truth)}
        wrong = []
        for first, second, x, y in crossings(seen):
            if first.id not in true_of or second.id not in true_of:
                continue
            gap = height_on(first, x, y) - height_on(second, x, y)
            true_gap = height_on(true_of[first.id], x, y) - height_on(true_of[second.id], x, y)
            self.counts["crossings"] += 1
            self.counts["sides right"] += (gap > 0) == (true_gap > 0)
            sure = abs(gap) > SURE_SIGMAS * float(np.hypot(first.sigma_z, second.sigma_z))
            self.counts["sides wrong, sure"] += (gap > 0) != (true_gap > 0) and sure
            if (gap > 0) != (true_gap > 0):
                wrong.append(f"side at {true_of[first.id].id} and {true_of[second.id].id}")
            self.measured("gap", (gap - true_gap,), float(np.hypot(first.sigma_z, second.sigma_z)))
        return wrong

    def table(self, best: Mapping[str, float]) -> str:
        """All of it as lines; ``best``: the least sigma that the sensor allows, by name."""
        c = self.counts
        lines = [
            f"columns {c['columns found']}/{c['columns']}, ghosts {c['column ghosts']}; levels right "
            f"{c['levels right']} (wrong and sure: {c['levels wrong, sure']}); junctions right {c['junctions right']} "
            f"(wrong and sure: {c['junctions wrong, sure']})",
            f"roads {c['roads found']}/{c['roads']}, ghosts {c['road ghosts']}; sides at crossings "
            f"{c['sides right']}/{c['crossings']} (wrong and sure: {c['sides wrong, sure']})",
            *lines_of_cars_and_city(c),
            f"{'':14}{'rms mm':>8}{'bound':>7}{'95 % mm':>9}{'in 1 sigma':>12}{'in 2 sigma':>12}",
        ]
        for name, values in self.errors.items():
            size = np.abs(np.array(values))
            normed = np.abs(np.array(self.normed[name]))
            lines.append(
                f"{name:14}{np.sqrt(np.mean(size**2)):8.2f}{_number(best.get(name)):>7}{np.percentile(size, 95):9.2f}"
                f"{_share(normed < 1):>12}{_share(normed < 2):>12}"
            )
        return "\n".join(lines)

    def row(self, name: str) -> str:
        """The most telling of it on one line."""
        c = self.counts
        errors = []
        for kind in ("column x, y", "road across", "road along", "road height"):
            values = self.errors.get(kind, [float("nan")])
            within = np.abs(np.array(self.normed.get(kind, [np.inf]))) < 2
            errors.append(f"{np.sqrt(np.mean(np.square(values))):5.2f} ({_share(within)})")
        sure = c["levels wrong, sure"] + c["junctions wrong, sure"] + c["sides wrong, sure"]
        return (
            f"{name:18}{c['columns found']:4}/{c['columns']:<4}{c['roads found']:4}/{c['roads']:<4}"
            f"{c['column ghosts'] + c['road ghosts']:5}{c['columns found'] - c['levels right']:7}"
            f"{c['crossings'] - c['sides right']:6}/{c['crossings']:<4}{sure:5}   {'  '.join(errors)}"
        )


ROW_HEAD = (
    f"{'':18}{'columns':>9}{'roads':>9}{'ghost':>5}{'levels':>7}{'sides':>11}{'sure':>5}   "
    "rms mm (in 2 sigma): column, across, along, height"
)


def measure(
    totals: Totals, seeds: range, surfaces: tuple[str, ...], arguments: argparse.Namespace, **more: Any
) -> tuple[list[float], dict[str, float], Worst]:
    """Reconstruct one scene a seed into ``totals``; returns the processor time of each, s, the bounds of what the
    sensor allows, and the worst scenes."""
    spent = []
    worst, best = Worst(), dict[str, float]()
    asked: dict[str, Any] = {"camera": arguments.camera, "distance_mm": arguments.distance}
    asked |= {"roads": arguments.roads, "columns": arguments.columns, "frames": arguments.frames}
    for k, seed in enumerate(seeds):
        options = {"surface": surfaces[k % len(surfaces)], **asked, **more}
        if arguments.city:
            whole = {name: options[name] for name in ("camera", "distance_mm", "surface", "frames", "model")}
            example = city_example(seed, turns=CITY_TURNS[k % len(CITY_TURNS)], expansions=k % 3 == 2, **whole)
        else:
            example = static_example(seed, **options)
        shots = ((frame.depth, frame.color) for frame in example.calibration_frames)
        table, _ = calibrate_table(example.camera.camera, shots)
        view = fuse(example.frames, table)
        if arguments.no_color:
            view = replace(view, color_bgr=None)
        start = time.process_time()
        layout = reconstruct(view, example.pieces)
        spent.append(time.process_time() - start)
        wrong = totals.add(layout, example.truth)
        best = bounds(example.camera.camera, arguments.distance, example.pieces, arguments.frames)
        if view.color_bgr is not None:
            name = f"seed {seed} on {options['surface']}"
            worst.add(name, view, layout, example.truth, example.pieces, wrong)
        print(f"seed {seed} on {options['surface']}: {'; '.join(wrong) or 'all there'}", flush=True)
    return spent, best, worst


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--scenes", type=int, default=8)
    parser.add_argument("--seed", type=int, default=5000)
    parser.add_argument("--camera", default="D415")
    parser.add_argument("--distance", type=float, default=580.0)
    parser.add_argument("--frames", type=int, default=8)
    parser.add_argument("--roads", type=int, default=5)
    parser.add_argument("--columns", type=int, default=6)
    parser.add_argument("--model", default="fast", help="the sensor's: fast or stereo")
    parser.add_argument("--field", default="430x290", help="part of the table that is used, mm")
    parser.add_argument("--cars", action="store_true", help="cars of all ten types")
    parser.add_argument("--city", action="store_true", help="games with the whole city; hang the camera at 640 or more")
    parser.add_argument("--no-color", action="store_true", help="depth alone")
    parser.add_argument("--dense", action="store_true", help="up to 36 roads and 60 columns")
    parser.add_argument("--worst", type=Path, help="folder for pictures of the ten worst scenes")
    parser.add_argument("--conditions", action="store_true", help="one line for each of several conditions")
    arguments = parser.parse_args()
    seeds = range(arguments.seed, arguments.seed + arguments.scenes)
    length, width = map(float, arguments.field.split("x"))
    usual: dict[str, Any] = {"model": arguments.model, "field_mm": (length, width)}
    if arguments.dense:
        arguments.roads, arguments.columns = 36, 60
        usual["field_mm"] = DENSE["D435" if "435" in arguments.camera else "D415"]
    if arguments.cars:
        usual["pieces"] = Pieces(cars=CARS)
    print(f"{arguments.camera} at {arguments.distance:g} mm, {arguments.scenes} scenes, {arguments.frames} frames each")
    if arguments.conditions:
        rows = []
        for name, condition in CONDITIONS.items():
            totals = Totals()
            measure(totals, seeds, ("wood", "white"), arguments, **usual | condition)
            rows.append(totals.row(name))
        print("\n".join([ROW_HEAD, *rows]))
        return
    totals = Totals()
    spent, best, worst = measure(totals, seeds, SURFACES, arguments, **usual)
    print(totals.table(best))
    if arguments.worst is not None:
        print("\n".join(worst.save(arguments.worst)))
    print(f"reconstruct: {1000 * float(np.median(spent)):.0f} ms of processor time a view (median, from nothing)")


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def _share(true: NDArray[np.bool_]) -> str:
    return f"{100 * float(np.mean(true)):.0f} %"


if __name__ == "__main__":
    main()
