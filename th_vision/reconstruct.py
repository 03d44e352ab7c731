"""From a still view to a layout: the pieces on the table, each with its sigma."""

from __future__ import annotations

from rules.layout import Layout
from rules.pieces import Pieces
from th_vision.detect.assemble import assemble
from th_vision.detect.assembly import Measured
from th_vision.detect.by_depth_assembly import assemble_by_depth
from th_vision.detect.car_types import with_types
from th_vision.detect.city import find_city, standing_on, without_city
from th_vision.detect.finish import finish
from th_vision.detect.plan import PlanView, plan_view
from th_vision.detect.unknown import clear_of, unknown_things, wide_areas, without
from th_vision.still_view import StillView


def reconstruct(view: StillView, pieces: Pieces, prior: Layout | None = None) -> Layout:
    """Find all pieces of a still view.

    ``prior``: what stood there before. Its pieces are looked for first at their old places, keep their ids, and are
    reported only where they are still seen; only what they leave unexplained is searched anew. City objects are found
    where ``pieces`` says how large they are; what stands on their cards stands higher by so much. Without colour
    (point clouds, frames that lost it) all is found by depth alone, with wider sigmas and no cars.
    """
    return look_at_all(plan_view(view), pieces, prior)[0]


def look_at_all(plan: PlanView, pieces: Pieces, prior: Layout | None) -> tuple[Layout, Measured]:
    """All pieces of a view (see :func:`reconstruct`), and how its columns and roads were measured."""
    before = prior.city if prior is not None else ()
    city = find_city(plan, pieces, prior)
    plan = without_city(plan, city)
    eye = plan.eye
    flat = standing_on(prior, before, eye, -1.0) if prior is not None else None
    wide = wide_areas(plan)
    if plan.color is not None:
        layout, measured = finish(plan, pieces, assemble(plan, pieces, flat), flat)
    else:
        pieces_only = without(plan, wide) if wide.any() else plan
        layout, measured = finish(pieces_only, pieces, assemble_by_depth(pieces_only, pieces, flat), flat)
    layout = with_types(plan, pieces, clear_of(layout, plan, wide), flat)
    layout = standing_on(layout, city, eye).model_copy(update={"city": city})
    return layout.model_copy(update={"unknown": unknown_things(plan, pieces, layout, wide, city or before)}), measured


def look_at_part(plan: PlanView, pieces: Pieces, known: Layout, prior: Layout, kept: Measured) -> Layout:
    """The pieces of a window of a view with colour. ``known``: what of ``prior`` appears in it; what is ``kept`` stands
    as it was measured, and so does the city of ``prior``: none is searched."""
    city = prior.city
    plan = without_city(plan, city)
    eye, wide = plan.eye, wide_areas(plan)
    known, flat = standing_on(known, city, eye, -1.0), standing_on(prior, city, eye, -1.0)
    layout, _ = finish(plan, pieces, assemble(plan, pieces, known, kept), flat, kept)
    layout = with_types(plan, pieces, clear_of(layout, plan, wide), flat)
    layout = standing_on(layout, city, eye).model_copy(update={"city": city})
    return layout.model_copy(update={"unknown": unknown_things(plan, pieces, layout, wide, city)})
