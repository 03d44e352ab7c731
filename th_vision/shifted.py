"""All pieces elsewhere by one shift and turn: nobody knocked them all, the table (or the camera) was moved."""

from __future__ import annotations

import numpy as np

from th_vision import tolerances as tol
from th_vision.change import Change


def moved_together(change: Change) -> float | None:
    """How far (mm, the column that went furthest) all columns went together in plan view; None where they didn't.

    The shift and turn that fit best (Kabsch's method in the plane) must explain most of the columns.
    """
    now = {column.id: (column.x, column.y) for column in change.seen.columns}
    pairs = [((c.x, c.y), now[c.id]) for c in change.before.columns if c.id in now]
    if len(pairs) < tol.TOGETHER_COLUMNS:
        return None
    before, after = (np.array(side, dtype=np.float64) for side in zip(*pairs, strict=True))
    apart = np.hypot(*(after - before).T)
    if np.mean(apart > tol.MOVED_MM) < tol.TOGETHER_SHARE:
        return None
    a, b = before - before.mean(axis=0), after - after.mean(axis=0)
    angle = np.arctan2((a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]).sum(), (a * b).sum())
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    left = np.hypot(*(b - a @ turn.T).T)
    return float(apart.max()) if np.mean(left < tol.TOGETHER_LEFT_MM) >= tol.TOGETHER_SHARE else None
