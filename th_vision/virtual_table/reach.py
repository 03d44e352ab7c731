"""How an arm reaches over the table: from a player's seat at the rim to a point. Table frame, mm."""

from __future__ import annotations

import math

import numpy as np

from th_vision.virtual_table.scene import HandBody, Point2, Scene, StickBody

# Where wrist and elbow are behind the finger tips, and how high above them (an adult's hand and forearm).
WRIST_BACK_MM, WRIST_UP_MM = 130.0, 85.0
ELBOW_BACK_MM, ELBOW_UP_MM = 400.0, 120.0
FINGERS_ABOVE_MM = 12.0
SWING_DEG = 25.0  # an arm comes in from up to so far beside the straight line from the seat


def seats(players: int) -> tuple[float, ...]:
    """Directions (degrees, from the x axis) in which the players sit, clockwise as they take turns."""
    return tuple(-90.0 - 360.0 / players * i for i in range(players))


def reach(
    rng: np.random.Generator,
    scene: Scene,
    seat_deg: float,
    target: Point2,
    holds: StickBody | None = None,
    above_mm: float = FINGERS_ABOVE_MM,
) -> HandBody:
    """An arm from a seat with its finger tips over ``target``, clear of what stands near it."""
    near = [c.top_z for c in scene.columns if math.dist((c.x, c.y), target) < WRIST_BACK_MM]
    z = max(near, default=0.0) + above_mm
    angle = math.radians(seat_deg + float(rng.uniform(-SWING_DEG, SWING_DEG)))
    out = np.array([math.cos(angle), math.sin(angle)])
    wrist, elbow = np.array(target) + out * WRIST_BACK_MM, np.array(target) + out * ELBOW_BACK_MM
    return HandBody(
        elbow=(float(elbow[0]), float(elbow[1]), z + ELBOW_UP_MM),
        wrist=(float(wrist[0]), float(wrist[1]), z + WRIST_UP_MM),
        tip=(float(target[0]), float(target[1]), z),
        holds=holds,
    )
