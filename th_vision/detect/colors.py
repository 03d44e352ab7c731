"""Colours of pieces as the camera sees them here: which pixel looks like yellow, like a stick, like whose car."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rules.pieces import Pieces
from th_vision import tolerances
from th_vision.detect.plan import Image

Array = NDArray[np.float64]


def bgr(hex_color: str) -> Array:
    """(3,) BGR, 0 to 255, of ``#rrggbb``."""
    return np.array([int(hex_color[i : i + 2], 16) for i in (5, 3, 1)], dtype=np.float64)


def chroma(color: Image | Array) -> Array:
    """(..., 2) hue and saturation as a plane vector, free of brightness: (r - g, b - g) over the sum of channels."""
    c = np.asarray(color, dtype=np.float64)
    blue, green, red = c[..., 0], c[..., 1], c[..., 2]
    total = np.maximum(blue + green + red, 24.0)
    return np.stack([(red - green) / total, (blue - green) / total], axis=-1)


GRAY = chroma(np.full(3, 128.0))


def _length(x: Array, y: Array) -> Array:
    return np.asarray(np.sqrt(x * x + y * y), dtype=np.float64)


@dataclass(frozen=True)
class Palette:
    """Chroma of what can be told by colour: names and their (n, 2) chroma; ``gain`` (3,) brings the view to it."""

    names: tuple[str, ...]
    chroma: Array
    gain: Array

    def nearest(self, color: Image, bare: Image | None = None) -> tuple[NDArray[np.intp], Array]:
        """Index of the nearest colour per sample (-1: none is near, or it is grayish), and by how much it wins.

        ``bare``: what the empty table looks like there; what is nearer to that is the table (wood can be orange).

        The win is the distance to the second nearest less that to the nearest, over the distance between both.
        """
        here = chroma(np.asarray(color, dtype=np.float64) * self.gain)
        all_chroma = np.concatenate([self.chroma, GRAY[None]])
        # planes, one a colour: numpy is slow along short axes
        distance = np.stack([_length(here[..., 0] - x, here[..., 1] - y) for x, y in all_chroma])
        first = np.argmin(distance, axis=0)
        d1 = np.take_along_axis(distance, first[None], axis=0)
        np.put_along_axis(distance, first[None], np.inf, axis=0)
        second = np.argmin(distance, axis=0)
        d2 = np.take_along_axis(distance, second[None], axis=0)[0]
        d1 = d1[0]
        apart = all_chroma[:, None] - all_chroma
        between = _length(apart[..., 0], apart[..., 1])[first, second]
        win = (d2 - d1) / np.maximum(between, 1e-6)
        saturation = _length(here[..., 0] - GRAY[0], here[..., 1] - GRAY[1])
        own = _length(all_chroma[:, 0] - GRAY[0], all_chroma[:, 1] - GRAY[1])[first]
        # a paler or deeper shade of the same hue is the same colour; something else is none
        near = d1 < tolerances.COLOR_NEAR * np.maximum(own, saturation)
        index = np.where((first == len(self.names)) | ~near, -1, first)
        if bare is not None:
            off = here - chroma(np.asarray(bare, dtype=np.float64) * self.gain)
            index = np.where(_length(off[..., 0], off[..., 1]) < d1, -1, index)
        return index, np.where(index >= 0, win, 0.0)


def palette(pieces: Pieces, stick_seen: Array | None) -> Palette:
    """The palette of a set; ``stick_seen`` (3,) BGR is how its gray sticks look here: it gives the white balance."""
    names = ("yellow", *pieces.players)
    colors = np.array([bgr(pieces.colors.yellow), *(bgr(color) for color in pieces.players.values())])
    gain = np.ones(3)
    if stick_seen is not None and np.all(stick_seen > 5):
        gain = bgr(pieces.colors.stick) / stick_seen
        gain = np.clip(gain / gain.mean(), 0.6, 1.6)
    return Palette(names, chroma(colors), gain)
