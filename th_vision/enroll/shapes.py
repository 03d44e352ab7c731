"""Outlines of pieces in plan view, with what each of their sizes does to them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
STEP_MM = 1.0
"""From one point of an outline to the next."""
_OFF_CORNERS = 0.15
"""Share of a straight side next to a corner that is left out: corners are round, and blurred."""


@dataclass(frozen=True)
class Outline:
    """Points of an outline: ``points`` (n, 2) mm, ``normals`` (n, 2) outwards, and ``jacobian`` (n, p): how far each
    point moves along its normal for a change of each of the shape's p parameters. ``arc_mm``: (n,) place along it.
    """

    points: Array
    normals: Array
    jacobian: Array
    arc_mm: Array


def circle(parameters: Array) -> Outline:
    """Parameters: x, y, radius (mm)."""
    x, y, radius = (float(p) for p in parameters)
    count = max(24, round(2 * np.pi * radius / STEP_MM))
    angle = np.arange(count) * (2 * np.pi / count)
    normals = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return Outline(
        np.array([x, y]) + radius * normals,
        normals,
        np.c_[normals, np.ones(count)],
        np.asarray(angle * radius),
    )


Ends = Literal["round", "square"]


def bar(parameters: Array, ends: Ends) -> Outline:
    """Parameters: x, y, turn (radians), length, width (mm); ``ends`` as of a road-stick."""
    x, y, turn, length, width = (float(p) for p in parameters)
    along = np.array([np.cos(turn), np.sin(turn)])
    left = np.array([-along[1], along[0]])
    flat = length - width if ends == "round" else length
    cut = max(flat, 1.0) * (_OFF_CORNERS if ends == "square" and length < 5 * width else 0.03)
    s = np.arange(-flat / 2 + cut, flat / 2 - cut + 1e-9, STEP_MM)
    parts = []  # (points, normals in (along, left), d/dlength, d/dwidth)
    for side in (1.0, -1.0):
        n = np.tile([0.0, side], (len(s), 1))
        parts.append((np.c_[s, np.full(len(s), side * width / 2)], n, np.zeros(len(s)), np.full(len(s), 0.5)))
    for side in (1.0, -1.0):
        if ends == "round":
            angle = np.linspace(-1.35, 1.35, max(9, round(2.7 * width / 2 / STEP_MM)))
            n = np.c_[side * np.cos(angle), np.sin(angle)]
            points = np.array([side * (length - width) / 2, 0.0]) + width / 2 * n
            parts.append((points, n, np.abs(n[:, 0]) / 2, (1 - np.abs(n[:, 0])) / 2))
        else:
            t = np.arange(-width / 2 * (1 - 2 * _OFF_CORNERS), width / 2 * (1 - 2 * _OFF_CORNERS) + 1e-9, STEP_MM / 2)
            n = np.tile([side, 0.0], (len(t), 1))
            parts.append((np.c_[np.full(len(t), side * length / 2), t], n, np.full(len(t), 0.5), np.zeros(len(t))))
    local, normal, by_length, by_width = (np.concatenate(column) for column in zip(*parts, strict=True))
    frame = np.stack([along, left])
    normals = normal @ frame
    by_turn = normal[:, 1] * local[:, 0] - normal[:, 0] * local[:, 1]
    starts = np.cumsum([0, *(len(part[0]) for part in parts[:-1])])
    arc = np.concatenate([1000.0 * k + np.arange(len(part[0])) for k, part in enumerate(parts)])
    assert len(starts) == 4
    return Outline(np.array([x, y]) + local @ frame, normals, np.c_[normals, by_turn, by_length, by_width], arc)
