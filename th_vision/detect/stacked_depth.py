"""What depth says of roads that lie on each other in one order or another: how well it fits to their heights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rules.pieces import Pieces
from th_vision import tolerances
from th_vision.detect.assembly import Assembly
from th_vision.detect.cars import without_cars
from th_vision.detect.colors import palette
from th_vision.detect.depth_model import DepthModel, Post
from th_vision.detect.depth_search import TABLE, Group, Guess, Lay
from th_vision.detect.measure import stick_color
from th_vision.detect.plan import PlanView
from th_vision.detect.resting import Lying
from th_vision.support import on_ray

Array = NDArray[np.float64]


class StackedDepth:
    """Depth's view of all columns and roads of an assembly; roads lie where they are put."""

    def __init__(self, plan: PlanView, pieces: Pieces, assembly: Assembly) -> None:
        self._plan, self._pieces, self._assembly = plan, pieces, assembly
        self._lays: dict[int, Lay] = {}

    @cached_property
    def _guess(self) -> Guess:
        plan, pieces = self._plan, self._pieces
        width = plan.table.camera.kernel_scale * plan.softness
        model = DepthModel(plan, pieces, step=max(1, round(tolerances.STACK_CELL_PX * width)))
        roads = [found.road for found in self._assembly.roads]
        guess = Guess(without_cars(model, palette(pieces, stick_color(plan, pieces, roads))))
        guess.put(Group({k: Post(c.x, c.y, c.levels) for k, c in enumerate(self._assembly.columns)}, self._lays))
        return guess

    def put(self, lying: Mapping[int, Lying]) -> None:
        """Roads (by their places) lie like this from now on."""
        lays = {self._key(k): self._lay(k, at) for k, at in lying.items()}
        self._lays |= lays
        if "_guess" in self.__dict__:
            self._guess.put(Group({}, lays))

    def misfits(self, roads: Sequence[int], options: Sequence[Sequence[Lying]]) -> Array:
        """(n,) misfit to depth (chi-square of independent samples) with some roads lying as each option says."""
        if not roads or len(options) < 2:
            return np.zeros(len(options))
        guess = self._guess
        groups = [
            Group({}, {self._key(k): self._lay(k, at) for k, at in zip(roads, lying, strict=True)}) for lying in options
        ]
        box = guess.box(groups[0], tolerances.STACK_REACH_MM)
        base = guess.others(box, groups[0].names())
        return np.array([guess.misfit(box, base, group) for group in groups])

    def _key(self, k: int) -> int:
        return len(self._assembly.columns) + k

    def _lay(self, k: int, at: Lying) -> Lay:
        """A road at these heights, where colour saw it."""
        road = self._assembly.roads[k].road
        eye = self._plan.eye
        a, b = (np.array(on_ray(eye, tip, z)) for tip, z in ((road.a, at.za), (road.b, at.zb)))
        middle, way = (a + b) / 2, b - a
        thickness = self._pieces.stick.thickness
        lift = (at.za - thickness, at.zb - thickness)
        return Lay(float(middle[0]), float(middle[1]), float(np.arctan2(way[1], way[0])), (TABLE, TABLE), lift)
