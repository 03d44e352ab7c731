"""What surfaces look like, and how well the stereo matcher likes them: textures by name, seeded, in linear light.

Every texture is an image of factors (or colours) over a plane, ``TEXEL_MM`` a pixel, that wraps around.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from th_vision.errors import VisionError

Floats = NDArray[np.float32]
TEXEL_MM = 0.5
TABLE_TEXELS = (1600, 2560)  # 0.8 x 1.28 m, then it repeats
GRAIN_TEXELS = (512, 512)


@dataclass(frozen=True)
class Surface:
    """A table surface as the depth sensor feels it.

    ``noise_px``: temporal sd of disparity at 0.65 m; ``pattern_px``: sd of the fixed pattern; ``holes``: share of
    pixels without depth; ``gloss``: strength of a lamp's mirror image. ``dots``: how strong the projector's dots stand
    out (paint, paper and lacquer scatter light under their skin, or throw it elsewhere).
    """

    noise_px: float
    pattern_px: float
    holes: float
    gloss: float = 0.0
    dots: float = 1.0


# Inside the measured ranges: 0.03-0.13 px temporal, 0.04-0.09 px fixed, 0-3 % holes.
SURFACES: dict[str, Surface] = {
    "wood": Surface(0.060, 0.050, 0.001),
    "white": Surface(0.100, 0.060, 0.0003, dots=0.42),
    "dark_cloth": Surface(0.085, 0.065, 0.012, dots=0.8),
    "mat": Surface(0.045, 0.055, 0.003),
    "glossy": Surface(0.090, 0.080, 0.025, gloss=0.5, dots=0.5),
}


def surface(name: str) -> Surface:
    """Look a table surface up by name.

    Raises:
        VisionError: no such surface.
    """
    if name not in SURFACES:
        raise VisionError(f"table surface {name!r} is not known; choose one of {', '.join(SURFACES)}")
    return SURFACES[name]


def to_linear(color: str) -> Floats:
    """``#rrggbb`` to linear B, G, R in 0..1."""
    rgb = np.array([int(color[k : k + 2], 16) for k in (5, 3, 1)], dtype=np.float32) / np.float32(255)
    return np.asarray(rgb**2.2, dtype=np.float32)


