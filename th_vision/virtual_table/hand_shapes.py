"""Hands and forearms as meshes: several poses, sleeves of any length."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from th_vision.virtual_table.meshes import Array, Part, capsule
from th_vision.virtual_table.scene import HandBody

FINGERS = 4
# How far fingers reach ahead of the knuckles (share of the hand's length) and how much their tips drop (mm), by pose.
_CURL = {"pinch": (0.48, 0.0), "flat": (0.55, 0.0), "fist": (0.12, 24.0), "point": (0.12, 24.0)}
_POINTING = 1  # the finger that stays stretched


def hand_parts(hand: HandBody, number: int) -> Iterator[Part]:
    """Sleeve or bare forearm, the hand's back, four fingers and a thumb."""
    elbow, wrist, tip = (np.asarray(p, dtype=np.float64) for p in (hand.elbow, hand.wrist, hand.tip))
    key, owner = f"hand{number}:{hand}", f"hand{number}"
    cuff = wrist + (1 - hand.sleeve_to) * (elbow - wrist)
    yield Part(capsule(cuff, elbow, 38.0, 48.0), "hand", owner, key, hand.sleeve or hand.skin)
    yield Part(capsule(wrist, cuff, 27.0, 30.0), "hand", owner, key, hand.skin)
    reach = tip - wrist
    length = max(float(np.linalg.norm(reach)), 1.0)
    ahead = reach / length
    side = np.cross([0.0, 0.0, 1.0], ahead)
    side /= max(float(np.linalg.norm(side)), 1e-9)
    knuckles = wrist + 0.52 * reach
    for k in range(FINGERS):
        offset = (k - 1.5) * 18.0
        start = knuckles + side * offset
        yield Part(capsule(wrist + side * offset * 0.7, start, 13.0, 11.0), "hand", owner, key, hand.skin)
        bend, end = _finger(hand.pose, k, start, length * ahead, side * offset)
        yield Part(capsule(start, bend, 10.0, 9.0), "hand", owner, key, hand.skin)
        yield Part(capsule(bend, end, 9.0, 7.5), "hand", owner, key, hand.skin)
    root = wrist + 0.25 * reach + side * 32.0
    thumb = tip - 0.14 * reach + side * 14.0 - np.array([0, 0, 4.0])
    if hand.pose == "flat":
        thumb = root + 0.28 * reach + side * 30.0
    elif hand.pose != "pinch":
        thumb = knuckles + 0.1 * reach + side * 8.0 - np.array([0, 0, 14.0])
    yield Part(capsule(root, 0.5 * (root + thumb) + side * 8, 13.0, 10.0), "hand", owner, key, hand.skin)
    yield Part(capsule(0.5 * (root + thumb) + side * 8, thumb, 10.0, 9.0), "hand", owner, key, hand.skin)


def _finger(pose: str, k: int, start: Array, reach: Array, offset: Array) -> tuple[Array, Array]:
    """The middle joint and the tip of one finger."""
    if pose == "point" and k == _POINTING:
        end = start + 0.48 * reach - 0.2 * offset
        return 0.5 * (start + end), end
    ahead, drop = _CURL[pose]
    together = 0.0 if pose == "flat" else 0.55
    end = start + (ahead - 0.05 * abs(k - 1)) * reach - offset * together - np.array([0, 0, drop])
    return 0.5 * (start + end) + np.array([0, 0, 8.0]) + (0.1 * reach if drop else 0.0), end
