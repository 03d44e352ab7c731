"""Virtual scenes seen once for all tests of seeing."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from calibration.calibrate import calibrate_table
from rules.layout import Layout
from rules.pieces import Pieces
from th_vision.still_view import StillView, fuse
from th_vision.virtual_table.examples import static_example


@dataclass(frozen=True)
class Seen:
    """A still view of a virtual scene with its truth."""

    view: StillView
    truth: Layout
    pieces: Pieces


@lru_cache(maxsize=4)
def seen(seed: int, camera: str = "D415", distance_mm: float = 580.0, surface: str = "wood") -> Seen:
    """Calibrate on the scene's own board frames, then fuse its settled frames."""
    example = static_example(seed, camera, distance_mm, surface, frames=5)
    shots = ((frame.depth, frame.color) for frame in example.calibration_frames)
    table, _ = calibrate_table(example.camera.camera, shots)
    return Seen(fuse(example.frames, table), example.truth, example.pieces)
