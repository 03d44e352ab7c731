"""After a knock: which pieces don't stand yet as they stood, in words that help to put them back."""

from __future__ import annotations

import numpy as np

from rules.layout import Car, Column, Road
from th_vision.change import Change, Moved
from th_vision.known import Piece


def guide(change: Change, knocked: frozenset[str]) -> tuple[tuple[str, str], ...]:
    """(piece id, sentence) of the knocked pieces that are missing or elsewhere. ``change`` is against the table as it
    stood before the knock."""
    out = [(piece.id, f"{_name(piece)} is missing; it stood {_where(piece)}") for piece in change.gone]
    out += [(moved.id, f"{_name(moved.before)}: {_shift(moved)}") for moved in change.moved]
    out += [
        (after.id, f"column {after.id} has {after.levels} levels; it had {before.levels}")
        for before, after in change.recounted
    ]
    return tuple((piece, words) for piece, words in out if piece in knocked)


def _name(piece: Piece) -> str:
    if isinstance(piece, Column):
        return f"column {piece.id}"
    if isinstance(piece, Road):
        return f"road {piece.id}"
    return f"{piece.player}'s {piece.type.replace('_', ' ')} {piece.id}"


def _where(piece: Piece) -> str:
    if isinstance(piece, Column):
        top = ", yellow on top" if piece.junction else ""
        return f"at ({piece.x:.0f}, {piece.y:.0f}) mm, {piece.levels} levels{top}"
    if isinstance(piece, Car):
        return f"on {piece.on} at ({piece.x:.0f}, {piece.y:.0f}) mm"
    return f"from {piece.rests_on[0]} to {piece.rests_on[1]}"


def _shift(moved: Moved) -> str:
    """Back by how much, and which way on the table (x to the right, y away)."""
    before, after = _centre(moved.before), _centre(moved.after)
    dx, dy = after - before
    parts = []
    if abs(dx) >= 1:
        parts.append(f"{abs(dx):.0f} mm to the {'right' if dx > 0 else 'left'}")
    if abs(dy) >= 1:
        parts.append(f"{abs(dy):.0f} mm {'away' if dy > 0 else 'near'}")
    if abs(moved.drop_mm) >= 3:
        parts.append(f"{abs(moved.drop_mm):.0f} mm too {'low' if moved.drop_mm > 0 else 'high'}")
    return ", ".join(parts) or "turned"


def _centre(piece: Piece) -> np.ndarray:
    if isinstance(piece, Road):
        return np.asarray(np.mean(piece.ends, axis=0)[:2])
    return np.array([piece.x, piece.y])
