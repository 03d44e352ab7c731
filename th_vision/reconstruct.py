"""From a still view to a layout: the pieces on the table, each with its sigma."""

from __future__ import annotations

from rules.layout import Layout
from rules.pieces import Pieces
from th_vision.detect.assemble import assemble
from th_vision.detect.finish import finish
from th_vision.detect.plan import plan_view
from th_vision.still_view import StillView


def reconstruct(view: StillView, pieces: Pieces, prior: Layout | None = None) -> Layout:
    """Find all pieces of a still view.

    ``prior``: what stood there before. Its pieces are looked for first at their old places, keep their ids, and are
    reported only where they are still seen; only what they leave unexplained is searched anew.
    """
    plan = plan_view(view)
    return finish(plan, pieces, assemble(plan, pieces, prior), prior)
