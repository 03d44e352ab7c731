"""Which size and rate to take of those that a camera offers."""

from __future__ import annotations

from dataclasses import dataclass

from th_vision.live.backend import CaptureError, Request

_RATES = (15, 30, 10, 6, 5)  # after the one that was asked for: a still view needs some frames, not a film
_COLOR_FORMATS = ("bgr8", "rgb8")


@dataclass(frozen=True)
class Profile:
    """One way in which a sensor can run; ``format`` as the SDK names it."""

    width: int
    height: int
    fps: int
    format: str

    def __str__(self) -> str:
        return f"{self.width}x{self.height} at {self.fps} a second ({self.format})"


def choose(depth: list[Profile], color: list[Profile], wish: Request) -> tuple[Profile, Profile | None]:
    """Depth and colour of one rate: as wished, else as large as there is (size is what sticks are measured with).

    Raises:
        CaptureError: the camera has no depth, or none of a rate that its colour has too.
    """
    depths = [one for one in depth if one.format == "z16"]
    colors = [one for one in color if one.format in _COLOR_FORMATS]
    if not depths:
        raise CaptureError("profile", "the camera offers no depth; a D415, D435 or D455 is needed")
    rates = [wish.fps, *(rate for rate in _RATES if rate != wish.fps)]
    rates += sorted({one.fps for one in depths} - set(rates))
    for size in _sizes(depths, wish.depth_size):
        for rate in rates:
            mine = [one for one in depths if (one.width, one.height) == size and one.fps == rate]
            theirs = [one for one in colors if one.fps == rate]
            if not mine or (colors and not theirs):
                continue
            return mine[0], _best_color(theirs, wish.color_size)
    raise CaptureError("profile", "the camera offers no depth and colour of one rate; update its firmware")


def _sizes(profiles: list[Profile], wish: tuple[int, int]) -> list[tuple[int, int]]:
    """The wish first, then by area."""
    return sorted({(p.width, p.height) for p in profiles}, key=lambda s: (s != wish, -s[0] * s[1]))


def _best_color(profiles: list[Profile], wish: tuple[int, int]) -> Profile | None:
    if not profiles:
        return None
    return min(
        profiles,
        key=lambda p: ((p.width, p.height) != wish, -p.width * p.height, _COLOR_FORMATS.index(p.format)),
    )
