"""A moment of a virtual game: what stands on the table while nothing moves, and what happened just before."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from th_vision.virtual_table.scene import HandBody, Point3, Scene


@dataclass(frozen=True)
class Shift:
    """How something came to stand otherwise: moved (mm) after it was turned about its own x, y and z axes (degrees)."""

    move_mm: Point3 = (0.0, 0.0, 0.0)
    turn_deg: Point3 = (0.0, 0.0, 0.0)

    def matrix(self) -> NDArray[np.float64]:
        """4x4, takes points as they were to where they are now, mm."""
        out = np.eye(4)
        out[:3, 3] = self.move_mm
        for axis, angle in enumerate(np.radians(self.turn_deg)):
            turn = np.eye(4)
            i, j = (axis + 1) % 3, (axis + 2) % 3
            turn[i, i] = turn[j, j] = np.cos(angle)
            turn[i, j], turn[j, i] = -np.sin(angle), np.sin(angle)
            out = out @ turn
        return out


@dataclass(frozen=True)
class Moment:
    """One still moment.

    ``facts``: record lines (as JSON-ready dicts) of what happened since the moment before.
    ``hands``: hands that were over the table on the way here, one frame each, before the stillness.
    ``during``: the scene while those hands were over it (``None``: the scene of the moment before).
    ``label``: what the moment shows, in a few words.
    ``camera``, ``table``: how far the camera (in its own frame) and the table with all that stands on it (in the table
    frame) stand from where they were at calibration; None: not at all. The truth stays in the table's own frame.
    """

    scene: Scene
    facts: tuple[dict[str, Any], ...] = ()
    label: str = ""
    hands: tuple[HandBody, ...] = ()
    during: Scene | None = field(default=None)
    camera: Shift | None = None
    table: Shift | None = None
