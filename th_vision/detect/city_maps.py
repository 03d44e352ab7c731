"""Where the table looks or stands otherwise than when it was empty: what the search for city objects asks first."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from rules.pieces import CITY_KINDS, Box, Pieces
from th_vision import tolerances
from th_vision.detect.edges import edge_tensor
from th_vision.detect.plan import Field, Image, PlanView

Array = NDArray[np.float64]
Bits = NDArray[np.bool_]

SOLIDS = ("building", "tower")
CARDS = tuple(kind for kind in CITY_KINDS if kind not in SOLIDS)
"""Kinds that are cards lying flat on the table; buildings and the tower stand on them."""


def cards_of(pieces: Pieces) -> dict[str, Box]:
    """The kinds of cards that this set has, with their sizes, mm."""
    return {kind: box for kind, box in pieces.city.items() if kind in CARDS}


def solids_of(pieces: Pieces) -> dict[str, Box]:
    """The kinds of things that stand on cards, with their sizes, mm."""
    return {kind: box for kind, box in pieces.city.items() if kind in SOLIDS}


@dataclass(frozen=True)
class CityMaps:
    """The table's plane about a height in cells of ``pitch`` mm, row by row from ``field``'s first corner.

    ``change``: (ny, nx, 3) logarithm of colour over the empty table's, None without one. ``height``: (ny, nx) mm by
    depth, NaN unseen. ``sigma_mm``: how much the mean of one independent sample of it errs.
    """

    field: Field
    pitch: float
    change: Image | None
    height: Image
    sigma_mm: float
    sample_mm2: float

    @cached_property
    def solid(self) -> Bits:
        """(ny, nx) another tint, or more light, than any shadow on the empty table makes."""
        if self.change is None:
            return np.zeros(self.height.shape, dtype=np.bool_)
        light = self.change.mean(axis=-1)
        tint = np.abs(self.change - light[..., None]).max(axis=-1)
        new = (tint > tolerances.CITY_TINT) | (light > tolerances.CITY_LIGHT) | (light < -tolerances.CITY_DARK)
        return np.asarray(new & np.isfinite(light), dtype=np.bool_)

    @cached_property
    def other(self) -> Image:
        """(ny, nx) 0 to 1: how surely a cell has another colour than the empty table, shadows among them."""
        if self.change is None:
            return np.zeros(self.height.shape, np.float32)
        smooth = cv2.GaussianBlur(np.nan_to_num(self.change), (0, 0), 0.7)
        beyond_noise = np.abs(smooth).max(axis=-1) - np.float32(tolerances.CITY_FAINT_NOISE * self.rough)
        share = np.clip(beyond_noise / np.float32(tolerances.CITY_FAINT), 0, 1)
        return np.asarray(np.maximum(share, self.solid), dtype=np.float32)

    @cached_property
    def rough(self) -> float:
        """How much the change of colour scatters from cell to cell."""
        if self.change is None:
            return 0.0
        change = np.nan_to_num(self.change)
        return max(float(np.median(np.abs(change - cv2.GaussianBlur(change, (0, 0), 1.0)))) * 1.48, 1e-4)

    @cached_property
    def edges(self) -> Image:
        """(ny, nx, 3) structure tensor (xx, xy, yy) of the change of colour: what is printed on the table is none."""
        if self.change is None:
            return np.zeros((*self.height.shape, 3), np.float32)
        change = np.nan_to_num(self.change)
        shown = change * np.float32(min(tolerances.CITY_CHANGE_LEVELS, tolerances.CITY_NOISE_LEVELS / self.rough))
        return edge_tensor(np.clip(shown, -255, 255).astype(np.float32))

    @cached_property
    def rims(self) -> Image:
        """(ny, nx, 4) ``edges`` and ``other`` together."""
        return np.dstack([self.edges, self.other])


def city_maps(plan: PlanView, z_mm: float, pitch: float, field: Field | None = None) -> CityMaps:
    """The maps of a view on the plane at a height, over a part of the table or all of it."""
    part = plan if field is None else replace(plan, field=field)
    change: Image | None = None
    if part.bare_view is not None:
        now, before = part.color_plane(z_mm, pitch), part.bare_view.color_plane(z_mm, pitch)
        change = np.log((now + 10) / (before + 10)).astype(np.float32)
    noise = max(plan.view.free_table_sd_px, tolerances.FIXED_PATTERN_PX) * plan.usual_mm_per_px
    cell = plan.table.distance_mm / plan.table.camera.depth.fx
    return CityMaps(
        field=part.field,
        pitch=pitch,
        change=change,
        height=part.height_plane(z_mm, pitch),
        sigma_mm=float(noise),
        sample_mm2=float(plan.view.independent_px * cell**2),
    )


def low_places(maps: CityMaps, pieces: Pieces, taken: Bits | None = None) -> Bits:
    """(ny, nx) cells about which a card may lie that no known thing (``taken``) explains: all around is as high as a
    card or of another colour than the table, and nothing of it is a shadow or a road alone."""
    cards = cards_of(pieces)
    if not cards:
        return np.zeros(maps.height.shape, dtype=np.bool_)
    side = max(3, round(tolerances.CITY_WINDOW * min(min(b.length, b.width) for b in cards.values()) / maps.pitch))
    card_mm = min(box.height for box in cards.values())
    room = max(box.height for box in cards.values()) + tolerances.CITY_LOW_MM
    known = np.zeros(maps.height.shape, dtype=np.bool_) if taken is None else taken

    def mean(values: Image, where: Bits) -> tuple[Image, Image]:
        weight = cv2.boxFilter(where.astype(np.float32), -1, (side, side), normalize=True)
        total = cv2.boxFilter(np.where(where, values, np.float32(0)), -1, (side, side), normalize=True)
        return (total / np.maximum(weight, 1e-3)).astype(np.float32), np.asarray(weight, dtype=np.float32)

    low = np.isfinite(maps.height) & (maps.height < room) & (maps.height > -room) & ~known
    rise, free = mean(np.nan_to_num(maps.height), np.asarray(low, dtype=np.bool_))
    noise = maps.sigma_mm / np.sqrt(np.maximum(free * (side * maps.pitch) ** 2 / maps.sample_mm2, 0.3))
    by_depth = (rise > np.maximum(0.6 * card_mm, tolerances.CITY_LOW_SIGMAS * noise)) & (free > tolerances.CITY_FREE)
    if maps.solid.mean() > tolerances.CITY_MOST_NEW:  # another light, or a moved camera: colour says nothing
        return np.asarray(by_depth, dtype=np.bool_)
    share, free = mean(maps.solid.astype(np.float32), ~known)
    by_color = (share > tolerances.CITY_SOLID) & (free > tolerances.CITY_FREE)
    return np.asarray(by_depth | by_color, dtype=np.bool_)
