"""When automatic exposure has found its place, so that it can be fixed there.

A picture whose exposure still moves would be a change everywhere, and colours would mean something else each turn.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from th_vision.live.backend import Exposure, Shot, picture_level
from th_vision.live.tolerances import SETTLE_LEVELS, SETTLE_LONGEST_S, SETTLE_S, SETTLE_SHARE


@dataclass(frozen=True)
class Settled:
    """What to fix. ``settled`` is False where it was still moving when the longest wait was over."""

    exposures: dict[str, Exposure]
    settled: bool


class Settling:
    """Looks at each frame until exposure and picture stand still."""

    def __init__(self) -> None:
        self._looks: deque[tuple[float, dict[str, Exposure], float]] = deque()
        self._begin_s: float | None = None

    def look(self, shot: Shot, now_s: float) -> Settled | None:
        """What is to be fixed now, or None: not yet."""
        if self._begin_s is None:
            self._begin_s = now_s
        self._looks.append((now_s, shot.exposures, picture_level(shot.color) or 0.0))
        while len(self._looks) > 1 and self._looks[1][0] <= now_s - SETTLE_S:
            self._looks.popleft()
        settled = now_s - self._looks[0][0] >= SETTLE_S and self._still()
        if not settled and now_s - self._begin_s < SETTLE_LONGEST_S:
            return None
        return Settled(shot.exposures, settled)

    def _still(self) -> bool:
        levels = [level for _, _, level in self._looks]
        if max(levels) - min(levels) > SETTLE_LEVELS:
            return False
        for name in self._looks[-1][1]:
            for key in ("exposure", "gain", "white_balance"):
                values = [getattr(one.get(name, Exposure()), key) for _, one, _ in self._looks]
                known = [value for value in values if value is not None]
                if known and max(known) - min(known) > SETTLE_SHARE * max(abs(known[-1]), 1e-9):
                    return False
        return True
