"""What the sensor allows at best: bounds beside which the measured errors stand.

Heights follow the figures of one stick with 30 frames averaged and the fixed pattern kept (D415 0.08 mm at 0.55 m and
0.15 at 0.70 m; D435 0.39 at 0.70 m, 0.94 with 848x480), derived from the noise measured on real frames: with distance
the noise of a pixel grows by its square, and the number of pixels on a stick falls. Plan places follow the Cramer-Rao
bound of edges in colour: each independent stretch of an edge is placed to ``EDGE_PX``.
"""

from __future__ import annotations

import numpy as np

from calibration.camera import Camera
from rules.pieces import Pieces

STICK_HEIGHT_MM = {"D415": (0.11, 623.0), "D435": (0.39, 700.0)}
"""Sigma of one stick's height, mm, at a distance, mm (D415: the geometric mean of two)."""
USUAL_FRAMES = 30
PATTERN_SHARE = 0.5
"""Of the variance of 30 frames so much is the fixed pattern, which no averaging takes away; the rest is noise."""
EDGE_PX = 0.3
"""Sigma of one place on an edge in colour: noise of the picture at 8 to 20 steps of contrast, demosaiced."""
INDEPENDENT_MM = 3.0
"""Places on an edge so far apart err independently (blur, demosaicing)."""


def height_mm(camera: Camera, distance_mm: float, frames: int) -> float:
    """Least sigma of the height of one stick, mm."""
    family = "D435" if "435" in camera.model else "D415"
    sigma, at_mm = STICK_HEIGHT_MM[family]
    narrower = (1280 / camera.depth.width) ** 1.6  # 848x480: 0.94 against 0.39
    here = sigma * (distance_mm / at_mm) ** 2.6 * narrower
    return float(here * np.sqrt(PATTERN_SHARE + (1 - PATTERN_SHARE) * USUAL_FRAMES / frames))


def across_mm(camera: Camera, distance_mm: float, pieces: Pieces) -> float:
    """Least sigma of an axis across at a tip: a line through both long edges, mm."""
    samples = 2 * pieces.stick.length / INDEPENDENT_MM
    return float(_edge_mm(camera, distance_mm) * np.sqrt(4 / samples))  # at the end of a line: twice its middle's


def along_mm(camera: Camera, distance_mm: float, pieces: Pieces) -> float:
    """Least sigma of a tip along: its round edge alone, mm."""
    return float(_edge_mm(camera, distance_mm) / np.sqrt(max(pieces.stick.width / INDEPENDENT_MM, 1.0)))


def centre_mm(camera: Camera, distance_mm: float, pieces: Pieces) -> float:
    """Least sigma of a column's centre in x or y, half of its rim being seen, mm."""
    samples = np.pi * pieces.disc.radius / INDEPENDENT_MM
    return float(_edge_mm(camera, distance_mm) * np.sqrt(2 / samples))


def _edge_mm(camera: Camera, distance_mm: float) -> float:
    focal = camera.color.fx if camera.color is not None else camera.depth.fx
    return EDGE_PX * distance_mm / focal


def bounds(camera: Camera, distance_mm: float, pieces: Pieces, frames: int) -> dict[str, float]:
    """All of them by the names of ``bench.accuracy``, mm."""
    height = height_mm(camera, distance_mm, frames)
    return {
        "column x, y": centre_mm(camera, distance_mm, pieces),
        "road across": across_mm(camera, distance_mm, pieces),
        "road along": along_mm(camera, distance_mm, pieces),
        "road height": height,
        "gap": height * float(np.sqrt(2)),
    }
