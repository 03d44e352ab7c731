"""Accuracy of seeing: virtual still scenes of unseen seeds, reconstructed from nothing and held against their truth.

    python -m bench.accuracy --scenes 20 --seed 5000 --camera D415 --distance 580

Prints, for all scenes together: pieces found and ghosts, levels and junctions, errors against the figures that part of
the scene allows, how often the true value lies within one and two stated sigmas, sides at crossings, cars; and time.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from calibration.calibrate import calibrate_table
from rules.layout import Layout
from th_vision.reconstruct import reconstruct
from th_vision.still_view import fuse
from th_vision.virtual_table.alongside import across, along, column_pairs, crossings, height_on, road_pairs
from th_vision.virtual_table.examples import static_example

SURFACES = ("wood", "white", "dark_cloth", "mat")


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
        owners = Counter(car.player for car in seen.cars) - Counter(car.player for car in truth.cars)
        missing = Counter(car.player for car in truth.cars) - Counter(car.player for car in seen.cars)
        self.counts.update({"cars": len(truth.cars), "cars right": len(truth.cars) - missing.total()})
        self.counts["car ghosts"] += owners.total()
        return wrong + [f"car of {player} missed" for player in missing]

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
            if (gap > 0) != (true_gap > 0):
                wrong.append(f"side at {true_of[first.id].id} and {true_of[second.id].id}")
            self.measured("gap", (gap - true_gap,), float(np.hypot(first.sigma_z, second.sigma_z)))
        return wrong

    def table(self) -> str:
        """All of it as lines."""
        c = self.counts
        lines = [
            f"columns {c['columns found']}/{c['columns']}, ghosts {c['column ghosts']}; levels right "
            f"{c['levels right']} (wrong and sure: {c['levels wrong, sure']}); junctions right {c['junctions right']} "
            f"(wrong and sure: {c['junctions wrong, sure']})",
            f"roads {c['roads found']}/{c['roads']}, ghosts {c['road ghosts']}; sides at crossings "
            f"{c['sides right']}/{c['crossings']}; cars {c['cars right']}/{c['cars']}, ghosts {c['car ghosts']}",
            f"{'':14}{'rms mm':>8}{'95 % mm':>9}{'in 1 sigma':>12}{'in 2 sigma':>12}",
        ]
        for name, values in self.errors.items():
            size = np.abs(np.array(values))
            normed = np.abs(np.array(self.normed[name]))
            lines.append(
                f"{name:14}{np.sqrt(np.mean(size**2)):8.2f}{np.percentile(size, 95):9.2f}"
                f"{_share(normed < 1):>12}{_share(normed < 2):>12}"
            )
        return "\n".join(lines)


def _share(true: NDArray[np.bool_]) -> str:
    return f"{100 * float(np.mean(true)):.0f} %"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--scenes", type=int, default=8)
    parser.add_argument("--seed", type=int, default=5000)
    parser.add_argument("--camera", default="D415")
    parser.add_argument("--distance", type=float, default=580.0)
    parser.add_argument("--frames", type=int, default=8)
    parser.add_argument("--roads", type=int, default=5)
    parser.add_argument("--columns", type=int, default=6)
    parser.add_argument("--no-color", action="store_true", help="depth alone")
    arguments = parser.parse_args()
    totals, spent = Totals(), []
    for k in range(arguments.scenes):
        seed = arguments.seed + k
        surface = SURFACES[k % len(SURFACES)]
        example = static_example(
            seed,
            arguments.camera,
            arguments.distance,
            surface,
            arguments.frames,
            roads=arguments.roads,
            columns=arguments.columns,
        )
        shots = ((frame.depth, frame.color) for frame in example.calibration_frames)
        table, _ = calibrate_table(example.camera.camera, shots)
        view = fuse(example.frames, table)
        if arguments.no_color:
            view = type(view)(**{**view.__dict__, "color_bgr": None})
        start = time.process_time()
        layout = reconstruct(view, example.pieces)
        spent.append(time.process_time() - start)
        wrong = totals.add(layout, example.truth)
        print(f"seed {seed} on {surface}: {'; '.join(wrong) or 'all there'}", flush=True)
    print(
        f"\n{arguments.camera} at {arguments.distance:g} mm, {arguments.scenes} scenes, {arguments.frames} frames each"
    )
    print(totals.table())
    print(f"reconstruct: {1000 * float(np.median(spent)):.0f} ms of processor time a view (median, from nothing)")


if __name__ == "__main__":
    main()
