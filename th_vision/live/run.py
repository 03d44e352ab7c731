"""One child's life as its parent hears of it, and when it must be given up. Knows no process, no clock of its own."""

from __future__ import annotations

import time
from dataclasses import dataclass

from th_vision.live.tolerances import (
    BEAT_S,
    GRACE_S,
    HELLO_S,
    HUNG_S,
    NO_FRAMES_S,
    OPENING_S,
    PAUSE_S,
)
from th_vision.live.usb import NO_CAMERA
from th_vision.live.wire import Trouble

GONE = "gone"
"""Why a child ended that said nothing of it: its status is to be asked for."""


@dataclass(frozen=True)
class Patience:
    """How long each thing may take, s; tests have less of it."""

    hello_s: float = HELLO_S
    opening_s: float = OPENING_S
    hung_s: float = HUNG_S
    no_frames_s: float = NO_FRAMES_S
    grace_s: float = GRACE_S
    pause_s: float = PAUSE_S


class Run:
    """Times are of the monotonic clock, 0: not yet. ``must_exist``: the camera must be there, it was never seen yet.

    ``settle_s``: how much longer the first frame may take, exposure being settled before.
    """

    def __init__(self, *, must_exist: bool = False, settle_s: float = 0.0) -> None:
        self.heard_s = self.frame_s = time.monotonic()
        self.opened_s = self.absent_s = 0.0
        self.phase = ""
        self.good = 0
        self.over = self.ended = False
        self.trouble: Trouble | None = None
        self._must_exist, self._settle_s = must_exist, settle_s

    def verdict(self, now: float, patience: Patience) -> Trouble | None:
        """What is wrong; None: nothing."""
        if self.trouble is not None:
            return self.trouble
        if self.ended or self.over:
            return Trouble("failed", GONE if self.over else "the camera ended its stream")
        silent_s = now - self.heard_s
        longest_s = {"": patience.hello_s, "opening": patience.opening_s}.get(self.phase, patience.hung_s)
        if self.opened_s:
            longest_s = patience.hung_s
        if silent_s > longest_s:
            return Trouble("failed", f"capture hung: nothing was heard for {silent_s:.1f} s")
        if self.opened_s and now - self.frame_s > patience.no_frames_s + (0.0 if self.good else self._settle_s):
            hangs = silent_s > 2 * BEAT_S
            what = "capture hung: it gave no sign" if hangs else "the camera gave no frame"
            return Trouble("failed", f"{what} for {now - self.frame_s:.1f} s")
        if self._must_exist and self.absent_s and now - self.absent_s > patience.grace_s:
            return Trouble("absent", NO_CAMERA)
        return None
