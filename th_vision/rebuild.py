"""After a knock: which pieces don't stand yet as they stood, in words that help to put them back."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from rules.layout import Car, Column, Layout, Road
from th_vision import tolerances as tol
from th_vision.change import Change, Moved
from th_vision.known import Piece, centre_of, pieces_of


def guide(
    change: Change, knocked: frozenset[str], owners: Mapping[str, str] | None = None
) -> tuple[tuple[str, str], ...]:
    """(piece id, sentence) of the knocked pieces that are missing or elsewhere. ``change`` is against the table as it
    stood before the knock; ``owners``: piece id -> player. What carries others comes first: columns, roads, cars."""
    named = owners or {}
    out: list[tuple[Piece, str]] = [
        (piece, f"{_name(piece, named)} is missing; it stood {_where(piece)}") for piece in change.gone
    ]
    out += [(moved.before, f"{_name(moved.before, named)}: {_shift(moved)}") for moved in change.moved]
    out += [
        (after, f"{_name(after, named)} has {_levels(after)}; it had {before.levels}")
        for before, after in change.recounted
    ]
    ordered = sorted((pair for pair in out if pair[0].id in knocked), key=lambda pair: _order(pair[0]))
    return tuple((piece.id, words) for piece, words in ordered)


def guide_back(
    stood: Mapping[str, Piece], now: Layout, owners: Mapping[str, str] | None = None
) -> tuple[tuple[str, str], ...]:
    """(piece id, sentence) of pieces that were pushed and still stand elsewhere than they ``stood``."""
    pushed = [piece for piece in pieces_of(now) if piece.id in stood]
    off = [Moved(stood[piece.id], piece, float(np.hypot(*(centre_of(stood[piece.id]) - centre_of(piece)))), 0.0)
           for piece in sorted(pushed, key=_order)]  # fmt: skip
    return tuple((m.id, f"{_name(m.before, owners or {})}: {_shift(m)}") for m in off if m.shift_mm > tol.MOVED_MM)


def _levels(column: Column) -> str:
    return "one level" if column.levels == 1 else f"{column.levels} levels"


def _order(piece: Piece) -> int:
    return 0 if isinstance(piece, Column) else 1 if isinstance(piece, Road) else 2


def _name(piece: Piece, owners: Mapping[str, str]) -> str:
    if isinstance(piece, Car):
        return f"{piece.player}'s {piece.type.replace('_', ' ')} {piece.id}"
    kind = "column" if isinstance(piece, Column) else "road"
    return f"{owners[piece.id]}'s {kind} {piece.id}" if piece.id in owners else f"{kind} {piece.id}"


def _where(piece: Piece) -> str:
    if isinstance(piece, Column):
        top = ", yellow on top" if piece.junction else ""
        levels = f"{piece.levels} levels" if top else _levels(piece)
        return f"at ({piece.x:.0f}, {piece.y:.0f}) mm, {levels}{top}"
    if isinstance(piece, Car):
        return f"on {piece.on} at ({piece.x:.0f}, {piece.y:.0f}) mm"
    start, end = ("the table" if on == "table" else on for on in piece.rests_on)
    return f"from {start} to {end}"


def _shift(moved: Moved) -> str:
    """Where to move it, and how far (x to the right, y away from who sits at the board's lower edge)."""
    dx, dy = centre_of(moved.before) - centre_of(moved.after)
    parts = []
    if abs(dx) >= 1:
        parts.append(f"{abs(dx):.0f} mm to the {'right' if dx > 0 else 'left'}")
    if abs(dy) >= 1:
        parts.append(f"{abs(dy):.0f} mm {'up' if dy > 0 else 'down'}")
    way = f"move it {' and '.join(parts)}" if parts else ""
    if abs(moved.drop_mm) >= 3:
        lies = f"it lies {abs(moved.drop_mm):.0f} mm too {'low' if moved.drop_mm > 0 else 'high'}"
        way = f"{way}; {lies}" if way else lies
    return way or "turn it back"
