"""One frame of the camera, and what a source of frames is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from calibration.camera import Camera


@dataclass(frozen=True)
class Frame:
    """Depth and colour of one moment.

    ``depth``: (h, w) uint16 in depth units of the camera, 0 = no depth, native depth grid.
    ``color``: (hc, wc, 3) uint8 BGR, or None where this frame has none.
    ``time_s``: the source's clock; never the computer's.
    """

    number: int
    time_s: float
    depth: NDArray[np.uint16]
    color: NDArray[np.uint8] | None = None


class Source(Protocol):
    """Where frames come from. Iterating gives each frame once, in order of time."""

    @property
    def name(self) -> str:
        """What the user called it, for messages."""
        ...

    @property
    def camera(self) -> Camera:
        """The camera behind every frame of this source."""
        ...

    def __iter__(self) -> Iterator[Frame]: ...
