"""Dense stereo as the camera's chip does it: census, support, semi-global choice, sub-pixel, left-right check.

Images are (h, w) float32 or uint16 grey levels, rectified; disparity d says that the left picture's (u, v) is the right
picture's (u - d, v). A cost volume is (h, n, w) uint16: cost of disparity ``first + k`` at each left pixel.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Grey = NDArray[np.uint16]
Bits = NDArray[np.uint32]
Costs = NDArray[np.uint16]
Choice = NDArray[np.intp]
# Neighbours that the census compares with the centre, every second one of a window of 9 x 7: (dv, du).
_CENSUS = tuple((dv, du) for dv in range(-3, 4) for du in range(-4, 5) if (dv + du) % 2 == 0 and (dv, du) != (0, 0))
COST_SCALE = 384  # of one bit, so that means of windows keep fractions
_OUTSIDE = np.uint16(len(_CENSUS) * COST_SCALE)  # nothing fits where the right picture ends


@dataclass(frozen=True)
class Matching:
    """How the matcher is set.

    ``support``: sides (horizontal, vertical) px of the box of support, applied twice (its shape is then near a
    Gaussian's). ``step_cost``, ``jump_cost``: of a change of disparity by one, by more, in bits. ``unique``: the
    second best choice must cost so many times the best. ``fits``: a window fits where no more than this share of its
    bits differ (by chance it is half). ``agree_px``: left and right must agree within this; ``rim_px``: nearer to the
    right picture's rim nothing is matched. ``shift_px``: windows about a pixel may lie off its middle by so much
    (horizontal, vertical); ``nearer``: where a surface ``apart_px`` nearer is within ``reach_px``, it is taken if it
    costs less than this many times the least (edges are fattened). ``evened_px``: amplitude of the pull towards whole
    disparities that is taken out again; 0.01 to 0.03 px of it stay, by the noise.
    """

    support: tuple[int, int] = (13, 9)
    step_cost: float = 0.6
    jump_cost: float = 3.0
    unique: float = 1.04
    fits: float = 0.45
    agree_px: int = 1
    rim_px: int = 9
    shift_px: tuple[int, int] = (5, 2)
    reach_px: tuple[int, int] = (8, 3)
    apart_px: int = 3
    nearer: float = 2.6
    evened_px: float = 0.055


def support_of(kernel_px: tuple[float, float]) -> tuple[int, int]:
    """Sides of the box of support for a kernel of these sigmas (horizontal, vertical), odd numbers of pixels.

    Variances add up: the census' window of 9 x 7, and twice that of a box of side a, (a^2 - 1) / 12.
    """
    sides = (
        math.sqrt(6 * max(sigma**2 - (a**2 - 1) / 12, 0.5) + 1) for sigma, a in zip(kernel_px, (9, 7), strict=True)
    )
    across, down = (2 * round((side - 1) / 2) + 1 for side in sides)
    return across, down


def census(picture: Grey) -> Bits:
    """(h, w) bits: which neighbours are darker than the pixel itself."""
    h, w = picture.shape
    wide = np.pad(picture, ((3, 3), (4, 4)), mode="edge")
    planes = np.zeros((h, w, 4), dtype=np.uint8)
    for byte in range(4):
        plane = np.zeros((h, w), dtype=np.uint8)
        for bit, (dv, du) in enumerate(_CENSUS[byte * 8 : byte * 8 + 8]):
            darker = wide[3 + dv : 3 + dv + h, 4 + du : 4 + du + w] < picture
            plane |= darker.view(np.uint8) << np.uint8(bit)
        planes[..., byte] = plane
    return planes.view(np.uint32)[..., 0]


def cost_volume(left: Bits, right: Bits, first: int, n: int, support: tuple[int, int]) -> Costs:
    """(h, n, w) mean number of differing bits in the window of support, times ``COST_SCALE``."""
    h, w = left.shape
    out = np.empty((h, n, w), dtype=np.uint16)
    raw = np.empty((h, w), dtype=np.uint16)
    for k in range(n):
        d = first + k
        raw[:, :d] = _OUTSIDE
        bits = np.bitwise_count(left[:, d:] ^ right[:, : w - d])
        np.multiply(bits, np.uint16(COST_SCALE), out=raw[:, d:], dtype=np.uint16)
        once = cv2.blur(raw, support, borderType=cv2.BORDER_REPLICATE)
        out[:, k] = cv2.blur(once, support, borderType=cv2.BORDER_REPLICATE)
    return out


def semi_global(costs: Costs, step: int, jump: int) -> Costs:
    """(h, n, w) sum of the costs along four paths: down, up, right, left."""
    h, n, w = costs.shape
    total = np.zeros_like(costs)
    _sweep(costs, total, range(h), step, jump)
    _sweep(costs, total, range(h - 1, -1, -1), step, jump)
    across = np.empty((w, n, h), dtype=np.uint16)
    for k in range(n):
        across[:, k] = cv2.transpose(costs[:, k])
    sums = np.zeros_like(across)
    _sweep(across, sums, range(w), step, jump)
    _sweep(across, sums, range(w - 1, -1, -1), step, jump)
    for k in range(n):
        total[:, k] += np.asarray(cv2.transpose(sums[:, k]), dtype=np.uint16)
    return total


def _sweep(costs: Costs, total: Costs, order: range, step: int, jump: int) -> None:
    """Add one path's cost to ``total``; costs are (lines, n, m), walked line by line in ``order``."""
    _, n, m = costs.shape
    before = np.full((n + 2, m), np.uint16(40000))  # a rim that no path takes
    best = np.empty(m, dtype=np.uint16)
    work = np.empty((n, m), dtype=np.uint16)
    inner = before[1:-1]
    inner[:] = costs[order[0]]
    total[order[0]] += inner
    for line in order[1:]:
        np.min(inner, axis=0, out=best)
        np.minimum(before[:-2], before[2:], out=work)
        work += np.uint16(step)
        np.minimum(work, inner, out=work)
        np.minimum(work, best + np.uint16(jump), out=work)
        work -= best
        np.add(work, costs[line], out=inner)
        total[line] += inner


def match_pair(left: Grey, right: Grey, first: int, n: int, how: Matching) -> Floats:
    """(h, w) disparity of the left picture, sub-pixel; 0 where there is no match that holds.

    ``first``, ``n``: the disparities that are searched.
    """
    costs = cost_volume(census(left), census(right), first, n, how.support)
    shifted = _best_windows(costs, how.shift_px)
    total = semi_global(shifted, round(how.step_cost * COST_SCALE), round(how.jump_cost * COST_SCALE))
    least = total.argmin(axis=1)
    choice = _nearer_wins(least, lambda k: _taken(shifted, k), how)
    theirs = _nearer_wins(_right_choice(total, first), lambda k: _taken_from_right(shifted, k, first), how)
    good = _agrees(choice, theirs, first, how)
    good &= _unique(total, least, how.unique) | (choice != least)
    good &= (choice > 0) & (choice < n - 1)
    at = np.clip(choice, 1, n - 2)
    good &= _taken(shifted, at) < how.fits * len(_CENSUS) * COST_SCALE
    fraction = _sub_pixel(costs, shifted, at)
    fraction += np.float32(how.evened_px) * np.sin(np.float32(2 * np.pi) * fraction)
    return np.asarray(np.where(good, first + at + fraction, 0), dtype=np.float32)


def _nearer_wins(choice: Choice, cost_of: Callable[[Choice], Floats], how: Matching) -> Choice:
    """Near an edge both surfaces have a window that fits: there the nearer one is taken."""
    size = (2 * how.reach_px[0] + 1, 2 * how.reach_px[1] + 1)
    ellipse = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, size)
    grown = np.asarray(cv2.dilate(choice.astype(np.int16), ellipse), dtype=np.intp)
    taken = (grown - choice >= how.apart_px) & (cost_of(grown) <= cost_of(choice) * np.float32(how.nearer))
    return np.where(taken, grown, choice)


