"""After a push: which pieces were put back to where they stood before it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from th_vision import tolerances as tol
from th_vision.change import Change
from th_vision.known import Piece, centre_of, pieces_of


def stood_before(change: Change, ids: frozenset[str]) -> dict[str, Piece]:
    """The pieces of a push, as they stood before it."""
    return {piece.id: piece for piece in pieces_of(change.before) if piece.id in ids}


def put_right(change: Change, stood: Mapping[str, Piece]) -> frozenset[str]:
    """Ids of the pieces that are back where they ``stood``; none where anything else stirred, too."""
    back = frozenset(m.id for m in change.moved if m.id in stood and _back(stood[m.id], m.before, m.after))
    others = {m.id for m in change.moved} | {piece.id for piece in change.gone}
    return back if others <= back else frozenset()


def _back(stood: Piece, pushed: Piece, now: Piece) -> bool:
    """Nearer to where it stood than to where it was pushed, and as near as a stick's tips are told."""
    off = float(np.linalg.norm(centre_of(now) - centre_of(stood)))
    return off <= min(tol.MOVED_ALONG_MM, float(np.linalg.norm(centre_of(pushed) - centre_of(stood))) / 2)