def _noise(rng: np.random.Generator, shape: tuple[int, int], sigma: tuple[float, float]) -> Floats:
    """Smooth noise of sd 1 that wraps around; sigma (x, y) in texels. Coarse noise is drawn coarser, then enlarged."""
    reduce = [max(1, int(s / 2)) for s in sigma]
    h, w = -(-shape[0] // reduce[1]), -(-shape[1] // reduce[0])
    fine = (sigma[0] / reduce[0], sigma[1] / reduce[1])
    pad = int(3 * max(fine)) + 2
    wide = np.pad(rng.standard_normal((h, w), dtype=np.float32), pad, mode="wrap")
    blurred = np.asarray(cv2.GaussianBlur(wide, (0, 0), sigmaX=fine[0], sigmaY=fine[1]), dtype=np.float32)
    out = blurred[pad : pad + h, pad : pad + w]
    out = out / max(float(out.std()), 1e-9)
    if reduce == [1, 1]:
        return out
    return np.asarray(cv2.resize(out, (shape[1], shape[0]), interpolation=cv2.INTER_CUBIC), dtype=np.float32)


def _wood(rng: np.random.Generator, color: str, depth: float) -> Floats:
    h, w = TABLE_TEXELS
    grain = 0.6 * _noise(rng, (h, w), (60, 0.9)) + 0.5 * _noise(rng, (h, w), (140, 3.0)) + _noise(rng, (h, w), (9, 0.7))
    planks = 8
    plank = np.repeat(rng.normal(0, 1, planks), h // planks)[:, None]
    gap = np.ones((h, 1))
    gap[:: h // planks] = 0.55
    gap[1 :: h // planks] = 0.7
    factor = np.exp(depth * (0.5 * grain + 0.8 * plank)) * gap
    tint = np.exp(0.05 * plank[..., None] * np.array([-1.0, 0.0, 0.6]))
    return np.asarray(factor[..., None] * tint * to_linear(color), dtype=np.float32)


def _plain(rng: np.random.Generator, color: str, fine: float, coarse: float) -> Floats:
    factor = np.exp(fine * _noise(rng, TABLE_TEXELS, (0.8, 0.8)) + coarse * _noise(rng, TABLE_TEXELS, (60, 60)))
    return np.asarray(factor[..., None] * to_linear(color), dtype=np.float32)


def _cloth(rng: np.random.Generator) -> Floats:
    y, x = np.mgrid[: TABLE_TEXELS[0], : TABLE_TEXELS[1]].astype(np.float32)
    weave = np.sin(2 * np.pi * x / 3.2) * np.sin(2 * np.pi * y / 3.2)
    factor = np.exp(
        0.12 * weave + 0.15 * _noise(rng, TABLE_TEXELS, (0.8, 0.8)) + 0.1 * _noise(rng, TABLE_TEXELS, (40, 40))
    )
    return np.asarray(factor[..., None] * to_linear("#2c2e36"), dtype=np.float32)


def _mat(rng: np.random.Generator) -> Floats:
    """A printed play mat: coloured fields, thin lines, some small print."""
    h, w = TABLE_TEXELS
    drawing = np.empty((h, w, 3), dtype=np.uint8)
    drawing[:] = _bytes("#c9d3c4")
    palette = ["#a9c19c", "#d8cfae", "#b7c7d2", "#cfb9a8", "#d9dccf"]
    for _ in range(70):
        x, y = int(rng.integers(0, w)), int(rng.integers(0, h))
        size = (int(rng.integers(40, 260)), int(rng.integers(30, 180)))
        color = _bytes(palette[int(rng.integers(len(palette)))])
        box = cv2.boxPoints(((x, y), size, float(rng.choice([0, 0, 0, 30, 45, 60])))).astype(np.int32)
        cv2.fillConvexPoly(drawing, box, color)
    for _ in range(60):
        p = rng.integers(0, (w, h), (2, 2))
        q = p[0] + (p[1] - p[0]) // 3
        cv2.line(drawing, p[0].tolist(), q.tolist(), _bytes("#7d8078"), int(rng.integers(2, 5)), cv2.LINE_AA)
    for _ in range(50):
        at = (int(rng.integers(0, w)), int(rng.integers(0, h)))
        word = "".join(rng.choice(list("ABDEGHKMNORSTX"), 5))
        cv2.putText(drawing, word, at, cv2.FONT_HERSHEY_SIMPLEX, 0.7, _bytes("#5b5f5a"), 2, cv2.LINE_AA)
    table = (np.arange(256, dtype=np.float32) / 255) ** np.float32(2.2)
    return np.asarray(table[drawing] * np.exp(0.05 * _noise(rng, (h, w), (0.8, 0.8)))[..., None], dtype=np.float32)


def _bytes(color: str) -> tuple[int, int, int]:
    """``#rrggbb`` to B, G, R."""
    return (int(color[5:7], 16), int(color[3:5], 16), int(color[1:3], 16))


@lru_cache(maxsize=4)
def table_texture(name: str, seed: int) -> Floats:
    """(h, w, 3) linear BGR of a table surface, one texel ``TEXEL_MM``."""
    surface(name)
    rng = np.random.default_rng([seed, len(name), ord(name[0])])
    if name == "wood":
        return _wood(rng, "#b18a5c", 0.16)
    if name == "glossy":
        return _wood(rng, "#5a3a26", 0.22)
    if name == "dark_cloth":
        return _cloth(rng)
    if name == "mat":
        return _mat(rng)
    return _plain(rng, "#d6d5d0", 0.015, 0.02)


@lru_cache(maxsize=4)
def grain_texture(name: str) -> Floats:
    """(h, w) factors about 1 of a piece's own grain: ``fine`` (painted wood) or ``long`` (along a stick)."""
    rng = np.random.default_rng(77)
    if name == "long":
        field = 0.035 * _noise(rng, GRAIN_TEXELS, (40, 0.8)) + 0.02 * _noise(rng, GRAIN_TEXELS, (3, 0.8))
    else:
        field = 0.022 * _noise(rng, GRAIN_TEXELS, (1.2, 1.2)) + 0.02 * _noise(rng, GRAIN_TEXELS, (12, 12))
    return np.asarray(np.exp(field), dtype=np.float32)


def sample(texture: Floats, u_mm: NDArray[np.floating], v_mm: NDArray[np.floating]) -> Floats:
    """Bilinear look-up at plane coordinates (n,), wrapping around; gives (n,) or (n, 3)."""
    h, w = texture.shape[:2]
    x = np.mod(np.asarray(u_mm, dtype=np.float32) / TEXEL_MM, w)
    y = np.mod(np.asarray(v_mm, dtype=np.float32) / TEXEL_MM, h)
    return look_up(texture, x, y, cv2.BORDER_WRAP)


def look_up(picture: Floats, x: Floats, y: Floats, border: int = cv2.BORDER_CONSTANT) -> Floats:
    """Bilinear look-up at pixels (x, y), each (n,), of any number; gives (n,) or (n, 3)."""
    side = max(1, int(np.ceil(len(x) / 8192)))
    fill = side * 8192 - len(x)  # remap takes images of at most 32767 a side
    shape = (side, 8192)
    mx = np.pad(x, (0, fill)).reshape(shape)
    my = np.pad(y, (0, fill)).reshape(shape)
    out = cv2.remap(picture, mx, my, cv2.INTER_LINEAR, borderMode=border)
    return np.asarray(out, dtype=np.float32).reshape(side * 8192, -1)[: len(x)].squeeze(-1 if picture.ndim == 2 else ())
