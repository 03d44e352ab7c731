"""Columns that depth sees and the picture does not, at its border: they are placed by depth alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from th_vision import tolerances
from th_vision.detect.assembly import Assembly
from th_vision.detect.columns import ColumnCandidate
from th_vision.detect.depth_model import DepthModel, Post
from th_vision.detect.depth_search import Group, Guess
from th_vision.detect.explained import guess_of_assembly

Array = NDArray[np.float64]
_TURNS = np.linspace(0, 2 * np.pi, 12, endpoint=False)


def placed_by_depth(model: DepthModel, assembly: Assembly, known: int) -> Assembly:
    """The assembly with new columns (from ``known`` on) whose top the picture hardly shows where depth has them."""
    if model.plan.color is None:
        return assembly
    todo = [k for k in range(known, len(assembly.columns)) if not _shown(model, assembly.columns[k])]
    if not todo:
        return assembly
    guess = guess_of_assembly(model, assembly)
    columns = list(assembly.columns)
    for k in todo:
        columns[k] = _placed(guess, k, columns[k])
        guess.put(Group({k: Post(columns[k].x, columns[k].y, columns[k].levels)}))
    return Assembly(columns, assembly.roads)


def _shown(model: DepthModel, column: ColumnCandidate) -> bool:
    """Whether the picture shows most of a column's rim."""
    disc, color = model.pieces.disc, model.plan.color
    assert color is not None
    ring = disc.radius * np.stack([np.cos(_TURNS), np.sin(_TURNS)], axis=1) + [column.x, column.y]
    pixels = model.plan.color_pixels(np.column_stack([ring, np.full(len(ring), column.levels * disc.height)]))
    inside = (pixels >= 0).all(axis=1) & (pixels < [color.shape[1], color.shape[0]]).all(axis=1)
    return bool(inside.mean() >= tolerances.PICTURE_SHOWS)


def _placed(guess: Guess, k: int, column: ColumnCandidate) -> ColumnCandidate:
    """A column where it explains depth best with the roads as they lie, and how well that holds it."""
    post = guess.posts[k]
    box = guess.box(Group({k: post}), 2 * tolerances.OUTSIDE_STEPS_MM[0])
    base = guess.others(box, [k])
    at = np.array([post.x, post.y])

    def cost(place: Array) -> float:
        return guess.misfit(box, base, Group({k: replace(post, x=float(place[0]), y=float(place[1]))}))

    best = cost(at)
    for step in tolerances.OUTSIDE_STEPS_MM:
        for _ in range(tolerances.DEPTH_SWEEPS):
            tried = [(cost(at + move), at + move) for move in step * np.array([[1, 0], [-1, 0], [0, 1], [0, -1]])]
            lowest, place = min(tried, key=lambda one: one[0])
            if lowest >= best:
                break
            best, at = lowest, place
    step = tolerances.DEPTH_STIFFNESS_STEP_MM
    stiff = [
        max(
            (cost(at + step * way) + cost(at - step * way) - 2 * best) / (2 * step**2), tolerances.DEPTH_LEAST_STIFFNESS
        )
        for way in np.eye(2)
    ]
    sigma = tolerances.DEPTH_SIGMA_GAIN * float(np.sqrt(np.mean(1 / np.array(stiff))))
    sigma = float(np.hypot(sigma, tolerances.OUTSIDE_XY_MM))
    return replace(column, x=float(at[0]), y=float(at[1]), sigma_xy=sigma)
