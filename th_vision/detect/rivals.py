"""Columns whose rim is seen at more than one place: depth says which it is, and what it leaves open is in the sigma.

The outline of a stack's lower discs looks like the rim of its top a little further from where the camera stands. Under
sticks less may be seen of the rim than of that.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from th_vision import tolerances
from th_vision.detect.assembly import Assembly
from th_vision.detect.columns import ColumnCandidate, rim_rivals
from th_vision.detect.depth_model import DepthModel, Post
from th_vision.detect.depth_search import Group, Guess
from th_vision.detect.explained import guess_of_assembly


def among_rivals(model: DepthModel, assembly: Assembly, known: int) -> Assembly:
    """The assembly with each new column (from ``known`` on) at the place that colour and depth together speak for."""
    plan, pieces = model.plan, model.pieces
    if plan.color is None:
        return assembly
    guess: Guess | None = None
    columns = list(assembly.columns)
    for k in range(known, len(columns)):
        column = columns[k]
        if np.isnan(column.rim):
            continue
        rims = rim_rivals(plan, pieces, column.x, column.y, column.levels, tolerances.RIVAL_REACH_MM)
        options = [column]
        for rim in rims:
            if all(np.hypot(rim.x - c.x, rim.y - c.y) >= tolerances.RIVAL_LEAST_MM for c in options):
                placed = replace(column, x=rim.x, y=rim.y, rim=rim.share, sigma_xy=rim.sigma_mm, foot=rim.foot)
                options.append(placed)
        if len(options) > 1:
            guess = guess or guess_of_assembly(model, assembly)
            columns[k] = _likeliest(guess, k, options)
            guess.put(Group({k: Post(columns[k].x, columns[k].y, columns[k].levels)}))
    return Assembly(columns, assembly.roads)


def _likeliest(guess: Guess, k: int, options: list[ColumnCandidate]) -> ColumnCandidate:
    """The column where most speaks for it; its sigma holds the other places by how probable they are."""
    posts = [Group({k: Post(c.x, c.y, c.levels)}) for c in options]
    box = guess.box(posts[0], tolerances.RIVAL_REACH_MM)
    base = guess.others(box, [k])
    misfits = np.array([guess.misfit(box, base, post) for post in posts])
    seen = np.array([c.rim + tolerances.FOOT_WEIGHT * c.foot for c in options])
    says = tolerances.RIM_EVIDENCE * seen - misfits / 2 * tolerances.DEPTH_EVIDENCE
    weights = np.exp(says - says.max())
    weights /= weights.sum()
    best = options[int(np.argmax(says))]
    square = sum(w * ((c.x - best.x) ** 2 + (c.y - best.y) ** 2) for w, c in zip(weights, options, strict=True))
    return replace(best, sigma_xy=float(np.hypot(best.sigma_xy, np.sqrt(square / 2))))