def _best_windows(costs: Costs, shift_px: tuple[int, int]) -> Costs:
    """The cost of the best window that holds a pixel, not only of the one about it."""
    out = np.empty_like(costs)
    box = cv2.getStructuringElement(cv2.MORPH_RECT, (2 * shift_px[0] + 1, 2 * shift_px[1] + 1))
    for k in range(costs.shape[1]):
        out[:, k] = cv2.erode(costs[:, k], box)
    return out


def _taken(volume: Costs, at: Choice) -> Floats:
    return np.asarray(np.take_along_axis(volume, at[:, None], axis=1)[:, 0], dtype=np.float32)


def _taken_from_right(volume: Costs, at: Choice, first: int) -> Floats:
    """Costs (h, w) of the right picture's pixels for their choices; great where the left picture ends."""
    h, _, w = volume.shape
    u = np.arange(w)[None, :] + at + first
    cost = np.asarray(volume[np.arange(h)[:, None], at, np.minimum(u, w - 1)], dtype=np.float32)
    cost[u >= w] = 65535
    return cost


def _sub_pixel(costs: Costs, shifted: Costs, at: Choice) -> Floats:
    """Where the cost is least between its neighbours, -0.5..0.5: of a parabola through the three.

    The window about the pixel is asked; where it does not see this surface, the best window that holds the pixel.
    """
    own = [_taken(costs, at + k) for k in (-1, 0, 1)]
    best = [_taken(shifted, at + k) for k in (-1, 0, 1)]
    sees = (own[1] <= own[0]) & (own[1] <= own[2])
    below, here, above = (np.where(sees, a, b) for a, b in zip(own, best, strict=True))
    bend = np.maximum(below + above - 2 * here, 1)
    return np.asarray(np.clip((below - above) / (2 * bend), -0.5, 0.5), dtype=np.float32)


def _right_choice(total: Costs, first: int) -> Choice:
    """(h, w) what each pixel of the right picture would choose."""
    h, n, w = total.shape
    least = np.full((h, w), np.uint16(65535))
    chosen = np.zeros((h, w), dtype=np.intp)
    for k in range(n):
        d = first + k
        here = total[:, k, d:]
        less = here < least[:, : w - d]
        np.minimum(here, least[:, : w - d], out=least[:, : w - d])
        chosen[:, : w - d][less] = k
    return chosen


def _agrees(choice: Choice, theirs: Choice, first: int, how: Matching) -> NDArray[np.bool_]:
    """Whether the right picture's pixel chooses this left pixel too."""
    u = np.arange(choice.shape[1])[None, :] - (choice + first)
    back = np.take_along_axis(theirs, np.maximum(u, 0), axis=1)
    return np.asarray((u >= how.rim_px) & (np.abs(back - choice) <= how.agree_px), dtype=np.bool_)


def _unique(total: Costs, choice: Choice, times: float) -> NDArray[np.bool_]:
    """Whether no other choice, the neighbours aside, costs about as little."""
    n = total.shape[1]
    best = _taken(total, choice)
    rest = total.copy()
    for k in (-1, 0, 1):
        np.put_along_axis(rest, np.clip(choice + k, 0, n - 1)[:, None], np.uint16(65535), axis=1)
    return np.asarray(rest.min(axis=1) > best * np.float32(times), dtype=np.bool_)
