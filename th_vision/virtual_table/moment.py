"""A moment of a virtual game: what stands on the table while nothing moves, and what happened just before."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from th_vision.virtual_table.scene import HandBody, Scene


@dataclass(frozen=True)
class Moment:
    """One still moment.

    ``facts``: record lines (as JSON-ready dicts) of what happened since the moment before.
    ``hands``: hands that were over the table on the way here, one frame each, before the stillness.
    ``during``: the scene while those hands were over it (``None``: the scene of the moment before).
    ``label``: what the moment shows, in a few words.
    """

    scene: Scene
    facts: tuple[dict[str, Any], ...] = ()
    label: str = ""
    hands: tuple[HandBody, ...] = ()
    during: Scene | None = field(default=None)
